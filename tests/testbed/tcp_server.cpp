// SPDX-License-Identifier: Apache-2.0
// Parameter server and worker over plain TCP. One connection per worker and server carries requests and gradients one
// way, variables and acknowledgements the other. A worker asks for all variables in the order of its layers, computes
// (a sleep), and sends each gradient as its layer's backward pass ends. The server adds every gradient to a sum in
// memory, as a real one does.
#include "calibrate/socket.hpp"
#include "tests/testbed/barrier.hpp"
#include "tests/testbed/clock.hpp"
#include "tests/testbed/trainer.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace trainyard::testbed {
namespace {

using calibrate::Socket;

enum class Kind : std::uint32_t { hello = 1, pull, push, finished, bye };

struct Header {
  Kind kind = Kind::hello;
  std::uint32_t worker = 0;
  std::uint32_t tensor = 0; // or the step
  std::uint32_t pad = 0;
};

constexpr double wait_seconds = 90;

struct Store {
  explicit Store(const Plan& plan)
  {
    for (const Tensor& tensor : plan.tensors) {
      sums.emplace_back(tensor.bytes / sizeof(float) + 1, 0.0F);
      locks.push_back(std::make_unique<std::mutex>());
    }
  }
  std::vector<std::vector<float>> sums;
  std::vector<std::unique_ptr<std::mutex>> locks;
};

void answer(Socket client, const Task& task, Store& store, StepGate& gate)
{
  std::vector<float> gradient;
  int worker = -1;
  try {
    for (Header header; client.read_or_end(&header, sizeof header) && header.kind != Kind::bye;) {
      worker = static_cast<int>(header.worker);
      if (header.kind == Kind::finished) {
        gate.pass(worker, static_cast<int>(header.tensor));
        client.write_all(&header, sizeof header);
        continue;
      }
      const std::size_t bytes = task.plan.tensors.at(header.tensor).bytes;
      std::vector<float>& sum = store.sums[header.tensor];
      if (header.kind == Kind::pull) {
        client.write_all(&header, sizeof header);
        client.write_all(sum.data(), bytes);
      } else if (header.kind == Kind::push) {
        gradient.resize(sum.size());
        client.read_all(gradient.data(), bytes);
        {
          const std::lock_guard lock{*store.locks[header.tensor]};
          for (std::size_t i = 0; i < bytes / sizeof(float); ++i)
            sum[i] += gradient[i];
        }
        client.write_all(&header, sizeof header);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "server %d: %s\n", task.index, error.what());
  }
  if (worker >= 0)
    gate.leave(worker);
}

/// A worker's end of one connection: a thread that sends what is queued, and one that notes what arrives.
class Connection
{
public:
  Connection(const std::string& address, int port, const Task& task, std::mutex& mutex,
             std::condition_variable& changed, std::vector<int>& pulled, int& acknowledged)
      : task_{task}, socket_{calibrate::connect_to(address, port, wait_seconds)}, mutex_{mutex}, changed_{changed},
        pulled_{pulled}, acknowledged_{acknowledged}
  {
    for (const Tensor& tensor : task.plan.tensors)
      largest_ = std::max(largest_, tensor.bytes);
    data_.assign(largest_ / sizeof(float) + 1, 0.5F);
    sender_ = std::jthread{[this] { guarded(&Connection::send); }};
    receiver_ = std::jthread{[this] { guarded(&Connection::receive); }};
  }

  void request(Kind kind, int tensor)
  {
    const std::lock_guard lock{queue_mutex_};
    queue_.push_back({kind, static_cast<std::uint32_t>(task_.index), static_cast<std::uint32_t>(tensor), 0});
    queued_.notify_one();
  }

  int passed() const { return passed_; }
  bool broken() const { return broken_; }

private:
  void guarded(void (Connection::*work)())
  {
    try {
      (this->*work)();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "worker %d: %s\n", task_.index, error.what());
      const std::lock_guard lock{mutex_};
      broken_ = true;
      changed_.notify_all();
    }
  }

  void send()
  {
    while (true) {
      Header header;
      {
        std::unique_lock lock{queue_mutex_};
        queued_.wait(lock, [&] { return !queue_.empty(); });
        header = queue_.front();
        queue_.pop_front();
      }
      socket_.write_all(&header, sizeof header);
      if (header.kind == Kind::bye)
        return;
      if (header.kind == Kind::push)
        socket_.write_all(data_.data(), task_.plan.tensors[header.tensor].bytes);
    }
  }

  void receive()
  {
    std::vector<float> buffer(data_.size());
    for (Header header; socket_.read_or_end(&header, sizeof header);) {
      if (header.kind == Kind::pull)
        socket_.read_all(buffer.data(), task_.plan.tensors[header.tensor].bytes);
      const std::lock_guard lock{mutex_};
      if (header.kind == Kind::pull)
        ++pulled_[header.tensor];
      else if (header.kind == Kind::push)
        ++acknowledged_;
      else
        passed_ = static_cast<int>(header.tensor);
      changed_.notify_all();
    }
  }

  const Task& task_;
  Socket socket_;
  std::mutex& mutex_;
  std::condition_variable& changed_;
  std::vector<int>& pulled_;
  int& acknowledged_;
  int passed_ = -1;
  bool broken_ = false;
  std::size_t largest_ = 0;
  std::vector<float> data_;
  std::mutex queue_mutex_;
  std::condition_variable queued_;
  std::deque<Header> queue_;
  std::jthread sender_;
  std::jthread receiver_;
};

} // namespace

void serve_tcp(const Task& task)
{
  Store store{task.plan};
  StepGate gate{task.workers, task.staleness};
  const Socket listening = calibrate::listen_on("0.0.0.0", task.port + task.index);
  std::vector<std::jthread> clients;
  for (int i = 0; i < task.workers; ++i) {
    Socket client = calibrate::accept_within(listening, 30, wait_seconds);
    if (!client)
      throw std::runtime_error{"a worker did not come"};
    clients.emplace_back([&, accepted = std::make_shared<Socket>(std::move(client))] {
      answer(std::move(*accepted), task, store, gate);
    });
  }
}

void work_tcp(const Task& task)
{
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> pulled(task.plan.tensors.size(), 0);
  int acknowledged = 0;
  std::vector<std::unique_ptr<Connection>> servers;
  for (std::size_t server = 0; server < task.addresses.size(); ++server)
    servers.push_back(std::make_unique<Connection>(task.addresses[server], task.port + static_cast<int>(server), task,
                                                   mutex, changed, pulled, acknowledged));
  const auto wait = [&](const auto& condition) {
    std::unique_lock lock{mutex};
    const bool good = changed.wait_for(lock, std::chrono::seconds{90}, [&] {
      return condition() || std::ranges::any_of(servers, [](const auto& server) { return server->broken(); });
    });
    if (!good || std::ranges::any_of(servers, [](const auto& server) { return server->broken(); }))
      throw std::runtime_error{"a server is gone or silent"};
  };
  const auto finish_step = [&](int step) {
    servers.front()->request(Kind::finished, step);
    wait([&] { return servers.front()->passed() >= step; });
  };
  // Everybody is there before the first step begins: step 0 of the gate is the start.
  finish_step(0);
  start_late(task.delay);
  Computing computing{task.slow_down};
  for (int step = 1; step <= task.steps; ++step) {
    for (std::size_t tensor = 0; tensor < task.plan.tensors.size(); ++tensor)
      servers[static_cast<std::size_t>(task.plan.tensors[tensor].server)]->request(Kind::pull,
                                                                                   static_cast<int>(tensor));
    for (const Layer& layer : task.plan.layers) {
      if (!layer.tensors.empty()) {
        const auto there = [&] {
          return std::ranges::all_of(layer.tensors,
                                     [&](int tensor) { return pulled[static_cast<std::size_t>(tensor)] >= step; });
        };
        wait(there);
        computing.begin();
      }
      computing.add(layer.forward);
    }
    for (std::size_t index = task.plan.layers.size(); index-- > 0;) {
      const Layer& layer = task.plan.layers[index];
      computing.add(layer.backward);
      if (layer.tensors.empty())
        continue;
      computing.finish();
      for (const int tensor : layer.tensors)
        servers[static_cast<std::size_t>(task.plan.tensors[static_cast<std::size_t>(tensor)].server)]->request(
            Kind::push, tensor);
    }
    computing.add(task.plan.update);
    computing.finish();
    wait([&] { return acknowledged >= step * static_cast<int>(task.plan.tensors.size()); });
    finish_step(step);
    print_step(step);
  }
  for (const auto& server : servers)
    server->request(Kind::bye, 0);
}

} // namespace trainyard::testbed
