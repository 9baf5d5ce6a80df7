// SPDX-License-Identifier: Apache-2.0
/// Rows C1 to C15 of the founding documents: the cluster-management article. Expected values by hand.
#include "tests/founding/founding_run.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace trainyard::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int servers_on_gpu_nodes(const FoundingRun& run)
{
  int count = 0;
  for (int i = 0; i < 3; ++i)
    count += run.node(run.instances("train/ps-" + std::to_string(i))[0]).starts_with("gpu") ? 1 : 0;
  return count;
}

TEST(FoundingRows, C1_ParameterServersAvoidGpuNodesWhileCpuNodesHaveRoom)
{
  const auto runs = founding_runs("hetero_cluster");
  EXPECT_EQ(servers_on_gpu_nodes(runs[0]), 1) << "two fill the CPU node's 16 cores, the third has to go elsewhere";
  EXPECT_GT(servers_on_gpu_nodes(runs[1]), 1) << "without the rule they are spread";
}

// Two switches of the framework on four machines of 2 h each; 2.5 GB over 1 Gbit/s take 20 s.
TEST(FoundingRows, C2_AnotherFrameworkCostsEveryMachineARedeploymentContainersOnlyTheFirstPull)
{
  const auto runs = founding_runs("framework_versions");
  Instant redeployed{0};
  for (const ServiceOutcome& outcome : runs[0].result.services)
    redeployed += outcome.redeploying;
  EXPECT_EQ(redeployed, Seconds{2 * 4 * 7200});
  EXPECT_EQ(runs[0].finished("old-2"), 3 * 3600 + 2 * 7200);
  for (const ServiceOutcome& outcome : runs[1].result.services)
    EXPECT_EQ(outcome.redeploying, Instant{});
  EXPECT_EQ(runs[1].finished("old-1"), 20 + 3600);
  EXPECT_EQ(runs[1].finished("new-1"), 20 + 3600 + 20 + 3600);
  EXPECT_EQ(runs[1].finished("old-2"), 20 + 3600 + 20 + 3600 + 3600) << "its image is there already";
  EXPECT_THAT(
      said_about("framework_versions", {{"services.0.image.name", "tensorflow/tensorflow:1.12.0-py3"}}),
      HasSubstr("warning: service 'old-1' requests GPUs, but its image 'tensorflow/tensorflow:1.12.0-py3' has no GPU"));
  EXPECT_EQ(said_about("framework_versions", {{"services.0.image.name", "tensorflow/tensorflow:1.12.0-gpu-py3"}}), "");
}

// node-3 is down from 7,500 s to 11,100 s; checkpoints every 600 s of work.
TEST(FoundingRows, C5_AStaticClusterLosesSixteenNodeHoursAManagedOneRestartsOneJob)
{
  const auto runs = founding_runs("blast_radius");
  const FoundingRun& fixed = runs[0];
  const FoundingRun& managed = runs[1];
  const ServiceOutcome& train = fixed.service("train");
  // 15 machines stand still for an hour, one is down for it; 300 s of work of all 16 are done again.
  EXPECT_NEAR(gpu_seconds(train.parts.stalled_gpu.gpu) + gpu_seconds(fixed.result.down.gpu), 16 * 3600, 1e-6);
  EXPECT_EQ(train.finished, Seconds{36000 + 3600 + 300});
  EXPECT_EQ(fixed.finished("other"), 36000);
  // Managed: from 5 s on, 7,495 s done and 7,200 s saved; noticed after 40 s, 5 s to start on the spare machine.
  EXPECT_EQ(managed.service("train").finished, Seconds{5 + 36000 + 295 + 45});
  EXPECT_EQ(managed.finished("other"), 36000 + 5) << "other jobs lose nothing";
}

TEST(FoundingRows, C6_APodIsPendingThenPullsStartsAndRunsAnOverlayOfFactorOneChangesNothing)
{
  const FoundingRun run = founding_run("k8s_basic");
  const InstanceRecord worker = run.instances("train/worker-0")[0];
  // 1 GB over 1 Gbit/s to two nodes at once: 16 s; 5 s to start.
  EXPECT_EQ((worker.pulled - worker.placed).value(), 16);
  EXPECT_EQ((worker.running - worker.pulled).value(), 5);
  std::vector<TaskPhase> order;
  for (const PhaseRecord& phase : run.result.phases)
    if (phase.task == run.task_index("train/worker-0"))
      order.push_back(phase.phase);
  const std::vector<TaskPhase> expected = {TaskPhase::pulling, TaskPhase::starting, TaskPhase::running,
                                           TaskPhase::finished};
  EXPECT_EQ((std::vector<TaskPhase>{order.begin(), order.begin() + 3}),
            (std::vector<TaskPhase>{expected.begin(), expected.begin() + 3}));
  const FoundingRun overlay =
      founding_run("k8s_basic", {{"services.1.network_cost", "0"}, {"services.1.communication_share", "0.3"}});
  EXPECT_EQ(overlay.finished("train"), run.finished("train"));
  const FoundingRun slow =
      founding_run("k8s_basic", {{"services.1.network_cost", "0.5"}, {"services.1.communication_share", "0.3"}});
  EXPECT_NEAR(slow.finished("train") - 21, 1800 * 1.15, 1e-3);
}

// node-2 dies at 600 s: 40 s of grace, 300 s until eviction, 5 s to start.
TEST(FoundingRows, C7_TheDesiredStateIsBackAfterDetectEvictAndStartAndTheThreeAreTold)
{
  const FoundingRun run = founding_run("k8s_self_healing");
  const FaultOutcome& fault = run.result.faults[0];
  EXPECT_EQ((fault.detected - fault.event.at).value(), 40);
  EXPECT_EQ((fault.evicted - fault.detected).value(), 300);
  EXPECT_EQ((fault.recovered - fault.evicted).value(), 5);
  EXPECT_EQ(run.least_running("web", 600, 945), 6);
  EXPECT_EQ(run.least_running("web", 945, 1800), 8);
}

TEST(FoundingRows, C8_Kubernetes13GivesOneGpuAPod16SeveralAndFourPodsAreNeverFasterThanOne)
{
  EXPECT_THAT(said_about("k8s_versions", {{"orchestrator.version", "\"1.3\""}}),
              HasSubstr("service 'train' requests 4 GPUs; kubernetes 1.3 gives a task at most 1; kubernetes 1.6 can"));
  const auto runs = founding_runs("k8s_versions");
  EXPECT_GT(runs[0].service("train").finished, Instant{});
  const auto training = [](const FoundingRun& run) { return run.service("train").parts.useful; };
  EXPECT_LE(training(runs[0]), training(runs[1])) << "least_allocated puts the four pods on two machines";
  const auto packed = founding_run(
      "k8s_versions", {{"orchestrator.placement", "pack"},
                       {"sweep.variants.0.set", "{services.0.replicas: 4, services.0.resources: {gpus: 1}}"}});
  EXPECT_LE(training(runs[0]), training(packed)) << "not even on one machine";
}

TEST(FoundingRows, C9_ReasonsPerResourceAddUpToTheNodes)
{
  const FoundingRun run = founding_run("k8s_basic");
  EXPECT_EQ(run.phase("wants-much-0"), TaskPhase::waiting);
  EXPECT_EQ(run.reason("wants-much-0", TaskPhase::waiting), "0/4 nodes fit: 2 insufficient gpu, 2 insufficient memory");
}

TEST(FoundingRows, C10_SkyformEcpIsKubernetesWithoutCodeOfItsOwn)
{
  const auto section = [](const std::string& name) {
    return founding_run("k8s_self_healing", {{"orchestrator", "{name: " + name + "}"}});
  };
  EXPECT_EQ(section("skyform_ecp").input.rules, section("kubernetes").input.rules);
  EXPECT_EQ(all_files(section("skyform_ecp")), all_files(section("kubernetes")));
}

// OpenLava notices a process's end after 30 s. first-5 dies at 1,800 s.
TEST(FoundingRows, C12_AllRanksOrNoneStartAndOneRanksEndEndsTheJobUntrackedProcessesStay)
{
  const auto runs = founding_runs("mpi_tracking");
  for (std::size_t v = 0; v < 2; ++v) {
    const FoundingRun& run = runs[v];
    std::set<Instant> starts;
    for (int i = 0; i < 12; ++i)
      starts.insert(run.instances("second-" + std::to_string(i))[0].placed);
    EXPECT_EQ(starts.size(), 1U) << "all ranks or none, although 8 GPUs were free before";
    const double freed = v == 0 ? 1830 : 1830 + 3600; // tracked: all end when it is noticed; else until the clean-up
    EXPECT_EQ((*starts.begin()).value(), freed);
    EXPECT_TRUE(run.service("first").failed);
    EXPECT_THAT(run.reason("second-3", TaskPhase::waiting),
                HasSubstr("all 12 tasks must start together; after 9 of them: 0/4 nodes fit: 4 insufficient gpu"));
    for (int i = 0; i < 8; ++i) {
      const InstanceRecord rank = run.instances("first-" + std::to_string(i))[0];
      EXPECT_EQ(rank.ended.value(), i == 5 ? 1800 : freed);
    }
  }
  EXPECT_EQ(gpu_seconds(runs[0].service("first").orphaned.gpu), 0);
  EXPECT_EQ(gpu_seconds(runs[1].service("first").orphaned.gpu), 7 * 3600);
}

TEST(FoundingRows, C13_JobsAndIdleTimeAddUpToTheCapacityExactly)
{
  for (const char* scenario : {"mpi_tracking", "rack_failure", "swarm_managers", "serving_and_training"})
    for (const FoundingRun& run : founding_runs(scenario)) {
      AmountTime sum = run.result.idle;
      sum += run.result.down;
      for (const ServiceOutcome& outcome : run.result.services)
        sum += outcome.held;
      EXPECT_TRUE(sum == run.result.capacity)
          << scenario << " " << run.label << ": GPU, CPU and memory time, to the last digit";
      // Capacity itself: all GPUs times the whole time.
      EXPECT_TRUE(run.result.capacity.gpu ==
                  static_cast<Wide>(run.input.cluster.total_gpus()) * 1000 * run.result.ended.count());
    }
}

TEST(FoundingRows, C15_CostIsNodesTimesPriceAndLicenceALicenceChangesOnlyDollars)
{
  const auto runs = founding_runs("cost_model");
  EXPECT_NEAR(runs[0].usd_per_hour, 4 * (2.5 + 0.5), 1e-9);
  EXPECT_NEAR(runs[1].usd_per_hour, 4 * 2.5, 1e-9);
  EXPECT_EQ(all_files(runs[0]), all_files(runs[1])) << "everything but the price";
  EXPECT_EQ(runs[0].finished("train"), 36000);
  EXPECT_EQ(runs[0].finished("chip-design"), 36000) << "jobs without GPUs run beside";
  EXPECT_NEAR(runs[2].finished("train"), 30 + 36000 * 1.02, 1e-3) << "virtual machines cost time too";
}

// A rack of four machines is lost from 2 h to 8 h. Job d: noticed after 40 s, evicted after 300 s, 5 s to start, 60 s
// to load.
TEST(FoundingRows, RackFailure_ReschedulingCostsMinutesWaitingCostsTheRepairIntervalsDecideWhatIsRedone)
{
  const auto runs = founding_runs("rack_failure");
  ASSERT_EQ(runs.size(), 4U);
  for (const FoundingRun& run : runs) {
    const FaultOutcome& rack = run.result.faults[0];
    EXPECT_EQ(rack.tasks_hit, 4);
    const bool moves = run.label.find("reschedules=true") != std::string::npos;
    const bool often = run.label.find("10 min") != std::string::npos;
    EXPECT_NEAR((rack.recovered - rack.event.at).value(), moves ? 345 : 6 * 3600 + 5, 0.2) << run.label;
    // Arrived at 3 s, started at 8.1 s: four pods at 50 a second, 5 s. A cycle is the interval and 30 s: 630 s, 3,630
    // s. 7,191.9 s hold 11 (1) whole cycles; 261.9 s (3,561.9 s) are lost.
    EXPECT_NEAR(rack.redone.value(), often ? 7191.9 - 11 * 630 : 7191.9 - 3630, 0.1) << run.label;
    for (const char* job : {"job-a", "job-b", "job-c"}) // a second apart
      EXPECT_NEAR(run.finished(job), 43200 + 11 * 30 + 6, 1.2) << "other racks lose nothing";
  }
}

} // namespace
} // namespace trainyard::tests
