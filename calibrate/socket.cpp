// SPDX-License-Identifier: Apache-2.0
#include "calibrate/socket.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace trainyard::calibrate {
namespace {

std::string words(int error)
{
  // A timed-out read or write reports EAGAIN, which would read "Resource temporarily unavailable".
  return error == EAGAIN || error == EWOULDBLOCK ? "no answer within the time limit" : std::strerror(error);
}

void set_waits(int handle, double seconds)
{
  timeval limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  ::setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int on = 1;
  ::setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// 0, or the error of a connect that had at most @p seconds.
int connect_within(int handle, const sockaddr* address, socklen_t length, double seconds)
{
  const int flags = ::fcntl(handle, F_GETFL);
  ::fcntl(handle, F_SETFL, flags | O_NONBLOCK);
  int error = ::connect(handle, address, length) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd waiting{handle, POLLOUT, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(seconds * 1e3));
    error = ready == 0 ? EAGAIN : errno;
    if (ready > 0) {
      socklen_t size = sizeof error;
      ::getsockopt(handle, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  ::fcntl(handle, F_SETFL, flags);
  return error;
}

} // namespace

Socket::~Socket()
{
  if (handle_ >= 0)
    ::close(handle_);
}

Socket::Socket(Socket&& other) noexcept : handle_{std::exchange(other.handle_, -1)}, peer_{std::move(other.peer_)} {}

Socket& Socket::operator=(Socket&& other) noexcept
{
  std::swap(handle_, other.handle_);
  std::swap(peer_, other.peer_);
  return *this;
}

void Socket::write_all(const void* data, std::size_t bytes)
{
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(handle_, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      throw std::runtime_error{"sending to " + peer_ + ": " + words(errno)};
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void Socket::read_all(void* data, std::size_t bytes)
{
  if (!read_or_end(data, bytes))
    throw std::runtime_error{"receiving from " + peer_ + ": the peer closed the connection"};
}

bool Socket::read_or_end(void* data, std::size_t bytes)
{
  char* at = static_cast<char*>(data);
  std::size_t left = bytes;
  while (left > 0) {
    const ssize_t got = ::recv(handle_, at, left, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw std::runtime_error{"receiving from " + peer_ + ": " + words(errno)};
    if (got == 0 && left == bytes)
      return false;
    if (got == 0)
      throw std::runtime_error{"receiving from " + peer_ + ": the peer closed the connection during a message"};
    at += got;
    left -= static_cast<std::size_t>(got);
  }
  return true;
}

void Socket::drain(std::size_t bytes)
{
  std::vector<char> buffer(std::min<std::size_t>(bytes, 1U << 18U));
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, buffer.size());
    read_all(buffer.data(), part);
    bytes -= part;
  }
}

Socket connect_to(const std::string& host, int port, double seconds)
{
  const std::string peer = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (const int fault = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &raw); fault != 0)
    throw std::runtime_error{"cannot find " + peer + ": " + ::gai_strerror(fault)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found{raw, ::freeaddrinfo};
  int error = 0;
  for (const addrinfo* address = found.get(); address != nullptr; address = address->ai_next) {
    Socket socket{::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), peer};
    if (!socket) {
      error = errno;
      continue;
    }
    error = connect_within(socket.handle(), address->ai_addr, address->ai_addrlen, seconds);
    if (error == 0) {
      set_waits(socket.handle(), seconds);
      return socket;
    }
  }
  throw std::runtime_error{"cannot connect to " + peer + ": " + words(error) + "; is 'simcal serve' running there?"};
}

Socket listen_on(const std::string& address, int port)
{
  const std::string place = address + ":" + std::to_string(port);
  Socket socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), place};
  if (!socket)
    throw std::runtime_error{std::string{"cannot make a socket: "} + std::strerror(errno)};
  const int on = 1;
  ::setsockopt(socket.handle(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &here.sin_addr) != 1)
    throw std::runtime_error{"'" + address + "' is not an IPv4 address to listen on"};
  if (::bind(socket.handle(), reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||
      ::listen(socket.handle(), 64) != 0)
    throw std::runtime_error{"cannot listen on " + place + ": " + std::strerror(errno) +
                             "; choose another port with --port"};
  return socket;
}

int port_of(const Socket& socket)
{
  sockaddr_in here{};
  socklen_t size = sizeof here;
  ::getsockname(socket.handle(), reinterpret_cast<sockaddr*>(&here), &size);
  return ntohs(here.sin_port);
}

Socket accept_within(const Socket& listening, double seconds, double seconds_per_wait)
{
  pollfd waiting{listening.handle(), POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(seconds * 1e3)) <= 0)
    return {};
  sockaddr_in from{};
  socklen_t size = sizeof from;
  const int handle = ::accept4(listening.handle(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC);
  if (handle < 0)
    return {};
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &from.sin_addr, text.data(), text.size());
  set_waits(handle, seconds_per_wait);
  return Socket{handle, std::string{text.data()} + ":" + std::to_string(ntohs(from.sin_port))};
}

} // namespace trainyard::calibrate
