// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

std::string_view name_of(Severity severity)
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

std::string join(const std::vector<Diagnostic>& diagnostics)
{
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics)
    text += format(diagnostic);
  return text;
}

constexpr std::size_t widest_source_line = 160;

} // namespace

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
  text += name_of(diagnostic.severity);
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

void Diagnostics::note(Location where, std::string message, std::string_view source_line)
{
  add({Severity::note, std::move(where), std::move(message), std::string{source_line}});
}

void Diagnostics::add(Diagnostic diagnostic)
{
  if (std::ranges::find(list_, diagnostic) != list_.end())
    return;
  errors_ += diagnostic.severity == Severity::error ? 1 : 0;
  list_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const
{
  std::vector<Diagnostic> result = list_;
  std::ranges::stable_sort(result, {}, [](const Diagnostic& d) { return std::tuple{d.where.line, d.where.column}; });
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
