// SPDX-License-Identifier: Apache-2.0
#include "models/import/hostlist.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

constexpr int most_gpus = 64; // of one machine

/// slurm.conf: machines, partitions, the scheduler. Source: slurm.conf(5).
class SlurmConf final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return has_slurm_key(file.head(), {"ClusterName=", "SlurmctldHost=", "PartitionName="}) ||
           (has_slurm_key(file.head(), {"NodeName="}) && file.head().find("CPUs=") != std::string_view::npos);
  }
  std::string description() const override { return "Slurm configuration: machines, partitions, scheduler"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    Draft& draft = context.draft;
    draft.orchestrator = "slurm";
    draft.orchestrator_note = file.name();
    std::map<std::string, std::size_t> index = slurm_index(draft);
    SlurmLine defaults;
    int gpus = 0;
    for (const SlurmLine& line : read_slurm_lines(file.text())) {
      const ImportPlace place{file.name(), line.line};
      const std::string& key = line.values.front().first;
      const std::string& value = line.values.front().second;
      if (key == "nodename") {
        if (value == "DEFAULT") {
          defaults = line;
          context.report.understood("defaults of machines", place);
        } else {
          gpus += read_nodes(line, defaults, place, context, index);
        }
      } else if (key == "partitionname") {
        read_partition(line, place, context);
      } else if (key == "schedulertype") {
        const bool backfill = value.find("backfill") != std::string::npos;
        draft.scheduling.emplace_back("policy", backfill ? "conservative_backfill" : "fifo");
        draft.scheduling.emplace_back("placement", "best_fit");
        draft.scheduling_note = to_text(place);
        context.report.understood(
            fmt::format("scheduler {}: {}", value,
                        backfill ? "jobs may start early where they delay no job before them" : "in order"),
            place);
      } else if (key == "clustername") {
        if (draft.name.empty())
          draft.name = value;
        context.report.understood("cluster " + value, place);
      } else if (key == "grestypes" || key == "selecttype") {
        context.report.understood(
            fmt::format("{} {}", key == "selecttype" ? "selection" : "countable resources", value), place);
        if (value.find("linear") != std::string::npos)
          context.report.ignored("whole machines only (select/linear)", "jobs get only as many GPUs as they ask for",
                                 place);
      } else {
        context.report.ignored(line.values.front().first,
                               key.starts_with("priority") ? "jobs keep the priorities of the accounting file"
                               : key == "topologyplugin"   ? "the topology file itself gives it"
                                                           : "has no effect on the simulation",
                               place);
      }
    }
    if (draft.question.empty())
      draft.question = "how long do jobs wait on this Slurm cluster, and what holds them back?";
  }

private:
  static std::string lookup(const SlurmLine& line, const SlurmLine& defaults, std::string_view key)
  {
    const std::string own = line.value(key);
    return own.empty() ? defaults.value(key) : own;
  }

  static int read_nodes(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                        ImportContext& context, std::map<std::string, std::size_t>& index)
  {
    const std::vector<std::string> hosts = slurm_hosts(line.values.front().second, place, context.report);
    const auto number = [&](std::string_view key) {
      return std::clamp(number_of(lookup(line, defaults, key), 0), 0.0, 1e9);
    };
    double cpus = number("cpus");
    if (cpus == 0)
      cpus = std::max(1.0, number("sockets")) * std::max(1.0, number("corespersocket")) *
             std::max(1.0, number("threadspercore"));
    int gpus = 0;
    std::string gpu;
    const std::string gres = lookup(line, defaults, "gres");
    for (const std::string& whole : split_hostlist(gres)) {
      const std::string item = whole.substr(0, whole.find('(')); // "(S:0-1)": sockets
      std::vector<std::string> parts;
      for (std::size_t at = 0; at <= item.size();) {
        const std::size_t colon = std::min(item.find(':', at), item.size());
        parts.push_back(item.substr(at, colon - at));
        at = colon + 1;
      }
      if (parts.front() != "gpu") {
        context.report.ignored("countable resource " + parts.front(), "only GPUs are counted", place);
        continue;
      }
      const std::string& last = parts.back();
      const bool counted =
          parts.size() > 1 && !last.empty() &&
          (std::isdigit(static_cast<unsigned char>(last.front())) != 0 || last.front() == '-' || last.front() == '+');
      const int count = counted ? count_of(last, most_gpus, 1, "GPUs", place, context.report) : 1;
      const std::string type = parts.size() > 2 ? parts[1] : parts.size() == 2 && !counted ? parts[1] : std::string{};
      gpus += count;
      if (!gpu.empty() && !type.empty())
        context.report.assumed("all GPUs of a machine are of its first type",
                               "machines with several types are not modelled", place);
      if (gpu.empty() && count > 0)
        gpu = type.empty() ? context.unknown_gpu(place, "Gres does not name a type") : context.gpu(type, place);
    }
    std::string state = lookup(line, defaults, "state");
    std::ranges::transform(state, state.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (state.starts_with("DOWN") || state.starts_with("FUTURE") || state.starts_with("DRAIN")) {
      context.report.ignored(fmt::format("{} machines in state {}", hosts.size(), state), "they run no jobs", place);
      return 0;
    }
    for (const std::string& host : hosts) {
      if (index.contains(host)) {
        context.report.error(place, fmt::format("machine '{}' is defined twice", host));
        continue;
      }
      DraftMachines& machine = slurm_machine(context.draft, host, index);
      machine.gpu = gpu;
      machine.gpus = gpus;
      machine.cpu_cores = cpus;
      machine.memory_bytes = number("realmemory") * 1048576;
      machine.note = to_text(place);
    }
    context.report.understood(
        gpus > 0 ? fmt::format("{} with {} x {}", counted(static_cast<long long>(hosts.size()), "machine"), gpus, gpu)
                 : counted(static_cast<long long>(hosts.size()), "machine") + " without GPUs",
        place);
    static const std::set<std::string> known = {
        "nodename",        "cpus",           "realmemory",     "gres",   "sockets",
        "socketsperboard", "corespersocket", "threadspercore", "boards", "state"};
    for (const auto& [key, value] : line.values)
      if (key == "feature" || key == "features")
        context.report.ignored("features " + value, "jobs do not ask for them here", place);
      else if (!known.contains(key))
        context.report.ignored(key + " of machines", "has no effect on the simulation", place);
    return static_cast<int>(hosts.size()) * gpus;
  }

  static void read_partition(const SlurmLine& line, const ImportPlace& place, ImportContext& context)
  {
    const std::string limit = line.value("maxtime");
    context.report.understood(fmt::format("partition {}: {}{}{}", line.values.front().second, line.value("nodes"),
                                          limit.empty() ? "" : ", at most " + limit,
                                          line.value("default") == "YES" ? ", the default" : ""),
                              place);
    context.report.ignored("limits of partitions",
                           "jobs run on any machine that fits; only their own time limits count", place);
  }
};

TY_REGISTER(Importer, SlurmConf, "slurm-conf",
            "Slurm's slurm.conf: machines with GPUs, CPU and memory, partitions, scheduler");

} // namespace
} // namespace trainyard
