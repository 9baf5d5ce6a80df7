// SPDX-License-Identifier: Apache-2.0
// Importers of traces: small inputs of our own, and what the samples and traces of tests/data must show.
#include "models/core/csv.hpp"
#include "models/core/input_file.hpp"
#include "models/cost/profile.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/scenario/document.hpp"

#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace trainyard {
namespace {

/// A file of tests/data.
std::filesystem::path data(const std::string& name)
{
  return tests::source_folder() / "tests/data" / name;
}

class Traces : public ::testing::Test
{
protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name, const std::string& text)
  {
    std::ofstream{folder_ / name, std::ios::binary} << text;
    return folder_ / name;
  }
  static std::int64_t found(const TraceAudit& audit, const std::string& what)
  {
    for (const TraceFinding& finding : audit.findings())
      if (finding.what.find(what) != std::string::npos)
        return finding.count;
    return 0;
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("trainyard-traces-" + std::to_string(::getpid()));
};

// 10:00 where clocks are two hours ahead is 08:00 UTC. 2024-05-01 is day 19,844 since 1970.
TEST_F(Traces, DatesWithAZoneAreTimesOfUtc)
{
  const double eight = 19844 * 86400.0 + 8 * 3600;
  for (const char* date :
       {"2024-05-01T08:00:00", "2024-05-01 08:00:00", "2024-05-01T08:00:00Z", "2024-05-01T10:00:00+02:00",
        "2024-05-01T10:00:00+0200", "2024-05-01T10:00:00+02", "2024-05-01T04:30:00-03:30",
        "2024-04-30T22:00:00.000-10:00", "2024-05-01 10:00:00 +0200", "2024-05-01 08:00:00 UTC", "2024-05-01T08:00Z",
        "2024-05-01 10:00+02:00", "2024-05-01T08:00"})
    EXPECT_EQ(cell_time(date), eight) << date;
  EXPECT_EQ(cell_time("2024-05-01T08:00:00.250Z"), eight + 0.25);
  for (const char* none : {"2024-05-01T08:00:00 CEST", "2024-05-01T08:00:00+2", "2024-05-01T08:00:00+99:00",
                           "2024-05-01T08Z", "2024-05-01T08:00:00+02:0x", "2024-05-01T08:00:00ZZ"})
    EXPECT_EQ(cell_time(none), std::nullopt) << none;
  const ImportedTrace trace = import_trace(file("z.csv", "submit_s,duration_s,gpus\n2024-05-01T10:00:00+02:00,60,1\n"
                                                         "2024-05-01T08:00:30Z,60,1\n2024-05-01T08:01:00,60,1\n"));
  ASSERT_EQ(trace.workload.size(), 3);
  EXPECT_EQ(trace.workload.jobs[1].submit, Seconds{30});
  EXPECT_EQ(found(trace.audit, "dates with a zone beside dates without"), 1);
}

// Fields as in lsb.acct(5). Four slots on two hosts with two GPUs each; it waits 60 s and runs 3,600 s. The second
// record has its hosts in short form and fails, the third never starts, the fourth is cut.
TEST_F(Traces, AccountingOfLsfHasHostsAndGpus)
{
  const auto record = [](const std::string& times, const std::string& needs, const std::string& hosts) {
    return "\"JOB_FINISH\" \"10.1\" 1714554060 101 1000 33554434 " + times + " \"ann\" \"gpu\" \"" + needs +
           "\" \"\" \"\" \"login1\" \"work\" \"\" \"\" \"\" \"1714550400.101\" 0 " + hosts +
           " 100.0 \"say \"\"hi\"\"\" \"python train.py\" 1.5 0.5 -1 0 -1 -1 0 2 0 -1 0 0 0 -1 -1 -1 3 1 -1 \"\" "
           "\"vision\" 0 4 "
           "\"\" \"\" 7 0 0 \"\"\n";
  };
  const std::string needs = "span[ptile=2] rusage[ngpus_physical=2.00]";
  const std::string text = record("4 1714550400 0 0 1714550460", needs, "4 \"h1\" \"h1\" \"h2\" \"h2\" 64") +
                           record("8 1714550400 0 0 1714550460", "", "1 \"8*h3\" 32") +
                           record("4 1714550400 0 0 0", "", "0 32") + "\"JOB_FINISH\" \"10.1\" 1714554060 101\n" +
                           "\"EVENT_ADRSV_FINISH\" \"10.1\" 1714554060\n";
  const ImportedTrace trace = import_trace(file("lsb.acct", text));
  EXPECT_EQ(trace.format, "lsf-acct");
  ASSERT_EQ(trace.workload.size(), 2);
  const TraceJob& first = trace.workload.jobs[0];
  EXPECT_EQ(first.gpus, 4);
  EXPECT_EQ(first.tasks, 2);
  EXPECT_EQ(first.cpu_milli, 2000);
  EXPECT_EQ(first.duration, Seconds{3600});
  EXPECT_EQ(trace.workload.job_names[0], "101[7]");
  EXPECT_EQ(trace.workload.users.name(first.user), "ann");
  EXPECT_EQ(trace.workload.teams.name(first.team), "vision");
  EXPECT_EQ(trace.workload.queues.name(first.queue), "gpu");
  EXPECT_EQ(trace.workload.jobs[1].gpus, 0);
  EXPECT_EQ(trace.workload.jobs[1].tasks, 1);
  EXPECT_EQ(trace.workload.jobs[1].cpu_milli, 8000);
  for (const char* what : {"job that ended as EXIT", "job that never started", "record JOB_FINISH that cannot be read",
                           "record of another kind than JOB_FINISH"})
    EXPECT_EQ(found(trace.audit, what), 1) << what;
}

TEST_F(Traces, TimesInMillisecondsAreNamed)
{
  const ImportedTrace trace = import_trace(
      file("m.csv", "submit_s,duration_s,gpus\n1714550400000,60,1\n1714550400000000,60,1\n1714550400,60,1\n"));
  EXPECT_EQ(trace.workload.size(), 1);
  EXPECT_EQ(found(trace.audit, "submit_s in milliseconds since 1970"), 1);
  EXPECT_EQ(found(trace.audit, "submit_s in microseconds since 1970"), 1);
}

TEST_F(Traces, PhillyTableIsSortedAndItsBrokenRowsAreReported)
{
  const ImportedTrace trace = import_trace(file("a.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                                         "2017-10-09 07:01:55,66.0,1,66.0,x\n"
                                                         "2017-10-09 07:01:50,0,8,0,y\n"
                                                         "broken row in the middle\n"
                                                         "2017-13-40 00:00:00,1,1,1,x\n"
                                                         "2017-10-09 07:02:00,5,-1,0,x\n"
                                                         "\n"));
  EXPECT_EQ(trace.format, "philly");
  ASSERT_EQ(trace.workload.size(), 2);
  EXPECT_EQ(trace.workload.jobs[0].gpus, 8);
  EXPECT_EQ(trace.workload.jobs[1].submit, Seconds{5});
  EXPECT_EQ(trace.workload.teams.name(trace.workload.jobs[1].team), "x");
  EXPECT_EQ(found(trace.audit, "number of cells differs"), 1);
  EXPECT_EQ(found(trace.audit, "cannot be read"), 1);
  EXPECT_EQ(found(trace.audit, "negative duration or no GPU"), 1);
  EXPECT_EQ(found(trace.audit, "run time of zero"), 1);
  EXPECT_EQ(found(trace.audit, "out of order"), 1);
  EXPECT_EQ(trace.audit.rows_read, 5);
  EXPECT_THAT(trace.audit.text(), ::testing::HasSubstr("line 4"));
}

TEST_F(Traces, OwnTableHasDependenciesAndLimits)
{
  TraceOptions options;
  options.time_compression = 2;
  const ImportedTrace trace =
      import_trace(file("b.csv", "name,submit_s,duration_s,gpus,team,after,min_gpus,max_gpus\n"
                                 "a,100,10,1,red,,,\nb,140,20,4,blue,a,2,8\n\"c, d\",160,5,1,red,a b nobody,,\n"),
                   options);
  ASSERT_EQ(trace.workload.size(), 3);
  EXPECT_EQ(trace.workload.jobs[1].submit, Seconds{20}); // 40 s after the first, twice as fast
  EXPECT_EQ(trace.workload.name(JobId{2}), "c, d");
  EXPECT_TRUE(trace.workload.jobs[1].elastic());
  EXPECT_EQ(trace.workload.dependencies.size(), 3U);
  EXPECT_EQ(found(trace.audit, "not in the file"), 1);
}

TEST_F(Traces, ATableOfOnesOwnIsReadByTheNamesOfItsColumns)
{
  const std::filesystem::path table =
      file("own.csv", "job_id,user,start,submit_time,runtime,num_gpus,gpus\n"
                      "7,ann,x,2026-01-01 08:00:00,3600,8,no\n8,bob,x,2026-01-01 08:10:00,7200,16,no\n");
  TraceOptions options;
  options.columns = {{"name", "job_id"}, {"submit_s", "submit_time"}, {"duration_s", "runtime"}, {"gpus", "num_gpus"}};
  const ImportedTrace trace = import_trace(table, options);
  EXPECT_EQ(trace.format, "csv");
  ASSERT_EQ(trace.workload.size(), 2);
  EXPECT_EQ(trace.workload.jobs[1].submit, Seconds{600}); // after the first
  EXPECT_EQ(trace.workload.jobs[1].duration, Seconds{7200});
  EXPECT_EQ(trace.workload.jobs[1].gpus, 16);
  EXPECT_EQ(trace.workload.name(JobId{1}), "8");
  EXPECT_EQ(
      trace.audit.text(),
      "2 rows, 2 jobs, 1 kind of finding\n  1 x columns without a meaning: 'start' (did you mean 'start_s'?): ignored; "
      "'columns' of the scenario gives a column another name (line 1)\n");

  const auto message = [&](const TraceOptions& with) {
    try {
      import_trace(table, with);
    } catch (const InputError& error) {
      return error.diagnostics().empty() ? std::string{error.what()} : error.diagnostics().front().message;
    }
    return std::string{"nothing thrown"};
  };
  EXPECT_THAT(message({}), ::testing::HasSubstr("columns: {submit_s: job_id, duration_s: …, gpus: …}"));
  options.columns["gpus"] = "num_gpu";
  EXPECT_THAT(message(options),
              ::testing::HasSubstr("no column 'num_gpu', which 'columns' names as gpus; did you mean 'num_gpus'?"));
  options.format = "philly";
  EXPECT_THAT(message(options), ::testing::HasSubstr("'columns' names those of a table (format csv)"));
}

TEST_F(Traces, NumbersThatMakeNoSenseAreFindingsAndNeverRounded)
{
  const ImportedTrace trace =
      import_trace(file("n.csv", "submit_s,duration_s,gpus,tasks\n0,10,1,\n1,1e300,1,\n2,10,1e18,\n3,10,0.5,\n-4,10,1,"
                                 "\n5,nan,1,\n6,10,8.0,-2\n7,10,2,1e12\n"));
  ASSERT_EQ(trace.workload.size(), 3); // lines 2, 8 and 9
  EXPECT_EQ(trace.workload.jobs[1].gpus, 8);
  EXPECT_EQ(trace.workload.jobs[1].tasks, 0);
  EXPECT_EQ(trace.workload.jobs[2].tasks, 0);
  EXPECT_EQ(found(trace.audit, "gpus that is not a whole number"), 3); // lines 4, 5, 7
  EXPECT_EQ(found(trace.audit, "negative time"), 2);                   // lines 3 and 6
  EXPECT_EQ(found(trace.audit, "tasks that is not a whole number"), 2);
  EXPECT_EQ(trace.audit.rows_read, 8);
}

TEST_F(Traces, AGangThatItsTasksCannotShareKeepsItsGpusWithoutThem)
{
  // 3 tasks of 2 GPUs are 6 of 8, 5 tasks of 2 GPUs have none: neither is what the row asks for.
  const ImportedTrace trace =
      import_trace(file("g.csv", "submit_s,duration_s,gpus,tasks\n0,60,8,3\n1,60,2,5\n2,60,8,4\n3,60,0,2\n"));
  ASSERT_EQ(trace.workload.size(), 4);
  for (const auto& [job, gpus, tasks] :
       {std::tuple{0, 8, 0}, std::tuple{1, 2, 0}, std::tuple{2, 8, 4}, std::tuple{3, 0, 2}}) {
    EXPECT_EQ(trace.workload.job(JobId{job}).gpus, gpus) << job;
    EXPECT_EQ(trace.workload.job(JobId{job}).tasks, tasks) << job;
  }
  EXPECT_THAT(trace.audit.text(), ::testing::HasSubstr("2 x GPUs that cannot be divided evenly over the tasks: the "
                                                       "number of tasks is left blank (line 2, 3)"));
}

TEST_F(Traces, ColumnsAndCellsOfOnesOwnTableThatMeanNothingAreFindings)
{
  const ImportedTrace trace = import_trace(
      file("u.csv", "job,submit_s,duration_s,gpus,prioriy,priority,weight,estimate_s,deadline_s,gpu_milli\n"
                    "a,1767225600,10,1,1,high,-1,soon,tomorrow,5000\n"
                    "b,1767225700,10,1,1,2.5,0.5,20,2026-01-01 00:02:00,500\n"));
  EXPECT_THAT(trace.audit.text(),
              ::testing::HasSubstr("columns without a meaning: 'job', 'prioriy' (did you mean 'priority'?): ignored"));
  for (const char* what :
       {"priority that is not a number", "weight that is not a number above 0", "estimate_s that is not a number",
        "deadline_s that is neither a number nor a date", "gpu_milli that is not from 1 to 1000"})
    EXPECT_EQ(found(trace.audit, what), 1) << what;
  ASSERT_EQ(trace.workload.size(), 2);
  const TraceJob& wrong = trace.workload.jobs[0];
  EXPECT_EQ(wrong.priority, 0);
  EXPECT_EQ(wrong.weight, 1);
  EXPECT_EQ(wrong.estimate, Seconds{10});
  EXPECT_FALSE(is_finite(wrong.deadline));
  EXPECT_EQ(wrong.gpu_milli, 1000);
  const TraceJob& right = trace.workload.jobs[1];
  EXPECT_EQ(right.priority, 2.5F);
  EXPECT_EQ(right.weight, 0.5F);
  EXPECT_EQ(right.estimate, Seconds{20});
  // 1767225600 is 2026-01-01 00:00:00 UTC (date -u -d @1767225600), the first submission: two minutes later.
  EXPECT_EQ(right.deadline, Seconds{120});
  EXPECT_EQ(right.gpu_milli, 500);
}

TEST_F(Traces, CompressedSubmissionsKeepTheTimeToTheirDeadlines)
{
  TraceOptions options;
  options.time_compression = 10;
  const ImportedTrace trace =
      import_trace(file("t.csv", "submit_s,duration_s,gpus,deadline_s\n0,10,1,50\n1000,10,1,1050\n"), options);
  // Submitted at 0 and 100; each still has 50 s.
  EXPECT_EQ(trace.workload.jobs.at(0).deadline, Seconds{50});
  EXPECT_EQ(trace.workload.jobs.at(1).submit, Seconds{100});
  EXPECT_EQ(trace.workload.jobs.at(1).deadline, Seconds{150});
}

TEST_F(Traces, OnlyAPartIsTakenWhereAsked)
{
  TraceOptions options;
  options.from = Seconds{10};
  options.first_jobs = 2;
  const ImportedTrace trace =
      import_trace(file("c.csv", "submit_s,duration_s,gpus\n0,1,1\n10,1,2\n20,1,3\n30,1,4\n"), options);
  ASSERT_EQ(trace.workload.size(), 2);
  EXPECT_EQ(trace.workload.jobs[0].gpus, 2);
  EXPECT_EQ(trace.workload.jobs[0].submit, Seconds{0});
}

TEST_F(Traces, FilesThatAreNoneAreToldWithTheWayOut)
{
  const auto message = [&](const std::filesystem::path& path, const TraceOptions& options = {}) {
    try {
      import_trace(path, options);
    } catch (const InputError& error) {
      return error.diagnostics().empty() ? std::string{error.what()} : error.diagnostics().front().message;
    }
    return std::string{"nothing thrown"};
  };
  EXPECT_THAT(message(folder_ / "none.csv"), ::testing::HasSubstr("cannot be read"));
  EXPECT_THAT(message(file("e.csv", "")), ::testing::HasSubstr("is empty"));
  EXPECT_THAT(message(file("e.csv", " \n\n")), ::testing::HasSubstr("is empty"));
  EXPECT_THAT(message(file("e.csv", "what,is,this\n1,2,3\n")), ::testing::HasSubstr("name one of"));
  EXPECT_THAT(message(file("e.csv", std::string{"\0\1\2", 3})), ::testing::HasSubstr("binary"));
  EXPECT_THAT(message(file("e.csv", "submit_s,duration_s,gpus\nx,y,z\n")),
              ::testing::HasSubstr("no job that can be read"));
  EXPECT_THAT(message(file("e.csv", "a,b\n"), {.format = "phily"}), ::testing::HasSubstr("did you mean 'philly'"));
  EXPECT_THAT(message(file("e.csv", "a,b\n"), {.format = "philly"}), ::testing::HasSubstr("has no column 'timestamp'"));
  EXPECT_THAT(message(file("f.csv", "submit_s;duration_s;gpus\n0;1;1\n"), {}),
              ::testing::EndsWith("; the file divides its cells by ';', this format needs ','"));
  EXPECT_THAT(message(file("g.csv", "submit_s\tduration_s\tgpus\n0\t1\t1\n"), {}),
              ::testing::EndsWith("; the file divides its cells by tabs, this format needs ','"));
  EXPECT_THAT(message(file("h.csv", "submit_s,duration_s,gpus,gpus\n0,1,1,2\n"), {}),
              ::testing::EndsWith("has two columns 'gpus'; remove or rename one"));
}

TEST_F(Traces, WhatHasNoEndIsRefused)
{
  const std::filesystem::path pipe = folder_ / "pipe.csv";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0); // nobody writes: who opens it waits for ever
  for (const std::filesystem::path& path : {std::filesystem::path{"/dev/zero"}, pipe}) {
    EXPECT_THROW(import_trace(path), InputError) << path;
    EXPECT_THROW(read_csv(path), InputError) << path;
    EXPECT_THROW(read_profile(path), InputError) << path;
    EXPECT_THROW(read_text_file(path, 1000), InputError) << path;
  }
}

TEST_F(Traces, TimesBeyondTheClockAreRefusedWithTheirLine)
{
  // 2.4e9 s are 76 years. The second job comes 1.7e9 s (54 years) after the first, which is within the limit.
  const auto faults = [&](const std::string& name, const std::string& text, const TraceOptions& options = {}) {
    try {
      import_trace(file(name, text), options);
    } catch (const InputError& error) {
      return std::string{error.what()}.substr(folder_.string().size() + 1);
    }
    return std::string{"nothing thrown"};
  };
  EXPECT_EQ(faults("a.csv", "submit_s,duration_s,gpus\n0,1,1\n1700000000,2e9,1\n"), "nothing thrown");
  EXPECT_EQ(faults("b.csv", "submit_s,duration_s,gpus,estimate_s\n0,2.4e9,1,5\n"),
            "b.csv:2: error: run time: times beyond 73 years are not simulated; correct the row or leave it out\n");
  EXPECT_EQ(faults("b.csv", "submit_s,duration_s,gpus,estimate_s\n0,1,1,8e9\n"),
            "b.csv:2: error: estimate: times beyond 73 years are not simulated; correct the row or leave it out\n");
  EXPECT_EQ(faults("c.csv", "submit_s,duration_s,gpus\n0,1,1\n5e9,1,1\n"),
            "c.csv:3: error: time of submission: times beyond 73 years are not simulated; correct the row or leave it "
            "out\n");
  EXPECT_THAT(faults("d.swf", "1 0 0 3000000000 1 -1 -1 1 3000000000 -1 1 1 1 1 1 1 -1 -1\n"),
              ::testing::HasSubstr("times beyond 73 years are not simulated"));
  TraceOptions stretched; // 2e9 s are 63 years, and a million times that
  stretched.time_compression = 1e-6;
  EXPECT_EQ(faults("e.csv", "submit_s,duration_s,gpus\n0,1,1\n2e9,1,1\n", stretched),
            "e.csv:3: error: time of submission: times beyond 73 years are not simulated; 'time_compression' makes it "
            "so late\n");
}

TEST_F(Traces, PhillyLogAddsUpItsAttempts)
{
  const ImportedTrace trace = import_trace(
      file("log.json", R"([{"status":"Pass","vc":"v","jobid":"j1","user":"u","submitted_time":"2017-10-09 07:00:00",
    "attempts":[{"start_time":"2017-10-09 07:01:00","end_time":"2017-10-09 07:02:00","detail":[{"ip":"m1","gpus":["gpu0","gpu1"]}]},
                {"start_time":"2017-10-09 07:03:00","end_time":"2017-10-09 07:03:30","detail":[{"ip":"m1","gpus":["gpu0","gpu1"]},{"ip":"m2","gpus":["gpu0"]}]}]},
   {"jobid":"j2","submitted_time":"None","attempts":[]},{"jobid":"j3","submitted_time":"2017-10-09 08:00:00","attempts":[]}])"));
  EXPECT_EQ(trace.format, "philly_log");
  ASSERT_EQ(trace.workload.size(), 1);
  EXPECT_EQ(trace.workload.jobs[0].duration, Seconds{90});
  EXPECT_EQ(trace.workload.jobs[0].gpus, 3);
  EXPECT_EQ(found(trace.audit, "no time of submission"), 1);
  EXPECT_EQ(found(trace.audit, "without an attempt"), 1);
}

TEST_F(Traces, PhillyLogIsReadEntryByEntryAndSaysWhereItBreaks)
{
  const std::string one =
      R"({"vc": "a", "jobid": "j1", "attempts": [{"start_time": "2017-10-09 07:00:00", "end_time": "2017-10-09 07:01:00",)"
      R"( "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]}], "submitted_time": "2017-10-09 06:59:00", "user": "u"})";
  const ImportedTrace odd =
      import_trace(file("odd.json", "[" + one + ",\n7,\n[1, {\"a\": 2}],\nnull,\n{\"attempts\": []},\n" + one + "]\n"));
  EXPECT_EQ(odd.format, "philly_log");
  EXPECT_EQ(odd.workload.size(), 2);
  EXPECT_EQ(odd.workload.jobs[1].row, 6);
  EXPECT_EQ(odd.audit.rows_read, 6);
  EXPECT_EQ(found(odd.audit, "entry that is not a job"), 3);
  EXPECT_EQ(found(odd.audit, "no time of submission"), 1);
  const auto fault = [&](const std::string& text) {
    try {
      import_trace(file("broken.json", text));
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  EXPECT_THAT(fault("[" + one + ",\n" + one + ",\n" + one.substr(0, 60)),
              ::testing::HasSubstr("line 3: not a JSON list of jobs, or cut off: 2 jobs could be read"));
  EXPECT_THAT(fault("[" + one + ",\n" + one + " oops\n]"), ::testing::HasSubstr("line 2"));
  EXPECT_THAT(fault("[" + one + "] and more"), ::testing::HasSubstr("1 jobs could be read"));
  EXPECT_THAT(fault("[" + one + ",\n{\"attempts\": 1" + std::string(400, '0') + "}]"),
              ::testing::HasSubstr("job 2: a number is too large"));
}

TEST_F(Traces, GzipIsUnfoldedAndACutFileIsNamed)
{
  const std::string text = "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,2,132.0,x\n\n";
  const std::filesystem::path packed = folder_ / "philly.csv.gz";
  gzFile out = gzopen(packed.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  const ImportedTrace trace = import_trace(packed);
  EXPECT_EQ(trace.format, "philly");
  EXPECT_EQ(trace.workload.source, "philly.csv.gz");
  ASSERT_EQ(trace.workload.size(), 1);
  EXPECT_EQ(trace.workload.jobs[0].gpus, 2);
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 12);
  try {
    import_trace(packed);
    FAIL() << "a cut file was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::HasSubstr("philly.csv.gz"), ::testing::HasSubstr("the file is cut off")));
  }
}

TEST_F(Traces, HeliosPolluxAndGavelAreRecognised)
{
  EXPECT_EQ(
      import_trace(file("h.csv",
                        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                        "1,u,v,8,32,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:10,2020-04-01 01:00:10,3600,10\n"))
          .format,
      "helios");
  EXPECT_EQ(
      import_trace(file("p.csv", "time,name,application,num_replicas,batch_size,duration\n5,a,bert,4,12,60\n")).format,
      "pollux");
  ThroughputTable table;
  table.set("v100", {"ResNet-50 (batch size 64)", 4}, 1);
  TraceOptions options;
  options.throughputs = std::make_shared<const ThroughputTable>(table);
  const ImportedTrace gavel = import_trace(
      file("g.trace", "ResNet-50 (batch size 64)\tcmd\tdir\t-n\t1\t40000\t4\t5\t1.2\t300\nbad\trow\n"), options);
  ASSERT_EQ(gavel.workload.size(), 1);
  EXPECT_EQ(gavel.workload.jobs[0].gpus, 4);
  EXPECT_NEAR((gavel.workload.jobs[0].deadline).value(), 1.2 * 40000, 1e-6); // since the first submission
  EXPECT_EQ(found(gavel.audit, "neither 10 nor 7"), 1);
}

// By hand: started 10 s and 60 s after their submission; one that was never scheduled has no wait.
TEST_F(Traces, StartsInPublishedTracesAreRecordedWaits)
{
  using Waits = std::vector<std::pair<std::int64_t, Instant>>;
  EXPECT_EQ(
      import_trace(file("h.csv",
                        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                        "1,u,v,8,32,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:10,2020-04-01 01:00:10,3600,10\n"))
          .waits,
      (Waits{{2, Seconds{10}}}));
  const ImportedTrace philly = import_trace(file("p.json", R"([{"jobid":"j","submitted_time":"2017-10-09 07:00:00",
    "attempts":[{"start_time":"2017-10-09 07:03:00","end_time":"2017-10-09 07:03:30","detail":[{"ip":"m1","gpus":["gpu0"]}]},
                {"start_time":"2017-10-09 07:01:00","end_time":"2017-10-09 07:02:00","detail":[{"ip":"m1","gpus":["gpu0"]}]}]}])"));
  EXPECT_EQ(philly.waits, (Waits{{1, Seconds{60}}}));
  EXPECT_TRUE(philly.names_machines);
  EXPECT_EQ(
      import_trace(file("o.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
                                 "deletion_time,scheduled_time\n"
                                 "a,1000,1000,1,1000,,LS,Succeeded,0,100,10\nb,1000,1000,1,1000,,LS,Failed,5,9,\n"))
          .waits,
      (Waits{{2, Seconds{10}}}));
}

TEST_F(Traces, AuditAgainstTheClusterFindsWhatCannotRunAndWhenItIsFull)
{
  ImportedTrace trace = import_trace(file("d.csv", "submit_s,duration_s,gpus\n0,100,4\n10,100,4\n20,10,16\n150,1,4\n"));
  audit_against(trace.workload, 6, std::vector<std::string>{"gpu"}, trace.audit);
  EXPECT_EQ(found(trace.audit, "requests more than the cluster"), 1);
  EXPECT_EQ(found(trace.audit, "submission while jobs request more"), 1); // the second: 8 of 6

  ImportedTrace typed =
      import_trace(file("e.csv", "submit_s,duration_s,gpus,gpu_type\n0,100,4,H100\n10,100,4,A100-SXM4-80GB\n"));
  audit_against(typed.workload, 64, std::vector<std::string>{"H100-SXM5", "A100-SXM4-80GB"}, typed.audit);
  EXPECT_EQ(found(typed.audit, "type 'H100', which no machine has; did you mean 'H100-SXM5'?"), 1);
  EXPECT_EQ(typed.audit.findings().size(), 1U);
}

TEST_F(Traces, DamagedFilesNeverCrash)
{
  const std::string good = "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 "
                           "07:01:55,66.0,1,66.0,x\n2017-10-09 07:01:58,\"7\",2,66.0,y\n";
  std::mt19937 random{5};
  for (int i = 0; i < 400; ++i) {
    std::string text = good;
    for (int k = 0; k < 1 + i % 8; ++k)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    text.resize(1 + random() % text.size());
    try {
      import_trace(file("f.csv", text), {.format = i % 2 == 0 ? "philly" : "auto"});
    } catch (const InputError&) {
    }
  }
}

TEST_F(Traces, SubmissionsInMillisecondsAreToldAsSuch)
{
  const ImportedTrace trace = import_trace(file("ms.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                                          "1506638521000,600,8,4800,a\n-5,60,1,60,a\n0,60,1,60,a\n"));
  EXPECT_EQ(trace.workload.size(), 2); // what came before the first instant of the trace counts
  ASSERT_EQ(trace.audit.findings().size(), 1U);
  EXPECT_EQ(trace.audit.findings().front().what, "timestamp in milliseconds since 1970");
}

TEST_F(Traces, AHeadThatOnlyHoldsTheMarksIsNoPublishedTable)
{
  const auto format_of = [this](const std::string& head) {
    return import_trace(file("own.csv", head + "\n0,60,1,u,0\n")).format;
  };
  EXPECT_ANY_THROW(format_of("start_timestamp,duration,num_gpus,user,x")); // and not a Philly table without timestamp
  EXPECT_ANY_THROW(format_of("user,job_id,num_gpu,submit_time,duration"));
}

TEST(TraceSamples, TiresiasHasSixtyJobs)
{
  const ImportedTrace trace = import_trace(data("samples/traces/tiresias_60_job.csv"));
  EXPECT_EQ(trace.format, "tiresias");
  std::map<int, int> sizes;
  for (const TraceJob& job : trace.workload.jobs)
    ++sizes[job.gpus];
  EXPECT_EQ(sizes, (std::map<int, int>{{1, 30}, {2, 10}, {4, 10}, {8, 10}}));
  EXPECT_EQ(import_trace(data("samples/traces/tiresias_n32g4.csv")).machines.size(), 32U);
  EXPECT_EQ(import_trace(data("samples/traces/tiresias_cluster_spec.csv")).machines.size(), 16U);
}

TEST(TraceSamples, OpenbPodsAndNodes)
{
  const ImportedTrace trace = import_trace(data("samples/traces/openb_pod_list_default.head100.csv"));
  ASSERT_EQ(trace.workload.size(), 99);
  int with_gpu = 0, fractional = 0;
  for (const TraceJob& job : trace.workload.jobs) {
    with_gpu += job.gpus > 0 ? 1 : 0;
    fractional += job.gpus == 1 && job.gpu_milli < 1000 ? 1 : 0;
  }
  EXPECT_EQ(with_gpu, 93);
  EXPECT_EQ(fractional, 34);
  std::int64_t never = 0;
  for (const TraceFinding& finding : trace.audit.findings())
    if (finding.what == "pod that was never scheduled")
      never = finding.count;
  EXPECT_EQ(never, 5);
  const ImportedTrace nodes = import_trace(data("samples/traces/openb_node_list_gpu_node.head40.csv"));
  ASSERT_EQ(nodes.machines.size(), 39U);
  int gpus = 0;
  for (const NodeShape& node : nodes.machines)
    gpus += node.gpus;
  EXPECT_EQ(gpus, 166);
  EXPECT_EQ(nodes.gpu_types.size(), 6U);
}

TEST(TraceSamples, SwfAuditNamesItsJobs)
{
  const ImportedTrace trace = import_trace(data("samples/swf/format-sample.swf"));
  EXPECT_EQ(trace.format, "swf");
  EXPECT_EQ(trace.workload.size(), 12);
  const auto rows_of = [&](const std::string& what) {
    std::vector<std::string> names;
    for (const TraceFinding& finding : trace.audit.findings())
      if (finding.what.find(what) != std::string::npos)
        for (const std::int64_t row : finding.rows)
          for (int i = 0; i < trace.workload.size(); ++i)
            if (trace.workload.jobs[static_cast<std::size_t>(i)].row == row)
              names.push_back(trace.workload.name(JobId{i}));
    return names;
  };
  EXPECT_THAT(rows_of("requests more than the machine"), ::testing::ElementsAre("6"));
  EXPECT_THAT(rows_of("out of order"), ::testing::ElementsAre("11"));
  EXPECT_THAT(rows_of("above the requested time"), ::testing::ElementsAre("8"));
  EXPECT_THAT(rows_of("missing fields"), ::testing::IsSupersetOf({"4", "10"}));
  EXPECT_EQ(trace.workload.dependencies.size(), 1U); // job 9 after job 2
  // By hand: jobs 8, 9, 10 hold 1 + 4 + 8 from 720 s, job 11 holds 4 from 730 s, job 10 ends at 750 s; job 12 holds 16
  // beside job 8 until 1,620 s.
  EXPECT_THAT(rows_of("processors busy"), ::testing::ElementsAre("11", "12"));
  EXPECT_THAT(trace.audit.text(), ::testing::HasSubstr("17 at 730-750 s, 17 at 1030-1620 s"));
}

TEST(TraceSamples, GavelColumnsTellTheVersion)
{
  TraceOptions options;
  options.throughputs = std::make_shared<const ThroughputTable>(
      read_throughputs(InputFile{data("samples/traces/gavel_throughputs.json")}));
  const ImportedTrace ten = import_trace(data("samples/traces/gavel_10_columns.trace"), options);
  ASSERT_EQ(ten.workload.size(), 4);
  EXPECT_EQ(ten.workload.jobs[2].weight, 5);
  EXPECT_NEAR(ten.workload.jobs[2].deadline.value(), 300 + 1.2 * ten.workload.jobs[2].duration.value(), 1e-6);
  EXPECT_EQ(import_trace(data("samples/traces/gavel_7_columns.trace"), options).workload.size(), 2);
}

// Counts of tests/data/traces/README.md.
TEST(TraceSamples, WholePhillyTrace)
{
  const ImportedTrace trace = import_trace(data("traces/philly.csv.gz"));
  EXPECT_EQ(trace.workload.size(), 82'247);
  EXPECT_EQ(trace.audit.rows_read, 82'247);
  EXPECT_EQ(trace.workload.teams.size(), 16); // 15 virtual clusters and the empty name
  std::map<int, int> sizes;
  for (const TraceJob& job : trace.workload.jobs)
    ++sizes[job.gpus > 8 ? 9 : job.gpus];
  EXPECT_EQ(sizes, (std::map<int, int>{{1, 76'627}, {2, 1'818}, {4, 1'870}, {8, 1'643}, {9, 289}}));
}

TEST(TraceSamples, WholeOpenbList)
{
  const ImportedTrace trace = import_trace(data("traces/openb_pod_list_default.csv.gz"));
  ASSERT_EQ(trace.workload.size(), 8152);
  int without_gpu = 0, sharing = 0;
  for (const TraceJob& job : trace.workload.jobs) {
    without_gpu += job.gpus == 0 ? 1 : 0;
    sharing += job.gpus == 1 && job.gpu_milli < 1000 ? 1 : 0;
  }
  EXPECT_EQ(without_gpu, 1088);
  EXPECT_EQ(sharing, 3078);
  const ImportedTrace nodes = import_trace(data("traces/openb_node_list_gpu_node.csv.gz"));
  ASSERT_EQ(nodes.machines.size(), 1213U);
  std::map<std::string, int> gpus;
  std::int64_t cpu_milli = 0;
  for (const NodeShape& node : nodes.machines) {
    gpus[nodes.gpu_types.at(static_cast<std::size_t>(node.gpu_type))] += node.gpus;
    cpu_milli += node.cpu_milli;
  }
  EXPECT_EQ(
      gpus,
      (std::map<std::string, int>{
          {"G2", 4392}, {"T4", 842}, {"G3", 312}, {"P100", 265}, {"V100M32", 204}, {"V100M16", 195}, {"A10", 2}}));
  EXPECT_EQ(cpu_milli, 107'018'000);
}

} // namespace
} // namespace trainyard
