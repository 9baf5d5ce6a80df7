// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sweep_space.hpp"

#include "models/core/expression.hpp"
#include "models/core/random.hpp"
#include "models/scenario/fields.hpp"
#include "models/scenario/value_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

} // namespace

std::uint64_t replica_seed(std::uint64_t seed, std::uint64_t replica)
{
  return replica == 0 ? seed : 1 + mixed(mixed(seed) + replica) % 999'999'999U;
}

std::uint64_t run_seed(const Document& document)
{
  const DocumentNode* node = find_path(document.root, "run.seed");
  const std::optional<double> value = node == nullptr ? std::nullopt : any_quantity(node->text);
  return value && *value >= 0 && *value < 1e18 ? static_cast<std::uint64_t>(*value) : 1;
}

void make_replica(Document& document, std::uint64_t replica)
{
  if (replica > 0)
    set_path(document, "run.seed", std::to_string(replica_seed(run_seed(document), replica)));
}

/// Reads the parts of a sweep block into axes; with no space, declares their keys.
class SweepSpace::Reader
{
public:
  Reader(const Document& document, SweepSpace& space) : document_{&document}, space_{&space} {}
  Reader() = default;

  void fields(Fields& sweep)
  {
    sweep.map("grid", "path: list or range of values", [&](Fields& grid, const std::string& path) {
      Axis axis{path, {}};
      for (DocumentNode& value : values(grid, path))
        axis.choices.push_back({{{path, label_of(value)}}, {{path, std::move(value)}}});
      add(std::move(axis));
    });
    std::vector<Axis> zips;
    sweep.list<Axis>("zip", zips, "path: list or range of values",
                     "paths whose lists advance together; the lists have equal length",
                     [&](Fields& zip, Axis& axis) { zip_fields(zip, axis); }, {.what = "'zip'", .alone = true});
    for (Axis& axis : zips)
      add(std::move(axis));
    Axis variants{"variant", {}};
    sweep.list<Choice>(
        "variants", variants.choices, "a named set of changes", "named sets of changes; each is one curve",
        [&](Fields& keys, Choice& variant) { variant_fields(keys, variant, variants.choices); }, {.what = "a variant"});
    add(std::move(variants));
    for (const std::string kind : {"random", "latin_hypercube"}) {
      Axis samples{kind, {}};
      sweep.object(kind,
                   kind == "random" ? "points drawn from ranges"
                                    : "points drawn from ranges, each path evenly spread over its range",
                   [&](Fields& keys) { sample_fields(keys, samples); });
      add(std::move(samples));
    }
    std::vector<std::string> constraints;
    sweep.texts("constraints", constraints, "conditions that a point must meet: workers * batch_per_gpu <= 256");
    int replicas = 0;
    sweep.integer("replicas", replicas, "number of seeds with which each point runs",
                  {.least = 1, .most = 1'000'000, .otherwise = "1"});
    add(seeds(replicas));
    if (space_ != nullptr)
      space_->constraints_ = std::move(constraints);
  }

  /// After the block has been read: many samples take long.
  void draw_samples() const
  {
    for (Axis& axis : space_->axes_)
      if (axis.samples > 0)
        axis.choices.assign(axis.samples, {});
    for (const Draw& draw : draws_)
      draw_into(space_->axes_[draw.axis], draw);
  }

  /// A path that several axes set.
  std::optional<std::string> twice() const
  {
    std::set<std::string> taken;
    for (const Axis& axis : space_->axes_)
      if (!axis.choices.empty())
        for (const auto& [path, value] : axis.choices.front().overrides)
          if (axis.name != "variant" && !taken.insert(path).second)
            return path;
    return std::nullopt;
  }

private:
  /// What a path of samples is drawn from, with a stream of its own.
  struct Draw {
    std::size_t axis; // in axes_
    std::string path;
    SampledRange range;
    DocumentNode place;
    std::uint64_t seed;
  };

  void add(Axis axis)
  {
    if (space_ != nullptr && !axis.choices.empty())
      space_->axes_.push_back(std::move(axis));
  }

  /// The values of a path.
  std::vector<DocumentNode> values(Fields& keys, const std::string& path) const
  {
    std::vector<DocumentNode> list;
    keys.custom(
        path, [] { return range_schema(false); },
        [&](const DocumentNode& node) {
          try {
            list = range_values(node);
            if (list.empty())
              keys.error_at_key(path, fmt::format("'{}' has no values; write a list such as [1, 2, 4]", path));
            try_path(keys, path, list);
          } catch (const std::invalid_argument& fault) {
            keys.error_at_key(path, fmt::format("'{}': {}", path, fault.what()));
          }
        });
    return list;
  }

  /// Says where a path leads nowhere.
  void try_path(Fields& keys, const std::string& path, const std::vector<DocumentNode>& list) const
  {
    Document trial{document_->file, {}, space_->base_.root}; // without the block, which is long
    try {
      for (const DocumentNode& value : list) {
        set_path(trial, path, value);
        if (value.kind == DocumentNode::Kind::scalar)
          break; // the others go the same way
      }
    } catch (const InputError& fault) {
      keys.error_at_key(path, fault.diagnostics().front().message);
    }
  }

  void zip_fields(Fields& zip, Axis& axis) const
  {
    zip.names([&](Fields& keys, const std::string& path) {
      const std::vector<DocumentNode> list = values(keys, path);
      axis.name += (axis.name.empty() ? "" : ", ") + path;
      if (axis.choices.empty())
        axis.choices.resize(list.size());
      else if (!list.empty() && axis.choices.size() != list.size())
        keys.error_at_key(
            path,
            fmt::format("the lists in 'zip' need the same length, but '{}' has {} values and the list before it has {}",
                        path, list.size(), axis.choices.size()));
      for (std::size_t i = 0; i < std::min(list.size(), axis.choices.size()); ++i) {
        axis.choices[i].labels.emplace_back(path, label_of(list[i]));
        axis.choices[i].overrides.emplace_back(path, list[i]);
      }
    });
  }

  void variant_fields(Fields& keys, Choice& variant, const std::vector<Choice>& earlier) const
  {
    std::string name;
    keys.text("name", name, "name of the variant, and of its curve", {.required = true});
    variant.labels = {{"variant", name}};
    keys.map("set", "path: value, for example jobs.0.workers: 8", [&](Fields& set, const std::string& path) {
      set.custom(path, schema::Json{{"description", "any value"}}, [&](const DocumentNode& value) {
        variant.overrides.emplace_back(path, value);
        try_path(set, path, {value});
      });
    });
    if (std::ranges::any_of(earlier, [&](const Choice& other) { return other.labels == variant.labels; }))
      keys.error(fmt::format("two variants have the name '{}'", name));
  }

  /// One axis of so many points, of which the first is there until they are drawn.
  void sample_fields(Fields& keys, Axis& axis)
  {
    int points = 0, seed = document_ == nullptr ? 0 : static_cast<int>(run_seed(*document_) % 1'000'000'000U);
    keys.integer("points", points, "number of points", {.least = 1, .most = most_points, .required = true});
    keys.integer("seed", seed, "seed of the draw", {.least = 0, .otherwise = "the seed of the run"});
    axis.samples = static_cast<std::size_t>(points);
    axis.choices.resize(1);
    bool any = false;
    keys.map("over", "path: range of values, or a list to choose from",
             [&](Fields& over, const std::string& path) {
               any = true;
               over.custom(
                   path, [] { return range_schema(true); },
                   [&](const DocumentNode& node) {
                     try {
                       const SampledRange range = sampled_range(node);
                       try_path(over, path, {range.at(0)});
                       choose(axis.choices.front(), path, range.at(0));
                       draws_.push_back({space_->axes_.size(), path, range, node, static_cast<std::uint64_t>(seed)});
                     } catch (const std::invalid_argument& fault) {
                       over.error_at_key(path, fmt::format("'{}': {}", path, fault.what()));
                     }
                   });
             },
             {.required = true});
    if (keys.has("over") && !any)
      keys.error("over", fmt::format("'{}' needs 'over' with at least one path", axis.name));
  }

  static void choose(Choice& choice, const std::string& path, DocumentNode value)
  {
    choice.labels.emplace_back(path, label_of(value));
    choice.overrides.emplace_back(path, std::move(value));
  }

  static void draw_into(Axis& axis, const Draw& draw)
  {
    const std::size_t n = axis.choices.size();
    const bool even = axis.name == "latin_hypercube";
    const std::size_t number = axis.choices.front().overrides.size(); // a path may contain names
    RandomStream stream = Random{draw.seed}.stream(fmt::format("sweep.{}.{}", axis.name, number));
    std::vector<std::size_t> stratum(n);
    std::iota(stratum.begin(), stratum.end(), 0U);
    if (even)
      for (std::size_t i = n; i > 1; --i)
        std::swap(stratum[i - 1], stratum[stream.below(i)]);
    for (std::size_t i = 0; i < n; ++i) {
      const double u =
          even ? (static_cast<double>(stratum[i]) + stream.uniform()) / static_cast<double>(n) : stream.uniform();
      DocumentNode value = draw.range.at(u);
      value.line = draw.place.line;
      value.column = draw.place.column;
      choose(axis.choices[i], draw.path, std::move(value));
    }
  }

  Axis seeds(int replicas) const
  {
    Axis axis{"replica", {}};
    for (int replica = 0; replica < replicas; ++replica) {
      DocumentNode seed;
      seed.kind = DocumentNode::Kind::scalar;
      seed.text = std::to_string(replica_seed(run_seed(*document_), static_cast<std::uint64_t>(replica)));
      axis.choices.push_back({{{"replica", std::to_string(replica)}}, {{"run.seed", std::move(seed)}}});
    }
    return axis;
  }

  const Document* document_ = nullptr;
  SweepSpace* space_ = nullptr;
  std::vector<Draw> draws_;
};

nlohmann::ordered_json SweepSpace::schema()
{
  Fields keys;
  Reader{}.fields(keys);
  return keys.schema("the points to simulate: every combination of the values");
}

SweepSpace::SweepSpace(const Document& document, Diagnostics& diagnostics) : base_{document}
{
  const DocumentNode* node = document.root.kind == DocumentNode::Kind::map ? document.root.find("sweep") : nullptr;
  if (node == nullptr)
    return;
  const int errors = diagnostics.errors();
  std::erase_if(base_.root.entries, [](const DocumentNode::Entry& entry) { return entry.key == "sweep"; });
  Fields keys{document, node, "'sweep'", diagnostics};
  Reader reader{document, *this};
  reader.fields(keys);
  keys.finish();
  if (const std::optional<std::string> path = reader.twice())
    document.error(diagnostics, *node, fmt::format("'{}' is given twice in the sweep; remove one of them", *path));
  for (const Axis& axis : axes_)
    count_ = count_ > most_points ? count_ : count_ * axis.size();
  if (count_ > most_points)
    document.error(diagnostics, *node, fmt::format("the sweep has more than {} points", most_points));
  try {
    if (diagnostics.errors() == errors) {
      for (const std::string& constraint : constraints_) // can each be read?
        meets({&constraint, 1}, 0);
      reader.draw_samples();
      filtered_ = !constraints_.empty();
      for (std::size_t i = 0; filtered_ && i < count_; ++i)
        if (meets(constraints_, i))
          allowed_.push_back(static_cast<std::uint32_t>(i));
      if (filtered_ && allowed_.empty())
        document.error(diagnostics, *node, fmt::format("none of the {} points meets the constraints", count_));
    }
  } catch (const std::invalid_argument& fault) {
    const DocumentNode* where = node->find("constraints");
    document.error(diagnostics, where == nullptr ? *node : *where,
                   fmt::format("a constraint cannot be read: {}", fault.what()));
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
    const std::size_t n = axes_[a].size();
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

bool SweepSpace::meets(std::span<const std::string> constraints, std::size_t combination) const
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
  return std::ranges::all_of(constraints,
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

std::string short_name(std::span<const std::pair<std::string, std::string>> settings, const std::string& path)
{
  const auto longer = [&](std::size_t dot) { return dot == 0 ? std::string::npos : path.rfind('.', dot - 1); };
  const auto others = [&](std::string_view end) {
    return std::ranges::count_if(settings, [&](const auto& one) { return one.first.ends_with(end); }) > 1;
  };
  std::size_t dot = path.rfind('.');
  while (dot != std::string::npos &&
         (others(path.substr(dot)) || std::isdigit(static_cast<unsigned char>(path[dot + 1])) != 0))
    dot = longer(dot);
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string SweepPoint::label() const
{
  std::string text;
  for (const auto& [path, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", short_name(settings, path), value);
  return text;
}

std::vector<SweepPoint> expand_sweep(const Document& document, Diagnostics& diagnostics)
{
  std::vector<SweepPoint> points;
  if (document.root.kind != DocumentNode::Kind::map || document.root.find("sweep") == nullptr) {
    points.emplace_back().document = document;
    return points;
  }
  const SweepSpace space{document, diagnostics};
  for (std::size_t i = 0; i < space.size(); ++i)
    points.push_back(space.point(i));
  return points;
}

} // namespace trainyard
