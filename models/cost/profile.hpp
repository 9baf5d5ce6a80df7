// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/cost/fit.hpp"
#include "models/hardware/hardware.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// One number that a calibration found, in base units (s, B/s, flop/s, s/B, 1).
///
/// Names say what they are of: "transport.tcp.latency", "gpu.A100-SXM4-40GB.rate.fp16", "cpu.memory_bandwidth",
/// "disk.read_bandwidth".
struct CalibratedConstant {
  std::string name;
  std::string unit;
  Bounded value; // 95 % interval
  Provenance provenance = Provenance::measured;
  std::string state; // empty = good; else "not converged", "throttled", "disturbed"
  std::string note;  // how it was measured: "ping-pong over 10.77.0.2"
  int samples = 0;
};

struct CurvePoint {
  double size = 0;
  double median = 0; // seconds
  double first_quartile = 0;
  double third_quartile = 0;
  int samples = 0;
  std::string state; // as above
};

/// Times measured over a range of sizes, with the fit and, if known, the upper limit that no implementation can exceed.
struct CalibratedCurve {
  std::string name;      // "tcp.one_way", "gpu_gemm.fp16"
  std::string size_unit; // "B", "flop"
  std::vector<CurvePoint> points;
  PiecewiseFit fit;
  std::optional<double> roof; // size units per second
  std::string roof_source;    // "data sheet", "line rate"
};

struct MissingPart {
  std::string measurement;
  std::string why;
};

/// A measured step that constants were fitted to (simrun calibrate).
struct FittedRow {
  std::string scenario;                                // what_decides() of it
  std::string job;                                     // whose step it is; empty: of the only one
  std::string network;                                 // network_of() its cluster
  double off = 1;                                      // measured over predicted with the constants
  std::vector<std::pair<std::string, double>> decides; // constants by name, and how much of the step goes with them
};

/// What one calibration found on one machine: the content of a calibration file. Raw samples are in <name>.samples.csv
/// in the same folder.
struct Profile {
  std::string name;
  std::string created; // "2026-11-21T05:00:00Z"
  std::string command;
  std::string program; // "simcal 0.1.0"
  bool complete = true;
  bool quick = false;
  Provenance provenance = Provenance::measured;
  std::vector<std::pair<std::string, std::string>> machine; // "cpu", "kernel", "gpu 0", "driver"…
  std::vector<std::string> warnings;
  std::vector<MissingPart> missing;
  std::vector<CalibratedConstant> constants;
  std::vector<CalibratedCurve> curves;
  std::vector<FittedRow> rows;

  const CalibratedConstant* find(std::string_view constant) const;
};

/// The version of the file format that this program writes; it reads all up to it.
constexpr int profile_version = 1;
/// A profile older than this is called stale: drivers, kernels and neighbours change.
constexpr int days_until_stale = 180;

/// Reads a calibration file. Throws InputError with place and way out: not JSON, no calibration, a newer version, a
/// number that is missing or impossible; std::runtime_error with the system's words where it cannot be read.
Profile read_profile(const std::filesystem::path& file);
Profile parse_profile(std::string_view text, const std::string& file);

std::string profile_text(const Profile& profile);
/// Writes to another file and renames it, so that a full disk never leaves half a file. Throws std::runtime_error with
/// the system's words.
void write_profile(const Profile& profile, const std::filesystem::path& file);

/// Names of the GPUs that a profile has measured.
std::vector<std::string> measured_gpus(const Profile& profile);

/// All reasons to doubt the profile at @p now ("2026-…Z"): stale, incomplete, quick, constants that did not converge or
/// throttled.
Messages doubts(const Profile& profile, const std::string& now);

/// This moment as the files write it (UTC).
std::string utc_now();
/// Days from one such time to another; nullopt where one cannot be read.
std::optional<double> days_between(const std::string& from, const std::string& to);

} // namespace trainyard
