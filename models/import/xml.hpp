// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <tinyxml2.h>

namespace trainyard {

/// The text of an attribute; empty where @p element has none of that name.
inline std::string attribute(const tinyxml2::XMLElement& element, const char* name)
{
  const char* text = element.Attribute(name);
  return text == nullptr ? std::string{} : std::string{text};
}

} // namespace trainyard
