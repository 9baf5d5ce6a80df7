// SPDX-License-Identifier: Apache-2.0
#include "sim/app/scenario_input.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/expression.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/input_file.hpp"
#include "models/core/quantity_text.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/import/importer.hpp"
#include "models/orchestration/fault.hpp"
#include "models/scenario/places.hpp"
#include "models/scenario/short_forms.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/app/effort.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

namespace trainyard::app {
std::string as_folder(const std::string& name)
{
  const bool plain = std::ranges::none_of(name, [](unsigned char c) { return c < ' ' || c == '/' || c == 0x7f; });
  return plain && !name.empty() && name != "." && name != ".." && name.size() <= 200 ? name : "scenario";
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_manifest_bytes = 64U << 20U;
constexpr double seconds_per_copy =
    170e-6; // of a job that is read and placed, seen with 20,000 copies; simulating it takes longer
constexpr double bytes_per_copy = 60e3;
constexpr const char* standard_input = "standard input"; // in messages, in place of a file's name

void apply_override(ScenarioInput& input, const std::string& override)
{
  change_value(input.document, override);
  input.run.overrides.push_back(override);
}

/// --scheduler ENDPOINT: a process that speaks Batsim's protocol decides, instead of the scenario's policies.
void apply_scheduler(ScenarioInput& input, const std::string& endpoint)
{
  const DocumentNode* scheduling = input.document.root.find("scheduling");
  const bool list = scheduling != nullptr && scheduling->find("policies") != nullptr;
  DocumentNode quoted;
  quoted.kind = DocumentNode::Kind::scalar;
  quoted.text = endpoint;
  quoted.quoted = true;
  const std::string policy = fmt::format("{{name: batsim, endpoint: {}}}", to_flow_yaml(quoted));
  apply_override(input, list ? "scheduling.policies=[" + policy + "]" : "scheduling.policy=" + policy);
}

/// The file's `faults` as a map with a list `also`, so that the command line can add to it.
DocumentNode& added_faults(Document& document)
{
  DocumentNode* faults = document.root.find("faults");
  if (faults == nullptr) {
    set_path(document, "faults", "{also: []}");
    faults = document.root.find("faults");
  } else if (faults->kind == DocumentNode::Kind::list) {
    DocumentNode list = *faults;
    DocumentNode map;
    map.kind = DocumentNode::Kind::map;
    map.line = list.line;
    map.column = list.column;
    map.entries.push_back({"list", list.line, list.column, std::move(list)});
    *faults = std::move(map);
  }
  if (faults->kind != DocumentNode::Kind::map)
    return *faults; // its reader says what is wrong with it
  if (faults->find("also") == nullptr)
    set_path(document, "faults.also", "[]");
  return *faults->find("also");
}

/// "rack:3@02:00+6h"
void add_failure(ScenarioInput& input, const std::string& text)
{
  FaultSpec fault;
  if (const auto wrong = parse_fault(text, fault))
    throw InputError{"--fail: " + *wrong};
  DocumentNode item;
  item.kind = DocumentNode::Kind::scalar;
  item.text = text;
  added_faults(input.document).items.push_back(item);
  const DocumentNode* all = input.document.root.find("faults");
  std::erase_if(input.run.overrides, [](const std::string& override) { return override.starts_with("faults="); });
  input.run.overrides.push_back("faults=" + to_flow_yaml(*all));
}

/// "gpu=50000h,switch=200000h,mttr=4h"
void add_failure_times(ScenarioInput& input, const std::string& text)
{
  std::vector<std::string> known = fault_kind_names();
  known.push_back("mttr");
  added_faults(input.document);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = part.find('=');
    const std::string kind = part.substr(0, equals);
    if (equals == std::string::npos || equals == 0)
      throw InputError{
          fmt::format("--mtbf needs KIND=TIME, not '{}'; for example --mtbf gpu=50000h,switch=200000h,mttr=4h", part)};
    if (std::ranges::find(known, kind) == known.end())
      throw InputError{fmt::format("--mtbf: unknown kind of failure '{}'{}; kinds are {}", kind,
                                   did_you_mean(kind, known), fmt::join(known, ", "))};
    if (const QuantityText time = parse_quantity(part.substr(equals + 1), QuantityKind::duration); !time)
      throw InputError{fmt::format("--mtbf: '{}' is not a time: {}", part.substr(equals + 1), time.error)};
    set_path(input.document, "faults.mtbf." + kind, part.substr(equals + 1));
  }
  std::erase_if(input.run.overrides, [](const std::string& override) { return override.starts_with("faults="); });
  input.run.overrides.push_back("faults=" + to_flow_yaml(*input.document.root.find("faults")));
}

/// Files of other tools run as they are: simrun docker-compose.yml. Nothing where the file is a scenario or a manifest.
std::optional<ImportResult> imported_scenario(const InputFile& input)
{
  if (is_own_scenario(input.head()) || importer_of(input) == nullptr)
    return std::nullopt;
  ImportOptions options;
  options.name = input.path().stem().stem().string();
  const Catalogue catalogue = load_catalogue(data_folder());
  return import_in_child({input.path()}, [&] { return import_files(std::vector{input}, options, catalogue); });
}

/// All of standard input. It can be read once.
std::string read_standard_input()
{
  std::string text;
  char block[1U << 16U];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, stdin)) > 0;) {
    check_interrupt();
    text.append(block, got);
    if (text.size() > largest_manifest_bytes)
      throw InputError{fmt::format("{} is larger than {} MB", standard_input, largest_manifest_bytes / 1'000'000)};
  }
  check_interrupt(); // which ends the reading, too
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError{fmt::format("{} is empty; '-' as a scenario means that it comes from there", standard_input)};
  return text;
}

bool is_json_object(const std::string& text)
{
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return text[first] == '{' && text.find("\"trainyard manifest\"") != std::string::npos;
}

/// What the scenario calls itself.
std::optional<std::string> name_in(const Document& document)
{
  const DocumentNode* name = document.root.find("name");
  return name != nullptr && name->kind == DocumentNode::Kind::scalar ? std::optional{name->text} : std::nullopt;
}

/// Asks before a few lines become very many jobs: `copies: 1000000`.
void agree_on_copies(const Arguments& arguments, const Document& document)
{
  double jobs = 0;
  if (const DocumentNode* list = document.root.find("jobs"); list != nullptr)
    for (const DocumentNode& job : list->items)
      if (const DocumentNode* copies = job.find("copies"); copies != nullptr)
        if (const std::optional<double> count = any_quantity(copies->text); count && *count > 1)
          jobs += *count;
  agree(arguments, {.what = fmt::format("{} copies of jobs", rate_text(jobs)),
                    .time = Seconds{jobs * seconds_per_copy},
                    .bytes = jobs * bytes_per_copy,
                    .fewer = "give fewer copies, or a queue ('workload:'), which needs less for each job",
                    .at_least = true});
}

} // namespace

std::string full_path(const std::string& name)
{
  static const std::map<std::string, std::string> paths = {
      {"nodes", "cluster.nodes.0.count"}, {"net", "cluster.network.bandwidth"}, {"link", "cluster.network.link"},
      {"workers", "jobs.0.workers"},      {"batch", "jobs.0.batch_per_gpu"},    {"ps", "jobs.0.training.servers"},
      {"model", "jobs.0.model"},          {"policy", "scheduling.policy"},      {"placement", "scheduling.placement"}};
  const auto found = paths.find(name);
  return found == paths.end() ? name : found->second;
}

void change_value(Document& document, const std::string& change)
{
  const std::size_t equals = change.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError{fmt::format("--set needs KEY=VALUE, not '{}'; for example --set run.fidelity=fluid", change)};
  set_path(document, full_path(change.substr(0, equals)), change.substr(equals + 1));
}

std::vector<Option> scenario_options()
{
  return {
      {"SCENARIO", "", "SCENARIO",
       "scenario file, name of a shipped example (simrun list scenarios), or manifest.json of a run; -: standard input",
       "scenario", true},
      {"--set", "", "KEY=VALUE",
       "change one value of the file: --set jobs.0.workers=16, or workers=16 (quantities with their unit)", "", false,
       true},
      {"--fail", "", "WHAT", "add a failure: rack:3@02:00+6h, node:node-1@600s, link:node-2@1h+10min", "", false, true},
      {"--mtbf", "", "TIMES",
       "add random failures: gpu=50000h,switch=200000h,mttr=4h (mean time between failures of one GPU, switch, …)", "",
       false, true},
      {"--fidelity", "", "NAME",
       "how the network is simulated: auto, closed_form, fluid, flow, step or tcp (simrun list fidelities)",
       "list fidelities"},
      {"--seed", "", "N", "seed of all random streams; the same seed gives the same results, byte for byte"},
      yes_option()};
}

std::vector<std::pair<std::string, fs::path>> shipped_scenarios()
{
  std::vector<std::pair<std::string, fs::path>> list;
  std::error_code error;
  for (fs::recursive_directory_iterator entry{data_folder() / "scenarios", error}, end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".yaml")
      list.emplace_back(entry->path().stem().string(), entry->path());
  std::ranges::sort(list);
  return list;
}

bool is_shipped(const std::string& name)
{
  const auto shipped = shipped_scenarios();
  return std::ranges::any_of(shipped, [&](const auto& one) { return one.first == name; });
}

fs::path find_scenario(const std::string& name)
{
  if (name == "-")
    return name;
  std::error_code error;
  if (fs::is_directory(name, error)) {
    if (fs::exists(fs::path{name} / "manifest.json", error))
      return fs::path{name} / "manifest.json";
    throw InputError{fmt::format(
        "'{}' is a folder without manifest.json; give a scenario file, or the results folder of a run", name)};
  }
  if (fs::exists(name, error))
    return name;
  std::vector<std::string> known, near;
  for (const auto& [shipped, file] : shipped_scenarios()) {
    if (shipped == name)
      return file;
    known.push_back(shipped);
  }
  for (const auto& [command, entry] : commands())
    known.push_back(command);
  const fs::path folder = fs::path{name}.parent_path(); // a file beside it is what was meant, before an example
  for (const auto& entry : fs::directory_iterator{folder.empty() ? fs::path{"."} : folder, error})
    if (const fs::path file = entry.path().filename(); file.extension() == ".yaml" || file.extension() == ".yml")
      near.push_back((folder / file).string());
  if (const std::optional<std::string> file = closest(name, near))
    throw InputError{fmt::format("there is no file '{}'; did you mean '{}'?", name, *file)};
  std::ranges::sort(known);
  throw InputError{fmt::format("there is no file, example or command '{}'{}; simrun list scenarios shows the examples",
                               name, did_you_mean(fs::path{name}.stem().string(), known))};
}

ScenarioInput scenario_input(const Arguments& arguments, Diagnostics& diagnostics)
{
  const fs::path found = find_scenario(arguments.value("SCENARIO"));
  const bool piped = found == "-";
  const std::string piped_text = piped ? read_standard_input() : std::string{};
  const fs::path file = piped ? fs::path{standard_input} : found;
  const InputFile source = piped ? InputFile{file.string(), piped_text} : InputFile{file};
  ScenarioInput input;
  if (std::optional<ImportResult> imported = imported_scenario(source); imported) {
    print_note(report_text(imported->report), arguments);
    for (const Diagnostic& fault : imported->report.faults.sorted())
      diagnostics.add(fault);
    if (diagnostics.has_errors())
      return input;
    input.run.scenario_text = imported->yaml;
    input.run.scenario_file = file.string() + " (imported)";
    input.document = parse_document(imported->yaml, input.run.scenario_file, diagnostics);
    input.name = file.stem().string();
  } else if (piped ? is_json_object(piped_text) : file.extension() == ".json") {
    input.run = read_manifest(piped ? piped_text : read_text_file(file, largest_manifest_bytes), file.string());
    input.document = parse_document(input.run.scenario_text, scenario_path(input.run), diagnostics);
    expand_short_forms(input.document, load_catalogue(data_folder()), diagnostics);
    for (const std::string& override : std::exchange(input.run.overrides, {}))
      apply_override(input, override);
    input.name = as_folder(input.run.scenario_name);
  } else {
    input.document = piped ? parse_document(piped_text, standard_input, diagnostics) : read_document(file, diagnostics);
    if (diagnostics.has_errors())
      return input;
    input.run.scenario_text = piped ? piped_text : read_text_file(file, largest_document_bytes);
    input.run.scenario_file = file.filename().string();
    input.run.scenario_folder =
        (piped ? fs::current_path() : fs::absolute(file).lexically_normal().parent_path()).string();
    input.name = file.stem().string();
    if (piped)
      input.name = as_folder(name_in(input.document).value_or("scenario"));
  }
  expand_short_forms(input.document, load_catalogue(data_folder()), diagnostics);
  if (diagnostics.has_errors())
    return input;
  if (arguments.has("--fidelity"))
    apply_override(input, "run.fidelity=" + arguments.value("--fidelity"));
  if (arguments.has("--seed"))
    apply_override(input, fmt::format("run.seed={}", arguments.whole_number("--seed", 1)));
  for (const std::string& override : arguments.all("--set"))
    apply_override(input, override);
  if (arguments.has("--scheduler")) {
    apply_scheduler(input, arguments.value("--scheduler"));
    print_note(fmt::format("the scheduler at {} decides; if it does not run yet, start it now (each question waits "
                           "60 s for its answer)",
                           arguments.value("--scheduler")),
               arguments);
  }
  apply_failures(arguments, input);
  agree_on_copies(arguments, input.document);
  input.run.scenario_name = name_in(input.document).value_or(input.name);
  input.run.inputs.clear();
  input.run.inputs.emplace_back(input.run.scenario_file, sha256(input.run.scenario_text));
  for (const fs::path& entry : own_catalogue_files())
    input.run.inputs.emplace_back(entry.string(), sha256(InputFile{entry}.text()));
  return input;
}

void keep_point(ScenarioInput& input, const std::string& label)
{
  Diagnostics faults;
  const SweepSpace space{input.document, faults};
  faults.throw_if_errors();
  std::vector<std::string> labels;
  std::optional<SweepPoint> chosen;
  for (std::size_t i = 0; i < space.size() && !chosen; ++i) {
    SweepPoint point = space.point(i);
    labels.push_back(point.label());
    if (labels.back() == label)
      chosen = std::move(point);
  }
  if (!chosen) {
    const std::string meant = did_you_mean(label, labels);
    throw InputError{
        fmt::format("--point: the sweep has no point '{}'{}", label,
                    meant.empty() && !labels.empty() ? fmt::format("; the first one is '{}'", labels.front()) : meant)};
  }
  const DocumentNode* variants = find_path(input.document.root, "sweep.variants");
  std::string grid;
  std::string variant;
  for (const auto& [path, value] : chosen->settings) {
    if (path == "replica")
      throw InputError{"--point: the sweep repeats its points with several seeds; choose one with --seed, and take "
                       "'replicas' out of the sweep"};
    if (path != "variant") {
      const DocumentNode* node = find_path(chosen->document.root, path);
      grid += fmt::format("{}{}: [{}]", grid.empty() ? "" : ", ", path, node == nullptr ? value : to_flow_yaml(*node));
      continue;
    }
    for (const DocumentNode& each : variants == nullptr ? std::vector<DocumentNode>{} : variants->items)
      if (const DocumentNode* name = each.find("name"); name != nullptr && name->text == value)
        variant = to_flow_yaml(each);
  }
  if (chosen->settings.empty())
    return;
  std::string sweep = grid.empty() ? "" : "grid: {" + grid + "}";
  if (!variant.empty())
    sweep += fmt::format("{}variants: [{}]", sweep.empty() ? "" : ", ", variant);
  apply_override(input, "sweep={" + sweep + "}");
}

void apply_failures(const Arguments& arguments, ScenarioInput& input)
{
  for (const std::string& failure : arguments.all("--fail"))
    add_failure(input, failure);
  for (const std::string& times : arguments.all("--mtbf"))
    add_failure_times(input, times);
}

CheckedInput checked_input(const Arguments& arguments, Diagnostics& diagnostics)
{
  return checked_input(arguments, load_catalogue(data_folder()), diagnostics);
}

CheckedInput checked_input(const Arguments& arguments, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  ScenarioInput input = scenario_input(arguments, diagnostics);
  diagnostics.throw_if_errors();
  std::vector<CheckedPoint> points = check_points(input.document, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  return {std::move(input), std::move(points)};
}

std::vector<Diagnostic> located(const std::vector<Diagnostic>& faults, const ScenarioInput& input)
{
  std::vector<Diagnostic> all;
  all.reserve(faults.size());
  for (const Diagnostic& fault : faults)
    all.push_back(fault.where.path.empty() ? fault : trainyard::located(fault, input.document, ""));
  return all;
}

InputError located(const InputError& error, const ScenarioInput& input)
{
  return InputError{located(error.diagnostics(), input)};
}

} // namespace trainyard::app
