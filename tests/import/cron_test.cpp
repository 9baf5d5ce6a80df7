// SPDX-License-Identifier: Apache-2.0
/// Cron schedules and what CronJobs become. Expected times by hand: time 0 is Monday, 1 January, 00:00.
#include "models/import/kubernetes/cron.hpp"
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;

constexpr double hour = 3600, day = 86400;

TEST(Cron, FiresByHandWorkedTimes)
{
  EXPECT_THAT(cron_times("0 2 * * *", 2 * day), Optional(ElementsAre(2 * hour, day + 2 * hour)));
  EXPECT_THAT(cron_times("*/20 9-10 * * *", day), Optional(ElementsAre(9 * hour, 9 * hour + 1200, 9 * hour + 2400,
                                                                       10 * hour, 10 * hour + 1200, 10 * hour + 2400)));
  EXPECT_THAT(cron_times("30 6 * * sat,Sun", 7 * day),
              Optional(ElementsAre(5 * day + 6.5 * hour, 6 * day + 6.5 * hour)));
  EXPECT_THAT(cron_times("0 0 * * 7", 7 * day), Optional(ElementsAre(6 * day))) << "7 is Sunday too";
  EXPECT_THAT(cron_times("0 12 1 feb *", 60 * day), Optional(ElementsAre(31 * day + 12 * hour)));
  // 3 January is a Wednesday; with both days restricted either will do.
  EXPECT_THAT(cron_times("0 0 3 * mon", 8 * day), Optional(ElementsAre(0, 2 * day, 7 * day)));
  EXPECT_THAT(cron_times("@hourly", 2 * hour), Optional(ElementsAre(0, hour)));
  EXPECT_THAT(cron_times("0 0 31 2 *", 365 * day), Optional(IsEmpty()));
}

TEST(Cron, RefusesWhatIsNoSchedule)
{
  for (const char* text :
       {"", "0 2 * *", "60 * * * *", "0 24 * * *", "*/0 * * * *", "5-1 * * * *", "a b c d e", "0 0 0 * *", "@now"})
    EXPECT_EQ(cron_times(text, day), std::nullopt) << text;
}

std::string nightly(const std::string& schedule, const std::string& policy)
{
  return "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: retrain}\nspec:\n  schedule: '" + schedule +
         "'\n  concurrencyPolicy: " + policy +
         "\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          containers:\n"
         "            - {name: c, image: i, command: [sleep, '10800'], resources: {limits: {nvidia.com/gpu: 1}}}\n";
}

TEST(Cron, ACronJobRunsAtTheTimesOfItsSchedule)
{
  const ImportResult result = import_texts({{"cron.yaml", nightly("0 */8 * * *", "Forbid")}});
  ASSERT_EQ(result.draft.services.size(), 3U);
  const char* names[] = {"retrain", "retrain-2", "retrain-3"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.draft.services[i].name, names[i]);
    EXPECT_EQ(result.draft.services[i].arrival_s, static_cast<double>(i) * 8 * hour);
    EXPECT_EQ(result.draft.services[i].work_s, 10800);
  }
  EXPECT_EQ(result.draft.gpus(), 1) << "the runs follow each other: one machine will do";
  EXPECT_NE(find_entry(result.report.understood(), "schedule 0 */8 * * *: 3 runs in 1 day"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "time 0 is Monday, 1 January, 00:00"), nullptr);
  EXPECT_EQ(find_entry(result.report.ignored(), "concurrency"), nullptr) << "3 h of work every 8 h: they never meet";
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("arrival: 28800 s"));
}

TEST(Cron, RunsThatMeetAreToldAndBadSchedulesAreFaults)
{
  const ImportResult often = import_texts({{"cron.yaml", nightly("0 * * * *", "Replace")}});
  EXPECT_EQ(often.draft.services.size(), 24U);
  EXPECT_NE(find_entry(often.report.ignored(), "concurrency Replace of overlapping runs"), nullptr);
  const ImportResult weekly = import_texts({{"cron.yaml", nightly("0 3 * * fri", "Allow")}});
  ASSERT_EQ(weekly.draft.services.size(), 1U);
  EXPECT_EQ(weekly.draft.services[0].arrival_s, 4 * day + 3 * hour);
  const ImportResult wrong = import_texts({{"cron.yaml", nightly("0 25 * * *", "Allow")}});
  ASSERT_TRUE(wrong.report.faults.has_errors());
  EXPECT_THAT(wrong.report.faults.sorted().front().message, HasSubstr("'0 25 * * *' is not a schedule"));
}

} // namespace
} // namespace trainyard
