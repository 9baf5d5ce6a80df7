// SPDX-License-Identifier: Apache-2.0
/// Samples per second over the number of GPUs: both axes logarithmic, so that linear scaling is a straight line
/// (dashed).
#include "models/core/figure_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/knee.hpp"
#include "sim/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace trainyard {
namespace {

struct Curve {
  std::string variant;
  std::size_t style = 0; // the same in every panel
  std::map<int, const JobRow*> points;
};

struct Panel {
  std::string model;
  std::string sample;
  std::vector<Curve> curves;
};

std::vector<Panel> panels_of(const Results& results)
{
  std::vector<std::string> variants;
  std::vector<Panel> panels;
  for (const JobRow& row : results.jobs) {
    if (row.samples_per_second.mean <= 0)
      continue;
    if (std::ranges::find(variants, row.variant) == variants.end())
      variants.push_back(row.variant);
    const auto style = static_cast<std::size_t>(std::ranges::find(variants, row.variant) - variants.begin());
    auto panel = std::ranges::find(panels, row.model, &Panel::model);
    if (panel == panels.end())
      panel = panels.insert(panels.end(), {row.model, row.sample, {}});
    auto curve = std::ranges::find(panel->curves, row.variant, &Curve::variant);
    if (curve == panel->curves.end())
      curve = panel->curves.insert(panel->curves.end(), {row.variant, style, {}});
    curve->points.try_emplace(row.workers, &row);
  }
  return panels;
}

struct Range {
  double low = 0;
  double high = 0;
};

/// Logarithmic scale from a value to a place on the paper.
struct Axis {
  Range values;
  double from = 0;
  double to = 0;
  double operator()(double value) const
  {
    return from +
           (to - from) * (std::log(value) - std::log(values.low)) / (std::log(values.high) - std::log(values.low));
  }
};

/// 1, 2, 5 times a power of ten within the range; only powers of ten where there would be too many.
std::vector<double> ticks(Range range)
{
  std::vector<double> result;
  const bool wide = std::log10(range.high / range.low) > 3;
  for (double decade = std::pow(10, std::floor(std::log10(range.low))); decade <= range.high; decade *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if ((factor == 1.0 || !wide) && decade * factor >= range.low * 0.999 && decade * factor <= range.high * 1.001)
        result.push_back(decade * factor);
  return result;
}

struct Label {
  double wanted = 0;
  double y = 0;
  const Curve* curve = nullptr;
};

/// Moves labels apart so that none covers another, keeping their order; groups that collide are centred on what they
/// wanted.
void spread(std::vector<Label>& labels, double gap, double top, double bottom)
{
  std::ranges::stable_sort(labels, {}, &Label::wanted);
  for (Label& label : labels)
    label.y = label.wanted;
  for (int pass = 0; pass < 200; ++pass)
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const double missing = gap - (labels[i].y - labels[i - 1].y);
      if (missing > 0) {
        labels[i - 1].y -= missing / 2;
        labels[i].y += missing / 2;
      }
    }
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i].y = std::max(labels[i].y, i == 0 ? top : labels[i - 1].y + gap);
  for (std::size_t i = labels.size(); i-- > 0;)
    labels[i].y = std::min(labels[i].y, i + 1 == labels.size() ? bottom : labels[i + 1].y - gap);
}

struct Frame {
  double left, top, right, bottom;
};

void paint_panel(Canvas& canvas, const Panel& panel, const Frame& frame, Range gpus, Range rates, bool says_unit,
                 const std::vector<Knee>& found)
{
  const Axis x{gpus, frame.left, frame.right};
  const Axis y{rates, frame.bottom, frame.top};
  canvas.colour(ink);
  canvas.text(frame.left, frame.top - 14, panel.model, 13, Anchor::left, true);

  for (const double rate : ticks(rates)) {
    canvas.colour(grid_line);
    canvas.line(frame.left, y(rate), frame.right, y(rate), 1);
    canvas.colour(quiet_ink);
    canvas.text(frame.left - 8, y(rate) + 3.5, rate >= 1000 ? rate_text(rate) : fmt::format("{:g}", rate), 10,
                Anchor::right);
  }
  std::set<int> sizes;
  for (const Curve& curve : panel.curves)
    for (const auto& [workers, row] : curve.points)
      sizes.insert(workers);
  double last = -1e9;
  for (const int size : sizes) {
    canvas.colour(grid_line);
    canvas.line(x(size), frame.top, x(size), frame.bottom, 1);
    if (x(size) - last < 20)
      continue;
    last = x(size);
    canvas.colour(quiet_ink);
    canvas.text(x(size), frame.bottom + 16, std::to_string(size), 10, Anchor::centre);
  }
  canvas.text((frame.left + frame.right) / 2, frame.bottom + 34, "GPUs", 11, Anchor::centre);
  if (says_unit)
    canvas.text(frame.left - 46, frame.top - 34, fmt::format("{}s/s, higher is better", panel.sample), 11);

  // linear scaling from what one GPU would do alone
  double single = 0;
  for (const Curve& curve : panel.curves)
    for (const auto& [workers, row] : curve.points)
      if (row->scaling_efficiency > 0)
        single = std::max(single, row->samples_per_second.mean / row->workers / row->scaling_efficiency);
  canvas.clip(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
  if (single > 0) {
    canvas.colour(quiet_ink, 0.8);
    canvas.line(x(gpus.low), y(single * gpus.low), x(gpus.high), y(single * gpus.high), 1, true);
  }
  canvas.unclip();
  canvas.clip(frame.left - 5, frame.top - 5, frame.right - frame.left + 10,
              frame.bottom - frame.top + 10); // whole markers at the edge
  for (const Curve& curve : panel.curves) {
    canvas.colour(okabe_ito[curve.style % okabe_ito.size()]);
    const JobRow* before = nullptr;
    for (const auto& [workers, row] : curve.points) {
      const double here = row->samples_per_second.mean;
      if (before != nullptr)
        canvas.line(x(before->workers), y(before->samples_per_second.mean), x(workers), y(here), 1.8,
                    curve.style >= okabe_ito.size());
      if (row->samples_per_second.high > 1.01 * row->samples_per_second.low && row->samples_per_second.low > 0)
        canvas.line(x(workers), y(row->samples_per_second.low), x(workers), y(row->samples_per_second.high), 1.2);
      canvas.marker(x(workers), y(here), 3.2, curve.style);
      before = row;
    }
  }
  canvas.unclip();
  for (const Knee& knee : found) // a tick on the axis: half of the GPUs' time is lost from here on
    for (const Curve& curve : panel.curves)
      if (knee.model == panel.model && knee.variant == curve.variant) {
        canvas.colour(okabe_ito[curve.style % okabe_ito.size()]);
        canvas.line(x(knee.workers), frame.bottom - 9, x(knee.workers), frame.bottom + 3, 2.2);
      }

  std::vector<Label> labels;
  for (const Curve& curve : panel.curves)
    labels.push_back({y(curve.points.rbegin()->second->samples_per_second.mean), 0, &curve});
  spread(labels, 14, frame.top, frame.bottom);
  for (const Label& label : labels) {
    const auto& [workers, row] = *label.curve->points.rbegin();
    canvas.colour(okabe_ito[label.curve->style % okabe_ito.size()]);
    canvas.line(x(workers) + 6, label.wanted, frame.right + 14, label.y, 0.8);
    canvas.marker(frame.right + 20, label.y, 3.2, label.curve->style);
    canvas.text(frame.right + 28, label.y + 3.8, label.curve->variant.empty() ? row->training : label.curve->variant,
                10.5);
  }
}

} // namespace

bool plot_throughput(const Results& results, const std::filesystem::path& path)
{
  const std::vector<Panel> panels = panels_of(results);
  Range gpus{1e300, 0};
  std::map<std::string, Range> rates; // by what is counted: images/s and sequences/s do not share a scale
  double label_letters = 8;
  for (const Panel& panel : panels)
    for (const Curve& curve : panel.curves) {
      label_letters = std::max(label_letters, static_cast<double>(curve.variant.size()));
      Range& range = rates.try_emplace(panel.sample, Range{1e300, 0}).first->second;
      for (const auto& [workers, row] : curve.points) {
        gpus = {std::min<double>(gpus.low, workers), std::max<double>(gpus.high, workers)};
        range = {std::min(range.low, row->samples_per_second.mean),
                 std::max(range.high, row->samples_per_second.mean / std::clamp(row->scaling_efficiency, 0.2, 1.0))};
      }
    }
  if (panels.empty() || gpus.high <= gpus.low)
    return false;
  for (auto& [sample, range] : rates)
    range = {range.low / 1.25, range.high * 1.1};

  const std::vector<Knee> found = knees(results);
  constexpr double plot_width = 330;
  constexpr double plot_height = 300;
  constexpr double left = 62;
  constexpr double top = 92;
  const double labels = 40 + 6.4 * label_letters;
  const double panel_width = left + plot_width + labels;
  const double width = panel_width * static_cast<double>(panels.size()) + 10;
  constexpr double height = top + plot_height + 66;
  draw_to_files(path, width, height, [&](Canvas& canvas) {
    canvas.colour(ink);
    canvas.text(16, 26, canvas.fitted("Throughput: " + results.run.scenario_name, width - 30, 15), 15, Anchor::left,
                true);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const double x = panel_width * static_cast<double>(i) + left;
      paint_panel(canvas, panels[i], {x, top, x + plot_width, top + plot_height}, gpus, rates.at(panels[i].sample),
                  i == 0 || panels[i].sample != panels[i - 1].sample, found);
    }
    const JobRow& row = results.jobs.front();
    canvas.colour(quiet_ink);
    std::string foot = fmt::format("dashed: linear scaling of one GPU{} · {} · {} · batch {} per GPU · fidelity {}",
                                   found.empty() ? "" : " · tick on the axis: knee, efficiency 50 %", row.gpu,
                                   row.network, row.batch_per_gpu, row.fidelity);
    canvas.text(16, height - 10, canvas.fitted(foot, width - 30, 9.5), 9.5);
  });
  return true;
}

} // namespace trainyard
