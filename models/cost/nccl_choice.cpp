#include "models/cost/nccl_choice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trainyard {
namespace {

constexpr const char* tuning_source = "NCCL, src/graph/tuning.cc (2.7)";

double ring_factor(int ranks)
{
  return 2.0 * (ranks - 1) / ranks;
}

Seconds low_latency_hops(const CollectiveTuning& tuning, const CollectiveShape& shape, bool tree)
{
  const Seconds inside =
      (shape.nvlink ? tuning.nvlink_hop_ll : tuning.pcie_hop_ll) * (shape.nodes > 1 ? 1.8 : 1.0); // tuning.cc: flag writes
  if (tree) {
    const double levels = std::ceil(std::log2(std::max(shape.nodes, 1)));
    const double inside_hops = static_cast<double>(shape.ranks) / shape.nodes - 1;
    return (inside * inside_hops + tuning.network_hop_ll * levels) * 2;
  }
  const int between = 2 * (shape.nodes - 1);
  return inside * (2 * (shape.ranks - 1) - between) + tuning.network_hop_ll * between;
}

} // namespace

std::vector<Parameter> collective_tuning_parameters()
{
  return {
      {"launch_time", "duration", "20 us", "host call and kernel launch of one collective", 0},
      {"ring_base_latency", "duration", "8.4 us", "start-up of a ring, simple protocol", 0, 1, {}, tuning_source},
      {"nvlink_hop_latency", "duration", "3.4 us", "one hop over NVLink, simple protocol", 0, 1, {}, tuning_source},
      {"pcie_hop_latency", "duration", "5.7 us", "one hop over PCIe, simple protocol", 0, 1, {}, tuning_source},
      {"network_hop_latency", "duration", "9.6 us", "one hop over the network, simple protocol", 0, 1, {}, tuning_source},
      {"network_hop_latency_ll", "duration", "5 us", "one hop over the network, low-latency protocol", 0, 1, {}, tuning_source},
      {"plateau_factor", "number", "1.9", "latency factor of rings over several nodes from ranks/16 x 64 KiB on", 1, 10, {}, tuning_source},
      {"tree_from_nodes", "integer", "3", "fewest nodes for which trees carry large messages", 1, 1e9, {}, tuning_source},
      {"low_latency", "boolean", "true", "the library chooses trees and the LL protocol for small messages", 0, 1, {}, tuning_source},
  };
}

CollectiveTuning collective_tuning(const Settings& settings)
{
  CollectiveTuning tuning;
  const auto duration = [&](const char* name, Seconds& value) { value = Seconds{settings.number(name, value.value())}; };
  duration("launch_time", tuning.launch);
  duration("ring_base_latency", tuning.ring_base);
  duration("nvlink_hop_latency", tuning.nvlink_hop);
  duration("pcie_hop_latency", tuning.pcie_hop);
  duration("network_hop_latency", tuning.network_hop);
  if (!settings.has("network_hop_latency_ll")) // a network that is slower than the default is slow for the LL protocol too
    tuning.network_hop_ll = std::max(tuning.network_hop_ll, tuning.network_hop * (5.0 / 9.6));
  duration("network_hop_latency_ll", tuning.network_hop_ll);
  tuning.plateau_factor = settings.number("plateau_factor", tuning.plateau_factor);
  tuning.tree_from_nodes = settings.integer("tree_from_nodes", tuning.tree_from_nodes);
  tuning.low_latency = settings.flag("low_latency", tuning.low_latency);
  return tuning;
}

Seconds ring_latency(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1)
    return {};
  const int between = 2 * (shape.nodes - 1);
  const int inside = 2 * (shape.ranks - 1) - between;
  Seconds latency = tuning.ring_base + (shape.nvlink ? tuning.nvlink_hop : tuning.pcie_hop) * inside + tuning.network_hop * between;
  if (shape.nodes > 1 && payload.value() >= shape.ranks / 16.0 * 65536)
    latency *= tuning.plateau_factor;
  return tuning.launch + latency;
}

CollectiveChoice choose_collective(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  CollectiveChoice best{.latency = ring_latency(tuning, shape, payload)};
  if (shape.ranks <= 1 || !tuning.low_latency)
    return best;
  const CollectiveChoice ring_ll{.protocol = "LL",
                                 .latency = tuning.launch + tuning.ring_base_ll + low_latency_hops(tuning, shape, false),
                                 .efficiency = tuning.ll_efficiency};
  const double flows = std::clamp(shape.flow_headroom, 1.0, 2.0);
  const double levels = std::ceil(std::log2(std::max(shape.nodes, 1)));
  const CollectiveChoice tree{.algorithm = "tree",
                              .latency = tuning.launch + (tuning.tree_hop * (static_cast<double>(shape.ranks) / shape.nodes - 1) +
                                                          std::max(tuning.tree_network_hop, tuning.network_hop) * levels) *
                                                             2,
                              .efficiency = tuning.tree_efficiency * ring_factor(shape.ranks) / 2 * flows};
  // A tree moves the payload up and down, 2 x payload, where a ring moves 2(n-1)/n; LL reaches 1/3.8 of 0.9 of the bandwidth.
  const CollectiveChoice tree_ll{.algorithm = "tree",
                                 .protocol = "LL",
                                 .latency = tuning.launch + tuning.tree_base_ll + low_latency_hops(tuning, shape, true),
                                 .efficiency = tuning.tree_efficiency / 3.8 * ring_factor(shape.ranks) / 2};
  Seconds best_time = collective_time(best, shape, payload);
  std::vector<CollectiveChoice> candidates{ring_ll, tree_ll};
  if (shape.nodes >= tuning.tree_from_nodes)
    candidates.push_back(tree);
  if (shape.nvlink) {
    const int between = 2 * (shape.nodes - 1);
    const Seconds hop = tuning.network_hop * tuning.network_ll128;
    candidates.push_back(
        {.protocol = "LL128",
         .latency = tuning.launch + tuning.ring_base_ll128 + tuning.nvlink_ring_ll128 * (2 * (shape.ranks - 1) - between) + hop * between,
         .efficiency = tuning.ll128_efficiency});
    candidates.push_back(
        {.algorithm = "tree",
         .protocol = "LL128",
         .latency = tuning.launch + tuning.tree_base_ll128 +
                    (tuning.nvlink_tree_ll128 * (static_cast<double>(shape.ranks) / shape.nodes - 1) + hop * 2 * levels) * 2,
         .efficiency = tuning.tree_efficiency * 0.915 * ring_factor(shape.ranks) / 2});
  }
  for (const CollectiveChoice& choice : candidates)
    if (const Seconds time = collective_time(choice, shape, payload); time < best_time) {
      best = choice;
      best_time = time;
    }
  return best;
}

Seconds collective_time(const CollectiveChoice& choice, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1)
    return {};
  return choice.latency + payload * ring_factor(shape.ranks) / (shape.bus_bandwidth * choice.efficiency);
}

double expected_maximum(int n)
{
  if (n <= 1)
    return 0;
  const double target = (n - 0.375) / (n + 0.25);
  double low = 0;
  double high = 10;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

} // namespace trainyard
