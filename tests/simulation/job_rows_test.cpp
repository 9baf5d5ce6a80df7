// SPDX-License-Identifier: Apache-2.0
// What the row of a job says about where it ran.
#include "tests/support/checked_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::StartsWith;

JobRow row_of(const std::string& more, const std::string& network = "bandwidth: 80 Gbit/s")
{
  const Results results =
      simulate(tests::checked_points("trainyard: 1\n"
                                     "cluster:\n"
                                     "  node_types: {new: {gpu: L4, gpus: 2}, old: {gpu: T4, gpus: 2}}\n"
                                     "  nodes: [{name: new, type: new, count: 1}, {name: old, type: old, count: 1}]\n"
                                     "  network: {" +
                                         network +
                                         "}\n"
                                         "run: {fidelity: closed_form}\n"
                                         "jobs:\n"
                                         "  - {name: j, model: resnet50, " +
                                         more + "}\n",
                                     "rows.yaml"));
  return results.jobs.front();
}

TEST(JobRows, NameEveryKindOfGpuThatTheJobHas)
{
  const JobRow both = row_of("workers: 4");
  EXPECT_EQ(both.gpu, "L4 + T4");
  EXPECT_THAT(both.provenance_note, StartsWith("resnet50: compute from the data sheet of L4 + T4 (roofline)"));
  EXPECT_EQ(row_of("workers: 2").gpu, "L4");
  EXPECT_EQ(row_of("workers: 2, nodes: [old-0]").gpu, "T4");
}

TEST(JobRows, NameANetworkWithoutAKindOfLinkByItsRate)
{
  EXPECT_EQ(row_of("workers: 4").network, "10 GB/s star");
}

// 80 Gbit/s are 10 GB/s, which the links have instead of the 25 Gbit/s of their kind.
TEST(JobRows, NameTheRateThatOverridesThatOfTheLink)
{
  EXPECT_EQ(row_of("workers: 4", "link: 25GbE, bandwidth: 80 Gbit/s").network, "25GbE at 10 GB/s star");
  EXPECT_EQ(row_of("workers: 4", "link: 25GbE").network, "25GbE star");
}

// Equal GPUs lie within 8 % from whisker to whisker, 5.4 deviations (Sinha et al., SC 2022), and the expected maximum
// of two normal draws is 1 / sqrt(pi) = 0.56419 deviations above the mean. Whoever gives the time of a step, or says
// how workers differ, means just that.
TEST(JobRows, WorkersOfAKindOfGpuWaitForTheSlowest)
{
  const auto wait = [](const std::string& more) {
    const JobRow row = row_of("workers: 2, " + more + "}");
    return row.wait.value() / row.compute.value();
  };
  const double of_gpus = 0.08 / 5.4 * 0.56419;
  // Collectives take no multiprocessors here: they would lengthen what the wait is divided by.
  const std::string reduce = "training: {mode: all_reduce, collective_channels: 0",
                    serve = "training: {mode: parameter_server, servers: 1";
  const double explicitly = wait(reduce + ", spread: gpus");
  EXPECT_NEAR(explicitly, of_gpus, 0.02 * of_gpus); // of the passes: with the host's share, without the update
  EXPECT_EQ(wait(reduce), explicitly);
  EXPECT_EQ(wait(reduce + ", spread: none"), 0);
  EXPECT_EQ(wait("single_gpu_step: 0.1 s, " + reduce), 0);
  EXPECT_NEAR(wait("single_gpu_step: 0.1 s, " + reduce + ", spread: gpus"), explicitly, 1e-6);
  EXPECT_NEAR(wait(reduce + ", straggler_variation: 0.1"), explicitly / (0.08 / 5.4) * 0.1, 1e-5);
  EXPECT_EQ(wait(serve), wait(serve + ", spread: gpus"));
  EXPECT_GT(wait(serve), wait(serve + ", spread: none") + of_gpus);
  EXPECT_LT(wait(serve + ", update_rule: async"), of_gpus / 2); // nobody waits for the slowest
}

} // namespace
} // namespace trainyard
