// SPDX-License-Identifier: Apache-2.0
// The fidelity that is chosen by size.
#include "models/core/text.hpp"
#include "sim/step/engine/auto_fidelity.hpp"
#include "sim/step/engine/executor.hpp"

#include <fmt/format.h>

#include <set>

namespace trainyard {
namespace {

constexpr int most_workers_of_flow = 16;

class AutoFidelity final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    int workers = 0;
    for (const ProgramRun& run : programs) {
      std::set<int> of_program;
      for (const Operation& operation : run.program->operations)
        if (operation.worker >= 0)
          of_program.insert(operation.worker);
      workers += static_cast<int>(of_program.size());
    }
    return Registry<Executor>::instance()
        .create(auto_fidelity(static_cast<int>(programs.size()), workers).name)
        ->run(cluster, programs);
  }
  bool forks() const override { return true; } // as flow
  bool draws(const Cluster& cluster) const override
  {
    return Registry<Executor>::instance().create("flow")->draws(cluster);
  }
};

TY_REGISTER(Executor, AutoFidelity, "auto", "flow for one job of up to 16 workers, fluid for all that is larger");

} // namespace

ChosenFidelity auto_fidelity(int jobs, int workers)
{
  if (jobs > 1)
    return {"fluid", fmt::format("{} jobs share the network", jobs)};
  if (workers > most_workers_of_flow)
    return {"fluid", fmt::format("{} workers, more than {}", workers, most_workers_of_flow)};
  return {"flow", fmt::format("one job of {}", counted(workers, "worker"))};
}

} // namespace trainyard
