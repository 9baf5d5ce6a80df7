// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/shared_gpu_speed.hpp"

#include "models/job/batch_goodput.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace trainyard {
namespace {

/// The type that its run time means.
int reference_type(const Workload& workload, const TraceJob& job, int held)
{
  return job.reference_type >= 0 ? job.reference_type : workload.reference_type >= 0 ? workload.reference_type : held;
}

const ModelGoodput* goodput_of(const Workload& workload, const TraceJob& job, int gpu_type)
{
  return workload.goodput == nullptr || job.gpus == 0 ? nullptr : workload.goodput->find(job.model, gpu_type);
}

double relative(const Workload& workload, const TraceJob& job, int held, const std::optional<BatchChoice>& choice)
{
  const double one = workload.goodput->reference(job.model, job.gpus, reference_type(workload, job, held));
  return choice && one > 0 ? choice->goodput() / one : 0;
}

/// The shape of an allocation: GPUs on each node, ascending.
std::string placement_shape(const Allocation& held)
{
  std::map<int, int> nodes;
  for (const TaskShare& share : held.shares)
    nodes[share.node] += share.gpus();
  std::string shape;
  for (const auto& [node, gpus] : nodes)
    if (gpus > 0)
      shape += static_cast<char>('0' + std::min(gpus, 9));
  std::ranges::sort(shape);
  return shape;
}

/// The network ports of the machines of a job on several of them, by number of the machine; none for a job on one.
std::vector<LinkShare> network_ports(const Allocation& held)
{
  std::vector<int> nodes;
  for (const TaskShare& share : held.shares)
    if (share.gpu_mask != 0)
      nodes.push_back(share.node);
  std::ranges::sort(nodes);
  const auto rest = std::ranges::unique(nodes);
  nodes.erase(rest.begin(), rest.end());
  std::vector<LinkShare> ports;
  if (nodes.size() > 1)
    for (const int node : nodes)
      ports.push_back({node, 1});
  return ports;
}

/// For each job how many of them use its busiest network port, itself included, and over which port with whom (its
/// `link` and `neighbour`; none where it is alone there).
std::vector<std::pair<int, JobSpeed>> port_sharers(std::span<const PlacedTraceJob> jobs)
{
  std::map<int, std::vector<std::size_t>> users;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const auto& [node, share] : network_ports(*jobs[i].held))
      users[node].push_back(i);
  std::vector<std::pair<int, JobSpeed>> sharers(jobs.size(), {1, JobSpeed{}});
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const auto& [node, share] : network_ports(*jobs[i].held)) {
      auto& [most, speed] = sharers[i];
      if (static_cast<int>(users[node].size()) <= most)
        continue;
      most = static_cast<int>(users[node].size());
      speed.link = node;
      speed.neighbour = jobs[users[node].front() == i ? users[node][1] : users[node].front()].id;
    }
  return sharers;
}

} // namespace

std::vector<LinkShare> GoodputSpeed::links(const Workload& workload, const PlacedTraceJob& job)
{
  return goodput_of(workload, *job.job, job.held->gpu_type) == nullptr ? std::vector<LinkShare>{}
                                                                       : network_ports(*job.held);
}

std::vector<JobSpeed> GoodputSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  const auto shared = port_sharers(jobs);
  std::vector<JobSpeed> result;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const TraceJob& job = *jobs[i].job;
    const Allocation& held = *jobs[i].held;
    JobSpeed& speed = result.emplace_back();
    const ModelGoodput* goodput = goodput_of(workload, job, held.gpu_type);
    if (goodput == nullptr) {
      speed.speed = speed.alone = trace_speed(workload, job, held);
      continue;
    }
    const auto& [sharers, port] = shared[i];
    speed.link = port.link;
    speed.neighbour = port.neighbour;
    const std::string shape = placement_shape(held);
    speed.alone = relative(workload, job, held.gpu_type, goodput->best(shape, jobs[i].done));
    speed.speed = sharers == 1 ? speed.alone
                               : relative(workload, job, held.gpu_type, goodput->best(shape, jobs[i].done, sharers));
    speed.until = goodput->steady_until(jobs[i].done);
  }
  return result;
}

double planned_speed(const Workload& workload, const TraceJob& job, int gpus, int gpu_type, double done)
{
  if (const ModelGoodput* goodput = goodput_of(workload, job, gpu_type); goodput != nullptr)
    return relative(workload, job, gpu_type, goodput->best(workload.goodput->packed(gpus, gpu_type), done));
  if (const double known = workload.size_of(job, gpus).speed; known > 0)
    return known * workload.speed_on(job, gpu_type);
  return trace_speed(workload, job, {.gpus = gpus, .gpu_type = gpu_type, .shares = {}});
}

} // namespace trainyard
