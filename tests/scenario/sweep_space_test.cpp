// SPDX-License-Identifier: Apache-2.0
/// Points of a sweep block: expected values are counted and written out by hand.
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/sweep_space.hpp"
#include "models/scenario/value_range.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(const DocumentNode& node)
{
  std::vector<std::string> list;
  for (const DocumentNode& value : range_values(node))
    list.push_back(value.text);
  return list;
}

std::vector<std::string> line_values(const std::string& text)
{
  return texts(command_line_values(text));
}

std::string range_fault(const std::string& text)
{
  try {
    line_values(text);
    return "no fault";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

DocumentNode yaml(const std::string& text)
{
  Diagnostics faults;
  return parse_document(text, "value", faults).root;
}

SweepSpace space_of(const std::string& sweep, std::string* fault = nullptr)
{
  Diagnostics diagnostics;
  const Document document = parse_document("a: 1\nb: {c: 2}\nrun: {seed: 7}\nsweep:\n" + sweep, "s.yaml", diagnostics);
  SweepSpace space{document, diagnostics};
  if (fault != nullptr)
    *fault = diagnostics.empty() ? "" : diagnostics.sorted().front().message;
  else
    EXPECT_TRUE(diagnostics.empty()) << diagnostics.sorted().front().message;
  return space;
}

std::vector<std::string> labels(const SweepSpace& space)
{
  std::vector<std::string> list;
  for (std::size_t i = 0; i < space.size(); ++i)
    list.push_back(space.point(i).label());
  return list;
}

TEST(ValueRange, WritesRangesOut)
{
  EXPECT_THAT(line_values("8..32:8"), ElementsAre("8", "16", "24", "32"));
  EXPECT_THAT(line_values("1..16*2"), ElementsAre("1", "2", "4", "8", "16"));
  EXPECT_THAT(line_values("3..5"), ElementsAre("3", "4", "5"));
  EXPECT_THAT(line_values("1,2,8..10"), ElementsAre("1", "2", "8", "9", "10"));
  EXPECT_THAT(line_values("25,100 Gbit/s"), ElementsAre("25 Gbit/s", "100 Gbit/s"));
  EXPECT_THAT(line_values("10..30:10 Gbit/s"), ElementsAre("10 Gbit/s", "20 Gbit/s", "30 Gbit/s"));
  EXPECT_THAT(line_values("0.1..0.3:0.1"), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(texts(yaml("{from: 1 us, to: 100 us, count: 3, scale: log}")), ElementsAre("1 us", "10 us", "100 us"));
  EXPECT_THAT(texts(yaml("{from: 100 us, to: 1 ms, count: 2}")), ElementsAre("100 us", "1000 us"))
      << "other units of the same kind";
  EXPECT_THAT(texts(yaml("{from: 0, to: 10, count: 3}")), ElementsAre("0", "5", "10"));
  EXPECT_THAT(texts(yaml("{from: 1, to: 8, factor: 2}")), ElementsAre("1", "2", "4", "8"));
}

TEST(ValueRange, RefusesWhatCannotBeCounted)
{
  EXPECT_THAT(range_fault("8..4"), HasSubstr("is empty; write the smaller end first"));
  EXPECT_THAT(range_fault("1..4:0"), HasSubstr("step of a range must be above 0"));
  EXPECT_THAT(range_fault("0..4*2"), HasSubstr("a lower end above 0"));
  EXPECT_THAT(range_fault("a..4"), HasSubstr("is not a number"));
  EXPECT_THAT(range_fault("1 us..4 MB"), HasSubstr("write both ends in the same unit"));
  for (const char* text : {"0..1:1e-12", "1..1e18", "1..64*1.0000001", "0..1:1e-300"})
    EXPECT_THAT(range_fault(text), HasSubstr("more than 1000000 values")) << text;
  EXPECT_THAT(range_fault("1,,2"), HasSubstr("empty value"));
  EXPECT_THAT(range_fault(""), HasSubstr("no values"));
  EXPECT_THROW(range_values(yaml("{from: 1, to: 4, steps: 2}")), std::invalid_argument);
}

TEST(ValueRange, AStepHasTheUnitOfTheEndsOrIsConverted)
{
  // 500 Mbit/s are 0.5 Gbit/s.
  EXPECT_THAT(line_values("1 Gbit/s..2 Gbit/s:500 Mbit/s"), ElementsAre("1 Gbit/s", "1.5 Gbit/s", "2 Gbit/s"));
  EXPECT_THAT(texts(yaml("{from: 1 Gbit/s, to: 2 Gbit/s, step: 500 Mbit/s}")),
              ElementsAre("1 Gbit/s", "1.5 Gbit/s", "2 Gbit/s"));
  EXPECT_THAT(range_fault("1 GB..2 GB:5 ms"), HasSubstr("the step is in ms, the ends of the range are in GB"));
}

std::string map_fault(const std::string& range, bool sampled = false)
{
  try {
    if (sampled)
      sampled_range(yaml(range));
    else
      range_values(yaml(range));
    return "no fault";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(ValueRange, NoKeyOfAMapIsIgnored)
{
  EXPECT_THAT(map_fault("{from: 1, to: 4, steps: 2}"), HasSubstr("unknown key 'steps'; did you mean 'step'?"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, step: 2, count: 2}"), HasSubstr("only one of step, factor and count"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, scale: log}"), HasSubstr("needs 'count'"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, count: 2, scale: logg}"), HasSubstr("unknown scale 'logg'"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, count: 2.5}"), HasSubstr("'count' must be a whole number"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, count: 0}"), HasSubstr("it must be from 1 to 1000000"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, scale: logarithmic}", true), HasSubstr("unknown scale 'logarithmic'"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, integer: maybe}", true), HasSubstr("'integer' must be true or false"));
  EXPECT_THAT(map_fault("{from: 1, to: 4, count: 3}", true), HasSubstr("unknown key 'count'"));
  EXPECT_TRUE(sampled_range(yaml("{from: 1, to: 4}")).integer);
  EXPECT_FALSE(sampled_range(yaml("{from: 1, to: 4, integer: false}")).integer);
}

/// One declaration gives schema and reader: a key that the schema has is one that the reader takes.
TEST(SweepSpace, KeysOfTheSchemaAreTheReaders)
{
  const schema::Json block = SweepSpace::schema();
  std::set<std::string> keys;
  for (const auto& [key, property] : block["properties"].items())
    keys.insert(key);
  EXPECT_EQ(keys,
            (std::set<std::string>{"constraints", "grid", "latin_hypercube", "random", "replicas", "variants", "zip"}));
  std::string fault;
  space_of("  qqqqqqqqqqqqqqqqqqqqqq: 1\n", &fault);
  EXPECT_THAT(fault, HasSubstr("known here: constraints, grid, latin_hypercube, random, replicas, variants, zip"));
  const schema::Json& points = block["properties"]["random"]["properties"]["points"];
  EXPECT_EQ(points["minimum"], 1);
  EXPECT_EQ(points["maximum"], 10'000'000);
  EXPECT_EQ(block["properties"]["random"]["required"], schema::Json({"points", "over"}));
  EXPECT_EQ(block["properties"]["replicas"]["maximum"], 1'000'000);
  space_of("  replicas: 1000001\n", &fault);
  EXPECT_EQ(fault, "'replicas' is 1000001; it must be from 1 to 1000000");
  // A zip alone stands for a list of one, for the schema too.
  const schema::Json& zip = block["properties"]["zip"];
  EXPECT_EQ(zip["anyOf"][0]["type"], "object");
  EXPECT_EQ(zip["anyOf"][1]["type"], "array");
  EXPECT_EQ(labels(space_of("  zip: {a: [1, 2], b.c: [3, 4]}\n")),
            labels(space_of("  zip: [{a: [1, 2], b.c: [3, 4]}]\n")));
  // Ranges of values have a step, ranges to draw from do not.
  const auto range_keys = [&](const schema::Json& paths) {
    std::set<std::string> names;
    for (const auto& [key, property] : paths["additionalProperties"]["anyOf"][2]["properties"].items())
      names.insert(key);
    return names;
  };
  EXPECT_EQ(range_keys(block["properties"]["grid"]),
            (std::set<std::string>{"count", "factor", "from", "scale", "step", "to"}));
  EXPECT_EQ(range_keys(block["properties"]["random"]["properties"]["over"]),
            (std::set<std::string>{"from", "integer", "scale", "to"}));
}

TEST(SweepSpace, GridIsEveryCombinationTheLastPathFastest)
{
  const SweepSpace space = space_of("  grid: {a: [1, 2], b.c: [x, y]}\n");
  EXPECT_THAT(labels(space), ElementsAre("a=1 c=x", "a=1 c=y", "a=2 c=x", "a=2 c=y"));
  EXPECT_EQ(find_path(space.point(2).document.root, "a")->text, "2");
  EXPECT_EQ(find_path(space.point(2).document.root, "sweep"), nullptr);
}

TEST(SweepSpace, ZipGoesSideBySide)
{
  const SweepSpace space = space_of("  zip: [{a: [1, 2], b.c: [x, y]}]\n  grid: {run.steps: [5, 6]}\n");
  EXPECT_THAT(labels(space), ElementsAre("steps=5 a=1 c=x", "steps=5 a=2 c=y", "steps=6 a=1 c=x", "steps=6 a=2 c=y"));
  std::string fault;
  space_of("  zip: [{a: [1, 2], b.c: [x]}]\n", &fault);
  EXPECT_EQ(fault, "the lists in 'zip' need the same length, but 'b.c' has 1 values and the list before it has 2");
}

TEST(SweepSpace, ConstraintsLeavePointsOut)
{
  const SweepSpace space = space_of("  grid: {a: [1, 2, 4], b.c: [1, 2, 4]}\n  constraints: [a * c <= 4, a >= c]\n");
  EXPECT_THAT(labels(space), ElementsAre("a=1 c=1", "a=2 c=1", "a=2 c=2", "a=4 c=1"));
  std::string fault;
  space_of("  grid: {a: [1, 2]}\n  constraints: [a > 4]\n", &fault);
  EXPECT_EQ(fault, "none of the 2 points meets the constraints");
  space_of("  grid: {a: [1, 2]}\n  constraints: [b > 4]\n", &fault);
  EXPECT_THAT(fault, HasSubstr("a constraint cannot be read"));
}

TEST(SweepSpace, ReplicasDifferInTheSeedOnly)
{
  const SweepSpace space = space_of("  grid: {a: [1, 2]}\n  replicas: 3\n");
  ASSERT_EQ(space.size(), 6U);
  std::set<std::string> seeds;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string seed = find_path(space.point(i).document.root, "run.seed")->text;
    EXPECT_EQ(seed, find_path(space.point(i + 3).document.root, "run.seed")->text)
        << "replicas of both points meet the same luck";
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 3U);
  EXPECT_TRUE(seeds.contains("7")) << "the first replica has the scenario's own seed";
}

TEST(SweepSpace, LatinHypercubeHasOneSampleInEveryStratum)
{
  const SweepSpace space =
      space_of("  latin_hypercube: {points: 10, over: {a: {from: 0.0, to: 10.0}, b.c: {from: 0.0, to: 1.0}}}\n");
  ASSERT_EQ(space.size(), 10U);
  std::set<int> a, c;
  for (std::size_t i = 0; i < 10; ++i) {
    a.insert(static_cast<int>(std::stod(find_path(space.point(i).document.root, "a")->text)));
    c.insert(static_cast<int>(10 * std::stod(find_path(space.point(i).document.root, "b.c")->text)));
  }
  EXPECT_EQ(a.size(), 10U);
  EXPECT_EQ(c.size(), 10U);
  EXPECT_EQ(labels(space),
            labels(space_of(
                "  latin_hypercube: {points: 10, over: {a: {from: 0.0, to: 10.0}, b.c: {from: 0.0, to: 1.0}}}\n")))
      << "the same scenario gives the same samples";
}

TEST(SweepSpace, RandomSamplesStayInsideTheirRange)
{
  const SweepSpace space =
      space_of("  random: {points: 200, over: {a: 3..5, b.c: {from: 1 us, to: 1 ms, scale: log}}}\n");
  std::set<std::string> a;
  int below = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    a.insert(find_path(space.point(i).document.root, "a")->text);
    const std::string text = find_path(space.point(i).document.root, "b.c")->text;
    ASSERT_TRUE(text.ends_with(" us")) << text;
    const double us = std::stod(text);
    EXPECT_GE(us, 1);
    EXPECT_LE(us, 1000);
    below += us < 31.6 ? 1 : 0;
  }
  EXPECT_EQ(a, (std::set<std::string>{"3", "4", "5"}));
  EXPECT_NEAR(below, 100, 30) << "half of the samples below the geometric middle (4 standard deviations)";
}

TEST(SweepSpace, SaysWhatIsWrongWithTheBlock)
{
  std::string fault;
  space_of("  grid: {a: []}\n", &fault);
  EXPECT_EQ(fault, "'a' has no values; write a list such as [1, 2, 4]");
  space_of("  gird: {a: [1]}\n", &fault);
  EXPECT_THAT(fault, HasSubstr("did you mean 'grid'?"));
  space_of("  grid: {a: 1..4000, b.c: 1..4000}\n", &fault);
  EXPECT_EQ(fault, "the sweep has more than 10000000 points");
  space_of("  variants: [{name: x, set: {a: 1}}, {name: x, set: {a: 2}}]\n", &fault);
  EXPECT_EQ(fault, "two variants have the name 'x'");
  space_of("  variants: [{name: x, set: {a.b: 1}}]\n", &fault);
  EXPECT_THAT(fault, HasSubstr("'a'"));
  space_of("  random: {over: {a: 1..2}}\n", &fault);
  EXPECT_EQ(fault, "'random' lacks 'points'");
  space_of("  random: {points: 2, over: {}}\n", &fault);
  EXPECT_EQ(fault, "'random' needs 'over' with at least one path");
  for (const char* samples : {"random", "latin_hypercube"}) { // nothing is drawn before: it would take seconds
    space_of(
        fmt::format("  {}: {{points: 10000000, over: {{a: 1..2}}}}\n  constraints: [a > 0, nosuch < 0]\n", samples),
        &fault);
    EXPECT_THAT(fault, HasSubstr("a constraint cannot be read: unknown name 'nosuch'")) << samples;
    space_of(fmt::format("  {}: {{points: 10000000, over: {{a: 1..2}}}}\n  grid: {{b.c: [1, 2]}}\n", samples), &fault);
    EXPECT_EQ(fault, "the sweep has more than 10000000 points") << samples;
  }
  space_of("  random: {points: 2, over: {a: 2..1}}\n", &fault);
  EXPECT_EQ(fault, "'a': the range 2..1 is empty; write the smaller end first");
  space_of("  grid: {a: [1, 2]}\n  zip: {a: [1, 2]}\n", &fault);
  EXPECT_EQ(fault, "'a' is given twice in the sweep; remove one of them");
  EXPECT_EQ(space_of("  grid: {a: []}\n", &fault).size(), 0U);
}

TEST(SweepSpace, PointsShareTheLinesOfTheFile)
{
  const SweepSpace space = space_of("  variants: [{name: x, set: {a: 1}}, {name: y, set: {a: 2}}]\n");
  const Document first = space.point(0).document, second = space.point(1).document;
  EXPECT_EQ(first.lines, second.lines) << "else memory grows with the square of the variants";
  EXPECT_EQ(second.line_text(1), "a: 1");
}

TEST(SweepSpace, AxesThatEndInTheSameWordAreToldApart)
{
  const std::vector<std::pair<std::string, std::string>> settings{
      {"cluster.nodes.0.count", "2"}, {"cluster.nodes.1.count", "3"}, {"jobs.0.workers", "4"}, {"variant", "a"}};
  EXPECT_EQ(SweepPoint({settings, {}}).label(), "nodes.0.count=2 nodes.1.count=3 workers=4 variant=a");
}

} // namespace
} // namespace trainyard
