// SPDX-License-Identifier: Apache-2.0
/// Slurm's files: host lists, machines, GPUs, switches, accounting.
#include "models/core/csv.hpp"
#include "models/import/hostlist.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "tests/import/import_support.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;

TEST(Hostlist, ExpandsAsScontrolDoes)
{
  // Expected as printed by `scontrol show hostnames` (Slurm 22.05).
  EXPECT_THAT(*expand_hostlist("gpu[01-04,08],login"),
              ElementsAre("gpu01", "gpu02", "gpu03", "gpu04", "gpu08", "login"));
  EXPECT_THAT(*expand_hostlist("r[1-2]n[9-10]"), ElementsAre("r1n9", "r1n10", "r2n9", "r2n10"));
  EXPECT_THAT(*expand_hostlist("a[098-101]b"), ElementsAre("a098b", "a099b", "a100b", "a101b"));
  EXPECT_FALSE(expand_hostlist("gpu[01-"));
  EXPECT_FALSE(expand_hostlist("gpu[5-2]"));
  EXPECT_FALSE(expand_hostlist("gpu[1-9999999]"));
  EXPECT_FALSE(expand_hostlist("gpu]"));
}

TEST(Hostlist, CompressesToWhatItExpandsFrom)
{
  for (const char* text : {"gpu[01-04,08],login", "a1", "n[9-12]", "x[001-003],y"}) {
    const auto names = expand_hostlist(text);
    ASSERT_TRUE(names);
    EXPECT_EQ(compress_hostlist(*names), std::string_view{text} == "n[9-12]" ? "n9,n[10-12]" : text);
  }
}

constexpr const char* conf = R"(ClusterName=small
SchedulerType=sched/backfill
NodeName=DEFAULT RealMemory=1000 \
  Sockets=2 CoresPerSocket=4 ThreadsPerCore=2
NodeName=g[1-2] Gres=gpu:a100:4
NodeName=g3 Gres=gpu:t4:2(S:0),lustre:no_consume:1
NodeName=c1 CPUs=8
NodeName=d1 State=DOWN
PartitionName=all Nodes=ALL MaxTime=UNLIMITED
SlurmdPort=6818
)";

TEST(ImportSlurm, ReadsMachinesWithDefaultsContinuedLinesAndGres)
{
  const ImportResult result = import_texts({{"slurm.conf", conf}});
  ASSERT_EQ(result.draft.machines.size(), 3U); // g1 and g2 are one group
  const DraftMachines& first = result.draft.machines[0];
  EXPECT_EQ(first.count, 2);
  EXPECT_EQ(first.gpus, 4);
  EXPECT_EQ(first.gpu, "A100-SXM4-40GB");
  EXPECT_DOUBLE_EQ(first.cpu_cores, 16);
  EXPECT_DOUBLE_EQ(first.memory_bytes, 1000.0 * 1048576);
  EXPECT_EQ(result.draft.machines[1].gpu, "T4");
  EXPECT_EQ(result.draft.machines[1].gpus, 2);
  EXPECT_DOUBLE_EQ(result.draft.machines[2].cpu_cores, 8);
  EXPECT_NE(find_entry(result.report.ignored(), "state DOWN"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "countable resource lustre"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "slurmdport"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportSlurm, TheSchedulersSettingsBecomeThoseOfThePolicy)
{
  // Days-hours, minutes, and bf_window in minutes: 7 d, 300 s, 2 d.
  const ImportResult result = import_texts(
      {{"slurm.conf", std::string{conf} + "PriorityWeightAge=1000\nPriorityWeightFairshare=10000\nPriorityMaxAge=7-0\n"
                                          "PriorityCalcPeriod=5\nPriorityFavorSmall=YES\nSchedulerParameters="
                                          "bf_continue,bf_interval=60,bf_window=2880,bf_max_job_test=1000\n"
                                          "PartitionName=debug Nodes=g3 PriorityTier=10 PriorityJobFactor=2\n"}});
  ASSERT_FALSE(result.draft.scheduling.empty());
  EXPECT_EQ(result.draft.scheduling.front().first, "policy");
  EXPECT_EQ(result.draft.scheduling.front().second,
            "{name: slurm, label: slurm, backfill: true, bf_interval: 60 s, bf_max_job_test: 1000, bf_window: 172800 "
            "s, calc_period: "
            "300 s, favor_small: true, max_age: 604800 s, weight_age: 1000, weight_fairshare: 10000}");
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportSlurm, JoinsMachinesBySwitchesAndSizesUplinks)
{
  const ImportResult result = import_texts(
      {{"slurm.conf", conf},
       {"topology.conf", "SwitchName=s1 Nodes=g[1-2]\nSwitchName=s2 Nodes=g3,c1\nSwitchName=top Switches=s[1-2]\n"}});
  EXPECT_EQ(result.draft.network.topology, "graph");
  EXPECT_THAT(result.draft.network.switches, ElementsAre("s1", "s2", "top"));
  ASSERT_EQ(result.draft.network.wires.size(), 5U);
  EXPECT_EQ(result.draft.network.wires[3].count, 2); // s1 carries g1 and g2
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportSlurm, YamlTopologyComesBeforeTheOldFile)
{
  const ImportResult result = import_texts(
      {{"slurm.conf", conf}, {"topology.conf", "SwitchName=old Nodes=g[1-3],c1\n"}, {"topology.yaml", R"(- topology: a
  cluster_default: true
  tree:
    switches:
      - {switch: root, children: "leaf[1-2]"}
      - {switch: leaf1, nodes: "g[1-2]"}
      - {switch: leaf2, nodes: "g3,c1"}
- topology: b
  flat: true
)"}});
  EXPECT_THAT(result.draft.network.switches, ElementsAre("root", "leaf1", "leaf2"));
  EXPECT_NE(find_entry(result.report.ignored(), "Slurm reads topology.yaml first"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportSlurm, GresThatContradictsSlurmConfIsAWarningAndTheSmallerNumberCounts)
{
  const ImportResult result = import_texts(
      {{"slurm.conf", conf}, {"gres.conf", "NodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0,2-3]\n"}});
  EXPECT_EQ(result.draft.machines[0].gpus, 3);
  ASSERT_EQ(result.report.faults.sorted().size(), 2U);
  EXPECT_THAT(result.report.faults.sorted()[0].message, HasSubstr("has 3 GPUs here and 4 in slurm.conf"));
}

TEST(ImportSlurm, FaultsOfTheTopologyAreErrorsWithTheirLines)
{
  const ImportResult result = import_texts(
      {{"slurm.conf", conf},
       {"topology.conf",
        "SwitchName=a Nodes=g[1-\nSwitchName=b Nodes=g1\nSwitchName=b Nodes=g2\nSwitchName=c Nodes=g1 Switches=x\n"}});
  std::string text;
  for (const Diagnostic& fault : result.report.faults.sorted())
    text += format(fault);
  EXPECT_THAT(text, HasSubstr("topology.conf:1: error: 'g[1-' is not a host list"));
  EXPECT_THAT(text, HasSubstr("topology.conf:3: error: two switches are called 'b'"));
  EXPECT_THAT(text, HasSubstr("topology.conf:4: error: machine 'g1' is on two switches"));
  EXPECT_THAT(text, HasSubstr("topology.conf:4: error: switch 'c' lists switch 'x', which does not exist"));
}

TEST(Sacct, ReadsTimesResourcesAndStates)
{
  const std::filesystem::path file =
      std::filesystem::path{::testing::TempDir()} / ("sacct-" + std::to_string(::getpid()) + ".psv");
  std::ofstream{file}
      << "JobID|Submit|Start|End|Elapsed|AllocTRES|ReqTRES|State|User|Account|Timelimit\n"
         "7|2024-03-01T08:00:00|2024-03-01T08:00:04|x|1-02:00:00|cpu=32,mem=64G,node=2,gres/gpu=16|gres/"
         "gpu:a100=16|COMPLETED|u|t|2-00:00:00\n"
         "7.batch|2024-03-01T08:00:00|x|x|1-02:00:00|cpu=32|x|COMPLETED|u|t|\n"
         "8_3|2024-03-01T08:01:00|2024-03-01T08:02:00|x|00:05:00|cpu=4,mem=1500M,node=1||NODE_FAIL|u|t|UNLIMITED\n"
         "9|2024-03-01T08:02:00|Unknown|Unknown|00:00:00||cpu=1|PENDING|u|t|01:00:00\n";
  const ImportedTrace trace = import_trace(file);
  std::filesystem::remove(file);
  EXPECT_EQ(trace.format, "sacct");
  ASSERT_EQ(trace.workload.size(), 2);
  const TraceJob& job = trace.workload.jobs[0];
  EXPECT_DOUBLE_EQ(job.duration.value(), 93600);  // 1 d 2 h
  EXPECT_DOUBLE_EQ(job.estimate.value(), 172800); // 2 d
  EXPECT_EQ(job.gpus, 16);
  EXPECT_EQ(job.tasks, 2);
  EXPECT_EQ(job.cpu_milli, 16000);
  EXPECT_EQ(job.memory_mib, 32768);
  ASSERT_EQ(job.gpu_type, 0);
  EXPECT_EQ(trace.workload.gpu_types[0], "a100");
  EXPECT_EQ(trace.workload.jobs[1].gpus, 0);
  EXPECT_EQ(trace.workload.jobs[1].memory_mib, 1500);
  EXPECT_DOUBLE_EQ(trace.workload.jobs[1].submit.value(), 60);
  EXPECT_THAT(trace.audit.text(), HasSubstr("job that never started"));
  EXPECT_THAT(trace.audit.text(), HasSubstr("NODE_FAIL"));
  EXPECT_THAT(trace.audit.text(), HasSubstr("job step"));
}

ImportedTrace sacct_of(const std::string& text)
{
  const std::filesystem::path file =
      std::filesystem::path{::testing::TempDir()} / ("sacct-raw-" + std::to_string(::getpid()) + ".psv");
  std::ofstream{file} << text;
  ImportedTrace trace = import_trace(file);
  std::filesystem::remove(file);
  return trace;
}

// sacct(1): ElapsedRaw is in seconds, TimelimitRaw in minutes; so is a number alone in Timelimit, as in sbatch --time.
TEST(Sacct, ReadsTheRawColumnsInTheirUnits)
{
  const ImportedTrace raw = sacct_of("JobID|Submit|ElapsedRaw|TimelimitRaw|State|AllocTRES\n"
                                     "1|2024-03-01T08:00:00|90|60|COMPLETED|cpu=1,gres/gpu=2\n");
  ASSERT_EQ(raw.workload.size(), 1);
  EXPECT_DOUBLE_EQ(raw.workload.jobs[0].duration.value(), 90);
  EXPECT_DOUBLE_EQ(raw.workload.jobs[0].estimate.value(), 3600);
  const ImportedTrace minutes = sacct_of("JobID|Submit|Elapsed|Timelimit|State|AllocTRES\n"
                                         "1|2024-03-01T08:00:00|00:01:30|120|COMPLETED|cpu=1,gres/gpu=2\n"
                                         "2|2024-03-01T08:00:00|00:01:30|02:30|COMPLETED|cpu=1,gres/gpu=2\n");
  ASSERT_EQ(minutes.workload.size(), 2);
  EXPECT_DOUBLE_EQ(minutes.workload.jobs[0].estimate.value(), 7200);
  EXPECT_DOUBLE_EQ(minutes.workload.jobs[1].estimate.value(), 150);
  EXPECT_THROW(sacct_of("JobID|Submit|State\n1|2024-03-01T08:00:00|COMPLETED\n"), InputError);
}

// Both jobs would hold 8 GPUs; the first one's clock went back.
TEST(Sacct, LeavesOutAJobThatEndsBeforeItStarts)
{
  const ImportedTrace trace =
      sacct_of("JobID|Submit|Start|End|ElapsedRaw|State|AllocTRES\n"
               "1|2024-01-01T00:00:00|2024-01-01T02:00:00|2024-01-01T00:00:00|7200|COMPLETED|gres/gpu=8,node=1\n"
               "2|2024-01-01T00:30:00|2024-01-01T02:00:00|2024-01-01T04:00:00|7200|COMPLETED|gres/gpu=8,node=1\n");
  EXPECT_EQ(trace.workload.size(), 1);
  EXPECT_THAT(trace.audit.text(), HasSubstr("job that ends before it starts"));
}

TEST(Sacct, RefusesTwoClustersInOneFile)
{
  const std::string head = "Cluster|JobID|Submit|Start|Elapsed|State|AllocTRES\n";
  const auto row = [](const std::string& cluster) {
    return cluster + "|1|2024-01-01T00:00:00|2024-01-01T02:00:00|01:00:00|COMPLETED|gres/gpu=8,node=1\n";
  };
  EXPECT_EQ(sacct_of(head + row("alpha") + row("alpha")).workload.size(), 2);
  try {
    static_cast<void>(sacct_of(head + row("beta") + row("alpha")));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("jobs of 2 clusters (alpha, beta)"));
  }
}

// 16 GPUs of one machine, then 8 of one: machines have 16. 64 of nobody knows how many are no machine of 64.
TEST(ImportSlurm, MachinesAreAsLargeAsAJobOnOneOfThem)
{
  const auto log = [](const std::string& tres) {
    return "JobID|Submit|Start|Elapsed|State|AllocTRES\n"
           "1|2024-01-01T00:00:00|2024-01-01T00:00:00|01:00:00|COMPLETED|" +
           tres + "\n2|2024-01-01T01:00:00|2024-01-01T01:00:00|01:00:00|COMPLETED|gres/gpu=8,node=1\n";
  };
  const ImportResult large = import_texts({{"sacct.psv", log("gres/gpu=16,node=1")}});
  ASSERT_EQ(large.draft.machines.size(), 1U);
  EXPECT_EQ(large.draft.machines[0].gpus, 16);
  EXPECT_EQ(large.draft.machines[0].count, 1);
  EXPECT_NE(find_entry(large.report.assumed(), "a job had 16 GPUs of one machine"), nullptr);
  const ImportResult unknown = import_texts({{"sacct.psv", log("gres/gpu=64")}});
  EXPECT_EQ(unknown.draft.machines[0].gpus, 8);
  EXPECT_EQ(unknown.draft.machines[0].count, 8);
}

TEST(Sacct, LeavesOutAJobWhoseGpusAreNoNumberAboveZero)
{
  const ImportedTrace trace =
      sacct_of("JobID|Submit|Elapsed|State|AllocTRES\n"
               "1|2024-03-01T08:00:00|00:01:30|COMPLETED|cpu=1,gres/gpu=-8\n"
               "2|2024-03-01T08:00:00|00:01:30|COMPLETED|cpu=1,gres/gpu:a100=many\n"
               "3|2024-03-01T08:00:00|00:01:30|COMPLETED|cpu=1,gres/gpu:a100=2,gres/gpu:t4=1\n");
  ASSERT_EQ(trace.workload.size(), 1);
  EXPECT_EQ(trace.workload.jobs[0].gpus, 3);
  EXPECT_THAT(trace.audit.text(), HasSubstr("resources that cannot be read"));
}

// MIG: seven slices 1g.10gb and three whole A100 are four GPUs; with the model in the name of the slices alone, two. A
// job on one slice has a seventh of a GPU, on two slices 3g 6/7 of one, on three more than one: two.
TEST(ImportSlurm, MigSlicesAreCutFromWholeGpus)
{
  const ImportResult result =
      import_texts({{"slurm.conf", "ClusterName=c\nNodeName=m1 CPUs=64 Gres=gpu:1g.10gb:7,gpu:a100:3\n"
                                   "NodeName=m2 CPUs=64 Gres=gpu:a100_3g.20gb:4\n"
                                   "PartitionName=p Nodes=m1,m2 Default=YES OverSubscribe=FORCE:4\n"}});
  ASSERT_EQ(result.draft.machines.size(), 2U);
  EXPECT_EQ(result.draft.machines[0].gpus, 4);
  EXPECT_EQ(result.draft.machines[0].gpu, "A100-SXM4-80GB"); // seven of 1g.10gb are the memory of one with 80 GB
  EXPECT_EQ(result.draft.machines[1].gpus, 2);
  EXPECT_EQ(result.draft.machines[1].gpu, "A100-SXM4-40GB");
  EXPECT_EQ(lines_of(find_entry(result.report.ignored(), "oversubscribe of partitions")), (std::vector<int>{4}));

  const ImportedTrace trace = sacct_of("JobID|Submit|Elapsed|State|AllocTRES\n"
                                       "1|2024-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu:1g.10gb=1,gres/gpu=1,node=1\n"
                                       "2|2024-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu:a100_3g.20gb=2,node=1\n"
                                       "3|2024-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu:3g.20gb=3,gres/gpu=3,node=1\n"
                                       "4+1|2024-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu:a100=2,gres/gpu=2,node=1\n"
                                       "5|2024-03-01T08:00:00|01:00:00|COMPLETED|cpu=1,gres/shard=2,node=1\n");
  const std::vector<std::pair<int, int>> expected = {{1, 142}, {1, 857}, {2, 1000}, {2, 1000}, {0, 1000}};
  ASSERT_EQ(trace.workload.jobs.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ((std::pair{trace.workload.jobs[i].gpus, trace.workload.jobs[i].gpu_milli}), expected[i]) << i;
  const std::string audit = trace.audit.text();
  EXPECT_NE(audit.find("3 x job on MIG slices"), std::string::npos) << audit;
  EXPECT_NE(audit.find("1 x component of a heterogeneous job"), std::string::npos) << audit;
  EXPECT_NE(audit.find("1 x job on shares of GPUs (gres/shard)"), std::string::npos) << audit;
}

// OverSubscribe=EXCLUSIVE: "allocated all CPUs and GRES on the nodes" (slurm.conf(5)). A job that asks for three GPUs
// of machines with four gets four, one that asks for two on each of two machines eight; in another partition with
// --exclusive (OverSubscribe=NO in its record) all of its machine, else what it asks for.
TEST(ImportSlurm, JobsOfExclusivePartitionsHoldWholeMachines)
{
  const auto pending = [](int id, const std::string& partition, const std::string& sharing, int nodes, int gpus) {
    return fmt::format("JobId={} JobName=j\n   UserId=ann(1) Account=a QOS=normal\n   JobState=PENDING\n"
                       "   TimeLimit=01:00:00 TimeMin=N/A\n   SubmitTime=2026-03-02T10:00:00\n   Partition={}\n"
                       "   NumNodes={} NumCPUs=4\n   TRES=cpu=4,mem=8G,node={},gres/gpu={}\n   OverSubscribe={}\n\n",
                       id, partition, nodes, nodes, gpus, sharing);
  };
  const std::string conf =
      "ClusterName=c\nNodeName=g[1-4] CPUs=64 RealMemory=512000 Gres=gpu:a100:4\n"
      "PartitionName=whole Nodes=g[1-2] OverSubscribe=EXCLUSIVE\nPartitionName=part Nodes=g[3-4]\n";
  const ImportResult result =
      import_texts({{"slurm.conf", conf},
                    {"jobs.txt", pending(1, "whole", "OK", 1, 3) + pending(2, "whole", "OK", 2, 4) +
                                     pending(3, "part", "NO", 1, 1) + pending(4, "part", "OK", 1, 1)}});
  std::vector<std::pair<int, int>> jobs;
  for (const DraftQueueJob& job : result.draft.queue_jobs)
    jobs.emplace_back(job.gpus, job.cpu_milli);
  EXPECT_THAT(jobs, ElementsAre(std::pair{4, 64000}, std::pair{8, 64000}, std::pair{4, 64000}, std::pair{1, 4000}));
  EXPECT_NE(find_entry(result.report.understood(), "jobs of partition whole get whole machines"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "job 1 asks for 3 GPUs and gets 4 GPUs"), nullptr);
  EXPECT_EQ(find_entry(result.report.ignored(), "oversubscribe"), nullptr);
  EXPECT_EQ(check_errors(result), "");
  const ImportResult alone = import_texts({{"slurm.conf", conf}});
  EXPECT_NE(find_entry(alone.report.ignored(), "whole machines of jobs"), nullptr);
}

TEST(ImportSlurm, ACountOfGpusThatIsNoneIsAnError)
{
  const auto faults = [](const std::string& file, const std::string& text) {
    std::string all;
    for (const Diagnostic& fault : import_texts({{file, text}}).report.faults.sorted())
      all += format(fault);
    return all;
  };
  EXPECT_THAT(faults("slurm.conf", "ClusterName=c\nNodeName=g1 CPUs=8 Gres=gpu:-8\nPartitionName=p Nodes=g1\n"),
              HasSubstr("slurm.conf:2: error: '-8' is not a number of GPUs: write a whole number from 0 to 64"));
  EXPECT_THAT(faults("slurm.conf", "ClusterName=c\nNodeName=g1 CPUs=8 Gres=gpu:a100:1000\nPartitionName=p Nodes=g1\n"),
              HasSubstr("'1000' is not a number of GPUs"));
  EXPECT_THAT(faults("gres.conf", "NodeName=g1 Name=gpu Count=-8\n"),
              HasSubstr("gres.conf:1: error: '-8' is not a number of GPUs"));
}

TEST(ImportSlurm, LinksThatNoFileNamesAreThoseThatTheMachinesAreSoldWith)
{
  // As a scenario without a link has them: a DGX H100 has cards of 400 Gbit/s; of machines with T4 nothing is known.
  const auto link_of = [](const std::string& gres) {
    return import_texts({{"slurm.conf", "ClusterName=c\nNodeName=g[1-2] CPUs=64 Gres=gpu:" + gres + ":8\n"}}, {})
        .draft.network.link;
  };
  EXPECT_EQ(link_of("h100"), "IB-NDR");
  EXPECT_EQ(link_of("t4"), "10GbE");
}

// Twelve jobs at once, none of which waited, each with one GPU and 480 GiB: 12 GPUs are two machines of 8, which then
// hold six of the jobs, 2,880 GiB. With 512 GiB as usual they would hold one job each, and ten would wait.
TEST(ImportSlurmAccounting, MachinesHaveTheMemoryThatTheRecordHeldAtOnce)
{
  std::string text =
      "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|ReqTRES|AllocTRES|NNodes\n";
  for (int id = 1; id <= 12; ++id)
    text += fmt::format("{}|u|a|p|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00|3600|02:00:00|COMPLETED|"
                        "cpu=8,gres/gpu=1,mem=480G,node=1|cpu=8,gres/gpu=1,mem=480G,node=1|1\n",
                        id);
  const ImportResult result = import_texts({{"s.psv", text}});
  EXPECT_THAT(result.yaml, HasSubstr("memory: 2880 GiB"));
  EXPECT_THAT(result.yaml, HasSubstr("count: 2}"));
  EXPECT_NE(find_entry(result.report.assumed(), "128 CPU cores and 2880 GiB of memory a machine"), nullptr);
}

// Three jobs of 8 GPUs, one after the other: each waited for the one before, so 8 GPUs were all there was. Without the
// recorded starts it would take 24 GPUs that nobody waits.
TEST(ImportSlurmAccounting, TheMachineIsWhatTheRecordNeverHeldMoreOf)
{
  const std::string head =
      "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|Timelimit|State|AllocTRES|NNodes\n";
  const auto job = [](int id, int hour) {
    return fmt::format("{}|u|a|p|2026-01-01T00:0{}:00|2026-01-01T{:02}:00:00|2026-01-01T{:02}:00:00|3600|02:00:00|"
                       "COMPLETED|cpu=8,gres/gpu=8,node=1|1\n",
                       id, id, hour, hour + 1);
  };
  const ImportResult result = import_texts({{"s.psv", head + job(1, 1) + job(2, 2) + job(3, 3)}});
  EXPECT_THAT(result.yaml, HasSubstr("count: 1}"));
  EXPECT_THAT(result.yaml, HasSubstr("policy: easy_backfill"));
  EXPECT_NE(find_entry(result.report.assumed(), "the record never has more than 8 GPUs busy at once"), nullptr);
  // The site's rules, read from another file in either order, are the only policy.
  const std::pair<std::string, std::string> log{"s.psv", head + job(1, 1)},
      qos{"q.psv",
          "Name|Priority|GrpTRES|MaxWall|Preempt|PreemptMode|GraceTime|MaxTRES\nnormal|0||||cluster|00:00:00|\n"};
  for (const auto& files : {std::vector{log, qos}, std::vector{qos, log}}) {
    const std::string yaml = import_texts(files).yaml;
    EXPECT_THAT(yaml, HasSubstr("policy: {name: slurm"));
    EXPECT_EQ(yaml.find("policy: easy_backfill"), std::string::npos) << yaml;
  }
}

// Two jobs of 8 GPUs: the second waited 50 minutes for the first. One machine held both, and waits are recorded.
TEST(ImportPublishedTraces, WhatTheRecordSaysOfStartsCounts)
{
  const ImportResult helios = import_texts(
      {{"h.csv", "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue,vc\n"
                 "1,u,8,64,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 01:00:00,3600,0,a\n"
                 "2,u,8,64,1,COMPLETED,2020-04-01 00:10:00,2020-04-01 01:00:00,2020-04-01 02:00:00,3600,3000,a\n"}});
  EXPECT_THAT(helios.yaml, HasSubstr("count: 1}"));
  EXPECT_NE(find_entry(helios.report.assumed(), "the record never has more than 8 GPUs busy at once"), nullptr);
  const auto attempt = [](int hour, const char* machine) {
    return fmt::format(R"({{"start_time": "2017-10-08 0{}:00:00", "end_time": "2017-10-08 0{}:00:00", "detail":
      [{{"ip": "{}", "gpus": ["gpu0","gpu1","gpu2","gpu3","gpu4","gpu5","gpu6","gpu7"]}}]}})",
                       hour, hour + 1, machine);
  };
  const std::string philly =
      R"([{"vc": "v", "jobid": "1", "user": "u", "submitted_time": "2017-10-08 01:00:00", "attempts": [)" +
      attempt(1, "m1") +
      R"(]}, {"vc": "v", "jobid": "2", "user": "u", "submitted_time": "2017-10-08 01:10:00", "attempts": [)" +
      attempt(2, "m1") + "," + attempt(3, "m1") + "]}]\n";
  const ImportResult log = import_texts({{"p.json", philly}});
  EXPECT_THAT(log.yaml, HasSubstr("count: 1}"));
  EXPECT_NE(find_entry(log.report.assumed(), "the trace names machines, but not their GPUs"), nullptr);
}

// It is 10:00: job 1 runs since 09:00 and may run until 13:00. Job 2 came before it started, and has to wait for its
// GPUs: 3 h. Job 3 is held, job 4 waits for it, job 5 may not start before tomorrow 10:00, which is 86400 s from now.
TEST(ImportSlurm, WhoRunsHasItsMachineFromTheStartAndWhoIsHeldNeverStarts)
{
  const std::string node =
      " CPUAlloc=0 CPUTot=64\n   RealMemory=500000\n   State=IDLE\n   Gres=gpu:a100:8\n   ActiveFeatures=";
  const auto pending = [](int id, const std::string& more, int gpus) {
    return fmt::format("JobId={} JobName=j\n   UserId=bob(1002) Account=nlp QOS=normal\n   JobState=PENDING {}\n"
                       "   TimeLimit=01:00:00 TimeMin=N/A\n   SubmitTime=2024-05-01T08:30:00\n   Partition=p\n"
                       "   NumNodes=1 NumCPUs=8\n   TRES=cpu=8,node=1,gres/gpu={}\n\n",
                       id, more, gpus);
  };
  const std::string running = "JobId=1 JobName=a\n   UserId=ann(1001) Account=vis QOS=normal\n   Priority=1\n"
                              "   JobState=RUNNING Reason=None Dependency=(null)\n   RunTime=01:00:00 "
                              "TimeLimit=04:00:00\n   SubmitTime=2024-05-01T08:40:00 EligibleTime=2024-05-01T08:40:00\n"
                              "   StartTime=2024-05-01T09:00:00 EndTime=2024-05-01T13:00:00\n   Partition=p\n"
                              "   NodeList=g2\n   NumNodes=1 NumCPUs=8\n   TRES=cpu=8,node=1,gres/gpu=4\n\n";
  const ImportResult result = import_texts(
      {{"part.txt", "PartitionName=p\n   AllocNodes=ALL Default=YES\n   Nodes=g[1-2]\n   State=UP\n"},
       {"nodes.txt", "NodeName=g1" + node + "slow\n\nNodeName=g2" + node + "fast,ib\n"},
       {"jobs.txt", pending(2, "Priority=900 Reason=Resources Features=fast&ib ExcNodeList=(null)", 8) +
                        pending(3, "Priority=0 Reason=JobHeldUser", 1) +
                        pending(4, "Priority=9 Reason=Dependency Dependency=afterok:3(unfulfilled)", 1) +
                        pending(5, "Priority=9 Reason=BeginTime EligibleTime=2024-05-02T10:00:00 ExcNodeList=g2", 1) +
                        running}});
  EXPECT_THAT(result.yaml, HasSubstr("{name: \"1\", submit: 0 s, duration: 10800 s, gpus: 4"));
  EXPECT_THAT(result.yaml, HasSubstr("node_selector: [kubernetes.io/hostname=g1-1]"));
  EXPECT_THAT(result.yaml, HasSubstr("{name: \"2\", submit: 1 s, duration: 3600 s, gpus: 8"));
  EXPECT_THAT(result.yaml, HasSubstr("{name: \"5\", submit: 86400 s"));
  EXPECT_THAT(result.yaml, HasSubstr("nodes: \n    - {nodes: g1-0, labels: [pool=2]}\n"
                                     "    - {nodes: g1-1, labels: [pool=1]}\n"));
  EXPECT_NE(find_entry(result.report.ignored(), "job 3: never starts: it is held (JobHeldUser)"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "job 4: never starts: it waits for job 3, which is held"), nullptr);
  EXPECT_NE(find_entry(result.report.understood(), "machines with the features fast&ib"), nullptr);
  EXPECT_NE(find_entry(result.report.understood(), "machines but g2"), nullptr);
  EXPECT_EQ(check_errors(result), "");
  const tests::QueueFolder folder{tests::run_queue(result.yaml)};
  const CsvTable table = parse_csv(tests::read_bytes(folder.path() / "jobs.csv"), "jobs.csv");
  std::map<std::string, std::string> starts;
  for (const CsvTable::Row& row : table.rows)
    starts[table.cell(row, "job")] = table.cell(row, "start_s");
  EXPECT_EQ(starts, (std::map<std::string, std::string>{{"1", "0"}, {"2", "10800"}, {"5", "86400"}}));
}

// A job on two machines holds half of its GPUs on each; one on machines that no file lists holds none, and who waits
// for it waits until it ends, in 3 h.
TEST(ImportSlurm, JobsOnSeveralMachinesHoldTheirPartOfEach)
{
  const auto job = [](int id, const std::string& state, const std::string& more, int nodes, int gpus) {
    return fmt::format("JobId={} JobState={} {}\n   RunTime=01:00:00 TimeLimit=04:00:00\n"
                       "   SubmitTime=2024-05-01T08:40:00 StartTime=2024-05-01T09:00:00\n"
                       "   NumNodes={} NumCPUs=8\n   TRES=cpu=8,node={},gres/gpu={}\n\n",
                       id, state, more, nodes, nodes, gpus);
  };
  const ImportResult result = import_texts(
      {{"slurm.conf", "ClusterName=c\nNodeName=g[1-3] CPUs=64 Gres=gpu:a100:8\nPartitionName=p Nodes=ALL\n"},
       {"jobs.txt", job(1, "RUNNING", "NodeList=g[2-3]", 2, 8) + job(2, "RUNNING", "NodeList=x9", 1, 8) +
                        job(3, "PENDING", "Reason=Dependency Dependency=afterany:2", 1, 8)}});
  EXPECT_THAT(result.yaml, HasSubstr("gpus: 8, tasks: 2, cpu_milli: 4000"));
  EXPECT_THAT(result.yaml, HasSubstr("node_selector: [pool=1], distinct_nodes: true}"));
  EXPECT_THAT(result.yaml, HasSubstr("- {nodes: g1-1, labels: [pool=1]}\n    - {nodes: g1-2, labels: [pool=1]}\n"));
  EXPECT_NE(find_entry(result.report.ignored(), "all of job 2: it runs on x9, of which none is there"), nullptr);
  EXPECT_THAT(result.yaml, HasSubstr("{name: \"3\", submit: 10800 s, duration: 14400 s"));
  EXPECT_EQ(check_errors(result), "");
  EXPECT_EQ(tests::queue_faults(result.yaml), "");
}

// A head that says 4 processors, though a record holds 6 for a second: the head counts. Columns beyond the 18 are no
// reason to lose the row.
TEST(ImportSwf, TheMachineIsThatOfTheHead)
{
  const auto row = [](int id, int wait, const char* more) {
    return fmt::format("{} 0 {} 100 3 -1 -1 3 200 -1 1 1 1 1 1 1 -1 -1{}\n", id, wait, more);
  };
  const ImportResult result = import_texts(
      {{"a.swf", "; Version: 2.2\n; MaxProcs: 4\n" + row(1, 0, "") + row(2, 99, " 7 8") + row(3, 3000, "")}});
  EXPECT_THAT(result.yaml, HasSubstr("gpus: 4"));
  EXPECT_THAT(result.yaml, HasSubstr("count: 1}"));
  EXPECT_THAT(result.yaml, HasSubstr("cluster: pool"));
  EXPECT_NE(find_entry(result.report.understood(), "3 jobs"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "more than 18 columns"), nullptr);
  const ImportResult nodes = import_texts({{"a.swf", "; MaxProcs: 64\n; MaxNodes: 16\n" + row(1, 0, "")}});
  EXPECT_THAT(nodes.yaml, AllOf(HasSubstr("gpus: 4"), HasSubstr("count: 16}")));
}

// Without ReqTRES, what a job got names the type of its GPUs, and each type has machines.
TEST(ImportSacct, TypesOfGpusAreThoseOfTheJobs)
{
  const auto row = [](int id, const char* type) {
    return fmt::format("{}|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T12:00:00|COMPLETED|cpu=8,gres/gpu:{}=4,"
                       "gres/gpu=4,node=1\n",
                       id, type);
  };
  const std::string head = "JobID|Submit|Start|End|State|AllocTRES\n";
  const ImportResult one = import_texts({{"a.psv", head + row(1, "a100") + row(2, "a100")}});
  EXPECT_THAT(one.yaml, AllOf(HasSubstr("gpu: A100-SXM4"), Not(HasSubstr("V100"))));
  const ImportResult both = import_texts({{"a.psv", head + row(1, "a100") + row(2, "h100")}});
  EXPECT_THAT(both.yaml, AllOf(HasSubstr("gpu: A100-SXM4"), HasSubstr("gpu: H100-SXM5")));
}

constexpr const char* two_partitions = R"(SchedulerType=sched/backfill
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
NodeName=g[1-2] CPUs=32 RealMemory=256000 Gres=gpu:h100:8
PartitionName=day Nodes=g[1-2] PriorityTier=1 PreemptMode=OFF
PartitionName=low Nodes=g[1-2] PriorityTier=1 PreemptMode=REQUEUE
PartitionName=hot Nodes=g[1-2] PriorityTier=5 QOS=hotqos MinNodes=2 DenyQos=x State=DRAIN Frobnicate=1
)";

// slurm.conf(5): a partition's PreemptMode is that of its own jobs, before that of the cluster.
TEST(SlurmConf, PartitionsKeepTheirPreemptModeAndEachKeyHasAFate)
{
  const ImportResult result = import_texts({{"slurm.conf", two_partitions}});
  const BatchRules& rules = result.draft.batch.rules;
  EXPECT_EQ(rules.partition("day")->preempt_mode, "off");
  EXPECT_EQ(rules.partition("low")->preempt_mode, "requeue");
  EXPECT_EQ(rules.partition("hot")->preempt_mode, "");
  EXPECT_NE(rules.of_qos("hotqos"), nullptr); // without limits, and said so
  EXPECT_NE(find_entry(result.report.assumed(), "QOS hotqos has no limits"), nullptr);
  for (const char* key : {"minnodes of partitions", "denyqos of partitions", "State=DRAIN of partition hot",
                          "frobnicate of partitions: slurm.conf(5) has no such key"})
    EXPECT_NE(find_entry(result.report.ignored(), key), nullptr) << key;
  EXPECT_EQ(tests::check_errors(result), "");
}

TEST(SlurmConf, MachinesThatAreDownFailingOrKeptForTheSystemDoNotCount)
{
  const ImportResult result = import_texts({{"slurm.conf", R"(NodeName=DEFAULT CPUs=32 RealMemory=256000
NodeName=DEFAULT Gres=gpu:h100:8
NodeName=a1,a2,a3
NodeName=b State=FAIL
NodeName=c State=MAINT
NodeName=d State=CLOUD CoreSpecCount=2 ThreadsPerCore=2 MemSpecLimit=6000
DownNodes=a2 State=DOWN
NodeSet=big Nodes=a[1,3],d
PartitionName=p Nodes=big
)"}});
  int machines = 0;
  for (const DraftMachines& group : result.draft.machines) {
    machines += group.count;
    EXPECT_EQ(group.gpus, 8); // the second DEFAULT adds to the first
    EXPECT_EQ(group.cpu_cores, group.count == 2 ? 32 : 28);
    EXPECT_EQ(group.memory_bytes, (group.count == 2 ? 256000.0 : 250000.0) * 1048576);
  }
  EXPECT_EQ(machines, 3);                                              // a1, a3, d
  EXPECT_TRUE(result.draft.batch.rules.partition("p")->nodes.empty()); // all of them
}

int machines_in(const ImportResult& result)
{
  int machines = 0;
  for (const DraftMachines& group : result.draft.machines)
    machines += group.count;
  return machines;
}

// g2 is down, g3 has no hardware yet, scontrol has drained g4 and given g5 back: g1 and g5 with the cores of
// slurm.conf.
TEST(ImportSlurm, WhatIsOutOfServiceInOneFileStaysOut)
{
  const ImportResult result = import_texts(
      {{"slurm.conf", "ClusterName=c\nNodeName=g[1-2,4] CPUs=48 RealMemory=1000\nNodeName=g3 CPUs=48 State=FUTURE\n"
                      "NodeName=g5 CPUs=48 RealMemory=1000 State=DOWN\nDownNodes=g2 State=DOWN\nPartitionName=p "
                      "Nodes=ALL\n"},
       {"gres.conf", "NodeName=g[1-5] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n"},
       {"nodes.txt", "NodeName=g4 CPUAlloc=0 CPUTot=48\n   Gres=gpu:h100:8\n   RealMemory=1000 State=IDLE+DRAIN\n\n"
                     "NodeName=g5 CPUAlloc=0 CPUTot=48\n   Gres=gpu:h100:8\n   RealMemory=1000 State=IDLE\n"},
       {"topology.conf", "SwitchName=s Nodes=g[1-5]\n"}});
  EXPECT_EQ(machines_in(result), 2);
  for (const DraftMachines& group : result.draft.machines)
    EXPECT_EQ(std::tuple(group.gpu, group.gpus, group.cpu_cores, group.memory_bytes),
              std::tuple("H100-SXM5", 8, 48.0, 1000 * 1048576.0));
}

TEST(ImportSlurm, TheTypeOfGpusMayStandInGresConf)
{
  const std::string head = "ClusterName=c\nNodeName=x1 CPUs=64 Gres=gpu:4\nPartitionName=p Nodes=x1\n";
  const ImportResult typed =
      import_texts({{"slurm.conf", head}, {"gres.conf", "NodeName=x1 Name=gpu Type=h100 File=/dev/nvidia[0-3]\n"}});
  EXPECT_EQ(std::tuple(typed.draft.machines[0].gpu, typed.draft.machines[0].gpus), std::tuple("H100-SXM5", 4));
  EXPECT_EQ(find_entry(typed.report.assumed(), "names a type"), nullptr);
  const ImportResult untyped = import_texts({{"slurm.conf", head}});
  EXPECT_EQ(untyped.draft.machines[0].gpu, "V100-SXM2-16GB");
  EXPECT_EQ(lines_of(find_entry(untyped.report.assumed(), "neither Gres nor gres.conf names a type")),
            (std::vector<int>{2}));
}

// slurm.conf(5), PriorityType: "priority/basic" is first in, first out.
TEST(SlurmConf, WithBasicPriorityWeightsDoNotCount)
{
  const auto imported = [](const std::string& type) {
    return import_texts({{"slurm.conf", "ClusterName=c\nPriorityWeightAge=1000\n" + type +
                                            "PriorityWeightTRES=GRES/gpu=3000\nNodeName=n CPUs=8\n"
                                            "PartitionName=p Nodes=n\n"}});
  };
  const ImportResult basic = imported("PriorityType=priority/basic\n");
  EXPECT_FALSE(basic.draft.batch.policy.contains("weight_age"));
  EXPECT_NE(find_entry(basic.report.ignored(), "priorityweightage: with PriorityType=priority/basic"), nullptr);
  const ImportResult multifactor = imported("PriorityType=priority/multifactor\n");
  EXPECT_EQ(multifactor.draft.batch.policy.at("weight_age"), "1000");
  EXPECT_NE(find_entry(multifactor.report.ignored(), "priorityweighttres: the priority of the policy slurm has no"),
            nullptr);
}

// A set by feature stands before its machines; the partition of a set without machines takes no jobs.
TEST(SlurmConf, ASetOfMachinesMayBeByFeature)
{
  const std::string head = "ClusterName=c\nNodeSet=hopper Feature=h100\nNodeName=n[1-2] CPUs=64 Gres=gpu:a100:8\n";
  const std::string partitions = "PartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=h Nodes=hopper\n";
  const std::string script = "#!/bin/bash\n#SBATCH -J a -p h --gres=gpu:8 -t 30 -N 1\nsrun x\n";
  const ImportResult result =
      import_texts({{"slurm.conf", head + "NodeName=n[3-4] CPUs=64 Gres=gpu:h100:8 Features=h100,ib\n" + partitions},
                    {"a.sbatch", script}});
  EXPECT_EQ(result.draft.batch.rules.partition("h")->nodes, (std::vector<std::string>{"n3"})); // the group of n3 and n4
  EXPECT_EQ(check_errors(result), "");
  const ImportResult none = import_texts({{"slurm.conf", head + partitions}, {"a.sbatch", script}});
  EXPECT_TRUE(none.draft.queue_jobs.empty());
  EXPECT_NE(find_entry(none.report.ignored(), "job a: never starts: no machine of its partition is there"), nullptr);
}

TEST(Sacct, GpusMayStandInColumnsOfGres)
{
  // Slurm before 20.11: each of two machines has four GPUs.
  const ImportedTrace trace =
      sacct_of("JobIDRaw|Submit|Start|End|State|NNodes|NCPUS|AllocTRES|AllocGRES\n"
               "1|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|COMPLETED|2|64|cpu=32,node=2|gpu:4\n"
               "2|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|COMPLETED|1|20||gres:gpu:v100:2\n"
               "3|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|COMPLETED|1|20||\n");
  std::vector<std::tuple<int, int, int, double>> jobs;
  for (const TraceJob& job : trace.workload.jobs)
    jobs.emplace_back(job.gpus, job.tasks, job.cpu_milli, job.duration.value());
  EXPECT_THAT(jobs, ElementsAre(std::tuple(8, 2, 16'000, 3600.0), std::tuple(2, 1, 20'000, 3600.0),
                                std::tuple(0, 1, 20'000, 3600.0)));
}

TEST(Sacct, OtherCharactersMayStandBetweenColumns)
{
  const std::string head = "JobID,Submit,Start,Elapsed,AllocTRES,State\n1,2024-03-01T10:00:00,2024-03-01T10:05:00,";
  const ImportedTrace quoted = sacct_of(head + "01:00:00,\"cpu=32,gres/gpu=8\",COMPLETED\n");
  ASSERT_EQ(quoted.workload.size(), 1);
  EXPECT_EQ(quoted.workload.jobs[0].gpus, 8);
  try {
    static_cast<void>(sacct_of(head + "01:00:00,cpu=32,gres/gpu=8,COMPLETED\n"));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.diagnostics().front().message, HasSubstr("no row can be read with ',' between the columns"));
  }
}

TEST(ImportSlurmAccounting, MachinesHaveTheGpusOfTheOption)
{
  const ImportResult result = import_texts(
      {{"sacct.psv", "JobID|Submit|Start|Elapsed|State|AllocTRES\n1|2024-01-01T00:00:00|2024-01-01T00:00:00"
                     "|01:00:00|COMPLETED|gres/gpu=8,node=2\n"}},
      {.gpus_per_node = 4});
  EXPECT_EQ(std::tuple(result.draft.machines[0].count, result.draft.machines[0].gpus), std::tuple(2, 4));
  EXPECT_NE(find_entry(result.report.assumed(), "--gpus-per-node is given"), nullptr);
}

TEST(Sacct, SaysWhichColumnsAreMissingAndHowToGetThem)
{
  const auto message = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(import_texts({{"sacct.psv", text}}));
    } catch (const InputError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_THAT(message("JobID|User|ElapsedRaw|State|AllocTRES\n1|a|600|COMPLETED|cpu=8\n"),
              ::testing::HasSubstr("sacct without Submit and Start: add them to --format"));
  EXPECT_THAT(
      message("JobID        JobName  Partition      State\n------------ ---------- ---------- ----------\n1 a b\n"),
      ::testing::HasSubstr("write it with sacct -X -P --format="));
}

} // namespace
} // namespace trainyard
