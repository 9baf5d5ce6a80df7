// SPDX-License-Identifier: Apache-2.0
#include "models/core/interrupt.hpp"
#include "sim/study/crew.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

constexpr int most_tries = 3;

/// Ctrl-C and SIGTERM wait while it lives.
class HeldSignals
{
public:
  HeldSignals()
  {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  void release() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

[[noreturn]] void serve(int socket, const PointWork& work)
{
  std::uint64_t point = 0;
  while (read_all(socket, &point, sizeof point)) {
    const std::string answer = work(point);
    const std::uint64_t size = answer.size();
    if (!write_all(socket, &size, sizeof size) || !write_all(socket, answer.data(), answer.size()))
      break;
  }
  ::_exit(0);
}

} // namespace

WorkerProcess::WorkerProcess(const PointWork& work)
{
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error{fmt::format("socketpair: {}", std::strerror(errno))};
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const HeldSignals held; // a Ctrl-C between fork() and the child's own signal() would find the leader's handler there
  pid_ = ::fork();
  if (pid_ < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::runtime_error{fmt::format("fork: {}", std::strerror(errno))};
  }
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(0);
    std::signal(SIGINT, SIG_IGN); // Ctrl-C goes to the whole group; the leader decides
    std::signal(SIGTERM, SIG_DFL);
    interrupt::asked = false; // the leader may have been asked before; it ends its workers itself
    held.release();
    // close everything of the parent: its lock on the results must end with it
    ::dup2(ends[1], 3);
    ::close_range(4, ~0U, 0);
    serve(3, work);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

WorkerProcess::~WorkerProcess()
{
  if (socket_ >= 0)
    ::close(socket_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

bool WorkerProcess::give(std::uint64_t point)
{
  return write_all(socket_, &point, sizeof point);
}

std::optional<std::string> WorkerProcess::take()
{
  std::uint64_t size = 0;
  std::string answer;
  bool whole = read_all(socket_, &size, sizeof size);
  if (whole) {
    answer.resize(size);
    whole = read_all(socket_, answer.data(), size);
  }
  if (whole)
    return answer;
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_)
    ending_ = ending_of(status);
  pid_ = -1;
  return std::nullopt;
}

std::string WorkerProcess::ending()
{
  return ending_;
}

namespace {

constexpr auto time_under_way =
    std::chrono::milliseconds{500}; // for points that run when the pool is stopped; a stop takes a second

} // namespace

void run_pool(int workers, const PointWork& work, const CrewTask& task)
{
  struct Seat {
    std::unique_ptr<WorkerProcess> worker;
    std::optional<std::uint64_t> point;
  };
  std::vector<Seat> seats(static_cast<std::size_t>(std::max(workers, 1)));
  for (Seat& seat : seats)
    seat.worker = std::make_unique<WorkerProcess>(work);
  std::map<std::uint64_t, int> tries;
  std::exception_ptr stopped;
  bool more = true;
  auto last_tick = std::chrono::steady_clock::now() - std::chrono::seconds{1};

  const auto collect = [&](Seat& seat) {
    const std::uint64_t point = *seat.point;
    if (std::optional<std::string> answer = seat.worker->take()) {
      seat.point.reset();
      task.done(point, *answer);
      return;
    }
    const std::string how = seat.worker->ending();
    if (interrupt::asked) { // the signal was for the whole group
      stopped = std::make_exception_ptr(Interrupted{});
      return;
    }
    seat.worker = std::make_unique<WorkerProcess>(work);
    if (++tries[point] < most_tries && !stopped) {
      if (seat.worker->give(point))
        return;
    }
    seat.point.reset();
    if (tries[point] >= most_tries)
      task.done(point, task.lost(point, how));
  };

  for (;;) {
    for (Seat& seat : seats) {
      if (seat.point || !more || stopped)
        continue;
      const std::optional<std::uint64_t> point = task.next();
      if (!point) {
        more = false;
        break;
      }
      seat.point = point;
      seat.worker->give(*point); // a dead child shows when its answer is waited for
    }
    std::vector<pollfd> waiting;
    std::vector<Seat*> owners;
    for (Seat& seat : seats)
      if (seat.point) {
        waiting.push_back({seat.worker->descriptor(), POLLIN, 0});
        owners.push_back(&seat);
      }
    if (waiting.empty() || (stopped && std::chrono::steady_clock::now() > last_tick + time_under_way))
      break;
    ::poll(waiting.data(), waiting.size(), 100);
    for (std::size_t i = 0; i < waiting.size(); ++i)
      if (waiting[i].revents != 0)
        collect(*owners[i]);
    const auto now = std::chrono::steady_clock::now();
    if (task.tick && !stopped && now - last_tick > std::chrono::milliseconds{80}) {
      last_tick = now;
      try {
        task.tick();
      } catch (...) {
        stopped = std::current_exception();
      }
    }
  }
  if (stopped)
    std::rethrow_exception(stopped);
}

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
