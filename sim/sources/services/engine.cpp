// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/engine.hpp"

#include "models/core/conservation.hpp"
#include "models/core/interrupt.hpp"
#include "sim/sources/scenario_runner.hpp"

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

constexpr Sentence<Message> unfinished_work{"services.unfinished_work",
                                            "ended at {when} with unfinished work; `simrun explain` says why"};

/// Without `until` a run ends here at the latest: a job that loses more than it does never ends.
constexpr Instant longest_run = std::chrono::hours{24 * 365 * 10};

} // namespace

Engine::Engine(const OrchestrationInput& input, NodePool* shared)
    : input_{input}, rules_{input.rules}, schedule_{input.faults}, machines_{input.cluster, input.traits,
                                                                             rules_.placement, rules_.avoids_gpu_nodes,
                                                                             shared},
      agenda_{input.until > Instant{} ? input.until : longest_run}
{
  for (std::size_t i = 0; i < input.traits.size(); ++i) {
    const int node = static_cast<int>(i);
    if (input.traits[i].joins > Instant{})
      agenda_.plan(input.traits[i].joins, EventKind::join, node);
    for (const std::string& image : input.traits[i].images)
      images_.put(node, image);
  }
  for (std::size_t s = 0; s < input.services.size(); ++s)
    agenda_.plan(Instant{input.services[s].arrival}, EventKind::arrival, static_cast<int>(s));
}

void Engine::forward(Instant time)
{
  const Instant span = agenda_.forward(time);
  result_.idle.add(machines_.idle(), span);
  result_.down.add(machines_.down(), span);
  result_.elsewhere.add(machines_.elsewhere(), span);
}

std::optional<Instant> Engine::next() const
{
  const bool may_place = machines_.may_have_gained() && !waiting_.empty(); // others have given something back
  if (may_place || progress_.links_changed())
    return Instant{0};
  const std::optional<Instant> time = next_event();
  return time && *time < end_of_time ? time : std::nullopt;
}

std::optional<Instant> Engine::next_event() const
{
  std::optional<Instant> time = schedule_.next();
  if (const std::optional<Instant> planned = agenda_.next(); planned && (!time || *planned < *time))
    time = planned;
  // Random failures never end: if only they are left, nothing changes any more.
  if (time &&
      (*time > agenda_.until() || (schedule_.random() && input_.until == Instant{} && faults_.quiet() > 100'000)))
    return std::nullopt;
  return time;
}

void Engine::act(Instant time)
{
  check_interrupt();
  forward(time);
  progress_.follow_links();
  while (schedule_.next() && *schedule_.next() <= agenda_.now())
    failures_.begin(schedule_.take());
  while (const std::optional<Event> event = agenda_.take()) {
    handle(*event);
    ++result_.events;
  }
  machines_.gained_elsewhere(); // all of it is looked at now
  placing_.decide();
  progress_.refresh_burdened();
  waiting_.update_reasons();
}

OrchestrationResult Engine::run()
{
  while (!accounts_.all_done()) {
    const std::optional<Instant> time = next_event();
    if (!time)
      break;
    act(*time);
  }
  return finish();
}

OrchestrationResult Engine::finish(std::optional<Instant> ended)
{
  const bool open = !accounts_.all_done(), to_the_end = input_.until == Instant{};
  if (ended)
    forward(*ended);
  else if (open && (!to_the_end || agenda_.next()))
    forward(agenda_.until());
  const Instant now = agenda_.now();
  if (open && to_the_end && !ended)
    result_.warnings.push_back(unfinished_work(clock(now)));
  progress_.carry_all();
  for (int i = 0; i < book_.size(); ++i) {
    const Task& task = book_.task(i);
    if (task.holds && !task.runs())
      accounts_.starting(task.service, task.share, task.placed);
    life_.record_phase(i);
    result_.task_service.push_back(task.service);
    result_.task_group.push_back(task.group);
    result_.task_unit.push_back(task.unit);
    result_.task_phase.push_back(task.phase);
  }
  result_.task_names = book_.names();
  result_.disk_left = life_.disk_left();
  orphans_.finish();
  surges_.finish();
  result_.placements = accounts_.placements();
  result_.services = accounts_.finish(book_.units());
  result_.faults = faults_.finish();
  records_.give_to(result_);
  result_.ended = now;
  result_.capacity.add(machines_.capacity(), now);
  AmountTime sum = result_.idle;
  sum += result_.down;
  sum += result_.elsewhere;
  for (const ServiceOutcome& outcome : result_.services)
    sum += outcome.held;
  if (!(sum == result_.capacity))
    not_conserved("held, idle and down time do not add up to the capacity");
  return std::move(result_);
}

void Engine::handle(const Event& event)
{
  const int subject = event.subject;
  switch (event.kind) {
  case EventKind::arrival:
    return changes_.arrive(subject);
  case EventKind::repair:
    return failures_.repair(subject);
  case EventKind::detect:
    return nodes_.detect(subject, event.stamp);
  case EventKind::evict:
    return nodes_.evict(subject, event.stamp);
  case EventKind::pulled:
    images_.pulled(event.stamp, [this](int task) { runs_.start(task); });
    break;
  case EventKind::finished:
    if (book_.unit(subject).stamp == event.stamp)
      runs_.work_done(subject);
    break;
  case EventKind::tick:
    return placing_.tick();
  case EventKind::update:
    return changes_.begin_update(subject, event.detail);
  case EventKind::update_batch:
    return changes_.update_batch(subject);
  case EventKind::update_swap:
    return surges_.swap(subject);
  case EventKind::look:
    return progress_.refresh(subject);
  case EventKind::scale:
    return changes_.scale(subject, event.detail);
  case EventKind::rate:
    return changes_.follow_rate(subject);
  case EventKind::client:
    for (const int task : book_.tasks_of(subject))
      progress_.next_client(book_.task(task).unit);
    break;
  case EventKind::join:
    machines_.join(subject);
    records_.log(fmt::format("{} joins", machines_.name(subject)));
    break;
  case EventKind::cleanup:
    return orphans_.end(subject, EndReason::job_ended);
  default:
    if (book_.task(subject).stamp == event.stamp)
      handle_task(event);
  }
}

/// What was planned for a task that has not changed since.
void Engine::handle_task(const Event& event)
{
  const Task& task = book_.task(event.subject);
  switch (event.kind) {
  case EventKind::notice:
    return recovery_.notice(event.subject);
  case EventKind::ready:
    if (task.phase == TaskPhase::backoff && task.holds)
      runs_.start(event.subject);
    else if (task.phase == TaskPhase::backoff)
      life_.enqueue(event.subject);
    break;
  case EventKind::running:
    return runs_.run(event.subject);
  case EventKind::stopped:
    return life_.stop(event.subject, static_cast<EndReason>(event.detail));
  case EventKind::crash:
    return recovery_.crash(event.subject, EndReason::crashed, -1);
  default:
    throw std::logic_error{"an event of a task that nobody handles"};
  }
}

} // namespace orchestration
} // namespace trainyard
