// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard {

/// A mean and the interval that holds it at the run's confidence level; low = mean = high where nothing is random.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// How values are spread; percentiles by nearest rank.
struct Distribution {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double largest = 0;
  long values = 0; // how many there are; 0: there are no figures
};

} // namespace trainyard
