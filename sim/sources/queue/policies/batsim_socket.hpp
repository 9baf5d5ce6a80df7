// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <string>

namespace trainyard {

/// A ZeroMQ socket of type REQ.
class BatsimSocket
{
public:
  virtual ~BatsimSocket() = default;
  virtual void send(const std::string& message) = 0;
  /// The answer; nothing where none comes within this time.
  virtual std::optional<std::string> receive(std::chrono::milliseconds wait) = 0;
};

} // namespace trainyard

/// In the part "batsim" (models/core/loaded_part.hpp); whoever calls it owns the socket. Throws std::invalid_argument
/// in the words of ZeroMQ for an endpoint that it does not know.
extern "C" trainyard::BatsimSocket* trainyard_batsim_socket(const std::string& endpoint);
