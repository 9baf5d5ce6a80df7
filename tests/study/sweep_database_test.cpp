// SPDX-License-Identifier: Apache-2.0
/// One SQLite file per sweep: order, resuming, merging, refusing what is not its own.
#include "models/core/diagnostics.hpp"
#include "models/core/interrupt.hpp"
#include "sim/study/crew.hpp"
#include "sim/study/sweep.hpp"
#include "sim/study/sweep_database.hpp"
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/file.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Action>
std::string said(Action action)
{
  try {
    action();
    return "no fault";
  } catch (const std::exception& error) {
    return error.what();
  }
}

struct Databases : tests::CommandLine {
  SweepIdentity identity{"s", "{a: 1}", "fingerprint", 5, {"a", "b"}, ""};
  fs::path file(const std::string& name) const { return folder / name; }

  static SweepRow row(std::uint64_t id)
  {
    if (id == 3)
      return {id, {{"a", std::to_string(id)}, {"b", "x"}}, "no place for the job", ""};
    return {
        id, {{"a", std::to_string(id)}, {"b", "25 Gbit/s"}}, "", R"({"job":{"step_s":0.)" + std::to_string(id) + "}}"};
  }

  void fill(const std::string& name, const std::vector<std::uint64_t>& order) const
  {
    SweepDatabase database{file(name), identity};
    for (const std::uint64_t id : order)
      database.add(row(id));
    database.finish();
  }
};

TEST_F(Databases, TheOrderOfArrivalLeavesNoTrace)
{
  fill("a", {0, 1, 2, 3, 4});
  fill("b", {4, 2, 3, 0, 1});
  EXPECT_EQ(tests::read_bytes(file("a")), tests::read_bytes(file("b")));
  EXPECT_FALSE(fs::exists(file("a-wal")));
  EXPECT_FALSE(fs::exists(file("a.ordering")));
}

TEST_F(Databases, StockToolsReadTheRows)
{
  fill("a", {0, 1, 2, 3, 4});
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file("a").c_str(), &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(
                database, "SELECT count(*), sum(a), max(step_s), sum(status = 'failed'), max(message) FROM results", -1,
                &statement, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(statement, 0), 5);
  EXPECT_EQ(sqlite3_column_int(statement, 1), 10) << "numbers are numbers";
  EXPECT_EQ(sqlite3_column_double(statement, 2), 0.4);
  EXPECT_EQ(sqlite3_column_int(statement, 3), 1);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(statement, 4)), "no place for the job");
  sqlite3_finalize(statement);
  sqlite3_close(database);
}

// Whatever the names of jobs, every figure has a column. What SQL, SQLite's paths or JSON write in another way stands
// in the name of the column as it is.
TEST_F(Databases, TheViewHasEveryFigureWhateverTheNames)
{
  const std::vector<std::string> names = {"anna's job",
                                          "say \"hi\"",
                                          "a.b[0]",
                                          "$.x",
                                          "\u043A\u043B\u044E\u0447",
                                          "100 %;--",
                                          "tab\tline\n",
                                          "back\\slash",
                                          "\x1b[31m",
                                          "",
                                          std::string(300, 'x'),
                                          "a",
                                          "A"};
  nlohmann::ordered_json measures;
  for (std::size_t i = 0; i < names.size(); ++i)
    measures[names[i]] = {{"step_s", i}, {"it's \"so\"", 100 + i}};
  SweepIdentity odd{"s", "{a: 1}", "fingerprint", 1, {"types.A.gpus", "types.a.gpus", "it's \"an axis\""}, ""};
  {
    SweepDatabase database{file("odd"), odd};
    database.add({0, {{"types.A.gpus", "8"}, {"types.a.gpus", "4"}, {"it's \"an axis\"", "x"}}, "", measures.dump()});
    database.finish();
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file("odd").c_str(), &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(database, "SELECT * FROM results", -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  std::map<std::string, std::string> columns;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const unsigned char* text = sqlite3_column_text(statement, i);
    columns[sqlite3_column_name(statement, i)] = text == nullptr ? "none" : reinterpret_cast<const char*>(text);
  }
  EXPECT_EQ(columns.size(), 6 + 2 * names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string second = names[i] == "A" ? " (2)" : ""; // to SQLite it is the name of a
    EXPECT_EQ(columns[names[i] + ".step_s" + second], std::to_string(i)) << names[i];
    EXPECT_EQ(columns[names[i] + ".it's \"so\"" + second], std::to_string(100 + i)) << names[i];
  }
  EXPECT_EQ(columns["types.A.gpus"], "8");
  EXPECT_EQ(columns["types.a.gpus (2)"], "4");
  EXPECT_EQ(columns["it's \"an axis\""], "x");
  sqlite3_finalize(statement);
  sqlite3_close(database);
}

TEST_F(Databases, GoesOnWhereItWas)
{
  {
    SweepDatabase first{file("a"), identity};
    first.add(row(4));
    first.add(row(3));
  }
  SweepDatabase second{file("a"), identity};
  EXPECT_EQ(second.done(), 2U);
  EXPECT_EQ(second.failed(), 1U);
  EXPECT_TRUE(second.has(4));
  EXPECT_FALSE(second.has(0));
  second.forget_failures();
  EXPECT_EQ(second.done(), 1U);
  EXPECT_FALSE(second.has(3));
}

TEST_F(Databases, RefusesFilesThatAreNotItsOwnAndLeavesThem)
{
  fill("a", {0, 1, 2, 3, 4});
  const std::string before = tests::read_bytes(file("a"));
  SweepIdentity other = identity;
  other.fingerprint = "another";
  EXPECT_THAT(said([&] { SweepDatabase{file("a"), other}; }), HasSubstr("contains another sweep: s with 5 points"));
  EXPECT_EQ(tests::read_bytes(file("a")), before);

  write("text", "this is not a database, but somebody's notes\n");
  EXPECT_THAT(said([&] { SweepDatabase{file("text"), identity}; }), HasSubstr("is damaged or not an SQLite file"));
  EXPECT_EQ(tests::read_bytes(file("text")), "this is not a database, but somebody's notes\n");

  std::string damaged = before;
  for (std::size_t i = 4096; i < damaged.size(); i += 97)
    damaged[i] = '?';
  write("damaged", damaged);
  EXPECT_THAT(said([&] { SweepDatabase{file("damaged"), identity}; }), HasSubstr("recover its rows with: sqlite3"));
  EXPECT_EQ(tests::read_bytes(file("damaged")), damaged);

  write("cut", before.substr(0, before.size() / 2));
  EXPECT_THAT(said([&] { SweepDatabase{file("cut"), identity}; }), HasSubstr("is damaged"));

  sqlite3* foreign = nullptr;
  sqlite3_open(file("foreign").c_str(), &foreign);
  sqlite3_exec(foreign, "CREATE TABLE accounts(name)", nullptr, nullptr, nullptr);
  sqlite3_close(foreign);
  EXPECT_THAT(said([&] {
                SweepDatabase{file("foreign"), identity};
              }),
              HasSubstr("is an SQLite file, but contains no sweep"));
  EXPECT_THAT(said([&] { SweepDatabase{folder, identity}; }), HasSubstr("is a folder"));

  SweepDatabase replaced{file("a"), other, true};
  EXPECT_EQ(replaced.done(), 0U);
}

TEST_F(Databases, ALockedFileIsReportedAndNothingLost)
{
  fill("a", {0, 1, 2, 3, 4});
  const int other = ::open(file("a").c_str(), O_RDWR);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(said([&] { SweepDatabase{file("a"), identity}; }), HasSubstr("another simrun is writing"));
  ::close(other);
  sqlite3* tool = nullptr;
  sqlite3_open(file("a").c_str(), &tool);
  ASSERT_EQ(sqlite3_exec(tool, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(said([&] { SweepDatabase{file("a"), identity}; }), HasSubstr("is locked by another program"));
  sqlite3_close(tool);
  EXPECT_EQ(SweepDatabase(file("a"), identity).done(), 5U);
}

TEST_F(Databases, ShardsMergeIntoTheSameBytes)
{
  fill("whole", {0, 1, 2, 3, 4});
  for (const int shard : {0, 1}) {
    SweepIdentity part = identity;
    part.shard = std::to_string(shard) + "/2";
    SweepDatabase database{file("part-" + std::to_string(shard)), part};
    for (std::uint64_t id = static_cast<std::uint64_t>(shard); id < 5; id += 2)
      database.add(row(id));
  }
  const MergeOutcome half = merge_sweeps({file("part-0")}, file("half"));
  EXPECT_EQ(half.rows, 3U);
  EXPECT_THAT(half.missing, ElementsAre(1, 3));
  const MergeOutcome merged = merge_sweeps({file("part-1"), file("part-0")}, file("merged"));
  EXPECT_EQ(merged.rows, 5U);
  EXPECT_EQ(merged.failed, 1U);
  EXPECT_EQ(tests::read_bytes(file("merged")), tests::read_bytes(file("whole")));
  identity.fingerprint = "another";
  fill("other", {0, 1, 2, 3, 4});
  EXPECT_THAT(said([&] {
                merge_sweeps({file("whole"), file("other")}, file("new"));
              }),
              HasSubstr("belong to different sweeps"));
  EXPECT_FALSE(fs::exists(file("new")));
  EXPECT_THAT(said([&] { merge_sweeps({file("whole")}, file("whole")); }), HasSubstr("is one of the files to merge"));
}

TEST(Shards, AreReadFromTheCommandLineAndTheEnvironment)
{
  EXPECT_EQ(parse_shard("3/16").index, 3U);
  EXPECT_EQ(parse_shard("3/16").text(), "3/16");
  EXPECT_EQ(shard_file("results/s.sqlite", {3, 16}), fs::path{"results/s.shard-3-of-16.sqlite"});
  EXPECT_EQ(shard_file("results/s.sqlite", {0, 1}), fs::path{"results/s.sqlite"});
  EXPECT_THAT(said([] { parse_shard("16/16"); }), HasSubstr("shards are numbered 0 to 15"));
  EXPECT_THAT(said([] { parse_shard("3"); }), HasSubstr("--shard needs K/N"));
  EXPECT_THAT(said([] { parse_shard("-1/4"); }), HasSubstr("shards are numbered 0 to 3"));
  EXPECT_THAT(said([] { parse_shard("1/0"); }), HasSubstr("--shard needs K/N"));
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  ::unsetenv("PARALLEL_SEQ");
  ::setenv("JOB_COMPLETION_INDEX", "5", 1);
  EXPECT_EQ(parse_shard("auto/16").index, 5U);
  ::unsetenv("JOB_COMPLETION_INDEX");
  for (const char* name : {"PBS_ARRAY_INDEX", "FLUX_JOB_CC"}) {
    ::setenv(name, "7", 1);
    EXPECT_EQ(parse_shard("auto/16").index, 7U) << name;
    ::unsetenv(name);
  }
  EXPECT_THAT(said([] { parse_shard("auto/16"); }), HasSubstr("none of SLURM_ARRAY_TASK_ID"));
}

TEST(Pool, EveryPointIsAnsweredOnce)
{
  for (const int workers : {1, 2, 5}) {
    std::vector<int> answered(40, 0);
    std::uint64_t next = 0;
    CrewTask task;
    task.next = [&]() -> std::optional<std::uint64_t> { return next < 40 ? std::optional{next++} : std::nullopt; };
    task.done = [&](std::uint64_t point, const std::string& answer) {
      EXPECT_EQ(answer, std::to_string(point * point));
      ++answered[point];
    };
    task.lost = [](std::uint64_t, const std::string&) { return std::string{"lost"}; };
    run_pool(
        workers, [](std::uint64_t point) { return std::to_string(point * point); }, task);
    EXPECT_EQ(answered, std::vector<int>(40, 1));
  }
}

TEST(Pool, APointThatKillsItsProcessIsGivenUpAfterThreeTries)
{
  std::vector<std::string> answers(10);
  std::uint64_t next = 0;
  CrewTask task;
  task.next = [&]() -> std::optional<std::uint64_t> { return next < 10 ? std::optional{next++} : std::nullopt; };
  task.done = [&](std::uint64_t point, const std::string& answer) { answers[point] = answer; };
  task.lost = [](std::uint64_t, const std::string& how) { return "lost: " + how; };
  run_pool(
      2,
      [](std::uint64_t point) {
        if (point == 6)
          ::kill(::getpid(), SIGKILL);
        return std::string{"fine"};
      },
      task);
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (i == 6)
      EXPECT_THAT(answers[i], HasSubstr("lost: killed by signal 9"));
    else
      EXPECT_EQ(answers[i], "fine");
}

TEST(Pool, StoppingKeepsWhatIsUnderWay)
{
  std::uint64_t next = 0;
  int done = 0;
  CrewTask task;
  task.next = [&]() -> std::optional<std::uint64_t> { return next++; };
  task.done = [&](std::uint64_t, const std::string&) { ++done; };
  task.tick = [&] {
    if (done >= 5)
      throw std::runtime_error{"stop"};
  };
  const auto work = [](std::uint64_t) {
    ::usleep(20'000);
    return std::string{"fine"};
  };
  EXPECT_EQ(said([&] { run_pool(2, work, task); }), "stop");
  EXPECT_EQ(static_cast<std::uint64_t>(done), next) << "every point that was handed out was answered";
}

TEST(Pool, OnlyTheLeaderIsAskedToStop)
{
  // Workers that begin after a Ctrl-C must not tell of it, too: the leader does, once.
  std::vector<std::string> answers;
  CrewTask task;
  task.next = [&]() -> std::optional<std::uint64_t> { return answers.empty() ? std::optional{0U} : std::nullopt; };
  task.done = [&](std::uint64_t, const std::string& answer) { answers.push_back(answer); };
  task.lost = [](std::uint64_t, const std::string& how) { return how; };
  interrupt::asked = true;
  run_pool(
      1, [](std::uint64_t) { return std::string{interrupt::asked ? "asked" : "not asked"}; }, task);
  interrupt::asked = false;
  EXPECT_THAT(answers, ::testing::ElementsAre("not asked"));
}

} // namespace
} // namespace trainyard
