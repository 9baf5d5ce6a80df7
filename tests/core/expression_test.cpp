// SPDX-License-Identifier: Apache-2.0
#include "models/core/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

bool holds(const std::string& text)
{
  const std::map<std::string, std::string> values = {{"workers", "8"},          {"batch", "32"},
                                                     {"link", "25 Gbit/s"},     {"collective", "ring"},
                                                     {"jobs.0.model", "vgg16"}, {"share", "75 %"}};
  return condition_holds(text,
                         [&](const std::string& name) {
                           const auto found = values.find(name);
                           return found == values.end() ? std::nullopt : std::optional{found->second};
                         },
                         {"workers", "batch", "link", "collective"});
}

std::string fault(const std::string& text)
{
  try {
    holds(text);
    return "no fault";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Condition, ComparesSumsAndProducts)
{
  EXPECT_TRUE(holds("workers * batch <= 256"));
  EXPECT_FALSE(holds("workers * batch < 256"));
  EXPECT_TRUE(holds("workers + 2 * 3 == 14"));
  EXPECT_TRUE(holds("(workers + 2) * 3 == 30"));
  EXPECT_TRUE(holds("-workers < 0"));
  EXPECT_TRUE(holds("batch / workers >= 4"));
}

TEST(Condition, JoinsWithAndOrNotAndParentheses)
{
  EXPECT_TRUE(holds("workers > 4 and batch < 64"));
  EXPECT_FALSE(holds("workers > 4 and not batch < 64"));
  EXPECT_TRUE(holds("workers > 100 or batch == 32"));
  EXPECT_TRUE(holds("not (workers > 100 or batch > 100)"));
  EXPECT_FALSE(holds("(workers > 100 or batch == 32) and workers == 1"));
}

TEST(Condition, KnowsUnitsAndTexts)
{
  EXPECT_TRUE(holds("link > 10 Gbit/s and link < 4 GB/s"));
  EXPECT_TRUE(holds("share == 0.75"));
  EXPECT_TRUE(holds("collective == ring"));
  EXPECT_TRUE(holds("collective != 'tree'"));
  EXPECT_TRUE(holds("jobs.0.model == vgg16"));
}

TEST(Condition, SaysWhatIsWrongAndWhere)
{
  EXPECT_THAT(fault("worker > 4"), HasSubstr("unknown name 'worker'; did you mean 'workers'?"));
  EXPECT_THAT(fault("workers"), HasSubstr("a comparison"));
  EXPECT_THAT(fault("workers > 4 5"), HasSubstr("there is text after the condition at character 13"));
  EXPECT_THAT(fault("link > 10 Gbit/parsec"), HasSubstr("unknown unit"));
  EXPECT_THAT(fault("(workers > 4"), HasSubstr("')' is missing"));
  EXPECT_THAT(fault(std::string(10000, '(')), HasSubstr("too many parentheses"));
  EXPECT_THAT(fault("collective > 3"), HasSubstr("'ring' is not a number"));
}

double value_of(const std::string& formula)
{
  return evaluate(formula, [](const std::string& name) { return name == "n" ? std::optional{8.0} : std::nullopt; });
}

TEST(Formula, IsOfTheSameGrammarAsConditions)
{
  EXPECT_EQ(value_of("2 * (n - 1) / n"), 1.75);
  EXPECT_EQ(value_of("-n ^ 2 + min(n, 3) * max(1, 2) - log2(n)"), -61); // -(8^2) + 3 * 2 - 3
  EXPECT_EQ(value_of("2 ^ 3 ^ 2"), 512);                                // from the right
  EXPECT_EQ(value_of("1 kB / 4 B"), 250);
  EXPECT_TRUE(holds("max(workers, batch) == 32 and 2 ^ 3 == workers"));
}

TEST(Formula, SaysWhatIsWrongAndWhere)
{
  const auto wrong = [](const std::string& formula) -> std::string {
    try {
      value_of(formula);
      return "no fault";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_EQ(wrong("n + m"), "unknown or empty name 'm' at character 6 of 'n + m'");
  EXPECT_EQ(wrong("n )"), "there is text after the expression at character 3 of 'n )'");
  EXPECT_THAT(wrong("min(n 3)"), HasSubstr("',' is missing"));
  EXPECT_THAT(wrong("log(n)"), HasSubstr("unknown function 'log'"));
  EXPECT_THAT(wrong("(n > 3) + 1"), HasSubstr("a comparison is not a number"));
  EXPECT_THAT(wrong("n > 3"), HasSubstr("a comparison is not a number"));
  EXPECT_THAT(wrong(std::string(10000, '-') + "n"), HasSubstr("too many parentheses"));
}

} // namespace
} // namespace trainyard
