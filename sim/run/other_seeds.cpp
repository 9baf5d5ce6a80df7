// SPDX-License-Identifier: Apache-2.0
#include "sim/results/results.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/jobs/training_failures.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/parallel.hpp"
#include "models/core/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace trainyard {
namespace {

/// With the scenario's own: one of two equal paths for two flows is the same with all of them with probability 1/8.
constexpr int seeds_looked_at = 4;
/// SeedRange::work that takes at most about a second: all-reduces of 32 to 512 GPUs over hashed paths take 20 ns
/// (fluid) to 200 ns (flow) for each unit of it, release build.
constexpr double work_in_a_second = 5e6;

/// The rows of a point with the seed that is so many after its own.
std::vector<JobRow> rows_of_seed(const CheckedPoint& point, const Catalogue& catalogue, std::size_t later,
                                 std::size_t threads)
{
  CheckedPoint other = point;
  other.scenario.run.seed += later;
  other.scenario.cluster.network.hash_seed = other.scenario.run.seed;
  Results result;
  run_point(other, catalogue, {.threads = threads}, result);
  return std::move(result.jobs);
}

/// The values of one figure of a job over the seeds in which it ran.
template <class Get>
auto values_of(const std::vector<std::vector<JobRow>>& all, const JobRow& job, const Get& get)
{
  std::vector<decltype(get(job))> values;
  for (const std::vector<JobRow>& rows : all)
    if (const auto row = std::ranges::find(rows, job.job, &JobRow::job); row != rows.end())
      values.push_back(get(*row));
  return values;
}

double mean_of(const std::vector<double>& values)
{
  double sum = 0;
  for (const double value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}

Estimate estimate_of(const std::vector<double>& values, double confidence)
{
  if (values.size() < 2)
    return {values.front(), values.front(), values.front()};
  const double mean = mean_of(values);
  if (std::ranges::min(values) <= 0)
    return {mean, 0, std::ranges::max(values)};
  std::vector<double> logarithms; // an interval of ratios has no end below zero
  logarithms.reserve(values.size());
  for (const double value : values)
    logarithms.push_back(std::log(value));
  const double factor = std::exp(mean_interval(logarithms, confidence).half_width());
  return {mean, mean / factor, mean * factor};
}

std::vector<double> rates_of(const std::vector<JobRow>& rows)
{
  std::vector<double> rates;
  rates.reserve(rows.size());
  for (const JobRow& row : rows)
    rates.push_back(row.samples_per_second.mean);
  return rates;
}

SeedRange range_of(const std::vector<std::vector<JobRow>>& all, const JobRow& row, const CheckedPoint& point)
{
  const std::vector<double> steps = values_of(all, row, [](const JobRow& one) { return one.step_s.mean; });
  SeedRange range;
  range.point = point.label;
  range.job = row.job;
  range.first = point.scenario.run.seed;
  range.seeds = static_cast<int>(steps.size());
  range.step_s = estimate_of(steps, point.scenario.run.confidence);
  range.least_s = *std::ranges::min_element(steps);
  range.most_s = *std::ranges::max_element(steps);
  return range;
}

constexpr Sentence<std::int64_t, Figure, Figure> mean_of_seeds{
    "failures.mean_of_seeds", "with failures, mean of {seeds} seeds: done at {time}, goodput {goodput}"};
constexpr Sentence<std::int64_t, Figure> some_never_end{
    "failures.some_never_end", "with failures, {seeds} seeds: never ends with some of them, mean goodput {goodput}"};

/// What failures cost in the mean of the seeds; what is told so far is of the first.
void take_means(const std::vector<std::vector<JobRow>>& all, JobRow& row, const RunSpec& run, Results& first)
{
  const auto mean = [&](const auto& get) {
    return mean_of(values_of(all, row, [&](const JobRow& one) { return get(*one.failures); }));
  };
  FailureCosts costs = *row.failures;
  costs.useful = mean([](const FailureCosts& one) { return one.useful; });
  costs.failures = static_cast<int>(std::lround(mean([](const FailureCosts& one) { return 1.0 * one.failures; })));
  for (Seconds FailureCosts::*part : {&FailureCosts::saving, &FailureCosts::redone, &FailureCosts::restarting,
                                      &FailureCosts::waiting, &FailureCosts::slower})
    costs.*part = Seconds{mean([&](const FailureCosts& one) { return (one.*part).value(); })};
  row.failures = costs;
  for (Message& told : first.messages) // of the first seed
    if (told.kind == MessageKind::cost && name_in(told, "job") == named(row))
      told = as(MessageKind::cost, failure_costs(told_of_seed(named(row), static_cast<std::int64_t>(run.seed),
                                                              messages_in(told, "told").front()),
                                                 messages_in(told, "lines")));
  const MeanInterval range =
      mean_interval(values_of(all, row, [](const JobRow& one) { return one.failures->useful; }), run.confidence);
  const Figure goodput{costs.useful, fmt::format("{:.1f} % [{:.1f} %, {:.1f} %]", 100 * costs.useful,
                                                 100 * std::max(range.low, 0.0), 100 * std::min(range.high, 1.0))};
  const auto seeds = static_cast<std::int64_t>(all.size());
  const Message means = std::isfinite(row.finish.value())
                            ? mean_of_seeds(seeds, {row.finish.value(), time_text(row.finish)}, goodput)
                            : some_never_end(seeds, goodput);
  first.messages.push_back(as(MessageKind::cost, failure_costs(told_of_job(named(row), means), {})));
}

} // namespace

std::vector<double> run_with_seeds(const CheckedPoint& point, const Catalogue& catalogue, const PointOptions& options,
                                   Results& first)
{
  if (point.scenario.run.replicas < 2) {
    run_point(point, catalogue, options, first);
    return rates_of(first.jobs);
  }
  std::vector<std::vector<JobRow>> all(static_cast<std::size_t>(point.scenario.run.replicas));
  const std::size_t threads_of_each = std::max<std::size_t>(1, options.threads / all.size());
  in_parallel(all.size(), options.threads, [&](std::size_t i) {
    if (i > 0) {
      all[i] = rows_of_seed(point, catalogue, i, threads_of_each);
      return;
    }
    run_point(point, catalogue,
              {.draw = options.draw, .lists = options.lists, .threads = threads_of_each, .prepared = options.prepared},
              first);
    all.front() = first.jobs;
  });
  std::vector<SeedRange> ranges;
  for (JobRow& row : first.jobs) {
    ranges.push_back(range_of(all, row, point));
    ranges.back().replicated = true;
    row.step_s = ranges.back().step_s;
    row.samples_per_second =
        estimate_of(values_of(all, row, [](const JobRow& one) { return one.samples_per_second.mean; }),
                    point.scenario.run.confidence);
    for (double JobRow::*figure : {&JobRow::scaling_efficiency, &JobRow::staleness_mean, &JobRow::simulated_steps})
      row.*figure = mean_of(values_of(all, row, [&](const JobRow& one) { return one.*figure; }));
    for (Seconds JobRow::*part : {&JobRow::compute, &JobRow::host, &JobRow::exposed_communication, &JobRow::input,
                                  &JobRow::wait, &JobRow::start, &JobRow::finish})
      row.*part = Seconds{mean_of(values_of(all, row, [&](const JobRow& one) { return (one.*part).value(); }))};
    row.staleness_max = std::ranges::max(values_of(all, row, [](const JobRow& one) { return one.staleness_max; }));
    if (row.failures)
      take_means(all, row, point.scenario.run, first);
    const std::vector<std::optional<Dollars>> prices =
        values_of(all, row, [](const JobRow& one) { return one.price_per_million_samples; });
    if (std::ranges::all_of(prices, [](const auto& price) { return price.has_value(); })) {
      std::vector<double> dollars;
      for (const std::optional<Dollars>& price : prices)
        dollars.push_back(price->value());
      row.price_per_million_samples = Dollars{mean_of(dollars)};
    } else
      row.price_per_million_samples.reset(); // with some seeds the job never ends
  }
  first.seeds = std::move(ranges);
  return rates_of(all.front());
}

void look_at_other_seeds(const CheckedPoint& point, const Catalogue& catalogue, std::size_t points, std::size_t threads,
                         Results& first)
{
  if (point.scenario.run.replicas > 1 || first.seeds.empty())
    return;
  double work = 0;
  for (const SeedRange& one : first.seeds)
    work = std::max(work, one.work);
  if (work * (seeds_looked_at - 1) * static_cast<double>(points) > work_in_a_second)
    return;
  std::vector<std::vector<JobRow>> all(seeds_looked_at);
  all.front() = first.jobs;
  in_parallel(all.size() - 1, threads, [&](std::size_t i) {
    all[i + 1] = rows_of_seed(point, catalogue, i + 1, std::max<std::size_t>(1, threads / (all.size() - 1)));
  });
  for (SeedRange& range : first.seeds) {
    const auto row = std::ranges::find(first.jobs, range.job, &JobRow::job);
    if (row == first.jobs.end())
      continue;
    range = range_of(all, *row, point);
  }
}

} // namespace trainyard
