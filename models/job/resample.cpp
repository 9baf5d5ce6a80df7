// SPDX-License-Identifier: Apache-2.0
#include "models/job/resample.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace trainyard {
namespace {

constexpr double day_s = 86400;
constexpr std::size_t days_of_a_week = 7;

} // namespace

Workload resampled(const Workload& trace, Seconds block, const Random& random)
{
  if (!(block > Seconds{0}))
    throw std::invalid_argument{"blocks of a trace must be longer than 0 s"};
  std::vector<std::vector<int>> blocks; // jobs of each
  for (int i = 0; i < trace.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::floor(trace.job(JobId{i}).submit / block));
    blocks.resize(std::max(blocks.size(), at + 1));
    blocks[at].push_back(i);
  }
  if (blocks.size() < 2)
    throw std::invalid_argument{"the trace is shorter than two blocks of " +
                                std::to_string(static_cast<long>(block.value())) + " s; resample shorter ones"};
  const bool weekly = block.value() == day_s && blocks.size() >= 2 * days_of_a_week;
  RandomStream draw = random.stream("blocks of the trace");
  Workload made;
  made.source = trace.source;
  made.users = trace.users;
  made.teams = trace.teams;
  made.queues = trace.queues;
  made.models = trace.models;
  made.qos = trace.qos;
  made.reservations = trace.reservations;
  made.arrays = trace.arrays;
  made.array_limits = trace.array_limits;
  made.demands = trace.demands;
  made.gpu_types = trace.gpu_types;
  std::map<int, std::vector<int>> awaited_by; // in the trace
  for (const auto& [waits, awaited] : trace.dependencies)
    awaited_by[waits.index].push_back(awaited.index);
  for (std::size_t place = 0; place < blocks.size(); ++place) {
    std::size_t from = 0;
    if (weekly) {
      const std::size_t weekday = place % days_of_a_week;
      const std::size_t weeks = (blocks.size() - weekday + days_of_a_week - 1) / days_of_a_week;
      from = weekday + days_of_a_week * draw.below(weeks);
    } else {
      from = draw.below(blocks.size());
    }
    const Instant shift = block * (static_cast<double>(place) - static_cast<double>(from));
    std::map<int, int> copies; // job of the trace -> here
    for (const int index : blocks[from]) {
      TraceJob job = trace.job(JobId{index});
      job.submit += shift;
      if (is_finite(job.deadline))
        job.deadline += shift;
      copies[index] = made.size();
      if (const auto waits = awaited_by.find(index); waits != awaited_by.end())
        for (const int awaited : waits->second)
          if (const auto found = copies.find(awaited); found != copies.end())
            made.dependencies.emplace_back(JobId{made.size()}, JobId{found->second});
      made.jobs.push_back(job);
      if (!trace.job_names.empty()) // a job may come several times
        made.job_names.push_back(trace.name(JobId{index}) + "@" + std::to_string(place));
    }
  }
  sort_by_submission(made);
  return made;
}

} // namespace trainyard
