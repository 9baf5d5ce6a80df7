// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/waiting_tasks.hpp"

#include <algorithm>
#include <utility>

namespace trainyard::orchestration {
namespace {

constexpr Sentence<> no_managers{"services.no_quorum", "most of the managers are lost: no quorum"};
constexpr Sentence<> busy{"services.busy", "the control plane is busy placing other tasks"};

} // namespace

WaitingTasks::Place WaitingTasks::place(int number) const
{
  const Task& task = book_.task(number);
  return {-book_.service_of(task).priority, task.order, number};
}

void WaitingTasks::add(int number)
{
  Task& task = book_.task(number);
  if (slow_) { // one by one from a queue, which the controllers of all jobs fill at the same time
    if (batch_at_ != agenda_.now()) {
      batch_at_ = agenda_.now();
      batch_begin_ = order_;
      of_unit_.clear();
    }
    task.order = batch_begin_ + of_unit_[task.unit]++;
    order_ = std::max(order_, task.order + 1);
  } else {
    task.order = order_++;
  }
  if (static_cast<std::size_t>(task.request) >= waiting_.size())
    waiting_.resize(static_cast<std::size_t>(task.request) + 1);
  at(task.request).tasks.insert(place(number));
  active_.insert(task.request);
  gang_seen_.erase(task.unit);
}

void WaitingTasks::remove(int number)
{
  const int request = book_.task(number).request;
  at(request).tasks.erase(place(number));
  if (at(request).tasks.empty())
    active_.erase(request);
}

void WaitingTasks::fits_nowhere(int request)
{
  at(request).seen = machines_.gains().size();
  if (records_.on())
    tell(request);
}

bool WaitingTasks::gang_tried(int unit) const
{
  const auto seen = gang_seen_.find(unit);
  return seen != gang_seen_.end() && seen->second == machines_.gains().size();
}

void WaitingTasks::try_all_again()
{
  for (Waiting& waiting : waiting_)
    waiting.seen = SIZE_MAX;
  gang_seen_.clear();
}

/// A period of waiting ends with its reason; another one begins.
void WaitingTasks::split_phase(int number, int why)
{
  Task& task = book_.task(number);
  if (agenda_.now() > task.since)
    records_.phase(number, task.since, task.phase, -1, why);
  task.since = std::max(task.since, agenda_.now());
}

/// The reason for which a request fits nowhere now.
void WaitingTasks::tell(int request)
{
  Waiting& waiting = at(request);
  const int why = records_.reason(machines_.why_not(book_.request(request)));
  if (why == waiting.why)
    return;
  if (waiting.why >= 0)
    for (const auto& [priority, order, task] : waiting.tasks)
      if (book_.task(task).why < 0)
        split_phase(task, waiting.why);
  waiting.why = why;
}

void WaitingTasks::update_reasons()
{
  if (!std::exchange(stale_, false) || !records_.on() || !quorum_)
    return;
  for (const int request : active_)
    if (at(request).seen != SIZE_MAX)
      tell(request);
}

void WaitingTasks::set_quorum(bool quorum)
{
  const int no_quorum = records_.reason(no_managers());
  for (const int request : active_)
    for (const auto& [priority, order, task] : at(request).tasks)
      split_phase(task, quorum ? no_quorum : why(task));
  quorum_ = quorum;
}

int WaitingTasks::why(int number)
{
  const Task& task = book_.task(number);
  if (task.phase != TaskPhase::waiting)
    return task.why;
  if (!quorum_)
    return records_.reason(no_managers());
  if (task.why >= 0)
    return task.why;
  const Waiting& waiting = at(task.request);
  if (waiting.why >= 0 && waiting.seen != SIZE_MAX)
    return waiting.why;
  return slow_ ? records_.reason(busy()) : waiting.why;
}

} // namespace trainyard::orchestration
