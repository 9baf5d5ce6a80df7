// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/jitter.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainyard {

double jitter_factor(const JitterSpec& jitter, const Random& random, int worker, int step)
{
  const double variation = jitter.coefficient_of_variation;
  if (!is_random(jitter))
    return 1;
  RandomStream stream = random.stream("jitter/" + std::to_string(worker) + "/" + std::to_string(step));
  if (jitter.distribution == "normal")
    return std::max(0.01, stream.normal(1, variation));
  if (jitter.distribution == "log_normal") {
    const double sigma = std::sqrt(std::log1p(variation * variation));
    return stream.log_normal(std::exp(-0.5 * sigma * sigma), sigma);
  }
  if (jitter.distribution == "gamma")
    return stream.gamma(1 / (variation * variation), variation * variation);
  if (jitter.distribution == "exponential_tail") {
    const double tail = std::min(variation, 1.0);
    return 1 - tail + stream.exponential(tail);
  }
  throw std::invalid_argument{"unknown jitter distribution '" + jitter.distribution +
                              "'; it is one of none, normal, log_normal, gamma, exponential_tail"};
}

} // namespace trainyard
