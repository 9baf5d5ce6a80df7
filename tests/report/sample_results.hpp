// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <cmath>
#include <string>

namespace trainyard::tests {

/// Invented results of a comparison: two models, four variants, 1…64 GPUs, and the timeline of the last point.
inline Results sample_results()
{
  Results results;
  results.run.scenario_name = "vgg16_ps_vs_ring";
  results.run.scenario_text = "name: vgg16_ps_vs_ring\n";
  results.run.scenario_file = "vgg16_ps_vs_ring.yaml";
  results.run.fidelity = "flow";
  results.description = "parameter server or ring?";
  for (const std::string model : {"vgg16", "resnet50"})
    for (const std::string variant : {"ps:1 sync", "ps:4 sync", "ps:8 async", "ring"})
      for (const int workers : {1, 2, 4, 8, 16, 32, 64}) {
        JobRow row;
        row.variant = variant;
        row.workers = workers;
        row.point = "workers=" + std::to_string(workers) + " variant=" + variant;
        row.job = "train";
        row.model = model;
        row.sample = "image";
        row.gpu = "v100";
        row.network = "25GbE star";
        row.training = variant == "ring" ? "all_reduce" : "parameter_server";
        row.batch_per_gpu = 32;
        row.fidelity = "flow";
        const double single = model == "vgg16" ? 220 : 340;
        const double loss = (variant == "ring"         ? 0.12
                             : variant == "ps:8 async" ? 0.3
                             : variant == "ps:4 sync"  ? 1.1
                                                       : 4.0) *
                            (model == "vgg16" ? 2 : 0.4);
        const double efficiency = 1 / (1 + loss * (workers - 1) / (variant == "ring" ? workers : 16.0));
        row.scaling_efficiency = efficiency;
        const double rate = single * workers * efficiency;
        row.samples_per_second = {rate, rate, rate};
        row.step_s = {32 / single / efficiency, 32 / single / efficiency, 32 / single / efficiency};
        row.compute = Seconds{32 / single};
        row.exposed_communication = Seconds{row.step_s.mean - 32 / single};
        row.bottleneck.text = efficiency > 0.6 ? "GPU compute: 80 % of the step" : "NIC of ps-0: 98 % busy";
        row.staleness_mean = variant == "ps:8 async" ? workers - 1 : 0;
        row.staleness_max = 2 * row.staleness_mean;
        row.critical_path = {{"forward", Role::forward, "worker-0 compute", Seconds{0}, Seconds{0.05}, Seconds{0}, 16}};
        row.busiest = {{"NIC of ps-0 (in)", "link", 0.98, 0.99, Bytes{5e8}}};
        results.jobs.push_back(row);
      }
  const std::string point = results.jobs.back().point;
  results.steps.push_back({point, "train", 1, -1, Seconds{0.1}, Seconds{0.2}});
  for (int worker = 0; worker < 2; ++worker) {
    const std::string name = "worker-" + std::to_string(worker);
    for (int layer = 0; layer < 8; ++layer) {
      results.spans.push_back({point, "train", name + " compute", LaneKind::compute,
                               "forward conv" + std::to_string(layer), Role::forward, 1, worker,
                               Seconds{0.1 + 0.004 * layer}, Seconds{0.104 + 0.004 * layer}});
      results.spans.push_back({point, "train", name + " compute", LaneKind::compute,
                               "backward conv" + std::to_string(layer), Role::backward, 1, worker,
                               Seconds{0.132 + 0.006 * layer}, Seconds{0.138 + 0.006 * layer}});
      results.spans.push_back({point, "train", name + " network", LaneKind::communication,
                               "push conv" + std::to_string(layer), Role::push, 1, worker,
                               Seconds{0.138 + 0.006 * layer}, Seconds{0.149 + 0.006 * layer}});
    }
  }
  results.spans.push_back({point, "train", "CPU of ps-0", LaneKind::host, "aggregate", Role::aggregate, 1, -1,
                           Seconds{0.191}, Seconds{0.2}});
  results.links.push_back({point,
                           "worker-0/nic-0 > leaf-0",
                           "NIC of worker-0 (out)",
                           "ethernet",
                           BytesPerSecond{3.125e9},
                           Bytes{1e8},
                           Seconds{0.1},
                           0.32,
                           0.5,
                           {"train"}});
  results.events.push_back({point, Seconds{0}, "submitted", "train", "2 workers, \"gang\""});
  return results;
}

} // namespace trainyard::tests
