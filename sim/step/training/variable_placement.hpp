// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// A variable, or a part of one, and the parameter server that keeps it.
struct VariablePart {
  int variable = 0;
  int server = 0;
  Bytes bytes;          // that travel, each way; of a table those of the rows that a group of workers touches
  double rows = 0;      // as many they are; 0: it is no table
  Bytes of_each{bytes}; // of these, what one worker of the group touches

  /// Values of the gradient and the numbers of its rows.
  Bytes pushed() const;
};

/// Decides which parameter server keeps which variable.
class VariablePlacement
{
public:
  virtual ~VariablePlacement() = default;
  /// Parts in the order of the variables; their bytes add up to those of the variables. @p servers >= 1.
  virtual std::vector<VariablePart> place(std::span<const Bytes> variables, int servers) const = 0;
  /// Whether variables that no gradient changes (moving averages of batch norm) are placed like the others, as
  /// TensorFlow does, whose device setters see every variable.
  virtual bool places_untrained() const { return false; }
};

/// Joins neighbouring parts of each server until at most @p per_server (>= 1) of about equal bytes are left, in the
/// order of their first variables. A joined part counts as its first variable: it is needed by the earliest of its
/// layers and produced by it, the last in the backward pass, so joining never lets one exchange begin earlier.
std::vector<VariablePart> joined_parts(std::span<const VariablePart> parts, int servers, int per_server);

} // namespace trainyard
