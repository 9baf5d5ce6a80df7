// SPDX-License-Identifier: Apache-2.0
#include "models/job/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

double mean_distance(const Workload& workload)
{
  return workload.jobs.back().submit.value() / (workload.size() - 1);
}

TEST(Generator, EveryArrivalProcessKeepsItsMeanDistance)
{
  for (const std::string& name : Registry<ArrivalProcess>::instance().names()) {
    GeneratorSpec spec;
    spec.jobs = 40'000;
    spec.arrivals = name;
    spec.mean_interarrival = Seconds{120};
    // 40,000 exponential distances: standard error 0.5 %; bursts of ten: 1.6 %. Four of them.
    EXPECT_NEAR(mean_distance(generate(spec, Random{3})), 120, name == "bursty" ? 8 : 2.4) << name;
  }
}

/// All that is drawn for a job.
std::tuple<double, double, int, std::string, std::string> drawn(const Workload& workload, int index)
{
  const TraceJob& job = workload.job(JobId{index});
  return {job.submit.value(), job.duration.value(), job.gpus, workload.users.name(job.user),
          workload.teams.name(job.team)};
}

TEST(Generator, SameSeedSameJobsAndAnotherSeedOtherOnes)
{
  GeneratorSpec spec;
  spec.jobs = 50;
  const Workload a = generate(spec, Random{7}), b = generate(spec, Random{7}), c = generate(spec, Random{8});
  ASSERT_EQ(a.size(), 50);
  ASSERT_EQ(b.size(), 50);
  ASSERT_EQ(c.size(), 50);
  int same_submit = 0, same_duration = 0, same_gpus = 0, same_user = 0;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(drawn(a, i), drawn(b, i)) << i;
    const auto [submit, duration, gpus, user, team] = drawn(a, i);
    const auto [other_submit, other_duration, other_gpus, other_user, other_team] = drawn(c, i);
    same_submit += submit == other_submit ? 1 : 0;
    same_duration += duration == other_duration ? 1 : 0;
    same_gpus += gpus == other_gpus ? 1 : 0;
    same_user += user == other_user ? 1 : 0;
  }
  // The seed reaches every draw: only the first submission, at 0, is the same; durations are rounded to a second, so
  // that two of 50 may meet by chance; of ten users and of sizes (70 % have one GPU) not all 50 meet.
  EXPECT_EQ(same_submit, 1);
  EXPECT_LE(same_duration, 2);
  EXPECT_LT(same_gpus, 50);
  EXPECT_LT(same_user, 25);
}

TEST(Generator, DiurnalIsBusiestInTheAfternoon)
{
  GeneratorSpec spec;
  spec.jobs = 30'000;
  spec.arrivals = "diurnal";
  spec.mean_interarrival = Seconds{60};
  int afternoon = 0, night = 0;
  for (const TraceJob& job : generate(spec, Random{1}).jobs) {
    const double hour = std::fmod(job.submit.value() / 3600, 24);
    afternoon += hour >= 14 && hour < 16 ? 1 : 0;
    night += hour >= 2 && hour < 4 ? 1 : 0;
  }
  // The rate is 1 + 0.8 cos(phase), busiest at 15 h. Within an hour, 15 degrees, of the peak the cosine is
  // sin(15 deg) / (15 deg in radians) = 0.9886 on average: 1.791 against 0.209, a ratio of 8.56. About 520 jobs at
  // night: standard error 4.6 %. Four of them.
  EXPECT_NEAR(static_cast<double>(afternoon) / night, 8.56, 1.6);
}

TEST(Generator, MedianAndMixAreAsAsked)
{
  GeneratorSpec spec;
  spec.jobs = 20'000;
  spec.median_duration = Seconds{600};
  spec.duration_sigma = 1;
  spec.gpus = {{1, 3}, {8, 1}};
  const Workload workload = generate(spec, Random{2});
  int below = 0, large = 0;
  for (const TraceJob& job : workload.jobs) {
    below += job.duration < Seconds{600} ? 1 : 0;
    large += job.gpus == 8 ? 1 : 0;
  }
  EXPECT_NEAR(below / 20'000.0, 0.5, 0.015);
  EXPECT_NEAR(large / 20'000.0, 0.25, 0.015);
}

// The keys of a map have no order that means anything.
TEST(Generator, OrderOfTheSizesDecidesNothing)
{
  const auto sizes_of = [](GeneratorSpec spec) {
    std::vector<int> sizes;
    for (const TraceJob& job : generate(spec, Random{1}).jobs)
      sizes.push_back(job.gpus);
    return sizes;
  };
  GeneratorSpec spec;
  spec.jobs = 50;
  spec.gpus = {{1, 0.5}, {2, 0.2}, {8, 0.3}};
  const std::vector<int> sizes = sizes_of(spec);
  std::ranges::reverse(spec.gpus);
  EXPECT_EQ(sizes_of(spec), sizes);
}

TEST(Generator, KolmogorovSmirnovByHand)
{
  EXPECT_DOUBLE_EQ(ks_distance({1, 2, 3, 4}, {1, 2, 3, 4}), 0);
  EXPECT_DOUBLE_EQ(ks_distance({1, 2}, {3, 4}), 1);
  EXPECT_DOUBLE_EQ(ks_distance({1, 2, 3, 4}, {3, 4, 5, 6}), 0.5); // at 2: 2/4 against 0
  EXPECT_DOUBLE_EQ(ks_distance({}, {1}), 1);
}

TEST(Generator, JobsLikeATraceAreLikeIt)
{
  GeneratorSpec spec;
  spec.jobs = 5'000;
  spec.arrivals = "diurnal";
  spec.mean_interarrival = Seconds{300};
  const Workload trace = generate(spec, Random{4});
  const Likeness near = likeness(generate_like(trace, 5'000, Random{5}), trace);
  // 1 % critical value for two samples of 5,000: 1.63 sqrt(2 / 5000) = 0.033
  EXPECT_LT(near.duration_ks, 0.033);
  EXPECT_LT(near.gpus_ks, 0.033);
  EXPECT_LT(near.interarrival_ks, 0.033);
}

TEST(Generator, LargestTasksMakeGangsOfLargerJobs)
{
  GeneratorSpec spec;
  spec.jobs = 200;
  spec.gpus = {{1, 1}, {4, 1}, {8, 1}, {24, 1}};
  const Workload split = generate(spec, Random{1});
  spec.gpus_per_task = 8;
  const Workload gangs = generate(spec, Random{1});
  ASSERT_EQ(split.jobs.size(), gangs.jobs.size());
  for (std::size_t i = 0; i < gangs.jobs.size(); ++i) {
    EXPECT_EQ(gangs.jobs[i].gpus, split.jobs[i].gpus) << "the same jobs";
    EXPECT_EQ(split.jobs[i].tasks, 0);
    EXPECT_EQ(gangs.jobs[i].tasks, gangs.jobs[i].gpus == 24 ? 3 : 1);
  }
}

} // namespace
} // namespace trainyard
