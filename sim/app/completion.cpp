// SPDX-License-Identifier: Apache-2.0
/// Shell completion: the scripts of the shells ask `simrun complete WORDS`, which knows the table of commands.
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::app {
namespace {

/// `simrun complete` ends with 1 where the name of a file can stand, too.
const std::map<std::string, const char*>& scripts()
{
  static const std::map<std::string, const char*> table = {
      {"bash", R"sh(# bash completion for simrun, written by `simrun completion bash`
_simrun()
{
  local IFS=$'\n'
  COMPREPLY=($(simrun complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)) ||
    COMPREPLY+=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}"))
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
}
complete -o filenames -F _simrun simrun
)sh"},
      {"zsh", R"sh(#compdef simrun
# zsh completion for simrun, written by `simrun completion zsh`
_simrun()
{
  local -a found
  found=(${(f)"$(simrun complete "${(@)words[2,CURRENT]}" 2>/dev/null; (( $? )) && print files)"})
  if [[ $found[-1] == files ]]; then
    found[-1]=()
    _files
  fi
  found=(${found//:/\\:})
  _describe simrun found -- ${found/$'\t'/:}
}
_simrun "$@"
)sh"},
      {"fish", R"sh(# fish completion for simrun, written by `simrun completion fish`
complete -c simrun -a '(simrun complete (commandline -opc)[2..-1] (commandline -ct))'
)sh"}};
  return table;
}

/// What can stand behind PATH= of --set, --grid, --vary and --knob, by the last word of the path.
std::vector<std::string> names_of_path(std::string_view path)
{
  static const std::map<std::string, std::string, std::less<>> topics = {
      {"policy", "queues"},       {"placement", "placements"}, {"model", "models"},          {"link", "links"},
      {"topology", "topologies"}, {"fidelity", "fidelities"},  {"collective", "collectives"}};
  const auto found = topics.find(path.substr(path.rfind('.') + 1));
  return found == topics.end() ? std::vector<std::string>{} : listed_names(found->second);
}

/// The words that an option or an argument takes.
std::vector<std::string> values_of(const Option& option)
{
  if (option.completes == "scenario")
    return listed_names("scenarios");
  if (!option.completes.starts_with("list "))
    return option.choices;
  return listed_names(option.completes.substr(5, option.completes.find(',') - 5));
}

/// Those of the words that begin as @p begun does, behind what comes before it in the same word: "fifo,".
std::string matching(const std::vector<std::string>& words, const std::string& before, const std::string& begun)
{
  std::string text;
  for (const std::string& word : words)
    if (word.starts_with(begun))
      text += before + word + "\n";
  return text;
}

[[maybe_unused]] const bool completion_registered =
    register_command({"completion",
                      "print the completion script for a shell",
                      "The installed package contains these scripts. Use this command where it is not installed.",
                      {{"SHELL", "", "SHELL", "bash, zsh or fish", "", true, false, {"bash", "zsh", "fish"}}},
                      {{"source <(simrun completion bash)", "complete commands, options and names in this shell"}},
                      [](const Arguments& arguments) {
                        print(scripts().at(arguments.value("SHELL")));
                        return static_cast<int>(done);
                      }});

[[maybe_unused]] const bool man_registered =
    register_command({"man",
                      "print the man page",
                      {},
                      {{"--markdown", "", "", "print it as a page of the documentation"}},
                      {},
                      [](const Arguments& arguments) {
                        print(arguments.has("--markdown") ? commands_page() : man_page());
                        return static_cast<int>(done);
                      },
                      true});

} // namespace

std::pair<std::string, bool> completions(std::vector<std::string> words)
{
  std::string current = words.empty() ? "" : words.back();
  if (!words.empty())
    words.pop_back();
  const auto named = std::ranges::find_if(words, [](const auto& word) { return commands().contains(word); });
  const Command& command = commands().at(named == words.end() ? "run" : *named);
  std::vector<Option> options = command.options;
  options.insert(options.end(), common_options().begin(), common_options().end());

  // The word behind which the current one stands: "--fidelity", "policy". bash parts words at '='.
  std::string key = words.empty() ? "" : words.back(), before;
  bool of_path = current == "=" || key == "=";
  if (current == "=")
    current.clear();
  else if (key == "=")
    key = words.size() > 1 ? words[words.size() - 2] : "";
  else if (const std::size_t equal = current.find('='); equal != std::string::npos) {
    of_path = true;
    key = current.substr(0, equal);
    before = current.substr(0, equal + 1);
    current.erase(0, equal + 1);
  }
  const auto option = std::ranges::find_if(options, [&](const Option& one) {
    return !key.empty() && !is_argument(one) && (one.name == key || one.letter == key);
  });
  const bool takes_value = option != options.end() && !option->value.empty();
  if (takes_value || of_path) {
    const std::vector<std::string> values = takes_value ? values_of(*option) : names_of_path(key);
    if (!takes_value || option->completes.ends_with(',')) { // several, with commas between them
      const std::size_t begin = current.rfind(',') + 1;
      before += current.substr(0, begin);
      current.erase(0, begin);
    }
    return {matching(values, before, current), values.empty()};
  }

  std::string text;
  if (current.starts_with('-')) {
    for (const Option& one : options)
      if (!is_argument(one) && one.name.starts_with(current))
        text += fmt::format("{}\t{}\n", one.name, one.help);
    return {text, false};
  }
  if (words.empty())
    for (const auto& [name, one] : commands())
      if (!one.hidden && name.starts_with(current))
        text += fmt::format("{}\t{}\n", name, one.description);
  bool files = words.empty();
  for (const Option& one : options)
    if (is_argument(one)) {
      text += matching(values_of(one), "", current);
      files = files || one.choices.empty();
    }
  return {text, files};
}

} // namespace trainyard::app
