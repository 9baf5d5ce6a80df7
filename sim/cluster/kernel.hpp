// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <optional>
#include <vector>

namespace trainyard {

/// What brings work and rules to a cluster and acts at instants of its own: a queue, services, retraining.
class Source
{
public:
  virtual ~Source() = default;
  /// When it next has something to do; an instant that has passed means now. Nothing: only once others change
  /// something.
  virtual std::optional<Instant> next() const = 0;
  /// Time goes on to @p now; called for every instant at which anybody acts, before they do. Instants never go back.
  virtual void forward(Instant /*now*/) {}
  /// Does everything that is due at @p now.
  virtual void act(Instant now) = 0;
};

/// One clock for all sources of work on a cluster.
///
/// At one instant the sources act in the order in which they were added, again and again until none has anything left
/// to do: what one gives back, another may take at the same instant.
class Kernel
{
public:
  /// @p source lives as long as this.
  void add(Source& source) { sources_.push_back(&source); }
  /// Runs to @p until, and includes it. Throws std::logic_error where the sources never come to rest at one instant
  /// (our bug).
  void run(Instant until);

private:
  std::vector<Source*> sources_;
};

} // namespace trainyard
