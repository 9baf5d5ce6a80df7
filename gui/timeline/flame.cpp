// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/flame.hpp"

#include "gui/timeline/timeline.hpp"

#include <QColor>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <functional>
#include <limits>

namespace trainyard::gui {
namespace {

constexpr double least_flame_pixels = 2;

/// "backward to layer4.1.conv2" of kind "backward": "to layer4", "1", "conv2".
QStringList flame_path(const SpanSum& sum)
{
  QString name = sum.name;
  if (!sum.category.isEmpty() && name.startsWith(sum.category + QLatin1Char(' ')))
    name.remove(0, sum.category.size() + 1);
  return name == sum.category ? QStringList{} : name.split(QLatin1Char('.'), Qt::SkipEmptyParts);
}

QColor kind_colour(const FlamePart& kind)
{
  return span_colour(kind.category, kind.name);
}

void sort_flame(FlamePart& part)
{
  std::stable_sort(part.parts.begin(), part.parts.end(),
                   [](const FlamePart& a, const FlamePart& b) { return a.total > b.total; });
  for (FlamePart& each : part.parts)
    sort_flame(each);
}

} // namespace

FlamePart flame_of(const Timeline& timeline, const std::vector<int>& lanes, double begin, double end)
{
  FlamePart whole;
  for (const SpanSum& sum : sums_of(timeline, lanes, begin, end, std::numeric_limits<std::size_t>::max())) {
    if (sum.name.isEmpty()) // all of a kind
      continue;
    const QStringList path =
        (sum.category.isEmpty() ? QStringList{} : QStringList{category_words(sum.category)}) + flame_path(sum);
    FlamePart* part = &whole;
    part->total += sum.total;
    part->count += sum.count;
    for (const QString& name : path) {
      auto found = std::find_if(part->parts.begin(), part->parts.end(),
                                [&](const FlamePart& each) { return each.name == name; });
      if (found == part->parts.end())
        found = part->parts.insert(found, FlamePart{name, part == &whole ? sum.category : QString{}, 0, 0, {}});
      part = &*found;
      part->total += sum.total;
      part->count += sum.count;
    }
  }
  sort_flame(whole);
  return whole;
}

FlameView::FlameView(QWidget* parent) : QWidget{parent}
{
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Where the time went: kinds of work and modules"));
  setToolTip(tr("Click or Enter: this part alone · arrows: go from part to part · Escape: all"));
}

QSize FlameView::sizeHint() const
{
  return {400, 7 * (fontMetrics().height() + 6)};
}

void FlameView::show(FlamePart whole)
{
  whole_ = std::move(whole);
  whole_.name = tr("all");
  alone_.clear();
  chosen_.clear();
  update();
}

const FlamePart* FlameView::at(const Path& path) const
{
  const FlamePart* part = &whole_;
  for (const std::size_t each : path)
    part = &part->parts[each];
  return part;
}

QStringList FlameView::chosen() const
{
  QStringList names{whole_.name};
  const FlamePart* part = &whole_;
  for (const std::size_t each : chosen_) {
    part = &part->parts[each];
    names << part->name;
  }
  return names;
}

std::vector<FlameView::Box> FlameView::boxes() const
{
  std::vector<Box> result;
  const double height = fontMetrics().height() + 6;
  const std::function<void(const Path&, const FlamePart&, double, double, double)> add =
      [&](const Path& path, const FlamePart& part, double left, double top, double per_second) {
        const double width = part.total * per_second;
        if (width < least_flame_pixels || top >= this->height())
          return;
        result.push_back({path, {left, top, width, height - 1}});
        for (std::size_t i = 0; i < part.parts.size(); ++i) {
          Path below = path;
          below.push_back(i);
          add(below, part.parts[i], left, top + height, per_second);
          left += part.parts[i].total * per_second;
        }
      };
  const FlamePart& alone = *at(alone_);
  if (alone.total > 0)
    add(alone_, alone, 0, 0, width() / alone.total);
  return result;
}

QString FlameView::words(const Path& path) const
{
  const FlamePart& part = *at(path);
  QStringList names;
  const FlamePart* each = &whole_;
  for (const std::size_t i : path) {
    each = &each->parts[i];
    names << each->name;
  }
  return tr("%1: %2, %3 % of all, %4 pieces")
      .arg(names.isEmpty() ? whole_.name : names.join(QLatin1String(" · ")),
           time_text(part.total, std::max(part.total, 1e-12) / 1000))
      .arg(whole_.total > 0 ? 100 * part.total / whole_.total : 0, 0, 'f', 1)
      .arg(part.count);
}

void FlameView::choose(Path path)
{
  chosen_ = std::move(path);
  const QString told = words(chosen_);
  setAccessibleDescription(told);
  emit described(told);
  update();
}

void FlameView::paintEvent(QPaintEvent*)
{
  QPainter painter{this};
  painter.fillRect(rect(), palette().base());
  for (const Box& box : boxes()) {
    const FlamePart& part = *at(box.path);
    const QColor colour =
        box.path.empty() ? palette().color(QPalette::AlternateBase) : kind_colour(whole_.parts[box.path.front()]);
    painter.fillRect(box.place.adjusted(0, 0, -1, 0), colour);
    if (box.path == chosen_ && hasFocus()) {
      painter.setPen(palette().color(QPalette::Text));
      painter.drawRect(box.place.adjusted(0.5, 0.5, -1.5, -0.5));
    }
    painter.setPen(box.path.empty()             ? palette().color(QPalette::Text)
                   : colour.lightnessF() > 0.5F ? QColor{Qt::black}
                                                : QColor{Qt::white});
    const QRectF inside = box.place.adjusted(4, 0, -4, 0);
    if (inside.width() > 12)
      painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                       fontMetrics().elidedText(part.name, Qt::ElideRight, static_cast<int>(inside.width())));
  }
}

void FlameView::mouseMoveEvent(QMouseEvent* event)
{
  for (const Box& box : boxes())
    if (box.place.contains(event->position()))
      return emit described(words(box.path));
}

void FlameView::mousePressEvent(QMouseEvent* event)
{
  for (const Box& box : boxes())
    if (box.place.contains(event->position())) {
      alone_ = box.path;
      return choose(box.path);
    }
}

void FlameView::keyPressEvent(QKeyEvent* event)
{
  Path path = chosen_;
  switch (event->key()) {
  case Qt::Key_Down:
    if (at(path)->parts.empty())
      return;
    path.push_back(0);
    break;
  case Qt::Key_Up:
    if (path.empty())
      return;
    path.pop_back();
    if (path.size() < alone_.size())
      alone_ = path;
    break;
  case Qt::Key_Left:
  case Qt::Key_Right: {
    if (path.size() <= alone_.size())
      return;
    const std::size_t number = path.back();
    path.pop_back();
    const std::size_t count = at(path)->parts.size();
    path.push_back(event->key() == Qt::Key_Left ? (number == 0 ? 0 : number - 1) : std::min(number + 1, count - 1));
    break;
  }
  case Qt::Key_Return:
  case Qt::Key_Enter:
    alone_ = path;
    break;
  case Qt::Key_Escape:
    if (alone_.empty())
      return QWidget::keyPressEvent(event);
    alone_.clear();
    break;
  default:
    return QWidget::keyPressEvent(event);
  }
  choose(path);
}

} // namespace trainyard::gui
