// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

#include "gui/document/faults_model.hpp"

class QTableView;

namespace trainyard::gui {

/// Failures on an axis of time: a red band from the failure to the repair. Bands are dragged, arrow keys move the
/// chosen one by a minute (with Shift an hour), Delete takes it out, a double click on an empty place adds one.
class FaultAxis : public QWidget
{
  Q_OBJECT
public:
  explicit FaultAxis(FaultsModel& model, QWidget* parent = nullptr);
  int chosen() const { return chosen_; }
  void choose(int row);
  /// Where a failure is drawn.
  QRect bandOf(int row) const;
  QSize sizeHint() const override;

signals:
  void choiceChanged(int row);
  void addRequested(double seconds);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  double end() const;
  double x(double seconds) const;
  double seconds(double x) const;
  int rowAt(const QPoint& at) const;

  FaultsModel& model_;
  int chosen_ = -1;
  double grip_ = 0; // seconds between the band's begin and the pointer
  double span_ = 0; // of the axis while a band is dragged
  bool dragging_ = false;
};

/// The listed failures: the axis, its twin as a sheet, and buttons.
class FaultsView : public QWidget
{
  Q_OBJECT
public:
  explicit FaultsView(ScenarioDocument& document, QWidget* parent = nullptr);
  FaultsModel& model() { return *model_; }
  FaultAxis& axis() { return *axis_; }
  /// Asks when @p what ("rack:3") fails and for how long, and writes it into the scenario.
  void ask(const QString& what, double at_s = 2 * 3600.0);

private:
  FaultsModel* model_;
  FaultAxis* axis_;
  QTableView* table_;
};

} // namespace trainyard::gui
