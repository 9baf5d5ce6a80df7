// SPDX-License-Identifier: Apache-2.0
#include "gui/results/chart_parts.hpp"

#include "gui/core/theme.hpp"
#include "gui/results/chart_view.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace trainyard::gui {

CrossHairView::CrossHairView(std::function<QString(double)> words, std::function<void(bool)> zoomed)
    : words_{std::move(words)}, zoomed_{std::move(zoomed)}
{
  setMouseTracking(true);
}

void CrossHairView::mouseMoveEvent(QMouseEvent* event)
{
  QChartView::mouseMoveEvent(event);
  at_ = event->pos();
  viewport()->update();
}

void CrossHairView::mouseReleaseEvent(QMouseEvent* event)
{
  if (event->button() == Qt::RightButton) // Qt's own goes out beyond the data, and never meets the begin again
    return zoomed_(false);
  QChartView::mouseReleaseEvent(event);
  if (chart()->isZoomed())
    zoomed_(true);
}

void CrossHairView::leaveEvent(QEvent* event)
{
  QChartView::leaveEvent(event);
  at_ = {-1, -1};
  viewport()->update();
}

void CrossHairView::drawForeground(QPainter* painter, const QRectF& area)
{
  QChartView::drawForeground(painter, area);
  if (chart() == nullptr || chart()->series().isEmpty() ||
      chart()->series().front()->type() == QAbstractSeries::SeriesTypeHorizontalBar)
    return;
  const QRectF plot = chart()->plotArea();
  QAbstractSeries* any = chart()->series().front();
  if (std::isfinite(mark))
    if (const double x = chart()->mapToPosition({mark, 0}, any).x(); x >= plot.left() && x <= plot.right()) {
      painter->setPen(QPen{error_colour(), 1});
      painter->drawLine(QPointF{x, plot.top()}, QPointF{x, plot.bottom()});
    }
  const QPointF at = mapToScene(at_);
  if (!plot.contains(at))
    return;
  painter->setPen(QPen{palette().color(QPalette::Text), 1, Qt::DotLine});
  painter->drawLine(QPointF{at.x(), plot.top()}, QPointF{at.x(), plot.bottom()});
  painter->drawLine(QPointF{plot.left(), at.y()}, QPointF{plot.right(), at.y()});
  const QString words = words_(chart()->mapToValue(at, any).x());
  painter->setFont(font());
  QRectF box = QFontMetricsF{font()}
                   .boundingRect(QRectF{0, 0, plot.width() * 0.6, 1000}, Qt::TextWordWrap, words)
                   .adjusted(-5, -3, 5, 3);
  box.moveTopLeft({at.x() < plot.center().x() ? plot.right() - box.width() - 4 : plot.left() + 4, plot.top() + 4});
  QColor ground = palette().color(QPalette::Base);
  ground.setAlpha(225);
  painter->setPen(palette().color(QPalette::Mid));
  painter->setBrush(ground);
  painter->drawRect(box);
  painter->setPen(palette().color(QPalette::Text));
  painter->drawText(box.adjusted(5, 3, -5, -3), Qt::TextWordWrap, words);
}

ErrorBars::ErrorBars(QChart& chart, QXYSeries& series, QVector<QPointF> points, QVector<QPair<double, double>> interval)
    : QGraphicsItem{&chart}, chart_{chart}, series_{series}, points_{std::move(points)}, interval_{std::move(interval)}
{
  setZValue(20);
}

void ErrorBars::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
  if (!series_.isVisible())
    return;
  painter->setClipRect(chart_.plotArea().adjusted(-6, 0, 6, 0));
  painter->setPen(QPen{series_.pen().color(), 1.4});
  for (qsizetype i = 0; i < std::min(points_.size(), interval_.size()); ++i) {
    const auto [low, high] = interval_[i];
    if (!(high > low))
      continue;
    const QPointF top = chart_.mapToPosition({points_[i].x(), high}, &series_);
    const QPointF bottom = chart_.mapToPosition({points_[i].x(), low}, &series_);
    if (bottom.y() - top.y() < 2) // smaller than the mark of the point
      continue;
    painter->drawLine(top, bottom);
    for (const QPointF& end : {top, bottom})
      painter->drawLine(end - QPointF{4, 0}, end + QPointF{4, 0});
  }
}

Table numbers_of(const QVector<Series>& series, const QString& x_title)
{
  Table numbers;
  numbers.columns << x_title;
  std::map<double, std::vector<QStringList>> rows;
  for (const Series& line : series) {
    const qsizetype before = numbers.columns.size() - 1;
    numbers.columns << line.name;
    for (const QPointF& point : line.points) {
      std::vector<QStringList>& here = rows[point.x()];
      auto free = std::find_if(here.begin(), here.end(), [&](const QStringList& row) { return row.size() <= before; });
      if (free == here.end())
        free = here.insert(here.end(), QStringList{});
      free->resize(before);
      *free << QString::number(point.y(), 'g', 12);
    }
  }
  for (auto& [x, here] : rows)
    for (QStringList& row : here) {
      row.resize(numbers.columns.size() - 1);
      numbers.rows.push_back(QStringList{QString::number(x, 'g', 12)} + row);
    }
  return numbers;
}

} // namespace trainyard::gui
