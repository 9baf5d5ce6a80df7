// SPDX-License-Identifier: Apache-2.0
#include "models/core/eight_characters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace trainyard {
namespace {

/// Each of all characters at each place of texts of up to 20, among characters beside those that are looked for.
TEST(EightCharacters, FindsACharacterAtEachPlaceAndNoOther)
{
  for (std::size_t size = 1; size <= 20; ++size)
    for (std::size_t place = 0; place < size; ++place)
      for (int character = 0; character < 256; ++character) {
        std::string text(size, '-'); // the one after the comma
        text[place] = static_cast<char>(character);
        EXPECT_EQ(eight_characters::none(text, [](auto eight) { return eight_characters::any(eight, ','); }),
                  character != ',');
      }
}

TEST(EightCharacters, SayOf10000RandomTextsWhatALookAtEachCharacterSays)
{
  std::mt19937_64 random{1};
  for (int round = 0; round < 10'000; ++round) {
    std::string text(random() % 40, ' ');
    for (char& c : text)
      c = static_cast<char>(random() % 8 == 0 ? random() : 'a' + random() % 26);
    const bool plain = std::ranges::none_of(text, [](char c) { return c == '"' || c == '\n' || c == '\r'; });
    EXPECT_EQ(eight_characters::none(text,
                                     [](auto eight) {
                                       using eight_characters::any;
                                       return any(eight, '"') | any(eight, '\n') | any(eight, '\r');
                                     }),
              plain)
        << text;
  }
}

} // namespace
} // namespace trainyard
