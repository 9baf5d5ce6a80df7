// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/fault_schedule.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

/// @p guess: looked at first.
std::optional<int> position(const std::vector<std::string>& names, const std::string& name, int guess = -1)
{
  if (guess >= 0 && static_cast<std::size_t>(guess) < names.size() && names[static_cast<std::size_t>(guess)] == name)
    return guess;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional{static_cast<int>(found - names.begin())};
}

std::string unknown_node(const std::string& name, const FaultDomains& domains)
{
  std::string shown;
  for (std::size_t i = 0; i < std::min<std::size_t>(domains.nodes.size(), 4); ++i)
    shown += (i > 0 ? ", " : "") + domains.nodes[i];
  return fmt::format("there is no node '{}'{}; the nodes are {}{}", name, did_you_mean(name, domains.nodes), shown,
                     domains.nodes.size() > 4 ? "…" : "");
}

} // namespace

std::vector<int> machines_of(const FaultEvent& event, const FaultDomains& domains)
{
  switch (event.kind) {
  case FaultKind::node:
  case FaultKind::link:
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
    return {event.index};
  case FaultKind::rack: {
    std::vector<int> nodes;
    for (std::size_t i = 0; i < domains.racks.size(); ++i)
      if (domains.racks[i] == event.index)
        nodes.push_back(static_cast<int>(i));
    return nodes;
  }
  case FaultKind::network_switch:
    return domains.switch_nodes[static_cast<std::size_t>(event.index)];
  default:
    return {};
  }
}

std::optional<std::string> resolve(const FaultSpec& fault, const FaultDomains& domains, FaultEvent& event)
{
  event.at = Instant{fault.at};
  event.until = fault.lasts ? event.at + Instant{*fault.lasts} : end_of_time;
  event.kind = fault.kind;
  event.remaining = fault.remaining;
  event.name = describe(fault);
  event.random = fault.random;
  const auto node = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = position(domains.nodes, name, event.index);
    if (!found)
      return unknown_node(name, domains);
    event.index = *found;
    return std::nullopt;
  };
  switch (fault.kind) {
  case FaultKind::node:
  case FaultKind::link:
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
    return node(fault.target);
  case FaultKind::gpu: {
    const std::size_t slash = fault.target.rfind('/');
    const auto gpu = slash == std::string::npos ? std::nullopt : as_index(fault.target.substr(slash + 1));
    if (!gpu)
      return fmt::format("'{}' does not name a GPU; write node/number, for example node-1/0", fault.target);
    if (auto wrong = node(fault.target.substr(0, slash)))
      return wrong;
    const int gpus = domains.gpus[static_cast<std::size_t>(event.index)];
    if (*gpu >= gpus)
      return fmt::format("{} has {}, so there is no number {}", fault.target.substr(0, slash), counted(gpus, "GPU"),
                         *gpu);
    event.gpu = *gpu;
    return std::nullopt;
  }
  case FaultKind::rack: {
    std::string number = fault.target;
    if (number.starts_with("rack-"))
      number = number.substr(5);
    const auto rack = as_index(number);
    if (!rack || std::ranges::find(domains.racks, *rack) == domains.racks.end()) {
      const auto [first, last] = std::ranges::minmax(domains.racks);
      return fmt::format("there is no rack '{}'; the cluster has racks {} to {}", fault.target, first, last);
    }
    event.index = *rack;
    return std::nullopt;
  }
  case FaultKind::network_switch: {
    const auto found = position(domains.switches, fault.target);
    if (!found)
      return fmt::format("there is no switch '{}' with machines{}", fault.target,
                         did_you_mean(fault.target, domains.switches));
    event.index = *found;
    return std::nullopt;
  }
  case FaultKind::manager: {
    const auto manager = as_index(fault.target);
    if (domains.managers == 0)
      return std::string{"there are no managers: this orchestrator has none"};
    if (!manager || *manager >= domains.managers)
      return fmt::format("there is no manager '{}'; managers are numbered 0 to {}", fault.target, domains.managers - 1);
    event.index = *manager;
    return std::nullopt;
  }
  case FaultKind::process:
    if (!domains.tasks.empty() && !position(domains.tasks, fault.target))
      return fmt::format("there is no process '{}'{}", fault.target, did_you_mean(fault.target, domains.tasks));
    if (fault.target.empty())
      return std::string{"name the process, for example process:train/worker-0@10min"};
    event.task = fault.target;
    event.until = event.at;
    return std::nullopt;
  case FaultKind::storage:
  case FaultKind::object_store:
    return std::nullopt;
  }
  return std::nullopt;
}

void check_faults(const std::vector<FaultSpec>& list, const std::vector<RandomFaultSpec>& random,
                  const FaultDomains& domains, const std::string& file, Diagnostics& diagnostics)
{
  std::vector<std::pair<FaultEvent, const FaultSpec*>> events;
  for (const FaultSpec& fault : list) {
    FaultEvent event;
    if (auto wrong = resolve(fault, domains, event))
      diagnostics.error({file, fault.line, fault.column}, *wrong);
    else
      events.emplace_back(event, &fault);
  }
  for (const RandomFaultSpec& rule : random)
    if (rule.kind == FaultKind::manager && domains.managers == 0)
      diagnostics.error({.file = file, .path = "faults.random"},
                        "there are random failures of managers, but this orchestrator has no managers");
  const auto where = [](const FaultSpec& fault) {
    return fault.line > 0 ? fmt::format(" (line {})", fault.line) : std::string{};
  };
  const auto span = [](const FaultEvent& event) {
    return event.until >= end_of_time ? fmt::format("from {} on", clock_text(event.at))
                                      : fmt::format("from {} to {}", clock_text(event.at), clock_text(event.until));
  };
  for (std::size_t i = 0; i < events.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [event, fault] = events[i];
      const auto& [earlier, other] = events[j];
      const bool instant = event.kind == FaultKind::process || earlier.kind == FaultKind::process;
      if (instant || event.at >= earlier.until || earlier.at >= event.until)
        continue;
      if (std::tuple{event.kind, event.index, event.gpu} == std::tuple{earlier.kind, earlier.index, earlier.gpu}) {
        diagnostics.error({file, fault->line, fault->column},
                          fmt::format("{} fails {}, but it has already failed {}{}", event.name, span(event),
                                      span(earlier), where(*other)));
        continue;
      }
      // A machine that is off cannot fail once more; one that is only cut off can.
      const auto off = [](FaultKind kind) { return kind == FaultKind::node || kind == FaultKind::rack; };
      const bool inner_first =
          machines_of(event, domains).size() < machines_of(earlier, domains).size() || event.kind == FaultKind::gpu;
      const auto& [inner, inner_fault] = inner_first ? events[i] : events[j];
      const auto& [outer, outer_fault] = inner_first ? events[j] : events[i];
      std::vector<int> machines = machines_of(inner, domains);
      if (inner.kind == FaultKind::gpu)
        machines = {inner.index};
      const std::vector<int> around = machines_of(outer, domains);
      const bool inside = !machines.empty() && std::ranges::all_of(machines, [&](int node) {
        return std::ranges::find(around, node) != around.end();
      });
      if (inside && off(outer.kind) &&
          (off(inner.kind) || inner.kind == FaultKind::gpu || inner.kind == FaultKind::daemon_config ||
           inner.kind == FaultKind::daemon_restart))
        diagnostics.error({file, inner_fault->line, inner_fault->column},
                          fmt::format("{} fails {}, but {} is down {}{}; these failures contradict each other",
                                      inner.name, span(inner), outer.name, span(outer), where(*outer_fault)));
    }
}

FaultSchedule::FaultSchedule(const std::vector<FaultSpec>& list, const std::vector<RandomFaultSpec>& random,
                             const FaultDomains& domains, std::uint64_t seed)
    : domains_{domains}, seed_{seed}
{
  for (const FaultSpec& fault : list) {
    FaultEvent event;
    if (!resolve(fault, domains, event))
      listed_.push_back(event);
  }
  std::ranges::stable_sort(listed_, {}, &FaultEvent::at);
  const Random streams{seed};
  for (std::size_t node = 0; node < domains.racks.size(); ++node)
    nodes_of_rack_[domains.racks[node]].push_back(static_cast<int>(node));
  std::vector<std::string> places; // of the nodes: number of the group, and "-2", the end of the name
  std::map<std::string, std::size_t> groups;
  for (std::size_t node = 0; node < domains.nodes.size(); ++node) {
    const std::string& group = domains.groups[node];
    places.push_back(fmt::format("{}{}", groups.try_emplace(group, groups.size()).first->second,
                                 domains.nodes[node].substr(group.size())));
  }
  // A machine fails at the same times in each design that has it, and whatever it is called.
  const auto add = [&](const RandomFaultSpec& rule, FaultSpec member, const std::string& place, int number,
                       int node = -1) {
    member.kind = rule.kind;
    member.random = true;
    Member fresh;
    fresh.rule = rule;
    fresh.event.index = node; // most are of a machine that is known
    if (resolve(member, domains, fresh.event))
      return;
    fresh.draw = streams.stream(fmt::format("faults {} {} {}", to_text(rule.kind), place, number));
    draw_next(fresh, Instant{});
    members_.push_back(std::move(fresh));
  };
  int number = 0;
  for (const RandomFaultSpec& rule : random) {
    ++number;
    const auto in_group = [&](std::size_t node) { return rule.group.empty() || domains.groups[node] == rule.group; };
    FaultSpec member;
    switch (rule.kind) {
    case FaultKind::process:
      process_mtbf_ = rule.mtbf;
      break;
    case FaultKind::gpu:
      for (std::size_t node = 0; node < domains.nodes.size(); ++node)
        for (int gpu = 0; gpu < domains.gpus[node] && in_group(node); ++gpu) {
          member.target = fmt::format("{}/{}", domains.nodes[node], gpu);
          add(rule, member, fmt::format("{}/{}", places[node], gpu), number, static_cast<int>(node));
        }
      break;
    case FaultKind::rack: {
      const std::set<int> racks{domains.racks.begin(), domains.racks.end()};
      for (const int rack : racks) {
        member.target = std::to_string(rack);
        add(rule, member, member.target, number);
      }
      break;
    }
    case FaultKind::network_switch:
      for (std::size_t one = 0; one < domains.switches.size(); ++one) {
        member.target = domains.switches[one];
        add(rule, member, std::to_string(one), number);
      }
      break;
    case FaultKind::manager:
      for (int manager = 0; manager < domains.managers; ++manager) {
        member.target = std::to_string(manager);
        add(rule, member, member.target, number);
      }
      break;
    case FaultKind::storage:
    case FaultKind::object_store:
      add(rule, member, "", number);
      break;
    default:
      for (std::size_t node = 0; node < domains.nodes.size(); ++node)
        if (in_group(node)) {
          member.target = domains.nodes[node];
          add(rule, member, places[node], number, static_cast<int>(node));
        }
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (is_finite(members_[i].event.at))
      heap_.emplace_back(members_[i].event.at, i);
  std::ranges::make_heap(heap_, std::greater{});
}

namespace {

/// At least a nanosecond after @p from; what is beyond the reach of an instant, 146 years, never comes.
Instant later(Instant from, double seconds)
{
  if (!is_finite(from))
    return end_of_time;
  return std::min(from + Instant{1} + Instant{Seconds{seconds}}, end_of_time);
}

} // namespace

void FaultSchedule::draw_next(Member& member, Instant from) const
{
  const RandomFaultSpec& rule = member.rule;
  const double mean = rule.mtbf.value();
  // Weibull with the wanted mean: scale = mean / Gamma(1 + 1 / shape).
  const double gap = rule.distribution == "weibull"
                         ? member.draw.weibull(rule.shape, mean / std::tgamma(1 + 1 / rule.shape))
                         : member.draw.exponential(mean);
  double repair = rule.mttr.value();
  if (rule.repair == "exponential" && repair > 0)
    repair = member.draw.exponential(repair);
  else if (rule.repair == "log_normal" && repair > 0) // mean = median × exp(sigma^2 / 2)
    repair = member.draw.log_normal(repair * std::exp(-rule.repair_sigma * rule.repair_sigma / 2), rule.repair_sigma);
  member.event.at = later(from, gap);
  member.event.until = later(member.event.at, repair);
}

std::optional<Instant> FaultSchedule::next() const
{
  if (!spread_.empty())
    return spread_.back().at;
  std::optional<Instant> time;
  if (next_listed_ < listed_.size())
    time = listed_[next_listed_].at;
  if (!heap_.empty() && (!time || heap_.front().first < *time))
    time = heap_.front().first;
  return time;
}

FaultEvent FaultSchedule::take()
{
  if (!spread_.empty()) {
    const FaultEvent event = spread_.back();
    spread_.pop_back();
    return event;
  }
  if (next_listed_ < listed_.size() && (heap_.empty() || listed_[next_listed_].at <= heap_.front().first))
    return listed_[next_listed_++];
  std::ranges::pop_heap(heap_, std::greater{});
  Member& member = members_[heap_.back().second];
  const FaultEvent event = member.event;
  if (member.rule.spreads > 0) // the same power supply, the same cooling
    for (const int node : nodes_of_rack_.at(domains_.racks[static_cast<std::size_t>(event.index)]))
      if (node != event.index && member.draw.uniform() < member.rule.spreads) {
        FaultEvent along = event;
        along.index = node;
        along.name = domains_.nodes[static_cast<std::size_t>(node)];
        along.cause = event.index;
        spread_.push_back(along);
      }
  draw_next(member, event.until);
  heap_.back().first = member.event.at;
  if (is_finite(member.event.at))
    std::ranges::push_heap(heap_, std::greater{});
  else // it does not fail again
    heap_.pop_back();
  return event;
}

} // namespace trainyard
