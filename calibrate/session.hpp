// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/measurement.hpp"
#include "models/core/output.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::calibrate {

/// One calibration: which measurements, where the results go, how long it may take.
struct Session {
  Options options;
  std::vector<std::string> measurements; // names; empty = all
  bool network_only = false;             // simcal net: only what talks to a host
  std::filesystem::path output;          // the calibration file
  std::string name;                      // default: stem of the file
  std::string command;
  double most_seconds = 600; // of the whole calibration
  bool fresh = false;        // forget what an interrupted calibration left
  bool quiet = false;
  bool force = false; // replace a file of somebody else
};

/// How a calibration file is replaced: one that simcal wrote, or with --force any.
inline Replace replacing(bool force)
{
  return {.force = force, .mark = "\"trainyard_calibration\""};
}

struct SessionResult {
  Profile profile;
  int exit_code = 0;
};

/// Measures round by round, writing each case's samples to <output stem>.samples.csv as they come; a session that finds
/// such a file of an interrupted one goes on after it. At the end, and also after Ctrl-C, fits and writes the
/// calibration file.
SessionResult calibrate(const Session& session);

/// What the samples of a session are fitted to: constants, curves and doubts. @p curves by name.
void conclude(const MeasuredCurves& curves, const Options& options, const std::vector<std::string>& measurements,
              Profile& profile);

/// One line per case and round: round,curve,size,unit,state,seconds (samples separated by spaces).
std::string sample_line(int round, const Case& which, const Samples& samples);
/// Reads such lines; a torn last line is dropped, anything else that does not fit is an InputError.
struct JournalEntry {
  int round = 0;
  Case which;
  Samples samples;
};
std::vector<JournalEntry> read_journal(const std::filesystem::path& file);

/// "cpu" -> "Intel … (2 cores)", "memory", "kernel", "system"; no host names.
std::vector<std::pair<std::string, std::string>> describe_machine();

} // namespace trainyard::calibrate
