// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace trainyard {

/// What is said of a design, worst first: it sorts designs.
enum class Ruling {
  cannot_run, // it fails, or jobs never run, are cut off or left out: its figures are those of a part of the work
  misses,     // a goal
  too_close,  // the interval of a goal holds the limit
  meets,      // all goals
  runs        // no goal was asked for
};
const char* to_text(Ruling ruling);

/// What machines must have for work that they cannot hold; 0: as they are.
struct Remedy {
  int gpus = 0; // of a machine
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  int machines = 0; // more of them

  /// As much as both need.
  void cover(const Remedy& other);
  /// "machines with 480 GiB of memory", "3 more machines"; empty: none is known.
  std::string text() const;
};

/// The one verdict on a design or a run, which all commands share.
struct Verdict {
  Ruling ruling = Ruling::runs;
  std::int64_t over = 0;             // jobs that its figures are of; 0: they are not of jobs of a queue
  std::int64_t left_out = 0;         // jobs of which they say nothing, or not all
  std::optional<double> margin = {}; // the smallest of its goals, as a share of the limit; negative: missed by so much
  std::string why = {};    // "662 of 1,984 jobs, for example 781: 4 GPUs and 480 GiB of memory a machine, …"
  std::string change = {}; // the smallest change that helps, where one is known

  /// Whether it may meet a goal and win a comparison.
  bool answers() const { return ruling != Ruling::cannot_run; }
  /// "cannot run: 662 of 1,984 jobs, …; it helps: machines with 480 GiB of memory"
  std::string text() const;
};

/// "4 GPUs, 32 CPU cores and 480 GiB of memory", without what is 0; memory is rounded up, or down with @p down.
std::string needs_text(int gpus, std::int64_t cpu_milli, std::int64_t memory_mib, bool down = false);

} // namespace trainyard
