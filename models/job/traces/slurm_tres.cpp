// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/slurm_tres.hpp"

#include "models/core/pieces.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace trainyard {
namespace {

/// "512G", "32000M", "1T" as MiB.
double slurm_mib(std::string_view text)
{
  if (text.empty())
    return 0;
  const char unit = text.back();
  const bool letter = unit == 'K' || unit == 'M' || unit == 'G' || unit == 'T';
  const double number = cell_number(letter ? text.substr(0, text.size() - 1) : text).value_or(0);
  return number * (unit == 'K' ? 1.0 / 1024 : unit == 'G' ? 1024.0 : unit == 'T' ? 1048576.0 : 1.0);
}

} // namespace

SlurmTres slurm_tres(std::string_view text)
{
  SlurmTres tres;
  std::optional<double> all; // of all types
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      continue;
    const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
    const double number = cell_number(value).value_or(std::nan(""));
    if (key == "cpu")
      tres.cpu = number;
    else if (key == "node")
      tres.nodes = number;
    else if (key == "mem")
      tres.memory_mib = slurm_mib(value);
    else if (key == "gres/gpu")
      all = number;
    else if (key.starts_with("gres/gpu:")) {
      tres.gpus += number;
      if (const auto profile = mig_profile(key.substr(9)); profile && number >= 0 && number <= 1e6) {
        tres.slices.emplace_back(*profile, static_cast<int>(number));
        tres.cut_type = without_mig_profile(key.substr(9));
      } else {
        tres.type = key.substr(9);
      }
    } else if (key == "gres/shard") {
      tres.shards = number;
    }
  }
  tres.gpus = all.value_or(tres.gpus);
  return tres;
}

std::string tres_of_gres(std::string_view gres, double nodes)
{
  std::string tres;
  for (const std::string& item : split(gres, ',')) {
    std::vector<std::string> parts = split(item.substr(0, item.find('(')), ':');
    if (parts.front() == "gres")
      parts.erase(parts.begin());
    if (parts.empty() || parts.front() != "gpu")
      continue;
    const auto count = cell_number(parts.back());
    const std::size_t type = parts.size() - (count ? 1 : 0);
    tres += fmt::format("gres/gpu{}={:g},", type > 1 ? ":" + parts[1] : "", count.value_or(1) * std::max(1.0, nodes));
  }
  return tres;
}

SlurmGpus slurm_gpus(const SlurmTres& use)
{
  SlurmGpus held{.gpus = static_cast<int>(use.gpus)};
  int slices = 0;
  for (const auto& [profile, count] : use.slices)
    slices += count;
  if (slices == 0 || slices > held.gpus)
    return held;
  held.slices = slices;
  const MigGpu gpu = mig_gpu(use.cut_type, 0, use.slices.front().first);
  int nodes = std::max(1, static_cast<int>(std::min(use.nodes, 1e6)));
  if (std::ranges::any_of(use.slices, [&](const auto& some) { return some.second % nodes != 0; }))
    nodes = 1; // how they lie is not said
  MigSlices of_node = use.slices;
  double share = 0;
  for (auto& [profile, count] : of_node) {
    share += count * mig_share(profile, gpu);
    count /= nodes;
  }
  const int cut = nodes * mig_gpus(of_node, gpu);
  if (cut == 1 && slices == held.gpus && share < 0.9995)
    held.milli = std::max(1, thousandths(share));
  held.gpus += cut - slices;
  return held;
}

} // namespace trainyard
