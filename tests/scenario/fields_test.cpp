// SPDX-License-Identifier: Apache-2.0
/// A key of a scenario file is one declaration: the schema, the reference page and the reader come from it.
#include "models/core/data_folder.hpp"
#include "models/scenario/fields.hpp"
#include "models/scenario/schema.hpp"
#include "sim/run/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Wheel {
  int spokes = 32;
};

struct Bicycle {
  std::string name;
  double share = 0.5;
  bool light = true;
  std::string brakes = "disc";
  Seconds warranty{7200};
  std::optional<Bytes> memory;
  bool fast = false;
  std::vector<Wheel> wheels;
  std::vector<std::string> riders;
  std::optional<Wheel> spare;
  std::string restart = "never";
};

void wheel_fields(Fields& keys, Wheel& wheel)
{
  keys.integer("spokes", wheel.spokes, "spokes of the wheel", {.least = 3, .most = 64});
}

void bicycle_fields(Fields& keys, Bicycle& bicycle)
{
  keys.text("name", bicycle.name, "its name", {.required = true});
  keys.number("share", bicycle.share, "share of the road", {.most = 1});
  keys.flag("light", bicycle.light, "whether the light is on");
  keys.choice("brakes", bicycle.brakes, {"disc", "rim"}, "kind of brakes");
  keys.quantity("warranty", bicycle.warranty, "time of the warranty", {.example = "2 h", .least = 60, .most = 1e6});
  keys.quantity("memory", bicycle.memory, "of its computer", {.example = "4 GB", .otherwise = "it has none"});
  keys.choice("speed", bicycle.fast, {{"slow", false}, {"fast", true}}, "how fast it is");
  keys.list<Wheel>("wheels", bicycle.wheels, "a wheel", "its wheels", wheel_fields);
  keys.texts("riders", bicycle.riders, "who rides it");
  keys.object<Wheel>("spare", "a spare wheel", bicycle.spare, wheel_fields);
  keys.word_or_object("restart", "condition", "when it restarts", [&](Fields& restart) {
    restart.choice("condition", bicycle.restart, {"never", "always"}, "when it restarts");
  });
}

const Parts& parts()
{
  static const Parts all = registered_parts();
  return all;
}

const Catalogue& catalogue()
{
  static const Catalogue all = load_catalogue(data_folder());
  return all;
}

schema::Json bicycle_schema()
{
  return schema_of<Bicycle>(parts(), catalogue(), "a bicycle", bicycle_fields);
}

struct Read {
  Bicycle bicycle;
  std::vector<std::string> faults;
};

Read read(const std::string& yaml)
{
  Diagnostics diagnostics;
  const Document document = parse_document(yaml, "a.yaml", diagnostics);
  Read result;
  Fields keys{parts(), catalogue(), document, &document.root, "the bicycle", diagnostics};
  bicycle_fields(keys, result.bicycle);
  keys.finish();
  for (const Diagnostic& fault : diagnostics.sorted())
    result.faults.push_back(std::to_string(fault.where.line) + ": " + fault.message);
  return result;
}

TEST(Fields, TheSchemaHasKindRangeMeaningAndDefaultOfEachKey)
{
  const schema::Json schema = bicycle_schema();
  EXPECT_EQ(schema["description"], "a bicycle");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], schema::Json({"name"}));
  const schema::Json& keys = schema["properties"];
  EXPECT_EQ(keys["share"]["minimum"], 0);
  EXPECT_EQ(keys["share"]["maximum"], 1);
  EXPECT_EQ(keys["share"]["default"], 0.5);
  EXPECT_EQ(keys["share"]["description"], "share of the road");
  EXPECT_EQ(keys["light"]["type"], "boolean");
  EXPECT_EQ(keys["light"]["default"], true);
  EXPECT_EQ(keys["brakes"]["enum"], schema::Json({"disc", "rim"}));
  EXPECT_EQ(keys["brakes"]["default"], "disc");
  EXPECT_EQ(keys["warranty"]["x-quantity"], "duration");
  EXPECT_EQ(keys["warranty"]["default"], "2 h"); // 7200 s, written as the example
  EXPECT_EQ(keys["warranty"]["x-minimum"], 60);
  EXPECT_EQ(keys["warranty"]["x-maximum"], 1'000'000);
  EXPECT_FALSE(keys["memory"].contains("default"));
  EXPECT_EQ(keys["memory"]["x-otherwise"], "it has none");
  EXPECT_EQ(keys["speed"]["default"], "slow");
  EXPECT_EQ(keys["wheels"]["type"], "array");
  EXPECT_EQ(keys["wheels"]["items"]["properties"]["spokes"]["maximum"], 64);
  EXPECT_EQ(keys["spare"]["properties"]["spokes"]["default"], 32);
  EXPECT_EQ(keys["restart"]["anyOf"][0]["enum"], schema::Json({"never", "always"}));
}

TEST(Fields, WithoutAKeyItsDefaultCounts)
{
  const auto [bicycle, faults] = read("name: red\n");
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_EQ(bicycle.share, 0.5);
  EXPECT_TRUE(bicycle.light);
  EXPECT_EQ(bicycle.warranty, Seconds{7200});
  EXPECT_FALSE(bicycle.memory.has_value());
  EXPECT_FALSE(bicycle.fast);
  EXPECT_THAT(bicycle.wheels, IsEmpty());
  EXPECT_FALSE(bicycle.spare.has_value());
  EXPECT_EQ(bicycle.restart, "never");
}

TEST(Fields, WhatTheFileSaysCounts)
{
  const auto [bicycle, faults] =
      read("name: red\nshare: 25 %\nlight: false\nbrakes: rim\nwarranty: 1 d\nmemory: 2 GB\n"
           "speed: fast\nwheels: [{spokes: 20}, {}]\nriders: [eve, bob]\nspare: {spokes: 8}\n"
           "restart: always\n");
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_EQ(bicycle.share, 0.25);
  EXPECT_FALSE(bicycle.light);
  EXPECT_EQ(bicycle.brakes, "rim");
  EXPECT_EQ(bicycle.warranty, Seconds{86400});
  EXPECT_EQ(bicycle.memory, Bytes{2e9});
  EXPECT_TRUE(bicycle.fast);
  ASSERT_EQ(bicycle.wheels.size(), 2U);
  EXPECT_EQ(bicycle.wheels[0].spokes, 20);
  EXPECT_EQ(bicycle.wheels[1].spokes, 32);
  EXPECT_THAT(bicycle.riders, ElementsAre("eve", "bob"));
  EXPECT_EQ(bicycle.spare->spokes, 8);
  EXPECT_EQ(bicycle.restart, "always");
  EXPECT_EQ(read("name: red\nrestart: {condition: always}\n").bicycle.restart, "always");
}

TEST(Fields, EachFaultIsToldAtItsLine)
{
  EXPECT_THAT(read("share: 3\nbrakes: rims\nwarranty: 5 s\nmemory: 4\nwheels: {spokes: 2}\nbell: loud\n").faults,
              ElementsAre("1: the bicycle lacks 'name'", "1: 'share' is 3; it must be from 0 to 1",
                          HasSubstr("unknown brakes 'rims'; did you mean 'rim'?"),
                          HasSubstr("'warranty' is 5 s; it must be at least 1 min"), HasSubstr("4: 'memory': "),
                          "5: 'spokes' is 2; it must be from 3 to 64", HasSubstr("6: unknown key 'bell'")));
  // A key that is like a missing one, and right itself, does not hide it; a misspelt one is told once.
  EXPECT_THAT(read("share: 5 %\n").faults, ElementsAre("1: the bicycle lacks 'name'"));
  EXPECT_THAT(read("nmae: red\n").faults, ElementsAre(HasSubstr("unknown key 'nmae'; did you mean 'name'?")));
  // A key of a map below is told its place, although 'speed' is nearer in letters.
  EXPECT_THAT(read("name: red\nspokes: 20\n").faults,
              ElementsAre("2: unknown key 'spokes'; it belongs into 'spare', write 'spare: {spokes: 20}'"));
  EXPECT_THAT(read("name: red\nmemory: much\n").faults, ElementsAre(HasSubstr("2: 'memory': ")));
  EXPECT_EQ(read("name: red\nshare: \"5 %\"\n").bicycle.share, 0.05);
  EXPECT_THAT(read("name: red\nwarranty: 30 d\n").faults,
              ElementsAre(HasSubstr("2: 'warranty' is 30 d; it must be at")));
}

/// The page of reference gets a key's line from the same declaration.
TEST(Fields, AKeyIsInTheReferencePage)
{
  const std::string page = scenario_reference(bicycle_schema());
  EXPECT_THAT(page, HasSubstr("| `share` |"));
  EXPECT_THAT(page, HasSubstr("| `0.5` |"));
  EXPECT_THAT(page, HasSubstr("| it has none |"));
  EXPECT_THAT(page, HasSubstr("**required**"));
}

} // namespace
} // namespace trainyard
