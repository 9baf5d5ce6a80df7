// SPDX-License-Identifier: Apache-2.0
// Hand-worked steps of the parameter-server modes. S = 102.4 MB in 4 equal variables, t = 0.457 s, P = 4 servers, B
// = 1.25 GB/s, full duplex, no overlap, unless a test says otherwise (the constants of the founding documents' rows).
#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/spread.hpp"
#include "sim/step/training/training_mode.hpp"
#include "sim/step/training/update_rule.hpp"
#include "sim/step/training/variable_placement.hpp"
#include "tests/training/server_fixture.hpp"
#include "tests/training/step_marks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace trainyard {
namespace {

using namespace test;

/// Eight workers of 0.1 s a step, but worker 3 of @p straggler s, and a server; links never limit.
Fixture eight_workers(double straggler)
{
  Fixture f{9, 1, BytesPerSecond{1e18}};
  for (int w = 0; w < 8; ++w)
    f.add_worker(f.node(w).gpus[0], w == 3 ? straggler : 0.1);
  f.placement.servers = {f.node(8).host};
  return f;
}

TEST(ServerExchange, SpeedUpGrowsToTheKneeAndFlattensBeyondIt)
{
  // One server at 10 Gbit/s: knee W = t P B / (2 S) = 2.8; speed-up W t / T tends to t P B / (2 S) as well.
  std::map<int, double> speed_up;
  for (const int workers : {1, 2, 4, 8, 16}) {
    Fixture f = separate(workers, 1);
    f.no_overlap();
    speed_up[workers] = workers * 0.457 / f.time();
  }
  EXPECT_NEAR(speed_up[1], 0.457 / (0.457 + 2 * S / 1.25e9), 1e-3);
  for (const int workers : {1, 2, 4, 8})
    EXPECT_GT(speed_up[2 * workers], speed_up[workers]);
  EXPECT_GT(speed_up[2] / speed_up[1], 1.5);  // below the knee a second worker helps
  EXPECT_LT(speed_up[16] / speed_up[8], 1.2); // far above it another eight do not
  EXPECT_LT(speed_up[16], 2.79);
}

TEST(ServerExchange, ServersKeepParametersAndTheOrderIsPullComputePushAggregateUpdate)
{
  Fixture f = separate(4, 2);
  f.job.training.settings.set("aggregate_bandwidth", 10e9);
  f.job.training.settings.set("update_bandwidth", 10e9);
  const StepProgram program = f.program(2);
  const std::vector<VertexId> one{f.placement.workers[0]};
  EXPECT_NEAR(bytes_between(program, one, f.placement.servers), 2 * S, 1);                     // S out per step
  EXPECT_NEAR(bytes_between(program, f.placement.servers, one), 2 * S, 1);                     // S in per step
  EXPECT_NEAR(bytes_between(program, f.placement.workers, f.placement.servers), 2 * 4 * S, 1); // servers receive W S
  EXPECT_NEAR(bytes_between(program, f.placement.servers, f.placement.workers), 2 * 4 * S, 1); // and send W S
  const StepTrace trace = f.run(program);
  std::map<std::pair<int, Role>, std::pair<double, double>>
      when; // of layer0's variable in each step: first begin, last end
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& o = program.operations[i];
    if (o.name.text().ends_with("v0") || o.name.text().ends_with("layer0")) {
      auto& [begin, end] = when.try_emplace({o.step, o.role}, 1e9, 0.0).first->second;
      begin = std::min(begin, trace.spans[i].begin.value());
      end = std::max(end, trace.spans[i].end.value());
    }
  }
  for (const int step : {0, 1}) {
    EXPECT_LE((when[{step, Role::pull}].second), (when[{step, Role::forward}].second));
    EXPECT_LE((when[{step, Role::forward}].second), (when[{step, Role::backward}].first));
    EXPECT_LE((when[{step, Role::backward}].first), (when[{step, Role::push}].first));
    EXPECT_LE((when[{step, Role::push}].first), (when[{step, Role::aggregate}].first));
    EXPECT_LE((when[{step, Role::aggregate}].second), (when[{step, Role::update}].first));
  }
  EXPECT_LE((when[{0, Role::update}].second), (when[{1, Role::pull}].first));
}

TEST(ServerExchange, ACopyIntoTheBufferIsAsSlowAsTheStepThatItBelongsTo)
{
  // What is drawn for a worker's step stretches all of its computing: copies stay in proportion to the forward pass.
  Fixture f = eight_workers(0.1);
  f.job.jitter = {"normal", 0.2};
  f.job.training.settings.set("push", "after_backward");
  f.job.training.settings.set("fuse_per_tensor", 1e-3);
  std::map<std::pair<int, int>, std::pair<double, double>> took; // by worker and step: forward, copies
  for (const Operation& o : f.program(3).operations)
    if (const auto* compute = std::get_if<Compute>(&o.work); compute != nullptr && o.worker >= 0) {
      auto& [forward, copies] = took[{o.worker, o.step}];
      forward += o.role == Role::forward ? compute->duration.value() : 0;
      copies += o.name == "fuse" ? compute->duration.value() : 0;
    }
  ASSERT_EQ(took.size(), 8U * 3);
  const auto [first_forward, first_copies] = took.begin()->second;
  EXPECT_GT(first_copies, 0);
  double least = 1e9, most = 0;
  for (const auto& [step, both] : took) {
    EXPECT_NEAR(both.second / both.first, first_copies / first_forward, 1e-9) << step.first << " " << step.second;
    least = std::min(least, both.second);
    most = std::max(most, both.second);
  }
  EXPECT_GT(most, 1.2 * least); // 24 draws of a deviation of 0.2
}

TEST(ServerExchange, SynchronousStepIsTheSlowestWorkers)
{
  Fixture f = eight_workers(0.3);
  const StepProgram program = f.program(5);
  EXPECT_NEAR(0.1 / (f.run(program).end.value() / 5), 1.0 / 3, 1e-6); // 33.3 % of ideal
  EXPECT_TRUE(staleness(program, f.run(program)).empty());            // one version: nothing is stale
}

TEST(ServerExchange, OneBackupWorkerHidesTheStraggler)
{
  Fixture f = eight_workers(0.3);
  f.job.training.settings.set("backup_workers", 1);
  const StepProgram program = f.program(6);
  const StepTrace trace = f.run(program);
  double last = 0;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (std::holds_alternative<StepEnd>(program.operations[i].work))
      last = std::max(last, trace.spans[i].end.value());
  EXPECT_NEAR(last / 6, 0.1, 1e-6);
  EXPECT_DOUBLE_EQ(program.samples_per_step, 7 * 64); // what comes too late is dropped
}

// Machines of 4, 4 and 1 workers sum their gradients first, and all arrive at 0.1 s but the last one, at 0.3: 8 of 9
// workers count. Where it is a machine of 4 that is late, 5 do. With tokens, too, once those of the start are used up:
// by then the others have made two further steps, so that its gradients are too old.
TEST(ServerExchange, ABackupThatIsAMachineDropsItsWorkersGradients)
{
  for (const std::string rule : {"sync", "sync_replicas"})
    for (const bool small : {true, false}) {
      Fixture f{4, 4, BytesPerSecond{1e18}};
      for (int w = 0; w < 9; ++w)
        f.add_worker(f.node(w / 4).gpus[static_cast<std::size_t>(w % 4)], (small ? w == 8 : w < 4) ? 0.3 : 0.1);
      f.placement.servers = {f.node(3).host};
      f.job.training.settings.set("local_aggregation", "host");
      f.job.training.settings.set("backup_workers", 1);
      f.job.training.settings.set("update_rule", rule);
      EXPECT_DOUBLE_EQ(f.program(12).samples_per_step, (small ? 8 : 5) * 64) << rule << small;
    }
}

std::vector<double> ends_of_steps(const Fixture& f, int steps)
{
  const StepProgram program = f.program(steps);
  const StepTrace trace = f.run(program);
  std::vector<double> ends;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (std::holds_alternative<StepEnd>(program.operations[i].work))
      ends.push_back(trace.spans[i].end.value());
  return ends;
}

// Both workers use their tokens of the start for gradients that come too late: one round, 0.1 s (SyncTokens). From then
// on they wait for each other as with `sync`.
TEST(ServerExchange, TokensOfTheStartCostARoundAndThenTheStepIsABarrier)
{
  Fixture f = eight_workers(0.1);
  f.job.training.settings.set("update_rule", "sync_replicas");
  EXPECT_THAT(ends_of_steps(f, 4), ::testing::Pointwise(::testing::DoubleNear(1e-7), {0.1, 0.3, 0.4, 0.5}));
  f.job.training.settings.set("initial_tokens", 0);
  EXPECT_THAT(ends_of_steps(f, 3), ::testing::Pointwise(::testing::DoubleNear(1e-7), {0.1, 0.2, 0.3}));
}

// An update makes 8 tokens, and all are used: by 7 gradients that count and one that comes too late. The 7 fast workers
// and the slow one make 73.3 gradients a second: 9.2 updates at most, where `sync` with a backup has 10, for workers
// wait for tokens at times. Messages take no time here, so it is the schedule's rate. A step has the samples of 7
// workers.
TEST(ServerExchange, AGradientTooLateCostsATokenOfTheFastWorkers)
{
  Fixture f = eight_workers(0.3);
  f.job.training.settings.set("update_rule", "sync_replicas");
  f.job.training.settings.set("backup_workers", 1);
  const std::vector<double> ends = ends_of_steps(f, 80);
  const double rate = 60 / (ends[79] - ends[19]);
  EXPECT_LE(rate, (70 + 1 / 0.3) / 8 * (1 + 1e-6));
  EXPECT_GT(rate, 1 / 0.3);
  EXPECT_NEAR(rate, token_update_rate({8, 7}, {10, 10, 10, 1 / 0.3, 10, 10, 10, 10}), 1e-5 * rate);
  EXPECT_DOUBLE_EQ(f.program(1).samples_per_step, 7 * 64);
}

// One worker, one server, 20.48 ms for each of four tensors one way, but 204.8 ms for the last layer's. Computing takes
// 0.457 s: 152.3 ms forward, 76.17 ms for each layer of the backward pass, which is over at 304.67 ms from its begin.
// Pushes go out as they become ready: v3 until 280.97, v2 301.45, v1 321.93, v0 342.41. Pulls take turns in the order
// of the layers: v3 280.97 to 485.77, v0 until 506.25, v1 526.73, v2 547.21.
TEST(ServerExchange, ByLayerTheForwardPassBeginsWithTheFirstVariables)
{
  Fixture f = separate(1, 1);
  f.dnn.layers[3].parameters[0].elements = 64e6;
  f.job.training.settings.set("pull_order", "layer");
  f.job.training.settings.set("pull", "after_update");
  const std::vector<double> all = ends_of_steps(f, 4);
  EXPECT_NEAR(all[3] - all[2], 0.457 / 3 + 0.54721, 1e-4); // a step begins with the last variable
  f.job.training.settings.set("pull", "by_layer");
  const std::vector<double> own = ends_of_steps(f, 4);
  EXPECT_NEAR(own[3] - own[2], 0.457 / 3 + 0.50625, 1e-4); // with v0: v1 and v2 come while it computes
}

TEST(ServerExchange, AsynchronousRateIsTheSumOfTheWorkersRates)
{
  Fixture f = eight_workers(0.3);
  f.job.training.settings.set("update_rule", "async");
  const StepProgram program = f.program(31);
  const StepTrace trace = f.run(program);
  EXPECT_NEAR(worker_steps_per_second(program, trace) / 80, 0.9167, 0.0005); // (7 + 1/3) / 8
  for (const Staleness& s : staleness(program, trace))
    EXPECT_NEAR(s.mean, s.worker == 3 ? 21 : 6 + 1.0 / 3, 0.4)
        << s.worker; // the straggler misses 3 updates of each of the 7 others
}

TEST(ServerExchange, EqualWorkersMissEachOthersUpdateOnce)
{
  Fixture f = eight_workers(0.1);
  f.job.training.settings.set("update_rule", "async");
  const StepProgram program = f.program(20);
  for (const Staleness& s : staleness(program, f.run(program)))
    EXPECT_DOUBLE_EQ(s.mean, 7); // W - 1
}

TEST(ServerExchange, FreeRunningWorkersTakeTurnsAtABusyServer)
{
  // 8 workers, one server at 10 Gbit/s: together they would all pull, then all compute; spread, the server's card is
  // never idle.
  Fixture f = separate(8, 1);
  f.no_overlap();
  const double together = 8 / f.time(4);
  f.job.training.settings.set("update_rule", "async");
  const StepProgram program = f.program(30);
  const double apart = worker_steps_per_second(program, f.run(program));
  EXPECT_GT(apart, 1.1 * together);
  EXPECT_LT(apart, 1.25e9 / S * 1.001); // what the card sends
}

TEST(ServerExchange, LocalToGlobalStepsFollowTheWorkersSpeeds)
{
  for (const double speed : {1.0, 0.949}) {
    Fixture f{3, 1, BytesPerSecond{1e18}};
    f.add_worker(f.node(0).gpus[0], 0.1);
    f.add_worker(f.node(1).gpus[0], 0.1 / speed);
    f.placement.servers = {f.node(2).host};
    f.job.training.settings.set("update_rule", "async");
    const StepProgram program = f.program(1000);
    int local = 0;
    int global = 0;
    for (const Operation& operation : program.operations)
      if (const auto* end = std::get_if<StepEnd>(&operation.work)) {
        ++global;
        local += end->worker == 0 ? 1 : 0;
      }
    EXPECT_NEAR(static_cast<double>(global) / local, 1 + speed, 0.002); // the log's 7,399 / 3,797 = 1.949
  }
}

TEST(UpdateRules, BoundedWorkersAreNeverFurtherApartThanTheBound)
{
  for (const int bound : {0, 1, 4}) {
    Fixture f = eight_workers(0.3);
    f.job.training.settings.set("update_rule", "bounded");
    f.job.training.settings.set("staleness", bound);
    const StepProgram program = f.program(12);
    const StepTrace trace = f.run(program);
    std::map<int, std::map<int, double>> begin; // worker, step
    std::map<int, std::map<int, double>> end;
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      const Operation& o = program.operations[i];
      if (o.role == Role::forward) { // which has all tensors: each is given out by itself
        auto& b = begin[o.worker].try_emplace(o.step, 1e9).first->second;
        b = std::min(b, trace.spans[i].begin.value());
      }
      if (const auto* mark = std::get_if<StepEnd>(&o.work))
        end[mark->worker][mark->step] = trace.spans[i].end.value();
    }
    int widest = 0;
    for (const auto& [worker, steps] : begin)
      for (const auto& [step, time] : steps)
        for (const auto& [other, finished] : end) {
          int done = 0; // steps of the other that have ended when this one begins
          for (const auto& [s, t] : finished)
            done += t <= time + 1e-9 ? 1 : 0;
          widest = std::max(widest, step - done);
        }
    EXPECT_EQ(widest, bound);
  }
}

TEST(ServerExchange, InGraphThroughputIsFlatBeyondWhatTheClientFeeds)
{
  // W_max = t B / batch bytes = 0.457 * 1.25e9 / 38.5e6 = 14.8 (1.5 at 1 Gbit/s).
  for (const auto& [bandwidth, limit] : {std::pair{1.25e9, 14.84}, {0.125e9, 1.484}}) {
    std::map<int, double> rate;
    for (const int workers : {1, 2, 8, 12, 16, 32}) {
      Fixture f{workers + 1, 1, BytesPerSecond{1e18}};
      Cluster& cluster = f.cluster;
      const VertexId client = cluster.add_vertex({VertexKind::host, "client", NodeId{workers + 1}});
      cluster.add_link("client/nic", LinkKind::ethernet, client, f.hub, BytesPerSecond{bandwidth}, Seconds{});
      cluster.add_node({.name = "client", .host = client});
      f.job.training.mode = "in_graph";
      f.dnn.input_bytes = 38.5e6 / 64;
      for (int w = 0; w < workers; ++w)
        f.add_worker(f.node(w).gpus[0]);
      f.placement.servers = {f.node(workers).host};
      f.placement.client = client;
      rate[workers] = workers / f.time(20);
      EXPECT_NEAR(rate[workers] * 0.457, std::min<double>(workers, limit), 0.06 * std::min<double>(workers, limit))
          << workers;
    }
    EXPECT_NEAR(rate[32] / rate[16], 1, 0.03); // 20 steps, of which the last is computed after the last feed
  }
}

TEST(ServerExchange, BetweenGraphGrowsWhereInGraphIsFlat)
{
  std::map<int, double> rate;
  for (const int workers : {8, 16, 32}) {
    Fixture f = separate(workers, workers);
    f.dnn.input_bytes = 38.5e6 / 64;
    f.job.training.settings.set("variable_placement", "partitioned");
    f.job.training.settings.set("partition_size", 1e6);
    f.job.training.settings.set("messages_per_step", 100000);
    rate[workers] = workers / f.time(2);
  }
  EXPECT_NEAR(rate[16] / rate[8], 2, 0.1); // the parts do not divide evenly over more servers
  EXPECT_NEAR(rate[32] / rate[16], 2, 0.1);
}

TEST(ServerExchange, LinearRegressionAcrossTasksIsBoundByLatency)
{
  // w and b on a server, two workers whose kernels take 1 us: two scalars of 4 B move by messages of 100 us.
  const auto time = [](double latency, double bandwidth) {
    Fixture f{3, 1, BytesPerSecond{bandwidth}};
    f.dnn.layers = {{.name = "linear", .parameters = {{.name = "w", .elements = 1}, {.name = "b", .elements = 1}}}};
    f.add_worker(f.node(0).gpus[0], 1e-6);
    f.add_worker(f.node(1).gpus[0], 1e-6);
    f.placement.servers = {f.node(2).host};
    f.transports["grpc"].latency = Seconds{latency};
    return f.time(101);
  };
  const double base = time(100e-6, 1.25e9);
  EXPECT_NEAR(time(200e-6, 1.25e9) / base, 2, 0.1);
  EXPECT_NEAR(time(100e-6, 12.5e9) / base, 1, 0.01);
  EXPECT_LT(1e-6 / base, 0.01); // GPUs idle more than 99 %
}

TEST(ServerExchange, LayersComputeInOrderAndTheExchangeBeginsWithTheLast)
{
  Fixture f = separate(2, 1);
  const StepProgram program = f.program();
  const StepTrace trace = f.run(program);
  std::map<std::string, Span> first; // of worker 0
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].worker == 0)
      first.try_emplace(program.operations[i].name.text(), trace.spans[i]);
  for (int layer = 0; layer < 3; ++layer) {
    const std::string below = std::to_string(layer);
    const std::string above = std::to_string(layer + 1);
    EXPECT_LE(first["forward layer" + below].end, first["forward layer" + above].begin);
    EXPECT_LE(first["backward layer" + above].end, first["backward layer" + below].begin);
    EXPECT_LE(first["push v" + above].begin, first["push v" + below].begin);
  }
  EXPECT_EQ(first["push v3"].begin,
            first["backward layer3"].end); // the last layer's gradient leaves first, before the pass is over
}

TEST(ServerExchange, EqualSharesWaitForTheSlowestAndForTheExchange)
{
  const auto efficiency = [](double elements, double latency) {
    Fixture f = separate(4, 4);
    f.no_overlap();
    for (Layer& layer : f.dnn.layers)
      layer.parameters[0].elements = elements;
    f.transports["grpc"].latency = Seconds{latency};
    return 0.457 / f.time();
  };
  EXPECT_GT(efficiency(1e3, 0), 0.999);                    // little data, no latency: no loss
  EXPECT_LT(efficiency(6.4e6, 0), 0.8);                    // more bytes alone
  EXPECT_NEAR(efficiency(1e3, 0.05), 0.457 / 0.557, 1e-3); // more latency alone: push and pull wait 50 ms each
  Fixture f{5, 1, BytesPerSecond{1e18}};
  for (const double share : {0.1, 0.1, 0.13, 0.1})
    f.add_worker(f.node(static_cast<int>(f.workers.size())).gpus[0], share);
  f.placement.servers = {f.node(4).host};
  EXPECT_NEAR(f.time(3), 0.13, 1e-6); // the slowest share
}

TEST(ServerExchange, WorkersTalkToEveryServerAndNeverToEachOther)
{
  const Fixture f = separate(3, 4);
  const StepProgram program = f.program();
  for (const VertexId worker : f.placement.workers)
    for (const VertexId server : f.placement.servers) {
      EXPECT_GT(bytes_between(program, {worker}, {server}), 0);
      EXPECT_GT(bytes_between(program, {server}, {worker}), 0);
    }
  EXPECT_EQ(bytes_between(program, f.placement.workers, f.placement.workers), 0);
}

TEST(ServerExchange, MultiTowerEqualsFourBetweenGraphWorkersOnAnIdealFabric)
{
  Fixture towers{1, 4, BytesPerSecond{1e18}, BytesPerSecond{12e9}};
  towers.job.training.mode = "multi_tower";
  Fixture graph{1, 4, BytesPerSecond{1e18}, BytesPerSecond{12e9}};
  for (int w = 0; w < 4; ++w) {
    towers.add_worker(towers.node(0).gpus[static_cast<std::size_t>(w)]);
    graph.add_worker(graph.node(0).gpus[static_cast<std::size_t>(w)]);
  }
  graph.placement.servers = {graph.node(0).host};
  const StepProgram local = towers.program(3);
  for (const Operation& operation : local.operations)
    EXPECT_FALSE(std::holds_alternative<Transfer>(operation.work)); // 0 bytes on the NIC
  EXPECT_NEAR(towers.time(3), graph.time(3), 0.01 * graph.time(3));
  graph.transports["grpc"].endpoint_limit = BytesPerSecond{0.5e9};
  EXPECT_GT(graph.time(3), 1.05 * towers.time(3));
}

TEST(ServerExchange, OneMachineKeepsAllTrafficLocal)
{
  Fixture f{1, 2};
  f.add_worker(f.node(0).gpus[0]);
  f.add_worker(f.node(0).gpus[1]);
  f.placement.servers = {f.node(0).host};
  for (const Operation& operation : f.program().operations)
    if (const auto* transfer = std::get_if<Transfer>(&operation.work)) {
      for (const LinkId link : f.cluster.route(transfer->from, transfer->to))
        EXPECT_EQ(f.cluster.link(link).kind, LinkKind::pcie);
    }
}

TEST(ServerExchange, EfficiencyOfParameterServersCollapsesAfterElevenWorkers)
{
  // Efficiency t / T with T = t + 2 W S / (P B): 58 % (8), 50 % (11), 41 % (16), 15 % (64).
  for (const auto& [workers, efficiency] : {std::pair{8, 0.58}, {11, 0.50}, {16, 0.41}, {64, 0.15}}) {
    Fixture f = separate(workers, 4);
    f.no_overlap();
    EXPECT_NEAR(0.457 / f.time(), efficiency, 0.011) << workers;
  }
}

TEST(ServerExchange, GrpcHoldsAServerAtItsOwnRateWhateverTheLink)
{
  std::array<double, 2> time{};
  for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
    Fixture f{12, 1, BytesPerSecond{index == 0 ? 1.25e9 : 12.5e9}};
    for (int w = 0; w < 8; ++w)
      f.add_worker(f.node(w).gpus[0]);
    for (int s = 0; s < 4; ++s)
      f.placement.servers.push_back(f.node(8 + s).host);
    f.no_overlap();
    f.transports["grpc"].endpoint_limit = BytesPerSecond{0.5e9};
    time[index] = f.time();
  }
  EXPECT_NEAR(time[0], 0.457 + 2 * 8 * S / (4 * 0.5e9), 1e-3);
  EXPECT_NEAR(time[0], time[1], 1e-6); // 10 and 100 GbE equal
}

} // namespace
} // namespace trainyard
