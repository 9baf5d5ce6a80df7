// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/saving_gpus.hpp"

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::size_t gpus_of_a_machine = 32;

} // namespace

void SavingGpus::hold(const Allocation& held, Saver saver)
{
  if (held.shares.empty()) {
    std::vector<Counted>& pool = pools_[held.gpu_type];
    const auto place =
        std::ranges::upper_bound(pool, saver.until, {}, [](const Counted& one) { return one.saver.until; });
    pool.insert(place, {saver, held.gpus});
    return;
  }
  for (const TaskShare& share : held.shares) {
    std::vector<Saver>& gpus = nodes_[share.node];
    gpus.resize(gpus_of_a_machine);
    for (std::size_t gpu = 0; gpu < gpus_of_a_machine; ++gpu)
      if ((share.gpu_mask >> gpu & 1u) != 0 && gpus[gpu].until < saver.until)
        gpus[gpu] = saver;
  }
}

std::optional<SavingGpus::Saver> SavingGpus::take(const Allocation& taken, int free_before, Instant now)
{
  std::optional<Saver> last;
  if (!taken.shares.empty()) {
    for (const TaskShare& share : taken.shares) {
      const auto known = nodes_.find(share.node);
      if (known == nodes_.end())
        continue;
      for (std::size_t gpu = 0; gpu < gpus_of_a_machine; ++gpu)
        if (const Saver& saver = known->second[gpu];
            (share.gpu_mask >> gpu & 1u) != 0 && saver.until > now && (!last || saver.until > last->until))
          last = saver;
    }
    return last;
  }
  std::vector<Counted>& pool = pools_[taken.gpu_type];
  std::erase_if(pool, [&](const Counted& one) { return one.saver.until <= now; });
  int ready = free_before;
  for (const Counted& one : pool)
    ready -= one.gpus;
  int wanted = taken.gpus - std::max(ready, 0);
  while (wanted > 0 && !pool.empty()) {
    Counted& first = pool.front();
    const int used = std::min(wanted, first.gpus);
    last = first.saver;
    wanted -= used;
    first.gpus -= used;
    if (first.gpus == 0)
      pool.erase(pool.begin());
  }
  return last;
}

} // namespace trainyard
