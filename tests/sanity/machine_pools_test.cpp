// SPDX-License-Identifier: Apache-2.0
/// Partitions of a batch system that have machines of their own: nobody waits for a job of another one, and no plan
/// counts its GPUs.
#include "models/core/random.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"
#include "tests/support/tables.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

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
                                   const std::string& rules = partitions, const std::string& cluster = head)
{
  const RunReport report =
      tests::run_queue(cluster + "workload:\n  jobs:\n" + jobs + rules + "scheduling: {policy: " + policy + "}\n");
  const tests::QueueFolder folder{report};
  const tests::ReadTable table = tests::csv_table(tests::read_bytes(folder.path() / "jobs.csv"));
  std::map<std::string, double> times;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    times[table.cell(row, "job")] = table.cell(row, "end_s").empty() ? -1 : std::stod(table.cell(row, "end_s"));
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

INSTANTIATE_TEST_SUITE_P(Policies, Pools,
                         testing::Values("fifo", "sjf", "easy_backfill", "conservative_backfill", "elastic", "deadline",
                                         "allox", "finish_time_fairness", "kueue", "fair_share", "drf"));

// The shortest remaining time runs: a2 (500 s) stops a1 (999 s left) at 1 s and ends at 501, a1 at 1,500. b2 (50 s)
// stops b1 (98 s left) at 2 s and ends at 52, b1 at 150 and b3 at 650.
TEST(MachinePools, NobodyIsStoppedForAJobOfAnotherPartition)
{
  const std::map<std::string, double> wanted{{"a1", 1500}, {"a2", 501}, {"b1", 150}, {"b2", 52}, {"b3", 650}};
  EXPECT_EQ(ends(jobs_of_a + jobs_of_b, "srtf"), wanted);
}

// a1 has had 3,250 GPU-seconds at 812.5 s and moves down: a2 runs to 1,312.5 s, and a1 the rest. Nobody here gets that
// far: 100, 50 and 500 s.
TEST(MachinePools, ServiceIsComparedInsideAPartition)
{
  const std::map<std::string, double> wanted{{"a1", 1500}, {"a2", 1312.5}, {"b1", 100}, {"b2", 150}, {"b3", 650}};
  for (const char* policy : {"las", "dlas_gpu"})
    EXPECT_EQ(ends(jobs_of_a + jobs_of_b, policy), wanted) << policy;
}

TEST(MachinePools, APartitionBesideAnotherIsAsItIsAlone)
{
  for (const char* policy : {"srtf", "las", "dlas_gpu", "time_slicing", "elastic", "deadline", "easy_backfill",
                             "conservative_backfill", "fifo", "gavel", "allox", "finish_time_fairness", "kueue",
                             "optimus", "pollux", "sia", "{name: fair_share, skip: false}", "drf"}) {
    std::map<std::string, double> apart = ends(jobs_of_a, policy);
    apart.merge(ends(jobs_of_b, policy));
    EXPECT_EQ(ends(jobs_of_a + jobs_of_b, policy), apart) << policy;
  }
}

// a1 holds its partition, and a2 and a3 wait for it. The other one is empty, so that b1 need not wait: nobody has more
// than these four GPUs to give away. Rounds are 1 s, so that a policy of rounds starts b1 at once.
TEST(MachinePools, AnEmptyPartitionBesideAFullOneStartsItsJobs)
{
  const std::string jobs = "    - {name: a1, duration: 1000 s, gpus: 4, queue: pa}\n"
                           "    - {name: a2, submit: 1 s, duration: 1000 s, gpus: 4, queue: pa}\n"
                           "    - {name: a3, submit: 2 s, duration: 1000 s, gpus: 4, queue: pa}\n"
                           "    - {name: b1, submit: 10 s, duration: 100 s, gpus: 4, queue: pb}\n";
  for (const char* policy :
       {"allox", "kueue", "finish_time_fairness", "{name: gavel, round: 1 s}", "{name: optimus, interval: 1 s}",
        "{name: pollux, interval: 1 s}", "{name: sia, interval: 1 s}"}) {
    const std::map<std::string, double> times = ends(jobs, policy);
    EXPECT_EQ(times.at("b1"), 110) << policy;
    EXPECT_EQ(std::max({times.at("a1"), times.at("a2"), times.at("a3")}), 3000) << policy;
  }
}

// Under volcano each queue deserves 4 of 8 GPUs, and gangs of 6 wait for good: its short mean is that of `s` alone.
TEST(MachinePools, APolicyUnderWhichJobsNeverRunIsNotTheBest)
{
  const std::string jobs = "workload:\n  jobs:\n"
                           "    - {name: s, duration: 10 s, gpus: 1, team: x}\n"
                           "    - {name: x1, submit: 100 s, duration: 1000 s, gpus: 6, team: x}\n"
                           "    - {name: y1, submit: 100 s, duration: 1000 s, gpus: 6, team: y}\n"
                           "scheduling: {policies: [fifo, {name: volcano, weights: x=1 y=1, overcommit: 3}]}\n";
  const RunReport report = tests::run_queue(head + jobs);
  EXPECT_THAT(report.text(),
              testing::HasSubstr("not compared: volcano(weights=x=1 y=1, overcommit=3): cannot run: 2 of 3 jobs"));
  EXPECT_THAT(report.text(), testing::Not(testing::HasSubstr("lowest mean completion time")));
}

// a1 and a2 take 1,500 s one after the other on the only machine they may use: no order of jobs is faster, and counted
// GPUs say nothing of that.
TEST(MachinePools, NoMakespanIsComparedWithOneOverClosedMachines)
{
  const std::string rules = "scheduling: {policy: fifo}\n";
  const std::string jobs = head + "workload:\n  jobs:\n" + jobs_of_a;
  EXPECT_THAT(tests::run_queue(jobs + rules).text(), testing::HasSubstr("over optimum"));
  EXPECT_THAT(tests::run_queue(jobs + partitions + rules).text(), testing::Not(testing::HasSubstr("over optimum")));
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

/// What `both` may do changes nothing as long as nobody asks for it.
const std::string with_both = "slurm: {partitions: [{name: pa, nodes: [a]}, {name: pb, nodes: [b]}, {name: both}]}\n";

class LaterJobs : public testing::TestWithParam<std::string>
{
};

// z may go to both machines, long after all others have ended.
TEST_P(LaterJobs, ChangeNothingThatEndedBeforeTheyCame)
{
  std::map<std::string, double> with =
      ends(jobs_of_a + jobs_of_b + "    - {name: z, submit: 100000 s, duration: 10 s, gpus: 4, queue: both}\n",
           GetParam(), with_both);
  EXPECT_EQ(with["z"], 100010);
  with.erase("z");
  EXPECT_EQ(with, ends(jobs_of_a + jobs_of_b, GetParam(), with_both));
}

// Jobs by chance, of which some may go to both machines: pools join and part. Those after 1,000 s change nothing
// before.
TEST_P(LaterJobs, ChangeNothingByChanceEither)
{
  RandomStream draw{11};
  std::string early, late;
  for (int index = 0; index < 60; ++index) {
    const double time = 30.0 * index + 30 * draw.uniform();
    const char* queues[] = {"pa", "pb", "pa", "pb", "both"};
    (time < 1000 ? early : late) +=
        fmt::format("    - {{name: j{}, submit: {} s, duration: {} s, gpus: {}, queue: {}}}\n", index, std::round(time),
                    std::round(5 + 145 * draw.uniform()), 1 + draw.below(4), queues[draw.below(5)]);
  }
  const std::map<std::string, double> before = ends(early, GetParam(), with_both);
  const std::map<std::string, double> after = ends(early + late, GetParam(), with_both);
  int ended = 0;
  for (const auto& [job, end] : before)
    if (end < 1000) {
      EXPECT_EQ(after.at(job), end) << job;
      ++ended;
    }
  EXPECT_GT(ended, 0);
}

/// All but gittins, which knows how long the jobs of the whole workload are.
std::vector<std::string> policies_without_foresight()
{
  std::vector<std::string> names = tests::own_queue_policies();
  std::erase(names, "gittins");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, LaterJobs, testing::ValuesIn(policies_without_foresight()),
                         [](const auto& one) { return one.param; });

TEST(MachinePools, JoinWhileAJobOfBothWaitsAndPartWhenItHasEnded)
{
  const std::string z = "    - {name: z, submit: 60 s, duration: 10 s, gpus: 4, queue: both}\n";
  const std::map<std::string, double> times = ends(jobs_of_a + jobs_of_b + z, "fifo", with_both);
  // From 60 s on one line: a2, b2, b3, z. a2 waits for a1 until 1,000 s; then a2 and b2 start, b3 after b2 at 1,050, z
  // after a2 at 1,500.
  EXPECT_EQ(times, (std::map<std::string, double>{
                       {"a1", 1000}, {"a2", 1500}, {"b1", 100}, {"b2", 1050}, {"b3", 1550}, {"z", 1510}}));
}

/// Three machines of 4 GPUs, in this order, and partitions that overlap in `b`.
std::map<std::string, double> ends_on_three(std::vector<std::string> machines, const std::string& jobs,
                                            const char* gpus_of_c = "4")
{
  for (std::string& name : machines)
    name = fmt::format("{{name: {0}, type: {1}, count: 1}}", name, name == "c" ? "m" : "n");
  const std::string cluster = fmt::format("trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
                                          "  node_types: {{n: {{gpu: V100-SXM2-16GB, gpus: 4}}, "
                                          "m: {{gpu: V100-SXM2-16GB, gpus: {}}}}}\n"
                                          "  nodes: [{}]\n  network: {{topology: star, link: 25GbE}}\n",
                                          gpus_of_c, fmt::join(machines, ", "));
  return ends(jobs, "kueue",
              "slurm: {partitions: [{name: ab, nodes: [a, b]}, {name: bc, nodes: [b, c]}, {name: abc}]}\n", cluster);
}

// The gang of ab and that of bc each need machines of two sets, so all three are one set with quota for 12 GPUs. bc8
// gets its quota at 100 s, when ab8 ends, and c at 102 s, when bc4 ends.
TEST(MachinePools, AGangGetsQuotaForMachinesThatAdmitIt)
{
  const std::string jobs = "    - {name: ab8, duration: 100 s, gpus: 8, queue: ab}\n"
                           "    - {name: bc8, submit: 1 s, duration: 100 s, gpus: 8, queue: bc}\n"
                           "    - {name: bc4, submit: 2 s, duration: 100 s, gpus: 4, queue: bc}\n";
  const std::map<std::string, double> wanted{{"ab8", 100}, {"bc8", 202}, {"bc4", 102}};
  EXPECT_EQ(ends_on_three({"a", "b", "c"}, jobs), wanted);
  EXPECT_EQ(ends_on_three({"c", "b", "a"}, jobs), wanted);
  // One for all 12 makes them one set too, and has quota at 202 s.
  const std::string all = jobs + "    - {name: abc12, submit: 3 s, duration: 10 s, gpus: 12, queue: abc}\n";
  const std::map<std::string, double> wanted_of_all{{"ab8", 100}, {"bc8", 202}, {"bc4", 102}, {"abc12", 212}};
  EXPECT_EQ(ends_on_three({"a", "b", "c"}, all), wanted_of_all);
  EXPECT_EQ(ends_on_three({"b", "c", "a"}, all), wanted_of_all);
}

// c has 8 GPUs, so bc6 needs no other machine; a and b are one set for ab8, of which bc6 could have 4 GPUs only.
TEST(MachinePools, ASetThatHoldsAGangInPartGivesItNoQuota)
{
  const std::string jobs = "    - {name: ab8, duration: 100 s, gpus: 8, queue: ab}\n"
                           "    - {name: bc6, submit: 200 s, duration: 100 s, gpus: 6, queue: bc}\n";
  for (const std::vector<std::string>& machines : {std::vector<std::string>{"a", "b", "c"}, {"c", "b", "a"}})
    EXPECT_EQ(ends_on_three(machines, jobs, "8"), (std::map<std::string, double>{{"ab8", 100}, {"bc6", 300}}));
}

// Types of GPU are pools too where each job asks for one.
TEST(MachinePools, NobodyWaitsForGpusOfAnotherType)
{
  const std::string two_types = "trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
                                "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4}, m: {gpu: A100-SXM4-80GB, gpus: 4}}\n"
                                "  nodes: [{name: a, type: n, count: 1}, {name: b, type: m, count: 1}]\n"
                                "  network: {topology: star, link: 25GbE}\n";
  std::string jobs = jobs_of_a + jobs_of_b;
  for (const auto& [queue, type] :
       {std::pair{"queue: pa", "gpu_type: V100-SXM2-16GB"}, std::pair{"queue: pb", "gpu_type: A100-SXM4-80GB"}})
    for (std::size_t at = jobs.find(queue); at != std::string::npos; at = jobs.find(queue, at))
      jobs.replace(at, std::string{queue}.size(), type);
  const std::map<std::string, double> wanted{{"a1", 1000}, {"a2", 1500}, {"b1", 100}, {"b2", 150}, {"b3", 650}};
  for (const char* policy : {"fifo", "easy_backfill", "conservative_backfill"})
    EXPECT_EQ(ends(jobs, policy, "", two_types), wanted) << policy;
  // a2 blocks the partition for the main scheduler; the backfill scheduler, every 30 s, starts b2 at 120 and b3 at 180
  // s.
  const std::map<std::string, double> backfilled{{"a1", 1000}, {"a2", 1500}, {"b1", 100}, {"b2", 170}, {"b3", 680}};
  EXPECT_EQ(ends(jobs, "slurm", "", two_types), backfilled);
}

// Machine b is down from 5 to 15 s. w comes at 6 s and needs all 8 GPUs: it waits for the repair, and where there are
// rounds for the next one.
TEST(MachinePools, AGangThatNeedsAllMachinesRunsOnceTheyAreRepaired)
{
  for (const std::string& policy : tests::own_queue_policies()) {
    const std::map<std::string, double> rounds{{"gavel", 730}, {"optimus", 610}, {"pollux", 70}, {"sia", 70}};
    const std::map<std::string, double> times = ends("    - {name: w, submit: 6 s, duration: 10 s, gpus: 8}\n"
                                                     "    - {name: one, submit: 7 s, duration: 3 s, gpus: 1}\n",
                                                     policy, "faults: [{fail: node:b-0, at: 5 s, lasts: 10 s}]\n");
    EXPECT_EQ(times.at("w"), rounds.contains(policy) ? rounds.at(policy) : 25) << policy;
  }
}

} // namespace
} // namespace trainyard
