// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/registry.hpp"
#include "models/core/units.hpp"
#include "models/dnn/network.hpp"
#include "sim/step/training/training_mode.hpp"

#include <vector>

namespace trainyard {

/// The number of a row, as it travels beside its values: TensorFlow's IndexedSlices, PyTorch's sparse tensors and the
/// keys of ps-lite have 64 bits.
constexpr Bytes row_number_size{8};

/// The settings `sparse_gradients` and `sparse_rows`.
std::vector<Parameter> sparse_parameters();

/// Warns where they change nothing; more distinct rows of a batch than it looks up are an error.
void check_sparse_settings(const TrainingContext& context, Diagnostics& diagnostics);

/// Rows of a table that @p workers, whose gradients are summed before they leave, exchange in a step: each that they
/// touch once, or with `sparse_rows: all` one for each lookup.
double exchanged_rows(const TrainingContext& context, const RowTable& table, int workers = 1);

} // namespace trainyard
