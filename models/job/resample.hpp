// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/job/workload.hpp"

namespace trainyard {

/// Another trace that might have happened: blocks of @p block of time in a row, each drawn with replacement from those
/// of the trace, jobs in a block unchanged. With blocks of a day and a trace of two weeks or more, a Monday is drawn
/// from the Mondays, so that weeks stay weeks (days are counted from the first submission).
///
/// Block bootstrap: Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics
/// 1989. A job's dependency stays where both jobs are in one block. Throws std::invalid_argument where @p block is not
/// above zero or the trace has fewer than two blocks.
Workload resampled(const Workload& trace, Seconds block, const Random& random);

} // namespace trainyard
