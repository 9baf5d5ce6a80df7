// SPDX-License-Identifier: Apache-2.0
/// A training of 6 h on the only GPUs, needed at 0 h and 4 h (period 4 h) within 13 h: what becomes of each, worked by
/// hand.
#include "tests/task_environment/environment_support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using tests::EnvironmentCase;
using tests::plain_environment;

EnvironmentResult hours13(const std::string& policy)
{
  return EnvironmentCase{
      plain_environment,
      {{"task_environment.models.0.period", "4 h"}, {"task_environment.duplicates", policy}, {"run.until", "13 h"}}}
      .run();
}

std::vector<std::string> ends(const EnvironmentResult& result)
{
  std::vector<std::string> list;
  for (const Request& request : result.requests)
    list.push_back(fmt::format("{} {:g}", to_text(request.ended), tests::seconds_of(request.end) / 3600));
  return list;
}

TEST(DuplicatePolicies, ReplaceStopsTheEarlierOneAtOnce)
{
  // Needs at 0, 4, 8, 12 h: each is stopped by the next one, 4 h x 8 GPUs lost each time.
  const EnvironmentResult result = hours13("replace");
  EXPECT_THAT(ends(result), ElementsAre("replaced 4", "replaced 8", "replaced 12", "open 13"));
  EXPECT_DOUBLE_EQ(tests::metrics_of(result).wasted_gpu_hours, 3 * 4 * 8);
}

TEST(DuplicatePolicies, WaitLetsTheEarlierOneFinishWithinItsLimit)
{
  // 2 h are left at 4 h: a limit of 2 h is just enough, the second runs 6-12 h; the one of 8 h waits from 8 h until 12
  // h: too long, the earlier one is stopped at 10 h.
  EXPECT_THAT(ends(hours13("{name: wait, limit: 2 h}")),
              ElementsAre("deployed 6", "replaced 10", "open 13", "open 13"));
  EXPECT_THAT(ends(hours13("{name: wait, limit: 119 min}"))[0], "replaced 5.98333");
}

TEST(DuplicatePolicies, CoalesceKeepsOneThatTrainsAndOneThatWaits)
{
  // The first runs 0-6 h; the second (4 h) waits and runs 6-12 h; the third (8 h) and fourth (12 h): the third runs 12
  // h on, or has joined into the fourth, which is ready at that very time: needs come before the end of the training in
  // the order of events.
  const std::vector<std::string> found = ends(hours13("coalesce"));
  EXPECT_EQ(found[0], "deployed 6");
  EXPECT_EQ(found[1], "deployed 12");
  EXPECT_THAT(found[3], ::testing::AnyOf("open 13", "coalesced 12"));
}

TEST(DuplicatePolicies, ForbidBeginsTheLastThatWasDueWhenTheEarlierOneHasEnded)
{
  // As a CronJob without startingDeadlineSeconds: the need of 4 h begins at 6 h and ends at 12 h. That of 8 h has its
  // turn there, or gives way to that of 12 h, which arises at that very time, before the end in the order of events.
  EXPECT_THAT(ends(hours13("forbid")), ElementsAre("deployed 6", "deployed 12", "forbidden 12", "open 13"));
  // Trainings of 90 min, due every hour: they begin at 0, 1:30, 3:00 … 9:00, so seven are done within 12 h (the eighth
  // ends with the run).
  const EnvironmentResult hourly = EnvironmentCase{
      plain_environment,
      {{"task_environment.models.0.period", "1 h"},
       {"task_environment.models.0.train_time", "90 min"},
       {"task_environment.duplicates", "forbid"},
       {"run.until", "12 h"}}}.run();
  EXPECT_EQ(std::ranges::count_if(hourly.requests,
                                  [](const Request& one) {
                                    return one.trained >= Instant{0} && one.trained < Instant{Seconds{12 * 3600.0}};
                                  }),
            7);
}

TEST(DuplicatePolicies, AllowTrainsThemAllInTurn)
{
  EXPECT_THAT(ends(hours13("allow")), ElementsAre("deployed 6", "deployed 12", "open 13", "open 13"));
}

} // namespace
} // namespace trainyard
