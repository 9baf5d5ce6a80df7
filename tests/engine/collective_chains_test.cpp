// SPDX-License-Identifier: Apache-2.0
// Rings of which only the edges that meet others are flows (a run of programs that are all known), against the same
// rings with a flow for each edge (programs that join while it runs: who comes later may meet any edge). And rings that
// run message by message, in which only messages that may meet others are flows, against all as flows.
#include "models/core/random.hpp"
#include "sim/step/engine/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr double to_the_end = std::numeric_limits<double>::infinity();

/// Machines of some GPUs and one network card each behind leaf switches, with all bandwidths and latencies given.
struct Racks {
  Cluster cluster;
  std::vector<std::vector<VertexId>> machines; // their GPUs

  /// @p bandwidth: of NVLink, of a card and of a leaf's way up; @p latency: the same.
  void add_rack(int count, int gpus, const std::array<BytesPerSecond, 3>& bandwidth,
                const std::array<Seconds, 3>& latency)
  {
    if (cluster.vertices().empty())
      cluster.add_vertex({VertexKind::network_switch, "spine", {}});
    const std::string rack = "leaf-" + std::to_string(cluster.vertices().size());
    const VertexId leaf = cluster.add_vertex({VertexKind::network_switch, rack, {}});
    cluster.add_link(LinkKind::ethernet, leaf, VertexId{0}, bandwidth[2], latency[2]);
    for (int m = 0; m < count; ++m) {
      const NodeId node{static_cast<int>(machines.size())};
      Node here;
      here.name = "machine-" + std::to_string(node.index);
      here.host = cluster.add_vertex({VertexKind::host, here.name, node});
      const VertexId nv_switch = cluster.add_vertex({VertexKind::nv_switch, here.name + "/switch", node});
      here.nics.push_back(cluster.add_vertex({VertexKind::nic, here.name + "/nic", node}));
      for (int g = 0; g < gpus; ++g) {
        here.gpus.push_back(cluster.add_vertex({VertexKind::gpu, here.name + "/gpu-" + std::to_string(g), node}));
        cluster.add_link(LinkKind::nvlink, here.gpus.back(), nv_switch, bandwidth[0], latency[0]);
        cluster.add_link(LinkKind::pcie, here.gpus.back(), here.nics.front(), bandwidth[1] * 2, latency[0]);
      }
      cluster.add_link(LinkKind::ethernet, here.nics.front(), leaf, bandwidth[1], latency[1]);
      machines.push_back(here.gpus);
      cluster.add_node(here);
    }
  }
};

StepProgram rings_of(const std::vector<VertexId>& ranks, std::initializer_list<Bytes> payloads)
{
  StepProgram program;
  const LaneId lane = program.add(Lane{.name = "all-reduce"});
  for (const Bytes payload : payloads)
    program.add(Operation{.work = CollectiveCall{.ranks = ranks, .payload = payload}, .lanes = {lane}});
  return program;
}

/// When each operation of each program ends.
using Ends = std::vector<std::vector<double>>;

Ends ends_of(const std::vector<StepTrace>& traces)
{
  Ends ends;
  for (const StepTrace& trace : traces) {
    ends.emplace_back();
    for (const Span& span : trace.spans)
      ends.back().push_back(span.end.value());
  }
  return ends;
}

std::vector<StepTrace> together(const Cluster& cluster, const std::vector<StepProgram>& programs,
                                const std::vector<double>& starts, const std::string& fidelity = "fluid")
{
  std::vector<ProgramRun> runs;
  for (std::size_t p = 0; p < programs.size(); ++p)
    runs.push_back({&programs[p], Seconds{starts[p]}});
  return Registry<Executor>::instance().create(fidelity)->run(cluster, runs);
}

/// @p starts: ascending.
std::vector<StepTrace> one_after_another(const Cluster& cluster, const std::vector<StepProgram>& programs,
                                         const std::vector<double>& starts)
{
  const auto executor = Registry<Executor>::instance().create("fluid");
  const auto run = executor->open(cluster);
  std::vector<StepTrace> traces(programs.size());
  std::size_t left = programs.size();
  const auto advance = [&](double until) {
    for (std::vector<int> ended{0}; left > 0 && !ended.empty();) {
      ended = run->advance(until);
      for (const int program : ended)
        traces[static_cast<std::size_t>(program)] = run->take(program);
      left -= ended.size();
    }
  };
  for (std::size_t p = 0; p < programs.size(); ++p) {
    advance(starts[p]);
    run->add(programs[p], -1);
  }
  advance(to_the_end);
  return traces;
}

TEST(CollectiveChains, TwoRingsMeetOnOneLinkAndEachEndsAsIfAllItsEdgesWereFlows)
{
  // 2 racks of 20 machines of 1 GPU; both rings of 20 take 10 machines of each, so that they meet on the ways between
  // the racks only, 1 GB/s as the cards. Ring A sends 2 x 19/20 x 100 MB over each edge, B half as much: both at half
  // speed until B has sent 95 MB after 0.19 s, then A's last 95 MB in 0.095 s. No latency.
  Racks racks;
  for (int rack = 0; rack < 2; ++rack)
    racks.add_rack(20, 1, {BytesPerSecond{1e11}, BytesPerSecond{1e9}, BytesPerSecond{1e9}}, {});
  std::vector<VertexId> a, b;
  for (std::size_t m = 0; m < 40; ++m)
    (m % 2 == 0 ? a : b).push_back(racks.machines[m].front());
  const auto traces = together(racks.cluster, {rings_of(a, {Bytes{100e6}}), rings_of(b, {Bytes{50e6}})}, {0, 0});
  EXPECT_NEAR(traces[1].end.value(), 0.190, 1e-9);
  EXPECT_NEAR(traces[0].end.value(), 0.285, 1e-9);
  // The edge before the way up is 9 edges behind the way down: of 38 chunks it sends the last one when the way down
  // still has 9 to send, and 9 chunks of 2.5 MB take B 0.045 s at half speed.
  const VertexId card = racks.cluster.node(racks.cluster.vertex(b[8]).node).nics.front();
  for (const LinkUse& use : traces[1].links) {
    const Link& link = racks.cluster.link(use.link);
    if (link.from == card && racks.cluster.vertex(link.to).kind == VertexKind::network_switch) {
      EXPECT_NEAR(use.busy.value(), 0.190 - 0.045, 1e-9);
    }
  }
}

TEST(CollectiveChains, ARingThatMeetsNobodyTakesThePaceOfItsSlowestEdge)
{
  // Beside a job that it does not meet: 2 x 19/20 x 100 MB over the card of 0.5 GB/s, and 38 times the longest way of
  // one message: 2 cards and 2 ways up at 10 us.
  Racks racks;
  racks.add_rack(19, 1, {BytesPerSecond{1e11}, BytesPerSecond{1e9}, BytesPerSecond{1e10}}, {0_s, 10_us, 10_us});
  racks.add_rack(1, 1, {BytesPerSecond{1e11}, BytesPerSecond{0.5e9}, BytesPerSecond{1e10}}, {0_s, 10_us, 10_us});
  racks.add_rack(2, 1, {BytesPerSecond{1e11}, BytesPerSecond{1e9}, BytesPerSecond{1e10}}, {0_s, 10_us, 10_us});
  std::vector<VertexId> ranks;
  for (std::size_t m = 0; m < 20; ++m)
    ranks.push_back(racks.machines[m].front());
  const std::vector<VertexId> others{racks.machines[20].front(), racks.machines[21].front()};
  const auto traces =
      together(racks.cluster, {rings_of(ranks, {Bytes{100e6}}), rings_of(others, {Bytes{1e6}})}, {0, 0});
  EXPECT_NEAR(traces[0].end.value(), 0.380 + 38 * 40e-6, 1e-9);
}

TEST(CollectiveChains, RandomRingsTakeAsLongAsWithAFlowForEachEdge)
{
  // At most 180 flows at once: of more than 300 the events are taken together, which costs accuracy.
  constexpr int cases = 2'000;
  int rings = 0;
  for (int c = 0; c < cases; ++c) {
    RandomStream random = Random{static_cast<std::uint64_t>(c)}.stream("chains");
    const auto among = [&](int low, int high) {
      return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
    };
    Racks racks;
    const bool even = random.below(2) == 0; // cards and ways up are equal then: ends meet
    const int gpus = among(1, 3);
    for (int rack = among(1, 3); rack > 0; --rack) {
      const auto gigabytes = [&](double least, double most) {
        return BytesPerSecond{1e9 * (even ? least : least + (most - least) * random.uniform())};
      };
      racks.add_rack(among(4, 12), gpus,
                     {gigabytes(random.below(4) == 0 ? 0.4 : 20, 40), gigabytes(1, 3), gigabytes(1, 6)},
                     {1e-6_s * random.uniform(), 1e-5_s * random.uniform(), 1e-5_s * random.uniform()});
    }
    std::vector<StepProgram> programs;
    std::vector<double> starts;
    for (int p = among(2, 3); p > 0; --p) {
      std::vector<std::vector<VertexId>> machines = racks.machines;
      for (std::size_t i = machines.size(); i > 1; --i)
        std::swap(machines[i - 1], machines[random.below(i)]);
      machines.resize(std::min<std::size_t>(machines.size(), static_cast<std::size_t>(among(2, 10))));
      std::vector<VertexId> ranks;
      for (const auto& machine : machines)
        ranks.insert(ranks.end(), machine.begin(), machine.end());
      StepProgram program;
      const LaneId lane = program.add(Lane{.name = "all-reduce", .slots = among(1, 2)});
      OperationId before;
      for (int step = among(1, 3); step > 0; --step) {
        const OperationId compute =
            program.add(Operation{.work = Compute{.duration = 1e-2_s * random.uniform()},
                                  .after = before.index >= 0 ? std::vector{before} : std::vector<OperationId>{}});
        MessageCost cost;
        if (random.below(3) == 0)
          cost = {.latency = 1e-5_s * random.uniform(), .efficiency = 0.9, .limit = BytesPerSecond{0.8e9}};
        before = program.add(
            Operation{.work = CollectiveCall{.ranks = ranks,
                                             .payload = Bytes{1e6 + 1e8 * random.uniform()},
                                             .cost = cost,
                                             .channels = program.lanes.front().slots == 1 ? among(1, 2) : 1},
                      .lanes = {lane},
                      .after = {compute}});
        rings += 2 * ranks.size() * (ranks.size() - 1) > 512 ? 1 : 0;
        if (random.below(4) == 0)
          program.add(Operation{.work = Transfer{ranks.front(), ranks.back(), Bytes{1e7}, {}, {}}, .after = {compute}});
      }
      programs.push_back(std::move(program));
      starts.push_back(0.02 * random.uniform());
    }
    std::ranges::sort(starts);
    const Ends short_way = ends_of(together(racks.cluster, programs, starts));
    const Ends long_way = ends_of(one_after_another(racks.cluster, programs, starts));
    for (std::size_t p = 0; p < programs.size(); ++p)
      for (std::size_t i = 0; i < programs[p].operations.size(); ++i)
        ASSERT_NEAR(short_way[p][i], long_way[p][i], 1e-6 * long_way[p][i]) << "case " << c << ' ' << p << ' ' << i;
  }
  EXPECT_GT(rings, cases); // of more than 16 ranks: smaller ones run message by message
}

TEST(CollectiveChains, MessagesThatMeetNobodyTakeAsLongAsIfTheyWereFlows)
{
  for (int c = 0; c < 30; ++c) {
    RandomStream random = Random{static_cast<std::uint64_t>(c)}.stream("messages");
    Racks racks;
    for (int rack = 0; rack < 2; ++rack)
      racks.add_rack(6, 3,
                     {BytesPerSecond{2e10 + 2e10 * random.uniform()}, BytesPerSecond{1e9 + 1e9 * random.uniform()},
                      BytesPerSecond{1e9 + 4e9 * random.uniform()}},
                     {1e-6_s * random.uniform(), 1e-5_s * random.uniform(), 1e-5_s * random.uniform()});
    std::vector<StepProgram> programs;
    std::vector<double> starts;
    for (std::size_t ring = 0; ring < 3; ++ring) { // of 12 ranks on 2 machines in each rack
      std::vector<VertexId> ranks;
      for (const std::size_t machine : {2 * ring, 6 + 2 * ring, 2 * ring + 1, 7 + 2 * ring})
        ranks.insert(ranks.end(), racks.machines[machine].begin(), racks.machines[machine].end());
      programs.push_back(rings_of(ranks, {Bytes{1e7 + 1e8 * random.uniform()}, Bytes{1e6 + 1e8 * random.uniform()}}));
      starts.push_back(0.02 * random.uniform());
    }
    std::ranges::sort(starts);
    const auto expect_alike = [&](const std::vector<StepTrace>& some, const std::vector<StepTrace>& all) {
      for (std::size_t p = 0; p < programs.size(); ++p) {
        for (std::size_t i = 0; i < programs[p].operations.size(); ++i)
          ASSERT_NEAR(some[p].spans[i].end.value(), all[p].spans[i].end.value(), 1e-6 * all[p].end.value()) << c;
        ASSERT_EQ(some[p].links.size(), all[p].links.size());
        for (std::size_t i = 0; i < all[p].links.size(); ++i) {
          ASSERT_EQ(some[p].links[i].bytes, all[p].links[i].bytes);
          ASSERT_NEAR(some[p].links[i].busy.value(), all[p].links[i].busy.value(), 1e-6 * all[p].end.value()) << c;
        }
      }
    };
    expect_alike(together(racks.cluster, programs, starts, "flow"), together(racks.cluster, programs, starts, "step"));
    expect_alike(together(racks.cluster, programs, starts), one_after_another(racks.cluster, programs, starts));
  }
}

} // namespace
} // namespace trainyard
