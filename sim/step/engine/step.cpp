// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/simgrid_network.hpp"

namespace trainyard {
namespace {

class Step final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    return run_on_simgrid(cluster, programs, CollectiveStyle::messages);
  }
  bool forks() const override { return true; }
};

TY_REGISTER(Executor, Step, "step", "SimGrid; every message of every round of a collective: slowest, the reference");

} // namespace
} // namespace trainyard
