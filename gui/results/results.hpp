// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QJsonObject>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVector>

#include "gui/results/lane_detail.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace trainyard::gui {

/// A table of a results folder as it stands in its CSV file; units are part of the column names.
struct Table {
  QStringList columns;
  QVector<QStringList> rows;
  // Which columns are numeric, found once where a file is read; with other rows than then it is found anew.
  QVector<bool> numeric{};
  qsizetype counted_rows = -1;

  int column(const QString& name) const { return static_cast<int>(columns.indexOf(name)); }
  QString text(int row, const QString& name) const;
  /// NaN where the cell is empty or no number.
  double number(int row, const QString& name) const;
  bool isNumeric(int column) const;
};

struct Lane {
  QString name;
  QString process;
  std::vector<Span> spans;
  LaneDetail detail{}; // see add_detail
};

/// The spans of a run, from trace.json.gz.
struct Timeline {
  std::vector<Lane> lanes;
  QStringList names;
  QStringList categories; // of each name
  double begin = 0;
  double end = 0;
  std::size_t spans = 0;
};

/// How busy links were, part by part of the timeline; from link_loads.csv.
struct LinkLoads {
  struct Part {
    float begin = 0; // s
    float end = 0;   // s
    float load = 0;  // 0…1
  };
  QString point;
  double begin = 0;                    // s
  double end = 0;                      // s
  QHash<QString, QVector<Part>> parts; // by link, in order of time

  /// Loads at a time; links without load then are 0.
  QHash<QString, double> at(double seconds) const;
};

/// Which names look alike: those of one category; a name without category is a kind of its own.
std::vector<std::uint32_t> kinds_of(const Timeline& timeline);

/// Adds what the lanes look like from afar, so that a picture of them costs no more than its pixels; takes about 0.1 s
/// per million spans.
void add_detail(Timeline& timeline);

/// What `simrun plan` found.
struct PlanAnswer {
  QString objective;                // "cost"
  QStringList goals;                // "p95(queueing_delay) < 1 h"
  QStringList measures;             // of each goal: "p95(queueing_delay)", a column of the designs
  QVector<double> limits;           // of each goal, in the unit of the column; NaN where it is not known
  QVector<QVector<QPointF>> fronts; // of each goal: (objective, value) of the designs that no other beats in both
  double best_objective = 0;
  QVector<double> best_values; // of each goal
  bool met = false;            // the best one meets all goals; else it is the nearest miss
  QString words;               // plan.txt
};

/// What a results folder says; never changed once loaded.
struct ResultsData {
  QString folder;
  QString scenario;
  QString question;
  QString advice;
  QString scenario_text;
  QString written_by;   // version of the program that wrote it
  QStringList warnings; // of the run, and what could not be read
  QJsonObject summary;
  Table jobs;
  Table links;
  Table events;
  QVector<std::pair<QString, Table>> other; // further CSV files of the folder
  QStringList pictures;
  Timeline timeline;
  LinkLoads link_loads;
  std::optional<PlanAnswer> plan; // of a folder of `simrun plan`, whose designs are then the rows of `jobs`
};

using Results = std::shared_ptr<const ResultsData>;

/// RFC 4180 text as a table. Rows with another number of cells than the head are filled up or cut, and counted in @p
/// uneven.
Table read_csv(const QByteArray& text, int* uneven = nullptr);

/// Reads a Chrome trace (plain or gzip); spans that overlap on one lane are moved to further lanes. Throws
/// std::runtime_error with the reason.
/// @p limit is the largest unpacked size in bytes.
Timeline read_trace(const QString& file, std::size_t limit = std::size_t{1} << 30U);

LinkLoads link_loads_of(const Table& table);

/// The lives of the jobs of a queue as a timeline: a lane per job and policy, from runs.csv and waits.csv. At most @p
/// most_lanes jobs of each policy, those that waited longest.
Timeline queue_timeline(const Table& runs, const Table& waits, int most_lanes = 1000);

/// The lives of the tasks of an orchestrator as a timeline: a lane per task, its states as spans, from tasks.csv; at
/// most @p most_lanes.
Timeline task_timeline(const Table& tasks, int most_lanes = 2000);

/// Retraining as a timeline: for each model and policy a lane of its trainings and one of the times in which the
/// deployed model was out of date, from trainings.csv and stale.csv; the first replica.
Timeline retraining_timeline(const Table& trainings, const Table& stale);

/// Who held which GPU, from timeline.csv of a run with several sources of work: a lane per GPU; the first policy.
Timeline cluster_timeline(const Table& timeline, int most_lanes = 2000);

/// What a folder says of one point over time: itself where it has one point or traces this one, a part of it where its
/// tables have all points; nothing where the point must be simulated again.
Results detail_of(const Results& results, const QString& point);

/// Whether `simrun plan` wrote the folder.
bool is_plan_folder(const QString& folder);
/// Reads the folder of a plan. Throws std::runtime_error where its manifest is damaged.
ResultsData read_plan(const QString& folder);

/// Reads a results folder, also that of a plan. Throws std::runtime_error where it is none; parts that are missing or
/// damaged become warnings.
ResultsData read_results(const QString& folder);

} // namespace trainyard::gui
