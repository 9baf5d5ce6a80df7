// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/text.hpp"
#include "models/scenario/reading.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

/// What the machines that a GPU is sold in have, and where that is written.
struct SoldIn {
  Board board;
  std::string source;
};

SoldIn sold_in(const std::string& gpu, const Catalogue& catalogue)
{
  const auto known = catalogue.gpus.find(gpu);
  return {known == catalogue.gpus.end() ? Board{} : known->second.board, "machines with " + gpu};
}

/// A part of the machine has its part of what the machine has.
int share_of(const NodeTypeSpec& type, const Board& board, int whole, int otherwise)
{
  if (whole == 0 || type.gpus == 0)
    return otherwise;
  return std::max(1, board.gpus > type.gpus ? whole * type.gpus / board.gpus : whole);
}

double memory_of(const NodeTypeSpec& type, const Board& board)
{
  if (board.memory.value() <= 0 || type.gpus == 0)
    return 64e9;
  return board.gpus > type.gpus ? board.memory.value() * type.gpus / board.gpus : board.memory.value();
}

std::string wiring_of(const NodeTypeSpec& type, const Board& board)
{
  if (type.gpus == 0)
    return "host_only";
  const bool larger_than_board = board.gpus > 0 && type.gpus > board.gpus && board.intra != "nvswitch";
  return type.gpus == 1 || board.intra.empty() || larger_than_board ? "pcie_tree" : board.intra;
}

/// Settings of the wiring inside a machine; what the file does not say is that of the GPU's own board.
Settings wiring_settings(Fields& keys, const Part& layout, const SoldIn& sold, const std::string& path,
                         Reading& reading)
{
  const Board& board = sold.board;
  const bool generation_said = keys.node()->find("generation") != nullptr;
  std::vector<Parameter> parameters = layout.parameters;
  std::map<std::string, double> numbers_of_board;
  std::map<std::string, std::string> names_of_board;
  for (Parameter& parameter : parameters) {
    std::string value;
    if (parameter.name == "generation" && board.nvlink_generation > 0)
      value = std::to_string(board.nvlink_generation);
    if ((parameter.name == "links_per_gpu" || parameter.name == "links_per_pair") && board.nvlinks > 0 &&
        !generation_said)
      value = std::to_string(board.nvlinks);
    if (parameter.name == "pcie" && !board.pcie.empty() && !generation_said)
      value = board.pcie;
    const BytesPerSecond rate = parameter.name == "peer_bandwidth"                       ? board.peers
                                : parameter.name == "link_bandwidth" && !generation_said ? board.nvlink_bandwidth
                                                                                         : BytesPerSecond{};
    if (rate > BytesPerSecond{})
      value = to_text(rate);
    if (value.empty() || keys.node()->find(parameter.name) != nullptr)
      continue;
    parameter.default_value = value;
    parameter.source = sold.source;
    if (parameter.kind == "name")
      names_of_board[parameter.name] = value;
    else
      numbers_of_board[parameter.name] = rate > BytesPerSecond{} ? rate.value() : as_number<double>(value).value();
  }
  auto [settings, filled] = reading.settings(keys.reader(), keys.node(), parameters, {}, "node layout " + layout.name);
  reading.scenario.defaults.share(path, std::make_shared<const FilledDefaults::Notes>(std::move(filled)));
  for (const auto& [name, number] : numbers_of_board)
    settings.set(name, number);
  for (const auto& [name, text] : names_of_board)
    settings.set(name, text);
  return settings;
}

namespace {

Message cards_without_use(const NodeTypeSpec& type)
{
  static constexpr Sentence<std::int64_t, std::int64_t, std::int64_t> idle_cards{
      "check.idle_cards", "a GPU sends by one network card, so {idle} of the {cards} carry nothing of its collectives; "
                          "for cards that a GPU uses together write 'nics: {gpus}' and their sum as 'nic_bandwidth'"};
  return idle_cards(type.nics - type.gpus, type.nics, type.gpus);
}

} // namespace

/// The power that the GPUs may take (nvidia-smi -pl); one for all machines with the same GPU.
void power_limit_field(Fields& keys, const NodeTypeSpec& type, Reading* reading)
{
  double watts = 0;
  const bool said = keys.custom(
      "power_limit",
      schema::quantity_of(QuantityKind::power, "power that a GPU may take (nvidia-smi -pl): its clock falls", "500 W"),
      [&](const DocumentNode&) { watts = keys.reader().quantity("power_limit", QuantityKind::power, 0, 1); },
      {.otherwise = "that of the board"});
  if (reading == nullptr || !said || watts <= 0)
    return;
  const auto gpu = keys.catalogue().gpus.find(type.gpu);
  if (gpu == keys.catalogue().gpus.end())
    return keys.error("power_limit", "'power_limit' is of a GPU; name it: gpu: H100-SXM5");
  if (watts > gpu->second.power.value())
    return keys.error("power_limit", fmt::format("the {} takes {:g} W at most; give a lower limit, or leave it out",
                                                 type.gpu, gpu->second.power.value()));
  if (watts <= gpu->second.idle_power.value())
    return keys.error("power_limit", fmt::format("the {} takes {:g} W when it is idle; give a higher limit", type.gpu,
                                                 gpu->second.idle_power.value()));
  std::any& section = reading->scenario.sections[power_limits_key];
  if (!section.has_value())
    section = PowerLimits{};
  const auto [known, fresh] = std::any_cast<PowerLimits&>(section).watts.try_emplace(type.gpu, watts);
  if (!fresh && known->second != watts)
    keys.error("power_limit", fmt::format("machines with {0} have two limits, {1:g} and {2:g} W; give one, or a GPU of "
                                          "your own with another name",
                                          type.gpu, known->second, watts));
}

void node_type_fields(Fields& keys, NodeTypeSpec& type, Reading* reading)
{
  const std::string path = "cluster.node_types." + type.name;
  const auto filled = [&](const std::string& key, const std::string& value, const std::string& source) {
    if (reading != nullptr && !keys.has(key))
      reading->filled(path + "." + key, value, source);
  };
  keys.name("gpu", type.gpu, keys.catalogue().gpu_names(), "GPU", "GPU of the catalogue",
            {.otherwise = "the machine has no GPU"});
  type.gpus = type.gpu.empty() ? 0 : 1;
  keys.integer("gpus", type.gpus, "GPUs in the machine",
               {.least = 0, .most = most_gpus_of_a_node, .otherwise = "1 with gpu, else 0"});
  if (type.gpus > 0 && type.gpu.empty())
    keys.error("gpus", "name the GPU, for example gpu: V100-SXM2-16GB; `simrun list gpus` shows all");
  power_limit_field(keys, type, reading);
  const SoldIn sold = sold_in(type.gpu, keys.catalogue());
  const Board& board = sold.board;
  type.intra = wiring_of(type, board);
  keys.choice("intra", type.intra, schema::names(keys.parts(), "node_layout"), "wiring inside the machine",
              {.otherwise = "that of the machines the GPU is sold in; without GPUs host_only"});
  filled("intra", type.intra, board.intra.empty() ? "" : sold.source);
  if (const Part* layout = find_part(keys.parts(), "node_layout", type.intra); layout != nullptr && reading != nullptr)
    type.intra_settings = wiring_settings(keys, *layout, sold, path, *reading);
  type.nics = share_of(type, board, board.nics, 1);
  keys.integer(
      "nics", type.nics, "number of network cards",
      {.least = 1, .most = most_gpus_of_a_node, .otherwise = "that of the machines the GPU is sold in, else 1"});
  if (keys.has("nics") && type.gpus > 0 && type.nics > type.gpus && type.nics % type.gpus != 0)
    reading->warn(*keys.reader().node("nics"), cards_without_use(type));
  keys.quantity("nic_bandwidth", type.nic_bandwidth, "bandwidth of one network card",
                {.example = "25 Gbit/s", .least = 1, .otherwise = "that of the network's link"});
  type.cpu_cores = share_of(type, board, board.cpu_cores, 16);
  keys.integer("cpu_cores", type.cpu_cores,
               "CPU cores: they preprocess samples, and containers and queued jobs share them",
               {.least = 1, .most = 1e5, .otherwise = "those of the machines the GPU is sold in, else 16"});
  filled("nics", std::to_string(type.nics), board.gpus > 0 ? sold.source : "");
  filled("cpu_cores", std::to_string(type.cpu_cores), board.gpus > 0 ? sold.source : "");
  keys.name("cpu", type.cpu, keys.catalogue().cpu_names(), "CPU",
            "CPU of the catalogue; it sets how fast jobs with device: cpu compute", {.otherwise = "not known"});
  keys.quantity("cpu_rate", type.cpu_rate,
                "rate of matrix multiplication on all cores (simcal: cpu_gemm); overrides 'cpu'",
                {.example = "500 GFLOP/s", .least = 1, .otherwise = "that of the CPU"});
  type.memory = Bytes{memory_of(type, board)};
  keys.quantity("memory", type.memory,
                "memory of the host; jobs with device: cpu, containers and queued jobs must fit into it",
                {.example = "64 GB", .least = 1, .otherwise = "that of the machines the GPU is sold in, else 64 GB"});
  filled("memory", to_text(type.memory.value(), QuantityKind::bytes), board.memory.value() > 0 ? sold.source : "");
  keys.quantity("price", type.price, "price of the machine",
                {.example = "3 $/h", .otherwise = "not known, and studies take it from a price list (--prices)"});
  if (keys.properties() != nullptr)
    schema::add_settings(*keys.properties(), keys.parts(), {"node_layout"}, keys.catalogue());
}

void node_group_fields(Fields& keys, NodeGroupSpec& group, const ClusterSpec& cluster)
{
  keys.text("name", group.name, "name of the group", {.required = true});
  keys.text("type", group.type, "name of one of the node_types", {.required = true});
  keys.integer("count", group.count, "number of machines", {.least = 1, .most = 1e6});
  keys.integer("per_rack", group.per_rack, "machines in a rack",
               {.least = 1, .most = 1e6, .otherwise = "set by the topology"});
  if (!group.type.empty() && !cluster.node_types.contains(group.type)) {
    keys.error("type", fmt::format("unknown node type '{}'{}", group.type,
                                   did_you_mean(group.type, keys_of(cluster.node_types))));
  }
  if (!group.name.empty() && std::ranges::find(cluster.nodes, group.name, &NodeGroupSpec::name) != cluster.nodes.end())
    keys.error("name", fmt::format("two node groups have the name '{}'", group.name));
  if (group.name.find_first_of(" ;") != std::string::npos) // tables list machines by their names
    keys.error("name", fmt::format("'{}': a name of machines has no blanks and no ';'", group.name));
}

void wire_fields(Fields& keys, WireSpec& wire)
{
  keys.text("from", wire.from, "name of a switch, node, NIC or group", {.required = true});
  keys.text("to", wire.to, "name of a switch, node, NIC or group", {.required = true});
  keys.name("link", wire.link, keys.catalogue().link_names(), "link", "kind of link", {.otherwise = "the network's"});
  keys.quantity("bandwidth", wire.bandwidth, "bandwidth of one direction; overrides that of the link",
                {.example = "100 Gbit/s", .least = 1, .otherwise = "that of the link"});
  keys.quantity("latency", wire.latency, "latency; overrides that of the link",
                {.example = "1 us", .otherwise = "that of the link"});
  keys.integer("count", wire.count, "number of parallel links", {.least = 1, .most = 1000});
}

/// Without a word, the link that the machines of the GPUs are sold with: of several the slowest, which all can have. So
/// neither the names of the types nor the order of the machines counts.
void assume_link(NetworkSpec& network, Reading& reading)
{
  const auto& links = reading.catalogue.links;
  std::string source;
  for (const NodeGroupSpec& group : reading.scenario.cluster.nodes) {
    const auto type = reading.scenario.cluster.node_types.find(group.type);
    if (type == reading.scenario.cluster.node_types.end() || type->second.gpus <= 0)
      continue;
    const SoldIn sold = sold_in(type->second.gpu, reading.catalogue);
    if (const std::string& link = sold.board.nic;
        links.contains(link) && (network.link.empty() || links.at(link).bandwidth < links.at(network.link).bandwidth)) {
      network.link = link;
      source = sold.source;
    }
  }
  if (network.link.empty())
    network.link = "10GbE";
  reading.filled("cluster.network.link", network.link, source);
}

void topology_settings(Fields& keys, NetworkSpec& network, Reading& reading)
{
  const Part* layout = find_part(keys.parts(), "network_layout", network.topology);
  if (layout == nullptr)
    return;
  std::vector<Parameter> other;
  for (const Part& part : keys.parts().at("network_layout"))
    other.insert(other.end(), part.parameters.begin(), part.parameters.end());
  auto [settings, filled] =
      reading.settings(keys.reader(), keys.node(), layout->parameters, other, "topology " + network.topology);
  network.settings = std::move(settings);
  const auto link = keys.catalogue().links.find(network.link);
  for (FilledDefault& entry : filled)
    if (entry.path == "routing") // auto, which the kind of link decides
      entry.value = link != keys.catalogue().links.end() && link->second.kind == "infiniband" ? "adaptive" : "hashed";
  reading.scenario.defaults.share("cluster.network", std::make_shared<const FilledDefaults::Notes>(std::move(filled)));
}

void tcp_fields(Fields& keys, TcpSpec& tcp)
{
  keys.choice("congestion_control", tcp.congestion_control, schema::names(keys.parts(), "congestion_control"),
              "how windows of connections grow and shrink; with fidelity tcp");
  tcp.queue_told = keys.quantity("queue", tcp.queue,
                                 "bytes that wait at a link at most, before some are lost; with fidelity tcp, and with "
                                 "flow if given: connections of synchronous servers share by their windows then",
                                 {.example = "128 kB", .least = 3e3});
  const bool in_packets = keys.integer("queue_packets", tcp.queue_packets,
                                       "packets of 1,514 B that wait at a link at most; with fidelity tcp, and flow",
                                       {.least = 2, .otherwise = "as many as the queue has bytes for"});
  if (in_packets && tcp.queue_told)
    keys.error("queue_packets", "a queue has a limit in bytes or in packets; leave out 'queue' or 'queue_packets'");
  tcp.queue_told = tcp.queue_told || in_packets;
  keys.quantity("burst", tcp.burst,
                "bytes that pass before a link has its bandwidth; they come back at that rate (token bucket: tc tbf, "
                "network credits of clouds); with fidelity tcp",
                {.example = "10 kB", .otherwise = "none"});
  keys.quantity("burst_bandwidth", tcp.burst_bandwidth, "at which the burst passes",
                {.example = "10 Gbit/s", .least = 1, .otherwise = "at once"});
}

void network_fields(Fields& keys, NetworkSpec& network, Reading* reading)
{
  keys.choice("topology", network.topology, schema::names(keys.parts(), "network_layout"),
              "how the machines are connected");
  keys.name(
      "link", network.link, keys.catalogue().link_names(), "link", "kind of link",
      {.otherwise =
           "of the machines the GPUs are sold in (the slowest), else 10GbE; with a bandwidth: Ethernet of it, 5 us"});
  keys.quantity("bandwidth", network.bandwidth, "bandwidth of the links; overrides the catalogue",
                {.example = "25 Gbit/s", .least = 1, .otherwise = "that of the link"});
  keys.quantity("latency", network.latency, "latency of the links; overrides the catalogue",
                {.example = "5 us", .otherwise = "that of the link"});
  std::string containers = "host";
  keys.choice("containers", containers, {"host", "bridge", "overlay", "calico", "calico_ipip"},
              "network of the containers that train: what it takes of each packet between them (bytes, processor time, "
              "one flow for a tunnel)");
  tcp_fields(keys, network.tcp);
  if (reading != nullptr) {
    if (network.link.empty() && network.bandwidth.value() == 0)
      assume_link(network, *reading);
    topology_settings(keys, network, *reading);
    if (containers != "host")
      network.settings.set("containers", containers);
  }
  keys.texts("switches", network.switches, "switches");
  keys.list<WireSpec>("wires", network.wires, "a link of topology graph", "links between machines and switches",
                      wire_fields, {.what = "a wire"});
  if (schema::Json* properties = keys.properties(); properties != nullptr) {
    schema::add_settings(*properties, keys.parts(), {"network_layout"}, keys.catalogue());
    for (const char* key : {"switches", "wires"})
      (*properties)[key]["x-of"] = schema::Json::array({"graph"});
  }
}

/// Where every GPU has several cards near, NCCL takes them in turn by channel (ncclTopoGetLocalNet in
/// src/graph/topo.cc): one card with the bandwidth of them together. The wires of a graph name each card.
void join_cards_of_gpus(ClusterSpec& cluster, Reading& reading)
{
  const NetworkSpec& network = cluster.network;
  const auto link = reading.catalogue.links.find(network.link);
  for (auto& [name, type] : cluster.node_types) {
    if (type.gpus < 1 || type.nics <= type.gpus || type.nics % type.gpus != 0)
      continue;
    if (network.topology == "graph") {
      if (const DocumentNode* said = find_path(reading.document.root, "cluster.node_types." + name + ".nics"))
        reading.warn(*said, cards_without_use(type));
      continue;
    }
    const BytesPerSecond one = type.nic_bandwidth                      ? *type.nic_bandwidth
                               : network.bandwidth.value() > 0         ? network.bandwidth
                               : link != reading.catalogue.links.end() ? link->second.bandwidth
                                                                       : BytesPerSecond{};
    if (!(one.value() > 0))
      continue; // an error that is reported elsewhere
    const int cards = type.nics / type.gpus;
    type.nic_bandwidth = one * cards;
    type.nics = type.gpus;
    reading.filled("cluster.node_types." + name + ".nic_bandwidth",
                   to_text(type.nic_bandwidth->value(), QuantityKind::bandwidth), "the cards of each GPU together");
  }
}

} // namespace

void cluster_fields(Fields& keys, ClusterSpec& cluster, Reading* reading)
{
  keys.map<NodeTypeSpec>("node_types", cluster.node_types, "node type", "machine types by name", "a machine type",
                         [&](Fields& type, NodeTypeSpec& spec) { node_type_fields(type, spec, reading); },
                         {.required = true});
  keys.list<NodeGroupSpec>("nodes", cluster.nodes, "machines of one type, named <name>-0, <name>-1…",
                           "groups of machines",
                           [&](Fields& group, NodeGroupSpec& spec) { node_group_fields(group, spec, cluster); },
                           {.required = true, .what = "a node group"});
  if (keys.has("nodes") && cluster.nodes.empty())
    keys.error("nodes", "the cluster has no nodes");
  keys.object("network", "network between the machines",
              [&](Fields& network) { network_fields(network, cluster.network, reading); });
  if (reading != nullptr)
    join_cards_of_gpus(cluster, *reading);
}

} // namespace trainyard
