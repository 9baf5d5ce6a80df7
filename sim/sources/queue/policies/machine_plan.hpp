// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// Rounded down.
constexpr Instant full_seconds(Instant time)
{
  return time - time % 1_s;
}

/// Slurm's plan of backfill, by machine: spans of time with the machines that no job planned before needs. A job that
/// is tested gets the first of those that are free during its run time, in order of the cluster. When it could start is
/// found by letting running jobs end in order of their ends, those of half a minute together. A planned job keeps its
/// machines whole. It counts in whole seconds. Sources: src/plugins/sched/backfill/backfill.c,
/// src/plugins/select/cons_tres/job_test.c (will run test); what 22.05 does where versions differ is read from the
/// plans that it logs (results/slurm/comparison.md).
class MachinePlan
{
public:
  /// Plans from @p now to @p window later; 73 years at most.
  MachinePlan(const NodePool& nodes, Instant now, Instant window);

  /// Nobody who still runs then gets these machines (not 0), but for jobs that may use it (`Test::only`).
  void close(const ClosedNodes& nodes, Instant from, Instant to);
  /// A running job ends then; told in order of submission.
  void ends(Instant time, const Allocation& held);
  /// After all ends have been told.
  void sort_ends();
  /// A job has started now and ends then.
  void take(Instant time, const Allocation& held);

  struct Gap {
    Instant start;
    std::vector<int> nodes;
  };
  struct Test {
    ResourceRequest request;
    Instant length;             // whole seconds
    std::span<const char> only; // by machine: who has a reservation may use these, closed or not; empty: the others
    Instant begin, end;         // of the reservation
  };
  /// When and where the gang gets its place; nothing where that is not inside the window. Like Slurm, it looks again
  /// only at times when machines become free that it has not seen, and so may miss a gap.
  std::optional<Gap> earliest(const Test& test);
  /// Keeps the machines of the gap.
  void plan(const Gap& gap, Instant length);

  Instant now() const { return now_; }

private:
  using Free = std::vector<std::int32_t>;      // thousandths of GPUs, by machine
  using Machines = std::vector<std::uint64_t>; // a bit each
  struct End {
    Instant time;
    std::size_t first = 0, behind = 0; // of `held_`
  };
  struct Span {
    Instant from;
    Instant to;
    Machines open;
  };
  struct Closed {
    Machines machines;
    Instant from;
    Instant to;
  };
  struct Found {
    Machines machines; // free during the run time
    Instant later;     // when to look again; end of time: never
  };
  struct Gang {
    std::int32_t piece = 0; // thousandths of GPUs
    std::int32_t wanted = 0;
    bool one_each = false; // at most one piece on a machine
  };
  struct Room {
    Instant from;
    const Free* free = nullptr; // what is free then
  };
  const Machines& possible(const TaskRequest& piece);
  std::size_t span_at(Instant time) const;
  Instant close_usable(const Test& test, Instant from);
  const Found& look(const Test& test, const Machines& possible, Instant from);
  static std::int32_t pieces(const Gang& gang, std::int32_t free);
  /// The first of the machines that hold the gang together.
  static std::vector<int> choose(const Gang& gang, const Machines& machines, const Free& free);
  std::optional<Room> will_run(const Gang& gang, const Machines& machines, Instant until);
  std::optional<Gap> search(const Test& test);
  bool meets_a_plan(const Gap& gap, Instant length) const;
  void cut(Instant time);

  const NodePool& nodes_;
  Instant now_;
  Free free_, all_;
  Free then_; // what is free at an end; of the last test
  std::vector<End> ends_;
  std::vector<std::pair<int, std::int32_t>> held_; // machine, thousandths of GPUs
  std::vector<Span> spans_;                        // one after the other, from now to the end of the window
  std::vector<Closed> closed_;
  std::map<TaskRequest, Machines> possible_;
  std::set<std::pair<ResourceRequest, Instant>> in_vain_; // have no place in the plan as it is
  Machines usable_;                                       // of the last look
  Found found_;
};

} // namespace trainyard
