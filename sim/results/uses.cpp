// SPDX-License-Identifier: Apache-2.0
#include "sim/results/breakdown.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/sorted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

double share(Seconds part, Seconds whole)
{
  return whole.value() > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

double utilisation_of(Bytes bytes, BytesPerSecond capacity, Seconds window)
{
  return window.value() > 0 && capacity.value() > 0 ? bytes.value() / (capacity.value() * window.value()) : 0;
}

std::string task_at(const Cluster& cluster, const Placement& placement, NodeId id)
{
  const auto is_here = [&](VertexId task) { return cluster.vertex(task).node == id; };
  const auto server = std::ranges::find_if(placement.servers, is_here); // few, where workers may be very many
  if (server == placement.servers.end() || std::ranges::any_of(placement.workers, is_here))
    return cluster.node(id).name;
  return fmt::format("ps-{}", server - placement.servers.begin());
}

bool leaves_node(VertexKind kind)
{
  return kind == VertexKind::network_switch || kind == VertexKind::storage;
}

std::string kind_of(LinkKind kind)
{
  switch (kind) {
  case LinkKind::ethernet:
    return "ethernet";
  case LinkKind::infiniband:
    return "infiniband";
  case LinkKind::pcie:
    return "pcie";
  case LinkKind::nvlink:
    return "nvlink";
  case LinkKind::xgmi:
    return "xgmi";
  case LinkKind::host_memory:
    return "host_memory";
  case LinkKind::socket_peers:
    return "socket_peers";
  case LinkKind::loopback:
    break;
  }
  return "loopback";
}

std::string short_name(LinkKind kind)
{
  switch (kind) {
  case LinkKind::pcie:
    return "PCIe";
  case LinkKind::nvlink:
    return "NVLink";
  case LinkKind::xgmi:
    return "xGMI";
  case LinkKind::host_memory:
    return "host memory";
  case LinkKind::socket_peers:
    return "sockets";
  case LinkKind::loopback:
    return "loopback";
  default:
    return "network";
  }
}

/// "NIC of ps-0 (out)" -> "NIC of ps-0"
std::string_view without_direction(std::string_view label)
{
  return label.substr(0, label.rfind(" ("));
}

/// "ps-0 sends" over gRPC -> "gRPC of ps-0 (out)"; other resources keep their name.
std::string resource_label(const std::string& resource, const std::string& transport)
{
  for (const auto& [ending, direction] :
       {std::pair<std::string, std::string>{" sends", " (out)"}, {" receives", " (in)"}, {" I/O", ""}})
    if (resource.ends_with(ending))
      return transport + " of " + resource.substr(0, resource.size() - ending.size()) + direction;
  return resource;
}

/// The same task's other direction, where that carries something too; null: none.
const UseRow* other_direction(const Breakdown& breakdown, const UseRow& use)
{
  if (!use.name.ends_with(" (out)") && !use.name.ends_with(" (in)"))
    return nullptr;
  const std::string_view base = without_direction(use.name);
  for (const UseRow& other : breakdown.busiest)
    if (&other != &use && other.kind == use.kind && other.name.starts_with(base) && other.name != use.name &&
        without_direction(other.name) == base)
      return &other;
  return nullptr;
}

bool is_shared_capacity(const UseRow& use)
{
  return use.kind == "link" || use.kind == "resource";
}

} // namespace

std::string link_label(const Cluster& cluster, const Placement& placement, LinkId id)
{
  const Link& link = cluster.link(id);
  const Vertex& from = cluster.vertex(link.from);
  const Vertex& to = cluster.vertex(link.to);
  const auto joined = [](std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (const std::string_view part : parts)
      size += part.size();
    std::string label;
    label.reserve(size);
    for (const std::string_view part : parts)
      label += part;
    return label;
  };
  const auto which = [&](const Vertex& nic) { // of several: "/nic-3"
    return cluster.node(nic.node).nics.size() > 1 ? std::string_view{nic.name}.substr(nic.name.find('/'))
                                                  : std::string_view{};
  };
  if (from.node.index >= 0 && leaves_node(to.kind))
    return joined({"NIC of ", task_at(cluster, placement, from.node), which(from), " (out)"});
  if (to.node.index >= 0 && leaves_node(from.kind))
    return joined({"NIC of ", task_at(cluster, placement, to.node), which(to), " (in)"});
  if (from.node.index >= 0 && from.node == to.node)
    return joined({short_name(link.kind), " of ", task_at(cluster, placement, from.node), " (",
                   std::string_view{from.name}.substr(from.name.find('/') + 1), " > ",
                   std::string_view{to.name}.substr(to.name.find('/') + 1), ")"});
  return joined({"link ", from.name, " > ", to.name});
}

std::vector<UseRow> uses(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                         const StepTrace& trace, const std::string& transport, std::span<const ComputeShares> shares)
{
  const Seconds window = trace.window();
  std::vector<UseRow> result;
  result.reserve(trace.links.size() + trace.resources.size() + program.lanes.size());
  for (const LinkUse& use : trace.links)
    if (use.bytes.value() > 0)
      result.push_back({link_label(cluster, placement, use.link), "link",
                        utilisation_of(use.bytes, cluster.link(use.link).data_rate(), window), share(use.busy, window),
                        use.bytes});
  // A resource's capacity counts payload, as the messages do; what they load links with is more.
  std::vector<Bytes> payload(program.resources.size());
  for (const Operation& operation : program.operations)
    if (const auto* transfer = std::get_if<Transfer>(&operation.work))
      for (const ResourceId resource : transfer->resources)
        payload[static_cast<std::size_t>(resource.index)] += transfer->bytes;
  for (const ResourceUse& use : trace.resources)
    if (const auto index = static_cast<std::size_t>(use.resource.index);
        payload[index].value() > 0 && program.resources[index].link.index < 0) { // a share of a link is in its bytes
      const Resource& resource = program.resources[index];
      result.push_back({resource_label(resource.name, transport), "resource",
                        utilisation_of(payload[index], resource.capacity, window), share(use.busy, window),
                        payload[index]});
    }

  std::vector<Seconds> occupied(program.lanes.size()), used(program.lanes.size());
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    for (const LaneId lane : program.operations[i].lanes) {
      const Operation& operation = program.operations[i];
      const Seconds time = trace.spans[i].end - trace.spans[i].begin;
      occupied[static_cast<std::size_t>(lane.index)] += time;
      used[static_cast<std::size_t>(lane.index)] +=
          std::holds_alternative<Compute>(operation.work) ? time * shares_of(shares, operation.worker).gpu : time;
    }
  for (std::size_t i = 0; i < program.lanes.size(); ++i)
    if (occupied[i].value() > 0) {
      const Lane& lane = program.lanes[i];
      const auto slots = static_cast<double>(std::max(lane.slots, 1));
      result.push_back(
          {lane.name, to_text(lane.kind), share(used[i] / slots, window), share(occupied[i] / slots, window), {}});
    }
  sort_rows(result, [](const UseRow& use) { return -use.utilisation; });
  return result;
}

ComputeShares shares_of(std::span<const ComputeShares> shares, int worker)
{
  if (shares.empty())
    return {};
  const auto index = static_cast<std::size_t>(std::max(worker, 0));
  return shares[index < shares.size() ? index : 0];
}

namespace {

constexpr double nearly_all = 0.85; // of the time: what is busy that long holds a step back

constexpr Sentence<Figure> gpu_computes{"bottleneck.gpu", "GPU compute: {share} of the step"};
constexpr Sentence<Figure> cpu_computes{"bottleneck.cpu", "CPU compute: {share} of the step"};
constexpr Sentence<Figure, Figure> host_starts{
    "bottleneck.host", "host starting operators: {share} of the step, in which the GPU computes {compute}"};
constexpr Sentence<Figure> latency{"bottleneck.latency", "message latency: links at most {share} busy"};
constexpr Sentence<Figure> input_pipeline{"bottleneck.input", "input pipeline: {share} of the step"};
constexpr Sentence<Figure> waits_for_others{"bottleneck.wait", "waiting for other workers: {share} of the step"};
constexpr Sentence<> takes_no_time{"bottleneck.nothing", "nothing: the step takes no time"};
constexpr Sentence<Message, Figure> busy{"bottleneck.busy", "{what}: {share} busy"};
constexpr Sentence<Message, Figure, Figure> busy_both{"bottleneck.busy_both", "{what}: {out} busy out, {in} in"};
constexpr Sentence<std::string> nic_of{"bottleneck.nic", "NIC of {task}"};
constexpr Sentence<std::string, Figure> one_connection{"bottleneck.connection", "one {transport} connection of {rate}"};

/// "NIC of ps-0 (out)": the two directions are told together.
Message what(const std::string& label)
{
  const std::string name{without_direction(label)};
  constexpr std::string_view between = " connection of ";
  if (const std::size_t of = name.find(between); of != std::string::npos && name.starts_with("one "))
    return one_connection(name.substr(4, of - 4), {0, name.substr(of + between.size())});
  return name.starts_with("NIC of ") ? nic_of(name.substr(7)) : plain(MessageKind::part, name);
}

} // namespace

Message bottleneck_sentence(const Breakdown& breakdown, bool on_cpu)
{
  const double step = breakdown.step.value();
  if (step <= 0)
    return takes_no_time();
  const Seconds on_gpu =
      breakdown.compute + breakdown.host; // the GPU has operators, or waits for the host to start them
  const double compute = on_gpu.value() / step;
  const UseRow* capacity = nullptr;   // the busiest link or resource
  const UseRow* host = nullptr;       // the busiest CPU or copy engine
  const UseRow* connection = nullptr; // that is nearest to the rate of its library
  for (const UseRow& use : breakdown.busiest) {
    if (capacity == nullptr && is_shared_capacity(use))
      capacity = &use;
    if (host == nullptr && use.name != starting_operators && (use.kind == "host" || use.kind == "copy"))
      host = &use;
    if (connection == nullptr && use.kind == "connection")
      connection = &use;
  }
  // The two directions of a server often take turns (it sends what all have pushed): then neither is busy all the time,
  // and both are named.
  const auto in_use = [&](const UseRow& use, bool in_turn) {
    const UseRow* other = use.kind == "resource" || in_turn ? other_direction(breakdown, use) : nullptr;
    return std::min(1.0, use.utilisation + (other != nullptr ? other->utilisation : 0));
  };
  const auto percent = [](double share) { return Figure{share, percent_text(std::min(share, 1.0))}; };
  const auto named = [&](const UseRow& use) {
    const UseRow* other =
        use.kind == "resource" || use.utilisation < nearly_all ? other_direction(breakdown, use) : nullptr;
    if (other == nullptr || other->utilisation < 0.1)
      return busy(what(use.name), percent(use.utilisation));
    const bool out = use.name.ends_with(" (out)");
    return busy_both(what(use.name), percent((out ? use : *other).utilisation),
                     percent((out ? *other : use).utilisation));
  };

  // A connection at the rate of its library does not get faster with the links below it.
  if (connection != nullptr && (capacity == nullptr || connection->utilisation > 1.1 * capacity->utilisation))
    capacity = connection;
  const UseRow* busiest = capacity;
  if (host != nullptr && (busiest == nullptr || host->utilisation > busiest->utilisation))
    busiest = host;
  if (busiest != nullptr && in_use(*busiest, false) >= nearly_all && in_use(*busiest, false) > compute)
    return named(*busiest);

  const Seconds largest = std::max({on_gpu, breakdown.exposed_communication, breakdown.input, breakdown.wait});
  if (largest == on_gpu && breakdown.host > Seconds{})
    return host_starts({compute, percent_text(compute)}, {0, percent_text(breakdown.compute.value() / step)});
  if (largest == on_gpu)
    return (on_cpu ? cpu_computes : gpu_computes)({compute, percent_text(compute)});
  if (largest == breakdown.exposed_communication) {
    if (capacity == nullptr || capacity->utilisation < 0.3)
      return latency({0, percent_text(capacity == nullptr ? 0 : capacity->utilisation)});
    // Neither direction of a link is busy all the time where all send first and receive then.
    for (const UseRow& use : breakdown.busiest)
      if (capacity != connection && is_shared_capacity(use) && in_use(use, true) > in_use(*capacity, true))
        capacity = &use;
    return named(*capacity);
  }
  if (largest == breakdown.input)
    return input_pipeline({0, percent_text(breakdown.input.value() / step)});
  if (busiest != nullptr && busiest->utilisation >= 0.3)
    return named(*busiest);
  return waits_for_others({0, percent_text(breakdown.wait.value() / step)});
}

bool waits_for_links(const Breakdown& breakdown)
{
  return breakdown.exposed_communication.value() > 0 &&
         breakdown.exposed_communication >=
             std::max({breakdown.compute + breakdown.host, breakdown.input, breakdown.wait});
}

double busiest_link(const Breakdown& breakdown)
{
  const auto found = std::ranges::find_if(breakdown.busiest, is_shared_capacity);
  return found == breakdown.busiest.end() ? 0 : found->utilisation;
}

Message crowded_sentence(const CrowdedLink& crowded, const std::string& label)
{
  static constexpr Sentence<Message, std::int64_t, Figure> shared{"bottleneck.shared",
                                                                  "{what}, shared by {jobs|job|jobs}: {share} busy"};
  return shared(what(label), crowded.jobs, {crowded.utilisation, percent_text(crowded.utilisation)});
}

std::vector<LinkRow> link_rows(const Cluster& cluster, std::span<const Placement* const> placements,
                               std::span<const StepProgram* const> programs, std::span<const StepTrace* const> traces)
{
  Seconds begin{std::numeric_limits<double>::infinity()};
  Seconds end{-std::numeric_limits<double>::infinity()};
  for (const StepTrace* trace : traces) {
    begin = std::min(begin, trace->begin);
    end = std::max(end, trace->end);
  }
  const Seconds window = traces.size() == 1 ? traces.front()->window() : end - begin;
  std::vector<std::pair<LinkId, LinkRow>> rows;
  std::unordered_map<int, std::size_t> place; // of links among them; looked up only
  for (std::size_t i = 0; i < traces.size(); ++i)
    for (const LinkUse& use : traces[i]->links) {
      if (use.bytes.value() <= 0)
        continue;
      const Link& link = cluster.link(use.link);
      const auto [known, fresh] = place.try_emplace(use.link.index, rows.size());
      if (fresh)
        rows.emplace_back(use.link, LinkRow{});
      LinkRow& row = rows[known->second].second;
      if (fresh) {
        row.link = link.name;
        row.label = link_label(cluster, *placements[i], use.link);
        row.kind = kind_of(link.kind);
        row.bandwidth = link.bandwidth;
        row.window = window;
      }
      row.bytes += use.bytes;
      row.busy = std::max(row.busy, share(use.busy, window));
      row.jobs.push_back(programs[i]->job);
    }
  std::vector<std::tuple<double, LinkId, std::size_t>> order; // rows are long
  order.reserve(rows.size());
  for (auto& [id, row] : rows) {
    row.utilisation = utilisation_of(row.bytes, row.bandwidth, window);
    order.emplace_back(-row.utilisation, id, order.size());
  }
  std::ranges::sort(order);
  std::vector<LinkRow> result;
  result.reserve(rows.size());
  for (const auto& [utilisation, id, row] : order)
    result.push_back(std::move(rows[row].second));
  return result;
}

std::string to_text(Role role)
{
  switch (role) {
  case Role::input:
    return "input";
  case Role::forward:
    return "forward";
  case Role::backward:
    return "backward";
  case Role::pull:
    return "pull";
  case Role::push:
    return "push";
  case Role::exchange:
    return "exchange";
  case Role::aggregate:
    return "aggregate";
  case Role::update:
    return "update";
  case Role::other:
    break;
  }
  return "other";
}

std::string to_text(LaneKind kind)
{
  switch (kind) {
  case LaneKind::compute:
    return "compute";
  case LaneKind::copy:
    return "copy";
  case LaneKind::communication:
    return "communication";
  case LaneKind::host:
    break;
  }
  return "host";
}

} // namespace trainyard
