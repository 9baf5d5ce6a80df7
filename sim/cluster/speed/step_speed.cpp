// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/step_speed.hpp"

#include "sim/step/pack.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/divided.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

/// Beyond this number, places are forgotten and computed again when they come back.
constexpr std::size_t most_places = 20'000;
/// Steps of the slowest of several jobs that are simulated together; the first one does not count.
constexpr double stretch = 6;

} // namespace

StepSpeed::StepSpeed(const PreparedScenario& scenario, const Catalogue& catalogue,
                     std::map<std::string, JobSpec> templates, const std::string& executor, std::size_t most_together)
    : scenario_{scenario}, catalogue_{catalogue}, templates_{std::move(templates)},
      executor_{Registry<Executor>::instance().create(executor)}, most_together_{
                                                                      std::max<std::size_t>(most_together, 1)}
{
}

StepSpeed::~StepSpeed() = default;

const PreparedJob* StepSpeed::prepared(const Workload& workload, const TraceJob& job, int gpus)
{
  const std::string& model = workload.models.name(job.model);
  const auto found = templates_.find(model);
  if (found == templates_.end() || gpus == 0)
    return nullptr;
  std::unique_ptr<PreparedJob>& known = jobs_[{model, gpus}];
  if (known == nullptr) {
    PreparedJob fresh{found->second, {}, {}};
    fresh.spec.workers = gpus;
    fresh.spec.nodes.clear();
    fresh.dnn = network_of(fresh.spec);
    fresh.mode = training_mode_of(fresh.spec);
    known = std::make_unique<PreparedJob>(std::move(fresh));
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

Situated StepSpeed::make_situated(const PreparedJob& job, const Placement& placement)
{
  Diagnostics diagnostics;
  const auto placed = place(scenario_, job, placement, catalogue_, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error{"a job cannot train at its place: " + diagnostics.sorted().front().message};
  placed->context->alone = false; // what it may load beside others
  return shapes_.at(job, *placed, job.mode->program(*placed->context, 0, 1), job.spec.name);
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
    known = std::make_shared<const Situated>(make_situated(*prepared_job, placement(*prepared_job, *job.held)));
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

std::vector<double> StepSpeed::simulate(const SituatedGroup& group, std::span<const double> alone) const
{
  Diagnostics diagnostics;
  std::vector<std::unique_ptr<PlacedJob>> placed;
  std::vector<SteppedJob> stepped;
  for (const Situated* job : group) {
    placed.push_back(place(scenario_, *job->job, job->placement, catalogue_, diagnostics));
    if (diagnostics.has_errors())
      throw std::runtime_error{"a job cannot train at its place: " + diagnostics.sorted().front().message};
    placed.back()->context->alone = group.size() == 1;
    stepped.push_back(stepped_job(*job->job->mode, *placed.back()->context));
  }
  SteadyStateOptions options = options_of_a_run(stepped, scenario_.scenario.run.warm_up_steps);
  if (group.size() > 1) {
    options.start_draws = 1; // there are too many situations
    if (std::ranges::none_of(stepped, &SteppedJob::random)) {
      options.most_steps = 24;
      // Neighbours with steps of different length never repeat: the mean over a stretch of `stretch` steps of the
      // slowest is taken at once.
      options.relative_half_width = 1;
      double longest = 0;
      for (const double time : alone)
        longest = std::max(longest, time);
      for (std::size_t i = 0; i < stepped.size(); ++i)
        stepped[i].first_steps =
            std::min(options.most_steps, static_cast<int>(std::ceil(stretch * longest / alone[i]))) -
            steps_left_out(stepped[i], options);
    }
  }
  std::vector<double> times;
  for (const StepEstimate& estimate : steady_state(scenario_.cluster, stepped, *executor_, options))
    times.push_back(estimate.step_time.value());
  return times;
}

std::vector<double> StepSpeed::step_times(const SituatedGroup& group)
{
  const auto [index, situation] = situation_of(group);
  SituatedGroup order;
  for (const std::size_t i : index)
    order.push_back(group[i]);
  auto known = known_.find(situation);
  if (known == known_.end()) {
    std::vector<double> alone;
    for (std::size_t i = 0; i < order.size() && order.size() > 1; ++i)
      alone.push_back(step_times(SituatedGroup{order[i]}).front());
    known = known_.emplace(situation, simulate(order, alone)).first;
  }
  std::vector<double> times(group.size());
  for (std::size_t i = 0; i < index.size(); ++i)
    times[index[i]] = known->second[i];
  return times;
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
  return step_times(group);
}

double StepSpeed::added_by(const Situated& job, const Situated& other, int link)
{
  const double capacity = scenario_.cluster.link(LinkId{link}).data_rate().value();
  const auto known = pairs_.find({job.kind, other.kind, capacity});
  if (known != pairs_.end())
    return known->second;
  const std::vector<double> together = step_times(SituatedGroup{&job, &other});
  const double added = std::max(0.0, together[0] - step_times(SituatedGroup{&job}).front());
  pairs_[{job.kind, other.kind, capacity}] = added;
  pairs_.try_emplace({other.kind, job.kind, capacity},
                     std::max(0.0, together[1] - step_times(SituatedGroup{&other}).front()));
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

/// @p gpu_type -1: of any type, the first machines of the cluster.
double StepSpeed::packed_step(const Workload& workload, const TraceJob& job, int gpu_type)
{
  const std::tuple key{workload.models.name(job.model), job.gpus, gpu_type};
  if (const auto known = packed_.find(key); known != packed_.end())
    return known->second;
  const PreparedJob* prepared_job = prepared(workload, job, job.gpus);
  const Situated place = make_situated(*prepared_job, packed_place(workload, *prepared_job, gpu_type));
  return packed_[key] = step_times(SituatedGroup{&place}).front();
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

ParallelJob StepSpeed::divided_on(const Workload& workload, const TraceJob& job, int gpus)
{
  const PreparedJob* prepared_job = prepared(workload, job, gpus);
  const int gpu_type = job.reference_type >= 0 ? job.reference_type : workload.reference_type;
  Diagnostics diagnostics;
  const auto placed =
      place(scenario_, *prepared_job, packed_place(workload, *prepared_job, gpu_type), catalogue_, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error{diagnostics.sorted().front().message};
  return divided_job(*placed->context);
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
  const std::vector<double> together = whole && !stepped.empty() ? step_times(stepped) : std::vector<double>{};
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
    const double alone = step_times(SituatedGroup{places[i].get()}).front();
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
