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

} // namespace
} // namespace trainyard
