// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/records.hpp"

#include <algorithm>
#include <utility>

namespace trainyard::orchestration {

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
