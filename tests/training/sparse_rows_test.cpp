// SPDX-License-Identifier: Apache-2.0
// Hand-worked steps with tables of rows (embeddings), of which a step touches some.
#include "models/cost/memory.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/training/server_plan.hpp"
#include "sim/step/training/sparse_rows.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/training/server_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace trainyard {
namespace {

using namespace test;
using ::testing::HasSubstr;

// Two draws from four rows: 4 (1 - (3/4)^2) = 1.75 distinct ones; two workers draw four times: 4 (1 - (3/4)^4) =
// 2.734375. A table of 100 rows of which a batch touches 1.75 on average is drawn from as four rows are.
TEST(RowTable, DistinctRowsOfEqualChanceAndAsMeasured)
{
  const RowTable equal{.rows = 4, .lookups = 2};
  EXPECT_DOUBLE_EQ(equal.distinct_rows(1), 1.75);
  EXPECT_DOUBLE_EQ(equal.distinct_rows(1, 2), 2.734375);
  const RowTable measured{.rows = 100, .lookups = 2, .distinct = 1.75};
  EXPECT_NEAR(measured.distinct_rows(1), 1.75, 1e-9);
  EXPECT_NEAR(measured.distinct_rows(1, 2), 2.734375, 1e-9);
  EXPECT_DOUBLE_EQ((RowTable{.rows = 1, .lookups = 5}).distinct_rows(1), 1);
  // Many rows: hardly one twice, n - n^2 / 2R = 6400 - 20.48.
  EXPECT_NEAR((RowTable{.rows = 1e6, .lookups = 100}).distinct_rows(64), 6379.52, 0.1);
}

/// One layer, a table of a million rows of 16 numbers; each of 64 samples looks up 100 of them: 6,400 rows of 64 B,
/// 409,600 B, and their numbers, 51,200 B.
Fixture table(int workers, int servers, double seconds = 0.1)
{
  Fixture f{workers + servers};
  f.dnn.layers = {
      {.name = "table", .type = "embedding", .parameters = {{"table.weight", 16e6, {.rows = 1e6, .lookups = 100}}}}};
  for (int w = 0; w < workers; ++w)
    f.add_worker(f.node(w).gpus[0], seconds);
  for (int s = 0; s < servers; ++s)
    f.placement.servers.push_back(f.node(workers + s).host);
  f.job.training.settings.set("sparse_rows", "all");
  return f;
}

// Two workers ask one server (102,400 B through its card of 1.25 GB/s), get their rows (819,200 B), compute 0.1 s and
// send rows and numbers back (921,600 B).
TEST(SparseRows, OnlyTouchedRowsAndTheirNumbersTravelToServers)
{
  const Fixture f = table(2, 1);
  EXPECT_NEAR(f.time(), 0.1 + (102'400 + 819'200 + 921'600) / 1.25e9, 1e-9);
  const std::vector<VertexId> workers = f.placement.workers;
  EXPECT_DOUBLE_EQ(bytes_between(f.program(), workers, f.placement.servers), 2 * (51'200.0 + 409'600 + 51'200));
  EXPECT_DOUBLE_EQ(bytes_between(f.program(), f.placement.servers, workers), 2 * 409'600.0);
}

// By closed form messages of less than 4 MB pass a link one after the other: worker 0 has its rows first, and sends
// them back while worker 1 still computes, whose own 460,800 B end the step.
TEST(SparseRows, EveryExecutorGivesTheSameStep)
{
  const Fixture f = table(2, 1, 0.01);
  const StepProgram program = f.program();
  const ProgramRun run{&program, Seconds{}};
  for (const std::string& name : Registry<Executor>::instance().names()) {
    const double time =
        Registry<Executor>::instance().create(name)->run(f.cluster, std::span{&run, 1}).front().end.value();
    const double expected = 0.01 + (102'400 + 819'200 + (name == "closed_form" ? 460'800 : 921'600)) / 1.25e9;
    EXPECT_NEAR(time, expected, (name == "tcp" ? 0.02 : 0.001) * expected) << name;
  }
}

// A server has its rows in one message, in however many pieces of 4 MB (16 of 64 MB) the table is cut; both have as
// many.
TEST(SparseRows, APartitionedTableIsOneMessageOfEachServer)
{
  Fixture f = table(1, 2);
  f.job.training.settings.set("variable_placement", "partitioned");
  f.job.training.settings.set("partition_size", 4e6);
  const StepProgram program = f.program();
  int pulls = 0;
  for (const Operation& operation : program.operations)
    if (const auto* transfer = std::get_if<Transfer>(&operation.work); operation.name.starts_with("pull")) {
      ASSERT_NE(transfer, nullptr);
      EXPECT_DOUBLE_EQ(transfer->bytes.value(), 409'600 / 2);
      ++pulls;
    }
  EXPECT_EQ(pulls, 2);
}

// Two GPUs of a machine sum before they send: 1e6 (1 - (1 - 1e-6)^12800) rows leave it, less than 2 x those of each.
TEST(SparseRows, AMachineSendsARowOnceThatSeveralOfItsWorkersTouch)
{
  Fixture f{2, 2};
  f.dnn = table(1, 1).dnn;
  for (int w = 0; w < 2; ++w)
    f.add_worker(f.node(0).gpus[static_cast<std::size_t>(w)]);
  f.placement.servers = {f.node(1).host};
  f.job.training.settings.set("local_aggregation", "host");
  const double rows = 1e6 * (1 - std::pow(1 - 1e-6, 12'800)), of_each = 1e6 * (1 - std::pow(1 - 1e-6, 6400));
  const StepProgram program = f.program();
  EXPECT_NEAR(bytes_between(program, {f.node(0).host}, f.placement.servers), rows * (8 + 64 + 8), 1);
  EXPECT_NEAR(bytes_between(program, f.placement.servers, {f.node(0).host}), rows * 64, 1);
  for (const Operation& operation : program.operations)
    if (const auto* copy = std::get_if<Copy>(&operation.work)) {
      EXPECT_NEAR(copy->bytes.value(), of_each * 64, 1) << operation.name.text();
    }
}

// Hybrid: besides the table a dense tensor of S = 102.4 MB, whose gradient is there after two thirds of the 0.1 s: a
// ring of two sums it in S / B, 81.92 ms, longer than the table's backward pass and its push. Only rows travel to the
// server.
TEST(SparseRows, AHybridSumsDenseTensorsAmongWorkersAndKeepsTablesOnServers)
{
  Fixture f = table(2, 1);
  f.dnn.layers.push_back({.name = "dense", .parameters = {{"dense.weight", 25.6e6}}, .inputs = {0}});
  f.workers.assign(2, {{0.1_s / 6, 0.1_s / 6}, {0.1_s / 3, 0.1_s / 3}, {}});
  f.transports["nccl"] = Transport{.name = "nccl"};
  f.job.training.settings.set("dense_gradients", "all_reduce");
  const double rows = (102'400 + 819'200) / 1.25e9;
  EXPECT_NEAR(f.time(), rows + 0.2 / 3 + S / 1.25e9, 1e-6);
  EXPECT_DOUBLE_EQ(bytes_between(f.program(), f.placement.workers, f.placement.servers), 2 * (2 * 51'200.0 + 409'600));
  f.job.training.settings.set("update_rule", "async");
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_THAT(diagnostics.sorted().front().message, HasSubstr("wait for all others; write 'mode: parameter_server'"));
}

// One worker sums nothing, but updates its dense tensors all the same: of the 50 ms that all changed elements
// take, 25.6 M of these and 16 of each of the table's rows, the share of the dense ones. The push of rows ends
// meanwhile.
TEST(SparseRows, AHybridOfOneWorkerUpdatesItsDenseTensors)
{
  Fixture f = table(1, 1);
  f.dnn.layers.push_back({.name = "dense", .parameters = {{"dense.weight", 25.6e6}}, .inputs = {0}});
  f.workers.assign(1, {{0.1_s / 6, 0.1_s / 6}, {0.1_s / 3, 0.1_s / 3}, 50_ms});
  f.transports["nccl"] = Transport{.name = "nccl"};
  f.job.training.settings.set("dense_gradients", "all_reduce");
  const double rows = 1e6 * (1 - std::pow(1 - 1e-6, 6400));
  EXPECT_NEAR(f.time(), (51'200 + 409'600) / 1.25e9 + 0.1 + 0.05 * 25.6e6 / (25.6e6 + 16 * rows), 1e-6);
}

// Two workers on each of two machines. One that stands for all sends its rows for its mate as well; the all-reduce is
// of all four anyway, so that each link carries what it carries where all are simulated.
TEST(SparseRows, AWorkerOfAHybridStandsForTheRowsOfOthersOnly)
{
  const auto bytes_on_cards = [](const std::string& represents) {
    Fixture f{3, 2};
    f.dnn = table(1, 1).dnn;
    f.dnn.layers.push_back({.name = "dense", .parameters = {{"dense.weight", 25.6e6}}, .inputs = {0}});
    for (int w = 0; w < 4; ++w)
      f.add_worker(f.node(w / 2).gpus[static_cast<std::size_t>(w % 2)], 0.1);
    f.placement.servers = {f.node(2).host};
    f.transports["nccl"] = Transport{.name = "nccl"};
    f.job.training.settings.set("sparse_rows", "all");
    f.job.training.settings.set("dense_gradients", "all_reduce");
    f.job.training.settings.set("one_represents_all", represents);
    const StepProgram program = f.program();
    const ProgramRun run{&program, Seconds{}};
    const std::vector<StepTrace> traces =
        Registry<Executor>::instance().create("fluid")->run(f.cluster, std::span{&run, 1});
    std::map<std::string, double> bytes;
    for (const LinkUse& use : traces.front().links)
      if (const Link& link = f.cluster.link(use.link); link.kind == LinkKind::ethernet)
        bytes[f.cluster.vertex(link.from).name + " > " + f.cluster.vertex(link.to).name] = use.bytes.value();
    return bytes;
  };
  const std::map<std::string, double> all = bytes_on_cards("no"), one = bytes_on_cards("yes");
  // Rows that are asked for, come and go back, of two workers; a ring of four sends 1.5 S out of each machine.
  EXPECT_NEAR(all.at("node-0/host > switch"), 2 * (51'200 + 460'800) + 1.5 * S, 1);
  EXPECT_NEAR(one.at("node-0/host > switch"), all.at("node-0/host > switch"), 1);
  EXPECT_NEAR(one.at("switch > node-2/host"), all.at("switch > node-2/host"), 1);
}

// Two micro-steps draw rows as two workers do. 1.75 distinct ones of 2 draws as four rows give them, of 4 draws
// 2.734375, of 8 draws 4 (1 - (3/4)^8).
TEST(SparseRows, WhatWasMeasuredIsOfOneMicroStep)
{
  Fixture f = table(1, 1);
  f.job.batch_per_gpu = 1;
  f.job.accumulation_steps = 2;
  f.job.training.settings.set("sparse_rows", "distinct");
  const RowTable measured{.rows = 100, .lookups = 2, .distinct = 1.75};
  EXPECT_NEAR(exchanged_rows(f.context(), measured), 2.734375, 1e-9);
  EXPECT_NEAR(exchanged_rows(f.context(), measured, 2), 4 * (1 - std::pow(0.75, 8)), 1e-9);
  f.job.training.settings.set("sparse_rows", "all");
  EXPECT_DOUBLE_EQ(exchanged_rows(f.context(), measured, 2), 8);
}

TEST(SparseRows, ABatchTouchesNoMoreRowsThanItLooksUp)
{
  Fixture f = table(1, 1);
  f.job.batch_per_gpu = 32;
  f.job.path = "jobs[0]";
  f.dnn.layers.front().parameters.front().table = {.rows = 1e6, .lookups = 26, .distinct = 900};
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.sorted().front().message,
            "job 'job', layer 'table': 'distinct_rows' is 900, but a batch of 32 samples looks up only 832 rows; give "
            "what this batch touches");
}

// Ten tables of few rows beside one of many, in a long run: small ones share the messages of others, and their rows are
// asked for with those.
TEST(SparseRows, MessagesThatTablesShareAskForTheRowsOfAll)
{
  Fixture f = table(2, 1);
  for (int small = 0; small < 10; ++small)
    f.dnn.layers.push_back({.name = "small",
                            .type = "embedding",
                            .parameters = {{"small.weight", 100, {.rows = 100, .lookups = 0.01}}},
                            .inputs = {small}});
  f.workers.assign(2, {std::vector<Seconds>(11, 1_ms), std::vector<Seconds>(11, 1_ms), {}});
  f.job.training.settings.set("update_rule", "async");
  const TrainingContext context = f.context();
  const ServerExchange exchange = server_exchange(context);
  const ServerPlan plan{context, exchange, 0, true};
  double asked = 0, rows = 0;
  for (const PulledMessage& message : plan.pulls(0, 0))
    asked += message.rows;
  for (const VariablePart& part : plan.parts())
    rows += part.rows;
  EXPECT_LT(plan.pulls(0, 0).size(), 11U);
  EXPECT_DOUBLE_EQ(asked, rows);
  EXPECT_NEAR(rows, 6400 + 10 * 0.64, 1e-9);
}

TEST(SparseRows, CollectivesOfAMachineDoNotSumRows)
{
  Fixture f = table(2, 1);
  f.job.training.settings.set("local_aggregation", "collective");
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.sorted().front().message,
            "job 'job': collectives of a machine add up whole tensors, not rows of a table; write "
            "'local_aggregation: host', or 'sparse_gradients: dense'");
}

/// The row of a job of four workers on machines of their own behind 10 Gbit/s, with a table of a million rows of 16
/// numbers, and @p dense further parameters.
JobRow row_of(const std::string& training, const std::string& dense = "", const std::string& fidelity = "closed_form")
{
  const Results results = simulate(tests::checked_points(
      "trainyard: 1\n"
      "cluster:\n"
      "  node_types: {gpu: {gpu: V100-PCIe-16GB, gpus: 1}, cpu: {}}\n"
      "  nodes: [{name: worker, type: gpu, count: 4}, {name: server, type: cpu, count: 2}]\n"
      "  network: {bandwidth: 10 Gbit/s, latency: 0 s}\n"
      "transports: {ideal: {like: gloo, latency: 0 s, efficiency: 1, stream_limit: 1000 GB/s}}\n"
      "run: {fidelity: " +
          fidelity +
          "}\n"
          "jobs:\n"
          "  - name: j\n"
          "    workers: 4\n"
          "    nodes: [worker-0, worker-1, worker-2, worker-3]\n"
          "    batch_per_gpu: 64\n"
          "    single_gpu_step: 10 ms\n"
          "    model: {layers: [{name: table, parameters: [16000000], rows: 1000000, lookups: 100, flop: 1e6}" +
          dense + "]}\n    training: {" + training + "}\n",
      "rows.yaml"));
  return results.jobs.front();
}

// Each of four workers gets the rows of the three others through its link: a ring of 4 x 460,800 B, of which three
// quarters pass each link, in three rounds for the numbers and three for the values, each 2 us on the PCIe links of
// both machines. A dense table of 64 MB passes it 1.5 times.
TEST(SparseRows, WorkersGatherRowsOrAddUpWholeTables)
{
  const std::string ring = "mode: all_reduce, device: cpu, transport: ideal, collective: ring, ";
  for (const char* fidelity : {"closed_form", "fluid", "flow", "step"}) {
    const JobRow rows = row_of(ring + "sparse_rows: all", "", fidelity);
    EXPECT_NEAR(rows.bytes_per_step.value(), 4 * 3 * 460'800.0, 10) << fidelity;
    EXPECT_NEAR(rows.exposed_communication.value(), 3 * 460'800 / 1.25e9 + 2 * 3 * 2e-6, 1e-7) << fidelity;
  }
  const JobRow dense = row_of(ring + "sparse_gradients: dense");
  EXPECT_NEAR(dense.bytes_per_step.value(), 4 * 1.5 * 64e6, 100);
}

// Two tables whose gradients are ready within one cycle of Horovod's thread share an all-gather of numbers and one of
// values; PyTorch has one of each for each table.
TEST(SparseRows, HorovodGathersTablesTogether)
{
  Fixture f = table(4, 0);
  f.dnn.layers.push_back(f.dnn.layers.front());
  f.workers.assign(4, {{1_ms, 1_ms}, {1_ms, 1_ms}, {}});
  f.transports["nccl"] = Transport{.name = "nccl"};
  f.job.training.settings.set("collective", "ring");
  const auto gathered = [&](const std::string& fusion) {
    f.job.training.settings.set("fusion", fusion);
    const auto mode = Registry<TrainingMode>::instance().create("all_reduce", f.job.training.settings);
    std::vector<double> payloads;
    for (const Operation& operation : mode->program(f.context(), 0, 1).operations)
      if (const auto* call = call_of(operation.work)) {
        EXPECT_EQ(call->operation, "all_gather");
        payloads.push_back(call->payload.value());
      }
    return payloads;
  };
  const double numbers = 4 * 51'200.0, values = 4 * 409'600.0;
  EXPECT_THAT(gathered("horovod"), testing::ElementsAre(2 * numbers, 2 * values));
  EXPECT_THAT(gathered("buckets"), testing::ElementsAre(numbers, values, numbers, values));
}

/// What the check says of a server of 100 GB, or of @p memory, that keeps 1 G rows of 16 numbers, 64 GB in fp32, and
/// @p dense further layers.
std::string refusal(const std::string& optimizer, const std::string& precision = "fp32", const std::string& dense = "",
                    const std::string& training = "", const std::string& memory = "100 GB")
{
  try {
    static_cast<void>(tests::checked_points(
        "trainyard: 1\n"
        "cluster:\n"
        "  node_types: {gpu: {gpu: V100-PCIe-16GB, gpus: 1}, cpu: {memory: " +
            memory +
            "}}\n"
            "  nodes: [{name: worker, type: gpu, count: 1}, {name: server, type: cpu, count: 1}]\n"
            "jobs:\n"
            "  - name: j\n"
            "    optimizer: " +
            optimizer + "\n    precision: " + precision +
            "\n"
            "    model: {layers: [{name: table, parameters: [16000000000], rows: 1000000000, lookups: 1, flop: 1e6}" +
            dense + "]}\n    training: {mode: parameter_server, servers: 1" + training + "}\n",
        "server.yaml"));
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

// The momentum of each element is as large again.
TEST(SparseRows, ServersHoldTablesAndTheirStatesInMemory)
{
  EXPECT_EQ(refusal("sgd"), "");
  EXPECT_EQ(refusal("sgd_momentum"),
            "job 'j': out of host memory: servers on server-0 keep 128 GB of variables and optimiser states in 100 GB; "
            "write more 'servers' on more machines, or 'variable_placement: partitioned' if one table is as large");
}

// 2 B of a value, 4 of its fp32 copy: 96 GB. A momentum of 4 B more: 160 GB.
TEST(SparseRows, ServersHoldStatesAndACopyOfHalfPrecisionInFp32)
{
  EXPECT_EQ(refusal("sgd", "fp16"), "");
  EXPECT_THAT(refusal("sgd_momentum", "fp16"), HasSubstr("keep 160 GB of variables"));
}

// A dense layer of 1 G elements, 4 GB, is on the servers too, but for a hybrid.
TEST(SparseRows, ServersOfAHybridHoldTablesOnly)
{
  const std::string dense = ", {name: dense, parameters: [1000000000], flop: 1e6}";
  EXPECT_THAT(refusal("sgd", "fp32", dense, "", "65 GB"), HasSubstr("keep 68 GB of variables"));
  EXPECT_EQ(refusal("sgd", "fp32", dense, ", dense_gradients: all_reduce", "65 GB"), "");
}

/// GPU memory that a step needs, over that of a layer without parameters worth counting.
Bytes memory_of(const ParameterTensor& tensor, bool rows_from_servers)
{
  const Dnn dnn{.name = "table", .layers = {{.name = "table", .parameters = {tensor}}}};
  const MemorySettings settings{.batch = 64,
                                .precision = "fp32",
                                .optimizer = "adam",
                                .rows_from_servers = rows_from_servers,
                                .context = Bytes{},
                                .workspace = Bytes{}};
  return memory_fit(dnn, Gpu{.memory = 80_GB}, settings).needed;
}

// Parameters and two values of Adam for 16 M elements, and gradients of 6,379.52 rows of 16: 4 B each. Where servers
// keep the table, a worker holds these four for its rows.
TEST(SparseRows, AReplicaHoldsTheWholeTableAndAWorkerOfServersItsRows)
{
  const ParameterTensor tensor{"table", 16e6, {.rows = 1e6, .lookups = 100}};
  const double touched = 16 * tensor.table.distinct_rows(64);
  EXPECT_NEAR(memory_of(tensor, false).value(), 4 * (3 * 16e6 + touched), 1);
  EXPECT_NEAR(memory_of(tensor, true).value(), 4 * 4 * touched, 1);
}

} // namespace
} // namespace trainyard
