// SPDX-License-Identifier: Apache-2.0
#include "models/results/json.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

/// Only characters that stand for themselves in JSON: printable ones of ASCII but quotes and backslashes.
bool stands_for_itself(std::string_view text)
{
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
}

Json number_json(double value)
{
  return std::isfinite(value) ? Json(value) : Json();
}

} // namespace

void JsonText::add(double value)
{
  const auto bits = std::bit_cast<std::uint64_t>(value);
  Number& number = numbers[bits * 0x9E3779B97F4A7C15U >> 58U];
  if (number.length == 0 || number.bits != bits) {
    char* const first = number.digits.data();
    number.bits = bits;
    number.length =
        static_cast<std::uint8_t>(nlohmann::detail::to_chars(first, first + number.digits.size(), value) - first);
  }
  text.append(number.digits.data(), number.length);
}

void JsonObject::add(std::string_view key, std::string_view value)
{
  begin(key);
  if (stands_for_itself(value)) {
    text_ += '"';
    text_ += value;
    text_ += '"';
  } else
    text_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonObject::add(std::string_view key, double value)
{
  begin(key);
  if (std::isfinite(value))
    json_.add(value);
  else
    text_ += "null";
}

void JsonObject::add(std::string_view key, bool value)
{
  begin(key);
  text_ += value ? "true" : "false";
}

void JsonObject::add(std::string_view key, const Estimate& value)
{
  begin(key);
  JsonObject parts{json_};
  parts.add("mean", value.mean);
  parts.add("low", value.low);
  parts.add("high", value.high);
}

void JsonObject::add(std::string_view key, const Value& value)
{
  if (const double* number = std::get_if<double>(&value))
    add(key, *number);
  else if (const auto words = words_of(value))
    add(key, *words);
  else if (const auto* estimate = std::get_if<Estimate>(&value))
    add(key, *estimate);
  else if (const auto* whole = std::get_if<std::int64_t>(&value))
    add(key, *whole);
  else {
    begin(key);
    text_ += to_json(value).dump();
  }
}

void JsonObject::begin(std::string_view key)
{
  std::array<char, 64> piece{}; // appended at once
  if (key.size() + 4 > piece.size()) {
    text_.append(text_.back() != '{' ? "," : "").append(1, '"').append(key).append("\":");
    return;
  }
  auto end = piece.begin();
  if (text_.back() != '{')
    *end++ = ',';
  *end++ = '"';
  end = std::ranges::copy(key, end).out;
  *end++ = '"';
  *end++ = ':';
  text_.append(piece.begin(), end);
}

Json to_json(const Message& message)
{
  Json arguments = Json::object();
  for (const auto& [name, argument] : message.arguments)
    if (const auto* figure = std::get_if<Figure>(&argument)) {
      arguments[name] = {{"value", number_json(figure->value)}, {"text", figure->text}};
    } else if (const auto* parts = std::get_if<std::vector<Message>>(&argument)) {
      arguments[name] = Json::array();
      for (const Message& part : *parts)
        arguments[name].push_back(to_json(part));
    } else if (const auto* count = std::get_if<std::int64_t>(&argument)) {
      arguments[name] = *count;
    } else
      arguments[name] = std::get<std::string>(argument);
  Json json = {{"id", message.id}, {"kind", to_text(message.kind)}, {"text", message.text}};
  if (!arguments.empty())
    json["arguments"] = arguments;
  if (!message.counted.empty())
    json["counted"] = message.counted;
  return json;
}

Message read_message(const nlohmann::json& json)
{
  Message message{.id = json.value("id", ""), .text = json.value("text", ""), .counted = json.value("counted", "")};
  for (const MessageKind kind : {MessageKind::answer, MessageKind::cost, MessageKind::warning, MessageKind::error})
    if (json.value("kind", "") == to_text(kind))
      message.kind = kind;
  const nlohmann::json arguments = json.value("arguments", nlohmann::json::object());
  for (const auto& [name, value] : arguments.items())
    if (value.is_string()) {
      message.arguments.emplace_back(name, value.get<std::string>());
    } else if (value.is_number()) {
      message.arguments.emplace_back(name, value.get<std::int64_t>());
    } else if (value.is_array()) {
      std::vector<Message> parts;
      for (const nlohmann::json& part : value)
        parts.push_back(read_message(part));
      message.arguments.emplace_back(name, std::move(parts));
    } else {
      const nlohmann::json& number = value.at("value");
      message.arguments.emplace_back(name,
                                     Figure{number.is_null() ? 0 : number.get<double>(), value.value("text", "")});
    }
  return message;
}

Json to_json(const Value& value)
{
  if (const double* number = std::get_if<double>(&value))
    return number_json(*number);
  if (const auto words = words_of(value))
    return *words;
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return *whole;
  if (const auto* time = std::get_if<Instant>(&value))
    return static_cast<double>(time->count()) * 1e-9;
  if (const auto* one = std::get_if<Estimate>(&value))
    return {{"mean", one->mean}, {"low", one->low}, {"high", one->high}};
  if (const auto* all = std::get_if<Distribution>(&value))
    return {{"mean", all->mean}, {"p50", all->p50}, {"p95", all->p95}, {"p99", all->p99}, {"max", all->largest}};
  return nullptr;
}

} // namespace trainyard
