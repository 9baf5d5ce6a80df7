#pragma once
#include "sim/collectives/collective.hpp"
#include "sim/engine/executor.hpp"
#include "sim/engine/network.hpp"
#include "sim/engine/routes.hpp"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// How a collective becomes flows.
enum class CollectiveStyle {
  formula,    // one timer: sum over its rounds of the slowest message, own messages sharing links
  pipelined,  // one flow per edge that keeps within one chunk of the flow before it
  aggregated, // one flow per edge, its rounds' latencies at the end; rings that share links run message by message while that is affordable
  messages,   // every message of every round
};

/// Runs programs on a network back end: dependencies, lanes, collectives; keeps the books for the traces.
class ProgramRunner
{
public:
  ProgramRunner(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style);
  ~ProgramRunner();
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// All routes that will be asked for, known before anything runs.
  RouteTable& routes() { return routes_; }
  /// Runs to the end. Throws std::invalid_argument naming an operation that never became ready.
  std::vector<StepTrace> run(Network& network);

private:
  struct State;
  class CollectiveRun;
  friend class CollectiveRun;

  struct LaneState {
    int free = 1;
    std::set<std::tuple<int, long, int>> ready; // priority, arrival, operation
  };
  struct ProgramState {
    const StepProgram* program = nullptr;
    double start = 0;
    std::vector<int> waiting_for; // unfinished predecessors
    std::vector<std::vector<int>> followers;
    std::vector<LaneState> lanes;
    std::vector<double> begin, end;
    std::size_t ended = 0;
  };
  struct Use {
    double bytes = 0;
    double busy = 0;
    double since = 0;
    int flows = 0;
  };

  void plan_routes();
  bool shares_links(int route) const;
  void become_ready(std::size_t program, int operation);
  void serve(std::size_t program, int lane);
  bool lanes_free(const ProgramState& state, const Operation& operation) const;
  void start(std::size_t program, int operation);
  void start_message(std::size_t program, int route, double payload, const MessageCost& cost, Network::Callback done);
  void finish(std::size_t program, int operation);
  void drain();
  int start_flow(std::size_t program, int route, double bytes, int follows, double lead, Network::Callback done, int connection = -1);
  int message_route(std::size_t program, VertexId from, VertexId to, const MessageCost& cost, const std::vector<ResourceId>& resources = {},
                    std::span<const VertexId> forwarders = {});
  void account(std::size_t program, int route, double bytes);
  void open(std::size_t program, int route);
  void close(std::size_t program, int route);

  const Cluster& cluster_;
  CollectiveStyle style_;
  RouteTable routes_;
  std::vector<int> routes_on_; // by capacity: how many routes cross it
  std::vector<ProgramState> states_;
  std::vector<std::map<int, Use>> uses_; // by program, by capacity index
  std::vector<std::unique_ptr<CollectiveRun>> collectives_;
  std::vector<std::pair<std::size_t, int>> finished_; // work list, so that long chains do not recurse
  bool draining_ = false;
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
