// SPDX-License-Identifier: Apache-2.0
// Routes that are followed from an earlier run are those that would be looked for.
#include "models/cluster/build.hpp"
#include "sim/step/engine/routes.hpp"
#include "tests/cluster/cluster_support.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

using Pairs = std::vector<std::pair<VertexId, VertexId>>;

/// Asks for the ways of two programs, one after the other; the numbers of the routes, then their links.
std::vector<std::vector<int>> asked(const Cluster& cluster, const std::vector<StepProgram>& programs,
                                    const std::vector<Pairs>& pairs, KnownWays* known)
{
  std::vector<ProgramRun> runs;
  for (const StepProgram& program : programs)
    runs.push_back({&program, Seconds{}});
  RouteTable table{cluster, runs, false, known};
  std::vector<std::vector<int>> result{{}};
  for (std::size_t program = 0; program < pairs.size(); ++program)
    for (const auto& [from, to] : pairs[program])
      result.front().push_back(table.find(program, from, to, {}, no_limit));
  for (int route = 0; route < table.routes(); ++route)
    result.push_back(table.route(route).links);
  return result;
}

class KnownWaysOfTwoPrograms : public testing::Test
{
protected:
  KnownWaysOfTwoPrograms()
  {
    cluster = build_cluster(cluster_of(4, 2, "pcie_tree"));
    for (const Node& node : cluster.nodes())
      gpus.insert(gpus.end(), node.gpus.begin(), node.gpus.end());
  }

  Cluster cluster;
  std::vector<VertexId> gpus;
  std::vector<StepProgram> programs{2};
  KnownWays known;
};

TEST_F(KnownWaysOfTwoPrograms, GiveTheRoutesThatASearchFinds)
{
  // Both programs send from the first GPU to the third: one route, by its links and by its number.
  const std::vector<Pairs> pairs{{{gpus[0], gpus[2]}, {gpus[2], gpus[0]}, {gpus[0], gpus[2]}},
                                 {{gpus[5], gpus[7]}, {gpus[0], gpus[2]}}};
  const auto searched = asked(cluster, programs, pairs, nullptr);
  ASSERT_EQ(searched.front(), (std::vector{0, 1, 0, 2, 0}));
  EXPECT_EQ(asked(cluster, programs, pairs, &known), searched); // nothing is known yet
  EXPECT_EQ(asked(cluster, programs, pairs, &known), searched);
  // The second program alone, beside one that has asked for nothing yet.
  const std::vector<StepProgram> others(1);
  EXPECT_EQ(asked(cluster, others, {pairs[1]}, &known), asked(cluster, others, {pairs[1]}, nullptr));
  EXPECT_EQ(asked(cluster, programs, pairs, &known), searched);
}

TEST_F(KnownWaysOfTwoPrograms, FollowAProgramThatAsksForSomethingElse)
{
  const std::vector<Pairs> before{{{gpus[0], gpus[2]}, {gpus[2], gpus[4]}}, {{gpus[1], gpus[3]}}};
  const std::vector<Pairs> after{{{gpus[0], gpus[2]}, {gpus[2], gpus[6]}, {gpus[6], gpus[0]}}, {{gpus[3], gpus[1]}}};
  asked(cluster, programs, before, &known);
  EXPECT_EQ(asked(cluster, programs, after, &known), asked(cluster, programs, after, nullptr));
  EXPECT_EQ(asked(cluster, programs, after, &known), asked(cluster, programs, after, nullptr));
  const std::vector<StepProgram> more(2); // the same job, with more steps
  known.like(more[0], programs[0]);
  known.forget(programs[0]);
  EXPECT_EQ(known.of(more[0]).size(), 3U);
  EXPECT_EQ(asked(cluster, more, after, &known), asked(cluster, more, after, nullptr));
  EXPECT_TRUE(known.of(programs[0]).empty());
  for (const StepProgram& program : programs)
    known.forget(program);
  EXPECT_EQ(asked(cluster, programs, before, &known), asked(cluster, programs, before, nullptr));
}

TEST_F(KnownWaysOfTwoPrograms, AreOtherOnesWithAnotherLimit)
{
  RouteTable table{cluster, std::vector<ProgramRun>{{&programs[0], Seconds{}}}, false, &known};
  const int wide = table.find(0, gpus[0], gpus[2], {}, no_limit), narrow = table.find(0, gpus[0], gpus[2], {}, 1e9);
  EXPECT_EQ(table.route(wide).limit, no_limit);
  EXPECT_EQ(table.route(narrow).limit, 1e9);
}

TEST_F(KnownWaysOfTwoPrograms, EveryWayKeepsItsNumberWhileManyMoreAreFound)
{
  // 8 GPUs: 56 ordered pairs, each at two limits: 112 ways, by the order in which they were asked for.
  const std::vector<ProgramRun> runs{{&programs[0], Seconds{}}};
  RouteTable table{cluster, runs};
  const auto numbers = [&] {
    std::vector<int> list;
    for (const double limit : {no_limit, 1e9})
      for (const VertexId from : gpus)
        for (const VertexId to : gpus)
          if (from != to)
            list.push_back(table.find(0, from, to, {}, limit));
    return list;
  };
  std::vector<int> expected(112);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(numbers(), expected);
  EXPECT_EQ(numbers(), expected);
  EXPECT_EQ(table.routes(), 112);
  // Ranks that could pass the message on make it another way.
  EXPECT_EQ(table.find(0, gpus[0], gpus[2], {}, no_limit, RanksByNode{cluster, gpus}), 112);
  EXPECT_EQ(table.find(0, gpus[0], gpus[2], {}, no_limit, RanksByNode{cluster, gpus}), 112);
}

} // namespace
} // namespace trainyard
