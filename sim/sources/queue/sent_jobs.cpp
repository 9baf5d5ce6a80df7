// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/sent_jobs.hpp"

namespace trainyard {

void SentJobs::add(JobId id, std::optional<Instant> checkpoint_interval)
{
  sent_.emplace(id.index, Sent{.checkpoint_interval = checkpoint_interval});
}

std::vector<JobId> SentJobs::all() const
{
  std::vector<JobId> jobs;
  jobs.reserve(sent_.size());
  for (const auto& [index, sent] : sent_)
    jobs.emplace_back(JobId{index});
  return jobs;
}

Instant SentJobs::checkpoint_interval(JobId id, Instant of_queue) const
{
  const Sent* sent = find(id);
  return sent == nullptr ? of_queue : sent->checkpoint_interval.value_or(of_queue);
}

void SentJobs::Sent::note_dry(bool dry, Instant now)
{
  if (!dry && dry_since >= Instant{0})
    stalled += now - dry_since;
  if (!dry)
    dry_since = Instant{-1};
  else if (dry_since < Instant{0})
    dry_since = now;
}

void SentJobs::add_news(JobId id, JobNews::What what, const Allocation& held, Instant undone)
{
  news_.push_back({id, what, held, find(id)->stalled, undone});
}

std::vector<JobNews> SentJobs::take_news()
{
  return std::exchange(news_, {});
}

} // namespace trainyard
