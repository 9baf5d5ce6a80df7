// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/orchestration_report.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/memory.hpp"
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/report/gpu_series.hpp"
#include "sim/report/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>
#include <utility>

namespace trainyard::orchestration {

namespace {

/// A time that may not have come.
std::string optional_seconds(Instant time)
{
  return time < Instant{} ? "" : exact_seconds(time);
}

/// The number with its last @p digits digits behind the point, without zeros at the end.
std::string trimmed(Wide value, int digits)
{
  std::string text = exact_text(value, digits);
  while (text.back() == '0')
    text.pop_back();
  if (text.back() == '.')
    text.pop_back();
  return text;
}

/// 10^-12 GPU-seconds as GPU-seconds, exact.
std::string exact_gpu_seconds(Wide value)
{
  return trimmed(value, 12);
}

/// 10^-9 MiB-seconds as MiB-seconds, exact.
std::string exact_mib_seconds(Wide value)
{
  return trimmed(value, 9);
}

} // namespace

std::string placement_csv(const Runs& runs)
{
  std::string text =
      "point,task,service,node,host_gpu,gpu_id,container_gpu,gpu_share,placed_s,pulled_s,running_s,ended_s,end\n";
  for (const PointRun& run : runs)
    for (const InstanceRecord& one : run.result.instances) {
      const auto task = static_cast<std::size_t>(one.task);
      const auto service = static_cast<std::size_t>(run.result.task_service[task]);
      const auto row = [&](const std::string& host, const std::string& id, const std::string& container,
                           const std::string& share) {
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(run.point),
                            csv_text(run.result.task_names[task]), csv_text(run.input.services[service].name),
                            run.input.cluster.nodes[static_cast<std::size_t>(one.node)].name, host, id, container,
                            share, exact_seconds(one.placed), exact_seconds(one.pulled), optional_seconds(one.running),
                            optional_seconds(one.ended), to_text(one.reason));
      };
      // The orchestrator shows a container its GPUs as 0, 1…, whatever they are called on the host.
      int container = 0;
      int milli = 1000;
      for (const TaskGroupSpec& group : run.input.services[service].groups)
        if (group.gpus > 0)
          milli = group.gpu_milli;
      const auto& ids = run.input.traits[static_cast<std::size_t>(one.node)].gpu_ids;
      for (std::uint32_t mask = one.gpu_mask; mask != 0; mask &= mask - 1)
        row(fmt::format("{}", std::countr_zero(mask)),
            ids.empty() ? "" : csv_text(ids[static_cast<std::size_t>(std::countr_zero(mask))]),
            fmt::format("{}", container++), fmt::format("{:g}", milli / 1000.0));
      if (one.gpu_mask == 0)
        row("", "", "", "");
    }
  return text;
}

std::string phases_csv(const Runs& runs)
{
  std::string text = "point,task,service,from_s,to_s,state,node,reason\n";
  for (const PointRun& run : runs) {
    std::vector<const PhaseRecord*> order;
    for (const PhaseRecord& phase : run.result.phases)
      order.push_back(&phase);
    std::ranges::stable_sort(order, {}, &PhaseRecord::task);
    for (const PhaseRecord* one : order) {
      const auto task = static_cast<std::size_t>(one->task);
      text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_text(run.point), csv_text(run.result.task_names[task]),
                          csv_text(run.input.services[static_cast<std::size_t>(run.result.task_service[task])].name),
                          exact_seconds(one->from), exact_seconds(one->to), csv_text(to_text(one->phase)),
                          one->node < 0 ? "" : run.input.cluster.nodes[static_cast<std::size_t>(one->node)].name,
                          one->why < 0 ? "" : csv_text(run.result.reasons[static_cast<std::size_t>(one->why)].text));
    }
  }
  return text;
}

std::string accounting_csv(const Runs& runs)
{
  std::string text =
      "point,owner,team,gpu_s,starting_gpu_s,restoring_gpu_s,useful_gpu_s,lost_gpu_s,saving_gpu_s,stalled_gpu_s,"
      "idle_gpu_s,orphaned_gpu_s,used_gpu_s,core_s,memory_MiB_s\n";
  for (const PointRun& run : runs) {
    for (std::size_t s = 0; s < run.input.services.size(); ++s) {
      const ServiceOutcome& o = run.result.services[s];
      const ServiceSpec& spec = run.input.services[s];
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},{},{}\n", csv_text(run.point), csv_text(spec.name),
                      csv_text(spec.team), exact_gpu_seconds(o.held.gpu), exact_gpu_seconds(o.starting.gpu),
                      exact_gpu_seconds(o.parts.restoring_gpu.gpu), exact_gpu_seconds(o.parts.useful_gpu.gpu),
                      exact_gpu_seconds(o.parts.lost_gpu.gpu), exact_gpu_seconds(o.parts.saving_gpu.gpu),
                      exact_gpu_seconds(o.parts.stalled_gpu.gpu), exact_gpu_seconds(o.parts.idle_gpu.gpu),
                      exact_gpu_seconds(o.orphaned.gpu), gpu_seconds(o.parts.useful_gpu.gpu) * spec.used_share,
                      exact_gpu_seconds(o.held.cpu), exact_mib_seconds(o.held.memory));
    }
    const auto cluster = [&](const char* owner, const AmountTime& time) {
      text += fmt::format("{},({}),,{},,,,,,,,,,{},{}\n", csv_text(run.point), owner, exact_gpu_seconds(time.gpu),
                          exact_gpu_seconds(time.cpu), exact_mib_seconds(time.memory));
    };
    cluster("idle", run.result.idle);
    cluster("down", run.result.down);
    cluster("capacity", run.result.capacity);
  }
  return text;
}

std::string faults_csv(const Runs& runs)
{
  std::string text = "point,what,at_s,until_s,drawn,caused_by,detected_s,replaced_s,recovered_s,time_to_recover_s,"
                     "tasks_hit,never_back,worst_outage_s,"
                     "redone_s,redone_gpu_s,moved_to\n";
  for (const PointRun& run : runs)
    for (const FaultOutcome& one : run.result.faults) {
      const std::string kind = to_text(one.event.kind);
      const std::string what =
          one.event.name.starts_with(kind) && one.event.name != kind && one.event.name[kind.size()] == ' '
              ? one.event.name // "process train-0"
              : kind + " " + one.event.name;
      std::string moved;
      for (const int node : one.moved_to)
        moved += (moved.empty() ? "" : " ") + run.input.cluster.nodes[static_cast<std::size_t>(node)].name;
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(run.point), csv_text(what),
          exact_seconds(one.event.at), one.event.until >= end_of_time ? "" : exact_seconds(one.event.until),
          one.event.random ? "yes" : "no",
          one.event.cause < 0 ? "" : run.input.cluster.nodes[static_cast<std::size_t>(one.event.cause)].name,
          optional_seconds(one.detected), optional_seconds(one.evicted), optional_seconds(one.recovered),
          one.recovered < Instant{} ? "" : exact_seconds(one.recovered - one.event.at), one.tasks_hit, one.never_back,
          exact_seconds(one.worst_outage), exact_seconds(one.redone), exact_gpu_seconds(one.redone_gpu.gpu), moved);
    }
  return text;
}

std::string events_csv(const Runs& runs)
{
  std::string text = "point,time_s,clock,event\n";
  for (const PointRun& run : runs)
    for (const LogEntry& entry : run.result.log)
      text += fmt::format("{},{},{},{}\n", csv_text(run.point), exact_seconds(entry.time), clock_text(entry.time),
                          csv_text(entry.text));
  return text;
}

std::string events_text(const Runs& runs)
{
  std::string text;
  for (const PointRun& run : runs) {
    if (!run.point.empty())
      text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", run.point);
    for (const LogEntry& entry : run.result.log)
      text += fmt::format("{} {}\n", clock_text(entry.time), entry.text);
  }
  return text;
}

std::string services_csv(const Runs& runs)
{
  std::string text = fmt::format("point,{}\n", csv_heading(service_columns()));
  for (const PointRun& run : runs)
    for (std::size_t s = 0; s < run.input.services.size(); ++s)
      text += fmt::format("{},{}\n", csv_text(run.point),
                          csv_row<ServiceRow>(service_columns(), {&run, s},
                                              [](double value) { return fmt::format("{:.12g}", value); }));
  return text;
}

std::string replicas_csv(const Runs& runs)
{
  std::string text = "point,service,time_s,desired,running\n";
  for (const PointRun& run : runs)
    for (const SeriesPoint& point : run.result.series)
      text += fmt::format("{},{},{},{},{}\n", csv_text(run.point),
                          csv_text(run.input.services[static_cast<std::size_t>(point.service)].name),
                          exact_seconds(point.time), point.desired, point.running);
  return text;
}

std::string serving_csv(const Runs& runs)
{
  const auto seconds = [](Seconds time) {
    return std::isfinite(time.value()) ? fmt::format("{:.6g}", time.value()) : "overloaded";
  };
  std::string text = "point,service,from_s,to_s,rate_per_s,replicas,mean_response_s,p95_response_s,answered\n";
  for (const PointRun& run : runs)
    for (std::size_t s = 0; s < run.input.services.size(); ++s)
      for (const ServingSpan& span : serving_spans(run, s))
        text += fmt::format("{},{},{},{},{:.6g},{},{},{},{:.6g}\n", csv_text(run.point),
                            csv_text(run.input.services[s].name), exact_seconds(span.from), exact_seconds(span.to),
                            span.rate, span.replicas, seconds(span.response.mean), seconds(span.response.p95),
                            span.answered);
  return text;
}

/// By node, GPU-seconds that its instances held.
std::vector<double> held_gpus(const PointRun& run)
{
  std::vector<double> held(run.input.cluster.nodes.size(), 0);
  for (const InstanceRecord& one : run.result.instances)
    held[static_cast<std::size_t>(one.node)] +=
        std::popcount(one.gpu_mask) * (one.gpu_milli / 1000.0) *
        ((one.ended < Instant{} ? run.result.ended : one.ended) - one.placed).value();
  return held;
}

std::string nodes_csv(const Runs& runs)
{
  std::string text = "point,node,group,rack,gpus,instances,gpu_s,disk_left_bytes\n";
  for (const PointRun& run : runs) {
    std::vector<int> instances(run.input.cluster.nodes.size(), 0);
    const std::vector<double> held = held_gpus(run);
    for (const InstanceRecord& one : run.result.instances)
      ++instances[static_cast<std::size_t>(one.node)];
    for (std::size_t node = 0; node < run.input.cluster.nodes.size(); ++node)
      text +=
          fmt::format("{},{},{},{},{},{},{:.12g},{:.12g}\n", csv_text(run.point), run.input.cluster.nodes[node].name,
                      run.input.traits[node].group, run.input.cluster.nodes[node].rack,
                      run.input.cluster.nodes[node].gpus, instances[node], held[node], run.result.disk_left[node]);
  }
  return text;
}

double imbalance(const PointRun& run)
{
  const std::vector<double> held = held_gpus(run);
  double sum = 0, most = 0;
  int nodes = 0;
  for (std::size_t node = 0; node < held.size(); ++node)
    if (run.input.cluster.nodes[node].gpus > 0) {
      ++nodes;
      sum += held[node];
      most = std::max(most, held[node]);
    }
  return sum > 0 ? most * nodes / sum : 1;
}

double PointRun::reserved_MiB(std::size_t service, std::size_t node) const
{
  // TensorFlow takes nearly all memory of each GPU that it sees (seen with the M40: 10,874 of 11,443 MiB).
  return service < steps.size() && steps[service] && steps[service]->reserved > Bytes{}
             ? steps[service]->reserved.value() / 1048576
             : reserved_share * gpu_memory_MiB[node];
}

namespace {

std::vector<MonitoredNode> monitored(const PointRun& run)
{
  std::vector<MonitoredNode> nodes;
  for (std::size_t n = 0; n < run.input.cluster.nodes.size(); ++n) {
    const NodeShape& node = run.input.cluster.nodes[n];
    nodes.push_back({node.name,
                     node.gpus > 0 ? run.input.cluster.gpu_types[static_cast<std::size_t>(node.gpu_type)] : "",
                     node.gpus, run.gpu_memory_MiB[n], run.gpu_idle_power[n], run.gpu_power[n]});
  }
  return nodes;
}

/// Share of the time in which kernels of a task run: from the step where its service trains a job or runs a graph, else
/// from what the service says of itself. Saves of checkpoints are spread over the time between them.
double kernel_share(const PointRun& run, int service, const TaskGroupSpec& group, const WorkRecord& work)
{
  if (!(work.pace > 0))
    return 0;
  const ServiceSpec& spec = run.input.services[static_cast<std::size_t>(service)];
  const double cycle = (spec.checkpoint.interval + spec.checkpoint.save).value();
  const double computing = spec.checkpoint.interval > Seconds{} ? spec.checkpoint.interval.value() / cycle : 1;
  if (group.gpus == 0)
    return group.gpu_use * computing;
  if (const auto step = run.input.step_at ? run.input.step_at(service, work.places) : std::nullopt)
    return group.role == "ps" ? 0 : std::min(1.0, step->gpu_use * work.pace) * computing;
  return std::min(1.0, (1 - spec.communication_share) * work.pace) * spec.used_share * computing;
}

/// What an instance does on its GPUs: it is placed, runs, and then does what its unit does.
void add_stays(const PointRun& run, const InstanceRecord& one, std::vector<GpuStay>& stays)
{
  const auto task = static_cast<std::size_t>(one.task), node = static_cast<std::size_t>(one.node);
  const int service = run.result.task_service[task];
  const TaskGroupSpec& group = run.group_of(one.task);
  const bool asks_for_none = group.gpus == 0 && group.gpu_use > 0;
  const Instant end = one.ended < Instant{} ? run.result.ended : one.ended;
  const Instant runs = one.running < Instant{} ? end : one.running;
  const double memory = asks_for_none
                            ? static_cast<double>(group.gpu_memory_mib)
                            : run.reserved_MiB(static_cast<std::size_t>(service), node) * group.gpu_milli / 1000;
  for (std::uint32_t mask = asks_for_none ? 1 : one.gpu_mask; mask != 0; mask &= mask - 1) {
    GpuStay stay{.node = one.node, .gpu = std::countr_zero(mask), .task = run.result.task_names[task]};
    const auto add = [&](Instant from, Instant to) {
      stay.from = from;
      stay.to = to;
      if (from < to)
        stays.push_back(stay);
    };
    if (!asks_for_none)
      add(one.placed, runs);
    stay.memory_MiB = memory;
    Instant since = runs;
    for (const WorkRecord& work : run.work_of(one.task)) {
      if (work.from >= end)
        break;
      add(since, work.from);
      since = std::max(since, work.from);
      stay.use = kernel_share(run, service, group, work);
    }
    add(since, end);
  }
}

/// Processes of nobody's, which hold memory; what they compute nobody says.
void add_others(const PointRun& run, std::vector<GpuStay>& stays)
{
  std::map<std::tuple<int, int, std::string>, std::size_t> last; // by node, GPU and process
  for (const MemoryTaken& one : run.input.taken) {
    const auto [before, fresh] = last.try_emplace({one.node, one.gpu, one.process}, stays.size());
    if (!fresh)
      stays[std::exchange(before->second, stays.size())].to = one.from;
    stays.push_back({.node = one.node, .gpu = one.gpu, .from = one.from, .to = run.result.ended});
    stays.back().task = one.MiB > 0 ? one.process : "";
    stays.back().memory_MiB = one.MiB;
  }
}

std::vector<GpuSpan> spans_of(const PointRun& run)
{
  std::vector<GpuStay> stays;
  for (const InstanceRecord& one : run.result.instances)
    add_stays(run, one, stays);
  add_others(run, stays);
  return gpu_spans(monitored(run), stays, run.result.ended);
}

/// A GPU over the whole run.
struct GpuTotals {
  Instant held{0};
  double used = 0;   // s
  double energy = 0; // J
  double most_MiB = 0;
  std::string last; // tasks at the end
};

} // namespace

const TaskGroupSpec& PointRun::group_of(int task) const
{
  const ServiceSpec& spec =
      input.services[static_cast<std::size_t>(result.task_service[static_cast<std::size_t>(task)])];
  return spec.groups[static_cast<std::size_t>(result.task_group[static_cast<std::size_t>(task)])];
}

std::span<const WorkRecord> PointRun::work_of(int task) const
{
  const auto unit = static_cast<std::size_t>(result.task_unit[static_cast<std::size_t>(task)]);
  return unit < result.work.size() ? result.work[unit] : std::span<const WorkRecord>{};
}

std::string gpu_series_csv(const Runs& runs)
{
  std::string text = gpu_series_heading();
  for (const PointRun& run : runs)
    text += gpu_series_rows(run.point, monitored(run), spans_of(run));
  return text;
}

std::string gpus_csv(const Runs& runs)
{
  std::string text = "point,node,gpu,type,owner_at_end,held_s,held_share,used_s,mean_power_W,energy_kWh,memory_MiB,"
                     "reserved_MiB,assumed_temperature_C\n";
  for (const PointRun& run : runs) {
    std::map<std::pair<int, int>, GpuTotals> totals;
    for (const GpuSpan& span : spans_of(run)) {
      GpuTotals& sum = totals[{span.node, span.gpu}];
      const Instant time = span.to - span.from;
      sum.held += span.tasks.empty() ? Instant{} : time;
      sum.used += span.use * time.value();
      sum.energy += span.power.value() * time.value();
      sum.most_MiB = std::max(sum.most_MiB, span.memory_MiB);
      sum.last = span.tasks;
    }
    const std::vector<MonitoredNode> nodes = monitored(run);
    const double all = run.result.ended.value();
    for (const auto& [gpu, sum] : totals) {
      const MonitoredNode& node = nodes[static_cast<std::size_t>(gpu.first)];
      const Watts power = all > 0 ? Watts{sum.energy / all} : node.idle_power;
      text += fmt::format("{},{},{},{},{},{},{:.6g},{:.9g},{:.6g},{:.6g},{:.6g},{:.6g},{:.3g}\n", csv_text(run.point),
                          node.name, gpu.second, node.type, csv_text(sum.last), exact_seconds(sum.held),
                          all > 0 ? sum.held.value() / all : 0.0, sum.used, power.value(), sum.energy / 3.6e6,
                          node.memory_MiB, sum.most_MiB, temperature_at(node, power));
    }
  }
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

std::string when(Instant time)
{
  return time < Instant{} ? "never" : time_text(seconds(time));
}

std::string zero_or(Instant time)
{
  return time == Instant{} ? "0" : time_text(seconds(time));
}

std::string hours_text(Wide time)
{
  return fmt::format("{:.3g}", gpu_seconds(time) / 3600);
}

/// The first @p most rows; @p file has all.
template <class Row>
void tell_rows(std::vector<Row> rows, const std::vector<ShownColumn<Row>>& columns, std::size_t most, const char* file,
               Telling& told)
{
  const std::size_t all = rows.size();
  rows.resize(std::min(all, most));
  tell_table(rows, columns, told);
  if (all > most)
    told.say(more_rows_in(static_cast<std::int64_t>(all - most), file));
}

/// A failure of a run.
struct FaultRow {
  const PointRun* run = nullptr;
  const FaultOutcome* fault = nullptr;
};

} // namespace

void tell_services(const Runs& runs, Telling& told)
{
  using Row = ServiceRow;
  std::vector<Row> rows;
  for (const PointRun& run : runs)
    for (std::size_t service = 0; service < run.input.services.size(); ++service)
      rows.push_back({&run, service});
  const auto ends = [](const Row& row) { return row.spec().ends() || !row.spec().clients.empty(); };
  const auto part = [](auto of) { return [of](const Row& row) { return zero_or(of(row.outcome().parts)); }; };
  using Parts = decltype(ServiceOutcome::parts);
  tell_rows<Row>(
      std::move(rows),
      {{{"point", false}, [](const Row& row) { return row.run->point; }, runs.size() > 1},
       {{"service", false}, [](const Row& row) { return row.spec().name; }},
       {{"tasks"}, [](const Row& row) { return fmt::format("{}", row.spec().replicas()); }},
       {{"first up"}, [](const Row& row) { return when(row.outcome().first_running); }},
       {{"done"},
        [=](const Row& row) {
          return row.outcome().failed ? "failed" : !ends(row) ? "-" : when(row.outcome().finished);
        }},
       {{"JCT"},
        [=](const Row& row) {
          return ends(row) && row.outcome().finished >= Instant{}
                     ? time_text(seconds(row.outcome().finished - Instant{row.spec().arrival}))
                     : "-";
        }},
       {{"restarts"}, [](const Row& row) { return fmt::format("{}", row.outcome().restarts); }},
       {{"moved"}, [](const Row& row) { return fmt::format("{}", row.outcome().moves); }},
       {{"available"}, [](const Row& row) { return fmt::format("{:.4g} %", 100 * availability(row.outcome())); }},
       {{"useful"}, part([](const Parts& parts) { return parts.useful; })},
       {{"redone"}, part([](const Parts& parts) { return parts.lost; })},
       {{"saving"}, part([](const Parts& parts) { return parts.saving + parts.restoring; })},
       {{"stalled"}, part([](const Parts& parts) { return parts.stalled; })},
       {{"GPU-h"}, [](const Row& row) { return hours_text(row.outcome().held.gpu); }}},
      60, "services.csv", told);
}

void tell_faults(const Runs& runs, Telling& told)
{
  using Row = FaultRow;
  std::vector<Row> rows;
  for (const PointRun& run : runs)
    for (const FaultOutcome& fault : run.result.faults)
      rows.push_back({&run, &fault});
  if (rows.empty())
    return;
  told.gap();
  tell_rows<Row>(std::move(rows),
                 {{{"point", false}, [](const Row& row) { return row.run->point; }, runs.size() > 1},
                  {{"failure", false}, [](const Row& row) { return row.fault->event.name; }},
                  {{"at"}, [](const Row& row) { return clock_text(row.fault->event.at); }},
                  {{"lasted"},
                   [](const Row& row) {
                     const auto& event = row.fault->event;
                     return event.until >= end_of_time ? "for ever" : zero_or(event.until - event.at);
                   }},
                  {{"noticed after"},
                   [](const Row& row) {
                     return row.fault->detected < Instant{} ? "-" : zero_or(row.fault->detected - row.fault->event.at);
                   }},
                  {{"recovered after"},
                   [](const Row& row) {
                     return row.fault->recovered >= Instant{} ? zero_or(row.fault->recovered - row.fault->event.at)
                            : row.fault->tasks_hit > 0        ? "never"
                                                              : "-";
                   }},
                  {{"tasks hit"}, [](const Row& row) { return fmt::format("{}", row.fault->tasks_hit); }},
                  {{"never back"}, [](const Row& row) { return fmt::format("{}", row.fault->never_back); }},
                  {{"redone"}, [](const Row& row) { return zero_or(row.fault->redone); }},
                  {{"redone GPU-h"}, [](const Row& row) { return hours_text(row.fault->redone_gpu.gpu); }}},
                 24, "faults.csv", told);
}

Json summary_of(const PointRun& run)
{
  const OrchestrationResult& result = run.result;
  const Totals all{run};
  Json services = Json::array();
  for (std::size_t s = 0; s < run.input.services.size(); ++s)
    services.push_back(row_json<ServiceRow>(service_columns(), {&run, s}));
  return {{"point", run.point},
          {"ended_s", result.ended.value()},
          {"gpu_hours",
           {{"capacity", gpu_seconds(result.capacity.gpu) / 3600},
            {"held", gpu_seconds(all.held) / 3600},
            {"useful", gpu_seconds(all.useful) / 3600},
            {"lost", gpu_seconds(all.lost) / 3600},
            {"stalled", gpu_seconds(all.stalled) / 3600},
            {"starting", gpu_seconds(all.starting) / 3600},
            {"restoring", gpu_seconds(all.restoring) / 3600},
            {"saving", gpu_seconds(all.saving) / 3600},
            {"without_work", gpu_seconds(all.idle) / 3600},
            {"orphaned", gpu_seconds(all.orphaned) / 3600},
            {"idle", gpu_seconds(result.idle.gpu) / 3600},
            {"down", gpu_seconds(result.down.gpu) / 3600}}},
          {"utilisation", ratio(all.useful, result.capacity.gpu)},
          {"imbalance", imbalance(run)},
          {"failures", result.faults.size()},
          {"tasks_hit", all.hit},
          {"tasks_never_back", all.never_back},
          {"mean_time_to_recover_s",
           all.recovered > 0 ? Json(all.recovering / static_cast<double>(all.recovered)) : Json{}},
          {"placements", result.placements},
          {"disk_left_B", std::accumulate(result.disk_left.begin(), result.disk_left.end(), 0.0)},
          {"cost_usd", paid(run) ? Json(*paid(run)) : Json{}},
          {"services", services}};
}

Picture replicas_picture(const PointRun& run)
{
  const double end = std::max(1e-6, run.result.ended.value());
  constexpr std::size_t most = 12;
  Picture picture{.title =
                      "replicas: running (filled) and desired (line)" + (run.point.empty() ? "" : " · " + run.point)};
  for (std::size_t s = 0; s < run.input.services.size() && s < most; ++s) {
    PicturePanel& panel = picture.panels.emplace_back();
    panel.title = run.input.services[s].name;
    panel.x = {0, end};
    panel.height = 64;
    std::vector<SeriesPoint> points;
    for (const SeriesPoint& point : run.result.series)
      if (point.service == static_cast<int>(s)) {
        points.push_back(point);
        panel.y.high = std::max({panel.y.high, 1.0 * point.desired, 1.0 * point.running});
      }
    if (points.empty())
      continue;
    points.push_back(points.back());
    points.back().time = run.result.ended;
    std::vector<std::pair<double, double>> desired;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const double from = points[i].time.value(), to = points[i + 1].time.value();
      if (points[i].running > 0 && to > from)
        panel.marks.push_back(box(from, to, 0, points[i].running, okabe_ito[s % 6], 0.45));
      desired.insert(desired.end(), {{from, points[i].desired}, {to, points[i].desired}});
    }
    add_line(panel.marks, desired, line(0, 0, 0, 0, ink, 1.2));
  }
  for (const FaultOutcome& fault : run.result.faults)
    picture.events.emplace_back(fault.event.at.value(), "failure: " + fault.event.name);
  return picture;
}

} // namespace trainyard::orchestration
