// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QGraphicsObject>
#include <QGraphicsScene>
#include <QGraphicsView>
#include <QHash>
#include <QPolygonF>
#include <QSet>

#include "gui/canvas/canvas_model.hpp"

#include <QUndoCommand>
#include <functional>
#include <memory>
#include <string>

namespace trainyard::gui {

class Minimap;
class ScenarioDocument;
class TopologyScene;

/// A machine, group, switch or tier as drawn.
class TopologyItem : public QGraphicsObject
{
  Q_OBJECT
public:
  TopologyItem(const CanvasItem& item, TopologyScene& scene);

  const CanvasItem& item() const { return item_; }
  void setBadge(const QString& badge);
  void setLoad(double load); // below 0: none
  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
  enum { Type = UserType + 1 };
  int type() const override { return Type; }

protected:
  QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;
  void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event) override;
  void contextMenuEvent(QGraphicsSceneContextMenuEvent* event) override;

private:
  CanvasItem item_;
  TopologyScene& scene_;
  QPointF pressed_;
  QString badge_;
  double load_ = -1;
};

/// A bundle of links as drawn; its colour is the load where a run is shown.
class TopologyLink : public QGraphicsItem
{
public:
  TopologyLink(const CanvasLink& link, const TopologyItem& from, const TopologyItem& to);

  const CanvasLink& link() const { return link_; }
  void follow();
  void setLoad(double load, const QString& words);
  double load() const { return load_; }
  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
  enum { Type = UserType + 2 };
  int type() const override { return Type; }

private:
  CanvasLink link_;
  const TopologyItem& from_;
  const TopologyItem& to_;
  /// The stretch on which the words of the link stand.
  QLineF longest() const;

  QPolygonF way_;
  double load_ = -1;
};

/// The cluster as a picture. Everything changed here changes the scenario's text; only the places of items are kept
/// apart from it.
class TopologyScene : public QGraphicsScene
{
  Q_OBJECT
public:
  explicit TopologyScene(ScenarioDocument& document, QObject* parent = nullptr);
  ~TopologyScene() override;

  const CanvasModel& model() const { return model_; }
  TopologyItem* itemOf(const QString& id) const { return items_.value(id); }
  /// Folds or unfolds a group or tier.
  void toggleFold(const QString& id);
  /// Load of directed links by the names of links.csv, 0 to 1; an empty map takes the colours away.
  void setLoads(const QHash<QString, double>& loads);
  void setLinkMode(bool on);
  bool linkMode() const { return link_mode_; }
  /// Puts all items where the automatic layout wants them; one step of the undo stack.
  void layOut();
  /// What a palette entry adds: "gpu_nodes", "cpu_nodes", "switch", or a template ("template:leaf_spine").
  bool addPart(const QString& part, const QPointF& place);
  /// Removes what is selected from the scenario; one step each.
  void removeSelected();
  /// Joins two items of a free graph by a link.
  void join(const QString& from, const QString& to);
  /// Puts what is selected on the clipboard: groups with as many machines as are selected, switches, the links between
  /// them.
  void copySelected();
  /// Adds what is on the clipboard under new names, a little beside where it was; one step.
  void paste();
  /// The same without the clipboard.
  void duplicateSelected();
  enum class Alignment { row, column, spread };
  /// Moves what is selected to one height, below each other, or to equal distances; one step.
  void align(Alignment how);
  /// Moves what is selected by hand's keys; steps that follow each other are one.
  void nudge(const QPointF& by);
  /// Selects the nearest item in a direction from the selected one.
  void selectNext(const QPointF& direction);
  /// Joins the two selected items; with one selected: remembers it as the begin of a link, then joins the next.
  void linkSelected();
  void cancelLink();
  void itemReleased(TopologyItem& item, const QPointF& from);
  void itemMoved(const TopologyItem& item);
  void place(const QString& id, const QPointF& where);
  void forgetPlace(const QString& id);
  /// What `faults:` calls an item: "rack:3", "node:worker-1", "switch:leaf-0"; empty where it cannot fail as a whole.
  static QString failure_of(const CanvasItem& item);
  /// What can be done with an item, for its context menu and the keyboard's menu key.
  void showMenu(const TopologyItem& item, const QPoint& global);

signals:
  /// The place in the scenario of what was selected, and a heading; empty for nothing.
  void picked(const QString& path, const QString& heading);
  void refused(const QString& why);
  /// What happens, for the status bar.
  void told(const QString& words);
  /// Items stand elsewhere now.
  void itemsMoved();
  /// The directed links of a bundle that was selected, by the names of links.csv; empty when none is selected any more.
  void linkPicked(const QStringList& links);
  /// Something is to be made to fail: "rack:3".
  void failRequested(const QString& what);
  void rebuilt();

protected:
  void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
  void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
  void drawBackground(QPainter* painter, const QRectF& area) override;

private:
  class MoveStep;
  struct Guard;
  void rebuild();
  void draw(CanvasModel model);
  void markFaults();
  void selectionMoved();
  TopologyItem* itemAtPoint(const QPointF& at) const;
  void keepPlaces() const;
  void readPlaces();
  QString placesFile() const;
  bool addSwitch(const QPointF& where);
  using Change = std::function<std::string(const std::string&)>;
  /// A change of the text that makes an item of that name appear there; one step. False where the text refuses it.
  bool addAt(const QVector<QPair<QString, QPointF>>& places, const QString& label, const Change& change);
  QVector<TopologyItem*> selectedParts() const;
  void selectOnly(const QString& id);
  QByteArray selectedAsText() const;
  void pasteText(const QByteArray& text, const QString& label);
  /// A group of machines, with a type of its own where the text has none that fits.
  bool addMachines(bool gpus, const QPointF& where);

  ScenarioDocument& document_;
  std::shared_ptr<Guard> guard_;
  int wanted_ = 0;       // number of the newest text whose picture was asked for
  bool opening_ = false; // another scenario: its picture is waited for
  CanvasModel model_;
  std::unique_ptr<CanvasModel> drawn_; // what was drawn last, before items were moved by hand
  QString drawn_for_;                  // the file of places it was drawn with
  QHash<QString, TopologyItem*> items_;
  QHash<QString, QVector<TopologyLink*>> links_of_;
  QVector<TopologyLink*> links_;
  QHash<QString, QPointF> places_;    // by hand
  QHash<QString, QPointF> automatic_; // of what is drawn
  QSet<QString> unfolded_;
  QHash<QString, double> loads_;
  QString places_for_;
  bool link_mode_ = false;
  bool rebuilding_ = false;
  TopologyItem* link_from_ = nullptr;
  QString link_begin_; // by keyboard: the item that a link begins at
  QGraphicsLineItem* rubber_ = nullptr;
};

/// The view of the scene: wheel zooms, a drag on free ground or with the middle button pans, with Shift it selects;
/// arrow keys walk from item to item, with Ctrl they move what is selected; parts are dropped from the palette.
class TopologyView : public QGraphicsView
{
  Q_OBJECT
public:
  explicit TopologyView(TopologyScene& scene, QWidget* parent = nullptr);
  void fit();
  /// Moves a place of the scene to the middle.
  void lookAt(const QPointF& place);
  Minimap* minimap() { return minimap_; }

protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

private:
  bool walkKey(const QKeyEvent& event);
  void zoomBy(double factor);

  TopologyScene& scene_;
  Minimap* minimap_;
  bool fitted_ = true;
  bool panning_ = false;
  QPoint panned_from_;
};

inline constexpr const char* part_mime = "application/x-trainyard-part";

} // namespace trainyard::gui
