// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <vector>

namespace trainyard {

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
