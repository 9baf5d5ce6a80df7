// SPDX-License-Identifier: Apache-2.0
#include "sim/step/congestion/congestion_control.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

namespace trainyard {
namespace {

/// Of draft-cardwell-iccrg-bbr-congestion-control-00 and Linux' tcp_bbr.c.
constexpr double high_gain = 2.885; // 2/ln 2: start-up doubles the rate each round trip
constexpr double window_gain = 2;   // windows per product of rate and round trip
constexpr std::array<double, 8> gains{1.25, 0.75, 1, 1, 1, 1, 1, 1};
constexpr double margin = 0.99;                      // of the rate: so that no queue forms (bbr_pacing_margin_percent)
constexpr double least_window = 4 * segment_on_line; // bbr_cwnd_min_target
constexpr long rate_rounds = 10;                     // the rate is the largest of so many round trips
constexpr double still_grows = 1.25;                 // a pipe is full where the rate has not grown so much
constexpr int full_rounds = 3;                       //   for so many round trips
constexpr double round_trip_holds = 10;              // s
constexpr double probes_for = 0.2;                   // s: the window is small, to see the least round trip
constexpr double first_pace_in = 1e-3;               // s: as long as no round trip is known
constexpr int extra_rounds = 5;                      // of acknowledgements that came in clumps
constexpr double most_extra = 0.1;                   // s of the rate
constexpr double sent_ahead = 1.0 / 1024;            // s of the rate that goes out at once (sk_pacing_shift)
constexpr double most_at_once = 65536;               // bytes
constexpr double trains_more = 3; // so many of these are in the window besides (bbr_quantization_budget)
/// Losses of 50 for 256 that are delivered, in 4 to 16 round trips and again at nearly the same rate, are taken for the
/// work of a policer: that rate counts for 48 round trips (bbr_lt_bw_sampling).
constexpr double policed_losses = 50.0 / 256, same_rate = 1.0 / 8, same_rate_least = 500; // bytes/s
constexpr int policed_least = 4, policed_most = 16, policed_for = 48;

/// The sender estimates the rate of the line, as the largest rate of delivery of the last ten round trips, and the
/// least round trip of the last ten seconds. Packets leave at that rate, an eighth of the time a quarter more and then
/// a quarter less; the window is twice the product of both. A loss changes the window for one round trip only. This is
/// version 1.
class Bbr final : public CongestionControl
{
public:
  bool forgets() const override { return false; }
  bool paces() const override { return true; }
  double pace(const TcpSender& sender) const override
  {
    return pace_ > 0 ? pace_ : high_gain * sender.window / first_pace_in;
  }

  void lose(TcpSender& sender) override
  {
    keep_window(sender);
    enters_repair_ = true;
  }

  void time_out(TcpSender& sender) override
  {
    keep_window(sender);
    was_repairing_ = true;
    full_rate_ = 0;
  }

  void rest(TcpSender& sender, double seconds) override
  {
    if (seconds <= 0)
      return;
    rested_ = true;
    epoch_bytes_ = 0;
    epoch_ = -1;
    if (mode_ == Mode::probe_rate && rate() > 0)
      pace_ = std::max(margin * rate(), segment_on_line / sender.round_trip);
  }

  void hear(TcpSender& sender, const Acknowledgement& heard) override
  {
    bool round = false;
    if (heard.interval > 0 && heard.interval >= sender.least_round_trip * (1 - 1e-9)) {
      round = note_rate(sender, heard);
      note_losses(sender, heard, round);
      note_clumps(sender, heard, round);
    }
    turn_phase(heard);
    find_full_line(heard, round);
    drain(sender, heard);
    note_round_trip(sender, heard, round);
    set_gains();
    set_pace(sender);
    set_window(sender, heard);
  }

private:
  enum class Mode { start, drain, probe_rate, probe_round_trip };

  /// Whether the sender, and not the line, set the rate that an acknowledgement tells: it had nothing to send, or
  /// probed the round trip.
  bool is_limited(const Acknowledgement& heard) const { return heard.idle || heard.delivered_before < limited_until_; }
  double largest_rate() const { return rates_.empty() ? 0 : rates_.front().second; }
  double rate() const { return is_policed_ ? policed_rate_ : largest_rate(); }
  double train() const { return std::clamp(pace_ * sent_ahead, 2 * segment_on_line, most_at_once); }

  /// Bytes that may be under way.
  double target(double gain) const
  {
    if (least_round_trip_ <= 0)
      return 10 * segment_on_line;
    double most = rate() * least_round_trip_ * gain + trains_more * train();
    most = 2 * segment_on_line * std::ceil(most / segment_on_line / 2);
    return most + (mode_ == Mode::probe_rate && phase_ == 0 ? 2 * segment_on_line : 0);
  }

  void keep_window(const TcpSender& sender)
  {
    kept_window_ =
        was_repairing_ || mode_ == Mode::probe_round_trip ? std::max(kept_window_, sender.window) : sender.window;
  }

  /// Whether a round trip has ended.
  bool note_rate(const TcpSender& sender, const Acknowledgement& heard)
  {
    const bool round = heard.delivered_before >= round_ends_;
    if (round) {
      round_ends_ = sender.delivered;
      ++rounds_;
      conserves_ = false;
    }
    const double now = heard.delivery_rate(sender);
    if (!is_limited(heard) || now >= largest_rate()) {
      while (!rates_.empty() && rates_.back().second <= now)
        rates_.pop_back();
      rates_.emplace_back(rounds_, now);
    }
    while (rates_.size() > 1 && rates_.front().first < rounds_ - rate_rounds)
      rates_.pop_front();
    return round;
  }

  void note_losses(const TcpSender& sender, const Acknowledgement& heard, bool round)
  {
    lost_ += heard.lost;
    if (is_policed_) {
      if (mode_ == Mode::probe_rate && round && ++losing_rounds_ >= policed_for) {
        is_policed_ = is_losing_ = false;
        policed_rate_ = 0;
        begin_probe(sender, heard.now);
      }
      return;
    }
    if (!is_losing_) {
      if (heard.lost <= 0)
        return;
      is_losing_ = true;
      count_losses_anew(sender, heard.now);
    }
    losing_rounds_ += round ? 1 : 0;
    if (is_limited(heard) || losing_rounds_ > policed_most) {
      is_losing_ = false;
      policed_rate_ = 0;
      return;
    }
    const double delivered = sender.delivered - losing_delivered_, time = heard.now - losing_since_;
    if (losing_rounds_ < policed_least || heard.lost <= 0 || lost_ - losing_lost_ < policed_losses * delivered ||
        time < 1e-3)
      return;
    const double now = delivered / time;
    if (policed_rate_ > 0 && std::abs(now - policed_rate_) <= std::max(same_rate * policed_rate_, same_rate_least)) {
      policed_rate_ = (now + policed_rate_) / 2;
      is_policed_ = true;
      losing_rounds_ = 0;
    } else {
      policed_rate_ = now;
      count_losses_anew(sender, heard.now);
    }
  }

  void count_losses_anew(const TcpSender& sender, double now)
  {
    losing_since_ = now;
    losing_delivered_ = sender.delivered;
    losing_lost_ = lost_;
    losing_rounds_ = 0;
  }

  /// What is acknowledged beyond the rate: a window must cover it.
  void note_clumps(const TcpSender& sender, const Acknowledgement& heard, bool round)
  {
    if (round && ++rounds_of_extra_ >= extra_rounds) {
      rounds_of_extra_ = 0;
      extra_ = {0, extra_[0]};
    }
    double expected = epoch_ < 0 ? 0 : rate() * (heard.now - epoch_);
    if (epoch_ < 0 || epoch_bytes_ <= expected) {
      epoch_ = heard.now;
      epoch_bytes_ = expected = 0;
    }
    epoch_bytes_ += heard.bytes;
    extra_[0] = std::max(extra_[0], std::min(epoch_bytes_ - expected, sender.window));
  }

  void begin_probe(const TcpSender& sender, double now)
  {
    mode_ = Mode::probe_rate;
    // Linux draws the phase; here those of connections are spread. All but the one that drains.
    phase_ = (2 + (5 * sender.number + 3 * probes_++) % 7) % 8;
    phase_began_ = now;
  }

  void turn_phase(const Acknowledgement& heard)
  {
    if (mode_ != Mode::probe_rate)
      return;
    const bool lasted = heard.now - phase_began_ > least_round_trip_;
    const double gain = is_policed_ ? 1 : gains[static_cast<std::size_t>(phase_)];
    bool ends = lasted;
    if (gain > 1)
      ends = lasted && (heard.lost > 0 || heard.flying >= target(gain));
    else if (gain < 1)
      ends = lasted || heard.flying <= target(1);
    if (!ends)
      return;
    phase_ = (phase_ + 1) % 8;
    phase_began_ = heard.now;
  }

  void find_full_line(const Acknowledgement& heard, bool round)
  {
    if (is_full_ || !round || is_limited(heard))
      return;
    if (largest_rate() >= still_grows * full_rate_) {
      full_rate_ = largest_rate();
      full_for_ = 0;
    } else {
      is_full_ = ++full_for_ >= full_rounds;
    }
  }

  void drain(TcpSender& sender, const Acknowledgement& heard)
  {
    if (mode_ == Mode::start && is_full_) {
      mode_ = Mode::drain;
      sender.slow_until = target(1);
    }
    if (mode_ == Mode::drain && sender.flying <= target(1))
      begin_probe(sender, heard.now);
  }

  void note_round_trip(TcpSender& sender, const Acknowledgement& heard, bool round)
  {
    const bool old = least_round_trip_ > 0 && heard.now > least_at_ + round_trip_holds;
    if (least_round_trip_ <= 0 || heard.round_trip < least_round_trip_ || old) {
      least_round_trip_ = heard.round_trip;
      least_at_ = heard.now;
    }
    if (old && !rested_ && mode_ != Mode::probe_round_trip) {
      keep_window(sender);
      mode_ = Mode::probe_round_trip;
      probe_ends_ = 0;
    }
    if (mode_ == Mode::probe_round_trip) {
      limited_until_ = sender.delivered + sender.flying;
      if (probe_ends_ <= 0 && sender.flying <= least_window) {
        probe_ends_ = heard.now + probes_for;
        probe_round_ = false;
        round_ends_ = sender.delivered;
      } else if (probe_ends_ > 0) {
        probe_round_ = probe_round_ || round;
        if (probe_round_ && heard.now > probe_ends_) {
          least_at_ = heard.now;
          sender.window = std::max(sender.window, kept_window_);
          if (is_full_)
            begin_probe(sender, heard.now);
          else
            mode_ = Mode::start;
        }
      }
    }
    rested_ = false;
  }

  void set_gains()
  {
    switch (mode_) {
    case Mode::start:
      pace_gain_ = gain_ = high_gain;
      break;
    case Mode::drain:
      pace_gain_ = 1 / high_gain;
      gain_ = high_gain;
      break;
    case Mode::probe_rate:
      pace_gain_ = is_policed_ ? 1 : gains[static_cast<std::size_t>(phase_)];
      gain_ = window_gain;
      break;
    case Mode::probe_round_trip:
      pace_gain_ = gain_ = 1;
      break;
    }
  }

  void set_pace(const TcpSender& sender)
  {
    if (pace_ <= 0) // the first round trip
      pace_ = high_gain * margin * sender.window / sender.round_trip;
    const double next = margin * pace_gain_ * rate();
    if (next > 0 && (is_full_ || next > pace_))
      pace_ = next;
  }

  void set_window(TcpSender& sender, const Acknowledgement& heard)
  {
    double window = sender.window;
    if (heard.lost > 0)
      window = std::max(window - heard.lost, segment_on_line);
    if (std::exchange(enters_repair_, false) && !was_repairing_) {
      conserves_ = true;
      round_ends_ = sender.delivered;
      window = sender.flying + heard.bytes;
    } else if (was_repairing_ && !heard.repairs) {
      window = std::max(window, kept_window_);
      conserves_ = false;
    }
    was_repairing_ = heard.repairs;
    if (conserves_) {
      window = std::max(window, sender.flying + heard.bytes);
    } else {
      const double extra = is_full_ ? std::min(std::max(extra_[0], extra_[1]), most_extra * rate()) : 0;
      const double most = target(gain_) + extra;
      if (is_full_)
        window = std::min(window + heard.bytes, most);
      else if (window < most || sender.delivered < 10 * segment_on_line)
        window += heard.bytes;
      window = std::max(window, least_window);
    }
    sender.window = mode_ == Mode::probe_round_trip ? std::min(window, least_window) : window;
  }

  Mode mode_ = Mode::start;
  std::deque<std::pair<long, double>> rates_; // bytes/s by round trip, falling: the first is the largest
  long rounds_ = 0;
  double round_ends_ = 0; // bytes: a packet that is sent after so many were delivered ends the round trip
  double least_round_trip_ = 0, least_at_ = 0; // s
  double pace_ = 0;                            // bytes/s
  double pace_gain_ = high_gain, gain_ = high_gain;
  double full_rate_ = 0; // bytes/s
  int full_for_ = 0;     // round trips
  bool is_full_ = false;
  int phase_ = 0, probes_ = 0;
  double phase_began_ = 0, probe_ends_ = 0; // s
  bool probe_round_ = false;
  double limited_until_ = 0; // bytes delivered: packets sent before tell no rate of the line
  double kept_window_ = 0;   // bytes: before a loss or a probe
  bool enters_repair_ = false, was_repairing_ = false;
  bool conserves_ = false; // what is acknowledged may be sent, and no more
  bool rested_ = false;
  double epoch_ = -1, epoch_bytes_ = 0; // of clumps: s, bytes
  std::array<double, 2> extra_{};       // bytes: of these round trips and of the five before
  int rounds_of_extra_ = 0;
  double lost_ = 0;                               // bytes
  bool is_losing_ = false, is_policed_ = false;   // losses are counted; they are a policer's
  double policed_rate_ = 0;                       // bytes/s, in the last rounds with many losses; 0: none
  double losing_since_ = 0;                       // s: when the count of losses began,
  double losing_delivered_ = 0, losing_lost_ = 0; // bytes: and what had been delivered and lost
  int losing_rounds_ = 0;                         // since then, or since a policer was found
};

TY_REGISTER(CongestionControl, Bbr, "bbr",
            "version 1: sends at the rate that it estimates for the line; a loss hardly slows it down "
            "(draft-cardwell-iccrg-bbr)");

} // namespace
} // namespace trainyard
