// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/job/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trainyard::tests {

struct RandomWorkload {
  int jobs = 200;
  int largest_gang = 8;
  double mean_gap = 60;       // s between submissions
  double mean_duration = 600; // s
  double badness = 1;         // of estimates
  bool elastic = false;
  bool dependencies = false;
  bool priorities = true;
  bool deadlines = true;
  int teams = 3;
};

/// Jobs with whole seconds, gangs of powers of two, several users and teams; a function of its arguments.
inline Workload random_workload(std::uint64_t seed, const RandomWorkload& wanted = {})
{
  RandomStream draw = Random{seed}.stream("workload");
  Workload workload;
  for (int i = 0; i < wanted.teams; ++i) {
    workload.teams.index_of("team-" + std::to_string(i));
    workload.users.index_of("user-" + std::to_string(i));
  }
  double time = 0;
  for (int i = 0; i < wanted.jobs; ++i) {
    time += std::floor(draw.exponential(wanted.mean_gap));
    TraceJob job;
    job.submit = Seconds{time};
    job.duration = Seconds{1 + std::floor(draw.exponential(wanted.mean_duration))};
    job.estimate = job.duration * (1 + wanted.badness * draw.uniform());
    const int powers = 1 + static_cast<int>(std::log2(wanted.largest_gang));
    job.gpus = 1 << draw.below(static_cast<std::uint64_t>(powers));
    if (wanted.elastic && job.gpus > 1) {
      job.min_gpus = job.gpus / 2;
      job.max_gpus = std::min(wanted.largest_gang, job.gpus * 2);
    }
    if (wanted.priorities)
      job.priority = static_cast<float>(draw.below(3));
    if (wanted.deadlines)
      job.deadline = job.submit + job.duration * (2 + 4 * draw.uniform());
    job.team = 1 + static_cast<int>(draw.below(static_cast<std::uint64_t>(wanted.teams)));
    job.user = job.team;
    if (wanted.dependencies && i > 0 && draw.uniform() < 0.3)
      workload.dependencies.emplace_back(JobId{i}, JobId{static_cast<int>(draw.below(static_cast<std::uint64_t>(i)))});
    workload.jobs.push_back(job);
  }
  sort_by_submission(workload);
  return workload;
}

} // namespace trainyard::tests
