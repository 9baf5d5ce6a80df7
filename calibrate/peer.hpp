// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/measurement.hpp"
#include "calibrate/probe_server.hpp"
#include "calibrate/socket.hpp"

#include <memory>

namespace trainyard::calibrate {

/// The server that network measurements talk to: --host, or one of our own in a child process.
class Peer
{
public:
  explicit Peer(const Options& options);

  const std::string& host() const { return host_; }
  int port() const { return port_; }
  int grpc_port() const { return grpc_port_; }
  bool local() const { return local_ != nullptr; }

  /// Throws std::runtime_error where the peer is no `simcal serve` or refuses the token.
  Socket connect() const;
  const std::string& token() const { return token_; }
  /// CPU seconds that the server process has used so far.
  double server_cpu_seconds();

private:
  std::unique_ptr<LocalServer> local_;
  Socket greeted(int* grpc_port) const;

  std::string host_;
  std::string token_;
  int port_ = 0;
  int grpc_port_ = 0;
  double most_seconds_;
  Socket control_;
};

/// Constants of a transport from its curves, the same for TCP and gRPC: "<name>.one_way" gives latency, "<name>.push"
/// the rate of one stream, "<name>.streams" (size = number of streams) what one server process takes, "<name>.cpu"
/// seconds of CPU per byte at each end.
///
/// With a line rate the rate becomes an efficiency (payload per line rate), otherwise a limit of the stream.
void conclude_transport(const std::string& name, const MeasuredCurves& curves, const Options& options,
                        Profile& profile);

/// Bytes that each stream of "<name>.streams" sends.
double stream_bytes(const Options& options);

/// Sizes whose one sample would take longer than this many seconds are left out.
constexpr double longest_sample = 1.0;

} // namespace trainyard::calibrate
