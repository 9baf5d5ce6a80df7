// SPDX-License-Identifier: Apache-2.0
/// Partitions of a batch system that have machines of their own: nobody waits for a job of another one, and no plan
/// counts its GPUs.
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"
#include "tests/support/tables.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace trainyard {
namespace {

const std::string head = "trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
                         "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
                         "  nodes: [{name: a, type: n, count: 1}, {name: b, type: n, count: 1}]\n"
                         "  network: {topology: star, link: 25GbE}\n";
const std::string partitions = "slurm: {partitions: [{name: pa, nodes: [a]}, {name: pb, nodes: [b]}]}\n";
const std::string jobs_of_a = "    - {name: a1, duration: 1000 s, gpus: 4, queue: pa}\n"
                              "    - {name: a2, submit: 1 s, duration: 500 s, gpus: 4, queue: pa}\n";
const std::string jobs_of_b = "    - {name: b1, duration: 100 s, gpus: 4, queue: pb}\n"
                              "    - {name: b2, submit: 2 s, duration: 50 s, gpus: 4, queue: pb}\n"
                              "    - {name: b3, submit: 3 s, duration: 500 s, gpus: 4, queue: pb}\n";

std::map<std::string, double> ends(const std::string& jobs, const std::string& policy,
                                   const std::string& rules = partitions)
{
  const RunReport report =
      tests::run_queue(head + "workload:\n  jobs:\n" + jobs + rules + "scheduling: {policy: " + policy + "}\n");
  const tests::QueueFolder folder{report};
  const tests::ReadTable table = tests::csv_table(tests::read_bytes(folder.path() / "jobs.csv"));
  std::map<std::string, double> times;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    times[table.cell(row, "job")] = std::stod(table.cell(row, "end_s"));
  return times;
}

class Pools : public testing::TestWithParam<const char*>
{
};

// Each partition has one machine, which its jobs fill: in order of arrival 1,000 and 500 s there, 100, 50 and 500 s
// here.
TEST_P(Pools, ANeighbourPartitionHoldsNobodyUp)
{
  const std::map<std::string, double> wanted{{"a1", 1000}, {"a2", 1500}, {"b1", 100}, {"b2", 150}, {"b3", 650}};
  EXPECT_EQ(ends(jobs_of_a + jobs_of_b, GetParam()), wanted);
}

INSTANTIATE_TEST_SUITE_P(Policies, Pools, testing::Values("fifo", "sjf", "easy_backfill", "conservative_backfill"));

// The shortest remaining time runs: a2 (500 s) stops a1 (999 s left) at 1 s and ends at 501, a1 at 1,500. b2 (50 s)
// stops b1 (98 s left) at 2 s and ends at 52, b1 at 150 and b3 at 650.
TEST(MachinePools, NobodyIsStoppedForAJobOfAnotherPartition)
{
  const std::map<std::string, double> wanted{{"a1", 1500}, {"a2", 501}, {"b1", 150}, {"b2", 52}, {"b3", 650}};
  EXPECT_EQ(ends(jobs_of_a + jobs_of_b, "srtf"), wanted);
}

TEST(MachinePools, APartitionBesideAnotherIsAsItIsAlone)
{
  for (const char* policy : {"srtf", "las", "easy_backfill", "conservative_backfill", "fifo"}) {
    std::map<std::string, double> apart = ends(jobs_of_a, policy);
    apart.merge(ends(jobs_of_b, policy));
    EXPECT_EQ(ends(jobs_of_a + jobs_of_b, policy), apart) << policy;
  }
}

// A partition over both machines joins them: the job that asks for both waits for both, and is reserved.
TEST(MachinePools, APartitionThatSharesMachinesIsOfTheSamePool)
{
  const std::string wide = "slurm: {partitions: [{name: pa, nodes: [a]}, {name: pb, nodes: [b]}, {name: both}]}\n";
  const std::string jobs = "    - {name: a1, duration: 100 s, gpus: 4, queue: pa}\n"
                           "    - {name: w, submit: 1 s, duration: 10 s, gpus: 8, queue: both}\n"
                           "    - {name: b1, submit: 2 s, duration: 1000 s, gpus: 4, queue: pb}\n";
  EXPECT_EQ(ends(jobs, "easy_backfill", wide), (std::map<std::string, double>{{"a1", 100}, {"w", 110}, {"b1", 1110}}));
}

} // namespace
} // namespace trainyard
