// SPDX-License-Identifier: Apache-2.0
#include "models/results/telling.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/safe_text.hpp"
#include "models/results/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr std::array<const char*, 4> forms{"line", "heading", "answer", "table"};
constexpr std::size_t bar_width = 30; // letters

std::string in_style(const std::string& text, const char* style, bool on)
{
  return on ? terminal_style(style) + text + terminal_style("0") : text;
}

std::string words_in(const Message& message, bool in_table, const WordsOf& words)
{
  return words ? words(message, in_table) : message.text;
}

std::string cell_text(const TableCell& cell, const WordsOf& words)
{
  if (!cell.share)
    return one_line(words_in(cell.said, true, words));
  const auto full = static_cast<std::size_t>(std::lround(std::clamp(*cell.share, 0.0, 1.0) * bar_width));
  return std::string(full, '#') + std::string(bar_width - full, '.');
}

nlohmann::ordered_json json_of(const TableCell& cell)
{
  if (cell.share)
    return {{"bar", *cell.share}};
  return cell.said.id.empty() ? nlohmann::ordered_json(cell.said.text) : to_json(cell.said);
}

TableCell read_cell(const nlohmann::json& json)
{
  if (json.is_string())
    return json.get<std::string>();
  return json.contains("bar") ? TableCell::bar(json["bar"].get<double>()) : TableCell{read_message(json)};
}

} // namespace

TableCell TableCell::bar(double share)
{
  TableCell cell{""};
  cell.share = share;
  return cell;
}

std::string table_text(const std::vector<Column>& columns, const TableRows& rows, bool colour,
                       const std::vector<std::size_t>& group_ends, std::size_t margin, const WordsOf& words)
{
  std::vector<std::vector<std::string>> texts(1);
  for (const Column& column : columns)
    texts.front().push_back(cell_text(column.title, words));
  for (const std::vector<TableCell>& row : rows) {
    if (row.size() != columns.size())
      throw std::logic_error{fmt::format("a table has {} headings and a row of {} cells", columns.size(), row.size())};
    std::ranges::transform(row, std::back_inserter(texts.emplace_back()),
                           [&](const TableCell& cell) { return cell_text(cell, words); });
  }
  std::vector<std::size_t> widths(columns.size());
  for (const auto& row : texts)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text_width(row[i]));
  const bool titles = std::ranges::any_of(columns, [](const Column& column) { return !column.title.empty(); });
  std::string out;
  for (std::size_t r = titles ? 0 : 1; r < texts.size(); ++r) {
    out.append(margin, ' ');
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& text = texts[r][i];
      const std::size_t padding = widths[i] - text_width(text);
      const std::string style = r == 0 ? "1" : rows[r - 1][i].colour;
      out.append(i > 0 ? 2 : 0, ' ').append(columns[i].right ? padding : 0, ' ');
      out += in_style(text, style.c_str(), colour && !style.empty());
      out.append(columns[i].right || i + 1 == columns.size() ? 0 : padding, ' ');
    }
    out += '\n';
    if (r + 1 < texts.size() && std::ranges::find(group_ends, r) != group_ends.end())
      out += '\n';
  }
  return out;
}

void Telling::lines(const std::string& text, const std::string& lead)
{
  std::istringstream stream{text};
  for (std::string each; std::getline(stream, each);)
    line(plain(MessageKind::part, each), lead);
}

void Telling::table(std::vector<Column> columns, TableRows rows, std::size_t margin)
{
  if (!rows.empty())
    pieces.push_back(
        {.form = Told::Form::table, .columns = std::move(columns), .rows = std::move(rows), .margin = margin});
}

void Telling::add(Telling other)
{
  std::ranges::move(other.pieces, std::back_inserter(pieces));
}

std::string Telling::text(bool colour, const WordsOf& words) const
{
  std::string out;
  for (const Told& piece : pieces)
    if (piece.form == Told::Form::table)
      out += table_text(piece.columns, piece.rows, colour, piece.group_ends, piece.margin, words);
    else {
      const std::string said = words_in(piece.said, false, words);
      out += piece.lead + in_style(said, piece.form == Told::Form::heading ? "1" : "38;2;86;180;233",
                                   colour && piece.form != Told::Form::line);
      out += said.ends_with('\n') ? "" : "\n"; // of several lines
    }
  return out;
}

nlohmann::ordered_json Telling::json() const
{
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Told& piece : pieces) {
    nlohmann::ordered_json one = {{"form", forms[static_cast<std::size_t>(piece.form)]}};
    if (!piece.lead.empty())
      one["lead"] = piece.lead;
    if (!piece.said.empty())
      one["said"] = to_json(piece.said);
    if (piece.margin > 0)
      one["margin"] = piece.margin;
    if (!piece.group_ends.empty())
      one["group_ends"] = piece.group_ends;
    for (const Column& column : piece.columns)
      one["columns"].push_back({{"title", column.title}, {"right", column.right}});
    for (const std::vector<TableCell>& row : piece.rows) {
      nlohmann::ordered_json cells = nlohmann::ordered_json::array();
      std::ranges::transform(row, std::back_inserter(cells), json_of);
      one["rows"].push_back(std::move(cells));
    }
    list.push_back(std::move(one));
  }
  return list;
}

Telling Telling::read(const nlohmann::json& json)
{
  Telling telling;
  for (const nlohmann::json& one : json) {
    const auto form = std::ranges::find(forms, one.value("form", ""));
    Told piece{.form = form == forms.end() ? Told::Form::line : static_cast<Told::Form>(form - forms.begin()),
               .lead = one.value("lead", ""),
               .said = one.contains("said") ? read_message(one["said"]) : Message{},
               .margin = one.value("margin", std::size_t{0})};
    piece.group_ends = one.value("group_ends", piece.group_ends);
    const auto none = nlohmann::json::array();
    for (const nlohmann::json& column : one.value("columns", none))
      piece.columns.push_back({column.value("title", ""), column.value("right", true)});
    for (const nlohmann::json& row : one.value("rows", none)) {
      std::ranges::transform(row, std::back_inserter(piece.rows.emplace_back()), read_cell);
      piece.rows.back().resize(piece.columns.size(), TableCell{""}); // of a file that somebody changed
    }
    telling.pieces.push_back(std::move(piece));
  }
  return telling;
}

} // namespace trainyard
