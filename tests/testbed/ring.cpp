// SPDX-License-Identifier: Apache-2.0
// Ring all-reduce over TCP, overlapped with the backward pass: gradients are fused into buckets in reverse layer order,
// a thread exchanges one bucket after the other in 2(n-1) rounds (reduce-scatter, then all-gather), each rank sending
// to its right and adding what comes from its left. Source: Patarasuk and Yuan, JPDC 69(2), 2009.
#include "calibrate/socket.hpp"
#include "tests/testbed/clock.hpp"
#include "tests/testbed/trainer.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace trainyard::testbed {
namespace {

using calibrate::Socket;

constexpr double wait_seconds = 90;

/// Sends in a thread of its own, so that both directions are busy at once.
class Sender
{
public:
  explicit Sender(Socket& socket) : socket_{socket}, thread_{[this](const std::stop_token& stop) { run(stop); }} {}

  ~Sender()
  {
    thread_.request_stop();
    changed_.notify_all();
  }

  void send(const float* data, std::size_t bytes)
  {
    const std::lock_guard lock{mutex_};
    data_ = data;
    bytes_ = bytes;
    changed_.notify_all();
  }

  void finish()
  {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return data_ == nullptr; });
    if (failed_)
      throw std::runtime_error{"the right neighbour is gone"};
  }

private:
  void run(const std::stop_token& stop)
  {
    std::unique_lock lock{mutex_};
    while (true) {
      changed_.wait(lock, stop, [&] { return data_ != nullptr; });
      if (data_ == nullptr)
        return;
      lock.unlock();
      try {
        socket_.write_all(data_, bytes_);
      } catch (const std::exception&) {
        failed_ = true;
      }
      lock.lock();
      data_ = nullptr;
      changed_.notify_all();
    }
  }

  Socket& socket_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  const float* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool failed_ = false;
  std::jthread thread_;
};

void all_reduce(std::vector<float>& data, std::vector<float>& incoming, int rank, int ranks, Socket& left,
                Sender& right)
{
  const std::size_t share = data.size() / static_cast<std::size_t>(ranks);
  const auto begin = [&](int part) { return share * static_cast<std::size_t>(part); };
  const auto size = [&](int part) { return part + 1 == ranks ? data.size() - begin(part) : share; };
  for (int round = 0; round < 2 * (ranks - 1); ++round) {
    const bool adds = round < ranks - 1;
    const int sent = ((rank - round) % ranks + ranks) % ranks;
    const int got = ((rank - round - 1) % ranks + ranks) % ranks;
    right.send(data.data() + begin(sent), size(sent) * sizeof(float));
    float* target = adds ? incoming.data() : data.data() + begin(got);
    left.read_all(target, size(got) * sizeof(float));
    if (adds)
      for (std::size_t i = 0; i < size(got); ++i)
        data[begin(got) + i] += incoming[i];
    right.finish();
  }
}

struct Bucket {
  std::size_t bytes = 0;
  std::size_t last_layer = 0;
};

std::vector<Bucket> buckets(const Plan& plan, double capacity)
{
  std::vector<Bucket> list;
  Bucket open;
  for (std::size_t index = plan.layers.size(); index-- > 0;)
    for (auto tensor = plan.layers[index].tensors.rbegin(); tensor != plan.layers[index].tensors.rend(); ++tensor) {
      open.bytes += plan.tensors[static_cast<std::size_t>(*tensor)].bytes;
      open.last_layer = index;
      if (static_cast<double>(open.bytes) >= capacity) {
        list.push_back(open);
        open = {};
      }
    }
  if (open.bytes > 0)
    list.push_back(open);
  return list;
}

} // namespace

void ring_tcp(const Task& task)
{
  const int ranks = task.workers;
  const Socket listening = calibrate::listen_on("0.0.0.0", task.port + task.index);
  const int next = (task.index + 1) % ranks;
  Socket right;
  for (int tries = 0; !right; ++tries)
    try {
      right = calibrate::connect_to(task.addresses[static_cast<std::size_t>(next)], task.port + next, wait_seconds);
    } catch (const std::exception&) {
      if (tries > 200)
        throw;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  Socket left = calibrate::accept_within(listening, 30, wait_seconds);
  if (!left)
    throw std::runtime_error{"the left neighbour did not come"};
  // Two passes of a token: all are there.
  char token = 1;
  for (int pass = 0; pass < 2; ++pass) {
    if (task.index == 0)
      right.write_all(&token, 1);
    left.read_all(&token, 1);
    if (task.index != 0)
      right.write_all(&token, 1);
  }

  const std::vector<Bucket> list = buckets(task.plan, task.bucket_bytes);
  Sender sender{right};
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::size_t> ready;
  int done = 0;
  bool failed = false;
  std::jthread exchange{[&](const std::stop_token&) {
    try {
      std::vector<float> data, incoming;
      for (int count = 0; count < task.steps * static_cast<int>(list.size()); ++count) {
        std::size_t bucket = 0;
        {
          std::unique_lock lock{mutex};
          changed.wait(lock, [&] { return !ready.empty(); });
          bucket = ready.front();
          ready.pop_front();
        }
        data.assign(list[bucket].bytes / sizeof(float), 1.0F);
        incoming.resize(data.size() / static_cast<std::size_t>(ranks) + static_cast<std::size_t>(ranks));
        all_reduce(data, incoming, task.index, ranks, left, sender);
        for (const float value : data)
          if (value != static_cast<float>(ranks))
            throw std::runtime_error{"the all-reduce gave a wrong sum"};
        const std::lock_guard lock{mutex};
        ++done;
        changed.notify_all();
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", task.index, error.what());
      const std::lock_guard lock{mutex};
      failed = true;
      changed.notify_all();
    }
  }};

  start_late(task.delay);
  Computing computing{task.slow_down};
  for (int step = 1; step <= task.steps; ++step) {
    computing.begin();
    for (const Layer& layer : task.plan.layers)
      computing.add(layer.forward);
    std::size_t bucket = 0;
    for (std::size_t index = task.plan.layers.size(); index-- > 0;) {
      computing.add(task.plan.layers[index].backward);
      while (bucket < list.size() && list[bucket].last_layer == index) {
        computing.finish();
        const std::lock_guard lock{mutex};
        ready.push_back(bucket++);
        changed.notify_all();
      }
    }
    computing.finish();
    {
      std::unique_lock lock{mutex};
      const bool good = changed.wait_for(lock, std::chrono::seconds{90},
                                         [&] { return failed || done >= step * static_cast<int>(list.size()); });
      if (!good || failed)
        throw std::runtime_error{"the exchange stopped"};
    }
    computing.begin();
    computing.add(task.plan.update);
    computing.finish();
    print_step(step);
  }
}

} // namespace trainyard::testbed
