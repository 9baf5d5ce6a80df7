// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/reading.hpp"

namespace trainyard {

/// Reads `model` of a job into @p job; faults are errors of @p keys. @p reading: null while the schema is made.
void read_model(Fields& keys, JobSpec& job, Reading* reading);

} // namespace trainyard
