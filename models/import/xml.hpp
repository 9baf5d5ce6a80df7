// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"

#include <fmt/format.h>
#include <string>
#include <tinyxml2.h>

namespace trainyard {

/// The text of an attribute; empty where @p element has none of that name.
inline std::string attribute(const tinyxml2::XMLElement& element, const char* name)
{
  const char* text = element.Attribute(name);
  return text == nullptr ? std::string{} : std::string{text};
}

/// Reads a file; its element @p name, or null with the reason in the report.
inline const tinyxml2::XMLElement* parse_xml(tinyxml2::XMLDocument& xml, const InputFile& file, const char* name,
                                             ImportContext& context)
{
  const std::string text = file.text();
  if (xml.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    context.report.error({file.name(), xml.ErrorLineNum()}, fmt::format("the XML cannot be read: {}", xml.ErrorStr()));
    return nullptr;
  }
  const tinyxml2::XMLElement* root = xml.FirstChildElement(name);
  if (root == nullptr)
    context.report.error({file.name(), 1}, fmt::format("the file has no element <{}>", name));
  return root;
}

} // namespace trainyard
