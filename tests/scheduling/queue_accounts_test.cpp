// SPDX-License-Identifier: Apache-2.0
// The order of events at one instant, and what failures and starts cost, on queues worked out by hand.
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using tests::end_times;
using tests::job;
using tests::Times;

SchedulingResult fifo_on_four_gpus(const Workload& workload, const SchedulingOptions& options = {})
{
  return simulate_queue(workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create("fifo"), nullptr,
                        options);
}

/// The first job's process dies once.
class OneFailure final : public ClusterEvents
{
public:
  explicit OneFailure(double at) : at_{Seconds{at}} {}
  std::optional<Instant> next() const override { return at_; }
  void fire(ClusterControl& control) override
  {
    control.fail(JobId{0});
    at_.reset();
  }

private:
  std::optional<Instant> at_;
};

TEST(QueueAccounts, AtOneInstantAFailedJobQueuesBeforeOneThatIsSubmitted)
{
  // Job 0 loses its 10 s at 10 s, when job 1 is submitted. It waits first, starts again and needs 20 s: 10-30. Then
  // job 1: 30-35.
  OneFailure failure{10};
  EXPECT_EQ(end_times(fifo_on_four_gpus({.jobs = {job(0, 20, 4), job(10, 5, 4)}}, {.events = &failure})),
            (Times{30, 35}));
}

TEST(QueueAccounts, AJobThatFailedHasItsOldTurn)
{
  // One machine for one job at a time. Job 0 loses its 10 s at 10 s; jobs 1 and 2 wait since 1 s and 2 s. In order of
  // submission job 0 starts again, 10-30, then job 1, 30-35, and job 2, 35-40.
  Settings passing;
  passing.set("skip", 1.0);
  for (const auto& [name, settings] :
       {std::pair{"fifo", Settings{}}, std::pair{"fifo", passing}, std::pair{"easy_backfill", Settings{}},
        std::pair{"conservative_backfill", Settings{}}}) {
    OneFailure failure{10};
    EXPECT_EQ(end_times(simulate_queue({.jobs = {job(0, 20, 4), job(1, 5, 4), job(2, 5, 4)}}, ClusterShape::pool(4),
                                       *Registry<QueuePolicy>::instance().create(name, settings), nullptr,
                                       {.events = &failure})),
              (Times{30, 35, 40}))
        << name;
  }
}

TEST(QueueAccounts, AFailureCostsWhatCameAfterTheLastCheckpointOnEveryGpu)
{
  // 50 s done, checkpoints every 20 s: 40 s are kept, 10 s on 4 GPUs are lost. 60 s are left: the end is 110 s, and the
  // job has held 4 x 110 GPU-seconds.
  OneFailure failure{50};
  const SchedulingResult result =
      fifo_on_four_gpus({.jobs = {job(0, 100, 4)}}, {.checkpoint_interval = Seconds{20}, .events = &failure});
  EXPECT_EQ(end_times(result), Times{110});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{40});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{440});
}

/// The first of two machines of four GPUs is down from 30 to 60 s.
class OneRepair final : public ClusterEvents
{
public:
  std::optional<Instant> next() const override
  {
    return events_ == 2 ? std::nullopt : std::optional<Instant>{Seconds{events_ == 0 ? 30.0 : 60.0}};
  }
  void fire(ClusterControl& control) override { control.set_node(0, ++events_ == 2); }

private:
  int events_ = 0;
};

SchedulingResult on_two_machines(const Workload& workload, const char* policy, bool shrink, bool rack = false)
{
  class RackFailure final : public ClusterEvents
  {
  public:
    std::optional<Instant> next() const override { return at_; }
    void fire(ClusterControl& control) override
    {
      control.set_node(0, false);
      control.set_node(1, false);
      control.set_node(0, true);
      control.set_node(1, true);
      at_.reset();
    }

  private:
    std::optional<Instant> at_ = Seconds{30};
  };
  OneRepair repair;
  RackFailure both;
  SchedulingOptions options;
  options.checkpoint_cost = Seconds{3};
  options.restart_cost = Seconds{5};
  options.checkpoint_interval = Seconds{20};
  options.shrink_after_failure = shrink;
  options.events = rack ? static_cast<ClusterEvents*>(&both) : &repair;
  return simulate_queue(workload, ClusterShape::machines(2, 4), *Registry<QueuePolicy>::instance().create(policy),
                        Registry<PlacementPolicy>::instance().create("first_fit").get(), options);
}

TEST(QueueAccounts, AnElasticJobGoesOnWithTheGpusThatItHasLeft)
{
  // 27 s done after a checkpoint of 3 s, 20 kept: 7 s on 8 GPUs are lost. It loads until 35 s and does 12.5 s of work
  // on 4 GPUs until 60 s, when the machine is back: it saves 3 s, loads 5 s, and does the other 67.5 s on 8 GPUs from
  // 68 s on, with checkpoints after 40, 60 and 80 s of work, until 144.5 s. Without progress: 8 x (3 + 7) + 4 x 5 + 4 x
  // 3 + 8 x (5 + 9).
  Workload workload{.jobs = {job(0, 100, 8)}};
  workload.jobs[0].min_gpus = 4;
  workload.jobs[0].max_gpus = 8;
  const SchedulingResult result = on_two_machines(workload, "fifo", true);
  EXPECT_EQ(end_times(result), Times{144.5});
  EXPECT_EQ(result.jobs[0].failures, 1);
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{224});
  // Else it waits until 60 s, loads until 65 s, and has 80 s to do, with three checkpoints.
  EXPECT_EQ(end_times(on_two_machines(workload, "fifo", false)), Times{154});
  // With 5 GPUs at least it cannot go on.
  workload.jobs[0].min_gpus = 5;
  EXPECT_EQ(end_times(on_two_machines(workload, "fifo", true)), Times{154});
}

TEST(QueueAccounts, AJobTakesItsGpusBackBeforeThoseThatWait)
{
  // As above with a second job of 4 GPUs, submitted at 40 s: it starts when the first has ended.
  Workload workload{.jobs = {job(0, 100, 8), job(40, 10, 4)}};
  workload.jobs[0].min_gpus = 4;
  workload.jobs[0].max_gpus = 8;
  EXPECT_EQ(end_times(on_two_machines(workload, "fifo", true)), (Times{144.5, 154.5}));
  // One that runs on the other machine keeps it: of three tasks of 2 GPUs the job loses two, and goes on with one at a
  // third of the speed: 27 s done, 20 kept, 35 to 60 s on 2 GPUs 25/3 s; back to 6 GPUs at 60 s, from 68 s on it has
  // 100 - 20 - 25/3 s to do, and three checkpoints. The other writes 49.
  workload = {.jobs = {job(0, 100, 6), job(1, 1000, 2)}};
  workload.jobs[0].min_gpus = 2;
  workload.jobs[0].max_gpus = 6;
  workload.jobs[0].tasks = 3;
  const Times ends = end_times(on_two_machines(workload, "fifo", true));
  EXPECT_NEAR(ends[0], 68 + 100 - 20 - 25.0 / 3 + 9, 1e-6);
  EXPECT_EQ(ends[1], 1001 + 49 * 3);
}

TEST(QueueAccounts, AJobThatLosesAMachineWhileItStartsStartsAnew)
{
  // Its start of 40 s is cut off at 30 s and again, when the machine is back, at 60 s: 60 + 40 + 100 s.
  Workload workload{.jobs = {job(0, 100, 8)}};
  workload.jobs[0].min_gpus = 4;
  workload.jobs[0].max_gpus = 8;
  OneRepair repair;
  SchedulingOptions options{.start_cost = Seconds{40}, .restart_cost = Seconds{5}};
  options.shrink_after_failure = true;
  options.events = &repair;
  EXPECT_EQ(end_times(simulate_queue(workload, ClusterShape::machines(2, 4),
                                     *Registry<QueuePolicy>::instance().create("fifo"),
                                     Registry<PlacementPolicy>::instance().create("first_fit").get(), options)),
            Times{200});
}

TEST(QueueAccounts, AJobThatLosesAllItsMachinesAtOnceFailsOnce)
{
  // Both go, one after the other, and come back in the same instant: it waits, and loads from 30 to 35 s; 80 s to do,
  // and three checkpoints.
  Workload workload{.jobs = {job(0, 100, 8)}};
  workload.jobs[0].min_gpus = 4;
  workload.jobs[0].max_gpus = 8;
  const SchedulingResult result = on_two_machines(workload, "fifo", true, true);
  EXPECT_EQ(end_times(result), Times{124});
  EXPECT_EQ(result.jobs[0].failures, 1);
}

TEST(QueueAccounts, AStartThatIsCutOffCostsTheTimeUntilThen)
{
  // The start takes 30 s, the job dies after 10 of them: 4 x 10 GPU-seconds. There is nothing to load; it starts anew,
  // 4 x 30 GPU-seconds; then come 100 s of work: the end is 10 + 30 + 100 s, later than the 130 s without the failure.
  OneFailure failure{10};
  const SchedulingResult result = fifo_on_four_gpus(
      {.jobs = {job(0, 100, 4)}},
      {.start_cost = Seconds{30}, .checkpoint_cost = Seconds{2}, .restart_cost = Seconds{3}, .events = &failure});
  EXPECT_EQ(end_times(result), Times{140});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{160});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{560});
}

TEST(QueueAccounts, AJobThatDependsOnAnotherDoesNotStartBeforeItIsSubmitted)
{
  // Job 0 ends at 10 s; job 1 waits for it, but is submitted at 50 s only.
  Workload workload{.jobs = {job(0, 10, 1), job(50, 5, 1)}};
  workload.dependencies = {{JobId{1}, JobId{0}}};
  EXPECT_EQ(end_times(fifo_on_four_gpus(workload)), (Times{10, 55}));
}

TEST(QueueAccounts, WithAPeriodJobsStartAtItsMultiples)
{
  // Every 10 s: the job of 3 s starts at 10, as that of 10 s does, and the one of 10.5 s at 20.
  const Workload workload{.jobs = {job(3, 5, 1), job(10, 5, 1), job(10.5, 5, 1)}};
  EXPECT_EQ(end_times(fifo_on_four_gpus(workload, {.policy_period = Seconds{10}})), (Times{15, 15, 25}));
}

} // namespace
} // namespace trainyard
