// SPDX-License-Identifier: Apache-2.0
// What fidelity tcp says of equal transfers that begin together, as congestion.py measures them:
//
//   testbed_flows CONTROL QUEUE BURST out|in CONNECTIONS BYTES ROUNDS
//
// prints the mean time of the first and of the last end of a round, in seconds. Links have 100 Mbit/s; QUEUE, BURST and
// BYTES (of payload) are bytes. `out`: from one node to all others, `in`: the other way.
#include "sim/step/engine/tcp_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace trainyard;

int main(int count, char** words)
{
  if (count != 8) {
    fmt::print(stderr, "testbed_flows CONTROL QUEUE BURST out|in CONNECTIONS BYTES ROUNDS\n");
    return 2;
  }
  constexpr double rate = 12.5e6, silence = 0.4; // bytes/s, s between rounds
  const TcpLink link{.rate = rate, .queue = std::stod(words[2]), .burst = std::stod(words[3])};
  const bool out = std::string{words[4]} == "out";
  const auto connections = static_cast<std::size_t>(std::stoi(words[5]));
  const double bytes = std::stod(words[6]) * segment_on_line / segment_payload;
  const int rounds = std::stoi(words[7]);
  const double apart = static_cast<double>(connections) * bytes / rate + silence;

  TcpNetwork network{std::vector<TcpLink>(2 * connections + 2, link), Random{1}.stream("chance"), words[1]};
  std::vector<std::vector<int>> there, back; // links 0 and 1 are those of the one node, to and from the switch
  for (int other = 1; other <= static_cast<int>(connections); ++other) {
    there.push_back({0, 2 * other + 1});
    back.push_back({2 * other, 1});
  }
  if (!out)
    std::swap(there, back);
  std::vector<std::vector<double>> ends(static_cast<std::size_t>(rounds));
  network.run([&] {
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < connections; ++i)
        network.timer(round * apart, [&, round, i] {
          const int other = static_cast<int>(i) + 1;
          network.flow({.links = &there[i],
                        .bytes = bytes,
                        .from = out ? 0 : other,
                        .to = out ? other : 0,
                        .back = &back[i],
                        .loads_back = true},
                       [&, round] { ends[static_cast<std::size_t>(round)].push_back(network.now() - round * apart); });
        });
  });
  double first = 0, last = 0; // without the first round, which warms up
  for (int round = 1; round < rounds; ++round) {
    first += std::ranges::min(ends[static_cast<std::size_t>(round)]) / (rounds - 1);
    last += std::ranges::max(ends[static_cast<std::size_t>(round)]) / (rounds - 1);
  }
  fmt::print("{:.4f} {:.4f}\n", first, last);
}
