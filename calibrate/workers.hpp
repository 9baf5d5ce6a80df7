// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <barrier>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace trainyard::calibrate {

/// Threads that do the same thing at the same time, repeatedly.
class Workers
{
public:
  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  /// Calls work(0) … work(count - 1), one per thread, and returns when all have ended. Throws again what one of
  /// them threw: an exception must not leave its thread.
  void run(const std::function<void(int)>& work);

  /// As many as this process may use.
  static int all_cores();

private:
  std::barrier<> begin_;
  std::barrier<> end_;
  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::exception_ptr> faults_; // of each thread
  std::vector<std::thread> threads_;
};

} // namespace trainyard::calibrate
