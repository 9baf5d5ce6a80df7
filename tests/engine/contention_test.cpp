// SPDX-License-Identifier: Apache-2.0
#include "tests/support/contention_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace trainyard {
namespace {

std::vector<tests::ContentionCase> cases()
{
  std::vector<tests::ContentionCase> result;
  std::uint64_t seed = 1;
  for (const int hosts : {32, 64, 128})
    for (const int jobs : {2, 4, 8})
      for (const double oversubscription : {1.0, 2.0, 4.0})
        for (const double stagger : {0.0, 0.005})
          for (const bool packed : {false, true}) {
            if (packed && stagger > 0)
              continue;
            result.push_back({.hosts = hosts,
                              .per_leaf = hosts == 32 ? 8 : 16,
                              .jobs = jobs,
                              .oversubscription = oversubscription,
                              .packed = packed,
                              .stagger = stagger,
                              .payload = Bytes{50e6},
                              .seed = seed++});
          }
  return result;
}

struct Agreement {
  double mean = 0, worst = 0, worst_makespan = 0;
  int jobs = 0;
};

/// Errors in % of the job's time at `step`.
Agreement compare(const std::string& fidelity, const std::vector<std::vector<double>>& reference)
{
  Agreement agreement;
  const std::vector<tests::ContentionCase> all = cases();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const std::vector<double> durations = all[c].durations(fidelity);
    double makespan = 0, expected = 0;
    for (std::size_t j = 0; j < durations.size(); ++j) {
      const double error = 100 * std::abs(durations[j] / reference[c][j] - 1);
      agreement.mean += error;
      if (error > 5)
        std::printf("%s: %d hosts, %d jobs, %g:1, %s, stagger %g, job %zu: %.6f against %.6f\n", fidelity.c_str(),
                    all[c].hosts, all[c].jobs, all[c].oversubscription, all[c].packed ? "packed" : "random",
                    all[c].stagger, j, durations[j], reference[c][j]);
      agreement.worst = std::max(agreement.worst, error);
      ++agreement.jobs;
      makespan = std::max(makespan, durations[j] + all[c].stagger * static_cast<double>(j));
      expected = std::max(expected, reference[c][j] + all[c].stagger * static_cast<double>(j));
    }
    agreement.worst_makespan = std::max(agreement.worst_makespan, 100 * std::abs(makespan / expected - 1));
  }
  agreement.mean /= agreement.jobs;
  return agreement;
}

TEST(Contention, FluidAndFlowStayNearTheMessageByMessageReference)
{
  std::vector<std::vector<double>> reference;
  for (const tests::ContentionCase& one : cases())
    reference.push_back(one.durations("step"));
  ASSERT_GE(reference.size(), 50U);
  for (const char* fidelity : {"fluid", "flow"}) {
    const Agreement agreement = compare(fidelity, reference);
    std::printf("%-6s %3zu cases, %3d jobs: per job mean %.2f %%, worst %.2f %%, makespan worst %.2f %%\n", fidelity,
                reference.size(), agreement.jobs, agreement.mean, agreement.worst, agreement.worst_makespan);
    EXPECT_LE(agreement.mean, 3) << fidelity;
    EXPECT_LE(agreement.worst, 12) << fidelity;
    EXPECT_LE(agreement.worst_makespan, 3) << fidelity;
  }
}

} // namespace
} // namespace trainyard
