// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/orchestration_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

namespace trainyard::orchestration {

Response response_time(double rate, double capacity, int replicas)
{
  constexpr double none = std::numeric_limits<double>::infinity();
  if (replicas <= 0 || !(capacity > 0) || rate >= replicas * capacity)
    return {Seconds{none}, Seconds{none}};
  const double offered = rate / capacity;
  // Erlang B by its recursion, then C.
  double b = 1;
  for (int n = 1; n <= replicas; ++n)
    b = offered * b / (n + offered * b);
  const double use = offered / replicas;
  const double waits = b / (1 - use * (1 - b));
  const double drain = replicas * capacity - rate;
  const double mean = 1 / capacity + waits / drain;
  // P(T > t) of waiting plus service; where the two rates are equal the limit of the general form.
  const auto tail = [&](double t) {
    if (std::abs(drain - capacity) < 1e-9 * capacity)
      return (1 + waits * capacity * t) * std::exp(-capacity * t);
    return std::exp(-capacity * t) +
           waits * capacity / (capacity - drain) * (std::exp(-drain * t) - std::exp(-capacity * t));
  };
  double low = 0, high = 1 / capacity;
  while (tail(high) > 0.05)
    high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > 0.05 ? low : high) = middle;
  }
  return {Seconds{mean}, Seconds{high}};
}

std::vector<ServingSpan> serving_spans(const PointRun& run, std::size_t service)
{
  const ServingSpec& serving = run.input.services[service].serving;
  if (!(serving.capacity > 0) || run.result.series.empty()) // none is recorded
    return {};
  std::map<Instant, int> replicas{{Instant{}, 0}}; // from when on
  for (const SeriesPoint& point : run.result.series)
    if (point.service == static_cast<int>(service))
      replicas[point.time] = point.running;
  std::vector<Instant> cuts{run.result.ended};
  for (const auto& [time, count] : replicas)
    cuts.push_back(time);
  for (const auto& [from, rate] : serving.rate)
    cuts.push_back(Instant{from});
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<ServingSpan> spans;
  for (std::size_t i = 0; i + 1 < cuts.size() && cuts[i] < run.result.ended; ++i) {
    ServingSpan span{.from = cuts[i], .to = cuts[i + 1], .replicas = std::prev(replicas.upper_bound(cuts[i]))->second};
    for (const auto& [from, value] : serving.rate)
      if (Instant{from} <= cuts[i])
        span.rate = value;
    span.response = response_time(span.rate, serving.capacity, span.replicas);
    span.answered = span.rate > 0 ? std::min(1.0, span.replicas * serving.capacity / span.rate) : 1;
    spans.push_back(span);
  }
  return spans;
}

} // namespace trainyard::orchestration
