// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/step_speed.hpp"

#include "sim/step/answer_kind.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/training/divided.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace trainyard {
namespace {

/// Beyond this number, places are forgotten and computed again when they come back.
constexpr std::size_t most_places = 20'000;

} // namespace

StepSpeed::StepSpeed(const PreparedScenario& scenario, const Catalogue& catalogue, std::size_t most_together)
    : scenario_{scenario}, catalogue_{catalogue},
      most_together_{std::max<std::size_t>(most_together, 1)}, times_{scenario, catalogue}
{
  std::size_t first = 0;
  for (const JobSpec& job : scenario.scenario.jobs) {
    templates_.emplace(job.name, &scenario.jobs[first]);
    first += static_cast<std::size_t>(std::max(job.copies, 1));
  }
}

const PreparedJob* StepSpeed::prepared(const Workload& workload, const TraceJob& job, int gpus)
{
  const std::string& model = workload.models.name(job.model);
  const auto found = templates_.find(model);
  if (found == templates_.end() || gpus == 0)
    return nullptr;
  std::unique_ptr<PreparedJob>& known = jobs_[{model, gpus}];
  if (known == nullptr) {
    known = std::make_unique<PreparedJob>(with_workers(*found->second, gpus));
    known->spec.nodes.clear();
  }
  return known.get();
}

/// Ranks go machine by machine, those with the most GPUs of the job first, so that equal shapes get equal numbers.
Placement StepSpeed::placement(const PreparedJob& job, const Allocation& held) const
{
  std::map<int, std::uint32_t> masks;
  for (const TaskShare& share : held.shares)
    masks[share.node] |= share.gpu_mask;
  std::vector<std::pair<int, std::uint32_t>> order{masks.begin(), masks.end()};
  std::ranges::stable_sort(order, std::greater{}, [](const auto& entry) { return std::popcount(entry.second); });
  JobSpec spec = job.spec;
  FreeSlots slots = all_free(scenario_.cluster);
  for (auto& node : slots.gpu)
    node.assign(node.size(), false);
  for (const auto& [index, mask] : order) {
    const auto node = static_cast<std::size_t>(index);
    for (std::size_t gpu = 0; gpu < slots.gpu.at(node).size(); ++gpu)
      if ((mask >> gpu & 1u) != 0) {
        slots.gpu[node][gpu] = true;
        spec.nodes.push_back(scenario_.cluster.nodes()[node].name);
      }
  }
  Diagnostics diagnostics;
  Placement place = place_packed(scenario_.cluster, spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  return place;
}

std::shared_ptr<const Situated> StepSpeed::situated(const Workload& workload, const PlacedTraceJob& job)
{
  const PreparedJob* prepared_job = prepared(workload, *job.job, job.held->gpus);
  if (prepared_job == nullptr || job.held->shares.empty())
    return nullptr;
  Digest digest;
  digest << job.job->model;
  for (const TaskShare& share : job.held->shares)
    digest << share.node << share.gpu_mask;
  if (places_.size() > most_places)
    places_.clear();
  std::shared_ptr<const Situated>& known = places_[digest.take()];
  if (known == nullptr)
    known = std::make_shared<const Situated>(times_.at(*prepared_job, placement(*prepared_job, *job.held)));
  return known;
}

std::vector<LinkShare> StepSpeed::links(const Workload& workload, const PlacedTraceJob& job)
{
  const auto place = situated(workload, job);
  return place == nullptr ? std::vector<LinkShare>{} : place->links;
}

std::string StepSpeed::link_name(int link) const
{
  return scenario_.cluster.link(LinkId{link}).name;
}

std::vector<double> StepSpeed::step_times(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<std::shared_ptr<const Situated>> places;
  SituatedGroup group;
  for (const PlacedTraceJob& job : jobs) {
    places.push_back(situated(workload, job));
    if (places.back() == nullptr)
      throw std::invalid_argument{"a job without a template or without GPUs has no step"};
    group.push_back(places.back().get());
  }
  return times_.of(group);
}

double StepSpeed::added_by(const Situated& job, const Situated& other, int link)
{
  const double capacity = scenario_.cluster.link(LinkId{link}).data_rate().value();
  const auto known = pairs_.find({job.kind, other.kind, capacity});
  if (known != pairs_.end())
    return known->second;
  const std::vector<double> together = times_.of({&job, &other});
  const double added = std::max(0.0, together[0] - times_.alone(job));
  pairs_[{job.kind, other.kind, capacity}] = added;
  pairs_.try_emplace({other.kind, job.kind, capacity}, std::max(0.0, together[1] - times_.alone(other)));
  return added;
}

double StepSpeed::reference(const Workload& workload, const TraceJob& job)
{
  return packed_step(workload, job, job.reference_type >= 0 ? job.reference_type : workload.reference_type);
}

double StepSpeed::step_time_on(const Workload& workload, const TraceJob& job, int gpu_type)
{
  try {
    return packed_step(workload, job, gpu_type);
  } catch (const InputError&) {
    return 0; // too few GPUs of the type
  } catch (const std::runtime_error&) {
    return 0; // not enough memory
  }
}

std::optional<ShownStep> StepSpeed::shown(const Workload& workload, const TraceJob& job)
{
  const PreparedJob* found = prepared(workload, job, job.gpus);
  if (found == nullptr || found->spec.training.parallel != nullptr)
    return std::nullopt;
  try {
    const int type = job.reference_type >= 0 ? job.reference_type : workload.reference_type;
    return times_.shown(times_.at(*found, packed_place(workload, *found, type)));
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

/// @p gpu_type -1: of any type, the first machines of the cluster.
double StepSpeed::packed_step(const Workload& workload, const TraceJob& job, int gpu_type)
{
  const std::tuple key{workload.models.name(job.model), job.gpus, gpu_type};
  if (const auto known = packed_.find(key); known != packed_.end())
    return known->second;
  const PreparedJob* prepared_job = prepared(workload, job, job.gpus);
  return packed_[key] = times_.alone(times_.at(*prepared_job, packed_place(workload, *prepared_job, gpu_type)));
}

Placement StepSpeed::packed_place(const Workload& workload, const PreparedJob& job, int gpu_type) const
{
  FreeSlots slots = all_free(scenario_.cluster);
  for (std::size_t node = 0; node < slots.gpu.size() && gpu_type >= 0; ++node)
    if (scenario_.cluster.nodes()[node].gpu != workload.gpu_types[static_cast<std::size_t>(gpu_type)])
      slots.gpu[node].assign(slots.gpu[node].size(), false);
  Diagnostics diagnostics;
  Placement packed = place_packed(scenario_.cluster, job.spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  return packed;
}

/// On the type that its run time was measured on.
std::unique_ptr<PlacedJob> StepSpeed::packed(const Workload& workload, const TraceJob& job,
                                             const PreparedJob& prepared) const
{
  const int gpu_type = job.reference_type >= 0 ? job.reference_type : workload.reference_type;
  Diagnostics diagnostics;
  auto placed = place(scenario_, prepared, packed_place(workload, prepared, gpu_type), catalogue_, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error{diagnostics.sorted().front().message};
  return placed;
}

ModelError StepSpeed::error_of(const Workload& workload, const TraceJob& job)
{
  const PreparedJob& prepared = *this->prepared(workload, job, job.gpus);
  return model_errors().of(
      answer_kind(scenario_, prepared, *packed(workload, job, prepared), Seconds{reference(workload, job)}));
}

ParallelJob StepSpeed::divided_on(const Workload& workload, const TraceJob& job, int gpus)
{
  return divided_job(*packed(workload, job, *prepared(workload, job, gpus))->context);
}

/// Global batch on so many GPUs over that on those it asks for: in proportion to them, but for divided jobs that keep
/// it.
double StepSpeed::batch_ratio(const Workload& workload, const TraceJob& job, int gpus)
{
  const auto* divides = prepared(workload, job, gpus)->spec.training.parallel.get();
  if (divides == nullptr)
    return 1.0 * gpus / job.gpus;
  const auto batch = [&](int on) {
    return with_replicas(*divides, on / (divides->tp * divides->pp * divides->cp)).global_batch;
  };
  return 1.0 * batch(gpus) / batch(job.gpus);
}

std::vector<JobSpeed> StepSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<JobSpeed> result(jobs.size());
  std::vector<std::shared_ptr<const Situated>> places; // null: works at the trace's speed
  SituatedGroup stepped;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    places.push_back(situated(workload, jobs[i]));
    if (places[i] == nullptr)
      result[i].speed = result[i].alone = trace_speed(workload, *jobs[i].job, *jobs[i].held);
    else
      stepped.push_back(places[i].get());
  }
  const bool whole = stepped.size() <= most_together_;
  const std::vector<double> together = whole && !stepped.empty() ? times_.of(stepped) : std::vector<double>{};
  // Of each job the contended link that costs it most (or has most users), and the user of it that costs it most.
  struct Worst {
    double added = 0;
    int link = -1;
    std::size_t neighbour = 0;
  };
  std::vector<Worst> worst(jobs.size());
  if (stepped.size() > 1) {
    SituatedGroup all; // as many as jobs
    for (const auto& place : places)
      all.push_back(place.get());
    for (const auto& [link, users] : contended_links(all))
      for (const auto& [job, position] : users) {
        const auto i = static_cast<std::size_t>(job);
        Worst here{.added = 0, .link = link, .neighbour = i};
        double most = -1;
        for (const auto& [user, there] : users) {
          const auto j = static_cast<std::size_t>(user);
          if (j == i)
            continue;
          const double added = whole ? 1 : added_by(*places[i], *places[j], link);
          here.added += added;
          if (added > most) {
            most = added;
            here.neighbour = j;
          }
        }
        if (worst[i].link < 0 || here.added > worst[i].added)
          worst[i] = here;
      }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (places[i] == nullptr)
      continue;
    const double work = reference(workload, *jobs[i].job) * batch_ratio(workload, *jobs[i].job, jobs[i].held->gpus);
    const double alone = times_.alone(*places[i]);
    const double time = whole ? together[next] : alone + worst[i].added;
    ++next;
    result[i] = {.speed = work / time, .alone = work / alone, .neighbour = {}, .link = -1};
    if (worst[i].link >= 0 && time > alone * (1 + 1e-9)) {
      result[i].link = worst[i].link;
      result[i].neighbour = jobs[worst[i].neighbour].id;
    }
  }
  return result;
}

} // namespace trainyard
