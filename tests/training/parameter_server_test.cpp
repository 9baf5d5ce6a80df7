// SPDX-License-Identifier: Apache-2.0
// Hand-worked steps of the parameter-server modes. S = 102.4 MB in 4 equal variables, t = 0.457 s, P = 4 servers, B
// = 1.25 GB/s, full duplex, no overlap, unless a test says otherwise (the constants of the founding documents' rows).
#include "sim/results/traffic.hpp"
#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/spread.hpp"
#include "sim/step/training/training_mode.hpp"
#include "sim/step/training/update_rule.hpp"
#include "sim/step/training/variable_placement.hpp"
#include "tests/training/server_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace trainyard {
namespace {

using namespace test;

TEST(ParameterServer, SynchronousStepEqualsTheClosedForm)
{
  for (const auto& [workers, servers] : {std::pair{1, 1}, {2, 1}, {4, 4}, {8, 4}, {8, 1}, {16, 4}}) {
    Fixture f = separate(workers, servers);
    f.no_overlap();
    // T = t + 2 W S / (P B), at least one card's own 2 S / B.
    const double exchange = std::max(2.0 * workers * S / (servers * 1.25e9), 2 * S / 1.25e9);
    EXPECT_NEAR(f.time(), 0.457 + exchange, 0.001 * (0.457 + exchange))
        << workers << " workers, " << servers << " servers";
  }
}

// T = 3 t + 2 W S / (P B), of three times the samples: variables are fetched before the first forward pass and sent
// after the last backward pass.
TEST(ParameterServer, AccumulationComputesSeveralTimesAndExchangesOnce)
{
  Fixture f = separate(8, 4);
  f.no_overlap();
  f.job.accumulation_steps = 3;
  const double expected = 3 * 0.457 + 2.0 * 8 * S / (4 * 1.25e9);
  EXPECT_NEAR(f.time(), expected, 0.001 * expected);
  EXPECT_DOUBLE_EQ(f.program().samples_per_step, 3 * 8 * 64);
}

TEST(ParameterServer, EveryExecutorGivesTheClosedForm)
{
  Fixture f = separate(8, 4);
  f.no_overlap();
  const StepProgram program = f.program();
  const ProgramRun run{&program, Seconds{}};
  const double expected = 0.457 + 2.0 * 8 * S / (4 * 1.25e9);
  for (const std::string& name : Registry<Executor>::instance().names()) {
    const double time =
        Registry<Executor>::instance().create(name)->run(f.cluster, std::span{&run, 1}).front().end.value();
    // Packet by packet there are acknowledgements, requests and the last packet's second link besides.
    EXPECT_NEAR(time, expected, (name == "tcp" ? 0.01 : 0.001) * expected) << name;
  }
}

TEST(ParameterServer, OverlapNeverTakesLongerAndNeverBeatsTheHotCard)
{
  Fixture f = separate(8, 4);
  f.no_overlap();
  const double apart = f.time();
  Fixture g = separate(8, 4);
  const double overlapped = g.time(4);
  EXPECT_LT(overlapped, apart);
  EXPECT_GE(overlapped, 0.457);
  EXPECT_GE(overlapped,
            2 * 8 * S / (4 * 1.25e9) * 0.999); // pull, then push: the halves of one step do not overlap each other
}

TEST(VariablePlacements, RoundRobinLeavesAHotServerThatGreedyAndPartitionedAvoid)
{
  // VGG-16's tail: fc6 411 MB, fc7 67 MB, fc8 16 MB after small variables.
  const std::vector<Bytes> variables{Bytes{1e6}, Bytes{411e6}, Bytes{1e6}, Bytes{67e6}, Bytes{1e6}, Bytes{16e6}};
  const auto hot = [&](const std::string& name) {
    const auto parts = Registry<VariablePlacement>::instance().create(name)->place(variables, 2);
    double load[2] = {0, 0};
    for (const VariablePart& part : parts)
      load[part.server] += part.bytes.value();
    EXPECT_NEAR(load[0] + load[1], 497e6, 1) << name;
    return std::max(load[0], load[1]);
  };
  EXPECT_DOUBLE_EQ(hot("round_robin"), 494e6); // all the large ones fall on server 1
  EXPECT_DOUBLE_EQ(hot("greedy"), 411e6);      // fc6 alone on server 1
  EXPECT_NEAR(hot("partitioned"), 248.5e6, 5e6);
}

TEST(VariablePlacements, JoinedPartsKeepTheBytesOfEachServerAndTheFirstVariable)
{
  std::vector<VariablePart> parts;
  for (int v = 0; v < 100; ++v)
    parts.push_back({v, v % 3, Bytes{1e3 * (1 + v % 7)}});
  const std::vector<VariablePart> joined = joined_parts(parts, 3, 4);
  EXPECT_EQ(joined.size(), 12U);
  std::array<double, 3> before{};
  std::array<double, 3> after{};
  for (const VariablePart& part : parts)
    before[static_cast<std::size_t>(part.server)] += part.bytes.value();
  for (const VariablePart& part : joined)
    after[static_cast<std::size_t>(part.server)] += part.bytes.value();
  EXPECT_EQ(before, after);
  EXPECT_EQ(joined.front().variable, 0);
  EXPECT_TRUE(std::ranges::is_sorted(joined, {}, &VariablePart::variable));
}

TEST(VariablePlacements, EveryPlacementKeepsAllBytesOnExistingServers)
{
  const std::vector<Bytes> variables{Bytes{3e6}, Bytes{1}, Bytes{25e6}, Bytes{4096000}, Bytes{8192001}};
  for (const std::string& name : Registry<VariablePlacement>::instance().names())
    for (const int servers : {1, 2, 3, 8, 64}) {
      std::vector<double> sum(variables.size());
      for (const VariablePart& part : Registry<VariablePlacement>::instance().create(name)->place(variables, servers)) {
        EXPECT_GE(part.server, 0);
        EXPECT_LT(part.server, servers);
        EXPECT_GT(part.bytes, Bytes{});
        sum[static_cast<std::size_t>(part.variable)] += part.bytes.value();
      }
      for (std::size_t v = 0; v < variables.size(); ++v)
        EXPECT_NEAR(sum[v], variables[v].value(), 1e-6) << name;
    }
}

TEST(ParameterServer, OneWorkerCanRepresentManyEqualOnes)
{
  for (const bool beside : {false, true}) {
    Fixture f{beside ? 8 : 12};
    for (int w = 0; w < 8; ++w)
      f.add_worker(f.node(w).gpus[0]);
    for (int s = 0; s < 4; ++s)
      f.placement.servers.push_back(f.node(beside ? s : 8 + s).host);
    f.transports["grpc"].endpoint_limit = BytesPerSecond{0.6e9};
    const double all = f.time(2);
    f.job.training.settings.set("one_represents_all", "yes");
    const double one = f.time(2);
    EXPECT_NEAR(one, all, 0.02 * all) << beside;
  }
}

TEST(ParameterServer, OneWorkerStandsForAllOnlyWhereSwitchesDoNotBind)
{
  // 16 workers on one switch, 4 servers on another, 20 variables: enough messages for one worker to stand for all. The
  // link between the switches carries 1.25 GB/s: all that 16 workers fetch and send goes over it, and T = t + 2 W S /
  // B. At 100 GB/s the servers' cards of 1.25 GB/s decide: T = t + 2 W S / (P B).
  for (const auto& [between, carriers] : {std::pair{1.25e9, 1.0}, {100e9, 4.0}}) {
    Fixture f{16};
    const VertexId far = f.cluster.add_vertex({VertexKind::network_switch, "far switch", {}});
    f.cluster.add_link("between", LinkKind::ethernet, f.hub, far, BytesPerSecond{between}, Seconds{});
    for (int s = 0; s < 4; ++s) {
      const std::string name = "server-" + std::to_string(s);
      Node node{.name = name};
      node.host = f.cluster.add_vertex({VertexKind::host, name + "/host", NodeId{16 + s}});
      f.cluster.add_link(name + "/nic", LinkKind::ethernet, node.host, far, 1.25_GBps, Seconds{});
      f.cluster.add_node(node);
      f.placement.servers.push_back(node.host);
    }
    f.dnn.layers.clear();
    for (int v = 0; v < 20; ++v)
      f.dnn.layers.push_back(
          {.name = "layer" + std::to_string(v), .parameters = {{.name = "v" + std::to_string(v), .elements = 1.28e6}}});
    for (int w = 0; w < 16; ++w)
      f.add_worker(f.node(w).gpus[0]);
    f.no_overlap();
    f.job.training.settings.set("one_represents_all", "auto");
    EXPECT_NEAR(f.time(), 0.457 + 2 * 16 * 102.4e6 / (1.25e9 * carriers), 0.01) << between;
  }
}

// Four machines with a worker and a server each, 72 variables, fetched as soon as each is updated. A card sends three
// quarters of the gradients and three quarters of all answers in a step: at least 2 * 3/4 * S / B = 123 ms.
TEST(ParameterServer, CardsOfMachinesWithWorkersAndServersCarryGradientsAndAnswers)
{
  for (const std::string represents : {"auto", "no"}) {
    Fixture f{4};
    f.dnn.layers.clear();
    for (int v = 0; v < 72; ++v)
      f.dnn.layers.push_back({.name = "layer" + std::to_string(v),
                              .parameters = {{.name = "v" + std::to_string(v), .elements = 25.6e6 / 72}}});
    for (int n = 0; n < 4; ++n) {
      f.add_worker(f.node(n).gpus[0], 0.02);
      f.placement.servers.push_back(f.node(n).host);
    }
    f.job.training.settings.set("pull", "by_layer");
    f.job.training.settings.set("one_represents_all", represents);
    EXPECT_GE(f.time(8), 0.9 * 2 * 0.75 * S / 1.25e9) << represents; // the last of eight steps ends with its pushes
    EXPECT_LE(f.time(8), 1.3 * 2 * 0.75 * S / 1.25e9) << represents;
  }
}

// 16 workers and 20 variables are enough messages for one to stand for all. One of them computes for 1 s instead of
// 0.2, or has a card of 0.1 instead of 10 GB/s, by which S takes 1.024 s each way: all wait for it.
TEST(ParameterServer, OneWorkerStandsForAllOnlyWhereWorkersAndTheirMachinesAreAlike)
{
  for (const bool narrow : {false, true}) {
    Fixture f{16, 1, BytesPerSecond{10e9}};
    f.dnn.layers.clear();
    for (int v = 0; v < 20; ++v)
      f.dnn.layers.push_back(
          {.name = "layer" + std::to_string(v), .parameters = {{.name = "v" + std::to_string(v), .elements = 1.28e6}}});
    Node node{.name = "other"};
    node.host = f.cluster.add_vertex({VertexKind::host, "other/host", NodeId{16}});
    f.cluster.add_link("other/nic", LinkKind::ethernet, node.host, f.hub, BytesPerSecond{narrow ? 0.1e9 : 10e9},
                       Seconds{});
    node.gpus.push_back(f.cluster.add_vertex({VertexKind::gpu, "other/gpu-0", NodeId{16}}));
    f.cluster.add_link("other/pcie", LinkKind::pcie, node.gpus.back(), node.host, BytesPerSecond{1e18}, Seconds{});
    f.cluster.add_node(node);
    for (int w = 0; w < 15; ++w)
      f.add_worker(f.node(w).gpus[0], 0.2);
    f.add_worker(f.node(16).gpus[0], narrow ? 0.2 : 1);
    f.placement.servers = {f.node(15).host};
    f.no_overlap();
    f.job.training.settings.set("one_represents_all", "auto");
    EXPECT_NEAR(f.time(), narrow ? 0.2 + 2 * S / 0.1e9 : 1 + 16 * S / 10e9, narrow ? 0.2 : 0.17) << narrow;
    std::ranges::reverse(f.placement.workers); // a backup is who arrives last, wherever it stands
    std::ranges::reverse(f.workers);
    f.job.training.settings.set("backup_workers", 1);
    const StepProgram program = f.program();
    const StepTrace trace = f.run(program);
    for (std::size_t i = 0; i < program.operations.size(); ++i)
      if (std::holds_alternative<StepEnd>(program.operations[i].work)) {
        EXPECT_LT(trace.spans[i].end.value(), 0.2 + 2 * 16 * S / 10e9 + 0.05) << narrow;
      }
  }
}

TEST(ParameterServer, TrafficOfVeryManyEqualWorkersIsThatOfOne)
{
  // One of 12 workers stands for all. With 2 servers there are 24 pairs in each direction.
  Fixture f = separate(12, 2);
  f.job.training.settings.set("one_represents_all", "yes");
  const StepProgram program = f.program();
  const TrafficTable all = traffic_rows(f.cluster, f.placement, program, 48);
  EXPECT_EQ(all.rows.size(), 48U);
  EXPECT_EQ(all.left_out, 0);
  const TrafficTable one = traffic_rows(f.cluster, f.placement, program, 47);
  EXPECT_EQ(one.left_out, 11);
  ASSERT_EQ(one.rows.size(), 4U);
  for (const TrafficRow& row : one.rows)
    EXPECT_TRUE(row.from == "worker-0" || row.to == "worker-0") << row.from << " " << row.to;
  const TrafficTable counted = traffic_rows(f.cluster, f.placement, program, 47, false);
  EXPECT_TRUE(counted.rows.empty());
  EXPECT_EQ(counted.listed, 1);
  EXPECT_EQ(counted.left_out, 11);
}

TEST(ParameterServer, HotVariableBesideSlowServersDecidesTheStep)
{
  Fixture f = separate(16, 4);
  f.dnn.layers[3].parameters[0].elements = 102.76e6; // 411 MB on server 3
  f.no_overlap();
  f.transports["grpc"].endpoint_limit = BytesPerSecond{0.5e9};
  EXPECT_NEAR(f.time(), 0.457 + 2 * 16 * 411.04e6 / 0.5e9, 0.05);
}

TEST(ParameterServer, CollectiveInsideTheNodeSendsEachPartOncePerNode)
{
  Fixture f{4, 4};
  for (const int n : {0, 1})
    for (const VertexId gpu : f.node(n).gpus)
      f.add_worker(gpu);
  f.placement.servers = {f.node(2).host, f.node(3).host};
  f.job.training.settings.set("local_aggregation", "collective");
  f.job.training.settings.set("pull", "after_update");
  f.job.training.settings.set("variable_placement", "partitioned");
  const StepProgram program = f.program();
  EXPECT_NEAR(bytes_between(program, {f.node(0).host}, f.placement.servers), S, 1);
  EXPECT_NEAR(bytes_between(program, f.placement.servers, {f.node(1).host}), S, 1);
  EXPECT_GT(f.run(program).end.value(), 0.457);
}

TEST(ParameterServer, QueuedMessagesOverlapPushAndPullUnlessOneThreadServesBothDirections)
{
  // One worker, one server, 100 parts in order, no compute: full duplex S / B and one part; one I/O thread 2 S / B.
  Fixture f = separate(1, 1);
  f.workers.clear();
  f.placement.workers.clear();
  f.add_worker(f.node(0).gpus[0], 0);
  f.no_overlap();
  f.job.training.settings.set("variable_placement", "partitioned");
  f.job.training.settings.set("partition_size", S / 100);
  f.job.training.settings.set("messages_in_flight", 1);
  f.job.training.settings.set("server_rate", 1e9);
  EXPECT_NEAR(f.time(), 1.01 * S / 1e9, 1e-4);
  f.job.training.settings.set("directions", "shared");
  EXPECT_NEAR(f.time(), 2 * S / 1e9, 1e-3);
}

TEST(ParameterServer, ATransportSaysWhetherOneThreadServesBothDirections)
{
  // As above; ZeroMQ has one I/O thread by default, and what the job says counts more.
  Fixture f = separate(1, 1);
  f.workers.clear();
  f.placement.workers.clear();
  f.add_worker(f.node(0).gpus[0], 0);
  f.no_overlap();
  f.job.training.settings.set("variable_placement", "partitioned");
  f.job.training.settings.set("partition_size", S / 100);
  f.job.training.settings.set("messages_in_flight", 1);
  f.job.training.settings.set("server_rate", 1e9);
  f.transports["grpc"].settings.set("directions", "shared");
  EXPECT_NEAR(f.time(), 2 * S / 1e9, 1e-3);
  f.job.training.settings.set("directions", "separate");
  EXPECT_NEAR(f.time(), 1.01 * S / 1e9, 1e-4);
}

TEST(ParameterServer, WholeTensorsComeOneAfterAnother)
{
  // Four tensors of 25.6 MB at 1.25 GB/s, 20.48 ms each. In the order of the layers the forward pass waits for the
  // first, later ones come while it computes (38 ms a layer), and the last gradient is sent after it: 457 + 2 x 20.48.
  Fixture f = separate(1, 1);
  f.job.training.settings.set("pull_order", "layer");
  EXPECT_NEAR(f.time(), 0.457 + 2 * 0.02048, 1e-6);
  // All at once: each arrives with the last.
  f.job.training.settings.set("messages_in_flight", 0);
  EXPECT_NEAR(f.time(), 0.457 + 5 * 0.02048, 1e-6);
  // In another order some layer waits longer, never longer than for all.
  f.job.training.settings.set("messages_in_flight", 1);
  f.job.training.settings.set("pull_order", "arbitrary");
  EXPECT_GE(f.time(), 0.457 + 2 * 0.02048 - 1e-6);
  EXPECT_LE(f.time(), 0.457 + 5 * 0.02048 + 1e-6);
}

TEST(ParameterServer, RequestsPassBesideTheMessagesOfTheirConnection)
{
  // 1 ms of latency counts once for the pulls and once for the last push, not once per message.
  Fixture f = separate(1, 1);
  f.transports["grpc"].latency = Seconds{1e-3};
  f.job.training.settings.set("pull_order", "layer");
  EXPECT_NEAR(f.time(), 0.457 + 2 * 0.02048 + 2e-3, 1e-6);
}

std::vector<std::string> pulls_of(const StepProgram& program, int step)
{
  std::vector<std::string> names;
  for (const Operation& operation : program.operations)
    if (operation.role == Role::pull && operation.step == step && std::holds_alternative<Transfer>(operation.work))
      names.push_back(operation.name.text());
  return names;
}

TEST(ParameterServer, AnOrderIsDrawnPerWorkerOrPerStep)
{
  Fixture f = separate(1, 1);
  f.dnn.layers.clear();
  for (int v = 0; v < 20; ++v)
    f.dnn.layers.push_back({.name = "layer", .parameters = {{.name = std::to_string(v), .elements = 1}}});
  f.workers.clear();
  f.placement.workers.clear();
  f.add_worker(f.node(0).gpus[0]);
  const StepProgram same = f.program(2);
  EXPECT_EQ(pulls_of(same, 0), pulls_of(same, 1));
  f.job.training.settings.set("pull_order", "random");
  const StepProgram fresh = f.program(2);
  EXPECT_NE(pulls_of(fresh, 0), pulls_of(fresh, 1));
  EXPECT_THAT(pulls_of(fresh, 0), testing::UnorderedElementsAreArray(pulls_of(fresh, 1)));
  f.job.training.settings.set("pull_order", "layer");
  EXPECT_EQ(pulls_of(f.program(), 0).front(), "pull 0");
}

TEST(ParameterServer, ServersApplyTheUpdateUnlessWorkersKeepReplicas)
{
  Fixture f = separate(1, 1);
  f.job.training.settings.set("pull_order", "layer");
  const double without = f.time();
  f.workers.front().update = Seconds{0.1};
  EXPECT_NEAR(f.time(), without, 1e-9);
  f.no_overlap();
  const double replicas = f.time();
  f.workers.front().update = Seconds{};
  EXPECT_NEAR(f.time(), replicas - 0.1, 1e-9);
}

TEST(ParameterServer, MovingAveragesTakePlacesOnServersToo)
{
  // Weights, then scale and offset and the two averages of batch norm: five variables, so with five servers each weight
  // lands on the first. Replicas keep the averages: three variables, every third server.
  const auto weights_on_first = [](int servers, const std::string& pull) {
    Fixture f = separate(1, servers);
    f.dnn.layers.clear();
    for (int block = 0; block < 2; ++block) {
      f.dnn.layers.push_back({.name = "conv", .type = "convolution", .parameters = {{.name = "w", .elements = 1000}}});
      f.dnn.layers.push_back({.name = "bn", .type = "batch_norm", .parameters = {{"scale", 1}, {"offset", 1}}});
    }
    f.workers.clear();
    f.placement.workers.clear();
    f.add_worker(f.node(0).gpus[0]);
    f.job.training.settings.set("pull", pull);
    return bytes_between(f.program(), {f.placement.servers.front()}, {f.node(0).gpus[0]});
  };
  EXPECT_EQ(weights_on_first(5, "before_forward"), 8000);
  EXPECT_EQ(weights_on_first(3, "before_forward"),
            4000 + 4); // the weights of the first, two averages, the scale of the second
  EXPECT_EQ(weights_on_first(3, "after_update"), 8000);
}

TEST(ParameterServer, BoundedWorkersWaitForEachTensorOnly)
{
  // staleness 1: a tensor for step 2 is given out once both workers have pushed it in step 0, whatever the others do.
  Fixture f = separate(2, 1);
  f.job.training.settings.set("update_rule", "bounded");
  f.job.training.settings.set("staleness", 1);
  const StepProgram program = f.program(3);
  int seen = 0;
  for (const Operation& operation : program.operations) {
    if (operation.name != "pull v3" || operation.step != 2)
      continue;
    ++seen;
    std::vector<std::string> held;
    for (const OperationId before : operation.after) {
      const Operation& gate = program.operations[static_cast<std::size_t>(before.index)];
      if (gate.name != "pushed by all")
        continue;
      EXPECT_EQ(gate.step, 0);
      for (const OperationId id : gate.after)
        held.push_back(program.operations[static_cast<std::size_t>(id.index)].name.text());
    }
    EXPECT_EQ(held, (std::vector<std::string>{"update v3", "update v3"}));
  }
  EXPECT_EQ(seen, 2);
}

TEST(ParameterServer, ABarrierWaitsForTheSlowestOfEqualWorkers)
{
  // Four workers that compute 457 ms, 1.5 % apart (8 % / 5.4): E[max of 4], by Blom 1.049131, times 6.77 ms.
  Fixture f = separate(4, 1);
  const double equal = f.time();
  f.job.training.settings.set("spread", "gpus");
  EXPECT_NEAR(f.time(), equal + 0.457 * 0.08 / 5.4 * 1.049131, 1e-6);
}

TEST(ParameterServer, AConnectionOfItsOwnRateMakesMoreServersFaster)
{
  for (const int servers : {1, 2, 4}) {
    Fixture f = separate(1, servers);
    f.no_overlap();
    f.job.training.settings.set("connection_rate", 0.1e9);
    EXPECT_NEAR(f.time(), 0.457 + 2 * S / (servers * 0.1e9), 1e-3);
  }
}

TEST(ParameterServer, WorkersOfAProcessShareTheStreamThatEachOfItsConnectionsIs)
{
  // 0.1 GB/s a stream, one server with a card of 1.25 GB/s. Two workers on machines of their own have a stream each, as
  // two processes on one machine have; of one process they share one: twice as long. All messages at once: pushes end
  // together, then come all pulls, T = t + 2 S / 0.1 GB/s. One of the four equal tensors after another: each is pulled
  // while the next is pushed, T = t + 5/4 S / 0.1 GB/s.
  for (const auto& [in_flight, times] : {std::pair{0, 2.0}, {1, 1.25}}) {
    Fixture apart = separate(2, 1);
    Fixture together{2, 2};
    for (const VertexId gpu : together.node(0).gpus)
      together.add_worker(gpu);
    together.placement.servers = {together.node(1).host};
    for (const auto& [fixture, processes, streams] :
         {std::tuple{&apart, "machine", 2}, {&together, "machine", 1}, {&together, "gpu", 2}}) {
      fixture->job.training.settings.set("worker_processes", processes);
      fixture->no_overlap();
      fixture->job.training.settings.set("messages_in_flight", in_flight);
      fixture->transports["grpc"].stream_limit = BytesPerSecond{0.1e9};
      EXPECT_NEAR(fixture->time(), 0.457 + times * 2 / streams * S / 0.1e9, 1e-3) << streams << ' ' << in_flight;
    }
  }
}

TEST(ParameterServer, AProcessOfSeveralGpusHasOneStreamForAllOfThem)
{
  // Four workers on one machine in processes of `gpus`: ceil(4 / gpus) streams of 0.1 GB/s carry 4 S, all pushes and
  // then all pulls.
  for (const auto& [gpus, streams] : {std::pair{1, 4}, {2, 2}, {3, 2}, {4, 1}}) {
    Fixture f{2, 4};
    for (const VertexId gpu : f.node(0).gpus)
      f.add_worker(gpu);
    f.placement.servers = {f.node(1).host};
    f.job.training.settings.set("gpus_per_process", gpus);
    f.no_overlap();
    f.job.training.settings.set("messages_in_flight", 0);
    f.transports["grpc"].stream_limit = BytesPerSecond{0.1e9};
    EXPECT_NEAR(f.time(), 0.457 + 2 * 4.0 / streams * S / 0.1e9, 1e-3) << gpus;
  }
}

TEST(ParameterServer, AServerMovesWhatTheCoresOfItsMachineCan)
{
  // 2 s of a core for a GB. A server on a machine of one core moves 0.5 GB/s in each direction for all eight workers: T
  // = t + 2 W S / 0.5 GB/s; two cores 1 GB/s; two servers there half of that each, and half of S each. What the
  // scenario says of the server itself counts instead.
  for (const auto& [cores, servers, rate, said] :
       {std::tuple{1, 1, 0.5e9, 0.0}, {2, 1, 1e9, 0.0}, {2, 2, 0.5e9 * 2, 0.0}, {1, 1, 0.7e9, 0.7e9}}) {
    Fixture f{9, 1, BytesPerSecond{100e9}, BytesPerSecond{1e18}, cores};
    for (int w = 0; w < 8; ++w)
      f.add_worker(f.node(w).gpus[0]);
    for (int s = 0; s < servers; ++s)
      f.placement.servers.push_back(f.node(8).host);
    f.no_overlap();
    f.transports["grpc"].cpu_per_byte = SecondsPerByte{2e-9};
    if (said > 0)
      f.job.training.settings.set("server_rate", said);
    EXPECT_NEAR(f.time(), 0.457 + 2 * 8 * S / rate, 1e-3) << cores << ' ' << servers;
  }
}

TEST(ParameterServer, BadSettingsAreNamedWithAWayOut)
{
  Fixture f = separate(2, 1);
  f.placement.servers.clear();
  f.job.training.settings.set("update_rule", "asynk");
  f.job.training.settings.set("transport", "grcp");
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    messages.push_back(diagnostic.message);
  EXPECT_THAT(messages, testing::UnorderedElementsAre(testing::HasSubstr("'async'"), testing::HasSubstr("'grpc'"),
                                                      testing::HasSubstr("servers: 1")));
}

TEST(ParameterServer, AMachineThatAddsUpItsGradientsIsOneProcess)
{
  Fixture f = separate(2, 1);
  f.job.training.settings.set("worker_processes", "gpu");
  f.job.training.settings.set("local_aggregation", "host");
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  ASSERT_EQ(diagnostics.sorted().size(), 1U);
  EXPECT_THAT(diagnostics.sorted().front().message, testing::HasSubstr("write 'worker_processes: machine'"));
}

TEST(ParameterServer, SettingsOfAnotherPolicyAreWarnedAbout)
{
  Fixture f = separate(2, 1);
  f.job.training.settings.set("staleness", 2);
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  ASSERT_EQ(diagnostics.sorted().size(), 1U);
  EXPECT_EQ(diagnostics.sorted().front().severity, Severity::warning);
  EXPECT_EQ(diagnostics.sorted().front().message,
            "'staleness' has no effect with update_rule: sync; it belongs to bounded");
}

TEST(ParameterServer, AnUpdateWaitsForAWorkerAtLeast)
{
  for (const int backups : {1, 2}) {
    Fixture f = separate(2, 1);
    f.job.training.settings.set("backup_workers", backups);
    Diagnostics diagnostics;
    Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
    ASSERT_EQ(diagnostics.has_errors(), backups == 2);
    if (backups == 2) {
      EXPECT_EQ(diagnostics.sorted().front().message,
                "'backup_workers' is 2, but of 2 workers an update waits for one at least; write 1 or fewer");
    }
  }
}

// Three machines of two workers each.
TEST(ParameterServer, AnUpdateWaitsForAMachineAtLeastWhereThoseSumGradients)
{
  const auto first_message = [](int machines, int backups, const std::string& rule, const std::string& sums) {
    Fixture f{machines + 1, 2};
    for (int w = 0; w < 2 * machines; ++w)
      f.add_worker(f.node(w / 2).gpus[static_cast<std::size_t>(w % 2)]);
    f.placement.servers = {f.node(machines).host};
    f.job.training.settings.set("backup_workers", backups);
    f.job.training.settings.set("update_rule", rule);
    f.job.training.settings.set("local_aggregation", sums);
    Diagnostics diagnostics;
    Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
    return diagnostics.has_errors() ? diagnostics.sorted().front().message : "";
  };
  EXPECT_EQ(first_message(3, 2, "sync", "host"), "");
  EXPECT_EQ(first_message(3, 3, "sync", "host"),
            "'backup_workers' is 3, but of 3 machines an update waits for one at least; write 2 or fewer");
  EXPECT_EQ(first_message(3, 5, "sync_replicas", "none"), "");
  EXPECT_EQ(first_message(3, 6, "sync_replicas", "none"),
            "'backup_workers' is 6, but of 6 workers an update waits for one at least; write 5 or fewer");
  EXPECT_EQ(first_message(1, 1, "sync", "host"),
            "'backup_workers' is 1, but an update waits for the only machine; write 0");
  EXPECT_EQ(first_message(3, 8, "async", "none"), ""); // a warning: it has no effect
}

// One computes longer: nothing stands for it.
TEST(ParameterServer, OneForAllHasNoEffectWhereWorkersDiffer)
{
  for (const bool alike : {true, false}) {
    Fixture f{4};
    for (int w = 0; w < 3; ++w)
      f.add_worker(f.node(w).gpus[0], alike || w < 2 ? 0.1 : 0.2);
    f.placement.servers = {f.node(3).host};
    f.job.training.settings.set("one_represents_all", "yes");
    Diagnostics diagnostics;
    Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
    ASSERT_EQ(diagnostics.sorted().size(), alike ? 0U : 1U);
    if (!alike) {
      EXPECT_EQ(diagnostics.sorted().front().severity, Severity::warning);
      EXPECT_EQ(diagnostics.sorted().front().message, "'one_represents_all: yes' has no effect: workers, their "
                                                      "machines or the links that they use differ, so that all are "
                                                      "simulated");
    }
  }
}

TEST(Jitter, MeansAreOneAndDrawsDependOnTheStepOnly)
{
  const Random random{7};
  for (const char* name : {"normal", "log_normal", "gamma", "exponential_tail"}) {
    const JitterSpec jitter{name, 0.2};
    double sum = 0;
    for (int step = 0; step < 4000; ++step)
      sum += jitter_factor(jitter, random, 3, step);
    EXPECT_NEAR(sum / 4000, 1, 0.012) << name;
    EXPECT_EQ(jitter_factor(jitter, random, 3, 17), jitter_factor(jitter, random, 3, 17));
  }
  EXPECT_EQ(jitter_factor({}, random, 0, 0), 1);
}

TEST(Transports, EfficiencyIsLogLinearBetweenPoints)
{
  Transport transport;
  transport.rate = {{Bytes{1e3}, 0.2}, {Bytes{1e5}, 0.6}};
  EXPECT_DOUBLE_EQ(transport_efficiency(transport, Bytes{10}), 0.2);
  EXPECT_NEAR(transport_efficiency(transport, Bytes{1e4}), 0.4, 1e-12);
  EXPECT_DOUBLE_EQ(transport_efficiency(transport, Bytes{1e9}), 0.6);
}

// Half of a line of Ethernet is payload, all of one of InfiniBand: 102.4 MB take 164 and 82 ms each way at 10 Gbit/s.
// Where one worker of two stands for both, the server's card has half as much for it. Behind a slot of 6.25 Gbit/s,
// half of which is payload too, it takes 262 ms.
TEST(Transports, MessagesHaveInfiniBandsShareOfItsLine)
{
  const auto step = [](LinkKind network, int workers, const std::string& represents, double slot = 1e18) {
    Fixture f{workers + 1, 1, BytesPerSecond{1.25e9}, BytesPerSecond{slot}, 0, network};
    f.transports["grpc"].rate = {{Bytes{}, 0.5}};
    f.transports["grpc"].settings.set("infiniband_efficiency", 1);
    f.no_overlap();
    f.job.training.settings.set("one_represents_all", represents);
    for (int worker = 0; worker < workers; ++worker)
      f.add_worker(f.node(worker).gpus[0]);
    f.placement.servers = {f.node(workers).host};
    return f.time();
  };
  EXPECT_NEAR(step(LinkKind::ethernet, 1, "no"), 0.457 + 2 * S / 0.625e9, 1e-6);
  EXPECT_NEAR(step(LinkKind::infiniband, 1, "no"), 0.457 + 2 * S / 1.25e9, 1e-6);
  EXPECT_NEAR(step(LinkKind::infiniband, 1, "no", 0.78125e9), 0.457 + 2 * S / 0.390625e9, 1e-6);
  EXPECT_NEAR(step(LinkKind::infiniband, 2, "no"), 0.457 + 4 * S / 1.25e9, 1e-6);
  EXPECT_NEAR(step(LinkKind::infiniband, 2, "yes"), 0.457 + 4 * S / 1.25e9, 1e-6);
}

TEST(ParameterServer, InputReadersHoldTheStepWhenTheDiskIsSlow)
{
  Fixture f{3, 1, BytesPerSecond{1e18}};
  f.add_worker(f.node(0).gpus[0], 0.1);
  f.add_worker(f.node(1).gpus[0], 0.1);
  f.placement.servers = {f.node(2).host};
  f.job.input = {.source = "disk", .bytes_per_sample = Bytes{1e6}, .bandwidth = BytesPerSecond{320e6}};
  EXPECT_NEAR(f.time(30), 0.2, 0.01); // 64 MB per step and node at 320 MB/s
  f.job.input.source = "storage";
  EXPECT_NEAR(f.time(30), 0.4, 0.02); // both read from one store
}

} // namespace
} // namespace trainyard
