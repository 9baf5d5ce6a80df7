// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/child.hpp"
#include "sim/step/engine/simgrid_versions.hpp"

#include <simgrid/s4u.hpp>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace trainyard::bench {

namespace sg = simgrid::s4u;

/// The hosts of a star: each with one link of @p bandwidth (B/s) and @p latency (s) per direction.
inline std::vector<sg::Host*> star(sg::Engine& engine, int hosts, double bandwidth, double latency)
{
#if SIMGRID_VERSION >= 40000
  auto* zone = engine.get_netzone_root()->add_netzone_star("star");
#else
  static_cast<void>(engine);
  auto* zone = sg::create_star_zone("star");
#endif
  std::vector<sg::Host*> made;
  for (int i = 0; i < hosts; ++i) {
    sg::Host* host = add_host(zone, "host" + std::to_string(i))->seal();
#if SIMGRID_VERSION >= 40000
    const sg::SplitDuplexLink* link = zone->add_split_duplex_link("link" + std::to_string(i), bandwidth);
#else
    const sg::SplitDuplexLink* link = zone->create_split_duplex_link("link" + std::to_string(i), bandwidth);
#endif
    const_cast<sg::SplitDuplexLink*>(link)->set_latency(latency)->seal();
#if SIMGRID_VERSION >= 40000
    zone->add_route(host, nullptr, {{link, sg::LinkInRoute::Direction::UP}}, true);
#else
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg::LinkInRoute::Direction::UP}}, true);
#endif
    made.push_back(host);
  }
  zone->seal();
  return made;
}

/// What @p simulation returns in a child process: SimGrid runs once in each.
inline double in_own_process(const std::function<double()>& simulation)
{
  const std::string answer = in_child([&] {
    const double end = simulation();
    std::string text(sizeof end, '\0');
    std::memcpy(text.data(), &end, sizeof end);
    return text;
  });
  double end = 0;
  std::memcpy(&end, answer.data(), sizeof end);
  return end;
}

} // namespace trainyard::bench
