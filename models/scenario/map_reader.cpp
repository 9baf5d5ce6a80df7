// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/map_reader.hpp"

#include "models/core/closest.hpp"
#include "models/core/longest_time.hpp"
#include "models/scenario/other_names.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace trainyard {
namespace {

using Kind = DocumentNode::Kind;

std::string kind_name(const DocumentNode& node)
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

} // namespace

MapReader::MapReader(const Document& document, const DocumentNode* node, std::string what, Diagnostics& diagnostics)
    : document_{document}, node_{node}, what_{std::move(what)}, diagnostics_{diagnostics}
{
  if (node_ != nullptr && node_->kind != Kind::map) {
    if (node_->kind != Kind::null)
      document_.error(diagnostics_, *node_,
                      fmt::format("{} must be a map (key: value), found {}", what_, kind_name(*node_)));
    node_ = nullptr;
  }
  asked_.resize(entries().size());
}

const DocumentNode* MapReader::node(const std::string& key)
{
  known_.push_back(key);
  const std::vector<DocumentNode::Entry>& all = entries();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].key == key) {
      asked_[i] = 1;
      return &all[i].value;
    }
  return nullptr;
}

bool MapReader::has(const std::string& key)
{
  return node(key) != nullptr;
}

MapReader::~MapReader()
{
  tell_missing();
}

const DocumentNode* MapReader::required(const std::string& key)
{
  const DocumentNode* found = node(key);
  if (found == nullptr && node_ != nullptr)
    missing_.push_back(key);
  return found;
}

void MapReader::tell_missing()
{
  for (const std::string& key : missing_) {
    bool misspelt = false; // told as an unknown key
    int unknown = 0;
    for (std::size_t i = 0; i < asked_.size() && !misspelt && unknown < most_suggested; ++i)
      if (asked_[i] == 0) {
        ++unknown;
        misspelt = !did_you_mean(entries()[i].key, std::vector{key}).empty();
      }
    if (!misspelt)
      document_.error(diagnostics_, *node_, fmt::format("{} lacks '{}'", what_, key));
  }
  missing_.clear();
}

const DocumentNode* MapReader::scalar(const std::string& key, const std::string& expected)
{
  const DocumentNode* found = node(key);
  if (found == nullptr)
    return nullptr;
  if (found->kind != Kind::scalar) {
    document_.error(diagnostics_, *found, fmt::format("'{}' must be {}, found {}", key, expected, kind_name(*found)));
    return nullptr;
  }
  return found;
}

double MapReader::required_quantity(const std::string& key, QuantityKind kind, double minimum)
{
  return required(key) == nullptr ? minimum : quantity(key, kind, minimum, minimum);
}

double MapReader::quantity(const std::string& key, QuantityKind kind, double fallback, double minimum)
{
  const DocumentNode* found = scalar(key, "a quantity with its unit");
  if (found == nullptr)
    return fallback;
  const QuantityText parsed =
      kind == QuantityKind::duration ? parse_time(found->text) : parse_quantity(found->text, kind);
  if (!parsed) {
    document_.error(diagnostics_, *found, fmt::format("'{}': {}", key, parsed.error));
    return fallback;
  }
  if (parsed.value < minimum) {
    document_.error(diagnostics_, *found,
                    fmt::format("'{}' is {}; it must be at least {}", key, found->text, to_text(minimum, kind)));
    return fallback;
  }
  return parsed.value;
}

double MapReader::number(const std::string& key, double fallback, double minimum, double maximum)
{
  const DocumentNode* found = scalar(key, "a number");
  if (found == nullptr)
    return fallback;
  double value = 0;
  const char* end = found->text.data() + found->text.size();
  const auto [stop, status] = std::from_chars(found->text.data(), end, value);
  const std::string_view rest{stop, end};
  const bool percent = rest == "%" || rest == " %";
  if (status != std::errc{} || (stop != end && !percent) || !std::isfinite(value) || (found->quoted && !percent)) {
    document_.error(diagnostics_, *found, fmt::format("'{}' must be a number, found {}", key, kind_name(*found)));
    return fallback;
  }
  value = percent ? value / 100 : value;
  if (value < minimum || value > maximum) {
    const std::string range = std::isinf(maximum)   ? fmt::format("at least {}", minimum)
                              : std::isinf(minimum) ? fmt::format("at most {}", maximum)
                                                    : fmt::format("from {} to {}", minimum, maximum);
    document_.error(diagnostics_, *found, fmt::format("'{}' is {}; it must be {}", key, found->text, range));
    return fallback;
  }
  return value;
}

int MapReader::required_integer(const std::string& key, int minimum, int maximum)
{
  return required(key) == nullptr ? minimum : integer(key, minimum, minimum, maximum);
}

int MapReader::integer(const std::string& key, int fallback, int minimum, int maximum)
{
  const DocumentNode* found = scalar(key, "a whole number");
  if (found == nullptr)
    return fallback;
  long long value = 0;
  const char* end = found->text.data() + found->text.size();
  const auto [stop, status] = std::from_chars(found->text.data(), end, value);
  const bool leading_zero = found->text.size() > 1 && found->text.front() == '0';
  if (status == std::errc::result_out_of_range || status != std::errc{} || stop != end || found->quoted ||
      leading_zero) {
    document_.error(diagnostics_, *found, fmt::format("'{}' must be a whole number, found {}", key, kind_name(*found)));
    return fallback;
  }
  if (value < minimum || value > maximum) {
    document_.error(diagnostics_, *found,
                    fmt::format("'{}' is {}; it must be from {} to {}", key, found->text, minimum, maximum));
    return fallback;
  }
  return static_cast<int>(value);
}

bool MapReader::flag(const std::string& key, bool fallback)
{
  const DocumentNode* found = scalar(key, "true or false");
  if (found == nullptr)
    return fallback;
  if (found->quoted || (found->text != "true" && found->text != "false")) {
    document_.error(diagnostics_, *found, fmt::format("'{}' must be true or false, found {}", key, kind_name(*found)));
    return fallback;
  }
  return found->text == "true";
}

std::string MapReader::required_text(const std::string& key)
{
  return required(key) == nullptr ? std::string{} : text(key, {});
}

std::string MapReader::text(const std::string& key, const std::string& fallback)
{
  const DocumentNode* found = scalar(key, "a text");
  return found == nullptr ? fallback : found->text;
}

std::string MapReader::choice(const std::string& key, const std::string& fallback,
                              const std::vector<std::string>& choices)
{
  const DocumentNode* found = scalar(key, "a name");
  if (found == nullptr || std::ranges::find(choices, found->text) != choices.end())
    return found == nullptr ? fallback : found->text;
  const bool number = found->text.find_first_not_of("0123456789.") == std::string::npos; // a version: it means itself
  const std::string suggestion =
      number || !suggests_more(diagnostics_) ? std::string{} : did_you_mean(found->text, choices);
  std::string known;
  for (const std::string& name : choices)
    known += (known.empty() ? "" : ", ") + name;
  document_.error(diagnostics_, *found,
                  fmt::format("unknown {} '{}'{}", key, found->text.substr(0, 60),
                              suggestion.empty() ? "; known: " + known : suggestion));
  return fallback;
}

std::vector<std::string> MapReader::texts(const std::string& key)
{
  std::vector<std::string> result;
  for (const DocumentNode* item : list(key)) {
    if (item->kind == Kind::scalar)
      result.push_back(item->text);
    else
      document_.error(diagnostics_, *item,
                      fmt::format("'{}' must be a list of names, found {}", key, kind_name(*item)));
  }
  return result;
}

std::vector<const DocumentNode*> MapReader::list(const std::string& key)
{
  std::vector<const DocumentNode*> result;
  const DocumentNode* found = node(key);
  if (found == nullptr || found->kind == Kind::null)
    return result;
  if (found->kind != Kind::list)
    return {found};
  for (const DocumentNode& item : found->items)
    result.push_back(&item);
  return result;
}

const std::vector<DocumentNode::Entry>& MapReader::entries() const
{
  static const std::vector<DocumentNode::Entry> none;
  return node_ == nullptr ? none : node_->entries;
}

std::vector<std::string> MapReader::known() const
{
  std::vector<std::string> names = known_;
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

std::string MapReader::belongs_below(const DocumentNode::Entry& entry) const
{
  for (const auto& [key, keys] : below_)
    if (std::ranges::binary_search(keys, entry.key))
      return fmt::format("; it belongs into '{0}', write '{0}: {{{1}: {2}}}'", key, entry.key,
                         entry.value.kind == Kind::scalar ? entry.value.text : "...");
  return {};
}

void MapReader::finish()
{
  tell_missing();
  if (std::ranges::find(asked_, 0) == asked_.end())
    return;
  const std::vector<std::string> known = this->known();
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i] != 0)
      continue;
    const DocumentNode::Entry& entry = entries()[i];
    const bool listed = suggests_more(diagnostics_);
    std::string suggestion = listed ? belongs_below(entry) : std::string{};
    if (listed && suggestion.empty())
      suggestion = did_you_mean(entry.key, known);
    if (listed && suggestion.empty()) {
      for (const std::string& name : known)
        suggestion += (suggestion.empty() ? "; known here: " : ", ") + name;
    }
    document_.error(diagnostics_, entry, fmt::format("unknown key '{}'{}", entry.key, suggestion));
  }
}

void MapReader::error(const std::string& key, const std::string& message)
{
  if (const DocumentNode* found = node(key); found != nullptr)
    document_.error(diagnostics_, *found, message);
  else if (node_ != nullptr)
    document_.error(diagnostics_, *node_, message);
  else
    diagnostics_.error({document_.file, 0, 0}, message);
}

} // namespace trainyard
