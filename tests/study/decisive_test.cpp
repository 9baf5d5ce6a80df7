// SPDX-License-Identifier: Apache-2.0
#include "sim/study/answer.hpp"

#include "models/core/diagnostics.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

Messages of(const std::string& job)
{
  Diagnostics diagnostics;
  const Document document = parse_document("trainyard: 1\ncluster:\n  node_types: {n: {gpu: H100-SXM5, gpus: 1}}\n"
                                           "  nodes: [{name: n, type: n, count: 1}]\njobs:\n  - " +
                                               job + "\n",
                                           "file", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return decisive_assumptions(document, points.front());
}

double change(const Message& message)
{
  return std::get<Figure>(message.arguments.back().second).value;
}

TEST(DecisiveAssumptions, AreThoseThatTheScenarioDoesNotSay)
{
  const Messages open = of("{name: a, model: resnet50}");
  ASSERT_FALSE(open.empty());
  ASSERT_LE(open.size(), 3U);
  EXPECT_EQ(name_in(open.front(), "key"), "jobs.0.precision"); // matrix units compute fp32 many times slower than amp
  EXPECT_LT(change(open.front()), -0.3);
  for (std::size_t i = 1; i < open.size(); ++i)
    EXPECT_LE(std::abs(change(open[i])), std::abs(change(open[i - 1])));
  for (const Message& message : of("{name: a, model: resnet50, precision: amp, batch_per_gpu: 32}")) {
    EXPECT_NE(name_in(message, "key"), "jobs.0.precision");
    EXPECT_NE(name_in(message, "key"), "jobs.0.batch_per_gpu");
  }
}

// One GPU whose step is given takes that time, whatever the host and the precision are.
TEST(DecisiveAssumptions, AreNoneWhereTheStepIsGiven)
{
  EXPECT_TRUE(of("{name: a, model: resnet50, batch_per_gpu: 32, single_gpu_step: 100 ms}").empty());
}

} // namespace
} // namespace trainyard
