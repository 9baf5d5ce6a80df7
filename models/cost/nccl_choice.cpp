// SPDX-License-Identifier: Apache-2.0
#include "models/cost/nccl_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace trainyard {
namespace {

constexpr const char* tuning_source = "NCCL, src/graph/tuning.cc (2.7)";

double ring_factor(int ranks)
{
  return 2.0 * (ranks - 1) / ranks;
}

enum class Protocol { ll, ll128, simple };

/// What filling and emptying the pipeline of a tree costs beyond its hops, for payloads of medium size.
///
/// The library corrects the bandwidth of its trees by a table, by protocol, for payloads of 64 B, 128 B, … 256 MiB
/// (NCCL, src/graph/tuning.cc, `treeCorrectionFactor` of 2.12 and later). It was found where trees reach 80 GB/s
/// (`maxTreeBw` of 2.8), so what it adds there is taken as a time: a slow network hides the filling of a pipeline, a
/// fast one does not shorten it. Between the payloads of the table on a line over the logarithm.
Seconds tree_filling(Protocol protocol, Bytes payload)
{
  static constexpr std::array<std::array<double, 23>, 3> factors{{
      {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
      {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
  }};
  static constexpr std::array<double, 3> bandwidth{80e9 / 3.8, 80e9 * 0.915, 80e9}; // bus bandwidth, B/s
  const auto p = static_cast<std::size_t>(protocol);
  const auto& row = factors[p];
  const double place = std::log2(std::max(payload.value(), 64.0) / 64);
  if (place >= static_cast<double>(row.size()))
    return {}; // beyond the table the library corrects nothing
  const auto before = static_cast<std::size_t>(place);
  const double next = before + 1 < row.size() ? row[before + 1] : 1;
  const double factor = std::lerp(row[before], next, place - static_cast<double>(before));
  return Seconds{payload.value() / (bandwidth[p] / 2) * (1 / factor - 1)};
}

/// Most of the ring's bandwidth that the LL protocol can reach, whose flags pass through the processors' caches: 39
/// GB/s on up to two nodes, 20.4 GB/s on more (NCCL, src/graph/tuning.cc, `llMaxBws` of 2.10 and later, Volta and
/// Intel).
double low_latency_share(const CollectiveShape& shape)
{
  return (shape.nodes <= 2 ? 39e9 : 20.4e9) / shape.bus_bandwidth.value();
}

Seconds low_latency_hops(const CollectiveTuning& tuning, const CollectiveShape& shape, bool tree)
{
  const Seconds inside = (shape.nvlink ? tuning.nvlink_hop_ll : tuning.pcie_hop_ll) *
                         (shape.nodes > 1 ? 1.8 : 1.0); // tuning.cc: flag writes
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
      {"library_version",
       "name",
       "auto",
       "NCCL version whose start-up constants are used: 2.7 or 2.26; auto = 2.26 if the GPUs support fp8",
       0,
       0,
       {"auto", "2.7", "2.26"},
       "NCCL, src/graph/tuning.cc of both"},
      {"launch_time", "duration", "20 us", "host call and kernel launch of one collective", 0},
      {"ring_base_latency", "duration", "8.4 us", "start-up of a ring, simple protocol", 0, 1, {}, tuning_source},
      {"nvlink_hop_latency", "duration", "3.4 us", "one hop over NVLink, simple protocol", 0, 1, {}, tuning_source},
      {"pcie_hop_latency", "duration", "5.7 us", "one hop over PCIe, simple protocol", 0, 1, {}, tuning_source},
      {"network_hop_latency",
       "duration",
       "",
       "one hop over the network, simple protocol (2.7: 9.6 us, 2.26: 14 us)",
       0,
       1,
       {},
       tuning_source},
      {"network_hop_latency_ll",
       "duration",
       "",
       "one hop over the network, low-latency protocol (5 us)",
       0,
       1,
       {},
       tuning_source},
      {"plateau_factor",
       "number",
       "",
       "latency factor of rings over several nodes from ranks/16 x 64 KiB on (2.7: 1.9, 2.26: 1.4)",
       1,
       10,
       {},
       tuning_source},
      {"tree_from_nodes",
       "integer",
       "3",
       "fewest nodes for which trees carry large messages",
       1,
       1e9,
       {},
       tuning_source},
      {"switch_reduction",
       "boolean",
       "",
       "the library lets NVSwitches from generation 4 on add up (NVLS; 2.7: false, 2.26: true)",
       0,
       1,
       {},
       tuning_source},
      {"low_latency",
       "boolean",
       "true",
       "the library chooses trees and the LL protocol for small messages",
       0,
       1,
       {},
       tuning_source},
  };
}

CollectiveTuning newer_tuning()
{
  CollectiveTuning tuning;
  tuning.ring_base_ll = 6.6_us;
  tuning.tree_base_ll = 6.8_us;
  tuning.nvlink_hop_ll = 0.6_us;
  tuning.network_hop = 14_us;
  tuning.ring_base_ll128 = tuning.tree_base_ll128 = 14_us;
  tuning.nvlink_tree_ll128 = 1.25_us;
  tuning.network_ll128 = 4.0 / 14;
  tuning.plateau_factor = 1.4;
  tuning.ll_efficiency = 0.5;
  tuning.tree_hop = 4_us;
  tuning.tree_network_hop = 14_us;
  tuning.tree_efficiency = 0.92;
  tuning.switch_reduction = true;
  return tuning;
}

CollectiveTuning collective_tuning(const Settings& settings, bool newer_gpus)
{
  const std::string version = settings.text("library_version", "auto");
  CollectiveTuning tuning =
      version == "2.26" || (version == "auto" && newer_gpus) ? newer_tuning() : CollectiveTuning{};
  const double hop_ll = tuning.network_hop_ll / tuning.network_hop;
  const auto duration = [&](const char* name, Seconds& value) {
    value = Seconds{settings.number(name, value.value())};
  };
  duration("launch_time", tuning.launch);
  duration("ring_base_latency", tuning.ring_base);
  duration("nvlink_hop_latency", tuning.nvlink_hop);
  duration("pcie_hop_latency", tuning.pcie_hop);
  duration("network_hop_latency", tuning.network_hop);
  if (!settings.has(
          "network_hop_latency_ll")) // a network that is slower than the default is slow for the LL protocol too
    tuning.network_hop_ll = std::max(tuning.network_hop_ll, tuning.network_hop * hop_ll);
  duration("network_hop_latency_ll", tuning.network_hop_ll);
  tuning.plateau_factor = settings.number("plateau_factor", tuning.plateau_factor);
  tuning.tree_from_nodes = settings.integer("tree_from_nodes", tuning.tree_from_nodes);
  tuning.switch_reduction = settings.flag("switch_reduction", tuning.switch_reduction);
  tuning.low_latency = settings.flag("low_latency", tuning.low_latency);
  return tuning;
}

BytesPerSecond switch_reduction_rate(BytesPerSecond nvlinks, double share, int ranks)
{
  if (ranks < 2)
    return {};
  return nvlinks * (share * ranks / (ranks + 1.0));
}

Seconds ring_latency(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1)
    return {};
  const int between = 2 * (shape.nodes - 1);
  const int inside = 2 * (shape.ranks - 1) - between;
  Seconds latency =
      tuning.ring_base + (shape.nvlink ? tuning.nvlink_hop : tuning.pcie_hop) * inside + tuning.network_hop * between;
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
                                 .latency =
                                     tuning.launch + tuning.ring_base_ll + low_latency_hops(tuning, shape, false),
                                 .efficiency = std::min(tuning.ll_efficiency, low_latency_share(shape))};
  const double flows = std::clamp(shape.flow_headroom, 1.0, 2.0);
  const double levels = std::ceil(std::log2(std::max(shape.nodes, 1)));
  const CollectiveChoice tree{.algorithm = "tree",
                              .latency = tuning.launch +
                                         (tuning.tree_hop * (static_cast<double>(shape.ranks) / shape.nodes - 1) +
                                          std::max(tuning.tree_network_hop, tuning.network_hop) * levels) *
                                             2 +
                                         tree_filling(Protocol::simple, payload),
                              .efficiency = tuning.tree_efficiency * ring_factor(shape.ranks) / 2 * flows};
  // A tree moves the payload up and down, 2 x payload, where a ring moves 2(n-1)/n; LL reaches 1/3.8 of 0.9 of the
  // bandwidth.
  const CollectiveChoice tree_ll{.algorithm = "tree",
                                 .protocol = "LL",
                                 .latency = tuning.launch + tuning.tree_base_ll +
                                            low_latency_hops(tuning, shape, true) + tree_filling(Protocol::ll, payload),
                                 .efficiency = std::min(tuning.tree_efficiency / 3.8, low_latency_share(shape)) *
                                               ring_factor(shape.ranks) / 2};
  Seconds best_time = collective_time(best, shape, payload);
  std::vector<CollectiveChoice> candidates{ring_ll, tree_ll};
  if (shape.nodes >= tuning.tree_from_nodes)
    candidates.push_back(tree);
  if (shape.nvlink) {
    const int between = 2 * (shape.nodes - 1);
    const Seconds hop = tuning.network_hop * tuning.network_ll128;
    candidates.push_back({.protocol = "LL128",
                          .latency = tuning.launch + tuning.ring_base_ll128 +
                                     tuning.nvlink_ring_ll128 * (2 * (shape.ranks - 1) - between) + hop * between,
                          .efficiency = tuning.ll128_efficiency});
    candidates.push_back(
        {.algorithm = "tree",
         .protocol = "LL128",
         .latency =
             tuning.launch + tuning.tree_base_ll128 +
             (tuning.nvlink_tree_ll128 * (static_cast<double>(shape.ranks) / shape.nodes - 1) + hop * 2 * levels) * 2 +
             tree_filling(Protocol::ll128, payload),
         .efficiency = tuning.tree_efficiency * 0.915 * ring_factor(shape.ranks) / 2});
  }
  if (shape.switch_bandwidth > BytesPerSecond{} && tuning.switch_reduction) {
    // Between two nodes each sends its part once and gets the other's; between more, an inner node of the trees sends
    // twice as much.
    BytesPerSecond rate = shape.switch_bandwidth;
    Seconds latency = tuning.launch + tuning.switch_hop;
    if (shape.nodes > 1) {
      rate = std::min(rate, shape.node_bandwidth * (shape.nodes == 2 ? 1.0 : 0.5));
      latency += tuning.switch_network_hop * std::max(1.0, tuning.network_hop / newer_tuning().network_hop) *
                 (2 * levels); // a slower network
    }
    candidates.push_back({.algorithm = shape.nodes > 1 ? "nvls_tree" : "nvls",
                          .latency = latency,
                          .efficiency = rate * ring_factor(shape.ranks) / shape.bus_bandwidth});
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
