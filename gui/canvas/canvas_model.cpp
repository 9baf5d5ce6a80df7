// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/canvas_model.hpp"

#include "gui/document/scenario_document.hpp"
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

constexpr int always_shown = 8;       // members of a group that are not folded by themselves
constexpr int always_shown_free = 32; // the same in a free network, where each is linked by hand

QString tier_of(const QString& name)
{
  static const QRegularExpression number{QStringLiteral("[-_]?\\d+([-_.]\\d+)*$")};
  QString tier = name;
  tier.remove(number);
  return tier.isEmpty() ? QStringLiteral("switch") : tier;
}

/// Where the layout has put an item: rows by layer, long ones broken into lines.
struct Spot {
  int line = 0;    // of its layer, from 0
  int lines = 1;   // of its layer
  double left = 0; // x of the gap beside its column
};

constexpr double column_width = 180; // of whole grid steps, as half of it
constexpr double layer_height = 130;
constexpr double line_height = 100;

/// Links never run behind boxes: past other lines of a layer they go down in the gap beside a column.
void route(CanvasModel& model, const QVector<Spot>& spots)
{
  for (CanvasLink& link : model.links) {
    const bool up = model.items[link.from].layer > model.items[link.to].layer;
    const int upper = up ? link.from : link.to;
    const int lower = up ? link.to : link.from;
    if (model.items[upper].layer == model.items[lower].layer)
      continue;
    constexpr double clear = line_height / 2 - 6; // from the middle of a line to the gap below it
    QVector<QPointF> way{model.items[upper].place + QPointF{0, clear}};
    if (const Spot& spot = spots[upper]; spot.line + 1 < spot.lines) {
      const QPointF& at = model.items[upper].place;
      way << QPointF{spot.left, at.y() + clear}
          << QPointF{spot.left, at.y() + (spot.lines - 1 - spot.line) * line_height + clear};
    }
    if (const Spot& spot = spots[lower]; spot.line > 0) {
      const QPointF& at = model.items[lower].place;
      const double lane = spot.left + 4.0 * (spot.line - 1);
      way << QPointF{lane, at.y() - spot.line * line_height - clear} << QPointF{lane, at.y() - clear};
    }
    way << model.items[lower].place - QPointF{0, clear};
    if (upper == link.to)
      std::reverse(way.begin(), way.end());
    link.via = way;
  }
}

void lay_out(CanvasModel& model)
{
  int top = 0;
  for (const CanvasItem& item : model.items)
    top = std::max(top, item.layer);
  QVector<Spot> spots(model.items.size());
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
    const int lines = static_cast<int>((row.size() - 1) / wide) + 1;
    for (int k = 0; k < row.size(); ++k) {
      const double x = (k % wide - (wide - 1) / 2.0) * column_width; // in columns, so that there are gaps between them
      model.items[row[k]].place = {x, y + k / wide * line_height};
      spots[row[k]] = {k / wide, lines, x - column_width / 2};
    }
    y += layer_height + (lines - 1) * line_height;
  }
  route(model, spots);
}

QString kind_text(const NodeTypeSpec* type)
{
  if (type == nullptr)
    return {};
  if (type->gpus == 0)
    return QObject::tr("no GPU");
  return QStringLiteral("%1 × %2").arg(type->gpus).arg(QString::fromStdString(type->gpu));
}

/// The scenario of a text with its network, as far as they can be built.
struct BuiltScenario {
  Scenario scenario;
  Cluster cluster;
  bool whole = false; // the network is there, or of a free one what is wired so far
  QString note;       // what is missing
};

BuiltScenario built_scenario(const Document& document)
{
  BuiltScenario built;
  try {
    static const Catalogue catalogue = load_catalogue(data_folder());
    Diagnostics reading;
    const Parts parts{{"node_layout", parts_of(Registry<NodeLayout>::instance())},
                      {"network_layout", parts_of(Registry<NetworkLayout>::instance())},
                      {"model", parts_of(Registry<DnnSource>::instance())}};
    built.scenario = read_scenario(document, parts, catalogue, reading);
    Diagnostics building;
    long machines = 0;
    for (const NodeGroupSpec& group : built.scenario.cluster.nodes)
      machines += group.count;
    if (machines > 0 && machines <= 20'000) {
      built.cluster = build_cluster(built.scenario.cluster, catalogue.links, building);
      // A free network is drawn while it is being wired: machines without a link and switches without a wire, too.
      built.whole = !building.has_errors() ||
                    (built.scenario.cluster.network.topology == "graph" && !built.cluster.nodes().empty());
      if (building.has_errors() && !building.sorted().empty())
        built.note = QString::fromStdString(building.sorted().front().message);
    } else if (machines > 20'000) {
      built.note = QObject::tr("%1 machines: only the groups are drawn").arg(machines);
    }
  } catch (const std::exception& failure) {
    built.note = QString::fromUtf8(failure.what());
  }
  return built;
}

/// Turns what was built into items and links: machines, then switches, then what joins them, then the layers.
class CanvasDrawing
{
public:
  CanvasDrawing(const BuiltScenario& built, const QSet<QString>& unfolded)
      : spec_{built.scenario.cluster}, cluster_{built.cluster}, whole_{built.whole}, unfolded_{unfolded}
  {
    model_.note = built.note;
  }

  CanvasModel drawn()
  {
    std::map<std::string, std::vector<int>> nodes_of_group;
    if (whole_)
      for (int i = 0; i < static_cast<int>(cluster_.nodes().size()); ++i)
        nodes_of_group[node(i).group].push_back(i);
    for (int g = 0; g < static_cast<int>(spec_.nodes.size()); ++g)
      addGroup(g, nodes_of_group[spec_.nodes[static_cast<std::size_t>(g)].name]);
    if (whole_) {
      addSwitches();
      addLinks();
      nameWires();
      setLayers();
    } else if (isFreeGraph()) {
      addAsListed();
      setLayers();
    }
    lay_out(model_);
    return std::move(model_);
  }

private:
  const Node& node(int i) const { return cluster_.nodes()[static_cast<std::size_t>(i)]; }
  const Vertex& vertex(int v) const { return cluster_.vertices()[static_cast<std::size_t>(v)]; }

  /// Unfolded by hand, or so few that they are shown unless they were folded by hand.
  bool isUnfolded(const QString& id, bool few) const
  {
    return unfolded_.contains(id) || (few && !unfolded_.contains(QLatin1Char('!') + id));
  }

  /// An item that stands for machines.
  void add(CanvasItem item, const std::vector<int>& nodes)
  {
    for (const int i : nodes)
      for (const VertexId nic : node(i).nics)
        item_of_vertex_[nic.index] = static_cast<int>(model_.items.size());
    model_.items.push_back(std::move(item));
  }

  /// Machines, folded by group, then by rack.
  void addGroup(int number, const std::vector<int>& members)
  {
    const NodeGroupSpec& group = spec_.nodes[static_cast<std::size_t>(number)];
    const auto type = spec_.node_types.find(group.type);
    const NodeTypeSpec* spec = type == spec_.node_types.end() ? nullptr : &type->second;
    const QString name = QString::fromStdString(group.name);
    model_.machines += group.count;
    model_.gpus += group.count * (spec == nullptr ? 0 : spec->gpus);
    std::map<int, std::vector<int>> racks;
    for (const int i : members)
      racks[node(i).rack].push_back(i);
    CanvasItem item{.kind = CanvasItem::Kind::group,
                    .id = name,
                    .label = name,
                    .detail = kind_text(spec),
                    .path = QStringLiteral("cluster.nodes.%1").arg(number),
                    .count = group.count,
                    .rack = racks.size() == 1 ? racks.begin()->first : -1};
    const bool few = group.count <= (isFreeGraph() ? always_shown_free : always_shown);
    const bool by_rack = !few && racks.size() > 1 && racks.size() <= most_members;
    if (!whole_ || !(by_rack || group.count <= most_members) || !isUnfolded(name, few))
      return add(item, members);
    for (const auto& [rack, machines] : racks) {
      item.rack = rack;
      const QString id = QStringLiteral("%1/rack-%2").arg(name).arg(rack);
      if (by_rack && !(unfolded_.contains(id) && machines.size() <= most_members)) {
        item.kind = CanvasItem::Kind::rack;
        item.id = id;
        item.label = QObject::tr("%1, rack %2").arg(name).arg(rack);
        item.count = static_cast<int>(machines.size());
        item.folds = name;
        add(item, machines);
        continue;
      }
      item.kind = CanvasItem::Kind::node;
      item.count = 1;
      item.folds = by_rack ? id : name;
      for (const int i : machines) {
        item.id = item.label = QString::fromStdString(node(i).name);
        add(item, {i});
      }
    }
  }

  /// A free network that cannot be built yet: its switches, and the wires whose ends are there.
  void addAsListed()
  {
    for (const std::string& name : spec_.network.switches)
      if (const QString id = QString::fromStdString(name); !id.isEmpty() && model_.item(id) < 0)
        model_.items.push_back({.kind = CanvasItem::Kind::network_switch,
                                .id = id,
                                .label = id,
                                .path = QStringLiteral("cluster.network"),
                                .layer = 1});
    const auto end = [this](const std::string& name) {
      const QString whole = QString::fromStdString(name).section(QLatin1Char('/'), 0, 0);
      const int exact = model_.item(whole);
      return exact >= 0 ? exact : model_.item(whole.section(QLatin1Char('-'), 0, -2)); // "worker-3" of a folded group
    };
    for (std::size_t w = 0; w < spec_.network.wires.size(); ++w) {
      const int from = end(spec_.network.wires[w].from);
      const int to = end(spec_.network.wires[w].to);
      if (from >= 0 && to >= 0 && from != to)
        model_.links.push_back(
            {.from = from, .to = to, .path = QStringLiteral("cluster.network.wires.%1").arg(w), .names = {}});
    }
  }

  /// Switches, folded by the first part of their names.
  void addSwitches()
  {
    std::map<QString, QVector<int>> tiers;
    for (int v = 0; v < static_cast<int>(cluster_.vertices().size()); ++v)
      if (vertex(v).kind == VertexKind::network_switch)
        tiers[tier_of(QString::fromStdString(vertex(v).name))].push_back(v);
    CanvasItem item{.path = QStringLiteral("cluster.network"), .layer = 1};
    for (const auto& [tier, members] : tiers) {
      const QString id = QStringLiteral("tier:") + tier;
      const bool open = isFreeGraph() || (members.size() <= most_members &&
                                          isUnfolded(id, members.size() <= qsizetype{2 * always_shown}));
      for (const int v : members) {
        item_of_vertex_[v] = static_cast<int>(model_.items.size());
        if (!open)
          continue;
        item.kind = CanvasItem::Kind::network_switch;
        item.id = item.label = QString::fromStdString(vertex(v).name);
        item.detail.clear();
        item.count = 1;
        item.folds = id;
        model_.items.push_back(item);
      }
      if (open)
        continue;
      item.kind = CanvasItem::Kind::tier;
      item.id = id;
      item.label = tier;
      item.detail = QObject::tr("%1 switches").arg(members.size());
      item.count = static_cast<int>(members.size());
      item.folds.clear();
      model_.items.push_back(item);
    }
  }

  /// Links between different items.
  void addLinks()
  {
    std::map<std::pair<int, int>, int> known;
    for (const Link& link : cluster_.links()) {
      const int from = item_of_vertex_.value(link.from.index, -1);
      const int to = item_of_vertex_.value(link.to.index, -1);
      if (from < 0 || to < 0 || from == to)
        continue;
      const std::pair<int, int> ends = std::minmax(from, to);
      const auto [found, first] = known.emplace(ends, static_cast<int>(model_.links.size()));
      if (first)
        model_.links.push_back({ends.first, ends.second, 0, 0, QStringLiteral("cluster.network"), {}});
      CanvasLink& bundle = model_.links[found->second];
      if (from == ends.first) {
        bundle.count += link.width;
        bundle.bandwidth += link.bandwidth.value();
      }
      if (bundle.names.size() < 4096)
        bundle.names << QString::fromStdString(link.name);
    }
  }

  /// The links of a free graph stand in the text as wires, from "machine/card" to "switch".
  void nameWires()
  {
    if (!isFreeGraph())
      return;
    const auto base = [](const std::string& end) {
      return QString::fromStdString(end).section(QLatin1Char('/'), 0, 0);
    };
    for (CanvasLink& link : model_.links)
      for (std::size_t w = 0; w < spec_.network.wires.size(); ++w) {
        const QString a = base(spec_.network.wires[w].from);
        const QString b = base(spec_.network.wires[w].to);
        const QString& x = model_.items[link.from].id;
        const QString& y = model_.items[link.to].id;
        if ((a == x && b == y) || (a == y && b == x))
          link.path = QStringLiteral("cluster.network.wires.%1").arg(w);
      }
  }

  /// Layers: how many hops a switch is away from the nearest machine.
  void setLayers()
  {
    QVector<QVector<int>> neighbours(model_.items.size());
    for (const CanvasLink& link : model_.links) {
      neighbours[link.from].push_back(link.to);
      neighbours[link.to].push_back(link.from);
    }
    std::deque<int> open;
    QVector<int> distance(model_.items.size(), -1);
    for (int i = 0; i < model_.items.size(); ++i)
      if (model_.items[i].layer == 0) {
        distance[i] = 0;
        open.push_back(i);
      }
    for (; !open.empty(); open.pop_front())
      for (const int next : neighbours[open.front()])
        if (distance[next] < 0) {
          distance[next] = distance[open.front()] + 1;
          open.push_back(next);
        }
    for (int i = 0; i < model_.items.size(); ++i)
      if (model_.items[i].layer != 0)
        model_.items[i].layer = std::max(1, distance[i]);
  }

  bool isFreeGraph() const { return spec_.network.topology == "graph"; }

  const ClusterSpec& spec_;
  const Cluster& cluster_;
  bool whole_;
  const QSet<QString>& unfolded_;
  CanvasModel model_;
  QHash<int, int> item_of_vertex_;
};

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
  const BuiltScenario built = built_scenario(document);
  return CanvasDrawing{built, unfolded}.drawn();
}

QStringList names_at(const ScenarioDocument& document, const char* path)
{
  QStringList names;
  const DocumentNode* node = find_path(document.tree().root, path);
  if (node == nullptr)
    return names;
  for (const DocumentNode::Entry& entry : node->entries)
    names << QString::fromStdString(entry.key);
  for (const DocumentNode& item : node->items) {
    const DocumentNode* name = item.find("name");
    names << QString::fromStdString(name == nullptr ? item.text : name->text);
  }
  return names;
}

QString short_name(const QString& name)
{
  static const QRegularExpression word_of_outer{QStringLiteral("(^|/)[^/0-9]+(?=\\d[^/]*/)")};
  return QString{name}.replace(word_of_outer, QStringLiteral("\\1"));
}

QString free_name(const QString& base, const QStringList& taken)
{
  QString name = base;
  for (int i = 2; taken.contains(name); ++i)
    name = QStringLiteral("%1%2").arg(base).arg(i);
  return name;
}

} // namespace trainyard::gui
