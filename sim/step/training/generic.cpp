// SPDX-License-Identifier: Apache-2.0
// Work that is not a neural network, or one that nobody has described: so much computing, so much memory traffic and so
// many bytes summed over the workers in each step, in one exchange or in several rounds that wait for each other.
//
// Gradient boosting is many rounds of small exchanges: every level of every tree needs the histograms of all workers
// before the next level can be split (Chen and Guestrin, "XGBoost", KDD 2016, section 6.2), so it is bound by latency.
#include "sim/step/collectives/collective.hpp"
#include "sim/step/training/all_reduce_plan.hpp"
#include "sim/step/training/spread.hpp"
#include "sim/step/training/support.hpp"
#include "sim/step/training/training_mode.hpp"

#include <cstddef>
#include <vector>

namespace trainyard {
namespace {

class Generic final : public TrainingMode
{
public:
  explicit Generic(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters()
  {
    return {{"flop", "number", "1e12", "floating-point operations of one worker in one step", 0, 1e24},
            {"memory_traffic", "bytes", "0 B", "bytes read and written in a worker's GPU memory in one step", 0, 1e18},
            {"exchange", "bytes", "0 B",
             "bytes that each worker puts into the all-reduce in one step (the size of its buffer, not the sum over "
             "the workers)",
             0, 1e15},
            {"rounds", "integer", "1", "number of exchanges in a step; an equal share of the work comes before each", 1,
             1e6},
            {"transport", "name", "nccl", "registered transport of the exchanges"},
            {"collective", "name", "auto with nccl, else ring", "all-reduce algorithm"},
            staging_parameter()};
  }

  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    const std::string job = "job '" + context.job.name + "': ";
    if (context.job.model != "generic")
      diagnostics.error({.path = context.job.path + ".model"},
                        job + "training mode generic describes the step itself; it needs 'model: generic', not '" +
                            context.job.model + "'");
    const std::string transport = settings_.text("transport", "nccl");
    const auto found = context.transports.find(transport);
    if (found == context.transports.end()) {
      diagnostics.error({.path = context.job.path + ".training.transport"},
                        job + "unknown transport '" + transport + "'");
    } else if (!context.placement.workers.empty()) {
      const bool gpu = context.cluster.vertex(context.placement.workers.front()).kind == VertexKind::gpu;
      const auto support = found->second.supports.find({"all_reduce", gpu ? "gpu" : "cpu"});
      if (context.workers.size() > 1 && support != found->second.supports.end() && support->second == "no")
        diagnostics.error({.path = context.job.path + ".training.transport"},
                          job + "transport '" + transport + "' has no all_reduce between " + (gpu ? "GPUs" : "CPUs") +
                              "; `simrun list transports` shows the others");
    }
    check_collective(algorithm(), "all_reduce", context.job, diagnostics);
  }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    const int ranks = static_cast<int>(context.workers.size()), rounds = settings_.integer("rounds", 1);
    const Bytes payload = Bytes{settings_.number("exchange", 0)} * (1.0 / rounds);
    StepProgram program;
    program.job = context.job.name;
    program.steps = steps;
    program.workers = ranks;
    program.samples_per_step = static_cast<double>(context.job.batch_per_gpu) * ranks;
    // Workers that always take the same time share one lane.
    std::vector<int> first;
    std::vector<LaneId> compute;
    const bool random = is_random(context.job.jitter);
    for (int worker = 0; worker < ranks; ++worker) {
      const Seconds time = context.workers[static_cast<std::size_t>(worker)].total();
      std::size_t same = 0;
      while (same < first.size() && (random || context.workers[static_cast<std::size_t>(first[same])].total() != time))
        ++same;
      if (same < first.size()) {
        ++program.lanes[static_cast<std::size_t>(compute[same].index)].members;
        continue;
      }
      const VertexId gpu = context.placement.workers[static_cast<std::size_t>(worker)];
      first.push_back(worker);
      compute.push_back(program.add(Lane{.name = context.cluster.vertex(gpu).name + " compute",
                                         .kind = LaneKind::compute,
                                         .members = 1,
                                         .node = context.cluster.vertex(gpu).node}));
    }
    const LaneId stream =
        program.add(Lane{.name = context.job.name + " exchange", .kind = LaneKind::communication, .members = ranks});
    const bool exchanges = ranks > 1 && payload > Bytes{};
    CollectiveCall exchange;
    HostCopies copies;
    if (exchanges) {
      const Transport& transport = context.transports.at(settings_.text("transport", "nccl"));
      const Settings merged = over_transport(transport, settings_);
      exchange = one_call(context, transport, merged, "all_reduce", payload);
      copies = {program, context.job.name, exchange_settings(context, transport, merged).staging, ranks};
    }
    std::vector<OperationId> before;
    for (int step = first_step; step < first_step + steps; ++step) {
      for (int round = 0; round < rounds; ++round) {
        std::vector<OperationId> ready;
        for (std::size_t index = 0; index < first.size(); ++index) {
          const int worker = first[index];
          const double pace = jitter_factor(context.job.jitter, context.random, worker, step);
          ready.push_back(program.add(Operation{
              .name = "work",
              .role = Role::forward,
              .work = Compute{.duration = context.workers[static_cast<std::size_t>(worker)].total() * (pace / rounds),
                              .flop = Flops{settings_.number("flop", 1e12) / rounds}},
              .lanes = {compute[index]},
              .after = before,
              .step = step,
              .worker = worker}));
        }
        before = ready;
        if (exchanges) {
          before = copies.copied(program, payload, true, ready, step);
          before = {program.add(Operation{.name = "exchange",
                                          .role = Role::exchange,
                                          .work = exchange,
                                          .lanes = {stream},
                                          .after = before,
                                          .step = step})};
          before = copies.copied(program, payload, false, before, step);
        }
      }
      program.add(
          Operation{.name = "step end", .role = Role::other, .work = StepEnd{step, -1}, .after = before, .step = step});
    }
    return program;
  }

private:
  std::string algorithm() const { return settings_.text("collective", "auto"); }

  Settings settings_;
};

TY_REGISTER(TrainingMode, Generic, "generic",
            "any work: computing, memory traffic and exchanged bytes per step, in rounds");

} // namespace
} // namespace trainyard
