// SPDX-License-Identifier: Apache-2.0
/// Rows of the founding documents about TensorFlow and PyTorch as programs: ClusterSpec, rendezvous, devices of
/// operations, GPU memory.
#include "models/cost/memory_sharing.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/scenario_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::run_scenario;
using tests::ScenarioRun;
using Json = nlohmann::json;

double event_time(const ScenarioRun& run, const std::string& job, const std::string& event)
{
  for (const EventRow& row : run.results.events)
    if (row.job == job && row.event == event)
      return row.time.value();
  ADD_FAILURE() << "job '" << job << "' has no event '" << event << "'";
  return -1;
}

std::string event_detail(const ScenarioRun& run, const std::string& event)
{
  for (const EventRow& row : run.results.events)
    if (row.event == event)
      return row.detail;
  return {};
}

/// Runs a scenario that is not training steps; its summary.
Json summary_of(const std::string& name, const tests::Settings_& settings = {})
{
  const ScenarioRun run = run_scenario(name, settings, false);
  EXPECT_FALSE(run.refused()) << run.messages();
  if (run.refused())
    return {};
  const ScenarioRunner* runner = runner_of(run.points.front().scenario);
  EXPECT_NE(runner, nullptr);
  return runner == nullptr ? Json{} : Json(runner->run(run.points, {}).summary);
}

TEST(FoundingRows, D15_TrainingStartsAtTheLastJoin)
{
  const ScenarioRun run = run_scenario("tf_cluster_spec");
  ASSERT_FALSE(run.refused()) << run.messages();
  EXPECT_DOUBLE_EQ(event_time(run, "first", "training starts"),
                   180 + 40); // deployed in 3 min, the last worker joins 40 s later
}

TEST(FoundingRows, D15_AClusterSpecThatDiffersBetweenTasksIsShownWithItsEntry)
{
  const auto with = [](const std::string& task_1) {
    return run_scenario("tf_cluster_spec", {{"rendezvous.0.tasks.1.cluster", task_1}}, false).messages();
  };
  EXPECT_THAT(with("{ps: ['ps-0:2222', 'ps-1:2222'], worker: ['worker-0:2222', 'worker-2:2222', 'worker-1:2222']}"),
              HasSubstr("the ClusterSpec of /job:worker/task:2 differs: /job:worker/task:1 is worker-2:2222 there, but "
                        "worker-1:2222 for the others"));
  EXPECT_THAT(with("{ps: ['ps-0:2222'], worker: ['worker-0:2222', 'worker-1:2222', 'worker-2:2222']}"),
              HasSubstr("/job:ps/task:1 is nothing there, but ps-1:2222 for the others"));
  EXPECT_THAT(run_scenario("tf_cluster_spec",
                           {{"rendezvous.0.cluster.worker", "['worker-0:2222', 'worker-1:2222', 'wroker-2:2222']"}},
                           false)
                  .messages(),
              HasSubstr("there is no node 'wroker-2'; did you mean 'worker-2'?"));
  // With its place in the file.
  Diagnostics diagnostics;
  const Document document = parse_document(
      "cluster: {node_types: {w: {gpu: K80}, s: {}}, nodes: [{name: w, type: w, count: 1}, {name: s, type: s}]}\n"
      "jobs: [{name: j, model: resnet50, training: {mode: parameter_server, servers: 1}}]\n"
      "rendezvous:\n"
      "  job: j\n"
      "  protocol: cluster_spec\n"
      "  cluster: {ps: ['s-0:2222'], worker: ['w-0:2222']}\n"
      "  tasks:\n"
      "    - {task: /job:worker/task:0,\n"
      "       cluster: {ps: ['s-0:2223'], worker: ['w-0:2222']}}\n",
      "spec.yaml", diagnostics);
  check_points(document, diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_THAT(format(diagnostics.sorted().front()),
              HasSubstr("spec.yaml:9:23: error: the ClusterSpec of /job:worker/task:0 differs"));
}

TEST(FoundingRows, D16_AllPairsOfWorkersAndServersAreBusyAndWorkersAreSilentAmongThemselves)
{
  const ScenarioRun run = run_scenario("tf_cluster_spec");
  for (int worker = 0; worker < 3; ++worker)
    for (int server = 0; server < 2; ++server) {
      const std::string w = "worker-" + std::to_string(worker), s = "ps-" + std::to_string(server);
      EXPECT_GT(run.traffic(w, s), 0) << w << " " << s;
      EXPECT_GT(run.traffic(s, w), 0) << w << " " << s;
    }
  EXPECT_EQ(run.traffic("worker-", "worker-"), 0);
  EXPECT_EQ(run.traffic("ps-", "ps-"), 0);
}

TEST(FoundingRows, A11_TheSecondClientFindsTheServersWaitingInJoin)
{
  const ScenarioRun run = run_scenario("tf_cluster_spec");
  ASSERT_EQ(run.results.jobs.size(), 2U);
  EXPECT_DOUBLE_EQ(event_time(run, "second", "training starts"), 7200); // deploy time 0
  // Between the clients three GPUs are reserved and idle.
  const double idle_h = (7200 - run.results.jobs[0].finish.value()) / 3600 * 3;
  const std::string detail = event_detail(run, "waits in join()");
  EXPECT_THAT(detail, HasSubstr("3 GPUs reserved and idle"));
  EXPECT_NEAR(std::stod(detail.substr(detail.rfind(':') + 1)), idle_h, 0.01);
}

TEST(FoundingRows, N6_TheLastRankDecidesAndAMissingOneIsNamedAtTheTimeOut)
{
  const ScenarioRun run = run_scenario("rendezvous");
  ASSERT_FALSE(run.refused()) << run.messages();
  EXPECT_DOUBLE_EQ(event_time(run, "train", "training starts"), 90);

  const ScenarioRun missing = run_scenario("rendezvous", {{"rendezvous.0.tasks", "[{rank: 3, join: never}]"}});
  ASSERT_FALSE(missing.refused()) << missing.messages();
  EXPECT_TRUE(missing.results.jobs.empty());
  EXPECT_DOUBLE_EQ(event_time(missing, "train", "never starts"), 1800); // the default time-out of torch.distributed
  EXPECT_EQ(event_detail(missing, "never starts"), "rank 3 did not join within 30 min: 3 of 4 ranks joined");
  const ScenarioRun sooner = run_scenario("rendezvous", {{"rendezvous.0.time_out", "60 s"}});
  EXPECT_EQ(event_detail(sooner, "never starts"), "rank 3 did not join within 1 min: 3 of 4 ranks joined");
  const ScenarioRun larger = run_scenario("rendezvous", {{"rendezvous.0.world_size", "6"}});
  EXPECT_EQ(event_detail(larger, "never starts"), "rank 4, rank 5 did not join all within 30 min: 4 of 6 ranks joined");

  const ScenarioRun dead = run_scenario("rendezvous", {{"rendezvous.0.master", "down"}});
  EXPECT_TRUE(dead.results.jobs.empty());
  EXPECT_THAT(event_detail(dead, "never starts"), HasSubstr("the master node-0:29500 does not answer: no rank starts"));
  // TensorFlow waits for all nodes too, without end.
  const ScenarioRun tensorflow = run_scenario("tf_cluster_spec", {{"rendezvous.0.tasks.1.join", "never"}});
  EXPECT_EQ(event_detail(tensorflow, "never starts"), "CreateSession waits for /job:worker/task:2 for ever");
}

TEST(FoundingRows, N6_FaultsOfTheRendezvousAreFoundBeforeTheRun)
{
  EXPECT_THAT(run_scenario("rendezvous", {{"rendezvous.0.world_size", "3"}}, false).messages(),
              HasSubstr("more than the world size 3"));
  EXPECT_THAT(run_scenario("rendezvous", {{"rendezvous.0.master_addr", "nod-0"}}, false).messages(),
              HasSubstr("there is no node 'nod-0'; did you mean 'node-0'?"));
  EXPECT_THAT(run_scenario("rendezvous", {{"rendezvous.0.tasks", "[{rank: 7, join: 1 s}]"}}, false).messages(),
              HasSubstr("there is no task 'rank 7'"));
}

TEST(FoundingRows, D17_GpuHasPriorityAnOperationWithoutGpuKernelGoesToTheCpuAndThePinWins)
{
  const Json run = summary_of("tf_placement")["runs"][0];
  std::map<std::string, std::pair<std::string, std::string>> placed;
  for (const Json& operation : run["operations"])
    placed[operation["op"]] = {operation["chosen"], operation["reason"]};
  EXPECT_EQ(placed["product"], std::pair(std::string{"/job:worker/task:0/device:GPU:0"},
                                         std::string{"kernels for both: the GPU has priority"}));
  EXPECT_EQ(placed["image"],
            std::pair(std::string{"/job:worker/task:0/device:CPU:0"}, std::string{"kernel only for the CPU"}));
  EXPECT_EQ(placed["a"], std::pair(std::string{"/job:worker/task:0/device:CPU:0"}, std::string{"pinned by the user"}));
  EXPECT_EQ(placed["sum"],
            std::pair(std::string{"/job:worker/task:0/device:GPU:1"}, std::string{"pinned by the user"}));
  EXPECT_EQ(placed["weights"],
            std::pair(std::string{"/job:ps/task:0/device:CPU:0"}, std::string{"pinned by the user"}));
  EXPECT_EQ(placed["update"], std::pair(std::string{"/job:ps/task:0/device:CPU:0"}, std::string{"beside 'weights'"}));

  const ScenarioRun run_it = run_scenario("tf_placement", {}, false);
  const RunReport report = runner_of(run_it.points.front().scenario)->run(run_it.points, {});
  EXPECT_EQ(report.files.front().name, "placement.csv");                           // op, asked, chosen, reason
  EXPECT_THAT(report.text(), HasSubstr("kernels for both: the GPU has priority")); // log_device_placement
}

TEST(FoundingRows, D17_AnImpossiblePinIsRefusedUnlessPlacementIsSoft)
{
  const auto pinned = [](const std::string& device, const std::string& soft) {
    return run_scenario("tf_placement", {{"graph.operations.4.device", device}, {"graph.allow_soft_placement", soft}},
                        false);
  };
  EXPECT_THAT(pinned("/gpu:3", "false").messages(),
              HasSubstr("operation 'product' cannot be placed: /job:worker/task:0 has no gpu:3"));
  EXPECT_FALSE(pinned("/gpu:3", "true").refused());
  EXPECT_THAT(pinned("/job:wroker/task:0", "false").messages(), HasSubstr("there is no task /job:wroker/task:0"));
  EXPECT_THAT(pinned("/gpuu:3", "false").messages(),
              HasSubstr("'gpuu:3' in device '/gpuu:3' is not a job, task, cpu or gpu"));
  EXPECT_THAT(run_scenario("tf_placement", {{"graph.operations.1.device", "/gpu:0"}}, false).messages(),
              HasSubstr("DecodeJpeg has no GPU kernel; allow_soft_placement would place it elsewhere"));
}

TEST(FoundingRows, D1_AGpuOperationNeverRunsOnANodeWithoutGpu)
{
  // An operation with kernels for both goes to the CPU there, one for the GPU alone is refused.
  const ScenarioRun both = run_scenario("tf_placement", {{"graph.operations.4.device", "/job:ps/task:0"}}, false);
  ASSERT_FALSE(both.refused()) << both.messages();
  EXPECT_THAT(
      run_scenario("tf_placement",
                   {{"graph.operations.4.type", "NcclAllReduce"}, {"graph.operations.4.device", "/job:ps/task:0"}},
                   false)
          .messages(),
      HasSubstr("NcclAllReduce needs a GPU, /job:ps/task:0 has none"));
  EXPECT_TRUE(run_scenario("tf_placement", {{"graph.operations.4.device", "/job:ps/task:0/gpu:0"}}, false).refused());
}

TEST(FoundingRows, A23_AProgramOfTinyOperationsWaitsForMessages)
{
  const Json runs = summary_of("tf_linear_regression")["runs"];
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0]["runs"], 1010);
  const double base = runs[0]["total_s"];
  EXPECT_NEAR(runs[1]["total_s"].get<double>() / base, 2, 0.1);  // double latency: double time
  EXPECT_NEAR(runs[2]["total_s"].get<double>() / base, 1, 0.01); // ten times the bandwidth: nothing
  EXPECT_GT(runs[0]["gpu_idle"], 0.99);
}

TEST(FoundingRows, A21_ContainersOnOneMachineSendNothingOverItsNetworkCard)
{
  const ScenarioRun run = run_scenario("alibaba_local");
  ASSERT_FALSE(run.refused()) << run.messages();
  ASSERT_FALSE(run.results.traffic.empty());
  EXPECT_EQ(run.over_network(), 0);
  EXPECT_EQ(run.results.jobs.front().bytes_per_step.value(), 0);
  EXPECT_FALSE(run.results.links.empty());
  for (const LinkRow& link : run.results.links)
    EXPECT_NE(link.kind, "ethernet") << link.label;
}

std::map<std::string, std::map<std::string, Json>> gpu_processes(const tests::Settings_& settings = {})
{
  std::map<std::string, std::map<std::string, Json>> found; // by variant and process
  const Json summary = summary_of("tf_gpu_memory", settings);
  for (const Json& process : summary["processes"])
    found[process["point"]][process["process"]] = process;
  return found;
}

TEST(FoundingRows, D18_AProcessTakes95PercentOfEveryGpuItSeesAndASecondFailsAtItsStart)
{
  auto runs = gpu_processes();
  const double memory = 11443.0 * 1048576; // of an M40
  EXPECT_EQ(runs["default"]["first"]["outcome"], "runs");
  EXPECT_NEAR(runs["default"]["first"]["most_held_B"], 0.95 * memory, 1);
  EXPECT_NEAR(runs["default"]["first"]["most_held_B"].get<double>() / 1048576, 10874,
              0.001 * 10874); // A15: the published 10,874 MiB
  EXPECT_EQ(runs["default"]["second"]["outcome"], "fails at its start");
  EXPECT_DOUBLE_EQ(runs["default"]["second"]["failed_s"], 10);
  EXPECT_THAT(runs["default"]["second"]["reason"].get<std::string>(), HasSubstr("'first' holds"));
  // CUDA_VISIBLE_DEVICES: hidden GPUs stay untouched, both run.
  EXPECT_EQ(runs["one GPU each"]["first"]["outcome"], "runs");
  EXPECT_EQ(runs["one GPU each"]["second"]["outcome"], "runs");
  const std::vector<Bytes> gpus{Bytes{memory}, Bytes{memory}};
  const auto timeline = share_memory(gpus, {{.name = "p", .visible = {1}}}).timeline;
  EXPECT_FALSE(timeline.empty());
  for (const MemoryHeld& held : timeline)
    EXPECT_EQ(held.gpu, 1);
}

TEST(FoundingRows, D19_GrowingProcessesFitWhenTheirPeaksAreApartAndTheLaterFailsWhenTheyMeet)
{
  auto runs = gpu_processes();
  EXPECT_EQ(runs["allow_growth, peaks apart"]["first"]["outcome"], "runs");
  EXPECT_EQ(runs["allow_growth, peaks apart"]["second"]["outcome"], "runs");
  EXPECT_EQ(runs["allow_growth, peaks together"]["first"]["outcome"], "runs");
  EXPECT_EQ(runs["allow_growth, peaks together"]["second"]["outcome"], "out of memory");
  EXPECT_DOUBLE_EQ(runs["allow_growth, peaks together"]["second"]["failed_s"], 90); // at that time
  // The row holds for frameworks that give memory back. TensorFlow 1 itself does not ("we do not release memory, since
  // that can lead to even worse memory fragmentation", its guide "Using GPUs"): there the second job fails even though
  // the peaks are apart.
  EXPECT_EQ(runs["allow_growth, peaks apart, memory kept (TensorFlow 1)"]["second"]["outcome"], "out of memory");
  EXPECT_DOUBLE_EQ(runs["allow_growth, peaks apart, memory kept (TensorFlow 1)"]["second"]["failed_s"], 180);
  // Fragmentation lowers what fits: 8 + 3 GB of 12 GB fit, with a tenth unusable 12.2 GB do not.
  auto fragmented = gpu_processes({{"gpu_memory.fragmentation", "0.1"}});
  EXPECT_EQ(fragmented["allow_growth, peaks apart"]["first"]["outcome"], "out of memory");
}

TEST(FoundingRows, D20_TwoProcessesOfHalfAGpuFitAndTheThirdIsRefused)
{
  auto runs = gpu_processes();
  EXPECT_EQ(runs["fraction 0.5"]["first"]["outcome"], "runs");
  EXPECT_EQ(runs["fraction 0.5"]["second"]["outcome"], "runs");
  EXPECT_EQ(runs["fraction 0.5"]["third"]["outcome"], "fails at its start");
  EXPECT_DOUBLE_EQ(runs["fraction 0.5"]["third"]["failed_s"], 20);
}

} // namespace
} // namespace trainyard
