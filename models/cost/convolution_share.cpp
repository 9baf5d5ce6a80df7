// SPDX-License-Identifier: Apache-2.0
#include "models/cost/convolution_share.hpp"

#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>

namespace trainyard {
namespace {

constexpr int measured_batch = 32;
constexpr double least_share = 0.05, most_share = 4;

/// "c64h56w56k64r3s3t1p1q1": input channels, height, width, filters, kernel height and width, stride, padding.
std::optional<Dnn> network_of(const std::string& shape)
{
  int c = 0, h = 0, w = 0, k = 0, r = 0, s = 0, t = 0, p = 0, q = 0;
  if (std::sscanf(shape.c_str(), "c%dh%dw%dk%dr%ds%dt%dp%dq%d", &c, &h, &w, &k, &r, &s, &t, &p, &q) != 9)
    return std::nullopt;
  DnnBuilder builder{shape, "", "", {.channels = c, .height = h, .width = w}};
  builder.convolution("convolution", builder.activation("input", -1), k, {r, s, t, p, q}, false); // not the first layer
  return builder.finish("image");
}

struct Measured {
  std::vector<Dnn> shapes;
  double seconds = 0; // forward and both passes back, of all
};

/// Shapes of which all three passes were measured: an interrupted calibration lacks some.
Measured measured_in(const Profile& profile, const std::string& format)
{
  std::map<std::string, double> times; // by "forward.c64…"
  const std::string begin = "gpu_conv." + format + ".";
  for (const CalibratedCurve& curve : profile.curves)
    if (curve.name.starts_with(begin) && !curve.points.empty())
      times[curve.name.substr(begin.size())] = curve.points.front().median;
  Measured measured;
  const std::string forward = "forward.";
  for (const auto& [name, seconds] : times) {
    if (!name.starts_with(forward))
      continue;
    const std::string shape = name.substr(forward.size());
    const auto input = times.find("backward_data." + shape), weights = times.find("backward_filter." + shape);
    std::optional<Dnn> network = network_of(shape);
    if (!network || input == times.end() || weights == times.end())
      continue;
    measured.seconds += seconds + input->second + weights->second;
    measured.shapes.push_back(std::move(*network));
  }
  return measured;
}

double modelled(const Measured& measured, const Gpu& gpu, const std::string& format)
{
  // simcal measures convolutions of 16 bit with channels last, all others with channels first.
  const KernelHabits kernels{.channels_last = format == "fp16" || format == "bf16"};
  double seconds = 0;
  for (const Dnn& network : measured.shapes) {
    const LayerTimes times =
        roofline_times(network, gpu, {.batch = measured_batch, .precision = format, .kernels = kernels});
    seconds += (times.forward.back() + times.backward.back()).value();
  }
  return seconds;
}

double share_of(const Measured& measured, Gpu gpu, const std::string& format)
{
  gpu.kernel_launch = Seconds{}; // recorded calls start without the host
  double low = least_share, high = most_share;
  for (int i = 0; i < 20; ++i) {
    const double middle = std::sqrt(low * high);
    gpu.convolution_share[format] = middle;
    (modelled(measured, gpu, format) > measured.seconds ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

} // namespace

std::vector<AppliedConstant> convolution_shares(const Profile& profile, const Catalogue& catalogue,
                                                const std::vector<AppliedConstant>& applied)
{
  std::map<std::string, Transport> none;
  std::map<std::string, Gpu> gpus = catalogue.gpus;
  for (const AppliedConstant& constant : applied)
    set_constant(constant, constant.value.value, none, gpus);
  std::vector<AppliedConstant> shares;
  for (const auto& [name, gpu] : gpus)
    for (const auto& [format, peak] : gpu.peak) {
      // simcal measures no convolutions in bf16, whose kernels are those of fp16 with another format.
      const std::string as = format == "bf16" ? "fp16" : format;
      const CalibratedConstant* convolutions = profile.find(fmt::format("gpu.{}.convolution_rate.{}", name, as));
      const CalibratedConstant* rate = profile.find(fmt::format("gpu.{}.rate.{}", name, as));
      if (convolutions == nullptr || rate == nullptr || !(convolutions->value.value > 0) || !(rate->value.value > 0))
        continue;
      const Measured measured = measured_in(profile, as);
      const double fallback = convolutions->value.value / rate->value.value;
      double share = measured.shapes.empty() ? fallback : share_of(measured, gpu, as);
      if (share < 1.01 * least_share || share > 0.99 * most_share) // no share makes the model agree
        share = fallback;
      const auto scaled = [&](double bound) { return share * bound / convolutions->value.value; };
      shares.push_back({AppliedConstant::Of::gpu,
                        name,
                        "convolution_share." + format,
                        {share, scaled(convolutions->value.low), scaled(convolutions->value.high)},
                        convolutions->provenance});
    }
  return shares;
}

} // namespace trainyard
