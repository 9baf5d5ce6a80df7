// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTimer>
#include <QWidget>

#include "gui/results/chart_view.hpp"
#include "gui/run/run_process.hpp"
#include "models/scenario/document.hpp"

class QLabel;
class QMenu;
class QVBoxLayout;

namespace trainyard::gui {

class ScenarioDocument;

/// A value of the scenario that a slider may change: where it is, what it is now and how far it goes.
struct Knob {
  QString path;
  double value = 0;
  double minimum = 0;
  double maximum = 1;
  QString unit; // empty for counts
};

/// The numbers of a scenario worth a slider: counts of workers, servers and machines, batch sizes, bandwidths,
/// latencies, times.
QVector<Knob> knobs_of(const Document& document);

/// Results of a run as lines over the axis that varies most (workers, where the scenario sweeps them), one line per
/// variant.
QVector<Series> answer_curves(const QJsonObject& summary, QString* x_title);

/// What became of a queue, a line for each policy: "fifo: a job waits 2 h on average instead of 5 h; …".
QString queue_answer(const QJsonObject& before, const QJsonObject& now);

/// Sliders on the scenario's numbers: a moved slider runs a changed copy in the background, the curve before stays as a
/// ghost.
class WhatIfPanel : public QWidget
{
  Q_OBJECT
public:
  explicit WhatIfPanel(ScenarioDocument& document, QWidget* parent = nullptr);
  void addSlider(const QString& path);
  /// Moves a slider to a value of its unit.
  void setSlider(const QString& path, double value);
  int sliders() const { return static_cast<int>(sliders_.size()); }
  const Chart* chart() const { return chart_; }

signals:
  void answered();

private:
  struct Slider;
  void start();
  void finished();
  void rebuildMenu();

  ScenarioDocument& document_;
  Chart* chart_;
  QLabel* status_;
  QMenu* menu_;
  QVBoxLayout* rows_;
  QVector<std::shared_ptr<Slider>> sliders_;
  RunProcess process_;
  QTimer timer_;
  QVector<Series> now_;
  QJsonObject unchanged_; // what the scenario as it stands gives
  QString unchanged_of_;  // its text
  QString x_title_;
  bool again_ = false;
};

} // namespace trainyard::gui
