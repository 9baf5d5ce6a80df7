// SPDX-License-Identifier: Apache-2.0
#include "sim/app/effort.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "sim/app/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace trainyard::app {
namespace {

constexpr double most_seconds = 600;
constexpr double most_bytes = 2e9;
constexpr double day = 86400;

/// "20 min", "3.2 days", "31 years".
std::string about(Seconds time)
{
  const double seconds = time.value();
  if (seconds < 2 * day)
    return time_text(time);
  return seconds < 700 * day ? fmt::format("{} days", rate_text(seconds / day))
                             : fmt::format("{} years", rate_text(seconds / day / 365.25));
}

/// "y" or "yes" at the terminal.
bool asked()
{
  std::fputs("go on? [y/N] ", stderr);
  std::fflush(stderr);
  char answer[16] = {};
  if (std::fgets(answer, sizeof answer, stdin) == nullptr)
    return false;
  const std::string_view text{answer};
  return text == "y\n" || text == "Y\n" || text == "yes\n";
}

} // namespace

Option yes_option()
{
  return {"--yes", "", "", "start also what takes long or needs much memory, without a question"};
}

void agree(const Arguments& arguments, const Effort& effort)
{
  if (effort.time.value() < most_seconds && effort.bytes < most_bytes)
    return;
  const char* const roughly = effort.at_least ? "at least" : "about";
  std::string needs = effort.time.value() > 0 ? fmt::format("{} {}", roughly, about(effort.time)) : std::string{};
  if (effort.bytes > 0)
    needs += fmt::format("{}{} {} of memory", needs.empty() ? "" : " and ", roughly,
                         to_text(effort.bytes, QuantityKind::bytes, 2));
  const std::string message = fmt::format("{}: this takes {}", effort.what, needs);
  if (arguments.has("--yes"))
    return print_note("note: " + message, arguments);
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0)
    throw InputError{fmt::format("{}; {}, or start it with --yes", message, effort.fewer)};
  print_note(message, {});
  if (!asked())
    throw InputError{fmt::format("not started; {}", effort.fewer)};
}

void agree(const Arguments& arguments, const StudyEffort& study, const PointEvaluator& evaluator,
           const std::function<SweepPoint()>& point)
{
  if (study.runs <= small_study)
    return;
  using Clock = std::chrono::steady_clock;
  double seconds = 0, bytes = 0;
  for (int i = 0; i < 2 && seconds < 1; ++i) { // the first one also reads files
    const Clock::time_point begin = Clock::now();
    const PointOutcome outcome = evaluator.evaluate(point());
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    bytes = 0;
    for (const Measured& item : outcome.items)
      bytes += 200 + 120.0 * static_cast<double>(item.numbers.size());
  }
  agree(arguments, {.what = fmt::format("{} {}, at least {} simulations", rate_text(study.count), study.what,
                                        rate_text(study.runs)),
                    .time = Seconds{seconds * study.runs / std::max(study.workers, 1)},
                    .bytes = study.runs * (bytes + study.bytes_each),
                    .fewer = study.fewer,
                    .at_least = true});
}

double bytes_of(const DocumentNode& node)
{
  double sum = sizeof node + static_cast<double>(node.text.capacity());
  for (const DocumentNode& item : node.items)
    sum += bytes_of(item);
  for (const DocumentNode::Entry& entry : node.entries)
    sum += static_cast<double>(sizeof entry - sizeof entry.value + entry.key.capacity()) + bytes_of(entry.value);
  return sum;
}

} // namespace trainyard::app
