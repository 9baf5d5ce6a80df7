// SPDX-License-Identifier: Apache-2.0
#include "sim/app/command.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>

#include <stdexcept>

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

} // namespace trainyard::app
