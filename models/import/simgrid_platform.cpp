// SPDX-License-Identifier: Apache-2.0
#include "models/core/quantity_text.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/importer.hpp"
#include "models/import/xml.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    list.push_back(static_cast<int>(std::clamp(number_of(text.substr(at, comma - at), 0), 0.0, 1e6)));
    at = comma + 1;
  }
  return list;
}

std::vector<std::string> parts_of(const std::string& text, char separator)
{
  std::vector<std::string> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

int radical_count(const std::string& radical)
{
  const auto names = expand_hostlist("n[" + radical + "]");
  return names ? static_cast<int>(names->size()) : -1;
}

/// SimGrid platforms of version 3 and 4. Source: SimGrid documentation, "The XML reference".
class SimgridPlatform final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.head().find("<platform") != std::string_view::npos;
  }
  int rank() const override { return 1; }
  std::string description() const override { return "SimGrid platform"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    tinyxml2::XMLDocument xml;
    const XMLElement* platform = parse_xml(xml, file, "platform", context);
    if (platform == nullptr)
      return;
    const std::string version = attribute(*platform, "version");
    if (!version.starts_with("4") && !version.starts_with("3"))
      context.report.warning({file.name(), platform->GetLineNum()},
                             fmt::format("version '{}' of the platform is not known; it is read as 4.1", version));
    Walk walk{file, context, {}, {}, 0};
    walk_children(*platform, walk, 0);
    if (!walk.hosts.empty())
      add_hosts(walk);
    if (context.draft.machines.empty())
      context.report.error({file.name(), platform->GetLineNum()}, "the platform has no hosts");
    if (context.draft.question.empty())
      context.draft.question = "how fast does training run on this platform?";
  }

private:
  struct Walk {
    const InputFile& file;
    ImportContext& context;
    std::map<std::string, std::pair<double, double>> links; // bandwidth, latency
    std::vector<const XMLElement*> hosts;
    int cabinets = 0;
    std::vector<const XMLElement*> routes = {};
    const XMLElement* backbone = nullptr;

    ImportPlace place(const XMLElement& element) const { return {file.name(), element.GetLineNum()}; }
    double value(const XMLElement& element, const char* name, double fallback) const
    {
      const std::string text = attribute(element, name);
      if (text.empty())
        return fallback;
      const double number = simgrid_value(text);
      if (number < 0)
        context.report.error(place(element),
                             fmt::format("'{}' of {} cannot be read: '{}'", name, element.Name(), text));
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
      if (name == "zone" || name == "AS") {
        report.understood(fmt::format("zone {}", attribute(*child, "id")), place);
        walk_children(*child, walk, depth + 1);
      } else if (name == "cluster") {
        add_cluster(*child, walk);
      } else if (name == "cabinet") {
        add_cabinet(*child, walk);
      } else if (name == "host") {
        walk.hosts.push_back(child);
      } else if (name == "link") {
        walk.links[attribute(*child, "id")] = {walk.value(*child, "bandwidth", 0), walk.value(*child, "latency", 0)};
        report.understood("link", place);
      } else if (name == "route" || name == "zoneRoute" || name == "ASroute") {
        walk.routes.push_back(child);
      } else if (name == "backbone") {
        walk.backbone = child;
        for (DraftWire& wire : walk.context.draft.network.wires)
          if (wire.to == "backbone") {
            wire.bandwidth = rate(walk.value(*child, "bandwidth", 1e9));
            wire.latency = seconds_text(walk.value(*child, "latency", 0));
          }
        report.understood(fmt::format("backbone of {}", attribute(*child, "bandwidth")), place);
        report.assumed("the backbone is the uplink of each cabinet",
                       "all cabinets share one link there; traffic inside a cabinet does not use it", place);
      } else if (name != "router" && name != "config" && name != "prop") {
        report.ignored(fmt::format("<{}>", name), "not modelled", place);
      } else {
        report.ignored(fmt::format("<{}>", name), "has no effect here", place);
      }
    }
  }

  static std::string rate(double bytes_per_second) { return to_text(bytes_per_second, QuantityKind::bandwidth); }

  static DraftMachines machines_of(const XMLElement& element, int count, const std::string& name, Walk& walk)
  {
    DraftMachines machines{.name = name, .count = count, .note = to_text(walk.place(element))};
    machines.cpu_cores = std::clamp(number_of(attribute(element, "core"), 1), 1.0, 1e5);
    if (const double speed = walk.value(element, "speed", 0); speed > 0)
      walk.context.draft.core_flops = speed;
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
      walk.context.report.error(walk.place(element),
                                fmt::format("radical '{}' names no hosts", attribute(element, "radical")));
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
    walk.context.report.understood(fmt::format("cabinet of {}", counted(count, "host")), walk.place(element));
    draft.machines.push_back(std::move(machines));
  }

  static void add_cluster(const XMLElement& element, Walk& walk)
  {
    ImportReport& report = walk.context.report;
    const ImportPlace place = walk.place(element);
    const int count = radical_count(attribute(element, "radical"));
    if (count <= 0) {
      report.error(place, fmt::format("radical '{}' names no hosts", attribute(element, "radical")));
      return;
    }
    Draft& draft = walk.context.draft;
    if (!draft.machines.empty()) {
      report.ignored("a further cluster", "one network layout per scenario; the first is used", place);
      return;
    }
    set_links(element, walk);
    std::string name = attribute(element, "prefix");
    while (!name.empty() && (name.back() == '-' || name.back() == '_'))
      name.pop_back();
    draft.machines.push_back(machines_of(element, count, name.empty() ? "host" : name, walk));
    const std::string topology = attribute(element, "topology");
    const std::vector<std::string> parameters = parts_of(attribute(element, "topo_parameters"), ';');
    report.understood(fmt::format("cluster of {}, {}", counted(count, "host"), topology.empty() ? "FLAT" : topology),
                      place);
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
    } else if (topology == "TORUS" && !parameters.empty()) {
      network.topology = "torus";
      network.settings = {{"dimensions", fmt::format("\"{}\"", fmt::join(numbers(parameters[0]), " "))}};
    } else {
      known = topology.empty() || topology == "FLAT";
      network.topology = "star";
      if (const double backbone = walk.value(element, "bb_bw", 0); backbone > 0)
        report.ignored("backbone of the cluster",
                       fmt::format("{} are shared by all; the switch here never blocks", rate(backbone)), place);
    }
    if (!known)
      report.warning(
          place,
          fmt::format("topology '{}' with parameters '{}' is not known; it is replaced by a switch that never blocks",
                      topology, attribute(element, "topo_parameters")));
    for (const char* other : {"loopback_bw", "limiter_link", "sharing_policy"})
      if (!attribute(element, other).empty())
        report.ignored(other, "not modelled", place);
  }

  /// Free hosts: each by the first link of its routes; what is between is one switch.
  static void add_hosts(Walk& walk)
  {
    ImportReport& report = walk.context.report;
    std::map<std::string, std::string> access;
    for (const XMLElement* route : walk.routes) {
      std::string first, last;
      for (const XMLElement* part = route->FirstChildElement("link_ctn"); part != nullptr;
           part = part->NextSiblingElement("link_ctn")) {
        last = attribute(*part, "id");
        if (first.empty())
          first = last;
      }
      if (!first.empty()) {
        access.try_emplace(attribute(*route, "src"), first);
        access.try_emplace(attribute(*route, "dst"), last);
      }
    }
    if (!walk.routes.empty())
      report.assumed("only the first and last link of a route count; the links between them never block",
                     "routes over several links are not followed", walk.place(*walk.routes.front()));
    double narrowest = 0;
    for (const XMLElement* host : walk.hosts) {
      DraftMachines machine = machines_of(*host, 1, attribute(*host, "id"), walk);
      machine.host = true;
      machine.note = walk.file.name();
      if (const auto link = walk.links.find(access[machine.name]); link != walk.links.end() && link->second.first > 0) {
        machine.nic_bandwidth = rate(link->second.first);
        narrowest = std::max(narrowest, link->second.first);
        walk.context.draft.network.latency = seconds_text(link->second.second);
      }
      report.understood("host", walk.place(*host));
      walk.context.draft.machines.push_back(std::move(machine));
    }
    if (narrowest > 0) {
      walk.context.draft.network.bandwidth = rate(narrowest);
      walk.context.draft.link_Bps = narrowest;
    }
    walk.context.draft.network.topology = "star";
  }
};

TY_REGISTER(Importer, SimgridPlatform, "simgrid",
            "SimGrid platform XML: clusters (flat, fat tree, dragonfly, torus), cabinets, hosts, links");

} // namespace
} // namespace trainyard
