// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/json.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

std::string fault_of(const std::string& text)
{
  try {
    parse_json(text, "f.json");
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.where.line) + ":" + std::to_string(first.where.column) + " " + first.message;
  }
  return "none";
}

TEST(Json, KeepsValuesOrderAndPlaces)
{
  const Json json = parse_json("{\"b\": [1, -2.5e3, true, null],\n \"a\": {\"t\": \"x\\n\\u00b5\\\"\"}}", "f.json");
  ASSERT_EQ(json.members.size(), 2u);
  EXPECT_EQ(json.members[0].first, "b");
  EXPECT_EQ(json.members[0].second.items[1].value, -2500);
  EXPECT_TRUE(json.members[0].second.items[2].flag);
  EXPECT_EQ(json.members[0].second.items[3].kind, Json::Kind::null);
  const Json* text = json.find("a")->find("t");
  EXPECT_EQ(text->string, "x\n\xc2\xb5\"");
  EXPECT_EQ(text->line, 2);
  EXPECT_EQ(text->column, 13);
}

TEST(Json, WrittenTextReadsBackToTheSameDoubles)
{
  Json json = Json::object();
  json.add("third", 1.0 / 3).add("tiny", 4.9e-324).add("list", Json::array()).add("text", "a\\b\"c\td");
  const Json back = parse_json(json_text(json), "f.json");
  EXPECT_EQ(back.find("third")->value, 1.0 / 3);
  EXPECT_EQ(back.find("tiny")->value, 4.9e-324);
  EXPECT_EQ(back.find("text")->string, "a\\b\"c\td");
}

TEST(Json, FaultsNamePlaceAndThing)
{
  EXPECT_EQ(fault_of("{\"a\": 1,\n \"a\": 2}"), "2:5 'a' is given twice");
  EXPECT_EQ(fault_of("{\"a\": "), "1:7 the document ends in the middle; is the file cut off?");
  EXPECT_EQ(fault_of("[1] 2"), "1:5 text after the end of the document");
  EXPECT_EQ(fault_of("[1e999]"), "1:2 the number is out of range");
  EXPECT_EQ(fault_of("[\"abc\n\"]"), "1:6 the text has no closing quote");
  EXPECT_EQ(fault_of(std::string(100, '[')), "1:66 nested deeper than 64 levels");
  EXPECT_EQ(fault_of("[nan]"), "1:2 expected a value");
}

// Python's json writes what is no number so, for example in config.json of Hugging Face.
TEST(Json, NumbersThatPythonWritesAreNull)
{
  const Json json = parse_json("[NaN, Infinity, -Infinity, 1]", "f.json");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(json.items[i].kind, Json::Kind::null);
  EXPECT_EQ(json.items[3].value, 1);
}

} // namespace
} // namespace trainyard
