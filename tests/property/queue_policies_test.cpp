// SPDX-License-Identifier: Apache-2.0
// What must hold for every registered queue policy, on random workloads with fixed seeds.
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/random_workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace trainyard {
namespace {

struct Situation {
  const char* name;
  tests::RandomWorkload workload;
  int nodes; // of 4 GPUs; 0: a pool of `pool`
  int pool;
  double cost;   // of checkpoint and of restart, s
  double period; // of the policy, s
  bool gpu_types;
};

const std::vector<Situation>& situations()
{
  static const std::vector<Situation> all = {
      {"pool", {.jobs = 150}, 0, 16, 0, 0, false},
      {"crowded pool", {.jobs = 120, .mean_gap = 20}, 0, 8, 0, 0, false},
      {"exact estimates", {.jobs = 120, .mean_gap = 40, .badness = 0}, 0, 16, 0, 0, false},
      {"machines", {.jobs = 120, .mean_gap = 60}, 4, 0, 0, 0, false},
      {"costs", {.jobs = 100}, 0, 16, 7, 0, false},
      {"period", {.jobs = 100}, 0, 16, 0, 100, false},
      {"elastic", {.jobs = 100, .elastic = true}, 0, 16, 2, 0, false},
      {"dependencies", {.jobs = 60, .dependencies = true}, 0, 16, 0, 0, false},
      {"GPU types", {.jobs = 80}, 0, 16, 0, 0, true},
  };
  return all;
}

struct Replayed {
  Workload workload;
  ClusterShape shape;
  SchedulingResult result;
};

Replayed replay(const std::string& name, const Situation& situation, std::uint64_t seed)
{
  Replayed run;
  run.workload = tests::random_workload(seed, situation.workload);
  run.shape = situation.nodes > 0 ? ClusterShape::machines(situation.nodes, 4) : ClusterShape::pool(situation.pool);
  if (situation.gpu_types) {
    run.shape.gpu_types = {"slow", "fast"};
    run.shape.counts = {situation.pool, situation.pool / 2};
    run.workload.gpu_types = run.shape.gpu_types;
    run.workload.type_speed = {{{0, 0}, 1.0}, {{0, 1}, 2.5}};
  }
  SchedulingOptions options;
  options.checkpoint_cost = options.restart_cost = Seconds{situation.cost};
  options.policy_period = Seconds{situation.period};
  options.record_runs = options.record_waits = true;
  const auto policy = Registry<QueuePolicy>::instance().create(name);
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  run.result = simulate_queue(run.workload, run.shape, *policy, placement.get(), options);
  return run;
}

class EveryQueuePolicy : public testing::TestWithParam<std::string>
{
};

void expect_every_job_once(const Replayed& run)
{
  EXPECT_EQ(run.result.finished, run.workload.size());
  std::map<int, Instant> until;
  for (const RunRecord& stay : run.result.runs) {
    EXPECT_LT(stay.from, stay.to);
    const auto [known, fresh] = until.try_emplace(stay.job.index, stay.to);
    if (!fresh) {
      EXPECT_GE(stay.from, known->second) << "job " << stay.job.index << " runs twice at once";
      known->second = stay.to;
    }
  }
  for (const auto& [waits, awaited] : run.workload.dependencies)
    EXPECT_GE(run.result.jobs[static_cast<std::size_t>(waits.index)].first_start,
              run.result.jobs[static_cast<std::size_t>(awaited.index)].end);
  for (std::size_t i = 0; i < run.result.jobs.size(); ++i)
    EXPECT_GE(run.result.jobs[i].first_start, run.workload.jobs[i].submit);
}

void expect_no_gpu_over_committed(const Replayed& run)
{
  std::vector<std::tuple<Instant, int, const RunRecord*>> changes; // ends first
  for (const RunRecord& stay : run.result.runs) {
    changes.emplace_back(stay.from, 1, &stay);
    changes.emplace_back(stay.to, -1, &stay);
  }
  std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::map<int, int> used;
  std::map<int, std::uint32_t> masks;
  for (const auto& [time, sign, stay] : changes) {
    used[stay->held.gpu_type] += sign * stay->held.gpus;
    if (run.shape.counted()) {
      ASSERT_LE(used[stay->held.gpu_type], run.shape.counts[static_cast<std::size_t>(stay->held.gpu_type)])
          << "at " << time.value();
    }
    for (const TaskShare& share : stay->held.shares) {
      std::uint32_t& mask = masks[share.node];
      ASSERT_EQ(sign > 0 ? mask & share.gpu_mask : ~mask & share.gpu_mask, 0u) << "at " << time.value();
      mask ^= share.gpu_mask;
    }
  }
}

void expect_whole_gangs_and_conserved_work(const Situation& situation, const Replayed& run)
{
  std::vector<double> work(run.result.jobs.size(), 0);
  std::vector<double> held(run.result.jobs.size(), 0);
  for (const RunRecord& stay : run.result.runs) {
    const TraceJob& job = run.workload.job(stay.job);
    EXPECT_GE(stay.held.gpus, job.smallest_gpus());
    EXPECT_LE(stay.held.gpus, job.largest_gpus());
    work[static_cast<std::size_t>(stay.job.index)] += (stay.to - stay.from).value() * stay.speed;
    held[static_cast<std::size_t>(stay.job.index)] += (stay.to - stay.from).value() * stay.held.gpus;
  }
  for (std::size_t i = 0; i < work.size(); ++i) {
    const JobOutcome& outcome = run.result.jobs[i];
    const double duration = run.workload.jobs[i].duration.value();
    EXPECT_NEAR(held[i], outcome.gpu_time.value(), 1e-6 * (1 + held[i])) << "job " << i;
    if (situation.cost == 0) {
      EXPECT_NEAR(work[i], duration, 1e-6 * (1 + duration)) << "job " << i;
    } else if (!run.workload.jobs[i].elastic()) {
      EXPECT_NEAR(work[i] * run.workload.jobs[i].gpus, duration * run.workload.jobs[i].gpus + outcome.lost_time.value(),
                  1e-6 * (1 + work[i]) * run.workload.jobs[i].gpus)
          << "job " << i;
    }
  }
}

void expect_same_bytes(const Replayed& a, const Replayed& b)
{
  ASSERT_EQ(a.result.runs.size(), b.result.runs.size());
  for (std::size_t i = 0; i < a.result.runs.size(); ++i) {
    const RunRecord& one = a.result.runs[i];
    const RunRecord& other = b.result.runs[i];
    ASSERT_TRUE(one.job == other.job && one.from == other.from && one.to == other.to && one.held == other.held);
  }
}

/// Waiting records of a job cover the time between its submission and its first start without a gap, and never overlap.
void expect_reasons_for_all_waiting(const Replayed& run)
{
  std::vector<double> waited(run.result.jobs.size(), 0);
  for (const WaitRecord& record : run.result.waits) {
    EXPECT_LT(record.from, record.to);
    EXPECT_NE(record.reason, WaitReason::none);
    if (record.to <= run.result.jobs[static_cast<std::size_t>(record.job.index)].first_start)
      waited[static_cast<std::size_t>(record.job.index)] += (record.to - record.from).value();
  }
  for (std::size_t i = 0; i < waited.size(); ++i)
    EXPECT_NEAR(waited[i], (run.result.jobs[i].first_start - run.workload.jobs[i].submit).value(), 1e-6) << "job " << i;
}

TEST_P(EveryQueuePolicy, KeepsTheRules)
{
  for (const Situation& situation : situations())
    for (const std::uint64_t seed : {1u, 2u}) {
      SCOPED_TRACE(std::string{situation.name} + ", seed " + std::to_string(seed));
      const Replayed run = replay(GetParam(), situation, seed);
      expect_every_job_once(run);
      expect_no_gpu_over_committed(run);
      expect_whole_gangs_and_conserved_work(situation, run);
      expect_reasons_for_all_waiting(run);
      if (seed == 1)
        expect_same_bytes(run, replay(GetParam(), situation, seed));
      if (HasFailure())
        return;
    }
}

TEST_P(EveryQueuePolicy, ReportsWhatCanNeverRunAndEnds)
{
  Workload workload = tests::random_workload(5, {.jobs = 20});
  workload.jobs[3].gpus = 99;
  workload.jobs[3].min_gpus = workload.jobs[3].max_gpus = 0;
  workload.dependencies = {{JobId{7}, JobId{3}}, {JobId{8}, JobId{7}}};
  const auto policy = Registry<QueuePolicy>::instance().create(GetParam());
  const SchedulingResult result = simulate_queue(workload, ClusterShape::pool(8), *policy);
  EXPECT_EQ(result.impossible, 3);
  EXPECT_EQ(result.finished, 17);
  EXPECT_EQ(result.jobs[3].reason, WaitReason::never_fits);
  EXPECT_EQ(result.jobs[8].reason, WaitReason::dependency);
}

/// Machines go down and come back; every job of theirs fails and runs again.
class Outages final : public ClusterEvents
{
public:
  std::optional<Instant> next() const override
  {
    return count_ < 20 ? std::optional<Instant>{Seconds{100.0 + 300 * count_}} : std::nullopt;
  }
  void fire(ClusterControl& control) override
  {
    control.set_node(count_ / 2 % 4, count_ % 2 == 1);
    ++count_;
  }

private:
  int count_ = 0;
};

TEST_P(EveryQueuePolicy, FinishesEveryJobAcrossFailures)
{
  const Workload workload = tests::random_workload(6, {.jobs = 60});
  const auto policy = Registry<QueuePolicy>::instance().create(GetParam());
  const auto placement = Registry<PlacementPolicy>::instance().create("best_fit");
  Outages outages;
  SchedulingOptions options;
  options.events = &outages;
  options.checkpoint_interval = Seconds{120};
  options.record_runs = true;
  const SchedulingResult result =
      simulate_queue(workload, ClusterShape::machines(4, 4), *policy, placement.get(), options);
  EXPECT_EQ(result.finished, workload.size());
  int failures = 0;
  for (const JobOutcome& job : result.jobs)
    failures += job.failures;
  EXPECT_GT(failures, 0);
}

TEST_P(EveryQueuePolicy, LetsElasticJobsGoOnWithoutALostMachine)
{
  Replayed run{tests::random_workload(6, {.jobs = 60, .elastic = true}), ClusterShape::machines(4, 4), {}};
  const auto policy = Registry<QueuePolicy>::instance().create(GetParam());
  const auto placement = Registry<PlacementPolicy>::instance().create("best_fit");
  Outages outages;
  SchedulingOptions options;
  options.events = &outages;
  options.checkpoint_interval = Seconds{120};
  options.checkpoint_cost = options.restart_cost = Seconds{5};
  options.shrink_after_failure = true;
  options.record_runs = options.record_waits = true;
  run.result = simulate_queue(run.workload, run.shape, *policy, placement.get(), options);
  expect_every_job_once(run);
  expect_no_gpu_over_committed(run);
  expect_whole_gangs_and_conserved_work({.name = "", .workload = {}, .nodes = 4, .pool = 0, .cost = 5}, run);
  int went_on = 0; // with fewer GPUs, in the instant of the failure
  for (std::size_t i = 0; i + 1 < run.result.events.size(); ++i) {
    const JobEvent &failed = run.result.events[i], &next = run.result.events[i + 1];
    went_on += failed.what == JobEvent::What::failed && next.what == JobEvent::What::resumed &&
                       failed.job == next.job && failed.at == next.at
                   ? 1
                   : 0;
  }
  EXPECT_GT(went_on, 0);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryQueuePolicy, testing::ValuesIn(tests::own_queue_policies()),
                         [](const auto& policy) { return policy.param; });

class EveryPlacementPolicy : public testing::TestWithParam<std::string>
{
};

/// Jobs that share GPUs, that split freely, and gangs of tasks with CPU and memory.
Workload mixed_requests(std::uint64_t seed)
{
  Workload workload = tests::random_workload(seed, {.jobs = 150, .mean_gap = 40});
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    TraceJob& job = workload.jobs[i];
    job.cpu_milli = 500 * static_cast<int>(i % 5);
    job.memory_mib = 1000 * static_cast<int>(i % 3);
    if (job.gpus == 1 && i % 2 == 0)
      job.gpu_milli = 100 + 200 * static_cast<int>(i % 5);
    if (i % 3 > 0) {
      job.tasks = job.gpus > 4 ? job.gpus / 4 : 1; // tasks of at most a machine
      job.distinct_nodes = job.tasks > 1 && i % 3 == 1;
    }
  }
  return workload;
}

TEST_P(EveryPlacementPolicy, OverCommitsNothingAndKeepsGangsWhole)
{
  for (const char* queue : {"fifo", "srtf", "easy_backfill"})
    for (const std::uint64_t seed : {1u, 2u}) {
      SCOPED_TRACE(std::string{queue} + ", seed " + std::to_string(seed));
      const Workload workload = mixed_requests(seed);
      const ClusterShape shape = ClusterShape::machines(6, 4, 16'000, 32'000, 2);
      SchedulingOptions options;
      options.record_runs = true;
      options.seed = seed;
      const auto run = [&] {
        const auto policy = Registry<QueuePolicy>::instance().create(queue);
        const auto placement = Registry<PlacementPolicy>::instance().create(GetParam());
        return Replayed{workload, shape, simulate_queue(workload, shape, *policy, placement.get(), options)};
      };
      const Replayed once = run();
      expect_every_job_once(once);
      expect_same_bytes(once, run());
      std::vector<std::tuple<Instant, int, const RunRecord*>> changes; // ends first
      for (const RunRecord& stay : once.result.runs) {
        changes.emplace_back(stay.from, 1, &stay);
        changes.emplace_back(stay.to, -1, &stay);
        const TraceJob& job = workload.job(stay.job);
        int gpus = 0;
        std::set<int> machines;
        for (const TaskShare& share : stay.held.shares) {
          gpus += std::popcount(share.gpu_mask);
          machines.insert(share.node);
          EXPECT_EQ(share.gpu_milli, job.gpu_milli);
        }
        EXPECT_EQ(gpus, job.gpus) << "job " << stay.job.index;
        if (job.distinct_nodes) {
          EXPECT_EQ(static_cast<int>(machines.size()), job.tasks) << "job " << stay.job.index;
        }
      }
      std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
        return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
      });
      std::map<std::pair<int, int>, int> gpu_milli;
      std::map<int, std::int64_t> cpu, memory;
      for (const auto& [time, sign, stay] : changes)
        for (const TaskShare& share : stay->held.shares) {
          for (int gpu = 0; gpu < 4; ++gpu)
            if ((share.gpu_mask >> gpu & 1U) != 0) {
              ASSERT_LE(gpu_milli[std::pair(share.node, gpu)] += sign * share.gpu_milli, 1000) << "at " << time.value();
            }
          ASSERT_LE(cpu[share.node] += sign * share.cpu_milli, 16'000) << "at " << time.value();
          ASSERT_LE(memory[share.node] += sign * share.memory_mib, 32'000) << "at " << time.value();
        }
      if (HasFailure())
        return;
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPlacementPolicy,
                         testing::ValuesIn(Registry<PlacementPolicy>::instance().names()),
                         [](const auto& policy) { return policy.param; });

Workload crowded(std::uint64_t seed, double badness = 1)
{
  return tests::random_workload(seed, {.jobs = 300, .mean_gap = 30, .badness = badness});
}

TEST(QueueOrder, FifoStartsInOrderOfSubmission)
{
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SchedulingResult result =
        simulate_queue(crowded(seed), ClusterShape::pool(16), *Registry<QueuePolicy>::instance().create("fifo"));
    for (std::size_t i = 1; i < result.jobs.size(); ++i)
      ASSERT_GE(result.jobs[i].first_start, result.jobs[i - 1].first_start) << "job " << i << ", seed " << seed;
  }
}

/// Runs another policy and notes, for every instant, when the head of the queue could start at the latest by the
/// estimates.
class WatchedHead final : public QueuePolicy
{
public:
  WatchedHead() : inner_{Registry<QueuePolicy>::instance().create("easy_backfill")} {}
  void begin(const ClusterView& cluster) override { inner_->begin(cluster); }
  void arrived(const ClusterView& cluster, JobId id) override { inner_->arrived(cluster, id); }
  void started(const ClusterView& cluster, JobId id) override { inner_->started(cluster, id); }
  void stopped(const ClusterView& cluster, JobId id) override { inner_->stopped(cluster, id); }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    inner_->decide(cluster, decisions);
    if (cluster.waiting().empty())
      return;
    const JobId head = *std::ranges::min_element(cluster.waiting());
    std::vector<std::pair<Instant, int>> ends;
    for (const JobId id : cluster.running())
      ends.emplace_back(cluster.estimated_end(id), cluster.state(id).held.gpus);
    std::ranges::sort(ends);
    int free = cluster.cluster().free_gpus();
    Instant start = cluster.now();
    for (const auto& [end, gpus] : ends) {
      if (free >= cluster.job(head).gpus)
        break;
      free += gpus;
      start = end;
    }
    const auto [known, fresh] = promised.try_emplace(head.index, start);
    if (!fresh && start > known->second)
      delayed.push_back(head);
    known->second = std::min(known->second, start);
  }
  std::map<int, Instant> promised;
  std::vector<JobId> delayed;

private:
  std::unique_ptr<QueuePolicy> inner_;
};

TEST(QueueOrder, EasyNeverDelaysTheReservationOfTheHead)
{
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    WatchedHead policy;
    const SchedulingResult result = simulate_queue(crowded(seed), ClusterShape::pool(16), policy);
    EXPECT_TRUE(policy.delayed.empty()) << "seed " << seed;
    ASSERT_GT(policy.promised.size(), 20u);
    for (const auto& [job, start] : policy.promised)
      ASSERT_LE(result.jobs[static_cast<std::size_t>(job)].first_start, start) << "job " << job << ", seed " << seed;
  }
}

TEST(QueueOrder, ConservativeStartsNoJobLaterThanTheReservationItGotOnArrival)
{
  // The promise: with the jobs present at its arrival and their estimates, computed here by placing them one by one, in
  // order of arrival, on a list of (time, GPUs) intervals. With exact estimates nothing ends early, so the promise is
  // the start.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Workload workload = crowded(seed, 0);
    std::vector<std::array<double, 3>> plan; // from, to, gpus
    std::vector<double> promised;
    for (const TraceJob& job : workload.jobs) {
      std::vector<double> candidates{job.submit.value()};
      for (const auto& stay : plan)
        if (stay[1] > job.submit.value())
          candidates.push_back(stay[1]);
      std::ranges::sort(candidates);
      for (const double start : candidates) {
        const double end = start + job.duration.value();
        std::vector<double> points{start};
        for (const auto& stay : plan)
          if (stay[0] > start && stay[0] < end)
            points.push_back(stay[0]);
        const bool fits = std::ranges::all_of(points, [&](double point) {
          double used = job.gpus;
          for (const auto& stay : plan)
            used += stay[0] <= point && point < stay[1] ? stay[2] : 0;
          return used <= 16;
        });
        if (!fits)
          continue;
        plan.push_back({start, end, static_cast<double>(job.gpus)});
        promised.push_back(start);
        break;
      }
    }
    const SchedulingResult exact = simulate_queue(workload, ClusterShape::pool(16),
                                                  *Registry<QueuePolicy>::instance().create("conservative_backfill"));
    for (std::size_t i = 0; i < promised.size(); ++i)
      ASSERT_EQ(exact.jobs[i].first_start.value(), promised[i]) << "job " << i << ", seed " << seed;
  }
}

TEST(QueueOrder, ConservativeGainsWhenJobsEndEarly)
{
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Workload early = crowded(seed, 2);
    Workload planned = early;
    for (TraceJob& job : planned.jobs)
      job.duration = job.estimate;
    const auto run = [](const Workload& workload) {
      return simulate_queue(workload, ClusterShape::pool(16),
                            *Registry<QueuePolicy>::instance().create("conservative_backfill"));
    };
    EXPECT_LT(run(early).mean_wait, run(planned).mean_wait);
  }
}

} // namespace
} // namespace trainyard
