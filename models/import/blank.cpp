// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"

namespace trainyard {

std::string blank_scenario()
{
  return R"(# yaml-language-server: $schema=trainyard.schema.json
# The line above gives editors completion and checks; make the file with:  simrun schema > trainyard.schema.json
# Check this file with:  simrun check FILE      run it with:  simrun FILE
# Quantities need their unit: 25 Gbit/s, 40 ms, 512 GB. Names you can use: simrun list
trainyard: 1
name: my_cluster
question: how fast does my job train, and what holds it back?

cluster:
  node_types: # kinds of machines; simrun list gpus, simrun list nodes
    worker: {gpu: V100-SXM2-16GB, gpus: 4, intra: pcie_tree, nics: 1, cpu_cores: 32, memory: 256 GB} # price: 12 $/h
    server: {cpu_cores: 16} # parameter servers get machines of their own; leave it out for all-reduce
  nodes: # how many of each; their names are worker-0, worker-1…
    - {name: worker, type: worker, count: 4}
    - {name: server, type: server, count: 2}
  network: {topology: star, link: 25GbE} # simrun list topologies, simrun list links

jobs: # simrun list models, simrun list training
  - name: train
    model: resnet50
    precision: fp32
    batch_per_gpu: 32
    workers: 16 # GPUs
    training: {mode: all_reduce, collective: ring}
    # training: {mode: parameter_server, servers: 2, update_rule: sync}

# A queue of jobs instead of one job: a trace (simrun list traces), or generated jobs
# workload:
#   trace: {file: jobs.csv}
# scheduling:
#   policies: [fifo, easy_backfill] # simrun list queues

run:
  fidelity: flow # simrun list fidelities
  seed: 1

# One run per combination; simrun sweep spreads them over cores and machines
# sweep:
#   grid: {jobs.0.workers: [4, 8, 16]}
)";
}

} // namespace trainyard
