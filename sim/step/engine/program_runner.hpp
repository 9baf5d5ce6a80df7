// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/collectives/collective.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/network.hpp"
#include "sim/step/engine/routes.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {

/// How a collective becomes flows.
enum class CollectiveStyle {
  formula,    // one timer: sum over its rounds of the slowest message, own messages sharing links
  pipelined,  // one flow per edge that keeps within one chunk of the flow before it
  aggregated, // one flow per edge, its rounds' latencies at the end; rings that share links run message by message
              // while that is affordable
  messages,   // every message of every round
};

/// Runs programs on a network back end: dependencies, lanes, collectives; keeps the counters for the traces.
class ProgramRunner
{
public:
  /// @p by_connection: links are shared by connections, not by messages. @p known: see RouteTable.
  ProgramRunner(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style,
                bool by_connection = false, KnownWays* known = nullptr);
  ~ProgramRunner();
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// A collective that has run is not run again: its next call takes as long. Exact, and done only where there is one
  /// program, whose collectives come one after the other and have the network to themselves. Before run().
  void reuse_collectives();
  /// After the last step of the only program its workers go on with the step number @p back + 1 for ever: a program of
  /// 2 x (@p back + 1) steps or more, in which an operation waits for nothing that is more than @p back steps older.
  /// False where its steps are not alike. Before begin_all(). @p factor: of computing; null: 1.
  bool go_round(int back, StepFactor factor);
  /// Of a program that goes round: what its workers have done so far.
  const RoundsDone& rounds_done() const { return rounds_.done; }
  /// Of a program that goes round: so many more steps have ended since this was asked for.
  const bool& have_ended(std::size_t steps);
  /// Of a program that goes round: from here on whole steps of each worker are noted, as many as the program has; says
  /// when all are.
  const bool& note_steps();
  /// The steps that were noted, as a run of the program that begins with them, and by worker when it does.
  std::pair<StepTrace, std::map<int, Seconds>> noted_steps() const;
  /// Other starts, and the durations that the programs' HostWork has now; before run().
  void time_anew(std::span<const Seconds> starts);
  /// All routes that will be asked for, known before anything runs.
  RouteTable& routes() { return *routes_; }
  /// Runs to the end; may be called again, with a network that has not run yet. Throws std::invalid_argument naming an
  /// operation that never became ready.
  std::vector<StepTrace> run(Network& network);
  /// Makes the first requests of a run that may be stopped.
  void begin_all(Network& network);
  /// One of them has ended, and each of the others has come to the end of a step since or has ended too.
  const bool& stepped_since_one_ended() const { return stepped_since_one_ended_; }
  /// What has not ended yet ends at infinity. Throws as run() where no program has ended.
  std::vector<StepTrace> traces_so_far() const;

  /// Programs may come while time passes, each with its number from 0 on. All are kept by the caller.
  int add(const StepProgram& program);
  /// The same for one that will not run: its routes are asked for.
  int plan_only(const StepProgram& program);
  /// Of routes that were known before, more links may hold flows back since the last add(): those that may.
  std::vector<const std::vector<int>*> widened() const;
  /// The latest program starts now, on the same network as those before.
  void begin_latest(Network& network);
  /// Programs that have ended since they were asked for.
  std::vector<int> take_ended();
  /// Of one that has ended; the program is forgotten.
  StepTrace take_trace(int program);
  /// How much of each of its operations is done, 0..1; @p sent: bytes that flows under way have sent, by operation. The
  /// program is forgotten.
  std::vector<double> take_shares(int program, std::span<const double> sent);
  const bool& any_ended() const { return any_ended_; }
  /// Forgets all programs; routes stay known where no program has brought a capacity of its own.
  void restart();
  /// The routes of a program that was added, in the order in which it meets them.
  std::vector<int> routes_of(int program) const;

private:
  class CollectiveRun;
  friend class CollectiveRun;

  /// What an operation needs while it runs, in one line of the cache.
  struct alignas(64) Task {
    enum class Kind : char { nothing, timed, message, collective };
    enum class Part : char { other, pull, end }; // of a step
    Kind kind = Kind::nothing;
    bool host_work = false;
    bool is_pull = false;
    Part part = Part::other;
    int priority = 0;
    int lanes = 0;          // how many,
    int lane = 0;           // the only one, or from there on in the program's list of them
    int plan = -1;          // the way of a message, or the plan of a collective; -1: none
    int predecessors = 0;   // operations that it waits for
    int first_follower = 0; // in the program's list of them
    int followers = 0;      // how many
    double seconds = 0;     // of work, until a message is on its way, or until a collective starts
    double bytes = 0;       // that a message puts on each link
    // In a program that goes round:
    int times = 0;   // that it has ended
    int worker = -1; // whose step it belongs to; -1: of all
  };
  static_assert(sizeof(Task) == 64);
  /// Operations that wait for a lane, in order: priority, arrival, operation. Most come last and go first.
  class Waiting
  {
  public:
    using Entry = std::tuple<int, long, int>;
    bool empty() const { return first_ == entries_.size(); }
    auto begin() const { return entries_.begin() + static_cast<std::ptrdiff_t>(first_); }
    auto end() const { return entries_.end(); }
    void insert(const Entry& entry)
    {
      if (empty() || entries_.back() < entry)
        entries_.push_back(entry);
      else
        entries_.insert(std::upper_bound(begin(), end(), entry), entry);
    }
    void erase(const Entry& entry)
    {
      const auto place = std::lower_bound(begin(), end(), entry);
      if (place != begin())
        entries_.erase(place);
      else if (++first_; 2 * first_ >= entries_.size()) {
        entries_.erase(entries_.begin(), place + 1);
        first_ = 0;
      }
    }

  private:
    std::vector<Entry> entries_;
    std::size_t first_ = 0; // of them: those before it have gone
  };
  struct LaneState {
    int free = 1;
    Waiting ready;
  };
  struct ProgramState {
    const StepProgram* program = nullptr;
    double start = 0;
    std::vector<int> followers; // of all operations, one after the other
    std::vector<Task> tasks;    // by operation
    std::vector<int> waiting;   // by operation: unfinished ones that it waits for; close together, as they change often
    std::vector<int> lanes_of;  // of operations with several, one after the other
    std::vector<LaneState> lanes;
    std::vector<double> begin, end;
    std::size_t ended = 0;
    std::size_t goes_round_from = std::numeric_limits<std::size_t>::max(); // the operation; later ones run repeatedly
    bool goes_round() const { return goes_round_from < tasks.size(); }
    bool stepped_since_one_ended = false;
    std::size_t first_plan = 0, last_plan = 0, first_use = 0, last_use = 0, first_way = 0, last_way = 0;
    std::vector<std::pair<int, std::unique_ptr<CollectiveRun>>> collectives; // and their operations
  };
  /// What one program does on one capacity.
  struct Use {
    int capacity = 0;
    double bytes = 0; // of all operations: known before anything runs
  };
  /// And when, in a run.
  struct Occupancy {
    int flows = 0;
    double busy = 0;
    double since = 0;
  };
  /// A route with the books of one program for it.
  struct Way {
    int program = 0;
    int route = 0;
    std::size_t uses = 0; // where they begin in `way_uses_`, one per link of the route
    const Route* known = nullptr;
  };
  /// A collective with its routes; calls that differ in nothing share it.
  struct CollectivePlan;

  void prepare(const ProgramRun& run);
  void plan(std::size_t program);
  void begin(std::size_t program);
  StepTrace trace_of(std::size_t program) const;
  void note_step_since_one_ended(ProgramState& state);
  [[noreturn]] static void throw_never_ready(const ProgramState& state);
  void forget(ProgramState& state);
  void plan_operations(std::size_t program);
  void sort_uses(std::size_t program);
  void sum_loads(std::size_t program);
  void load(int way, double bytes);
  void count_routes();
  void rewind();
  void rewind(ProgramState& state);
  std::size_t plan_collective(std::size_t program, const CollectiveCall& call);
  int make_way(std::size_t program, int route);
  static const Route& route_of(const Way& way) { return *way.known; }
  bool shares_links(int route) const;
  void become_ready(std::size_t program, int operation);
  void serve(std::size_t program, int lane);
  static void set_duration(Task& task, Seconds duration);
  static std::span<const int> lanes_of(const ProgramState& state, const Task& task)
  {
    if (task.lanes == 1)
      return {&task.lane, 1};
    return std::span{state.lanes_of}.subspan(static_cast<std::size_t>(task.lane), static_cast<std::size_t>(task.lanes));
  }
  static std::span<const int> followers_of(const ProgramState& state, const Task& task)
  {
    return std::span{state.followers}.subspan(static_cast<std::size_t>(task.first_follower),
                                              static_cast<std::size_t>(task.followers));
  }
  static void make_followers(ProgramState& state, std::span<const std::pair<std::size_t, int>> more);
  void start(std::size_t program, int operation);
  bool collectives_are_alone() const;
  void note_collective(int operation);
  void repeat_collective(int operation);
  void begin_message(std::size_t program, int operation);
  void end_message(std::size_t program, int operation);
  void finish(std::size_t program, int operation);
  double factor_in_round(const ProgramState& state, std::size_t operation);
  void note_round(ProgramState& state, std::size_t operation);
  void finish_and_drain(std::size_t program, int operation);
  static void free_lanes(ProgramState& state, const Task& task);
  void wake_followers(std::size_t program, ProgramState& state, const Task& task);
  void serve_lanes(std::size_t program, ProgramState& state, const Task& task);
  void drain();
  bool is_flow(int way, double bytes) const
  {
    return bytes > 0 && !route_of(ways_[static_cast<std::size_t>(way)]).narrow.empty();
  }
  /// What happens to the acknowledgements of a flow where connections share links.
  enum class Acknowledgements { come_at_once, wait, load }; // wait in queues on their way; load it, too
  int start_flow(int way, double bytes, int follows, double lead, int connection, Network::Callback done,
                 Acknowledgements acknowledgements = Acknowledgements::wait, bool asked = false);
  void occupy(int way);
  void end_flow(int way, double bytes);

  const Cluster& cluster_;
  CollectiveStyle style_;
  bool by_connection_ = false;
  std::unique_ptr<RouteTable> routes_;
  std::vector<int> routes_on_; // by slot of the routes: how many routes cross it
  std::vector<ProgramState> states_;
  std::vector<Way> ways_;
  std::vector<std::size_t> way_uses_;
  std::vector<Use> uses_;
  std::vector<Occupancy> occupied_; // by use
  std::vector<int> way_of_route_;   // by route; of another program, or none, where that way has another route
  std::vector<std::size_t>
      use_of_slot_; // by slot of the routes; of another program, or none, where that use has another
  std::vector<std::unique_ptr<CollectivePlan>> plans_; // of all programs
  std::vector<std::pair<std::size_t, int>> finished_;  // work list, so that long chains do not recurse
  std::vector<std::pair<std::size_t, int>> batch_;     // of it, being worked on
  bool draining_ = false;
  bool reuses_collectives_ = false;
  std::vector<double> busy_before_; // by use: when the last collective ended, where they are reused
  std::vector<int> ended_programs_;
  bool any_ended_ = false;
  std::size_t to_step_ = 0; // programs that have not stepped since one ended
  bool stepped_since_one_ended_ = false;
  /// A program that goes round.
  struct Rounds {
    RoundsDone done;
    std::size_t size = 0; // operations of a step
    int back = 0;         // steps that an operation may look back
    /// Steps of others that had ended when the last pull of a worker's step did.
    struct Pulled {
      int step = -1;
      int ended = 0;  // at that of this step
      int before = 0; // of the one before it
    };
    StepFactor factor;
    std::vector<std::pair<int, double>> drawn; // by worker: a step, and its factor
    bool pulls_ahead = false;
    std::vector<Pulled> pulled;     // by worker
    int ended = 0;                  // steps of all
    std::size_t to_end = 0;         // steps
    bool have_ended = false;        // that many
    std::map<int, int> first_noted; // step of a worker
    std::vector<Span> noted;        // by operation of the program
    std::size_t to_note = 0;        // operations
    bool all_noted = false;
  };
  Rounds rounds_;
  long arrivals_ = 0;
  Network* network_ = nullptr;
};

/// Rounds of a collective call, by channel, with messages between positions of `ranks`.
struct ChannelPlan {
  std::vector<VertexId> ranks;
  std::vector<Round> rounds;
};
std::vector<ChannelPlan> channel_plans(const Cluster& cluster, const CollectiveCall& call);

} // namespace trainyard
