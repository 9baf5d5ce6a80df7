// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/random.hpp"
#include "sim/step/engine/executor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::tests {

/// Several rings on one oversubscribed two-level network: hosts on leaves, leaves on one spine with `oversubscription`
/// times less bandwidth.
struct ContentionCase {
  int hosts = 64;
  int per_leaf = 16;
  int jobs = 4;
  double oversubscription = 4;
  bool packed = false; // ranks side by side, or anywhere
  double stagger = 0;  // jobs start this far apart, in s
  Bytes payload{100e6};
  std::uint64_t seed = 1;
  BytesPerSecond link{12.5e9}; // of a host

  Cluster cluster() const
  {
    Cluster result;
    const int leaves = (hosts + per_leaf - 1) / per_leaf;
    const VertexId spine = result.add_vertex({VertexKind::network_switch, "spine", {}});
    std::vector<VertexId> leaf;
    for (int i = 0; i < leaves; ++i) {
      leaf.push_back(result.add_vertex({VertexKind::network_switch, "leaf-" + std::to_string(i), {}}));
      result.add_link("up-" + std::to_string(i), LinkKind::ethernet, leaf.back(), spine,
                      link * (per_leaf / oversubscription), Seconds{1e-6});
    }
    for (int i = 0; i < hosts; ++i) {
      Node node;
      node.name = "host-" + std::to_string(i);
      node.host = result.add_vertex({VertexKind::host, node.name, NodeId{i}});
      result.add_node(node);
      result.add_link(node.name, LinkKind::ethernet, node.host, leaf[static_cast<std::size_t>(i / per_leaf)], link,
                      Seconds{1e-6});
    }
    return result;
  }

  std::vector<StepProgram> programs(const Cluster& made) const
  {
    std::vector<VertexId> order;
    for (const Node& node : made.nodes())
      order.push_back(node.host);
    RandomStream stream = Random{seed}.stream("placement");
    if (!packed)
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[stream.below(i)]);
    std::vector<StepProgram> result(static_cast<std::size_t>(jobs));
    const std::size_t each = order.size() / static_cast<std::size_t>(jobs);
    for (std::size_t j = 0; j < result.size(); ++j) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(j * each);
      result[j].add(Operation{
          .work = CollectiveCall{.ranks = std::vector<VertexId>(first, first + static_cast<std::ptrdiff_t>(each)),
                                 .payload = payload}});
    }
    return result;
  }

  /// Time each job takes at a fidelity.
  std::vector<double> durations(const std::string& fidelity) const
  {
    const Cluster made = cluster();
    const std::vector<StepProgram> work = programs(made);
    std::vector<ProgramRun> runs;
    for (std::size_t j = 0; j < work.size(); ++j)
      runs.push_back({&work[j], Seconds{stagger * static_cast<double>(j)}});
    std::vector<double> result;
    for (const StepTrace& trace : Registry<Executor>::instance().create(fidelity)->run(made, runs))
      result.push_back((trace.end - trace.begin).value());
    return result;
  }
};

} // namespace trainyard::tests
