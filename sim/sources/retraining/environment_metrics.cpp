// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  int staleness = 0, with_curve = 0;
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
    if (first < last)
      metrics.makespan_s += seconds(last - first).value() / static_cast<double>(runs.size());
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

} // namespace trainyard
