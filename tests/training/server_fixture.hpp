// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/training_mode.hpp"
#include "tests/training/fluid_runner.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace trainyard::test {

/// A star of hosts, each with GPUs on links that never limit; the switch neither.
struct Fixture {
  Cluster cluster;
  JobSpec job;
  Placement placement;
  Dnn dnn;
  std::vector<WorkerTimes> workers;
  std::map<std::string, Transport> transports{{"grpc", Transport{.name = "grpc"}}};
  Random random{1};
  double element = 4;
  VertexId hub;

  explicit Fixture(int nodes, int gpus = 1, BytesPerSecond nic = BytesPerSecond{1.25e9},
                   BytesPerSecond pcie = BytesPerSecond{1e18}, int cores = 0, LinkKind network = LinkKind::ethernet)
  {
    hub = cluster.add_vertex({VertexKind::network_switch, "switch", {}});
    for (int n = 0; n < nodes; ++n) {
      const std::string name = "node-" + std::to_string(n);
      Node node{.name = name, .cpu_cores = cores};
      const NodeId id{n};
      node.host = cluster.add_vertex({VertexKind::host, name + "/host", id});
      cluster.add_link(name + "/nic", network, node.host, hub, nic, Seconds{});
      for (int g = 0; g < gpus; ++g) {
        node.gpus.push_back(cluster.add_vertex({VertexKind::gpu, name + "/gpu-" + std::to_string(g), id}));
        cluster.add_link(name + "/pcie", LinkKind::pcie, node.gpus.back(), node.host, pcie, Seconds{});
      }
      cluster.add_node(node);
    }
    job.name = "job";
    job.batch_per_gpu = 64;
    job.training.mode = "parameter_server";
    job.training.settings.set("pull_order", "arbitrary");
    job.training.settings.set("one_represents_all", "no");
    job.training.settings.set("spread", "none");
    for (int v = 0; v < 4; ++v)
      dnn.layers.push_back(
          {.name = "layer" + std::to_string(v), .parameters = {{.name = "v" + std::to_string(v), .elements = 6.4e6}}});
  }

  const Node& node(int n) const { return cluster.node(NodeId{n}); }

  /// Worker w computes t, a third of it forward, evenly over the layers.
  void add_worker(VertexId where, double t = 0.457)
  {
    placement.workers.push_back(where);
    WorkerTimes times;
    for (std::size_t layer = 0; layer < dnn.layers.size(); ++layer) {
      times.forward.push_back(Seconds{t / 3 / static_cast<double>(dnn.layers.size())});
      times.backward.push_back(Seconds{2 * t / 3 / static_cast<double>(dnn.layers.size())});
    }
    workers.push_back(times);
  }

  /// All messages share the connection, so that no variable is pulled before the last gradient is pushed.
  void no_overlap()
  {
    job.training.settings.set("push", "after_backward");
    job.training.settings.set("pull", "after_update");
    job.training.settings.set("messages_in_flight", 0);
  }

  TrainingContext context() const { return {cluster, job, placement, dnn, workers, transports, element, random}; }
  StepProgram program(int steps = 1) const
  {
    return Registry<TrainingMode>::instance().create(job.training.mode)->program(context(), 0, steps);
  }
  StepTrace run(const StepProgram& p) const { return test::run_fluid(cluster, p); }
  double time(int steps = 1) const { return run(program(steps)).end.value() / steps; }
};

/// W workers and P servers, each on a node of its own.
inline Fixture separate(int workers, int servers)
{
  Fixture f{workers + servers};
  for (int w = 0; w < workers; ++w)
    f.add_worker(f.node(w).gpus[0]);
  for (int s = 0; s < servers; ++s)
    f.placement.servers.push_back(f.node(workers + s).host);
  return f;
}

inline double bytes_between(const StepProgram& program, const std::vector<VertexId>& from,
                            const std::vector<VertexId>& to)
{
  double sum = 0;
  for (const Operation& operation : program.operations)
    if (const auto* transfer = std::get_if<Transfer>(&operation.work))
      if (std::ranges::count(from, transfer->from) > 0 && std::ranges::count(to, transfer->to) > 0)
        sum += transfer->bytes.value();
  return sum;
}

inline constexpr double S = 102.4e6;

} // namespace trainyard::test
