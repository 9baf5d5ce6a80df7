// SPDX-License-Identifier: Apache-2.0
#include "sim/results/traffic.hpp"

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

// Of two messages of 0.1 GB in a second each, the first uses a share of the link: it stands for three, and the second
// for itself.
TEST_F(LinkLoads, AMessageThatUsesAShareOfALinkStandsForOthers)
{
  StepProgram program;
  const ResourceId share =
      program.add(Resource{.name = "share", .capacity = 1_GBps / 3, .link = LinkId{0}, .sharers = 3});
  program.add(Operation{"a", Role::push, Transfer{hosts[0], hosts[1], 100_MB, {}, {share}}, {}, {}, 0, 0, 0});
  program.add(Operation{"b", Role::push, Transfer{hosts[0], hosts[1], 100_MB, {}, {}}, {}, {OperationId{0}}, 0, 0, 0});
  const StepTrace trace{0_s, 2_s, {{OperationId{0}, 0_s, 1_s}, {OperationId{1}, 1_s, 2_s}}, {}, {}};
  const std::vector<LinkLoad> loads = loads_of(program, trace, 2);
  ASSERT_EQ(loads.size(), 2U);
  ASSERT_EQ(loads[0].parts.size(), 2U);
  EXPECT_DOUBLE_EQ(loads[0].parts[0].load, 0.3);
  EXPECT_DOUBLE_EQ(loads[0].parts[1].load, 0.1);
  ASSERT_EQ(loads[1].parts.size(), 1U);
  EXPECT_DOUBLE_EQ(loads[1].parts[0].load, 0.1);
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

// Rings of 4 MB and of 2 MB over 2 ranks, 8 ms each: half and a quarter of 1 GB/s. What the trace says of both together
// is shared out by their payloads, and is what their messages say. A ring and a tree over three ranks load links unlike
// each other: their messages say what each does.
TEST_F(LinkLoads, CollectivesThatDifferInTheirBytesShareWhatTheTraceSays)
{
  StepProgram program;
  CollectiveCall call;
  call.ranks = hosts;
  call.payload = Bytes{4e6};
  program.add(Operation{"all-reduce", Role::exchange, call, {}, {}, 0, 0, -1});
  call.payload = Bytes{2e6};
  program.add(Operation{"all-reduce", Role::exchange, call, {}, {OperationId{0}}, 0, 0, -1});
  StepTrace trace{Seconds{0},
                  Seconds{0.016},
                  {{OperationId{0}, Seconds{0}, Seconds{0.008}}, {OperationId{1}, Seconds{0.008}, Seconds{0.016}}},
                  {},
                  {}};
  const std::vector<LinkLoad> by_messages = loads_of(program, trace, 4);
  for (int link = 0; link < 4; ++link)
    trace.links.push_back({LinkId{link}, Bytes{6e6}, Seconds{0.016}});
  const std::vector<LinkLoad> by_trace = loads_of(program, trace, 4);
  ASSERT_EQ(by_trace.size(), 4U);
  ASSERT_EQ(by_messages.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(by_trace[i].link, by_messages[i].link);
    for (const std::vector<LinkLoad::Part>* parts : {&by_trace[i].parts, &by_messages[i].parts}) {
      ASSERT_EQ(parts->size(), 2U);
      EXPECT_DOUBLE_EQ((*parts)[0].load, 0.5);
      EXPECT_DOUBLE_EQ((*parts)[1].load, 0.25);
      EXPECT_DOUBLE_EQ((*parts)[1].begin.value(), 0.008);
    }
  }
}

// Three ranks: a ring of 3 MB sends 4 MB out of each; the double tree of 3 MB sends over the links of its trees, none
// of which has 4 MB. Were all shared out by payload, both would be equally high everywhere.
TEST_F(LinkLoads, ARingAndATreeAreCountedByTheirMessages)
{
  const VertexId ports = cluster.link(LinkId{0}).to;
  const VertexId third = cluster.add_vertex({VertexKind::host, "c/host", NodeId{2}});
  Node node;
  node.host = third;
  cluster.add_node(node);
  cluster.add_link("c > switch", LinkKind::ethernet, third, ports, BytesPerSecond{1e9}, Seconds{0});
  StepProgram program;
  CollectiveCall call;
  call.ranks = {hosts[0], hosts[1], third};
  call.payload = Bytes{3e6};
  program.add(Operation{"ring", Role::exchange, call, {}, {}, 0, 0, -1});
  call.algorithm = "tree";
  program.add(Operation{"tree", Role::exchange, call, {}, {OperationId{0}}, 0, 0, -1});
  StepTrace trace{Seconds{0},
                  Seconds{0.016},
                  {{OperationId{0}, Seconds{0}, Seconds{0.008}}, {OperationId{1}, Seconds{0.008}, Seconds{0.016}}},
                  {},
                  {}};
  const std::vector<LinkLoad> by_messages = loads_of(program, trace, 2);
  for (int link = 0; link < 6; ++link)
    trace.links.push_back({LinkId{link}, Bytes{8e6}, Seconds{0.016}});
  const std::vector<LinkLoad> by_trace = loads_of(program, trace, 2);
  ASSERT_EQ(by_trace.size(), by_messages.size());
  for (std::size_t i = 0; i < by_trace.size(); ++i) {
    EXPECT_DOUBLE_EQ(by_trace[i].parts.front().load, 0.5); // the ring: 4 MB in 8 ms
    EXPECT_DOUBLE_EQ(by_trace[i].parts.back().load, by_messages[i].parts.back().load);
  }
}

} // namespace
} // namespace trainyard
