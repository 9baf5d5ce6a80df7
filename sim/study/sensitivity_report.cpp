// SPDX-License-Identifier: Apache-2.0
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/sensitivity.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 20;
constexpr std::size_t most_bars = 14;

constexpr Sentence<std::string> of_point{"sensitivity.point", "point: {point}"};
constexpr Sentence<std::string, std::string, Messages> value_is{"sensitivity.value_is", "{measure}: {value}{more}"};
constexpr Sentence<std::string, std::string, std::int64_t, std::int64_t> varied_at_once{
    "sensitivity.together", "; {low} to {high} with {inputs|uncertain input|uncertain inputs} varied together (5 to "
                            "95 % of {samples} samples)"};
constexpr Sentence<std::int64_t, std::int64_t> cut_off{"sensitivity.cut_off",
                                                       "; without {samples} of {all} samples, which cannot run"};
constexpr Sentence<std::int64_t> mean_of_seeds{"sensitivity.mean_of_seeds", "; mean of {seeds} seeds"};
constexpr Sentence<> nothing_changes{"sensitivity.nothing_changes", "no input changes it"};
constexpr Sentence<std::string, Message> most_important{"sensitivity.most_important",
                                                        "the most important input is {input}: {effect}"};
constexpr Sentence<std::string, std::string, std::string, std::string> at_both_ends{
    "sensitivity.at_both_ends", "from {low} to {high} it changes the answer from {at_low} to {at_high}"};
constexpr Sentence<std::string, std::string, std::string> at_one_end{
    "sensitivity.at_one_end", "at {runs} the answer is {answer}, and at {fails} it cannot run"};
constexpr Sentence<> cannot_run_there{"sensitivity.cannot_run", "cannot run"};
constexpr Sentence<std::int64_t> more_of_them{"sensitivity.more", "… and {more} more in sensitivity.csv"};
constexpr Sentence<std::int64_t, std::string> no_effect_of{"sensitivity.no_effect", "no effect ({count}): {inputs}"};
constexpr Sentence<> not_varied{"sensitivity.not_varied",
                                "not varied: the errors of the model itself (docs/accuracy.md); machines, GPUs, "
                                "memory, cores, prices and policies (-i PATH=10% varies one)"};
constexpr Sentence<std::string, std::string> cannot_vary{"sensitivity.cannot_vary", "cannot be varied: {input}: {why}"};

std::string change_text(double to, double from)
{
  if (from == 0)
    return to == 0 ? "0" : "from 0";
  const double percent = 100 * (to - from) / std::abs(from);
  return std::abs(percent) < 99.5 ? fmt::format("{:+.2g} %", percent) : fmt::format("{:+.0f} %", percent);
}

/// What the most important input does to a measure.
Message effect_of(const InputEffect& effect, const UncertainInput& input, const Measure& measure)
{
  const std::string low = input.text(input.low), high = input.text(input.high),
                    at_low = measure_text(measure, effect.at_low), at_high = measure_text(measure, effect.at_high);
  return most_important(input.name, !effect.runs_at_low    ? at_one_end(high, at_high, low)
                                    : !effect.runs_at_high ? at_one_end(low, at_low, high)
                                                           : at_both_ends(low, high, at_low, at_high));
}

void tell_measure(const Sensitivity& result, std::size_t m, Telling& told)
{
  const Measure& measure = result.measures[m];
  const std::vector<InputEffect>& effects = result.effects[m];
  Messages more;
  if (m < result.together.size() && result.samples > 1)
    more.push_back(varied_at_once(measure_text(measure, result.together[m].first),
                                  measure_text(measure, result.together[m].second),
                                  static_cast<std::int64_t>(result.varied_together), result.samples));
  if (result.left_out > 0)
    more.push_back(cut_off(result.left_out, result.samples + result.left_out));
  if (result.random)
    more.push_back(mean_of_seeds(result.replicas));
  told.answer(value_is(measure.text, measure_text(measure, result.base[m]), more), m > 0 ? "\n" : "");
  if (effects.empty())
    return told.say(nothing_changes());
  const auto uncertain =
      std::ranges::find_if(effects, [&](const InputEffect& effect) { return !result.inputs[effect.input].whole; });
  const InputEffect& most = uncertain != effects.end() ? *uncertain : effects.front();
  told.answer(effect_of(most, result.inputs[most.input], measure));
  TableRows rows;
  for (std::size_t i = 0; i < std::min(effects.size(), most_rows); ++i) {
    const InputEffect& effect = effects[i];
    const UncertainInput& input = result.inputs[effect.input];
    const auto end = [&](bool runs, double at) -> std::vector<TableCell> {
      if (!runs)
        return {cannot_run_there(), ""};
      return {measure_text(measure, at), change_text(at, result.base[m])};
    };
    const auto low = end(effect.runs_at_low, effect.at_low), high = end(effect.runs_at_high, effect.at_high);
    rows.push_back({input.name, input.text(input.low), input.text(input.high), low[0], low[1], high[0], high[1],
                    result.samples > 2 && effect.rank != 0 ? fmt::format("{:+.2f}", effect.rank) : "-", input.from});
  }
  told.table(
      {{"input", false}, {"low"}, {"high"}, {"at low"}, {""}, {"at high"}, {""}, {"rank corr."}, {"range from", false}},
      std::move(rows));
  if (effects.size() > most_rows)
    told.say(more_of_them(static_cast<std::int64_t>(effects.size() - most_rows)));
}

/// A row of sensitivity.csv: an input that moves a measure.
struct EffectRow {
  const Sensitivity* all;
  std::size_t m;
  const InputEffect* effect;

  const UncertainInput& input() const { return all->inputs[effect->input]; }
};

const std::vector<ResultColumn<EffectRow>>& effect_columns()
{
  using Row = EffectRow;
  static const std::vector<ResultColumn<Row>> columns = {
      {"measure", +[](const Row& r) { return r.all->measures[r.m].text; }, "", "what is measured", in_csv},
      {"input", +[](const Row& r) { return r.input().name; }, "", "what is varied"},
      {"value", +[](const Row& r) { return r.input().text(r.input().value); }, "", "as the scenario has it"},
      {"low", +[](const Row& r) { return r.input().text(r.input().low); }, "", "lower end of its range"},
      {"high", +[](const Row& r) { return r.input().text(r.input().high); }, "", "upper end"},
      {"answer", +[](const Row& r) { return r.all->base[r.m]; }, "", "of the scenario", in_csv},
      {"answer_at_low",
       +[](const Row& r) { return r.effect->runs_at_low ? std::optional{r.effect->at_low} : std::nullopt; }, "",
       "at the lower end", in_csv},
      {"answer_at_high",
       +[](const Row& r) { return r.effect->runs_at_high ? std::optional{r.effect->at_high} : std::nullopt; }, "",
       "at the upper end", in_csv},
      {"rank_correlation", +[](const Row& r) { return fmt::format("{:.4f}", r.effect->rank); }, "",
       "of input and answer over the samples", in_csv},
      {"range_from", +[](const Row& r) { return r.input().from; }, "", "who says how far it may be off", in_csv},
  };
  return columns;
}

} // namespace

Telling sensitivity_told(const Sensitivity& result)
{
  Telling told;
  if (!result.point.empty())
    told.say(of_point(result.point));
  for (std::size_t m = 0; m < result.measures.size(); ++m)
    tell_measure(result, m, told);
  if (std::ranges::any_of(result.measures, is_money))
    told.lines(result.price_note);
  told.gap();
  if (!result.without_effect.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(result.without_effect.size(), 8); ++i)
      names += (i > 0 ? ", " : "") + result.inputs[result.without_effect[i]].name;
    told.say(no_effect_of(std::ssize(result.without_effect), names + (result.without_effect.size() > 8 ? ", …" : "")));
  }
  told.say(not_varied());
  for (const auto& [input, why] : result.failed)
    told.say(cannot_vary(result.inputs[input].name, why));
  return told;
}

std::string sensitivity_json(const Sensitivity& result, const std::string& name)
{
  Json json = document_head("trainyard sensitivity");
  json.update({{"scenario", name},
               {"question", "Which input decides the answer, and how uncertain is the answer?"},
               {"point", result.point},
               {"random", result.random},
               {"replicas", result.replicas},
               {"samples", result.samples},
               {"measures", Json::array()},
               {"without_effect", Json::array()},
               {"told", sensitivity_told(result).json()}});
  for (std::size_t m = 0; m < result.measures.size(); ++m) {
    Json one = {
        {"measure", result.measures[m].text}, {"unit", kind_of(result.measures[m]).unit}, {"value", result.base[m]}};
    if (m < result.together.size())
      one["together"] = {{"p5", result.together[m].first}, {"p95", result.together[m].second}};
    one["inputs"] = Json::array();
    for (const InputEffect& effect : result.effects[m]) {
      Json input = row_json(effect_columns(), EffectRow{&result, m, &effect});
      input.update({{"at_low", effect.runs_at_low ? Json(effect.at_low) : Json{}},
                    {"at_high", effect.runs_at_high ? Json(effect.at_high) : Json{}},
                    {"rank_correlation", effect.rank},
                    {"from", result.inputs[effect.input].from}});
      one["inputs"].push_back(std::move(input));
    }
    json["measures"].push_back(std::move(one));
  }
  for (const std::size_t input : result.without_effect)
    json["without_effect"].push_back(result.inputs[input].name);
  return document_text(json);
}

std::string sensitivity_csv(const Sensitivity& result)
{
  TableCsv<EffectRow> table{effect_columns(), {}, {[](double value) { return fmt::format("{:.9g}", value); }}};
  for (std::size_t m = 0; m < result.measures.size(); ++m)
    for (const InputEffect& effect : result.effects[m])
      table.add({&result, m, &effect});
  return table.take();
}

namespace {

/// What moves one measure: a bar from the base value to either end of each input.
PicturePanel panel_of(const Sensitivity& result, std::size_t m)
{
  const Measure& measure = result.measures[m];
  const double base = result.base[m];
  const std::size_t n = std::min(result.effects[m].size(), most_bars);
  PicturePanel panel{.title = fmt::format("What moves {} ({}){}", measure.text, measure_text(measure, base),
                                          result.point.empty() ? "" : ": " + result.point),
                     .note = "blue: the input at its high end; orange: at its low end; grey band: all that move it "
                             "together, 5 to 95 %",
                     .kind = PicturePanel::Kind::number,
                     .height = 22 * static_cast<double>(n)};
  std::vector<double> values = {base}; // also of ends that cannot run
  for (std::size_t i = 0; i < n; ++i)
    values.insert(values.end(), {result.effects[m][i].at_low, result.effects[m][i].at_high});
  if (m < result.together.size() && result.samples > 1) {
    const auto [low, high] = result.together[m];
    values.insert(values.end(), {low, high});
    panel.marks.push_back(box(low, high, 0, static_cast<double>(n), quiet_ink, 0.13));
  }
  const auto [smallest, largest] = std::ranges::minmax(values);
  const double room = std::max((largest - smallest) * 0.16, 1e-9 * std::abs(largest) + 1e-300);
  panel.x = {smallest - room, largest + room};
  panel.x_ticks = axis_ticks(panel.x, measure);
  for (std::size_t i = 0; i < n; ++i) {
    const InputEffect& effect = result.effects[m][i];
    const UncertainInput& input = result.inputs[effect.input];
    panel.lanes.push_back(input.name);
    const auto y = static_cast<double>(i);
    const auto bar = [&](double value, Colour colour, const std::string& label) {
      panel.marks.push_back(box(std::min(value, base), std::max(value, base), y + 0.18, y + 0.82, colour, 0.85));
      panel.marks.push_back(words(value, y + 0.5, quiet_ink, label, value < base ? Anchor::right : Anchor::left));
    };
    const bool same_side =
        effect.runs_at_low && effect.runs_at_high && (effect.at_low - base) * (effect.at_high - base) > 0;
    if (effect.runs_at_low)
      bar(effect.at_low, okabe_ito[1], same_side ? "" : input.text(input.low));
    if (effect.runs_at_high)
      bar(effect.at_high, okabe_ito[0], input.text(input.high));
  }
  panel.marks.push_back(line(base, base, 0, static_cast<double>(n), ink, 1.2));
  return panel;
}

} // namespace

bool plot_sensitivity(const Sensitivity& result, const std::filesystem::path& path)
{
  Picture picture{.width = 800, .left = 210, .right = 60};
  for (std::size_t m = 0; m < std::min<std::size_t>(result.measures.size(), 4); ++m)
    if (!result.effects[m].empty())
      picture.panels.push_back(panel_of(result, m));
  return draw(picture, path);
}

} // namespace trainyard
