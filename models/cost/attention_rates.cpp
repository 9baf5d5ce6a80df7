// SPDX-License-Identifier: Apache-2.0
#include "models/cost/attention_rates.hpp"

#include "models/hardware/measured_rates.hpp"

#include <cmath>
#include <optional>
#include <vector>

namespace trainyard {
namespace {

constexpr double seconds_of_random_number = 1.15e-12 * 132; // of a multiprocessor

/// The curve of the kernel at @p tokens; nullopt: there is none.
std::optional<AttentionPoint> attention_at(const MeasuredRates& measured, const std::string& kernel, double tokens)
{
  auto curve = measured.attention.find(kernel);
  if (curve == measured.attention.end())
    curve = measured.attention.find("flash2");
  if (curve == measured.attention.end() || curve->second.empty())
    return std::nullopt;
  const std::vector<AttentionPoint>& points = curve->second;
  if (tokens <= points.front().tokens)
    return points.front();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const AttentionPoint &before = points[i - 1], &next = points[i];
    if (tokens > next.tokens)
      continue;
    const double share = std::log(tokens / before.tokens) / std::log(next.tokens / before.tokens);
    return AttentionPoint{tokens, before.forward + (next.forward - before.forward) * share,
                          before.backward + (next.backward - before.backward) * share};
  }
  return points.back();
}

} // namespace

AttentionRates fused_attention_rates(const Gpu& gpu, const std::string& kernel, double tokens, double head_width,
                                     double products)
{
  const MeasuredRates& measured = gpu.measured ? *gpu.measured : measured_rates(gpu.name);
  const double narrow = head_width < 128 ? measured.narrow_heads : 1;
  AttentionRates rates{.forward = 0.65 * narrow * products, .backward = 0.55 * narrow * products};
  if (const auto curve = attention_at(measured, kernel, tokens))
    rates = {.forward = curve->forward.value() * narrow, .backward = curve->backward.value() * narrow};
  if (gpu.multiprocessors > 0)
    rates.dropout = seconds_of_random_number / gpu.multiprocessors;
  return rates;
}

} // namespace trainyard
