// SPDX-License-Identifier: Apache-2.0
// Jobs that other sources of work send to the queue.
#include "models/core/random.hpp"
#include "sim/cluster/kernel.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/together/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace trainyard {
namespace {

/// Another source of work, which sends jobs at their submission and completes them when their work is done. Some it
/// takes back after a while.
class Sender final : public Source
{
public:
  struct Job {
    Instant at{};
    SentJob job;
    Instant withdrawn{end_of_time};
  };
  Sender(std::vector<Job> jobs, JobQueue& queue) : jobs_{std::move(jobs)}, queue_{queue} {}

  std::optional<Instant> next() const override
  {
    if (queue_.has_news())
      return Instant{0};
    Instant soonest = end_of_time;
    if (sent_ < jobs_.size())
      soonest = jobs_[sent_].at;
    for (const auto& [id, at] : withdrawals_)
      soonest = std::min(soonest, at);
    return soonest;
  }

  void act(Instant now) override
  {
    for (const JobNews& news : queue_.take_news())
      if (news.what == JobNews::What::worked) {
        queue_.complete(now, news.job);
        withdrawals_.erase(news.job);
      }
    for (; sent_ < jobs_.size() && jobs_[sent_].at <= now; ++sent_)
      withdrawals_[queue_.send(now, jobs_[sent_].job)] = jobs_[sent_].withdrawn;
    std::erase_if(withdrawals_, [&](const auto& entry) {
      if (entry.second > now)
        return false;
      queue_.withdraw(now, entry.first);
      return true;
    });
  }

private:
  std::vector<Job> jobs_;
  JobQueue& queue_;
  std::size_t sent_ = 0;
  std::map<JobId, Instant> withdrawals_;
};

/// 60 random jobs; those with an odd number are sent by another source during the run.
struct HalfSent {
  Workload all, listed;
  std::vector<Sender::Job> sent;
};

HalfSent half_sent(std::uint64_t seed, double withdrawn)
{
  RandomStream draw = Random{seed}.stream("half sent");
  HalfSent jobs;
  for (int i = 0; i < 60; ++i) {
    TraceJob job;
    job.submit = Seconds{20.0 * i + std::floor(draw.uniform() * 20)}; // whole seconds: no source rounds them
    job.duration = job.estimate = Seconds{1 + std::floor(draw.exponential(400))};
    job.gpus = 1 + static_cast<int>(draw.uniform() * 6);
    job.priority = static_cast<float>(static_cast<int>(draw.uniform() * 4));
    const std::string team = fmt::format("t{}", i % 3);
    for (Workload* workload : {&jobs.all, &jobs.listed}) { // the names have the same numbers in both
      job.team = workload->teams.index_of(team);
      job.user = workload->users.index_of("u");
    }
    jobs.all.jobs.push_back(job);
    if (i % 2 == 0) {
      jobs.listed.jobs.push_back(job);
      jobs.listed.job_names.push_back(std::to_string(i));
      continue;
    }
    Sender::Job one{.at = job.submit, .job = {}};
    one.job = {.name = std::to_string(i),
               .model = "",
               .user = "u",
               .team = team,
               .gpus = job.gpus,
               .priority = job.priority,
               .work = job.duration,
               .estimate = job.estimate,
               .withheld = {},
               .checkpoint_interval = {}};
    if (draw.uniform() < withdrawn)
      one.withdrawn = one.at + Instant{Seconds{std::floor(draw.uniform() * 600)}};
    jobs.sent.push_back(one);
  }
  return jobs;
}

SchedulingResult run_half_sent(const HalfSent& jobs, const std::string& policy_name, Workload& growing)
{
  const ClusterShape shape = ClusterShape::machines(4, 4);
  SchedulingOptions options;
  options.restart_cost = Seconds{7};
  options.record_waits = options.record_runs = true;
  const auto policy = Registry<QueuePolicy>::instance().create(policy_name, {});
  const auto placement = Registry<PlacementPolicy>::instance().create("pack", {});
  growing = jobs.listed;
  NodePool pool{shape};
  QueueSource queue{growing, shape, *policy, *placement, options, pool, &growing};
  Sender sender{jobs.sent, queue};
  Kernel kernel;
  kernel.add(sender);
  kernel.add(queue);
  const Instant until = Seconds{1e6};
  kernel.run(until);
  return queue.finish(until);
}

// A job that is sent at its submission is the job that was listed from the beginning: same number, same start, same
// end, under every policy that does not look at jobs of the future.
TEST(Together, ASentJobIsAJobOfTheQueue)
{
  for (const std::string& name : tests::own_queue_policies()) {
    if (name == "gittins")
      continue; // it knows the lengths of all listed jobs
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", name, seed));
      const HalfSent jobs = half_sent(seed, 0);
      SchedulingOptions options;
      options.restart_cost = Seconds{7};
      const auto policy = Registry<QueuePolicy>::instance().create(name, {});
      const auto placement = Registry<PlacementPolicy>::instance().create("pack", {});
      const SchedulingResult expected =
          simulate_queue(jobs.all, ClusterShape::machines(4, 4), *policy, placement.get(), options);
      Workload growing;
      const SchedulingResult found = run_half_sent(jobs, name, growing);
      ASSERT_EQ(found.finished, 60);
      ASSERT_EQ(found.sent.size(), 30u);
      for (std::size_t i = 0; i < expected.jobs.size(); ++i) {
        ASSERT_EQ(growing.job_names[i], std::to_string(i));
        ASSERT_NEAR(found.jobs[i].first_start.value(), expected.jobs[i].first_start.value(), 1e-6) << i;
        ASSERT_NEAR(found.jobs[i].end.value(), expected.jobs[i].end.value(), 1e-6) << i;
        ASSERT_EQ(found.jobs[i].preemptions, expected.jobs[i].preemptions) << i;
      }
    }
  }
}

// Jobs that are taken back leave no trace in any policy: all others end, and nobody waits at the end.
TEST(Together, EveryPolicyForgetsJobsThatAreTakenBack)
{
  for (const std::string& name : tests::own_queue_policies())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", name, seed));
      const HalfSent jobs = half_sent(seed, 0.7);
      Workload growing;
      const SchedulingResult found = run_half_sent(jobs, name, growing);
      int withdrawn = 0;
      for (std::size_t i = 0; i < found.jobs.size(); ++i) {
        withdrawn += found.jobs[i].phase == JobPhase::withdrawn ? 1 : 0;
        ASSERT_TRUE(found.jobs[i].phase == JobPhase::finished || found.jobs[i].phase == JobPhase::withdrawn) << i;
      }
      ASSERT_EQ(found.finished + withdrawn, 60);
      ASSERT_GT(withdrawn, 5);
    }
}

} // namespace
} // namespace trainyard
