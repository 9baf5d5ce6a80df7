// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/topology_scene.hpp"

#include "gui/core/places.hpp"
#include "gui/document/faults_model.hpp"
#include "gui/document/scenario_document.hpp"

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

#include <memory>
#include <mutex>
#include <utility>

namespace trainyard::gui {

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
  connect(&document_, &ScenarioDocument::opened, this, [this] {
    opening_ = true;
    drawn_.reset();
    places_for_.clear(); // an unsaved text has no file of places, and those of the one before are not its own
    places_.clear();
    unfolded_.clear();
  });
  setItemIndexMethod(QGraphicsScene::BspTreeIndex);
  connect(&document_, &ScenarioDocument::treeChanged, this, &TopologyScene::rebuild);
  connect(&document_, &ScenarioDocument::placeChanged, this, &TopologyScene::place);
  connect(&document_, &ScenarioDocument::placeForgotten, this, &TopologyScene::forgetPlace);
  connect(this, &QGraphicsScene::selectionChanged, this, &TopologyScene::selectionMoved);
  rebuild();
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
  QHash<QString, QString> selected;              // their places in the text
  for (QGraphicsItem* item : selectedItems())
    if (item->type() == TopologyItem::Type)
      selected.insert(static_cast<TopologyItem*>(item)->item().id, static_cast<TopologyItem*>(item)->item().path);
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
    auto* drawn = new TopologyItem{item, *this};
    if (const auto kept = places_.constFind(item.id); kept != places_.constEnd()) {
      item.place = kept.value();
      drawn->setPos(item.place);
    }
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
  for (auto [id, path] : selected.asKeyValueRange()) {
    TopologyItem* item = items_.value(id);
    for (const CanvasItem& other : std::as_const(model_.items)) // it was folded into its group, or unfolded from it
      if (item == nullptr && other.path == path && !path.isEmpty())
        item = items_.value(other.id);
    if (item != nullptr)
      item->setSelected(true);
  }
  setSceneRect(itemsBoundingRect().adjusted(-200, -150, 200, 150));
  markFaults();
  rebuilding_ = false;
  selectionMoved(); // what was selected may be gone, or stand elsewhere in the text
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
  if (const int at = model_.item(id); shown_folded && at >= 0 && model_.items[at].count > 1)
    emit refused(tr("%1 stands for %2; at most %3 are drawn one by one. Give the machines racks (per_rack) to unfold "
                    "them rack by rack.")
                     .arg(id)
                     .arg(model_.items[at].count)
                     .arg(most_members));
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
                                  : tr("%1: %2 % of its bandwidth used, the most of %3 links")
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

void TopologyScene::itemMoved(const TopologyItem& item)
{
  if (rebuilding_)
    return;
  for (TopologyLink* link : links_of_.value(item.item().id))
    link->follow();
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

void TopologyScene::selectOnly(const QString& id)
{
  clearSelection();
  if (TopologyItem* drawn = items_.value(id); drawn != nullptr)
    drawn->setSelected(true);
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
  menu->addAction(tr("Duplicate"), this, [this, id = what.id] {
    selectOnly(id);
    duplicateSelected();
  });
  menu->addAction(tr("Link from here"), this, [this, id = what.id] {
    selectOnly(id);
    linkSelected();
  });
  if (what.count > 1)
    menu->addAction(tr("Expand"), this, [this, id = what.id] { toggleFold(id); });
  if (!what.folds.isEmpty())
    menu->addAction(tr("Collapse into %1").arg(what.folds.section(QLatin1Char(':'), -1)), this,
                    [this, id = what.folds] { toggleFold(id); });
  menu->addAction(tr("Remove from the scenario"), this, [this, id = what.id] {
    selectOnly(id);
    removeSelected();
  });
  menu->popup(global);
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
  event->accept(); // else the view starts to select
  clearSelection();
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
    painter->drawText(sceneRect(), Qt::AlignCenter | Qt::TextWordWrap,
                      tr("Drag machines from the palette, or add them in the text"));
  }
}

// Where the items of a canvas were put by hand, and what is unfolded: kept in a file of its own for each scenario.
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

} // namespace trainyard::gui
