// SPDX-License-Identifier: Apache-2.0
#include "models/orchestration/orchestrator.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

/// A value of the profile that the file overrides. Returns whether it does.
bool rule_field(Fields& keys, const Parameter& rule, Settings& given)
{
  const FieldRange range{
      .example = "5 s", .least = rule.minimum, .most = rule.maximum, .otherwise = "that of the profile"};
  const auto take = [&](bool said, const auto& value) {
    if (said)
      given.set(rule.name, value);
    return said;
  };
  double value = 0;
  int whole = 0;
  bool on = false;
  std::string word = rule.choices.empty() ? "" : rule.choices.front();
  if (rule.kind == "duration")
    return take(keys.quantity_of(rule.name, value, QuantityKind::duration, rule.meaning, range), value);
  if (rule.kind == "number")
    return take(keys.number(rule.name, value, rule.meaning, range), value);
  if (rule.kind == "integer")
    return take(keys.integer(rule.name, whole, rule.meaning, range), whole);
  if (rule.kind == "boolean")
    return take(keys.flag(rule.name, on, rule.meaning, range), on);
  if (rule.choices.empty())
    return take(keys.text(rule.name, word, rule.meaning, range), word);
  return take(keys.choice(rule.name, word, rule.choices, rule.meaning, range), word);
}

/// The profile's rules, and the values that the file gives instead.
void profile_fields(Fields& keys, OrchestratorSection& section)
{
  Settings given;
  for (Parameter rule : orchestrator_parameters()) {
    if (rule.name == "placement" && keys.parts().contains("task_placement"))
      rule.choices = schema::names(keys.parts(), "task_placement");
    if (rule_field(keys, rule, given))
      section.given[rule.name] = to_flow_yaml(*keys.reader().node(rule.name));
  }
  section.rules = rules_of(given, section.rules);
  const int managers = section.rules.managers;
  if (keys.has("managers") && managers % 2 == 0)
    keys.error(
        "managers",
        managers == 0
            ? "0 managers: nothing would be placed; use orchestrator 'none' for machines without an orchestrator"
            : fmt::format("{} managers tolerate no more losses than {}; use an odd number", managers, managers - 1));
}

/// GPUs' names of the node or group @p name: one for each GPU, no two alike.
void check_gpu_ids(Fields& keys, const std::vector<std::string>& ids, const std::string& name,
                   const ClusterSpec& cluster)
{
  for (const NodeGroupSpec& group : cluster.nodes)
    if (!ids.empty() && (name == group.name || name.starts_with(group.name + "-"))) {
      const auto type = cluster.node_types.find(group.type);
      const int gpus = type == cluster.node_types.end() ? 0 : type->second.gpus;
      if (name == group.name && group.count > 1)
        keys.error("gpu_ids", fmt::format("'{}' has {} nodes, each with its own GPUs: give the names for each node",
                                          group.name, group.count));
      else if (gpus != static_cast<int>(ids.size()))
        keys.error("gpu_ids", fmt::format("{} names for {} GPUs of '{}'", ids.size(), gpus, name));
    }
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    if (id->size() != 12)
      keys.error(
          "gpu_ids",
          fmt::format("'{}' has {} characters; Docker takes the first 12 of the GPU's UUID, for example GPU-45cbf7b3",
                      *id, id->size()));
    if (std::find(ids.begin(), id, *id) != id)
      keys.error("gpu_ids", fmt::format("two GPUs have the name '{}'", *id));
  }
}

void trait_fields(Fields& keys, NodeTraits& traits)
{
  keys.quantity("joins", traits.joins, "time at which it joins the cluster",
                {.example = "10 min", .otherwise = "the start"});
  keys.choice("role", traits.role, {"manager", "worker", "both"}, "role of the node", {.otherwise = "worker"});
  keys.map("labels", "labels, for constraints", [&](Fields& labels, const std::string& label) {
    labels.text(label, traits.labels[label], "value of the label", {.required = true});
  });
  keys.flag("gpu_runtime", traits.gpu_runtime, "whether containers can use the GPUs");
  keys.texts("gpu_ids", traits.gpu_ids, "names of its GPUs (--node-generic-resource gpu=…)", "12 characters");
  keys.text("framework", traits.framework, "framework version installed on the machine itself");
  keys.texts("images", traits.images, "images that the node has from the start", "an image");
}

void check_version(Fields& keys, const OrchestratorSection& section, const Orchestrator& profile)
{
  if (section.version.empty())
    return;
  if (profile.versions.empty())
    keys.error("version", fmt::format("orchestrator '{}' has no versions", section.name));
  else if (const std::string& oldest = profile.versions.front().first; version_before(section.version, oldest))
    keys.error("version", fmt::format("{} {} is older than every version in the profile; the oldest is {}",
                                      section.name, section.version, oldest));
}

class OrchestratorReader final : public SectionOf<OrchestratorSection>
{
public:
  OrchestratorReader() : SectionOf{"orchestrator", "the system that starts services on machines"} {}

  /// A name alone is that of a profile.
  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    const schema::Json map = SectionOf::schema(parts, catalogue);
    return {{"anyOf", {schema::name_of(keys_of(load_orchestrators(data_folder())), "profile of a real system"), map}},
            {"description", map["description"]}};
  }

  std::any read(const SectionInput& input) const override
  {
    if (input.node.kind != DocumentNode::Kind::scalar)
      return SectionOf::read(input);
    const std::map<std::string, Orchestrator> all = load_orchestrators(data_folder());
    OrchestratorSection section;
    section.line = input.node.line;
    section.name = input.node.text;
    if (const auto profile = all.find(section.name); profile != all.end())
      section.rules = rules_at(profile->second, "");
    else
      input.document.error(input.diagnostics, input.node,
                           fmt::format("unknown orchestrator '{}'{}; known are {}", section.name,
                                       did_you_mean(section.name, keys_of(all)), fmt::join(keys_of(all), ", ")));
    return section;
  }

protected:
  void fields(Fields& keys, OrchestratorSection& section, const SectionInput* input) const override
  {
    section.line = keys.where().line;
    const std::map<std::string, Orchestrator> all = load_orchestrators(data_folder());
    keys.choice("name", section.name, keys_of(all), "name of a profile; the other keys override its values");
    keys.text("version", section.version, "version of the real system; older versions have more limits",
              {.otherwise = "the newest"});
    if (const auto profile = all.find(section.name); profile != all.end()) {
      check_version(keys, section, profile->second);
      section.rules = rules_at(profile->second, section.version);
    }
    const FieldRange bandwidth{.example = "1 Gbit/s", .least = 1, .otherwise = "no limit"};
    keys.quantity("registry_bandwidth", section.registry, "bandwidth of image pulls of all nodes together", bandwidth);
    keys.quantity("node_pull_bandwidth", section.node_pull, "bandwidth of image pulls to one node", bandwidth);
    keys.map("team_nodes", "for each team: the node group that belongs to it",
             [&](Fields& teams, const std::string& team) {
               std::string& group = section.team_nodes[team];
               teams.text(team, group, "name of a node group", {.required = true});
               if (input != nullptr && std::ranges::find(input->scenario.cluster.nodes, group, &NodeGroupSpec::name) ==
                                           input->scenario.cluster.nodes.end())
                 teams.error(team, fmt::format("there is no group of nodes '{}'", group));
             });
    keys.quantity("licence", section.licence, "licence cost of one node, in addition to its price",
                  {.example = "0.5 $/h"});
    keys.map("nodes", "settings of single nodes or groups, by name", [&](Fields& nodes, const std::string& name) {
      nodes.object(name, "settings of a node or group",
                   [&](Fields& node) {
                     NodeTraits& traits = section.nodes[name];
                     trait_fields(node, traits);
                     if (input != nullptr)
                       check_gpu_ids(node, traits.gpu_ids, name, input->scenario.cluster);
                   },
                   {.what = "node '" + name + "'"});
    });
    if (const DocumentNode* nodes = input == nullptr ? nullptr : keys.reader().node("nodes"); nodes != nullptr)
      for (const DocumentNode::Entry& entry : nodes->entries)
        check_node(*input, entry);
    profile_fields(keys, section);
  }

private:
  static void check_node(const SectionInput& input, const DocumentNode::Entry& entry)
  {
    std::vector<std::string> known;
    for (const NodeGroupSpec& group : input.scenario.cluster.nodes) {
      known.push_back(group.name);
      if (group.name == entry.key)
        return;
      for (int i = 0; i < group.count; ++i)
        if (entry.key == fmt::format("{}-{}", group.name, i))
          return;
    }
    input.document.error(
        input.diagnostics, entry,
        fmt::format("there is no node or group '{}'{}; groups are {}, their nodes <group>-0, <group>-1…", entry.key,
                    did_you_mean(entry.key, known), fmt::join(known, ", ")));
  }
};

TY_REGISTER(ScenarioSection, OrchestratorReader, "orchestrator",
            "the system that starts services on machines: none, swarm, kubernetes, slurm…");

} // namespace
} // namespace trainyard
