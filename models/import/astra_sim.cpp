// SPDX-License-Identifier: Apache-2.0
#include "models/core/quantity_text.hpp"
#include "models/import/importer.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// Network of ASTRA-sim 2 (analytical back end). Source: ASTRA-sim documentation, "Analytical network backend".
class AstraSim final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return file.has("npus_count:") && file.has("topology:"); }
  std::string description() const override { return "ASTRA-sim network (analytical)"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report))
      read_one(document.root, file, context);
  }

private:
  struct Dimension {
    std::string kind;
    int count = 1;
    double Bps = 0;
    double latency_s = 0;
  };

  static ImportPlace place(const DocumentNode& root, const InputFile& file, const char* key)
  {
    return {file.name(), line_at(root, {key})};
  }

  /// Nothing where they cannot be read; the reason is in the report.
  static std::vector<Dimension> read_dimensions(const DocumentNode& root, const InputFile& file, ImportReport& report)
  {
    const auto item = [&](const char* key, std::size_t i) -> std::string {
      const DocumentNode* list = at(root, {key});
      if (list == nullptr)
        return {};
      return list->kind == DocumentNode::Kind::list ? i < list->items.size() ? list->items[i].text : std::string{}
             : i == 0 ? list->text
                                                    : std::string{};
    };
    const ImportPlace topology = place(root, file, "topology");
    std::vector<Dimension> dimensions;
    double total = 1;
    for (std::size_t i = 0; !item("topology", i).empty() && i < 16; ++i) {
      Dimension one{item("topology", i), static_cast<int>(std::clamp(number_of(item("npus_count", i), 0), 0.0, 1e6)),
                    number_of(item("bandwidth", i), -1) * 1073741824.0, number_of(item("latency", i), -1) * 1e-9};
      if (one.count < 1 || !(one.Bps > 0) || one.Bps > 1e16 || !(one.latency_s >= 0)) {
        report.error(topology, "dimension {} needs npus_count, bandwidth and latency", i + 1);
        return {};
      }
      if (one.kind != "Ring" && one.kind != "Switch" && one.kind != "FullyConnected")
        report.warning(topology, "building block '{}' is not known; it is read as Switch", one.kind);
      total *= one.count;
      report.understood(topology, "dimension {}: {} of {} NPUs, {} GiB/s, {} ns", i + 1, one.kind, one.count,
                        item("bandwidth", i), item("latency", i));
      dimensions.push_back(one);
    }
    if (!dimensions.empty() && total <= 1e6)
      return dimensions;
    report.error({file.name(), root.line},
                 dimensions.empty() ? "the file has no 'topology'" : fmt::format("{:g} NPUs are too many", total));
    return {};
  }

  /// The first dimension as a machine, where it can be one: the GPUs and their wiring.
  static bool is_machine(const std::vector<Dimension>& dimensions)
  {
    return (dimensions.size() > 1 || dimensions.front().kind != "Ring") && dimensions.front().count <= 64;
  }

  static void fill_machine(const Dimension& inner, DraftMachines& machines, const ImportPlace& topology,
                           ImportReport& report)
  {
    machines.gpus = inner.count;
    const double rate = inner.kind == "FullyConnected" ? inner.Bps * (inner.count - 1)
                        : inner.kind == "Ring"         ? inner.Bps * 2
                                                       : inner.Bps;
    machines.intra = fmt::format("nvswitch, generation: 3, links_per_gpu: 1, link_bandwidth: {}, nvlink_latency: {}",
                                 to_text(rate, QuantityKind::bandwidth), seconds_text(inner.latency_s));
    if (inner.kind != "Switch")
      report.assumed("the first dimension is a switch of the same capacity per NPU",
                     {"a {} inside a machine is not modelled", inner.kind}, topology);
    report.assumed("the first dimension is one machine", "it is the fastest, and its NPUs are at most 64", topology);
  }

  static double rate_of(const Dimension& one)
  {
    return one.kind == "FullyConnected" ? one.Bps * (one.count - 1) : one.Bps;
  }

  /// Every NPU has its own link of the next dimension, and nothing between them: a card each, as fast as the link.
  static void fill_cards(const Dimension& next, DraftMachines& machines, const ImportPlace& topology,
                         ImportReport& report)
  {
    machines.nics = machines.gpus;
    machines.nic_bandwidth = to_text(rate_of(next), QuantityKind::bandwidth);
    if (machines.intra.empty())
      machines.intra = "pcie_tree, sockets: 1, switches_per_socket: 1";
    machines.intra += ", pcie_bandwidth: " + to_text(rate_of(next) * machines.gpus, QuantityKind::bandwidth);
    report.understood(topology, "{} of {} out of a machine, one of each NPU", counted(machines.nics, "link"),
                      machines.nic_bandwidth);
  }

  /// The outer dimensions as the network between machines.
  static void fill_network(const std::vector<Dimension>& outer, int gpus, DraftNetwork& network,
                           const ImportPlace& topology, const ImportPlace& bandwidth, ImportReport& report)
  {
    if (outer.empty()) {
      network.link = "100GbE"; // one machine: nothing crosses it
      network.topology = "star";
      report.ignored("a network between machines", "there is one machine", topology);
      return;
    }
    const Dimension& next = outer.front();
    network.bandwidth = to_text(rate_of(next), QuantityKind::bandwidth);
    network.latency = seconds_text(next.latency_s);
    if (std::ranges::all_of(outer, [](const Dimension& one) { return one.kind == "Ring"; })) {
      std::string lengths;
      for (const Dimension& one : outer)
        lengths += fmt::format("{}{}", lengths.empty() ? "" : " ", one.count);
      network.topology = "torus";
      network.settings = {{"dimensions", "\"" + lengths + "\""},
                          {"link_bandwidth", to_text(next.Bps * gpus, QuantityKind::bandwidth)}};
      if (std::ranges::any_of(outer, [&](const Dimension& one) { return one.Bps != next.Bps; }))
        report.assumed("all rings are as fast as the first", "all links of a torus have the same rate here", bandwidth);
    } else if (outer.size() == 1) {
      network.topology = "star";
      if (next.kind == "FullyConnected")
        report.assumed("all-to-all links are one switch with their sum", "links between single pairs are not modelled",
                       topology);
    } else {
      network.topology = "leaf_spine";
      network.settings = {
          {"leaf_ports", std::to_string(next.count)},
          {"oversubscription", fmt::format("{:.6g}", std::clamp(rate_of(next) / rate_of(outer[1]), 0.01, 1000.0))}};
      report.assumed("outer dimensions are leaf and spine switches",
                     "each NPU has a link of its own per dimension there", topology);
      if (outer.size() > 2)
        report.ignored("dimensions beyond the third", "leaf and spine have two", topology);
    }
  }

  static void read_one(const DocumentNode& root, const InputFile& file, ImportContext& context)
  {
    const std::vector<Dimension> dimensions = read_dimensions(root, file, context.report);
    if (dimensions.empty())
      return;
    const ImportPlace topology = place(root, file, "topology");
    const ImportPlace bandwidth = place(root, file, "bandwidth");
    context.report.assumed("bandwidths are GiB/s", "ASTRA-sim writes GB/s and multiplies by 2^30", bandwidth);
    const std::string gpu = context.unknown_gpu(place(root, file, "npus_count"), "the file does not name a device");
    DraftMachines machines{.name = "node", .gpu = gpu, .note = file.name()};
    const bool inside = is_machine(dimensions);
    if (inside)
      fill_machine(dimensions.front(), machines, topology, context.report);
    else
      machines.gpus = 1;
    double total = 1;
    for (const Dimension& one : dimensions)
      total *= one.count;
    machines.count = static_cast<int>(total) / machines.gpus;
    context.draft.network.note = file.name();
    const std::vector<Dimension> outer{dimensions.begin() + (inside ? 1 : 0), dimensions.end()};
    if (!outer.empty())
      fill_cards(outer.front(), machines, topology, context.report);
    fill_network(outer, machines.gpus, context.draft.network, topology, bandwidth, context.report);
    context.draft.machines.push_back(std::move(machines));
    for (const DocumentNode::Entry& entry : root.entries)
      if (entry.key != "topology" && entry.key != "npus_count" && entry.key != "bandwidth" && entry.key != "latency")
        context.report.ignored(entry.key, "not modelled", {file.name(), entry.line});
    context.draft.ask("how fast does all-reduce run on this network?");
  }
};

TY_REGISTER(Importer, AstraSim, "astra-sim", "ASTRA-sim network YAML: dimensions of rings, switches and all-to-all");

} // namespace
} // namespace trainyard
