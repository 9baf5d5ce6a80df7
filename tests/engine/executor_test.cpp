// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/step_program.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

/// n hosts on one switch.
Cluster star(int n, BytesPerSecond bandwidth, Seconds latency)
{
  Cluster cluster;
  const VertexId hub = cluster.add_vertex({VertexKind::network_switch, "switch", {}});
  for (int i = 0; i < n; ++i) {
    const std::string name = "host-" + std::to_string(i);
    const VertexId host = cluster.add_vertex({VertexKind::host, name, NodeId{i}});
    Node node;
    node.name = name;
    node.host = host;
    cluster.add_node(node);
    cluster.add_link(name, LinkKind::ethernet, host, hub, bandwidth, latency);
  }
  return cluster;
}

std::vector<VertexId> hosts(const Cluster& cluster)
{
  std::vector<VertexId> result;
  for (const Node& node : cluster.nodes())
    result.push_back(node.host);
  return result;
}

double all_reduce_time(const std::string& fidelity, const std::string& algorithm, int n, Bytes payload)
{
  const Cluster cluster = star(n, 12.5_GBps, 1_us);
  StepProgram program;
  program.add(Operation{.work = CollectiveCall{.algorithm = algorithm, .ranks = hosts(cluster), .payload = payload}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  return Registry<Executor>::instance().create(fidelity)->run(cluster, runs).front().end.value();
}

class Fidelity : public testing::TestWithParam<const char*>
{
};

TEST_P(Fidelity, RingOnAnUnsharedNetworkFollowsTheFormula)
{
  // 2 (n-1)/n S/B + 2 (n-1) alpha; alpha = two hops of 1 us.
  for (const int n : {2, 3, 8, 64, 512}) {
    if (n == 512 && std::string{GetParam()} == "step")
      continue; // half a million messages: RingOfManyRanks below
    const double expected = 2.0 * (n - 1) / n * 100e6 / 12.5e9 + 2.0 * (n - 1) * 2e-6;
    EXPECT_NEAR(all_reduce_time(GetParam(), "ring", n, 100_MB) / expected, 1, 1e-3) << n;
  }
}

TEST_P(Fidelity, HalvingDoublingFollowsItsFormula)
{
  // 2 (n-1)/n S/B + 2 log2(n) alpha
  for (const int n : {2, 8, 64}) {
    const double expected = 2.0 * (n - 1) / n * 100e6 / 12.5e9 + 2 * std::log2(n) * 2e-6;
    EXPECT_NEAR(all_reduce_time(GetParam(), "halving_doubling", n, 100_MB) / expected, 1, 1e-3) << n;
  }
}

TEST_P(Fidelity, ChainOnOneLaneRunsInPriorityOrder)
{
  StepProgram program;
  const LaneId lane = program.add(Lane{.name = "gpu"});
  const OperationId first = program.add(Operation{.work = Compute{.duration = 10_ms}, .lanes = {lane}});
  const OperationId late = program.add(Operation{.work = Compute{.duration = 5_ms}, .lanes = {lane}, .priority = 2});
  const OperationId early = program.add(Operation{.work = Compute{.duration = 1_ms}, .lanes = {lane}, .priority = 1});
  const OperationId last = program.add(Operation{.work = HostWork{.duration = 2_ms}, .after = {early}});
  const Cluster cluster = star(2, 1_GBps, 0_s);
  const std::vector<ProgramRun> runs{{&program, Seconds{1}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(first.index)].end.value(), 1.010, 1e-9);
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(early.index)].end.value(), 1.011, 1e-9);
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(last.index)].end.value(), 1.013, 1e-9);
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(late.index)].end.value(), 1.016, 1e-9);
  EXPECT_NEAR(trace.end.value(), 1.016, 1e-9); // the latest, not the last one listed
}

TEST_P(Fidelity, WhatBecomesReadyDoesNotOvertakeWhatWaitsForTheLane)
{
  // The second operation waits from 0 s on. At 10 ms the first one ends and makes the third one ready, which is less
  // urgent: 5 ms of the second come first, then 1 ms of the third.
  StepProgram program;
  const LaneId lane = program.add(Lane{.name = "gpu"});
  const OperationId first = program.add(Operation{.work = Compute{.duration = 10_ms}, .lanes = {lane}});
  const OperationId second = program.add(Operation{.work = Compute{.duration = 5_ms}, .lanes = {lane}, .priority = 1});
  const OperationId third =
      program.add(Operation{.work = Compute{.duration = 1_ms}, .lanes = {lane}, .after = {first}, .priority = 2});
  const Cluster cluster = star(2, 1_GBps, 0_s);
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(second.index)].end.value(), 0.015, 1e-9);
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(third.index)].end.value(), 0.016, 1e-9);
}

TEST_P(Fidelity, IncastSharesTheServersLinkAndItsResource)
{
  // Four workers send 100 MB each to one server: link 1 GB/s, server process 0.5 GB/s: 400 MB / 0.5 GB/s = 0.8 s.
  const Cluster cluster = star(5, 1_GBps, 0_s);
  StepProgram program;
  const ResourceId server = program.add(Resource{"gRPC of ps-0", BytesPerSecond{0.5e9}});
  for (int worker = 1; worker < 5; ++worker)
    program.add(Operation{
        .work = Transfer{
            cluster.nodes()[static_cast<std::size_t>(worker)].host, cluster.nodes()[0].host, 100_MB, {}, {server}}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  EXPECT_NEAR(trace.end.value(), 0.8, 1e-4);
  ASSERT_EQ(trace.resources.size(), 1U);
  EXPECT_NEAR(trace.resources.front().bytes.value(), 400e6, 1);
  EXPECT_NEAR(trace.resources.front().busy.value(), 0.8, 1e-4);
}

TEST_P(Fidelity, MessageLimitAndEfficiencySlowASingleTransfer)
{
  // 94 MB at 94 % of 1 GB/s = 0.1 s; with a stream limit of 0.47 GB/s payload 0.2 s; plus 1 ms latency.
  const Cluster cluster = star(2, 1_GBps, 0_s);
  StepProgram program;
  const MessageCost plain{.latency = 1_ms, .efficiency = 0.94};
  const MessageCost limited{.latency = 1_ms, .efficiency = 0.94, .limit = BytesPerSecond{0.47e9}};
  const OperationId a =
      program.add(Operation{.work = Transfer{cluster.nodes()[0].host, cluster.nodes()[1].host, 94_MB, plain, {}}});
  const OperationId b = program.add(
      Operation{.work = Transfer{cluster.nodes()[0].host, cluster.nodes()[1].host, 94_MB, limited, {}}, .after = {a}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(a.index)].end.value(), 0.101, 1e-6);
  EXPECT_NEAR(trace.spans[static_cast<std::size_t>(b.index)].end.value(), 0.302, 1e-6);
}

/// Networks that know what flows do at any time: all but the formula.
class Shared : public testing::TestWithParam<const char*>
{
};

TEST_P(Shared, MessagesOfOneConnectionHaveOneShareAmongThem)
{
  // Hosts 0 and 1 send to host 2, whose link carries 1 GB/s. Host 0: two messages of 1 GB; host 1: one. Each connection
  // gets 0.5 GB/s: host 1 is done after 2 s, when the others have 0.5 GB left each and the link for themselves: 3 s.
  // Shares by message would end all at 3 s.
  const Cluster cluster = star(3, 1_GBps, 0_s);
  StepProgram program;
  const auto send = [&](std::size_t from, Bytes bytes, std::vector<OperationId> after = {}) {
    return program.add(
        Operation{.work = Transfer{hosts(cluster)[from], hosts(cluster)[2], bytes, {}, {}}, .after = std::move(after)});
  };
  const OperationId a = send(0, 1_GB);
  const OperationId b = send(0, 1_GB);
  const OperationId c = send(1, 1_GB);
  // A third message of host 0 joins when host 1 is done: three share 1 GB/s from 2 s on. The first two have 0.5 GB
  // left: until 3.5 s; the third then has 0.5 GB left: until 4 s.
  const OperationId d = send(0, 1_GB, {c});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  const auto end = [&](OperationId id) { return trace.spans[static_cast<std::size_t>(id.index)].end.value(); };
  EXPECT_NEAR(end(c), 2.0, 1e-6);
  EXPECT_NEAR(end(a), 3.5, 1e-6);
  EXPECT_NEAR(end(b), 3.5, 1e-6);
  EXPECT_NEAR(end(d), 4.0, 1e-6);
}

TEST_P(Shared, ALinkIsBusyFromItsFirstFlowToItsLast)
{
  // 1 GB from 0 s on and 1 GB from 0.5 s on over links of 1 GB/s: 2 s without a pause.
  const Cluster cluster = star(2, 1_GBps, 0_s);
  StepProgram program;
  const Transfer transfer{hosts(cluster)[0], hosts(cluster)[1], 1_GB, {}, {}};
  program.add(Operation{.work = transfer});
  const OperationId pause = program.add(Operation{.work = HostWork{.duration = 500_ms}});
  program.add(Operation{.work = transfer, .after = {pause}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  ASSERT_EQ(trace.links.size(), 2U);
  for (const LinkUse& use : trace.links)
    EXPECT_NEAR(use.busy.value(), 2, 1e-6);
}

TEST_P(Shared, TheLimitOfAConnectionHoldsForItsMessagesTogether)
{
  const Cluster cluster = star(2, 1_GBps, 0_s);
  StepProgram program;
  MessageCost cost;
  cost.limit = BytesPerSecond{0.25e9};
  for (int i = 0; i < 2; ++i)
    program.add(Operation{.work = Transfer{hosts(cluster)[0], hosts(cluster)[1], 1_GB, cost, {}}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  EXPECT_NEAR(Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front().end.value(), 8.0,
              1e-6); // 2 GB at 0.25 GB/s
}

/// Rings over the two hosts, one after the other on one lane: 0.1 s, 0.05 s, and the first one again.
struct ThreeRings {
  Cluster cluster = star(2, 1_GBps, 0_s);
  StepProgram program;
  std::vector<OperationId> rings;

  ThreeRings()
  {
    const LaneId lane = program.add(Lane{.name = "all-reduce"});
    for (const Bytes payload : {100_MB, 50_MB, 100_MB})
      rings.push_back(program.add(
          Operation{.work = CollectiveCall{.ranks = hosts(cluster), .payload = payload},
                    .lanes = {lane},
                    .after = rings.empty() ? std::vector<OperationId>{} : std::vector<OperationId>{rings.back()}}));
  }
  StepTrace run(const std::string& fidelity) const
  {
    const std::vector<ProgramRun> runs{{&program, Seconds{}}};
    return Registry<Executor>::instance().create(fidelity)->run(cluster, runs).front();
  }
};

TEST_P(Shared, ACollectiveTakesAsLongWhenItRunsAgain)
{
  const ThreeRings rings;
  const StepTrace trace = rings.run(GetParam());
  EXPECT_NEAR(trace.spans[0].end.value(), 0.10, 1e-6);
  EXPECT_NEAR(trace.spans[1].end.value(), 0.15, 1e-6);
  EXPECT_NEAR(trace.spans[2].end.value(), 0.25, 1e-6);
  ASSERT_EQ(trace.links.size(), 4U); // both directions of both hosts
  for (const LinkUse& use : trace.links) {
    EXPECT_NEAR(use.bytes.value(), 250e6, 1);
    EXPECT_NEAR(use.busy.value(), 0.25, 1e-6);
  }
}

TEST_P(Shared, ACollectiveTakesLongerWhenItRunsAgainBesideAMessage)
{
  // The message and the third ring's edge from host 0 share 1 GB/s: 100 MB each, so that both end after 0.2 s.
  ThreeRings rings;
  const std::vector<VertexId> ends = hosts(rings.cluster);
  rings.program.add(Operation{.work = Transfer{ends[0], ends[1], 100_MB, {}, {}}, .after = {rings.rings[1]}});
  const StepTrace trace = rings.run(GetParam());
  EXPECT_NEAR(trace.spans[1].end.value(), 0.15, 1e-6);
  EXPECT_NEAR(trace.spans[2].end.value(), 0.35, 1e-4);
  EXPECT_NEAR(trace.spans[3].end.value(), 0.35, 1e-4);
}

TEST_P(Shared, EqualCollectivesAtOnceHoldEachOtherBack)
{
  // One alone, then two at once.
  const Cluster cluster = star(2, 1_GBps, 0_s);
  StepProgram program;
  const CollectiveCall ring{.ranks = hosts(cluster), .payload = 100_MB};
  const OperationId alone = program.add(Operation{.work = ring});
  for (int i = 0; i < 2; ++i)
    program.add(Operation{.work = ring, .after = {alone}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  EXPECT_NEAR(trace.spans[0].end.value(), 0.1, 1e-4);
  EXPECT_NEAR(trace.spans[1].end.value(), 0.3, 1e-4);
  EXPECT_NEAR(trace.spans[2].end.value(), 0.3, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All, Shared, testing::Values("fluid", "flow", "step"),
                         [](const auto& tested) { return std::string{tested.param}; });

INSTANTIATE_TEST_SUITE_P(Executors, Fidelity, testing::Values("closed_form", "fluid", "flow", "step"),
                         [](const auto& test) { return std::string{test.param}; });

TEST(Executors, TwoRingsOnOneLinkTakeTwiceAsLongWhileBothRun)
{
  // Both rings of two hosts share both hosts' links: each gets half.
  const Cluster cluster = star(2, 1_GBps, 0_s);
  for (const char* fidelity : {"fluid", "flow", "step"}) {
    StepProgram a, b;
    a.add(Operation{.work = CollectiveCall{.ranks = hosts(cluster), .payload = 100_MB}});
    b.add(Operation{.work = CollectiveCall{.ranks = hosts(cluster), .payload = 50_MB}});
    const std::vector<ProgramRun> runs{{&a, Seconds{}}, {&b, Seconds{}}};
    const auto traces = Registry<Executor>::instance().create(fidelity)->run(cluster, runs);
    EXPECT_NEAR(traces[1].end.value(), 0.100, 1e-4) << fidelity;
    EXPECT_NEAR(traces[0].end.value(), 0.150, 1e-4) << fidelity;
  }
}

TEST(Executors, CyclicProgramIsRefused)
{
  StepProgram program;
  program.add(Operation{.name = "a", .work = HostWork{.duration = 1_ms}, .after = {OperationId{1}}});
  program.add(Operation{.name = "b", .work = HostWork{.duration = 1_ms}, .after = {OperationId{0}}});
  const Cluster cluster = star(2, 1_GBps, 0_s);
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  EXPECT_THROW(Registry<Executor>::instance().create("fluid")->run(cluster, runs), std::invalid_argument);
}

} // namespace
} // namespace trainyard
