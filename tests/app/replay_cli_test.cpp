// SPDX-License-Identifier: Apache-2.0
/// simrun replay, and logs that it cannot use.
#include "models/core/random.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/queue/site_rules.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/queue_policies.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/chrono.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::Outcome;

struct ReplayCommand : tests::CommandLine {
  /// SWF: a job of 4 processors every six hours for so many days. @p wait: what column 3 says.
  void log(const std::string& name, int days, const std::string& wait, const std::string& more = {}) const
  {
    std::string text = "; MaxProcs: 8\n";
    for (int i = 0; i < 4 * days; ++i)
      text += std::to_string(i + 1) + " " + std::to_string(21600 * i) + " " + wait +
              " 3600 4 -1 -1 4 7200 -1 1 1 1 -1 1 -1 -1 -1\n";
    write(name, text + more);
  }
};

TEST_F(ReplayCommand, WritesWaitsOfEachJobBesideTheRecorded)
{
  log("a.log", 35, "60");
  const Outcome replayed = shell("simrun replay a.log -o out --predict 7d");
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, AllOf(HasSubstr("140 jobs with a recorded wait on 8 GPUs"),
                                  HasSubstr("last week, same class"), HasSubstr("the time after the log")));
  EXPECT_THAT(shell("head -1 out/jobs.csv").out, HasSubstr("recorded_wait_s,predicted_wait_s"));
  EXPECT_EQ(shell("simrun check out/scenario.yaml").code, 0);
}

/// Eight weeks of a machine of 8: a job of 4 to 8 processors every two hours, of up to 5 h; a queue builds up by day.
std::string busy_log(const char* wait_of = "60")
{
  std::string text = "; MaxProcs: 8\n";
  for (int i = 0; i < 12 * 56; ++i)
    text += std::to_string(i + 1) + " " + std::to_string(7200 * i) + " " + wait_of + " " +
            std::to_string(3000 + 7919 * i % 9000) + " " + std::to_string(4 + i % 3 * 2) + " -1 -1 " +
            std::to_string(4 + i % 3 * 2) + " 14400 -1 1 " + std::to_string(i % 4) + " 1 -1 1 -1 -1 -1\n";
  return text;
}

// The run of scenario.yaml gives the very waits that jobs.csv shows for it, a part of the scenario changes them.
TEST_F(ReplayCommand, WritesAScenarioThatGivesTheReplaysOwnWaits)
{
  write("busy.swf", busy_log());
  const Outcome replayed = shell("simrun replay busy.swf --nodes 1 -o out");
  ASSERT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("scenario.yaml, one run"));
  const std::string column =
      "column() { awk -F, -v name=$2 \"NR == 1 { for (i = 1; i <= NF; i++) if (\\$i == name) c = i; "
      "if (!c) exit 1; next } { printf \\\"%.0f\\n\\\", \\$c }\" $1; }; ";
  const Outcome same =
      shell(column + "simrun out/scenario.yaml -o run >/dev/null && column out/jobs.csv scenario_wait_s "
                     ">a && column run/jobs.csv queueing_delay_s >b && wc -l <a && cmp a b");
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("672"));
  const Outcome limited =
      shell("simrun out/scenario.yaml --no-files --set \"scheduling.site={user_limits: [{user: user-1, "
            "jobs: 1}], closed: [{from: 0 s, until: 1 d}]}\"");
  EXPECT_EQ(limited.code, 0) << limited.err;
  EXPECT_THAT(
      shell("simrun check out/scenario.yaml --set \"scheduling.site={user_limits: [{user: user-9, jobs: 1}]}\"").err,
      HasSubstr("the workload has no user 'user-9'"));
}

TEST_F(ReplayCommand, AnswersWhatIfAndWhenAJobStarts)
{
  write("busy.swf", busy_log());
  write("queue.txt",
        "JOBID|USER|STATE|TIME|TIME_LIMIT|CPUS\n1|user-1|RUNNING|0:10:00|4:00:00|8\n2|user-2|PENDING|0:00|4:00:00|8\n");
  const Outcome replayed =
      shell("simrun replay busy.swf --nodes 1 -o out --what-if nodes=+1 --what-if \"policy=fifo; "
            "scheduling.kill_at_estimate=true\" --pending queue.txt --submit \"gpus=8, limit=4 h\"");
  ASSERT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, AllOf(HasSubstr("nodes=+1: mean wait -"), HasSubstr("policy=fifo; scheduling"),
                                  HasSubstr("users who react to other waits do not"), HasSubstr("it starts after"),
                                  HasSubstr("if you submit this job now: 8 GPUs, limit 4.00 h")));
  EXPECT_THAT(shell("cat out/manifest.json").out, AllOf(HasSubstr("\"what_if\""), HasSubstr("\"starts\"")));
  EXPECT_THAT(shell("head -2 out/starts.csv").out, HasSubstr("the submitted job,8,14400,"));
  EXPECT_EQ(shell("simrun report out -o report.html && grep -q \"Recorded wait of each job\" report.html").code, 0);
  for (const auto& [options, says] : std::initializer_list<std::pair<std::string, std::string>>{
           {"--what-if nodes", "needs KEY=VALUE"},
           {"--what-if policy=+2", "to which +2 cannot be added"},
           {"--what-if policy=esay_backfill", "did you mean"},
           {"--pending queue.txt", "give both"},
           {"--pending queue.txt --submit limit=4h", "does not say how many GPUs"},
           {"--pending queue.txt --submit gpus=9,limit=4h", "the machine has 8"},
           {"--pending queue.txt --submit gpus=9,nodes=2", "is none of gpus=N"},
           {"--pending busy.swf --submit gpus=1,limit=1h", "no queue of squeue"}}) {
    const Outcome refused = shell("simrun replay busy.swf --nodes 1 --no-files " + options);
    EXPECT_EQ(refused.code, 2) << options;
    EXPECT_THAT(refused.err, HasSubstr(says)) << options;
  }
}

/// Weeks of 32 GPUs of which a policy decides under rules of the site: jobs of 1 to 16 GPUs, half of their limits.
class Record
{
public:
  explicit Record(const std::string& policy, const SiteRules& rules = {}, int weeks = 10)
  {
    const Random random{3};
    auto stream = random.stream("log");
    for (double at = 0; at < weeks * 7 * 86400; at += std::floor(3000 * stream.uniform())) {
      TraceJob job = tests::job(at, std::floor(600 + 14000 * stream.uniform()), 1 << stream.below(5));
      job.estimate = Seconds{60 * std::ceil(job.duration.value() / 30)};
      jobs_.jobs.push_back(job);
    }
    const auto by = under_site_rules(Registry<QueuePolicy>::instance().create(policy, {}), rules);
    result_ = simulate_queue(jobs_, ClusterShape::pool(32), *by, nullptr, {});
  }
  std::string swf() const
  {
    std::string text = "; MaxProcs: 32\n";
    for_each([&](int i, const TraceJob& job, double start) {
      text += fmt::format("{} {} {} {} {} -1 -1 {} {} -1 1 {} 1 1 1 1 -1 -1\n", i + 1, job.submit.value(),
                          start - job.submit.value(), job.duration.value(), job.gpus, job.gpus, job.estimate.value(),
                          i % 5);
    });
    return text;
  }
  std::string sacct() const
  {
    std::string text = "JobID|User|Submit|Start|ElapsedRaw|TimelimitRaw|State|AllocTRES\n";
    for_each([&](int i, const TraceJob& job, double start) {
      text += fmt::format("{}|user-{}|{:%FT%T}|{:%FT%T}|{}|{}|COMPLETED|gres/gpu={},node={}\n", i + 1, i % 5,
                          date(job.submit.value()), date(start), job.duration.value(), job.estimate.value() / 60,
                          job.gpus, std::max(1, job.gpus / 8));
    });
    return text;
  }
  std::string csv() const
  {
    std::string text = "submit_s,start_s,duration_s,gpus,user,estimate_s\n";
    for_each([&](int i, const TraceJob& job, double start) {
      text += fmt::format("{},{},{},{},user-{},{}\n", job.submit.value(), start, job.duration.value(), job.gpus, i % 5,
                          job.estimate.value());
    });
    return text;
  }

private:
  template <class Of>
  void for_each(const Of& of) const
  {
    for (int i = 0; i < jobs_.size(); ++i)
      of(i, jobs_.job(JobId{i}), result_.jobs[static_cast<std::size_t>(i)].first_start.value());
  }
  static std::tm date(double time) { return fmt::gmtime(static_cast<std::time_t>(1'700'000'000 + time)); }
  Workload jobs_;
  SchedulingResult result_;
};

// EASY with two outages. The scenario that explains it best names EASY, so that a change to EASY changes nothing.
TEST_F(ReplayCommand, NamesThePolicyOfALogWithOutages)
{
  const auto day = [](double days) { return Seconds{86400 * days}; };
  write("log.swf", Record{"easy_backfill", {.closed = {{day(20), day(21)}, {day(45), day(45.5)}}}}.swf());
  const Outcome replayed = shell("simrun replay log.swf -o out --what-if policy=easy_backfill");
  ASSERT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_EQ(shell("grep -c \"^  policy: easy_backfill\" out/scenario.yaml").out, "1\n")
      << shell("head -60 out/scenario.yaml").out;
  EXPECT_THAT(replayed.out, HasSubstr("policy=easy_backfill: mean wait +0.00 h"));
}

// A table of one's own brings no scheduling of its own; what is found in it becomes a part of the scenario all the
// same.
TEST_F(ReplayCommand, FindsTheOutagesOfATableOfOnesOwn)
{
  const auto day = [](double days) { return Seconds{86400 * days}; };
  write("log.csv", Record{"easy_backfill", {.closed = {{day(20), day(21)}, {day(45), day(45.5)}}}}.csv());
  const Outcome replayed = shell("simrun replay log.csv -o out && simrun check out/scenario.yaml");
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_EQ(shell("grep -c \"^scheduling:\" out/scenario.yaml").out, "1\n");
  EXPECT_THAT(shell("cat out/scenario.yaml").out, AllOf(HasSubstr("  policy: easy_backfill"), HasSubstr("site:")));
}

// Three logs of the same jobs, two of which know nothing of one pool: what is asked of the changed past has one answer.
TEST_F(ReplayCommand, AsksWhatIfOfThePoolThatItReplays)
{
  const Record record{"easy_backfill", {}, 6};
  write("log.swf", record.swf());
  write("log.psv", record.sacct());
  write("log.csv", record.csv());
  const auto ask = [&](const std::string& log) {
    return shell("simrun replay " + log + " --no-files --what-if nodes=+1 --what-if policy=fifo | grep \": mean wait\"")
        .out;
  };
  const std::string told = ask("log.swf");
  EXPECT_THAT(told, AllOf(HasSubstr("nodes=+1: mean wait -"), HasSubstr("policy=fifo: mean wait +")));
  EXPECT_EQ(ask("log.psv"), told);
  EXPECT_EQ(ask("log.csv"), told);
}

TEST_F(ReplayCommand, TakesWhatARecordHoldsWhereTheHeadIsFarTooSmall)
{
  std::string text = busy_log();
  text.replace(text.find("8"), 1, "4"); // the record has jobs of 8
  write("half.swf", text);
  const Outcome replayed = shell("simrun replay half.swf --no-files");
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_THAT(replayed.err, HasSubstr("the head of the log says 4 GPUs, but jobs held"));
  EXPECT_THAT(replayed.err, HasSubstr("simrun replay --gpus N"));
}

TEST_F(ReplayCommand, NamesRowsThatTheImportLeavesOut)
{
  log("cut.swf", 35, "60", "901 3000000 60 3600 4\n902 3000000 60 3600 4\n");
  const Outcome replayed = shell("simrun replay cut.swf --no-files");
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_THAT(replayed.err, HasSubstr("row without 18 numbers (2 rows): left out"));
  write("unknown.psv", "JobID|Submit|Start|Elapsed|State|AllocTRES\n"
                       "1|2024-01-01T00:00:00|Unknown|00:00:00|COMPLETED|gres/gpu=1,node=1\n");
  const Outcome unknown = shell("simrun replay unknown.psv --no-files");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no job of the log says when it started (job that never started)"));
}

TEST_F(ReplayCommand, MakesALogOfSacctAnonymous)
{
  write("sacct.psv",
        "JobID|JobName|User|Account|Submit|Start|End|Elapsed|State|WorkDir|Timelimit|AllocTRES\n"
        "7_1|secret|ada|lab|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T11:05:00|01:00:00|CANCELLED by "
        "1000|/home/ada|02:00:00|gres/gpu=2\n"
        "7_2|secret|bob|lab|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T11:05:00|01:00:00|COMPLETED|"
        "/home/bob|02:00:00|gres/gpu=2\n"
        "9|other|ada|lab|2024-05-01T10:01:00|2024-05-01T10:05:00|2024-05-01T11:05:00|01:00:00|COMPLETED|"
        "/home/ada|02:00:00|gres/gpu=2\n");
  const std::string script = "python3 '" + (tests::source_folder() / "results/anonymise_sacct.py").string() + "' ";
  const Outcome made = shell(script + "sacct.psv");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out,
            "JobID|JobName|User|Account|Submit|Start|End|Elapsed|State|Timelimit|AllocTRES\n"
            "1_1|job-1|user-1|account-1|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T11:05:00|01:00:00|CANCELLED|"
            "02:00:00|gres/gpu=2\n"
            "1_2|job-1|user-2|account-1|2024-05-01T10:00:00|2024-05-01T10:05:00|2024-05-01T11:05:00|01:00:00|COMPLETED|"
            "02:00:00|gres/gpu=2\n"
            "2|job-2|user-1|account-1|2024-05-01T10:01:00|2024-05-01T10:05:00|2024-05-01T11:05:00|01:00:00|COMPLETED|"
            "02:00:00|gres/gpu=2\n");
  EXPECT_THAT(made.err, HasSubstr("left out, because they may hold names: WorkDir"));
  write("no.csv", "a,b\n1,2\n");
  EXPECT_THAT(shell(script + "no.csv").err, HasSubstr("no log of sacct"));
}

TEST_F(ReplayCommand, SaysWhereClocksJumpAndFiltersLeaveNothing)
{
  const std::string row = " 60 3600 4 -1 -1 4 7200 -1 1 1 1 -1 1 -1 -1 -1\n";
  log("ahead.swf", 35, "60", "900 90000000" + row);
  log("back.swf", 35, "60", "900 1000000" + row);
  Outcome jumped = shell("simrun replay ahead.swf");
  EXPECT_EQ(jumped.code, 2);
  // The last job comes at day 34.75, the odd one 90,000,000 s = 1041.7 days after the first.
  EXPECT_THAT(jumped.err,
              HasSubstr("line 142: no job comes for 1007 days before this one; did a clock jump? --until '35 "
                        "d' replays the part before it, --from '1041 d' that from it on"));
  EXPECT_EQ(shell("simrun replay ahead.swf --no-files --until \"35 d\"").code, 0);
  jumped = shell("simrun replay back.swf --no-files");
  EXPECT_EQ(jumped.code, 0) << jumped.err;
  EXPECT_THAT(jumped.err, HasSubstr("submissions go back by more than an hour in 1 row, most at line 142, by 556.2 h"));
  const Outcome none = shell("simrun replay back.swf --from \"400 d\"");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("leave no job"));
  write("cpu.psv", "JobID|Submit|Start|End|Elapsed|State|AllocTRES\n1|2024-05-01T10:00:00|2024-05-01T10:05:00|"
                   "2024-05-01T11:05:00|01:00:00|COMPLETED|cpu=4,node=1\n");
  EXPECT_THAT(shell("simrun replay cpu.psv").err, HasSubstr("none of 1 job can be compared: 1 without GPUs"));
}

TEST_F(ReplayCommand, SaysWhatALogLacks)
{
  log("no-starts.swf", 35, "-1");
  log("short.swf", 14, "60");
  log("odd.swf", 35, "60",
      "900 3000000 5 -10 4 -1 -1 4 7200 -1 1 1 1 -1 1 -1 -1 -1\n901 3000001 5 10 40 -1 -1 40 7200 -1 1 1 1 -1 1 -1 -1 "
      "-1\n");
  Outcome refused = shell("simrun replay no-starts.swf");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("no job of 140 says when it started"));
  refused = shell("simrun replay short.swf");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("a replay needs 21"));
  const Outcome odd = shell("simrun replay odd.swf --no-files");
  EXPECT_EQ(odd.code, 0);
  EXPECT_THAT(odd.err, AllOf(HasSubstr("left out: 1 job whose run time is not known, zero, or ends before it starts"),
                             HasSubstr("1 job held more than the machine's 8 GPUs")));
}

} // namespace
} // namespace trainyard
