// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/canvas_model.hpp"
#include "gui/canvas/topology_scene.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/core/theme.hpp"

#include <QGraphicsSceneContextMenuEvent>
#include <QGraphicsSceneMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPainterPathStroker>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr QSizeF box{140, 64};
constexpr double grid = 10;

/// Height of the letters in the picture (px of the scene): 13, or more where they would be smaller than 10 px on the
/// screen.
double word_size(double zoom)
{
  return std::max(13.0, 10 / std::max(zoom, 1e-6));
}

} // namespace

TopologyItem::TopologyItem(const CanvasItem& item, TopologyScene& scene) : item_{item}, scene_{scene}
{
  setFlags(ItemIsMovable | ItemIsSelectable | ItemSendsGeometryChanges | ItemIsFocusable);
  setPos(item.place);
  setZValue(1);
  setToolTip(item.kind == CanvasItem::Kind::rack ? tr("%1: %2 × %3. Double-click to add a failure, Enter to expand")
                                                       .arg(item.label)
                                                       .arg(item.count)
                                                       .arg(item.detail)
             : item.count > 1
                 ? tr("%1: %2 × %3. Double-click to expand").arg(item.label).arg(item.count).arg(item.detail)
                 : tr("%1: %2").arg(item.label, item.detail));
}

void TopologyItem::setBadge(const QString& badge)
{
  if (std::exchange(badge_, badge) != badge)
    update();
}

void TopologyItem::setLoad(double load)
{
  load_ = load;
  update();
}

QRectF TopologyItem::boundingRect() const
{
  return {-box.width() / 2 - 8, -box.height() / 2 - 12, box.width() + 20, box.height() + 24};
}

void TopologyItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
  const QPalette& palette = scene_.palette();
  const bool is_switch = item_.kind == CanvasItem::Kind::network_switch || item_.kind == CanvasItem::Kind::tier;
  QRectF rect{-box.width() / 2, -box.height() / 2, box.width(), box.height()};
  if (is_switch)
    rect.adjust(0, 12, 0, -12);
  const QColor edge = isSelected() ? palette.color(QPalette::Highlight)
                      : load_ >= 0 ? load_colour(load_)
                                   : palette.color(QPalette::Mid);
  const QColor fill = is_switch ? palette.color(QPalette::Button) : palette.color(QPalette::Base);
  painter->setPen(QPen{edge, isSelected() || load_ >= 0 ? 2.5 : 1.2});
  if (item_.count > 1)
    for (int i = 2; i >= 1; --i) {
      painter->setBrush(fill);
      painter->drawRoundedRect(rect.translated(4.0 * i, -4.0 * i), 6, 6);
    }
  painter->setBrush(fill);
  painter->drawRoundedRect(rect, is_switch ? 14 : 6, is_switch ? 14 : 6);
  const double zoom = option->levelOfDetailFromTransform(painter->worldTransform());
  QFont font = painter->font();
  const double letter = word_size(zoom);
  const QRectF text = rect.adjusted(3, 3, -3, -3);
  if (letter <= text.height()) { // else it is too far away to be read
    painter->setPen(palette.color(QPalette::Text));
    font.setBold(true);
    font.setPixelSize(static_cast<int>(std::lround(letter)));
    painter->setFont(font);
    const QString number = item_.count > 1 ? QStringLiteral(" ×%1").arg(item_.count) : QString{};
    const QFontMetricsF metrics{font};
    const bool all = !is_switch && letter <= 14;
    // The number stays, whatever the name is cut to; below it where both are too long for one line.
    const bool two_lines = !all && !number.isEmpty() && 2 * metrics.height() <= rect.height() &&
                           metrics.horizontalAdvance(item_.label + number) > text.width();
    const double room = text.width() - (two_lines ? 0 : metrics.horizontalAdvance(number));
    const QString name = metrics.horizontalAdvance(item_.label) <= room ? item_.label : short_name(item_.label);
    const QString title =
        metrics.elidedText(name, Qt::ElideMiddle, room) + (two_lines ? QLatin1Char('\n') + number.trimmed() : number);
    painter->drawText(two_lines ? rect : text, all ? Qt::AlignHCenter | Qt::AlignTop : Qt::AlignCenter, title);
    if (all) {
      font.setBold(false);
      int size = static_cast<int>(std::lround(letter * 0.9));
      do
        font.setPixelSize(size--);
      while (size * zoom >= 9 && QFontMetricsF{font}.horizontalAdvance(item_.detail) > text.width());
      painter->setFont(font);
      painter->setPen(palette.color(QPalette::PlaceholderText));
      painter->drawText(text.adjusted(0, 2, 0, 2), Qt::AlignHCenter | Qt::AlignVCenter,
                        QFontMetricsF{font}.elidedText(item_.detail, Qt::ElideRight, text.width()));
      // GPUs as little squares.
      const int gpus = std::min(8, item_.detail.section(QLatin1Char(' '), 0, 0).toInt());
      painter->setPen(Qt::NoPen);
      painter->setBrush(series_colour(2));
      for (int i = 0; i < gpus; ++i)
        painter->drawRect(QRectF{rect.center().x() - gpus * 5.0 + i * 10.0 + 1, rect.bottom() - 12, 8, 8});
    }
  }
  if (!badge_.isEmpty()) {
    const QRectF place{rect.right() - 20, rect.top() - 10, 28, 20};
    painter->setBrush(error_colour());
    painter->drawRoundedRect(place, 8, 8);
    font.setBold(true);
    font.setPixelSize(13);
    painter->setFont(font);
    painter->setPen(is_dark() ? Qt::black : Qt::white);
    painter->drawText(place, Qt::AlignCenter, badge_);
  }
}

QVariant TopologyItem::itemChange(GraphicsItemChange change, const QVariant& value)
{
  if (change == ItemPositionChange) {
    const QPointF at = value.toPointF();
    return QPointF{std::round(at.x() / grid) * grid, std::round(at.y() / grid) * grid};
  }
  if (change == ItemPositionHasChanged)
    scene_.itemMoved(*this);
  return QGraphicsObject::itemChange(change, value);
}

void TopologyItem::mousePressEvent(QGraphicsSceneMouseEvent* event)
{
  pressed_ = pos();
  QGraphicsObject::mousePressEvent(event);
}

void TopologyItem::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
  QGraphicsObject::mouseReleaseEvent(event);
  if (pos() != pressed_)
    scene_.itemReleased(*this, pressed_);
}

void TopologyItem::mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event)
{
  event->accept();
  TopologyScene* scene = &scene_; // this item is gone afterwards
  if (item_.kind == CanvasItem::Kind::rack) {
    QMetaObject::invokeMethod(
        scene, [scene, what = TopologyScene::failure_of(item_)] { emit scene->failRequested(what); },
        Qt::QueuedConnection);
    return;
  }
  const QString id = item_.folds.isEmpty() ? item_.id : item_.folds;
  QMetaObject::invokeMethod(
      scene, [scene, id] { scene->toggleFold(id); }, Qt::QueuedConnection);
}

void TopologyItem::contextMenuEvent(QGraphicsSceneContextMenuEvent* event)
{
  scene_.showMenu(*this, event->screenPos());
  event->accept();
}

TopologyLink::TopologyLink(const CanvasLink& link, const TopologyItem& from, const TopologyItem& to)
    : link_{link}, from_{from}, to_{to}
{
  setFlag(ItemIsSelectable);
  setZValue(0);
  follow();
  setToolTip(QObject::tr("%1 – %2: %3 links, %4 in total in each direction")
                 .arg(from.item().label, to.item().label)
                 .arg(link.count)
                 .arg(rate_text(link.bandwidth)));
}

void TopologyLink::follow()
{
  prepareGeometryChange();
  way_ = {from_.pos()};
  if (from_.pos() == from_.item().place && to_.pos() == to_.item().place) // moved by hand: straight
    way_ << link_.via;
  way_ << to_.pos();
}

void TopologyLink::setLoad(double load, const QString& words)
{
  load_ = load;
  if (!words.isEmpty())
    setToolTip(words);
  update();
}

QLineF TopologyLink::longest() const
{
  QLineF best;
  for (qsizetype i = 1; i < way_.size(); ++i)
    if (const QLineF stretch{way_[i - 1], way_[i]}; stretch.length() > best.length())
      best = stretch;
  return best;
}

QRectF TopologyLink::boundingRect() const
{
  return way_.boundingRect().adjusted(-8, -8, 8, 8);
}

QPainterPath TopologyLink::shape() const
{
  QPainterPath path;
  path.addPolygon(way_);
  QPainterPathStroker stroker;
  stroker.setWidth(10);
  return stroker.createStroke(path);
}

void TopologyLink::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
  const auto* scene = static_cast<const TopologyScene*>(this->scene());
  const QColor colour = load_ >= 0 ? load_colour(load_) : scene->palette().color(QPalette::Mid);
  const double width =
      std::clamp(1.2 + std::log10(std::max(1.0, link_.bandwidth / 1.25e9)), 1.2, 5.0) + (load_ >= 0 ? 1.5 : 0);
  if (isSelected()) { // around the colour of the load, which keeps its meaning
    painter->setPen(QPen{scene->palette().color(QPalette::Highlight), width + 5});
    painter->drawPolyline(way_);
  }
  painter->setPen(QPen{colour, width});
  painter->drawPolyline(way_);
  const double zoom = option->levelOfDetailFromTransform(painter->worldTransform());
  if (zoom < 0.5 || (load_ < 0 && !isSelected()) || longest().length() < 60)
    return;
  const QString words = load_ >= 0 ? QStringLiteral("%1 %").arg(load_ * 100, 0, 'f', 0) : rate_text(link_.bandwidth);
  QFont font = painter->font();
  font.setPixelSize(static_cast<int>(std::lround(word_size(zoom))));
  painter->setFont(font);
  const QFontMetricsF metrics{font};
  const QSizeF size{metrics.horizontalAdvance(words) + 8, metrics.height() + 2};
  const QRectF place{longest().center() - QPointF{size.width() / 2, size.height() / 2}, size};
  painter->setPen(Qt::NoPen);
  painter->setBrush(scene->palette().color(QPalette::Base));
  painter->drawRoundedRect(place, 5, 5);
  painter->setPen(scene->palette().color(QPalette::Text));
  painter->drawText(place, Qt::AlignCenter, words);
}

} // namespace trainyard::gui
