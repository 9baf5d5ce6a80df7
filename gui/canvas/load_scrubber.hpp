// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTimer>
#include <QWidget>

#include "gui/results/results.hpp"

class QLabel;
class QSlider;
class QToolButton;

namespace trainyard::gui {

/// The time whose link loads the canvas shows: a slider over the simulated steps, and a button that lets it run. At the
/// left end: the mean of the whole run. Hidden where a run has no loads over time.
class LoadScrubber : public QWidget
{
  Q_OBJECT
public:
  explicit LoadScrubber(QWidget* parent = nullptr);
  /// @p point: the name of what is shown, where a run has several.
  void show(const Results& results, const QString& point = {});
  void setTime(double seconds);
  QSlider* slider() { return slider_; }

signals:
  /// Seconds of the run; below its begin for the mean of the whole run.
  void timeChosen(double seconds);

private:
  void moved();

  Results results_;
  QSlider* slider_;
  QLabel* label_;
  QLabel* point_;
  QToolButton* play_;
  QTimer timer_;
};

} // namespace trainyard::gui
