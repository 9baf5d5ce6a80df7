// SPDX-License-Identifier: Apache-2.0
#include "models/cost/container_network.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

constexpr double packet_payload = 1448;      // of 1,500 B: headers of IP and TCP with a time stamp take the rest
constexpr double native_stream = 26.6e9 / 8; // B/s of a TCP stream without containers: what one core receives

/// Zhuo et al., Slim, NSDI 2019, table 1 (from memory, unverified): one TCP stream inside a machine 48.4 Gbit/s and a
/// round trip of 5.9 us, between two containers 37.4 Gbit/s and 7.9 us; (8 / 37.4 - 8 / 48.4) ns x 1,448 = 70 ns.
/// Between machines a round trip takes 11.3 us, over the overlay 20.9 us.
constexpr Seconds pair_packet{70e-9}, pair_latency{1e-6}, overlay_latency{4.8e-6};
/// mFlow (openreview.net, IKwxKJRu2Z, abstract): TCP over the kernel's own overlay reaches 1 / 1.81 of 29.8 Gbit/s,
/// without 26.6 Gbit/s: (8 x 1.81 / 29.8 - 8 / 26.6) ns x 1,398 = 259 ns.
constexpr Seconds tunnel_packet{259e-9};

const std::array<ContainerNetwork, 5>& networks()
{
  static const std::array<ContainerNetwork, 5> all = {{
      {"host", "the host's own network", {}, {}, {}, {}, {}, false, "no packet takes another way"},
      {"bridge",
       "a pair of virtual cards, a bridge, and address translation (Docker's default)",
       {},
       pair_packet,
       Seconds{18.75e-6},
       pair_packet,
       pair_latency,
       false,
       "Slim, NSDI 2019; Felter et al., IBM RC25482, 2014: translation doubles a round trip of 37.5 us (both from "
       "memory, unverified; processor time of the translation unknown, 0)"},
      {"overlay", "VXLAN between machines (Swarm, Flannel)", Bytes{50}, tunnel_packet, overlay_latency, pair_packet,
       pair_latency, false,
       "RFC 7348: outer Ethernet 14, IP 20, UDP 8, VXLAN 8 B, and a source port for each inner flow; mFlow; Slim, NSDI "
       "2019 (from memory, unverified)"},
      {"calico",
       "routed, without a tunnel (BGP)",
       {},
       pair_packet,
       pair_latency,
       pair_packet,
       pair_latency,
       false,
       "as between containers of a machine: Slim, NSDI 2019 (from memory, unverified)"},
      {"calico_ipip", "Calico with IP in IP between machines", Bytes{20}, tunnel_packet, overlay_latency, pair_packet,
       pair_latency, true,
       "RFC 2003: an IP header of 20 B, and no ports by which a card could spread flows over cores; processor time and "
       "latency assumed as VXLAN's"},
  }};
  return all;
}

bool by_nccl(const Transport& transport)
{
  return transport.name == "nccl" || transport.settings.text("variant_of", "") == "nccl";
}

/// Through sockets of the kernel, which is where containers have networks of their own.
bool uses_sockets(const Transport& transport)
{
  return !transport.settings.flag("rdma", false) && (!transport.gpu_direct || by_nccl(transport));
}

/// The time for each byte of one after the other.
BytesPerSecond slowed(BytesPerSecond rate, SecondsPerByte more)
{
  const double time = 1 / rate.value() + more.value();
  return BytesPerSecond{time > 0 ? 1 / time : std::numeric_limits<double>::infinity()};
}

} // namespace

std::span<const ContainerNetwork> container_networks()
{
  return networks();
}

const ContainerNetwork& container_network(const std::string& name)
{
  const auto found = std::ranges::find(networks(), name, &ContainerNetwork::name);
  if (found == networks().end())
    throw std::invalid_argument{"there is no container network '" + name + "'"};
  return *found;
}

const ContainerNetwork& container_network_of(const ClusterSpec& cluster)
{
  return container_network(cluster.network.settings.text("containers", "host"));
}

Transport in_containers(Transport transport, const ContainerNetwork& network, bool inside)
{
  const Seconds packet = inside ? network.inside_packet : network.packet;
  const Bytes header = inside ? Bytes{} : network.header;
  if (network.name == "host" || !uses_sockets(transport) || (inside && by_nccl(transport)))
    return transport; // inside a machine NCCL goes over NVLink, PCIe or memory
  const double payload = packet_payload - header.value();
  const SecondsPerByte more{packet.value() / payload};
  transport.latency += inside ? network.inside_latency : network.latency;
  if (!by_nccl(transport)) // its rate is also that of links inside a machine
    for (RatePoint& point : transport.rate)
      point.efficiency *= payload / packet_payload;
  transport.stream_limit = slowed(transport.stream_limit, more);
  if (!by_nccl(transport)) // nor do its sockets share a core
    transport.endpoint_limit = slowed(transport.endpoint_limit, more);
  transport.cpu_per_byte += more;
  if (network.tunnel_is_a_flow && !inside)
    transport.settings.set("tunnel_limit", slowed(BytesPerSecond{native_stream}, more).value());
  return transport;
}

std::map<std::string, Transport> in_containers(std::map<std::string, Transport> transports,
                                               const ContainerNetwork& network, bool inside)
{
  for (auto& [name, transport] : transports)
    transport = in_containers(std::move(transport), network, inside);
  return transports;
}

BytesPerSecond tunnel_limit(const Transport& transport)
{
  return BytesPerSecond{transport.settings.number("tunnel_limit", std::numeric_limits<double>::infinity())};
}

double network_cost(const Transport& transport, const ContainerNetwork& network, BytesPerSecond link)
{
  const auto rate = [link](const Transport& one) {
    return std::min(link * (one.rate.empty() ? 1 : one.rate.back().efficiency), one.stream_limit);
  };
  return rate(transport) / rate(in_containers(transport, network, false)) - 1;
}

std::map<std::string, Transport> longer(std::map<std::string, Transport> transports, double cost)
{
  for (auto& [name, transport] : transports) {
    transport.latency = transport.latency * (1 + cost);
    for (RatePoint& point : transport.rate)
      point.efficiency /= 1 + cost;
    transport.stream_limit = transport.stream_limit / (1 + cost);
    transport.endpoint_limit = transport.endpoint_limit / (1 + cost);
    transport.cpu_per_byte = transport.cpu_per_byte * (1 + cost);
  }
  return transports;
}

} // namespace trainyard
