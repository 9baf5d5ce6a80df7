// SPDX-License-Identifier: Apache-2.0
// Where one of many workers with a barrier stands for all, the step is that of all of them, in random clusters: of one
// or two kinds of machines, with servers on machines of their own or beside workers. Messages that take turns at a
// server one by one are there a share of it: the largest difference is 2.5 %. Cards of servers carry as much.
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace trainyard {
namespace {

class Draw
{
public:
  explicit Draw(unsigned seed) : random_{seed} {}
  int number(int from, int to) { return std::uniform_int_distribution{from, to}(random_); }
  std::string of(const std::vector<std::string>& list)
  {
    return list[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }

private:
  std::mt19937 random_;
};

std::string random_scenario(unsigned seed)
{
  Draw draw{seed};
  const int gpus = draw.number(1, 4), machines = draw.number(2, 3);
  const int others = draw.number(0, 2) == 0 ? draw.number(1, 2) : 0;
  const int servers = draw.number(1, 3);
  const bool beside = draw.number(0, 2) == 0;
  const std::string other = draw.of({"{gpu: V100-SXM2-16GB, gpus: 2, nic_bandwidth: 1 Gbit/s}", "{gpu: K80, gpus: 2}",
                                     "{gpu: V100-SXM2-16GB, gpus: 1}"});
  return fmt::format(
      "cluster:\n"
      "  node_types: {{w: {{gpu: V100-SXM2-16GB, gpus: {}, nics: 1}}, o: {}, s: {{}}}}\n"
      "  nodes: [{{name: w, type: w, count: {}}}{}{}]\n"
      "  network: {{link: {}}}\n"
      "jobs: [{{model: {}, workers: {}, batch_per_gpu: 8, accumulation_steps: {}, training: {{mode: "
      "parameter_server, servers: {}, server_placement: {}, transport: {}, variable_placement: {}, pull: "
      "{}}}}}]\n"
      "run: {{fidelity: fluid}}\n"
      "sweep: {{grid: {{jobs.0.training.one_represents_all: [auto, 'no']}}}}\n",
      gpus, other, machines, others > 0 ? fmt::format(", {{name: o, type: o, count: {}}}", others) : "",
      beside ? "" : fmt::format(", {{name: s, type: s, count: {}}}", servers), draw.of({"10GbE", "25GbE", "100GbE"}),
      draw.of({"resnet50", "inception_v3"}),
      gpus * machines + others * (other.find("gpus: 2") != std::string::npos ? 2 : 1), draw.number(1, 2), servers,
      beside ? "colocated" : "dedicated", draw.of({"grpc", "rdma", "zmq"}),
      draw.of({"greedy", "partitioned", "round_robin"}), draw.of({"before_forward", "after_update", "by_layer"}));
}

TEST(OneForAll, IsAsFastAsAllOfThem)
{
  int cards = 0;
  int represented = 0; // cases in which one did stand for all: the links of others carry nothing
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const std::string scenario = random_scenario(seed);
    const Results results = simulate(tests::checked_points(scenario, "one.yaml"));
    ASSERT_EQ(results.jobs.size(), 2U) << scenario;
    EXPECT_NEAR(results.jobs[0].step_s.mean / results.jobs[1].step_s.mean, 1, 0.03) << scenario;
    const auto carried = [&](const JobRow& row) {
      double rate = 0;
      for (const LinkRow& link : results.links)
        rate += link.point == row.point ? link.bytes.value() / link.window.value() : 0;
      return rate;
    };
    represented += carried(results.jobs[0]) < 0.9 * carried(results.jobs[1]) ? 1 : 0;
    // The cards of servers carry what all send, also where one is simulated for all.
    for (const LinkRow& link : results.links)
      if (link.point == results.jobs[1].point && link.label.starts_with("NIC of ps-")) {
        const auto one = std::ranges::find_if(results.links, [&](const LinkRow& row) {
          return row.point == results.jobs[0].point && row.label == link.label;
        });
        ASSERT_NE(one, results.links.end()) << scenario;
        EXPECT_NEAR(one->utilisation / link.utilisation, 1, 0.03) << link.label << "\n" << scenario;
        ++cards;
      }
  }
  EXPECT_GE(represented, 5);
  EXPECT_GE(cards, 20);
}

} // namespace
} // namespace trainyard
