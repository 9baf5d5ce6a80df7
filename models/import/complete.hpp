// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"

namespace trainyard {

/// Fills in what the files do not give; each value is an assumption of the report: machines for the tasks, the link,
/// model and batch of jobs, a job where there are machines only.
void complete(ImportContext& context);

} // namespace trainyard
