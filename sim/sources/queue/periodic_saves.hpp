// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "sim/sources/queue/end_times.hpp"

#include <algorithm>
#include <unordered_map>

namespace trainyard {

/// A checkpoint that a job writes while it runs.
struct PeriodicSave {
  Instant interval; // of work between two, at speed 1
  Instant written;  // after so long it can be loaded
  Instant stall;    // training stands still; at most `written`
};

/// Running jobs that write checkpoints at every multiple of an interval of their work, at a cost. Writes in the
/// background as CheckFreq (Mohan et al., FAST 2021) and PyTorch's async_save do it: training stands still while states
/// are copied, and goes on while they are written; a write ends before the next begins. Says nothing of jobs whose
/// checkpoints cost nothing.
class PeriodicSaves
{
public:
  struct Job {
    PeriodicSave costs;
    Instant next;           // work at which the next one begins
    Instant kept;           // work in the last one that is written
    Instant writing;        // work in the one after that
    Instant written_at{-1}; // when that is written

    /// The job has done `next`: until when it stands still. While the last one is not written it waits for that, and
    /// is asked again then.
    Instant pause(Instant now);
    /// How long the saves of the next @p work hold up a job that goes on @p from then at a speed, with @p done of it.
    Instant ahead(Instant from, Instant done, Instant work, double speed) const;
    /// Those that are written by now.
    void settle(Instant now);
  };

  /// A job has got GPUs, with this work done.
  void begin(JobId id, const PeriodicSave& costs, Instant done);
  /// It gives them back: what is not written yet is lost.
  void end(JobId id, Instant now);
  /// It will not come back.
  void forget(JobId id) { jobs_.erase(id.index); }

  const Job* of(JobId id) const { return find_in(jobs_, id); }
  Job* of(JobId id) { return find_in(jobs_, id); }

  EndTimes due; // when they have done their next multiple

private:
  template <class Map>
  static auto find_in(Map& jobs, JobId id) -> decltype(&jobs.begin()->second)
  {
    const auto found = jobs.empty() ? jobs.end() : jobs.find(id.index);
    return found == jobs.end() ? nullptr : &found->second;
  }

  std::unordered_map<int, Job> jobs_;
};

} // namespace trainyard
