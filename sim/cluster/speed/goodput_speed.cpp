// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/goodput_speed.hpp"

#include "models/job/batch_goodput.hpp"
#include "sim/cluster/speed/profile_speed.hpp"

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
  return trace_speed(workload, job, {.gpus = gpus, .gpu_type = gpu_type, .shares = {}});
}

} // namespace trainyard
