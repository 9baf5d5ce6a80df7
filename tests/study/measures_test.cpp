// SPDX-License-Identifier: Apache-2.0
#include "sim/study/measures.hpp"

#include "models/core/diagnostics.hpp"
#include "sim/study/point_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

template <class Action>
std::string fault(Action action)
{
  try {
    action();
    return "no fault";
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
}

const PointOutcome outcome{{},
                           {{"cluster", {{"nodes", 4}, {"price_usd_per_hour", 40}}, {}},
                            {"vgg", {{"samples_per_second", 5000}, {"step_s", 0.2}}, {}},
                            {"bert", {{"samples_per_second", 100}, {"step_s", 0.7}}, {}},
                            {"queue", {{"queueing_delay_s_p95", 1800}, {"utilisation", 0.8}, {"never_ran", 0}}, {}}}};

TEST(Measures, OfASummaryOfTrainingRunsOnlyJobsAreItems)
{
  const auto summary = nlohmann::ordered_json::parse(R"json({
    "jobs": [{"point": "", "job": "NIC of w-0 (out)", "step_s_mean": 2,
              "critical_path": [{"name": "forward", "lane": 1}],
              "busiest": [{"name": "NIC of w-0 (out)", "utilisation": 0.5}]},
             {"point": "", "job": "run", "step_s_mean": 3}],
    "top_links": [{"point": "", "link": "wire", "utilisation": 0.25}],
    "seeds": [{"job": "run", "first": 1}]})json");
  const std::vector<Measured> items = measured_of_summary(summary);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].item, "NIC of w-0 (out)");
  EXPECT_EQ(items[0].numbers.at("step_s"), 2);
  EXPECT_FALSE(items[0].numbers.contains("utilisation"));
  EXPECT_EQ(items[1].item, "run");
  EXPECT_EQ(items[1].numbers.at("step_s"), 3);
}

TEST(Measures, TheWorstJobCountsWhereNoneIsNamed)
{
  EXPECT_EQ(value_of(parse_measure("throughput(vgg)"), outcome), 5000);
  EXPECT_EQ(value_of(parse_measure("throughput"), outcome), 100);
  EXPECT_EQ(value_of(parse_measure("step_time"), outcome), 0.7);
  EXPECT_EQ(value_of(parse_measure("p95(queueing_delay)"), outcome), 1800);
  EXPECT_EQ(value_of(parse_measure("p95(queue)"), outcome), 1800) << "the short name of the user stories";
  EXPECT_EQ(value_of(parse_measure("util"), outcome), 0.8);
  EXPECT_EQ(value_of(parse_measure("cost"), outcome), 40);
}

TEST(Measures, SaysWhyOneCannotBeHad)
{
  EXPECT_EQ(why_not_measured(parse_measure("cost"), outcome), "");
  EXPECT_THAT(why_not_measured(parse_measure("throughput(vg)"), outcome), HasSubstr("did you mean 'vgg'?"));
  EXPECT_THAT(why_not_measured(parse_measure("jct"), {{}, {outcome.items[0], outcome.items[1]}}),
              HasSubstr("has no queue; add workload"));
  EXPECT_THAT(why_not_measured(parse_measure("throughput"), {{}, {outcome.items[3]}}), HasSubstr("simulates a queue"));
  EXPECT_THAT(why_not_measured(parse_measure("cost"), {{}, {{"cluster", {{"nodes", 4}}, {}}}}),
              HasSubstr("price: 3 $/h"));
}

TEST(Measures, WaitingCountsWhatAQueueingDelayLeavesOut)
{
  // A job that starts at once and is stopped for 25 minutes has no queueing delay and has waited 25 minutes.
  PointOutcome stopped{
      {},
      {{"las",
        {{"queueing_delay_s_p95", 0}, {"waiting_s_p95", 1500}, {"waiting_s_mean", 600}, {"slowdown_p95", 3}},
        {}}}};
  EXPECT_EQ(value_of(parse_measure("p95(waiting)"), stopped), 1500);
  EXPECT_EQ(value_of(parse_measure("waiting(las)"), stopped), 600);
  EXPECT_EQ(parse_goal("p95(waiting) < 1 h").limit, 3600);
  EXPECT_EQ(value_of(parse_measure("p95(bounded_slowdown)"), stopped), 3);
  EXPECT_EQ(waiting_note(parse_measure("p95(queueing_delay)"), stopped),
            "queueing_delay ends with the first start; with the waits of jobs that were stopped again, p95(waiting) is "
            "25.0 min");
  EXPECT_EQ(waiting_note(parse_measure("p95(waiting)"), stopped), "");
  stopped.items.front().numbers["queueing_delay_s_p95"] = 1500; // nobody was stopped
  EXPECT_EQ(waiting_note(parse_measure("p95(queueing_delay)"), stopped), "");
}

TEST(Measures, FaultsNameTheWayOut)
{
  EXPECT_THAT(fault([] { parse_measure("troughput"); }), HasSubstr("did you mean 'throughput'?"));
  EXPECT_THAT(fault([] { parse_measure("p96(jct)"); }), HasSubstr("there is no statistic 'p96'"));
  EXPECT_THAT(fault([] { parse_measure("p95(throughput)"); }), HasSubstr("has one value per run and no p95"));
  EXPECT_THAT(fault([] { parse_measure("p95(jct"); }), HasSubstr("the parenthesis is not closed"));
  EXPECT_THAT(fault([] { parse_goal("utilisation"); }), HasSubstr("a comparison is missing"));
  EXPECT_THAT(fault([] { parse_goal("p95(jct) < 3600"); }), HasSubstr("goal 'p95(jct) < 3600'"));
  EXPECT_THAT(fault([] { parse_goal("jct <"); }), HasSubstr("the limit is missing"));
}

TEST(Goals, ReadUnitsAndCompare)
{
  const Goal delay = parse_goal("p95(queueing_delay) < 1 h");
  EXPECT_EQ(delay.limit, 3600);
  EXPECT_TRUE(delay.met(3599));
  EXPECT_FALSE(delay.met(3600));
  EXPECT_DOUBLE_EQ(delay.margin(1800), 0.5);
  EXPECT_DOUBLE_EQ(delay.margin(5400), -0.5);
  const Goal rate = parse_goal("throughput(vgg) >= 5000/s");
  EXPECT_EQ(rate.limit, 5000);
  EXPECT_TRUE(rate.met(5000));
  EXPECT_FALSE(rate.met(4999));
  EXPECT_EQ(parse_goal("utilisation > 75 %").limit, 0.75);
  EXPECT_EQ(parse_goal("util>0.75").limit, 0.75);
  EXPECT_EQ(parse_goal("cost <= 30 $/h").limit, 30);
}

TEST(Goals, ContradictionsAreFound)
{
  EXPECT_THAT(fault([] {
                check_goals({parse_goal("util > 0.8"), parse_goal("util < 0.7")});
              }),
              HasSubstr("the goals 'util < 0.7' and 'util > 0.8' cannot both be met"));
  EXPECT_NO_THROW(check_goals({parse_goal("util > 0.7"), parse_goal("util < 0.8")}));
  EXPECT_NO_THROW(check_goals({parse_goal("util >= 0.7"), parse_goal("util <= 0.7")}));
  EXPECT_NO_THROW(check_goals({parse_goal("throughput(a) > 8/s"), parse_goal("throughput(b) < 7/s")}));
}

TEST(Outcomes, GoThroughJsonUnchanged)
{
  const std::string line = to_json_line(outcome);
  EXPECT_EQ(to_json_line(outcome_of_json(line)), line);
  EXPECT_EQ(outcome_of_json(line).items[1].numbers.at("samples_per_second"), 5000);
  EXPECT_TRUE(outcome_of_json(to_json_line({"no place", {}})).failed());
  EXPECT_THROW(outcome_of_json("{"), std::runtime_error);
}

} // namespace
} // namespace trainyard
