// SPDX-License-Identifier: Apache-2.0
/// A new part of a scenario file, with its keys, is this one file: reader, range check, schema and reference page come
/// from it.
#include "models/core/data_folder.hpp"
#include "models/scenario/schema.hpp"
#include "models/scenario/section.hpp"
#include "sim/run/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

struct Cooling {
  double overhead = 0.3;
  Seconds delay{300};
};

class CoolingReader final : public SectionOf<Cooling>
{
public:
  CoolingReader() : SectionOf{"cooling", "what cools the machines"} {}

protected:
  void fields(Fields& keys, Cooling& cooling, const SectionInput*) const override
  {
    keys.number("overhead", cooling.overhead, "power for cooling, as a share of that of the machines", {.most = 2});
    keys.quantity("delay", cooling.delay, "time until it follows the load", {.example = "5 min", .most = 3600});
  }
};

TY_REGISTER(ScenarioSection, CoolingReader, "cooling", "what cools the machines");

std::string faults(const std::string& part, Scenario& scenario)
{
  Diagnostics diagnostics;
  const Document document =
      parse_document("cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB}}\n  nodes: [{name: w, type: w}]\n"
                     "jobs: [{model: resnet50}]\n" +
                         part,
                     "a.yaml", diagnostics);
  scenario = read_scenario(document, registered_parts(), load_catalogue(data_folder()), diagnostics);
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    if (diagnostic.severity == Severity::error)
      all += format(diagnostic);
  return all;
}

TEST(NewPart, APartOfTheFileIsReadAndChecked)
{
  Scenario scenario;
  EXPECT_EQ(faults("cooling: {overhead: 50 %}\n", scenario), "");
  const Cooling* cooling = scenario.section<Cooling>("cooling");
  ASSERT_NE(cooling, nullptr);
  EXPECT_EQ(cooling->overhead, 0.5);
  EXPECT_EQ(cooling->delay, Seconds{300});
  EXPECT_THAT(faults("cooling: {overhead: 3}\n", scenario), HasSubstr("'overhead' is 3; it must be from 0 to 2"));
  EXPECT_THAT(faults("cooling: {delai: 1 s}\n", scenario), HasSubstr("did you mean 'delay'?"));
}

TEST(NewPart, APartOfTheFileIsInSchemaAndReference)
{
  const auto schema = scenario_schema_json(registered_parts(), load_catalogue(data_folder()));
  const auto& keys = schema["properties"]["cooling"]["properties"];
  EXPECT_EQ(keys["overhead"]["maximum"], 2);
  EXPECT_EQ(keys["delay"]["default"], "5 min");
  EXPECT_THAT(scenario_reference(schema), HasSubstr("## `cooling`"));
}

} // namespace
} // namespace trainyard
