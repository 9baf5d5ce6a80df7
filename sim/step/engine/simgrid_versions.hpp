// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <xbt/log.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trainyard {

// SimGrid 3 (Debian 12) and SimGrid 4 (Debian 13) name the same things differently; these are all that we use of them.
#if SIMGRID_VERSION >= 40000

inline simgrid::s4u::NetZone* full_zone(const simgrid::s4u::Engine& engine)
{
  return engine.get_netzone_root()->add_netzone_full("network");
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone* zone, const std::string& name)
{
  return zone->add_host(name, 1e9);
}
inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone* zone, const std::string& name, double bandwidth)
{
  return zone->add_link(name, bandwidth);
}
inline void add_route(simgrid::s4u::NetZone* zone, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                      const std::vector<simgrid::s4u::LinkInRoute>& links)
{
  zone->add_route(from, to, links, false);
}
inline void start(simgrid::s4u::Comm& comm)
{
  comm.start();
}
inline simgrid::s4u::ActorPtr add_actor(simgrid::s4u::Engine& engine, simgrid::s4u::Host* host,
                                        const std::function<void()>& code)
{
  return engine.add_actor("driver", host, code);
}

#else

inline simgrid::s4u::NetZone* full_zone(const simgrid::s4u::Engine&)
{
  return simgrid::s4u::create_full_zone("network");
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone* zone, const std::string& name)
{
  return zone->create_host(name, 1e9);
}
inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone* zone, const std::string& name, double bandwidth)
{
  return zone->create_link(name, bandwidth);
}
inline void add_route(simgrid::s4u::NetZone* zone, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                      const std::vector<simgrid::s4u::LinkInRoute>& links)
{
  zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links, false);
}
inline void start(simgrid::s4u::Comm& comm)
{
  comm.vetoable_start();
}
inline simgrid::s4u::ActorPtr add_actor(simgrid::s4u::Engine&, simgrid::s4u::Host* host,
                                        const std::function<void()>& code)
{
  return simgrid::s4u::Actor::create("driver", host, code);
}

#endif

/// SimGrid in its exact mode: CM02 (no factors on latency and bandwidth), no cross-traffic, no TCP window, shares that
/// do not depend on latencies; it prints only critical messages. One per process: use only inside `in_child`.
///
/// @p everything: at each event it computes all shares again. Else it computes those that the event may have changed,
/// which it looks for by recursion from link to link: around a ring of 100,000 edges that is more than a stack holds.
///
/// Source: SimGrid 3.32, "Configuring SimGrid": network/model, network/crosstraffic, network/TCP-gamma,
/// network/weight-S, network/optim, network/maxmin-selective-update.
inline std::unique_ptr<simgrid::s4u::Engine> exact_simgrid_engine(bool everything = false)
{
  xbt_log_control_set("root.thresh:critical");
  int argc = 1;
  char name[] = "trainyard";
  char* argv[] = {name, nullptr};
  auto engine = std::make_unique<simgrid::s4u::Engine>(&argc, argv);
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:1e12", "network/weight-S:0"})
    simgrid::s4u::Engine::set_config(setting);
  if (everything)
    for (const char* setting : {"network/optim:Full", "network/maxmin-selective-update:no"})
      simgrid::s4u::Engine::set_config(setting);
  return engine;
}

} // namespace trainyard
