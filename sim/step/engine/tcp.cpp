// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/repeated_run.hpp"
#include "sim/step/engine/tcp_and_rdma.hpp"

#include <utility>

namespace trainyard {
namespace {

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
    link.marks_above = tcp.ecn_threshold.value();
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

class Tcp final : public Executor, public RepeatableExecutor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    Connections connections{cluster, programs};
    return connections.runner().run(connections.network());
  }
  /// Losses would be drawn anew, as in a run of its own.
  std::unique_ptr<RepeatedRun> repeated(const Cluster& /*cluster*/, std::span<const ProgramRun> /*programs*/,
                                        KnownWays* /*known*/) const override
  {
    return nullptr;
  }
  std::unique_ptr<EndlessRun> endless(const Cluster& cluster, const StepProgram& program, int back,
                                      StepFactor factor) const override
  {
    auto run = std::make_unique<EndlessTcpRun>(cluster, ProgramRun{&program, Seconds{}});
    return run->begin(back, std::move(factor)) ? std::move(run) : nullptr;
  }
  bool draws(const Cluster& /*cluster*/) const override { return true; }
};

TY_REGISTER(
    Executor, Tcp, "tcp",
    "own solver, packet by packet; connections share links by their windows, as those of TCP do, but what goes over "
    "RDMA equally; each message of a collective is sent by itself");

} // namespace
} // namespace trainyard
