// SPDX-License-Identifier: Apache-2.0
// Building and routing large clusters: ./benchmarks --benchmark_filter=Cluster
#include "models/cluster/build.hpp"
#include "models/cluster/rings.hpp"

#include <benchmark/benchmark.h>

namespace trainyard {
namespace {

ClusterSpec spec_of(const std::string& topology, int nodes, int gpus, int nics)
{
  ClusterSpec spec;
  NodeTypeSpec type;
  type.name = "machine";
  type.gpu = "V100";
  type.gpus = gpus;
  type.intra = gpus > 0 ? "nvswitch" : "host_only";
  type.nics = nics;
  spec.node_types["machine"] = type;
  spec.nodes.push_back({"worker", "machine", nodes, 0});
  spec.network.topology = topology;
  spec.network.link = "100GbE";
  return spec;
}

/// 1,000 routes between nodes far apart; the first route of all, which makes the index, included.
void cluster_thousand_routes(benchmark::State& state, const std::string& topology, int nodes, int gpus, int nics)
{
  const Cluster cluster = build_cluster(spec_of(topology, nodes, gpus, nics));
  for (auto _ : state)
    for (std::uint64_t flow = 0; flow < 1000; ++flow) {
      const auto a = static_cast<std::size_t>(flow * 7919) % cluster.nodes().size();
      const auto b = static_cast<std::size_t>(flow * 104'729 + 17) % cluster.nodes().size();
      const Node& from = cluster.nodes()[a];
      const Node& to = cluster.nodes()[b];
      benchmark::DoNotOptimize(gpus > 0 ? cluster.route(from.gpus[flow % from.gpus.size()], to.gpus[0], flow)
                                        : cluster.route(from.host, to.host, flow));
    }
}
BENCHMARK_CAPTURE(cluster_thousand_routes, fat_tree_10000_nodes, "fat_tree", 10'000, 0, 1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cluster_thousand_routes, fat_tree_100000_gpus, "fat_tree", 12'500, 8, 1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cluster_thousand_routes, rail_100000_gpus, "rail", 12'500, 8, 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cluster_thousand_routes, torus_10000_nodes, "torus", 10'000, 0, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cluster_thousand_routes, dragonfly_10000_nodes, "dragonfly", 10'000, 0, 1)
    ->Unit(benchmark::kMillisecond);

void cluster_rings_of_1024_gpus(benchmark::State& state)
{
  const Cluster cluster = build_cluster(spec_of("rail", 128, 8, 8));
  std::vector<VertexId> ranks;
  for (const Node& node : cluster.nodes())
    ranks.insert(ranks.end(), node.gpus.begin(), node.gpus.end());
  for (auto _ : state)
    benchmark::DoNotOptimize(rings(cluster, ranks));
}
BENCHMARK(cluster_rings_of_1024_gpus)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace trainyard
