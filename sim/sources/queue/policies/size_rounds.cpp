// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/size_rounds.hpp"

#include "sim/cluster/speed/shared_gpu_speed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

/// Sizes of a job on a type that a plan looks at; more are thinned out, the larger the further apart.
constexpr std::size_t most_sizes = 32;

bool is_planned(const TraceJob& job)
{
  return job.gpus > 0 && job.gpu_milli >= 1000;
}

/// Whether a whole gang can have GPUs of one type; of a goodput model it then has a speed there (bind_goodput).
bool has_a_type(const ClusterView& cluster, const TraceJob& job, const PoolOfMachines& pool)
{
  for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
    if (cluster.workload().speed_on(job, type) > 0 && pool.has_for(cluster, job, type, job.smallest_gpus()))
      return true;
  return false;
}

/// About most_sizes of @p all, evenly spaced by ratio, with the first, the last and @p held.
std::vector<int> thinned(std::vector<int> all, int held)
{
  if (all.size() <= most_sizes)
    return all;
  const double step = std::pow(1.0 * all.back() / all.front(), 1.0 / (most_sizes - 1));
  std::vector<int> kept;
  double next = all.front();
  for (const int gpus : all)
    if (gpus >= next || gpus == held || gpus == all.back()) {
      kept.push_back(gpus);
      next = std::max(next * step, gpus + 1.0);
    }
  return kept;
}

std::vector<SizeChoice> choices_of(const ClusterView& cluster, JobId id, const PoolOfMachines& pool)
{
  const Workload& workload = cluster.workload();
  const TraceJob& job = cluster.job(id);
  const Allocation& held = cluster.state(id).held;
  const double done = job.duration > Instant{0} ? std::clamp(cluster.progress(id) / job.duration, 0.0, 1.0) : 0;
  std::vector<SizeChoice> choices;
  for (int type = 0; type < cluster.cluster().gpu_types(); ++type) {
    if (workload.speed_on(job, type) <= 0)
      continue;
    std::vector<int> sizes;
    const int most = std::min(job.largest_gpus(), pool.gpus_of_type(cluster, type));
    for (int gpus = workload.size_from(job, job.smallest_gpus());
         gpus > 0 && gpus <= most && pool.has_for(cluster, job, type, gpus); gpus = workload.size_from(job, gpus + 1))
      sizes.push_back(gpus);
    sizes = thinned(std::move(sizes), held.gpu_type == type ? held.gpus : 0);
    for (const int gpus : sizes)
      if (const double speed = planned_speed(workload, job, gpus, type, done); speed > 0)
        choices.push_back({gpus, type, speed});
  }
  return choices;
}

/// The exact answer: for every number of GPUs left of each type (one state), the cheapest options of the first jobs.
std::vector<SizeChoice> cheapest_exactly(const std::vector<std::vector<SizeOption>>& options,
                                         const std::vector<int>& capacity, std::size_t states)
{
  std::vector<std::size_t> stride;
  std::size_t product = 1;
  for (const int gpus : capacity) {
    stride.push_back(product);
    product *= static_cast<std::size_t>(gpus) + 1;
  }
  const auto state_without = [&](std::size_t state, const SizeChoice& choice) -> std::size_t {
    if (choice.gpus == 0)
      return state;
    const auto type = static_cast<std::size_t>(choice.type);
    const std::size_t left = state / stride[type] % (static_cast<std::size_t>(capacity[type]) + 1);
    return left < static_cast<std::size_t>(choice.gpus) ? states
                                                        : state - static_cast<std::size_t>(choice.gpus) * stride[type];
  };
  std::vector<double> before(states, 0), now(states, 0);
  std::vector<std::vector<std::uint16_t>> taken(options.size(), std::vector<std::uint16_t>(states, 0));
  for (std::size_t job = 0; job < options.size(); ++job) {
    for (std::size_t state = 0; state < states; ++state) {
      now[state] = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < options[job].size(); ++i) {
        const std::size_t rest = state_without(state, options[job][i].choice);
        if (rest == states || !(before[rest] + options[job][i].cost < now[state]))
          continue;
        now[state] = before[rest] + options[job][i].cost;
        taken[job][state] = static_cast<std::uint16_t>(i);
      }
    }
    std::swap(before, now);
  }
  std::vector<SizeChoice> chosen(options.size());
  std::size_t state = states - 1;
  for (std::size_t job = options.size(); job-- > 0;) {
    chosen[job] = options[job][taken[job][state]].choice;
    state = state_without(state, chosen[job]);
  }
  return chosen;
}

/// Again and again the step to more GPUs that saves most per GPU.
std::vector<SizeChoice> cheapest_greedily(const std::vector<std::vector<SizeOption>>& options, std::vector<int> left)
{
  std::vector<std::size_t> at(options.size(), 0);
  while (true) {
    double best = 0;
    std::size_t who = options.size(), to = 0;
    for (std::size_t job = 0; job < options.size(); ++job) {
      const SizeOption& now = options[job][at[job]];
      for (std::size_t i = 0; i < options[job].size(); ++i) {
        const SizeOption& option = options[job][i];
        const int more = option.choice.gpus - now.choice.gpus;
        if (more <= 0 || (now.choice.gpus > 0 && option.choice.type != now.choice.type) ||
            more > left[static_cast<std::size_t>(option.choice.type)])
          continue;
        if (const double gain = (now.cost - option.cost) / more; gain > best) {
          best = gain;
          who = job;
          to = i;
        }
      }
    }
    if (who == options.size())
      break;
    const SizeChoice& choice = options[who][to].choice;
    left[static_cast<std::size_t>(choice.type)] -= choice.gpus - options[who][at[who]].choice.gpus;
    at[who] = to;
  }
  std::vector<SizeChoice> chosen;
  for (std::size_t job = 0; job < options.size(); ++job)
    chosen.push_back(options[job][at[job]].choice);
  return chosen;
}

} // namespace

std::vector<SizeChoice> cheapest(const std::vector<std::vector<SizeOption>>& options, const std::vector<int>& capacity,
                                 double most_steps)
{
  constexpr double most_kept = 2e7; // answers of the dynamic programme, 2 B each
  double states = 1, steps = 0;
  for (const int gpus : capacity)
    states *= gpus + 1;
  for (const std::vector<SizeOption>& job : options)
    steps += states * static_cast<double>(job.size());
  if (steps > most_steps || states * static_cast<double>(options.size()) > most_kept)
    return cheapest_greedily(options, capacity);
  return cheapest_exactly(options, capacity, static_cast<std::size_t>(states));
}

double restart_factor(const SizedJob& job, const SizeChoice& choice, double delay)
{
  if (job.held.gpus == 0 || choice.same_place(job.held))
    return 1;
  return job.age + delay > 0 ? std::max(job.age - job.restarts * delay, 0.0) / (job.age + delay) : 1;
}

double power_cost(double gain, double power)
{
  return power < 0 ? std::pow(gain, power) : -std::pow(gain, power);
}

SizeRounds::SizeRounds(const std::string& policy, Seconds interval) : interval_{interval}
{
  if (interval < 10_ms)
    throw std::invalid_argument{policy + ": the interval must be at least 0.01 s"};
}

Parameter SizeRounds::interval_setting(std::string default_value, std::string meaning, std::string source)
{
  return duration("interval", std::move(default_value), std::move(meaning), 0.01, std::move(source));
}

std::vector<Parameter> SizeRounds::gain_settings(std::string power, const std::string& gains, std::string power_source,
                                                 std::string delay_source)
{
  return {{.name = "power",
           .default_value = std::move(power),
           .meaning = "exponent of the " + gains + ", not 0; the smaller, the fairer",
           .minimum = -10,
           .maximum = 10,
           .source = std::move(power_source)},
          duration("restart_delay", "30 s", "what the plan takes a restart to cost", 0, std::move(delay_source))};
}

bool SizeRounds::take_over(const SizeRounds& before, JobId id)
{
  next_ = std::max(next_, before.next_);
  if (const auto starts = before.starts_.find(id); starts != before.starts_.end())
    starts_.insert(*starts);
  if (const auto wanted = before.wanted_.find(id); wanted != before.wanted_.end())
    wanted_.insert(*wanted);
  return true;
}

std::vector<SizedJob> SizeRounds::jobs_of(const ClusterView& cluster) const
{
  std::vector<SizedJob> jobs;
  for (const auto& list : {pool.waiting(cluster), pool.running(cluster)})
    for (const JobId id : list) {
      SizedJob job{.id = id, .choices = {}, .held = {}};
      if (is_planned(cluster.job(id)))
        job.choices = choices_of(cluster, id, pool);
      if (job.choices.empty())
        continue;
      if (cluster.is_running(id))
        job.held = {cluster.state(id).held.gpus, cluster.state(id).held.gpu_type, cluster.state(id).speed};
      job.left = cluster.estimated_remaining(id).value();
      job.age = (cluster.now() - cluster.job(id).submit).value();
      const auto starts = starts_.find(id);
      job.restarts = starts == starts_.end() ? 0 : std::max(0, starts->second - 1);
      jobs.push_back(std::move(job));
    }
  std::ranges::sort(jobs, {}, &SizedJob::id); // in order of submission
  return jobs;
}

void SizeRounds::decide(const ClusterView& cluster, Decisions& decisions)
{
  const Instant now = cluster.now();
  std::vector<JobId> others = pool.waiting(cluster);
  std::erase_if(others,
                [&](JobId id) { return is_planned(cluster.job(id)) && has_a_type(cluster, cluster.job(id), pool); });
  for (const JobId id : others)
    decisions.start(id);
  if (pool.waiting(cluster).empty() && pool.running(cluster).empty())
    return;
  between_rounds_ = now < next_;
  if (!between_rounds_) {
    next_ = now - now % interval_ + interval_;
    const std::vector<SizedJob> jobs = jobs_of(cluster);
    std::vector<int> capacity(static_cast<std::size_t>(cluster.cluster().gpu_types()));
    for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
      capacity[static_cast<std::size_t>(type)] = pool.free_gpus_of_type(cluster, type);
    for (const SizedJob& job : jobs)
      if (job.held.gpus > 0)
        capacity[static_cast<std::size_t>(job.held.type)] += job.held.gpus;
    if (!jobs.empty())
      carry_out(cluster, decisions, jobs, plan(jobs, capacity));
  } else {
    start_wanted(cluster, decisions);
  }
  decisions.wake_at(next_);
}

void SizeRounds::carry_out(const ClusterView& cluster, Decisions& decisions, const std::vector<SizedJob>& jobs,
                           const std::vector<SizeChoice>& chosen)
{
  const bool one_type = cluster.cluster().gpu_types() == 1; // else a job that is resized could change its type
  wanted_.clear();
  std::vector<std::pair<JobId, int>> shrunk, grown;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const SizedJob& job = jobs[i];
    if (chosen[i].gpus > 0)
      wanted_[job.id] = chosen[i];
    if (job.held.gpus == 0 || chosen[i].same_place(job.held))
      continue;
    if (chosen[i].gpus == 0 || !one_type)
      decisions.preempt(job.id);
    else
      (chosen[i].gpus < job.held.gpus ? shrunk : grown).emplace_back(job.id, chosen[i].gpus);
  }
  for (const auto& changes : {shrunk, grown})
    for (const auto& [id, gpus] : changes)
      decisions.resize(id, gpus); // where it does not fit, it stays as it is until the next round
  start_wanted(cluster, decisions);
}

void SizeRounds::start_wanted(const ClusterView& cluster, Decisions& decisions)
{
  const bool one_type = cluster.cluster().gpu_types() == 1;
  for (const JobId id : pool.waiting(cluster))
    if (const auto wanted = wanted_.find(id); wanted != wanted_.end())
      decisions.start(id, cluster.job(id).elastic() ? wanted->second.gpus : 0, one_type ? -1 : wanted->second.type);
}

} // namespace trainyard
