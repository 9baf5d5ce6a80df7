// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/steady_groups.hpp"

#include "models/core/parallel.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

// A member that is added to one of these must be named here, or this does not compile.

auto parts(const StragglerSpec& spec)
{
  const auto& [worker, slow_down] = spec;
  return std::tie(worker, slow_down);
}

auto parts(const JitterSpec& spec)
{
  const auto& [distribution, coefficient] = spec;
  return std::tie(distribution, coefficient);
}

auto parts(const InputSpec& spec)
{
  const auto& [source, bytes, bandwidth, preprocess, cores, prefetch] = spec;
  return std::tie(source, bytes, bandwidth, preprocess, cores, prefetch);
}

auto parts(const TrainingSpec& spec)
{
  const auto& [mode, transport, settings, parallel] = spec;
  return std::tie(mode, transport, settings, parallel);
}

/// Whether jobs train alike at equal places.
bool alike(const JobSpec& one, const JobSpec& other)
{
  const auto of_training = [](const JobSpec& job) {
    const auto& [name, path, user, team, copies, model, refused, precision, elements, layers, sequence, transformer,
                 batch, workers, accumulation, optimizer, host, training, single, nodes, stragglers, jitter, input,
                 arrival, steps, priority, memory, fraction] = job;
    return std::tuple{std::tie(model, precision, elements, layers, sequence, transformer, batch, workers, accumulation,
                               optimizer, host),
                      std::tie(single, memory, fraction), parts(training), parts(jitter), parts(input)};
  };
  return of_training(one) == of_training(other) &&
         std::ranges::equal(one.stragglers, other.stragglers,
                            [](const auto& a, const auto& b) { return parts(a) == parts(b); });
}

/// The simulated steps of one job as they look at the place of its like: the same times, its own links. Nothing where
/// the programs are not alike.
std::optional<StepEstimate> moved(const StepEstimate& from, const Situated& there, const SteppedJob& job,
                                  const Situated& here)
{
  std::map<int, int> link_at; // by position
  for (std::size_t i = 0; i < here.links.size(); ++i)
    link_at[here.position[i]] = here.links[i].link;
  std::map<int, int> link_of;
  for (std::size_t i = 0; i < there.links.size(); ++i)
    if (const auto found = link_at.find(there.position[i]); found != link_at.end())
      link_of[there.links[i].link] = found->second;
  StepEstimate estimate = from;
  estimate.program = job.mode->program(*job.context, 0, from.program.steps);
  if (estimate.program.operations.size() != from.program.operations.size())
    return std::nullopt;
  for (LinkUse& use : estimate.trace.links) {
    const auto found = link_of.find(use.link.index);
    if (found == link_of.end())
      return std::nullopt;
    use.link = LinkId{found->second};
  }
  std::ranges::sort(estimate.trace.links, {}, [](const LinkUse& use) { return use.link.index; });
  return estimate;
}

} // namespace

SteadyGroups::SteadyGroups(const PreparedScenario& scenario, const Executor& executor, bool queued, std::size_t threads,
                           StepCheck check)
    : scenario_{scenario}, executor_{executor}, queued_{queued}, threads_{threads}, check_{std::move(check)},
      shapes_{scenario}, members_(scenario.jobs.size())
{
}

std::optional<StepProgram> SteadyGroups::join(std::size_t job, const PlacedJob& placed)
{
  Member& member = members_[job];
  member.placed = &placed;
  std::optional<StepProgram> step;
  if (scenario_.jobs.size() > 1) { // else there is nobody to meet or to be like
    const SteppedJob stepped = this->stepped(job, false);
    step = stepped.mode->program(*stepped.context, 0, 1);
    member.place = shapes_.at(scenario_.jobs[job], placed, *step, description(job), queued_);
  }
  contention_.add(JobId{static_cast<int>(job)}, member.place.links);
  return step;
}

void SteadyGroups::leave(std::size_t job)
{
  contention_.remove(JobId{static_cast<int>(job)});
}

/// Equal for jobs that train alike at equal places.
std::string SteadyGroups::description(std::size_t job)
{
  const JobSpec& spec = scenario_.jobs[job].spec;
  const SteppedJob stepped = this->stepped(job, false);
  if (stepped.random || stepped.wanders)
    return "job " + spec.name;
  const auto known =
      std::ranges::find_if(descriptions_, [&](const JobSpec* description) { return alike(*description, spec); });
  const auto number = known - descriptions_.begin();
  if (known == descriptions_.end())
    descriptions_.push_back(&spec);
  return "description " + std::to_string(number);
}

std::vector<std::size_t> SteadyGroups::group_of(std::size_t job) const
{
  std::vector<std::size_t> group;
  for (const JobId id : contention_.component(JobId{static_cast<int>(job)}))
    group.push_back(static_cast<std::size_t>(id.index));
  return group;
}

std::vector<std::size_t> SteadyGroups::neighbours_of(std::size_t job) const
{
  std::vector<std::size_t> neighbours;
  for (const JobId id : contention_.neighbours(JobId{static_cast<int>(job)}))
    neighbours.push_back(static_cast<std::size_t>(id.index));
  return neighbours;
}

SteppedJob SteadyGroups::stepped(std::size_t job, bool alone) const
{
  const PlacedJob& there = placed(job);
  there.context->alone = alone && !executor_.draws(); // else equal workers differ: none stands for all
  SteppedJob result = stepped_job(*scenario_.jobs[job].mode, *there.context);
  result.random = result.random || (executor_.draws() && !result.wanders);
  return result;
}

Situation SteadyGroups::situation(std::span<const std::size_t> group) const
{
  SituatedGroup places;
  for (const std::size_t job : group)
    places.push_back(&members_[job].place);
  return situation_of(places);
}

std::shared_ptr<const GroupRun> SteadyGroups::simulate(std::span<const std::size_t> group) const
{
  std::vector<SteppedJob> jobs;
  for (const std::size_t job : group)
    jobs.push_back(stepped(job, group.size() == 1));
  SteadyStateOptions options = options_of_a_run(jobs, scenario_.scenario.run.warm_up_steps);
  options.confidence = scenario_.scenario.run.confidence;
  auto run = std::make_shared<GroupRun>();
  run->jobs.assign(group.begin(), group.end());
  run->estimates = steady_state(scenario_.cluster, jobs, executor_, options);
  return run;
}

/// To be asked of each simulation once.
std::shared_ptr<const GroupRun> SteadyGroups::checked(std::shared_ptr<const GroupRun> run)
{
  ++simulations_;
  std::vector<const StepProgram*> programs;
  std::vector<const StepTrace*> traces;
  for (const StepEstimate& estimate : run->estimates) {
    programs.push_back(&estimate.program);
    traces.push_back(&estimate.trace);
  }
  check_(programs, traces);
  return run;
}

std::shared_ptr<const GroupRun> SteadyGroups::run(std::span<const std::size_t> group)
{
  const Situation here = situation(group);
  Known& known = known_[here.key];
  std::shared_ptr<const GroupRun> run = known.run.lock();
  if (run == nullptr) {
    known.run = run = checked(simulate(group));
    fresh_.push_back(run);
  }
  if (known.rates.empty())
    for (const std::size_t i : here.order)
      known.rates.push_back(1 / run->estimates[i].step_time.value());
  return run;
}

void SteadyGroups::expect(std::span<const std::vector<std::size_t>> groups)
{
  if (threads_ < 2 || groups.size() < 2)
    return;
  std::map<std::vector<int>, std::size_t> unlike;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (std::vector<int> key = situation(groups[i]).key; !known_.contains(key))
      unlike.try_emplace(std::move(key), i);
  std::vector<std::size_t> unknown;
  unknown.reserve(unlike.size());
  for (const auto& [key, i] : unlike)
    unknown.push_back(i);
  std::ranges::sort(unknown); // checked in the order in which they would be without threads
  if (const Node& node = scenario_.cluster.nodes().front(); !scenario_.cluster.outgoing(node.host).empty())
    scenario_.cluster.route(node.host, // the first route makes what all others read
                            scenario_.cluster.link(scenario_.cluster.outgoing(node.host).front()).to);
  std::vector<std::shared_ptr<const GroupRun>> runs(unknown.size());
  in_parallel(unknown.size(), threads_, [&](std::size_t i) { runs[i] = simulate(groups[unknown[i]]); });
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    known_[situation(groups[unknown[i]]).key].run = runs[i];
    fresh_.push_back(checked(std::move(runs[i])));
  }
}

std::vector<double> SteadyGroups::rates(std::span<const std::size_t> group)
{
  const Situation here = situation(group);
  if (const auto found = known_.find(here.key); found == known_.end() || found->second.rates.empty())
    run(group);
  const Known& known = known_.at(here.key);
  std::vector<double> rates(group.size());
  for (std::size_t i = 0; i < group.size(); ++i)
    rates[here.order[i]] = known.rates[i];
  return rates;
}

std::shared_ptr<const GroupRun> SteadyGroups::at_places_of(std::span<const std::size_t> group,
                                                           std::shared_ptr<const GroupRun> run)
{
  if (std::ranges::equal(run->jobs, group))
    return run;
  const Situation here = situation(group), there = situation(run->jobs);
  auto result = std::make_shared<GroupRun>();
  result->jobs.assign(group.begin(), group.end());
  result->estimates.resize(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t from = there.order[i], to = here.order[i];
    std::optional<StepEstimate> estimate = moved(run->estimates[from], members_[run->jobs[from]].place,
                                                 stepped(group[to], group.size() == 1), members_[group[to]].place);
    if (!estimate)
      return checked(simulate(group));
    result->estimates[to] = std::move(*estimate);
  }
  return result;
}

} // namespace trainyard
