// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/document.hpp"
#include "models/scenario/map_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

std::string faults_of(const std::string& text)
{
  Diagnostics diagnostics;
  parse_document(text, "s.yaml", diagnostics);
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    all += format(diagnostic);
  return all;
}

TEST(Document, KeepsPositionsAndOrder)
{
  Diagnostics diagnostics;
  const Document document = parse_document("a: 1\nb:\n  - x\n  - {c: \"8\"}\n", "s.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  const DocumentNode* c = find_path(document.root, "b.1.c");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->line, 4);
  EXPECT_EQ(c->column, 9);
  EXPECT_TRUE(c->quoted);
  EXPECT_EQ(to_json(document.root), R"({"a":1,"b":["x",{"c":"8"}]})");
}

TEST(Document, ReportsADuplicateKeyWithBothLines)
{
  EXPECT_EQ(faults_of("a: 1\nb: 2\na: 3\n"),
            "s.yaml:3:1: error: duplicate key 'a'; it is already given in line 1\n  a: 3\n  ^\n");
}

TEST(Document, RefusesBinaryNonUtf8AndAliasBombs)
{
  EXPECT_EQ(faults_of(std::string{"a\0b", 3}), "s.yaml: error: this is a binary file, not YAML text\n");
  EXPECT_EQ(faults_of("a: 1\nb: \xFF\n"), "s.yaml:2: error: this line is not UTF-8 text; save the file as UTF-8\n");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k)
      bomb += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_NE(faults_of(bomb).find("expands to more than"), std::string::npos);
}

TEST(Document, MergesTheKeysOfAnotherMap)
{
  Diagnostics diagnostics;
  const Document document = parse_document(
      "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: *a\n  x: 5\nd: {<<: [*b, *a], w: 6}\n", "s.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  // a key of the map itself stands before a merged one, an earlier map of the list before a later one
  EXPECT_EQ(to_json(*document.root.find("c")), R"({"x":5,"y":2})");
  EXPECT_EQ(to_json(*document.root.find("d")), R"({"w":6,"y":3,"z":4,"x":1})");
  EXPECT_EQ(document.root.find("d")->find("z")->line, 2);
  EXPECT_EQ(faults_of("a: {<<: 5}\n"), "s.yaml:1:5: error: '<<' merges maps: write '<<: *name', where '&name' marks a "
                                       "map, or a list of such names\n  a: {<<: 5}\n"
                                       "      ^\n");
  EXPECT_EQ(faults_of("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n"),
            "s.yaml:4:3: error: '<<' is given twice; write one list: '<<: [*a, *b]'\n    <<: *a\n    ^\n");
  EXPECT_EQ(faults_of("a: {\"<<\": 5}\n"), ""); // a key in quotation marks is a name
}

TEST(Document, SaysThatATabIndents)
{
  const std::string tab = ": error: this line is indented with a tab; YAML indents with spaces only\n";
  EXPECT_EQ(faults_of("cluster:\n\tnodes: 4\n").substr(0, 10 + tab.size()), "s.yaml:2:1" + tab);
  EXPECT_EQ(faults_of("cluster:\n  a: 1\n\tnodes: 4\n").substr(0, 10 + tab.size()), "s.yaml:3:1" + tab);
  EXPECT_EQ(faults_of("cluster:\n  a:\n  \t- 1\n  \t- 2\n").substr(0, 10 + tab.size()), "s.yaml:3:3" + tab);
  EXPECT_EQ(faults_of("a: 1\n\t\nb: 2\n").substr(0, 10 + tab.size()), "s.yaml:2:1" + tab);
  EXPECT_EQ(faults_of("b: 2 # \t a tab elsewhere\nc: |\n  x\n  \ty\n"), "");
  EXPECT_EQ(faults_of("a: [1,\n\t2]\n"), ""); // separates, does not indent
}

// yaml-cpp ends such a text with the file: what follows is not read.
TEST(Document, SaysThatAQuoteBehindAnAnchorOrATagStaysOpen)
{
  for (const char* before : {"", "&q ", "! ", "!!str ", "&q !!str ", "&q  "}) {
    const std::string text = std::string{"a: "} + before + "\"how fast";
    EXPECT_THAT(faults_of(text + "\nb: 2\n"), ::testing::HasSubstr("this quote is never closed")) << before;
    EXPECT_EQ(faults_of(text + "\"\nb: 2\n"), "") << before;
  }
  EXPECT_EQ(faults_of("a: &q how \"fast\nb: !!str it's\nc: &z\nd: *q\n"), ""); // within the text
}

TEST(Document, SaysThatBracesWithinBracesNeedQuotes)
{
  EXPECT_EQ(faults_of("a: {b: \"${x}\", c: ${y}, d: 1}\n"),
            "s.yaml:1:20: error: between { and }, text with braces of its own stands in quotes: \"${…}\"\n"
            "  a: {b: \"${x}\", c: ${y}, d: 1}\n                     ^\n");
  EXPECT_EQ(faults_of("a: ${y}\n"), ""); // not between braces
  EXPECT_NE(faults_of("a: {b: \"${x}\", c: {d: 1}\n").find("s.yaml:1:4: error: this '{' has no '}'"),
            std::string::npos);
}

// yaml-cpp 0.7 takes a comma for endless empty documents.
TEST(Document, EndsWithATextThatBeginsWithAComma)
{
  EXPECT_EQ(faults_of(",\n"), "s.yaml:1:1: error: a YAML document cannot begin with this character\n  ,\n  ^\n");
  EXPECT_NE(faults_of("a: 1\n---\nb: 2\n").find("s.yaml:2: error: a second YAML document begins here"),
            std::string::npos)
      << faults_of("a: 1\n---\nb: 2\n");
  EXPECT_NE(faults_of("a: 1\n...\n,\n"), "");
}

// A question mark before a comma begins a key in YAML.
TEST(Document, QuestionsInFlowStyleComeBack)
{
  Diagnostics diagnostics;
  const Document asked = parse_document("question: how many?\nname: a\n", "a.yaml", diagnostics);
  const Document again = parse_document(to_flow_yaml(asked.root), "b.yaml", diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0);
  ASSERT_NE(again.root.find("question"), nullptr);
  EXPECT_EQ(again.root.find("question")->text, "how many?");
}

TEST(SetPath, ChangesAddsAndRefuses)
{
  Diagnostics diagnostics;
  Document document = parse_document("jobs:\n  - {name: a, training: {mode: ring}}\n", "s.yaml", diagnostics);
  set_path(document, "jobs.0.training.servers", "4");
  set_path(document, "run.seed", "7");
  EXPECT_EQ(to_flow_yaml(document.root), "{jobs: [{name: a, training: {mode: ring, servers: 4}}], run: {seed: 7}}");
  EXPECT_THROW(set_path(document, "jobs.3.name", "b"), InputError);
  EXPECT_THROW(set_path(document, "jobs.0.name.x", "b"), InputError);
  try {
    set_path(document, "jobs.a.workers", "2");
    FAIL();
  } catch (const InputError& fault) {
    EXPECT_EQ(fault.diagnostics().front().message,
              "'a' in the path 'jobs.a.workers': jobs has the items 0 to 0; 'a' is item 0");
  }
}

TEST(MapReader, FindsAllFaultsInOnePass)
{
  Diagnostics diagnostics;
  const Document document =
      parse_document("gpus_per_nodes: 8\nbandwidth: 25\ncount: -3\nmode: rign\n", "small.yaml", diagnostics);
  MapReader reader{document, &document.root, "cluster", diagnostics};
  reader.integer("gpus_per_node", 1, 1);
  reader.quantity("bandwidth", QuantityKind::bandwidth, 0);
  reader.integer("count", 1, 1);
  reader.choice("mode", "ring", {"ring", "tree"});
  reader.required_text("name");
  reader.finish();
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    all += format(diagnostic);
  EXPECT_EQ(all, "small.yaml:1:1: error: cluster lacks 'name'\n"
                 "  gpus_per_nodes: 8\n"
                 "  ^\n"
                 "small.yaml:1:1: error: unknown key 'gpus_per_nodes'; did you mean 'gpus_per_node'?\n"
                 "  gpus_per_nodes: 8\n"
                 "  ^\n"
                 "small.yaml:2:12: error: 'bandwidth': '25' has no unit; a bandwidth is written like '25 Gbit/s'\n"
                 "  bandwidth: 25\n"
                 "             ^\n"
                 "small.yaml:3:8: error: 'count' is -3; it must be from 1 to 1000000000\n"
                 "  count: -3\n"
                 "         ^\n"
                 "small.yaml:4:7: error: unknown mode 'rign'; did you mean 'ring'?\n"
                 "  mode: rign\n"
                 "        ^\n");
}

TEST(Difference, ListsPathsWithBothValues)
{
  Diagnostics diagnostics;
  const Document a = parse_document("x: 1\ny: {z: 2}\n", "a", diagnostics);
  const Document b = parse_document("x: 1\ny: {z: 3, w: 4}\n", "b", diagnostics);
  const auto changes = difference(a.root, b.root);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].path, "y.z");
  EXPECT_EQ(changes[0].after, "3");
  EXPECT_EQ(changes[1].path, "y.w");
}

} // namespace
} // namespace trainyard
