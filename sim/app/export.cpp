// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/interrupt.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/export/exporter.hpp"
#include "sim/report/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

std::string write_files(const ExportText& made, const fs::path& folder, const std::string& format,
                        const Replace& replace)
{
  if (folder.empty())
    throw InputError{fmt::format("'{}' is {} files: name a folder for them with -o FOLDER", format, made.files.size())};
  const auto fill = [&](const fs::path& to) {
    for (const ExportFile& file : made.files) {
      check_interrupt();
      write_file(to / file.name, file.text());
    }
  };
  const std::string replaced = write_folder(folder, fill, replace);
  print(made.text);
  return replaced;
}

int export_command(const Arguments& arguments)
{
  std::error_code error;
  Diagnostics diagnostics;
  const auto [input, points] = checked_input(arguments, diagnostics);
  const Catalogue catalogue = load_catalogue(data_folder());
  ExportInput given{points.empty() ? nullptr : &points.front().scenario, catalogue, {}, arguments.value("--policy")};
  const fs::path named = arguments.value("SCENARIO");
  if (fs::is_directory(named, error))
    given.results = named;
  else if (named.filename() == "manifest.json")
    given.results = named.parent_path();
  const auto& formats = Registry<Exporter>::instance();
  const std::string format = arguments.value("--format");
  if (formats.find(format) == nullptr)
    throw InputError{fmt::format("there is no export format '{}'{}; choose from: {}", format,
                                 did_you_mean(format, formats.names()), fmt::join(formats.names(), ", "))};
  const ExportText text = formats.create(format)->write(given);
  if (points.size() > 1)
    print_note(fmt::format("note: the sweep has {} points; the first is exported", points.size()), arguments);
  const std::string file = arguments.value("--output");
  std::string replaced;
  if (!text.files.empty())
    replaced = write_files(text, file, format, replacing(arguments));
  else if (file.empty())
    print_data(text.text);
  else
    replaced = replace_file(file, text.text, replacing(arguments, "by Trainyard"));
  for (const std::string& note : text.notes)
    print_note("not exported: " + note, arguments);
  if (!file.empty())
    print_note(fmt::format("written to {}", file), arguments);
  if (!replaced.empty())
    print_note(replaced, arguments);
  return done;
}

std::vector<Option> export_options()
{
  std::vector<Option> list = scenario_options();
  list.insert(
      list.end(),
      {{"--format", "", "NAME",
        "format to write: swf, simgrid, chakra, astra-sim, kubernetes, compose (simrun list exports)", "list exports",
        true},
       {"--output", "-o", "FILE", "file to write (default: stdout); for chakra and astra-sim a folder"},
       {"--policy", "", "NAME", "policy, for a queue run with several policies (default: the first)", "list queues"},
       force_option()});
  return list;
}

[[maybe_unused]] const bool export_registered = register_command(
    {"export",
     "write a scenario or results in the format of another tool: SWF, SimGrid, ASTRA-sim, manifests",
     "From a results folder it exports the jobs (swf) or the scenario (simgrid, chakra, astra-sim, kubernetes, "
     "compose).",
     export_options(),
     {{"simrun export results/runs/shared_cluster_policies --format swf -o jobs.swf",
       "export the queue as a workload trace"},
      {"simrun export llama3_70b_on_512_h100 --format astra-sim -o astra",
       "export a divided job: an execution trace for each rank, and the cluster"},
      {"simrun export my.yaml --format kubernetes -o manifests.yaml", "export the planned cluster as manifests"}},
     export_command});

} // namespace
} // namespace trainyard::app
