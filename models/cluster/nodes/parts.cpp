// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

/// Of a PCIe link's 8, 16 or 32 Gbit/s and lane: with it collectives get 12, 24 and 48 GB/s out of 16 lanes of
/// generation 3 to 5, and pinned copies 13, 26 and 52; the rest are headers of packets of 128 to 256 bytes, replies and
/// credits. Source: NCCL 2.26, src/graph/topo.cc (60, 120 and 240 for a lane, sixteenths of 80).
constexpr double pcie_data_share = 12 / (15.75 * of_nccl);

} // namespace

std::vector<Parameter> pcie_parameters(const PcieShape& shape)
{
  return {
      {"sockets", "integer", std::to_string(shape.sockets), "CPU sockets of the machine", 1, 16},
      {"switches_per_socket", "integer",
       shape.gpus_of_a_switch > 0 ? "one for " + std::to_string(shape.gpus_of_a_switch) + " GPUs"
                                  : std::to_string(shape.switches_per_socket),
       "PCIe switches below each socket; 0 puts GPUs and NICs on root ports", 0, 16},
      {"pcie", "name", shape.pcie, "link type of all PCIe links"},
      {"pcie_bandwidth", "bandwidth", "that of the link type",
       "rate of a copy between host and GPU over PCIe, one direction", 1, Parameter::unbounded,
       "pinned copies of the calibration, if the scenario names one"},
      {"socket_bandwidth", "bandwidth", "19.2 GB/s", "bandwidth between two sockets, one direction", 1,
       Parameter::unbounded, "Intel Xeon E5-2600 v4 data sheet: QPI at 9.6 GT/s x 2 bytes"},
      {"peer_bandwidth", "bandwidth", "6 GB/s",
       "what collectives reach between GPUs of two sockets, one direction: a CPU passes on what is not its "
       "own in small packets",
       1, Parameter::unbounded,
       "NCCL 2.26, src/graph/topo.h: 6 GB/s up to Broadwell, 10 Skylake, 16 AMD, 22 Sapphire Rapids"},
  };
}

PcieShape pcie_shape(const Settings& settings, PcieShape defaults)
{
  defaults.sockets = std::max(1, settings.integer("sockets", defaults.sockets));
  if (settings.has("switches_per_socket"))
    defaults.gpus_of_a_switch = 0;
  defaults.switches_per_socket = std::max(0, settings.integer("switches_per_socket", defaults.switches_per_socket));
  defaults.pcie = settings.text("pcie", defaults.pcie);
  defaults.pcie_bandwidth = BytesPerSecond{settings.number("pcie_bandwidth", 0)};
  defaults.socket_bandwidth = BytesPerSecond{settings.number("socket_bandwidth", defaults.socket_bandwidth.value())};
  defaults.peer_bandwidth = BytesPerSecond{settings.number("peer_bandwidth", defaults.peer_bandwidth.value())};
  return defaults;
}

void add_pcie_tree(NodeContext& context, const PcieShape& shape)
{
  Cluster& cluster = context.cluster;
  LinkType pcie = context.report.link(shape.pcie, context.path + ".intra.pcie");
  const bool measured = shape.pcie_bandwidth > BytesPerSecond{};
  if (measured)
    pcie.bandwidth = shape.pcie_bandwidth;
  const auto plug = [&](VertexId below, VertexId above, int sharers = 1) {
    cluster.add_link(LinkKind::pcie, below, above, pcie.bandwidth / static_cast<double>(sharers), pcie.latency, 1, 1,
                     measured ? 1 : pcie_data_share);
  };
  std::vector<VertexId> sockets;
  for (int i = 0; i < shape.sockets; ++i)
    sockets.push_back(context.add(VertexKind::host, "cpu-" + std::to_string(i)));
  for (std::size_t i = 1; i < sockets.size(); ++i) {
    cluster.add_link(LinkKind::host_memory, sockets[i - 1], sockets[i], shape.socket_bandwidth, 0.3_us);
    if (context.type.gpus > 1)
      cluster.add_link(LinkKind::socket_peers, sockets[i - 1], sockets[i], shape.peer_bandwidth / of_nccl, 0.3_us);
  }

  std::vector<VertexId> slots; // what GPUs and NICs are plugged into
  for (int i = 0; i < shape.sockets; ++i) {
    const VertexId socket = sockets[static_cast<std::size_t>(i)];
    if (shape.switches_per_socket == 0)
      slots.push_back(socket);
    for (int k = 0; k < shape.switches_per_socket; ++k) {
      const int number = i * shape.switches_per_socket + k;
      slots.push_back(context.add(VertexKind::pcie_switch, "pcie-" + std::to_string(number)));
      plug(slots.back(), socket);
    }
  }
  const int count = static_cast<int>(slots.size());
  const auto slot_of = [&](int device, int devices) {
    // More devices than slots: equal runs. Fewer: every so-many-th slot.
    return slots[static_cast<std::size_t>(static_cast<long long>(device) * count / std::max(1, devices))];
  };
  for (int i = 0; i < context.type.gpus; ++i) {
    context.node.gpus.push_back(context.add(VertexKind::gpu, "gpu-" + std::to_string(i)));
    if (shape.peer_access || shape.switches_per_socket == 0) {
      plug(context.node.gpus.back(), slot_of(i, context.type.gpus));
      continue;
    }
    // Nothing turns round in the switch: each GPU has its part of the way up to the CPU and down again.
    const int slot = static_cast<int>(static_cast<long long>(i) * count / context.type.gpus);
    plug(context.node.gpus.back(), sockets[static_cast<std::size_t>(slot / shape.switches_per_socket)],
         (context.type.gpus + count - 1) / count);
  }
  for (int i = 0; i < context.type.nics; ++i) {
    context.node.nics.push_back(context.add(VertexKind::nic, "nic-" + std::to_string(i)));
    plug(context.node.nics.back(), slot_of(i, context.type.nics));
  }
  context.node.host = sockets.front();
}

std::vector<Parameter> nvlink_parameters(int generation)
{
  return {
      {"generation", "integer", std::to_string(generation),
       "NVLink generation; decides the rate of a link (20, 25, 25, 25, 50 GB/s each direction)", 1, 5,
       "NVIDIA architecture white papers P100, V100, A100, H100, Blackwell"},
      {"link_bandwidth", "bandwidth", "by generation", "bandwidth of one NVLink, one direction", 1},
      {"nvlink_latency", "duration", "0.7 us", "latency of one NVLink hop", 0, Parameter::unbounded, "assumed"},
  };
}

BytesPerSecond nvlink_rate(const Settings& settings, int default_generation)
{
  static constexpr std::array<double, 5> rate_GBps{20, 25, 25, 25, 50};
  const int generation = std::clamp(settings.integer("generation", default_generation), 1, 5);
  return BytesPerSecond{settings.number("link_bandwidth", rate_GBps[static_cast<std::size_t>(generation - 1)] * 1e9)};
}

double nvlink_data_share(const Settings& settings, int default_generation)
{
  static constexpr std::array<double, 5> reached_GBps{18, 23, 20, 20.6, 40.1};
  if (settings.has("link_bandwidth"))
    return 1;
  const int generation = std::clamp(settings.integer("generation", default_generation), 1, 5);
  const double line_GBps = nvlink_rate(settings, default_generation).value() / 1e9;
  return std::min(1.0, reached_GBps[static_cast<std::size_t>(generation - 1)] / (line_GBps * of_nccl));
}

Seconds nvlink_latency(const Settings& settings)
{
  return Seconds{settings.number("nvlink_latency", 0.7e-6)};
}

void PcieLayout::check(const NodeTypeSpec& type, const std::string& path, const BuildReport& report) const
{
  if (type.gpus < least_ || type.gpus > most_)
    report.error(path + ".gpus", "layout '" + type.intra + "' has " +
                                     (least_ == most_ ? std::to_string(least_)
                                                      : std::to_string(least_) + " to " + std::to_string(most_)) +
                                     " GPUs, not " + std::to_string(type.gpus));
  report.link(shape_.pcie, path + ".intra.pcie");
}

void PcieLayout::build(NodeContext& context) const
{
  PcieShape shape = shape_;
  if (const int held = shape.sockets * shape.gpus_of_a_switch; held > 0)
    shape.switches_per_socket = std::max(shape.switches_per_socket, (context.type.gpus + held - 1) / held);
  add_pcie_tree(context, shape);
  join_gpus(context);
}

} // namespace trainyard
