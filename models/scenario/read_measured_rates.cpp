// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/hardware/measured_rates.hpp"
#include "models/scenario/catalogue_files.hpp"

#include <algorithm>
#include <tuple>

namespace trainyard {
namespace {

struct NamedAttention {
  std::string kernel;
  AttentionPoint point;
};

void attention_fields(Fields& keys, NamedAttention& one)
{
  keys.text("kernel", one.kernel, "flash, flash2, flash1", {.required = true});
  int tokens = 0;
  keys.integer("tokens", tokens, "of a sequence", {.least = 1, .required = true});
  one.point.tokens = tokens;
  keys.quantity("forward", one.point.forward, "rate", {.example = "500 TFLOP/s", .least = 1, .required = true});
  keys.quantity("backward", one.point.backward, "rate", {.example = "400 TFLOP/s", .least = 1, .required = true});
}

void all_reduce_fields(Fields& keys, AllReducePoint& point)
{
  keys.integer("ranks", point.ranks, "GPUs", {.least = 2, .required = true});
  keys.quantity("size", point.size, "payload", {.example = "1 MiB", .least = 1, .required = true});
  keys.quantity("bus_bandwidth", point.bus_bandwidth, "as nccl-tests count it",
                {.example = "200 GB/s", .least = 1, .required = true});
}

/// What @p keys say, over what is in @p rates.
void read_rates(Fields& keys, MeasuredRates& rates)
{
  keys.map("products", "highest rate of products by number format", [&](Fields& formats, const std::string& format) {
    rates.products[format] = FlopsPerSecond{formats.reader().quantity(format, QuantityKind::flops_rate, 0, 1)};
  });
  std::vector<NamedAttention> attention;
  keys.list<NamedAttention>("attention", attention, "a point", "rates of fused attention", attention_fields);
  for (const NamedAttention& one : attention)
    rates.attention[one.kernel].clear();
  for (const NamedAttention& one : attention)
    rates.attention[one.kernel].push_back(one.point);
  for (auto& [kernel, points] : rates.attention)
    std::ranges::sort(points, {}, &AttentionPoint::tokens);
  keys.number("narrow_heads", rates.narrow_heads, "share of the rates that heads of 64 reach",
              {.least = 0.1, .most = 1});
  keys.number("grouped", rates.grouped, "rate of equal products in one call over that of one product",
              {.least = 0.01, .most = 1});
  keys.quantity("kernel_gap", rates.kernel_gap, "from a kernel to the next", {.example = "0.9 us", .least = 0});
  keys.quantity("graph_gap", rates.graph_gap, "the same in a CUDA graph", {.example = "0.5 us", .least = 0});
  keys.integer("collective_channels", rates.collective_channels, "multiprocessors that a collective takes");
  std::vector<AllReducePoint> all_reduce;
  keys.list<AllReducePoint>("all_reduce", all_reduce, "a point", "all-reduce in one machine", all_reduce_fields);
  for (const AllReducePoint& point : all_reduce) // the curve of these ranks is a new one
    std::erase_if(rates.all_reduce, [&](const AllReducePoint& old) { return old.ranks == point.ranks; });
  rates.all_reduce.insert(rates.all_reduce.end(), all_reduce.begin(), all_reduce.end());
  std::ranges::sort(rates.all_reduce, {}, [](const AllReducePoint& p) { return std::tuple{p.ranks, p.size}; });
}

std::map<std::string, MeasuredRates> load_measured_rates()
{
  std::map<std::string, MeasuredRates> by_gpu;
  Diagnostics diagnostics;
  const std::filesystem::path folder = data_folder() / "models" / "hardware" / "catalogue" / "measured";
  for_each_catalogue_file(folder, diagnostics, [&](Fields& keys, const std::string&) {
    MeasuredRates rates;
    read_rates(keys, rates);
    for (const std::string& gpu : keys.reader().texts("gpus"))
      by_gpu[gpu] = rates;
  });
  diagnostics.throw_if_errors();
  return by_gpu;
}

} // namespace

std::map<std::string, MeasuredRates> read_measured_rates(const std::filesystem::path& file)
{
  std::map<std::string, MeasuredRates> by_gpu;
  Diagnostics diagnostics;
  read_catalogue_file(file, diagnostics, [&](Fields& keys, const std::string&) {
    for (const std::string& gpu : keys.reader().texts("gpus"))
      by_gpu[gpu] = measured_rates(gpu);
    if (by_gpu.empty())
      keys.reader().error("gpus", "name the GPU of the catalogue that was measured: gpus: [H100-SXM5]");
    for (auto& [gpu, rates] : by_gpu)
      if (!diagnostics.has_errors()) // of several GPUs each fault is told once
        read_rates(keys, rates);
  });
  diagnostics.throw_if_errors();
  return by_gpu;
}

const MeasuredRates& measured_rates(const std::string& gpu)
{
  static const std::map<std::string, MeasuredRates> all = load_measured_rates();
  static const MeasuredRates none;
  const auto found = all.find(gpu);
  return found == all.end() ? none : found->second;
}

} // namespace trainyard
