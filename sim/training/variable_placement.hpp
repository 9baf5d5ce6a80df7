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
  Bytes bytes;
};

/// Decides which parameter server keeps which variable.
class VariablePlacement
{
public:
  virtual ~VariablePlacement() = default;
  /// Parts in the order of the variables; their bytes add up to those of the variables. @p servers >= 1.
  virtual std::vector<VariablePart> place(std::span<const Bytes> variables, int servers) const = 0;
};

/// Bytes of the fullest server.
Bytes hottest_server(std::span<const VariablePart> parts, int servers);

} // namespace trainyard
