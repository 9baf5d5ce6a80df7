// SPDX-License-Identifier: Apache-2.0
#include "calibrate/workers.hpp"

#include <algorithm>
#include <sched.h>
#include <utility>

namespace trainyard::calibrate {

Workers::Workers(int count) : begin_{count + 1}, end_{count + 1}, faults_(static_cast<std::size_t>(count))
{
  for (int worker = 0; worker < count; ++worker)
    threads_.emplace_back([this, worker] {
      while (true) {
        begin_.arrive_and_wait();
        if (work_ == nullptr)
          return;
        try {
          (*work_)(worker);
        } catch (...) {
          faults_[static_cast<std::size_t>(worker)] = std::current_exception();
        }
        end_.arrive_and_wait();
      }
    });
}

Workers::~Workers()
{
  work_ = nullptr;
  begin_.arrive_and_wait();
  for (std::thread& thread : threads_)
    thread.join();
}

void Workers::run(const std::function<void(int)>& work)
{
  work_ = &work;
  begin_.arrive_and_wait();
  end_.arrive_and_wait();
  for (std::exception_ptr& fault : faults_)
    if (fault)
      std::rethrow_exception(std::exchange(fault, nullptr));
}

int Workers::all_cores()
{
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace trainyard::calibrate
