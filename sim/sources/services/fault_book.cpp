// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/fault_book.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace trainyard::orchestration {

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
