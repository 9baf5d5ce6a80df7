// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <map>

namespace trainyard::gui {

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

} // namespace trainyard::gui
