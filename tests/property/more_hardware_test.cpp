// SPDX-License-Identifier: Apache-2.0
// More of a resource makes no step longer.
#include "models/core/data_folder.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/random_steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainyard {
namespace {

// Each message passes wires of 2 ms twice, so that gradients that become ready within less are merged.
TEST(MoreHardware, MergedGradientsGainFromAFasterLink)
{
  const Results results = simulate(tests::checked_points(
      "cluster:\n"
      "  node_types: {w: {gpu: H100-SXM5, gpus: 1}}\n"
      "  nodes: [{name: w, type: w, count: 2}]\n"
      "  network: {link: IB-HDR, bandwidth: 200 Gbit/s, latency: 1 ms}\n"
      "jobs: [{model: resnet152, workers: 2, batch_per_gpu: 8, training: {mode: all_reduce, collective: ring}}]\n"
      "run: {fidelity: fluid}\n"
      "sweep: {grid: {cluster.network.bandwidth: [200 Gbit/s, 400 Gbit/s], jobs.0.training.fusion: [merged, single, "
      "buckets, none]}}\n",
      "merged.yaml"));
  ASSERT_EQ(results.jobs.size(), 8U);
  for (std::size_t i = 0; i < 4; ++i) {
    const double slower = results.jobs[i].step_s.mean, faster = results.jobs[i + 4].step_s.mean;
    EXPECT_LE(faster, slower) << i;
    EXPECT_LE(results.jobs[0].step_s.mean, slower) << i;
    EXPECT_LE(results.jobs[4].step_s.mean, faster) << i;
  }
}

/// Seconds of a step, and whether a message says that something switches.
struct Step {
  double time = 0;
  bool switches = false;
};

Step step_of(const std::string& scenario, const Catalogue& catalogue)
{
  Diagnostics diagnostics;
  const Document document = parse_document(scenario, "more.yaml", diagnostics);
  diagnostics.throw_if_errors();
  const std::vector<CheckedPoint> points = check_points(document, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  const Results results = simulate(points, catalogue);
  const bool told = std::ranges::any_of(texts_of(results.messages, MessageKind::warning), [](const std::string& note) {
    return note.find("tuner takes") != std::string::npos;
  });
  return {results.jobs.front().step_s.mean, told};
}

// Of random scenarios of all modes. Messages of servers take turns in an order that depends on when they are ready, so
// that a step with servers may be some percent longer with more of something (Graham's anomalies).
TEST(MoreHardware, MakesNoStepLonger)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  Catalogue faster = catalogue;
  for (auto& [name, gpu] : faster.gpus) {
    for (auto& [precision, peak] : gpu.peak)
      peak = peak * 1.5;
    gpu.memory_bandwidth = gpu.memory_bandwidth * 1.5;
  }
  int compared = 0;
  for (unsigned seed = 1; seed <= 14; ++seed) {
    tests::Draw draw{seed};
    tests::RandomSteps random = tests::random_steps(draw);
    const double bandwidth = draw.log_between(0.5, 400), latency = draw.log_between(1, 3000);
    random.network += fmt::format(", bandwidth: {:.6g} Gbit/s", bandwidth);
    if (random.network.find("latency") == std::string::npos)
      random.network += fmt::format(", latency: {:.6g} us", latency);
    const bool served = random.jobs.find("parameter_server") != std::string::npos;
    const auto grid = [](const std::string& path, const std::string& value) {
      return fmt::format("sweep: {{grid: {{{}: [{}]}}}}\n", path, value);
    };
    try {
      const Step before = step_of(random.text(), catalogue);
      const auto no_longer = [&](const std::string& what, const Step& after) {
        ++compared;
        EXPECT_TRUE(after.switches || after.time <= before.time * (served ? 1.03 : 1.001))
            << seed << " " << what << ": " << before.time << " s, then " << after.time << " s\n"
            << random.text();
      };
      no_longer("GPU", step_of(random.text(), faster));
      no_longer("bandwidth",
                step_of(random.text(grid("cluster.network.bandwidth", fmt::format("{:.6g} Gbit/s", bandwidth * 1.5))),
                        catalogue));
      no_longer("latency", step_of(random.text(grid("cluster.network.latency", "0.5 us")), catalogue));
      no_longer("PCIe", step_of(random.text(grid("cluster.node_types.w.pcie_bandwidth", "60 GB/s")), catalogue));
      no_longer("cores", step_of(random.text(grid("cluster.node_types.s.cpu_cores", "256")), catalogue));
    } catch (const InputError&) { // not every setting goes with every other
    }
  }
  EXPECT_GE(compared, 40);
}

} // namespace
} // namespace trainyard
