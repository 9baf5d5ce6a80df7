// SPDX-License-Identifier: Apache-2.0
/// A divided transformer as a program of tasks and messages; see divided.hpp.
#include "sim/step/training/divided.hpp"

#include "models/cluster/nodes/parts.hpp"
#include "models/cluster/rings.hpp"
#include "models/core/quantity_text.hpp"
#include "models/cost/roofline.hpp"
#include "models/hardware/measured_rates.hpp"
#include "sim/step/training/message_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

constexpr const char* library_name = "nccl";

const Transformer& transformer_of(const JobSpec& job)
{
  return job.transformer ? *job.transformer : *find_transformer(job.model);
}

/// Curves of the catalogue were measured where NVSwitch joins all links that such a GPU is sold with.
bool wired_as_sold(BytesPerSecond nvlink, bool switched, const Board& board)
{
  const Settings none;
  const BytesPerSecond sold = nvlink_rate(none, board.nvlink_generation) * (1.0 * board.nvlinks) *
                              nvlink_data_share(none, board.nvlink_generation);
  return switched && board.intra == "nvswitch" && std::abs(nvlink / sold - 1) < 1e-6;
}

/// Whether the all-reduces are of the scenario's own file.
bool own_curve(const Gpu& gpu)
{
  return gpu.measured && !std::ranges::equal(gpu.measured->all_reduce, measured_rates(gpu.name).all_reduce, {},
                                             &AllReducePoint::bus_bandwidth, &AllReducePoint::bus_bandwidth);
}

/// Data rate of the cards of a machine, or of their slots where these are narrower, and what large payloads reach
/// there.
std::pair<BytesPerSecond, BytesPerSecond> card_rates(const Cluster& cluster, const Node& node, const Transport& library)
{
  BytesPerSecond lines, payloads;
  for (const VertexId nic : node.nics) {
    BytesPerSecond slot, slot_reached, line, reached;
    for (const LinkId id : cluster.outgoing(nic)) {
      const Link& link = cluster.link(id);
      const VertexKind to = cluster.vertex(link.to).kind;
      if (to == VertexKind::network_switch || to == VertexKind::nic) {
        line += link.data_rate();
        reached += reached_rate(library, link);
      } else {
        slot = std::max(slot, link.data_rate());
        slot_reached = std::max(slot_reached, reached_rate(library, link));
      }
    }
    lines += slot > BytesPerSecond{} ? std::min(line, slot) : line;
    payloads += std::min(slot > BytesPerSecond{} ? std::min(reached, slot_reached) : reached, library.stream_limit);
  }
  return {lines, payloads};
}

/// What machines that are alike have in common: -rates of their links, GPU, numbers of GPUs and network cards.
using MachineKind = std::tuple<double, std::string, std::size_t, std::size_t>;

/// @p any_size: of its first GPU and first card alone.
MachineKind kind_of(const Cluster& cluster, const Node& node, bool any_size = false)
{
  BytesPerSecond wires;
  for (const std::vector<VertexId>& ends : {node.nics, node.gpus})
    for (const VertexId end : std::span{ends}.first(any_size ? std::min<std::size_t>(ends.size(), 1) : ends.size()))
      for (const LinkId id : cluster.outgoing(end))
        wires += cluster.link(id).data_rate();
  return {-wires.value(), node.gpu, any_size ? 1 : node.gpus.size(), any_size ? 1 : node.nics.size()};
}

/// What tells a machine from one of another kind.
std::pair<std::string, std::string> difference(const MachineKind& one, const MachineKind& other)
{
  const auto& [wires, gpu, gpus, cards] = one;
  const auto& [other_wires, other_gpu, other_gpus, other_cards] = other;
  if (gpu != other_gpu)
    return {gpu, other_gpu};
  if (gpus != other_gpus)
    return {fmt::format("{} GPUs", gpus), fmt::to_string(other_gpus)};
  if (cards != other_cards)
    return {fmt::format("{} network cards", cards), fmt::to_string(other_cards)};
  return {fmt::format("{} of links at GPUs and network cards", to_text(BytesPerSecond{-wires})),
          to_text(BytesPerSecond{-other_wires})};
}

using GpusOfMachine = std::pair<const Node*, std::vector<VertexId>>;

/// The GPUs of a job, machine by machine in the order of its ranks.
std::vector<GpusOfMachine> by_machine(const Cluster& cluster, const Placement& placement)
{
  std::vector<GpusOfMachine> machines;
  std::map<const Node*, std::size_t> index;
  for (const VertexId worker : placement.workers) {
    const Node& node = cluster.node(cluster.vertex(worker).node);
    const auto [found, added] = index.try_emplace(&node, machines.size());
    if (added)
      machines.push_back({&node, {}});
    machines[found->second].second.push_back(worker);
  }
  return machines;
}

/// A machine that gives another number of GPUs than the first; null: as many of each, or whole machines and the rest on
/// the last one.
const GpusOfMachine* uneven_machine(const std::vector<GpusOfMachine>& machines)
{
  const auto& [first, gpus] = machines.front();
  for (const GpusOfMachine& machine : machines) {
    const std::size_t here = machine.second.size();
    const bool rest = &machine == &machines.back() && here < gpus.size() && gpus.size() == first->gpus.size();
    if (here != gpus.size() && !rest)
      return &machine;
  }
  return nullptr;
}

/// Between the GPUs of a job, of which @p ranks are all, or the first of each machine.
std::shared_ptr<const RankWires> rank_wires(const Cluster& cluster, int gpus_per_node, std::span<const VertexId> ranks)
{
  if (long_wires(cluster, ranks) == nullptr)
    return nullptr;
  std::vector<VertexId> first; // of each machine
  std::vector<int> machine_of_rank;
  std::map<NodeId, int> numbers;
  for (const VertexId rank : ranks) {
    const auto [known, fresh] = numbers.try_emplace(cluster.vertex(rank).node, static_cast<int>(first.size()));
    if (fresh)
      first.push_back(rank);
    machine_of_rank.push_back(known->second);
  }
  if (first.size() == ranks.size() && gpus_per_node > 1) {
    machine_of_rank.clear();
    for (int machine = 0; machine < static_cast<int>(first.size()); ++machine)
      machine_of_rank.insert(machine_of_rank.end(), static_cast<std::size_t>(gpus_per_node), machine);
  }
  // The cluster may be gone before the network is: a copy shares what is known of its routes.
  return std::make_shared<const RankWires>(
      std::move(machine_of_rank), [kept = std::make_shared<const Cluster>(cluster), first](int from, int to) {
        return stated_wires(*kept, first[static_cast<std::size_t>(from)], first[static_cast<std::size_t>(to)]);
      });
}

class Divided final : public TrainingMode
{
public:
  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    const ParallelLayout& asked = *context.job.training.parallel;
    const int of_replica = asked.tp * asked.pp * asked.cp;
    const auto workers = static_cast<int>(context.placement.workers.size());
    if (workers % of_replica != 0) {
      diagnostics.error({.path = context.job.path},
                        fmt::format("job '{}': {} GPUs are no multiple of tp x pp x cp = {}: replicas are added or "
                                    "left out as a whole",
                                    context.job.name, workers, of_replica));
      return;
    }
    // In a queue machines may give unlike numbers of GPUs.
    if (const std::string unlike = unlike_machines(context.cluster, context.job, context.placement, true);
        !unlike.empty()) {
      diagnostics.error({.path = context.job.path}, unlike);
      return;
    }
    const ParallelJob job = divided_job(context);
    for (const LayoutFault& fault : layout_faults(job.layout, job.transformer, workers))
      diagnostics.error({.path = context.job.path}, fmt::format("job '{}': {}", context.job.name, fault.message));
    if (job.network.between <= BytesPerSecond{} && workers > job.network.gpus_per_node)
      diagnostics.error({.path = context.job.path},
                        fmt::format("job '{}': its machines have no NIC to reach each other", context.job.name));
  }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    const ParallelJob job = divided_job(context);
    return divided_program(context, job, context.transports.at(library_name), first_step, steps);
  }
};

} // namespace

std::unique_ptr<TrainingMode> divided_mode()
{
  return std::make_unique<Divided>();
}

ParallelJob divided_job(const TrainingContext& context)
{
  ParallelJob job;
  job.layout = *context.job.training.parallel;
  const int dp = static_cast<int>(context.placement.workers.size()) / (job.layout.tp * job.layout.pp * job.layout.cp);
  if (dp > 0 && dp != job.layout.dp)
    job.layout = with_replicas(std::move(job.layout), dp);
  job.transformer = transformer_of(context.job);
  job.gpu = *context.gpu;
  job.host_per_operator = context.job.host_per_operator;
  const NodeId node = context.cluster.vertex(context.placement.workers.front()).node;
  job.network =
      parallel_network(context.cluster, context.cluster.node(node), job.gpu, context.transports.at(library_name),
                       share_of_machine(context.cluster, context.placement), context.placement.workers);
  return job;
}

int divided_tokens(const JobSpec& job)
{
  const int given = job.training.parallel->sequence;
  return given > 0 ? given : transformer_of(job).sequence;
}

double efficiency_of_cards(const Cluster& cluster, const Node& node, const Transport& library)
{
  const auto [lines, payloads] = card_rates(cluster, node, library);
  return lines > BytesPerSecond{} ? payloads / lines : transport_efficiency(library, 64_MB);
}

std::vector<AlikeMachines> machines_in_order(const Cluster& cluster, const std::string& precision, int gpus,
                                             const Catalogue& catalogue, std::span<const int> free)
{
  std::map<std::pair<double, MachineKind>, AlikeMachines> kinds; // by -rate of the GPU
  std::map<std::string, AlikeMachines*> of_group;
  for (const Node& node : cluster.nodes()) {
    if (node.gpus.empty())
      continue;
    AlikeMachines*& machines = of_group[node.group];
    if (machines == nullptr) {
      const auto gpu = catalogue.gpus.find(node.gpu);
      const double rate = gpu == catalogue.gpus.end() ? 0 : product_rate(gpu->second, precision).value();
      machines = &kinds[{-rate, kind_of(cluster, node)}];
      machines->first = machines->first == nullptr ? &node : machines->first;
      machines->groups.push_back(node.group);
    }
    const auto index = static_cast<std::size_t>(&node - cluster.nodes().data());
    machines->gpus += free.empty() ? static_cast<int>(node.gpus.size()) : free[index];
  }
  std::vector<AlikeMachines> order;
  for (auto& [kind, machines] : kinds)
    order.push_back(std::move(machines));
  std::ranges::stable_partition(order, [&](const AlikeMachines& machines) { return machines.gpus >= gpus; });
  return order;
}

ShareOfMachine share_of_machine(const Cluster& cluster, const Placement& placement)
{
  const auto machines = by_machine(cluster, placement);
  if (machines.size() == 1)
    return {};
  ShareOfMachine share{.gpus = static_cast<int>(machines.front().second.size())};
  if (uneven_machine(machines) != nullptr)
    for (const auto& [node, gpus] : machines)
      share.gpus = std::gcd(share.gpus, static_cast<int>(gpus.size()));
  else if (machines.front().second.size() == machines.front().first->gpus.size())
    return share;
  for (const auto& [node, gpus] : machines) {
    std::set<VertexId> cards;
    for (const VertexId gpu : gpus)
      cards.insert(cluster.nic_of(gpu));
    const double of_gpu = static_cast<double>(cards.size()) / static_cast<double>(gpus.size());
    if (share.cards_of_gpu == 0 || of_gpu < share.cards_of_gpu)
      share.cards_of_gpu = of_gpu;
  }
  return share;
}

std::string unlike_machines(const Cluster& cluster, const JobSpec& job, const Placement& placement, bool any_size)
{
  // The first machine of a group stands for it, as in machines_in_order(): at the rim of a mesh others have fewer
  // links.
  const auto of_group = [&](const Node& node) -> const Node& {
    return *std::ranges::find(cluster.nodes(), node.group, &Node::group);
  };
  const auto machines = by_machine(cluster, placement);
  const Node& first = *machines.front().first;
  const MachineKind kind = kind_of(cluster, of_group(first), any_size);
  for (const auto& [node, gpus] : machines)
    if (node->group != first.group)
      if (const MachineKind other = kind_of(cluster, of_group(*node), any_size); other != kind) {
        const auto [here, there] = difference(kind, other);
        return fmt::format("job '{}' would lie on machines that are not alike, {} with {} and {} with {}: {}", job.name,
                           first.name, here, node->name, there,
                           any_size            ? "let it ask for a gpu_type, or for labels (node_selector)"
                           : job.nodes.empty() ? "name others (nodes), or put it before jobs that take those it needs"
                                               : "name others (nodes)");
      }
  return {};
}

std::string uneven_shares(const Cluster& cluster, const JobSpec& job, const Placement& placement)
{
  const auto machines = by_machine(cluster, placement);
  const GpusOfMachine* other = uneven_machine(machines);
  if (other == nullptr)
    return {};
  return fmt::format("job '{}' would have {} of the GPUs of {} and {} of {}: name machines that give as many each "
                     "(nodes)",
                     job.name, machines.front().second.size(), machines.front().first->name, other->second.size(),
                     other->first->name);
}

BytesPerSecond host_rate(const Cluster& cluster, const Node& node)
{
  std::map<LinkId, int> used;
  for (const VertexId gpu : node.gpus)
    for (const LinkId link : cluster.route(gpu, node.host))
      ++used[link];
  BytesPerSecond rate;
  for (const LinkId link : cluster.route(node.gpus.front(), node.host))
    if (const BytesPerSecond share = cluster.link(link).data_rate() / used[link];
        rate <= BytesPerSecond{} || share < rate)
      rate = share;
  return rate;
}

ParallelNetwork parallel_network(const Cluster& cluster, const Node& node, const Gpu& gpu, const Transport& library,
                                 const ShareOfMachine& used, std::span<const VertexId> ranks)
{
  ParallelNetwork network;
  const auto installed = static_cast<int>(node.gpus.size());
  network.gpus_per_node = used.gpus > 0 ? used.gpus : installed;
  const double reached = transport_efficiency(library, 64_MB);
  BytesPerSecond nvlink, pcie;
  bool switched = false;
  for (const LinkId id : cluster.outgoing(node.gpus.front())) {
    const Link& link = cluster.link(id);
    (joins_gpus(link.kind) ? nvlink : pcie) += link.data_rate();
    switched = switched || cluster.vertex(link.to).kind == VertexKind::nv_switch;
  }
  network.nvlink = nvlink > BytesPerSecond{};
  if (own_curve(gpu) || wired_as_sold(nvlink, switched, gpu.board)) {
    network.gpu = gpu.name;
    network.measured = gpu.measured;
  }
  network.inside = (network.nvlink ? nvlink : pcie) * reached;
  for (std::size_t gpus = 2; gpus <= node.gpus.size() && !switched; ++gpus) {
    const std::vector<VertexId> first(node.gpus.begin(), node.gpus.begin() + static_cast<std::ptrdiff_t>(gpus));
    network.inside = rings(cluster, first).bandwidth * reached;
    network.inside_of.resize(gpus, network.inside);
    network.inside_of.push_back(network.inside);
  }
  network.host = host_rate(cluster, node);
  // The GPUs in use share the cards next to them.
  const BytesPerSecond cards = card_rates(cluster, node, library).second;
  const int nics = std::min(installed, static_cast<int>(node.nics.size()));
  network.between = used.cards_of_gpu > 0 && nics > 0 ? cards / nics * used.cards_of_gpu : cards / installed;
  const double cards_used = used.cards_of_gpu > 0 ? used.cards_of_gpu * network.gpus_per_node : nics;
  network.cards = std::max(1, static_cast<int>(std::lround(cards_used)));
  network.switch_reduction = node.switch_reduction;
  network.tuning = collective_tuning(library.settings, gpu.peak.contains("fp8"), &gpu);
  tune_for(network.tuning, gpu);
  network.wires = rank_wires(cluster, network.gpus_per_node, ranks);
  return network;
}

ParallelStep divided_step(const ParallelJob& job, const StepProgram& program, const StepTrace& trace, Seconds step)
{
  ParallelStep measured = parallel_step(job);
  const DividedWork work = divided_work(job);
  const auto ranks = static_cast<std::size_t>(job.layout.pp);
  const auto slowest = static_cast<std::size_t>(measured.rank);
  const int worker = measured.rank * job.layout.replicas() * job.layout.tp;
  std::map<std::string, Seconds> exposed;
  const int first_step = program.operations.front().step;
  Seconds first_pass{-1}, last_pass = trace.begin, update = trace.begin;
  for (std::size_t i = 0; i < program.operations.size() && program.operations[i].step == first_step; ++i) {
    const Operation& operation = program.operations[i];
    const Span& span = trace.spans[i];
    if (operation.role == Role::update)
      update = std::max(update, span.begin);
    if (operation.role == Role::forward || operation.role == Role::backward) {
      first_pass = first_pass < Seconds{} ? span.begin : std::min(first_pass, span.begin);
      last_pass = std::max(last_pass, span.end);
    }
    const bool of_a_pass = operation.role == Role::exchange && operation.lanes.empty() && operation.name != "PP" &&
                           operation.name != "embedding";
    if (of_a_pass)
      last_pass = std::max(last_pass, span.end);
    const auto is = [&](std::size_t at, const char* name) {
      return at < program.operations.size() && program.operations[at].name == name;
    };
    if (operation.worker == worker && operation.name == taken_name && !is(i - 1, beside_name))
      exposed["DP"] += span.end - span.begin; // once a step
    if (!of_a_pass || operation.worker != worker)
      continue;
    if (is(i + 1, beside_name)) {
      const Seconds end = is(i + 2, taken_name) ? std::max(span.end, trace.spans[i + 2].end) : span.end;
      exposed[operation.name.text()] += std::max(Seconds{}, end - trace.spans[i + 1].end);
    } else {
      exposed[operation.name.text()] += span.end - span.begin;
    }
  }
  const ParallelGroups groups = groups_of(job.layout, job.network.gpus_per_node);
  if (groups.tensor.nodes() > 1)
    measured.tensor = exposed["TP"];
  if (groups.context.nodes() > 1)
    measured.context = exposed["CP"];
  if (groups.expert.nodes() > 1)
    measured.expert = exposed["EP"];
  Seconds inside; // what replicas exchange in passes without leaving the machine
  for (std::size_t slot = slowest; slot < work.chunks.size(); slot += ranks)
    inside += work.chunks[slot].forward.shares + work.chunks[slot].backward.shares;
  const Seconds in_passes =
      inside * job.layout.micro_batches() * (work.order == StageOrder::both_ways ? 0.5 : 1) + exposed["DP"];
  measured.data = in_passes + std::max(Seconds{}, first_pass - trace.begin) + std::max(Seconds{}, update - last_pass);
  measured.step = step;
  const Seconds others = measured.compute + measured.host + measured.tensor + measured.context + measured.expert +
                         measured.data + measured.optimizer;
  measured.bubble = std::min(measured.bubble, std::max(Seconds{}, step - others));
  measured.pipeline = Seconds{};
  // Without stages it is what gradients lengthen passes by.
  (job.layout.pp > 1 ? measured.pipeline : measured.data) += std::max(Seconds{}, step - others - measured.bubble);
  derive_figures(measured, job);
  return measured;
}

} // namespace trainyard
