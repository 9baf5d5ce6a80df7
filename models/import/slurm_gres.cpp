// SPDX-License-Identifier: Apache-2.0
#include "models/import/hostlist.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// gres.conf: which device files the GPUs of a machine are. Source: gres.conf(5).
class SlurmGres final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    return !has_slurm_key(head, {"ClusterName=", "PartitionName=", "SlurmctldHost="}) &&
           (file.has("Name=gpu") || file.has("name=gpu") || has_slurm_key(head, {"AutoDetect="}));
  }
  int rank() const override { return 1; }
  std::string description() const override { return "Slurm's generic resources: GPUs of machines"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const std::map<std::string, std::size_t> before = slurm_index(context.draft);
    std::map<std::string, std::size_t> index = before;
    std::map<std::string, int> counts;
    std::map<std::string, std::pair<std::string, ImportPlace>> types;
    for (const SlurmLine& line : read_slurm_lines(file.text())) {
      const ImportPlace place{file.name(), line.line};
      if (line.value("name") != "gpu") {
        context.report.ignored(line.value("name").empty() ? line.values.front().first
                                                          : "generic resource " + line.value("name"),
                               "only GPUs are counted", place);
        continue;
      }
      int count = 1;
      if (const std::string text = line.value("count"); !text.empty())
        count = count_of(text, 64, 1, "GPUs", place, context.report);
      else if (const std::string files = line.value("file"); !files.empty())
        count = static_cast<int>(std::min<std::size_t>(slurm_hosts(files, place, context.report).size(), 64));
      const std::string type = line.value("type");
      std::vector<std::string> hosts;
      if (const std::string list = line.value("nodename"); !list.empty())
        hosts = slurm_hosts(list, place, context.report);
      else
        for (const auto& [name, at] : before)
          if (context.draft.machines[at].gpus > 0)
            hosts.push_back(name);
      context.report.understood(place, "{} with {}{}", counted(hosts.size(), "machine"), counted(count, "GPU"),
                                type.empty() ? "" : " of type " + type);
      for (const std::string& host : hosts) {
        counts[host] += count;
        types.try_emplace(host, type, place);
      }
      for (const auto& [key, value] : line.values)
        if (key != "name" && key != "nodename" && key != "type" && key != "file" && key != "count")
          context.report.ignored(key + " of GPUs", "the cores close to a GPU follow from the wiring of the node",
                                 place);
    }
    std::map<std::string, std::string> names; // type -> catalogue
    for (const auto& [host, count] : counts) {
      const auto& [type, place] = types.at(host);
      if (context.draft.batch.out_of_service.contains(host))
        continue;
      const bool known = before.contains(host);
      DraftMachines& machine = slurm_machine(context.draft, host, index);
      if (known && machine.gpus > 0 && machine.gpus != count) {
        context.report.warning(place, "machine '{}' has {} GPUs here and {} in slurm.conf; the smaller number counts",
                               host, count, machine.gpus);
        machine.gpus = std::min(machine.gpus, count);
      }
      if (machine.gpu.empty()) {
        machine.gpus = machine.gpus > 0 ? machine.gpus : count;
        if (type.empty()) {
          context.draft.batch.untyped.try_emplace(host, place);
        } else {
          if (!names.contains(type))
            names[type] = context.gpu(type, place);
          machine.gpu = names[type];
        }
      }
      if (machine.note.empty())
        machine.note = to_text(place);
    }
    context.draft.orchestrator = "slurm";
  }

  void finish(ImportContext& context) const override { name_untyped_gpus(context); }
};

TY_REGISTER(Importer, SlurmGres, "slurm-gres", "Slurm's gres.conf: GPUs by device file, type and count");

} // namespace
} // namespace trainyard
