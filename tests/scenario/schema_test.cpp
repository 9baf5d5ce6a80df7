// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/scenario/schema.hpp"
#include "sim/run/simulate.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <filesystem>
#include <string>

namespace trainyard {
namespace {

struct ScenarioSchema : ::testing::Test {
  ScenarioSchema()
  {
    const nlohmann::json json = editor_schema(registered_parts(), load_catalogue(data_folder()));
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter{json}, schema);
  }

  bool accepts(const Document& document)
  {
    const nlohmann::json json = nlohmann::json::parse(to_json(document.root));
    valijson::Validator validator;
    return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter{json}, nullptr);
  }

  valijson::Schema schema;
};

TEST_F(ScenarioSchema, AcceptsEveryShippedScenarioAndRefusesAMisspeltKey)
{
  for (const auto& entry : std::filesystem::recursive_directory_iterator{data_folder() / "scenarios"}) {
    if (entry.path().extension() != ".yaml")
      continue;
    Diagnostics diagnostics;
    Document document = read_document(entry.path(), diagnostics);
    EXPECT_TRUE(accepts(document)) << entry.path();
    set_path(document, "run.fidelty", "fluid");
    EXPECT_FALSE(accepts(document)) << entry.path();
  }
}

TEST_F(ScenarioSchema, RefusesABareNumberForAQuantity)
{
  Diagnostics diagnostics;
  Document document = read_document(data_folder() / "scenarios/vgg16_ps_vs_ring.yaml", diagnostics);
  set_path(document, "cluster.network.latency", "5 us");
  EXPECT_TRUE(accepts(document));
  set_path(document, "cluster.network.latency", "5");
  EXPECT_FALSE(accepts(document));
}

// What the reader takes, an editor does not underline; what it refuses, the editor does.
TEST_F(ScenarioSchema, KnowsTheShortForms)
{
  const auto takes = [&](const std::string& cluster) {
    Diagnostics diagnostics;
    const Document document = parse_document("trainyard: 1\ncluster: " + cluster + "\n", "file", diagnostics);
    return accepts(document);
  };
  EXPECT_TRUE(takes("h100x8@64"));
  EXPECT_TRUE(takes("{nodes: [{gpu: H100-SXM5, gpus: 8, count: 64}]}"));
  EXPECT_TRUE(takes("{nodes: [{name: ps, cpu_cores: 16, count: 2}]}"));
  EXPECT_TRUE(takes("{node_types: {a: {gpu: H100-SXM5}}, nodes: [{name: a, type: a}]}"));
  EXPECT_FALSE(takes("{nodes: [{gpus: 8, count: 64}]}"));
  EXPECT_FALSE(takes("{nodes: [{gpu: H100-SXM5, gpuss: 8}]}"));
  EXPECT_FALSE(takes("7"));
}

} // namespace
} // namespace trainyard
