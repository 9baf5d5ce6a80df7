// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/cluster/rings.hpp"
#include "sim/step/engine/executor.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

class TopologyRings : public testing::TestWithParam<const char*>
{
};

TEST_P(TopologyRings, EightV100ReduceOverAllSixNvlinksOfEachGpu)
{
  // Three cycles both ways use all 6 x 25 GB/s of every GPU: 2 (n-1)/n S / 150 GB/s + 2 (n-1) hops of 0.7 us.
  const Cluster cluster = build_cluster(cluster_of(1, 8, "nvlink_cube_mesh"));
  const std::vector<VertexId>& gpus = cluster.nodes()[0].gpus;
  StepProgram program;
  program.add(
      Operation{.work = CollectiveCall{.ranks = gpus, .payload = 600_MB, .orders = rings(cluster, gpus).orders}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const double time = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front().end.value();
  EXPECT_NEAR(time / (2.0 * 7 / 8 * 600e6 / 150e9 + 14 * 0.7e-6), 1, 0.01);
}

TEST_P(TopologyRings, FiveOfEightV100PassOnOverEachOther)
{
  // GPUs 0 and 5 of a DGX-1 have no common NVLink; 1 has links to both and is a rank, so 0-1-5 carries what would else
  // cross PCIe and the sockets. Ring 0 2 3 1 5 in rank order: the edge 5 -> 0 goes over 1 or 4. All of it on NVLink: at
  // 25 GB/s per link, and no link twice, 2 (n-1)/n S / 25 GB/s; over PCIe (12 GB/s or so) it would take twice as long.
  const Cluster cluster = build_cluster(cluster_of(1, 8, "nvlink_cube_mesh"));
  const std::vector<VertexId>& gpus = cluster.nodes()[0].gpus;
  const std::vector<VertexId> five{gpus[0], gpus[2], gpus[3], gpus[1], gpus[5]};
  StepProgram program;
  program.add(Operation{.work = CollectiveCall{.ranks = five, .payload = 500_MB}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front();
  for (const LinkUse& use : trace.links)
    EXPECT_EQ(cluster.link(use.link).kind, LinkKind::nvlink) << cluster.link(use.link).name;
  EXPECT_LE(trace.end.value(), 1.01 * (2.0 * 4 / 5 * 500e6 / 25e9 + 8 * 2 * 0.7e-6));
}

INSTANTIATE_TEST_SUITE_P(Executors, TopologyRings, testing::Values("closed_form", "fluid", "flow", "step"),
                         [](const auto& test) { return std::string{test.param}; });

} // namespace
} // namespace trainyard
