// SPDX-License-Identifier: Apache-2.0
#include "models/job/rendezvous.hpp"

#include <algorithm>

namespace trainyard {

std::vector<std::string> missing_tasks(const RendezvousSpec& spec, std::optional<Seconds> time)
{
  std::vector<std::string> names;
  for (const JoiningTask& task : spec.tasks)
    if (!task.joins || (time && *task.joins > *time))
      names.push_back(task.name);
  return names;
}

std::optional<Seconds> last_join(const RendezvousSpec& spec)
{
  Seconds last;
  for (const JoiningTask& task : spec.tasks) {
    if (!task.joins)
      return std::nullopt;
    last = std::max(last, *task.joins);
  }
  return last;
}

} // namespace trainyard
