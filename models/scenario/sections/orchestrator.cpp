// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/orchestrator.hpp"

#include "models/core/data_folder.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "models/scenario/read_settings.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

std::vector<std::string> names_of(const std::map<std::string, Orchestrator>& all)
{
  std::vector<std::string> names;
  for (const auto& [name, entry] : all)
    names.push_back(name);
  return names;
}

class OrchestratorReader final : public ScenarioSection
{
public:
  nlohmann::ordered_json schema(const Parts& parts, const Catalogue&) const override
  {
    using namespace schema;
    const std::map<std::string, Orchestrator> all = load_orchestrators(data_folder());
    Json properties = {
        {"name", name_of(names_of(all), "name of a profile; the other keys override its values")},
        {"version", text("version of the real system; older versions have more limits")},
        {"registry_bandwidth",
         quantity("bandwidth of image pulls of all nodes together; default: no limit", "1 Gbit/s")},
        {"node_pull_bandwidth", quantity("bandwidth of image pulls to one node; default: no limit", "1 Gbit/s")},
        {"team_nodes", {{"type", "object"}, {"description", "for each team: the node group that belongs to it"}}},
        {"licence", quantity("licence cost of one node, in addition to its price", "0.5 $/h")},
        {"nodes",
         {{"type", "object"},
          {"description", "settings of single nodes or groups, by name"},
          {"additionalProperties",
           object("settings of a node or group",
                  {{"joins", quantity("time at which it joins the cluster", "10 min")},
                   {"role", name_of({"manager", "worker", "both"}, "role of the node")},
                   {"labels", {{"type", "object"}, {"description", "labels, for constraints"}}},
                   {"gpu_runtime", flag("whether containers can use the GPUs (default true)")},
                   {"gpu_ids", list_of(text("12 characters"), "names of its GPUs (--node-generic-resource gpu=…)")},
                   {"framework", text("framework version installed on the machine itself")},
                   {"images", list_of(text("an image"), "images that the node has from the start")}})}}}};
    for (const Parameter& parameter : orchestrator_parameters()) {
      Json one = parameter.kind == "duration"  ? quantity(parameter.meaning, "5 s")
                 : parameter.kind == "boolean" ? flag(parameter.meaning)
                 : parameter.kind == "integer" ? whole(parameter.meaning, 0)
                 : parameter.kind == "number"  ? number(parameter.meaning)
                 : parameter.name == "placement" && parts.contains("task_placement")
                     ? name_of(schema::names(parts, "task_placement"), parameter.meaning)
                 : parameter.choices.empty() ? text(parameter.meaning)
                                             : name_of(parameter.choices, parameter.meaning);
      properties[parameter.name] = std::move(one);
    }
    Json full = object("the system that starts services on machines", properties);
    return {{"anyOf", {name_of(names_of(all), "profile of a real system"), full}},
            {"description", "the system that starts services on machines"}};
  }

  std::any read(const SectionInput& input) const override
  {
    const std::map<std::string, Orchestrator> all = load_orchestrators(data_folder());
    OrchestratorSection section;
    section.line = input.node.line;
    const std::vector<std::string> known = names_of(all);
    if (input.node.kind == DocumentNode::Kind::scalar) {
      section.name = input.node.text;
      if (!all.contains(section.name)) {
        input.document.error(input.diagnostics, input.node,
                             fmt::format("unknown orchestrator '{}'{}; known are {}", section.name,
                                         did_you_mean(section.name, known), fmt::join(known, ", ")));
        return section;
      }
      section.rules = rules_at(all.at(section.name), "");
      return section;
    }
    MapReader reader{input.document, &input.node, "'orchestrator'", input.diagnostics};
    section.name = reader.choice("name", "none", known);
    section.version = reader.text("version", "");
    if (all.contains(section.name)) {
      const Orchestrator& profile = all.at(section.name);
      if (!section.version.empty() && profile.versions.empty())
        reader.error("version", fmt::format("orchestrator '{}' has no versions", section.name));
      else if (!section.version.empty() && version_before(section.version, profile.versions.front().first))
        reader.error("version", fmt::format("{} {} is older than every version in the profile; the oldest is {}",
                                            section.name, section.version, profile.versions.front().first));
      section.rules = rules_at(profile, section.version);
    }
    std::vector<Parameter> parameters = orchestrator_parameters();
    for (Parameter& parameter : parameters) {
      if (parameter.name == "placement" && input.parts.contains("task_placement"))
        parameter.choices = schema::names(input.parts, "task_placement");
      if (const DocumentNode* node = input.node.find(parameter.name); node != nullptr)
        section.given[parameter.name] = to_flow_yaml(*node);
    }
    section.rules = rules_of(read_settings(reader, parameters), section.rules);
    if (reader.has("managers") && (section.rules.managers % 2 == 0))
      reader.error(
          "managers",
          section.rules.managers == 0
              ? "0 managers: nothing would be placed; use orchestrator 'none' for machines without an orchestrator"
              : fmt::format("{} managers tolerate no more losses than {}; use an odd number", section.rules.managers,
                            section.rules.managers - 1));
    section.registry = BytesPerSecond{reader.quantity("registry_bandwidth", QuantityKind::bandwidth, 0, 1)};
    section.node_pull = BytesPerSecond{reader.quantity("node_pull_bandwidth", QuantityKind::bandwidth, 0, 1)};
    MapReader teams{input.document, reader.node("team_nodes"), "'team_nodes'", input.diagnostics};
    for (const DocumentNode::Entry& entry : teams.entries()) {
      section.team_nodes[entry.key] = teams.required_text(entry.key);
      if (std::ranges::find(input.scenario.cluster.nodes, section.team_nodes[entry.key], &NodeGroupSpec::name) ==
          input.scenario.cluster.nodes.end())
        teams.error(entry.key, fmt::format("there is no group of nodes '{}'", section.team_nodes[entry.key]));
    }
    teams.finish();
    section.licence = DollarsPerHour{reader.quantity("licence", QuantityKind::money_rate, 0)};
    MapReader nodes{input.document, reader.node("nodes"), "'nodes'", input.diagnostics};
    for (const DocumentNode::Entry& entry : nodes.entries())
      section.nodes[entry.key] = read_traits(input, entry);
    reader.finish();
    return section;
  }

private:
  static NodeTraits read_traits(const SectionInput& input, const DocumentNode::Entry& entry)
  {
    NodeTraits traits;
    traits.line = entry.line;
    bool exists = false;
    std::vector<std::string> known;
    for (const NodeGroupSpec& group : input.scenario.cluster.nodes) {
      known.push_back(group.name);
      exists = exists || group.name == entry.key;
      for (int i = 0; i < group.count && !exists; ++i)
        exists = entry.key == fmt::format("{}-{}", group.name, i);
    }
    if (!exists)
      input.document.error(
          input.diagnostics, entry,
          fmt::format("there is no node or group '{}'{}; groups are {}, their nodes <group>-0, <group>-1…", entry.key,
                      did_you_mean(entry.key, known), fmt::join(known, ", ")));
    MapReader reader{input.document, &entry.value, "node '" + entry.key + "'", input.diagnostics};
    if (reader.has("joins"))
      traits.joins = Seconds{reader.quantity("joins", QuantityKind::duration, 0)};
    traits.role = reader.choice("role", "", {"manager", "worker", "both"});
    traits.gpu_runtime = reader.flag("gpu_runtime", true);
    traits.gpu_ids = reader.texts("gpu_ids");
    for (const NodeGroupSpec& group : input.scenario.cluster.nodes)
      if (!traits.gpu_ids.empty() && (entry.key == group.name || entry.key.starts_with(group.name + "-"))) {
        const auto type = input.scenario.cluster.node_types.find(group.type);
        const int gpus = type == input.scenario.cluster.node_types.end() ? 0 : type->second.gpus;
        if (entry.key == group.name && group.count > 1)
          reader.error("gpu_ids", fmt::format("'{}' has {} nodes, each with its own GPUs: give the names for each node",
                                              group.name, group.count));
        else if (gpus != static_cast<int>(traits.gpu_ids.size()))
          reader.error("gpu_ids", fmt::format("{} names for {} GPUs of '{}'", traits.gpu_ids.size(), gpus, entry.key));
      }
    for (std::size_t i = 0; i < traits.gpu_ids.size(); ++i) {
      if (traits.gpu_ids[i].size() != 12)
        reader.error(
            "gpu_ids",
            fmt::format("'{}' has {} characters; Docker takes the first 12 of the GPU's UUID, for example GPU-45cbf7b3",
                        traits.gpu_ids[i], traits.gpu_ids[i].size()));
      if (std::ranges::find(traits.gpu_ids.begin(), traits.gpu_ids.begin() + static_cast<std::ptrdiff_t>(i),
                            traits.gpu_ids[i]) != traits.gpu_ids.begin() + static_cast<std::ptrdiff_t>(i))
        reader.error("gpu_ids", fmt::format("two GPUs have the name '{}'", traits.gpu_ids[i]));
    }
    traits.framework = reader.text("framework", "");
    traits.images = reader.texts("images");
    MapReader labels{input.document, reader.node("labels"), "'labels'", input.diagnostics};
    for (const DocumentNode::Entry& label : labels.entries())
      traits.labels[label.key] = labels.required_text(label.key);
    reader.finish();
    return traits;
  }
};

TY_REGISTER(ScenarioSection, OrchestratorReader, "orchestrator",
            "the system that starts services on machines: none, swarm, kubernetes, slurm…");

} // namespace
} // namespace trainyard
