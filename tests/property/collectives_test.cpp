// SPDX-License-Identifier: Apache-2.0
// Every registered collective takes the same time at every fidelity where no other job is near, whatever the number of
// ranks.
#include "models/cluster/build.hpp"
#include "sim/step/collectives/collective.hpp"
#include "sim/step/engine/executor.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainyard {
namespace {

class AnyCollective : public testing::TestWithParam<std::string>
{
};

double time_of(const std::string& fidelity, const Cluster& cluster, const StepProgram& program)
{
  const std::vector<ProgramRun> runs{{&program, Seconds{}}};
  return Registry<Executor>::instance().create(fidelity)->run(cluster, runs).front().end.value();
}

TEST_P(AnyCollective, TakesTheSameTimeAtEveryFidelity)
{
  const std::unique_ptr<Collective> collective = Registry<Collective>::instance().create(GetParam());
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 48})
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all"}) {
      if (!collective->supports({operation, ranks, 100_MB, {}}))
        continue;
      const Cluster cluster = build_cluster(cluster_of(ranks, 1, "pcie_tree"));
      std::vector<VertexId> gpus;
      for (const Node& node : cluster.nodes())
        gpus.push_back(node.gpus.front());
      StepProgram program;
      program.add(Operation{
          .work = CollectiveCall{.algorithm = GetParam(), .operation = operation, .ranks = gpus, .payload = 100_MB}});
      const double formula = time_of("closed_form", cluster, program);
      for (const char* fidelity : {"fluid", "flow", "step"})
        EXPECT_NEAR(time_of(fidelity, cluster, program) / formula, 1, 0.01)
            << operation << " of " << ranks << " ranks, " << fidelity;
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, AnyCollective, testing::ValuesIn(Registry<Collective>::instance().names()),
                         [](const auto& test) { return test.param; });

} // namespace
} // namespace trainyard
