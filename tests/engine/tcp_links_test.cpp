// SPDX-License-Identifier: Apache-2.0
// What a cluster says of its links reaches the packets of fidelity tcp.
#include "sim/step/congestion/congestion_control.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/step_program.hpp"

#include <gtest/gtest.h>

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

} // namespace
} // namespace trainyard
