// SPDX-License-Identifier: Apache-2.0
// Training jobs without a queue that arrive one after another, on a network that is oversubscribed four times: each job
// on two machines under one leaf (apart), or on machines under different leaves (crossing). Of many steps or of few.
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <string>
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

void jobs_arriving(benchmark::State& state, bool crossing, bool few)
{
  Diagnostics diagnostics;
  const Document document = parse_document(scenario(static_cast<int>(state.range(0)), crossing, few), "", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
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

} // namespace
} // namespace trainyard
