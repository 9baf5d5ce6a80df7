// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_program.hpp"

#include <set>

namespace trainyard {
namespace {

/// Several towers in one process on one node; variables in host memory or spread over the GPUs, moved by copies: no
/// message leaves the node.
///
/// Source: TensorFlow 1.x, "Using GPUs" (multi-tower); tf_cnn_benchmarks, variable_update=parameter_server with
/// local_parameter_device.
class MultiTower final : public TrainingMode
{
public:
  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> list = server_exchange_parameters();
    list.push_back({.name = "variables_on",
                    .kind = "name",
                    .default_value = "cpu",
                    .meaning = "where the node keeps the variables: in host memory, or on the GPUs in turn",
                    .source = "tf_cnn_benchmarks --local_parameter_device",
                    .choices = {"cpu", "gpu"}});
    return list;
  }

  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    const std::map<std::string, Transport> transports = no_transport(context);
    static_cast<void>(server_exchange(in_process(context, transports), diagnostics));
    std::set<NodeId> nodes;
    for (const VertexId worker : context.placement.workers)
      nodes.insert(context.cluster.vertex(worker).node);
    if (nodes.size() > 1)
      diagnostics.error({.path = context.job.path + ".nodes"},
                        "job '" + context.job.name + "' has towers on " + std::to_string(nodes.size()) +
                            " nodes; multi_tower works within one node, use mode parameter_server across nodes");
  }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    const std::map<std::string, Transport> transports = no_transport(context);
    const TrainingContext local = in_process(context, transports);
    ServerExchange exchange = server_exchange(local);
    exchange.in_process = true;
    exchange.local_aggregation = "none";
    exchange.one_represents_all = false;
    if (context.job.training.settings.text("variables_on", "cpu") == "gpu")
      exchange.servers = context.placement.workers;
    else
      exchange.servers = {context.cluster.node(context.cluster.vertex(context.placement.workers.front()).node).host};
    return server_program(local, exchange, first_step, steps);
  }

private:
  /// Copies need no transport: whatever the settings name, an ideal one is there.
  static std::map<std::string, Transport> no_transport(const TrainingContext& context)
  {
    return {{context.job.training.settings.text("transport", "grpc"), Transport{}}};
  }

  static TrainingContext in_process(const TrainingContext& context, const std::map<std::string, Transport>& transports)
  {
    return {context.cluster,
            context.job,
            context.placement,
            context.dnn,
            context.workers,
            transports,
            context.bytes_per_gradient_element,
            context.random};
  }
};

TY_REGISTER(TrainingMode, MultiTower, "multi_tower", "towers on the GPUs of one node, variables on its CPU or GPUs");

} // namespace
} // namespace trainyard
