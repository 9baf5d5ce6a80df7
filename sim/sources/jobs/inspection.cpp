// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/inspection.hpp"

#include "models/core/data_folder.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/engine/fluid_network.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/prepared.hpp"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

struct Stopped {
};

class Watcher final : public FluidWatcher
{
public:
  using Visit = std::function<bool(Seconds, bool, const std::function<EngineState()>&)>;

  Watcher(const Cluster& cluster, const std::vector<StepProgram>& programs, const RouteTable& routes,
          const Visit& visit)
      : cluster_{cluster}, programs_{programs}, routes_{routes}, visit_{visit}
  {
  }

  void instant(const FluidNetwork& network) override { tell(network, false); }

  void tell(const FluidNetwork& network, bool ended)
  {
    if (!visit_(Seconds{network.now()}, ended, [&] { return state(network, ended); }) && !ended)
      throw Stopped{};
  }

private:
  std::string job_of(NetworkOwner owner) const
  {
    return owner.program < 0 ? "" : programs_[static_cast<std::size_t>(owner.program)].job;
  }

  std::string name_of(NetworkOwner owner) const
  {
    if (owner.program < 0 || owner.operation < 0)
      return "start";
    const Operation& operation =
        programs_[static_cast<std::size_t>(owner.program)].operations[static_cast<std::size_t>(owner.operation)];
    std::string name = operation.name.empty() ? to_text(operation.role) : operation.name.text();
    if (operation.worker >= 0)
      name += " of worker-" + std::to_string(operation.worker);
    return name + ", step " + std::to_string(operation.step);
  }

  std::string capacity_name(int index) const
  {
    if (index < static_cast<int>(cluster_.links().size()))
      return cluster_.links()[static_cast<std::size_t>(index)].name;
    for (std::size_t p = programs_.size(); p-- > 0;)
      if (index >= routes_.resource_base(p))
        return programs_[p].resources[static_cast<std::size_t>(index - routes_.resource_base(p))].name;
    return {};
  }

  EngineState state(const FluidNetwork& network, bool ended) const
  {
    EngineState state;
    state.time = Seconds{network.now()};
    state.ended = ended;
    const SolverWork& work = network.work();
    state.instants = work.instants;
    state.solves = work.solves;
    state.rates = work.frozen;
    state.levels = work.levels;
    state.last_rates = work.last_frozen;
    state.most_flows = work.most_flows;
    state.event_count = network.pending_count();
    for (const PendingEvent& event : network.pending(most_inspected))
      state.events.push_back({Seconds{event.time}, job_of(event.owner), name_of(event.owner), event.flow});
    std::vector<ActiveFlow> flows = network.flows();
    state.flow_count = flows.size();
    std::map<int, InspectedLink> links;
    for (const ActiveFlow& flow : flows)
      for (const int link : *flow.links) {
        InspectedLink& row = links[link];
        row.rate += BytesPerSecond{flow.rate};
        ++row.flows;
      }
    std::ranges::stable_sort(flows, [](const ActiveFlow& a, const ActiveFlow& b) { return a.rate > b.rate; });
    if (flows.size() > most_inspected)
      flows.resize(most_inspected);
    for (const ActiveFlow& flow : flows) {
      InspectedFlow row{job_of(flow.owner),    name_of(flow.owner),       {}, Bytes{flow.sent},
                        Bytes{flow.remaining}, BytesPerSecond{flow.rate}, {}, flow.held};
      for (const int link : *flow.links)
        row.links.push_back(capacity_name(link));
      if (flow.bottleneck >= 0)
        row.bottleneck = capacity_name(flow.bottleneck);
      state.flows.push_back(std::move(row));
    }
    for (auto& [index, row] : links) {
      row.name = capacity_name(index);
      row.capacity = BytesPerSecond{routes_.capacities()[static_cast<std::size_t>(index)]};
      state.links.push_back(std::move(row));
    }
    std::ranges::stable_sort(state.links, [](const InspectedLink& a, const InspectedLink& b) {
      return a.rate / a.capacity > b.rate / b.capacity;
    });
    if (state.links.size() > most_inspected)
      state.links.resize(most_inspected);
    return state;
  }

  const Cluster& cluster_;
  const std::vector<StepProgram>& programs_;
  const RouteTable& routes_;
  const Visit& visit_;
};

} // namespace

void inspect(const CheckedPoint& point, int steps, const Watcher::Visit& visit)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  Diagnostics diagnostics;
  const std::unique_ptr<PreparedScenario> prepared = prepare(point.scenario, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  FreeSlots slots = all_free(prepared->cluster);
  std::vector<std::unique_ptr<PlacedJob>> placed;
  std::vector<StepProgram> programs;
  for (const PreparedJob& job : prepared->jobs) {
    Diagnostics no_place;
    Placement placement = place_packed(prepared->cluster, job.spec, slots, no_place);
    if (no_place.has_errors())
      continue;
    placed.push_back(place(*prepared, job, std::move(placement), catalogue, diagnostics));
    diagnostics.throw_if_errors();
    programs.push_back(job.mode->program(*placed.back()->context, 0, steps));
  }
  if (programs.empty())
    throw InputError{
        "there is nothing to step through: the scenario has no jobs, or none of them is placed on the cluster"};
  std::vector<ProgramRun> runs;
  for (const StepProgram& program : programs)
    runs.push_back({&program, Seconds{}});
  ProgramRunner runner{prepared->cluster, runs, CollectiveStyle::pipelined};
  runner.routes().more_may_come(); // each edge of a ring is a flow that can be looked at
  FluidNetwork network{runner.routes().capacities()};
  Watcher watcher{prepared->cluster, programs, runner.routes(), visit};
  network.watch(watcher);
  try {
    runner.run(network);
  } catch (const Stopped&) {
    return;
  }
  watcher.tell(network, true);
}

} // namespace trainyard
