// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/telling.hpp"

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
  std::string svg, png;                       // the bytes of a picture; empty where there is none
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
  /// One for each line.
  void paragraphs(const std::string& lines);
  void answer(const std::string& text) { blocks.push_back({.kind = ReportBlock::Kind::answer, .text = text}); }
  void badge(const std::string& text, const std::string& detail)
  {
    blocks.push_back({.kind = ReportBlock::Kind::badge, .text = text, .detail = detail});
  }
  /// Columns that are empty in all rows are left out.
  void table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);
  /// What a study told, below the headings of its own.
  void add(const Telling& telling);
  void code(const std::string& text) { blocks.push_back({.kind = ReportBlock::Kind::code, .text = text}); }
};

/// Stands in every report, so that a later one may replace it.
inline constexpr const char* report_generator = "Trainyard simrun report";

/// One HTML file with everything in it: style, plots as images of SVG (as PNG where the SVG is above 600 kB); it loads
/// nothing, runs no script and leads nowhere.
std::string report_html(const ReportDocument& document);

/// The same as A4 pages. Throws std::runtime_error naming the file that cannot be written.
void write_report_pdf(const ReportDocument& document, const std::filesystem::path& file);

/// What a results folder (training steps, queue, services…), that of a study, or the SQLite file of a sweep says.
///
/// Throws InputError where there is no summary, or it is of another program.
ReportDocument report_of(const std::filesystem::path& results);
ReportDocument sweep_report(const std::filesystem::path& database);

/// All plots of a folder that simrun made, below a heading, each with what it shows.
void add_pictures(ReportDocument& document, const std::filesystem::path& folder);
/// The first rows of a CSV file as a table, numbers shortened, empty columns left out.
void add_csv(ReportDocument& document, const std::filesystem::path& file);

} // namespace trainyard
