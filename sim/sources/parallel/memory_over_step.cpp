// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/parallel/memory_over_step.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

std::vector<MemoryChange> memory_over_step(const ParallelJob& job, const PipelineRun& run, int rank)
{
  const std::vector<PipelineSpan>& spans = run.ranks[static_cast<std::size_t>(rank)];
  const bool parted =
      std::ranges::any_of(spans, [](const PipelineSpan& span) { return span.task.pass == Pass::weights; });
  std::vector<std::pair<double, int>> events; // at one time what goes is first
  for (const PipelineSpan& span : spans) {
    if (span.task.pass == Pass::forward)
      events.emplace_back(span.begin, 1);
    else if (span.task.pass != Pass::backward || !parted)
      events.emplace_back(span.end, -1);
  }
  std::ranges::sort(events);
  std::vector<MemoryChange> changes{{Seconds{}, 0, rank_memory(job.layout, job.transformer, rank, 0)}};
  for (const auto& [time, change] : events) {
    const int chunks = changes.back().chunks + change;
    if (Seconds{time} > changes.back().at)
      changes.push_back({Seconds{time}, chunks, {}});
    changes.back().chunks = chunks;
    changes.back().memory = rank_memory(job.layout, job.transformer, rank, chunks);
  }
  return changes;
}

} // namespace trainyard
