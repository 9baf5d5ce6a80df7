// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/job_notes.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "sim/step/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace trainyard {
namespace {

constexpr Sentence<std::string, Message> of_point{"jobs.of_point", "{point}: {what}"};
constexpr Sentence<std::string> computes_nothing{
    "jobs.computes_nothing",
    "job '{job}': its GPUs compute nothing, so there is no efficiency to compare with one GPU"};
constexpr Sentence<std::string, std::int64_t> one_of_traffic{
    "jobs.one_of_traffic",
    "job '{job}': all workers exchange the same: traffic.csv lists one of them, not the {others} others"};
constexpr Sentence<std::string> some_for_all{
    "jobs.some_for_all", "job '{job}': some of its equal workers are simulated for all; the figures are those of all, "
                         "and steps.csv, links.csv and traffic.csv list some; one_represents_all: no simulates all"};
constexpr Sentence<std::string, std::string, Figure, Figure, std::string> uneven_servers{
    "jobs.uneven_servers",
    "job '{job}': {server} keeps {share} of the variables ({even} would be even), because variable_placement is "
    "{placement} unless the job says otherwise; greedy evens whole variables out, partitioned divides them"};
constexpr Sentence<std::string, std::int64_t, std::string> rings_meet{
    "jobs.rings_meet",
    "job '{job}': {rings} rings share the network cards of each machine; fidelity {fidelity} lets each round wait for "
    "its start-up, while another ring could send, and the step may be some percent too long; use --fidelity step"};
constexpr Sentence<std::string, Figure, std::string, std::string, Messages> host_waits{
    "jobs.host_waits", "job '{job}': the GPU waits for the host for {share} of the step, at an assumed {time} per "
                       "operator; set '{key}' (0 s with CUDA graphs), or a larger batch_per_gpu{rows}"};
constexpr Sentence<> more_rows{"jobs.more_rows", ", with which more rows of its tables travel"};
constexpr Sentence<std::string, std::string, Figure, std::string, std::int64_t, Figure> slow_gpus{
    "jobs.slow_gpus",
    "job '{job}': the {slow} computes {times} times as long as the {fast}, which waits for it at each step; the "
    "{workers} workers on {fast} alone would compute {rate} samples/s: name their machines with 'nodes'"};
constexpr Sentence<std::string, std::int64_t, std::string> workers_share_cpus{
    "jobs.workers_share_cpus",
    "job '{job}': {workers} workers share the CPUs of {machine}; each computes at 1/{workers} of their rate"};
constexpr Sentence<std::string, std::string, std::string> jobs_share_cpus{
    "jobs.jobs_share_cpus", "jobs '{one}' and '{other}' compute on the CPUs of {machine} at the same time, and each is "
                            "counted as if it had them to itself; give each machines of its own with 'nodes'"};

constexpr Sentence<std::string, std::string> measured{"basis.measured", "measured (calibration '{name}' of {date})"};
constexpr Sentence<std::string, std::string> from_sheet{"basis.from_sheet",
                                                        "from a data sheet (calibration '{name}' of {date})"};
constexpr Sentence<std::string, std::string> fitted{"basis.fitted",
                                                    "fitted to measured steps (calibration '{name}' of {date})"};
constexpr Sentence<Figure> step_given{"basis.step_given", "single-GPU step of {step} given by the scenario"};
constexpr Sentence<> layers_given{"basis.layers_given", "times of its layers as given"};
constexpr Sentence<std::string> cpus_roofline{"basis.cpus_roofline",
                                              "compute from the rate of the CPUs of {machines} (roofline)"};
constexpr Sentence<std::string, Message> kernel_rates{"basis.kernel_rates",
                                                      "compute from kernel rates of {gpu} {source}"};
constexpr Sentence<std::string> data_sheet{"basis.data_sheet", "compute from the data sheet of {gpu} (roofline)"};
constexpr Sentence<std::string, Message> measured_transport{"basis.measured_transport",
                                                            "transport {transport} {source}"};
constexpr Sentence<> from_catalogue{"basis.from_catalogue", "network from the catalogue"};
constexpr Sentence<std::string, Message, Message> based_on{"basis.based_on", "{model}: {compute}, {network}"};
constexpr Sentence<Message, Messages> with_more{"basis.with_more", "{basis}{more}"};
constexpr Sentence<> a_step{"basis.a_step", "; that step is taken as a micro-step with its update (measured_step_is)"};
constexpr Sentence<> a_micro_step{"basis.a_micro_step", "; that step is a micro-step without an update"};
constexpr Sentence<> a_whole_batch{"basis.a_whole_batch", "; that step is all micro-steps and one update"};
constexpr Sentence<std::int64_t> of_several{"basis.of_several",
                                            "; that step was measured on {gpus} GPUs, without their exchange"};
constexpr Sentence<std::string> summed_by{"basis.summed_by", "; all-reduce by {how}"};
constexpr Sentence<std::string, Figure, Figure, std::string, Figure, Figure> passed_over_for{
    "basis.passed_over", "; all-reduce by {how}, as the library's own table says (it counts {counted}, and {more} for "
                         "{other}, which would take {less} instead of {takes})"};

/// What the measured step is, and how the library sums.
Messages more_basis(const JobSpec& job, const HowDone& how)
{
  Messages more;
  const std::string is = job.training.settings.text("measured_step_is", "step");
  if (job.single_gpu_step && (job.accumulation_steps > 1 || is != "step"))
    more.push_back(is == "step" ? a_step() : is == "micro_step" ? a_micro_step() : a_whole_batch());
  if (const int gpus = job.training.settings.integer("measured_on_gpus", 1); job.single_gpu_step && gpus > 1)
    more.push_back(of_several(gpus));
  const auto figure = [](Seconds time) { return Figure{time.value(), time_text(time)}; };
  if (!how.better.empty())
    more.push_back(passed_over_for(how.taken, figure(how.counted), figure(how.better_counted), how.better,
                                   figure(how.would_take), figure(how.takes)));
  else if (!how.taken.empty())
    more.push_back(summed_by(how.taken));
  return more;
}

Figure whole_percent(double share)
{
  return {share, fmt::format("{:.0f} %", 100 * share)};
}

} // namespace

Message at_point(const std::string& point, Message warning)
{
  return as(MessageKind::warning, point.empty() ? std::move(warning) : of_point(point, warning));
}

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

Message provenance_note(const Scenario& scenario, const JobSpec& job, const Node& node, const std::string& devices,
                        bool timed, const HowDone& how)
{
  const std::optional<CalibrationUse>& use = scenario.calibration;
  const auto source = [&] {
    return (use->provenance == Provenance::data_sheet ? from_sheet
            : use->provenance == Provenance::fitted   ? fitted
                                                      : measured)(use->name, use->created.substr(0, 10));
  };
  const Message compute = job.single_gpu_step
                              ? step_given({job.single_gpu_step->value(), to_text(*job.single_gpu_step)})
                          : timed                                                  ? layers_given()
                          : job.training.settings.text("device", "gpu") == "cpu"   ? cpus_roofline(node.group)
                          : use && use->covers(AppliedConstant::Of::gpu, node.gpu) ? kernel_rates(node.gpu, source())
                                                                                   : data_sheet(devices);
  const std::string& transport = job.training.transport;
  Message basis =
      based_on(job.model, compute,
               use && use->covers(AppliedConstant::Of::transport, transport) ? measured_transport(transport, source())
                                                                             : from_catalogue());
  Messages more = more_basis(job, how);
  return more.empty() ? basis : with_more(std::move(basis), std::move(more));
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

Message no_efficiency(const std::string& job)
{
  return as(MessageKind::warning, computes_nothing(job));
}

Message left_out_of_traffic(const std::string& job, const TrafficTable& traffic)
{
  return traffic.listed == 1 ? one_of_traffic(job, traffic.left_out) : some_for_all(job);
}

Message crowded_server(const Scenario& scenario, const JobSpec& job, const TrafficTable& traffic, int servers)
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
    return as(MessageKind::warning,
              uneven_servers(job.name, task, whole_percent(share), whole_percent(even), *placement));
  }
  return {};
}

Message rings_that_meet(const JobSpec& job, const Node& node, const StepProgram& program, const std::string& fidelity)
{
  constexpr std::size_t most_by_message = 100; // ranks at `flow`
  for (const Operation& operation : program.operations) {
    const auto* call = call_of(operation.work);
    if (fidelity == "step" || call == nullptr || call->channels <= static_cast<int>(node.nics.size()) ||
        !call->orders.empty() || call->cost.whole_latency || call->algorithm != "ring" ||
        call->ranks.size() <= node.gpus.size() || (fidelity == "flow" && call->ranks.size() <= most_by_message))
      continue;
    return as(MessageKind::warning, rings_meet(job.name, call->channels, fidelity));
  }
  return {};
}

Messages assumed_hosts(const CheckedPoint& point, std::span<const PreparedJob> jobs, std::span<const JobRow> rows)
{
  const auto waits = [](const JobRow& row) { return !row.job.empty() && row.host.value() >= 0.5 * row.step_s.mean; };
  Messages notes;
  if (std::ranges::none_of(rows, waits))
    return notes;
  std::unordered_map<std::string, std::string> assumed; // time per operator, by path
  point.scenario.defaults.each_of([](std::string_view key) { return key == "host_per_operator"; },
                                  [&](const FilledDefault& note) { assumed.try_emplace(note.path, note.value); });
  for (std::size_t j = 0; j < rows.size(); ++j)
    if (const JobRow& row = rows[j]; waits(row))
      if (const auto filled = assumed.find(jobs[j].spec.path + ".host_per_operator"); filled != assumed.end())
        notes.push_back(at_point(
            point.label.empty() ? "" : "at point " + point.label,
            host_waits(row.job, whole_percent(row.host.value() / row.step_s.mean), filled->second, filled->first,
                       row.workers > 1 && jobs[j].dnn.sparse() ? Messages{more_rows()} : Messages{})));
  return notes;
}

Message slow_kind(const PreparedScenario& prepared, const JobSpec& job, const PlacedJob& placed, const JobRow& row)
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
  const double times = time(*slow) / time(*fast);
  return slow_gpus(job.name, slow->first, {times, fmt::format("{:.1f}", times)}, fast->first, fast->second.first,
                   {alone, fmt::format("{:.0f}", alone)});
}

Messages shared_cpus(const PreparedScenario& prepared, std::span<const std::unique_ptr<PlacedJob>> placed,
                     std::span<const TimelineOutcome> outcomes)
{
  Messages notes;
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
      notes.push_back(workers_share_cpus(job.spec.name, most->second,
                                         prepared.cluster.node(prepared.cluster.vertex(most->first).node).name));
    for (const auto& [cpu, count] : workers)
      jobs_on[cpu].push_back(j);
  }
  for (const auto& [cpu, jobs] : jobs_on)
    for (std::size_t i = 1; i < jobs.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const TimelineOutcome &one = outcomes[jobs[k]], &other = outcomes[jobs[i]];
        if (one.began >= other.finish || other.began >= one.finish)
          continue;
        notes.push_back(jobs_share_cpus(prepared.jobs[jobs[k]].spec.name, prepared.jobs[jobs[i]].spec.name,
                                        prepared.cluster.node(prepared.cluster.vertex(cpu).node).name));
        return notes;
      }
  return notes;
}

} // namespace trainyard
