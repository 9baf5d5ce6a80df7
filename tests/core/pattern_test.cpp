// SPDX-License-Identifier: Apache-2.0
#include "models/core/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

TEST(Pattern, FindsAPartOfTheText)
{
  EXPECT_TRUE(Pattern{"node-[0-9]+$"}.in("rack-1-node-17"));
  EXPECT_FALSE(Pattern{"^node-[0-9]+$"}.in("rack-1-node-17"));
}

// A matcher that goes back tries 2^n ways to divide n letters; this one reads each letter once.
TEST(Pattern, TakesNoLongerThanTheText)
{
  for (const char* text : {"(a+)+$", "^(a|a)*$", "(.*)*b$", "((a{1,10}){1,10}){1,10}$"})
    EXPECT_FALSE(Pattern{text}.in(std::string(100'000, 'a') + "c")) << text;
}

TEST(Pattern, SaysWhatIsWrong)
{
  const auto said = [](const std::string& text) -> std::string {
    try {
      const Pattern made{text};
      return "no fault";
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
  };
  EXPECT_EQ(said("a(b"), "missing ): a(b");
  EXPECT_EQ(said("a**"), "bad repetition operator: **");
  EXPECT_THAT(said("((a{1000}){1000}){1000}"), ::testing::HasSubstr("size")); // too large to be made
}

} // namespace
} // namespace trainyard
