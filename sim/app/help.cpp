// SPDX-License-Identifier: Apache-2.0
/// Help and man page, both from the table of commands.
#include "models/core/program.hpp"
#include "models/core/safe_text.hpp"
#include "sim/app/command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::app {
namespace {

std::string bold(const std::string& text, bool colour)
{
  return colour ? terminal_style("1") + text + terminal_style("0") : text;
}

std::string shown(const Option& option)
{
  std::string text = option.letter.empty() ? (is_argument(option) ? "" : "    ") : option.letter + ", ";
  text += option.name;
  return option.value.empty() || is_argument(option) ? text : text + " " + option.value;
}

std::string usage(const Command& command)
{
  std::string text = "simrun " + (command.name == "run" ? std::string{} : command.name + " ");
  for (const Option& option : command.options)
    if (is_argument(option))
      text += (option.required ? option.name : "[" + option.name + "]") + (option.repeatable ? "… " : " ");
  return text + "[options]";
}

std::string option_lines(const std::vector<Option>& options)
{
  std::size_t width = 0;
  for (const Option& option : options)
    width = std::max(width, shown(option).size());
  std::string text;
  for (const Option& option : options)
    text += fmt::format("  {:<{}}  {}\n", shown(option), width, option.help);
  return text;
}

/// For a roff line: backslashes and leading dots, and hyphens that are to be copied.
std::string roff(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '\\' ? std::string{"\\e"} : c == '-' ? std::string{"\\-"} : std::string{c};
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::vector<const Command*> visible()
{
  std::vector<const Command*> list;
  for (const auto& [name, command] : commands())
    if (!command.hidden)
      list.push_back(&command);
  return list;
}

/// For a cell of a Markdown table.
std::string markdown(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '|'    ? std::string{"\\|"}
           : c == '<'  ? std::string{"&lt;"}
           : c == '\n' ? std::string{" "}
                       : std::string{c};
  return out;
}

std::string markdown_options(const std::vector<Option>& options)
{
  std::string text;
  for (const Option& option : options) {
    const std::size_t start = shown(option).find_first_not_of(' ');
    text += fmt::format("| `{}` | {} |\n", shown(option).substr(start), markdown(option.help));
  }
  return text;
}

} // namespace

std::string help_text(const Command& command, bool colour)
{
  std::string text = fmt::format("{}\n\n{} {}\n", command.description, bold("Usage:", colour), usage(command));
  if (!command.details.empty())
    text += "\n" + command.details + "\n";
  std::vector<Option> arguments;
  std::vector<Option> options;
  for (const Option& option : command.options)
    (is_argument(option) ? arguments : options).push_back(option);
  if (!arguments.empty())
    text += "\n" + bold("Arguments:", colour) + "\n" + option_lines(arguments);
  options.insert(options.end(), common_options().begin(), common_options().end());
  text += "\n" + bold("Options:", colour) + "\n" + option_lines(options);
  if (!command.examples.empty()) {
    text += "\n" + bold("Examples:", colour) + "\n";
    for (const auto& [line, meaning] : command.examples)
      text += fmt::format("  {}\n      {}\n", line, meaning);
  }
  return text;
}

std::string overview_text(bool colour)
{
  std::string text = fmt::format("Trainyard {}: what will this training cluster do?\n\n{} simrun SCENARIO [options]\n  "
                                 "     simrun COMMAND [arguments]\n\n{}\n",
                                 program_version(), bold("Usage:", colour), bold("Commands:", colour));
  for (const Command* command : visible())
    text += fmt::format("  {:<12}{}\n", command->name, command->description);
  text += fmt::format("\n{}\n", bold("Examples:", colour));
  for (const auto& [line, meaning] : commands().at("run").examples)
    text += fmt::format("  {}\n      {}\n", line, meaning);
  return text + "\nsimrun COMMAND -h explains a command; simrun --version prints the version.\n";
}

std::string man_page()
{
  std::string text = fmt::format(
      ".TH SIMRUN 1 \"\" \"Trainyard {}\" \"User Commands\"\n.SH NAME\nsimrun \\- what will this training cluster "
      "do?\n.SH SYNOPSIS\n.B simrun\n.I SCENARIO\n[options]\n.br\n.B simrun\n.I COMMAND\n[arguments]\n",
      program_version());
  text += ".SH DESCRIPTION\nSimulates distributed deep\\-learning training on a virtual GPU cluster that one YAML file "
          "describes. Shows how fast every job trains, what it waits for and which link or server limits it.\n.SH "
          "COMMANDS\n";
  for (const Command* command : visible()) {
    text += fmt::format(".SS {}\n{}\n.PP\n{}\n", roff(usage(*command)), roff(command->description + "."),
                        roff(command->details));
    for (const Option& option : command->options)
      text += fmt::format(".TP\n.B {}\n{}\n", roff(shown(option)), roff(option.help));
  }
  text += ".SH COMMON OPTIONS\n";
  for (const Option& option : common_options())
    text += fmt::format(".TP\n.B {}\n{}\n", roff(shown(option)), roff(option.help));
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes())
    text += fmt::format(".TP\n.B {}\n{}\n", code, roff(meaning));
  text += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set to any value: no colours\n.TP\n.B CLICOLOR_FORCE\nif set: colours "
          "also in a pipe\n.TP\n.B TRAINYARD_DATA\nthe folder with the catalogue, the schema and the example "
          "scenarios\n.SH EXAMPLES\n";
  for (const Command* command : visible())
    for (const auto& [line, meaning] : command->examples)
      text += fmt::format(".TP\n.B {}\n{}\n", roff(line), roff(meaning));
  return text;
}

std::string commands_page()
{
  std::string text = "# The commands of simrun\n\nWritten by `simrun man --markdown`; do not edit.\n\n| Command | What "
                     "it does |\n|---|---|\n";
  for (const Command* command : visible())
    text += fmt::format("| [{0}](#{0}) | {1} |\n", command->name, markdown(command->description));
  for (const Command* command : visible()) {
    text += fmt::format("\n## {}\n\n`{}`\n\n{}.\n", command->name, usage(*command), command->description);
    if (!command->details.empty())
      text += "\n" + command->details + "\n";
    if (!command->options.empty())
      text += "\n| Option | Meaning |\n|---|---|\n" + markdown_options(command->options);
    if (!command->examples.empty())
      text += "\n| Example | What it does |\n|---|---|\n";
    for (const auto& [line, meaning] : command->examples)
      text += fmt::format("| `{}` | {} |\n", markdown(line), markdown(meaning));
  }
  text += "\n## Options of every command\n\n| Option | Meaning |\n|---|---|\n" + markdown_options(common_options());
  text += "\n## Exit codes\n\n| Code | Meaning |\n|---|---|\n";
  for (const auto& [code, meaning] : exit_codes())
    text += fmt::format("| {} | {} |\n", code, meaning);
  return text;
}

} // namespace trainyard::app
