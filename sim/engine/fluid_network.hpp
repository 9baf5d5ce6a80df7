#pragma once
#include "sim/engine/network.hpp"

#include <cstddef>
#include <queue>
#include <vector>

namespace trainyard {

/// Our own max-min network: rates change only when flows start, end or catch up with the flow they follow.
///
/// Flows share each capacity max-min fairly. A flow that follows another one never gets more than `lead` bytes ahead of it: while it stands
/// at that limit its rate is at most that of its leader. That is what a ring all-reduce does: a rank can send a chunk only after it has
/// received the one before it. The fair shares with such followers are exact: when progressive filling freezes a leader, it freezes the
/// followers that stand at their limit at the same level. Ends and catch-ups of followers within a fraction of a chunk's time are taken
/// together, so that the work grows with the chunks, not with the edges.
class FluidNetwork final : public Network
{
public:
  explicit FluidNetwork(const std::vector<double>& capacities);

  double now() const override { return now_; }
  void timer(double delay, Callback callback) override;
  int flow(const FlowRequest& request, Callback done) override;
  void follow(int leader, int follower, double lead, bool pipelined) override;
  void run(const Callback& begin) override;

private:
  struct Flow {
    const std::vector<int>* links = nullptr;
    double remaining = 0;
    double sent = 0;
    double limit = 0;
    double rate = 0;
    double lead = 0;
    int leader = -1;
    int follower = -1;
    int slot = -1; // in active_; -1 = ended
    bool frozen = false;
    bool held = false; // stands at its limit
    Callback done;
  };
  struct Timer {
    double time;
    long order;
    std::size_t callback;
    bool operator>(const Timer& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  Flow& at(int id) { return flows_[static_cast<std::size_t>(id)]; }
  void solve();
  void freeze(int id, double level);
  void advance(double time);
  double next_flow_event() const;
  void end_flows();
  bool may_hold(const Flow& flow) const;

  std::vector<double> capacities_;
  std::vector<Flow> flows_;
  std::vector<int> free_ids_;
  std::vector<int> active_;
  std::vector<std::vector<int>> flows_on_; // by capacity
  std::vector<double> left_;
  std::vector<int> unfrozen_;
  std::vector<int> stack_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::vector<Callback> callbacks_;
  std::vector<std::size_t> free_callbacks_;
  double now_ = 0;
  double solve_at_; // latest time at which rates must be worked out again
  double granularity_ = 0;
  long order_ = 0;
};

} // namespace trainyard
