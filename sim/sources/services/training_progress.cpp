// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/training_progress.hpp"

#include <cmath>

namespace trainyard {

void TrainingProgress::commit()
{
  saved_ += unsaved_;
  parts_.useful += unsaved_time_;
  parts_.useful_gpu += unsaved_gpu_;
  unsaved_ = 0;
  unsaved_time_ = Instant{};
  unsaved_gpu_ = {};
  in_cycle_ = Instant{};
  saving_ = false;
}

void TrainingProgress::advance(Instant time, double speed, const Amount& held, bool storage, Pause pause)
{
  const auto spend = [&](Instant& of_job, AmountTime& of_machines, Instant part) {
    of_job += part;
    of_machines.add(held, part);
  };
  const auto wait = [&](Instant part) {
    if (pause == Pause::idle)
      spend(parts_.idle, parts_.idle_gpu, part);
    else
      spend(parts_.stalled, parts_.stalled_gpu, part);
  };
  while (time > Instant{}) {
    if (!(speed > 0))
      return wait(time);
    if (pause_left_ > Instant{} || load_left_ > Instant{}) {
      Instant& left = pause_left_ > Instant{} ? pause_left_ : load_left_;
      if (&left == &load_left_ && !storage)
        return wait(time);
      const Instant part = std::min(time, left);
      left -= part;
      spend(parts_.restoring, parts_.restoring_gpu, part);
      time -= part;
      continue;
    }
    if (saving_) {
      if (!storage)
        return wait(time);
      const Instant part = std::min(time, save_left_);
      save_left_ -= part;
      spend(parts_.saving, parts_.saving_gpu, part);
      time -= part;
      if (save_left_ == Instant{})
        commit();
      continue;
    }
    const Instant cycle = times_.interval + times_.save;
    if (times_.interval > Instant{} && storage && in_cycle_ == Instant{} && time >= 2 * cycle) {
      const std::int64_t whole = time.count() / cycle.count();
      const Instant computing = whole * times_.interval, saving = whole * times_.save;
      saved_ += computing.value() * speed;
      spend(parts_.useful, parts_.useful_gpu, computing);
      spend(parts_.saving, parts_.saving_gpu, saving);
      time -= computing + saving;
      continue;
    }
    const Instant part = times_.interval > Instant{} ? std::min(time, times_.interval - in_cycle_) : time;
    unsaved_ += part.value() * speed;
    spend(unsaved_time_, unsaved_gpu_, part);
    in_cycle_ += part;
    time -= part;
    if (times_.interval > Instant{} && in_cycle_ == times_.interval) {
      saving_ = true;
      save_left_ = times_.save;
      if (save_left_ == Instant{} && storage)
        commit();
    }
  }
}

std::optional<Instant> TrainingProgress::time_to_finish(double speed, bool storage) const
{
  if (!(speed > 0) || !std::isfinite(work_) || finished_)
    return std::nullopt;
  if (!storage && (load_left_ > Instant{} || saving_))
    return std::nullopt;
  const Instant before = pause_left_ + load_left_ + (saving_ ? save_left_ : Instant{});
  const Instant computing = Seconds{std::max(0.0, (work_ - saved_ - unsaved_) / speed)};
  if (!is_finite(computing))
    return std::nullopt;
  if (times_.interval == Instant{})
    return before + computing;
  const Instant left = saving_ ? times_.interval : times_.interval - in_cycle_;
  if (computing <= left)
    return before + computing;
  if (!storage)
    return std::nullopt;
  const std::int64_t saves = (computing - left + times_.interval - Instant{1}).count() / times_.interval.count();
  return before + computing + saves * times_.save;
}

void TrainingProgress::finish()
{
  commit();
  saved_ = work_;
  finished_ = true;
}

void TrainingProgress::start_over(Seconds work)
{
  commit();
  work_ = work.value();
  saved_ = 0;
  load_left_ = pause_left_ = save_left_ = Instant{};
  finished_ = false;
}

Instant TrainingProgress::roll_back()
{
  const Instant lost = unsaved_time_;
  parts_.lost += unsaved_time_;
  parts_.lost_gpu += unsaved_gpu_;
  unsaved_ = 0;
  unsaved_time_ = Instant{};
  unsaved_gpu_ = {};
  in_cycle_ = Instant{};
  saving_ = false;
  save_left_ = load_left_ = pause_left_ = Instant{};
  return lost;
}

void TrainingProgress::load()
{
  if (saved_ > 0)
    load_left_ = times_.load;
}

TimeParts TrainingProgress::parts() const
{
  TimeParts all = parts_;
  all.useful += unsaved_time_;
  all.useful_gpu += unsaved_gpu_;
  return all;
}

} // namespace trainyard
