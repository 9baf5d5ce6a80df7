// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/tcp_network.hpp"

namespace trainyard {
namespace {

class Tcp final : public Executor
{
public:
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    ProgramRunner runner{cluster, programs, CollectiveStyle::messages};
    runner.share_by_connection();
    TcpNetwork network{runner.routes().number_narrow_links(), cluster.queue().value(),
                       Random{cluster.hash_seed()}.stream("losses")};
    return runner.run(network);
  }
  bool draws() const override { return true; }
};

TY_REGISTER(Executor, Tcp, "tcp",
            "own solver; connections share links by their windows, as those of TCP do, and every message of a "
            "collective is one");

} // namespace
} // namespace trainyard
