/// Rows D2 to D14 of the founding documents: Docker Swarm. Expected values by hand, from the profile's parameters that the comments name.
#include "tests/founding/founding_run.hpp"

#include <gmock/gmock.h>

namespace trainyard::tests {
namespace {

using ::testing::HasSubstr;

// swarm_failures: container start 1 s (profile), so all run at 1 s. train-0's process ends at 50 s: it has computed 49 s since no
// checkpoint was due before 60 s of work. swarm's restart delay is set to 0 s: a new container on the same node (the one with the fewest
// tasks of the service) runs at 51 s. node-1 dies at 100 s: noticed after 15 s (three heartbeats of 5 s), running elsewhere at 100 + 15 + 1
// = 116 s.
TEST(FoundingRows, D2_AProcessCrashRestartsOnItsNodeANodeCrashElsewhereWithWorkSinceTheCheckpointLost)
{
  const FoundingRun run = founding_run("swarm_failures");
  const auto crashed = run.instances("train-0");
  ASSERT_EQ(crashed.size(), 2U);
  EXPECT_EQ(crashed[0].reason, EndReason::crashed);
  EXPECT_EQ(crashed[1].node, crashed[0].node);
  EXPECT_EQ(crashed[1].running, to_micros(Seconds{51}));
  const FaultOutcome& process = run.result.faults[0];
  EXPECT_EQ(process.redone, to_micros(Seconds{49}));
  // train-1 on node-1: 99 s of computing, a checkpoint after 60 s, 39 s lost.
  const auto moved = run.instances("train-1");
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].reason, EndReason::node_lost);
  EXPECT_NE(moved[1].node, moved[0].node);
  EXPECT_EQ(moved[1].running, to_micros(Seconds{116}));
  EXPECT_EQ(run.result.faults[1].redone, to_micros(Seconds{39}));
  // 600 s of work each: train-0 from 51 s without its 49 s, train-1 from 116 s with 60 s saved.
  EXPECT_EQ(run.service("train").finished, to_micros(Seconds{116 + 540}));
  EXPECT_EQ(run.service("train").parts.lost, to_micros(Seconds{49 + 39}));
}

TEST(FoundingRows, D8_TasksOfALostWorkerGoToOtherNodesTheOthersAreUntouchedAndNothingMovesBack)
{
  // The node comes back after 10 minutes.
  const FoundingRun run = founding_run("swarm_failures", {{"faults", "[\"node:node-1@100s+10min\"]"}});
  int restarted = 0;
  for (int i = 0; i < 6; ++i) {
    const auto instances = run.instances("web-" + std::to_string(i));
    if (instances.size() == 1) {
      // Its counter of steps goes on: it ran from 1 s to the end.
      EXPECT_EQ(instances[0].running, to_micros(Seconds{1}));
      EXPECT_EQ(instances[0].reason, EndReason::runs);
      EXPECT_NE(run.node(instances[0]), "node-1");
      continue;
    }
    ++restarted;
    ASSERT_EQ(instances.size(), 2U) << "it moved back";
    EXPECT_EQ(run.node(instances[0]), "node-1");
    EXPECT_NE(run.node(instances[1]), "node-1");
    EXPECT_EQ(instances[1].placed, to_micros(Seconds{100 + 15}));
    EXPECT_EQ(instances[1].running, to_micros(Seconds{100 + 15 + 1}));
  }
  EXPECT_EQ(restarted, 2);
  EXPECT_EQ(run.least_running("web", 100, 116), 4);
  EXPECT_EQ(run.least_running("web", 116, 1200), 6);
}

TEST(FoundingRows, D9_StandAloneContainersNeverReturn)
{
  const FoundingRun run = founding_run("swarm_failures", {{"services.0.mode", "standalone"}, {"services.0.restart", "never"}});
  EXPECT_EQ(run.running_at("web", 99), 6);
  EXPECT_EQ(run.least_running("web", 100, 1200), 4);
  EXPECT_EQ(run.running_at("web", 1200), 4) << "4 of 6 to the end";
  EXPECT_EQ(run.phase("handmade-0"), TaskPhase::gone);
  EXPECT_THAT(run.reason("handmade-0", TaskPhase::gone), HasSubstr("belongs to no service"));
}

} // namespace
} // namespace trainyard::tests
