// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "sim/cluster/gpu_time.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/sources/queue/end_times.hpp"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

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

/// GPUs on which stopped jobs still save their state: nobody works there before that is done.
///
/// A policy's decisions take effect at once: who takes such GPUs has them from then on, and begins when the last of
/// them is saved. So no policy stops a second job because the GPUs of the first are not free yet.
class SavingGpus
{
public:
  struct Saver {
    Instant until;
    JobId job;
  };

  /// The job has given these GPUs back at the policy's word, and saves on them until then.
  void hold(const Allocation& held, Saver saver);
  /// Who keeps somebody that takes @p taken now from beginning at once, the last one; nothing where all are ready.
  /// @p free_before: GPUs of the type that the policy saw as free, those that are being saved included (for counted
  /// pools).
  std::optional<Saver> take(const Allocation& taken, int free_before, Instant now);
  /// Jobs that save on this machine, in order of their numbers.
  std::vector<JobId> on(int node, Instant now) const;
  /// The job saves no longer, on no machine.
  void stop(JobId job);
  /// What is saved on GPUs that are free in @p machines: nobody else may take these.
  std::vector<TaskShare> unused(const NodePool& machines, Instant now);
  /// When the first of them has saved.
  Instant next(Instant now) const;

private:
  struct OnMachine {
    Saver saver;
    TaskShare share;
  };
  struct Counted {
    Saver saver;
    int gpus = 0;
  };
  std::unordered_map<int, std::vector<Counted>> pools_; // by GPU type: free and being saved, soonest first
  std::map<int, std::vector<OnMachine>> nodes_;         // by machine
};

/// What saving on GPUs that others wait for changes in the accounts of a job. The book charges a job for its GPUs from
/// the decision that gave them to it; the time until the last job there has saved is that job's.
struct SavingAccount {
  Instant waited;          // for others that saved on GPUs it had been given
  GpuTime waited_gpus;     // the same on its GPUs
  Instant saved;           // on GPUs after it was stopped
  GpuTime saved_gpus;      // the same on its GPUs
  Instant first_start{-1}; // where its first start waited for others: when it began; negative: it did not
  Instant saving_until{-1};
  std::int64_t milli = 0; // of the GPUs on which it saved last
  std::size_t record = 0; // of that, among the stays
  // Its present stay, until the others have saved:
  Instant given{-1};
  Instant begins{-1};
  JobId saver{-1}; // who saves last
};

} // namespace trainyard
