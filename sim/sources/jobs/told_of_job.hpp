// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/crowded_links.hpp"
#include "sim/results/results.hpp"
#include "sim/results/traffic.hpp"
#include "sim/sources/jobs/point_run.hpp"
#include "sim/step/chosen_fidelity.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A job at its place, and the steps of it that are shown.
struct ShownJob {
  const CheckedPoint& point;
  const Catalogue& catalogue;
  const PreparedScenario& prepared;
  const PreparedJob& job;
  const PlacedJob& placed;
  const StepEstimate& estimate;
  bool own_steps = false; // all that it has made, without a warm-up
  std::optional<CrowdedLink> crowded;
  const ChosenFidelity& fidelity;
};

/// What results tell of one job.
struct ToldOfJob {
  JobRow row;
  TrafficTable traffic;         // without rows unless they are listed, or servers may be crowded
  std::vector<StepRow> steps;   // empty unless they are listed
  std::vector<TraceSpan> spans; // empty unless they are drawn
  Message rings_meet;           // empty: they do not
};
ToldOfJob told_of(const ShownJob& shown, bool draw, bool list);

} // namespace trainyard
