// SPDX-License-Identifier: Apache-2.0
#include "sim/step/prepared.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

Scenario workers_on(int machines)
{
  Scenario scenario;
  NodeTypeSpec box;
  box.gpus = 8;
  box.nics = 8;
  scenario.cluster.node_types["box"] = box;
  scenario.cluster.nodes.push_back({"n", "box", machines, 0});
  JobSpec job;
  job.workers = 8 * machines;
  scenario.jobs.push_back(job);
  return scenario;
}

TEST(MemoryNeeded, GrowsByThatOfEachWorker)
{
  const double ten = memory_needed(workers_on(10)).value(), twenty = memory_needed(workers_on(20)).value();
  EXPECT_DOUBLE_EQ(memory_needed(workers_on(30)).value() - twenty, twenty - ten);
  // Measured: 779 MB with 16,384 workers.
  EXPECT_NEAR(memory_needed(workers_on(2048)).value(), 779e6, 779e6 / 3);
}

TEST(MemoryNeeded, WorkersWithoutABarrierKeepTheirMessages)
{
  // Measured: 256 workers with 32 servers 603 MB, with 16 servers 340 MB: 64 kB for each of 4,096 pairs.
  Scenario scenario = workers_on(32);
  scenario.jobs.front().training.settings.set("servers", 32);
  scenario.jobs.front().training.settings.set("update_rule", "async");
  const double more = memory_needed(scenario).value();
  scenario.jobs.front().training.settings.set("servers", 16);
  EXPECT_NEAR(more - memory_needed(scenario).value(), 263e6, 263e6 / 3);
}

TEST(MemoryNeeded, EqualWorkersWithABarrierAreListedToALimit)
{
  // 10,000 workers with 200 servers: one worker stands for all, unless one of them is slower.
  Scenario scenario = workers_on(1250);
  const double workers = memory_needed(scenario).value();
  scenario.jobs.front().training.settings.set("servers", 200);
  EXPECT_LT(memory_needed(scenario).value() - workers, 1e9);
  scenario.jobs.front().stragglers.push_back({0, 1.5});
  EXPECT_GT(memory_needed(scenario).value() - workers, 5e9);
}

TEST(MemoryNeeded, OfVeryManyEqualWorkersWithoutABarrierThatOfASample)
{
  // 10,000 workers with 200 servers on machines of their own: measured 0.5 GB. Beside workers, all are simulated.
  Scenario scenario = workers_on(1250);
  const double workers = memory_needed(scenario).value();
  scenario.jobs.front().training.settings.set("servers", 200);
  scenario.jobs.front().training.settings.set("update_rule", "async");
  EXPECT_GT(memory_needed(scenario).value() - workers, 100e9);
  scenario.cluster.node_types["host"].gpus = 0;
  scenario.cluster.nodes.push_back({"s", "host", 200, 0});
  EXPECT_LT(memory_needed(scenario).value() - workers, 2e9);
  scenario.jobs.front().stragglers.push_back({0, 1.5});
  EXPECT_GT(memory_needed(scenario).value() - workers, 100e9);
}

TEST(MemoryNeeded, WhatDoesNotFitSaysWhatWould)
{
  const Scenario scenario = workers_on(1000);
  const Bytes needed = memory_needed(scenario);
  EXPECT_FALSE(does_not_fit(scenario, needed, needed));
  // Half of what the workers need beside the 60 MB of the program itself: half of them fit.
  const auto error = does_not_fit(scenario, needed, Bytes{60e6 + (needed.value() - 60e6) / 2});
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error.value_or(""), HasSubstr("simulating 8000 workers takes about "));
  EXPECT_THAT(error.value_or(""), HasSubstr(": about 4000 workers fit"));
}

TEST(MemoryNeeded, ThisMachineHasSome)
{
  EXPECT_GT(memory_available().value(), 1e6);
}

} // namespace
} // namespace trainyard
