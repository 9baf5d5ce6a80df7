// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

/// Why a job does not run.
enum class WaitReason : std::uint8_t {
  none,
  behind_head,   // a job before it in the queue is blocked and the policy keeps the order
  gpus,          // fewer GPUs free than it needs
  fragmented,    // enough GPUs are free, but not on machines where the gang fits
  cpu,           // GPUs are free on machines without enough CPU
  memory,        // … without enough memory
  gpu_type,      // GPUs are free, of another type
  locality,      // its GPUs are free, but further apart than the policy allows yet
  quota,         // its team has used its share
  reservation,   // starting it would delay a job that has a reservation
  lower_rank,    // the policy prefers other jobs for the GPUs
  dependency,    // a job it depends on has not ended
  saving,        // it has its GPUs, but who was stopped for it still saves its state there
  next_decision, // the policy has not run since
  never_fits,    // more than the whole cluster has
  out_of_memory, // its processes died repeatedly for lack of GPU memory
  changing,      // several of the above in turn; so many that they are not listed one by one
  quota_never,   // more than its team can ever have of a quota
  // Limits of a batch system: of its QOS, of its account and those above, of its partition, of its array.
  qos_group_jobs,
  qos_user_jobs,
  qos_time,
  qos_group_gpus,
  qos_job_gpus,
  qos_account_gpus,
  qos_user_gpus,
  qos_group_submitted,
  qos_user_submitted,
  association_group_jobs,
  association_jobs,
  association_time,
  association_group_gpus,
  association_job_gpus,
  association_group_submitted,
  association_submitted,
  partition_time,
  array_tasks,
  site_rule, // scheduling.site: the site is closed, or a limit, hours or a hold keep it outside
  reservation_over
};

/// Whether it names a limit of a batch system.
constexpr bool is_batch_limit(WaitReason reason)
{
  return reason >= WaitReason::qos_group_jobs && reason <= WaitReason::array_tasks;
}

/// In words: "fewer GPUs free than it needs".
const Message& message_of(WaitReason reason);
const std::string& to_text(WaitReason reason);
/// The other way; nothing for other words.
std::optional<WaitReason> wait_reason(std::string_view words);
/// All of them, in their order.
std::span<const Message> wait_reasons();

} // namespace trainyard
