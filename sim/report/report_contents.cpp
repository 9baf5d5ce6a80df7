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
#include "sim/report/report_document.hpp"
#include "sim/report/table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
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

/// Of one job at several points the fastest; of several jobs the first.
std::string fastest_told(const std::vector<JobRow>& rows)
{
  const bool one = std::ranges::all_of(rows, [&](const JobRow& row) { return row.job == rows.front().job; });
  const JobRow& best =
      one ? *std::ranges::max_element(rows, {}, [](const JobRow& row) { return row.samples_per_second.mean; })
          : rows.front();
  return (rows.size() > 1 && one ? "The fastest of " + std::to_string(rows.size()) + ", " + best.point + ": " : "") +
         job_told(best).text;
}

/// Which assumptions decide most.
void add_decisive(ReportDocument& document, const Json& summary)
{
  for (const Json& message : summary.value("messages", Json::array()))
    if (message.value("id", "") == "run.decisive")
      document.paragraph("Decides most: " + message.value("text", "") + ".");
}

/// The same tables and lines as on the terminal; the answer stands above them, and what is assumed below.
void add_training(ReportDocument& document, const Json& summary, Results results)
{
  std::set<std::string> provenances;
  for (const Json& job : summary.value("jobs", Json::array()))
    provenances.insert(job.value("provenance", ""));
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

/// Of the job that keeps most tokens a second.
void add_parts_of_step(ReportDocument& document, const Json& summary)
{
  const Json jobs = summary.value("jobs", Json::array());
  const auto best =
      std::ranges::max_element(jobs, {}, [](const Json& job) { return job.value("useful_tokens_per_second", 0.0); });
  std::vector<std::vector<std::string>> parts;
  for (const auto& [key, what] : parts_of_step)
    if (const double part = best == jobs.end() ? 0 : best->value(key, 0.0); part > 0)
      parts.push_back({what, time_text(Seconds{part}), percent_text(part / best->value("step_s", 0.0))});
  document.heading("Where the step goes");
  document.table({"part", "time", "of the step"}, parts);
}

/// What the figures of a kind of run or study rest on, and what they leave open.
struct Basis {
  std::string_view kind;
  const char *badge, *meaning, *open = nullptr, *repeat = nullptr; // repeat: where a seed draws
};
constexpr const char* from_runs = "all figures come from simulated runs; the project's results/scoreboard.md lists the "
                                  "errors against published measurements";
constexpr Basis bases[]{
    {"trainyard queue", "replayed", "the run times of the jobs come from the trace or the generator",
     "All policies get the same jobs at the same times, so chance does not explain their "
     "differences. Other jobs may still change the order of policies with similar results.",
     "Repeat with other seeds (--seed, or simrun compare) before acting on differences of a few percent."},
    {"trainyard orchestration", "documented",
     "detection times, delays and restart rules are the documented defaults of the systems",
     "Failures at given times are replayed exactly. Random failures are one sample: repeat with "
     "--replicas for a range."},
    {"trainyard parallel", "estimated",
     "rates of products and links come from the catalogue, unless a calibration was used",
     "The step is computed, not drawn. What it may be off by is the error of the model and of its "
     "inputs; simrun sensitivity shows which inputs move this answer."},
    {"trainyard plan", "simulated", from_runs},
    {"trainyard comparison", "simulated", from_runs},
    {"trainyard sensitivity", "simulated", from_runs},
    {"trainyard layout plan", "estimated",
     "all figures come from a closed form; the project's results/scoreboard.md lists the errors "
     "against published measurements"},
    {"trainyard replay", "simulated",
     "predicted figures come from simulated runs, recorded ones from the log; the project's "
     "results/scoreboard.md lists the errors against published measurements"}};

bool is_study(std::string_view kind)
{
  return std::ranges::any_of(bases, [&](const Basis& basis) { return basis.kind == kind && basis.open == nullptr; });
}

void add_basis(ReportDocument& document, std::string_view kind, const std::string& seed_note = {})
{
  for (const Basis& basis : bases)
    if (basis.kind == kind) {
      if (basis.open != nullptr) {
        document.heading("Uncertainty");
        const std::string more = seed_note.empty() ? basis.repeat == nullptr ? "" : basis.repeat : "But " + seed_note;
        document.paragraph(fmt::format("{}{}{}", basis.open, more.empty() ? "" : " ", more));
      }
      document.heading("Basis of the results");
      document.badge(basis.badge, basis.meaning);
    }
}

/// The same tables and lines as on the terminal; the answer stands above them, and what is assumed below.
void add_run(ReportDocument& document, const Json& summary, const std::string& kind)
{
  const auto told = summary.find("told");
  if (told == summary.end())
    throw InputError{"another version of simrun wrote this folder; run the scenario again"};
  Telling telling = Telling::read(*told);
  std::erase_if(telling.pieces, [&](const Told& piece) {
    return piece.form == Told::Form::answer || &piece == &telling.pieces.front() ||
           piece.said.id == assumed_told({}).id;
  });
  document.heading("Results");
  document.add(telling);
  if (kind == "trainyard parallel")
    add_parts_of_step(document, summary);
  add_basis(document, kind, summary.value("seed_note", ""));
}

/// Whether the answer begins with the sentence of the scenario.
bool answers_question(const Json& summary)
{
  const auto messages = summary.find("messages");
  return messages != summary.end() && messages->is_array() && !messages->empty() &&
         messages->front().value("kind", "") == "answer" && messages->front().value("id", "").empty();
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

/// Of the folder that plan, compare, sensitivity, layouts or replay wrote.
ReportDocument study_report(const fs::path& folder, const Json& manifest)
{
  const auto told = manifest.find("told");
  if (told == manifest.end())
    throw InputError{fmt::format("'{}' was written by another version of simrun; run the study again",
                                 (folder / "manifest.json").string())};
  ReportDocument document;
  for (const std::string& title :
       {manifest.value("title", ""), manifest.value("scenario", ""), folder.filename().string()})
    if (document.title.empty())
      document.title = title;
  document.question = manifest.value("question", "");
  document.heading("The answer");
  Telling telling = Telling::read(*told);
  const auto is = [](Told::Form form) { return [form](const Told& piece) { return piece.form == form; }; };
  const auto head = std::ranges::find_if(telling.pieces, is(Told::Form::heading));
  std::stable_partition(telling.pieces.begin(), head, is(Told::Form::answer)); // a page begins with its answer
  document.add(telling);
  add_basis(document, manifest.value("kind", ""));
  add_pictures(document, folder);
  document.heading("Appendix");
  document.paragraph(fmt::format("Written by Trainyard {}.", manifest.value("trainyard_version", "")));
  if (const std::string command = manifest.value("command", ""); !command.empty())
    document.paragraph("To ask again: " + command);
  std::error_code error;
  for (const auto& [file, title] : {std::pair{"answer.yaml", "The design as a scenario"},
                                    std::pair{"scenario.yaml", "The explained past as a scenario"}})
    if (fs::exists(folder / file, error)) {
      document.heading(title, 3);
      document.code(read_text_file(folder / file, largest_file));
    }
  for (const char* file : {"designs.csv", "compare.csv", "sensitivity.csv", "weeks.csv"})
    if (fs::exists(folder / file, error))
      add_csv(document, folder / file);
  return document;
}

ReportDocument contents_of(const fs::path& results)
{
  std::error_code error;
  if (fs::is_regular_file(results, error) && results.extension() != ".json")
    return sweep_report(results);
  const fs::path folder = fs::is_directory(results, error) ? results : results.parent_path();
  if (!fs::exists(folder / "summary.json", error)) {
    if (fs::is_regular_file(folder / "manifest.json", error))
      if (const Json manifest = read_json(folder / "manifest.json"); is_study(manifest.value("kind", "")))
        return study_report(folder, manifest);
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".sqlite")
        return sweep_report(entry->path());
    throw InputError{fmt::format(
        "'{}' is not a results folder: it has no summary.json; simrun SCENARIO -o DIR writes one", results.string())};
  }
  const Json summary = read_json(folder / "summary.json");
  const std::string kind = summary.value("kind", "");
  if (!kind.starts_with("trainyard"))
    throw InputError{fmt::format("'{}' was not written by simrun", (folder / "summary.json").string())};
  ReportDocument document;
  document.title = summary.value("scenario", "");
  if (document.title.empty())
    document.title = folder.filename().string();
  document.question = summary.value("description", "");
  std::string answer = summary.value("advice", "");
  std::optional<Results> training;
  if (kind == "trainyard summary")
    training = read_summary(summary.dump(), (folder / "summary.json").string());
  if (answer.empty() && training && !training->jobs.empty())
    answer = fastest_told(training->jobs);
  if (!answer.empty()) {
    document.heading("The answer");
    const std::size_t end = answers_question(summary) ? answer.find('\n') : std::string::npos;
    document.answer(answer.substr(0, end));
    if (end != std::string::npos)
      document.paragraphs(answer.substr(end + 1));
  }
  if (training)
    add_training(document, summary, std::move(*training));
  else
    add_run(document, summary, kind);
  add_decisive(document, summary);
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
        fmt::format("Written by Trainyard {} (commit {}), seed {}.", manifest.value("trainyard_version", ""),
                    manifest.value("commit", ""), manifest.value("seed", std::uint64_t{0}));
    if (const std::string calibration = manifest.value("calibration", ""); !calibration.empty())
      facts += fmt::format(" Calibration: {}.", calibration);
    document.paragraph(facts + " To repeat it, byte for byte: simrun " + (folder / "manifest.json").string());
    if (const auto inputs = manifest.find("inputs"); inputs != manifest.end() && inputs->is_array())
      for (const Json& input : *inputs)
        document.paragraph(fmt::format("Input {}, SHA-256 {}.", input.value("file", ""), input.value("sha256", "")));
    std::string scenario;
    if (const auto inner = manifest.find("scenario"); inner != manifest.end() && inner->is_object())
      scenario = inner->value("text", "");
    if (!scenario.empty()) {
      document.heading("The scenario", 3);
      if (const Json changed = manifest.value("overrides", Json::array()); !changed.empty())
        document.paragraph(fmt::format("With {}, which is not in the text below.",
                                       fmt::join(changed.get<std::vector<std::string>>(), ", ")));
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
