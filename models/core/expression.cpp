// SPDX-License-Identifier: Apache-2.0
#include "models/core/expression.hpp"

#include "models/core/closest.hpp"
#include "models/core/quantity_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

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

/// A number, a text, or whether a comparison holds.
struct Value {
  std::optional<double> number = {};
  std::string text = {};
  std::optional<bool> holds = {};
  bool unknown_name = false;
};

/// Recursive descent: or > and > not > comparison > sum > product > power > atom.
class ExpressionParser
{
public:
  using Lookup = std::function<std::optional<Value>(const std::string&)>;

  /// @p what the text is: "condition". @p unknown: what a name without a value is called.
  ExpressionParser(const std::string& text, std::string what, std::string unknown, Lookup lookup,
                   const std::vector<std::string>& known)
      : text_{text}, what_{std::move(what)}, unknown_{std::move(unknown)}, lookup_{std::move(lookup)}, known_{known}
  {
  }

  Value whole()
  {
    Value result = either();
    skip();
    if (at_ < text_.size())
      fail("there is text after the " + what_);
    return result;
  }

  bool truth(const Value& value) const
  {
    if (!value.holds)
      fail("a comparison (< <= > >= == !=) is missing");
    return *value.holds;
  }

  double number(const Value& value) const
  {
    if (value.number)
      return *value.number;
    if (value.unknown_name)
      fail(unknown_ + " '" + value.text + "'" + did_you_mean(value.text, known_));
    fail(value.holds ? "a comparison is not a number" : "'" + value.text + "' is not a number");
  }

private:
  struct Nested {
    int& depth;
    ~Nested() { --depth; }
  };

  Nested nested()
  {
    if (++depth_ > 100)
      fail("too many parentheses");
    return {depth_};
  }

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

  void expect(std::string_view token)
  {
    if (!take(token))
      fail("'" + std::string{token} + "' is missing");
  }

  static Value truth_value(bool holds) { return {.holds = holds}; }
  static Value number_value(double number) { return {.number = number}; }

  Value either()
  {
    Value value = both();
    while (take("or")) {
      const Value right = both();
      value = truth_value(truth(value) || truth(right));
    }
    return value;
  }

  Value both()
  {
    Value value = negated();
    while (take("and")) {
      const Value right = negated();
      value = truth_value(truth(value) && truth(right));
    }
    return value;
  }

  Value negated()
  {
    const Nested guard = nested();
    return take("not") ? truth_value(!truth(negated())) : comparison();
  }

  Value comparison()
  {
    Value left = sum();
    for (const char* op : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(op))
        return truth_value(compare(left, op, sum()));
    return left;
  }

  bool compare(const Value& left, std::string_view op, const Value& right) const
  {
    if ((op == "==" || op == "!=") && !left.holds && !right.holds) {
      const bool equal = left.number && right.number ? *left.number == *right.number : left.text == right.text;
      return equal == (op == "==");
    }
    const double a = number(left), b = number(right);
    return op == "<=" ? a <= b : op == ">=" ? a >= b : op == "<" ? a < b : a > b;
  }

  Value sum()
  {
    Value value = product();
    for (;;)
      if (take("+"))
        value = number_value(number(value) + number(product()));
      else if (take("-"))
        value = number_value(number(value) - number(product()));
      else
        return value;
  }

  Value product()
  {
    Value value = power();
    for (;;)
      if (take("*"))
        value = number_value(number(value) * number(power()));
      else if (take("/"))
        value = number_value(number(value) / number(power()));
      else
        return value;
  }

  Value power()
  {
    const Nested guard = nested();
    if (take("-"))
      return number_value(-number(power()));
    Value base = atom();
    return take("^") ? number_value(std::pow(number(base), number(power()))) : base;
  }

  Value atom()
  {
    if (take("(")) {
      Value value = either();
      expect(")");
      return value;
    }
    skip();
    if (at_ >= text_.size())
      fail("a number or a name is missing");
    if (const char quote = text_[at_]; quote == '\'' || quote == '"') {
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string::npos)
        fail("the quote is not closed");
      Value value{.text = text_.substr(at_ + 1, end - at_ - 1)};
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
    if (take("("))
      return call(name);
    return lookup_(name).value_or(Value{.text = name, .unknown_name = true});
  }

  Value call(const std::string& name)
  {
    if (name != "log2" && name != "min" && name != "max")
      fail("unknown function '" + name + "'");
    const double first = number(sum());
    double result = std::log2(first);
    if (name != "log2") {
      expect(",");
      const double second = number(sum());
      result = name == "min" ? std::min(first, second) : std::max(first, second);
    }
    expect(")");
    return number_value(result);
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
      return {.number = value, .text = text_.substr(start, after - start)};
    }
    const std::string whole = text_.substr(start, after - start) + " " + unit;
    const std::optional<double> quantity = any_quantity(whole);
    if (!quantity)
      fail("unknown unit '" + unit + "'");
    return {.number = quantity, .text = whole};
  }

  const std::string& text_;
  std::string what_, unknown_;
  Lookup lookup_;
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
  const auto value_of = [&](const std::string& name) -> std::optional<Value> {
    const std::optional<std::string> text = lookup(name);
    return text ? std::optional{Value{.number = any_quantity(*text), .text = *text}} : std::nullopt;
  };
  ExpressionParser parser{condition, "condition", "unknown name", value_of, known};
  return parser.truth(parser.whole());
}

double evaluate(const std::string& formula, const VariableLookup& variable)
{
  const auto value_of = [&](const std::string& name) -> std::optional<Value> {
    const std::optional<double> number = variable(name);
    return number ? std::optional{Value{.number = number}} : std::nullopt;
  };
  const std::vector<std::string> none;
  ExpressionParser parser{formula, "expression", "unknown or empty name", value_of, none};
  return parser.number(parser.whole());
}

} // namespace trainyard
