// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/fluid_network.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/tcp_network.hpp"

#include <deque>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Messages of TCP, packet by packet, and messages over RDMA, which share links equally: InfiniBand's credits and
/// Ethernet's pauses (IEEE 802.1Qbb) hold a sender back before a queue is full, so nothing is lost, and there is no
/// window. Where both meet on a link, directly or by way of others, all share equally: how much of a link each of the
/// two gets is a setting of the switch (IEEE 802.1Qaz), which is not known. A connection sends its messages one after
/// another, as TCP and a reliable connection of RDMA do (InfiniBand Architecture, transaction ordering).
class TcpAndRdma final : public Network
{
public:
  /// @p rdma: by link, see RouteTable::met_by_rdma().
  TcpAndRdma(const std::vector<TcpLink>& links, std::vector<bool> rdma, RandomStream chance, std::string control);

  double now() const override { return packets_.now(); }
  void timer(double delay, Callback callback) override { packets_.timer(delay, std::move(callback)); }
  int flow(const FlowRequest& request, Callback done) override;
  void run(const Callback& begin) override;
  /// See TcpNetwork.
  void advance(const bool& stop);

private:
  using Message = std::pair<FlowRequest, Callback>;
  void send(const FlowRequest& request, Callback done);
  void send_first(std::deque<Message>& stream);

  TcpNetwork packets_; // and all timers
  std::vector<bool> rdma_;
  FluidNetwork flows_;
  std::map<std::pair<int, int>, std::deque<Message>> streams_; // by program and connection; their addresses stay
  bool one_ended_ = false;                                     // of the flows, at this instant
};

std::vector<double> rates_of(const std::vector<TcpLink>& links)
{
  std::vector<double> rates;
  rates.reserve(links.size());
  for (const TcpLink& link : links)
    rates.push_back(link.rate);
  return rates;
}

TcpAndRdma::TcpAndRdma(const std::vector<TcpLink>& links, std::vector<bool> rdma, RandomStream chance,
                       std::string control)
    : packets_{links, chance, std::move(control)}, rdma_{std::move(rdma)}, flows_{rates_of(links)}
{
}

int TcpAndRdma::flow(const FlowRequest& request, Callback done)
{
  if (rdma_.empty() || request.links->empty() || !rdma_[static_cast<std::size_t>(request.links->front())])
    return packets_.flow(request, std::move(done));
  if (request.connection < 0) {
    send(request, std::move(done));
    return -1;
  }
  std::deque<Message>& stream = streams_[{request.program, request.connection}];
  stream.emplace_back(request, std::move(done));
  if (stream.size() == 1)
    send_first(stream);
  return -1;
}

void TcpAndRdma::send(const FlowRequest& request, Callback done)
{
  flows_.flow(request, [this, then = std::move(done)] {
    packets_.wait(flows_.now());
    one_ended_ = true;
    then();
  });
}

/// Of a stream, and when it has ended those after it.
void TcpAndRdma::send_first(std::deque<Message>& stream)
{
  send(stream.front().first, [this, &stream] {
    const Callback done = std::move(stream.front().second);
    stream.pop_front();
    if (!stream.empty())
      send_first(stream);
    done();
  });
}

void TcpAndRdma::run(const Callback& begin)
{
  begin();
  const bool to_the_end = false;
  advance(to_the_end);
}

void TcpAndRdma::advance(const bool& stop)
{
  if (rdma_.empty()) {
    packets_.advance(stop);
    return;
  }
  for (;;) {
    const double next = packets_.next();
    if (stop && next > now())
      return;
    one_ended_ = false;
    flows_.advance(next, one_ended_);
    if (one_ended_)
      continue; // what follows from it may come before what was next
    if (next == std::numeric_limits<double>::infinity())
      return;
    packets_.pass(next);
  }
}

/// The links that flows are held back by. Only Ethernet between machines has queues and bursts.
std::vector<TcpLink> tcp_links(const Cluster& cluster, RouteTable& routes)
{
  const TcpSpec& tcp = cluster.tcp();
  const std::vector<double> capacities = routes.number_narrow_links();
  const std::vector<int>& links = routes.numbered();
  std::vector<TcpLink> result;
  for (std::size_t i = 0; i < links.size(); ++i) {
    result.push_back({.rate = capacities[i]});
    if (static_cast<std::size_t>(links[i]) >= cluster.links().size())
      continue;
    TcpLink& link = result.back();
    const LinkKind kind = cluster.link(LinkId{links[i]}).kind;
    link.inside = !joins_machines(kind);
    if (kind != LinkKind::ethernet)
      continue;
    link.counts_segments = tcp.queue_packets > 0;
    if (link.counts_segments)
      link.queue = tcp.queue_packets * segment_on_line;
    else if (tcp.queue > Bytes{})
      link.queue = tcp.queue.value();
    link.burst = tcp.burst.value();
    if (tcp.burst_bandwidth > BytesPerSecond{})
      link.burst_rate = tcp.burst_bandwidth.value();
  }
  return result;
}

/// Programs on their network.
class Connections
{
public:
  Connections(const Cluster& cluster, std::span<const ProgramRun> programs)
      : runner_{cluster, programs, CollectiveStyle::messages, true}, links_{tcp_links(cluster, runner_.routes())},
        network_{links_, runner_.routes().met_by_rdma(), Random{cluster.hash_seed()}.stream("losses"),
                 cluster.tcp().congestion_control}
  {
  }

  ProgramRunner& runner() { return runner_; }
  const ProgramRunner& runner() const { return runner_; }
  TcpAndRdma& network() { return network_; }

private:
  ProgramRunner runner_;
  std::vector<TcpLink> links_;
  TcpAndRdma network_;
};

class EndlessTcpRun final : public EndlessRun
{
public:
  EndlessTcpRun(const Cluster& cluster, const ProgramRun& program) : c_{cluster, {&program, 1}} {}

  bool begin(int back, StepFactor factor)
  {
    if (!c_.runner().go_round(back, std::move(factor)))
      return false;
    c_.runner().begin_all(c_.network());
    return true;
  }

  void go_on(std::size_t steps) override { c_.network().advance(c_.runner().have_ended(steps)); }
  const RoundsDone& done() const override { return c_.runner().rounds_done(); }

  std::pair<StepTrace, std::map<int, Seconds>> some_steps() override
  {
    c_.network().advance(c_.runner().note_steps());
    return c_.runner().noted_steps();
  }

private:
  Connections c_;
};

class Tcp final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    Connections connections{cluster, programs};
    return connections.runner().run(connections.network());
  }
  bool goes_on() const override { return true; }
  std::unique_ptr<EndlessRun> endless(const Cluster& cluster, const StepProgram& program, int back,
                                      const StepFactor& factor) const override
  {
    auto run = std::make_unique<EndlessTcpRun>(cluster, ProgramRun{&program, Seconds{}});
    return run->begin(back, factor) ? std::move(run) : nullptr;
  }
  bool draws(const Cluster& /*cluster*/) const override { return true; }
};

TY_REGISTER(
    Executor, Tcp, "tcp",
    "own solver, packet by packet; connections share links by their windows, as those of TCP do, but what goes over "
    "RDMA equally; each message of a collective is sent by itself");

} // namespace
} // namespace trainyard
