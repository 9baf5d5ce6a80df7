// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

/// Two hosts and a link of 1 GB/s; a program that sends 1 GB over it, then computes 1 s on a lane.
struct Case {
  Cluster cluster;
  StepProgram program;
  StepTrace trace;

  Case()
  {
    const VertexId a = cluster.add_vertex({VertexKind::host, "a", NodeId{0}});
    const VertexId b = cluster.add_vertex({VertexKind::host, "b", NodeId{1}});
    const LinkId link = cluster.add_link("cable", LinkKind::ethernet, a, b, 1_GBps, 0_s);
    program.job = "train";
    const LaneId lane = program.add(Lane{.name = "gpu"});
    const OperationId sent = program.add(Operation{.name = "send", .work = Transfer{a, b, Bytes{1e9}, {}, {}}});
    program.add(Operation{.name = "compute", .work = Compute{.duration = 1_s}, .lanes = {lane}, .after = {sent}});
    program.add(Operation{.name = "more", .work = Compute{.duration = 1_s}, .lanes = {lane}, .after = {sent}});
    trace.end = Seconds{3};
    trace.spans = {
        {OperationId{0}, 0_s, 1_s}, {OperationId{1}, 1_s, Seconds{2}}, {OperationId{2}, Seconds{2}, Seconds{3}}};
    trace.links = {{link, Bytes{1e9}, 1_s}};
  }

  std::vector<std::string> broken(bool shared_links = true) const
  {
    const std::vector<const StepProgram*> programs{&program};
    const std::vector<const StepTrace*> traces{&trace};
    return broken_physics(cluster, programs, traces, shared_links);
  }
};

TEST(Physics, HasNothingToSayAboutARunThatCanBe)
{
  EXPECT_TRUE(Case{}.broken().empty());
}

TEST(Physics, SeesMoreBytesThanTheLinkCarriesInTheTime)
{
  Case one;
  one.trace.links[0].bytes = Bytes{3.1e9}; // 3 s at 1 GB/s
  ASSERT_EQ(one.broken().size(), 1U);
  EXPECT_EQ(one.broken().front(), "link 'cable' carries 3100000000 B in 3 s at 1000000000 B/s");
  EXPECT_TRUE(one.broken(false).empty()); // closed_form does not share links among collectives
}

TEST(Physics, SeesTwoOperationsAtATimeOnALaneOfOneSlot)
{
  Case one;
  one.trace.spans[2].begin = Seconds{1.5};
  ASSERT_EQ(one.broken().size(), 1U);
  EXPECT_EQ(one.broken().front(), "job 'train': lane 'gpu' works on 2 operations at 1.5 s and has 1 slots");
}

TEST(Physics, SeesNegativeTimeAndABeginBeforeItsReason)
{
  Case one;
  one.trace.spans[1] = {OperationId{1}, 1_s, Seconds{0.5}};
  EXPECT_EQ(one.broken().front(), "job 'train': operation 1 'compute' takes negative time, -0.5 s");
  Case early;
  early.trace.spans[1] = {OperationId{1}, Seconds{0.9}, Seconds{1.9}};
  EXPECT_EQ(early.broken().front(),
            "job 'train': operation 1 'compute' starts before the operation that it waits for has ended");
}

TEST(Physics, SeesALinkBusyForLongerThanTheRun)
{
  Case one;
  one.trace.links[0].busy = Seconds{3.5};
  EXPECT_EQ(one.broken().front(), "job 'train': link 'cable' is busy for 3.5 s of 3 s");
}

} // namespace
} // namespace trainyard
