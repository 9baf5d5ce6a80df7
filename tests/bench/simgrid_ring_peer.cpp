// SPDX-License-Identifier: Apache-2.0
// A ring all-reduce written for SimGrid alone, in the fastest of the forms that were tried (one communication per
// message, everything in completion callbacks, latencies on the links): what `step` has to stand beside.
#include "tests/bench/simgrid_ring_peer.hpp"

#include "tests/bench/simgrid_star.hpp"

#include <simgrid/kernel/Timer.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace trainyard::bench {
namespace {

class Ring
{
public:
  Ring(int ranks, double bytes, double bandwidth, double latency)
      : ranks_{static_cast<std::size_t>(ranks)}, rounds_{2 * (ranks - 1)},
        chunk_{static_cast<std::uint64_t>(bytes / ranks)}, engine_{exact_simgrid_engine()}, sent_(ranks_),
        received_(ranks_), started_(ranks_), alive_(ranks_ * kept)
  {
    hosts_ = star(*engine_, ranks, bandwidth, latency);
    sg::Comm::on_completion_cb([this](const sg::Activity& activity) { completed(&activity); });
  }

  double run()
  {
    driver_ = add_actor(*engine_, hosts_.front(), [] { sg::this_actor::sleep_until(1e15); });
    simgrid::kernel::timer::Timer::set(0.0, [this] {
      for (std::size_t rank = 0; rank < ranks_; ++rank)
        send(rank);
    });
    engine_->run();
    return end_;
  }

private:
  static constexpr std::size_t kept =
      4; // communications per rank that are not destroyed yet: never inside their own callback

  void send(std::size_t rank)
  {
    sg::CommPtr comm = sg::Comm::sendto_init(hosts_[rank], hosts_[(rank + 1) % ranks_]);
    comm->set_payload_size(chunk_);
    rank_of_[comm.get()] = rank;
    alive_[rank * kept + static_cast<std::size_t>(started_[rank]++) % kept] = comm;
    start(*comm);
  }

  void completed(const sg::Activity* activity)
  {
    const auto found = rank_of_.find(activity);
    if (found == rank_of_.end())
      return;
    const std::size_t from = found->second, to = (from + 1) % ranks_;
    rank_of_.erase(found);
    ++sent_[from];
    ++received_[to];
    for (const std::size_t rank : {from, to})
      if (const int round = started_[rank]; sent_[rank] >= round && received_[rank] >= round && round < rounds_)
        send(rank);
    if (sent_[from] == rounds_ && ++done_ == ranks_) {
      end_ = sg::Engine::get_clock();
      driver_->kill();
    }
  }

  std::size_t ranks_;
  int rounds_;
  std::uint64_t chunk_;
  std::unique_ptr<sg::Engine> engine_;
  std::vector<sg::Host*> hosts_;
  std::vector<int> sent_, received_, started_; // rounds, by rank
  std::vector<sg::CommPtr> alive_;
  std::unordered_map<const sg::Activity*, std::size_t> rank_of_;
  sg::ActorPtr driver_;
  std::size_t done_ = 0;
  double end_ = 0;
};

} // namespace

double simgrid_ring(int ranks, double bytes, double bandwidth, double latency)
{
  return in_own_process([&] { return Ring{ranks, bytes, bandwidth, latency}.run(); });
}

} // namespace trainyard::bench
