// SPDX-License-Identifier: Apache-2.0
// Figures over a part of a run, its end, and where its warm-up ends.
#include "sim/sources/queue/queue_report.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

/// Four jobs of 8 GPUs and 10 minutes, one every 10 minutes from the second on: the first two come together.
const std::string four_jobs =
    "workload:\n  jobs:\n    - {name: a, duration: 10 min, gpus: 8}\n    - {name: b, duration: 10 min, gpus: 8}\n"
    "    - {name: c, submit: 20 min, duration: 10 min, gpus: 8}\n    - {name: d, submit: 30 min, duration: 5 min, "
    "gpus: "
    "4}\n";

Json figures(const std::string& more)
{
  return Json(tests::run_queue(tests::queue_head + four_jobs + more).summary)["policies"][0];
}

TEST(MeasuredWindow, OnlyItsJobsAndItsTimeCount)
{
  // a 0-10, b 10-20, c 20-30, d 30-35 min. All: waits 0, 10, 0, 0 min; 8 GPUs busy 30 min and 4 for 5 of 35 min.
  const Json all = figures("");
  EXPECT_EQ(all["waiting_s"]["max"], 600);
  EXPECT_NEAR(all["utilisation"].get<double>(), (8 * 30 + 4 * 5) / (8.0 * 35), 1e-9);
  // Submitted from 15 to 35 min: c and d, which do not wait. Time: 8 GPUs busy 15-30, 4 GPUs 30-35.
  const Json some = figures("  measured: {from: 15 min, until: 35 min}\n");
  EXPECT_EQ(some["jobs"], 2);
  EXPECT_EQ(some["waiting_s"]["max"], 0);
  EXPECT_NEAR(some["utilisation"].get<double>(), (8 * 15 + 4 * 5) / (8.0 * 20), 1e-9);
  EXPECT_THAT(tests::run_queue(tests::queue_head + four_jobs + "  measured: {from: 15 min, until: 35 min}\n").text(),
              HasSubstr("figures over jobs submitted from 15.0 min to 35.0 min: 2 of 4"));
  EXPECT_THAT(tests::queue_faults(tests::queue_head + four_jobs + "  measured: {from: 2 h, until: 3 h}\n"),
              HasSubstr("no job is submitted"));
}

TEST(MeasuredWindow, JobsCountByNumber)
{
  // a 0-10, b 10-20, c 20-30, d 30-35 min; the second and third submitted are b, which waits 10 min, and c. Between
  // their submissions, 0 to 20 min, all 8 GPUs are busy.
  const std::string second_and_third = "  measured: {from_job: 1, until_job: 3}\n";
  const Json some = figures(second_and_third);
  EXPECT_EQ(some["jobs"], 2);
  EXPECT_EQ(some["waiting_s"]["max"], 600);
  EXPECT_EQ(some["waiting_s"]["mean"], 300);
  EXPECT_NEAR(some["utilisation"].get<double>(), 1, 1e-9);
  EXPECT_THAT(tests::run_queue(tests::queue_head + four_jobs + second_and_third).text(),
              HasSubstr("figures over jobs submitted from 0 to 20.0 min: 2 of 4"));
  EXPECT_EQ(figures("  measured: {from_job: 1, until: 25 min}\n")["jobs"], 2) << "b and c; d comes at 30 min";
  EXPECT_EQ(figures("  measured: {until_job: 9}\n")["jobs"], 4);
  EXPECT_THAT(tests::queue_faults(tests::queue_head + four_jobs + "  measured: {from_job: 4}\n"),
              HasSubstr("there are 4 jobs, and 'from_job' leaves out 4"));
  EXPECT_THAT(tests::queue_faults(tests::queue_head + four_jobs + "  measured: {from_job: 2, until_job: 2}\n"),
              HasSubstr("'until_job' is not above 'from_job'"));
}

TEST(MeasuredWindow, ARunEndsAtItsHorizon)
{
  // Until 25 min: a and b have ended, c has run for 5 minutes, d has not come.
  const Json cut = figures("run: {until: 25 min}\n");
  EXPECT_EQ(cut["finished"], 2);
  EXPECT_NEAR(cut["gpu_hours"].get<double>(), 8 * 25 / 60.0, 1e-9);
  EXPECT_NEAR(cut["utilisation"].get<double>(), 1, 1e-9);
}

TEST(MeasuredWindow, TheWarmUpEndsWhereTheRestIsSteady)
{
  // Ten values that fall from 100, then ninety that alternate between 4 and 6: means of five are far off in the first
  // two batches and 4.8 or 5.2 after them, so ten values are left out.
  std::vector<double> values;
  for (int i = 0; i < 10; ++i)
    values.push_back(100 - 9.0 * i);
  for (int i = 0; i < 90; ++i)
    values.push_back(i % 2 == 0 ? 4 : 6);
  EXPECT_EQ(warm_up_length(values), 10U);
  EXPECT_EQ(warm_up_length({1, 2, 3}), 0U) << "too short to say";
}

} // namespace
} // namespace trainyard
