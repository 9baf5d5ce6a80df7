// SPDX-License-Identifier: Apache-2.0
#include "models/job/resample.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr double day = 86400;

/// Job i is submitted at the beginning of day i and takes i + 1 seconds.
Workload a_job_a_day(int days)
{
  Workload workload;
  for (int i = 0; i < days; ++i) {
    workload.jobs.push_back({.submit = Seconds{day * i}, .duration = Seconds{i + 1.0}, .estimate = Seconds{i + 1.0}});
    workload.job_names.push_back("job-" + std::to_string(i));
  }
  return workload;
}

TEST(Resample, DrawsWholeDaysAndKeepsTheirPlace)
{
  const Workload trace = a_job_a_day(10);
  std::set<double> lengths;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Workload made = resampled(trace, Seconds{day}, Random{seed});
    ASSERT_EQ(made.size(), 10) << "one job of each drawn day";
    double sum = 0;
    for (int i = 0; i < made.size(); ++i) {
      EXPECT_EQ(made.jobs[static_cast<std::size_t>(i)].submit, Seconds{day * i})
          << "at the time of the day it replaces";
      sum += made.jobs[static_cast<std::size_t>(i)].duration.value();
    }
    lengths.insert(sum);
  }
  EXPECT_GT(lengths.size(), 10U) << "seeds draw other days";
  EXPECT_EQ(resampled(trace, Seconds{day}, Random{3}).jobs[4].duration,
            resampled(trace, Seconds{day}, Random{3}).jobs[4].duration);
}

TEST(Resample, AMondayIsDrawnFromTheMondays)
{
  const Workload trace = a_job_a_day(21);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Workload made = resampled(trace, Seconds{day}, Random{seed});
    for (int i = 0; i < made.size(); ++i) // job i of the trace takes i + 1 s
      EXPECT_EQ((static_cast<int>(made.jobs[static_cast<std::size_t>(i)].duration.value()) - 1) % 7, i % 7);
  }
}

TEST(Resample, DependenciesStayInsideABlock)
{
  Workload trace = a_job_a_day(2);
  trace.jobs.insert(trace.jobs.begin() + 1, {.submit = Seconds{60}, .duration = Seconds{5}, .estimate = Seconds{5}});
  trace.job_names.insert(trace.job_names.begin() + 1, "second");
  trace.dependencies = {{JobId{1}, JobId{0}}, {JobId{2}, JobId{0}}}; // inside day 0, and from day 1 to day 0
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Workload made = resampled(trace, Seconds{day}, Random{seed});
    for (const auto& [waits, awaited] : made.dependencies) {
      EXPECT_EQ(made.job(waits).duration, Seconds{5});
      EXPECT_EQ((made.job(waits).submit - made.job(awaited).submit), Seconds{60});
    }
  }
}

TEST(Resample, RefusesWhatHasNoTwoBlocks)
{
  EXPECT_THROW(resampled(a_job_a_day(1), Seconds{day}, Random{1}), std::invalid_argument);
  EXPECT_THROW(resampled(a_job_a_day(3), Seconds{0}, Random{1}), std::invalid_argument);
}

} // namespace
} // namespace trainyard
