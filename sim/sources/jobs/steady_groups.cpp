// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/steady_groups.hpp"

#include "models/core/parallel.hpp"
#include "sim/step/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

/// Random places that the figures of a row come from, at least.
constexpr std::size_t shown_places = 6;
/// Steps of the job with the longest in its group, in all the life of a job. Jobs that share links push each other into
/// places where they share less, so that few long runs tell more than many short ones: against one simulation of all
/// steps of ten jobs, in eight clusters, ends were wrong by 0.33 % (root mean square) with three runs of eight such
/// steps, and by 0.69 % with 24 runs of two.
constexpr double steps_of_a_life = 24;
constexpr double steps_of_a_run = 8;
/// A situation that weighs little needs no more: with two the ends of jobs in 40 random clusters were wrong by 0.53 %
/// in the mean, with one by 0.54 %.
constexpr double fewest_steps = 1;
/// As many times the steps that there are may be wanted before more are made: each run is planned anew.
constexpr double enough = 2;
constexpr double affordable_operations = 300'000; // for the steps of a life

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
                 batch, workers, accumulation, optimizer, host, kernels, training, single, nodes, gpu_order, stragglers,
                 jitter, input, arrival, steps, priority, memory, fraction] = job;
    return std::tuple{std::tie(model, precision, elements, layers, sequence, transformer, batch, workers, accumulation,
                               optimizer, host, kernels),
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
  situations_.clear();
  prepared_.clear();
  forget_programs(job);
  members_[job].left = true;
}

void SteadyGroups::forget_programs(std::size_t job)
{
  for (const auto& [steps, program] : members_[job].programs)
    ways_.forget(*program);
  members_[job].programs.clear();
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
  return stepped_job(*scenario_.jobs[job].mode, *placed(job).context, executor_, alone);
}

/// Not to be asked by several threads at once.
const Situation& SteadyGroups::situation(std::span<const std::size_t> group)
{
  const auto [entry, fresh] = situations_.try_emplace({group.begin(), group.end()});
  if (fresh) {
    SituatedGroup places;
    for (const std::size_t job : group)
      places.push_back(&members_[job].place);
    entry->second = situation_of(places);
  }
  return entry->second;
}

std::shared_ptr<const GroupRun> SteadyGroups::simulate(std::span<const std::size_t> group) const
{
  std::vector<SteppedJob> jobs;
  for (const std::size_t job : group)
    jobs.push_back(stepped(job, group.size() == 1));
  auto run = std::make_shared<GroupRun>();
  run->jobs.assign(group.begin(), group.end());
  run->estimates =
      steady_state(scenario_.cluster, jobs, executor_, options_of_a_run(jobs, scenario_.scenario.run, executor_));
  return checked(std::move(run));
}

/// The one of the random places whose speeds are nearest to the mean is what is shown, with the mean as its speed. All
/// run until the slowest has made some steps beside the others: after the first has ended they have it easier.
std::shared_ptr<const GroupRun> SteadyGroups::run_nearest_to_mean(std::span<const std::size_t> group,
                                                                  const Known& known)
{
  const auto distance = [&](const Drawn& drawn) {
    double sum = 0;
    for (std::size_t i = 0; i < known.rates.size(); ++i)
      sum += std::pow(drawn.rates[i] / known.rates[i] - 1, 2);
    return sum;
  };
  const Drawn& nearest = *std::ranges::min_element(known.drawn, {}, distance);
  const Situation& here = situation(group);
  const int of_slowest = std::max(scenario_.scenario.run.warm_up_steps, 1) + 2;
  const double slowest = std::ranges::min(known.rates);
  std::vector<ProgramRun> runs(group.size());
  std::vector<Seconds> starts(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t job = here.order[i];
    const int steps = static_cast<int>(std::ceil(of_slowest * known.rates[i] / slowest)) + 1; // one as others begin
    starts[job] = nearest.starts[i];
    runs[job] = {&program(group[job], steps), starts[job]};
  }
  std::vector<SteppedJob> jobs;
  std::vector<StepProgram> shown;
  for (std::size_t i = 0; i < group.size(); ++i) {
    jobs.push_back(stepped(group[i], false));
    shown.push_back(*runs[i].program);
  }
  const SteadyStateOptions options = options_of_a_run(jobs, scenario_.scenario.run, executor_);
  auto run = std::make_shared<GroupRun>();
  run->jobs.assign(group.begin(), group.end());
  std::vector<StepTrace> traces;
  if (const std::unique_ptr<RepeatedRun> repeated = executor_.repeated(scenario_.cluster, runs, &ways_);
      repeated != nullptr)
    traces = repeated->again(starts);
  else
    traces = executor_.run(scenario_.cluster, runs);
  run->estimates = estimates_of(jobs, options, std::move(shown), std::move(traces));
  for (std::size_t i = 0; i < group.size(); ++i) {
    StepEstimate& estimate = run->estimates[here.order[i]];
    std::vector<double> rates;
    for (const Drawn& each : known.drawn)
      rates.push_back(each.rates[i] * estimate.program.samples_per_step);
    take_mean(estimate, rates, options.confidence);
  }
  return checked(std::move(run));
}

std::shared_ptr<const GroupRun> SteadyGroups::checked(std::shared_ptr<const GroupRun> run) const
{
  std::vector<const StepProgram*> programs;
  std::vector<const StepTrace*> traces;
  for (const StepEstimate& estimate : run->estimates) {
    programs.push_back(&estimate.program);
    traces.push_back(&estimate.trace);
  }
  check_(programs, traces);
  return run;
}

/// Notes what a simulation says.
void SteadyGroups::book(std::span<const std::size_t> group, std::shared_ptr<const GroupRun> run)
{
  const Situation& here = situation(group);
  Known& known = known_[here.key];
  known.run = run;
  if (known.rates.empty())
    for (const std::size_t i : here.order)
      known.rates.push_back(1 / run->estimates[i].step_time.value());
  ++simulations_;
  fresh_.push_back(std::move(run));
}

std::shared_ptr<const GroupRun> SteadyGroups::run(std::span<const std::size_t> group)
{
  const Situation& here = situation(group);
  if (std::shared_ptr<const GroupRun> run = known_[here.key].run.lock())
    return run;
  if (depends_on_places(group)) {
    const Wanted wanted{{group.begin(), group.end()}, 0, shown_places};
    expect({&wanted, 1});
  }
  const Known& known = known_[here.key];
  book(group, known.drawn.empty() ? simulate(group) : run_nearest_to_mean(group, known));
  if (std::ranges::any_of(group, [this](std::size_t job) { return members_[job].left; })) {
    prepared_.clear(); // nobody simulates it again; of a thousand jobs all together fill a gigabyte
    for (const std::size_t job : group)
      forget_programs(job);
  }
  return known_[here.key].run.lock();
}

bool SteadyGroups::depends_on_places(std::span<const std::size_t> group) const
{
  return group.size() > 1 && std::ranges::none_of(group, [this](std::size_t job) {
           const SteppedJob stepped = this->stepped(job, false);
           return stepped.random || stepped.wanders || stepped.divided;
         });
}

double SteadyGroups::Known::drawn_steps() const
{
  double steps = 0;
  for (const Drawn& each : drawn)
    steps += each.steps;
  return steps;
}

double SteadyGroups::Known::missing_steps(const Wanted& wanted) const
{
  if (most_steps == 0)
    return 0;
  const double steps = std::min(most_steps * wanted.weight, most_steps), known = drawn_steps();
  if (drawn.size() >= wanted.places && steps <= enough * known)
    return 0;
  return std::clamp(steps - known, fewest_steps, steps_of_a_run);
}

/// The first steps of a job beside others; made once while it is there.
const StepProgram& SteadyGroups::program(std::size_t job, int steps)
{
  std::unique_ptr<const StepProgram>& known = members_[job].programs[steps];
  if (known == nullptr) {
    const SteppedJob stepped = this->stepped(job, false);
    known = std::make_unique<const StepProgram>(stepped.mode->program(*stepped.context, 0, steps));
    for (const auto& [others, other] : members_[job].programs)
      if (others != steps) {
        ways_.like(*known, *other);
        break;
      }
  }
  return *known;
}

std::vector<Seconds> SteadyGroups::step_times_alone(std::span<const std::size_t> group) const
{
  std::vector<Seconds> times;
  times.reserve(group.size());
  for (const std::size_t job : group)
    times.push_back(Seconds{1 / known_.at(situation_of(SituatedGroup{&members_[job].place}).key).rates.front()});
  return times;
}

/// The first steps of each job of a group.
std::vector<ProgramRun> SteadyGroups::programs(std::span<const std::size_t> group, std::span<const int> steps)
{
  std::vector<ProgramRun> runs;
  for (std::size_t i = 0; i < steps.size(); ++i)
    runs.push_back({&program(group[i], steps[i]), Seconds{}});
  return runs;
}

/// Adds to what is known what is wanted; the speeds of its jobs alone are known. Draws of groups that share no job can
/// be made at once.
SteadyGroups::Known SteadyGroups::draw(const Wanted& wanted, const Situation& here, Known known, PreparedRuns& prepared)
{
  const std::vector<Seconds> step_times = step_times_alone(wanted.group);
  double steps = fewest_steps;
  while (steps > 0) {
    const std::vector<int> beside = steps_beside(step_times, steps); // the job with the longest steps
    const auto [entry, fresh] = prepared.try_emplace(beside);
    auto& [runs, repeated] = entry->second;
    if (fresh)
      runs = programs(wanted.group, beside);
    if (known.most_steps < 0) {
      std::size_t operations = 0;
      for (const ProgramRun& run : runs)
        operations += run.program->operations.size();
      const double affordable = affordable_operations * steps / static_cast<double>(operations);
      known.most_steps = affordable < 2 * fewest_steps ? 0 : std::min(affordable, steps_of_a_life);
      if (known.most_steps == 0)
        break;
    }
    if (fresh)
      repeated = executor_.repeated(scenario_.cluster, runs, &ways_);
    std::vector<Seconds> starts;
    for (std::size_t i = 0; i < wanted.group.size(); ++i) {
      const std::size_t job = wanted.group[i];
      const std::string stream = "start/" + std::to_string(++members_[job].places);
      starts.push_back(step_times[i] * scenario_.jobs[job].random.stream(stream).uniform());
      runs[i].start = starts.back();
    }
    const std::vector<double> rates = rates_beside(runs, repeated != nullptr ? repeated->until_one_has_ended(starts)
                                                                             : executor_.run(scenario_.cluster, runs));
    known.drawn.push_back({{}, {}, steps});
    for (const std::size_t i : here.order) {
      known.drawn.back().rates.push_back(rates[i]);
      known.drawn.back().starts.push_back(starts[i]);
    }
    steps = known.missing_steps(wanted);
  }
  known.rates.assign(known.drawn.empty() ? 0 : wanted.group.size(), 0.0);
  for (const Drawn& each : known.drawn)
    for (std::size_t i = 0; i < known.rates.size(); ++i)
      known.rates[i] += each.rates[i] * (each.steps / known.drawn_steps());
  return known;
}

/// How long its simulation takes beside that of others, about: as its jobs have workers and layers.
double SteadyGroups::size_of(std::span<const std::size_t> group) const
{
  double size = 0;
  for (const std::size_t job : group)
    size += static_cast<double>(scenario_.jobs[job].dnn.layers.size()) * scenario_.jobs[job].spec.workers;
  return size;
}

void SteadyGroups::simulate_unknown(std::span<const std::vector<std::size_t>> groups)
{
  std::map<std::vector<int>, std::size_t> unlike;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (std::vector<int> key = situation(groups[i]).key; !known_.contains(key) || known_.at(key).rates.empty())
      unlike.try_emplace(std::move(key), i);
  std::vector<std::size_t> unknown;
  unknown.reserve(unlike.size());
  for (const auto& [key, i] : unlike)
    unknown.push_back(i);
  std::ranges::sort(unknown); // booked in the order in which they would be without threads
  std::vector<std::shared_ptr<const GroupRun>> runs(unknown.size());
  std::vector<double> sizes;
  for (const std::size_t i : unknown)
    sizes.push_back(size_of(groups[i]));
  in_parallel(sizes, threads_, [&](std::size_t i) { runs[i] = simulate(groups[unknown[i]]); });
  for (std::size_t i = 0; i < unknown.size(); ++i)
    book(groups[unknown[i]], std::move(runs[i]));
}

void SteadyGroups::expect(std::span<const Wanted> groups)
{
  if (threads_ > 1 && groups.size() > 1)
    if (const Node& node = scenario_.cluster.nodes().front(); !scenario_.cluster.outgoing(node.host).empty())
      scenario_.cluster.route(node.host, // the first route makes what all others read
                              scenario_.cluster.link(scenario_.cluster.outgoing(node.host).front()).to);
  std::vector<std::vector<std::size_t>> whole; // to be simulated until their steps repeat
  std::map<std::vector<int>, const Wanted*> unlike;
  for (const Wanted& wanted : groups) {
    std::vector<int> key = situation(wanted.group).key;
    const auto found = known_.find(key);
    if (found == known_.end() || found->second.most_steps < 0) {
      if (!depends_on_places(wanted.group)) {
        whole.push_back(wanted.group);
        continue;
      }
      for (const std::size_t job : wanted.group)
        whole.push_back({job});
    }
    unlike.try_emplace(std::move(key), &wanted);
  }
  simulate_unknown(whole);
  whole.clear();
  std::vector<const Wanted*> to_draw;
  for (const auto& [key, wanted] : unlike)
    if (known_[key].missing_steps(*wanted) > 0)
      to_draw.push_back(wanted);
  if (!to_draw.empty()) {
    std::map<std::vector<std::size_t>, PreparedRuns> before = std::exchange(prepared_, {});
    for (const Wanted* wanted : to_draw)
      prepared_[wanted->group] = std::move(before[wanted->group]);
  }
  std::vector<const Situation*> here;
  here.reserve(to_draw.size());
  std::vector<double> sizes;
  for (const Wanted* wanted : to_draw) {
    here.push_back(&situation(wanted->group));
    sizes.push_back(size_of(wanted->group));
  }
  std::vector<Known> drawn(to_draw.size());
  in_parallel(sizes, threads_, [&](std::size_t i) {
    const Wanted& wanted = *to_draw[i];
    drawn[i] = draw(wanted, *here[i], known_.at(here[i]->key), prepared_.at(wanted.group));
  });
  for (std::size_t i = 0; i < to_draw.size(); ++i) {
    if (drawn[i].drawn.empty())
      whole.push_back(to_draw[i]->group);
    known_.at(here[i]->key) = std::move(drawn[i]);
  }
  simulate_unknown(whole);
}

std::vector<double> SteadyGroups::rates(const Wanted& wanted)
{
  expect({&wanted, 1});
  const Situation& here = situation(wanted.group);
  const Known& known = known_.at(here.key);
  std::vector<double> rates(wanted.group.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    rates[here.order[i]] = known.rates[i];
  return rates;
}

std::shared_ptr<const GroupRun> SteadyGroups::at_places_of(std::span<const std::size_t> group,
                                                           std::shared_ptr<const GroupRun> run)
{
  if (std::ranges::equal(run->jobs, group))
    return run;
  const Situation &here = situation(group), &there = situation(run->jobs);
  auto result = std::make_shared<GroupRun>();
  result->jobs.assign(group.begin(), group.end());
  result->estimates.resize(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t from = there.order[i], to = here.order[i];
    std::optional<StepEstimate> estimate = moved(run->estimates[from], members_[run->jobs[from]].place,
                                                 stepped(group[to], group.size() == 1), members_[group[to]].place);
    if (!estimate) {
      const Known& known = known_.at(here.key);
      ++simulations_;
      return known.drawn.empty() ? simulate(group) : run_nearest_to_mean(group, known);
    }
    result->estimates[to] = std::move(*estimate);
  }
  return result;
}

} // namespace trainyard
