// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/condition.hpp"

#include "models/core/closest.hpp"
#include "models/core/quantity_text.hpp"

#include <cctype>
#include <charconv>
#include <stdexcept>

namespace trainyard {
namespace {

bool is_name_start(char c)
{
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_name_part(char c)
{
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

/// A number or a text; `name` is the word it was written as.
struct Value {
  std::optional<double> number;
  std::string text;
  bool unknown_name = false;
};

/// Recursive descent: or > and > not > comparison > sum > product > atom.
class Parser
{
public:
  Parser(const std::string& text, const NameLookup& lookup, const std::vector<std::string>& known)
      : text_{text}, lookup_{lookup}, known_{known}
  {
  }

  bool whole()
  {
    const bool result = either();
    skip();
    if (at_ < text_.size())
      fail("there is text after the condition");
    return result;
  }

private:
  [[noreturn]] void fail(const std::string& what) const
  {
    throw std::invalid_argument{what + " at character " + std::to_string(at_ + 1) + " of '" + text_ + "'"};
  }

  void skip()
  {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }

  bool take(std::string_view token)
  {
    skip();
    if (text_.compare(at_, token.size(), token) != 0)
      return false;
    const bool word = is_name_start(token.front());
    if (word && at_ + token.size() < text_.size() && is_name_part(text_[at_ + token.size()]))
      return false;
    at_ += token.size();
    return true;
  }

  bool either()
  {
    if (++depth_ > 50)
      fail("too many parentheses");
    bool result = both();
    while (take("or")) {
      const bool right = both();
      result = result || right;
    }
    --depth_;
    return result;
  }

  bool both()
  {
    bool result = negated();
    while (take("and")) {
      const bool right = negated();
      result = result && right;
    }
    return result;
  }

  bool negated()
  {
    if (take("not"))
      return !negated();
    const std::size_t start = at_;
    if (take("(")) { // a condition in parentheses, unless a comparison follows: (a + b) < c
      const int depth = depth_;
      try {
        const bool inner = either();
        if (take(")") && !starts_operator())
          return inner;
      } catch (const std::invalid_argument&) {
      }
      at_ = start;
      depth_ = depth;
    }
    return comparison();
  }

  bool starts_operator()
  {
    skip();
    return at_ < text_.size() && std::string_view{"<>=!+-*/"}.find(text_[at_]) != std::string_view::npos;
  }

  bool comparison()
  {
    const Value left = sum();
    for (const char* op : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(op))
        return compare(left, op, sum());
    fail("a comparison (< <= > >= == !=) is missing");
  }

  bool compare(const Value& left, std::string_view op, const Value& right) const
  {
    if (op == "==" || op == "!=") {
      const bool equal = left.number && right.number ? *left.number == *right.number : left.text == right.text;
      return equal == (op == "==");
    }
    const double a = number(left), b = number(right);
    return op == "<=" ? a <= b : op == ">=" ? a >= b : op == "<" ? a < b : a > b;
  }

  double number(const Value& value) const
  {
    if (value.number)
      return *value.number;
    if (value.unknown_name)
      fail("unknown name '" + value.text + "'" + did_you_mean(value.text, known_));
    fail("'" + value.text + "' is not a number");
  }

  Value sum()
  {
    if (++depth_ > 50)
      fail("too many parentheses");
    Value value = product();
    for (;;) {
      if (take("+"))
        value = {number(value) + number(product()), {}};
      else if (take("-"))
        value = {number(value) - number(product()), {}};
      else
        break;
    }
    --depth_;
    return value;
  }

  Value product()
  {
    Value value = atom();
    for (;;) {
      if (take("*"))
        value = {number(value) * number(atom()), {}};
      else if (take("/"))
        value = {number(value) / number(atom()), {}};
      else
        return value;
    }
  }

  Value atom()
  {
    if (take("(")) {
      Value value = sum();
      if (!take(")"))
        fail("')' is missing");
      return value;
    }
    if (take("-"))
      return {-number(atom()), {}};
    skip();
    if (at_ >= text_.size())
      fail("a number or a name is missing");
    if (const char quote = text_[at_]; quote == '\'' || quote == '"') {
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string::npos)
        fail("the quote is not closed");
      Value value{{}, text_.substr(at_ + 1, end - at_ - 1)};
      at_ = end + 1;
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')
      return written_number();
    std::string name;
    while (at_ < text_.size() && (name.empty() ? is_name_start(text_[at_]) : is_name_part(text_[at_])))
      name += text_[at_++];
    if (name.empty())
      fail("a number or a name is missing");
    const std::optional<std::string> found = lookup_(name);
    if (!found)
      return {{}, name, true};
    return {any_quantity(*found), *found};
  }

  Value written_number()
  {
    const std::size_t start = at_;
    double value = 0;
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc{})
      fail("no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    const std::size_t after = at_;
    skip();
    std::string unit;
    while (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '%' ||
                                  text_[at_] == '$' || (text_[at_] == '/' && !unit.empty())))
      unit += text_[at_++];
    if (unit.empty() || unit == "and" || unit == "or") {
      at_ = after;
      return {value, text_.substr(start, after - start)};
    }
    const std::string whole = text_.substr(start, after - start) + " " + unit;
    const std::optional<double> quantity = any_quantity(whole);
    if (!quantity)
      fail("unknown unit '" + unit + "'");
    return {quantity, whole};
  }

  const std::string& text_;
  const NameLookup& lookup_;
  const std::vector<std::string>& known_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

std::optional<double> any_quantity(std::string_view text)
{
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc{} && end == text.data() + text.size())
    return number;
  for (const QuantityKind kind : {QuantityKind::duration, QuantityKind::bytes, QuantityKind::bandwidth,
                                  QuantityKind::flops, QuantityKind::flops_rate, QuantityKind::power,
                                  QuantityKind::money_rate, QuantityKind::money, QuantityKind::ratio})
    if (const QuantityText read = parse_quantity(text, kind); read)
      return read.value;
  return std::nullopt;
}

bool condition_holds(const std::string& condition, const NameLookup& lookup, const std::vector<std::string>& known)
{
  return Parser{condition, lookup, known}.whole();
}

} // namespace trainyard
