// SPDX-License-Identifier: Apache-2.0
// Messages that contend for the links of a star, written for SimGrid alone: what the solver of `fluid` is measured
// against.
#include "tests/bench/simgrid_flows_peer.hpp"

#include "tests/bench/simgrid_star.hpp"

#include <simgrid/kernel/Timer.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace trainyard::bench {
namespace {

double last_end(int hosts, double bandwidth, std::span<const TimedFlow> flows)
{
  const auto engine = exact_simgrid_engine();
  const std::vector<sg::Host*> host = star(*engine, hosts, bandwidth, 0);
  std::vector<sg::CommPtr> alive(flows.size());
  std::size_t ended = 0;
  double end = 0;
  sg::ActorPtr driver = add_actor(*engine, host.front(), [] { sg::this_actor::sleep_until(1e15); });
  sg::Comm::on_completion_cb([&](const sg::Activity&) {
    if (++ended < flows.size())
      return;
    end = sg::Engine::get_clock();
    driver->kill();
  });
  for (std::size_t i = 0; i < flows.size(); ++i)
    simgrid::kernel::timer::Timer::set(flows[i].start, [&, i] {
      alive[i] = sg::Comm::sendto_init(host[static_cast<std::size_t>(flows[i].from)],
                                       host[static_cast<std::size_t>(flows[i].to)]);
      alive[i]->set_payload_size(static_cast<std::uint64_t>(std::llround(flows[i].bytes)));
      start(*alive[i]);
    });
  engine->run();
  return end;
}

} // namespace

double simgrid_flows(int hosts, double bandwidth, std::span<const TimedFlow> flows)
{
  return in_own_process([&] { return last_end(hosts, bandwidth, flows); });
}

} // namespace trainyard::bench
