// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "models/job/workload.hpp"

#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// How jobs arrive. A function of its settings, the stream and the time.
class ArrivalProcess
{
public:
  virtual ~ArrivalProcess() = default;
  /// Time of the next submission after @p now; @p mean is the wanted mean distance (> 0).
  virtual Seconds next(Seconds now, Seconds mean, RandomStream& random) = 0;
};

/// What generated jobs are like.
struct GeneratorSpec {
  int jobs = 1000;
  std::string arrivals = "poisson"; // registered ArrivalProcess
  Settings arrival_settings;
  Seconds mean_interarrival{60};
  Seconds median_duration{3600};
  double duration_sigma = 1.5; // of the logarithm; 0 = all the same
  std::vector<std::pair<int, double>> gpus = {{1, 0.7}, {2, 0.1}, {4, 0.1}, {8, 0.1}}; // GPUs, share of the jobs
  int gpus_per_task = 0; // largest task: jobs up to it are one task on one machine, larger ones gangs of such tasks; 0
                         // = GPUs are split freely
  int users = 10;
  int teams = 3;
};

/// Jobs by the specification; the same seed gives the same jobs. Sizes above `gpus_per_task` are multiples of it.
Workload generate(const GeneratorSpec& spec, const Random& random);

/// New jobs with the statistics of a trace: submissions follow its weekly profile by the hour, sizes follow its mix,
/// run times are those of jobs of the same size (drawn with replacement, times a factor of up to 5 % either way).
Workload generate_like(const Workload& trace, int jobs, const Random& random);

/// Largest distance of two empirical distributions (Kolmogorov-Smirnov), 0..1. Empty samples: 1.
double ks_distance(std::vector<double> a, std::vector<double> b);

/// How close generated jobs are to a trace.
struct Likeness {
  double duration_ks = 1;
  double interarrival_ks = 1;
  double gpus_ks = 1;
};
Likeness likeness(const Workload& generated, const Workload& trace);

} // namespace trainyard
