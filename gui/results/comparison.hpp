// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QVector>

#include "gui/results/results.hpp"

namespace trainyard::gui {

/// The result of `simrun compare --json`; the editor shows these numbers and computes none itself.
struct Comparison {
  struct Measure {
    QString name;
    QString unit;
    bool more_is_better = true;
  };
  struct Figure {
    double mean = 0;
    double low = 0;
    double high = 0;
    bool differs = false; // has a difference from the baseline
    double difference = 0;
    double difference_low = 0; // both NaN where one run of each was compared
    double difference_high = 0;
    bool significant = false;
  };
  struct Group {
    QString name;
    QVector<QHash<QString, Figure>> candidates; // by measure
  };
  QVector<Measure> measures;
  QStringList candidates; // the first is the baseline
  QVector<Group> groups;
  double confidence = 0.95;
};

Comparison comparison_of(const QJsonObject& json);

/// One measure: a row per group that has it; per run its value, and per run but the first the difference from the
/// first, in percent too, and whether that is significant. @p names are the columns' names of the runs.
Table delta_table(const Comparison& comparison, const QString& measure, const QStringList& names);

/// Where the scenarios of runs differ from the first one's: a row per key, a column per run.
Table input_differences(const QVector<Results>& runs, const QStringList& names);

} // namespace trainyard::gui
