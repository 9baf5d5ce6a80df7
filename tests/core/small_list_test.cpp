// SPDX-License-Identifier: Apache-2.0
#include "models/core/shared_list.hpp"
#include "models/core/small_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trainyard {
namespace {

/// Up to three values lie in the list, more elsewhere: both sides of that border, and both ways across it.
TEST(SmallList, HoldsAsManyValuesAsItIsGiven)
{
  for (int size = 0; size < 6; ++size) {
    std::vector<int> values;
    for (int i = 0; i < size; ++i)
      values.push_back(10 + i);
    const SmallList<int> list{values};
    EXPECT_EQ(list.size(), values.size());
    EXPECT_EQ(list.empty(), size == 0);
    EXPECT_EQ(std::vector<int>(list), values);
    if (size > 0) {
      EXPECT_EQ(list.front(), 10);
      EXPECT_EQ(list[list.size() - 1], 9 + size);
    }
  }
  EXPECT_EQ(sizeof(SmallList<int>), 16u);
}

TEST(SmallList, IsCopiedMovedAndCompared)
{
  const SmallList<int> few{1, 2, 3};
  const SmallList<int> many{1, 2, 3, 4};
  SmallList<int> list = many;
  EXPECT_EQ(list, many);
  EXPECT_FALSE(list == few);
  list = few;
  EXPECT_EQ(list, few);
  list = many;
  SmallList<int> moved = std::move(list);
  EXPECT_EQ(moved, many);
  moved.clear();
  EXPECT_TRUE(moved.empty());
  EXPECT_EQ(many.size(), 4u) << "its copies have values of their own";
}

TEST(SharedText, IsWhatItWasMadeOf)
{
  const SharedText none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.text(), "");
  EXPECT_EQ(none, SharedText{std::string{}});
  const SharedText pull{"pull v3"};
  const SharedText same = pull;
  EXPECT_EQ(&pull.text(), &same.text()) << "shared";
  EXPECT_EQ(pull, SharedText{std::string{"pull v3"}});
  EXPECT_TRUE(pull == "pull v3");
  EXPECT_FALSE(pull == "pull v4");
  EXPECT_TRUE(pull.starts_with("pull"));
}

TEST(Boxed, IsAValue)
{
  using Either = std::variant<int, Boxed<std::string>>;
  const Either one = std::string{"ring"};
  Either other = one;
  EXPECT_EQ(one, other);
  *std::get<Boxed<std::string>>(other) = "tree";
  EXPECT_FALSE(one == other) << "a copy has a value of its own";
  other = one;
  EXPECT_EQ(*std::get<Boxed<std::string>>(other), "ring");
}

} // namespace
} // namespace trainyard
