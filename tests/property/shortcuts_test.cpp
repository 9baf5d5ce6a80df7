// SPDX-License-Identifier: Apache-2.0
// What is simulated in a shorter way takes as long as in full.
#include "sim/step/chosen_fidelity.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/random_steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace trainyard {
namespace {

TEST(Shortcuts, AFidelityThatIsChosenIsTheOneThatIsPinned)
{
  for (unsigned seed = 1; seed <= 16; ++seed) {
    tests::Draw draw{seed};
    tests::RandomSteps random = tests::random_steps(draw);
    try {
      random.run = "fidelity: auto";
      const std::vector<CheckedPoint> free = tests::checked_points(random.text(), "free.yaml");
      random.run = "fidelity: " + chosen_fidelity(free.front().scenario).name;
      const Results chosen = simulate(free), pinned = simulate(tests::checked_points(random.text(), "pinned.yaml"));
      EXPECT_EQ(chosen.jobs.front().step_s.mean, pinned.jobs.front().step_s.mean) << random.text();
    } catch (const InputError&) { // not every setting goes with every other
    }
  }
}

// A straggler that is not slow makes one place unlike the others, so that all machines are simulated.
TEST(Shortcuts, ASampleOfEvenMachinesGoesAsAllOfThem)
{
  int sampled = 0;
  for (unsigned seed = 1; seed <= 16; ++seed) {
    tests::Draw draw{seed};
    const int gpus = draw.number(1, 2), machines = draw.number(48, 64);
    const std::string link = draw.of({"10GbE", "100GbE", "IB-HDR"});
    const std::string topology = draw.of({"", ", topology: leaf_spine, leaf_ports: 8", ", topology: fat_tree"});
    const std::string training = tests::random_sums(draw), model = tests::random_model(draw);
    const auto run = [&](const std::string& more) {
      return simulate(tests::checked_points(
          fmt::format(
              "cluster:\n  node_types: {{w: {{gpu: V100-SXM2-16GB, gpus: {}, nics: 1}}}}\n  nodes: [{{name: w, "
              "type: w, count: {}}}]\n  network: {{link: {}{}}}\njobs: [{{model: {}, workers: {}, batch_per_gpu: 4{}"
              ", training: {{{}, spread: none}}}}]\nrun: {{fidelity: fluid}}\n",
              gpus, machines, link, topology, model, gpus * machines, more, training),
          "even.yaml"));
    };
    try {
      const Results some = run(""), all = run(", stragglers: [{worker: 0, slow_down: 1}]");
      EXPECT_NEAR(some.jobs.front().step_s.mean / all.jobs.front().step_s.mean, 1, 0.01)
          << seed << " " << link << topology << " " << gpus << " x " << machines << " " << training << " " << model;
      sampled += std::ranges::any_of(
                     texts_of(some.messages, MessageKind::warning),
                     [](const std::string& note) { return note.find("all machines do the same") != std::string::npos; })
                     ? 1
                     : 0;
    } catch (const InputError&) { // not every setting goes with every other
    }
  }
  EXPECT_GE(sampled, 3);
}

} // namespace
} // namespace trainyard
