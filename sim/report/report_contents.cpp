// SPDX-License-Identifier: Apache-2.0
// What a results folder says, for readers who did not make the run.
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/output.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/safe_text.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/files.hpp"
#include "sim/report/json_values.hpp"
#include "sim/report/report_document.hpp"
#include "sim/report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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

/// How far answers of this kind were off, and which assumptions decide most.
void add_errors(ReportDocument& document, const Json& summary)
{
  const auto messages = summary.find("messages");
  for (const Json& message : messages == summary.end() ? Json::array() : *messages)
    if (const std::string id = text_of(message, "id"); id == "accuracy.holds" || id == "run.decisive")
      document.paragraph((id == "run.decisive" ? "Decides most: " : "") + text_of(message, "text") +
                         (id == "run.decisive" ? "." : ""));
}

/// The same tables and lines as on the terminal; the answer stands above them, and what is assumed below.
void add_training(ReportDocument& document, const Json& summary, Results results)
{
  std::set<std::string> provenances;
  for (const Json& job : summary.value("jobs", Json::array()))
    provenances.insert(text_of(job, "provenance"));
  results.assumed.clear();
  Telling told = results_told(results);
  std::erase_if(told.pieces, [](const Told& piece) { return piece.form == Told::Form::answer; });
  told.pieces.erase(told.pieces.begin());
  document.heading("Results");
  document.add(told);
  document.heading("Basis of the results");
  for (const std::string& provenance : provenances)
    if (!provenance.empty())
      document.badge(provenance, meaning_of(provenance));
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
  for (const Json& policy : *policies)
    if (const std::string left = text_of(policy, "unfinished"); !left.empty()) {
      const std::string point = text_of(policy, "point"), change = text_of(policy, "smallest_change");
      document.paragraph(fmt::format("Under {}{}{} not all is done: {}{}. The figures above are of the other jobs.",
                                     text_of(policy, "policy"), point.empty() ? "" : ", ", point, left,
                                     change.empty() ? "" : "; it helps: " + change));
    }
  std::vector<std::vector<std::string>> waits;
  for (const Json& policy : *policies)
    if (const auto record = policy.find("recorded_waits"); record != policy.end()) {
      const Json recorded = record->value("recorded_s", Json::object()),
                 ours = record->value("replayed_s", Json::object());
      waits.push_back({text_of(policy, "point"), text_of(policy, "policy"), figure(number_in(*record, "jobs")),
                       time_text(number_in(recorded, "mean")), time_text(number_in(ours, "mean")),
                       time_text(number_in(recorded, "p95")), time_text(number_in(ours, "p95")),
                       percent_text(number_in(*record, "within_a_minute"))});
    }
  if (!waits.empty()) {
    document.heading("Waits of the log, and as replayed");
    document.table({"variant", "policy", "jobs with both", "mean in the log", "mean replayed", "95 % in the log",
                    "95 % replayed", "within a minute"},
                   waits);
  }
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

/// Where a step of a divided transformer goes: columns of its rows, and what they are.
constexpr std::array<std::pair<const char*, const char*>, 9> parts_of_step{
    {{"compute_s", "kernels of forward and backward passes on the busiest rank"},
     {"host_s", "waiting for kernels to be launched"},
     {"exposed_tensor_s", "tensor-parallel collectives that nothing hides"},
     {"exposed_context_s", "exchange of keys and values that nothing hides"},
     {"exposed_expert_s", "all-to-all of experts"},
     {"exposed_data_s", "gradients and weights between replicas that nothing hides"},
     {"bubble_s", "waiting for other stages, were messages instant"},
     {"exposed_pipeline_s", "more of it because messages between stages take time"},
     {"optimizer_s", "update of the parameters"}}};

void add_divided(ReportDocument& document, const Json& summary)
{
  const auto jobs = summary.find("jobs");
  if (jobs == summary.end() || !jobs->is_array() || jobs->empty())
    return;
  std::vector<std::vector<std::string>> rows, parts;
  const Json* best = &jobs->front();
  for (const Json& job : *jobs) {
    const double memory = number_in(job, "gpu_memory_B"), installed = number_in(job, "installed_B");
    rows.push_back({text_of(job, "point"), text_of(job, "job"), text_of(job, "model"), text_of(job, "gpu"),
                    figure(number_in(job, "gpus")), text_of(job, "layout"), time_text(number_in(job, "step_s")),
                    figure(number_in(job, "tokens_per_second")), percent_text(number_in(job, "model_flop_utilisation")),
                    fmt::format("{:.3g} of {:.3g} GB", memory / 1e9, installed / 1e9),
                    percent_text(number_in(job, "goodput")), text_of(job, "bottleneck")});
    if (number_in(job, "useful_tokens_per_second") > number_in(*best, "useful_tokens_per_second"))
      best = &job;
  }
  document.heading("Results");
  document.table({"variant", "job", "model", "GPU", "GPUs", "layout", "step", "tokens/s", "of the peak (model flop)",
                  "memory of a GPU", "goodput", "bottleneck"},
                 rows);
  document.heading("Where the step goes");
  for (const auto& [key, what] : parts_of_step)
    if (const double part = number_in(*best, key); part > 0)
      parts.push_back({what, time_text(part), percent_text(part / number_in(*best, "step_s"))});
  document.table({"part", "time", "of the step"}, parts);
  std::vector<std::vector<std::string>> failing;
  for (const Json& job : *jobs)
    if (number_in(job, "failures") > 0)
      failing.push_back({text_of(job, "point"), text_of(job, "job"), figure(number_in(job, "failures")),
                         percent_text(number_in(job, "goodput")), figure(number_in(job, "useful_tokens_per_second")),
                         time_text(number_in(job, "checkpoint_interval_s")),
                         time_text(number_in(job, "checkpoint_s"))});
  if (!failing.empty()) {
    document.heading("With failures and checkpoints");
    document.table({"variant", "job", "failures", "time that is kept (goodput)", "tokens/s that stay",
                    "a checkpoint every", "which takes"},
                   failing);
  }
  document.heading("Uncertainty");
  document.paragraph("The step is computed, not drawn. What it may be off by is the error of the model and of its "
                     "inputs; simrun sensitivity shows which inputs move this answer.");
  add_errors(document, summary);
  document.heading("Basis of the results");
  document.badge("estimated", "rates of products and links come from the catalogue, unless a calibration was used");
}

/// Anything else: its rows as they stand, a table for each list.
void add_figures(ReportDocument& document, const Json& summary)
{
  constexpr std::size_t most_columns = 9;
  document.heading("Results");
  for (const auto& [name, list] : summary.items()) {
    if (!list.is_array() || list.empty() || !list.front().is_object() || name == "messages")
      continue;
    std::vector<std::string> columns;
    for (const auto& [key, value] : list.front().items())
      if (columns.size() < most_columns && (value.is_string() || value.is_number()))
        columns.push_back(key);
    std::vector<std::vector<std::string>> rows;
    for (const Json& one : list)
      if (rows.size() < most_rows) {
        std::vector<std::string>& row = rows.emplace_back();
        for (const std::string& key : columns)
          row.push_back(one.contains(key) && one[key].is_number() ? figure(one[key].get<double>())
                                                                  : text_of(one, key.c_str()));
      }
    document.table(columns, rows);
  }
}

/// Whether the answer begins with the sentence of the scenario.
bool answers_question(const Json& summary)
{
  const auto messages = summary.find("messages");
  return messages != summary.end() && messages->is_array() && !messages->empty() &&
         text_of(messages->front(), "kind") == "answer" && text_of(messages->front(), "id").empty();
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
      {"tornado", "Which input changes the answer most"},
      {"waits", "Recorded wait of each job, and the predicted one above it"},
      {"weeks", "Mean waits of the weeks: recorded, predicted, and those of the week before"}};
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

namespace {

/// A picture that lies in its folder and is one: no link out of it, no file of another kind, none that is too large to
/// be shown. Empty otherwise.
std::string picture_bytes(const fs::path& file)
{
  constexpr std::uintmax_t largest = 20'000'000;
  constexpr std::uint64_t most_pixels = 50'000'000;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error || real.parent_path() != fs::canonical(file.parent_path(), error) || !fs::is_regular_file(real, error) ||
      fs::file_size(real, error) > largest || error)
    return {};
  std::string bytes = read_text_file(real, largest);
  if (file.extension() == ".svg") {
    const std::size_t start = bytes.find("<svg");
    return start < 1000 && first_invalid_utf8(bytes) == std::string::npos ? bytes : std::string{};
  }
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
  };
  const bool png =
      bytes.size() > 24 && bytes.starts_with("\x89PNG\r\n\x1A\n") && number(16) * number(20) <= most_pixels;
  return png ? bytes : std::string{};
}

} // namespace

void add_pictures(ReportDocument& document, const fs::path& folder)
{
  std::error_code error;
  std::map<std::string, ReportBlock> pictures;
  const std::optional<std::set<fs::path>> ours = files_of_ours(folder);
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error)) {
    const fs::path& file = entry->path();
    if ((file.extension() != ".svg" && file.extension() != ".png") || (ours && !ours->contains(file.filename())))
      continue;
    if (std::string bytes = picture_bytes(file); !bytes.empty()) {
      const std::string name = file.stem().string();
      ReportBlock& block = pictures[name];
      block.kind = ReportBlock::Kind::picture;
      block.text = caption_of(name);
      (file.extension() == ".svg" ? block.svg : block.png) = std::move(bytes);
    }
  }
  if (!pictures.empty())
    document.heading("Pictures");
  for (auto& [name, block] : pictures)
    document.blocks.push_back(std::move(block));
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
  std::optional<Results> training;
  if (kind == "trainyard summary")
    training = read_summary(summary.dump(), (folder / "summary.json").string());
  if (answer.empty() && training && !training->jobs.empty())
    answer = job_told(training->jobs.front()).text;
  if (!answer.empty()) {
    document.heading("The answer");
    const std::size_t end = answers_question(summary) ? answer.find('\n') : std::string::npos;
    document.answer(answer.substr(0, end));
    if (end != std::string::npos)
      document.paragraphs(answer.substr(end + 1));
  }
  if (training)
    add_training(document, summary, std::move(*training));
  else if (kind == "trainyard queue")
    add_queue(document, summary);
  else if (kind == "trainyard orchestration")
    add_services(document, summary);
  else if (kind == "trainyard parallel")
    add_divided(document, summary);
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
