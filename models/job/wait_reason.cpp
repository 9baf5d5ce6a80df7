// SPDX-License-Identifier: Apache-2.0
#include "models/job/wait_reason.hpp"

#include <algorithm>

namespace trainyard {
namespace {

constexpr Sentence<> sentences_of_reasons[]{
    // in the order of WaitReason
    {"wait.none", "nothing"},
    {"wait.behind_head", "a job before it in the queue is blocked"},
    {"wait.gpus", "fewer GPUs free than it needs"},
    {"wait.fragmented", "enough GPUs are free, but not on machines where the gang fits"},
    {"wait.cpu", "machines with free GPUs have too little CPU"},
    {"wait.memory", "machines with free GPUs have too little memory"},
    {"wait.gpu_type", "the free GPUs are of another type"},
    {"wait.locality", "the free GPUs are further apart than the policy allows yet"},
    {"wait.quota", "its team has no quota left for it"},
    {"wait.reservation", "a reservation, of machines or of a job before it, keeps the free GPUs"},
    {"wait.lower_rank", "the policy gives the GPUs to other jobs"},
    {"wait.dependency", "a job it depends on has not ended"},
    {"wait.saving", "the job that was stopped for it still saves its state on these GPUs"},
    {"wait.next_decision", "the policy has not run since"},
    {"wait.never_fits", "it needs more than the whole cluster has, or something that no machine offers"},
    {"wait.out_of_memory", "it ran out of GPU memory repeatedly"},
    {"wait.changing", "the reason changed too many times to list"},
    {"wait.quota_never", "it needs more quota than its team can ever have"},
    {"wait.qos_group_jobs", "its QOS has as many jobs running as it may (QOSGrpJobsLimit)"},
    {"wait.qos_user_jobs", "its user has as many jobs of this QOS running as allowed (QOSMaxJobsPerUserLimit)"},
    {"wait.qos_time", "its QOS allows only shorter jobs (QOSMaxWallDurationPerJobLimit)"},
    {"wait.qos_group_gpus", "its QOS would hold more GPUs than it may (QOSGrpGRES)"},
    {"wait.qos_job_gpus", "its QOS allows fewer GPUs in one job (QOSMaxGRESPerJob)"},
    {"wait.qos_account_gpus", "its account would hold more GPUs in this QOS than allowed (MaxGRESPerAccount)"},
    {"wait.qos_user_gpus", "its user would hold more GPUs in this QOS than allowed (QOSMaxGRESPerUser)"},
    {"wait.qos_group_submitted", "its QOS had as many jobs submitted as it may (QOSGrpSubmitJobsLimit)"},
    {"wait.qos_user_submitted",
     "its user had as many jobs of this QOS submitted as allowed (QOSMaxSubmitJobPerUserLimit)"},
    {"wait.association_group_jobs",
     "its account, or one above it, has as many jobs running as it may (AssocGrpJobsLimit)"},
    {"wait.association_jobs", "its user has as many jobs of this account running as allowed (AssocMaxJobsLimit)"},
    {"wait.association_time", "its account allows only shorter jobs (AssocMaxWallDurationPerJobLimit)"},
    {"wait.association_group_gpus", "its account, or one above it, would hold more GPUs than it may (AssocGrpGRES)"},
    {"wait.association_job_gpus", "its account allows fewer GPUs in one job (AssocMaxGRESPerJob)"},
    {"wait.association_group_submitted",
     "its account, or one above it, had as many jobs submitted as it may (AssocGrpSubmitJobsLimit)"},
    {"wait.association_submitted",
     "its user had as many jobs of this account submitted as allowed (AssocMaxSubmitJobLimit)"},
    {"wait.partition_time", "its partition allows only shorter jobs (PartitionTimeLimit)"},
    {"wait.array_tasks", "as many jobs of its array run as may at once (JobArrayTaskLimit)"},
    {"wait.site_rule", "the site is closed then, or a rule of the site keeps it back (scheduling.site)"},
    {"wait.reservation_over", "its reservation has ended, and with it the job"},
};

} // namespace

std::span<const Message> wait_reasons()
{
  static const Messages all = [] {
    Messages made;
    for (const Sentence<>& sentence : sentences_of_reasons)
      made.push_back(sentence());
    return made;
  }();
  return all;
}

const Message& message_of(WaitReason reason)
{
  return wait_reasons()[static_cast<std::size_t>(reason)];
}

const std::string& to_text(WaitReason reason)
{
  return message_of(reason).text;
}

std::optional<WaitReason> wait_reason(std::string_view words)
{
  const auto found = std::ranges::find(wait_reasons(), words, &Message::text);
  return found == wait_reasons().end() ? std::nullopt
                                       : std::optional{static_cast<WaitReason>(found - wait_reasons().begin())};
}

} // namespace trainyard
