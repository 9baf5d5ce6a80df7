#include "models/scenario/schema_parts.hpp"

#include <fmt/format.h>

#include <utility>

namespace trainyard::schema {

Json described(Json schema, const std::string& meaning)
{
  schema["description"] = meaning;
  return schema;
}

Json text(const std::string& meaning)
{
  return {{"type", "string"}, {"description", meaning}};
}

Json name_of(const std::vector<std::string>& names, const std::string& meaning)
{
  return {{"type", "string"}, {"enum", names}, {"description", meaning}};
}

Json whole(const std::string& meaning, int least)
{
  return {{"type", "integer"}, {"minimum", least}, {"description", meaning}};
}

Json number(const std::string& meaning, double least)
{
  return {{"type", "number"}, {"minimum", least}, {"description", meaning}};
}

Json quantity(const std::string& meaning, const std::string& example)
{
  return {{"type", "string"}, {"pattern", "^\\s*[-+0-9.].*[A-Za-z%$µ]"}, {"description", meaning}, {"examples", {example}}};
}

Json list_of(Json items, const std::string& meaning)
{
  return {{"type", "array"}, {"items", std::move(items)}, {"description", meaning}};
}

Json object(const std::string& meaning, Json properties, const std::vector<std::string>& required)
{
  Json schema = {{"type", "object"}, {"description", meaning}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty())
    schema["required"] = required;
  return schema;
}

std::vector<std::string> names(const Parts& parts, const std::string& kind)
{
  std::vector<std::string> list;
  if (const auto found = parts.find(kind); found != parts.end())
    for (const Part& part : found->second)
      list.push_back(part.name);
  return list;
}

namespace {

Json setting(const Parameter& parameter, const Parts& parts, const Catalogue& catalogue)
{
  std::string meaning = parameter.meaning;
  if (!parameter.default_value.empty())
    meaning += fmt::format(" (default {})", parameter.default_value);
  if (!parameter.source.empty())
    meaning += fmt::format(" [{}]", parameter.source);
  if (parameter.kind == "integer")
    return described({{"type", "integer"}}, meaning);
  if (parameter.kind == "number")
    return described({{"type", {"number", "string"}}}, meaning);
  if (parameter.kind == "boolean")
    return described({{"type", "boolean"}}, meaning);
  if (parameter.kind == "name") {
    std::vector<std::string> choices = parts.contains(parameter.name) ? names(parts, parameter.name) : parameter.choices;
    if (parameter.name == "transport")
      choices = catalogue.transport_names();
    return choices.empty() || parameter.name.ends_with("transport") ? text(meaning) : name_of(choices, meaning);
  }
  return quantity(meaning, parameter.default_value);
}

} // namespace

void add_settings(Json& properties, const Parts& parts, const std::vector<std::string>& kinds, const Catalogue& catalogue)
{
  for (const std::string& kind : kinds)
    if (const auto found = parts.find(kind); found != parts.end())
      for (const Part& part : found->second)
        for (const Parameter& parameter : part.parameters)
          if (!properties.contains(parameter.name))
            properties[parameter.name] = setting(parameter, parts, catalogue);
}

Json flag(const std::string& meaning)
{
  return {{"type", "boolean"}, {"description", meaning}};
}

Json part_of(const Parts& parts, const std::string& kind, const std::string& meaning)
{
  Json schema = name_of(names(parts, kind), meaning);
  if (const auto found = parts.find(kind); found != parts.end())
    for (const Part& part : found->second)
      schema["enumDescriptions"].push_back(part.description);
  return schema;
}

} // namespace trainyard::schema
