// SPDX-License-Identifier: Apache-2.0
/// simrun replay, and logs that it cannot use.
#include "tests/support/command_line.hpp"

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
