// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// Slurm's plan of backfill, by machine: spans of time with the machines that no job planned before needs. A job that
/// is tested gets the first of those that are free during its run time, in order of the cluster. When it could start is
/// found by letting running jobs end in order of their ends, those of half a minute together. A planned job keeps its
/// machines whole. Times are whole seconds. Sources: src/plugins/sched/backfill/backfill.c,
/// src/plugins/select/cons_tres/job_test.c (will run test); what 22.05 does where versions differ is read from the
/// plans that it logs (results/slurm/comparison.md).
class MachinePlan
{
public:
  /// Plans from @p now to @p window seconds later.
  MachinePlan(const NodePool& nodes, double now, double window);

  /// Nobody who still runs then gets this machine, but for jobs that may use it (`Test::only`).
  void close(int node, double from, double to);
  /// A running job ends then; told in order of submission.
  void ends(double time, const Allocation& held);
  /// After all ends have been told.
  void sort_ends();
  /// A job has started now and ends then.
  void take(double time, const Allocation& held);

  struct Gap {
    double start = 0;
    std::vector<int> nodes;
  };
  struct Test {
    ResourceRequest request;
    double length = 0;          // s, whole
    std::span<const char> only; // by machine: who has a reservation may use these, closed or not; empty: the others
    double begin = 0, end = 0;  // of the reservation
  };
  /// When and where the gang gets its place; nothing where that is not inside the window. Like Slurm, it looks again
  /// only at times when machines become free that it has not seen, and so may miss a gap.
  std::optional<Gap> earliest(const Test& test);
  /// Keeps the machines of the gap.
  void plan(const Gap& gap, double length);

  double now() const { return now_; }

private:
  using Free = std::vector<std::int32_t>;      // thousandths of GPUs, by machine
  using Machines = std::vector<std::uint64_t>; // a bit each
  struct End {
    double time = 0;
    std::size_t first = 0, behind = 0; // of `held_`
  };
  struct Span {
    double from = 0;
    double to = 0;
    Machines open;
  };
  struct Closed {
    int node = 0;
    double from = 0;
    double to = 0;
  };
  struct Found {
    Machines machines; // free during the run time
    double later = 0;  // when to look again; 0: never
  };
  struct Gang {
    std::int32_t piece = 0; // thousandths of GPUs
    std::int32_t wanted = 0;
    bool one_each = false; // at most one piece on a machine
  };
  struct Room {
    double from = 0;
    const Free* free = nullptr; // what is free then
  };
  const Machines& possible(const TaskRequest& piece);
  std::size_t span_at(double time) const;
  double close_usable(const Test& test, double from);
  const Found& look(const Test& test, const Machines& possible, double from);
  static std::int32_t pieces(const Gang& gang, std::int32_t free);
  /// The first of the machines that hold the gang together.
  static std::vector<int> choose(const Gang& gang, const Machines& machines, const Free& free);
  std::optional<Room> will_run(const Gang& gang, const Machines& machines, double until);
  bool meets_a_plan(const Gap& gap, double length) const;
  void cut(double time);

  const NodePool& nodes_;
  double now_;
  Free free_, all_;
  Free then_; // what is free at an end; of the last test
  std::vector<End> ends_;
  std::vector<std::pair<int, std::int32_t>> held_; // machine, thousandths of GPUs
  std::vector<Span> spans_;                        // one after the other, from now to the end of the window
  std::vector<Closed> closed_;
  std::map<TaskRequest, Machines> possible_;
  Machines usable_; // of the last look
  Found found_;
};

} // namespace trainyard
