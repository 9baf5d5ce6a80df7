// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace trainyard {

/// Two jobs of as many GPUs each, which may share them.
struct GavelPair {
  std::size_t one = 0, other = 0;       // jobs, one before the other
  std::vector<double> of_one, of_other; // what is left of their throughputs by type; 0 = not together there
};

/// Which share of the time each job should spend on GPUs of each type. Gavel: Narayanan et al., OSDI 2020.
struct GavelProblem {
  std::vector<std::vector<double>> throughput; // of each job on each GPU type, > 0 somewhere; 0 = cannot run there
  std::vector<double> gpus;                    // of each job's gang; below 1: a part of one
  std::vector<double> weight;                  // of each job: its share (max-min) or its work left (makespan); > 0
  std::vector<double> capacity;                // GPUs of each type
  std::vector<double> elapsed;  // finish-time fairness: of each job, since it came, in units of left / throughput
  std::vector<double> left;     // finish-time fairness: work left of each job
  std::vector<GavelPair> pairs; // space sharing: who may hold the same GPUs
};

struct GavelAllocation {
  std::vector<std::vector<double>> share;      // by job, by type: alone
  std::vector<std::vector<double>> pair_share; // by pair, by type; all of a job's shares add up to at most 1
  double objective = 0;
};

/// Largest smallest normalised throughput: max z with, for every job, gpus x sum_t T X / (weight x T_equal) >= z, where
/// T_equal is the job's throughput with 1/n of every type's GPUs (section 4.1). Throws std::runtime_error where the
/// solver fails.
GavelAllocation gavel_max_min(const GavelProblem& problem);

/// Shortest makespan: max z with sum_t T X >= weight x z for every job; the last one ends after 1 / z (section 4.2).
GavelAllocation gavel_makespan(const GavelProblem& problem);

/// First in, first out: max sum over jobs of (jobs - position) x throughput / throughput on the fastest type; jobs in
/// order of arrival (section 4.2).
GavelAllocation gavel_fifo(const GavelProblem& problem);

/// Smallest largest rho = (elapsed + left / throughput) / (elapsed + left / throughput with 1/n of every type), by
/// bisection to 0.1 % (section 4.2, after Themis). The objective is that rho.
GavelAllocation gavel_finish_time_fairness(const GavelProblem& problem);

using ByJobAndType = std::vector<std::vector<double>>;

/// What the simplex method can begin from: the basis of a program that differed in its numbers only.
using SimplexBasis = std::vector<unsigned char>;

} // namespace trainyard

/// max z + gain . X, with coefficient[j] . X[j] >= z, sum_t X[j][t] <= 1, sum_j gpus X[j][t] <= capacity; @p gain
/// empty: a little of the mean of the coefficients. Pairs have columns of their own. In the part "clp"
/// (models/core/loaded_part.hpp). A function that is looked up by its name cannot return a class: it sets @p result,
/// and @p basis where it is not null. Throws std::runtime_error where the solver fails.
extern "C" void trainyard_solve_gavel(const trainyard::GavelProblem& problem,
                                      const trainyard::ByJobAndType& coefficient, const trainyard::ByJobAndType& gain,
                                      trainyard::SimplexBasis* basis, trainyard::GavelAllocation& result);
