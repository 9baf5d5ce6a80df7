// SPDX-License-Identifier: Apache-2.0
// Errors of predicted steps go into a queue: jobs that say their steps run longer or shorter, others as given.
#include "models/results/model_error.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/point_evaluator.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

/// A machine of one GPU for all jobs; the first two train ResNet-50 by name.
std::string queue(const std::string& jobs)
{
  return fmt::format(R"(
cluster: {{node_types: {{w: {{gpu: V100-SXM2-16GB, gpus: 1, price: 3 $/h}}}}, nodes: [{{name: w, type: w, count: 1}}], network: {{link: 10GbE}}}}
jobs: [{{name: train, model: resnet50, workers: 1, batch_per_gpu: 64}}]
scheduling: {{speed: step}}
workload: {{jobs: [{}]}}
)",
                     jobs);
}

nlohmann::ordered_json summary(const std::string& jobs)
{
  const std::vector<CheckedPoint> points = tests::checked_points(queue(jobs), "queue.yaml");
  return runner_of(points.front().scenario)->run(points, {}).summary["policies"][0];
}

constexpr const char* two =
    "{name: a, gpus: 1, model: train, steps: 5000}, {name: b, gpus: 1, model: train, steps: 5000}";

/// Both arrive at once and run one after the other: b waits for all of a, and the last ends after both. All times are
/// in proportion to the step, so their ends are those of the step: names alone, on one GPU.
TEST(QueueEnds, AreThoseOfTheStepsWhereAllIsInProportionToThem)
{
  const nlohmann::ordered_json run = summary(two);
  const ModelError& error = model_errors().of({"all_reduce names one", 0});
  const double makespan = run["makespan_s"], waiting = run["waiting_s"]["mean"], jct = run["jct_s"]["mean"];
  EXPECT_NEAR(waiting, makespan / 4, 1e-6 * makespan); // a: 0, b: half of it
  EXPECT_NEAR(jct, 0.75 * makespan, 1e-6 * makespan);
  for (const auto& [place, factor] :
       {std::pair{"_low_95", error.low_95}, std::pair{"_low_80", error.low_80}, std::pair{"_middle", error.middle},
        std::pair{"_high_80", error.high_80}, std::pair{"_high_95", error.high_95}}) {
    EXPECT_NEAR(double{run[std::string{"makespan_s"} + place]}, makespan * factor, 1e-6 * makespan) << place;
    EXPECT_NEAR(double{run[std::string{"waiting_s_mean"} + place]}, waiting * factor, 1e-6 * makespan) << place;
    EXPECT_NEAR(double{run[std::string{"jct_s_mean"} + place]}, jct * factor, 1e-6 * makespan) << place;
  }
}

/// A job of one hour in front: its length is as given, so only what trains behind it moves.
TEST(QueueEnds, LeaveRunTimesThatAreGivenAsTheyAre)
{
  const nlohmann::ordered_json run = summary("{name: x, gpus: 1, model: train, duration: 1 h}, " + std::string{two});
  const ModelError& error = model_errors().of({"all_reduce names one", 0});
  const double makespan = run["makespan_s"];
  EXPECT_NEAR(double{run["makespan_s_high_80"]}, 3600 + (makespan - 3600) * error.high_80, 1e-3);
  EXPECT_FALSE(summary("{name: x, gpus: 1, model: train, duration: 1 h}").contains("makespan_s_high_80"));
}

/// The low end of 80 % leaves 10 % below it, the high end 10 % above.
TEST(QueueEnds, SayHowSureAGoalIs)
{
  const std::vector<CheckedPoint> points = tests::checked_points(queue(two), "queue.yaml");
  const nlohmann::ordered_json all = runner_of(points.front().scenario)->run(points, {}).summary;
  PointOutcome outcome;
  outcome.items = measured_of_summary(all);
  const nlohmann::ordered_json& run = all["policies"][0];
  const auto sure = [&](const char* goal, const char* limit) {
    return probability_of(parse_goal(fmt::format("{} {:.9f} s", goal, double{run[limit]})), outcome).value_or(-1);
  };
  EXPECT_NEAR(sure("makespan <", "makespan_s_high_80"), 0.9, 1e-6);
  EXPECT_NEAR(sure("mean(jct) <", "jct_s_mean_low_80"), 0.1, 1e-6);
  EXPECT_NEAR(sure("mean(waiting) <", "waiting_s_mean_middle"), 0.5, 1e-6);
  EXPECT_NEAR(sure("makespan >", "makespan_s_high_80"), 0.1, 1e-6);
}

} // namespace
} // namespace trainyard
