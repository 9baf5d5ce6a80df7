// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QPixmap>
#include <QWidget>

namespace trainyard::gui {

class TopologyScene;
class TopologyView;

/// The whole canvas in a corner of its view, with a frame around what is in sight; a click or a drag moves the view
/// there. Hidden while everything is in sight.
class Minimap : public QWidget
{
  Q_OBJECT
public:
  Minimap(TopologyScene& scene, TopologyView& view);

  /// Whether it is shown as soon as a part is out of sight.
  void setWanted(bool wanted);
  bool isWanted() const { return wanted_; }
  /// The view has moved, zoomed or changed its size.
  void follow();
  /// Where a place of the scene stands on the map.
  QPointF placeOf(const QPointF& in_scene) const { return (in_scene - whole().topLeft()) * zoom(); }
  /// What is in sight, in the scene.
  QRectF inSight() const;

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent*) override {} // the view below is not meant
  void changeEvent(QEvent* event) override;

private:
  QRectF whole() const;
  double zoom() const;
  void drawWhole();

  TopologyScene& scene_;
  TopologyView& view_;
  QPixmap picture_; // of all items; empty: to be drawn again
  QRectF seen_;
  bool wanted_ = true;
};

} // namespace trainyard::gui
