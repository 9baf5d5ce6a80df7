// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/simgrid_network.hpp"

namespace trainyard {
namespace {

class Flow final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    return run_on_simgrid(cluster, programs, CollectiveStyle::aggregated);
  }
  bool forks() const override { return true; }
};

TY_REGISTER(Executor, Flow, "flow",
            "SimGrid; a collective is one flow per edge; rings that share links with others and have up to 100 ranks "
            "run message by message");

} // namespace
} // namespace trainyard
