// SPDX-License-Identifier: Apache-2.0
// The clock of the orchestrators: events in order, accounts, and the end of a run.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace trainyard {

OrchestrationResult orchestrate(const OrchestrationInput& input)
{
  return orchestration::Engine{input}.run();
}

namespace orchestration {

namespace {

/// Without `until` a run ends here at the latest: a job that loses more than it does never ends.
constexpr Micros longest_run = std::chrono::hours{24 * 365 * 10};

} // namespace

Engine::Engine(const OrchestrationInput& input, NodePool* shared)
    : input_{input}, rules_{input.rules}, machines_{input.cluster, input.traits, input.rules.placement,
                                                    input.rules.avoids_gpu_nodes, shared},
      schedule_{input.faults}, process_draw_{Random{input.faults.seed()}.stream("faults process")}
{
  until_ = input.until > Micros{0} ? input.until : longest_run;
  for (std::size_t i = 0; i < input.cluster.gpu_types.size(); ++i)
    gpu_types_.emplace(input.cluster.gpu_types[i], static_cast<int>(i));
  result_.services.resize(input.services.size());
  slots_.resize(input.services.size());
  held_.resize(input.services.size());
  held_since_.resize(input.services.size());
  desired_.assign(input.services.size(), 0);
  running_.assign(input.services.size(), 0);
  series_since_.resize(input.services.size());
  result_.disk_left.assign(input.cluster.nodes.size(), 0);
  fault_of_node_.assign(input.cluster.nodes.size(), -1);
  for (std::size_t node = 0; node < input.traits.size(); ++node) {
    if (input.traits[node].manages)
      manager_nodes_.push_back(static_cast<int>(node));
    if (input.traits[node].joins > Micros{0})
      plan(input.traits[node].joins, EventKind::join, static_cast<int>(node));
    for (const std::string& image : input.traits[node].images) {
      const int number = images_.try_emplace(image, static_cast<int>(images_.size())).first->second;
      machines_.change(static_cast<int>(node), [&](Machines::Machine& machine) {
        machine.images.push_back(number);
        std::ranges::sort(machine.images);
      });
    }
  }
  managers_down_.assign(manager_nodes_.empty() ? static_cast<std::size_t>(rules_.managers) : manager_nodes_.size(), 0);
  for (std::size_t s = 0; s < input.services.size(); ++s) {
    const ServiceSpec& service = input.services[s];
    slots_[s].resize(service.groups.size());
    if (service.ends() || !service.clients.empty())
      ++unfinished_;
    else
      endless_ = true;
    plan(to_micros(service.arrival), EventKind::arrival, static_cast<int>(s));
  }
}

void Engine::plan(Micros time, EventKind kind, int subject, std::uint32_t stamp, int detail)
{
  if (time <= until_)
    events_.push({time, order_++, kind, subject, stamp, detail});
}

int Engine::reason(const std::string& text)
{
  const auto [found, fresh] = reason_numbers_.try_emplace(text, static_cast<int>(result_.reasons.size()));
  if (fresh)
    result_.reasons.push_back(text);
  return found->second;
}

void Engine::log(const std::string& text)
{
  if (input_.record)
    result_.log.push_back({now_, text});
}

Amount Engine::amount_of(const TaskShare& share)
{
  return {static_cast<std::int64_t>(share.gpus()) * share.gpu_milli, share.cpu_milli, share.memory_mib};
}

/// Accounts of the whole cluster up to @p time.
void Engine::forward(Micros time)
{
  const Micros span = time - now_;
  if (span > Micros{0}) {
    result_.idle.add(machines_.idle(), span);
    result_.down.add(machines_.down(), span);
    result_.elsewhere.add(machines_.elsewhere(), span);
    now_ = time;
  }
}

bool Engine::all_done() const
{
  return unfinished_ == 0 && !endless_;
}

std::optional<Micros> Engine::next() const
{
  std::optional<Micros> time = schedule_.next();
  if (!events_.empty() && (!time || events_.top().time < *time))
    time = events_.top().time;
  // Random failures never end: if only they are left, nothing changes any more.
  if (time && (*time > until_ || (schedule_.random() && input_.until == Micros{0} && quiet_faults_ > 100'000)))
    return std::nullopt;
  return time;
}

void Engine::act(Micros time)
{
  forward(time);
  follow_links();
  while (schedule_.next() && *schedule_.next() <= now_)
    fault(schedule_.take());
  while (!events_.empty() && events_.top().time <= now_) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
    ++result_.events;
  }
  machines_.gained_elsewhere(); // all of it is looked at now
  decide();
  for (const int node : std::exchange(burdened_, {}))
    refresh_node(node);
  if (reasons_stale_)
    update_reasons();
}

OrchestrationResult Engine::run()
{
  while (!all_done()) {
    const std::optional<Micros> time = next();
    if (!time)
      break;
    act(*time);
  }
  return finish();
}

OrchestrationResult Engine::finish(std::optional<Micros> ended)
{
  const bool open = !all_done();
  if (ended)
    forward(*ended);
  else if (open && input_.until > Micros{0})
    forward(until_);
  else if (open && !events_.empty())
    forward(until_);
  if (open && input_.until == Micros{0} && !ended)
    result_.warnings.push_back(
        fmt::format("ended at {} with unfinished work; `simrun explain` says why", clock_text(now_)));
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    carry(static_cast<int>(unit));
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = tasks_[i];
    if (task.holds && task.phase != TaskPhase::running)
      outcome_of(task).starting.add(amount_of(task.share), now_ - task.placed);
    if (input_.record && task.phase != TaskPhase::absent)
      result_.phases.push_back({static_cast<int>(i), task.since, now_, task.phase, task.holds ? task.share.node : -1,
                                blocked_reason(static_cast<int>(i))});
    result_.task_service.push_back(task.service);
    result_.task_phase.push_back(task.phase);
  }
  for (Orphan& orphan : orphans_)
    if (!orphan.over)
      result_.services[static_cast<std::size_t>(tasks_[static_cast<std::size_t>(orphan.task)].service)].orphaned.add(
          amount_of(orphan.share), now_ - orphan.since);
  for (Surge& surge : surges_)
    if (!surge.over)
      result_.services[static_cast<std::size_t>(tasks_[static_cast<std::size_t>(surge.task)].service)].starting.add(
          amount_of(surge.share), now_ - surge.placed);
  for (std::size_t s = 0; s < input_.services.size(); ++s) {
    note_series(static_cast<int>(s));
    ServiceOutcome& outcome = result_.services[s];
    outcome.held.add(held_[s], now_ - held_since_[s]);
    outcome.failed =
        outcome.failed || (input_.services[s].ends() && outcome.finished < Micros{0} && input_.until == Micros{0});
    const auto add = [](TimeParts& sum, const TimeParts& part) {
      sum.restoring += part.restoring;
      sum.useful += part.useful;
      sum.lost += part.lost;
      sum.saving += part.saving;
      sum.stalled += part.stalled;
      sum.idle += part.idle;
      sum.restoring_gpu += part.restoring_gpu;
      sum.useful_gpu += part.useful_gpu;
      sum.lost_gpu += part.lost_gpu;
      sum.saving_gpu += part.saving_gpu;
      sum.stalled_gpu += part.stalled_gpu;
      sum.idle_gpu += part.idle_gpu;
    };
    for (const Unit& unit : units_)
      if (unit.service == static_cast<int>(s)) {
        add(outcome.parts, unit.progress.parts());
        outcome.done += unit.progress.done();
      }
  }
  for (FaultOutcome& fault : result_.faults)
    if (fault.event.until != never && fault.event.until <= now_)
      fault.ended = fault.event.until;
  for (std::size_t fault = 0; fault < result_.faults.size(); ++fault)
    fault_words(static_cast<int>(fault));
  result_.ended = now_;
  result_.capacity.add(machines_.capacity(), now_);
  AmountTime sum = result_.idle;
  sum += result_.down;
  sum += result_.elsewhere;
  for (const ServiceOutcome& outcome : result_.services) {
    sum += outcome.held;
    AmountTime parts = outcome.starting;
    for (const AmountTime* part :
         {&outcome.orphaned, &outcome.parts.restoring_gpu, &outcome.parts.useful_gpu, &outcome.parts.lost_gpu,
          &outcome.parts.saving_gpu, &outcome.parts.stalled_gpu, &outcome.parts.idle_gpu})
      parts += *part;
    if (!(parts == outcome.held))
      throw std::logic_error{"the parts of a service's time do not add up to what it held"};
  }
  if (!(sum == result_.capacity))
    throw std::logic_error{"held, idle and down time do not add up to the capacity"};
  return std::move(result_);
}

void Engine::handle(const Event& event)
{
  const int subject = event.subject;
  const auto live = [&] { return task_at(subject).stamp == event.stamp; };
  switch (event.kind) {
  case EventKind::arrival:
    arrive(subject);
    break;
  case EventKind::repair:
    repair(subject);
    break;
  case EventKind::detect:
    detect(subject, event.stamp);
    break;
  case EventKind::evict:
    evict(subject, event.stamp);
    break;
  case EventKind::notice:
    if (live())
      notice(subject);
    break;
  case EventKind::ready:
    if (live() && task_at(subject).phase == TaskPhase::backoff) {
      if (task_at(subject).holds)
        started(subject);
      else
        enqueue(subject);
    }
    break;
  case EventKind::pulled:
    if (event.stamp == pulls_stamp_)
      pulls_done();
    break;
  case EventKind::running:
    if (live())
      running(subject);
    break;
  case EventKind::stopped:
    if (live())
      stop(subject, static_cast<EndReason>(event.detail),
           task_at(subject).wanted ? TaskPhase::waiting : TaskPhase::absent);
    break;
  case EventKind::finished:
    if (units_[static_cast<std::size_t>(subject)].stamp == event.stamp)
      finished(subject);
    break;
  case EventKind::tick:
    tick_planned_ = false;
    break;
  case EventKind::update:
    begin_update(subject, event.detail);
    break;
  case EventKind::update_batch:
    update_batch(subject);
    break;
  case EventKind::update_swap:
    swap_surge(subject);
    break;
  case EventKind::scale: {
    const ScaleSpec& spec =
        input_.services[static_cast<std::size_t>(subject)].scaling[static_cast<std::size_t>(event.detail)];
    scale(subject, spec.group, spec.replicas);
    break;
  }
  case EventKind::rate:
    follow_rate(subject);
    break;
  case EventKind::client:
    for (const auto& group : slots_[static_cast<std::size_t>(subject)])
      for (const int task : group)
        next_client(task_at(task).unit);
    break;
  case EventKind::join:
    machines_.change(subject, [](Machines::Machine& machine) { machine.joined = true; });
    log(fmt::format("{} joins", machines_.name(subject)));
    break;
  case EventKind::cleanup: {
    Orphan& orphan = orphans_[static_cast<std::size_t>(subject)];
    if (!orphan.over)
      release_orphan(orphan, EndReason::job_ended);
    break;
  }
  case EventKind::crash:
    if (live())
      crash(subject, EndReason::crashed, -1);
    break;
  }
}

} // namespace orchestration
} // namespace trainyard
