// SPDX-License-Identifier: Apache-2.0
// Connections of TCP on one link. Expected values by hand, and from shares that were measured between network
// namespaces (results/testbed/README.md, "Shares of connections").
#include "sim/step/engine/tcp_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double rate = 11.94e6;  // bytes/s of payload on 100 Mbit/s
constexpr double queue = 131'072; // bytes, as the testbed's links have

/// Ends of @p connections equal transfers that begin together, as shares of the time that all need, smallest first:
/// means over 60 rounds with 0.35 s of silence between them.
std::vector<double> ends_of_equal(int connections, double bytes)
{
  TcpNetwork network{{rate}, queue, Random{1}.stream("losses")};
  const std::vector<std::vector<int>> links(static_cast<std::size_t>(connections), std::vector<int>{0});
  const double all = connections * bytes / rate, apart = all + 0.35;
  constexpr int rounds = 60;
  std::vector<std::vector<double>> ends(rounds);
  network.run([&] {
    for (int round = 0; round < rounds; ++round)
      for (const std::vector<int>& link : links)
        network.timer(round * apart, [&, round] {
          network.flow({&link, bytes}, [&, round] {
            ends[static_cast<std::size_t>(round)].push_back((network.now() - round * apart) / all);
          });
        });
  });
  std::vector<double> means(links.size());
  for (std::vector<double>& round : ends) {
    std::ranges::sort(round);
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += round[i] / rounds;
  }
  return means;
}

/// Time of a transfer beside one that has sent for long, over its time alone; the mean over 40 of them.
double beside_an_old_one(double bytes)
{
  TcpNetwork network{{rate}, queue, Random{1}.stream("losses")};
  const std::vector<int> old{0}, fresh{0};
  double sum = 0;
  network.run([&] {
    network.flow({&old, rate * 100}, [] {});
    for (int round = 0; round < 40; ++round)
      network.timer(1 + round * 2.1, [&] {
        const double begin = network.now();
        network.flow({&fresh, bytes}, [&, begin] { sum += (network.now() - begin) * rate / bytes / 40; });
      });
  });
  return sum;
}

TEST(TcpNetwork, EqualTransfersFillTheLinkAndDoNotEndTogether)
{
  for (const int connections : {2, 4})
    for (const double bytes : {400e3, 1600e3}) {
      const std::vector<double> ends = ends_of_equal(connections, bytes);
      EXPECT_NEAR(ends.back(), 1, 1e-6); // the link is full until the last one ends
      // Measured: the first of two ends at 0.88 to 0.94 of that time, the first of four at 0.75 to 0.83.
      EXPECT_NEAR(ends.front(), connections == 2 ? 0.91 : 0.82, 0.06) << connections << " x " << bytes;
    }
}

TEST(TcpNetwork, WhoSendsAlreadyKeepsMostOfTheLink)
{
  // With equal shares 2. Measured: 1.6 MB 2.6 to 3.0, 400 kB 3.0 to 4.5.
  EXPECT_NEAR(beside_an_old_one(1600e3), 2.8, 0.25);
  EXPECT_NEAR(beside_an_old_one(400e3), 3.8, 0.8);
}

/// Times of two transfers of 500 kB, the second of which begins when the first has had half of its time alone, as
/// multiples of that; means over 100 rounds.
std::pair<double, double> half_a_transfer_apart(int other_card)
{
  constexpr double bytes = 500e3, alone = bytes / rate;
  TcpNetwork network{{rate}, queue, Random{1}.stream("losses")};
  const std::vector<int> first{0}, second{0};
  double sum_first = 0, sum_second = 0;
  const auto transfer = [&](const std::vector<int>& links, int card, double& sum) {
    const double begin = network.now();
    network.flow({.links = &links, .bytes = bytes, .card = card, .card_rate = rate},
                 [&sum, &network, begin] { sum += (network.now() - begin) / alone / 100; });
  };
  network.run([&] {
    for (int round = 0; round < 100; ++round) {
      network.timer(round * (2 * alone + 0.4), [&] { transfer(first, 1, sum_first); });
      network.timer(round * (2 * alone + 0.4) + alone / 2, [&] { transfer(second, other_card, sum_second); });
    }
  });
  return {sum_first, sum_second};
}

TEST(TcpNetwork, WhoComesIsHeldBackAtTheSendersCardButNotWhereSendersMeet)
{
  // Measured: from one node 1.2 and 1.5, from two nodes to one 1.5 and 1.5.
  const auto [kept, came] = half_a_transfer_apart(1);
  EXPECT_NEAR(kept, 1.2, 0.08);
  EXPECT_NEAR(came, 1.5, 0.03);
  const auto [met, joined] = half_a_transfer_apart(2);
  EXPECT_NEAR(met, 1.5, 0.1);
  EXPECT_NEAR(joined, 1.5, 0.03);
}

TEST(TcpNetwork, AFirstSegmentGetsTheShareThatTenSegmentsHaveOfTheQueue)
{
  // A window of ten segments beside one of 0.7 to 1 of a queue of 100: the share of the first segment is 10 / 110 to 10
  // / 80, so it takes 8 to 11 times as long as alone; the window is up to a tenth larger when it has arrived.
  constexpr double segment = 1448;
  TcpNetwork network{{rate}, 100 * segment, Random{1}.stream("losses")};
  const std::vector<int> old{0}, fresh{0};
  double took = 0;
  network.run([&] {
    network.flow({&old, rate * 4}, [] {});
    network.timer(3, [&] { network.flow({&fresh, segment}, [&] { took = network.now() - 3; }); });
  });
  EXPECT_GE(took, 7.3 * segment / rate);
  EXPECT_LE(took, 11 * segment / rate);
}

TEST(TcpNetwork, ANarrowLinkAndALimitDecideWhereNothingElseIsFull)
{
  // Links of 1 and 2 MB/s. One connection over both goes at 1 MB/s, one over the second that may have 0.25 MB/s goes at
  // that: together 1.25 of 2 MB/s, whatever their windows are.
  TcpNetwork network{{1e6, 2e6}, queue, Random{1}.stream("losses")};
  const std::vector<int> both{0, 1}, second{1};
  std::vector<double> ends;
  network.run([&] {
    network.flow({&both, 3e6}, [&] { ends.push_back(network.now()); });
    network.flow({&second, 0.25e6, 0.25e6}, [&] { ends.push_back(network.now()); });
  });
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_NEAR(ends[0], 1, 1e-9);
  EXPECT_NEAR(ends[1], 3, 1e-9);
}

TEST(TcpNetwork, ASeedGivesTheSameAgain)
{
  EXPECT_EQ(ends_of_equal(3, 777e3), ends_of_equal(3, 777e3));
}

TEST(TcpNetwork, WhatNothingHoldsBackTakesNoTime)
{
  TcpNetwork network{{rate}, queue, Random{1}.stream("losses")};
  const std::vector<int> none;
  double end = -1;
  network.run([&] { network.flow({&none, 1e9}, [&] { end = network.now(); }); });
  EXPECT_EQ(end, 0);
}

} // namespace
} // namespace trainyard
