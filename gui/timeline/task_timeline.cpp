// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

#include <QObject>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard::gui {
namespace {

/// Gathers spans by lane, in the order in which lanes are first met.
class Lanes
{
public:
  explicit Lanes(int most) : most_{static_cast<std::size_t>(std::max(0, most))} {}

  void add(const QString& process, const QString& lane, Span span, const QString& name, const QString& category)
  {
    if (!(span.end > span.begin))
      return;
    auto found = places_.find({process, lane});
    if (found == places_.end()) {
      if (places_.size() >= most_)
        return;
      found = places_.emplace(std::pair{process, lane}, timeline_.lanes.size()).first;
      timeline_.lanes.push_back({lane, process, {}});
    }
    auto known = names_.find(name);
    if (known == names_.end()) {
      known = names_.emplace(name, static_cast<std::uint32_t>(timeline_.names.size())).first;
      timeline_.names << name;
      timeline_.categories << category;
    }
    span.name = known->second;
    timeline_.lanes[found->second].spans.push_back(span);
  }

  Timeline result()
  {
    bool first = true;
    std::vector<Lane> whole;
    for (Lane& lane : timeline_.lanes) {
      std::stable_sort(lane.spans.begin(), lane.spans.end(),
                       [](const Span& a, const Span& b) { return a.begin < b.begin; });
      std::vector<Lane> parts; // spans that overlap stand on further lanes
      for (const Span& span : lane.spans) {
        auto free = std::find_if(parts.begin(), parts.end(),
                                 [&](const Lane& part) { return part.spans.back().end <= span.begin + 1e-9; });
        if (free == parts.end()) {
          const QString name =
              parts.empty() ? lane.name : QStringLiteral("%1 #%2").arg(lane.name).arg(parts.size() + 1);
          parts.push_back({name, lane.process, {}});
          free = std::prev(parts.end());
        }
        free->spans.push_back(span);
        timeline_.begin = first ? span.begin : std::min(timeline_.begin, span.begin);
        timeline_.end = std::max(timeline_.end, span.end);
        ++timeline_.spans;
        first = false;
      }
      std::move(parts.begin(), parts.end(), std::back_inserter(whole));
    }
    timeline_.lanes = std::move(whole);
    return std::move(timeline_);
  }

private:
  std::size_t most_;
  Timeline timeline_;
  std::map<std::pair<QString, QString>, std::size_t> places_;
  std::map<QString, std::uint32_t> names_;
};

QString category_of(const QString& state)
{
  return state == QLatin1String("running")    ? QStringLiteral("running")
         : state == QLatin1String("starting") ? QStringLiteral("starting")
         : state == QLatin1String("pending")  ? QStringLiteral("waiting")
         : state == QLatin1String("finished") ? QStringLiteral("finished")
                                              : QStringLiteral("failed");
}

} // namespace

Timeline task_timeline(const Table& tasks, int most_lanes)
{
  const int point = tasks.column(QStringLiteral("point"));
  const int task = tasks.column(QStringLiteral("task"));
  const int service = tasks.column(QStringLiteral("service"));
  const int from = tasks.column(QStringLiteral("from_s"));
  const int to = tasks.column(QStringLiteral("to_s"));
  const int state = tasks.column(QStringLiteral("state"));
  if (task < 0 || service < 0 || from < 0 || to < 0 || state < 0)
    return {};
  Lanes lanes{most_lanes};
  for (const QStringList& row : tasks.rows)
    lanes.add(point < 0 || row[point].isEmpty() ? row[service] : row[service] + QStringLiteral(", ") + row[point],
              row[task], {row[from].toDouble(), row[to].toDouble(), 0}, row[state], category_of(row[state]));
  return lanes.result();
}

Timeline retraining_timeline(const Table& trainings, const Table& stale)
{
  Lanes lanes{2000};
  // Stale times first, so that every model has its lanes side by side.
  for (const bool training : {false, true}) {
    const Table& table = training ? trainings : stale;
    const int point = table.column(QStringLiteral("point"));
    const int policy = table.column(QStringLiteral("policy"));
    const int replica = table.column(QStringLiteral("replica"));
    const int what = table.column(training ? QStringLiteral("request") : QStringLiteral("model"));
    const int from = table.column(QStringLiteral("from_s"));
    const int to = table.column(QStringLiteral("to_s"));
    if (policy < 0 || what < 0 || from < 0 || to < 0)
      continue;
    for (const QStringList& row : table.rows) {
      if (replica >= 0 && row[replica] != QLatin1String("0"))
        continue;
      const QString model = training ? row[what].section(QLatin1Char('-'), 0, -2) : row[what];
      const QString process =
          point < 0 || row[point].isEmpty() ? row[policy] : row[policy] + QStringLiteral(", ") + row[point];
      const Span span{row[from].toDouble(), row[to].toDouble(), 0};
      if (training)
        lanes.add(process, QObject::tr("%1 is trained").arg(model), span, row[what], QStringLiteral("training"));
      else
        lanes.add(process, QObject::tr("%1 is out of date").arg(model), span, QObject::tr("out of date"),
                  QStringLiteral("stale"));
    }
  }
  Timeline timeline = lanes.result();
  std::stable_sort(
      timeline.lanes.begin(), timeline.lanes.end(), // both lanes of a model side by side
      [](const Lane& a, const Lane& b) { return std::tie(a.process, a.name) < std::tie(b.process, b.name); });
  return timeline;
}

Timeline cluster_timeline(const Table& timeline, const Table& failures, const QString& run, int most_lanes)
{
  const int point = timeline.column(QStringLiteral("point"));
  const int policy = timeline.column(QStringLiteral("policy"));
  const int source = timeline.column(QStringLiteral("source"));
  const int name = timeline.column(QStringLiteral("name"));
  const int node = timeline.column(QStringLiteral("node"));
  const int from = timeline.column(QStringLiteral("from_s"));
  const int to = timeline.column(QStringLiteral("to_s"));
  const int mask = timeline.column(QStringLiteral("gpu_mask"));
  if (policy < 0 || source < 0 || name < 0 || node < 0 || from < 0 || to < 0 || mask < 0 || timeline.rows.isEmpty())
    return {};
  const QString wanted = run.isEmpty() ? queue_run(timeline.rows.front(), policy, point) : run;
  Lanes lanes{most_lanes};
  for (const QStringList& row : timeline.rows) {
    if (queue_run(row, policy, point) != wanted)
      continue;
    const uint gpus = row[mask].toUInt();
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((gpus >> gpu & 1U) != 0)
        lanes.add(
            row[node], QObject::tr("%1 GPU %2").arg(row[node]).arg(gpu), {row[from].toDouble(), row[to].toDouble(), 0},
            row[source] == QLatin1String("queue") ? QObject::tr("job %1").arg(row[name]) : row[name], row[source]);
  }
  Timeline result = lanes.result();
  for (Lane& lane : result.lanes)
    lane.gpu = true;
  std::stable_sort(result.lanes.begin(), result.lanes.end(), [](const Lane& a, const Lane& b) {
    return std::pair{a.process.size(), std::tie(a.process, a.name)} <
           std::pair{b.process.size(), std::tie(b.process, b.name)};
  });
  add_counters(result);
  add_failures(result, failures, wanted);
  return result;
}

QHash<QString, double> LinkLoads::at(double seconds) const
{
  QHash<QString, double> loads;
  loads.reserve(parts.size());
  for (auto it = parts.begin(); it != parts.end(); ++it) {
    const auto next =
        std::upper_bound(it.value().begin(), it.value().end(), seconds,
                         [](double time, const Part& part) { return time < static_cast<double>(part.end); });
    loads[it.key()] =
        next != it.value().end() && static_cast<double>(next->begin) <= seconds ? static_cast<double>(next->load) : 0;
  }
  return loads;
}

LinkLoads link_loads_of(const Table& table)
{
  LinkLoads loads;
  const int link = table.column(QStringLiteral("link"));
  const int begin = table.column(QStringLiteral("begin_s"));
  const int end = table.column(QStringLiteral("end_s"));
  const int load = table.column(QStringLiteral("load"));
  if (link < 0 || begin < 0 || end < 0 || load < 0)
    return loads;
  bool first = true;
  for (const QStringList& row : table.rows) {
    const LinkLoads::Part part{row[begin].toFloat(), row[end].toFloat(), row[load].toFloat()};
    loads.parts[row[link]].push_back(part);
    loads.begin = first ? static_cast<double>(part.begin) : std::min(loads.begin, static_cast<double>(part.begin));
    loads.end = std::max(loads.end, static_cast<double>(part.end));
    first = false;
  }
  loads.point = table.rows.isEmpty() ? QString{} : table.text(0, QStringLiteral("point"));
  return loads;
}

Timeline queue_timeline(const Table& runs, const Table& waits, int most_lanes, const QString& only)
{
  Timeline timeline;
  if (runs.column(QStringLiteral("from_s")) < 0)
    return timeline;
  QHash<QString, std::uint32_t> known;
  const auto name = [&](const QString& words, const QString& category) {
    const auto found = known.constFind(words);
    if (found != known.constEnd())
      return found.value();
    known[words] = static_cast<std::uint32_t>(timeline.names.size());
    timeline.names << words;
    timeline.categories << category;
    return known[words];
  };
  struct Life {
    std::vector<Span> spans;
    double waited = 0;
  };
  std::map<std::pair<QString, qint64>, Life> lives; // policy (and point), job
  QStringList policies;                             // in the order of the files
  const auto collect = [&](const Table& table, bool waiting) {
    const int point = table.column(QStringLiteral("point"));
    const int policy = table.column(QStringLiteral("policy"));
    const int job = table.column(QStringLiteral("job"));
    const int from = table.column(QStringLiteral("from_s"));
    const int to = table.column(QStringLiteral("to_s"));
    const int reason = table.column(QStringLiteral("reason"));
    if (policy < 0 || job < 0 || from < 0 || to < 0)
      return;
    for (const QStringList& row : table.rows) {
      const QString run =
          point < 0 || row[point].isEmpty() ? row[policy] : row[policy] + QStringLiteral(", ") + row[point];
      if (!only.isEmpty() && run != only)
        continue;
      if (policies.isEmpty() || (policies.back() != run && !policies.contains(run)))
        policies << run;
      Life& life = lives[{run, row[job].toLongLong()}];
      const Span span{row[from].toDouble(), row[to].toDouble(),
                      waiting ? name(reason < 0 ? QObject::tr("waits") : row[reason], QStringLiteral("waiting"))
                              : name(QObject::tr("runs"), QStringLiteral("running"))};
      if (span.end > span.begin)
        life.spans.push_back(span);
      if (waiting)
        life.waited += span.end - span.begin;
    }
  };
  collect(runs, false);
  collect(waits, true);
  for (const QString& policy : std::as_const(policies)) {
    std::vector<std::pair<double, qint64>> longest;
    for (auto it = lives.lower_bound({policy, std::numeric_limits<qint64>::min()});
         it != lives.end() && it->first.first == policy; ++it)
      longest.emplace_back(-it->second.waited, it->first.second);
    const auto kept = std::min(longest.size(), static_cast<std::size_t>(std::max(0, most_lanes)));
    std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(kept), longest.end());
    longest.resize(kept);
    std::sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [waited, job] : longest) {
      Life& life = lives[{policy, job}];
      std::sort(life.spans.begin(), life.spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
      double until = -std::numeric_limits<double>::infinity();
      for (Span& span : life.spans) { // at most the rounding of the files
        span.begin = std::max(span.begin, until);
        until = std::max(until, span.end);
      }
      std::erase_if(life.spans, [](const Span& span) { return span.end <= span.begin; });
      if (life.spans.empty())
        continue;
      timeline.begin =
          timeline.lanes.empty() ? life.spans.front().begin : std::min(timeline.begin, life.spans.front().begin);
      timeline.end = std::max(timeline.end, life.spans.back().end);
      timeline.spans += life.spans.size();
      timeline.lanes.push_back({QObject::tr("job %1").arg(job), policy, std::move(life.spans)});
    }
  }
  return timeline;
}

// Who held which GPU of a queue.
namespace {

/// A job on its machines, without a pause.
struct Stay {
  double begin = 0;
  double end = 0;
  QString job;
  QString nodes; // "dgx-0:8 dgx-1:4"
};

/// Rows of one run, by the columns that are asked for; empty where one is missing.
QVector<QStringList> rows_of(const Table& table, const QString& run, const QStringList& columns)
{
  const int policy = table.column(QStringLiteral("policy"));
  const int point = table.column(QStringLiteral("point"));
  QVector<int> at;
  for (const QString& column : columns)
    at << table.column(column);
  QVector<QStringList> rows;
  if (policy < 0 || at.contains(-1))
    return rows;
  for (const QStringList& row : table.rows)
    if (queue_run(row, policy, point) == run) {
      QStringList cells;
      for (const int each : std::as_const(at))
        cells << row[each];
      rows.push_back(cells);
    }
  return rows;
}

/// Stays in order of time; those that only change speed are one.
std::vector<Stay> stays_of(const Table& runs, const QString& run)
{
  std::vector<Stay> stays;
  QHash<QString, std::size_t> last; // by job
  for (const QStringList& row :
       rows_of(runs, run,
               {QStringLiteral("from_s"), QStringLiteral("to_s"), QStringLiteral("job"), QStringLiteral("nodes")})) {
    const Stay stay{row[0].toDouble(), row[1].toDouble(), row[2], row[3]};
    if (const auto before = last.constFind(stay.job); before != last.constEnd())
      if (Stay& earlier = stays[before.value()]; earlier.nodes == stay.nodes && earlier.end == stay.begin) {
        earlier.end = stay.end;
        continue;
      }
    last[stay.job] = stays.size();
    stays.push_back(stay);
  }
  std::stable_sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) { return a.begin < b.begin; });
  return stays;
}

/// How large a job is, as a kind of its own with its own colour.
QString size_of(int gpus)
{
  return gpus <= 1    ? QStringLiteral("gpus_1")
         : gpus <= 8  ? QStringLiteral("gpus_8")
         : gpus <= 64 ? QStringLiteral("gpus_64")
                      : QStringLiteral("gpus_more");
}

QVector<std::pair<QString, int>> machines_of(const QString& nodes)
{
  QVector<std::pair<QString, int>> machines;
  for (const QString& each : nodes.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    machines.push_back({each.section(QLatin1Char(':'), 0, -2), each.section(QLatin1Char(':'), -1).toInt()});
  return machines;
}

} // namespace

QString queue_run(const QStringList& row, int policy, int point)
{
  return point < 0 || row[point].isEmpty() ? row[policy] : row[policy] + QStringLiteral(", ") + row[point];
}

void add_failures(Timeline& timeline, const Table& failures, const QString& run)
{
  for (const QStringList& row : rows_of(
           failures, run,
           {QStringLiteral("failure"), QStringLiteral("from_s"), QStringLiteral("to_s"), QStringLiteral("nodes")})) {
    const QStringList down = row[3].split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const Span span{row[1].toDouble(), row[2].isEmpty() ? timeline.end : row[2].toDouble(),
                    static_cast<std::uint32_t>(timeline.names.size())};
    timeline.names << QObject::tr("failed: %1").arg(row[0]);
    timeline.categories << QStringLiteral("failed");
    for (Lane& lane : timeline.lanes) {
      if (!down.contains(lane.process) || !(span.end > span.begin))
        continue;
      const auto after = std::lower_bound(lane.spans.begin(), lane.spans.end(), span.begin,
                                          [](const Span& a, double time) { return a.begin < time; });
      const double from = after == lane.spans.begin() ? span.begin : std::max(span.begin, std::prev(after)->end);
      const double to = after == lane.spans.end() ? span.end : std::min(span.end, after->begin);
      if (to > from)
        lane.spans.insert(after, {from, to, span.name});
    }
  }
}

QStringList queue_runs(const Table& runs)
{
  const int policy = runs.column(QStringLiteral("policy"));
  const int point = runs.column(QStringLiteral("point"));
  QStringList list;
  if (policy >= 0)
    for (const QStringList& row : runs.rows)
      if (const QString run = queue_run(row, policy, point);
          list.isEmpty() || (list.back() != run && !list.contains(run)))
        list << run;
  return list;
}

Timeline machine_timeline(const Table& runs, const Table& waits, const Table& failures, const QString& run)
{
  Timeline timeline;
  std::map<std::pair<qsizetype, QString>, std::vector<Lane>> machines; // by length first: dgx-2 before dgx-10
  const auto lanes_of = [&](const QString& machine) -> std::vector<Lane>& {
    return machines[{machine.size(), machine}];
  };
  const auto name = [&](const QString& words, const QString& category) {
    timeline.names << words;
    timeline.categories << category;
    return static_cast<std::uint32_t>(timeline.names.size() - 1);
  };
  QHash<QString, std::uint32_t> known;
  bool first = true;
  for (const Stay& stay : stays_of(runs, run)) {
    const auto held = machines_of(stay.nodes);
    if (held.isEmpty() || !(stay.end > stay.begin))
      continue;
    auto words = known.constFind(stay.job);
    if (words == known.constEnd()) {
      int gpus = 0;
      for (const auto& [machine, count] : held)
        gpus += count;
      words = known.insert(stay.job, name(QObject::tr("job %1").arg(stay.job), size_of(gpus)));
    }
    for (const auto& [machine, count] : held) {
      std::vector<Lane>& lanes = lanes_of(machine);
      std::size_t at = 0;
      for (int left = count; left > 0; --left, ++at) {
        while (at < lanes.size() && !lanes[at].spans.empty() && lanes[at].spans.back().end > stay.begin + 1e-9)
          ++at;
        if (at == lanes.size())
          lanes.push_back({QObject::tr("%1 GPU %2").arg(machine).arg(at), machine, {}, {}, true});
        lanes[at].spans.push_back({stay.begin, stay.end, words.value()});
      }
    }
    timeline.begin = first ? stay.begin : std::min(timeline.begin, stay.begin);
    timeline.end = std::max(timeline.end, stay.end);
    first = false;
  }
  const auto waiting = rows_of(waits, run, {QStringLiteral("from_s"), QStringLiteral("to_s")});
  for (const QStringList& row : waiting)
    timeline.end = machines.empty() ? timeline.end : std::max(timeline.end, row[1].toDouble());
  for (auto& [key, lanes] : machines)
    for (Lane& lane : lanes)
      timeline.lanes.push_back(std::move(lane));
  if (timeline.lanes.empty())
    return timeline;
  add_counters(timeline);
  Averages queue{timeline.begin, timeline.end};
  for (const QStringList& row : waiting)
    queue.add(row[0].toDouble(), row[1].toDouble());
  if (Counter counter = queue.counter(QString::fromLatin1(QT_TRANSLATE_NOOP("QObject", "jobs waiting")));
      !counter.values.empty())
    timeline.counters.push_back(std::move(counter));
  add_failures(timeline, failures, run);
  for (const Lane& lane : timeline.lanes)
    timeline.spans += lane.spans.size();
  return timeline;
}

} // namespace trainyard::gui
