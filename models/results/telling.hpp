// SPDX-License-Identifier: Apache-2.0
// What a study or an explanation tells, piece by piece. The terminal, the report and simgui show the same pieces.
#pragma once
#include "models/core/message.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A column of a table: its title stands over the words that it holds.
struct Column {
  std::string title;
  bool right = true; // as numbers stand
};

/// A cell: words that no language changes, a message, or a share that is drawn as a bar.
struct TableCell {
  TableCell(std::string text,
            std::string in_colour = {}) // NOLINT(google-explicit-constructor): rows are lists of texts
      : said{plain(MessageKind::part, std::move(text))}, colour{std::move(in_colour)}
  {
  }
  TableCell(const char* text) : TableCell{std::string{text}} {} // NOLINT(google-explicit-constructor)
  TableCell(Message message) : said{std::move(message)} {}      // NOLINT(google-explicit-constructor)
  static TableCell bar(double share);

  Message said;
  std::string colour{};             // style of a terminal; empty: none
  std::optional<double> share = {}; // of a bar, 0 to 1
};
using TableRows = std::vector<std::vector<TableCell>>;

/// How a language writes a line, or a cell of a table; English by default.
using WordsOf = std::function<std::string(const Message&, bool in_table)>;

/// A table for the terminal: columns aligned, numbers to the right, a blank line between groups.
std::string table_text(const std::vector<Column>& columns, const TableRows& rows, bool colour,
                       const std::vector<std::size_t>& group_ends = {}, std::size_t margin = 0,
                       const WordsOf& words = {});

/// A piece of what is told.
struct Told {
  enum class Form : std::uint8_t { line, heading, answer, table };

  Form form = Form::line;
  std::string lead{}; // of a line: what stands before it, "  ", "\n    state: "
  Message said{};
  std::vector<Column> columns{};
  TableRows rows{};
  std::vector<std::size_t> group_ends{};
  std::size_t margin = 0; // blanks before each line of a table
};

class Telling
{
public:
  void line(Message message, std::string lead = "  ") { add(Told::Form::line, std::move(message), std::move(lead)); }
  void say(Message message) { line(std::move(message), {}); }
  void heading(Message message, std::string lead = {})
  {
    add(Told::Form::heading, std::move(message), std::move(lead));
  }
  /// Words that no language changes.
  void heading(const std::string& words, std::string lead = {})
  {
    heading(plain(MessageKind::part, words), std::move(lead));
  }
  void answer(Message message, std::string lead = {}) { add(Told::Form::answer, std::move(message), std::move(lead)); }
  /// Words of others, a line each.
  void lines(const std::string& text, const std::string& lead = {});
  void gap() { say({}); }
  void table(std::vector<Column> columns, TableRows rows, std::size_t margin = 0);
  void add(Telling other);

  bool empty() const { return pieces.empty(); }
  std::string text(bool colour = false, const WordsOf& words = {}) const;
  nlohmann::ordered_json json() const;
  /// The other way. Throws nlohmann::json::exception where it is none.
  static Telling read(const nlohmann::json& json);

  std::vector<Told> pieces;

private:
  void add(Told::Form form, Message message, std::string lead)
  {
    pieces.push_back({.form = form, .lead = std::move(lead), .said = std::move(message)});
  }
};

} // namespace trainyard
