// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QThread>
#include <QTimer>
#include <QVector>
#include <QWidget>

#include "gui/results/chart_view.hpp"

#include <atomic>

class QLabel;
class QPlainTextEdit;

namespace trainyard::gui {

class ScenarioDocument;
class Schema;
class SchemaForm;

/// Statistics of a workload with many jobs.
struct ArrivalsPreview {
  QVector<QPointF> arrivals;  // time in h, jobs submitted from then on until the next
  QVector<QPointF> gpus;      // GPUs of a job, number of jobs
  QVector<QPointF> durations; // run time in h, share of the jobs that run at most so long
  qint64 jobs = 0;
  double days = 0;
  QString audit; // findings from reading a trace; empty for generated jobs
  QString fault; // why there is nothing to show
};

/// Reads or generates the jobs of `workload:` of a scenario; relative names of traces are looked for in @p folder. May
/// take seconds.
ArrivalsPreview preview_arrivals(const QString& scenario_text, const QString& folder);

/// `workload:`: its form, and a preview of when jobs come, how large and how long they are, with the audit of a trace.
class ArrivalsView : public QWidget
{
  Q_OBJECT
public:
  ArrivalsView(ScenarioDocument& document, Schema& schema, QWidget* parent = nullptr);
  ~ArrivalsView() override;
  const ArrivalsPreview& preview() const { return preview_; }
  /// Whether the scenario has jobs from a trace or a generator.
  bool hasWorkload() const;

private:
  void ask();
  void show(const ArrivalsPreview& preview);

  ScenarioDocument& document_;
  SchemaForm* form_;
  SchemaForm* inner_;
  Chart* arrivals_;
  Chart* sizes_;
  QLabel* facts_;
  QPlainTextEdit* audit_;
  QTimer timer_;
  QThread thread_;
  QObject worker_;
  ArrivalsPreview preview_;
  QString asked_;
  std::atomic<int> pending_ = 0;
};

} // namespace trainyard::gui
