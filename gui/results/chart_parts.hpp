// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What a chart draws besides its lines: the cross-hair, and the ends of intervals.
#include <QChart>
#include <QChartView>
#include <QGraphicsItem>
#include <QVector>
#include <QXYSeries>

#include "gui/results/table_model.hpp"

#include <functional>
#include <limits>

namespace trainyard::gui {

struct Series;

/// A chart whose lines are read off with a cross-hair, and with the mark of the other views.
class CrossHairView : public QChartView
{
public:
  /// @p zoomed: a part of the chart was chosen, or all of it (false).
  CrossHairView(std::function<QString(double)> words, std::function<void(bool zoomed)> zoomed);
  double mark = std::numeric_limits<double>::quiet_NaN();

protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void drawForeground(QPainter* painter, const QRectF& area) override;

private:
  std::function<QString(double)> words_;
  std::function<void(bool)> zoomed_;
  QPoint at_{-1, -1};
};

/// Lowest and highest of each point of a curve, drawn above it; part of the chart, so that pictures have them.
class ErrorBars : public QGraphicsItem
{
public:
  ErrorBars(QChart& chart, QXYSeries& series, QVector<QPointF> points, QVector<QPair<double, double>> interval);
  QRectF boundingRect() const override { return {0, 0, 8000, 8000}; } // the plot moves inside it
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
  QChart& chart_;
  QXYSeries& series_;
  QVector<QPointF> points_;
  QVector<QPair<double, double>> interval_;
};

/// The numbers of all lines, a row for each x; points of one line above each other need a row each.
Table numbers_of(const QVector<Series>& series, const QString& x_title);

} // namespace trainyard::gui
