// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/sampler.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

namespace trainyard::testbed {

/// Computing is a sleep; short sleeps are joined until they are worth one, so that their inaccuracy does not add up.
class Computing
{
public:
  explicit Computing(double factor) : factor_{factor} {}

  /// Begins now, where computing had to wait for something.
  void begin() { until_ = std::max(until_, calibrate::wall_seconds()); }
  void add(double seconds) { until_ += seconds * factor_; }
  /// Returns when everything added is over.
  void finish() const
  {
    const double left = until_ - calibrate::wall_seconds();
    if (left > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }

private:
  double factor_;
  double until_ = 0;
};

/// Workers without a barrier, and jobs beside each other, begin at random places of their steps, as those of a long run
/// are found: they all start together only once in their life. The places come from outside, because several runs must
/// have different ones.
inline void start_late(double seconds)
{
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// "step 3 12.345678": the third step of this worker ended then (a clock that all processes of the machine share).
inline void print_step(int step)
{
  std::printf("step %d %.6f\n", step, calibrate::wall_seconds());
  std::fflush(stdout);
}

} // namespace trainyard::testbed
