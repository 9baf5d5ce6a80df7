// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/chosen_place.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <string>

namespace trainyard {
namespace {

/// Refuses a machine, or one of its GPUs.
void check_chosen(const ResourceRequest& request, const NodePool& nodes, const ChosenGpus& chosen)
{
  if (chosen.node < 0 || chosen.node >= nodes.size())
    throw std::invalid_argument{
        fmt::format("there is no machine number {}; the last is {}", chosen.node, nodes.size() - 1)};
  const NodeShape& shape = nodes.shape(chosen.node);
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument{shape.name + " " + why}; };
  if (!nodes.state(chosen.node).up)
    refuse("is down");
  if (!nodes.admits(chosen.node, request.task.demands))
    refuse("has no label that the job asks for, or a taint that it does not tolerate");
  if (request.task.gpu_type >= 0 && request.task.gpu_type != shape.gpu_type)
    refuse("has GPUs of another type than the job asks for");
  for (const int gpu : chosen.gpus) {
    if (gpu < 0 || gpu >= shape.gpus)
      refuse(fmt::format("has no GPU number {}; it has {}", gpu, shape.gpus));
    if (std::ranges::count(chosen.gpus, gpu) > 1)
      refuse(fmt::format("was given with GPU {} twice", gpu));
    if (nodes.gpu_free(chosen.node)[static_cast<std::size_t>(gpu)] < request.task.gpu_milli)
      refuse(fmt::format("has no room on GPU {}: it is in use", gpu));
  }
}

} // namespace

Allocation chosen_place(const Workload& workload, JobId id, const NodePool& nodes, std::span<const ChosenGpus> chosen)
{
  const TraceJob& job = workload.job(id);
  if (job.task_list > 0)
    throw std::invalid_argument{"its tasks are a list; start it without naming its GPUs"};
  Allocation place;
  for (const ChosenGpus& machine : chosen)
    place.gpus += static_cast<int>(machine.gpus.size());
  if (place.gpus == 0 || !workload.runs_on(job, place.gpus))
    throw std::invalid_argument{
        fmt::format("it was given {} GPUs, but needs {}", place.gpus, workload.sizes_text(job))};
  const ResourceRequest request = request_of(job, place.gpus);
  const TaskRequest& task = request.task;
  const bool split = request.tasks == 0; // in any way; CPU and memory in proportion, rounded up
  for (const ChosenGpus& machine : chosen) {
    check_chosen(request, nodes, machine);
    const auto count = static_cast<int>(machine.gpus.size());
    if (!split && count % task.gpus != 0)
      throw std::invalid_argument{fmt::format("its tasks need {} GPUs each, so {} GPUs of {} do not fit them",
                                              task.gpus, count, nodes.shape(machine.node).name)};
    if (request.distinct_nodes && !split && count > task.gpus)
      throw std::invalid_argument{
          fmt::format("its tasks need a machine each, but {} was given several", nodes.shape(machine.node).name)};
    const auto step = static_cast<std::size_t>(split ? std::max(1, count) : task.gpus);
    std::int64_t cpu = 0, memory = 0;
    for (std::size_t at = 0; at < machine.gpus.size(); at += step) {
      TaskShare share{.node = machine.node, .gpu_mask = 0, .gpu_milli = task.gpu_milli};
      share.cpu_milli = split ? (task.cpu_milli * count + task.gpus - 1) / task.gpus : task.cpu_milli;
      share.memory_mib = split ? (task.memory_mib * count + task.gpus - 1) / task.gpus : task.memory_mib;
      for (std::size_t i = at; i < at + step; ++i)
        share.gpu_mask |= 1U << static_cast<unsigned>(machine.gpus[i]);
      cpu += share.cpu_milli;
      memory += share.memory_mib;
      place.shares.push_back(share);
    }
    if (nodes.state(machine.node).free_cpu < cpu || nodes.state(machine.node).free_memory < memory)
      throw std::invalid_argument{fmt::format("{} has too little free {} for it", nodes.shape(machine.node).name,
                                              nodes.state(machine.node).free_cpu < cpu ? "CPU" : "memory")};
  }
  place.gpu_type = nodes.shape(place.shares.front().node).gpu_type;
  if (workload.speed_on(job, place.gpu_type) <= 0)
    throw std::invalid_argument{"it cannot run on GPUs of this type"};
  return place;
}

} // namespace trainyard
