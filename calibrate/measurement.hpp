// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/layer_products.hpp"
#include "calibrate/sampler.hpp"
#include "models/core/registry.hpp"
#include "models/cost/profile.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::calibrate {

/// What the user asked for.
struct Options {
  bool quick = false;
  std::filesystem::path folder = "."; // of the disk measurement
  std::string host;                   // of `simcal net`; empty = a server of our own on this machine
  int port = 0;
  std::string token;                                    // that `simcal serve` on the host printed
  double line_rate = 0;                                 // B/s of the link to the host; 0 = not known
  double most_seconds = 30;                             // any single wait
  std::string program;                                  // path of this simcal, to start helpers
  int rank = 0;                                         // of the GPU collectives across processes
  int ranks = 0;                                        // 0 = one process drives all GPUs
  std::string rendezvous;                               // file that all ranks can read
  std::vector<ProductShape> products = products_of({}); // of gpu_products
};

/// One size of one curve: the smallest piece of work that can be resumed.
struct Case {
  std::string curve; // "tcp.one_way"
  double size = 0;
  std::string unit = "B"; // of the size
};

/// Samples of one curve: size -> rounds.
struct MeasuredCurve {
  std::string unit = "B";
  std::map<double, std::vector<Samples>> points;

  /// As input of the fit; without the sizes that have no samples.
  std::vector<SampledPoint> sampled() const;
  /// The first doubt about the samples of all points; empty if there is none.
  std::string state() const;
  int count() const;
};

using MeasuredCurves = std::map<std::string, MeasuredCurve>;

/// Something that can be measured. One per file, which registers itself.
class Measurement
{
public:
  virtual ~Measurement() = default;

  /// Why it cannot be done on this machine, in one line; empty = it can.
  virtual std::string missing(const Options&) const { return {}; }
  virtual std::vector<Case> cases(const Options& options) const = 0;
  /// Throws std::runtime_error with the system's or the library's own words; other cases go on.
  virtual Samples measure(const Case& which, const Options& options) = 0;
  /// After the last case of a round, so that servers and connections do not outlive it.
  virtual void close() {}
  /// Turns the curves with its name into constants.
  virtual void conclude(const MeasuredCurves& curves, const Options& options, Profile& profile) const = 0;
  /// Facts about what was measured: "driver" -> "580.65".
  virtual std::vector<std::pair<std::string, std::string>> machine() const { return {}; }
};

/// Adds a constant that a curve's fit gave, with the curve's doubts.
void add_constant(Profile& profile, std::string name, std::string unit, Bounded value, const MeasuredCurve& from,
                  std::string note);

/// 1 / bounded, ends swapped.
Bounded inverse(Bounded bounded);
Bounded scaled(Bounded bounded, double factor);

/// Fit of one curve of the map; empty pieces where it was not measured.
PiecewiseFit fit_of(const MeasuredCurves& curves, const std::string& name, int most_pieces = 3);

/// What the largest measured size of a curve reaches, in size units per second.
Bounded rate_at_largest(const MeasuredCurve& curve);

/// sizes from, from x factor, … up to and including to
std::vector<double> geometric(double from, double to, double factor);

/// The name in the catalogue of what the GPU's driver calls @p name.
std::string catalogue_name(std::string name);

/// For tests of availability.
std::string to_string(double value, int digits = 4);

} // namespace trainyard::calibrate
