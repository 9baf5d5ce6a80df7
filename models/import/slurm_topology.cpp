// SPDX-License-Identifier: Apache-2.0
#include "models/import/slurm_parts.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

/// topology.conf of the plug-ins topology/tree and topology/block. Source: topology.conf(5).
class SlurmTopology final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return has_slurm_key(file.head(), {"SwitchName=", "BlockName="});
  }
  int rank() const override { return 2; }
  std::string description() const override { return "Slurm topology: switches or blocks"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    std::vector<SlurmSwitch> tree;
    std::vector<std::string> blocks;
    for (const SlurmLine& line : read_slurm_lines(file.text())) {
      const ImportPlace place{file.name(), line.line};
      const std::string& key = line.values.front().first;
      if (key != "switchname" && key != "blockname") {
        context.report.ignored(key, key == "blocksizes" ? "jobs may use several blocks" : "not modelled", place);
        continue;
      }
      SlurmSwitch one{.name = line.values.front().second, .place = place};
      for (const auto& [name, value] : line.values)
        if (name == "nodes")
          one.nodes = slurm_hosts(value, place, context.report);
        else if (name == "switches")
          one.switches = slurm_hosts(value, place, context.report);
        else if (name == "linkspeed")
          context.report.ignored({"LinkSpeed {}", value},
                                 "its unit is the administrator's own; give the rate of links with --link", place);
      if (key == "blockname")
        blocks.push_back(one.name);
      tree.push_back(std::move(one));
    }
    if (tree.empty()) {
      context.report.error({file.name(), 0}, "the file has no SwitchName or BlockName line");
      return;
    }
    if (!blocks.empty()) {
      tree.push_back({"above-blocks", {}, blocks, {file.name(), 0}});
      context.report.assumed("blocks are joined by one switch above them", "the file does not say how they are wired",
                             {file.name(), 0});
    }
    set_slurm_tree(tree, context);
  }
};

TY_REGISTER(Importer, SlurmTopology, "slurm-topology", "Slurm's topology.conf: switches (tree) and blocks");

} // namespace
} // namespace trainyard
