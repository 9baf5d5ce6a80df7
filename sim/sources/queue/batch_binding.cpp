// SPDX-License-Identifier: Apache-2.0

#include "models/core/closest.hpp"
#include "sim/sources/queue/queue_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trainyard {
namespace {

template <class T>
std::vector<std::string> names_of(const std::vector<T>& all)
{
  std::vector<std::string> names;
  for (const T& one : all)
    names.push_back(one.name);
  return names;
}

std::vector<std::string> names_of(const NameTable& table)
{
  std::vector<std::string> names;
  for (int index = 1; index < table.size(); ++index)
    names.push_back(table.name(index));
  return names;
}

/// Every name of @p wanted means a machine. @p path: of the list in the scenario.
void check_machines(const std::vector<std::string>& wanted, const ClusterShape& shape, const std::string& path)
{
  if (!wanted.empty() && shape.counted())
    throw fault_at(path, "a pool has no machines; remove scheduling.cluster: pool");
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (std::ranges::none_of(shape.nodes, [&](const NodeShape& node) { return means_machine(wanted[i], node.name); }))
      throw fault_at(fmt::format("{}.{}", path, i), fmt::format("there is no machine or node group '{}'{}", wanted[i],
                                                                did_you_mean(wanted[i], names_of(shape.nodes))));
}

void check_qos_name(const std::string& name, const BatchRules& rules, const std::string& path)
{
  if (rules.of_qos(name) == nullptr)
    throw fault_at(path, fmt::format("there is no QOS '{}'{}; list it in slurm.qos", name,
                                     did_you_mean(name, names_of(rules.qos))));
}

/// The tree of accounts is one, and its leaves have jobs.
void check_associations(const BatchRules& rules, const Workload& workload)
{
  const std::vector<std::string> accounts = names_of(workload.teams), users = names_of(workload.users);
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> known; // accounts of the list
  std::set<std::string> parents = {BatchAssociation::root};
  for (const BatchAssociation& one : rules.associations) {
    parents.insert(one.parent);
    if (one.user.empty())
      known.push_back(one.account);
  }
  for (std::size_t i = 0; i < rules.associations.size(); ++i) {
    const BatchAssociation& one = rules.associations[i];
    const std::string path = fmt::format("slurm.associations.{}", i);
    if (rules.association(one.account, one.user) != &one)
      throw fault_at(path + ".account",
                     fmt::format("'{}{}{}' is given twice", one.account, one.user.empty() ? "" : ".", one.user));
    if (!parents.contains(one.account) && !has(accounts, one.account))
      throw fault_at(path + ".account", fmt::format("no job has the account (team) '{}', and no account is below it{}",
                                                    one.account, did_you_mean(one.account, accounts)));
    if (!one.user.empty() && !has(users, one.user))
      throw fault_at(path + ".user",
                     fmt::format("no job has the user '{}'{}", one.user, did_you_mean(one.user, users)));
    if (one.parent.empty() || one.parent == BatchAssociation::root)
      continue;
    if (!one.user.empty())
      throw fault_at(path + ".parent", "a user stands below the account; remove parent");
    if (!has(known, one.parent))
      throw fault_at(path + ".parent", fmt::format("there is no account '{}'{}; list it in slurm.associations",
                                                   one.parent, did_you_mean(one.parent, known)));
    std::string above = one.account;
    for (std::size_t steps = 0; !above.empty() && steps <= known.size() + 1; ++steps)
      above = rules.above(above);
    if (!above.empty())
      throw fault_at(path + ".parent", fmt::format("account '{}' would be above itself", one.account));
  }
}

void check_rules(const BatchRules& rules, const ClusterShape& shape)
{
  for (std::size_t i = 0; i < rules.partitions.size(); ++i) {
    const std::string path = fmt::format("slurm.partitions.{}", i);
    check_machines(rules.partitions[i].nodes, shape, path + ".nodes");
    if (!rules.partitions[i].qos.empty())
      check_qos_name(rules.partitions[i].qos, rules, path + ".qos");
  }
  for (std::size_t i = 0; i < rules.reservations.size(); ++i)
    check_machines(rules.reservations[i].nodes, shape, fmt::format("slurm.reservations.{}.nodes", i));
  for (std::size_t i = 0; i < rules.qos.size(); ++i)
    for (std::size_t j = 0; j < rules.qos[i].preempts.size(); ++j)
      check_qos_name(rules.qos[i].preempts[j], rules, fmt::format("slurm.qos.{}.preempts.{}", i, j));
}

/// Jobs name only what the rules have, and enter reservations that let them.
void check_jobs(const Workload& workload, const BatchRules& rules)
{
  for (int i = 0; i < workload.size(); ++i) {
    const TraceJob& job = workload.job(JobId{i});
    const auto refuse = [&](const std::string& what) {
      throw fault_at("slurm", fmt::format("job {}{}: {}", workload.name(JobId{i}),
                                          job.row > 0 ? fmt::format(" (line {})", job.row) : "", what));
    };
    if (job.qos > 0 && !rules.qos.empty() && rules.of_qos(workload.qos.name(job.qos)) == nullptr)
      refuse(fmt::format("there is no QOS '{}'; list it in slurm.qos", workload.qos.name(job.qos)));
    if (job.reservation == 0)
      continue;
    const std::string& name = workload.reservations.name(job.reservation);
    const BatchReservation* reservation = rules.reservation(name);
    if (reservation == nullptr)
      refuse(fmt::format("there is no reservation '{}'; list it in slurm.reservations", name));
    const auto has = [](const std::vector<std::string>& who, const std::string& one) {
      return std::ranges::find(who, one) != who.end();
    };
    if (!has(reservation->users, workload.users.name(job.user)) &&
        !has(reservation->accounts, workload.teams.name(job.team)))
      refuse(fmt::format("the reservation '{}' is neither for the user '{}' nor for the account '{}'", name,
                         workload.users.name(job.user), workload.teams.name(job.team)));
  }
}

void label_machines(ClusterShape& shape, const BatchRules& rules)
{
  std::map<std::pair<int, std::vector<std::string>>, int> known;
  for (NodeShape& node : shape.nodes) {
    std::vector<std::string> labels;
    for (const BatchPartition& partition : rules.partitions)
      if (std::ranges::any_of(partition.nodes, [&](const std::string& name) { return means_machine(name, node.name); }))
        labels.push_back("partition=" + partition.name);
    if (labels.empty())
      continue;
    const auto [entry, fresh] =
        known.try_emplace(std::pair{node.traits, labels}, static_cast<int>(shape.traits.size()));
    if (fresh) {
      NodeMarks marks = shape.traits[static_cast<std::size_t>(node.traits)];
      marks.labels.insert(marks.labels.end(), labels.begin(), labels.end());
      shape.traits.push_back(std::move(marks));
    }
    node.traits = entry->second;
  }
}

void send_jobs_to_partitions(Workload& workload, const BatchRules& rules)
{
  std::map<std::pair<int, int>, int> known; // demands, queue -> demands
  for (TraceJob& job : workload.jobs) {
    const std::string& name = workload.queues.name(job.queue);
    const BatchPartition* partition = rules.partition(name);
    if (partition == nullptr || partition->nodes.empty())
      continue;
    const auto send = [&](int& demands) {
      const auto [entry, fresh] =
          known.try_emplace(std::pair{demands, job.queue}, static_cast<int>(workload.demands.size()));
      if (fresh) {
        NodeDemands there = workload.demands[static_cast<std::size_t>(demands)];
        there.required.push_back("partition=" + name);
        workload.demands.push_back(std::move(there));
      }
      demands = entry->second;
    };
    send(job.demands);
    if (std::vector<TaskGroup> tasks = workload.tasks_of(job); !tasks.empty()) {
      for (TaskGroup& group : tasks)
        send(group.demands);
      workload.set_tasks(job, std::move(tasks));
    }
  }
}

} // namespace

void bind_rules(Workload& workload, ClusterShape& shape, std::shared_ptr<const BatchRules> rules)
{
  check_rules(*rules, shape);
  check_associations(*rules, workload);
  check_jobs(workload, *rules);
  label_machines(shape, *rules);
  send_jobs_to_partitions(workload, *rules);
  workload.rules = std::move(rules);
}

void bind_quotas(Workload& workload, const ClusterShape& shape, std::shared_ptr<const KueueRules> rules)
{
  for (std::size_t i = 0; i < rules->flavors.size(); ++i) {
    const KueueFlavor& flavor = rules->flavors[i];
    const std::string path = fmt::format("kueue.flavors.{}", i);
    check_machines(flavor.nodes, shape, path + ".nodes");
    if (!flavor.gpu.empty() && std::ranges::find(shape.gpu_types, flavor.gpu) == shape.gpu_types.end())
      throw fault_at(path + ".gpu", fmt::format("the cluster has no GPU '{}'{}", flavor.gpu,
                                                did_you_mean(flavor.gpu, shape.gpu_types)));
  }
  const std::vector<std::string> queues = names_of(rules->cluster_queues);
  for (int i = 0; i < workload.size(); ++i) {
    const std::string& team = workload.teams.name(workload.job(JobId{i}).team);
    if (std::ranges::find(queues, team) == queues.end())
      throw fault_at("kueue.cluster_queues",
                     team.empty() ? fmt::format("job {} has no team, and so no cluster queue; give it one: team: {}",
                                                workload.name(JobId{i}), queues.empty() ? "NAME" : queues.front())
                                  : fmt::format("job {} belongs to team '{}', which has no cluster queue{}; add one",
                                                workload.name(JobId{i}), team, did_you_mean(team, queues)));
  }
  for (int team = 1; team < workload.teams.size(); ++team) // of jobs that other parts of the scenario send
    if (const std::string& name = workload.teams.name(team); std::ranges::find(queues, name) == queues.end())
      throw fault_at("kueue.cluster_queues",
                     fmt::format("the team '{}' has no cluster queue{}; add one", name, did_you_mean(name, queues)));
  workload.kueue = std::move(rules);
}

} // namespace trainyard
