// SPDX-License-Identifier: Apache-2.0
// Speed of the executors: cmake --preset bench && cmake --build --preset bench && build/bench/bin/benchmarks
// --benchmark_filter=Ring
#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "sim/run/simulate.hpp"
#include "sim/step/engine/fluid_network.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/queue_network.hpp"
#include "sim/step/prepared.hpp"
#include "tests/bench/peak_memory.hpp"
#include "tests/bench/simgrid_flows_peer.hpp"
#include "tests/bench/simgrid_ring_peer.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/contention_case.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trainyard {
namespace {

void ring(benchmark::State& state, const char* fidelity)
{
  tests::ContentionCase one{
      .hosts = static_cast<int>(state.range(0)), .per_leaf = 32, .jobs = 1, .oversubscription = 1, .packed = true};
  for (auto _ : state)
    benchmark::DoNotOptimize(one.durations(fidelity));
  state.counters["peak_MiB"] = peak_memory_mib();
}

void Ring_flow(benchmark::State& state)
{
  ring(state, "flow");
}
void Ring_fluid(benchmark::State& state)
{
  ring(state, "fluid");
}
void Ring_step(benchmark::State& state)
{
  ring(state, "step");
}
/// The same ring by SimGrid alone: what Ring_step is measured against.
void Peer_SimGrid_callbacks(benchmark::State& state)
{
  for (auto _ : state)
    benchmark::DoNotOptimize(bench::simgrid_ring(static_cast<int>(state.range(0)), 100e6, 12.5e9, 1e-6));
  state.counters["peak_MiB"] = peak_memory_mib();
}

constexpr int flow_hosts = 1024;
constexpr double flow_bandwidth = 12.5e9; // B/s

/// Messages between random hosts, up to 160 MB each, that start within a tenth of a second.
std::vector<bench::TimedFlow> random_flows(std::int64_t count)
{
  RandomStream random = Random{3}.stream("flows");
  std::vector<bench::TimedFlow> flows;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<int>(random.below(flow_hosts));
    const int to = (from + 1 + static_cast<int>(random.below(flow_hosts - 1))) % flow_hosts;
    flows.push_back({from, to, std::round(160e6 * random.uniform()), 0.1 * random.uniform()});
  }
  return flows;
}

/// Each start and each end is solved.
void Flows_fluid(benchmark::State& state)
{
  const std::vector<bench::TimedFlow> flows = random_flows(state.range(0));
  std::vector<std::vector<int>> links; // out of one host, into another
  for (const bench::TimedFlow& flow : flows)
    links.push_back({2 * flow.from, 2 * flow.to + 1});
  double end = 0;
  for (auto _ : state) {
    FluidNetwork network{std::vector<double>(2 * flow_hosts, flow_bandwidth)};
    network.run([&] {
      for (std::size_t i = 0; i < flows.size(); ++i)
        network.timer(flows[i].start, [&, i] {
          network.flow({.links = &links[i], .bytes = flows[i].bytes}, [&end, &network] { end = network.now(); });
        });
    });
  }
  state.counters["last_end_s"] = end;
}
/// The same flows by SimGrid alone.
void Peer_SimGrid_flows(benchmark::State& state)
{
  const std::vector<bench::TimedFlow> flows = random_flows(state.range(0));
  double end = 0;
  for (auto _ : state)
    end = bench::simgrid_flows(flow_hosts, flow_bandwidth, flows);
  state.counters["last_end_s"] = end;
}

/// One evaluation of a step: one bucket over a ring. Cluster and program are made before; routes, plan and formula are
/// in the time.
void ClosedFormStep_ring(benchmark::State& state)
{
  tests::ContentionCase one{
      .hosts = static_cast<int>(state.range(0)), .per_leaf = 32, .jobs = 1, .oversubscription = 1, .packed = true};
  const Cluster cluster = one.cluster();
  const std::vector<StepProgram> programs = one.programs(cluster);
  const ProgramRun run{&programs.front(), Seconds{}};
  const auto executor = Registry<Executor>::instance().create("closed_form");
  for (auto _ : state)
    benchmark::DoNotOptimize(executor->run(cluster, {&run, 1}));
  state.counters["peak_MiB"] = peak_memory_mib();
}

void HundredJobsOf64Ranks_fluid(benchmark::State& state)
{
  tests::ContentionCase one{.hosts = 6400, .per_leaf = 32, .jobs = 100, .oversubscription = 4};
  const Cluster cluster = one.cluster();
  const std::vector<StepProgram> programs = one.programs(cluster);
  std::vector<ProgramRun> runs;
  for (const StepProgram& program : programs)
    runs.push_back({&program, Seconds{}});
  const auto executor = Registry<Executor>::instance().create("fluid");
  for (auto _ : state)
    benchmark::DoNotOptimize(executor->run(cluster, runs));
}

/// ResNet-50 on machines with 8 GPUs each, all-reduce in about 16 buckets, for @p steps steps.
std::vector<CheckedPoint> resnet50_points(int gpus, const std::string& fidelity, int steps)
{
  const std::string text =
      "trainyard: 1\nname: bench\ncluster:\n  node_types:\n    machine: {gpu: V100-SXM2-16GB, gpus: 8}\n"
      "  nodes: [{name: machine, type: machine, count: " +
      std::to_string((gpus + 7) / 8) +
      "}]\n  network: {topology: star, link: 100GbE}\n"
      "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: " +
      std::to_string(gpus) + ", steps: " + std::to_string(steps) +
      ",\n     training: {mode: all_reduce, bucket_size: 4500000 B, first_bucket_size: 4500000 B}}\nrun: {fidelity: " +
      fidelity + "}\n";
  return tests::checked_points(text, "bench.yaml");
}

/// One step of ResNet-50, as its training mode writes it down, once its routes, plans and formulas are known: what each
/// further evaluation costs. Looking for the routes is ClosedFormStep_ring's first evaluation.
void ClosedFormStep_resnet50(benchmark::State& state)
{
  const CheckedPoint point = resnet50_points(static_cast<int>(state.range(0)), "closed_form", 1).front();
  const Catalogue catalogue = load_catalogue(data_folder());
  Diagnostics diagnostics;
  const std::unique_ptr<PreparedScenario> prepared = prepare(point.scenario, catalogue, diagnostics);
  FreeSlots slots = all_free(prepared->cluster);
  Placement placement = place_packed(prepared->cluster, prepared->jobs.front().spec, slots, diagnostics);
  const std::unique_ptr<PlacedJob> placed =
      place(*prepared, prepared->jobs.front(), std::move(placement), catalogue, diagnostics);
  diagnostics.throw_if_errors();
  const StepProgram program = prepared->jobs.front().mode->program(*placed->context, 0, 1);
  const ProgramRun run{&program, Seconds{}};
  ProgramRunner runner{prepared->cluster, {&run, 1}, CollectiveStyle::formula};
  for (auto _ : state) {
    QueueNetwork network{runner.routes().capacities()};
    benchmark::DoNotOptimize(runner.run(network));
  }
  state.counters["operations"] = static_cast<double>(program.operations.size());
}

/// Whole runs, cluster and program building included: to the steady state, then carried forward.
void resnet50(benchmark::State& state, const std::string& fidelity)
{
  const std::vector<CheckedPoint> points = resnet50_points(1024, fidelity, static_cast<int>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(simulate(points));
  state.counters["peak_MiB"] = peak_memory_mib();
}
BENCHMARK_CAPTURE(resnet50, on_1024_gpus_fluid_steps, "fluid")
    ->Arg(1)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(resnet50, on_1024_gpus_flow_steps, "flow")
    ->Arg(1)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

BENCHMARK(ClosedFormStep_resnet50)->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(ClosedFormStep_ring)->Arg(8)->Arg(64)->Arg(512)->Arg(1024)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(Ring_flow)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Ring_fluid)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Ring_step)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);
BENCHMARK(Peer_SimGrid_callbacks)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);
BENCHMARK(Flows_fluid)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Peer_SimGrid_flows)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK(HundredJobsOf64Ranks_fluid)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace trainyard
