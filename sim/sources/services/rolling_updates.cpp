// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/task_runs.hpp"

#include <fmt/format.h>
#include <utility>

namespace trainyard::orchestration {

int RollingUpdates::begin(int service, const UpdateSpec& spec)
{
  Update update;
  update.service = service;
  update.spec = spec;
  update.began = agenda_.now();
  for (const int task : book_.tasks_of(service))
    if (book_.task(task).wanted && !book_.unit_of(task).over)
      update.tasks.push_back(task);
  records_.log(fmt::format("{} is updated: {} tasks", book_.service(service).name, update.tasks.size()));
  updates_.push_back(std::move(update));
  return static_cast<int>(updates_.size()) - 1;
}

std::vector<int> RollingUpdates::next_batch(int number)
{
  Update& update = updates_[static_cast<std::size_t>(number)];
  const int at_once = update.spec.parallelism.value_or(rules_.update_parallelism);
  std::vector<int> batch;
  while (update.next < update.tasks.size() && static_cast<int>(batch.size()) < at_once) {
    const int task = update.tasks[update.next++];
    if (book_.task(task).wanted && !book_.unit_of(task).over && book_.task(task).phase != TaskPhase::gone)
      batch.push_back(task);
  }
  update.under_way = static_cast<int>(batch.size());
  if (batch.empty())
    log_done(update);
  return batch;
}

bool RollingUpdates::start_first(int number) const
{
  const std::string& order = updates_[static_cast<std::size_t>(number)].spec.order;
  return (order.empty() ? rules_.update_order : order) == "start_first";
}

void RollingUpdates::updated(int task)
{
  const int number = std::exchange(book_.task(task).update, -1);
  Update& update = updates_[static_cast<std::size_t>(number)];
  if (--update.under_way > 0)
    return;
  if (update.next >= update.tasks.size()) {
    log_done(update);
    return;
  }
  agenda_.plan(agenda_.now() + Instant{update.spec.delay.value_or(rules_.update_delay)}, EventKind::update_batch,
               number);
}

void RollingUpdates::log_done(const Update& update)
{
  records_.log(fmt::format("update of {} is done after {:.6g} s", book_.service(update.service).name,
                           (agenda_.now() - update.began).value()));
}

} // namespace trainyard::orchestration
