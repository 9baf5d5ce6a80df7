// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/read_hardware.hpp"

#include "models/core/closest.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/catalogue_files.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

std::string word(Provenance provenance)
{
  switch (provenance) {
  case Provenance::measured:
    return "measured";
  case Provenance::fitted:
    return "fitted";
  case Provenance::data_sheet:
    return "data sheet";
  case Provenance::assumed:
    break;
  }
  return "assumed";
}

Provenance provenance(MapReader& reader, Provenance fallback)
{
  const std::string text = reader.choice("provenance", word(fallback), {"measured", "fitted", "data sheet", "assumed"});
  for (const Provenance value : {Provenance::measured, Provenance::fitted, Provenance::data_sheet})
    if (text == word(value))
      return value;
  return Provenance::assumed;
}

template <class Map>
std::vector<std::string> keys(const Map& map)
{
  std::vector<std::string> names;
  for (const auto& [name, value] : map)
    names.push_back(name);
  return names;
}

} // namespace

namespace {

Board read_board(const Document& document, const DocumentNode* node, Diagnostics& diagnostics)
{
  Board board;
  if (node == nullptr)
    return board;
  MapReader reader{document, node, "'board'", diagnostics};
  board.intra = reader.required_text("intra");
  board.nvlink_generation = reader.integer("nvlink_generation", 0, 1, 5);
  board.nvlinks = reader.integer("nvlinks", 0, 1, 64);
  board.pcie = reader.text("pcie", "");
  board.gpus = reader.integer("gpus", 0, 1, most_gpus_of_a_node);
  board.nics = reader.integer("nics", 0, 1, most_gpus_of_a_node);
  board.nic = reader.text("nic", "");
  board.cpu_cores = reader.integer("cpu_cores", 0, 1, 100'000);
  board.memory = Bytes{reader.quantity("memory", QuantityKind::bytes, 0)};
  board.source = reader.required_text("source");
  reader.finish();
  return board;
}

} // namespace

Gpu read_gpu(MapReader& reader, Gpu base)
{
  base.name = reader.text("name", base.name);
  base.description = reader.text("description", base.description);
  base.source = reader.text("source", base.source);
  base.memory = Bytes{reader.quantity("memory", QuantityKind::bytes, base.memory.value(), 1)};
  base.memory_bandwidth =
      BytesPerSecond{reader.quantity("memory_bandwidth", QuantityKind::bandwidth, base.memory_bandwidth.value(), 1)};
  base.compute_efficiency = reader.number("compute_efficiency", base.compute_efficiency, 0.001, 1);
  base.fp32_efficiency = reader.number("fp32_efficiency", base.fp32_efficiency, 0.001, 1);
  base.memory_efficiency = reader.number("memory_efficiency", base.memory_efficiency, 0.001, 1);
  base.kernel_launch = Seconds{reader.quantity("kernel_launch", QuantityKind::duration, base.kernel_launch.value())};
  base.multiprocessors = reader.integer("multiprocessors", base.multiprocessors, 0, 100000);
  base.power = Watts{reader.quantity("power", QuantityKind::power, base.power.value())};
  base.idle_power = Watts{reader.quantity("idle_power", QuantityKind::power, base.idle_power.value())};
  base.provenance = provenance(reader, base.provenance);
  return base;
}

LinkType read_link(MapReader& reader, LinkType base)
{
  base.name = reader.text("name", base.name);
  base.kind = reader.choice("kind", base.kind, {"ethernet", "infiniband", "pcie", "nvlink", "host_memory", "loopback"});
  base.bandwidth = BytesPerSecond{reader.quantity("bandwidth", QuantityKind::bandwidth, base.bandwidth.value(), 1)};
  base.latency = Seconds{reader.quantity("latency", QuantityKind::duration, base.latency.value())};
  base.source = reader.text("source", base.source);
  return base;
}

namespace {

using Supports = std::map<std::pair<std::string, std::string>, std::string>;

/// Reads {cpu: {all_reduce: "yes", …}, gpu: {…}} over what is there.
void read_supports(const Document& document, const DocumentNode* node, Diagnostics& diagnostics, Supports& supports)
{
  if (node == nullptr)
    return;
  MapReader devices{document, node, "'supports'", diagnostics};
  for (const std::string device : {"cpu", "gpu"}) {
    MapReader operations{document, devices.node(device), "'" + device + "'", diagnostics};
    for (const DocumentNode::Entry& entry : operations.entries())
      supports[{entry.key, device}] = operations.choice(entry.key, "yes", {"yes", "no", "?"});
  }
  devices.finish();
}

} // namespace

Transport read_transport(const Document& document, MapReader& reader, Diagnostics& diagnostics, Transport base)
{
  base.name = reader.text("name", base.name);
  base.description = reader.text("description", base.description);
  base.source = reader.text("source", base.source);
  base.latency = Seconds{reader.quantity("latency", QuantityKind::duration, base.latency.value())};
  if (reader.has("efficiency"))
    base.rate = {{Bytes{}, reader.number("efficiency", 1, 1e-6, 1)}};
  if (const auto points = reader.list("rate"); !points.empty()) {
    base.rate.clear();
    for (const DocumentNode* point : points) {
      MapReader item{document, point, "a point of 'rate'", diagnostics};
      base.rate.push_back(
          {Bytes{item.required_quantity("size", QuantityKind::bytes)}, item.number("efficiency", 1, 1e-6, 1)});
      item.finish();
    }
    if (!std::ranges::is_sorted(base.rate, {}, &RatePoint::size))
      reader.error("rate", "the points of 'rate' must be sorted by size");
  }
  base.stream_limit =
      BytesPerSecond{reader.quantity("stream_limit", QuantityKind::bandwidth, base.stream_limit.value(), 1)};
  base.endpoint_limit =
      BytesPerSecond{reader.quantity("endpoint_limit", QuantityKind::bandwidth, base.endpoint_limit.value(), 1)};
  if (reader.has("cpu_time_per_GB"))
    base.cpu_per_byte = SecondsPerByte{reader.quantity("cpu_time_per_GB", QuantityKind::duration, 0) / 1e9};
  base.gpu_direct = reader.flag("gpu_direct", base.gpu_direct);
  if (reader.has("collective"))
    base.settings.set("collective", reader.text("collective", "ring"));
  read_supports(document, reader.node("supports"), diagnostics, base.supports);
  return base;
}

std::vector<std::string> Catalogue::gpu_names() const
{
  return keys(gpus);
}

std::vector<std::string> Catalogue::cpu_names() const
{
  return keys(cpus);
}

std::vector<std::string> Catalogue::link_names() const
{
  return keys(links);
}

std::vector<std::string> Catalogue::transport_names() const
{
  return keys(transports);
}

std::vector<std::string> Catalogue::era_names() const
{
  return keys(eras);
}

void Catalogue::use_era(const std::string& name)
{
  const auto found = eras.find(name);
  if (found == eras.end())
    throw std::invalid_argument{"unknown era '" + name + "'" + did_you_mean(name, era_names())};
  for (auto& [transport, model] : transports)
    if (const auto table = found->second.supports.find(transport); table != found->second.supports.end())
      model.supports = table->second;
}

Catalogue load_catalogue(const std::filesystem::path& folder)
{
  const std::filesystem::path catalogue = folder / "models" / "hardware" / "catalogue";
  Catalogue result;
  Diagnostics diagnostics;
  for (const auto& [kind, chips] : {std::pair{"gpus", &result.gpus}, std::pair{"cpus", &result.cpus}})
    for_each_catalogue_file(
        catalogue / kind, diagnostics,
        [&, chips = chips](const Document& document, MapReader& reader, const std::string& name) {
          Gpu chip = read_gpu(reader);
          chip.board = read_board(document, reader.node("board"), diagnostics);
          MapReader peak{document, reader.node("peak"), "'peak'", diagnostics};
          for (const DocumentNode::Entry& entry : peak.entries())
            chip.peak[entry.key] = FlopsPerSecond{peak.quantity(entry.key, QuantityKind::flops_rate, 0, 1)};
          if (chip.peak.empty())
            reader.error("peak", "a chip needs at least one rate, for example peak: {fp32: 15.7 TFLOP/s}");
          (*chips)[name] = chip;
        });
  for_each_catalogue_file(
      catalogue / "links", diagnostics,
      [&](const Document&, MapReader& reader, const std::string& name) { result.links[name] = read_link(reader); });
  for_each_catalogue_file(catalogue / "transports", diagnostics,
                          [&](const Document& document, MapReader& reader, const std::string& name) {
                            result.transports[name] = read_transport(document, reader, diagnostics);
                          });
  for_each_catalogue_file(
      catalogue / "frameworks", diagnostics, [&](const Document&, MapReader& reader, const std::string& name) {
        result.frameworks[name] = {
            .name = name,
            .description = reader.required_text("description"),
            .product = reader.required_text("product"),
            .from = reader.required_text("from"),
            .host_per_operator = Seconds{reader.required_quantity("host_per_operator", QuantityKind::duration)},
            .precision = reader.choice("precision", "fp32", {"fp32", "tf32", "amp", "fp16", "bf16"}),
            .provenance = provenance(reader, Provenance::assumed),
            .source = reader.text("source", "")};
      });
  for_each_catalogue_file(catalogue / "eras", diagnostics,
                          [&](const Document& document, MapReader& reader, const std::string& name) {
                            Era era{.name = name,
                                    .description = reader.text("description", ""),
                                    .framework = reader.required_text("framework"),
                                    .supports = {},
                                    .source = reader.text("source", "")};
                            if (!era.framework.empty() && !result.frameworks.contains(era.framework))
                              reader.error("framework", "unknown framework '" + era.framework + "'" +
                                                            did_you_mean(era.framework, keys(result.frameworks)));
                            MapReader tables{document, reader.node("supports"), "'supports'", diagnostics};
                            for (const DocumentNode::Entry& entry : tables.entries()) {
                              if (!result.transports.contains(entry.key))
                                tables.error(entry.key, "unknown transport '" + entry.key + "'" +
                                                            did_you_mean(entry.key, result.transport_names()));
                              read_supports(document, tables.node(entry.key), diagnostics, era.supports[entry.key]);
                            }
                            tables.finish();
                            result.eras[name] = era;
                          });
  diagnostics.throw_if_errors();
  if (!result.eras.empty())
    result.use_era(result.eras.rbegin()->first);
  return result;
}

} // namespace trainyard
