// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/dag_plan.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace trainyard {
namespace {

constexpr Instant impossible = end_of_time;

/// Free GPUs of one type over time: from each time to the next.
class FreeGpus
{
public:
  FreeGpus(Instant now, int capacity) : steps_{{now, capacity}} {}

  void add(Instant from, Instant to, int change)
  {
    if (from >= to)
      return;
    const std::size_t first = split(from);
    const std::size_t last = split(to);
    for (std::size_t i = first; i < last; ++i)
      steps_[i].free += change;
  }

  /// Earliest begin at or after @p ready of a time this long with enough GPUs free.
  Instant earliest(Instant ready, Instant length, int gpus) const
  {
    auto at = std::ranges::upper_bound(steps_, ready, {}, &Step::from);
    std::size_t i = static_cast<std::size_t>(at - steps_.begin()) - (at == steps_.begin() ? 0 : 1);
    Instant begin = std::max(ready, steps_.front().from);
    while (true) {
      const bool last = i + 1 == steps_.size();
      if (steps_[i].free < gpus) {
        if (last)
          return impossible;
        begin = steps_[++i].from;
        continue;
      }
      if (last || steps_[i + 1].from >= begin + length)
        return begin;
      ++i;
    }
  }

private:
  struct Step {
    Instant from;
    int free;
  };

  std::size_t split(Instant time)
  {
    const auto at = std::ranges::lower_bound(steps_, time, {}, &Step::from);
    const auto index = static_cast<std::size_t>(at - steps_.begin());
    if (at == steps_.end() || at->from != time)
      steps_.insert(at, {time, steps_[index > 0 ? index - 1 : 0].free});
    return index;
  }

  std::vector<Step> steps_;
};

/// Places jobs, and takes them back in reverse order.
class Planner
{
public:
  explicit Planner(const DagProblem& problem) : problem_{problem}, end_(problem.jobs.size(), unplaced)
  {
    for (const int capacity : problem.capacity)
      free_.emplace_back(problem.now, capacity);
    for (const DagBusy& busy : problem.busy)
      free_[static_cast<std::size_t>(busy.gpu_type)].add(problem.now, busy.until, -busy.gpus);
  }

  struct Place {
    int gpu_type = -1;
    Instant start = impossible;
    Instant end = impossible;
  };

  /// Where the job ends first; on @p only if >= 0.
  Place best(int job, int only = -1) const
  {
    Place best;
    for (int type = 0; type < static_cast<int>(problem_.capacity.size()); ++type) {
      if (only >= 0 && type != only)
        continue;
      const Place here = on_type(job, type);
      if (here.end < best.end)
        best = here;
    }
    return best;
  }

  Place on_type(int job, int type) const
  {
    const DagJob& wanted = problem_.jobs[static_cast<std::size_t>(job)];
    const Instant duration = wanted.duration[static_cast<std::size_t>(type)];
    const int capacity = problem_.capacity[static_cast<std::size_t>(type)];
    if (!is_finite(duration) || wanted.gpus > capacity)
      return {};
    Instant ready = std::max(problem_.now, wanted.release);
    for (const int before : wanted.predecessors)
      ready = std::max(ready, end_[static_cast<std::size_t>(before)]);
    const Instant start = free_[static_cast<std::size_t>(type)].earliest(ready, duration, wanted.gpus);
    return start < impossible ? Place{type, start, start + duration} : Place{};
  }

  void add(int job, const Place& place)
  {
    free_[static_cast<std::size_t>(place.gpu_type)].add(place.start, place.end,
                                                        -problem_.jobs[static_cast<std::size_t>(job)].gpus);
    end_[static_cast<std::size_t>(job)] = place.end;
  }

  void take_back(int job, const Place& place)
  {
    free_[static_cast<std::size_t>(place.gpu_type)].add(place.start, place.end,
                                                        problem_.jobs[static_cast<std::size_t>(job)].gpus);
    end_[static_cast<std::size_t>(job)] = unplaced;
  }

  bool placed(int job) const { return end_[static_cast<std::size_t>(job)] != unplaced; }

private:
  static constexpr Instant unplaced{-1};

  const DagProblem& problem_;
  std::vector<FreeGpus> free_;
  std::vector<Instant> end_;
};

/// In seconds.
double mean_duration(const DagJob& job)
{
  double sum = 0;
  int count = 0;
  for (const Instant duration : job.duration)
    if (is_finite(duration)) {
      sum += duration.value();
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

std::vector<std::vector<int>> successors_of(const DagProblem& problem)
{
  std::vector<std::vector<int>> successors(problem.jobs.size());
  for (std::size_t job = 0; job < problem.jobs.size(); ++job)
    for (const int before : problem.jobs[job].predecessors)
      successors[static_cast<std::size_t>(before)].push_back(static_cast<int>(job));
  return successors;
}

/// Predecessors first, and among those that may come next the one with the smallest key.
template <class Key>
std::vector<int> topological_order(const DagProblem& problem, const std::vector<Key>& key)
{
  const auto successors = successors_of(problem);
  std::vector<std::size_t> missing;
  std::vector<int> ready;
  for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
    missing.push_back(problem.jobs[job].predecessors.size());
    if (missing.back() == 0)
      ready.push_back(static_cast<int>(job));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const auto best = std::ranges::min_element(ready, [&](int a, int b) {
      return std::tie(key[static_cast<std::size_t>(a)], a) < std::tie(key[static_cast<std::size_t>(b)], b);
    });
    const int job = *best;
    ready.erase(best);
    order.push_back(job);
    for (const int next : successors[static_cast<std::size_t>(job)])
      if (--missing[static_cast<std::size_t>(next)] == 0)
        ready.push_back(next);
  }
  return order;
}

class Exhaustive
{
public:
  explicit Exhaustive(const DagProblem& problem) : problem_{problem}, planner_{problem}, rank_(problem.jobs.size())
  {
    // Longest path to the end at the best durations: what must still follow.
    const auto successors = successors_of(problem);
    std::vector<int> order = topological_order(problem, std::vector<int>(problem.jobs.size(), 0));
    std::ranges::reverse(order);
    for (const int job : order) {
      Instant after;
      for (const int next : successors[static_cast<std::size_t>(job)])
        after = std::max(after, rank_[static_cast<std::size_t>(next)]);
      rank_[static_cast<std::size_t>(job)] =
          std::min(after + std::ranges::min(problem.jobs[static_cast<std::size_t>(job)].duration), impossible);
    }
  }

  Instant search(Instant known)
  {
    best_ = known;
    descend(0, problem_.now);
    return best_;
  }

private:
  void descend(std::size_t placed, Instant end)
  {
    if (placed == problem_.jobs.size()) {
      best_ = std::min(best_, end - problem_.now);
      return;
    }
    for (int job = 0; job < static_cast<int>(problem_.jobs.size()); ++job) {
      const auto& before = problem_.jobs[static_cast<std::size_t>(job)].predecessors;
      if (planner_.placed(job) || !std::ranges::all_of(before, [&](int other) { return planner_.placed(other); }))
        continue;
      for (int type = 0; type < static_cast<int>(problem_.capacity.size()); ++type) {
        const Planner::Place place = planner_.on_type(job, type);
        if (place.gpu_type < 0 || place.start + rank_[static_cast<std::size_t>(job)] - problem_.now >= best_)
          continue;
        planner_.add(job, place);
        descend(placed + 1, std::max(end, place.end));
        planner_.take_back(job, place);
      }
    }
  }

  const DagProblem& problem_;
  Planner planner_;
  std::vector<Instant> rank_;
  Instant best_ = impossible;
};

} // namespace

DagPlan serial_plan(const DagProblem& problem, std::span<const int> order, std::span<const int> fixed_type)
{
  DagPlan plan{.order = {order.begin(), order.end()},
               .start = std::vector<Instant>(problem.jobs.size(), impossible),
               .gpu_type = std::vector<int>(problem.jobs.size(), -1)};
  Planner planner{problem};
  for (const int job : order) {
    const auto index = static_cast<std::size_t>(job);
    const Planner::Place place = planner.best(job, fixed_type.empty() ? -1 : fixed_type[index]);
    if (place.gpu_type < 0) {
      plan.makespan = impossible;
      continue;
    }
    planner.add(job, place);
    plan.start[index] = place.start;
    plan.gpu_type[index] = place.gpu_type;
    plan.makespan = std::max(plan.makespan, place.end - problem.now);
  }
  return plan;
}

std::vector<double> upward_ranks(const DagProblem& problem)
{
  const auto successors = successors_of(problem);
  std::vector<double> rank(problem.jobs.size(), 0);
  std::vector<int> order = topological_order(problem, std::vector<int>(problem.jobs.size(), 0));
  std::ranges::reverse(order);
  for (const int job : order) {
    double after = 0;
    for (const int next : successors[static_cast<std::size_t>(job)])
      after = std::max(after, rank[static_cast<std::size_t>(next)]);
    rank[static_cast<std::size_t>(job)] = mean_duration(problem.jobs[static_cast<std::size_t>(job)]) + after;
  }
  return rank;
}

DagPlan plan_list(const DagProblem& problem)
{
  std::vector<double> key = upward_ranks(problem);
  for (double& rank : key)
    rank = -rank;
  return serial_plan(problem, topological_order(problem, key));
}

DagPlan plan_clustering(const DagProblem& problem)
{
  const auto successors = successors_of(problem);
  const std::vector<int> order = topological_order(problem, std::vector<int>(problem.jobs.size(), 0));
  std::vector<int> cluster(problem.jobs.size(), -1);
  std::vector<int> fixed(problem.jobs.size(), -1);
  for (int number = 0; std::ranges::find(cluster, -1) != cluster.end(); ++number) {
    // Longest path over what is left: lengths from the end backwards, then walk along the largest.
    std::vector<double> length(problem.jobs.size(), 0);
    int first = -1;
    for (auto job = order.rbegin(); job != order.rend(); ++job) {
      const auto index = static_cast<std::size_t>(*job);
      if (cluster[index] >= 0)
        continue;
      for (const int next : successors[index])
        if (cluster[static_cast<std::size_t>(next)] < 0)
          length[index] = std::max(length[index], length[static_cast<std::size_t>(next)]);
      length[index] += mean_duration(problem.jobs[index]);
      if (first < 0 || length[index] >= length[static_cast<std::size_t>(first)])
        first = *job;
    }
    std::vector<int> path;
    for (int job = first; job >= 0;) {
      path.push_back(job);
      cluster[static_cast<std::size_t>(job)] = number;
      int following = -1;
      for (const int next : successors[static_cast<std::size_t>(job)])
        if (cluster[static_cast<std::size_t>(next)] < 0 &&
            (following < 0 || length[static_cast<std::size_t>(next)] > length[static_cast<std::size_t>(following)]))
          following = next;
      job = following;
    }
    Instant shortest = impossible;
    int best = -1;
    for (int type = 0; type < static_cast<int>(problem.capacity.size()); ++type) {
      Instant sum;
      for (const int job : path) {
        const DagJob& one = problem.jobs[static_cast<std::size_t>(job)];
        const bool fits = one.gpus <= problem.capacity[static_cast<std::size_t>(type)];
        sum = std::min(sum + (fits ? one.duration[static_cast<std::size_t>(type)] : impossible), impossible);
      }
      if (sum < shortest) {
        shortest = sum;
        best = type;
      }
    }
    for (const int job : path)
      fixed[static_cast<std::size_t>(job)] = best; // -1: no type suits all of them, each finds its own
  }
  return serial_plan(problem, topological_order(problem, cluster), fixed);
}

DagPlan plan_genetic(const DagProblem& problem, std::span<const DagPlan> seeds, const GeneticOptions& options,
                     RandomStream draw)
{
  const std::size_t jobs = problem.jobs.size();
  std::vector<DagPlan> population{seeds.begin(), seeds.end()};
  const auto size = static_cast<std::size_t>(std::max(options.population, 2));
  while (population.size() < size) {
    check_interrupt();
    std::vector<double> key;
    for (std::size_t job = 0; job < jobs; ++job)
      key.push_back(draw.uniform());
    population.push_back(serial_plan(problem, topological_order(problem, key)));
  }
  const auto better = [](const DagPlan& a, const DagPlan& b) { return a.makespan < b.makespan; };
  std::ranges::stable_sort(population, better);
  for (int generation = 0; generation < options.generations && jobs > 1; ++generation) {
    check_interrupt();
    const std::size_t parents = population.size();
    for (std::size_t child = 0; child < parents / 2; ++child) {
      // Tournament of two; the child has the first parent's order up to a cut, then the rest in the second's:
      // predecessors stay first.
      const auto pick = [&] { return std::min(draw.below(parents), draw.below(parents)); };
      const std::vector<int>& mother = population[pick()].order;
      const std::vector<int>& father = population[pick()].order;
      const auto cut = static_cast<std::ptrdiff_t>(1 + draw.below(jobs));
      std::vector<int> order{mother.begin(), mother.begin() + std::min(cut, static_cast<std::ptrdiff_t>(jobs))};
      std::vector<bool> taken(jobs, false);
      for (const int job : order)
        taken[static_cast<std::size_t>(job)] = true;
      for (const int job : father)
        if (!taken[static_cast<std::size_t>(job)])
          order.push_back(job);
      if (draw.uniform() < options.mutation) {
        std::vector<double> key(jobs);
        for (std::size_t i = 0; i < jobs; ++i)
          key[static_cast<std::size_t>(order[i])] = static_cast<double>(i);
        key[draw.below(jobs)] = draw.uniform() * static_cast<double>(jobs);
        order = topological_order(problem, key);
      }
      population.push_back(serial_plan(problem, order));
    }
    std::ranges::stable_sort(population, better);
    population.resize(parents);
  }
  return population.front();
}

std::optional<Instant> optimal_makespan(const DagProblem& problem, int most_jobs)
{
  if (static_cast<int>(problem.jobs.size()) > most_jobs)
    return std::nullopt;
  if (problem.jobs.empty())
    return Instant{};
  return Exhaustive{problem}.search(plan_list(problem).makespan);
}

GeneticSearch::GeneticSearch(const Settings& settings, const std::string& name)
    : options_{.population = settings.integer("population", 12), .generations = settings.integer("generations", 20)},
      random_{static_cast<std::uint64_t>(settings.integer("seed", 1))}
{
  if (options_.population < 2 || options_.generations < 0)
    throw std::invalid_argument{name + ": population must be at least 2, generations at least 0"};
}

std::vector<Parameter> GeneticSearch::parameters()
{
  return {{"population", "integer", "12", "number of plans kept", 2, 1e5},
          {"generations", "integer", "20", "number of generations", 0, 1e6},
          {"seed", "integer", "1", "seed of the search", 0, 2e9}};
}

DagPlan GeneticSearch::search(const DagProblem& problem, std::span<const DagPlan> seeds, std::int64_t number) const
{
  return plan_genetic(problem, seeds, options_, random_.stream("plan " + std::to_string(number)));
}

} // namespace trainyard
