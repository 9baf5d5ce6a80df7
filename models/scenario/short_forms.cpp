// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/short_forms.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/other_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>

namespace trainyard {
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
  const MeantEntry meant = link_meant(value, catalogue);
  cluster.network = meant.name.empty() ? value : meant.name;
  if (!meant.name.empty()) {
    if (const std::string told = meant_text(value, meant); !told.empty())
      cluster.assumed += (cluster.assumed.empty() ? "" : ", ") + told;
    return;
  }
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
  const bool named = equals == std::string::npos && !link_meant(part, catalogue).name.empty();
  if (key == "eth" || key == "ib" || key == "net" || named) {
    read_network(cluster, key, named ? part : value, all, catalogue);
  } else if (key == "nics") {
    cluster.nics = whole(value, "number of network cards", all);
  } else if (key == "cores") {
    cluster.cores = whole(value, "number of CPU cores", all);
    cluster.cores_said = true;
  } else if (key == "nic") {
    if (const QuantityText rate = parse_quantity(value, QuantityKind::bandwidth); !rate)
      throw InputError{fmt::format("'{}': the rate of a network card: {}", all, rate.error)};
    cluster.nic = value;
  } else {
    throw InputError{fmt::format("'{}': '{}' is neither a network nor its cards nor CPU cores; write eth=25Gbit/s, "
                                 "ib=100Gbit/s or net=25GbE, nics=8, nic=400Gbit/s, cores=64{}",
                                 all, part, did_you_mean(part, catalogue.link_names()))};
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
  if (const MeantEntry meant = gpu_meant(name, catalogue); !meant.name.empty())
    return meant.name;
  const std::string offered = did_you_mean(name, catalogue.gpu_names());
  const char* instance = offered.empty() && name.find('.') != std::string::npos // "p4d.24xlarge"
                             ? "; of a cloud's machine that is not known say what is in it, as "
                               "a100x8@4,eth=100Gbit/s,nics=4"
                             : "";
  throw InputError{fmt::format("unknown GPU '{}'{}; simrun list gpus shows the catalogue{}{}", name, offered, instance,
                               offered.empty() ? "; " + gpu_description_lines(name, catalogue) : "")};
}

ClusterShorthand cluster_shorthand(const std::string& text, const Catalogue& catalogue)
{
  const std::size_t named = std::min(text.find_first_of("@:,"), text.size());
  if (const std::string known = machine_meant(text.substr(0, named)); !known.empty()) {
    const std::size_t of_text = std::min(text.find(','), text.size()), memory = known.find(':');
    ClusterShorthand made = cluster_shorthand(known.substr(0, memory) + text.substr(named, of_text - named) +
                                                  known.substr(memory) + text.substr(of_text),
                                              catalogue);
    made.assumed = fmt::format("{} is {}", text.substr(0, named), known);
    return made;
  }
  ClusterShorthand cluster;
  const std::size_t comma = text.find(',');
  std::string machine = text.substr(0, comma);
  for (std::size_t colon = machine.rfind(':'); colon != std::string::npos; colon = machine.rfind(':')) {
    const std::string part = machine.substr(colon + 1);
    machine.resize(colon);
    const bool memory = part.ends_with('B') && parse_quantity(part, QuantityKind::bytes);
    if (const QuantityText price = parse_quantity(part, QuantityKind::money_rate); !memory && !price)
      throw InputError{fmt::format("'{}': the price: {}", text, price.error)};
    (memory ? cluster.memory : cluster.price) = part;
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
  return fmt::format(
      "cluster:\n"
      "  node_types:\n"
      "    worker: {{gpu: {}, gpus: {}{}, cpu_cores: {}{}{}}}\n{}"
      "  nodes:\n"
      "    - {{name: worker, type: worker, count: {}}}\n{}"
      "  network: {{topology: star{}}}\n",
      cluster.gpu, cluster.gpus, cards, cluster.cores, cluster.memory.empty() ? "" : ", memory: " + cluster.memory,
      cluster.price.empty() ? "" : ", price: " + cluster.price, servers > 0 ? "    server: {cpu_cores: 16}\n" : "",
      cluster.nodes, servers > 0 ? fmt::format("    - {{name: server, type: server, count: {}}}\n", servers) : "",
      cluster.network.empty() ? ""
      : named                 ? ", link: " + cluster.network
                              : fmt::format(", link: {}, bandwidth: {}", usual_network, cluster.network));
}

namespace {

/// As if all of it stood where @p from stands in the file.
void stand_at(DocumentNode& node, const DocumentNode& from)
{
  node.line = from.line;
  node.column = from.column;
  for (DocumentNode& item : node.items)
    stand_at(item, from);
  for (DocumentNode::Entry& entry : node.entries) {
    entry.line = from.line;
    entry.column = from.column;
    stand_at(entry.value, from);
  }
}

DocumentNode map_node(const DocumentNode& at)
{
  return {.kind = DocumentNode::Kind::map, .line = at.line, .column = at.column};
}

void expand_text(Document& document, DocumentNode& cluster, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  try {
    const ClusterShorthand read = cluster_shorthand(cluster.text, catalogue);
    if (!read.assumed.empty())
      diagnostics.note(document.at(cluster), "assumed: " + read.assumed, document.line_text(cluster.line));
    DocumentNode whole = cluster_node(read);
    stand_at(whole, cluster);
    cluster = std::move(whole);
  } catch (const InputError& error) {
    document.error(diagnostics, cluster, error.diagnostics().front().message);
  }
}

/// {gpu: H100-SXM5, gpus: 8, count: 64} among the nodes becomes a group and a type of its name.
void expand_group(DocumentNode& cluster, DocumentNode& group, std::size_t number)
{
  constexpr std::array of_groups{"name", "type", "count", "per_rack"};
  if (group.kind != DocumentNode::Kind::map || group.find("type") != nullptr ||
      (group.find("gpu") == nullptr && group.find("cpu_cores") == nullptr))
    return;
  const DocumentNode* named = group.find("name");
  const std::string name = named != nullptr ? named->text : number == 0 ? "node" : fmt::format("node{}", number + 1);
  std::string type_name = name;
  while (cluster.find("node_types") != nullptr && cluster.find("node_types")->find(type_name) != nullptr)
    type_name += " of " + name; // a type of that name is somebody else's
  DocumentNode type = map_node(group);
  std::vector<DocumentNode::Entry> kept;
  const auto scalar = [&](const char* key, const std::string& text) {
    DocumentNode value{.kind = DocumentNode::Kind::scalar, .line = group.line, .column = group.column, .text = text};
    kept.push_back({key, group.line, group.column, std::move(value)});
  };
  if (named == nullptr)
    scalar("name", name);
  scalar("type", type_name);
  for (DocumentNode::Entry& entry : group.entries)
    (std::ranges::find(of_groups, entry.key) != of_groups.end() ? kept : type.entries).push_back(std::move(entry));
  group.entries = std::move(kept);
  if (cluster.find("node_types") == nullptr)
    cluster.entries.insert(cluster.entries.begin(), {"node_types", group.line, group.column, map_node(group)});
  cluster.find("node_types")->entries.push_back({type_name, group.line, group.column, std::move(type)});
}

} // namespace

DocumentNode cluster_node(const ClusterShorthand& cluster)
{
  Diagnostics faults;
  DocumentNode node = *parse_document(cluster_yaml(cluster, 0), {}, faults).root.find("cluster");
  if (!cluster.cores_said)
    std::erase_if(node.find("node_types")->entries.front().value.entries,
                  [](const DocumentNode::Entry& entry) { return entry.key == "cpu_cores"; });
  return node;
}

bool has_short_forms(const Document& document)
{
  const DocumentNode* cluster = document.root.find("cluster");
  const DocumentNode* nodes = cluster == nullptr ? nullptr : cluster->find("nodes");
  return cluster != nullptr && ((cluster->kind == DocumentNode::Kind::scalar && !cluster->text.empty()) ||
                                (nodes != nullptr && std::ranges::any_of(nodes->items, [](const DocumentNode& group) {
                                   return group.kind == DocumentNode::Kind::map && group.find("type") == nullptr;
                                 })));
}

void expand_short_forms(Document& document, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  DocumentNode* cluster = document.root.find("cluster");
  if (cluster == nullptr)
    return;
  if (cluster->kind == DocumentNode::Kind::scalar && !cluster->text.empty())
    expand_text(document, *cluster, catalogue, diagnostics);
  const DocumentNode* nodes = cluster->find("nodes");
  for (std::size_t i = 0; nodes != nullptr && i < nodes->items.size(); ++i) {
    DocumentNode group = nodes->items[i];
    expand_group(*cluster, group, i);
    cluster->find("nodes")->items[i] = std::move(group);
    nodes = cluster->find("nodes");
  }
}

} // namespace trainyard
