// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/report_document.hpp"
#include "sim/study/sweep_database.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 200;

/// The points of a sweep: one row per point and item (job, policy, or the whole cluster).
struct SweepPoints {
  std::vector<std::string> columns;                       // what is swept
  std::vector<std::vector<std::string>> settings;         // values of the columns, and the item
  std::vector<std::map<std::string, double>> numbers;     // figures by name
  std::vector<std::string> undone;                        // why not all work of the point was done; empty: it was
  std::map<std::string, std::pair<double, double>> range; // of each figure, over points that did all work
  std::uint64_t points = 0;

  void add_measures(const std::vector<std::string>& own, const std::string& measures);
  std::vector<std::string> figures() const;
  std::string place(std::size_t row) const;
  std::string best(const std::vector<std::string>& figures) const;
  std::vector<std::string> reasons() const;
};

/// @p measures: {"cluster": {"gpus": 8, …}, "<job or policy>": {"step_s": 1.5, …, "note": "bottleneck"}, …}
void SweepPoints::add_measures(const std::vector<std::string>& own, const std::string& measures)
{
  const Json json = Json::parse(measures, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return;
  std::string why;
  for (const auto& [item, figures_of] : json.items())
    if (why.empty() && figures_of.is_object() && figures_of.contains("unfinished"))
      why = (figures_of.contains("run") ? item + ": " : "") + figures_of.value("unfinished", "");
  for (const auto& [item, figures_of] : json.items()) {
    if (!figures_of.is_object() || (item == "cluster" && json.size() > 1))
      continue;
    std::map<std::string, double> found;
    for (const auto& [key, value] : figures_of.items())
      if (value.is_number()) {
        const double number = value.template get<double>();
        found[key] = number;
        if (!why.empty())
          continue;
        const auto [at, fresh] = range.try_emplace(key, number, number);
        if (!fresh)
          at->second = {std::min(at->second.first, number), std::max(at->second.second, number)};
      }
    if (found.empty())
      continue;
    settings.push_back(own);
    settings.back().push_back(item);
    numbers.push_back(std::move(found));
    undone.push_back(why);
  }
}

/// What the scenario asks.
std::string question_of(const std::string& scenario)
{
  Diagnostics diagnostics;
  const Document document = parse_document(scenario, "scenario", diagnostics);
  const DocumentNode* question = document.root.find("question");
  return question == nullptr ? "a sweep: one question for many designs" : question->text;
}

/// The figures to show: the usual ones, and some of those that differ between points.
std::vector<std::string> SweepPoints::figures() const
{
  std::vector<std::string> figures;
  for (const char* preferred : {"samples_per_second", "step_s", "scaling_efficiency", "jct_s_mean", "jct_s_p95",
                                "queueing_delay_s_mean", "queueing_delay_s_p95", "utilisation", "makespan_s",
                                "cost_usd", "usd_per_hour", "price_per_million_samples_usd"})
    if (range.contains(preferred))
      figures.emplace_back(preferred);
  for (const auto& [name, extent] : range)
    if (figures.size() < 8 && extent.first != extent.second && std::ranges::find(figures, name) == figures.end())
      figures.push_back(name);
  return figures;
}

/// "gpus = 8 (vgg)": a point without its seed.
std::string SweepPoints::place(std::size_t row) const
{
  std::string where;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != "replica")
      where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", columns[i], settings[row][i]);
  return where + (settings[row].back().empty() ? "" : " (" + settings[row].back() + ")");
}

/// Where the first figure that differs is best: " Best step_s: 1.5 at gpus = 8." A point is judged by the mean of its
/// seeds, and only where all work was done under each of them.
std::string SweepPoints::best(const std::vector<std::string>& figures) const
{
  std::set<std::string> out;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!undone[i].empty())
      out.insert(place(i));
  for (const std::string& name : figures) {
    const bool more = name == "samples_per_second" || name == "scaling_efficiency" || name == "utilisation";
    std::map<std::string, std::vector<double>> places;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (const auto figure = numbers[i].find(name); figure != numbers[i].end() && !out.contains(place(i)))
        places[place(i)].push_back(figure->second);
    const auto mean = [&](const auto& one) {
      const auto& values = one.second;
      return (more ? -1 : 1) * std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    };
    if (places.empty() || range.at(name).first == range.at(name).second)
      continue;
    const auto best = std::ranges::min_element(places, {}, mean);
    const std::size_t seeds = best->second.size();
    const bool time = name.ends_with("_s") || name.find("_s_") != std::string::npos;
    const double value = std::abs(mean(*best));
    return fmt::format(" Best {}: {} at {}{}.", name, time ? time_text(Seconds{value}) : fmt::format("{:.4g}", value),
                       best->first, seeds > 1 ? fmt::format(", mean of {} seeds", seeds) : "");
  }
  return "";
}

/// "2 points cannot run: 1 of 2 jobs, …", a line for each reason.
std::vector<std::string> SweepPoints::reasons() const
{
  std::map<std::string, std::set<std::vector<std::string>>> points_of;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!undone[i].empty())
      points_of[undone[i]].insert({settings[i].begin(), settings[i].end() - 1});
  std::vector<std::string> lines;
  lines.reserve(points_of.size());
  for (const auto& [why, at] : points_of)
    lines.push_back(fmt::format("{} cannot run, so its figures are never best and in no range: {}.",
                                counted(at.size(), "point"), why));
  return lines;
}

void add_points(ReportDocument& document, const SweepPoints& read, const std::vector<std::string>& figures,
                const std::string& file)
{
  document.heading("Points");
  std::vector<std::string> head = read.columns;
  head.emplace_back("of");
  head.insert(head.end(), figures.begin(), figures.end());
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(read.numbers.size(), most_points); ++i) {
    std::vector<std::string> row = read.settings[i];
    row.back() += read.undone[i].empty() ? "" : " (cannot run)";
    for (const std::string& name : figures)
      row.push_back(read.numbers[i].contains(name) ? fmt::format("{:.5g}", read.numbers[i].at(name)) : "-");
    rows.push_back(std::move(row));
  }
  document.table(head, rows);
  if (read.numbers.size() > most_points)
    document.paragraph(fmt::format("The first {} of {} rows; all are in {} (sqlite3 {} 'select * from points').",
                                   most_points, read.numbers.size(), file, file));
}

} // namespace

ReportDocument sweep_report(const std::filesystem::path& file)
{
  const SweepIdentity sweep = sweep_contents(file).identity;
  ReportDocument document;
  document.title = sweep.name.empty() ? file.stem().string() : sweep.name;
  document.question = question_of(sweep.scenario);

  SweepPoints read{.columns = sweep.columns};
  std::uint64_t failed = 0;
  std::map<std::string, std::uint64_t> failures; // by their reason
  read_sweep(file, [&](const SweepRow& row) {
    ++read.points;
    if (!row.failure.empty()) {
      ++failed;
      ++failures[row.failure];
    }
    std::vector<std::string> own;
    for (const auto& [name, value] : row.settings)
      own.push_back(value);
    read.add_measures(own, row.measures);
  });
  const std::vector<std::string> figures = read.figures();

  document.heading("The answer");
  document.answer(fmt::format("{} points, {} of them simulated.", read.points, read.points - failed) +
                  read.best(figures));
  for (const auto& [why, count] : failures)
    document.paragraph(fmt::format("{} failed: {}", counted(count, "point"), why));
  for (const std::string& line : read.reasons())
    document.paragraph(line);
  if (std::ranges::any_of(figures, [](const std::string& name) { return name.find("usd") != std::string::npos; }))
    document.paragraph("Prices are those of the scenario; of machines without one, those of the price list that the "
                       "sweep was given (cloud_2023 if none was named; simrun list prices shows what is in it).");
  document.heading("Ranges");
  std::vector<std::vector<std::string>> extents;
  for (const std::string& name : figures)
    extents.push_back(
        {name, fmt::format("{:.5g}", read.range.at(name).first), fmt::format("{:.5g}", read.range.at(name).second)});
  document.table({"figure", "lowest", "highest"}, extents);
  document.heading("Basis of the results");
  document.paragraph("Each point is a run of the scenario below with the values of its row; `simrun check --explain` "
                     "lists the defaults and where they come from.");
  add_points(document, read, figures, file.filename().string());
  document.heading("Appendix");
  if (!sweep.scenario.empty())
    document.code(sweep.scenario);
  return document;
}

} // namespace trainyard
