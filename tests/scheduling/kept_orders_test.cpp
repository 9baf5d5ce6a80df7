// SPDX-License-Identifier: Apache-2.0
// Preemptive policies that keep running jobs in order, and look only at those behind the first waiting job that could
// start, decide as if they sorted all jobs at every decision and offered GPUs to each.
#include "sim/cluster/speed/speed_model.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/random_workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using Rank = std::tuple<double, double, JobId>;

/// Thousandths of GPUs of a type; a pool has whole ones.
std::int64_t free_milli_of(const ClusterState& cluster, int type)
{
  std::int64_t free = 0;
  if (cluster.counted())
    return std::int64_t{1000} * cluster.free_gpus_of_type(type);
  for (int node = 0; node < cluster.nodes().size(); ++node)
    if (cluster.nodes().shape(node).gpu_type == type && cluster.nodes().state(node).up)
      free += cluster.nodes().state(node).free_milli;
  return free;
}

/// Sorts all jobs, running and waiting, at every decision, and gives GPUs to one after the other.
class SortsAll : public QueuePolicy
{
public:
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (starts_all(cluster, decisions))
      return;
    prepare(cluster, decisions);
    std::vector<Rank> order;
    for (const auto jobs : {cluster.running(), cluster.waiting()})
      for (const JobId id : jobs)
        order.push_back(rank(cluster, id));
    std::ranges::sort(order);
    const int types = by_type() ? cluster.cluster().gpu_types() : 1;
    std::vector<std::int64_t> left;
    for (int type = 0; type < types; ++type)
      left.push_back(types == 1 ? cluster.cluster().free_milli() : free_milli_of(cluster.cluster(), type));
    const auto held_type = [&](JobId id) {
      return types == 1 ? 0 : static_cast<std::size_t>(cluster.state(id).held.gpu_type);
    };
    for (const JobId id : cluster.running())
      left[held_type(id)] += cluster.state(id).held.milli();
    std::vector<JobId> stopped;
    std::vector<std::pair<JobId, int>> chosen;
    for (const auto& [first, second, id] : order) {
      if (cluster.is_running(id)) {
        std::int64_t& there = left[held_type(id)];
        if (cluster.state(id).held.milli() > there)
          stopped.push_back(id);
        else
          there -= cluster.state(id).held.milli();
        continue;
      }
      const TraceJob& job = cluster.job(id);
      const std::int64_t needed = std::int64_t{job.gpus} * job.gpu_milli;
      int best = -1;
      for (int type = 0; type < types; ++type)
        if (needed <= left[static_cast<std::size_t>(type)] &&
            (types == 1 || ((job.gpu_type < 0 || job.gpu_type == type) && speed(cluster, job, type) > 0)) &&
            (best < 0 || (types > 1 && speed(cluster, job, type) > speed(cluster, job, best))))
          best = type;
      if (best < 0)
        continue;
      left[static_cast<std::size_t>(best)] -= needed;
      chosen.emplace_back(id, types == 1 ? -1 : best);
    }
    if (!chosen.empty()) {
      for (const JobId id : stopped)
        decisions.preempt(id);
      for (const auto& [id, type] : chosen)
        decisions.start(id, 0, type);
      if (starts_stopped())
        for (const JobId id : stopped)
          decisions.start(id);
    }
    if (!cluster.waiting().empty())
      wake(cluster, decisions);
  }

protected:
  virtual Rank rank(const ClusterView& cluster, JobId id) = 0;
  virtual bool by_type() const { return true; }
  virtual bool starts_stopped() const { return true; }
  virtual void prepare(const ClusterView&, Decisions&) {}
  virtual void wake(const ClusterView&, Decisions&) {}

private:
  static double speed(const ClusterView& cluster, const TraceJob& job, int type)
  {
    return cluster.workload().speed_on(job, type);
  }

  /// Where everything fits, everything starts, by submission.
  static bool starts_all(const ClusterView& cluster, Decisions& decisions)
  {
    if (cluster.cluster().gpu_types() > 1)
      return cluster.waiting().empty();
    std::int64_t needed = 0;
    for (const JobId id : cluster.waiting())
      needed += std::int64_t{cluster.job(id).gpus} * cluster.job(id).gpu_milli;
    if (needed > cluster.cluster().free_milli())
      return false;
    std::vector<JobId> jobs{cluster.waiting().begin(), cluster.waiting().end()};
    std::ranges::sort(jobs);
    return std::ranges::all_of(jobs, [&](JobId id) { return decisions.start(id); });
  }
};

class SortsAllByRemaining final : public SortsAll
{
  Rank rank(const ClusterView& cluster, JobId id) override { return {cluster.estimated_remaining(id).value(), 0, id}; }
  bool by_type() const override { return false; }
  bool starts_stopped() const override { return false; }
};

/// Tiresias' queues; the next look is when the first running job has had as much service as its queue allows.
class SortsAllByService : public SortsAll
{
public:
  explicit SortsAllByService(std::vector<double> limits) : limits_{std::move(limits)} {}

protected:
  virtual GpuTime service(const ClusterView& cluster, JobId id) { return cluster.attained(id); }
  std::size_t queue(const ClusterView& cluster, JobId id)
  {
    return static_cast<std::size_t>(
        std::ranges::count_if(limits_, [&](double limit) { return Seconds{limit} <= service(cluster, id); }));
  }
  void wake(const ClusterView& cluster, Decisions& decisions) override
  {
    Wide next = end_of_time.count();
    for (const JobId id : cluster.running())
      if (const std::size_t at = queue(cluster, id); at < limits_.size()) {
        const Wide left = (Seconds{limits_[at]} - service(cluster, id)).count(), milli = cluster.state(id).held.milli();
        next = std::min(next, cluster.now().count() + left / milli + (left % milli > 0 ? 1 : 0));
      }
    decisions.wake_at(Instant{static_cast<std::int64_t>(next)});
  }

private:
  std::vector<double> limits_;
};

/// LAS, with promotion: a job that has waited `promote` times as long as it has run since it was last promoted.
class SortsAllByQueue final : public SortsAllByService
{
public:
  explicit SortsAllByQueue(double promote) : SortsAllByService{{3250, 7200, 18000}}, promote_{promote} {}

  void arrived(const ClusterView& cluster, JobId id) override
  {
    jobs_[id].since = cluster.now();
    jobs_[id].counts = service(cluster, id) > GpuTime{};
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    Job& job = jobs_[id];
    if (job.counts)
      job.waited += cluster.now() - job.since;
  }

private:
  struct Job {
    Instant since, waited;
    GpuTime forgiven;
    bool counts = false; // a wait before it has run does not
  };

  GpuTime service(const ClusterView& cluster, JobId id) override { return cluster.attained(id) - jobs_[id].forgiven; }
  Rank rank(const ClusterView& cluster, JobId id) override
  {
    const double start = cluster.state(id).first_start.value();
    return {static_cast<double>(queue(cluster, id)), start >= 0 ? start : std::numeric_limits<double>::infinity(), id};
  }
  void prepare(const ClusterView& cluster, Decisions& decisions) override
  {
    if (promote_ == 0)
      return;
    Instant next = end_of_time;
    for (const JobId id : cluster.waiting()) {
      Job& job = jobs_[id];
      if (service(cluster, id) <= GpuTime{} || queue(cluster, id) == 0)
        continue;
      const Instant ran = service(cluster, id) / cluster.job(id).gpus;
      const Instant due = job.since + std::max(Instant{}, promote_ * ran - job.waited);
      if (due <= cluster.now()) {
        job = {.since = cluster.now(), .forgiven = cluster.attained(id)};
        continue;
      }
      next = std::min(next, due);
    }
    decisions.wake_at(next);
  }

  double promote_;
  std::map<JobId, Job> jobs_;
};

/// The Gittins index, from its definition: over all quanta d, the best chance of ending within d per expected second of
/// it.
class SortsAllByIndex final : public SortsAllByService
{
public:
  explicit SortsAllByIndex(const Workload& workload, std::vector<double> limits)
      : SortsAllByService{limits}, edges_{std::move(limits)}
  {
    edges_.insert(edges_.begin(), 0);
    for (const TraceJob& job : workload.jobs)
      totals_.push_back(GpuTime{request_of(job).milli(), job.duration}.value());
    std::ranges::sort(totals_); // sums in the same order
    for (const double edge : edges_) {
      double best = 0;
      for (const double total : totals_) {
        if (total <= edge)
          continue;
        double ended = 0, within = 0, beyond = 0;
        for (const double other : totals_)
          if (other > edge && other <= total) {
            ++ended;
            within += other - edge;
          } else if (other > total) {
            ++beyond;
          }
        best = std::max(best, ended / std::max(within + (total - edge) * beyond, 1e-9));
      }
      indices_.push_back(best);
    }
  }

private:
  Rank rank(const ClusterView& cluster, JobId id) override
  {
    return {-indices_[queue(cluster, id)], cluster.job(id).submit.value(), id};
  }

  std::vector<double> edges_, totals_, indices_;
};

/// Gandiva's turns: who has used up its slice goes to the back, who has not keeps its GPUs.
class SortsAllByTurn final : public SortsAll
{
public:
  void arrived(const ClusterView&, JobId id) override { turns_.try_emplace(id, static_cast<double>(next_turn_++)); }

private:
  Rank rank(const ClusterView& cluster, JobId id) override
  {
    return {cluster.is_running(id) && !used_up(cluster, id) ? 0 : 1, turns_.at(id), id};
  }
  void prepare(const ClusterView& cluster, Decisions&) override
  {
    std::vector<std::pair<double, JobId>> back;
    for (const JobId id : cluster.running())
      if (used_up(cluster, id))
        back.emplace_back(turns_.at(id), id);
    std::ranges::sort(back);
    for (const auto& [turn, id] : back)
      turns_[id] = static_cast<double>(next_turn_++);
  }
  void wake(const ClusterView& cluster, Decisions& decisions) override
  {
    Instant next = end_of_time;
    for (const JobId id : cluster.running()) {
      const Instant now = cluster.now(), end = cluster.state(id).last_start + 60_s;
      next = std::min(next, end <= now ? now + 60_s : end);
    }
    decisions.wake_at(next);
  }
  static bool used_up(const ClusterView& cluster, JobId id)
  {
    return cluster.now() - cluster.state(id).last_start >= 60_s;
  }

  std::map<JobId, double> turns_;
  int next_turn_ = 0;
};

/// Jobs on the same link slow each other down; the speeds have no short decimals.
class CrowdSpeed final : public SpeedModel
{
public:
  std::vector<LinkShare> links(const Workload&, const PlacedTraceJob& job) override
  {
    return {{.link = job.id.index % 3}};
  }
  std::vector<JobSpeed> speeds(const Workload&, std::span<const PlacedTraceJob> jobs) override
  {
    std::vector<JobSpeed> speeds;
    for (const PlacedTraceJob& job : jobs) {
      const double alone = job.id.index % 4 == 0 ? 0.7 : 1;
      speeds.push_back({.speed = alone / (1 + 0.1 * static_cast<double>(jobs.size() - 1)), .alone = alone});
    }
    return speeds;
  }
};

/// Machines fail and come back, and jobs on them lose what came after their last checkpoint.
class Failures final : public ClusterEvents
{
public:
  std::optional<Instant> next() const override
  {
    return count_ < 24 ? std::optional<Instant>{Seconds{90.0 + 170 * count_}} : std::nullopt;
  }
  void fire(ClusterControl& control) override
  {
    control.set_node(count_ / 2 % 4, count_ % 2 == 1);
    ++count_;
  }

private:
  int count_ = 0;
};

struct Run {
  const char* name;
  bool machines = false, shared = false, types = false, elastic = false, speeds = false, failures = false;
  double cost = 0, gap = 12;
};

const Run runs[] = {
    {.name = "pool"},
    {.name = "fractions of seconds", .gap = 10.3},
    {.name = "costs", .cost = 7},
    {.name = "machines", .machines = true},
    {.name = "shared GPUs", .machines = true, .shared = true},
    {.name = "GPU types", .types = true},
    {.name = "elastic sizes", .elastic = true},
    {.name = "speeds", .machines = true, .speeds = true},
    {.name = "failures", .machines = true, .failures = true, .cost = 3},
    {.name = "all together", .machines = true, .shared = true, .speeds = true, .failures = true, .cost = 3},
};

Workload workload_of(const Run& run, std::uint64_t seed)
{
  Workload workload =
      tests::random_workload(seed, {.jobs = 60, .mean_gap = run.gap, .mean_duration = 400, .elastic = run.elastic});
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    TraceJob& job = workload.jobs[i];
    if (run.gap != std::floor(run.gap))
      job.submit = 1.1 * job.submit;
    if (run.shared && job.gpus == 1 && i % 2 == 0)
      job.gpu_milli = 100 + 200 * static_cast<int>(i % 5);
    if (i % 5 == 0)
      job.estimate = job.duration * 0.6; // used up before it ends
    if (i % 7 == 0)
      job.estimate = job.duration; // exact
    if (run.types && i % 6 == 0)
      job.gpu_type = static_cast<int>(i % 2);
  }
  if (run.types) {
    workload.gpu_types = {"slow", "fast"};
    workload.type_speed = {{{0, 0}, 1.0}, {{0, 1}, 2.5}};
  }
  return workload;
}

SchedulingResult simulate(const Run& run, const Workload& workload, QueuePolicy& policy)
{
  ClusterShape shape = run.machines ? ClusterShape::machines(4, 4) : ClusterShape::pool(16);
  if (run.types) {
    shape.gpu_types = workload.gpu_types;
    shape.counts = {8, 8};
  }
  CrowdSpeed speed;
  Failures failures;
  SchedulingOptions options;
  options.checkpoint_cost = options.restart_cost = Seconds{run.cost};
  options.checkpoint_interval = Seconds{100};
  options.elastic_exponent = 0.8;
  options.speed = run.speeds ? &speed : nullptr;
  options.events = run.failures ? &failures : nullptr;
  options.record_runs = true;
  const auto placement = Registry<PlacementPolicy>::instance().create("best_fit");
  return simulate_queue(workload, shape, policy, placement.get(), options);
}

/// 13 seeds of 10 kinds of runs.
void expect_same(const std::string& name, const Settings& settings,
                 const std::function<std::unique_ptr<SortsAll>(const Workload&)>& plain)
{
  std::int64_t preemptions = 0;
  for (const Run& run : runs)
    for (std::uint64_t seed = 1; seed <= 13; ++seed) {
      SCOPED_TRACE(std::string{run.name} + ", seed " + std::to_string(seed));
      const Workload workload = workload_of(run, seed);
      const auto policy = Registry<QueuePolicy>::instance().create(name, settings);
      const auto sorts_all = plain(workload);
      const SchedulingResult kept = simulate(run, workload, *policy), sorted = simulate(run, workload, *sorts_all);
      ASSERT_EQ(kept.decisions, sorted.decisions);
      ASSERT_EQ(kept.runs.size(), sorted.runs.size());
      for (std::size_t i = 0; i < kept.runs.size(); ++i) {
        const RunRecord &a = kept.runs[i], &b = sorted.runs[i];
        ASSERT_TRUE(a.job == b.job && a.from == b.from && a.to == b.to && a.held == b.held)
            << "stay " << i << ": job " << a.job.index << " from " << a.from.value() << ", not job " << b.job.index
            << " from " << b.from.value();
      }
      for (std::size_t i = 0; i < kept.jobs.size(); ++i) {
        ASSERT_EQ(kept.jobs[i].first_start, sorted.jobs[i].first_start) << "job " << i;
        ASSERT_EQ(kept.jobs[i].end, sorted.jobs[i].end) << "job " << i;
        ASSERT_EQ(kept.jobs[i].preemptions, sorted.jobs[i].preemptions) << "job " << i;
        preemptions += kept.jobs[i].preemptions;
      }
    }
  EXPECT_GT(preemptions, 300); // or there was nothing to compare
}

TEST(KeptOrders, SrtfDecidesAsIfItSortedAllJobs)
{
  expect_same("srtf", {}, [](const Workload&) { return std::make_unique<SortsAllByRemaining>(); });
}

TEST(KeptOrders, LasDecidesAsIfItSortedAllJobs)
{
  expect_same("las", {}, [](const Workload&) { return std::make_unique<SortsAllByQueue>(0); });
}

TEST(KeptOrders, LasThatPromotesDecidesAsIfItSortedAllJobs)
{
  Settings settings;
  settings.set("promote", 2.0);
  expect_same("las", settings, [](const Workload&) { return std::make_unique<SortsAllByQueue>(2); });
}

TEST(KeptOrders, GittinsDecidesAsIfItSortedAllJobs)
{
  Settings settings;
  settings.set("levels", 6.0);
  expect_same("gittins", settings, [](const Workload& workload) {
    // 6 queues with equal numbers of jobs; a limit must be above the one before, and at least 1 GPU-second.
    std::vector<double> totals, limits;
    for (const TraceJob& job : workload.jobs)
      totals.push_back(GpuTime{request_of(job).milli(), job.duration}.value());
    std::ranges::sort(totals);
    for (std::size_t level = 1; level < 6; ++level)
      if (const double limit = totals[level * totals.size() / 6];
          limit >= 1 && limit > (limits.empty() ? 0 : limits.back() * 1.001))
        limits.push_back(limit);
    return std::make_unique<SortsAllByIndex>(workload, limits);
  });
}

TEST(KeptOrders, TimeSlicingDecidesAsIfItSortedAllJobs)
{
  expect_same("time_slicing", {}, [](const Workload&) { return std::make_unique<SortsAllByTurn>(); });
}

} // namespace
} // namespace trainyard
