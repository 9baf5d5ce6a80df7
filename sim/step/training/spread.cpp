// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/spread.hpp"

#include "models/cost/nccl_choice.hpp"

namespace trainyard {
namespace {

/// GPUs of one kind at equal work lie within 8 % of their median, whisker to whisker (Sinha et al., "Not all GPUs are
/// created equal", SC 2022, five centres): of a normal distribution, whose whiskers are 5.4 deviations apart, 1.5 %.
constexpr double of_gpus = 0.08 / 5.4;

/// Workers that read and decode real images on 8 GPUs. Fitted: the median of what the 8-GPU rows of DLPerf (2020) need
/// with each of nine frameworks, between 1.0 % and 13 % of the step. So the table of DLPerf is no check of this number.
constexpr double of_real_data = 0.039;

} // namespace

Parameter spread_parameter()
{
  return {.name = "spread",
          .kind = "name",
          .default_value = "none",
          .meaning = "how much the steps of equal workers differ: not at all, as GPUs of one kind do (1.5 %), or as "
                     "workers that decode real images do (3.9 %); the barrier waits for the slowest",
          .source = "Sinha et al., SC 2022; real_data: fitted on 8-GPU rows of DLPerf 2020",
          .choices = {"none", "gpus", "real_data"}};
}

double spread_of(const Settings& settings)
{
  const std::string chosen = settings.text("spread", "none");
  return chosen == "gpus" ? of_gpus : chosen == "real_data" ? of_real_data : 0;
}

Seconds wait_for_slowest(Seconds deviation, int workers)
{
  return deviation * expected_maximum(workers);
}

} // namespace trainyard
