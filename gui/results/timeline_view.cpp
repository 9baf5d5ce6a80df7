#include "gui/results/timeline_view.hpp"

#include "gui/core/light_colours.hpp"
#include "gui/core/theme.hpp"

#include <QHash>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace trainyard::gui {
namespace {

constexpr int lane_height = 18;
constexpr int lane_gap = 3;
constexpr int axis_height = 24;

int colour_of_category(const QString& category, const QString& name)
{
  static const QHash<QString, int> known{
      {QStringLiteral("forward"), 0},    {QStringLiteral("backward"), 4},   {QStringLiteral("push"), 1},    {QStringLiteral("pull"), 2},
      {QStringLiteral("collective"), 1}, {QStringLiteral("all_reduce"), 1}, {QStringLiteral("update"), 3},  {QStringLiteral("input"), 5},
      {QStringLiteral("exchange"), 1},   {QStringLiteral("running"), 2},    {QStringLiteral("waiting"), 1}, {QStringLiteral("starting"), 5},
      {QStringLiteral("failed"), 3}};
  const auto found = known.constFind(category);
  return found != known.constEnd()
             ? found.value()
             : static_cast<int>(qHash(category.isEmpty() || category == QLatin1String("other") ? name : category) % 6);
}

} // namespace

void TimeScale::zoom(double factor, double x, double low, double high)
{
  const double at = seconds(x);
  const double least = std::max((high - low) * 1e-9, 1e-12);
  const double length = std::clamp((end - begin) * factor, least, high - low);
  begin = at - length * (x / width);
  end = begin + length;
  pan(0, low, high);
}

void TimeScale::pan(double pixels, double low, double high)
{
  const double length = end - begin;
  begin = std::clamp(begin + pixels / pixels_per_second(), low, std::max(low, high - length));
  end = begin + length;
}

double tick_distance(const TimeScale& scale, double pixels)
{
  const double least = pixels / scale.pixels_per_second();
  for (const double clock : {60., 120., 300., 600., 1800., 3600., 7200., 14400., 21600., 43200., 86400., 172800., 432000., 864000.})
    if (least > 30 && clock >= least) // minutes, hours and days as clocks have them
      return clock;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

QString time_text(double seconds, double distance)
{
  struct Unit {
    double size;
    const char* name;
  };
  static constexpr Unit units[]{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  const double decide = std::max(std::fabs(seconds), distance);
  for (const Unit& unit : units)
    if (decide >= unit.size * (unit.size > 1 ? 2 : 1) || &unit == std::end(units) - 1) {
      const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(distance / unit.size) - 1e-9)), 0, 9);
      return QStringLiteral("%1 %2").arg(seconds / unit.size, 0, 'f', digits).arg(QString::fromUtf8(unit.name));
    }
  return {};
}

void draw_lane(QImage& image, int top, int bottom, const std::vector<Span>& spans, const TimeScale& scale,
               const std::vector<std::uint32_t>& colours, std::uint32_t background)
{
  const int width = std::min(image.width(), scale.width);
  if (width <= 0 || top >= bottom)
    return;
  const double per_second = scale.pixels_per_second();
  const auto ends_after = [&](auto from, double t) {
    return std::upper_bound(from, spans.end(), t, [](double time, const Span& span) { return time < span.end; });
  };
  std::vector<std::uint32_t> row(static_cast<std::size_t>(width), background);
  auto it = ends_after(spans.begin(), scale.begin);
  for (int x = 0; x < width && it != spans.end();) {
    const double left = scale.begin + x / per_second;
    const double right = scale.begin + (x + 1) / per_second;
    if (it->end <= left) {
      it = ends_after(it, left);
      continue;
    }
    if (it->begin >= right) {
      x = std::max(x + 1, static_cast<int>(std::min<double>(width, (it->begin - scale.begin) * per_second)));
      continue;
    }
    const int end = static_cast<int>(std::min<double>(width, std::max<double>(x + 1, (it->end - scale.begin) * per_second)));
    std::fill(row.begin() + x, row.begin() + end, colours[it->name]);
    if (end - x > 3) // a seam, so that equal neighbours stay apart
      row[static_cast<std::size_t>(end - 1)] = background;
    x = end;
  }
  for (int y = std::max(0, top); y < std::min(bottom, image.height()); ++y)
    std::memcpy(image.scanLine(y), row.data(), static_cast<std::size_t>(width) * 4);
}

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea{parent}
{
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  setAccessibleDescription(tr("Work on every GPU, server and link over time; W and S zoom, A and D move"));
  viewport()->setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void TimelineView::show(Results results)
{
  results_ = std::move(results);
  cursor_ = -1;
  clicked_.clear();
  clicked_lane_ = -1;
  pinned_.clear();
  select_begin_ = select_end_ = 0;
  if (results_) {
    scale_.begin = results_->timeline.begin;
    scale_.end = std::max(results_->timeline.end, scale_.begin + 1e-9);
  }
  recolour();
  layoutLanes();
}

void TimelineView::setFilter(const QString& words)
{
  filter_ = words.trimmed();
  recolour();
  layoutLanes();
}

void TimelineView::showRange(double begin, double end)
{
  if (end > begin) {
    scale_.begin = begin;
    scale_.end = end;
    viewport()->update();
  }
}

void TimelineView::recolour()
{
  colours_.clear();
  if (!results_)
    return;
  const QColor faded = palette().color(QPalette::Mid);
  const Timeline& timeline = results_->timeline;
  for (int i = 0; i < timeline.names.size(); ++i) {
    const bool hit = filter_.isEmpty() || timeline.names[i].contains(filter_, Qt::CaseInsensitive) ||
                     timeline.categories[i].contains(filter_, Qt::CaseInsensitive);
    colours_.push_back((hit ? series_colour(colour_of_category(timeline.categories[i], timeline.names[i])) : faded).rgb());
  }
  viewport()->update();
}

void TimelineView::layoutLanes()
{
  shown_.clear();
  if (results_) {
    const Timeline& timeline = results_->timeline;
    bool any_name = filter_.isEmpty();
    for (const QString& name : timeline.names)
      any_name = any_name || name.contains(filter_, Qt::CaseInsensitive);
    for (const QString& name : timeline.categories)
      any_name = any_name || name.contains(filter_, Qt::CaseInsensitive);
    for (int i = 0; i < static_cast<int>(timeline.lanes.size()); ++i) {
      const Lane& lane = timeline.lanes[static_cast<std::size_t>(i)];
      if (any_name || lane.name.contains(filter_, Qt::CaseInsensitive) || lane.process.contains(filter_, Qt::CaseInsensitive))
        shown_.push_back(i);
    }
  }
  std::stable_partition(shown_.begin(), shown_.end(), [this](int lane) { return pinned_.contains(lane); });
  const int height = axis_height + static_cast<int>(shown_.size()) * (lane_height + lane_gap);
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(lane_height + lane_gap);
  int widest = 60; // of the names, as far as a third of the view can hold them
  if (results_)
    for (qsizetype i = 0; i < std::min<qsizetype>(shown_.size(), 2000); ++i)
      widest = std::max(widest, fontMetrics().horizontalAdvance(results_->timeline.lanes[static_cast<std::size_t>(shown_[i])].name) + 12);
  label_width_ = std::min({widest, std::max(60, viewport()->width() / 3), 320});
  scale_.width = std::max(1, viewport()->width() - label_width_);
  viewport()->update();
}

void TimelineView::paint(QPainter& painter, const QSize& size, int first_y)
{
  const QColor background = palette().color(QPalette::Base);
  painter.fillRect(QRect{{0, 0}, size}, background);
  if (!results_ || results_->timeline.lanes.empty()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRect{{0, 0}, size}, Qt::AlignCenter | Qt::TextWordWrap,
                     tr("No timeline: run the scenario, or open a results folder with a trace"));
    return;
  }
  const Timeline& timeline = results_->timeline;
  const QColor rowground = palette().color(QPalette::AlternateBase);
  QImage image{scale_.width, std::max(1, size.height() - axis_height), QImage::Format_RGB32};
  image.fill(background);
  const QFontMetrics metrics{painter.font()};
  painter.setPen(palette().color(QPalette::Text));
  const int pitch = lane_height + lane_gap;
  const int from = std::max(0, first_y / pitch);
  for (int i = from; i < shown_.size(); ++i) {
    const int y = i * pitch - first_y;
    if (y > image.height())
      break;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(shown_[i])];
    draw_lane(image, y, y + lane_height, lane.spans, scale_, colours_, rowground.rgb());
  }
  painter.drawImage(label_width_, axis_height, image);
  painter.fillRect(0, 0, size.width(), axis_height, palette().color(QPalette::Window));
  const double distance = tick_distance(scale_, 90);
  for (double t = std::ceil(scale_.begin / distance) * distance; t <= scale_.end; t += distance) {
    const int x = label_width_ + static_cast<int>(scale_.x(t));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(x, axis_height - 6, x, size.height());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(x + 3, 0, 120, axis_height - 4, Qt::AlignVCenter | Qt::AlignLeft, time_text(t, distance));
  }
  painter.setPen(palette().color(QPalette::Text));
  for (int i = from; i < shown_.size(); ++i) {
    const int y = i * pitch - first_y;
    if (y > image.height())
      break;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(shown_[i])];
    painter.drawText(
        4, axis_height + y, label_width_ - 8, lane_height, Qt::AlignVCenter | Qt::AlignLeft,
        metrics.elidedText(pinned_.contains(shown_[i]) ? QStringLiteral("▸ ") + lane.name : lane.name, Qt::ElideMiddle, label_width_ - 8));
    // Names on spans that are wide enough.
    const auto first =
        std::upper_bound(lane.spans.begin(), lane.spans.end(), scale_.begin, [](double t, const Span& span) { return t < span.end; });
    int budget = 60;
    for (auto it = first; it != lane.spans.end() && it->begin < scale_.end && budget > 0; ++it, --budget) {
      const double x0 = std::max(0.0, scale_.x(it->begin));
      const double x1 = std::min<double>(scale_.width, scale_.x(it->end));
      if (x1 - x0 < 40)
        continue;
      const QColor colour = QColor::fromRgb(colours_[it->name]);
      painter.setPen(contrast(colour, Qt::black) > contrast(colour, Qt::white) ? Qt::black : Qt::white);
      painter.drawText(QRectF{label_width_ + x0 + 3, static_cast<double>(axis_height + y), x1 - x0 - 6, lane_height},
                       Qt::AlignVCenter | Qt::AlignLeft,
                       metrics.elidedText(timeline.names[static_cast<int>(it->name)], Qt::ElideRight, static_cast<int>(x1 - x0 - 6)));
    }
    painter.setPen(palette().color(QPalette::Text));
  }
  if (select_end_ > select_begin_) {
    QColor band = palette().color(QPalette::Highlight);
    band.setAlpha(60);
    painter.fillRect(QRectF{label_width_ + scale_.x(select_begin_), static_cast<double>(axis_height),
                            (select_end_ - select_begin_) * scale_.pixels_per_second(), static_cast<double>(size.height())},
                     band);
  }
  if (cursor_ >= scale_.begin && cursor_ <= scale_.end) {
    painter.setPen(QPen{error_colour(), 1});
    const int x = label_width_ + static_cast<int>(scale_.x(cursor_));
    painter.drawLine(x, 0, x, size.height());
  }
}

void TimelineView::paintEvent(QPaintEvent*)
{
  QPainter painter{viewport()};
  paint(painter, viewport()->size(), verticalScrollBar()->value());
}

void TimelineView::togglePin()
{
  if (clicked_lane_ < 0)
    return;
  if (!pinned_.remove(clicked_lane_))
    pinned_.insert(clicked_lane_);
  layoutLanes();
}

QStringList TimelineView::laneNames() const
{
  QStringList names;
  for (const int lane : shown_)
    names << results_->timeline.lanes[static_cast<std::size_t>(lane)].name;
  return names;
}

QImage TimelineView::picture(const QSize& size)
{
  QImage image{size, QImage::Format_RGB32};
  {
    const LightColours light;
    setPalette(light.palette());
    recolour();
    QPainter painter{&image};
    painter.setFont(font());
    const TimeScale kept = scale_;
    scale_.width = std::max(1, size.width() - label_width_);
    paint(painter, size, verticalScrollBar()->value());
    scale_ = kept;
  }
  setPalette({}); // the window's again
  recolour();
  return image;
}

void TimelineView::resizeEvent(QResizeEvent*)
{
  layoutLanes();
}

void TimelineView::rangeMoved()
{
  viewport()->update();
  emit rangeChanged(scale_.begin, scale_.end);
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
  if (!results_)
    return;
  if ((event->modifiers() & Qt::ShiftModifier) != 0)
    return QAbstractScrollArea::wheelEvent(event);
  const double turns = event->angleDelta().y() / 120.0;
  scale_.zoom(std::pow(0.8, turns), event->position().x() - label_width_, results_->timeline.begin, results_->timeline.end);
  rangeMoved();
  event->accept();
}

const Span* TimelineView::spanAt(const QPoint& at, int* lane) const
{
  if (!results_ || at.x() < label_width_ || at.y() < axis_height)
    return nullptr;
  const int y = at.y() - axis_height + verticalScrollBar()->value();
  const int row = y / (lane_height + lane_gap);
  if (row >= shown_.size() || y % (lane_height + lane_gap) >= lane_height)
    return nullptr;
  const auto& spans = results_->timeline.lanes[static_cast<std::size_t>(shown_[row])].spans;
  const double t = scale_.seconds(at.x() - label_width_);
  const auto found = std::upper_bound(spans.begin(), spans.end(), t, [](double time, const Span& span) { return time < span.end; });
  *lane = shown_[row];
  return found != spans.end() && found->begin <= t + 1 / scale_.pixels_per_second() ? &*found : nullptr;
}

void TimelineView::describeAt(const QPoint& at)
{
  int lane = 0;
  if (const Span* span = spanAt(at, &lane); span != nullptr) {
    const Lane& where = results_->timeline.lanes[static_cast<std::size_t>(lane)];
    const double length = span->end - span->begin;
    emit described(tr("%1 on %2 (%3): from %4 to %5, %6")
                       .arg(results_->timeline.names[static_cast<int>(span->name)], where.name, where.process,
                            time_text(span->begin, length / 100), time_text(span->end, length / 100), time_text(length, length / 1000)));
  } else {
    emit described({});
  }
}

void TimelineView::describeSelection()
{
  std::map<QString, double> sums;
  for (const int i : shown_) {
    const auto& spans = results_->timeline.lanes[static_cast<std::size_t>(i)].spans;
    for (auto it = std::upper_bound(spans.begin(), spans.end(), select_begin_, [](double t, const Span&span) { return t < span.end; });
         it != spans.end() && it->begin < select_end_; ++it)
      sums[results_->timeline.categories[static_cast<int>(it->name)]] +=
          std::min(it->end, select_end_) - std::max(it->begin, select_begin_);
  }
  QStringList words;
  const double length = select_end_ - select_begin_;
  for (const auto& [category, seconds] : sums)
    words << QStringLiteral("%1 %2").arg(category.isEmpty() ? tr("other") : category, time_text(seconds, seconds / 1000));
  emit described(tr("%1 selected: %2").arg(time_text(length, length / 1000), words.join(QStringLiteral(", "))));
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
  if (!results_ || event->button() != Qt::LeftButton)
    return;
  pressed_ = event->pos();
  selecting_ = (event->modifiers() & Qt::ShiftModifier) != 0;
  if (selecting_) {
    select_begin_ = select_end_ = scale_.seconds(event->pos().x() - label_width_);
  } else {
    cursor_ = scale_.seconds(event->pos().x() - label_width_);
    emit cursorMoved(cursor_);
    describeAt(event->pos());
    const int row = (event->pos().y() - axis_height + verticalScrollBar()->value()) / (lane_height + lane_gap);
    clicked_lane_ = event->pos().y() >= axis_height && row < shown_.size() ? shown_[row] : -1;
    int lane = 0;
    const Span* span = spanAt(event->pos(), &lane);
    clicked_ = span == nullptr ? QString{} : results_->timeline.names[static_cast<int>(span->name)];
  }
  viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
  if (!results_)
    return;
  if ((event->buttons() & Qt::LeftButton) == 0) {
    describeAt(event->pos());
    return;
  }
  if (selecting_) {
    const double at = scale_.seconds(event->pos().x() - label_width_);
    const double start = scale_.seconds(pressed_.x() - label_width_);
    select_begin_ = std::min(at, start);
    select_end_ = std::max(at, start);
    describeSelection();
    viewport()->update();
    return;
  }
  scale_.pan(pressed_.x() - event->pos().x(), results_->timeline.begin, results_->timeline.end);
  verticalScrollBar()->setValue(verticalScrollBar()->value() + pressed_.y() - event->pos().y());
  pressed_ = event->pos();
  rangeMoved();
}

void TimelineView::mouseReleaseEvent(QMouseEvent*)
{
  selecting_ = false;
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
  if (!results_ || event->pos().y() < axis_height)
    return;
  const int row = (event->pos().y() - axis_height + verticalScrollBar()->value()) / (lane_height + lane_gap);
  if (row < 0 || row >= shown_.size())
    return;
  const Lane& lane = results_->timeline.lanes[static_cast<std::size_t>(shown_[row])];
  emit laneActivated(lane.process, lane.name);
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
  if (!results_)
    return QAbstractScrollArea::keyPressEvent(event);
  const double low = results_->timeline.begin;
  const double high = results_->timeline.end;
  switch (event->key()) {
  case Qt::Key_W:
    scale_.zoom(0.7, scale_.width / 2.0, low, high);
    break;
  case Qt::Key_S:
    scale_.zoom(1 / 0.7, scale_.width / 2.0, low, high);
    break;
  case Qt::Key_A:
  case Qt::Key_Left:
    scale_.pan(-scale_.width / 8.0, low, high);
    break;
  case Qt::Key_D:
  case Qt::Key_Right:
    scale_.pan(scale_.width / 8.0, low, high);
    break;
  case Qt::Key_Home:
  case Qt::Key_0:
    scale_.begin = low;
    scale_.end = std::max(high, low + 1e-9);
    break;
  case Qt::Key_P:
    return togglePin();
  case Qt::Key_Escape:
    select_begin_ = select_end_ = 0;
    break;
  default:
    return QAbstractScrollArea::keyPressEvent(event);
  }
  rangeMoved();
}

void TimelineView::changeEvent(QEvent* event)
{
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    recolour();
}

} // namespace trainyard::gui
