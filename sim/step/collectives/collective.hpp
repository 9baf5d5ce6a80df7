// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// One message of a round. `bytes` is what crosses the wire.
struct Message {
  int from = 0;
  int to = 0;
  Bytes bytes;
};

/// Messages that may be under way at the same time. A rank starts its messages of round k when its own messages (sent
/// and received) of round k-1 are done.
struct Round {
  std::vector<Message> messages;
  int repeat = 1; // this many rounds in a row are equal (ring)
};

/// What a collective is planned for.
struct CollectiveRequest {
  std::string operation = "all_reduce"; // all_reduce, broadcast, reduce, all_gather, reduce_scatter, all_to_all
  int ranks = 0;
  Bytes payload;
  std::vector<int> node_of_rank; // for algorithms that know nodes; empty = each rank its own node
};

/// An algorithm for a collective operation: who sends what to whom in which round. It never computes time.
class Collective
{
public:
  virtual ~Collective() = default;
  virtual bool supports(const CollectiveRequest& request) const = 0;
  virtual std::vector<Round> plan(const CollectiveRequest& request) const = 0;
};

} // namespace trainyard
