// SPDX-License-Identifier: Apache-2.0
#include "models/orchestration/orchestrator.hpp"

#include "models/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace trainyard {
namespace {

/// Binds a parameter to its member, so that a value is named once.
struct Bound {
  Parameter parameter;
  void (*set)(OrchestratorRules&, const Settings&, const std::string& name);
  std::string (*get)(const OrchestratorRules&);
};

template <auto Member>
void set_member(OrchestratorRules& rules, const Settings& settings, const std::string& name)
{
  auto& member = rules.*Member;
  using Type = std::remove_reference_t<decltype(member)>;
  if (!settings.has(name))
    return;
  if constexpr (std::is_same_v<Type, Seconds>)
    member = Seconds{settings.number(name, 0)};
  else if constexpr (std::is_same_v<Type, bool>)
    member = settings.flag(name, false);
  else if constexpr (std::is_same_v<Type, int>)
    member = settings.integer(name, 0);
  else if constexpr (std::is_same_v<Type, double>)
    member = settings.number(name, 0);
  else
    member = settings.text(name, "");
}

template <auto Member>
std::string member_text(const OrchestratorRules& rules)
{
  const auto& member = rules.*Member;
  using Type = std::remove_cvref_t<decltype(member)>;
  if constexpr (std::is_same_v<Type, Seconds>)
    return to_text(member);
  else
    return fmt::format("{}", member);
}

template <auto Member>
Bound duration(const char* name, const char* meaning)
{
  return {{.name = name, .kind = "duration", .default_value = "0 s", .meaning = meaning, .minimum = 0, .maximum = 1e9},
          set_member<Member>,
          member_text<Member>};
}

template <auto Member>
Bound flag(const char* name, const char* meaning)
{
  return {{.name = name, .kind = "boolean", .default_value = {}, .meaning = meaning},
          set_member<Member>,
          member_text<Member>};
}

template <auto Member>
Bound whole(const char* name, const char* meaning, double least, double most)
{
  return {{.name = name, .kind = "integer", .default_value = {}, .meaning = meaning, .minimum = least, .maximum = most},
          set_member<Member>,
          member_text<Member>};
}

template <auto Member>
Bound number(const char* name, const char* meaning, double least, double most)
{
  return {{.name = name, .kind = "number", .default_value = {}, .meaning = meaning, .minimum = least, .maximum = most},
          set_member<Member>,
          member_text<Member>};
}

template <auto Member>
Bound choice(const char* name, const char* meaning, std::vector<std::string> choices)
{
  return {{.name = name, .kind = "name", .default_value = {}, .meaning = meaning, .choices = std::move(choices)},
          set_member<Member>,
          member_text<Member>};
}

using R = OrchestratorRules;

const std::vector<Bound>& bound()
{
  static const std::vector<Bound> all = {
      whole<&R::managers>("managers", "manager machines, which decide by majority; 0 = started by hand", 0, 101),
      flag<&R::heals>("heals", "whether services are brought back to their desired state"),
      duration<&R::node_detection>("node_detection", "time from the loss of a node until it counts as lost"),
      duration<&R::eviction_delay>("eviction_delay", "time from then until its tasks are replaced"),
      duration<&R::process_detection>("process_detection", "time from the end of a process until it is noticed"),
      choice<&R::restart>("restart", "which tasks are started again, unless they say otherwise",
                          {"never", "on_failure", "always"}),
      duration<&R::restart_delay>("restart_delay", "delay before a task is started again"),
      number<&R::restart_backoff>("restart_backoff", "factor by which the restart delay grows", 1, 100),
      duration<&R::longest_restart_delay>("longest_restart_delay", "largest restart delay; 0 = no growth"),
      flag<&R::restarts_locally>("restarts_locally",
                                 "whether the node restarts a container in place, without a manager"),
      flag<&R::reschedules>("reschedules", "whether tasks of a lost node go to other nodes"),
      choice<&R::placement>("placement", "order in which nodes are tried (simrun list placements)", {}),
      number<&R::placements_per_second>("placements_per_second", "most that the control plane handles; 0 = no limit", 0,
                                        1e9),
      duration<&R::container_start>("container_start", "time from a complete image to a running process"),
      duration<&R::container_stop>("container_stop", "time from the order to stop until the process ends"),
      duration<&R::redeploy>("redeploy",
                             "time to install another framework on one machine, for tasks without containers"),
      flag<&R::gang>("gang", "whether all tasks of a job start together or none"),
      flag<&R::preempts>("preempts", "whether tasks of higher priority evict others"),
      flag<&R::counts_gpus>("counts_gpus", "whether tasks can ask for GPUs"),
      whole<&R::most_gpus_per_task>("most_gpus_per_task", "0 = any number", 0, 32),
      flag<&R::selects_gpu_type>("selects_gpu_type", "whether tasks can ask for a type of GPU"),
      flag<&R::shares_gpus>("shares_gpus", "whether tasks can ask for a part of a GPU"),
      choice<&R::gpu_resource>("gpu_resource", "name of a GPU in requests", {}),
      flag<&R::avoids_gpu_nodes>("avoids_gpu_nodes", "whether tasks without GPU go to nodes without GPU first"),
      whole<&R::update_parallelism>("update_parallelism", "tasks that a rolling update replaces at once", 1, 1e6),
      duration<&R::update_delay>("update_delay", "time between two batches of an update"),
      choice<&R::update_order>("update_order", "whether an update stops the old task first or starts the new one first",
                               {"stop_first", "start_first"}),
      flag<&R::tracks_processes>("tracks_processes", "whether all processes of a job are tracked, and ended with it"),
      duration<&R::orphan_cleanup>("orphan_cleanup",
                                   "time after which untracked processes that remain are killed; 0 = never")};
  return all;
}

} // namespace

const std::vector<Parameter>& orchestrator_parameters()
{
  static const std::vector<Parameter> all = [] {
    std::vector<Parameter> list;
    for (const Bound& one : bound())
      list.push_back(one.parameter);
    return list;
  }();
  return all;
}

OrchestratorRules rules_of(const Settings& settings, const OrchestratorRules& base)
{
  OrchestratorRules rules = base;
  for (const Bound& one : bound())
    one.set(rules, settings, one.parameter.name);
  return rules;
}

std::string rule_text(const OrchestratorRules& rules, std::string_view parameter)
{
  for (const Bound& one : bound())
    if (one.parameter.name == parameter)
      return one.get(rules);
  throw std::logic_error{fmt::format("no orchestrator has a parameter '{}'", parameter)};
}

bool version_before(const std::string& a, const std::string& b)
{
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const auto next = [](const std::string& text, std::size_t& at) {
      const std::size_t dot = std::min(text.find('.', at), text.size());
      long value = 0;
      if (at < dot)
        std::from_chars(text.data() + at, text.data() + dot, value);
      at = std::min(dot + 1, text.size());
      return value;
    };
    const long left = next(a, i), right = next(b, j);
    if (left != right)
      return left < right;
  }
  return false;
}

OrchestratorRules rules_at(const Orchestrator& orchestrator, const std::string& version)
{
  OrchestratorRules rules = orchestrator.rules;
  for (const auto& [since, values] : orchestrator.versions)
    if (version.empty() || !version_before(version, since))
      rules = rules_of(values, rules);
  return rules;
}

} // namespace trainyard
