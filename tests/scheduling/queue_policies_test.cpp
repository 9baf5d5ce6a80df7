// SPDX-License-Identifier: Apache-2.0
// Hand-worked queues of single policies.
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"
#include "tests/support/random_workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace trainyard {
namespace {

using tests::end_times;
using tests::job;
using tests::Times;

SchedulingResult replayed(const std::string& name, const Workload& workload, int gpus, const Settings& settings = {},
                          const SchedulingOptions& options = {})
{
  return simulate_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create(name, settings),
                        nullptr, options);
}

Settings with(const std::string& name, double value)
{
  Settings settings;
  settings.set(name, value);
  return settings;
}

Settings with_text(std::initializer_list<std::pair<const char*, const char*>> values)
{
  Settings settings;
  for (const auto& [name, value] : values)
    settings.set(name, std::string{value});
  return settings;
}

TEST(Fifo, SkipLetsASmallJobPassABlockedHead)
{
  Workload workload;
  workload.jobs = {job(0, 10, 3), job(0, 10, 4), job(0, 5, 1)};
  EXPECT_EQ(end_times(replayed("fifo", workload, 4)), (Times{10, 20, 25}));
  EXPECT_EQ(end_times(replayed("fifo", workload, 4, with("skip", 1))), (Times{10, 20, 5}));
}

TEST(WaitRecords, StayFewInALongQueueAndCoverTheSameTime)
{
  const Workload workload =
      tests::random_workload(7, {.jobs = 400, .mean_gap = 20}); // far more than 8 GPUs can do: a long queue
  const auto waited = [&](const SchedulingResult& result) {
    std::vector<std::pair<int, double>> jobs(workload.jobs.size());
    for (const WaitRecord& wait : result.waits) {
      ++jobs[static_cast<std::size_t>(wait.job.index)].first;
      jobs[static_cast<std::size_t>(wait.job.index)].second += (wait.to - wait.from).value();
    }
    return jobs;
  };
  const SchedulingResult whole = replayed("fifo", workload, 8, {}, {.record_waits = true});
  const SchedulingResult bounded = replayed("fifo", workload, 8, {}, {.record_waits = true, .most_wait_records = 1});
  const auto all = waited(whole), few = waited(bounded);
  int most = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    most = std::max(most, all[i].first);
    EXPECT_LE(few[i].first, 8);
    EXPECT_NEAR(few[i].second, all[i].second, 1e-6) << "job " << i;
  }
  EXPECT_GT(most, 8); // else nothing was gathered
  EXPECT_TRUE(std::ranges::is_sorted(bounded.waits, {}, &WaitRecord::to));
}

TEST(Sjf, TheShortestEstimateStartsFirst)
{
  Workload workload;
  workload.jobs = {job(0, 10, 4), job(1, 9, 4), job(2, 3, 4)};
  EXPECT_EQ(end_times(replayed("sjf", workload, 4)), (Times{10, 22, 13}));
}

TEST(Priority, StopsAsFewLessImportantJobsAsItNeedsTheLatestFirst)
{
  Workload workload;
  workload.jobs = {job(0, 100, 2), job(1, 100, 2), job(10, 10, 2)};
  workload.jobs[2].priority = 1;
  const SchedulingResult result = replayed("priority", workload, 4);
  EXPECT_EQ(end_times(result), (Times{100, 111, 20}));
  EXPECT_EQ(result.jobs[0].preemptions, 0);
  EXPECT_EQ(result.jobs[1].preemptions, 1);
  EXPECT_EQ(end_times(replayed("priority", workload, 4, with("preempt", 0))), (Times{100, 101, 110}));
}

TEST(Preemption, CostsAreHeldOnTheGpusWithoutProgress)
{
  Workload workload;
  workload.jobs = {job(0, 100, 4), job(10, 10, 4)};
  workload.jobs[1].priority = 1;
  SchedulingOptions options;
  options.checkpoint_cost = Seconds{3};
  options.restart_cost = Seconds{4};
  const SchedulingResult result = replayed("priority", workload, 4, {}, options);
  // Job 0: 10 done, saves until 13, away until 23, loads until 27, 90 left. Job 1 begins when job 0 has saved.
  EXPECT_EQ(end_times(result), (Times{117, 23}));
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{28});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{428});
}

TEST(EasyBackfill, WhatTheHeadLeavesOverIsGivenAwayOnce)
{
  // 10 GPUs. Job 0 has 6 until 100 s. The head, job 1, wants 8 and is reserved at 100 s; 2 are left over then. Job 2
  // takes them for 500 s. Job 3 wants 2 for as long: it would delay the head, and starts when that one ends, at 150 s.
  Workload workload;
  workload.jobs = {job(0, 100, 6), job(0, 50, 8), job(0, 500, 2), job(0, 500, 2)};
  EXPECT_EQ(end_times(replayed("easy_backfill", workload, 10)), (Times{100, 150, 500, 650}));
}

TEST(EasyBackfill, DepthLimitsWhoMayPass)
{
  Workload workload;
  workload.jobs = {job(0, 10, 3), job(0, 10, 4), job(0, 20, 1), job(0, 5, 1)};
  EXPECT_EQ(end_times(replayed("easy_backfill", workload, 4)), (Times{10, 20, 40, 5}));
  EXPECT_EQ(end_times(replayed("easy_backfill", workload, 4, with("depth", 1))), (Times{10, 20, 40, 25}));
}

TEST(ConservativeBackfill, AJobThatEndsJustWhenAReservationBeginsPasses)
{
  // Job 0 has 3 of 4 GPUs until 10 s, when job 1 gets all. One GPU is free for exactly 10 s: enough for job 2.
  Workload workload;
  workload.jobs = {job(0, 10, 3), job(0, 10, 4), job(0, 10, 1)};
  EXPECT_EQ(end_times(replayed("conservative_backfill", workload, 4)), (Times{10, 20, 10}));
}

TEST(ConservativeBackfill, ReservationsMoveForwardWhenAJobEndsEarly)
{
  // Job 0 has 3 of 4 GPUs and asks for 100 s: job 1, on all GPUs, is reserved at 100 s. Job 2, 200 s on one GPU, would
  // delay it and is reserved at 110 s. Job 0 ends at 10 s: job 1 runs from then to 20 s, and job 2 to 220 s.
  Workload workload;
  workload.jobs = {job(0, 10, 3), job(0, 10, 4), job(0, 200, 1)};
  workload.jobs[0].estimate = Seconds{100};
  EXPECT_EQ(end_times(replayed("conservative_backfill", workload, 4)), (Times{10, 20, 220}));
}

TEST(FairShare, PastUsageDecays)
{
  // User 1 has used 4 GPUs for 100 s; user 2 nothing. Both wait: user 2 goes first although it came later.
  Workload workload;
  workload.users.index_of("a");
  workload.users.index_of("b");
  workload.jobs = {job(0, 100, 4), job(1, 10, 4), job(2, 10, 4)};
  workload.jobs[0].user = workload.jobs[1].user = 1;
  workload.jobs[2].user = 2;
  EXPECT_EQ(end_times(replayed("fair_share", workload, 4)), (Times{100, 120, 110}));
}

TEST(Drf, TheTeamWithTheSmallestShareStartsNext)
{
  Workload workload;
  workload.teams.index_of("a");
  workload.teams.index_of("b");
  for (int i = 0; i < 4; ++i)
    workload.jobs.push_back(job(0, 10, 1));
  for (int i = 0; i < 2; ++i)
    workload.jobs.push_back(job(0, 10, 1));
  for (std::size_t i = 0; i < 6; ++i)
    workload.jobs[i].team = i < 4 ? 1 : 2;
  EXPECT_EQ(end_times(replayed("drf", workload, 4)), (Times{10, 10, 20, 20, 10, 10}));
}

TEST(Drf, QuotasAreBorrowedInACohortAndReclaimed)
{
  Workload workload;
  workload.teams.index_of("a");
  workload.teams.index_of("b");
  workload.jobs = {job(0, 100, 2), job(0, 100, 2), job(10, 10, 2)};
  workload.jobs[0].team = workload.jobs[1].team = 1;
  workload.jobs[2].team = 2;
  // Without a cohort the second job of team a waits for its own quota of 2.
  EXPECT_EQ(end_times(replayed("drf", workload, 4, with_text({{"quotas", "a=2 b=2"}}))), (Times{100, 200, 20}));
  // In a cohort it borrows b's 2 GPUs until b wants them at 10 s; it has 90 s left at 20 s.
  EXPECT_EQ(end_times(replayed("drf", workload, 4, with_text({{"quotas", "a=2 b=2"}, {"cohorts", "a+b"}}))),
            (Times{100, 110, 20}));
}

TEST(Drf, RefusesQuotasThatCannotBe)
{
  Workload workload;
  workload.teams.index_of("vision");
  workload.jobs = {job(0, 1, 1)};
  workload.jobs[0].team = 1;
  const auto message = [&](const Settings& settings) {
    try {
      replayed("drf", workload, 4, settings);
    } catch (const std::invalid_argument& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  EXPECT_EQ(message(with_text({{"quotas", "vision=5"}})), "the quotas add up to 5 GPUs, but the cluster has 4");
  EXPECT_EQ(message(with_text({{"quotas", "vison=2"}})).substr(0, 29), "no job belongs to team 'vison");
  EXPECT_EQ(message(with_text({{"quotas", "vision"}})), "'vision' is not team=GPUs");
}

TEST(Las, AJobSinksWhenItsServicePassesTheLimit)
{
  // Limit 40 GPU-s: job 0 (4 GPUs) sinks at 10 s, job 1 runs 10 s and sinks too; then first started, first served.
  Workload workload;
  workload.jobs = {job(0, 30, 4), job(5, 20, 4)};
  const SchedulingResult result = replayed("las", workload, 4, with_text({{"limits", "40"}}));
  EXPECT_EQ(end_times(result), (Times{40, 50}));
  EXPECT_EQ(result.jobs[1].first_start, Seconds{10});
}

TEST(Las, APromotedJobStartsFromZeroAgain)
{
  // One GPU, limit 10, promoted after waiting as long as it has run. 0 runs 0-10 and sinks, 1 10-20 and sinks. At 20
  // job 0 has waited 10 s for 10 s of running: promoted, 20-30. 1 also, 30-40. At 40 job 0 has run 10 s and waited 10 s
  // since it was promoted: promoted again (20 s of waiting, as long as it has run in all, are not needed), 40-50; so
  // they take turns until 0 has had its 40 s at 70.
  Workload workload;
  workload.jobs = {job(0, 40, 1), job(0, 100, 1)};
  Settings settings = with_text({{"limits", "10"}});
  settings.set("promote", 1.0);
  EXPECT_EQ(end_times(replayed("las", workload, 1, settings)), (Times{70, 140}));
  // Without it both have moved down at 20 and the job that started first runs on.
  EXPECT_EQ(end_times(replayed("las", workload, 1, with_text({{"limits", "10"}}))), (Times{50, 140}));
}

TEST(DlasGpu, WhoRunsGoesBeforeWhoWaitsInItsQueue)
{
  // Four GPUs, limit 40 GPU-s. Job 0 (4 GPUs) sinks at 10 s, job 1 (1 GPU) runs from then on and sinks at 50 s. Then
  // job 2 (1 GPU, 45-55 s) is in the first queue, job 0 does not fit beside it, and job 1 runs on: in the list it now
  // stands before job 0. At 55 s job 1 keeps its GPU until 70 s, and job 0 runs its last 20 s after it.
  Workload workload;
  workload.jobs = {job(0, 30, 4), job(0, 60, 1), job(45, 10, 1)};
  EXPECT_EQ(end_times(replayed("dlas_gpu", workload, 4, with_text({{"limits", "40"}}))), (Times{90, 70, 55}));
  // The paper's rule: job 0 was started first. It runs 55-75 s, and job 1 its last 15 s after it.
  EXPECT_EQ(end_times(replayed("las", workload, 4, with_text({{"limits", "40"}}))), (Times{75, 90, 55}));
}

TEST(DlasGpu, PromotesWhoHasWaitedAsLongAsItRan)
{
  // As Las.APromotedJobStartsFromZeroAgain: both take turns of 10 s until job 0 has had its 40 s at 70 s.
  Workload workload;
  workload.jobs = {job(0, 40, 1), job(0, 100, 1)};
  Settings settings = with_text({{"limits", "10"}});
  settings.set("promote", 1.0);
  EXPECT_EQ(end_times(replayed("dlas_gpu", workload, 1, settings)), (Times{70, 140}));
  EXPECT_EQ(end_times(replayed("dlas_gpu", workload, 1, with_text({{"limits", "10"}}))), (Times{50, 140}));
}

TEST(Las, RefusesLimitsThatDoNotAscend)
{
  EXPECT_THROW(Registry<QueuePolicy>::instance().create("las", with_text({{"limits", "40 30"}})),
               std::invalid_argument);
  EXPECT_THROW(Registry<QueuePolicy>::instance().create("las", with_text({{"limits", "4x"}})), std::invalid_argument);
}

TEST(Gittins, PrefersTheJobThatIsLikelierToEndSoon)
{
  // Totals are 10 (three of four) or 1000. At age 0 the index is 3/4 / 10 = 0.075 per GPU-s; a job past 10 is certain
  // to have 990 left, index 1/990: a fresh job passes it.
  Workload workload;
  workload.jobs = {job(0, 1000, 1), job(20, 10, 1), job(21, 10, 1), job(22, 10, 1)};
  EXPECT_EQ(end_times(replayed("gittins", workload, 1)), (Times{1030, 30, 40, 50}));
}

TEST(Deadline, TheEarliestDeadlineRunsAndWhatCannotBeKeptIsNotAdmitted)
{
  Workload workload;
  workload.jobs = {job(0, 50, 4), job(1, 10, 4), job(2, 10, 4)};
  workload.jobs[0].deadline = Seconds{100};
  workload.jobs[1].deadline = Seconds{12};
  workload.jobs[2].deadline = Seconds{13}; // cannot be met beside job 1
  EXPECT_EQ(end_times(replayed("deadline", workload, 4)), (Times{60, 11, 70}));
}

TEST(TimeSlicing, JobsTakeTurns)
{
  Workload workload;
  workload.jobs = {job(0, 20, 4), job(0, 20, 4)};
  const SchedulingResult result = replayed("time_slicing", workload, 4, with("slice", 5));
  EXPECT_EQ(end_times(result), (Times{35, 40}));
  EXPECT_EQ(result.jobs[0].preemptions, 3);
}

TEST(FinishTimeFairness, ALeaseGoesToWhoFaresWorst)
{
  // After the lease of 10 s job 0 has rho (10 + 90) / (100 x 2) = 0.5, job 1 (10 + 10) / (10 x 2) = 1: it gets the
  // GPUs.
  Workload workload;
  workload.jobs = {job(0, 100, 4), job(0, 10, 4)};
  EXPECT_EQ(end_times(replayed("finish_time_fairness", workload, 4, with("lease", 10))), (Times{110, 20}));
}

TEST(Elastic, GrowsIntoFreeGpusAndShrinksForOthers)
{
  // Alone it grows from 2 to 4 GPUs (twice the speed): 10 s do 20 s of work; then job 1 wants 2, and the last 30 - 20
  // take 10 s.
  Workload workload;
  workload.jobs = {job(0, 30, 2), job(10, 10, 2)};
  workload.jobs[0].min_gpus = 2;
  workload.jobs[0].max_gpus = 4;
  EXPECT_EQ(end_times(replayed("elastic", workload, 4)), (Times{20, 20}));
}

TEST(Elastic, TheJobWhoseRemainingTimeFallsMostGrows)
{
  // Six GPUs: job 0 has 100 s left on its one, job 1 400 s on its four. A sixth GPU would save job 0
  // 100 (1 - 2^-0.9) = 46 s, job 1 400 (1 - (5/4)^-0.9) = 73 s: job 1 gets it and ends at 400 x 4/5 s. (Trace speeds
  // are in proportion to GPUs.) Then job 0 has ended.
  Workload workload;
  workload.jobs = {job(0, 100, 1), job(0, 400, 4)};
  for (TraceJob& one : workload.jobs) {
    one.min_gpus = one.gpus;
    one.max_gpus = one.gpus + 1;
  }
  EXPECT_EQ(end_times(replayed("elastic", workload, 6)), (Times{100, 320}));
  // Where its speeds on both sizes are known, and the fifth GPU makes it a hundredth faster, job 0 gets it: 50 s.
  workload.sizes.push_back(
      {{.gpus = 4, .save = {}, .load = {}, .speed = 1}, {.gpus = 5, .save = {}, .load = {}, .speed = 1.01}});
  workload.jobs[1].sizes = 1;
  EXPECT_EQ(end_times(replayed("elastic", workload, 6))[0], 50);
}

TEST(Gavel, TheProgramGivesEachJobTheTypeItGainsMostOn)
{
  // One GPU of each type; throughputs (4, 1) and (1, 2). Equal shares give 2.5 and 1.5. Each on its better type: 4/2.5
  // = 1.6 and 2/1.5 = 1.333; the second cannot do better, so 1.333 is the largest minimum.
  GavelProblem problem{.throughput = {{4, 1}, {1, 2}}, .gpus = {1, 1}, .weight = {1, 1}, .capacity = {1, 1}};
  const GavelAllocation fair = gavel_max_min(problem);
  EXPECT_NEAR(fair.objective, 4.0 / 3, 1e-6);
  EXPECT_NEAR(fair.share[0][0], 1, 1e-6);
  EXPECT_NEAR(fair.share[1][1], 1, 1e-6);
  // Makespan: 8 and 1 units of work: 8 / 4 = 2 s with the first on its better type throughout.
  problem.weight = {8, 1};
  EXPECT_NEAR(1 / gavel_makespan(problem).objective, 2, 1e-6);
}

TEST(Gavel, FifoGivesTheFirstTheFastestType)
{
  // One GPU of each type, both jobs (4, 1): 2 x 1 + 1 x 1/4 for the first on the fast type, 2 x 1/4 + 1 the other way
  // round.
  const GavelAllocation first =
      gavel_fifo({.throughput = {{4, 1}, {4, 1}}, .gpus = {1, 1}, .weight = {1, 1}, .capacity = {1, 1}});
  EXPECT_NEAR(first.share[0][0], 1, 1e-6);
  EXPECT_NEAR(first.share[1][1], 1, 1e-6);
}

TEST(Gavel, FinishTimeFairnessCountsTheTimeThatIsGone)
{
  // Throughputs (4, 1) and (1, 2), 10 units of work left each, one GPU of each type: equal shares give 2.5 and 1.5.
  // Each on its better type for the whole time: (10/4) / (10/2.5) = 0.625 and (10/2) / (10/1.5) = 0.75, which the
  // second cannot better.
  GavelProblem problem{.throughput = {{4, 1}, {1, 2}},
                       .gpus = {1, 1},
                       .weight = {1, 1},
                       .capacity = {1, 1},
                       .elapsed = {0, 0},
                       .left = {10, 10}};
  const GavelAllocation fair = gavel_finish_time_fairness(problem);
  EXPECT_NEAR(fair.objective, 0.75, 1e-3);
  EXPECT_NEAR(fair.share[1][1], 1, 2e-3);
  // The second has been here for 5 s: (5 + 5) / (5 + 20/3) = 6/7.
  problem.elapsed = {0, 5};
  EXPECT_NEAR(gavel_finish_time_fairness(problem).objective, 6.0 / 7, 1e-3);
  // One type only: nobody can gain without another's loss.
  EXPECT_NEAR(gavel_finish_time_fairness({.throughput = {{1}, {1}},
                                          .gpus = {1, 1},
                                          .weight = {1, 1},
                                          .capacity = {1},
                                          .elapsed = {0, 10},
                                          .left = {10, 10}})
                  .objective,
              1, 1e-3);
}

TEST(Gavel, EveryObjectiveFinishesEveryJob)
{
  for (const char* objective : {"max_min", "makespan", "fifo", "finish_time_fairness"}) {
    Workload workload = tests::random_workload(4, {.jobs = 40});
    ClusterShape shape = ClusterShape::pool(16);
    shape.gpu_types = {"slow", "fast"};
    shape.counts = {16, 8};
    workload.gpu_types = shape.gpu_types;
    workload.type_speed = {{{0, 0}, 1.0}, {{0, 1}, 2.5}};
    const auto policy = Registry<QueuePolicy>::instance().create("gavel", with_text({{"objective", objective}}));
    EXPECT_EQ(simulate_queue(workload, shape, *policy).finished, 40) << objective;
  }
}

TEST(Gavel, SharesOfTimeComeOutInRounds)
{
  // One GPU, two equal jobs: each gets half the time, in alternating rounds of 10 s.
  Workload workload;
  workload.jobs = {job(0, 50, 1), job(0, 50, 1)};
  const SchedulingResult result = replayed("gavel", workload, 1, with("round", 10));
  EXPECT_EQ(end_times(result), (Times{90, 100}));
}

TEST(Gavel, EqualJobsTakeTurnsInRoundsThatNoDoubleHolds)
{
  // One GPU, two equal jobs of ten rounds of 0.3 s. Each round is for who has had least, so they take turns; summed up
  // in doubles, one would seem to have had less than the other and run twice.
  Workload workload;
  workload.jobs = {job(0, 3, 1), job(0, 3, 1)};
  SchedulingOptions options;
  options.record_runs = true;
  const SchedulingResult result = replayed("gavel", workload, 1, with("round", 0.3), options);
  ASSERT_EQ(result.runs.size(), 20u);
  for (std::size_t round = 0; round < 20; ++round) {
    EXPECT_EQ(result.runs[round].from, round * Instant{300_ms}) << round;
    EXPECT_EQ(result.runs[round].to, (round + 1) * Instant{300_ms}) << round;
    EXPECT_EQ(result.runs[round].job, result.runs[round % 2].job) << round;
  }
}

TEST(Gavel, AJobThatComesShortlyBeforeARoundWaitsForIt)
{
  // Rounds of 10 s. Nobody is there from 5 s on; who comes half a microsecond before a round starts with the round, and
  // so a million rounds later.
  Workload workload;
  workload.jobs = {job(0, 5, 1), job(0, 5, 1), job(1e7, 5, 1), job(0, 5, 1)};
  workload.jobs[1].submit = Instant{9'999'999'500};
  workload.jobs[3].submit = 10'000'010_s - Instant{500};
  const SchedulingResult result = replayed("gavel", workload, 1, with("round", 10));
  EXPECT_EQ(result.jobs[1].first_start, Instant{10_s});
  EXPECT_EQ(result.jobs[2].first_start, Instant{10'000'000_s});
  EXPECT_EQ(result.jobs[3].first_start, Instant{10'000'010_s});
}

constexpr Instant cannot = end_of_time;

TEST(DagPlan, HeftGivesTheScheduleOfItsPaperWithoutTransfers)
{
  // A fork: job 0 (3 s) before 1 (2 s) and 2 (4 s), both before 3 (1 s); 2 GPUs. Ranks 8, 3, 5, 1; makespan 3 + 4 + 1.
  DagProblem problem{.jobs = {{1, {3_s}, {}}, {1, {2_s}, {0}}, {1, {4_s}, {0}}, {1, {1_s}, {1, 2}}}, .capacity = {2}};
  EXPECT_EQ(upward_ranks(problem), (std::vector<double>{8, 3, 5, 1}));
  const DagPlan plan = plan_list(problem);
  EXPECT_EQ(plan.order, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(plan.makespan, 8_s);
  EXPECT_EQ(*optimal_makespan(problem), 8_s);
}

TEST(DagPlan, AGapThatFitsToTheNanosecondIsUsed)
{
  // One GPU, held until 0.1 s and planned from 0.3 s on: a job of 0.2 s fits between. In doubles 0.1 + 0.2 is above
  // 0.3.
  const DagProblem problem{.jobs = {{1, {1_s}, {}, 300_ms}, {1, {200_ms}, {}}},
                           .capacity = {1},
                           .busy = {{.gpu_type = 0, .gpus = 1, .until = 100_ms}}};
  EXPECT_EQ(serial_plan(problem, std::vector<int>{0, 1}).start, (std::vector<Instant>{300_ms, 100_ms}));
}

TEST(DagPlan, ClustersStayOnOneType)
{
  // The chain 0-1 is fastest as a whole on type 1 (1 + 3 against 2 + 9), job 2 by itself on type 0.
  DagProblem problem{.jobs = {{1, {2_s, 1_s}, {}}, {1, {9_s, 3_s}, {0}}, {1, {2_s, cannot}, {}}}, .capacity = {1, 1}};
  const DagPlan plan = plan_clustering(problem);
  EXPECT_EQ(plan.gpu_type, (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(plan.makespan, 4_s);
}

TEST(DagPlan, GeneticIsNeverWorseThanTheListAndNothingBeatsTheOptimum)
{
  RandomStream draw = Random{7}.stream("dags");
  double list_gap = 0;
  double genetic_gap = 0;
  for (int trial = 0; trial < 40; ++trial) {
    DagProblem problem{.jobs = {}, .capacity = {2, 2}};
    for (int i = 0; i < 7; ++i) {
      DagJob one{.gpus = 1 + static_cast<int>(draw.below(2)),
                 .duration = {Seconds{1.0 + static_cast<double>(draw.below(9))},
                              Seconds{1.0 + static_cast<double>(draw.below(9))}},
                 .predecessors = {}};
      for (int before = 0; before < i; ++before)
        if (draw.uniform() < 0.25)
          one.predecessors.push_back(before);
      problem.jobs.push_back(one);
    }
    const DagPlan list = plan_list(problem);
    const DagPlan clustered = plan_clustering(problem);
    const DagPlan seeds[] = {list, clustered};
    const DagPlan genetic = plan_genetic(problem, std::span{seeds}.first(1), {}, draw);
    const DagPlan mixed = plan_genetic(problem, seeds, {}, draw);
    const Instant optimum = *optimal_makespan(problem);
    EXPECT_LE(genetic.makespan, list.makespan);
    EXPECT_LE(mixed.makespan, std::min(list.makespan, clustered.makespan));
    for (const DagPlan* plan : {&list, &clustered, &genetic, &mixed})
      EXPECT_GE(plan->makespan, optimum);
    list_gap += list.makespan / optimum - 1;
    genetic_gap += genetic.makespan / optimum - 1;
  }
  EXPECT_LT(genetic_gap, list_gap);
  EXPECT_FALSE(optimal_makespan(DagProblem{.jobs = std::vector<DagJob>(9), .capacity = {1}}));
}

TEST(QueueInput, FaultsAreNamed)
{
  const auto message = [](const Workload& workload, const SchedulingOptions& options = {}) {
    try {
      replayed("fifo", workload, 4, {}, options);
    } catch (const std::invalid_argument& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  Workload workload;
  EXPECT_EQ(message(workload), "the workload has no jobs");
  workload.jobs = {job(5, 1, 1), job(4, 1, 1)};
  workload.jobs[1].row = 7;
  EXPECT_EQ(message(workload), "line 7: submit times must not decrease, and durations must not be negative");
  workload.jobs = {job(0, 1, 1), job(0, 1, 1)};
  workload.dependencies = {{JobId{0}, JobId{1}}, {JobId{1}, JobId{0}}};
  EXPECT_EQ(message(workload).substr(0, 39), "jobs wait for each other in a cycle: 0 ");
  workload.dependencies.clear();
  SchedulingOptions options;
  options.policy_period = Seconds{-1};
  EXPECT_EQ(message(workload, options), "the policy's period must be at least 0 s");
}

/// Two jobs that share link 3 run at half speed.
class HalfWhenShared final : public SpeedModel
{
public:
  std::vector<LinkShare> links(const Workload&, const PlacedTraceJob&) override { return {{3, 1}}; }
  std::vector<JobSpeed> speeds(const Workload&, std::span<const PlacedTraceJob> jobs) override
  {
    std::vector<JobSpeed> result(jobs.size());
    if (jobs.size() > 1)
      for (std::size_t i = 0; i < jobs.size(); ++i)
        result[i] = {.speed = 0.5, .alone = 1, .neighbour = jobs[1 - i].id, .link = 3};
    return result;
  }
  std::string link_name(int) const override { return "uplink"; }
};

TEST(SpeedModels, NeighboursSlowEachOtherWhileItLastsAndAreNamed)
{
  // Job 0 alone 0-10 (10 s done), both at half speed 10-50 (20 s each): job 1 is done, job 0 has 10 s left.
  Workload workload;
  workload.jobs = {job(0, 40, 2), job(10, 20, 2)};
  HalfWhenShared model;
  SchedulingOptions options;
  options.speed = &model;
  options.record_runs = true;
  const SchedulingResult result = replayed("fifo", workload, 4, {}, options);
  EXPECT_EQ(end_times(result), (Times{60, 50}));
  ASSERT_EQ(result.runs.size(), 4u);
  const RunRecord& shared = result.runs[2];
  EXPECT_EQ(shared.speed, 0.5);
  EXPECT_EQ(shared.from, Seconds{10});
  EXPECT_EQ(shared.to, Seconds{50});
  EXPECT_EQ(result.link_names.at(3), "uplink");
}

} // namespace
} // namespace trainyard
