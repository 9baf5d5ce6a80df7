// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/slurm_limits.hpp"

#include "sim/cluster/resources.hpp"

#include <cmath>

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

} // namespace

SlurmLimits::SlurmLimits(const Workload& workload, double user_gpus) : workload_{workload}, user_gpus_{user_gpus}
{
  if (workload.rules == nullptr)
    return;
  const BatchRules& rules = *workload.rules;
  std::map<std::string, int> qos; // scopes: jobs of a QOS and of partitions that have it count together
  const auto add = [&](const BatchLimits& limits) {
    scopes_.push_back({.limits = limits, .all = {}, .users = {}, .accounts = {}});
    return static_cast<int>(scopes_.size()) - 1;
  };
  for (const BatchQos& one : rules.qos)
    qos[one.name] = add(one.limits);
  for (int index = 1; index < workload.qos.size(); ++index)
    if (const auto found = qos.find(workload.qos.name(index)); found != qos.end())
      of_qos_[index] = found->second;
  for (int index = 0; index < workload.queues.size(); ++index)
    if (const BatchPartition* partition = rules.partition(workload.queues.name(index)); partition != nullptr) {
      of_partition_[index] = add(partition->limits);
      if (const auto found = qos.find(partition->qos); found != qos.end())
        of_partition_qos_[index] = found->second;
    }
}

std::array<int, 3> SlurmLimits::scopes_of(const TraceJob& job) const
{
  const int first = scope_in(of_partition_qos_, job.queue), second = scope_in(of_qos_, job.qos);
  return {first, second == first ? -1 : second, scope_in(of_partition_, job.queue)};
}

bool SlurmLimits::allow(const TraceJob& job) const
{
  const double gpus = static_cast<double>(request_of(job).milli()) / 1000;
  if (user_gpus_ > 0 && at(users_, job.user) + gpus > user_gpus_ + rounding)
    return false;
  if (job.array > 0)
    if (const int most = workload_.array_limits[static_cast<std::size_t>(job.array)];
        most > 0 && at(arrays_, job.array) >= most)
      return false;
  const std::array<int, 3> scopes = scopes_of(job);
  // Of each kind of limit the first scope that has one decides.
  const auto decides = [&](auto given, auto kept) {
    for (const int index : scopes)
      if (index >= 0 && given(scopes_[static_cast<std::size_t>(index)].limits))
        return kept(scopes_[static_cast<std::size_t>(index)]);
    return true;
  };
  const auto within = [&](int BatchLimits::*limit, auto used) {
    return decides([&](const BatchLimits& limits) { return limits.*limit > 0; },
                   [&](const Scope& scope) { return used(scope) <= scope.limits.*limit + rounding; });
  };
  return decides([](const BatchLimits& limits) { return is_finite(limits.time); },
                 [&](const Scope& scope) { return job.estimate <= scope.limits.time; }) &&
         within(&BatchLimits::job_gpus, [&](const Scope&) { return gpus; }) &&
         within(&BatchLimits::user_gpus, [&](const Scope& scope) { return at(scope.users, job.user).gpus + gpus; }) &&
         within(&BatchLimits::account_gpus, [&](const Scope& scope) { return at(scope.accounts, job.team) + gpus; }) &&
         within(&BatchLimits::all_gpus, [&](const Scope& scope) { return scope.all.gpus + gpus; }) &&
         within(&BatchLimits::user_jobs, [&](const Scope& scope) { return at(scope.users, job.user).jobs + 1; }) &&
         within(&BatchLimits::all_jobs, [&](const Scope& scope) { return scope.all.jobs + 1; });
}

void SlurmLimits::change(const TraceJob& job, double gpus, int sign)
{
  users_[job.user] += sign * gpus;
  if (job.array > 0)
    arrays_[job.array] += sign;
  for (const int index : scopes_of(job)) {
    if (index < 0)
      continue;
    Scope& scope = scopes_[static_cast<std::size_t>(index)];
    scope.all.gpus += sign * gpus;
    scope.all.jobs += sign;
    Held& user = scope.users[job.user];
    user.gpus += sign * gpus;
    user.jobs += sign;
    scope.accounts[job.team] += sign * gpus;
  }
}

} // namespace trainyard
