// SPDX-License-Identifier: Apache-2.0
// Changes of a scenario's text by position: comments, order and layout of all other lines stay as they are.
#pragma once
#include "models/scenario/document.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Replaces a range of a text.
struct TextEdit {
  TextRange range;
  std::string text;
};

std::string applied(const std::string& text, const TextEdit& edit);

/// The edits below parse the text, change it, parse the result and compare the trees: an edit that would change
/// anything else than what was asked (a value behind an alias, a text over several lines in an unusual form) is
/// refused. They throw InputError with the reason: the text does not parse, the path does not exist, or the place must
/// be edited by hand. Values are YAML in flow style: `8`, `25 Gbit/s`,
/// `{name: a, count: 2}`.

/// Sets the value at @p path; a last key that is missing is added at the end of its map, maps above it that are missing
/// are made.
TextEdit set_value_edit(const std::string& text, const std::string& path, const std::string& value);

/// Adds an item at the end of the list at @p path; the list is made where it is missing.
TextEdit append_item_edit(const std::string& text, const std::string& path, const std::string& value);

/// Takes out the map entry or list item at @p path. The last item of a list leaves `[]`.
TextEdit remove_edit(const std::string& text, const std::string& path);

/// A text as a YAML scalar: quoted where it would otherwise be read as something else.
std::string yaml_scalar(std::string_view text);

} // namespace trainyard
