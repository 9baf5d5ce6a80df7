// SPDX-License-Identifier: Apache-2.0
// Small queues computed by hand from the papers' rules, none of them taken from our own output.
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace trainyard {
namespace {

using tests::job;
using tests::Times;

std::vector<double> ends(const std::string& name, const Workload& workload, int gpus, const Settings& settings = {})
{
  const auto policy = Registry<QueuePolicy>::instance().create(name, settings);
  return tests::end_times(simulate_queue(workload, ClusterShape::pool(gpus), *policy));
}

TEST(PublishedQueues, EasyBackfillsWhatEndsByTheShadowTimeOrFitsBesideTheHeadThen)
{
  // Mu'alem and Feitelson 2001. 10 nodes. 0 takes 6 until 10; 1 wants 8: shadow time 10, extra nodes 10 - 8 = 2. 2 (4
  // nodes, 12 s) ends after the shadow time and needs more than the extra nodes: no. 3 (2 nodes, 30 s) takes the extra
  // nodes. 4 (2 nodes, 10 s) ends just by the shadow time. 10: 1 runs beside 3. 20: 2 runs.
  Workload workload;
  workload.jobs = {job(0, 10, 6), job(0, 10, 8), job(0, 12, 4), job(0, 30, 2), job(0, 10, 2)};
  EXPECT_EQ(ends("easy_backfill", workload, 10), (Times{10, 20, 32, 30, 10}));
  // FCFS: 1 at 10, 2 cannot join it (8 + 4), all others after 20 except 2, 3 and 4, which fit together.
  EXPECT_EQ(ends("fifo", workload, 10), (Times{10, 20, 32, 50, 30}));
}

TEST(PublishedQueues, ConservativeBackfillDelaysNoReservationWhereEasyDelaysTheSecond)
{
  // 10 nodes: 0 takes 6 until 10. 1 wants 8 (reserved 10-20), 2 wants 9 (reserved 20-30), 3 wants 2 for 15 s. EASY: 3
  // takes the two extra nodes beside 1 and runs 0-15. It ends before 20, so 2 is not hurt. 3 for 25 s: EASY lets it run
  // 0-25, and 2 slips to 25; conservative gives 3 the first gap that hurts nobody: behind 2, at 30.
  Workload workload;
  workload.jobs = {job(0, 10, 6), job(0, 10, 8), job(0, 10, 9), job(0, 15, 2)};
  EXPECT_EQ(ends("easy_backfill", workload, 10), (Times{10, 20, 30, 15}));
  EXPECT_EQ(ends("conservative_backfill", workload, 10), (Times{10, 20, 30, 15}));
  workload.jobs[3] = job(0, 25, 2);
  EXPECT_EQ(ends("easy_backfill", workload, 10), (Times{10, 20, 35, 25}));
  EXPECT_EQ(ends("conservative_backfill", workload, 10), (Times{10, 20, 30, 55}));
}

TEST(PublishedQueues, DrfGivesThePapersThreeAndTwoTasks)
{
  // Ghodsi et al. 2011, section 4.1: 9 CPUs, 18 GB; A's tasks take <1 CPU, 4 GB>, B's <3 CPUs, 1 GB>. A gets three
  // tasks, B two: both dominant shares are 2/3 (12 of 18 GB, 6 of 9 CPUs), and the CPUs are used up.
  Workload workload;
  workload.teams.index_of("A");
  workload.teams.index_of("B");
  for (int i = 0; i < 12; ++i) {
    TraceJob task = job(0, 10, 0);
    task.tasks = 1;
    task.team = i < 6 ? 1 : 2;
    task.cpu_milli = i < 6 ? 1000 : 3000;
    task.memory_mib = (i < 6 ? 4 : 1) * 1024;
    workload.jobs.push_back(task);
  }
  const auto policy = Registry<QueuePolicy>::instance().create("drf");
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  const SchedulingResult result =
      simulate_queue(workload, ClusterShape::machines(1, 0, 9000, 18 * 1024), *policy, placement.get());
  int a = 0, b = 0;
  for (std::size_t i = 0; i < result.jobs.size(); ++i)
    if (result.jobs[i].first_start == Seconds{0})
      ++(i < 6 ? a : b);
  EXPECT_EQ(a, 3);
  EXPECT_EQ(b, 2);
}

/// Three jobs on two GPUs whose services are 4, 8 and 12 GPU-seconds.
Workload three_jobs()
{
  Workload workload;
  workload.jobs = {job(0, 2, 2), job(0, 8, 1), job(0, 6, 2)};
  return workload;
}

TEST(PublishedQueues, TwoDimensionalLasSinksJobsByGpusTimesTime)
{
  // Tiresias' rule (NSDI 2019, section 3.2) with one limit of 4 GPU-s. 0 runs 0-2 (service 4). 1 runs from 2 on one GPU
  // and sinks at 6; 2 is still in the first queue and takes both GPUs 6-8, then it moves down too. In the second queue
  // the job that started first goes first: 1 8-12, then 2 12-16. By time alone 1 would have sunk at the same second,
  // but 2 (two GPUs) not before 10.
  Settings limit;
  limit.set("limits", std::string{"4"});
  EXPECT_EQ(ends("las", three_jobs(), 2, limit), (Times{2, 12, 16}));
}

TEST(PublishedQueues, GittinsRunsOnWhereTheIndexGrowsWithService)
{
  // Services 4, 8, 12 with equal chance. Index at age 0: the best of (1/3)/4, (2/3)/(20/3), 1/8 = 0.125; at 4: 1/6 =
  // 0.167; at 8: 1/4. It grows with age, so nobody who has begun is stopped: 0-2, then 1 2-10, then 2 10-16.
  EXPECT_EQ(ends("gittins", three_jobs(), 2), (Times{2, 10, 16}));
}

TEST(PublishedQueues, SrtfOnTheSameJobsSkipsGangsThatDoNotFit)
{
  // Remaining 2, 8, 6: 0 0-2; at 2 job 2 (6 s) is shorter than 1 (8 s): 2-8; then 1 8-16.
  EXPECT_EQ(ends("srtf", three_jobs(), 2), (Times{2, 16, 8}));
}

TEST(PublishedQueues, GavelGivesEachOfThreeJobsItsOwnTypeWhereAllGainAlike)
{
  // Three jobs x three types (one GPU each): throughputs 5 on its own type, 2 elsewhere. An equal share of all types is
  // worth 3; its own type 5: 5/3. By symmetry nobody can have more without another having less: the sum of normalised
  // throughputs is at most 3 x 5/3.
  const GavelProblem own{
      .throughput = {{5, 2, 2}, {2, 5, 2}, {2, 2, 5}}, .gpus = {1, 1, 1}, .weight = {1, 1, 1}, .capacity = {1, 1, 1}};
  const GavelAllocation best = gavel_max_min(own);
  EXPECT_NEAR(best.objective, 5.0 / 3, 1e-6);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(best.share[j][j], 1, 1e-6);
  // Equal jobs on V100, P100 and K80 of speeds 4 : 2 : 1 can only share: everybody's normalised throughput is 1.
  const GavelProblem equal{
      .throughput = {{4, 2, 1}, {4, 2, 1}, {4, 2, 1}}, .gpus = {1, 1, 1}, .weight = {1, 1, 1}, .capacity = {1, 1, 1}};
  const GavelAllocation shared = gavel_max_min(equal);
  EXPECT_NEAR(shared.objective, 1, 1e-6);
  for (const auto& row : shared.share) {
    EXPECT_NEAR(4 * row[0] + 2 * row[1] + row[2], 7.0 / 3, 1e-5);
    EXPECT_LE(std::accumulate(row.begin(), row.end(), 0.0), 1 + 1e-6);
  }
}

TEST(PublishedQueues, ThemisServesWhoFaresWorstAgainstItsShareOfTheCluster)
{
  // rho = shared time / time with 1/N of the GPUs (NSDI 2020). 4 GPUs, two jobs, so a share is 2 GPUs. At 0: job 0 (4
  // GPUs, 40 s) has 40 / (40 x 2) = 0.5, job 1 (2 GPUs, 20 s) 20 / 20 = 1: job 1 fares worse and gets the lease, though
  // it came second. At 10: job 1 (10 + 10) / 20 = 1, job 0 (10 + 40) / 80 = 0.625: renewed, until it ends at 20. Then
  // job 0: 20-60.
  Workload workload;
  workload.jobs = {job(0, 40, 4), job(0, 20, 2)};
  Settings lease;
  lease.set("lease", 10.0);
  EXPECT_EQ(ends("finish_time_fairness", workload, 4, lease), (Times{60, 20}));
  EXPECT_EQ(ends("fifo", workload, 4), (Times{40, 60}));
}

} // namespace
} // namespace trainyard
