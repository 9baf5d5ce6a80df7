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
        known->second.push_back({1.0 * batch, point->step, point->step - point->exposed});
  return known->second;
}

std::optional<BatchChoice> ModelGoodput::best(const std::string& shape, double done, double sharers) const
{
  const Knots& steps = knots(shape, sharers);
  if (steps.empty())
    return std::nullopt;
  const double gpus = gpus_of_shape(shape), phi = noise_scale(done), initial = spec_.initial_batch;
  const double at_once = gpus * steps.back().batch; // the largest batch of one step
  const double least = std::max(initial, gpus * steps.front().batch);
  const double most = std::max(spec_.most_batch, spec_.initial_batch);
  std::optional<BatchChoice> best;
  for (int extra = 0; extra <= spec_.accumulation; ++extra) { // steps without exchange
    double from = std::max(least, extra * at_once), to = std::min(most, (extra + 1) * at_once);
    if (gpus == 1 && extra == 0 && spec_.accumulation > 0)
      to = std::min(to, initial);
    else if (gpus == 1 && extra == 1)
      from = std::max(least, std::min(initial, at_once));
    const auto consider = [&](double batch, Seconds step) {
      const BatchChoice choice{batch, step, statistical_efficiency(phi, initial, batch), extra};
      if (!best || choice.goodput() > best->goodput())
        best = choice;
    };
    const double parts = gpus * (extra + 1);
    for (std::size_t i = steps.size() == 1 ? 0 : 1; i < steps.size(); ++i) {
      const Knot &lower = steps[i == 0 ? 0 : i - 1], &upper = steps[i];
      const double first = std::max(from, parts * lower.batch), last = std::min(to, parts * upper.batch);
      if (first > last)
        continue;
      const Seconds begin = lower.step + 1.0 * extra * lower.computing,
                    end = upper.step + 1.0 * extra * upper.computing;
      const double width = parts * (upper.batch - lower.batch);
      const Seconds slope = width > 0 ? (end - begin) / width : Seconds{0}; // of a sample
      const Seconds constant = begin - parts * lower.batch * slope;
      for (const double batch : {first, last})
        consider(batch, constant + batch * slope);
      if (constant > Seconds{0} && slope > Seconds{0}) {
        const double turn = std::sqrt(phi * (constant / slope));
        if (turn > first && turn < last)
          consider(turn, constant + turn * slope);
      }
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
