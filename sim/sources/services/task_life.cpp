// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/task_life.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace trainyard::orchestration {

void TaskLife::record_phase(int number)
{
  const Task& task = book_.task(number);
  if (records_.on() && task.phase != TaskPhase::absent)
    records_.phase(number, task.since, task.phase, task.holds ? task.share.node : -1, waiting_.why(number));
}

void TaskLife::set_phase(int number, TaskPhase phase, int why)
{
  Task& task = book_.task(number);
  if (agenda_.now() > task.since || task.runs())
    record_phase(number);
  const bool ran = task.runs(), runs = phase == TaskPhase::running;
  task.phase = phase;
  task.since = agenda_.now();
  task.why = why;
  ++task.stamp;
  if (ran != runs) {
    accounts_.run(task.service, task.cut ? 0 : runs ? 1 : -1);
    if (ran && !task.cut)
      task.lost_at = agenda_.now();
    task.cut = false;
  }
}

void TaskLife::enqueue(int number)
{
  set_phase(number, TaskPhase::waiting);
  waiting_.add(number);
}

void TaskLife::start_after(int number, Instant delay)
{
  if (delay == Instant{})
    return enqueue(number);
  set_phase(number, TaskPhase::backoff);
  agenda_.plan(agenda_.now() + delay, EventKind::ready, number, book_.task(number).stamp);
}

void TaskLife::end_instance(int number, EndReason reason)
{
  Task& task = book_.task(number);
  if (!task.holds)
    return;
  if (task.runs()) {
    progress_.carry(task.unit);
    progress_.burden(task, -1);
  } else {
    accounts_.starting(task.service, task.share, task.placed);
  }
  give_back(task.share, number, task.instance, reason);
  task.instance = -1;
  const ServiceSpec& service = book_.service_of(task);
  if (service.keeps_containers)
    disk_left_[static_cast<std::size_t>(task.share.node)] += service.disk.value();
  set_phase(number, TaskPhase::unnoticed);
  task.holds = false;
}

void TaskLife::give_back(const TaskShare& share, int number, int instance, EndReason reason)
{
  const Task& task = book_.task(number);
  accounts_.release(task.service, share);
  machines_.give(share, number, book_.request_of(task), task.service);
  records_.instance_ends(instance, reason);
}

void TaskLife::end_and_lose(int number, EndReason reason)
{
  const bool ran = book_.task(number).runs();
  end_instance(number, reason);
  if (ran)
    lose(number, reason);
}

void TaskLife::stop(int number, EndReason reason, TaskPhase next)
{
  if (book_.task(number).phase == TaskPhase::waiting)
    unqueue(number);
  end_and_lose(number, reason);
  if (next == TaskPhase::waiting)
    enqueue(number);
  else
    set_phase(number, next);
  progress_.refresh(book_.task(number).unit);
}

void TaskLife::begin_stop(int number, EndReason reason)
{
  Task& task = book_.task(number);
  if (!task.holds || !task.runs() || rules_.container_stop == Seconds{0}) {
    const bool dead =
        task.phase == TaskPhase::unnoticed || task.phase == TaskPhase::evicting || task.phase == TaskPhase::gone;
    if (dead && task.wanted)
      return; // nothing to stop: its replacement is under way
    stop(number, reason);
    return;
  }
  progress_.carry(task.unit);
  progress_.burden(task, -1);
  set_phase(number, TaskPhase::stopping);
  task.placed = agenda_.now();
  lose(number, reason);
  agenda_.plan(agenda_.now() + Instant{rules_.container_stop}, EventKind::stopped, number, task.stamp,
               static_cast<int>(reason));
  progress_.refresh(task.unit);
}

/// Whether the state of the job is gone with this task.
bool TaskLife::loses_state(int number) const
{
  const Task& task = book_.task(number);
  const ServiceSpec& service = book_.service_of(task);
  const Unit& unit = book_.unit(task.unit);
  if (!book_.group_of(task).holds_state)
    return false;
  const auto no_other_runs = [&](bool with_state) {
    return std::ranges::none_of(unit.tasks, [&](int other) {
      return other != number && book_.task(other).runs() &&
             (!with_state || book_.group_of(book_.task(other)).holds_state);
    });
  };
  if (service.coupling == Coupling::elastic) // every worker has a whole copy
    return no_other_runs(true);
  if (service.coupling != Coupling::async && service.coupling != Coupling::sync_replicas)
    return true;
  // Without parameter servers each worker has a copy; with them theirs is the only one.
  const bool servers =
      std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return !group.holds_state; });
  return servers || no_other_runs(false);
}

void TaskLife::lose(int number, EndReason reason)
{
  const Task& task = book_.task(number);
  Unit& unit = book_.unit(task.unit);
  const ServiceSpec& service = book_.service_of(task);
  const bool works = service.ends() || !service.clients.empty();
  if (unit.over || reason == EndReason::finished || !loses_state(number) ||
      !(works || service.checkpoint.interval > Seconds{0}))
    return; // what never ends has nothing to do again
  const Amount held = unit.held;
  const Instant redone = unit.progress.roll_back();
  unit.state_lost = true;
  if (works)
    faults_.redone(task, redone, held);
}

void TaskLife::give_up(int number, const Message& why)
{
  Task& task = book_.task(number);
  set_phase(number, TaskPhase::gone, records_.reason(why));
  faults_.never_back(task);
  records_.log(fmt::format("{} will not come back: {}", book_.name(number), why.text));
  Unit& unit = book_.unit(task.unit);
  const ServiceSpec& service = book_.service_of(task);
  if (unit.over || !(service.ends() || !service.clients.empty()))
    return;
  // A job that can never continue is over; its other processes hold their machines until they are ended.
  const bool goes_on_without =
      (service.coupling == Coupling::async || service.coupling == Coupling::elastic ||
       (service.coupling == Coupling::sync_replicas && task.index > 0 && unit.tokens_lost <= service.backup_workers)) &&
      book_.group_of(task).role != "ps" &&
      std::ranges::any_of(unit.tasks, [&](int other) { return book_.task(other).phase != TaskPhase::gone; });
  if (goes_on_without)
    return;
  progress_.carry(task.unit);
  unit.over = true;
  unit.speed = 0;
  progress_.leave_links(unit);
  ++unit.stamp;
  accounts_.of(task.service).failed = true;
  if (book_.service_over(task.service))
    accounts_.work_over();
  records_.log(fmt::format("{} can never continue",
                           service.coupling == Coupling::independent ? book_.name(number) : service.name));
}

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

int FaultBook::begin(const FaultEvent& event)
{
  FaultOutcome fresh;
  fresh.event = event;
  outcomes_.push_back(fresh);
  ++quiet_;
  lines_.push_back(records_.log(event.name));
  return static_cast<int>(outcomes_.size()) - 1;
}

void FaultBook::hit(int number, int fault)
{
  Task& task = book_.task(number);
  if (fault < 0 || std::ranges::find(task.faults, fault) != task.faults.end())
    return;
  ++at(fault).tasks_hit;
  ++at(fault).open;
  task.faults.push_back(fault);
  quiet_ = 0;
}

void FaultBook::detected(int fault, Instant when)
{
  if (fault >= 0 && at(fault).detected < Instant{})
    at(fault).detected = when;
}

void FaultBook::ordered(const Task& task)
{
  if (const int fault = last(task); fault >= 0 && at(fault).evicted < Instant{})
    at(fault).evicted = agenda_.now();
}

void FaultBook::moved(const Task& task, int node)
{
  if (const int fault = last(task); fault >= 0)
    at(fault).moved_to.push_back(node);
}

void FaultBook::redone(const Task& task, Instant time, const Amount& held)
{
  if (const int fault = last(task); fault >= 0) {
    at(fault).redone += time;
    at(fault).redone_gpu.add(held, time);
  }
}

void FaultBook::back(int number)
{
  Task& task = book_.task(number);
  for (const int fault : task.faults) {
    FaultOutcome& outcome = at(fault);
    outcome.worst_outage = std::max(outcome.worst_outage, agenda_.now() - std::max(task.lost_at, outcome.event.at));
    if (--outcome.open == 0)
      outcome.recovered = agenda_.now();
  }
  task.faults.clear();
}

void FaultBook::never_back(Task& task)
{
  for (const int fault : task.faults)
    ++at(fault).never_back;
  task.faults.clear();
}

std::vector<FaultOutcome> FaultBook::finish()
{
  for (FaultOutcome& fault : outcomes_)
    if (fault.event.until < end_of_time && fault.event.until <= agenda_.now())
      fault.ended = fault.event.until;
  for (std::size_t fault = 0; fault < outcomes_.size(); ++fault)
    records_.rewrite(lines_[fault], words(outcomes_[fault]));
  return std::move(outcomes_);
}

/// One line of the log with all that came of a failure: "node-7 lost; 2 tasks to node-3, node-5; 412 s of work redone".
std::string FaultBook::words(const FaultOutcome& outcome) const
{
  const FaultEvent& event = outcome.event;
  std::string text = event.name;
  switch (event.kind) {
  case FaultKind::link:
    text += event.remaining > 0 ? fmt::format(" at {:.0f} % of its bandwidth", 100 * event.remaining) : " lost";
    break;
  case FaultKind::process:
    text += " ends with an error";
    break;
  case FaultKind::daemon_config:
    text += " is wrong: the container daemon does not start, and the node leaves the cluster";
    break;
  case FaultKind::daemon_restart:
    text += " restarts";
    break;
  case FaultKind::storage:
  case FaultKind::object_store:
    text += " does not answer";
    break;
  default:
    text += " lost";
  }
  if (outcome.tasks_hit == 0)
    return text;
  text += "; " + counted(outcome.tasks_hit, "task");
  std::vector<std::string> to;
  for (const int node : outcome.moved_to)
    if (to.size() < 6 && std::ranges::find(to, machines_.name(node)) == to.end())
      to.push_back(machines_.name(node));
  if (!to.empty())
    text += fmt::format(" to {}{}", fmt::join(to, ", "), to.size() == 6 ? "…" : "");
  if (outcome.never_back > 0)
    text += fmt::format("; {} never come{} back", outcome.never_back, outcome.never_back == 1 ? "s" : "");
  if (outcome.redone > Instant{})
    text += fmt::format("; {:.6g} s of work redone", outcome.redone.value());
  return text;
}

} // namespace trainyard::orchestration
