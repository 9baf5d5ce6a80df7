// SPDX-License-Identifier: Apache-2.0
// Where the items of a canvas were put by hand, and what is unfolded: kept in a file of its own for each scenario.
#include "gui/canvas/topology_scene.hpp"

#include "gui/core/places.hpp"
#include "gui/document/scenario_document.hpp"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace trainyard::gui {

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
