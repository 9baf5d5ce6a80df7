// SPDX-License-Identifier: Apache-2.0
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
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

/// Keys that change nothing here, by the beginnings of their names. Source: slurm.conf(5).
constexpr KeyFate conf_keys[]{
    {"preemptexempttime*", "jobs may be stopped as soon as they run"},
    {"preemptparameters*", "who is stopped follows from QOS, tier and start"},
    {"preempt*", "PreemptType or PreemptMode has a value that is not modelled"},
    {"priorityweighttres* priorityweightassoc* prioritysitefactor*",
     "the priority of the policy slurm has no such part: age, fair share, size, partition and QOS"},
    {"priority*", "the policy slurm has no such setting"},
    {"enforcepartlimits* maxarraysize* maxjobcount* maxmem* maxnode*", "jobs of the files are taken as accepted"},
    {"accountingstorageenforce*", "limits of the files' QOS and accounts count"},
    {"accountingstorage* jobcomp* jobacct*", "the accounting file is given beside this one"},
    {"overtimelimit*", "jobs end as the accounting says, or at their limit"},
    {"jobrequeue*", "jobs that are stopped wait again, those that fail end as the accounting says"},
    {"killwait*", "a job that is stopped is gone at once; GraceTime is read"},
    {"def* jobdefaults*", "AllocTRES of an accounting file has CPUs and memory of each job; scripts of sbatch get it"},
    {"minjobage*", "it concerns what users see"},
    {"suspend* resume* power*", "machines are always on"},
    {"topologyplugin*", "the topology file itself gives it"},
    {"topologyparam*", "the topology file gives the switches; best_fit places jobs"},
    {"selecttypeparameters*", "GPUs, CPUs and memory are always counted"},
    {"licenses*", "jobs of the files hold no licences"},
    {"reservation*", "reservations come from scontrol show reservation"},
    {"resv*", "reservations end their jobs at once"},
    {"federation*", "one cluster is simulated"},
    {"schedulertimeslice*", "jobs share no GPUs by time"}};

/// slurm.conf: machines, partitions, the scheduler. Source: slurm.conf(5).
class SlurmConf final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    if (file.has("AllocNodes=") || file.has("CPUAlloc="))
      return false; // scontrol show
    return has_slurm_key(file.head(), {"ClusterName=", "SlurmctldHost=", "PartitionName="}) ||
           (has_slurm_key(file.head(), {"NodeName="}) && file.has("CPUs="));
  }
  std::string description() const override { return "Slurm configuration: machines, partitions, scheduler"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"ClusterName=c\nKEY=7\nNodeName=n CPUs=8\n", conf_keys},
            {"ClusterName=c\nNodeName=n CPUs=8 KEY=7\n", slurm_node_keys()},
            {"ClusterName=c\nPartitionName=p Nodes=n KEY=7\nNodeName=n CPUs=8\n", slurm_partition_keys()}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    Draft& draft = context.draft;
    draft.orchestrator = "slurm";
    draft.orchestrator_note = file.name();
    std::map<std::string, std::size_t> index = slurm_index(draft);
    SlurmLine defaults, partition_defaults;
    Scheduler scheduler{draft.batch.policy};
    std::vector<SlurmLine> lines = read_slurm_lines(file.text());
    std::ranges::stable_sort(lines, {}, [](const SlurmLine& line) { // sets need machines, partitions need sets
      return line.values.front().first == "partitionname" ? 2 : line.values.front().first == "nodeset" ? 1 : 0;
    });
    const bool basic =
        std::ranges::any_of(lines, [](const SlurmLine& line) { return line.value("prioritytype").ends_with("basic"); });
    for (const SlurmLine& line : lines) {
      const ImportPlace place{file.name(), line.line};
      const std::string& key = line.values.front().first;
      const std::string& value = line.values.front().second;
      if (key == "nodename") {
        if (value == "DEFAULT") {
          merge(defaults, line);
          context.report.understood("defaults of machines", place);
        } else {
          read_slurm_nodes(line, defaults, place, context, index);
        }
      } else if (key == "partitionname") {
        if (value == "DEFAULT")
          merge(partition_defaults, line);
        else
          read_slurm_partition(line, partition_defaults, place, context);
      } else if (key == "downnodes") {
        take_down(line, place, context, index);
      } else if (key == "nodeset") {
        read_set(line, place, context);
      } else if (key == "include" || key.starts_with("include")) {
        context.report.ignored("Include", "the file that it names is not read; give it too", place);
      } else if (key == "schedulertype") {
        const bool backfill = value.find("backfill") != std::string::npos;
        scheduler.settings["backfill"] = backfill ? "true" : "false";
        draft.scheduling_note = to_text(place);
        context.report.understood(place, "scheduler {}: {}", value,
                                  backfill ? "jobs may start early where they delay no job before them" : "in order");
      } else if (key == "prioritytype") {
        context.report.understood(place, "{}: jobs stand in the order of {}", value,
                                  basic ? "submission" : "priorities of several parts");
      } else if (basic && key.starts_with("priority")) {
        context.report.ignored(key, "with PriorityType=priority/basic jobs stand in the order of submission", place);
      } else if (draft.batch.has_scripts && (key.starts_with("defmem") || key == "jobdefaults")) {
        draft.batch.values[""][key] = value;
        context.report.understood(place, "{} {}", key, value);
      } else if (scheduler.read(key, value)) {
        context.report.understood(line.values.front().first + " " + value, place);
      } else if (key == "clustername") {
        if (draft.name.empty())
          draft.name = value;
        context.report.understood("cluster " + value, place);
      } else if (key == "grestypes" || key == "selecttype") {
        if (value.find("cons_") != std::string::npos)
          draft.batch.policy["bf_plan"] = "machines";
        context.report.understood(place, "{} {}", key == "selecttype" ? "selection" : "countable resources", value);
        if (value.find("linear") != std::string::npos)
          draft.batch.whole.insert("*");
      } else {
        context.report.ignored(line.values.front().first,
                               fate_of(key, conf_keys, "it concerns how Slurm runs, not which job starts when"), place);
      }
      scheduler.report_rest(key, value, place, context.report);
    }
    if (scheduler.off)
      draft.batch.policy["preempt"] = "none";
    draft.ask("how long do jobs wait on this Slurm cluster, and what holds them back?");
  }

  void finish(ImportContext& context) const override
  {
    name_untyped_gpus(context);
    give_whole_machines(context);
  }

private:
  /// Later lines DEFAULT change what earlier ones have said, and keep the rest. Source: slurm.conf(5), "NodeName".
  static void merge(SlurmLine& defaults, const SlurmLine& line)
  {
    for (const auto& one : line.values) {
      std::erase_if(defaults.values, [&](const auto& other) { return other.first == one.first; });
      defaults.values.push_back(one);
    }
  }

  /// NodeSet=big Nodes=g[1-2] Feature=h100: machines by name, and those with the feature.
  static void read_set(const SlurmLine& line, const ImportPlace& place, ImportContext& context)
  {
    DraftBatch& batch = context.draft.batch;
    const std::string nodes = line.value("nodes"), feature = line.value("feature");
    std::vector<std::string> hosts =
        nodes.empty() ? std::vector<std::string>{} : slurm_hosts(nodes, place, context.report);
    for (const auto& [host, features] : batch.features)
      if (features.contains(feature) && std::ranges::find(hosts, host) == hosts.end())
        hosts.push_back(host);
    context.report.understood(place, "set {} of machines: {}", line.values.front().second,
                              feature.empty() ? nodes : counted(hosts.size(), "machine"));
    batch.node_sets[line.values.front().second] = std::move(hosts);
  }

  /// DownNodes=g[1-2] State=DOWN: a state for machines of earlier lines.
  static void take_down(const SlurmLine& line, const ImportPlace& place, ImportContext& context,
                        std::map<std::string, std::size_t>& index)
  {
    const std::string state = line.value("state");
    const std::vector<std::string> hosts = slurm_hosts(line.values.front().second, place, context.report);
    take_out_of_service(hosts, context.draft, index);
    context.report.ignored({"{} in state {}", counted(hosts.size(), "machine"), state.empty() ? "DOWN" : state},
                           "they run no jobs", place);
  }

  /// What the scheduler is told, as settings of the queue policy `slurm`.
  struct Scheduler {
    std::map<std::string, std::string>& settings; // name, value as in a scenario
    bool off = false;                             // PreemptMode=OFF for the whole cluster

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
      if (key == "preemptmode") { // "SUSPEND,GANG" is a list
        const std::string mode = lower_case(value);
        for (const char* known : {"requeue", "cancel"})
          if (mode == known || mode.starts_with(std::string{known} + ","))
            settings["preempt_mode"] = known;
        off = mode == "off" || mode == "gang";
        return settings.contains("preempt_mode") || off;
      }
      if (key == "preempttype") {
        settings["preempt"] = value == "preempt/qos" ? "qos" : value == "preempt/partition_prio" ? "partition" : "none";
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

    /// Parts of a value that are not read.
    static void report_rest(const std::string& key, const std::string& value, const ImportPlace& place,
                            ImportReport& report)
    {
      if (key == "preemptmode" && lower_case(value).find("suspend") != std::string::npos)
        report.assumed("jobs that are stopped are sent back to the queue",
                       "PreemptMode SUSPEND leaves them in memory, which is not modelled", place);
      if (key != "schedulerparameters")
        return;
      static const std::set<std::string> read = {"bf_interval", "bf_window", "bf_max_job_test", "bf_max_job_user",
                                                 "default_queue_depth"};
      for (const std::string& item : split_hostlist(value))
        if (const std::string name = item.substr(0, item.find('=')); !name.empty() && !read.contains(name))
          report.ignored({"{} of SchedulerParameters", name}, "the policy slurm has no such setting", place);
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
