// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

std::string join(const std::vector<Diagnostic>& diagnostics)
{
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics)
    text += format(diagnostic);
  return text;
}

constexpr std::size_t widest_source_line = 160;

/// So many messages of each severity are kept: an input of megabytes can have one in every line, and nobody reads them.
/// Behind them one says how many more there are, and has the number below 0 as its line.
constexpr std::size_t most_listed = 100;

bool counts_others(const Diagnostic& diagnostic)
{
  return diagnostic.where.line < 0;
}

} // namespace

std::string_view to_text(Severity severity)
{
  switch (severity) {
  case Severity::error:
    return "error";
  case Severity::warning:
    return "warning";
  case Severity::note:
    break;
  }
  return "note";
}

std::string format(const Diagnostic& diagnostic)
{
  std::string text;
  const Location& where = diagnostic.where;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line > 0) {
      text += ':' + std::to_string(where.line);
      if (where.column > 0)
        text += ':' + std::to_string(where.column);
    }
    text += ": ";
  }
  text += to_text(diagnostic.severity);
  text += ": " + diagnostic.message + '\n';

  std::string_view line = diagnostic.source_line;
  if (line.empty() || where.column <= 0)
    return text;
  std::size_t caret = std::min(static_cast<std::size_t>(where.column - 1), line.size());
  if (line.size() > widest_source_line) {
    const std::size_t begin = caret > widest_source_line / 2 ? caret - widest_source_line / 2 : 0;
    line = line.substr(begin, widest_source_line);
    caret -= begin;
  }
  text += "  ";
  for (const char c : line)
    text += static_cast<unsigned char>(c) < ' ' && c != '\t' ? '?' : c;
  text += "\n  ";
  for (std::size_t i = 0; i < caret; ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if ((byte & 0xC0U) != 0x80U) // a character of several bytes takes one column
      text += line[i] == '\t' ? '\t' : ' ';
  }
  text += "^\n";
  return text;
}

void Diagnostics::error(Location where, std::string message, std::string_view source_line)
{
  add({Severity::error, std::move(where), std::move(message), std::string{source_line}});
}

void Diagnostics::warning(Location where, std::string message, std::string_view source_line)
{
  add({Severity::warning, std::move(where), std::move(message), std::string{source_line}});
}

void Diagnostics::warning(Location where, Message message, std::string_view source_line)
{
  add({Severity::warning, std::move(where), message.text, std::string{source_line}, std::move(message)});
}

void Diagnostics::note(Location where, std::string message, std::string_view source_line)
{
  add({Severity::note, std::move(where), std::move(message), std::string{source_line}});
}

void Diagnostics::add(Diagnostic diagnostic)
{
  if (std::ranges::find(list_, diagnostic) != list_.end())
    return;
  const int added = counts_others(diagnostic) ? -diagnostic.where.line : 1; // those of another list
  errors_ += diagnostic.severity == Severity::error ? added : 0;
  const auto listed = static_cast<std::size_t>(std::ranges::count(list_, diagnostic.severity, &Diagnostic::severity));
  if (listed < most_listed && !counts_others(diagnostic))
    return list_.push_back(std::move(diagnostic));
  auto more = std::ranges::find_if(
      list_, [&](const Diagnostic& one) { return one.severity == diagnostic.severity && counts_others(one); });
  if (more == list_.end())
    more = list_.insert(list_.end(), Diagnostic{.severity = diagnostic.severity, .where = {}, .message = {}});
  more->where.line -= added;
  more->message = "and " + std::to_string(-more->where.line) + " more " + std::string{to_text(more->severity)} +
                  (more->where.line < -1 ? "s" : "");
}

std::vector<Diagnostic> Diagnostics::sorted() const
{
  std::vector<Diagnostic> result = list_;
  std::ranges::stable_sort(result, {}, [](const Diagnostic& d) {
    return std::tuple{counts_others(d), d.where.line, d.where.column};
  });
  return result;
}

void Diagnostics::throw_if_errors() const
{
  if (has_errors())
    throw InputError{sorted()};
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error{join(diagnostics)}, diagnostics_{std::move(diagnostics)}
{
}

InputError::InputError(const std::string& message)
    : InputError{std::vector{Diagnostic{Severity::error, {}, message, {}}}}
{
}

} // namespace trainyard
