// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

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

} // namespace trainyard
