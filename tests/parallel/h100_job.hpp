// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/data_folder.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/dnn/transformer.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/parallel/step.hpp"

#include <string>

namespace trainyard::tests {

/// On machines of 8 H100, launches in a CUDA graph.
inline ParallelJob h100_job(const std::string& model, const ParallelLayout& layout)
{
  ParallelJob job;
  job.transformer = *find_transformer(model);
  job.layout = layout;
  job.gpu = load_catalogue(data_folder()).gpus.at("H100-SXM5");
  job.network.gpu = job.gpu.name;
  job.network.inside = 360_GBps;
  job.network.between = 46_GBps;
  job.network.tuning = newer_tuning();
  return job;
}

} // namespace trainyard::tests
