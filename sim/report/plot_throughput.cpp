// SPDX-License-Identifier: Apache-2.0
/// Samples per second over the number of GPUs: both axes logarithmic, so that linear scaling is a straight line
/// (dashed).
#include "models/core/figure_text.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/files.hpp"
#include "sim/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace trainyard {
namespace {

struct Curve {
  std::string variant;
  std::size_t style = 0; // the same in every panel
  std::map<int, const JobRow*> points;
};

struct ModelCurves {
  std::string model;
  std::string sample;
  std::vector<Curve> curves;
};

std::vector<ModelCurves> curves_of(const Results& results, std::vector<Mark>& legend)
{
  std::vector<std::string> variants;
  std::vector<ModelCurves> models;
  for (const JobRow& row : results.jobs) {
    if (row.samples_per_second.mean <= 0)
      continue;
    if (std::ranges::find(variants, row.variant) == variants.end()) {
      variants.push_back(row.variant);
      legend.push_back(series_line(legend.size(), row.variant.empty() ? row.training : row.variant));
      legend.back().form = legend.size();
    }
    const auto style = static_cast<std::size_t>(std::ranges::find(variants, row.variant) - variants.begin());
    auto model = std::ranges::find(models, row.model, &ModelCurves::model);
    if (model == models.end())
      model = models.insert(models.end(), {row.model, row.sample, {}});
    auto curve = std::ranges::find(model->curves, row.variant, &Curve::variant);
    if (curve == model->curves.end())
      curve = model->curves.insert(model->curves.end(), {row.variant, style, {}});
    curve->points.try_emplace(row.workers, &row);
  }
  return models;
}

PicturePanel panel_of(const ModelCurves& shown, const PlotAxis& gpus, const PlotAxis& rates,
                      const std::vector<Knee>& found)
{
  PicturePanel panel{.title = fmt::format("{}, {}s/s", shown.model, shown.sample),
                     .kind = PicturePanel::Kind::number,
                     .x = gpus,
                     .y = rates,
                     .height = 300,
                     .x_title = "GPUs"};
  for (const double rate : rates.ticks())
    panel.y_ticks.push_back({rate, rate >= 1000 ? rate_text(rate) : fmt::format("{:g}", rate)});
  std::map<int, std::string> sizes;
  double single = 0; // rate of one GPU alone
  for (const Curve& curve : shown.curves) {
    const Mark look = series_line(curve.style);
    std::vector<std::pair<double, double>> line_of;
    for (const auto& [workers, row] : curve.points) {
      sizes.emplace(workers, std::to_string(workers));
      const Estimate& rate = row->samples_per_second;
      line_of.emplace_back(workers, rate.mean);
      if (rate.high > 1.01 * rate.low && rate.low > 0)
        panel.marks.push_back(line(workers, workers, rate.low, rate.high, look.colour, 1.2));
      panel.marks.push_back(marker(workers, rate.mean, look.colour, 3.2, 1, curve.style));
      if (row->scaling_efficiency > 0)
        single = std::max(single, rate.mean / row->workers / row->scaling_efficiency);
    }
    add_line(panel.marks, line_of, look);
    for (const Knee& knee : found) // a tick on the axis: half of the GPUs' time is lost from here on
      if (knee.model == shown.model && knee.variant == curve.variant)
        panel.marks.push_back(line(knee.workers, knee.workers, rates.low, rates.low * 1.1, look.colour, 2.2));
  }
  if (single > 0)
    panel.marks.push_back(line(gpus.low, gpus.high, single * gpus.low, single * gpus.high, quiet_ink, 1, true));
  for (const auto& [size, text] : sizes)
    panel.x_ticks.push_back({1.0 * size, text});
  return panel;
}

} // namespace

bool plot_throughput(const Results& results, const std::filesystem::path& path)
{
  Picture picture{.title = "Throughput: " + results.run.scenario_name};
  const std::vector<ModelCurves> models = curves_of(results, picture.legend);
  PlotAxis gpus{1e300, 0, true};
  std::map<std::string, PlotAxis> rates; // by what is counted: images/s and sequences/s do not share a scale
  for (const ModelCurves& model : models)
    for (const Curve& curve : model.curves) {
      PlotAxis& range = rates.try_emplace(model.sample, PlotAxis{1e300, 0, true}).first->second;
      for (const auto& [workers, row] : curve.points) {
        const double rate = row->samples_per_second.mean;
        gpus = {std::min<double>(gpus.low, workers), std::max<double>(gpus.high, workers), true};
        range = {std::min(range.low, rate / 1.25),
                 std::max(range.high, 1.1 * rate / std::clamp(row->scaling_efficiency, 0.2, 1.0)), true};
      }
    }
  if (models.empty() || gpus.high <= gpus.low)
    return false;
  const std::vector<Knee> found = knees(results);
  for (const ModelCurves& model : models)
    picture.panels.push_back(panel_of(model, gpus, rates.at(model.sample), found));
  const JobRow& row = results.jobs.front();
  picture.footer = fmt::format("dashed: linear scaling of one GPU{} · {} · {} · batch {} per GPU · fidelity {}",
                               found.empty() ? "" : " · tick on the axis: knee, efficiency 50 %", row.gpu, row.network,
                               row.batch_per_gpu, row.fidelity);
  return draw(picture, path);
}

} // namespace trainyard
