// SPDX-License-Identifier: Apache-2.0
/// Rows A1, A2, A11 to A28 of the founding documents: the container service and the articles around it. Expected values
/// by hand.
#include "models/core/csv.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/prepared.hpp"
#include "tests/founding/founding_run.hpp"
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <unistd.h>

namespace trainyard::tests {
namespace {

using ::testing::HasSubstr;

TEST(FoundingRows, A1_NotebooksReserveGpuHoursTheyHardlyUse)
{
  const FoundingRun run = founding_run("interactive_tenants");
  // Held from the first second to the last (10 h); 10 % and 5 % of it used.
  const ServiceOutcome& ann = run.service("notebook-ann");
  EXPECT_NEAR(gpu_seconds(ann.held.gpu), 36000, 0.1);
  EXPECT_NEAR(gpu_seconds(ann.parts.useful_gpu.gpu) * run.spec("notebook-ann").used_share, 3600, 1);
  // Six jobs of 2 h on the two GPUs that are left: three rounds, 5 s to start each.
  EXPECT_NEAR(run.finished("batch"), 3 * (7200 + 5), 1);
}

// 80, 230, 420, 80 requests/s at 50 per replica: 2, 5, 9, 2 replicas, 30 s after the rate (scale_delay) and 5 s to
// start.
TEST(FoundingRows, A2_ServingFollowsItsRequestsTrainingGetsTheRestAnUpdateNeverDropsBelowRMinusP)
{
  const FoundingRun run = founding_run("serving_and_training");
  for (const auto& [hour, replicas] : {std::pair{0.5, 2}, {1.5, 5}, {2.5, 9}, {3.5, 2}}) {
    EXPECT_EQ(run.running_at("serve", hour * 3600 - 900), replicas) << hour;
    EXPECT_EQ(run.running_at("train", hour * 3600 - 900), std::min(10, 12 - replicas)) << hour;
  }
  // The update at 90 min replaces 5 replicas one at a time.
  EXPECT_EQ(run.least_running("serve", 5400, 5600), 4);
  EXPECT_EQ(run.running_at("serve", 5600), 5);
}

// M/M/1 with rate 0.5 and capacity 1: the response time is exponential with mean 2, its 95th percentile 2 ln 20 = 5.991
// s. M/M/2 with rate 1 and capacity 1: Erlang's C is 1/3, mean 1 + (1/3)/(2 - 1) = 4/3 s.
TEST(FoundingRows, A2_ResponseTimesAreThoseOfTheMultiServerQueue)
{
  EXPECT_NEAR(orchestration::response_time(0.5, 1, 1).mean.value(), 2, 1e-9);
  EXPECT_NEAR(orchestration::response_time(0.5, 1, 1).p95.value(), 2 * std::log(20.0), 1e-6);
  EXPECT_NEAR(orchestration::response_time(1, 1, 2).mean.value(), 4.0 / 3, 1e-9);
  EXPECT_TRUE(std::isinf(orchestration::response_time(2, 1, 2).p95.value()))
      << "as many requests as capacity: the queue grows";
}

// Two nodes pull 1.2 GB each at 100 MB/s together: 24 s; 3 s to start. Client 0 works 27 s to 1,827 s, client 1 7,200 s
// to 9,900 s.
TEST(FoundingRows, A11_TheSecondClientOfWaitingServersStartsAtOnceIdleReservedGpuTimeIsCounted)
{
  const FoundingRun run = founding_run("tf_waiting_servers");
  const ServiceOutcome& cluster = run.service("cluster");
  ASSERT_EQ(cluster.clients.size(), 2U);
  EXPECT_EQ(cluster.clients[0].first, Seconds{27});
  EXPECT_EQ(cluster.clients[0].second, Seconds{1827});
  EXPECT_EQ(cluster.clients[1].first, Seconds{7200}) << "deploy time 0";
  EXPECT_EQ(cluster.clients[1].second, Seconds{9900});
  EXPECT_NEAR(gpu_seconds(cluster.parts.idle_gpu.gpu), 4 * (7200 - 1827), 1e-6);
}

TEST(FoundingRows, A12_ABridgeCostsCommunicationTwoTasksOnOneHostPortAreAnError)
{
  // A byte takes a core 2 ns with gRPC, and 70 / 1,448 ns more over the bridge, 259 / 1,398 ns over the overlay: no
  // step gets longer by more than these shares and some latency.
  const auto runs = founding_runs("tf_host_network");
  const auto time = [&](std::size_t run) { return runs[run].service("train").finished.value() - 1; };
  EXPECT_GT(time(1), 1.002 * time(0));
  EXPECT_LT(time(1), (1.001 + 70.0 / 1448 / 2) * time(0));
  EXPECT_GT(time(2), 1.01 * time(0));
  EXPECT_LT(time(2), (1.001 + 259.0 / 1398 / 2) * time(0));
  EXPECT_THAT(
      said_about("tf_host_network", {{"services.0.tasks.1.constraints", "[node == node-0]"}}),
      HasSubstr("2 tasks need port 2222 of their host (service 'train'), but only 1 node can have one each: node-0"));
}

TEST(FoundingRows, A13_EqualParametersGiveEqualBytesWhateverTheNameAndNoneNeverRecovers)
{
  const auto runs = founding_runs("orchestrators_same");
  ASSERT_EQ(runs.size(), 7U);
  const std::string first = all_files(runs[0]);
  for (const FoundingRun& run : runs)
    EXPECT_EQ(all_files(run), first) << run.label;
  EXPECT_FALSE(runs[0].service("train").failed);

  const auto own = founding_run("orchestrators_same",
                                {{"orchestrator", "{name: none}"}, {"sweep", "{grid: {orchestrator.name: [none]}}"}});
  EXPECT_TRUE(own.service("train").failed) << "with its own parameters `none` never recovers";
  EXPECT_EQ(own.result.faults[0].recovered, Instant{-1});
}

// The three listings together: containers start in 1 s, the client comes after 5 min and fits a line in 1,010 calls.
TEST(FoundingRows, A11_TheClientOfTheListingsRunsItsGraphOnServersThatWait)
{
  const FoundingRun run = founding_run("first_day/linear");
  const ServiceOutcome& servers = run.service("tf");
  EXPECT_EQ(servers.first_running.value(), 1);
  ASSERT_EQ(servers.clients.size(), 1U);
  EXPECT_EQ(servers.clients[0].first.value(), 300);
  const std::optional<StepThere> call = run.input.last_step(run.service_index("tf"));
  ASSERT_TRUE(call);
  EXPECT_NEAR((servers.clients[0].second - servers.clients[0].first).value(), 1010 * call->time.value(), 1e-6);
  EXPECT_EQ(servers.parts.idle.value(), 299);
}

TEST(FoundingRows, A14_TwoGpusAreAskedForInAllAndTheParameterServerFitsANodeWithoutGpu)
{
  const FoundingRun run = founding_run("alibaba_two_m40", {{"services.0.tasks.1.constraints", "[group == plain]"}});
  int gpus = 0;
  for (const TaskGroupSpec& group : run.spec("tf").groups)
    gpus += group.gpus * group.replicas;
  EXPECT_EQ(gpus, 2);
  EXPECT_EQ(run.node(run.instances("tf/ps-0")[0]), "plain-0");
  EXPECT_EQ(run.running_at("tf", 100), 3);
}

/// What `simrun` makes of the scenario: its text, summary and files.
RunReport reported(const std::string& scenario, const Changes& changes = {})
{
  const Document document = founding_document(scenario, changes);
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return runner_of(points.front().scenario)->run(points, {});
}

std::string file_of(const RunReport& report, const std::string& name)
{
  const std::filesystem::path path = std::filesystem::path{::testing::TempDir()} / (std::to_string(::getpid()) + name);
  for (const RunFile& file : report.files)
    if (file.name == name)
      file.write(path);
  const std::string text = read_text_file(path, 1U << 24U);
  std::filesystem::remove(path);
  return text;
}

// nvidia-smi in the article: 10,874 of 11,443 MiB, 61 to 62 W of 250 W with an idle process; bus numbers 06:00 and
// 87:00.
TEST(FoundingRows, A15_AProcessReserves95PercentOfTheM40sMemoryAndAnIdleGpuDraws61W)
{
  const RunReport report = reported("alibaba_two_m40");
  const CsvTable gpus = parse_csv(file_of(report, "gpus.csv"), "gpus.csv");
  int used = 0, idle = 0;
  for (const CsvTable::Row& row : gpus.rows) {
    const auto number = [&](const char* column) { return std::stod(gpus.cell(row, column)); };
    if (gpus.cell(row, "type") != "M40")
      continue;
    EXPECT_NEAR(number("memory_MiB"), 11443, 0.5);
    if (gpus.cell(row, "owner_at_end").empty()) {
      ++idle;
      EXPECT_EQ(gpus.cell(row, "mean_power_W"), "61");
    } else {
      ++used;
      EXPECT_NEAR(number("reserved_MiB"), 10874, 10.874) << "within 0.1 %";
      // Between 61 and 250 W by the share of time in which kernels run: VGG-16 on M40 waits for gRPC most of a step.
      EXPECT_NEAR(number("mean_power_W"), 61 + 189 * number("used_s") / 3600, 0.01);
      EXPECT_GT(number("used_s"), 0.1 * 3600);
      EXPECT_LT(number("used_s"), 0.4 * 3600);
    }
  }
  EXPECT_EQ(used, 2);
  EXPECT_EQ(idle, 4);
}

TEST(FoundingRows, A15_ThatTheTwoGpusHangOnDifferentPcieRootsIsAssumedAndReported)
{
  const RunReport report = reported("alibaba_two_m40");
  const char* assumed = "assumed: the 2 GPUs of each 'hpc' are below 2 different PCIe roots (intra: pcie_tree)";
  EXPECT_THAT(report.text(), HasSubstr(assumed));
  EXPECT_THAT(report.summary.dump(), HasSubstr(assumed));
  // Behind one switch they share a root, and that is what the run says then.
  const RunReport shared = reported("alibaba_two_m40", {{"cluster.node_types.hpc.intra", "pcie_switch"}});
  EXPECT_THAT(shared.text(),
              HasSubstr("assumed: the 2 GPUs of each 'hpc' are below one PCIe root (intra: pcie_switch)"));
}

TEST(FoundingRows, D22_EachGpuHasItsUseMemoryPowerTemperatureAndOwner)
{
  const std::string text = file_of(reported("alibaba_two_m40"), "gpus.csv");
  EXPECT_THAT(text, HasSubstr("owner_at_end"));
  EXPECT_THAT(text, HasSubstr("assumed_temperature_C"));
  EXPECT_THAT(text, HasSubstr(",hpc-1,0,M40,tf/worker-0,3600,1,"));
  EXPECT_THAT(text, HasSubstr(",10870.9,")) << "0.95 of 11,443 MiB";
  // hpc-0 is idle: 61 W for an hour.
  EXPECT_THAT(text, HasSubstr(",hpc-0,0,M40,,0,0,0,61,0.061,11443,0,"));
}

TEST(FoundingRows, A16_PackedBesideTheirServerWorkersSendNothingOverTheNicSpreadTwicePerStepAndWorker)
{
  // Bytes that leave each machine in a step of the job, where its tasks are.
  const auto sent = [](const FoundingRun& run) {
    const Catalogue catalogue = load_catalogue(data_folder());
    Diagnostics diagnostics;
    const std::unique_ptr<PreparedScenario> prepared = prepare(
        check_points(founding_document("alibaba_two_m40"), diagnostics).front().scenario, catalogue, diagnostics);
    const Cluster& cluster = prepared->cluster;
    Placement placement;
    for (const char* name : {"tf/worker-0", "tf/worker-1"}) {
      const InstanceRecord one = run.instances(name)[0];
      placement.workers.push_back(
          cluster.node(NodeId{one.node}).gpus[static_cast<std::size_t>(std::countr_zero(one.gpu_mask))]);
    }
    placement.servers = {cluster.node(NodeId{run.instances("tf/ps-0")[0].node}).host};
    const auto placed = place(*prepared, prepared->jobs.front(), placement, catalogue, diagnostics);
    diagnostics.throw_if_errors();
    std::map<std::string, double> bytes;
    const auto node = [&](VertexId vertex) { return cluster.node(cluster.vertex(vertex).node).name; };
    for (const Operation& operation : prepared->jobs.front().mode->program(*placed->context, 0, 1).operations)
      if (const auto* transfer = std::get_if<Transfer>(&operation.work); transfer != nullptr)
        if (node(transfer->from) != node(transfer->to))
          bytes[node(transfer->from)] += transfer->bytes.value();
    return bytes;
  };
  const FoundingRun packed = founding_run("alibaba_two_m40");
  EXPECT_EQ(packed.node(packed.instances("tf/worker-0")[0]), packed.node(packed.instances("tf/worker-1")[0]));
  EXPECT_TRUE(sent(packed).empty());
  // Each container owns one GPU.
  EXPECT_EQ(packed.instances("tf/worker-0")[0].gpu_mask & packed.instances("tf/worker-1")[0].gpu_mask, 0U);

  const FoundingRun spread = founding_run("alibaba_two_m40", {{"orchestrator.placement", "spread"},
                                                              {"services.0.tasks.0.constraints", "[group == hpc]"},
                                                              {"services.0.tasks.0.most_per_node", "1"},
                                                              {"services.0.tasks.1.constraints", "[group == plain]"}});
  // VGG-16: 138,357,544 parameters of 4 bytes. A worker sends its gradient and gets the variables; the server does the
  // reverse for both.
  const double s = 138357544.0 * 4;
  double workers = 0, server = 0;
  for (const auto& [node, bytes] : sent(spread))
    (node == "plain-0" ? server : workers) += bytes;
  EXPECT_NEAR(workers, 2 * s, 0.02 * s);
  EXPECT_NEAR(server, 2 * s, 0.02 * s);
}

TEST(FoundingRows, A17_TheHostsGpuBecomesNumberZeroInEachContainer)
{
  const FoundingRun run = founding_run("alibaba_two_m40");
  EXPECT_EQ(run.instances("tf/worker-0")[0].gpu_mask, 1U);
  EXPECT_EQ(run.instances("tf/worker-1")[0].gpu_mask, 2U);
  const std::string files = all_files(run);
  EXPECT_THAT(files, HasSubstr(",tf/worker-0,tf,hpc-1,0,,0,1,")); // host_gpu 0, no name, container_gpu 0
  EXPECT_THAT(files, HasSubstr(",tf/worker-1,tf,hpc-1,1,,0,1,")); // host_gpu 1, container_gpu 0
  // Host GPU 0 is not to be had: the only worker that fits gets host GPU 1 as its number 0.
  const FoundingRun taken = founding_run("alibaba_two_m40", {{"faults", "[\"gpu:hpc-1/0@0s\"]"}});
  EXPECT_THAT(all_files(taken), HasSubstr(",tf/worker-0,tf,hpc-1,1,,0,1,"));
}

TEST(FoundingRows, A18_WithTheReschedulePolicyAllThreeReappearOnAnotherHostElseTheyWaitOrAreGone)
{
  const Changes fails = {{"faults", "[\"node:hpc-1@600s\"]"}};
  const FoundingRun run = founding_run("alibaba_two_m40", fails);
  for (const char* task : {"tf/worker-0", "tf/worker-1", "tf/ps-0"}) {
    const auto instances = run.instances(task); // the name stays, so the ClusterSpec stays valid
    ASSERT_EQ(instances.size(), 2U) << task;
    EXPECT_EQ(run.node(instances[1]), "hpc-2");
    EXPECT_EQ(instances[1].placed, Seconds{600 + 90}) << "three failed refreshes of 30 s";
  }
  Changes nowhere = fails;
  nowhere.emplace_back("services.0.tasks.0.constraints", "[node == hpc-1]");
  nowhere.emplace_back("services.0.tasks.1.constraints", "[node == hpc-1]");
  const FoundingRun waits = founding_run("alibaba_two_m40", nowhere);
  EXPECT_EQ(waits.phase("tf/worker-0"), TaskPhase::waiting);
  EXPECT_THAT(waits.reason("tf/worker-0", TaskPhase::waiting), HasSubstr("1 down"));
  Changes without = fails;
  without.emplace_back("services.0.reschedule", "false");
  const FoundingRun gone = founding_run("alibaba_two_m40", without);
  EXPECT_EQ(gone.phase("tf/worker-0"), TaskPhase::gone);
  EXPECT_THAT(gone.reason("tf/worker-0", TaskPhase::gone), HasSubstr("no reschedule policy"));
}

TEST(FoundingRows, A19_RestartAlwaysMeansAfterACrashAndAfterANormalEndInPlace)
{
  const FoundingRun run = founding_run("alibaba_restart");
  const auto crashed = run.instances("worker-1-0");
  ASSERT_GE(crashed.size(), 2U);
  EXPECT_EQ(crashed[0].reason, EndReason::crashed);
  EXPECT_EQ(crashed[1].running, Seconds{200 + 0.1 + 1}) << "Docker waits 100 ms";
  // Ends normally every 600 s of work and is started again: 3,600 s hold five whole rounds of 601 s.
  EXPECT_EQ(run.service("worker-0").restarts, 5);
  EXPECT_EQ(run.running_at("worker-0", 3600), 1);
  for (const InstanceRecord& one : run.result.instances)
    EXPECT_EQ(run.node(one), "laptop-0");
}

TEST(FoundingRows, A20_EachNameOfTheClusterSpecMustExistOnce)
{
  EXPECT_EQ(said_about("alibaba_restart"), "");
  const std::string missing = said_about("alibaba_restart", {{"services.1.names", "[tf-worker9]"}});
  EXPECT_THAT(missing, HasSubstr("the ClusterSpec names 'tf-worker1', but no container has this name; did you mean"));
  EXPECT_THAT(missing, HasSubstr("alibaba_restart.yaml:")) << "file and line";
  EXPECT_THAT(said_about("alibaba_restart", {{"services.1.names", "[tf-worker0]"}}),
              HasSubstr("two containers have the name 'tf-worker0'"));
}

// The article's containers open 2222 (TensorFlow), 6006 (TensorBoard) and 8888 (the notebook).
TEST(FoundingRows, A20_Ports6006And8888AreListedAsIgnored)
{
  const ImportResult result = import_texts({{"compose.yml", R"(version: '2'
services:
  worker-0:
    container_name: tf-worker0
    command: --cluster_spec=worker|tf-worker0:2222,ps|tf-ps0:2222 --job_name=worker
    ports: ['2222', '6006']
    expose: [8888]
  ps-0:
    container_name: tf-ps0
    command: --cluster_spec=worker|tf-worker0:2222,ps|tf-ps0:2222 --job_name=ps
    ports: ['2222']
)"}});
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "port 6006 inside the containers' network")),
              ::testing::ElementsAre(6));
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "port 8888 inside the containers' network")),
              ::testing::ElementsAre(7));
  EXPECT_EQ(find_entry(result.report.ignored(), "port 2222"), nullptr) << "the tasks find each other there";
  EXPECT_NE(find_entry(result.report.understood(), "port 2222"), nullptr);
}

// Two nodes pull 1.5 GB each over 100 Mbit/s together: 3 GB / 12.5 MB/s = 240 s; over the mirror's 1 Gbit/s 24 s. 1 s
// to start.
TEST(FoundingRows, A22_TheFirstStartOnANodePullsTheImageTheSecondDoesNotAMirrorChangesOnlyThePull)
{
  const auto runs = founding_runs("image_pull");
  const double pulls[] = {240, 24};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* task : {"first-0", "first-1"}) {
      const InstanceRecord one = runs[i].instances(task)[0];
      EXPECT_EQ((one.pulled - one.placed).value(), pulls[i]);
      EXPECT_EQ((one.running - one.pulled).value(), 1);
      EXPECT_EQ((one.ended - one.running).value(), 600);
    }
    const InstanceRecord second = runs[i].instances("second-0")[0];
    EXPECT_EQ(second.pulled, second.placed);
    EXPECT_EQ(runs[i].finished("second"), 3600 + 1 + 600);
    EXPECT_NEAR(gpu_seconds(runs[i].service("first").starting.gpu), 2 * (pulls[i] + 1), 1e-9)
        << "its own segment of the account";
  }
}

TEST(FoundingRows, A24_AnEndedBatchContainerKeepsItsRecordAndDiskNotItsGpuAndMemory)
{
  const FoundingRun run = founding_run("alibaba_batch_client");
  const auto linear = run.instances("linear-0");
  ASSERT_EQ(linear.size(), 1U);
  EXPECT_EQ(linear[0].reason, EndReason::finished);
  EXPECT_EQ(run.phase("linear-0"), TaskPhase::finished);
  EXPECT_EQ(run.instances("next-0")[0].placed, linear[0].ended) << "GPU and memory are free";
  EXPECT_EQ(run.result.disk_left[0], 2 * 300e6);
  const FoundingRun removed = founding_run("alibaba_batch_client", {{"services.0.remove_containers", "true"}});
  EXPECT_EQ(removed.result.disk_left[0], 300e6);
}

// From 10 s on; at 1,500 s 1,490 s are done and 1,200 s saved. All start again: 10 s, 20 s to load, then 1.5 times as
// fast.
TEST(FoundingRows, A25_OneMoreWorkerMeansARestartOfAllAndTheWorkSinceTheCheckpoint)
{
  const FoundingRun run = founding_run("static_membership");
  EXPECT_EQ(run.service("train").parts.lost, Seconds{290});
  EXPECT_EQ(run.service("train").finished, Seconds{1500 + 10 + 20 + (7200 - 1200) / 1.5});
  EXPECT_EQ(run.instances("train/worker-0").size(), 2U);
  EXPECT_EQ(run.instances("train/ps-0").size(), 2U);
}

// Each reads 400 MB/s at full speed; the storage gives 1 GB/s: one or two readers are fed, four get 250 MB/s each.
TEST(FoundingRows, A26_ReadersShareTheStorageAndAJobThatWaitsForInputSaysSo)
{
  const auto runs = founding_runs("shared_storage");
  EXPECT_EQ(runs[0].finished("train"), 3600);
  EXPECT_EQ(runs[1].finished("train"), 3600);
  EXPECT_NEAR(runs[2].finished("train"), 3600 * 400.0 / 250, 1e-3);
  orchestration::Runs report(1);
  report[0].input = runs[2].input;
  report[0].result = runs[2].result;
  EXPECT_THAT(orchestration::conclusions(report).front().text,
              HasSubstr("train waits 38 % of its time for input from the shared storage"));
}

// Images are there: 3 s from placement to running. 4 workers to 3,600 s, 8 from 3,603 s on: 3 h of work take 3,600 s at
// 1 and 3,600 s at 2.
TEST(FoundingRows, A27_CachedImagesStartInSecondsThroughputFollowsTheWorkersImbalanceIsReported)
{
  const FoundingRun run = founding_run("elastic_workers");
  for (const InstanceRecord& one : run.result.instances)
    EXPECT_EQ((one.running - one.placed).value(), 3);
  EXPECT_EQ(run.running_at("train", 3602), 4);
  EXPECT_EQ(run.running_at("train", 3604), 8);
  EXPECT_NEAR(run.finished("train"), 3 + 3600 + 3600, 0.5);
  // Pack: four GPUs of node-0 for 2 h, four of node-1 for 1 h, node-2 unused: 8 GPU-h over a mean of 4.
  orchestration::PointRun point;
  point.input = run.input;
  point.result = run.result;
  EXPECT_NEAR(orchestration::imbalance(point), 2, 0.01);
}

// Half of node-0's NIC is taken, node-1 computes 1.25 times as long; communication is a fifth of a step.
TEST(FoundingRows, A28_ConstantLoadsSlowOnlyTheNodesTheyAreOn)
{
  const FoundingRun run = founding_run("cotenants");
  EXPECT_EQ(run.finished("train-0"), 3600) << "on node-0, but nothing of it crosses the NIC";
  EXPECT_NEAR(run.finished("train-1"), 3600 * (0.8 * 1.25 + 0.2), 1e-3);
  EXPECT_EQ(run.finished("train-2"), 3600);
  EXPECT_NEAR(run.finished("across"), 3600 * (0.8 + 0.2 / 0.5), 1e-3);
}

} // namespace
} // namespace trainyard::tests
