// SPDX-License-Identifier: Apache-2.0
/// Ranks of an MPI job as a crew: rank 0 hands out points and keeps the journal, so that a lost rank loses only what it was computing.
///
/// Waiting is by asking and sleeping, never by a busy loop: rank 0 and the fronts of the workers must not take the cores that compute.
#include "models/core/diagnostics.hpp"
#include "sim/study/crew.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#ifdef TRAINYARD_MPI
#include <mpi.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>
#endif

namespace trainyard {

int mpi_rank_by_environment()
{
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name); value != nullptr)
      return std::atoi(value);
  return 0;
}

#ifdef TRAINYARD_MPI

namespace {

constexpr int tag_answer = 1; // worker -> 0: point (8 bytes), then the answer; without anything: "ready"
constexpr int tag_point = 2;  // 0 -> worker: point, or `no_more`
constexpr std::uint64_t no_more = ~std::uint64_t{0};

/// Waits for a message without holding a core: at once, then with sleeps of up to 0.5 ms. @p idle runs in between.
MPI_Status wait_for_message(int source, int tag, const std::function<void()>& idle)
{
  MPI_Status status{};
  auto pause = std::chrono::microseconds{20};
  for (int spins = 0;; ++spins) {
    int there = 0;
    MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, &status);
    if (there != 0)
      return status;
    if (idle)
      idle();
    if (spins < 20)
      std::this_thread::yield();
    else {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds{500});
    }
  }
}

} // namespace

struct MpiCrew::State {
  std::unique_ptr<WorkerProcess> worker; // of ranks 1…
  const PointWork* work = nullptr;
  int rank = 0;
  int ranks = 1;
  bool sent_home = false;

  void send_home() const
  {
    for (int rank_at_work = 1; rank_at_work < ranks; ++rank_at_work) {
      const MPI_Status status = wait_for_message(rank_at_work, tag_answer, {});
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      std::vector<char> ignored(static_cast<std::size_t>(size));
      MPI_Recv(ignored.data(), size, MPI_BYTE, rank_at_work, tag_answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&no_more, sizeof no_more, MPI_BYTE, rank_at_work, tag_point, MPI_COMM_WORLD);
    }
  }
};

MpiCrew::MpiCrew(const PointWork& work) : state_{std::make_unique<State>()}
{
  state_->worker = std::make_unique<WorkerProcess>(work); // before MPI brings its threads
  state_->work = &work;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &state_->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state_->ranks);
  if (state_->ranks < 2) {
    MPI_Finalize();
    state_.reset();
    throw InputError{"MPI was started with one rank: rank 0 distributes the points and computes none; start at least two ranks (with "
                     "mpirun -np 3, two ranks compute), or use -j N instead of --mpi"};
  }
  if (state_->rank == 0)
    state_->worker.reset();
}

MpiCrew::~MpiCrew()
{
  if (!state_)
    return;
  if (state_->rank == 0 && !state_->sent_home)
    state_->send_home();
  MPI_Finalize();
}

bool MpiCrew::leads() const
{
  return state_->rank == 0;
}

void MpiCrew::serve()
{
  std::vector<char> message; // empty: ready for the first point
  int deaths = 0;
  for (;;) {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0, tag_answer, MPI_COMM_WORLD);
    wait_for_message(0, tag_point, {});
    std::uint64_t point = 0;
    MPI_Recv(&point, sizeof point, MPI_BYTE, 0, tag_point, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (point == no_more)
      return;
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
  const auto idle = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (!task.tick || stopped || now - last_tick < std::chrono::milliseconds{80})
      return;
    last_tick = now;
    try {
      task.tick();
    } catch (...) {
      stopped = std::current_exception();
    }
  };
  int working = state_->ranks - 1;
  std::vector<char> buffer;
  std::vector<int> resting; // ranks without a point while points of dead children may come back
  std::uint64_t out = 0;    // points under way
  const auto hand_out = [&](int rank) {
    std::optional<std::uint64_t> point;
    if (!stopped) {
      if (!again.empty()) {
        point = again.back();
        again.pop_back();
      } else {
        point = task.next();
      }
    }
    if (!point && out > 0 && !stopped) {
      resting.push_back(rank);
      return;
    }
    if (!point)
      --working;
    else
      ++out;
    const std::uint64_t message = point.value_or(no_more);
    MPI_Send(&message, sizeof message, MPI_BYTE, rank, tag_point, MPI_COMM_WORLD);
  };
  while (working > 0) {
    const MPI_Status status = wait_for_message(MPI_ANY_SOURCE, tag_answer, idle);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    buffer.resize(static_cast<std::size_t>(size));
    MPI_Recv(buffer.data(), size, MPI_BYTE, status.MPI_SOURCE, tag_answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (buffer.size() >= sizeof(std::uint64_t)) {
      --out;
      std::uint64_t point = 0;
      std::copy_n(buffer.data(), sizeof point, reinterpret_cast<char*>(&point));
      const std::string answer{buffer.begin() + sizeof point, buffer.end()};
      if (!answer.empty()) {
        task.done(point, answer);
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
          task.done(point, task.lost(point, "its worker process died"));
      }
    }
    hand_out(status.MPI_SOURCE);
    if (out == 0 || !again.empty() || stopped)
      for (const int rank : std::exchange(resting, {}))
        hand_out(rank);
  }
  state_->sent_home = true;
  if (stopped)
    std::rethrow_exception(stopped);
}

std::string mpi_library()
{
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

#else

struct MpiCrew::State {
};

MpiCrew::MpiCrew(const PointWork&)
{
  throw InputError{"this simrun was built without MPI; install libopenmpi-dev and build again, or use --shard K/N on each machine"};
}
MpiCrew::~MpiCrew() = default;
bool MpiCrew::leads() const
{
  return true;
}
void MpiCrew::serve() {}
void MpiCrew::run(const CrewTask&) {}
std::string mpi_library()
{
  return {};
}

#endif

} // namespace trainyard
