// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/study/measures.hpp"

#include <functional>
#include <map>
#include <string>

namespace trainyard {

struct CheckedPoint;
struct JobRow;

/// What a study counts with where the scenario's machines have no price of their own.
struct Prices {
  std::map<std::string, DollarsPerHour> per_gpu;  // a machine's share for one GPU of this type
  DollarsPerHour per_cpu_core;                    // machines without GPUs
  std::map<std::string, DollarsPerHour> per_link; // one network port of this kind, with its share of the switch
  std::string name;                               // as --prices takes it
  std::string source;
};

/// Runs single points of a study. Reads hardware and registries once.
class PointEvaluator
{
public:
  explicit PointEvaluator(Prices prices = {});

  /// Simulates a point. Every error (in the scenario at this point, a job that does not fit, a failing back end)
  /// becomes the outcome's failure; nothing is thrown.
  PointOutcome evaluate(SweepPoint point) const;
  /// The same with inputs changed after reading: constants of hardware and transports, the network's speed. A
  /// calibration's constants are in place when @p change is called.
  PointOutcome evaluate(SweepPoint point, const std::function<void(CheckedPoint&, Catalogue&)>& change) const;
  /// Reads and checks a point. Throws InputError with its faults.
  CheckedPoint checked(const SweepPoint& point) const;

  /// Faults that reading and checking alone finds.
  Diagnostics faults(const SweepPoint& point) const;
  /// The machines only, without running: nodes, gpus, price.
  PointOutcome machines(const SweepPoint& point) const;

  /// From now on without the figures that cost most: why jobs of a queue waited (fragmented_wait).
  void leave_out_waits() { waits_ = false; }

  const Catalogue& catalogue() const { return catalogue_; }
  const Parts& parts() const { return parts_; }

  /// The machines of a scenario: nodes, GPUs, and their price where all of them have one.
  Measured cluster_of(const Scenario& scenario) const;
  /// Which prices are not the scenario's own, and where they come from: a line for each kind of machine; empty where
  /// there is none.
  std::string price_note(const Scenario& scenario) const;
  std::string price_note(const SweepPoint& point) const;

private:
  /// Gives the machines without a price that of the list.
  void fill_prices(ClusterSpec& cluster) const;

  Catalogue catalogue_;
  Parts parts_;
  Prices prices_;
  bool waits_ = true;
};

/// Figures of one job, as studies name them.
Measured measured_of(const JobRow& row);

/// Figures of a summary.json: one Measured per job or policy (or whatever list of objects with a name the runner
/// wrote).
std::vector<Measured> measured_of_summary(const std::string& summary);

/// Reads a price list: {source: …, gpus: {A100-SXM4-80GB: 4.1 $/h}, cpu_core: 0.05 $/h, links: {25GbE: 0.02 $/h}}.
/// Throws InputError with all faults.
Prices read_prices(const std::filesystem::path& file, const Catalogue& catalogue);
/// The lists that are included, sorted.
std::vector<std::filesystem::path> price_lists();

} // namespace trainyard
