// SPDX-License-Identifier: Apache-2.0
#include "models/import/batch_draft.hpp"

#include "models/core/pieces.hpp"
#include "models/import/flow.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace trainyard {
namespace {

/// Groups that hold these machines; nothing where they are all machines of the draft.
std::vector<std::string> groups_of(const std::vector<std::string>& machines, const Draft& draft,
                                   const std::map<std::string, HostPlace>& group_of)
{
  std::set<std::size_t> which;
  for (const std::string& machine : machines)
    if (const auto found = group_of.find(machine); found != group_of.end())
      which.insert(found->second.group);
  std::vector<std::string> names;
  names.reserve(which.size());
  for (const std::size_t group : which)
    names.push_back(draft.machines[group].name);
  return names.size() == draft.machines.size() ? std::vector<std::string>{} : names;
}

/// "{name: slurm, label: slurm, backfill: true, weight_age: 1000}": without the label, tables would repeat all settings
std::string policy_flow(const std::map<std::string, std::string>& settings)
{
  std::string text = "{name: slurm, label: slurm";
  for (const auto& [name, value] : settings)
    text += fmt::format(", {}: {}", name, value);
  return text + "}";
}

/// A rule that begins with its name.
Flow rule_of(const std::string& name, const char* key = "name")
{
  Flow rule;
  rule.add(key, yaml_text(name));
  return rule;
}

void add_limits(Flow& rule, const BatchLimits& limits)
{
  rule.time("max_time", limits.time, is_finite(limits.time)).number("max_gpus_per_job", limits.job_gpus);
  rule.number("max_gpus_per_user", limits.user_gpus).number("max_gpus_per_account", limits.account_gpus);
  rule.number("group_gpus", limits.all_gpus).number("max_jobs_per_user", limits.user_jobs);
  rule.number("group_jobs", limits.all_jobs).number("max_submitted_per_user", limits.user_submitted);
  rule.number("group_submitted", limits.all_submitted);
}

/// @p key with a line for each of @p rules; nothing where there are none.
template <class T, class Fill>
std::string rules_yaml(const char* key, const std::vector<T>& rules, const Fill& fill)
{
  std::string text = rules.empty() ? "" : fmt::format("  {}:\n", key);
  for (const T& one : rules)
    text += fmt::format("    - {}\n", fill(one).str());
  return text;
}

/// A quota of CPU, memory or pods: its amount alone, or a map; empty where there is none.
std::string amount_flow(const KueueAmount& amount, bool bytes)
{
  if (amount.nominal < 0)
    return "";
  const auto text = [&](double value) { return bytes ? bytes_flow(value) : fmt::format("{:.10g}", value); };
  std::string parts;
  if (std::isfinite(amount.borrowing_limit))
    parts += ", borrowing_limit: " + text(amount.borrowing_limit);
  if (std::isfinite(amount.lending_limit))
    parts += ", lending_limit: " + text(amount.lending_limit);
  return parts.empty() ? text(amount.nominal) : fmt::format("{{nominal_quota: {}{}}}", text(amount.nominal), parts);
}

std::string quotas_flow(const std::vector<KueueQuota>& quotas)
{
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  std::vector<std::string> list;
  for (const KueueQuota& one : quotas) {
    Flow rule = rule_of(one.flavor, "flavor");
    rule.number("nominal_quota", one.nominal, -1).number("borrowing_limit", one.borrowing_limit, no_limit);
    rule.number("lending_limit", one.lending_limit, no_limit).add("cpu", amount_flow(one.cpu, false));
    rule.add("memory", amount_flow(one.memory, true)).add("pods", amount_flow(one.pods, false));
    list.push_back(rule.str());
  }
  return list.empty() ? "" : fmt::format("[{}]", fmt::join(list, ", "));
}

const char* preemption_text(KueuePreemption which)
{
  switch (which) {
  case KueuePreemption::lower_priority:
    return "LowerPriority";
  case KueuePreemption::lower_or_newer_equal_priority:
    return "LowerOrNewerEqualPriority";
  case KueuePreemption::any:
    return "Any";
  case KueuePreemption::never:
    break;
  }
  return "";
}

Flow cluster_queue_flow(const KueueClusterQueue& one)
{
  Flow rule = rule_of(one.name);
  rule.text("cohort", one.cohort).add("quotas", quotas_flow(one.quotas));
  rule.add("queueing_strategy", one.strict_fifo ? "StrictFIFO" : "");
  rule.add("within_cluster_queue", preemption_text(one.within_cluster_queue));
  rule.add("reclaim_within_cohort", preemption_text(one.reclaim_within_cohort));
  rule.add("borrow_within_cohort", one.borrow_within_cohort ? "LowerPriority" : "");
  rule.number("max_priority_threshold", one.max_priority_threshold, std::numeric_limits<double>::infinity());
  rule.add("when_can_borrow", one.try_next_before_borrowing ? "TryNextFlavor" : "");
  rule.add("when_can_preempt", one.try_next_before_preempting ? "" : "Preempt");
  return rule.number("weight", one.weight, 1);
}

/// Absolute times become those of the workload; what is over before its start is left out.
void place_reservations(ImportContext& context)
{
  Draft& draft = context.draft;
  std::vector<BatchReservation> kept;
  for (BatchReservation reservation : draft.batch.rules.reservations) {
    if (draft.first_submission < 0) {
      context.report.ignored("reservation " + reservation.name, "there are no jobs whose times tell when it begins");
      continue;
    }
    reservation.start -= Seconds{draft.first_submission};
    if (reservation.end() <= Instant{0}) {
      context.report.ignored("reservation " + reservation.name, "it is over before the first submission");
      continue;
    }
    if (reservation.start < Seconds{0}) {
      reservation.length = seconds(reservation.end());
      reservation.start = Seconds{0};
    }
    kept.push_back(std::move(reservation));
  }
  draft.batch.rules.reservations = std::move(kept);
}

/// Jobs that have machines of their own get the labels of these. Others that may go to some only share a label of
/// these.
void place_jobs(Draft& draft, const std::map<std::string, HostPlace>& group_of)
{
  std::map<std::set<std::string>, std::string> pools; // labels by machines
  for (DraftQueueJob& job : draft.queue_jobs) {
    std::set<std::string> machines;
    for (const std::string& host : job.hosts)
      if (const auto found = group_of.find(host); found != group_of.end())
        machines.insert(fmt::format("{}-{}", draft.machines[found->second.group].name, found->second.number));
    job.distinct = job.runs && job.tasks > 1 && job.tasks == static_cast<int>(machines.size());
    if (job.runs && machines.size() == 1)
      job.node_selector = {"kubernetes.io/hostname=" + *machines.begin()};
    else if (!machines.empty())
      job.node_selector = {pools.try_emplace(machines, fmt::format("pool={}", pools.size() + 1)).first->second};
  }
  std::map<std::string, std::set<std::string>> marks; // labels by machine
  for (const auto& [machines, label] : pools)
    for (const std::string& machine : machines)
      marks[machine].insert(label);
  std::string text;
  for (const auto& [machine, labels] : marks)
    text += fmt::format("\n    - {{nodes: {}, labels: [{}]}}", yaml_text(machine), fmt::join(labels, ", "));
  if (!text.empty())
    draft.scheduling.emplace_back("nodes", text);
}

/// Jobs of partitions that have machines of other files only, and those that wait for them.
void leave_out_jobs(Draft& draft, const std::set<std::string>& gone, ImportReport& report)
{
  std::set<std::string> names;
  const auto never = [&](const DraftQueueJob& job) {
    const std::vector<std::string> before = split(job.after, ' ');
    const bool waits = std::ranges::any_of(before, [&](const std::string& name) { return names.contains(name); });
    if (!waits && !gone.contains(job.queue))
      return false;
    report.ignored("job " + job.name, waits ? "never starts: it waits for one that never does"
                                            : "never starts: no machine of its partition is there");
    return names.insert(job.name).second;
  };
  while (std::erase_if(draft.queue_jobs, never) > 0) {
  }
}

/// A QOS that a partition or another QOS names and no file describes has no limits.
void name_missing_qos(BatchRules& rules, ImportReport& report)
{
  std::vector<std::string> named;
  named.reserve(rules.partitions.size());
  for (const BatchPartition& one : rules.partitions)
    named.push_back(one.qos);
  for (const BatchQos& one : rules.qos)
    named.insert(named.end(), one.preempts.begin(), one.preempts.end());
  for (const std::string& name : named)
    if (!name.empty() && rules.of_qos(name) == nullptr) {
      rules.qos.push_back({.name = name});
      report.assumed({"QOS {} has no limits", name},
                     "it is in none of the files; give the output of sacctmgr -P show qos too");
    }
}

} // namespace

std::string bytes_flow(double bytes, const char* blank)
{
  constexpr double mib = 1024.0 * 1024, gib = 1024 * mib;
  const bool whole = bytes == std::floor(bytes / gib) * gib;
  return fmt::format("{:.0f}{}{}", std::floor(bytes / (whole ? gib : mib)), blank, whole ? "GiB" : "MiB");
}

std::map<std::string, std::vector<std::string>> batch_memberships(const BatchRules& rules)
{
  std::map<std::string, std::vector<std::string>> memberships;
  for (const BatchPartition& partition : rules.partitions)
    for (const std::string& node : partition.nodes)
      memberships[node].push_back("partition " + partition.name);
  for (const BatchReservation& reservation : rules.reservations)
    for (const std::string& node : reservation.nodes)
      memberships[node].push_back("reservation " + reservation.name);
  for (auto& [node, all] : memberships)
    std::ranges::sort(all);
  return memberships;
}

void complete_batch(ImportContext& context, const std::map<std::string, HostPlace>& group_of)
{
  Draft& draft = context.draft;
  BatchRules& rules = draft.batch.rules;
  const auto has_none = [&](const auto& one) {
    return !one.nodes.empty() &&
           std::ranges::none_of(one.nodes, [&](const auto& node) { return group_of.contains(node); });
  };
  std::set<std::string> gone; // partitions without machines
  for (const BatchPartition& one : rules.partitions)
    if (!group_of.empty() && has_none(one))
      gone.insert(one.name);
  leave_out_jobs(draft, gone, context.report);
  const auto use_groups = [&](auto& all, const char* what) {
    std::erase_if(all, [&](auto& one) {
      const bool none = has_none(one);
      if (none)
        context.report.ignored({"{} {}", what, one.name}, "none of its machines is in the files");
      one.nodes = groups_of(one.nodes, draft, group_of);
      return none;
    });
  };
  use_groups(rules.partitions, "partition");
  use_groups(rules.reservations, "reservation");
  place_reservations(context);
  place_jobs(draft, group_of);
  if (draft.batch.policy.empty() && rules.empty())
    return;
  if (const auto preempt = draft.batch.policy.find("preempt");
      preempt != draft.batch.policy.end() && preempt->second == "qos" && rules.qos.empty()) {
    preempt->second = "none";
    context.report.ignored("preemption by QOS", "the files have no QOS; give the output of sacctmgr -P show qos too");
  }
  name_missing_qos(rules, context.report);
  draft.scheduling.emplace_back("policy", policy_flow(draft.batch.policy));
  draft.scheduling.emplace_back("placement", "best_fit");
}

std::string batch_yaml(const BatchRules& rules)
{
  if (rules.empty())
    return "";
  const auto add_stops = [](Flow& rule, const auto& one) { // "off" without quotes would be a flag
    rule.time("grace_time", one.grace, one.grace > Seconds{0}).text("preempt_mode", one.preempt_mode);
  };
  return "slurm:\n" +
         rules_yaml("partitions", rules.partitions,
                    [&](const BatchPartition& one) {
                      Flow rule = rule_of(one.name);
                      rule.names("nodes", one.nodes).number("priority_tier", one.tier, 1);
                      rule.number("priority_job_factor", one.factor, 1);
                      add_stops(rule, one);
                      add_limits(rule.text("qos", one.qos), one.limits);
                      return rule;
                    }) +
         rules_yaml("qos", rules.qos,
                    [&](const BatchQos& one) {
                      Flow rule = rule_of(one.name);
                      rule.number("priority", one.priority).names("preempts", one.preempts);
                      add_stops(rule, one);
                      add_limits(rule, one.limits);
                      return rule;
                    }) +
         rules_yaml("associations", rules.associations,
                    [](const BatchAssociation& one) {
                      Flow rule = rule_of(one.account, "account");
                      add_limits(rule.text("user", one.user).text("parent", one.parent), one.limits);
                      return rule;
                    }) +
         rules_yaml("reservations", rules.reservations, [](const BatchReservation& one) {
           Flow rule = rule_of(one.name);
           rule.time("start", one.start).time("duration", one.length).names("nodes", one.nodes);
           return rule.names("users", one.users).names("accounts", one.accounts);
         });
}

std::string kueue_yaml(const KueueRules& rules)
{
  if (rules.cluster_queues.empty())
    return "";
  std::string text = "kueue:\n";
  if (rules.undeclared != KueueUndeclared::by_queue)
    text += fmt::format("  quota_check_strategy: {}\n",
                        rules.undeclared == KueueUndeclared::block ? "BlockUndeclared" : "IgnoreUndeclared");
  text += rules.flavors.empty() ? "  flavors:\n" : "";
  return text +
         rules_yaml(
             "flavors", rules.flavors,
             [](const KueueFlavor& one) { return rule_of(one.name).text("gpu", one.gpu).names("nodes", one.nodes); }) +
         rules_yaml("cohorts", rules.cohorts,
                    [](const KueueCohort& one) {
                      Flow rule = rule_of(one.name);
                      rule.text("parent", one.parent).add("quotas", quotas_flow(one.quotas));
                      return rule.number("weight", one.weight, 1);
                    }) +
         rules_yaml("cluster_queues", rules.cluster_queues, cluster_queue_flow);
}

} // namespace trainyard
