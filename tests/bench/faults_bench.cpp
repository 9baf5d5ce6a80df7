// SPDX-License-Identifier: Apache-2.0
// Speed of the cluster around the jobs: 10,000 machines, 100,000 tasks and their failures over a year.
//   ./benchmarks --benchmark_filter=faults
#include "models/core/data_folder.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <benchmark/benchmark.h>

namespace trainyard {
namespace {

/// @p nodes machines with 8 GPUs each in racks of 20; services of all kinds with @p tasks tasks in all, for a year.
/// GPUs fail every 50,000 h, machines every 20,000 h (each taking neighbours of its rack along with 2 %), racks every
/// 100,000 h, links every 200,000 h; the control plane notices and replaces as Kubernetes does.
OrchestrationInput a_year(int nodes, int tasks)
{
  OrchestrationInput input;
  input.cluster = ClusterShape::machines(nodes, 8, 96'000, 1'000'000, 20);
  FaultDomains domains;
  for (const NodeShape& node : input.cluster.nodes) {
    domains.nodes.push_back(node.name);
    domains.groups.emplace_back("node");
    domains.gpus.push_back(node.gpus);
    domains.racks.push_back(node.rack);
    input.traits.push_back({.group = "node"});
  }
  input.rules = rules_at(load_orchestrators(data_folder()).at("kubernetes"), "");
  input.rules.placements_per_second = 0;
  domains.managers = input.rules.managers;
  RandomStream draw = Random{1}.stream("bench");
  const double year = 365.0 * 86400;
  int left = tasks;
  for (int s = 0; left > 0; ++s) {
    ServiceSpec service;
    service.name = "s" + std::to_string(s);
    TaskGroupSpec group;
    group.cpu_milli = 4000;
    group.memory_mib = 16'000;
    switch (s % 4) {
    case 0: // a service that runs all year
      group.replicas = 20;
      group.cpu_milli = 2000;
      break;
    case 1: // a synchronous training job
      group.replicas = 1 << draw.below(6);
      group.gpus = 8;
      service.coupling = Coupling::sync;
      break;
    case 2: // elastic training
      group.replicas = 8;
      group.gpus = 4;
      service.coupling = Coupling::elastic;
      service.reform = Seconds{20};
      break;
    default: // a search over hyper-parameters
      group.replicas = 32;
      group.gpus = 1;
    }
    group.replicas = std::min(group.replicas, left);
    left -= group.replicas;
    if (s % 4 != 0) {
      service.arrival = Seconds{draw.uniform() * 0.9 * year};
      service.work = Seconds{draw.log_normal(3 * 86400.0, 1.2)};
      service.checkpoint = {Seconds{1800}, Seconds{30}, Seconds{60}};
    }
    service.groups = {group};
    input.services.push_back(service);
  }
  const auto rule = [](FaultKind kind, double hours, double repair_hours, double spreads = 0) {
    RandomFaultSpec one;
    one.kind = kind;
    one.mtbf = Seconds{hours * 3600};
    one.mttr = Seconds{repair_hours * 3600};
    one.repair = "log_normal";
    one.spreads = spreads;
    return one;
  };
  input.faults = FaultSchedule{{},
                               {rule(FaultKind::gpu, 50'000, 24), rule(FaultKind::node, 20'000, 4, 0.02),
                                rule(FaultKind::rack, 100'000, 6), rule(FaultKind::link, 200'000, 1)},
                               domains,
                               1};
  input.until = Instant{Seconds{year}};
  input.record = false;
  return input;
}

void faults_a_year(benchmark::State& state)
{
  const OrchestrationInput input = a_year(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  OrchestrationResult result;
  for (auto _ : state)
    result = orchestrate(input);
  int hit = 0, never_back = 0;
  for (const FaultOutcome& fault : result.faults) {
    hit += fault.tasks_hit;
    never_back += fault.never_back;
  }
  int finished = 0;
  for (const ServiceOutcome& outcome : result.services)
    finished += outcome.finished >= Instant{} ? 1 : 0;
  state.counters["services"] = static_cast<double>(input.services.size());
  state.counters["finished"] = finished;
  state.counters["failures"] = static_cast<double>(result.faults.size());
  state.counters["tasks_hit"] = hit;
  state.counters["never_back"] = never_back;
  state.counters["events"] = static_cast<double>(result.events);
}
BENCHMARK(faults_a_year)->Args({1000, 10'000})->Args({10'000, 100'000})->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace trainyard
