// SPDX-License-Identifier: Apache-2.0
#include "models/core/slurm_time.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
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
    Scheduler scheduler;
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
        read_partition(line, place, context, scheduler);
      } else if (key == "schedulertype") {
        const bool backfill = value.find("backfill") != std::string::npos;
        scheduler.settings["backfill"] = backfill ? "true" : "false";
        draft.scheduling_note = to_text(place);
        context.report.understood(
            fmt::format("scheduler {}: {}", value,
                        backfill ? "jobs may start early where they delay no job before them" : "in order"),
            place);
      } else if (scheduler.read(key, value)) {
        context.report.understood(line.values.front().first + " " + value, place);
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
    if (!scheduler.settings.empty()) {
      draft.scheduling.emplace_back("policy", scheduler.flow());
      draft.scheduling.emplace_back("placement", "best_fit");
    }
    if (draft.question.empty())
      draft.question = "how long do jobs wait on this Slurm cluster, and what holds them back?";
  }

private:
  /// What the scheduler is told, as settings of the queue policy `slurm`.
  struct Scheduler {
    std::map<std::string, std::string> settings; // name, value as in a scenario
    std::string partitions;                      // "debug=10/1 gpu=1/5"

    /// Whether the key is one of them and its value can be read. Sources: slurm.conf(5).
    bool read(const std::string& key, const std::string& value)
    {
      static const std::map<std::string, std::string> weights = {{"priorityweightage", "weight_age"},
                                                                 {"priorityweightfairshare", "weight_fairshare"},
                                                                 {"priorityweightjobsize", "weight_job_size"},
                                                                 {"priorityweightpartition", "weight_partition"},
                                                                 {"priorityweightqos", "weight_qos"}};
      static const std::map<std::string, std::string> times = {
          {"prioritymaxage", "max_age"}, {"prioritydecayhalflife", "half_life"}, {"prioritycalcperiod", "calc_period"}};
      if (const auto weight = weights.find(key); weight != weights.end())
        return set(weight->second, number_of(value, -1), 1, "");
      if (const auto time = times.find(key); time != times.end())
        return set(time->second, slurm_time(value, 60).value_or(-1), 1, " s");
      if (key == "priorityfavorsmall") {
        settings["favor_small"] = value == "YES" || value == "yes" || value == "1" ? "true" : "false";
        return true;
      }
      if (key != "schedulerparameters")
        return false;
      bool any = false;
      for (const std::string& item : split_hostlist(value)) {
        const std::size_t equals = item.find('=');
        if (equals == std::string::npos)
          continue;
        const std::string name = item.substr(0, equals);
        const double number = number_of(item.substr(equals + 1), -1);
        if (name == "bf_interval")
          any = set(name, number, 1, " s") || any;
        else if (name == "bf_window") // minutes
          any = set(name, number, 60, " s") || any;
        else if (name == "bf_max_job_test" || name == "default_queue_depth")
          any = set(name, number, 1, "") || any;
      }
      return any;
    }

    bool set(const std::string& name, double number, double unit, const char* suffix)
    {
      if (!(number >= 0))
        return false;
      settings[name] = fmt::format("{:g}{}", number * unit, suffix);
      return true;
    }

    /// "{name: slurm, backfill: true, weight_age: 1000}"
    std::string flow() const
    {
      std::string text = "{name: slurm";
      for (const auto& [name, value] : settings)
        text += fmt::format(", {}: {}", name, value);
      return text + (partitions.empty() ? "" : fmt::format(", partitions: \"{}\"", partitions)) + "}";
    }
  };

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

  static void read_partition(const SlurmLine& line, const ImportPlace& place, ImportContext& context,
                             Scheduler& scheduler)
  {
    const std::string tier = line.value("prioritytier"), factor = line.value("priorityjobfactor");
    if (!tier.empty() || !factor.empty())
      scheduler.partitions += fmt::format("{}{}={:g}/{:g}", scheduler.partitions.empty() ? "" : " ",
                                          line.values.front().second, number_of(tier, 1), number_of(factor, 1));
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
