// SPDX-License-Identifier: Apache-2.0
#include "sim/study/crew.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard {

bool read_all(int descriptor, void* to, std::size_t size)
{
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::read(descriptor, at, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int descriptor, const void* from, std::size_t size)
{
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t put = ::send(descriptor, at, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

std::string ending_of(int status)
{
  return WIFSIGNALED(status) ? fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                             : fmt::format("ended with {}", WEXITSTATUS(status));
}

} // namespace trainyard
