// SPDX-License-Identifier: Apache-2.0
#include "sim/study/answer.hpp"

#include "models/core/diagnostics.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Outcomes = std::vector<std::pair<std::string, PointOutcome>>;

/// A service's end at each of three points; at the last it never ends.
Outcomes three_points()
{
  const auto train = [](double end) { return Measured{.item = "train", .numbers = {{"finished_s", end}}, .note = {}}; };
  Outcomes outcomes{{"variant=bare", {{}, {train(3600)}}}, {"variant=vm", {{}, {train(7200)}}}, {"variant=lost", {}}};
  Measured lost = train(60);
  lost.judge("train was given up", {});
  outcomes.back().second.items.push_back(lost);
  return outcomes;
}

TEST(Answer, FiguresTakeTheirPlaces)
{
  const Outcomes outcomes = three_points();
  EXPECT_EQ(answer_of("a machine alone takes {finished(train) at bare}", outcomes, {}),
            "a machine alone takes 60.0 min");
  EXPECT_EQ(answer_of("{finished(train) at vm / finished(train) at bare} times", outcomes, {}), "2.00 times");
  EXPECT_EQ(answer_of("{finished(train) at vm - finished(train) at bare} more", outcomes, {}), "60.0 min more");
}

// The point in which it was given up has the smallest figure, and is no answer.
TEST(Answer, NothingIsBestInWhichWorkWasNotDone)
{
  EXPECT_EQ(answer_of("first: {lowest finished(train)}.", three_points(), {}),
            "first: bare (60.0 min); not compared: lost, where train was given up");
  EXPECT_EQ(answer_of("{finished(train)}", three_points(), {}),
            "60.0 min (bare), 120 min (vm), 60.0 s (lost); but train was given up (lost)");
}

// A mean over jobs says over how many: of five jobs one never ran, and so its wait is in no mean.
TEST(Answer, AMeanSaysOfHowManyJobs)
{
  Measured queue{
      .item = "fifo", .numbers = {{"waiting_s_mean", 60}, {"jobs", 5}, {"finished", 4}, {"never_ran", 1}}, .note = {}};
  EXPECT_EQ(answer_of("jobs wait {waiting}", Outcomes{{"", {{}, {queue}}}}, {}), "jobs wait 60.0 s; mean of 4 jobs");
}

TEST(Answer, APlaceThatIsNoneIsAnError)
{
  const auto faults = [](const std::string& answer) {
    Diagnostics diagnostics;
    answer_form(parse_document("answer: \"" + answer + "\"\n", "file", diagnostics), diagnostics);
    return diagnostics.has_errors();
  };
  EXPECT_FALSE(faults("takes {lowest finished(train)}"));
  EXPECT_TRUE(faults("takes {finished(train)"));
  EXPECT_TRUE(faults("takes {}"));
  EXPECT_TRUE(faults("takes {lowest a / b}"));
  EXPECT_THROW(answer_of("{finish_tme}", three_points(), {}), InputError);
  EXPECT_THROW(answer_of("{finished(train) at bridge}", three_points(), {}), InputError);
}

TEST(Answer, WordsOfMessagesAreFoundInsideOthers)
{
  const Message holds{"services.holds", "tf holds GPU 0.", {}, MessageKind::part};
  const Message run{"services.of_run", "all", {{"what", Messages{holds, holds}}}, MessageKind::answer};
  EXPECT_EQ(answer_of("{services.holds}", {}, {run}), "tf holds GPU 0");
}

} // namespace
} // namespace trainyard
