// SPDX-License-Identifier: Apache-2.0
/// Job scripts of LSF. Expected values by hand from bsub(1).
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;

const char* const train = R"(#!/bin/bash
#BSUB -J "sweep[1-9:2,20]%3"
#BSUB -n 16 -q gpu -P vision
#BSUB -R "span[ptile=8] rusage[mem=4096]"
#BSUB -gpu "num=4:mode=exclusive_process:gmodel=NVIDIAA100_SXM4_40GB"
#BSUB -W 4:30
#BSUB -o out.%J
python train.py
)";

// 16 slots, 8 on a host: 2 hosts with 4 GPUs each. The array has the elements 1, 3, 5, 7, 9 and 20.
TEST(ImportLsf, ReadsSlotsHostsGpusLimitsAndArrays)
{
  const ImportResult result = import_texts({{"train.lsf", train}});
  ASSERT_EQ(result.draft.queue_jobs.size(), 1U);
  const DraftQueueJob& job = result.draft.queue_jobs[0];
  EXPECT_EQ(job.name, "sweep");
  EXPECT_EQ(job.queue, "gpu");
  EXPECT_EQ(job.team, "vision");
  EXPECT_EQ(job.gpus, 8);
  EXPECT_EQ(job.tasks, 2);
  EXPECT_EQ(job.cpu_milli, 8000);
  EXPECT_EQ(job.gpu_type, "A100-SXM4-40GB");
  EXPECT_DOUBLE_EQ(job.duration_s, 4.5 * 3600);
  EXPECT_EQ(job.copies, 6);
  EXPECT_EQ(job.array_limit, 3);
  EXPECT_NE(find_entry(result.report.assumed(), "jobs last as long as their run limit (-W)"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "rusage[mem]"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "-o"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

// GPUs per task: 4 slots with 2 each; per host without span: one host. A script that only sleeps says how long it runs.
TEST(ImportLsf, GpusArePerHostUnlessTheyArePerTask)
{
  const ImportResult result = import_texts({{"a.lsf", "#BSUB -n 4\n#BSUB -gpu num=2/task:j_exclusive=yes\nsleep 90\n"},
                                            {"b.lsf", "#BSUB -n 4\n#BSUB -R 'rusage[ngpus_physical=2]'\n#BSUB -W 30\n"},
                                            {"c.lsf", "#BSUB -gpu -\n#BSUB -We 20 -W 60\n./a.out\n"},
                                            {"d.lsf", "#BSUB -gpu num=2:mig=3\n"}});
  ASSERT_EQ(result.draft.queue_jobs.size(), 4U);
  const std::vector<DraftQueueJob>& jobs = result.draft.queue_jobs;
  EXPECT_EQ(jobs[0].gpus, 8);
  EXPECT_DOUBLE_EQ(jobs[0].duration_s, 90);
  EXPECT_EQ(jobs[1].gpus, 2);
  EXPECT_DOUBLE_EQ(jobs[1].duration_s, 1800);
  EXPECT_EQ(jobs[2].gpus, 1);
  EXPECT_DOUBLE_EQ(jobs[2].duration_s, 1200);
  EXPECT_DOUBLE_EQ(jobs[2].estimate_s, 3600);
  EXPECT_EQ(jobs[3].gpu_milli, 857); // two of 3 of 7 compute slices
  EXPECT_NE(find_entry(result.report.assumed(), "jobs have their GPUs alone"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "slots are on one host"), nullptr);
}

// Machines that no file lists are as many as the job has hosts; each has the GPUs of one.
TEST(ImportLsf, MachinesAreAssumedByTheHostsOfAJob)
{
  const ImportResult result =
      import_texts({{"a.lsf", "#BSUB -n 16 -R span[ptile=4] -gpu num=4 -x -W 60\n#BSUB -XF -IS -nonesuch -q gpu\n"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].count, 4);
  EXPECT_EQ(result.draft.machines[0].gpus, 4);
  EXPECT_EQ(result.draft.queue_jobs[0].queue, "gpu");
  EXPECT_NE(find_entry(result.report.ignored(), "-nonesuch: unknown option of bsub"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

// -nnodes: whole machines, all GPUs of them. Two hosts with a slice of 3 each cannot share a GPU.
TEST(ImportLsf, WholeHostsAndSlicesOfHosts)
{
  const ImportResult result =
      import_texts({{"slurm.conf", "ClusterName=c\nNodeName=n[1-4] CPUs=8 Gres=gpu:a100:4\nPartitionName=p\n"},
                    {"a.lsf", "#BSUB -nnodes 4 -gpu num=1 -W 60\n"},
                    {"b.lsf", "#BSUB -n 2 -R span[ptile=1] -gpu num=1:mig=3 -W 60\n"}});
  ASSERT_EQ(result.draft.queue_jobs.size(), 2U);
  EXPECT_EQ(result.draft.queue_jobs[0].tasks, 4);
  EXPECT_EQ(result.draft.queue_jobs[0].gpus, 16);
  EXPECT_EQ(result.draft.queue_jobs[1].tasks, 2);
  EXPECT_EQ(result.draft.queue_jobs[1].gpus, 2);
}

TEST(ImportLsf, ScriptsBesideTheAccountingAreSaidToBeLeftOut)
{
  const ImportResult result = import_texts({{"a.lsf", "#BSUB -W 60\n"},
                                            {"b.lsf", "#BSUB -W 60\n"},
                                            {"s.psv", "JobID|Submit|Elapsed|AllocTRES|State\n"
                                                      "1|2024-03-01T08:00:00|01:00:00|cpu=4,gres/gpu=4|COMPLETED\n"}});
  EXPECT_NE(find_entry(result.report.ignored(), "2 jobs of job scripts"), nullptr);
}

TEST(ImportLsf, WhatCannotBeReadIsAnErrorWithItsLine)
{
  std::string faults;
  for (const Diagnostic& fault :
       import_texts({{"a.lsf", "#!/bin/sh\n#BSUB -W soon\n#BSUB -n many\n#BSUB -J a[9-1]\n#BSUB -q\n"}})
           .report.faults.sorted())
    faults += format(fault);
  EXPECT_THAT(faults, HasSubstr("a.lsf:2: error: -W 'soon' is no time; write minutes or hours:minutes"));
  EXPECT_THAT(faults, HasSubstr("a.lsf:3: error: 'many' is not a number of slots"));
  EXPECT_THAT(faults, HasSubstr("a.lsf:4: error: 'a[9-1]' is no array; write for example name[1-10]%2"));
  EXPECT_THAT(faults, HasSubstr("a.lsf:5: error: '-q' has no value"));
}

} // namespace
} // namespace trainyard
