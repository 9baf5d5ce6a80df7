#include "sim/app/scenario_input.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "sim/report/files.hpp"
#include "sim/report/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_manifest_bytes = 64U << 20U;

void apply_override(ScenarioInput& input, const std::string& override)
{
  const std::size_t equals = override.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError{fmt::format("--set needs KEY=VALUE, not '{}'; for example --set run.fidelity=fluid", override)};
  set_path(input.document, override.substr(0, equals), override.substr(equals + 1));
  input.run.overrides.push_back(override);
}

ScenarioInput from_manifest(const fs::path& file)
{
  ScenarioInput input;
  input.run = read_manifest(read_text_file(file, largest_manifest_bytes), file.string());
  input.from_manifest = true;
  return input;
}

} // namespace

std::vector<Option> scenario_options()
{
  return {{"SCENARIO",
           "",
           "SCENARIO",
           "scenario file, name of a shipped example (simrun list scenarios), or manifest.json of a run",
           true,
           false,
           {},
           "scenario"},
          {"--set", "", "KEY=VALUE", "change one value of the file: --set jobs.0.workers=16 (quantities with their unit)", false, true},
          {"--fidelity", "", "NAME", "how the network is simulated: closed_form, fluid, flow or step (simrun list fidelities)"},
          {"--seed", "", "N", "seed of all random streams; the same seed gives the same bytes"}};
}

std::vector<std::pair<std::string, fs::path>> shipped_scenarios()
{
  std::vector<std::pair<std::string, fs::path>> list;
  std::error_code error;
  for (fs::recursive_directory_iterator entry{data_folder() / "scenarios", error}, end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".yaml")
      list.emplace_back(entry->path().stem().string(), entry->path());
  std::ranges::sort(list);
  return list;
}

fs::path find_scenario(const std::string& name)
{
  std::error_code error;
  if (fs::is_directory(name, error)) {
    if (fs::exists(fs::path{name} / "manifest.json", error))
      return fs::path{name} / "manifest.json";
    throw InputError{fmt::format("'{}' is a folder without manifest.json; name a scenario file, or the folder of a run", name)};
  }
  if (fs::exists(name, error))
    return name;
  std::vector<std::string> known;
  for (const auto& [shipped, file] : shipped_scenarios()) {
    if (shipped == name)
      return file;
    known.push_back(shipped);
  }
  for (const auto& [command, entry] : commands())
    known.push_back(command);
  std::ranges::sort(known);
  throw InputError{fmt::format("there is no file, example or command '{}'{}; simrun list scenarios shows the examples", name,
                               did_you_mean(fs::path{name}.stem().string(), known))};
}

ScenarioInput scenario_input(const Arguments& arguments, Diagnostics& diagnostics)
{
  const fs::path file = find_scenario(arguments.value("SCENARIO"));
  ScenarioInput input;
  if (file.extension() == ".json") {
    input = from_manifest(file);
    input.document = parse_document(input.run.scenario_text, input.run.scenario_file, diagnostics);
    for (const std::string& override : std::exchange(input.run.overrides, {}))
      apply_override(input, override);
    input.name = input.run.scenario_name;
  } else {
    input.document = read_document(file, diagnostics);
    if (diagnostics.has_errors())
      return input;
    input.run.scenario_text = read_text_file(file, largest_document_bytes);
    input.run.scenario_file = file.filename().string();
    input.name = file.stem().string();
  }
  input.run.scenario_name = input.name;
  if (arguments.has("--fidelity"))
    apply_override(input, "run.fidelity=" + arguments.value("--fidelity"));
  if (arguments.has("--seed"))
    apply_override(input, fmt::format("run.seed={}", arguments.whole_number("--seed", 1)));
  for (const std::string& override : arguments.all("--set"))
    apply_override(input, override);
  input.run.inputs.clear();
  input.run.inputs.emplace_back(input.run.scenario_file, sha256(input.run.scenario_text));
  return input;
}

} // namespace trainyard::app
