// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/program_runner.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// Who sends what over which way in which round; equal calls of one program share one.
struct ProgramRunner::CollectivePlan {
  struct Edge {
    int from = 0;
    int to = 0;
    int way = 0;
    double payload = 0; // of one message
    double latency = 0;
    double alone = -1; // seconds that a message takes which nothing can hold back; -1: something can, or not known
  };
  /// Edges by rank, one rank after the other.
  struct EdgesOfRank {
    std::vector<int> edges;
    std::vector<std::size_t> first; // by rank, and the end
    std::span<const int> of(std::size_t rank) const
    {
      return std::span{edges}.subspan(first[rank], first[rank + 1] - first[rank]);
    }
  };
  /// Rounds with `repeat` equal rounds in a row; a rank enters the next one when its own messages here are done.
  struct Phase {
    int repeat = 1;
    std::vector<Edge> edges;
    EdgesOfRank sends, receives;
    std::size_t first_state = 0; // of the states of its edges, among those of the call
  };
  /// Those edges of a ring that are flows; a chain of others, which need none, lies behind each of them
  /// (collective_chains.cpp).
  struct Chains {
    struct Flow {
      int edge = 0;
      std::size_t before = 0, after = 0;         // the flows that it follows, and that follows it
      int distance = 0;                          // edges from the flow before it to this one, itself included
      std::size_t first_link = 0, last_link = 0; // of its chain, in `links`
    };
    struct Link {
      std::size_t use = 0; // of ProgramRunner::uses_
      double early = 0;    // how much sooner than the flow its edge ends, as a share of the flow's time
    };
    std::vector<Flow> flows;
    std::vector<Link> links;
  };
  struct Channel {
    std::vector<Phase> phases;
    std::size_t ranks = 0;
    bool has_edges_of(const Channel& other) const;
    std::shared_ptr<const Chains> chains; // of its only phase; plans that take the same ways share them
  };

  const CollectiveCall* call = nullptr; // the first of them
  const CollectivePlan* like = nullptr; // an earlier one of the program whose ways it takes
  std::vector<Channel> channels;
  std::vector<std::pair<int, double>> loads; // way, and bytes that it carries in all rounds together
  std::size_t states = 0;
  double stands_for = 1;   // ranks of the whole by ranks here
  bool has_chains = false; // they have been looked for, or the edges that are alone
  double formula = -1;     // seconds; -1: not computed yet
  double lasted = -1; // seconds, from when its ranks began; -1: has not run yet. Where collectives are reused, as this:
  std::vector<std::pair<std::size_t, double>> kept_busy; // uses, and for how long

  bool does(const CollectiveCall& other) const;
  /// Its ranks are in the same places, and their messages cost the same: what sends to the same rank takes the same
  /// way.
  bool takes_ways_of(const CollectiveCall& other) const;
};

/// One collective call under way: the round each rank is in, the messages of each edge.
class ProgramRunner::CollectiveRun
{
public:
  CollectiveRun(ProgramRunner& runner, const CollectiveCall& call, CollectivePlan& plan, CollectiveStyle style,
                Network::Callback done);
  void start();
  /// How much of its bytes has been carried, 0..1; @p under_way: bytes that its present flows have sent.
  double share_done(double under_way) const;

private:
  using Phase = CollectivePlan::Phase;
  using Edge = CollectivePlan::Edge;
  struct EdgeState {
    int channel = 0;
    int phase = 0;
    int edge = 0;
    int completed = 0; // messages of this round that have arrived
    int flow = -1;
  };
  struct Channel {
    std::vector<int> phase_of_rank;
    std::vector<int> round_of_rank; // within the phase
    std::size_t ranks_done = 0;
    std::size_t first_state = 0; // of its chains
    std::size_t chains_done = 0;
  };

  double formula() const;
  void find_chains();
  void find_those_alone(CollectivePlan::Channel& channel) const;
  std::shared_ptr<const CollectivePlan::Chains> chains_for(std::size_t channel) const;
  std::shared_ptr<const CollectivePlan::Chains> chains_of(const CollectivePlan::Channel& channel) const;
  double most_on(int way) const;
  bool is_alone(int way) const;
  void measure_demand() const;
  static bool one_at_a_time(const ProgramState& state);
  void begin_chains(std::size_t channel);
  void chain_ended(int state);
  void chain_arrived(int state);
  bool by_message(const Phase& phase) const;
  const Phase& phase_at(std::size_t channel, int phase) const
  {
    return plan_.channels[channel].phases[static_cast<std::size_t>(phase)];
  }
  const Phase& phase_of(const EdgeState& state) const
  {
    return phase_at(static_cast<std::size_t>(state.channel), state.phase);
  }
  const Edge& edge_of(const EdgeState& state) const
  {
    return phase_of(state).edges[static_cast<std::size_t>(state.edge)];
  }
  double chunk(const Edge& edge) const { return edge.payload / call_.cost.efficiency; }
  void enter_phase(std::size_t channel, int rank);
  void send(const Phase& phase, int edge);
  void send_message(int state);
  void message_ended(int state);
  void rounds_ended(int state);
  void arrived(int state, int messages);
  void advance(std::size_t channel, int rank);
  void rank_done(std::size_t channel);

  ProgramRunner& runner_;
  const CollectiveCall& call_;
  CollectivePlan& plan_;
  CollectiveStyle style_;
  Network::Callback done_;
  std::vector<Channel> channels_;
  std::vector<EdgeState> states_;
  std::size_t channels_done_ = 0;
  double began_ = 0;
  double carried_ = 0;  // bytes on the wire of messages that have ended
  bool shared_ = false; // some link of it carries other routes too
};

} // namespace trainyard
