// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace trainyard {

/// A list of numbers of four bytes that never grows: up to three of them lie in the list itself, which takes 16 bytes.
/// What most operations of a step program wait for, hold and load is one number or two.
template <class Value>
class SmallList
{
  static_assert(sizeof(Value) == 4 && alignof(Value) == 4 && std::is_trivially_copyable_v<Value>);

public:
  using value_type = Value;

  SmallList() = default;
  SmallList(const std::vector<Value>& values) : SmallList{values.data(), values.size()} {} // made of any list
  SmallList(std::initializer_list<Value> values) : SmallList{values.begin(), values.size()} {}
  SmallList(const SmallList& other) : SmallList{other.begin(), other.size()} {}
  SmallList(SmallList&& other) noexcept { swap(other); }
  SmallList& operator=(SmallList other) noexcept
  {
    swap(other);
    return *this;
  }
  ~SmallList()
  {
    if (size_ > within)
      delete[] elsewhere();
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const Value* data() const { return size_ > within ? elsewhere() : reinterpret_cast<const Value*>(bytes_); }
  const Value* begin() const { return data(); }
  const Value* end() const { return data() + size_; }
  const Value& front() const { return *data(); }
  const Value& operator[](std::size_t index) const { return data()[index]; }
  void clear() { *this = {}; }

  operator std::vector<Value>() const { return {begin(), end()}; }
  bool operator==(const SmallList& other) const
  {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }

private:
  static constexpr std::uint32_t within = 3;

  SmallList(const Value* values, std::size_t count) : size_{static_cast<std::uint32_t>(count)}
  {
    if (size_ <= within) {
      std::copy_n(values, count, reinterpret_cast<Value*>(bytes_));
      return;
    }
    Value* const place = new Value[count];
    std::copy_n(values, count, place);
    std::memcpy(bytes_ + sizeof(Value), &place, sizeof(void*)); // at a multiple of eight bytes
  }

  Value* elsewhere() const
  {
    Value* place = nullptr;
    std::memcpy(&place, bytes_ + sizeof(Value), sizeof(void*));
    return place;
  }

  void swap(SmallList& other) noexcept
  {
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }

  std::uint32_t size_ = 0;
  alignas(Value) unsigned char bytes_[within * sizeof(Value)] = {}; // where there are more values: where they are
};

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
