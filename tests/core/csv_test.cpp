// SPDX-License-Identifier: Apache-2.0
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::ElementsAre;

TEST(CsvReader, GivesRowsOneByOneWithTheirLines)
{
  // With a mark, a blank line, quotes in quotes, a line break in a cell (so the next row begins in line 6), and a last
  // line without end.
  CsvReader reader{"\xEF\xBB\xBF"
                   "a,b\r\n\n\"x, \"\"y\"\"\",1\r\n\"two\nlines\",\nlast,"};
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.cells(), ElementsAre("a", "b"));
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.cells(), ElementsAre("x, \"y\"", "1"));
  EXPECT_EQ(reader.line(), 3);
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.cells(), ElementsAre("two\nlines", ""));
  EXPECT_EQ(reader.line(), 4);
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.cells(), ElementsAre("last", ""));
  EXPECT_EQ(reader.line(), 6);
  EXPECT_FALSE(reader.next());
}

TEST(CsvReader, AQuoteThatIsNotClosedIsToldOrEndsWithItsLine)
{
  const std::string text = "\"a,1\nb,2\n";
  CsvReader whole{text};
  ASSERT_TRUE(whole.next());
  EXPECT_TRUE(whole.open_quote());
  EXPECT_FALSE(whole.next());
  CsvReader by_line{text, ',', false};
  ASSERT_TRUE(by_line.next());
  EXPECT_THAT(by_line.cells(), ElementsAre("a,1"));
  ASSERT_TRUE(by_line.next());
  EXPECT_THAT(by_line.cells(), ElementsAre("b", "2"));
  EXPECT_FALSE(by_line.open_quote());
}

TEST(CsvReader, ReadsOtherSeparatorsAndNoQuotesBetweenTabs)
{
  CsvReader bars{"a|\"b|c\"\n", '|'};
  ASSERT_TRUE(bars.next());
  EXPECT_THAT(bars.cells(), ElementsAre("a", "b|c"));
  CsvReader tabs{"a\t\"b\tc\n", '\t'};
  ASSERT_TRUE(tabs.next());
  EXPECT_THAT(tabs.cells(), ElementsAre("a", "\"b", "c"));
}

TEST(CsvTable, ReadsQuotesCommasAndLineBreaksInsideCells)
{
  const CsvTable table = parse_csv("a,b\r\n\"x, \"\"y\"\"\",1\n\"two\nlines\",2\n", "t.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.cell(table.rows[0], "a"), "x, \"y\"");
  EXPECT_EQ(table.cell(table.rows[0], "b"), "1");
  EXPECT_EQ(table.rows[1].line, 3);
  EXPECT_EQ(table.cell(table.rows[1], "a"), "two\nlines");
  EXPECT_EQ(table.cell(table.rows[1], "no such column"), "");
}

TEST(CsvTable, NamesTheLineOfARowOfAnotherWidth)
{
  try {
    parse_csv("a,b\n1,2\n3\n", "t.csv");
    FAIL();
  } catch (const InputError& fault) {
    EXPECT_STREQ(fault.what(), "t.csv:3: error: this row has 1 cells, the header has 2 columns\n");
  }
  EXPECT_THROW(parse_csv("a\n\"open\n", "t.csv"), InputError);
  EXPECT_THROW(parse_csv("", "t.csv"), InputError);
}

} // namespace
} // namespace trainyard
