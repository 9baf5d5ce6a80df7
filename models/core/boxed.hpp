// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

namespace trainyard {

/// A value that lies elsewhere: the seldom and large alternative of a variant, which then takes the room of the others.
template <class Value>
class Boxed
{
public:
  Boxed(Value value) : value_{std::make_unique<Value>(std::move(value))} {} // made of any value
  Boxed(const Boxed& other) : Boxed{*other} {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept
  {
    value_.swap(other.value_);
    return *this;
  }
  ~Boxed() = default;

  const Value& operator*() const { return *value_; }
  Value& operator*() { return *value_; }
  bool operator==(const Boxed& other) const { return *value_ == *other; }

private:
  std::unique_ptr<Value> value_; // null only after a move
};

} // namespace trainyard
