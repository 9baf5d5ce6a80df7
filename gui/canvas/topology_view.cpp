#include "gui/canvas/topology_scene.hpp"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
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
  setAccessibleName(tr("Cluster canvas"));
  setAccessibleDescription(tr("Machines, switches and links; the outline lists the same"));
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
    if (const auto selected = scene_.selectedItems(); selected.size() == 1 && selected.front()->type() == TopologyItem::Type) {
      const CanvasItem item = static_cast<TopologyItem*>(selected.front())->item();
      scene_.toggleFold(item.kind == CanvasItem::Kind::node ? item.id.section(QLatin1Char('-'), 0, -2) : item.id);
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
  scene_.addPart(QString::fromUtf8(event->mimeData()->data(QLatin1String(part_mime))), mapToScene(event->position().toPoint()));
  event->acceptProposedAction();
}

void TopologyView::resizeEvent(QResizeEvent* event)
{
  QGraphicsView::resizeEvent(event);
  if (fitted_)
    fit();
}

} // namespace trainyard::gui
