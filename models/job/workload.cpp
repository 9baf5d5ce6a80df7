// SPDX-License-Identifier: Apache-2.0
#include "models/job/workload.hpp"

#include <algorithm>
#include <numeric>

namespace trainyard {

int NameTable::index_of(std::string_view name)
{
  const auto found = indices_.find(name);
  if (found != indices_.end())
    return found->second;
  const int index = static_cast<int>(names_.size());
  names_.emplace_back(name);
  indices_.emplace(std::string{name}, index);
  return index;
}

std::string Workload::name(JobId id) const
{
  const auto index = static_cast<std::size_t>(id.index);
  if (index < job_names.size() && !job_names[index].empty())
    return job_names[index];
  return std::to_string(id.index);
}

double Workload::speed_on(const TraceJob& job, int gpu_type) const
{
  if (type_speed.empty())
    return 1;
  const auto found = type_speed.find({job.model, gpu_type});
  return found == type_speed.end() ? 1 : found->second;
}

void sort_by_submission(Workload& workload)
{
  if (workload.jobs.empty())
    return;
  std::vector<int> order(workload.jobs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto submitted = [&](int index) { return workload.jobs[static_cast<std::size_t>(index)].submit; };
  if (!std::ranges::is_sorted(order, {}, submitted)) {
    std::ranges::stable_sort(order, {}, submitted);
    std::vector<TraceJob> jobs;
    std::vector<std::string> names;
    std::vector<int> position(order.size());
    jobs.reserve(order.size());
    for (const int index : order) {
      position[static_cast<std::size_t>(index)] = static_cast<int>(jobs.size());
      jobs.push_back(workload.jobs[static_cast<std::size_t>(index)]);
      if (!workload.job_names.empty())
        names.push_back(std::move(workload.job_names[static_cast<std::size_t>(index)]));
    }
    workload.jobs = std::move(jobs);
    workload.job_names = std::move(names);
    for (auto& [waits, awaited] : workload.dependencies) {
      waits.index = position[static_cast<std::size_t>(waits.index)];
      awaited.index = position[static_cast<std::size_t>(awaited.index)];
    }
  }
  const Seconds origin = workload.jobs.front().submit;
  for (TraceJob& job : workload.jobs) {
    job.submit -= origin;
    job.deadline -= origin;
  }
}

std::vector<JobId> dependency_cycle(const Workload& workload)
{
  // Kahn's algorithm removes everything that is not on or behind a cycle; walking backwards from any rest then meets a
  // job twice.
  std::vector<int> missing(workload.jobs.size(), 0);
  std::vector<std::vector<int>> followers(workload.jobs.size());
  for (const auto& [waits, awaited] : workload.dependencies) {
    ++missing[static_cast<std::size_t>(waits.index)];
    followers[static_cast<std::size_t>(awaited.index)].push_back(waits.index);
  }
  std::vector<int> ready;
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (missing[i] == 0)
      ready.push_back(static_cast<int>(i));
  while (!ready.empty()) {
    const int index = ready.back();
    ready.pop_back();
    for (const int follower : followers[static_cast<std::size_t>(index)])
      if (--missing[static_cast<std::size_t>(follower)] == 0)
        ready.push_back(follower);
  }
  const auto rest = std::ranges::find_if(missing, [](int count) { return count > 0; });
  if (rest == missing.end())
    return {};
  std::vector<JobId> walk{JobId{static_cast<int>(rest - missing.begin())}};
  while (true) {
    for (const auto& [waits, awaited] : workload.dependencies) {
      if (waits != walk.back() || missing[static_cast<std::size_t>(awaited.index)] == 0)
        continue;
      walk.push_back(awaited);
      break;
    }
    const auto seen = std::ranges::find(walk.begin(), walk.end() - 1, walk.back());
    if (seen != walk.end() - 1)
      return {seen, walk.end()};
  }
}

} // namespace trainyard
