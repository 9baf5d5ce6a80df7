// SPDX-License-Identifier: Apache-2.0
/// Hashed paths: flows meet on an uplink with one seed and not with another, and a run says so.
#include "sim/report/files.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two leaf switches with two machines each, joined by two spines with uplinks as fast as a machine's card. Two jobs
/// each all-reduce between a machine of one leaf and a machine of the other, so two flows leave each leaf. By a hash
/// they take the same of the two uplinks with probability 1/2, and then each has half of its rate; on adaptive paths
/// they never meet.
std::string two_jobs(const std::string& routing, const std::string& run)
{
  return fmt::format("trainyard: 1\nname: t\n"
                     "cluster:\n"
                     "  node_types: {{m: {{gpu: V100-SXM2-16GB}}}}\n"
                     "  nodes: [{{name: m, type: m, count: 4, per_rack: 2}}]\n"
                     "  network: {{topology: leaf_spine, leaf_ports: 2, spines: 2, link: 10GbE, latency: 0 s, "
                     "routing: {}}}\n"
                     "jobs:\n"
                     "  - {{name: a, model: {{name: one_tensor, elements: 250000000}}, workers: 2, batch_per_gpu: 1, "
                     "precision: fp32, nodes: [m-0, m-2], training: {{mode: one_collective}}}}\n"
                     "  - {{name: b, model: {{name: one_tensor, elements: 250000000}}, workers: 2, batch_per_gpu: 1, "
                     "precision: fp32, nodes: [m-1, m-3], training: {{mode: one_collective}}}}\n"
                     "run: {{fidelity: fluid{}}}\n",
                     routing, run);
}

Results with_seeds(const std::string& text, bool other_seeds = false)
{
  const std::vector<CheckedPoint> points = tests::checked_points(text, "t.yaml");
  return simulate(points, {.other_seeds = other_seeds});
}

TEST(HashedPaths, ReplicasGiveMeanIntervalAndBothTimesOfTheCollision)
{
  const double alone = with_seeds(two_jobs("adaptive", "")).jobs.front().step_s.mean;
  constexpr int seeds = 16;
  // The step of a seed is T where nothing meets and 2 T where the flows of one direction do.
  std::vector<double> steps;
  for (int seed = 1; seed <= seeds; ++seed)
    steps.push_back(with_seeds(two_jobs("hashed", fmt::format(", seed: {}", seed))).jobs.front().step_s.mean);
  double sum = 0;
  for (const double step : steps) {
    EXPECT_TRUE(std::abs(step / alone - 1) < 0.01 || std::abs(step / alone - 2) < 0.01) << step << " " << alone;
    sum += step;
  }
  const Results results = with_seeds(two_jobs("hashed", fmt::format(", replicas: {}", seeds)));
  ASSERT_EQ(results.seeds.size(), 2U);
  const SeedRange& range = results.seeds.front();
  EXPECT_TRUE(range.replicated);
  EXPECT_EQ(range.seeds, seeds);
  EXPECT_NEAR(range.least_s / alone, 1, 0.01);
  EXPECT_NEAR(range.most_s / alone, 2, 0.01);
  EXPECT_NEAR(range.step_s.mean, sum / seeds, 1e-9 * sum);
  EXPECT_LT(range.step_s.low, range.step_s.mean);
  EXPECT_GT(range.step_s.high, range.step_s.mean);
  const JobRow& row = results.jobs.front();
  EXPECT_EQ(row.step_s.mean, range.step_s.mean);
  EXPECT_NEAR((row.compute + row.host + row.exposed_communication + row.input + row.wait).value(), row.step_s.mean,
              1e-9);
  EXPECT_THAT(results_told(results).text(), HasSubstr("job 'a': 16 seeds from 1 on: step "));
  // and back from the results folder
  const Results read = read_summary(summary_json(results), "summary.json");
  ASSERT_EQ(read.seeds.size(), 2U);
  EXPECT_EQ(read.seeds.front().most_s, range.most_s);
  EXPECT_EQ(read.seeds.front().step_s.high, range.step_s.high);
}

TEST(HashedPaths, APlainRunSaysWhatOtherSeedsGive)
{
  const Results hashed = with_seeds(two_jobs("hashed", ""), true);
  ASSERT_EQ(hashed.seeds.size(), 2U);
  const SeedRange& range = hashed.seeds.front();
  EXPECT_EQ(range.seeds, 4);
  EXPECT_NEAR(range.most_s / range.least_s, 2, 0.01);   // with seeds 1 to 4, as the tests of single seeds above show
  const std::string text = results_told(hashed).text(); // of the job with the wider range, one of two equal ones
  EXPECT_THAT(text, HasSubstr("paths are hashed, and flows may meet: job '"));
  EXPECT_THAT(text, HasSubstr("': seeds 1 to 4 give steps of "));
  // the row itself stays that of the run's own seed
  EXPECT_EQ(hashed.jobs.front().step_s.mean, with_seeds(two_jobs("hashed", "")).jobs.front().step_s.mean);
  EXPECT_TRUE(with_seeds(two_jobs("adaptive", ""), true).seeds.empty());
  EXPECT_THAT(results_told(with_seeds(two_jobs("adaptive", ""), true)).text(), Not(HasSubstr("paths are hashed")));
}

TEST(HashedPaths, WithoutOtherSeedsTheyAreStillNamed)
{
  EXPECT_THAT(results_told(with_seeds(two_jobs("hashed", ""))).text(),
              HasSubstr("paths are hashed, and flows may meet: another seed may give another step time; run: "
                        "{replicas: 8} gives mean, interval and range\n"));
}

} // namespace
} // namespace trainyard
