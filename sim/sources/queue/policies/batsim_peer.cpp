// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/batsim_peer.hpp"

#include "models/core/interrupt.hpp"
#include "models/core/loaded_part.hpp"
#include "models/core/quantity_text.hpp"
#include "sim/sources/queue/policies/batsim_socket.hpp"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <utility>

namespace trainyard {

#ifdef TRAINYARD_ZMQ

struct BatsimPeer::Socket {
  std::unique_ptr<BatsimSocket> socket;
};

BatsimPeer::BatsimPeer(std::string endpoint, Seconds timeout) : endpoint_{std::move(endpoint)}, timeout_{timeout}
{
  static const auto open = part_function<decltype(trainyard_batsim_socket)>("batsim", "trainyard_batsim_socket");
  try {
    socket_ = std::make_unique<Socket>();
    socket_->socket.reset(open(endpoint_));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument{
        fmt::format("'{}' is no endpoint such as tcp://localhost:28000: {}", endpoint_, error.what())};
  }
}

std::string BatsimPeer::ask(const std::string& message, Seconds timeout)
{
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds look{100}; // between looks for an interrupt
  const auto end = Clock::now() + std::chrono::duration<double>{timeout.value()};
  socket_->socket->send(message);
  for (;;) {
    if (std::optional<std::string> answer = socket_->socket->receive(look))
      return *std::move(answer);
    check_interrupt();
    if (Clock::now() >= end)
      throw std::runtime_error{
          fmt::format("no scheduler of Batsim's protocol answers at {} within {}; start it first, for example "
                      "'pybatsim easyBackfill', or give the setting timeout more time",
                      endpoint_, to_text(timeout))};
  }
}

#else

struct BatsimPeer::Socket {
};

BatsimPeer::BatsimPeer(std::string endpoint, Seconds timeout) : endpoint_{std::move(endpoint)}, timeout_{timeout}
{
  throw std::invalid_argument{
      "this program was built without ZeroMQ, so it cannot ask schedulers of Batsim's protocol; "
      "install libzmq3-dev and cppzmq-dev, then build it again"};
}

std::string BatsimPeer::ask(const std::string&, Seconds)
{
  return {};
}

#endif

BatsimPeer::~BatsimPeer() = default;

} // namespace trainyard
