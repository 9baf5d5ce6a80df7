// SPDX-License-Identifier: Apache-2.0
// One operation of a communication library per step and nothing else, as a benchmark runs it: which library can do it
// on which device, and what the way through host memory costs.
#include "models/cost/mpi_decisions.hpp"
#include "sim/step/training/all_reduce_plan.hpp"
#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/support.hpp"
#include "sim/step/training/training_mode.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

const std::vector<std::string> operations = {"all_reduce",     "broadcast",  "reduce",  "all_gather",
                                             "reduce_scatter", "all_to_all", "barrier", "send",
                                             "receive",        "gather",     "scatter"};

class OneCollective final : public TrainingMode
{
public:
  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> list = {
        {.name = "operation",
         .kind = "name",
         .default_value = "all_reduce",
         .meaning = "operation that runs once per step; the payload is the network's parameters (model one_tensor: "
                    "`elements`)",
         .source = "torch.distributed",
         .choices = operations},
        {.name = "transport", .kind = "name", .default_value = "nccl", .meaning = "library that runs the operation"},
        {.name = "collective",
         .kind = "name",
         .default_value = "auto with nccl, else ring",
         .meaning = "algorithm of all_reduce"},
        mpi_parameter(),
        latency_model_parameter()};
    for (const Parameter& parameter : collective_tuning_parameters())
      list.push_back(parameter);
    return list;
  }

  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    const std::string transport = transport_of(context);
    if (!context.transports.contains(transport))
      diagnostics.error({.path = context.job.path + ".training.transport"},
                        fmt::format("job '{}': unknown transport '{}'", context.job.name, transport));
    check_support(context.transports, transport, operation_of(context), on_gpus(context), context.job, "", diagnostics);
    if (operation_of(context) == "all_reduce")
      check_collective(context.job.training.settings.text("collective", "auto"), "all_reduce", context.job,
                       diagnostics);
    check_network_reduction(context, context.job.training.settings, diagnostics);
  }

  bool trains() const override { return false; }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    const Transport& transport = context.transports.at(transport_of(context));
    StepProgram program;
    program.job = context.job.name;
    program.steps = steps;
    program.workers = static_cast<int>(context.placement.workers.size());
    program.samples_per_step = static_cast<double>(program.workers) * context.job.batch_per_gpu;
    const LaneId compute =
        program.add(Lane{.name = "all ranks compute", .kind = LaneKind::compute, .members = program.workers});
    const LaneId stream =
        program.add(Lane{.name = "communication", .kind = LaneKind::communication, .members = program.workers});
    const Bytes payload{context.dnn.parameter_elements() * context.bytes_per_gradient_element};
    std::vector<OperationId> before;
    for (int step = first_step; step < first_step + steps; ++step) {
      const auto add = [&](std::string name, Role role, Work work, std::vector<OperationId> after,
                           std::vector<LaneId> lanes) {
        return program.add(Operation{.name = std::move(name),
                                     .role = role,
                                     .work = std::move(work),
                                     .lanes = std::move(lanes),
                                     .after = std::move(after),
                                     .step = step,
                                     .worker = 0});
      };
      const std::vector<OperationId> ready = {
          add("launch", Role::forward, Compute{Seconds{1e-9}, {}, {}}, before, {compute})};
      // A library that cannot read GPU memory works between hosts: a copy before and a copy after.
      const bool staged = on_gpus(context) && !transport.gpu_direct;
      const std::vector<VertexId> ends = staged ? hosts(context) : context.placement.workers;
      std::vector<OperationId> after = ready;
      if (staged && operation_of(context) != "barrier")
        after = copies(context, payload, true, after, add);
      after = exchange(context, transport, ends, payload, after, {stream}, add);
      if (staged && operation_of(context) != "barrier")
        after = copies(context, payload, false, after, add);
      before = {add("step", Role::other, StepEnd{step, -1}, after, {})};
      program.operations.back().worker = -1;
    }
    return program;
  }

private:
  static std::string operation_of(const TrainingContext& context)
  {
    return context.job.training.settings.text("operation", "all_reduce");
  }
  static std::string transport_of(const TrainingContext& context)
  {
    return context.job.training.settings.text("transport", "nccl");
  }
  static bool on_gpus(const TrainingContext& context)
  {
    return !context.placement.workers.empty() &&
           context.cluster.vertex(context.placement.workers.front()).kind == VertexKind::gpu;
  }
  static std::vector<VertexId> hosts(const TrainingContext& context)
  {
    std::vector<VertexId> list;
    for (const VertexId worker : context.placement.workers)
      list.push_back(context.cluster.node(context.cluster.vertex(worker).node).host);
    return list;
  }

  template <class Add>
  static std::vector<OperationId> copies(const TrainingContext& context, Bytes payload, bool to_host,
                                         const std::vector<OperationId>& after, const Add& add)
  {
    std::vector<OperationId> done;
    const std::vector<VertexId> host = hosts(context);
    for (std::size_t rank = 0; rank < host.size(); ++rank) {
      const VertexId gpu = context.placement.workers[rank];
      done.push_back(add(to_host ? "copy to host" : "copy from host", Role::exchange,
                         to_host ? Copy{gpu, host[rank], payload, {}} : Copy{host[rank], gpu, payload, {}}, after,
                         std::vector<LaneId>{}));
    }
    return done;
  }

  template <class Add>
  static std::vector<OperationId>
  exchange(const TrainingContext& context, const Transport& transport, const std::vector<VertexId>& ends, Bytes payload,
           const std::vector<OperationId>& after, const std::vector<LaneId>& lanes, const Add& add)
  {
    const std::string operation = operation_of(context);
    const std::size_t ranks = ends.size();
    if (ranks < 2)
      return after;
    const auto send = [&](std::size_t from, std::size_t to, Bytes bytes) {
      return add(operation, Role::exchange, message(transport, context.cluster, ends[from], ends[to], bytes), after,
                 std::vector<LaneId>{});
    };
    if (operation == "send" || operation == "receive")
      return {send(0, 1, payload)};
    if (operation == "gather" || operation == "scatter") {
      std::vector<OperationId> done;
      for (std::size_t rank = 1; rank < ranks; ++rank)
        done.push_back(operation == "gather" ? send(rank, 0, payload / static_cast<double>(ranks))
                                             : send(0, rank, payload / static_cast<double>(ranks)));
      return done;
    }
    Placement at_ends = context.placement; // GPUs, or their hosts where the library cannot read GPU memory
    at_ends.workers = ends;
    TrainingContext between{context.cluster,
                            context.job,
                            at_ends,
                            context.dnn,
                            context.workers,
                            context.transports,
                            context.bytes_per_gradient_element,
                            context.random,
                            context.newer_gpus,
                            context.alone};
    between.gpu = context.gpu;
    const bool barrier = operation == "barrier"; // an all-reduce of four bytes
    const Settings merged = over_transport(transport, context.job.training.settings);
    CollectiveCall call =
        one_call(between, transport, merged, barrier ? "all_reduce" : operation, barrier ? Bytes{4} : payload);
    const std::string how = operation == "all_reduce" ? how_done(between, transport, merged, payload).taken : "";
    return {add(how.empty() ? operation : operation + " (" + how + ")", Role::exchange, std::move(call), after, lanes)};
  }
};

TY_REGISTER(TrainingMode, OneCollective, "one_collective",
            "one operation of a communication library per step: send, broadcast, all_reduce…");

} // namespace
} // namespace trainyard
