// SPDX-License-Identifier: Apache-2.0
#include "sim/report/gpu_series.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/results/csv.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

constexpr Sentence<std::string> gpus_then{"report.gpus_then", "GPUs at {when}"};

/// What begins or ends on a GPU.
struct Edge {
  const GpuStay* stay = nullptr;
  int sign = 1;
};

using Edges = std::multimap<Instant, Edge>; // of one GPU

/// What is on a GPU now.
struct OnGpu {
  std::multiset<std::string> tasks;
  double use = 0;
  double memory_MiB = 0;

  void apply(const Edge& edge)
  {
    use += edge.sign * edge.stay->use;
    memory_MiB += edge.sign * edge.stay->memory_MiB;
    if (edge.sign > 0)
      tasks.insert(edge.stay->task);
    else
      tasks.erase(tasks.find(edge.stay->task));
    if (tasks.empty())
      use = memory_MiB = 0;
  }
};

/// The rows of one GPU; neighbours that are alike are one.
void add_spans(const GpuSpan& gpu, const MonitoredNode& node, const Edges& edges, Instant until,
               std::vector<GpuSpan>& spans)
{
  const std::size_t first = spans.size();
  OnGpu now;
  const auto add = [&](Instant from, Instant to) {
    GpuSpan span = gpu;
    span.from = from;
    span.to = to;
    for (const std::string& task : std::set<std::string>{now.tasks.begin(), now.tasks.end()})
      span.tasks += task.empty() ? "" : (span.tasks.empty() ? "" : " ") + task;
    span.use = std::clamp(now.use, 0.0, 1.0);
    span.memory_MiB = now.memory_MiB;
    span.power = power_at(node, span.use);
    const auto state = [](const GpuSpan& one) { return std::tie(one.tasks, one.use, one.memory_MiB); };
    if (spans.size() > first && state(spans.back()) == state(span))
      spans.back().to = to;
    else
      spans.push_back(std::move(span));
  };
  Instant from{0};
  for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
    if (edge->first > from)
      add(from, edge->first);
    from = std::max(from, edge->first);
    now.apply(edge->second);
  }
  if (from < until)
    add(from, until);
}

std::string share_told(double used, double all, const char* unit)
{
  return all > 0 ? fmt::format("{:.0f} / {:.0f} {}", used, all, unit) : fmt::format("{:.0f} {}", used, unit);
}

} // namespace

Watts power_at(const MonitoredNode& node, double use)
{
  return node.idle_power + use * (node.power - node.idle_power);
}

double temperature_at(const MonitoredNode& node, Watts power)
{
  return node.power > Watts{} ? 25 + 58 * (power / node.power) : 25;
}

std::vector<GpuSpan> gpu_spans(std::span<const MonitoredNode> nodes, std::span<const GpuStay> stays, Instant until)
{
  std::map<std::pair<int, int>, Edges> edges;
  for (const GpuStay& stay : stays)
    if (const Instant to = std::min(stay.to, until); stay.from < to) {
      Edges& here = edges[{stay.node, stay.gpu}];
      here.emplace(stay.from, Edge{&stay, 1});
      here.emplace(to, Edge{&stay, -1});
    }
  std::vector<GpuSpan> spans;
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node)
    for (int gpu = 0; gpu < nodes[static_cast<std::size_t>(node)].gpus; ++gpu)
      add_spans({.node = node, .gpu = gpu}, nodes[static_cast<std::size_t>(node)], edges[{node, gpu}], until, spans);
  return spans;
}

std::string gpu_series_heading()
{
  return "point,node,gpu,type,from_s,to_s,tasks,kernel_share,memory_used_MiB,memory_MiB,power_W,board_power_W,"
         "assumed_temperature_C\n";
}

std::string gpu_series_rows(const std::string& point, std::span<const MonitoredNode> nodes,
                            std::span<const GpuSpan> spans)
{
  std::string text;
  for (const GpuSpan& one : spans) {
    const MonitoredNode& node = nodes[static_cast<std::size_t>(one.node)];
    text += fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.3g}\n", csv_text(point),
                        csv_text(node.name), one.gpu, csv_text(node.type), exact_seconds(one.from),
                        exact_seconds(one.to), csv_text(one.tasks), one.use, one.memory_MiB, node.memory_MiB,
                        one.power.value(), node.power.value(), temperature_at(node, one.power));
  }
  return text;
}

Telling gpus_at(const WrittenRun& run, const std::string& when)
{
  const QuantityText time = parse_quantity(when, QuantityKind::duration);
  if (!time)
    throw InputError{fmt::format("'{}' is no time; write simrun explain gpus '10 min' FOLDER", when)};
  const Instant at = Seconds{time.value};
  TableRows rows;
  Instant end{0};
  std::string last;
  bool points = false;
  run.for_each_row("gpu_series.csv", [&](const ResultRow& row) {
    end = std::max(end, row.time("to_s"));
    if (row.time("from_s") > at || row.time("to_s") < at)
      return;
    const std::string gpu = fmt::format("{} {} {}", row.cell("point"), row.cell("node"), row.cell("gpu"));
    if (gpu == std::exchange(last, gpu))
      rows.pop_back(); // it changed in this instant: what comes then counts
    points = points || !row.cell("point").empty();
    rows.push_back({row.cell("point"), row.cell("node"), row.cell("gpu"), row.cell("type"),
                    fmt::format("{:.0f} C", row.number("assumed_temperature_C")),
                    share_told(row.number("power_W"), row.number("board_power_W"), "W"),
                    share_told(row.number("memory_used_MiB"), row.number("memory_MiB"), "MiB"),
                    fmt::format("{:.0f} %", 100 * row.number("kernel_share")), row.cell("tasks")});
  });
  if (rows.empty())
    throw InputError{fmt::format("at {} there is nothing to see: the run ends at {}", when, time_text(seconds(end)))};
  std::vector<Column> columns = {{"point", false}, {"node", false},        {"GPU", true},
                                 {"type", false},  {"assumed temp", true}, {"power", true},
                                 {"memory", true}, {"use", true},          {"tasks", false}};
  if (!points) {
    columns.erase(columns.begin());
    for (auto& row : rows)
      row.erase(row.begin());
  }
  Telling told;
  told.heading(gpus_then(time_text(Seconds{time.value})));
  told.table(std::move(columns), std::move(rows));
  return told;
}

} // namespace trainyard
