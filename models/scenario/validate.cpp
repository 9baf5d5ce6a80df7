// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/validate.hpp"

#include "models/core/closest.hpp"
#include "models/core/quantity_units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;
using Kind = DocumentNode::Kind;

std::string type_of(const Json& schema)
{
  const auto found = schema.find("type");
  if (found == schema.end())
    return schema.contains("properties") ? "object" : "";
  return found->is_string() ? found->get<std::string>() : "scalar"; // several types: any scalar
}

std::string shown(const DocumentNode& node)
{
  switch (node.kind) {
  case Kind::list:
    return "a list";
  case Kind::map:
    return "a map";
  case Kind::null:
    return "nothing";
  case Kind::scalar:
    break;
  }
  return "'" + node.text.substr(0, 40) + "'";
}

class Validator
{
public:
  Validator(const Document& document, Diagnostics& diagnostics) : document_{document}, diagnostics_{diagnostics} {}

  void check(const DocumentNode& node, const Json& schema, const std::string& what)
  {
    if (const auto choices = schema.find("anyOf"); choices != schema.end()) {
      check_any(node, *choices, what);
      return;
    }
    const std::string type = type_of(schema);
    if (type == "object")
      check_map(node, schema, what);
    else if (type == "array")
      check_list(node, schema, what);
    else if (schema.contains("const"))
      check_const(node, schema, what);
    else if (!type.empty())
      check_scalar(node, schema, type, what);
  }

private:
  void fault(const DocumentNode& node, const std::string& message) { document_.error(diagnostics_, node, message); }

  /// The alternative that fits; else the faults of the one that is nearest: of the same kind, with the fewest faults.
  void check_any(const DocumentNode& node, const Json& choices, const std::string& what)
  {
    std::vector<Diagnostic> nearest;
    std::pair<int, std::size_t> best{2, 0};
    for (const Json& choice : choices) {
      Diagnostics faults;
      Validator{document_, faults}.check(node, choice, what);
      if (!faults.has_errors())
        return;
      const std::string type = type_of(choice);
      const bool same = (type == "object" && node.kind == Kind::map) || (type == "array" && node.kind == Kind::list) ||
                        (type != "object" && type != "array" && node.kind == Kind::scalar);
      const std::vector<Diagnostic> list = faults.sorted();
      if (const std::pair rank{same ? 0 : 1, list.size()}; nearest.empty() || rank < best) {
        best = rank;
        nearest = list;
      }
    }
    for (const Diagnostic& diagnostic : nearest)
      diagnostics_.add(diagnostic);
  }

  void check_map(const DocumentNode& node, const Json& schema, const std::string& what)
  {
    if (node.kind == Kind::null)
      return;
    if (node.kind != Kind::map) {
      fault(node, fmt::format("{} must be a map (key: value), found {}", what, shown(node)));
      return;
    }
    static const Json none = Json::object();
    const Json& properties = schema.contains("properties") ? schema["properties"] : none;
    for (const DocumentNode::Entry& entry : node.entries) {
      if (const auto known = properties.find(entry.key); known != properties.end()) {
        check(entry.value, *known, "'" + entry.key + "'");
        continue;
      }
      const auto others = schema.find("additionalProperties");
      if (others != schema.end() && others->is_object()) {
        check(entry.value, *others, "'" + entry.key + "'");
      } else if (others != schema.end() && others->is_boolean() && !others->get<bool>()) {
        std::vector<std::string> names;
        for (const auto& [name, property] : properties.items())
          names.push_back(name);
        const std::string suggestion = did_you_mean(entry.key, names);
        document_.error(
            diagnostics_, entry,
            fmt::format("unknown key '{}'{}", entry.key,
                        suggestion.empty() ? fmt::format("; known here: {}", fmt::join(names, ", ")) : suggestion));
      }
    }
    if (const auto required = schema.find("required"); required != schema.end())
      for (const Json& key : *required)
        if (node.find(key.get<std::string>()) == nullptr)
          fault(node, fmt::format("{} lacks '{}'", what, key.get<std::string>()));
  }

  void check_list(const DocumentNode& node, const Json& schema, const std::string& what)
  {
    if (node.kind == Kind::null)
      return;
    const auto items = schema.find("items");
    if (node.kind != Kind::list) {
      if (items != schema.end())
        check(node, *items, what);
      return;
    }
    if (node.items.size() < schema.value("minItems", std::size_t{0}))
      fault(node, fmt::format("{} is empty", what));
    if (items != schema.end())
      for (const DocumentNode& item : node.items)
        check(item, *items, "an item of " + what);
  }

  void check_const(const DocumentNode& node, const Json& schema, const std::string& what)
  {
    const Json& wanted = schema["const"];
    const std::string text = wanted.is_string() ? wanted.get<std::string>() : wanted.dump();
    if (node.kind != Kind::scalar || node.text != text)
      fault(node, fmt::format("{} must be {}, found {}", what, text, shown(node)));
  }

  void check_scalar(const DocumentNode& node, const Json& schema, const std::string& type, const std::string& what)
  {
    if (node.kind != Kind::scalar) {
      fault(node, fmt::format("{} must be a single value, found {}", what, shown(node)));
      return;
    }
    if (const auto choices = schema.find("enum"); choices != schema.end())
      check_name(node, *choices, what);
    else if (const auto quantity = schema.find("x-quantity"); quantity != schema.end())
      check_quantity(node, schema, *kind_of_name(quantity->get<std::string>()), what);
    else if (type == "integer")
      check_integer(node, schema, what);
    else if (type == "number" || schema.contains("x-number"))
      check_number(node, schema, what);
    else if (const auto ending = schema.find("x-ending");
             ending != schema.end() && !node.text.ends_with(ending->get<std::string>()))
      fault(node, fmt::format("{} must end with {}, found {}", what, ending->get<std::string>(), shown(node)));
    else if (type == "boolean" && (node.quoted || (node.text != "true" && node.text != "false")))
      fault(node, fmt::format("{} must be true or false, found {}", what, shown(node)));
  }

  void check_name(const DocumentNode& node, const Json& choices, const std::string& what)
  {
    const auto names = choices.get<std::vector<std::string>>();
    if (std::ranges::find(names, node.text) != names.end())
      return;
    const std::string suggestion = did_you_mean(node.text, names);
    fault(node, fmt::format("unknown {} '{}'{}", what, node.text.substr(0, 60),
                            suggestion.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : suggestion));
  }

  void check_quantity(const DocumentNode& node, const Json& schema, QuantityKind kind, const std::string& what)
  {
    const QuantityText parsed = parse_quantity(node.text, kind);
    if (!parsed)
      fault(node, fmt::format("{}: {}", what, parsed.error));
    else if (parsed.value < schema.value("x-minimum", 0.0))
      fault(node, fmt::format("{} is {}; it must be at least {}", what, node.text,
                              to_text(schema.value("x-minimum", 0.0), kind)));
    else if (schema.contains("x-maximum") && parsed.value > schema["x-maximum"].get<double>())
      fault(node, fmt::format("{} is {}; it must be at most {}", what, node.text,
                              to_text(schema["x-maximum"].get<double>(), kind)));
  }

  void check_integer(const DocumentNode& node, const Json& schema, const std::string& what)
  {
    long long value = 0;
    const char* end = node.text.data() + node.text.size();
    const auto [stop, status] = std::from_chars(node.text.data(), end, value);
    const bool leading_zero = node.text.size() > 1 && node.text.front() == '0';
    if (status != std::errc{} || stop != end || node.quoted || leading_zero)
      fault(node, fmt::format("{} must be a whole number, found {}", what, shown(node)));
    else
      check_range(node, schema, static_cast<double>(value), what);
  }

  void check_number(const DocumentNode& node, const Json& schema, const std::string& what)
  {
    double value = 0;
    const char* end = node.text.data() + node.text.size();
    const auto [stop, status] = std::from_chars(node.text.data(), end, value);
    const bool percent = stop + 1 == end && *stop == '%';
    if (status != std::errc{} || (stop != end && !percent) || !std::isfinite(value) || node.quoted)
      fault(node, fmt::format("{} must be a number, found {}", what, shown(node)));
    else
      check_range(node, schema, percent ? value / 100 : value, what);
  }

  void check_range(const DocumentNode& node, const Json& schema, double value, const std::string& what)
  {
    if (schema.contains("minimum") && value < schema["minimum"].get<double>())
      fault(node, fmt::format("{} is {}; it must be at least {}", what, node.text, schema["minimum"].dump()));
    if (schema.contains("maximum") && value > schema["maximum"].get<double>())
      fault(node, fmt::format("{} is {}; it must be at most {}", what, node.text, schema["maximum"].dump()));
  }

  const Document& document_;
  Diagnostics& diagnostics_;
};

void add_defaults(const DocumentNode* node, const Json& schema, const std::string& path,
                  std::vector<FilledDefault>& list)
{
  const std::string type = type_of(schema);
  if (type == "array" && node != nullptr && node->kind == Kind::list && schema.contains("items")) {
    for (std::size_t i = 0; i < node->items.size(); ++i)
      add_defaults(&node->items[i], schema["items"], fmt::format("{}.{}", path, i), list);
    return;
  }
  if (type != "object" || (node != nullptr && node->kind != Kind::map && node->kind != Kind::null))
    return;
  const auto join = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  const auto properties = schema.find("properties");
  if (properties == schema.end()) {
    if (const auto others = schema.find("additionalProperties");
        node != nullptr && others != schema.end() && others->is_object())
      for (const DocumentNode::Entry& entry : node->entries)
        add_defaults(&entry.value, *others, join(entry.key), list);
    return;
  }
  for (const auto& [key, property] : properties->items()) {
    const DocumentNode* value = node == nullptr ? nullptr : node->find(key);
    if (value != nullptr || property.value("x-always", false))
      add_defaults(value, property, join(key), list);
    else if (property.contains("default") && !property.contains("x-of"))
      list.push_back(
          {join(key),
           property["default"].is_string() ? property["default"].get<std::string>() : property["default"].dump(),
           property.value("x-source", "schema")});
  }
}

} // namespace

void validate(const Document& document, const Json& schema, Diagnostics& diagnostics)
{
  Validator{document, diagnostics}.check(document.root, schema, "the scenario");
}

void validate_rest(const Document& document, const Json& schema, Diagnostics& diagnostics)
{
  std::set<int> told;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    if (diagnostic.severity == Severity::error)
      told.insert(diagnostic.where.line);
  if (told.contains(0)) // a fault of the whole file
    return;
  Diagnostics found;
  validate(document, schema, found);
  for (const Diagnostic& diagnostic : found.sorted())
    if (!told.contains(diagnostic.where.line))
      diagnostics.add(diagnostic);
}

std::vector<FilledDefault> absent_defaults(const Document& document, const Json& schema)
{
  std::vector<FilledDefault> list;
  add_defaults(&document.root, schema, "", list);
  return list;
}

} // namespace trainyard
