// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/slurm_machines.hpp"

#include "sim/cluster/cluster_state.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

using Mask = SlurmMachines::Mask;

Mask machines_of(const ClusterView& cluster, const std::vector<std::string>& names)
{
  const NodePool& nodes = cluster.cluster().nodes();
  Mask which(static_cast<std::size_t>(nodes.size()), names.empty() ? 1 : 0);
  for (int node = 0; node < nodes.size(); ++node)
    for (const std::string& name : names)
      if (means_machine(name, nodes.shape(node).name))
        which[static_cast<std::size_t>(node)] = 1;
  return which;
}

bool is_in(const Mask& mask, int node)
{
  return !mask.empty() && mask[static_cast<std::size_t>(node)] != 0;
}

/// How many GPUs of the machine the gang may use at most, of @p usable.
int gpus_for(const ResourceRequest& request, int usable)
{
  const int piece = request.tasks == 0 ? 1 : request.task.gpus;
  const int gpus = usable / std::max(1, piece) * piece;
  return request.tasks > 0 && request.distinct_nodes ? std::min(gpus, piece) : gpus;
}

} // namespace

void SlurmMachines::read(const ClusterView& cluster, const BatchRules& rules)
{
  const Workload& workload = cluster.workload();
  largest_factor_ = 1;
  named_ = !rules.reservations.empty();
  for (const BatchPartition& rule : rules.partitions) {
    largest_factor_ = std::max(largest_factor_, rule.factor);
    named_ = named_ || !rule.nodes.empty();
  }
  partitions_.assign(static_cast<std::size_t>(workload.queues.size()), SlurmPartition{});
  for (int index = 0; index < workload.queues.size(); ++index) {
    const BatchPartition* rule = rules.partition(workload.queues.name(index));
    if (rule == nullptr)
      continue;
    partitions_[static_cast<std::size_t>(index)] = {.tier = rule->tier,
                                                    .factor = rule->factor,
                                                    .grace = rule->grace,
                                                    .preempt_mode = rule->preempt_mode,
                                                    .nodes = rule->nodes.empty() ? Mask{}
                                                                                 : machines_of(cluster, rule->nodes)};
  }
  reservations_.clear();
  for (const BatchReservation& rule : rules.reservations) {
    if (cluster.cluster().counted())
      throw std::invalid_argument{"slurm: reservations need machines; remove scheduling.cluster: pool"};
    reservations_.push_back({&rule, machines_of(cluster, rule.nodes)});
  }
}

const SlurmPartition& SlurmMachines::partition(const TraceJob& job) const
{
  static const SlurmPartition without;
  const auto index = static_cast<std::size_t>(job.queue);
  return index < partitions_.size() ? partitions_[index] : without;
}

std::optional<Mask> SlurmMachines::closed_to(const ClusterView& cluster, JobId id, const Mask& blocked) const
{
  const TraceJob& job = cluster.job(id);
  const Instant now = cluster.now(), end = now + planned_length(cluster, id);
  const std::string& own = cluster.workload().reservations.name(job.reservation);
  Mask closed = job.reservation > 0 ? Mask{} : blocked;
  for (const Reservation& one : reservations_) {
    const bool mine = job.reservation > 0 && one.rule->name == own;
    if (mine && (now < one.rule->start || now >= one.rule->end()))
      return std::nullopt; // its end may be after that of the reservation: then it is killed
    if (!mine && (job.reservation > 0 || end <= one.rule->start || now >= one.rule->end()))
      continue;
    closed.resize(one.nodes.size(), 0);
    for (std::size_t node = 0; node < one.nodes.size(); ++node)
      closed[node] = closed[node] != 0 || (one.nodes[node] != 0) != mine;
  }
  return closed;
}

std::optional<Allocation> SlurmMachines::first_place(const ClusterView& cluster, JobId id, const Mask& closed)
{
  const NodePool& nodes = cluster.cluster().nodes();
  const ResourceRequest request = request_of(cluster.job(id));
  const bool split = request.tasks == 0;
  int missing = request.gpus();
  const int piece = split ? 1 : request.task.gpus;
  const bool whole = request.task.gpus > 0 && request.task.gpu_milli == 1000;
  if (whole && missing > nodes.whole_free())
    return std::nullopt;
  std::vector<ChosenGpus> chosen;
  for (int node = whole ? nodes.first_with_gpus() : 0; node < nodes.size() && missing > 0; ++node) {
    if ((whole && nodes.state(node).whole_free < piece) || is_in(closed, node) || !nodes.state(node).up ||
        !nodes.admits(node, request.task.demands) ||
        (request.task.gpu_type >= 0 && nodes.shape(node).gpu_type != request.task.gpu_type))
      continue;
    ChosenGpus here{.node = node, .gpus = {}};
    for (int gpu = 0; gpu < nodes.shape(node).gpus; ++gpu)
      if (nodes.gpu_free(node)[static_cast<std::size_t>(gpu)] >= request.task.gpu_milli)
        here.gpus.push_back(gpu);
    int count = std::min(gpus_for(request, static_cast<int>(here.gpus.size())), missing);
    if (!split && request.task.cpu_milli > 0)
      count = std::min<int>(count, static_cast<int>(nodes.state(node).free_cpu / request.task.cpu_milli) * piece);
    if (!split && request.task.memory_mib > 0)
      count = std::min<int>(count, static_cast<int>(nodes.state(node).free_memory / request.task.memory_mib) * piece);
    if (count <= 0)
      continue;
    here.gpus.resize(static_cast<std::size_t>(count));
    chosen.push_back(std::move(here));
    missing -= count;
  }
  if (missing > 0 || chosen.empty())
    return std::nullopt;
  try {
    return chosen_place(cluster.workload(), id, nodes, chosen);
  } catch (const std::invalid_argument&) { // too little CPU or memory for the parts of a split gang
    return std::nullopt;
  }
}

bool SlurmMachines::could_hold(const ClusterView& cluster, JobId id, const Mask& closed)
{
  if (cluster.cluster().counted())
    return true;
  const NodePool& nodes = cluster.cluster().nodes();
  const ResourceRequest request = request_of(cluster.job(id));
  TaskRequest piece = request.task;
  if (request.tasks == 0)
    piece = {.gpus = 1, .gpu_milli = piece.gpu_milli, .gpu_type = piece.gpu_type, .demands = piece.demands};
  int missing = request.gpus();
  if (missing == 0)
    return true; // who needs CPUs only may have few of any machine
  for (int node = 0; node < nodes.size() && missing > 0; ++node)
    if (!is_in(closed, node) && nodes.state(node).up && nodes.could_fit(node, piece))
      missing -= gpus_for(request, nodes.shape(node).gpus * (1000 / std::max(1, piece.gpu_milli)));
  return missing <= 0;
}

void SlurmMachines::keep_to_reservation(const ClusterView& cluster, const TraceJob& job, MachinePlan::Test& test) const
{
  if (job.reservation == 0)
    return;
  for (const Reservation& one : reservations_)
    if (one.rule->name == cluster.workload().reservations.name(job.reservation)) {
      test.only = one.nodes;
      test.begin = one.rule->start;
      test.end = one.rule->end();
    }
}

std::vector<JobId> SlurmMachines::overdue(const ClusterView& cluster) const
{
  std::vector<JobId> jobs;
  for (const Reservation& one : reservations_)
    if (cluster.now() >= one.rule->end())
      for (const JobId id : cluster.running())
        if (cluster.job(id).reservation > 0 &&
            cluster.workload().reservations.name(cluster.job(id).reservation) == one.rule->name)
          jobs.push_back(id);
  return jobs;
}

void SlurmMachines::close_in(MachinePlan& plan, Instant now) const
{
  for (const Reservation& one : reservations_)
    if (one.rule->end() > now)
      plan.close(one.nodes, one.rule->start, one.rule->end());
}

void SlurmMachines::wake(Instant now, Decisions& decisions) const
{
  for (const Reservation& one : reservations_)
    for (const Instant edge : {Instant{one.rule->start}, one.rule->end()})
      if (edge > now)
        decisions.wake_at(edge);
}

namespace {

/// GPUs of the set that a job of these demands and this type of GPU may have.
int gpus_for(const NodePool& nodes, const MachineSet& set, int demands, int gpu_type)
{
  int gpus = 0;
  for (int node = 0; set.admits[static_cast<std::size_t>(demands)] && node < nodes.size(); ++node)
    if (!is_in(set.closed, node) && nodes.admits(node, demands) &&
        (gpu_type < 0 || nodes.shape(node).gpu_type == gpu_type))
      gpus += nodes.shape(node).gpus;
  return gpus;
}

/// The sets of machines that gangs may go to become one where a gang of one of these sizes needs machines of several.
void join_for(const NodePool& nodes, int demands, int gpu_type, const std::set<int>& gangs,
              std::vector<MachineSet>& sets)
{
  std::vector<int> gpus;
  for (const MachineSet& one : sets)
    gpus.push_back(gpus_for(nodes, one, demands, gpu_type));
  const auto larger = gangs.upper_bound(std::ranges::max(gpus));
  if (larger == gangs.end() || *larger > std::accumulate(gpus.begin(), gpus.end(), 0))
    return;
  const auto first = std::ranges::find_if(gpus, [](int of_set) { return of_set > 0; }) - gpus.begin();
  MachineSet& all = sets[static_cast<std::size_t>(first)];
  for (std::size_t other = sets.size(); --other > static_cast<std::size_t>(first);) {
    if (gpus[other] == 0)
      continue;
    const MachineSet& one = sets[other];
    all.gpus += one.gpus;
    std::ranges::transform(all.closed, one.closed, all.closed.begin(), std::bit_and<>{});
    std::transform(all.admits.begin(), all.admits.end(), one.admits.begin(), all.admits.begin(), std::logical_or<>{});
    sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(other));
  }
}

} // namespace

std::vector<MachineSet> machine_sets(const ClusterView& cluster)
{
  const Workload& workload = cluster.workload();
  const NodePool& nodes = cluster.cluster().nodes();
  if (cluster.cluster().counted())
    return {{.admits = {}, .closed = {}, .gpus = cluster.cluster().total_gpus()}};
  std::vector<bool> asked(workload.demands.size());
  std::map<std::pair<int, int>, std::set<int>> gangs; // sizes by demands and type of GPU
  for (const TraceJob& job : workload.jobs)
    for (const TaskGroup& kind : workload.kinds_of(job)) {
      asked[static_cast<std::size_t>(kind.demands)] = true;
      gangs[{kind.demands, kind.gpu_type}].insert(kind.count * kind.gpus);
    }
  std::vector<MachineSet> sets;
  for (int node = 0; node < nodes.size(); ++node) {
    std::vector<bool> admits(asked.size());
    for (std::size_t demands = 0; demands < asked.size(); ++demands)
      admits[demands] = asked[demands] && nodes.admits(node, static_cast<int>(demands));
    auto found = std::ranges::find(sets, admits, &MachineSet::admits);
    if (found == sets.end())
      found =
          sets.insert(found, {.admits = admits, .closed = Mask(static_cast<std::size_t>(nodes.size()), 1), .gpus = 0});
    found->closed[static_cast<std::size_t>(node)] = 0;
    found->gpus += nodes.shape(node).gpus;
  }
  for (const auto& [wish, sizes] : gangs)
    join_for(nodes, wish.first, wish.second, sizes, sets);
  return sets;
}

} // namespace trainyard
