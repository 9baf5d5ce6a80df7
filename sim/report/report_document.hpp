// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {

/// A piece of a report that is read from top to bottom.
struct ReportBlock {
  enum class Kind { heading, paragraph, answer, badge, table, picture, code };

  Kind kind = Kind::paragraph;
  std::string text;                           // heading, paragraph, answer, caption of a picture, code
  std::string detail;                         // of a badge: what it means
  std::vector<std::string> columns;           // of a table
  std::vector<std::vector<std::string>> rows; // cells of a table; right-aligned if all cells of a column are numbers
  std::filesystem::path picture;              // without its ending: .svg and .png are there
  int level = 2;                              // of a heading
};

/// A report for readers who did not make the run.
struct ReportDocument {
  std::string title;
  std::string question;
  std::vector<ReportBlock> blocks;

  void heading(const std::string& text, int level = 2)
  {
    blocks.push_back({.kind = ReportBlock::Kind::heading, .text = text, .level = level});
  }
  void paragraph(const std::string& text) { blocks.push_back({.kind = ReportBlock::Kind::paragraph, .text = text}); }
  void answer(const std::string& text) { blocks.push_back({.kind = ReportBlock::Kind::answer, .text = text}); }
  void badge(const std::string& text, const std::string& detail)
  {
    blocks.push_back({.kind = ReportBlock::Kind::badge, .text = text, .detail = detail});
  }
  /// Columns that are empty in all rows are left out.
  void table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);
  void picture(const std::filesystem::path& file, const std::string& caption)
  {
    blocks.push_back({.kind = ReportBlock::Kind::picture, .text = caption, .picture = file});
  }
  void code(const std::string& text) { blocks.push_back({.kind = ReportBlock::Kind::code, .text = text}); }
};

/// One HTML file with everything in it: style, plots as SVG (as PNG where the SVG is above 600 kB); it loads nothing
/// and runs no script.
std::string report_html(const ReportDocument& document);

/// The same as A4 pages. Throws std::runtime_error naming the file that cannot be written.
void write_report_pdf(const ReportDocument& document, const std::filesystem::path& file);

/// What a results folder (training steps, queue, services…), that of a study, or the SQLite file of a sweep says.
///
/// Throws InputError where there is no summary, or it is of another program.
ReportDocument report_of(const std::filesystem::path& results);
ReportDocument sweep_report(const std::filesystem::path& database);
/// Of the folder that plan, compare or sensitivity wrote.
ReportDocument study_report(const std::filesystem::path& folder);
bool is_study_folder(const std::filesystem::path& folder);

/// All plots of a folder below a heading, each with what it shows.
void add_pictures(ReportDocument& document, const std::filesystem::path& folder);
/// The first rows of a CSV file as a table, numbers shortened, empty columns left out.
void add_csv(ReportDocument& document, const std::filesystem::path& file);

} // namespace trainyard
