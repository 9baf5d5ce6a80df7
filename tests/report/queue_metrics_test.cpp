// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_metrics.hpp"

#include "models/results/csv.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(QueueMetrics, PercentilesAreByNearestRank)
{
  const Distribution d = distribution_of({5, 1, 2, 3, 4, 6, 7, 8, 9, 10});
  EXPECT_DOUBLE_EQ(d.mean, 5.5);
  EXPECT_DOUBLE_EQ(d.p50, 5); // the 5th of ten
  EXPECT_DOUBLE_EQ(d.p95, 10);
  EXPECT_DOUBLE_EQ(distribution_of({}).p99, 0);
}

TEST(QueueMetrics, JainByHand)
{
  EXPECT_DOUBLE_EQ(jain_index({2, 2, 2}), 1);
  EXPECT_DOUBLE_EQ(jain_index({1, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(jain_index({3, 1}), 16.0 / 20);
}

/// Two jobs of 100 s on one GPU, submitted at 0: the second waits 100 s.
struct TwoJobs {
  Workload workload;
  SchedulingResult result;
  TwoJobs()
  {
    for (int i = 0; i < 2; ++i) {
      TraceJob job;
      job.duration = job.estimate = Seconds{100};
      job.team = workload.teams.index_of(i == 0 ? "red" : "blue");
      workload.jobs.push_back(job);
    }
    const auto policy = Registry<QueuePolicy>::instance().create("fifo");
    SchedulingOptions options;
    options.record_runs = options.record_waits = true;
    result = simulate_queue(workload, ClusterShape::pool(1), *policy, nullptr, options);
  }
};

TEST(QueueMetrics, OfTwoJobsByHand)
{
  const TwoJobs two;
  const QueueMetrics m = queue_metrics("fifo", two.workload, two.result, 1,
                                       {.power = Watts{300}, .idle_power = Watts{50}, .price = DollarsPerHour{36}});
  EXPECT_DOUBLE_EQ(m.jct_s.mean, 150);
  EXPECT_DOUBLE_EQ(m.jct_s.largest, 200);
  EXPECT_DOUBLE_EQ(m.queueing_delay_s.mean, 50);
  EXPECT_DOUBLE_EQ(m.slowdown.mean, 1.5);
  EXPECT_DOUBLE_EQ(m.makespan_s, 200);
  EXPECT_DOUBLE_EQ(m.utilisation, 1);
  EXPECT_DOUBLE_EQ(m.gpu_hours, 200.0 / 3600);
  EXPECT_DOUBLE_EQ(m.energy.value(), 200.0 / 3600 * 300);
  EXPECT_DOUBLE_EQ(m.cost->value(), 2);
  // An equal share is half a GPU, so alone each would take 200 s: rho 0.5 and 1... a share below one GPU counts as one:
  // 100 s, rho 2.
  EXPECT_DOUBLE_EQ(m.finish_time_fairness, 2);
  // Teams: 1 / slowdown = 1 and 1/2: (1.5)^2 / (2 x 1.25) = 0.9
  EXPECT_DOUBLE_EQ(m.jain, 0.9);
}

// Kernels run 0.4 of the time: 50 + 0.4 x 250 = 150 W for 200 s.
TEST(QueueMetrics, HeldGpusDrawWhatTheKernelsOfTheirStepsDo)
{
  const TwoJobs two;
  QueueCosts costs{.power = Watts{300}, .idle_power = Watts{50}};
  costs.steps[{two.workload.job(JobId{0}).model, 1}] = {.kernels = 0.4};
  EXPECT_DOUBLE_EQ(queue_metrics("fifo", two.workload, two.result, 1, costs).energy.value(), 200.0 / 3600 * 150);
  EXPECT_DOUBLE_EQ(queue_series(two.workload, two.result, 5, {}, 1, costs)[1].power.value(), 150);
}

TEST(QueueMetrics, GroupsAndSeries)
{
  const TwoJobs two;
  const auto teams = metrics_by(GroupBy::team, two.workload, two.result, 1);
  ASSERT_EQ(teams.size(), 2U);
  EXPECT_EQ(teams[0].name, "blue");
  EXPECT_DOUBLE_EQ(teams[0].jct_s.mean, 200);
  EXPECT_DOUBLE_EQ(teams[0].makespan_s, 200);
  EXPECT_DOUBLE_EQ(teams[0].utilisation, 0.5); // 100 of 200 GPU-seconds
  EXPECT_DOUBLE_EQ(teams[1].utilisation, 0.5);
  const auto series = queue_series(two.workload, two.result, 5); // 0, 50, 100, 150, 200 s
  ASSERT_EQ(series.size(), 5U);
  EXPECT_DOUBLE_EQ(series[1].busy_gpus, 1);
  EXPECT_DOUBLE_EQ(series[1].waiting_jobs, 1);
  EXPECT_DOUBLE_EQ(series[3].waiting_jobs, 0);
  EXPECT_DOUBLE_EQ(series[4].busy_gpus, 0);
}

TEST(QueueMetrics, ASampleAtTheEndOfAJobIsAfterIt)
{
  // Samples every 0.1 s: 0.7 * 3 / 7 is below 0.3 in doubles, and yet the job that ends at 0.3 s runs no more then.
  Workload workload;
  workload.jobs = {{.duration = 300_ms, .gpus = 1}};
  SchedulingResult result;
  result.jobs = {{.ready = 0_s, .first_start = 0_s, .end = 300_ms, .phase = JobPhase::finished}};
  result.runs.push_back({.job = JobId{0}, .from = 0_s, .to = 300_ms, .held = {.gpus = 1}});
  result.makespan = 700_ms;
  const auto series = queue_series(workload, result, 8);
  ASSERT_EQ(series.size(), 8U);
  EXPECT_EQ(series[2].running_jobs, 1);
  EXPECT_EQ(series[3].time_s, 0.3);
  EXPECT_EQ(series[3].running_jobs, 0);
  EXPECT_EQ(series[3].busy_gpus, 0);
}

TEST(QueueMetrics, AGroupsFairnessIsAgainstItsShareOfTheWholeCluster)
{
  // Two teams, 8 GPUs, one 8-GPU job each, 100 s at once and 200 s after waiting: a share is 4 GPUs, alone on it each
  // would take 200 s.
  Workload workload;
  for (const char* team : {"blue", "red"})
    workload.jobs.push_back({.duration = Seconds{100}, .gpus = 8, .team = workload.teams.index_of(team)});
  SchedulingResult result;
  for (const double start : {0.0, 100.0})
    result.jobs.push_back(
        {.ready = Seconds{0}, .first_start = Seconds{start}, .end = Seconds{start + 100}, .phase = JobPhase::finished});
  result.makespan = Seconds{200};
  const auto teams = metrics_by(GroupBy::team, workload, result, 8);
  ASSERT_EQ(teams.size(), 2U);
  EXPECT_DOUBLE_EQ(teams[0].finish_time_fairness, 0.5);
  EXPECT_DOUBLE_EQ(teams[1].finish_time_fairness, 1);
}

TEST(QueueMetrics, EnergyAndCostAreSharedOutByGpuHoursAndAddUp)
{
  // One GPU, 200 s: busy all the time, 300 W x 200 s = 60 kJ = 1/60 kWh, 2 $; each team held it half of the time.
  const TwoJobs two;
  const QueueCosts costs{.power = Watts{300}, .idle_power = Watts{50}, .price = DollarsPerHour{36}};
  for (const GroupBy by : {GroupBy::team, GroupBy::user, GroupBy::queue, GroupBy::size}) {
    double energy = 0, cost = 0;
    for (const QueueMetrics& group : metrics_by(by, two.workload, two.result, 1, costs)) {
      energy += group.energy.value() / 1000;
      cost += group.cost->value();
    }
    EXPECT_NEAR(energy, 1.0 / 60, 1e-12);
    EXPECT_NEAR(cost, 2, 1e-12);
  }
  EXPECT_NEAR(metrics_by(GroupBy::team, two.workload, two.result, 1, costs)[0].energy.value(), 500.0 / 60, 1e-9);
  // On two GPUs (the second idle): 100 GPU-hours-equivalents more of idle power, in the same halves.
  const auto idle = metrics_by(GroupBy::team, two.workload, two.result, 2, costs);
  EXPECT_NEAR(idle[0].energy.value(), (100 * 300 + 0.5 * 200 * 50) / 3600.0, 1e-9);
}

TEST(QueueMetrics, WaitingCountsTheTimeAfterAStopToo)
{
  // SRTF on one GPU: a long job (100 s) starts at 0 and is stopped at 10 for one of 20 s; it goes on at 30 and ends at
  // 120. Its first start came at once, and yet it waited 20 s.
  Workload workload;
  workload.jobs = {{.submit = Seconds{0}, .duration = Seconds{100}, .estimate = Seconds{100}},
                   {.submit = Seconds{10}, .duration = Seconds{20}, .estimate = Seconds{20}}};
  const auto policy = Registry<QueuePolicy>::instance().create("srtf");
  const QueueMetrics m = queue_metrics("srtf", workload, simulate_queue(workload, ClusterShape::pool(1), *policy), 1);
  EXPECT_DOUBLE_EQ(m.queueing_delay_s.mean, 0);
  EXPECT_DOUBLE_EQ(m.waiting_s.mean, 10);
  EXPECT_DOUBLE_EQ(m.waiting_s.largest, 20);
}

TEST(QueueMetrics, FragmentationIsWhatTheTypicalJobCannotUse)
{
  // Two machines of two GPUs. From 0 to 100 s a job on one GPU runs on each; half of the jobs want one GPU, half want
  // two on one machine: of the two idle GPUs, one a machine, the pair can use none: fragmentation 1/2. From 100 s on
  // the pairs run: nothing is idle.
  Workload workload;
  for (int i = 0; i < 2; ++i)
    workload.jobs.push_back({.duration = Seconds{100}, .estimate = Seconds{100}, .gpus = 1});
  for (int i = 0; i < 2; ++i)
    workload.jobs.push_back({.duration = Seconds{100}, .estimate = Seconds{100}, .gpus = 2, .tasks = 1});
  const auto policy = Registry<QueuePolicy>::instance().create("fifo");
  const auto spread = Registry<PlacementPolicy>::instance().create("spread");
  SchedulingOptions options;
  options.record_runs = true;
  const auto result = simulate_queue(workload, ClusterShape::machines(2, 2), *policy, spread.get(), options);
  const int gpus[] = {2, 2};
  const auto series = queue_series(workload, result, 5, gpus, 4,
                                   {.power = Watts{100}, .idle_power = Watts{10}}); // 0, 50, 100, 150, 200 s
  ASSERT_EQ(series.size(), 5U);
  EXPECT_DOUBLE_EQ(series[1].fragmentation, 0.5);
  EXPECT_DOUBLE_EQ(series[1].power.value(), 220);
  EXPECT_DOUBLE_EQ(series[1].running_jobs, 2);
  EXPECT_DOUBLE_EQ(series[1].waiting_jobs, 2);
  EXPECT_DOUBLE_EQ(series[1].asked_gpus, 4);
  EXPECT_DOUBLE_EQ(series[3].fragmentation, 0);
  EXPECT_DOUBLE_EQ(series[3].busy_gpus, 4);
}

TEST(QueueMetrics, EveryColumnIsDefinedOnTheMetricsPage)
{
  const std::string text = tests::read_bytes(tests::source_folder() / "docs/metrics.md");
  const std::string head = csv_heading(queue_columns());
  int columns = 0;
  std::string word;
  for (const char c : head + ",") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty()) {
      EXPECT_NE(text.find("`" + word + "`"), std::string::npos) << word;
      ++columns;
    }
    word.clear();
  }
  EXPECT_GT(columns, 25);
}

} // namespace
} // namespace trainyard
