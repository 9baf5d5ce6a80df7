// SPDX-License-Identifier: Apache-2.0
// The parser of plain YAML against the whole one: where it reads a text, the tree is the same, places included, and the
// whole parser finds no fault.
#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/plain_yaml.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {
namespace {

void expect_equal(const DocumentNode& a, const DocumentNode& b, const std::string& path)
{
  ASSERT_EQ(a.kind, b.kind) << path;
  EXPECT_EQ(a.text, b.text) << path;
  EXPECT_EQ(a.quoted, b.quoted) << path;
  EXPECT_EQ(a.line, b.line) << path;
  EXPECT_EQ(a.column, b.column) << path;
  ASSERT_EQ(a.items.size(), b.items.size()) << path;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    expect_equal(a.items[i], b.items[i], path + "." + std::to_string(i));
  ASSERT_EQ(a.entries.size(), b.entries.size()) << path;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    EXPECT_EQ(a.entries[i].key, b.entries[i].key) << path;
    EXPECT_EQ(a.entries[i].line, b.entries[i].line) << path << '.' << b.entries[i].key;
    EXPECT_EQ(a.entries[i].column, b.entries[i].column) << path << '.' << b.entries[i].key;
    expect_equal(a.entries[i].value, b.entries[i].value, path + "." + b.entries[i].key);
  }
}

/// Whether the text was plain. A tab at its end, in a comment, sends it to the whole parser.
bool compared(const std::string& text)
{
  Diagnostics none;
  const Document quick = parse_document(text, "q.yaml", none);
  if (!parse_plain_yaml(quick.lines) || text.find_first_of("\t\r") != std::string::npos ||
      text.find("---") != std::string::npos || text.find("...") != std::string::npos ||
      text.find('\0') != std::string::npos)
    return false;
  Diagnostics faults;
  const Document whole = parse_document(text + "\n#\t\n", "q.yaml", faults);
  if (!faults.empty() && !none.empty())
    return false; // refused before either parser
  EXPECT_TRUE(faults.empty()) << format(faults.sorted().front()) << text;
  expect_equal(quick.root, whole.root, "");
  return true;
}

std::vector<std::string> own_files()
{
  std::vector<std::string> texts;
  for (const char* folder : {"scenarios", "models"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator{data_folder() / folder})
      if (entry.path().extension() == ".yaml")
        texts.push_back(read_text_file(entry.path(), 1U << 20U));
  std::ranges::sort(texts);
  return texts;
}

TEST(PlainYaml, ReadsTheCatalogueAndTheScenarios)
{
  const std::vector<std::string> texts = own_files();
  const auto plain = std::ranges::count_if(texts, compared);
  EXPECT_GE(plain, 9 * static_cast<long>(texts.size()) / 10) << "of " << texts.size();
}

TEST(PlainYaml, BracketsMayBeginInTheLineBelowTheirKey)
{
  EXPECT_TRUE(compared("a: # why\n  {b: 1, c: [2, 3]}\nd:\n  e:\n    [4,\n    5] # five\n  f: 6\n"));
  EXPECT_FALSE(parse_plain_yaml({"a:", "{b: 1}"})) << "not further right than the key";
  EXPECT_FALSE(parse_plain_yaml({"a:", "  {b: 1}", "  c: 2"})) << "something follows";
}

TEST(PlainYaml, GivesTheTreeOfTheWholeParserForDamagedFilesToo)
{
  RandomStream random = Random{21}.stream("damage");
  const std::vector<std::string> texts = own_files();
  const std::string pieces[] = {
      " ",   "\n",   "  ", "- ", ": ", ":",    ",",        "{",  "}",  "[",  "]",    "#",        " #",
      "\"",  "'",    "a",  "-",  "&a", "*a",   "~",        "|",  ">",  "%",  "null", "? ",       "\n  ",
      "!",   "<<: ", "@",  "`",  "0",  "\n- ", "\xC3\xA9", "\\", "{}", "[]", "a: b", "\xC2\x85", "\xE2\x80\xA8",
      "\x7f"};
  int plain = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = texts[random.below(texts.size())];
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      switch (random.below(3)) {
      case 0:
        text.erase(at, 1 + random.below(8));
        break;
      case 1:
        text.insert(at, pieces[random.below(std::size(pieces))]);
        break;
      default:
        text.replace(at, 1 + random.below(4), pieces[random.below(std::size(pieces))]);
      }
      text += "\n";
    }
    plain += compared(text) ? 1 : 0;
    if (testing::Test::HasFailure())
      FAIL() << text;
  }
  EXPECT_GT(plain, 1000);
}

TEST(PlainYaml, LeavesEverythingElseToTheWholeParser)
{
  for (const std::vector<std::string>& lines : std::vector<std::vector<std::string>>{{"a: &x 1", "b: *x"},
                                                                                     {"a: |", "  text"},
                                                                                     {"a: 1", "a: 2"},
                                                                                     {"a: one", "  two"},
                                                                                     {"a:", "b: 1"},
                                                                                     {"<<: {a: 1}"},
                                                                                     {"a: \"x\\n\""},
                                                                                     {"a: 'it''s'"},
                                                                                     {"- a"},
                                                                                     {"a: b: c"},
                                                                                     {"a: {b: 1"},
                                                                                     {"a: null"},
                                                                                     {"? a"},
                                                                                     {"a: !x 1"},
                                                                                     {"{a: 1}"},
                                                                                     {"a: {b: 1}c"},
                                                                                     {"a: [1, 2,]"},
                                                                                     {"a: 1", " b: 2"},
                                                                                     {"a:", "  b: 1", " c: 2"},
                                                                                     {}})
    EXPECT_FALSE(parse_plain_yaml(lines)) << (lines.empty() ? "" : lines.front());
}

} // namespace
} // namespace trainyard
