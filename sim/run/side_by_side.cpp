// SPDX-License-Identifier: Apache-2.0
#include "sim/run/simulate.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace trainyard {
namespace {

/// Work that threads take from, the last point first: in a sweep over sizes that is the longest.
class Pool
{
public:
  Pool(std::size_t count, const std::function<Results(std::size_t)>& work)
      : work_{work}, parts_(count), ended_(count, false), next_{count}
  {
  }

  void take()
  {
    std::unique_lock lock{mutex_};
    while (next_ > 0 && !stopped_) {
      const std::size_t i = --next_;
      lock.unlock();
      Results part;
      std::exception_ptr fault;
      try {
        part = work_(i);
      } catch (...) {
        fault = std::current_exception();
      }
      lock.lock();
      parts_[i] = std::move(part);
      ended_[i] = !fault;
      if (fault)
        faults_[i] = fault;
      else
        fresh_.push_back(i);
      ++done_;
      changed_.notify_one();
    }
  }

  void watch(const std::function<void(std::size_t)>& progress,
             const std::function<void(std::size_t, const Results&)>& finished)
  {
    for (std::size_t seen = 0; seen < parts_.size();) {
      if (progress)
        progress(seen);
      std::unique_lock lock{mutex_};
      changed_.wait_for(lock, std::chrono::milliseconds{100}, [&] { return done_ != seen; });
      seen = done_;
      std::vector<std::size_t> fresh;
      fresh.swap(fresh_);
      lock.unlock();
      for (const std::size_t i : fresh)
        if (finished)
          finished(i, parts_[i]); // no thread writes to it any more
    }
  }

  void stop()
  {
    const std::scoped_lock lock{mutex_};
    stopped_ = true;
  }

  std::vector<Results> answers()
  {
    if (!faults_.empty())
      std::rethrow_exception(faults_.begin()->second);
    return std::move(parts_);
  }

  /// What there is after an interrupt, in order.
  std::vector<Results> ended()
  {
    std::vector<Results> parts;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (ended_[i])
        parts.push_back(std::move(parts_[i]));
    return parts;
  }

private:
  const std::function<Results(std::size_t)>& work_;
  std::vector<Results> parts_;
  std::vector<bool> ended_; // without a fault
  std::map<std::size_t, std::exception_ptr> faults_;
  std::vector<std::size_t> fresh_; // ended, not yet told
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_;
  std::size_t done_ = 0;
  bool stopped_ = false;
};

} // namespace

std::vector<Results> side_by_side(std::size_t count, std::size_t threads,
                                  const std::function<Results(std::size_t)>& work,
                                  const std::function<void(std::size_t done)>& progress,
                                  const std::function<void(std::size_t index, const Results&)>& finished)
{
  if (std::min(count, threads) < 2) {
    std::vector<Results> parts;
    try {
      for (std::size_t i = 0; i < count; ++i) {
        if (progress)
          progress(i);
        parts.push_back(work(i));
        if (finished)
          finished(i, parts.back());
      }
    } catch (const Interrupted&) {
      interrupt::keep(parts.size(), count);
    }
    return parts;
  }
  Pool pool{count, work};
  std::vector<std::jthread> workers;
  for (std::size_t thread = 0; thread < std::min(count, threads); ++thread)
    workers.emplace_back([&pool] { pool.take(); });
  try {
    pool.watch(progress, finished);
    workers.clear();
    return pool.answers();
  } catch (const Interrupted&) {
    pool.stop();
    workers.clear();
    std::vector<Results> parts = pool.ended();
    interrupt::keep(parts.size(), count);
    return parts;
  } catch (...) {
    pool.stop();
    throw; // the threads end their points and join
  }
}

} // namespace trainyard
