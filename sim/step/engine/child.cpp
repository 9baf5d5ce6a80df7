// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/child.hpp"

#include "models/core/interrupt.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard {
namespace {

bool write_all(int file, const std::string& text)
{
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR)
      return false;
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

/// The child's whole life: 'r' + result, or 'e' + message.
[[noreturn]] void live(const std::function<std::string()>& work, int file)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL); // no parent waits for the result any more
  std::signal(SIGINT, SIG_IGN);     // Ctrl-C goes to the whole group; the parent decides
  std::signal(SIGTERM, SIG_DFL);
  std::string answer;
  try {
    answer = "r" + work();
  } catch (const std::exception& fault) {
    answer = std::string{"e"} + fault.what();
  }
  const bool written = write_all(file, answer);
  _exit(written ? 0 : 1);
}

/// Waits until the child has written something, or has ended. Where the program is to stop meanwhile, the child is
/// ended first: SimGrid does not look at signals.
void await(pid_t child, int file)
{
  constexpr int milliseconds = 100;
  pollfd waiting{file, POLLIN, 0};
  while (poll(&waiting, 1, milliseconds) <= 0)
    try {
      check_interrupt();
    } catch (const Interrupted&) {
      kill(child, SIGKILL);
      close(file);
      waitpid(child, nullptr, 0);
      throw;
    }
}

} // namespace

std::string in_child(const std::function<std::string()>& work)
{
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error{std::string{"pipe: "} + std::strerror(errno)};
  std::fflush(nullptr); // what is buffered would be written twice
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error{std::string{"fork: "} + std::strerror(errno)};
  }
  if (child == 0) {
    close(ends[0]);
    live(work, ends[1]);
  }
  close(ends[1]);
  std::string answer;
  char block[65536];
  for (;;) {
    await(child, ends[0]);
    const ssize_t count = read(ends[0], block, sizeof block);
    if (count > 0)
      answer.append(block, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw std::runtime_error{std::string{"the network simulation was ended by signal "} + strsignal(WTERMSIG(status))};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty())
    throw std::runtime_error{"the network simulation ended without a result (exit status " +
                             std::to_string(WEXITSTATUS(status)) + ")"};
  if (answer.front() == 'e')
    throw std::runtime_error{answer.substr(1)};
  return answer.substr(1);
}

} // namespace trainyard
