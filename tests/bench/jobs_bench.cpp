// SPDX-License-Identifier: Apache-2.0
// Training jobs without a queue that arrive one after another, on a network that is oversubscribed four times: each job
// on two machines under one leaf (apart), or on machines under different leaves (crossing). Of many steps or of few.
// And larger mixes, with reading and checking their files.
#include "models/core/random.hpp"
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"
#include "tests/bench/peak_memory.hpp"
#include "tests/support/checked_points.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

std::string scenario(int jobs, bool crossing, bool few)
{
  std::string text =
      fmt::format("trainyard: 1\n"
                  "cluster:\n"
                  "  node_types: {{box: {{gpu: V100-PCIe-16GB, gpus: 4}}}}\n"
                  "  nodes: [{{name: box, type: box, count: {}}}]\n"
                  "  network: {{topology: leaf_spine, link: 10GbE, leaf_ports: 16, oversubscription: 4}}\n"
                  "run: {{fidelity: fluid}}\njobs:\n",
                  2 * jobs);
  for (int i = 0; i < jobs; ++i)
    text += fmt::format("  - {{name: j{}, model: resnet50, batch_per_gpu: 32, workers: 8, nodes: [box-{}, box-{}],\n"
                        "     steps: {}, arrival: {} s, training: {{mode: all_reduce, collective: ring}}}}\n",
                        i, crossing ? i : 2 * i, crossing ? i + jobs : 2 * i + 1, few ? 5 : 1000, i * (few ? 0.3 : 20));
  return text;
}

/// Jobs of two workers on random machines of a fat tree, one all-reduce of up to 160 MB each; they arrive within a
/// tenth of a second, so that their flows, two for each, contend.
std::string pairs(int jobs)
{
  RandomStream random = Random{3}.stream("pairs");
  std::string text = "trainyard: 1\n"
                     "cluster:\n"
                     "  node_types: {box: {gpu: V100-PCIe-16GB, gpus: 16}}\n"
                     "  nodes: [{name: box, type: box, count: 1024}]\n"
                     "  network: {topology: fat_tree, link: 100GbE}\n"
                     "run: {fidelity: fluid}\njobs:\n";
  for (int i = 0; i < jobs; ++i) {
    const std::uint64_t one = random.below(1024), other = (one + 1 + random.below(1023)) % 1024;
    text += fmt::format("  - {{name: j{}, model: {{name: one_tensor, elements: {}}}, workers: 2, nodes: [box-{}, "
                        "box-{}],\n     batch_per_gpu: 1, single_gpu_step: 1 ms, optimizer: sgd, steps: 1, "
                        "arrival: {} s,\n     training: {{mode: all_reduce, collective: ring}}}}\n",
                        i, 1'000'000 * (1 + random.below(40)), one, other, 0.1 * random.uniform());
  }
  return text;
}

/// Rings of 64 ranks on 8 random machines each, 100 MB, behind leaves that are oversubscribed four times; starts spread
/// over 50 ms.
std::string rings(int jobs, const std::string& fidelity)
{
  RandomStream random = Random{3}.stream("rings");
  std::string text =
      fmt::format("trainyard: 1\n"
                  "cluster:\n"
                  "  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 8}}}}\n"
                  "  nodes: [{{name: box, type: box, count: {}}}]\n"
                  "  network: {{topology: leaf_spine, link: 100GbE, leaf_ports: 32, oversubscription: 4}}\n"
                  "run: {{fidelity: {}}}\njobs:\n",
                  8 * jobs, fidelity);
  std::vector<int> machines(8 * static_cast<std::size_t>(jobs));
  std::iota(machines.begin(), machines.end(), 0);
  for (std::size_t i = machines.size(); i > 1; --i)
    std::swap(machines[i - 1], machines[random.below(i)]);
  for (int j = 0; j < jobs; ++j) {
    std::string nodes;
    for (int n = 0; n < 8; ++n)
      nodes += fmt::format("{}box-{}", n > 0 ? ", " : "", machines[static_cast<std::size_t>(8 * j + n)]);
    text += fmt::format("  - {{name: j{}, model: {{name: one_tensor, elements: 25000000}}, workers: 64, nodes: [{}],\n"
                        "     batch_per_gpu: 1, single_gpu_step: 1 ms, optimizer: sgd, steps: 1, arrival: {} s,\n"
                        "     training: {{mode: all_reduce, collective: ring}}}}\n",
                        j, nodes, 0.05 * random.uniform());
  }
  return text;
}

/// Jobs of 8 to 512 GPUs for a day on 16,384 GPUs behind leaves that are oversubscribed four times.
std::string day(int jobs)
{
  RandomStream random = Random{3}.stream("day");
  const int workers[] = {8, 8, 16, 16, 32, 32, 64, 64, 128, 256, 512};
  const char* const models[] = {"resnet50", "vgg16", "inception_v3", "alexnet"};
  std::string text = "trainyard: 1\n"
                     "cluster:\n"
                     "  node_types: {box: {gpu: V100-SXM2-32GB, gpus: 8}}\n"
                     "  nodes: [{name: box, type: box, count: 2048}]\n"
                     "  network: {topology: leaf_spine, link: 100GbE, leaf_ports: 32, oversubscription: 4}\n"
                     "run: {fidelity: fluid}\njobs:\n";
  double arrival = 0;
  for (int j = 0; j < jobs; ++j) {
    arrival += random.exponential(86400.0 / jobs);
    text += fmt::format("  - {{name: j{}, model: {}, workers: {}, batch_per_gpu: 32, steps: {}, arrival: {} s,\n"
                        "     training: {{mode: all_reduce, collective: ring}}}}\n",
                        j, models[random.below(4)], workers[random.below(11)],
                        static_cast<int>(random.log_normal(13'000, 1)), arrival);
  }
  return text;
}

/// The whole run, its file read and checked as well.
void from_file(benchmark::State& state, const std::string& text)
{
  for (auto _ : state) { // NOLINT(clang-analyzer-deadcode.DeadStores)
    const std::vector<CheckedPoint> points = tests::checked_points(text, "");
    benchmark::DoNotOptimize(simulate(points));
  }
  state.counters["peak_MiB"] = peak_memory_mib();
}

void jobs_pairs_on_a_fat_tree(benchmark::State& state)
{
  from_file(state, pairs(static_cast<int>(state.range(0))));
}

void jobs_rings_of_64(benchmark::State& state, const std::string& fidelity)
{
  from_file(state, rings(static_cast<int>(state.range(0)), fidelity));
}

void jobs_day_on_16384_gpus(benchmark::State& state)
{
  from_file(state, day(static_cast<int>(state.range(0))));
}

void jobs_arriving(benchmark::State& state, bool crossing, bool few)
{
  const std::vector<CheckedPoint> points =
      tests::checked_points(scenario(static_cast<int>(state.range(0)), crossing, few), "");
  for (auto _ : state) // NOLINT(clang-analyzer-deadcode.DeadStores)
    benchmark::DoNotOptimize(simulate(points));
}

BENCHMARK_CAPTURE(jobs_arriving, apart, false, false)->Arg(10)->Arg(50)->Arg(200)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_arriving, apart_few_steps, false, true)
    ->Arg(10)
    ->Arg(50)
    ->Arg(200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_arriving, crossing, true, false)->Arg(10)->Arg(50)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(jobs_arriving, crossing_few_steps, true, true)
    ->Arg(10)
    ->Arg(50)
    ->Arg(200)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

BENCHMARK(jobs_pairs_on_a_fat_tree)->Arg(625)->Arg(1250)->Arg(2500)->Arg(5000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_rings_of_64, fluid, "fluid")->Arg(25)->Arg(50)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_rings_of_64, flow, "flow")->Arg(2)->Arg(10)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(jobs_day_on_16384_gpus)->Arg(250)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
} // namespace trainyard
