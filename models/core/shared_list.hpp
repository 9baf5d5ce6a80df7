// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A list that never changes and that its copies share: the ranks of a collective are named by each call of each step.
template <class Value>
class SharedList
{
public:
  SharedList() = default;
  SharedList(std::vector<Value> values) // made of any list
      : values_{values.empty() ? nullptr : std::make_shared<const std::vector<Value>>(std::move(values))}
  {
  }
  SharedList(std::initializer_list<Value> values) : SharedList{std::vector<Value>{values}} {}

  bool empty() const { return values_ == nullptr; }
  std::size_t size() const { return empty() ? 0 : values_->size(); }
  const Value* begin() const { return empty() ? nullptr : values_->data(); }
  const Value* end() const { return begin() + size(); }
  const Value& operator[](std::size_t index) const { return (*values_)[index]; }

  bool operator==(const SharedList& other) const
  {
    return values_ == other.values_ || (size() == other.size() && (*this <=> other) == 0);
  }
  std::strong_ordering operator<=>(const SharedList& other) const
  {
    if (values_ == other.values_)
      return std::strong_ordering::equal;
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
  }

private:
  std::shared_ptr<const std::vector<Value>> values_; // null: empty
};

/// A text that never changes and that its copies share: operations of all steps have the same names.
class SharedText
{
public:
  SharedText() = default;
  SharedText(std::string text)
      : text_{text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))} {} // made of any text
  SharedText(const char* text) : SharedText{std::string{text}} {}

  bool empty() const { return text_ == nullptr; }
  const std::string& text() const
  {
    static const std::string none;
    return empty() ? none : *text_;
  }
  operator const std::string&() const { return text(); }
  bool starts_with(std::string_view begin) const { return text().starts_with(begin); }

  bool operator==(const SharedText& other) const { return text_ == other.text_ || text() == other.text(); }
  bool operator==(const char* other) const { return text() == other; }
  bool operator==(const std::string& other) const { return text() == other; }

private:
  std::shared_ptr<const std::string> text_; // null: empty
};

} // namespace trainyard
