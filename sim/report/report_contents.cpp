// SPDX-License-Identifier: Apache-2.0
// What a results folder says, for readers who did not make the run.
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/json_values.hpp"
#include "sim/report/report_document.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = 256U << 20U;
constexpr std::size_t most_rows = 40;

Json read_json(const fs::path& file)
{
  const std::string text = read_text_file(file, largest_file);
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw InputError{
        fmt::format("'{}' is not a JSON file of Trainyard; give the folder that simrun wrote", file.string())};
  return json;
}

std::string time_text(double seconds)
{
  if (!std::isfinite(seconds))
    return "-";
  if (seconds == 0)
    return "0 s";
  const double size = std::abs(seconds);
  if (size < 1e-3)
    return fmt::format("{:.3g} us", seconds * 1e6);
  if (size < 1)
    return fmt::format("{:.3g} ms", seconds * 1e3);
  if (size < 120)
    return fmt::format("{:.3g} s", seconds);
  if (size < 7200)
    return fmt::format("{:.3g} min", seconds / 60);
  return size < 172800 ? fmt::format("{:.3g} h", seconds / 3600) : fmt::format("{:.3g} d", seconds / 86400);
}

std::string figure(double value)
{
  if (!std::isfinite(value))
    return "-";
  return value >= 1000 && value < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

/// "measured", "fitted", "data sheet", "assumed": what the reader should think of it.
std::string meaning_of(const std::string& provenance)
{
  if (provenance == "measured")
    return "the speed of one GPU was measured, or a measured calibration was used";
  if (provenance == "fitted")
    return "fitted to measurements";
  if (provenance.starts_with("data"))
    return "speeds come from data sheets; measured ones are usually lower. A calibration with simcal replaces them";
  return "speeds are estimated, not measured: trust differences more than absolute values";
}

/// A column of the table of training jobs: its heading and what stands below it.
struct JobColumn {
  std::string heading;
  std::function<std::string(const Json& job)> cell;
};

const std::vector<JobColumn>& job_columns()
{
  static const auto text = [](const char* key) { return [key](const Json& job) { return text_of(job, key); }; };
  static const auto mean = [](const Json& job, const char* key) {
    return number_in(job.value(key, Json::object()), "mean");
  };
  static const auto time = [](const char* key) {
    return [key](const Json& job) { return time_text(number_in(job, key)); };
  };
  static const std::vector<JobColumn> columns = {
      {"variant", text("point")},
      {"job", text("job")},
      {"model", text("model")},
      {"precision", text("precision")},
      {"GPUs", [](const Json& job) { return figure(number_in(job, "workers")); }},
      {"samples/s", [](const Json& job) { return figure(mean(job, "samples_per_second")); }},
      {"efficiency", [](const Json& job) { return percent_text(number_in(job, "scaling_efficiency")); }},
      {"step", [](const Json& job) { return time_text(mean(job, "step_s")); }},
      {"compute", time("compute_s")},
      {"host", time("host_s")},
      {"exposed communication", time("exposed_communication_s")},
      {"wait", time("wait_s")},
      {"bottleneck", text("bottleneck")},
  };
  return columns;
}

/// What the scenario does not say, for every kind of run.
void add_assumed(ReportDocument& document, const Json& summary)
{
  std::string assumed;
  if (const auto list = summary.find("assumed"); list != summary.end() && list->is_array())
    for (const Json& words : *list)
      if (words.is_string())
        assumed += (assumed.empty() ? "" : "; ") + words.get<std::string>();
  if (!assumed.empty())
    document.paragraph("Assumed, because the scenario does not say: " + assumed + ".");
}

void add_training(ReportDocument& document, const Json& summary)
{
  const auto jobs = summary.find("jobs");
  if (jobs == summary.end() || !jobs->is_array())
    return;
  std::vector<std::string> headings;
  for (const JobColumn& column : job_columns())
    headings.push_back(column.heading);
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> provenances, notes;
  double widest = 0;
  for (const Json& job : *jobs) {
    const Json rate = job.value("samples_per_second", Json::object());
    const double mean = number_in(rate, "mean"), low = number_in(rate, "low"), high = number_in(rate, "high");
    if (mean > 0)
      widest = std::max(widest, (high - low) / 2 / mean);
    provenances.insert(text_of(job, "provenance"));
    if (const std::string note = text_of(job, "provenance_note"); !note.empty())
      notes.insert(note);
    std::vector<std::string>& row = rows.emplace_back();
    for (const JobColumn& column : job_columns())
      row.push_back(column.cell(job));
  }
  document.heading("Results");
  document.table(headings, rows);
  document.heading("Uncertainty");
  if (widest > 1e-6)
    document.paragraph(
        fmt::format("Steps vary at random; the mean rates are known to within {:.1f} % at {:.0f} % confidence.",
                    widest * 100, 100 * summary.value("confidence", 0.95)));
  if (const std::string seeds = text_of(summary, "seeds_in_words"); !seeds.empty())
    document.paragraph(seeds);
  else if (widest <= 1e-6)
    document.paragraph("Steps repeat exactly: nothing is random, so there are no intervals. The only errors are those "
                       "of the model and of its inputs.");
  document.paragraph("The project's scoreboard (results/scoreboard.md) lists the errors against published measurements "
                     "for each table.");
  document.heading("Basis of the results");
  for (const std::string& provenance : provenances)
    if (!provenance.empty())
      document.badge(provenance, meaning_of(provenance));
  for (const std::string& note : notes)
    document.paragraph("Based on: " + note + ".");
}

void add_queue(ReportDocument& document, const Json& summary)
{
  const auto policies = summary.find("policies");
  if (policies == summary.end() || !policies->is_array())
    return;
  std::vector<std::vector<std::string>> rows;
  for (const Json& policy : *policies) {
    const Json jct = policy.value("jct_s", Json::object()), wait = policy.value("waiting_s", Json::object());
    rows.push_back({text_of(policy, "point"), text_of(policy, "policy"), time_text(number_in(wait, "mean")),
                    time_text(number_in(wait, "p95")), time_text(number_in(jct, "mean")),
                    time_text(number_in(jct, "p95")), percent_text(number_in(policy, "utilisation")),
                    time_text(number_in(policy, "makespan_s")), figure(number_in(policy, "preemptions")),
                    figure(number_in(policy, "finished"))});
  }
  document.heading("Results");
  document.table({"variant", "policy", "mean wait", "95 % wait less than", "mean completion time", "95 % end within",
                  "GPUs busy", "all done after", "stopped", "jobs done"},
                 rows);
  document.heading("Uncertainty");
  document.paragraph("All policies get the same jobs at the same times, so chance does not explain their differences. "
                     "Other jobs may still "
                     "change the order of policies with similar results. Repeat with other seeds (--seed, or simrun "
                     "compare) before acting "
                     "on differences of a few percent.");
  document.heading("Basis of the results");
  document.badge("replayed", "the run times of the jobs come from the trace or the generator");
}

void add_services(ReportDocument& document, const Json& summary)
{
  const auto points = summary.find("points");
  if (points == summary.end() || !points->is_array())
    return;
  std::vector<std::vector<std::string>> rows;
  for (const Json& point : *points)
    for (const Json& service : point.value("services", Json::array()))
      rows.push_back({text_of(point, "point"), text_of(service, "service"),
                      time_text(number_in(service, "first_running_s")), time_text(number_in(service, "finished_s")),
                      percent_text(number_in(service, "availability")), figure(number_in(service, "restarts")),
                      figure(number_in(service, "moves")), figure(number_in(service, "gpu_hours"))});
  if (rows.empty())
    return;
  document.heading("Results");
  document.table({"variant", "service", "first running", "done", "available", "restarts", "moved", "GPU-hours"}, rows);
  document.heading("Uncertainty");
  document.paragraph("Failures at given times are replayed exactly. Random failures are one sample: repeat with "
                     "--replicas for a range.");
  document.heading("Basis of the results");
  document.badge("documented", "detection times, delays and restart rules are the documented defaults of the systems");
}

/// Anything else: its figures as they stand.
void add_figures(ReportDocument& document, const Json& summary)
{
  std::vector<std::vector<std::string>> rows;
  const std::function<void(const Json&, const std::string&)> walk = [&](const Json& json, const std::string& path) {
    if (rows.size() >= 60)
      return;
    for (const auto& [key, value] : json.items()) {
      const std::string here = path.empty() ? key : path + "." + key;
      if (value.is_number())
        rows.push_back({here, figure(value.get<double>())});
      else if (value.is_object())
        walk(value, here);
    }
  };
  walk(summary, "");
  document.heading("Results");
  document.table({"figure", "value"}, rows);
}

/// If the run has no advice: the result of its first job.
std::string first_job_in_words(const Json& summary)
{
  const auto jobs = summary.find("jobs");
  if (jobs == summary.end() || !jobs->is_array() || jobs->empty())
    return {};
  const Json& job = jobs->front();
  return fmt::format("{} trains {} on {} GPUs at {} samples/s: a step takes {}, {} of ideal scaling. Bottleneck: {}.",
                     text_of(job, "job"), text_of(job, "model"), figure(number_in(job, "workers")),
                     figure(number_in(job.value("samples_per_second", Json::object()), "mean")),
                     time_text(number_in(job.value("step_s", Json::object()), "mean")),
                     percent_text(number_in(job, "scaling_efficiency")), text_of(job, "bottleneck"));
}

std::string caption_of(const std::string& name)
{
  static const std::map<std::string, std::string> known = {
      {"throughput", "Throughput over the number of GPUs"},
      {"timeline", "One step: what each worker does, and where it waits"},
      {"queue", "Jobs waiting and GPUs busy over time"},
      {"replicas", "Replicas wanted and running over time"},
      {"front", "All designs: cost against the measure of the goal; no other design is better in both than a design on "
                "the line"},
      {"compare", "Difference between each candidate and the first, with intervals"},
      {"tornado", "Which input changes the answer most"}};
  for (const auto& [start, caption] : known)
    if (name.starts_with(start))
      return caption;
  return name.starts_with("gantt") ? "GPUs held by each job over time" : name;
}

} // namespace

void add_csv(ReportDocument& document, const fs::path& file)
{
  std::string text;
  try {
    text = read_text_file(file, largest_file);
  } catch (const InputError&) {
    return;
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> head;
  std::size_t count = 0;
  for (CsvReader reader{text}; reader.next();) {
    std::vector<std::string> cells{reader.cells().begin(), reader.cells().end()};
    if (head.empty()) {
      head = std::move(cells);
      continue;
    }
    if (++count <= most_rows)
      rows.push_back(std::move(cells));
  }
  if (rows.empty())
    return;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> shown(rows.size());
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (std::ranges::all_of(rows, [&](const auto& row) { return i >= row.size() || row[i].empty(); }))
      continue;
    columns.push_back(head[i]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::string cell = i < rows[r].size() ? rows[r][i] : "";
      char* end = nullptr;
      const double value = std::strtod(cell.c_str(), &end);
      if (!cell.empty() && end == cell.c_str() + cell.size() && cell.find('.') != std::string::npos)
        cell = fmt::format("{:.5g}", value);
      shown[r].push_back(cell);
    }
  }
  document.heading(file.filename().string(), 3);
  document.table(columns, shown);
  if (count > most_rows)
    document.paragraph(
        fmt::format("The first {} of {} rows; all are in {}.", most_rows, count, file.filename().string()));
}

void add_pictures(ReportDocument& document, const fs::path& folder)
{
  std::error_code error;
  std::vector<fs::path> pictures;
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".png" ||
        (entry->path().extension() == ".svg" && !fs::exists(fs::path{entry->path()}.replace_extension(".png"))))
      pictures.push_back(fs::path{entry->path()}.replace_extension());
  std::ranges::sort(pictures);
  if (!pictures.empty())
    document.heading("Pictures");
  for (const fs::path& picture : pictures)
    document.picture(picture, caption_of(picture.filename().string()));
}

namespace {

ReportDocument contents_of(const fs::path& results)
{
  std::error_code error;
  if (fs::is_regular_file(results, error) && results.extension() != ".json")
    return sweep_report(results);
  const fs::path folder = fs::is_directory(results, error) ? results : results.parent_path();
  if (!fs::exists(folder / "summary.json", error)) {
    if (is_study_folder(folder))
      return study_report(folder);
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".sqlite")
        return sweep_report(entry->path());
    throw InputError{fmt::format(
        "'{}' is not a results folder: it has no summary.json; simrun SCENARIO -o DIR writes one", results.string())};
  }
  const Json summary = read_json(folder / "summary.json");
  const std::string kind = text_of(summary, "kind");
  if (!kind.starts_with("trainyard"))
    throw InputError{fmt::format("'{}' was not written by simrun", (folder / "summary.json").string())};
  ReportDocument document;
  document.title = text_of(summary, "scenario");
  if (document.title.empty())
    document.title = folder.filename().string();
  document.question = text_of(summary, "description");
  std::string answer = text_of(summary, "advice");
  if (answer.empty())
    answer = first_job_in_words(summary);
  if (!answer.empty()) {
    document.heading("The answer");
    document.answer(answer);
  }
  if (kind == "trainyard summary")
    add_training(document, summary);
  else if (kind == "trainyard queue")
    add_queue(document, summary);
  else if (kind == "trainyard orchestration")
    add_services(document, summary);
  else
    add_figures(document, summary);
  add_assumed(document, summary);
  if (const auto warnings = summary.find("warnings"); warnings != summary.end() && warnings->is_array())
    for (const Json& warning : *warnings)
      if (warning.is_string())
        document.paragraph("Warning: " + warning.get<std::string>());

  add_pictures(document, folder);

  document.heading("Appendix");
  if (fs::exists(folder / "manifest.json", error)) {
    const Json manifest = read_json(folder / "manifest.json");
    std::string facts =
        fmt::format("Written by Trainyard {} (commit {}), seed {}.", text_of(manifest, "trainyard_version"),
                    text_of(manifest, "commit"), figure(number_in(manifest, "seed")));
    if (const std::string calibration = text_of(manifest, "calibration"); !calibration.empty())
      facts += fmt::format(" Calibration: {}.", calibration);
    document.paragraph(facts + " To repeat it, byte for byte: simrun " + (folder / "manifest.json").string());
    if (const auto inputs = manifest.find("inputs"); inputs != manifest.end() && inputs->is_array())
      for (const Json& input : *inputs)
        document.paragraph(fmt::format("Input {}, SHA-256 {}.", text_of(input, "file"), text_of(input, "sha256")));
    std::string scenario;
    if (const auto inner = manifest.find("scenario"); inner != manifest.end() && inner->is_object())
      scenario = text_of(*inner, "text");
    if (!scenario.empty()) {
      document.heading("The scenario", 3);
      document.code(scenario);
    }
  }
  for (const char* file : {"metrics.csv", "services.csv", "faults.csv", "jobs.csv", "placement.csv", "parts.csv"})
    if (fs::exists(folder / file, error))
      add_csv(document, folder / file);
  return document;
}

} // namespace

ReportDocument report_of(const fs::path& results)
{
  try {
    return contents_of(results);
  } catch (const Json::exception& fault) { // a value of another kind than simrun writes
    throw InputError{fmt::format("'{}' is damaged: {}", results.string(), fault.what())};
  }
}

} // namespace trainyard
