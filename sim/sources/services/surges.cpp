// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/surges.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard::orchestration {

bool Surges::start(int number)
{
  const Task& task = book_.task(number);
  const ServiceSpec& service = book_.service_of(task);
  const NodeRequest& request = book_.request_of(task);
  const int node = machines_.find(request);
  if (node < 0) {
    records_.log(fmt::format("no node has space for a second {}: the old one stops first", book_.name(number)));
    return false;
  }
  Surge surge;
  surge.task = number;
  surge.placed = agenda_.now();
  surge.share = machines_.take(node, number, request, task.service);
  accounts_.hold(task.service, surge.share);
  const Instant pulled = images_.pull_alone(service, node);
  surge.instance = records_.instance(number, surge.share, pulled);
  records_.log(fmt::format("{} placed on {}; the old one still runs", book_.name(number), machines_.name(node)));
  surges_.push_back(surge);
  agenda_.plan(pulled + Instant{rules_.container_start + service.runtime_start}, EventKind::update_swap,
               static_cast<int>(surges_.size()) - 1);
  return true;
}

void Surges::swap(int index)
{
  Surge& surge = surges_[static_cast<std::size_t>(index)];
  if (surge.over)
    return;
  const int number = surge.task;
  Task& task = book_.task(number);
  if (!task.wanted || book_.unit(task.unit).over) {
    cancel(surge);
    return;
  }
  surge.over = true;
  accounts_.starting(task.service, surge.share, surge.placed);
  if (task.phase == TaskPhase::waiting)
    life_.unqueue(number);
  if (task.holds)
    life_.end_and_lose(number, EndReason::updated);
  else
    machines_.change(std::max(0, task.last_node),
                     [&](Machines::Machine& machine) { std::erase(machine.dead, number); });
  task.share = surge.share;
  task.holds = true;
  task.instance = surge.instance;
  task.last_node = surge.share.node;
  task.placed = agenda_.now();
  // The accounts have the share already; the task was placed now, so its run adds no time of starting.
  runs_.run(number);
}

void Surges::cancel_on(int node)
{
  for (Surge& surge : surges_)
    if (!surge.over && surge.share.node == node)
      cancel(surge);
}

void Surges::cancel_on_gpu(int node, int gpu)
{
  for (Surge& surge : surges_)
    if (!surge.over && surge.share.node == node && (surge.share.gpu_mask >> gpu & 1u) != 0)
      cancel(surge);
}

void Surges::cancel(Surge& surge)
{
  surge.over = true;
  const Task& task = book_.task(surge.task);
  accounts_.starting(task.service, surge.share, surge.placed);
  life_.give_back(surge.share, surge.task, surge.instance, EndReason::node_lost);
  if (task.update >= 0 && task.wanted)
    updates_.updated(surge.task); // the old instance stays; the update goes on with the next tasks
}

void Surges::finish()
{
  for (const Surge& surge : surges_)
    if (!surge.over)
      accounts_.starting(book_.task(surge.task).service, surge.share, surge.placed);
}

} // namespace trainyard::orchestration
