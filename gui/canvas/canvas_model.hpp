// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QPointF>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QVector>

#include "models/scenario/document.hpp"

namespace trainyard::gui {

/// Something on the canvas: a group of machines, a rack of one, one machine, a switch, or a folded row of switches.
struct CanvasItem {
  enum class Kind { group, rack, node, network_switch, tier };
  Kind kind = Kind::group;
  QString id; // stable: the group's, machine's, switch's or tier's name, "worker/rack-3"
  QString label;
  QString detail; // "8 × V100-SXM2-16GB"
  QString path;   // of the scenario: "cluster.nodes.0", "cluster.network"
  int count = 1;  // machines or switches it stands for
  int layer = 0;  // 0: machines; switches above
  int rack = -1;  // of a rack or machine; -1: several, or none
  QString folds;  // what folds it away: the group or rack it was unfolded from
  QPointF place;  // by the automatic layout
  bool operator==(const CanvasItem&) const = default;
};

/// Links between two items; folded items bundle many.
struct CanvasLink {
  int from = 0;
  int to = 0;
  int count = 1;
  double bandwidth = 0;   // B/s, one direction, all together
  QString path;           // of the wire in a free graph; else the network's
  QStringList names;      // of the directed links, as in links.csv; at most 4096
  QVector<QPointF> via{}; // corners between the places of the automatic layout
  bool operator==(const CanvasLink&) const = default;
};

struct CanvasModel {
  QVector<CanvasItem> items;
  QVector<CanvasLink> links;
  QString note; // why there is less to see than the text says
  int machines = 0;
  int gpus = 0;
  int item(const QString& id) const;
};

/// Members of an unfolded group.
inline constexpr int most_members = 256;

/// What the canvas shows of a scenario; groups and tiers in @p unfolded appear as their members (up to 256 of them),
/// small ones always do. Groups of many machines in several racks unfold into racks, and those into machines.
///
/// The network is the real one: it is built as simrun builds it, then folded. Where it cannot be built only the groups
/// are shown, with a note.
CanvasModel canvas_of(const Document& document, const QSet<QString>& unfolded);

class ScenarioDocument;

/// The keys of a map, or the items of a list; of items that are maps, their names.
QStringList names_at(const ScenarioDocument& document, const char* path);
/// A name of a part of something for a narrow place: "0/rail-3" of "unit-0/rail-3".
QString short_name(const QString& name);
/// The name, or with the first number from 2 on that makes it a new one.
QString free_name(const QString& base, const QStringList& taken);

} // namespace trainyard::gui
