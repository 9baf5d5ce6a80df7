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

GpuMemory::GpuMemory(const ClusterShape& shape, bool isolated) : isolated_{isolated}
{
  std::size_t gpus = 0;
  for (const NodeShape& node : shape.nodes) {
    capacity_.push_back(node.gpu_memory_mib);
    offsets_.push_back(gpus);
    gpus += static_cast<std::size_t>(node.gpus);
  }
  used_.assign(gpus, 0);
}

template <class Use>
void GpuMemory::for_each_gpu(const Allocation& held, const Use& use) const
{
  for (const TaskShare& share : held.shares)
    for (std::size_t gpu = 0; gpu < 32; ++gpu)
      if ((share.gpu_mask >> gpu & 1u) != 0)
        use(static_cast<std::size_t>(share.node), offsets_[static_cast<std::size_t>(share.node)] + gpu,
            share.gpu_milli);
}

bool GpuMemory::take_known(const Allocation& held, int mib)
{
  bool lives = true;
  for_each_gpu(held, [&](std::size_t node, std::size_t gpu, int milli) {
    if (capacity_[node] == 0)
      return;
    if (isolated_)
      lives = lives && mib <= capacity_[node] * milli / 1000;
    else
      lives = lives && used_[gpu] + mib <= capacity_[node];
  });
  if (lives)
    for_each_gpu(held, [&](std::size_t, std::size_t gpu, int) { used_[gpu] += mib; });
  return lives;
}

void GpuMemory::give_known(const Allocation& held, int mib)
{
  for_each_gpu(held, [&](std::size_t, std::size_t gpu, int) { used_[gpu] -= mib; });
}

} // namespace trainyard
