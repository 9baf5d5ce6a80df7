// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/profile_speed.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace trainyard {

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

ProfileSpeed::ProfileSpeed(std::map<std::string, StepProfile> profiles, int gpus_per_node)
    : profiles_{std::move(profiles)}, gpus_per_node_{gpus_per_node}
{
  if (gpus_per_node < 1 || gpus_per_node > 9)
    throw std::invalid_argument{"profiles by shape are valid for nodes of 1 to 9 GPUs"};
}

std::vector<LinkShare> network_ports(const Allocation& held)
{
  std::vector<int> nodes;
  for (const TaskShare& share : held.shares)
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

std::vector<LinkShare> ProfileSpeed::links(const Workload&, const PlacedTraceJob& job)
{
  return network_ports(*job.held);
}

std::optional<double> ProfileSpeed::step_time(const StepProfile& profile, const std::string& shape, double sharers)
{
  const auto [known, fresh] = known_.try_emplace({&profile, shape, sharers});
  if (fresh)
    if (const auto point = profile.predict(shape, sharers))
      known->second = point->step.value();
  return known->second;
}

std::vector<JobSpeed> ProfileSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  const auto shared = port_sharers(jobs);
  std::vector<JobSpeed> result(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const TraceJob& job = *jobs[i].job;
    JobSpeed& speed = result[i];
    speed.speed = speed.alone = trace_speed(workload, job, *jobs[i].held);
    const auto profile = profiles_.find(workload.models.name(job.model));
    if (profile == profiles_.end())
      continue;
    const auto& [sharers, port] = shared[i];
    speed.link = port.link;
    speed.neighbour = port.neighbour;
    const std::string shape = placement_shape(*jobs[i].held);
    const auto packed = step_time(profile->second, packed_shape(jobs[i].held->gpus, gpus_per_node_), 1);
    const auto alone = step_time(profile->second, shape, 1);
    const auto now = step_time(profile->second, shape, sharers);
    if (!packed || !alone || !now)
      continue;
    speed.alone *= *packed / *alone;
    speed.speed *= *packed / *now;
  }
  return result;
}

} // namespace trainyard
