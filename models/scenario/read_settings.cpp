// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_settings.hpp"

#include "models/core/closest.hpp"

#include <fmt/format.h>

namespace trainyard {

Settings read_settings(MapReader& reader, const std::vector<Parameter>& parameters)
{
  Settings settings;
  for (const Parameter& parameter : parameters) {
    const std::string& name = parameter.name;
    if (!reader.has(name))
      continue;
    const double least = std::max(parameter.minimum, -1e300), most = parameter.maximum;
    double value = 0;
    if (parameter.kind == "name") {
      settings.set(name, parameter.choices.empty() ? reader.text(name, "")
                                                   : reader.choice(name, parameter.choices.front(), parameter.choices));
      continue;
    }
    if (parameter.kind == "boolean")
      value = reader.flag(name, false) ? 1 : 0;
    else if (parameter.kind == "integer")
      value = reader.integer(name, 0, static_cast<int>(std::max(least, -2e9)), static_cast<int>(std::min(most, 2e9)));
    else if (parameter.kind == "number")
      value = reader.number(name, 0, least, most);
    else {
      value = reader.quantity(name,
                              parameter.kind == "duration" ? QuantityKind::duration
                              : parameter.kind == "bytes"  ? QuantityKind::bytes
                                                           : QuantityKind::bandwidth,
                              0, std::max(0.0, least));
      if (value > most)
        reader.error(name, fmt::format("'{}' must be at most {:g} in base units", name, most));
    }
    settings.set(name, value);
  }
  return settings;
}

NamedPart read_named_part(const Document& document, const DocumentNode& node, const std::string& kind,
                          const std::string& what, const Parts& parts, Diagnostics& diagnostics)
{
  NamedPart named;
  std::vector<std::string> known;
  const std::vector<Part>* list = nullptr;
  if (const auto found = parts.find(kind); found != parts.end()) {
    list = &found->second;
    for (const Part& part : *list)
      known.push_back(part.name);
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
                   fmt::format("unknown {} '{}'{}; known are {}", what, named.name, did_you_mean(named.name, known),
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
