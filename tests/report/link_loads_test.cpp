// SPDX-License-Identifier: Apache-2.0
#include "sim/results/link_loads.hpp"

#include <gtest/gtest.h>
#include <map>

namespace trainyard {
namespace {

/// a - switch - b, 1 GB/s each way.
struct LinkLoads : ::testing::Test {
  LinkLoads()
  {
    const VertexId ports = cluster.add_vertex({VertexKind::network_switch, "switch-0", {}});
    for (const std::string name : {"a", "b"}) {
      const VertexId host =
          cluster.add_vertex({VertexKind::host, name + "/host", NodeId{static_cast<int>(cluster.nodes().size())}});
      Node node;
      node.name = name;
      node.host = host;
      cluster.add_node(node);
      cluster.add_link(name + " > switch", LinkKind::ethernet, host, ports, BytesPerSecond{1e9}, Seconds{0});
      hosts.push_back(host);
    }
  }
  std::vector<LinkLoad> loads_of(const StepProgram& program, const StepTrace& trace, int parts,
                                 std::size_t most_messages = 1000) const
  {
    return link_loads(cluster, std::vector{&program}, std::vector{&trace}, parts, most_messages);
  }

  Cluster cluster;
  std::vector<VertexId> hosts;
};

// 1 GB from 1 s to 3 s over a link of 1 GB/s: half full in the second and third quarter of 4 s, empty before and after.
TEST_F(LinkLoads, SpreadsATransferOverItsTime)
{
  StepProgram program;
  program.add(Operation{"wait", Role::forward, HostWork{Seconds{1}}, {}, {}, 0, 0, 0});
  program.add(
      Operation{"push", Role::push, Transfer{hosts[0], hosts[1], Bytes{1e9}, {}, {}}, {}, {OperationId{0}}, 0, 0, 0});
  program.add(Operation{"wait", Role::forward, HostWork{Seconds{1}}, {}, {OperationId{1}}, 0, 0, 0});
  StepTrace trace{Seconds{0},
                  Seconds{4},
                  {{OperationId{0}, Seconds{0}, Seconds{1}},
                   {OperationId{1}, Seconds{1}, Seconds{3}},
                   {OperationId{2}, Seconds{3}, Seconds{4}}},
                  {},
                  {}};
  const std::vector<LinkLoad> loads = loads_of(program, trace, 4);
  ASSERT_EQ(loads.size(), 2U); // out of a, into b
  EXPECT_EQ(loads[0].link, "a > switch");
  for (const LinkLoad& load : loads) {
    ASSERT_EQ(load.parts.size(), 1U); // equal parts are one
    EXPECT_DOUBLE_EQ(load.parts[0].begin.value(), 1);
    EXPECT_DOUBLE_EQ(load.parts[0].end.value(), 3);
    EXPECT_DOUBLE_EQ(load.parts[0].load, 0.5);
  }
}

// A ring all-reduce of 4 MB over 2 ranks sends 2 (n-1)/n x 4 MB = 4 MB out of each: in 8 ms half of 1 GB/s. The second
// step repeats the first.
TEST_F(LinkLoads, CountsTheMessagesOfACollective)
{
  StepProgram program;
  CollectiveCall call;
  call.ranks = hosts;
  call.payload = Bytes{4e6};
  program.add(Operation{"all-reduce", Role::exchange, call, {}, {}, 0, 0, -1});
  program.add(Operation{"all-reduce", Role::exchange, call, {}, {OperationId{0}}, 0, 1, -1});
  StepTrace trace{Seconds{0},
                  Seconds{0.016},
                  {{OperationId{0}, Seconds{0}, Seconds{0.008}}, {OperationId{1}, Seconds{0.008}, Seconds{0.016}}},
                  {},
                  {}};
  const std::vector<LinkLoad> loads = loads_of(program, trace, 10);
  ASSERT_EQ(loads.size(), 4U); // both directions of both links
  for (const LinkLoad& load : loads)
    for (const LinkLoad::Part& part : load.parts)
      EXPECT_NEAR(part.load, 0.5, 0.006);
  EXPECT_TRUE(loads_of(program, trace, 10, 1).empty()); // more messages than allowed
}

} // namespace
} // namespace trainyard
