// SPDX-License-Identifier: Apache-2.0
#include "sim/app/shorthand.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/value_range.hpp"
#include "sim/step/collectives/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace trainyard::app {
namespace {

constexpr const char* usual_network = "25GbE"; // where neither the shorthand nor the GPU's own machines name one

int whole(const std::string& text, const std::string& what, const std::string& all)
{
  const int value = as_number<int>(text).value_or(0);
  if (value < 1)
    throw InputError{fmt::format(
        "'{}': the {} must be a whole number of at least 1, not '{}'; write for example v100x8@4,eth=25Gbit/s", all,
        what, text)};
  return value;
}

/// The network by name or by bandwidth.
void read_network(ClusterShorthand& cluster, const std::string& key, const std::string& value, const std::string& all,
                  const Catalogue& catalogue)
{
  cluster.network = value;
  if (catalogue.links.contains(value))
    return;
  const QuantityText speed = parse_quantity(value, QuantityKind::bandwidth);
  if (!speed)
    throw InputError{
        fmt::format("'{}': '{}' is neither a link of the catalogue nor a bandwidth: {}", all, value, speed.error)};
  for (const auto& [name, link] : catalogue.links)
    if (std::abs(link.bandwidth.value() - speed.value) < 0.01 * speed.value &&
        link.kind == (key == "ib" ? "infiniband" : "ethernet")) {
      cluster.assumed += fmt::format("{}{} is {}", cluster.assumed.empty() ? "" : ", ", value, name);
      cluster.network = name;
      break;
    }
}

/// What stands behind a comma: the network, or the network cards.
void read_part(ClusterShorthand& cluster, const std::string& part, const std::string& all, const Catalogue& catalogue)
{
  const std::size_t equals = part.find('=');
  const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
  if (key == "eth" || key == "ib" || key == "net") {
    read_network(cluster, key, value, all, catalogue);
  } else if (key == "nics") {
    cluster.nics = whole(value, "number of network cards", all);
  } else if (key == "nic") {
    if (const QuantityText rate = parse_quantity(value, QuantityKind::bandwidth); !rate)
      throw InputError{fmt::format("'{}': the rate of a network card: {}", all, rate.error)};
    cluster.nic = value;
  } else {
    throw InputError{fmt::format("'{}': '{}' is neither a network nor its cards; write eth=25Gbit/s, ib=100Gbit/s or "
                                 "net=25GbE, nics=8, nic=400Gbit/s",
                                 all, part)};
  }
}

} // namespace

std::string gpu_by_short_name(const std::string& name, const Catalogue& catalogue)
{
  const std::string wanted = lower_case(name);
  std::vector<std::string> near;
  for (const std::string& known : catalogue.gpu_names()) {
    if (lower_case(known) == wanted)
      return known;
    if (lower_case(known).starts_with(wanted + "-"))
      near.push_back(known);
  }
  for (const std::string& known : near) // the form that fills machines
    if (known.find("SXM") != std::string::npos)
      return known;
  if (!near.empty())
    return near.front();
  const std::string offered = did_you_mean(name, catalogue.gpu_names());
  const char* instance = offered.empty() && name.find('.') != std::string::npos // "p4d.24xlarge"
                             ? "; of a cloud's machine say what is in it, as a100x8@4,eth=100Gbit/s,nics=4"
                             : "";
  throw InputError{fmt::format("unknown GPU '{}'{}; simrun list gpus shows the catalogue{}", name, offered, instance)};
}

ClusterShorthand cluster_shorthand(const std::string& text, const Catalogue& catalogue)
{
  ClusterShorthand cluster;
  const std::size_t comma = text.find(',');
  std::string machine = text.substr(0, comma);
  if (const std::size_t colon = machine.find(':'); colon != std::string::npos) {
    cluster.price = machine.substr(colon + 1);
    machine.resize(colon);
    if (const QuantityText price = parse_quantity(cluster.price, QuantityKind::money_rate); !price)
      throw InputError{fmt::format("'{}': the price: {}", text, price.error)};
  }
  if (const std::size_t at = machine.find('@'); at != std::string::npos) {
    cluster.nodes = whole(machine.substr(at + 1), "number of machines", text);
    machine.resize(at);
  }
  // the last x with digits behind it: "rtx-2080-tix4"
  if (const std::size_t x = machine.rfind('x'); x != std::string::npos && x + 1 < machine.size() &&
                                                std::isdigit(static_cast<unsigned char>(machine[x + 1])) != 0) {
    cluster.gpus = whole(machine.substr(x + 1), "number of GPUs", text);
    machine.resize(x);
  }
  cluster.gpu = gpu_by_short_name(machine, catalogue);
  if (lower_case(machine) != lower_case(cluster.gpu))
    cluster.assumed = fmt::format("{} is {}", machine, cluster.gpu);
  for (std::size_t start = comma == std::string::npos ? text.size() + 1 : comma + 1; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    read_part(cluster, text.substr(start, end - start), text, catalogue);
    start = end + 1;
  }
  if (!cluster.network.empty())
    return cluster;
  const std::string& sold_with = catalogue.gpus.at(cluster.gpu).board.nic;
  if (sold_with.empty())
    cluster.network = usual_network;
  if (cluster.nodes > 1)
    cluster.assumed += fmt::format("{}the network is {}", cluster.assumed.empty() ? "" : ", ",
                                   sold_with.empty() ? usual_network : sold_with);
  return cluster;
}

std::string cluster_yaml(const ClusterShorthand& cluster, int servers)
{
  const std::string cards = (cluster.nics > 0 ? fmt::format(", nics: {}", cluster.nics) : "") +
                            (cluster.nic.empty() ? "" : ", nic_bandwidth: " + cluster.nic);
  const bool named = cluster.network.empty() ||
                     std::isdigit(static_cast<unsigned char>(cluster.network.front())) == 0 ||
                     cluster.network.find("GbE") != std::string::npos;
  return fmt::format("cluster:\n"
                     "  node_types:\n"
                     "    worker: {{gpu: {}, gpus: {}{}, cpu_cores: 64{}}}\n{}"
                     "  nodes:\n"
                     "    - {{name: worker, type: worker, count: {}}}\n{}"
                     "  network: {{topology: star{}}}\n",
                     cluster.gpu, cluster.gpus, cards, cluster.price.empty() ? "" : ", price: " + cluster.price,
                     servers > 0 ? "    server: {cpu_cores: 16}\n" : "", cluster.nodes,
                     servers > 0 ? fmt::format("    - {{name: server, type: server, count: {}}}\n", servers) : "",
                     cluster.network.empty() ? ""
                     : named                 ? ", link: " + cluster.network
                             : fmt::format(", link: {}, bandwidth: {}", usual_network, cluster.network));
}

std::vector<Architecture> architectures(const std::string& text, const std::string& update)
{
  std::vector<Architecture> list;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    start = end + 1;
    if (part.starts_with("ps:")) {
      std::vector<DocumentNode> counts;
      try {
        counts = range_values(command_line_values(part.substr(3)));
      } catch (const std::invalid_argument& fault) {
        throw InputError{fmt::format("--arch {}: {}", part, fault.what())};
      }
      for (const DocumentNode& count : counts) {
        const int servers = whole(count.text, "number of servers", part);
        list.push_back({fmt::format("ps:{}{}", servers, update.empty() ? "" : " " + update),
                        fmt::format("{{mode: parameter_server, servers: {}{}}}", servers,
                                    update.empty() ? "" : ", update_rule: " + update),
                        servers});
      }
      continue;
    }
    std::string name = part == "hier-ring" || part == "hier" ? "hierarchical"
                       : part == "halving-doubling"          ? "halving_doubling"
                                                             : part;
    std::vector<std::string> known;
    for (const std::string& collective : Registry<Collective>::instance().names())
      if (Registry<Collective>::instance().create(collective, {})->supports({.operation = "all_reduce", .ranks = 2}))
        known.push_back(collective);
    if (std::ranges::find(known, name) == known.end()) {
      known.insert(known.end(), {"ps:4", "hier-ring"});
      std::string all;
      for (const std::string& one : known)
        all += (all.empty() ? "" : ", ") + one;
      throw InputError{
          fmt::format("--arch: unknown architecture '{}'{}; choose from {}", part, did_you_mean(part, known), all)};
    }
    list.push_back({part, fmt::format("{{mode: all_reduce, collective: {}}}", name), 0});
  }
  return list;
}

} // namespace trainyard::app
