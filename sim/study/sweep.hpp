// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/sweep_space.hpp"
#include "sim/study/crew.hpp"
#include "sim/study/point_evaluator.hpp"
#include "sim/study/sweep_database.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace trainyard {

/// Part number @p index of @p count of a sweep: every count-th point from number index on.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  std::string text() const;
};

/// "3/16", or "auto/16" for the number that Slurm (SLURM_ARRAY_TASK_ID), PBS (PBS_ARRAY_INDEX), Flux (FLUX_JOB_CC),
/// Kubernetes (JOB_COMPLETION_INDEX) or GNU parallel (PARALLEL_SEQ, from 1) gave this task. Throws InputError.
Shard parse_shard(const std::string& text);

/// results.sqlite -> results.shard-3-of-16.sqlite
std::filesystem::path shard_file(const std::filesystem::path& results, const Shard& shard);

/// What the sweep of a scenario is, for the file of its results. @p scenario_folder: where input files such as traces
/// are looked for.
SweepIdentity sweep_identity(const std::string& name, const Document& document, const SweepSpace& space,
                             const std::string& prices, const std::filesystem::path& scenario_folder);

/// Faults that would meet every point of some axis: a path that no scenario has, values of the wrong kind. Empty where
/// at least one choice of each axis can be read.
Diagnostics axis_faults(const SweepSpace& space, const PointEvaluator& evaluator);

struct SweepProgress {
  std::uint64_t done = 0; // of those that this run computes
  std::uint64_t total = 0;
  std::uint64_t failed = 0;
  std::string last; // label of the last point
};

struct SweepOutcome {
  std::uint64_t points = 0; // of this shard
  std::uint64_t earlier = 0;
  std::uint64_t computed = 0;
  std::uint64_t failed = 0;
  std::uint64_t removed = 0; // of an earlier sweep, by @p fresh
};

/// What a worker does with a point.
PointWork sweep_work(const SweepSpace& space, const PointEvaluator& evaluator);

/// Computes what the file lacks. @p crew runs the task (run_pool or MpiCrew::run); @p progress may throw to stop: what
/// is done by then stays in the file. Throws as SweepDatabase.
SweepOutcome run_sweep(const SweepSpace& space, const SweepIdentity& identity, const std::filesystem::path& file,
                       const Shard& shard, bool fresh, bool retry, const std::function<void(const CrewTask&)>& crew,
                       const std::function<void(const SweepProgress&)>& progress);

struct MergeOutcome {
  std::uint64_t rows = 0;
  std::uint64_t points = 0;
  std::uint64_t failed = 0;
  std::vector<std::uint64_t> missing; // the first hundred
};

/// Puts the rows of several files of one sweep together in @p to; the same bytes as one run would have given where none
/// is missing. Throws InputError where they are of different sweeps or differ in a row.
MergeOutcome merge_sweeps(const std::vector<std::filesystem::path>& files, const std::filesystem::path& to);

} // namespace trainyard
