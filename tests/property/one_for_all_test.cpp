// SPDX-License-Identifier: Apache-2.0
// Where one of many workers with a barrier stands for all, the step is that of all of them, in random clusters: of one
// or two kinds of machines, with servers on machines of their own or beside workers, and whatever they share.
#include "tests/support/checked_points.hpp"
#include "tests/support/random_steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace trainyard {
namespace {

const LinkRow* busiest(const Results& results, const JobRow& row)
{
  const LinkRow* busiest = nullptr;
  for (const LinkRow& link : results.links)
    if (link.point == row.point && (busiest == nullptr || link.utilisation > busiest->utilisation))
      busiest = &link;
  return busiest;
}

// 2 x 8 x 102.2 MB through the server's slot of 13.04 GB/s, which is narrower than its card: 125 ms at least.
TEST(OneForAll, SharesTheSlotOfTheServersCard)
{
  const Results results =
      simulate(tests::checked_points("cluster:\n"
                                     "  node_types: {w: {gpu: A100-PCIe-80GB, gpus: 1}, s: {}}\n"
                                     "  nodes: [{name: w, type: w, count: 8}, {name: s, type: s, count: 1}]\n"
                                     "  network: {link: IB-NDR}\n"
                                     "jobs: [{model: resnet50, batch_per_gpu: 4, workers: 8, training: {mode: "
                                     "parameter_server, servers: 1, transport: "
                                     "rdma}}]\n"
                                     "run: {fidelity: fluid}\n"
                                     "sweep: {grid: {jobs.0.training.one_represents_all: ['no', auto, 'yes']}}\n",
                                     "slot.yaml"));
  ASSERT_EQ(results.jobs.size(), 3U);
  for (const JobRow& row : results.jobs) {
    EXPECT_GE(row.step_s.mean, 0.125);
    EXPECT_NEAR(row.step_s.mean / results.jobs[0].step_s.mean, 1, row.point == results.jobs[2].point ? 0.02 : 0.01);
    EXPECT_NE(busiest(results, row)->label.find("PCIe of ps-0"), std::string::npos);
  }
}

// Where workers would have more messages than are simulated, some stand for all; each has an order of its own.
TEST(OneForAll, IsAsFastAsAllOfThem)
{
  int represented = 0; // cases in which some did stand for all
  for (unsigned seed = 1; seed <= 20; ++seed) {
    tests::Draw draw{seed};
    const bool many = seed % 2 == 0;
    tests::RandomSteps random = tests::random_cluster(draw, many ? 12 : 1, many ? 40 : 6);
    random.jobs = tests::random_job(draw, tests::random_servers(draw), random.gpus,
                                    many ? draw.of({"resnet50", "inception_v3"}) : tests::random_model(draw));
    const std::string scenario =
        random.text("sweep: {variants: [{name: some, set: {jobs.0.training.one_represents_all: auto}},\n"
                    "  {name: messages joined, set: {jobs.0.training.one_represents_all: 'no'}},\n"
                    "  {name: all, set: {jobs.0.training.one_represents_all: 'no', "
                    "jobs.0.training.messages_per_step: 1000000}}]}\n");
    try {
      const Results results = simulate(tests::checked_points(scenario, "one.yaml"));
      ASSERT_EQ(results.jobs.size(), 3U) << scenario;
      const auto step = [&](std::size_t row) { return results.jobs[row].step_s.mean; };
      if (step(0) == step(1))
        continue; // all are simulated
      ++represented;
      EXPECT_NEAR(step(0) / step(2), 1, 0.01) << seed << "\n" << scenario;
    } catch (const InputError&) { // not every setting goes with every other
    }
  }
  EXPECT_GE(represented, 3);
}

} // namespace
} // namespace trainyard
