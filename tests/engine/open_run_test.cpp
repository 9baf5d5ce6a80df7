// SPDX-License-Identifier: Apache-2.0
// Programs that join a run while it goes on, against one run of all of them with their starts.
#include "models/core/random.hpp"
#include "sim/step/engine/executor.hpp"
#include "tests/support/contention_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Hosts behind leaves that are oversubscribed, and programs of computing, messages and rings between random hosts.
struct RandomPrograms {
  Cluster cluster;
  std::vector<StepProgram> programs;
  std::vector<double> starts; // s, ascending

  explicit RandomPrograms(std::uint64_t seed)
  {
    RandomStream random = Random{seed}.stream("programs");
    const tests::ContentionCase place{.hosts = 16, .per_leaf = 4, .jobs = 1, .oversubscription = 2};
    cluster = place.cluster();
    const int jobs = 2 + static_cast<int>(random.below(7));
    for (int j = 0; j < jobs; ++j) {
      starts.push_back(0.01 * random.uniform());
      programs.push_back(program(random));
    }
    std::ranges::sort(starts);
  }

  StepProgram program(RandomStream& random) const
  {
    std::vector<VertexId> hosts;
    for (const Node& node : cluster.nodes())
      hosts.push_back(node.host);
    for (std::size_t i = hosts.size(); i > 1; --i)
      std::swap(hosts[i - 1], hosts[random.below(i)]);
    const std::size_t ranks = 2 + random.below(5);
    hosts.resize(ranks);
    StepProgram result;
    const LaneId lane = result.add(Lane{.name = "worker"});
    const bool serves = random.below(4) == 0; // a resource of its own
    const ResourceId server = serves ? result.add(Resource{"server", BytesPerSecond{1e9}}) : ResourceId{};
    OperationId last;
    for (int step = 0; step < 1 + static_cast<int>(random.below(3)); ++step) {
      Operation compute{.work = Compute{.duration = Seconds{1e-3 * random.uniform()}}, .lanes = {lane}};
      if (last.index >= 0)
        compute.after = {last};
      last = result.add(compute);
      if (serves || random.below(2) == 0) {
        std::vector<OperationId> all;
        for (std::size_t r = 1; r < ranks; ++r) {
          Transfer transfer{.from = hosts[r], .to = hosts[0], .bytes = Bytes{1e6 + 9e6 * random.uniform()}};
          transfer.cost.latency = Seconds{1e-5};
          if (serves)
            transfer.resources = {server};
          all.push_back(result.add(Operation{.work = transfer, .after = {last}}));
        }
        last = result.add(Operation{.work = Compute{}, .after = all});
      } else {
        CollectiveCall call{.ranks = hosts, .payload = Bytes{1e6 + 2e7 * random.uniform()}};
        call.cost.latency = Seconds{2e-6};
        last = result.add(Operation{.work = call, .after = {last}});
      }
    }
    result.add(Operation{.work = StepEnd{}, .after = {last}});
    return result;
  }

  std::vector<StepTrace> together(const Executor& executor) const
  {
    std::vector<ProgramRun> runs;
    for (std::size_t j = 0; j < programs.size(); ++j)
      runs.push_back({&programs[j], Seconds{starts[j]}});
    return executor.run(cluster, runs);
  }
};

/// Each joins at its start; the clock begins @p before s earlier.
std::vector<StepTrace> one_after_another(const RandomPrograms& all, OpenRun& run, double before = 0)
{
  std::vector<StepTrace> traces(all.programs.size());
  std::vector<std::size_t> program_of;
  const auto pass = [&](double until) {
    for (;;) {
      const std::vector<int> ended = run.advance(until);
      for (const int number : ended)
        traces[program_of[static_cast<std::size_t>(number)]] = run.take(number);
      if (ended.empty())
        return;
    }
  };
  for (std::size_t j = 0; j < all.programs.size(); ++j) {
    pass(before + all.starts[j]);
    const int number = run.add(all.programs[j], -1);
    program_of.resize(static_cast<std::size_t>(number) + 1);
    program_of.back() = j;
  }
  pass(never);
  return traces;
}

void expect_same(const std::vector<StepTrace>& traces, const std::vector<StepTrace>& plain, double before,
                 const std::string& where)
{
  for (std::size_t j = 0; j < plain.size(); ++j) {
    ASSERT_EQ(traces[j].spans.size(), plain[j].spans.size()) << where;
    for (std::size_t i = 0; i < plain[j].spans.size(); ++i) {
      ASSERT_NEAR(traces[j].spans[i].begin.value() - before, plain[j].spans[i].begin.value(), 1e-11) << where;
      ASSERT_NEAR(traces[j].spans[i].end.value() - before, plain[j].spans[i].end.value(), 1e-11) << where;
    }
    ASSERT_EQ(traces[j].links.size(), plain[j].links.size()) << where;
    for (std::size_t l = 0; l < plain[j].links.size(); ++l) {
      EXPECT_EQ(traces[j].links[l].link, plain[j].links[l].link) << where;
      EXPECT_NEAR(traces[j].links[l].bytes.value(), plain[j].links[l].bytes.value(), 1e-3) << where;
      EXPECT_NEAR(traces[j].links[l].busy.value(), plain[j].links[l].busy.value(), 1e-10) << where;
    }
  }
}

TEST(OpenRun, ProgramsThatJoinRunAsIfAllHadBeenKnown)
{
  const auto executor = Registry<Executor>::instance().create("fluid");
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    const RandomPrograms all{seed};
    const auto run = executor->open(all.cluster);
    expect_same(one_after_another(all, *run), all.together(*executor), 0, "seed " + std::to_string(seed));
  }
}

TEST(OpenRun, ARunThatHasBeenIdleIsAsGoodAsNew)
{
  // The clock of the engine begins again where nothing runs: no digits are lost to the day that has passed.
  const auto executor = Registry<Executor>::instance().create("fluid");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomPrograms all{seed};
    const auto run = executor->open(all.cluster);
    one_after_another(all, *run);
    run->advance(1024);
    expect_same(one_after_another(all, *run, 1024), all.together(*executor), 1024, "seed " + std::to_string(seed));
  }
}

TEST(OpenRun, AnyExecutorCanBeJoined)
{
  const auto executor = Registry<Executor>::instance().create("closed_form");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomPrograms all{seed};
    const auto run = executor->open(all.cluster);
    expect_same(one_after_another(all, *run), all.together(*executor), 0, "seed " + std::to_string(seed));
  }
}

/// Counts the runs of another.
class Counted final : public Executor
{
public:
  explicit Counted(const Executor& executor) : executor_{executor} {}
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    ++runs;
    return executor_.run(cluster, programs);
  }
  mutable std::size_t runs = 0;

private:
  const Executor& executor_;
};

TEST(OpenRun, WhatIsExpectedRunsOnce)
{
  // Two messages of 12.5 MB over one 10GbE card: 10 ms alone. The second comes after 5 ms: both halve their rate, the
  // first ends at 15 ms, the second, with 6.25 MB left then, at 20 ms.
  const Cluster cluster = tests::ContentionCase{.hosts = 2, .per_leaf = 2, .jobs = 1}.cluster();
  const Link& card = cluster.link(cluster.route(cluster.nodes()[0].host, cluster.nodes()[1].host).front());
  StepProgram message;
  message.add(Operation{.work = Transfer{.from = cluster.nodes()[0].host,
                                         .to = cluster.nodes()[1].host,
                                         .bytes = Bytes{card.bandwidth.value() * 10e-3}}});
  const auto flow = Registry<Executor>::instance().create("flow");
  const Counted counted{*flow};
  const std::vector<Coming> expected{{message, 0}, {message, 5e-3}};
  const auto run = counted.open(cluster, expected);
  run->add(message, -1);
  EXPECT_TRUE(run->advance(5e-3).empty());
  run->add(message, -1);
  EXPECT_EQ(run->advance(never), std::vector<int>{0});
  EXPECT_NEAR(run->take(0).end.value(), 15e-3, 1e-5);
  EXPECT_EQ(run->advance(never), std::vector<int>{1});
  EXPECT_NEAR(run->take(1).end.value(), 20e-3, 1e-5);
  EXPECT_EQ(counted.runs, 1U);
}

TEST(OpenRun, AWrongExpectationChangesNothing)
{
  const auto executor = Registry<Executor>::instance().create("closed_form");
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomPrograms all{seed};
    std::vector<Coming> expected;
    for (std::size_t j = 0; j < all.programs.size(); ++j)
      expected.push_back({all.programs[j], all.starts[j]});
    RandomStream random = Random{seed}.stream("mistakes");
    const std::size_t wrong = random.below(expected.size());
    switch (seed % 5) {
    case 0: // right
      break;
    case 1:
      expected[wrong].start += 1e-4;
      break;
    case 2:
      expected[wrong].program.operations.front().work = Compute{.duration = Seconds{3e-3}};
      break;
    case 3:
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(wrong));
      break;
    default:
      expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(wrong), expected[wrong]);
    }
    const auto run = executor->open(all.cluster, expected);
    expect_same(one_after_another(all, *run), all.together(*executor), 0, "seed " + std::to_string(seed));
  }
}

TEST(OpenRun, WhoeverIsTakenAwayLeavesItsShareToTheOthers)
{
  // Two hosts under each of two leaves, whose uplinks carry as much as one host (1 GB/s). A and B send 1 GB each over
  // the uplink from 0 on, at half its rate. After 1 s A is taken away with half of its bytes sent; B sends its other
  // half in half a second.
  const tests::ContentionCase place{
      .hosts = 4, .per_leaf = 2, .jobs = 1, .oversubscription = 2, .link = BytesPerSecond{1e9}};
  const Cluster cluster = place.cluster();
  const auto message = [&](int from, int to) {
    StepProgram program;
    program.add(Operation{.work = Transfer{.from = cluster.nodes()[static_cast<std::size_t>(from)].host,
                                           .to = cluster.nodes()[static_cast<std::size_t>(to)].host,
                                           .bytes = Bytes{1e9},
                                           .cost = {.whole_latency = true}}});
    return program;
  };
  const StepProgram a = message(0, 2), b = message(1, 3);
  const auto executor = Registry<Executor>::instance().create("fluid");
  const auto run = executor->open(cluster);
  const int first = run->add(a, -1), second = run->add(b, -1);
  EXPECT_TRUE(run->advance(1).empty());
  const std::vector<double> done = run->remove(first);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_NEAR(done[0], 0.5, 1e-12);
  EXPECT_EQ(run->advance(never), std::vector<int>{second});
  EXPECT_NEAR(run->now(), 1.5, 1e-12);
  // What is left of A takes half a second alone.
  const StepProgram rest = rest_of(a, done);
  const int again = run->add(rest, -1);
  run->take(second);
  EXPECT_EQ(run->advance(never), std::vector<int>{again});
  EXPECT_NEAR(run->now(), 2, 1e-12);
}

TEST(OpenRun, HalfOfARingIsLeftAfterHalfOfItsTime)
{
  // A ring of four over 1 GB/s sends 6/4 of 1 GB over each link: 1.5 s. At 0.75 s it is taken away.
  const tests::ContentionCase place{
      .hosts = 4, .per_leaf = 4, .jobs = 1, .oversubscription = 1, .link = BytesPerSecond{1e9}};
  const Cluster cluster = place.cluster();
  std::vector<VertexId> ranks;
  for (const Node& node : cluster.nodes())
    ranks.push_back(node.host);
  StepProgram ring;
  ring.add(Operation{.work = CollectiveCall{.ranks = ranks, .payload = Bytes{1e9}, .cost = {.whole_latency = true}}});
  const auto executor = Registry<Executor>::instance().create("fluid");
  const auto run = executor->open(cluster);
  const int number = run->add(ring, -1);
  EXPECT_TRUE(run->advance(0.75).empty());
  const std::vector<double> done = run->remove(number);
  EXPECT_NEAR(done.at(0), 0.5, 1e-9);
}

} // namespace
} // namespace trainyard
