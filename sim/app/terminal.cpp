// SPDX-License-Identifier: Apache-2.0
#include "sim/app/terminal.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/safe_text.hpp"
#include "sim/run/simulate.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

namespace trainyard::app {
namespace {

extern "C" void on_interrupt(int)
{
  if (interrupt::asked.exchange(true))
    _exit(interrupted);
  alarm(1); // s, for a loop that does not look; what is written has its name only when it is whole
}

extern "C" void on_alarm(int)
{
  constexpr std::string_view words = "interrupted; no unfinished results remain\n";
  static_cast<void>(write(STDERR_FILENO, words.data(), words.size()));
  _exit(interrupted);
}

/// Of the environment; empty where it is not set.
std::string_view variable(const char* name)
{
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string json_text(const std::string& text)
{
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

} // namespace

bool wants_colour(const Arguments& arguments, std::FILE* stream)
{
  const std::string when = arguments.value("--color", "auto");
  if (when != "auto")
    return when == "always";
  if (!variable("NO_COLOR").empty())
    return false;
  if (const std::string_view force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0")
    return true;
  return isatty(fileno(stream)) != 0 && variable("TERM") != "dumb";
}

namespace {

void to_stdout(const std::string& text)
{
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  if (errno == EPIPE)
    std::_Exit(done); // `simrun … | head`: the reader has seen enough
  throw std::runtime_error{fmt::format("cannot write to stdout: {}", std::strerror(errno))};
}

} // namespace

void print(const std::string& text)
{
  to_stdout(for_terminal(text));
}

void print_data(const std::string& text)
{
  to_stdout(isatty(STDOUT_FILENO) != 0 ? for_terminal(text) : text);
}

void print_error(const std::string& text)
{
  std::fputs(for_terminal(text).c_str(), stderr);
}

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, const Arguments& arguments)
{
  const bool colour = wants_colour(arguments, stderr);
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::error && arguments.has("--quiet"))
      continue;
    std::string text = format(diagnostic);
    if (colour) {
      const std::string word = diagnostic.severity == Severity::error     ? "error:"
                               : diagnostic.severity == Severity::warning ? "warning:"
                                                                          : "note:";
      const std::size_t at = text.find(word);
      if (at != std::string::npos)
        text = text.substr(0, at) + terminal_style(word == "error:" ? "1;38;2;213;94;0" : "1;38;2;86;180;233") + word +
               terminal_style("0") + text.substr(at + word.size());
    }
    print_error(text);
  }
}

void print_note(const std::string& text, const Arguments& arguments)
{
  if (!arguments.has("--quiet"))
    print_error(text + "\n");
}

void catch_interrupts()
{
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Progress::Progress(const Arguments& arguments)
{
  const std::string how = arguments.value("--progress", "auto");
  if (arguments.has("--quiet") || how == "none")
    return;
  if (how == "plain")
    mode_ = Mode::plain;
  else if (how == "json")
    mode_ = Mode::json;
  else if (isatty(STDERR_FILENO) != 0 && variable("TERM") != "dumb")
    mode_ = Mode::bar;
}

Progress::~Progress()
{
  clear();
}

void Progress::clear()
{
  if (drawn_)
    std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::result(const LiveResult& result)
{
  if (mode_ != Mode::json || !std::isfinite(result.x) || !std::isfinite(result.y))
    return;
  std::fputs(fmt::format("{{\"event\":\"result\",\"point\":\"{}\",\"job\":\"{}\",\"series\":\"{}\",\"x_name\":\"{}\","
                         "\"x\":{},\"y_name\":"
                         "\"{}\",\"y\":{}}}\n",
                         json_text(result.point), json_text(result.job), json_text(result.series),
                         json_text(result.x_name), result.x, json_text(result.y_name), result.y)
                 .c_str(),
             stderr);
}

void Progress::report(std::size_t done, std::size_t total, const std::string& what)
{
  check_interrupt();
  if (mode_ == Mode::none || total == 0)
    return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double share = static_cast<double>(done) / static_cast<double>(total);
  std::optional<double> left; // nobody knows before
  if (done > 0)
    left = elapsed * (1 - share) / share;
  const std::string words = left ? fmt::format(", {} left", time_text(Seconds{*left})) : "";
  const bool last = done == total;
  if (mode_ == Mode::json) {
    std::fputs(
        fmt::format("{{\"event\":\"progress\",\"done\":{},\"total\":{},\"elapsed_s\":{:.3f},{}\"point\":\"{}\"}}\n",
                    done, total, elapsed, left ? fmt::format("\"left_s\":{:.3f},", *left) : "", json_text(what))
            .c_str(),
        stderr);
  } else if (mode_ == Mode::plain) {
    const std::size_t tenth = done * 10 / total;
    if (!last && tenth == last_tenth_ && now - last_ < std::chrono::seconds{30})
      return;
    last_tenth_ = tenth;
    last_ = now;
    print_error(fmt::format("{:.0f} % ({} of {}){}\n", 100 * share, done, total, words));
  } else if (last || now - last_ >= std::chrono::milliseconds{100}) {
    if (elapsed < 0.3)
      return; // too fast to need a bar
    last_ = now;
    const auto full = static_cast<std::size_t>(share * 30);
    std::fputs(fmt::format("\r\033[K[{}{}] {} of {}{}  {}", std::string(full, '#'), std::string(30 - full, '.'), done,
                           total, words, for_terminal(what.substr(0, 60)))
                   .c_str(),
               stderr);
    drawn_ = true;
  }
}

} // namespace trainyard::app
