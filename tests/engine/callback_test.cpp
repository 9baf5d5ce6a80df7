// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/callback.hpp"

#include <array>
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

} // namespace
} // namespace trainyard
