// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/gavel_lp.hpp"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

/// Among allocations with the same smallest throughput, more throughput in all is better; too little to be traded for
/// the smallest.
constexpr double tie_breaker = 1e-3;

using ByJobAndType = std::vector<std::vector<double>>;

/// What the simplex method can begin from: the basis of a program that differed in its numbers only.
using Basis = std::vector<unsigned char>;

/// max z + gain . X, with coefficient[j] . X[j] >= z, sum_t X[j][t] <= 1, sum_j gpus X[j][t] <= capacity. @p gain
/// empty: tie_breaker x mean of the coefficients.
GavelAllocation solve(const GavelProblem& problem, const ByJobAndType& coefficient, const ByJobAndType& gain = {},
                      Basis* basis = nullptr)
{
  const auto jobs = static_cast<int>(problem.gpus.size());
  const auto types = static_cast<int>(problem.capacity.size());
  const int z = jobs * types;
  CoinPackedMatrix matrix{true, 0, 0};
  matrix.setDimensions(2 * jobs + types, 0);
  std::vector<double> cost;
  std::vector<double> upper;
  for (int j = 0; j < jobs; ++j)
    for (int t = 0; t < types; ++t) {
      const auto job = static_cast<std::size_t>(j);
      const auto type = static_cast<std::size_t>(t);
      const int rows[] = {j, jobs + j, 2 * jobs + t};
      const double values[] = {coefficient[job][type], 1, static_cast<double>(problem.gpus[job])};
      matrix.appendCol(3, rows, values);
      cost.push_back(gain.empty() ? tie_breaker * coefficient[job][type] / jobs : gain[job][type]);
      upper.push_back(problem.throughput[job][type] > 0 && problem.gpus[job] <= problem.capacity[type] ? 1 : 0);
    }
  std::vector<int> rows;
  std::vector<double> values;
  for (int j = 0; j < jobs; ++j) {
    rows.push_back(j);
    values.push_back(-1);
  }
  matrix.appendCol(jobs, rows.data(), values.data());
  cost.push_back(1);
  upper.push_back(COIN_DBL_MAX);
  const std::vector<double> lower(upper.size(), 0);
  std::vector<double> row_lower;
  std::vector<double> row_upper;
  for (int j = 0; j < jobs; ++j) {
    row_lower.push_back(0);
    row_upper.push_back(COIN_DBL_MAX);
  }
  for (int j = 0; j < jobs; ++j) {
    row_lower.push_back(-COIN_DBL_MAX);
    row_upper.push_back(1);
  }
  for (const double capacity : problem.capacity) {
    row_lower.push_back(-COIN_DBL_MAX);
    row_upper.push_back(capacity);
  }
  ClpSimplex solver;
  solver.setLogLevel(0);
  solver.loadProblem(matrix, lower.data(), upper.data(), cost.data(), row_lower.data(), row_upper.data());
  solver.setOptimizationDirection(-1);
  const auto status_size = static_cast<std::size_t>(solver.numberRows() + solver.numberColumns());
  if (basis != nullptr && basis->size() == status_size)
    solver.copyinStatus(basis->data());
  solver.primal();
  if (solver.status() != 0)
    throw std::runtime_error{"CLP: the allocation was not solved, status " + std::to_string(solver.status())};
  if (basis != nullptr)
    basis->assign(solver.statusArray(), solver.statusArray() + status_size);
  GavelAllocation result;
  const double* solution = solver.primalColumnSolution();
  for (int j = 0; j < jobs; ++j) {
    result.share.emplace_back();
    for (int t = 0; t < types; ++t)
      result.share.back().push_back(std::round(std::clamp(solution[j * types + t], 0.0, 1.0) * 1e6) / 1e6);
  }
  result.objective = solution[z];
  return result;
}

/// Throughput of a job with 1/n of every type's GPUs to itself.
double equal_share_throughput(const GavelProblem& problem, std::size_t j)
{
  double time = 0;
  double equal = 0;
  for (std::size_t t = 0; t < problem.capacity.size(); ++t) {
    const double share = problem.capacity[t] / static_cast<double>(problem.gpus.size()) / problem.gpus[j];
    time += share;
    equal += share * problem.throughput[j][t];
  }
  return equal / std::max(time, 1.0);
}

} // namespace

GavelAllocation gavel_max_min(const GavelProblem& problem)
{
  ByJobAndType coefficient;
  for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
    const double equal = equal_share_throughput(problem, j);
    coefficient.emplace_back();
    for (const double throughput : problem.throughput[j])
      coefficient.back().push_back(equal > 0 ? problem.gpus[j] * throughput / (problem.weight[j] * equal) : 0);
  }
  return solve(problem, coefficient);
}

GavelAllocation gavel_makespan(const GavelProblem& problem)
{
  // In units of the mean work, so that the solver's tolerances fit whatever the unit of the work is.
  double mean = 0;
  for (const double work : problem.weight)
    mean += work / static_cast<double>(problem.weight.size());
  ByJobAndType coefficient;
  for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
    coefficient.emplace_back();
    for (const double throughput : problem.throughput[j])
      coefficient.back().push_back(throughput * mean / std::max(problem.weight[j], 1e-9 * mean));
  }
  GavelAllocation result = solve(problem, coefficient);
  result.objective /= mean;
  return result;
}

GavelAllocation gavel_fifo(const GavelProblem& problem)
{
  const auto jobs = static_cast<double>(problem.gpus.size());
  ByJobAndType none, gain;
  for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
    const double fastest = std::max(*std::ranges::max_element(problem.throughput[j]), 1e-300);
    none.emplace_back(problem.capacity.size(), 0.0);
    gain.emplace_back();
    for (const double throughput : problem.throughput[j])
      gain.back().push_back((jobs - static_cast<double>(j)) / jobs * throughput / fastest);
  }
  return solve(problem, none, gain);
}

GavelAllocation gavel_finish_time_fairness(const GavelProblem& problem)
{
  std::vector<double> isolated; // time from arrival to end
  double too_low = 0;
  for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
    isolated.push_back(problem.elapsed[j] + problem.left[j] / std::max(equal_share_throughput(problem, j), 1e-300));
    too_low = std::max(too_low, problem.elapsed[j] / isolated[j]); // nobody can end before now
  }
  Basis basis;
  // The throughputs that rho asks for, as a largest z: it can be kept where z >= 1.
  const auto with = [&](double rho) {
    ByJobAndType coefficient;
    for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
      const double needed = problem.left[j] / std::max(rho * isolated[j] - problem.elapsed[j], 1e-9 * isolated[j]);
      coefficient.emplace_back();
      for (const double throughput : problem.throughput[j])
        coefficient.back().push_back(needed > 0 ? throughput / needed : 1);
    }
    return solve(problem, coefficient, {}, &basis);
  };
  double high = 1; // an equal share is always there
  GavelAllocation best = with(high);
  while (high - too_low > 1e-3 * high) {
    const double middle = (high + too_low) / 2;
    GavelAllocation next = with(middle);
    if (next.objective >= 1 - 1e-9) {
      high = middle;
      best = std::move(next);
    } else {
      too_low = middle;
    }
  }
  best.objective = high;
  return best;
}

} // namespace trainyard
