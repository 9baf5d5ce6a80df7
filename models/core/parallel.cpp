// SPDX-License-Identifier: Apache-2.0
#include "models/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace trainyard {

void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work)
{
  std::vector<std::exception_ptr> faults(count);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      try {
        work(i);
      } catch (...) {
        faults[i] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    while (others.size() + 1 < std::min(threads, count))
      others.emplace_back(take);
    take();
  }
  for (const std::exception_ptr& fault : faults)
    if (fault)
      std::rethrow_exception(fault);
}

} // namespace trainyard
