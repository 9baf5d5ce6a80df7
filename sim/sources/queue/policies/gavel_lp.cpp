// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "models/core/loaded_part.hpp"

#include <algorithm>

namespace trainyard {
namespace {

GavelAllocation solve(const GavelProblem& problem, const ByJobAndType& coefficient, const ByJobAndType& gain = {},
                      SimplexBasis* basis = nullptr)
{
  static const auto solver = part_function<decltype(trainyard_solve_gavel)>("clp", "trainyard_solve_gavel");
  GavelAllocation result;
  solver(problem, coefficient, gain, basis, result);
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
  SimplexBasis basis;
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
