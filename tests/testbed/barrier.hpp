// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace trainyard::testbed {

/// When a worker may go on: kept by server 0. Synchronous: all have finished this step (staleness 0); bounded: all have
/// finished the step `staleness` before; asynchronous: at once (staleness -1 = no limit).
class StepGate
{
public:
  StepGate(int workers, int staleness) : finished_(static_cast<std::size_t>(workers), -1), staleness_{staleness} {}

  /// Worker has finished @p step; returns when it may begin the next one. False after a minute: somebody is gone.
  bool pass(int worker, int step)
  {
    std::unique_lock lock{mutex_};
    finished_[static_cast<std::size_t>(worker)] = step;
    changed_.notify_all();
    if (staleness_ < 0)
      return true;
    return changed_.wait_for(lock, std::chrono::minutes{1},
                             [&] { return *std::ranges::min_element(finished_) >= step - staleness_; });
  }

  /// A worker that will not come again holds nobody up.
  void leave(int worker)
  {
    const std::lock_guard lock{mutex_};
    finished_[static_cast<std::size_t>(worker)] = 1'000'000'000;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> finished_;
  int staleness_;
};

} // namespace trainyard::testbed
