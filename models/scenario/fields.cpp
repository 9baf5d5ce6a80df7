// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/fields.hpp"

#include "models/core/closest.hpp"
#include "models/core/longest_time.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/other_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace trainyard {
namespace {

using schema::Json;

constexpr double most_whole = 1e9;

Json whole_or_double(double value)
{
  if (std::floor(value) == value && std::abs(value) < 9e15)
    return static_cast<std::int64_t>(value);
  return value;
}

Json in_range(Json schema, const FieldRange& range, const char* least, const char* most)
{
  schema.erase(least);
  if (std::isfinite(range.least))
    schema[least] = whole_or_double(range.least);
  if (std::isfinite(range.most))
    schema[most] = whole_or_double(range.most);
  return schema;
}

} // namespace

Fields::Fields(const Parts& parts, const Catalogue& catalogue)
    : parts_{parts}, catalogue_{catalogue}, properties_{std::make_shared<Json>(Json::object())}
{
}

Fields::Fields(const Parts& parts, const Catalogue& catalogue, const Document& document, const DocumentNode* node,
               std::string what, Diagnostics& diagnostics)
    : parts_{parts}, catalogue_{catalogue}, document_{&document}, node_{node}, diagnostics_{&diagnostics}
{
  if (node != nullptr && node->kind == DocumentNode::Kind::null) { // a map that lacks all keys
    empty_ = std::make_unique<DocumentNode>(*node);
    empty_->kind = DocumentNode::Kind::map;
    node = empty_.get();
  }
  reader_ = std::make_unique<MapReader>(document, node, std::move(what), diagnostics);
}

namespace {

const Parts no_parts;
const Catalogue no_catalogue;

} // namespace

Fields::Fields() : Fields{no_parts, no_catalogue} {}

Fields::Fields(const Document& document, const DocumentNode* node, std::string what, Diagnostics& diagnostics)
    : Fields{no_parts, no_catalogue, document, node, std::move(what), diagnostics}
{
}

bool Fields::declare_list(const std::string& key, Json item, const std::string& meaning, const FieldRange& range)
{
  Json schema = schema::list_of(item, meaning);
  if (range.alone)
    schema = {{"anyOf", {std::move(item), std::move(schema)}}, {"description", meaning}};
  return declare(key, std::move(schema), range);
}

std::string Fields::item_name(const std::string& item, const FieldRange& range, std::size_t index)
{
  std::string name = range.what.empty() ? item : range.what;
  if (const std::size_t at = name.find("{}"); at != std::string::npos)
    name.replace(at, 2, std::to_string(index));
  return name;
}

bool Fields::declare(const std::string& key, Json schema, const FieldRange& range, const Json& value)
{
  if (range.required)
    required_.push_back(key);
  else if (!range.otherwise.empty())
    schema["x-otherwise"] = range.otherwise;
  else if (!value.is_null())
    schema["default"] = value;
  (*properties_)[key] = std::move(schema);
  return false;
}

bool Fields::number(const std::string& key, double& value, const std::string& meaning, const FieldRange& range)
{
  if (properties_) {
    Json schema = in_range(schema::number(meaning), range, "minimum", "maximum");
    if (!range.example.empty())
      schema["examples"] = {range.example};
    const Json usual = range.example.ends_with('%') ? Json(fmt::format("{:g} %", 100 * value)) : whole_or_double(value);
    return declare(key, std::move(schema), range, std::isfinite(value) ? usual : Json{});
  }
  if (range.required)
    reader_->required(key);
  value = reader_->number(key, value, range.least, range.most);
  return has(key);
}

bool Fields::integer(const std::string& key, int& value, const std::string& meaning, const FieldRange& asked)
{
  FieldRange range = asked;
  range.most = std::min(range.most, most_whole);
  if (properties_ && range.least == range.most)
    return declare(key, {{"const", static_cast<int>(range.least)}, {"description", meaning}}, range, value);
  if (properties_)
    return declare(key, in_range(schema::whole(meaning), range, "minimum", "maximum"), range, value);
  if (range.required)
    reader_->required(key);
  value = reader_->integer(key, value, static_cast<int>(range.least), static_cast<int>(range.most));
  return has(key);
}

bool Fields::flag(const std::string& key, bool& value, const std::string& meaning, const FieldRange& range)
{
  if (properties_)
    return declare(key, schema::flag(meaning), range, value);
  if (range.required)
    reader_->required(key);
  value = reader_->flag(key, value);
  return has(key);
}

bool Fields::text(const std::string& key, std::string& value, const std::string& meaning, const FieldRange& range)
{
  if (properties_)
    return declare(key, schema::text(meaning), range, value.empty() ? Json{} : Json(value));
  if (range.required)
    reader_->required(key);
  value = reader_->text(key, value);
  return has(key);
}

bool Fields::texts(const std::string& key, std::vector<std::string>& value, const std::string& meaning,
                   const std::string& of_item, const FieldRange& range)
{
  if (properties_)
    return declare(key, schema::list_of(of_item.empty() ? Json{{"type", "string"}} : schema::text(of_item), meaning),
                   range);
  if (range.required)
    reader_->required(key);
  value = reader_->texts(key);
  return has(key);
}

bool Fields::choice(const std::string& key, std::string& value, const std::vector<std::string>& names,
                    const std::string& meaning, const FieldRange& range)
{
  if (properties_)
    return declare(key, schema::name_of(names, meaning), range, value.empty() ? Json{} : Json(value));
  if (range.required)
    reader_->required(key);
  value = reader_->choice(key, value, names);
  return has(key);
}

bool Fields::name(const std::string& key, std::string& value, const std::vector<std::string>& names,
                  const std::string& noun, const std::string& meaning, const FieldRange& range)
{
  if (properties_)
    return choice(key, value, names, meaning, range);
  const bool said = text(key, value, meaning, range);
  if (!said || value.empty() || std::ranges::find(names, value) != names.end())
    return said;
  const MeantEntry meant = noun == "GPU"    ? gpu_meant(value, catalogue())
                           : noun == "link" ? link_meant(value, catalogue())
                                            : MeantEntry{.name = same_name(value, names)};
  const DocumentNode* found = reader_->node(key);
  const Location place = found == nullptr ? where() : document_->at(*found);
  if (std::ranges::find(names, meant.name) != names.end()) {
    if (const std::string told = meant_text(value, meant); !told.empty())
      diagnostics_->note(place, told, document_->line_text(place.line));
    value = meant.name;
    return said;
  }
  if (!suggests_more(*diagnostics_)) {
    error(key, fmt::format("unknown {} '{}'", noun, value));
    return said;
  }
  const std::string near = did_you_mean(value, names);
  const bool hardware = noun == "GPU" || noun == "link";
  error(key, fmt::format("unknown {} '{}'{}", noun, value,
                         !near.empty() ? near
                         : hardware    ? fmt::format("; simrun list {}s shows the catalogue", lower_case(noun))
                                       : fmt::format("; --catalogue FOLDER adds your own to those known: {}",
                                                     fmt::join(names, ", "))));
  if (near.empty() && hardware)
    diagnostics_->note(place, noun == "GPU" ? gpu_description_lines(value, catalogue())
                                            : link_description_lines(value, catalogue()));
  return said;
}

bool Fields::quantity_of(const std::string& key, double& value, QuantityKind kind, const std::string& meaning,
                         const FieldRange& range)
{
  if (properties_) {
    // Written as the example where they are equal: "1 Gbit/s", not "125 MB/s".
    const QuantityText example = parse_quantity(range.example, kind);
    const std::string shown = example && example.value == value ? range.example : to_text(value, kind);
    FieldRange bounds = range;
    if (bounds.least == 0)
      bounds.least = -std::numeric_limits<double>::infinity(); // quantities below 0 are never taken
    return declare(key, in_range(schema::quantity_of(kind, meaning, range.example), bounds, "x-minimum", "x-maximum"),
                   range, std::isfinite(value) ? Json(shown) : Json{});
  }
  if (range.required)
    reader_->required(key);
  const DocumentNode* found = reader_->node(key);
  const QuantityText any_time = kind == QuantityKind::duration && found != nullptr && std::isfinite(range.most)
                                    ? parse_quantity(found->text, kind)
                                    : QuantityText{};
  // What may be longer than any run, such as a mean time between failures, is no time of the simulated clock.
  const bool beyond_clock = any_time && any_time.value > longest_time.value() && range.most > longest_time.value();
  const double read = beyond_clock ? any_time.value : reader_->quantity(key, kind, value, range.least);
  if (has(key) && std::isfinite(read) && read > range.most)
    error(key, fmt::format("'{}' is {}; it must be at most {}", key, to_text(read, kind), to_text(range.most, kind)));
  else
    value = read;
  return has(key);
}

Json Fields::part_schema(const std::string& kind, const std::string& meaning) const
{
  Json settings = {{"name", schema::part_of(parts_, kind, meaning)}, {"label", schema::text("name in the tables")}};
  schema::add_settings(settings, parts_, {kind}, catalogue_);
  return {{"anyOf",
           {schema::part_of(parts_, kind, meaning), schema::object(meaning + ", with settings", settings, {"name"})}},
          {"description", meaning}};
}

bool Fields::part(const std::string& key, NamedPart& value, const std::string& kind, const std::string& what,
                  const std::string& meaning)
{
  if (properties_)
    return declare(key, part_schema(kind, meaning), {}, value.name.empty() ? Json{} : Json(value.name));
  if (const DocumentNode* found = reader_->node(key); found != nullptr)
    value = read_named_part(*document_, *found, kind, what, parts_, *diagnostics_);
  return has(key);
}

bool Fields::part_list(const std::string& key, std::vector<NamedPart>& values, const std::string& kind,
                       const std::string& what, const std::string& meaning, bool alone)
{
  if (properties_) {
    Json schema = schema::list_of(part_schema(kind, "a " + what), meaning);
    if (alone) {
      Json one = part_schema(kind, meaning);
      one["anyOf"].push_back(std::move(schema));
      schema = std::move(one);
    }
    return declare(key, std::move(schema), {}, values.empty() ? Json{} : Json(values.front().name));
  }
  const std::vector<const DocumentNode*> nodes = reader_->list(key);
  if (nodes.empty())
    return has(key);
  values.clear();
  for (const DocumentNode* node : nodes) {
    NamedPart value = read_named_part(*document_, *node, kind, what, parts_, *diagnostics_);
    if (std::ranges::count(values, value.label, &NamedPart::label) > 0)
      error(key, fmt::format("'{}' has '{}' twice, and results could not be told apart; remove one", key, value.label));
    values.push_back(std::move(value));
  }
  return true;
}

bool Fields::numbers(const std::string& key, std::vector<std::pair<std::string, double>>& values,
                     const std::string& meaning, const FieldRange& range)
{
  if (properties_) {
    Json each = in_range(schema::number(""), range, "minimum", "maximum");
    each.erase("description");
    return declare(key, schema::map_of(std::move(each), meaning), range);
  }
  MapReader entries{*document_, range.required ? reader_->required(key) : reader_->node(key), "'" + key + "'",
                    *diagnostics_};
  for (const DocumentNode::Entry& entry : entries.entries())
    values.emplace_back(entry.key, entries.number(entry.key, range.least, range.least, range.most));
  return has(key);
}

bool Fields::object(const std::string& key, const std::string& meaning, const std::function<void(Fields&)>& fields,
                    const FieldRange& range)
{
  if (properties_) {
    Fields inner{parts_, catalogue_};
    fields(inner);
    return declare(key, inner.schema(meaning), range);
  }
  if (range.required)
    reader_->required(key);
  const std::string what = range.what.empty() ? "'" + key + "'" : range.what;
  Fields inner{parts_, catalogue_, *document_, reader_->node(key), what, *diagnostics_};
  fields(inner);
  reader_->has_below(key, inner.reader_->known());
  inner.finish();
  return has(key);
}

bool Fields::word_or_object(const std::string& key, const std::string& word, const std::string& meaning,
                            const std::function<void(Fields&)>& fields)
{
  if (properties_) {
    Fields inner{parts_, catalogue_};
    fields(inner);
    return declare(key, {{"anyOf", {(*inner.properties_)[word], inner.schema(meaning)}}, {"description", meaning}}, {});
  }
  const DocumentNode* found = reader_->node(key);
  DocumentNode spelt; // out of the word
  if (found != nullptr && found->kind == DocumentNode::Kind::scalar) {
    spelt.kind = DocumentNode::Kind::map;
    spelt.line = found->line;
    spelt.column = found->column;
    spelt.entries.push_back({word, found->line, found->column, *found});
    found = &spelt;
  }
  Fields inner{parts_, catalogue_, *document_, found, "'" + key + "'", *diagnostics_};
  fields(inner);
  inner.finish();
  return has(key);
}

bool Fields::word_or_object(const std::string& key, const std::function<void(Fields&)>& word,
                            const std::string& meaning, const std::function<void(Fields&)>& fields,
                            const FieldRange& range)
{
  if (properties_) {
    Fields alone{parts_, catalogue_}, inner{parts_, catalogue_};
    word(alone);
    fields(inner);
    const Json scalar = (*alone.properties_)[key];
    const std::string usual = scalar.value("default", std::string{});
    return declare(key, {{"anyOf", {scalar, inner.schema(meaning)}}, {"description", meaning}}, range,
                   usual.empty() ? Json{} : Json(usual));
  }
  if (const DocumentNode* found = reader_->node(key); found != nullptr && found->kind == DocumentNode::Kind::map)
    return object(key, meaning, fields, range);
  word(*this);
  return has(key);
}

bool Fields::map(const std::string& key, const std::string& meaning,
                 const std::function<void(Fields& entries, const std::string& name)>& entry, const FieldRange& range)
{
  return object(
      key, meaning, [&](Fields& inner) { inner.names(entry); }, range);
}

void Fields::names(const std::function<void(Fields& entries, const std::string& name)>& entry)
{
  if (properties_) {
    Fields one{parts_, catalogue_};
    entry(one, "name");
    any_name_ = (*one.properties_)["name"];
    return;
  }
  for (const DocumentNode::Entry& each : reader_->entries())
    entry(*this, each.key);
}

bool Fields::custom(const std::string& key, const std::function<Json()>& schema,
                    const std::function<void(const DocumentNode&)>& read, const FieldRange& range)
{
  if (properties_)
    return declare(key, schema(), range);
  if (range.required)
    reader_->required(key);
  if (const DocumentNode* found = reader_->node(key); found != nullptr)
    read(*found);
  return has(key);
}

bool Fields::custom(const std::string& key, const Json& schema, const std::function<void(const DocumentNode&)>& read,
                    const FieldRange& range)
{
  return custom(
      key, [&] { return schema; }, read, range);
}

bool Fields::custom_list(const std::string& key, Json item, const std::string& meaning,
                         const std::function<void(const DocumentNode&)>& read)
{
  return custom(key, schema::list_of(std::move(item), meaning), [&](const DocumentNode&) {
    for (const DocumentNode* node : reader_->list(key))
      read(*node);
  });
}

void Fields::error(const std::string& key, const std::string& message)
{
  if (reader_)
    reader_->error(key, message);
}

void Fields::error(const std::string& message)
{
  if (entry_ != nullptr)
    document_->error(*diagnostics_, *entry_, message);
  else if (node_ != nullptr)
    document_->error(*diagnostics_, *node_, message);
}

void Fields::error_at_key(const std::string& key, const std::string& message)
{
  if (node_ != nullptr)
    for (const DocumentNode::Entry& entry : node_->entries)
      if (entry.key == key)
        document_->error(*diagnostics_, entry, message);
}

void Fields::instead_of(const std::string& word, const std::string& write)
{
  if (node_ != nullptr && node_->find(word) != nullptr && has(word))
    error_at_key(word, fmt::format("unknown key '{}'; write {}", word, write));
}

void Fields::error_at(const DocumentNode& node, const std::string& message)
{
  document_->error(*diagnostics_, node, message);
}

Location Fields::where() const
{
  return node_ == nullptr || document_ == nullptr ? Location{} : document_->at(*node_);
}

std::vector<Location> Fields::places(const std::string& key) const
{
  std::vector<Location> list;
  if (reader_)
    for (const DocumentNode* item : reader_->list(key))
      list.push_back(document_->at(*item));
  if (list.empty())
    list.push_back(where());
  return list;
}

void Fields::finish()
{
  if (reader_)
    reader_->finish();
}

Json Fields::schema(const std::string& meaning) const
{
  return any_name_.is_null() ? schema::object(meaning, *properties_, required_) : schema::map_of(any_name_, meaning);
}

std::string found_file(Fields& keys, const std::string& key, const std::string& name)
{
  std::error_code error;
  for (const std::filesystem::path& folder :
       {std::filesystem::path{keys.document().file}.parent_path(), std::filesystem::path{}})
    if (std::filesystem::is_regular_file(folder / name, error))
      return (folder / name).string();
  keys.error(key, fmt::format("there is no file '{}' in the folder of the scenario or in the working folder", name));
  return "";
}

} // namespace trainyard
