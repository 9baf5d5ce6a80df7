// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/units.hpp"
#include "models/hardware/hardware.hpp"
#include "sim/step/engine/step_program.hpp"

namespace trainyard {

/// Share of the links' bandwidth that a message of @p payload reaches over @p transport, in (0, 1].
///
/// Log-linear in size between the points of Transport::rate, constant outside them.
double transport_efficiency(const Transport& transport, Bytes payload);

/// Of large payloads over links of a kind.
double transport_efficiency(const Transport& transport, LinkKind kind);

/// Rate of large payloads over @p link.
BytesPerSecond reached_rate(const Transport& transport, const Link& link);

/// By how much more than transport_efficiency() says large payloads pass the narrowest of @p links, because it is
/// InfiniBand.
double infiniband_gain(const Transport& transport, const Cluster& cluster, const std::vector<LinkId>& links);

/// What one message of @p payload costs besides the links it crosses.
MessageCost message_cost(const Transport& transport, Bytes payload);
/// The same on its way from @p from to @p to.
MessageCost message_cost(const Transport& transport, Bytes payload, const Cluster& cluster, VertexId from, VertexId to);

} // namespace trainyard
