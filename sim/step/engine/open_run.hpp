// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"

#include <memory>
#include <vector>

namespace trainyard {

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

/// Interface of executors that programs can join while they run.
class OpenExecutor
{
public:
  virtual ~OpenExecutor() = default;
  virtual std::unique_ptr<OpenRun> open(const Cluster& cluster) const = 0;
};

/// A program that is likely to join.
struct Coming {
  StepProgram program;
  double start = 0; // s, as OpenRun::now()
  int like = -1;    // as of OpenRun::add()
};

/// For any executor: those that cannot be joined run all programs that may have met anew whenever one is added. As long
/// as what joins is what is @p expected, in this order, they run once; who is wrong about it loses time, not accuracy.
std::unique_ptr<OpenRun> open_run(const Cluster& cluster, const Executor& executor, std::vector<Coming> expected = {});

/// The rest of a program: what is done takes no time, and of what is under way the rest is left. @p shares: done of
/// each operation, 0..1.
StepProgram rest_of(const StepProgram& program, std::span<const double> shares);

/// The same run later, or earlier.
void shift(StepTrace& trace, Seconds by);

/// How much of each operation is done at a time of its trace, in s.
std::vector<double> shares_at(const StepTrace& trace, double time);

} // namespace trainyard
