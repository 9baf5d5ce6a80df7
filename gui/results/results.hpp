// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QJsonObject>
#include <QMetaType>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVector>

#include "gui/core/table.hpp"
#include "gui/timeline/timeline.hpp"
#include "models/results/telling.hpp"

#include <QHash>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace trainyard::gui {

/// What `simrun plan` found.
struct PlanAnswer {
  QString objective;                // "cost"
  QStringList goals;                // "p95(queueing_delay) < 1 h"
  QStringList measures;             // of each goal: "p95(queueing_delay)", a column of the designs
  QVector<double> limits;           // of each goal, in the unit of the column
  QVector<bool> upper;              // of each goal: it must stay below the limit
  QVector<QVector<QPointF>> fronts; // of each goal: (objective, value) of the designs that no other beats in both
  double best_objective = 0;
  QVector<double> best_values; // of each goal
  bool met = false;            // the best one meets all goals; else it is the nearest miss
  Telling told;                // all of it
};

/// What a results folder says; never changed once loaded.
struct ResultsData {
  QString folder;
  QString scenario;
  QString question;
  Messages messages; // what the run said
  QString scenario_text;
  QString scenario_identity; // as the document had it that was run, else the file that simrun was given
  QString written_by;        // version of the program that wrote it
  QStringList warnings;      // what could not be read; the run's own are messages
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

/// One of the further tables of a folder; empty where there is none of this name.
Table further_table(const ResultsData& data, const QString& name);

/// Marks on the timeline what the end of a step waited for, as far as the summary says and the trace reaches.
void add_critical_path(ResultsData& data);

/// The timelines of a queue, or of a run with several parts, one for each policy; without runs for anything else.
TimelineSource queue_source(const Results& results);

/// The points of a sweep, in order; one without a name where there is no sweep.
QStringList points_of(const ResultsData& data);
/// Those of one point; all where a table has none.
Table rows_of_point(const Table& table, const QString& point);

/// What a folder says of one point over time: itself where it has one point or traces this one, a part of it where its
/// tables have all points; nothing where the point must be simulated again.
Results detail_of(const Results& results, const QString& point);

/// All bytes of a file. Throws std::runtime_error where it cannot be read.
QByteArray bytes_of(const QString& file);

/// Whether `simrun plan` wrote the folder.
bool is_plan_folder(const QString& folder);
/// Reads the folder of a plan. Throws std::runtime_error where its manifest is damaged.
ResultsData read_plan(const QString& folder);

/// Reads a results folder, also that of a plan. Throws std::runtime_error where it is none; parts that are missing or
/// damaged become warnings.
ResultsData read_results(const QString& folder);

} // namespace trainyard::gui

Q_DECLARE_METATYPE(trainyard::gui::Results)
