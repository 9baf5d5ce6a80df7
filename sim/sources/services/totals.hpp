// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/services/orchestration_report.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace trainyard::orchestration {

inline double ratio(Wide part, Wide whole)
{
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// For the machines until the end of the run; nothing where one has no price.
inline std::optional<double> paid(const PointRun& run)
{
  if (!run.price)
    return std::nullopt;
  double paid = run.price->value() * run.result.ended.value() / 3600;
  for (const auto& [joins, price] : run.later) // which cost nothing before
    paid -= price.value() * std::min(joins, run.result.ended).value() / 3600;
  return paid;
}

/// GPU time of all services of a run, and what its failures did.
struct Totals {
  explicit Totals(const PointRun& run)
  {
    for (std::size_t s = 0; s < run.input.services.size(); ++s) {
      const ServiceOutcome& o = run.result.services[s];
      lost += o.parts.lost_gpu.gpu;
      stalled += o.parts.stalled_gpu.gpu;
      starting += o.starting.gpu;
      restoring += o.parts.restoring_gpu.gpu;
      saving += o.parts.saving_gpu.gpu;
      idle += o.parts.idle_gpu.gpu;
      orphaned += o.orphaned.gpu;
      held += o.held.gpu;
      useful += o.parts.useful_gpu.gpu;
      used += static_cast<double>(o.parts.useful_gpu.gpu) * run.input.services[s].used_share;
      restarts += o.restarts;
    }
    for (const FaultOutcome& fault : run.result.faults) {
      hit += fault.tasks_hit;
      never_back += fault.never_back;
      if (fault.recovered < Instant{})
        continue;
      ++recovered;
      const double time = (fault.recovered - fault.event.at).value();
      recovering += time;
      worst = std::max(worst, time);
    }
  }
  double useful_share() const { return held > 0 ? used / static_cast<double>(held) : 0; }

  Wide lost = 0, stalled = 0, starting = 0, restoring = 0, saving = 0, idle = 0, orphaned = 0, held = 0, useful = 0;
  double used = 0; // of the useful time: notebooks hold more than they use
  std::int64_t hit = 0, never_back = 0, recovered = 0, restarts = 0; // tasks, tasks, failures, processes
  double recovering = 0, worst = 0;                                  // s
};

} // namespace trainyard::orchestration
