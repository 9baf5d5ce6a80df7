// SPDX-License-Identifier: Apache-2.0
/// Files that somebody else made end no command of simrun, let none go on for ever, and leave nothing half written.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::Outcome;

struct ForeignFiles : tests::CommandLine {
  /// A sweep over "workers" that says to have so many points; then whatever @p more does to it.
  void sweep(const std::string& name, const std::string& points, const std::string& more) const
  {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder / name).c_str(), &database), SQLITE_OK);
    const std::string sql =
        "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE points(id INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT, \"workers\" NUMERIC, measures "
        "TEXT);"
        "INSERT INTO sweep VALUES('kind', 'trainyard sweep'), ('layout', '1'), ('name', 'x'), ('scenario', 'a: 1'), "
        "('fingerprint', 'f'), ('columns', '[\"workers\"]'), ('shard', ''), ('points', '" +
        points + "');" + more;
    char* fault = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &fault), SQLITE_OK) << fault;
    sqlite3_close(database);
  }

  /// Seconds until the command ends, after SIGTERM 0.3 s from its start; its exit code goes to @p code.
  double end_after_signal(const std::string& command, int& code) const
  {
    const auto start = std::chrono::steady_clock::now();
    code = shell(command + " & sleep 0.3; kill -TERM $!; wait $!").code;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() - 0.3;
  }
};

// Each would ask for memory by the number of points that the file claims, or write outside of it.
TEST_F(ForeignFiles, MergeTakesNoMoreThanTheRowsNeed)
{
  const std::string row = "INSERT INTO points VALUES(1000000000, 'done', NULL, 1, '{\"t\":{\"throughput\":1}}');";
  for (const char* points : {"18446744073709551615", "-1", "many", "", "1e3"}) {
    sweep("s.sqlite", points, row);
    const Outcome merged = shell("simrun merge s.sqlite -o m.sqlite");
    EXPECT_EQ(merged.code, 2) << points << merged.err;
    EXPECT_THAT(merged.err, HasSubstr("'s.sqlite' is damaged: it does not say how many points")) << points;
    fs::remove(folder / "s.sqlite");
  }
  sweep("few.sqlite", "3", row);
  EXPECT_THAT(shell("simrun merge few.sqlite -o m.sqlite").err,
              HasSubstr("it has a point 1000000000, and the sweep has 3 points"));
  EXPECT_FALSE(fs::exists(folder / "m.sqlite"));
  sweep("many.sqlite", "68719476736", row); // 8 GiB of bits
  const Outcome merged = shell("simrun merge many.sqlite -o m.sqlite");
  EXPECT_EQ(merged.code, 4) << merged.err;
  EXPECT_THAT(merged.out, AllOf(HasSubstr("1 of 68719476736 points"), HasSubstr("missing: 0, 1, 2")));
}

// What looks like the table of points may compute for ever.
TEST_F(ForeignFiles, OnlyTheTablesOfASweepAreRead)
{
  const std::string rows = "SELECT x AS id, 'done' AS status, NULL AS message, 1 AS workers, '{}' AS measures FROM c";
  sweep("view.sqlite", "3",
        "DROP TABLE points; CREATE VIEW points AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) " +
            rows);
  sweep(
      "computed.sqlite", "3",
      "DROP TABLE points; CREATE TABLE points(id INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT, \"workers\" "
      "NUMERIC, measures TEXT AS (hex(zeroblob(400000000))))");
  for (const char* name : {"view.sqlite", "computed.sqlite"})
    for (const std::string& command :
         {std::string{"report "} + name + " -o r.html", std::string{"merge "} + name + " -o m"}) {
      const Outcome run = shell("simrun " + command);
      EXPECT_EQ(run.code, 2) << command;
      EXPECT_THAT(run.err, HasSubstr("'points' is not the table of a sweep")) << command;
    }
  sweep("facts.sqlite", "3", "ALTER TABLE sweep RENAME TO s; CREATE VIEW sweep AS SELECT * FROM s");
  EXPECT_THAT(shell("simrun report facts.sqlite -o r.html").err, HasSubstr("contains no sweep"));
  EXPECT_FALSE(fs::exists(folder / "r.html"));
  EXPECT_FALSE(fs::exists(folder / "r.html.part"));
}

// A log of 300 MB, which takes many seconds to read.
TEST_F(ForeignFiles, EveryCommandEndsSoonAfterASignal)
{
  ASSERT_EQ(shell("yes '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18' | head -c 300M > long.swf").code, 0);
  int code = 0;
  EXPECT_LT(end_after_signal("$SIMRUN import long.swf --format trace -o o.yaml", code), 2);
  EXPECT_EQ(code, 130);
  EXPECT_FALSE(fs::exists(folder / "o.yaml"));
  // standard input that says nothing
  ASSERT_EQ(shell("mkfifo silence").code, 0);
  EXPECT_LT(end_after_signal("sleep 5 >silence & $SIMRUN check - <silence", code), 2);
  EXPECT_EQ(code, 130);
}

} // namespace
} // namespace trainyard
