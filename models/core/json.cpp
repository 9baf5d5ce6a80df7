// SPDX-License-Identifier: Apache-2.0
#include "models/core/json.hpp"

#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>

namespace trainyard {
namespace {

constexpr int deepest = 64;

class Parser
{
public:
  Parser(std::string_view text, const std::string& file) : text_{text}, file_{file} {}

  Json document()
  {
    Json result = value(0);
    skip_blanks();
    if (at_ < text_.size())
      fault("text after the end of the document");
    return result;
  }

private:
  [[noreturn]] void fault(const std::string& what) const
  {
    Diagnostic diagnostic;
    diagnostic.where = {file_, line_, column()};
    diagnostic.message = what;
    const std::size_t end = std::min(text_.find('\n', line_start_), text_.size());
    diagnostic.source_line = std::string{text_.substr(line_start_, end - line_start_)};
    throw InputError{std::vector{diagnostic}};
  }

  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  void skip_blanks()
  {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
      ++at_;
    }
  }

  char peek()
  {
    skip_blanks();
    if (at_ >= text_.size())
      fault("the document ends in the middle; is the file cut off?");
    return text_[at_];
  }

  bool take(char wanted)
  {
    if (peek() != wanted)
      return false;
    ++at_;
    return true;
  }

  void expect(char wanted)
  {
    if (!take(wanted))
      fault(std::string{"expected '"} + wanted + "'");
  }

  bool word(std::string_view name)
  {
    if (text_.substr(at_, name.size()) != name)
      return false;
    at_ += name.size();
    return true;
  }

  Json value(int depth)
  {
    if (depth > deepest)
      fault("nested deeper than 64 levels");
    const char first = peek();
    Json result;
    const int line = line_;
    const int place = column();
    if (first == '{')
      result = object(depth);
    else if (first == '[')
      result = list(depth);
    else if (first == '"')
      result = Json{string()};
    else if (word("true"))
      result = Json{true};
    else if (word("false"))
      result = Json{false};
    else if (!word("null") && !word("NaN") && !word("Infinity") && !word("-Infinity")) // as Python writes them
      result = Json{number()};
    result.line = line;
    result.column = place;
    return result;
  }

  Json object(int depth)
  {
    Json result = Json::object();
    expect('{');
    if (take('}'))
      return result;
    std::set<std::string> names; // of an object with many
    do {
      if (peek() != '"')
        fault("expected a name in quotes");
      std::string name = string();
      const bool many = result.members.size() >= 32;
      if (many && names.empty())
        for (const auto& [known, member] : result.members)
          names.insert(known);
      if (many ? !names.insert(name).second : result.find(name) != nullptr)
        fault("'" + name + "' is given twice");
      expect(':');
      result.add(std::move(name), value(depth + 1));
    } while (take(','));
    expect('}');
    return result;
  }

  Json list(int depth)
  {
    Json result = Json::array();
    expect('[');
    if (take(']'))
      return result;
    do
      result.items.push_back(value(depth + 1));
    while (take(','));
    expect(']');
    return result;
  }

  double number()
  {
    double result = 0;
    const char* begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), result);
    if (status == std::errc::result_out_of_range)
      fault("the number is out of range");
    if (status != std::errc{} || !std::isfinite(result))
      fault("expected a value");
    at_ += static_cast<std::size_t>(end - begin);
    return result;
  }

  std::string string()
  {
    std::string result;
    ++at_;
    while (true) {
      if (at_ >= text_.size() || text_[at_] == '\n')
        fault("the text has no closing quote");
      const char c = text_[at_++];
      if (c == '"')
        return result;
      if (static_cast<unsigned char>(c) < 0x20)
        fault("a control character inside a text");
      if (c != '\\') {
        result += c;
        continue;
      }
      escape(result);
    }
  }

  void escape(std::string& result)
  {
    if (at_ >= text_.size())
      fault("the text has no closing quote");
    const char c = text_[at_++];
    constexpr std::string_view names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t known = names.find(c); known != std::string_view::npos) {
      result += meanings[known];
      return;
    }
    unsigned code = 0;
    const char* begin = text_.data() + at_;
    if (c != 'u' || at_ + 4 > text_.size() || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4)
      fault("unknown escape in a text");
    at_ += 4;
    if (code < 0x80) {
      result += static_cast<char>(code);
    } else if (code < 0x800) {
      result += static_cast<char>(0xC0 | code >> 6);
      result += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      result += static_cast<char>(0xE0 | code >> 12);
      result += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      result += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

void write_string(std::string& out, const std::string& text)
{
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view digits = "0123456789abcdef";
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

bool plain(const Json& json)
{
  return json.kind != Json::Kind::array && json.kind != Json::Kind::object;
}

void write(std::string& out, const Json& json, int indent, int depth)
{
  const auto line = [&](int level) {
    out += '\n';
    out.append(static_cast<std::size_t>(level * indent), ' ');
  };
  switch (json.kind) {
  case Json::Kind::null:
    out += "null";
    break;
  case Json::Kind::boolean:
    out += json.flag ? "true" : "false";
    break;
  case Json::Kind::number: {
    std::array<char, 32> digits{};
    if (!std::isfinite(json.value))
      out += "null";
    else
      out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), json.value).ptr);
    break;
  }
  case Json::Kind::text:
    write_string(out, json.string);
    break;
  case Json::Kind::array: {
    const bool one_line = std::ranges::all_of(json.items, plain);
    out += '[';
    for (std::size_t i = 0; i < json.items.size(); ++i) {
      if (i > 0)
        out += one_line ? ", " : ",";
      if (!one_line)
        line(depth + 1);
      write(out, json.items[i], indent, depth + 1);
    }
    if (!one_line)
      line(depth);
    out += ']';
    break;
  }
  case Json::Kind::object: {
    // Leaves of the tree, such as a measured point, stay on one line.
    const bool one_line =
        depth > 1 && std::ranges::all_of(json.members, [](const auto& member) { return plain(member.second); });
    out += '{';
    for (std::size_t i = 0; i < json.members.size(); ++i) {
      if (i > 0)
        out += one_line ? ", " : ",";
      if (!one_line)
        line(depth + 1);
      write_string(out, json.members[i].first);
      out += ": ";
      write(out, json.members[i].second, indent, depth + 1);
    }
    if (!one_line && !json.members.empty())
      line(depth);
    out += '}';
    break;
  }
  }
}

} // namespace

const Json* Json::find(std::string_view name) const
{
  for (const auto& [key, member] : members)
    if (key == name)
      return &member;
  return nullptr;
}

Json& Json::add(std::string name, Json member)
{
  members.emplace_back(std::move(name), std::move(member));
  return *this;
}

Json parse_json(std::string_view text, const std::string& file)
{
  return Parser{text, file}.document();
}

std::string json_text(const Json& json, int indent)
{
  std::string out;
  write(out, json, indent, 0);
  out += '\n';
  return out;
}

} // namespace trainyard
