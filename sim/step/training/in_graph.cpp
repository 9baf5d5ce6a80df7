// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_program.hpp"

namespace trainyard {
namespace {

/// In-graph replication: one client builds one graph with all workers in it and feeds every batch to them.
///
/// The client's connection bounds the workers: W_max = t B_client / batch bytes; more workers add nothing.
/// Source: TensorFlow 1.x, "Distributed TensorFlow", section "Replicated training".
class InGraph final : public TrainingMode
{
public:
  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> list = server_exchange_parameters();
    list.push_back({.name = "client",
                    .kind = "name",
                    .meaning = "node of the client; default: the first server's, or the first worker's"});
    return list;
  }

  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    const ServerExchange exchange = server_exchange(context, diagnostics);
    if (context.placement.client.index < 0)
      diagnostics.error({.path = context.job.path + ".training.client"},
                        "job '" + context.job.name +
                            "' uses in-graph replication but has no client; give its node with 'client:'");
    if (exchange.rule != nullptr && !exchange.rule->aggregates())
      diagnostics.error({.path = context.job.path + ".training.update_rule"},
                        "in-graph replication runs all workers in one call and is synchronous; use 'update_rule: "
                        "sync' or mode parameter_server");
    if (context.dnn.input_bytes <= 0)
      diagnostics.error({.path = context.job.path + ".model"},
                        "model '" + context.dnn.name +
                            "' does not give the size of a sample, which the client needs to feed the workers");
  }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    ServerExchange exchange = server_exchange(context);
    exchange.client = context.placement.client;
    exchange.one_represents_all = false;
    exchange.local_aggregation = "none";
    if (exchange.servers.empty())
      exchange.servers = {context.placement.client};
    return server_program(context, exchange, first_step, steps);
  }
};

TY_REGISTER(TrainingMode, InGraph, "in_graph", "one client builds the graph and feeds all workers");

} // namespace
} // namespace trainyard
