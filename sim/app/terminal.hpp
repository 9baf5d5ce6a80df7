// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/interrupt.hpp"
#include "sim/app/command.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {
struct LiveResult;
}

namespace trainyard::app {

/// Colours for a stream: --color, then NO_COLOR, CLICOLOR_FORCE, then whether it is a terminal.
bool wants_colour(const Arguments& arguments, std::FILE* stream);

/// Results for people to stdout, safe for a terminal (models/core/safe_text.hpp). Throws std::runtime_error where they
/// cannot be written (full disk); a reader that went away ends the program quietly.
void print(const std::string& text);
/// A format that programs read (JSON, a scenario, a script): as it is, unless stdout is a terminal.
void print_data(const std::string& text);
/// One text to stderr, safe for a terminal.
void print_error(const std::string& text);

/// Warnings and notes to stderr; nothing with --quiet.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, const Arguments& arguments);
void print_note(const std::string& text, const Arguments& arguments);

/// From now on the first Ctrl-C or SIGTERM ends what runs by an exception (models/core/interrupt.hpp); a second one, or
/// a second without an end, ends the program at once with 130.
void catch_interrupts();

/// A bar on a terminal, lines of text or of JSON elsewhere; on stderr.
class Progress
{
public:
  explicit Progress(const Arguments& arguments);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// @p done of @p total points are simulated, @p what is next. Throws Interrupted after Ctrl-C.
  void report(std::size_t done, std::size_t total, const std::string& what);
  /// The same as a function, for those who do the work.
  auto reporter() { return std::bind_front(&Progress::report, this); }
  /// A number that is known already; one line of JSON in the form that programs read, else nothing.
  void result(const LiveResult& result);
  void clear();

private:
  enum class Mode { none, bar, plain, json };
  using Clock = std::chrono::steady_clock;
  Mode mode_ = Mode::none;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_ - std::chrono::hours{1};
  std::size_t last_tenth_ = 0;
  bool drawn_ = false;
};

} // namespace trainyard::app
