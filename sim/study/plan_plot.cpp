// SPDX-License-Identifier: Apache-2.0
#include "sim/study/measures.hpp"
#include "sim/study/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Designs by objective and by one goal: its limit, its Pareto front, and the answer.
PicturePanel panel_of(const Plan& plan, const PlanRequest& request, std::size_t g, const std::string& name)
{
  const Goal& goal = request.goals[g];
  const auto value_of = [g](const Design& design) { return design.goals[g].value.mean; };
  PicturePanel panel{.title = fmt::format("{}: {} against {}", name, goal.measure.text, request.objective.text),
                     .kind = PicturePanel::Kind::number,
                     .height = 228,
                     .x_title = request.objective.text};
  std::vector<double> xs, ys;
  for (const Design& design : plan.designs)
    if (design.verdict.answers() && design.goals[g].value.values > 0) {
      xs.push_back(design.objective);
      ys.push_back(value_of(design));
      const bool meets = design.verdict.ruling == Ruling::meets;
      panel.marks.push_back(marker(xs.back(), ys.back(), meets ? okabe_ito[2] : quiet_ink, 2.2, meets ? 0.55 : 0.25));
    }
  if (xs.empty())
    return {};
  ys.push_back(goal.limit);
  if (goal.upper && g < plan.fronts.size()) { // what is far beyond front and goal would squeeze the rest
    double most = 4 * goal.limit;
    for (const std::size_t i : plan.fronts[g])
      if (const Design& design = plan.designs[i];
          design.verdict.ruling == Ruling::meets || design.verdict.ruling == Ruling::too_close)
        most = std::max(most, value_of(design));
    std::erase_if(ys, [&](double y) { return y > most; });
  }
  panel.x = plot_axis(xs);
  panel.y = plot_axis(ys);
  panel.x_ticks = axis_ticks(panel.x, request.objective);
  panel.y_ticks = axis_ticks(panel.y, goal.measure);
  panel.marks.push_back(line(panel.x.low, panel.x.high, goal.limit, goal.limit, okabe_ito[1], 1.3, true));
  panel.marks.push_back(words(panel.x.high, goal.limit, okabe_ito[1], "goal " + goal.text, Anchor::right));
  if (g < plan.fronts.size()) {
    std::vector<std::pair<double, double>> front;
    for (const std::size_t i : plan.fronts[g]) {
      const Design& design = plan.designs[i];
      if (!front.empty())
        front.emplace_back(design.objective, front.back().second);
      front.emplace_back(design.objective, value_of(design));
      panel.marks.push_back(marker(design.objective, value_of(design), okabe_ito[design.unsure() ? 3 : 0], 3));
    }
    add_line(panel.marks, front, line(0, 0, 0, 0, okabe_ito[0], 1.4));
  }
  if (const auto shown = plan.winner ? plan.winner : plan.nearest_miss) {
    const Design& design = plan.designs[*shown];
    const Colour colour = okabe_ito[plan.winner ? 1 : 3];
    if (std::isfinite(design.goals[g].value.low))
      panel.marks.push_back(
          line(design.objective, design.objective, design.goals[g].value.low, design.goals[g].value.high, colour, 2));
    panel.marks.push_back(marker(design.objective, value_of(design), colour, 6, 1, 1));
    panel.marks.push_back(words(design.objective, value_of(design), ink,
                                fmt::format("{}: {}", plan.winner ? "answer" : "nearest miss", design_text(design)),
                                panel.x.share(design.objective) > 0.5 ? Anchor::right : Anchor::left));
  }
  return panel;
}

} // namespace

void plot_plan(const Plan& plan, const PlanRequest& request, const std::string& name, const std::filesystem::path& path)
{
  Picture picture{.left = 96,
                  .right = 24,
                  .footer = "blue: Pareto front (no design is better in both) · pink: not sure enough · green: "
                            "meets all goals · grey: does not, or was not decided"};
  for (std::size_t g = 0; g < request.goals.size() && g < 4; ++g)
    if (PicturePanel panel = panel_of(plan, request, g, name); !panel.marks.empty())
      picture.panels.push_back(std::move(panel));
  draw(picture, path);
}

} // namespace trainyard
