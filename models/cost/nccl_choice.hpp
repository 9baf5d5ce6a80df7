// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"
#include "models/cost/long_wires.hpp"
#include "models/hardware/hardware.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace trainyard {

/// Start-up constants of a collective library. Defaults: NCCL, src/graph/tuning.cc (2.7): `baseLat` and `hwLat`;
/// newer_tuning() has later ones, and tune_for() sets those that go by the kind of GPU.
struct CollectiveTuning {
  /// Host call and kernel launch, where the GPU waits for them. The library's own table was found with collectives that
  /// follow one another, as those of training do while the GPU computes: it has what is left of them.
  Seconds launch;
  Seconds ring_base{8.4e-6};     // baseLat[ring][simple]
  Seconds ring_base_ll{3.6e-6};  // baseLat[ring][LL]
  Seconds tree_base_ll{4.4e-6};  // baseLat[tree][LL]
  Seconds nvlink_hop{3.4e-6};    // hwLat[NVLINK][ring][simple]
  Seconds nvlink_hop_ll{0.5e-6}; // hwLat[NVLINK][ring, tree][LL]
  /// What such a hop takes: the tuner's figure is less. Hu et al., Demystifying NCCL, arXiv:2507.04786, table of
  /// protocols: about 1 us a hop with LL, 2 with LL128.
  Seconds nvlink_hop_ll_taken{1e-6};
  Seconds pcie_hop{5.7e-6};          // hwLat[PCI][ring][simple]
  Seconds pcie_hop_ll{1e-6};         // hwLat[PCI][ring, tree][LL]
  Seconds network_hop{9.6e-6};       // hwLat[NET][ring][simple]; a slower network states its own
  Seconds network_hop_ll{5e-6};      // hwLat[NET][tree][LL], and what the network is slower
  Seconds ring_base_ll128{10e-6};    // baseLat[ring][LL128]
  Seconds tree_base_ll128{4.4e-6};   // baseLat[tree][LL128]
  Seconds nvlink_ring_ll128{1.9e-6}; // hwLat[NVLINK][ring][LL128]; LL128 is used over NVLink only
  Seconds nvlink_tree_ll128{1.2e-6}; // hwLat[NVLINK][tree][LL128]
  double network_ll128 = 4 / 9.6;    // hwLat[NET][ring][LL128] and twice as much [tree], as a share of listed_hop
  double ll128_efficiency = 0.92;    // 120 of 128 bytes are payload
  double plateau_factor = 1.9;       // "plateau effect of ring": latency from ranks/16 x 64 KiB on, over several nodes
  double ll_efficiency = 0.25; // LL sends a flag beside every 4 bytes and waits for it: quarter of the ring's bandwidth
  /// Most that the LL protocol reaches in one node, two, more (`llMaxBws` of 2.10 and later): by GPU, here Volta's;
  /// between nodes, where flags pass through the processors' caches, by their maker, here Intel's.
  std::array<BytesPerSecond, 3> ll_limit{39_GBps, 39_GBps, 20.4_GBps};
  Seconds tree_hop{28e-6};         // hwLat[NVLINK, PCI][tree][simple], with the chunk that fills the pipeline
  Seconds tree_network_hop{50e-6}; // hwLat[NET][tree][simple]
  double tree_efficiency = 0.9;    // tree bandwidth against the ring's
  /// Most that trees reach in one node, two, more: as the library counts it (twice the payload rate). A rate of all
  /// channels together (2.7: `maxTreeBw`), or of each (2.10 and later: `perChMaxTreeBws`, by GPU).
  std::array<BytesPerSecond, 3> tree_limit{110_GBps, 110_GBps, 80_GBps};
  bool tree_limit_per_channel = false;
  /// Most that the LL128 protocol reaches in a channel: of a ring, and of trees on two nodes and on more
  /// (`perChMaxRingLL128Bws`, `perChMaxTreeLL128Bws`, by GPU). 0: not limited here.
  BytesPerSecond ring_ll128_limit;
  std::array<BytesPerSecond, 2> tree_ll128_limit;
  Seconds switch_hop{25e-6};           // hwLat[NVLINK][NVLS][simple]
  Seconds switch_network_hop{20.9e-6}; // hwLat[NET][NVLSTree][simple]
  bool switch_reduction = false;       // whether the library uses NVLink SHARP where the hardware has it (NCCL >= 2.17)
  /// Channels that use the switches, in one node and between nodes: NVLS_NCHANNELS_SM90 (src/transport/nvls.cc).
  std::array<int, 2> switch_channels{16, 16};
  Bytes switch_chunk; // of a channel for each GPU; 0: 128 KiB (NCCL_NVLS_CHUNKSIZE), 64 KiB from four nodes on
  /// Whether InfiniBand switches add up for the library (SHARP, its CollNet: NCCL_COLLNET_ENABLE=1), from two nodes on.
  bool network_reduction = false;
  Seconds collnet_nvlink_hop{4e-6};     // hwLat[NVLINK][CollNet][simple]
  Seconds collnet_pcie_hop{5.5e-6};     // hwLat[PCI][CollNet][simple]
  Seconds collnet_network_hop{10.7e-6}; // hwLat[NET][CollNet][simple], once: up into the switches and down again
  double collnet_efficiency = 0.9;      // of the rate inside or of the NICs
  Seconds switch_collnet_hop{18e-6};    // hwLat[NET][NVLS][simple]
  /// What a network plug-in tells the tuner as its latency; 0: nothing, and the tuner is taken to know the hops.
  Seconds plugin_latency;
  Seconds listed_hop{9.6e-6};  // network_hop of the library's own table
  Seconds listed_hop_ll{5e-6}; // network_hop_ll of it
  bool hop_stated = false;     // network_hop has its wires, and so have the hops of all protocols
  bool hop_ll_stated = false;  // network_hop_ll has them
  bool low_latency = true;     // whether the library has the LL protocol and trees (NCCL >= 2.4)
  bool only_simple = false;    // LL and LL128 are off (NCCL_PROTO=Simple)
  Seconds tree_base;           // baseLat[tree][simple]
  /// What the processor needs to hand one message to a NIC, `netOverhead`: of Intel's; AMD's takes 2 us. The simple
  /// protocol needs it three times for each step.
  Seconds network_post{1e-6};
  bool parallel_trees = false; // PAT, for all-gathers and reduce-scatters of one GPU per node (NCCL >= 2.23)
  /// In a machine of eight GPUs RCCL sums small payloads in two steps, from all to all and back (its
  /// tools/msccl-algorithms, allreduce-allpairs-8n-ll); 0: the library does not.
  Bytes all_pairs_up_to;
  bool all_peers_at_once = false; // whether the messages of an all-to-all go to all peers at once (NCCL >= 2.8)
  int received_at_once = 1;       // messages of a node's GPUs to one GPU that one receive of a NIC takes (2.12: 8)
};

/// NCCL, src/graph/tuning.cc (2.26, x86): hops as measured with newer GPUs, LL at half of the ring's bandwidth, trees
/// with short first chunks; limits of Hopper.
CollectiveTuning newer_tuning();

/// RCCL, src/graph/tuning.cc (ROCm 6): AMD's own start-ups, and hops with LL, in NCCL's model. Its other hops are left
/// out: they hold together with its factors by size, which choose, and are those of one machine.
CollectiveTuning rccl_tuning();

/// What the library's tuner tells apart by the kind of GPU (src/graph/tuning.cc of 2.26): the most that LL reaches in a
/// node, and what newer versions count for a channel of trees and of LL128. On Blackwell also the channels that use
/// NVSwitches: 24 in one node, 32 between nodes (NVLS_NCHANNELS_SM100_NVL and NVLS_NCHANNELS_SM100,
/// src/transport/nvls.cc).
void tune_for(CollectiveTuning& tuning, const Gpu& gpu);

/// Parameters of CollectiveTuning for the schema.
std::vector<Parameter> collective_tuning_parameters();

/// Constants of the `library_version` in @p settings (auto: 2.26 for @p newer_gpus and where @p gpu knows bf16,
/// else 2.7), overridden by `launch_time`, `ring_base_latency`, `nvlink_hop_latency`… With @p gpu of AMD those of RCCL.
CollectiveTuning collective_tuning(const Settings& settings, bool newer_gpus = false, const Gpu* gpu = nullptr);

/// Who takes part in a collective.
struct CollectiveShape {
  int ranks = 1;
  int nodes = 1;
  bool nvlink = false;             // inside the node; else PCIe
  BytesPerSecond bus_bandwidth;    // of the ring for large messages
  BytesPerSecond inside_bandwidth; // of the part of the rings within the nodes; 0: no less than the whole
  int channels = 1;                // rings side by side
  BytesPerSecond
      switch_bandwidth;       // payload rate of an all-reduce that the NVSwitches of each node add up; 0: they cannot
  double infiniband_gain = 1; // of bus_bandwidth, over the transport's efficiency on other links
  BytesPerSecond node_bandwidth; // payload rate between nodes over all NICs, one direction
  bool by_flows = false;         // single flows are the limit, not links (TCP in clouds)
  /// Between machines; null: as on a local network. The time has them, the tuner's estimate has not: NCCL's InfiniBand
  /// and sockets tell it no latency (src/transport/net_ib.cc: `props->latency = 0; // Not set`).
  std::shared_ptr<const LongWires> wires = nullptr;
};

/// What the library would do for one all-reduce.
struct CollectiveChoice {
  std::string algorithm =
      "ring"; // ring, tree, nvls (added up in the NVSwitches of a node), nvls_tree (and trees between nodes), collnet
              // (chains in nodes, added up in the switches of the network), nvls_collnet (in both kinds of switches)
  std::string protocol = "simple";
  Seconds latency;       // launch and all hops
  Seconds counted;       // what the tuner thinks that the whole takes
  int channels = 0;      // that reduce in NVSwitches; 0: as many as its rings and trees have
  double efficiency = 1; // share of the ring's bus bandwidth that the payload reaches, counted as a ring's 2(n-1)/n x
                         // payload; may pass 1
  double traffic = 1;    // bytes on each link, as a share of what a ring puts there
};

/// Payload rate of an all-reduce over @p ranks GPUs of a node that its NVSwitches add up (NVLS, NVLink SHARP), from the
/// rate of a GPU's NVLinks in one direction and the @p share of it that the library reaches.
///
/// Every GPU sends its payload once, and the 1/n-th that was added up for it once more, and receives as much: share x
/// rate / (1 + 1/n), with n of at most 32: no more GPUs of a node add up for all (NCCL_MAX_NVLS_ARITY,
/// src/include/device.h). The library leaves the switches alone where a node has two GPUs or fewer (NCCL,
/// src/transport/nvls.cc, ncclNvlsInit: `gpuCount <= 2`); so 0 for fewer than 3 ranks.
BytesPerSecond switch_reduction_rate(BytesPerSecond nvlinks, double share, int ranks);

/// Bytes that all channels of a node take into one loop of a reduction in NVSwitches: channels x chunk x GPUs that add
/// up, at most 32.
///
/// The library cuts the chunk where the payload fills few loops (NCCL, src/enqueue.cc, calcCollChunking: NVLS to 64,
/// 32 and 16 KiB below 64, 8 and 2 loops; NVLS_TREE to 256, 128, 64 and 32 KiB below 32, 16, 4 and 1).
Bytes switch_loop(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// What filling and emptying the pipeline of a reduction in NVSwitches costs beyond its hops, at a payload rate of @p
/// rate.
///
/// A loop is scattered, added up, given back and gathered by four groups of warps, one after another; loops follow
/// each other (NCCL, src/device/all_reduce.h, NVLS and NVLS_TREE). In one node adding up and giving back are one stage:
/// two loops more than payload / rate. Between nodes the first loop passes four stages at the rate of the switches and
/// the network, once: further hops start with the first channel's chunk.
Seconds switch_filling(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload,
                       BytesPerSecond rate);

/// Latency of a ring all-reduce: launch + base + (2(n-1) - 2(N-1)) hop_inside + 2(N-1) hop_between for n ranks on N
/// nodes.
///
/// A chunk passes every edge of the ring twice, so a slow edge counts as often as the chunk crosses it, not once per
/// round. On several nodes the processors hand each step to the NICs, so that a hop inside is no faster than that
/// (NCCL, src/graph/tuning.cc: "Inter-node rings still have to launch nsteps * net overhead").
Seconds ring_latency(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// Ring, tree, or reduction in NVSwitches with the protocols simple, LL and (over NVLink) LL128: what the library's own
/// tuner takes for the fastest by latency + payload / bandwidth.
///
/// With `plugin_latency` the tuner counts the hops of its own table and that latency, twice with the simple protocol
/// (NCCL, src/graph/tuning.cc: `latencyInter`, "also add the flush extra latency"); the time is that of the real hops.
///
/// Each of the two trees carries half of the payload up and down over edges of its own. On more than two nodes a node
/// is within one tree and a leaf of the other: 2 x payload leave it, more than a ring's 2(n-1)/n. On two nodes each
/// direction of the line carries the payload once, half of what a ring sends; the tuner counts the trees at the rate
/// inside the nodes there, up to twice that of the line (NCCL, src/graph/search.cc, ncclTopoCompute: "increase bwIntra
/// for trees (2 nodes or collnet)").
///
/// Where InfiniBand switches add up, a node sends its part up once and gets the sum once, at any number of nodes: of
/// the payload as much as its NICs send one way, 2(n-1)/n times as much as a ring. Without NVLS its GPUs add up in
/// chains first, which carry the payload up and down: at most half of the rate inside (NCCL, issue 320: some 80 GB/s
/// with four cards of 200 Gbit/s beside A100, 110 with eight, where NVLink is the limit). The tuner's third way,
/// CollNetDirect, is left out: its rate is the chains'.
///
/// Where single flows are the limit (TCP in clouds) rings and trees have the same: the library gives every channel of
/// both a twin (src/graph/connect.cc, ncclTopoPreset: "Duplicate channels rings/trees"). So large messages go by rings,
/// whose payload moves 2(n-1)/n times, trees' 2/0.9 times. On two nodes the tuner would count trees at up to twice the
/// rate of rings; two g4dn.12xlarge are no faster than a ring (adaptdl_sia_profiles), so trees of the simple protocol
/// are left out there.
CollectiveChoice choose_collective(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// What the tuner passes over although it would take less than 95 % of the time, because its table counts otherwise.
std::optional<CollectiveChoice> passed_over(const CollectiveTuning& tuning, const CollectiveShape& shape,
                                            Bytes payload);

/// Channels, of @p most, that the library uses for an all-reduce: fewer while each thread would have less than some 64
/// bytes, 8 with LL and LL128 (NCCL, src/enqueue.cc, topoGetAlgoInfo; src/include/comm.h: threadThresholds).
int channels_used(const CollectiveChoice& choice, int ranks, int most, Bytes payload);

/// What the wires of @p shape add to hops of the ring's length, by the way from machine to machine: of one pass round
/// the ring, or of one message between the two that are farthest apart. 0 where the scenario has stated the hop.
Seconds wires_around_ring(const CollectiveTuning& tuning, const CollectiveShape& shape);
Seconds longest_wires(const CollectiveTuning& tuning, const CollectiveShape& shape);

/// Of trees only, as with NCCL_ALGO=Tree; a library without trees takes rings.
CollectiveChoice choose_tree(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// Of rings only, as with NCCL_ALGO=Ring: the protocol is left to the tuner.
CollectiveChoice choose_ring(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// latency + 2(n-1)/n x payload / (efficiency x bus bandwidth); zero for one rank.
Seconds collective_time(const CollectiveChoice& choice, const CollectiveShape& shape, Bytes payload);

/// All-gather, or reduce-scatter of @p payload (the whole vector), by the library's tuner (src/graph/tuning.cc, 2.26).
///
/// A ring passes each part on once: n-1 hops of which N-1 are between nodes, with one base, and without the "plateau
/// effect", which is that of all-reduces. There are no trees, but with one GPU per node there is PAT (parallel
/// aggregated trees, arXiv:2506.20252): 8 us + 2.8 us x n + log2(N) hops of 1/3.5 of a tree's, at 0.75 of the ring's
/// bandwidth. NVLS, which the library has for both in one node, is left out. `efficiency` is a share of the bus
/// bandwidth with (n-1)/n x payload.
CollectiveChoice choose_gather(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// latency + (n-1)/n x payload / (efficiency x bus bandwidth); zero for one rank.
Seconds gather_time(const CollectiveChoice& choice, const CollectiveShape& shape, Bytes payload);

/// Time in which @p owners ranks, one after the other, broadcast equal parts of @p payload to all ranks of @p shape,
/// each round the ring; @p cards: NICs of a machine, @p card: what one of them sends.
///
/// A broadcast passes ranks - 1 hops before the last rank has its first piece, and its owner is rarely the next in the
/// ring: with four NICs for eight GPUs NCCL's rings pass the GPUs of a machine downwards, or change the machine in
/// between (log in NCCL's issue 514: 0 7 6 5 4 3 2 1 8 15…; 0 3 10 15…). The next owner is then among the last to have
/// the data, so that no broadcast begins before the one before it is round.
///
/// Between machines a hop holds a whole piece: 614,400 B with LL128, 512 KiB with the simple protocol (buffer / 8
/// steps, BROADCAST_CHUNKSTEPS 1), at the rate of one of the two rings of each NIC (src/graph/connect.cc duplicates
/// channels). Inside, LL128 passes each line of 128 B on as it comes, and the simple protocol a piece (hwLat of trees
/// has one). The tuner takes the protocol with the lower latency + payload / bandwidth, where it counts ranks x one hop
/// of the network (of a tree's with the simple protocol), or one hop where all rings are the same, as with one NIC
/// (src/graph/tuning.cc, 2.7 to 2.26: `sameChannels`).
Seconds broadcasts_time(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload, int owners,
                        int cards, BytesPerSecond card);

/// Start-up of an all-to-all of @p payload for each rank: launch + base + one hop, and what the processor needs longer
/// to hand messages to a NIC than the NIC to send them.
///
/// Messages between two ranks are sends and receives of their own, all at the same time, not rounds of a ring. A NIC
/// passes the messages of all GPUs of a node to one GPU on together (PXN, NCCL 2.12; NCCL_NET_IB_MAX_RECVS,
/// src/transport/net_ib.cc). The tuner has no table for sends: base and hop are a ring's.
Seconds exchange_start_up(const CollectiveTuning& tuning, const CollectiveShape& shape, Bytes payload);

/// Expected value of the @p rank-th of n independent standard normal variables in ascending order, from 1 on (Blom
/// 1958: the (rank - 3/8)/(n + 1/4) quantile); 0 for n = 1.
double expected_in_order(int rank, int n);

/// Expected maximum of n independent standard normal variables: a barrier waits for the slowest of n ranks, this many
/// standard deviations.
inline double expected_maximum(int n)
{
  return expected_in_order(n, n);
}

/// Standard deviation of the time that GPUs of one kind need for equal work that keeps them busy: matrix products lie
/// within 8 % of their median, whisker to whisker (Sinha et al., "Not all GPUs are created equal", SC 2022, five
/// centres): of a normal distribution, whose whiskers are 5.4 deviations apart, 1.5 %.
constexpr double spread_of_equal_gpus = 0.08 / 5.4;

} // namespace trainyard
