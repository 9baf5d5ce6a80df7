// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/slurm_tres.hpp"

#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <cmath>
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

double slurm_mig_slices(std::string_view type)
{
  for (std::size_t at = type.find("g."); at != std::string_view::npos; at = type.find("g.", at + 1))
    if (at > 0 && type[at - 1] >= '1' && type[at - 1] <= '7' && (at == 1 || type[at - 2] == '_' || type[at - 2] == '-'))
      return type[at - 1] - '0';
  return 0;
}

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
      if (const double slices = slurm_mig_slices(key.substr(9)); slices > 0) {
        tres.slices += number;
        tres.mig_slices += number * slices;
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

} // namespace trainyard
