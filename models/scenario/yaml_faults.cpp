// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/yaml_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace trainyard {
namespace {

/// A line from 1; empty where there is none.
std::string_view line_of(const std::vector<std::string>& lines, int line)
{
  return line >= 1 && static_cast<std::size_t>(line) <= lines.size()
             ? std::string_view{lines[static_cast<std::size_t>(line) - 1]}
             : std::string_view{};
}

/// The position of a tab in the indentation of a line, from 1; 0 where there is none. YAML indents with spaces only.
int indenting_tab(std::string_view line)
{
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && line[first] == '\t' ? static_cast<int>(first) + 1 : 0;
}

/// The text of a line before this column.
std::string_view before(std::string_view line, int column)
{
  return line.substr(0, static_cast<std::size_t>(std::max(column - 1, 0)));
}

bool is_text(std::string_view line)
{
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && line[first] != '#';
}

/// The last '{' or '[' before this place that has no partner there.
std::optional<YamlFault> open_bracket(const std::vector<std::string>& lines, int line, int column)
{
  int closed = 0;
  for (int at = std::min(line, static_cast<int>(lines.size())); at >= 1; --at) {
    const std::string_view text = at == line ? before(line_of(lines, at), column) : line_of(lines, at);
    for (std::size_t i = text.size(); i-- > 0;) {
      if (text[i] == '}' || text[i] == ']')
        ++closed;
      else if ((text[i] == '{' || text[i] == '[') && closed-- == 0)
        return YamlFault{at, static_cast<int>(i) + 1, std::string{text[i]}};
    }
  }
  return std::nullopt;
}

/// A map or list in brackets that does not end.
YamlFault in_brackets(YamlFault fault, const std::vector<std::string>& lines)
{
  const std::string_view line = line_of(lines, fault.line);
  const std::size_t place = static_cast<std::size_t>(std::max(fault.column - 2, 0));
  const std::size_t variable = line.find("${", std::min(place, line.size()));
  if (variable != std::string_view::npos && variable <= place + 2) {
    fault.message = "between { and }, text with braces of its own stands in quotes: \"${…}\"";
    return fault;
  }
  const std::optional<YamlFault> open = open_bracket(lines, fault.line, fault.column);
  const std::optional<YamlFault> last =
      open ? open : open_bracket(lines, fault.line, static_cast<int>(line.size()) + 1);
  if (!last) {
    fault.message = "a bracket is missing before this place";
    return fault;
  }
  const char* partner = last->message == "{" ? "}" : "]";
  if (!open || open->line != fault.line)
    return {last->line, last->column, fmt::format("this '{}' has no '{}'", last->message, partner)};
  fault.message = fmt::format("a ',' or the '{}' of the '{}' in column {} is missing before this place", partner,
                              open->message, open->column);
  return fault;
}

/// A ':' where none may stand: a second one in a line, or the line above has none.
YamlFault unexpected_colon(YamlFault fault, const std::vector<std::string>& lines)
{
  fault.message = "a second ':' in one line; put the value in quotes";
  if (before(line_of(lines, fault.line), fault.column).find(": ") != std::string_view::npos)
    return fault;
  int above = fault.line - 1;
  while (above >= 1 && !is_text(line_of(lines, above)))
    --above;
  if (above < 1)
    return fault;
  const std::string_view key = line_of(lines, above);
  if (key.substr(0, key.find(" #")).find(": ") != std::string_view::npos)
    return {fault.line, static_cast<int>(line_of(lines, fault.line).find_first_not_of(' ')) + 1,
            "this line is indented deeper than the key above, which has a value already; begin both in the same "
            "column"};
  return {above, static_cast<int>(line_of(lines, above).find_first_not_of(' ')) + 1,
          "this line is not 'key: value', so the next one cannot follow it; a key ends with ':' and a space"};
}

} // namespace

YamlFault likely_cause(YamlFault fault, const std::vector<std::string>& lines)
{
  const auto says = [&](std::string_view words) { return fault.message.find(words) != std::string::npos; };
  // A tab misleads the parser from its line on; what it says of that line or a later one is not the cause.
  for (int tabbed = std::max(fault.line - 1, 1); tabbed <= fault.line + 1; ++tabbed)
    if (const int column = indenting_tab(line_of(lines, tabbed)); column > 0)
      return {tabbed, column, "this line is indented with a tab; YAML indents with spaces only"};
  const std::string_view line = line_of(lines, fault.line);
  if (says("end of map flow") || says("end of sequence flow"))
    return in_brackets(std::move(fault), lines);
  if (says("end of map") || says("end of sequence")) {
    if (before(line, fault.column).find_first_of("\"'") != std::string_view::npos)
      fault.message = "text goes on behind a closing quote; a quote is missing here or above, or there is one too many";
    else
      fault.message += "; the file is cut off, or the indentation of this line does not match the lines above";
  } else if (says("illegal map value")) {
    return unexpected_colon(std::move(fault), lines);
  } else if (says("unknown token")) {
    const std::size_t at = static_cast<std::size_t>(std::max(fault.column - 1, 0));
    if (at < line.size())
      fault.message = fmt::format("a value cannot begin with '{}'; put it in quotes", line[at]);
  } else if (says("illegal flow end")) {
    fault.message = "this bracket closes none, or one of the other kind; '{' ends with '}', '[' with ']'";
  } else if (says("illegal block entry")) {
    fault.message = "an item of a list ('- ') begins in a line of its own";
  } else if (says("bad file")) {
    fault.message = "brackets are nested too deeply for a scenario";
  }
  return fault;
}

bool quote_stays_open(const std::vector<std::string>& lines, int line, int column)
{
  const std::string_view first = line_of(lines, line);
  std::size_t at = static_cast<std::size_t>(std::max(column, 1));
  // The text stands behind its anchor and its tag: &name !!str "text".
  while (at <= first.size() && (first[at - 1] == '&' || first[at - 1] == '!'))
    at = std::min(first.find_first_not_of(' ', first.find(' ', at - 1)), first.size()) + 1;
  if (at > first.size() || (first[at - 1] != '"' && first[at - 1] != '\''))
    return false;
  const char quote = first[at - 1];
  for (int row = line; row <= static_cast<int>(lines.size()); ++row, at = 0)
    for (const std::string_view text = line_of(lines, row); at < text.size(); ++at)
      if (quote == '"' && text[at] == '\\')
        ++at;
      else if (quote == '\'' && text.substr(at).starts_with("''"))
        ++at;
      else if (text[at] == quote)
        return false;
  return true;
}

} // namespace trainyard
