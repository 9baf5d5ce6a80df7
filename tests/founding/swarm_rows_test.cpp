// SPDX-License-Identifier: Apache-2.0
/// Rows D2 to D14 of the founding documents: Docker Swarm. Expected values by hand, from the profile's parameters that
/// the comments name.
#include "tests/founding/founding_run.hpp"

#include <gmock/gmock.h>

#include <map>

namespace trainyard::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// swarm_failures: container start 1 s (profile), so all run at 1 s. train-0's process ends at 50 s: it has computed 49
// s since no checkpoint was due before 60 s of work. swarm's restart delay is set to 0 s: a new container on the same
// node (the one with the fewest tasks of the service) runs at 51 s. node-1 dies at 100 s: noticed after 15 s (three
// heartbeats of 5 s), running elsewhere at 100 + 15 + 1 = 116 s.
TEST(FoundingRows, D2_AProcessCrashRestartsOnItsNodeANodeCrashElsewhereWithWorkSinceTheCheckpointLost)
{
  const FoundingRun run = founding_run("swarm_failures");
  const auto crashed = run.instances("train-0");
  ASSERT_EQ(crashed.size(), 2U);
  EXPECT_EQ(crashed[0].reason, EndReason::crashed);
  EXPECT_EQ(crashed[1].node, crashed[0].node);
  EXPECT_EQ(crashed[1].running, Seconds{51});
  const FaultOutcome& process = run.result.faults[0];
  EXPECT_EQ(process.redone, Seconds{49});
  // train-1 on node-1: 99 s of computing, a checkpoint after 60 s, 39 s lost.
  const auto moved = run.instances("train-1");
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].reason, EndReason::node_lost);
  EXPECT_NE(moved[1].node, moved[0].node);
  EXPECT_EQ(moved[1].running, Seconds{116});
  EXPECT_EQ(run.result.faults[1].redone, Seconds{39});
  // 600 s of work each: train-0 from 51 s without its 49 s, train-1 from 116 s with 60 s saved.
  EXPECT_EQ(run.service("train").finished, Seconds{116 + 540});
  EXPECT_EQ(run.service("train").parts.lost, Seconds{49 + 39});
}

TEST(FoundingRows, D8_TasksOfALostWorkerGoToOtherNodesTheOthersAreUntouchedAndNothingMovesBack)
{
  // The node comes back after 10 minutes.
  const FoundingRun run = founding_run("swarm_failures", {{"faults", "[\"node:node-1@100s+10min\"]"}});
  int restarted = 0;
  for (int i = 0; i < 6; ++i) {
    const auto instances = run.instances("web-" + std::to_string(i));
    if (instances.size() == 1) {
      // Its counter of steps goes on: it ran from 1 s to the end.
      EXPECT_EQ(instances[0].running, Seconds{1});
      EXPECT_EQ(instances[0].reason, EndReason::runs);
      EXPECT_NE(run.node(instances[0]), "node-1");
      continue;
    }
    ++restarted;
    ASSERT_EQ(instances.size(), 2U) << "it moved back";
    EXPECT_EQ(run.node(instances[0]), "node-1");
    EXPECT_NE(run.node(instances[1]), "node-1");
    EXPECT_EQ(instances[1].placed, Seconds{100 + 15});
    EXPECT_EQ(instances[1].running, Seconds{100 + 15 + 1});
  }
  EXPECT_EQ(restarted, 2);
  EXPECT_EQ(run.least_running("web", 100, 116), 4);
  EXPECT_EQ(run.least_running("web", 116, 1200), 6);
}

TEST(FoundingRows, D9_StandAloneContainersNeverReturn)
{
  const FoundingRun run =
      founding_run("swarm_failures", {{"services.0.mode", "standalone"}, {"services.0.restart", "never"}});
  EXPECT_EQ(run.running_at("web", 99), 6);
  EXPECT_EQ(run.least_running("web", 100, 1200), 4);
  EXPECT_EQ(run.running_at("web", 1200), 4) << "4 of 6 to the end";
  EXPECT_EQ(run.phase("handmade-0"), TaskPhase::gone);
  EXPECT_THAT(run.reason("handmade-0", TaskPhase::gone), HasSubstr("no service replaces"));
  EXPECT_THAT(all_files(run), HasSubstr(",handmade-0,handmade,100,115,\"dead, not noticed yet\","))
      << "a comma in a cell is quoted";
}

// The profile's container start is 1 s. bare and container: factor 1, start 0; vm: factor 1.02, start 30 s (catalogue).
TEST(FoundingRows, D3_ARuntimeIsAFactorAndAStartTimeFactorOneAndStartZeroAreTheSameBytes)
{
  const auto runs = founding_runs("runtime_overhead");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(all_files(runs[0]), all_files(runs[1])) << "bare and container";
  EXPECT_EQ(runs[1].service("train").finished, Seconds{1 + 36000});
  EXPECT_EQ(runs[2].service("train").finished, Seconds{1 + 30 + 36000 * 1.02});
}

// 'later' joins at 600 s. Its two GPUs take the two replicas that had none: one pull of 2 GB at 100 MB/s for both, 1 s
// to start.
TEST(FoundingRows, D4_AMachineThatIsAddedTakesPendingReplicasRunningOnesStay)
{
  const FoundingRun run = founding_run("swarm_replicas");
  int late = 0;
  for (int i = 0; i < 8; ++i) {
    const auto instances = run.instances("gpu-" + std::to_string(i));
    ASSERT_EQ(instances.size(), 1U) << i;
    if (run.node(instances[0]) != "later-0")
      continue;
    ++late;
    EXPECT_EQ(instances[0].placed, Seconds{600});
    EXPECT_EQ(instances[0].pulled, Seconds{620});
    EXPECT_EQ(instances[0].running, Seconds{621});
  }
  EXPECT_EQ(late, 2);
  EXPECT_EQ(run.running_at("gpu", 599), 6);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(run.instances("web-" + std::to_string(i)).size(), 1U) << "running ones stay where they are";
}

// manager-0 dies at 120 s (2 of 3 left), manager-1 at 600 s (1 of 3) and is back at 1,800 s. Detection 15 s, start 1 s.
TEST(FoundingRows, D5_OneManagerOfThreeMayBeLostWithTwoLostTasksGoOnAndNothingNewIsPlaced)
{
  const FoundingRun run = founding_run("swarm_managers");
  EXPECT_EQ(run.least_running("web", 316, 719), 8) << "worker-0 died at 300 s; its tasks were moved";
  int on_worker1 = 0, on_both = 0;
  for (const InstanceRecord& one : run.result.instances) {
    EXPECT_NE(run.node(one).substr(0, 8), "manager-") << "managers only manage";
    on_both += run.node(one) == "both-0" ? 1 : 0;
    if (run.node(one) == "worker-1" && one.reason == EndReason::node_lost) {
      ++on_worker1;
      EXPECT_EQ(one.ended, Seconds{720});
    }
    EXPECT_FALSE(one.placed >= Seconds{600} && one.placed < Seconds{1800}) << "placed without a majority";
  }
  EXPECT_GT(on_both, 0) << "a node with both roles runs tasks too";
  ASSERT_GT(on_worker1, 0);
  EXPECT_EQ(run.running_at("web", 1799), 8 - on_worker1);
  EXPECT_EQ(run.running_at("web", 1800 + 15 + 1), 8);
  EXPECT_EQ(run.instances("late-0")[0].placed, Seconds{1800});
  EXPECT_THAT(run.reason("late-0", TaskPhase::waiting), HasSubstr("managers are lost"));
}

TEST(FoundingRows, D6_SixReplicasOnThreeNodesAreTwoEachConstraintsAndLimitsPerNodeHold)
{
  const FoundingRun run = founding_run("swarm_replicas");
  std::map<std::string, int> web, few, proxy;
  for (const InstanceRecord& one : run.result.instances) {
    const std::string& task = run.result.task_names[static_cast<std::size_t>(one.task)];
    (task.starts_with("web")   ? web
     : task.starts_with("few") ? few
                               : proxy)[run.node(one)] += task.starts_with("gpu") ? 0 : 1;
  }
  EXPECT_EQ(web, (std::map<std::string, int>{{"node-0", 2}, {"node-1", 2}, {"node-2", 2}}));
  EXPECT_EQ(few, (std::map<std::string, int>{{"node-0", 1}, {"node-1", 1}, {"node-2", 1}}))
      << "at most one per node, none on later-0";
  EXPECT_EQ(run.phase("few-3"), TaskPhase::waiting);
  EXPECT_THAT(run.reason("few-3", TaskPhase::waiting), HasSubstr("3 limit of tasks per node"));
  EXPECT_THAT(run.reason("few-3", TaskPhase::waiting), HasSubstr("1 constraint not met"));
}

// node-1 dies at 300 s: back to the desired state at 300 + 15 (detect) + 0 (the image is on the other nodes) + 1
// (start).
TEST(FoundingRows, D7_RunningEqualsDesiredExceptWhileAFaultIsDetectedPulledAndStartedATakenPortIsSaid)
{
  const FoundingRun run = founding_run("swarm_replicas", {{"faults", "[\"node:node-1@300s\"]"}});
  EXPECT_EQ(run.least_running("web", 1, 300), 6);
  EXPECT_EQ(run.running_at("web", 300), 4);
  EXPECT_EQ(run.running_at("web", 315.9), 4);
  EXPECT_EQ(run.least_running("web", 316, 1200), 6);
  // The proxy of node-1 needs port 80 of a host with an SSD: the two that are left have one each.
  std::string pending;
  for (int i = 0; i < 3; ++i)
    if (run.phase("proxy-" + std::to_string(i)) == TaskPhase::waiting)
      pending = run.reason("proxy-" + std::to_string(i), TaskPhase::waiting);
  EXPECT_THAT(pending, HasSubstr("2 host port taken"));
}

// Stop 2 s, start 3 s: batches of two at 100 s, 115 s and 130 s; done at 135 s.
TEST(FoundingRows, D10_ARollingUpdateTakesThreeTimesFiveAndTwoTimesTenSecondsAndKeepsFourRunning)
{
  const FoundingRun run = founding_run("swarm_update");
  const bool said = std::ranges::any_of(run.result.log, [](const LogEntry& entry) {
    return entry.text == "update of web is done after 35 s" && entry.time == Seconds{135};
  });
  EXPECT_TRUE(said);
  EXPECT_EQ(run.least_running("web", 100, 135), 4);
  for (int i = 0; i < 6; ++i) {
    const auto instances = run.instances("web-" + std::to_string(i));
    ASSERT_EQ(instances.size(), 2U) << "the stale task is stopped, a new one created";
    EXPECT_EQ(instances[0].reason, EndReason::updated);
  }
  // train runs from 3 s; at 200 s it has 197 s of work, 180 s of it saved; again from 205 s, 5 s to load, 420 s left.
  EXPECT_EQ(run.service("train").parts.lost, Seconds{17});
  EXPECT_EQ(run.service("train").finished, Seconds{205 + 5 + 420});
}

TEST(FoundingRows, D11_ANodeWithoutTheGpuRuntimeOffersNoGpuRestartingDaemonsOneByOneKeepsTheOthers)
{
  const FoundingRun without =
      founding_run("swarm_generic_gpu", {{"orchestrator.nodes.node-1", "{gpu_runtime: false}"}});
  EXPECT_EQ(without.running_at("train", 100), 2);
  for (const InstanceRecord& one : without.result.instances)
    EXPECT_EQ(without.node(one), "node-0");
  EXPECT_THAT(without.reason("train-4", TaskPhase::waiting), HasSubstr("1 no GPU runtime"));

  const FoundingRun together = founding_run(
      "swarm_generic_gpu", {{"faults", "[\"daemon_restart:node-0@600s+30s\", \"daemon_restart:node-1@600s+30s\"]"}});
  EXPECT_EQ(together.running_at("train", 600), 0) << "all daemons at once stop all tasks";
  const FoundingRun apart = founding_run(
      "swarm_generic_gpu", {{"faults", "[\"daemon_restart:node-0@600s+30s\", \"daemon_restart:node-1@700s+30s\"]"}});
  EXPECT_EQ(apart.least_running("train", 599, 900), 2) << "one by one: the other node's two GPUs stay in use";
  EXPECT_EQ(apart.running_at("train", 800), 4);
}

TEST(FoundingRows, D12_BeforeDocker1712GenericResourcesAreRefusedAndTheVersionIsNamed)
{
  EXPECT_THAT(said_about("swarm_generic_gpu", {{"orchestrator.version", "\"17.09\""}}),
              HasSubstr("service 'train' requests GPUs, but swarm 17.09 cannot allocate GPUs; swarm 17.12 can"));
  EXPECT_THAT(said_about("swarm_generic_gpu"),
              AllOf(HasSubstr("has 5 replicas, and the machines have room for 4 of them"), Not(HasSubstr("cannot"))));
}

TEST(FoundingRows, D13_FourOfFiveReplicasRunOneWaitsForAGpuAndEachUuidHasOneOwnerAtAnyTime)
{
  const FoundingRun run =
      founding_run("swarm_generic_gpu", {{"faults", "[\"process:train-1@300s\", \"node:node-0@10min+5min\"]"}});
  EXPECT_EQ(run.running_at("train", 10), 4);
  EXPECT_THAT(run.reason("train-4", TaskPhase::waiting), HasSubstr("insufficient gpu"));
  std::map<std::string, std::vector<std::pair<Instant, Instant>>> owners;
  for (const InstanceRecord& one : run.result.instances)
    for (std::size_t gpu = 0; gpu < 2; ++gpu)
      if ((one.gpu_mask >> gpu & 1u) != 0)
        owners[run.input.traits[static_cast<std::size_t>(one.node)].gpu_ids[gpu]].emplace_back(
            one.placed, one.ended < Instant{} ? run.result.ended : one.ended);
  EXPECT_EQ(owners.size(), 4U);
  for (auto& [uuid, spans] : owners) {
    EXPECT_EQ(uuid.size(), 12U);
    std::ranges::sort(spans);
    for (std::size_t i = 1; i < spans.size(); ++i)
      EXPECT_LE(spans[i - 1].second, spans[i].first) << uuid;
  }
}

TEST(FoundingRows, D14_AWrongFlagInTheDaemonsConfigurationTakesTheNodeAndItsTwoGpusAndTheCauseIsNamed)
{
  const FoundingRun run = founding_run("swarm_generic_gpu", {{"faults", "[\"daemon_config:node-1@600s\"]"}});
  EXPECT_EQ(run.running_at("train", 599), 4);
  EXPECT_EQ(run.least_running("train", 600, 1800), 2);
  EXPECT_EQ(run.running_at("train", 1800), 2) << "two GPUs fewer, for good";
  std::string reasons;
  for (int i = 0; i < 5; ++i)
    reasons += run.reason("train-" + std::to_string(i), TaskPhase::waiting);
  EXPECT_THAT(reasons, HasSubstr("1 container daemon stopped (wrong configuration or restart)"));
  const bool named = std::ranges::any_of(run.result.log, [](const LogEntry& entry) {
    return entry.text.starts_with("daemon configuration of node-1 is wrong: the container daemon does not start");
  });
  EXPECT_TRUE(named);
}

// Started by hand 10 min after the order, by Swarm after 1 s; both then work at the same speed. node-2 dies at 2 h.
TEST(FoundingRows, D23_AClusterByHandAndSwarmTrainEquallyFastDeployAndRecoverDifferently)
{
  const auto runs = founding_runs("swarm_vs_tf_cluster");
  const FoundingRun& by_hand = runs[0];
  const FoundingRun& swarm = runs[1];
  EXPECT_EQ(by_hand.service("train").first_running, Seconds{600});
  EXPECT_EQ(swarm.service("train").first_running, Seconds{1});
  // Until the fault both did a second of work per second, apart from their saves of 5 s every 600 s.
  EXPECT_TRUE(by_hand.service("train").failed);
  EXPECT_LT(by_hand.service("train").done.value(), 7200 - 600);
  EXPECT_GE(swarm.service("train").finished, Instant{});
  EXPECT_EQ(swarm.result.faults[0].recovered.value(), 7200 + 15 + 1);
  // 6 h of work, 35 saves of 5 s, the parameter server kept the state: only 16 s of standing still.
  EXPECT_EQ(swarm.service("train").finished, Seconds{1 + 21600 + 35 * 5 + 16});
}

} // namespace
} // namespace trainyard::tests
