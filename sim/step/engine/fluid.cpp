// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/fluid_network.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/repeated_run.hpp"

namespace trainyard {
namespace {

class FluidRuns final : public RepeatedRun
{
public:
  FluidRuns(const Cluster& cluster, std::span<const ProgramRun> programs)
      : runner_{cluster, programs, CollectiveStyle::pipelined}
  {
  }

  std::vector<StepTrace> again(std::span<const Seconds> starts) override
  {
    runner_.time_anew(starts);
    FluidNetwork network{runner_.routes().capacities()};
    return runner_.run(network);
  }

private:
  ProgramRunner runner_;
};

class Fluid final : public Executor, public RepeatableExecutor
{
public:
  std::unique_ptr<RepeatedRun> repeated(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    return std::make_unique<FluidRuns>(cluster, programs);
  }
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    ProgramRunner runner{cluster, programs, CollectiveStyle::pipelined};
    FluidNetwork network{runner.routes().capacities()};
    return runner.run(network);
  }
};

TY_REGISTER(Executor, Fluid, "fluid",
            "own max-min solver; the edges of a ring are flows that stay within one chunk of each other");

} // namespace
} // namespace trainyard
