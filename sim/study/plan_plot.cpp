// SPDX-License-Identifier: Apache-2.0
#include "sim/report/canvas.hpp"
#include "sim/study/plan.hpp"
#include "sim/study/plot_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {

void plot_plan(const Plan& plan, const PlanRequest& request, const std::string& name, const std::filesystem::path& path)
{
  const std::size_t panels = std::min<std::size_t>(request.goals.size(), 4);
  if (panels == 0)
    return;
  constexpr double width = 760, panel_height = 330, left = 96, right = 24, top = 44, bottom = 58;
  draw_to_files(path, width, panel_height * static_cast<double>(panels), [&](Canvas& canvas) {
    for (std::size_t g = 0; g < panels; ++g) {
      const double y0 = panel_height * static_cast<double>(g);
      const Goal& goal = request.goals[g];
      std::vector<double> xs, ys;
      for (const Design& design : plan.designs)
        if (design.verdict != Verdict::failed && design.goals[g].value.values > 0) {
          xs.push_back(design.objective);
          ys.push_back(design.goals[g].value.mean);
        }
      if (xs.empty())
        continue;
      ys.push_back(goal.limit);
      if (goal.upper && g < plan.fronts.size()) { // what is far beyond front and goal would squeeze the rest
        double most = 4 * goal.limit;
        for (const std::size_t i : plan.fronts[g])
          if (const Design& design = plan.designs[i];
              design.verdict == Verdict::met || design.verdict == Verdict::undecided)
            most = std::max(most, design.goals[g].value.mean);
        std::erase_if(ys, [&](double y) { return y > most; });
      }
      const PlotAxis x = plot_axis(xs, left, width - right);
      const PlotAxis y = plot_axis(ys, y0 + panel_height - bottom, y0 + top);
      canvas.colour(ink);
      canvas.text(
          left, y0 + 22,
          canvas.fitted(fmt::format("{}: {} against {}", name, goal.measure.text, request.objective.text), 640, 13), 13,
          Anchor::left, true);
      draw_axes(canvas, x, y, axis_ticks(x, request.objective), axis_ticks(y, goal.measure));
      canvas.colour(quiet_ink);
      canvas.text((left + width - right) / 2, y0 + panel_height - 22, request.objective.text, 10, Anchor::centre);
      canvas.clip(left - 6, y0 + top - 6, width - right - left + 12, panel_height - bottom - top + 12);
      for (const Design& design : plan.designs)
        if (design.verdict != Verdict::failed && design.goals[g].value.values > 0) {
          canvas.colour(design.verdict == Verdict::met ? okabe_ito[2] : quiet_ink,
                        design.verdict == Verdict::met ? 0.55 : 0.25);
          canvas.marker(x.at(design.objective), y.at(design.goals[g].value.mean), 2.2, 0);
        }
      canvas.colour(okabe_ito[1]);
      canvas.line(left, y.at(goal.limit), width - right, y.at(goal.limit), 1.3, true);
      if (g < plan.fronts.size()) {
        canvas.colour(okabe_ito[0]);
        for (std::size_t i = 0; i < plan.fronts[g].size(); ++i) {
          const Design& design = plan.designs[plan.fronts[g][i]];
          const double px = x.at(design.objective), py = y.at(design.goals[g].value.mean);
          if (i > 0) {
            const Design& before = plan.designs[plan.fronts[g][i - 1]];
            const double by = y.at(before.goals[g].value.mean);
            canvas.line(x.at(before.objective), by, px, by, 1.4);
            canvas.line(px, by, px, py, 1.4);
          }
          canvas.marker(px, py, 3, 0);
        }
      }
      const auto mark = [&](const std::optional<std::size_t>& index, Colour colour, const char* label) {
        if (!index)
          return;
        const Design& design = plan.designs[*index];
        const double px = x.at(design.objective), py = y.at(design.goals[g].value.mean);
        canvas.colour(colour);
        if (std::isfinite(design.goals[g].value.low))
          canvas.line(px, y.at(design.goals[g].value.low), px, y.at(design.goals[g].value.high), 2);
        canvas.marker(px, py, 6, 1);
        canvas.colour(ink);
        const bool at_the_right = px > (left + width - right) / 2;
        const std::string text = fmt::format("{}: {}", label, design_text(design));
        const double room = at_the_right ? px - left - 12 : width - right - px - 12;
        canvas.text(at_the_right ? px - 10 : px + 10, py - 9, canvas.fitted(text, room, 10), 10,
                    at_the_right ? Anchor::right : Anchor::left, true);
      };
      mark(plan.winner, okabe_ito[1], "answer");
      if (!plan.winner)
        mark(plan.nearest_miss, okabe_ito[3], "nearest miss");
      canvas.unclip();
      canvas.colour(okabe_ito[1]);
      canvas.text(width - right, y.at(goal.limit) - 4, "goal " + goal.text, 9.5, Anchor::right);
      canvas.colour(quiet_ink);
      canvas.text(left, y0 + panel_height - 6,
                  "blue: Pareto front (no design is better in both) · green: meets all goals · grey: does not, or was "
                  "not decided",
                  9);
    }
  });
}

} // namespace trainyard
