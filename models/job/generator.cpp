// SPDX-License-Identifier: Apache-2.0
#include "models/job/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr int hours_of_week = 168;

std::vector<double> distances(const Workload& workload)
{
  std::vector<double> result;
  for (std::size_t i = 1; i < workload.jobs.size(); ++i)
    result.push_back((workload.jobs[i].submit - workload.jobs[i - 1].submit).value());
  return result;
}

} // namespace

Workload generate(const GeneratorSpec& spec, const Random& random)
{
  Workload workload;
  workload.source = "generated: " + spec.arrivals;
  const auto process = Registry<ArrivalProcess>::instance().create(spec.arrivals, spec.arrival_settings);
  RandomStream arrivals = random.stream("arrivals"), durations = random.stream("durations"),
               sizes = random.stream("sizes"), owners = random.stream("owners");
  auto mix = spec.gpus;
  std::ranges::sort(mix); // the order of the file's keys decides nothing
  double total = 0;
  for (const auto& [gpus, share] : mix)
    total += share;
  Seconds now;
  for (int i = 0; i < spec.jobs; ++i) {
    now = i == 0 ? Seconds{} : process->next(now, spec.mean_interarrival, arrivals);
    TraceJob job;
    job.submit = now;
    job.duration =
        Seconds{std::max(1.0, std::round(durations.log_normal(spec.median_duration.value(), spec.duration_sigma)))};
    job.estimate = job.duration;
    double draw = sizes.uniform() * total;
    for (const auto& [gpus, share] : mix) {
      job.gpus = gpus;
      if ((draw -= share) < 0)
        break;
    }
    if (spec.gpus_per_task > 0)
      job.tasks = std::max(1, job.gpus / spec.gpus_per_task);
    const auto user = owners.below(static_cast<std::uint64_t>(std::max(1, spec.users)));
    job.user = workload.users.index_of(fmt::format("user-{}", user));
    job.team =
        workload.teams.index_of(fmt::format("team-{}", user % static_cast<std::uint64_t>(std::max(1, spec.teams))));
    job.row = i + 1;
    workload.jobs.push_back(job);
  }
  sort_by_submission(workload);
  return workload;
}

Workload generate_like(const Workload& trace, int jobs, const Random& random)
{
  Workload workload;
  workload.source = "generated like " + trace.source;
  if (trace.jobs.empty() || jobs <= 0)
    return workload;
  RandomStream arrivals = random.stream("arrivals"), draws = random.stream("jobs");
  // Rates by the hour of the week, over the weeks that the trace covers.
  const double span = std::max(1.0, trace.jobs.back().submit.value());
  std::array<double, hours_of_week> seconds{}, count{};
  for (double hour = 0; hour * 3600 < span; ++hour)
    seconds[static_cast<std::size_t>(hour) % hours_of_week] += std::min(3600.0, span - hour * 3600);
  for (const TraceJob& job : trace.jobs)
    ++count[static_cast<std::size_t>(job.submit.value() / 3600) % hours_of_week];
  const double mean_rate = static_cast<double>(trace.jobs.size()) / span;
  double most = 0;
  std::array<double, hours_of_week> rate{};
  for (std::size_t h = 0; h < hours_of_week; ++h) {
    rate[h] = seconds[h] > 0 ? count[h] / seconds[h] : mean_rate;
    most = std::max(most, rate[h]);
  }
  double now = 0;
  for (int i = 0; i < jobs; ++i) {
    if (i > 0) // thinning: candidates at the highest rate, kept with the hour's share of it
      do
        now += arrivals.exponential(1 / most);
      while (arrivals.uniform() * most >= rate[static_cast<std::size_t>(now / 3600) % hours_of_week]);
    TraceJob job = trace.jobs[draws.below(trace.jobs.size())];
    job.submit = Seconds{now};
    job.duration = Seconds{std::max(0.0, std::round(job.duration.value() * (0.95 + 0.1 * draws.uniform())))};
    job.estimate = job.duration;
    job.deadline = end_of_time;
    job.user = workload.users.index_of(trace.users.name(job.user));
    job.team = workload.teams.index_of(trace.teams.name(job.team));
    job.queue = workload.queues.index_of(trace.queues.name(job.queue));
    job.model = workload.models.index_of(trace.models.name(job.model));
    job.row = i + 1;
    workload.jobs.push_back(job);
  }
  workload.gpu_types = trace.gpu_types;
  workload.demands = trace.demands;
  sort_by_submission(workload);
  return workload;
}

double ks_distance(std::vector<double> a, std::vector<double> b)
{
  if (a.empty() || b.empty())
    return 1;
  std::ranges::sort(a);
  std::ranges::sort(b);
  double largest = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= value)
      ++i;
    while (j < b.size() && b[j] <= value)
      ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                         static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return largest;
}

Likeness likeness(const Workload& generated, const Workload& trace)
{
  const auto of = [](const Workload& workload, auto value) {
    std::vector<double> list;
    for (const TraceJob& job : workload.jobs)
      list.push_back(value(job));
    return list;
  };
  const auto duration = [](const TraceJob& job) { return job.duration.value(); };
  const auto gpus = [](const TraceJob& job) { return static_cast<double>(job.gpus); };
  return {ks_distance(of(generated, duration), of(trace, duration)),
          ks_distance(distances(generated), distances(trace)), ks_distance(of(generated, gpus), of(trace, gpus))};
}

} // namespace trainyard
