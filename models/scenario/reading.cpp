// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

std::vector<std::string> transport_names(const Scenario& scenario)
{
  std::vector<std::string> names;
  for (const auto& [name, transport] : scenario.transports)
    names.push_back(name);
  return names;
}

void read_parameter(const Reading& reading, MapReader& reader, const Parameter& parameter, Settings& settings)
{
  const std::string& key = parameter.name;
  const auto in_range = [&](double value) {
    if (value >= parameter.minimum && value <= parameter.maximum)
      return true;
    reader.error(key, fmt::format("'{}' is out of its range {} to {}", key, parameter.minimum, parameter.maximum));
    return false;
  };
  const std::map<std::string, QuantityKind> quantities{
      {"duration", QuantityKind::duration}, {"bytes", QuantityKind::bytes}, {"bandwidth", QuantityKind::bandwidth}};
  if (const auto kind = quantities.find(parameter.kind); kind != quantities.end()) {
    if (const double value = reader.quantity(key, kind->second, 0); in_range(value))
      settings.set(key, value);
  } else if (parameter.kind == "integer") {
    const double low = std::max(parameter.minimum, -1e9), high = std::min(parameter.maximum, 1e9);
    settings.set(key, static_cast<double>(reader.integer(key, static_cast<int>(std::max(low, 0.0)),
                                                         static_cast<int>(low), static_cast<int>(high))));
  } else if (parameter.kind == "boolean") {
    settings.set(key, reader.flag(key, false) ? 1.0 : 0.0);
  } else if (parameter.kind == "name") {
    std::vector<std::string> choices = parameter.choices;
    if (reading.parts.contains(key))
      choices = schema::names(reading.parts, key);
    if (key == "transport" || key.ends_with("_transport"))
      choices = transport_names(reading.scenario);
    settings.set(key, choices.empty() ? reader.text(key, "") : reader.choice(key, choices.front(), choices));
  } else {
    settings.set(key, reader.number(key, 0, parameter.minimum, parameter.maximum));
  }
}

} // namespace

void Reading::filled(const std::string& path, const std::string& value, const std::string& source)
{
  scenario.defaults.push_back({path, value, source.empty() ? "reader" : source});
}

void Reading::warn(const DocumentNode& node, std::string message)
{
  diagnostics.warning(document.at(node), std::move(message), document.line_text(node.line));
}

Settings Reading::settings(MapReader& reader, const DocumentNode* node, const std::vector<Parameter>& parameters,
                           const std::vector<Parameter>& other, const std::string& owner, const std::string& path)
{
  Settings settings;
  std::set<std::string> own;
  for (const Parameter& parameter : parameters) {
    own.insert(parameter.name);
    if (reader.has(parameter.name))
      read_parameter(*this, reader, parameter, settings);
    else if (!parameter.default_value.empty())
      filled(path + "." + parameter.name, parameter.default_value, parameter.source.empty() ? owner : parameter.source);
  }
  for (const Parameter& parameter : other) {
    if (own.contains(parameter.name) || node == nullptr || node->kind != DocumentNode::Kind::map)
      continue;
    for (const DocumentNode::Entry& entry : node->entries)
      if (entry.key == parameter.name) {
        reader.has(entry.key);
        document.warning(diagnostics, entry, fmt::format("'{}' has no effect with {}", entry.key, owner));
      }
  }
  return settings;
}

const Part* find_part(const Parts& parts, const std::string& kind, const std::string& name)
{
  if (const auto found = parts.find(kind); found != parts.end())
    for (const Part& part : found->second)
      if (part.name == name)
        return &part;
  return nullptr;
}

} // namespace trainyard
