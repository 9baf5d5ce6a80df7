// SPDX-License-Identifier: Apache-2.0
// Closed form: collectives take the time of their formula; messages pass each link they cross in turns
// (queue_network.hpp). No solver.
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/queue_network.hpp"

namespace trainyard {
namespace {

class ClosedForm final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    ProgramRunner runner{cluster, programs, CollectiveStyle::formula};
    QueueNetwork network{runner.routes().capacities()};
    return runner.run(network);
  }
};

TY_REGISTER(Executor, ClosedForm, "closed_form",
            "formulas for collectives, messages pass links in turns; collectives of different jobs do not slow each "
            "other down");

} // namespace
} // namespace trainyard
