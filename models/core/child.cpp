// SPDX-License-Identifier: Apache-2.0
#include "models/core/child.hpp"

#include "models/core/interrupt.hpp"
#include "models/core/packed.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

bool reading_in_child = false;

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

void limit(__rlimit_resource what, rlim_t most)
{
  rlimit now{};
  getrlimit(what, &now);
  now.rlim_cur = std::min(now.rlim_max, most);
  setrlimit(what, &now);
}

void limit(const ChildLimits& limits)
{
  limit(RLIMIT_CORE, 0);
  if (limits.seconds > 0)
    limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds)));
  if (limits.memory > 0 && !sanitized) {
    rlim_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    limit(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + limits.memory);
  }
}

/// The result, or what was thrown, after a letter that says which.
std::string answer_of(const std::function<std::string()>& work)
{
  try {
    return "r" + work();
  } catch (const InputError& fault) {
    return "d" + packed(fault.diagnostics());
  } catch (const std::bad_alloc&) {
    return "m";
  } catch (const std::invalid_argument& fault) {
    return std::string{"i"} + fault.what();
  } catch (const std::logic_error& fault) {
    return std::string{"l"} + fault.what();
  } catch (const std::exception& fault) {
    return std::string{"e"} + fault.what();
  }
}

[[noreturn]] void live(const std::function<std::string()>& work, const ChildLimits& limits, int file)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL); // no parent waits for the result any more
  std::signal(SIGINT, SIG_IGN);     // Ctrl-C goes to the whole group; the parent decides
  std::signal(SIGTERM, SIG_DFL);
  interrupt::asked = false;
  if (limits.seconds > 0 || limits.memory > 0)
    limit(limits);
  const bool written = write_all(file, answer_of(work));
  _exit(written ? 0 : 1);
}

/// The child and the end of the pipe to it; both go with the object.
class Child
{
public:
  Child(pid_t process, int file) : process_{process}, file_{file} {}
  ~Child()
  {
    close(file_);
    if (!ended_) {
      kill(process_, SIGKILL);
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// All that the child writes. Where the program is to stop meanwhile, the child is ended first: SimGrid does not look
  /// at signals.
  std::string answer(const ChildLimits& limits)
  {
    // a child that neither works nor ends; a busy machine may give it a small part of a processor
    const auto end = Clock::now() + std::chrono::duration<double>{20 + 5 * limits.seconds};
    std::string answer;
    char block[65536];
    for (;;) {
      pollfd waiting{file_, POLLIN, 0};
      while (poll(&waiting, 1, 100) <= 0) {
        check_interrupt();
        if (limits.seconds > 0 && Clock::now() > end)
          throw ChildEnded{"did not end"};
      }
      const ssize_t count = read(file_, block, sizeof block);
      if (count > 0)
        answer.append(block, static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        return answer;
    }
  }

  int wait()
  {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    return status;
  }

private:
  pid_t process_;
  int file_;
  bool ended_ = false;
};

} // namespace

bool limits_memory()
{
  return !sanitized;
}

std::string in_child(const std::function<std::string()>& work, const ChildLimits& limits)
{
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error{std::string{"pipe: "} + std::strerror(errno)};
  std::fflush(nullptr); // what is buffered would be written twice
  const pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error{std::string{"fork: "} + std::strerror(errno)};
  }
  if (process == 0) {
    close(ends[0]);
    live(work, limits, ends[1]);
  }
  close(ends[1]);
  Child child{process, ends[0]};
  const std::string answer = child.answer(limits);
  const int status = child.wait();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw ChildEnded{fmt::format("took more than {:.0f} s of a processor", limits.seconds)};
  if (WIFSIGNALED(status))
    throw ChildEnded{fmt::format("was ended by signal {}", strsignal(WTERMSIG(status)))};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty())
    throw ChildEnded{fmt::format("ended without a result (exit status {})", WEXITSTATUS(status))};
  const std::string text = answer.substr(1);
  switch (answer.front()) {
  case 'r':
    return text;
  case 'd':
    throw InputError{unpacked<std::vector<Diagnostic>>(text)};
  case 'i':
    throw std::invalid_argument{text};
  case 'l':
    throw std::logic_error{text};
  case 'm':
    if (limits.memory > 0)
      throw ChildEnded{fmt::format("took more than {} MiB of memory", limits.memory >> 20U)};
    throw std::bad_alloc{};
  default:
    throw std::runtime_error{text};
  }
}

namespace {

/// Bytes of the regular files, and of those in folders.
std::uintmax_t size_of(const std::vector<fs::path>& files)
{
  std::uintmax_t bytes = 0;
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    if (fs::is_regular_file(file, error))
      if (const std::uintmax_t size = fs::file_size(file, error); !error)
        bytes += size;
  };
  for (const fs::path& file : files) {
    add(file);
    if (fs::is_directory(file, error))
      for (fs::directory_iterator entry{file, error}, end; !error && entry != end; entry.increment(error))
        add(entry->path());
  }
  return bytes;
}

} // namespace

std::string read_in_child(const std::vector<fs::path>& files, const std::function<std::string()>& read)
{
  if (reading_in_child)
    return read();
  constexpr std::uintmax_t small = 1U << 20U;
  const std::uintmax_t bytes = std::max(size_of(files), small);
  const ChildLimits limits{(900ULL << 20U) + 200 * (bytes - small),
                           5.0 * static_cast<double>(bytes) / static_cast<double>(small)};
  try {
    return in_child(
        [&] {
          reading_in_child = true;
          return read();
        },
        limits);
  } catch (const ChildEnded& fault) {
    throw InputError{fmt::format("'{}': the process that read it {}. The file is damaged, or this is a fault of "
                                 "Trainyard: please report it with the file",
                                 files.empty() ? std::string{} : files.front().string(), fault.what())};
  }
}

} // namespace trainyard
