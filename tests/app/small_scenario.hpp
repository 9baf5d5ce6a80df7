// SPDX-License-Identifier: Apache-2.0
// A sweep of four points that ends at once: ring and parameter server, with one worker and with four.
#pragma once

#include "tests/support/command_line.hpp"

namespace trainyard::tests {

inline constexpr const char* small_scenario = R"(question: does it run?
cluster:
  node_types:
    worker: {gpu: V100-SXM2-16GB, gpus: 1}
    server: {}
  nodes:
    - {name: worker, type: worker, count: 4}
    - {name: server, type: server, count: 1}
  network: {link: 25GbE}
jobs:
  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}
run: {fidelity: fluid}
sweep:
  grid: {jobs.0.workers: [1, 4]}
  variants:
    - {name: ring, set: {jobs.0.training: {mode: all_reduce, collective: ring}}}
    - {name: ps, set: {jobs.0.training: {mode: parameter_server, servers: 1}}}
)";

struct SmallScenario : CommandLine {
  SmallScenario() { write("small.yaml", small_scenario); }
};

} // namespace trainyard::tests
