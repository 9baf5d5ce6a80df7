// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/earliest_times.hpp"
#include "sim/step/engine/network.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// The program and operation that something in the network belongs to; -1: not known.
struct NetworkOwner {
  int program = -1;
  int operation = -1;
};

/// A timer or the expected end of a flow, in the present state.
struct PendingEvent {
  double time = 0;
  NetworkOwner owner;
  bool flow = false;
};

/// A flow that is under way.
struct ActiveFlow {
  NetworkOwner owner;
  const std::vector<int>* links = nullptr;
  double sent = 0;      // bytes
  double remaining = 0; // bytes
  double rate = 0;      // bytes/s
  double limit = 0;     // bytes/s
  int bottleneck = -1;  // the capacity that decides its rate; -1: its own limit,
                        // or the flow that it follows
  bool held = false;    // follows another one and has caught up with it
};

/// What the solver has done since the start.
struct SolverWork {
  long instants = 0; // of simulated time at which anything happened
  long solves = 0;   // how often all rates were computed
  long frozen = 0;   // rates that were computed
  long levels = 0;   // levels that were looked at while filling
  long last_frozen = 0;
  std::size_t most_flows = 0;
};

class FluidNetwork;

/// Looks at a network while it runs, and cannot change it.
class FluidWatcher
{
public:
  virtual ~FluidWatcher() = default;
  /// Everything of an instant is done and the rates hold until the next one; the simulation goes on when this returns.
  virtual void instant(const FluidNetwork& network) = 0;
};

/// Our own max-min network: rates change only when flows start, end or catch up with the flow they follow.
///
/// Flows share each capacity max-min fairly. A flow that follows another one never gets more than `lead` bytes ahead of
/// it: while it stands at that limit its rate is at most that of its leader. That is what a ring all-reduce does: a
/// rank can send a chunk only after it has received the one before it. The fair shares with such followers are exact:
/// when progressive filling freezes a leader, it freezes the followers that stand at their limit at the same level.
/// Ends and catch-ups of followers within a fraction of a chunk's time are taken together, so that the work grows with
/// the chunks, not with the edges. The cost of an instant depends on its changes only: rates are computed again only
/// for the flows whose bottleneck may have moved, which is found by letting all others stand and taking in those for
/// which no bottleneck is left (an allocation is max-min fair if and only if every flow has one: a full capacity of
/// which no other flow has more; Bertsekas and Gallager, "Data Networks", 6.5.2). The bottleneck of a follower that
/// stands at its limit can be its leader, if that goes at the same rate: it is taken in with its leader. What a flow
/// has sent is added up when its rate changes. Where no flow follows another one, what has changed is mended level by
/// level instead, in the order of the levels (fluid_levels.cpp), which computes no rate that stays as it is. The
/// messages of a connection are one flow whose rate they share equally: when one starts or ends, no other rate changes.
class FluidNetwork final : public Network
{
public:
  explicit FluidNetwork(const std::vector<double>& capacities);

  double now() const override { return now_; }
  void timer(double delay, Callback callback) override;
  int flow(const FlowRequest& request, Callback done) override;
  void follow(int leader, int follower, double lead, bool pipelined) override;
  void belongs_to(int program, int operation) override { owner_ = {program, operation}; }
  void run(const Callback& begin) override;

  /// For runs in which more comes while time passes. Lets time pass until @p until (infinity: until nothing is left to
  /// happen), or until an instant at the end of which @p stop is true.
  void advance(double until, const bool& stop);
  /// There are more capacities than before: these are all of them.
  void grow(const std::vector<double>& capacities);
  /// These lists of links, which flows may have been started with, have become longer.
  void widen(std::span<const std::vector<int>* const> paths);
  /// Nothing of this program is under way any more, and nothing of it happens. The bytes that its flows had sent are
  /// added to @p sent by operation.
  void cancel(int program, std::span<double> sent);
  /// At time 0 again; only where nothing of a program is under way.
  void restart();

  /// Before run(): whenever any rate is computed, all are. Slow, and the same.
  void share_out_all() { share_out_all_ = true; }
  /// Before run().
  void watch(FluidWatcher& watcher) { watcher_ = &watcher; }
  /// What is to come, in order of time; @p most of them.
  std::vector<PendingEvent> pending(std::size_t most) const;
  std::size_t pending_count() const { return timers_.size() + active_.size(); }
  std::vector<ActiveFlow> flows() const;
  const SolverWork& work() const { return work_; }

private:
  struct Message {
    double ends_at; // on the connection's scale `Flow::served`
    long order;
    std::size_t callback;
    bool operator>(const Message& other) const
    {
      return ends_at != other.ends_at ? ends_at > other.ends_at : order > other.order;
    }
  };
  using Messages = std::priority_queue<Message, std::vector<Message>, std::greater<>>;
  static constexpr std::size_t remembered = 8;
  /// By how much of a capacity the sum of rates on it may be off after millions of changes of 1e-16 each.
  static constexpr double rough = 1e-6;
  struct alignas(64) Flow {
    // What a new rate needs comes first: two lines of the cache.
    double rate = 0;
    double limit = 0;
    double since = 0;     // time at which `remaining`, `sent` and `served` were right; the rate has not changed since
    double remaining = 0; // of a connection: until its next message ends
    double sent = 0;
    double old_rate = 0; // before it was picked
    int bottleneck = -1; // in loads_
    int slot = -1;       // in active_; -1 = ended
    int crossed = 0;     // of the links of its path: it may have become longer
    bool frozen : 1 = false;
    bool held : 1 = false;    // stands at its limit
    bool picked : 1 = false;  // its rate is being computed
    bool batched : 1 = false; // follows another one, or did: `lead` > 0
    bool shared : 1 = false;  // a connection

    std::array<int, remembered> on{}; // the first of its capacities, in loads_
    double served = 0;                // bytes that each message of a connection has had since it opened
    double messages = 1;
    double lead = 0;
    const std::vector<int>* path = nullptr;

    std::array<int, remembered> places{}; // its entries in the lists of these
    int frozen_as = 0;                    // in the order of those picked
    int follower = -1;
    int leader = -1;
    int connection = -1;
    NetworkOwner owner; // of a connection: of the message that opened it

    std::span<const int> links() const { return std::span{*path}.first(static_cast<std::size_t>(crossed)); }
  };
  /// What a new rate of a flow needs of each capacity on its way: so little that those of ten thousand flows stay in a
  /// cache of 2 MB.
  struct alignas(32) Load {
    double capacity = 0;
    double level = 0;        // the most that it lets a flow have
    double sum = 0;          // of the rates, with the rounding of all that came and went
    int bottlenecked = 0;    // those whose bottleneck it is, without the picked
    bool in_doubt = false;   // its level may be wrong
    bool is_touched = false; // a flow has left or joined since rates were computed
  };
  /// The flows on a capacity, in the order in which they came; -1 where one has ended.
  struct alignas(64) FlowsOn {
    std::vector<int> flows;
    double due_at = std::numeric_limits<double>::infinity(); // where its level is wrong, when that is mended
    int live = 0;
    int picked = 0;
    int link = -1; // the number of the capacity
    bool in_region = false;
    // While it is in the region:
    bool roughly_known = false; // its level is a lower bound, `left` is not computed yet
    int unfrozen = 0;
    double left = 0;
    double fair_level = 0; // the rate of those whose bottleneck it is
    double highest = 0;    // the highest rate of a picked flow on it
  };
  /// Where rates are filled in, a capacity or the limit of a flow; where levels are mended, a capacity.
  struct Level {
    double level = 0;
    int what = -1;  // the number of the capacity; -1 - flow: a limit
    int where = -1; // the capacity in loads_
  };
  struct Timer {
    double time;
    long order;
    std::size_t callback;
    bool operator>(const Timer& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  /// A queue that can be looked through.
  struct Timers : std::priority_queue<Timer, std::vector<Timer>, std::greater<>> {
    const std::vector<Timer>& all() const { return c; }
  };

  /// Puts the lowest level on top of a heap, and of equal ones the first capacity.
  struct Higher {
    bool operator()(const Level& a, const Level& b) const
    {
      return a.level > b.level || (a.level == b.level && a.what > b.what);
    }
  };

  using Endings = std::vector<std::pair<Callback, NetworkOwner>>;

  Flow& at(int id) { return flows_[static_cast<std::size_t>(id)]; }
  int new_flow(const FlowRequest& request);
  void join(int connection, double bytes, Callback done);
  void end_message(int connection, Endings& done);
  void set_next_end(int connection);
  std::size_t keep(Callback callback);
  Callback take(std::size_t slot);
  void solve();
  void solve_touched();
  bool mend_levels();
  void mend(int where);
  void look_at_doubtful();
  void doubt(int where);
  void set_share(int id, double rate, int bottleneck, int but_for);
  /// Its flows leave room, and no level but its capacity.
  static bool holds_nobody(const Load& load)
  {
    return load.bottlenecked == 0 && load.level == load.capacity && load.sum <= load.capacity * (1 - rough);
  }
  /// By flows at a level. Places of flows that have ended want nothing.
  struct Taken {
    double by_others = 0;                                   // those that want less,
    double least = std::numeric_limits<double>::infinity(); // what one of the rest wants at least,
    std::size_t held_back = 0;                              // and how many these are
    void add(double want, double level)
    {
      const bool below = want < level; // without branches, which could not be foretold
      by_others += below ? want : 0;
      least = std::min(least, below ? std::numeric_limits<double>::infinity() : want);
      held_back += below ? 0 : 1;
    }
  };
  static double level_for(double capacity, std::span<const double> wanted, double level, Taken taken);
  double due_level(int where);
  double risen_level(int where);
  std::pair<double, int> lowest_level(const Flow& flow, int but_for) const;
  void note_levels();
  void expect_batch(const Flow& flow);
  void pick(int id);
  void put_back(int id);
  Load& load(int where) { return loads_[static_cast<std::size_t>(where)]; }
  const Load& load(int where) const { return loads_[static_cast<std::size_t>(where)]; }
  FlowsOn& flows_on(int where) { return flows_on_[static_cast<std::size_t>(where)]; }
  /// The rate of a flow that is under way, on each of its capacities; 0 while it is picked, and of -1.
  double& rate_of(int id) { return rates_[static_cast<std::size_t>(id + 1)]; }
  /// The k-th of the capacities of a flow, in loads_.
  int where(const Flow& flow, std::size_t k) const
  {
    return k < remembered ? flow.on[k] : where_[static_cast<std::size_t>((*flow.path)[k])];
  }
  /// Calls @p use with each capacity of a flow.
  template <class Use>
  void on_each(const Flow& flow, const Use& use) const
  {
    for (std::size_t k = 0; k < static_cast<std::size_t>(flow.crossed); ++k)
      use(where(flow, k));
  }
  void set_rate_on_links(int id, double rate);
  double left_by_others(int where);
  void work_out_left(int where);
  void close_gaps(int where);
  void fill_picked();
  bool pick_those_without_bottleneck();
  void fill();
  Level take_lowest_level(int& scans);
  void freeze(int id, double level, int bottleneck);
  void freeze_one(Flow& flow, double level, int bottleneck);
  /// Adds up what the flow has sent at the rate that it has had.
  void settle(Flow& flow) const
  {
    const double bytes = flow.rate * (now_ - flow.since);
    flow.since = now_;
    if (bytes <= 0)
      return;
    flow.sent += bytes;
    flow.remaining -= bytes;
    if (flow.shared)
      flow.served += bytes / flow.messages;
  }
  double sent(const Flow& flow) const { return flow.sent + flow.rate * (now_ - flow.since); }
  double remaining(const Flow& flow) const { return flow.remaining - flow.rate * (now_ - flow.since); }
  bool at_end(const Flow& flow) const;
  /// The time at which the flow, or a connection's next message, ends at the present rate.
  void expect_end(const Flow& flow)
  {
    ends_.set(static_cast<std::size_t>(flow.slot),
              flow.rate > 0 ? flow.since + flow.remaining / flow.rate : std::numeric_limits<double>::infinity());
    if (flow.batched)
      expect_batch(flow);
  }
  double next_flow_event();
  double next_catch_up();
  void end_flows();
  void close_idle();
  void remove(int id);
  void cross(int id, std::size_t k);
  void touch(int where);
  bool is_cancelled(NetworkOwner owner) const
  {
    const auto program = static_cast<std::size_t>(owner.program);
    return owner.program >= 0 && program < cancelled_.size() && cancelled_[program];
  }
  void let_go(int follower);
  void expect_catch_up(int id);
  bool may_hold(const Flow& flow) const;

  std::vector<Flow> flows_;
  std::vector<Messages> messages_; // by flow: those of a connection
  std::vector<Callback> done_;     // by flow: of any other
  std::vector<int> free_ids_;
  std::vector<int> active_;
  std::vector<int> ended_;    // now
  std::size_t with_lead_ = 0; // active ones that follow another one, or did
  std::size_t following_ = 0; // active ones that follow another one
  EarliestTimes ends_;        // of active flows, by slot
  EarliestTimes catch_ups_;   // by slot: when it comes to stand at its limit behind its leader
  EarliestTimes batches_;     // by slot, of those that follow others: for how long its events are taken together
  std::vector<int> due_;      // those that do now
  std::vector<int> suspects_; // flows whose leader has changed, or that have caught up with it
  std::vector<double> capacities_;
  std::vector<double> rates_{0};  // rate_of()
  std::vector<Load> loads_;       // of the capacities that flows have crossed: few of a large cluster
  std::vector<FlowsOn> flows_on_; // of the same
  std::vector<int> where_;        // by capacity: in loads_; -1: no flow has crossed it
  std::vector<int> open_;         // by connection: its flow; -1: closed
  std::vector<int> idle_;         // connections whose last message has ended now: the next one keeps the rate
  std::vector<Level> levels_;
  Endings endings_;
  std::size_t thawed_ = 0;                    // flows not frozen yet
  std::vector<int> touched_;                  // where a flow has left or joined since rates were computed
  std::vector<int> picked_;                   // flows whose rates are being computed
  std::vector<int> region_;                   // where they are
  int frozen_ = 0;                            // of the picked
  std::vector<std::pair<int, double>> taken_; // order and rate of flows on a capacity
  std::vector<int> stack_;
  std::vector<int> wider_;     // flows, by slot
  std::vector<int> doubtful_;  // where levels may be wrong: the first
  std::size_t doubts_ = 0;     // of them
  std::vector<double> wanted_; // what each flow on a capacity would take of it
  std::vector<std::pair<std::size_t, int>> wanted_by_;
  Timers timers_;
  std::vector<Callback> callbacks_;
  std::vector<std::size_t> free_callbacks_;
  std::vector<NetworkOwner> owners_; // of callbacks_
  NetworkOwner owner_;
  std::vector<bool> cancelled_; // by program
  FluidWatcher* watcher_ = nullptr;
  bool share_out_all_ = false;
  SolverWork work_;
  double now_ = 0;
  double solve_at_; // latest time at which rates must be computed again
  double granularity_ = 0;
  long order_ = 0;
};

} // namespace trainyard
