// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/repeated_run.hpp"
#include "sim/step/engine/tcp_network.hpp"

#include <limits>
#include <utility>

namespace trainyard {
namespace {

/// Bytes that wait at most at each of the links that flows are held back by: only Ethernet loses what is more, and only
/// where its queue is known.
std::vector<double> queues(const Cluster& cluster, const std::vector<int>& links)
{
  std::vector<double> most;
  for (const int link : links) {
    const bool loses = static_cast<std::size_t>(link) < cluster.links().size() &&
                       cluster.link(LinkId{link}).kind == LinkKind::ethernet && cluster.queue() > Bytes{};
    most.push_back(loses ? cluster.queue().value() : std::numeric_limits<double>::infinity());
  }
  return most;
}

/// Which of them are inside a machine.
std::vector<bool> inside(const Cluster& cluster, const std::vector<int>& links)
{
  std::vector<bool> result;
  for (const int link : links)
    result.push_back(static_cast<std::size_t>(link) < cluster.links().size() &&
                     !joins_machines(cluster.link(LinkId{link}).kind));
  return result;
}

/// Programs on their network.
class Connections
{
public:
  Connections(const Cluster& cluster, std::span<const ProgramRun> programs)
      : runner_{cluster, programs, CollectiveStyle::messages, true},
        capacities_{runner_.routes().number_narrow_links()}, network_{capacities_,
                                                                      queues(cluster, runner_.routes().numbered()),
                                                                      Random{cluster.hash_seed()}.stream("losses"),
                                                                      inside(cluster, runner_.routes().numbered())}
  {
  }

  ProgramRunner& runner() { return runner_; }
  const ProgramRunner& runner() const { return runner_; }
  TcpNetwork& network() { return network_; }

private:
  ProgramRunner runner_;
  std::vector<double> capacities_;
  TcpNetwork network_;
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
  bool draws() const override { return true; }
};

TY_REGISTER(
    Executor, Tcp, "tcp",
    "own solver, packet by packet; connections share links by their windows, as those of TCP do; each message of a "
    "collective is sent by itself");

} // namespace
} // namespace trainyard
