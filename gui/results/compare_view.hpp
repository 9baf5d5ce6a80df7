// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVector>
#include <QWidget>

#include "gui/results/results.hpp"
#include "gui/results/table_model.hpp"
#include "gui/run/run_process.hpp"

class QComboBox;
class QLabel;
class QListWidget;
class QTableView;

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

class Chart;

/// Two or more runs beside each other: curves in one chart, the differences as `simrun compare` tells them, what
/// differs in the inputs.
class CompareView : public QWidget
{
  Q_OBJECT
public:
  explicit CompareView(QWidget* parent = nullptr);

  /// A further run; the last two are compared until others are chosen.
  void add(const Results& results);
  void clear();
  /// The run of this folder is compared with every further one; empty: the one before it.
  void setBaseline(const QString& folder);
  bool has(const QString& folder) const;
  int runs() const { return static_cast<int>(runs_.size()); }
  /// The compared runs, the baseline first.
  void choose(const QVector<int>& runs);
  QVector<int> chosen() const;
  QStringList folders() const; // of the chosen ones
  void chooseMeasure(const QString& name);
  QString measure() const;
  const Comparison& comparison() const { return comparison_; }
  const Table& deltas() const { return delta_model_->table(); }
  const Table& inputs() const { return input_model_->table(); }
  Chart* chart() { return chart_; }

signals:
  /// The numbers of the chosen runs are there.
  void compared();
  /// Another results folder is wanted.
  void openRequested();

protected:
  void showEvent(QShowEvent* event) override;

private:
  void changed();
  void chooseLast();
  int pinned() const;
  void ask();
  void answered();
  void fillMeasures();
  void fillCurves();
  void showDeltas();
  void drawCurves();
  QStringList names() const;
  /// The folder of a run; where two have one name, with the number of the run.
  QString nameOf(int run) const;

  QVector<Results> runs_;
  QString baseline_; // folder of the pinned run
  QListWidget* list_;
  QComboBox* against_;
  QComboBox* measure_;
  QComboBox* curve_;
  Chart* chart_;
  QLabel* answer_; // what simrun compare concludes
  QLabel* status_;
  TableModel* delta_model_;
  TableModel* input_model_;
  QVector<QTableView*> tables_;
  RunProcess process_;
  QTimer timer_;
  Comparison comparison_;
  bool filling_ = false;
  bool chosen_by_hand_ = false;
  bool wanted_ = false; // asked for while nobody looked, or while the process was busy
};

} // namespace trainyard::gui
