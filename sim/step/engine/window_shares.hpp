// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/random.hpp"
#include "sim/step/congestion/congestion_control.hpp"

#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// By how much connections of TCP have more or less than an equal share of a link, without packets.
///
/// A connection waits where most others per bandwidth send, and windows fill that queue together. There its share is
/// its window's. Windows grow until the queue is full. What they grow by in one more round trip, until senders hear of
/// it, is lost, and each packet of the queue may be the one that is: each loss takes what the congestion control takes.
/// After a silence of more than a retransmission timeout a window is smaller, and slow start goes on where it was (RFC
/// 2861); a round trip is the time that what waits takes. So a transfer keeps its share against one that begins later.
///
/// Virtual, so that a part that is loaded calls them without being linked with them.
class WindowShares
{
public:
  /// Equal shares.
  WindowShares() = default;
  explicit WindowShares(const Cluster& cluster);
  virtual ~WindowShares() = default;

  /// A connection that had nothing to send has a message now, at @p now s, over these capacities.
  virtual void begin(int connection, const std::vector<int>& links, double now);
  /// It has nothing to send any more.
  virtual void end(int connection, double now);
  /// When windows change next, s; infinite: never while none begins or ends.
  virtual double next() const;
  /// They change now.
  virtual void change(double now);
  /// Connections that have another share since this was asked last.
  virtual std::vector<int> changed();
  /// As a multiple of the mean share of those that wait at its queue.
  virtual double of(int connection) const;

private:
  struct Connection {
    std::vector<std::size_t> queues; // on its way
    std::size_t waits_at = 0;        // the one of these where it has least
    TcpSender sender;
    double silent_since = 0; // s
    double share = 1;
    bool began = false, busy = false;
  };
  struct Queue {
    double room = 0;        // bytes
    double rate = 0;        // bytes/s
    std::vector<int> busy;  // connections that have something to send over it
    double since = 0;       // s: windows are those of then
    double next = infinite; // s: when they change
    bool stirred = false;   // who waits here may have changed
  };
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<Connection*> waiting(std::size_t queue);
  void grow(std::size_t queue, double now);
  void lose(std::size_t queue);
  void look_ahead(std::size_t queue, double now);
  void stir(const Connection& connection, double now);
  void settle(const Connection& connection, double now);
  double growth(const Queue& queue, std::size_t connections) const;

  std::shared_ptr<const CongestionControl> control_; // null: equal shares
  RandomStream chance_{1};
  std::vector<Queue> queues_;                       // by link of the cluster; without room: none
  std::vector<std::size_t> stirred_, expecting_;    // queues: that may have changed; where windows will
  std::unordered_map<int, Connection> connections_; // looked up only
  std::vector<int> changed_;
};

} // namespace trainyard
