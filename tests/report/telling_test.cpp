// SPDX-License-Identifier: Apache-2.0
/// What is told: the same pieces as text, as JSON and back.
#include "models/core/figure_text.hpp"
#include "models/results/telling.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

constexpr Sentence<std::int64_t> waits{"test.waits", "{jobs|job waits|jobs wait}"};

Telling some_told()
{
  Telling told;
  told.heading(plain(MessageKind::part, "a queue"));
  told.line(waits(2));
  told.gap();
  told.table({{"job", false}, {"share", false}, {"gpus"}}, {{"one", TableCell::bar(0.5), "8"}, {waits(1), "", "16"}},
             4);
  told.answer(plain(MessageKind::answer, "more machines"), "\n");
  return told;
}

// The bar of a half is 15 of 30 letters; the widest cell of the first column has 11 letters.
constexpr const char* as_text = "a queue\n"
                                "  2 jobs wait\n"
                                "\n"
                                "    job          share                           gpus\n"
                                "    one          ###############...............     8\n"
                                "    1 job waits                                    16\n"
                                "\n"
                                "more machines\n";

TEST(Telling, IsTextForTheTerminal)
{
  EXPECT_EQ(some_told().text(), as_text);
}

TEST(Telling, ComesBackFromItsJson)
{
  const Telling read = Telling::read(some_told().json());
  EXPECT_EQ(read.text(), as_text);
  EXPECT_EQ(read.pieces.at(1).said.id, "test.waits");
  EXPECT_EQ(read.pieces.at(3).rows.at(1).at(0).said.id, "test.waits");
  EXPECT_EQ(read.json(), some_told().json());
}

TEST(Telling, IsWrittenInOtherLanguages)
{
  const auto words = [](const Message& message, bool in_table) {
    return message.id == "test.waits" ? std::string{in_table ? "等" : "等待"} : message.text;
  };
  Telling told;
  told.line(waits(2));
  told.table({{"", false}, {""}}, {{waits(1), "8"}, {"one", "16"}});
  EXPECT_EQ(told.text(false, words), "  等待\n等    8\none  16\n"); // a Chinese letter is two columns wide
  EXPECT_EQ(text_width("等待"), 4U);
  EXPECT_EQ(text_width("µs"), 2U);
}

TEST(Telling, ATableWithoutRowsIsNotTold)
{
  Telling told;
  told.table({{"job"}}, {});
  EXPECT_TRUE(told.empty());
}

} // namespace
} // namespace trainyard
