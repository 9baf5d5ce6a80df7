// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/machine_plan.hpp"

#include <algorithm>

namespace trainyard {
namespace {

constexpr double first_window = 30; // s: ends so near to each other are one; job_test.c

/// One piece of the gang that stands on one machine.
TaskRequest piece_of(const ResourceRequest& request)
{
  if (request.tasks > 0)
    return request.task;
  return {.gpus = 1,
          .gpu_milli = request.task.gpu_milli,
          .gpu_type = request.task.gpu_type,
          .demands = request.task.demands};
}

} // namespace

MachinePlan::MachinePlan(const NodePool& nodes, double now) : nodes_{nodes}, now_{now}
{
  free_.reserve(static_cast<std::size_t>(nodes.size()));
  for (int node = 0; node < nodes.size(); ++node)
    free_.push_back(nodes.state(node).up ? nodes.state(node).free_milli : 0);
}

void MachinePlan::close(int node, double from, double to)
{
  kept_.push_back({.from = from, .to = to, .nodes = {node}, .planned = false});
}

void MachinePlan::ends(double time, const Allocation& held)
{
  End end{.time = time, .held = {}};
  for (const TaskShare& share : held.shares)
    end.held.emplace_back(share.node, static_cast<std::int64_t>(share.gpus()) * share.gpu_milli);
  ends_.push_back(std::move(end));
}

void MachinePlan::sort_ends()
{
  std::ranges::stable_sort(ends_, {}, &End::time);
}

void MachinePlan::take(const Allocation& held)
{
  for (const TaskShare& share : held.shares)
    free_[static_cast<std::size_t>(share.node)] -= static_cast<std::int64_t>(share.gpus()) * share.gpu_milli;
}

std::vector<int> MachinePlan::open(const ResourceRequest& request, double from, double to) const
{
  std::vector<char> taken(static_cast<std::size_t>(nodes_.size()), 0);
  for (const Kept& kept : kept_) // a plan that begins when the job ends is in its way too, as in backfill.c
    if (kept.to > from && (kept.planned ? kept.from <= to : kept.from < to))
      for (const int node : kept.nodes)
        taken[static_cast<std::size_t>(node)] = 1;
  const TaskRequest piece = piece_of(request);
  std::vector<int> machines;
  for (int node = 0; node < nodes_.size(); ++node)
    if (taken[static_cast<std::size_t>(node)] == 0 && nodes_.state(node).up && nodes_.could_fit(node, piece))
      machines.push_back(node);
  return machines;
}

std::vector<int> MachinePlan::choose(const ResourceRequest& request, const std::vector<int>& machines, const Free& free)
{
  const std::int64_t piece = piece_of(request).milli();
  const std::int64_t wanted = request.tasks > 0 ? request.tasks : request.task.gpus;
  std::vector<int> chosen;
  std::int64_t found = 0;
  for (const int node : machines) {
    const std::int64_t here = piece == 0 ? wanted : free[static_cast<std::size_t>(node)] / piece;
    if (here <= 0)
      continue;
    chosen.push_back(node);
    found += request.distinct_nodes && request.tasks > 0 ? 1 : here;
    if (found >= wanted)
      return chosen;
  }
  return {};
}

std::optional<MachinePlan::Gap> MachinePlan::will_run(const ResourceRequest& request,
                                                      const std::vector<int>& machines) const
{
  Free free = free_;
  if (std::vector<int> chosen = choose(request, machines, free); !chosen.empty())
    return Gap{now_, std::move(chosen)};
  double window = first_window;
  for (std::size_t at = 0; at < ends_.size();) {
    const End *first = nullptr, *last = nullptr;
    while (at < ends_.size()) {
      const End& end = ends_[at++];
      const auto useful = [&](const auto& part) { return std::ranges::binary_search(machines, part.first); };
      if (std::ranges::none_of(end.held, useful))
        continue; // whoever comes next is looked at, however late: so does job_test.c
      if (first == nullptr)
        first = &end;
      last = &end;
      for (const auto& [node, milli] : end.held)
        free[static_cast<std::size_t>(node)] += milli;
      if (at < ends_.size() && ends_[at].time > first->time + window)
        break;
    }
    if (last == nullptr)
      return std::nullopt;
    if (std::vector<int> chosen = choose(request, machines, free); !chosen.empty())
      return Gap{last->time, std::move(chosen)};
    window *= 2;
  }
  return std::nullopt;
}

bool MachinePlan::meets_a_plan(const Gap& gap, double length) const
{
  return std::ranges::any_of(kept_, [&](const Kept& kept) {
    return kept.planned && kept.from < gap.start + length && kept.to > gap.start &&
           std::ranges::any_of(kept.nodes,
                               [&](int node) { return std::ranges::find(gap.nodes, node) != gap.nodes.end(); });
  });
}

std::optional<MachinePlan::Gap> MachinePlan::earliest(const ResourceRequest& request, double length,
                                                      double latest) const
{
  for (double from = now_; from <= latest;) {
    double later = latest + 1; // when the plan changes next
    for (const Kept& kept : kept_)
      for (const double edge : {kept.from, kept.to})
        if (edge > from && (kept.planned || edge == kept.to))
          later = std::min(later, edge);
    std::optional<Gap> gap = will_run(request, open(request, from, from + length));
    if (!gap || std::max(gap->start, from) > later) {
      from = later;
      continue;
    }
    gap->start = std::max(gap->start, from);
    if (gap->start > latest)
      return std::nullopt;
    if (gap->start <= now_ || !meets_a_plan(*gap, length))
      return gap;
    from = gap->start > from ? gap->start : later;
  }
  return std::nullopt;
}

void MachinePlan::plan(const Gap& gap, double length)
{
  kept_.push_back({.from = gap.start, .to = gap.start + length, .nodes = gap.nodes});
}

} // namespace trainyard
