// SPDX-License-Identifier: Apache-2.0
/// Timeline as trace events. A viewer nests what overlaps on one thread, so operations that overlap on a lane (slots,
/// messages without a lane) get rows of their own: each takes the first row that is free at its begin. Times are whole
/// nanoseconds, lengths the differences of two of them: what follows on each other touches, here and in the file.
#include "sim/report/files.hpp"
#include "sim/results/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace trainyard {
namespace {

/// Of a text in JSON: what has to be is escaped.
struct Escaped {
  std::string_view text;
};

struct Microseconds {
  double value = 0;
};

/// In nanoseconds, rounded as fmt rounds microseconds to three decimals.
double whole_nanoseconds(Microseconds time)
{
  const double nearest = std::nearbyint(time.value * 1000);
  const double rest = std::fma(time.value, 1000.0, -nearest); // what the product was rounded by is in it
  return std::abs(rest) > 0.5 ? nearest + std::copysign(1.0, rest) : nearest;
}

void append(std::string& line, std::string_view text)
{
  line += text;
}

void append(std::string& line, int number)
{
  const fmt::format_int digits{number};
  line.append(digits.data(), digits.size());
}

void append(std::string& line, const Escaped& escaped)
{
  for (const char c : escaped.text) {
    if (c == '"' || c == '\\')
      line += '\\';
    if (static_cast<unsigned char>(c) < ' ')
      line += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
}

/// A time as the file has it.
Microseconds on_paper(Seconds time)
{
  return {std::nearbyint(time.value() * 1e9) / 1000};
}

/// With three decimals, as fmt rounds: there are two times on each line of a long file.
void append(std::string& line, Microseconds time)
{
  const double thousandths = whole_nanoseconds(time);
  if (std::signbit(time.value) || !(thousandths < 1e15)) {
    line += fmt::format("{:.3f}", time.value);
    return;
  }
  const auto whole = static_cast<std::uint64_t>(thousandths);
  const fmt::format_int digits{whole / 1000};
  line.append(digits.data(), digits.size());
  const auto decimals = static_cast<int>(whole % 1000);
  line += '.';
  for (const int digit : {decimals / 100, decimals / 10 % 10, decimals % 10})
    line += static_cast<char>('0' + digit);
}

template <class... Parts>
void append_all(std::string& line, const Parts&... parts)
{
  (append(line, parts), ...);
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
  Microseconds begin;
};

/// A job of a point.
struct Process {
  int number = 0; // in the order of their first bars; 0: none yet
  std::map<std::pair<int, std::string_view>, std::vector<std::pair<double, int>>>
      rows;                // kind, lane -> busy until in microseconds, thread
  std::map<int, Bar> bars; // by operation: its first one
};

/// One end of an arrow. A viewer binds it to the bar that is there at this time: the begin of a bar is within it.
void append_arrow(std::string& text, std::string_view phase, int process, const Bar& bar, int number)
{
  append_all(text, R"({"ph":")", phase, R"(","bp":"e","pid":)", process, R"(,"tid":)", bar.thread, R"(,"ts":)",
             bar.begin, R"(,"id":)", number, R"(,"name":"after","cat":"message"})");
}

} // namespace

std::string trace_json(const Results& results)
{
  std::string text;
  trace_json(results, [&](std::string_view piece) { text += piece; });
  return text;
}

void trace_json(const Results& results, const TextSink& sink)
{
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> process_of; // by point and job
  std::vector<std::pair<const TraceSpan*, std::size_t>> spans;                     // with their processes
  spans.reserve(results.spans.size());
  for (const TraceSpan& span : results.spans) {
    const bool same = !spans.empty() && spans.back().first->job == span.job && spans.back().first->point == span.point;
    spans.emplace_back(&span, same ? spans.back().second
                                   : process_of.try_emplace({span.point, span.job}, process_of.size()).first->second);
  }
  std::ranges::stable_sort(spans, {}, [](const auto& one) { return std::tuple{one.first->begin, one.first->end}; });

  std::vector<Process> processes(process_of.size());
  int known_processes = 0, next_thread = 0, next_arrow = 0;
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  bool first = true;
  const auto comma = [&] {
    if (!first)
      out += ",\n";
    first = false;
  };
  for (const auto& [span, its_process] : spans) {
    Process& process = processes[its_process];
    if (process.number == 0) {
      process.number = ++known_processes;
      comma();
      append_all(out, R"({"ph":"M","pid":)", process.number, R"(,"name":"process_name","args":{"name":")",
                 Escaped{span->point.empty() ? span->job : span->job + " (" + span->point + ")"}, R"("}})");
    }
    const int kind = order_of(span->kind);
    auto& lane = process.rows[{kind, span->lane}];
    const Microseconds begin = on_paper(span->begin), end = on_paper(span->end);
    auto row = std::ranges::find_if(lane, [&](const auto& candidate) { return candidate.first <= begin.value; });
    if (row == lane.end()) {
      row = lane.insert(lane.end(), {end.value, ++next_thread});
      comma();
      append_all(out, R"({"ph":"M","pid":)", process.number, R"(,"tid":)", row->second,
                 R"(,"name":"thread_name","args":{"name":")", Escaped{span->lane});
      if (lane.size() > 1)
        append_all(out, " #", static_cast<int>(lane.size()));
      append_all(out, "\"}},\n", R"({"ph":"M","pid":)", process.number, R"(,"tid":)", row->second,
                 R"(,"name":"thread_sort_index","args":{"sort_index":)", row->second + 100000 * kind, "}}");
    }
    row->first = end.value;
    comma();
    append_all(out, R"({"ph":"X","pid":)", process.number, R"(,"tid":)", row->second, R"(,"ts":)", begin, R"(,"dur":)",
               Microseconds{end.value - begin.value}, R"(,"name":")", Escaped{span->name}, R"(","cat":")",
               to_text(span->role), R"(","args":{"step":)", span->step, R"(,"worker":)", span->worker, "}}");
    const Bar bar{row->second, begin};
    if (span->operation >= 0)
      process.bars.try_emplace(span->operation, bar);
    for (const int operation : span->waited_for)
      if (const auto before = process.bars.find(operation); before != process.bars.end()) {
        comma();
        append_arrow(out, "s", process.number, before->second, ++next_arrow);
        comma();
        append_arrow(out, "f", process.number, bar, next_arrow);
      }
    if (out.size() >= long_piece) {
      sink(out);
      out.clear();
    }
  }
  out += "\n]}\n";
  sink(out);
}

} // namespace trainyard
