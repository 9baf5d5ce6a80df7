// SPDX-License-Identifier: Apache-2.0
// Who is stopped with fair sharing: from the root of the cohorts down, always below the node with the largest share, as
// long as the one who stops has no larger share after it than the other keeps (LessThanOrEqualToFinalShare); if that is
// not enough, one job of each queue whose share was larger before (LessThanInitialShare). Sources: Kueue,
// pkg/scheduler/preemption/preemption.go (commit 47689ed) and fairsharing/ordering.go (00b0d4b).
#include "sim/sources/queue/policies/kueue_preemption.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

/// The queues of which a job may be stopped next.
class UnfairQueues
{
public:
  UnfairQueues(const KueueQuotas& quotas, int own) : quotas_{quotas}, own_{own}
  {
    for (int node = quotas.parent(own); node >= 0; node = quotas.parent(node))
      above_.insert(node);
  }

  void add(int queue, JobId job) { jobs_[queue].push_back(job); }
  bool has_job(int queue) const
  {
    const auto found = jobs_.find(queue);
    return found != jobs_.end() && !found->second.empty();
  }
  JobId pop(int queue)
  {
    const JobId job = jobs_.at(queue).front();
    jobs_.at(queue).pop_front();
    return job;
  }
  void drop(int queue) { done_.insert(queue); }

  /// -1: there is none left.
  int next()
  {
    if (quotas_.parent(own_) < 0)
      return has_job(own_) ? own_ : -1;
    const int root = quotas_.root(own_);
    while (!done_.contains(root))
      if (const int queue = next_below(root); queue >= 0)
        return queue;
    return -1;
  }

  /// The nodes of this queue and of another just below the lowest cohort that is above both.
  std::pair<int, int> sides(int other) const
  {
    int theirs = other;
    while (!above_.contains(quotas_.parent(theirs)))
      theirs = quotas_.parent(theirs);
    int mine = own_;
    while (quotas_.parent(mine) != quotas_.parent(theirs))
      mine = quotas_.parent(mine);
    return {mine, theirs};
  }

private:
  /// The queue with the largest share; a cohort wins over a queue with the same. -1: only some nodes are done with.
  int next_below(int cohort)
  {
    int best = -1;
    double most = -1;
    bool best_is_cohort = false;
    for (const int child : quotas_.children(cohort)) {
      if (done_.contains(child))
        continue;
      const double share = quotas_.share(child);
      const bool is_cohort = quotas_.is_cohort(child);
      const bool stays = share > 0 || child == own_ || above_.contains(child);
      if (!stays || (!is_cohort && !has_job(child)))
        done_.insert(child);
      else if (share > most || (share == most && (is_cohort || !best_is_cohort)))
        std::tie(best, most, best_is_cohort) = std::tuple{child, share, is_cohort};
    }
    if (best < 0)
      done_.insert(cohort);
    return best_is_cohort ? next_below(best) : best;
  }

  const KueueQuotas& quotas_;
  int own_;
  std::set<int> above_; // cohorts
  std::map<int, std::deque<JobId>> jobs_;
  std::set<int> done_; // nodes
};

} // namespace

/// Stops jobs until the request fits; whether it does. The request counts as used.
bool KueueBook::stop_while_unfair(const KueueRequest& request, std::vector<JobId>& stopped)
{
  const auto fits = [&](JobId id) {
    give(id);
    stopped.push_back(id);
    remove(request);
    const bool enough = fits_now(request, true);
    add(request);
    return enough;
  };
  std::vector<std::pair<JobId, const KueueAdmission*>> all;
  for (const auto& [id, other] : admitted_) {
    const bool own = other.queue == request.queue;
    if (holds_scarce(request, other) && may_stop(request, id, other) &&
        (own || (quotas_.root(other.queue) == quotas_.root(request.queue) && !within_nominal(request, other.queue))))
      all.emplace_back(id, &other);
  }
  std::ranges::sort(all, {}, [](const auto& one) {
    return std::tuple{one.second->priority, -one.second->since, -one.first.index};
  });
  UnfairQueues first{quotas_, request.queue}, second{quotas_, request.queue};
  for (const auto& [id, other] : all)
    first.add(other->queue, id);
  for (int queue = first.next(); queue >= 0; queue = first.next()) {
    if (queue == request.queue) {
      if (fits(first.pop(queue)))
        return true;
      continue;
    }
    const auto [mine, theirs] = first.sides(queue);
    while (first.has_job(queue)) {
      const JobId id = first.pop(queue);
      give(id);
      const double left = quotas_.share(theirs);
      take(id);
      if (quotas_.share(mine) > left) {
        second.add(queue, id);
        continue;
      }
      if (fits(id))
        return true;
      break; // now another queue may have the largest share
    }
  }
  for (int queue = second.next(); queue >= 0; queue = second.next()) {
    if (queue != request.queue)
      if (const auto [mine, theirs] = second.sides(queue);
          quotas_.share(mine) < quotas_.share(theirs) && fits(second.pop(queue)))
        return true;
    second.drop(queue);
  }
  return false;
}

std::vector<JobId> KueueBook::fair_targets(const KueueRequest& request)
{
  std::vector<JobId> stopped;
  add(request);
  const bool fits = stop_while_unfair(request, stopped);
  remove(request);
  if (fits)
    return only_needed(request, std::move(stopped), true);
  for (const JobId id : stopped)
    take(id);
  return {};
}

} // namespace trainyard
