// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A JSON document as a tree, each value with its place in the text. Our own, because simcal reads and writes
/// calibration files without any library, and importers tell the line of every value, which nlohmann-json 3.11 does not
/// know. Everything else is nlohmann-json; simdjson reads files that are too large for a tree.
struct Json {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };

  Kind kind = Kind::null;
  bool flag = false;
  double value = 0;
  std::string string;
  std::vector<Json> items;                           // of an array
  std::vector<std::pair<std::string, Json>> members; // of an object, in the order of the file
  int line = 0;                                      // counts from 1; 0 = made by a program
  int column = 0;

  Json() = default;
  Json(double number) : kind{Kind::number}, value{number} {}
  Json(int number) : kind{Kind::number}, value{static_cast<double>(number)} {}
  Json(bool boolean) : kind{Kind::boolean}, flag{boolean} {}
  Json(std::string text) : kind{Kind::text}, string{std::move(text)} {}
  Json(const char* text) : kind{Kind::text}, string{text} {}
  static Json array() { return of(Kind::array); }
  static Json object() { return of(Kind::object); }

  /// The member of that name; nullptr where there is none or this is no object.
  const Json* find(std::string_view name) const;
  /// Adds a member to an object, without looking whether it is there.
  Json& add(std::string name, Json member);

private:
  static Json of(Kind kind)
  {
    Json result;
    result.kind = kind;
    return result;
  }
};

/// Reads one JSON value and nothing after it; NaN and Infinity, as Python writes them, are null. Throws InputError
/// naming @p file, line and column: broken syntax, a number out of range, a name given twice, nesting beyond 64.
Json parse_json(std::string_view text, const std::string& file);

/// With line breaks and @p indent; arrays of plain values stay on one line. Numbers read back to the same double; those
/// that are not finite become null.
std::string json_text(const Json& json, int indent = 1);

} // namespace trainyard
