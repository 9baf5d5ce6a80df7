// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/minimap.hpp"
#include "gui/canvas/topology_scene.hpp"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace trainyard::gui {

TopologyView::TopologyView(TopologyScene& scene, QWidget* parent)
    : QGraphicsView{&scene, parent}, scene_{scene}, minimap_{new Minimap{scene, *this}}
{
  setRenderHint(QPainter::Antialiasing);
  setDragMode(QGraphicsView::RubberBandDrag);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setViewportUpdateMode(QGraphicsView::SmartViewportUpdate);
  setAcceptDrops(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumSize(200, 120);
  setAccessibleName(tr("Cluster canvas"));
  setAccessibleDescription(tr("Machines, switches and links; the outline shows the same as a list"));
  connect(&scene_, &TopologyScene::rebuilt, this, [this] {
    if (fitted_)
      fit();
  });
}

void TopologyView::fit()
{
  fitted_ = true;
  const QRectF all = scene_.itemsBoundingRect().adjusted(-30, -30, 30, 30);
  if (all.isEmpty())
    return;
  fitInView(all, Qt::KeepAspectRatio);
  const double zoom = transform().m11();
  if (zoom > 1.2) {
    scale(1.2 / zoom, 1.2 / zoom); // about the pointer, if that is here
    centerOn(all.center());
  }
  minimap_->follow();
}

void TopologyView::lookAt(const QPointF& place)
{
  fitted_ = false;
  centerOn(place);
  minimap_->follow();
}

void TopologyView::zoomBy(double factor)
{
  const double zoom = transform().m11() * factor;
  if (zoom <= 0.01 || zoom >= 6)
    return;
  fitted_ = false;
  scale(factor, factor);
  minimap_->follow();
}

void TopologyView::scrollContentsBy(int dx, int dy)
{
  QGraphicsView::scrollContentsBy(dx, dy);
  minimap_->follow();
}

void TopologyView::wheelEvent(QWheelEvent* event)
{
  zoomBy(std::pow(1.15, event->angleDelta().y() / 120.0));
  event->accept();
}

void TopologyView::mousePressEvent(QMouseEvent* event)
{
  const bool free_ground = event->button() == Qt::LeftButton && itemAt(event->pos()) == nullptr &&
                           (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) == 0 && !scene_.linkMode();
  if (event->button() == Qt::MiddleButton || free_ground) {
    if (free_ground)
      scene_.clearSelection();
    panning_ = true;
    panned_from_ = event->pos();
    setCursor(Qt::ClosedHandCursor);
    return;
  }
  QGraphicsView::mousePressEvent(event);
}

void TopologyView::mouseMoveEvent(QMouseEvent* event)
{
  if (!panning_)
    return QGraphicsView::mouseMoveEvent(event);
  fitted_ = false;
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() + panned_from_.x() - event->pos().x());
  verticalScrollBar()->setValue(verticalScrollBar()->value() + panned_from_.y() - event->pos().y());
  panned_from_ = event->pos();
}

void TopologyView::mouseReleaseEvent(QMouseEvent* event)
{
  if (std::exchange(panning_, false))
    return unsetCursor();
  QGraphicsView::mouseReleaseEvent(event);
}

bool TopologyView::walkKey(const QKeyEvent& event)
{
  constexpr double step = 10; // of the scene
  static const QHash<int, QPointF> ways{
      {Qt::Key_Left, {-1, 0}}, {Qt::Key_Right, {1, 0}}, {Qt::Key_Up, {0, -1}}, {Qt::Key_Down, {0, 1}}};
  const auto way = ways.constFind(event.key());
  if (way == ways.constEnd())
    return false;
  if ((event.modifiers() & Qt::ControlModifier) != 0)
    scene_.nudge(way.value() * step);
  else
    scene_.selectNext(way.value());
  return true;
}

void TopologyView::keyPressEvent(QKeyEvent* event)
{
  if (walkKey(*event))
    return;
  if (event->matches(QKeySequence::SelectAll)) {
    for (const CanvasItem& item : scene_.model().items)
      scene_.itemOf(item.id)->setSelected(true);
    return;
  }
  switch (event->key()) {
  case Qt::Key_Escape:
    return scene_.cancelLink();
  case Qt::Key_Delete:
  case Qt::Key_Backspace:
    scene_.removeSelected();
    return;
  case Qt::Key_Plus:
  case Qt::Key_Equal:
    return zoomBy(1.15);
  case Qt::Key_Minus:
    return zoomBy(1 / 1.15);
  case Qt::Key_0:
    fit();
    return;
  case Qt::Key_Return:
    if (const auto selected = scene_.selectedItems();
        selected.size() == 1 && selected.front()->type() == TopologyItem::Type) {
      const CanvasItem item = static_cast<TopologyItem*>(selected.front())->item();
      scene_.toggleFold(item.count > 1 || item.folds.isEmpty() ? item.id : item.folds);
    }
    return;
  case Qt::Key_Menu:
    if (const auto selected = scene_.selectedItems();
        selected.size() == 1 && selected.front()->type() == TopologyItem::Type) {
      const auto* item = static_cast<TopologyItem*>(selected.front());
      scene_.showMenu(*item, viewport()->mapToGlobal(mapFromScene(item->pos())));
    }
    return;
  default:
    QGraphicsView::keyPressEvent(event);
  }
}

void TopologyView::dragEnterEvent(QDragEnterEvent* event)
{
  if (event->mimeData()->hasFormat(QLatin1String(part_mime)))
    event->acceptProposedAction();
  else
    event->ignore(); // files go to the window
}

void TopologyView::dragMoveEvent(QDragMoveEvent* event)
{
  if (event->mimeData()->hasFormat(QLatin1String(part_mime)))
    event->acceptProposedAction();
}

void TopologyView::dropEvent(QDropEvent* event)
{
  if (!event->mimeData()->hasFormat(QLatin1String(part_mime)))
    return event->ignore();
  scene_.addPart(QString::fromUtf8(event->mimeData()->data(QLatin1String(part_mime))),
                 mapToScene(event->position().toPoint()));
  event->acceptProposedAction();
}

void TopologyView::resizeEvent(QResizeEvent* event)
{
  QGraphicsView::resizeEvent(event);
  if (fitted_)
    fit();
  minimap_->follow();
}

} // namespace trainyard::gui
