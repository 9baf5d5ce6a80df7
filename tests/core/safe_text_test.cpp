// SPDX-License-Identifier: Apache-2.0
#include "models/core/safe_text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace trainyard {
namespace {

// Table 3-7 of the Unicode Standard: the second byte after E0, ED, F0 and F4 has a smaller range.
TEST(SafeText, KnowsWhatIsUtf8)
{
  for (const char* good : {"", "plain", "\u00e9\u20ac\U0001F600", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(first_invalid_utf8(good), std::string_view::npos) << good;
  for (const char* bad :
       {"123456789\xff", "123456789\xc3", "123456789\xc0\x80", "123456789\xe0\x9f\xbf", "123456789\xed\xa0\x80",
        "123456789\xf0\x8f\xbf\xbf", "123456789\xf4\x90\x80\x80", "123456789\xf5\x80\x80\x80", "123456789\x80"})
    EXPECT_EQ(first_invalid_utf8(bad), 9U) << bad;
}

TEST(SafeText, ReplacesEachByteThatIsNot)
{
  std::vector<std::size_t> places;
  EXPECT_EQ(valid_utf8("M\xfcller, M\xc3", [&](std::size_t at) { places.push_back(at); }), "M\uFFFDller, M\uFFFD");
  EXPECT_EQ(places, (std::vector<std::size_t>{1, 9}));
}

TEST(SafeText, ShowsWhatWouldSteerATerminal)
{
  EXPECT_EQ(printable("a\x1b[2J\r\x7f\u009b\u202e\u2066\xfc"), "a\\x1b[2J\\x0d\\x7f\\x9b\\u202e\\u2066\\xfc");
  EXPECT_EQ(printable("\u043A\u20ac\ttab\n"), "\u043A\u20ac\ttab\n");
  EXPECT_EQ(one_line("a\n\tb"), "a\\x0a\\x09b");
  EXPECT_EQ(printable(printable("\x1b")), printable("\x1b"));
}

TEST(SafeText, OnlyOurOwnStylesBecomeEscapeCodes)
{
  EXPECT_EQ(for_terminal(terminal_style("1") + "bold\x1b[31m" + terminal_style("0")), "\x1b[1mbold\\x1b[31m\x1b[0m");
  EXPECT_EQ(for_terminal("\xff"
                         "12345678"
                         "12345678"
                         "1m"),
            "\\xff12345678123456781m")
      << "nobody knows the mark";
  EXPECT_EQ(for_terminal(terminal_style("1").substr(0, 5)).substr(0, 4), "\\xff");
}

} // namespace
} // namespace trainyard
