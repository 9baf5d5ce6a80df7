// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/slurm_limits.hpp"

#include <cmath>
#include <limits>

namespace trainyard {
namespace {

constexpr double rounding = 1e-9;

template <class Key, class Value>
Value at(const std::map<Key, Value>& map, Key key)
{
  const auto found = map.find(key);
  return found == map.end() ? Value{} : found->second;
}

int scope_in(const std::map<int, int>& map, int key)
{
  const auto found = map.find(key);
  return found == map.end() ? -1 : found->second;
}

double gpus_of(const TraceJob& job)
{
  return static_cast<double>(request_of(job).milli()) / 1000;
}

/// Takes the limits of each user from an account, where nothing nearer has given them.
void inherit(BatchLimits& limits, const BatchLimits& above)
{
  if (!is_finite(limits.time))
    limits.time = above.time;
  for (int BatchLimits::*limit : {&BatchLimits::job_gpus, &BatchLimits::user_jobs, &BatchLimits::user_submitted})
    if (limits.*limit == 0)
      limits.*limit = above.*limit;
}

} // namespace

SlurmLimits::SlurmLimits(const Workload& workload, double user_gpus) : workload_{workload}, user_gpus_{user_gpus}
{
  if (workload.rules == nullptr)
    return;
  const BatchRules& rules = *workload.rules;
  std::map<std::string, int> qos; // scopes: jobs of a QOS and of partitions that have it count together
  for (const BatchQos& one : rules.qos)
    qos[one.name] = add_scope(one.limits);
  for (int index = 1; index < workload.qos.size(); ++index)
    if (const auto found = qos.find(workload.qos.name(index)); found != qos.end())
      of_qos_[index] = found->second;
  for (int index = 0; index < workload.queues.size(); ++index)
    if (const BatchPartition* partition = rules.partition(workload.queues.name(index)); partition != nullptr) {
      of_partition_[index] = add_scope(partition->limits);
      if (const auto found = qos.find(partition->qos); found != qos.end())
        of_partition_qos_[index] = found->second;
    }
  for (const BatchAssociation& one : rules.associations)
    if (one.user.empty())
      of_account_[one.account] = add_scope(one.limits);
}

int SlurmLimits::add_scope(const BatchLimits& limits)
{
  scopes_.push_back({.limits = limits, .all = {}, .users = {}, .accounts = {}});
  return static_cast<int>(scopes_.size()) - 1;
}

const std::vector<SlurmLimits::Step>& SlurmLimits::steps_of(const TraceJob& job)
{
  static const std::vector<Step> nowhere;
  if (scopes_.empty() && (workload_.rules == nullptr || workload_.rules->associations.empty()))
    return nowhere;
  const auto [known, fresh] = steps_.try_emplace({job.queue, job.qos, job.team, job.user});
  std::vector<Step>& steps = known->second;
  if (!fresh)
    return steps;
  const int first = scope_in(of_partition_qos_, job.queue), second = scope_in(of_qos_, job.qos);
  if (first >= 0)
    steps.push_back({first, Owner::qos});
  if (second >= 0 && second != first)
    steps.push_back({second, Owner::qos});
  if (!workload_.rules->associations.empty())
    add_associations(job, steps);
  if (const int partition = scope_in(of_partition_, job.queue); partition >= 0)
    steps.push_back({partition, Owner::partition});
  return steps;
}

/// The user in its account, and the accounts upwards.
void SlurmLimits::add_associations(const TraceJob& job, std::vector<Step>& steps)
{
  const BatchRules& rules = *workload_.rules;
  const std::string& account = workload_.teams.name(job.team);
  const std::string& user = workload_.users.name(job.user);
  BatchLimits own;
  if (const BatchAssociation* mine = user.empty() ? nullptr : rules.association(account, user); mine != nullptr)
    own = mine->limits;
  std::vector<Step> above;
  for (std::string name = account.empty() ? BatchAssociation::root : account; !name.empty(); name = rules.above(name))
    if (const auto found = of_account_.find(name); found != of_account_.end()) {
      inherit(own, scopes_[static_cast<std::size_t>(found->second)].limits);
      above.push_back({found->second, Owner::account});
    }
  const auto [scope, fresh] = of_user_.try_emplace({job.team, job.user}, -1);
  if (fresh)
    scope->second = add_scope(own);
  steps.push_back({scope->second, Owner::user});
  steps.insert(steps.end(), above.begin(), above.end());
}

/// Infinite where there is no limit.
double SlurmLimits::most(const BatchLimits& limits, Kind kind)
{
  const auto number = [&] {
    switch (kind) {
    case Kind::all_jobs:
      return limits.all_jobs;
    case Kind::user_jobs:
      return limits.user_jobs;
    case Kind::all_gpus:
      return limits.all_gpus;
    case Kind::job_gpus:
      return limits.job_gpus;
    case Kind::account_gpus:
      return limits.account_gpus;
    case Kind::user_gpus:
      return limits.user_gpus;
    case Kind::all_submitted:
      return limits.all_submitted;
    case Kind::user_submitted:
      return limits.user_submitted;
    case Kind::time:
      break;
    }
    return 0;
  }();
  return kind == Kind::time ? limits.time.value() : number > 0 ? number : std::numeric_limits<double>::infinity();
}

/// What would be used with the job.
double SlurmLimits::wanted(const Scope& scope, Kind kind, const TraceJob& job)
{
  switch (kind) {
  case Kind::all_jobs:
    return scope.all.jobs + 1;
  case Kind::user_jobs:
    return at(scope.users, job.user).jobs + 1;
  case Kind::time:
    return job.estimate.value();
  case Kind::all_gpus:
    return scope.all.gpus + gpus_of(job);
  case Kind::job_gpus:
    return gpus_of(job);
  case Kind::account_gpus:
    return at(scope.accounts, job.team) + gpus_of(job);
  case Kind::user_gpus:
    return at(scope.users, job.user).gpus + gpus_of(job);
  case Kind::all_submitted:
    return scope.all.jobs + scope.all.waiting + 1;
  case Kind::user_submitted: {
    const Held user = at(scope.users, job.user);
    return user.jobs + user.waiting + 1;
  }
  }
  return 0;
}

WaitReason SlurmLimits::reason(Kind kind, Owner owner)
{
  using enum WaitReason;
  if (owner == Owner::partition && kind == Kind::time)
    return partition_time;
  const bool of_qos = owner == Owner::qos || owner == Owner::partition; // Slurm's partitions have them by their QOS
  switch (kind) {
  case Kind::all_jobs:
    return of_qos ? qos_group_jobs : association_group_jobs;
  case Kind::user_jobs:
    return of_qos ? qos_user_jobs : association_jobs;
  case Kind::time:
    return of_qos ? qos_time : association_time;
  case Kind::all_gpus:
    return of_qos ? qos_group_gpus : association_group_gpus;
  case Kind::job_gpus:
    return of_qos ? qos_job_gpus : association_job_gpus;
  case Kind::account_gpus:
    return qos_account_gpus; // associations have none
  case Kind::user_gpus:
    return qos_user_gpus;
  case Kind::all_submitted:
    return of_qos ? qos_group_submitted : association_group_submitted;
  case Kind::user_submitted:
    return of_qos ? qos_user_submitted : association_submitted;
  }
  return quota;
}

WaitReason SlurmLimits::first_hit(const TraceJob& job, std::span<const Kind> of, bool alone)
{
  static const Scope nobody;
  std::array<bool, kinds> by_qos = {}, given = {};
  for (const Step& step : steps_of(job)) {
    const Scope& scope = scopes_[static_cast<std::size_t>(step.scope)];
    for (const Kind kind : of) {
      const auto index = static_cast<std::size_t>(kind);
      const bool of_all = kind == Kind::all_jobs || kind == Kind::all_gpus || kind == Kind::all_submitted;
      const double limit = most(scope.limits, kind);
      // What an account gives to each of its users counts at the user.
      if (!std::isfinite(limit) || by_qos[index] || (step.owner == Owner::account && !of_all) ||
          (step.owner == Owner::partition && given[index]))
        continue;
      given[index] = true;
      by_qos[index] = step.owner == Owner::qos;
      if (wanted(alone ? nobody : scope, kind, job) > limit + rounding)
        return reason(kind, step.owner);
    }
  }
  return WaitReason::none;
}

WaitReason SlurmLimits::held_by(const TraceJob& job)
{
  static constexpr std::array counts = {Kind::all_jobs, Kind::user_jobs, Kind::time};
  static constexpr std::array resources = {Kind::all_gpus, Kind::job_gpus, Kind::account_gpus, Kind::user_gpus};
  if (user_gpus_ > 0 && at(users_, job.user) + gpus_of(job) > user_gpus_ + rounding)
    return WaitReason::qos_user_gpus;
  if (job.array > 0)
    if (const int limit = workload_.array_limits[static_cast<std::size_t>(job.array)];
        limit > 0 && at(arrays_, job.array) >= limit)
      return WaitReason::array_tasks;
  const WaitReason hit = first_hit(job, counts);
  return hit != WaitReason::none ? hit : first_hit(job, resources);
}

WaitReason SlurmLimits::held_alone(const TraceJob& job)
{
  static constexpr std::array of_one = {Kind::time, Kind::all_gpus, Kind::job_gpus, Kind::account_gpus,
                                        Kind::user_gpus};
  return user_gpus_ > 0 && gpus_of(job) > user_gpus_ + rounding ? WaitReason::qos_user_gpus
                                                                : first_hit(job, of_one, true);
}

WaitReason SlurmLimits::refused_by(const TraceJob& job)
{
  static constexpr std::array submitted = {Kind::all_submitted, Kind::user_submitted};
  return first_hit(job, submitted);
}

void SlurmLimits::wait(const TraceJob& job, int sign)
{
  for (const Step& step : steps_of(job)) {
    Scope& scope = scopes_[static_cast<std::size_t>(step.scope)];
    scope.all.waiting += sign;
    scope.users[job.user].waiting += sign;
  }
}

void SlurmLimits::change(const TraceJob& job, double gpus, int sign)
{
  users_[job.user] += sign * gpus;
  if (job.array > 0)
    arrays_[job.array] += sign;
  for (const Step& step : steps_of(job)) {
    Scope& scope = scopes_[static_cast<std::size_t>(step.scope)];
    scope.all.gpus += sign * gpus;
    scope.all.jobs += sign;
    Held& user = scope.users[job.user];
    user.gpus += sign * gpus;
    user.jobs += sign;
    scope.accounts[job.team] += sign * gpus;
  }
}

} // namespace trainyard
