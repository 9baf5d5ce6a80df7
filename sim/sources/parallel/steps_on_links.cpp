// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/parallel/parallel_row.hpp"

#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/divided.hpp"

#include <memory>
#include <stdexcept>

namespace trainyard {

std::vector<ParallelStep> steps_on_links(const Scenario& scenario, const Catalogue& catalogue)
{
  Diagnostics faults;
  const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, faults);
  faults.throw_if_errors();
  FreeSlots slots = all_free(prepared->cluster);
  std::vector<std::unique_ptr<PlacedJob>> placed;
  std::vector<SteppedJob> stepped;
  for (const PreparedJob& job : prepared->jobs) {
    Placement placement = place_divided(prepared->cluster, job.spec, catalogue, slots, faults);
    faults.throw_if_errors();
    placed.push_back(place(*prepared, job, std::move(placement), catalogue, faults));
    faults.throw_if_errors();
    placed.back()->context->alone = prepared->jobs.size() == 1;
    stepped.push_back(stepped_job(*job.mode, *placed.back()->context));
  }
  const auto executor = Registry<Executor>::instance().create(scenario.run.fidelity);
  std::vector<StepEstimate> estimates;
  if (stepped.size() == 1) {
    StepEstimate one;
    one.program = stepped.front().mode->program(*stepped.front().context, 0, 1);
    const std::vector<ProgramRun> runs{{&one.program, Seconds{}}};
    one.trace = std::move(executor->run(prepared->cluster, runs).front());
    one.step_time = one.trace.end - one.trace.begin;
    estimates.push_back(std::move(one));
  } else {
    estimates =
        steady_state(prepared->cluster, stepped, *executor, options_of_a_run(stepped, scenario.run.warm_up_steps));
  }
  std::vector<const StepProgram*> programs;
  std::vector<const StepTrace*> traces;
  std::vector<ParallelStep> steps;
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    const StepEstimate& estimate = estimates[j];
    programs.push_back(&estimate.program);
    traces.push_back(&estimate.trace);
    steps.push_back(
        divided_step(divided_job(*placed[j]->context), estimate.program, estimate.trace, estimate.step_time));
  }
  if (const std::vector<std::string> broken = broken_physics(prepared->cluster, programs, traces, true);
      !broken.empty())
    throw std::logic_error{"the result is physically impossible; this is a bug in Trainyard: " + broken.front()};
  return steps;
}

} // namespace trainyard
