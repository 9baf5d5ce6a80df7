// SPDX-License-Identifier: Apache-2.0
#include "models/hardware/catalogue.hpp"

#include "models/core/closest.hpp"

#include <stdexcept>

namespace trainyard {

std::vector<std::string> Catalogue::gpu_names() const
{
  return keys_of(gpus);
}

std::vector<std::string> Catalogue::cpu_names() const
{
  return keys_of(cpus);
}

std::vector<std::string> Catalogue::link_names() const
{
  return keys_of(links);
}

std::vector<std::string> Catalogue::transport_names() const
{
  return keys_of(transports);
}

std::vector<std::string> Catalogue::era_names() const
{
  return keys_of(eras);
}

void Catalogue::use_era(const std::string& name)
{
  const auto found = eras.find(name);
  if (found == eras.end())
    throw std::invalid_argument{"unknown era '" + name + "'" + did_you_mean(name, era_names())};
  for (auto& [transport, model] : transports)
    if (const auto table = found->second.supports.find(model.settings.text("variant_of", transport));
        table != found->second.supports.end())
      model.supports = table->second;
}

} // namespace trainyard
