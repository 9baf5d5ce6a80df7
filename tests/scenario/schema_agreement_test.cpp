// SPDX-License-Identifier: Apache-2.0
/// The JSON Schema and the reader say the same about structure: every key of one is a key of the other, and what is
/// wrong with a file's structure is wrong for both.
#include "models/core/data_folder.hpp"
#include "models/scenario/schema.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scenario_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <set>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const Json& schema()
{
  static const Json json = scenario_schema_json(registered_parts(), load_catalogue(data_folder()));
  return json;
}

std::vector<fs::path> files(const fs::path& folder)
{
  std::vector<fs::path> list;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.path().extension() == ".yaml")
      list.push_back(entry.path());
  std::ranges::sort(list);
  return list;
}

/// The keys that the reader knows in a map: what it lists when it meets one that is like no other.
std::set<std::string> keys_of_reader(Document document, const std::string& path)
{
  const std::string strange = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq";
  set_path(document, path.empty() ? strange : path + "." + strange, "1");
  Diagnostics diagnostics;
  read_scenario(document, registered_parts(), load_catalogue(data_folder()), diagnostics);
  std::set<std::string> keys;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    if (const std::size_t at = diagnostic.message.find("known here: ");
        at != std::string::npos && diagnostic.message.find(strange) != std::string::npos) {
      std::istringstream list{diagnostic.message.substr(at + 12)};
      for (std::string key; std::getline(list, key, ',');)
        keys.insert(key.starts_with(' ') ? key.substr(1) : key);
    }
  return keys;
}

std::set<std::string> keys_of_schema(const Json& map)
{
  std::set<std::string> keys;
  for (const auto& [key, property] : map["properties"].items())
    keys.insert(key);
  return keys;
}

const char* const everything = R"(cluster:
  node_types:
    worker: {gpu: V100-SXM2-16GB, gpus: 1}
    server: {}
  nodes:
    - {name: worker, type: worker, count: 4}
    - {name: server, type: server, count: 1}
  network: {link: 25GbE}
jobs:
  - name: train
    model: {name: resnet50}
    workers: 4
    training: {mode: all_reduce}
    stragglers: [{worker: 1}]
    jitter: {distribution: normal}
    input: {source: disk}
transports: {mine: {like: nccl, rate: [{size: 1 MB}], supports: {gpu: {}}}}
run: {fidelity: fluid}
)";

TEST(SchemaAgreement, KeysOfTheReaderAreKeysOfTheSchemaAndTheOtherWayRound)
{
  Diagnostics diagnostics;
  const Document document = parse_document(everything, "all.yaml", diagnostics);
  const Json& top = schema()["properties"];
  const Json& job = top["jobs"]["items"]["properties"];
  const Json& cluster = top["cluster"]["properties"];
  const Json& transport = top["transports"]["additionalProperties"];
  const std::map<std::string, const Json*> maps = {
      {"", &schema()},
      {"transports.mine", &transport},
      {"transports.mine.rate.0", &transport["properties"]["rate"]["items"]},
      {"transports.mine.supports", &transport["properties"]["supports"]},
      {"cluster", &top["cluster"]},
      {"cluster.nodes.0", &cluster["nodes"]["items"]},
      {"jobs.0", &top["jobs"]["items"]},
      {"jobs.0.stragglers.0", &job["stragglers"]["items"]},
      {"jobs.0.jitter", &job["jitter"]},
      {"jobs.0.input", &job["input"]},
      {"jobs.0.model", &job["model"]["anyOf"][1]},
      {"run", &top["run"]}};
  for (const auto& [path, map] : maps)
    EXPECT_EQ(keys_of_reader(document, path), keys_of_schema(*map)) << "in '" << path << "'";
  // Where settings of the chosen part come along, the schema has those of all parts: the reader's are among them.
  for (const auto& [path, map] : {std::pair{"jobs.0.training", &job["training"]},
                                  {"cluster.network", &cluster["network"]},
                                  {"cluster.node_types.worker", &cluster["node_types"]["additionalProperties"]}})
    for (const std::string& key : keys_of_reader(document, path))
      EXPECT_TRUE((*map)["properties"].contains(key)) << path << ": " << key;
  // And each of those settings belongs to a part of which the reader takes it.
  for (const auto& [key, property] : job["training"]["properties"].items()) {
    if (!property.contains("x-of"))
      continue;
    bool taken = false;
    for (const auto& [kind, parts] : registered_parts())
      for (const Part& part : parts)
        taken = taken || std::ranges::find(part.parameters, key, &Parameter::name) != part.parameters.end();
    EXPECT_TRUE(taken) << key;
  }
}

TEST(SchemaAgreement, RangesOfTheSchemaAreTheReaders)
{
  Diagnostics ignored;
  const Document document = parse_document(everything, "all.yaml", ignored);
  const Json& top = schema()["properties"];
  const Json& job = top["jobs"]["items"]["properties"];
  const std::map<std::string, const Json*> maps = {
      {"cluster.nodes.0", &top["cluster"]["properties"]["nodes"]["items"]},
      {"cluster.node_types.worker", &top["cluster"]["properties"]["node_types"]["additionalProperties"]},
      {"jobs.0", &top["jobs"]["items"]},
      {"jobs.0.stragglers.0", &job["stragglers"]["items"]},
      {"jobs.0.jitter", &job["jitter"]},
      {"jobs.0.input", &job["input"]},
      {"transports.mine", &top["transports"]["additionalProperties"]},
      {"run", &top["run"]}};
  const Catalogue catalogue = load_catalogue(data_folder());
  const Parts parts = registered_parts();
  const auto out_of_range = [&](const std::string& path, double value) {
    Document changed = document;
    set_path(changed, path, fmt::format("{}", value));
    Diagnostics faults;
    read_scenario(changed, parts, catalogue, faults);
    return std::ranges::any_of(faults.sorted(), [](const Diagnostic& fault) {
      return fault.message.find("it must be") != std::string::npos ||
             fault.message.find("out of its range") != std::string::npos;
    });
  };
  int ranges = 0;
  for (const auto& [path, map] : maps)
    for (const auto& [key, property] : (*map)["properties"].items()) {
      if (property.contains("x-of"))
        continue; // which part's range counts depends on the part
      const std::string whole = path + "." + key;
      for (const char* end : {"minimum", "maximum"})
        if (property.contains(end)) {
          const double value = property[end].get<double>();
          EXPECT_FALSE(out_of_range(whole, value)) << whole << " " << end;
          EXPECT_TRUE(
              out_of_range(whole, value + (end == std::string{"minimum"} ? -1 : 1) * std::max(1.0, value * 1e-3)))
              << whole << " " << end;
          ++ranges;
        }
    }
  EXPECT_GE(ranges, 30);
}

TEST(SchemaAgreement, SectionsTakeTheKeysThatTheSchemaLists)
{
  // In every map of every shipped scenario: a key that the reader knows there must be in the schema at that place.
  for (const fs::path& file : files(data_folder() / "scenarios")) {
    Diagnostics diagnostics;
    const Document document = read_document(file, diagnostics);
    const std::function<void(const DocumentNode&, const Json&, const std::string&)> walk =
        [&](const DocumentNode& node, const Json& at, const std::string& path) {
          if (node.kind == DocumentNode::Kind::list && at.contains("items"))
            for (std::size_t i = 0; i < node.items.size(); ++i)
              walk(node.items[i], at["items"], path + "." + std::to_string(i));
          if (node.kind != DocumentNode::Kind::map || !at.contains("properties") || path.starts_with("sweep"))
            return;
          for (const std::string& key : keys_of_reader(document, path))
            EXPECT_TRUE(at["properties"].contains(key))
                << file.filename() << ", " << path << ": the reader knows '" << key << "'";
          for (const DocumentNode::Entry& entry : node.entries)
            if (at["properties"].contains(entry.key))
              walk(entry.value, at["properties"][entry.key], path.empty() ? entry.key : path + "." + entry.key);
        };
    walk(document.root, schema(), "");
  }
}

TEST(SchemaAgreement, DefaultsOfTheSchemaWrittenOutChangeNothing)
{
  const std::string plain =
      "cluster:\n  node_types:\n    worker: {gpu: V100-SXM2-16GB}\n  nodes:\n    - {name: worker, type: worker}\n"
      "jobs:\n  - {model: resnet50}\n";
  Diagnostics diagnostics;
  const Document document = parse_document(plain, "plain.yaml", diagnostics);
  Document written = document;
  std::set<std::string> paths;
  for (const FilledDefault& filled : absent_defaults(document, schema())) {
    paths.insert(filled.path);
    set_path(written, filled.path, filled.value);
  }
  for (const char* path : {"cluster.network.topology", "cluster.nodes.0.count", "jobs.0.batch_per_gpu",
                           "jobs.0.optimizer", "jobs.0.steps", "run.seed", "run.fidelity"})
    EXPECT_TRUE(paths.contains(path)) << path << " is not listed as filled in";
  const auto run = [](const Document& what) {
    Diagnostics faults;
    const std::vector<CheckedPoint> points = check_points(what, faults);
    for (const Diagnostic& fault : faults.sorted())
      if (fault.severity == Severity::error)
        ADD_FAILURE() << format(fault);
    return simulate(points).jobs.front();
  };
  const JobRow before = run(document), after = run(written);
  EXPECT_EQ(before.step_s.mean, after.step_s.mean);
  EXPECT_EQ(before.finish, after.finish);
  EXPECT_EQ(before.gpu_memory, after.gpu_memory);
  EXPECT_EQ(before.fidelity, after.fidelity);
  EXPECT_EQ(before.network, after.network);
}

TEST(SchemaAgreement, ThePageOfOneSectionHasItsKeysAndThoseBelow)
{
  const std::string page = scenario_reference(schema()), section = reference_of(page, "checkpoints");
  EXPECT_NE(page.find(section.substr(0, section.find("\n\n"))), std::string::npos);
  EXPECT_NE(section.find("| `interval` |"), std::string::npos);
  EXPECT_EQ(section.find("`cluster`"), std::string::npos);
  EXPECT_NE(reference_of(page, "cluster").find("## `cluster.nodes[]`"), std::string::npos);
  EXPECT_EQ(reference_of(page, "clusters"), "");
}

} // namespace
} // namespace trainyard
