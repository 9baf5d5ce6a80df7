#include "sim/simulation/step_speed.hpp"

#include "models/cluster/contention.hpp"
#include "models/dnn/builder.hpp"
#include "sim/simulation/pack.hpp"
#include "sim/simulation/steady_state.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace trainyard {
namespace {

std::size_t common(const std::vector<int>& a, const std::vector<int>& b, int& first)
{
  std::vector<int> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  first = both.empty() ? -1 : both.front();
  return both.size();
}

} // namespace

StepSpeed::StepSpeed(const PreparedScenario& scenario, const Catalogue& catalogue, std::map<std::string, JobSpec> templates,
                     const std::string& executor, std::size_t most_together)
    : scenario_{scenario}, catalogue_{catalogue}, templates_{std::move(templates)},
      executor_{Registry<Executor>::instance().create(executor)}, most_together_{std::max<std::size_t>(most_together, 1)}
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
    fresh.dnn = build_dnn(fresh.spec.model, {fresh.spec.sequence_length, fresh.spec.model_elements});
    fresh.mode = Registry<TrainingMode>::instance().create(fresh.spec.training.mode, fresh.spec.training.settings);
    known = std::make_unique<PreparedJob>(std::move(fresh));
  }
  return known.get();
}

Placement StepSpeed::placement(const PreparedJob& job, const Allocation& held) const
{
  FreeSlots slots = all_free(scenario_.cluster);
  for (auto& node : slots.gpu)
    node.assign(node.size(), false);
  for (const TaskShare& share : held.shares)
    for (std::size_t gpu = 0; gpu < slots.gpu.at(static_cast<std::size_t>(share.node)).size(); ++gpu)
      if ((share.gpu_mask >> gpu & 1u) != 0)
        slots.gpu[static_cast<std::size_t>(share.node)][gpu] = true;
  Diagnostics diagnostics;
  Placement place = place_packed(scenario_.cluster, job.spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  return place;
}

std::vector<int> StepSpeed::links(const Workload& workload, const PlacedTraceJob& job)
{
  const PreparedJob* prepared_job = prepared(workload, *job.job, job.held->gpus);
  if (prepared_job == nullptr || job.held->shares.empty())
    return {};
  std::vector<int> links;
  for (const LinkId link : used_links(scenario_.cluster, placement(*prepared_job, *job.held)))
    links.push_back(link.index);
  return links;
}

std::string StepSpeed::link_name(int link) const
{
  return scenario_.cluster.link(LinkId{link}).name;
}

std::string StepSpeed::key(const Workload& workload, std::span<const PlacedTraceJob> jobs) const
{
  std::map<int, std::size_t> nodes;
  std::map<int, std::size_t> racks;
  std::string text;
  for (const PlacedTraceJob& job : jobs) {
    text += workload.models.name(job.job->model) + ':';
    for (const TaskShare& share : job.held->shares) {
      const Node& node = scenario_.cluster.nodes()[static_cast<std::size_t>(share.node)];
      const std::size_t node_number = nodes.try_emplace(share.node, nodes.size()).first->second;
      const std::size_t rack_number = racks.try_emplace(node.rack, racks.size()).first->second;
      text +=
          std::to_string(node_number) + '/' + std::to_string(rack_number) + '/' + node.group + '/' + std::to_string(share.gpu_mask) + ' ';
    }
    text += ';';
  }
  return text;
}

std::vector<double> StepSpeed::simulate(std::span<const PreparedJob* const> jobs, std::vector<Placement> placements) const
{
  Diagnostics diagnostics;
  std::vector<std::unique_ptr<PlacedJob>> placed;
  std::vector<SteppedJob> stepped;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    placed.push_back(place(scenario_, *jobs[i], std::move(placements[i]), catalogue_, diagnostics));
    if (diagnostics.has_errors())
      throw std::runtime_error{"a job cannot train at its place: " + diagnostics.sorted().front().message};
    placed.back()->context->alone = jobs.size() == 1;
    const JitterSpec& jitter = jobs[i]->spec.jitter;
    stepped.push_back(
        {jobs[i]->mode.get(), placed.back()->context.get(), jitter.distribution != "none" && jitter.coefficient_of_variation > 0});
  }
  SteadyStateOptions options;
  options.warm_up_steps = scenario_.scenario.run.warm_up_steps;
  if (std::ranges::none_of(stepped, &SteppedJob::random))
    options.most_steps = 24;
  std::vector<double> times;
  for (const StepEstimate& estimate : steady_state(scenario_.cluster, stepped, *executor_, options))
    times.push_back(estimate.step_time.value());
  return times;
}

std::vector<double> StepSpeed::step_times(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  // In an order that does not depend on who came first, so that more situations are the same one.
  std::vector<PlacedTraceJob> order{jobs.begin(), jobs.end()};
  std::vector<std::size_t> index(jobs.size());
  std::iota(index.begin(), index.end(), std::size_t{0});
  std::ranges::stable_sort(index, [&](std::size_t a, std::size_t b) {
    return std::pair{jobs[a].job->model, -jobs[a].held->gpus} < std::pair{jobs[b].job->model, -jobs[b].held->gpus};
  });
  for (std::size_t i = 0; i < index.size(); ++i)
    order[i] = jobs[index[i]];
  const std::string situation = key(workload, order);
  auto known = known_.find(situation);
  if (known == known_.end()) {
    std::vector<const PreparedJob*> prepared_jobs;
    std::vector<Placement> placements;
    for (const PlacedTraceJob& job : order) {
      prepared_jobs.push_back(prepared(workload, *job.job, job.held->gpus));
      placements.push_back(placement(*prepared_jobs.back(), *job.held));
    }
    known = known_.emplace(situation, simulate(prepared_jobs, std::move(placements))).first;
  }
  std::vector<double> times(jobs.size());
  for (std::size_t i = 0; i < index.size(); ++i)
    times[index[i]] = known->second[i];
  return times;
}

double StepSpeed::reference(const Workload& workload, const PlacedTraceJob& job)
{
  const int gpus = job.job->gpus;
  const auto [known, fresh] = references_.try_emplace({workload.models.name(job.job->model), gpus}, 0);
  if (fresh) {
    const PreparedJob* prepared_job = prepared(workload, *job.job, gpus);
    FreeSlots slots = all_free(scenario_.cluster);
    Diagnostics diagnostics;
    std::vector<Placement> placements{place_packed(scenario_.cluster, prepared_job->spec, slots, diagnostics)};
    diagnostics.throw_if_errors();
    known->second = simulate(std::span{&prepared_job, 1}, std::move(placements)).front();
  }
  return known->second;
}

std::vector<JobSpeed> StepSpeed::speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs)
{
  std::vector<JobSpeed> result(jobs.size());
  std::vector<std::size_t> stepped; // jobs that train; the others work at the trace's speed
  std::vector<std::vector<int>> uses(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (prepared(workload, *jobs[i].job, jobs[i].held->gpus) == nullptr || jobs[i].held->shares.empty()) {
      result[i].speed = result[i].alone = trace_speed(workload, *jobs[i].job, *jobs[i].held);
      continue;
    }
    stepped.push_back(i);
    if (jobs.size() > 1)
      uses[i] = links(workload, jobs[i]);
  }
  const bool whole = stepped.size() <= most_together_;
  std::vector<double> together;
  if (whole && !stepped.empty()) {
    std::vector<PlacedTraceJob> all;
    for (const std::size_t i : stepped)
      all.push_back(jobs[i]);
    together = step_times(workload, all);
  }
  for (std::size_t n = 0; n < stepped.size(); ++n) {
    const std::size_t i = stepped[n];
    // Global batches grow with the GPUs, so elastic jobs do more per step.
    const double work = reference(workload, jobs[i]) * jobs[i].held->gpus / jobs[i].job->gpus;
    std::vector<std::pair<std::size_t, std::size_t>> near; // (common links, job), most first
    for (const std::size_t j : stepped) {
      int link = -1;
      if (j == i || common(uses[i], uses[j], link) == 0)
        continue;
      near.emplace_back(common(uses[i], uses[j], link), j);
    }
    std::ranges::stable_sort(near, [](const auto& a, const auto& b) { return a.first > b.first; });
    double time = 0;
    if (whole) {
      time = together[n];
    } else {
      std::vector<PlacedTraceJob> part{jobs[i]};
      for (std::size_t k = 0; k < near.size() && part.size() < most_together_; ++k)
        part.push_back(jobs[near[k].second]);
      time = step_times(workload, part).front();
    }
    const double alone = stepped.size() == 1 ? time : step_times(workload, jobs.subspan(i, 1)).front();
    result[i] = {.speed = work / time, .alone = work / alone};
    if (!near.empty() && time > alone * (1 + 1e-9)) {
      common(uses[i], uses[near.front().second], result[i].link);
      result[i].neighbour = jobs[near.front().second].id;
    }
  }
  return result;
}

} // namespace trainyard
