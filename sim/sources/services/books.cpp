// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/books.hpp"

#include "models/core/conservation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace trainyard::orchestration {

TaskBook::TaskBook(const OrchestrationInput& input) : services_{input.services}, shape_{input.cluster}
{
  for (const ServiceSpec& service : services_)
    slots_.emplace_back(service.groups.size());
}

std::optional<int> TaskBook::find(const std::string& name) const
{
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional{found->second};
}

std::vector<int> TaskBook::tasks_of(int service) const
{
  std::vector<int> tasks;
  for (const std::vector<int>& group : slots(service))
    tasks.insert(tasks.end(), group.begin(), group.end());
  return tasks;
}

bool TaskBook::service_over(int service) const
{
  return std::ranges::all_of(slots(service), [&](const std::vector<int>& group) {
    return std::ranges::all_of(group, [&](int number) { return unit(task(number).unit).over; });
  });
}

int TaskBook::request_of_group(int service, int group)
{
  const ServiceSpec& spec = this->service(service);
  const TaskGroupSpec& tasks = spec.groups[static_cast<std::size_t>(group)];
  NodeRequest request = trainyard::request_of(tasks, shape_);
  // Services of one task need no memory of where its other tasks are: they share a request.
  if (tasks.most_per_node > 0 || spec.replicas() > 1 || !spec.scaling.empty() || spec.serving.scales)
    request.service = service;
  const auto [found, fresh] = request_numbers_.try_emplace(request, static_cast<int>(requests_.size()));
  if (fresh)
    requests_.push_back(request);
  return found->second;
}

int TaskBook::add(int service, int group, Instant now)
{
  const ServiceSpec& spec = this->service(service);
  auto& slots = slots_[static_cast<std::size_t>(service)];
  const int number = size();
  Task task;
  task.service = service;
  task.group = group;
  task.index = static_cast<int>(slots[static_cast<std::size_t>(group)].size());
  task.request = request_of_group(service, group);
  names_.push_back(task_name(spec, spec.groups[static_cast<std::size_t>(group)], task.index));
  numbers_.emplace(names_.back(), number);
  const auto existing = std::ranges::find_if(slots, [](const auto& list) { return !list.empty(); });
  if (spec.coupling == Coupling::independent || existing == slots.end()) {
    Unit unit;
    unit.service = service;
    const ServiceCheckpoints times{Instant{spec.checkpoint.interval}, Instant{spec.checkpoint.save},
                                   Instant{spec.checkpoint.load}};
    unit.progress = spec.ends() ? TrainingProgress{spec.work, times}
                                : TrainingProgress{Seconds{std::numeric_limits<double>::infinity()}, times};
    unit.since = now;
    task.unit = static_cast<int>(units_.size());
    units_.push_back(std::move(unit));
  } else {
    task.unit = tasks_[static_cast<std::size_t>(existing->front())].unit;
  }
  unit(task.unit).tasks.push_back(number);
  slots[static_cast<std::size_t>(group)].push_back(number);
  tasks_.push_back(std::move(task));
  return number;
}

Accounts::Accounts(const std::vector<ServiceSpec>& services, const Agenda& agenda, Records& records)
    : services_{services}, agenda_{agenda}, records_{records}, outcomes_(services.size()), states_(services.size())
{
  for (const ServiceSpec& service : services)
    if (service.ends() || !service.clients.empty())
      ++unfinished_;
    else
      endless_ = true;
}

/// What is held is about to change.
Amount& Accounts::held(int service)
{
  State& now = state(service);
  of(service).held.add(now.held, agenda_.now() - std::exchange(now.held_since, agenda_.now()));
  return now.held;
}

void Accounts::hold(int service, const TaskShare& share)
{
  held(service) += amount_of(share);
  ++placements_;
}

void Accounts::release(int service, const TaskShare& share)
{
  held(service) -= amount_of(share);
}

void Accounts::starting(int service, const TaskShare& share, Instant since)
{
  of(service).starting.add(amount_of(share), agenda_.now() - since);
}

void Accounts::orphaned(int service, const TaskShare& share, Instant since)
{
  of(service).orphaned.add(amount_of(share), agenda_.now() - since);
}

void Accounts::want(int service, int more)
{
  state(service).desired += more;
  note(service);
}

void Accounts::run(int service, int more)
{
  note(service);
  state(service).running += more;
  note(service);
}

void Accounts::note(int service)
{
  State& state = this->state(service);
  ServiceOutcome& outcome = of(service);
  const Instant now = agenda_.now();
  const ServiceSpec& spec = services_[static_cast<std::size_t>(service)];
  const int enough = spec.coupling == Coupling::elastic ? std::min(spec.least_workers, state.desired) : state.desired;
  if (outcome.first_running < Instant{} && state.desired > 0 && state.running >= enough) {
    outcome.first_running = now;
    state.noted = now;
  }
  if (outcome.first_running >= Instant{} && now > state.noted && state.desired > 0) {
    const Instant span = now - state.noted;
    // The counts of the last stretch are those before this change; callers note before and after.
    outcome.since += span;
    if (state.running >= state.desired)
      outcome.full += span;
    outcome.replica_time += static_cast<Wide>(std::min(state.running, state.desired)) * span.count();
    outcome.desired_time += static_cast<Wide>(state.desired) * span.count();
  }
  state.noted = now;
  records_.replicas(service, state.desired, state.running);
}

std::vector<ServiceOutcome> Accounts::finish(const std::vector<Unit>& units)
{
  for (std::size_t s = 0; s < services_.size(); ++s) {
    note(static_cast<int>(s));
    ServiceOutcome& outcome = outcomes_[s];
    outcome.held.add(states_[s].held, agenda_.now() - states_[s].held_since);
  }
  for (const Unit& unit : units) {
    of(unit.service).parts += unit.progress.parts();
    of(unit.service).done += unit.progress.done();
  }
  for (const ServiceOutcome& outcome : outcomes_) {
    AmountTime parts = outcome.starting;
    for (const AmountTime* part :
         {&outcome.orphaned, &outcome.parts.restoring_gpu, &outcome.parts.useful_gpu, &outcome.parts.lost_gpu,
          &outcome.parts.saving_gpu, &outcome.parts.stalled_gpu, &outcome.parts.idle_gpu})
      parts += *part;
    if (!(parts == outcome.held))
      not_conserved("the parts of a service's time do not add up to what it held");
  }
  return std::move(outcomes_);
}

int Records::reason(const Message& why)
{
  const auto [found, fresh] = reason_numbers_.try_emplace(why.text, static_cast<int>(reasons_.size()));
  if (fresh)
    reasons_.push_back(why);
  return found->second;
}

std::size_t Records::log(const std::string& text)
{
  if (on_)
    log_.push_back({agenda_.now(), text});
  return log_.size() - 1;
}

void Records::rewrite(std::size_t line, const std::string& text)
{
  if (on_)
    log_[line].text = text;
}

int Records::instance(int task, const TaskShare& share, Instant pulled)
{
  if (!on_)
    return -1;
  instances_.push_back({.task = task,
                        .node = share.node,
                        .gpu_mask = share.gpu_mask,
                        .gpu_milli = share.gpu_milli,
                        .placed = agenda_.now(),
                        .pulled = pulled});
  return static_cast<int>(instances_.size()) - 1;
}

void Records::instance_pulled(int instance)
{
  if (instance >= 0)
    instances_[static_cast<std::size_t>(instance)].pulled = agenda_.now();
}

void Records::instance_runs(int instance)
{
  if (instance >= 0)
    instances_[static_cast<std::size_t>(instance)].running = agenda_.now();
}

void Records::instance_ends(int instance, EndReason reason)
{
  if (instance < 0)
    return;
  instances_[static_cast<std::size_t>(instance)].ended = agenda_.now();
  instances_[static_cast<std::size_t>(instance)].reason = reason;
}

void Records::phase(int task, Instant from, TaskPhase phase, int node, int why)
{
  if (on_)
    phases_.push_back({task, from, agenda_.now(), phase, node, why});
}

void Records::work(int unit, WorkRecord record)
{
  if (!on_)
    return;
  const auto at = static_cast<std::size_t>(unit);
  work_.resize(std::max(work_.size(), at + 1));
  std::vector<WorkRecord>& of_unit = work_[at];
  while (!of_unit.empty() && of_unit.back().from >= record.from)
    of_unit.pop_back(); // what was planned is void
  if (of_unit.empty() || !of_unit.back().like(record))
    of_unit.push_back(std::move(record));
}

void Records::replicas(int service, int desired, int running)
{
  if (!on_)
    return;
  const SeriesPoint point{agenda_.now(), service, desired, running};
  if (!series_.empty() && series_.back().time == point.time && series_.back().service == service)
    series_.back() = point;
  else
    series_.push_back(point);
}

void Records::give_to(OrchestrationResult& result)
{
  result.reasons = std::move(reasons_);
  result.log = std::move(log_);
  result.instances = std::move(instances_);
  result.work = std::move(work_);
  result.phases = std::move(phases_);
  result.series = std::move(series_);
}

} // namespace trainyard::orchestration
