// SPDX-License-Identifier: Apache-2.0
#include "sim/step/congestion/congestion_control.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double kept = 0.7;                         // of a window at a loss (RFC 9438, 4.6)
constexpr double reno = 3 * (1 - kept) / (1 + kept); // segments per window (RFC 9438, 4.3); in Linux never more later
constexpr double curve = 0.4;                        // segments/s^3 (RFC 9438, 5)
/// Of Linux' tcp_cubic.c: slow start ends from 16 segments on, where acknowledgements that follow each other within 2
/// ms last longer than half of (the least round trip + the time of four trains of 64 KiB, 1 ms at most), or the least
/// of 8 round trips exceeds the least so far by an eighth, but by 4 ms at least and 16 ms at most. Without a loss yet,
/// a window grows by a twentieth per round trip at least.
constexpr double train_window = 16 * segment_on_line;
constexpr double train_gap = 2e-3, train_slack = 1e-3, sent_at_once = 65536, trains_of_slack = 4;
constexpr double starting_pace =
    2; // windows per round trip: the rate that Linux notes in slow start (tcp_pacing_ss_ratio)
constexpr double late_least = 4e-3, late_most = 16e-3, late_share = 1.0 / 8;
constexpr int late_samples = 8;
constexpr double grows_unknown = 1.0 / 20, grows_least = 1.0 / 100, grows_most = 1.0 / 2;

/// Slow start until an acknowledged train of packets gets long or late (HyStart of Linux, after Ha and Rhee 2011), then
/// along a cubic curve; a loss leaves 0.7 of the window (RFC 9438).
class Cubic final : public CongestionControl
{
public:
  void hear(TcpSender& sender, const Acknowledgement& heard) override
  {
    if (!heard.grows)
      return;
    const double bytes = heard.bytes;
    if (sender.window < sender.slow_until) {
      watch_round(sender, heard);
      sender.window += bytes;
      return;
    }
    if (epoch_ < 0) {
      epoch_ = heard.now;
      origin_ = std::max(largest_, sender.window);
      flat_after_ = std::cbrt((origin_ - sender.window) / segment_on_line / curve);
      friendly_ = sender.window;
    }
    const double since = heard.now + sender.least_round_trip - epoch_ - flat_after_;
    const double target = origin_ + curve * since * since * since * segment_on_line;
    double share = std::max((target - sender.window) / sender.window, grows_least / sender.window * segment_on_line);
    if (largest_ <= 0)
      share = std::max(share, grows_unknown);
    friendly_ += reno * segment_on_line * bytes / sender.window;
    share = std::max(share, (friendly_ - sender.window) / sender.window);
    sender.window += std::min(share, grows_most) * bytes;
  }

  void lose(TcpSender& sender) override
  {
    largest_ = sender.window < largest_ ? sender.window * (1 + kept) / 2 : sender.window;
    sender.window = sender.slow_until = std::max(sender.window * kept, smallest_window);
    epoch_ = -1;
  }

  double kept_share() const override { return kept; }

  /// Along the curve, or as Reno's windows grow if that is faster (RFC 9438, 4.2 and 4.3).
  double growth(double largest, double round_trip) const override
  {
    const double grows = (1 - kept) * largest / segment_on_line; // segments
    return segment_on_line * std::max(grows / std::cbrt(grows / curve), reno / round_trip);
  }

  /// Linux forgets what it knew of the line.
  void time_out(TcpSender& /*sender*/) override
  {
    largest_ = 0;
    epoch_ = -1;
    found_ = false;
  }

  void rest(TcpSender& /*sender*/, double seconds) override
  {
    if (epoch_ >= 0)
      epoch_ += seconds;
  }

private:
  /// Slow start ends before a queue is full.
  void watch_round(TcpSender& sender, const Acknowledgement& heard)
  {
    if (heard.number >= round_ends_) {
      round_ends_ = sender.next_number;
      round_began_ = train_ = heard.now;
      round_least_ = heard.round_trip;
      samples_ = 0;
    }
    ++samples_;
    round_least_ = std::min(round_least_, heard.round_trip);
    if (found_ || sender.window < train_window)
      return;
    if (heard.now - train_ <= train_gap) {
      train_ = heard.now;
      const double pace = starting_pace * sender.window / sender.round_trip; // bytes/s
      const double slack = std::min(train_slack, trains_of_slack * sent_at_once / pace);
      found_ = heard.now - round_began_ > (sender.least_round_trip + slack) / 2;
    }
    const double late = std::clamp(sender.least_round_trip * late_share, late_least, late_most);
    if (samples_ >= late_samples && round_least_ > sender.least_round_trip + late)
      found_ = true;
    if (found_)
      sender.slow_until = sender.window;
  }

  double largest_ = 0;                                   // bytes: the window at the last loss
  double origin_ = 0;                                    // bytes: where the curve is flat
  double flat_after_ = 0;                                // s
  double epoch_ = -1;                                    // s; -1: the next acknowledgement begins one
  double friendly_ = 0;                                  // bytes: as large as a window of Reno would be
  long round_ends_ = 0;                                  // slow start: the packet with which a round ends
  double round_began_ = 0, train_ = 0, round_least_ = 0; // s
  int samples_ = 0;
  bool found_ = false; // HyStart has ended slow start
};

TY_REGISTER(CongestionControl, Cubic, "cubic", "the default of Linux: the window follows a cubic curve (RFC 9438)");

} // namespace
} // namespace trainyard
