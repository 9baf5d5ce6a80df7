// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A position in a text file; line and column count from 1, 0 where unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  /// The value of a scenario that a fault found after reading is about: "jobs.2.training.transport". `located`
  /// (models/scenario/places.hpp) turns it into line and column.
  std::string path = {};

  bool operator==(const Location&) const = default;
};

enum class Severity { error, warning, note };
std::string_view to_text(Severity severity);

/// One message to the user about an input: the place, the error and how to correct it, all in `message`.
struct Diagnostic {
  Severity severity = Severity::error;
  Location where;
  std::string message;
  /// The line of the file that the caret points into; empty where there is none.
  std::string source_line;
  /// What `message` says, where it is a sentence that other languages have.
  Message said = {};

  bool operator==(const Diagnostic&) const = default;
};

/// `file:line:column: error: message`, then the source line and a caret; ends with a newline.
///
/// Tabs before the caret are kept, so that it is below its column; lines over 160 characters are cut around it.
std::string format(const Diagnostic& diagnostic);

/// Collects all errors of an input, so that the user sees them at once.
class Diagnostics
{
public:
  void error(Location where, std::string message, std::string_view source_line = {});
  void warning(Location where, std::string message, std::string_view source_line = {});
  void warning(Location where, Message message, std::string_view source_line = {});
  void note(Location where, std::string message, std::string_view source_line = {});
  void add(Diagnostic diagnostic);

  /// In order of line, then column, then arrival; the same diagnostic is kept once.
  std::vector<Diagnostic> sorted() const;
  bool has_errors() const { return errors_ > 0; }
  int errors() const { return errors_; }
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }

  /// Throws InputError with all diagnostics where one of them is an error.
  void throw_if_errors() const;

private:
  std::vector<Diagnostic> list_;
  int errors_ = 0;
};

/// The user's file or arguments are wrong; `simrun` prints the diagnostics and exits 2.
class InputError : public std::runtime_error
{
public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  /// For faults of the command line, which have no place in a file.
  explicit InputError(const std::string& message);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
  std::vector<Diagnostic> diagnostics_;
};

} // namespace trainyard
