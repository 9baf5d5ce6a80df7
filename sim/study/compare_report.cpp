// SPDX-License-Identifier: Apache-2.0
/// A comparison in words, figures and a picture.
#include "models/core/figure_text.hpp"
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/study/compare.hpp"
#include "sim/study/measures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;
using Count = std::int64_t;

constexpr std::size_t most_groups_shown = 24;
constexpr std::size_t most_groups_advised = 4;
constexpr std::size_t most_differences_shown = 20;
constexpr std::size_t most_panels = 8;

constexpr Sentence<Count> runs_alone{
    "compare.alone", "{runs} runs from their results folders; one run of each, so there are no intervals"};
constexpr Sentence<Count> jobs_in_pairs{
    "compare.jobs_in_pairs", "{runs} runs from their results folders; times of the same jobs are compared in pairs"};
constexpr Sentence<Count, Count, std::string, Figure> same_seeds{
    "compare.same_seeds", "{candidates} candidates with the same {seeds} seeds; *: differs from {baseline} at "
                          "{confidence} (paired t test, Holm-corrected)"};
constexpr Sentence<Count> one_seed{
    "compare.one_seed", "{candidates} candidates with one seed: another gives other figures, so that no difference is "
                        "sure; --replicas 10 says how sure"};
constexpr Sentence<Count> exact_differences{
    "compare.exact", "{candidates} candidates; the seed has no effect, so every difference is exact"};
constexpr Sentence<std::string> precision_of_all{"compare.precision", "precision: {precision}"};
constexpr Sentence<std::string> fewer_rules_hold{"compare.fewer_rules",
                                                 "fewer rules hold for {name}, so the advice leaves it out:"};
constexpr Sentence<std::string> fewer_rules_for_all{"compare.fewer_rules_for_all",
                                                    "fewer rules hold for {names}, so the advice leaves them out:"};
constexpr Sentence<Count> over_jobs{"compare.over_jobs", "waiting and completion are over {jobs|job|jobs}"};
constexpr Sentence<std::string, std::string, Messages> wins_nothing{"compare.wins_nothing",
                                                                    "{candidate} wins nothing: {why}{of}"};
constexpr Sentence<Count, Count> of_a_part{"compare.of_a_part",
                                           "; {left} of {jobs} jobs were not done, so its figures are not compared"};
constexpr Sentence<std::string, Figure, Message> intervals_of{
    "compare.intervals", "compared with {baseline}: {confidence} intervals of the differences of {pairs}"};
constexpr Sentence<> of_same_jobs{"compare.of_same_jobs", "the same jobs"};
constexpr Sentence<Count> of_seeds{"compare.of_seeds", "{seeds|seed|seeds}"};
constexpr Sentence<> it_differs{"compare.differs", "differs"};
constexpr Sentence<> may_be_chance{"compare.may_be_chance", "may be chance"};
constexpr Sentence<Messages> advised{"compare.advice", "advice: {parts}."};
constexpr Sentence<std::string, std::string, std::string, std::string, std::string, Messages> best_in{
    "compare.best_in", "{best} is best in {measure} ({value}; second is {second} with {next}{sure})"};
constexpr Sentence<std::string> as_good{"compare.as_good", ", but {second} may be as good"};
constexpr Sentence<Figure> close_call{"compare.close_call", ", too close to call: {probability} for the first"};
constexpr Sentence<std::string, Count> beats_all{"compare.beats_all", "{name} beats every ps:N with N <= {servers}"};
constexpr Sentence<std::string, Count> is_beaten{"compare.is_beaten", "{name} is beaten by ps:N for N >= {servers}"};
constexpr Sentence<std::string, Count> beats_fewer{"compare.beats_fewer", "{name} beats every ps:N with N < {servers}"};
constexpr Sentence<Count> more_groups{"compare.more_groups", "… {more} more in compare.csv"};
constexpr Sentence<std::string> equal_for_all{"compare.equal_for_all", "equal for all: {figures}"};
constexpr Sentence<std::string, std::string> inputs_of{"compare.inputs_of",
                                                       "inputs of {candidate} compared with {baseline}:"};
constexpr Sentence<std::string, std::string> same_inputs{
    "compare.same_inputs", "inputs of {candidate} compared with {baseline}: none differs"};
constexpr Sentence<Count> more_inputs{"compare.more_inputs", "… and {more} more"};
constexpr Sentence<> absent_there{"compare.absent_there", "(absent)"};
constexpr Sentence<std::string, std::string, std::string, Figure> surely_better{
    "accuracy.better", "{one} is better than {other} in {measure}: {probability} sure, by the errors of the model"};
constexpr Sentence<std::string, std::string, std::string, Figure> too_close{
    "accuracy.too_close",
    "{one} and {other} are too close to call in {measure}: {probability} for the first, by the errors of the model"};

Figure share_of(double share)
{
  return {share, percent_text(share)};
}

std::string relative_text(double difference, double base)
{
  if (base == 0)
    return difference == 0 ? "=" : difference > 0 ? "more" : "less";
  const double share = difference / std::abs(base);
  if (std::abs(share) < 5e-5)
    return "=";
  if (share > 9)
    return fmt::format("x{:.3g}", 1 + share);
  return fmt::format("{:+.{}f} %", 100 * share, std::abs(share) < 0.0995 ? 1 : 0);
}

/// All candidates compute in the same precision, or none says in which.
bool one_precision(const Comparison& comparison)
{
  return std::ranges::all_of(comparison.precisions,
                             [&](const std::string& one) { return one == comparison.precisions.front(); });
}

/// The value of a candidate; null where it has none.
const ComparedValue* value_in(const ComparedGroup& group, std::size_t c, std::size_t m)
{
  return m < group.values[c].size() && !group.values[c][m].missing() ? &group.values[c][m] : nullptr;
}

/// Candidates that may win and have this measure, the best first.
std::vector<std::size_t> ranking(const Comparison& comparison, const ComparedGroup& group, std::size_t m)
{
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c)
    if (value_in(group, c, m) != nullptr && group.verdicts[c].answers())
      order.push_back(c);
  const double sign = kind_of(comparison.measures[m]).more_is_better ? -1 : 1;
  std::ranges::stable_sort(order, {}, [&](std::size_t c) { return sign * group.values[c][m].value.mean; });
  return order;
}

void tell_group(const Comparison& comparison, const ComparedGroup& group, Telling& told)
{
  std::vector<Column> columns = {{"", false}};
  const bool precisions = !one_precision(comparison) && comparison.precisions.size() == comparison.candidates.size();
  if (precisions)
    columns.push_back({"precision", false});
  for (const Measure& measure : comparison.measures)
    columns.insert(columns.end(), {{measure.text}, {""}});
  const bool notes = std::ranges::any_of(group.notes, [](const std::string& note) { return !note.empty(); });
  if (notes)
    columns.push_back({"bottleneck", false});
  std::vector<double> largest(comparison.measures.size()); // of each column, for one unit in it
  for (const std::vector<ComparedValue>& values : group.values)
    for (std::size_t m = 0; m < values.size(); ++m)
      if (!values[m].missing())
        largest[m] = std::max(largest[m], std::abs(values[m].value.mean));
  TableRows rows;
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
    std::vector<TableCell>& cells = rows.emplace_back();
    cells.emplace_back(comparison.candidates[c]);
    if (precisions)
      cells.emplace_back(comparison.precisions[c]);
    for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
      const ComparedValue* value = value_in(group, c, m);
      const ComparedValue& base = group.values[comparison.baseline][m];
      cells.emplace_back(value == nullptr ? "-" : measure_text(comparison.measures[m], value->value.mean, largest[m]));
      cells.emplace_back(value == nullptr || !group.differ_truly(c, comparison.baseline) || base.missing()
                             ? ""
                             : relative_text(value->value.mean - base.value.mean, base.value.mean) +
                                   (comparison.random && value->significant ? "*" : ""));
    }
    if (notes)
      cells.emplace_back(group.notes[c]);
  }
  if (!group.name.empty())
    told.heading(plain(MessageKind::part, group.name));
  told.table(std::move(columns), std::move(rows));
  const bool of_all = std::ranges::any_of(comparison.measures, [](const Measure& measure) {
    return kind_of(measure).of == "queue" && kind_of(measure).distribution && measure.item.empty();
  });
  if (const Verdict& base = group.verdicts[comparison.baseline];
      of_all && base.answers() && base.over > 0 &&
      std::ranges::all_of(group.verdicts, [&](const Verdict& one) { return !one.answers() || one.over == base.over; }))
    told.say(over_jobs(base.over));
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c)
    if (const Verdict& one = group.verdicts[c]; !one.answers())
      told.say(wins_nothing(comparison.candidates[c], one.text(),
                            one.over > 0 ? Messages{of_a_part(one.left_out, one.over)} : Messages{}));
}

/// Differences with their intervals, of the first measures.
void tell_intervals(const Comparison& comparison, const ComparedGroup& group, Telling& told)
{
  TableRows rows;
  for (std::size_t m = 0; m < comparison.measures.size(); ++m)
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
      if (c == comparison.baseline || m >= group.values[c].size())
        continue;
      const ComparedValue& value = group.values[c][m];
      const bool equal = value.difference.low == 0 && value.difference.high == 0;
      if (value.difference.values < 2 || equal || rows.size() >= most_differences_shown)
        continue;
      const double largest = std::max(std::abs(value.difference.low), std::abs(value.difference.high));
      const auto signed_text = [&](double difference) {
        return (difference < 0 ? "-" : "+") + measure_text(comparison.measures[m], std::abs(difference), largest);
      };
      rows.push_back({comparison.measures[m].text, comparison.candidates[c], signed_text(value.difference.mean),
                      signed_text(value.difference.low), signed_text(value.difference.high),
                      value.p_value < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", value.p_value),
                      value.significant ? it_differs() : may_be_chance()});
    }
  if (rows.empty())
    return;
  told.heading(intervals_of(comparison.candidates[comparison.baseline], share_of(comparison.confidence),
                            comparison.pairs == "job" ? of_same_jobs() : of_seeds(Count{comparison.replicas})),
               "\n");
  told.table({{"measure", false}, {"", false}, {"difference"}, {"low"}, {"high"}, {"p"}, {"", false}}, std::move(rows));
}

/// Why the best candidate in a measure may not be the best.
Messages doubt_on(const Comparison& comparison, const ComparedGroup& group, std::size_t m, std::size_t best,
                  std::size_t second)
{
  const ComparedValue &one = group.values[best][m], &other = group.values[second][m];
  if (comparison.random && comparison.pairs == "seed") {
    std::vector<double> differences;
    for (std::size_t r = 0; r < std::min(one.values.size(), other.values.size()); ++r)
      differences.push_back(one.values[r] - other.values[r]);
    if (paired_p_value(differences) >= 1 - comparison.confidence)
      return {as_good(comparison.candidates[second])};
  }
  const double ratio = one.value.mean / other.value.mean;
  if (rests_on_steps(kind_of(comparison.measures[m])))
    if (const std::optional<double> said = group.surely(best, second, std::max(ratio, 1 / ratio));
        said && *said < decided)
      return {close_call(share_of(*said))};
  return {};
}

/// ps:1 … ps:16 against the others: from how many servers on?
void advise_on_servers(const Comparison& comparison, const ComparedGroup& group, Messages& parts)
{
  if (comparison.measures.empty() || comparison.servers.empty())
    return;
  const bool more = kind_of(comparison.measures[0]).more_is_better;
  std::vector<std::pair<int, double>> servers;
  std::vector<std::pair<std::string, double>> others;
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
    const ComparedValue* value = value_in(group, c, 0);
    if (value == nullptr || !group.verdicts[c].answers())
      continue;
    if (comparison.servers[c] > 0)
      servers.emplace_back(comparison.servers[c], value->value.mean);
    else
      others.emplace_back(comparison.candidates[c], value->value.mean);
  }
  std::ranges::sort(servers);
  if (servers.size() > 1)
    for (const auto& [name, value] : others) {
      const auto crossing = std::ranges::find_if(
          servers, [&, value = value](const auto& one) { return more ? one.second > value : one.second < value; });
      parts.push_back(crossing == servers.end()     ? beats_all(name, Count{servers.back().first})
                      : crossing == servers.begin() ? is_beaten(name, Count{crossing->first})
                                                    : beats_fewer(name, Count{crossing->first}));
    }
}

/// The best candidate in each measure; nothing where none is better.
Messages advice_parts(const Comparison& comparison, const ComparedGroup& group)
{
  Messages parts;
  for (std::size_t m = 0; m < std::min<std::size_t>(comparison.measures.size(), 8); ++m) {
    const Measure& measure = comparison.measures[m];
    const MeasureKind& kind = kind_of(measure);
    if (kind.of == "run" || kind.of == "cluster" || (is_money(measure) && !comparison.unpriced.empty()))
      continue;
    if (m > 0 && kind.name != "staleness" && kind.name != "price_per_million_samples" && kind.of == "training")
      continue; // parts of the step
    std::vector<std::size_t> order = ranking(comparison, group, m);
    std::erase_if(order, [&](std::size_t c) { return comparison.fewer_rules.contains(c); });
    if (order.size() < 2)
      continue;
    const double best = group.values[order[0]][m].value.mean, second = group.values[order[1]][m].value.mean;
    if (best == group.values[order.back()][m].value.mean || std::abs(best - second) <= 1e-9 * std::abs(best))
      continue;
    const double larger = std::max(best, second);
    parts.push_back(best_in(comparison.candidates[order[0]], measure.text, measure_text(measure, best, larger),
                            comparison.candidates[order[1]], measure_text(measure, second, larger),
                            doubt_on(comparison, group, m, order[0], order[1])));
  }
  advise_on_servers(comparison, group, parts);
  if (!comparison.unpriced.empty())
    parts.push_back(cost_without(comparison.unpriced));
  for (std::size_t i = 1; i < parts.size(); i += 2)
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i), plain(MessageKind::part, "; "));
  return parts;
}

/// The advice of every group, as far as they are few; groups by name.
std::string advice_of_all(const Comparison& comparison)
{
  std::string text;
  for (const ComparedGroup& group : comparison.groups)
    if (const Messages parts = advice_parts(comparison, group);
        !parts.empty() && comparison.groups.size() <= most_groups_advised)
      text += fmt::format("{}{}{}{}.", text.empty() ? "" : " ", group.name, group.name.empty() ? "" : ": ",
                          fmt::join(texts_of(parts, MessageKind::part), ""));
  return text;
}

Message how_compared(const Comparison& comparison)
{
  const auto candidates = static_cast<Count>(comparison.candidates.size());
  if (comparison.pairs.empty())
    return runs_alone(candidates);
  if (comparison.pairs == "job")
    return jobs_in_pairs(candidates);
  if (comparison.one_seed)
    return one_seed(candidates);
  return comparison.random ? same_seeds(candidates, Count{comparison.replicas},
                                        comparison.candidates[comparison.baseline], share_of(comparison.confidence))
                           : exact_differences(candidates);
}

void tell_inputs(const Comparison& comparison, const InputDifference& inputs, Telling& told)
{
  constexpr std::size_t most = 30;
  const std::string& baseline = comparison.candidates[comparison.baseline];
  told.heading((inputs.differences.empty() ? same_inputs : inputs_of)(inputs.candidate, baseline), "\n");
  const auto value = [](const std::string& text) {
    return text.empty() ? TableCell{absent_there()} : TableCell{text.substr(0, 60)};
  };
  TableRows rows;
  for (const DocumentDifference& one : inputs.differences)
    if (rows.size() < most)
      rows.push_back({one.path, value(one.before), value(one.after)});
  told.table({{"path", false}, {baseline, false}, {inputs.candidate, false}}, std::move(rows));
  if (inputs.differences.size() > most)
    told.say(more_inputs(static_cast<Count>(inputs.differences.size() - most)));
}

} // namespace

std::optional<double> ComparedGroup::surely(std::size_t a, std::size_t b, double ratio) const
{
  if (std::max(a, b) >= errors.size() || (errors[a].own == 0 && errors[b].own == 0))
    return std::nullopt; // figures without answers, or exact ones
  if (steps[a] > 0 && steps[a] == steps[b])
    return std::nullopt; // the same step, with the same error
  const bool together = systems[a] == systems[b];
  constexpr double most = 0.99; // of pairs that were called surest 93 % were right (docs/accuracy.md)
  return std::min(most, surely_longer(ratio, together ? std::max(errors[a].own, errors[b].own)
                                                      : scale_between(errors[a], errors[b])));
}

Messages decisions_told(const Comparison& comparison)
{
  Messages told;
  for (const ComparedGroup& group : comparison.groups)
    for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
      const Measure& measure = comparison.measures[m];
      if (!rests_on_steps(kind_of(measure)) || is_money(measure))
        continue;
      const std::vector<std::size_t> order = ranking(comparison, group, m);
      if (order.size() < 2)
        continue;
      const std::size_t one = order[0], other = order[1];
      const double x = group.values[one][m].value.mean, y = group.values[other][m].value.mean;
      const std::optional<double> sure = group.surely(one, other, std::max(x / y, y / x));
      if (!sure || std::abs(x - y) <= 1e-9 * std::abs(x)) // the same answer
        continue;
      told.push_back(
          as(MessageKind::answer, (*sure < decided ? too_close : surely_better)(
                                      comparison.candidates[one], comparison.candidates[other],
                                      (group.name.empty() ? "" : group.name + ", ") + measure.text, share_of(*sure))));
      break; // throughput and step say the same
    }
  return told;
}

Telling compare_told(const Comparison& comparison)
{
  Telling told;
  told.say(how_compared(comparison));
  if (!comparison.random && comparison.pairs == "seed")
    told.lines(comparison.seed_note);
  if (!comparison.precisions.empty() && !comparison.precisions.front().empty() && one_precision(comparison))
    told.say(precision_of_all(comparison.precisions.front()));
  told.gap();
  if (!comparison.unlike.empty()) {
    std::vector<std::string> names;
    for (const std::size_t c : comparison.fewer_rules)
      names.push_back(comparison.candidates[c]);
    told.say((names.size() == 1 ? fewer_rules_hold : fewer_rules_for_all)(fmt::format("{}", fmt::join(names, ", "))));
    told.lines(comparison.unlike);
  }
  std::size_t shown = 0;
  for (const ComparedGroup& group : comparison.groups) {
    if (++shown > most_groups_shown) {
      told.say(more_groups(static_cast<Count>(comparison.groups.size() - most_groups_shown)));
      break;
    }
    tell_group(comparison, group, told);
    if (comparison.groups.size() <= most_groups_advised) {
      tell_intervals(comparison, group, told);
      if (Messages parts = advice_parts(comparison, group); !parts.empty())
        told.answer(advised(parts), "\n");
    }
    if (comparison.groups.size() > 1)
      told.gap();
  }
  if (const Messages sure = decisions_told(comparison); sure.size() <= 4)
    for (const Message& message : sure)
      told.say(message);
  if (!comparison.equal.empty())
    told.line(equal_for_all(fmt::format("{}", fmt::join(comparison.equal, ", "))), "\n");
  if (!comparison.price_note.empty() &&
      (std::ranges::any_of(comparison.measures, is_money) || comparison.equal_money)) {
    told.gap();
    told.lines(comparison.price_note);
  }
  for (const InputDifference& inputs : comparison.inputs)
    tell_inputs(comparison, inputs, told);
  if (!comparison.assumed.empty())
    told.line(assumed_told(comparison.assumed), "\n");
  return told;
}

namespace {

/// A row of compare.csv: a candidate in one measure; one that cannot run may have none.
struct ComparedRow {
  const Comparison* all;
  const ComparedGroup* group;
  std::size_t c;
  std::optional<std::size_t> m;

  const Measure* measure() const { return m ? &all->measures[*m] : nullptr; }
  const ComparedValue* value() const { return m ? value_in(*group, c, *m) : nullptr; }
  /// Its difference from the baseline, where it has one.
  const ComparedValue* differing() const
  {
    const ComparedValue* one = value();
    return one != nullptr && c != all->baseline && one->difference.values > 0 ? one : nullptr;
  }
};

std::optional<double> if_finite(double value)
{
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

template <double MeanInterval::*part>
std::optional<double> of_value(const ComparedRow& row)
{
  return row.value() == nullptr ? std::nullopt : if_finite(row.value()->value.*part);
}

template <double MeanInterval::*part>
std::optional<double> of_difference(const ComparedRow& row)
{
  return row.differing() == nullptr ? std::nullopt : if_finite(row.differing()->difference.*part);
}

/// Those of compare.csv alone are said of the candidate in the document.
const std::vector<ResultColumn<ComparedRow>>& compared_columns()
{
  using Row = ComparedRow;
  using Text = std::string;
  static const std::vector<ResultColumn<Row>> columns = {
      {"group", +[](const Row& r) { return r.group->name; }, "", "point or job", in_csv},
      {"candidate", +[](const Row& r) { return r.all->candidates[r.c]; }, "", "what is compared", in_csv},
      {"measure", +[](const Row& r) { return r.m ? r.measure()->text : Text{}; }, "", "what is measured"},
      {"unit", +[](const Row& r) { return r.m ? kind_of(*r.measure()).unit : Text{}; }, "", "of its values", in_csv},
      {"mean", of_value<&MeanInterval::mean>, "", "over the seeds"},
      {"low", of_value<&MeanInterval::low>, "", "lower end of its interval"},
      {"high", of_value<&MeanInterval::high>, "", "upper end"},
      {"replicas",
       +[](const Row& r) { return r.value() == nullptr ? Text{} : fmt::to_string(r.value()->values.size()); }, "",
       "seeds", in_csv},
      {"difference", of_difference<&MeanInterval::mean>, "", "from the baseline, mean of pairs"},
      {"difference_low", of_difference<&MeanInterval::low>, "", "lower end of its interval"},
      {"difference_high", of_difference<&MeanInterval::high>, "", "upper end"},
      {"p", +[](const Row& r) { return r.differing() == nullptr ? std::nullopt : if_finite(r.differing()->p_value); },
       "", "probability of such a difference by chance, Holm-corrected"},
      {"significant",
       +[](const Row& r) -> Text { return r.differing() == nullptr     ? ""
                                          : r.differing()->significant ? "yes"
                                                                       : "no"; },
       "", "whether it is more than chance", in_csv},
      {"bottleneck", +[](const Row& r) { return r.value() == nullptr ? Text{} : r.group->notes[r.c]; }, "",
       "what limits it", in_csv},
      {"message", +[](const Row& r) { return r.group->verdicts[r.c].why; }, "", "why it cannot run", in_csv},
      {"precision", +[](const Row& r) { return r.c < r.all->precisions.size() ? r.all->precisions[r.c] : Text{}; }, "",
       "of its computing", in_csv},
  };
  return columns;
}

Json candidate_json(const Comparison& comparison, const ComparedGroup& group, std::size_t c)
{
  const Verdict& verdict = group.verdicts[c];
  Json candidate = {{"name", comparison.candidates[c]}, {"verdict", to_text(verdict.ruling)}};
  if (verdict.over > 0)
    candidate["jobs"] = verdict.over;
  for (const auto& [key, text] : {std::pair{"message", verdict.answers() ? std::string{} : verdict.why},
                                  {"smallest_change", verdict.change},
                                  {"precision", c < comparison.precisions.size() ? comparison.precisions[c] : ""},
                                  {"bottleneck", group.notes[c]}})
    if (!text.empty())
      candidate[key] = text;
  for (std::size_t m = 0; m < group.values[c].size(); ++m)
    if (const ComparedRow row{&comparison, &group, c, m}; row.value() != nullptr) {
      Json figure = row_json(compared_columns(), row);
      for (auto at = figure.begin(); at != figure.end();)
        at = at->is_null() ? figure.erase(at) : std::next(at);
      if (row.differing() != nullptr) {
        figure["significant"] = row.differing()->significant;
        if (row.differing()->difference.values < 2) // one run of each: no interval
          for (const char* key : {"difference_low", "difference_high", "p"})
            figure.erase(key);
      }
      candidate["figures"].push_back(std::move(figure));
    }
  return candidate;
}

} // namespace

std::string compare_json(const Comparison& comparison)
{
  const std::string& baseline = comparison.candidates[comparison.baseline];
  std::string title = fmt::format("Comparison of {}", fmt::join(comparison.candidates, ", "));
  if (title.size() > 90)
    title = fmt::format("Comparison of {} candidates", comparison.candidates.size());
  Json json = document_head("trainyard comparison");
  json.update(
      {{"title", title},
       {"question", fmt::format("Which candidate is best, and is the difference from {} significant?", baseline)},
       {"baseline", baseline},
       {"candidates", comparison.candidates},
       {"random", comparison.random},
       {"pairs", comparison.pairs},
       {"replicas", comparison.replicas},
       {"confidence", comparison.confidence},
       {"price_note", comparison.price_note},
       {"seed_note", comparison.random ? "" : comparison.seed_note},
       {"advice", advice_of_all(comparison)},
       {"messages", Json::array()},
       {"assumed", texts_of(comparison.assumed, MessageKind::part)},
       {"unlike", comparison.unlike},
       {"measures", Json::array()},
       {"groups", Json::array()},
       {"inputs", Json::array()},
       {"told", compare_told(comparison).json()}});
  for (const Messages& said : {decisions_told(comparison), comparison.assumed})
    for (const Message& message : said)
      json["messages"].push_back(to_json(message));
  for (const Measure& measure : comparison.measures)
    json["measures"].push_back(
        {{"name", measure.text}, {"unit", kind_of(measure).unit}, {"more_is_better", kind_of(measure).more_is_better}});
  for (const ComparedGroup& group : comparison.groups) {
    Json one = {{"name", group.name}, {"candidates", Json::array()}};
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c)
      one["candidates"].push_back(candidate_json(comparison, group, c));
    json["groups"].push_back(std::move(one));
  }
  for (const InputDifference& inputs : comparison.inputs) {
    Json one = {{"candidate", inputs.candidate}, {"differences", Json::array()}};
    for (const DocumentDifference& difference : inputs.differences)
      one["differences"].push_back(
          {{"path", difference.path}, {"baseline", difference.before}, {"candidate", difference.after}});
    json["inputs"].push_back(std::move(one));
  }
  return document_text(json);
}

std::string compare_csv(const Comparison& comparison)
{
  TableCsv<ComparedRow> table{compared_columns(), {}, {[](double value) { return fmt::format("{:.9g}", value); }}};
  for (const ComparedGroup& group : comparison.groups)
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
      if (group.values[c].empty())
        table.add({&comparison, &group, c, {}});
      for (std::size_t m = 0; m < group.values[c].size(); ++m)
        table.add({&comparison, &group, c, m});
    }
  return table.take();
}

namespace {

/// The candidates of a group in one measure, each by its change as a share of the baseline; without lanes where the
/// baseline has no value, or all are equal.
PicturePanel change_panel(const Comparison& comparison, const ComparedGroup& group, std::size_t m)
{
  const Measure& measure = comparison.measures[m];
  const std::vector<ComparedValue>& baseline = group.values[comparison.baseline];
  if (m >= baseline.size() || baseline[m].missing() || baseline[m].value.mean == 0)
    return {};
  const double base = baseline[m].value.mean, scale = std::abs(base);
  PicturePanel panel{.title = measure.text + (group.name.empty() ? "" : ": " + group.name),
                     .kind = PicturePanel::Kind::number,
                     .x = {0, 0}};
  bool differ = false;
  std::vector<std::string> figures;
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
    const ComparedValue& value = group.values[c][m];
    if (value.missing() || (c != comparison.baseline && !group.differ_truly(c, comparison.baseline)))
      continue;
    const auto y = static_cast<double>(panel.lanes.size()) + 0.5;
    panel.lanes.push_back(comparison.candidates[c]);
    figures.push_back(measure_text(measure, value.value.mean));
    const double share = (value.value.mean - base) / scale;
    const auto end = [&](double of_interval) {
      return value.difference.values > 1 && std::isfinite(of_interval) ? of_interval / scale : share;
    };
    const double low = end(value.difference.low), high = end(value.difference.high);
    const bool better = (share > 0) == kind_of(measure).more_is_better;
    differ = differ || share != 0;
    if (share != 0)
      panel.marks.push_back(box(std::min(0.0, share), std::max(0.0, share), y - 0.26, y + 0.26,
                                better ? okabe_ito[0] : okabe_ito[1], value.significant ? 0.85 : 0.35));
    if (high > low) {
      panel.marks.push_back(line(low, high, y, y, ink, 1.3));
      for (const double at : {low, high})
        panel.marks.push_back(line(at, at, y - 0.16, y + 0.16, ink, 1.3));
    }
    panel.x = {std::min({panel.x.low, share, low}), std::max({panel.x.high, share, high})};
  }
  if (!differ)
    return {};
  const double room = std::max(panel.x.high - panel.x.low, 1e-3) * 0.05;
  panel.x = {panel.x.low - room, panel.x.high + room};
  panel.height = 19 * static_cast<double>(panel.lanes.size());
  for (const double tick : panel.x.ticks())
    panel.x_ticks.push_back({tick, tick == 0 ? "0 %" : fmt::format("{:+g} %", std::round(tick * 1e5) / 1e3)});
  panel.marks.push_back(line(0, 0, 0, static_cast<double>(panel.lanes.size()), quiet_ink, 1.2));
  for (std::size_t i = 0; i < figures.size(); ++i)
    panel.marks.push_back(words(panel.x.high, static_cast<double>(i) + 0.5, ink, figures[i]));
  return panel;
}

} // namespace

bool plot_comparison(const Comparison& comparison, const std::filesystem::path& path)
{
  Picture picture{.note = fmt::format(
                      "change compared with {}{}; blue: better, orange: worse, pale: may be chance",
                      comparison.candidates[comparison.baseline],
                      comparison.random ? fmt::format(", with {:.0f} % intervals", 100 * comparison.confidence) : ""),
                  .width = 780,
                  .left = 190,
                  .right = 110};
  for (const ComparedGroup& group : comparison.groups)
    for (std::size_t m = 0; m < comparison.measures.size(); ++m)
      if (picture.panels.size() < most_panels && (comparison.groups.size() == 1 || m == 0))
        if (PicturePanel panel = change_panel(comparison, group, m); !panel.lanes.empty())
          picture.panels.push_back(std::move(panel));
  return draw(picture, path);
}

} // namespace trainyard
