// SPDX-License-Identifier: Apache-2.0
#include "calibrate/rates_file.hpp"

#include "calibrate/layer_products.hpp"
#include "calibrate/measurement.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace trainyard::calibrate {
namespace {

/// "gpu_attention.forward.128.4096" -> {"forward", "128", "4096"}; empty where @p name is of something else.
std::vector<std::string> parts_behind(const std::string& measurement, const std::string& name)
{
  std::vector<std::string> parts;
  if (!name.starts_with(measurement + "."))
    return parts;
  for (std::size_t begin = measurement.size() + 1; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

double rate_of(const CurvePoint& point)
{
  return point.median > 0 ? point.size / point.median : 0;
}

double highest_rate(const CalibratedCurve& curve)
{
  double highest = 0;
  for (const CurvePoint& point : curve.points)
    highest = std::max(highest, rate_of(point));
  return highest;
}

std::string tflops(double rate)
{
  return to_string(rate / 1e12, 5) + " TFLOP/s";
}

struct Products {
  double highest = 0;
  std::map<std::string, double> single; // by shape
  std::vector<std::pair<ProductShape, double>> grouped;
};

std::map<std::string, Products> products_by_type(const Profile& profile)
{
  std::map<std::string, Products> types;
  for (const CalibratedCurve& curve : profile.curves) {
    const std::vector<std::string> all = parts_behind("gpu_products", curve.name),
                                   cubes = parts_behind("gpu_gemm", curve.name);
    if (cubes.size() == 1 && (cubes[0] == "bf16" || cubes[0] == "fp16" || cubes[0] == "fp8"))
      types[cubes[0]].highest = std::max(types[cubes[0]].highest, highest_rate(curve));
    if (all.size() != 2)
      continue;
    Products& of = types[all[0]];
    const ProductShape shape = read_shapes(all[1], curve.name).front();
    const double rate = highest_rate(curve);
    if (shape.groups > 1) {
      of.grouped.emplace_back(shape, rate);
      continue;
    }
    of.single[all[1]] = rate;
    of.highest = std::max(of.highest, rate);
  }
  return types;
}

std::string products_text(const Profile& profile, bool& found)
{
  std::string text, list, shares;
  double share = 0;
  int grouped = 0;
  for (const auto& [type, of] : products_by_type(profile)) {
    if (of.highest <= 0)
      continue;
    list += (list.empty() ? "" : ", ") + type + ": " + tflops(of.highest);
    for (const auto& [shape, rate] : of.single)
      text += "  # " + type + " " + shape + ": " + tflops(rate) + "\n";
    for (const auto& [shape, rate] : of.grouped) {
      const auto same = of.single.find(to_text({shape.rows * shape.groups, shape.columns, shape.depth}));
      const double one = rate / (same != of.single.end() ? same->second : of.highest);
      share += std::min(1.0, one);
      ++grouped;
      text += "  # " + type + " " + to_text(shape) + ": " + tflops(rate) + "\n";
    }
  }
  if (list.empty())
    return {};
  found = true;
  text =
      "products: {" + list + "} # the highest; each shape, rows x columns x depth (x products in one call):\n" + text;
  if (grouped > 0)
    text += "grouped: " + to_string(share / grouped, 3) + "\n";
  return text;
}

std::string attention_text(const Profile& profile, bool& found)
{
  // by head width and tokens: forward, backward
  std::map<int, std::map<int, std::pair<double, double>>> rates;
  for (const CalibratedCurve& curve : profile.curves)
    if (const std::vector<std::string> parts = parts_behind("gpu_attention", curve.name); parts.size() == 3) {
      const int head = as_number<int>(parts[1]).value_or(0), tokens = as_number<int>(parts[2]).value_or(0);
      if (head < 1 || tokens < 1)
        continue;
      const double below_the_mask = highest_rate(curve) * tokens / (tokens + 128);
      auto& [forward, backward] = rates[head][tokens];
      (parts[0] == "forward" ? forward : backward) = below_the_mask;
    }
  std::string text;
  double narrow = 0;
  int pairs = 0;
  for (const auto& [tokens, both] : rates[128]) {
    if (both.first <= 0 || both.second <= 0)
      continue;
    text += "  - {kernel: flash, tokens: " + std::to_string(tokens) + ", forward: " + tflops(both.first) +
            ", backward: " + tflops(both.second) + "}\n";
    if (const auto other = rates[64].find(tokens); other != rates[64].end() && other->second.first > 0) {
      narrow += std::min(1.0, other->second.first / both.first);
      ++pairs;
    }
  }
  if (text.empty())
    return {};
  found = true;
  text = "attention: # measured without a mask, times tokens / (tokens + 128): tiles on the diagonal are computed "
         "whole\n" +
         text;
  return pairs > 0 ? text + "narrow_heads: " + to_string(narrow / pairs, 3) + "\n" : text;
}

/// Kernels of one and of two units: what the first takes less than half of the second is not the kernel.
std::string gaps_text(const Profile& profile, bool& found)
{
  std::string text;
  for (const auto& [curve_name, key] :
       {std::pair{"gpu_launch.stream", "kernel_gap"}, {"gpu_launch.graph", "graph_gap"}})
    for (const CalibratedCurve& curve : profile.curves) {
      if (curve.name != curve_name || curve.points.size() < 2)
        continue;
      const double gap = 2 * curve.points[0].median - curve.points[1].median;
      text += std::string{key} + ": " + to_string(std::max(0.0, gap) * 1e6, 3) + " us\n";
      found = true;
    }
  return text;
}

std::string all_reduce_text(const Profile& profile, bool& found)
{
  std::map<int, std::string> by_ranks;
  for (const CalibratedCurve& curve : profile.curves)
    if (const std::vector<std::string> parts = parts_behind("gpu_all_reduce", curve.name); parts.size() == 1) {
      const int ranks = as_number<int>(parts[0]).value_or(0);
      for (const CurvePoint& point : curve.points)
        if (ranks > 1 && point.median > 0)
          by_ranks[ranks] += "  - {ranks: " + parts[0] + ", size: " + to_string(point.size / 1024, 10) +
                             " KiB, bus_bandwidth: " + to_string(rate_of(point) * 2 * (ranks - 1) / ranks / 1e9, 5) +
                             " GB/s}\n";
    }
  std::string text;
  for (const auto& [ranks, points] : by_ranks)
    text += points;
  found = found || !text.empty();
  return text.empty() ? text : "all_reduce: # bus bandwidth\n" + text;
}

} // namespace

std::string rates_text(const Profile& profile)
{
  std::vector<std::string> gpus = measured_gpus(profile);
  if (gpus.empty()) // nothing of it is a constant
    for (const auto& [fact, value] : profile.machine)
      if (fact == "gpu 0 name")
        gpus.push_back(catalogue_name(value));
  if (gpus.size() != 1)
    throw InputError{"calibration '" + profile.name + "' is of " + (gpus.empty() ? "no GPU" : "several GPUs") +
                     "; measure one kind: simcal run --only gpu_gemm,gpu_products,gpu_attention,gpu_launch,"
                     "gpu_all_reduce"};
  bool found = false;
  const std::string products = products_text(profile, found), attention = attention_text(profile, found);
  const std::string gaps = gaps_text(profile, found), all_reduce = all_reduce_text(profile, found);
  if (!found)
    throw InputError{"calibration '" + profile.name +
                     "' has neither products, attention, launches nor all-reduces of "
                     "the GPU; measure them: simcal run --only gpu_gemm,gpu_products,gpu_attention,gpu_launch,"
                     "gpu_all_reduce"};
  std::string doubtful;
  for (const CalibratedCurve& curve : profile.curves)
    for (const CurvePoint& point : curve.points)
      if (!point.state.empty() && doubtful.find(curve.name) == std::string::npos && curve.name.starts_with("gpu_"))
        doubtful += "# " + curve.name + ": " + point.state + "\n";
  return "name: " + gpus.front() + "\ngpus: [" + gpus.front() + "]\n" + doubtful + products + attention + gaps +
         all_reduce + "source: \"" + profile.program + ", " + profile.created + "\"\n";
}

} // namespace trainyard::calibrate
