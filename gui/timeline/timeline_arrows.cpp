// SPDX-License-Identifier: Apache-2.0
// Arrows of the timeline: which message was waited for by what.
#include "gui/core/theme.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard::gui {
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
