// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {

QueueFaults::QueueFaults(FaultSchedule schedule) : schedule_{std::move(schedule)} {}

std::optional<Instant> QueueFaults::next() const
{
  std::optional<Instant> time = schedule_.next();
  if (!repairs_.empty() && (!time || repairs_.top().at < *time))
    time = repairs_.top().at;
  return time ? std::optional<Instant>{*time} : std::nullopt;
}

void QueueFaults::fire(ClusterControl& control)
{
  const std::optional<Instant> failing = schedule_.next();
  const Instant now = repairs_.empty() ? *failing : failing ? std::min(*failing, repairs_.top().at) : repairs_.top().at;
  while (!repairs_.empty() && repairs_.top().at <= now) {
    const int number = repairs_.top().number;
    repairs_.pop();
    change(control, broken_.at(number), true);
    broken_.erase(number);
  }
  while (schedule_.next() && *schedule_.next() <= now) {
    const FaultEvent event = schedule_.take();
    change(control, event, false);
    if (event.until < end_of_time && event.kind != FaultKind::process) {
      repairs_.push({event.until, failures_});
      broken_.emplace(failures_, event);
    }
    ++failures_;
  }
}

void QueueFaults::note(const ClusterView& view, const FaultEvent& event, const std::vector<int>& nodes)
{
  QueueFailure failure{event.name, event.at, std::nullopt, nodes, {}};
  if (event.until < end_of_time)
    failure.repaired = event.until;
  for (const JobId id : view.running())
    if (view.state(id).since > view.now()) // others still save on its GPUs
      continue;
    else if (nodes.empty() ? view.workload().name(id) == event.task
                           : std::ranges::any_of(view.state(id).held.shares, [&](const TaskShare& share) {
                               return std::ranges::find(nodes, share.node) != nodes.end();
                             }))
      failure.hit.push_back(id);
  std::ranges::sort(failure.hit);
  log_.push_back(std::move(failure));
}

void QueueFaults::change(ClusterControl& control, const FaultEvent& event, bool up)
{
  const FaultDomains& domains = schedule_.domains();
  if (event.kind == FaultKind::storage || event.kind == FaultKind::object_store || event.kind == FaultKind::manager ||
      event.remaining > 0)
    return; // of services beside the queue; check_queue_faults refuses them for a queue alone
  std::vector<int> nodes;
  switch (event.kind) {
  case FaultKind::process: {
    note(control.view(), event, {});
    const Workload& workload = control.view().workload();
    for (int job = 0; job < workload.size(); ++job)
      if (workload.name(JobId{job}) == event.task)
        control.fail(JobId{job});
    return;
  }
  case FaultKind::rack:
    for (std::size_t node = 0; node < domains.racks.size(); ++node)
      if (domains.racks[node] == event.index)
        nodes.push_back(static_cast<int>(node));
    break;
  case FaultKind::network_switch:
    nodes = domains.switch_nodes[static_cast<std::size_t>(event.index)];
    break;
  default:
    nodes = {event.index};
  }
  if (!up)
    note(control.view(), event, nodes);
  for (const int node : nodes) {
    int& failures = down_[node];
    failures += up ? -1 : 1;
    if (failures == (up ? 0 : 1))
      control.set_node(node, up);
  }
}

void check_queue_faults(const std::vector<FaultSpec>& list, const std::vector<RandomFaultSpec>& random,
                        const FaultDomains& domains, bool machines, const std::string& file, Diagnostics& diagnostics)
{
  check_faults(list, random, domains, file, diagnostics);
  const auto refuse = [&](FaultKind kind, double remaining, int line, int column) {
    std::string why;
    if (kind == FaultKind::storage || kind == FaultKind::object_store || kind == FaultKind::manager)
      why = "not possible in a queue; possible are node, gpu, rack, switch, link, daemon_config, daemon_restart and "
            "process";
    else if (remaining > 0)
      why = "a queue does not simulate slow links; give the jobs as 'services' to see the effect of a slow link, or "
            "let the link fail "
            "completely";
    else if (!machines && kind != FaultKind::process)
      why = "cluster: pool has no machines; write scheduling: {cluster: machines}";
    if (!why.empty())
      diagnostics.error({file, line, column}, fmt::format("failure of {}: {}", to_text(kind), why));
  };
  for (const FaultSpec& fault : list)
    refuse(fault.kind, fault.remaining, fault.line, fault.column);
  for (const RandomFaultSpec& rule : random) {
    refuse(rule.kind, 0, 0, 0);
    if (rule.kind == FaultKind::process)
      diagnostics.error({.file = file, .path = "faults.random"},
                        "random failures of processes are not possible in a queue: list them by job "
                        "(process:job@time), or give the jobs as 'services'");
  }
}

} // namespace trainyard
