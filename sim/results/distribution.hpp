// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard {

/// How values are spread; percentiles by nearest rank.
struct Distribution {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double largest = 0;
};

} // namespace trainyard
