#include "sim/engine/fluid_network.hpp"
#include "sim/engine/program_runner.hpp"

namespace trainyard {
namespace {

class Fluid final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    ProgramRunner runner{cluster, programs, CollectiveStyle::pipelined};
    FluidNetwork network{runner.routes().capacities()};
    return runner.run(network);
  }
};

TY_REGISTER(Executor, Fluid, "fluid", "own max-min solver; the edges of a ring are flows that keep within one chunk of each other");

} // namespace
} // namespace trainyard
