// SPDX-License-Identifier: Apache-2.0
// Copies of parts of the canvas, and what the keyboard does there: next item, links.
#include "gui/canvas/canvas_model.hpp"
#include "gui/canvas/topology_scene.hpp"
#include "gui/document/scenario_document.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QApplication>
#include <QClipboard>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMimeData>

#include <cmath>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr const char* parts_mime = "application/x-trainyard-parts";

QString scalar_text(const DocumentNode* node)
{
  return node == nullptr ? QString{} : QString::fromStdString(node->text);
}

/// Wires of a free network between items that are all in @p ids.
QJsonArray wires_between(const Document& document, const QSet<QString>& ids)
{
  QJsonArray wires;
  const DocumentNode* list = find_path(document.root, "cluster.network.wires");
  if (list == nullptr)
    return wires;
  for (const DocumentNode& wire : list->items)
    if (ids.contains(scalar_text(wire.find("from"))) && ids.contains(scalar_text(wire.find("to"))))
      wires.push_back(QString::fromStdString(to_flow_yaml(wire)));
  return wires;
}

/// A map of the text with other texts at some keys.
std::string with_values(const std::string& flow, const QHash<QString, QString>& values)
{
  Diagnostics diagnostics;
  Document document = parse_document(flow, {}, diagnostics);
  for (auto it = values.constBegin(); it != values.constEnd(); ++it)
    set_path(document, it.key().toStdString(), it.value().toStdString());
  return to_flow_yaml(document.root);
}

} // namespace

QByteArray TopologyScene::selectedAsText() const
{
  struct Copied {
    int count = 0;
    QPointF place;
    QStringList machines; // drawn one by one
  };
  QHash<QString, Copied> groups; // by path
  QJsonArray switches;
  QSet<QString> ids;
  for (const TopologyItem* part : selectedParts()) {
    const CanvasItem& item = part->item();
    if (item.kind == CanvasItem::Kind::network_switch) {
      switches.push_back(QJsonObject{
          {QStringLiteral("name"), item.id}, {QStringLiteral("x"), part->x()}, {QStringLiteral("y"), part->y()}});
    } else if (item.kind != CanvasItem::Kind::tier) {
      Copied& group = groups[item.path];
      if (group.count == 0)
        group.place = part->pos();
      group.count += item.count;
      if (item.kind == CanvasItem::Kind::node)
        group.machines << item.id;
    }
    ids.insert(item.id);
  }
  QJsonArray nodes;
  for (auto it = groups.constBegin(); it != groups.constEnd(); ++it)
    if (const DocumentNode* node = find_path(document_.tree().root, it.key().toStdString()); node != nullptr)
      nodes.push_back(QJsonObject{{QStringLiteral("text"), QString::fromStdString(to_flow_yaml(*node))},
                                  {QStringLiteral("name"), scalar_text(node->find("name"))},
                                  {QStringLiteral("count"), it->count},
                                  {QStringLiteral("machines"), QJsonArray::fromStringList(it->machines)},
                                  {QStringLiteral("x"), it->place.x()},
                                  {QStringLiteral("y"), it->place.y()}});
  if (nodes.isEmpty() && switches.isEmpty())
    return {};
  return QJsonDocument{QJsonObject{{QStringLiteral("nodes"), nodes},
                                   {QStringLiteral("switches"), switches},
                                   {QStringLiteral("wires"), wires_between(document_.tree(), ids)}}}
      .toJson();
}

void TopologyScene::copySelected()
{
  const QByteArray text = selectedAsText();
  if (text.isEmpty())
    return emit refused(tr("Nothing selected that can be copied; the links and switches of a layout belong to it"));
  QStringList names;
  for (const TopologyItem* part : selectedParts())
    names << part->item().label;
  auto* data = new QMimeData;
  data->setData(QLatin1String(parts_mime), text);
  data->setText(names.join(QLatin1Char('\n')));
  QApplication::clipboard()->setMimeData(data);
  emit told(tr("Copied: %1").arg(names.join(QStringLiteral(", "))));
}

void TopologyScene::paste()
{
  const QMimeData* data = QApplication::clipboard()->mimeData();
  if (data == nullptr || !data->hasFormat(QLatin1String(parts_mime)))
    return emit refused(tr("There is no part of a canvas on the clipboard"));
  pasteText(data->data(QLatin1String(parts_mime)), tr("Paste"));
}

void TopologyScene::duplicateSelected()
{
  const QByteArray text = selectedAsText();
  if (text.isEmpty())
    return emit refused(tr("Nothing selected that can be copied; the links and switches of a layout belong to it"));
  pasteText(text, tr("Duplicate"));
}

void TopologyScene::pasteText(const QByteArray& text, const QString& label)
{
  constexpr QPointF beside{60, 60};
  document_.settle();
  const QJsonObject parts = QJsonDocument::fromJson(text).object();
  const bool free_network = document_.value(QStringLiteral("cluster.network.topology")) == QLatin1String("graph");
  QVector<QPair<QString, QPointF>> places;
  QVector<QPair<QString, std::string>> items; // list and what is added to it
  QHash<QString, QString> renamed;            // machines and switches
  QStringList groups = names_at(document_, "cluster.nodes");
  QStringList switches = names_at(document_, "cluster.network.switches");
  const auto place_of = [&](const QJsonObject& part) {
    return QPointF{part.value(QLatin1String("x")).toDouble(), part.value(QLatin1String("y")).toDouble()} + beside;
  };
  for (const QJsonValue& value : parts.value(QLatin1String("nodes")).toArray()) {
    const QJsonObject part = value.toObject();
    const QString name = free_name(part.value(QLatin1String("name")).toString(), groups);
    const int count = part.value(QLatin1String("count")).toInt(1);
    groups << name;
    items.push_back({QStringLiteral("cluster.nodes"),
                     with_values(part.value(QLatin1String("text")).toString().toStdString(),
                                 {{QStringLiteral("name"), QString::fromStdString(yaml_scalar(name.toStdString()))},
                                  {QStringLiteral("count"), QString::number(count)}})});
    places.push_back({name, place_of(part)});
    const QJsonArray machines = part.value(QLatin1String("machines")).toArray();
    for (int i = 0; i < machines.size(); ++i)
      renamed[machines[i].toString()] = QStringLiteral("%1-%2").arg(name).arg(i);
    for (int i = 0; i < machines.size(); ++i) // drawn one by one, they stand where theirs did
      if (const TopologyItem* item = items_.value(machines[i].toString()); item != nullptr)
        places.push_back({renamed.value(machines[i].toString()), item->pos() + beside});
  }
  for (const QJsonValue& value : parts.value(QLatin1String("switches")).toArray()) {
    if (!free_network)
      break; // the layout has its own
    const QString old = value.toObject().value(QLatin1String("name")).toString();
    const QString name = renamed[old] = free_name(old, switches);
    switches << name;
    items.push_back({QStringLiteral("cluster.network.switches"), yaml_scalar(name.toStdString())});
    places.push_back({name, place_of(value.toObject())});
  }
  for (const QJsonValue& value : parts.value(QLatin1String("wires")).toArray()) {
    Diagnostics diagnostics;
    const std::string wire = value.toString().toStdString();
    const Document read = parse_document(wire, {}, diagnostics);
    const QString from = renamed.value(scalar_text(read.root.find("from")));
    const QString to = renamed.value(scalar_text(read.root.find("to")));
    if (free_network && !from.isEmpty() && !to.isEmpty())
      items.push_back({QStringLiteral("cluster.network.wires"),
                       with_values(wire, {{QStringLiteral("from"), from}, {QStringLiteral("to"), to}})});
  }
  const bool added = addAt(places, label, [&](const std::string& before) {
    std::string whole = before;
    for (const auto& [list, item] : items)
      whole = applied(whole, append_item_edit(whole, list.toStdString(), item));
    return whole;
  });
  if (!added)
    return;
  clearSelection(); // the copies are selected, to be moved or copied again
  for (const auto& [name, where] : places)
    if (TopologyItem* item = items_.value(name); item != nullptr)
      item->setSelected(true);
}

void TopologyScene::selectNext(const QPointF& direction)
{
  const QVector<TopologyItem*> parts = selectedParts();
  TopologyItem* best = nullptr;
  double least = 0;
  for (TopologyItem* item : std::as_const(items_)) {
    if (parts.contains(item))
      continue;
    const QPointF way = parts.isEmpty() ? item->pos() - sceneRect().topLeft() : item->pos() - parts.front()->pos();
    const double ahead = parts.isEmpty() ? 1 : QPointF::dotProduct(way, direction);
    if (ahead <= 0)
      continue;
    // Straight ahead counts less than aside: the nearest in this direction, as eyes see it.
    const double aside = parts.isEmpty() ? 0 : std::fabs(way.x() * direction.y() - way.y() * direction.x());
    const double distance = parts.isEmpty() ? std::hypot(way.x(), way.y()) : ahead + 3 * aside;
    if (best == nullptr || distance < least) {
      best = item;
      least = distance;
    }
  }
  if (best == nullptr)
    return;
  clearSelection();
  best->setSelected(true);
  for (QGraphicsView* view : views())
    view->ensureVisible(best, 20, 20);
}

void TopologyScene::linkSelected()
{
  const QVector<TopologyItem*> parts = selectedParts();
  if (parts.size() == 2)
    return join(parts[0]->item().id, parts[1]->item().id);
  if (parts.size() != 1)
    return emit refused(tr("Select one item to begin a link, or two to join them"));
  const QString id = parts.front()->item().id;
  if (link_begin_.isEmpty() || link_begin_ == id) {
    link_begin_ = id;
    return emit told(tr("Link from %1: go to the other end and press L; Esc gives up").arg(id));
  }
  join(std::exchange(link_begin_, {}), id);
}

void TopologyScene::cancelLink()
{
  if (!std::exchange(link_begin_, {}).isEmpty())
    emit told(tr("No link was drawn"));
}

} // namespace trainyard::gui
