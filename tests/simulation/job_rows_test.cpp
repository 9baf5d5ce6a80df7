// SPDX-License-Identifier: Apache-2.0
// What the row of a job says about where it ran.
#include "tests/support/checked_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::StartsWith;

JobRow row_of(const std::string& more)
{
  const Results results =
      simulate(tests::checked_points("trainyard: 1\n"
                                     "cluster:\n"
                                     "  node_types: {new: {gpu: L4, gpus: 2}, old: {gpu: T4, gpus: 2}}\n"
                                     "  nodes: [{name: new, type: new, count: 1}, {name: old, type: old, count: 1}]\n"
                                     "  network: {bandwidth: 80 Gbit/s}\n"
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

} // namespace
} // namespace trainyard
