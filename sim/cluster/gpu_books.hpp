// SPDX-License-Identifier: Apache-2.0
// What must hold of the GPUs of every run: a GPU has one holder at a time, and what is held is what somebody accounts
// for.
#pragma once
#include "sim/cluster/gpu_time.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/cluster/resources.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace trainyard {

/// Stays on GPUs of machines, in order of their ends. Parts of a GPU may be held together; the pool of machines sees to
/// it that they are no more than the GPU.
class GpuHolders
{
public:
  /// Whether somebody else holds one of these GPUs for some of this time.
  bool taken(const TaskShare& share, Instant from, Instant to);

private:
  /// Until when a GPU is held as a whole, and at all.
  struct Held {
    Instant whole, any;
  };
  std::vector<std::array<Held, 32>> nodes_;
};

/// The time for which GPUs of a pool are held, whoever does so: a source that does nothing, beside those that do.
class PoolBook final : public Source, private NodeWatcher
{
public:
  /// @p pool is empty, and lives as long as this.
  explicit PoolBook(NodePool& pool) { pool.watch(*this); }
  std::optional<Instant> next() const override { return std::nullopt; }
  void forward(Instant now) override
  {
    held_ += {milli_, now - now_};
    now_ = now;
  }
  void act(Instant) override {}
  /// Throws (not_conserved) where the holders account for another time than the GPUs, in the unit of GpuTime::count().
  /// @p kept: GPUs may be kept for somebody who does not account for them yet.
  void check(Wide accounted, bool kept = false) const;

private:
  void changed(int node, const TaskShare* share, int sign) override;

  std::int64_t milli_ = 0; // held now
  Instant now_;
  GpuTime held_;
};

/// The memory that the processes on each GPU really hold, independent of what the scheduler counts.
///
/// Not isolated: a new process dies if the GPU has less free memory than it needs (cudaMalloc fails for the last
/// process). Isolated: a process is held to the share that was given to it (TensorFlow's
/// per_process_gpu_memory_fraction, cGPU), and dies where that is too small.
class GpuMemory
{
public:
  GpuMemory(const ClusterShape& shape, bool isolated);

  /// Whether the job's processes live at this place; then the memory is theirs. @p mib on each GPU; 0: not known,
  /// lives.
  bool take(const Allocation& held, int mib) { return mib == 0 || take_known(held, mib); }
  void give(const Allocation& held, int mib)
  {
    if (mib != 0)
      give_known(held, mib);
  }

private:
  bool take_known(const Allocation& held, int mib);
  void give_known(const Allocation& held, int mib);
  template <class Use>
  void for_each_gpu(const Allocation& held, const Use& use) const;

  bool isolated_;
  std::vector<std::int64_t> capacity_; // of a GPU of each machine; 0 = not known
  std::vector<std::size_t> offsets_;
  std::vector<std::int64_t> used_;
};

} // namespace trainyard
