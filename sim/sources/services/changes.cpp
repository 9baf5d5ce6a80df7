// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard::orchestration {

void Changes::arrive(int service)
{
  const ServiceSpec& spec = book_.service(service);
  std::vector<int> fresh;
  for (std::size_t group = 0; group < spec.groups.size(); ++group)
    for (int i = 0; i < spec.groups[group].replicas; ++i)
      fresh.push_back(book_.add(service, static_cast<int>(group), agenda_.now()));
  for (const int task : fresh)
    book_.task(task).wanted = true;
  accounts_.want(service, static_cast<int>(fresh.size()));
  for (const int task : fresh)
    life_.enqueue(task);
  const auto plan = [&](Seconds at, EventKind kind, std::size_t number = 0) {
    agenda_.plan(std::max(agenda_.now(), Instant{at}), kind, service, 0, static_cast<int>(number));
  };
  for (std::size_t i = 0; i < spec.scaling.size(); ++i)
    plan(spec.scaling[i].at, EventKind::scale, i);
  for (std::size_t i = 0; i < spec.updates.size(); ++i)
    plan(spec.updates[i].at, EventKind::update, i);
  for (const ClientSpec& client : spec.clients)
    plan(client.at, EventKind::client);
  if (spec.serving.scales)
    for (const auto& [from, rate] : spec.serving.rate)
      plan(from + spec.serving.scale_delay, EventKind::rate);
  accounts_.of(service).clients.assign(spec.clients.size(), {Instant{-1}, Instant{-1}});
}

void Changes::begin_update(int service, int number)
{
  update_batch(updates_.begin(service, book_.service(service).updates[static_cast<std::size_t>(number)]));
}

void Changes::update_batch(int number)
{
  if (!waiting_.quorum()) { // asked again when the next second has passed
    agenda_.plan(agenda_.now() + std::chrono::seconds{1}, EventKind::update_batch, number);
    return;
  }
  for (const int task : updates_.next_batch(number)) {
    book_.task(task).update = number;
    if (updates_.start_first(number) && book_.task(task).runs() && surges_.start(task))
      continue;
    life_.begin_stop(task, EndReason::updated);
  }
}

void Changes::scale(int service, int number)
{
  const ScaleSpec& spec = book_.service(service).scaling[static_cast<std::size_t>(number)];
  scale_to(service, spec.group, spec.replicas);
}

void Changes::follow_rate(int service)
{
  const ServingSpec& serving = book_.service(service).serving;
  double rate = 0;
  for (const auto& [from, value] : serving.rate)
    if (Instant{from + serving.scale_delay} <= agenda_.now())
      rate = value;
  const double exact = rate / (serving.capacity * serving.target);
  scale_to(service, 0,
           static_cast<int>(std::clamp(std::ceil(exact - 1e-9), static_cast<double>(serving.least),
                                       static_cast<double>(serving.most))));
}

void Changes::scale_to(int service, int group, int replicas)
{
  const ServiceSpec& spec = book_.service(service);
  const auto& slots = book_.slots(service)[static_cast<std::size_t>(group)];
  if (accounts_.of(service).finished >= Instant{} && book_.service_over(service))
    return; // who has done its work wants nobody
  if (spec.coupling != Coupling::independent &&
      std::ranges::any_of(slots, [&](int task) { return book_.unit_of(task).over; }))
    return;
  const auto now = std::ranges::count_if(slots, [&](int task) { return book_.task(task).wanted; });
  if (now == replicas)
    return;
  const std::string& role = spec.groups[static_cast<std::size_t>(group)].role;
  records_.log(fmt::format("{} changes to {} replicas{} (before: {})", spec.name, replicas,
                           role.empty() ? "" : " of " + role, now));
  const bool changed = !slots.empty() || replicas > 0;
  while (static_cast<int>(slots.size()) < replicas)
    book_.add(service, group, agenda_.now());
  std::vector<int> start, end;
  for (std::size_t index = 0; index < slots.size(); ++index) {
    Task& task = book_.task(slots[index]);
    const bool wanted = static_cast<int>(index) < replicas;
    if (wanted != task.wanted)
      (wanted ? start : end).push_back(slots[index]);
  }
  accounts_.note(service);
  for (const int task : start)
    book_.task(task).wanted = true;
  for (const int task : end)
    book_.task(task).wanted = false;
  accounts_.want(service, static_cast<int>(start.size()) - static_cast<int>(end.size()));
  // A ClusterSpec is fixed when a job's processes start: with more or fewer of them, all restart.
  if (changed && (spec.coupling == Coupling::sync || spec.coupling == Coupling::async ||
                  spec.coupling == Coupling::mpi || spec.coupling == Coupling::sync_replicas))
    restart_all(service);
  for (const int task : end)
    if (book_.task(task).phase != TaskPhase::absent)
      life_.begin_stop(task, EndReason::scaled_down);
  for (const int task : start)
    if (book_.task(task).phase == TaskPhase::absent)
      life_.enqueue(task);
  for (const int task : book_.tasks_of(service))
    progress_.refresh(book_.task(task).unit);
}

void Changes::restart_all(int service)
{
  records_.log(fmt::format("{} restarts completely: its members are fixed at the start", book_.service(service).name));
  for (const int task : book_.tasks_of(service))
    if (book_.task(task).wanted && book_.task(task).holds) {
      ++accounts_.of(service).restarts;
      life_.begin_stop(task, EndReason::updated);
    }
}

} // namespace trainyard::orchestration
