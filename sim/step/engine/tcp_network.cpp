// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/tcp_network.hpp"

#include "models/core/interrupt.hpp"
#include "sim/step/engine/tcp_segments.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double headers = 66;                        // bytes: Ethernet, IP, TCP with a time stamp
constexpr double segment = segment_payload + headers; // bytes on the line, as all bytes here
constexpr double first_window = 10 * segment;         // RFC 6928
constexpr double smallest_window = 2 * segment;       // after a loss (RFC 5681)
constexpr double silence = 0.2;                       // s: the smallest retransmission timeout of Linux (TCP_RTO_MIN)
constexpr double kept = 0.7;                          // of a window at a loss (RFC 9438, 4.6)
constexpr double reno = 3 * (1 - kept) / (1 + kept);  // segments per window (RFC 9438, 4.3); in Linux never more later
constexpr double two_ticks = 8e-3;                    // s: of a kernel with 250 a second (TCP_TIMEOUT_MIN)
constexpr double cubic = 0.4;                         // segments/s^3 (RFC 9438, 5)
constexpr double kept_ready = 0.75;                   // of a window: slow start after silence ends there (RFC 2861)
constexpr double packets_of_a_queue = 16;             // no coarser
/// Of Linux' tcp_cubic.c: slow start ends from 16 segments on, where acknowledgements that follow each other within 2
/// ms last longer than half of (the least round trip + the time of four trains of 64 KiB, 1 ms at most), or the least
/// of 8 round trips exceeds the least so far by an eighth, but by 4 ms at least and 16 ms at most. Without a loss yet,
/// a window grows by a twentieth per round trip at least.
constexpr double train_window = 16 * segment;
constexpr double train_gap = 2e-3, train_slack = 1e-3, sent_at_once = 65536, trains_of_slack = 4;
constexpr double paces = 2; // windows per round trip: the rate that Linux notes in slow start (tcp_pacing_ss_ratio)
constexpr double late_least = 4e-3, late_most = 16e-3, late_share = 1.0 / 8;
constexpr int late_samples = 8;
constexpr double grows_unknown = 1.0 / 20, grows_least = 1.0 / 100, grows_most = 1.0 / 2;
/// Of Linux' tcp_tso_should_defer(): a sender waits until a third of its window, or 64 KiB, may be sent at once, but
/// not where the next acknowledgement is more than 1 ms away, nor longer than that since it has sent.
constexpr double shares_sent = 3, most_sent = 65536, longest_wait = 1e-3;
/// Of Linux' tcp_small_queue_check(): a sender's own queue holds what is to be sent at once twice, or 1/1024 s of the
/// rate that Linux notes, at most. A segment in it counts with the system's own data (`ss -m`: 2,280 B for 1,448).
constexpr double paced_ahead = 1.0 / 1024, paces_later = 1.2, kept_with = 2280 - segment_payload;
constexpr double nothing = 0.5; // bytes: sums of pieces are not exact

} // namespace

TcpNetwork::TcpNetwork(std::vector<double> capacities, const std::vector<double>& queues, RandomStream chance,
                       const std::vector<bool>& inside)
    : chance_{chance}
{
  for (std::size_t i = 0; i < capacities.size(); ++i)
    links_.push_back(
        {.rate = capacities[i], .room = queues[i], .inside = i < inside.size() && inside[i], .packets = {}});
}

std::size_t TcpNetwork::keep(Callback callback)
{
  if (free_.empty()) {
    callbacks_.push_back(std::move(callback));
    return callbacks_.size() - 1;
  }
  const std::size_t slot = free_.back();
  free_.pop_back();
  callbacks_[slot] = std::move(callback);
  return slot;
}

void TcpNetwork::timer(double delay, Callback callback)
{
  at(now_ + std::max(delay, 0.0), What::timer, keep(std::move(callback)));
}

std::size_t TcpNetwork::make(Packet packet)
{
  if (free_packets_.empty()) {
    packets_.push_back(packet);
    return packets_.size() - 1;
  }
  const std::size_t slot = free_packets_.back();
  free_packets_.pop_back();
  packets_[slot] = packet;
  return slot;
}

int TcpNetwork::flow(const FlowRequest& request, Callback done)
{
  if (request.bytes <= nothing || (request.links->empty() && request.limit == infinite)) { // nothing holds it back
    timer(0, std::move(done));
    return -1;
  }
  const auto [entry, fresh] =
      index_.try_emplace({request.links, request.program, request.connection}, connections_.size());
  const std::size_t index = entry->second;
  if (fresh) {
    Connection connection{.links = request.links,
                          .back = request.back,
                          .limit = request.limit,
                          .acknowledgement = request.loads_back ? headers : 0,
                          .asked = request.asked,
                          .forth = &directions_[{request.program, request.from, request.to}],
                          .answers = &directions_[{request.program, request.to, request.from}],
                          .messages = {},
                          .again = {},
                          .lost = {},
                          .unheard = {},
                          .window = first_window,
                          .slow_until = infinite,
                          .least_round_trip = infinite};
    double rate = request.limit, queue = infinite;
    for (const int link : *request.links) {
      rate = std::min(rate, links_[static_cast<std::size_t>(link)].rate);
      queue = std::min(queue, links_[static_cast<std::size_t>(link)].room);
    }
    while (connection.card + 1 < request.links->size() &&
           links_[static_cast<std::size_t>((*request.links)[connection.card])].inside)
      ++connection.card;
    connection.packet = std::min(merged_segments(rate) * segment, std::max(queue / packets_of_a_queue, 2 * segment));
    connection.forth->connections.push_back(index);
    connections_.push_back(std::move(connection));
  }
  if (!request.asked || request.back == nullptr) {
    append(index, request.bytes, std::move(done));
    return -1;
  }
  // The receiver hears that what it sent has arrived, and asks for the next.
  send_little(*connections_[index].forth);
  send_little(*connections_[index].answers);
  auto ask = [this, index, back = request.back, bytes = request.bytes, end = std::move(done)]() mutable {
    const std::size_t callback =
        keep([this, index, bytes, last = std::move(end)]() mutable { append(index, bytes, std::move(last)); });
    enter(make({.kind = Kind::message,
                .connection = index,
                .piece = {},
                .bytes = headers,
                .way = back,
                .callback = callback}));
  };
  enter(make({.kind = Kind::message,
              .connection = index,
              .piece = {},
              .bytes = headers,
              .way = request.links,
              .callback = keep(std::move(ask))}));
  return -1;
}

void TcpNetwork::append(std::size_t index, double bytes, Callback done)
{
  Connection& connection = connections_[index];
  wake(connection);
  connection.messages.push_back({bytes, bytes, std::move(done)});
  send(index);
}

/// A small message. It ends silence, too, as any other.
void TcpNetwork::send_little(Direction& direction)
{
  for (const std::size_t index : direction.connections)
    wake(connections_[index]);
  direction.last_sent = now_;
}

/// A window that has not been used for long is smaller.
void TcpNetwork::wake(Connection& connection) const
{
  if (connection.next_number == 0 || !connection.messages.empty() || connection.flying > nothing)
    return;
  double idle = now_ - connection.forth->last_sent;
  if (connection.epoch >= 0)
    connection.epoch += idle;
  const double timeout = silence + connection.round_trip;
  if (idle <= timeout)
    return;
  connection.slow_until = std::max(connection.slow_until, kept_ready * connection.window);
  const double least = std::min(first_window, connection.window);
  while ((idle -= timeout) > 0 && connection.window > least)
    connection.window /= 2;
  connection.window = std::max(connection.window, least);
}

/// Whether it is better to send more at once in a moment.
bool TcpNetwork::may_wait(const Connection& connection) const
{
  if (connection.unheard.empty() || connection.heard < connection.recovers_until ||
      now_ >= connection.last_try + longest_wait * (1 - 1e-9))
    return false;
  const double expected = connection.unheard.front().second + connection.round_trip - now_;
  return expected <= std::min(longest_wait, connection.round_trip / 2);
}

/// Whether the sender's own queue holds too much of it to take @p bytes more at once (Linux' tcp_small_queue_check()).
bool TcpNetwork::is_own_queue_full(const Connection& connection, double bytes, double times)
{
  if (connection.unheard.empty() || connection.unheard.front().second == connection.unheard.back().second)
    return false; // nothing is under way but what was sent at once
  const bool starts = 2 * connection.window < connection.slow_until;
  const double pace = (starts ? paces : paces_later) * connection.window / connection.round_trip; // bytes/s
  const double most = times * std::max(2 * (bytes + kept_with), pace * paced_ahead);
  return connection.own * (segment + kept_with) / segment > most;
}

/// As much as the window and the sender's own queue allow.
void TcpNetwork::send(std::size_t index, Sends why)
{
  bool probe = why == Sends::probe;
  for (double together = why == Sends::anew ? 0 : most_sent;;) {
    Connection& connection = connections_[index];
    while (connection.sending < connection.messages.size() &&
           connection.messages[connection.sending].to_send <= nothing)
      ++connection.sending;
    bool again = !connection.again.empty();
    if (again && together <= nothing && is_own_queue_full(connection, connection.packet, 2)) {
      connection.throttled = true;
      again = false;
    }
    if (!again && connection.sending == connection.messages.size()) {
      note_use(connection, connection.flying + segment > connection.window);
      return;
    }
    const double left = again ? connection.again.front().bytes : connection.messages[connection.sending].to_send;
    double bytes = std::min(left, connection.packet);
    const double room = connection.window - connection.flying;
    if (together <= nothing && room < std::min({left, connection.window / shares_sent, most_sent}) &&
        may_wait(connection)) {
      note_use(connection, true);
      return;
    }
    if (room < bytes) {
      const double least = std::min(bytes, segment);
      if (room < least && connection.flying > nothing && !probe) {
        note_use(connection, true);
        return;
      }
      bytes = std::max(room, least);
    }
    if (left - bytes <= nothing)
      bytes = left;
    if (together <= nothing) {
      together = std::max(std::min({left, room, most_sent}), bytes);
      if (!again && is_own_queue_full(connection, together, 1)) {
        connection.throttled = true;
        return;
      }
    }
    together -= bytes;
    probe = false;
    if (connection.limit < infinite) {
      if (now_ < connection.next_send) {
        if (!std::exchange(connection.paced, true))
          at(connection.next_send, What::pace, index);
        return;
      }
      connection.next_send = now_ + bytes / connection.limit;
    }
    Piece piece{connection.next_number++, 0, bytes};
    if (again) {
      Piece& first = connection.again.front();
      piece.message = first.message;
      connection.recovers_until = std::max(connection.recovers_until, piece.number + 1); // it lasts until this is there
      if ((first.bytes -= bytes) <= nothing)
        connection.again.pop_front();
    } else {
      piece.message = connection.first_message + static_cast<long>(connection.sending);
      connection.messages[connection.sending].to_send -= bytes;
    }
    connection.flying += bytes;
    connection.own += connection.links->empty() ? 0 : bytes;
    connection.unheard.emplace_back(piece.number, now_);
    connection.forth->last_sent = connection.last_try = now_;
    enter(make({.connection = index, .piece = piece, .bytes = bytes, .sent = now_, .way = connection.links}));
  }
}

/// Notes whether the window limits the sender (Linux' tcp_cwnd_validate()). Once it does, that counts until a window of
/// packets has been acknowledged.
void TcpNetwork::note_use(Connection& connection, bool filled) const
{
  if (connection.heard < connection.use_until && !filled &&
      (connection.filled || connection.flying <= connection.most_flying))
    return;
  connection.filled = filled;
  connection.most_flying = connection.flying;
  connection.use_until = connection.next_number;
}

/// A packet comes to the next link on its way.
void TcpNetwork::enter(std::size_t packet)
{
  const Packet& there = packets_[packet];
  if (there.hop == there.way->size()) {
    arrive(packet);
    return;
  }
  const auto index = static_cast<std::size_t>((*there.way)[there.hop]);
  Link& link = links_[index];
  if (there.kind == Kind::data && !link.packets.empty() && link.waiting + 2 * there.bytes > link.room &&
      link.waiting + there.bytes * (1 + chance_.uniform()) > link.room) {
    Connection& connection = connections_[there.connection];
    if (there.hop <= connection.card)
      connection.own -= there.bytes;
    connection.lost.push_back(there.piece);
    if (!std::exchange(connection.probing, true))
      at(now_ + patience(connection), What::probe, there.connection);
    free_packets_.push_back(packet);
    return;
  }
  link.waiting += there.bytes;
  link.packets.push_back(packet);
  if (link.packets.size() == 1)
    at(now_ + there.bytes / link.rate, What::departure, index);
}

void TcpNetwork::depart(std::size_t index)
{
  Link& link = links_[index];
  const std::size_t packet = link.packets.front();
  link.packets.pop_front();
  if (link.packets.empty()) {
    link.waiting = 0;
  } else {
    link.waiting -= packets_[packet].bytes;
    at(now_ + packets_[link.packets.front()].bytes / link.rate, What::departure, index);
  }
  const Packet there = packets_[packet];
  ++packets_[packet].hop;
  enter(packet);
  if (there.kind != Kind::data || there.hop != connections_[there.connection].card)
    return;
  connections_[there.connection].own -= there.bytes;
  if (std::exchange(connections_[there.connection].throttled, false))
    send(there.connection);
}

void TcpNetwork::arrive(std::size_t packet)
{
  const Packet there = packets_[packet];
  free_packets_.push_back(packet);
  switch (there.kind) {
  case Kind::data: {
    Connection& connection = connections_[there.connection];
    const std::vector<int>* back = connection.back;
    const double bytes = connection.acknowledgement;
    deliver(connection, there.piece);
    if (back == nullptr)
      acknowledge(there.connection, there.piece, there.sent);
    else
      enter(make({.kind = Kind::acknowledgement,
                  .connection = there.connection,
                  .piece = there.piece,
                  .bytes = bytes,
                  .sent = there.sent,
                  .way = back}));
    break;
  }
  case Kind::acknowledgement:
    acknowledge(there.connection, there.piece, there.sent);
    break;
  case Kind::message: {
    const Callback callback = std::move(callbacks_[there.callback]);
    free_.push_back(there.callback);
    callback();
    break;
  }
  }
}

/// In the order in which they were sent.
void TcpNetwork::deliver(Connection& connection, const Piece& piece)
{
  connection.messages[static_cast<std::size_t>(piece.message - connection.first_message)].to_arrive -= piece.bytes;
  while (!connection.messages.empty() && connection.messages.front().to_arrive <= nothing) {
    if (!connection.asked)
      send_little(*connection.answers);
    timer(0, std::move(connection.messages.front().done));
    connection.messages.pop_front();
    ++connection.first_message;
    connection.sending -= connection.sending > 0 ? 1 : 0;
  }
}

void TcpNetwork::acknowledge(std::size_t index, const Piece& piece, double sent)
{
  Connection& connection = connections_[index];
  const double round_trip = now_ - sent;
  connection.round_trip =
      connection.round_trip > 0 ? connection.round_trip + (round_trip - connection.round_trip) / 8 : round_trip;
  connection.least_round_trip = std::min(connection.least_round_trip, round_trip);
  connection.last_heard = now_;
  connection.probed = false;
  connection.timeouts = 0;
  connection.heard = std::max(connection.heard, piece.number + 1);
  while (!connection.unheard.empty() && connection.unheard.front().first < connection.heard)
    connection.unheard.pop_front();
  const bool used = connection.filled ||
                    (connection.window < connection.slow_until && 2 * connection.most_flying > connection.window);
  connection.flying -= piece.bytes;
  find_losses(connection, piece.number);
  if (used && piece.number >= connection.recovers_until)
    grow(connection, piece, round_trip);
  send(index);
}

/// Packets that were lost before one that has been acknowledged.
void TcpNetwork::find_losses(Connection& connection, long before)
{
  for (const Piece& piece : connection.lost) {
    if (piece.number >= before)
      continue;
    connection.flying -= piece.bytes;
    connection.again.push_back(piece);
    if (piece.number >= connection.recovers_until)
      shrink(connection);
  }
  std::erase_if(connection.lost, [before](const Piece& piece) { return piece.number < before; });
}

void TcpNetwork::shrink(Connection& connection) const
{
  connection.largest = connection.window < connection.largest ? connection.window * (1 + kept) / 2 : connection.window;
  connection.window = connection.slow_until = std::max(connection.window * kept, smallest_window);
  connection.epoch = -1;
  connection.recovers_until = connection.next_number;
}

void TcpNetwork::grow(Connection& connection, const Piece& piece, double round_trip) const
{
  const double bytes = piece.bytes;
  if (connection.window < connection.slow_until) {
    watch_round(connection, piece.number, round_trip);
    connection.window += bytes;
    return;
  }
  if (connection.epoch < 0) {
    connection.epoch = now_;
    connection.origin = std::max(connection.largest, connection.window);
    connection.flat_after = std::cbrt((connection.origin - connection.window) / segment / cubic);
    connection.friendly = connection.window;
  }
  const double since = now_ + connection.least_round_trip - connection.epoch - connection.flat_after;
  const double target = connection.origin + cubic * since * since * since * segment;
  double share = std::max((target - connection.window) / connection.window, grows_least / connection.window * segment);
  if (connection.largest <= 0)
    share = std::max(share, grows_unknown);
  connection.friendly += reno * segment * bytes / connection.window;
  share = std::max(share, (connection.friendly - connection.window) / connection.window);
  connection.window += std::min(share, grows_most) * bytes;
}

/// Slow start ends before a queue is full.
void TcpNetwork::watch_round(Connection& connection, long number, double round_trip) const
{
  if (number >= connection.round_ends) {
    connection.round_ends = connection.next_number;
    connection.round_began = connection.train = now_;
    connection.round_least = round_trip;
    connection.samples = 0;
  }
  ++connection.samples;
  connection.round_least = std::min(connection.round_least, round_trip);
  if (connection.found || connection.window < train_window)
    return;
  if (now_ - connection.train <= train_gap) {
    connection.train = now_;
    const double pace = paces * connection.window / connection.round_trip; // bytes/s
    const double slack = std::min(train_slack, trains_of_slack * sent_at_once / pace);
    connection.found = now_ - connection.round_began > (connection.least_round_trip + slack) / 2;
  }
  const double late = std::clamp(connection.least_round_trip * late_share, late_least, late_most);
  if (connection.samples >= late_samples && connection.round_least > connection.least_round_trip + late)
    connection.found = true;
  if (connection.found)
    connection.slow_until = connection.window;
}

/// How long nothing may be heard before something is sent again.
double TcpNetwork::patience(const Connection& connection)
{
  const double timeout = silence + connection.round_trip;
  if (connection.probed)
    return std::ldexp(timeout, connection.timeouts);
  return std::min(timeout, (connection.flying <= segment ? silence : two_ticks) + 2 * connection.round_trip);
}

/// Nothing has been heard for two round trips, and something is lost.
void TcpNetwork::probe(std::size_t index)
{
  Connection& connection = connections_[index];
  connection.probing = false;
  if (connection.lost.empty())
    return;
  const double wait = patience(connection);
  const double heard = std::max(connection.last_heard, connection.last_try);
  if (now_ < heard + wait * (1 - 1e-9)) {
    connection.probing = true;
    at(heard + wait, What::probe, index);
    return;
  }
  if (!connection.probed) { // one packet says what else is lost
    connection.probed = true;
    const Piece last = connection.lost.back();
    connection.lost.pop_back();
    connection.flying -= last.bytes;
    connection.again.push_front(last);
    if (last.number >= connection.recovers_until)
      shrink(connection);
    connection.recovers_until = connection.next_number;
  } else { // of the loss for which the window has fallen already; Linux forgets what it knew of the line
    ++connection.timeouts;
    connection.recovers_until = connection.next_number;
    find_losses(connection, connection.next_number);
    connection.window = segment;
    connection.largest = 0;
    connection.epoch = -1;
    connection.found = false;
  }
  send(index, Sends::probe);
  if (!connections_[index].lost.empty() && !std::exchange(connections_[index].probing, true))
    at(now_ + patience(connections_[index]), What::probe, index);
}

void TcpNetwork::run(const Callback& begin)
{
  begin();
  const bool to_the_end = false;
  advance(to_the_end);
}

void TcpNetwork::advance(const bool& stop)
{
  while (!events_.empty() && !(stop && events_.top().time > now_)) {
    check_interrupt();
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    switch (event.what) {
    case What::timer: {
      const Callback callback = std::move(callbacks_[event.index]);
      free_.push_back(event.index);
      callback();
      break;
    }
    case What::departure:
      depart(event.index);
      break;
    case What::pace:
      connections_[event.index].paced = false;
      send(event.index, Sends::train);
      break;
    case What::probe:
      probe(event.index);
      break;
    }
  }
}

} // namespace trainyard
