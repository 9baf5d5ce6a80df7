// SPDX-License-Identifier: Apache-2.0
// The reference of an efficiency is the same work on one GPU that computes without a pause. No GPU does more work in a
// second than that one, so no job is more than 100 % efficient, however it trains.
#include "models/core/random.hpp"
#include "sim/report/files.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using Words = std::vector<std::string>;

/// Draws one of some words.
class Drawn
{
public:
  explicit Drawn(std::uint64_t seed) : draw_{Random{seed}.stream("efficiency")} {}
  const std::string& of(const Words& words) { return words[draw_.below(words.size())]; }

private:
  RandomStream draw_;
};

/// A job of a random mode, precision, number of workers, input and noise on one of several clusters.
std::string scenario(std::uint64_t seed)
{
  Drawn draw{seed};
  static const Words modes = {"mode: multi_tower",
                              "mode: multi_tower, variables_on: gpu",
                              "mode: all_reduce",
                              "mode: all_reduce, fusion: horovod, sync_every: 4",
                              "mode: all_reduce, overlap: false",
                              "mode: parameter_server, servers: 1",
                              "mode: parameter_server, servers: 2, update_rule: async",
                              "mode: parameter_server, servers: 2, update_rule: bounded, staleness: 2",
                              "mode: parameter_server, servers: 1, update_rule: sync_replicas",
                              "mode: parameter_server, servers: 2, pull: after_update",
                              "mode: parameter_server, servers: 2, pull_order: random, sync_every: 4",
                              "mode: in_graph, client: s-0, servers: 1",
                              "mode: parameter_server, servers: 2, spread: real_data, update_rule: async"};
  static const Words optimizers = {"sgd", "sgd_momentum", "adam"};
  static const Words inputs = {
      "", "", ", input: {source: disk, bytes_per_sample: 110 kB, bandwidth: 500 MB/s, preprocess_per_sample: 1 ms}"};
  static const Words noises = {"",
                               "",
                               ", jitter: {distribution: gamma, coefficient_of_variation: 0.2}",
                               ", jitter: {distribution: normal, coefficient_of_variation: 0.1}",
                               ", stragglers: [{worker: 0, slow_down: 2}]",
                               ", stragglers: [{worker: 0, slow_down: 0.5}]"};
  static const Words first = {"V100-SXM2-16GB", "A100-SXM4-80GB", "P100-SXM2"};
  const std::string type = draw.of(first);
  const std::string more = draw.of({"1", "1", "2", "4"});
  const std::string mode = draw.of(modes);
  const std::string workers =
      mode.find("tower") == std::string::npos ? draw.of({"1", "1", "2", "4", "6"}) : draw.of({"1", "2", "4"});
  return fmt::format(R"(
cluster:
  node_types: {{w: {{gpu: {}, gpus: 4, cpu_cores: 32}}, v: {{gpu: V100-SXM2-32GB, gpus: {}}}, s: {{cpu_cores: 32}}}}
  nodes: [{{name: w, type: w, count: 1}}, {{name: v, type: v, count: 2}}, {{name: s, type: s, count: 2}}]
  network: {{link: {}}}
jobs:
  - {{name: a, model: {}, batch_per_gpu: {}, precision: {}, optimizer: {}, accumulation_steps: {}, workers: {}{}{}, training: {{{}}}}}
run: {{seed: {}, fidelity: fluid}}
)",
                     type, more, draw.of({"10GbE", "100GbE", "IB-EDR"}), draw.of({"resnet50", "vgg16", "alexnet"}),
                     draw.of({"1", "4", "32"}), draw.of({"fp32", "amp", "fp16"}), draw.of(optimizers),
                     draw.of({"1", "1", "3"}), workers, draw.of(inputs), draw.of(noises), mode, seed);
}

class Efficiency : public testing::TestWithParam<std::uint64_t>
{
};

TEST_P(Efficiency, IsNeverMoreThanThatOfOneGpuWithTheSameWork)
{
  const std::string text = scenario(GetParam());
  SCOPED_TRACE(text);
  std::vector<CheckedPoint> points;
  try {
    points = tests::checked_points(text, "efficiency.yaml");
  } catch (const InputError&) {
    return; // not every combination is possible
  }
  const JobRow row = simulate(points).jobs.front();
  EXPECT_GT(row.scaling_efficiency, 0);
  // The lower end of the interval of a rate that chance decides.
  const Estimate& rate = row.samples_per_second;
  EXPECT_LE(row.scaling_efficiency * rate.low / rate.mean, 1 + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Efficiency, testing::Range<std::uint64_t>(1, 61));

// One GPU that holds the variables itself has all of the work: 100 %, and no step is shorter than the GPU's own
// forward pass, backward pass and update, as all_reduce with one worker computes them.
TEST(EfficiencyOfTowers, CountsTheUpdateWhereTheGpuDoesIt)
{
  const auto row = [](const std::string& training) {
    return simulate(tests::checked_points(fmt::format(R"(
cluster:
  node_types: {{a: {{gpu: V100-SXM2-16GB, gpus: 1}}}}
  nodes: [{{name: a, type: a, count: 1}}]
  network: {{link: 10GbE}}
jobs: [{{name: a, model: vgg16, batch_per_gpu: 1, optimizer: adam, workers: 1, training: {{{}}}}}]
)",
                                                      training),
                                          "efficiency.yaml"))
        .jobs.front();
  };
  const JobRow towers = row("mode: multi_tower, variables_on: gpu"), alone = row("mode: all_reduce");
  EXPECT_NEAR(towers.step_s.mean, alone.step_s.mean, 1e-9);
  EXPECT_NEAR(towers.scaling_efficiency, 1, 1e-9);
}

TEST(EfficiencyOfNothing, IsAbsentWhereGpusComputeNothing)
{
  const Results results = simulate(tests::checked_points(R"(
cluster:
  node_types: {a: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: a, type: a, count: 1}]
  network: {link: 10GbE}
jobs: [{name: a, model: resnet50, workers: 4, training: {mode: one_collective, operation: all_reduce}}]
)",
                                                         "efficiency.yaml"));
  EXPECT_TRUE(std::isnan(results.jobs.front().scaling_efficiency));
  EXPECT_EQ(texts_of(results.messages, MessageKind::warning).back(),
            "job 'a': its GPUs compute nothing, so there is no efficiency to compare with one GPU");
  EXPECT_TRUE(nlohmann::json::parse(summary_json(results))["jobs"][0]["scaling_efficiency"].is_null());
}

} // namespace
} // namespace trainyard
