// SPDX-License-Identifier: Apache-2.0
#include "gui/results/chart_view.hpp"

#include "gui/core/picture.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/chart_parts.hpp"

#include <QAction>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QHorizontalBarSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>
#include <QPainter>
#include <QScatterSeries>
#include <QToolButton>
#include <QVBoxLayout>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// Positive, over two powers of ten or more, so that on a straight axis most would lie on zero.
bool spans_decades(const QVector<Series>& series)
{
  double least = 1e300;
  double most = 0;
  for (const Series& line : series)
    for (const QPointF& point : line.points) {
      least = std::min(least, point.y());
      most = std::max(most, point.y());
    }
  return least > 0 && most >= 100 * least;
}

/// Positive, over more than three powers of ten: run times of jobs, for example.
bool over_powers_of_ten(const QVector<Series>& series)
{
  double least = 1e300;
  double most = 0;
  qsizetype points = 0;
  for (const Series& line : series)
    for (const QPointF& point : line.points) {
      least = std::min(least, point.x());
      most = std::max(most, point.x());
      ++points;
    }
  return points >= 8 && least > 0 && most >= 1000 * least;
}

/// Marks at the edges stay whole, and ticks stand at round numbers all the same.
void give_room(QValueAxis& axis)
{
  axis.applyNiceNumbers();
  const double length = axis.max() - axis.min();
  axis.setTickType(QValueAxis::TicksDynamic);
  axis.setTickAnchor(axis.min());
  axis.setTickInterval(length / std::max(1, axis.tickCount() - 1));
  axis.setRange(axis.min() - 0.04 * length, axis.max() + 0.04 * length);
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
    const auto [low, high] = std::minmax_element(points.begin() + from, points.begin() + to,
                                                 [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); });
    result.push_back(low < high ? *low : *high);
    if (low != high)
      result.push_back(low < high ? *high : *low);
  }
  return result;
}

QVector<QPointF> stepped(const QVector<QPointF>& points)
{
  QVector<QPointF> corners;
  for (const QPointF& point : points) {
    if (!corners.isEmpty() && point.x() > corners.back().x() && point.y() != corners.back().y())
      corners.push_back({point.x(), corners.back().y()});
    corners.push_back(point);
  }
  return corners;
}

Chart::Chart(QWidget* parent)
    : QWidget{parent}, pages_{new QStackedWidget{this}}, view_{new CrossHairView{
                                                             [this](double x) { return valuesAt(x); },
                                                             [this](bool zoomed) { showZoom(zoomed); }}},
      whole_{new QToolButton{view_}}, table_{new QTableView}, model_{new TableModel{this}}
{
  auto* layout = column_in(this);
  layout->addWidget(pages_);
  view_->setRenderHint(QPainter::Antialiasing);
  view_->setMinimumSize(190, 150);
  view_->setRubberBand(QChartView::RectangleRubberBand);
  view_->setAccessibleName(tr("Chart"));
  whole_->setObjectName(QStringLiteral("whole_chart"));
  whole_->setText(tr("Whole chart"));
  whole_->setToolTip(tr("Back from the enlarged part; a right click does the same"));
  whole_->hide();
  connect(whole_, &QToolButton::clicked, this, [this] { showZoom(false); });
  set_up(*table_, model_, tr("Numbers of the chart"));
  table_->verticalHeader()->hide();
  pages_->addWidget(view_);
  pages_->addWidget(table_);
  offerExport();
  rebuild(); // in the colours of the theme from the start
}

void Chart::showNumbers(Table numbers)
{
  setSeries({}, {}, {}, {});
  only_numbers_ = true;
  model_->show(std::move(numbers));
  table_->resizeColumnsToContents();
  pages_->setCurrentIndex(1);
}

void Chart::showTable(bool table)
{
  if (only_numbers_)
    return;
  pages_->setCurrentIndex(table ? 1 : 0);
}

void Chart::setSeries(const QVector<Series>& series, const QString& title, const QString& x_title,
                      const QString& y_title)
{
  if (std::exchange(only_numbers_, false))
    pages_->setCurrentIndex(0);
  series_ = series;
  title_ = title;
  x_title_ = x_title;
  y_title_ = y_title;
  rebuild();
}

void Chart::showZoom(bool zoomed)
{
  if (!zoomed)
    return rebuild();
  for (QAbstractAxis* axis : view_->chart()->axes())
    if (auto* values = qobject_cast<QValueAxis*>(axis); values != nullptr) {
      values->setTickType(QValueAxis::TicksFixed);
      values->applyNiceNumbers(); // 5860, not 5860.11
    }
  whole_->show();
  whole_->adjustSize();
  whole_->move(view_->width() - whole_->width() - 6, 6);
}

QFont Chart::smallFont() const
{
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * 0.92);
  return small;
}

QChart* Chart::emptyChart() const
{
  auto* chart = new QChart;
  chart->setMargins({2, 2, 2, 2});
  chart->setBackgroundBrush(palette().color(QPalette::Base));
  chart->setTitleBrush(palette().color(QPalette::Text));
  chart->legend()->setLabelColor(palette().color(QPalette::Text));
  chart->legend()->setFont(smallFont());
  return chart;
}

void Chart::paintAxes(std::initializer_list<QAbstractAxis*> axes) const
{
  for (QAbstractAxis* axis : axes) {
    axis->setLabelsFont(smallFont());
    axis->setTitleFont(smallFont());
    axis->setLabelsColor(palette().color(QPalette::Text));
    axis->setTitleBrush(palette().color(QPalette::Text));
    axis->setGridLineColor(palette().color(QPalette::Mid));
    axis->setLinePenColor(palette().color(QPalette::Mid));
  }
}

void Chart::replaceChart(QChart* chart)
{
  QChart* old = view_->chart();
  view_->setChart(chart);
  delete old;
  whole_->hide();
  // A click on a name hides its line, and shows it again.
  for (QLegendMarker* marker : chart->legend()->markers()) {
    const QString name = marker->label();
    const auto fade = [this, marker, name] {
      const bool shown = !hidden_.contains(name);
      marker->series()->setVisible(shown);
      marker->setVisible(true); // it would go with its line
      QColor ink = palette().color(QPalette::Text);
      ink.setAlphaF(shown ? 1.0F : 0.4F);
      marker->setLabelBrush(ink);
      view_->scene()->update();
    };
    if (chart->series().size() > 1) {
      connect(marker, &QLegendMarker::clicked, this, [this, name, fade] {
        if (!hidden_.remove(name))
          hidden_.insert(name);
        fade();
      });
      fade();
    }
  }
  for (const auto& [y, name] : std::as_const(thresholds_))
    drawThreshold(y, name);
  placeLegend();
}

QXYSeries* Chart::drawnSeries(const Series& line, int index, int number)
{
  QColor colour = series_colour(number);
  if (line.ghost)
    colour.setAlpha(150);
  QXYSeries* drawn = nullptr;
  if (line.marks) {
    auto* scattered = new QScatterSeries;
    static constexpr QScatterSeries::MarkerShape shapes[]{
        QScatterSeries::MarkerShapeCircle, QScatterSeries::MarkerShapeRectangle, QScatterSeries::MarkerShapeTriangle};
    scattered->setMarkerShape(line.large ? QScatterSeries::MarkerShapeStar : shapes[index % 3]); // not by colour alone
    scattered->setMarkerSize(line.large ? 20 : 10);
    scattered->setColor(colour);
    scattered->setBorderColor(palette().color(QPalette::Base));
    drawn = scattered;
  } else {
    static constexpr Qt::PenStyle styles[]{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    drawn = new QLineSeries;
    drawn->setPen(
        QPen{colour, line.ghost ? 1.6 : 2.2, line.ghost ? Qt::DashLine : styles[(number / 7 + line.style) % 4]});
    drawn->setPointsVisible(line.points.size() < 60);
  }
  drawn->setName(line.name);
  drawn->append(down_sampled(line.steps ? stepped(line.points) : line.points, 10'000));
  return drawn;
}

QAbstractAxis* Chart::axisAcross(double low, double high) const
{
  const bool marks = std::any_of(series_.begin(), series_.end(), [](const Series& line) { return line.marks; });
  if (!marks && (powers_of_two(series_) || over_powers_of_ten(series_))) {
    auto* axis = new QLogValueAxis;
    axis->setBase(powers_of_two(series_) ? 2 : 10);
    axis->setLabelFormat(QStringLiteral("%g"));
    axis->setRange(low, high);
    return axis;
  }
  auto* axis = new QValueAxis;
  axis->setLabelFormat(QStringLiteral("%g"));
  if (high > low)
    axis->setRange(low, high);
  else
    axis->setRange(low - 1, low + 1); // an axis without length has no numbers
  marks ? give_room(*axis) : axis->applyNiceNumbers();
  return axis;
}

void Chart::rebuild()
{
  QChart* chart = emptyChart();
  chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
  if (std::all_of(series_.begin(), series_.end(), [](const Series& line) { return line.points.isEmpty(); })) {
    model_->show({});
    return replaceChart(chart);
  }
  if (!categories_.isEmpty()) {
    delete chart;
    return drawBars();
  }
  double low_x = 1e300;
  double high_x = -1e300;
  double high_y = 0;
  double low_y = 0;
  double least_y = 1e300; // above zero
  int index = 0;
  int solid = 0;
  for (const Series& line : std::as_const(series_)) {
    QXYSeries* drawn = drawnSeries(line, index, line.colour >= 0 ? line.colour : line.ghost ? index : solid);
    for (const QPointF& point : drawn->points()) {
      low_x = std::min(low_x, point.x());
      high_x = std::max(high_x, point.x());
      high_y = std::max(high_y, point.y());
      low_y = std::min(low_y, point.y());
    }
    for (const auto& [low, high] : line.interval) {
      high_y = std::max(high_y, high);
      least_y = low > 0 ? std::min(least_y, low) : least_y;
    }
    for (const QPointF& point : line.points)
      least_y = point.y() > 0 ? std::min(least_y, point.y()) : least_y;
    chart->addSeries(drawn);
    if (!line.interval.isEmpty())
      new ErrorBars{*chart, *drawn, line.points, line.interval};
    ++index;
    solid += line.ghost ? 0 : 1;
  }
  model_->show(numbers_of(series_, x_title_));
  QAbstractAxis* x_axis = axisAcross(low_x, high_x);
  QAbstractAxis* y_axis = nullptr;
  const bool marks = std::any_of(series_.begin(), series_.end(), [](const Series& line) { return line.marks; });
  if (!marks && spans_decades(series_)) {
    auto* decades = new QLogValueAxis;
    decades->setBase(10);
    decades->setLabelFormat(QStringLiteral("%g"));
    decades->setMinorTickCount(8);
    decades->setMinorGridLineVisible(false);
    decades->setRange(std::pow(10, std::floor(std::log10(least_y))), std::pow(10, std::ceil(std::log10(high_y))));
    y_axis = decades;
  } else {
    auto* values = new QValueAxis;
    values->setLabelFormat(QStringLiteral("%g"));
    if (top_ > low_y)
      high_y = std::min(high_y, top_);
    values->setRange(low_y, high_y > low_y ? high_y * 1.05 : low_y + 1);
    marks ? give_room(*values) : values->applyNiceNumbers();
    y_axis = values;
  }
  paintAxes({x_axis, y_axis});
  x_axis->setTitleText(x_title_);
  y_axis->setTitleText(y_title_);
  chart->addAxis(x_axis, Qt::AlignBottom);
  chart->addAxis(y_axis, Qt::AlignLeft);
  for (QAbstractSeries* line : chart->series()) {
    line->attachAxis(x_axis);
    line->attachAxis(y_axis);
  }
  replaceChart(chart);
}

int Chart::heightForNames(qsizetype names) const
{
  // Qt Charts writes "..." where the height of the axis over the number of names and two, less a padding of 4 px above
  // and below, is less than that of the letters (qtcharts, verticalaxis.cpp and chartbarcategoryaxisy.cpp).
  constexpr int padding = 8;
  constexpr int title_and_axis = 110;
  const int name = QFontMetrics{smallFont()}.height() + padding + 2;
  return names == 0 ? 0 : (static_cast<int>(names) + 2) * name + title_and_axis;
}

void Chart::drawBars()
{
  QChart* chart = emptyChart();
  auto* bars = new QHorizontalBarSeries; // names stand beside them and are never turned or cut
  Table numbers;
  numbers.columns << x_title_;
  for (const QString& name : std::as_const(categories_))
    numbers.rows.push_back({name});
  double most = 0;
  for (const Series& line : std::as_const(series_)) {
    auto* set = new QBarSet{line.name};
    set->setColor(series_colour(line.colour >= 0 ? line.colour : bars->count()));
    set->setBorderColor(palette().color(QPalette::Base));
    set->setLabelColor(palette().color(QPalette::Text));
    QVector<double> heights(categories_.size(), 0);
    for (const QPointF& point : line.points)
      if (const auto at = static_cast<qsizetype>(point.x()); at >= 0 && at < heights.size())
        heights[at] = point.y();
    numbers.columns << line.name;
    for (qsizetype i = 0; i < heights.size(); ++i) {
      numbers.rows[i] << QString::number(heights[i], 'g', 12);
      most = std::max(most, heights[i]);
    }
    for (auto it = heights.crbegin(); it != heights.crend(); ++it) // the first one on top
      set->append(*it);
    bars->append(set);
  }
  bars->setLabelsVisible(true);
  bars->setLabelsPosition(QAbstractBarSeries::LabelsOutsideEnd);
  model_->show(std::move(numbers));
  chart->addSeries(bars);
  auto* names = new QBarCategoryAxis;
  QStringList upwards = categories_;
  std::reverse(upwards.begin(), upwards.end());
  names->append(upwards);
  auto* values = new QValueAxis;
  values->setLabelFormat(QStringLiteral("%g"));
  values->setRange(0, most > 0 ? most * 1.1 : 1);
  values->applyNiceNumbers();
  values->setTitleText(y_title_);
  paintAxes({names, values});
  names->setGridLineVisible(false);
  chart->addAxis(names, Qt::AlignLeft);
  chart->addAxis(values, Qt::AlignBottom);
  bars->attachAxis(names);
  bars->attachAxis(values);
  replaceChart(chart);
}

void Chart::setThreshold(double y, const QString& name)
{
  if (!thresholds_.contains({y, name}))
    thresholds_.push_back({y, name});
  drawThreshold(y, name);
}

void Chart::drawThreshold(double y, const QString& name)
{
  auto* line = new QLineSeries;
  line->setName(name.toHtmlEscaped()); // "< 1 h" is not mark-up
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

QString Chart::valuesAt(double x) const
{
  QStringList words;
  double nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const Series& line : series_)
    for (const QPointF& point : line.points)
      if (std::fabs(point.x() - x) < least) {
        least = std::fabs(point.x() - x);
        nearest = point.x();
      }
  words << QStringLiteral("%1 = %2").arg(x_title_, short_number(nearest));
  for (const Series& line : series_) {
    const auto found =
        std::min_element(line.points.begin(), line.points.end(), [&](const QPointF& a, const QPointF& b) {
          return std::fabs(a.x() - nearest) < std::fabs(b.x() - nearest);
        });
    if (found != line.points.end() && words.size() < 14)
      words << QStringLiteral("%1: %2").arg(line.name, short_number(found->y()));
  }
  return words.join(QLatin1Char('\n'));
}

void Chart::setMark(double x)
{
  static_cast<CrossHairView*>(view_)->mark = x;
  view_->viewport()->update();
}

void Chart::showRange(double low, double high)
{
  const QList<QAbstractAxis*> axes = view_->chart()->axes(Qt::Horizontal);
  if (auto* axis = axes.isEmpty() ? nullptr : qobject_cast<QValueAxis*>(axes.front()); axis != nullptr && high > low)
    axis->setRange(low, high);
}

int Chart::heightForLegend(qsizetype lines) const
{
  // Beside the chart; names that Qt Charts has no height for are cut. More lines are found in the table.
  constexpr int padding = 9; // of a name, above and below
  constexpr int title_and_margins = 50;
  constexpr qsizetype most = 20;
  return lines <= 3 ? 0
                    : static_cast<int>(std::min(lines, most)) * (QFontMetrics{smallFont()}.height() + padding) +
                          title_and_margins;
}

void Chart::placeLegend()
{
  // Many names are placed below each other if there is space, so that none is cut.
  QLegend* legend = view_->chart()->legend();
  legend->setAlignment(series_.size() > 3 && width() > 460 ? Qt::AlignRight : Qt::AlignBottom);
  legend->setVisible(series_.size() > 1 &&
                     (series_.size() <= 12 || width() > 460)); // one curve is what the axis says Qt
  // Charts cuts a long title; broken into lines it stays whole.
  const int room = std::max(12, (width() - 40) / std::max(1, fontMetrics().averageCharWidth() + 1));
  QStringList lines{QString{}};
  for (const QString& word : title_.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    if (!lines.back().isEmpty() && lines.back().size() + 1 + word.size() > room)
      lines << QString{};
    lines.back() += (lines.back().isEmpty() ? QString{} : QStringLiteral(" ")) + word.toHtmlEscaped();
  }
  view_->chart()->setTitle(lines.join(QStringLiteral("<br>")));
}

void Chart::resizeEvent(QResizeEvent* event)
{
  QWidget::resizeEvent(event);
  whole_->move(view_->width() - whole_->width() - 6, 6);
  placeLegend();
}

void Chart::changeEvent(QEvent* event)
{
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !only_numbers_)
    rebuild();
}

/// A chart for other programs: as a picture, and as the numbers of its lines.
bool Chart::exportTo(const QString& file, QString* error) const
{
  // A chart of its own, so that the picture is the same in a small window and in the dark.
  if (only_numbers_) {
    *error = tr("These results are numbers without a chart; there is no picture of them");
    return false;
  }
  const QSize size{1200, 720};
  const LightColours light;
  Chart copy;
  copy.setPalette(light.palette());
  copy.resize(size);
  copy.setTop(top_);
  copy.hidden_ = hidden_;
  copy.setCategories(categories_);
  copy.setSeries(series_, title_, x_title_, y_title_);
  for (const auto& [y, name] : thresholds_)
    copy.setThreshold(y, name);
  copy.view_->chart()->resize(size);
  return write_picture(
      file, size, title_,
      [&](QPainter& painter, const QRectF& target) {
        copy.view_->scene()->render(&painter, target, QRectF{QPointF{}, QSizeF{size}}, Qt::KeepAspectRatio);
      },
      error);
}

void Chart::offerExport()
{
  auto* menu = new QMenu{this};
  menu->setObjectName(QStringLiteral("chart_menu"));
  menu->addAction(tr("Save picture…"), this, [this] {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save picture"), QStringLiteral("chart.svg"),
                                                      tr("Pictures (*.svg *.png *.pdf)"));
    QString error;
    if (!file.isEmpty() && !exportTo(file, &error))
      QMessageBox::warning(this, tr("Save picture"), error);
  });
  menu->addAction(tr("Copy picture"), this, [this] { QGuiApplication::clipboard()->setPixmap(view_->grab()); });
  menu->addSeparator();
  menu->addAction(tr("Save numbers as CSV…"), this, [this] {
    save_text(*this, tr("Save numbers"), QStringLiteral("chart.csv"), tr("Tables (*.csv)"),
              copied_rows(*table_, false, CopiedRows::all));
  });
  menu->addAction(tr("Copy numbers as CSV"), this,
                  [this] { QGuiApplication::clipboard()->setText(copied_rows(*table_, false, CopiedRows::all)); });
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view_, &QWidget::customContextMenuRequested, this, [this, menu](const QPoint& at) {
    if (!whole_->isVisible()) // else the button shows all again
      menu->popup(view_->mapToGlobal(at));
  });
}

} // namespace trainyard::gui
