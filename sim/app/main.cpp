// SPDX-License-Identifier: Apache-2.0
/// simrun: arguments and exit codes, nothing else.
#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/program.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>

// Read by jemalloc, where simrun is linked with it: memory that was freed goes back to the system after a quarter
// of a second instead of ten, which most runs do not last. MALLOC_CONF in the environment comes before it.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:250";
}

namespace trainyard::app {
namespace {

/// The command that the words mean, and the words after it. Without a command's name they are the arguments of `run`.
std::pair<const Command*, std::vector<std::string>> chosen_command(const std::vector<std::string>& words)
{
  // options may stand before the command: simrun --color=never check s.yaml
  const auto first = std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  const bool only_flags = std::all_of(words.begin(), first, [](const std::string& word) {
    return word == "-q" || word == "--quiet" || word.find('=') != std::string::npos || word == "-h" || word == "--help";
  });
  if (first != words.end() && only_flags)
    if (const auto found = commands().find(*first); found != commands().end()) {
      std::vector<std::string> rest{words.begin(), first};
      rest.insert(rest.end(), first + 1, words.end());
      return {&found->second, rest};
    }
  if (first != words.end() && only_flags && !std::filesystem::exists(*first) && !is_shipped(*first)) {
    const std::vector<std::string> names = keys_of(commands());
    if (first + 1 != words.end() && closest(*first, names))
      throw InputError{fmt::format("unknown command '{}'{}", *first, did_you_mean(*first, names))};
  }
  return {&commands().at("run"), words};
}

int run(const std::vector<std::string>& words)
{
  if (words.empty()) {
    print_note(overview_text(false), {});
    return bad_input;
  }
  if (words.size() == 1 && (words[0] == "-h" || words[0] == "--help" || words[0] == "help")) {
    print(overview_text(wants_colour({}, stdout)));
    return done;
  }
  if (words.size() == 2 && words[0] == "help")
    return run({words[1], "-h"});
  if (words.size() == 1 && words[0] == "--version") {
    print(version_text("simrun"));
    return done;
  }
  if (words.front() == "complete") { // its words are not read: they are not whole
    const auto [text, files_too] = completions({words.begin() + 1, words.end()});
    print(text);
    return files_too ? failed : done;
  }
  const auto [command, rest] = chosen_command(words);
  const Arguments arguments = parse(*command, rest);
  if (arguments.has("--help")) {
    print(help_text(*command, wants_colour(arguments, stdout)));
    return done;
  }
  if (arguments.has("--catalogue")) // also for the processes that compute for this one, wherever they begin
    ::setenv("TRAINYARD_CATALOGUE", std::filesystem::absolute(arguments.value("--catalogue")).c_str(), 1);
  return command->run(arguments);
}

int guarded(const std::vector<std::string>& words)
{
  Arguments plain;
  for (const std::string& word : words)
    if (word.starts_with("--color="))
      plain.add("--color", word.substr(8));
  try {
    return run(words);
  } catch (const InputError& error) {
    std::fflush(stdout);
    print_diagnostics(error.diagnostics(), plain);
    return bad_input;
  } catch (const Interrupted&) {
    print_note("interrupted; no unfinished results remain", {});
    return interrupted;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory; fewer jobs, points, samples or GPUs need less\n", stderr);
    return failed;
  } catch (const std::logic_error& error) {
    print_error(fmt::format("error: a bug in Trainyard: {}\nplease report it with the scenario\n", error.what()));
    return failed;
  } catch (const std::exception& error) {
    print_error(fmt::format("error: {}\n", error.what()));
    return failed;
  }
}

} // namespace
} // namespace trainyard::app

int main(int count, char** words)
{
  trainyard::app::catch_interrupts();
  return trainyard::app::guarded({words + 1, words + count});
}
