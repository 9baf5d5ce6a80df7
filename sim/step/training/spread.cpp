// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/spread.hpp"

#include "models/cost/nccl_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

/// Workers that read and decode real images on 8 GPUs. Fitted: the median of what the 8-GPU rows of DLPerf (2020) need
/// with each of nine frameworks, between 1.0 % and 13 % of the step. So the table of DLPerf is no check of this number.
constexpr double of_real_data = 0.039;

/// Whether computing times are those of a kind of GPU, and nothing says how the workers differ from it.
bool known_by_kind(const Settings& settings, const TrainingContext& context)
{
  const JobSpec& job = context.job;
  if (job.single_gpu_step || context.dnn.timed() || !job.stragglers.empty() || is_random(job.jitter))
    return false;
  for (const char* own : {"straggler_deviation", "straggler_deviation_per_sample", "straggler_variation"})
    if (settings.number(own, 0) > 0)
      return false;
  return context.cluster.vertex(context.placement.workers.front()).kind == VertexKind::gpu;
}

} // namespace

Parameter spread_parameter()
{
  return {.name = "spread",
          .kind = "name",
          .default_value = "auto",
          .meaning = "how much the steps of equal workers differ: not at all (none), as GPUs of one kind do (gpus:"
                     " 1.5 %), or as workers that decode real images do (real_data: 3.9 %); a barrier waits for "
                     "the slowest, and without one each keeps its own speed. auto: gpus where the computing time "
                     "is that of a kind of GPU; none on processors, where the time is given (single_gpu_step, "
                     "layers with times), and where jitter, stragglers or a deviation say how workers differ; "
                     "without a barrier gpus everywhere but beside jitter",
          .source = "Sinha et al., SC 2022; real_data: fitted on 8-GPU rows of DLPerf 2020",
          .choices = {"auto", "none", "gpus", "real_data"}};
}

double spread_of(const Settings& settings, const TrainingContext& context, bool barrier)
{
  std::string chosen = settings.text("spread", "auto");
  if (chosen == "auto" && (barrier ? known_by_kind(settings, context) : !is_random(context.job.jitter)))
    chosen = "gpus";
  return chosen == "gpus" ? spread_of_equal_gpus : chosen == "real_data" ? of_real_data : 0;
}

std::vector<double> spread_factors(double spread, const TrainingContext& context)
{
  const auto workers = static_cast<int>(context.placement.workers.size());
  std::vector<int> rank(context.placement.workers.size());
  std::iota(rank.begin(), rank.end(), 1);
  RandomStream random = context.random.stream("spread");
  for (std::size_t left = rank.size(); left > 1; --left)
    std::swap(rank[left - 1], rank[random.below(left)]);
  std::vector<double> factors;
  double rate = 0; // of all together, in workers
  for (const int place : rank) {
    factors.push_back(1 + spread * expected_in_order(place, workers));
    rate += 1 / factors.back();
  }
  for (double& factor : factors) // together they are as fast as equal ones
    factor *= rate / workers;
  return factors;
}

Seconds wait_for_slowest(Seconds deviation, int workers)
{
  return deviation > Seconds{} ? deviation * expected_maximum(workers) : Seconds{};
}

double jitter_factor(const JitterSpec& jitter, const Random& random, int worker, int step)
{
  const double variation = jitter.coefficient_of_variation;
  if (!is_random(jitter))
    return 1;
  RandomStream stream = random.stream("jitter/" + std::to_string(worker) + "/" + std::to_string(step));
  if (jitter.distribution == "normal")
    return std::max(0.01, stream.normal(1, variation));
  if (jitter.distribution == "log_normal") {
    const double sigma = std::sqrt(std::log1p(variation * variation));
    return stream.log_normal(std::exp(-0.5 * sigma * sigma), sigma);
  }
  if (jitter.distribution == "gamma")
    return stream.gamma(1 / (variation * variation), variation * variation);
  if (jitter.distribution == "exponential_tail") {
    const double tail = std::min(variation, 1.0);
    return 1 - tail + stream.exponential(tail);
  }
  throw std::invalid_argument{"unknown jitter distribution '" + jitter.distribution +
                              "'; it is one of none, normal, log_normal, gamma, exponential_tail"};
}

} // namespace trainyard
