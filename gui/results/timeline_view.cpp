// SPDX-License-Identifier: Apache-2.0
#include "gui/results/timeline_view.hpp"

#include "gui/core/light_colours.hpp"
#include "gui/core/theme.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QThreadPool>
#include <QWheelEvent>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr int lane_height = 18;
constexpr int lane_gap = 3;
constexpr int axis_height = 24;
constexpr int widest_unnamed = 40; // px; a wider span has its name on it
constexpr QSize picture_size{1600, 900};

int colour_of_category(const QString& category, const QString& name)
{
  static const QHash<QString, int> known{
      {QStringLiteral("forward"), 0},   {QStringLiteral("backward"), 4},   {QStringLiteral("push"), 1},
      {QStringLiteral("pull"), 2},      {QStringLiteral("collective"), 1}, {QStringLiteral("all_reduce"), 1},
      {QStringLiteral("update"), 3},    {QStringLiteral("input"), 5},      {QStringLiteral("exchange"), 1},
      {QStringLiteral("running"), 2},   {QStringLiteral("waiting"), 1},    {QStringLiteral("starting"), 5},
      {QStringLiteral("failed"), 3},    {QStringLiteral("queue"), 0},      {QStringLiteral("services"), 2},
      {QStringLiteral("retraining"), 1}};
  const auto found = known.constFind(category);
  return found != known.constEnd()
             ? found.value()
             : static_cast<int>(qHash(category.isEmpty() || category == QLatin1String("other") ? name : category) % 6);
}

} // namespace

/// Shows other threads whether the view still exists, and which filter is the newest.
struct TimelineView::Guard {
  std::mutex mutex;
  TimelineView* view = nullptr;
  std::atomic<int> newest{0};
};

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea{parent}, guard_{std::make_shared<Guard>()}
{
  guard_->view = this;
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent); // all of it is drawn
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  setAccessibleDescription(tr("Work on every GPU, server and link over time; W and S zoom, A and D move"));
  viewport()->setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

TimelineView::~TimelineView()
{
  const std::lock_guard lock{guard_->mutex};
  guard_->view = nullptr;
  guard_->newest = -1;
}

void TimelineView::show(Results results)
{
  names_.clear();
  name_widths_.clear();
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
  inks_.clear();
  favoured_.reset();
  guard_->newest = ++filter_number_;
  if (!results_)
    return;
  const QColor faded = palette().color(QPalette::Mid);
  const Timeline& timeline = results_->timeline;
  std::vector<char> hits;
  std::size_t found = 0;
  QHash<QRgb, QRgb> ink_of;
  for (int i = 0; i < timeline.names.size(); ++i) {
    const bool hit = filter_.isEmpty() || timeline.names[i].contains(filter_, Qt::CaseInsensitive) ||
                     timeline.categories[i].contains(filter_, Qt::CaseInsensitive);
    hits.push_back(hit ? 1 : 0);
    found += hit ? 1 : 0;
    const QColor colour = hit ? series_colour(colour_of_category(timeline.categories[i], timeline.names[i])) : faded;
    colours_.push_back(colour.rgb());
    auto ink = ink_of.constFind(colour.rgb());
    if (ink == ink_of.constEnd())
      ink = ink_of.insert(
          colour.rgb(),
          QColor{contrast(colour, Qt::black) > contrast(colour, Qt::white) ? Qt::black : Qt::white}.rgb());
    inks_.push_back(ink.value());
  }
  if (found > 0 && found < hits.size())
    findFavoured(std::move(hits));
  viewport()->update();
}

void TimelineView::findFavoured(std::vector<char> hits)
{
  // A short span that the filter names is seen from afar, too. Until that is computed the lanes are drawn span by span.
  favoured_ = std::make_shared<std::vector<LaneDetail>>();
  QThreadPool::globalInstance()->start(
      [guard = guard_, results = results_, hits = std::move(hits), number = filter_number_] {
        const std::vector<std::uint32_t> kinds = kinds_of(results->timeline);
        auto found = std::make_shared<std::vector<LaneDetail>>();
        for (const Lane& lane : results->timeline.lanes) {
          if (number != guard->newest.load())
            return; // another filter by now
          found->push_back(detail_of(lane.spans, kinds, hits));
        }
        const std::lock_guard lock{guard->mutex};
        if (guard->view == nullptr)
          return;
        QMetaObject::invokeMethod(
            guard->view,
            [view = guard->view, found, number] {
              if (view->filter_number_ != number)
                return;
              view->favoured_ = found;
              view->viewport()->update();
            },
            Qt::QueuedConnection);
      });
}

const LaneDetail& TimelineView::detailOf(int lane) const
{
  static const LaneDetail none;
  const auto at = static_cast<std::size_t>(lane);
  if (!favoured_)
    return results_->timeline.lanes[at].detail;
  return at < favoured_->size() ? (*favoured_)[at] : none;
}

void TimelineView::layoutLanes()
{
  shown_.clear();
  labels_.clear();
  if (results_) {
    const Timeline& timeline = results_->timeline;
    bool any_name = filter_.isEmpty();
    for (const QString& name : timeline.names)
      any_name = any_name || name.contains(filter_, Qt::CaseInsensitive);
    for (const QString& name : timeline.categories)
      any_name = any_name || name.contains(filter_, Qt::CaseInsensitive);
    for (int i = 0; i < static_cast<int>(timeline.lanes.size()); ++i) {
      const Lane& lane = timeline.lanes[static_cast<std::size_t>(i)];
      if (any_name || lane.name.contains(filter_, Qt::CaseInsensitive) ||
          lane.process.contains(filter_, Qt::CaseInsensitive))
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
    for (qsizetype i = 0; i < std::min<qsizetype>(shown_.size(), 400); ++i)
      widest = std::max(
          widest,
          fontMetrics().horizontalAdvance(results_->timeline.lanes[static_cast<std::size_t>(shown_[i])].name) + 12);
  label_width_ = std::min({widest, std::max(60, viewport()->width() / 3), 320});
  scale_.width = std::max(1, viewport()->width() - label_width_);
  viewport()->update();
}

const QStaticText& TimelineView::labelOf(int lane)
{
  auto found = labels_.find(lane);
  if (found == labels_.end()) {
    const QString& name = results_->timeline.lanes[static_cast<std::size_t>(lane)].name;
    QStaticText text{fontMetrics().elidedText(pinned_.contains(lane) ? QStringLiteral("▸ ") + name : name,
                                              Qt::ElideMiddle, label_width_ - 8)};
    text.setTextFormat(Qt::PlainText);
    text.prepare({}, font());
    found = labels_.insert(lane, text);
  }
  return found.value();
}

const QStaticText& TimelineView::nameOf(std::uint32_t name, int width)
{
  const QString& words = results_->timeline.names[static_cast<int>(name)];
  name_widths_.resize(static_cast<std::size_t>(results_->timeline.names.size()), -1);
  int& whole = name_widths_[name];
  if (whole < 0)
    whole = fontMetrics().horizontalAdvance(words);
  // Cut ones in steps of a few pixels, so that a timeline that is pulled wider meets them again.
  const int room = whole <= width ? 0xffff : std::min(width / 6 * 6, 0xfffe);
  const quint64 key = (static_cast<quint64>(name) << 16U) | static_cast<quint64>(room);
  auto found = names_.find(key);
  if (found == names_.end()) {
    if (names_.size() > 20'000)
      names_.clear();
    QStaticText text{whole <= width ? words : fontMetrics().elidedText(words, Qt::ElideRight, room)};
    text.setTextFormat(Qt::PlainText);
    text.prepare({}, font());
    found = names_.insert(key, text);
  }
  return found.value();
}

void TimelineView::paintAxis(QPainter& painter, const QSize& size) const
{
  painter.fillRect(0, 0, size.width(), axis_height, palette().color(QPalette::Window));
  const double distance = tick_distance(scale_, 90);
  for (double t = std::ceil(scale_.begin / distance) * distance; t <= scale_.end; t += distance) {
    const int x = label_width_ + static_cast<int>(scale_.x(t));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(x, axis_height - 6, x, size.height());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(x + 3, 0, 120, axis_height - 4, Qt::AlignVCenter | Qt::AlignLeft, time_text(t, distance));
  }
}

void TimelineView::paint(QPainter& painter, const QSize& size, int first_y)
{
  const QColor background = palette().color(QPalette::Base);
  if (!results_ || results_->timeline.lanes.empty()) {
    painter.fillRect(QRect{{0, 0}, size}, background);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRect{{0, 0}, size}, Qt::AlignCenter | Qt::TextWordWrap,
                     tr("No timeline: run the scenario, or open a results folder with a trace"));
    return;
  }
  const Timeline& timeline = results_->timeline;
  const std::uint32_t rowground = palette().color(QPalette::AlternateBase).rgb();
  // Lanes are drawn on the pixels that the screen has, words in its units.
  const double ratio = painter.device()->devicePixelRatioF();
  TimeScale pixels = scale_;
  pixels.width = std::max(1, static_cast<int>(std::lround(scale_.width * ratio)));
  const int strip_height = static_cast<int>(std::lround(lane_height * ratio));
  if (strip_.size() != QSize{pixels.width, strip_height})
    strip_ = QImage{pixels.width, strip_height, QImage::Format_RGB32};
  strip_.setDevicePixelRatio(ratio);
  const int pitch = lane_height + lane_gap;
  const int from = std::max(0, first_y / pitch);
  const int to = std::min(static_cast<int>(shown_.size()), (first_y + size.height() - axis_height) / pitch + 1);
  const int below = (lane_height - fontMetrics().height()) / 2;
  std::vector<std::vector<std::size_t>> named;
  for (int i = from; i < to; ++i) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(shown_[i])];
    LaneRow row = draw_lane(lane.spans, detailOf(shown_[i]), pixels, colours_, rowground,
                            static_cast<int>(widest_unnamed * ratio));
    uchar* bits = strip_.bits();
    for (int y = 0; y < strip_height; ++y)
      std::memcpy(bits + y * strip_.bytesPerLine(), row.pixels.data(), row.pixels.size() * 4);
    const int top = axis_height + i * pitch - first_y;
    painter.drawImage(label_width_, top, strip_);
    painter.fillRect(0, top, label_width_, lane_height,
                     background); // what the lanes leave free; all else is drawn once
    painter.fillRect(0, top + lane_height, size.width(), lane_gap, background);
    named.push_back(std::move(row.wide));
  }
  if (const int below_all = axis_height + to * pitch - first_y; below_all < size.height())
    painter.fillRect(0, below_all, size.width(), size.height() - below_all, background);
  painter.save();
  painter.setClipRect(0, axis_height, size.width(), size.height() - axis_height);
  painter.setPen(palette().color(QPalette::Text));
  for (int i = from; i < to; ++i)
    painter.drawStaticText(4, axis_height + i * pitch - first_y + below, labelOf(shown_[i]));
  // Names on spans that are wide enough.
  QRgb ink = 0;
  for (int i = from; i < to; ++i) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(shown_[i])];
    for (const std::size_t at : named[static_cast<std::size_t>(i - from)]) {
      const Span& span = lane.spans[at];
      const double x0 = std::max(0.0, scale_.x(span.begin));
      const double x1 = std::min<double>(scale_.width, scale_.x(span.end));
      if (inks_[span.name] != ink)
        painter.setPen(QColor::fromRgb(ink = inks_[span.name]));
      painter.drawStaticText(label_width_ + static_cast<int>(x0) + 3, axis_height + i * pitch - first_y + below,
                             nameOf(span.name, static_cast<int>(x1 - x0) - 6));
    }
  }
  painter.restore();
  paintAxis(painter, size);
  if (select_end_ > select_begin_) {
    QColor band = palette().color(QPalette::Highlight);
    band.setAlpha(60);
    painter.fillRect(QRectF{label_width_ + scale_.x(select_begin_), static_cast<double>(axis_height),
                            (select_end_ - select_begin_) * scale_.pixels_per_second(),
                            static_cast<double>(size.height())},
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

void TimelineView::drawPicture(QPainter& painter, const QRectF& target)
{
  const QSize size = picture_size;
  const TimeScale kept = scale_;
  {
    const LightColours light;
    setPalette(light.palette());
    recolour();
    scale_.width = std::max(1, size.width() - label_width_);
    painter.save();
    painter.translate(target.topLeft());
    painter.scale(target.width() / size.width(), target.height() / size.height());
    painter.setFont(font());
    painter.setClipRect(QRect{{0, 0}, size});
    paint(painter, size, verticalScrollBar()->value());
    painter.restore();
  }
  scale_ = kept;
  setPalette({}); // the window's again
  recolour();
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
  scale_.zoom(std::pow(0.8, turns), event->position().x() - label_width_, results_->timeline.begin,
              results_->timeline.end);
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
  const auto found =
      std::upper_bound(spans.begin(), spans.end(), t, [](double time, const Span& span) { return time < span.end; });
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
                            time_text(span->begin, length / 100), time_text(span->end, length / 100),
                            time_text(length, length / 1000)));
  } else {
    emit described({});
  }
}

void TimelineView::describeSelection()
{
  std::map<QString, double> sums;
  for (const int i : shown_) {
    const auto& spans = results_->timeline.lanes[static_cast<std::size_t>(i)].spans;
    for (auto it = std::upper_bound(spans.begin(), spans.end(), select_begin_,
                                    [](double t, const Span&span) { return t < span.end; });
         it != spans.end() && it->begin < select_end_; ++it)
      sums[results_->timeline.categories[static_cast<int>(it->name)]] +=
          std::min(it->end, select_end_) - std::max(it->begin, select_begin_);
  }
  QStringList words;
  const double length = select_end_ - select_begin_;
  for (const auto& [category, seconds] : sums)
    words << QStringLiteral("%1 %2").arg(category.isEmpty() ? tr("other") : category,
                                         time_text(seconds, seconds / 1000));
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
  if (event->type() == QEvent::FontChange) {
    names_.clear();
    name_widths_.clear();
    layoutLanes();
  }
}

} // namespace trainyard::gui
