// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report_document.hpp"
#include "sim/study/sweep_database.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 200;

/// The points of a sweep: one row per point and item (job, policy, or the whole cluster).
struct SweepPoints {
  std::vector<std::string> columns;                       // what is swept
  std::vector<std::vector<std::string>> settings;         // values of the columns, and the item
  std::vector<std::map<std::string, double>> numbers;     // figures by name
  std::vector<bool> done;                                 // all work was
  std::map<std::string, std::pair<double, double>> range; // of each figure
  std::uint64_t points = 0;

  void add_measures(const std::vector<std::string>& own, const std::string& measures);
  std::vector<std::string> figures() const;
  std::string best(const std::vector<std::string>& figures) const;
};

/// @p measures: {"cluster": {"gpus": 8, …}, "<job or policy>": {"step_s": 1.5, …, "note": "bottleneck"}, …}
void SweepPoints::add_measures(const std::vector<std::string>& own, const std::string& measures)
{
  const Json json = Json::parse(measures, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return;
  for (const auto& [item, figures_of] : json.items()) {
    if (!figures_of.is_object() || (item == "cluster" && json.size() > 1))
      continue;
    std::map<std::string, double> found;
    for (const auto& [key, value] : figures_of.items())
      if (value.is_number()) {
        const double number = value.template get<double>();
        found[key] = number;
        const auto [at, fresh] = range.try_emplace(key, number, number);
        if (!fresh)
          at->second = {std::min(at->second.first, number), std::max(at->second.second, number)};
      }
    if (found.empty())
      continue;
    settings.push_back(own);
    settings.back().push_back(item);
    numbers.push_back(std::move(found));
    done.push_back(!figures_of.contains("unfinished"));
  }
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

/// Where the first figure that differs is best: " Best step_s: 1.5 at gpus = 8."
std::string SweepPoints::best(const std::vector<std::string>& figures) const
{
  for (const std::string& name : figures) {
    const bool more = name == "samples_per_second" || name == "scaling_efficiency" || name == "utilisation";
    std::size_t best = numbers.size();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].contains(name) && done[i] &&
          (best == numbers.size() ||
           (more ? numbers[i].at(name) > numbers[best].at(name) : numbers[i].at(name) < numbers[best].at(name))))
        best = i;
    if (best == numbers.size() || range.at(name).first == range.at(name).second)
      continue;
    std::string where;
    for (std::size_t i = 0; i < columns.size(); ++i)
      where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", columns[i], settings[best][i]);
    return fmt::format(" Best {}: {:.4g} at {}{}.", name, numbers[best].at(name), where,
                       settings[best].back().empty() ? "" : " (" + settings[best].back() + ")");
  }
  return "";
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
  document.question = "a sweep: one question for many designs";

  SweepPoints read{.columns = sweep.columns};
  std::uint64_t failed = 0;
  std::string failure;
  read_sweep(file, [&](const SweepRow& row) {
    ++read.points;
    if (!row.failure.empty()) {
      ++failed;
      failure = std::max(failure, row.failure);
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
  if (failed > 0)
    document.paragraph(fmt::format("{} points are 'failed': {}", failed, failure));
  document.heading("Ranges");
  std::vector<std::vector<std::string>> extents;
  for (const std::string& name : figures)
    extents.push_back(
        {name, fmt::format("{:.5g}", read.range.at(name).first), fmt::format("{:.5g}", read.range.at(name).second)});
  document.table({"figure", "lowest", "highest"}, extents);
  document.heading("Basis of the results");
  document.paragraph("Each point is a run of the scenario below with the values of its row; `simrun check --explain` "
                     "lists the defaults "
                     "and where they come from.");
  add_points(document, read, figures, file.filename().string());
  document.heading("Appendix");
  if (!sweep.scenario.empty())
    document.code(sweep.scenario);
  return document;
}

} // namespace trainyard
