// SPDX-License-Identifier: Apache-2.0
// A sample of an even cluster gives what all its machines give. The other side of each comparison is the simulation of
// all machines, which a straggler asks for that is no slower than the others.
#include "models/core/random.hpp"
#include "sim/run/simulate.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

struct EvenCase {
  int machines = 128;
  int gpus = 8;
  int nics = 8;
  std::string intra = "nvswitch";
  std::string network = "topology: rail, link: 400GbE";
  std::string training = "mode: all_reduce, spread: gpus";
  std::string fidelity = "closed_form";
  int idle = 0; // machines without a worker
};

std::string text_of(const EvenCase& even, const std::string& job = "", const std::string& jobs = "")
{
  return fmt::format("cluster:\n"
                     "  node_types: {{box: {{gpus: {}, gpu: A100-SXM4-80GB, nics: {}, intra: {}}}}}\n"
                     "  nodes: [{{name: n, type: box, count: {}}}]\n"
                     "  network: {{{}}}\n"
                     "jobs:\n"
                     "  - {{name: a, model: resnet50, workers: {}, batch_per_gpu: 16, training: {{{}}}{}}}\n{}"
                     "run: {{fidelity: {}}}\n",
                     even.gpus, even.nics, even.intra, even.machines + even.idle, even.network,
                     even.machines * even.gpus, even.training, job, jobs, even.fidelity);
}

Results run(const std::string& text)
{
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(parse_document(text, "even.yaml", diagnostics), diagnostics);
  diagnostics.throw_if_errors();
  return simulate(points);
}

const char* const nobody_is_slower = ", stragglers: [{worker: 0, slow_down: 1}]";

bool is_sample(const Results& results)
{
  return std::ranges::any_of(texts_of(results.messages, MessageKind::warning), [](const std::string& note) {
    return note.find("all machines do the same") != std::string::npos;
  });
}

void expect_equal(const EvenCase& even, const Results& sample, const Results& all)
{
  ASSERT_EQ(sample.jobs.size(), 1U);
  ASSERT_EQ(all.jobs.size(), 1U);
  EXPECT_FALSE(is_sample(all));
  const JobRow& a = sample.jobs.front();
  const JobRow& b = all.jobs.front();
  const std::string what = text_of(even);
  EXPECT_EQ(a.workers, even.machines * even.gpus) << what;
  EXPECT_EQ(b.workers, a.workers) << what;
  EXPECT_NEAR(a.step_s.mean / b.step_s.mean, 1, 1e-6) << what;
  EXPECT_NEAR(a.samples_per_second.mean / b.samples_per_second.mean, 1, 1e-6) << what;
  EXPECT_NEAR(a.exposed_communication.value(), b.exposed_communication.value(), 1e-6 * b.step_s.mean) << what;
  EXPECT_NEAR(a.bytes_per_step.value(), b.bytes_per_step.value(), 1e-6 * b.bytes_per_step.value()) << what;
}

TEST(Even, ASampleStandsFor1024And4096GpusAtEachFidelity)
{
  for (const int machines : {128, 512})
    for (const std::string fidelity : {"closed_form", "fluid", "flow"}) {
      EvenCase even{.machines = machines, .fidelity = fidelity};
      if (fidelity == "flow" && machines > 128)
        even.nics = 1; // one ring instead of eight: all of them at once take a minute
      const Results sample = run(text_of(even));
      EXPECT_TRUE(is_sample(sample)) << text_of(even);
      expect_equal(even, sample, run(text_of(even, nobody_is_slower)));
    }
}

TEST(Even, ASampleGivesWhatAllGiveOnRandomClusters)
{
  const Random random{7};
  RandomStream draw = random.stream("even clusters");
  const auto one_of = [&draw](std::span<const char* const> of) {
    return std::string{of[static_cast<std::size_t>(draw.uniform() * static_cast<double>(of.size()))]};
  };
  constexpr int cases = 120;
  int samples = 0;
  for (int i = 0; i < cases; ++i) {
    EvenCase even;
    even.gpus = 1 << static_cast<int>(draw.uniform() * 3);
    even.nics = draw.uniform() < 0.5 ? 1 : even.gpus;
    even.machines = 44 + static_cast<int>(draw.uniform() * 30);
    even.idle = draw.uniform() < 0.3 ? 5 : 0;
    even.intra = even.gpus > 1 ? one_of(std::array{"nvswitch", "pcie_tree"}) : "pcie_tree";
    const std::string link = one_of(std::array{"25GbE", "100GbE", "IB-NDR"});
    const std::string topology =
        one_of(std::array{"star", "rail, unit: 5", "rail, unit: 8", "leaf_spine, leaf_ports: 16",
                          "leaf_spine, leaf_ports: 12, oversubscription: 3", "fat_tree"});
    even.network = fmt::format("topology: {}, link: {}", topology, link);
    even.training = "mode: all_reduce, spread: gpus" +
                    one_of(std::array{"", ", collective: ring", ", collective: hierarchical", ", collective: tree",
                                      ", collective: ring, channels: 2", ", ring_order: ranks", ", transport: mpi"});
    even.fidelity = one_of(std::array{"closed_form", "fluid"});
    const Results sample = run(text_of(even));
    samples += is_sample(sample) ? 1 : 0;
    expect_equal(even, sample, run(text_of(even, nobody_is_slower)));
  }
  EXPECT_GT(samples, cases / 4);
}

TEST(Even, WhatMakesOneMachineUnlikeTheOthersNeedsAllOfThem)
{
  const EvenCase even{.machines = 80, .gpus = 1, .nics = 1, .intra = "pcie_tree", .network = "link: 25GbE"};
  EXPECT_TRUE(is_sample(run(text_of(even))));
  EXPECT_FALSE(is_sample(run(text_of(even, ", stragglers: [{worker: 3, slow_down: 1.5}]"))));
  EXPECT_FALSE(
      is_sample(run(text_of(even, ", jitter: {distribution: normal, coefficient_of_variation: 0.1}, steps: 20"))));
  EvenCase two = even;
  two.idle = 2;
  EXPECT_FALSE(is_sample(run(text_of(two, "", "  - {name: b, model: resnet50, workers: 2}\n"))));
  EvenCase tree = even; // messages over every distance
  tree.training = "mode: all_reduce, transport: mpi, collective: tree";
  EXPECT_FALSE(is_sample(run(text_of(tree))));
}

TEST(Even, PathsThatMayMeetToTheirCostNeedAllMachines)
{
  // Eight rings leave each leaf for the next one over its eight uplinks of 400 Gbit/s, as the hash has it: two on one
  // link get half. On rails each leaf has one ring, which has the way for itself.
  EvenCase leaves{.network = "topology: leaf_spine, link: 400GbE, leaf_ports: 8"};
  EXPECT_FALSE(is_sample(run(text_of(leaves))));
  leaves.network = "topology: leaf_spine, link: 400GbE, leaf_ports: 8, routing: adaptive";
  EXPECT_TRUE(is_sample(run(text_of(leaves))));
  EXPECT_TRUE(is_sample(run(text_of(EvenCase{}))));
}

TEST(Even, SaysHowManyMachinesWereSimulated)
{
  // On a star the neighbours are all alike: the first two machines and the last two.
  const EvenCase even{.machines = 80, .gpus = 1, .nics = 1, .intra = "pcie_tree", .network = "link: 25GbE"};
  const Results results = run(text_of(even));
  ASSERT_EQ(texts_of(results.messages, MessageKind::warning).size(), 1U);
  EXPECT_THAT(texts_of(results.messages, MessageKind::warning).front(), HasSubstr("4 of the 80 were simulated"));
}

} // namespace
} // namespace trainyard
