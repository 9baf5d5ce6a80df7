// SPDX-License-Identifier: Apache-2.0
// What the rules of Slurm do to its queue: partitions, QOS, reservations, arrays, preemption. All times by hand.
#include "models/core/diagnostics.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/queue_times.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard {
namespace {

using tests::Times;

/// A queue under construction.
struct Queue {
  Workload workload;
  BatchRules rules;
  Settings settings;
  ClusterShape shape = ClusterShape::pool(4);

  TraceJob& add(double submit, double duration, int gpus, const std::string& partition = "")
  {
    workload.jobs.push_back(
        {.submit = Seconds{submit}, .duration = Seconds{duration}, .estimate = Seconds{duration}, .gpus = gpus});
    workload.jobs.back().queue = workload.queues.index_of(partition);
    return workload.jobs.back();
  }
  /// A job of a QOS.
  TraceJob& add_qos(double submit, double duration, int gpus, const std::string& qos)
  {
    TraceJob& job = add(submit, duration, gpus);
    job.qos = static_cast<std::int16_t>(workload.qos.index_of(qos));
    return job;
  }
  SchedulingResult run(bool waits = false)
  {
    bind_rules(workload, shape, std::make_shared<const BatchRules>(rules));
    const auto placement =
        shape.counted() ? nullptr : Registry<PlacementPolicy>::instance().create("first_fit", Settings{});
    SchedulingOptions options;
    options.record_waits = options.record_runs = waits;
    return simulate_queue(workload, shape, *Registry<QueuePolicy>::instance().create("slurm", settings),
                          placement.get(), options);
  }
  Times starts() { return tests::start_times(run()); }
  std::string fault()
  {
    try {
      run();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(SlurmPartitions, OneThatIsBlockedBlocksWhoSharesItsMachines)
{
  // Without backfill. Job 1 of partition gpu waits for all 4 GPUs and blocks job 2; both partitions have all machines,
  // so job 3 of debug waits too ("on nodes in this partition", src/slurmctld/job_scheduler.c).
  Queue queue;
  queue.settings.set("backfill", 0.0);
  queue.add(0, 100, 3, "gpu");
  queue.add(1, 10, 4, "gpu");
  queue.add(2, 10, 1, "gpu");
  queue.add(3, 10, 1, "debug");
  EXPECT_EQ(queue.starts(), (Times{0, 100, 110, 110}));
}

TEST(SlurmPartitions, AHigherTierGoesFirst)
{
  Queue queue;
  queue.settings.set("backfill", 0.0);
  queue.rules.partitions = {{.name = "gpu"}, {.name = "debug", .tier = 10}};
  queue.add(0, 100, 3, "gpu");
  queue.add(1, 10, 4, "gpu");
  queue.add(2, 10, 1, "gpu");
  queue.add(3, 10, 4, "debug");
  EXPECT_EQ(queue.starts(), (Times{0, 110, 120, 100}));
}

TEST(SlurmPartitions, KeepTheirJobsOnTheirMachines)
{
  // A machine of 4 GPUs each: job 3 has its own, whoever waits for the other.
  Queue queue;
  queue.settings.set("backfill", 0.0);
  queue.shape = ClusterShape::machines(2, 4);
  queue.rules.partitions = {{.name = "gpu", .nodes = {"node-0"}}, {.name = "debug", .nodes = {"node-1"}}};
  queue.add(0, 100, 3, "gpu");
  queue.add(1, 10, 4, "gpu");
  queue.add(2, 10, 1, "gpu");
  queue.add(3, 10, 1, "debug");
  EXPECT_EQ(queue.starts(), (Times{0, 100, 110, 3}));
}

TEST(SlurmPartitions, OneThatOverlapsUsesWhatIsNotBlocked)
{
  // Three machines of one GPU; gpu has the first two, debug the last two. Job 1 waits for both of gpu: the second stays
  // empty for it. Job 2 runs on the third at once, job 3 after it.
  Queue queue;
  queue.settings.set("backfill", 0.0);
  queue.shape = ClusterShape::machines(3, 1);
  queue.rules.partitions = {{.name = "gpu", .nodes = {"node-0", "node-1"}},
                            {.name = "debug", .nodes = {"node-1", "node-2"}}};
  queue.add(0, 100, 1, "gpu");
  queue.add(1, 10, 2, "gpu");
  queue.add(2, 50, 1, "debug");
  queue.add(3, 10, 1, "debug");
  EXPECT_EQ(queue.starts(), (Times{0, 100, 2, 52}));
}

TEST(SlurmPartitions, WhoWouldNotFitOnWhatIsLeftBlocksNobody)
{
  // Three machines of one GPU; gpu has the first two, any all. Job 1 waits for both of gpu and blocks them. Job 2 of
  // any wants two: it would not fit on the third if nobody ran, so it is passed over (ESLURM_NODE_NOT_AVAIL,
  // src/slurmctld/node_scheduler.c), and job 3 of any starts there. Job 2 follows job 1.
  Queue queue;
  queue.settings.set("backfill", 0.0);
  queue.shape = ClusterShape::machines(3, 1);
  queue.rules.partitions = {{.name = "gpu", .nodes = {"node-0", "node-1"}}, {.name = "any"}};
  queue.add(0, 100, 1, "gpu");
  queue.add(1, 10, 2, "gpu");
  queue.add(2, 10, 2, "any");
  queue.add(3, 50, 1, "any");
  EXPECT_EQ(queue.starts(), (Times{0, 100, 110, 3}));
}

TEST(SlurmMain, RunsAtMostEverySchedMinInterval)
{
  // One GPU. The main scheduler runs at 0 s, for job 1 at 7 s, and for the end of job 0 (10 s) at 14 s.
  Queue queue;
  queue.shape = ClusterShape::pool(1);
  queue.settings.set("backfill", 0.0);
  queue.settings.set("sched_min_interval", 7.0);
  queue.add(0, 10, 1);
  queue.add(1, 10, 1);
  EXPECT_EQ(queue.starts(), (Times{0, 14}));
  queue.settings.set("sched_interval", 12.0); // and at 12 s anyway
  EXPECT_EQ(queue.starts(), (Times{0, 12}));
}

TEST(SlurmMain, RunsWhenARecordSaysSo)
{
  // One GPU: job 0 starts at 2 s, and ends at 12 s. Of the runs after it the one at 13 s is of backfill.
  Queue queue;
  queue.shape = ClusterShape::pool(1);
  queue.settings.set("runs", std::string{"m2 m11 b13 m15"});
  queue.add(0, 10, 1);
  queue.add(1, 10, 1);
  EXPECT_EQ(queue.starts(), (Times{2, 13}));
  queue.settings.set("runs", std::string{"m2 m11 m15"});
  EXPECT_EQ(queue.starts(), (Times{2, 15}));
  queue.settings.set("runs", std::string{"m2 x3"});
  EXPECT_THROW(queue.run(), std::invalid_argument);
}

TEST(SlurmReservations, AJobStartsWhenTheOnlyOneEnds)
{
  // Nothing else happens until then: no job runs, and none comes.
  Queue queue;
  queue.shape = ClusterShape::machines(2, 2);
  queue.rules.reservations = {{.name = "repair", .length = Seconds{1800}}};
  queue.add(0, 100, 4);
  EXPECT_EQ(queue.starts(), (Times{1800}));
}

TEST(SlurmBackfill, KeepsTheMachinesOfWhoIsPlanned)
{
  // Two machines of 2 GPUs; job 0 has the first until 100 s, job 1 wants 3 GPUs: at 100 s, on both. Job 2 (1 GPU, 200
  // s) would still run then, and there is a fourth GPU; but the machines of job 1 are whole its own, as in
  // sched/backfill. At 100 s job 1 runs, and job 2 takes the GPU that it leaves. Where GPUs are only counted, job 2
  // starts at once.
  const auto starts = [](const char* plan) {
    Queue queue;
    queue.shape = ClusterShape::machines(2, 2);
    queue.settings.set("bf_plan", std::string{plan});
    queue.settings.set("bf_interval", 1.0);
    queue.add(0, 100, 2);
    queue.add(0, 10, 3);
    queue.add(1, 200, 1);
    return queue.starts();
  };
  EXPECT_EQ(starts("machines"), (Times{0, 100, 100}));
  EXPECT_EQ(starts("gpus"), (Times{0, 100, 1}));
}

TEST(SlurmBackfill, APlanBeginsBeforeWhoWouldEndThen)
{
  // Two machines of one GPU; job 0 has the first until 100 s, and job 1 is planned on both from then on. Job 2 comes at
  // 1 s: with 98 s it is done before; with 99 s its end is the plan's begin, which backfill.c counts as in its way.
  const auto start = [](double length) {
    Queue queue;
    queue.shape = ClusterShape::machines(2, 1);
    queue.settings.set("bf_plan", std::string{"machines"});
    queue.settings.set("bf_interval", 1.0);
    queue.add(0, 100, 1);
    queue.add(0, 10, 2);
    queue.add(1, length, 1);
    return queue.starts()[2];
  };
  EXPECT_EQ(start(98), 1);
  EXPECT_EQ(start(99), 110);
}

TEST(SlurmReservations, NobodyRunsIntoAMaintenanceWindow)
{
  // Two machines of one GPU; the first is kept from 100 s to 150 s. Job 0 ends at 80 s there, job 1 at 105 s on the
  // other. Job 2 (20 s, at 85 s) would end at 105 s: it waits for the other machine. Job 3 (10 s, at 86 s) ends in
  // time.
  Queue queue;
  queue.settings.set("bf_interval", 1.0);
  queue.shape = ClusterShape::machines(2, 1);
  queue.rules.reservations = {{.name = "disk", .start = Seconds{100}, .length = Seconds{50}, .nodes = {"node-0"}}};
  queue.add(0, 80, 1);
  queue.add(10, 95, 1);
  queue.add(85, 20, 1);
  queue.add(86, 10, 1);
  EXPECT_EQ(queue.starts(), (Times{0, 10, 105, 86}));
}

TEST(SlurmReservations, WhoHasOneRunsInItAndNowhereElse)
{
  Queue queue;
  queue.shape = ClusterShape::machines(2, 1);
  queue.rules.reservations = {
      {.name = "course", .start = Seconds{200}, .length = Seconds{100}, .nodes = {"node-0"}, .users = {"ann"}}};
  const auto of_ann = [&](double submit, double duration) {
    TraceJob& job = queue.add(submit, duration, 1);
    job.user = queue.workload.users.index_of("ann");
    job.reservation = static_cast<std::int16_t>(queue.workload.reservations.index_of("course"));
  };
  of_ann(0, 60);         // both machines are free, but its reservation begins at 200 s
  of_ann(1, 60);         // after it; 40 s of the reservation are left, and at its end it is killed, as by slurmctld
  of_ann(2, 40);         // never: the reservation is over when the machine is free
  queue.add(190, 20, 1); // on the other machine
  queue.add(195, 90, 1); // after it: it would reach into the reservation
  const SchedulingResult result = queue.run();
  EXPECT_EQ(result.jobs[0].first_start, Seconds{200});
  EXPECT_EQ(result.jobs[1].first_start, Seconds{260});
  EXPECT_EQ(result.jobs[1].phase, JobPhase::withdrawn);
  EXPECT_NE(result.jobs[2].phase, JobPhase::finished);
  EXPECT_EQ(result.jobs[3].first_start, Seconds{190});
  EXPECT_EQ(result.jobs[4].first_start, Seconds{210});
}

TEST(SlurmPreemption, AQosStopsAnotherAfterItsGrace)
{
  // Job 1 comes at 10 s; job 0 runs on for 5 s of grace. Job 1 has the GPUs from 15 s to 35 s, job 0 its last 85 s
  // then.
  Queue queue;
  queue.shape = ClusterShape::pool(2);
  queue.settings.set("preempt", std::string{"qos"});
  queue.rules.qos = {{.name = "low", .grace = Seconds{5}}, {.name = "high", .priority = 10, .preempts = {"low"}}};
  queue.add_qos(0, 100, 2, "low");
  queue.add_qos(10, 20, 2, "high");
  const SchedulingResult result = queue.run();
  EXPECT_EQ(result.jobs[1].first_start, Seconds{15});
  EXPECT_EQ(result.jobs[0].preemptions, 1);
  EXPECT_EQ(result.jobs[0].end, Seconds{120});
  queue.settings.set("preempt_mode", std::string{"cancel"});
  const SchedulingResult cancelled = queue.run();
  EXPECT_EQ(cancelled.jobs[0].phase, JobPhase::withdrawn);
  EXPECT_EQ(cancelled.jobs[1].first_start, Seconds{15});
  queue.settings.set("preempt", std::string{"none"});
  EXPECT_EQ(queue.starts(), (Times{0, 100}));
}

TEST(SlurmPreemption, StopsTheYoungestOfTheLowestAndNoMoreThanNeeded)
{
  Queue queue;
  queue.settings.set("preempt", std::string{"qos"});
  queue.rules.qos = {{.name = "low"},
                     {.name = "middle", .priority = 1},
                     {.name = "high", .priority = 2, .preempts = {"low", "middle"}}};
  queue.add_qos(0, 100, 1, "low");
  queue.add_qos(1, 100, 1, "low");
  queue.add_qos(2, 100, 2, "middle");
  queue.add_qos(10, 10, 1, "high");
  const SchedulingResult result = queue.run();
  EXPECT_EQ(result.jobs[3].first_start, Seconds{10});
  EXPECT_EQ(result.jobs[0].preemptions, 0);
  EXPECT_EQ(result.jobs[1].preemptions, 1);
  EXPECT_EQ(result.jobs[2].preemptions, 0);
}

TEST(SlurmPreemption, AHigherTierStopsALower)
{
  Queue queue;
  queue.settings.set("preempt", std::string{"partition"});
  queue.rules.partitions = {{.name = "gpu"}, {.name = "debug", .tier = 2}};
  queue.add(0, 100, 4, "gpu");
  queue.add(10, 10, 1, "debug");
  queue.add(11, 10, 1, "gpu");
  const SchedulingResult result = queue.run();
  EXPECT_EQ(result.jobs[1].first_start, Seconds{10});
  EXPECT_EQ(result.jobs[0].end, Seconds{110});
}

TEST(SlurmLimits, OfPartitionAndQosHoldOnlyTheirJobs)
{
  const auto starts = [](const BatchLimits& limits) {
    Queue queue;
    queue.rules.qos = {{.name = "small", .limits = limits}};
    for (const auto& [user, team] : {std::pair{"ann", "a"}, {"ann", "a"}, {"bob", "a"}, {"carl", "b"}}) {
      TraceJob& job = queue.add_qos(0, 10, 1, "small");
      job.user = queue.workload.users.index_of(user);
      job.team = queue.workload.teams.index_of(team);
    }
    return queue.starts();
  };
  EXPECT_EQ(starts({}), (Times{0, 0, 0, 0}));
  EXPECT_EQ(starts({.user_gpus = 1}), (Times{0, 10, 0, 0}));
  EXPECT_EQ(starts({.account_gpus = 2}), (Times{0, 0, 10, 0}));
  EXPECT_EQ(starts({.all_gpus = 3}), (Times{0, 0, 0, 10}));
  EXPECT_EQ(starts({.user_jobs = 1}), (Times{0, 10, 0, 0}));
  EXPECT_EQ(starts({.all_jobs = 2}), (Times{0, 0, 10, 10}));
  EXPECT_EQ(starts({.time = Seconds{5}}), (Times{-1, -1, -1, -1}));
  Queue wide;
  wide.rules.partitions = {{.name = "gpu", .limits = {.job_gpus = 2}}};
  wide.add(0, 10, 3, "gpu");
  wide.add(1, 10, 2, "gpu");
  EXPECT_EQ(wide.starts(), (Times{-1, 1}));
}

/// Four jobs of 10 s with a GPU each, all at once: two of ann and one of bob in optics, below physics, and one of carl
/// in physics itself.
Queue in_accounts(const std::vector<BatchAssociation>& associations)
{
  Queue queue;
  queue.rules.associations = associations;
  for (const auto& [user, team] :
       {std::pair{"ann", "optics"}, {"ann", "optics"}, {"bob", "optics"}, {"carl", "physics"}}) {
    TraceJob& job = queue.add(0, 10, 1);
    job.user = queue.workload.users.index_of(user);
    job.team = queue.workload.teams.index_of(team);
  }
  return queue;
}

TEST(SlurmAssociations, LimitsOfAllJobsCountAtEveryLevelOfTheTree)
{
  const auto starts = [](const BatchLimits& root, const BatchLimits& physics, const BatchLimits& optics) {
    return in_accounts({{.account = "root", .limits = root},
                        {.account = "physics", .limits = physics},
                        {.account = "optics", .parent = "physics", .limits = optics}})
        .starts();
  };
  EXPECT_EQ(starts({}, {}, {}), (Times{0, 0, 0, 0}));
  EXPECT_EQ(starts({.all_gpus = 3}, {}, {}), (Times{0, 0, 0, 10}));
  EXPECT_EQ(starts({}, {.all_gpus = 3}, {}), (Times{0, 0, 0, 10}));
  EXPECT_EQ(starts({}, {}, {.all_gpus = 2}), (Times{0, 0, 10, 0}));
  EXPECT_EQ(starts({}, {.all_gpus = 2}, {.all_gpus = 1}), (Times{0, 10, 20, 0})); // optics one at a time, and carl
  EXPECT_EQ(starts({}, {.all_jobs = 3}, {.all_jobs = 2}), (Times{0, 0, 10, 0}));
}

TEST(SlurmAssociations, OtherLimitsAreOfEachUserTheNearestFirst)
{
  // physics lets each user run one job, and its sub-account inherits that; ann's own limit of two comes before it.
  const BatchAssociation physics{.account = "physics", .limits = {.user_jobs = 1}};
  const BatchAssociation optics{.account = "optics", .parent = "physics"};
  EXPECT_EQ(in_accounts({physics, optics}).starts(), (Times{0, 10, 0, 0}));
  EXPECT_EQ(in_accounts({physics, optics, {.account = "optics", .user = "ann", .limits = {.user_jobs = 2}}}).starts(),
            (Times{0, 0, 0, 0}));
  EXPECT_EQ(in_accounts({optics, {.account = "physics", .limits = {.time = Seconds{5}}}}).starts(),
            (Times{-1, -1, -1, -1}));
  EXPECT_EQ(in_accounts({{.account = "optics", .user = "bob", .limits = {.time = Seconds{5}}}}).starts(),
            (Times{0, 0, -1, 0}));
  Queue wide = in_accounts({{.account = "optics", .limits = {.job_gpus = 1}}});
  wide.workload.jobs[0].gpus = 2;
  EXPECT_EQ(wide.starts(), (Times{-1, 0, 0, 0}));
}

TEST(SlurmAssociations, ALimitOfTheQosComesBeforeTheirs)
{
  // The same kind only: that of the QOS is larger, but the one of the account does not count beside it.
  Queue queue = in_accounts({{.account = "optics", .limits = {.all_gpus = 1}}});
  queue.rules.qos = {{.name = "wide", .limits = {.all_gpus = 2}}};
  for (TraceJob& job : queue.workload.jobs)
    job.qos = static_cast<std::int16_t>(queue.workload.qos.index_of("wide"));
  EXPECT_EQ(queue.starts(), (Times{0, 0, 10, 10}));
  queue.rules.qos = {{.name = "wide", .limits = {.all_jobs = 2}}};
  EXPECT_EQ(queue.starts(), (Times{0, 10, 20, 0}));
}

TEST(SlurmAssociations, TheFirstLimitIsTheReason)
{
  // Names as squeue prints them (src/common/slurm_protocol_defs.c). Limits of jobs are looked at before those of GPUs,
  // the
  // QOS before the user, and that before the account.
  const auto reason = [](const BatchLimits& optics, const BatchLimits& qos) {
    Queue queue = in_accounts({{.account = "optics", .limits = optics}});
    queue.rules.qos = {{.name = "q", .limits = qos}};
    for (TraceJob& job : queue.workload.jobs)
      job.qos = static_cast<std::int16_t>(queue.workload.qos.index_of("q"));
    for (const WaitRecord& wait : queue.run(true).waits)
      if (wait.job == JobId{1})
        return wait.reason;
    return WaitReason::none;
  };
  EXPECT_EQ(reason({.all_gpus = 1}, {}), WaitReason::association_group_gpus);
  EXPECT_EQ(reason({.all_gpus = 1, .all_jobs = 1}, {}), WaitReason::association_group_jobs);
  EXPECT_EQ(reason({.user_jobs = 1, .all_jobs = 1}, {}), WaitReason::association_jobs);
  EXPECT_EQ(reason({.user_jobs = 1}, {}), WaitReason::association_jobs);
  EXPECT_EQ(reason({.all_gpus = 1}, {.user_gpus = 1}), WaitReason::qos_user_gpus);
  EXPECT_EQ(reason({.all_jobs = 1}, {.user_gpus = 1}), WaitReason::association_group_jobs);
  EXPECT_EQ(to_text(WaitReason::association_group_gpus),
            "its account, or one above it, would hold more GPUs than it may (AssocGrpGRES)");
}

TEST(SlurmAssociations, WhoSubmitsTooManyIsRefused)
{
  // One GPU. ann may have one job that waits or runs: her second is refused for good, a third after the end of the
  // first is taken. bob's job waits, so physics has two jobs then and refuses carl's.
  Queue queue = in_accounts({{.account = "physics", .limits = {.all_submitted = 2}},
                             {.account = "optics", .parent = "physics", .limits = {.user_submitted = 1}}});
  queue.shape = ClusterShape::pool(1);
  TraceJob& third = queue.add(11, 10, 1);
  third.user = queue.workload.jobs[0].user;
  third.team = queue.workload.jobs[0].team;
  const SchedulingResult result = queue.run();
  EXPECT_EQ(result.jobs[0].first_start, Seconds{0});
  EXPECT_EQ(result.jobs[1].phase, JobPhase::withdrawn);
  EXPECT_EQ(result.jobs[1].reason, WaitReason::association_submitted);
  EXPECT_EQ(result.jobs[2].first_start, Seconds{10});
  EXPECT_EQ(result.jobs[3].phase, JobPhase::withdrawn);
  EXPECT_EQ(result.jobs[3].reason, WaitReason::association_group_submitted);
  EXPECT_EQ(result.jobs[4].first_start, Seconds{20});
}

TEST(SlurmAssociations, WhoIsStoppedIsNotRefusedWhenItWaitsAgain)
{
  // Job 0 is stopped at 10 s and waits again: it was submitted once.
  Queue queue;
  queue.shape = ClusterShape::pool(1);
  queue.settings.set("preempt", std::string{"qos"});
  queue.rules.qos = {{.name = "low", .limits = {.all_submitted = 1}}, {.name = "high", .preempts = {"low"}}};
  queue.add_qos(0, 100, 1, "low");
  queue.add_qos(10, 20, 1, "high");
  queue.add_qos(15, 20, 1, "low"); // refused: job 0 waits
  const SchedulingResult result = queue.run();
  EXPECT_EQ(result.jobs[0].end, Seconds{120});
  EXPECT_EQ(result.jobs[1].first_start, Seconds{10});
  EXPECT_EQ(result.jobs[2].reason, WaitReason::qos_group_submitted);
}

TEST(SlurmLimits, OfThePartitionsQosComeBeforeThoseOfTheJobs)
{
  Queue queue;
  queue.rules.qos = {{.name = "part", .limits = {.user_gpus = 2}}, {.name = "own", .limits = {.user_gpus = 1}}};
  queue.rules.partitions = {{.name = "gpu", .qos = "part"}};
  for (int i = 0; i < 3; ++i)
    queue.add_qos(0, 10, 1, "own").queue = queue.workload.queues.index_of("gpu");
  EXPECT_EQ(queue.starts(), (Times{0, 0, 10}));
}

TEST(SlurmArrays, SoManyOfThemRunAtOnce)
{
  Queue queue;
  const int array = queue.workload.array_of("a", 2);
  for (int i = 0; i < 4; ++i)
    queue.add(0, 10, 1).array = array;
  queue.add(1, 10, 2);
  EXPECT_EQ(queue.starts(), (Times{0, 0, 10, 10, 1}));
}

TEST(SlurmPriority, OfTheQosIsOverTheLargest)
{
  // One GPU: job 0 runs; of the others the one of the better QOS is first, whatever the job's own priority.
  Queue queue;
  queue.shape = ClusterShape::pool(1);
  queue.settings.set("weight_qos", 100.0);
  queue.settings.set("calc_period", 1.0);
  queue.rules.qos = {{.name = "low", .priority = 1}, {.name = "high", .priority = 2}};
  queue.add_qos(0, 10, 1, "low");
  queue.add_qos(1, 10, 1, "low").priority = 5;
  queue.add_qos(2, 10, 1, "high");
  EXPECT_EQ(queue.starts(), (Times{0, 20, 10}));
}

TEST(SlurmRules, AreReadByARunOfAQueueAndNotCalledIgnored)
{
  Diagnostics diagnostics;
  const Document document = parse_document(
      tests::queue_head + "slurm: {partitions: [{name: gpu, nodes: [n-0], max_time: 1 h}],\n"
                          "        associations: [{account: root, group_gpus: 1, group_submitted: 9},\n"
                          "                       {account: x, user: y, max_jobs_per_user: 2}]}\n"
                          "workload: {jobs: [{name: a, duration: 1 h, gpus: 1, queue: gpu, team: x, user: y}]}\n"
                          "scheduling: {policy: slurm}\n",
      "q.yaml", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  check_parts(document, points.front().scenario, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_NO_THROW(tests::run_queue(tests::queue_head + "slurm: {partitions: [{name: gpu, nodes: [n-0]}]}\n"
                                                       "workload: {jobs: [{duration: 1 h, gpus: 1, queue: gpu}]}\n"
                                                       "scheduling: {policy: slurm}\n"));
}

TEST(SlurmRules, AreRefusedWithTheirPlace)
{
  const auto fault = [](const auto& change) {
    Queue queue;
    queue.shape = ClusterShape::machines(2, 1);
    queue.add(0, 1, 1);
    change(queue);
    return queue.fault();
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(
      fault([](Queue& queue) {
        queue.rules.partitions = {{.name = "gpu", .nodes = {"node-0", "nude-1"}}};
      }),
      HasSubstr("slurm.partitions.0.nodes.1: there is no machine or node group 'nude-1'; did you mean 'node-1'?"));
  EXPECT_THAT(fault([](Queue& queue) { queue.rules.qos = {{.name = "high", .preempts = {"low"}}}; }),
              HasSubstr("slurm.qos.0.preempts.0: there is no QOS 'low'"));
  EXPECT_THAT(fault([](Queue& queue) {
                queue.rules.qos = {{.name = "high"}};
                queue.workload.jobs[0].qos = static_cast<std::int16_t>(queue.workload.qos.index_of("hihg"));
              }),
              HasSubstr("slurm: job 0: there is no QOS 'hihg'; list it in slurm.qos"));
  EXPECT_THAT(fault([](Queue& queue) {
                queue.rules.reservations = {{.name = "r", .start = Seconds{1}, .length = Seconds{1}, .users = {"ann"}}};
                queue.workload.jobs[0].reservation =
                    static_cast<std::int16_t>(queue.workload.reservations.index_of("r"));
              }),
              HasSubstr("slurm: job 0: the reservation 'r' is neither for the user '' nor for the account ''"));
  EXPECT_THAT(fault([](Queue& queue) {
                queue.shape = ClusterShape::pool(2);
                queue.rules.partitions = {{.name = "gpu", .nodes = {"node-0"}}};
              }),
              HasSubstr("slurm.partitions.0.nodes: a pool has no machines; remove scheduling.cluster: pool"));
}

TEST(SlurmAssociations, AreRefusedWithTheirPlace)
{
  using ::testing::HasSubstr;
  const auto fault = [](const std::vector<BatchAssociation>& associations) {
    return in_accounts(associations).fault();
  };
  EXPECT_EQ(fault({{.account = "optics"}}), "");
  EXPECT_THAT(fault({{.account = "optic"}}),
              HasSubstr("slurm.associations.0.account: no job has the account (team) 'optic', and no account is below "
                        "it; did you mean 'optics'?"));
  EXPECT_THAT(fault({{.account = "optics", .user = "anna"}}),
              HasSubstr("slurm.associations.0.user: no job has the user 'anna'; did you mean 'ann'?"));
  EXPECT_THAT(
      fault({{.account = "physics"}, {.account = "optics", .parent = "physic"}}),
      HasSubstr("slurm.associations.1.parent: there is no account 'physic'; did you mean 'physics'?; list it in "
                "slurm.associations"));
  EXPECT_THAT(fault({{.account = "optics"}, {.account = "optics"}}),
              HasSubstr("slurm.associations.1.account: 'optics' is given twice"));
  EXPECT_THAT(fault({{.account = "physics", .parent = "optics"}, {.account = "optics", .parent = "physics"}}),
              HasSubstr("slurm.associations.0.parent: account 'physics' would be above itself"));
}

TEST(SlurmPreemption, APartitionWithModeOffIsNeverStopped)
{
  // Job 1 of a higher tier comes at 10 s and takes both GPUs at once, unless the other partition says PreemptMode=OFF:
  // then it waits for the end at 100 s. REQUEUE and CANCEL of the partition count before the policy's.
  const auto result = [](const std::string& mode, const char* of_policy) {
    Queue queue;
    queue.shape = ClusterShape::pool(2);
    queue.settings.set("preempt", std::string{"partition"});
    queue.settings.set("preempt_mode", std::string{of_policy});
    queue.rules.partitions = {{.name = "day", .preempt_mode = mode}, {.name = "hot", .tier = 5}};
    queue.add(0, 100, 2, "day");
    queue.add(10, 20, 2, "hot");
    return queue.run();
  };
  EXPECT_EQ(result("", "cancel").jobs[1].first_start, Seconds{10});
  EXPECT_EQ(result("off", "cancel").jobs[1].first_start, Seconds{100});
  EXPECT_EQ(result("off", "cancel").jobs[0].phase, JobPhase::finished);
  EXPECT_EQ(result("requeue", "cancel").jobs[0].phase, JobPhase::finished);
  EXPECT_EQ(result("cancel", "requeue").jobs[0].phase, JobPhase::withdrawn);
}

TEST(SlurmReasons, AMaintenanceWindowIsTheReasonAndNoJobBefore)
{
  // Two machines are kept from 1000 s on for 100 s. Job 0 may run for 2000 s, so it waits for the end of the window,
  // beside job 1 that is done before.
  Queue queue;
  queue.shape = ClusterShape::machines(2, 4);
  queue.rules.reservations = {{.name = "maintenance", .start = Seconds{1000}, .length = Seconds{100}}};
  queue.add(0, 2000, 4);
  queue.add(60, 500, 4);
  const SchedulingResult result = queue.run(true);
  EXPECT_EQ(result.jobs[0].first_start, Seconds{1100});
  int records = 0;
  for (const WaitRecord& wait : result.waits)
    if (wait.job == JobId{0}) {
      ++records;
      EXPECT_EQ(wait.reason, WaitReason::reservation) << to_text(wait.reason);
      EXPECT_FALSE(wait.blocker);
    }
  EXPECT_EQ(records, 1); // not a piece for each run of the scheduler
}

// Reasons against what the machines and reservations say by themselves, in random queues: at the begin of each reason
// the GPUs are missing, or a reservation of machines is, or the job that is named waits.
TEST(SlurmReasons, AreTrueInRandomQueues)
{
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream draw = Random{seed}.stream("queue");
    const auto whole = [&](int most) { return 1 + static_cast<int>(draw.uniform() * most); };
    Queue queue;
    queue.shape = ClusterShape::machines(3, 2);
    queue.settings.set("bf_plan", std::string{"machines"});
    queue.rules.reservations = {
        {.name = "repair", .start = Seconds{100.0 * whole(20) + 0.5}, .length = Seconds{100.0 * whole(5)}}};
    if (seed % 2 == 0)
      queue.rules.reservations[0].nodes = {"node-0", "node-1"};
    for (int i = 0; i < 15; ++i) {
      TraceJob& job = queue.add(50.0 * whole(30), 100.0 * whole(8), whole(6));
      job.estimate = job.duration * whole(3);
    }
    std::ranges::sort(queue.workload.jobs, {}, &TraceJob::submit);
    const SchedulingResult result = queue.run(true);
    const BatchReservation& repair = queue.rules.reservations[0];
    for (const WaitRecord& wait : result.waits) {
      if (wait.from == wait.to)
        continue;
      const TraceJob& job = queue.workload.jobs[static_cast<std::size_t>(wait.job.index)];
      std::vector<int> free(3, 2);
      for (const RunRecord& run : result.runs)
        if (run.from <= wait.from && wait.from < run.to)
          for (const TaskShare& share : run.held.shares)
            free[static_cast<std::size_t>(share.node)] -= share.gpus();
      int all = 0, open = 0;
      const bool meets = Instant{repair.start} < wait.from + job.estimate && wait.from < repair.end();
      for (std::size_t node = 0; node < free.size(); ++node) {
        all += free[node];
        open += meets && (repair.nodes.empty() || node < 2) ? 0 : free[node];
      }
      const std::string where =
          fmt::format("seed {}, job {} from {} s: {}", seed, wait.job.index, wait.from.value(), to_text(wait.reason));
      if (wait.reason == WaitReason::gpus || wait.reason == WaitReason::fragmented) {
        EXPECT_LT(all, job.gpus) << where;
      } else if (wait.blocker) {
        const JobOutcome& other = result.jobs[static_cast<std::size_t>(wait.blocker.index)];
        EXPECT_NE(wait.blocker, wait.job) << where;
        EXPECT_LE(queue.workload.jobs[static_cast<std::size_t>(wait.blocker.index)].submit, wait.from) << where;
        EXPECT_TRUE(other.first_start < Instant{0} || other.first_start >= wait.from) << where;
      } else {
        EXPECT_NE(wait.reason, WaitReason::behind_head) << where;
        if (wait.reason == WaitReason::reservation) {
          EXPECT_LT(open, job.gpus) << where;
        }
      }
    }
  }
}

} // namespace
} // namespace trainyard
