// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/tcp_network.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double segment = segment_on_line;
constexpr double two_ticks = 8e-3;        // s: of a kernel with 250 a second (TCP_TIMEOUT_MIN)
constexpr double packets_of_a_queue = 16; // no coarser
/// Of Linux' tcp_tso_should_defer(): a sender waits until a third of its window, or 64 KiB, may be sent at once, but
/// not where the next acknowledgement is more than 1 ms away, nor longer than that since it has sent.
constexpr double shares_sent = 3, most_sent = 65536, longest_wait = 1e-3;
/// Of Linux' tcp_small_queue_check(): a sender's own queue holds what is to be sent at once twice, or 1/1024 s of the
/// rate that Linux notes, at most. A segment in it counts with the system's own data (`ss -m`: 2,280 B for 1,448).
constexpr double paced_ahead = 1.0 / 1024, kept_with = 2280 - segment_payload;
constexpr double nothing = 0.5; // bytes: sums of pieces are not exact

} // namespace

TcpNetwork::TcpNetwork(const std::vector<TcpLink>& links, RandomStream chance, std::string control)
    : chance_{chance}, control_{std::move(control)}
{
  for (const TcpLink& link : links)
    links_.push_back({.is = link,
                      .room = link.counts_segments ? link.queue / segment : link.queue,
                      .tokens = link.burst,
                      .packets = {}});
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
                          .acknowledgement = request.loads_back ? segment_headers : 0,
                          .asked = request.asked,
                          .forth = &directions_[{request.program, request.from, request.to}],
                          .answers = &directions_[{request.program, request.to, request.from}],
                          .messages = {},
                          .again = {},
                          .lost = {},
                          .unheard = {},
                          .sender = {.number = static_cast<int>(index)},
                          .control = Registry<CongestionControl>::instance().create(control_)};
    double rate = request.limit, queue = infinite;
    for (const int link : *request.links) {
      rate = std::min(rate, links_[static_cast<std::size_t>(link)].is.rate);
      queue = std::min(queue, links_[static_cast<std::size_t>(link)].is.queue);
    }
    while (connection.card + 1 < request.links->size() &&
           links_[static_cast<std::size_t>((*request.links)[connection.card])].is.inside)
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
                .bytes = segment_headers,
                .way = back,
                .callback = callback}));
  };
  enter(make({.kind = Kind::message,
              .connection = index,
              .piece = {},
              .bytes = segment_headers,
              .way = request.links,
              .callback = keep(std::move(ask))}));
  return -1;
}

void TcpNetwork::append(std::size_t index, double bytes, Callback done)
{
  Connection& connection = connections_[index];
  wake(connection);
  if (connection.sending == connection.messages.size() && connection.sender.flying < connection.sender.window)
    connection.idle_until = connection.sender.delivered + connection.sender.flying;
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
  TcpSender& sender = connection.sender;
  if (sender.next_number == 0 || !connection.messages.empty() || sender.flying > nothing)
    return;
  const double idle = now_ - connection.forth->last_sent;
  connection.control->rest(sender, idle);
  if (connection.control->forgets())
    be_silent(sender, idle);
}

/// Whether it is better to send more at once in a moment.
bool TcpNetwork::may_wait(const Connection& connection) const
{
  if (connection.unheard.empty() || connection.heard < connection.recovers_until ||
      now_ >= connection.last_try + longest_wait * (1 - 1e-9))
    return false;
  const double expected = connection.unheard.front().second + connection.sender.round_trip - now_;
  return expected <= std::min(longest_wait, connection.sender.round_trip / 2);
}

/// Whether the sender's own queue holds too much of it to take @p bytes more at once (Linux' tcp_small_queue_check()).
bool TcpNetwork::is_own_queue_full(const Connection& connection, double bytes, double times)
{
  if (connection.unheard.empty() || connection.unheard.front().second == connection.unheard.back().second)
    return false; // nothing is under way but what was sent at once
  const double pace = connection.control->pace(connection.sender);
  const double most = times * std::max(2 * (bytes + kept_with), pace * paced_ahead);
  return connection.own * (segment + kept_with) / segment > most;
}

/// As much as the window and the sender's own queue allow.
void TcpNetwork::send(std::size_t index, Sends why)
{
  bool probe = why == Sends::probe;
  for (double together = why == Sends::anew ? 0 : most_sent;;) {
    Connection& connection = connections_[index];
    TcpSender& sender = connection.sender;
    while (connection.sending < connection.messages.size() &&
           connection.messages[connection.sending].to_send <= nothing)
      ++connection.sending;
    bool again = !connection.again.empty();
    if (again && together <= nothing && is_own_queue_full(connection, connection.packet, 2)) {
      connection.throttled = true;
      again = false;
    }
    if (!again && connection.sending == connection.messages.size()) {
      note_use(connection, sender.flying + segment > sender.window);
      return;
    }
    const double left = again ? connection.again.front().bytes : connection.messages[connection.sending].to_send;
    double bytes = std::min(left, connection.packet);
    const double room = sender.window - sender.flying;
    if (together <= nothing && room < std::min({left, sender.window / shares_sent, most_sent}) &&
        may_wait(connection)) {
      note_use(connection, true);
      return;
    }
    if (room < bytes) {
      const double least = std::min(bytes, segment);
      if (room < least && sender.flying > nothing && !probe) {
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
    const double pace =
        connection.control->paces() ? std::min(connection.limit, connection.control->pace(sender)) : connection.limit;
    if (pace < infinite) {
      if (now_ < connection.next_send) {
        if (!std::exchange(connection.paced, true))
          at(connection.next_send, What::pace, index);
        return;
      }
      connection.next_send = now_ + bytes / pace;
    }
    Piece piece{sender.next_number++, 0, bytes};
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
    if (sender.flying <= nothing)
      connection.first_sent = connection.delivered_at = now_;
    sender.flying += bytes;
    connection.own += connection.links->empty() ? 0 : bytes;
    connection.unheard.emplace_back(piece.number, now_);
    connection.forth->last_sent = connection.last_try = now_;
    enter(make({.connection = index,
                .piece = piece,
                .bytes = bytes,
                .sent = now_,
                .idle = connection.idle_until > sender.delivered,
                .delivered = sender.delivered,
                .delivered_at = connection.delivered_at,
                .first_sent = connection.first_sent,
                .way = connection.links}));
  }
}

/// Notes whether the window limits the sender (Linux' tcp_cwnd_validate()). Once it does, that counts until a window of
/// packets has been acknowledged.
void TcpNetwork::note_use(Connection& connection, bool filled) const
{
  if (connection.heard < connection.use_until && !filled &&
      (connection.filled || connection.sender.flying <= connection.most_flying))
    return;
  connection.filled = filled;
  connection.most_flying = connection.sender.flying;
  connection.use_until = connection.sender.next_number;
}

/// A packet comes to the next link on its way.
void TcpNetwork::enter(std::size_t packet)
{
  Packet& there = packets_[packet];
  if (there.hop == there.way->size()) {
    arrive(packet);
    return;
  }
  const auto index = static_cast<std::size_t>((*there.way)[there.hop]);
  Link& link = links_[index];
  const double size = link.size(there.bytes);
  if (there.kind == Kind::data && !link.packets.empty() && link.waiting + 2 * size > link.room &&
      link.waiting + size * (1 + chance_.uniform()) > link.room) {
    Connection& connection = connections_[there.connection];
    if (there.hop <= connection.card)
      connection.own -= there.bytes;
    connection.lost.push_back(there.piece);
    if (!std::exchange(connection.probing, true))
      at(now_ + patience(connection), What::probe, there.connection);
    free_packets_.push_back(packet);
    return;
  }
  link.waiting += size;
  link.packets.push_back(packet);
  if (link.packets.size() == 1)
    at(now_ + pass(link, there.bytes), What::departure, index);
}

/// Time from when a packet is the first in the queue until it has left.
double TcpNetwork::pass(Link& link, double bytes) const
{
  if (link.is.burst <= 0)
    return bytes / link.is.rate;
  const double tokens = std::min(link.is.burst, link.tokens + (now_ - link.tokens_at) * link.is.rate);
  const double time = std::max({(bytes - tokens) / link.is.rate, bytes / link.is.burst_rate, 0.0});
  link.tokens_at = now_ + time;
  link.tokens = std::min(link.is.burst, tokens - bytes + time * link.is.rate);
  return time;
}

void TcpNetwork::depart(std::size_t index)
{
  Link& link = links_[index];
  const std::size_t packet = link.packets.front();
  link.packets.pop_front();
  if (link.packets.empty()) {
    link.waiting = 0;
  } else {
    link.waiting -= link.size(packets_[packet].bytes);
    at(now_ + pass(link, packets_[link.packets.front()].bytes), What::departure, index);
  }
  Packet& there = packets_[packet];
  const std::size_t connection = there.connection;
  const double bytes = there.bytes;
  const bool leaves = there.kind == Kind::data && there.hop == connections_[connection].card; // its machine
  ++there.hop;
  enter(packet);
  if (!leaves)
    return;
  connections_[connection].own -= bytes;
  if (std::exchange(connections_[connection].throttled, false))
    send(connection);
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
    if (back == nullptr) {
      acknowledge(there);
    } else {
      Packet answer = there;
      answer.kind = Kind::acknowledgement;
      answer.bytes = bytes;
      answer.way = back;
      answer.hop = 0;
      enter(make(answer));
    }
    break;
  }
  case Kind::acknowledgement:
    acknowledge(there);
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

void TcpNetwork::acknowledge(const Packet& packet)
{
  const Piece& piece = packet.piece;
  Connection& connection = connections_[packet.connection];
  TcpSender& sender = connection.sender;
  const double round_trip = now_ - packet.sent;
  sender.round_trip = sender.round_trip > 0 ? sender.round_trip + (round_trip - sender.round_trip) / 8 : round_trip;
  sender.least_round_trip = std::min(sender.least_round_trip, round_trip);
  connection.last_heard = now_;
  connection.probed = false;
  connection.timeouts = 0;
  connection.heard = std::max(connection.heard, piece.number + 1);
  while (!connection.unheard.empty() && connection.unheard.front().first < connection.heard)
    connection.unheard.pop_front();
  const bool used =
      connection.filled || (sender.window < sender.slow_until && 2 * connection.most_flying > sender.window);
  const double flying = sender.flying;
  sender.flying -= piece.bytes;
  sender.delivered += piece.bytes;
  const double interval = std::max(now_ - packet.delivered_at, packet.sent - packet.first_sent);
  connection.delivered_at = now_;
  connection.first_sent = packet.sent;
  const double lost = find_losses(connection, piece.number);
  const bool repairs = piece.number < connection.recovers_until;
  connection.control->hear(sender, {.now = now_,
                                    .number = piece.number,
                                    .bytes = piece.bytes,
                                    .round_trip = round_trip,
                                    .repairs = repairs,
                                    .grows = used && !repairs,
                                    .lost = lost,
                                    .flying = flying,
                                    .delivered_before = packet.delivered,
                                    .interval = interval,
                                    .idle = packet.idle});
  send(packet.connection);
}

/// Packets that were lost before one that has been acknowledged: their bytes.
double TcpNetwork::find_losses(Connection& connection, long before) const
{
  double lost = 0;
  for (const Piece& piece : connection.lost) {
    if (piece.number >= before)
      continue;
    connection.sender.flying -= piece.bytes;
    lost += piece.bytes;
    connection.again.push_back(piece);
    if (piece.number >= connection.recovers_until)
      shrink(connection);
  }
  std::erase_if(connection.lost, [before](const Piece& piece) { return piece.number < before; });
  return lost;
}

void TcpNetwork::shrink(Connection& connection)
{
  connection.control->lose(connection.sender);
  connection.recovers_until = connection.sender.next_number;
}

/// How long nothing may be heard before something is sent again.
double TcpNetwork::patience(const Connection& connection)
{
  const TcpSender& sender = connection.sender;
  const double timeout = retransmission_timeout(sender);
  if (connection.probed)
    return std::ldexp(timeout, connection.timeouts);
  return std::min(timeout, (sender.flying <= segment ? smallest_timeout : two_ticks) + 2 * sender.round_trip);
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
    connection.sender.flying -= last.bytes;
    connection.again.push_front(last);
    if (last.number >= connection.recovers_until)
      shrink(connection);
    connection.recovers_until = connection.sender.next_number;
  } else { // of the loss for which the window has fallen already
    ++connection.timeouts;
    connection.recovers_until = connection.sender.next_number;
    find_losses(connection, connection.sender.next_number);
    connection.control->time_out(connection.sender);
    connection.sender.window = segment;
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
