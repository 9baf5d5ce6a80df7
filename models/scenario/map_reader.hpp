// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/scenario/document.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Reads one map of a document. Reading a key makes it known; `finish()` reports the others with a suggestion.
///
/// A fault is added to the diagnostics and the fallback (or a neutral value) returned, so that one pass finds all of
/// them.
class MapReader
{
public:
  /// @p what names the map in messages: "job 'vgg'". A node that is not a map is reported; absent maps (null pointer)
  /// read as empty.
  MapReader(const Document& document, const DocumentNode* node, std::string what, Diagnostics& diagnostics);

  ~MapReader();
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  bool has(const std::string& key);
  const DocumentNode* node(const std::string& key);
  /// The same; it is a fault if the key is absent, told by finish().
  const DocumentNode* required(const std::string& key);

  double required_quantity(const std::string& key, QuantityKind kind, double minimum = 0);
  double quantity(const std::string& key, QuantityKind kind, double fallback, double minimum = 0);
  double number(const std::string& key, double fallback, double minimum = -std::numeric_limits<double>::infinity(),
                double maximum = std::numeric_limits<double>::infinity());
  int required_integer(const std::string& key, int minimum, int maximum = 1'000'000'000);
  int integer(const std::string& key, int fallback, int minimum, int maximum = 1'000'000'000);
  bool flag(const std::string& key, bool fallback);
  std::string required_text(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  /// One of @p choices; another word is an error that offers the nearest one.
  std::string choice(const std::string& key, const std::string& fallback, const std::vector<std::string>& choices);
  std::vector<std::string> texts(const std::string& key);
  /// The items of a list (a single map or text counts as a list of one).
  std::vector<const DocumentNode*> list(const std::string& key);

  /// @p key is a map with these keys: one of them that stands here belongs there.
  void has_below(const std::string& key, std::vector<std::string> keys) { below_.emplace_back(key, std::move(keys)); }
  /// All keys that were asked for, in order, each once.
  std::vector<std::string> known() const;
  /// Reports keys that are missing, and keys that were not read.
  void finish();
  void error(const std::string& key, const std::string& message);
  const std::vector<DocumentNode::Entry>& entries() const;

private:
  void tell_missing();
  std::string belongs_below(const DocumentNode::Entry& entry) const;
  const DocumentNode* scalar(const std::string& key, const std::string& expected);

  const Document& document_;
  const DocumentNode* node_;
  std::string what_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_; // keys that were asked for; some of them several times
  std::vector<char> asked_;        // by entry
  std::vector<std::string> missing_;
  std::vector<std::pair<std::string, std::vector<std::string>>> below_; // a key, and those of its map
};

} // namespace trainyard
