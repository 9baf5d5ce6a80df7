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
      throw InputError{fmt::format("'{}': a report is an .html or .pdf file", file)};
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
     "write a report of a run as one HTML or PDF file",
     "The report has the question, the answer, its uncertainty, its basis, plots, and an appendix with tables and the "
     "scenario.\nThe HTML file is complete: it loads nothing from the network and runs no script.",
     {{"RESULTS", "", "RESULTS",
       "results folder of a run, a plan, a comparison or a sensitivity, or SQLite file of a sweep", "folder", true},
      {"--output", "-o", "FILE", "file to write, .html or .pdf; may be given twice (default report.html)", "", false,
       true}},
     {{"simrun report results/runs/vgg16_ps_vs_ring -o report.html -o report.pdf", "both forms"},
      {"simrun report results/plans/shared_cluster_policies -o plan.pdf", "of a plan"},
      {"simrun report results/sweeps/my.sqlite -o report.html", "of a sweep"}},
     report});

} // namespace
} // namespace trainyard::app
