// SPDX-License-Identifier: Apache-2.0
// The part "clp" (models/core/loaded_part.hpp): only this file is in it, and only it knows CLP.
#include "sim/sources/queue/policies/gavel_lp.hpp"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace trainyard {
namespace {

/// Among allocations with the same smallest throughput, more throughput in all is better; too little to be traded for
/// the smallest.
constexpr double tie_breaker = 1e-3;

/// Columns of pairs: both jobs get on with what is left of their throughputs, and both spend their time.
void add_pairs(const GavelProblem& problem, const ByJobAndType& coefficient, const ByJobAndType& gain,
               CoinPackedMatrix& matrix, std::vector<double>& cost, std::vector<double>& upper)
{
  const auto jobs = static_cast<int>(problem.gpus.size());
  for (const GavelPair& pair : problem.pairs)
    for (std::size_t type = 0; type < problem.capacity.size(); ++type) {
      const auto one = static_cast<int>(pair.one), other = static_cast<int>(pair.other);
      const double of_one = pair.of_one[type], of_other = pair.of_other[type];
      const double first = coefficient[pair.one][type] * of_one, second = coefficient[pair.other][type] * of_other;
      const int rows[] = {one, other, jobs + one, jobs + other, 2 * jobs + static_cast<int>(type)};
      const double values[] = {first, second, 1, 1, static_cast<double>(problem.gpus[pair.one])};
      matrix.appendCol(5, rows, values);
      cost.push_back(gain.empty() ? tie_breaker * (first + second) / jobs
                                  : gain[pair.one][type] * of_one + gain[pair.other][type] * of_other);
      upper.push_back(of_one > 0 && of_other > 0 && problem.gpus[pair.one] <= problem.capacity[type] ? 1 : 0);
    }
}

/// max z + gain . X, with coefficient[j] . X[j] >= z, sum_t X[j][t] <= 1, sum_j gpus X[j][t] <= capacity. @p gain
/// empty: tie_breaker x mean of the coefficients.
GavelAllocation solve(const GavelProblem& problem, const ByJobAndType& coefficient, const ByJobAndType& gain,
                      SimplexBasis* basis)
{
  const auto jobs = static_cast<int>(problem.gpus.size());
  const auto types = static_cast<int>(problem.capacity.size());
  const int z = (jobs + static_cast<int>(problem.pairs.size())) * types;
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
  add_pairs(problem, coefficient, gain, matrix, cost, upper);
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
  for (int row = 0; row < z / types; ++row) {
    std::vector<double>& shares = (row < jobs ? result.share : result.pair_share).emplace_back();
    for (int t = 0; t < types; ++t)
      shares.push_back(std::round(std::clamp(solution[row * types + t], 0.0, 1.0) * 1e6) / 1e6);
  }
  result.objective = solution[z];
  return result;
}

} // namespace
} // namespace trainyard

void trainyard_solve_gavel(const trainyard::GavelProblem& problem, const trainyard::ByJobAndType& coefficient,
                           const trainyard::ByJobAndType& gain, trainyard::SimplexBasis* basis,
                           trainyard::GavelAllocation& result)
{
  result = trainyard::solve(problem, coefficient, gain, basis);
}
