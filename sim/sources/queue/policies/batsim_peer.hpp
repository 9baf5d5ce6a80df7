// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <memory>
#include <string>

namespace trainyard {

/// A process that answers messages: the other end of Batsim's protocol. It binds a ZeroMQ socket of type REP; this is
/// the REQ that connects to it.
class BatsimPeer
{
public:
  /// @p endpoint: "tcp://localhost:28000". Throws std::invalid_argument for one that ZeroMQ does not know, and in a
  /// program that was built without ZeroMQ.
  BatsimPeer(std::string endpoint, Seconds timeout);
  ~BatsimPeer();

  /// Sends a message and waits for the answer. Throws std::runtime_error where none comes within the timeout,
  /// Interrupted where the user stops the program.
  std::string ask(const std::string& message) { return ask(message, timeout_); }
  /// The same with a time of its own.
  std::string ask(const std::string& message, Seconds timeout);

private:
  struct Socket;
  std::string endpoint_;
  Seconds timeout_;
  std::unique_ptr<Socket> socket_;
};

} // namespace trainyard
