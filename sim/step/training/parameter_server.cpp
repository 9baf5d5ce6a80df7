// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_program.hpp"
#include "sim/step/training/worker_groups.hpp"

namespace trainyard {
namespace {

/// Parameter servers with between-graph replication: every worker builds its own graph and talks to the servers itself.
///
/// On an ideal fabric and without overlap a synchronous step of W workers and P servers of bandwidth B takes t + 2 W S
/// / (P B). Source: Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014;
/// TensorFlow 1.x, "Distributed TensorFlow".
class ParameterServer final : public TrainingMode
{
public:
  static std::vector<Parameter> parameters() { return server_exchange_parameters(); }

  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    static_cast<void>(server_exchange(context, diagnostics));
    if (context.placement.servers.empty())
      diagnostics.error({.path = context.job.path + ".training.servers"},
                        "job '" + context.job.name +
                            "' trains with parameter servers but has no servers; write 'servers: 1' or more");
    if (context.placement.workers.empty())
      diagnostics.error({.path = context.job.path + ".workers"}, "job '" + context.job.name + "' has no workers");
  }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    return server_program(context, server_exchange(context), first_step, steps);
  }

  bool begin_elsewhere(const TrainingContext& context, int first_step, StepProgram& program) const override
  {
    return begin_elsewhere_with_servers(context, server_exchange(context), first_step, program);
  }

  std::optional<EndlessSteps> endless(const TrainingContext& context) const override
  {
    return endless_with_servers(context, server_exchange(context));
  }

  int period(const TrainingContext& context) const override
  {
    return context.job.training.settings.integer("sync_every", 1);
  }

  int settling_steps(const TrainingContext& context) const override
  {
    std::vector<Seconds> times;
    for (const WorkerTimes& worker : context.workers)
      times.push_back(computing_time(worker, context.job.accumulation_steps));
    return server_exchange(context).rule->settling_steps(times);
  }
};

TY_REGISTER(TrainingMode, ParameterServer, "parameter_server", "parameter servers, between-graph replication");

} // namespace
} // namespace trainyard
