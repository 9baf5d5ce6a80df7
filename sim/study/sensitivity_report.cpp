// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/study/plot_axes.hpp"
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

std::string change_text(double to, double from)
{
  if (from == 0)
    return to == 0 ? "0" : "from 0";
  return fmt::format("{:+.2g} %", 100 * (to - from) / std::abs(from));
}

} // namespace

std::string sensitivity_text(const Sensitivity& result, bool colour)
{
  std::string text = result.point.empty() ? std::string{} : fmt::format("point: {}\n", result.point);
  for (std::size_t m = 0; m < result.measures.size(); ++m) {
    const Measure& measure = result.measures[m];
    text += fmt::format("{}{}: {}", m > 0 ? "\n" : "", measure.text, measure_text(measure, result.base[m]));
    if (m < result.together.size() && result.samples > 1)
      text += fmt::format("; {} to {} with all uncertainties together (5 to 95 % of {} samples)",
                          measure_text(measure, result.together[m].first),
                          measure_text(measure, result.together[m].second), result.samples);
    if (result.random)
      text += fmt::format("; mean of {} seeds", result.replicas);
    text += "\n";
    const std::vector<InputEffect>& effects = result.effects[m];
    if (effects.empty()) {
      text += "no input changes it\n";
      continue;
    }
    std::vector<std::vector<TableCell>> rows;
    for (std::size_t i = 0; i < std::min(effects.size(), most_rows); ++i) {
      const InputEffect& effect = effects[i];
      const UncertainInput& input = result.inputs[effect.input];
      rows.push_back({{input.name},
                      {input.text(input.low)},
                      {input.text(input.high)},
                      {effect.runs_at_low ? measure_text(measure, effect.at_low) : "cannot run"},
                      {effect.runs_at_low ? change_text(effect.at_low, result.base[m]) : ""},
                      {effect.runs_at_high ? measure_text(measure, effect.at_high) : "cannot run"},
                      {effect.runs_at_high ? change_text(effect.at_high, result.base[m]) : ""},
                      {result.samples > 2 && effect.rank != 0 ? fmt::format("{:+.2f}", effect.rank) : "-"},
                      {input.from}});
    }
    text += table_text({{"input", false},
                        {"low", true},
                        {"high", true},
                        {"at low", true},
                        {"", true},
                        {"at high", true},
                        {"", true},
                        {"rank corr.", true},
                        {"range from", false}},
                       rows, colour);
    if (effects.size() > most_rows)
      text += fmt::format("… and {} more in sensitivity.csv\n", effects.size() - most_rows);
  }
  if (std::ranges::any_of(result.measures, is_money))
    text += result.price_note;
  if (!result.without_effect.empty()) {
    text += fmt::format("\nno effect ({}): ", result.without_effect.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(result.without_effect.size(), 8); ++i)
      text += (i > 0 ? ", " : "") + result.inputs[result.without_effect[i]].name;
    text += result.without_effect.size() > 8 ? ", …\n" : "\n";
  }
  for (const auto& [input, why] : result.failed)
    text += fmt::format("cannot be varied: {}: {}\n", result.inputs[input].name, why);
  return text;
}

std::string sensitivity_json(const Sensitivity& result)
{
  Json json = document_head("trainyard sensitivity");
  json.update({{"point", result.point},
               {"random", result.random},
               {"replicas", result.replicas},
               {"samples", result.samples},
               {"measures", Json::array()},
               {"without_effect", Json::array()}});
  for (std::size_t m = 0; m < result.measures.size(); ++m) {
    Json one = {
        {"measure", result.measures[m].text}, {"unit", kind_of(result.measures[m]).unit}, {"value", result.base[m]}};
    if (m < result.together.size())
      one["together"] = {{"p5", result.together[m].first}, {"p95", result.together[m].second}};
    one["inputs"] = Json::array();
    for (const InputEffect& effect : result.effects[m]) {
      const UncertainInput& input = result.inputs[effect.input];
      one["inputs"].push_back({{"input", input.name},
                               {"value", input.text(input.value)},
                               {"low", input.text(input.low)},
                               {"high", input.text(input.high)},
                               {"at_low", effect.runs_at_low ? Json(effect.at_low) : Json{}},
                               {"at_high", effect.runs_at_high ? Json(effect.at_high) : Json{}},
                               {"rank_correlation", effect.rank},
                               {"from", input.from}});
    }
    json["measures"].push_back(std::move(one));
  }
  for (const std::size_t input : result.without_effect)
    json["without_effect"].push_back(result.inputs[input].name);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sensitivity_csv(const Sensitivity& result)
{
  std::string text = "measure,input,value,low,high,answer,answer_at_low,answer_at_high,rank_correlation,range_from\n";
  for (std::size_t m = 0; m < result.measures.size(); ++m)
    for (const InputEffect& effect : result.effects[m]) {
      const UncertainInput& input = result.inputs[effect.input];
      text += fmt::format(
          "{},{},{},{},{},{:.9g},{},{},{:.4f},{}\n", csv_text(result.measures[m].text), csv_text(input.name),
          csv_text(input.text(input.value)), csv_text(input.text(input.low)), csv_text(input.text(input.high)),
          result.base[m], effect.runs_at_low ? fmt::format("{:.9g}", effect.at_low) : "",
          effect.runs_at_high ? fmt::format("{:.9g}", effect.at_high) : "", effect.rank, csv_text(input.from));
    }
  return text;
}

bool plot_sensitivity(const Sensitivity& result, const std::filesystem::path& path)
{
  constexpr double width = 800, left = 210, right = 60, row_height = 22, head = 56, foot = 44;
  double height = 0;
  std::vector<std::size_t> shown;
  for (std::size_t m = 0; m < std::min<std::size_t>(result.measures.size(), 4); ++m)
    if (!result.effects[m].empty()) {
      shown.push_back(m);
      height += head + foot + row_height * static_cast<double>(std::min(result.effects[m].size(), most_bars));
    }
  if (shown.empty())
    return false;
  draw_to_files(path, width, height, [&](Canvas& canvas) {
    double top = 0;
    for (const std::size_t m : shown) {
      const Measure& measure = result.measures[m];
      const std::size_t n = std::min(result.effects[m].size(), most_bars);
      std::vector<double> values = {result.base[m]}; // also of ends that cannot run
      for (std::size_t i = 0; i < n; ++i)
        values.insert(values.end(), {result.effects[m][i].at_low, result.effects[m][i].at_high});
      const bool band = m < result.together.size() && result.samples > 1;
      if (band)
        values.insert(values.end(), {result.together[m].first, result.together[m].second});
      const auto [smallest, largest] = std::ranges::minmax(values);
      const double room = std::max((largest - smallest) * 0.16, 1e-9 * std::abs(largest) + 1e-300);
      const PlotAxis axis{smallest - room, largest + room, left, width - right, false};
      const double begin = top + head, end = begin + row_height * static_cast<double>(n);
      canvas.colour(ink);
      canvas.text(12, top + 20,
                  canvas.fitted(fmt::format("What moves {} ({}){}", measure.text, measure_text(measure, result.base[m]),
                                            result.point.empty() ? "" : ": " + result.point),
                                width - 24, 13),
                  13, Anchor::left, true);
      canvas.colour(quiet_ink);
      canvas.text(
          12, top + 37,
          "blue: the input at its high end; orange: at its low end; grey band: all uncertainties together, 5 to 95 %",
          9.5);
      if (band) {
        canvas.colour(quiet_ink, 0.13);
        canvas.rectangle(axis.at(result.together[m].first), begin - 4,
                         axis.at(result.together[m].second) - axis.at(result.together[m].first), end - begin + 8);
      }
      double last = -1e9;
      for (const auto& [tick, label] : axis_ticks(axis, measure)) {
        canvas.colour(grid_line);
        canvas.line(axis.at(tick), begin - 4, axis.at(tick), end + 4, 0.7);
        canvas.colour(quiet_ink);
        if (axis.at(tick) > last + 70) {
          canvas.text(axis.at(tick), end + 17, label, 9, Anchor::centre);
          last = axis.at(tick);
        }
      }
      double y = begin + row_height / 2;
      for (std::size_t i = 0; i < n; ++i) {
        const InputEffect& effect = result.effects[m][i];
        const UncertainInput& input = result.inputs[effect.input];
        canvas.colour(ink);
        canvas.text(left - 8, y + 3, canvas.fitted(input.name, left - 20, 10), 10, Anchor::right);
        const auto bar = [&](double value, Colour colour, const std::string& label) {
          const double x0 = axis.at(std::min(value, result.base[m])), x1 = axis.at(std::max(value, result.base[m]));
          canvas.colour(colour, 0.85);
          canvas.rectangle(x0, y - 7, std::max(x1 - x0, 0.5), 14);
          canvas.colour(quiet_ink);
          canvas.text(value < result.base[m] ? x0 - 4 : x1 + 4, y + 3, label, 8,
                      value < result.base[m] ? Anchor::right : Anchor::left);
        };
        const bool same_side = effect.runs_at_low && effect.runs_at_high &&
                               (effect.at_low - result.base[m]) * (effect.at_high - result.base[m]) > 0;
        if (effect.runs_at_low)
          bar(effect.at_low, okabe_ito[1], same_side ? "" : input.text(input.low));
        if (effect.runs_at_high)
          bar(effect.at_high, okabe_ito[0], input.text(input.high));
        y += row_height;
      }
      canvas.colour(ink);
      canvas.line(axis.at(result.base[m]), begin - 4, axis.at(result.base[m]), end + 4, 1.2);
      top = end + foot;
    }
  });
  return true;
}

} // namespace trainyard
