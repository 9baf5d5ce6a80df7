// SPDX-License-Identifier: Apache-2.0
#include "models/core/parallel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace trainyard {
namespace {

TEST(InParallel, OneThreadWorksInOrder)
{
  std::vector<std::size_t> done;
  in_parallel(std::array{1.0, 3.0, 2.0}, 1, [&](std::size_t i) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 1, 2}));
}

// The first to begin waits until another has begun, so that both threads are at work. The smallest is left for the end.
TEST(InParallel, TheLargestBeginFirst)
{
  std::array<std::size_t, 3> began{};
  std::atomic<std::size_t> next = 0;
  in_parallel(std::array{1.0, 3.0, 2.0}, 2, [&](std::size_t i) {
    began.at(next++) = i;
    while (next < 2)
      next.wait(1);
    next.notify_all();
  });
  EXPECT_EQ(began[2], 0U);
}

TEST(InParallel, AllAreMadeAndTheFirstFaultIsThrown)
{
  for (const std::size_t threads : {1, 2}) {
    std::atomic<int> made = 0;
    const auto fail = [&](std::size_t i) {
      ++made;
      if (i > 0)
        throw std::runtime_error{std::to_string(i)};
    };
    try {
      in_parallel(std::array{1.0, 2.0, 3.0}, threads, fail);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& fault) {
      EXPECT_STREQ(fault.what(), "1");
    }
    EXPECT_EQ(made, 3);
  }
}

} // namespace
} // namespace trainyard
