// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/batsim_peer.hpp"

#include "models/core/interrupt.hpp"
#include "models/core/quantity_text.hpp"

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>
#ifdef TRAINYARD_ZMQ
#include <zmq.hpp>
#endif

namespace trainyard {

#ifdef TRAINYARD_ZMQ

struct BatsimPeer::Socket {
  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::req};
};

BatsimPeer::BatsimPeer(std::string endpoint, Seconds timeout) : endpoint_{std::move(endpoint)}, timeout_{timeout}
{
  socket_ = std::make_unique<Socket>();
  socket_->socket.set(zmq::sockopt::linger, 0);
  try {
    socket_->socket.connect(endpoint_);
  } catch (const zmq::error_t& error) {
    throw std::invalid_argument{
        fmt::format("'{}' is no endpoint such as tcp://localhost:28000: {}", endpoint_, error.what())};
  }
}

std::string BatsimPeer::ask(const std::string& message, Seconds timeout)
{
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds look{100}; // between looks for an interrupt
  const auto end = Clock::now() + std::chrono::duration<double>{timeout.value()};
  socket_->socket.send(zmq::buffer(message), zmq::send_flags::dontwait);
  zmq::pollitem_t item{socket_->socket.handle(), 0, ZMQ_POLLIN, 0};
  while (zmq::poll(&item, 1, look) == 0) {
    check_interrupt();
    if (Clock::now() >= end)
      throw std::runtime_error{
          fmt::format("no scheduler of Batsim's protocol answers at {} within {}; start it first, for example "
                      "'pybatsim easyBackfill', or give the setting timeout more time",
                      endpoint_, to_text(timeout))};
  }
  zmq::message_t answer;
  static_cast<void>(socket_->socket.recv(answer));
  return answer.to_string();
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
