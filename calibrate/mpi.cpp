// SPDX-License-Identifier: Apache-2.0
// MPI on this machine: ping-pong between two processes and all-reduce over four, by a program of its own that mpirun
// starts. Size: bytes of the buffer of one rank. Ranks may outnumber cores, so they yield when idle.
#include "calibrate/measurement.hpp"
#include "models/core/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

/// What a program prints to stdout and stderr; it and its children are ended after @p seconds.
std::string output_of(const std::vector<std::string>& words, double seconds)
{
  int channel[2];
  if (::pipe2(channel, O_CLOEXEC) != 0)
    throw std::runtime_error{std::string{"cannot make a pipe: "} + std::strerror(errno)};
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0)
    throw std::runtime_error{std::string{"cannot start a process: "} + std::strerror(errno)};
  if (child == 0) {
    ::setpgid(0, 0);
    ::dup2(channel[1], 1);
    ::dup2(channel[1], 2);
    ::execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ::close(channel[1]);
  std::string text;
  const double end = wall_seconds() + seconds;
  bool over = false;
  while (!over) {
    pollfd waiting{channel[0], POLLIN, 0};
    const double left = end - wall_seconds();
    if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left * 1e3)) == 0)
      break;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(channel[0], buffer.data(), buffer.size());
    over = got <= 0;
    if (!over)
      text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(channel[0]);
  if (!over)
    ::kill(-child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!over)
    throw std::runtime_error{words.front() + " did not end within " + to_string(seconds) + " s"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error{words.front() + " failed: " + text.substr(0, 400)};
  return text;
}

constexpr const char* probe = "simcal_mpi";

class Mpi final : public Measurement
{
public:
  std::string missing(const Options&) const override
  {
#ifdef SIMCAL_MPI
    if (helper_file(probe).empty())
      return "simcal_mpi is not installed with simcal";
    if (std::system("command -v mpirun >/dev/null 2>&1") != 0)
      return "mpirun is not in the path (Debian: openmpi-bin)";
    return {};
#else
    return "built without MPI (Debian: libopenmpi-dev, openmpi-bin)";
#endif
  }

  std::vector<Case> cases(const Options& options) const override
  {
    std::vector<Case> list;
    for (const char* curve : {"mpi.one_way", "mpi.all_reduce"})
      for (const double bytes :
           options.quick ? std::vector{1024.0, 4194304.0} : std::vector{64.0, 4096.0, 65536.0, 1048576.0, 16777216.0})
        list.push_back({curve, bytes, "B"});
    return list;
  }

  Samples measure(const Case& which, const Options& options) override
  {
    const bool all = which.curve == "mpi.all_reduce";
    const std::string text =
        output_of({"mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np",
                   all ? "4" : "2", helper_file(probe).string(), all ? "all_reduce" : "ping_pong",
                   to_string(which.size, 12), options.quick ? "8" : "20"},
                  options.most_seconds);
    Samples samples;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
      char* end = nullptr;
      const double seconds = std::strtod(line.c_str(), &end);
      if (end != line.c_str() && *end == '\0' && seconds > 0)
        samples.seconds.push_back(seconds);
    }
    if (samples.seconds.empty())
      throw std::runtime_error{"simcal_mpi gave no times: " + text.substr(0, 400)};
    if (relative_noise(samples.seconds) > 0.1)
      samples.state = "not converged";
    return samples;
  }

  void conclude(const MeasuredCurves& curves, const Options&, Profile& profile) const override
  {
    if (const auto found = curves.find("mpi.one_way"); found != curves.end()) {
      const std::vector<SampledPoint> points = found->second.sampled();
      const std::string note = "ping-pong of two processes on one machine (shared memory, no network)";
      if (!points.empty())
        add_constant(profile, "transport.mpi.latency", "s", bounded_median(points.front().seconds), found->second,
                     note);
      add_constant(profile, "transport.mpi.stream_limit", "B/s", rate_at_largest(found->second), found->second, note);
    }
    if (const auto found = curves.find("mpi.all_reduce"); found != curves.end())
      add_constant(profile, "mpi.all_reduce_bandwidth", "B/s", rate_at_largest(found->second), found->second,
                   "algorithm bandwidth of four processes on one machine");
  }
};

TY_REGISTER(Measurement, Mpi, "mpi", "MPI on this machine: ping-pong and all-reduce");

} // namespace
} // namespace trainyard::calibrate
