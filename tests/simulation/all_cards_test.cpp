// SPDX-License-Identifier: Apache-2.0
// What an all-reduce of 1 GB takes inside large hosts, and over all cards of several.
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

double seconds_of_1_GB(const std::string& node, int nodes, int gpus, const std::string& training)
{
  const std::string scenario =
      fmt::format("cluster: {{node_types: {{w: {}}}, nodes: [{{name: w, type: w, count: {}}}], network: {{link: "
                  "IB-NDR}}}}\n"
                  "jobs: [{{model: {{name: one_tensor, elements: 2.5e8}}, workers: {}, batch_per_gpu: 1, "
                  "single_gpu_step: 1 ns, training: {{mode: all_reduce, spread: none, {}}}}}]\n"
                  "run: {{fidelity: fluid}}\n",
                  node, nodes, gpus, training);
  return simulate(tests::checked_points(scenario, "all.yaml")).jobs.front().step_s.mean;
}

TEST(PcieHosts, ARingOver16GpusIsAsFastAsItsEdgesBetweenSockets)
{
  // Collectives reach 6 GB/s between GPUs of two sockets (`peer_bandwidth`), less than the 12 GB/s of a PCIe slot: of
  // 1 GB every edge carries 2 x 15/16. 30 hops of 7 us, and launching, come on top.
  EXPECT_NEAR(seconds_of_1_GB("{gpu: K80, gpus: 16, intra: pcie_tree}", 1, 16, "collective: ring"), 2 * 15.0 / 16 / 6,
              0.001);
  EXPECT_NEAR(
      seconds_of_1_GB("{gpu: K80, gpus: 16, intra: pcie_tree, peer_bandwidth: 3 GB/s}", 1, 16, "collective: ring"),
      2 * 15.0 / 16 / 3, 0.002);
}

TEST(NamedTree, OfNcclUsesAllCards)
{
  // 4 machines of 8 H100 with 8 cards of 50 GB/s, 0.994 of it for data: an inner node of a tree sends its part of the
  // payload twice, 2 GB over 397.6 GB/s = 5.03 ms; NCCL counts nine tenths of that rate for trees, 5.59 ms, or less.
  // Over one card, as the plain tree of other transports has it, 40 ms.
  const double tree = seconds_of_1_GB("{gpu: H100-SXM5, gpus: 8}", 4, 32, "collective: tree");
  EXPECT_GE(tree, 5.03e-3);
  EXPECT_LE(tree, 2 * 5.59e-3);
  EXPECT_GE(tree, seconds_of_1_GB("{gpu: H100-SXM5, gpus: 8}", 4, 32, "collective: auto"));
  EXPECT_GT(seconds_of_1_GB("{gpu: H100-SXM5, gpus: 8}", 4, 32, "collective: tree, transport: mpi"), 40e-3);
}

} // namespace
} // namespace trainyard
