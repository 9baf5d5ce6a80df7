// SPDX-License-Identifier: Apache-2.0
#include "models/cost/nccl_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trainyard {
namespace {

constexpr const char* tuning_source = "NCCL, src/graph/tuning.cc (2.7)";

double ring_factor(int ranks)
{
  return 2.0 * (ranks - 1) / ranks;
}

enum class Protocol { ll, ll128, simple };

/// The table by which the library corrects the bandwidth of its trees, by protocol, for payloads of 64 B, 128 B, …
/// 256 MiB (NCCL, src/graph/tuning.cc, `treeCorrectionFactor` of 2.12 and later). Between them on a line over the
/// logarithm; 1 beyond.
double tree_correction(Protocol protocol, Bytes payload)
{
  static constexpr std::array<std::array<double, 23>, 3> factors{{
      {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
      {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
  }};
  const auto& row = factors[static_cast<std::size_t>(protocol)];
  const double place = std::log2(std::max(payload.value(), 64.0) / 64);
  if (place >= static_cast<double>(row.size()))
    return 1;
  const auto before = static_cast<std::size_t>(place);
  const double next = before + 1 < row.size() ? row[before + 1] : 1;
  return std::lerp(row[before], next, place - static_cast<double>(before));
}

/// What filling and emptying the pipeline of a tree costs beyond its hops, for payloads of medium size.
///
/// The library's table was found where trees reach 80 GB/s (`maxTreeBw` of 2.8), so what it adds there is taken as a
/// time: a slow network hides the filling of a pipeline, a fast one does not shorten it.
Seconds tree_filling(Protocol protocol, Bytes payload)
{
  static constexpr std::array<double, 3> bandwidth{80e9 / 3.8, 80e9 * 0.915, 80e9}; // bus bandwidth, B/s
  return Seconds{payload.value() / (bandwidth[static_cast<std::size_t>(protocol)] / 2) *
                 (1 / tree_correction(protocol, payload) - 1)};
}

/// Most that the LL protocol can reach, whose flags pass through the processors' caches: 39 GB/s on up to two nodes,
/// 20.4 GB/s on more (NCCL, src/graph/tuning.cc, `llMaxBws` of 2.10 and later, Volta and Intel).
BytesPerSecond low_latency_limit(const CollectiveShape& shape)
{
  return shape.nodes <= 2 ? 39_GBps : 20.4_GBps;
}

/// One hop inside a node.
Seconds low_latency_hop(const CollectiveTuning& tuning, const CollectiveShape& shape)
{
  return (shape.nvlink ? tuning.nvlink_hop_ll : tuning.pcie_hop_ll) *
         (shape.nodes > 1 ? 1.8 : 1.0); // tuning.cc: flag writes
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
       "NCCL, src/graph/tuning.cc of both",
       {"auto", "2.7", "2.26"}},
      {"launch_time", "duration", "20 us", "host call and kernel launch of one collective", 0},
      {"ring_base_latency", "duration", "8.4 us", "start-up of a ring, simple protocol", 0, 1, tuning_source},
      {"nvlink_hop_latency", "duration", "3.4 us", "one hop over NVLink, simple protocol", 0, 1, tuning_source},
      {"pcie_hop_latency", "duration", "5.7 us", "one hop over PCIe, simple protocol", 0, 1, tuning_source},
      {"network_hop_latency", "duration", "", "one hop over the network, simple protocol (2.7: 9.6 us, 2.26: 14 us)", 0,
       1, tuning_source},
      {"network_hop_latency_ll", "duration", "", "one hop over the network, low-latency protocol (5 us)", 0, 1,
       tuning_source},
      {"plateau_factor", "number", "",
       "latency factor of rings over several nodes from ranks/16 x 64 KiB on (2.7: 1.9, 2.26: 1.4)", 1, 10,
       tuning_source},
      {"switch_reduction", "boolean", "",
       "the library lets NVSwitches from generation 4 on add up (NVLS; 2.7: false, 2.26: true)", 0, 1, tuning_source},
      {"low_latency", "boolean", "true", "the library chooses trees and the LL protocol for small messages", 0, 1,
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
  tuning.tree_limit = {38.7_GBps, 41.4_GBps, 36_GBps};
  tuning.tree_limit_per_channel = true;
  tuning.doubled_channel = 50_GBps;
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

namespace {

/// A way to do the all-reduce, and what the library's tuner thinks that it takes.
struct Candidate {
  CollectiveChoice choice;
  Seconds estimate;
};

class Candidates
{
public:
  Candidates(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
      : t_{tuning}, s_{shape}, payload_{payload}
  {
    add_rings();
    add_trees();
    if (shape.switch_bandwidth > BytesPerSecond{} && tuning.switch_reduction)
      add_switches();
  }

  const CollectiveChoice& fastest() const { return std::ranges::min_element(list_, {}, &Candidate::estimate)->choice; }

private:
  /// @p rate: of the payload. @p correction: of that rate in the tuner's estimate, where we count @p filling.
  void add(CollectiveChoice choice, BytesPerSecond rate, double correction = 1, Seconds filling = {})
  {
    const Seconds estimate = choice.latency + (by_flows() ? filling + payload_ / rate : payload_ / (rate * correction));
    choice.latency += filling;
    choice.efficiency = rate * ring_factor(s_.ranks) / s_.bus_bandwidth;
    if (choice.algorithm == "tree" && s_.nodes == 2 && !by_flows())
      choice.traffic = 1 / ring_factor(s_.ranks);
    else if (choice.algorithm != "tree") // rings, and switches that send on less than they receive
      choice.traffic = std::min(1.0, 1 / choice.efficiency);
    list_.push_back({std::move(choice), estimate});
  }

  /// Single flows are the limit, as over TCP in clouds.
  bool by_flows() const { return s_.flow_headroom > 1; }

  void add_rings()
  {
    const auto ring = [&](const char* protocol, Seconds latency, double efficiency) {
      const double factor = ring_factor(s_.ranks);
      add({.protocol = protocol, .latency = latency}, s_.bus_bandwidth * (efficiency / factor));
    };
    ring("simple", ring_latency(t_, s_, payload_), 1);
    const int between = 2 * (s_.nodes - 1);
    const int inside = 2 * (s_.ranks - 1) - between;
    ring("LL", t_.launch + t_.ring_base_ll + low_latency_hop(t_, s_) * inside + t_.network_hop_ll * between,
         std::min(t_.ll_efficiency, low_latency_limit(s_) / s_.bus_bandwidth));
    if (s_.nvlink)
      ring("LL128",
           t_.launch + t_.ring_base_ll128 + t_.nvlink_ring_ll128 * inside + t_.network_hop * t_.network_ll128 * between,
           t_.ll128_efficiency);
  }

  /// Both trees together as the tuner counts them, twice the payload rate.
  BytesPerSecond tree_bandwidth() const
  {
    BytesPerSecond graph = s_.bus_bandwidth;
    if (by_flows())
      return graph * std::min(s_.flow_headroom, 2.0) * t_.tree_efficiency; // two trees, two flows
    if (s_.nodes == 2)
      graph = std::clamp(s_.inside_bandwidth, graph, graph * 2);
    const auto scale = static_cast<std::size_t>(std::clamp(s_.nodes, 1, 3) - 1);
    double channels = 1;
    if (t_.tree_limit_per_channel)
      channels = s_.channels * (graph / s_.channels >= t_.doubled_channel ? 2 : 1);
    return std::min(graph * t_.tree_efficiency, t_.tree_limit.at(scale) * channels);
  }

  void add_trees()
  {
    const auto tree = [&](const char* name, Protocol protocol, Seconds base, Seconds inside, Seconds between,
                          double efficiency, BytesPerSecond most) {
      const double hops = static_cast<double>(s_.ranks) / s_.nodes - 1;
      const BytesPerSecond rate = std::min(tree_bandwidth() * efficiency, most) * 0.5;
      add({.algorithm = "tree",
           .protocol = name,
           .latency = t_.launch + base + (inside * hops + between * std::ceil(std::log2(std::max(s_.nodes, 1)))) * 2},
          rate, tree_correction(protocol, payload_), tree_filling(protocol, payload_));
    };
    const BytesPerSecond unlimited{std::numeric_limits<double>::infinity()};
    if (!by_flows() || s_.nodes > 2) // see choose_collective()
      tree("simple", Protocol::simple, {}, t_.tree_hop, std::max(t_.tree_network_hop, t_.network_hop), 1, unlimited);
    tree("LL", Protocol::ll, t_.tree_base_ll, low_latency_hop(t_, s_), t_.network_hop_ll, 1 / 3.8,
         low_latency_limit(s_));
    if (s_.nvlink)
      tree("LL128", Protocol::ll128, t_.tree_base_ll128, t_.nvlink_tree_ll128, t_.network_hop * t_.network_ll128 * 2,
           0.915, unlimited);
  }

  void add_switches()
  {
    // Between two nodes each sends its part once and gets the other's; between more, an inner node of the trees sends
    // twice as much.
    BytesPerSecond rate = s_.switch_bandwidth;
    Seconds latency = t_.launch + t_.switch_hop;
    if (s_.nodes > 1) {
      rate = std::min(rate, s_.node_bandwidth * (s_.nodes == 2 ? 1.0 : 0.5));
      latency += t_.switch_network_hop * std::max(1.0, t_.network_hop / newer_tuning().network_hop) *
                 (2 * std::ceil(std::log2(s_.nodes))); // a slower network
    }
    add({.algorithm = s_.nodes > 1 ? "nvls_tree" : "nvls", .latency = latency}, rate);
  }

  const CollectiveTuning& t_;
  const CollectiveShape& s_;
  Bytes payload_;
  std::vector<Candidate> list_;
};

} // namespace

CollectiveChoice choose_collective(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1 || !tuning.low_latency)
    return {.latency = ring_latency(tuning, shape, payload)};
  return Candidates{tuning, shape, payload}.fastest();
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
