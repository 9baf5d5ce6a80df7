// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sweep_space.hpp"

#include "models/core/expression.hpp"
#include "models/core/random.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/value_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr std::size_t most_points = 10'000'000;

std::string label_of(const DocumentNode& value)
{
  return value.kind == DocumentNode::Kind::scalar ? value.text : to_flow_yaml(value);
}

std::uint64_t mixed(std::uint64_t x) // splitmix64, Vigna 2015
{
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

std::uint64_t seed_of(const Document& document)
{
  const DocumentNode* node = find_path(document.root, "run.seed");
  const std::optional<double> value = node == nullptr ? std::nullopt : any_quantity(node->text);
  return value && *value >= 0 && *value < 1e18 ? static_cast<std::uint64_t>(*value) : 1;
}

} // namespace

std::uint64_t replica_seed(std::uint64_t seed, std::uint64_t replica)
{
  return replica == 0 ? seed : 1 + mixed(mixed(seed) + replica) % 999'999'999U;
}

/// Reads the parts of a sweep block into axes.
class SweepSpace::Reader
{
public:
  Reader(const Document& document, SweepSpace& space, Diagnostics& diagnostics)
      : document_{document}, space_{space}, diagnostics_{diagnostics}
  {
  }

  void read(const DocumentNode& node)
  {
    MapReader sweep{document_, &node, "'sweep'", diagnostics_};
    add_grid(sweep);
    add_zip(sweep);
    add_variants(sweep);
    add_samples(sweep, "random");
    add_samples(sweep, "latin_hypercube");
    space_.constraints_ = sweep.texts("constraints");
    add_replicas(sweep);
    sweep.finish();
    std::set<std::string> taken;
    for (const Axis& axis : space_.axes_)
      if (!axis.choices.empty())
        for (const auto& [path, value] : axis.choices.front().overrides)
          if (axis.name != "variant" && !taken.insert(path).second)
            document_.error(diagnostics_, node,
                            fmt::format("'{}' is given twice in the sweep; remove one of them", path));
  }

private:
  std::vector<DocumentNode> values(const DocumentNode::Entry& entry)
  {
    try {
      std::vector<DocumentNode> list = range_values(entry.value);
      if (list.empty())
        document_.error(diagnostics_, entry,
                        fmt::format("'{}' has no values; write a list such as [1, 2, 4]", entry.key));
      return list;
    } catch (const std::invalid_argument& fault) {
      document_.error(diagnostics_, entry, fmt::format("'{}': {}", entry.key, fault.what()));
      return {};
    }
  }

  void try_paths(const DocumentNode::Entry& entry, const std::vector<DocumentNode>& list)
  {
    Document trial{document_.file, {}, document_.root};
    try {
      for (const DocumentNode& value : list) {
        set_path(trial, entry.key, value);
        if (value.kind == DocumentNode::Kind::scalar)
          break; // the others go the same way
      }
    } catch (const InputError& fault) {
      document_.error(diagnostics_, entry, fault.diagnostics().front().message);
    }
  }

  void add_grid(MapReader& sweep)
  {
    MapReader grid{document_, sweep.node("grid"), "'grid'", diagnostics_};
    for (const DocumentNode::Entry& entry : grid.entries()) {
      Axis axis{entry.key, {}};
      const std::vector<DocumentNode> list = values(entry);
      try_paths(entry, list);
      for (const DocumentNode& value : list)
        axis.choices.push_back({{{entry.key, label_of(value)}}, {{entry.key, value}}});
      space_.axes_.push_back(std::move(axis));
    }
  }

  void add_zip(MapReader& sweep)
  {
    for (const DocumentNode* item : sweep.list("zip")) {
      MapReader zip{document_, item, "'zip'", diagnostics_};
      Axis axis;
      for (const DocumentNode::Entry& entry : zip.entries()) {
        const std::vector<DocumentNode> list = values(entry);
        try_paths(entry, list);
        axis.name += (axis.name.empty() ? "" : ", ") + entry.key;
        if (axis.choices.empty())
          axis.choices.resize(list.size());
        else if (!list.empty() && axis.choices.size() != list.size())
          document_.error(
              diagnostics_, entry,
              fmt::format(
                  "the lists in 'zip' need the same length, but '{}' has {} values and the list before it has {}",
                  entry.key, list.size(), axis.choices.size()));
        for (std::size_t i = 0; i < std::min(list.size(), axis.choices.size()); ++i) {
          axis.choices[i].labels.emplace_back(entry.key, label_of(list[i]));
          axis.choices[i].overrides.emplace_back(entry.key, list[i]);
        }
      }
      if (!axis.choices.empty())
        space_.axes_.push_back(std::move(axis));
    }
  }

  void add_variants(MapReader& sweep)
  {
    Axis axis{"variant", {}};
    for (const DocumentNode* item : sweep.list("variants")) {
      MapReader variant{document_, item, "a variant", diagnostics_};
      const std::string name = variant.required_text("name");
      Choice choice{{{"variant", name}}, {}};
      MapReader set{document_, variant.node("set"), "'set'", diagnostics_};
      for (const DocumentNode::Entry& entry : set.entries()) {
        choice.overrides.emplace_back(entry.key, entry.value);
        try_paths(entry, {entry.value});
      }
      variant.finish();
      for (const Choice& earlier : axis.choices)
        if (earlier.labels.front().second == name)
          document_.error(diagnostics_, *item, fmt::format("two variants have the name '{}'", name));
      axis.choices.push_back(std::move(choice));
    }
    if (!axis.choices.empty())
      space_.axes_.push_back(std::move(axis));
  }

  /// One axis of so many points; each dimension draws from a stream of its own.
  void add_samples(MapReader& sweep, const std::string& kind)
  {
    const DocumentNode* node = sweep.node(kind);
    if (node == nullptr)
      return;
    MapReader reader{document_, node, "'" + kind + "'", diagnostics_};
    const int points = reader.required_integer("points", 1, static_cast<int>(most_points));
    const auto seed =
        static_cast<std::uint64_t>(reader.integer("seed", static_cast<int>(seed_of(document_) % 1'000'000'000U), 0));
    MapReader over{document_, reader.node("over"), "'over'", diagnostics_};
    if (over.entries().empty())
      document_.error(diagnostics_, *node, fmt::format("'{}' needs 'over' with at least one path", kind));
    Axis axis{kind, std::vector<Choice>(static_cast<std::size_t>(std::max(points, 1)))};
    const std::size_t n = axis.choices.size();
    for (const DocumentNode::Entry& entry : over.entries()) {
      SampledRange range;
      try {
        range = sampled_range(entry.value);
      } catch (const std::invalid_argument& fault) {
        document_.error(diagnostics_, entry, fmt::format("'{}': {}", entry.key, fault.what()));
        continue;
      }
      try_paths(entry, {range.at(0)});
      RandomStream stream = Random{seed}.stream("sweep." + kind + "." + entry.key);
      std::vector<std::size_t> stratum(n);
      std::iota(stratum.begin(), stratum.end(), 0U);
      if (kind == "latin_hypercube")
        for (std::size_t i = n; i > 1; --i)
          std::swap(stratum[i - 1], stratum[stream.below(i)]);
      for (std::size_t i = 0; i < n; ++i) {
        const double u = kind == "latin_hypercube"
                             ? (static_cast<double>(stratum[i]) + stream.uniform()) / static_cast<double>(n)
                             : stream.uniform();
        DocumentNode value = range.at(u);
        value.line = entry.value.line;
        value.column = entry.value.column;
        axis.choices[i].labels.emplace_back(entry.key, label_of(value));
        axis.choices[i].overrides.emplace_back(entry.key, std::move(value));
      }
    }
    reader.finish();
    space_.axes_.push_back(std::move(axis));
  }

  void add_replicas(MapReader& sweep)
  {
    const int replicas = sweep.integer("replicas", 0, 1, 1'000'000);
    if (replicas == 0)
      return;
    Axis axis{"replica", {}};
    for (int replica = 0; replica < replicas; ++replica) {
      DocumentNode seed;
      seed.kind = DocumentNode::Kind::scalar;
      seed.text = std::to_string(replica_seed(seed_of(document_), static_cast<std::uint64_t>(replica)));
      axis.choices.push_back({{{"replica", std::to_string(replica)}}, {{"run.seed", std::move(seed)}}});
    }
    space_.axes_.push_back(std::move(axis));
  }

  const Document& document_;
  SweepSpace& space_;
  Diagnostics& diagnostics_;
};

SweepSpace::SweepSpace(const Document& document, Diagnostics& diagnostics) : base_{document}
{
  const DocumentNode* node = document.root.kind == DocumentNode::Kind::map ? document.root.find("sweep") : nullptr;
  if (node == nullptr)
    return;
  const int errors = diagnostics.errors();
  std::erase_if(base_.root.entries, [](const DocumentNode::Entry& entry) { return entry.key == "sweep"; });
  Reader{document, *this, diagnostics}.read(*node);
  for (const Axis& axis : axes_)
    count_ = count_ > most_points ? count_ : count_ * std::max<std::size_t>(axis.choices.size(), 1);
  if (count_ > most_points)
    document.error(diagnostics, *node, fmt::format("the sweep has more than {} points", most_points));
  if (diagnostics.errors() == errors && !constraints_.empty()) {
    filtered_ = true;
    try {
      for (std::size_t i = 0; i < count_; ++i)
        if (allowed(i))
          allowed_.push_back(static_cast<std::uint32_t>(i));
      if (allowed_.empty())
        document.error(diagnostics, *node, fmt::format("none of the {} points meets the constraints", count_));
    } catch (const std::invalid_argument& fault) {
      const DocumentNode* where = node->find("constraints");
      document.error(diagnostics, where == nullptr ? *node : *where,
                     fmt::format("a constraint cannot be read: {}", fault.what()));
    }
  }
  if (diagnostics.errors() > errors) {
    axes_.clear();
    allowed_.clear();
    filtered_ = false;
    count_ = 0;
  }
}

std::vector<std::size_t> SweepSpace::indices(std::size_t combination) const
{
  std::vector<std::size_t> chosen(axes_.size(), 0);
  for (std::size_t a = axes_.size(); a-- > 0;) {
    const std::size_t n = std::max<std::size_t>(axes_[a].choices.size(), 1);
    chosen[a] = combination % n;
    combination /= n;
  }
  return chosen;
}

std::vector<std::pair<std::string, std::string>> SweepSpace::settings(std::size_t index) const
{
  const std::vector<std::size_t> chosen = indices(filtered_ ? allowed_[index] : index);
  std::vector<std::pair<std::string, std::string>> list;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (const auto& label : axes_[a].choices[chosen[a]].labels)
      list.push_back(label);
  return list;
}

SweepPoint SweepSpace::made(const std::vector<std::size_t>& chosen) const
{
  SweepPoint point{{}, base_};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Choice& choice = axes_[a].choices[chosen[a]];
    for (const auto& label : choice.labels)
      point.settings.push_back(label);
    for (const auto& [path, value] : choice.overrides)
      set_path(point.document, path, value);
  }
  return point;
}

SweepPoint SweepSpace::point(std::size_t index) const
{
  return made(indices(filtered_ ? allowed_[index] : index));
}

std::vector<std::string> SweepSpace::names() const
{
  std::vector<std::string> list;
  for (const Axis& axis : axes_)
    if (!axis.choices.empty())
      for (const auto& [name, value] : axis.choices.front().labels)
        list.push_back(name);
  return list;
}

std::set<std::string> SweepSpace::names_with(const std::string& name) const
{
  for (const Axis& axis : axes_) {
    std::set<std::string> names;
    if (!axis.choices.empty())
      for (const auto& [path, value] : axis.choices.front().labels)
        names.insert(path);
    if (names.contains(name))
      return names;
  }
  return {};
}

std::string SweepSpace::axis_name(std::size_t axis) const
{
  return axes_[axis].name;
}

std::vector<std::pair<std::size_t, SweepPoint>> SweepSpace::probes(std::size_t most) const
{
  std::vector<std::pair<std::size_t, SweepPoint>> list;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].name == "replica")
      continue;
    const std::size_t n = axes_[a].choices.size();
    for (std::size_t i = 0; i < std::min(n, most); ++i) {
      std::vector<std::size_t> chosen(axes_.size(), 0);
      chosen[a] = n <= most ? i : i * (n - 1) / std::max<std::size_t>(most - 1, 1);
      list.emplace_back(a, made(chosen));
    }
  }
  return list;
}

bool SweepSpace::allowed(std::size_t combination) const
{
  const std::vector<std::size_t> chosen = indices(combination);
  const auto lookup = [&](const std::string& name) -> std::optional<std::string> {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Choice& choice = axes_[a].choices[chosen[a]];
      for (const auto& [path, value] : choice.labels)
        if (path == name || path.substr(path.rfind('.') + 1) == name)
          return value;
      for (const auto& [path, value] : choice.overrides)
        if (path == name || path.substr(path.rfind('.') + 1) == name)
          return label_of(value);
    }
    const DocumentNode* node = find_path(base_.root, name);
    return node != nullptr && node->kind == DocumentNode::Kind::scalar ? std::optional{node->text} : std::nullopt;
  };
  std::vector<std::string> known;
  for (const std::string& name : names())
    known.push_back(name.substr(name.rfind('.') + 1));
  return std::ranges::all_of(constraints_,
                             [&](const std::string& text) { return condition_holds(text, lookup, known); });
}

void add_to_sweep(Document& document, const std::string& part, const std::string& path, const DocumentNode& value)
{
  if (document.root.kind != DocumentNode::Kind::map)
    throw InputError{fmt::format("{}: the scenario is not a map", document.file)};
  const auto child = [](DocumentNode& map, const std::string& key, DocumentNode::Kind kind) -> DocumentNode& {
    if (map.kind == DocumentNode::Kind::null)
      map.kind = DocumentNode::Kind::map;
    if (DocumentNode* found = map.find(key); found != nullptr)
      return *found;
    map.entries.push_back({key, 0, 0, {}});
    map.entries.back().value.kind = kind;
    return map.entries.back().value;
  };
  DocumentNode& sweep = child(document.root, "sweep", DocumentNode::Kind::map);
  if (part == "replicas") {
    child(sweep, part, DocumentNode::Kind::scalar) = value;
  } else if (part == "constraints") {
    DocumentNode& list = child(sweep, part, DocumentNode::Kind::list);
    if (list.kind != DocumentNode::Kind::list)
      throw InputError{"sweep.constraints is not a list"};
    list.items.push_back(value);
  } else if (part == "grid") {
    child(child(sweep, part, DocumentNode::Kind::map), path, DocumentNode::Kind::list) = value;
  } else if (part == "zip") {
    DocumentNode& list = child(sweep, part, DocumentNode::Kind::list);
    if (list.kind == DocumentNode::Kind::map) { // a single zip is written as a map
      DocumentNode one = list;
      list = {};
      list.kind = DocumentNode::Kind::list;
      list.items.push_back(std::move(one));
    }
    list.items.push_back(value);
  } else { // a sampling: the count goes to "points", the rest to "over"
    DocumentNode& samples = child(sweep, part, DocumentNode::Kind::map);
    if (path == "points" || path == "seed")
      child(samples, path, DocumentNode::Kind::scalar) = value;
    else
      child(child(samples, "over", DocumentNode::Kind::map), path, DocumentNode::Kind::list) = value;
  }
}

} // namespace trainyard
