// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <optional>

namespace trainyard {

/// `checkpoints:` of a scenario: how training jobs save, and go on after failures.
struct CheckpointsSection {
  std::optional<Seconds> interval; // of training between two; absent: the best of those that are tried
  std::optional<Seconds> save;     // to write one; absent: its size over the rates below
  BytesPerSecond storage;          // that all machines share, in either direction; 0: the NICs decide
  bool in_background = false;      // training stands still only while states are copied to the hosts
  BytesPerSecond copy{20e9};       // to the host, of one GPU
  Seconds restart{300};            // from a failure until processes run again, without loading
  bool restart_given = false;      // else the default above counts
  bool elastic_given = false;      // with training.parallel only
  bool elastic = false;            // goes on with fewer replicas while machines are missing
  int min_dp = 1;                  // with it: fewest replicas
  Seconds time{30.0 * 86400};      // that is looked at
};

} // namespace trainyard
