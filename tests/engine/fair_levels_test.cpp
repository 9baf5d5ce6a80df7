// SPDX-License-Identifier: Apache-2.0
/// Levels that are mended after each change (sim/step/engine/fluid_levels.cpp) beside all rates computed anew.
#include "models/core/random.hpp"
#include "sim/step/engine/fluid_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trainyard {
namespace {

/// When flows between random hosts of a fat tree of 4 pods end, in s: each crosses its host's link, up to four of the
/// tree, and that of the other host, all equally wide; some cross six wider links more. They come at random, some with
/// limits, some as messages of one connection; some are taken away before they end (-1), and beside half of them runs a
/// ring of flows that follow each other for a while, so that both ways of computing rates take turns.
std::vector<double> ends_on_a_fat_tree(std::uint64_t seed, bool all_anew)
{
  RandomStream random = Random{seed}.stream("fat tree");
  std::vector<double> capacities(96, 1e9); // up and down: 16 hosts, 8 leaves x 2, 8 aggregations x 2
  capacities.insert(capacities.end(), 6, 3e9);
  const auto way = [&random] {
    const int from = static_cast<int>(random.below(16)), to = (from + 1 + static_cast<int>(random.below(15))) % 16;
    std::vector<int> links = {from, 48 + to};
    const int leaf = from / 2, other = to / 2, spine = static_cast<int>(random.below(2));
    if (leaf != other)
      links.insert(links.end(), {16 + 2 * leaf + spine, 64 + 2 * other + spine});
    if (const int core = static_cast<int>(random.below(2)); leaf / 2 != other / 2)
      links.insert(links.end(), {32 + 2 * (leaf / 2 * 2 + spine) + core, 80 + 2 * (other / 2 * 2 + spine) + core});
    for (int more = 0, end = random.below(4) == 0 ? 6 : 0; more < end; ++more)
      links.push_back(96 + more);
    return links;
  };
  const std::size_t flows = 10 + random.below(120);
  std::vector<std::vector<int>> ways(flows + 4);
  std::ranges::generate(ways, way);
  FluidNetwork network{capacities};
  if (all_anew)
    network.share_out_all();
  std::vector<double> ends(flows, -1);
  std::vector<double> sent(flows);
  network.run([&] {
    for (std::size_t f = 0; f < flows; ++f) {
      const double start = random.below(3) == 0 ? 0 : 0.2 * random.uniform();
      FlowRequest request{.links = &ways[f], .bytes = 1e6 * static_cast<double>(1 + random.below(40))};
      if (random.below(4) == 0)
        request.limit = 1e8 * static_cast<double>(1 + random.below(9));
      if (random.below(6) == 0)
        request.connection = static_cast<int>(f);
      network.timer(start, [&, f, request] {
        network.belongs_to(static_cast<int>(f), static_cast<int>(f));
        network.flow(request, [&, f] { ends[f] = network.now(); });
      });
      if (random.below(5) == 0)
        network.timer(start + 0.1 * random.uniform(), [&, f] { network.cancel(static_cast<int>(f), sent); });
    }
    if (random.below(2) == 0)
      network.timer(0.1 * random.uniform(), [&] {
        network.belongs_to(static_cast<int>(flows), 0);
        std::vector<int> ids;
        for (std::size_t edge = flows; edge < flows + 4; ++edge)
          ids.push_back(network.flow({.links = &ways[edge], .bytes = 2e7}, [] {}));
        for (std::size_t edge = 0; edge < 4; ++edge)
          network.follow(ids[edge], ids[(edge + 1) % 4], 5e6, true);
      });
  });
  return ends;
}

TEST(MaxMin, FlowsOnAFatTreeEndAsIfAllRatesWereComputedEachTime)
{
  std::size_t ended = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::vector<double> local = ends_on_a_fat_tree(seed, false), anew = ends_on_a_fat_tree(seed, true);
    for (std::size_t i = 0; i < anew.size(); ++i) {
      ASSERT_NEAR(local[i], anew[i], 1e-8 * std::abs(anew[i])) << "seed " << seed << ", flow " << i;
      ended += anew[i] >= 0 ? 1 : 0;
    }
  }
  EXPECT_GT(ended, 80'000U);
}

} // namespace
} // namespace trainyard
