// SPDX-License-Identifier: Apache-2.0
// What checkpoints cost while a job of a queue runs: timelines worked by hand, and Daly's formula for failures by
// chance.
#include "models/core/random.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/queue_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using tests::end_times;
using tests::job;
using tests::Times;

/// The first job's process dies at these times.
class Failures final : public ClusterEvents
{
public:
  explicit Failures(std::vector<double> times) : times_{std::move(times)} {}
  std::optional<Instant> next() const override
  {
    return next_ < times_.size() ? std::optional<Instant>{Seconds{times_[next_]}} : std::nullopt;
  }
  void fire(ClusterControl& control) override
  {
    control.fail(JobId{0});
    ++next_;
  }

private:
  std::vector<double> times_;
  std::size_t next_ = 0;
};

SchedulingResult on_four_gpus(double duration, SchedulingOptions options, std::vector<double> failures = {})
{
  Failures events{std::move(failures)};
  options.events = &events;
  return simulate_queue({.jobs = {job(0, duration, 4)}}, ClusterShape::pool(4),
                        *Registry<QueuePolicy>::instance().create("fifo"), nullptr, options);
}

SchedulingOptions every_20_s(double cost, std::optional<double> stall = {})
{
  SchedulingOptions options;
  options.checkpoint_interval = Seconds{20};
  options.checkpoint_cost = Seconds{cost};
  if (stall)
    options.checkpoint_stall = Seconds{*stall};
  return options;
}

TEST(PeriodicSaves, EachIntervalOfProgressCostsACheckpoint)
{
  // At 20, 40, 60 and 80 s of work; none at the end. 4 x 3 s on 4 GPUs.
  const SchedulingResult result = on_four_gpus(100, every_20_s(3));
  EXPECT_EQ(end_times(result), Times{112});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{48});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{448});
}

TEST(PeriodicSaves, WithoutACostNothingChanges)
{
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(0))), Times{100});
  // Without an interval the cost is one of preemptions only.
  EXPECT_EQ(end_times(on_four_gpus(100, {.checkpoint_cost = Seconds{3}})), Times{100});
}

TEST(PeriodicSaves, AStartThatWasPaidIsNotPaidAgainAfterFailures)
{
  // It works from 30 s on, fails at 35 s, and again 1 s into the loading that follows: 36 + 3 + 100 s.
  SchedulingOptions options{.start_cost = Seconds{30}, .restart_cost = Seconds{3}};
  EXPECT_EQ(end_times(on_four_gpus(100, options, {35, 36})), Times{139});
  // It fails at 55 s, half through its first checkpoint: nothing is kept. It loads until 58 s, and does all of its work
  // with four checkpoints.
  options.checkpoint_interval = Seconds{20};
  options.checkpoint_cost = Seconds{10};
  EXPECT_EQ(end_times(on_four_gpus(100, options, {55})), Times{198});
  // It fails at 20 s, before its start is paid.
  EXPECT_EQ(end_times(on_four_gpus(100, options, {20})), Times{190});
}

TEST(PeriodicSaves, AFailureLosesWhatCameAfterTheLastCheckpoint)
{
  // Works to 20, saves to 23, works to 43, saves to 46, works to 50: 44 s done, 40 kept. Then 60 at 70, saved at 73;
  // 80 at 93, saved at 96; the end at 116. Without progress: 4 x (3 x 4 + 4).
  const SchedulingResult result = on_four_gpus(100, every_20_s(3), {50});
  EXPECT_EQ(end_times(result), Times{116});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{64});
}

TEST(PeriodicSaves, ACheckpointThatIsNotWrittenYetDoesNotCount)
{
  // At 44 s the second one is being written: 20 s are kept, 20 lost. Then 40 at 64, saved at 67; 60 at 87, 90; 80 at
  // 110, 113; the end at 133. Without progress: 4 x (3 + 1 + 9 + 20).
  const SchedulingResult result = on_four_gpus(100, every_20_s(3), {44});
  EXPECT_EQ(end_times(result), Times{133});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{132});
  // At 46 s it is written.
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(3), {46})), Times{112});
}

TEST(PeriodicSaves, WhatIsWrittenInTheBackgroundCostsTheStallAlone)
{
  // Stalls 20-22, 42-44, 64-66, 86-88.
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(10, 2))), Times{108});
  // At 50 s the second, begun at 42, is not there: 20 are kept. Then 40 at 70, 60 at 92, 80 at 114, 100 at 136.
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(10, 2), {50})), Times{136});
  // At 52 s it is: 60 at 72, 80 at 94, 100 at 116.
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(10, 2), {52})), Times{116});
}

TEST(PeriodicSaves, AWriteEndsBeforeTheNextBegins)
{
  // The first is written from 20 to 50. 40 s are done at 42: waits to 50, stalls to 52; 60 at 72, waits to 80, stalls
  // to 82; 80 at 102, waits to 110, stalls to 112; the end at 132.
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(30, 2))), Times{132});
  // At 45 s it waits and the first is not written yet: all is lost. At 51 s the first counts, the second does not.
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(30, 2), {45})), Times{45 + 132});
  EXPECT_EQ(end_times(on_four_gpus(100, every_20_s(30, 2), {51})), Times{51 + 132 - 20 - 10});
}

TEST(PeriodicSaves, APreemptedJobGoesOnFromWhereItWas)
{
  // Shortest remaining time first: job 0 works to 20, saves to 23, works to 30 (27 done) and is stopped; it saves to
  // 33. Job 1 works 33-38. Job 0 begins at 38 (nothing to load), 40 at 51, saves to 54, 60 at 74, 77, 80 at 97, 100,
  // and ends at 120.
  const SchedulingResult result =
      simulate_queue({.jobs = {job(0, 100, 4), job(30, 5, 4)}}, ClusterShape::pool(4),
                     *Registry<QueuePolicy>::instance().create("srtf"), nullptr, every_20_s(3));
  EXPECT_EQ(end_times(result), (Times{120, 38}));
}

TEST(PeriodicSaves, CountTowardsTheTimeAfterWhichAJobIsKilled)
{
  // A limit is of the time on GPUs (slurm.conf(5), sbatch --time): 100 s of work need 112 s.
  SchedulingOptions options = every_20_s(3);
  options.kill_at_estimate = true;
  const auto after = [&](double estimate) {
    Workload workload{.jobs = {job(0, 100, 4)}};
    workload.jobs[0].estimate = Seconds{estimate};
    return simulate_queue(workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create("fifo"), nullptr,
                          options);
  };
  for (const double estimate : {50.0, 100.0, 111.0}) {
    EXPECT_EQ(end_times(after(estimate)), Times{estimate});
    EXPECT_TRUE(after(estimate).jobs[0].killed);
  }
  EXPECT_EQ(end_times(after(112)), Times{112});
  EXPECT_FALSE(after(112).jobs[0].killed);
}

TEST(PeriodicSaves, ReservationsCountThem)
{
  // Job 0 holds 3 of 4 GPUs until 112 s, not 100; job 1 needs all 4.
  const SchedulingResult result =
      simulate_queue({.jobs = {job(0, 100, 3), job(1, 10, 4), job(2, 105, 1)}}, ClusterShape::pool(4),
                     *Registry<QueuePolicy>::instance().create("easy_backfill"), nullptr, every_20_s(3));
  // Job 2 itself writes at 20, 40, 60, 80 and 100 s of work: it would hold its GPU from 2 to 122 s, and so waits for
  // job 1, 112 to 122 s.
  EXPECT_EQ(result.jobs[1].first_start, Instant{Seconds{112}});
  EXPECT_EQ(result.jobs[2].first_start, Instant{Seconds{122}});
}

class PlansWithSaves : public testing::TestWithParam<std::string>
{
};

TEST_P(PlansWithSaves, KeepTheReservationOfTheHead)
{
  const auto starts = [&](double length) {
    const SchedulingResult result =
        simulate_queue({.jobs = {job(0, 100, 3), job(1, 10, 4), job(2, length, 1)}}, ClusterShape::pool(4),
                       *Registry<QueuePolicy>::instance().create(GetParam()), nullptr, every_20_s(3));
    return std::pair{result.jobs[1].first_start, result.jobs[2].first_start};
  };
  // 99 s of work with 4 checkpoints: from 2 to 113 s, a second too long. 98 s: just in time.
  EXPECT_EQ(starts(99).first, Instant{Seconds{112}});
  EXPECT_EQ(starts(98), (std::pair{Instant{Seconds{112}}, Instant{Seconds{2}}}));
}

// Each start takes 10 s on the GPUs: job 0 holds 3 of 4 until 110 s, and job 1 needs all 4. 99 s of work would hold
// the last GPU from 2 to 111 s, a second too long; 98 s: just in time.
TEST_P(PlansWithSaves, KeepTheReservationOfTheHeadWhereStartsCost)
{
  const auto starts = [&](double length) {
    SchedulingOptions options;
    options.start_cost = Seconds{10};
    const SchedulingResult result =
        simulate_queue({.jobs = {job(0, 100, 3), job(1, 10, 4), job(2, length, 1)}}, ClusterShape::pool(4),
                       *Registry<QueuePolicy>::instance().create(GetParam()), nullptr, options);
    return std::pair{result.jobs[1].first_start, result.jobs[2].first_start};
  };
  EXPECT_EQ(starts(99).first, Instant{Seconds{110}});
  EXPECT_EQ(starts(98), (std::pair{Instant{Seconds{110}}, Instant{Seconds{2}}}));
}

// A job that is killed at its estimate pays its start within it: 108 s, from 2 to 110 s, are enough for any work.
TEST_P(PlansWithSaves, AStartCountsWithinTheTimeThatIsAskedFor)
{
  SchedulingOptions options;
  options.start_cost = Seconds{10};
  options.kill_at_estimate = true;
  const SchedulingResult result =
      simulate_queue({.jobs = {job(0, 110, 3), job(1, 10, 4), job(2, 108, 1)}}, ClusterShape::pool(4),
                     *Registry<QueuePolicy>::instance().create(GetParam()), nullptr, options);
  EXPECT_EQ(result.jobs[1].first_start, Instant{Seconds{110}});
  EXPECT_EQ(result.jobs[2].first_start, Instant{Seconds{2}});
}

INSTANTIATE_TEST_SUITE_P(Policies, PlansWithSaves, testing::Values("easy_backfill", "conservative_backfill"),
                         [](const auto& one) { return one.param; });

TEST(PeriodicSaves, TheFirstInTheBackgroundWaitsForNoOther)
{
  // As above: job 0 ends at 132, not 140. Job 2 (110 s) from 2 s: saves begin at 22, 52, 82, 112 and 142 s, which is
  // too late. One of 80 s saves at 20, 40 and 60 s of work: 2 + 10 + 10 s, and ends at 104.
  const auto starts = [](double length) {
    const SchedulingResult result =
        simulate_queue({.jobs = {job(0, 100, 3), job(1, 10, 4), job(2, length, 1)}}, ClusterShape::pool(4),
                       *Registry<QueuePolicy>::instance().create("easy_backfill"), nullptr, every_20_s(30, 2));
    return std::pair{result.jobs[1].first_start, result.jobs[2].first_start};
  };
  EXPECT_EQ(starts(110), (std::pair{Instant{Seconds{132}}, Instant{Seconds{142}}}));
  EXPECT_EQ(starts(80), (std::pair{Instant{Seconds{132}}, Instant{Seconds{2}}}));
  // 98 s: 2 + 98 + 2 + 3 x 10 = 132, just in time; a second more is too late.
  EXPECT_EQ(starts(98), (std::pair{Instant{Seconds{132}}, Instant{Seconds{2}}}));
  EXPECT_EQ(starts(99), (std::pair{Instant{Seconds{132}}, Instant{Seconds{142}}}));
}

TEST(PeriodicSaves, TheirSizeFollowsFromTheModelWhereTheStorageIsKnown)
{
  // 4 B of each of 500 million parameters, without optimiser states: 2 GB. The storage takes 0.5 GB/s: 4 s after 100
  // and after 200 s; the card sends 3.125 GB/s (25 Gbit/s): 0.64 s, where its headers are left out.
  const auto makespan = [](const std::string& scheduling) {
    const RunReport report = tests::run_queue(
        tests::queue_head +
        "jobs: [{name: big, model: {name: one_tensor, elements: 500000000}, optimizer: sgd, batch_per_gpu: 1, "
        "single_gpu_step: 1 s}]\n"
        "workload: {jobs: [{name: a, model: big, gpus: 1, duration: 250 s}]}\n"
        "scheduling: {policy: fifo, speed: step, checkpoint_interval: 100 s" +
        scheduling + "}\n");
    return nlohmann::json(report.summary)["policies"][0]["makespan_s"].get<double>();
  };
  EXPECT_NEAR(makespan(""), 250, 1e-6);
  EXPECT_NEAR(makespan(", storage: 0.5 GB/s"), 258, 1e-6);
  EXPECT_NEAR(makespan(", storage: 0.5 GB/s, checkpoint_cost: 1 s"), 260, 1e-6);
  EXPECT_NEAR(makespan(", storage: 0.5 GB/s, checkpoint_stall: 2 s"), 254, 1e-6);
  EXPECT_NEAR(makespan(", storage: 500 GB/s"), 250 + 2 * 0.64, 0.1);
}

TEST(PeriodicSaves, WhatHasNoEffectIsAnError)
{
  const auto faults = [](const std::string& scheduling) {
    return tests::queue_faults(tests::queue_head + "workload: {jobs: [{name: a, duration: 1 h}]}\nscheduling: {" +
                               scheduling + "}\n");
  };
  EXPECT_THAT(faults("checkpoint_stall: 2 s, checkpoint_cost: 10 s"),
              testing::HasSubstr("'checkpoint_stall' has no effect without checkpoint_interval; remove it"));
  EXPECT_THAT(faults("checkpoint_stall: 20 s, checkpoint_cost: 10 s, checkpoint_interval: 1 h"),
              testing::HasSubstr("give a checkpoint_cost of at least checkpoint_stall"));
  EXPECT_EQ(faults("checkpoint_stall: 2 s, checkpoint_cost: 10 s, checkpoint_interval: 1 h"), "");
  EXPECT_THAT(faults("storage: 2 GB/s, checkpoint_interval: 1 h"),
              testing::HasSubstr("'storage' counts only with speed: step"));
}

/// Daly (2006), eq. 20: expected time of W seconds of work in segments of tau with checkpoints of C, restarts of R and
/// a mean time M between failures.
double daly(double work, double tau, double cost, double restart, double mtbf)
{
  return mtbf * std::exp(restart / mtbf) * (std::exp((tau + cost) / mtbf) - 1) * work / tau;
}

TEST(PeriodicSaves, FailuresByChanceCostWhatDalySaysAndTheBestIntervalIsYoungs)
{
  // M = 6 h, C = 60 s, R = 120 s: Young's interval is sqrt(2 x 60 x 21600) = 1610 s.
  const double mtbf = 21600, cost = 60, restart = 120, work = 4000 * mtbf, young = std::sqrt(2 * cost * mtbf);
  std::vector<double> failures;
  RandomStream draw{7};
  for (double time = draw.exponential(mtbf); time < 3 * work; time += draw.exponential(mtbf))
    failures.push_back(time);
  SchedulingOptions options;
  options.checkpoint_cost = Seconds{cost};
  options.restart_cost = Seconds{restart};
  double best = 0, least = 1e300;
  for (int step = -6; step <= 6; ++step) { // from a third to three times of it
    const double tau = young * std::pow(1.2, step);
    options.checkpoint_interval = Seconds{tau};
    const double took = on_four_gpus(work, options, failures).makespan.value();
    EXPECT_NEAR(took / daly(work, tau, cost, restart, mtbf), 1, 0.01) << tau;
    if (took < least) {
      least = took;
      best = tau;
    }
  }
  EXPECT_NEAR(best / young, 1, 0.21); // the curve is flat: a step beside it is 0.1 % worse
}

} // namespace
} // namespace trainyard
