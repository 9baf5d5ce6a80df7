// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/shared_gpu_speed.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr int gpus_per_machine = 32;

} // namespace

SharedGpuSpeed::SharedGpuSpeed(SpeedModel* inner, int inner_links, bool whole_compute, double switch_loss)
    : inner_{inner}, inner_links_{inner_links}, whole_compute_{whole_compute}, switch_loss_{switch_loss}
{
  if (!(switch_loss >= 0) || switch_loss >= 1)
    throw std::invalid_argument{"switch_loss must be at least 0 and less than 1"};
}

double SharedGpuSpeed::compute_share(const TraceJob& job) const
{
  if (job.compute_milli > 0)
    return std::min(job.compute_milli, 1000) / 1000.0;
  return whole_compute_ ? 1 : job.gpu_milli / 1000.0;
}

std::vector<LinkShare> SharedGpuSpeed::links(const Workload& workload, const PlacedTraceJob& job)
{
  std::vector<LinkShare> links = inner_ != nullptr ? inner_->links(workload, job) : std::vector<LinkShare>{};
  // With a cost of switching, any two processes on a GPU are neighbours.
  const double share = switch_loss_ > 0 ? 1 : compute_share(*job.job);
  for (const TaskShare& at : job.held->shares) {
    if (at.gpu_milli == 1000)
      continue; // whole GPUs have no neighbours
    for (int gpu = 0; gpu < gpus_per_machine; ++gpu)
      if ((at.gpu_mask >> static_cast<unsigned>(gpu) & 1u) != 0)
        links.push_back({inner_links_ + at.node * gpus_per_machine + gpu, share});
  }
  std::ranges::sort(links, {}, &LinkShare::link);
  return links;
}

std::vector<JobSpeed> SharedGpuSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<JobSpeed> result;
  if (inner_ != nullptr)
    result = inner_->speeds(workload, jobs);
  else
    for (const PlacedTraceJob& job : jobs) {
      const double speed = trace_speed(workload, *job.job, *job.held);
      result.push_back({.speed = speed, .alone = speed, .neighbour = {}, .link = -1});
    }
  std::map<int, std::vector<std::size_t>> users; // of each shared GPU
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const auto& [link, share] : links(workload, jobs[i]))
      if (link >= inner_links_)
        users[link].push_back(i);
  std::vector<double> slow_down(jobs.size(), 1);
  for (const auto& [link, here] : users) {
    if (here.size() < 2)
      continue;
    double wanted = 0;
    for (const std::size_t i : here)
      wanted += compute_share(*jobs[i].job);
    const double slower = std::max(1.0, wanted) / (1 - switch_loss_);
    for (const std::size_t i : here) {
      if (slower <= slow_down[i])
        continue;
      slow_down[i] = slower;
      result[i].link = link;
      std::size_t most = i == here.front() ? here[1] : here.front(); // the neighbour that asks for most
      for (const std::size_t j : here)
        if (j != i && compute_share(*jobs[j].job) > compute_share(*jobs[most].job))
          most = j;
      result[i].neighbour = jobs[most].id;
    }
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    result[i].speed /= slow_down[i];
  return result;
}

std::string SharedGpuSpeed::link_name(int link) const
{
  if (link < inner_links_)
    return inner_->link_name(link);
  const int gpu = link - inner_links_;
  return "GPU " + std::to_string(gpu % gpus_per_machine) + " of machine " + std::to_string(gpu / gpus_per_machine);
}

namespace {

constexpr int most_gpus_of_a_machine = 32;

/// A GPU that both use; negative: none.
int common_gpu(std::span<const LinkShare> one, std::span<const LinkShare> other)
{
  for (const LinkShare& mine : one)
    if (std::ranges::find(other, mine.link, &LinkShare::link) != other.end())
      return mine.link;
  return -1;
}

} // namespace

std::vector<LinkShare> PairSpeed::links(const Workload&, const PlacedTraceJob& job)
{
  std::vector<LinkShare> links;
  for (const TaskShare& at : job.held->shares)
    for (int gpu = 0; gpu < most_gpus_of_a_machine; ++gpu)
      if (at.gpu_milli < job.job->gpu_milli && (at.gpu_mask >> static_cast<unsigned>(gpu) & 1U) != 0)
        links.push_back({.link = at.node * most_gpus_of_a_machine + gpu, .share = 1});
  std::ranges::sort(links, {}, &LinkShare::link);
  return links;
}

std::vector<JobSpeed> PairSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<std::vector<LinkShare>> used;
  used.reserve(jobs.size());
  for (const PlacedTraceJob& job : jobs)
    used.push_back(links(workload, job));
  std::vector<JobSpeed> result;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double alone = trace_speed(workload, *jobs[i].job, *jobs[i].held);
    JobSpeed& speed = result.emplace_back(JobSpeed{.speed = alone, .alone = alone, .neighbour = {}, .link = -1});
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const int gpu = i == j ? -1 : common_gpu(used[i], used[j]);
      if (gpu < 0)
        continue;
      speed.speed = alone * workload.left_beside(*jobs[i].job, *jobs[j].job, jobs[i].held->gpu_type);
      speed.neighbour = jobs[j].id;
      speed.link = gpu;
    }
  }
  return result;
}

std::string PairSpeed::link_name(int link) const
{
  return "GPU " + std::to_string(link % most_gpus_of_a_machine) + " of machine " +
         std::to_string(link / most_gpus_of_a_machine);
}

} // namespace trainyard
