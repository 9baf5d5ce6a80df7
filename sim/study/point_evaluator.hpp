#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/study/measures.hpp"

#include <map>
#include <string>

namespace trainyard {

struct CheckedPoint;

/// $/h that a study counts with where the scenario's machines have no price of their own.
struct Prices {
  std::map<std::string, double> per_gpu; // $/h of a machine's share for one GPU of this type
  double per_cpu_core = 0;               // $/h; machines without GPUs
  std::string source;
};

/// Runs single points of a study. Reads hardware and registries once.
class PointEvaluator
{
public:
  explicit PointEvaluator(Prices prices = {});

  /// Simulates a point. Whatever goes wrong (a fault of the scenario at this point, no place for a job, a failing back end) becomes the
  /// outcome's failure; nothing is thrown.
  PointOutcome evaluate(SweepPoint point) const;

  /// Faults that reading and checking alone finds.
  Diagnostics faults(const SweepPoint& point) const;
  /// The machines only, without running: nodes, gpus, price.
  PointOutcome machines(const SweepPoint& point) const;

  const Catalogue& catalogue() const { return catalogue_; }
  const Parts& parts() const { return parts_; }

private:
  Measured cluster_of(const Scenario& scenario) const;

  Catalogue catalogue_;
  Parts parts_;
  Prices prices_;
};

/// Figures of a summary.json: one Measured per job or policy (or whatever list of objects with a name the runner wrote).
std::vector<Measured> measured_of_summary(const std::string& summary);

/// Reads a price list: {source: …, gpus: {A100-SXM4-80GB: 4.1 $/h}, cpu_core: 0.05 $/h}. Throws InputError with all faults.
Prices read_prices(const std::filesystem::path& file, const Catalogue& catalogue);

} // namespace trainyard
