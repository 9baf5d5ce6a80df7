// SPDX-License-Identifier: Apache-2.0
#include "models/job/generator.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
    // 40,000 exponential distances: standard error 0.5 %; bursts of ten: 1.6 %
    EXPECT_NEAR(mean_distance(generate(spec, Random{3})), 120, 8) << name;
  }
}

TEST(Generator, SameSeedSameJobs)
{
  GeneratorSpec spec;
  spec.jobs = 50;
  const Workload a = generate(spec, Random{7}), b = generate(spec, Random{7}), c = generate(spec, Random{8});
  for (int i = 0; i < a.size(); ++i)
    EXPECT_EQ(a.job(JobId{i}).duration, b.job(JobId{i}).duration);
  EXPECT_NE(a.jobs[1].submit, c.jobs[1].submit);
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
  EXPECT_GT(afternoon, 5 * night); // (1 + 0.8) / (1 - 0.8) = 9 at the peak hours
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
