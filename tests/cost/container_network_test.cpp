// SPDX-License-Identifier: Apache-2.0
#include "models/cost/container_network.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

Transport sockets()
{
  Transport made{.name = "tcp", .latency = Seconds{25e-6}, .rate = {{Bytes{}, 0.94}}};
  made.stream_limit = BytesPerSecond{0.5e9};
  return made;
}

TEST(ContainerNetwork, TheHostsNetworkChangesNothing)
{
  const Transport same = in_containers(sockets(), container_network("host"), false);
  EXPECT_EQ(same.latency, sockets().latency);
  EXPECT_EQ(same.stream_limit, sockets().stream_limit);
  EXPECT_EQ(same.rate.front().efficiency, 0.94);
}

// VXLAN: 50 of 1,448 B less in each packet, and 259 ns of a core for 1,398 B on top of the 2 ns of a byte.
TEST(ContainerNetwork, AnOverlayTakesBytesAndProcessorTimeOfEachPacket)
{
  const Transport there = in_containers(sockets(), container_network("overlay"), false);
  EXPECT_NEAR(there.rate.front().efficiency, 0.94 * 1398 / 1448, 1e-12);
  EXPECT_NEAR(there.stream_limit.value(), 1 / (2e-9 + 259e-9 / 1398), 1);
  EXPECT_NEAR(there.cpu_per_byte.value(), 259e-9 / 1398, 1e-18);
  EXPECT_NEAR(there.latency.value(), 29.8e-6, 1e-12);
}

// Between containers of one machine no packet gets a header: a pair of virtual cards, 70 ns for 1,448 B.
TEST(ContainerNetwork, OnOneMachineThereIsNoTunnel)
{
  const Transport inside = in_containers(sockets(), container_network("overlay"), true);
  EXPECT_EQ(inside.rate.front().efficiency, 0.94);
  EXPECT_NEAR(inside.stream_limit.value(), 1 / (2e-9 + 70e-9 / 1448), 1);
  EXPECT_NEAR(inside.latency.value(), 26e-6, 1e-12);
}

// IP in IP has no ports: one core receives all that comes from a machine, 26.6 Gbit/s without and 259 ns for 1,428 B.
TEST(ContainerNetwork, OneTunnelIsOneFlow)
{
  EXPECT_NEAR(tunnel_limit(in_containers(sockets(), container_network("calico_ipip"), false)).value(),
              1 / (8 / 26.6e9 + 259e-9 / 1428), 1);
  EXPECT_FALSE(std::isfinite(tunnel_limit(in_containers(sockets(), container_network("overlay"), false)).value()));
}

TEST(ContainerNetwork, RdmaGoesPastIt)
{
  Transport rdma = sockets();
  rdma.settings.set("rdma", 1);
  EXPECT_EQ(in_containers(rdma, container_network("overlay"), false).stream_limit, rdma.stream_limit);
}

// A stream of 0.5 GB/s on 10GbE, or the line of 1 Gbit/s: 2.185 against 2 ns, or 1,448 / 1,398.
TEST(ContainerNetwork, WhatALongMessageTakesMore)
{
  const ContainerNetwork& overlay = container_network("overlay");
  EXPECT_NEAR(network_cost(sockets(), overlay, BytesPerSecond{1.25e9}), 259.0 / 1398 / 2, 1e-9);
  EXPECT_NEAR(network_cost(sockets(), overlay, BytesPerSecond{0.125e9}), 50.0 / 1398, 1e-9);
}

} // namespace
} // namespace trainyard
