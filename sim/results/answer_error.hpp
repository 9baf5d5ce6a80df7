// SPDX-License-Identifier: Apache-2.0
// The one place that says of an answer how far it may be off.
#pragma once
#include "models/core/message.hpp"
#include "models/results/model_error.hpp"
#include "sim/results/results.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Errors of the model and chance together: factors from the predicted step to the measured one.
ModelError error_of(const JobRow& row);

/// An end of an interval; nothing where the answer is exact.
std::optional<double> step_end(double step, const ModelError& error, double ModelError::*end);
/// Of a rate, which is the lower the longer the step takes.
std::optional<double> rate_end(double rate, const ModelError& error, double ModelError::*end_of_step);

/// "2,180 to 2,740", what a rate is with 80 %; "exact".
std::string sure_text(double rate, const ModelError& error);

/// How far answers of each of these kinds were off, once.
Messages errors_told(std::span<const ModelError> errors);
Messages errors_told(const std::vector<JobRow>& rows);

} // namespace trainyard
