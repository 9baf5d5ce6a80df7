// SPDX-License-Identifier: Apache-2.0
// The order in which a scenario lists its machines is no property of the cluster: with several kinds of GPUs, jobs take
// the same machines and are as fast, whatever stands first.
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace trainyard {
namespace {

class NodeOrder : public testing::TestWithParam<std::string>
{
};

std::string scenario(const std::vector<std::string>& groups, const std::string& job)
{
  return fmt::format("trainyard: 1\n"
                     "cluster:\n"
                     "  node_types:\n"
                     "    v: {{gpu: V100-SXM2-16GB, gpus: 4}}\n"
                     "    p: {{gpu: P100-SXM2, gpus: 4}}\n"
                     "    t: {{gpu: T4, gpus: 2}}\n"
                     "  nodes: [{}]\n"
                     "  network: {{topology: star, link: 25GbE}}\n"
                     "run: {{fidelity: fluid}}\n"
                     "jobs:\n"
                     "  - {{name: first, model: resnet50, workers: 3, steps: 20, training: {{mode: all_reduce}}}}\n"
                     "  - {{name: job, {}}}\n",
                     fmt::join(groups, ", "), job);
}

TEST_P(NodeOrder, ChangesNothing)
{
  std::vector<std::string> groups{"{name: p, type: p, count: 1}", "{name: t, type: t, count: 2}",
                                  "{name: v, type: v, count: 2}"};
  std::vector<double> expected;
  do {
    const Results results = simulate(tests::checked_points(scenario(groups, GetParam()), "order.yaml"));
    ASSERT_EQ(results.jobs.size(), 2U);
    std::vector<double> rates;
    for (const JobRow& row : results.jobs)
      rates.push_back(row.samples_per_second.mean);
    if (expected.empty())
      expected = rates;
    for (std::size_t i = 0; i < rates.size(); ++i)
      EXPECT_NEAR(rates[i] / expected[i], 1, 1e-6) << fmt::format("{}", fmt::join(groups, ", "));
  } while (std::ranges::next_permutation(groups).found);
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, NodeOrder,
    testing::Values("model: resnet50, workers: 2, training: {mode: all_reduce}",
                    "model: vgg16, workers: 8, training: {mode: all_reduce, fusion: horovod}",
                    "model: vgg16, workers: 13, precision: amp, training: {mode: all_reduce}",
                    "model: resnet50, workers: 9, training: {mode: parameter_server, servers: 2}",
                    "model: vgg16, workers: 13, training: {mode: parameter_server, servers: 4, update_rule: bounded}",
                    "model: resnet50, workers: 6, training: {mode: parameter_server, servers: 3, update_rule: async}",
                    "model: generic, workers: 9, training: {mode: generic, transport: gloo, exchange: 100 MB}",
                    "model: bert_large, workers: 4, batch_per_gpu: 2, training: {mode: all_reduce}"));

} // namespace
} // namespace trainyard
