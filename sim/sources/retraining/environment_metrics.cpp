// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/statistics.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace trainyard {

double CensoredTimes::quantile(double share) const
{
  std::vector<std::pair<double, bool>> times; // (time, open); ends before open ones at the same time
  for (const double time : ended_s)
    times.emplace_back(time, false);
  for (const double time : open_s)
    times.emplace_back(time, true);
  std::ranges::sort(times);
  double surviving = 1;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].second)
      continue;
    surviving *= 1 - 1 / static_cast<double>(times.size() - i);
    if (surviving <= 1 - share + 1e-9)
      return times[i].first;
  }
  return std::numeric_limits<double>::infinity();
}

double CensoredTimes::mean_at_least() const
{
  const std::size_t count = ended_s.size() + open_s.size();
  if (count == 0)
    return 0;
  return (std::accumulate(ended_s.begin(), ended_s.end(), 0.0) + std::accumulate(open_s.begin(), open_s.end(), 0.0)) /
         static_cast<double>(count);
}

std::vector<std::pair<Instant, Instant>> stale_times(const EnvironmentResult& result, int model)
{
  std::vector<std::pair<Instant, Instant>> stale;
  const Instant limit = result.stale_after[static_cast<std::size_t>(model)];
  Instant data = result.first_data[static_cast<std::size_t>(model)], since{};
  const auto until = [&](Instant end) {
    const Instant from = std::max(since, data + limit);
    if (from < end) {
      if (!stale.empty() && stale.back().second == from)
        stale.back().second = end;
      else
        stale.emplace_back(from, end);
    }
  };
  for (const Deployment& one : result.deployments)
    if (one.model == model) {
      until(one.at);
      since = one.at;
      data = one.data;
    }
  until(result.end);
  return stale;
}

EnvironmentMetrics environment_metrics(std::span<const EnvironmentResult> runs)
{
  EnvironmentMetrics metrics;
  int staleness = 0, with_curve = 0, with_trainings = 0;
  double capacity_s = 0;
  for (const EnvironmentResult& run : runs) {
    metrics.needs += static_cast<int>(run.requests.size());
    metrics.messages += run.messages;
    metrics.lost_messages += run.lost_messages;
    capacity_s += run.gpus * seconds(run.end).value();
    Instant last{}, first = end_of_time;
    std::vector<std::vector<const Deployment*>> deployed(run.models.size());
    std::vector<std::vector<std::pair<Instant, Instant>>> trained(run.models.size()); // (data, when)
    for (const Deployment& one : run.deployments)
      deployed[static_cast<std::size_t>(one.model)].push_back(&one);
    for (const Request& request : run.requests) {
      metrics.ends[static_cast<std::size_t>(request.ended)] += 1;
      metrics.gpu_hours += request.gpu_seconds / 3600;
      metrics.wasted_gpu_hours += request.wasted_gpu_seconds / 3600;
      metrics.redone_gpu_hours += request.redone_gpu_seconds / 3600;
      first = std::min(first, request.need);
      if (request.trained >= Instant{0}) {
        trained[static_cast<std::size_t>(request.model)].emplace_back(request.need, request.trained);
        last = std::max(last, request.trained);
      }
      if (request.ended == RequestEnd::deployed) {
        ++metrics.completions;
        for (std::size_t i = 0; i < request.spent.size(); ++i)
          metrics.segment_s[i] += seconds(request.spent[i]).value();
      }
    }
    if (first < last) {
      metrics.makespan_s += seconds(last - first).value();
      ++with_trainings;
    }
    for (std::vector<std::pair<Instant, Instant>>& ends : trained) { // when data at least so new were trained on first
      std::ranges::sort(ends);
      for (std::size_t i = ends.size(); i-- > 1;)
        ends[i - 1].second = std::min(ends[i - 1].second, ends[i].second);
    }
    for (const Request& request : run.requests) {
      const auto& models = deployed[static_cast<std::size_t>(request.model)];
      const auto serves = std::ranges::lower_bound(models, request.need, {}, &Deployment::data);
      const double so_far = seconds(run.end - request.need).value();
      if (serves != models.end())
        metrics.need_to_deployed.ended_s.push_back(seconds((*serves)->at - request.need).value());
      else
        metrics.need_to_deployed.open_s.push_back(so_far);
      const auto& ends = trained[static_cast<std::size_t>(request.model)];
      const auto end = std::ranges::lower_bound(ends, request.need, {}, &std::pair<Instant, Instant>::first);
      if (end != ends.end())
        metrics.need_to_trained.ended_s.push_back(seconds(end->second - request.need).value());
      else
        metrics.need_to_trained.open_s.push_back(so_far);
    }
    std::vector<int> needs(run.models.size(), 0);
    for (const Request& request : run.requests)
      ++needs[static_cast<std::size_t>(request.model)];
    for (std::size_t model = 0; model < run.models.size(); ++model) {
      const double limit = seconds(run.stale_after[model]).value(), end = seconds(run.end).value();
      double data = seconds(run.first_data[model]).value(), since = 0, stale = 0, age = 0;
      const QualityCurve curve = model < run.quality.size() ? run.quality[model] : QualityCurve{};
      double quality = 0, lowest = 1;
      const auto serve_until = [&](double until) { // from `since` on the model with data up to `data` served
        const double from = std::max(since, data + limit);
        stale += std::max(0.0, until - from);
        const double old = std::max(0.0, until - data), young = std::max(0.0, since - data);
        age += (old * old - young * young) / 2; // no data are from later than they are used
        if (curve.known() && until > since) {
          quality +=
              curve.over(Seconds{young}, Seconds{old}).value() + curve.at(Seconds{}) * (until - since - (old - young));
          lowest = std::min(lowest, curve.lowest(Seconds{young}, Seconds{old}));
        }
      };
      for (const Deployment* one : deployed[model]) {
        serve_until(seconds(one->at).value());
        since = seconds(one->at).value();
        data = seconds(one->data).value();
      }
      serve_until(end);
      if (end > 0) {
        metrics.stale_share += stale / end;
        metrics.data_age_periods += age / end / limit;
      }
      if (end > 0 && curve.known()) {
        metrics.quality = metrics.quality.value_or(0) + quality / end;
        metrics.lowest_quality = std::min(metrics.lowest_quality.value_or(1), lowest);
        ++with_curve;
      }
      ++staleness;
      if (needs[model] > 1 && deployed[model].empty())
        ++metrics.starved;
    }
  }
  if (staleness > 0) {
    metrics.stale_share /= staleness;
    metrics.data_age_periods /= staleness;
  }
  if (with_curve > 0)
    *metrics.quality /= with_curve;
  if (with_trainings > 0)
    metrics.makespan_s /= with_trainings;
  if (capacity_s > 0)
    metrics.utilisation = metrics.gpu_hours * 3600 / capacity_s;
  if (metrics.completions > 0)
    for (double& segment : metrics.segment_s)
      segment /= metrics.completions;
  return metrics;
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b)
{
  const std::size_t n = std::min(a.size(), b.size());
  if (n < 2)
    return {0, std::numeric_limits<double>::infinity()};
  std::vector<double> differences(n);
  for (std::size_t i = 0; i < n; ++i)
    differences[i] = a[i] - b[i];
  const MeanInterval interval = mean_interval(differences, 0.95);
  return {interval.mean, interval.half_width()};
}

namespace {

using Set = EnvironmentRunSet;

/// How many requests ended in each way; summary.json has them in one object.
template <std::size_t... I>
void add_ends(std::vector<ResultColumn<Set>>& columns, std::index_sequence<I...>)
{
  (columns.push_back({std::string{to_text(static_cast<RequestEnd>(I))},
                      +[](const Set& set) { return static_cast<long>(set.metrics.ends[I]); }, "",
                      I == 0 ? "needs that had not ended when the run did" : "needs that ended so",
                      in_csv | in_studies}),
   ...);
}

template <std::size_t... I>
void add_segments(std::vector<ResultColumn<Set>>& columns, std::index_sequence<I...>)
{
  (columns.push_back({fmt::format("mean_{}_s", segment_names[I]),
                      +[](const Set& set) {
                        return set.metrics.completions > 0 ? std::optional{set.metrics.segment_s[I]} : std::nullopt;
                      },
                      "s", fmt::format("mean time in '{}', of deployed models", segment_names[I]),
                      in_csv | in_studies}),
   ...);
}

/// A figure that only some runs have.
double or_nothing(double value)
{
  return value > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

std::string unfinished(const EnvironmentRunSet& set)
{
  for (const EnvironmentResult& run : set.runs) {
    std::vector<std::pair<int, int>> needs(run.models.size()); // and how many of them were deployed
    for (const Request& request : run.requests) {
      const std::string& model = run.models[static_cast<std::size_t>(request.model)];
      if (request.ended == RequestEnd::impossible)
        return fmt::format("{} of {} can never be met, for example {}-{}: {}",
                           set.metrics.ends[static_cast<std::size_t>(RequestEnd::impossible)],
                           counted(set.metrics.needs, "need"), model, request.number, request.reason.text);
      auto& [all, deployed] = needs[static_cast<std::size_t>(request.model)];
      ++all;
      deployed += request.deployed >= Instant{0} ? 1 : 0;
    }
    const bool none = std::ranges::none_of(needs, [](const auto& need) { return need.second > 0; });
    for (std::size_t model = 0; model < needs.size(); ++model) // one need late in the run says little beside others
      if (needs[model].first > (none ? 0 : 1) && needs[model].second == 0)
        return fmt::format("{} was never deployed: 0 of {} needs", run.models[model], needs[model].first);
  }
  return {};
}

const std::vector<ResultColumn<EnvironmentRunSet>>& retraining_columns()
{
  static const std::vector<ResultColumn<Set>> columns = [] {
    std::vector<ResultColumn<Set>> all = {
        {"needs", +[](const Set& set) { return static_cast<long>(set.metrics.needs); }, "",
         "times at which a model needed retraining; counts and GPU-hours are sums over the seeds"},
        {"completions", +[](const Set& set) { return static_cast<long>(set.metrics.completions); }, "",
         "models deployed"},
    };
    all.push_back({"unfinished", unfinished, "",
                   "a need that can never be met, or a model that was never deployed, in words", in_json});
    add_ends(all, std::make_index_sequence<std::tuple_size_v<decltype(EnvironmentMetrics::ends)>>{});
    const std::vector<ResultColumn<Set>> figures = {
        {"need_to_deployed_p50_s", +[](const Set& set) { return set.metrics.need_to_deployed.quantile(0.5); }, "s",
         "median time until a model on data at least so new serves (Kaplan-Meier)"},
        {"need_to_deployed_p95_s", +[](const Set& set) { return set.metrics.need_to_deployed.quantile(0.95); }, "s",
         "95th percentile of that time"},
        {"need_to_deployed_mean_at_least_s",
         +[](const Set& set) { return set.metrics.need_to_deployed.mean_at_least(); }, "s",
         "its mean, open times at what they have lasted"},
        {"need_to_trained_mean_at_least_s", +[](const Set& set) { return set.metrics.need_to_trained.mean_at_least(); },
         "s", "the same until the model is trained and saved"},
        {"stale_share", +[](const Set& set) { return set.metrics.stale_share; }, "",
         "share of time in which the serving model was stale, mean over models"},
        {"data_age_periods", +[](const Set& set) { return set.metrics.data_age_periods; }, "",
         "age of the serving models' data over stale_after, mean over time and models"},
        {"quality", +[](const Set& set) { return set.metrics.quality; }, "",
         "quality of the serving models by the age of their data, mean over time and models that have a curve"},
        {"lowest_quality", +[](const Set& set) { return set.metrics.lowest_quality; }, "",
         "lowest quality of a serving model at any time"},
        {"gpu_hours", +[](const Set& set) { return set.metrics.gpu_hours; }, "", "GPU-hours that trainings held"},
        {"wasted_gpu_hours", +[](const Set& set) { return set.metrics.wasted_gpu_hours; }, "",
         "those whose result was never deployed"},
        {"redone_gpu_hours", +[](const Set& set) { return set.metrics.redone_gpu_hours; }, "",
         "those whose work a failure undid: since the last checkpoint"},
        {"utilisation", +[](const Set& set) { return set.metrics.utilisation; }, "", "share of GPU time in use"},
        {"makespan_s", +[](const Set& set) { return or_nothing(set.metrics.makespan_s); }, "s",
         "first need to the end of the last training, mean over seeds"},
        {"planned_makespan_s", +[](const Set& set) { return or_nothing(set.runs.front().first_makespan); }, "s",
         "makespan that the planner planned for its first queue of several trainings, of the first seed"},
        {"optimal_makespan_s", +[](const Set& set) { return or_nothing(set.optimal_makespan_s); }, "s",
         "best possible makespan of that queue"},
        {"plans", +[](const Set& set) { return static_cast<long>(set.runs.front().plans); }, "",
         "how often the planner planned, of the first seed"},
        {"messages", +[](const Set& set) { return static_cast<long>(set.metrics.messages); }, "", "messages sent"},
        {"lost_messages", +[](const Set& set) { return static_cast<long>(set.metrics.lost_messages); }, "",
         "those that were lost"},
    };
    all.insert(all.end(), figures.begin(), figures.end());
    add_segments(all, std::make_index_sequence<segment_names.size()>{});
    return all;
  }();
  return columns;
}

} // namespace trainyard
