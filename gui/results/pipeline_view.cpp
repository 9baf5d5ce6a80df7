// SPDX-License-Identifier: Apache-2.0
#include "gui/results/pipeline_view.hpp"

#include "gui/core/picture.hpp"
#include "gui/core/theme.hpp"
#include "gui/timeline/timeline.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <map>

namespace trainyard::gui {
namespace {

constexpr int edge_width = 8, heading_height = 22, time_axis_height = 20, between_parts = 10;

/// The colour of a pass; backward passes of further chunks are told apart by their numbers.
QColor colour_of(const QString& pass)
{
  return series_colour(pass == QLatin1String("forward") ? 0 : pass == QLatin1String("backward") ? 1 : 2);
}

QColor letters_on(const QColor& ground)
{
  return contrast(Qt::black, ground) > contrast(Qt::white, ground) ? Qt::black : Qt::white;
}

QString gib(double bytes)
{
  return PipelineView::tr("%1 GiB").arg(bytes / 1073741824, 0, 'f', 1);
}

const Table* csv_named(const ResultsData& data, const char* name)
{
  for (const auto& [known, table] : data.other)
    if (known == QLatin1String(name))
      return &table;
  return nullptr;
}

} // namespace

double PipelineRow::busy() const
{
  double sum = 0;
  for (const Task& task : tasks)
    sum += task.end - task.begin;
  return sum;
}

double PipelineRow::peak() const
{
  double most = 0;
  for (const Memory& each : memory)
    most = std::max(most, each.all);
  return most;
}

QVector<PipelineRow> pipeline_rows(const ResultsData& data)
{
  const Table* tasks = csv_named(data, "pipeline");
  QVector<PipelineRow> rows;
  if (tasks == nullptr)
    return rows;
  for (const char* column : {"job", "rank", "pass", "begin_s", "end_s"})
    if (tasks->column(QLatin1String(column)) < 0)
      return rows;
  std::map<std::pair<QString, int>, qsizetype> places;
  const auto row_of = [&](const Table& table, int row) -> PipelineRow& {
    const QString job = table.text(row, QStringLiteral("job"));
    const int rank = table.text(row, QStringLiteral("rank")).toInt();
    const auto [found, is_new] = places.try_emplace({job, rank}, rows.size());
    if (is_new)
      rows.push_back({job, rank, {}, {}});
    return rows[found->second];
  };
  for (int i = 0; i < tasks->rows.size(); ++i) {
    const auto number = [&](const char* column) { return tasks->number(i, QLatin1String(column)); };
    const double begin = number("begin_s"), end = number("end_s");
    if (!std::isfinite(begin) || !std::isfinite(end))
      continue;
    row_of(*tasks, i).tasks.push_back({tasks->text(i, QStringLiteral("pass")),
                                       tasks->text(i, QStringLiteral("chunk")).toInt(),
                                       tasks->text(i, QStringLiteral("micro_batch")).toInt(), begin, end});
  }
  if (const Table* memory = csv_named(data, "memory"); memory != nullptr && memory->column(QStringLiteral("rank")) >= 0)
    for (int i = 0; i < memory->rows.size(); ++i) {
      const auto number = [&](const char* column) { return memory->number(i, QLatin1String(column)); };
      if (std::isfinite(number("time_s")) && std::isfinite(number("memory_B")))
        row_of(*memory, i)
            .memory.push_back({number("time_s"), memory->text(i, QStringLiteral("chunks")).toInt(),
                               number("activations_B"), number("memory_B")});
    }
  for (PipelineRow& row : rows)
    std::stable_sort(row.tasks.begin(), row.tasks.end(),
                     [](const PipelineRow::Task& a, const PipelineRow::Task& b) { return a.begin < b.begin; });
  return rows;
}

PipelineView::PipelineView(QWidget* parent) : QWidget{parent}
{
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(360, 260);
  setAccessibleName(tr("Pipeline of the step"));
}

bool PipelineView::show(const Results& results)
{
  rows_ = results ? pipeline_rows(*results) : QVector<PipelineRow>{};
  installed_ = length_ = begin_ = 0;
  chosen_ = 0;
  several_ = false;
  for (int i = 0; i < rows_.size(); ++i) {
    for (const PipelineRow::Task& task : std::as_const(rows_[i].tasks))
      length_ = std::max(length_, task.end);
    if (rows_[i].peak() > rows_[chosen_].peak())
      chosen_ = i;
    several_ = several_ || rows_[i].job != rows_[0].job;
  }
  if (results)
    if (const Table* jobs = csv_named(*results, "parallel"); jobs != nullptr && !jobs->rows.isEmpty())
      installed_ = std::fmax(0, jobs->number(static_cast<int>(jobs->rows.size()) - 1, QStringLiteral("installed_B")));
  end_ = length_;
  describe();
  update();
  return !rows_.isEmpty() && length_ > 0;
}

void PipelineView::choose(int row)
{
  if (row < 0 || row >= rows_.size())
    return;
  chosen_ = row;
  describe();
  update();
}

QString PipelineView::nameOf(const PipelineRow& row) const
{
  return several_ ? tr("%1, stage %2").arg(row.job).arg(row.rank) : tr("stage %1").arg(row.rank);
}

void PipelineView::describe()
{
  if (rows_.isEmpty())
    return setAccessibleDescription({});
  const PipelineRow& row = rows_[chosen_];
  setAccessibleDescription(tr("%1: busy %2 % of the pipeline, memory up to %3")
                               .arg(nameOf(row))
                               .arg(100 * row.busy() / length_, 0, 'f', 0)
                               .arg(gib(row.peak())));
}

QRectF PipelineView::rowsArea() const
{
  const double names = 12 + std::max(fontMetrics().horizontalAdvance(
                                         several_ && !rows_.isEmpty() ? nameOf(rows_.back()) : tr("stage %1").arg(88)),
                                     fontMetrics().horizontalAdvance(QStringLiteral("8888 GiB")));
  const double left = edge_width + names;
  const double height = 0.62 * (this->height() - 2 * edge_width - heading_height - time_axis_height - between_parts);
  return {left, edge_width + heading_height, std::max(40.0, width() - left - edge_width), std::max(40.0, height)};
}

QRectF PipelineView::memoryArea() const
{
  const QRectF above = rowsArea();
  const double top = above.bottom() + time_axis_height + between_parts + heading_height;
  return {above.left(), top, above.width(), std::max(30.0, height() - edge_width - top)};
}

QRectF PipelineView::placeOf(int row) const
{
  const QRectF area = rowsArea();
  const double each = area.height() / static_cast<double>(std::max<qsizetype>(1, rows_.size()));
  return {area.left(), area.top() + row * each, area.width(), each};
}

double PipelineView::xOf(double seconds) const
{
  const QRectF area = rowsArea();
  return area.left() + (seconds - begin_) / std::max(1e-12, end_ - begin_) * area.width();
}

double PipelineView::timeAt(double x) const
{
  const QRectF area = rowsArea();
  return begin_ + (x - area.left()) / area.width() * (end_ - begin_);
}

QString PipelineView::wordsAt(const QPointF& place) const
{
  const double time = timeAt(place.x());
  const auto at = [&](double seconds) { return time_text(seconds, length_ / 1000); };
  for (int i = 0; i < rows_.size(); ++i) {
    if (!placeOf(i).contains(place) || time > length_)
      continue;
    const PipelineRow& row = rows_[i];
    double free_from = 0;
    for (const PipelineRow::Task& task : row.tasks) {
      if (task.begin > time)
        return tr("%1: bubble, %2 to %3").arg(nameOf(row), at(free_from), at(task.begin));
      if (time < task.end)
        return tr("%1: %2 pass of micro-batch %3, chunk %4, %5 to %6")
            .arg(nameOf(row), task.pass)
            .arg(task.micro_batch)
            .arg(task.chunk)
            .arg(at(task.begin), at(task.end));
      free_from = task.end;
    }
    return tr("%1: bubble, %2 to %3").arg(nameOf(row), at(free_from), at(length_));
  }
  if (rows_.isEmpty() || !memoryArea().contains(place))
    return {};
  const PipelineRow& row = rows_[chosen_];
  const auto next = std::upper_bound(row.memory.begin(), row.memory.end(), time,
                                     [](double seconds, const PipelineRow::Memory& m) { return seconds < m.from; });
  if (next == row.memory.begin())
    return {};
  const PipelineRow::Memory& now = *std::prev(next);
  return tr("%1 at %2: %3, of them %4 activations of %n chunk(s)", nullptr, now.chunks)
      .arg(nameOf(row), at(time), gib(now.all), gib(now.activations));
}

void PipelineView::drawRow(QPainter& painter, int number) const
{
  const PipelineRow& row = rows_[number];
  const QRectF place = placeOf(number);
  const QRectF box = place.adjusted(0, place.height() > 8 ? 1.5 : 0, 0, place.height() > 8 ? -1.5 : 0);
  painter.fillRect(box, palette().color(QPalette::AlternateBase));
  painter.setPen(palette().color(QPalette::WindowText));
  if (place.height() >= fontMetrics().height() * 0.8) {
    QFont font = painter.font();
    font.setBold(number == chosen_);
    painter.setFont(font);
    painter.drawText(QRectF{edge_width, place.top(), place.left() - edge_width - 6, place.height()},
                     Qt::AlignRight | Qt::AlignVCenter, nameOf(row));
    font.setBold(false);
    painter.setFont(font);
  }
  painter.save();
  painter.setClipRect(box);
  double drawn = -1; // tasks below a pixel: one of each pixel is drawn
  for (const PipelineRow::Task& task : row.tasks) {
    const double from = xOf(task.begin), to = xOf(task.end);
    if (to < place.left() || from > place.right() || (to - from < 1 && to < drawn))
      continue;
    const QColor colour = colour_of(task.pass);
    const QRectF piece{from, box.top(), std::max(1.0, to - from - (to - from > 4 ? 1 : 0)), box.height()};
    painter.fillRect(piece, task.chunk % 2 == 0 ? colour : colour.darker(125));
    drawn = piece.right();
    const QString text = QString::number(task.micro_batch);
    if (piece.width() > fontMetrics().horizontalAdvance(text) + 4 && piece.height() > fontMetrics().height() - 2) {
      painter.setPen(letters_on(task.chunk % 2 == 0 ? colour : colour.darker(125)));
      painter.drawText(piece, Qt::AlignCenter, text);
    }
  }
  painter.restore();
}

void PipelineView::drawMemory(QPainter& painter) const
{
  const QRectF area = memoryArea();
  const PipelineRow& row = rows_[chosen_];
  const QColor ink = palette().color(QPalette::WindowText);
  painter.setPen(ink);
  const QRectF title{edge_width, area.top() - heading_height, area.right() - edge_width,
                     static_cast<double>(heading_height)};
  if (row.memory.isEmpty())
    return painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                            tr("Memory: this folder does not say (memory.csv)"));
  const double top = 1.08 * std::max(row.peak(), installed_);
  const auto y = [&](double bytes) { return area.bottom() - bytes / top * area.height(); };
  painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Memory of %1, up to %2").arg(nameOf(row), gib(row.peak())));
  painter.fillRect(area, palette().color(QPalette::AlternateBase));
  painter.save();
  painter.setClipRect(area);
  for (qsizetype i = 0; i < row.memory.size(); ++i) {
    const PipelineRow::Memory& now = row.memory[i];
    const double until = i + 1 < row.memory.size() ? row.memory[i + 1].from : length_;
    const double from = xOf(now.from), to = std::max(xOf(until), from + 0.5);
    const double rest = now.all - now.activations;
    painter.fillRect(QRectF{QPointF{from, y(rest)}, QPointF{to, area.bottom()}}, series_colour(4));
    painter.fillRect(QRectF{QPointF{from, y(now.all)}, QPointF{to, y(rest)}}, series_colour(3));
  }
  painter.restore();
  if (installed_ > 0) {
    painter.setPen(QPen{error_colour(), 1.5, Qt::DashLine});
    painter.drawLine(QPointF{area.left(), y(installed_)}, QPointF{area.right(), y(installed_)});
  }
  painter.setPen(ink);
  for (const double bytes : {0.0, installed_ > 0 ? installed_ : row.peak()})
    painter.drawText(QRectF{edge_width, y(bytes) - 10, area.left() - edge_width - 6, 20},
                     Qt::AlignRight | Qt::AlignVCenter,
                     bytes > 0 ? tr("%1 GiB").arg(bytes / 1073741824, 0, 'f', 0) : QStringLiteral("0"));
}

void PipelineView::drawLegend(QPainter& painter) const
{
  const QVector<QPair<QString, QColor>> names{{tr("forward"), colour_of(QStringLiteral("forward"))},
                                              {tr("backward"), colour_of(QStringLiteral("backward"))},
                                              {tr("weights"), colour_of(QStringLiteral("weights"))},
                                              {tr("bubble"), palette().color(QPalette::AlternateBase)},
                                              {tr("activations"), series_colour(3)},
                                              {tr("weights, gradients, optimiser, buffers"), series_colour(4)},
                                              {tr("memory of the GPU"), error_colour()}};
  bool parted = false;
  for (const PipelineRow& row : rows_)
    for (const PipelineRow::Task& task : row.tasks)
      parted = parted || task.pass == QLatin1String("weights");
  double x = edge_width;
  for (qsizetype i = 0; i < names.size(); ++i) {
    if (i == 2 && !parted)
      continue;
    const double y = i < 4 ? edge_width : memoryArea().top() - heading_height;
    if (i == 4) // of the memory: at the right of its title
      x = std::max(
          memoryArea().left(), memoryArea().right() - [&] {
            double wide = 0;
            for (qsizetype j = 4; j < names.size(); ++j)
              wide += 30 + fontMetrics().horizontalAdvance(names[j].first);
            return wide;
          }());
    painter.fillRect(QRectF{x, y + heading_height / 2.0 - 5, 10, 10}, names[i].second);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(QRectF{x, y + heading_height / 2.0 - 5, 10, 10});
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRectF{x + 15, y, 400, static_cast<double>(heading_height)}, Qt::AlignLeft | Qt::AlignVCenter,
                     names[i].first);
    x += 30 + fontMetrics().horizontalAdvance(names[i].first);
  }
}

void PipelineView::paintEvent(QPaintEvent*)
{
  QPainter painter{this};
  draw(painter);
}

bool PipelineView::exportTo(const QString& file, QString* error)
{
  const LightColours light;
  setPalette(light.palette());
  const bool written = write_picture(
      file, size(), rows_.isEmpty() ? QString{} : rows_.front().job,
      [&](QPainter& painter, const QRectF& target) {
        painter.scale(target.width() / width(), target.height() / height());
        draw(painter);
      },
      error);
  setPalette({}); // the window's again
  return written;
}

void PipelineView::draw(QPainter& painter) const
{
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (rows_.isEmpty())
    return;
  for (int i = 0; i < rows_.size(); ++i)
    drawRow(painter, i);
  const QRectF area = rowsArea();
  painter.setPen(palette().color(QPalette::WindowText));
  const TimeScale scale{begin_, end_, static_cast<int>(area.width())};
  const double distance = tick_distance(scale, 90);
  for (double t = std::ceil(begin_ / distance) * distance; t <= end_; t += distance) {
    const double x = area.left() + scale.x(t);
    painter.drawLine(QPointF{x, area.bottom()}, QPointF{x, area.bottom() + 4});
    const double left = std::clamp(x - 60, area.left(), area.right() - 120);
    const Qt::Alignment side = left > x - 60 ? Qt::AlignLeft : left < x - 60 ? Qt::AlignRight : Qt::AlignHCenter;
    painter.drawText(QRectF{left, area.bottom() + 4, 120, time_axis_height - 4.0}, side | Qt::AlignVCenter,
                     tick_text(t, distance));
  }
  drawMemory(painter);
  drawLegend(painter);
}

void PipelineView::mousePressEvent(QMouseEvent* event)
{
  for (int i = 0; i < rows_.size(); ++i) {
    const QRectF place = placeOf(i);
    if (event->position().y() >= place.top() && event->position().y() < place.bottom())
      choose(i);
  }
}

void PipelineView::mouseDoubleClickEvent(QMouseEvent*)
{
  begin_ = 0;
  end_ = length_;
  update();
}

void PipelineView::wheelEvent(QWheelEvent* event)
{
  if (rows_.isEmpty() || event->angleDelta().y() == 0)
    return event->ignore();
  const double middle = std::clamp(timeAt(event->position().x()), begin_, end_);
  const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
  const double shown = std::clamp((end_ - begin_) * factor, length_ / 10'000, length_);
  const double share = (middle - begin_) / std::max(1e-12, end_ - begin_);
  begin_ = std::clamp(middle - share * shown, 0.0, length_ - shown);
  end_ = begin_ + shown;
  update();
}

void PipelineView::keyPressEvent(QKeyEvent* event)
{
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)
    return choose(chosen_ + (event->key() == Qt::Key_Up ? -1 : 1));
  QWidget::keyPressEvent(event);
}

bool PipelineView::event(QEvent* event)
{
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), wordsAt(help->pos()), this);
    return true;
  }
  return QWidget::event(event);
}

} // namespace trainyard::gui
