// SPDX-License-Identifier: Apache-2.0
#include "calibrate/probe_server.hpp"

#include "calibrate/sampler.hpp"
#include "calibrate/token.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

constexpr double idle_seconds = 60;         // a client that sends nothing of a message for this long is gone
constexpr double longest_silence = 15 * 60; // between two requests
constexpr std::size_t most_clients = 64;    // at once, with the token
constexpr double seconds_for_token = 2;
constexpr std::size_t most_newcomers = 256;           // at once, without it
constexpr double wrong_token_pause = 1;               // in seconds
constexpr std::uint64_t largest_echo_bytes = 8 << 20; // kept whole, by each client
constexpr std::uint64_t pull_piece = 1 << 20;

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int)
{
  interrupts = interrupts + 1;
  if (interrupts > 1)
    _exit(130);
}

} // namespace

void catch_interrupts()
{
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted()
{
  return interrupts > 0;
}

ProbeServer::ProbeServer(const std::string& address, int port, std::string token)
    : token_{std::move(token)}, listening_{listen_on(address, port)}, port_{port_of(listening_)}
{
  GrpcServer grpc = start_grpc_server(address, port == 0 ? 0 : port + 1, token_);
  grpc_ = std::move(grpc.running);
  grpc_port_ = grpc.port;
}

ProbeServer::~ProbeServer()
{
  stop();
}

void ProbeServer::serve(double seconds)
{
  const double end = seconds > 0 ? wall_seconds() + seconds : std::numeric_limits<double>::infinity();
  std::list<Newcomer> newcomers;
  while (!stopping_ && !interrupted() && wall_seconds() < end) {
    std::vector<pollfd> waiting{{listening_.handle(), POLLIN, 0}};
    for (const Newcomer& newcomer : newcomers)
      if (!newcomer.refused)
        waiting.push_back({newcomer.socket.handle(), POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), newcomers.empty() ? 200 : 50);
    if (Socket client = accept_within(listening_, 0, idle_seconds)) {
      ProbeHello hello;
      hello.grpc_port = static_cast<std::uint32_t>(grpc_port_);
      ::send(client.handle(), &hello, sizeof hello, MSG_DONTWAIT | MSG_NOSIGNAL);
      newcomers.push_back({std::move(client), wall_seconds() + seconds_for_token});
      if (newcomers.size() > most_newcomers)
        newcomers.pop_front(); // who has been silent for longest
    } else if ((waiting.front().revents & POLLIN) != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20}); // no handle is free
    }
    std::erase_if(newcomers, [this](Newcomer& newcomer) { return settled(newcomer); });
    std::erase_if(clients_, [](const Visit& visit) { return visit.over->load(); });
  }
  stopping_ = true;
}

/// Reads what a newcomer has sent of the token, without waiting; true: it is admitted or gone. A wrong token costs a
/// second, so that guessing takes for ever.
bool ProbeServer::settled(Newcomer& newcomer)
{
  const double now = wall_seconds();
  const int handle = newcomer.socket.handle();
  char* const at = newcomer.shown.text + newcomer.got;
  const ssize_t got =
      newcomer.refused ? 0 : ::recv(handle, at, sizeof newcomer.shown.text - newcomer.got, MSG_DONTWAIT);
  if (!newcomer.refused && (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)))
    return true;
  newcomer.got += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  const char no = 0, yes = 1;
  if (!newcomer.refused && newcomer.got == sizeof newcomer.shown.text) {
    newcomer.shown.text[sizeof newcomer.shown.text - 1] = '\0';
    if (same_token(newcomer.shown.text, token_)) {
      if (clients_.size() < most_clients && ::send(handle, &yes, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
        auto over = std::make_shared<std::atomic<bool>>(false);
        clients_.push_back(
            {over, std::jthread{[this, over, client = std::make_shared<Socket>(std::move(newcomer.socket))] {
               answer(*client);
               over->store(true);
             }}});
      }
      return true;
    }
    newcomer.refused = true;
    newcomer.until = now + wrong_token_pause;
    if (now >= told_ + wrong_token_pause) // so that nobody fills a log
      std::fprintf(stderr, "simcal serve: %s showed a wrong token\n", newcomer.socket.peer().c_str());
    told_ = now;
  }
  if (now < newcomer.until)
    return false;
  if (newcomer.refused)
    ::send(handle, &no, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  return true;
}

void ProbeServer::answer(Socket& client)
{
  try {
    std::vector<char> buffer;
    for (double heard = wall_seconds(); !stopping_ && wall_seconds() < heard + longest_silence;) {
      // Wakes now and then, so that stopping does not wait for a silent client.
      pollfd waiting{client.handle(), POLLIN, 0};
      if (::poll(&waiting, 1, 200) == 0)
        continue;
      ProbeRequest request;
      if (!client.read_or_end(&request, sizeof request) || request.magic != ProbeRequest{}.magic ||
          request.bytes > (request.operation == ProbeOperation::echo ? largest_echo_bytes : largest_probe_bytes))
        return;
      const char done = 1;
      switch (request.operation) {
      case ProbeOperation::echo:
        buffer.resize(std::max<std::size_t>(buffer.size(), request.bytes));
        client.read_all(buffer.data(), request.bytes);
        client.write_all(buffer.data(), request.bytes);
        break;
      case ProbeOperation::push:
        client.drain(request.bytes);
        client.write_all(&done, 1);
        break;
      case ProbeOperation::pull:
        buffer.resize(std::max<std::size_t>(buffer.size(), std::min(request.bytes, pull_piece)));
        for (std::uint64_t left = request.bytes; left > 0; left -= std::min(left, pull_piece))
          client.write_all(buffer.data(), std::min(left, pull_piece));
        break;
      case ProbeOperation::usage: {
        const double seconds = process_cpu_seconds();
        client.write_all(&seconds, sizeof seconds);
        break;
      }
      default:
        return;
      }
      heard = wall_seconds();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simcal serve: %s\n", error.what()); // one client less; the others go on
  }
}

LocalServer::LocalServer(const std::string& program)
{
  int channel[2];
  if (::pipe2(channel, O_CLOEXEC) != 0)
    throw std::runtime_error{std::string{"cannot make a pipe: "} + std::strerror(errno)};
  const std::string announce = "--announce=" + std::to_string(channel[1]);
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ < 0)
    throw std::runtime_error{std::string{"cannot start a process: "} + std::strerror(errno)};
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0); // Ctrl-C is for the parent, who ends this process
    ::fcntl(channel[1], F_SETFD, 0);
    ::execl(program.c_str(), program.c_str(), "serve", "--quiet", "--address=127.0.0.1", "--port=0", announce.c_str(),
            nullptr);
    _exit(127);
  }
  ::close(channel[1]);
  pollfd waiting{channel[0], POLLIN, 0};
  Announcement announced;
  const bool ready =
      ::poll(&waiting, 1, 10'000) > 0 && ::read(channel[0], &announced, sizeof announced) == sizeof announced;
  port_ = announced.port;
  token_ = announced.token.text;
  ::close(channel[0]);
  if (!ready) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    throw std::runtime_error{"the local server '" + program + " serve' did not start within 10 s"};
  }
}

LocalServer::~LocalServer()
{
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

} // namespace trainyard::calibrate
