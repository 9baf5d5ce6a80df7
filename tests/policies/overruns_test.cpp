// SPDX-License-Identifier: Apache-2.0
// Jobs that run longer than estimated, or are estimated at nothing: every policy comes to an end, and conservative
// backfill starts jobs as a loop does that plans everything anew each time.
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {
namespace {

TraceJob job_of(double submit, double duration, int gpus, double estimate)
{
  TraceJob job = tests::job(submit, duration, gpus);
  job.estimate = Seconds{estimate};
  return job;
}

SchedulingResult conservative(const Workload& workload, const ClusterShape& shape,
                              const SchedulingOptions& options = {})
{
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  return simulate_queue(workload, shape, *Registry<QueuePolicy>::instance().create("conservative_backfill"),
                        placement.get(), options);
}

TEST(ConservativeBackfill, EndsWhereJobsRunLongerThanEstimated)
{
  // 100 GPUs: the first four hold 49, the last needs 59 and waits. At 16,163 s the first ends, at 16,217 s the second;
  // 100 - 9 - 32 = 59 are free then, so it starts at 16,217 s, although two jobs ran over.
  Workload workload;
  workload.jobs = {job_of(0, 16163, 6, 14400), job_of(3, 16214, 2, 14400), job_of(3368, 215337, 9, 215400),
                   job_of(10253, 34262, 32, 42000), job_of(11760, 79, 59, 900)};
  const SchedulingResult result = conservative(workload, ClusterShape::pool(100));
  EXPECT_EQ(tests::start_times(result), (tests::Times{0, 3, 3368, 10253, 16217}));
  // Late by 1,763 and 1,814 s: put off by a second for 20 s, then by a twentieth, 1.05^92 x 20 > 1,763: some 220
  // decisions for both.
  EXPECT_LT(result.decisions, 400);
}

struct Outage final : ClusterEvents {
  Outage(int machine, double from, double to) : node{machine}, times{Seconds{from}, Seconds{to}} {}
  std::optional<Instant> next() const override { return done < 2 ? std::optional{times.at(done)} : std::nullopt; }
  void fire(ClusterControl& control) override { control.set_node(node, done++ == 1); }
  int node;
  std::array<Instant, 2> times;
  std::size_t done = 0;
};

TEST(ConservativeBackfill, EndsWhereAJobThatFailedHasUsedUpItsEstimate)
{
  // Two machines of one GPU. b fails at 50 min and loses all its work; its machine is back at 65 min and goes to b,
  // which came before c. a ends at 2 h, c runs there until 4 h; b runs from 65 to 185 min.
  Workload workload;
  workload.jobs = {job_of(0, 7200, 1, 600), job_of(0, 7200, 1, 600), job_of(300, 7200, 1, 600)};
  Outage outage{1, 3000, 3900};
  SchedulingOptions options;
  options.events = &outage;
  const SchedulingResult result = conservative(workload, ClusterShape::machines(2, 1), options);
  EXPECT_EQ(tests::end_times(result), (tests::Times{7200, 11100, 14400}));
  EXPECT_LT(result.decisions, 600);
}

TEST(ConservativeBackfill, ARepairedMachineBringsReservationsForward)
{
  // Three machines of one GPU, the third down from 5 to 20 s. a and b run until 100 s; c needs two GPUs, d one. While
  // the machine is down c is reserved at 100 s and d behind it, at 200 s; once it is back d starts there.
  Workload workload;
  workload.jobs = {job_of(0, 100, 1, 100), job_of(0, 100, 1, 100), job_of(10, 100, 2, 100), job_of(11, 60, 1, 60)};
  Outage outage{2, 5, 20};
  SchedulingOptions options;
  options.events = &outage;
  options.record_waits = true;
  EXPECT_EQ(tests::start_times(conservative(workload, ClusterShape::machines(3, 1), options)),
            (tests::Times{0, 0, 100, 20}));
}

/// Conservative backfill on a pool without any structure: at every submission, every end and every end by estimate that
/// passes, all who wait are reserved in turn at the first instant that fits beside who runs and who is ahead.
tests::Times starts_by_hand(const Workload& workload, int gpus, bool kill)
{
  struct Stay {
    Instant from, to;
    int gpus = 0;
  };
  struct Running {
    std::size_t job = 0;
    Instant end, estimated, planned;
  };
  tests::Times starts(workload.jobs.size(), -1);
  std::vector<std::size_t> waiting;
  std::vector<Running> running;
  std::size_t next = 0;
  for (Instant now;;) {
    std::erase_if(running, [&](const Running& one) { return one.end <= now; });
    for (; next < workload.jobs.size() && workload.jobs[next].submit <= now; ++next)
      waiting.push_back(next);
    std::vector<Stay> stays;
    for (Running& one : running) {
      if (one.planned <= now) {
        one.planned = now + std::max(Instant{1_s}, 0.05 * (now - one.estimated));
        one.planned = Seconds{std::ceil(one.planned.value())};
      }
      stays.push_back({now, one.planned, workload.jobs[one.job].gpus});
    }
    const auto fits = [&](Instant from, Instant to, int needed) {
      std::vector<Instant> points{from};
      for (const Stay& stay : stays)
        if (stay.from > from && stay.from < to)
          points.push_back(stay.from);
      return std::ranges::all_of(points, [&](Instant point) {
        int used = needed;
        for (const Stay& stay : stays)
          used += stay.from <= point && point < stay.to ? stay.gpus : 0;
        return used <= gpus;
      });
    };
    std::vector<std::size_t> still;
    for (const std::size_t index : waiting) {
      const TraceJob& job = workload.jobs[index];
      const Instant length = std::max(job.estimate, Instant{1_ms});
      std::vector<Instant> candidates{now};
      for (const Stay& stay : stays)
        if (stay.to > now)
          candidates.push_back(stay.to);
      std::ranges::sort(candidates);
      const Instant start =
          *std::ranges::find_if(candidates, [&](Instant from) { return fits(from, from + length, job.gpus); });
      stays.push_back({start, start + length, job.gpus});
      if (start > now) {
        still.push_back(index);
        continue;
      }
      starts[index] = now.value();
      running.push_back(
          {index, now + (kill ? std::min(job.duration, job.estimate) : job.duration), now + length, now + length});
    }
    waiting = std::move(still);
    Instant soonest = next < workload.jobs.size() ? workload.jobs[next].submit : end_of_time;
    for (const Running& one : running)
      soonest = std::min(soonest, waiting.empty() ? one.end : std::min(one.end, one.planned));
    if (!is_finite(soonest))
      return starts;
    now = soonest;
  }
}

constexpr std::array<const char*, 6> kinds = {"too short",         "nothing", "all the same",
                                              "shorter each time", "any",     "too long"};

/// Jobs of which many come at once, some take no time, and some wait for others. Times are whole tenths of a second.
Workload awkward_workload(RandomStream& draw, std::size_t kind, int jobs, int gpus, bool chains)
{
  Workload workload;
  double submit = 0;
  for (int i = 0; i < jobs; ++i) {
    submit += draw.uniform() < 0.4 ? 0 : std::floor(draw.exponential(300)) / 10;
    const double duration = draw.uniform() < 0.15 ? 0 : std::floor(draw.exponential(1500)) / 10;
    const double factor = draw.uniform();
    const std::array<double, 6> estimates = {duration * factor,
                                             0,
                                             40,
                                             400.0 * (jobs - i) / jobs,
                                             duration * (factor < 0.5 ? 2 * factor : 4 * factor),
                                             duration * (1 + 2 * factor)};
    TraceJob job = job_of(submit, duration, 1 + static_cast<int>(draw.below(static_cast<std::uint64_t>(gpus))),
                          estimates.at(kind));
    job.priority = static_cast<float>(draw.below(3));
    job.user = job.team = static_cast<int>(draw.below(3)) + 1;
    job.deadline = job.submit + 3 * job.duration;
    workload.jobs.push_back(job);
    if (chains && i > 0 && draw.uniform() < 0.3)
      workload.dependencies.emplace_back(JobId{i}, JobId{static_cast<int>(draw.below(static_cast<std::uint64_t>(i)))});
  }
  for (const char* name : {"a", "b", "c"}) {
    workload.users.index_of(name);
    workload.teams.index_of(name);
  }
  return workload;
}

TEST(ConservativeBackfill, StartsJobsAsALoopThatPlansEverythingAnew)
{
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    RandomStream draw = Random{seed}.stream("overruns");
    const std::size_t kind = seed % kinds.size();
    const bool kill = draw.uniform() < 0.3;
    SCOPED_TRACE(std::string{kinds.at(kind)} + (kill ? ", killed" : "") + ", seed " + std::to_string(seed));
    const int gpus = 2 + static_cast<int>(draw.below(9));
    const Workload workload = awkward_workload(draw, kind, 30, gpus, false);
    SchedulingOptions options;
    options.kill_at_estimate = kill;
    options.record_waits = draw.uniform() < 0.5; // then all have reservations
    const tests::Times expected = starts_by_hand(workload, gpus, kill);
    ASSERT_EQ(tests::start_times(conservative(workload, ClusterShape::pool(gpus), options)), expected);
    ASSERT_TRUE(std::ranges::none_of(expected, [](double start) { return start < 0; }));
  }
}

/// Machines that fail and come back at instants at which jobs are submitted.
class OutagesAtSubmissions final : public ClusterEvents
{
public:
  OutagesAtSubmissions(const Workload& workload, RandomStream& draw)
  {
    for (int i = 0; i < 6; ++i)
      times_.push_back(workload.jobs[draw.below(workload.jobs.size())].submit +
                       Instant{Seconds{static_cast<double>(draw.below(2))}});
    std::ranges::sort(times_);
  }
  std::optional<Instant> next() const override
  {
    return done_ < times_.size() ? std::optional{times_[done_]} : std::nullopt;
  }
  void fire(ClusterControl& control) override
  {
    control.set_node(static_cast<int>(done_ / 2 % 2), done_ % 2 == 1);
    ++done_;
  }

private:
  std::vector<Instant> times_;
  std::size_t done_ = 0;
};

/// Asks again a nanosecond after each decision, and never starts what waits.
class Restless final : public QueuePolicy
{
public:
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (cluster.now() >= 5_s)
      decisions.wake_at(cluster.now() + Instant{1});
  }
};

TEST(DecisionBound, APolicyThatAsksAgainAtOnceForEverIsGivenUp)
{
  // Two jobs: 10,000 + 2 x 10 decisions after the one at the second submission.
  Workload workload;
  workload.jobs = {job_of(0, 10, 1, 10), job_of(5, 10, 1, 10), job_of(1e6, 1, 1, 1)};
  Restless restless;
  try {
    simulate_queue(workload, ClusterShape::pool(4), restless);
    FAIL() << "it ended";
  } catch (const std::invalid_argument& why) {
    EXPECT_STREQ(why.what(),
                 "no progress: it asked for 10021 decisions in a row that changed nothing, from 5.000000 to "
                 "5.000010 s; the run was given up. A policy asks again when it expects something to "
                 "change, not at once");
  }
}

TEST(QueueClock, AJobThatWouldEndBeyondTheClockIsAnError)
{
  // 70 years of 365 days each, one after the other on one GPU: the third would end in year 210, the clock has 146.
  const double years = 70 * 365 * 86400.0;
  Workload workload;
  workload.jobs = {job_of(0, years, 1, years), job_of(0, years, 1, years), job_of(0, years, 1, years)};
  try {
    simulate_queue(workload, ClusterShape::pool(1), *Registry<QueuePolicy>::instance().create("fifo"));
    FAIL() << "it ended";
  } catch (const std::invalid_argument& why) {
    EXPECT_STREQ(why.what(), "job 2, which began 4415040000 s after the first submission, would end beyond the 146 "
                             "years that the clock has");
  }
}

class AnyPolicy : public testing::TestWithParam<std::string>
{
};

TEST_P(AnyPolicy, EndsWhateverTheEstimatesSay)
{
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    RandomStream draw = Random{seed}.stream("any policy");
    const std::size_t kind = seed % kinds.size();
    SCOPED_TRACE(std::string{kinds.at(kind)} + ", seed " + std::to_string(seed));
    const Workload workload = awkward_workload(draw, kind, 30, 8, draw.uniform() < 0.5);
    OutagesAtSubmissions outages{workload, draw};
    SchedulingOptions options;
    options.kill_at_estimate = draw.uniform() < 0.3;
    options.events = draw.uniform() < 0.5 ? &outages : nullptr;
    options.checkpoint_interval = draw.uniform() < 0.5 ? Instant{20_s} : end_of_time;
    if (draw.uniform() < 0.3)
      options.start_cost = options.checkpoint_cost = options.restart_cost = Seconds{1};
    const auto policy = Registry<QueuePolicy>::instance().create(GetParam());
    const auto placement = Registry<PlacementPolicy>::instance().create("best_fit");
    const SchedulingResult result =
        simulate_queue(workload, ClusterShape::machines(2, 4), *policy, placement.get(), options);
    ASSERT_EQ(result.finished, workload.size());
    // An instant for each event of a job and each second of the last job's end, four times as many as ever needed.
    const double most = 4 * (10 * workload.size() + result.makespan.value());
    ASSERT_LT(static_cast<double>(result.decisions), most);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, AnyPolicy, testing::ValuesIn(tests::own_queue_policies()),
                         [](const auto& policy) { return policy.param; });

} // namespace
} // namespace trainyard
