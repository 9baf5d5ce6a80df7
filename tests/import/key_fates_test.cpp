// SPDX-License-Identifier: Apache-2.0
/// Every key of every table of keys is told with the reason that stands beside it: the test is made from the tables.
#include "tests/import/import_support.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace trainyard {
namespace {

/// The example of a table with @p key in it; "a.b" of a format with sections stands as "a.b" at its top.
std::string with_key(std::string_view example, const std::string& key)
{
  std::string text{example};
  return text.replace(text.find("KEY"), 3, key);
}

TEST(KeyFates, EveryKeyOfATableIsToldWithItsReason)
{
  int keys = 0;
  for (const auto& [format, entry] : Registry<Importer>::instance().entries())
    for (const KeyTable& table : entry.create({})->keys())
      for (const KeyFate& fate : table.keys) {
        std::istringstream names{std::string{fate.keys}};
        for (std::string key; names >> key;) {
          if (key.ends_with('*'))
            key.back() = 'x'; // any end
          if (fate_of(key, table.keys) != fate.why)
            continue; // an earlier line of the table names it too
          ImportOptions options;
          options.format = format;
          options.model = "llama3_8b";
          const ImportResult result = tests::import_texts({{"file", with_key(table.example, key)}}, options);
          const ImportEntry* told = tests::find_entry(result.report.ignored(), key);
          ++keys;
          if (fate.why != used_key) {
            EXPECT_EQ(told == nullptr ? "read, or dropped" : told->why, fate.why) << format << ": " << key;
          } else if (told != nullptr) {
            EXPECT_NE(told->why, unknown_key) << format << ": " << key;
          }
        }
      }
  EXPECT_GT(keys, 500);
}

} // namespace
} // namespace trainyard
