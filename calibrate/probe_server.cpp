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
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

constexpr double idle_seconds = 60;      // a client that sends nothing for this long is gone
constexpr std::size_t most_clients = 64; // at once
constexpr auto wrong_token_pause = std::chrono::seconds{1};

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
  while (!stopping_ && !interrupted() && wall_seconds() < end)
    if (Socket client = accept_within(listening_, 0.2, idle_seconds)) {
      if (++connected_ > most_clients) {
        --connected_;
        continue; // closes it
      }
      clients_.emplace_back([this, accepted = std::make_shared<Socket>(std::move(client))] {
        answer(std::move(*accepted));
        --connected_;
      });
    }
  stopping_ = true;
}

/// Whether the client shows the token. A wrong one costs a second, so that guessing takes for ever.
bool ProbeServer::admit(Socket& client)
{
  ProbeToken shown;
  client.read_all(&shown, sizeof shown);
  shown.text[sizeof shown.text - 1] = '\0';
  const char admitted = same_token(shown.text, token_) ? 1 : 0;
  if (admitted == 0) {
    std::fprintf(stderr, "simcal serve: %s showed a wrong token\n", client.peer().c_str());
    std::this_thread::sleep_for(wrong_token_pause);
  }
  client.write_all(&admitted, 1);
  return admitted != 0;
}

void ProbeServer::answer(Socket client)
{
  try {
    ProbeHello hello;
    hello.grpc_port = static_cast<std::uint32_t>(grpc_port_);
    client.write_all(&hello, sizeof hello);
    if (!admit(client))
      return;
    std::vector<char> buffer;
    while (!stopping_) {
      // Wakes now and then, so that stopping does not wait for a silent client.
      pollfd waiting{client.handle(), POLLIN, 0};
      if (::poll(&waiting, 1, 200) == 0)
        continue;
      ProbeRequest request;
      if (!client.read_or_end(&request, sizeof request) || request.magic != ProbeRequest{}.magic ||
          request.bytes > largest_probe_bytes)
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
        buffer.resize(std::max<std::size_t>(buffer.size(), request.bytes));
        client.write_all(buffer.data(), request.bytes);
        break;
      case ProbeOperation::usage: {
        const double seconds = process_cpu_seconds();
        client.write_all(&seconds, sizeof seconds);
        break;
      }
      default:
        return;
      }
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
