#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_scenario.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// One axis of the sweep: each choice has a label for the table and the overrides it makes.
struct Axis {
  std::string name;
  struct Choice {
    std::string label;
    std::vector<std::pair<std::string, const DocumentNode*>> overrides;
  };
  std::vector<Choice> choices;
};

constexpr std::size_t most_points = 10'000'000;

void add_grid(const Document& document, MapReader& sweep, std::vector<Axis>& axes, Diagnostics& diagnostics)
{
  MapReader grid{document, sweep.node("grid"), "'grid'", diagnostics};
  for (const DocumentNode::Entry& entry : grid.entries()) {
    Axis axis{entry.key, {}};
    for (const DocumentNode* value : grid.list(entry.key))
      axis.choices.push_back({value->kind == DocumentNode::Kind::scalar ? value->text : to_flow_yaml(*value), {{entry.key, value}}});
    if (axis.choices.empty())
      document.error(diagnostics, entry, fmt::format("'{}' has no values; write a list such as [1, 2, 4]", entry.key));
    Document trial = document;
    try {
      for (const Axis::Choice& choice : axis.choices)
        set_path(trial, entry.key, *choice.overrides.front().second);
    } catch (const InputError& fault) {
      document.error(diagnostics, entry, fault.diagnostics().front().message);
    }
    axes.push_back(std::move(axis));
  }
}

void add_variants(const Document& document, MapReader& sweep, std::vector<Axis>& axes, Diagnostics& diagnostics)
{
  Axis axis{"variant", {}};
  for (const DocumentNode* item : sweep.list("variants")) {
    MapReader variant{document, item, "a variant", diagnostics};
    Axis::Choice choice{variant.required_text("name"), {}};
    MapReader set{document, variant.node("set"), "'set'", diagnostics};
    for (const DocumentNode::Entry& entry : set.entries()) {
      choice.overrides.emplace_back(entry.key, &entry.value);
      Document trial = document;
      try {
        set_path(trial, entry.key, entry.value);
      } catch (const InputError& fault) {
        document.error(diagnostics, entry, fault.diagnostics().front().message);
      }
    }
    variant.finish();
    for (const Axis::Choice& earlier : axis.choices)
      if (earlier.label == choice.label)
        document.error(diagnostics, *item, fmt::format("two variants are called '{}'", choice.label));
    axis.choices.push_back(std::move(choice));
  }
  if (!axis.choices.empty())
    axes.push_back(std::move(axis));
}

} // namespace

std::string SweepPoint::label() const
{
  std::string text;
  for (const auto& [name, value] : settings) {
    const std::size_t dot = name.rfind('.');
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dot == std::string::npos ? name : name.substr(dot + 1), value);
  }
  return text;
}

std::vector<SweepPoint> expand_sweep(const Document& document, Diagnostics& diagnostics)
{
  const DocumentNode* node = document.root.kind == DocumentNode::Kind::map ? document.root.find("sweep") : nullptr;
  if (node == nullptr)
    return {{{}, document}};
  MapReader sweep{document, node, "'sweep'", diagnostics};
  const int errors = diagnostics.errors();
  std::vector<Axis> axes;
  add_grid(document, sweep, axes, diagnostics);
  add_variants(document, sweep, axes, diagnostics);
  sweep.finish();
  std::size_t count = 1;
  for (const Axis& axis : axes)
    count = count > most_points ? count : count * std::max<std::size_t>(axis.choices.size(), 1);
  if (count > most_points)
    document.error(diagnostics, *node, fmt::format("the sweep has more than {} points", most_points));
  if (diagnostics.errors() > errors)
    return {};
  std::vector<SweepPoint> points;
  std::vector<std::size_t> index(axes.size(), 0);
  for (std::size_t made = 0; made < count; ++made) {
    SweepPoint point{{}, document};
    std::erase_if(point.document.root.entries, [](const DocumentNode::Entry& entry) { return entry.key == "sweep"; });
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const Axis::Choice& choice = axes[a].choices[index[a]];
      point.settings.emplace_back(axes[a].name, choice.label);
      for (const auto& [path, value] : choice.overrides)
        set_path(point.document, path, *value);
    }
    points.push_back(std::move(point));
    for (std::size_t a = axes.size(); a-- > 0;) {
      if (++index[a] < axes[a].choices.size())
        break;
      index[a] = 0;
    }
  }
  return points;
}

} // namespace trainyard
