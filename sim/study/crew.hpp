// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trainyard {

/// Computes one point; never throws. Runs in a child process.
using PointWork = std::function<std::string(std::uint64_t point)>;

/// How points are distributed and results collected; all called in the leading process.
struct CrewTask {
  std::function<std::optional<std::uint64_t>()> next;                // nothing: no more points
  std::function<void(std::uint64_t point, const std::string&)> done; // an answer, in the order in which they come
  std::function<std::string(std::uint64_t point, const std::string&)>
      lost; // the result for a point whose workers died repeatedly
  std::function<void()>
      tick; // about ten times a second; may throw to stop: what is being computed is still waited for and handed on
};

/// A forked child that computes points one after the other; it dies with its parent.
class WorkerProcess
{
public:
  explicit WorkerProcess(const PointWork& work);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// False where the child is gone.
  bool give(std::uint64_t point);
  /// Waits for the answer; nothing where the child died.
  std::optional<std::string> take();
  int descriptor() const { return socket_; }
  /// "killed by signal 9", once `take` has given nothing.
  std::string ending();

private:
  int pid_ = -1;
  int socket_ = -1;
  std::string ending_;
};

/// Computes all points with @p workers children of this process (1 or more). A child that dies is replaced and its
/// point tried again, three times in all. Call before the process has threads.
void run_pool(int workers, const PointWork& work, const CrewTask& task);

/// Ranks of an MPI job: rank 0 leads, each other rank computes in a child. MPI itself is in simrun_mpi (mpi_relay.cpp),
/// one beside each rank.
class MpiCrew
{
public:
  /// Starts simrun_mpi. Throws InputError where there is one rank only, or simrun_mpi is not installed.
  explicit MpiCrew(const PointWork& work);
  /// Tells the other ranks to stop and ends MPI.
  ~MpiCrew();
  MpiCrew(const MpiCrew&) = delete;
  MpiCrew& operator=(const MpiCrew&) = delete;

  bool leads() const;
  /// For the other ranks: computes until rank 0 has no more points.
  void serve();
  /// For rank 0.
  void run(const CrewTask& task);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Rank of this process by the environment that mpirun or srun set up, before MPI is started; 0 without them.
int mpi_rank_by_environment();

/// All @p size bytes from, and to, the socket of a child process; false where the other end is gone.
bool read_all(int socket, void* to, std::size_t size);
bool write_all(int socket, const void* from, std::size_t size);

/// "killed by signal 9 (Killed)", "ended with 1": of the status that waitpid gives.
std::string ending_of(int status);

} // namespace trainyard
