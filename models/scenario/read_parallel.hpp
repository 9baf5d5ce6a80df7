// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/kept_state.hpp"
#include "models/job/job.hpp"
#include "models/scenario/fields.hpp"

namespace trainyard {

/// Keys of `model: {name: transformer, …}`: dimensions with the meaning they have in a config.json of Hugging Face.
void transformer_fields(Fields& keys, JobSpec& job);

/// The key `parallel` of `training`. Faults of the layout are told all at once, with layouts close to it that work.
/// @p kept: what of a step stays in memory. @p bf16: the GPUs compute in it, so that amp is bf16; else fp16.
/// @p workers_said: the job says how many GPUs it has; else they follow from the layout.
void read_parallel(Fields& training, JobSpec& job, const KeptParts& kept, bool workers_said, bool bf16);

} // namespace trainyard
