// SPDX-License-Identifier: Apache-2.0
// Bounds of single waits, within which nine jobs of ten should start, beside those of QBETS (Nurmi, Brevik, Wolski
// 2007).
#include "models/core/statistics.hpp"
#include "sim/study/replay_parts.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace trainyard {
namespace {

constexpr double share_within = 0.9, confidence = 0.95;
constexpr int misses_of_a_change =
    3; // in a row: by chance once in a thousand; QBETS asks for more where waits are alike
constexpr std::size_t after_a_change = 29; // the fewest of which one is above the quantile with that confidence

/// The binomial method: the order statistic that is above the quantile of whatever distribution with that confidence,
/// of what was seen since the last change.
class QuantileBound
{
public:
  /// Absent: too few were seen.
  std::optional<double> value() const
  {
    if (sorted_.size() < after_a_change)
      return std::nullopt;
    const std::size_t within = most_below_quantile(sorted_.size(), share_within, confidence);
    return within < sorted_.size() ? std::optional{sorted_[within]} : std::nullopt;
  }

  void add(double seen)
  {
    const std::optional<double> bound = value();
    missed_ = bound && seen > *bound ? missed_ + 1 : 0;
    seen_.push_back(seen);
    sorted_.insert(std::ranges::upper_bound(sorted_, seen), seen);
    if (missed_ < misses_of_a_change || seen_.size() <= after_a_change)
      return;
    seen_.erase(seen_.begin(), seen_.end() - after_a_change);
    sorted_ = seen_;
    std::ranges::sort(sorted_);
    missed_ = 0;
  }

private:
  std::vector<double> seen_, sorted_;
  int missed_ = 0;
};

/// By job, s, from the waits of those in its group that had started when it was submitted. Below 0: too few.
std::vector<double> bounds_of(const RecordedQueue& log, const std::function<int(std::size_t)>& group_of)
{
  std::map<int, QuantileBound> groups;
  std::vector<double> bounds(log.waits.size(), -1);
  using Start = std::pair<double, std::size_t>;
  std::priority_queue<Start, std::vector<Start>, std::greater<>> waiting;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    for (; !waiting.empty() && waiting.top().first <= log.submit(i); waiting.pop())
      groups[group_of(waiting.top().second)].add(log.waits[waiting.top().second]);
    bounds[i] = groups[group_of(i)].value().value_or(-1);
    waiting.emplace(log.start(i), i);
  }
  return bounds;
}

/// Jobs for which alike waits were predicted: within four times, a minute added.
int alike(double predicted)
{
  return static_cast<int>(std::log2(std::max(0.0, predicted) / 60 + 1) / 2);
}

} // namespace

void add_bounds(const RecordedQueue& log, const std::vector<double>& unchosen, Replay& replay)
{
  std::vector<double> predicted = unchosen;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (counts(log, i, true))
      predicted[i] = replay.predicted[i];
  replay.bound = bounds_of(log, [&](std::size_t i) { return alike(predicted[i]); });
  replay.qbets = bounds_of(log, [&](std::size_t i) { return class_of(log, i); });
  for (const auto& [name, bounds] : {std::pair{"prediction", &replay.bound}, std::pair{"QBETS", &replay.qbets}}) {
    WaitBound one{.name = name};
    std::vector<double> widths;
    for (std::size_t i = 0; i < bounds->size(); ++i)
      if (counts(log, i, true) && replay.bound[i] >= 0 && replay.qbets[i] >= 0) {
        widths.push_back((*bounds)[i]);
        one.mean += (*bounds)[i];
        one.held += log.waits[i] <= (*bounds)[i] ? 1 : 0;
      }
    one.jobs = static_cast<int>(widths.size());
    if (widths.empty())
      continue;
    one.held /= one.jobs;
    one.mean /= one.jobs;
    std::ranges::nth_element(widths, widths.begin() + std::ssize(widths) / 2);
    one.median = widths[widths.size() / 2];
    replay.bounds.push_back(one);
  }
}

} // namespace trainyard
