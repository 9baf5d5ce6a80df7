// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/study/measures.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

struct CheckedPoint;
struct JobRow;

/// What a cluster costs beside its machines.
inline constexpr std::array<const char*, 5> priced_parts{"network", "storage", "power", "housing", "staff"};

/// What a study counts with where the scenario's machines have no price of their own.
struct Prices {
  std::map<std::string, DollarsPerHour> per_gpu;  // a machine's share for one GPU of this type
  DollarsPerHour per_cpu_core;                    // machines without GPUs
  std::map<std::string, DollarsPerHour> per_link; // one network port of this kind, with its share of the switch
  DollarsPerHour per_kilowatt;                    // electricity; 0: not in the list
  std::vector<std::string> includes;              // of `priced_parts`, what the prices of machines have in them
  std::string name;                               // as --prices takes it
  std::string date;                               // when they held: "2023"
  std::string source;

  /// Which of `priced_parts` nobody pays for.
  std::vector<std::string> missing() const;
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

  /// From now on also with the figures of teams and of jobs of each size.
  void take_groups() { groups_ = true; }

  const Catalogue& catalogue() const { return catalogue_; }
  const Parts& parts() const { return parts_; }

  /// The machines of a scenario: nodes, GPUs, and their price where all of them have one.
  Measured cluster_of(const Scenario& scenario) const;
  /// What each kind of machine costs and who says so, then the list, its date and what is not in it.
  std::string price_note(const Scenario& scenario) const;
  std::string price_note(const SweepPoint& point) const;

  /// Links that the price list has no network cards of, where it has those of others: "IB-HDR, 25GbE".
  std::string unpriced(std::span<const SweepPoint> points) const;

  /// Machines without a price get that of the list.
  ClusterSpec priced(ClusterSpec cluster) const;

private:
  Catalogue catalogue_;
  Parts parts_;
  Prices prices_;
  bool waits_ = true;
  bool groups_ = false;
};

/// Adds the lines of @p more that @p notes does not have.
void add_notes(std::string& notes, const std::string& more);

/// Figures of one job, as studies name them.
Measured measured_of(const JobRow& row);

/// Figures of a summary.json: one Measured per row of its list of jobs; where it has none, per policy (or whatever list
/// of objects with a name the runner wrote).
std::vector<Measured> measured_of_summary(const nlohmann::ordered_json& summary);

/// Reads a price list (price_list_format). Throws InputError with all faults.
Prices read_prices(const std::filesystem::path& file, const Catalogue& catalogue);
/// The keys of a price list with an example each, as YAML.
extern const char* const price_list_format;
/// The lists that are included, sorted.
std::vector<std::filesystem::path> price_lists();

/// The failure of a point that an interrupt has cut off.
inline constexpr const char* interrupted_point = "interrupted before it ended";

/// Runs @p evaluate for 0…count-1 in @p workers forked children and gives the outcomes in order; a point whose process
/// dies has a failure that says so. @p progress is called with the number done, about ten times a second, and may throw
/// to stop. @p keep: after Interrupted the points that have ended are given (interrupt::keep), the others fail with it.
std::vector<PointOutcome> evaluate_batch(std::size_t count, const std::function<PointOutcome(std::size_t)>& evaluate,
                                         int workers, const std::function<void(std::size_t done)>& progress = {},
                                         bool keep = false);

} // namespace trainyard
