// SPDX-License-Identifier: Apache-2.0
#include "models/results/verdict.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace trainyard {

const char* to_text(Ruling ruling)
{
  switch (ruling) {
  case Ruling::cannot_run:
    return "cannot run";
  case Ruling::misses:
    return "missed";
  case Ruling::too_close:
    return "undecided";
  case Ruling::meets:
    return "met";
  default:
    return "runs";
  }
}

std::string needs_text(int gpus, std::int64_t cpu_milli, std::int64_t memory_mib, bool down)
{
  std::vector<std::string> parts;
  if (gpus > 0)
    parts.push_back(counted(gpus, "GPU"));
  if (cpu_milli > 0)
    parts.push_back(fmt::format("{:g} CPU cores", static_cast<double>(cpu_milli) / 1000));
  if (memory_mib > 0)
    parts.push_back(memory_mib < 1024 ? fmt::format("{} MiB of memory", memory_mib)
                                      : fmt::format("{} GiB of memory", (memory_mib + (down ? 0 : 1023)) / 1024));
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text;
}

void Remedy::cover(const Remedy& other)
{
  gpus = std::max(gpus, other.gpus);
  cpu_milli = std::max(cpu_milli, other.cpu_milli);
  memory_mib = std::max(memory_mib, other.memory_mib);
  machines = std::max(machines, other.machines);
}

std::string Remedy::text() const
{
  const std::string larger = needs_text(gpus, cpu_milli, memory_mib);
  std::string text = larger.empty() ? std::string{} : "machines with " + larger;
  if (machines > 0)
    text += fmt::format("{}{} more machine{}", text.empty() ? "" : " and ", machines, machines == 1 ? "" : "s");
  return text;
}

std::string Verdict::text() const
{
  return to_text(ruling) + (why.empty() ? "" : ": " + why) + (change.empty() ? "" : "; it helps: " + change);
}

} // namespace trainyard
