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

TEST(QueueAccounts, AStartThatIsCutOffCostsTheTimeUntilThen)
{
  // The start takes 30 s, the job dies after 10 of them: 4 x 10 GPU-seconds. Nothing was saved; starting again takes
  // 3 s, 4 x 3 GPU-seconds; then come 100 s of work: the end is 10 + 3 + 100 s.
  OneFailure failure{10};
  const SchedulingResult result = fifo_on_four_gpus(
      {.jobs = {job(0, 100, 4)}},
      {.start_cost = Seconds{30}, .checkpoint_cost = Seconds{2}, .restart_cost = Seconds{3}, .events = &failure});
  EXPECT_EQ(end_times(result), Times{113});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{52});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{452});
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
