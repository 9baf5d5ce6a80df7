// SPDX-License-Identifier: Apache-2.0
// What a cluster says of its links reaches the packets of fidelity tcp.
#include "sim/step/congestion/congestion_control.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/step_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// Seconds that 100 MB take from one host to another over a switch, on links of 1 GB/s.
double takes(LinkKind kind, const TcpSpec& tcp)
{
  Cluster cluster;
  const VertexId hub = cluster.add_vertex({VertexKind::network_switch, "switch", {}});
  std::vector<VertexId> hosts;
  for (int i = 0; i < 2; ++i) {
    const std::string name = "host-" + std::to_string(i);
    hosts.push_back(cluster.add_vertex({VertexKind::host, name, NodeId{i}}));
    Node node;
    node.name = name;
    node.host = hosts.back();
    cluster.add_node(node);
    cluster.add_link(name, kind, hosts.back(), hub, 1_GBps, 0_s);
  }
  cluster.set_tcp(tcp);
  StepProgram program;
  program.add(Operation{.work = Transfer{hosts[0], hosts[1], 100_MB, {}, {}}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  return Registry<Executor>::instance().create("tcp")->run(cluster, runs).front().end.value();
}

TEST(TcpLinks, ABurstPassesAtItsOwnBandwidthOnEthernet)
{
  // max(S / p, (S - B) / r): 100 MB less the 60 MB of the bucket at 1 GB/s, longer than all of it at 4 GB/s. With 90 MB
  // it is the other way round.
  EXPECT_NEAR(takes(LinkKind::ethernet, {}), 0.1, 0.002);
  EXPECT_NEAR(takes(LinkKind::ethernet, {.burst = 60_MB, .burst_bandwidth = 4_GBps}), 0.04, 0.002);
  EXPECT_NEAR(takes(LinkKind::ethernet, {.burst = 90_MB, .burst_bandwidth = 4_GBps}), 0.025, 0.002);
  EXPECT_NEAR(takes(LinkKind::infiniband, {.burst = 60_MB, .burst_bandwidth = 4_GBps}), 0.1, 0.002);
}

TEST(TcpLinks, EachCongestionControlFillsALink)
{
  for (const std::string& name : Registry<CongestionControl>::instance().names())
    EXPECT_NEAR(takes(LinkKind::ethernet, {.congestion_control = name}), 0.1, 0.01) << name;
}

/// Hosts on one switch, with links of 1 GB/s of a latency of none.
struct HostsOnASwitch {
  explicit HostsOnASwitch(int count)
  {
    const VertexId hub = cluster.add_vertex({VertexKind::network_switch, "switch", {}});
    for (int i = 0; i < count; ++i) {
      const std::string name = "host-" + std::to_string(i);
      hosts.push_back(cluster.add_vertex({VertexKind::host, name, NodeId{i}}));
      Node node;
      node.name = name;
      node.host = hosts.back();
      cluster.add_node(node);
      cluster.add_link(name, LinkKind::ethernet, hosts.back(), hub, 1_GBps, 0_s);
    }
    cluster.set_tcp({.queue = Bytes{64e3}});
  }
  void send(int from, int to, Bytes bytes, bool rdma)
  {
    const auto at = [this](int host) { return hosts[static_cast<std::size_t>(host)]; };
    program.add(Operation{.work = Transfer{at(from), at(to), bytes, {.rdma = rdma}, {}}});
  }
  /// Seconds from the start to the end of each message.
  std::vector<double> ends() const
  {
    const std::vector<ProgramRun> runs{{&program, Seconds{}}};
    std::vector<double> result;
    for (const Span& span : Registry<Executor>::instance().create("tcp")->run(cluster, runs).front().spans)
      result.push_back(span.end.value());
    return result;
  }

  Cluster cluster;
  std::vector<VertexId> hosts;
  StepProgram program;
};

TEST(TcpLinks, RdmaLosesNothingAndSharesEqually)
{
  // 16 senders of 1 MB at once to one host: 16 MB at 1 GB/s, and all end together. TCP loses packets in a queue of 64
  // kB.
  HostsOnASwitch rdma{17}, tcp{17};
  for (int from = 1; from <= 16; ++from) {
    rdma.send(from, 0, 1_MB, true);
    tcp.send(from, 0, 1_MB, false);
  }
  for (const double end : rdma.ends())
    EXPECT_NEAR(end, 0.016, 1e-9);
  EXPECT_GT(std::ranges::max(tcp.ends()), 0.02);
}

// Between two hosts messages come one after another: 10 MB at 1 GB/s in 10 ms, 20 MB in 20 ms more. Each with an equal
// share the first would take 20 ms.
TEST(TcpLinks, MessagesBetweenTwoHostsKeepTheirOrderOverRdma)
{
  HostsOnASwitch star{3};
  star.send(0, 1, 10_MB, true);
  star.send(0, 1, 20_MB, true);
  std::vector<double> ends = star.ends();
  EXPECT_NEAR(ends[0], 0.01, 1e-9);
  EXPECT_NEAR(ends[1], 0.03, 1e-9);
  // Another host has half of the receiver's link as long as either sends: 10 MB in 20 ms.
  star.send(2, 1, 15_MB, true);
  ends = star.ends();
  EXPECT_NEAR(ends[0], 0.02, 1e-9);
  EXPECT_NEAR(ends[2], 0.03, 1e-9);
  EXPECT_NEAR(ends[1], 0.045, 1e-9);
}

TEST(TcpLinks, RdmaElsewhereLeavesTcpAsItIs)
{
  HostsOnASwitch alone{6}, beside{6};
  for (HostsOnASwitch* star : {&alone, &beside})
    for (const int from : {1, 2})
      star->send(from, 0, 10_MB, false);
  for (const int from : {3, 4})
    beside.send(from, 5, 30_MB, true); // 60 MB at 1 GB/s
  const std::vector<double> one = alone.ends(), other = beside.ends();
  EXPECT_DOUBLE_EQ(other[0], one[0]);
  EXPECT_DOUBLE_EQ(other[1], one[1]);
  EXPECT_NEAR(other[2], 0.06, 1e-9);
  EXPECT_NEAR(other[3], 0.06, 1e-9);
}

TEST(TcpLinks, WhereTcpMeetsRdmaBothShareEqually)
{
  // Two of TCP and one over RDMA into host 0: a third each until the 10 MB of RDMA are there, at 30 ms; then a half
  // each of the 20 MB that are left. The fourth, TCP from host 2 to host 3, meets the second at its card: so it shares
  // as it does. It gets what that leaves: 2/3 for 30 ms, 20 MB, then 1/2, 10 MB more at 50 ms, and the last 10 alone.
  HostsOnASwitch star{4};
  star.send(1, 0, 10_MB, true);
  star.send(2, 0, 20_MB, false);
  star.send(3, 0, 20_MB, false);
  star.send(2, 3, 40_MB, false);
  const std::vector<double> ends = star.ends();
  EXPECT_NEAR(ends[0], 0.03, 1e-9);
  EXPECT_NEAR(ends[1], 0.05, 1e-9);
  EXPECT_NEAR(ends[2], 0.05, 1e-9);
  EXPECT_NEAR(ends[3], 0.06, 1e-9);
}

} // namespace
} // namespace trainyard
