// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/topology_scene.hpp"

#include "gui/core/places.hpp"
#include "gui/document/faults_model.hpp"
#include "gui/document/scenario_document.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QGraphicsSceneMouseEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QPainter>
#include <QSaveFile>
#include <QThreadPool>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace trainyard::gui {

/// Items that were moved by hand or by the layout.
class TopologyScene::MoveStep : public QUndoCommand
{
public:
  struct Move {
    QString id;
    std::optional<QPointF> from; // nothing: where the automatic layout wants it
    std::optional<QPointF> to;
  };
  MoveStep(ScenarioDocument& document, QVector<Move> moves, const QString& label)
      : QUndoCommand{label}, document_{document}, moves_{std::move(moves)}
  {
  }
  void undo() override
  {
    for (const Move& move : moves_)
      place(move.id, move.from);
  }
  void redo() override
  {
    for (const Move& move : moves_)
      place(move.id, move.to);
  }

private:
  void place(const QString& id, const std::optional<QPointF>& where)
  {
    if (where)
      document_.setPlace(id, *where);
    else
      document_.forgetPlace(id);
  }

  ScenarioDocument& document_;
  QVector<Move> moves_;
};

namespace {

constexpr long at_once = 600; // machines whose network is built within a frame

/// Machines that the text asks for; a quick look at the tree.
long machines_of(const Document& document)
{
  long machines = 0;
  if (const DocumentNode* groups = find_path(document.root, "cluster.nodes"); groups != nullptr)
    for (const DocumentNode& group : groups->items)
      if (const DocumentNode* count = group.find("count"); count != nullptr)
        machines += QString::fromStdString(count->text).toLong();
  return machines;
}

} // namespace

/// Shows builders on other threads whether the scene still exists.
struct TopologyScene::Guard {
  std::mutex mutex;
  TopologyScene* scene = nullptr;
  bool alive = true;
};

TopologyScene::~TopologyScene()
{
  {
    const std::lock_guard lock{guard_->mutex};
    guard_->alive = false;
  }
  disconnect(); // removing items would still report a changed selection
}

TopologyScene::TopologyScene(ScenarioDocument& document, QObject* parent)
    : QGraphicsScene{parent}, document_{document}, guard_{std::make_shared<Guard>()}
{
  guard_->scene = this;
  connect(&document_, &ScenarioDocument::opened, this, [this] { opening_ = true; });
  setItemIndexMethod(QGraphicsScene::BspTreeIndex);
  connect(&document_, &ScenarioDocument::treeChanged, this, &TopologyScene::rebuild);
  connect(&document_, &ScenarioDocument::placeChanged, this, &TopologyScene::place);
  connect(&document_, &ScenarioDocument::placeForgotten, this, &TopologyScene::forgetPlace);
  connect(this, &QGraphicsScene::selectionChanged, this, &TopologyScene::selectionMoved);
  rebuild();
}

QString TopologyScene::placesFile() const
{
  if (document_.file().isEmpty())
    return {};
  return state_folder(QStringLiteral("places")) + QLatin1Char('/') +
         QString::fromLatin1(
             QCryptographicHash::hash(document_.file().toUtf8(), QCryptographicHash::Sha256).toHex().left(24)) +
         QStringLiteral(".json");
}

void TopologyScene::readPlaces()
{
  const QString file = placesFile();
  if (file == places_for_ && !file.isEmpty())
    return;
  if (file.isEmpty() && places_for_.isEmpty())
    return;
  places_for_ = file;
  places_.clear();
  unfolded_.clear();
  QFile in{file};
  if (file.isEmpty() || !in.open(QIODevice::ReadOnly))
    return;
  const QJsonObject all = QJsonDocument::fromJson(in.readAll()).object();
  const QJsonObject places = all.value(QLatin1String("places")).toObject();
  for (auto it = places.begin(); it != places.end(); ++it)
    places_[it.key()] = {it.value().toArray().at(0).toDouble(), it.value().toArray().at(1).toDouble()};
  for (const QJsonValue& name : all.value(QLatin1String("unfolded")).toArray())
    unfolded_.insert(name.toString());
}

void TopologyScene::keepPlaces() const
{
  const QString file = placesFile();
  if (file.isEmpty())
    return;
  QJsonObject places;
  for (auto it = places_.begin(); it != places_.end(); ++it)
    places.insert(it.key(), QJsonArray{it.value().x(), it.value().y()});
  QSaveFile out{file};
  if (out.open(QIODevice::WriteOnly)) {
    out.write(QJsonDocument{
        QJsonObject{{QStringLiteral("places"), places},
                    {QStringLiteral("unfolded"), QJsonArray::fromStringList({unfolded_.begin(), unfolded_.end()})}}}
                  .toJson());
    out.commit();
  }
}

void TopologyScene::rebuild()
{
  if (!document_.isReadable())
    return;
  readPlaces();
  ++wanted_;
  // A large network is built on another thread while the user types; the old picture stays until then.
  if (machines_of(document_.tree()) <= at_once || model_.items.isEmpty() || opening_) {
    opening_ = false;
    return draw(canvas_of(document_.tree(), unfolded_));
  }
  QThreadPool::globalInstance()->start([guard = guard_, tree = document_.tree(), open = unfolded_, number = wanted_] {
    auto model = std::make_shared<CanvasModel>(canvas_of(tree, open));
    const std::lock_guard lock{guard->mutex};
    if (!guard->alive)
      return;
    QMetaObject::invokeMethod(
        guard->scene,
        [receiver = guard->scene, model, number] {
          if (receiver->wanted_ == number) // else a later one is under way
            receiver->draw(std::move(*model));
        },
        Qt::QueuedConnection);
  });
}

void TopologyScene::draw(CanvasModel model)
{
  // A change that does not affect the network, like most changes, leaves the picture as it is.
  if (drawn_ && std::exchange(drawn_for_, places_for_) == places_for_ && model.items == drawn_->items &&
      model.links == drawn_->links) {
    markFaults();
    if (std::exchange(model_.note, model.note) != model.note)
      emit rebuilt();
    return;
  }
  drawn_for_ = places_for_;
  drawn_ = std::make_unique<CanvasModel>(model); // as laid out; model_ has the places by hand
  QSet<QString> selected;
  for (QGraphicsItem* item : selectedItems())
    if (item->type() == TopologyItem::Type)
      selected.insert(static_cast<TopologyItem*>(item)->item().id);
  rebuilding_ = true;
  link_from_ = nullptr;
  rubber_ = nullptr;
  items_.clear();
  links_of_.clear();
  links_.clear();
  clear();
  model_ = std::move(model);
  automatic_.clear();
  for (CanvasItem& item : model_.items) {
    automatic_[item.id] = item.place;
    if (const auto kept = places_.constFind(item.id); kept != places_.constEnd())
      item.place = kept.value();
    auto* drawn = new TopologyItem{item, *this};
    addItem(drawn);
    items_[item.id] = drawn;
  }
  for (const CanvasLink& link : model_.links) {
    const TopologyItem* from = items_.value(model_.items[link.from].id);
    const TopologyItem* to = items_.value(model_.items[link.to].id);
    auto* drawn = new TopologyLink{link, *from, *to};
    addItem(drawn);
    links_.push_back(drawn);
    links_of_[from->item().id].push_back(drawn);
    links_of_[to->item().id].push_back(drawn);
  }
  for (const QString& id : selected)
    if (TopologyItem* item = items_.value(id); item != nullptr)
      item->setSelected(true);
  setSceneRect(itemsBoundingRect().adjusted(-200, -150, 200, 150));
  markFaults();
  rebuilding_ = false;
  if (!loads_.isEmpty())
    setLoads(loads_);
  emit rebuilt();
}

void TopologyScene::markFaults()
{
  // A red mark on what is listed to fail, or on what it is folded into.
  QHash<QString, int> marks;
  for (const FaultEntry& fault : faults_of(document_.tree())) {
    const QString kind = fault.what.section(QLatin1Char(':'), 0, 0);
    const QString target = fault.what.section(QLatin1Char(':'), 1).section(QLatin1Char('/'), 0, 0);
    if (items_.contains(target)) {
      ++marks[target];
      continue;
    }
    for (const CanvasItem& item : std::as_const(model_.items)) {
      const bool machine = item.kind == CanvasItem::Kind::group || item.kind == CanvasItem::Kind::rack ||
                           item.kind == CanvasItem::Kind::node;
      if ((kind == QLatin1String("rack") && machine && (item.rack < 0 || QString::number(item.rack) == target)) ||
          (kind != QLatin1String("rack") && item.kind == CanvasItem::Kind::group &&
           target.startsWith(item.id + QLatin1Char('-'))))
        ++marks[item.id];
    }
  }
  for (TopologyItem* item : std::as_const(items_))
    item->setBadge({});
  for (auto it = marks.constBegin(); it != marks.constEnd(); ++it)
    if (TopologyItem* item = items_.value(it.key()); item != nullptr)
      item->setBadge(QStringLiteral("!%1").arg(it.value() > 1 ? QString::number(it.value()) : QString{}));
}

void TopologyScene::toggleFold(const QString& id)
{
  // Small groups are unfolded by themselves; "!name" remembers that one was folded by hand.
  const bool shown_folded = items_.contains(id);
  if (shown_folded) {
    unfolded_.remove(QLatin1Char('!') + id);
    unfolded_.insert(id);
  } else {
    unfolded_.remove(id);
    unfolded_.insert(QLatin1Char('!') + id);
  }
  keepPlaces();
  opening_ = true; // what was requested is shown at once
  rebuild();
}

void TopologyScene::setLoads(const QHash<QString, double>& loads)
{
  loads_ = loads;
  for (TopologyLink* drawn : links_) {
    double most = -1;
    QString busiest;
    for (const QString& name : drawn->link().names)
      if (const auto found = loads.constFind(name); found != loads.constEnd() && found.value() > most) {
        most = found.value();
        busiest = name;
      }
    drawn->setLoad(most, most < 0 ? QString{}
                                  : tr("%1: busy %2 % of the time, the busiest of %3 links")
                                        .arg(busiest)
                                        .arg(most * 100, 0, 'f', 1)
                                        .arg(drawn->link().names.size()));
  }
}

void TopologyScene::setLinkMode(bool on)
{
  link_mode_ = on;
  for (TopologyItem* item : std::as_const(items_))
    item->setFlag(QGraphicsItem::ItemIsMovable, !on);
}

void TopologyScene::layOut()
{
  QVector<MoveStep::Move> moves;
  for (const CanvasItem& item : std::as_const(model_.items))
    if (const auto kept = places_.constFind(item.id); kept != places_.constEnd())
      moves.push_back({item.id, kept.value(), std::nullopt});
  if (!moves.isEmpty())
    document_.undoStack()->push(new MoveStep{document_, moves, tr("Lay out")});
}

void TopologyScene::forgetPlace(const QString& id)
{
  places_.remove(id);
  if (TopologyItem* item = items_.value(id); item != nullptr)
    item->setPos(automatic_.value(id, item->pos()));
  keepPlaces();
}

void TopologyScene::place(const QString& id, const QPointF& where)
{
  places_[id] = where;
  if (TopologyItem* item = items_.value(id); item != nullptr)
    item->setPos(where);
  keepPlaces();
}

void TopologyScene::itemMoved(const TopologyItem& item)
{
  if (rebuilding_)
    return;
  for (TopologyLink* link : links_of_.value(item.item().id))
    link->follow();
}

void TopologyScene::itemReleased(TopologyItem& item, const QPointF& from)
{
  const QPointF moved = item.pos() - from;
  // Its earlier position set by hand; without one, undo returns it to the automatic layout.
  const auto before = [&](const QString& id, const QPointF& place) {
    return places_.contains(id) ? std::optional{place} : std::nullopt;
  };
  QVector<MoveStep::Move> moves;
  for (QGraphicsItem* selected : selectedItems())
    if (selected->type() == TopologyItem::Type) {
      const QString& id = static_cast<TopologyItem*>(selected)->item().id;
      moves.push_back({id, before(id, selected->pos() - moved), selected->pos()});
    }
  if (moves.isEmpty())
    moves.push_back({item.item().id, before(item.item().id, from), item.pos()});
  const QString label = moves.size() == 1 ? tr("Move %1").arg(item.item().label)
                                          : tr("Move %n items", nullptr, static_cast<int>(moves.size()));
  document_.undoStack()->push(new MoveStep{document_, moves, label});
}

void TopologyScene::selectionMoved()
{
  if (rebuilding_)
    return;
  const auto selected = selectedItems();
  const bool one_link = selected.size() == 1 && selected.front()->type() == TopologyLink::Type;
  emit linkPicked(one_link ? static_cast<TopologyLink*>(selected.front())->link().names : QStringList{});
  if (selected.size() != 1)
    return emit picked({}, selected.isEmpty() ? QString{} : tr("%n items", nullptr, static_cast<int>(selected.size())));
  if (selected.front()->type() == TopologyItem::Type) {
    const CanvasItem& item = static_cast<TopologyItem*>(selected.front())->item();
    return emit picked(item.path, item.label);
  }
  if (selected.front()->type() == TopologyLink::Type) {
    const CanvasLink& link = static_cast<TopologyLink*>(selected.front())->link();
    emit picked(link.path, QStringLiteral("%1 – %2").arg(model_.items[link.from].label, model_.items[link.to].label));
  }
}

QString TopologyScene::failure_of(const CanvasItem& item)
{
  switch (item.kind) {
  case CanvasItem::Kind::rack:
    return QStringLiteral("rack:%1").arg(item.rack);
  case CanvasItem::Kind::node:
    return QStringLiteral("node:%1").arg(item.id);
  case CanvasItem::Kind::network_switch:
    return QStringLiteral("switch:%1").arg(item.id);
  case CanvasItem::Kind::group:
  case CanvasItem::Kind::tier:
    break;
  }
  return {};
}

void TopologyScene::showMenu(const TopologyItem& item, const QPoint& global)
{
  const CanvasItem what = item.item();
  auto* menu = new QMenu;
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setObjectName(QStringLiteral("canvas_menu"));
  const auto fail = [&](const QString& target, const QString& name) {
    if (!target.isEmpty())
      menu->addAction(tr("%1: fail at…").arg(name), this, [this, target] { emit failRequested(target); });
  };
  fail(failure_of(what), what.label);
  if (what.kind == CanvasItem::Kind::node && what.rack >= 0)
    fail(QStringLiteral("rack:%1").arg(what.rack), tr("Rack %1").arg(what.rack));
  if (what.kind == CanvasItem::Kind::node)
    fail(QStringLiteral("link:%1").arg(what.id), tr("Network of %1").arg(what.label));
  menu->addSeparator();
  if (what.count > 1)
    menu->addAction(tr("Expand"), this, [this, id = what.id] { toggleFold(id); });
  if (!what.folds.isEmpty())
    menu->addAction(tr("Collapse into %1").arg(what.folds.section(QLatin1Char(':'), -1)), this,
                    [this, id = what.folds] { toggleFold(id); });
  menu->addAction(tr("Remove from the scenario"), this, [this, id = what.id] {
    clearSelection();
    if (TopologyItem* drawn = items_.value(id); drawn != nullptr)
      drawn->setSelected(true);
    removeSelected();
  });
  menu->popup(global);
}

bool TopologyScene::addPart(const QString& part, const QPointF& where)
{
  const auto free_name = [&](const QString& base, const QStringList& taken) {
    QString name = base;
    for (int i = 2; taken.contains(name); ++i)
      name = QStringLiteral("%1%2").arg(base).arg(i);
    return name;
  };
  if (part.startsWith(QLatin1String("template:"))) {
    static const QHash<QString, QString> networks{
        {QStringLiteral("star"), QStringLiteral("{topology: star, link: 25GbE}")},
        {QStringLiteral("leaf_spine"),
         QStringLiteral("{topology: leaf_spine, link: 100GbE, leaf_ports: 16, oversubscription: 2}")},
        {QStringLiteral("fat_tree"), QStringLiteral("{topology: fat_tree, link: 100GbE}")},
        {QStringLiteral("torus"), QStringLiteral("{topology: torus, link: 100GbE}")},
        {QStringLiteral("dragonfly"), QStringLiteral("{topology: dragonfly, link: 100GbE}")},
        {QStringLiteral("rail"), QStringLiteral("{topology: rail, link: 100GbE}")}};
    const QString name = part.mid(9);
    return networks.contains(name) && document_.setValue(QStringLiteral("cluster.network"), networks.value(name),
                                                         tr("Use a %1 network").arg(name));
  }
  if (part == QLatin1String("switch")) {
    if (document_.value(QStringLiteral("cluster.network.topology")) != QLatin1String("graph")) {
      emit refused(tr("This network layout places its switches itself. To draw your own, set topology to graph in the "
                      "network's properties."));
      return false;
    }
    QStringList taken;
    if (const DocumentNode* list = find_path(document_.tree().root, "cluster.network.switches"); list != nullptr)
      for (const DocumentNode& item : list->items)
        taken << QString::fromStdString(item.text);
    const QString name = free_name(QStringLiteral("switch-%1").arg(taken.size()), taken);
    document_.undoStack()->beginMacro(tr("Add %1").arg(name));
    document_.undoStack()->push(new MoveStep{document_, {{name, std::nullopt, where}}, {}});
    const bool added = document_.appendItem(QStringLiteral("cluster.network.switches"), name, tr("Add %1").arg(name));
    document_.undoStack()->endMacro();
    return added;
  }
  const bool gpus = part == QLatin1String("gpu_nodes");
  if (!gpus && part != QLatin1String("cpu_nodes"))
    return false;
  QStringList groups;
  if (const DocumentNode* list = find_path(document_.tree().root, "cluster.nodes"); list != nullptr)
    for (const DocumentNode& item : list->items)
      if (const DocumentNode* name = item.find("name"); name != nullptr)
        groups << QString::fromStdString(name->text);
  QString type;
  QStringList types;
  if (const DocumentNode* map = find_path(document_.tree().root, "cluster.node_types"); map != nullptr)
    for (const DocumentNode::Entry& entry : map->entries) {
      types << QString::fromStdString(entry.key);
      const DocumentNode* gpu = entry.value.find("gpu");
      if (type.isEmpty() && (gpu != nullptr) == gpus)
        type = QString::fromStdString(entry.key);
    }
  document_.undoStack()->beginMacro(gpus ? tr("Add GPU machines") : tr("Add machines without GPU"));
  bool good = true;
  if (type.isEmpty()) {
    type = free_name(gpus ? QStringLiteral("gpu_node") : QStringLiteral("cpu_node"), types);
    good = document_.setValue(QStringLiteral("cluster.node_types.") + type,
                              gpus ? QStringLiteral("{gpu: V100-SXM2-16GB, gpus: 8}") : QStringLiteral("{}"),
                              tr("Add a machine type"));
  }
  const QString name = free_name(gpus ? QStringLiteral("worker") : QStringLiteral("server"), groups);
  document_.undoStack()->push(new MoveStep{document_, {{name, std::nullopt, where}}, {}});
  good = good &&
         document_.appendItem(QStringLiteral("cluster.nodes"),
                              QStringLiteral("{name: %1, type: %2, count: 4}").arg(name, type), tr("Add %1").arg(name));
  document_.undoStack()->endMacro();
  return good;
}

void TopologyScene::removeSelected()
{
  document_.settle();
  QStringList paths;
  QHash<QString, int> fewer; // machines that a group loses; machines of a group are equal, so only their number shrinks
  for (QGraphicsItem* drawn : selectedItems()) {
    if (drawn->type() == TopologyItem::Type) {
      const CanvasItem& item = static_cast<TopologyItem*>(drawn)->item();
      if (item.kind == CanvasItem::Kind::group || item.kind == CanvasItem::Kind::rack ||
          item.kind == CanvasItem::Kind::node) {
        fewer[item.path] += item.count;
      } else if (const DocumentNode* list = find_path(document_.tree().root, "cluster.network.switches");
                 list != nullptr) {
        for (std::size_t i = 0; i < list->items.size(); ++i)
          if (QString::fromStdString(list->items[i].text) == item.id)
            paths << QStringLiteral("cluster.network.switches.%1").arg(i);
      }
    } else if (drawn->type() == TopologyLink::Type) {
      const QString path = static_cast<TopologyLink*>(drawn)->link().path;
      if (path.contains(QLatin1String(".wires.")))
        paths << path;
    }
  }
  QHash<QString, int> left;
  for (auto it = fewer.constBegin(); it != fewer.constEnd(); ++it) {
    const QString count = document_.value(it.key() + QStringLiteral(".count"));
    if (const int now = (count.isEmpty() ? 1 : count.toInt()) - it.value(); now > 0)
      left[it.key()] = now;
    else
      paths << it.key();
  }
  paths.removeDuplicates();
  if (paths.isEmpty() && left.isEmpty())
    return emit refused(
        tr("Nothing selected that can be removed; the links and switches of a layout cannot be removed one by one"));
  std::sort(paths.begin(), paths.end(), [](const QString& a, const QString& b) {
    const auto number = [](const QString& path) { return path.section(QLatin1Char('.'), -1).toInt(); };
    return std::pair{a.section(QLatin1Char('.'), 0, -2), number(a)} >
           std::pair{b.section(QLatin1Char('.'), 0, -2), number(b)};
  });
  document_.undoStack()->beginMacro(tr("Remove %n items", nullptr, static_cast<int>(selectedItems().size())));
  for (auto it = left.constBegin(); it != left.constEnd(); ++it)
    document_.setValue(it.key() + QStringLiteral(".count"), QString::number(it.value()), tr("Remove"));
  for (const QString& path : paths)
    document_.remove(path, tr("Remove"));
  document_.undoStack()->endMacro();
}

void TopologyScene::join(const QString& from, const QString& to)
{
  if (document_.value(QStringLiteral("cluster.network.topology")) != QLatin1String("graph"))
    return emit refused(
        tr("Links can be drawn only in a free network. Set topology to graph in the network's properties."));
  document_.appendItem(QStringLiteral("cluster.network.wires"), QStringLiteral("{from: %1, to: %2}").arg(from, to),
                       tr("Connect %1 and %2").arg(from, to));
}

TopologyItem* TopologyScene::itemAtPoint(const QPointF& at) const
{
  for (QGraphicsItem* item : items(at))
    if (item->type() == TopologyItem::Type)
      return static_cast<TopologyItem*>(item);
  return nullptr;
}

void TopologyScene::mousePressEvent(QGraphicsSceneMouseEvent* event)
{
  if (!link_mode_ || event->button() != Qt::LeftButton)
    return QGraphicsScene::mousePressEvent(event);
  link_from_ = itemAtPoint(event->scenePos());
  if (link_from_ != nullptr) {
    rubber_ =
        addLine({link_from_->pos(), event->scenePos()}, QPen{palette().color(QPalette::Highlight), 2, Qt::DashLine});
    rubber_->setZValue(2);
  }
}

void TopologyScene::mouseMoveEvent(QGraphicsSceneMouseEvent* event)
{
  if (rubber_ != nullptr)
    rubber_->setLine({link_from_->pos(), event->scenePos()});
  else
    QGraphicsScene::mouseMoveEvent(event);
}

void TopologyScene::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
  if (rubber_ == nullptr)
    return QGraphicsScene::mouseReleaseEvent(event);
  removeItem(rubber_);
  delete rubber_;
  rubber_ = nullptr;
  const QString from = link_from_->item().id;
  link_from_ = nullptr;
  if (const TopologyItem* to = itemAtPoint(event->scenePos()); to != nullptr && to->item().id != from)
    join(from, to->item().id);
}

void TopologyScene::drawBackground(QPainter* painter, const QRectF& area)
{
  painter->fillRect(area, palette().color(QPalette::AlternateBase));
  if (model_.items.isEmpty()) {
    painter->setPen(palette().color(QPalette::PlaceholderText));
    painter->drawText(sceneRect(), Qt::AlignCenter, tr("Drag machines from the palette, or add them in the text"));
  }
}

} // namespace trainyard::gui
