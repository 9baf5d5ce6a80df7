// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/random.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/queue/site_rules.hpp"
#include "sim/study/replay.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace trainyard {
namespace {

/// Eight weeks of a machine of 16 GPUs, whose record is what a policy did under rules of the site: one job every 70
/// min, or so many times as long, of 1 to 2^(sizes - 1) GPUs.
RecordedQueue record_of(const std::string& policy, const SiteRules& rules = {}, double apart = 1, int sizes = 5)
{
  RecordedQueue log;
  log.gpus = 16;
  const Random random{7};
  auto stream = random.stream("log");
  for (double at = 0; at < 8 * 7 * 86400; at += 4200 * apart * (0.5 + stream.uniform())) {
    const double run = 600 + 14000 * stream.uniform();
    TraceJob job = tests::job(at, run, 1 << stream.below(sizes));
    job.estimate = Seconds{2 * run};
    job.user = log.workload.users.index_of("user-" + std::to_string(log.workload.size() % 4));
    log.workload.jobs.push_back(job);
  }
  const auto by = under_site_rules(Registry<QueuePolicy>::instance().create(policy, {}), rules);
  const SchedulingResult result = simulate_queue(log.workload, ClusterShape::pool(16), *by, nullptr, {});
  for (std::size_t i = 0; i < result.jobs.size(); ++i)
    log.waits.push_back((result.jobs[i].first_start - log.workload.jobs[i].submit).value());
  return log;
}

/// Six weeks of a machine of 8 GPUs, a job of 4 every six hours that runs for half of its limit of 2 h.
RecordedQueue steady_log(double wait)
{
  RecordedQueue log;
  log.gpus = 8;
  for (double at = 0; at < 6 * 7 * 86400; at += 6 * 3600) {
    log.workload.jobs.push_back(tests::job(at, 3600, 4));
    log.workload.jobs.back().estimate = Seconds{7200};
    log.waits.push_back(wait);
  }
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

// A policy that repeats the first half is not averaged with others that do not.
TEST(Replay, TakesAPolicyThatExplainsTheRecordAlone)
{
  for (const char* policy : {"easy_backfill", "fifo"}) {
    const Replay replay = replay_log(record_of(policy), {});
    EXPECT_LT(replay.second_half.front().second.week, 0.02) << policy;
    for (const ReplayModel& model : replay.chosen)
      EXPECT_LT(model.error, 0.02) << model.policy;
  }
}

// Jobs of one GPU, of which 4 are busy; user-0 may hold one, and needs 0.9. That is a limit: no standstill, no machines
// down. The weekly prediction knows it, and so does the start of a job that this user submits beside one of theirs.
TEST(Replay, PredictsUnderALimitThatTheRecordShows)
{
  const RecordedQueue log = record_of("easy_backfill", {.user_limits = {{.user = "user-0", .gpus = 1}}}, 0.5, 1);
  Replay replay = replay_log(log, {});
  std::vector<std::string> keys;
  for (const LogFinding& finding : replay.findings)
    if (finding.key != "holds") // a job that waits for the limit is passed by others
      keys.push_back(finding.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"user_limits"}));
  EXPECT_TRUE(replay.standstills.empty());
  EXPECT_LT(replay.second_half.front().second.week, 0.05);

  QueueNow queue;
  queue.jobs = {{.name = "1", .user = "user-0", .gpus = 1, .limit = 28000, .ran = 60}};
  add_starts(log, queue, {.name = "mine", .user = "user-0", .gpus = 1, .limit = 3600}, replay);
  EXPECT_GT(replay.starts.front().p50, 600) << "after the one that runs";
  EXPECT_LT(replay.starts.front().high, 7 * 86400);
  replay.starts.clear();
  add_starts(log, queue, {.name = "mine", .user = "user-1", .gpus = 1, .limit = 3600}, replay);
  EXPECT_LT(replay.starts.front().p50, 60) << "another user";
}

// Two machines of 16 GPUs, each with its queue: one always waits for its own while the other is free. As one machine
// the log says that they do not share; jobs of one machine in two queues do not say so.
TEST(Replay, SaysWhereQueuesHaveMachinesOfTheirOwn)
{
  const auto apart = [](const RecordedQueue& log) {
    std::vector<std::string> found;
    for (const LogFinding& finding : replay_log(log, {}).findings)
      if (finding.what.starts_with("queue"))
        found.push_back(finding.what);
    return found;
  };
  RecordedQueue log = record_of("easy_backfill");
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    log.workload.jobs[i].queue = log.workload.queues.index_of(i % 2 == 0 ? "gpu" : "night");
  EXPECT_EQ(apart(log), std::vector<std::string>{});
  for (TraceJob& job : log.workload.jobs)
    job.queue = 1;
  log.gpus = 32;
  log.workload.jobs.push_back(tests::job(log.workload.jobs.back().submit.value(), 3600, 16));
  log.workload.jobs.back().queue = 2;
  log.waits.push_back(0);
  EXPECT_EQ(apart(log), (std::vector<std::string>{"queue gpu seems to have 16 GPUs of its own"}));
}

// Nobody waits: to predict 0 is not to be right.
TEST(Replay, DoesNotCallAPredictionRightWhereNobodyWaited)
{
  const RecordedQueue log = steady_log(0);
  const Replay replay = replay_log(log, {});
  const ReplayError& error = replay.second_half.front().second;
  EXPECT_TRUE(std::isnan(error.week));
  EXPECT_TRUE(std::isnan(error.bias()));
  EXPECT_NE(replay_told(log, replay, "log").text().find("Nobody waited in the second half"), std::string::npos);
  EXPECT_TRUE(replay_json(replay)["second_half"]["prediction"]["weekly_error"].is_null());
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

// Recorded 1000 s, replayed 1050 s: the replay is 50 s off. A change to 950 s is one of -100 s in every week and shows;
// one to 1020 s is of -30 s and does not.
TEST(Replay, AWhatIfIsTheDifferenceOfTwoRunsBesideTheReplaysOwnError)
{
  const RecordedQueue log = steady_log(1000);
  Replay replay;
  replay.scenario.assign(log.waits.size(), 1050);
  const WhatIf change = what_if(log, replay, "nodes=+2", std::vector<double>(log.waits.size(), 950));
  EXPECT_EQ(change.weeks, 3);
  ASSERT_EQ(change.figures.size(), 3U) << "mean, p90, the one class";
  for (const WhatIf::Figure& figure : change.figures) {
    EXPECT_EQ(figure.jobs, 84) << "half of 168";
    EXPECT_DOUBLE_EQ(figure.real, 1000);
    EXPECT_DOUBLE_EQ(figure.before, 1050);
    EXPECT_DOUBLE_EQ(figure.after, 950);
  }
  EXPECT_DOUBLE_EQ(change.figures[0].low, -100);
  EXPECT_DOUBLE_EQ(change.figures[1].high, -100);
  EXPECT_TRUE(change.shown);
  EXPECT_FALSE(what_if(log, replay, "nodes=+1", std::vector<double>(log.waits.size(), 1020)).shown);
  replay.scenario.assign(log.waits.size(), 1600); // -1500 s is more than the 600 s it is off, but nobody waited so long
  EXPECT_FALSE(what_if(log, replay, "nodes=+9", std::vector<double>(log.waits.size(), 100)).shown);
}

// Runs take half of their limits. 8 GPUs are held for one more hour (2 h of 4 h, 1 h is over), then a pending job takes
// them for an hour (half of 2 h), then the submitted one starts. Work that comes later does not pass it.
// The hundredth job has seen each of 0 to 99 s once. Of 100 draws at most 95 are below the 0.9 quantile with 97.6 %, at
// most 94 with 94.2 %: so the bound is the 96th. Three above it in a row are a change, and 29 values are kept, of which
// the largest is the bound: 1 - 0.9^29 = 95.3 %.
TEST(Replay, BoundsOfSingleWaitsStandBesideThoseOfQbets)
{
  RecordedQueue log = steady_log(0);
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    log.waits[i] = i < 120 ? static_cast<double>(i * 37 % 100) : 1000;
  const Replay replay = replay_log(log, {});
  EXPECT_LT(replay.qbets[20], 0) << "too few";
  EXPECT_EQ(replay.qbets[100], 95);
  EXPECT_LT(replay.qbets[122], 100);
  EXPECT_EQ(replay.qbets[123], 1000);
  ASSERT_EQ(replay.bounds.size(), 2u);
  EXPECT_EQ(replay.bounds[1].name, "QBETS");
  EXPECT_GT(replay.bounds[1].held, 0.9);
}

TEST(Replay, SaysWhenASubmittedJobStarts)
{
  const RecordedQueue log = steady_log(0);
  Replay replay;
  replay.latest = {{.policy = "fifo"}};
  QueueNow queue;
  queue.jobs = {{.name = "1", .gpus = 8, .limit = 14400, .ran = 3600}, {.name = "2", .gpus = 8, .limit = 7200}};
  add_starts(log, queue, {.name = "mine", .gpus = 8, .limit = 3600}, replay);
  ASSERT_EQ(replay.starts.size(), 2U);
  for (const double time : {replay.starts[0].low, replay.starts[0].p50, replay.starts[0].high})
    EXPECT_NEAR(time, 7200, 2);
  EXPECT_NEAR(replay.starts[1].p50, 3600, 2);
  EXPECT_THROW(add_starts(log, queue, {.name = "mine", .gpus = 9, .limit = 3600}, replay), InputError);
  EXPECT_THROW(add_starts(log, queue, {.name = "mine", .gpus = 1}, replay), InputError) << "no limit";
  queue.jobs.push_back({.name = "3", .gpus = 1, .limit = 60, .ran = 1});
  EXPECT_THROW(add_starts(log, queue, {.name = "mine", .gpus = 1, .limit = 60}, replay), InputError) << "9 GPUs run";
}

// 12 tasks of 4 GPUs and an hour, two at a time as fit on 8 GPUs: the last pair begins after 5 h, the next job after 6.
// Of one at a time the other half of the machine is free.
TEST(Replay, CountsEachTaskOfAPendingArray)
{
  const RecordedQueue log = steady_log(0);
  for (const auto& [at_once, hours] : {std::pair{0, 6}, std::pair{1, 0}}) {
    Replay replay;
    replay.latest = {{.policy = "fifo"}};
    QueueNow queue;
    queue.jobs = {{.name = "7_[1-12]", .gpus = 4, .limit = 7200, .tasks = 12, .at_once = at_once},
                  {.name = "8", .gpus = 16, .limit = 7200}};
    add_starts(log, queue, {.name = "mine", .gpus = 4, .limit = 3600}, replay);
    ASSERT_EQ(replay.starts.size(), 2U);
    EXPECT_NEAR(replay.starts[0].p50, 3600 * hours, 10);
    EXPECT_EQ(replay.starts[1].tasks, 12);
    EXPECT_EQ(replay.of_queue.front(), "left out: 1 job for more than the machine's 8 GPUs, which can never start");
  }
}

TEST(QueueNow, ReadsArraysAndLeavesOutWhatIsHeld)
{
  const QueueNow queue = read_queue_now("JOBID|STATE|TIME|CPUS|REASON\n"
                                        "7_[1-200%5]|PENDING|0:00|1|JobArrayTaskLimit\n"
                                        "8_[1,3,10-20:2]|PENDING|0:00|1|Priority\n"
                                        "9_[1-2000]|PENDING|0:00|1|Resources\n"
                                        "10_[1-3,...]|PENDING|0:00|1|Resources\n"
                                        "11|PENDING|0:00|1|JobHeldUser\n"
                                        "12|PENDING|0:00|1|JobHeldUser\n"
                                        "13|PENDING|0:00|1|Dependency\n"
                                        "14|SUSPENDED|5:00|1|None\n"
                                        "15|CONFIGURING|0:05|1|None\n",
                                        "queue");
  ASSERT_EQ(queue.jobs.size(), 5U);
  EXPECT_EQ(queue.jobs[0].tasks, 200);
  EXPECT_EQ(queue.jobs[0].at_once, 5);
  EXPECT_EQ(queue.jobs[1].tasks, 8) << "1, 3, and 10 to 20 by two";
  EXPECT_EQ(queue.jobs[2].tasks, 1000);
  EXPECT_EQ(queue.jobs[3].tasks, 3);
  EXPECT_EQ(queue.jobs[4].ran, 5);
  for (const char* said :
       {"left out: 2 jobs pending with the reason JobHeldUser", "left out: 1 job pending with the reason Dependency",
        "left out: 1 job SUSPENDED, which may hold GPUs that count as free", "7_[1-200%5] is 200 tasks, 5 at a time",
        "9_[1-2000] is 1000 tasks: of 2000 the first 1000 count",
        "10_[1-3,...] is 3 tasks; its list is cut, so there may be more (squeue --array lists all)"})
    EXPECT_NE(std::ranges::find(queue.assumed, said), queue.assumed.end()) << said;
  const QueueNow on_screen = read_queue_now("JOBID ST TIME CPUS NODELIST(REASON)\n"
                                            "11 PD 0:00 1 (JobHeldAdmin)\n",
                                            "queue");
  EXPECT_TRUE(on_screen.jobs.empty());
}

TEST(QueueNow, MayBeEmpty)
{
  const QueueNow queue = read_queue_now("JOBID|STATE|TIME|CPUS\n", "queue");
  EXPECT_TRUE(queue.jobs.empty());
  const RecordedQueue log = steady_log(0);
  Replay replay;
  replay.latest = {{.policy = "fifo"}};
  add_starts(log, queue, {.name = "mine", .gpus = 8, .limit = 3600}, replay);
  EXPECT_EQ(replay.starts.front().p50, 0);
}

// b, which runs, started at 11:00 and has run for 1 h: now is 12:00. a has waited since 10:00.
TEST(QueueNow, ReadsSqueueAndSacct)
{
  const QueueNow bars =
      read_queue_now("JOBID|USER|STATE|TIME|TIME_LIMIT|NODES|CPUS|TRES_PER_NODE|SUBMIT_TIME|START_TIME\n"
                     "a|u|PENDING|0:00|1-00:00:00|2|64|gres/gpu:a100:4|2024-05-01T10:00:00|N/A\n"
                     "b|v|RUNNING|1:00:00|4:00:00|1|32|gres/gpu:8|2024-05-01T09:00:00|2024-05-01T11:00:00\n"
                     "c|v|RUNNING|1:00:00|4:00:00|1|32|N/A|2024-05-01T09:00:00|2024-05-01T11:00:00\n"
                     "d|v|COMPLETING|1:00:00|4:00:00|1|32|gres/gpu:8|2024-05-01T09:00:00|N/A\n",
                     "queue");
  ASSERT_EQ(bars.jobs.size(), 2U);
  EXPECT_EQ(bars.jobs[0].gpus, 8) << "4 on each of two machines";
  EXPECT_EQ(bars.jobs[0].limit, 86400);
  EXPECT_EQ(bars.jobs[0].waited, 7200);
  EXPECT_FALSE(bars.jobs[0].ran.has_value());
  EXPECT_EQ(bars.jobs[1].gpus, 8);
  EXPECT_EQ(bars.jobs[1].ran, 3600);
  EXPECT_EQ(bars.assumed,
            (std::vector<std::string>{"left out: 1 job COMPLETING, which may hold GPUs that count as free",
                                      "left out: 1 job without GPUs"}));

  const QueueNow screen =
      read_queue_now("  JOBID PARTITION NAME USER ST  TIME  TIME_LIMIT NODES CPUS NODELIST(REASON)\n"
                     "     17 main      x    u    PD  0:00  2:00:00    1     4    (Nodes required are DOWN)\n"
                     "     16 main      x    u    R   30:00 2:00:00    1     4    node1\n",
                     "queue");
  ASSERT_EQ(screen.jobs.size(), 2U);
  EXPECT_EQ(screen.jobs[0].gpus, 4) << "no job names GPUs, so processors count";
  EXPECT_EQ(screen.jobs[1].ran, 1800);
  EXPECT_EQ(screen.assumed.size(), 2U);

  const QueueNow sacct =
      read_queue_now("JobID|State|Submit|Start|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES\n"
                     "5|PENDING|2024-05-01T11:30:00|Unknown|0|60|billing=1,gres/gpu=2|\n"
                     "4|RUNNING|2024-05-01T11:00:00|2024-05-01T11:30:00|1800|120|gres/gpu=1|gres/gpu=1\n"
                     "4.batch|RUNNING|2024-05-01T11:00:00|2024-05-01T11:30:00|1800|||gres/gpu=1\n",
                     "queue");
  ASSERT_EQ(sacct.jobs.size(), 2U);
  EXPECT_EQ(sacct.jobs[0].gpus, 2);
  EXPECT_EQ(sacct.jobs[0].limit, 3600);
  EXPECT_EQ(sacct.jobs[0].waited, 1800) << "the running one has run from 11:30 to 12:00";
  for (const char* bad : {"", "a b c\n1 2 3\n", "JOBID|STATE|CPUS\n1|RUNNING\n", "JOBID|STATE|CPUS\n1|RUNNING|4\n",
                          "JOBID|STATE|CPUS\n1|COMPLETED|4\n", "JOBID|STATE\n1|PENDING\n"})
    EXPECT_THROW(static_cast<void>(read_queue_now(bad, "queue")), InputError) << bad;
}

// Job 40 waits for 30 h with room, while 24 others, as large and as long, come later and start at once.
TEST(Replay, TellsWhatALogShowsAsPartsOfAScenario)
{
  RecordedQueue log = steady_log(0);
  for (std::size_t i = 0; i < log.workload.jobs.size(); ++i)
    log.workload.job_names.push_back("job-" + std::to_string(i));
  log.origin = 100;
  std::vector<TraceJob>& jobs = log.workload.jobs;
  const double from = jobs[40].submit.value();
  for (int i = 0; i < 24; ++i) { // one an hour
    TraceJob one = tests::job(from + 3600 * (i + 1), 1800, 4);
    one.estimate = Seconds{7200};
    jobs.insert(std::ranges::upper_bound(jobs, one.submit, {}, &TraceJob::submit), one);
  }
  log.waits.assign(jobs.size(), 0);
  log.waits[40] = 30 * 3600;
  log.workload.job_names.assign(jobs.size(), "other");
  log.workload.job_names[40] = "held: \"one\"";
  const Replay replay = replay_log(log, {});
  const auto found = std::ranges::find(replay.findings, std::string{"holds"}, &LogFinding::key);
  ASSERT_NE(found, replay.findings.end());
  EXPECT_EQ(found->what, "1 job held, chained or waiting for a kind of machine");
  ASSERT_EQ(found->entries.size(), 1U);
  EXPECT_EQ(found->entries[0].substr(found->entries[0].find("until")),
            "until: " + std::to_string(100 + 10 * 86400 + 30 * 3600) + " s} # waited 30 h");
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
