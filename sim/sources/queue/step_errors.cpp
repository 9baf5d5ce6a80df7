// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/step_errors.hpp"

#include "models/core/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

constexpr std::pair<const char*, double ModelError::*> places[] = {{"low_95", &ModelError::low_95},
                                                                   {"low_80", &ModelError::low_80},
                                                                   {"middle", &ModelError::middle},
                                                                   {"high_80", &ModelError::high_80},
                                                                   {"high_95", &ModelError::high_95}};
/// The figures that have ends, by their names in summary.json.
std::map<std::string, double> times_and_money(const QueueMetrics& metrics)
{
  std::map<std::string, double> figures;
  for (const auto& [name, of] : {std::pair{"jct_s", &metrics.jct_s}, std::pair{"waiting_s", &metrics.waiting_s},
                                 std::pair{"queueing_delay_s", &metrics.queueing_delay_s}})
    if (of->values > 0) {
      figures[fmt::format("{}_mean", name)] = of->mean;
      figures[fmt::format("{}_p95", name)] = of->p95;
    }
  if (metrics.finished > 0)
    figures["makespan_s"] = metrics.makespan_s;
  if (metrics.cost)
    figures["cost_usd"] = metrics.cost->value();
  return figures;
}

std::shared_ptr<const Workload> with_steps_at(const Workload& workload, std::span<const ModelError> errors,
                                              double ModelError::*place)
{
  auto other = std::make_shared<Workload>(workload);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    TraceJob& job = other->jobs[i];
    if (errors[i].units == 0)
      continue;
    const bool knows = job.estimate == job.duration; // nobody gave an estimate
    job.duration = Seconds{job.duration.value() * errors[i].*place};
    if (knows)
      job.estimate = job.duration;
  }
  return other;
}

} // namespace

QueueEnds queue_ends(const Workload& workload, std::span<const ModelError> errors,
                     const std::function<QueueMetrics(std::shared_ptr<const Workload>)>& replay)
{
  QueueEnds ends;
  if (std::ranges::any_of(errors, [](const ModelError& error) { return error.units > 0; }))
    for (const auto& [name, place] : places)
      ends.emplace_back(name, replay(with_steps_at(workload, errors, place)));
  return ends;
}

std::map<std::string, double> figures_of(const QueueEnds& ends)
{
  std::map<std::string, std::vector<double>> values;
  for (const auto& [name, metrics] : ends)
    for (const auto& [figure, value] : times_and_money(metrics))
      values[figure].push_back(value);
  std::map<std::string, double> figures;
  for (auto& [figure, of] : values) {
    if (of.size() < ends.size())
      continue;
    std::ranges::sort(of);
    for (std::size_t i = 0; i < of.size(); ++i)
      figures[figure + "_" + ends[i].first] = of[i];
  }
  return figures;
}

const std::vector<Column>& columns_of_ends()
{
  static const std::vector<Column> columns = {
      {"80 % sure", false}, {"mean JCT"}, {"waiting"}, {"p95 waiting"}, {"makespan"}};
  return columns;
}

std::vector<TableCell> row_of(const std::string& label, const QueueEnds& ends)
{
  const std::map<std::string, double> figures = figures_of(ends);
  std::vector<TableCell> row{{label}};
  for (const char* figure : {"jct_s_mean", "waiting_s_mean", "waiting_s_p95", "makespan_s"}) {
    const auto low = figures.find(std::string{figure} + "_low_80"),
               high = figures.find(std::string{figure} + "_high_80");
    row.emplace_back(low == figures.end() || high == figures.end()
                         ? std::string{}
                         : fmt::format("{} to {}", time_text(Seconds{low->second}, Seconds{high->second}),
                                       time_text(Seconds{high->second})));
  }
  return row;
}

} // namespace trainyard
