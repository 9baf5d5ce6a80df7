#pragma once
#include "sim/engine/program_runner.hpp"

#include <memory>
#include <vector>

namespace trainyard {

/// One collective call under way: its channels, the round each rank is in, the messages of each edge.
class ProgramRunner::CollectiveRun
{
public:
  CollectiveRun(ProgramRunner& runner, std::size_t program, const CollectiveCall& call, CollectiveStyle style, Network::Callback done);
  void start();

private:
  struct Edge {
    int from = 0;
    int to = 0;
    int route = 0;
    double payload = 0; // of one message
    double latency = 0;
    int completed = 0; // messages of this round that have arrived
    int flow = -1;
  };
  /// Rounds with `repeat` equal rounds in a row; a rank enters the next one when its own messages here are done.
  struct Phase {
    int repeat = 1;
    std::vector<Edge> edges;
    std::vector<std::vector<int>> sends, receives; // by rank: edges
  };
  struct Channel {
    std::vector<Phase> phases;
    std::vector<int> phase_of_rank;
    std::vector<int> round_of_rank; // within the phase
    std::size_t ranks_done = 0;
  };

  void start_formula();
  bool by_message(const Phase& phase) const;
  void enter_phase(Channel& channel, int rank);
  void send(Channel& channel, int rank);
  void arrived(Channel& channel, std::size_t phase, std::size_t edge, int messages);
  void advance(Channel& channel, int rank);
  void rank_done(Channel& channel);

  ProgramRunner& runner_;
  std::size_t program_;
  const CollectiveCall& call_;
  CollectiveStyle style_;
  Network::Callback done_;
  std::vector<Channel> channels_;
  std::size_t channels_done_ = 0;
  bool shared_ = false; // some link of it carries other routes too
};

} // namespace trainyard
