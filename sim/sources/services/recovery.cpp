// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/recovery.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace trainyard::orchestration {
namespace {

constexpr Sentence<std::string> waits_for{"services.waits_for",
                                          "waits for {node} to come back: it has no reschedule policy"};
constexpr Sentence<std::string> lost_container{"services.lost_container",
                                               "{node} is lost, and no service replaces a stand-alone container"};
constexpr Sentence<std::string> lost_processes{"services.lost_processes",
                                               "{node} is lost, and the orchestrator does not replace its processes"};
constexpr Sentence<std::string> lost_for_good{"services.lost_for_good",
                                              "{node} is lost, and it has no reschedule policy"};
constexpr Sentence<std::string> lost_rank{"services.lost_rank",
                                          "{service} has ended: an MPI job does not survive the loss of a rank"};
constexpr Sentence<> never_restarts{"services.never_restarts", "its restart policy is never"};
constexpr Sentence<std::int64_t> few_restarts{"services.few_restarts",
                                              "its policy allows only {restarts|restart|restarts}"};

} // namespace

void Recovery::replace(int number, const std::string& node)
{
  Task& task = book_.task(number);
  const ServiceSpec& service = book_.service_of(task);
  if (!task.wanted)
    return life_.set_phase(number, TaskPhase::absent);
  if (service.coupling == Coupling::mpi) {
    job_lost_rank(task.unit, number);
    return;
  }
  if (may_move(service)) {
    ++accounts_.of(task.service).restarts;
    faults_.ordered(task);
    life_.enqueue(number);
    return;
  }
  const bool returns = rules_.restarts_locally && restart_rule(service) != "never";
  const int fault = FaultBook::last(task);
  if (returns && fault >= 0 && faults_.event(fault).until < end_of_time) {
    life_.set_phase(number, TaskPhase::evicting, records_.reason(waits_for(node)));
    machines_.change(task.last_node, [&](Machines::Machine& machine) { machine.dead.push_back(number); });
    return;
  }
  if (service.standalone)
    life_.give_up(number, lost_container(node));
  else if (!rules_.heals)
    life_.give_up(number, lost_processes(node));
  else
    life_.give_up(number, lost_for_good(node));
}

void Recovery::crash(int number, EndReason reason, int fault)
{
  Task& task = book_.task(number);
  if (!task.holds || task.phase == TaskPhase::stopping)
    return;
  faults_.hit(number, fault);
  ++task.restarts;
  if (task.runs() && rules_.longest_restart_delay > Seconds{0} &&
      agenda_.now() - task.since > 2 * Instant{rules_.longest_restart_delay})
    task.restarts = 1;
  if (reason == EndReason::crashed && rules_.restarts_locally && may_restart(task) &&
      book_.service_of(task).coupling != Coupling::mpi) {
    restart_in_place(number, reason);
    return;
  }
  life_.end_instance(number, reason);
  life_.lose(number, reason);
  progress_.refresh(task.unit);
  agenda_.plan(agenda_.now() + Instant{rules_.process_detection}, EventKind::notice, number, task.stamp);
}

void Recovery::restart_in_place(int number, EndReason reason)
{
  Task& task = book_.task(number);
  const Instant detected = agenda_.now() + Instant{rules_.process_detection};
  const bool ran = task.runs();
  if (ran) {
    progress_.carry(task.unit);
    progress_.burden(task, -1);
  } else {
    accounts_.starting(task.service, task.share, task.placed);
  }
  life_.set_phase(number, TaskPhase::backoff);
  if (ran)
    life_.lose(number, reason);
  ++accounts_.of(task.service).restarts;
  task.placed = agenda_.now();
  records_.instance_ends(task.instance, reason);
  task.instance = records_.instance(number, task.share, agenda_.now());
  records_.log(fmt::format("{} restarts in place on {}", book_.name(number), machines_.name(task.share.node)));
  faults_.detected(FaultBook::last(task), detected);
  faults_.moved(task, task.share.node);
  agenda_.plan(detected + restart_delay(task), EventKind::ready, number, task.stamp);
  progress_.refresh(task.unit);
}

void Recovery::notice(int number, bool boots)
{
  Task& task = book_.task(number);
  const ServiceSpec& service = book_.service_of(task);
  if (!task.wanted)
    return life_.set_phase(number, TaskPhase::absent);
  if (!waiting_.quorum() && !rules_.restarts_locally) {
    unnoticed_.push_back(number);
    return;
  }
  if (rules_.heals)
    faults_.detected(FaultBook::last(task), agenda_.now());
  if (service.coupling == Coupling::mpi)
    return job_lost_rank(task.unit, number);
  if (!may_restart(task)) {
    life_.give_up(number, restart_rule(service) == "never" ? never_restarts() : few_restarts(service.restart_attempts));
    return;
  }
  ++accounts_.of(task.service).restarts;
  faults_.ordered(task);
  life_.start_after(number, boots && rules_.restarts_locally ? Instant{} : restart_delay(task));
}

void Recovery::notice_all()
{
  for (const int task : std::exchange(unnoticed_, {}))
    if (book_.task(task).phase == TaskPhase::unnoticed)
      notice(task);
}

/// One rank of an MPI job has ended, so the job ends. If its processes are not tracked, the others keep running.
void Recovery::job_lost_rank(int number, int first)
{
  const std::vector<int> tasks = book_.unit(number).tasks;
  const ServiceSpec& service = book_.service(book_.unit(number).service);
  const bool again = restart_rule(service) != "never" && rules_.heals && may_restart(book_.task(first));
  records_.log(fmt::format("{} has lost {} and ends{}", service.name, book_.name(first),
                           !rules_.tracks_processes ? "; its other processes are not tracked and keep running" : ""));
  const int fault = FaultBook::last(book_.task(first));
  for (const int other : tasks) {
    const Task& task = book_.task(other);
    if (task.phase == TaskPhase::waiting)
      life_.unqueue(other);
    if (task.holds && other != first)
      faults_.hit(other, fault);
    if (task.holds && !rules_.tracks_processes && task.runs()) {
      const int orphan = orphans_.leave(other, TaskPhase::unnoticed, EndReason::job_ended);
      if (rules_.orphan_cleanup > Seconds{0})
        agenda_.plan(agenda_.now() + Instant{rules_.orphan_cleanup}, EventKind::cleanup, orphan);
    } else if (task.holds) {
      life_.end_and_lose(other, EndReason::job_ended);
    } else if (task.phase != TaskPhase::gone) {
      life_.set_phase(other, TaskPhase::unnoticed);
    }
  }
  progress_.refresh(number);
  for (const int other : tasks)
    machines_.change(std::max(0, book_.task(other).last_node),
                     [&](Machines::Machine& machine) { std::erase(machine.dead, other); });
  if (!again) {
    for (const int other : tasks)
      if (book_.task(other).phase != TaskPhase::gone)
        life_.give_up(other, lost_rank(service.name));
    return;
  }
  ++accounts_.of(book_.unit(number).service).restarts;
  const Instant delay = restart_delay(book_.task(first));
  for (const int other : tasks)
    if (book_.task(other).wanted) {
      book_.task(other).why = -1;
      life_.start_after(other, delay);
    }
}

bool Recovery::may_move(const ServiceSpec& service) const
{
  return rules_.heals && !service.standalone && service.reschedule.value_or(rules_.reschedules);
}

bool Recovery::may_restart(const Task& task) const
{
  const ServiceSpec& service = book_.service_of(task);
  return restart_rule(service) != "never" &&
         (service.restart_attempts == 0 || task.restarts <= service.restart_attempts) &&
         (rules_.heals || rules_.restarts_locally);
}

Instant Recovery::restart_delay(const Task& task) const
{
  const Seconds first = book_.service_of(task).restart_delay.value_or(rules_.restart_delay);
  if (rules_.longest_restart_delay == Seconds{0} || rules_.restart_backoff <= 1)
    return Instant{first};
  const double grown = first.value() * std::pow(rules_.restart_backoff, std::min(60, std::max(0, task.restarts - 1)));
  return Instant{Seconds{std::min(grown, std::max(first.value(), rules_.longest_restart_delay.value()))}};
}

std::string Recovery::restart_rule(const ServiceSpec& service) const
{
  if (!service.restart.empty())
    return service.restart;
  if (service.standalone)
    return "never";
  if (rules_.restart == "always" && (service.ends() || !service.clients.empty()))
    return "on_failure";
  return rules_.restart;
}

int Orphans::leave(int number, TaskPhase phase, EndReason reason)
{
  Task& task = book_.task(number);
  progress_.carry(task.unit);
  if (task.runs())
    progress_.burden(task, -1);
  orphans_.push_back({.task = number, .instance = task.instance, .share = task.share, .since = agenda_.now()});
  task.instance = -1;
  life_.set_phase(number, phase);
  task.holds = false;
  life_.lose(number, reason);
  return static_cast<int>(orphans_.size()) - 1;
}

void Orphans::end(int number, EndReason reason)
{
  Orphan& orphan = orphans_[static_cast<std::size_t>(number)];
  if (orphan.over)
    return;
  orphan.over = true;
  accounts_.orphaned(book_.task(orphan.task).service, orphan.share, orphan.since);
  life_.give_back(orphan.share, orphan.task, orphan.instance, reason);
}

void Orphans::end_on(int node)
{
  for (std::size_t i = 0; i < orphans_.size(); ++i)
    if (orphans_[i].share.node == node)
      end(static_cast<int>(i), EndReason::job_ended);
}

void Orphans::end_on_gpu(int node, int gpu)
{
  for (std::size_t i = 0; i < orphans_.size(); ++i)
    if (orphans_[i].share.node == node && (orphans_[i].share.gpu_mask >> gpu & 1u) != 0)
      end(static_cast<int>(i), EndReason::gpu_lost);
}

void Orphans::finish()
{
  for (const Orphan& orphan : orphans_)
    if (!orphan.over)
      accounts_.orphaned(book_.task(orphan.task).service, orphan.share, orphan.since);
}

} // namespace trainyard::orchestration
