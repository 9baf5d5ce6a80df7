#include "models/cluster/build.hpp"
#include "models/cluster/rings.hpp"
#include "sim/engine/executor.hpp"

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
  program.add(Operation{.work = CollectiveCall{.ranks = gpus, .payload = 600_MB, .orders = rings(cluster, gpus).orders}});
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  const double time = Registry<Executor>::instance().create(GetParam())->run(cluster, runs).front().end.value();
  EXPECT_NEAR(time / (2.0 * 7 / 8 * 600e6 / 150e9 + 14 * 0.7e-6), 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Executors, TopologyRings, testing::Values("closed_form", "fluid", "flow", "step"),
                         [](const auto& test) { return std::string{test.param}; });

} // namespace
} // namespace trainyard
