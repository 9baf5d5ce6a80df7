// SPDX-License-Identifier: Apache-2.0
/// Services that train a job: what their containers hold, how fast they step, and who gives them their work.
#include "models/core/csv.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/support/checked_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

/// Two workers with a GPU each and a server on one machine with two M40; a step takes 1 s of computing.
std::string servers(const std::string& training, const std::string& more)
{
  return R"(cluster:
  node_types: {box: {gpu: M40, gpus: 2}}
  nodes: [{name: box, type: box, count: 1}]
jobs:
  - {name: tf, model: resnet50, batch_per_gpu: 32, workers: 2, steps: 100, single_gpu_step: 1 s, training: {)" +
         training + R"(, servers: 1, worker_processes: gpu}}
orchestrator: {name: container_service}
services:
  - name: tf
    kind: training
    job: tf
    tasks: [{role: ps, replicas: 1}, {role: worker, replicas: 2, resources: {gpus: 1}}]
)" + more;
}

RunReport report_of(const std::string& text)
{
  const std::vector<CheckedPoint> points = tests::checked_points(text, "test.yaml");
  return runner_of(points.front().scenario)->run(points, {});
}

CsvTable written(const RunReport& report, const std::string& name)
{
  const std::filesystem::path path = std::filesystem::path{::testing::TempDir()} / (std::to_string(::getpid()) + name);
  for (const RunFile& file : report.files)
    if (file.name == name)
      file.write(path);
  const std::string text = read_text_file(path, 1U << 24U);
  std::filesystem::remove(path);
  return parse_csv(text, name);
}

double throughput(const std::string& text)
{
  return report_of(text).summary["points"][0]["services"][0]["samples_per_second"].get<double>();
}

std::string changed(std::string text, const std::string& from, const std::string& to)
{
  return text.replace(text.find(from), from.size(), to);
}

// A container is a process with connections of its own, unless the scenario says otherwise.
TEST(TrainingServices, EachContainerIsAProcess)
{
  const std::string own = servers("mode: parameter_server", "run: {until: 1 min}\n");
  const std::string silent = changed(own, ", worker_processes: gpu", "");
  EXPECT_NEAR(throughput(silent), throughput(own), 1e-9);
  const std::string one = changed(own, "worker_processes: gpu", "worker_processes: machine");
  EXPECT_LT(throughput(one), 0.99 * throughput(own));
  // Both GPUs in one container: one process.
  const std::string both = changed(silent, "replicas: 2, resources: {gpus: 1}", "replicas: 1, resources: {gpus: 2}");
  EXPECT_NEAR(throughput(both), throughput(one), 1e-9);
}

// What the service says its network costs counts instead of the containers' network, also beside `job`.
TEST(TrainingServices, AnOwnNetworkCostCountsInsteadOfTheContainersNetwork)
{
  const std::string host = servers("mode: parameter_server", "run: {until: 1 min}\n");
  const std::string apart = changed(changed(host, "count: 1", "count: 2"), "role: ps, replicas: 1",
                                    "role: ps, replicas: 1, constraints: [node == box-1]");
  const std::string overlay = changed(apart, "jobs:", "  network: {containers: overlay}\njobs:");
  EXPECT_LT(throughput(overlay), 0.999 * throughput(apart));
  const std::string told = changed(overlay, "    kind: training\n", "    kind: training\n    network_cost: 0\n");
  EXPECT_NEAR(throughput(told), throughput(apart), 1e-9);
  EXPECT_LT(throughput(changed(told, "network_cost: 0", "network_cost: 1")), throughput(overlay));
}

// gRPC between servers and workers: 259 ns of a core for 1,398 B beside the 2 ns of a byte, in a quarter of the time.
TEST(TrainingServices, WithoutAJobTheContainersNetworkCostsItsShareOfTheCommunication)
{
  const RunReport report = report_of(R"(cluster:
  node_types: {box: {gpu: M40, gpus: 1}}
  nodes: [{name: box, type: box, count: 3}]
  network: {link: 10GbE, containers: overlay}
orchestrator: {name: container_service}
services:
  - name: tf
    kind: training
    work: 1 h
    communication_share: 0.25
    tasks: [{role: ps, replicas: 1}, {role: worker, replicas: 2, resources: {gpus: 1}}]
)");
  EXPECT_NEAR(report.summary["points"][0]["services"][0]["finished_s"].get<double>() - 1,
              3600 * (1 + 0.25 * 259 / 1398 / 2), 1e-3);
}

// Kernels of 1 s run in a step of `step_s`: an M40 draws 61 W idle and 250 W at work; before the containers run, 1 s,
// it is idle.
TEST(TrainingServices, GpusAreAsBusyAsTheKernelsOfAStep)
{
  const RunReport report = report_of(servers("mode: parameter_server", "run: {until: 1 min}\n"));
  const double busy = 1 / report.summary["points"][0]["services"][0]["step_s"].get<double>();
  const CsvTable series = written(report, "gpu_series.csv"), whole = written(report, "gpus.csv");
  ASSERT_EQ(series.rows.size(), 4U); // two GPUs, starting and at work
  const auto number = [](const CsvTable& table, std::size_t row, const char* column) {
    return std::stod(table.cell(table.rows[row], column));
  };
  EXPECT_EQ(number(series, 0, "to_s"), 1);
  EXPECT_EQ(number(series, 0, "memory_used_MiB"), 0);
  EXPECT_NEAR(number(series, 1, "kernel_share"), busy, 0.01 * busy);
  EXPECT_NEAR(number(series, 1, "power_W"), 61 + busy * 189, 0.01 * 250);
  EXPECT_NEAR(number(series, 1, "memory_used_MiB"), 10870.9, 0.1);
  EXPECT_NEAR(number(whole, 0, "energy_kWh"), (61 * 60 + 59 * number(series, 1, "kernel_share") * 189) / 3.6e6, 1e-8);
}

// A process that reserves half of GPU 0 until 20 s leaves 5,722 MiB, a container takes 10,871: it ends at its start
// until then, and starts again.
TEST(TrainingServices, ContainersComeToWhatOtherProcessesLeaveOfTheGpus)
{
  const std::string until = "run: {until: 2 min}\n";
  const std::string other = until +
                            "gpu_memory: {processes: [{name: notebook, policy: fraction, fraction: 0.5, visible: "
                            "[0], end: 20 s}]}\n";
  const auto running = [](const RunReport& report) {
    return report.summary["points"][0]["services"][0]["first_running_s"].get<double>();
  };
  EXPECT_EQ(running(report_of(servers("mode: parameter_server", "    restart: always\n" + until))), 1);
  const RunReport report = report_of(servers("mode: parameter_server", "    restart: always\n" + other));
  const CsvTable series = written(report, "gpu_series.csv");
  EXPECT_EQ(series.cell(series.rows[0], "tasks").substr(0, 8), "notebook");
  const CsvTable events = written(report, "events.csv");
  EXPECT_THAT(events.cell(events.rows[0], "event"), HasSubstr("placed on"));
  EXPECT_GE(report.summary["points"][0]["services"][0]["restarts"].get<int>(), 1);
  EXPECT_GT(report.summary["points"][0]["services"][0]["samples_per_second"].get<double>(), 0);
}

// 0.95 of the 11,443 MiB of an M40 (catalogue) are 10,871 MiB.
TEST(TrainingServices, SayWhichContainerHoldsWhatAndHowFastTheyStep)
{
  const RunReport report = report_of(servers("mode: parameter_server", "run: {until: 1 min}\n"));
  EXPECT_THAT(report.text(), HasSubstr("tf/worker-1 holds GPU 1 of box-0 and 10,871 MiB of its 11,443 MiB"));
  EXPECT_THAT(report.text(), HasSubstr("a step of tf takes "));
  EXPECT_THAT(report.text(), HasSubstr("; bottleneck: "));
  const Json& service = report.summary["points"][0]["services"][0];
  EXPECT_GT(service["step_s"].get<double>(), 1.0);
  EXPECT_NEAR(service["samples_per_second"].get<double>(), 64 / service["step_s"].get<double>(), 0.01);
}

TEST(TrainingServices, AProcessThatGrowsHoldsWhatItNeeds)
{
  std::string text = servers("mode: parameter_server", "run: {until: 1 min}\n");
  text.replace(text.find("workers: 2,"), 11, "workers: 2, memory_policy: allow_growth,");
  EXPECT_THAT(report_of(text).text(), Not(HasSubstr("10,871 MiB")));
}

// The job's 100 steps are the client's work, given at 10 s; the servers hold their GPUs to the end.
TEST(TrainingServices, AClientWithoutWorkOfItsOwnGivesTheStepsOfTheJob)
{
  const RunReport job = report_of(servers("mode: parameter_server", ""));
  const RunReport client = report_of(servers("mode: parameter_server", "    clients: [{at: 10 s}]\n"));
  const auto finished = [](const RunReport& report) {
    return report.summary["points"][0]["services"][0]["finished_s"].get<double>();
  };
  EXPECT_NEAR(finished(client), finished(job) + 9, 1e-6); // containers start in 1 s
  EXPECT_THAT(client.text(), HasSubstr("tf/worker-0 holds GPU 0 of box-0"));
  EXPECT_THAT(client.text(), HasSubstr("were without work"));
}

TEST(TrainingServices, AClientOfAServiceWithoutAJobNeedsWork)
{
  Diagnostics diagnostics;
  const Document document = parse_document(R"(cluster:
  node_types: {box: {gpu: M40, gpus: 2}}
  nodes: [{name: box, type: box, count: 1}]
orchestrator: {name: swarm}
services:
  - {name: tf, kind: training, tasks: [{role: worker, resources: {gpus: 1}}], clients: [{at: 0 s}]}
)",
                                           "test.yaml", diagnostics);
  check_points(document, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_THAT(diagnostics.sorted().front().message, HasSubstr("a client of a service without 'job' needs 'work'"));
}

// In-graph replication: the client is beside the server, or on the node that the job names.
TEST(TrainingServices, OneClientFeedsTheWorkersOfAService)
{
  for (const char* mode : {"mode: in_graph", "mode: in_graph, client: box-0"})
    EXPECT_THAT(report_of(servers(mode, "")).text(), HasSubstr("a step of tf takes ")) << mode;
}

// y = w x on the GPUs of both workers: 1,000 calls of session.run. A container sees its own GPU as number 0.
constexpr const char* graph = R"(graph:
  tasks: {ps: [box-0], worker: [box-0, box-0]}
  runs: 1000
  operations:
    - {name: w, type: VariableV2, device: /job:ps/task:0/cpu:0}
    - {name: product, type: Mul, device: /job:worker/task:0/gpu:0, inputs: [w], flop: 1 flop}
    - {name: loss, type: Square, device: /job:worker/task:1/gpu:0, inputs: [product], flop: 1 flop}
)";
constexpr const char* of_graph = R"(cluster:
  node_types: {box: {gpu: M40, gpus: 2}}
  nodes: [{name: box, type: box, count: 3}]
orchestrator: {name: container_service}
services:
  - name: tf
    kind: training
    graph: true
    tasks: [{role: ps, replicas: 1}, {role: worker, replicas: 2, resources: {gpus: 1}}]
)";

TEST(TrainingServices, AClientRunsAGraphOnTheContainers)
{
  const RunReport report = report_of(std::string{of_graph} + "    clients: [{at: 10 s}]\n" + graph);
  const Json& service = report.summary["points"][0]["services"][0];
  const double call = service["step_s"].get<double>();
  EXPECT_GT(call, 1e-4);
  EXPECT_NEAR(service["finished_s"].get<double>(), 10 + 1000 * call, 1e-6);
  EXPECT_THAT(report.text(), HasSubstr("tf/worker-1 holds GPU 1 of box-0 and 10,871 MiB of its 11,443 MiB"));
  EXPECT_THAT(report.text(), HasSubstr(" calls/s); bottleneck: messages, while the GPUs are idle 9"));
}

// On two machines each call crosses the network, so it takes longer than the graph's own places say.
TEST(TrainingServices, ACallTakesWhatItTakesWhereTheContainersRun)
{
  std::string text = std::string{of_graph} + graph;
  const auto call = [&] { return report_of(text).summary["points"][0]["services"][0]["step_s"].get<double>(); };
  const double together = call();
  text.replace(text.find("replicas: 2,"), 12, "replicas: 2, most_per_node: 1,");
  EXPECT_GT(call(), together);
}

TEST(TrainingServices, AGraphNeedsItsTasksAmongThoseOfTheService)
{
  const auto fault = [](const std::string& text) -> std::string {
    try {
      report_of(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(fault(of_graph), HasSubstr("graph: true needs the section 'graph'"));
  std::string text = std::string{of_graph} + graph;
  text.replace(text.find("replicas: 2"), 11, "replicas: 1");
  EXPECT_THAT(fault(text), HasSubstr("service 'tf' has no task /job:worker/task:1, which its graph has"));
}

// Two jobs of six workers come together on eight GPUs, and each gets four: both wait for ever, and the run says for
// what.
TEST(TrainingServices, JobsThatHoldHalfOfWhatTheyNeedSayWhatTheyWaitFor)
{
  const std::string text = R"(cluster:
  node_types: {box: {gpu: K80, gpus: 2, cpu_cores: 16}}
  nodes: [{name: n, type: box, count: 4}]
orchestrator: {name: kubernetes}
services:
  - {name: a, kind: training, work: 1 h, tasks: [{role: worker, replicas: 6, resources: {gpus: 1}}]}
  - {name: b, kind: training, work: 1 h, tasks: [{role: worker, replicas: 6, resources: {gpus: 1}}]}
)";
  EXPECT_THAT(report_of(text).text(), HasSubstr("a is not done, because a/worker-4 does not run: 0/4 nodes fit"));
}

} // namespace
} // namespace trainyard
