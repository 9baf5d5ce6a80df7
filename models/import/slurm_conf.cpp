// SPDX-License-Identifier: Apache-2.0
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/slurm_machines.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace trainyard {
namespace {

/// slurm.conf: machines, partitions, the scheduler. Source: slurm.conf(5).
class SlurmConf final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    if (file.head().find("AllocNodes=") != std::string_view::npos ||
        file.head().find("CPUAlloc=") != std::string_view::npos)
      return false; // scontrol show
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
    SlurmLine defaults, partition_defaults;
    Scheduler scheduler{draft.batch.policy};
    for (const SlurmLine& line : read_slurm_lines(file.text())) {
      const ImportPlace place{file.name(), line.line};
      const std::string& key = line.values.front().first;
      const std::string& value = line.values.front().second;
      if (key == "nodename") {
        if (value == "DEFAULT") {
          defaults = line;
          context.report.understood("defaults of machines", place);
        } else {
          read_slurm_nodes(line, defaults, place, context, index);
        }
      } else if (key == "partitionname") {
        if (value == "DEFAULT")
          partition_defaults = line;
        else
          read_slurm_partition(line, partition_defaults, place, context);
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
        if (value.find("cons_") != std::string::npos)
          draft.batch.policy["bf_plan"] = "machines";
        context.report.understood(
            fmt::format("{} {}", key == "selecttype" ? "selection" : "countable resources", value), place);
        if (value.find("linear") != std::string::npos)
          draft.batch.whole.insert("*");
      } else {
        context.report.ignored(line.values.front().first,
                               key == "preemptmode"          ? "stopped jobs wait again or are cancelled, nothing else"
                               : key.starts_with("priority") ? "jobs keep the priorities of the accounting file"
                               : key == "topologyplugin"     ? "the topology file itself gives it"
                                                             : "has no effect on the simulation",
                               place);
      }
    }
    if (draft.question.empty())
      draft.question = "how long do jobs wait on this Slurm cluster, and what holds them back?";
  }

  void finish(ImportContext& context) const override { give_whole_machines(context); }

private:
  /// What the scheduler is told, as settings of the queue policy `slurm`.
  struct Scheduler {
    std::map<std::string, std::string>& settings; // name, value as in a scenario

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
      if (key == "preempttype") {
        settings["preempt"] = value == "preempt/qos" ? "qos" : value == "preempt/partition_prio" ? "partition" : "none";
        return true;
      }
      if (key == "preemptmode" && (value == "REQUEUE" || value == "CANCEL")) {
        settings["preempt_mode"] = lower_case(value);
        return true;
      }
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
        else if (name == "bf_max_job_test" || name == "bf_max_job_user" || name == "default_queue_depth")
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
  };
};

TY_REGISTER(Importer, SlurmConf, "slurm-conf",
            "Slurm's slurm.conf: machines with GPUs, CPU and memory, partitions, scheduler");

} // namespace
} // namespace trainyard
