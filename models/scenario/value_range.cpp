// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/value_range.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/fields.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace trainyard {
namespace {

constexpr int most_values = 1'000'000; // each is written out

/// "10 Gbit/s" as 10 and "Gbit/s".
struct NumberAndUnit {
  double number = 0;
  std::string unit;
  bool whole = false; // written without point or exponent
};

std::optional<NumberAndUnit> number_and_unit(std::string_view text)
{
  text = trimmed(text);
  NumberAndUnit result;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), result.number);
  if (status != std::errc{} || !std::isfinite(result.number))
    return std::nullopt;
  const std::string_view digits{text.data(), static_cast<std::size_t>(end - text.data())};
  result.whole = digits.find_first_of(".eE") == std::string_view::npos;
  result.unit = std::string{trimmed(text.substr(digits.size()))};
  return result;
}

NumberAndUnit required_number(std::string_view text, const char* what)
{
  const std::optional<NumberAndUnit> read = number_and_unit(text);
  if (!read)
    throw std::invalid_argument{fmt::format("{} of the range, '{}', is not a number", what, trimmed(text))};
  return *read;
}

DocumentNode scalar(std::string text)
{
  DocumentNode node;
  node.kind = DocumentNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

DocumentNode number_node(double value, const std::string& unit)
{
  return scalar(unit.empty() ? fmt::format("{:.12g}", value) : fmt::format("{:.12g} {}", value, unit));
}

struct Range {
  double from = 0;
  double to = 0;
  double step = 1;
  bool multiplies = false;
  std::string unit;
  bool whole = false;
};

/// How many @p to are one @p from ("ms" in "us": 1000); nothing where they measure different things.
std::optional<double> unit_factor(const std::string& from, const std::string& to)
{
  for (const QuantityKind kind : {QuantityKind::duration, QuantityKind::bytes, QuantityKind::bandwidth,
                                  QuantityKind::flops, QuantityKind::flops_rate, QuantityKind::power,
                                  QuantityKind::money_rate, QuantityKind::money, QuantityKind::ratio}) {
    const QuantityText a = parse_quantity("1 " + from, kind), b = parse_quantity("1 " + to, kind);
    if (a && b)
      return a.value / b.value;
  }
  return std::nullopt;
}

void share_units(NumberAndUnit& from, NumberAndUnit& to)
{
  if (from.unit.empty())
    from.unit = to.unit;
  if (to.unit.empty())
    to.unit = from.unit;
  if (from.unit == to.unit)
    return;
  if (const std::optional<double> factor = unit_factor(to.unit, from.unit)) {
    to.number *= *factor;
    to.unit = from.unit;
  } else
    throw std::invalid_argument{
        fmt::format("the range goes from {} to {}; write both ends in the same unit", from.unit, to.unit)};
}

/// A step in the unit of the ends.
double step_of(const NumberAndUnit& step, const std::string& unit)
{
  if (step.unit.empty() || step.unit == unit)
    return step.number;
  const std::optional<double> factor = unit.empty() ? std::nullopt : unit_factor(step.unit, unit);
  if (!factor)
    throw std::invalid_argument{fmt::format("the step is in {}, the ends of the range {}; use one unit", step.unit,
                                            unit.empty() ? "have no unit" : "are in " + unit)};
  return step.number * *factor;
}

Range range_of_text(std::string_view text)
{
  const std::size_t dots = text.find("..");
  NumberAndUnit from = required_number(text.substr(0, dots), "the lower end");
  std::string_view rest = text.substr(dots + 2);
  Range range;
  const std::size_t mark = rest.find_first_of(":*");
  NumberAndUnit to = required_number(rest.substr(0, mark), "the upper end");
  if (mark != std::string_view::npos) {
    range.multiplies = rest[mark] == '*';
    const NumberAndUnit step = required_number(rest.substr(mark + 1), "the step");
    if (to.unit.empty())
      to.unit = step.unit;
    share_units(from, to);
    range.step = range.multiplies ? step.number : step_of(step, from.unit);
  }
  share_units(from, to);
  range.from = from.number;
  range.to = to.number;
  range.unit = from.unit;
  range.whole = from.whole && to.whole && from.unit.empty();
  return range;
}

std::vector<DocumentNode> values_of(const Range& range)
{
  if (range.from > range.to)
    throw std::invalid_argument{
        fmt::format("the range {:.12g}..{:.12g} is empty; write the smaller end first", range.from, range.to)};
  if (range.multiplies ? !(range.step > 1) || !(range.from > 0) : !(range.step > 0))
    throw std::invalid_argument{range.multiplies
                                    ? "a range with a factor needs a lower end above 0 and a factor above 1"
                                    : "the step of a range must be above 0"};
  const double steps =
      range.multiplies ? std::log(range.to / range.from) / std::log(range.step) : (range.to - range.from) / range.step;
  const std::string too_many = fmt::format("the range has more than {} values", most_values);
  if (!(steps < most_values))
    throw std::invalid_argument{too_many};
  std::vector<DocumentNode> values;
  const double end = range.to * (1 + 1e-12) + 1e-300;
  for (int i = 0;; ++i) {
    const double value = range.multiplies ? range.from * std::pow(range.step, i) : range.from + range.step * i;
    if (value > end)
      break;
    if (i >= most_values) // the step is nothing beside the ends
      throw std::invalid_argument{too_many};
    values.push_back(number_node(value, range.unit));
  }
  return values;
}

bool is_range_map(const DocumentNode& node)
{
  return node.kind == DocumentNode::Kind::map && node.find("from") != nullptr && node.find("to") != nullptr;
}

/// A range written as a map.
struct RangeKeys {
  NumberAndUnit from, to;
  std::optional<NumberAndUnit> step;
  double factor = 0; // 0: none
  int count = 0;     // 0: none
  std::string scale = "linear";
  bool integer = false;
};

/// A number with any unit.
bool end_of_range(Fields& keys, const std::string& key, const char* what, NumberAndUnit& value,
                  const std::string& meaning, const FieldRange& range)
{
  return keys.custom(
      key, schema::Json{{"type", {"number", "string"}}, {"description", meaning}},
      [&](const DocumentNode& node) { value = required_number(node.text, what); }, range);
}

void range_fields(Fields& keys, RangeKeys& range, bool sampled)
{
  end_of_range(keys, "from", "the lower end", range.from, "first value", {.required = true});
  end_of_range(keys, "to", "the upper end", range.to, "last value", {.required = true});
  if (keys.reading())
    share_units(range.from, range.to);
  const std::vector<std::string> scales = {"linear", "log"};
  if (sampled) {
    keys.choice("scale", range.scale, scales, "whether equal steps or equal ratios are equally likely");
    range.integer = range.from.whole && range.to.whole && range.from.unit.empty();
    keys.flag("integer", range.integer, "only whole numbers", {.otherwise = "true where both ends are whole numbers"});
    return;
  }
  NumberAndUnit step;
  if (end_of_range(keys, "step", "the step", step, "difference between two values", {.otherwise = "1"}))
    range.step = step;
  keys.number("factor", range.factor, "ratio of a value to the one before it", {.least = 1, .otherwise = "none"});
  keys.integer("count", range.count, "number of values, including both ends",
               {.least = 1, .most = most_values, .otherwise = "by the step"});
  keys.choice("scale", range.scale, scales, "how a count of values is spaced");
  if ((keys.has("step") ? 1 : 0) + (keys.has("factor") ? 1 : 0) + (keys.has("count") ? 1 : 0) > 1)
    throw std::invalid_argument{"a range has only one of step, factor and count"};
  if (range.scale == "log" && range.count == 0)
    throw std::invalid_argument{"'scale: log' needs 'count', the number of values"};
}

RangeKeys range_of_map(const DocumentNode& node, bool sampled)
{
  const Document nowhere; // the caller knows the place
  Diagnostics faults;
  RangeKeys range;
  Fields keys{nowhere, &node, "the range", faults};
  range_fields(keys, range, sampled);
  keys.finish();
  if (faults.has_errors())
    throw std::invalid_argument{faults.sorted().front().message};
  if (range.from.number > range.to.number)
    throw std::invalid_argument{fmt::format("the range {:.12g}..{:.12g} is empty; write the smaller end first",
                                            range.from.number, range.to.number)};
  if (range.scale == "log" && !(range.from.number > 0))
    throw std::invalid_argument{"a logarithmic range needs a lower end above 0"};
  return range;
}

std::vector<DocumentNode> values_of_map(const DocumentNode& node)
{
  const RangeKeys keys = range_of_map(node, false);
  const double from = keys.from.number, to = keys.to.number;
  if (keys.count == 0)
    return values_of({from, to,
                      keys.factor > 0 ? keys.factor
                      : keys.step     ? step_of(*keys.step, keys.from.unit)
                                      : 1,
                      keys.factor > 0, keys.from.unit});
  std::vector<DocumentNode> values;
  for (int i = 0; i < keys.count; ++i) {
    const double share = keys.count == 1 ? 0 : static_cast<double>(i) / (keys.count - 1);
    values.push_back(number_node(keys.scale == "log" ? from * std::pow(to / from, share) : from + share * (to - from),
                                 keys.from.unit));
  }
  return values;
}

} // namespace

std::vector<DocumentNode> range_values(const DocumentNode& node)
{
  std::vector<DocumentNode> values;
  if (node.kind == DocumentNode::Kind::list)
    values = node.items;
  else if (is_range_map(node))
    values = values_of_map(node);
  else if (node.kind == DocumentNode::Kind::scalar && !node.quoted && node.text.find("..") != std::string::npos)
    values = values_of(range_of_text(node.text));
  else if (node.kind != DocumentNode::Kind::null)
    values = {node};
  for (DocumentNode& value : values)
    if (value.line == 0) {
      value.line = node.line;
      value.column = node.column;
    }
  return values;
}

DocumentNode SampledRange::at(double u) const
{
  if (!choices.empty())
    return choices[std::min(static_cast<std::size_t>(u * static_cast<double>(choices.size())), choices.size() - 1)];
  if (integer) {
    const double value =
        logarithmic ? std::exp(std::log(from) + u * (std::log(to + 1) - std::log(from))) : from + u * (to - from + 1);
    return number_node(std::min(std::floor(value), to), unit);
  }
  return number_node(logarithmic ? from * std::pow(to / from, u) : from + u * (to - from), unit);
}

SampledRange sampled_range(const DocumentNode& node)
{
  SampledRange range;
  if (node.kind == DocumentNode::Kind::list) {
    if (node.items.empty())
      throw std::invalid_argument{"there is nothing to choose from"};
    range.choices = node.items;
    return range;
  }
  if (is_range_map(node)) {
    const RangeKeys keys = range_of_map(node, true);
    range = {keys.from.number, keys.to.number, keys.from.unit, keys.integer, keys.scale == "log", {}};
  } else if (node.kind == DocumentNode::Kind::scalar && node.text.find("..") != std::string::npos) {
    const Range text = range_of_text(node.text);
    range = {text.from, text.to, text.unit, text.whole, false, {}};
  } else {
    throw std::invalid_argument{
        "write a range such as 8..64 or {from: 1 us, to: 1 ms, scale: log}, or a list of choices"};
  }
  if (range.from > range.to)
    throw std::invalid_argument{
        fmt::format("the range {:.12g}..{:.12g} is empty; write the smaller end first", range.from, range.to)};
  return range;
}

nlohmann::ordered_json range_schema(bool sampled)
{
  Fields keys;
  RangeKeys range;
  range_fields(keys, range, sampled);
  using schema::Json;
  const Json list = {{"type", "array"}, {"minItems", 1}};
  const Json text = {{"type", "string"}, {"description", "8..64:8 (step), 1..64*2 (factor)"}};
  if (sampled)
    return {{"anyOf", {list, text, keys.schema("a range to draw from")}}};
  return {{"anyOf", {list, text, keys.schema("a range of values"), {{"type", "object"}}, {{"type", "number"}}}}};
}

DocumentNode command_line_values(const std::string& text)
{
  Diagnostics faults;
  const std::string_view line = trimmed(text);
  if (line.empty())
    throw std::invalid_argument{"there are no values; write them like 1,2,4 or 8..64:8"};
  if (line.front() == '[' || line.front() == '{') {
    const Document document = parse_document(std::string{line}, "the values", faults);
    if (faults.has_errors())
      throw std::invalid_argument{faults.sorted().front().message};
    DocumentNode node = document.root;
    const auto forget = [](auto&& self, DocumentNode& inner) -> void {
      inner.line = inner.column = 0;
      for (DocumentNode& item : inner.items)
        self(self, item);
      for (DocumentNode::Entry& entry : inner.entries) {
        entry.line = entry.column = 0;
        self(self, entry.value);
      }
    };
    forget(forget, node);
    return node;
  }
  DocumentNode list;
  list.kind = DocumentNode::Kind::list;
  std::size_t start = 0;
  for (;;) {
    const std::size_t comma = line.find(',', start);
    const std::string_view part = trimmed(line.substr(start, comma == std::string_view::npos ? comma : comma - start));
    if (part.empty())
      throw std::invalid_argument{fmt::format("'{}' has an empty value", text)};
    if (part.find("..") != std::string_view::npos)
      for (DocumentNode& value : values_of(range_of_text(part)))
        list.items.push_back(std::move(value));
    else
      list.items.push_back(scalar(std::string{part}));
    if (comma == std::string_view::npos)
      break;
    start = comma + 1;
  }
  // "25,100 Gbit/s": the unit of the last value counts for bare numbers before it
  if (const std::optional<NumberAndUnit> last = number_and_unit(list.items.back().text); last && !last->unit.empty())
    for (DocumentNode& item : list.items)
      if (const std::optional<NumberAndUnit> value = number_and_unit(item.text); value && value->unit.empty())
        item.text += " " + last->unit;
  return list;
}

} // namespace trainyard
