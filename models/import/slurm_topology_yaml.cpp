// SPDX-License-Identifier: Apache-2.0
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

/// topology.yaml; if both exist, Slurm reads it instead of topology.conf. Source: topology.yaml(5), Slurm 25.05.
class SlurmTopologyYaml final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    return (head.starts_with("- topology:") || file.has("\n- topology:")) &&
           (file.has("tree:") || file.has("block:") || file.has("flat:"));
  }
  int rank() const override { return 3; }
  std::string description() const override { return "Slurm topology (YAML), read instead of topology.conf"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      const DocumentNode* chosen = nullptr;
      for (const DocumentNode& item : document.root.items)
        if (chosen == nullptr || text_at(item, {"cluster_default"}) == "true")
          chosen = &item;
      for (const DocumentNode& item : document.root.items)
        if (&item != chosen)
          context.report.ignored("topology " + text_at(item, {"topology"}), "another is the default",
                                 {file.name(), item.line});
      if (chosen != nullptr)
        read_one(*chosen, file, context);
    }
  }

private:
  static void read_one(const DocumentNode& node, const InputFile& file, ImportContext& context)
  {
    std::vector<SlurmSwitch> tree;
    std::vector<std::string> blocks;
    const auto add = [&](const DocumentNode* list, const char* key) {
      if (list == nullptr)
        return;
      for (const DocumentNode& item : list->items) {
        const ImportPlace place{file.name(), item.line};
        SlurmSwitch one{.name = text_at(item, {key}), .place = place};
        if (const std::string nodes = text_at(item, {"nodes"}); !nodes.empty())
          one.nodes = slurm_hosts(nodes, place, context.report);
        if (const std::string children = text_at(item, {"children"}); !children.empty())
          one.switches = slurm_hosts(children, place, context.report);
        if (std::string_view{key} == "block")
          blocks.push_back(one.name);
        tree.push_back(std::move(one));
      }
    };
    add(at(node, {"tree", "switches"}), "switch");
    add(at(node, {"block", "blocks"}), "block");
    if (at(node, {"block", "block_sizes"}) != nullptr)
      context.report.ignored("block_sizes", "jobs may use several blocks",
                             {file.name(), line_at(node, {"block", "block_sizes"})});
    if (!blocks.empty()) {
      tree.push_back({"above-blocks", {}, blocks, {file.name(), node.line}});
      context.report.assumed("blocks are joined by one switch above them", "the file does not say how they are wired",
                             {file.name(), node.line});
    }
    if (tree.empty()) {
      context.report.understood("flat topology", {file.name(), node.line});
      return;
    }
    if (!context.draft.network.switches.empty())
      context.report.ignored("topology.conf", "Slurm reads topology.yaml first", {file.name(), node.line});
    set_slurm_tree(tree, context);
  }
};

TY_REGISTER(Importer, SlurmTopologyYaml, "slurm-topology-yaml", "Slurm's topology.yaml: trees and blocks");

} // namespace
} // namespace trainyard
