// SPDX-License-Identifier: Apache-2.0
// What is done on the canvas changes the text: parts are added, moved, joined and removed as steps of its undo stack.
#include "gui/canvas/topology_scene.hpp"

#include "gui/canvas/canvas_model.hpp"
#include "gui/document/scenario_document.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
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
  /// @p merge: moves of the same number that follow each other are one step; below 0: never.
  MoveStep(ScenarioDocument& document, QVector<Move> moves, const QString& label, int merge = -1)
      : QUndoCommand{label}, document_{document}, moves_{std::move(moves)}, merge_{merge}
  {
  }
  int id() const override { return merge_; }
  bool mergeWith(const QUndoCommand* next) override
  {
    const auto& other = static_cast<const MoveStep&>(*next);
    if (!std::equal(moves_.begin(), moves_.end(), other.moves_.begin(), other.moves_.end(),
                    [](const Move& a, const Move& b) { return a.id == b.id; }))
      return false;
    for (int i = 0; i < moves_.size(); ++i)
      moves_[i].to = other.moves_[i].to;
    return true;
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
  int merge_;
};

void TopologyScene::layOut()
{
  QVector<MoveStep::Move> moves;
  for (const CanvasItem& item : std::as_const(model_.items))
    if (const auto kept = places_.constFind(item.id); kept != places_.constEnd())
      moves.push_back({item.id, kept.value(), std::nullopt});
  if (!moves.isEmpty())
    document_.undoStack()->push(new MoveStep{document_, moves, tr("Lay out")});
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
  emit itemsMoved();
}

namespace {

constexpr int nudge_steps = 1701; // of the undo stack: steps of arrow keys that are one

} // namespace

QVector<TopologyItem*> TopologyScene::selectedParts() const
{
  QVector<TopologyItem*> parts;
  for (QGraphicsItem* selected : selectedItems())
    if (selected->type() == TopologyItem::Type)
      parts.push_back(static_cast<TopologyItem*>(selected));
  std::sort(parts.begin(), parts.end(), [](const TopologyItem* a, const TopologyItem* b) {
    return std::tuple{a->x(), a->y(), a->item().id} < std::tuple{b->x(), b->y(), b->item().id};
  });
  return parts;
}

void TopologyScene::align(Alignment how)
{
  QVector<TopologyItem*> parts = selectedParts();
  if (parts.size() < 2)
    return emit refused(tr("Select two or more items to align them"));
  const auto number = static_cast<double>(parts.size());
  QPointF middle;
  for (const TopologyItem* part : std::as_const(parts))
    middle += part->pos() / number;
  const QPointF first = parts.front()->pos();
  const QPointF step = (parts.back()->pos() - first) / (number - 1);
  QVector<MoveStep::Move> moves;
  for (int i = 0; i < parts.size(); ++i) {
    const QPointF from = parts[i]->pos();
    const QPointF to = how == Alignment::row      ? QPointF{from.x(), middle.y()}
                       : how == Alignment::column ? QPointF{middle.x(), from.y()}
                                                  : first + step * i;
    const QString& id = parts[i]->item().id;
    moves.push_back({id, places_.contains(id) ? std::optional{from} : std::nullopt, to});
  }
  document_.undoStack()->push(new MoveStep{document_, moves, tr("Align %n items", nullptr, static_cast<int>(number))});
  emit itemsMoved();
}

void TopologyScene::nudge(const QPointF& by)
{
  QVector<MoveStep::Move> moves;
  for (const TopologyItem* part : selectedParts()) {
    const QString& id = part->item().id;
    moves.push_back({id, places_.contains(id) ? std::optional{part->pos()} : std::nullopt, part->pos() + by});
  }
  std::sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (moves.isEmpty())
    return;
  document_.undoStack()->push(
      new MoveStep{document_, moves, tr("Move %n items", nullptr, static_cast<int>(moves.size())), nudge_steps});
  emit itemsMoved();
}

bool TopologyScene::addPart(const QString& part, const QPointF& where)
{
  if (part == QLatin1String("switch"))
    return addSwitch(where);
  if (part == QLatin1String("gpu_nodes") || part == QLatin1String("cpu_nodes"))
    return addMachines(part == QLatin1String("gpu_nodes"), where);
  static const QHash<QString, QString> networks{
      {QStringLiteral("star"), QStringLiteral("{topology: star, link: 25GbE}")},
      {QStringLiteral("leaf_spine"),
       QStringLiteral("{topology: leaf_spine, link: 100GbE, leaf_ports: 16, oversubscription: 2}")},
      {QStringLiteral("fat_tree"), QStringLiteral("{topology: fat_tree, link: 100GbE}")},
      {QStringLiteral("torus"), QStringLiteral("{topology: torus, link: 100GbE}")},
      {QStringLiteral("dragonfly"), QStringLiteral("{topology: dragonfly, link: 100GbE}")},
      {QStringLiteral("rail"), QStringLiteral("{topology: rail, link: 100GbE}")}};
  const QString name = part.startsWith(QLatin1String("template:")) ? part.mid(9) : QString{};
  if (!networks.contains(name))
    return false;
  // What is given stays: simrun check says which keys have no effect there. A network drawn by hand has other keys.
  const QString path = QStringLiteral("cluster.network"),
                topology = document_.value(path + QStringLiteral(".topology"));
  const DocumentNode* network = find_path(document_.tree().root, path.toStdString());
  const bool keeps = network != nullptr && !network->entries.empty() && topology != QLatin1String("graph");
  return document_.setValue(keeps ? path + QStringLiteral(".topology") : path, keeps ? name : networks.value(name),
                            tr("Use a %1 network").arg(name));
}

bool TopologyScene::addSwitch(const QPointF& where)
{
  if (document_.value(QStringLiteral("cluster.network.topology")) != QLatin1String("graph")) {
    emit refused(tr("This network layout places its switches itself. To draw your own, set topology to graph in the "
                    "network's properties."));
    return false;
  }
  const QStringList taken = names_at(document_, "cluster.network.switches");
  const QString name = free_name(QStringLiteral("switch-%1").arg(taken.size()), taken);
  return addAt({{name, where}}, tr("Add %1").arg(name), [&](const std::string& text) {
    return applied(text, append_item_edit(text, "cluster.network.switches", name.toStdString()));
  });
}

bool TopologyScene::addAt(const QVector<QPair<QString, QPointF>>& places, const QString& label, const Change& change)
{
  if (!document_.allows(change)) // a refused part leaves no step behind
    return false;
  document_.undoStack()->beginMacro(label);
  QVector<MoveStep::Move> moves;
  for (const auto& [name, where] : places)
    moves.push_back({name, std::nullopt, where});
  document_.undoStack()->push(new MoveStep{document_, moves, {}});
  document_.edit(change, label);
  document_.undoStack()->endMacro();
  return true;
}

bool TopologyScene::addMachines(bool gpus, const QPointF& where)
{
  QString type;
  if (const DocumentNode* map = find_path(document_.tree().root, "cluster.node_types"); map != nullptr)
    for (const DocumentNode::Entry& entry : map->entries)
      if (type.isEmpty() && (entry.value.find("gpu") != nullptr) == gpus)
        type = QString::fromStdString(entry.key);
  const bool new_type = type.isEmpty();
  if (new_type)
    type = free_name(gpus ? QStringLiteral("gpu_node") : QStringLiteral("cpu_node"),
                     names_at(document_, "cluster.node_types"));
  const QString name =
      free_name(gpus ? QStringLiteral("worker") : QStringLiteral("server"), names_at(document_, "cluster.nodes"));
  const QString group = QStringLiteral("{name: %1, type: %2, count: 4}").arg(name, type);
  return addAt({{name, where}}, gpus ? tr("Add GPU machines") : tr("Add machines without GPU"),
               [&](const std::string& text) {
                 std::string whole = text;
                 if (new_type)
                   whole = applied(whole, set_value_edit(whole, "cluster.node_types." + type.toStdString(),
                                                         gpus ? "{gpu: V100-SXM2-16GB, gpus: 8}" : "{}"));
                 return applied(whole, append_item_edit(whole, "cluster.nodes", group.toStdString()));
               });
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

} // namespace trainyard::gui
