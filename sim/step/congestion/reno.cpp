// SPDX-License-Identifier: Apache-2.0
#include "sim/step/congestion/congestion_control.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Slow start doubles the window each round trip until a packet is lost. Then it grows by a segment each round trip,
/// and a loss halves it (RFC 5681).
class Reno final : public CongestionControl
{
public:
  void hear(TcpSender& sender, const Acknowledgement& heard) override
  {
    if (heard.grows)
      grow_as_reno(sender, heard.bytes);
  }
  void lose(TcpSender& sender) override
  {
    sender.window = sender.slow_until = std::max(sender.window * kept, smallest_window);
  }
  double kept_share() const override { return kept; }
  double growth(double /*largest*/, double round_trip) const override { return segment_on_line / round_trip; }

private:
  static constexpr double kept = 0.5;
};

TY_REGISTER(CongestionControl, Reno, "reno", "a segment more each round trip, half after a loss (RFC 5681)");

} // namespace
} // namespace trainyard
