// SPDX-License-Identifier: Apache-2.0
// Exact conformance on the Philly trace: the cases of golden_fifo_srtf.csv, by the rules in
// tests/data/traces/README.md.
#include "models/core/csv.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace trainyard {
namespace {

/// "philly.csv": the whole trace; "ph_N": the first N jobs since 2017-10-01 00:00:00 by (time, GPUs, duration).
Workload workload_of(const std::string& name)
{
  Workload workload = import_trace(tests::source_folder() / "tests/data/traces/philly.csv.gz").workload;
  if (name.starts_with("ph_")) {
    const Seconds october{26 * 86400 + 13 * 3600 + 29 * 60 + 19}; // since the first job, 2017-09-04 10:30:41
    std::erase_if(workload.jobs, [&](const TraceJob& job) { return job.submit < october; });
    std::ranges::sort(workload.jobs, {}, [](const TraceJob& job) {
      return std::tuple{job.submit, job.gpus, job.duration};
    });
    workload.jobs.resize(std::stoul(name.substr(3)));
    sort_by_submission(workload);
  }
  return workload;
}

SchedulingResult run(const std::string& policy, const Workload& workload, int gpus)
{
  return simulate_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create(policy));
}

TEST(PhillyConformance, EveryGoldenCaseIsExact)
{
  const CsvTable table = read_csv(tests::source_folder() / "tests/data/traces/golden_fifo_srtf.csv");
  ASSERT_EQ(table.rows.size(), 4U);
  for (const CsvTable::Row& row : table.rows) {
    const auto number = [&](const char* column) { return std::stod(table.cell(row, column)); };
    const std::string policy = table.cell(row, "policy").starts_with("srtf") ? "srtf" : "fifo";
    SCOPED_TRACE(policy + " on " + table.cell(row, "trace"));
    const SchedulingResult result =
        run(policy, workload_of(table.cell(row, "trace")), static_cast<int>(number("gpus")));
    EXPECT_EQ(result.finished, number("jobs"));
    EXPECT_NEAR(result.mean_jct.value(), number("avg_jct_s"), 1e-6);
    if (policy == "fifo") {
      EXPECT_NEAR(result.mean_wait.value(), number("avg_wait_s"), 1e-6);
    }
    EXPECT_EQ(result.makespan, Seconds{number("makespan_s")});
  }
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
