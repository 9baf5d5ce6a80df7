// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// A map of the scenario that is written, from what is known: an empty value, or one that is as without it, is left
/// out. Numbers have ten digits.
class Flow
{
public:
  /// @p value as it is.
  Flow& add(const std::string& key, const std::string& value);
  /// As a YAML scalar, in quotes where it needs them.
  Flow& text(const std::string& key, const std::string& value);
  Flow& number(const std::string& key, double value, double unless = 0);
  Flow& flag(const std::string& key, bool value, bool unless = false);
  Flow& time(const std::string& key, Seconds value, bool given = true);
  /// A list of scalars.
  Flow& names(const std::string& key, const std::vector<std::string>& values);
  /// Settings in flow style, without braces.
  Flow& raw(const std::string& settings);

  bool empty() const { return parts_.empty(); }
  /// "{a: 1, b: 2}"
  std::string str() const;
  /// A line for each, with @p indent before it.
  std::string lines(const std::string& indent) const;

private:
  std::vector<std::string> parts_;
};

/// Names as a list in flow style.
std::string names_flow(const std::vector<std::string>& names);

} // namespace trainyard
