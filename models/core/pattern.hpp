// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// A regular expression that somebody wrote into a file: RE2, as in Kubernetes. The time of a search grows with the
/// text, whatever the expression is. The library is a part (models/core/loaded_part.hpp), since few files have one.
class Pattern
{
public:
  /// Throws std::invalid_argument with what is wrong about @p text.
  explicit Pattern(const std::string& text);

  /// Whether a part of @p text fits.
  bool in(std::string_view text) const;

private:
  std::shared_ptr<const void> expression_;
};

} // namespace trainyard

/// In the part "pattern": makes an expression, or sets @p fault; and whether it fits a part of @p text.
extern "C" void trainyard_make_pattern(const std::string& text, std::shared_ptr<const void>& expression,
                                       std::string& fault);
extern "C" bool trainyard_pattern_in(const void* expression, std::string_view text);
