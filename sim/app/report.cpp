// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/report_document.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

int report(const Arguments& arguments)
{
  const ReportDocument document = report_of(arguments.value("RESULTS"));
  std::vector<std::string> files = arguments.all("--output");
  if (files.empty())
    files.emplace_back("report.html");
  for (const std::string& file : files) {
    const std::string ending = fs::path{file}.extension().string();
    if (ending != ".html" && ending != ".htm" && ending != ".pdf")
      throw InputError{fmt::format("'{}': reports are .html or .pdf", file)};
  }
  for (const std::string& file : files) {
    if (fs::path{file}.extension() == ".pdf") {
      const fs::path part = file + ".part";
      write_report_pdf(document, part);
      fs::rename(part, file);
    } else {
      write_file(file, report_html(document));
    }
    print_note(fmt::format("written to {}", file), arguments);
  }
  return done;
}

[[maybe_unused]] const bool report_registered = register_command(
    {"report",
     "one HTML or PDF file of a run, for readers who did not make it",
     "Question, answer, how sure it is, what it rests on, pictures, and an appendix with tables and the scenario. The HTML holds\n"
     "everything: it loads nothing from the network and runs no script.",
     {{"RESULTS",
       "",
       "RESULTS",
       "results folder of a run, a plan, a comparison or a sensitivity, or SQLite file of a sweep",
       true,
       false,
       {},
       "folder"},
      {"--output", "-o", "FILE", "report.html or report.pdf; may be given twice (default report.html)", false, true}},
     {{"simrun report results/runs/vgg16_ps_vs_ring -o report.html -o report.pdf", "both forms"},
      {"simrun report results/plans/shared_cluster_policies -o plan.pdf", "of a plan"},
      {"simrun report results/sweeps/my.sqlite -o report.html", "of a sweep"}},
     report});

} // namespace
} // namespace trainyard::app
