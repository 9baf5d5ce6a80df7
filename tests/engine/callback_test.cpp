// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/callback.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

TEST(Callback, CallsWhatItHoldsAfterItHasBeenMoved)
{
  int called = 0;
  const std::array<int, 16> many{1, 2, 3}; // more than two words
  std::vector<Callback> callbacks;
  callbacks.emplace_back([&called] { ++called; });
  callbacks.emplace_back([&called, many] { called += 10 * many[2]; });
  callbacks.emplace_back([&called, alone = std::make_unique<int>(100)] { called += *alone; }); // cannot be copied
  const std::vector<Callback> moved = std::move(callbacks);
  for (const Callback& callback : moved)
    callback();
  EXPECT_EQ(called, 1 + 30 + 100);
}

TEST(Callback, LetsGoOfWhatItHeld)
{
  const auto kept = std::make_shared<int>(0);
  Callback callback{[kept] {}};
  EXPECT_EQ(kept.use_count(), 2);
  Callback other = std::move(callback);
  EXPECT_EQ(kept.use_count(), 2);
  other = {};
  EXPECT_EQ(kept.use_count(), 1);
}

/// As large as two words, but they must lie at multiples of 16 B.
struct alignas(16) Aligned {
  bool* right;
  void operator()() const { *right = reinterpret_cast<std::uintptr_t>(this) % 16 == 0; }
};

TEST(Callback, WhatMustBeAlignedMoreThanAWordIsSo)
{
  struct Shifted {
    void* word = nullptr;
    Callback callback;
  };
  for (int count = 0; count < 2; ++count) {
    bool right = false;
    Callback callbacks[2] = {Aligned{&right}, Aligned{&right}};
    callbacks[count]();
    EXPECT_TRUE(right);
    alignas(16) Shifted shifted{nullptr, Aligned{&right}};
    shifted.callback();
    EXPECT_TRUE(right);
  }
}

} // namespace
} // namespace trainyard
