// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/export/exporter.hpp"
#include "sim/report/output_file.hpp"
#include "sim/run/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

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
  if (file.empty())
    print(text.text);
  else
    write_file(file, text.text);
  for (const std::string& note : text.notes)
    print_note("not exported: " + note, arguments);
  if (!file.empty())
    print_note(fmt::format("written to {}", file), arguments);
  return done;
}

std::vector<Option> export_options()
{
  std::vector<Option> list = scenario_options();
  list.insert(list.end(), {{"--format",
                            "",
                            "NAME",
                            "format to write: swf, paje, simgrid, kubernetes, compose (simrun list exports)",
                            true,
                            false,
                            {},
                            "list exports"},
                           {"--output", "-o", "FILE", "file to write (default: stdout)"},
                           {"--policy",
                            "",
                            "NAME",
                            "policy, for a queue run with several policies (default: the first)",
                            false,
                            false,
                            {},
                            "list queues"}});
  return list;
}

[[maybe_unused]] const bool export_registered = register_command(
    {"export",
     "write a scenario or results in the format of another tool: SWF, Paje, SimGrid, manifests",
     "From a results folder it exports the timeline and the jobs (swf, paje) or the scenario (simgrid, kubernetes, "
     "compose).",
     export_options(),
     {{"simrun export results/runs/shared_cluster_policies --format swf -o jobs.swf",
       "export the queue as a workload trace"},
      {"simrun export my.yaml --format kubernetes -o manifests.yaml", "export the planned cluster as manifests"}},
     export_command});

} // namespace
} // namespace trainyard::app
