// SPDX-License-Identifier: Apache-2.0
// Shares of connections of TCP without packets, on links of 100 Mbit/s with a queue of 131,072 B. Expected values by
// hand from RFC 9438, 5681, 6928 and 2861.
#include "sim/step/engine/window_shares.hpp"

#include "models/scenario/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainyard {
namespace {

const std::vector<int> wire_way = {0, 1};
constexpr double wire_segment = 1514, wire_rate = 12.5e6, wire_queue = 131'072;

Cluster two_wires(const std::string& control)
{
  Cluster cluster;
  std::vector<VertexId> ends;
  for (const char* name : {"a", "b", "c"})
    ends.push_back(cluster.add_vertex({.kind = VertexKind::network_switch, .name = name, .node = {}}));
  for (std::size_t i = 0; i < 2; ++i)
    cluster.add_link("link", LinkKind::ethernet, ends[i], ends[i + 1], BytesPerSecond{wire_rate}, Seconds{});
  cluster.set_tcp({.congestion_control = control, .queue = Bytes{wire_queue}, .queue_told = true});
  return cluster;
}

// 10 segments at first. In slow start each acknowledged one brings another: 20 after the time that 10 take.
TEST(WindowShares, OldConnectionHasMoreThanNewOne)
{
  const Cluster cluster = two_wires("cubic");
  WindowShares shares{cluster};
  shares.begin(0, wire_way, 0);
  EXPECT_EQ(shares.of(0), 1);
  const double round_trip = 10 * wire_segment / wire_rate;
  EXPECT_NEAR(shares.next(), round_trip, 1e-12);
  shares.change(shares.next());
  shares.begin(1, wire_way, round_trip);
  EXPECT_NEAR(shares.of(0), 20.0 / 15, 1e-9);
  EXPECT_NEAR(shares.of(1), 10.0 / 15, 1e-9);
  EXPECT_EQ(shares.changed().size(), 2U);
  shares.end(0, round_trip);
  EXPECT_EQ(shares.of(1), 1);
}

// Whoever has more loses more often, and a loss leaves 0.7 of a window: no share lasts, and none is far from equal.
TEST(WindowShares, AreEqualInTheMean)
{
  for (const char* control : {"cubic", "reno"}) {
    const Cluster cluster = two_wires(control);
    WindowShares shares{cluster};
    for (int connection = 0; connection < 4; ++connection)
      shares.begin(connection, wire_way, 0);
    double now = 0, sum = 0, least = 4, most = 0;
    while (now < 200) {
      const double next = shares.next(), share = shares.of(0);
      sum += share * (next - now);
      least = std::min(least, share);
      most = std::max(most, share);
      shares.change(now = next);
    }
    EXPECT_NEAR(sum / now, 1, 0.05) << control;
    EXPECT_LT(least, 0.9) << control;
    EXPECT_GT(most, 1.1) << control;
    EXPECT_LT(most, 3) << control;
  }
}

// Two windows of 65,536 B, at a round trip of 10.486 ms. CUBIC grows by 9/17 of a segment per round trip as Reno would
// (50.49 segments/s; along the curve 12.99 segments in (12.99 / 0.4)^(1/3) = 3.19 s), Reno by a segment.
TEST(WindowShares, WindowsGrowAsTheirControlSays)
{
  const Registry<CongestionControl>& controls = Registry<CongestionControl>::instance();
  EXPECT_NEAR(controls.create("cubic")->growth(65'536, wire_queue / wire_rate), 76'440, 10);
  EXPECT_NEAR(controls.create("reno")->growth(65'536, wire_queue / wire_rate), 144'387, 10);
  // A round trip of 2 s: the curve is faster (4.07 segments/s against 0.26).
  EXPECT_NEAR(controls.create("cubic")->growth(65'536, 2), 6'164, 10);
}

// Nothing happens in a retransmission timeout: 0.2 s and a round trip (RFC 6298). 20 segments take 2.42 ms on this
// link.
TEST(WindowShares, ARoundTripBelongsToTheTimeoutOfSilence)
{
  for (const bool longer : {false, true}) {
    const Cluster cluster = two_wires("cubic");
    WindowShares shares{cluster};
    shares.begin(0, wire_way, 0);
    const double round_trip = 10 * wire_segment / wire_rate;
    shares.change(round_trip); // 20 segments
    shares.end(0, round_trip);
    const double again = round_trip + (longer ? 0.2026 : 0.2022);
    shares.begin(0, wire_way, again);
    shares.begin(1, wire_way, again);
    EXPECT_NEAR(shares.of(0), longer ? 1 : 20.0 / 15, 1e-9);
  }
}

// Half for each 0.2 s, but 10 segments; slow start until 0.75 of what it was.
TEST(WindowShares, WindowsAreSmallerAfterSilence)
{
  TcpSender sender{.window = 50 * wire_segment, .slow_until = 20 * wire_segment};
  be_silent(sender, 0.5);
  EXPECT_DOUBLE_EQ(sender.window, 12.5 * wire_segment);
  EXPECT_DOUBLE_EQ(sender.slow_until, 37.5 * wire_segment);
  be_silent(sender, 2);
  EXPECT_DOUBLE_EQ(sender.window, 10 * wire_segment);
  EXPECT_DOUBLE_EQ(sender.slow_until, 37.5 * wire_segment);
}

TEST(WindowShares, AreEqualWhereNobodySaysWhatWaits)
{
  WindowShares shares;
  shares.begin(0, wire_way, 0);
  EXPECT_TRUE(shares.changed().empty());
  EXPECT_EQ(shares.of(0), 1);
}

// Where requests wait in queues that others fill, windows alone are too fast.
TEST(WindowShares, AreThoseOfSynchronousServersWithAQueue)
{
  Scenario scenario;
  EXPECT_FALSE(shares_by_windows(scenario)); // no jobs
  scenario.jobs.emplace_back().training.mode = "parameter_server";
  EXPECT_FALSE(shares_by_windows(scenario)); // nobody says what waits
  TcpSpec& tcp = scenario.cluster.network.tcp;
  tcp.queue_told = true;
  EXPECT_TRUE(shares_by_windows(scenario));
  scenario.jobs[0].training.settings.set("transport", "rdma");
  scenario.transports["rdma"].settings.set("rdma", 1);
  EXPECT_FALSE(shares_by_windows(scenario)); // no windows
  Settings& settings = scenario.jobs[0].training.settings;
  settings.set("transport", "tcp");
  tcp.congestion_control = "bbr";
  EXPECT_FALSE(shares_by_windows(scenario));
  tcp.congestion_control = "reno";
  EXPECT_TRUE(shares_by_windows(scenario));
  settings.set("update_rule", "sync_replicas");
  EXPECT_TRUE(shares_by_windows(scenario));
  settings.set("backup_workers", 1); // tokens are left over: workers come apart
  EXPECT_FALSE(shares_by_windows(scenario));
  settings.set("backup_workers", 0);
  settings.set("update_rule", "async");
  EXPECT_FALSE(shares_by_windows(scenario));
  settings.set("update_rule", "sync");
  settings.set("dense_gradients", "all_reduce"); // a collective, without windows
  EXPECT_FALSE(shares_by_windows(scenario));
  settings.set("dense_gradients", "servers");
  settings.set("one_represents_all", "yes"); // nobody to share with
  EXPECT_FALSE(shares_by_windows(scenario));
  settings.set("one_represents_all", "auto");
  scenario.jobs[0].training.mode = "in_graph";
  EXPECT_TRUE(shares_by_windows(scenario));
  scenario.jobs.emplace_back().training.mode = "all_reduce";
  EXPECT_FALSE(shares_by_windows(scenario));
}

} // namespace
} // namespace trainyard
