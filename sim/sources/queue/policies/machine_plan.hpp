// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace trainyard {

/// Slurm's plan of backfill, by machine. A job that is tested gets the first machines, in order of the cluster, that no
/// job planned before it needs during its run time. When it could start is found by letting running jobs end in order
/// of their ends, those of about half a minute together, then of twice as long and so on. A planned job keeps its
/// machines whole. Sources: src/plugins/sched/backfill/backfill.c, src/plugins/select/cons_tres/job_test.c (will run
/// test).
class MachinePlan
{
public:
  MachinePlan(const NodePool& nodes, double now);

  /// Nobody who still runs then gets this machine.
  void close(int node, double from, double to);
  /// A running job ends then; told in order of submission.
  void ends(double time, const Allocation& held);
  /// After all ends have been told.
  void sort_ends();
  /// A job has started now.
  void take(const Allocation& held);

  struct Gap {
    double start = 0;
    std::vector<int> nodes;
  };
  /// When and where the gang gets its place for @p length; nothing where that is not before @p latest.
  std::optional<Gap> earliest(const ResourceRequest& request, double length, double latest) const;
  /// Keeps the machines of the gap.
  void plan(const Gap& gap, double length);

private:
  using Free = std::vector<std::int64_t>; // thousandths of GPUs, by machine
  struct End {
    double time = 0;
    std::vector<std::pair<int, std::int64_t>> held; // machine, thousandths of GPUs
  };
  struct Kept {
    double from = 0;
    double to = 0;
    std::vector<int> nodes;
    bool planned = true; // a job; else a reservation
  };
  std::vector<int> open(const ResourceRequest& request, double from, double to) const;
  /// The first of the machines that hold the gang together; none: they do not.
  static std::vector<int> choose(const ResourceRequest& request, const std::vector<int>& machines, const Free& free);
  std::optional<Gap> will_run(const ResourceRequest& request, const std::vector<int>& machines) const;
  bool meets_a_plan(const Gap& gap, double length) const;

  const NodePool& nodes_;
  double now_;
  Free free_;
  std::vector<End> ends_;
  std::vector<Kept> kept_;
};

} // namespace trainyard
