// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/policies/gavel_lp.hpp"

#include <vector>

namespace trainyard {

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
