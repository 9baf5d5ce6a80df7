// SPDX-License-Identifier: Apache-2.0
// What Slurm's files and dumps say of its rules: one scenario out of all of them. The texts have the lines that Slurm
// 22.05 prints, fewer of them.
#include "models/scenario/sections/workload.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;

const std::pair<std::string, std::string> conf = {
    "slurm.conf", "ClusterName=c\nSchedulerType=sched/backfill\nPreemptType=preempt/qos\nPreemptMode=CANCEL\n"
                  "NodeName=g[1-4] CPUs=8 Gres=gpu:a100:4\n"
                  "PartitionName=DEFAULT MaxTime=2-0\nPartitionName=gpu Nodes=g[1-4] Default=YES\n"
                  "PartitionName=debug Nodes=g[3-4] MaxTime=30 PriorityTier=10 PriorityJobFactor=5 GraceTime=60\n"};

const std::pair<std::string, std::string> accounting = {
    "sacct.psv", "JobID|Submit|Start|Elapsed|AllocTRES|State|User|Account|Partition|QOS|Timelimit\n"
                 "1|2024-03-01T08:00:00|2024-03-01T08:00:04|01:00:00|cpu=4,gres/"
                 "gpu=4,node=1|COMPLETED|ann|vision|gpu|high|02:00:00\n"
                 "2|2024-03-01T08:10:00|2024-03-01T08:10:00|00:10:00|cpu=1,gres/"
                 "gpu=1,node=1|COMPLETED|bob|nlp|debug|low|00:30:00\n"};

const std::pair<std::string, std::string> qos = {
    "qos.txt", "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|GrpTRES|GrpJobs|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU\n"
               "low|1|00:02:00||cluster||||||cpu=64,gres/gpu=8|4\n"
               "high|100|00:00:00|low|cluster|DenyOnLimit|gres/gpu=12|3|gres/gpu=4|1-00:00:00||\n"};

/// What `simrun check` says where the accounts lie beside the scenario.
std::string faults_beside_accounts(ImportResult result)
{
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("slurm_import." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream{folder / accounting.first} << accounting.second;
  const std::string name = "file: " + accounting.first;
  if (const std::size_t at = result.yaml.find(name); at != std::string::npos)
    result.yaml.replace(at, name.size(), "file: " + (folder / accounting.first).string());
  std::string faults = check_errors(result);
  std::filesystem::remove_all(folder);
  return faults;
}

// Types are named in Slurm as its administrator likes. On a cluster of A100 and T4 "a100" can only be the A100; with
// two kinds of A100 it stays what it is, and the audit says that no machine has it.
TEST(ImportSlurmRules, TypesOfTheAccountingAreThoseOfTheMachines)
{
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("slurm_types." + std::to_string(::getpid()) + ".psv");
  std::ofstream{file} << "JobID|Submit|Elapsed|State|ReqTRES|AllocTRES\n"
                         "1|2024-03-01T08:00:00|01:00:00|COMPLETED|gres/gpu:a100=2|gres/gpu=2,gres/gpu:a100=2,node=1\n";
  WorkloadSection section;
  section.trace = file;
  ClusterShape shape = ClusterShape::machines(2, 4);
  shape.gpu_types = {"A100-SXM4-40GB", "T4"};
  const PreparedQueue one = workload_of(section, 1, shape);
  EXPECT_EQ(one.workload.gpu_types, std::vector<std::string>{"A100-SXM4-40GB"});
  EXPECT_THAT(one.notes, HasSubstr("job for GPUs of type 'a100': taken as A100-SXM4-40GB, the only GPUs here of that "
                                   "name"));
  shape.gpu_types = {"A100-SXM4-40GB", "A100-SXM4-80GB"};
  EXPECT_THAT(workload_of(section, 1, shape).notes, HasSubstr("job for GPUs of type 'a100', which no machine has"));
  std::filesystem::remove(file);
}

// Pods of openb that take one of two types (gpu_spec) find the cluster's GPUs by the names of both.
TEST(ImportTraceTypes, OneOfSeveralTypesIsThatOfTheCluster)
{
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("openb_types." + std::to_string(::getpid()) + ".csv");
  std::ofstream{file} << "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
                         "deletion_time,scheduled_time\np,6000,12288,1,1000,V100M16|T4,LS,Failed,100,1000,500\n";
  WorkloadSection section;
  section.trace = file;
  ClusterShape shape = ClusterShape::machines(1, 1);
  shape.gpu_types = {"V100-SXM2-16GB"};
  const PreparedQueue queue = workload_of(section, 1, shape);
  EXPECT_EQ(queue.workload.demands.at(1).any_of, (std::vector<std::string>{"gpu=V100-SXM2-16GB", "gpu=T4"}));
  EXPECT_THAT(queue.notes, HasSubstr("job for GPUs of type 'V100M16' or others: taken as V100-SXM2-16GB"));
  std::filesystem::remove(file);
}

TEST(ImportSlurmRules, PartitionsHaveMachinesLimitsAndTiers)
{
  // The machines of debug are a group of their own, called after the first.
  const ImportResult result = import_texts({conf, accounting, qos});
  EXPECT_THAT(result.yaml, HasSubstr("    - {name: g1, type: A100-SXM4-40GBx4, count: 2}"));
  EXPECT_THAT(result.yaml, HasSubstr("    - {name: g3, type: A100-SXM4-40GBx4, count: 2}"));
  EXPECT_THAT(
      result.yaml,
      HasSubstr("slurm:\n  partitions:\n    - {name: gpu, max_time: 172800 s}\n    - {name: debug, nodes: [g3], "
                "priority_tier: 10, priority_job_factor: 5, grace_time: 60 s, max_time: 1800 s}\n"));
  EXPECT_EQ(faults_beside_accounts(result), "");
}

TEST(ImportSlurmRules, QosHavePreemptionAndLimits)
{
  const ImportResult result = import_texts({conf, accounting, qos});
  EXPECT_THAT(result.yaml, HasSubstr("    - {name: low, priority: 1, grace_time: 120 s, max_gpus_per_user: 8, "
                                     "max_jobs_per_user: 4}\n"
                                     "    - {name: high, priority: 100, preempts: [low], max_time: 86400 s, "
                                     "max_gpus_per_job: 4, group_gpus: 12, group_jobs: 3}\n"));
  EXPECT_THAT(result.yaml, HasSubstr("preempt: qos, preempt_mode: cancel"));
  EXPECT_NE(find_entry(result.report.ignored(), "Flags of QOS"), nullptr);
  EXPECT_EQ(faults_beside_accounts(result), "");
  const ImportResult without = import_texts({conf, accounting});
  EXPECT_THAT(without.yaml, HasSubstr("preempt: none"));
  EXPECT_NE(find_entry(without.report.ignored(), "give the output of sacctmgr -P show qos too"), nullptr);
}

TEST(ImportSlurmRules, SharesAreThoseOfAccountsAndUsersWithJobs)
{
  const ImportResult result =
      import_texts({conf,
                    accounting,
                    {"assoc.txt", "Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|QOS\n"
                                  "c|root|||1||||normal\nc|root|root||1||||normal\nc|vision|||40||||normal\n"
                                  "c|vision|ann||2||||normal\nc|nlp|||1||||normal\nc|old|||7||||normal\n"}});
  EXPECT_THAT(result.yaml, HasSubstr("shares: vision=40 vision.ann=2"));
  EXPECT_NE(find_entry(result.report.ignored(), "shares of accounts without jobs"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "every account stands directly below the root"), nullptr);
  EXPECT_EQ(faults_beside_accounts(result), "");
}

TEST(ImportSlurmRules, AssociationsHaveTheLimitsOfWhoHasJobs)
{
  // vision is below science, which is below the root; nlp has a limit of 0, which a scenario cannot say. Nobody of old
  // has jobs. MaxTRES of the root counts CPUs only. What is limited by partition is left out.
  const ImportResult result = import_texts(
      {conf,
       accounting,
       {"assoc.txt",
        "Cluster|Account|User|Partition|Share|GrpJobs|GrpTRES|GrpSubmit|GrpWall|MaxJobs|MaxTRES|MaxSubmit|MaxWall|"
        "Par Name\n"
        "c|root|||1||gres/gpu=64||||cpu=8|||\nc|science|||1||cpu=64,gres/gpu=32|||||||root\n"
        "c|vision|||1|||||4|||1-00:00:00|science\nc|vision|ann||1|||||4|gres/gpu=8|20|1-00:00:00|\n"
        "c|vision|ann|debug|1|||||1|||||\nc|nlp|||1|0||100||||||root\nc|old|||7|5||||||||root\n"}});
  EXPECT_THAT(result.yaml,
              HasSubstr("  associations:\n"
                        "    - {account: root, group_gpus: 64}\n"
                        "    - {account: science, group_gpus: 32}\n"
                        "    - {account: vision, parent: science, max_time: 86400 s, max_jobs_per_user: 4}\n"
                        "    - {account: vision, user: ann, max_time: 86400 s, max_gpus_per_job: 8, "
                        "max_jobs_per_user: 4, max_submitted_per_user: 20}\n"
                        "    - {account: nlp, group_submitted: 100}\n"));
  EXPECT_NE(find_entry(result.report.ignored(), "GrpJobs of '0'"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "limits of cpu"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "associations of single partitions"), nullptr);
  EXPECT_EQ(faults_beside_accounts(result), "");
}

TEST(ImportSlurmRules, TheTreeOfAccountsIsReadFromItsIndentation)
{
  // As `sacctmgr -P show assoc tree` prints it: users stand below their account.
  const ImportResult result =
      import_texts({conf,
                    accounting,
                    {"assoc.txt", "Cluster|Account|User|Partition|Share|GrpTRES\n"
                                  "c|root|||1|\nc| root|root||1|\nc| science|||1|gres/gpu=32\n"
                                  "c|  vision|||1|\nc|   vision|ann||1|\nc| nlp|||1|gres/gpu=4\n"}});
  EXPECT_THAT(result.yaml, HasSubstr("  associations:\n"
                                     "    - {account: science, group_gpus: 32}\n"
                                     "    - {account: vision, parent: science}\n"
                                     "    - {account: nlp, group_gpus: 4}\n"));
  EXPECT_EQ(faults_beside_accounts(result), "");
}

TEST(ImportSlurmRules, AccountsAboveThoseWithJobsKeepTheirShares)
{
  // physics has no jobs of its own: ann's stand in vision below it. By hand after equal usage: physics 0.5 / 0.6 = 0.83
  // goes before nlp with 0.5 / 0.4 = 1.25; with vision's share of 1 against 40 it would be the other way round.
  const std::string head = "Cluster|Account|User|Partition|Share|GrpTRES|ParentName\n";
  const ImportResult result = import_texts({conf,
                                            accounting,
                                            {"assoc.txt", head + "c|root|||1||\nc|physics|||60||root\n"
                                                                 "c|vision|||1||physics\nc|vision|ann||1||\n"
                                                                 "c|nlp|||40||root\nc|old|||7||physics\n"}});
  EXPECT_THAT(result.yaml, HasSubstr("shares: nlp=40 physics=60"));
  EXPECT_THAT(result.yaml, HasSubstr("  associations:\n    - {account: physics}\n"
                                     "    - {account: vision, parent: physics}\n"));
  EXPECT_EQ(find_entry(result.report.understood(), "limits of accounts"), nullptr);
  EXPECT_EQ(faults_beside_accounts(result), "");
  const ImportResult part = import_texts({conf, accounting, {"assoc.txt", head + "c|vision|||3||physics\n"}});
  EXPECT_NE(find_entry(part.report.assumed(), "account vision stands directly below the root"), nullptr);
  EXPECT_EQ(faults_beside_accounts(part), "");
}

TEST(ImportSlurmRules, ReservationsBeginAtTheFirstSubmission)
{
  // 10:00 is two hours after the first submission. The second is over by then.
  const ImportResult result = import_texts(
      {conf,
       accounting,
       {"reservations.txt",
        "ReservationName=maint StartTime=2024-03-01T10:00:00 EndTime=2024-03-01T14:00:00 Duration=04:00:00\n"
        "   Nodes=g[1-2] NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES\n"
        "   TRES=cpu=16\n   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE\n\n"
        "ReservationName=past StartTime=2024-02-01T10:00:00 EndTime=2024-02-01T14:00:00 Duration=04:00:00\n"
        "   Nodes=g4 NodeCnt=1 Flags=DAILY,SPEC_NODES\n   Users=(null) Accounts=vision\n"}});
  EXPECT_THAT(result.yaml, HasSubstr("  reservations:\n    - {name: maint, start: 7200 s, duration: 14400 s, nodes: "
                                     "[g1], users: [root]}\n"));
  EXPECT_NE(find_entry(result.report.ignored(), "reservation past: it is over before the first submission"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "reservations that repeat (DAILY)"), nullptr);
  EXPECT_EQ(faults_beside_accounts(result), "");
}

TEST(ImportSlurmRules, ScontrolAloneMakesAScenarioOfWhoWaitsAndRuns)
{
  const ImportResult result = import_texts(
      {{"nodes.txt", "NodeName=n1 Arch=x86_64 CoresPerSocket=1 \n   CPUAlloc=0 CPUEfctv=4 CPUTot=4 CPULoad=3.63\n"
                     "   Gres=gpu:v100:4(S:0)\n   OS=Linux 6.1 #1 SMP PREEMPT_DYNAMIC @0 \n   RealMemory=2000\n"
                     "   State=MIXED ThreadsPerCore=1\n   Partitions=p \n\n"
                     "NodeName=n2 Arch=x86_64 CoresPerSocket=1 \n   CPUAlloc=0 CPUTot=4\n   Gres=gpu:v100:4\n"
                     "   State=IDLE+DRAIN ThreadsPerCore=1\n"},
       {"partitions.txt",
        "PartitionName=p\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"
        "   AllocNodes=ALL Default=YES QoS=N/A\n   GraceTime=0 Hidden=NO\n"
        "   MaxNodes=2 MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED\n   Nodes=n[1-2]\n"
        "   PriorityJobFactor=1 PriorityTier=3 RootOnly=NO\n   State=UP TotalCPUs=16\n"},
       {"jobs.txt",
        "JobId=2 JobName=wrap\n   UserId=ann(1001) GroupId=ann(1001)\n   Priority=1 Nice=0 Account=vision QOS=(null)\n"
        "   JobState=RUNNING Reason=None Dependency=(null)\n   RunTime=00:00:30 TimeLimit=00:10:00 TimeMin=N/A\n"
        "   SubmitTime=2026-11-23T01:57:40 EligibleTime=2026-11-23T01:57:40\n   StartTime=2026-11-23T01:58:00\n"
        "   Partition=p\n   NumNodes=1 NumCPUs=2\n   TRES=cpu=2,node=1,billing=2,gres/gpu=4\n\n"
        "JobId=4 ArrayJobId=4 ArrayTaskId=1-4%2 ArrayTaskThrottle=2 JobName=wrap\n   UserId=bob(1002)\n"
        "   Account=(null) QOS=(null)\n   JobState=PENDING Reason=Dependency Dependency=afterok:2(unfulfilled)\n"
        "   RunTime=00:00:00 TimeLimit=00:05:00\n   SubmitTime=2026-11-23T01:58:10\n   Partition=p\n   NumNodes=1\n"
        "   TRES=cpu=2,node=1,gres/gpu=1\n\n"
        "JobId=1 JobName=wrap\n   JobState=COMPLETED\n   SubmitTime=2026-11-23T01:50:00 TimeLimit=00:05:00\n"}});
  EXPECT_THAT(result.yaml, HasSubstr("{name: n1, type: V100-SXM2-16GBx4, count: 1}"));
  EXPECT_NE(find_entry(result.report.ignored(), "1 machine in state IDLE+DRAIN"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "maxnodes of partitions"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "jobs in state COMPLETED"), nullptr);
  EXPECT_THAT(result.yaml, HasSubstr("    - {name: p, priority_tier: 3}\n"));
  // It is 01:58:30. Job 2 began at 01:58:00 and may run for 10 minutes; who waits comes after it.
  EXPECT_THAT(result.yaml, HasSubstr("{name: \"2\", submit: 0 s, duration: 570 s, gpus: 4, tasks: 1, cpu_milli: 2000, "
                                     "user: ann, team: vision, queue: p}"));
  EXPECT_THAT(result.yaml, HasSubstr("{name: \"4\", submit: 1 s, duration: 300 s, gpus: 1, tasks: 1, cpu_milli: 2000, "
                                     "user: bob, after: \"2\", queue: p, copies: 4, array_limit: 2}"));
  EXPECT_EQ(faults_beside_accounts(result), "");
}

// What `scontrol show job` prints since Slurm 21.08. By hand: 2 of 7 compute slices are 285 thousandths, rounded down.
TEST(ImportSlurmRules, ScontrolPrintsWhatIsAskedForAndWhatIsHeldApart)
{
  const std::string times =
      "\n   SubmitTime=2026-11-23T01:57:40 StartTime=2026-11-23T01:58:00 TimeLimit=00:10:00\n   NumNodes=1 NumCPUs=4\n";
  const ImportResult result = import_texts(
      {{"nodes.txt", "NodeName=n1 CPUAlloc=0 CPUTot=64\n   Gres=gpu:a100:8\n   State=IDLE\n"},
       {"jobs.txt", "JobId=1 JobState=RUNNING RunTime=00:00:30" + times +
                        "   ReqTRES=cpu=1,node=1,gres/gpu=1\n   AllocTRES=cpu=8,node=1,gres/gpu=8,gres/gpu:a100=8\n" +
                        "JobId=2 JobState=PENDING" + times +
                        "   ReqTRES=cpu=2,node=1,gres/gpu=4\n   AllocTRES=(null)\n" + "JobId=3 JobState=PENDING" +
                        times + "   ReqTRES=cpu=2,node=1,gres/gpu=2,gres/gpu:a100_1g.5gb=2\n   AllocTRES=(null)\n" +
                        "JobId=4 JobState=PENDING" + times}});
  EXPECT_THAT(result.yaml, HasSubstr("gpus: 8, tasks: 1, cpu_milli: 8000, gpu_type: A100-SXM4-40GB}"));
  EXPECT_THAT(result.yaml, HasSubstr("duration: 600 s, gpus: 4, tasks: 1, cpu_milli: 2000"));
  EXPECT_THAT(result.yaml, HasSubstr("gpu_milli: 285"));
  EXPECT_EQ(tests::lines_of(find_entry(result.report.assumed(), "jobs without AllocTRES")), std::vector<int>{16});
  EXPECT_EQ(faults_beside_accounts(result), "");
}

// By hand: both jobs start at once, each on a machine of its own.
TEST(ImportSlurmRules, WholeMachinesMayHaveDifferentNumbersOfCores)
{
  const std::string job = " JobState=PENDING\n   SubmitTime=2026-11-23T01:57:40 TimeLimit=01:00:00\n   Partition=p\n   "
                          "NumNodes=1\n   ReqTRES=cpu=1,node=1,gres/gpu=4\n";
  for (const char* sharing : {"OverSubscribe=EXCLUSIVE", "Shared=exclusive", "OverSubscribe=Exclusive"}) {
    const ImportResult result = import_texts({{"slurm.conf", std::string{"ClusterName=c\n"} +
                                                                 "NodeName=n1 CPUs=64 Gres=gpu:a100:4\n"
                                                                 "NodeName=n2 CPUs=32 Gres=gpu:a100:4\n"
                                                                 "PartitionName=p Nodes=n[1-2] " +
                                                                 sharing + "\n"},
                                              {"jobs.txt", "JobId=1" + job + "JobId=2" + job}});
    for (const DraftQueueJob& one : result.draft.queue_jobs)
      EXPECT_EQ(one.cpu_milli, 32000) << sharing;
    EXPECT_NE(find_entry(result.report.assumed(), "the smallest of these machines"), nullptr);
    EXPECT_EQ(faults_beside_accounts(result), "");
  }
}

TEST(ImportSlurmRules, AReservationWithoutTimesIsAnErrorWithItsLine)
{
  const ImportResult result =
      import_texts({conf, {"r.txt", "ReservationName=a StartTime=soon EndTime=2024-03-01T14:00:00\n   Nodes=g1\n"}});
  ASSERT_FALSE(result.report.faults.sorted().empty());
  EXPECT_THAT(format(result.report.faults.sorted().front()),
              HasSubstr("r.txt:1: error: reservation 'a' has no StartTime before an EndTime"));
}

} // namespace
} // namespace trainyard
