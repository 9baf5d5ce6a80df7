// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

#include <QFile>
#include <QHash>
#include <QObject>

#include <algorithm>
#include <map>
#include <simdjson.h>
#include <stdexcept>
#include <string>
#include <zlib.h>

namespace trainyard::gui {
namespace {

/// How long a file is when unpacked, so that its text is held once: a gzip file tells in its last four bytes (modulo 4
/// GiB).
std::size_t unpacked_size(const QString& file)
{
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    return 0;
  const QByteArray magic = in.read(2);
  if (magic != QByteArray{"\x1f\x8b", 2})
    return static_cast<std::size_t>(in.size());
  in.seek(std::max<qint64>(0, in.size() - 4));
  const QByteArray tail = in.read(4);
  std::size_t size = 0;
  for (int i = 3; i >= 0; --i)
    size = size * 256 + static_cast<unsigned char>(tail.size() == 4 ? tail[i] : '\0');
  return size;
}

std::string unpacked(const QString& file, std::size_t limit)
{
  gzFile in = gzopen(QFile::encodeName(file).constData(), "rb");
  if (in == nullptr)
    throw std::runtime_error{QObject::tr("%1 cannot be read").arg(file).toStdString()};
  gzbuffer(in, 1U << 18U);
  std::string text;
  text.reserve(std::min(unpacked_size(file), limit) + simdjson::SIMDJSON_PADDING);
  std::string piece(1U << 20U, '\0');
  for (;;) {
    const int got = gzread(in, piece.data(), static_cast<unsigned>(piece.size()));
    if (got < 0) {
      int code = 0;
      const std::string why = gzerror(in, &code);
      gzclose(in);
      throw std::runtime_error{QObject::tr("%1 is damaged: %2").arg(file, QString::fromStdString(why)).toStdString()};
    }
    if (got == 0)
      break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > limit) {
      gzclose(in);
      throw std::runtime_error{
          QObject::tr("%1 unpacks to more than %2 MB; open it in Perfetto, or run again with a lower trace level")
              .arg(file)
              .arg(limit / 1'000'000)
              .toStdString()};
    }
  }
  gzclose(in);
  return text;
}

/// Files have whole nanoseconds: a begin, a length and the next begin are each rounded by up to a half of one.
constexpr double rounding = 2e-9;

bool overlap(const Span& before, const Span& span)
{
  return before.end > span.begin + rounding;
}

/// Moves spans that overlap to further lanes, so that every lane is a sorted sequence.
std::vector<Lane> without_overlap(Lane lane)
{
  if (!std::ranges::is_sorted(lane.spans, {}, &Span::begin))
    std::ranges::stable_sort(lane.spans, {}, &Span::begin);
  std::vector<Lane> lanes(1);
  if (std::ranges::adjacent_find(lane.spans, overlap) == lane.spans.end()) {
    lane.spans.shrink_to_fit();
    lanes[0] = std::move(lane);
    return lanes;
  }
  lanes[0].name = lane.name;
  lanes[0].process = lane.process;
  for (const Span& span : lane.spans) {
    std::size_t at = 0;
    while (at < lanes.size() && !lanes[at].spans.empty() && overlap(lanes[at].spans.back(), span))
      ++at;
    if (at == lanes.size())
      lanes.push_back({QStringLiteral("%1 #%2").arg(lane.name).arg(at + 1), lane.process, {}});
    lanes[at].spans.push_back(span);
  }
  for (Lane& each : lanes)
    each.spans.shrink_to_fit();
  return lanes;
}

/// One end of an arrow as the file has it: bound to the span of a thread that begins at its time.
struct FlowEnd {
  std::pair<std::int64_t, std::int64_t> thread;
  double time = -1; // s
};

struct RawFlow {
  FlowEnd from;
  FlowEnd to;
};

/// Arrows between spans; those of which an end is not there are left out. @p rows: lanes of each thread.
std::vector<Flow> flows_of(const std::map<std::int64_t, RawFlow>& raw, const std::vector<Lane>& lanes,
                           const std::map<std::pair<std::int64_t, std::int64_t>, std::pair<int, int>>& rows)
{
  const auto place = [&](const FlowEnd& end, int* lane, std::uint32_t* span) {
    const auto found = rows.find(end.thread);
    if (found == rows.end())
      return false;
    for (int row = found->second.first; row < found->second.second; ++row) {
      const std::vector<Span>& spans = lanes[static_cast<std::size_t>(row)].spans;
      const auto at = std::ranges::lower_bound(spans, end.time - 1e-10, {}, &Span::begin);
      if (at == spans.end() || at->begin > end.time + 1e-10)
        continue;
      *lane = row;
      *span = static_cast<std::uint32_t>(at - spans.begin());
      return true;
    }
    return false;
  };
  std::vector<Flow> flows;
  for (const auto& [number, each] : raw)
    if (Flow flow; place(each.from, &flow.from_lane, &flow.from_span) && place(each.to, &flow.to_lane, &flow.to_span))
      flows.push_back(flow);
  return flows;
}

/// One record of the file, as far as it is used.
struct RawEvent {
  std::string_view phase, name, category;
  std::string_view label; // of a process or thread
  std::int64_t pid = 0, tid = 0;
  std::int64_t order = -1;  // of a thread
  std::int64_t number = -1; // of a flow
  double begin = 0;         // us
  double duration = 0;
};

RawEvent event_of(simdjson::ondemand::object object)
{
  RawEvent event;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "ph")
      event.phase = field.value().get_string();
    else if (key == "name")
      event.name = field.value().get_string();
    else if (key == "cat")
      event.category = field.value().get_string();
    else if (key == "pid")
      event.pid = field.value().get_int64();
    else if (key == "tid")
      event.tid = field.value().get_int64();
    else if (key == "ts")
      event.begin = field.value().get_double();
    else if (key == "dur")
      event.duration = field.value().get_double();
    else if (key == "id") {
      if (field.value().get_int64().get(event.number) != simdjson::SUCCESS)
        event.number = -1; // other programs write words
    } else if (key == "args" && event.phase == "M") {
      for (auto argument : field.value().get_object()) {
        const std::string_view what = argument.unescaped_key();
        if (what == "name")
          event.label = argument.value().get_string();
        else if (what == "sort_index")
          event.order = argument.value().get_int64();
      }
    }
  }
  return event;
}

struct RawLane {
  Lane lane;
  std::int64_t order = 0;
};

QString words_of(std::string_view text)
{
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// What the records of a file say, before lanes are put in order.
struct RawTrace {
  std::map<std::pair<std::int64_t, std::int64_t>, RawLane> lanes; // by process and thread
  std::map<std::int64_t, RawFlow> flows;
  std::map<std::int64_t, QString> processes;
  QHash<QByteArray, std::uint32_t> known; // names

  void add(const RawEvent& event, Timeline& timeline)
  {
    const std::pair thread{event.pid, event.tid};
    if (event.phase == "M") {
      if (event.name == "process_name")
        processes[event.pid] = words_of(event.label);
      else if (event.name == "thread_name")
        lanes[thread].lane.name = words_of(event.label);
      else if (event.name == "thread_sort_index")
        lanes[thread].order = event.order;
    } else if (event.phase == "X") {
      const QByteArray words{event.name.data(), static_cast<qsizetype>(event.name.size())};
      auto found = known.find(words);
      if (found == known.end()) {
        found = known.insert(words, static_cast<std::uint32_t>(timeline.names.size()));
        timeline.names << QString::fromUtf8(words);
        timeline.categories << words_of(event.category);
      }
      lanes[thread].lane.spans.push_back({event.begin * 1e-6, (event.begin + event.duration) * 1e-6, found.value()});
    } else if (event.number >= 0 && (event.phase == "s" || event.phase == "f")) {
      RawFlow& flow = flows[event.number];
      (event.phase == "s" ? flow.from : flow.to) = {thread, event.begin * 1e-6};
    }
  }
};

} // namespace

Timeline read_trace(const QString& file, std::size_t limit)
{
  std::string text = unpacked(file, limit);
  const std::size_t length = text.size();
  text.resize(length + simdjson::SIMDJSON_PADDING);
  RawTrace raw;
  Timeline timeline;
  try {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document = parser.iterate(text.data(), length, text.size());
    for (simdjson::ondemand::object event : document["traceEvents"].get_array())
      raw.add(event_of(event), timeline);
  } catch (const simdjson::simdjson_error& error) {
    throw std::runtime_error{QObject::tr("%1 is not a Chrome trace or is damaged: %2")
                                 .arg(file, QString::fromUtf8(error.what()))
                                 .toStdString()};
  }
  std::string{}.swap(text); // before the spans are sorted
  std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, RawLane*>> sorted;
  for (auto& [key, lane] : raw.lanes)
    sorted.push_back({key, &lane});
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return std::pair{a.first.first, a.second->order} < std::pair{b.first.first, b.second->order};
  });
  bool first = true;
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<int, int>>
      rows; // of a thread: the first and behind the last
  for (auto& [key, of_thread] : sorted) {
    if (of_thread->lane.spans.empty())
      continue;
    of_thread->lane.process = raw.processes[key.first];
    rows[key].first = static_cast<int>(timeline.lanes.size());
    for (Lane& lane : without_overlap(std::move(of_thread->lane))) {
      for (std::size_t i = 1; i < lane.spans.size(); ++i)
        lane.spans[i - 1].end = std::min(lane.spans[i - 1].end, lane.spans[i].begin);
      lane.gpu = lane.name.contains(QLatin1String("gpu-")) && own_name(lane.name).endsWith(QLatin1String("compute"));
      timeline.spans += lane.spans.size();
      timeline.begin = first ? lane.spans.front().begin : std::min(timeline.begin, lane.spans.front().begin);
      timeline.end = first ? lane.spans.back().end : std::max(timeline.end, lane.spans.back().end);
      first = false;
      timeline.lanes.push_back(std::move(lane));
    }
    rows[key].second = static_cast<int>(timeline.lanes.size());
  }
  timeline.flows = flows_of(raw.flows, timeline.lanes, rows);
  return timeline;
}

} // namespace trainyard::gui
