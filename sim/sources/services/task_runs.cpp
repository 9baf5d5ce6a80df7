// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/task_runs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace trainyard::orchestration {

void TaskRuns::occupy(int number, int node)
{
  Task& task = book_.task(number);
  life_.unqueue(number);
  task.share = machines_.take(node, number, book_.request_of(task), task.service);
  task.holds = true;
  accounts_.hold(task.service, task.share);
  task.placed = agenda_.now();
  if (task.last_node >= 0 && task.last_node != node)
    ++accounts_.of(task.service).moves;
  faults_.moved(task, node);
  task.last_node = node;
  task.instance = records_.instance(number, task.share, agenda_.now());
  records_.log(fmt::format("{} placed on {}", book_.name(number), machines_.name(node)));
  if (const std::optional<int> image = images_.missing(book_.service_of(task), node)) {
    life_.set_phase(number, TaskPhase::pulling);
    images_.pull(number, *image);
  } else {
    start(number);
  }
}

void TaskRuns::start(int number)
{
  Task& task = book_.task(number);
  records_.instance_pulled(task.instance);
  life_.set_phase(number, TaskPhase::starting);
  const ServiceSpec& service = book_.service_of(task);
  const OrchestratorRules& rules = input_.rules;
  Instant start = rules.container_start + service.runtime_start;
  if (service.runtime == "bare" && !service.framework.empty() &&
      machines_.at(task.share.node).framework != service.framework) {
    // Without containers a machine has one framework; another one means to deploy the machine again.
    start += Instant{rules.redeploy};
    accounts_.of(task.service).redeploying += Instant{rules.redeploy};
    machines_.change(task.share.node, [&](Machines::Machine& machine) { machine.framework = service.framework; });
    records_.log(fmt::format("{} is redeployed for {}", machines_.name(task.share.node), service.framework));
  }
  if (start == Instant{})
    run(number);
  else
    agenda_.plan(agenda_.now() + start, EventKind::running, number, task.stamp);
}

void TaskRuns::run(int number)
{
  const Task& task = book_.task(number);
  accounts_.starting(task.service, task.share, task.placed);
  progress_.carry(task.unit);
  life_.set_phase(number, TaskPhase::running);
  records_.instance_runs(task.instance);
  progress_.burden(task, 1);
  faults_.back(number);
  if (const Seconds mtbf = input_.faults.process_mtbf(); mtbf > Seconds{0})
    agenda_.plan(agenda_.now() + Instant{1} + Instant{Seconds{std::min(1e11, process_draw_.exponential(mtbf.value()))}},
                 EventKind::crash, number, task.stamp);
  if (task.update >= 0)
    updates_.updated(number);
  progress_.refresh(task.unit);
  if (!finds_gpu_memory(number))
    recovery_.crash(number, EndReason::out_of_gpu_memory, -1);
}

/// Whether what processes of nobody's hold on its GPUs leaves what it takes.
bool TaskRuns::finds_room_beside_others(int number) const
{
  const Task& task = book_.task(number);
  if (input_.taken.empty() || !input_.takes || task.share.gpu_mask == 0)
    return true;
  const double wanted = input_.takes(task.service).value() / 1048576;
  const auto memory = static_cast<double>(input_.traits[static_cast<std::size_t>(task.share.node)].gpu_memory_mib);
  std::map<std::pair<int, std::string>, double> held; // by GPU and process
  for (const MemoryTaken& one : input_.taken)
    if (one.node == task.share.node && one.from <= agenda_.now() && (task.share.gpu_mask >> one.gpu & 1U) != 0)
      held[{one.gpu, one.process}] = one.MiB;
  std::map<int, double> of_gpu;
  for (const auto& [key, MiB] : held)
    of_gpu[key.first] += MiB;
  for (const auto& [gpu, MiB] : of_gpu)
    if (memory > 0 && wanted + MiB > memory + 1) {
      records_.log(fmt::format("{} takes {:.0f} MiB of GPU {} of {}, of which other processes leave {:.0f}",
                               book_.name(number), wanted, gpu, machines_.name(task.share.node), memory - MiB));
      return false;
    }
  return true;
}

/// Whether the GPU memory of its node is enough for the task beside the others.
bool TaskRuns::finds_gpu_memory(int number) const
{
  const Task& task = book_.task(number);
  if (!finds_room_beside_others(number))
    return false;
  const int node = task.share.node;
  const std::int64_t memory = input_.traits[static_cast<std::size_t>(node)].gpu_memory_mib;
  const std::int64_t wanted = book_.group_of(task).gpu_memory_mib, used = machines_.at(node).gpu_memory_mib;
  if (wanted <= 0 || memory <= 0 || used <= memory)
    return true;
  records_.log(fmt::format("{} finds {} MiB of {}'s GPU in use and too little free memory for itself",
                           book_.name(number), used - wanted, machines_.name(node)));
  return false;
}

void TaskRuns::work_done(int number)
{
  Unit& unit = book_.unit(number);
  const ServiceSpec& service = book_.service(unit.service);
  ServiceOutcome& outcome = accounts_.of(unit.service);
  progress_.carry(number);
  unit.progress.finish();
  if (!service.clients.empty()) {
    client_done(number);
    return;
  }
  const bool again = recovery_.restart_rule(service) == "always";
  records_.log(fmt::format("{} is done{}",
                           service.coupling == Coupling::independent && unit.tasks.size() == 1
                               ? book_.name(unit.tasks.front())
                               : service.name,
                           again ? "; its restart policy starts it again" : ""));
  if (!again) {
    unit.over = true;
    progress_.leave_links(unit);
  }
  for (const int task : std::vector<int>{unit.tasks})
    end_of_work(task, again);
  if (again) {
    unit.progress.start_over(service.work);
    if (outcome.finished < Instant{})
      outcome.finished = agenda_.now();
    progress_.refresh(number);
    // Restarted without end: the run needs another end than that of this service.
    if (service.ends() && outcome.restarts <= static_cast<int>(unit.tasks.size()))
      accounts_.goes_on();
    return;
  }
  progress_.refresh(number);
  if (book_.service_over(unit.service)) {
    outcome.finished = agenda_.now();
    accounts_.want_none(unit.service);
    accounts_.work_over();
  }
}

/// A task of a unit that has done its work ends, or starts @p again.
void TaskRuns::end_of_work(int number, bool again)
{
  const Task& task = book_.task(number);
  if (task.phase == TaskPhase::waiting)
    life_.unqueue(number);
  if (again && task.runs() && input_.rules.restarts_locally) {
    recovery_.restart_in_place(number, EndReason::finished);
    return;
  }
  const bool held = task.holds;
  life_.end_instance(number, EndReason::finished);
  if (again && held) {
    ++accounts_.of(task.service).restarts;
    life_.enqueue(number);
  } else {
    life_.set_phase(number, TaskPhase::finished);
    faults_.back(number);
  }
}

/// The unit has done one client's work and takes the next.
void TaskRuns::client_done(int number)
{
  Unit& unit = book_.unit(number);
  const ServiceSpec& service = book_.service(unit.service);
  ServiceOutcome& outcome = accounts_.of(unit.service);
  outcome.clients[unit.client].second = agenda_.now();
  records_.log(fmt::format("client {} of {} is done", unit.client, service.name));
  unit.has_client = false;
  ++unit.client;
  if (unit.client == service.clients.size()) {
    outcome.finished = agenda_.now();
    accounts_.work_over();
  }
  progress_.next_client(number);
  progress_.refresh(number);
}

} // namespace trainyard::orchestration
