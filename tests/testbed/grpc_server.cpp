// SPDX-License-Identifier: Apache-2.0
// Parameter server and worker over gRPC: all variables are requested at once and share one HTTP/2 connection per worker
// and server; each gradient is a call of its own as its layer's backward pass ends.
#include "tests/testbed/barrier.hpp"
#include "tests/testbed/clock.hpp"
#include "tests/testbed/trainer.hpp"

#include "trainer.grpc.pb.h"
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace trainyard::testbed {
namespace {

std::chrono::system_clock::time_point in_seconds(int seconds)
{
  return std::chrono::system_clock::now() + std::chrono::seconds{seconds};
}

class Service final : public wire::Server::Service
{
public:
  explicit Service(const Task& task) : gate_{task.workers, task.staleness}, left_{task.workers}, last_{task.steps}
  {
    for (const Tensor& tensor : task.plan.tensors) {
      variables_.emplace_back(tensor.bytes, '\0');
      locks_.push_back(std::make_unique<std::mutex>());
    }
  }

  grpc::Status Pull(grpc::ServerContext*, const wire::Request* request, wire::Blob* reply) override
  {
    if (request->index() >= variables_.size())
      return {grpc::StatusCode::OUT_OF_RANGE, "no such variable"};
    reply->set_index(request->index());
    const std::lock_guard lock{*locks_[request->index()]};
    reply->set_data(variables_[request->index()]);
    return grpc::Status::OK;
  }

  grpc::Status Push(grpc::ServerContext*, const wire::Blob* request, wire::Done*) override
  {
    if (request->index() >= variables_.size() || request->data().size() != variables_[request->index()].size())
      return {grpc::StatusCode::OUT_OF_RANGE, "no such variable"};
    const std::lock_guard lock{*locks_[request->index()]};
    std::string& sum = variables_[request->index()];
    for (std::size_t i = 0; i + sizeof(float) <= sum.size(); i += sizeof(float)) {
      float value = 0, gradient = 0;
      std::memcpy(&value, sum.data() + i, sizeof value);
      std::memcpy(&gradient, request->data().data() + i, sizeof gradient);
      value += gradient;
      std::memcpy(sum.data() + i, &value, sizeof value);
    }
    return grpc::Status::OK;
  }

  grpc::Status Finished(grpc::ServerContext*, const wire::Request* request, wire::Done*) override
  {
    gate_.pass(static_cast<int>(request->worker()), static_cast<int>(request->index()));
    if (static_cast<int>(request->index()) >= last_) {
      gate_.leave(static_cast<int>(request->worker()));
      const std::lock_guard lock{mutex_};
      --left_;
      changed_.notify_all();
    }
    return grpc::Status::OK;
  }

  void wait_for_all()
  {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, std::chrono::minutes{5}, [&] { return left_ <= 0; });
  }

private:
  std::vector<std::string> variables_;
  std::vector<std::unique_ptr<std::mutex>> locks_;
  StepGate gate_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int left_;
  int last_;
};

/// One call under way.
struct Call {
  grpc::ClientContext context;
  grpc::Status status;
  wire::Blob blob;
  wire::Done done;
  int pulled = -1; // variable, -1 = a push
  std::unique_ptr<grpc::ClientAsyncResponseReader<wire::Blob>> pull;
  std::unique_ptr<grpc::ClientAsyncResponseReader<wire::Done>> push;
};

} // namespace

void serve_grpc(const Task& task)
{
  Service service{task};
  grpc::ServerBuilder builder;
  builder.AddListeningPort("0.0.0.0:" + std::to_string(task.port + task.index), grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server)
    throw std::runtime_error{"gRPC cannot listen"};
  service.wait_for_all(); // every worker says to every server when it has finished its last step
  server->Shutdown(in_seconds(1));
}

void work_grpc(const Task& task)
{
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  std::vector<std::unique_ptr<wire::Server::Stub>> servers;
  for (std::size_t server = 0; server < task.addresses.size(); ++server) {
    const auto channel =
        grpc::CreateCustomChannel(task.addresses[server] + ":" + std::to_string(task.port + static_cast<int>(server)),
                                  grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(in_seconds(30)))
      throw std::runtime_error{"no gRPC connection to " + task.addresses[server]};
    servers.push_back(wire::Server::NewStub(channel));
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> pulled(task.plan.tensors.size(), 0);
  int acknowledged = 0;
  bool failed = false;
  grpc::CompletionQueue queue;
  std::jthread receiver{[&] {
    void* tag = nullptr;
    for (bool good = false; queue.Next(&tag, &good);) {
      const std::unique_ptr<Call> call{static_cast<Call*>(tag)};
      const std::lock_guard lock{mutex};
      if (!call->status.ok()) {
        std::fprintf(stderr, "worker %d: %s\n", task.index, call->status.error_message().c_str());
        failed = true;
      } else if (call->pulled >= 0) {
        ++pulled[static_cast<std::size_t>(call->pulled)];
      } else {
        ++acknowledged;
      }
      changed.notify_all();
    }
  }};
  const auto wait = [&](const auto& condition) {
    std::unique_lock lock{mutex};
    if (!changed.wait_for(lock, std::chrono::seconds{90}, [&] { return failed || condition(); }) || failed)
      throw std::runtime_error{"a server is gone or silent"};
  };
  const auto finished = [&](std::size_t server, int step) {
    grpc::ClientContext context;
    context.set_deadline(in_seconds(90));
    wire::Request request;
    request.set_worker(static_cast<std::uint32_t>(task.index));
    request.set_index(static_cast<std::uint32_t>(step));
    wire::Done done;
    if (const grpc::Status status = servers[server]->Finished(&context, request, &done); !status.ok())
      throw std::runtime_error{"gRPC: " + status.error_message()};
  };
  const auto server_of = [&](int tensor) {
    return static_cast<std::size_t>(task.plan.tensors[static_cast<std::size_t>(tensor)].server);
  };
  const auto pull = [&](int tensor) {
    auto* call = new Call;
    call->pulled = tensor;
    call->context.set_deadline(in_seconds(90));
    wire::Request request;
    request.set_worker(static_cast<std::uint32_t>(task.index));
    request.set_index(static_cast<std::uint32_t>(tensor));
    call->pull = servers[server_of(tensor)]->AsyncPull(&call->context, request, &queue);
    call->pull->Finish(&call->blob, &call->status, call);
  };
  const auto push = [&](int tensor) {
    auto* call = new Call;
    call->context.set_deadline(in_seconds(90));
    wire::Blob blob;
    blob.set_worker(static_cast<std::uint32_t>(task.index));
    blob.set_index(static_cast<std::uint32_t>(tensor));
    blob.set_data(std::string(task.plan.tensors[static_cast<std::size_t>(tensor)].bytes, '\x01'));
    call->push = servers[server_of(tensor)]->AsyncPush(&call->context, blob, &queue);
    call->push->Finish(&call->done, &call->status, call);
  };

  const int tensors = static_cast<int>(task.plan.tensors.size());
  finished(0, 0);
  start_late(task.delay);
  Computing computing{task.slow_down};
  for (int step = 1; step <= task.steps; ++step) {
    for (int tensor = 0; tensor < tensors; ++tensor)
      pull(tensor);
    for (const Layer& layer : task.plan.layers) {
      if (!layer.tensors.empty()) {
        wait([&] {
          return std::ranges::all_of(layer.tensors,
                                     [&](int tensor) { return pulled[static_cast<std::size_t>(tensor)] >= step; });
        });
        computing.begin();
      }
      computing.add(layer.forward);
    }
    for (std::size_t index = task.plan.layers.size(); index-- > 0;) {
      computing.add(task.plan.layers[index].backward);
      if (task.plan.layers[index].tensors.empty())
        continue;
      computing.finish();
      for (const int tensor : task.plan.layers[index].tensors)
        push(tensor);
    }
    computing.add(task.plan.update);
    computing.finish();
    wait([&] { return acknowledged >= step * tensors; });
    finished(0, step);
    print_step(step);
  }
  for (std::size_t server = 1; server < servers.size(); ++server)
    finished(server, task.steps);
  queue.Shutdown();
}

} // namespace trainyard::testbed
