// SPDX-License-Identifier: Apache-2.0
#include "sim/step/congestion/congestion_control.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Links mark packets that find more than a threshold in the queue. The window shrinks once each round trip by half of
/// the share that was marked, smoothed; else it grows as Reno's (RFC 8257).
class Dctcp final : public CongestionControl
{
public:
  void hear(TcpSender& sender, const Acknowledgement& heard) override
  {
    acknowledged_ += heard.bytes;
    marked_ += heard.marked ? heard.bytes : 0;
    if (heard.number >= round_ends_) { // a window has been acknowledged
      share_ += weight * (marked_ / acknowledged_ - share_);
      acknowledged_ = marked_ = 0;
      round_ends_ = sender.next_number;
    }
    if (heard.marked && heard.number >= reduced_until_) {
      sender.window = sender.slow_until = std::max(sender.window * (1 - share_ / 2), smallest_window);
      reduced_until_ = sender.next_number;
    } else if (heard.grows && heard.number >= reduced_until_) {
      grow_as_reno(sender, heard.bytes);
    }
  }
  void lose(TcpSender& sender) override
  {
    sender.window = sender.slow_until = std::max(sender.window / 2, smallest_window);
    reduced_until_ = sender.next_number;
  }

private:
  static constexpr double weight = 1.0 / 16; // "g" of RFC 8257, 4.2

  double share_ = 1;                     // marked ones of what is acknowledged (RFC 8257, 3.3: "alpha")
  double acknowledged_ = 0, marked_ = 0; // bytes, since the last window was
  long round_ends_ = 0;                  // the packet with which that window ends
  long reduced_until_ = 0;               // marks of earlier packets are of the same reduction
};

TY_REGISTER(
    CongestionControl, Dctcp, "dctcp",
    "the window shrinks by half of the share of packets that links mark, those above 'ecn_threshold' (RFC 8257)");

} // namespace
} // namespace trainyard
