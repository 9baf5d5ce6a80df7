// SPDX-License-Identifier: Apache-2.0
// Shares of connections of TCP without packets, on links of 100 Mbit/s with a queue of 131,072 B. Expected values by
// hand from RFC 9438 and RFC 5681.
#include "sim/step/engine/window_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

const std::vector<int> way = {0, 1};

Cluster two_links(const std::string& control)
{
  Cluster cluster;
  std::vector<VertexId> ends;
  for (const char* name : {"a", "b", "c"})
    ends.push_back(cluster.add_vertex({.kind = VertexKind::network_switch, .name = name, .node = {}}));
  for (std::size_t i = 0; i < 2; ++i)
    cluster.add_link("link", LinkKind::ethernet, ends[i], ends[i + 1], BytesPerSecond{12.5e6}, Seconds{});
  cluster.set_tcp({.congestion_control = control, .queue = Bytes{131'072}, .queue_told = true});
  return cluster;
}

/// Shares of a connection that draws @p draws times.
std::vector<double> shares_of(WindowShares& shares, int draws)
{
  shares.begin(0, way, 0);
  std::vector<double> all;
  for (int i = 0; i < draws; ++i) {
    all.push_back(shares.of(0));
    shares.change(0);
  }
  return all;
}

// A loss leaves 0.7 of a window (CUBIC): windows are 0.7 to 1 of the largest, 0.85 in the mean. Reno: 0.5 to 1, 0.75.
TEST(WindowShares, AreThoseBetweenTwoLosses)
{
  for (const auto& [control, least, most] :
       {std::tuple{"cubic", 0.7 / 0.85, 1 / 0.85}, {"reno", 0.5 / 0.75, 1 / 0.75}}) {
    const Cluster cluster = two_links(control);
    WindowShares shares{cluster};
    const std::vector<double> all = shares_of(shares, 1000);
    EXPECT_GE(std::ranges::min(all), least) << control;
    EXPECT_LE(std::ranges::max(all), most) << control;
    EXPECT_NEAR(std::ranges::min(all), least, 0.01 * (most - least)) << control;
    EXPECT_NEAR(std::ranges::max(all), most, 0.01 * (most - least)) << control;
  }
}

// Two connections: windows of up to 65,536 B, 43.29 segments; a round trip is 131,072 B / 12.5 MB/s = 10.486 ms. CUBIC
// loses 12.99 segments and wins 9/17 per round trip: 24.53 of them, 0.2573 s (along the curve (12.99 / 0.4)^(1/3) =
// 3.2 s), and a share lasts 1 / 0.3 times as long. Reno: 21.64 round trips, 0.2270 s, twice as long.
TEST(WindowShares, LastAsLongAsLossesTakeToMakeThemEqual)
{
  for (const auto& [control, seconds] : {std::pair{"cubic", 0.8575}, {"reno", 0.4539}}) {
    const Cluster cluster = two_links(control);
    WindowShares shares{cluster};
    EXPECT_TRUE(shares.begin(0, way, 0));
    EXPECT_TRUE(shares.begin(1, way, 0));
    EXPECT_NEAR(shares.lasts(0), seconds, 1e-3 * seconds) << control;
    shares.end(1, 0.1); // alone: a window and a growth of twice the size
    EXPECT_NEAR(shares.lasts(0), 2 * seconds, 2e-3 * seconds) << control;
  }
}

// The smallest retransmission timeout of Linux is 0.2 s.
TEST(WindowShares, AreForgottenInSilenceOnly)
{
  const Cluster cluster = two_links("cubic");
  WindowShares shares{cluster};
  EXPECT_TRUE(shares.begin(0, way, 0));
  const double first = shares.of(0);
  shares.end(0, 1);
  EXPECT_FALSE(shares.begin(0, way, 1.19)); // who asks when it changes still does
  EXPECT_EQ(shares.of(0), first);
  shares.end(0, 2);
  EXPECT_FALSE(shares.change(0)); // not any more
  EXPECT_TRUE(shares.begin(0, way, 2.21));
  EXPECT_NE(shares.of(0), first);
}

TEST(WindowShares, AreEqualWhereNobodySaysWhatWaits)
{
  WindowShares shares;
  EXPECT_FALSE(shares.begin(0, way, 0));
  EXPECT_EQ(shares.of(0), 1);
}

} // namespace
} // namespace trainyard
