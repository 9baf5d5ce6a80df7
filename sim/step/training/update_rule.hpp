// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"
#include "models/cost/sync_tokens.hpp"

#include <optional>
#include <span>
#include <vector>

namespace trainyard {

/// When the servers apply gradients, and what a worker waits for before its next step.
class UpdateRule
{
public:
  virtual ~UpdateRule() = default;
  /// True: one update per step from the gradients of all contributors. False: each gradient is applied when it arrives.
  virtual bool aggregates() const = 0;
  /// The workers whose gradients an aggregated update waits for, given when those of each arrive in this
  /// step: its computing and its way to the busiest server; sorted.
  virtual std::vector<int> contributors(std::span<const Seconds> times) const = 0;
  /// The latest step that every worker must have finished before any worker begins @p step; none: no such wait. Of a
  /// rule that does not aggregate, tensor by tensor: a server gives a tensor out for @p step once all workers have
  /// pushed it in that one.
  virtual std::optional<int> all_must_have_finished(int step) const = 0;
  /// Of a rule whose workers wait for tokens: how many there are. Then the schedule of tokens decides who contributes.
  virtual std::optional<TokenRules> tokens(int workers) const
  {
    static_cast<void>(workers);
    return std::nullopt;
  }
  /// Steps until workers whose steps compute for these times have fallen into the order in which they go on.
  virtual int settling_steps(std::span<const Seconds> compute_times) const
  {
    static_cast<void>(compute_times);
    return 0;
  }
};

} // namespace trainyard
