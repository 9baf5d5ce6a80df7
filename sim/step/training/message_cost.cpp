// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/message_cost.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

double transport_efficiency(const Transport& transport, Bytes payload)
{
  if (transport.rate.empty())
    return 1;
  const RatePoint* below = nullptr;
  for (const RatePoint& point : transport.rate) {
    if (point.size > payload) {
      if (below == nullptr)
        return point.efficiency;
      const double from = std::log(std::max(below->size.value(), 1.0));
      const double to = std::log(point.size.value());
      const double share = to > from ? (std::log(std::max(payload.value(), 1.0)) - from) / (to - from) : 1;
      return below->efficiency + share * (point.efficiency - below->efficiency);
    }
    below = &point;
  }
  return below->efficiency;
}

double acknowledged_share(Bytes size, BytesPerSecond line)
{
  constexpr double segment = 1448;    // bytes of payload: 1,500 less the headers of IP and TCP with a time stamp
  constexpr double merged = 65536;    // bytes
  constexpr double interrupts = 8000; // per second
  const double segments = std::clamp(line.value() / interrupts / segment, 2.0, merged / segment);
  return size.value() / (segments * segment);
}

MessageCost message_cost(const Transport& transport, Bytes payload)
{
  return {.latency = transport.latency,
          .efficiency = transport_efficiency(transport, payload),
          .limit = transport.stream_limit};
}

} // namespace trainyard
