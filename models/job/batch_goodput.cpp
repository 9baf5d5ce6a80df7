// SPDX-License-Identifier: Apache-2.0
#include "models/job/batch_goodput.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainyard {
double statistical_efficiency(double noise_scale, double initial_batch, double batch)
{
  return (noise_scale + initial_batch) / (noise_scale + batch);
}

ModelGoodput::ModelGoodput(const GoodputSpec& spec, std::map<int, StepProfile> steps)
    : spec_{spec}, steps_{std::move(steps)}
{
  if (steps_.empty())
    throw std::invalid_argument{"the table of steps has no rows"};
  const double overlap = overlap_share(steps_);
  for (auto& [batch, profile] : steps_)
    profile.overlap = overlap;
}

double ModelGoodput::noise_scale(double done) const
{
  double value = 0;
  for (const NoisePhase& phase : spec_.noise_scale)
    if (phase.from <= done)
      value = phase.value;
  return value;
}

double ModelGoodput::steady_until(double done) const
{
  for (const NoisePhase& phase : spec_.noise_scale)
    if (phase.from > done)
      return phase.from;
  return 1;
}

const ModelGoodput::Knots& ModelGoodput::knots(const std::string& shape, double sharers) const
{
  const auto [known, fresh] = known_.try_emplace({shape, sharers});
  if (fresh)
    for (const auto& [batch, profile] : steps_)
      if (const auto point = profile.predict(shape, sharers);
          point && (spec_.most_per_gpu == 0 || batch <= spec_.most_per_gpu))
        known->second.emplace_back(batch, point->step);
  return known->second;
}

std::optional<BatchChoice> ModelGoodput::best(const std::string& shape, double done, double sharers) const
{
  const Knots& steps = knots(shape, sharers);
  if (steps.empty())
    return std::nullopt;
  const double gpus = gpus_of_shape(shape), phi = noise_scale(done), initial = spec_.initial_batch;
  const double least = std::max(initial, gpus * steps.front().first);
  const double most = std::min<double>(std::max(spec_.most_batch, spec_.initial_batch), gpus * steps.back().first);
  if (least > most)
    return std::nullopt;
  std::optional<BatchChoice> best;
  const auto consider = [&](double batch, Seconds step) {
    const BatchChoice choice{batch, step, statistical_efficiency(phi, initial, batch)};
    if (!best || choice.goodput() > best->goodput())
      best = choice;
  };
  if (steps.size() == 1)
    consider(least, steps.front().second); // least = most
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double from = gpus * steps[i - 1].first, to = gpus * steps[i].first;
    const double first = std::max(least, from), last = std::min(most, to);
    if (first > last)
      continue;
    const Seconds slope = (steps[i].second - steps[i - 1].second) / (to - from); // of a sample
    const Seconds constant = steps[i - 1].second - from * slope;
    for (const double batch : {first, last})
      consider(batch, constant + batch * slope);
    if (constant > Seconds{0} && slope > Seconds{0}) {
      const double turn = std::sqrt(phi * (constant / slope));
      if (turn > first && turn < last)
        consider(turn, constant + turn * slope);
    }
  }
  return best;
}

double GoodputTables::reference(int model, int gpus, int gpu_type) const
{
  const ModelGoodput* goodput = find(model, gpu_type);
  if (goodput == nullptr)
    return 0;
  const std::optional<BatchChoice> choice = goodput->best(packed(gpus, gpu_type), 0);
  return choice ? choice->goodput() : 0;
}

} // namespace trainyard
