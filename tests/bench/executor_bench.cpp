// Speed of the executors: cmake --preset bench && cmake --build --preset bench && build/bench/bin/benchmarks --benchmark_filter=Ring
#include "tests/support/contention_case.hpp"

#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

namespace trainyard {
namespace {

/// Peak resident memory of this process so far, MiB.
double peak_memory_mib()
{
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  return 0;
}

void ring(benchmark::State& state, const char* fidelity)
{
  tests::ContentionCase one{.hosts = static_cast<int>(state.range(0)), .per_leaf = 32, .jobs = 1, .oversubscription = 1, .packed = true};
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
void Ring_closed_form(benchmark::State& state)
{
  ring(state, "closed_form");
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

BENCHMARK(Ring_closed_form)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Ring_flow)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Ring_fluid)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Ring_step)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);
BENCHMARK(HundredJobsOf64Ranks_fluid)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace trainyard
