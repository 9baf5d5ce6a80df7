// SPDX-License-Identifier: Apache-2.0
/// simrun_mpi: the MPI of one rank of `simrun sweep --mpi`. It passes messages between simrun, at the other end of a
/// socket, and the other ranks, and knows nothing of what they mean. A program of its own, because simrun loads
/// libsimgrid, whose MPI_* functions are not those of Open MPI, and because a machine without Open MPI still runs
/// simrun.
#include "sim/study/mpi_relay.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trainyard {
namespace {

class Relay
{
public:
  explicit Relay(int socket) : socket_{socket}
  {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const RelayHead first{rank, static_cast<std::uint64_t>(ranks)};
    to_simrun_.assign(reinterpret_cast<const char*>(&first), sizeof first);
  }

  /// Until simrun says that it has no more to send. Waits by asking and sleeping: no core that computes is taken.
  void run()
  {
    long pause = 0; // ns
    for (int idle = 0; !over_; ++idle) {
      if (receive_from_ranks())
        idle = 0;
      pause = idle < 20 ? 0 : std::min(std::max(2 * pause, 20'000L), 500'000L);
      if (serve_simrun(pause))
        idle = 0;
    }
  }

private:
  bool receive_from_ranks()
  {
    int there = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there == 0)
      return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    const RelayHead head{status.MPI_SOURCE, static_cast<std::uint64_t>(size)};
    to_simrun_.append(reinterpret_cast<const char*>(&head), sizeof head);
    const std::size_t begin = to_simrun_.size();
    to_simrun_.resize(begin + head.size);
    MPI_Recv(to_simrun_.data() + begin, size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  /// Waits up to @p pause ns for simrun; never for it to read, or both could wait for each other.
  bool serve_simrun(long pause)
  {
    pollfd simrun{socket_, static_cast<short>(to_simrun_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    const timespec most{0, pause};
    if (::ppoll(&simrun, 1, &most, nullptr) <= 0)
      return false;
    if ((simrun.revents & POLLOUT) != 0)
      if (const ssize_t put = ::send(socket_, to_simrun_.data(), to_simrun_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
          put > 0)
        to_simrun_.erase(0, static_cast<std::size_t>(put));
    if ((simrun.revents & (POLLIN | POLLHUP)) == 0)
      return true;
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
      MPI_Abort(MPI_COMM_WORLD, 1); // simrun is gone without a word: the others must not wait for it
    if (got > 0)
      from_simrun_.append(buffer.data(), static_cast<std::size_t>(got));
    send_whole_messages();
    return true;
  }

  void send_whole_messages()
  {
    std::size_t at = 0;
    for (RelayHead head; from_simrun_.size() - at >= sizeof head;) {
      std::memcpy(&head, from_simrun_.data() + at, sizeof head);
      if (head.rank == relay_over)
        over_ = true;
      if (over_ || from_simrun_.size() - at - sizeof head < head.size)
        break;
      MPI_Send(from_simrun_.data() + at + sizeof head, static_cast<int>(head.size), MPI_BYTE,
               static_cast<int>(head.rank), 0, MPI_COMM_WORLD);
      at += sizeof head + head.size;
    }
    from_simrun_.erase(0, at);
  }

  int socket_;
  std::string to_simrun_;
  std::string from_simrun_;
  bool over_ = false;
};

} // namespace
} // namespace trainyard

int main(int count, char** words)
{
  const std::string asked = count == 2 ? words[1] : "";
  if (asked == "--library") {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::puts(text.data());
    return 0;
  }
  if (asked.empty() || asked.find_first_not_of("0123456789") != std::string::npos) {
    std::fputs("simrun_mpi is started by 'simrun sweep --mpi'; simrun_mpi --library names the MPI library\n", stderr);
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM}) // they go to the whole group; simrun decides
    std::signal(signal, SIG_IGN);
  MPI_Init(nullptr, nullptr);
  trainyard::Relay{std::atoi(asked.c_str())}.run();
  MPI_Finalize();
  return 0;
}
