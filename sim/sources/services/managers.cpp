// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/managers.hpp"

#include <fmt/format.h>

namespace trainyard::orchestration {

Managers::Managers(const OrchestrationInput& input, const Machines& machines, WaitingTasks& waiting, Recovery& recovery,
                   Agenda& agenda, Records& records)
    : rules_{input.rules}, machines_{machines}, waiting_{waiting}, recovery_{recovery}, agenda_{agenda}, records_{
                                                                                                             records}
{
  for (std::size_t node = 0; node < input.traits.size(); ++node)
    if (input.traits[node].manages)
      nodes_.push_back(static_cast<int>(node));
  down_.assign(nodes_.empty() ? static_cast<std::size_t>(rules_.managers) : nodes_.size(), 0);
}

void Managers::fails(int manager, int sign)
{
  down_[static_cast<std::size_t>(manager)] += sign;
  count();
}

void Managers::machines_changed()
{
  if (!nodes_.empty())
    count();
}

/// Whether they have a quorum now; what follows where that has changed.
void Managers::count()
{
  const std::size_t all = down_.size();
  std::size_t up = 0;
  for (std::size_t i = 0; i < all; ++i)
    up += down_[i] == 0 && (nodes_.empty() || machines_.at(nodes_[i]).usable()) ? 1 : 0;
  const bool quorum = all == 0 || 2 * up > all;
  if (quorum == waiting_.quorum())
    return;
  records_.log(quorum ? fmt::format("{} of {} managers: the orchestrator makes decisions again", up, all)
                      : fmt::format("{} of {} managers remain: no quorum, nothing is placed or replaced", up, all));
  waiting_.set_quorum(quorum);
  if (!quorum)
    return;
  for (int node = 0; node < machines_.size(); ++node)
    if (const Machines::Machine& machine = machines_.at(node); !machine.usable() && machine.joined)
      agenda_.plan(agenda_.now() + (machine.lost ? Instant{} : Instant{rules_.node_detection}), EventKind::detect, node,
                   machine.epoch);
  recovery_.notice_all();
  waiting_.try_all_again();
}

} // namespace trainyard::orchestration
