// SPDX-License-Identifier: Apache-2.0
/// scheduling.site: what a site does beside its policy.
#include "models/core/diagnostics.hpp"
#include "sim/sources/queue/site_rules.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

tests::Times starts(const Workload& workload, const SiteRules& rules, const std::string& policy = "easy_backfill")
{
  const auto under = under_site_rules(Registry<QueuePolicy>::instance().create(policy, {}), rules);
  return tests::start_times(simulate_queue(workload, ClusterShape::pool(8), *under, nullptr, {}));
}

Workload of(std::vector<TraceJob> jobs, const std::vector<std::string>& users = {})
{
  Workload workload;
  workload.jobs = std::move(jobs);
  for (std::size_t i = 0; i < users.size(); ++i)
    workload.jobs[i].user = workload.users.index_of(users[i]);
  return workload;
}

// The job of 20 has room, but nothing starts from 10 to 50; who runs goes on.
TEST(SiteRules, StartsNothingWhileClosed)
{
  const Workload workload = of({tests::job(0, 30, 2), tests::job(20, 5, 2), tests::job(60, 5, 2)});
  for (const char* policy : {"easy_backfill", "fifo", "wfp", "las", "slurm"})
    EXPECT_EQ(starts(workload, {.closed = {{Seconds{10}, Seconds{50}}}}, policy), (tests::Times{0, 50, 60})) << policy;
}

// Four of eight GPUs until 50: the second job waits although four are free, the third fits beside the first.
TEST(SiteRules, LetsJobsHoldOnlyWhatIsLeft)
{
  const Workload workload = of({tests::job(0, 40, 3), tests::job(1, 5, 2), tests::job(2, 5, 1)});
  EXPECT_EQ(starts(workload, {.closed = {{Seconds{0}, Seconds{50}, 4}}}), (tests::Times{0, 40, 2}));
}

// a may hold 4 GPUs: its second job waits for its first, and b behind it does not. With one job at once the same.
TEST(SiteRules, KeepsUsersToTheirLimitsAndOthersPassThem)
{
  const Workload workload =
      of({tests::job(0, 30, 3), tests::job(1, 5, 2), tests::job(2, 5, 4), tests::job(3, 5, 1)}, {"a", "a", "b", "a"});
  for (const char* policy : {"easy_backfill", "wfp"}) {
    EXPECT_EQ(starts(workload, {.user_limits = {{.user = "a", .gpus = 4}}}, policy), (tests::Times{0, 30, 2, 3}));
    EXPECT_EQ(starts(workload, {.user_limits = {{.user = "a", .jobs = 1}}}, policy), (tests::Times{0, 30, 2, 35}));
  }
}

// Jobs of more than 100 s start from 20:00 to 02:00. The first of them comes at 01:00 and starts; the second comes at
// 01:30, finds no room until 03:00, and waits for the evening; a short one passes it.
TEST(SiteRules, StartsLongJobsInTheirHours)
{
  constexpr double h = 3600;
  const Workload workload = of({tests::job(1 * h, 2 * h, 8), tests::job(1.5 * h, 1 * h, 8), tests::job(4 * h, 50, 8)});
  const SiteRules rules{.long_jobs = SiteRules::LongJobs{Seconds{100}, Seconds{20 * h}, Seconds{2 * h}}};
  EXPECT_EQ(starts(workload, rules), (tests::Times{1 * h, 20 * h, 4 * h}));
}

TEST(SiteRules, HoldsJobsByNameAndClipsLargeOnes)
{
  Workload workload = of({tests::job(0, 10, 2), tests::job(1, 10, 20)});
  workload.job_names = {"a", "b"};
  const SiteRules rules{.holds = {{"a", Seconds{30}}}, .largest_job = 8};
  bind_site_rules(rules, workload);
  EXPECT_EQ(starts(workload, rules), (tests::Times{30, 1}));
  EXPECT_THROW(bind_site_rules({.holds = {{"c", Seconds{30}}}}, workload), InputError);
  EXPECT_THROW(bind_site_rules({.user_limits = {{.user = "x", .gpus = 1}}}, workload), InputError);
}

} // namespace
} // namespace trainyard
