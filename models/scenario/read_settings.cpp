// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_settings.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/schema_parts.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace trainyard {

void read_setting(MapReader& reader, const Parameter& parameter, const std::vector<std::string>& choices,
                  Settings& settings)
{
  const std::string& key = parameter.name;
  const double least = std::max(parameter.minimum, -1e9), most = std::min(parameter.maximum, 1e9);
  if (parameter.kind == "name")
    settings.set(key, choices.empty() ? reader.text(key, "") : reader.choice(key, choices.front(), choices));
  else if (parameter.kind == "boolean")
    settings.set(key, reader.flag(key, false) ? 1.0 : 0.0);
  else if (parameter.kind == "integer")
    settings.set(key, static_cast<double>(reader.integer(key, static_cast<int>(std::max(least, 0.0)),
                                                         static_cast<int>(least), static_cast<int>(most))));
  else if (parameter.kind == "number")
    settings.set(key, reader.number(key, 0, parameter.minimum, parameter.maximum));
  else {
    const QuantityKind kind = schema::kind_called(parameter.kind);
    const double value = reader.quantity(key, kind, std::max(0.0, parameter.minimum), std::max(0.0, parameter.minimum));
    if (value > parameter.maximum)
      reader.error(key, fmt::format("'{}' is {}; it must be at most {}", key, to_text(value, kind),
                                    to_text(parameter.maximum, kind)));
    settings.set(key, value);
  }
}

void set_from_text(const Parameter& parameter, const std::string& text, Settings& settings)
{
  if (parameter.kind == "name") {
    settings.set(parameter.name, text);
  } else if (parameter.kind == "boolean") {
    settings.set(parameter.name, text == "true" ? 1.0 : 0.0);
  } else {
    const bool bare = parameter.kind == "integer" || parameter.kind == "number";
    const QuantityText value = parse_quantity(text, bare ? QuantityKind::ratio : schema::kind_called(parameter.kind));
    if (!value)
      throw std::invalid_argument{
          fmt::format("catalogue of frameworks: {}: {}: {}", parameter.name, text, value.error)};
    settings.set(parameter.name, value.value);
  }
}

Settings read_settings(MapReader& reader, const std::vector<Parameter>& parameters)
{
  Settings settings;
  for (const Parameter& parameter : parameters)
    if (reader.has(parameter.name))
      read_setting(reader, parameter, parameter.choices, settings);
  return settings;
}

NamedPart read_named_part(const Document& document, const DocumentNode& node, const std::string& kind,
                          const std::string& what, const Parts& parts, Diagnostics& diagnostics)
{
  NamedPart named;
  std::vector<std::string> known;
  std::map<std::string, std::string> described;
  const std::vector<Part>* list = nullptr;
  if (const auto found = parts.find(kind); found != parts.end()) {
    list = &found->second;
    for (const Part& part : *list) {
      known.push_back(part.name);
      described.emplace(part.name, part.description);
    }
  }
  const DocumentNode* name = node.kind == DocumentNode::Kind::map ? node.find("name") : &node;
  if (name == nullptr || name->kind != DocumentNode::Kind::scalar) {
    document.error(diagnostics, node, fmt::format("a {} is a name or a map with 'name'", what));
    return named;
  }
  named.name = named.label = name->text;
  const Part* part = nullptr;
  if (list != nullptr)
    for (const Part& one : *list)
      if (one.name == named.name)
        part = &one;
  if (part == nullptr) {
    document.error(diagnostics, *name,
                   fmt::format("unknown {} '{}'{}; known are {}", what, named.name, did_you_mean(named.name, described),
                               fmt::join(known, ", ")));
    return named;
  }
  if (node.kind != DocumentNode::Kind::map)
    return named;
  MapReader reader{document, &node, fmt::format("{} '{}'", what, named.name), diagnostics};
  reader.has("name");
  if (reader.has("label"))
    named.label = reader.text("label", named.name);
  else {
    std::string settings;
    for (const DocumentNode::Entry& entry : node.entries)
      if (entry.key != "name")
        settings += (settings.empty() ? "" : ", ") + entry.key + "=" + to_flow_yaml(entry.value);
    if (!settings.empty())
      named.label += "(" + settings + ")";
  }
  named.settings = read_settings(reader, part->parameters);
  reader.finish();
  return named;
}

} // namespace trainyard
