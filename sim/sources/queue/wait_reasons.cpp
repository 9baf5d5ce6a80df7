// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/wait_reasons.hpp"

#include <optional>

namespace trainyard {

void WaitReasons::does_not_fit(JobId id, const ResourceRequest& request, Instant now)
{
  if (!blocked_)
    blocked_ = id;
  if (log_.enabled())
    set(id, cluster_.reason(request), {}, now);
}

void WaitReasons::decides_later(std::span<const JobId> waiting, Instant now)
{
  if (!log_.enabled())
    return;
  for (const JobId id : waiting)
    if (log_.reason(id) == WaitReason::none)
      set(id, WaitReason::next_decision, {}, now);
}

void WaitReasons::note_unsaid(std::span<const JobId> waiting, WaitReason usual, Instant now)
{
  std::vector<std::optional<WaitReason>> known; // by request; none: it fits
  for (const JobId id : waiting) {
    if (log_.said(id) == now && log_.reason(id) != WaitReason::none && log_.reason(id) != WaitReason::next_decision)
      continue; // said in this instant
    const bool by_order = usual == WaitReason::behind_head || usual == WaitReason::reservation;
    const bool behind = by_order && blocked_ && blocked_ != id;
    const std::size_t at = requests_.of(id);
    if (at >= known.size())
      known.resize(at + 1);
    if (!known[at]) {
      const ResourceRequest request = requests_.request(id);
      known[at] = cluster_.fits_now(request) ? WaitReason::none : cluster_.reason(request);
    }
    const WaitReason lacks = known[at].value_or(WaitReason::none);
    if (!behind && by_order && log_.blocker(id) && lacks == WaitReason::none)
      continue;                    // what was said of it still holds
    if (lacks == WaitReason::none) // a job is behind others only if there are any
      set(id, by_order && !behind && !log_.blocker(id) ? WaitReason::next_decision : usual, behind ? blocked_ : JobId{},
          now);
    else
      set(id, lacks, {}, now);
  }
}

} // namespace trainyard
