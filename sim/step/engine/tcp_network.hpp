// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "sim/step/congestion/congestion_control.hpp"
#include "sim/step/engine/network.hpp"

#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {

/// A link of a TcpNetwork.
struct TcpLink {
  double rate = 0; // bytes/s
  /// Bytes that wait at it at most; infinite: it loses nothing.
  double queue = std::numeric_limits<double>::infinity();
  bool counts_segments = false; // then so many segments or acknowledgements wait, of `queue` bytes if all are whole
  /// Bytes of a token bucket that fills at `rate`: while there are tokens, packets pass at `burst_rate`.
  double burst = 0;
  double burst_rate = std::numeric_limits<double>::infinity(); // bytes/s
  bool inside = false; // a machine: a packet comes from there to the network card
};

/// Flows that share links as connections of TCP do: packet by packet, in queues.
///
/// Each link sends what waits for it first in, first out; a packet that finds the queue full is lost. A connection has
/// as many bytes on their way as its window allows. The window begins with ten segments (RFC 6928) and grows by what
/// has been acknowledged, by its congestion control. A loss is known once a later packet is acknowledged (RFC 8985).
/// Where none follows, a probe is sent after two round trips, and 0.2 s later all again, from a window of one segment;
/// that time doubles until something is heard (RFC 6298). A window halves for each 0.2 s of silence (RFC 2861), but
/// with bbr. Only data is lost, acknowledgements and requests are not.
///
/// So who sends already keeps most of a link for a while; equal transfers do not end together; a message waits in every
/// queue on its way, and so do its acknowledgements, which slows senders down where both directions are busy.
///
/// A packet here stands for as many segments as a receiver acknowledges together, and for at most a sixteenth of the
/// smallest queue on its way. The messages of a program between the same two ends over the same links are one
/// connection, and come one after another.
class TcpNetwork final : public Network
{
public:
  /// @p chance: of two packets that come to a full queue at nearly the same time it says which is lost. @p control: a
  /// registered CongestionControl.
  TcpNetwork(const std::vector<TcpLink>& links, RandomStream chance, std::string control = "cubic");

  double now() const override { return now_; }
  void timer(double delay, Callback callback) override;
  int flow(const FlowRequest& request, Callback done) override;
  void run(const Callback& begin) override;
  /// Goes on until nothing is left to happen, or until @p stop is set and all of that instant has happened.
  void advance(const bool& stop);
  /// When something happens next; infinity: nothing is left to happen.
  double next() const { return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().time; }
  /// All that happens until then, with its consequences at that time, which is no later than next().
  void pass(double time)
  {
    now_ = std::max(now_, time);
    const bool here = true;
    advance(here);
  }
  /// Lets time pass in which nothing happens.
  void wait(double time) { now_ = std::max(now_, time); }

private:
  struct Message {
    double to_send = 0;   // bytes
    double to_arrive = 0; // bytes
    Callback done;
  };
  struct Piece {     // of a message
    long number = 0; // of the packet
    long message = 0;
    double bytes = 0;
  };
  struct Direction {      // from one end to another
    double last_sent = 0; // s: anything, small messages, too
    std::vector<std::size_t> connections;
  };
  struct Connection {
    const std::vector<int>* links = nullptr;
    const std::vector<int>* back = nullptr;
    double limit = 0;             // bytes/s
    double packet = 0;            // bytes at most
    double acknowledgement = 0;   // bytes
    bool asked = false;           // the receiver asks for messages and does not answer them
    Direction* forth = nullptr;   // their addresses stay
    Direction* answers = nullptr; // the other way

    std::deque<Message> messages;                // that have not arrived
    long first_message = 0;                      // number of the first of them
    std::size_t sending = 0;                     // place of the first that is not all sent
    std::deque<Piece> again;                     // to be sent again
    std::vector<Piece> lost;                     // that the sender does not know of
    std::deque<std::pair<long, double>> unheard; // packets and when they were sent, since the last acknowledged one

    std::size_t card = 0; // the first link of the way outside the machine, as an index into `links`
    double own = 0;       // bytes sent that have not left that link
    double last_try = 0, last_heard = 0, next_send = 0;  // s
    bool throttled = false;                              // waits until its own queue has room
    bool paced = false, probing = false, probed = false; // an event is under way
    int timeouts = 0;                                    // since something was heard

    bool filled = false;    // the window has held the sender back since packet `use_until` was next
    double most_flying = 0; // bytes: since then
    long use_until = 0;

    TcpSender sender;
    std::unique_ptr<CongestionControl> control;
    long heard = 0;                          // packets before it, or later ones, are acknowledged
    long recovers_until = 0;                 // packets before it are of the same loss
    double delivered_at = 0, first_sent = 0; // s: of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation)
    double idle_until = 0;                   // bytes: packets that are delivered before were all that there was to send
  };
  enum class Kind { data, acknowledgement, message };
  struct Packet {
    Kind kind = Kind::data;
    std::size_t connection = 0;
    Piece piece;
    double bytes = 0;                                       // on this way
    double sent = 0;                                        // s
    bool idle = false;                                      // there was no more to send
    double delivered = 0, delivered_at = 0, first_sent = 0; // of the connection, when it was sent
    const std::vector<int>* way = nullptr;
    std::size_t hop = 0;
    std::size_t callback = 0; // of a message
  };
  struct Link {
    TcpLink is;
    double room = 0;                  // bytes or segments
    double waiting = 0;               // as `room`
    double tokens = 0, tokens_at = 0; // bytes, s
    std::deque<std::size_t> packets;

    double size(double bytes) const { return is.counts_segments ? std::max(bytes / segment_on_line, 1.0) : bytes; }
  };
  enum class What { timer, departure, pace, probe };
  /// `anew`: a sender may wait until it can send more at once; `train`: it may not, it is in the middle of what it
  /// sends at once; `probe`: it sends at least one segment.
  enum class Sends { anew, train, probe };
  struct Event {
    double time;
    long order;
    What what;
    std::size_t index;
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  void at(double time, What what, std::size_t index) { events_.push({time, order_++, what, index}); }
  std::size_t keep(Callback callback);
  std::size_t make(Packet packet);
  void append(std::size_t index, double bytes, Callback done);
  bool may_wait(const Connection& connection) const;
  static bool is_own_queue_full(const Connection& connection, double bytes, double times);
  void send(std::size_t index, Sends why = Sends::anew);
  void note_use(Connection& connection, bool filled) const;
  void enter(std::size_t packet);
  double pass(Link& link, double bytes) const;
  void depart(std::size_t link);
  void arrive(std::size_t packet);
  void deliver(Connection& connection, const Piece& piece);
  void acknowledge(const Packet& packet);
  double find_losses(Connection& connection, long before) const;
  static void shrink(Connection& connection);
  void send_little(Direction& direction);
  void wake(Connection& connection) const;
  static double patience(const Connection& connection);
  void probe(std::size_t index);

  std::vector<Link> links_;
  RandomStream chance_;
  std::string control_;
  std::vector<Connection> connections_;
  std::map<std::tuple<const std::vector<int>*, int, int>, std::size_t> index_; // looked up only
  std::map<std::tuple<int, int, int>, Direction> directions_;                  // by program and ends
  std::vector<Packet> packets_;
  std::vector<std::size_t> free_packets_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Callback> callbacks_;
  std::vector<std::size_t> free_;
  double now_ = 0;
  long order_ = 0;
};

} // namespace trainyard
