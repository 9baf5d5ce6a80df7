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

// All 8 GPUs until 50: the second waits for them, the third behind it until 60. The fourth comes while the site is
// closed, and the fifth beside one that holds the four GPUs which are left from 300 to 400. No policy that decides
// seldom.
TEST(SiteRules, AreTheReasonOfWaitsThatTheyMake)
{
  const Workload workload = of({tests::job(0, 50, 8), tests::job(10, 10, 8), tests::job(20, 100, 2),
                                tests::job(210, 5, 2), tests::job(300, 90, 4), tests::job(310, 5, 4)});
  const auto under = under_site_rules(Registry<QueuePolicy>::instance().create("easy_backfill", {}),
                                      {.closed = {{Seconds{200}, Seconds{250}}, {Seconds{299}, Seconds{400}, 4}}});
  SchedulingOptions options;
  options.record_waits = true;
  const SchedulingResult result = simulate_queue(workload, ClusterShape::pool(8), *under, nullptr, options);
  EXPECT_EQ(tests::start_times(result), (tests::Times{0, 50, 60, 250, 300, 390}));
  for (const WaitRecord& wait : result.waits) {
    EXPECT_NE(wait.reason, WaitReason::next_decision) << wait.job.index;
    EXPECT_EQ(wait.reason == WaitReason::site_rule, wait.job.index == 3 || wait.job.index == 5) << wait.job.index;
  }
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
