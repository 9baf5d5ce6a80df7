// SPDX-License-Identifier: Apache-2.0
#include "models/job/workload.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

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

int Workload::array_of(std::string_view name, int limit)
{
  const int array = arrays.index_of(name);
  array_limits.resize(static_cast<std::size_t>(arrays.size()), 0);
  if (array > 0 && limit > 0)
    array_limits[static_cast<std::size_t>(array)] = limit;
  return array;
}

std::vector<TaskGroup> Workload::kinds_of(const TraceJob& job) const
{
  const int tasks = std::max(1, job.tasks);
  return job.task_list > 0 ? tasks_of(job)
                           : std::vector<TaskGroup>{{.role = {},
                                                     .count = tasks,
                                                     .gpus = job.gpus / tasks,
                                                     .cpu_milli = job.cpu_milli,
                                                     .memory_mib = job.memory_mib,
                                                     .gpu_type = job.gpu_type,
                                                     .demands = job.demands}};
}

void Workload::set_tasks(TraceJob& job, std::vector<TaskGroup> tasks)
{
  job.gpus = job.cpu_milli = job.memory_mib = 0;
  for (const TaskGroup& group : tasks) {
    job.gpus += group.count * group.gpus;
    job.cpu_milli += group.count * group.cpu_milli;
    job.memory_mib += group.count * group.memory_mib;
  }
  job.tasks = job.gpus == 0 ? 1 : 0;
  job.task_list = 0;
  if (tasks.size() == 1) { // they are equal
    const TaskGroup& only = tasks.front();
    job.tasks = only.count;
    job.cpu_milli = only.cpu_milli;
    job.memory_mib = only.memory_mib;
    job.gpu_type = only.gpu_type;
    job.demands = only.demands;
    return;
  }
  const auto first = std::ranges::find_if(tasks, [](const TaskGroup& group) { return group.gpus > 0; });
  const auto found = std::ranges::find(task_lists, tasks);
  job.task_list = static_cast<int>(found - task_lists.begin());
  if (found == task_lists.end())
    task_lists.push_back(tasks);
  job.gpu_type = first == tasks.end() || mixes_types(job) ? -1 : first->gpu_type;
}

bool Workload::mixes_types(const TraceJob& job) const
{
  std::set<int> types;
  for (const TaskGroup& group : tasks_of(job))
    if (group.gpus > 0)
      types.insert(group.gpu_type);
  return types.size() > 1;
}

bool Workload::runs_on(const TraceJob& job, int gpus) const
{
  return gpus >= job.smallest_gpus() && size_from(job, gpus) == gpus;
}

int Workload::size_from(const TraceJob& job, int gpus) const
{
  const std::vector<JobSize>& own = sizes[static_cast<std::size_t>(job.sizes)];
  const auto found = std::ranges::lower_bound(own, gpus, {}, &JobSize::gpus);
  if (!own.empty())
    return found == own.end() ? 0 : found->gpus;
  const int size = std::max(gpus, job.smallest_gpus());
  return size <= job.largest_gpus() ? size : 0;
}

int Workload::size_up_to(const TraceJob& job, int gpus) const
{
  const std::vector<JobSize>& own = sizes[static_cast<std::size_t>(job.sizes)];
  const auto larger = std::ranges::upper_bound(own, gpus, {}, &JobSize::gpus);
  if (!own.empty())
    return larger == own.begin() ? 0 : std::prev(larger)->gpus;
  const int size = std::min(gpus, job.largest_gpus());
  return size >= job.smallest_gpus() ? size : 0;
}

JobSize Workload::size_of(const TraceJob& job, int gpus) const
{
  const std::vector<JobSize>& own = sizes[static_cast<std::size_t>(job.sizes)];
  const auto found = std::ranges::find(own, gpus, &JobSize::gpus);
  return found == own.end() ? JobSize{.gpus = gpus, .save = {}, .load = {}, .speed = 0} : *found;
}

std::string Workload::sizes_text(const TraceJob& job) const
{
  const std::vector<JobSize>& own = sizes[static_cast<std::size_t>(job.sizes)];
  std::string text;
  for (std::size_t i = 0; i < own.size(); ++i)
    text += (i == 0 ? "" : i + 1 == own.size() ? " or " : ", ") + std::to_string(own[i].gpus);
  if (own.empty())
    text = job.elastic() ? std::to_string(job.smallest_gpus()) + " to " + std::to_string(job.largest_gpus())
                         : std::to_string(job.gpus);
  return text;
}

double Workload::speed_on(const TraceJob& job, int gpu_type) const
{
  if (type_speed.empty() || job.gpus == 0)
    return 1;
  const auto on = [&](int type) {
    if (const auto gang = gang_speed.find({job.model, job.gpus, type}); gang != gang_speed.end())
      return gang->second;
    const auto found = type_speed.find({job.model, type});
    return found == type_speed.end() ? 1 : found->second;
  };
  const int reference = job.reference_type >= 0 ? job.reference_type : reference_type;
  const double measured = reference < 0 ? 1 : on(reference);
  return measured > 0 ? on(gpu_type) / measured : 0;
}

double Workload::left_beside(const TraceJob& job, const TraceJob& other, int gpu_type) const
{
  if (job.gpus != other.gpus)
    return 0;
  const auto found = speed_beside.find({job.model, other.model, job.gpus, gpu_type});
  return found == speed_beside.end() ? 0 : found->second;
}

void order_by_submission(Workload& workload)
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
}

void sort_by_submission(Workload& workload)
{
  order_by_submission(workload);
  const Instant origin = workload.jobs.empty() ? Instant{} : workload.jobs.front().submit;
  for (TraceJob& job : workload.jobs) {
    job.submit -= origin;
    if (is_finite(job.deadline))
      job.deadline -= origin;
  }
}

namespace {

using Waits = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>; // from who waits to who is awaited

/// Notes the first cycle that a depth-first search closes.
struct FirstCycle : boost::default_dfs_visitor {
  std::vector<std::size_t>& before;
  std::vector<JobId>& cycle;

  void tree_edge(Waits::edge_descriptor edge, const Waits& graph) { before[target(edge, graph)] = source(edge, graph); }

  void back_edge(Waits::edge_descriptor edge, const Waits& graph)
  {
    if (!cycle.empty())
      return;
    const std::size_t first = target(edge, graph);
    cycle.emplace_back(static_cast<int>(first));
    for (std::size_t job = source(edge, graph); job != first; job = before[job])
      cycle.emplace_back(static_cast<int>(job));
    cycle.emplace_back(static_cast<int>(first));
    std::ranges::reverse(cycle);
  }
};

} // namespace

std::vector<JobId> dependency_cycle(const Workload& workload)
{
  Waits graph(workload.jobs.size());
  for (const auto& [waits, awaited] : workload.dependencies)
    boost::add_edge(static_cast<std::size_t>(waits.index), static_cast<std::size_t>(awaited.index), graph);
  std::vector<std::size_t> before(workload.jobs.size());
  std::vector<JobId> cycle;
  boost::depth_first_search(graph, boost::visitor(FirstCycle{{}, before, cycle}));
  return cycle;
}

} // namespace trainyard
