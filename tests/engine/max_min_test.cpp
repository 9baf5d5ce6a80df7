// SPDX-License-Identifier: Apache-2.0
/// The max-min solver alone, on networks solved by hand and against textbook progressive filling.
#include "models/core/random.hpp"
#include "sim/step/engine/fluid_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double unlimited = std::numeric_limits<double>::infinity();

struct Way {
  std::vector<int> links;
  double limit = unlimited;
};

/// The rates, by number of the flow, from one instant until the next one.
using Rates = std::map<int, double>;

/// Notes the rates of every instant. A flow's number is the operation that it belongs to.
class Notes final : public FluidWatcher
{
public:
  void instant(const FluidNetwork& network) override
  {
    Rates now;
    for (const ActiveFlow& flow : network.flows())
      now[flow.owner.operation] = flow.rate;
    if (!rates.empty() && rates.back().first == network.now())
      rates.pop_back();
    rates.emplace_back(network.now(), now);
  }

  std::vector<std::pair<double, Rates>> rates;
};

/// Starts a flow with a number.
void start(
    FluidNetwork& network, int number, const FlowRequest& request, Network::Callback done = [] {})
{
  network.belongs_to(0, number);
  network.flow(request, std::move(done));
}

/// The rates of flows that start together.
std::vector<double> shares(const std::vector<double>& capacities, const std::vector<Way>& ways)
{
  FluidNetwork network{capacities};
  Notes notes;
  network.watch(notes);
  network.run([&] {
    for (std::size_t i = 0; i < ways.size(); ++i)
      start(network, static_cast<int>(i), {.links = &ways[i].links, .bytes = 1e6, .limit = ways[i].limit});
  });
  std::vector<double> result;
  for (const auto& [number, rate] : notes.rates.front().second)
    result.push_back(rate);
  return result;
}

TEST(MaxMin, OneCapacityIsSharedEqually)
{
  // n flows on 12 B/s: 12/n each.
  for (const std::size_t flows : {1U, 2U, 3U, 4U, 6U})
    EXPECT_THAT(shares({12}, std::vector<Way>(flows, {{0}})),
                Pointwise(DoubleEq(), std::vector<double>(flows, 12.0 / static_cast<double>(flows))));
}

TEST(MaxMin, TheLongFlowOfALineHasTheShareOfItsNarrowestLink)
{
  // Flow 0 crosses both links, 1 and 2 one each. Two links of 1: each is full at 1/2.
  const std::vector<Way> line = {{{0, 1}}, {{0}}, {{1}}};
  EXPECT_THAT(shares({1, 1}, line), ElementsAre(DoubleEq(0.5), DoubleEq(0.5), DoubleEq(0.5)));
  // Links of 1 and 2: the first is full at 1/2 and stops flows 0 and 1; flow 2 has the rest, 2 - 1/2.
  EXPECT_THAT(shares({1, 2}, line), ElementsAre(DoubleEq(0.5), DoubleEq(0.5), DoubleEq(1.5)));
  // A thin link of 1 and a fat one of 100: the same, with 100 - 1/2.
  EXPECT_THAT(shares({1, 100}, line), ElementsAre(DoubleEq(0.5), DoubleEq(0.5), DoubleEq(99.5)));
}

TEST(MaxMin, LocalFlowsOfAParkingLotShareWhatTheLongOneLeaves)
{
  // Four links of 6; flow 0 crosses all, the links have 1, 2, 3 and 5 flows of their own. The last one is full first,
  // at 6/6 = 1, and stops flow 0. The others then have 6 - 1 = 5 for 1, 2 and 3 flows: 5, 2.5 and 5/3 each.
  const std::vector<double> rates = shares(
      {6, 6, 6, 6}, {{{0, 1, 2, 3}}, {{0}}, {{1}}, {{1}}, {{2}}, {{2}}, {{2}}, {{3}}, {{3}}, {{3}}, {{3}}, {{3}}});
  EXPECT_THAT(rates,
              Pointwise(DoubleNear(1e-12), {1.0, 5.0, 2.5, 2.5, 5.0 / 3, 5.0 / 3, 5.0 / 3, 1.0, 1.0, 1.0, 1.0, 1.0}));
}

TEST(MaxMin, WhatABottleneckLeavesIsTakenUpLinkByLink)
{
  // Links of 2, 6 and 20, neighbours joined by one flow each: flow 0 on A, 1 on A and B, 2 on B and C, 3 on C.
  // A is full at 2/2 = 1: flows 0 and 1. B has 6 - 1 = 5 left for flow 2 alone. C has 20 - 5 = 15 left for flow 3.
  EXPECT_THAT(shares({2, 6, 20}, {{{0}}, {{0, 1}}, {{1, 2}}, {{2}}}),
              ElementsAre(DoubleEq(1), DoubleEq(1), DoubleEq(5), DoubleEq(15)));
}

TEST(MaxMin, AFlowsLimitLeavesItsRestToTheOthers)
{
  // 10 B/s, limits 1, none, none: (10 - 1) / 2 = 4.5 for the others.
  EXPECT_THAT(shares({10}, {{{0}, 1}, {{0}}, {{0}}}), ElementsAre(DoubleEq(1), DoubleEq(4.5), DoubleEq(4.5)));
  // Limits 2 and 3 are both below the shares 10/3 and (10 - 2)/2: 10 - 5 = 5 for the third.
  EXPECT_THAT(shares({10}, {{{0}, 3}, {{0}}, {{0}, 2}}), ElementsAre(DoubleEq(3), DoubleEq(5), DoubleEq(2)));
  // A limit at or above the share 9/3 changes nothing.
  EXPECT_THAT(shares({9}, {{{0}, 5}, {{0}, 3}, {{0}}}), ElementsAre(DoubleEq(3), DoubleEq(3), DoubleEq(3)));
  // All limits together below the capacity: it stays in part unused.
  EXPECT_THAT(shares({10}, {{{0}, 1}, {{0}, 2}}), ElementsAre(DoubleEq(1), DoubleEq(2)));
}

TEST(MaxMin, ACapacityOfZeroStopsItsFlowsOnly)
{
  // Flow 0 crosses the dead link and B, flow 1 only B, flow 2 only the dead link: 0, all 8 of B, 0.
  const std::vector<Way> ways = {{{0, 1}}, {{1}}, {{0}}};
  EXPECT_THAT(shares({0, 8}, ways), ElementsAre(DoubleEq(0), DoubleEq(8), DoubleEq(0)));
  // The run ends when nothing is left that can happen; the stopped flows have not ended.
  FluidNetwork network{{0, 8}};
  std::vector<int> ended;
  network.run([&] {
    for (int i = 0; i < 3; ++i)
      start(network, i, {.links = &ways[static_cast<std::size_t>(i)].links, .bytes = 16},
            [&ended, i] { ended.push_back(i); });
  });
  EXPECT_THAT(ended, ElementsAre(1));
  EXPECT_DOUBLE_EQ(network.now(), 2); // 16 B at 8 B/s
  EXPECT_EQ(network.flows().size(), 2U);
}

TEST(MaxMin, AFlowThatUsesNothingHasItsLimit)
{
  // Nobody shares anything with flow 0; flow 1 has the link alone.
  EXPECT_THAT(shares({7}, {{{}, 3}, {{0}}}), ElementsAre(DoubleEq(3), DoubleEq(7)));
}

TEST(MaxMin, AFlowThatNothingHoldsBackTakesNoTime)
{
  // At 2 s a flow and a message of a connection start without links and without limits: both end at 2 s, after the call
  // that started them. The flow beside them has the link alone: 21 B at 7 B/s end at 3 s.
  FluidNetwork network{{7}};
  const std::vector<int> nothing, link = {0};
  std::map<std::string, double> ends;
  network.run([&] {
    network.flow({.links = &link, .bytes = 21}, [&] { ends["beside"] = network.now(); });
    network.timer(2, [&] {
      EXPECT_EQ(network.flow({.links = &nothing, .bytes = 100}, [&] { ends["flow"] = network.now(); }), -1);
      EXPECT_EQ(
          network.flow({.links = &nothing, .bytes = 9, .connection = 0}, [&] { ends["message"] = network.now(); }), -1);
      EXPECT_TRUE(ends.empty());
    });
  });
  EXPECT_EQ(ends, (std::map<std::string, double>{{"flow", 2}, {"message", 2}, {"beside", 3}}));
  EXPECT_TRUE(network.flows().empty());
}

TEST(MaxMin, TimersOfOneInstantFireInTheOrderOfTheirRequests)
{
  FluidNetwork network{{1}};
  std::vector<int> fired;
  network.run([&] {
    for (const int number : {1, 2, 3})
      network.timer(4, [&, number] { fired.push_back(number); });
  });
  EXPECT_THAT(fired, ElementsAre(1, 2, 3));
}

TEST(MaxMin, AnEndedFlowGivesItsShareBack)
{
  // 4, 12 and 20 B on 12 B/s. At 4 each the first ends at 1 s; 8 and 16 B are left. At 6 each the second ends at
  // 1 + 8/6 = 7/3 s; 8 B are left. At 12 the third ends at 7/3 + 8/12 = 3 s: 36 B at 12 B/s, no time was lost.
  FluidNetwork network{{12}};
  Notes notes;
  network.watch(notes);
  const std::vector<int> link = {0};
  std::vector<double> ends;
  network.run([&] {
    for (const int number : {0, 1, 2})
      start(network, number, {.links = &link, .bytes = 4.0 + 8 * number}, [&] { ends.push_back(network.now()); });
  });
  EXPECT_THAT(ends, Pointwise(DoubleNear(1e-12), {1.0, 7.0 / 3, 3.0}));
  ASSERT_EQ(notes.rates.size(), 4U);
  EXPECT_EQ(notes.rates[0].second, (Rates{{0, 4}, {1, 4}, {2, 4}}));
  EXPECT_EQ(notes.rates[1].second, (Rates{{1, 6}, {2, 6}}));
  EXPECT_EQ(notes.rates[2].second, (Rates{{2, 12}}));
  EXPECT_EQ(notes.rates[3].second, Rates{});
}

TEST(MaxMin, AnEndCanTakeFromAFlowThatSharedNothingWithIt)
{
  // A has 2, B has 3; flow 0 on A, 1 on A and B, 2 on B. A is full at 1: flow 1 leaves 2 of B to flow 2.
  // Flow 0 has 5 B and ends at 5 s. Now B is the only bottleneck, at 3/2: flow 1 rises, flow 2 falls from 2 to 1.5.
  FluidNetwork network{{2, 3}};
  Notes notes;
  network.watch(notes);
  const std::vector<Way> ways = {{{0}}, {{0, 1}}, {{1}}};
  network.run([&] {
    for (int i = 0; i < 3; ++i)
      start(network, i, {.links = &ways[static_cast<std::size_t>(i)].links, .bytes = i == 0 ? 5.0 : 1000.0});
  });
  ASSERT_GE(notes.rates.size(), 2U);
  EXPECT_EQ(notes.rates[0].second, (Rates{{0, 1}, {1, 1}, {2, 2}}));
  EXPECT_DOUBLE_EQ(notes.rates[1].first, 5);
  EXPECT_EQ(notes.rates[1].second, (Rates{{1, 1.5}, {2, 1.5}}));
}

TEST(MaxMin, AFlowThatComesLaterTakesItsShareFromThatMoment)
{
  // 12 B/s. Flow 0 alone until 1 s: 12 of its 24 B. Then 6 each: flow 1 ends its 6 B at 2 s, flow 0 has 6 B left and
  // ends at 2.5 s.
  FluidNetwork network{{12}};
  Notes notes;
  network.watch(notes);
  const std::vector<int> link = {0};
  std::vector<double> ends;
  const auto note_end = [&] { ends.push_back(network.now()); };
  network.run([&] {
    start(network, 0, {.links = &link, .bytes = 24}, note_end);
    network.timer(1, [&] { start(network, 1, {.links = &link, .bytes = 6}, note_end); });
  });
  EXPECT_THAT(ends, ElementsAre(DoubleEq(2), DoubleEq(2.5)));
  ASSERT_EQ(notes.rates.size(), 4U);
  EXPECT_EQ(notes.rates[0].second, (Rates{{0, 12}}));
  EXPECT_EQ(notes.rates[1].second, (Rates{{0, 6}, {1, 6}}));
  EXPECT_EQ(notes.rates[2].second, (Rates{{0, 12}}));
}

TEST(MaxMin, TheMessagesOfAConnectionHaveOneShareAmongThem)
{
  // 12 B/s: the connection has 6, its messages of 3 and 9 B 3 each; the flow beside it has 6. The first message ends at
  // 1 s; the second has 6 B left, the whole 6 B/s, and ends at 2 s. The flow's 12 B end at 2 s. Three flows with a
  // share each would have 4 B/s.
  FluidNetwork network{{12}};
  const std::vector<int> link = {0};
  std::map<std::string, double> ends;
  network.run([&] {
    network.flow({.links = &link, .bytes = 3, .connection = 0}, [&] { ends["3 B"] = network.now(); });
    network.flow({.links = &link, .bytes = 9, .connection = 0}, [&] { ends["9 B"] = network.now(); });
    network.flow({.links = &link, .bytes = 12}, [&] { ends["alone"] = network.now(); });
  });
  EXPECT_DOUBLE_EQ(ends["3 B"], 1);
  EXPECT_DOUBLE_EQ(ends["9 B"], 2);
  EXPECT_DOUBLE_EQ(ends["alone"], 2);
}

TEST(MaxMin, AMessageThatFollowsAtOnceKeepsTheRateOfItsConnection)
{
  // 12 B/s: the connection and the flow beside it have 6 each. Messages of 60 B in all end at 10 s, one or ten of them;
  // then the flow has sent 60 of its 66 B, and the rest takes 0.5 s at 12 B/s. Between two messages of a connection no
  // rate changes, so that none is computed. A message that comes 1 s after the one before opens the connection again.
  const std::vector<int> link = {0};
  std::map<int, long> computed; // by number of messages
  for (const int messages : {1, 10}) {
    FluidNetwork network{{12}};
    std::vector<double> ends;
    double alone = 0;
    std::function<void()> next = [&] {
      if (const auto sent = static_cast<int>(ends.size()); sent < messages)
        network.flow({.links = &link, .bytes = 60.0 / messages, .connection = 0}, [&] {
          ends.push_back(network.now());
          network.timer(0, next); // as a message without a latency begins
        });
    };
    network.run([&] {
      next();
      network.flow({.links = &link, .bytes = 66}, [&] { alone = network.now(); });
    });
    for (int message = 0; message < messages; ++message)
      EXPECT_NEAR(ends.at(static_cast<std::size_t>(message)), 10.0 * (message + 1) / messages, 1e-9);
    EXPECT_NEAR(alone, 10.5, 1e-9);
    computed[messages] = network.work().frozen;
  }
  EXPECT_EQ(computed[10], computed[1]);

  FluidNetwork network{{12}};
  std::vector<double> ends;
  network.run([&] {
    network.flow({.links = &link, .bytes = 12, .connection = 0}, [&] {
      network.timer(1, [&] {
        network.flow({.links = &link, .bytes = 12, .connection = 0}, [&] { ends.push_back(network.now()); });
      });
    });
    network.flow({.links = &link, .bytes = 36}, [&] { ends.push_back(network.now()); });
  });
  // 2 s at 6 B/s each, 1 s in which the flow has 12 B/s, so that 12 B of each are left: both end at 5 s.
  EXPECT_THAT(ends, ElementsAre(DoubleNear(5, 1e-9), DoubleNear(5, 1e-9)));
}

TEST(MaxMin, AFollowerAtItsLeadGoesAtItsLeadersRateAndLeavesTheRest)
{
  // In MB/s: the leader has a link of 1 alone; its follower and flow 2 share a link of 10, 5 each. The follower gains 4
  // and is its lead of 8 MB ahead at 2 s. From then on it has 1, and flow 2 has 10 - 1 = 9.
  const double mega = 1e6;
  FluidNetwork network{{1 * mega, 10 * mega}};
  Notes notes;
  network.watch(notes);
  const std::vector<int> thin = {0}, fat = {1};
  network.run([&] {
    network.belongs_to(0, 0);
    const int leader = network.flow({.links = &thin, .bytes = 100 * mega}, [] {});
    start(network, 1, {.links = &fat, .bytes = 100 * mega, .follows = leader, .lead = 8 * mega});
    start(network, 2, {.links = &fat, .bytes = 1000 * mega});
  });
  ASSERT_GE(notes.rates.size(), 2U);
  EXPECT_EQ(notes.rates[0].second, (Rates{{0, 1 * mega}, {1, 5 * mega}, {2, 5 * mega}}));
  EXPECT_NEAR(notes.rates[1].first, 2, 1e-6);
  EXPECT_EQ(notes.rates[1].second, (Rates{{0, 1 * mega}, {1, 1 * mega}, {2, 9 * mega}}));
}

TEST(MaxMin, EveryFollowerCatchesUpInItsOwnTime)
{
  // In MB/s: two leaders at 1, each with a follower at 5 on a link of its own. With leads of 8 and 16 MB the followers
  // are at their limits at 2 s and 4 s, and go on at 1.
  const double mega = 1e6;
  FluidNetwork network{{mega, 5 * mega, mega, 5 * mega}};
  Notes notes;
  network.watch(notes);
  const std::vector<std::vector<int>> links = {{0}, {1}, {2}, {3}};
  network.run([&] {
    for (const int pair : {0, 1}) {
      const auto first = static_cast<std::size_t>(2 * pair);
      network.belongs_to(0, 2 * pair);
      const int leader = network.flow({.links = &links[first], .bytes = 100 * mega}, [] {});
      start(network, 2 * pair + 1,
            {.links = &links[first + 1], .bytes = 100 * mega, .follows = leader, .lead = (8 + 8 * pair) * mega});
    }
  });
  ASSERT_GE(notes.rates.size(), 3U);
  EXPECT_EQ(notes.rates[0].second, (Rates{{0, mega}, {1, 5 * mega}, {2, mega}, {3, 5 * mega}}));
  EXPECT_NEAR(notes.rates[1].first, 2, 1e-6);
  EXPECT_EQ(notes.rates[1].second, (Rates{{0, mega}, {1, mega}, {2, mega}, {3, 5 * mega}}));
  EXPECT_NEAR(notes.rates[2].first, 4, 1e-6);
  EXPECT_EQ(notes.rates[2].second, (Rates{{0, mega}, {1, mega}, {2, mega}, {3, mega}}));
}

/// The textbook: all rates rise together; a flow stops at its limit, and all flows of a link stop when it is full
/// (Bertsekas and Gallager, "Data Networks", 6.5.2).
std::vector<double> progressive_filling(const std::vector<double>& capacities, const std::vector<const Way*>& ways)
{
  std::vector<double> rates(ways.size(), 0.0);
  std::vector<bool> stopped(ways.size(), false);
  while (std::ranges::count(stopped, false) > 0) {
    std::vector<double> left = capacities, rising(capacities.size(), 0.0);
    for (std::size_t i = 0; i < ways.size(); ++i)
      for (const int link : ways[i]->links) {
        left[static_cast<std::size_t>(link)] -= rates[i];
        rising[static_cast<std::size_t>(link)] += stopped[i] ? 0 : 1;
      }
    double rise = unlimited;
    for (std::size_t l = 0; l < left.size(); ++l)
      rise = rising[l] > 0 ? std::min(rise, left[l] / rising[l]) : rise;
    for (std::size_t i = 0; i < ways.size(); ++i)
      rise = stopped[i] ? rise : std::min(rise, ways[i]->limit - rates[i]);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (stopped[i])
        continue;
      rates[i] += rise;
      stopped[i] = rates[i] >= ways[i]->limit * (1 - 1e-12);
      for (const int link : ways[i]->links) {
        const auto l = static_cast<std::size_t>(link);
        stopped[i] = stopped[i] || left[l] - rise * rising[l] <= capacities[l] * 1e-12;
      }
    }
  }
  return rates;
}

TEST(MaxMin, TheTextbookOfThisTestIsRight)
{
  // The line with links of 1 and 2 from above, and a limit below every share.
  const Way both{{0, 1}}, first{{0}}, second{{1}}, limited{{1}, 0.25};
  EXPECT_THAT(progressive_filling({1, 2}, {&both, &first, &second, &limited}),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.5), DoubleEq(1.25), DoubleEq(0.25)));
}

/// A network whose flows come and go; at every instant the rates are compared with the textbook's.
class Comparison final : public FluidWatcher
{
public:
  Comparison(std::vector<double> capacities, std::vector<Way> ways)
      : capacities_{std::move(capacities)}, ways_{std::move(ways)}
  {
  }

  /// Flow i starts at times[i]. With @p chained, the later half follow the earlier one too far behind to catch up:
  /// the network then computes all rates at every instant instead of those that may have changed.
  void run(const std::vector<double>& times, const std::vector<double>& bytes, bool chained)
  {
    FluidNetwork network{capacities_};
    network.watch(*this);
    std::vector<int> ids(ways_.size(), -1);
    network.run([&] {
      for (std::size_t i = 0; i < ways_.size(); ++i)
        network.timer(times[i], [&, i] {
          network.belongs_to(0, static_cast<int>(i));
          ids[i] = network.flow({.links = &ways_[i].links, .bytes = bytes[i], .limit = ways_[i].limit},
                                [&, i] { ids[i] = -1; });
          if (chained && i % 2 == 1)
            network.follow(ids[i - 1], ids[i], 1e12, true);
        });
    });
    EXPECT_TRUE(network.flows().empty());
  }

  void instant(const FluidNetwork& network) override
  {
    std::vector<const Way*> ways;
    const std::vector<ActiveFlow> flows = network.flows();
    for (const ActiveFlow& flow : flows)
      ways.push_back(&ways_[static_cast<std::size_t>(flow.owner.operation)]);
    const std::vector<double> expected = progressive_filling(capacities_, ways);
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (std::abs(flows[i].rate - expected[i]) > 1e-9 * expected[i])
        ADD_FAILURE() << "at " << network.now() << " s flow " << flows[i].owner.operation << " of " << flows.size()
                      << " has " << flows[i].rate << " B/s, the textbook says " << expected[i];
    compared += flows.size();
  }

  std::size_t compared = 0;

private:
  std::vector<double> capacities_;
  std::vector<Way> ways_;
};

/// @p flows over up to six of @p links, a third of them with limits; half the networks have few distinct capacities, so
/// that several links are full at once. They start within 2 s and last for about as long.
std::size_t compare_random_network(RandomStream draw, std::size_t links, std::size_t flows, bool chained)
{
  const bool even = draw.below(2) == 0;
  std::vector<double> capacities, times, bytes;
  for (std::size_t l = 0; l < links; ++l)
    capacities.push_back(even ? static_cast<double>(1 + draw.below(4)) : 0.5 + 9.5 * draw.uniform());
  std::vector<Way> ways(flows);
  for (Way& way : ways) {
    const std::size_t length = 1 + draw.below(std::min<std::size_t>(6, links));
    while (way.links.size() < length)
      if (const auto link = static_cast<int>(draw.below(links)); std::ranges::count(way.links, link) == 0)
        way.links.push_back(link);
    if (draw.below(3) == 0)
      way.limit = even ? 0.25 * static_cast<double>(1 + draw.below(8)) : 0.1 + 2 * draw.uniform();
    times.push_back(draw.below(2) == 0 ? 0 : 2 * draw.uniform());
    bytes.push_back(0.1 + draw.uniform());
  }
  Comparison comparison{std::move(capacities), std::move(ways)};
  comparison.run(times, bytes, chained);
  return comparison.compared;
}

TEST(MaxMin, EqualsProgressiveFillingOnRandomNetworksWhileFlowsComeAndGo)
{
  const Random random{20};
  constexpr int chained_too = 200;
  for (int network = 0; network < 2000 && !HasFailure(); ++network) {
    const std::string name = "network/" + std::to_string(network);
    RandomStream size = random.stream(name + "/size");
    const std::size_t links = 1 + size.below(12), flows = 1 + size.below(40);
    SCOPED_TRACE(name);
    EXPECT_GE(compare_random_network(random.stream(name), links, flows, false), flows);
    if (network < chained_too) {
      EXPECT_GE(compare_random_network(random.stream(name), links, flows, true), flows);
    }
  }
}

TEST(MaxMin, EqualsProgressiveFillingWhereThereAreManyLevels)
{
  // Beyond 256 links and limits the solver sorts them.
  for (const bool chained : {false, true})
    EXPECT_GE(compare_random_network(Random{21}.stream("many"), 300, 280, chained), 280U);
}

/// Rings of flows that follow each other, and flows that follow nobody, on random links; they start one after another.
struct RandomRings {
  struct One {
    std::vector<int> links;
    double bytes = 0, limit = unlimited, start = 0, lead = 0;
    int ring = -1;
  };
  std::vector<double> capacities;
  std::vector<One> flows; // those of a ring in a row

  explicit RandomRings(std::uint64_t seed)
  {
    RandomStream random = Random{seed}.stream("rings");
    for (int link = 0; link < 14; ++link)
      capacities.push_back(1e8 * (1 + 20 * random.uniform()));
    const int rings = 1 + static_cast<int>(random.below(5));
    for (int ring = 0; ring < rings; ++ring) {
      const std::size_t edges = 3 + random.below(8);
      const double bytes = 1e6 * (1 + 20 * random.uniform()), start = 0.05 * random.uniform();
      const double lead = bytes / static_cast<double>(1 + random.below(9));
      for (std::size_t edge = 0; edge < edges; ++edge)
        flows.push_back(
            {links(random), bytes, random.below(5) == 0 ? 3e8 * random.uniform() : unlimited, start, lead, ring});
    }
    for (std::uint64_t lone = random.below(6); lone > 0; --lone)
      flows.push_back({links(random), 2e7 * random.uniform(), unlimited, 0.1 * random.uniform(), 0, -1});
  }

  std::vector<int> links(RandomStream& random) const
  {
    std::vector<int> result;
    for (std::uint64_t count = 1 + random.below(3); result.size() < count;)
      if (const int link = static_cast<int>(random.below(capacities.size()));
          std::ranges::find(result, link) == result.end())
        result.push_back(link);
    return result;
  }

  /// When each ends, in s.
  std::vector<double> ends(bool all_anew) const
  {
    FluidNetwork network{capacities};
    if (all_anew)
      network.share_out_all();
    std::vector<double> result(flows.size(), -1);
    std::vector<int> ids(flows.size());
    const auto begin = [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i)
        ids[i] = network.flow({.links = &flows[i].links, .bytes = flows[i].bytes, .limit = flows[i].limit},
                              [&result, &network, i] { result[i] = network.now(); });
      for (std::size_t i = first; i < end && end - first > 1; ++i)
        network.follow(ids[i], ids[i + 1 < end ? i + 1 : first], flows[i].lead, true);
    };
    network.run([&] {
      for (std::size_t first = 0; first < flows.size();) {
        std::size_t end = first + 1;
        while (end < flows.size() && flows[end].ring >= 0 && flows[end].ring == flows[first].ring)
          ++end;
        network.timer(flows[first].start, [&begin, first, end] { begin(first, end); });
        first = end;
      }
    });
    return result;
  }
};

TEST(MaxMin, RingsThatComeAndGoChangeOnlyTheRatesThatTheyTouch)
{
  // What a flow may be ahead is known to a billionth of it; all else is the same.
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomRings rings{seed};
    const std::vector<double> local = rings.ends(false), anew = rings.ends(true);
    for (std::size_t i = 0; i < anew.size(); ++i)
      ASSERT_NEAR(local[i], anew[i], 1e-8 * anew[i]) << "seed " << seed << ", flow " << i;
  }
}

/// When messages between random machines end, in s; each crosses the card of its sender, that of its receiver, and one
/// of a few links between. Every second answers when it has ended.
std::vector<double> ends_of_messages(std::uint64_t seed, bool all_anew)
{
  RandomStream random = Random{seed}.stream("messages");
  const std::size_t machines = 4 + random.below(40), between = 1 + random.below(12), messages = 20 + random.below(300);
  std::vector<double> capacities(2 * machines, 1e9);
  capacities.resize(2 * machines + between, 1e9 * static_cast<double>(1 + random.below(8)));
  std::vector<std::vector<int>> ways(2 * messages);
  std::vector<double> bytes, starts;
  for (std::size_t m = 0; m < messages; ++m) {
    const auto one = static_cast<int>(random.below(machines)), other = static_cast<int>(random.below(machines));
    const auto link = static_cast<int>(2 * machines + random.below(between)), there = static_cast<int>(machines);
    ways[2 * m] = {one, link, there + other};
    ways[2 * m + 1] = {other, link, there + one};
    bytes.push_back(1e6 * static_cast<double>(1 + random.below(8)));
    starts.push_back(random.below(2) == 0 ? 0 : 0.05 * random.uniform());
  }
  FluidNetwork network{capacities};
  if (all_anew)
    network.share_out_all();
  std::vector<double> ends(2 * messages, -1);
  network.run([&] {
    for (std::size_t m = 0; m < messages; ++m)
      network.timer(starts[m], [&, m] {
        network.flow({.links = &ways[2 * m], .bytes = bytes[m]}, [&, m] {
          ends[2 * m] = network.now();
          if (m % 2 == 0)
            network.flow({.links = &ways[2 * m + 1], .bytes = bytes[m]}, [&, m] { ends[2 * m + 1] = network.now(); });
        });
      });
  });
  return ends;
}

TEST(MaxMin, MessagesThatComeAndGoEndAsIfAllRatesWereComputedEachTime)
{
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::vector<double> local = ends_of_messages(seed, false), anew = ends_of_messages(seed, true);
    ASSERT_GT(*std::ranges::max_element(local), 0);
    for (std::size_t i = 0; i < anew.size(); ++i)
      ASSERT_NEAR(local[i], anew[i], 1e-9 * std::abs(anew[i])) << "seed " << seed << ", message " << i;
  }
}

} // namespace
} // namespace trainyard
