// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// One message of a round. `bytes` is what crosses the wire.
struct RoundMessage {
  int from = 0;
  int to = 0;
  Bytes bytes;
};

/// Messages that may be under way at the same time. A rank starts its messages of round k when its own messages (sent
/// and received) of round k-1 are done.
struct Round {
  std::vector<RoundMessage> messages;
  int repeat = 1; // this many rounds in a row are equal (ring)
};

/// What a collective is planned for.
struct CollectiveRequest {
  std::string operation = "all_reduce"; // all_reduce, broadcast, reduce, all_gather, reduce_scatter, all_to_all
  int ranks = 0;
  Bytes payload;
  std::vector<int> node_of_rank; // for algorithms that know nodes; empty = each rank its own node
  int all_ranks = 0;             // that `ranks`, a sample, stand for; 0 = no more than them

  int whole() const { return all_ranks > 0 ? all_ranks : ranks; }
};

/// An algorithm for a collective operation: who sends what to whom in which round. It never computes time.
class Collective
{
public:
  virtual ~Collective() = default;
  virtual bool supports(const CollectiveRequest& request) const = 0;
  virtual std::vector<Round> plan(const CollectiveRequest& request) const = 0;
  /// Whether ranks of even machines in a row do the same over and over, so that a sample of the machines shows all
  /// kinds of messages in as many rounds of as many bytes as among all.
  virtual bool repeats(const CollectiveRequest& request) const;
};

inline bool Collective::repeats(const CollectiveRequest&) const
{
  return false;
}

} // namespace trainyard
