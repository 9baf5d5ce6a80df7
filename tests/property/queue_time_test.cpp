// SPDX-License-Identifier: Apache-2.0
// A queue counts whole nanoseconds: what jobs wait and hold adds up, without any tolerance.
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/random_workload.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Passes everything on, and adds up the GPUs that running jobs hold.
class BusyGpus final : public QueuePolicy
{
public:
  explicit BusyGpus(const std::string& policy) : inner_{Registry<QueuePolicy>::instance().create(policy)} {}
  void begin(const ClusterView& cluster) override { inner_->begin(cluster); }
  void arrived(const ClusterView& cluster, JobId id) override { inner_->arrived(cluster, id); }
  void started(const ClusterView& cluster, JobId id) override { inner_->started(cluster, id); }
  void stopped(const ClusterView& cluster, JobId id) override { inner_->stopped(cluster, id); }
  void speed_changed(const ClusterView& cluster, JobId id) override { inner_->speed_changed(cluster, id); }
  void withdrawn(const ClusterView& cluster, JobId id) override { inner_->withdrawn(cluster, id); }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    busy += {milli_, cluster.now() - since_};
    inner_->decide(cluster, decisions);
    since_ = cluster.now();
    milli_ = 0;
    for (const JobId id : cluster.running())
      milli_ += cluster.state(id).held.milli();
  }
  WaitReason usual_reason() const override { return inner_->usual_reason(); }

  GpuTime busy;

private:
  std::unique_ptr<QueuePolicy> inner_;
  Instant since_;
  std::int64_t milli_ = 0;
};

/// A machine goes down and comes back, at times without short decimals.
class RandomOutages final : public ClusterEvents
{
public:
  explicit RandomOutages(RandomStream& draw)
  {
    Instant at;
    for (int i = 0; i < 8; ++i)
      times_.push_back(at += Seconds{draw.exponential(300)} + Instant{1});
  }
  std::optional<Instant> next() const override
  {
    return done_ < times_.size() ? std::optional{times_[done_]} : std::nullopt;
  }
  void fire(ClusterControl& control) override
  {
    control.set_node(static_cast<int>(done_ / 2 % 4), done_ % 2 == 1);
    ++done_;
  }

private:
  std::vector<Instant> times_;
  std::size_t done_ = 0;
};

/// Jobs slow each other down; the speeds have no short decimals.
class Crowd final : public SpeedModel
{
public:
  std::vector<LinkShare> links(const Workload&, const PlacedTraceJob& job) override
  {
    return {{.link = job.id.index % 3}};
  }
  std::vector<JobSpeed> speeds(const Workload&, std::span<const PlacedTraceJob> jobs) override
  {
    const double speed = 0.7 / (1 + 0.1 * static_cast<double>(jobs.size()));
    return std::vector<JobSpeed>(jobs.size(), {.speed = speed, .alone = 0.7});
  }
};

using Span = std::pair<Instant, Instant>;

/// Of all spans together, and of their union.
std::pair<Instant, Instant> lengths(std::vector<Span> spans)
{
  std::ranges::sort(spans);
  Instant sum, covered, until;
  for (const auto& [from, to] : spans) {
    sum += to - from;
    covered += std::max(to, until) - std::max(from, until);
    until = std::max(until, to);
  }
  return {sum, covered};
}

Workload jobs_of(std::uint64_t seed, RandomStream& draw, bool elastic)
{
  Workload workload = tests::random_workload(seed, {.jobs = 25, .largest_gang = 4, .elastic = elastic});
  for (TraceJob& job : workload.jobs) {
    job.duration = Seconds{draw.exponential(400)};
    job.estimate = job.duration * (1 + draw.uniform());
  }
  return workload;
}

TEST(QueueTime, WaitsAndStaysAddUpToTheNanosecondForEveryJob)
{
  constexpr std::array policies = {"fifo",    "srtf",     "las",   "time_slicing", "finish_time_fairness", "deadline",
                                   "elastic", "priority", "gavel", "drf",          "easy_backfill",        "allox"};
  int stopped = 0, failed = 0, saved = 0;
  for (std::uint64_t round = 0; round < 600; ++round) {
    RandomStream draw = Random{round}.stream("accounts");
    const char* name = policies.at(round % policies.size());
    SCOPED_TRACE(std::string{name} + ", round " + std::to_string(round));
    const Workload workload = jobs_of(round, draw, draw.uniform() < 0.3);
    RandomOutages outages{draw};
    Crowd crowd;
    SchedulingOptions options;
    options.record_runs = options.record_waits = true;
    options.save_before_release = draw.uniform() < 0.5;
    if (draw.uniform() < 0.7) {
      options.start_cost = Seconds{draw.uniform()};
      const bool save_long = draw.uniform() < 0.4 && std::string_view{name} != "time_slicing"; // failures hit these
      options.checkpoint_cost = Seconds{(save_long ? 120 : 1) * draw.uniform()};
      options.restart_cost = Seconds{draw.uniform()};
    }
    options.checkpoint_interval = Seconds{draw.exponential(60)};
    options.events = draw.uniform() < 0.5 ? &outages : nullptr;
    options.speed = draw.uniform() < 0.3 ? &crowd : nullptr;
    BusyGpus policy{name};
    const auto placement = Registry<PlacementPolicy>::instance().create("best_fit");
    const SchedulingResult result =
        simulate_queue(workload, ClusterShape::machines(4, 4), policy, placement.get(), options);
    ASSERT_EQ(result.finished, workload.size());
    std::vector<std::vector<Span>> spans(result.jobs.size()), stays(spans);
    std::vector<GpuTime> held(result.jobs.size());
    for (const WaitRecord& wait : result.waits)
      spans[static_cast<std::size_t>(wait.job.index)].emplace_back(wait.from, wait.to);
    for (const RunRecord& run : result.runs) {
      const auto job = static_cast<std::size_t>(run.job.index);
      spans[job].emplace_back(run.from, run.to);
      stays[job].emplace_back(run.from, run.to);
      held[job] += {run.held.milli(), run.to - run.from};
    }
    const bool saves = options.save_before_release && options.checkpoint_cost > Instant{0};
    GpuTime all;
    for (std::size_t i = 0; i < result.jobs.size(); ++i) {
      const JobOutcome& outcome = result.jobs[i];
      const auto [sum, covered] = lengths(spans[i]);
      ASSERT_EQ(covered, outcome.end - outcome.ready) << "job " << i;
      if (!saves) { // else a stopped job saves while it waits, and who gets its GPUs waits there
        ASSERT_EQ(outcome.ready + sum, outcome.end) << "job " << i;
        ASSERT_EQ(lengths(stays[i]).first, outcome.held_time) << "job " << i;
        ASSERT_EQ(held[i], outcome.gpu_time) << "job " << i;
      }
      ASSERT_GE(outcome.gpu_time, outcome.lost_time) << "job " << i;
      all += outcome.gpu_time;
      stopped += outcome.preemptions > 0 ? 1 : 0;
      failed += outcome.failures > 0 ? 1 : 0;
    }
    saved += saves ? 1 : 0;
    if (!saves) {
      ASSERT_EQ(all, policy.busy);
    }
  }
  EXPECT_GT(stopped, 600);
  EXPECT_GT(failed, 600);
  EXPECT_GT(saved, 100);
}

} // namespace
} // namespace trainyard
