// SPDX-License-Identifier: Apache-2.0
#include "models/import/slurm_parts.hpp"

#include "models/core/pieces.hpp"
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace trainyard {
namespace {

constexpr int most_gpus = 64; // of one machine

std::string lookup(const SlurmLine& line, const SlurmLine& defaults, std::string_view key)
{
  const std::string own = line.value(key);
  return own.empty() ? defaults.value(key) : own;
}

/// A value that stands for none.
bool is_none(const std::string& text)
{
  return text.empty() || text == "(null)" || text == "N/A" || text == "NONE" || text == "UNLIMITED" ||
         text == "INFINITE";
}

// What becomes of each key of slurm.conf(5) (Slurm 24.05).
constexpr KeyFate node_keys[]{
    {"nodename cpus realmemory gres sockets socketsperboard corespersocket threadspercore boards corespeccount "
     "memspeclimit state",
     used_key},
    {"feature features", "the accounting does not say which jobs ask for one; scontrol show job does"},
    {"weight", "best_fit chooses the machines, not their weights"},
    {"cpubind", "processes are not bound to cores"},
    {"cpuspeclist", "only the number of cores counts; CoreSpecCount is read"},
    {"nodeaddr nodehostname bcastaddr port", "an address takes no time"},
    {"reason", "it is a remark"},
    {"tmpdisk", "jobs do not ask for local disk"},
    {"restrictedcorespergpu", "cores are not kept for jobs with GPUs"},
    {"procs", "CPUs says the same"}};

constexpr KeyFate partition_keys[]{
    {"partitionname nodes prioritytier priorityjobfactor gracetime maxtime qos preemptmode state default", used_key},
    {"maxnodes allowaccounts denyaccounts allowqos denyqos maxcpuspernode",
     "jobs of an accounting file were within it; scripts of sbatch that are not are left out"},
    {"defaulttime", "the column Timelimit of an accounting file has it; scripts of sbatch without --time get it"},
    {"defmempercpu defmempernode defmempergpu defcpupergpu jobdefaults",
     "AllocTRES of an accounting file has CPUs and memory of each job; scripts of sbatch that name none get it"},
    {"oversubscribe shared", "jobs share no CPUs, and GPUs only by parts of them"},
    {"minnodes allowgroups allocnodes rootonly disablerootjobs reqresv maxmempercpu maxmempernode",
     "jobs that have run or wait were within it; others are not checked against it"},
    {"maxcpuspersocket", "CPUs are not limited by partition"},
    {"overtimelimit", "jobs end as the accounting says, or at their limit"},
    {"tresbillingweights", "fair share counts GPUs, else CPUs"},
    {"exclusiveuser", "users share machines"},
    {"exclusivetopo", "jobs share the machines of a switch"},
    {"lln", "best_fit places all jobs"},
    {"selecttypeparameters", "GPUs, CPUs and memory are always counted"},
    {"alternate", "jobs stay in the partition that they name"},
    {"totalcpus totalnodes tres", "it follows from the machines"}, // of scontrol show partition
    {"hidden", "it only concerns what users see"},
    {"topology", "the files of the topology give it"},
    {"cpubind", "processes are not bound to cores"},
    {"suspendtime suspendtimeout resumetimeout powerdownonidle", "machines are always on"}};

/// What Slurm gives to jobs that do not say it, and why it refuses some: for scripts, which have not run.
constexpr const char* script_keys[]{"defaulttime",  "maxtime",     "defmempercpu", "defmempernode",  "defmempergpu",
                                    "defcpupergpu", "jobdefaults", "maxnodes",     "maxcpuspernode", "allowaccounts",
                                    "denyaccounts", "allowqos",    "denyqos",      "state"};

/// Whether machines in this state (of slurm.conf, or as scontrol shows it: "IDLE+DRAIN", "DOWN*") take no jobs.
bool is_out_of_service(const std::string& state)
{
  for (const std::string& part : split(state, '+')) // POWERED_DOWN is none of them: it is started for a job
    for (const char* word : {"DOWN", "DRAIN", "FAIL", "FUTURE", "INVAL", "MAINT", "NOT_RESPONDING"})
      if (part.starts_with(word))
        return true;
  return state.ends_with("*"); // it does not answer
}

/// GPUs that the slices of a machine are cut from; @p gpu: of the catalogue, empty where it is not known.
int cut_gpus(const MigSlices& slices, const std::string& gpu, const ImportPlace& place, ImportContext& context)
{
  const double memory = gpu.empty() ? 0 : context.catalogue.gpus.at(gpu).memory.value();
  const MigGpu whole = mig_gpu(gpu, memory, slices.front().first);
  const int cut = mig_gpus(slices, whole);
  std::vector<std::string> texts;
  for (const auto& [profile, count] : slices)
    texts.push_back(fmt::format("{} x {}", count, to_text(profile)));
  context.report.assumed({"MIG slices of a machine are cut from {}", counted(cut, "GPU")},
                         {"they are {}, and a GPU has {} compute slices and {} of memory", fmt::join(texts, ", "),
                          whole.compute, whole.memory},
                         place);
  return cut;
}

/// GPUs that Gres lists, and their type; empty: gres.conf may say it.
std::pair<int, std::string> gpus_of_gres(const std::string& gres, const ImportPlace& place, ImportContext& context)
{
  int gpus = 0;
  MigSlices slices;
  std::string named; // the type
  for (const std::string& whole : split_hostlist(gres)) {
    const std::string item = whole.substr(0, whole.find('(')); // "(S:0-1)": sockets
    const std::vector<std::string> parts = split(item, ':');
    if (parts.front() != "gpu") {
      context.report.ignored("countable resource " + parts.front(), "only GPUs are counted", place);
      continue;
    }
    const std::string& last = parts.back();
    const bool counted =
        parts.size() > 1 && !last.empty() && !mig_profile(last) &&
        (std::isdigit(static_cast<unsigned char>(last.front())) != 0 || last.front() == '-' || last.front() == '+');
    const int count =
        counted ? count_of(last, mig_profile(whole) ? 7 * most_gpus : most_gpus, 1, "GPUs", place, context.report) : 1;
    const std::string type = parts.size() > 2 ? parts[1] : parts.size() == 2 && !counted ? parts[1] : std::string{};
    const auto profile = mig_profile(type);
    const std::string name = profile ? without_mig_profile(type) : type; // a100_1g.5gb
    if (profile && count > 0)
      slices.emplace_back(*profile, count);
    else
      gpus += count;
    if (!named.empty() && !name.empty() && name != named)
      context.report.assumed("all GPUs of a machine are of its first type",
                             "machines with several types are not modelled", place);
    if (named.empty() && count > 0)
      named = name;
  }
  if (gpus == 0 && slices.empty())
    return {0, ""};
  if (named.empty() && slices.empty())
    return {gpus, ""};
  const std::string gpu =
      named.empty()
          ? context.unknown_gpu(place, "Gres names MIG slices without a type", usual_mig_gpu(slices.front().first))
          : context.gpu(named, place, slices.empty() ? 0 : mig_memory(slices.front().first));
  if (!slices.empty())
    gpus = std::min(gpus + cut_gpus(slices, named.empty() ? "" : gpu, place, context), most_gpus);
  return {gpus, gpu};
}

} // namespace

std::span<const KeyFate> slurm_node_keys()
{
  return node_keys;
}

std::span<const KeyFate> slurm_partition_keys()
{
  return partition_keys;
}

void report_keys(const SlurmLine& line, const char* what, std::span<const KeyFate> keys, const ImportPlace& place,
                 ImportReport& report)
{
  constexpr std::string_view unknown = "slurm.conf(5) has no such key";
  for (const auto& [key, value] : line.values) {
    const std::string_view why = fate_of(key, keys, unknown);
    const std::string text = lower_case(value);
    if (why == unknown ||
        (why != used_key && !is_none(value) && text != "all" && text != "no" && text != "0" && text != "exclusive"))
      report.ignored({"{} of {}", key, what}, why, place);
  }
}

void read_preempt_mode(const std::string& text, const std::string& whose, std::string& mode, const ImportPlace& place,
                       ImportReport& report)
{
  for (const char* known : {"off", "requeue", "cancel"})
    if (text == known || text.starts_with(std::string{known} + ",")) {
      mode = known;
      report.understood(place, "jobs of {} are {}", whose,
                        mode == "off"       ? "never stopped for others"
                        : mode == "requeue" ? "sent back to the queue for others"
                                            : "cancelled for others");
      return;
    }
  if (text == "cluster" || text == "priority" || text == "within")
    return;
  mode = "requeue";
  report.assumed({"jobs of {} are sent back to the queue for others", whose},
                 {"PreemptMode {} suspends them, which is not modelled", text}, place);
}

void name_untyped_gpus(ImportContext& context)
{
  std::map<std::string, ImportPlace>& untyped = context.draft.batch.untyped;
  for (DraftMachines& machine : context.draft.machines)
    if (const auto found = untyped.find(machine.name); found != untyped.end() && machine.gpu.empty())
      machine.gpu = context.unknown_gpu(found->second, "neither Gres nor gres.conf names a type");
  untyped.clear();
}

std::string slurm_value(const SlurmLine& line, std::string_view key)
{
  const std::string text = line.value(key);
  return is_none(text) ? std::string{} : text;
}

void read_slurm_nodes(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                      ImportContext& context, std::map<std::string, std::size_t>& index, bool again)

{
  const std::vector<std::string> hosts = slurm_hosts(line.values.front().second, place, context.report);
  const auto number = [&](std::string_view key) {
    return std::clamp(number_of(lookup(line, defaults, key), 0), 0.0, 1e9);
  };
  double cpus = number("cpus");
  const double threads = std::max(1.0, number("threadspercore"));
  const double sockets = number("sockets") > 0
                             ? number("sockets")
                             : std::max(1.0, number("boards")) * std::max(1.0, number("socketsperboard"));
  if (cpus == 0)
    cpus = sockets * std::max(1.0, number("corespersocket")) * threads;
  cpus = std::max(1.0, cpus - number("corespeccount") * threads); // what the system keeps
  const auto [gpus, gpu] = gpus_of_gres(lookup(line, defaults, "gres"), place, context);
  std::string state = lookup(line, defaults, "state");
  std::ranges::transform(state, state.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (is_out_of_service(state)) {
    context.report.ignored({"{} in state {}", counted(hosts.size(), "machine"), state}, "they run no jobs", place);
    take_out_of_service(hosts, context.draft, index);
    return;
  }
  for (const std::string& host : hosts) {
    if (again)
      context.draft.batch.out_of_service.erase(host); // its present state
    else if (context.draft.batch.out_of_service.contains(host))
      continue;
    if (!again && index.contains(host)) {
      context.report.error(place, "machine '{}' is defined twice", host);
      continue;
    }
    DraftMachines& machine = slurm_machine(context.draft, host, index);
    if (!again || !gpu.empty() || gpus == 0) // the type may stand in slurm.conf
      machine.gpu = gpu;
    machine.gpus = gpus;
    if (gpus > 0 && machine.gpu.empty())
      context.draft.batch.untyped[host] = place;
    machine.cpu_cores = cpus;
    machine.memory_bytes = std::max(0.0, number("realmemory") - number("memspeclimit")) * 1048576;
    machine.note = to_text(place);
    for (const char* key : {"feature", "features"})
      if (const std::string features = lookup(line, defaults, key); !is_none(features)) {
        const std::vector<std::string> list = split(features, ',');
        context.draft.batch.features[host] = {list.begin(), list.end()};
      }
  }
  context.report.understood(gpus > 0
                                ? fmt::format("{} with {}", counted(hosts.size(), "machine"),
                                              gpu.empty() ? counted(gpus, "GPU") : fmt::format("{} x {}", gpus, gpu))
                                : counted(hosts.size(), "machine") + " without GPUs",
                            place);
  if (again)
    return;
  report_keys(line, "machines", node_keys, place, context.report);
}

void read_slurm_partition(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                          ImportContext& context)
{
  const auto value = [&](std::string_view key) {
    const std::string text = lookup(line, defaults, key);
    return is_none(text) ? std::string{} : text;
  };
  DraftBatch& batch = context.draft.batch;
  BatchPartition partition;
  partition.name = line.values.front().second;
  const std::string nodes = value("nodes");
  if (!nodes.empty() && nodes != "ALL")
    for (const std::string& name : slurm_hosts(nodes, place, context.report)) {
      const auto set = context.draft.batch.node_sets.find(name);
      if (set == context.draft.batch.node_sets.end() || set->second.empty())
        partition.nodes.push_back(name); // of an empty set: a name of no machine
      else
        partition.nodes.insert(partition.nodes.end(), set->second.begin(), set->second.end());
    }
  partition.tier = std::clamp(number_of(value("prioritytier"), 1), 0.0, 65533.0);
  partition.factor = std::clamp(number_of(value("priorityjobfactor"), 1), 0.0, 65533.0);
  if (const auto grace = slurm_time(value("gracetime")))
    partition.grace = Seconds{*grace};
  const std::string limit = value("maxtime");
  if (const auto most = slurm_time(limit, 60))
    partition.limits.time = Seconds{*most};
  partition.qos = value("qos");
  std::string sharing = value("oversubscribe");
  if (sharing.empty())
    sharing = value("shared"); // its name before Slurm 16.05
  sharing = lower_case(sharing);
  if (sharing == "exclusive") {
    context.draft.batch.whole.insert(partition.name);
    context.report.understood(place, "jobs of partition {} get whole machines (OverSubscribe=EXCLUSIVE)",
                              partition.name);
  } else {
    context.draft.batch.whole.erase(partition.name);
  }
  const bool is_default = lower_case(value("default")) == "yes";
  if (is_default || batch.default_partition == partition.name)
    batch.default_partition = is_default ? partition.name : "";
  context.report.understood(place, "partition {}: {}{}{}", partition.name, nodes.empty() ? "no machines" : nodes,
                            limit.empty() ? "" : ", at most " + limit, is_default ? ", the default" : "");
  if (const std::string mode = lower_case(value("preemptmode")); !mode.empty())
    read_preempt_mode(mode, fmt::format("partition {}", partition.name), partition.preempt_mode, place, context.report);
  if (const std::string state = value("state"); !batch.has_scripts && !state.empty() && lower_case(state) != "up")
    context.report.ignored({"State={} of partition {}", state, partition.name},
                           "the jobs of the files came when it took them; today's would wait", place);
  SlurmLine told = line;
  for (const char* key : script_keys) {
    batch.values[partition.name][key] = value(key);
    if (batch.has_scripts && std::string_view{key} != "maxtime")
      std::erase_if(told.values, [&](const auto& one) { return one.first == key; });
  }
  report_keys(told, "partitions", partition_keys, place, context.report);
  put_rule(batch.rules.partitions, std::move(partition));
}

std::string slurm_partition_value(const Draft& draft, const std::string& partition, std::string_view key)
{
  for (const std::string& name : {partition, std::string{}})
    if (const auto values = draft.batch.values.find(name); values != draft.batch.values.end())
      for (const auto& [known, text] : values->second) {
        if (known == key && !text.empty())
          return text;
        for (const std::string& item : known == "jobdefaults" ? split(text, ',') : std::vector<std::string>{})
          if (const auto [of, value] = cut(item, '='); lower_case(of) == key)
            return value;
      }
  return {};
}

std::vector<const DraftMachines*> slurm_machines_of(const Draft& draft, const std::string& partition)
{
  const auto rule = std::ranges::find(draft.batch.rules.partitions, partition, &BatchPartition::name);
  std::vector<const DraftMachines*> machines;
  for (const DraftMachines& one : draft.machines)
    if (rule == draft.batch.rules.partitions.end() || rule->nodes.empty() ||
        std::ranges::find(rule->nodes, one.name) != rule->nodes.end())
      machines.push_back(&one);
  return machines;
}

namespace {

/// Cores of a task that has a whole machine, in thousandths: those of the smallest machine that has as many as it asks
/// for, so that it may run on each of them.
int whole_cores(const std::vector<const DraftMachines*>& machines, const DraftQueueJob& job, ImportReport& report)
{
  double least = 0, most = 0;
  for (const DraftMachines* one : machines) {
    most = std::max(most, one->cpu_cores);
    if (one->cpu_cores * 1000 >= job.cpu_milli && (least == 0 || one->cpu_cores < least))
      least = one->cpu_cores;
  }
  if (least == 0)
    least = most;
  if (least < most)
    report.assumed("jobs that get whole machines hold as many cores as the smallest of these machines has",
                   "they have different numbers of cores; jobs without GPUs may share the larger ones");
  return static_cast<int>(std::min(least * 1000, 2e9));
}

} // namespace

void give_whole_machines(ImportContext& context)
{
  Draft& draft = context.draft;
  const std::string what = "jobs that get whole machines hold all their GPUs and cores";
  if (!draft.trace_file.empty() && !draft.batch.whole.empty())
    context.report.assumed(what, "the accounting file counts them so in AllocTRES (sbatch(1), --exclusive)");
  else if (draft.queue_jobs.empty() && !draft.batch.whole.empty())
    context.report.ignored("whole machines of jobs",
                           "the files have no jobs; one of a scenario holds what it asks for: write all GPUs of its "
                           "machines");
  for (DraftQueueJob& job : draft.queue_jobs) {
    if (!job.whole && !draft.batch.whole.contains(job.queue) && !draft.batch.whole.contains("*"))
      continue;
    const std::vector<const DraftMachines*> machines = slurm_machines_of(draft, job.queue);
    const auto differs = [&](const DraftMachines* one) { return one->gpus != machines.front()->gpus; };
    if (machines.empty() || std::ranges::any_of(machines, differs)) {
      context.report.assumed("jobs that get whole machines hold the GPUs that they ask for",
                             machines.empty() ? "their machines are not in the files"
                                              : "these machines have different numbers of GPUs");
      continue;
    }
    const DraftMachines& machine = *machines.front();
    const int least = machine.gpus > 0 ? (job.gpus + machine.gpus - 1) / machine.gpus : 1;
    const double cores = job.cpu_milli / 1000.0 * job.tasks / std::max(1.0, machine.cpu_cores); // machines for them
    const int count = std::max({1, job.spread ? static_cast<int>(std::ceil(cores - 1e-9)) : job.tasks, least});
    if (job.gpus != count * machine.gpus)
      context.report.assumed(what, {"job {} asks for {} and gets {}", job.name, counted(job.gpus, "GPU"),
                                    counted(count * machine.gpus, "GPU")});
    job.gpus = count * machine.gpus;
    job.tasks = count;
    job.spread = false;
    job.gpu_milli = 1000;
    job.cpu_milli = whole_cores(machines, job, context.report);
  }
}

} // namespace trainyard
