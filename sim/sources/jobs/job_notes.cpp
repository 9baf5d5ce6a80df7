// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/job_notes.hpp"

#include "models/core/quantity_text.hpp"
#include "sim/step/even.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <variant>

namespace trainyard {

std::string describe_training(const JobSpec& job)
{
  const Settings& settings = job.training.settings;
  std::string text = job.training.mode;
  if (settings.has("servers"))
    text += fmt::format(":{}", settings.integer("servers", 1));
  for (const char* name : {"update_rule", "collective"})
    if (const std::string value = settings.text(name, ""); !value.empty())
      text += " " + value;
  return text;
}

std::string devices_of(const PreparedScenario& prepared, const Placement& placement)
{
  std::vector<std::string> kinds;
  for (const VertexId worker : placement.workers) {
    const Vertex& vertex = prepared.cluster.vertex(worker);
    const std::string& kind = vertex.kind == VertexKind::host ? "CPU" : prepared.cluster.node(vertex.node).gpu;
    if (std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
  }
  return fmt::format("{}", fmt::join(kinds, " + "));
}

std::string describe_network(const NetworkSpec& network)
{
  if (network.bandwidth <= BytesPerSecond{})
    return network.link + " " + network.topology;
  return (network.link.empty() ? "" : network.link + " at ") + to_text(network.bandwidth) + " " + network.topology;
}

std::string provenance_note(const Scenario& scenario, const JobSpec& job, const Node& node, const std::string& devices,
                            bool timed)
{
  const std::optional<CalibrationUse>& use = scenario.calibration;
  const std::string source =
      use ? fmt::format("{} (calibration '{}' of {})",
                        use->provenance == Provenance::data_sheet ? "from a data sheet" : "measured", use->name,
                        use->created.substr(0, 10))
          : std::string{};
  const std::string compute =
      job.single_gpu_step ? fmt::format("single-GPU step of {} given by the scenario", to_text(*job.single_gpu_step))
      : timed             ? "times of its layers as given"
      : job.training.settings.text("device", "gpu") == "cpu"
          ? fmt::format("compute from the rate of the CPUs of {} (roofline)", node.group)
      : use && use->covers(AppliedConstant::Of::gpu, node.gpu)
          ? fmt::format("compute from kernel rates of {} {}", node.gpu, source)
          : fmt::format("compute from the data sheet of {} (roofline)", devices);
  const std::string& transport = job.training.transport;
  const std::string network = use && use->covers(AppliedConstant::Of::transport, transport)
                                  ? fmt::format("transport {} {}", transport, source)
                                  : std::string{"network from the catalogue"};
  return fmt::format("{}: {}, {}", job.model, compute, network);
}

std::optional<DollarsPerHour> price_of(const ClusterSpec& prices, const PreparedScenario& prepared,
                                       const Placement& placement)
{
  std::set<NodeId> nodes;
  for (const auto* tasks : {&placement.workers, &placement.servers})
    for (const VertexId task : *tasks)
      nodes.insert(prepared.cluster.vertex(task).node);
  DollarsPerHour price;
  for (const NodeId id : nodes)
    for (const NodeGroupSpec& group : prices.nodes)
      if (group.name == prepared.cluster.node(id).group)
        if (const auto type = prices.node_types.find(group.type); type != prices.node_types.end()) {
          if (!type->second.price)
            return std::nullopt;
          price += *type->second.price;
        }
  return price * stands_for(prepared);
}

std::string left_out_of_traffic(const std::string& job, const TrafficTable& traffic, double stands_for)
{
  if (traffic.listed == 1)
    return fmt::format("job '{}': all workers exchange the same: traffic.csv lists one of them, not the {} others", job,
                       traffic.left_out);
  return fmt::format("job '{}': {} of its {} equal workers were simulated, each for {:.3g} of them; the figures are "
                     "those of all, and steps.csv, links.csv and traffic.csv list the {}; with one_represents_all: no "
                     "all are simulated",
                     job, traffic.listed, traffic.listed + traffic.left_out, stands_for, traffic.listed);
}

std::string crowded_server(const Scenario& scenario, const JobSpec& job, const TrafficTable& traffic, int servers)
{
  if (servers < 2)
    return {};
  std::map<std::string, Bytes> sent; // by a server, or by several on one host: "ps-0+ps-2"
  Bytes all;
  const auto together = [](const std::string& task) { return 1 + std::ranges::count(task, '+'); };
  for (const TrafficRow& row : traffic.rows)
    if (row.from.starts_with("ps-")) {
      sent[row.from] += row.bytes;
      all += row.bytes;
    }
  for (const auto& [task, bytes] : sent) {
    const double share = bytes / all, even = static_cast<double>(together(task)) / servers;
    if (share < 2 * even)
      continue;
    // Looked for last: it takes long where a scenario has thousands of jobs.
    const std::string* placement = scenario.defaults.find(job.path + ".training.variable_placement");
    if (placement == nullptr)
      return {};
    return fmt::format("job '{}': {} keeps {:.0f} % of the variables ({:.0f} % would be even), because "
                       "variable_placement is {} unless the job says otherwise; greedy evens whole variables out, "
                       "partitioned divides them",
                       job.name, task, 100 * share, 100 * even, *placement);
  }
  return {};
}

std::string rings_that_meet(const JobSpec& job, const Node& node, const StepProgram& program,
                            const std::string& fidelity)
{
  constexpr std::size_t most_by_message = 100; // ranks at `flow`
  for (const Operation& operation : program.operations) {
    const auto* call = call_of(operation.work);
    if (fidelity == "step" || call == nullptr || call->channels <= static_cast<int>(node.nics.size()) ||
        !call->orders.empty() || call->cost.whole_latency || call->algorithm != "ring" ||
        call->ranks.size() <= node.gpus.size() || (fidelity == "flow" && call->ranks.size() <= most_by_message))
      continue;
    return fmt::format("job '{}': {} rings share the network cards of each machine; fidelity {} lets each round wait "
                       "for its start-up, while another ring could send, and the step may be some percent too long; "
                       "use --fidelity step",
                       job.name, call->channels, fidelity);
  }
  return {};
}

std::vector<std::string> assumed_hosts(const CheckedPoint& point, std::span<const PreparedJob> jobs,
                                       std::span<const JobRow> rows)
{
  const auto waits = [](const JobRow& row) { return !row.job.empty() && row.host.value() >= 0.5 * row.step_s.mean; };
  std::vector<std::string> notes;
  if (std::ranges::none_of(rows, waits))
    return notes;
  std::unordered_map<std::string, std::string> assumed; // time per operator, by path
  point.scenario.defaults.each_of([](std::string_view key) { return key == "host_per_operator"; },
                                  [&](const FilledDefault& note) { assumed.try_emplace(note.path, note.value); });
  for (std::size_t j = 0; j < rows.size(); ++j)
    if (const JobRow& row = rows[j]; waits(row))
      if (const auto filled = assumed.find(jobs[j].spec.path + ".host_per_operator"); filled != assumed.end())
        notes.push_back(fmt::format(
            "{}job '{}': the GPU waits for the host for {:.0f} % of the step, at an assumed {} per operator; set "
            "'{}' (0 s with CUDA graphs), or a larger batch_per_gpu{}",
            point.label.empty() ? "" : "at point " + point.label + ": ", row.job,
            100 * row.host.value() / row.step_s.mean, filled->second, filled->first,
            row.workers > 1 && jobs[j].dnn.sparse() ? ", with which more rows of its tables travel" : ""));
  return notes;
}

std::string slow_kind(const PreparedScenario& prepared, const JobSpec& job, const PlacedJob& placed, const JobRow& row)
{
  const bool waits = job.training.settings.text("update_rule", "sync").starts_with("sync");
  if (!waits || row.compute.value() < 0.5 * row.step_s.mean || placed.context->gpu != nullptr)
    return {};
  std::map<std::string, std::pair<int, Seconds>> kinds; // workers, and the time in which the slowest computes a step
  for (std::size_t worker = 0; worker < placed.context->workers.size(); ++worker) {
    const Vertex& vertex = prepared.cluster.vertex(placed.placement.workers[worker]);
    if (vertex.kind == VertexKind::host)
      return {};
    auto& [count, longest] = kinds[prepared.cluster.node(vertex.node).gpu];
    ++count;
    longest = std::max(longest, placed.context->workers[worker].total());
  }
  if (kinds.size() < 2)
    return {};
  const auto time = [](const auto& kind) { return kind.second.second; };
  const auto fast = std::ranges::min_element(kinds, {}, time), slow = std::ranges::max_element(kinds, {}, time);
  const double alone = fast->second.first * job.batch_per_gpu / time(*fast).value();
  if (alone < 1.1 * row.samples_per_second.mean)
    return {};
  return fmt::format(
      "job '{}': the {} computes {:.1f} times as long as the {}, which waits for it at each step; the {} "
      "workers on {} alone would compute {:.0f} samples/s: name their machines with 'nodes'",
      job.name, slow->first, time(*slow) / time(*fast), fast->first, fast->second.first, fast->first, alone);
}

std::vector<std::string> shared_cpus(const PreparedScenario& prepared,
                                     std::span<const std::unique_ptr<PlacedJob>> placed,
                                     std::span<const TimelineOutcome> outcomes)
{
  std::vector<std::string> notes;
  std::map<VertexId, std::vector<std::size_t>> jobs_on; // by CPU
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (placed[j] == nullptr || outcomes[j].failed)
      continue;
    std::map<VertexId, int> workers;
    for (const VertexId worker : placed[j]->placement.workers)
      if (prepared.cluster.vertex(worker).kind != VertexKind::gpu)
        ++workers[worker];
    const auto most = std::ranges::max_element(workers, {}, [](const auto& one) { return one.second; });
    const PreparedJob& job = prepared.jobs[j];
    if (most != workers.end() && most->second > 1 && !job.dnn.timed() && !job.spec.single_gpu_step)
      notes.push_back(fmt::format("job '{}': {} workers share the CPUs of {}; each computes at 1/{} of their rate",
                                  job.spec.name, most->second,
                                  prepared.cluster.node(prepared.cluster.vertex(most->first).node).name, most->second));
    for (const auto& [cpu, count] : workers)
      jobs_on[cpu].push_back(j);
  }
  for (const auto& [cpu, jobs] : jobs_on)
    for (std::size_t i = 1; i < jobs.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const TimelineOutcome &one = outcomes[jobs[k]], &other = outcomes[jobs[i]];
        if (one.began >= other.finish || other.began >= one.finish)
          continue;
        notes.push_back(fmt::format(
            "jobs '{}' and '{}' compute on the CPUs of {} at the same time, and each is counted as if it had them to "
            "itself; give each machines of its own with 'nodes'",
            prepared.jobs[jobs[k]].spec.name, prepared.jobs[jobs[i]].spec.name,
            prepared.cluster.node(prepared.cluster.vertex(cpu).node).name));
        return notes;
      }
  return notes;
}

} // namespace trainyard
