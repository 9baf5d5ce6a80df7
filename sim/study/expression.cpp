// SPDX-License-Identifier: Apache-2.0
#include "sim/study/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

/// Recursive descent: sum > product > power > atom.
class Parser
{
public:
  Parser(const std::string& text, const VariableLookup& variable) : text_{text}, variable_{variable} {}

  double whole()
  {
    const double value = sum();
    if (peek() != '\0')
      fail("there is text after the expression");
    return value;
  }

private:
  [[noreturn]] void fail(const std::string& what) const
  {
    throw std::invalid_argument{what + " at character " + std::to_string(at_ + 1) + " of '" + text_ + "'"};
  }

  char peek()
  {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c)
  {
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }

  void expect(char c)
  {
    if (!take(c))
      fail(std::string{"'"} + c + "' is missing");
  }

  double sum()
  {
    if (++depth_ > 100)
      fail("too many parentheses");
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        break;
    }
    --depth_;
    return value;
  }

  double product()
  {
    double value = power();
    for (;;) {
      if (take('*'))
        value *= power();
      else if (take('/'))
        value /= power();
      else
        return value;
    }
  }

  double power()
  {
    if (take('-'))
      return -power();
    const double base = atom();
    return take('^') ? std::pow(base, power()) : base;
  }

  double atom()
  {
    if (take('(')) {
      const double value = sum();
      expect(')');
      return value;
    }
    const char first = peek();
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') {
      double value = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (status != std::errc{})
        fail("no number");
      at_ = static_cast<std::size_t>(end - text_.data());
      return value;
    }
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      name += text_[at_++];
    if (name.empty())
      fail("a number or a name is missing");
    return take('(') ? call(name) : value_of(name);
  }

  double call(const std::string& name)
  {
    const double first = sum();
    if (name == "log2") {
      expect(')');
      return std::log2(first);
    }
    expect(',');
    const double second = sum();
    expect(')');
    if (name == "min")
      return std::min(first, second);
    if (name == "max")
      return std::max(first, second);
    fail("unknown function '" + name + "'");
  }

  double value_of(const std::string& name)
  {
    const std::optional<double> value = variable_(name);
    if (!value)
      fail("unknown or empty name '" + name + "'");
    return *value;
  }

  const std::string& text_;
  const VariableLookup& variable_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

double evaluate(const std::string& expression, const VariableLookup& variable)
{
  return Parser{expression, variable}.whole();
}

} // namespace trainyard
