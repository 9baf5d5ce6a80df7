// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/simgrid_network.hpp"

namespace trainyard {
namespace {

class Flow final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    return run_on_simgrid(cluster, programs, CollectiveStyle::aggregated, draws(cluster));
  }
  bool forks() const override { return true; }
  /// Where windows of TCP decide.
  bool draws(const Cluster& cluster) const override { return cluster.tcp().queue_told; }
};

TY_REGISTER(
    Executor, Flow, "flow",
    "SimGrid; a collective is one flow per edge; rings that share links with others and have up to 100 ranks "
    "run message by message; messages share links equally, those of synchronous servers over TCP by windows where the "
    "network has a 'queue'");

} // namespace
} // namespace trainyard
