// SPDX-License-Identifier: Apache-2.0
/// Help, man page and shell completion, all from the table of commands.
#include "models/core/diagnostics.hpp"
#include "models/core/program.hpp"
#include "sim/app/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainyard::app {
namespace {

std::string bold(const std::string& text, bool colour)
{
  return colour ? "\033[1m" + text + "\033[0m" : text;
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

std::vector<Option> with_common(const Command& command)
{
  std::vector<Option> options = command.options;
  options.insert(options.end(), common_options().begin(), common_options().end());
  return options;
}

/// "queues", and whether several of them may be given, from "list queues,"; empty where the option takes no names of a
/// list.
std::pair<std::string, bool> listed(const Option& option)
{
  if (!option.completes.starts_with("list "))
    return {};
  const bool several = option.completes.ends_with(',');
  return {option.completes.substr(5, option.completes.size() - 5 - (several ? 1 : 0)), several};
}

/// What the shell fills in behind PATH= of --set, --grid, --vary and --knob, by the last word of the path.
const std::vector<std::pair<std::string, std::string>>& paths_with_names()
{
  static const std::vector<std::pair<std::string, std::string>> list = {
      {"policy", "queues"},       {"placement", "placements"}, {"model", "models"},          {"link", "links"},
      {"topology", "topologies"}, {"fidelity", "fidelities"},  {"collective", "collectives"}};
  return list;
}

std::string bash_completion()
{
  std::string names;
  std::string cases;
  for (const Command* command : visible()) {
    names += command->name + " ";
    std::string options;
    std::string values;
    std::string words;
    for (const Option& option : with_common(*command)) {
      if (is_argument(option)) {
        words += fmt::format("{}{}", words.empty() ? "" : " ", fmt::join(option.choices, " "));
        if (option.completes == "scenario")
          words += "$(simrun list scenarios --names 2>/dev/null)";
        continue;
      }
      options += option.name + " ";
      const std::string match = option.letter.empty() ? option.name : option.letter + "|" + option.name;
      if (!option.choices.empty())
        values += fmt::format("      {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return;;\n", match,
                              fmt::join(option.choices, " "));
      else if (const auto [topic, several] = listed(option); !topic.empty())
        values += fmt::format("      {}) _simrun_names {} {}; return;;\n", match, topic, several ? "several" : "one");
      else if (option.completes == "folder")
        values += fmt::format("      {}) COMPREPLY=($(compgen -d -- \"$current\")); return;;\n", match);
      else if (!option.value.empty())
        values += fmt::format("      {}) COMPREPLY=($(compgen -f -- \"$current\")); return;;\n", match);
    }
    cases += fmt::format("    {}) case \"$previous\" in\n{}      esac\n      options=\"{}\"; words=\"{}\";;\n",
                         command->name, values, options, words);
  }
  std::string paths;
  for (const auto& [word, topic] : paths_with_names())
    paths += fmt::format("      {0}|*.{0}) _simrun_names {1} several; return;;\n", word, topic);
  return fmt::format(R"sh(# bash completion for simrun, written by `simrun completion bash`
_simrun_names()
{{
  local before=
  [[ $2 == several && $current == *,* ]] && before=${{current%,*}},
  [[ $2 == several ]] && compopt -o nospace 2>/dev/null # a comma may follow
  COMPREPLY=($(compgen -P "$before" -W "$(simrun list "$1" --names 2>/dev/null)" -- "${{current##*,}}"))
}}
_simrun()
{{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=run options words word
  COMPREPLY=()
  # bash parts words at '=': --fidelity=fluid, --vary policy=fifo
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = && $COMP_CWORD -gt 1 ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  if [[ ${{COMP_WORDS[COMP_CWORD-1]}} == = || ${{COMP_WORDS[COMP_CWORD]}} == = ]]; then
    case "$previous" in
{2}    esac
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case " {0}" in *" $word "*) command=$word; break;; esac
  done
  case $command in
{1}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    [[ $COMP_CWORD -eq 1 ]] && words="$words {0}"
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _simrun simrun
)sh",
                     names, cases, paths);
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

/// Text between single quotes of a shell, brackets and colons escaped for zsh's _arguments.
std::string quoted(const std::string& text, bool zsh)
{
  std::string out;
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else if (zsh && (c == '[' || c == ']' || c == ':'))
      out += fmt::format("\\{}", c);
    else
      out += c;
  return out;
}

/// What zsh's _arguments fills in for an option.
std::string zsh_action(const Option& option)
{
  if (!option.choices.empty())
    return fmt::format("({})", fmt::join(option.choices, " "));
  if (const auto [topic, several] = listed(option); !topic.empty())
    return fmt::format("{{{} $(simrun list {} --names 2>/dev/null)}}", several ? "_sequence compadd -" : "compadd --",
                       topic);
  return option.completes == "folder" ? "_files -/" : "_files";
}

std::string zsh_completion()
{
  std::string names;
  std::string cases;
  for (const Command* command : visible()) {
    names += fmt::format("    '{}:{}'\n", command->name, quoted(command->description, true));
    cases += fmt::format("    {}) _arguments", command->name);
    for (const Option& option : with_common(*command)) {
      const std::string what = zsh_action(option);
      if (is_argument(option)) {
        cases += fmt::format(" '{}:{}:{}'", option.repeatable ? "*" : "", quoted(option.name, true), what);
        continue;
      }
      const std::string value = option.value.empty() ? "" : fmt::format(":{}:{}", option.value, what);
      cases +=
          fmt::format(" '{}{}[{}]{}'", option.repeatable ? "*" : "", option.name, quoted(option.help, true), value);
      if (!option.letter.empty())
        cases += fmt::format(" '{}[{}]{}'", option.letter, quoted(option.help, true), value);
    }
    cases += ";;\n";
  }
  return fmt::format(R"(#compdef simrun
# zsh completion for simrun, written by `simrun completion zsh`
_simrun()
{{
  local -a names
  names=(
{0}  )
  local command=run
  if (( CURRENT == 2 )); then
    _describe command names
    _files
    return
  fi
  (( ${{names[(I)${{words[2]}}:*]}} )) && {{ command=${{words[2]}}; shift words; (( CURRENT-- )) }}
  case $command in
{1}  esac
}}
_simrun "$@"
)",
                     names, cases);
}

std::string fish_completion()
{
  std::string text = "# fish completion for simrun, written by `simrun completion fish`\n";
  for (const Command* command : visible())
    text += fmt::format("complete -c simrun -n __fish_use_subcommand -a {} -d '{}'\n", command->name,
                        quoted(command->description, false));
  for (const Command* command : visible())
    for (const Option& option : with_common(*command)) {
      const std::string when = fmt::format("complete -c simrun -n '__fish_seen_subcommand_from {}'", command->name);
      if (is_argument(option)) {
        if (!option.choices.empty())
          text += fmt::format("{} -a '{}'\n", when, fmt::join(option.choices, " "));
        continue;
      }
      text += fmt::format(
          "{} -l {}{} -d '{}'{}\n", when, option.name.substr(2),
          option.letter.empty() ? "" : " -s " + option.letter.substr(1), quoted(option.help, false),
          option.value.empty()           ? std::string{}
          : !option.choices.empty()      ? fmt::format(" -x -a '{}'", fmt::join(option.choices, " "))
          : listed(option).first.empty() ? std::string{" -r"}
          : listed(option).second
              ? fmt::format(" -x -a '(__fish_complete_list , \"simrun list {} --names\")'", listed(option).first)
              : fmt::format(" -x -a '(simrun list {} --names)'", listed(option).first));
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
  std::string text = fmt::format(
      "Trainyard {}: what will this training cluster do?\n\n{} simrun SCENARIO [options]\n       simrun COMMAND "
      "[arguments]\n\n{}\n",
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
          "describes. Shows "
          "how fast every job trains, what it waits for and which link or server limits it.\n.SH COMMANDS\n";
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
          "also in a pipe\n.TP\n.B "
          "TRAINYARD_DATA\nthe folder with the catalogue, the schema and the example scenarios\n.SH EXAMPLES\n";
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

std::string completion_script(const std::string& shell)
{
  if (shell == "bash")
    return bash_completion();
  if (shell == "zsh")
    return zsh_completion();
  if (shell == "fish")
    return fish_completion();
  throw InputError{"there is no completion for the shell '" + shell + "'; choose from: bash, zsh, fish"};
}

} // namespace trainyard::app
