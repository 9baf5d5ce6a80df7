// SPDX-License-Identifier: Apache-2.0
#include "sim/results/graph_run.hpp"

#include "models/cluster/build.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/graph_program.hpp"

namespace trainyard {
namespace {

constexpr int simulated_calls = 4;

} // namespace

GraphRun run_graph(const Scenario& scenario, const Catalogue& catalogue, const GraphSection& graph)
{
  Diagnostics faults;
  const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, faults);
  faults.throw_if_errors();
  std::vector<LaneId> lanes;
  const StepProgram program = graph_program(cluster, catalogue, scenario, graph, simulated_calls, lanes);
  const ProgramRun run{&program, Seconds{}};
  const StepTrace trace =
      Registry<Executor>::instance().create(scenario.run.fidelity)->run(cluster, std::span{&run, 1}).front();
  GraphRun found;
  const std::vector<StepRow> calls = step_rows(program, trace);
  found.call = calls.back().end - calls.back().begin;
  found.busy.assign(lanes.size(), 0);
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (operation.step != simulated_calls - 1)
      continue;
    for (const LaneId lane : operation.lanes)
      for (std::size_t device = 0; device < lanes.size(); ++device)
        if (lanes[device] == lane)
          found.busy[device] += (trace.spans[i].end - trace.spans[i].begin) / found.call;
    if (const auto* transfer = std::get_if<Transfer>(&operation.work))
      if (cluster.vertex(transfer->from).node != cluster.vertex(transfer->to).node)
        found.network += transfer->bytes;
  }
  found.spans = trace_spans(program, trace);
  return found;
}

} // namespace trainyard
