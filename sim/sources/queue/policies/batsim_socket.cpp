// SPDX-License-Identifier: Apache-2.0
// Only in the part "batsim": what ZeroMQ needs takes longer to load than a small run.
#include "sim/sources/queue/policies/batsim_socket.hpp"

#include <cstdint>
#include <stdexcept>
#include <zmq.hpp>

namespace trainyard {
namespace {

class ZmqSocket final : public BatsimSocket
{
public:
  explicit ZmqSocket(const std::string& endpoint)
  {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::maxmsgsize, std::int64_t{1} << 30U); // hangs up on whoever sends more
    try {
      socket_.connect(endpoint);
    } catch (const zmq::error_t& error) {
      throw std::invalid_argument{error.what()};
    }
  }

  void send(const std::string& message) override { socket_.send(zmq::buffer(message), zmq::send_flags::dontwait); }

  std::optional<std::string> receive(std::chrono::milliseconds wait) override
  {
    zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    if (zmq::poll(&item, 1, wait) == 0)
      return std::nullopt;
    zmq::message_t answer;
    static_cast<void>(socket_.recv(answer));
    return answer.to_string();
  }

private:
  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::req};
};

} // namespace
} // namespace trainyard

trainyard::BatsimSocket* trainyard_batsim_socket(const std::string& endpoint)
{
  return new trainyard::ZmqSocket{endpoint}; // its caller, on the other side of a C interface, owns it
}
