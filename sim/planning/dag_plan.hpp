// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/random.hpp"
#include "models/core/registry.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// A job to be planned together with others it depends on.
struct DagJob {
  int gpus = 1;
  std::vector<Instant> duration; // on each GPU type; end of time: cannot run there
  std::vector<int> predecessors; // positions in the list of jobs
  Instant release;               // not before this
};

/// GPUs that are held until a time.
struct DagBusy {
  int gpu_type = 0;
  int gpus = 0;
  Instant until;
};

struct DagProblem {
  std::vector<DagJob> jobs;
  std::vector<int> capacity; // GPUs of each type; those who plan parts of GPUs count thousandths here and above
  std::vector<DagBusy> busy;
  Instant now;
};

struct DagPlan {
  std::vector<int> order;     // of planning; predecessors first
  std::vector<Instant> start; // by job; end of time: it cannot run
  std::vector<int> gpu_type;  // by job
  Instant makespan;           // end of the last job - now; end of time: not all can run
};

/// Places the jobs one by one, in this order, each on the type where it ends first, at the earliest gap (insertion)
/// after its predecessors.
///
/// @p fixed_type: one entry per job, -1 = free choice; may be empty.
DagPlan serial_plan(const DagProblem& problem, std::span<const int> order, std::span<const int> fixed_type = {});

/// Upward ranks: the longest path from a job to the end, in s, mean durations over the types it can use (HEFT).
std::vector<double> upward_ranks(const DagProblem& problem);

/// HEFT (Topcuoglu, Hariri and Wu, TPDS 2002): largest upward rank first, each on the type where it ends first, with
/// insertion.
DagPlan plan_list(const DagProblem& problem);

/// Linear clustering (Kim and Browne, ICPP 1988): repeatedly, the longest path among the jobs not yet clustered becomes
/// a cluster; its jobs run on one GPU type, the one where the whole cluster is fastest; clusters found first go first.
DagPlan plan_clustering(const DagProblem& problem);

struct GeneticOptions {
  int population = 12;
  int generations = 20;
  double mutation = 0.3; // chance that a child has one job moved
};

/// A genetic search over orders (predecessors first), its first generation the given plans' orders and random ones
/// (after Hou, Ansari and Ren, TPDS 1994). Never worse than the best of @p seeds.
DagPlan plan_genetic(const DagProblem& problem, std::span<const DagPlan> seeds, const GeneticOptions& options,
                     RandomStream draw);

/// The shortest makespan, by trying every order and type with bounding; nothing where there are more than @p most_jobs
/// jobs. End of time: not all can run.
std::optional<Instant> optimal_makespan(const DagProblem& problem, int most_jobs = 8);

/// plan_genetic() with the settings that its policies and planners have in common: `population`, `generations`, `seed`.
class GeneticSearch
{
public:
  /// Throws std::invalid_argument naming the policy @p name where the settings allow no search.
  GeneticSearch(const Settings& settings, const std::string& name);

  static std::vector<Parameter> parameters();

  /// Never worse than the best of @p seeds. The same @p number draws the same random numbers.
  DagPlan search(const DagProblem& problem, std::span<const DagPlan> seeds, std::int64_t number) const;
  /// Schedules that one search looks at.
  std::int64_t schedules() const { return options_.population + options_.generations * (options_.population / 2); }

private:
  GeneticOptions options_;
  Random random_;
};

} // namespace trainyard
