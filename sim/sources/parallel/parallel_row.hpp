// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/results/column.hpp"
#include "models/results/model_error.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/parallel/goodput.hpp"
#include "sim/parallel/step.hpp"
#include "sim/results/results.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// What failures and checkpoints leave of a job's speed.
struct JobFailures {
  Goodput goodput;
  CheckpointTimes checkpoint;
  Seconds save;                      // training stands still
  Seconds interval;                  // between checkpoints; infinity: none are written
  Seconds young;                     // what Young's formula says for the failures that came; 0: none did
  int spare = 0;                     // machines
  std::optional<TrainingSize> fewer; // elastic: the most of fewer replicas
  bool tried = false;
  Message storage_assumed;                // nobody named its rate; else empty
  std::optional<Seconds> restart_assumed; // the same of the time until processes run again
  std::string blocked_by;                 // what is not repaired, so that it waits for good; empty: it goes on
};

/// Faults of `faults` and `checkpoints` of a scenario with jobs that are divided among GPUs: listed and drawn failures
/// of machines and what holds several of them, and listed ones of the job's processes.
void check_job_failures(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics);

/// Nothing where the scenario has neither failures nor checkpoints. Throws InputError.
std::optional<JobFailures> job_failures(const Scenario& scenario, const Catalogue& catalogue, const ParallelJob& job);

/// Why a job that should go on with fewer replicas never can; empty where it can, or should not.
std::string elastic_in_vain(const Scenario& scenario, const ParallelJob& job);

/// "with failures, 30 d: goodput 94 % …"
std::string to_text(const JobFailures& failures, double tokens_per_second);

/// One divided job in one point of a scenario: a row of parallel.csv.
struct ParallelRow {
  std::string point;
  std::string variant;
  std::string job;
  std::string model;
  std::string gpu;
  std::string layout;
  int gpus = 0;
  Bytes installed;      // memory of a GPU
  std::string fidelity; // of the step
  ParallelStep step;
  std::optional<JobFailures> failures;
  std::optional<Dollars> price_per_million_samples; // absent: a machine of the job has no price
  ModelError error;
};

/// Its figures, each declared once.
const std::vector<ResultColumn<ParallelRow>>& parallel_columns();

/// How fast the job trains and what holds it back; of several points and jobs, the one with the most tokens a second
/// that are kept.
Message answer_of(const std::vector<ParallelRow>& rows);

/// A step of every job of a scenario with `training.parallel` jobs only, all of them at the same time on the links of
/// its cluster, at the fidelity of the run. A job alone takes one step: all are equal. Throws InputError where a job
/// finds no place, or no memory there.
std::vector<ParallelStep> steps_on_links(const Scenario& scenario, const Catalogue& catalogue);

} // namespace trainyard
