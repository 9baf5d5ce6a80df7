#include "sim/scheduling/gavel_lp.hpp"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

/// Among allocations with the same smallest throughput, more throughput in all is better; too little to be traded for the smallest.
constexpr double tie_breaker = 1e-3;

/// max z + tie_breaker x mean, with coefficient[j][t] . X[j] >= z, sum_t X[j][t] <= 1, sum_j gpus X[j][t] <= capacity.
GavelAllocation solve(const GavelProblem& problem, const std::vector<std::vector<double>>& coefficient)
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
      cost.push_back(tie_breaker * coefficient[job][type] / jobs);
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
  solver.primal();
  if (solver.status() != 0)
    throw std::runtime_error{"CLP: the allocation was not solved, status " + std::to_string(solver.status())};
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

} // namespace

GavelAllocation gavel_max_min(const GavelProblem& problem)
{
  std::vector<std::vector<double>> coefficient;
  const auto jobs = static_cast<double>(problem.gpus.size());
  for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
    double time = 0;
    double equal = 0;
    for (std::size_t t = 0; t < problem.capacity.size(); ++t) {
      const double share = problem.capacity[t] / jobs / problem.gpus[j];
      time += share;
      equal += share * problem.throughput[j][t];
    }
    equal /= std::max(time, 1.0);
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
  std::vector<std::vector<double>> coefficient;
  for (std::size_t j = 0; j < problem.gpus.size(); ++j) {
    coefficient.emplace_back();
    for (const double throughput : problem.throughput[j])
      coefficient.back().push_back(throughput * mean / std::max(problem.weight[j], 1e-9 * mean));
  }
  GavelAllocation result = solve(problem, coefficient);
  result.objective /= mean;
  return result;
}

} // namespace trainyard
