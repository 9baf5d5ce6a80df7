// SPDX-License-Identifier: Apache-2.0

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/cost/mpi_decisions.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/hardware/measured_rates.hpp"
#include "models/hardware/provenance_text.hpp"
#include "models/scenario/catalogue_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

namespace trainyard {
namespace {

Provenance provenance(MapReader& reader, Provenance fallback)
{
  std::vector<std::string> words;
  words.reserve(provenance_words.size());
  for (const auto& [value, word] : provenance_words)
    words.emplace_back(word);
  const auto at = std::ranges::find(words, reader.choice("provenance", to_text(fallback), words)) - words.begin();
  return provenance_words.at(static_cast<std::size_t>(at)).first;
}

Board read_board(MapReader& reader)
{
  Board board;
  board.intra = reader.required_text("intra");
  board.nvlink_generation = reader.integer("nvlink_generation", 0, 1, 5);
  board.nvlinks = reader.integer("nvlinks", 0, 1, 64);
  board.nvlink_bandwidth = BytesPerSecond{reader.quantity("nvlink_bandwidth", QuantityKind::bandwidth, 0)};
  board.pcie = reader.text("pcie", "");
  board.peers = BytesPerSecond{reader.quantity("peer_bandwidth", QuantityKind::bandwidth, 0)};
  board.gpus = reader.integer("gpus", 0, 1, most_gpus_of_a_node);
  board.trays = reader.integer("trays", 1, 1, most_gpus_of_a_node);
  board.nics = reader.integer("nics", 0, 1, most_gpus_of_a_node);
  board.nic = reader.text("nic", "");
  board.cpu_cores = reader.integer("cpu_cores", 0, 1, 100'000);
  board.memory = Bytes{reader.quantity("memory", QuantityKind::bytes, 0)};
  board.source = reader.required_text("source");
  return board;
}

Gpu read_gpu(MapReader& reader)
{
  Gpu base;
  base.name = reader.text("name", base.name);
  base.description = reader.text("description", base.description);
  base.source = reader.text("source", base.source);
  base.memory = Bytes{reader.quantity("memory", QuantityKind::bytes, base.memory.value(), 1)};
  base.memory_bandwidth =
      BytesPerSecond{reader.quantity("memory_bandwidth", QuantityKind::bandwidth, base.memory_bandwidth.value(), 1)};
  base.compute_efficiency = reader.number("compute_efficiency", base.compute_efficiency, 0.001, 1);
  base.compute_capability = reader.number("compute_capability", base.compute_capability, 0, 100);
  base.fp32_efficiency = reader.number("fp32_efficiency", base.fp32_efficiency, 0.001, 1);
  base.memory_efficiency = reader.number("memory_efficiency", base.memory_efficiency, 0.001, 1);
  base.kernel_launch = Seconds{reader.quantity("kernel_launch", QuantityKind::duration, base.kernel_launch.value())};
  base.multiprocessors = reader.integer("multiprocessors", base.multiprocessors, 0, 100000);
  base.power = Watts{reader.quantity("power", QuantityKind::power, base.power.value())};
  base.idle_power = Watts{reader.quantity("idle_power", QuantityKind::power, base.idle_power.value())};
  base.provenance = provenance(reader, base.provenance);
  return base;
}

LinkType read_link(MapReader& reader)
{
  LinkType base;
  base.name = reader.text("name", base.name);
  base.kind =
      reader.choice("kind", base.kind, {"ethernet", "infiniband", "pcie", "nvlink", "xgmi", "host_memory", "loopback"});
  base.bandwidth = BytesPerSecond{reader.quantity("bandwidth", QuantityKind::bandwidth, base.bandwidth.value(), 1)};
  base.latency = Seconds{reader.quantity("latency", QuantityKind::duration, base.latency.value())};
  base.source = reader.text("source", base.source);
  return base;
}

using Supports = std::map<std::pair<std::string, std::string>, std::string>;

/// {cpu: {all_reduce: "yes", …}, gpu: {…}} over what is there.
void supports_fields(Fields& keys, Supports& supports)
{
  for (const std::string device : {"cpu", "gpu"})
    keys.map(device, "operations between the memories of " + std::string{device == "cpu" ? "machines" : "GPUs"},
             [&](Fields& operations, const std::string& operation) {
               std::string answer = "yes";
               operations.choice(operation, answer, {"yes", "no", "?"}, "whether there is this operation");
               if (operations.reading())
                 supports[{operation, device}] = answer;
             });
}

void rate_fields(Fields& keys, RatePoint& point)
{
  keys.quantity("size", point.size, "payload of a message", {.example = "64 MB", .required = true});
  keys.number("efficiency", point.efficiency, "share of the line rate that payloads of at least this size reach",
              {.least = 1e-6, .most = 1});
}

} // namespace

void transport_fields(Fields& keys, Transport& transport)
{
  const std::string usual = "that of the catalogue";
  keys.text("description", transport.description, "what it is", {.otherwise = usual});
  keys.text("source", transport.source, "where its figures are from", {.otherwise = usual});
  keys.quantity("latency", transport.latency, "time to start a message, on top of the latencies of the links",
                {.example = "50 us", .otherwise = usual});
  double efficiency = 1, over_infiniband = transport.settings.number("infiniband_efficiency", 0);
  if (keys.number("efficiency", efficiency, "share of the line rate that payloads reach, whatever their size",
                  {.least = 1e-6, .most = 1, .otherwise = usual})) {
    transport.rate = {{Bytes{}, efficiency}};
    over_infiniband = 0;
  }
  std::vector<RatePoint> rate;
  if (keys.list<RatePoint>("rate", rate, "a point of the curve", "efficiency by size, between points log-linear",
                           rate_fields, {.otherwise = usual, .what = "a point of 'rate'"}) &&
      !rate.empty()) {
    transport.rate = rate;
    over_infiniband = 0;
  }
  keys.number("infiniband_efficiency", over_infiniband,
              "share of the line rate that large payloads reach over InfiniBand; 0: as over other links",
              {.least = 0, .most = 1, .otherwise = "that of the catalogue; 0 if efficiency or rate is given"});
  if (over_infiniband > 0 || transport.settings.has("infiniband_efficiency"))
    transport.settings.set("infiniband_efficiency", over_infiniband);
  if (!std::ranges::is_sorted(transport.rate, {}, &RatePoint::size))
    keys.error("rate", "the points of 'rate' must be sorted by size");
  keys.quantity("stream_limit", transport.stream_limit,
                "rate that one stream of messages, or one connection of two processes, reaches at most",
                {.example = "1 GB/s", .least = 1, .otherwise = usual});
  keys.quantity("endpoint_limit", transport.endpoint_limit,
                "rate at which one process serialises and copies at most, each direction; cores may limit it further "
                "(cpu_time_per_GB)",
                {.example = "500 MB/s", .least = 1, .otherwise = usual});
  Seconds per_gigabyte{};
  if (keys.quantity("cpu_time_per_GB", per_gigabyte,
                    "time of a core at each end for a GB; a process of parameter servers moves no more than the cores "
                    "of its machine can",
                    {.example = "300 ms", .otherwise = usual}))
    transport.cpu_per_byte = per_gigabyte / Bytes{1e9};
  keys.flag("gpu_direct", transport.gpu_direct, "reads and writes GPU memory without the host", {.otherwise = usual});
  bool rdma = transport.settings.flag("rdma", false);
  if (keys.flag("rdma", rdma,
                "messages go over RDMA (InfiniBand, RoCE), which has no windows and loses nothing: at fidelity tcp "
                "they share links equally",
                {.otherwise = usual}))
    transport.settings.set("rdma", rdma ? 1 : 0);
  std::string collective;
  // The catalogue is read before anything knows which collectives are registered.
  if (keys.parts().empty() ? keys.text("collective", collective, "all-reduce algorithm")
                           : keys.choice("collective", collective, schema::names(keys.parts(), "collective"),
                                         "all-reduce algorithm", {.otherwise = usual}))
    transport.settings.set("collective", collective);
  std::string mpi;
  if (keys.choice("mpi", mpi, mpi_libraries(), "library of MPI, whose table chooses algorithms", {.otherwise = usual}))
    transport.settings.set("mpi", mpi);
  std::string directions = transport.settings.text("directions", "separate");
  if (keys.choice("directions", directions, {"separate", "shared"},
                  "whether a process reaches endpoint_limit in each direction, or in both together (one I/O thread)",
                  {.otherwise = usual}))
    transport.settings.set("directions", directions);
  int in_flight = transport.settings.integer("collectives_in_flight", 1);
  if (keys.integer("collectives_in_flight", in_flight,
                   "collectives that the library runs side by side, at fidelity tcp",
                   {.least = 1, .most = 64, .otherwise = usual}))
    transport.settings.set("collectives_in_flight", in_flight);
  bool copies = transport.settings.flag("copies_to_host", false);
  if (keys.flag("copies_to_host", copies, "gradients of GPUs are copied to the host and back, if gpu_direct is false",
                {.otherwise = usual}))
    transport.settings.set("copies_to_host", copies ? 1 : 0);
  Bytes acknowledgement{transport.settings.number("acknowledgement", 0)};
  if (keys.quantity("acknowledgement", acknowledgement,
                    "size of an acknowledgement on the wire: those of what comes load the way of what goes, in "
                    "collectives; 0: none, or in the efficiency",
                    {.example = "66 B", .otherwise = usual}))
    transport.settings.set("acknowledgement", acknowledgement.value());
  keys.object("supports", "which operations it has",
              [&](Fields& supports) { supports_fields(supports, transport.supports); });
}

namespace {

/// What collective_tuning() reads.
void tuning_fields(Fields& keys, Settings& settings)
{
  MapReader& reader = keys.reader();
  for (const Parameter& parameter : collective_tuning_parameters()) {
    if (!keys.has(parameter.name))
      continue;
    if (parameter.kind == "name")
      settings.set(parameter.name, reader.text(parameter.name, ""));
    else if (parameter.kind == "boolean")
      settings.set(parameter.name, reader.flag(parameter.name, false) ? 1 : 0);
    else if (parameter.kind == "duration" || parameter.kind == "bytes")
      settings.set(
          parameter.name,
          reader.quantity(parameter.name, parameter.kind == "bytes" ? QuantityKind::bytes : QuantityKind::duration, 0));
    else
      settings.set(parameter.name, reader.number(parameter.name, 0, parameter.minimum, parameter.maximum));
  }
}

/// Reads the entries of one kind: the catalogue's, then the user's own, whose names must be new.
void each_entry(const std::filesystem::path& catalogue, const std::string& kind,
                const std::function<bool(const std::string& name)>& known, Diagnostics& diagnostics,
                const std::function<void(Fields& keys, const std::string& name)>& read)
{
  for_each_catalogue_file(catalogue / kind, diagnostics, read);
  for (const std::filesystem::path& own : own_catalogues())
    if (std::filesystem::is_directory(own / kind))
      for_each_catalogue_file(own / kind, diagnostics, [&](Fields& keys, const std::string& name) {
        if (known(name))
          keys.error("name", fmt::format("the catalogue has '{}' already; give this one another name", name));
        read(keys, name);
      });
}

/// Throws InputError where a folder of the user's is none, or holds nothing that is read.
void check_own_catalogues()
{
  constexpr std::array kinds{"gpus", "cpus", "links", "transports", "frameworks", "eras"};
  for (const std::filesystem::path& own : own_catalogues()) {
    if (!std::filesystem::is_directory(own))
      throw InputError{fmt::format("--catalogue (TRAINYARD_CATALOGUE): no folder '{}'", own.string())};
    if (std::ranges::none_of(kinds, [&](const char* kind) { return std::filesystem::is_directory(own / kind); }))
      throw InputError{
          fmt::format("--catalogue (TRAINYARD_CATALOGUE): '{}' has none of the folders {}; put a GPU into {}",
                      own.string(), fmt::join(kinds, ", "), (own / "gpus" / "NAME.yaml").string())};
  }
}

} // namespace

Catalogue load_catalogue(const std::filesystem::path& folder)
{
  const std::filesystem::path catalogue = folder / "models" / "hardware" / "catalogue";
  Catalogue result;
  Diagnostics diagnostics;
  check_own_catalogues();
  const auto each = [&](const std::string& kind, const auto& entries, const auto& read) {
    each_entry(
        catalogue, kind, [&](const std::string& name) { return entries.contains(name); }, diagnostics, read);
  };
  for (const auto& [kind, chips] : {std::pair{"gpus", &result.gpus}, std::pair{"cpus", &result.cpus}})
    each(kind, *chips, [&, chips = chips](Fields& keys, const std::string& name) {
      Gpu chip = read_gpu(keys.reader());
      const auto board = [&](Fields& inner) { chip.board = read_board(inner.reader()); };
      if (keys.has("board"))
        keys.object("board", "the machine that it is sold in", board);
      keys.map("peak", "rate by number format", [&](Fields& peak, const std::string& format) {
        chip.peak[format] = FlopsPerSecond{peak.reader().quantity(format, QuantityKind::flops_rate, 0, 1)};
      });
      keys.map("convolution_share", "share of that speed that convolutions reach, by number format",
               [&](Fields& shares, const std::string& format) {
                 chip.convolution_share[format] = shares.reader().number(format, 1, 0.01, 10);
               });
      if (chip.peak.empty())
        keys.error("peak", "a chip needs at least one rate, for example peak: {fp32: 15.7 TFLOP/s}");
      (*chips)[name] = chip;
    });
  each("links", result.links,
       [&](Fields& keys, const std::string& name) { result.links[name] = read_link(keys.reader()); });
  each("transports", result.transports, [&](Fields& keys, const std::string& name) {
    const std::string model = keys.reader().text("variant_of", "");
    const auto known = result.transports.find(model);
    if (!model.empty() && known == result.transports.end())
      keys.error("variant_of", fmt::format("unknown transport '{}'; its file must come before this one", model));
    Transport transport = known == result.transports.end() ? Transport{} : known->second;
    transport.name = name;
    if (!model.empty())
      transport.settings.set("variant_of", model);
    std::vector<std::string> links;
    if (keys.texts("over", links, "links over which people get it where they name the transport it is a variant of"))
      transport.settings.set("over", fmt::format("{}", fmt::join(links, ",")));
    keys.object("tuning", "constants of the library's tuner",
                [&](Fields& tuning) { tuning_fields(tuning, transport.settings); });
    transport_fields(keys, transport);
    result.transports[name] = std::move(transport);
  });
  each("frameworks", result.frameworks, [&](Fields& keys, const std::string& name) {
    MapReader& reader = keys.reader();
    result.frameworks[name] = {.name = name,
                               .description = reader.required_text("description"),
                               .product = reader.required_text("product"),
                               .from = reader.required_text("from"),
                               .host_per_operator =
                                   Seconds{reader.required_quantity("host_per_operator", QuantityKind::duration)},
                               .precision = reader.choice("precision", "fp32", {"fp32", "tf32", "amp", "fp16", "bf16"}),
                               .kernels = {.channels_last = reader.flag("channels_last", true),
                                           .autocast = reader.flag("autocast", false),
                                           .fused_attention = reader.flag("fused_attention", false),
                                           .loads_all_kernels = reader.flag("loads_all_kernels", false),
                                           .composed_tanh_gelu = reader.flag("composed_tanh_gelu", false),
                                           .index_kernels = reader.flag("index_kernels", false)},
                               .provenance = provenance(reader, Provenance::assumed),
                               .source = reader.text("source", "")};
    keys.map("training", "what it does by itself, by training mode", [&](Fields& modes, const std::string& mode) {
      modes.map(mode, "settings of the mode", [&](Fields& settings, const std::string& setting) {
        result.frameworks[name].training[mode][setting] = settings.reader().text(setting, "");
      });
    });
  });
  each("eras", result.eras, [&](Fields& keys, const std::string& name) {
    Era era{.name = name,
            .description = keys.reader().text("description", ""),
            .framework = keys.reader().required_text("framework"),
            .supports = {},
            .source = keys.reader().text("source", "")};
    if (!era.framework.empty() && !result.frameworks.contains(era.framework))
      keys.error("framework",
                 "unknown framework '" + era.framework + "'" + did_you_mean(era.framework, keys_of(result.frameworks)));
    keys.map("supports", "operations by transport", [&](Fields& tables, const std::string& transport) {
      if (!result.transports.contains(transport))
        tables.error(transport,
                     "unknown transport '" + transport + "'" + did_you_mean(transport, result.transport_names()));
      tables.object(transport, "operations of the transport",
                    [&](Fields& table) { supports_fields(table, era.supports[transport]); });
    });
    result.eras[name] = era;
  });
  diagnostics.throw_if_errors();
  if (!result.eras.empty())
    result.use_era(result.eras.rbegin()->first);
  return result;
}

namespace {

struct NamedAttention {
  std::string kernel;
  AttentionPoint point;
};

void attention_fields(Fields& keys, NamedAttention& one)
{
  keys.text("kernel", one.kernel, "flash, flash2, flash1", {.required = true});
  int tokens = 0;
  keys.integer("tokens", tokens, "of a sequence", {.least = 1, .required = true});
  one.point.tokens = tokens;
  keys.quantity("forward", one.point.forward, "rate", {.example = "500 TFLOP/s", .least = 1, .required = true});
  keys.quantity("backward", one.point.backward, "rate", {.example = "400 TFLOP/s", .least = 1, .required = true});
}

void all_reduce_fields(Fields& keys, AllReducePoint& point)
{
  keys.integer("ranks", point.ranks, "GPUs", {.least = 2, .required = true});
  keys.quantity("size", point.size, "payload", {.example = "1 MiB", .least = 1, .required = true});
  keys.quantity("bus_bandwidth", point.bus_bandwidth, "as nccl-tests count it",
                {.example = "200 GB/s", .least = 1, .required = true});
}

/// What @p keys say, over what is in @p rates.
void read_rates(Fields& keys, MeasuredRates& rates)
{
  keys.map("products", "highest rate of products by number format", [&](Fields& formats, const std::string& format) {
    rates.products[format] = FlopsPerSecond{formats.reader().quantity(format, QuantityKind::flops_rate, 0, 1)};
  });
  std::vector<NamedAttention> attention;
  keys.list<NamedAttention>("attention", attention, "a point", "rates of fused attention", attention_fields);
  for (const NamedAttention& one : attention)
    rates.attention[one.kernel].clear();
  for (const NamedAttention& one : attention)
    rates.attention[one.kernel].push_back(one.point);
  for (auto& [kernel, points] : rates.attention)
    std::ranges::sort(points, {}, &AttentionPoint::tokens);
  keys.number("narrow_heads", rates.narrow_heads, "share of the rates that heads of 64 reach",
              {.least = 0.1, .most = 1});
  keys.number("grouped", rates.grouped, "rate of equal products in one call over that of one product",
              {.least = 0.01, .most = 1});
  keys.quantity("kernel_gap", rates.kernel_gap, "from a kernel to the next", {.example = "0.9 us", .least = 0});
  keys.quantity("graph_gap", rates.graph_gap, "the same in a CUDA graph", {.example = "0.5 us", .least = 0});
  keys.integer("collective_channels", rates.collective_channels, "multiprocessors that a collective takes");
  std::vector<AllReducePoint> all_reduce;
  keys.list<AllReducePoint>("all_reduce", all_reduce, "a point", "all-reduce in one machine", all_reduce_fields);
  for (const AllReducePoint& point : all_reduce) // the curve of these ranks is a new one
    std::erase_if(rates.all_reduce, [&](const AllReducePoint& old) { return old.ranks == point.ranks; });
  rates.all_reduce.insert(rates.all_reduce.end(), all_reduce.begin(), all_reduce.end());
  std::ranges::sort(rates.all_reduce, {}, [](const AllReducePoint& p) { return std::tuple{p.ranks, p.size}; });
}

std::map<std::string, MeasuredRates> load_measured_rates()
{
  std::map<std::string, MeasuredRates> by_gpu;
  Diagnostics diagnostics;
  const std::filesystem::path folder = data_folder() / "models" / "hardware" / "catalogue" / "measured";
  for_each_catalogue_file(folder, diagnostics, [&](Fields& keys, const std::string&) {
    MeasuredRates rates;
    read_rates(keys, rates);
    for (const std::string& gpu : keys.reader().texts("gpus"))
      by_gpu[gpu] = rates;
  });
  diagnostics.throw_if_errors();
  return by_gpu;
}

} // namespace

std::map<std::string, MeasuredRates> read_measured_rates(const std::filesystem::path& file)
{
  std::map<std::string, MeasuredRates> by_gpu;
  Diagnostics diagnostics;
  read_catalogue_file(file, diagnostics, [&](Fields& keys, const std::string&) {
    for (const std::string& gpu : keys.reader().texts("gpus"))
      by_gpu[gpu] = measured_rates(gpu);
    if (by_gpu.empty())
      keys.reader().error("gpus", "name the GPU of the catalogue that was measured: gpus: [H100-SXM5]");
    for (auto& [gpu, rates] : by_gpu)
      if (!diagnostics.has_errors()) // of several GPUs each fault is told once
        read_rates(keys, rates);
  });
  diagnostics.throw_if_errors();
  return by_gpu;
}

const MeasuredRates& measured_rates(const std::string& gpu)
{
  static const std::map<std::string, MeasuredRates> all = load_measured_rates();
  static const MeasuredRates none;
  const auto found = all.find(gpu);
  return found == all.end() ? none : found->second;
}

} // namespace trainyard
