// SPDX-License-Identifier: Apache-2.0
/// Ranks of an MPI job as a crew: rank 0 hands out points and keeps the journal, so that a lost rank loses only what it
/// was computing.
#include "models/core/diagnostics.hpp"
#include "models/core/program.hpp"
#include "models/core/safe_text.hpp"
#include "sim/study/crew.hpp"
#include "sim/study/mpi_relay.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace trainyard {

int mpi_rank_by_environment()
{
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name); value != nullptr)
      return std::atoi(value);
  return 0;
}

namespace {

// Messages. Worker to 0: a point (8 bytes), then its answer; no bytes at all: "ready for the first point". 0 to worker:
// a point, or `no_more`.
constexpr std::uint64_t no_more = ~std::uint64_t{0};

} // namespace

/// The running simrun_mpi of this rank.
class MpiRelay
{
public:
  explicit MpiRelay(const std::filesystem::path& program)
  {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error{fmt::format("socketpair: {}", std::strerror(errno))};
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::fcntl(ends[1], F_SETFD, 0);
      ::execl(program.c_str(), "simrun_mpi", std::to_string(ends[1]).c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
    socket_ = ends[0];
    if (pid_ < 0) {
      ::close(socket_);
      throw std::runtime_error{fmt::format("fork: {}", std::strerror(errno))};
    }
    RelayHead first;
    read(&first, sizeof first);
    rank = static_cast<int>(first.rank);
    ranks = static_cast<int>(first.size);
  }

  /// Without end() before it, the whole MPI job is aborted: nobody may wait for a rank that failed.
  ~MpiRelay()
  {
    ::close(socket_);
    if (pid_ > 0)
      ::waitpid(pid_, nullptr, 0);
  }
  MpiRelay(const MpiRelay&) = delete;
  MpiRelay& operator=(const MpiRelay&) = delete;

  void send(int to, const void* bytes, std::size_t size)
  {
    const RelayHead head{to, size};
    if (!write_all(socket_, &head, sizeof head) || !write_all(socket_, bytes, size))
      lost();
  }

  struct Message {
    int from = 0;
    std::vector<char> bytes;
  };

  Message receive()
  {
    RelayHead head;
    read(&head, sizeof head);
    Message message{static_cast<int>(head.rank), std::vector<char>(head.size)};
    read(message.bytes.data(), message.bytes.size());
    return message;
  }

  bool has_message_within(std::chrono::milliseconds time) const
  {
    pollfd waiting{socket_, POLLIN, 0};
    return ::poll(&waiting, 1, static_cast<int>(time.count())) > 0;
  }

  /// Ends MPI in order, once every rank calls it.
  void end()
  {
    const RelayHead head{relay_over, 0};
    if (!write_all(socket_, &head, sizeof head))
      lost();
  }

  int rank = 0;
  int ranks = 1;

private:
  void read(void* to, std::size_t size)
  {
    if (!read_all(socket_, to, size))
      lost();
  }

  [[noreturn]] void lost()
  {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    throw std::runtime_error{fmt::format("simrun_mpi of rank {} was {}", rank, ending_of(status))};
  }

  int pid_ = -1;
  int socket_ = -1;
};

struct MpiCrew::State {
  explicit State(const std::filesystem::path& program) : relay{program} {}

  MpiRelay relay;
  std::unique_ptr<WorkerProcess> worker; // of ranks 1…
  const PointWork* work = nullptr;
  bool sent_home = false;

  void send_home()
  {
    for (int waiting = relay.ranks - 1; waiting > 0; --waiting)
      relay.send(relay.receive().from, &no_more, sizeof no_more);
    sent_home = true;
  }
};

MpiCrew::MpiCrew(const PointWork& work)
{
  const std::filesystem::path program = helper_file("simrun_mpi");
  if (program.empty())
    throw InputError{"--mpi needs the program simrun_mpi, which is not installed: install the package trainyard-mpi "
                     "(in a build folder: install libopenmpi-dev and build again), or use --shard K/N on each machine"};
  state_ = std::make_unique<State>(program);
  if (state_->relay.ranks < 2) {
    state_->relay.end();
    throw InputError{"MPI was started with one rank: rank 0 distributes the points and computes none; start at least "
                     "two ranks (with mpirun -np 3, two ranks compute), or use -j N instead of --mpi"};
  }
  state_->work = &work;
  if (!leads())
    state_->worker = std::make_unique<WorkerProcess>(work);
}

MpiCrew::~MpiCrew()
{
  try {
    if (leads() && !state_->sent_home) // stopped before the first point
      state_->send_home();
    if (state_->sent_home)
      state_->relay.end();
  } catch (const std::exception& error) {
    std::fputs(for_terminal(std::string{"error: "} + error.what() + "\n").c_str(), stderr);
  }
}

bool MpiCrew::leads() const
{
  return state_->relay.rank == 0;
}

void MpiCrew::serve()
{
  std::vector<char> message; // empty: ready for the first point
  int deaths = 0;
  for (;;) {
    state_->relay.send(0, message.data(), message.size());
    std::uint64_t point = 0;
    const std::vector<char> order = state_->relay.receive().bytes;
    std::copy_n(order.data(), sizeof point, reinterpret_cast<char*>(&point));
    if (point == no_more) {
      state_->sent_home = true;
      return;
    }
    std::optional<std::string> answer;
    if (state_->worker->give(point))
      answer = state_->worker->take();
    else
      state_->worker->take(); // learn how it ended
    const auto* bytes = reinterpret_cast<const char*>(&point);
    message.assign(bytes, bytes + sizeof point);
    if (answer) {
      message.insert(message.end(), answer->begin(), answer->end());
    } else { // the point alone: rank 0 hands it out again
      if (++deaths > 100)
        throw std::runtime_error{"the worker process of this rank died repeatedly: " + state_->worker->ending()};
      state_->worker = std::make_unique<WorkerProcess>(*state_->work);
    }
  }
}

void MpiCrew::run(const CrewTask& task)
{
  std::exception_ptr stopped;
  std::vector<std::uint64_t> again;
  std::vector<std::pair<std::uint64_t, int>> tries;
  auto last_tick = std::chrono::steady_clock::now();
  constexpr auto between_ticks = std::chrono::milliseconds{80};
  const auto stops_when_it_throws = [&](const auto& call) { // the ranks are waited for and sent home all the same
    try {
      call();
    } catch (...) {
      if (!stopped)
        stopped = std::current_exception();
    }
  };
  const auto tick = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (!task.tick || stopped || now - last_tick < between_ticks)
      return;
    last_tick = now;
    stops_when_it_throws(task.tick);
  };
  int working = state_->relay.ranks - 1;
  std::vector<int> resting; // ranks without a point while points of dead children may come back
  std::uint64_t out = 0;    // points under way
  const auto hand_out = [&](int rank) {
    std::optional<std::uint64_t> point;
    if (!stopped) {
      if (!again.empty()) {
        point = again.back();
        again.pop_back();
      } else {
        stops_when_it_throws([&] { point = task.next(); });
      }
    }
    if (!point && out > 0 && !stopped)
      return resting.push_back(rank);
    if (!point)
      --working;
    else
      ++out;
    const std::uint64_t message = point.value_or(no_more);
    state_->relay.send(rank, &message, sizeof message);
  };
  while (working > 0) {
    tick();
    if (!state_->relay.has_message_within(between_ticks))
      continue;
    const auto [from, buffer] = state_->relay.receive();
    if (buffer.size() >= sizeof(std::uint64_t)) {
      --out;
      std::uint64_t point = 0;
      std::copy_n(buffer.data(), sizeof point, reinterpret_cast<char*>(&point));
      const std::string answer{buffer.begin() + sizeof point, buffer.end()};
      if (!answer.empty()) {
        stops_when_it_throws([&] { task.done(point, answer); });
      } else {
        int deaths = 1;
        for (auto& [tried, count] : tries)
          if (tried == point)
            deaths = ++count;
        if (deaths == 1)
          tries.emplace_back(point, 1);
        if (deaths < 3)
          again.push_back(point);
        else
          stops_when_it_throws([&] { task.done(point, task.lost(point, "its worker process died")); });
      }
    }
    hand_out(from);
    if (out == 0 || !again.empty() || stopped)
      for (const int rank : std::exchange(resting, {}))
        hand_out(rank);
  }
  state_->sent_home = true;
  if (stopped)
    std::rethrow_exception(stopped);
}

} // namespace trainyard
