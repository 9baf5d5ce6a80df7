// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/socket.hpp"

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trainyard::calibrate {

/// The other end of the network measurements: answers echo, push, pull and usage on a TCP port and, where built with
/// gRPC, on the next port, to clients that show its token.
class ProbeServer
{
public:
  /// Listens at once; port 0 = any. Throws std::runtime_error, for example where the port is in use.
  ProbeServer(const std::string& address, int port, std::string token);
  ~ProbeServer();
  ProbeServer(const ProbeServer&) = delete;
  ProbeServer& operator=(const ProbeServer&) = delete;

  int port() const { return port_; }
  int grpc_port() const { return grpc_port_; }
  /// Serves for @p seconds (0 = without end) or until stop() or an interrupt.
  void serve(double seconds);
  void stop() { stopping_ = true; }

private:
  /// A connection that has not shown the token yet; it takes no place from those that have.
  struct Newcomer {
    Socket socket;
    double until = 0; // then it is gone, however many bytes of the token are there
    bool refused = false;
    std::size_t got = 0;
    ProbeToken shown = {};
  };
  struct Visit {
    std::shared_ptr<std::atomic<bool>> over;
    std::jthread thread;
  };

  void answer(Socket& client);
  bool settled(Newcomer& newcomer);

  std::string token_;
  Socket listening_;
  int port_ = 0;
  int grpc_port_ = 0;
  std::shared_ptr<void> grpc_; // the running gRPC server, whatever it is
  std::atomic<bool> stopping_ = false;
  double told_ = 0; // when a wrong token was last reported
  std::list<Visit> clients_;
};

/// Starts the gRPC probe service on address:port (0 = any free one); null where simcal was built without gRPC.
struct GrpcServer {
  std::shared_ptr<void> running;
  int port = 0;
};
GrpcServer start_grpc_server(const std::string& address, int port, const std::string& token);

/// Largest message that the gRPC service takes, from anybody.
constexpr int largest_grpc_message = 8 << 20;

/// A server in a child process on this machine, ended with this object: "two processes on one machine".
class LocalServer
{
public:
  /// @p program: the simcal to start. A program of its own, because a process that has used gRPC must not fork and go
  /// on with it.
  explicit LocalServer(const std::string& program);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;
  int port() const { return port_; }
  const std::string& token() const { return token_; }

private:
  int process_ = -1;
  int port_ = 0;
  std::string token_;
};

/// What `simcal serve --announce` writes for the process that started it.
struct Announcement {
  int port = 0;
  ProbeToken token;
};

/// Ctrl-C: the first is remembered, a second ends the program at once with 130.
void catch_interrupts();
bool interrupted();

} // namespace trainyard::calibrate
