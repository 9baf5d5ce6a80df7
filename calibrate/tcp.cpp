// SPDX-License-Identifier: Apache-2.0
// Plain TCP between two processes: ping-pong (half of a round trip by size), one stream pushing (acknowledged at its
// end), several streams to one server process at once, and CPU time per byte of both ends.
//
// Size: payload bytes; of "tcp.streams" the number of streams. One sample is one exchange; connections are open before.
#include "calibrate/peer.hpp"
#include "calibrate/workers.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace trainyard::calibrate {
namespace {

class Tcp final : public Measurement
{
public:
  std::vector<Case> cases(const Options& options) const override
  {
    std::vector<Case> list;
    for (const double size : geometric(64, options.quick ? 1048576 : 4194304, options.quick ? 16 : 4))
      list.push_back({"tcp.one_way", size, "B"});
    for (const double size : geometric(16384, options.quick ? 16777216 : 67108864, options.quick ? 8 : 4))
      list.push_back({"tcp.push", size, "B"});
    for (const double streams : options.quick ? std::vector{1.0, 4.0} : std::vector{1.0, 2.0, 4.0, 8.0})
      list.push_back({"tcp.streams", streams, "streams"});
    list.push_back({"tcp.cpu", stream_bytes(options), "B"});
    return list;
  }

  Samples measure(const Case& which, const Options& options) override
  {
    if (!peer_)
      peer_ = std::make_unique<Peer>(options);
    if (which.curve != "tcp.streams" && options.line_rate > 0 && which.size / options.line_rate > longest_sample)
      return {};
    SamplingRule rule = sampling_rule(options.quick);
    rule.may_throttle = false;
    std::vector<char> data(static_cast<std::size_t>(which.curve == "tcp.streams" ? stream_bytes(options) : which.size),
                           'g');
    if (which.curve == "tcp.streams")
      return streams(static_cast<int>(which.size), data, rule);
    Socket socket = peer_->connect();
    if (which.curve == "tcp.one_way") {
      const int repeat = which.size < 65536 ? 10 : 1;
      return sample(rule, [&] {
        const double begin = wall_seconds();
        for (int i = 0; i < repeat; ++i) {
          request(socket, ProbeOperation::echo, data.size());
          socket.write_all(data.data(), data.size());
          socket.read_all(data.data(), data.size());
        }
        return (wall_seconds() - begin) / repeat / 2;
      });
    }
    if (which.curve == "tcp.push")
      return sample(rule, [&] {
        const double begin = wall_seconds();
        push(socket, data);
        return wall_seconds() - begin;
      });
    rule.least = 3;
    rule.noise = 0.1;
    return sample(rule, [&] {
      const double begin = process_cpu_seconds() + peer_->server_cpu_seconds();
      push(socket, data);
      return (process_cpu_seconds() + peer_->server_cpu_seconds() - begin) / 2;
    });
  }

  void close() override { peer_.reset(); }

  void conclude(const MeasuredCurves& curves, const Options& options, Profile& profile) const override
  {
    conclude_transport("tcp", curves, options, profile);
  }

private:
  static void request(Socket& socket, ProbeOperation operation, std::size_t bytes)
  {
    const ProbeRequest request{.operation = operation, .bytes = bytes};
    socket.write_all(&request, sizeof request);
  }

  static void push(Socket& socket, const std::vector<char>& data)
  {
    request(socket, ProbeOperation::push, data.size());
    socket.write_all(data.data(), data.size());
    char acknowledged = 0;
    socket.read_all(&acknowledged, 1);
  }

  Samples streams(int count, const std::vector<char>& data, SamplingRule rule)
  {
    std::vector<Socket> sockets;
    for (int i = 0; i < count; ++i)
      sockets.push_back(peer_->connect());
    rule.noise = 0.05;
    Workers workers{count};
    return sample(rule, [&] {
      const double begin = wall_seconds();
      workers.run([&](int worker) { push(sockets[static_cast<std::size_t>(worker)], data); });
      return wall_seconds() - begin;
    });
  }

  std::unique_ptr<Peer> peer_;
};

TY_REGISTER(Measurement, Tcp, "tcp", "plain TCP: latency, one stream, several streams to one server, CPU per byte");

} // namespace
} // namespace trainyard::calibrate
