// SPDX-License-Identifier: Apache-2.0
#include "models/cost/nccl_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trainyard {
namespace {

constexpr int most_adding = 32; // GPUs of a node that add up for the others in NVSwitches

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

/// What a hop over this network, as the scenario states it, takes longer than over the library's. It takes that for
/// every message, whatever the algorithm and the protocol; so the library adds what its network tells it as its latency
/// (src/graph/tuning.cc, ncclTopoTuneModel: latencyInter).
Seconds slower_by(const CollectiveTuning& tuning)
{
  return std::max(Seconds{}, tuning.network_hop - tuning.listed_hop);
}

/// One hop inside a node.
Seconds low_latency_hop(const CollectiveTuning& tuning, const CollectiveShape& shape)
{
  return (shape.nvlink ? tuning.nvlink_hop_ll : tuning.pcie_hop_ll) *
         (shape.nodes > 1 ? 1.8 : 1.0); // tuning.cc: flag writes
}
/// What it takes longer than that.
Seconds slower_low_latency(const CollectiveTuning& tuning, const CollectiveShape& shape)
{
  return shape.nvlink ? std::max(Seconds{}, tuning.nvlink_hop_ll_taken - low_latency_hop(tuning, shape)) : Seconds{};
}
Seconds simple_hop(const CollectiveTuning& tuning, const CollectiveShape& shape)
{
  return shape.nvlink ? tuning.nvlink_hop : tuning.pcie_hop;
}

constexpr double simple_posts = 3; // of a step with the simple protocol (tuning.cc: netOverhead *= 3)

/// One hop of a ring inside a node, @p posts times handed to a NIC for each step.
Seconds ring_hop(const CollectiveTuning& tuning, const CollectiveShape& shape, Seconds hop, double posts)
{
  return shape.nodes > 1 ? std::max(hop, tuning.network_post * posts) : hop;
}

/// Times that a ring passes a chunk over each of its edges.
enum class Passes { once = 1, twice = 2 };

double times(Passes passes)
{
  return static_cast<double>(passes);
}

} // namespace

BytesPerSecond switch_reduction_rate(BytesPerSecond nvlinks, double share, int ranks)
{
  if (ranks < 3)
    return {};
  const int adding = std::min(ranks, most_adding);
  return nvlinks * (share * adding / (adding + 1.0));
}

Bytes switch_loop(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  constexpr double KiB = 1024;
  const double places = tuning.switch_channels.at(shape.nodes == 1 ? 0 : 1) *
                        std::clamp(static_cast<double>(shape.ranks) / shape.nodes, 1.0, 1.0 * most_adding);
  double chunk = tuning.switch_chunk.value();
  if (chunk <= 0)
    chunk = (shape.nodes >= 4 ? 64 : 128) * KiB;
  const auto cut = [&](double loops, double smaller) {
    if (payload.value() < loops * places * chunk)
      chunk = std::min(chunk, smaller);
  };
  if (shape.nodes == 1) {
    cut(64, 64 * KiB);
    cut(8, 32 * KiB);
    cut(2, 16 * KiB);
  } else {
    cut(32, 256 * KiB);
    cut(16, 128 * KiB);
    cut(4, 64 * KiB);
    cut(1, 32 * KiB);
  }
  return Bytes{places * chunk};
}

Seconds switch_filling(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload, BytesPerSecond rate)
{
  const Bytes loop = std::min(payload, switch_loop(tuning, shape, payload));
  if (shape.nodes == 1)
    return loop / rate * 2.0;
  return loop / shape.switch_bandwidth * 4.0 + loop / shape.node_bandwidth - loop / rate;
}

namespace {

/// "Plateau effect of ring" (tuning.cc).
double plateau(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload, Passes passes)
{
  return passes == Passes::twice && shape.nodes > 1 && payload.value() >= shape.ranks / 16.0 * 65536
             ? tuning.plateau_factor
             : 1;
}

Seconds ring_start_up(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload, Passes passes)
{
  if (shape.ranks <= 1)
    return {};
  const double between = times(passes) * (shape.nodes - 1);
  const double inside = times(passes) * (shape.ranks - 1) - between;
  const Seconds latency = tuning.ring_base + ring_hop(tuning, shape, simple_hop(tuning, shape), simple_posts) * inside +
                          tuning.network_hop * between;
  return tuning.launch + latency * plateau(tuning, shape, payload, passes) +
         wires_around_ring(tuning, shape) * times(passes);
}

} // namespace

Seconds wires_around_ring(const CollectiveTuning& tuning, const CollectiveShape& shape)
{
  return shape.wires == nullptr || tuning.hop_stated ? Seconds{}
                                                     : shape.wires->around_ring(tuning.network_hop, shape.nodes);
}

Seconds longest_wires(const CollectiveTuning& tuning, const CollectiveShape& shape)
{
  return shape.wires == nullptr || tuning.hop_stated ? Seconds{} : shape.wires->longest(tuning.network_hop);
}

Seconds ring_latency(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  return ring_start_up(tuning, shape, payload, Passes::twice);
}

namespace {

/// One hop between nodes, by algorithm and protocol.
struct NetworkHops {
  Seconds ring, ring_ll, ring_ll128, tree, tree_ll, tree_ll128, switches, collnet, switch_collnet;
};

NetworkHops real_hops(const CollectiveTuning& t)
{
  return {.ring = t.network_hop,
          .ring_ll = t.network_hop_ll,
          .ring_ll128 = t.listed_hop * t.network_ll128 + slower_by(t),
          .tree = t.tree_network_hop + slower_by(t),
          .tree_ll = t.network_hop_ll,
          .tree_ll128 = t.listed_hop * t.network_ll128 * 2 + slower_by(t),
          .switches = t.switch_network_hop + slower_by(t),
          .collnet = t.collnet_network_hop + slower_by(t),
          .switch_collnet = t.switch_collnet_hop + slower_by(t)};
}

/// What the tuner counts where a plug-in told it a latency.
NetworkHops told_hops(const CollectiveTuning& tuning)
{
  CollectiveTuning listed = tuning;
  listed.network_hop = tuning.listed_hop;
  listed.network_hop_ll = tuning.listed_hop_ll;
  NetworkHops hops = real_hops(listed);
  for (Seconds* hop : {&hops.ring_ll, &hops.ring_ll128, &hops.tree_ll, &hops.tree_ll128})
    *hop += tuning.plugin_latency;
  for (Seconds* hop : {&hops.ring, &hops.tree, &hops.switches, &hops.collnet, &hops.switch_collnet})
    *hop += tuning.plugin_latency * 2;
  return hops;
}

class Candidates
{
public:
  Candidates(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload, Passes passes)
      : t_{tuning}, s_{shape}, real_{real_hops(tuning)}, told_{tuning.plugin_latency > Seconds{} ? told_hops(tuning)
                                                                                                 : real_},
        payload_{payload}, passes_{passes}, factor_{ring_factor(shape.ranks) * times(passes) / 2}
  {
    add_rings();
    if (passes == Passes::once) {
      add_parallel_trees();
      return;
    }
    add_trees();
    if (shape.switch_bandwidth > BytesPerSecond{} && tuning.switch_reduction)
      add_switches();
    if (tuning.network_reduction && shape.nodes > 1 && !s_.by_flows)
      add_network_switches();
    if (payload <= tuning.all_pairs_up_to && shape.nodes == 1 && shape.ranks == 8) {
      add({.algorithm = "all_pairs",
           .protocol = "LL",
           .latency = t_.launch + t_.ring_base_ll + low_latency_hop(t_, s_) * 2},
          &NetworkHops::ring_ll, 0, s_.bus_bandwidth * (t_.ll_efficiency / factor_));
      list_.back().counted = {}; // the library asks its tuner only where it has no such algorithm
    }
  }

  const CollectiveChoice& fastest() const { return *std::ranges::min_element(list_, {}, &CollectiveChoice::counted); }

  /// By what they take, not by what the tuner counts.
  const CollectiveChoice& quickest() const
  {
    return *std::ranges::min_element(
        list_, {}, [&](const CollectiveChoice& choice) { return collective_time(choice, s_, payload_); });
  }

  /// Every protocol of another algorithm is out of the question (NCCL_ALGO).
  void keep_only(const std::string& algorithm)
  {
    std::erase_if(list_, [&](const CollectiveChoice& choice) { return choice.algorithm != algorithm; });
  }

private:
  using Hop = Seconds NetworkHops::*;
  static constexpr double pat_steps = 3.5; // of PAT in a hop of a tree (tuning.cc, ncclTopoTuneModel)
  static constexpr BytesPerSecond unlimited{std::numeric_limits<double>::infinity()};

  /// @p choice: with the latency of all that is no hop between nodes. @p hop: @p hops times. @p rate: of the payload.
  /// @p correction: of that rate in the tuner's estimate, where we count @p filling. @p slower: what its hops inside
  /// a node take longer than the tuner counts.
  void add(CollectiveChoice choice, Hop hop, double hops, BytesPerSecond rate, double correction = 1,
           Seconds filling = {}, Seconds slower = {})
  {
    choice.counted =
        choice.latency + told_.*hop * hops + (s_.by_flows ? filling + payload_ / rate : payload_ / (rate * correction));
    choice.latency += real_.*hop * hops + filling + slower + wires(choice, hop);
    choice.efficiency = rate * factor_ / s_.bus_bandwidth;
    if (choice.algorithm == "tree" && s_.nodes == 2 && !s_.by_flows)
      choice.traffic = 1 / ring_factor(s_.ranks);
    else if (choice.algorithm.ends_with("collnet"))
      choice.traffic = std::min(1.0, 1 / ring_factor(s_.ranks));
    else if (choice.algorithm != "tree") // rings, and switches that send on less than they receive
      choice.traffic = std::min(1.0, 1 / choice.efficiency);
    list_.push_back(std::move(choice));
  }

  /// What long wires add to the hops of a choice: they do not shrink with the number of hops that the tuner counts, and
  /// do not get longer with the payload.
  Seconds wires(const CollectiveChoice& choice, Hop hop) const
  {
    const bool stated = hop == &NetworkHops::ring_ll || hop == &NetworkHops::tree_ll ? t_.hop_ll_stated : t_.hop_stated;
    if (s_.wires == nullptr || stated)
      return {};
    const Seconds local = real_.*hop;
    if (choice.algorithm == "ring")
      return s_.wires->around_ring(local, s_.nodes) * times(passes_);
    if (choice.algorithm == "parallel_trees")
      return s_.wires->in_steps(local / pat_steps, s_.nodes);
    if (choice.algorithm.ends_with("collnet"))
      return s_.wires->longest(local);
    return s_.wires->up_trees(local, s_.nodes) * 2.0; // and down again
  }

  void add_rings()
  {
    const double between = times(passes_) * (s_.nodes - 1);
    const double inside = times(passes_) * (s_.ranks - 1) - between;
    const auto ring = [&](const char* protocol, Seconds base, Seconds inner, Hop hop, double efficiency, double plateau,
                          Seconds slower = {}) {
      add({.protocol = protocol, .latency = t_.launch + (base + inner * inside) * plateau}, hop, between * plateau,
          s_.bus_bandwidth * (efficiency / factor_), 1, {}, slower * inside);
    };
    ring("simple", t_.ring_base, ring_hop(t_, s_, simple_hop(t_, s_), simple_posts), &NetworkHops::ring, 1,
         plateau(t_, s_, payload_, passes_));
    if (t_.only_simple)
      return;
    ring("LL", t_.ring_base_ll, ring_hop(t_, s_, low_latency_hop(t_, s_), 1), &NetworkHops::ring_ll,
         std::min(t_.ll_efficiency, low_latency_limit() / s_.bus_bandwidth), 1, slower_low_latency(t_, s_));
    if (s_.nvlink)
      ring("LL128", t_.ring_base_ll128, ring_hop(t_, s_, t_.nvlink_ring_ll128, 1), &NetworkHops::ring_ll128,
           std::min(t_.ll128_efficiency, ll128_limit(t_.ring_ll128_limit) / s_.bus_bandwidth), 1);
  }

  void add_parallel_trees()
  {
    if (t_.parallel_trees && s_.ranks == s_.nodes && s_.ranks > 1)
      add({.algorithm = "parallel_trees", .latency = t_.launch + 8_us + 2.8_us * s_.ranks}, &NetworkHops::tree,
          depth() / pat_steps, s_.bus_bandwidth * 0.75);
  }

  BytesPerSecond low_latency_limit() const
  {
    return t_.ll_limit.at(static_cast<std::size_t>(std::clamp(s_.nodes, 1, 3) - 1));
  }

  /// Both trees together as the tuner counts them, twice the payload rate; by flows on two nodes: as a ring's.
  BytesPerSecond tree_bandwidth() const
  {
    BytesPerSecond graph = s_.bus_bandwidth;
    if (s_.nodes == 2 && !s_.by_flows)
      graph = std::clamp(s_.inside_bandwidth, graph, graph * 2);
    const auto scale = static_cast<std::size_t>(std::clamp(s_.nodes, 1, 3) - 1);
    return std::min(graph * t_.tree_efficiency,
                    t_.tree_limit.at(scale) * (t_.tree_limit_per_channel ? searched_channels() : 1));
  }

  /// Channels as the library's search counts them from Hopper on: rings of 25 GB/s and more count twice, where there
  /// are more than four those of 50 GB/s and more (src/graph/search.cc, ncclTopoDupChannels; before it increases
  /// bwIntra).
  double searched_channels() const
  {
    const BytesPerSecond each = s_.bus_bandwidth / s_.channels;
    return s_.channels * (each >= (s_.channels > 4 ? 50_GBps : 25_GBps) ? 2.0 : 1.0);
  }

  /// What LL128 reaches over all channels between nodes; inside a node one ring here stands for many.
  BytesPerSecond ll128_limit(BytesPerSecond each) const
  {
    return s_.nodes > 1 && each > BytesPerSecond{} ? each * searched_channels() : unlimited;
  }

  /// What the first chunk of a channel takes for one hop, a slot of its buffer (4 MiB in 8: NCCL_BUFFSIZE, NCCL_STEPS):
  /// up and down again, that is all that a tree's pipeline needs to fill. Hops of 2.7's table (50 us) are taken to have
  /// it already, as later tables have 14 us for the same hop. Links carry what goes up and what comes down, twice the
  /// payload's @p rate.
  Seconds first_chunk(BytesPerSecond rate) const
  {
    return std::min(Bytes{512.0 * 1024}, payload_ / searched_channels()) / (rate * (2 / searched_channels()));
  }

  void add_trees()
  {
    const auto tree = [&](const char* name, Protocol protocol, Seconds base, Seconds inside, Hop hop, double efficiency,
                          BytesPerSecond most, Seconds slower = {}) {
      const double chain = static_cast<double>(s_.ranks) / s_.nodes - 1;
      const BytesPerSecond rate = std::min(tree_bandwidth() * efficiency, most) * 0.5;
      const Seconds filling = protocol == Protocol::simple && t_.tree_limit_per_channel
                                  ? first_chunk(rate) * (2 * (depth() + chain))
                                  : tree_filling(protocol, payload_);
      add({.algorithm = "tree", .protocol = name, .latency = t_.launch + base + inside * chain * 2}, hop, 2 * depth(),
          rate, tree_correction(protocol, payload_), filling, slower * (chain * 2));
    };
    if (!s_.by_flows || s_.nodes > 2) // see choose_collective()
      tree("simple", Protocol::simple, t_.tree_base, t_.tree_hop, &NetworkHops::tree, 1, unlimited);
    if (t_.only_simple)
      return;
    tree("LL", Protocol::ll, t_.tree_base_ll, low_latency_hop(t_, s_), &NetworkHops::tree_ll, 1 / 3.8,
         low_latency_limit(), slower_low_latency(t_, s_));
    if (s_.nvlink)
      tree("LL128", Protocol::ll128, t_.tree_base_ll128, t_.nvlink_tree_ll128, &NetworkHops::tree_ll128, 0.915,
           ll128_limit(t_.tree_ll128_limit.at(s_.nodes <= 2 ? 0 : 1)));
  }

  void add_switches()
  {
    // Between two nodes each sends its part once and gets the other's; between more, an inner node of the trees sends
    // twice as much.
    BytesPerSecond rate = s_.switch_bandwidth;
    if (s_.nodes > 1)
      rate = std::min(rate, s_.node_bandwidth * (s_.nodes == 2 ? 1.0 : 0.5));
    add({.algorithm = s_.nodes > 1 ? "nvls_tree" : "nvls",
         .latency = t_.launch + t_.switch_hop,
         .channels = t_.switch_channels.at(s_.nodes > 1 ? 1 : 0)},
        &NetworkHops::switches, 2 * depth(), rate, 1, switch_filling(t_, s_, payload_, rate));
  }

  void add_network_switches()
  {
    const double chain = static_cast<double>(s_.ranks) / s_.nodes - 1;
    const Seconds hop = s_.nvlink ? t_.collnet_nvlink_hop : t_.collnet_pcie_hop;
    // Rings between nodes leave one edge of a node's ring free, so that inside_bandwidth is more than a GPU's links.
    BytesPerSecond inside = s_.bus_bandwidth * 2;
    if (chain > 0)
      inside = std::clamp(s_.inside_bandwidth * (chain / (chain + 1)), s_.bus_bandwidth, inside);
    add({.algorithm = "collnet", .latency = t_.launch + hop * chain * 2}, &NetworkHops::collnet, 1,
        inside * (t_.collnet_efficiency / 2));
    if (s_.switch_bandwidth > BytesPerSecond{} && t_.switch_reduction) {
      const BytesPerSecond rate = std::min(s_.switch_bandwidth, s_.node_bandwidth);
      add({.algorithm = "nvls_collnet", .latency = t_.launch + t_.switch_hop}, &NetworkHops::switch_collnet, 1, rate, 1,
          switch_filling(t_, s_, payload_, rate));
    }
  }

  /// Levels of a tree over the nodes below its root.
  double depth() const { return std::ceil(std::log2(std::max(s_.nodes, 1))); }

  const CollectiveTuning& t_;
  const CollectiveShape& s_;
  NetworkHops real_, told_;
  Bytes payload_;
  Passes passes_;
  double factor_; // of the payload that a ring puts on each edge
  std::vector<CollectiveChoice> list_;
};

} // namespace

CollectiveChoice choose_collective(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1 || !tuning.low_latency)
    return {.latency = ring_latency(tuning, shape, payload)};
  return Candidates{tuning, shape, payload, Passes::twice}.fastest();
}

std::optional<CollectiveChoice> passed_over(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1 || !tuning.low_latency)
    return std::nullopt;
  const Candidates candidates{tuning, shape, payload, Passes::twice};
  const CollectiveChoice &taken = candidates.fastest(), &best = candidates.quickest();
  if (collective_time(best, shape, payload) >= collective_time(taken, shape, payload) * 0.95)
    return std::nullopt;
  return best;
}

int channels_used(const CollectiveChoice& choice, int ranks, int most, Bytes payload)
{
  if (choice.channels > 0)
    return choice.channels;
  constexpr double threads = 512, threads_ll128 = 640; // NCCL_SIMPLE_MAX_NTHREADS, NCCL_LL128_MAX_NTHREADS
  const double each = choice.protocol == "simple"  ? 64 * threads
                      : choice.protocol == "LL128" ? 8 * threads_ll128
                                                   : 8 * threads * (choice.algorithm == "ring" ? ranks : 1);
  return static_cast<int>(std::clamp(std::floor(payload.value() / each), 1.0, 1.0 * std::max(most, 1)));
}

CollectiveChoice choose_gather(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1 || !tuning.low_latency)
    return {.latency = ring_start_up(tuning, shape, payload, Passes::once)};
  return Candidates{tuning, shape, payload, Passes::once}.fastest();
}

Seconds broadcasts_time(const CollectiveTuning& t, const CollectiveShape& s, Bytes payload, int owners, int cards,
                        BytesPerSecond card)
{
  if (s.ranks <= 1 || owners < 1)
    return {};
  constexpr double rings_of_card = 2;
  const Bytes part = payload / owners, of_ring = part / (rings_of_card * cards);
  const NetworkHops hops = real_hops(t);
  const bool far = s.nodes > 1, same_rings = cards == 1;
  const double between = s.nodes - 1, inside = s.ranks - 1 - between, counted = same_rings ? 1 : s.ranks;
  struct Protocol {
    Seconds base, listed, inside, between; // listed: the hop that the tuner counts
    Bytes piece;
    double efficiency;
  };
  const auto estimate = [&](const Protocol& p) {
    return p.base + p.listed * counted + part / (s.bus_bandwidth * p.efficiency);
  };
  Protocol taken{.base = t.ring_base,
                 .listed = far ? hops.tree : t.tree_hop,
                 .inside = far ? t.tree_hop : simple_hop(t, s),
                 .between = hops.ring,
                 .piece = Bytes{512 * 1024},
                 .efficiency = 1};
  const Protocol lines{.base = t.ring_base_ll128,
                       .listed = far ? hops.ring_ll128 : t.nvlink_ring_ll128,
                       .inside = t.nvlink_ring_ll128,
                       .between = hops.ring_ll128,
                       .piece = Bytes{614400},
                       .efficiency = t.ll128_efficiency};
  if (s.nvlink && !t.only_simple && estimate(lines) < estimate(taken))
    taken = lines;
  const Seconds filling = std::min(taken.piece, of_ring / taken.efficiency) / (card / rings_of_card);
  const Seconds round = t.launch + taken.base + taken.inside * inside + wires_around_ring(t, s) +
                        (far ? (taken.between + filling) * between : Seconds{});
  return round * owners + payload / (s.bus_bandwidth * taken.efficiency);
}

Seconds exchange_start_up(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1)
    return {};
  const Seconds first = tuning.launch + tuning.ring_base;
  if (shape.nodes <= 1)
    return first + simple_hop(tuning, shape);
  const double per_node = static_cast<double>(shape.ranks) / shape.nodes;
  const double together = std::clamp(per_node, 1.0, 1.0 * tuning.received_at_once);
  const double messages = (shape.ranks - per_node) / together;
  const Seconds sent = payload * (together / shape.ranks) / (shape.node_bandwidth / per_node);
  return first + tuning.network_hop + longest_wires(tuning, shape) +
         std::max(Seconds{}, tuning.network_post * simple_posts - sent) * messages;
}

namespace {

CollectiveChoice choose_only(const char* algorithm, const CollectiveTuning& tuning, const CollectiveShape& shape,
                             Bytes payload)
{
  if (shape.ranks <= 1 || !tuning.low_latency)
    return {.latency = ring_latency(tuning, shape, payload)};
  Candidates candidates{tuning, shape, payload, Passes::twice};
  candidates.keep_only(algorithm);
  return candidates.fastest();
}

} // namespace

CollectiveChoice choose_tree(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  return choose_only("tree", tuning, shape, payload);
}

CollectiveChoice choose_ring(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload)
{
  return choose_only("ring", tuning, shape, payload);
}

Seconds collective_time(const CollectiveChoice& choice, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1)
    return {};
  return choice.latency + payload * ring_factor(shape.ranks) / (shape.bus_bandwidth * choice.efficiency);
}

Seconds gather_time(const CollectiveChoice& choice, const CollectiveShape& shape, Bytes payload)
{
  if (shape.ranks <= 1)
    return {};
  return choice.latency + payload * (ring_factor(shape.ranks) / 2) / (shape.bus_bandwidth * choice.efficiency);
}

double expected_in_order(int rank, int n)
{
  if (n <= 1)
    return 0;
  if (2 * rank <= n)
    return -expected_in_order(n + 1 - rank, n);
  const double target = (rank - 0.375) / (n + 0.25);
  double low = 0;
  double high = 10;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

} // namespace trainyard
