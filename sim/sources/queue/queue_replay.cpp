// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_replay.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>

namespace trainyard {
namespace {

constexpr int fruitless_wakes = 3;
/// Failures and repairs go on for ever. Jobs that nothing starts in so many decisions with all machines free, and in so
/// long, never start.
constexpr int most_in_vain = 1000;
constexpr Instant longest_in_vain{Seconds{10 * 365 * 86400.0}};

} // namespace

QueueReplay::QueueReplay(const Workload& workload, const ClusterShape& shape, ClusterState& cluster,
                         QueuePolicy& policy, const SchedulingOptions& options)
    : cluster_{cluster}, policy_{policy}, options_{options}, book_{workload, shape, cluster, policy, options},
      lives_{book_, cluster, policy, options}, decisions_{book_, lives_, cluster, policy, options, wakes_}
{
}

std::optional<Instant> QueueReplay::step()
{
  if (cut_)
    return std::nullopt;
  const std::optional<Instant> time = next_time();
  if (time && *time > options_.until) {
    stop(options_.until);
    cut_ = true;
    return std::nullopt;
  }
  if (time)
    act(*time);
  else
    book_.stall();
  return time;
}

std::optional<Instant> QueueReplay::next_time()
{
  if (options_.events != nullptr)
    outside_ =
        in_vain_ < most_in_vain || book_.now() < started_ + longest_in_vain ? options_.events->next() : std::nullopt;
  Instant next = std::min(std::min(book_.ends().next(), book_.next_review()), lives_.next_submission());
  more_ = is_finite(next);
  if (!more_ && !lives_.unfinished() && !shared_)
    return std::nullopt; // outside events have no effect any more
  if (outside_) {
    next = std::min(next, *outside_);
    more_ = true;
  }
  if (!more_) {
    const bool nobody = book_.waiting().empty() && book_.running().empty();
    // A period goes on for ever; what comes after it, as a rule that changes then, may let somebody start.
    if (fruitless_ >= fruitless_wakes && fruitless_ < 2 * fruitless_wakes && wakes_.size() > 1)
      wakes_.erase(wakes_.begin(), std::prev(wakes_.end()));
    else if (wakes_.empty() || nobody || fruitless_ >= fruitless_wakes)
      return std::nullopt;
  }
  next_event_ = next;
  if (!wakes_.empty())
    next = std::min(next, *wakes_.begin());
  return std::max(book_.now(), next);
}

inline void QueueReplay::instant(bool outside)
{
  check_interrupt();
  if (lives_.end_due()) { // first whoever sent the jobs; the rest of this instant comes after
    book_.happened().touched = true;
    return book_.update_speeds();
  }
  if (outside)
    options_.events->fire(decisions_);
  book_.review();
  lives_.submit_due();
  wakes_.erase(wakes_.begin(), wakes_.upper_bound(book_.now()));
  if (may_decide()) {
    ++decided_;
    book_.reasons().decides();
    policy_.decide(book_, decisions_);
    if (book_.reasons().log().enabled())
      book_.reasons().decided(book_.waiting(), policy_.usual_reason(), book_.now());
  }
  book_.update_speeds();
}

void QueueReplay::act(Instant time)
{
  book_.advance(time);
  book_.happened().changed = false;
  const std::int64_t before = decided_;
  const std::size_t waiting = book_.waiting().size();
  instant(outside_ && *outside_ <= book_.now());
  if (shared_ || !book_.running().empty() || book_.waiting().size() != waiting || is_finite(lives_.next_submission())) {
    in_vain_ = 0;
    started_ = book_.now();
  } else if (decided_ > before && cluster_.free_gpus() == cluster_.total_gpus()) {
    ++in_vain_;
  }
  if (book_.happened().changed || next_event_ <= book_.now())
    bound_.restart(book_.now());
  else if (decided_ > before)
    bound_.in_vain(book_.now(), book_.waiting().size() + book_.running().size());
  if (book_.happened().changed || more_)
    fruitless_ = 0;
  else if (decided_ > before)
    ++fruitless_;
}

/// What came in between the multiples of the period is looked at then.
bool QueueReplay::is_due()
{
  const Instant since = book_.now() % options_.policy_period;
  if (since == Instant{0})
    return true;
  book_.reasons().decides_later(book_.waiting(), book_.now());
  wakes_.insert(book_.now() + options_.policy_period - since);
  return false;
}

void QueueReplay::share(Workload* growing)
{
  shared_ = true;
  lives_.take_jobs_of_others(growing);
}

bool QueueReplay::may_start() const
{
  return book_.happened().touched || (cluster_.may_have_gained() && !book_.waiting().empty());
}

std::optional<Instant> QueueReplay::next_of_shared()
{
  const Instant next = std::min(next_time().value_or(end_of_time), book_.kept_until());
  return is_finite(next) ? std::optional{next} : std::nullopt;
}

void QueueReplay::notice_gains()
{
  book_.happened().touched = false;
  cluster_.gained_elsewhere();
  cluster_.lost_machines(); // the queue itself reads the failures
  fruitless_ = 0;
  next_event_ = Instant{};
}

void QueueReplay::stop(Instant time)
{
  book_at(time).cut_off();
  cut_ = cut_ || lives_.unfinished();
}

JobLives& QueueReplay::lives_at(Instant now)
{
  book_.advance(now);
  return lives_;
}

JobBook& QueueReplay::book_at(Instant now)
{
  book_.advance(now);
  return book_;
}

SchedulingResult QueueReplay::result()
{
  SchedulingResult result = book_.result();
  result.decisions = decided_;
  if (cut_)
    result.cut_at = book_.now();
  return result;
}

} // namespace trainyard
