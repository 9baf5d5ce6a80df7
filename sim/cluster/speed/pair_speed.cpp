// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/pair_speed.hpp"

#include <algorithm>

namespace trainyard {
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
