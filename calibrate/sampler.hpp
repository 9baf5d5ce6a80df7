// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace trainyard::calibrate {

/// All timings of one case in one round, and reasons to doubt them.
struct Samples {
  std::vector<double> seconds;
  std::string state; // empty, "not converged", "throttled", "disturbed"
  int discarded = 0; // disturbed ones that were left out
};

/// When to stop.
struct SamplingRule {
  double least_seconds = 0.1;
  double most_seconds = 0.6;
  int least = 5;
  int most = 30;
  double noise = 0.02; // half width of the median's 95 % interval, relative
  /// Work of this thread alone: a sample during which the thread had less than 90 % of the time is disturbed, and left
  /// out.
  bool on_this_cpu = false;
  /// Work of all threads of this process on so many processors: the same, counted by the processor time of the process.
  int on_all_cpus = 0;
  /// Look for a chip that slows down; off where a link's buffers fill, which looks the same.
  bool may_throttle = true;
};

/// The rule of a full or a quick calibration.
SamplingRule sampling_rule(bool quick);

/// Calls @p once, which returns the seconds of one sample, until both a minimum time and the noise are reached or time
/// is up.
///
/// The first call warms up and is not kept. "not converged": time was up before the noise was reached. "throttled": the
/// last third of the samples is 10 % slower than the first, as on a chip that gets hot. "disturbed": more than half of
/// the samples were.
Samples sample(const SamplingRule& rule, const std::function<double()>& once);

/// Half width of the 95 % interval of the median, relative: 1.57 IQR / sqrt(n) / median (McGill, Tukey, Larsen 1978).
double relative_noise(const std::vector<double>& seconds);

/// Seconds of a steady clock, and of the CPU that this thread, or this process, has used.
double wall_seconds();
double thread_cpu_seconds();
double process_cpu_seconds();

} // namespace trainyard::calibrate
