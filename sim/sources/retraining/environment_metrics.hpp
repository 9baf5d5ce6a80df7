// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/retraining/environment.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// Times of which some had not ended when the run did.
struct CensoredTimes {
  std::vector<double> ended_s;
  std::vector<double> open_s; // so far

  /// Quantile by Kaplan and Meier (1958): open times count as long as they lasted. Infinity: not reached by so many.
  double quantile(double share) const;
  /// Mean with open times at what they have lasted: a lower bound.
  double mean_at_least() const;
};

/// What is measured over one run, or over several of the same scenario with other seeds.
struct EnvironmentMetrics {
  int needs = 0;
  int completions = 0;            // models deployed
  int starved = 0;                // models that were needed at least twice and never deployed
  std::array<int, 9> ends{};      // by RequestEnd
  CensoredTimes need_to_deployed; // by need: until a model on data at least so new serves
  CensoredTimes need_to_trained;  // by need: until such a model is trained and saved
  double stale_share = 0;         // of time, mean over models
  double data_age_periods = 0; // time mean of the age of the serving models\' data over stale_after, mean over models
  double gpu_hours = 0;
  double wasted_gpu_hours = 0;
  double redone_gpu_hours = 0;
  double utilisation = 0;
  double makespan_s = 0;             // first need to the end of the last training
  std::array<double, 9> segment_s{}; // mean over deployed requests
  std::int64_t messages = 0;
  std::int64_t lost_messages = 0;
};

EnvironmentMetrics environment_metrics(std::span<const EnvironmentResult> runs);

/// From when to when a model serves with data older than it should: in order, without overlaps, within the run.
std::vector<std::pair<Instant, Instant>> stale_times(const EnvironmentResult& result, int model);

/// Mean of paired differences and half of its 95 % interval (Student's t); 0 and infinity for fewer than two pairs.
struct PairedDifference {
  double mean = 0;
  double half_width = 0;
};
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b);

} // namespace trainyard
