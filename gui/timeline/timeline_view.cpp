// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline_view.hpp"

#include "gui/core/theme.hpp"
#include "gui/timeline/timeline.hpp"

#include <QMouseEvent>
#include <QScrollBar>
#include <QThreadPool>
#include <QWheelEvent>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

namespace trainyard::gui {
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

void TimelineView::show(SharedTimeline timeline)
{
  constexpr std::size_t readable = 60; // lanes; of more the groups are shown folded
  names_.clear();
  name_widths_.clear();
  timeline_ = std::move(timeline);
  cursor_ = -1;
  clicked_.clear();
  clicked_lane_ = -1;
  clicked_span_ = -1;
  pinned_.clear();
  folded_.clear();
  groups_.clear();
  select_begin_ = select_end_ = 0;
  near_.clear();
  least_labels_ = 0;
  if (timeline_) {
    low_ = scale_.begin = timeline_->begin;
    high_ = scale_.end = std::max(timeline_->end, scale_.begin + 1e-9);
    groups_ = groups_of(*timeline_);
  }
  recolour();
  verticalScrollBar()->setValue(0);
  if (timeline_ && groups_.size() > 1 && timeline_->lanes.size() > readable)
    foldAll(true);
  else
    layoutLanes();
  emit chosen();
}

void TimelineView::setFilter(const QString& words)
{
  filter_ = words.trimmed();
  recolour();
  layoutLanes();
}

void TimelineView::showRange(double begin, double end)
{
  if (end > begin && (scale_.begin != begin || scale_.end != end)) {
    scale_.begin = begin;
    scale_.end = end;
    rangeMoved();
  }
}

void TimelineView::setWhole(double begin, double end)
{
  if (!timeline_)
    return;
  low_ = std::min(begin, timeline_->begin);
  high_ = std::max({end, timeline_->end, low_ + 1e-9});
  overview_ = {};
  showRange(low_, high_);
}

void TimelineView::setLeastLabels(int width)
{
  if (std::exchange(least_labels_, width) != width)
    layoutLanes();
}

void TimelineView::setCursor(double seconds)
{
  if (std::exchange(cursor_, seconds) != seconds)
    viewport()->update();
}

void TimelineView::recolour()
{
  colours_.clear();
  inks_.clear();
  favoured_.reset();
  overview_ = {};
  group_pictures_.clear();
  guard_->newest = ++filter_number_;
  if (!timeline_)
    return;
  const QColor faded = palette().color(QPalette::Mid);
  const Timeline& timeline = *timeline_;
  std::vector<char> hits;
  std::size_t found = 0;
  QHash<QRgb, QRgb> ink_of;
  for (int i = 0; i < timeline.names.size(); ++i) {
    const bool hit = filter_.isEmpty() || matches(timeline.names[i]) || matches(timeline.categories[i]);
    hits.push_back(hit ? 1 : 0);
    found += hit ? 1 : 0;
    const QColor colour = hit ? span_colour(timeline.categories[i], timeline.names[i]) : faded;
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
      [guard = guard_, timeline = timeline_, hits = std::move(hits), number = filter_number_] {
        const std::vector<std::uint32_t> kinds = kinds_of(*timeline);
        auto found = std::make_shared<std::vector<LaneDetail>>();
        for (const Lane& lane : timeline->lanes) {
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
    return timeline_->lanes[at].detail;
  return at < favoured_->size() ? (*favoured_)[at] : none;
}

bool TimelineView::matches(const QString& words) const
{
  return words.contains(filter_, Qt::CaseInsensitive);
}

void TimelineView::layoutLanes()
{
  rows_.clear();
  counted_.clear();
  labels_.clear();
  int widest = 60; // of the names, as far as a third of the view can hold them
  if (timeline_) {
    bool any_name = filter_.isEmpty();
    for (int i = 0; i < timeline_->names.size() && !any_name; ++i)
      any_name = matches(timeline_->names[i]) || matches(timeline_->categories[i]);
    const auto passes = [&](int at) {
      const Lane& lane = timeline_->lanes[static_cast<std::size_t>(at)];
      return any_name || matches(lane.name) || matches(lane.process);
    };
    rows_ = rows_of(groups_, folded_, pinned_, passes);
    for (int i = 0; i < static_cast<int>(timeline_->lanes.size()); ++i)
      if (passes(i))
        counted_.push_back(i);
    for (std::size_t i = 0; i < std::min<std::size_t>(rows_.size(), 400); ++i) {
      const QString& name = rows_[i].lane < 0 ? groups_[static_cast<std::size_t>(rows_[i].group)].name
                                              : timeline_->lanes[static_cast<std::size_t>(rows_[i].lane)].name;
      widest = std::max(widest, fontMetrics().horizontalAdvance(shown(name)) + 28);
    }
    for (const Counter& counter : timeline_->counters)
      widest = std::max(widest, fontMetrics().horizontalAdvance(most_text(counter)) + 16);
  }
  findRows();
  const int height = headHeight() + static_cast<int>(rows_.size()) * lane_pitch;
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(lane_pitch);
  labels_wanted_ = widest;
  label_width_ = std::min({std::max(widest, least_labels_), std::max(60, viewport()->width() / 3), 320});
  scale_.width = std::max(1, viewport()->width() - label_width_);
  viewport()->update();
}

void TimelineView::findRows()
{
  row_of_.assign(timeline_ ? timeline_->lanes.size() : 0, -1);
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const TimelineRow& row = rows_[static_cast<std::size_t>(i)];
    if (row.lane >= 0)
      row_of_[static_cast<std::size_t>(row.lane)] = i;
    else if (folded_.contains(row.group))
      for (const int lane : groups_[static_cast<std::size_t>(row.group)].lanes)
        if (int& at = row_of_[static_cast<std::size_t>(lane)]; at < 0) // a pinned one has a row of its own
          at = i;
  }
}

void TimelineView::foldAll(bool folded)
{
  folded_.clear();
  for (int i = 0; folded && i < static_cast<int>(groups_.size()); ++i)
    folded_.insert(i);
  layoutLanes();
}

void TimelineView::toggleFold(int group)
{
  if (!folded_.remove(group))
    folded_.insert(group);
  layoutLanes();
}

void TimelineView::showCritical(bool on)
{
  if (std::exchange(critical_, on) == on)
    return;
  viewport()->update();
  emit marksChanged();
}

void TimelineView::choose(int lane, std::ptrdiff_t span)
{
  clicked_lane_ = lane;
  clicked_span_ = span;
  int at = -1;
  const Span* found = chosenSpan(&at);
  clicked_ = found == nullptr ? QString{} : timeline_->names[static_cast<int>(found->name)];
  findNear();
  emit chosen();
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
  for (const TimelineRow& row : rows_)
    if (row.lane >= 0)
      names << timeline_->lanes[static_cast<std::size_t>(row.lane)].name;
  return names;
}

QStringList TimelineView::groupNames() const
{
  QStringList names;
  for (const TimelineRow& row : rows_)
    if (row.lane < 0)
      names << groups_[static_cast<std::size_t>(row.group)].name;
  return names;
}

const Span* TimelineView::chosenSpan(int* lane) const
{
  if (!timeline_ || clicked_lane_ < 0 || clicked_span_ < 0)
    return nullptr;
  *lane = clicked_lane_;
  return &timeline_->lanes[static_cast<std::size_t>(clicked_lane_)].spans[static_cast<std::size_t>(clicked_span_)];
}

std::pair<double, double> TimelineView::range() const
{
  if (select_end_ > select_begin_)
    return {select_begin_, select_end_};
  int lane = -1;
  const Span* span = chosenSpan(&lane);
  return span == nullptr ? std::pair{0.0, 0.0} : std::pair{span->begin, span->end};
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
  if (!timeline_)
    return;
  if ((event->modifiers() & Qt::ShiftModifier) != 0)
    return QAbstractScrollArea::wheelEvent(event);
  const double turns = event->angleDelta().y() / 120.0;
  scale_.zoom(std::pow(0.8, turns), event->position().x() - label_width_, low_, high_);
  rangeMoved();
  event->accept();
}

const TimelineRow* TimelineView::rowAt(int y) const
{
  if (y < headHeight())
    return nullptr;
  const int row = (y - headHeight() + verticalScrollBar()->value()) / lane_pitch;
  return row < static_cast<int>(rows_.size()) ? &rows_[static_cast<std::size_t>(row)] : nullptr;
}

const Span* TimelineView::spanAt(const QPoint& at, int* lane) const
{
  const TimelineRow* row = timeline_ && at.x() >= label_width_ ? rowAt(at.y()) : nullptr;
  if (row == nullptr || row->lane < 0 ||
      (at.y() - headHeight() + verticalScrollBar()->value()) % lane_pitch >= lane_height)
    return nullptr;
  const auto& spans = timeline_->lanes[static_cast<std::size_t>(row->lane)].spans;
  const double t = scale_.seconds(at.x() - label_width_);
  const auto found =
      std::upper_bound(spans.begin(), spans.end(), t, [](double time, const Span& span) { return time < span.end; });
  *lane = row->lane;
  return found != spans.end() && found->begin <= t + 1 / scale_.pixels_per_second() ? &*found : nullptr;
}

void TimelineView::setWords(std::function<QString(const QString&)> words)
{
  words_of_name_ = std::move(words);
  shown_.clear();
}

QString TimelineView::shown(const QString& name) const
{
  if (!words_of_name_)
    return name;
  auto found = shown_.find(name);
  if (found == shown_.end()) {
    const QString own = own_name(name); // "… compute" of "… compute #2"
    found = shown_.insert(name, words_of_name_(own) + name.mid(own.size()));
  }
  return found.value();
}

QString TimelineView::wordsOf(const Span& span, int lane) const
{
  const Lane& where = timeline_->lanes[static_cast<std::size_t>(lane)];
  const double length = span.end - span.begin;
  return tr("%1 on %2 (%3): from %4 to %5, %6")
      .arg(shown(timeline_->names[static_cast<int>(span.name)]), shown(where.name), where.process,
           time_text(span.begin, length / 100), time_text(span.end, length / 100), time_text(length, length / 1000));
}

void TimelineView::describeAt(const QPoint& at)
{
  int lane = 0;
  const Span* span = spanAt(at, &lane);
  emit described(span == nullptr ? QString{} : wordsOf(*span, lane));
}

void TimelineView::moveOverview(int x)
{
  const double length = scale_.end - scale_.begin;
  const double at = low_ + (high_ - low_) * (x - label_width_) / scale_.width;
  scale_.begin = at - length / 2;
  scale_.end = at + length / 2;
  scale_.pan(0, low_, high_);
  rangeMoved();
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
  if (!timeline_ || timeline_->lanes.empty() || event->button() != Qt::LeftButton)
    return;
  pressed_ = event->pos();
  const double time = scale_.seconds(event->pos().x() - label_width_);
  const TimelineRow* row = rowAt(event->pos().y());
  if (event->pos().y() < overview_height) {
    drag_ = Drag::overview;
    return moveOverview(event->pos().x());
  }
  if (event->pos().x() < label_width_ && row != nullptr && row->lane < 0)
    return toggleFold(row->group);
  drag_ = (event->modifiers() & Qt::ShiftModifier) != 0 ? Drag::select : Drag::pan;
  if (drag_ == Drag::select) {
    select_begin_ = select_end_ = time;
  } else {
    if (event->pos().x() >= label_width_) {
      cursor_ = time;
      emit cursorMoved(cursor_);
    }
    describeAt(event->pos());
    select_begin_ = select_end_ = 0;
    int lane = 0;
    const Span* span = spanAt(event->pos(), &lane);
    choose(row == nullptr ? -1 : row->lane,
           span == nullptr ? -1 : span - timeline_->lanes[static_cast<std::size_t>(lane)].spans.data());
  }
  viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
  if (!timeline_)
    return;
  if ((event->buttons() & Qt::LeftButton) == 0 || drag_ == Drag::none)
    return describeAt(event->pos());
  if (drag_ == Drag::overview)
    return moveOverview(event->pos().x());
  if (drag_ == Drag::select) {
    const double at = scale_.seconds(event->pos().x() - label_width_);
    const double start = scale_.seconds(pressed_.x() - label_width_);
    select_begin_ = std::max(std::min(at, start), timeline_->begin);
    select_end_ = std::min(std::max(at, start), timeline_->end);
    const double length = std::max(0.0, select_end_ - select_begin_);
    emit described(tr("%1 chosen").arg(time_text(length, length / 1000)));
    viewport()->update();
    return;
  }
  scale_.pan(pressed_.x() - event->pos().x(), low_, high_);
  verticalScrollBar()->setValue(verticalScrollBar()->value() + pressed_.y() - event->pos().y());
  pressed_ = event->pos();
  rangeMoved();
}

void TimelineView::mouseReleaseEvent(QMouseEvent*)
{
  if (std::exchange(drag_, Drag::none) == Drag::select)
    emit chosen(); // sums over millions of spans are not made while the hand moves
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
  const TimelineRow* row = timeline_ ? rowAt(event->pos().y()) : nullptr;
  if (row == nullptr)
    return;
  if (row->lane < 0)
    return toggleFold(row->group);
  const Lane& lane = timeline_->lanes[static_cast<std::size_t>(row->lane)];
  emit laneActivated(lane.process, lane.name);
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
  if (!timeline_)
    return QAbstractScrollArea::keyPressEvent(event);
  const double low = low_;
  const double high = high_;
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
  case Qt::Key_G:
    return foldAll(!isFolded());
  case Qt::Key_C:
    return showCritical(!critical_);
  case Qt::Key_F: // what is chosen fills the view
    if (const auto [from, to] = range(); to > from) {
      scale_.begin = from;
      scale_.end = to;
    }
    break;
  case Qt::Key_Escape:
    select_begin_ = select_end_ = 0;
    choose(clicked_lane_, -1);
    break;
  case Qt::Key_M:
    return showArrows(!arrows_);
  case Qt::Key_BracketLeft:
    return followArrow(true);
  case Qt::Key_BracketRight:
    return followArrow(false);
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
