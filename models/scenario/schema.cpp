// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/schema.hpp"

#include "models/scenario/reading.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

using namespace schema;
using Kind = DocumentNode::Kind;

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
  Json schema = scenario_map_schema(parts, catalogue);
  // A file of machines may stand for the cluster.
  const Json own = {{"required", {"cluster"}}};
  const Json from_file = {{"required", {"workload"}}, {"properties", {{"workload", {{"required", {"machines"}}}}}}};
  schema["allOf"] = Json::array({Json{{"anyOf", Json::array({own, from_file})}}});
  schema["properties"]["run"]["x-always"] = true;
  schema["properties"]["cluster"]["properties"]["network"]["x-always"] = true;
  Json document = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Trainyard scenario"}};
  document.update(schema);
  return document;
}

nlohmann::ordered_json editor_schema(const Parts& parts, const Catalogue& catalogue)
{
  Json schema = scenario_schema_json(parts, catalogue);
  Json& cluster = schema["properties"]["cluster"];
  Json& group = cluster["properties"]["nodes"]["items"];
  const Json whole = group;
  for (const auto& [key, property] : cluster["properties"]["node_types"]["additionalProperties"]["properties"].items())
    if (Json& own = group["properties"]; !own.contains(key))
      own[key] = property;
  group["required"] = {"gpu"};
  Json processors = group;
  processors["required"] = {"cpu_cores"};
  group = {{"anyOf", {whole, group, processors}}, {"description", whole["description"]}};
  cluster["required"] = {"nodes"};
  cluster = {
      {"anyOf", {cluster, {{"type", "string"}, {"description", "machines in one word: h100x8@64,ib=400Gbit/s"}}}},
      {"description", cluster["description"]}};
  return schema;
}

const nlohmann::ordered_json& SchemaByKey::with(const std::string& first)
{
  const auto [at, is_new] = known_.try_emplace(first);
  if (!is_new)
    return at->second;
  const auto& sections = Registry<ScenarioSection>::instance().entries();
  if (const auto section = sections.find(first); section != sections.end())
    at->second["properties"][first] = section->second.create({})->schema(parts_, catalogue_);
  else if (first == "cluster")
    at->second["properties"][first] = schema_of<ClusterSpec>(
        parts_, catalogue_, "", [](Fields& keys, ClusterSpec& cluster) { cluster_fields(keys, cluster, nullptr); });
  else
    at->second = scenario_map_schema(parts_, catalogue_);
  return at->second;
}

std::vector<FilledDefault> absent_defaults(const Document& document, const Json& schema)
{
  std::vector<FilledDefault> list;
  add_defaults(&document.root, schema, "", list);
  return list;
}

} // namespace trainyard
