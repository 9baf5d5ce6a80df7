// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/random.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/study/replay.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace trainyard {
namespace {

/// Eight weeks of a machine of 16 GPUs, whose record is what a policy did: one job every 70 min, of 1 to 16 GPUs.
RecordedQueue record_of(const std::string& policy)
{
  RecordedQueue log;
  log.gpus = 16;
  const Random random{7};
  auto stream = random.stream("log");
  for (double at = 0; at < 8 * 7 * 86400; at += 4200 * (0.5 + stream.uniform())) {
    const double run = 600 + 14000 * stream.uniform();
    TraceJob job = tests::job(at, run, 1 << stream.below(5));
    job.estimate = Seconds{2 * run};
    log.workload.jobs.push_back(job);
  }
  const SchedulingResult result = simulate_queue(log.workload, ClusterShape::pool(16),
                                                 *Registry<QueuePolicy>::instance().create(policy, {}), nullptr, {});
  for (std::size_t i = 0; i < result.jobs.size(); ++i)
    log.waits.push_back((result.jobs[i].first_start - log.workload.jobs[i].submit).value());
  return log;
}

// The first of 16 GPUs runs until 100. At 100 the job of 4 GPUs has (90/100)^3 x 4 = 2.9, that of 16 has
// (80/50)^3 x 16 = 65 and starts first; easy_backfill would start that of 4.
TEST(Wfp, StartsFirstWhoHasWaitedLongForItsLimitAndItsSize)
{
  Workload workload;
  workload.jobs = {tests::job(0, 100, 16), tests::job(10, 100, 4), tests::job(20, 50, 16)};
  const SchedulingResult result = simulate_queue(workload, ClusterShape::pool(16),
                                                 *Registry<QueuePolicy>::instance().create("wfp", {}), nullptr, {});
  EXPECT_EQ(tests::start_times(result), (tests::Times{0, 150, 100}));
}

// Each week begins with the record's state, so the policy that made the record repeats it: up to jobs whose start the
// submissions after the window decide. A machine of which 5 % cannot be used is one GPU smaller.
TEST(Replay, FindsThePolicyThatMadeTheRecordAndRepeatsItsWaits)
{
  for (const char* policy : {"easy_backfill", "wfp"}) {
    const RecordedQueue log = record_of(policy);
    const Replay replay = replay_log(log, {});
    EXPECT_EQ(replay.chosen.front().policy, policy);
    EXPECT_EQ(replay.chosen.front().last_week, 0);
    EXPECT_LT(replay.second_half.front().second.week, replay.second_half[5].second.week) << "last week's mean";
    if (std::string{policy} == "easy_backfill") {
      EXPECT_EQ(replay.second_half[3].first, "EASY on the whole machine");
      EXPECT_LT(replay.second_half[3].second.week, 0.02);
      EXPECT_GT(replay.second_half[3].second.rank, 0.98);
    }
  }
}

// Times and GPUs in another unit say the same: twice the GPUs of every job and of the machine.
TEST(Replay, IsTheSameWithTwiceTheGpusEverywhere)
{
  RecordedQueue log = record_of("easy_backfill");
  const Replay once = replay_log(log, {});
  log.gpus *= 2;
  for (TraceJob& job : log.workload.jobs)
    job.gpus *= 2;
  const Replay twice = replay_log(log, {});
  EXPECT_NEAR(once.second_half[3].second.week, twice.second_half[3].second.week, 1e-9);
  EXPECT_DOUBLE_EQ(once.room_share, twice.room_share);
}

// From a start in the fourth week on, everything comes and starts ten hours later. What runs takes at most 4.06 h, so
// that nothing is busy for almost six hours, and the job whose start it was waits all the time.
TEST(Replay, NamesAStandstillThatNobodyWroteDown)
{
  RecordedQueue log = record_of("easy_backfill");
  EXPECT_TRUE(replay_log(log, {}).standstills.empty());
  const auto start = [&](std::size_t i) { return log.workload.jobs[i].submit.value() + log.waits[i]; };
  std::size_t waits = 0;
  while (log.workload.jobs[waits].submit.value() < 24 * 86400 || log.waits[waits] < 600)
    ++waits;
  const double from = start(waits);
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (start(i) >= from) {
      const double later = std::max(0.0, log.workload.jobs[i].submit.value() - from);
      if (later > 0)
        log.workload.jobs[i].submit = Seconds{from + later + 36000};
      else
        log.waits[i] += 36000;
    }
  const Replay replay = replay_log(log, {});
  ASSERT_EQ(replay.standstills.size(), 1U);
  EXPECT_NEAR(replay.standstills[0].until, from + 36000, 1e-3);
  EXPECT_GE(replay.standstills[0].until - replay.standstills[0].from, 36000 - 14600);
  EXPECT_EQ(replay.findings.front().what,
            "1 standstill, " +
                std::to_string(std::lround((replay.standstills[0].until - replay.standstills[0].from) / 3600)) +
                " h in all");
}

TEST(Replay, RefusesWhatCannotBeCompared)
{
  RecordedQueue log = record_of("fifo");
  while (log.workload.jobs.back().submit.value() > 14 * 86400) {
    log.workload.jobs.pop_back();
    log.waits.pop_back();
  }
  EXPECT_THROW(static_cast<void>(replay_log(log, {})), InputError);
  log.workload.jobs.clear();
  log.waits.clear();
  EXPECT_THROW(static_cast<void>(replay_log(log, {})), InputError);
}

} // namespace
} // namespace trainyard
