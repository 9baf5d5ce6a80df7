// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/schema_parts.hpp"

#include "models/core/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <stdexcept>
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
  Json schema = {
      {"type", {"number", "string"}}, {"x-number", true}, {"pattern", "^[-+0-9.eE]+ ?%$"}, {"description", meaning}};
  if (std::isfinite(least))
    schema["minimum"] = least;
  return schema;
}

Json quantity_of(QuantityKind kind, const std::string& meaning, const std::string& example)
{
  std::string units;
  for (const std::string& unit : unit_names(kind)) {
    units += units.empty() ? "" : "|";
    for (const char c : unit)
      units += c == '$' || c == '/' ? std::string{'\\', c} : std::string{c};
  }
  Json schema = {{"type", "string"},
                 {"x-quantity", kind_name(kind)},
                 {"pattern", fmt::format("^\\s*-?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*({})\\s*$", units)},
                 {"description", meaning}};
  if (!example.empty())
    schema["examples"] = {example};
  return schema;
}

Json up_to(double most, Json schema)
{
  if (std::floor(most) == most && most < 9e15)
    schema["maximum"] = static_cast<std::int64_t>(most);
  else
    schema["maximum"] = most;
  return schema;
}

Json list_of(Json items, const std::string& meaning)
{
  return {{"type", "array"}, {"items", std::move(items)}, {"description", meaning}};
}

Json map_of(Json values, const std::string& meaning)
{
  return {{"type", "object"}, {"description", meaning}, {"additionalProperties", std::move(values)}};
}

Json object(const std::string& meaning, Json properties, const std::vector<std::string>& required)
{
  Json schema = {{"type", "object"},
                 {"description", meaning},
                 {"additionalProperties", false},
                 {"properties", std::move(properties)}};
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

QuantityKind kind_called(const std::string& name)
{
  const std::optional<QuantityKind> kind = kind_of_name(name);
  if (!kind)
    throw std::logic_error{fmt::format("there is no kind of quantity '{}'", name)};
  return *kind;
}

namespace {

/// Ranges that a setting's own parameter gives.
void add_range(Json& schema, const Parameter& parameter, const char* least, const char* most)
{
  schema.erase(least);
  if (parameter.minimum > -1e15)
    schema[least] = parameter.minimum;
  if (parameter.maximum < 1e15 && parameter.maximum > parameter.minimum)
    schema[most] = parameter.maximum;
}

/// Parts that share the name of a setting may allow different ranges and choices: the schema allows what any of them
/// allows.
void widen(Json& property, const Json& other)
{
  for (const char* least : {"minimum", "x-minimum"})
    if (property.contains(least)) {
      if (!other.contains(least))
        property.erase(least);
      else if (other[least].get<double>() < property[least].get<double>())
        property[least] = other[least];
    }
  for (const char* most : {"maximum", "x-maximum"})
    if (property.contains(most)) {
      if (!other.contains(most))
        property.erase(most);
      else if (other[most].get<double>() > property[most].get<double>())
        property[most] = other[most];
    }
  if (property.contains("enum") && other.contains("enum")) {
    for (const Json& name : other["enum"])
      if (std::find(property["enum"].begin(), property["enum"].end(), name) == property["enum"].end())
        property["enum"].push_back(name);
  } else if (property.contains("enum")) {
    property.erase("enum");
  }
}

/// "as equal as possible": no value of a file, which has no spaces, or numbers between them.
bool only_words(const std::string& text)
{
  return text.find(' ') != std::string::npos &&
         std::ranges::all_of(text, [](unsigned char c) { return c == ' ' || std::isalpha(c) != 0; });
}

/// A default as the value that files hold; nothing where it is words: "by the topology".
Json typed(const Json& property, const std::string& text)
{
  const Json type = property.value("type", Json{});
  if (type == "boolean")
    return text == "true";
  if (type == "integer" || property.contains("x-number")) {
    const Json number = Json::parse(text, nullptr, false);
    return number.is_number() ? number : Json{};
  }
  if (property.contains("enum") && std::ranges::find(property["enum"], Json(text)) == property["enum"].end())
    return {};
  if (type == "string" && only_words(text))
    return {};
  if (property.contains("x-quantity") && !parse_quantity(text, kind_called(property["x-quantity"].get<std::string>())))
    return {};
  return text;
}

/// The default of a setting. Parts that share its name may have different ones: then none of them is the schema's, and
/// "x-defaults" has them all.
void say_defaults(Json& property)
{
  const Json defaults = property["x-defaults"];
  property.erase("x-defaults");
  std::string all;
  for (const auto& [value, owners] : defaults.items())
    all += fmt::format("{}{} with {}", all.empty() ? "" : "; ", value,
                       fmt::join(owners.get<std::vector<std::string>>(), ", "));
  if (defaults.size() > 1) {
    property["x-defaults"] = all;
    return;
  }
  const std::string only = defaults.items().begin().key();
  const Json value = typed(property, only);
  property[value.is_null() ? "x-otherwise" : "default"] = value.is_null() ? Json(only) : value;
}

Json setting(const Parameter& parameter, const Parts& parts)
{
  const std::string& meaning = parameter.meaning;
  Json schema;
  if (parameter.kind == "integer") {
    schema = whole(meaning);
    add_range(schema, parameter, "minimum", "maximum");
  } else if (parameter.kind == "number") {
    schema = number(meaning);
    add_range(schema, parameter, "minimum", "maximum");
  } else if (parameter.kind == "boolean") {
    schema = flag(meaning);
  } else if (parameter.kind == "name") {
    const std::vector<std::string> choices =
        parts.contains(parameter.name) ? names(parts, parameter.name) : parameter.choices;
    schema = choices.empty() || parameter.name.ends_with("transport") ? text(meaning) : name_of(choices, meaning);
  } else {
    const QuantityKind kind = kind_called(parameter.kind);
    schema = quantity_of(kind, meaning, parse_quantity(parameter.default_value, kind) ? parameter.default_value : "");
    if (parameter.minimum > 0)
      schema["x-minimum"] = parameter.minimum;
    if (parameter.maximum < 1e15 && parameter.maximum > parameter.minimum)
      schema["x-maximum"] = parameter.maximum;
  }
  if (!parameter.source.empty())
    schema["x-source"] = parameter.source;
  return schema;
}

} // namespace

std::string default_text(const Json& property)
{
  for (const char* key : {"x-defaults", "default", "x-otherwise"})
    if (const auto found = property.find(key); found != property.end())
      return found->is_string() ? found->get<std::string>() : found->dump();
  return {};
}

void add_settings(Json& properties, const Parts& parts, const std::vector<std::string>& kinds, const Catalogue&)
{
  for (const std::string& kind : kinds)
    if (const auto found = parts.find(kind); found != parts.end())
      for (const Part& part : found->second)
        for (const Parameter& parameter : part.parameters) {
          if (!properties.contains(parameter.name)) {
            properties[parameter.name] = setting(parameter, parts);
            properties[parameter.name]["x-of"] = Json::array();
          }
          Json& property = properties[parameter.name];
          if (!property.contains("x-of"))
            continue; // one that every part has
          property["x-of"].push_back(part.name);
          if (!parameter.default_value.empty())
            property["x-defaults"][parameter.default_value].push_back(part.name);
          widen(property, setting(parameter, parts));
        }
  for (auto& [name, property] : properties.items())
    if (property.contains("x-defaults"))
      say_defaults(property);
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
