// SPDX-License-Identifier: Apache-2.0
#include "sim/study/answer.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/prepared.hpp"
#include "sim/study/point_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace trainyard {
namespace {

constexpr std::size_t most_named = 12;

/// One side of a figure: "finished(train) at bridge".
struct Side {
  std::string measure, at;
};

/// What stands between braces.
struct Form {
  char pick = ' ';      // 'l' lowest, 'h' highest
  char operation = ' '; // between the sides: '/' or '-'
  std::vector<Side> sides;
};

/// The first place of @p word that is in no parentheses.
std::size_t outside(std::string_view text, std::string_view word)
{
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && text.substr(i).starts_with(word))
      return i;
  }
  return std::string_view::npos;
}

Side side_of(std::string_view text)
{
  const std::size_t at = outside(text, " at ");
  return {std::string{trimmed(text.substr(0, at))},
          at == std::string_view::npos ? std::string{} : std::string{trimmed(text.substr(at + 4))}};
}

Form form_of(std::string_view text)
{
  Form form;
  text = trimmed(text);
  for (const char* word : {"lowest ", "highest "})
    if (text.starts_with(word)) {
      form.pick = *word;
      text.remove_prefix(std::string_view{word}.size());
    }
  for (const char* operation : {" / ", " - "})
    if (const std::size_t place = outside(text, operation); form.sides.empty() && place != std::string_view::npos) {
      form.operation = operation[1];
      form.sides = {side_of(text.substr(0, place)), side_of(text.substr(place + 3))};
    }
  if (form.sides.empty())
    form.sides = {side_of(text)};
  const bool compares = form.pick != ' ';
  if (std::ranges::any_of(form.sides, [](const Side& side) { return side.measure.empty(); }) ||
      (compares && form.operation != ' '))
    throw InputError{fmt::format("'{{{}}}' is no figure; write {{MEASURE}}, {{MEASURE at POINT}}, {{lowest MEASURE}}, "
                                 "{{highest MEASURE}}, {{A / B}} or {{A - B}}",
                                 text)};
  return form;
}

/// The sentence with each figure replaced by what @p figure makes of it.
std::string filled(const std::string& sentence, const std::function<std::string(const Form&)>& figure)
{
  std::string text;
  std::size_t done = 0;
  for (std::size_t open = sentence.find('{'); open != std::string::npos; open = sentence.find('{', done)) {
    const std::size_t close = sentence.find('}', open);
    if (close == std::string::npos)
      throw InputError{"a '{' is not closed"};
    text += sentence.substr(done, open - done) + figure(form_of(sentence.substr(open + 1, close - open - 1)));
    done = close + 1;
  }
  return text + sentence.substr(done);
}

using Outcomes = std::span<const std::pair<std::string, PointOutcome>>;

/// A point, or a policy or job of it, with a value.
struct Choice {
  std::string name;
  double value = 0;
  Verdict verdict;
};

/// What messages of this id say, also inside others, each once.
std::string texts_of(const Messages& said, const std::string& id)
{
  std::vector<std::string> texts;
  const auto visit = [&](auto&& self, const Messages& messages) -> void {
    for (const Message& message : messages) {
      if (message.id == id) {
        std::string text = message.text;
        if (text.ends_with('.'))
          text.pop_back();
        if (std::ranges::find(texts, text) == texts.end())
          texts.push_back(std::move(text));
      }
      for (const auto& [name, argument] : message.arguments)
        if (const auto* inner = std::get_if<Messages>(&argument); inner != nullptr)
          self(self, *inner);
    }
  };
  visit(visit, said);
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, "; "));
}

class Figures
{
public:
  explicit Figures(Outcomes outcomes) : outcomes_{outcomes} {}

  std::string text_of(const Form& form)
  {
    if (form.operation != ' ')
      return two(form);
    for (const char* word : {"unfinished(", "bottleneck(", "waited_for("})
      if (const std::string& text = form.sides.front().measure; text.starts_with(word) && text.ends_with(')'))
        return words_of(text.substr(std::string_view{word}.size(), text.size() - std::string_view{word}.size() - 1),
                        form.sides.front().at, *word == 'u');
    const Measure measure = measure_of(form.sides.front().measure);
    std::vector<Choice> list = candidates(measure, form.sides.front().at);
    if (form.pick == ' ')
      return values(measure, list);
    if (!holds_unfinished(measure))
      std::erase_if(list, [&](const Choice& one) {
        if (!one.verdict.answers())
          left_out_.insert(one.name + ", where " + one.verdict.why);
        return !one.verdict.answers();
      });
    if (list.empty())
      return "none";
    const auto best = form.pick == 'l' ? std::ranges::min_element(list, {}, &Choice::value)
                                       : std::ranges::max_element(list, {}, &Choice::value);
    std::vector<std::string> equal;
    for (const Choice& one : list)
      if (std::abs(one.value - best->value) <= 1e-9 * std::abs(best->value))
        equal.push_back(one.name);
    if (equal.size() == list.size() && equal.size() > 2)
      equal = {"all"};
    return fmt::format("{} ({})", fmt::join(equal, ", "), measure_text(measure, best->value));
  }

  /// What the figures leave out; empty where nothing.
  std::string reservations() const
  {
    std::string text;
    if (!over_.empty())
      text = fmt::format("; mean of {}{} job{}", count_text(static_cast<std::uint64_t>(*over_.begin())),
                         over_.size() > 1 ? " to " + count_text(static_cast<std::uint64_t>(*over_.rbegin())) : "",
                         *over_.rbegin() == 1 ? "" : "s");
    if (!left_out_.empty())
      text += fmt::format("; not compared: {}", fmt::join(left_out_, "; "));
    std::string lead = "; but ";
    for (const auto& [why, names] : undone_) {
      text += lead + why + (names.contains("") ? "" : fmt::format(" ({})", fmt::join(names, ", ")));
      lead = "; ";
    }
    return text;
  }

private:
  /// Why the work of a job or service was not done, or what is told of it besides.
  std::string words_of(const std::string& item, const std::string& at, bool unfinished) const
  {
    for (const auto& [label, outcome] : outcomes_)
      for (const Measured& one : outcome.items)
        if (one.is(item) && (at.empty() || fit(label, at) > 0)) {
          const std::string& words = unfinished ? one.verdict.why : one.note;
          return words.empty() ? item + (unfinished ? " did its work" : ": none") : words;
        }
    throw InputError{fmt::format("there is no '{}'", item)};
  }

  Measure measure_of(const std::string& text) const
  {
    const PointOutcome* probe = nullptr;
    for (const auto& [label, outcome] : outcomes_)
      if (probe == nullptr || outcome.items.size() > probe->items.size())
        probe = &outcome;
    return parse_measure(text, probe);
  }

  /// "workers=2 hybrid" of "workers=2 variant=hybrid", without the part that @p at says.
  static std::string name_of(const std::string& label, const std::string& at)
  {
    std::string name = label;
    const auto without = [&](const std::string& part, std::size_t kept) {
      if (const std::size_t place = (" " + name + " ").find(" " + part); !part.empty() && place != std::string::npos)
        name.erase(place, part.size() - kept);
    };
    without(at + " ", 0);
    without("variant=", 0);
    return name;
  }

  /// How well a label such as "variant=bridge workers=4" is what is @p wanted: 2 as a whole or its last
  /// value, 1 another part of it, 0 not.
  static int fit(const std::string& label, const std::string& wanted)
  {
    const std::string words = " " + label + " ";
    return label == wanted || label.ends_with("=" + wanted) ? 2
           : words.find("=" + wanted + " ") != std::string::npos || words.find(" " + wanted + " ") != std::string::npos
               ? 1
               : 0;
  }

  std::vector<Choice> candidates(const Measure& measure, const std::string& at)
  {
    std::vector<Choice> list;
    std::set<std::string> known;
    int best = 0;
    for (const auto& [label, outcome] : outcomes_) {
      std::set<std::string> items;
      const bool policies =
          std::ranges::any_of(outcome.items, [](const Measured& one) { return one.numbers.contains("never_ran"); });
      if (policies || (measure.item.empty() && outcomes_.size() == 1))
        for (const Measured& one : outcome.items)
          if (one.group.empty() && value_of(measure, outcome, one.item))
            items.insert(one.item);
      if (items.empty() || (items.size() == 1 && outcomes_.size() > 1))
        items = {std::string{}};
      for (const std::string& item : items) {
        std::vector<std::string> names;
        if (!item.empty())
          names.push_back(item);
        if (!label.empty())
          names.push_back(name_of(label, at));
        known.insert(names.begin(), names.end());
        const int fits = at.empty() || at == item ? 2 : fit(label, at);
        if (fits < best || fits == 0)
          continue;
        if (fits > best)
          list.clear();
        best = fits;
        if (const std::optional<std::int64_t> jobs = population_of(measure, outcome))
          over_.insert(*jobs);
        if (const std::optional<double> value = value_of(measure, outcome, item))
          list.push_back({fmt::format("{}", fmt::join(names, " at ")), *value,
                          outcome.verdict(item.empty() ? measure.item : item)});
      }
    }
    if (best == 0 && !at.empty())
      throw InputError{fmt::format("there is no point or policy '{}'{}; there are {}", at,
                                   did_you_mean(at, std::vector<std::string>{known.begin(), known.end()}),
                                   fmt::join(known, ", "))};
    return list;
  }

  std::string values(const Measure& measure, const std::vector<Choice>& list)
  {
    if (!holds_unfinished(measure))
      for (const Choice& one : list)
        if (!one.verdict.answers())
          undone_[one.verdict.why].insert(list.size() > 1 ? one.name : std::string{});
    if (list.empty())
      return "not known";
    if (list.size() == 1)
      return measure_text(measure, list.front().value);
    std::vector<std::string> texts;
    for (const Choice& one : list)
      if (texts.size() < most_named)
        texts.push_back(fmt::format("{} ({})", measure_text(measure, one.value), one.name));
    if (list.size() > most_named)
      texts.push_back(fmt::format("and {} more", list.size() - most_named));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::string two(const Form& form)
  {
    std::vector<Measure> measures;
    std::vector<double> numbers;
    for (const Side& side : form.sides) {
      measures.push_back(measure_of(side.measure));
      const std::vector<Choice> list = candidates(measures.back(), side.at);
      if (list.size() != 1)
        throw InputError{fmt::format("'{}' is {}; add 'at' and a point or policy", side.measure,
                                     list.empty() ? "not known" : fmt::format("{} figures", list.size()))};
      values(measures.back(), list);
      numbers.push_back(list.front().value);
    }
    if (form.operation == '-')
      return measure_text(measures.front(), numbers.front() - numbers.back());
    return numbers.back() == 0 ? "not known" : rate_text(numbers.front() / numbers.back());
  }

  Outcomes outcomes_;
  std::set<std::string> left_out_;
  std::set<std::int64_t> over_;                         // how many jobs the means are of
  std::map<std::string, std::set<std::string>> undone_; // why, and where it is told of several
};

} // namespace

std::string answer_form(const Document& document, Diagnostics& diagnostics)
{
  const DocumentNode* node = document.root.find("answer");
  if (node == nullptr)
    return {};
  try {
    filled(node->text, [](const Form&) { return std::string{}; });
  } catch (const InputError& error) {
    document.error(diagnostics, *node, error.what());
  }
  return node->text;
}

std::string answer_of(const std::string& form, Outcomes outcomes, const Messages& said)
{
  Figures figures{outcomes};
  std::string text = filled(form, [&](const Form& one) {
    const std::string& id = one.sides.front().measure;
    return id.find('.') < id.find('(') ? texts_of(said, id) : figures.text_of(one);
  });
  std::string reservations = figures.reservations();
  if (!reservations.empty() && text.ends_with('.'))
    text.pop_back();
  return text + reservations;
}

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
/// Samples a second without jitter. @p kept_ones: with failures those that are kept, in one history of them: another
/// step meets another history, which says nothing of the step.
std::optional<double> speed(const PointEvaluator& evaluator, Document document, const char* fidelity, bool kept_ones)
{
  static const Measure throughput = parse_measure("throughput"), kept = parse_measure("goodput");
  set_path(document, "run.fidelity", fidelity);
  std::erase_if(document.root.find("jobs")->items.front().entries,
                [](const DocumentNode::Entry& entry) { return entry.key == "jitter"; }); // takes thousands of steps
  const PointOutcome outcome = evaluator.evaluate({{}, std::move(document)});
  if (outcome.failed())
    return std::nullopt;
  const std::optional<double> value = value_of(throughput, outcome);
  return value ? std::optional{*value * (kept_ones ? value_of(kept, outcome).value_or(1) : 1)} : std::nullopt;
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
  std::map<std::pair<std::string, bool>, std::optional<double>> as_it_is; // by fidelity, and what counts
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
    const bool kept = std::string_view{alternative->key}.starts_with("checkpoints.");
    const auto [base, is_new] = as_it_is.try_emplace({alternative->fidelity, kept});
    if (is_new)
      base->second = speed(evaluator, document, alternative->fidelity, kept);
    const std::optional<double> other = speed(evaluator, std::move(changed), alternative->fidelity, kept);
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
