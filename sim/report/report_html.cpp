// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report_document.hpp"

#include "models/core/safe_text.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace trainyard {
namespace {

constexpr std::size_t largest_svg = 600'000;

constexpr const char* style = R"(
:root { --ink:#21262d; --quiet:#6a737d; --line:#e3e5e8; --blue:#0072b2; --back:#ffffff; --soft:#f5f7f9; }
* { box-sizing:border-box }
body { font:16px/1.5 system-ui,"DejaVu Sans",sans-serif; color:var(--ink); background:var(--back); margin:0 auto; max-width:64rem; padding:2rem 1.25rem 4rem }
h1 { font-size:1.7rem; margin:0 0 .3rem } h2 { font-size:1.25rem; margin:2.2rem 0 .6rem; border-bottom:1px solid var(--line); padding-bottom:.2rem } h3 { font-size:1rem; margin:1.4rem 0 .4rem }
.question { color:var(--quiet); font-size:1.1rem; margin:0 0 1rem }
.answer { background:var(--soft); border-left:.3rem solid var(--blue); padding:.8rem 1rem; font-size:1.05rem; margin:.6rem 0 }
.badge { display:inline-block; border-radius:.8rem; padding:.1rem .7rem; font-size:.85rem; font-weight:600; background:#e6f0f7; color:#00507d }
.badge.measured { background:#dff3ec; color:#00624a } .badge.assumed, .badge.estimated { background:#fdeedd; color:#8a3d00 }
.detail { color:var(--quiet); margin-left:.5rem }
.scroll { overflow-x:auto } table { border-collapse:collapse; font-size:.86rem; margin:.4rem 0 } th,td { padding:.25rem .7rem .25rem 0; text-align:left; border-bottom:1px solid var(--line); white-space:nowrap }
th { color:var(--quiet); font-weight:600 } td.n, th.n { text-align:right; font-variant-numeric:tabular-nums }
figure { margin:1rem 0 } figure img { max-width:100%; height:auto; border:1px solid var(--line) } figcaption { color:var(--quiet); font-size:.9rem }
pre { background:var(--soft); padding:.8rem; overflow-x:auto; font-size:.8rem; line-height:1.4 }
@media print { body { padding:0 } h2 { break-after:avoid } figure, .answer { break-inside:avoid } }
)";

std::string escaped(const std::string& text)
{
  std::string result;
  for (const char c : printable(text))
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  return result;
}

std::string base64(const std::string& bytes)
{
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t block = 0;
    for (std::size_t k = 0; k < 3; ++k)
      block = block << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : letters[block >> (18 - 6 * k) & 63U];
  }
  return text;
}

/// As an image, which can neither run a script nor load or open anything.
std::string picture_html(const ReportBlock& block)
{
  const bool png = !block.png.empty() && (block.svg.empty() || block.svg.size() > largest_svg);
  return fmt::format("<img alt=\"{}\" src=\"data:image/{};base64,{}\">", escaped(block.text), png ? "png" : "svg+xml",
                     base64(png ? block.png : block.svg));
}

std::string table_html(const ReportBlock& block)
{
  std::vector<bool> numbers(block.columns.size(), true);
  for (const auto& row : block.rows)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = numbers[i] && i < row.size() &&
                   (row[i].empty() || row[i] == "=" || (row[i].front() >= '0' && row[i].front() <= '9') ||
                    row[i].front() == '-' || row[i].front() == '+');
  std::string text = "<div class=scroll><table><thead><tr>";
  for (std::size_t i = 0; i < block.columns.size(); ++i)
    text += fmt::format("<th{}>{}</th>", numbers[i] ? " class=n" : "", escaped(block.columns[i]));
  text += "</tr></thead><tbody>\n";
  for (const auto& row : block.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("<td{}>{}</td>", i < numbers.size() && numbers[i] ? " class=n" : "", escaped(row[i]));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

} // namespace

void ReportDocument::paragraphs(const std::string& lines)
{
  std::istringstream stream{lines};
  for (std::string line; std::getline(stream, line);)
    paragraph(line);
}

void ReportDocument::table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows)
{
  ReportBlock block{.kind = ReportBlock::Kind::table};
  block.rows.resize(rows.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::all_of(rows, [&](const auto& row) { return i >= row.size() || row[i].empty(); }))
      continue;
    block.columns.push_back(columns[i]);
    for (std::size_t r = 0; r < rows.size(); ++r)
      block.rows[r].push_back(i < rows[r].size() ? rows[r][i] : "");
  }
  blocks.push_back(std::move(block));
}

void ReportDocument::add(const Telling& telling)
{
  for (const Told& piece : telling.pieces) {
    if (piece.form == Told::Form::table) {
      std::vector<std::string> columns;
      std::vector<std::vector<std::string>> cells;
      for (const Column& column : piece.columns)
        columns.push_back(column.title);
      for (const std::vector<TableCell>& row : piece.rows)
        std::ranges::transform(row, std::back_inserter(cells.emplace_back()),
                               [](const TableCell& cell) { return cell.said.text; });
      table(columns, cells);
    } else if (piece.form == Told::Form::heading)
      heading(piece.said.text, 3);
    else if (piece.form == Told::Form::answer)
      answer(piece.said.text);
    else if (piece.said.text.find('\n') != std::string::npos)
      code(piece.said.text);
    else if (!piece.said.empty())
      paragraph(piece.lead.substr(std::min(piece.lead.find_first_not_of(" \n"), piece.lead.size())) + piece.said.text);
  }
}

std::string report_html(const ReportDocument& document)
{
  std::string text = fmt::format("<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
                                 "content=\"width=device-width\"><meta name=generator content=\"{}\">"
                                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
                                 "data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'\">"
                                 "<title>{}</title><style>{}</style></head><body>\n<h1>{}</h1>\n",
                                 report_generator, escaped(document.title), style, escaped(document.title));
  if (!document.question.empty())
    text += fmt::format("<p class=question>{}</p>\n", escaped(document.question));
  for (const ReportBlock& block : document.blocks)
    switch (block.kind) {
    case ReportBlock::Kind::heading:
      text += fmt::format("<h{0}>{1}</h{0}>\n", block.level, escaped(block.text));
      break;
    case ReportBlock::Kind::paragraph:
      text += fmt::format("<p>{}</p>\n", escaped(block.text));
      break;
    case ReportBlock::Kind::answer:
      text += fmt::format("<p class=answer>{}</p>\n", escaped(block.text));
      break;
    case ReportBlock::Kind::badge:
      text +=
          fmt::format("<p><span class=\"badge {}\">{}</span><span class=detail>{}</span></p>\n",
                      escaped(block.text.substr(0, block.text.find(' '))), escaped(block.text), escaped(block.detail));
      break;
    case ReportBlock::Kind::table:
      text += table_html(block);
      break;
    case ReportBlock::Kind::picture:
      text += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture_html(block), escaped(block.text));
      break;
    case ReportBlock::Kind::code:
      text += fmt::format("<pre>{}</pre>\n", escaped(block.text));
      break;
    }
  return text + "</body></html>\n";
}

} // namespace trainyard
