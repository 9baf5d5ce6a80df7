// SPDX-License-Identifier: Apache-2.0
// How the timeline is drawn.
#include "gui/core/theme.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr int widest_unnamed = 40; // px; a wider span has its name on it
constexpr QSize picture_size{1600, 900};

QStaticText plain_text(const QString& words, const QFont& font)
{
  QStaticText text{words};
  text.setTextFormat(Qt::PlainText);
  text.prepare({}, font);
  return text;
}

/// Bars as high as the share that works, from the bottom.
void draw_shares(QImage& image, const GroupPicture& picture, QRgb ground)
{
  image.fill(ground);
  const int height = image.height();
  const int width = std::min(image.width(), static_cast<int>(picture.shares.size()));
  for (int y = 0; y < height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < width; ++x) {
      const float share = picture.shares[static_cast<std::size_t>(x)];
      if (share > 0 && static_cast<float>(height - y) <= std::max(1.0F, share * static_cast<float>(height) + 0.5F))
        line[x] = picture.colours[static_cast<std::size_t>(x)];
    }
  }
}

} // namespace

int TimelineView::headHeight() const
{
  const int counters = timeline_ ? static_cast<int>(timeline_->counters.size()) : 0;
  const bool overview = !picture_ && timeline_ && !timeline_->lanes.empty();
  return (overview ? overview_height : 0) + time_axis_height + counters * counter_height;
}

const QStaticText& TimelineView::labelOf(const TimelineRow& row)
{
  const int key = row.lane >= 0 ? row.lane : -1 - row.group;
  auto found = labels_.find(key);
  if (found == labels_.end()) {
    QString words;
    if (row.lane < 0) {
      const LaneGroup& group = groups_[static_cast<std::size_t>(row.group)];
      words = QStringLiteral("%1 %2").arg(folded_.contains(row.group) ? QStringLiteral("▸") : QStringLiteral("▾"),
                                          group.name.isEmpty() ? tr("without a name") : group.name);
    } else {
      words = shown(timeline_->lanes[static_cast<std::size_t>(row.lane)].name);
      if (pinned_.contains(row.lane))
        words.prepend(QStringLiteral("• "));
    }
    QFont heavy = font();
    heavy.setBold(row.lane < 0);
    found = labels_.insert(key,
                           plain_text(QFontMetrics{heavy}.elidedText(words, Qt::ElideMiddle, label_width_ - 8), heavy));
  }
  return found.value();
}

const QStaticText& TimelineView::nameOf(std::uint32_t name, int width)
{
  const QString& known = timeline_->names[static_cast<int>(name)];
  name_widths_.resize(static_cast<std::size_t>(timeline_->names.size()), -1);
  int& whole = name_widths_[name];
  if (whole < 0)
    whole = fontMetrics().horizontalAdvance(shown(known));
  // Cut ones in steps of a few pixels, so that a timeline that is pulled wider meets them again.
  const int room = whole <= width ? 0xffff : std::min(width / 6 * 6, 0xfffe);
  const quint64 key = (static_cast<quint64>(name) << 16U) | static_cast<quint64>(room);
  auto found = names_.find(key);
  if (found == names_.end()) {
    if (names_.size() > 20'000)
      names_.clear();
    const QString words = shown(known);
    QStaticText text{whole <= width ? words : fontMetrics().elidedText(words, Qt::ElideRight, room)};
    text.setTextFormat(Qt::PlainText);
    text.prepare({}, font());
    found = names_.insert(key, text);
  }
  return found.value();
}

void TimelineView::paintEmpty(QPainter& painter, const QSize& size) const
{
  painter.fillRect(QRect{{0, 0}, size}, palette().color(QPalette::Base));
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(QRect{{0, 0}, size}.adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("No timeline: run the scenario, or open a results folder with a trace"));
}

void TimelineView::paintOverview(QPainter& painter, const QSize& size)
{
  const QRect place{label_width_, 0, std::max(1, size.width() - label_width_), overview_height};
  painter.fillRect(0, 0, size.width(), overview_height, palette().color(QPalette::Window));
  if (overview_.width() != place.width()) {
    std::vector<int> all(timeline_->lanes.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<int>(i);
    const TimeScale whole{low_, high_, place.width()};
    overview_ = QImage{place.width(), overview_height - 6, QImage::Format_RGB32};
    draw_shares(overview_, picture_of(*timeline_, all, whole, colours_), palette().color(QPalette::Base).rgb());
  }
  painter.drawImage(place.left(), 3, overview_);
  const double length = high_ - low_;
  const double left = place.left() + place.width() * (scale_.begin - low_) / length;
  const double right = place.left() + place.width() * (scale_.end - low_) / length;
  QColor veil = palette().color(QPalette::Window);
  veil.setAlpha(170);
  painter.fillRect(QRectF{QPointF(place.left(), 3), QPointF(left, overview_height - 3)}, veil);
  painter.fillRect(QRectF{QPointF(right, 3), QPointF(place.right() + 1, overview_height - 3)}, veil);
  painter.setPen(QPen{palette().color(QPalette::Highlight), 1.5});
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF{QPointF(left + 1, 2), QPointF(std::max(left + 4, right - 1), overview_height - 3)});
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(QRect{4, 0, label_width_ - 8, overview_height}, Qt::AlignVCenter, tr("Overview"));
}

void TimelineView::paintAxis(QPainter& painter, const QSize& size) const
{
  const int top = picture_ ? 0 : overview_height;
  painter.fillRect(0, top, size.width(), time_axis_height, palette().color(QPalette::Window));
  const double distance = tick_distance(scale_, 90);
  QColor line = palette().color(QPalette::Mid);
  line.setAlpha(120);
  for (double t = std::ceil(scale_.begin / distance) * distance; t <= scale_.end; t += distance) {
    const int x = label_width_ + static_cast<int>(scale_.x(t));
    painter.setPen(line);
    painter.drawLine(x, top + time_axis_height - 6, x, size.height());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(x + 3, top, 120, time_axis_height - 4, Qt::AlignVCenter | Qt::AlignLeft, tick_text(t, distance));
  }
}

void TimelineView::paintCounters(QPainter& painter) const
{
  int top = (picture_ ? 0 : overview_height) + time_axis_height;
  int number = 0;
  for (const Counter& counter : timeline_->counters) {
    painter.fillRect(0, top, label_width_ + scale_.width, counter_height, palette().color(QPalette::Base));
    const double room = counter_height - 6;
    const double unit = room / std::max(counter.most, 1e-12);
    const double floor = top + counter_height - 2;
    QPolygonF mean{{QPointF(label_width_, floor)}};
    QPolygonF highest = mean;
    for (int x = 0; x <= scale_.width; ++x) {
      const auto [middle, peak] = counter.between(scale_.seconds(x), scale_.seconds(x + 1));
      mean << QPointF(label_width_ + x, floor - middle * unit);
      highest << QPointF(label_width_ + x, floor - peak * unit);
    }
    mean << QPointF(label_width_ + scale_.width, floor);
    highest << QPointF(label_width_ + scale_.width, floor);
    QColor colour = series_colour(number == 0 ? 2 : counter.share ? 1 : 3);
    painter.setPen(Qt::NoPen);
    colour.setAlpha(70);
    painter.setBrush(colour);
    painter.drawPolygon(highest);
    colour.setAlpha(200);
    painter.setBrush(colour);
    painter.drawPolygon(mean);
    painter.setPen(palette().color(QPalette::Text));
    const bool known = cursor_ >= scale_.begin && cursor_ <= scale_.end;
    const QString value =
        known ? tr("%1: %2").arg(QObject::tr(counter.name.toUtf8().constData()),
                                 counter.text(counter.between(cursor_, cursor_ + 1 / scale_.pixels_per_second()).first))
              : most_text(counter);
    painter.drawText(QRect{4, top, label_width_ - 8, counter_height}, Qt::AlignVCenter,
                     fontMetrics().elidedText(value, Qt::ElideRight, label_width_ - 8));
    top += counter_height;
    ++number;
  }
  painter.setBrush(Qt::NoBrush);
}

QString TimelineView::most_text(const Counter& counter)
{
  return tr("%1, up to %2").arg(QObject::tr(counter.name.toUtf8().constData()), counter.text(counter.most));
}

void TimelineView::paintGroup(QPainter& painter, int group, int top, const TimeScale& pixels)
{
  if (group_scale_ != pixels) {
    group_pictures_.clear();
    group_scale_ = pixels;
  }
  auto found = group_pictures_.find(group);
  if (found == group_pictures_.end())
    found = group_pictures_.insert(
        group, picture_of(*timeline_, groups_[static_cast<std::size_t>(group)].lanes, pixels, colours_));
  draw_shares(strip_, found.value(), palette().color(QPalette::Window).rgb());
  painter.drawImage(label_width_, top, strip_);
}

void TimelineView::paintCritical(QPainter& painter, int first_y) const
{
  if (!critical_ || timeline_->critical.empty())
    return;
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor ink = palette().color(QPalette::Text);
  QPointF before;
  bool any = false;
  for (const CriticalPart& part : timeline_->critical) {
    const int row = row_of_[static_cast<std::size_t>(part.lane)];
    if (row < 0 || rows_[static_cast<std::size_t>(row)].lane < 0) {
      any = false; // its group is folded
      continue;
    }
    const double top = headHeight() + row * lane_pitch - first_y;
    const double left = label_width_ + std::clamp(scale_.x(part.begin), -8.0, scale_.width + 8.0);
    const double right = label_width_ + std::clamp(scale_.x(part.end), -8.0, scale_.width + 8.0);
    if (any) {
      painter.setPen(QPen{ink, 1, Qt::DashLine});
      painter.drawLine(before, QPointF{left, top + lane_height / 2.0});
    }
    painter.setPen(QPen{ink, 2});
    painter.drawRect(QRectF{QPointF{left, top}, QPointF{std::max(right, left + 2), top + lane_height - 1}});
    before = {right, top + lane_height / 2.0};
    any = true;
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineView::paintMarks(QPainter& painter, const QSize& size) const
{
  if (select_end_ > select_begin_) {
    QColor band = palette().color(QPalette::Highlight);
    band.setAlpha(60);
    const double top = picture_ ? 0 : overview_height;
    painter.fillRect(QRectF{label_width_ + scale_.x(select_begin_), top,
                            (select_end_ - select_begin_) * scale_.pixels_per_second(), size.height() - top},
                     band);
  }
  if (cursor_ >= scale_.begin && cursor_ <= scale_.end) {
    painter.setPen(QPen{error_colour(), 1});
    const int x = label_width_ + static_cast<int>(scale_.x(cursor_));
    painter.drawLine(x, picture_ ? 0 : overview_height, x, size.height());
  }
}

void TimelineView::paintWords(QPainter& painter, int from, int to, int first_y,
                              const std::vector<std::vector<std::size_t>>& named)
{
  const int head = headHeight();
  const int below = (lane_height - fontMetrics().height()) / 2;
  painter.setPen(palette().color(QPalette::Text));
  QFont heavy = font();
  heavy.setBold(true);
  for (int i = from; i < to; ++i) {
    const TimelineRow& row = rows_[static_cast<std::size_t>(i)];
    const bool inside = row.lane >= 0 && groups_.size() > 1 && !pinned_.contains(row.lane) &&
                        groups_[static_cast<std::size_t>(row.group)].lanes.size() > 1;
    painter.setFont(row.lane < 0 ? heavy : font());
    painter.save();
    painter.setClipRect(0, head, label_width_ - 2, 1 << 20);
    painter.drawStaticText(inside ? 16 : 4, head + i * lane_pitch - first_y + below, labelOf(row));
    painter.restore();
  }
  painter.setFont(font());
  // Names on spans that are wide enough.
  QRgb ink = 0;
  for (int i = from; i < to; ++i)
    for (const std::size_t at : named[static_cast<std::size_t>(i - from)]) {
      const Span& span = timeline_->lanes[static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)].lane)].spans[at];
      const double x0 = std::max(0.0, scale_.x(span.begin));
      const double x1 = std::min<double>(scale_.width, scale_.x(span.end));
      if (inks_[span.name] != ink)
        painter.setPen(QColor::fromRgb(ink = inks_[span.name]));
      painter.drawStaticText(label_width_ + static_cast<int>(x0) + 3, head + i * lane_pitch - first_y + below,
                             nameOf(span.name, static_cast<int>(x1 - x0) - 6));
    }
}

void TimelineView::paint(QPainter& painter, const QSize& size, int first_y)
{
  if (!timeline_ || timeline_->lanes.empty())
    return paintEmpty(painter, size);
  const QColor background = palette().color(QPalette::Base);
  const std::uint32_t rowground = palette().color(QPalette::AlternateBase).rgb();
  // Lanes are drawn on the pixels that the screen has, words in its units.
  const double ratio = painter.device()->devicePixelRatioF();
  TimeScale pixels = scale_;
  pixels.width = std::max(1, static_cast<int>(std::lround(scale_.width * ratio)));
  const int strip_height = static_cast<int>(std::lround(lane_height * ratio));
  if (strip_.size() != QSize{pixels.width, strip_height})
    strip_ = QImage{pixels.width, strip_height, QImage::Format_RGB32};
  strip_.setDevicePixelRatio(ratio);
  const int head = headHeight();
  const int from = std::max(0, first_y / lane_pitch);
  const int to = std::clamp((first_y + size.height() - head) / lane_pitch + 1, from, static_cast<int>(rows_.size()));
  std::vector<std::vector<std::size_t>> named;
  for (int i = from; i < to; ++i) {
    const TimelineRow& where = rows_[static_cast<std::size_t>(i)];
    const int top = head + i * lane_pitch - first_y;
    named.emplace_back();
    if (where.lane < 0) {
      paintGroup(painter, where.group, top, pixels);
    } else {
      LaneRow row = draw_lane(timeline_->lanes[static_cast<std::size_t>(where.lane)].spans, detailOf(where.lane),
                              pixels, colours_, rowground, static_cast<int>(widest_unnamed * ratio));
      uchar* bits = strip_.bits();
      for (int y = 0; y < strip_height; ++y)
        std::memcpy(bits + y * strip_.bytesPerLine(), row.pixels.data(), row.pixels.size() * 4);
      painter.drawImage(label_width_, top, strip_);
      named.back() = std::move(row.wide);
    }
    painter.fillRect(0, top, label_width_, lane_height,
                     background); // what the lanes leave free; all else is drawn once
    painter.fillRect(0, top + lane_height, size.width(), lane_gap, background);
  }
  if (const int below_all = head + to * lane_pitch - first_y; below_all < size.height())
    painter.fillRect(0, below_all, size.width(), size.height() - below_all, background);
  painter.save();
  painter.setClipRect(0, head, size.width(), size.height() - head);
  paintWords(painter, from, to, first_y, named);
  painter.setClipRect(label_width_, head, size.width() - label_width_, size.height() - head);
  paintCritical(painter, first_y);
  paintArrows(painter, first_y);
  painter.restore();
  paintCounters(painter);
  paintAxis(painter, size);
  painter.setPen(palette().color(QPalette::Mid)); // what scrolls ends here
  painter.drawLine(0, head - 1, size.width(), head - 1);
  if (!picture_)
    paintOverview(painter, size);
  paintMarks(painter, size);
}

void TimelineView::paintEvent(QPaintEvent*)
{
  QPainter painter{viewport()};
  paint(painter, viewport()->size(), verticalScrollBar()->value());
}

void TimelineView::drawPicture(QPainter& painter, const QRectF& target)
{
  const QSize size = picture_size;
  const TimeScale kept = scale_;
  {
    const LightColours light;
    setPalette(light.palette());
    picture_ = true;
    recolour();
    scale_.width = std::max(1, size.width() - label_width_);
    painter.save();
    painter.translate(target.topLeft());
    painter.scale(target.width() / size.width(), target.height() / size.height());
    painter.setFont(font());
    painter.setClipRect(QRect{{0, 0}, size});
    paint(painter, size, verticalScrollBar()->value());
    painter.restore();
    picture_ = false;
  }
  scale_ = kept;
  setPalette({}); // the window's again
  recolour();
}

// Arrows of the timeline: which message was waited for by what.
namespace {

constexpr std::size_t most_arrows = 200; // arrows; of more only those of the chosen span are drawn
constexpr double head_length = 7;        // px

/// A curve that leaves and arrives along the lanes, with a head.
void draw_arrow(QPainter& painter, const QPointF& from, const QPointF& to)
{
  const double bend = std::clamp(std::fabs(to.x() - from.x()) / 2, 14.0, 60.0);
  QPainterPath way{from};
  way.cubicTo(from + QPointF{bend, 0}, to - QPointF{bend, 0}, to);
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(way);
  painter.setBrush(painter.pen().color());
  painter.drawPolygon(
      QPolygonF{{to, to + QPointF{-head_length, -head_length / 2}, to + QPointF{-head_length, head_length / 2}}});
}

} // namespace

void TimelineView::showArrows(bool on)
{
  if (std::exchange(arrows_, on) == on)
    return;
  viewport()->update();
  emit marksChanged();
}

void TimelineView::findNear()
{
  near_.clear();
  int lane = -1;
  if (chosenSpan(&lane) == nullptr)
    return;
  const auto chosen = std::pair{lane, static_cast<std::uint32_t>(clicked_span_)};
  QSet<std::pair<int, std::uint32_t>> spans{chosen};
  const std::vector<Flow>& flows = timeline_->flows;
  for (const Flow& flow : flows) { // the neighbours
    const std::pair from{flow.from_lane, flow.from_span};
    const std::pair to{flow.to_lane, flow.to_span};
    if (from == chosen)
      spans.insert(to);
    else if (to == chosen)
      spans.insert(from);
  }
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (spans.contains({flows[i].from_lane, flows[i].from_span}) ||
        spans.contains({flows[i].to_lane, flows[i].to_span}))
      near_.push_back(i);
}

std::vector<std::size_t> TimelineView::arrowsInSight() const
{
  std::vector<std::size_t> found;
  if (!timeline_ || !arrows_)
    return found;
  const auto both_shown = [&](const Flow& flow) {
    const int from = row_of_[static_cast<std::size_t>(flow.from_lane)];
    const int to = row_of_[static_cast<std::size_t>(flow.to_lane)];
    return from >= 0 && to >= 0 && from != to;
  };
  for (std::size_t i = 0; i < timeline_->flows.size() && found.size() <= most_arrows; ++i) {
    const Flow& flow = timeline_->flows[i];
    if (timeline_->to(flow).begin >= scale_.begin && timeline_->from(flow).end <= scale_.end && both_shown(flow))
      found.push_back(i);
  }
  if (found.size() > most_arrows) {
    found.clear();
    for (const std::size_t i : near_)
      if (both_shown(timeline_->flows[i]) && found.size() < most_arrows)
        found.push_back(i);
  }
  return found;
}

std::vector<const Flow*> TimelineView::arrowsOfChosen() const
{
  constexpr std::size_t most = 24;
  int lane = -1;
  const Span* chosen = chosenSpan(&lane);
  std::vector<const Flow*> found;
  for (const std::size_t i : near_)
    if (const Flow& flow = timeline_->flows[i];
        found.size() < most && (&timeline_->from(flow) == chosen || &timeline_->to(flow) == chosen))
      found.push_back(&flow);
  return found;
}

void TimelineView::paintArrows(QPainter& painter, int first_y) const
{
  const std::vector<std::size_t> arrows = arrowsInSight();
  if (arrows.empty())
    return;
  int lane = -1;
  const Span* chosen = chosenSpan(&lane);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto place = [&](int at, double time) {
    const int row = row_of_[static_cast<std::size_t>(at)];
    return QPointF{label_width_ + std::clamp(scale_.x(time), -200.0, scale_.width + 200.0),
                   headHeight() + row * lane_pitch - first_y + lane_height / 2.0};
  };
  // Those of the chosen span last, so that they lie above the others.
  for (const bool own : {false, true})
    for (const std::size_t i : arrows) {
      const Flow& flow = timeline_->flows[i];
      const Span& from = timeline_->from(flow);
      const Span& to = timeline_->to(flow);
      if ((&from == chosen || &to == chosen) != own)
        continue;
      QColor ink = palette().color(own ? QPalette::Highlight : QPalette::Text);
      ink.setAlpha(own ? 255 : 130);
      painter.setPen(QPen{ink, own ? 2.0 : 1.0});
      draw_arrow(painter, place(flow.from_lane, from.end), place(flow.to_lane, to.begin));
    }
  painter.setBrush(Qt::NoBrush);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineView::followArrow(bool back)
{
  int lane = -1;
  const Span* here = chosenSpan(&lane);
  if (here == nullptr)
    return;
  const Flow* best = nullptr;
  for (const std::size_t i : near_) {
    const Flow& flow = timeline_->flows[i];
    if ((back ? &timeline_->to(flow) : &timeline_->from(flow)) != here)
      continue;
    if (best == nullptr || (back ? timeline_->from(flow).end > timeline_->from(*best).end
                                 : timeline_->to(flow).begin < timeline_->to(*best).begin))
      best = &flow;
  }
  if (best == nullptr)
    return emit described(back ? tr("Nothing that it waited for is drawn") : tr("Nothing drawn waited for it"));
  choose(back ? best->from_lane : best->to_lane, static_cast<std::ptrdiff_t>(back ? best->from_span : best->to_span));
  const Span* next = chosenSpan(&lane);
  if (next->begin < scale_.begin || next->end > scale_.end) { // into sight, at the same scale
    const double length = scale_.end - scale_.begin;
    scale_.begin = (next->begin + next->end - length) / 2;
    scale_.end = scale_.begin + length;
    scale_.pan(0, low_, high_);
    rangeMoved();
  }
  emit described(wordsOf(*next, lane));
  viewport()->update();
}

} // namespace trainyard::gui
