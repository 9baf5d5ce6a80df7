// SPDX-License-Identifier: Apache-2.0
#include "sim/results/breakdown.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::Test;

/// worker-0 and ps-0 joined by one switch, 1 GB/s each way.
struct TwoNodes : Test {
  TwoNodes()
  {
    const VertexId ports = cluster.add_vertex({VertexKind::network_switch, "switch-0", {}});
    for (const std::string name : {"worker-0", "server-0"}) {
      const VertexId host =
          cluster.add_vertex({VertexKind::host, name + "/host", NodeId{static_cast<int>(cluster.nodes().size())}});
      Node node;
      node.name = name;
      node.host = host;
      cluster.add_node(node);
      up.push_back(
          cluster.add_link(name + " > switch", LinkKind::ethernet, host, ports, BytesPerSecond{1e9}, Seconds{0}));
      hosts.push_back(host);
    }
    placement.workers = {hosts[0]};
    placement.servers = {hosts[1]};
    program.job = "train";
    program.samples_per_step = 32;
    gpu = program.add(Lane{.name = "worker-0 compute", .kind = LaneKind::compute, .node = NodeId{0}});
  }

  OperationId compute(std::string name, double seconds, std::vector<OperationId> after, int worker = 0)
  {
    return program.add(Operation{
        std::move(name), Role::forward, Compute{Seconds{seconds}, {}, {}}, {gpu}, std::move(after), 0, 0, worker});
  }
  OperationId push(std::vector<OperationId> after)
  {
    return program.add(Operation{
        "push fc6", Role::push, Transfer{hosts[0], hosts[1], Bytes{1e9}, {}, {}}, {}, std::move(after), 0, 0, 0});
  }
  OperationId mark(std::vector<OperationId> after, int step = 0, int worker = -1)
  {
    return program.add(Operation{"", Role::other, StepEnd{step, worker}, {}, std::move(after), 0, step, worker});
  }
  void ran(double begin, double end)
  {
    trace.spans.push_back({OperationId{static_cast<int>(trace.spans.size())}, Seconds{begin}, Seconds{end}});
  }

  Cluster cluster;
  std::vector<LinkId> up;
  std::vector<VertexId> hosts;
  Placement placement;
  StepProgram program;
  StepTrace trace;
  LaneId gpu;
};

using BreakdownTest = TwoNodes;

// Work after work of the same GPU is no message; the pushes and what waits for them are.
TEST_F(BreakdownTest, SpansKnowTheMessagesThatTheyWaitedFor)
{
  const OperationId forward = compute("forward", 1, {});
  const OperationId backward = compute("backward", 1, {forward});
  const OperationId sent = push({backward});
  const LaneId cpu = program.add(Lane{.name = "CPU of ps-0", .kind = LaneKind::host, .node = NodeId{1}});
  program.add(Operation{"aggregate", Role::aggregate, HostWork{Seconds{0.5}}, {cpu}, {forward, sent}, 0, 0, -1});
  ran(0, 1);
  ran(1, 2);
  ran(2, 5);
  ran(5, 5.5);
  const std::vector<TraceSpan> spans = trace_spans(program, trace);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_TRUE(spans[1].waited_for.empty());
  EXPECT_EQ(spans[2].waited_for, std::vector<int>{backward.index});
  EXPECT_EQ(spans[3].waited_for, std::vector<int>{sent.index});
  EXPECT_EQ(spans[3].operation, 3);
}

// compute 0-1, push 1-4, aggregate on the server 4-4.5: step of 4.5 s = 1 compute + 3 exposed + 0.5 wait.
TEST_F(BreakdownTest, SplitsAStepIntoComputeExposedCommunicationAndWait)
{
  const OperationId forward = compute("forward", 1, {});
  const OperationId sent = push({forward});
  const LaneId cpu = program.add(Lane{.name = "CPU of ps-0", .kind = LaneKind::host, .node = NodeId{1}});
  const OperationId summed =
      program.add(Operation{"aggregate fc6", Role::aggregate, HostWork{Seconds{0.5}}, {cpu}, {sent}, 0, 0, -1});
  mark({summed});
  ran(0, 1);
  ran(1, 4);
  ran(4, 4.5);
  ran(4.5, 4.5);
  trace.end = Seconds{4.5};
  trace.links = {{up[0], Bytes{2.9e9}, Seconds{3}}};

  const Breakdown result = breakdown(cluster, placement, program, trace);
  EXPECT_DOUBLE_EQ(result.step.value(), 4.5);
  EXPECT_DOUBLE_EQ(result.compute.value(), 1);
  EXPECT_DOUBLE_EQ(result.exposed_communication.value(), 3);
  EXPECT_DOUBLE_EQ(result.wait.value(), 0.5);
  EXPECT_DOUBLE_EQ(result.samples_per_second, 32 / 4.5);
  ASSERT_EQ(result.critical_path.size(), 3U);
  EXPECT_EQ(result.critical_path[0].name, "forward");
  EXPECT_EQ(result.critical_path[1].name, "push fc6");
  EXPECT_EQ(result.critical_path[2].lane, "CPU of ps-0");
  EXPECT_EQ(result.bottleneck.text, "NIC of worker-0: 64 % busy"); // 2.9 GB over 1 GB/s x 4.5 s
}

// The push of 0.5-1.5 runs behind compute 0-1: only half of it is exposed.
TEST_F(BreakdownTest, DoesNotCountCommunicationThatHidesBehindCompute)
{
  const OperationId first = compute("backward a", 0.5, {});
  const OperationId sent = push({first});
  const OperationId second = compute("backward b", 0.5, {first});
  mark({sent, second});
  ran(0, 0.5);
  ran(0.5, 1.5);
  ran(0.5, 1);
  ran(1.5, 1.5);
  trace.end = Seconds{1.5};
  const Breakdown result = breakdown(cluster, placement, program, trace);
  EXPECT_DOUBLE_EQ(result.compute.value(), 1);
  EXPECT_DOUBLE_EQ(result.exposed_communication.value(), 0.5);
  EXPECT_DOUBLE_EQ(result.wait.value(), 0);
  EXPECT_EQ(result.bottleneck.text, "GPU compute: 67 % of the step");
}

// 1 s of operations, in which the GPU computes a quarter and the host starts operators all the time; then a message of
// 0.5 s.
TEST_F(BreakdownTest, NamesTheHostWhereTheGpuWaitsForIt)
{
  const OperationId forward = compute("forward", 1, {});
  const OperationId sent = push({forward});
  mark({sent});
  ran(0, 1);
  ran(1, 1.5);
  ran(1.5, 1.5);
  trace.end = Seconds{1.5};
  const std::vector<ComputeShares> shares{{0.25, 1}};
  const Breakdown result = breakdown(cluster, placement, program, trace, 1, "transport", shares);
  EXPECT_DOUBLE_EQ(result.compute.value(), 0.25);
  EXPECT_DOUBLE_EQ(result.host.value(), 0.75);
  EXPECT_DOUBLE_EQ(result.exposed_communication.value(), 0.5);
  EXPECT_EQ(result.bottleneck.text,
            "host starting operators: 67 % of the step, in which the GPU computes 17 %"); // 1 / 1.5, 0.25 / 1.5
  ASSERT_GE(result.busiest.size(), 2U);
  EXPECT_EQ(result.busiest[0].name, "host, starting operators");
  EXPECT_NEAR(result.busiest[0].utilisation, 1 / 1.5, 1e-12);
  EXPECT_EQ(result.busiest[1].name, "worker-0 compute");
  EXPECT_NEAR(result.busiest[1].utilisation, 0.25 / 1.5, 1e-12);
  EXPECT_NEAR(result.busiest[1].busy, 1 / 1.5, 1e-12);
}

// 1 s of computing in a step of 1.5 s, on the CPUs of the machine: no GPU is named.
TEST_F(BreakdownTest, NamesTheCpuWhereTheWorkerComputesOnIt)
{
  const OperationId forward = compute("forward", 1, {});
  const OperationId sent = push({forward});
  mark({sent});
  ran(0, 1);
  ran(1, 1.5);
  ran(1.5, 1.5);
  trace.end = Seconds{1.5};
  const std::vector<ComputeShares> shares{{.on_cpu = true}};
  EXPECT_EQ(breakdown(cluster, placement, program, trace, 1, "transport", shares).bottleneck.text,
            "CPU compute: 67 % of the step"); // 1 / 1.5
  EXPECT_EQ(breakdown(cluster, placement, program, trace).bottleneck.text, "GPU compute: 67 % of the step");
}

// The host is busy for 0.8 of the time, and the GPU never waits: the GPU is the bottleneck.
TEST_F(BreakdownTest, NamesTheGpuWhereTheHostKeepsUp)
{
  mark({compute("forward", 1, {})});
  ran(0, 1);
  ran(1, 1);
  trace.end = Seconds{1};
  const std::vector<ComputeShares> shares{{1, 0.9}};
  const Breakdown result = breakdown(cluster, placement, program, trace, 1, "transport", shares);
  EXPECT_EQ(result.host.value(), 0);
  EXPECT_EQ(result.bottleneck.text, "GPU compute: 100 % of the step");
  EXPECT_EQ(result.busiest[1].name, "host, starting operators");
}

// A first step of 5 s (filling the pipeline), then two of 2 s: the mean of those after the warm-up is 2 s.
TEST_F(BreakdownTest, LeavesTheWarmUpStepsOut)
{
  OperationId last = mark({compute("forward", 5, {})}, 0);
  ran(0, 5);
  ran(5, 5);
  for (int step = 1; step < 3; ++step) {
    last = mark({compute("forward", 2, {last})}, step);
    ran(3 + 2 * step, 5 + 2 * step);
    ran(5 + 2 * step, 5 + 2 * step);
  }
  trace.end = Seconds{9};
  EXPECT_DOUBLE_EQ(breakdown(cluster, placement, program, trace).step.value(), 2);
  EXPECT_DOUBLE_EQ(breakdown(cluster, placement, program, trace, 0).step.value(), 3);
}

// Steps of 5, 2 and 3 s, beside another job that ends after 7 s: the step of 2 s after the warm-up counts. Were it to
// end after 6 s, the second step would count all the same: there must be one after the warm-up.
TEST_F(BreakdownTest, LeavesStepsOutThatEndLater)
{
  OperationId last = mark({compute("forward", 5, {})}, 0);
  ran(0, 5);
  ran(5, 5);
  double begin = 5;
  for (const double lasts : {2.0, 3.0}) {
    last = mark({compute("forward", lasts, {last})}, lasts > 2 ? 2 : 1);
    ran(begin, begin + lasts);
    ran(begin + lasts, begin + lasts);
    begin += lasts;
  }
  trace.end = Seconds{10};
  const auto step = [&](double until) {
    return breakdown(cluster, placement, program, trace, 1, "transport", {}, {}, Seconds{until}).step.value();
  };
  EXPECT_DOUBLE_EQ(step(10), 2.5);
  EXPECT_DOUBLE_EQ(step(7), 2);
  EXPECT_DOUBLE_EQ(step(6), 2);
}

// Async: worker 0 steps in 1 s, worker 1 in 4 s, 64 samples by both: 32/1 + 32/4 = 40 samples/s, and worker 1 is the
// critical one.
TEST_F(BreakdownTest, AddsTheRatesOfWorkersThatRunFreely)
{
  program.samples_per_step = 64;
  const LaneId other = program.add(Lane{.name = "worker-1 compute", .kind = LaneKind::compute, .node = NodeId{1}});
  mark({compute("forward", 1, {})}, 0, 0);
  const OperationId slow =
      program.add(Operation{"forward", Role::forward, Compute{Seconds{4}, {}, {}}, {other}, {}, 0, 0, 1});
  mark({slow}, 0, 1);
  ran(0, 1);
  ran(1, 1);
  ran(0, 4);
  ran(4, 4);
  trace.end = Seconds{4};
  const Breakdown result = breakdown(cluster, placement, program, trace, 0);
  EXPECT_DOUBLE_EQ(result.samples_per_second, 40);
  EXPECT_EQ(result.worker, 1);
  EXPECT_DOUBLE_EQ(result.step.value(), 4);
}

// b is ready at once but the lane is held by a until 3: the path leads through the lane.
TEST_F(BreakdownTest, FollowsTheLaneWhereAnOperationWaitedForIt)
{
  compute("a", 3, {});
  const OperationId b = compute("b", 1, {});
  mark({b});
  ran(0, 3);
  ran(3, 4);
  ran(4, 4);
  trace.end = Seconds{4};
  const Breakdown result = breakdown(cluster, placement, program, trace);
  ASSERT_EQ(result.critical_path.size(), 1U);
  EXPECT_EQ(result.critical_path[0].name, "a … b");
  EXPECT_EQ(result.critical_path[0].operations, 2);
  EXPECT_DOUBLE_EQ(result.critical_path[0].duration.value(), 4);
}

TEST_F(BreakdownTest, NamesASaturatedServerByItsTask)
{
  const OperationId sent = push({compute("forward", 0.1, {})});
  mark({sent});
  ran(0, 0.1);
  ran(0.1, 10);
  ran(10, 10);
  trace.end = Seconds{10};
  trace.links = {{cluster.link(up[1]).reverse, Bytes{9.8e9}, Seconds{9.9}}};
  const Breakdown result = breakdown(cluster, placement, program, trace);
  EXPECT_EQ(result.busiest.front().name, "NIC of ps-0 (in)");
  EXPECT_EQ(result.bottleneck.text, "NIC of ps-0: 98 % busy");
}

/// A push of 1 GB at the library's own rate of 0.5 GB/s takes 2 s; the link of 1 GB/s could do it in one.
TEST_F(BreakdownTest, NamesAConnectionAtTheRateOfItsLibrary)
{
  const OperationId sent = push({compute("forward", 0.1, {})});
  std::get<Transfer>(program.operations.back().work).cost.limit = BytesPerSecond{5e8};
  mark({sent});
  ran(0, 0.1);
  ran(0.1, 2.1);
  ran(2.1, 2.1);
  trace.end = Seconds{2.1};
  trace.links = {{up[0], Bytes{1e9}, Seconds{2}}};
  const Breakdown result = breakdown(cluster, placement, program, trace, 1, "gRPC");
  EXPECT_EQ(result.busiest.front().name, "one gRPC connection of 500 MB/s");
  EXPECT_DOUBLE_EQ(result.busiest.front().utilisation, 2 / 2.1);
  EXPECT_EQ(result.bottleneck.text, "one gRPC connection of 500 MB/s: 95 % busy");
}

/// Two channels of a ring of two ranks: each sends and receives half of its half in two rounds, 0.25 GB each, 1 s
/// together.
TEST_F(BreakdownTest, NamesAConnectionOfACollective)
{
  const OperationId first = compute("forward", 0.1, {});
  CollectiveCall ring{.ranks = std::vector{hosts[0], hosts[1]}, .payload = Bytes{1e9}, .channels = 2};
  ring.cost.limit = BytesPerSecond{5e8};
  mark({program.add(Operation{"all-reduce", Role::exchange, ring, {}, {first}, 0, 0, -1})});
  ran(0, 0.1);
  ran(0.1, 1.1);
  ran(1.1, 1.1);
  trace.end = Seconds{1.1};
  trace.links = {{up[0], Bytes{1e9}, Seconds{1}}};
  EXPECT_EQ(breakdown(cluster, placement, program, trace, 1, "mpi").bottleneck.text,
            "NIC of worker-0: 91 % busy"); // as full
  trace.links = {{up[0], Bytes{5e8}, Seconds{1}}};
  EXPECT_EQ(breakdown(cluster, placement, program, trace, 1, "mpi").bottleneck.text,
            "one mpi connection of 500 MB/s: 91 % busy");
}

TEST_F(BreakdownTest, RefusesAProgramWithoutMarksAndATraceOfAnotherProgram)
{
  compute("forward", 1, {});
  EXPECT_THROW(breakdown(cluster, placement, program, trace), std::invalid_argument);
  ran(0, 1);
  EXPECT_THROW(breakdown(cluster, placement, program, trace), std::invalid_argument);
}

TEST_F(BreakdownTest, AddsUpTheJobsOfALink)
{
  StepTrace other;
  trace.end = Seconds{2};
  other.end = Seconds{4};
  trace.links = {{up[0], Bytes{1e9}, Seconds{1}}};
  other.links = {{up[0], Bytes{2e9}, Seconds{3}}};
  StepProgram second;
  second.job = "other";
  const std::vector<LinkRow> rows =
      link_rows(cluster, std::vector<const Placement*>{&placement, &placement},
                std::vector<const StepProgram*>{&program, &second}, std::vector<const StepTrace*>{&trace, &other});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rows[0].utilisation, 0.75);
  EXPECT_EQ(rows[0].jobs, (std::vector<std::string>{"train", "other"}));
  EXPECT_EQ(rows[0].label, "NIC of worker-0 (out)");
}

} // namespace
} // namespace trainyard
