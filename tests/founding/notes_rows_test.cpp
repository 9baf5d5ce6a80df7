// SPDX-License-Identifier: Apache-2.0
/// Rows N8 to N13 and T16 of the founding documents. Expected values by hand.
#include "tests/founding/founding_run.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

namespace trainyard::tests {
namespace {

using ::testing::HasSubstr;

TEST(FoundingRows, N8_WithoutLimitsTwoJobsTakeTurnsOrRunOutOfMemoryWithRequestsTheSecondWaits)
{
  const auto runs = founding_runs("isolation");
  EXPECT_GE(runs[0].finished("first"), 2 * 3600) << "each at least twice as slow";
  EXPECT_GE(runs[0].finished("second"), 2 * 3600);
  EXPECT_EQ(runs[1].instances("second-0")[0].reason, EndReason::out_of_gpu_memory) << "12 GB + 12 GB on 16 GB";
  EXPECT_EQ(runs[1].finished("first"), 3600);
  EXPECT_EQ(runs[2].finished("first"), 3600) << "unchanged by the second";
  EXPECT_EQ(runs[2].instances("second-0")[0].placed, Seconds{3600}) << "it waits";
}

TEST(FoundingRows, N9_ReplicasFollowRateOverCapacityAndANameOutlivesItsPod)
{
  const FoundingRun run = founding_run("serving_and_training", {{"faults", "[\"node:node-0@20min+30min\"]"}});
  for (const auto& [hour, rate] : {std::pair{1.4, 230.0}, {2.4, 420.0}, {3.4, 80.0}})
    EXPECT_EQ(run.running_at("serve", hour * 3600), static_cast<int>(std::ceil(rate / 50)));
  bool outlived = false;
  for (int i = 0; i < 2; ++i) {
    const auto pods = run.instances("serve-" + std::to_string(i));
    outlived = outlived || (pods.size() > 1 && pods[0].reason == EndReason::node_lost && pods[1].node != pods[0].node);
  }
  EXPECT_TRUE(outlived) << "serve-0 or serve-1 was on node-0 and goes on elsewhere under its name";
}

// By hand: four machines of 30 min each; two more of 30 min each; a crash until the machine is back at 22 h and 30 min
// more. Kubernetes: four pods of 5 s one after the other; one change of a number, 5 s; 40 s + 5 min + 5 s on a machine
// with room.
TEST(FoundingRows, N10_ByHandEveryChangeCostsTimePerMachineUnderKubernetesSeconds)
{
  const auto runs = founding_runs("physical_vs_k8s");
  const double unit[] = {1800, 5};
  for (std::size_t v = 0; v < 2; ++v) {
    const FoundingRun& run = runs[v];
    Instant updated{-1};
    for (const LogEntry& entry : run.result.log)
      if (entry.text.starts_with("update of serve is done"))
        updated = entry.time;
    EXPECT_EQ(updated.value() - 3600, 4 * unit[v]) << run.label;
    const auto fifth = run.instances("serve-4"), sixth = run.instances("serve-5");
    EXPECT_EQ(sixth[0].running.value() - 12 * 3600, v == 0 ? 2 * 1800 : 5) << run.label;
    const FaultOutcome& crash = run.result.faults[0];
    EXPECT_EQ((crash.recovered - crash.event.at).value(), v == 0 ? 7200 + 1800 : 40 + 300 + 5) << run.label;
  }
}

// 1,000 pods at 50 per second: the last is placed 999/50 = 19.98 s after the first. The only master is lost from 600 s
// to 1,800 s.
TEST(FoundingRows, N11_WithoutTheMasterPodsRunAndNothingIsPlacedOrHealedManyPodsQueueAtItsRate)
{
  const FoundingRun run = founding_run("k8s_control_plane");
  Instant last{0};
  for (const InstanceRecord& one : run.result.instances)
    if (run.result.task_names[static_cast<std::size_t>(one.task)].starts_with("burst") &&
        one.placed < Instant{Seconds{60}})
      last = std::max(last, one.placed);
  EXPECT_NEAR(last.value(), 999.0 / 50, 1e-3);
  EXPECT_EQ(run.running_at("burst", 899), 1000) << "pods go on";
  const int lost = 1000 - run.running_at("burst", 901);
  EXPECT_GT(lost, 0);
  EXPECT_EQ(run.least_running("burst", 901, 1800 + 40 + 300), 1000 - lost) << "nothing is healed";
  EXPECT_GE(run.instances("late-0")[0].placed, Seconds{1800}) << "nothing is placed";
  const FoundingRun watched = founding_run("k8s_control_plane", {{"faults", "[\"node:node-3@15min\"]"}});
  EXPECT_EQ(watched.result.faults[0].detected.value(), 900 + 40)
      << "a lost kubelet is not ready after its grace period";
}

TEST(FoundingRows, N12_ThePodIsTheSmallestUnitItsContainersAddUpOnOneNodeAndTheEngineDoesNotMatter)
{
  const FoundingRun run = founding_run("k8s_basic");
  const TaskGroupSpec& worker = run.spec("train").groups[1];
  EXPECT_EQ(worker.gpus, 1);
  EXPECT_EQ(worker.cpu_milli, 5000);
  EXPECT_EQ(worker.memory_mib, 5 * 1024);
  EXPECT_EQ(run.instances("train/worker-0").size(), 1U) << "one place for all its containers";
  const FoundingRun other =
      founding_run("k8s_basic", {{"services.1.runtime", "{name: rkt, compute_factor: 1, start: 0 s}"}});
  EXPECT_EQ(all_files(other), all_files(run));
}

TEST(FoundingRows, N13_APodThatAsksForAV100IsNeverOnAK80AndWaitsForTheTypeNotTheNumber)
{
  const FoundingRun run = founding_run("k8s_gpu_type");
  int waited = 0;
  for (int i = 0; i < 3; ++i) {
    const std::string task = "v100-" + std::to_string(i);
    EXPECT_EQ(run.node(run.instances(task)[0]), "new-0");
    const std::string reason = run.reason(task, TaskPhase::waiting);
    if (reason.find("other type of gpu") != std::string::npos) {
      ++waited;
      EXPECT_THAT(reason, HasSubstr("2 other type of gpu"));
    }
  }
  EXPECT_EQ(waited, 1) << "16 K80 are free meanwhile";
  EXPECT_THAT(said_about("k8s_gpu_type", {{"orchestrator.version", "\"1.3\""}}),
              HasSubstr("a type of GPU, but kubernetes 1.3 cannot select"));
}

// Mean loss per failure: half an interval of work (a cycle of 3,280 s, failures at random in it: 60 of 3,280 fall into
// a save and lose all 3,220 s; mean (3220/3280) * 1610 + (60/3280) * 3220 = 1,639 s). Daly's expected time: M e^(R/M)
// (e^((t+d)/M) - 1) W / t with R = 0.
TEST(FoundingRows, T16_TheMeanLossIsHalfAnIntervalAndYoungsIntervalIsWithinOnePercentOfTheBestOfASweep)
{
  const auto runs = founding_runs("checkpoint_restart");
  double best = 1e300, at_young = 0;
  for (const FoundingRun& run : runs) {
    const ServiceOutcome& train = run.service("train");
    ASSERT_GE(train.finished, Instant{}) << run.label;
    const double interval = run.spec("train").checkpoint.interval.value(), time = run.finished("train");
    best = std::min(best, time);
    if (interval == 3220)
      at_young = time;
    const double work = 3000.0 * 86400, save = 60, mtbf = 86400;
    const double daly = mtbf * (std::exp((interval + save) / mtbf) - 1) * work / interval;
    EXPECT_NEAR(time / daly, 1, 0.01) << interval;
    double failures = 0;
    for (const InstanceRecord& one : run.result.instances)
      failures += one.reason == EndReason::crashed ? 1 : 0;
    const double cycle = interval + save;
    const double expected = interval / cycle * interval / 2 + save / cycle * interval;
    EXPECT_NEAR(train.parts.lost.value() / failures / expected, 1, 0.06)
        << interval << ": mean loss of " << failures << " failures";
  }
  ASSERT_GT(at_young, 0);
  EXPECT_LE(at_young, 1.01 * best);
}

TEST(FoundingRows, T16_AJobGoesOnFromItsCheckpointOnAnotherTypeOfGpu)
{
  // Two machines: a V100 and a K80 that computes at a fifth. The V100's machine dies at 2 h: 7,200 s of work are saved
  // by then.
  const FoundingRun run = founding_run(
      "checkpoint_restart", {{"cluster.node_types", "{new: {gpu: V100-PCIe-16GB, gpus: 1}, old: {gpu: K80, gpus: 1}}"},
                             {"cluster.nodes", "[{name: new, type: new, count: 1}, {name: old, type: old, count: 1}]"},
                             {"orchestrator.placement", "first_fit"},
                             {"services.0.gpu_speed", "{K80: 0.2}"},
                             {"services.0.work", "3 h"},
                             {"services.0.checkpoint", "{interval: 10 min, save: 0 s, load: 30 s}"},
                             {"faults", "[\"node:new-0@2h\"]"},
                             {"sweep", "{grid: {run.seed: [1]}}"}});
  // Swarm notices after 15 s; then 30 s to load and 3,600 s at a fifth of the speed.
  EXPECT_EQ(run.service("train").finished, Seconds{7200 + 15 + 30 + 3600 / 0.2});
  EXPECT_EQ(run.node(run.instances("train-0").back()), "old-0");
}

} // namespace
} // namespace trainyard::tests
