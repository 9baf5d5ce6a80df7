// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/task_book.hpp"

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

} // namespace trainyard::orchestration
