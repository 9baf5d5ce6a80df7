// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/random.hpp"
#include "sim/step/congestion/congestion_control.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// By how much connections of TCP have more or less than an equal share of a link, without packets.
///
/// Where links are full, a connection's share is its window's. A loss leaves `kept_share` of a window, and the next one
/// comes when it is as large as before: it is anywhere between, and who has more keeps it for a while. Windows of n
/// connections fill the queue of a link together, so the largest is a queue / n, and a round trip is the time that a
/// full queue takes. Each loss takes 1 - `kept_share` of what a window differs from the mean, so that a share lasts for
/// 1 / (1 - `kept_share`) times the time between two losses. After a silence of more than the smallest retransmission
/// timeout a window begins anew (RFC 2861).
///
/// Virtual, so that a part that is loaded calls them without being linked with them.
class WindowShares
{
public:
  /// Equal shares.
  WindowShares() = default;
  explicit WindowShares(const Cluster& cluster);
  virtual ~WindowShares() = default;

  /// A connection that had nothing to send has a message now, at @p now s, over these capacities. True where somebody
  /// is to ask when its share changes.
  virtual bool begin(int connection, const std::vector<int>& links, double now);
  /// It has nothing to send any more.
  virtual void end(int connection, double now);
  /// Seconds until its share changes.
  virtual double lasts(int connection) const;
  /// Another share; false where it has nothing to send: then nobody is to ask any more.
  virtual bool change(int connection);
  /// As a multiple of an equal one.
  virtual double of(int connection) const;

private:
  struct Queue {
    double room = 0; // bytes
    double rate = 0; // bytes/s
    int busy = 0;    // connections that have something to send
  };
  struct Connection {
    std::vector<std::size_t> queues; // on its way
    double share = 1;
    double silent_since = 0; // s
    bool began = false, busy = false, watched = false;
  };
  double drawn();

  std::shared_ptr<const CongestionControl> control_; // null: equal shares
  RandomStream chance_{1};
  std::vector<Queue> queues_;                       // by link of the cluster; without room: none
  std::unordered_map<int, Connection> connections_; // looked up only
};

} // namespace trainyard
