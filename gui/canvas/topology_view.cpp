// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/topology_scene.hpp"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace trainyard::gui {

TopologyView::TopologyView(TopologyScene& scene, QWidget* parent) : QGraphicsView{&scene, parent}, scene_{scene}
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
  if (zoom > 1.2)
    scale(1.2 / zoom, 1.2 / zoom);
}

void TopologyView::wheelEvent(QWheelEvent* event)
{
  const double factor = std::pow(1.15, event->angleDelta().y() / 120.0);
  const double zoom = transform().m11() * factor;
  if (zoom > 0.01 && zoom < 6) {
    fitted_ = false;
    scale(factor, factor);
  }
  event->accept();
}

void TopologyView::mousePressEvent(QMouseEvent* event)
{
  if (event->button() == Qt::MiddleButton) {
    panned_from_ = event->pos();
    setCursor(Qt::ClosedHandCursor);
    return;
  }
  QGraphicsView::mousePressEvent(event);
}

void TopologyView::mouseMoveEvent(QMouseEvent* event)
{
  if ((event->buttons() & Qt::MiddleButton) == 0)
    return QGraphicsView::mouseMoveEvent(event);
  fitted_ = false;
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() + panned_from_.x() - event->pos().x());
  verticalScrollBar()->setValue(verticalScrollBar()->value() + panned_from_.y() - event->pos().y());
  panned_from_ = event->pos();
}

void TopologyView::mouseReleaseEvent(QMouseEvent* event)
{
  if (event->button() == Qt::MiddleButton)
    return unsetCursor();
  QGraphicsView::mouseReleaseEvent(event);
}

void TopologyView::keyPressEvent(QKeyEvent* event)
{
  switch (event->key()) {
  case Qt::Key_Delete:
  case Qt::Key_Backspace:
    scene_.removeSelected();
    return;
  case Qt::Key_Plus:
  case Qt::Key_Equal:
    fitted_ = false;
    scale(1.15, 1.15);
    return;
  case Qt::Key_Minus:
    fitted_ = false;
    scale(1 / 1.15, 1 / 1.15);
    return;
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
}

} // namespace trainyard::gui
