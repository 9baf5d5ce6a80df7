// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/canvas_model.hpp"

#include "models/cluster/build.hpp"
#include "models/cluster/layout.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/registry.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"

#include <QObject>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <map>

namespace trainyard::gui {
namespace {

constexpr int always_shown = 8;   // members of a group that are not folded by themselves
constexpr int most_members = 256; // of an unfolded group

QString tier_of(const QString& name)
{
  static const QRegularExpression number{QStringLiteral("[-_]?\\d+([-_.]\\d+)*$")};
  QString tier = name;
  tier.remove(number);
  return tier.isEmpty() ? QStringLiteral("switch") : tier;
}

void lay_out(CanvasModel& model)
{
  // Rows by layer, machines lowest; within a row neighbours of the row above stand below it.
  int top = 0;
  for (const CanvasItem& item : model.items)
    top = std::max(top, item.layer);
  constexpr double dx = 170;
  constexpr double dy = 130;
  double y = 0;
  for (int layer = top; layer >= 0; --layer) {
    QVector<int> row;
    for (int i = 0; i < model.items.size(); ++i)
      if (model.items[i].layer == layer)
        row.push_back(i);
    if (row.isEmpty())
      continue;
    // Long rows are broken, so that the picture keeps the shape of a window and its words can be read.
    const int wide = row.size() <= 6
                         ? static_cast<int>(row.size())
                         : std::max(6, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(row.size()) * 2.5))));
    for (int k = 0; k < row.size(); ++k) {
      const int line = k / wide;
      const int in_line = std::min<int>(wide, static_cast<int>(row.size()) - line * wide);
      model.items[row[k]].place = {(k % wide - (in_line - 1) / 2.0) * dx, y + line * (dy * 0.75)};
    }
    y += dy + static_cast<double>((row.size() - 1) / wide) * (dy * 0.75);
  }
}

QString kind_text(const NodeTypeSpec* type)
{
  if (type == nullptr)
    return {};
  if (type->gpus == 0)
    return QObject::tr("no GPU");
  return QStringLiteral("%1 × %2").arg(type->gpus).arg(QString::fromStdString(type->gpu));
}

} // namespace

int CanvasModel::item(const QString& id) const
{
  for (int i = 0; i < items.size(); ++i)
    if (items[i].id == id)
      return i;
  return -1;
}

CanvasModel canvas_of(const Document& document, const QSet<QString>& unfolded)
{
  CanvasModel model;
  Scenario scenario;
  Cluster cluster;
  bool built = false;
  try {
    static const Catalogue catalogue = load_catalogue(data_folder());
    Diagnostics reading;
    const Parts parts{{"node_layout", parts_of(Registry<NodeLayout>::instance())},
                      {"network_layout", parts_of(Registry<NetworkLayout>::instance())},
                      {"model", parts_of(Registry<DnnSource>::instance())}};
    scenario = read_scenario(document, parts, catalogue, reading);
    Diagnostics building;
    long machines = 0;
    for (const NodeGroupSpec& group : scenario.cluster.nodes)
      machines += group.count;
    if (machines > 0 && machines <= 20'000) {
      cluster = build_cluster(scenario.cluster, catalogue.links, building);
      built = !building.has_errors();
      if (!built && !building.sorted().empty())
        model.note = QString::fromStdString(building.sorted().front().message);
    } else if (machines > 20'000) {
      model.note = QObject::tr("%1 machines: only the groups are drawn").arg(machines);
    }
  } catch (const std::exception& failure) {
    model.note = QString::fromUtf8(failure.what());
  }

  // Machines, folded by group.
  QHash<int, int> item_of_vertex;
  std::map<std::string, std::vector<int>> nodes_of_group;
  if (built)
    for (int i = 0; i < static_cast<int>(cluster.nodes().size()); ++i)
      nodes_of_group[cluster.nodes()[static_cast<std::size_t>(i)].group].push_back(i);
  for (int g = 0; g < static_cast<int>(scenario.cluster.nodes.size()); ++g) {
    const NodeGroupSpec& group = scenario.cluster.nodes[static_cast<std::size_t>(g)];
    const auto type = scenario.cluster.node_types.find(group.type);
    const NodeTypeSpec* spec = type == scenario.cluster.node_types.end() ? nullptr : &type->second;
    const QString name = QString::fromStdString(group.name);
    const QString path = QStringLiteral("cluster.nodes.%1").arg(g);
    model.machines += group.count;
    model.gpus += group.count * (spec == nullptr ? 0 : spec->gpus);
    const std::vector<int>& members = nodes_of_group[group.name];
    const auto add = [&](CanvasItem item, const std::vector<int>& stands_for) {
      for (const int i : stands_for)
        for (const VertexId nic : cluster.nodes()[static_cast<std::size_t>(i)].nics)
          item_of_vertex[nic.index] = static_cast<int>(model.items.size());
      model.items.push_back(std::move(item));
    };
    const auto add_machine = [&](int i, const QString& folds) {
      const Node& node = cluster.nodes()[static_cast<std::size_t>(i)];
      const QString label = QString::fromStdString(node.name);
      add({CanvasItem::Kind::node, label, label, kind_text(spec), path, 1, 0, node.rack, folds, {}}, {i});
    };
    std::map<int, std::vector<int>> racks;
    for (const int i : members)
      racks[cluster.nodes()[static_cast<std::size_t>(i)].rack].push_back(i);
    const bool small = group.count <= always_shown;
    const bool by_rack = !small && racks.size() > 1 && racks.size() <= most_members;
    const bool open = built && (by_rack || group.count <= most_members) &&
                      (unfolded.contains(name) || (small && !unfolded.contains(QLatin1Char('!') + name)));
    if (!open) {
      add({CanvasItem::Kind::group,
           name,
           name,
           kind_text(spec),
           path,
           group.count,
           0,
           racks.size() == 1 ? racks.begin()->first : -1,
           {},
           {}},
          members);
      continue;
    }
    for (const auto& [rack, machines] : racks) {
      const QString id = QStringLiteral("%1/rack-%2").arg(name).arg(rack);
      if (by_rack && !(unfolded.contains(id) && machines.size() <= most_members)) {
        add({CanvasItem::Kind::rack,
             id,
             QObject::tr("%1, rack %2").arg(name).arg(rack),
             kind_text(spec),
             path,
             static_cast<int>(machines.size()),
             0,
             rack,
             name,
             {}},
            machines);
        continue;
      }
      for (const int i : machines)
        add_machine(i, by_rack ? id : name);
    }
  }
  if (!built) {
    lay_out(model);
    return model;
  }

  // Switches, folded by the first part of their names.
  std::map<QString, QVector<int>> tiers;
  for (int v = 0; v < static_cast<int>(cluster.vertices().size()); ++v)
    if (cluster.vertices()[static_cast<std::size_t>(v)].kind == VertexKind::network_switch)
      tiers[tier_of(QString::fromStdString(cluster.vertices()[static_cast<std::size_t>(v)].name))].push_back(v);
  const bool free_graph = scenario.cluster.network.topology == "graph";
  for (const auto& [tier, members] : tiers) {
    const QString id = QStringLiteral("tier:") + tier;
    const bool open =
        free_graph ||
        (members.size() <= most_members &&
         (unfolded.contains(id) || (members.size() <= 2 * always_shown && !unfolded.contains(QLatin1Char('!') + id))));
    if (open) {
      for (const int v : members) {
        item_of_vertex[v] = static_cast<int>(model.items.size());
        const QString name = QString::fromStdString(cluster.vertices()[static_cast<std::size_t>(v)].name);
        model.items.push_back(
            {CanvasItem::Kind::network_switch, name, name, {}, QStringLiteral("cluster.network"), 1, 1, -1, id, {}});
      }
    } else {
      for (const int v : members)
        item_of_vertex[v] = static_cast<int>(model.items.size());
      model.items.push_back({CanvasItem::Kind::tier,
                             id,
                             tier,
                             QObject::tr("%1 switches").arg(members.size()),
                             QStringLiteral("cluster.network"),
                             static_cast<int>(members.size()),
                             1,
                             -1,
                             {},
                             {}});
    }
  }

  // Links between different items.
  std::map<std::pair<int, int>, int> known;
  for (const Link& link : cluster.links()) {
    const auto from = item_of_vertex.constFind(link.from.index);
    const auto to = item_of_vertex.constFind(link.to.index);
    if (from == item_of_vertex.constEnd() || to == item_of_vertex.constEnd() || from.value() == to.value())
      continue;
    const std::pair<int, int> ends = std::minmax(from.value(), to.value());
    auto found = known.find(ends);
    if (found == known.end()) {
      found = known.emplace(ends, static_cast<int>(model.links.size())).first;
      model.links.push_back({ends.first, ends.second, 0, 0, QStringLiteral("cluster.network"), {}});
    }
    CanvasLink& bundle = model.links[found->second];
    if (from.value() == ends.first) {
      bundle.count += link.width;
      bundle.bandwidth += link.bandwidth.value();
    }
    if (bundle.names.size() < 4096)
      bundle.names << QString::fromStdString(link.name);
  }
  if (free_graph)
    for (CanvasLink& link : model.links)
      for (std::size_t w = 0; w < scenario.cluster.network.wires.size(); ++w) {
        const auto base = [](const std::string& end) {
          return QString::fromStdString(end).section(QLatin1Char('/'), 0, 0);
        };
        const QString a = base(scenario.cluster.network.wires[w].from);
        const QString b = base(scenario.cluster.network.wires[w].to);
        const QString& x = model.items[link.from].id;
        const QString& y = model.items[link.to].id;
        if ((a == x && b == y) || (a == y && b == x))
          link.path = QStringLiteral("cluster.network.wires.%1").arg(w);
      }

  // Layers: how many hops a switch is away from the nearest machine.
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(model.items.size()));
  for (const CanvasLink& link : model.links) {
    neighbours[static_cast<std::size_t>(link.from)].push_back(link.to);
    neighbours[static_cast<std::size_t>(link.to)].push_back(link.from);
  }
  std::deque<int> open;
  std::vector<int> distance(static_cast<std::size_t>(model.items.size()), -1);
  for (int i = 0; i < model.items.size(); ++i)
    if (model.items[i].layer == 0) {
      distance[static_cast<std::size_t>(i)] = 0;
      open.push_back(i);
    }
  while (!open.empty()) {
    const int at = open.front();
    open.pop_front();
    for (const int next : neighbours[static_cast<std::size_t>(at)])
      if (distance[static_cast<std::size_t>(next)] < 0) {
        distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(at)] + 1;
        open.push_back(next);
      }
  }
  for (int i = 0; i < model.items.size(); ++i)
    if (model.items[i].layer != 0)
      model.items[i].layer = std::max(1, distance[static_cast<std::size_t>(i)]);
  lay_out(model);
  return model;
}

} // namespace trainyard::gui
