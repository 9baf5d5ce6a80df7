// SPDX-License-Identifier: Apache-2.0
/// Timeline as trace events. A viewer nests what overlaps on one thread, so operations that overlap on a lane (slots,
/// messages without a lane) get rows of their own: each takes the first row that is free at its begin.
#include "sim/report/files.hpp"
#include "sim/results/breakdown.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace trainyard {
namespace {

std::string json_text(const std::string& text)
{
  if (std::ranges::none_of(text, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; }))
    return text;
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < ' ')
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

int order_of(LaneKind kind)
{
  switch (kind) {
  case LaneKind::compute:
    return 0;
  case LaneKind::copy:
    return 1;
  case LaneKind::communication:
    return 2;
  case LaneKind::host:
    break;
  }
  return 3;
}

/// Where a bar stands within its process.
struct Bar {
  int thread = 0;
  Seconds begin;
};

/// One end of an arrow. A viewer binds it to the bar that is there at this time: the begin of a bar is within it.
std::string flow_event(const char* phase, int process, const Bar& bar, int number)
{
  return fmt::format(
      FMT_COMPILE(R"({{"ph":"{}","bp":"e","pid":{},"tid":{},"ts":{:.3f},"id":{},"name":"after","cat":"message"}})"),
      phase, process, bar.thread, bar.begin.value() * 1e6, number);
}

} // namespace

std::string trace_json(const Results& results)
{
  std::vector<const TraceSpan*> spans;
  for (const TraceSpan& span : results.spans)
    spans.push_back(&span);
  std::ranges::stable_sort(spans, {}, [](const TraceSpan* span) { return std::tuple{span->begin, span->end}; });

  std::map<std::pair<std::string, std::string>, int> processes;
  std::map<std::tuple<int, int, std::string>, std::vector<std::pair<Seconds, int>>>
      rows; // process, kind, lane -> busy until, thread
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  const auto end = std::back_inserter(out);
  bool first = true;
  const auto comma = [&] {
    if (!first)
      out += ",\n";
    first = false;
  };
  int next_thread = 0;
  int next_flow = 0;
  std::map<std::pair<int, int>, Bar> bars; // the first bar of each operation of a process
  for (const TraceSpan* span : spans) {
    const auto [process, new_process] =
        processes.try_emplace({span->point, span->job}, static_cast<int>(processes.size()) + 1);
    if (new_process) {
      comma();
      const std::string name = span->point.empty() ? span->job : span->job + " (" + span->point + ")";
      fmt::format_to(end, FMT_COMPILE(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})"),
                     process->second, json_text(name));
    }
    auto& lane = rows[{process->second, order_of(span->kind), span->lane}];
    auto row = std::ranges::find_if(lane, [&](const auto& candidate) { return candidate.first <= span->begin; });
    if (row == lane.end()) {
      row = lane.insert(lane.end(), {span->end, ++next_thread});
      const std::string name = lane.size() == 1 ? span->lane : fmt::format("{} #{}", span->lane, lane.size());
      comma();
      fmt::format_to(end, FMT_COMPILE(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})"),
                     process->second, row->second, json_text(name));
      comma();
      fmt::format_to(
          end, FMT_COMPILE(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})"),
          process->second, row->second, row->second + 100000 * order_of(span->kind));
    }
    row->first = span->end;
    comma();
    fmt::format_to(end,
                   FMT_COMPILE(R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}","cat":"{}",)"
                               R"("args":{{"step":{},"worker":{}}}}})"),
                   process->second, row->second, span->begin.value() * 1e6, (span->end - span->begin).value() * 1e6,
                   json_text(span->name), to_text(span->role), span->step, span->worker);
    const Bar bar{row->second, span->begin};
    if (span->operation >= 0)
      bars.try_emplace({process->second, span->operation}, bar);
    for (const int operation : span->waited_for)
      if (const auto before = bars.find({process->second, operation}); before != bars.end()) {
        comma();
        out += flow_event("s", process->second, before->second, ++next_flow);
        comma();
        out += flow_event("f", process->second, bar, next_flow);
      }
  }
  out += "\n]}\n";
  return out;
}

} // namespace trainyard
