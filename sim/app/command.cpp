// SPDX-License-Identifier: Apache-2.0
#include "sim/app/command.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/ranges.h>
#include <list>
#include <set>
#include <stdexcept>
#include <string_view>

namespace trainyard::app {
namespace {

std::map<std::string, Command>& table()
{
  static std::map<std::string, Command> commands;
  return commands;
}

} // namespace

bool register_command(Command command)
{
  const std::string name = command.name;
  if (!table().try_emplace(name, std::move(command)).second)
    throw std::logic_error{"the command '" + name + "' is registered twice"};
  return true;
}

const std::map<std::string, Command>& commands()
{
  return table();
}

const std::vector<Option>& common_options()
{
  static const std::vector<Option> options = {
      {"--color",
       "",
       "WHEN",
       "colours: auto (on a terminal, unless NO_COLOR is set), always or never",
       "",
       false,
       false,
       {"auto", "always", "never"}},
      {"--progress",
       "",
       "HOW",
       "progress on stderr: auto (a bar on a terminal, else none), plain, json or none",
       "",
       false,
       false,
       {"auto", "plain", "json", "none"}},
      {"--catalogue", "", "FOLDER",
       "own GPUs, links and so on: FOLDER/gpus/NAME.yaml, as in docs/catalogue.md; also TRAINYARD_CATALOGUE"},
      {"--quiet", "-q", "", "no warnings and no progress on stderr"},
      {"--help", "-h", "", "this help"},
  };
  return options;
}

Option force_option()
{
  return {"--force", "", "", "also replace what simrun did not write, and say what was removed"};
}

Replace replacing(const Arguments& arguments, const std::string& mark)
{
  return {.force = arguments.has("--force"), .mark = mark};
}

std::vector<std::string> Arguments::all(const std::string& name) const
{
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Arguments::value(const std::string& name, const std::string& fallback) const
{
  const auto found = values_.find(name);
  return found == values_.end() ? fallback : found->second.back();
}

std::uint64_t Arguments::whole_number(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                                      std::uint64_t most) const
{
  if (!has(name))
    return fallback;
  const std::string text = value(name);
  const std::optional<std::uint64_t> number = as_number<std::uint64_t>(text);
  if (!number || *number < least || *number > most)
    throw InputError{most == no_limit
                         ? fmt::format("{} needs a whole number of at least {}, not '{}'", name, least, text)
                         : fmt::format("{} needs a whole number from {} to {}, not '{}'", name, least, most, text)};
  return *number;
}

const std::vector<ExitCodeText>& exit_codes()
{
  static const std::vector<ExitCodeText> codes = {
      {done, "done"},
      {failed, "the run failed: a file or system error, or a bug in Trainyard"},
      {bad_input, "wrong arguments or an error in an input file; nothing was run"},
      {goal_not_met, "a goal or assertion is not met, or work never ran"},
      {in_part,
       "some points of a sweep failed, or a measured step is not explained; the results of the others are written"},
      {interrupted, "interrupted (Ctrl-C or SIGTERM); what had ended is kept, nothing unfinished is left"},
  };
  return codes;
}

// Words become Arguments. CLI11 is slow to compile, and included nowhere else.
namespace {

std::vector<Option> all_options(const Command& command)
{
  std::vector<Option> options = command.options;
  options.insert(options.end(), common_options().begin(), common_options().end());
  return options;
}

/// What a command calls the values that it tries, where somebody has the name of another command in mind.
std::string meant_by(const std::string& name, const std::vector<std::string>& known)
{
  static const std::set<std::string> of_values = {"--grid", "--vary", "--knob", "-k"};
  if (of_values.contains(name))
    for (const std::string& here : known)
      if (of_values.contains(here))
        return fmt::format("; did you mean '{}'?", here);
  return did_you_mean(name, known);
}

/// CLI11 makes no suggestions and reports only one error: unknown options are found here, with a suggestion.
void check_names(const Command& command, const std::vector<Option>& options, const std::vector<std::string>& words)
{
  std::vector<std::string> known;
  for (const Option& option : options)
    if (!is_argument(option))
      known.push_back(option.name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--")
      return;
    const auto same_name = [&](const Option& option) {
      return option.name == word || (!option.letter.empty() && option.letter == word);
    };
    const auto found = std::ranges::find_if(options, same_name);
    if (found != options.end() && !found->value.empty()) {
      ++i; // its value may look like anything
      continue;
    }
    const bool letter = word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
    if (!word.starts_with("--") && !letter)
      continue;
    const std::string name = letter ? word.substr(0, 2) : word.substr(0, word.find('='));
    const bool there = letter ? std::ranges::find(options, name, &Option::letter) != options.end()
                              : std::ranges::find(known, name) != known.end();
    if (!there)
      throw InputError{fmt::format("unknown option '{}'{}; simrun {} -h lists the options", name, meant_by(name, known),
                                   command.name)};
  }
}

/// An empty word is a variable of the shell that nobody set: `-o "$out"`.
void check_values(const std::vector<Option>& options, const Arguments& arguments)
{
  for (const Option& option : options) {
    const bool takes_value = is_argument(option) || !option.value.empty();
    for (const std::string& value : arguments.all(option.name))
      if (takes_value && value.empty())
        throw InputError{fmt::format("{} is empty; give it a value, or leave it out", option.name)};
    if (option.choices.empty())
      continue;
    for (const std::string& value : arguments.all(option.name))
      if (std::ranges::find(option.choices, value) == option.choices.end())
        throw InputError{fmt::format("{} cannot be '{}'{}; choose from: {}", option.name, value,
                                     did_you_mean(value, option.choices), fmt::join(option.choices, ", "))};
  }
}

/// The command as it can be pasted, without what decides nothing.
std::string asked_again(const Command& command, const std::vector<Option>& options, const Arguments& arguments)
{
  static const std::set<std::string> of_output = {"--output", "--jobs",  "--json",     "--force", "--no-files",
                                                  "--color",  "--quiet", "--progress", "--yes"};
  std::string line = "simrun " + command.name;
  for (const bool of_argument : {true, false})
    for (const Option& option : options)
      for (const std::string& value : arguments.all(option.name)) {
        if (is_argument(option) != of_argument || of_output.contains(option.name))
          continue;
        const bool plain = value.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                   "_./:=,@%+-") == std::string::npos;
        line += (of_argument ? "" : " " + option.name) + (value.empty() ? ""
                                                          : plain       ? " " + value
                                                                        : " '" + value + "'");
      }
  return line;
}

} // namespace

Arguments parse(const Command& command, const std::vector<std::string>& words)
{
  const std::vector<Option> options = all_options(command);
  check_names(command, options, words);

  CLI::App parser{command.description, command.name};
  parser.set_help_flag();
  std::list<std::vector<std::string>> values; // CLI11 keeps references
  std::list<bool> flags;
  std::vector<std::function<void(Arguments&)>> collect;
  for (const Option& option : options) {
    const std::string names = option.letter.empty() ? option.name : option.letter + "," + option.name;
    if (option.value.empty() && !is_argument(option)) {
      bool& flag = flags.emplace_back(false);
      parser.add_flag(names, flag);
      collect.emplace_back([&flag, &option](Arguments& arguments) {
        if (flag)
          arguments.add(option.name, "");
      });
      continue;
    }
    std::vector<std::string>& list = values.emplace_back();
    CLI::Option* added = parser.add_option(names, list);
    if (!is_argument(option))
      added->type_size(1)->allow_extra_args(false);
    else if (!option.repeatable)
      added->expected(1);
    if (!option.repeatable && !is_argument(option))
      added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    collect.emplace_back([&list, &option](Arguments& arguments) {
      for (const std::string& value : list)
        arguments.add(option.name, value);
    });
  }
  try {
    std::vector<std::string> reversed{words.rbegin(), words.rend()}; // CLI11 takes them from the back
    parser.parse(reversed);
  } catch (const CLI::ExtrasError& error) {
    const std::vector<std::string> extra = parser.remaining();
    throw InputError{
        fmt::format("too many arguments: '{}' is not expected; see simrun {} -h", fmt::join(extra, " "), command.name)};
  } catch (const CLI::ArgumentMismatch& error) {
    if (std::string_view{error.what()}.find("At Most") != std::string_view::npos)
      throw InputError{fmt::format("too many arguments; see simrun {} -h", command.name)};
    throw InputError{fmt::format("{}; see simrun {} -h", error.what(), command.name)};
  } catch (const CLI::ParseError& error) {
    throw InputError{fmt::format("{}; see simrun {} -h", error.what(), command.name)};
  }
  Arguments arguments;
  for (const auto& add : collect)
    add(arguments);
  if (!arguments.has("--help"))
    for (const Option& option : options)
      if (option.required && !arguments.has(option.name))
        throw InputError{fmt::format("{} is missing; see simrun {} -h", option.name, command.name)};
  check_values(options, arguments);
  arguments.command = asked_again(command, options, arguments);
  return arguments;
}

} // namespace trainyard::app
