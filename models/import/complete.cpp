// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"

#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/parallel_draft.hpp"
#include "models/scenario/other_names.hpp"
#include "models/scenario/short_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace trainyard {
namespace {

constexpr double assumed_core_flops = 20e9; // what one CPU core reaches in training, fp32

/// Machines that were listed one by one: equal ones at the same switch, of the same partitions and reservations, become
/// a group, called after its first. Returns the group of each.
std::map<std::string, HostPlace> group_hosts(Draft& draft)
{
  const auto memberships = batch_memberships(draft.batch.rules);
  const auto rules_of = [&](const std::string& host) {
    const auto found = memberships.find(host);
    return found == memberships.end() ? std::vector<std::string>{} : found->second;
  };
  std::map<std::string, HostPlace> group_of;
  std::vector<DraftMachines> groups;
  std::vector<std::vector<std::string>> hosts;
  std::map<std::string, std::vector<std::size_t>> by_parent; // few groups are connected to one switch
  for (DraftMachines& machines : draft.machines) {
    std::vector<std::size_t>& here = by_parent[machines.parent];
    const auto found = std::ranges::find_if(here, [&](std::size_t i) {
      return groups[i].host && machines.host && groups[i].same_kind(machines) && groups[i].role == machines.role &&
             groups[i].labels == machines.labels && groups[i].note == machines.note &&
             (memberships.empty() || rules_of(hosts[i].front()) == rules_of(machines.name));
    });
    group_of[machines.name] = found != here.end() ? HostPlace{*found, groups[*found].count} : HostPlace{groups.size()};
    if (found != here.end()) {
      ++groups[*found].count;
      hosts[*found].push_back(machines.name);
      continue;
    }
    here.push_back(groups.size());
    hosts.push_back({machines.name});
    groups.push_back(std::move(machines));
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].host)
      groups[i].note = compress_hostlist(hosts[i]) + (groups[i].note.empty() ? "" : "; " + groups[i].note);
  draft.machines = std::move(groups);
  return group_of;
}

/// Groups at a switch of a free graph get their wire; switches that nothing connects get a common one.
void join_switches(ImportContext& context)
{
  DraftNetwork& network = context.draft.network;
  if (network.switches.empty())
    return;
  network.topology = "graph";
  std::map<std::string, int> below; // machines at a switch
  for (const DraftMachines& machines : context.draft.machines)
    if (!machines.parent.empty())
      below[machines.parent] += machines.count;
  std::map<std::string, std::string> part; // of the network, by a switch of it
  const auto root = [&](std::string name) {
    while (part.at(name) != name)
      name = part.at(name);
    return name;
  };
  for (const std::string& name : network.switches)
    part[name] = name;
  for (const DraftWire& wire : network.wires)
    if (part.contains(wire.from) && part.contains(wire.to))
      part[root(wire.from)] = root(wire.to);
  std::vector<std::string> tops;
  for (const std::string& name : network.switches)
    if (root(name) == name)
      tops.push_back(name);
  std::string top = tops.empty() ? network.switches.front() : tops.front();
  if (tops.size() > 1) {
    top = "joins-all";
    network.switches.push_back(top);
    for (const std::string& name : tops)
      network.wires.push_back({.from = name, .to = top, .count = 0, .note = "assumed"});
    context.report.assumed({"a switch above {} that joins them", fmt::format("{} switches", tops.size())},
                           "the files do not connect them, so jobs could not reach each other");
  }
  // Machines below each switch, from the leaves up: an uplink carries what is below it.
  std::map<std::string, std::string> parent;
  for (const DraftWire& wire : network.wires)
    parent.try_emplace(wire.from, wire.to);
  std::map<std::string, int> total;
  for (const auto& [name, count] : below) {
    std::string at = name;
    for (std::size_t steps = 0; steps <= network.switches.size() && !at.empty(); ++steps) {
      total[at] += count;
      const auto up = parent.find(at);
      at = up == parent.end() ? std::string{} : up->second;
    }
  }
  bool assumed = false;
  for (DraftWire& wire : network.wires)
    if (wire.count == 0) {
      wire.count = std::clamp(total[wire.from], 1, 1000);
      assumed = true;
    }
  if (assumed)
    context.report.assumed("a switch has as many uplinks as machines below it",
                           "the files do not give the rates of switches");
  int loose = 0;
  std::vector<DraftWire> wires;
  for (DraftMachines& machines : context.draft.machines) {
    if (machines.parent.empty()) {
      machines.parent = top;
      loose += machines.count;
    }
    wires.push_back({.from = machines.name, .to = machines.parent, .latency = machines.nic_latency});
  }
  if (loose > 0)
    context.report.assumed({"{} machines are connected to switch {}", loose, top}, "no switch in the files lists them");
  wires.insert(wires.end(), network.wires.begin(), network.wires.end());
  network.wires = std::move(wires);
  if (network.wires.empty())
    network = {};
}

/// The connection of the GPUs of a machine, from the boards that this GPU is sold on.
void wire_inside(ImportContext& context)
{
  for (DraftMachines& machines : context.draft.machines) {
    if (machines.gpus < 2 || !machines.intra.empty())
      continue;
    const auto known = context.catalogue.gpus.find(machines.gpu);
    const Board board = known == context.catalogue.gpus.end() ? Board{} : known->second.board;
    const bool larger = board.gpus > 0 && machines.gpus > board.gpus && board.intra != "nvswitch";
    if (board.intra.empty() || board.intra == "pcie_tree" || larger) {
      context.report.assumed({"{} GPUs in one machine communicate over PCIe", machines.gpu},
                             "the files do not describe the wiring inside");
      continue;
    }
    machines.intra = board.intra;
    context.report.assumed({"{} x {} in one machine are wired as {}", machines.gpus, machines.gpu, machines.intra},
                           "the files do not describe the wiring inside; boards with this GPU are built this way");
  }
}

/// @p unnamed: what is without a name is called.
template <class Named>
void name_uniquely(std::vector<Named>& all, const std::string& unnamed)
{
  UniqueNames names;
  for (Named& one : all)
    one.name = names.of(one.name.empty() ? unnamed : one.name);
}

/// Assumed machines are chosen so that the constraints can be met.
void meet_constraints(Draft& draft, ImportReport& report)
{
  for (DraftService& service : draft.services)
    for (DraftTasks& tasks : service.tasks)
      std::erase_if(tasks.constraints, [&](const std::string& constraint) {
        const std::size_t equals = constraint.find("==");
        if (equals == std::string::npos)
          return false;
        const auto trimmed = [](std::string text) {
          text.erase(0, text.find_first_not_of(" "));
          text.erase(text.find_last_not_of(" ") + 1);
          return text;
        };
        const std::string key = trimmed(constraint.substr(0, equals)), value = trimmed(constraint.substr(equals + 2));
        if (key == "node.hostname" || key == "node.id") {
          report.ignored("constraint " + constraint, "the machines are assumed, and none has this name");
          return true;
        }
        for (DraftMachines& machines : draft.machines) {
          if ((machines.gpus > 0) != (tasks.gpus > 0 || tasks.gpu_share > 0))
            continue;
          if (key == "node.role")
            machines.role = value == "manager" ? "both" : value;
          else
            machines.labels[key.starts_with("node.labels.") ? key.substr(12) : key] = value;
        }
        report.assumed("some machines meet the constraint " + constraint, "the files list no machines");
        return false;
      });
}

bool is_divided(const DraftJob& job)
{
  return !job.parallel.empty();
}

/// A divided transformer is simulated without an orchestrator: beside other services its states stay whole. Returns
/// whether the draft has nothing but such jobs.
bool only_divided(ImportContext& context)
{
  Draft& draft = context.draft;
  const bool any = std::ranges::any_of(draft.jobs, is_divided);
  const bool only = any && std::ranges::all_of(draft.services, [&](const DraftService& service) {
                      const auto job = std::ranges::find(draft.jobs, service.job, &DraftJob::name);
                      return job != draft.jobs.end() && is_divided(*job);
                    });
  if (only || draft.services.empty())
    return only;
  for (DraftJob& job : draft.jobs)
    if (!std::exchange(job.parallel, "").empty()) {
      job.precision = "amp";
      context.report.ignored("division of the states of job " + job.name,
                             "divided transformers are simulated alone: import its file without the others");
    }
  return false;
}

/// The machine of a cloud that pods ask for by its name; nothing: none that is known.
std::optional<ClusterShorthand> asked_machine(ImportContext& context)
{
  if (!context.options.gpu.empty())
    return std::nullopt;
  for (const DraftService& service : context.draft.services)
    for (const DraftTasks& tasks : service.tasks)
      for (const std::string& constraint : tasks.constraints)
        if (const std::size_t at = constraint.find("instance-type == "); at != std::string::npos)
          if (const std::string name = constraint.substr(at + 17); !machine_meant(name).empty()) {
            context.report.assumed({"machines are {}: {}", name, machine_meant(name)}, "the pods ask for them");
            return cluster_shorthand(name, context.catalogue);
          }
  return std::nullopt;
}

/// Machines for what is to run, where the files list none.
void add_machines(ImportContext& context)
{
  Draft& draft = context.draft;
  if (!draft.machines.empty())
    return;
  const ImportPlace nowhere;
  int gpu_tasks = 0, per_task = 1, other_tasks = 0;
  double cpu = 0, memory = 0;
  std::string gpu_type;
  if (!draft.services.empty()) {
    for (const DraftService& service : draft.services)
      for (const DraftTasks& tasks : service.again ? std::vector<DraftTasks>{} : service.tasks) {
        (tasks.gpus > 0 || tasks.gpu_share > 0 ? gpu_tasks : other_tasks) += tasks.replicas;
        per_task = std::max(per_task, tasks.gpus);
        cpu = std::max(cpu, tasks.cpu);
        memory = std::max(memory, tasks.memory_bytes);
        if (!tasks.gpu_type.empty())
          gpu_type = tasks.gpu_type;
      }
  } else if (!draft.jobs.empty()) {
    for (const DraftJob& job : draft.jobs) {
      (job.on_cpu ? other_tasks : gpu_tasks) += job.workers;
      other_tasks += job.servers;
    }
  } else {
    int largest = 0, largest_tasks = 0, hosts = 0, of_host = 0;
    // Replicas and pods share machines; of a batch system's job each task is a machine.
    const std::pair<std::string, std::string> of_pods{"placement", "kubernetes"};
    const bool batch = (draft.orchestrator.empty() || draft.orchestrator == "slurm") &&
                       std::ranges::find(draft.scheduling, of_pods) == draft.scheduling.end();
    for (const DraftQueueJob& job : draft.queue_jobs) {
      if (batch && !job.spread && job.tasks > 1 && job.gpus > 0 && job.gpus % job.tasks == 0 &&
          job.gpus / job.tasks <= 64) {
        hosts = std::max(hosts, job.tasks);
        of_host = std::max(of_host, job.gpus / job.tasks);
      } else {
        largest = std::max(largest, job.gpus);
      }
      const int places = !job.spread    ? 1
                         : job.gpus > 0 ? 8 / std::clamp(job.gpus / job.tasks, 1, 8)
                                        : std::max(1, 16'000 / std::max(1, job.cpu_milli)); // of a machine
      if (job.gpus == 0)
        largest_tasks = std::max(largest_tasks, (std::max(1, job.tasks) + places - 1) / places);
      if (!job.gpu_type.empty())
        gpu_type = job.gpu_type;
      const int together = std::clamp(job.tasks, 1, places); // tasks on one machine
      cpu = std::max(cpu, together * (job.cpu_milli / 1000.0));
      memory = std::max(memory, together * (job.memory_mib * 1048576.0));
      int whole = 0; // GPUs, where each task has a machine
      for (const DraftTaskGroup& group : job.task_list) {
        whole += group.gpus > 0 ? 8 * group.count : 0;
        cpu = std::max(cpu, group.cpu_milli / 1000.0);
        memory = std::max(memory, group.memory_mib * 1048576.0);
      }
      largest = std::max(largest, whole);
    }
    per_task = std::max(std::clamp(largest, 1, 8), of_host);
    gpu_tasks = std::max(hosts, (largest + per_task - 1) / per_task);
    other_tasks = largest_tasks;
  }
  const int most = 100'000;
  gpu_tasks = std::min(gpu_tasks, most);
  other_tasks = std::min(other_tasks, most);
  const int nodes = context.options.nodes, gpus_each = context.options.gpus_per_node;
  const bool given = nodes > 0 || gpus_each > 0;
  const std::string why = nodes > 0 && gpus_each > 0 ? "given by --nodes and --gpus-per-node"
                          : gpus_each > 0            ? "given by --gpus-per-node; --nodes N says how many"
                          : nodes > 0
                              ? "given by --nodes; --gpus-per-node N says how many GPUs, if not what the tasks need"
                              : "the files list no machines; edit the cluster, or use --nodes N";
  const std::optional<ClusterShorthand> asked = asked_machine(context);
  if (asked && gpus_each == 0 && gpu_tasks > 0 && per_task <= asked->gpus) {
    gpu_type = asked->gpu;
    gpu_tasks = (gpu_tasks * per_task + asked->gpus - 1) / asked->gpus;
    per_task = asked->gpus;
    if (draft.network.link.empty() && context.options.link.empty())
      draft.network.link = asked->network;
  }
  int count = nodes > 0 ? nodes : gpu_tasks;
  if (gpus_each > 0) {
    const int places = std::max(1, gpus_each / per_task); // of tasks on one
    const int all = gpu_tasks * per_task;
    count = nodes > 0              ? nodes
            : gpus_each < per_task ? (all + gpus_each - 1) / gpus_each
                                   : (gpu_tasks + places - 1) / places;
    per_task = gpus_each;
  } else if (nodes > 0 && gpu_tasks > nodes) { // the given machines hold them all
    per_task *= std::min((gpu_tasks + nodes - 1) / nodes, std::max(1, 64 / per_task));
  }
  if (given && gpu_tasks > 0)
    other_tasks = 0; // beside them
  if (gpu_tasks > 0) {
    const std::string gpu = !gpu_type.empty() ? gpu_type
                            : std::ranges::any_of(draft.jobs, is_divided)
                                ? gpu_of_divided(context, nowhere)
                                : context.unknown_gpu(nowhere, "the files do not name the GPU type");
    draft.machines.push_back({.name = "worker", .count = count, .gpu = gpu, .gpus = per_task, .note = "assumed"});
    if (asked) {
      draft.machines.back().nics = asked->nics;
      draft.machines.back().cpu_cores = asked->cores;
      draft.machines.back().memory_bytes = parse_quantity(asked->memory, QuantityKind::bytes).value;
    }
    context.report.assumed({"{} with {} each", counted(count, "machine"), counted(per_task, "GPU")}, why);
  }
  if (other_tasks > 0 || gpu_tasks == 0) {
    const int hosts = std::max(1, gpu_tasks == 0 && nodes > 0 ? nodes : other_tasks);
    DraftMachines machines{.name = gpu_tasks > 0 ? "server" : "node", .count = hosts, .note = "assumed"};
    machines.cpu_cores = std::max(16.0, std::ceil(cpu));
    machines.memory_bytes = memory > 64e9 ? memory : 0;
    draft.machines.push_back(machines);
    context.report.assumed(counted(hosts, "machine") + " without GPUs", why);
  }
  meet_constraints(draft, context.report);
  for (DraftMachines& machines : draft.machines) {
    if (machines.cpu_cores == 0 && cpu > 16)
      machines.cpu_cores = std::ceil(cpu * 1.25);
    if (machines.memory_bytes == 0 && memory > 60e9)
      machines.memory_bytes = std::ceil(memory * 1.25 / 1073741824.0) * 1073741824.0;
  }
}

/// Network cards of the machines that the GPUs are sold in, as a scenario without a link has them; empty where they are
/// not known.
std::string link_sold_with(const ImportContext& context)
{
  for (const DraftMachines& machines : context.draft.machines)
    if (const auto known = context.catalogue.gpus.find(machines.gpu);
        machines.gpus > 0 && known != context.catalogue.gpus.end() && !known->second.board.nic.empty())
      return known->second.board.nic;
  return {};
}

void add_network(ImportContext& context)
{
  DraftNetwork& network = context.draft.network;
  if (network.topology.empty()) {
    network.topology = "star";
    if (context.draft.machines.size() > 1 ||
        (!context.draft.machines.empty() && context.draft.machines.front().count > 1))
      context.report.assumed("all machines in one rack, below one switch", "the files do not describe a network");
  }
  if (network.link.empty() && network.bandwidth.empty()) {
    const std::string why = "the files give no rate; --link NAME chooses another";
    network.note = "assumed";
    if (!context.options.link.empty()) {
      network.link = context.options.link;
      context.report.assumed("links are " + network.link, "given by --link");
    } else if (const std::string sold = link_sold_with(context); !sold.empty()) {
      network.link = sold;
      context.report.assumed("links are " + network.link, "machines with these GPUs are sold so; " + why);
    } else {
      network.link = "10GbE";
      context.report.assumed("links are " + network.link, why);
    }
  } else if (!context.options.link.empty() && network.bandwidth.empty()) {
    network.link = context.options.link;
  }
}

/// A log or jobs of a batch system whose rules no file says: jobs behind the first start early where they do not delay
/// it.
void assume_policy(ImportContext& context)
{
  constexpr std::array batch{"swf", "sacct", "lsf-acct"};
  Draft& draft = context.draft;
  const bool log = std::ranges::find(batch, draft.trace_format) != batch.end();
  const bool jobs = draft.orchestrator == "slurm" && draft.trace_file.empty() && !draft.queue_jobs.empty();
  const auto is_rule = [](const auto& one) { return one.first == "policy" || one.first == "placement"; };
  if ((!log && !jobs) || std::ranges::any_of(draft.scheduling, is_rule))
    return;
  const bool throttled = std::ranges::any_of(draft.queue_jobs, [](const auto& job) { return job.array_limit > 0; });
  const std::string policy = throttled ? "slurm" : "easy_backfill";
  draft.scheduling.emplace_back("policy", policy);
  context.report.assumed("policy " + policy,
                         throttled ? "it keeps arrays to what may run at once; give slurm.conf too"
                         : log     ? "the log does not say the site's rules; FIFO without backfill is rarer "
                                     "and waits longer"
                                   : "the files do not say how Slurm is set up, and SchedulerType is sched/backfill by "
                                     "default; give slurm.conf too");
  if (!draft.trace_pool)
    return;
  draft.scheduling.emplace_back("cluster", "pool");
  context.report.assumed("processors of one pool (scheduling: {cluster: pool})",
                         "the log does not say which machines a job had");
}

/// A name of machines has no blanks in a scenario.
void join_names(Draft& draft)
{
  const auto join = [](std::string& name) {
    std::ranges::replace_if(
        name, [](char letter) { return letter == ' ' || letter == ';'; }, '-');
  };
  for (DraftMachines& machines : draft.machines)
    join(machines.name);
  for (DraftWire& wire : draft.network.wires) {
    join(wire.from);
    join(wire.to);
  }
  std::ranges::for_each(draft.network.switches, join);
}

/// Only machines: one job over all GPUs, so that the scenario has something to simulate.
void add_job(ImportContext& context)
{
  Draft& draft = context.draft;
  if (!draft.jobs.empty() || !draft.queue_jobs.empty() || !draft.services.empty() || !draft.trace_file.empty())
    return;
  if (draft.batch.has_scripts || draft.jobs_left_out)
    return context.report.error({}, "no job of the files ever starts, so there is nothing to simulate; the list of "
                                    "what is ignored says why");
  const int gpus = draft.gpus();
  DraftJob job{.name = "train", .workers = std::max(1, gpus), .note = "assumed"};
  if (gpus == 0) {
    int machines = 0;
    for (const DraftMachines& group : draft.machines)
      machines += group.count;
    job.workers = std::max(1, machines);
    job.on_cpu = true;
  }
  // Several types of GPU: synchronous training over all of them is rarely meant, so the largest group trains.
  std::map<std::string, int> by_gpu;
  for (const DraftMachines& group : draft.machines)
    if (group.gpus > 0)
      by_gpu[group.gpu] += group.count * group.gpus;
  draft.jobs.push_back(job);
  context.report.assumed("one job over " + counted(job.workers, job.on_cpu ? "machine" : "GPU"),
                         "the files contain no jobs");
  if (by_gpu.size() > 1)
    context.report.assumed("the job runs on all GPU types together",
                           "the files contain no jobs; the slowest type sets the step");
}

void fill_jobs(ImportContext& context)
{
  for (DraftJob& job : context.draft.jobs) {
    const ImportPlace nowhere;
    if (job.model.empty()) {
      job.model = context.options.model.empty() ? "resnet50" : context.options.model;
      context.report.assumed("job " + job.name + " trains " + job.model,
                             context.options.model.empty()
                                 ? "the files do not name a network; --model NAME chooses another"
                                 : "given by --model");
    }
    if (is_divided(job))
      continue;
    if (job.batch_per_gpu == 0 && context.options.batch_per_gpu > 0) {
      job.batch_per_gpu = context.options.batch_per_gpu;
    } else if (job.batch_per_gpu == 0) {
      job.batch_per_gpu = 32;
      context.report.assumed(
          {"job {} has a batch of {} per {}", job.name, job.batch_per_gpu, job.on_cpu ? "worker" : "GPU"},
          "the files give none; --batch N chooses another");
    }
    if (job.on_cpu && job.single_gpu_step.empty()) {
      double flop = 3e9;
      if (Registry<DnnSource>::instance().find(job.model) != nullptr)
        flop = 3 * build_dnn(job.model).forward_flop().value();
      double cores = 16;
      for (const DraftMachines& machines : context.draft.machines)
        if (machines.cpu_cores > 0)
          cores = std::floor(machines.cpu_cores);
      const double rate = context.draft.core_flops > 0 ? context.draft.core_flops : assumed_core_flops;
      const double seconds = std::max(1e-3, flop * job.batch_per_gpu / (cores * rate));
      job.single_gpu_step = fmt::format("{:.3g} s", seconds);
      context.report.assumed({"job {} computes {} a step on CPUs", job.name, job.single_gpu_step},
                             {"{:.3g} Gflop a sample, {:g} cores at {:g} Gflop/s", flop / 1e9, cores, rate / 1e9});
    }
    if (job.on_cpu && job.servers == 0 && job.training.empty())
      job.training = "transport: gloo";
  }
}

} // namespace

void complete(ImportContext& context)
{
  const std::map<std::string, HostPlace> group_of = group_hosts(context.draft);
  const bool divided = only_divided(context);
  add_machines(context);
  if (divided && !context.draft.services.empty()) {
    context.draft.services.clear();
    for (DraftJob& job : context.draft.jobs)
      job.team.clear();
    context.report.ignored("restarts, teams and placement of the pods of a divided transformer",
                           "it is simulated without an orchestrator");
  }
  join_names(context.draft);
  name_uniquely(context.draft.machines, "node");
  name_uniquely(context.draft.jobs, "job");
  complete_batch(context, group_of);
  assume_policy(context);
  const bool wired = context.draft.machines_file.empty(); // else the scenario has no cluster of its own
  if (wired)
    wire_inside(context);
  add_job(context);
  if (wired) {
    join_switches(context);
    add_network(context);
  }
  fill_jobs(context);
  Draft& draft = context.draft;
  if (!draft.services.empty() && draft.until.empty()) {
    draft.until = draft.watched_s > 0 ? seconds_text(draft.watched_s) : "1 h";
    if (std::ranges::any_of(draft.services,
                            [](const DraftService& service) { return service.work_s <= 0 && service.job.empty(); }))
      context.report.assumed({"services are simulated for {}", draft.until}, "services have no end");
    else
      draft.until.clear();
  }
  for (DraftJob& job : draft.jobs)
    if (job.steps == 0 &&
        std::ranges::any_of(draft.services, [&](const DraftService& service) { return service.job == job.name; })) {
      job.steps = 1000;
      context.report.assumed({"job {} has 1000 steps", job.name}, "the files give no number");
    }
  if (draft.fidelity.empty() && !draft.jobs.empty())
    draft.fidelity = std::ranges::all_of(draft.jobs, is_divided) ? "closed_form" : draft.gpus() > 16 ? "fluid" : "flow";
}

} // namespace trainyard
