// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"

#include <algorithm>
#include <limits>

namespace trainyard {

/// Bytes of payload of a segment: 1,500 less the headers of IP and TCP with a time stamp.
constexpr double segment_payload = 1448;
/// Bytes of Ethernet's, IP's and TCP's headers, with a time stamp.
constexpr double segment_headers = 66;
/// Bytes of a segment on the line.
constexpr double segment_on_line = segment_payload + segment_headers;
/// Seconds of the smallest retransmission timeout of Linux (TCP_RTO_MIN).
constexpr double smallest_timeout = 0.2;

/// Segments that a receiver's system hands on and acknowledges as one, over a line of @p rate bytes/s.
///
/// A receiver acknowledges every second segment at the latest (RFC 5681, 4.2). Linux hands on segments of one
/// connection that have come since the last interrupt as one, up to 64 KiB (generic receive offload), and acknowledges
/// these once. A card that holds interrupts back raises 8,000 a second (Intel's drivers, InterruptThrottleRate). So it
/// is 2 segments up to 0.2 Gbit/s, 10 at 1 Gbit/s, and 45 from 5 Gbit/s on.
constexpr double merged_segments(double rate)
{
  constexpr double merged = 65536;    // bytes
  constexpr double interrupts = 8000; // per second
  return std::clamp(rate / interrupts / segment_payload, 2.0, merged / segment_payload);
}

/// Of a window after a loss, at least (RFC 5681).
constexpr double smallest_window = 2 * segment_on_line;

constexpr double first_window = 10 * segment_on_line; // RFC 6928

/// What a sender of TCP knows of its connection. Bytes are those on the line.
struct TcpSender {
  double window = first_window;                                      // bytes
  double slow_until = std::numeric_limits<double>::infinity();       // bytes: slow start ends there
  double flying = 0;                                                 // bytes that are sent and not acknowledged
  double round_trip = 0;                                             // s, smoothed; 0: not known
  double least_round_trip = std::numeric_limits<double>::infinity(); // s
  long next_number = 0;                                              // of the next packet
  double delivered = 0;                                              // bytes: acknowledged so far
  int number = 0;                                                    // of the connection
};

/// What an acknowledgement tells. A packet may stand for several segments.
struct Acknowledgement {
  double now = 0;        // s
  long number = 0;       // of the packet
  double bytes = 0;      // of it
  double round_trip = 0; // s
  bool repairs = false;  // a loss is not repaired yet
  bool grows = false;    // the window limits the sender, and nothing is repaired
  double lost = 0;       // bytes that are now known to be lost
  double flying = 0;     // bytes: before it came
  // Of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation):
  double delivered_before = 0; // bytes: acknowledged when the packet was sent
  double interval = 0; // s in which what was acknowledged since then was sent, or acknowledged if that took longer
  bool idle = false;   // the sender had less to send then than it might have sent

  double delivery_rate(const TcpSender& sender) const { return (sender.delivered - delivered_before) / interval; }
};

/// How the window of a connection grows and shrinks. It never computes a time.
class CongestionControl
{
public:
  virtual ~CongestionControl() = default;
  virtual void hear(TcpSender& sender, const Acknowledgement& heard) = 0;
  /// A loss, once for all that are repaired together.
  virtual void lose(TcpSender& sender) = 0;
  /// Nothing was heard for so long that the window is one segment again.
  virtual void time_out(TcpSender& /*sender*/) {}
  /// A message comes after silence: nothing was sent for @p seconds, and nothing is on its way.
  virtual void rest(TcpSender& /*sender*/, double /*seconds*/) {}
  /// Whether silence makes the window smaller (RFC 2861).
  virtual bool forgets() const { return true; }
  /// How much of a window a loss leaves; 1: not known, or not the same for all.
  virtual double kept_share() const { return 1; }
  /// Bytes/s by which windows of up to @p largest bytes grow between two losses, at one round trip. Of no use where
  /// `kept_share` is 1.
  virtual double growth(double /*largest*/, double /*round_trip*/) const { return 0; }
  /// Whether packets leave at the rate `pace`, and not as the window allows.
  virtual bool paces() const { return false; }
  /// Bytes/s: the rate that Linux notes, twice a window per round trip in slow start and 1.2 later
  /// (tcp_pacing_ss_ratio, tcp_pacing_ca_ratio).
  virtual double pace(const TcpSender& sender) const
  {
    return (2 * sender.window < sender.slow_until ? 2.0 : 1.2) * sender.window / sender.round_trip;
  }
};

/// s: the retransmission timeout (RFC 6298) of round trips that hardly differ.
inline double retransmission_timeout(const TcpSender& sender)
{
  return smallest_timeout + sender.round_trip;
}

/// A window that was not used for @p idle s, longer than a retransmission timeout, is smaller (RFC 2861, as Linux has
/// it).
inline void be_silent(TcpSender& sender, double idle)
{
  const double timeout = retransmission_timeout(sender);
  if (idle <= timeout)
    return;
  constexpr double kept_ready = 0.75; // of a window: slow start after silence ends there
  sender.slow_until = std::max(sender.slow_until, kept_ready * sender.window);
  const double least = std::min(first_window, sender.window);
  while ((idle -= timeout) > 0 && sender.window > least)
    sender.window /= 2;
  sender.window = std::max(sender.window, least);
}

/// Slow start, then a segment for each window (RFC 5681).
inline void grow_as_reno(TcpSender& sender, double bytes)
{
  if (sender.window < sender.slow_until)
    sender.window = std::min(sender.window + bytes, std::max(sender.slow_until, sender.window));
  else
    sender.window += segment_on_line * bytes / sender.window;
}

} // namespace trainyard
