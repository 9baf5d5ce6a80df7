// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Jobs that all go at the same speed, which depends on how many there are.
class SameSpeed final : public Running
{
public:
  SameSpeed(std::span<const TimelineJob> jobs, double alone, double together) : alone_{alone}, together_{together}
  {
    for (const TimelineJob& job : jobs)
      left_.push_back(job.steps);
  }

  void begin(std::span<const std::size_t> begun, std::size_t running, Seconds now) override
  {
    at_beginnings.push_back(running);
    now_ = now.value();
    running_.insert(running_.end(), begun.begin(), begun.end());
  }

  std::pair<Seconds, std::vector<std::size_t>> advance(Seconds until) override
  {
    const double speed = running_.size() > 1 ? together_ : alone_;
    double next = until.value();
    for (const std::size_t job : running_)
      next = std::min(next, now_ + left_[job] / speed);
    std::vector<std::size_t> ended;
    for (const std::size_t job : running_)
      if ((left_[job] -= (next - now_) * speed) < 1e-12)
        ended.push_back(job);
    now_ = next;
    return {Seconds{now_}, ended};
  }

  void end(std::size_t job) override { std::erase(running_, job); }

  const std::vector<std::size_t>& running() const { return running_; }

  std::vector<std::size_t> at_beginnings; // how many ran then

private:
  double alone_, together_;
  double now_ = 0;
  std::vector<double> left_;
  std::vector<std::size_t> running_;
};

TEST(Replay, ContentionSlowsBothJobsOnlyWhileItLasts)
{
  // Alone 1 step/s, together 0.5 steps/s. A: 10 steps from 0; B: 10 steps from 4.
  // A does 4 steps alone, 6 more at half speed: ends at 16. B has done 6 by then, 4 more alone: ends at 20.
  const std::vector<TimelineJob> jobs{{Seconds{0}, 10}, {Seconds{4}, 10}};
  SameSpeed running{jobs, 1, 0.5};
  const auto outcome = replay(
      jobs, [](auto waiting) { return std::vector<std::size_t>(waiting.begin(), waiting.end()); }, running);
  EXPECT_DOUBLE_EQ(outcome[0].finish.value(), 16);
  EXPECT_DOUBLE_EQ(outcome[1].start.value(), 4);
  EXPECT_DOUBLE_EQ(outcome[1].finish.value(), 20);
}

TEST(Replay, AWaitingJobStartsTheMomentAPlaceIsGivenBack)
{
  const std::vector<TimelineJob> jobs{{Seconds{0}, 5}, {Seconds{1}, 5}};
  SameSpeed one{jobs, 1, 1};
  const auto outcome = replay(
      jobs,
      [&](auto waiting) {
        return one.running().empty() ? std::vector<std::size_t>{waiting.begin(), waiting.begin() + 1}
                                     : std::vector<std::size_t>{};
      },
      one);
  EXPECT_DOUBLE_EQ(outcome[1].start.value(), 5);
  EXPECT_DOUBLE_EQ(outcome[1].finish.value(), 10);
}

TEST(Replay, WhoHasEndedRunsNoLonger)
{
  // One step/s each. 0 runs from 0 to 2, 1 from 0 to 9, 2 from 1 to 4, and 3 comes at 5: beside 1 alone.
  const std::vector<TimelineJob> jobs{{Seconds{0}, 2}, {Seconds{0}, 9}, {Seconds{1}, 3}, {Seconds{5}, 1}};
  SameSpeed running{jobs, 1, 1};
  replay(
      jobs, [](auto waiting) { return std::vector<std::size_t>(waiting.begin(), waiting.end()); }, running);
  EXPECT_EQ(running.at_beginnings, (std::vector<std::size_t>{2, 3, 2}));
}

TEST(Replay, RefusesToWaitForever)
{
  const std::vector<TimelineJob> jobs{{Seconds{0}, 5}};
  SameSpeed none{jobs, 1, 1};
  EXPECT_THROW(replay(
                   jobs, [](auto) { return std::vector<std::size_t>{}; }, none),
               std::logic_error);
}

} // namespace
} // namespace trainyard
