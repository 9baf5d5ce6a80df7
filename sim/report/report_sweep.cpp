// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/report/report_document.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 200;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Database
{
public:
  explicit Database(const std::filesystem::path& file) : file_{file.string()}
  {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK)
      refuse();
  }

  /// Calls @p row with the texts of each row (empty for null) and the names of the columns.
  template <class Row>
  void each(const std::string& sql, const Row& row) const
  {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
      refuse();
    const std::unique_ptr<sqlite3_stmt, Close> statement{raw};
    std::vector<std::string> names;
    for (int i = 0; i < sqlite3_column_count(raw); ++i)
      names.emplace_back(sqlite3_column_name(raw, i));
    for (int code = sqlite3_step(raw);; code = sqlite3_step(raw)) {
      if (code == SQLITE_DONE)
        return;
      if (code != SQLITE_ROW)
        refuse();
      std::vector<std::string> texts;
      for (int i = 0; i < sqlite3_column_count(raw); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, i));
        texts.emplace_back(text == nullptr ? "" : text);
      }
      row(names, texts);
    }
  }

private:
  [[noreturn]] void refuse() const
  {
    throw InputError{fmt::format("'{}' is not a results file of simrun sweep: {}", file_,
                                 handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory")};
  }

  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// The points of a sweep: one row per point and item (job, policy, or the whole cluster).
struct SweepPoints {
  std::vector<std::string> columns;                       // what is swept
  std::vector<std::vector<std::string>> settings;         // values of the columns, and the item
  std::vector<std::map<std::string, double>> numbers;     // figures by name
  std::map<std::string, std::pair<double, double>> range; // of each figure
  long long points = 0;

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
  }
}

SweepPoints read_points(const Database& database)
{
  SweepPoints read;
  database.each("SELECT * FROM points ORDER BY id", [&](const auto& names, const auto& row) {
    ++read.points;
    std::vector<std::string> own;
    std::string measures;
    const bool first = read.columns.empty();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == "measures") {
        measures = row[i];
      } else if (names[i] != "id" && names[i] != "status" && names[i] != "message") {
        own.push_back(row[i]);
        if (first)
          read.columns.push_back(names[i]);
      }
    read.add_measures(own, measures);
  });
  return read;
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
      if (numbers[i].contains(name) &&
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
  const Database database{file};
  std::map<std::string, std::string> facts;
  database.each("SELECT key, value FROM sweep", [&](const auto&, const auto& row) { facts[row[0]] = row[1]; });
  if (facts["kind"] != "trainyard sweep")
    throw InputError{fmt::format("'{}' is not a results file of simrun sweep", file.string())};
  ReportDocument document;
  document.title = facts["name"].empty() ? file.stem().string() : facts["name"];
  document.question = "a sweep: one question for many designs";

  std::map<std::string, long long> by_status;
  std::map<std::string, std::string> messages;
  database.each("SELECT status, count(*), max(message) FROM points GROUP BY status", [&](const auto&, const auto& row) {
    by_status[row[0]] = std::stoll(row[1]);
    messages[row[0]] = row[2];
  });
  const SweepPoints read = read_points(database);
  const std::vector<std::string> figures = read.figures();

  document.heading("The answer");
  document.answer(
      fmt::format("{} points, {} of them simulated.", read.points,
                  by_status.contains("done") ? by_status["done"] : static_cast<long long>(read.numbers.size())) +
      read.best(figures));
  for (const auto& [status, count] : by_status)
    if (status != "done")
      document.paragraph(
          fmt::format("{} points are '{}'{}", count, status, messages[status].empty() ? "." : ": " + messages[status]));
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
  if (!facts["scenario"].empty())
    document.code(facts["scenario"]);
  return document;
}

} // namespace trainyard
