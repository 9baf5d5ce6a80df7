// SPDX-License-Identifier: Apache-2.0
/// A comparison in tables, JSON, CSV and a picture.
#include "models/core/figure_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/study/compare.hpp"
#include "sim/study/plot_axes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_groups_shown = 24;
constexpr std::size_t most_differences_shown = 20;
constexpr std::size_t most_panels = 8;

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

std::string difference_text(const Measure& measure, double value)
{
  const std::string text = measure_text(measure, std::abs(value));
  return (value < 0 ? "-" : "+") + text;
}

/// All candidates compute in the same precision, or none says in which.
bool one_precision(const Comparison& comparison)
{
  return std::ranges::all_of(comparison.precisions,
                             [&](const std::string& one) { return one == comparison.precisions.front(); });
}

std::string group_table(const Comparison& comparison, const ComparedGroup& group, bool colour)
{
  std::vector<Column> columns = {{"", false}};
  for (const Measure& measure : comparison.measures) {
    columns.push_back({measure.text, true});
    columns.push_back({"", true});
  }
  bool notes = false;
  for (const std::string& note : group.notes)
    notes = notes || !note.empty();
  const bool precisions = !one_precision(comparison) && comparison.precisions.size() == comparison.candidates.size();
  if (precisions)
    columns.insert(columns.begin() + 1, {"precision", false});
  if (notes)
    columns.push_back({"bottleneck", false});
  std::vector<std::vector<TableCell>> rows;
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
    std::vector<TableCell> cells = {{comparison.candidates[c]}};
    if (precisions)
      cells.push_back({comparison.precisions[c]});
    for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
      const ComparedValue* value = m < group.values[c].size() ? &group.values[c][m] : nullptr;
      if (value == nullptr || value->missing()) {
        cells.push_back({"-"});
        cells.push_back({""});
        continue;
      }
      cells.push_back({measure_text(comparison.measures[m], value->value.mean)});
      const ComparedValue& base = group.values[comparison.baseline][m];
      cells.push_back({c == comparison.baseline || base.missing()
                           ? std::string{}
                           : relative_text(value->value.mean - base.value.mean, base.value.mean) +
                                 (comparison.random && value->significant ? "*" : "")});
    }
    if (notes)
      cells.push_back({group.failures[c].empty() ? group.notes[c] : "cannot run: " + group.failures[c]});
    rows.push_back(std::move(cells));
  }
  std::string text = group.name.empty() ? std::string{} : group.name + "\n";
  text += table_text(columns, rows, colour);
  if (!notes)
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c)
      if (!group.failures[c].empty())
        text += fmt::format("{} cannot run: {}\n", comparison.candidates[c], group.failures[c]);
  return text;
}

/// Differences with their intervals, of the first measures.
std::string interval_table(const Comparison& comparison, const ComparedGroup& group, bool colour)
{
  std::vector<Column> columns = {{"measure", false}, {"", false}, {"difference", true}, {"low", true},
                                 {"high", true},     {"p", true}, {"", false}};
  std::vector<std::vector<TableCell>> rows;
  for (std::size_t m = 0; m < comparison.measures.size(); ++m)
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
      if (c == comparison.baseline || m >= group.values[c].size())
        continue;
      const ComparedValue& value = group.values[c][m];
      if (value.difference.values < 2 || rows.size() >= most_differences_shown)
        continue;
      const Measure& measure = comparison.measures[m];
      rows.push_back({{measure.text},
                      {comparison.candidates[c]},
                      {difference_text(measure, value.difference.mean)},
                      {difference_text(measure, value.difference.low)},
                      {difference_text(measure, value.difference.high)},
                      {value.p_value < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", value.p_value)},
                      {value.significant ? "differs" : "may be chance"}});
    }
  if (rows.empty())
    return {};
  return fmt::format("\ncompared with {}: {:.0f} % intervals of the differences of {} {}s\n",
                     comparison.candidates[comparison.baseline], 100 * comparison.confidence,
                     comparison.pairs == "job" ? "the same" : fmt::format("{}", comparison.replicas),
                     comparison.pairs) +
         table_text(columns, rows, colour);
}

/// The best candidate in each measure.
std::string advice_of(const Comparison& comparison, const ComparedGroup& group)
{
  std::string text;
  for (std::size_t m = 0; m < std::min<std::size_t>(comparison.measures.size(), 8); ++m) {
    const MeasureKind& kind = kind_of(comparison.measures[m]);
    if (kind.of == "run" || kind.of == "cluster")
      continue;
    if (m > 0 && kind.name != "staleness" && kind.name != "price_per_million_samples" && kind.of == "training")
      continue; // parts of the step
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c)
      if (m < group.values[c].size() && !group.values[c][m].missing())
        order.push_back(c);
    if (order.size() < 2)
      continue;
    const auto mean = [&](std::size_t c) { return group.values[c][m].value.mean; };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return kind.more_is_better ? mean(a) > mean(b) : mean(a) < mean(b);
    });
    const std::size_t best = order[0], second = order[1];
    if (mean(best) == mean(order.back()))
      continue;
    if (std::abs(mean(best) - mean(second)) <= 1e-9 * std::abs(mean(best)))
      continue;
    std::string sure;
    if (comparison.random && comparison.pairs == "seed") {
      std::vector<double> differences;
      for (std::size_t r = 0; r < std::min(group.values[best][m].values.size(), group.values[second][m].values.size());
           ++r)
        differences.push_back(group.values[best][m].values[r] - group.values[second][m].values[r]);
      sure = paired_p_value(differences) < 1 - comparison.confidence
                 ? ""
                 : fmt::format(", but {} may be as good", comparison.candidates[second]);
    }
    text += fmt::format("{}{} is best in {} ({}; second is {} with {}{})", text.empty() ? "" : "; ",
                        comparison.candidates[best], comparison.measures[m].text,
                        measure_text(comparison.measures[m], mean(best)), comparison.candidates[second],
                        measure_text(comparison.measures[m], mean(second)), sure);
  }
  // ps:1 … ps:16 against the others: from how many servers on?
  if (!comparison.measures.empty()) {
    const bool more = kind_of(comparison.measures[0]).more_is_better;
    std::vector<std::pair<int, double>> servers;
    std::vector<std::pair<std::string, double>> others;
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
      if (group.values[c].empty() || group.values[c][0].missing())
        continue;
      const std::string& name = comparison.candidates[c];
      if (name.starts_with("ps:"))
        servers.emplace_back(std::atoi(name.c_str() + 3), group.values[c][0].value.mean);
      else
        others.emplace_back(name, group.values[c][0].value.mean);
    }
    std::ranges::sort(servers);
    if (servers.size() > 1)
      for (const auto& [name, value] : others) {
        const auto crossing = std::ranges::find_if(
            servers, [&](const auto& one) { return more ? one.second > value : one.second < value; });
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : "; ", name,
                        crossing == servers.end() ? fmt::format("beats every ps:N with N <= {}", servers.back().first)
                        : crossing == servers.begin() ? fmt::format("is beaten by ps:N for N >= {}", crossing->first)
                                                      : fmt::format("beats every ps:N with N < {}", crossing->first));
      }
  }
  return text.empty() ? text : text + ".";
}

/// The advice of every group, as far as they are few; groups by name.
std::string advice_of_all(const Comparison& comparison)
{
  std::string text;
  for (const ComparedGroup& group : comparison.groups)
    if (const std::string advice = advice_of(comparison, group); !advice.empty() && comparison.groups.size() <= 4)
      text += (text.empty() ? "" : " ") + (group.name.empty() ? "" : group.name + ": ") + advice;
  return text;
}

} // namespace

std::string compare_text(const Comparison& comparison, bool colour)
{
  std::string text;
  if (comparison.pairs.empty())
    text += fmt::format("{} runs from their results folders; one run of each, so there are no intervals\n\n",
                        comparison.candidates.size());
  else if (comparison.pairs == "job")
    text += fmt::format("{} runs from their results folders; times of the same jobs are compared in pairs\n\n",
                        comparison.candidates.size());
  else if (comparison.random)
    text += fmt::format(
        "{} candidates with the same {} seeds; *: differs from {} at {:.0f} % (paired t test, Holm-corrected)\n\n",
        comparison.candidates.size(), comparison.replicas, comparison.candidates[comparison.baseline],
        100 * comparison.confidence);
  else
    text += fmt::format("{} candidates; the seed has no effect, so every difference is exact\n{}\n",
                        comparison.candidates.size(), comparison.seed_note);
  if (!comparison.precisions.empty() && !comparison.precisions.front().empty() && one_precision(comparison))
    text.insert(text.size() - 1, fmt::format("precision: {}\n", comparison.precisions.front()));
  std::size_t shown = 0;
  for (const ComparedGroup& group : comparison.groups) {
    if (++shown > most_groups_shown) {
      text += fmt::format("… {} more in compare.csv\n", comparison.groups.size() - most_groups_shown);
      break;
    }
    text += group_table(comparison, group, colour);
    if (comparison.groups.size() <= 4)
      text += interval_table(comparison, group, colour);
    if (comparison.groups.size() <= 4)
      if (const std::string advice = advice_of(comparison, group); !advice.empty())
        text += "\nadvice: " + advice + "\n";
    text += comparison.groups.size() > 1 ? "\n" : "";
  }
  if (!comparison.equal.empty()) {
    text += "\nequal for all: ";
    for (std::size_t i = 0; i < comparison.equal.size(); ++i)
      text += (i > 0 ? ", " : "") + comparison.equal[i];
    text += "\n";
  }
  const auto names_price = [](const std::string& one) {
    return one.find("cost") != std::string::npos || one.find("price") != std::string::npos;
  };
  if (std::ranges::any_of(comparison.measures, is_money) || std::ranges::any_of(comparison.equal, names_price))
    text += "\n" + comparison.price_note;
  for (const InputDifference& inputs : comparison.inputs) {
    text += fmt::format("\ninputs of {} compared with {}: {}\n", inputs.candidate,
                        comparison.candidates[comparison.baseline], inputs.differences.empty() ? "none differs" : "");
    std::vector<std::vector<TableCell>> rows;
    for (const DocumentDifference& one : inputs.differences)
      if (rows.size() < 30)
        rows.push_back({{one.path},
                        {one.before.empty() ? "(absent)" : one.before.substr(0, 60)},
                        {one.after.empty() ? "(absent)" : one.after.substr(0, 60)}});
    if (!rows.empty())
      text +=
          table_text({{"path", false}, {comparison.candidates[comparison.baseline], false}, {inputs.candidate, false}},
                     rows, colour);
    if (inputs.differences.size() > rows.size())
      text += fmt::format("… and {} more\n", inputs.differences.size() - rows.size());
  }
  if (!comparison.assumed.empty())
    text += "\n" + assumed_text(comparison.assumed);
  return text;
}

std::string compare_json(const Comparison& comparison)
{
  Json json = document_head("trainyard comparison");
  json.update({{"baseline", comparison.candidates[comparison.baseline]},
               {"candidates", comparison.candidates},
               {"random", comparison.random},
               {"pairs", comparison.pairs},
               {"replicas", comparison.replicas},
               {"confidence", comparison.confidence},
               {"price_note", comparison.price_note},
               {"seed_note", comparison.random ? "" : comparison.seed_note},
               {"advice", advice_of_all(comparison)},
               {"assumed", comparison.assumed},
               {"measures", Json::array()},
               {"groups", Json::array()},
               {"inputs", Json::array()}});
  for (const Measure& measure : comparison.measures)
    json["measures"].push_back(
        {{"name", measure.text}, {"unit", kind_of(measure).unit}, {"more_is_better", kind_of(measure).more_is_better}});
  for (const ComparedGroup& group : comparison.groups) {
    Json one = {{"name", group.name}, {"candidates", Json::array()}};
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
      Json candidate = {{"name", comparison.candidates[c]}};
      if (!group.failures[c].empty())
        candidate["message"] = group.failures[c];
      if (c < comparison.precisions.size() && !comparison.precisions[c].empty())
        candidate["precision"] = comparison.precisions[c];
      if (!group.notes[c].empty())
        candidate["bottleneck"] = group.notes[c];
      for (std::size_t m = 0; m < group.values[c].size(); ++m) {
        const ComparedValue& value = group.values[c][m];
        if (value.missing())
          continue;
        Json figure = {{"measure", comparison.measures[m].text}, {"mean", value.value.mean}};
        if (std::isfinite(value.value.low)) {
          figure["low"] = value.value.low;
          figure["high"] = value.value.high;
        }
        if (c != comparison.baseline && value.difference.values > 0) {
          figure["difference"] = value.difference.mean;
          if (value.difference.values > 1 && std::isfinite(value.difference.low)) {
            figure["difference_low"] = value.difference.low;
            figure["difference_high"] = value.difference.high;
            figure["p"] = value.p_value;
          }
          figure["significant"] = value.significant;
        }
        candidate["figures"].push_back(std::move(figure));
      }
      one["candidates"].push_back(std::move(candidate));
    }
    json["groups"].push_back(std::move(one));
  }
  for (const InputDifference& inputs : comparison.inputs) {
    Json one = {{"candidate", inputs.candidate}, {"differences", Json::array()}};
    for (const DocumentDifference& difference : inputs.differences)
      one["differences"].push_back(
          {{"path", difference.path}, {"baseline", difference.before}, {"candidate", difference.after}});
    json["inputs"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string compare_csv(const Comparison& comparison)
{
  std::string text =
      "group,candidate,measure,unit,mean,low,high,replicas,difference,difference_low,difference_high,p,significant,"
      "bottleneck,message,precision\n";
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string{}; };
  const auto precision = [&](std::size_t c) {
    return csv_text(c < comparison.precisions.size() ? comparison.precisions[c] : "");
  };
  for (const ComparedGroup& group : comparison.groups)
    for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
      if (group.values[c].empty())
        text += fmt::format("{},{},,,,,,,,,,,,,{},{}\n", csv_text(group.name), csv_text(comparison.candidates[c]),
                            csv_text(group.failures[c]), precision(c));
      for (std::size_t m = 0; m < group.values[c].size(); ++m) {
        const ComparedValue& value = group.values[c][m];
        text += fmt::format("{},{},{},{},", csv_text(group.name), csv_text(comparison.candidates[c]),
                            csv_text(comparison.measures[m].text), csv_text(kind_of(comparison.measures[m]).unit));
        if (value.missing()) {
          text += fmt::format(",,,,,,,,,,{},{}\n", csv_text(group.failures[c]), precision(c));
          continue;
        }
        text += fmt::format("{},{},{},{},", number(value.value.mean), number(value.value.low), number(value.value.high),
                            value.values.size());
        if (c == comparison.baseline || value.difference.values == 0)
          text += ",,,,";
        else
          text += fmt::format("{},{},{},{},{}", number(value.difference.mean), number(value.difference.low),
                              number(value.difference.high), number(value.p_value), value.significant ? "yes" : "no");
        text += fmt::format(",{},{},{}\n", csv_text(group.notes[c]), csv_text(group.failures[c]), precision(c));
      }
    }
  return text;
}

namespace {

/// A candidate in the picture: its change as a share of the baseline.
struct ChangeRow {
  std::string name;
  double share = 0, low = 0, high = 0;
  bool sure = false, better = false;
  std::string text;
};

struct ChangePanel {
  std::string title;
  std::vector<ChangeRow> rows;
};

/// The candidates of a group in one measure; without rows where the baseline has no value, or all are equal.
ChangePanel change_panel(const Comparison& comparison, const ComparedGroup& group, std::size_t m)
{
  const Measure& measure = comparison.measures[m];
  const std::vector<ComparedValue>& baseline = group.values[comparison.baseline];
  if (m >= baseline.size() || baseline[m].missing() || baseline[m].value.mean == 0)
    return {};
  const double base = baseline[m].value.mean;
  const double scale = std::abs(base);
  ChangePanel panel{measure.text + (group.name.empty() ? "" : ": " + group.name), {}};
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
    const ComparedValue& value = group.values[c][m];
    if (value.missing())
      continue;
    const double share = (value.value.mean - base) / scale;
    const auto end = [&](double of_interval) {
      return value.difference.values > 1 && std::isfinite(of_interval) ? of_interval / scale : share;
    };
    panel.rows.push_back({comparison.candidates[c], share, end(value.difference.low), end(value.difference.high),
                          value.significant, (share > 0) == kind_of(measure).more_is_better,
                          measure_text(measure, value.value.mean)});
  }
  if (std::ranges::all_of(panel.rows, [](const ChangeRow& row) { return row.share == 0; }))
    panel.rows.clear();
  return panel;
}

constexpr double panel_width = 780, panel_left = 190, panel_right = 110, change_row_height = 19, panel_head = 34,
                 panel_foot = 30;

void draw_change(Canvas& canvas, const ChangeRow& row, const PlotAxis& axis, double y)
{
  canvas.colour(ink);
  canvas.text(panel_left - 8, y + 3, canvas.fitted(row.name, panel_left - 20, 10), 10, Anchor::right);
  canvas.text(panel_width - panel_right + 8, y + 3, row.text, 9.5);
  canvas.colour(row.better ? okabe_ito[0] : okabe_ito[1], row.sure || row.share == 0 ? 0.85 : 0.35);
  const double x0 = axis.at(std::min(0.0, row.share)), x1 = axis.at(std::max(0.0, row.share));
  if (row.share != 0)
    canvas.rectangle(x0, y - 5, std::max(x1 - x0, 0.5), 10);
  if (row.high > row.low) {
    canvas.colour(ink);
    canvas.line(axis.at(row.low), y, axis.at(row.high), y, 1.3);
    for (const double end : {row.low, row.high})
      canvas.line(axis.at(end), y - 3, axis.at(end), y + 3, 1.3);
  }
}

/// Draws a panel from @p top on; gives where it ends.
double draw_panel(Canvas& canvas, const ChangePanel& panel, double top)
{
  std::vector<double> shares = {0};
  for (const ChangeRow& row : panel.rows)
    shares.insert(shares.end(), {row.share, row.low, row.high});
  const auto [smallest, largest] = std::ranges::minmax(shares);
  const double room = std::max(largest - smallest, 1e-3) * 0.05;
  const PlotAxis axis{smallest - room, largest + room, panel_left, panel_width - panel_right, false};
  canvas.colour(ink);
  canvas.text(12, top + 20, canvas.fitted(panel.title, panel_width - 24, 12), 12, Anchor::left, true);
  const double begin = top + panel_head;
  const double end = begin + change_row_height * static_cast<double>(panel.rows.size());
  double last = -1e9;
  for (const double tick : axis.ticks()) {
    canvas.colour(grid_line);
    canvas.line(axis.at(tick), begin, axis.at(tick), end, 0.7);
    canvas.colour(quiet_ink);
    if (axis.at(tick) > last + 52) {
      canvas.text(axis.at(tick), end + 13, tick == 0 ? "0 %" : fmt::format("{:+g} %", std::round(tick * 1e5) / 1e3), 9,
                  Anchor::centre);
      last = axis.at(tick);
    }
  }
  canvas.colour(quiet_ink);
  canvas.line(axis.at(0), begin, axis.at(0), end, 1.2);
  double y = begin + change_row_height / 2;
  for (const ChangeRow& row : panel.rows) {
    draw_change(canvas, row, axis, y);
    y += change_row_height;
  }
  return end + panel_foot;
}

} // namespace

bool plot_comparison(const Comparison& comparison, const std::filesystem::path& path)
{
  std::vector<ChangePanel> panels;
  for (const ComparedGroup& group : comparison.groups)
    for (std::size_t m = 0; m < comparison.measures.size(); ++m)
      if (panels.size() < most_panels && (comparison.groups.size() == 1 || m == 0))
        if (ChangePanel panel = change_panel(comparison, group, m); !panel.rows.empty())
          panels.push_back(std::move(panel));
  if (panels.empty())
    return false;
  double height = 30;
  for (const ChangePanel& panel : panels)
    height += panel_head + panel_foot + change_row_height * static_cast<double>(panel.rows.size());
  draw_to_files(path, panel_width, height, [&](Canvas& canvas) {
    canvas.colour(quiet_ink);
    canvas.text(
        12, 18,
        fmt::format("change compared with {}{}; blue: better, orange: worse, pale: may be chance",
                    comparison.candidates[comparison.baseline],
                    comparison.random ? fmt::format(", with {:.0f} % intervals", 100 * comparison.confidence) : ""),
        10);
    double top = 26;
    for (const ChangePanel& panel : panels)
      top = draw_panel(canvas, panel, top);
  });
  return true;
}

} // namespace trainyard
