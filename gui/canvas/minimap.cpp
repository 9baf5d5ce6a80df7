// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/minimap.hpp"

#include "gui/canvas/topology_scene.hpp"
#include "gui/core/theme.hpp"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr QSize largest_map{190, 130}; // px
constexpr int from_corner = 8;

} // namespace

Minimap::Minimap(TopologyScene& scene, TopologyView& view) : QWidget{&view}, scene_{scene}, view_{view}
{
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Map of the whole canvas"));
  setToolTip(tr("The whole canvas; click or drag to move there (N hides it)"));
  setCursor(Qt::PointingHandCursor);
  hide();
  const auto renew = [this] {
    picture_ = {};
    follow();
    update();
  };
  connect(&scene_, &TopologyScene::rebuilt, this, renew);
  connect(&scene_, &TopologyScene::itemsMoved, this, renew);
}

void Minimap::setWanted(bool wanted)
{
  wanted_ = wanted;
  follow();
}

QRectF Minimap::whole() const
{
  return scene_.sceneRect();
}

QRectF Minimap::inSight() const
{
  return view_.mapToScene(view_.viewport()->rect()).boundingRect();
}

double Minimap::zoom() const
{
  const QRectF all = whole();
  return std::min(width() / std::max(1.0, all.width()), height() / std::max(1.0, all.height()));
}

void Minimap::follow()
{
  const QRectF all = whole();
  const QRectF seen = inSight();
  const bool items = !scene_.model().items.isEmpty();
  const bool room = view_.width() > 2 * largest_map.width() && view_.height() > 2 * largest_map.height();
  setVisible(wanted_ && items && room && !seen.contains(all.adjusted(180, 130, -180, -130)));
  if (!isVisibleTo(&view_) || all.isEmpty())
    return;
  const QSize size = all.size().scaled(largest_map, Qt::KeepAspectRatio).toSize().expandedTo({40, 30});
  if (size != this->size())
    picture_ = {};
  setGeometry({{view_.width() - size.width() - from_corner, view_.height() - size.height() - from_corner}, size});
  if (seen != std::exchange(seen_, seen))
    update();
}

void Minimap::drawWhole()
{
  const double ratio = devicePixelRatioF();
  picture_ = QPixmap{(QSizeF{size()} * ratio).toSize()};
  picture_.setDevicePixelRatio(ratio);
  picture_.fill(palette().color(QPalette::Base));
  QPainter painter{&picture_};
  painter.setRenderHint(QPainter::Antialiasing);
  const double scale = zoom();
  QColor line = palette().color(QPalette::Mid);
  painter.setPen(QPen{line, 1});
  for (const CanvasLink& link : scene_.model().links) {
    const TopologyItem* from = scene_.itemOf(scene_.model().items[link.from].id);
    const TopologyItem* to = scene_.itemOf(scene_.model().items[link.to].id);
    if (from != nullptr && to != nullptr)
      painter.drawLine(placeOf(from->pos()), placeOf(to->pos()));
  }
  painter.setPen(Qt::NoPen);
  for (const CanvasItem& item : scene_.model().items)
    if (const TopologyItem* drawn = scene_.itemOf(item.id); drawn != nullptr) {
      const QRectF box = drawn->sceneBoundingRect();
      painter.setBrush(item.layer > 0 ? series_colour(1) : series_colour(0));
      painter.drawRect(QRectF{placeOf(box.topLeft()),
                              QSizeF{std::max(2.0, box.width() * scale), std::max(2.0, box.height() * scale)}});
    }
}

void Minimap::paintEvent(QPaintEvent*)
{
  if (picture_.isNull())
    drawWhole();
  QPainter painter{this};
  painter.drawPixmap(0, 0, picture_);
  const QRectF frame =
      QRectF{placeOf(seen_.topLeft()), placeOf(seen_.bottomRight())}.intersected(QRectF{rect()}.adjusted(1, 1, -1, -1));
  QColor veil = palette().color(QPalette::Highlight);
  painter.setPen(QPen{veil, 1.5});
  veil.setAlpha(50);
  painter.setBrush(veil);
  painter.drawRect(frame);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void Minimap::mousePressEvent(QMouseEvent* event)
{
  if (event->button() == Qt::LeftButton)
    view_.lookAt(whole().topLeft() + event->position() / zoom());
}

void Minimap::mouseMoveEvent(QMouseEvent* event)
{
  if ((event->buttons() & Qt::LeftButton) != 0)
    view_.lookAt(whole().topLeft() + event->position() / zoom());
}

void Minimap::changeEvent(QEvent* event)
{
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    picture_ = {};
}

} // namespace trainyard::gui
