// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/gpu_books.hpp"

#include "models/core/conservation.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace trainyard {

bool GpuHolders::taken(const TaskShare& share, Instant from, Instant to)
{
  if (static_cast<std::size_t>(share.node) >= nodes_.size())
    nodes_.resize(static_cast<std::size_t>(share.node) + 1);
  bool taken = false;
  for (std::uint32_t mask = to > from ? share.gpu_mask : 0; mask != 0; mask &= mask - 1) {
    Held& held = nodes_[static_cast<std::size_t>(share.node)][static_cast<std::size_t>(std::countr_zero(mask))];
    const bool whole = share.gpu_milli == 1000;
    taken = taken || from < (whole ? held.any : held.whole);
    held.any = std::max(held.any, to);
    if (whole)
      held.whole = std::max(held.whole, to);
  }
  return taken;
}

void PoolBook::changed(int, const TaskShare* share, int sign)
{
  if (share != nullptr)
    milli_ += static_cast<std::int64_t>(sign) * share->gpus() * share->gpu_milli;
}

void PoolBook::check(Wide accounted, bool kept) const
{
  if (kept ? held_.count() < accounted : held_.count() != accounted)
    not_conserved(fmt::format("GPUs were held for {:.9g} GPU-seconds, and their holders account for {:.9g}",
                              held_.value(), gpu_seconds(accounted)));
}

} // namespace trainyard
