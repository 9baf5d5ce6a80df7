// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/kueue_preemption.hpp"

#include <algorithm>
#include <tuple>

namespace trainyard {

void KueueRequest::use(const KueueUse& more)
{
  const auto found = std::ranges::find(uses, more.kind, &KueueUse::kind);
  if (found == uses.end()) {
    uses.push_back(more);
  } else {
    found->amount += more.amount;
    found->scarce = found->scarce || more.scarce;
  }
}

std::int64_t KueueRequest::amount(int kind) const
{
  const auto found = std::ranges::find(uses, kind, &KueueUse::kind);
  return found == uses.end() ? 0 : found->amount;
}

void KueueBook::admit(const KueueRequest& request, Instant now, int failures)
{
  admitted_[request.job] = {request.queue, request.uses, request.priority, now,
                            ++admissions_, failures,     request.flavors};
  take(request.job);
}

void KueueBook::release(JobId id)
{
  if (!admitted(id))
    return;
  give(id);
  admitted_.erase(id);
}

void KueueBook::count_failures(JobId id, int failures)
{
  if (const auto found = admitted_.find(id); found != admitted_.end())
    found->second.failures = failures;
}

void KueueBook::take(JobId id)
{
  const KueueAdmission& one = admitted_.at(id);
  for (const KueueUse& use : one.uses)
    quotas_.add(one.queue, use.kind, use.amount);
}

void KueueBook::give(JobId id)
{
  const KueueAdmission& one = admitted_.at(id);
  for (const KueueUse& use : one.uses)
    quotas_.remove(one.queue, use.kind, use.amount);
}

void KueueBook::add(const KueueRequest& request)
{
  for (const KueueUse& use : request.uses)
    quotas_.add(request.queue, use.kind, use.amount);
}

void KueueBook::remove(const KueueRequest& request)
{
  for (const KueueUse& use : request.uses)
    quotas_.remove(request.queue, use.kind, use.amount);
}

bool KueueBook::fits_now(const KueueRequest& request, bool borrowing) const
{
  return std::ranges::all_of(request.uses, [&](const KueueUse& use) {
    return (borrowing || !quotas_.would_borrow(request.queue, use.kind, use.amount)) &&
           use.amount <= quotas_.available(request.queue, use.kind);
  });
}

bool KueueBook::within_nominal(const KueueRequest& request, int node) const
{
  return std::ranges::none_of(
      request.uses, [&](const KueueUse& use) { return use.scarce && !quotas_.within_nominal(node, use.kind); });
}

bool KueueBook::holds_scarce(const KueueRequest& request, const KueueAdmission& other)
{
  return std::ranges::any_of(request.uses, [&](const KueueUse& use) {
    return use.scarce && std::ranges::find(other.uses, use.kind, &KueueUse::kind) != other.uses.end();
  });
}

bool KueueBook::still_fits(const KueueRequest& request, std::span<const JobId> targets)
{
  for (const JobId id : targets)
    give(id);
  const bool fits = fits_now(request, true);
  for (const JobId id : targets)
    take(id);
  return fits;
}

KueueFit KueueBook::fit(KueueRequest request, int kind, std::int64_t amount)
{
  const int queue = request.queue;
  request.uses = {{kind, amount, true}};
  KueueFit result;
  if (amount > quotas_.potential(queue, kind))
    return result;
  const KueueQuotas::Borrowing borrowing = quotas_.borrowing(queue, kind, amount);
  result.borrows = borrowing.height;
  if (fits_now(request, true)) {
    result.mode = KueueFit::Mode::fits;
    return result;
  }
  const bool while_borrowing =
      rule(queue).borrow_within_cohort || (fair_ && rule(queue).reclaim_within_cohort != KueuePreemption::never);
  if (amount > quotas_.nominal(queue, kind) && !borrowing.smaller && !while_borrowing)
    return result;
  result.targets = targets(request);
  if (result.targets.empty()) {
    result.mode = KueueFit::Mode::nobody_to_stop;
    return result;
  }
  const bool own = std::ranges::any_of(result.targets, [&](JobId id) { return admitted_.at(id).queue == queue; });
  result.mode = own ? KueueFit::Mode::preempts : KueueFit::Mode::reclaims;
  for (const JobId id : result.targets)
    give(id);
  result.borrows = quotas_.borrowing(queue, kind, amount).height;
  for (const JobId id : result.targets)
    take(id);
  return result;
}

bool KueueBook::may_stop(const KueueRequest& request, JobId id, const KueueAdmission& other) const
{
  const KueuePreemption whom = other.queue == request.queue ? rule(request.queue).within_cluster_queue
                                                            : rule(request.queue).reclaim_within_cohort;
  switch (whom) {
  case KueuePreemption::never:
    return false;
  case KueuePreemption::lower_priority:
    return other.priority < request.priority;
  case KueuePreemption::lower_or_newer_equal_priority:
    return other.priority < request.priority || (other.priority == request.priority && request.job < id);
  case KueuePreemption::any:
    return true;
  }
  return false;
}

void KueueBook::collect_queue(const KueueRequest& request, int queue, int common, bool better_right,
                              std::vector<Candidate>& found) const
{
  const KueueClusterQueue& own = rule(request.queue);
  for (const auto& [id, other] : admitted_) {
    if (other.queue != queue || !holds_scarce(request, other) || !may_stop(request, id, other))
      continue;
    const bool while_borrowing = own.borrow_within_cohort && other.priority < request.priority &&
                                 static_cast<double>(other.priority) <= own.max_priority_threshold;
    found.push_back({id, common, common >= 0 && !better_right && !while_borrowing});
  }
}

/// Queues below the cohort that use more than their quota, in subtrees that do.
void KueueBook::collect(const KueueRequest& request, int cohort, int common, int skip, bool better_right,
                        std::vector<Candidate>& found) const
{
  for (const int child : quotas_.children(cohort)) {
    if (child == skip || child == request.queue || within_nominal(request, child))
      continue;
    if (quotas_.is_cohort(child))
      collect(request, child, common, skip, better_right, found);
    else
      collect_queue(request, child, common, better_right, found);
  }
}

KueueBook::Candidates KueueBook::candidates(const KueueRequest& request) const
{
  Candidates all;
  collect_queue(request, request.queue, -1, false, all.same_queue);
  if (rule(request.queue).reclaim_within_cohort != KueuePreemption::never) {
    std::vector<KueueUse> rest = request.uses; // what is not guaranteed below the cohort
    const auto within = [&](int node) {        // and whether so much is within the quota of a node
      bool every = true;
      for (KueueUse& use : rest) {
        const auto [fits, beyond] = quotas_.within(node, use.kind, use.amount);
        every = every && fits;
        use.amount = beyond;
      }
      return every;
    };
    bool better_right = within(request.queue);
    int below = -1;
    for (int cohort = quotas_.parent(request.queue); cohort >= 0; cohort = quotas_.parent(cohort)) {
      collect(request, cohort, cohort, below, better_right, better_right ? all.by_hierarchy : all.by_priority);
      better_right = within(cohort) || better_right;
      below = cohort;
    }
  }
  for (std::vector<Candidate>* list : {&all.by_hierarchy, &all.by_priority, &all.same_queue})
    std::ranges::sort(*list, {}, [&](const Candidate& one) {
      const KueueAdmission& other = admitted_.at(one.job);
      return std::tuple{other.priority, -other.since, -one.job.index};
    });
  return all;
}

/// Stopping some may leave others within their quota.
bool KueueBook::is_valid(const KueueRequest& request, const Candidate& one, bool borrowing) const
{
  if (one.common < 0)
    return true;
  if (borrowing && one.never_borrowing)
    return false;
  for (int node = admitted_.at(one.job).queue; node != one.common; node = quotas_.parent(node))
    if (within_nominal(request, node))
      return false;
  return true;
}

std::vector<JobId> KueueBook::attempt(const KueueRequest& request, const std::vector<Candidate>& all, bool borrowing)
{
  std::vector<JobId> stopped;
  bool fits = false;
  for (const Candidate& one : all) {
    if (!is_valid(request, one, borrowing))
      continue;
    give(one.job);
    stopped.push_back(one.job);
    fits = fits_now(request, borrowing);
    if (fits)
      break;
  }
  if (fits)
    return only_needed(request, std::move(stopped), borrowing);
  for (const JobId id : stopped)
    take(id);
  return {};
}

std::vector<JobId> KueueBook::only_needed(const KueueRequest& request, std::vector<JobId> stopped, bool borrowing)
{
  for (std::size_t i = stopped.size(); i-- > 0;) {
    if (i + 1 == stopped.size())
      continue; // it fits only since the last one is stopped
    take(stopped[i]);
    if (fits_now(request, borrowing))
      stopped.erase(stopped.begin() + static_cast<std::ptrdiff_t>(i));
    else
      give(stopped[i]);
  }
  for (const JobId id : stopped)
    take(id);
  return stopped;
}

std::vector<JobId> KueueBook::targets(const KueueRequest& request)
{
  return fair_ ? fair_targets(request) : by_rights(request);
}

std::vector<JobId> KueueBook::by_rights(const KueueRequest& request)
{
  Candidates found = candidates(request);
  const bool of_others = !found.by_hierarchy.empty() || !found.by_priority.empty();
  const bool by_hierarchy = !found.by_hierarchy.empty();
  const bool may_borrow = rule(request.queue).borrow_within_cohort;
  const bool below_nominal = std::ranges::all_of(request.uses, [&](const KueueUse& use) {
    return !use.scarce || quotas_.used(request.queue, use.kind) < quotas_.nominal(request.queue, use.kind);
  });
  std::vector<Candidate> all = std::move(found.by_hierarchy);
  all.insert(all.end(), found.by_priority.begin(), found.by_priority.end());
  all.insert(all.end(), found.same_queue.begin(), found.same_queue.end());
  std::vector<bool> attempts{true, false}; // whether the request may borrow
  if (!of_others || (!may_borrow && !below_nominal))
    attempts = {true};
  else if (!may_borrow && !by_hierarchy)
    attempts = {false, true};
  for (const bool borrowing : attempts)
    if (std::vector<JobId> stopped = attempt(request, all, borrowing); !stopped.empty())
      return stopped;
  return {};
}

} // namespace trainyard
