// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/schema.hpp"

#include "models/scenario/reading.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

using namespace schema;
using Kind = DocumentNode::Kind;

Json with_default(double value, Json schema)
{
  schema["default"] = value;
  return schema;
}

/// The schema of a map whose keys @p fields declares.
template <class T>
Json of(const Parts& parts, const Catalogue& catalogue, const std::string& meaning,
        void (*fields)(Fields& keys, T& record, Reading* reading))
{
  return schema_of<T>(parts, catalogue, meaning, [&](Fields& keys, T& record) { fields(keys, record, nullptr); });
}

std::string type_of(const Json& schema)
{
  const auto found = schema.find("type");
  if (found == schema.end())
    return schema.contains("properties") ? "object" : "";
  return found->is_string() ? found->get<std::string>() : "scalar"; // several types: any scalar
}

void add_defaults(const DocumentNode* node, const Json& schema, const std::string& path,
                  std::vector<FilledDefault>& list)
{
  const std::string type = type_of(schema);
  if (type == "array" && node != nullptr && node->kind == Kind::list && schema.contains("items")) {
    for (std::size_t i = 0; i < node->items.size(); ++i)
      add_defaults(&node->items[i], schema["items"], fmt::format("{}.{}", path, i), list);
    return;
  }
  if (type != "object" || (node != nullptr && node->kind != Kind::map && node->kind != Kind::null))
    return;
  const auto join = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  const auto properties = schema.find("properties");
  if (properties == schema.end()) {
    if (const auto others = schema.find("additionalProperties");
        node != nullptr && others != schema.end() && others->is_object())
      for (const DocumentNode::Entry& entry : node->entries)
        add_defaults(&entry.value, *others, join(entry.key), list);
    return;
  }
  for (const auto& [key, property] : properties->items()) {
    const DocumentNode* value = node == nullptr ? nullptr : node->find(key);
    if (value != nullptr || property.value("x-always", false))
      add_defaults(value, property, join(key), list);
    else if (property.contains("default") && !property.contains("x-of"))
      list.push_back(
          {join(key),
           property["default"].is_string() ? property["default"].get<std::string>() : property["default"].dump(),
           property.value("x-source", "schema")});
  }
}

} // namespace

nlohmann::ordered_json scenario_schema_json(const Parts& parts, const Catalogue& catalogue)
{
  const Json any_map = {{"type", "object"}, {"description", "path: value, for example jobs.0.workers: 8"}};
  const Json variant = object("a named set of changes",
                              {{"name", text("name of the variant, and of its curve")}, {"set", any_map}}, {"name"});
  const Json range =
      object("a range of values",
             {{"from", {{"type", {"number", "string"}}, {"description", "first value"}}},
              {"to", {{"type", {"number", "string"}}, {"description", "last value"}}},
              {"step", with_default(1, number("difference between two values"))},
              {"factor", number("ratio of a value to the one before it", 1)},
              {"count", whole("number of values, including both ends")},
              {"scale", name_of({"linear", "log"}, "how the values are spaced, with count or for samples")},
              {"integer", {{"type", "boolean"}, {"description", "only whole numbers (for samples)"}}}});
  const Json values = {{"anyOf",
                        {{{"type", "array"}, {"minItems", 1}},
                         {{"type", "string"}, {"description", "8..64:8 (step), 1..64*2 (factor)"}},
                         range,
                         {{"type", "object"}},
                         {{"type", "number"}}}}};
  const Json paths = {
      {"type", "object"}, {"description", "path: list or range of values"}, {"additionalProperties", values}};
  const Json zip = {{"anyOf", {paths, {{"type", "array"}, {"items", paths}}}},
                    {"description", "paths whose lists advance together; the lists have equal length"}};
  const Json samples = object("points drawn from ranges",
                              {{"points", whole("number of points")},
                               {"seed", whole("seed of the draw; default: the seed of the run", 0)},
                               {"over", paths}},
                              {"points", "over"});
  const Json sweep =
      object("the points to simulate: every combination of the values",
             {{"grid", paths},
              {"zip", zip},
              {"variants", list_of(variant, "named sets of changes; each is one curve")},
              {"random", samples},
              {"latin_hypercube", samples},
              {"constraints",
               list_of({{"type", "string"}}, "conditions that a point must meet: workers * batch_per_gpu <= 256")},
              {"replicas", whole("number of seeds with which each point runs")}});
  Json schema = object(
      "A cluster, its jobs, and what to find out",
      {{"trainyard", {{"const", 1}, {"description", "version of this format"}}},
       {"name", text("name of the scenario")},
       {"question", text("question that the scenario answers")},
       {"era", name_of(catalogue.era_names(), "year: what each transport supports, and the framework if 'framework' "
                                              "names none")},
       {"cluster", of<ClusterSpec>(parts, catalogue, "machines and network", cluster_fields)},
       {"calibration",
        text("calibration file written by simcal; its measured constants replace those of the catalogue")},
       {"transports",
        {{"type", "object"}, {"description", "changes to transports of the catalogue, or new ones with like:"}}},
       {"jobs", list_of(of<JobSpec>(parts, catalogue, "a training job", job_fields), "training jobs")},
       {"run", of<RunSpec>(parts, catalogue, "settings of the run", run_fields)},
       {"sweep", sweep}});
  // A file of machines may stand for the cluster.
  const Json own = {{"required", {"cluster"}}};
  const Json from_file = {{"required", {"workload"}}, {"properties", {{"workload", {{"required", {"machines"}}}}}}};
  schema["allOf"] = Json::array({Json{{"anyOf", Json::array({own, from_file})}}});
  for (const auto& [name, entry] : Registry<ScenarioSection>::instance().entries()) {
    Json section = entry.create({})->schema(parts, catalogue);
    if (!section.contains("description"))
      section["description"] = entry.description;
    schema["properties"][name] = std::move(section);
  }
  schema["properties"]["run"]["x-always"] = true;
  schema["properties"]["cluster"]["properties"]["network"]["x-always"] = true;
  Json document = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Trainyard scenario"}};
  document.update(schema);
  return document;
}

std::string scenario_schema(const Parts& parts, const Catalogue& catalogue)
{
  return scenario_schema_json(parts, catalogue).dump(2) + "\n";
}

std::vector<FilledDefault> absent_defaults(const Document& document, const Json& schema)
{
  std::vector<FilledDefault> list;
  add_defaults(&document.root, schema, "", list);
  return list;
}

} // namespace trainyard
