// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/registry.hpp"
#include "sim/step/engine/step_program.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
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

class KnownWays;

/// Programs that are run several times; what is computed about them before a run is kept.
class RepeatedRun
{
public:
  virtual ~RepeatedRun() = default;
  /// Runs them with these starts and the durations that their HostWork has now; all else of them must be as it was.
  virtual std::vector<StepTrace> again(std::span<const Seconds> starts) = 0;
  /// The same until one of them has ended, and each of the others has come to the end of a step since or has ended too.
  /// What has not ended then ends at infinity; what links have carried does not count. For jobs that step as one.
  virtual std::vector<StepTrace> until_one_has_ended(std::span<const Seconds> starts) { return again(starts); }
};

/// What workers without a barrier have done.
struct RoundsDone {
  std::map<int, std::vector<double>> ends; // of steps, in s, ascending, by worker
  std::map<int, std::vector<int>> stale;   // by worker and step: steps of others that ended since its last pull
};

/// Workers without a barrier that step on for ever. It has the memory of a few steps, however many are run.
class EndlessRun
{
public:
  virtual ~EndlessRun() = default;
  /// Goes on until so many more steps have ended, of all workers together.
  virtual void go_on(std::size_t steps) = 0;
  virtual const RoundsDone& done() const = 0;
  /// Goes on, and shows as many whole steps of each worker as the program has, as a run that begins with them; and by
  /// worker when it begins.
  virtual std::pair<StepTrace, std::map<int, Seconds>> some_steps() = 0;
};

/// A run that programs join while it goes on, each at the time at which it starts; they contend for links as if all had
/// been known from the start.
class OpenRun
{
public:
  virtual ~OpenRun() = default;
  /// s
  virtual double now() const = 0;
  /// The program starts now; the caller keeps it until it is taken or removed. Returns its number, from 0 on.
  ///
  /// @p like: equal numbers >= 0 for programs that take equal times where they meet nobody.
  virtual int add(const StepProgram& program, int like) = 0;
  /// Lets time pass until @p until (s), or until something ends; returns what has ended now.
  virtual std::vector<int> advance(double until) = 0;
  /// How a program ran that has ended; in s of now().
  virtual StepTrace take(int program) = 0;
  /// Takes a running program away; returns how much of each of its operations is done, 0..1.
  virtual std::vector<double> remove(int program) = 0;
};

/// A program that is likely to join.
struct Coming {
  StepProgram program;
  double start = 0; // s, as OpenRun::now()
  int like = -1;    // as of OpenRun::add()
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
  /// A run that programs join. Without one of its own it runs all programs that may have met anew whenever one is
  /// added. As long as what joins is what is @p expected, in this order, they run once; who is wrong about it loses
  /// time, not accuracy.
  virtual std::unique_ptr<OpenRun> open(const Cluster& cluster, std::vector<Coming> expected = {}) const;
  /// Null where repeating a run is no cheaper than a new one. The programs must stay where they are as long as the
  /// result is used. @p known: ways that they have asked for in other runs, kept by the caller; null: none.
  virtual std::unique_ptr<RepeatedRun> repeated(const Cluster& /*cluster*/, std::span<const ProgramRun> /*programs*/,
                                                KnownWays* /*known*/ = nullptr) const
  {
    return nullptr;
  }
  /// Whether workers without a barrier can step on for ever.
  virtual bool goes_on() const { return false; }
  /// A program of 2 x (@p back + 1) steps or more, whose workers go on after the last one: no operation waits for one
  /// that is more than @p back steps older. Null where its steps are not alike, or nobody goes on. The program must
  /// stay where it is. @p factor: of computing; null: 1.
  virtual std::unique_ptr<EndlessRun> endless(const Cluster& /*cluster*/, const StepProgram& /*program*/, int /*back*/,
                                              const StepFactor& /*factor*/) const
  {
    return nullptr;
  }
};

/// The rest of a program: what is done takes no time, and of what is under way the rest is left. @p shares: done of
/// each operation, 0..1.
StepProgram rest_of(const StepProgram& program, std::span<const double> shares);

/// The same run later, or earlier.
void shift(StepTrace& trace, Seconds by);

/// How much of each operation is done at a time of its trace, in s.
std::vector<double> shares_at(const StepTrace& trace, double time);

/// What is impossible in these traces: an operation that ends before it begins or before what it waits for, a lane with
/// more operations at a time than it has slots, more bytes over a link or resource than its bandwidth carries in the
/// time, a link busy longer than the run.
///
/// Empty if there is nothing. One sentence each, at most ten. @p shared_links: links are shared out among all programs
/// (every fidelity but `closed_form`, where collectives do not slow each other). Rounding of 1e-6 is let pass.
std::vector<std::string> broken_physics(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                        std::span<const StepTrace* const> traces, bool shared_links);

} // namespace trainyard
