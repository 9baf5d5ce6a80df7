// SPDX-License-Identifier: Apache-2.0
// A queue that is looked at after every instant: hand-worked, and unchanged by being watched.
#include "sim/sources/queue/queue_inspection.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/random_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace trainyard {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using tests::job;

std::vector<Json> states(const Workload& workload, int gpus, const std::string& policy,
                         const SchedulingOptions& options = {})
{
  std::vector<Json> told;
  inspect_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create(policy, {}), nullptr,
                options, policy, [&](Instant, bool, const std::function<std::string()>& state) {
                  told.push_back(Json::parse(state()));
                  return true;
                });
  return told;
}

TEST(QueueInspection, TellsEventsJobsAndDecisionsOfAFifoQueue)
{
  // 4 GPUs, first in first out: job 0 holds three of them until 10 s; job 1 wants all four and job 2 waits behind it,
  // though it would fit.
  Workload workload;
  workload.jobs = {job(0, 10, 3), job(0, 10, 4), job(0, 5, 1)};
  const std::vector<Json> told = states(workload, 4, "fifo");
  std::vector<double> times;
  for (const Json& state : told)
    times.push_back(state["time_s"]);
  ASSERT_EQ(times, (std::vector<double>{0, 0, 10, 20, 25, 25})); // before all, four instants, the end
  EXPECT_EQ(told[0]["events"].size(), 3U);
  EXPECT_EQ(told[0]["events"][0]["what"], "arrives");
  EXPECT_EQ(told[0]["running_count"], 0);

  const Json& start = told[1];
  EXPECT_EQ(start["running_count"], 1);
  EXPECT_EQ(start["free_gpus"], 1);
  EXPECT_EQ(start["running"][0]["gpus"], 3);
  EXPECT_EQ(start["running"][0]["end_s"], 10.0);
  EXPECT_EQ(start["waiting_count"], 2);
  EXPECT_EQ(start["waiting"][0]["why"], to_text(WaitReason::gpus));
  EXPECT_EQ(start["waiting"][1]["why"], to_text(WaitReason::behind_head));
  EXPECT_EQ(start["waiting"][1]["blocker"], start["waiting"][0]["job"]);
  ASSERT_EQ(start["events"].size(), 1U);
  EXPECT_EQ(start["events"][0]["what"], "ends");
  EXPECT_EQ(start["happened"].size(), 3U); // three arrivals
  ASSERT_EQ(start["decided"].size(), 2U);  // one started, one tried without success
  EXPECT_EQ(start["decided"][0]["do"], "start");
  EXPECT_EQ(start["decided"][0]["done"], true);
  EXPECT_EQ(start["decided"][1]["done"], false);

  EXPECT_EQ(told[2]["happened"][0]["what"], "ends");
  EXPECT_EQ(told[2]["running"][0]["end_s"], 20.0);
  EXPECT_EQ(told[3]["running"][0]["end_s"], 25.0);
  EXPECT_EQ(told[4]["event_count"], 0);
  EXPECT_EQ(told[5]["ended"], true);
  EXPECT_EQ(told[5]["finished"], 3);
}

TEST(QueueInspection, PreemptionsAreDecisionsAndNotEnds)
{
  Workload workload;
  workload.jobs = {job(0, 100, 4), job(10, 5, 4)};
  const std::vector<Json> told = states(workload, 4, "srtf");
  bool preempted = false;
  for (const Json& state : told)
    for (const Json& deed : state.value("decided", Json::array()))
      if (deed["do"] == "preempt") {
        preempted = true;
        EXPECT_EQ(state["time_s"], 10.0);
        EXPECT_EQ(state["waiting_count"], 1);
        EXPECT_EQ(state["happened"].size(), 1U); // the arrival
        EXPECT_NEAR(state["running"][0]["end_s"].get<double>(), 15, 1e-9);
      }
  EXPECT_TRUE(preempted);
}

TEST(QueueInspection, WatchingChangesNothing)
{
  const Workload workload = tests::random_workload(7, {.jobs = 200, .mean_gap = 60});
  for (const char* name : {"fifo", "srtf", "easy_backfill", "las", "fair_share"}) {
    const auto plain =
        simulate_queue(workload, ClusterShape::pool(16), *Registry<QueuePolicy>::instance().create(name, {}));
    const std::vector<Json> told = states(workload, 16, name);
    EXPECT_EQ(told.back()["finished"], plain.finished) << name;
    EXPECT_EQ(told.back()["time_s"], plain.makespan.value()) << name;
    EXPECT_EQ(told.back()["decisions"], plain.decisions) << name;
    for (const Json& state : told) {
      if (state.contains("running_gpus")) {
        EXPECT_LE(state["running_gpus"].get<int>() + state["free_gpus"].get<int>(), 16) << name;
      }
    }
  }
}

TEST(QueueInspection, EndsWhereItIsAskedTo)
{
  Workload workload;
  workload.jobs = {job(0, 10, 1), job(5, 10, 1)};
  int looks = 0;
  inspect_queue(workload, ClusterShape::pool(1), *Registry<QueuePolicy>::instance().create("fifo", {}), nullptr, {},
                "fifo", [&](Instant, bool ended, const std::function<std::string()>&) {
                  EXPECT_FALSE(ended);
                  return ++looks < 2;
                });
  EXPECT_EQ(looks, 2);
}

} // namespace
} // namespace trainyard
