// SPDX-License-Identifier: Apache-2.0
#include "sim/study/answer.hpp"

#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/checkpoints.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/prepared.hpp"
#include "sim/study/point_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace trainyard {
namespace {

constexpr Sentence<std::string, std::string, std::string, Figure> decisive{
    "run.decisive", "{key} is taken as {value}; with {other} it would be {change}"};

using PathValues = std::vector<std::pair<std::string, std::string>>; // paths and values

/// Another value that is as usual as the one that is taken.
struct Alternative {
  const char* key; // the end of its path
  const char* other;
  const char* unsaid = nullptr; // the value of a scenario that does not say the key, where no note of it is kept
  PathValues (*settings)(const FilledDefault& taken, const CheckedPoint& point, const Catalogue& catalogue) = nullptr;
  const char* fidelity = "closed_form"; // the fastest that knows the difference
  int most_workers = 20'000;            // for which that takes less than a second
};

PathValues twice_the_batch(const FilledDefault& taken, const CheckedPoint&, const Catalogue&)
{
  return {{taken.path, std::to_string(2 * as_number<int>(taken.value).value_or(1))}};
}

PathValues half_the_link(const FilledDefault&, const CheckedPoint& point, const Catalogue& catalogue)
{
  const auto link = catalogue.links.find(point.scenario.cluster.network.link);
  if (link == catalogue.links.end())
    return {};
  return {{"cluster.network.bandwidth", to_text(link->second.bandwidth.value() / 2, QuantityKind::bandwidth, 6)}};
}

PathValues tree(const FilledDefault&, const CheckedPoint& point, const Catalogue&)
{
  if (const auto& nodes = point.scenario.cluster.nodes; nodes.size() == 1 && nodes.front().count == 1)
    return {};
  return {{"cluster.network.topology", "fat_tree"}, {"cluster.network.routing", "hashed"}};
}

/// Modules that are soldered on a board have its switches.
PathValues cards_in_slots(const FilledDefault& taken, const CheckedPoint& point, const Catalogue&)
{
  for (const auto& [name, type] : point.scenario.cluster.node_types)
    if (taken.path == fmt::format("cluster.node_types.{}.intra", name) && type.gpu.find("SXM") == std::string::npos)
      return {{taken.path, "pcie_tree"}};
  return {};
}

/// 110 kB: the mean of ImageNet's training images.
PathValues photographs(const FilledDefault& taken, const CheckedPoint& point, const Catalogue&)
{
  if (!point.prepared || !point.prepared->jobs.front().dnn.sample.starts_with("image"))
    return {};
  const std::string input = taken.path.substr(0, taken.path.rfind('.'));
  return {{input, "{source: disk, bytes_per_sample: 110 kB, bandwidth: 1 GB/s, preprocess_per_sample: 5 ms}"}};
}

constexpr Alternative alternatives[] = {
    {"host_per_operator", "0 s"},
    {"precision", "fp32"},
    {"batch_per_gpu", "twice that", nullptr, twice_the_batch},
    {"training.spread", "none"},
    {"parallel.spread", "none"},
    {"jobs.0.training.parallel.product_efficiency", "0.9", "0.98"},
    {"channels_last", "true"},
    {"intra", "pcie_tree", nullptr, cards_in_slots},
    {"network.link", "half its bandwidth", nullptr, half_the_link},
    {"cluster.network.topology", "a fat_tree with hashed paths", "star", tree, "flow", 1'024},
    {"network.routing", "hashed", nullptr, nullptr, "flow", 1'024},
    {"jobs.0.input.source", "JPEGs of 110 kB from a disk of 1 GB/s, each 5 ms of a core", "synthetic", photographs},
    {"checkpoints.storage", "object_store", "lustre"},
};
/// Samples a second without jitter, with failures those that are kept.
std::optional<double> speed(const PointEvaluator& evaluator, Document document, const char* fidelity)
{
  static const Measure throughput = parse_measure("throughput"), kept = parse_measure("goodput");
  set_path(document, "run.fidelity", fidelity);
  std::erase_if(document.root.find("jobs")->items.front().entries,
                [](const DocumentNode::Entry& entry) { return entry.key == "jitter"; }); // takes thousands of steps
  const PointOutcome outcome = evaluator.evaluate({{}, std::move(document)});
  if (outcome.failed())
    return std::nullopt;
  const std::optional<double> value = value_of(throughput, outcome);
  return value ? std::optional{*value * value_of(kept, outcome).value_or(1)} : std::nullopt;
}

/// The alternatives to what the scenario does not say, each with what is taken: the first that is of its kind.
std::vector<std::pair<const Alternative*, FilledDefault>> open_alternatives(const Document& document,
                                                                            const CheckedPoint& point)
{
  std::vector<std::pair<const Alternative*, FilledDefault>> open;
  const auto add = [&](const Alternative& alternative, const FilledDefault& taken) {
    if (taken.value != alternative.other &&
        std::ranges::find(open, &alternative, [](const auto& one) { return one.first; }) == open.end())
      open.emplace_back(&alternative, taken);
  };
  point.scenario.defaults.each([&](const FilledDefault& taken) {
    for (const Alternative& alternative : alternatives)
      if (taken.path.ends_with(std::string{"."} + alternative.key))
        add(alternative, taken);
  });
  for (const Alternative& alternative : alternatives) {
    const std::string path = alternative.key, section = path.substr(0, path.rfind('.'));
    const bool stands = section.ends_with(".input") || find_path(document.root, section) != nullptr;
    if (alternative.unsaid != nullptr && stands && find_path(document.root, path) == nullptr)
      add(alternative, {path, alternative.unsaid, {}});
  }
  return open;
}

} // namespace

Messages decisive_assumptions(const Document& document, const CheckedPoint& point)
{
  if (point.scenario.jobs.size() != 1)
    return {};
  const auto open = open_alternatives(document, point);
  if (open.empty())
    return {};
  const PointEvaluator evaluator;
  std::map<std::string, std::optional<double>> as_it_is; // by fidelity
  std::vector<std::pair<double, Message>> found;
  for (const auto& [alternative, taken] : open) {
    const PathValues settings = alternative->settings != nullptr
                                    ? alternative->settings(taken, point, evaluator.catalogue())
                                    : PathValues{{taken.path, alternative->other}};
    if (settings.empty() || point.scenario.jobs.front().workers > alternative->most_workers)
      continue;
    Document changed = document;
    for (const auto& [path, value] : settings)
      set_path(changed, path, value);
    const auto [base, is_new] = as_it_is.try_emplace(alternative->fidelity);
    if (is_new)
      base->second = speed(evaluator, document, alternative->fidelity);
    const std::optional<double> other = speed(evaluator, std::move(changed), alternative->fidelity);
    if (!base->second || *base->second <= 0 || !other)
      continue;
    if (const double change = *other / *base->second - 1; std::abs(change) >= 0.01)
      found.emplace_back(std::abs(change), decisive(taken.path, taken.value, alternative->other,
                                                    Figure{change, fmt::format("{:.0f} % {}", 100 * std::abs(change),
                                                                               change > 0 ? "faster" : "slower")}));
  }
  std::ranges::stable_sort(found, std::greater{}, &std::pair<double, Message>::first);
  Messages messages;
  for (auto& [change, message] : found)
    if (messages.size() < 3)
      messages.push_back(std::move(message));
  return messages;
}

} // namespace trainyard
