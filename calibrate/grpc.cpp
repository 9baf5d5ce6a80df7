// SPDX-License-Identifier: Apache-2.0
// gRPC between two processes: unary round trips (half of one is "one_way"), one stream pushing and one pulling in
// messages of 256 KiB, several workers (each with a channel of its own) pushing to one server process at once, and CPU
// time per byte of both ends.
//
// Size: payload bytes; of "grpc.streams" the number of workers. Channels are open before the first sample.
#include "calibrate/peer.hpp"
#include "calibrate/token.hpp"
#include "calibrate/workers.hpp"

#include "probe.grpc.pb.h"
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace trainyard::calibrate {
namespace {

constexpr std::size_t message_bytes = 262'144;
constexpr const char* token_key = "trainyard-token";

class ProbeService final : public probe::Probe::Service
{
public:
  explicit ProbeService(std::string token) : token_{std::move(token)} {}

  grpc::Status Echo(grpc::ServerContext* context, const probe::Blob* request, probe::Blob* reply) override
  {
    if (!admitted(*context))
      return refused;
    reply->set_data(request->data());
    return grpc::Status::OK;
  }

  grpc::Status Push(grpc::ServerContext* context, grpc::ServerReader<probe::Blob>* stream,
                    probe::Amount* reply) override
  {
    if (!admitted(*context))
      return refused;
    probe::Blob blob;
    std::uint64_t bytes = 0;
    while (stream->Read(&blob))
      bytes += blob.data().size();
    reply->set_bytes(bytes);
    return grpc::Status::OK;
  }

  grpc::Status Pull(grpc::ServerContext* context, const probe::Amount* request,
                    grpc::ServerWriter<probe::Blob>* stream) override
  {
    if (!admitted(*context))
      return refused;
    if (request->bytes() > largest_probe_bytes || request->message_bytes() == 0 ||
        request->message_bytes() > static_cast<std::uint64_t>(largest_grpc_message))
      return {grpc::StatusCode::INVALID_ARGUMENT, "more bytes than a probe may ask for"};
    probe::Blob blob;
    blob.set_data(std::string(request->message_bytes(), 'g'));
    for (std::uint64_t left = request->bytes(); left > 0;) {
      if (left < blob.data().size())
        blob.mutable_data()->resize(left);
      if (!stream->Write(blob))
        break;
      left -= blob.data().size();
    }
    return grpc::Status::OK;
  }

private:
  bool admitted(const grpc::ServerContext& context) const
  {
    const auto shown = context.client_metadata().find(token_key);
    return shown != context.client_metadata().end() && same_token({shown->second.data(), shown->second.size()}, token_);
  }

  const grpc::Status refused{grpc::StatusCode::UNAUTHENTICATED, "the token is wrong"};
  std::string token_;
};

/// Service and server together, in the order in which they must end.
struct Running {
  explicit Running(const std::string& token) : service{token} {}
  ProbeService service;
  std::unique_ptr<grpc::Server> server;
  ~Running()
  {
    if (server)
      server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds{200});
  }
};

class Client
{
public:
  Client(const std::string& target, const std::string& token, double seconds)
      : target_{target}, token_{token}, seconds_{seconds}
  {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetMaxSendMessageSize(-1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1); // a connection of its own, as another process would have
    const auto channel = grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(deadline()))
      throw std::runtime_error{"gRPC: no connection to " + target +
                               " within the time limit; is 'simcal serve' running there?"};
    stub_ = probe::Probe::NewStub(channel);
  }

  void echo(const probe::Blob& blob)
  {
    grpc::ClientContext context;
    context.set_deadline(deadline());
    context.AddMetadata(token_key, token_);
    probe::Blob reply;
    check(stub_->Echo(&context, blob, &reply));
    if (reply.data().size() != blob.data().size())
      throw std::runtime_error{"gRPC: the reply has the wrong size"};
  }

  void push(std::size_t bytes)
  {
    grpc::ClientContext context;
    context.set_deadline(deadline());
    context.AddMetadata(token_key, token_);
    probe::Amount received;
    const auto stream = stub_->Push(&context, &received);
    probe::Blob blob;
    blob.set_data(std::string(std::min(bytes, message_bytes), 'g'));
    for (std::size_t left = bytes; left > 0;) {
      if (left < blob.data().size())
        blob.mutable_data()->resize(left);
      if (!stream->Write(blob))
        break;
      left -= blob.data().size();
    }
    stream->WritesDone();
    check(stream->Finish());
    if (received.bytes() != bytes)
      throw std::runtime_error{"gRPC: " + std::to_string(received.bytes()) + " of " + std::to_string(bytes) +
                               " bytes arrived"};
  }

  void pull(std::size_t bytes)
  {
    grpc::ClientContext context;
    context.set_deadline(deadline());
    context.AddMetadata(token_key, token_);
    probe::Amount wanted;
    wanted.set_bytes(bytes);
    wanted.set_message_bytes(std::min(bytes, message_bytes));
    const auto stream = stub_->Pull(&context, wanted);
    probe::Blob blob;
    std::size_t got = 0;
    while (stream->Read(&blob))
      got += blob.data().size();
    check(stream->Finish());
    if (got != bytes)
      throw std::runtime_error{"gRPC: " + std::to_string(got) + " of " + std::to_string(bytes) + " bytes arrived"};
  }

private:
  std::chrono::system_clock::time_point deadline() const
  {
    return std::chrono::system_clock::now() + std::chrono::microseconds{static_cast<long>(seconds_ * 1e6)};
  }
  void check(const grpc::Status& status) const
  {
    if (!status.ok())
      throw std::runtime_error{"gRPC to " + target_ + ": " + status.error_message()};
  }

  std::string target_;
  std::string token_;
  double seconds_;
  std::unique_ptr<probe::Probe::Stub> stub_;
};

class Grpc final : public Measurement
{
public:
  std::vector<Case> cases(const Options& options) const override
  {
    std::vector<Case> list;
    for (const double size : geometric(64, options.quick ? 1048576 : 4194304, options.quick ? 16 : 4))
      list.push_back({"grpc.one_way", size, "B"});
    for (const char* curve : {"grpc.push", "grpc.pull"})
      for (const double size : geometric(65536, options.quick ? 4194304 : 67108864, options.quick ? 8 : 4))
        list.push_back({curve, size, "B"});
    for (const double streams : options.quick ? std::vector{1.0, 4.0} : std::vector{1.0, 2.0, 4.0, 8.0})
      list.push_back({"grpc.streams", streams, "streams"});
    list.push_back({"grpc.cpu", stream_bytes(options), "B"});
    return list;
  }

  Samples measure(const Case& which, const Options& options) override
  {
    if (!peer_) {
      peer_ = std::make_unique<Peer>(options);
      if (peer_->grpc_port() == 0)
        throw std::runtime_error{"gRPC: the 'simcal serve' at " + peer_->host() + " was built without gRPC"};
      client_ = std::make_unique<Client>(target(), peer_->token(), options.most_seconds);
    }
    if (which.curve != "grpc.streams" && options.line_rate > 0 && which.size / options.line_rate > longest_sample)
      return {};
    SamplingRule rule = sampling_rule(options.quick);
    rule.may_throttle = false;
    const auto bytes = static_cast<std::size_t>(which.curve == "grpc.streams" ? stream_bytes(options) : which.size);
    if (which.curve == "grpc.one_way") {
      probe::Blob blob;
      blob.set_data(std::string(bytes, 'g'));
      const int repeat = bytes < 65536 ? 5 : 1;
      return sample(rule, [&] {
        const double begin = wall_seconds();
        for (int i = 0; i < repeat; ++i)
          client_->echo(blob);
        return (wall_seconds() - begin) / repeat / 2;
      });
    }
    if (which.curve == "grpc.streams")
      return streams(static_cast<int>(which.size), bytes, rule, options);
    if (which.curve == "grpc.cpu") {
      rule.least = 3;
      rule.noise = 0.1;
      return sample(rule, [&] {
        const double begin = process_cpu_seconds() + peer_->server_cpu_seconds();
        client_->push(bytes);
        return (process_cpu_seconds() + peer_->server_cpu_seconds() - begin) / 2;
      });
    }
    return sample(rule, [&] {
      const double begin = wall_seconds();
      if (which.curve == "grpc.push")
        client_->push(bytes);
      else
        client_->pull(bytes);
      return wall_seconds() - begin;
    });
  }

  void close() override
  {
    client_.reset();
    peer_.reset();
  }

  void conclude(const MeasuredCurves& curves, const Options& options, Profile& profile) const override
  {
    conclude_transport("grpc", curves, options, profile);
  }

  std::vector<std::pair<std::string, std::string>> machine() const override { return {{"grpc", grpc::Version()}}; }

private:
  std::string target() const { return peer_->host() + ":" + std::to_string(peer_->grpc_port()); }

  Samples streams(int count, std::size_t bytes, SamplingRule rule, const Options& options)
  {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < count; ++i)
      clients.push_back(std::make_unique<Client>(target(), peer_->token(), options.most_seconds));
    rule.noise = 0.05;
    Workers workers{count};
    return sample(rule, [&] {
      const double begin = wall_seconds();
      workers.run([&](int worker) { clients[static_cast<std::size_t>(worker)]->push(bytes); });
      return wall_seconds() - begin;
    });
  }

  std::unique_ptr<Peer> peer_;
  std::unique_ptr<Client> client_;
};

TY_REGISTER(Measurement, Grpc, "grpc", "gRPC: unary latency, streams, several workers to one server, CPU per byte");

} // namespace

GrpcServer start_grpc_server(const std::string& address, int port, const std::string& token)
{
  auto running = std::make_shared<Running>(token);
  grpc::ServerBuilder builder;
  int chosen = 0;
  builder.AddListeningPort(address + ":" + std::to_string(port), grpc::InsecureServerCredentials(), &chosen);
  builder.SetMaxReceiveMessageSize(largest_grpc_message); // before the token is seen
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(&running->service);
  running->server = builder.BuildAndStart();
  if (!running->server || chosen == 0)
    throw std::runtime_error{"gRPC cannot listen on " + address + ":" + std::to_string(port) +
                             "; is the port in use? Choose another with --port"};
  return {running, chosen};
}

} // namespace trainyard::calibrate
