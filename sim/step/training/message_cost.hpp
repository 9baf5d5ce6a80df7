// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/units.hpp"
#include "models/cost/long_wires.hpp"
#include "models/hardware/hardware.hpp"
#include "sim/step/engine/step_program.hpp"

#include <memory>
#include <span>
#include <vector>

namespace trainyard {

/// Share of the links' bandwidth that a message of @p payload reaches over @p transport, in (0, 1].
///
/// Log-linear in size between the points of Transport::rate, constant outside them.
double transport_efficiency(const Transport& transport, Bytes payload);

/// Whether its messages go over RDMA, which loses nothing.
bool goes_over_rdma(const Transport& transport);

/// Of large payloads over links of a kind.
double transport_efficiency(const Transport& transport, LinkKind kind);

/// Rate of large payloads over @p link.
BytesPerSecond reached_rate(const Transport& transport, const Link& link);

/// What one message of @p payload costs besides the links it crosses, over links that are no InfiniBand.
MessageCost message_cost(const Transport& transport, Bytes payload);

/// A message with what it costs on its way: over InfiniBand more of the line is payload (`infiniband_efficiency`).
Transfer message(const Transport& transport, const Cluster& cluster, VertexId from, VertexId to, Bytes payload,
                 SmallList<ResourceId> resources = {});

/// Latency of the way from one machine to another, without links whose latency is assumed: those are taken as local.
Seconds stated_wires(const Cluster& cluster, VertexId from, VertexId to);

/// The wires between the machines of @p ranks, in the order in which these begin to come; null: as on a local network.
std::shared_ptr<const LongWires> long_wires(const Cluster& cluster, std::span<const VertexId> ranks);

/// Bytes of acknowledgements of @p size that come back for each byte of payload over a line of this rate
/// (`merged_segments`).
double acknowledged_share(Bytes size, BytesPerSecond line);

} // namespace trainyard
