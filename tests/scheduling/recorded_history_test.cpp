// SPDX-License-Identifier: Apache-2.0
// A replay beside what the system itself recorded.
#include "sim/sources/queue/queue_report.hpp"

#include "models/job/traces/trace_importer.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(RecordedHistory, AReplayOfSacctIsComparedWithItsOwnWaits)
{
  // 8 GPUs. Job 1 runs 10:00-10:10. Job 2 came at 10:02 and, as the record says, waited 9 minutes; in the replay it
  // starts when job 1 ends, after 8. Job 3 came at 11:00 and started at once in both. Job 4 never started.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("history." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "sacct.psv";
  const auto row = [](const char* id, const char* submit, const char* start, const char* elapsed) {
    return std::string{id} + "|" + submit + "|" + start + "|" + elapsed +
           "|billing=8,gres/gpu=8,node=2|COMPLETED|ann|a|01:00:00\n";
  };
  std::ofstream{file} << "JobID|Submit|Start|Elapsed|AllocTRES|State|User|Account|Timelimit\n"
                      << row("1", "2024-05-01T10:00:00", "2024-05-01T10:00:00", "00:10:00")
                      << row("2", "2024-05-01T10:02:00", "2024-05-01T10:11:00", "00:10:00")
                      << row("3", "2024-05-01T11:00:00", "2024-05-01T11:00:00", "00:10:00")
                      << "4|2024-05-01T12:00:00|Unknown|00:00:00||PENDING|ann|a|01:00:00\n";
  EXPECT_EQ(import_trace(file).waits.size(), 3U);
  const RunReport report = tests::run_queue(tests::queue_head + "workload: {trace: {file: " + file.string() +
                                            ", format: sacct}}\nscheduling: {policy: fifo}\n");
  const Json history = Json(report.summary)["policies"][0]["recorded_waits"];
  EXPECT_EQ(history["jobs"], 3);
  EXPECT_EQ(history["recorded_s"]["max"], 540);
  EXPECT_EQ(history["replayed_s"]["max"], 480);
  EXPECT_EQ(history["difference_s"]["max"], 60);
  EXPECT_NEAR(history["within_a_minute"].get<double>(), 2 / 3.0, 1e-9);
  EXPECT_THAT(report.text(), HasSubstr("waits that the trace recorded (3 jobs): mean 180 s"));
  EXPECT_THAT(report.text(), HasSubstr("replayed under fifo: mean 160 s"));
  std::filesystem::remove_all(folder);
}

TEST(RecordedHistory, AMinuteIsNotWithinAMinute)
{
  // 64.13 - 4.13 is below 60 in doubles. A nanosecond less is within the minute.
  Workload workload;
  workload.jobs = {{.row = 7}};
  SchedulingResult result;
  result.jobs = {{.first_start = Seconds{64.13}}};
  EXPECT_EQ(history_of(workload, result, {{7, Seconds{4.13}}})->within, 0);
  result.jobs[0].first_start -= Instant{1};
  EXPECT_EQ(history_of(workload, result, {{7, Seconds{4.13}}})->within, 1);
}

} // namespace
} // namespace trainyard
