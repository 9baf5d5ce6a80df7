// SPDX-License-Identifier: Apache-2.0
// The one writer of tables and messages as JSON.
#pragma once
#include "models/results/column.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Text that grows, with the numbers that were written lately: the same one often comes again, as in an interval
/// without width, or on all links of a way.
struct JsonText {
  struct Number {
    std::uint64_t bits = 0; // of the value; no digits: none
    std::uint8_t length = 0;
    std::array<char, 31> digits{};
  };
  std::string text{};
  std::array<Number, 64> numbers{};

  void add(double value);
};

/// An object, member by member, as nlohmann::json would write it: of rows there may be many thousands.
class JsonObject
{
public:
  explicit JsonObject(JsonText& json) : json_{json}, text_{json.text} { text_ += '{'; }
  ~JsonObject() { text_ += '}'; }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, const std::string& value) { add(key, std::string_view{value}); }
  void add(std::string_view key, const char* value) { add(key, std::string_view{value}); }
  void add(std::string_view key, double value);
  void add(std::string_view key, std::integral auto value)
  {
    begin(key);
    text_ += std::to_string(value);
  }
  void add(std::string_view key, bool value);
  void add(std::string_view key, const Estimate& value);
  /// Intervals and distributions are objects, what is absent or no number is null.
  void add(std::string_view key, const Value& value);
  /// The text of its value follows.
  void begin(std::string_view key);

private:
  JsonText& json_;
  std::string& text_;
};

/// Adds the columns of a row in their order.
template <class Row>
void add_row(JsonObject& object, const std::vector<ResultColumn<Row>>& columns, const Row& row)
{
  for (const ResultColumn<Row>& column : columns)
    if ((column.places & in_json) != 0)
      object.add(column.name, value_of(column, row));
}

nlohmann::ordered_json to_json(const Value& value);
/// {"id": …, "text": …, "arguments": {…}}; a part that is a message is one of these again.
nlohmann::ordered_json to_json(const Message& message);
/// The other way. Throws nlohmann::json::exception where it is none.
Message read_message(const nlohmann::json& json);

/// A row as an object, its columns in their order.
template <class Row>
nlohmann::ordered_json row_json(const std::vector<ResultColumn<Row>>& columns, const Row& row)
{
  nlohmann::ordered_json::object_t json; // no two columns have one name
  for (const ResultColumn<Row>& column : columns)
    if ((column.places & in_json) != 0)
      json.emplace_back(column.name, to_json(value_of(column, row)));
  return json;
}

/// The other way: every column that is a member; what the object lacks stays as it is. Throws nlohmann::json::exception
/// for a value of another kind.
template <class Row, class AnyJson>
void read_row(const std::vector<ResultColumn<Row>>& columns, const AnyJson& json, Row& row)
{
  for (const ResultColumn<Row>& column : columns) {
    const auto found = json.find(column.name);
    if ((column.places & in_json) == 0 || found == json.end() || found->is_null())
      continue;
    std::visit(
        [&](const auto& field) {
          using Field = std::decay_t<decltype(field)>;
          if constexpr (std::is_member_object_pointer_v<Field>) {
            auto& member = row.*field;
            using Member = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<Member, Estimate>)
              member = {found->value("mean", 0.0), found->value("low", 0.0), found->value("high", 0.0)};
            else if constexpr (std::is_same_v<Member, Distribution>)
              member = {found->value("mean", 0.0), found->value("p50", 0.0), found->value("p95", 0.0),
                        found->value("p99", 0.0),  found->value("max", 0.0), 1};
            else if constexpr (std::is_same_v<Member, std::optional<Dollars>>)
              member = Dollars{found->template get<double>()};
            else if constexpr (std::is_same_v<Member, Seconds> || std::is_same_v<Member, Bytes>)
              member = Member{found->template get<double>()};
            else if constexpr (std::is_same_v<Member, Message>)
              member = Message{.text = found->template get<std::string>()};
            else
              member = found->template get<Member>();
          }
        },
        column.field);
  }
}

} // namespace trainyard
