// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <memory>
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

} // namespace trainyard
