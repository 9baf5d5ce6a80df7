// SPDX-License-Identifier: Apache-2.0
#include "sim/export/exporter.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace trainyard {

std::string ManifestNames::of(const std::string& text, std::vector<std::string>& notes)
{
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  while (!name.empty() && name.front() == '-')
    name.erase(name.begin());
  name.resize(std::min<std::size_t>(name.size(), 50));
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  const std::string start = name.empty() ? "unnamed" : name;
  name = start;
  for (int number = 2; !taken_.insert(name).second; ++number)
    name = fmt::format("{}-{}", start, number);
  if (start != lower_case(text))
    notes.push_back(fmt::format("the name '{}': it is '{}' there", text, name));
  return name;
}

int servers_of(const JobSpec& job)
{
  return job.training.settings.integer("servers", 0);
}

bool on_gpus(const JobSpec& job)
{
  return job.training.settings.text("device", "gpu") == "gpu";
}

} // namespace trainyard
