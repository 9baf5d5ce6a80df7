// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/import/importer.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

int write_blank(const Arguments& arguments)
{
  const std::string file = arguments.value("--output");
  if (file.empty()) {
    print_data(blank_scenario());
    return done;
  }
  check_file(file, replacing(arguments));
  const std::string replaced = replace_file(file, blank_scenario(), replacing(arguments));
  print_note(fmt::format("written to {}; check it with: simrun check {}", file, file), arguments);
  if (!replaced.empty())
    print_note(replaced, arguments);
  return done;
}

int import(const Arguments& arguments)
{
  if (arguments.has("--blank"))
    return write_blank(arguments);
  if (!arguments.has("FILE"))
    throw InputError{"FILE is missing: give the files to import. simrun list formats shows the formats; --blank writes "
                     "an empty scenario"};
  ImportOptions options;
  options.format = arguments.value("--format", "auto");
  options.gpu = arguments.value("--gpu");
  options.model = arguments.value("--model");
  options.link = arguments.value("--link");
  options.batch_per_gpu = static_cast<int>(arguments.whole_number("--batch", 0, 1, 1'000'000));
  options.nodes = static_cast<int>(arguments.whole_number("--nodes", 0, 1, 1'000'000));
  options.gpus_per_node = static_cast<int>(arguments.whole_number("--gpus-per-node", 0, 1, 64));
  if (const std::string text = arguments.value("--assume-duration"); !text.empty()) {
    const QuantityText time = parse_quantity(text, QuantityKind::duration);
    if (!time || time.value <= 0 || time.value > 1e9)
      throw InputError{fmt::format("--assume-duration: '{}' is not a time{}", text,
                                   time ? " above 0 and up to 1e9 s" : ": " + time.error)};
    options.duration_s = time.value;
  }
  const fs::path out = arguments.value("--output");
  if (!out.empty())
    options.folder = out.has_parent_path() ? out.parent_path() : fs::path{"."};
  std::vector<fs::path> files;
  for (const std::string& file : arguments.all("FILE"))
    files.emplace_back(file);
  options.name = fs::path{files.front()}.stem().stem().string();

  const Catalogue catalogue = load_catalogue(data_folder());
  const ImportResult result = import_in_child(files, [&] { return import_files(files, options, catalogue); });
  const bool broken = result.yaml.empty() || (result.report.faults.has_errors() && !arguments.has("--partial"));
  const bool writes = !out.empty() && !broken;
  std::string replaced;
  if (writes) {
    std::error_code error;
    for (const fs::path& file : files)
      if (fs::exists(out, error) && fs::equivalent(file, out, error))
        throw InputError{
            fmt::format("'{}' is a file to import; nothing was written. Choose another name with -o", out.string())};
    replaced = replace_file(out, result.yaml, replacing(arguments));
  }
  if (arguments.has("--json"))
    print_data(report_json(result.report, writes ? out.string() : std::string{}));
  else if (out.empty() && !broken)
    print_data(result.yaml);
  else
    print(report_text(result.report));
  print_diagnostics(result.report.faults.sorted(), arguments);
  if (broken) {
    print_note(result.yaml.empty()
                   ? "nothing was written"
                   : "nothing was written; --partial writes a scenario from the parts that could be read",
               arguments);
    return bad_input;
  }
  if (out.empty() && !arguments.has("--json"))
    print_note(report_text(result.report), arguments);
  if (writes)
    print_note(fmt::format("written to {}; run it with: simrun {}", out.string(), out.string()), arguments);
  if (!replaced.empty())
    print_note(replaced, arguments);
  return done;
}

[[maybe_unused]] const bool import_registered = register_command(
    {"import",
     "write a scenario from files of other tools: compose, Kubernetes, Slurm, NCCL…",
     "Prints what was understood, assumed and ignored, each with its line. Writes a scenario whose comments say where "
     "every value\ncomes from. Give all files of one cluster together: simrun import slurm.conf gres.conf "
     "topology.conf sacct.psv.\nReads only files, never a running system. simrun list formats shows the formats.",
     {{"FILE", "", "FILE", "files of one cluster, or folders with these files", "file", false, true},
      {"--output", "-o", "FILE",
       "scenario file to write; by default the scenario goes to stdout and the report to stderr"},
      {"--json", "", "", "print the report as JSON"},
      {"--format", "", "NAME", "format of the files, if they are not recognised (simrun list formats)", "list formats"},
      {"--gpu", "", "NAME", "GPU of the machines, if the files do not name one (simrun list gpus)", "list gpus"},
      {"--model", "", "NAME", "network that the jobs train, if the files do not name one (simrun list models)",
       "list models"},
      {"--link", "", "NAME", "links between machines, if the files do not name them (simrun list links)", "list links"},
      {"--batch", "", "N", "batch per GPU, if the files do not give one"},
      {"--nodes", "", "N", "number of machines, if the files list none"},
      {"--gpus-per-node", "", "N", "GPUs of each of these machines (default: as many as the tasks need)"},
      {"--assume-duration", "", "TIME",
       "run time of jobs and pods of Kubernetes whose files say none: 4 h (1 h if not given)"},
      {"--partial", "", "", "write the scenario even if parts of the files have errors"},
      {"--blank", "", "", "write a commented scenario to fill in, instead of importing"},
      force_option()},
     {{"simrun import docker-compose.yml -o s.yaml", "import a compose file with parameter servers and workers"},
      {"simrun import slurm.conf gres.conf topology.conf sacct.psv -o s.yaml",
       "import a Slurm cluster and the jobs that ran on it"},
      {"simrun import --blank -o my.yaml", "write a scenario to fill in"}},
     import});

} // namespace
} // namespace trainyard::app
