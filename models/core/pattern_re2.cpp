// SPDX-License-Identifier: Apache-2.0
// In the part "pattern": only this file knows RE2.
#include "models/core/pattern.hpp"

#include <re2/re2.h>

void trainyard_make_pattern(const std::string& text, std::shared_ptr<const void>& expression, std::string& fault)
{
  re2::RE2::Options options;
  options.set_log_errors(false);
  const auto made = std::make_shared<const re2::RE2>(text, options);
  if (made->ok())
    expression = made;
  else
    fault = made->error();
}

bool trainyard_pattern_in(const void* expression, std::string_view text)
{
  return re2::RE2::PartialMatch(re2::StringPiece{text.data(), text.size()}, *static_cast<const re2::RE2*>(expression));
}
