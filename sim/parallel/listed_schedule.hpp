// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/parallel/layout.hpp"

#include <memory>

namespace trainyard {

/// The schedule that a layout asks for: the user's own list, a registered one by name, else 1f1b, or interleaved with
/// virtual stages.
std::unique_ptr<PipelineSchedule> schedule_for(const ParallelLayout& layout);

} // namespace trainyard
