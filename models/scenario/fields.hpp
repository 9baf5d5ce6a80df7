// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_settings.hpp"
#include "models/scenario/schema_parts.hpp"

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// What a key takes besides its kind of value.
struct FieldRange {
  std::string example{};                                 // with its unit: "30 s"; of a share: "5 %"
  double least = 0;                                      // in the base unit; of a whole number: 1 unless given
  double most = std::numeric_limits<double>::infinity(); // of a whole number: at most 1e9
  bool required = false;
  std::string otherwise{}; // what counts without the key, in words, where that is no fixed value: "the period"
  std::string what{};      // of a map, or the maps of a list: its name in messages ("job {}": with its number), unless
                           // its meaning or key is that
  bool alone = false;      // of a list: the schema offers one map without a list too
};

/// One map of a scenario file, each key declared once: name, where its value goes, meaning, unit, range, default.
///
/// The same lines give the JSON Schema (and with it the page of keys, forms and completion) and read files: a function
/// that takes Fields and a record runs in one of two modes. While a schema is written, the record is one as it is made
/// without a file, and its values are the defaults that the schema states. While a file is read, keys that
/// it has go into the record, faults go to the diagnostics, and keys that no line names are unknown.
///
/// Every function returns whether the file has the key; never while a schema is written.
class Fields
{
public:
  /// Writes a schema.
  Fields(const Parts& parts, const Catalogue& catalogue);
  /// Reads @p node (absent: null pointer); @p what names the map in messages.
  Fields(const Parts& parts, const Catalogue& catalogue, const Document& document, const DocumentNode* node,
         std::string what, Diagnostics& diagnostics);
  /// Both for a map that names no registered part and nothing of the catalogue.
  Fields();
  Fields(const Document& document, const DocumentNode* node, std::string what, Diagnostics& diagnostics);

  /// A number, or a share as "50 %".
  bool number(const std::string& key, double& value, const std::string& meaning, const FieldRange& range = {});
  bool integer(const std::string& key, int& value, const std::string& meaning, const FieldRange& range = {.least = 1});
  bool flag(const std::string& key, bool& value, const std::string& meaning, const FieldRange& range = {});
  bool text(const std::string& key, std::string& value, const std::string& meaning, const FieldRange& range = {});
  bool texts(const std::string& key, std::vector<std::string>& value, const std::string& meaning,
             const std::string& of_item = {}, const FieldRange& range = {});
  /// One of @p names.
  bool choice(const std::string& key, std::string& value, const std::vector<std::string>& names,
              const std::string& meaning, const FieldRange& range = {});
  /// One of @p names; another one is an error that calls it an unknown @p noun, but stays, so that what follows from it
  /// causes no further errors.
  bool name(const std::string& key, std::string& value, const std::vector<std::string>& names, const std::string& noun,
            const std::string& meaning, const FieldRange& range = {});
  /// As `choice`, for a flag or an enumeration: the value of the name that stands in the file.
  template <class T>
  bool choice(const std::string& key, T& value, const std::vector<std::pair<std::string, T>>& names,
              const std::string& meaning, const FieldRange& range = {})
  {
    std::vector<std::string> known;
    std::string chosen;
    for (const auto& [name, meant] : names) {
      known.push_back(name);
      if (meant == value && chosen.empty())
        chosen = name;
    }
    const bool said = choice(key, chosen, known, meaning, range);
    for (const auto& [name, meant] : names)
      if (name == chosen)
        value = meant;
    return said;
  }
  /// A number with its unit. Infinite: no default.
  template <int... D>
  bool quantity(const std::string& key, Quantity<D...>& value, const std::string& meaning, const FieldRange& range)
  {
    double base = value.value();
    const bool said = quantity_of(key, base, kind_of<Quantity<D...>>(), meaning, range);
    value = Quantity<D...>{base};
    return said;
  }
  bool quantity(const std::string& key, Instant& value, const std::string& meaning, const FieldRange& range)
  {
    Seconds time{is_finite(value) ? value.value() : std::numeric_limits<double>::infinity()};
    const bool said = quantity(key, time, meaning, range);
    value = time;
    return said;
  }
  template <int... D>
  bool quantity(const std::string& key, std::optional<Quantity<D...>>& value, const std::string& meaning,
                const FieldRange& range)
  {
    Quantity<D...> base{std::numeric_limits<double>::infinity()};
    const bool said = quantity(key, base, meaning, range);
    if (said)
      value = base;
    return said;
  }
  bool quantity_of(const std::string& key, double& value, QuantityKind kind, const std::string& meaning,
                   const FieldRange& range);
  /// A registered part with its settings: `las`, or `{name: las, quantum: 1 h}`. @p what names its kind in messages.
  bool part(const std::string& key, NamedPart& value, const std::string& kind, const std::string& what,
            const std::string& meaning);
  /// A list of them; @p alone: the schema offers one without a list too.
  bool part_list(const std::string& key, std::vector<NamedPart>& values, const std::string& kind,
                 const std::string& what, const std::string& meaning, bool alone = false);
  /// Numbers by free names, in the order of the file: {resnet50: 0.7, vgg16: 0.3}. @p range: of each.
  bool numbers(const std::string& key, std::vector<std::pair<std::string, double>>& values, const std::string& meaning,
               const FieldRange& range);
  /// A map inside this one; an absent one is read as an empty one.
  bool object(const std::string& key, const std::string& meaning, const std::function<void(Fields&)>& fields,
              const FieldRange& range = {});
  /// The same, into a record that only exists where the file has the key.
  template <class T>
  bool object(const std::string& key, const std::string& meaning, std::optional<T>& value,
              const std::function<void(Fields&, T&)>& fields)
  {
    T record{};
    const bool said = object(key, meaning, [&](Fields& inner) { fields(inner, record); });
    if (said)
      value = std::move(record);
    return said;
  }
  /// The same as `object`, or only the value of its key @p word as a scalar: `restart: never` for `restart: {condition:
  /// never}`.
  bool word_or_object(const std::string& key, const std::string& word, const std::string& meaning,
                      const std::function<void(Fields&)>& fields);
  /// The same where the word has rules of its own: @p word declares @p key as a single value.
  bool word_or_object(const std::string& key, const std::function<void(Fields&)>& word, const std::string& meaning,
                      const std::function<void(Fields&)>& fields, const FieldRange& range = {});
  /// A map whose keys are names that the file chooses: @p entry declares the value of one of them.
  bool map(const std::string& key, const std::string& meaning,
           const std::function<void(Fields& entries, const std::string& name)>& entry, const FieldRange& range = {});
  /// The same of this map itself: all its keys are such names.
  void names(const std::function<void(Fields& entries, const std::string& name)>& entry);
  /// A list of maps; one map stands for a list of one. @p item: "a straggler".
  template <class T>
  bool list(const std::string& key, std::vector<T>& values, const std::string& item, const std::string& meaning,
            const std::function<void(Fields&, T&)>& fields, const FieldRange& range = {})
  {
    if (properties_) {
      Fields of_item{parts_, catalogue_};
      T empty{};
      fields(of_item, empty);
      return declare_list(key, of_item.schema(item), meaning, range);
    }
    if (range.required)
      reader_->required(key);
    const std::vector<const DocumentNode*> nodes = reader_->list(key);
    values.reserve(values.size() + nodes.size());
    for (const DocumentNode* node : nodes) {
      Fields of_item{parts_, catalogue_, *document_, node, item_name(item, range, values.size()), *diagnostics_};
      T value{};
      fields(of_item, value);
      of_item.finish();
      values.push_back(std::move(value));
    }
    return has(key);
  }
  /// Records by free names, which become their `name`. @p noun: "node type", @p item: "a machine type".
  template <class T>
  bool map(const std::string& key, std::map<std::string, T>& values, const std::string& noun,
           const std::string& meaning, const std::string& item, const std::function<void(Fields&, T&)>& fields,
           const FieldRange& range = {})
  {
    if (properties_) {
      Fields of_item{parts_, catalogue_};
      T empty{};
      fields(of_item, empty);
      return declare(
          key, {{"type", "object"}, {"description", meaning}, {"additionalProperties", of_item.schema(item)}}, range);
    }
    if (range.required)
      reader_->required(key);
    MapReader entries{*document_, reader_->node(key), "'" + key + "'", *diagnostics_};
    for (const DocumentNode::Entry& entry : entries.entries()) {
      Fields of_item{parts_, catalogue_, *document_, &entry.value, noun + " '" + entry.key + "'", *diagnostics_};
      of_item.entry_ = &entry;
      T value{};
      value.name = entry.key;
      fields(of_item, value);
      of_item.finish();
      values[entry.key] = std::move(value);
    }
    return has(key);
  }
  /// A value with a grammar of its own: @p schema describes it, @p read gets it where the file has it.
  bool custom(const std::string& key, const std::function<schema::Json()>& schema,
              const std::function<void(const DocumentNode&)>& read, const FieldRange& range = {});
  bool custom(const std::string& key, const schema::Json& schema, const std::function<void(const DocumentNode&)>& read,
              const FieldRange& range = {});
  /// A list of such values; one stands for a list of one. @p item describes one of them.
  bool custom_list(const std::string& key, schema::Json item, const std::string& meaning,
                   const std::function<void(const DocumentNode&)>& read);

  /// Whether a file is read.
  bool reading() const { return reader_ != nullptr; }
  bool has(const std::string& key) { return reader_ != nullptr && reader_->has(key); }
  /// A fault at the value of @p key; while a schema is written, nothing.
  void error(const std::string& key, const std::string& message);
  /// A fault of the map as a whole; at its name where it has one.
  void error(const std::string& message);
  /// A fault at @p key itself; its value may stand lines below.
  void error_at_key(const std::string& key, const std::string& message);
  /// A fault at a @p word that is no key here, which other programs have; the message says what to @p write.
  void instead_of(const std::string& word, const std::string& write);
  /// A fault at a part of the file. Only while a file is read.
  void error_at(const DocumentNode& node, const std::string& message);
  /// The map's place in the file; while a schema is written, none.
  Location where() const;
  const DocumentNode* node() const { return node_; }
  const Document& document() const { return *document_; }
  /// Where the items of a list stand; where the file has none, the map's place.
  std::vector<Location> places(const std::string& key) const;
  MapReader& reader() { return *reader_; }
  const Parts& parts() const { return parts_; }
  const Catalogue& catalogue() const { return catalogue_; }
  /// Reports keys that no line named.
  void finish();
  /// The schema of the map.
  schema::Json schema(const std::string& meaning) const;
  /// The properties while a schema is written, for settings of registered parts (schema::add_settings); else null.
  schema::Json* properties() { return properties_.get(); }

private:
  template <class Q>
  static constexpr QuantityKind kind_of()
  {
    if constexpr (std::is_same_v<Q, Seconds>)
      return QuantityKind::duration;
    else if constexpr (std::is_same_v<Q, Bytes>)
      return QuantityKind::bytes;
    else if constexpr (std::is_same_v<Q, BytesPerSecond>)
      return QuantityKind::bandwidth;
    else if constexpr (std::is_same_v<Q, Flops>)
      return QuantityKind::flops;
    else if constexpr (std::is_same_v<Q, FlopsPerSecond>)
      return QuantityKind::flops_rate;
    else {
      static_assert(std::is_same_v<Q, DollarsPerHour>, "a file holds no quantity of this dimension");
      return QuantityKind::money_rate;
    }
  }
  /// Adds a property, with its default (null: none).
  bool declare(const std::string& key, schema::Json schema, const FieldRange& range, const schema::Json& value = {});
  bool declare_list(const std::string& key, schema::Json item, const std::string& meaning, const FieldRange& range);
  schema::Json part_schema(const std::string& kind, const std::string& meaning) const;
  static std::string item_name(const std::string& item, const FieldRange& range, std::size_t index);

  const Parts& parts_;
  const Catalogue& catalogue_;
  const Document* document_ = nullptr;
  const DocumentNode* node_ = nullptr;
  const DocumentNode::Entry* entry_ = nullptr; // of a map with a name
  Diagnostics* diagnostics_ = nullptr;
  std::unique_ptr<DocumentNode> empty_;      // the map read where the file gives the key without a value
  std::unique_ptr<MapReader> reader_;        // while a file is read
  std::shared_ptr<schema::Json> properties_; // while a schema is written
  schema::Json any_name_;                    // of a map whose keys are names: the schema of each value
  std::vector<std::string> required_;
};

/// The schema of a map whose keys @p fields declares.
template <class T>
schema::Json schema_of(const Parts& parts, const Catalogue& catalogue, const std::string& meaning,
                       const std::function<void(Fields&, T&)>& fields)
{
  Fields writer{parts, catalogue};
  T empty{};
  fields(writer, empty);
  return writer.schema(meaning);
}

/// The file that @p key names, in the folder of the scenario or in the working folder; empty (and a fault): there is
/// none.
std::string found_file(Fields& keys, const std::string& key, const std::string& name);

} // namespace trainyard
