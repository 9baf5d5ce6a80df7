// SPDX-License-Identifier: Apache-2.0
// What the network of containers adds to messages: bytes and processor time for each packet, and time on the way.
#pragma once
#include "models/cluster/cluster_spec.hpp"
#include "models/core/units.hpp"
#include "models/hardware/hardware.hpp"

#include <map>
#include <span>
#include <string>

namespace trainyard {

/// How containers reach each other.
struct ContainerNetwork {
  std::string name;
  std::string description;
  Bytes header;            // on top of each packet between machines
  Seconds packet;          // of a core at each end, for each packet between machines
  Seconds latency;         // on the way between machines
  Seconds inside_packet;   // of a core, for a packet to a container on the same machine
  Seconds inside_latency;  // and on its way
  bool tunnel_is_a_flow{}; // all that goes from one machine to another is one flow for the receiver: one core
  std::string source;
};

/// host, bridge, overlay, calico, calico_ipip.
std::span<const ContainerNetwork> container_networks();
/// Throws std::invalid_argument for another name.
const ContainerNetwork& container_network(const std::string& name);

/// cluster.network.containers.
const ContainerNetwork& container_network_of(const ClusterSpec& cluster);

/// What a message of this transport meets: a packet of 1,500 B has so much less room for it, a core that works through
/// a stream works on each packet longer, and one tunnel is one stream. Transports over RDMA go past it; so does what
/// stays in one process. @p inside: all containers are on one machine.
Transport in_containers(Transport transport, const ContainerNetwork& network, bool inside);
std::map<std::string, Transport> in_containers(std::map<std::string, Transport> transports,
                                               const ContainerNetwork& network, bool inside);

/// What all streams from one machine to another reach together; infinity: each has its own.
BytesPerSecond tunnel_limit(const Transport& transport);

/// Messages take (1 + @p cost) times as long, whatever the reason.
std::map<std::string, Transport> longer(std::map<std::string, Transport> transports, double cost);

/// By how much longer a message takes for each byte over this network than over the host's, as a share, over a link.
double network_cost(const Transport& transport, const ContainerNetwork& network, BytesPerSecond link);

} // namespace trainyard
