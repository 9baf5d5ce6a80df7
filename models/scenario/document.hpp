// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A node of a YAML file, with its position (from 1). Aliases are expanded.
struct DocumentNode {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  int line = 0;
  int column = 0;
  std::string text;    // of a scalar
  bool quoted = false; // "8" in quotes is a text, never a number
  std::vector<DocumentNode> items;
  std::vector<Entry> entries; // of a map, in file order

  const DocumentNode* find(std::string_view key) const;
  DocumentNode* find(std::string_view key);
};

struct DocumentNode::Entry {
  std::string key;
  int line = 0;
  int column = 0;
  DocumentNode value;
};

/// A file read into memory: its tree, and its lines for the carets of messages. Copies share the lines: each of the
/// thousands of points of a sweep has a tree of its own.
struct Document {
  std::string file;
  std::shared_ptr<const std::vector<std::string>> lines; // null: none
  DocumentNode root;

  Location at(const DocumentNode& node) const { return {file, node.line, node.column}; }
  /// The text of a line counted from 1; empty outside the file (values set on the command line).
  std::string_view line_text(int line) const;
  void error(Diagnostics& diagnostics, const DocumentNode& node, std::string message) const;
  void error(Diagnostics& diagnostics, const DocumentNode::Entry& entry, std::string message) const;
  void warning(Diagnostics& diagnostics, const DocumentNode::Entry& entry, Message message) const;
};

/// "'until' has no effect: such runs always go to the end"; "'busy' has no effect with mode ring".
inline constexpr Sentence<std::string, Message> no_effect{"check.no_effect", "'{key}' has no effect: {why}"};
inline constexpr Sentence<std::string, std::string> no_effect_with{"check.no_effect_with",
                                                                   "'{key}' has no effect with {owner}"};

/// Largest file that is read, and largest tree after the aliases have been expanded.
inline constexpr std::size_t largest_document_bytes = 64U << 20U;
inline constexpr std::size_t largest_document_nodes = 2'000'000;

/// Reads one YAML document. Every fault that the parser and the duplicate-key check find goes into @p diagnostics; the
/// tree is what could be read.
///
/// Refused with a message: files above 64 MiB, binary files, text that is not UTF-8, more than one document, aliases
/// that expand to millions of nodes.
Document parse_document(const std::string& whole, const std::string& file, Diagnostics& diagnostics);

/// The same from a file; a file that cannot be read is a diagnostic too, with the system's own words.
Document read_document(const std::filesystem::path& file, Diagnostics& diagnostics);

/// Reads a whole file, at most @p limit bytes. Throws InputError naming the file and the reason.
std::string read_text_file(const std::filesystem::path& file, std::size_t limit);

/// Sets the value at a dotted path ("jobs.0.training.servers") to a value in YAML ("4", "[a, b]", "{mode: ring}"); map
/// keys that are missing are added, list items must exist. Setting a map onto a map replaces it. Throws InputError
/// where the path leads through something else, with a suggestion.
void set_path(Document& document, const std::string& path, const std::string& value);
void set_path(Document& document, const std::string& path, const DocumentNode& value);

/// The node at a path, or null.
const DocumentNode* find_path(const DocumentNode& root, std::string_view path);

/// The tree as JSON text, scalars typed by YAML 1.2 core rules (numbers, true, false, null; quoted ones are strings).
/// For the schema validator.
std::string to_json(const DocumentNode& node);

/// The tree as YAML in flow style, one line; parse_document reads it back to an equal tree. For manifests and messages.
std::string to_flow_yaml(const DocumentNode& node);

/// Where two trees differ: dotted path, value in a, value in b ("" = absent).
struct DocumentDifference {
  std::string path;
  std::string before;
  std::string after;
};
std::vector<DocumentDifference> difference(const DocumentNode& a, const DocumentNode& b);

} // namespace trainyard
