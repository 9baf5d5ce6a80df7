// SPDX-License-Identifier: Apache-2.0
/// What failures do to jobs of each kind, by hand: two or more tasks of one GPU each on machines of their own, one
/// second per second of work.
#include "models/core/data_folder.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "sim/sources/services/desired_state.hpp"
#include "sim/sources/services/training_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// Four machines with one GPU each, two to a rack; at once noticed, moved and started unless a test says otherwise.
struct Bench {
  OrchestrationInput input;
  FaultDomains domains;
  std::vector<FaultSpec> list;

  Bench()
  {
    input.cluster = ClusterShape::machines(4, 1, 16'000, 64'000, 2);
    for (const NodeShape& node : input.cluster.nodes) {
      domains.nodes.push_back(node.name);
      domains.groups.emplace_back("node");
      domains.gpus.push_back(1);
      domains.racks.push_back(node.rack);
      input.traits.push_back({.group = "node"});
    }
    domains.switches = {"leaf-0", "leaf-1"};
    domains.switch_nodes = {{0, 1}, {2, 3}};
    domains.managers = 3;
    input.rules.managers = 3;
    input.rules.heals = true;
    input.rules.reschedules = true;
    input.rules.restart = "on_failure";
    input.rules.placement = "first_fit";
  }
  ServiceSpec& add(const std::string& name, Coupling coupling, int workers, int servers, double work)
  {
    ServiceSpec service;
    service.name = name;
    service.coupling = coupling;
    TaskGroupSpec group;
    group.role = "worker";
    group.replicas = workers;
    group.gpus = 1;
    group.most_per_node = 1;
    group.holds_state = servers == 0;
    service.groups.push_back(group);
    if (servers > 0) {
      group.role = "ps";
      group.replicas = servers;
      group.gpus = 0;
      group.holds_state = true;
      service.groups.push_back(group);
    }
    service.work = Seconds{work};
    service.restart = "";
    input.services.push_back(service);
    return input.services.back();
  }
  void fail(const std::string& text, double remaining = 0)
  {
    FaultSpec fault;
    ASSERT_EQ(parse_fault(text, fault), std::nullopt) << text;
    fault.remaining = remaining;
    list.push_back(fault);
  }
  OrchestrationResult run()
  {
    input.faults = FaultSchedule{list, {}, domains, 1};
    return orchestrate(input);
  }
};

double finished(const OrchestrationResult& result, std::size_t service = 0)
{
  return result.services[service].finished.value();
}

// Workers on node-0 and node-1; node-1 fails at 100 s, noticed after 10 s, started elsewhere after 5 s. Checkpoint
// every 60 s of work.
TEST(Failures, ASynchronousJobStandsStillWhileATaskIsAwayAndGoesBackToItsCheckpoint)
{
  Bench bench;
  bench.input.rules.node_detection = Seconds{10};
  bench.input.rules.container_start = Seconds{5};
  bench.add("train", Coupling::sync, 2, 0, 300).checkpoint = {Seconds{60}, Seconds{0}, Seconds{2}};
  bench.fail("node:node-1@100s");
  const OrchestrationResult result = bench.run();
  // From 5 s: 95 s done, 60 s saved, 35 s lost. Again from 115 s, 2 s to load, 240 s left.
  EXPECT_EQ(finished(result), 115 + 2 + 240);
  EXPECT_EQ(result.faults[0].redone.value(), 35);
  EXPECT_EQ(gpu_seconds(result.faults[0].redone_gpu.gpu), 70);
  EXPECT_NEAR(gpu_seconds(result.services[0].parts.stalled_gpu.gpu), 15, 1e-9)
      << "one worker waits from 100 s to 115 s";
}

// Both tasks are done at 60 s and wanted no more; fewer or more of them later are of a job that is no more.
TEST(Failures, AJobThatIsDoneIsNotScaled)
{
  for (const int replicas : {1, 3}) {
    Bench bench;
    bench.add("batch", Coupling::independent, 2, 0, 60).scaling = {
        {.at = Seconds{100}, .group = 0, .replicas = replicas}};
    bench.add("other", Coupling::independent, 1, 0, 200);
    const OrchestrationResult result = bench.run();
    EXPECT_EQ(finished(result), 60);
    EXPECT_EQ(finished(result, 1), 200);
    for (const SeriesPoint& point : result.series) {
      if (point.service == 0 && point.time >= Instant{60}) {
        EXPECT_EQ(point.desired, 0) << replicas << " replicas, at " << point.time.value() << " s";
      }
    }
  }
}

// With a parameter server the variables are there: nothing is redone, the workers only wait.
TEST(Failures, AWorkerWithoutStateLosesNoWork)
{
  Bench bench;
  bench.input.rules.node_detection = Seconds{10};
  bench.add("train", Coupling::sync, 2, 1, 300);
  bench.input.services[0].groups[1].constraints = {{"node", true, "node-3"}};
  bench.fail("node:node-1@100s");
  const OrchestrationResult result = bench.run();
  EXPECT_EQ(finished(result), 300 + 10);
  EXPECT_EQ(result.services[0].parts.lost, Instant{});
}

// Three workers, one away from 100 s to 200 s (its process restarts after 100 s): two thirds of the speed meanwhile.
TEST(Failures, AnAsynchronousJobGoesOnWithoutTheLostWorker)
{
  Bench bench;
  bench.input.rules.restart_delay = Seconds{100};
  bench.add("train", Coupling::async, 3, 1, 300);
  bench.fail("process:train/worker-1@100s");
  const OrchestrationResult result = bench.run();
  EXPECT_NEAR(finished(result), 100 + 100 + (300 - 100 - 100 * 2.0 / 3), 1e-5);
  EXPECT_EQ(result.services[0].parts.lost, Instant{});
}

// Tokens of SyncReplicasOptimizer, two workers. The chief is alone until the other one, which found no variables at its
// start, looks again after 30 s: both gradients of each update are its own, at half of the speed. At 100 s the other
// one dies with its token: the chief waits until it is back, at 200 s.
TEST(Failures, TokensMakeNobodyWaitForAbsentWorkersButForALostToken)
{
  Bench bench;
  bench.input.rules.restart_delay = Seconds{100};
  bench.add("train", Coupling::sync_replicas, 2, 1, 300);
  EXPECT_NEAR(finished(bench.run()), 30 + (300 - 15), 1e-5);
  bench.fail("process:train/worker-1@100s");
  EXPECT_NEAR(finished(bench.run()), 30 + (300 - 15) + 100, 1e-5);
}

// Three workers, one of them a backup: an update makes three tokens and needs two gradients. All tokens are used, so
// one worker makes an update in three rounds (one gradient is too late), two make two in three, three one in one. A
// lost token stops nobody.
TEST(Failures, WithABackupWorkerALostTokenStopsNobody)
{
  Bench bench;
  bench.input.rules.restart_delay = Seconds{100};
  bench.add("train", Coupling::sync_replicas, 3, 1, 300).backup_workers = 1;
  bench.fail("process:train/worker-1@100s");
  const double done = 30 / 3.0 + 70 + 100 * 2 / 3.0; // at 200 s
  EXPECT_NEAR(finished(bench.run()), 200 + 300 - done, 1e-5);
  // Without the chief nobody applies gradients.
  bench.list.clear();
  bench.fail("process:train/worker-0@100s");
  EXPECT_NEAR(finished(bench.run()), 200 + 300 - (30 / 3.0 + 70), 1e-5);
}

// The parameter server's host dies at 100 s: no asynchronous worker gets on, and the work since the checkpoint at 80 s
// is lost.
TEST(Failures, ADeadParameterServerHostStopsAsynchronousWorkersToo)
{
  Bench bench;
  bench.input.rules.node_detection = Seconds{10};
  bench.add("train", Coupling::async, 3, 1, 300).checkpoint = {Seconds{80}, Seconds{0}, Seconds{0}};
  bench.input.services[0].groups[1].constraints = {{"rack", true, "1"}, {"node", false, "node-2"}}; // node-3
  bench.fail("node:node-3@100s+50s");
  const OrchestrationResult result = bench.run();
  EXPECT_EQ(finished(result), 150 + 300 - 80) << "the constraint leaves only node-3, which is back at 150 s";
  EXPECT_EQ(result.services[0].parts.lost.value(), 20);
}

// Four workers, one lost for good at 100 s: 10 s to form again, then three quarters of the speed.
TEST(Failures, AnElasticJobShrinksFormsAnewAndLosesNothing)
{
  Bench bench;
  ServiceSpec& train = bench.add("train", Coupling::elastic, 4, 0, 400);
  train.reform = Seconds{10};
  train.checkpoint = {Seconds{1000}, Seconds{0}, Seconds{0}};
  bench.fail("node:node-2@100s");
  const OrchestrationResult result = bench.run();
  EXPECT_NEAR(finished(result), 100 + 10 + 300 / 0.75, 1e-5);
  EXPECT_EQ(result.services[0].parts.lost, Instant{});
}

// A fifth of a step is communication; at a quarter of its bandwidth it takes 4 times as long: steps of 0.8 + 0.8 = 1.6
// between 100 s and 260 s.
TEST(Failures, ADegradedLinkSlowsWhatCommunicatesOverIt)
{
  Bench bench;
  bench.add("train", Coupling::sync, 2, 0, 300).communication_share = 0.2;
  bench.fail("link:node-1@100s+160s", 0.25);
  const OrchestrationResult result = bench.run();
  EXPECT_NEAR(finished(result), 260 + (300 - 100 - 160 / 1.6), 1e-5);
  EXPECT_EQ(result.services[0].restarts, 0);
}

// Cut off for 20 s, which nobody notices (detection 30 s): the job stands still and goes on, nothing is lost. For 100
// s: it is replaced.
TEST(Failures, ACutLinkThatIsBackBeforeAnybodyNoticesCostsOnlyTheWait)
{
  Bench bench;
  bench.input.rules.node_detection = Seconds{30};
  bench.add("train", Coupling::sync, 2, 0, 300).checkpoint = {Seconds{1000}, Seconds{0}, Seconds{0}};
  bench.fail("link:node-1@100s+20s");
  const OrchestrationResult soon = bench.run();
  EXPECT_EQ(finished(soon), 320);
  EXPECT_EQ(soon.services[0].parts.lost, Instant{});
  bench.list.clear();
  bench.fail("switch:leaf-0@100s+100s"); // both workers' machines
  const OrchestrationResult late = bench.run();
  EXPECT_EQ(finished(late), 130 + 300) << "both are replaced in the other rack at 130 s and start again";
  EXPECT_EQ(gpu_seconds(late.services[0].orphaned.gpu), 2 * 70)
      << "the old processes run on, unreachable, until the switch is back";
}

// Without the storage no checkpoint is written: work stands still when the next one is due (at 120 s of work) until the
// storage is back.
TEST(Failures, WithoutTheStorageWorkStopsAtTheNextCheckpoint)
{
  Bench bench;
  bench.add("train", Coupling::sync, 1, 0, 300).checkpoint = {Seconds{60}, Seconds{10}, Seconds{0}};
  bench.fail("storage@100s+150s");
  const OrchestrationResult result = bench.run();
  // 60 s of work, 10 s of saving, 60 s of work end at 130 s; the save waits until 250 s; then 10 + 60 + 10 + 60 + 10
  // + 60.
  EXPECT_EQ(finished(result), 250 + 10 + 60 + 10 + 60 + 10 + 60);
  Bench remote = bench; // the same in the object store: the storage does not matter to it
  remote.input.services[0].checkpoint.object_store = true;
  EXPECT_EQ(finished(remote.run()), 340);
}

TEST(Failures, ABrokenGpuEndsItsTaskAndIsNotUsedUntilItsRepair)
{
  Bench bench;
  bench.add("train", Coupling::independent, 4, 0, 300);
  bench.fail("gpu:node-1/0@100s+50s");
  const OrchestrationResult result = bench.run();
  // No other GPU is free: it waits for this one and begins again.
  EXPECT_EQ(finished(result), 150 + 300);
  EXPECT_EQ(gpu_seconds(result.down.gpu), 50);
}

TEST(Failures, AWholeRackIsLostAtOnceAndItsTasksFindRoomInTheOther)
{
  Bench bench;
  bench.input.rules.node_detection = Seconds{10};
  bench.add("train", Coupling::independent, 2, 0, 300).checkpoint = {Seconds{50}, Seconds{0}, Seconds{0}};
  bench.fail("rack:0@00:02+6h"); // at 120 s
  const OrchestrationResult result = bench.run();
  EXPECT_EQ(result.faults[0].tasks_hit, 2);
  EXPECT_EQ(finished(result), 130 + 200);
  EXPECT_EQ(result.faults[0].moved_to, (std::vector<int>{2, 3}));
}

// Half of the machines fail together with one of them: spread 1 takes the whole rack along, 0 only the machine itself.
TEST(Failures, FailuresSpreadThroughARackWithTheGivenChance)
{
  for (const double spreads : {0.0, 1.0}) {
    Bench bench;
    RandomFaultSpec rule;
    rule.mtbf = Seconds{1000};
    rule.mttr = Seconds{1};
    rule.spreads = spreads;
    FaultSchedule schedule{{}, {rule}, bench.domains, 7};
    const FaultEvent first = schedule.take();
    const std::optional<Instant> next = schedule.next();
    ASSERT_TRUE(next);
    if (spreads == 0) {
      EXPECT_GT(*next, first.at);
      continue;
    }
    const FaultEvent along = schedule.take();
    EXPECT_EQ(along.at, first.at);
    EXPECT_EQ(along.cause, first.index);
    EXPECT_EQ(bench.domains.racks[static_cast<std::size_t>(along.index)],
              bench.domains.racks[static_cast<std::size_t>(first.index)]);
  }
}

// The mean of 4,000 exponential times to failure is within 5 % (3 standard errors) of the MTBF, also of Weibull times
// with shape 0.7.
TEST(Failures, DrawnFailuresHaveTheGivenMeanTime)
{
  for (const char* distribution : {"exponential", "weibull"}) {
    Bench bench;
    RandomFaultSpec rule;
    rule.mtbf = Seconds{1000};
    rule.distribution = distribution;
    rule.shape = 0.7;
    FaultSchedule schedule{{}, {rule}, bench.domains, 3};
    Instant last{0};
    for (int i = 0; i < 4000; ++i)
      last = schedule.take().at;
    // Four machines fail independently: 4 failures per MTBF.
    EXPECT_NEAR(last.value() / 4000, 250, 0.07 * 250) << distribution;
  }
}

// 4,000 log-normal repairs with a mean of 100 s and sigma 1: their deviation is 100 s sqrt(e^1 - 1) = 131 s, three
// standard errors of the mean are 6.2 s. The time to the next failure begins with the repair.
TEST(Failures, DrawnRepairsHaveTheGivenMeanTimeAndComeBeforeTheNextFailure)
{
  Bench bench;
  RandomFaultSpec rule;
  rule.mtbf = Seconds{100};
  rule.mttr = Seconds{100};
  rule.repair = "log_normal";
  rule.repair_sigma = 1;
  FaultSchedule schedule{{}, {rule}, bench.domains, 3};
  std::map<int, Instant> repaired;
  double sum = 0;
  for (int i = 0; i < 4000; ++i) {
    const FaultEvent event = schedule.take();
    EXPECT_GT(event.at, repaired[event.index]);
    repaired[event.index] = event.until;
    sum += (event.until - event.at).value();
  }
  EXPECT_NEAR(sum / 4000, 100, 6.2);
}

// An instant reaches 2^62 ns, 146 years or 4.6e9 s. Of a mean of 1e16 s (300 million years) an exponential time is less
// with probability 1 - exp(-4.6e-7), so that none of the four machines fails; with such repairs each fails once.
TEST(Failures, WhatIsLaterThanAnInstantReachesNeverComes)
{
  Bench bench;
  RandomFaultSpec rule;
  rule.mtbf = Seconds{1e16};
  rule.mttr = Seconds{1e16};
  EXPECT_FALSE((FaultSchedule{{}, {rule}, bench.domains, 3}.next()));
  rule.mtbf = Seconds{1000};
  FaultSchedule once{{}, {rule}, bench.domains, 3};
  std::set<int> failed;
  while (once.next() && failed.size() < 5) {
    const FaultEvent event = once.take();
    EXPECT_LT(event.at, Instant{Seconds{1e5}}); // less with probability 1 - exp(-100)
    EXPECT_EQ(event.until, end_of_time);
    EXPECT_TRUE(failed.insert(event.index).second);
  }
  EXPECT_EQ(failed.size(), 4U);
}

TEST(Failures, AtOneInstantListedFailuresComeBeforeDrawnOnes)
{
  // The listed failure of another machine is put at the time of the first drawn one.
  Bench bench;
  RandomFaultSpec rule;
  rule.mtbf = Seconds{1000};
  const FaultEvent drawn = FaultSchedule{{}, {rule}, bench.domains, 5}.take();
  FaultSpec listed;
  listed.target = bench.domains.nodes[drawn.index == 0 ? 1 : 0];
  listed.at = seconds(drawn.at);
  FaultSchedule both{{listed}, {rule}, bench.domains, 5};
  for (const bool random : {false, true}) {
    const FaultEvent event = both.take();
    EXPECT_EQ(event.at, drawn.at);
    EXPECT_EQ(event.random, random);
  }
}

TEST(Failures, WhatIsBrokenCannotFailAgainBeforeItsRepair)
{
  // A machine is down from 10 s to 15 s. It may fail again at 15 s, not at 14 s.
  const Bench bench;
  FaultSpec first{.target = bench.domains.nodes[0], .at = Seconds{10}, .lasts = Seconds{5}};
  for (const double again : {14.0, 15.0}) {
    FaultSpec second = first;
    second.at = Seconds{again};
    Diagnostics diagnostics;
    check_faults({first, second}, {}, bench.domains, "faults.yaml", diagnostics);
    const std::vector<Diagnostic> errors = diagnostics.sorted();
    ASSERT_EQ(errors.size(), again < 15 ? 1U : 0U);
    for (const Diagnostic& error : errors)
      EXPECT_THAT(error.message, testing::HasSubstr("fails from 00:00:14 to 00:00:19, but it has already failed from "
                                                    "00:00:10 to 00:00:15"));
  }
}

TEST(Failures, OneMemberMoreOrLessDoesNotChangeTheOthersLuck)
{
  Bench bench;
  RandomFaultSpec rule;
  rule.mtbf = Seconds{1000};
  FaultSchedule all{{}, {rule}, bench.domains, 5};
  FaultDomains fewer = bench.domains;
  fewer.nodes.pop_back();
  fewer.groups.pop_back();
  fewer.gpus.pop_back();
  fewer.racks.pop_back();
  FaultSchedule some{{}, {rule}, fewer, 5};
  for (int i = 0; i < 50; ++i) {
    FaultEvent event = all.take();
    while (event.index == 3)
      event = all.take();
    EXPECT_EQ(event.at, some.take().at);
  }
}

TEST(Failures, TheCommandLinesWordsAreRead)
{
  FaultSpec fault;
  ASSERT_EQ(parse_fault("rack:3@02:00+6h", fault), std::nullopt);
  EXPECT_EQ(fault.kind, FaultKind::rack);
  EXPECT_EQ(fault.target, "3");
  EXPECT_EQ(fault.at, Seconds{7200});
  EXPECT_EQ(*fault.lasts, Seconds{6 * 3600});
  ASSERT_EQ(parse_fault("storage@1h", fault), std::nullopt);
  EXPECT_FALSE(fault.lasts.has_value());
  for (const char* wrong :
       {"", "rack", "rack:3", "rack:3@", "rack:3@x", "rack:3@1h+", "rack:3@1h+-1h", "@1h", "rock:3@1h", "rack:3@02:75"})
    EXPECT_NE(parse_fault(wrong, fault), std::nullopt) << wrong;
}

// Two jobs of four tasks come together to four machines. A control plane that binds pods one by one takes them in turn,
// as the controllers of both jobs make them at the same time: each holds two machines and none ever trains. As gangs
// one runs after the other. Without a limit of the control plane, tasks come job by job.
TEST(Placing, TwoJobsWithoutGangsCanHoldHalfOfTheMachinesEach)
{
  for (const bool gang : {false, true}) {
    Bench bench;
    bench.input.rules.gang = gang;
    bench.input.rules.placements_per_second = 1000;
    bench.input.until = Seconds{1000};
    bench.add("a", Coupling::sync, 4, 0, 100);
    bench.add("b", Coupling::sync, 4, 0, 100);
    const OrchestrationResult result = bench.run();
    EXPECT_EQ(finished(result, 0) > 0, gang);
    EXPECT_EQ(finished(result, 1) > 0, gang);
  }
}

} // namespace
} // namespace trainyard
