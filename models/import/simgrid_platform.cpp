// SPDX-License-Identifier: Apache-2.0
#include "models/core/pieces.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/importer.hpp"
#include "models/import/xml.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>

namespace trainyard {
namespace {

using tinyxml2::XMLElement;

/// "125MBps", "56Gbps", "2GiBps" in bytes per second; "3Gf" in flop/s; "50us" in seconds. Below 0 where it cannot be
/// read.
double simgrid_value(const std::string& text)
{
  std::size_t digits = 0;
  while (
      digits < text.size() && std::string_view{"0123456789.eE+-"}.find(text[digits]) != std::string_view::npos &&
      !(digits > 0 && text[digits] == 'E' && digits + 1 < text.size() && text[digits + 1] == 'f')) // "1Ef" is exaflop
    ++digits;
  double value = number_of(text.substr(0, digits), -1);
  std::string unit = text.substr(digits);
  if (value < 0)
    return -1;
  const auto cut = [&](const char* end) {
    if (!unit.ends_with(end))
      return false;
    unit.resize(unit.size() - std::string_view{end}.size());
    return true;
  };
  if (cut("Bps") || cut("flops") || cut("f")) {
  } else if (cut("bps")) {
    value /= 8;
  } else if (cut("s") || unit == "m" || unit == "h" || unit == "d" || unit == "w") { // times: ps ns us ms s m h d w
    static const std::map<std::string, double> times = {{"", 1},     {"p", 1e-12}, {"n", 1e-9},
                                                        {"u", 1e-6}, {"m", 1e-3},  {"min", 60},
                                                        {"h", 3600}, {"d", 86400}, {"w", 604800}};
    const auto found = times.find(unit);
    return found == times.end() ? -1 : value * (text.ends_with('m') ? 60.0 : found->second);
  }
  static const std::map<std::string, double> prefixes = {{"", 1},
                                                         {"k", 1e3},
                                                         {"M", 1e6},
                                                         {"G", 1e9},
                                                         {"T", 1e12},
                                                         {"P", 1e15},
                                                         {"E", 1e18},
                                                         {"Ki", 1024.0},
                                                         {"Mi", 1048576.0},
                                                         {"Gi", 1073741824.0},
                                                         {"Ti", 1099511627776.0}};
  const auto found = prefixes.find(unit);
  return found == prefixes.end() ? -1 : value * found->second;
}

std::vector<int> numbers(const std::string& text)
{
  std::vector<int> list;
  for (const std::string& part : split(text, ','))
    list.push_back(static_cast<int>(std::clamp(number_of(part, 0), 0.0, 1e6)));
  return list;
}

int radical_count(const std::string& radical)
{
  const auto names = expand_hostlist("n[" + radical + "]");
  return names ? static_cast<int>(names->size()) : -1;
}

/// Elements, and attributes with or without their element, which say the same of all others. Source: SimGrid
/// documentation, "The XML reference".
constexpr std::array simgrid_keys{
    KeyFate{"zone AS cluster cabinet host peer link host_link route zoneRoute ASroute backbone zone.id AS.id "
            "cluster.id cluster.prefix cluster.radical cluster.speed cluster.core cluster.pstate cluster.bw "
            "cluster.lat cluster.topology cluster.topo_parameters cluster.bb_bw cabinet.id cabinet.prefix "
            "cabinet.radical cabinet.speed cabinet.core cabinet.pstate cabinet.bw cabinet.lat host.id host.speed "
            "host.core host.pstate peer.id peer.speed peer.core peer.pstate peer.bw_in peer.bw_out peer.lat link.id "
            "link.bandwidth link.latency host_link.id host_link.up route.src route.dst route.link_ctn zoneRoute.src "
            "zoneRoute.dst zoneRoute.link_ctn ASroute.src ASroute.dst ASroute.link_ctn backbone.id "
            "backbone.bandwidth backbone.latency",
            used_key},
    KeyFate{"sharing_policy symmetrical down direction", "a link carries its rate in each direction"},
    KeyFate{"bb_lat bb_sharing_policy limiter_link loopback_bw loopback_lat loopback_sharing_policy router_id",
            "a host has one link to a switch that never blocks"},
    KeyFate{"gw_src gw_dst routing bypassRoute bypassASroute bypassZoneRoute",
            "messages go the shortest way through the graph of links"},
    KeyFate{"coordinates", "latencies are those of the links"},
    KeyFate{"availability_file speed_file",
            "rates do not change with time; section faults has machines that slow down"},
    KeyFate{"state_file", "nothing fails by itself; section faults has failures"},
    KeyFate{"bandwidth_file", "rates do not change with time; section faults has links that slow down"},
    KeyFate{"latency_file trace trace_connect", "rates do not change with time"},
    KeyFate{"prop", "it is for SimGrid's plug-ins"},
    KeyFate{"disk mount storage storage_type", "jobs read no files; a job's input has the rate of its storage"},
    KeyFate{"include", "the other file is not read: give its elements in this one"},
    KeyFate{"suffix router config random", "has no effect here"}};

/// SimGrid platforms of version 3 and 4. Source: SimGrid documentation, "The XML reference".
class SimgridPlatform final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return file.has("<platform"); }
  int rank() const override { return 1; }
  std::string description() const override { return "SimGrid platform"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"<platform version=\"4.1\"><zone id=\"z\"><host id=\"a\" speed=\"1Gf\" KEY=\"7\"/></zone></platform>",
             simgrid_keys}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    tinyxml2::XMLDocument xml;
    const XMLElement* platform = parse_xml(xml, file, "platform", context);
    if (platform == nullptr)
      return;
    const std::string version = attribute(*platform, "version");
    if (!version.starts_with("4") && !version.starts_with("3"))
      context.report.warning({file.name(), platform->GetLineNum()},
                             "version '{}' of the platform is not known; it is read as 4.1", version);
    Walk walk{file, context};
    walk_children(*platform, walk, 0);
    if (!walk.hosts.empty() || walk.clusters.size() > 1)
      add_zones(walk);
    if (walk.fastest > walk.slowest)
      context.report.assumed(
          {"all cores compute {:g} Gflop/s", walk.slowest / 1e9},
          {"the hosts have {:g} to {:g}, and the slowest sets a step of all", walk.slowest / 1e9, walk.fastest / 1e9});
    if (context.draft.machines.empty())
      context.report.error({file.name(), platform->GetLineNum()}, "the platform has no hosts");
    context.draft.ask("how fast does training run on this platform?");
  }

private:
  using Access = std::pair<double, double>; // bandwidth, latency; bandwidth 0: not known

  struct Zone {
    std::string id;
    std::size_t inside = 0; // the zone around it; of the outermost: itself
  };
  struct Host {
    const XMLElement* element;
    std::string id;
    std::size_t zone;
    Access access;
  };
  struct Route {
    const XMLElement* element;
    std::string src, dst;
    std::vector<std::string> links;
  };

  struct Walk {
    const InputFile& file;
    ImportContext& context;
    std::map<std::string, Access> links = {};
    std::vector<Zone> zones = {};
    std::size_t zone = 0; // that is read
    std::vector<Host> hosts = {};
    std::vector<Route> routes = {};
    struct Cluster {
      std::size_t zone = 0;
      std::size_t machines = 0; // of the draft
      double bandwidth = 0;
    };
    std::vector<Cluster> clusters = {};
    int cabinets = 0;
    const XMLElement* backbone = nullptr;
    double slowest = 0, fastest = 0;

    ImportPlace place(const XMLElement& element) const { return {file.name(), element.GetLineNum()}; }
    double value(const XMLElement& element, const char* name, double fallback) const
    {
      const std::string text = attribute(element, name);
      if (text.empty())
        return fallback;
      const double number = simgrid_value(text);
      if (number < 0)
        context.report.error(place(element), "'{}' of {} cannot be read: '{}'", name, element.Name(), text);
      return std::max(number, 0.0);
    }
  };

  static void walk_children(const XMLElement& parent, Walk& walk, int depth)
  {
    if (depth > 60)
      return;
    ImportReport& report = walk.context.report;
    for (const XMLElement* child = parent.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      const ImportPlace place = walk.place(*child);
      const bool zone = name == "zone" || name == "AS";
      if (zone || fate_of(name, simgrid_keys) == used_key)
        tell_rest(*child, walk, !zone);
      if (zone) {
        report.understood(place, "zone {}", attribute(*child, "id"));
        const std::size_t around = walk.zone;
        walk.zone = walk.zones.size();
        walk.zones.push_back({attribute(*child, "id"), walk.zones.empty() ? 0 : around});
        walk_children(*child, walk, depth + 1);
        walk.zone = around;
      } else if (name == "cluster") {
        add_cluster(*child, walk);
      } else if (name == "cabinet") {
        add_cabinet(*child, walk);
      } else if (name == "host" || name == "peer") {
        Host host{child, attribute(*child, "id"), walk.zone, {}};
        if (name == "peer") // it has its link in itself
          host.access = {std::min(walk.value(*child, "bw_in", 0), walk.value(*child, "bw_out", 1e300)),
                         walk.value(*child, "lat", 0)};
        walk.hosts.push_back(std::move(host));
      } else if (name == "link") {
        walk.links[attribute(*child, "id")] = {walk.value(*child, "bandwidth", 0), walk.value(*child, "latency", 0)};
        report.understood("link", place);
      } else if (name == "host_link") {
        walk.routes.push_back({child, attribute(*child, "id"), "", {attribute(*child, "up")}});
        report.understood("link of a host", place);
      } else if (name == "route" || name == "zoneRoute" || name == "ASroute") {
        Route route{child, attribute(*child, "src"), attribute(*child, "dst"), {}};
        for (const XMLElement* part = child->FirstChildElement("link_ctn"); part != nullptr;
             part = part->NextSiblingElement("link_ctn"))
          route.links.push_back(attribute(*part, "id"));
        walk.routes.push_back(std::move(route));
        report.understood(name == "route" ? "route" : "route between zones", place);
      } else if (name == "backbone") {
        walk.backbone = child;
        for (DraftWire& wire : walk.context.draft.network.wires)
          if (wire.to == "backbone") {
            wire.bandwidth = rate(walk.value(*child, "bandwidth", 1e9));
            wire.latency = seconds_text(walk.value(*child, "latency", 0));
          }
        report.understood(place, "backbone of {}", attribute(*child, "bandwidth"));
        report.assumed("the backbone is the uplink of each cabinet",
                       "all cabinets share one link there; traffic inside a cabinet does not use it", place);
      } else {
        report.ignored({"<{}>", name}, fate_of(name, simgrid_keys, "not modelled"), place);
      }
    }
  }

  /// Attributes that nothing is made of, and what stands inside of an element (of a zone: not).
  static void tell_rest(const XMLElement& element, const Walk& walk, bool inside = true)
  {
    const auto tell = [&](std::string_view name, int line) {
      const std::string_view why = fate_of(name, simgrid_keys, "not modelled");
      if (fate_of(fmt::format("{}.{}", element.Name(), name), simgrid_keys, why) != used_key)
        walk.context.report.ignored({"{} of {}", name, element.Name()}, why, {walk.file.name(), line});
    };
    for (const tinyxml2::XMLAttribute* one = element.FirstAttribute(); one != nullptr; one = one->Next())
      tell(one->Name(), one->GetLineNum());
    for (const XMLElement* child = element.FirstChildElement(); inside && child != nullptr;
         child = child->NextSiblingElement())
      tell(child->Name(), child->GetLineNum());
  }

  static std::string rate(double bytes_per_second) { return to_text(bytes_per_second, QuantityKind::bandwidth); }

  /// "8Gf,4Gf": the speeds of the states of power, of which `pstate` is the one at the start. Source: SimGrid, "XML
  /// reference", host.
  static double speed_of(const XMLElement& element, Walk& walk)
  {
    const std::vector<std::string> speeds = split(attribute(element, "speed"), ',');
    const auto state = static_cast<std::size_t>(std::clamp(number_of(attribute(element, "pstate"), 0), 0.0, 1e6));
    const std::string& text = speeds[std::min(state, speeds.size() - 1)];
    const double speed = text.empty() ? 0 : simgrid_value(text.substr(0, text.find_last_not_of(" ") + 1));
    if (speeds.size() > 1)
      walk.context.report.understood(walk.place(element), "state of power {} of {}: {}",
                                     std::min(state, speeds.size() - 1), counted(speeds.size(), "state"), text);
    if (speed < 0)
      walk.context.report.error(walk.place(element), "'speed' of {} cannot be read: '{}'", element.Name(),
                                attribute(element, "speed"));
    return std::max(speed, 0.0);
  }

  static DraftMachines machines_of(const XMLElement& element, int count, const std::string& name, Walk& walk)
  {
    DraftMachines machines{.name = name, .count = count, .note = to_text(walk.place(element))};
    machines.cpu_cores = std::clamp(number_of(attribute(element, "core"), 1), 1.0, 1e5);
    if (const double speed = speed_of(element, walk); speed > 0) {
      walk.slowest = walk.slowest > 0 ? std::min(walk.slowest, speed) : speed;
      walk.fastest = std::max(walk.fastest, speed);
      walk.context.draft.core_flops = walk.slowest;
    }
    return machines;
  }

  static void set_links(const XMLElement& element, Walk& walk)
  {
    DraftNetwork& network = walk.context.draft.network;
    const double bandwidth = walk.value(element, "bw", 0), latency = walk.value(element, "lat", 0);
    if (bandwidth > 0) {
      network.bandwidth = rate(bandwidth);
      walk.context.draft.link_Bps = bandwidth;
    }
    network.latency = seconds_text(latency);
    network.note = to_text(walk.place(element));
  }

  static void add_cabinet(const XMLElement& element, Walk& walk)
  {
    const int count = radical_count(attribute(element, "radical"));
    if (count <= 0) {
      walk.context.report.error(walk.place(element), "radical '{}' names no hosts", attribute(element, "radical"));
      return;
    }
    set_links(element, walk);
    Draft& draft = walk.context.draft;
    const std::string prefix = attribute(element, "prefix");
    DraftMachines machines = machines_of(element, count, prefix.empty() ? "host" : prefix, walk);
    machines.parent = fmt::format("cabinet-{}", walk.cabinets++);
    draft.network.switches.push_back(machines.parent);
    draft.network.wires.push_back({.from = machines.parent, .to = "backbone", .count = 1, .note = machines.note});
    if (std::ranges::find(draft.network.switches, "backbone") == draft.network.switches.end())
      draft.network.switches.insert(draft.network.switches.begin(), "backbone");
    walk.context.report.understood(walk.place(element), "cabinet of {}", counted(count, "host"));
    draft.machines.push_back(std::move(machines));
  }

  static void add_cluster(const XMLElement& element, Walk& walk)
  {
    ImportReport& report = walk.context.report;
    const ImportPlace place = walk.place(element);
    const int count = radical_count(attribute(element, "radical"));
    if (count <= 0) {
      report.error(place, "radical '{}' names no hosts", attribute(element, "radical"));
      return;
    }
    Draft& draft = walk.context.draft;
    walk.clusters.push_back({walk.zones.size(), draft.machines.size(), walk.value(element, "bw", 0)});
    walk.zones.push_back({attribute(element, "id"), walk.zone});
    set_links(element, walk);
    std::string name = attribute(element, "prefix");
    while (!name.empty() && (name.back() == '-' || name.back() == '_'))
      name.pop_back();
    draft.machines.push_back(machines_of(element, count, name.empty() ? "host" : name, walk));
    draft.machines.back().nic_latency = seconds_text(walk.value(element, "lat", 0)); // for a graph of zones
    const std::string topology = attribute(element, "topology");
    const std::vector<std::string> parameters = split(attribute(element, "topo_parameters"), ';');
    report.understood(place, "cluster of {}, {}", counted(count, "host"), topology.empty() ? "FLAT" : topology);
    DraftNetwork& network = draft.network;
    bool known = true;
    if (topology == "FAT_TREE" && parameters.size() == 4) {
      std::vector<int> up = numbers(parameters[2]);
      const std::vector<int> cables = numbers(parameters[3]);
      for (std::size_t i = 0; i < std::min(up.size(), cables.size()); ++i)
        if (cables[i] > 1) {
          up[i] *= cables[i];
          report.assumed("each parallel cable leads to a switch of its own",
                         "bundles of cables are not modelled; the capacity is the same", place);
        }
      network.topology = "fat_tree";
      network.settings = {{"down", fmt::format("\"{}\"", fmt::join(numbers(parameters[1]), " "))},
                          {"up", fmt::format("\"{}\"", fmt::join(up, " "))}};
    } else if (topology == "DRAGONFLY" && parameters.size() == 4) {
      const std::vector<int> groups = numbers(parameters[0] + ",1"), chassis = numbers(parameters[1] + ",1"),
                             routers = numbers(parameters[2] + ",1");
      const int per_group = std::max(1, chassis[0] * routers[0]);
      const double bandwidth = walk.value(element, "bw", 1e9);
      network.topology = "dragonfly";
      network.settings = {{"ports", std::to_string(std::max(1, numbers(parameters[3] + ",1")[0]))},
                          {"routers", std::to_string(per_group)},
                          {"groups", std::to_string(std::max(1, groups[0]))}};
      const int global = std::max(1, (groups[0] - 1 + per_group - 1) / per_group);
      network.settings.emplace_back("global_links", std::to_string(global));
      // SimGrid joins each pair of groups by one bundle; ours has `global` links per router: the same capacity out of a
      // group.
      const double total = std::max(1, groups[0] - 1) * std::max(1, groups[1]) * bandwidth;
      network.settings.emplace_back("global_bandwidth", rate(total / (per_group * global)));
      report.assumed("routers of a group are all joined", "chassis are not modelled", place);
      if (chassis[1] > 1 || routers[1] > 1)
        report.ignored(
            {"bundles of links: {} between chassis, {} between routers of a chassis", chassis[1], routers[1]},
            "two routers of a group have one link here, of the rate of the hosts' links", place);
    } else if (topology == "TORUS" && !parameters.empty()) {
      network.topology = "torus";
      network.settings = {{"dimensions", fmt::format("\"{}\"", fmt::join(numbers(parameters[0]), " "))}};
    } else {
      known = topology.empty() || topology == "FLAT";
      network.topology = "star";
      if (const double backbone = walk.value(element, "bb_bw", 0); backbone > 0)
        report.ignored("backbone of the cluster",
                       {"{} are shared by all; the switch here never blocks", rate(backbone)}, place);
    }
    if (!known)
      report.warning(place,
                     "topology '{}' with parameters '{}' is not known; it is replaced by a switch that never blocks",
                     topology, attribute(element, "topo_parameters"));
  }

  /// Links that stand in all routes of a host are its own.
  static std::map<std::string, std::set<std::string>> own_links(const Walk& walk)
  {
    std::map<std::string, std::set<std::string>> own;
    for (const Route& route : walk.routes) {
      const std::set<std::string> here{route.links.begin(), route.links.end()};
      for (const std::string& end : {route.src, route.dst})
        if (const auto [found, fresh] = own.try_emplace(end, here); !fresh)
          std::erase_if(found->second, [&](const std::string& link) { return !here.contains(link); });
    }
    for (const auto& [zone, machines, bandwidth] : walk.clusters) // their hosts have links of their own
      own.erase(walk.zones[zone].id);
    return own;
  }

  /// The narrowest link of a route, and the latency of them all; @p to: of the part of one end against the other.
  static Access along(const Route& route, const Walk& walk, const std::function<double(const std::string&)>& part)
  {
    Access all{0, 0};
    for (const std::string& id : route.links) {
      auto link = walk.links.find(id);
      if (link == walk.links.end() && (id.ends_with("_UP") || id.ends_with("_DOWN"))) // the two ways of SPLITDUPLEX
        link = walk.links.find(id.substr(0, id.rfind('_')));
      if (link == walk.links.end()) {
        walk.context.report.error(walk.place(*route.element), "there is no link '{}'", id);
        continue;
      }
      all.first = all.first > 0 ? std::min(all.first, link->second.first) : link->second.first;
      all.second += part(id) * link->second.second;
    }
    return all;
  }

  /// What joins a host to the others: the widest of its routes by their narrowest links, with its own links and a half
  /// of those that are nobody's own.
  static Access access_of(const std::string& id, const Walk& walk,
                          const std::map<std::string, std::set<std::string>>& own)
  {
    Access best{0, 0};
    for (const Route& route : walk.routes) {
      if (route.src != id && route.dst != id)
        continue;
      const std::string& other = route.src == id ? route.dst : route.src;
      const auto owns = [&](const std::string& end, const std::string& link) {
        const auto found = own.find(end);
        return found != own.end() && found->second.contains(link);
      };
      const Access access = along(route, walk, [&](const std::string& link) {
        const bool mine = owns(id, link), others = owns(other, link);
        return other.empty() || (mine && !others) ? 1.0 : others && !mine ? 0.0 : 0.5;
      });
      if (access.first > best.first || (access.first == best.first && access.second < best.second))
        best = access;
    }
    return best;
  }

  static std::string switch_of(const Zone& zone)
  {
    std::string name = zone.id + "-switch"; // a zone may be called as its hosts
    std::ranges::replace(name, ' ', '-');
    return name;
  }

  /// Zones with hosts become switches, routes between zones wires; in one zone without differences a star remains.
  static void add_zones(Walk& walk)
  {
    ImportReport& report = walk.context.report;
    Draft& draft = walk.context.draft;
    DraftNetwork& network = draft.network;
    if (walk.zones.empty())
      walk.zones.push_back({"platform", 0});
    const auto own = own_links(walk);
    std::map<std::string, Access> outside; // of zones
    for (const Zone& zone : walk.zones)
      outside[zone.id] = access_of(zone.id, walk, own);
    std::set<std::size_t> inhabited;
    std::set<std::string> latencies;
    double widest = 0;
    for (Host& host : walk.hosts) {
      DraftMachines machine = machines_of(*host.element, 1, host.id, walk);
      machine.host = true;
      machine.note = walk.file.name();
      if (host.access.first == 0)
        host.access = access_of(host.id, walk, own);
      for (std::size_t zone = host.zone; host.access.first == 0; zone = walk.zones[zone].inside) {
        host.access.first = outside[walk.zones[zone].id].first; // its wire is no narrower than that of its zone
        if (walk.zones[zone].inside == zone)
          break;
      }
      if (host.access.first > 0)
        machine.nic_bandwidth = rate(host.access.first);
      machine.nic_latency = seconds_text(host.access.second);
      latencies.insert(machine.nic_latency);
      widest = std::max(widest, host.access.first);
      inhabited.insert(host.zone);
      machine.parent = switch_of(walk.zones[host.zone]);
      report.understood("host", walk.place(*host.element));
      draft.machines.push_back(std::move(machine));
    }
    for (const auto& [zone, at, bandwidth] : walk.clusters) {
      inhabited.insert(zone);
      draft.machines[at].parent = switch_of(walk.zones[zone]);
      draft.machines[at].nic_bandwidth = bandwidth > 0 ? rate(bandwidth) : "";
      widest = std::max(widest, bandwidth);
      if (network.topology != "star")
        report.assumed({"cluster {} has one switch that never blocks", walk.zones[zone].id},
                       "the platform has further hosts, and only single clusters keep their topology");
    }
    if (inhabited.size() == 1 && latencies.size() == 1 && network.switches.empty()) { // cabinets are switches
      for (DraftMachines& machine : draft.machines)
        machine.parent.clear();
      network.topology = "star";
      network.latency = *latencies.begin();
    } else {
      draw_graph(walk, inhabited);
    }
    if (widest > 0) {
      network.bandwidth = rate(widest);
      draft.link_Bps = widest;
    }
    if (!walk.routes.empty())
      report.assumed("a link that several routes share carries each of them at its full rate",
                     "a route becomes the narrowest of its links", walk.place(*walk.routes.front().element));
  }

  static void draw_graph(Walk& walk, const std::set<std::size_t>& inhabited)
  {
    DraftNetwork& network = walk.context.draft.network;
    network.topology = "graph";
    network.settings.clear();
    std::set<std::size_t> used = inhabited;
    std::set<std::pair<std::size_t, std::size_t>> known;
    std::set<std::size_t> joined;
    const auto zone_of = [&](const std::string& id) {
      return static_cast<std::size_t>(std::ranges::find(walk.zones, id, &Zone::id) - walk.zones.begin());
    };
    for (const Route& route : walk.routes) {
      const std::size_t from = zone_of(route.src), to = zone_of(route.dst);
      if (std::max(from, to) >= walk.zones.size() || from == to || !known.insert(std::minmax(from, to)).second)
        continue;
      used.insert({from, to});
      joined.insert({from, to});
      const Access all = along(route, walk, [](const std::string&) { return 1.0; });
      network.wires.push_back({.from = switch_of(walk.zones[from]),
                               .to = switch_of(walk.zones[to]),
                               .bandwidth = all.first > 0 ? rate(all.first) : "",
                               .latency = seconds_text(all.second),
                               .note = to_text(walk.place(*route.element))});
    }
    for (const std::size_t zone : used) { // one inside of another with hosts, without a route, is at its switch
      const std::size_t around = walk.zones[zone].inside;
      if (around != zone && used.contains(around) && !joined.contains(zone))
        network.wires.push_back({.from = switch_of(walk.zones[zone]), .to = switch_of(walk.zones[around]), .count = 0});
    }
    for (const std::size_t zone : used)
      network.switches.push_back(switch_of(walk.zones[zone]));
  }
};

TY_REGISTER(Importer, SimgridPlatform, "simgrid",
            "SimGrid platform XML: clusters (flat, fat tree, dragonfly, torus), cabinets, hosts, links");

} // namespace
} // namespace trainyard
