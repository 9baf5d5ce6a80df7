// SPDX-License-Identifier: Apache-2.0
#include "sim/export/manifests.hpp"

#include <cctype>

namespace trainyard {

std::string manifest_name(const std::string& text)
{
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  while (!name.empty() && name.front() == '-')
    name.erase(name.begin());
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  return name.empty() ? "unnamed" : name.substr(0, 60);
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
