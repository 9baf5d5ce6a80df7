// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/timeline.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(Replay, ContentionSlowsBothJobsOnlyWhileItLasts)
{
  // Alone 1 step/s, together 0.5 steps/s. A: 10 steps from 0; B: 10 steps from 4.
  // A does 4 steps alone, 6 more at half speed: ends at 16. B has done 6 by then, 4 more alone: ends at 20.
  const std::vector<TimelineJob> jobs{{Seconds{0}, 10}, {Seconds{4}, 10}};
  const auto outcome = replay(
      jobs, [](auto, auto waiting) { return std::vector<std::size_t>(waiting.begin(), waiting.end()); },
      [](auto running, auto, Seconds) { return std::vector<double>(running.size(), running.size() > 1 ? 0.5 : 1.0); },
      [](std::size_t) {});
  EXPECT_DOUBLE_EQ(outcome[0].finish.value(), 16);
  EXPECT_DOUBLE_EQ(outcome[1].start.value(), 4);
  EXPECT_DOUBLE_EQ(outcome[1].finish.value(), 20);
}

TEST(Replay, AWaitingJobStartsTheMomentAPlaceIsGivenBack)
{
  const std::vector<TimelineJob> jobs{{Seconds{0}, 5}, {Seconds{1}, 5}};
  const auto outcome = replay(
      jobs,
      [](auto running, auto waiting) {
        return running.empty() ? std::vector<std::size_t>{waiting.begin(), waiting.begin() + (waiting.empty() ? 0 : 1)}
                               : std::vector<std::size_t>{};
      },
      [](auto running, auto, Seconds) { return std::vector<double>(running.size(), 1.0); }, [](std::size_t) {});
  EXPECT_DOUBLE_EQ(outcome[1].start.value(), 5);
  EXPECT_DOUBLE_EQ(outcome[1].finish.value(), 10);
}

TEST(Replay, RefusesToWaitForever)
{
  const std::vector<TimelineJob> jobs{{Seconds{0}, 5}};
  EXPECT_THROW(replay(
                   jobs, [](auto, auto) { return std::vector<std::size_t>{}; },
                   [](auto, auto, Seconds) { return std::vector<double>{}; }, [](std::size_t) {}),
               std::logic_error);
}

} // namespace
} // namespace trainyard
