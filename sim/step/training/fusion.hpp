// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <functional>
#include <span>
#include <vector>

namespace trainyard {

/// The gradient of one parameter tensor. Times count from the start of the backward pass.
struct Gradient {
  int layer = 0;
  Bytes bytes;
  Seconds ready;
};

/// Gradients that travel as one message.
struct Bucket {
  Bytes bytes;
  std::size_t last = 0; // index of the gradient that completes it
  Seconds not_before;   // the framework does not look earlier (cycle time), from the start of the backward pass
};

/// Time of one collective of that size, alone.
using CollectiveEstimate = std::function<Seconds(Bytes)>;

/// How a framework fuses gradients into buckets: decided per step from the order in which gradients become ready.
///
/// Buckets come out in the order in which they are sent; every byte of every gradient is in exactly one of them.
class Fusion
{
public:
  virtual ~Fusion() = default;
  virtual std::vector<Bucket> buckets(std::span<const Gradient> gradients,
                                      const CollectiveEstimate& estimate) const = 0;
  /// The framework's own thread starts a collective only when the one before is over, whatever the library could do.
  virtual bool one_at_a_time() const { return false; }
  /// All-gathers of rows of tables share messages as gradients do; otherwise each table has its own.
  virtual bool fuses_gathers() const { return false; }
};

} // namespace trainyard
