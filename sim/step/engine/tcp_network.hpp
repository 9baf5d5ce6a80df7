// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "sim/step/engine/network.hpp"

#include <cstddef>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// Flows that share links as connections of TCP do: by what each of them has in the queue, and not equally.
///
/// Connections that meet at a full link wait in one queue, first in, first out, so each gets the share of the link that
/// it has of the queue: its window. So the shares are max-min fair with the windows as weights. A window begins with
/// ten segments (RFC 6928) and grows by what has arrived (slow start, RFC 5681), after a loss by CUBIC (RFC 9438). A
/// queue that overflows loses segments of one connection, drawn by how fast it sends, which goes on with 0.7 of its
/// window. After 0.2 s of silence, the smallest retransmission timeout of Linux, a window begins again (RFC 2861). So
/// who sends already keeps most of a link for a while, and equal transfers do not end together.
///
/// The window of a sender that is alone waits at its own network card if nothing on its way is slower. Where a second
/// one, of another machine, then meets it, both queues are empty: it is through with slow start after a few round trips
/// of microseconds, and both begin with alike windows.
///
/// Ways back, losses of whole windows and timeouts are not modelled: a full link stays full. The messages between the
/// same two ends over the same links are one connection; those in flight share it equally.
class TcpNetwork final : public Network
{
public:
  /// @p queue: bytes that wait at a link at most.
  TcpNetwork(std::vector<double> capacities, double queue, RandomStream losses);

  double now() const override { return now_; }
  void timer(double delay, Callback callback) override;
  int flow(const FlowRequest& request, Callback done) override;
  void run(const Callback& begin) override;

private:
  struct Message {
    double left = 0; // bytes
    Callback done;
  };
  struct Connection {
    const std::vector<int>* links = nullptr;
    double limit = 0;
    double window = 0;     // bytes
    double slow_until = 0; // bytes: slow start ends there
    double largest = 0;    // bytes: the window at the last loss
    double lost_at = 0;    // s
    double silent_since = 0;
    double rate = 0; // bytes/s
    int bottleneck = -1;
    int card = -1;        // by which it leaves its machine
    double card_rate = 0; // bytes/s
    bool fresh = false;   // its first message has just begun
    bool shared_out = false;
    std::vector<Message> messages;
  };
  struct Timer {
    double time;
    long order;
    std::size_t callback;
    bool operator>(const Timer& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  void share_out();
  void meet();
  void lose();
  double growth(const Connection& connection, double sent) const;
  double next_change() const;
  void let_pass(double until);
  void end_messages();

  std::vector<double> capacities_;
  double queue_;
  RandomStream losses_;
  std::vector<Connection> connections_;
  std::unordered_map<const std::vector<int>*, std::size_t> index_; // looked up only
  std::vector<std::size_t> active_;
  std::vector<double> left_, weights_; // by capacity
  std::vector<int> crossed_;           // capacities that active connections cross
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::vector<Callback> callbacks_;
  std::vector<std::size_t> free_;
  bool changed_ = false;
  double now_ = 0;
  long order_ = 0;
};

} // namespace trainyard
