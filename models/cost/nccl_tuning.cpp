// SPDX-License-Identifier: Apache-2.0
// Constants of the collective library, by version, settings and GPU.
#include "models/cost/nccl_choice.hpp"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

constexpr const char* tuning_source = "NCCL, src/graph/tuning.cc (2.7)";

/// Kinds of GPUs that the library's tuner tells apart.
enum class Generation { volta, ampere, hopper, blackwell };

/// Its limits (src/graph/tuning.cc of 2.26): LL in one node (`llMaxBws`), a channel of trees in one node, two, more
/// (`perChMaxTreeBws`), a channel of LL128 in rings (`perChMaxRingLL128Bws`) and in trees on two nodes and on more
/// (`perChMaxTreeLL128Bws`). They stand here in the order of Generation.
struct Limits {
  BytesPerSecond ll;
  std::array<BytesPerSecond, 3> tree;
  BytesPerSecond ring_ll128;
  std::array<BytesPerSecond, 2> tree_ll128;
};
constexpr std::array<Limits, 4> limits{{
    {39_GBps, {26.5_GBps, 18.5_GBps, 10_GBps}, 20_GBps, {20_GBps, 20_GBps}},
    {87.7_GBps, {24_GBps, 23.6_GBps, 17.8_GBps}, 20_GBps, {20_GBps, 20_GBps}},
    {141_GBps, {38.7_GBps, 41.4_GBps, 36_GBps}, 36.7_GBps, {36.7_GBps, 29_GBps}},
    {282_GBps, {77.4_GBps, 82.8_GBps, 72_GBps}, 73.4_GBps, {73.4_GBps, 58_GBps}},
}};

void set_limits(CollectiveTuning& tuning, Generation generation)
{
  const Limits& of = limits.at(static_cast<std::size_t>(generation));
  tuning.ll_limit[0] = of.ll;
  if (!tuning.tree_limit_per_channel) // older libraries do not know the others
    return;
  tuning.tree_limit = of.tree;
  tuning.ring_ll128_limit = of.ring_ll128;
  tuning.tree_ll128_limit = of.tree_ll128;
}

} // namespace

std::vector<Parameter> collective_tuning_parameters()
{
  return {
      {"library_version",
       "name",
       "auto",
       "NCCL version whose start-up constants are used: 2.7, or 2.26 (messages of an all-to-all start together, as "
       "from 2.8 on); auto = 2.26 if the GPUs know bf16 (A100 and later)",
       0,
       0,
       "NCCL, src/graph/tuning.cc of both",
       {"auto", "2.7", "2.26"}},
      {"launch_time", "duration", "0 us",
       "host call and kernel launch of one collective, where the GPU waits for them (some 20 us where each call "
       "waits for the one before)",
       0},
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
      {"network_reduction", "boolean", "false",
       "InfiniBand switches add up (SHARP): the library's plug-in and NCCL_COLLNET_ENABLE=1; from two nodes on", 0, 1,
       "NCCL, src/graph/tuning.cc and issue 320"},
      {"plugin_latency", "duration", "",
       "latency that the network's plug-in tells the library's tuner (aws-ofi-nccl: 75 us on p4d, p5 and g5, 35 us "
       "from p5en on)",
       0, 1, "NCCL, src/graph/tuning.cc, latencyInter; aws-ofi-nccl, platform_data_map"},
      {"switch_chunk_size", "bytes", "",
       "largest chunk of a channel where NVSwitches add up (aws-ofi-nccl on p5: 512 KiB)", 16384, 1 << 30,
       "NCCL, src/transport/nvls.cc and src/enqueue.cc"},
      {"protocols",
       "name",
       "all",
       "protocols that the library may take: all, or simple alone (NCCL_PROTO=Simple; aws-ofi-nccl sets it where EFA "
       "does not deliver in order, as on p4d)",
       0,
       0,
       "aws-ofi-nccl, platform_config_endpoint",
       {"all", "simple"}},
      {"network_post_time", "duration", "1 us",
       "what the processor needs to hand a message to a NIC (Intel 1 us, AMD 2 us); three times with the simple "
       "protocol",
       0, 1, "NCCL, src/graph/tuning.cc, getNetOverhead"},
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
  tuning.network_hop = tuning.listed_hop = 14_us;
  tuning.ring_base_ll128 = tuning.tree_base_ll128 = 14_us;
  tuning.nvlink_tree_ll128 = 1.25_us;
  tuning.network_ll128 = 4.0 / 14;
  tuning.plateau_factor = 1.4;
  tuning.ll_efficiency = 0.5;
  tuning.tree_hop = 4_us;
  tuning.tree_network_hop = 14_us;
  tuning.tree_base = 8.4_us;
  tuning.parallel_trees = true;
  tuning.all_peers_at_once = true;
  tuning.received_at_once = 8;
  tuning.tree_efficiency = 0.92;
  tuning.tree_limit_per_channel = true;
  tuning.switch_reduction = true;
  tuning.collnet_nvlink_hop = tuning.collnet_pcie_hop = 2.8_us; // CollNetChain
  tuning.collnet_network_hop = 30_us;
  tuning.collnet_efficiency = 1;
  set_limits(tuning, Generation::hopper);
  return tuning;
}

CollectiveTuning rccl_tuning()
{
  CollectiveTuning tuning = newer_tuning();
  tuning.ring_base = tuning.tree_base = 17_us; // baseLat: LL and LL128 12 us, simple 17 us
  tuning.ring_base_ll = tuning.tree_base_ll = tuning.ring_base_ll128 = tuning.tree_base_ll128 = 12_us;
  tuning.nvlink_hop_ll = tuning.nvlink_hop_ll_taken = 0.8_us; // tuning_model_5 (gfx942), xGMI and between machines
  tuning.network_hop_ll = tuning.listed_hop_ll = 10.5_us;
  tuning.switch_reduction = false;
  tuning.all_pairs_up_to = Bytes{65536};
  return tuning;
}

CollectiveTuning collective_tuning(const Settings& settings, bool newer_gpus, const Gpu* gpu)
{
  const std::string version = settings.text("library_version", "auto");
  CollectiveTuning tuning =
      gpu != nullptr && gpu->description.starts_with("AMD") ? rccl_tuning()
      : version == "2.26" || (version == "auto" && (newer_gpus || (gpu != nullptr && gpu->peak.contains("bf16"))))
          ? newer_tuning()
          : CollectiveTuning{};
  const auto duration = [&](const char* name, Seconds& value) {
    value = Seconds{settings.number(name, value.value())};
  };
  duration("launch_time", tuning.launch);
  duration("ring_base_latency", tuning.ring_base);
  duration("nvlink_hop_latency", tuning.nvlink_hop);
  duration("pcie_hop_latency", tuning.pcie_hop);
  duration("network_hop_latency", tuning.network_hop);
  tuning.network_hop_ll += std::max(Seconds{}, tuning.network_hop - tuning.listed_hop); // see slower_by()
  duration("network_hop_latency_ll", tuning.network_hop_ll);
  tuning.hop_stated = settings.has("network_hop_latency");
  tuning.hop_ll_stated = tuning.hop_stated || settings.has("network_hop_latency_ll");
  tuning.plateau_factor = settings.number("plateau_factor", tuning.plateau_factor);
  tuning.switch_reduction = settings.flag("switch_reduction", tuning.switch_reduction);
  tuning.network_reduction = settings.flag("network_reduction", tuning.network_reduction);
  duration("plugin_latency", tuning.plugin_latency);
  tuning.switch_chunk = Bytes{settings.number("switch_chunk_size", 0)};
  tuning.low_latency = settings.flag("low_latency", tuning.low_latency);
  tuning.only_simple = settings.text("protocols", "all") == "simple";
  duration("network_post_time", tuning.network_post);
  return tuning;
}

void tune_for(CollectiveTuning& tuning, const Gpu& gpu)
{
  // By compute capability in the library. Ada (8.9) stands with Hopper here: it has no NVLink, and what a channel
  // reaches is more than its PCIe.
  const Generation generation = gpu.peak.contains("nvfp4")  ? Generation::blackwell
                                : gpu.peak.contains("fp8")  ? Generation::hopper
                                : gpu.peak.contains("bf16") ? Generation::ampere
                                                            : Generation::volta;
  set_limits(tuning, generation);
  if (generation == Generation::blackwell)
    tuning.switch_channels = {24, 32};
}

} // namespace trainyard
