// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/units.hpp"
#include "models/hardware/hardware.hpp"
#include "sim/step/engine/step_program.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// Share of the links' bandwidth that a message of @p payload reaches over @p transport, in (0, 1].
///
/// Log-linear in size between the points of Transport::rate, constant outside them.
double transport_efficiency(const Transport& transport, Bytes payload);

/// Of large payloads over links of a kind.
double transport_efficiency(const Transport& transport, LinkKind kind);

/// Rate of large payloads over @p link.
BytesPerSecond reached_rate(const Transport& transport, const Link& link);

/// What one message of @p payload costs besides the links it crosses, over links that are no InfiniBand.
MessageCost message_cost(const Transport& transport, Bytes payload);

/// A message with what it costs on its way: over InfiniBand more of the line is payload (`infiniband_efficiency`).
Transfer message(const Transport& transport, const Cluster& cluster, VertexId from, VertexId to, Bytes payload,
                 SmallList<ResourceId> resources = {});

/// How much longer than @p hop the wires between neighbours of @p ranks are, where these are on two machines: the mean
/// over such neighbours, because what goes round a ring takes all its edges in turn.
///
/// A hop in the table of a collective library was measured on a local network, whose wires are in it. Links of a wide
/// area take longer than that, and no message is there before.
Seconds beyond_hop(const Cluster& cluster, std::span<const VertexId> ranks, Seconds hop);

/// Bytes of acknowledgements of @p size that come back for each byte of payload over a line of this rate
/// (`merged_segments`).
double acknowledged_share(Bytes size, BytesPerSecond line);

} // namespace trainyard
