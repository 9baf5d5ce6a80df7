// SPDX-License-Identifier: Apache-2.0
// Ten published systems, described by their names alone: GPU, machines, network, network model, batch and precision.
// Everything else is what Trainyard assumes. No step was measured for them, so the band is that of a plan before
// buying: a third.
#include "sim/run/simulate.hpp"

#include "models/scenario/document.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace trainyard {
namespace {

struct System {
  const char* name;
  const char* machine; // keys of the node type
  int nodes;
  const char* network;
  int workers;
  const char* job; // keys of the job
  double per_second;
};

double rate_of(const System& system)
{
  const std::string text = fmt::format("trainyard: 1\ncluster:\n  node_types: {{m: {{{}}}}}\n  nodes: [{{name: m, "
                                       "type: m, count: {}}}]\n  network: {{{}}}\n"
                                       "jobs: [{{name: j, workers: {}, {}}}]\nrun: {{fidelity: fluid}}\n",
                                       system.machine, system.nodes, system.network, system.workers, system.job);
  return simulate(tests::checked_points(text, "system.yaml")).jobs.at(0).samples_per_second.mean;
}

// Sources: results/published/*.csv, by table and line of the source.
const std::vector<System>& systems()
{
  static const std::vector<System> ten{
      System{"Dgx1_MxnetAmp", "gpu: V100-SXM2-16GB, gpus: 8", 1, "topology: star", 8,
             "model: resnet50, batch_per_gpu: 192, precision: amp", 10723},
      System{"Dgx1_TensorflowFp32", "gpu: V100-SXM2-16GB, gpus: 8", 1, "topology: star", 8,
             "model: resnet50, batch_per_gpu: 128, precision: fp32", 3170},
      System{"Dgx2_MxnetAmp", "gpu: V100-SXM3-32GB, gpus: 16", 1, "topology: star", 16,
             "model: resnet50, batch_per_gpu: 256, precision: amp", 21484},
      System{"Dgx2_TensorflowFp32", "gpu: V100-SXM3-32GB, gpus: 16", 1, "topology: star", 16,
             "model: resnet50, batch_per_gpu: 128, precision: fp32", 6500},
      System{"FourDgx1_PytorchFp32", "gpu: V100-SXM2-16GB, gpus: 8", 4, "link: IB-EDR", 32,
             "model: resnet50, batch_per_gpu: 128, precision: fp32", 10917},
      System{"FourDgx1_PytorchAmp", "gpu: V100-SXM2-16GB, gpus: 8", 4, "link: IB-EDR", 32,
             "model: resnet50, batch_per_gpu: 256, precision: amp", 22551},
      System{"Dgx1P100_Tensorflow", "gpu: P100-SXM2, gpus: 8", 1, "topology: star", 8,
             "model: vgg16, batch_per_gpu: 64, precision: fp32", 1081},
      System{"Pascal_HorovodResnet101", "gpu: P100-PCIe, gpus: 4", 4, "link: 25GbE", 16,
             "model: resnet101, batch_per_gpu: 64, precision: fp32", 1685},
      System{"Pascal_HorovodVgg16", "gpu: P100-PCIe, gpus: 4", 4, "link: 25GbE", 16,
             "model: vgg16, batch_per_gpu: 64, precision: fp32", 1309},
      System{"RtxOn10GbE_Resnet50", "gpu: RTX-2080-Ti, gpus: 4", 8, "link: 10GbE", 32,
             "model: resnet50, batch_per_gpu: 64, precision: fp32", 6884}};
  return ten;
}

TEST(PublishedSystems, AreMetByTheirNamesAlone)
{
  std::vector<double> factors;
  for (const System& system : systems()) {
    const double rate = rate_of(system);
    factors.push_back(std::exp(std::abs(std::log(rate / system.per_second))));
    EXPECT_LT(factors.back(), 1.5) << system.name << ": " << rate << " against " << system.per_second;
  }
  std::ranges::sort(factors);
  EXPECT_LT(factors[factors.size() / 2], 4.0 / 3);
}

} // namespace
} // namespace trainyard
