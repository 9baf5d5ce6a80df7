#include "gui/results/chart_view.hpp"

#include "gui/core/picture.hpp"
#include "gui/core/theme.hpp"

#include <QCategoryAxis>
#include <QHeaderView>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QPainter>
#include <QVBoxLayout>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace trainyard::gui {
namespace {

bool powers_of_two(const QVector<Series>& series)
{
  double least = 1e300;
  double most = 0;
  for (const Series& line : series)
    for (const QPointF& point : line.points) {
      if (point.x() < 1 || std::fabs(std::log2(point.x()) - std::round(std::log2(point.x()))) > 1e-9)
        return false;
      least = std::min(least, point.x());
      most = std::max(most, point.x());
    }
  return most >= 8 * least;
}

} // namespace

QVector<QPointF> down_sampled(const QVector<QPointF>& points, int limit)
{
  if (points.size() <= limit || limit < 4)
    return points;
  QVector<QPointF> result;
  const qsizetype stretches = limit / 2;
  for (qsizetype i = 0; i < stretches; ++i) {
    const qsizetype from = points.size() * i / stretches;
    const qsizetype to = points.size() * (i + 1) / stretches;
    const auto [low, high] =
        std::minmax_element(points.begin() + from, points.begin() + to, [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); });
    result.push_back(low < high ? *low : *high);
    if (low != high)
      result.push_back(low < high ? *high : *low);
  }
  return result;
}

Chart::Chart(QWidget* parent)
    : QWidget{parent}, pages_{new QStackedWidget{this}}, view_{new QChartView}, table_{new QTableView}, model_{new TableModel{this}}
{
  auto* layout = new QVBoxLayout{this};
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);
  view_->setRenderHint(QPainter::Antialiasing);
  view_->setMinimumSize(220, 150);
  view_->setRubberBand(QChartView::RectangleRubberBand);
  view_->setAccessibleName(tr("Chart"));
  table_->setModel(model_);
  table_->setAccessibleName(tr("Numbers of the chart"));
  table_->verticalHeader()->hide();
  pages_->addWidget(view_);
  pages_->addWidget(table_);
}

void Chart::showTable(bool table)
{
  pages_->setCurrentIndex(table ? 1 : 0);
}

void Chart::setSeries(const QVector<Series>& series, const QString& title, const QString& x_title, const QString& y_title)
{
  series_ = series;
  title_ = title;
  x_title_ = x_title;
  y_title_ = y_title;
  rebuild();
}

void Chart::rebuild()
{
  auto* chart = new QChart;
  chart->setTitle(title_);
  chart->setMargins({4, 4, 4, 4});
  chart->setBackgroundBrush(palette().color(QPalette::Base));
  chart->setTitleBrush(palette().color(QPalette::Text));
  chart->legend()->setLabelColor(palette().color(QPalette::Text));
  chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
  if (std::all_of(series_.begin(), series_.end(), [](const Series& line) { return line.points.isEmpty(); })) {
    model_->show({});
    QChart* old = view_->chart();
    view_->setChart(chart);
    delete old;
    placeLegend();
    return;
  }
  const bool log_axis = powers_of_two(series_);
  double low_x = 1e300;
  double high_x = -1e300;
  double high_y = 0;
  double low_y = 0;
  Table numbers;
  numbers.columns << x_title_;
  std::map<double, QStringList> rows;
  int index = 0;
  int solid = 0;
  static constexpr Qt::PenStyle styles[]{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  for (const Series& line : series_) {
    auto* drawn = new QLineSeries;
    drawn->setName(line.name);
    QColor colour = series_colour(line.ghost ? index : solid);
    if (line.ghost)
      colour.setAlpha(110);
    drawn->setPen(QPen{colour, line.ghost ? 1.5 : 2.2, line.ghost ? Qt::DashLine : styles[(solid / 7) % 4]});
    drawn->setPointsVisible(line.points.size() < 60);
    for (const QPointF& point : down_sampled(line.points, 10'000)) {
      drawn->append(point);
      low_x = std::min(low_x, point.x());
      high_x = std::max(high_x, point.x());
      high_y = std::max(high_y, point.y());
      low_y = std::min(low_y, point.y());
    }
    connect(drawn, &QLineSeries::hovered, this, [this, name = line.name](const QPointF& at, bool on) {
      emit pointHovered(on ? tr("%1: %2 at %3").arg(name, short_number(at.y()), short_number(at.x())) : QString{});
    });
    chart->addSeries(drawn);
    numbers.columns << line.name;
    for (const QPointF& point : line.points) {
      QStringList& row = rows[point.x()];
      while (row.size() < numbers.columns.size() - 2)
        row << QString{};
      if (row.size() == numbers.columns.size() - 2)
        row << QString::number(point.y(), 'g', 12);
    }
    ++index;
    solid += line.ghost ? 0 : 1;
  }
  for (auto& [x, row] : rows) {
    while (row.size() < numbers.columns.size() - 1)
      row << QString{};
    numbers.rows.push_back(QStringList{QString::number(x, 'g', 12)} + row);
  }
  model_->show(std::move(numbers));
  QAbstractAxis* x_axis = nullptr;
  if (log_axis) {
    auto* axis = new QLogValueAxis;
    axis->setBase(2);
    axis->setLabelFormat(QStringLiteral("%g"));
    axis->setRange(low_x, high_x);
    x_axis = axis;
  } else {
    auto* axis = new QValueAxis;
    axis->setLabelFormat(QStringLiteral("%g"));
    if (high_x > low_x)
      axis->setRange(low_x, high_x);
    axis->applyNiceNumbers();
    x_axis = axis;
  }
  auto* y_axis = new QValueAxis;
  y_axis->setLabelFormat(QStringLiteral("%g"));
  y_axis->setRange(low_y, high_y > low_y ? high_y * 1.05 : low_y + 1);
  y_axis->applyNiceNumbers();
  for (QAbstractAxis* axis : {x_axis, static_cast<QAbstractAxis*>(y_axis)}) {
    axis->setLabelsColor(palette().color(QPalette::Text));
    axis->setTitleBrush(palette().color(QPalette::Text));
    axis->setGridLineColor(palette().color(QPalette::Mid));
    axis->setLinePenColor(palette().color(QPalette::Mid));
  }
  x_axis->setTitleText(x_title_);
  y_axis->setTitleText(y_title_);
  chart->addAxis(x_axis, Qt::AlignBottom);
  chart->addAxis(y_axis, Qt::AlignLeft);
  for (QAbstractSeries* line : chart->series()) {
    line->attachAxis(x_axis);
    line->attachAxis(y_axis);
  }
  QChart* old = view_->chart();
  view_->setChart(chart);
  delete old;
  placeLegend();
}

bool Chart::exportTo(const QString& file, QString* error) const
{
  return write_picture(
      file, {1200, 720}, title_,
      [this](QPainter& painter, const QRectF& target) { view_->render(&painter, target, view_->viewport()->rect(), Qt::KeepAspectRatio); },
      error);
}

void Chart::setThreshold(double y, const QString& name)
{
  auto* line = new QLineSeries;
  line->setName(name);
  line->setPen(QPen{error_colour(), 1.5, Qt::DashDotLine});
  const QList<QAbstractAxis*> axes = view_->chart()->axes(Qt::Horizontal);
  if (axes.isEmpty()) {
    delete line;
    return;
  }
  double low = 0;
  double high = 1;
  if (const auto* values = qobject_cast<QValueAxis*>(axes.front())) {
    low = values->min();
    high = values->max();
  } else if (const auto* powers = qobject_cast<QLogValueAxis*>(axes.front())) {
    low = powers->min();
    high = powers->max();
  }
  line->append(low, y);
  line->append(high, y);
  view_->chart()->addSeries(line);
  for (QAbstractAxis* axis : view_->chart()->axes())
    line->attachAxis(axis);
}

void Chart::placeLegend()
{
  // Many names stand below each other where there is room, so that none is cut.
  QLegend* legend = view_->chart()->legend();
  legend->setAlignment(series_.size() > 3 && width() > 460 ? Qt::AlignRight : Qt::AlignBottom);
  legend->setVisible(series_.size() <= 12 || width() > 460);
}

void Chart::resizeEvent(QResizeEvent* event)
{
  QWidget::resizeEvent(event);
  placeLegend();
}

void Chart::changeEvent(QEvent* event)
{
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    rebuild();
}

} // namespace trainyard::gui
