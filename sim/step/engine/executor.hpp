// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/registry.hpp"
#include "sim/step/engine/step_program.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// When an operation ran; waiting for a lane or for predecessors comes before `begin`.
struct Span {
  OperationId operation;
  Seconds begin;
  Seconds end;
};

/// What one link (one direction) or resource carried for this program.
struct LinkUse {
  LinkId link;
  Bytes bytes;  // payload / efficiency: what occupies the link
  Seconds busy; // time during which this program had at least one flow on it
};

struct ResourceUse {
  ResourceId resource;
  Bytes bytes;
  Seconds busy;
};

/// One program as it ran.
struct StepTrace {
  Seconds begin;
  Seconds end;
  std::vector<Span> spans; // one per operation, same index
  std::vector<LinkUse> links;
  std::vector<ResourceUse> resources;
  Seconds period{}; // of steps out of a longer run: how long as many take in the mean; 0: they are the run

  /// In which the links carried this.
  Seconds window() const { return period > Seconds{} ? period : end - begin; }
};

struct ProgramRun {
  const StepProgram* program = nullptr;
  Seconds start;
};

/// Runs programs on a cluster: the four fidelities differ in how the network shares its links.
class Executor
{
public:
  virtual ~Executor() = default;
  /// All programs at once, contending for links; one trace each, in order.
  ///
  /// Throws std::invalid_argument for a program that cannot run (no route, cyclic), std::runtime_error when the back
  /// end fails.
  virtual std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const = 0;
  /// Whether it runs in a forked child; a process that calls it should have no threads then.
  virtual bool forks() const { return false; }
  /// Whether chance decides how links are shared: then steps do not repeat, and the mean of many counts.
  virtual bool draws(const Cluster& /*cluster*/) const { return false; }
};

} // namespace trainyard
