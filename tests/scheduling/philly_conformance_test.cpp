// SPDX-License-Identifier: Apache-2.0
// Exact conformance on the Philly trace: cases and semantics in ../shared/traces/README.md (golden_fifo_srtf.csv).
#include "sim/scheduling/scheduling.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <tuple>

namespace trainyard {
namespace {

struct Row {
  std::int64_t time;
  int gpus;
  int duration;
  bool operator<(const Row& other) const { return std::tie(time, gpus, duration) < std::tie(other.time, other.gpus, other.duration); }
};

std::vector<Row> read_rows(const std::filesystem::path& file)
{
  std::ifstream stream{file};
  std::string line;
  std::getline(stream, line);
  std::vector<Row> rows;
  while (std::getline(stream, line)) {
    if (line.empty() || line == "\r")
      continue; // the last line of the file
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, gpus = 0;
    double duration = 0;
    if (std::sscanf(line.c_str(), "%d-%d-%d %d:%d:%d,%lf,%d", &year, &month, &day, &hour, &minute, &second, &duration, &gpus) != 8)
      throw std::runtime_error{"unreadable row: " + line};
    const std::chrono::sys_days date = std::chrono::year{year} / month / day;
    rows.push_back({static_cast<std::int64_t>(date.time_since_epoch().count()) * 86400 + hour * 3600 + minute * 60 + second, gpus,
                    static_cast<int>(duration)});
  }
  return rows;
}

Workload workload_of(const std::vector<Row>& rows)
{
  Workload workload;
  for (const Row& row : rows) {
    TraceJob job;
    job.submit = Seconds{static_cast<double>(row.time)};
    job.duration = job.estimate = Seconds{static_cast<double>(row.duration)};
    job.gpus = row.gpus;
    workload.jobs.push_back(job);
  }
  sort_by_submission(workload);
  return workload;
}

Workload prefix(const std::filesystem::path& file, std::size_t jobs)
{
  std::vector<Row> rows = read_rows(file);
  const std::chrono::sys_days october = std::chrono::year{2017} / 10 / 1;
  const std::int64_t from = static_cast<std::int64_t>(october.time_since_epoch().count()) * 86400;
  std::erase_if(rows, [&](const Row& row) { return row.time < from; });
  std::ranges::sort(rows, [](const Row& a, const Row& b) { return a < b; });
  rows.resize(jobs);
  return workload_of(rows);
}

SchedulingResult run(const std::string& policy, const Workload& workload, int gpus)
{
  return simulate_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create(policy));
}

TEST(PhillyConformance, FifoOnThePrefixesIsExact)
{
  const auto file = tests::shared_data("traces/philly.csv");
  SKIP_WITHOUT_SHARED(file);
  const SchedulingResult small = run("fifo", prefix(file, 480), 128);
  EXPECT_NEAR(small.mean_jct.value(), 32478.479167, 1e-6);
  EXPECT_NEAR(small.mean_wait.value(), 7189.177083, 1e-6);
  EXPECT_EQ(small.makespan, Seconds{2176232});
  const SchedulingResult large = run("fifo", prefix(file, 1000), 128);
  EXPECT_NEAR(large.mean_jct.value(), 46521.931000, 1e-6);
  EXPECT_NEAR(large.mean_wait.value(), 32854.890000, 1e-6);
  EXPECT_EQ(large.makespan, Seconds{2176232});
}

TEST(PhillyConformance, FifoOnTheWholeTraceIsExact)
{
  const auto file = tests::shared_data("traces/philly.csv");
  SKIP_WITHOUT_SHARED(file);
  const SchedulingResult all = run("fifo", workload_of(read_rows(file)), 1024);
  EXPECT_EQ(all.finished, 82247);
  EXPECT_NEAR(all.mean_jct.value(), 13147.408197, 1e-6);
  EXPECT_NEAR(all.mean_wait.value(), 11.476796, 1e-6);
  EXPECT_EQ(all.makespan, Seconds{9408754});
}

TEST(PhillyConformance, SrtfIsExact)
{
  const auto file = tests::shared_data("traces/philly.csv");
  SKIP_WITHOUT_SHARED(file);
  const SchedulingResult result = run("srtf", prefix(file, 480), 128);
  EXPECT_NEAR(result.mean_jct.value(), 25522.900000, 1e-6);
  EXPECT_EQ(result.makespan, Seconds{2194850});
}

TEST(Fifo, ReportsAJobThatCanNeverRunAndEnds)
{
  Workload workload;
  workload.jobs = {{.duration = Seconds{10}, .gpus = 9}, {.duration = Seconds{5}, .gpus = 8}};
  const SchedulingResult result = run("fifo", workload, 8);
  EXPECT_EQ(result.jobs[0].phase, JobPhase::impossible);
  EXPECT_EQ(result.jobs[0].reason, WaitReason::never_fits);
  EXPECT_EQ(result.jobs[1].end, Seconds{5});
}

} // namespace
} // namespace trainyard
