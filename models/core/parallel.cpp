// SPDX-License-Identifier: Apache-2.0
#include "models/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace trainyard {

void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work)
{
  in_parallel(std::vector<double>(count), threads, work);
}

void in_parallel(std::span<const double> sizes, std::size_t threads, const std::function<void(std::size_t)>& work)
{
  const std::size_t count = sizes.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (threads > 1)
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sizes[i]; });
  std::vector<std::exception_ptr> faults(count);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t place = next++; place < count; place = next++)
      try {
        work(order[place]);
      } catch (...) {
        faults[order[place]] = std::current_exception();
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
