// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard::calibrate {

/// A TCP connection or listening socket that closes itself. Every wait has a limit; faults are std::runtime_error with
/// the peer and the system's words.
class Socket
{
public:
  Socket() = default;
  Socket(int handle, std::string peer) : handle_{handle}, peer_{std::move(peer)} {}
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  explicit operator bool() const { return handle_ >= 0; }
  int handle() const { return handle_; }
  const std::string& peer() const { return peer_; }

  void write_all(const void* data, std::size_t bytes);
  void read_all(void* data, std::size_t bytes);
  /// False where the peer closed before the first byte.
  bool read_or_end(void* data, std::size_t bytes);
  /// Reads and forgets.
  void drain(std::size_t bytes);

private:
  int handle_ = -1;
  std::string peer_;
};

/// Connects within @p seconds; each later read or write of that connection waits at most as long.
Socket connect_to(const std::string& host, int port, double seconds);

/// Listens on @p address ("0.0.0.0"), port 0 = any free one.
Socket listen_on(const std::string& address, int port);
int port_of(const Socket& socket);

/// Next connection, or an empty socket after @p seconds without one.
Socket accept_within(const Socket& listening, double seconds, double seconds_per_wait);

/// The messages between client and server; all numbers in the byte order of the machines, which must be the same. The
/// server says hello, the client shows its token, the server answers with one byte, 1 or 0 (wrong token; it closes
/// then), and requests follow.
struct ProbeHello {
  char magic[16] = "trainyard probe";
  std::uint32_t version = 2;
  std::uint32_t grpc_port = 0; // 0 = this server was built without gRPC
};

struct ProbeToken {
  char text[64] = {}; // ends with zeros
};

enum class ProbeOperation : std::uint32_t { echo = 1, push = 2, pull = 3, usage = 4 };

struct ProbeRequest {
  std::uint32_t magic = 0x74726e79;
  ProbeOperation operation = ProbeOperation::echo;
  std::uint64_t bytes = 0;
};

constexpr std::uint64_t largest_probe_bytes = 1U << 30U;
constexpr int default_port = 18515;

} // namespace trainyard::calibrate
