// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/recorded_history.hpp"

#include "models/core/figure_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr Instant near_the_record{60_s};

std::string waits_text(const Distribution& waits)
{
  return fmt::format("mean {}, median {}, p95 {}", time_text(Seconds{waits.mean}), time_text(Seconds{waits.p50}),
                     time_text(Seconds{waits.p95}));
}

} // namespace

std::string RecordedHistory::text(const std::string& policy) const
{
  return fmt::format(
      "waits that the trace recorded ({} jobs): {}\nreplayed under {}: {}; {} of the jobs within a minute "
      "of the record, median difference {}\n",
      jobs, waits_text(recorded), policy, waits_text(replayed), percent_text(within),
      time_text(Seconds{difference.p50}));
}

std::optional<RecordedHistory> history_of(const Workload& workload, const SchedulingResult& result,
                                          const std::unordered_map<std::int64_t, Instant>& waits)
{
  std::vector<double> recorded, replayed, difference;
  int near = 0;
  for (int i = 0; i < workload.size() && !waits.empty(); ++i) {
    const TraceJob& job = workload.job(JobId{i});
    const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(i)];
    const auto known = waits.find(job.row);
    if (known == waits.end() || outcome.first_start < Instant{0})
      continue;
    const Instant here = outcome.first_start - job.submit;
    const Instant apart = std::max(here - known->second, known->second - here);
    recorded.push_back(known->second.value());
    replayed.push_back(here.value());
    difference.push_back(apart.value());
    near += apart < near_the_record ? 1 : 0;
  }
  if (recorded.empty())
    return std::nullopt;
  RecordedHistory history;
  history.jobs = static_cast<int>(recorded.size());
  history.within = near / static_cast<double>(history.jobs);
  history.recorded = distribution_of(std::move(recorded));
  history.replayed = distribution_of(std::move(replayed));
  history.difference = distribution_of(std::move(difference));
  return history;
}

} // namespace trainyard
