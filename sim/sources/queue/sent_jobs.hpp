// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/job_queue.hpp"

#include <map>
#include <optional>
#include <vector>

namespace trainyard {

/// What the queue remembers of jobs that other sources of work have sent, and what it has to tell these sources. Says
/// nothing of jobs that nobody has sent.
class SentJobs
{
public:
  /// @p checkpoint_interval of work; absent: that of the queue.
  void add(JobId id, std::optional<Instant> checkpoint_interval);
  bool contains(JobId id) const { return !sent_.empty() && sent_.contains(id.index); }
  /// In order of submission.
  std::vector<JobId> all() const;
  Instant checkpoint_interval(JobId id, Instant of_queue) const;

  /// Its work is done: it keeps its GPUs until it is completed, and loads no links any more.
  bool worked(JobId id) const
  {
    const Sent* sent = find(id);
    return sent != nullptr && sent->worked;
  }
  void set_worked(JobId id, bool worked)
  {
    if (Sent* sent = find(id); sent != nullptr)
      sent->worked = worked;
  }
  /// Whether it has GPUs, but no data to go on with, from @p now on.
  void note_dry(JobId id, bool dry, Instant now)
  {
    if (Sent* sent = find(id); sent != nullptr)
      sent->note_dry(dry, now);
  }

  /// @p undone: of its work, by a failure.
  void tell(JobId id, JobNews::What what, const Allocation& held, Instant undone = {})
  {
    if (contains(id))
      add_news(id, what, held, undone);
  }
  bool has_news() const { return !news_.empty(); }
  std::vector<JobNews> take_news();

private:
  struct Sent {
    std::optional<Instant> checkpoint_interval;
    Instant dry_since{-1}; // negative: it has data
    Instant stalled;       // in this way, until `dry_since`
    bool worked = false;

    void note_dry(bool dry, Instant now);
  };

  template <class Map>
  static auto find_in(Map& sent, JobId id) -> decltype(&sent.begin()->second)
  {
    if (sent.empty()) // of most queues; this is asked at every start and end
      return nullptr;
    const auto found = sent.find(id.index);
    return found == sent.end() ? nullptr : &found->second;
  }
  void add_news(JobId id, JobNews::What what, const Allocation& held, Instant undone);
  const Sent* find(JobId id) const { return find_in(sent_, id); }
  Sent* find(JobId id) { return find_in(sent_, id); }

  std::map<int, Sent> sent_; // by job
  std::vector<JobNews> news_;
};

} // namespace trainyard
