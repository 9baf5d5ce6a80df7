// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Numbers of resources as Batsim writes them: closed intervals with blanks between them, "0-3 5"; in any order and
/// overlapping where others wrote it. Sorted, each once. Throws std::invalid_argument for anything else, and for
/// numbers of @p count or more. Source: Batsim, docs/interval-set.rst.
std::vector<int> resource_set(std::string_view text, int count);

/// The one canonical text of sorted numbers: intervals as long as possible, "5" and not "5-5".
std::string resource_text(const std::vector<int>& sorted);

} // namespace trainyard

/// In the part "batsim" (models/core/loaded_part.hpp); whoever calls it owns the socket. Throws std::invalid_argument
/// in the words of ZeroMQ for an endpoint that it does not know.
extern "C" trainyard::BatsimSocket* trainyard_batsim_socket(const std::string& endpoint);
