// SPDX-License-Identifier: Apache-2.0
#include "models/core/child.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/packed.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/report_document.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

/// The bytes of a PDF file, which lies in memory.
std::string report_pdf(const ReportDocument& document)
{
  const int file = ::memfd_create("report.pdf", MFD_CLOEXEC);
  if (file < 0)
    throw std::runtime_error{fmt::format("memfd_create: {}", std::strerror(errno))};
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  write_report_pdf(document, path);
  std::ostringstream bytes;
  bytes << std::ifstream{path, std::ios::binary}.rdbuf();
  ::close(file);
  return bytes.str();
}

int report(const Arguments& arguments)
{
  std::vector<std::string> files = arguments.all("--output");
  if (files.empty())
    files.emplace_back("report.html");
  for (const std::string& file : files) {
    const std::string ending = fs::path{file}.extension().string();
    if (ending != ".html" && ending != ".htm" && ending != ".pdf")
      throw InputError{fmt::format("'{}': a report is an .html or .pdf file", file)};
    check_file(file, replacing(arguments, report_generator));
  }
  const fs::path results = arguments.value("RESULTS");
  const auto reports = unpacked<std::vector<std::string>>(read_in_child({results}, [&] {
    const ReportDocument document = report_of(results);
    std::vector<std::string> made;
    for (const std::string& file : files)
      made.push_back(fs::path{file}.extension() == ".pdf" ? report_pdf(document) : report_html(document));
    return packed(made);
  }));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string replaced = replace_file(files[i], reports[i], replacing(arguments, report_generator));
    print_note(fmt::format("written to {}", files[i]), arguments);
    if (!replaced.empty())
      print_note(replaced, arguments);
  }
  return done;
}

[[maybe_unused]] const bool report_registered = register_command(
    {"report",
     "write a report of a run as one HTML or PDF file",
     "The report has the question, the answer, its uncertainty, its basis, plots, and an appendix with tables and the "
     "scenario.\nThe HTML file is complete: it loads nothing from the network and runs no script.",
     {{"RESULTS", "", "RESULTS",
       "results folder of a run or a study (plan, comparison, sensitivity, layouts, replay), or SQLite file of a sweep",
       "folder", true},
      {"--output", "-o", "FILE", "file to write, .html or .pdf; may be given twice (default report.html)", "", false,
       true},
      force_option()},
     {{"simrun report results/runs/vgg16_ps_vs_ring -o report.html -o report.pdf", "both forms"},
      {"simrun report results/plans/shared_cluster_policies -o plan.pdf", "of a plan"},
      {"simrun report results/sweeps/my.sqlite -o report.html", "of a sweep"}},
     report});

} // namespace
} // namespace trainyard::app
