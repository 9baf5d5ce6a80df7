// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/clock.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace trainyard {

/// When a training job writes its state, and what that costs.
struct ServiceCheckpoints {
  Instant interval{0}; // computing between two saves; 0 = never
  Instant save{0};     // computing pauses
  Instant load{0};
};

/// Where the time of a job's tasks went. Useful is what ended in a checkpoint or in the end of the work.
struct TimeParts {
  Instant restoring{0};
  Instant useful{0};
  Instant lost{0}; // computed, then lost with a failure
  Instant saving{0};
  Instant stalled{0}; // held back by missing tasks or storage
  Instant idle{0};    // it had no work
  AmountTime restoring_gpu, useful_gpu, lost_gpu, saving_gpu, stalled_gpu,
      idle_gpu; // the same times what the tasks held

  TimeParts& operator+=(const TimeParts& other)
  {
    restoring += other.restoring;
    useful += other.useful;
    lost += other.lost;
    saving += other.saving;
    stalled += other.stalled;
    idle += other.idle;
    restoring_gpu += other.restoring_gpu;
    useful_gpu += other.useful_gpu;
    lost_gpu += other.lost_gpu;
    saving_gpu += other.saving_gpu;
    stalled_gpu += other.stalled_gpu;
    idle_gpu += other.idle_gpu;
    return *this;
  }
};

/// How far a job is, carried forward at constant speed between two events; checkpoints in between cost no events.
///
/// A cycle is `interval` of computing, then `save`. A failure goes back to the end of the last complete save.
class TrainingProgress
{
public:
  enum class Pause { stalled, idle }; // what time without speed counts as

  /// @p work at speed 1; infinity = without end.
  explicit TrainingProgress(Seconds work = Seconds{std::numeric_limits<double>::infinity()},
                            ServiceCheckpoints times = {})
      : work_{work.value()}, times_{times}
  {
  }

  /// Carries forward by @p time at @p speed (0 = stands still), with tasks that hold @p held. Without @p storage
  /// nothing is saved or loaded. Never beyond the end of the work: ask time_to_finish() before.
  void advance(Instant time, double speed, const Amount& held, bool storage = true, Pause pause = Pause::stalled);

  /// From now to the end of the work at this speed; nothing where it does not end without a change.
  std::optional<Instant> time_to_finish(double speed, bool storage = true) const;

  /// All work is done: what was not saved counts as useful.
  void finish();
  /// New work for the same job (a further client, a restart after the end); what was done before stays counted.
  void start_over(Seconds work);
  /// A failure: what came after the last complete save is lost. Returns how long that had been computed.
  Instant roll_back();
  /// The state is read before computing goes on, where there is one to read.
  void load();
  /// Work pauses for @p time from now on, without storage: workers form the group again. A running pause starts again,
  /// it does not add up.
  void pause(Instant time) { pause_left_ = std::max(pause_left_, time); }

  /// Until it goes on: a pause, and reading the state.
  Instant waits() const { return pause_left_ + load_left_; }

  Seconds done() const { return Seconds{saved_ + unsaved_}; }
  Seconds saved() const { return Seconds{saved_}; }
  Seconds work() const { return Seconds{work_}; }
  bool finished() const { return finished_; }
  /// What was not saved counts as useful in the parts until it is lost: for accounts in the middle of a run.
  TimeParts parts() const;

private:
  void commit();

  double work_;
  ServiceCheckpoints times_;
  double saved_ = 0;   // work that survives a failure, s at speed 1
  double unsaved_ = 0; // work since
  Instant unsaved_time_{0};
  AmountTime unsaved_gpu_;
  Instant load_left_{0};
  Instant pause_left_{0};
  Instant save_left_{0};
  Instant in_cycle_{0}; // computing since the last save
  bool saving_ = false;
  bool finished_ = false;
  TimeParts parts_;
};

} // namespace trainyard
