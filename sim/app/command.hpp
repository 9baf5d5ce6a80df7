// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/output.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace trainyard::app {

/// An option or argument of a command; help, checks, man page and shell completion all come from here.
struct Option {
  std::string name;   // "--output"; an argument by position has no dashes: "SCENARIO"
  std::string letter; // "-o", may be empty
  std::string value;  // what follows it: "DIR"; empty = a flag
  std::string help;   // one line
  /// For the shell: "file", "folder", "scenario", a list ("list models"), or several of it ("list queues,").
  std::string completes = {};
  bool required = false;
  bool repeatable = false;
  std::vector<std::string> choices = {}; // values that exist; empty = anything
};

inline bool is_argument(const Option& option)
{
  return !option.name.starts_with('-');
}

/// The values that the user gave, by the name of the option.
class Arguments
{
public:
  void add(const std::string& name, std::string value) { values_[name].push_back(std::move(value)); }
  bool has(const std::string& name) const { return values_.contains(name); }
  /// All values in order; empty where it was not given.
  std::vector<std::string> all(const std::string& name) const;
  std::string value(const std::string& name, const std::string& fallback = {}) const;
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  /// A whole number from @p least to @p most; throws InputError otherwise.
  std::uint64_t whole_number(const std::string& name, std::uint64_t fallback, std::uint64_t least = 0,
                             std::uint64_t most = no_limit) const;

  std::string command; // line that asks the same again: "simrun plan q.yaml -k nodes=1..4", without where to write

private:
  std::map<std::string, std::vector<std::string>> values_;
};

/// A sub-command of simrun. One file per command, which registers itself with `register_command`.
struct Command {
  std::string name;
  std::string description; // one line, for the list of commands
  std::string details;     // further lines for help and man page
  std::vector<Option> options;
  std::vector<std::pair<std::string, std::string>> examples; // command, what it does
  std::function<int(const Arguments&)> run;                  // returns the exit code
  bool hidden = false;
};

bool register_command(Command command);

/// By name, sorted.
const std::map<std::string, Command>& commands();

/// Options of every command: --color, --progress, --catalogue, --quiet, --help.
const std::vector<Option>& common_options();

/// Reads the words after the command's name. Throws InputError with a suggestion for an unknown option, a missing or a
/// wrong value.
Arguments parse(const Command& command, const std::vector<std::string>& words);

/// --force, of every command that writes; what it allows. @p mark: as of Replace.
Option force_option();
Replace replacing(const Arguments& arguments, const std::string& mark = {});

std::string help_text(const Command& command, bool colour);
std::string overview_text(bool colour);
std::string man_page();
/// docs/commands.md
std::string commands_page();
/// What can stand in the place of the last of these words of a command line, a word and its meaning on each line, and
/// whether the name of a file can stand there too.
std::pair<std::string, bool> completions(std::vector<std::string> words);
/// The names of a topic of `simrun list`.
std::vector<std::string> listed_names(const std::string& topic);

/// Exit codes (documented in `simrun list exit-codes`).
enum ExitCode { done = 0, failed = 1, bad_input = 2, goal_not_met = 3, in_part = 4, interrupted = 130 };
struct ExitCodeText {
  int code;
  const char* meaning;
};
const std::vector<ExitCodeText>& exit_codes();

} // namespace trainyard::app
