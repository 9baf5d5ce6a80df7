// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_setup.hpp"

#include "models/scenario/sections/scheduling.hpp"
#include "sim/cluster/whole_checkpoint.hpp"
#include "sim/sources/queue/queue_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trainyard {

void take_sizes(Workload& workload, TraceJob& job, const Scenario& scenario, const ParallelLayout& layout,
                StepSpeed& speed)
{
  const StorageRates storage{.shared = scheduling_of(scenario).storage, .machine = {}, .process = {}};
  const ParallelJob asked = speed.divided_on(workload, job, job.gpus);
  const double rate = parallel_step(asked).tokens_per_second;
  std::vector<JobSize> sizes;
  for (const int gpus : elastic_sizes(layout, asked.transformer, job.smallest_gpus(), job.largest_gpus()))
    try {
      const ParallelJob there = speed.divided_on(workload, job, gpus);
      const CheckpointTimes times = checkpoint_times(there, storage);
      sizes.push_back({.gpus = gpus,
                       .save = times.save,
                       .load = times.load,
                       .speed = parallel_step(there).tokens_per_second / rate});
    } catch (const std::exception&) { // it does not fit there: other sizes may
    }
  if (std::ranges::find(sizes, job.gpus, &JobSize::gpus) == sizes.end())
    throw std::runtime_error{fmt::format("replicas of {} GPUs do not make {} GPUs with a global batch of {}",
                                         layout.tp * layout.pp * layout.cp, job.gpus, layout.global_batch)};
  if (sizes.size() == 1)
    throw std::runtime_error{
        fmt::format("it is elastic, but of {} to {} GPUs only {} make whole replicas ({} GPUs) that divide the global "
                    "batch and fit; give other min_gpus and max_gpus, or leave them out",
                    job.smallest_gpus(), job.largest_gpus(), job.gpus, layout.tp * layout.pp * layout.cp)};
  job.min_gpus = sizes.front().gpus;
  job.max_gpus = sizes.back().gpus;
  job.sizes = static_cast<int>(workload.sizes.size());
  workload.sizes.push_back(std::move(sizes));
}

std::map<std::pair<int, int>, KnownCheckpoint> known_checkpoints(const Workload& workload,
                                                                 const PreparedScenario& prepared, StepSpeed& speed)
{
  std::map<std::pair<int, int>, KnownCheckpoint> known;
  const StorageRates storage{.shared = scheduling_of(prepared.scenario).storage, .machine = {}, .process = {}};
  const auto writer =
      std::ranges::find_if(prepared.cluster.nodes(), [](const Node& node) { return !node.gpus.empty(); });
  if (storage.shared <= BytesPerSecond{} || writer == prepared.cluster.nodes().end())
    return known;
  const NodeId node{static_cast<int>(writer - prepared.cluster.nodes().begin())};
  for (const TraceJob& job : workload.jobs) {
    const std::string& model = workload.models.name(job.model);
    const auto trains =
        std::ranges::find_if(prepared.jobs, [&](const PreparedJob& one) { return one.spec.name == model; });
    if (job.gpus == 0 || job.sizes > 0 || trains == prepared.jobs.end())
      continue;
    for (int gpus = job.smallest_gpus(); gpus <= job.largest_gpus(); ++gpus) {
      const auto [size, fresh] = known.try_emplace({job.model, gpus});
      if (!fresh)
        continue;
      const CheckpointTimes times = trains->spec.training.parallel != nullptr
                                        ? checkpoint_times(speed.divided_on(workload, job, gpus), storage)
                                        : whole_checkpoint(*trains, prepared.cluster, node, storage);
      size->second = {times.save, times.load};
    }
  }
  return known;
}

} // namespace trainyard
