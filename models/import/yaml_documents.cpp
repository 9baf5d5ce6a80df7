// SPDX-License-Identifier: Apache-2.0
#include "models/import/yaml_documents.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace trainyard {
namespace {

void shift(DocumentNode& node, int lines)
{
  if (node.line > 0)
    node.line += lines;
  for (DocumentNode& item : node.items)
    shift(item, lines);
  for (DocumentNode::Entry& entry : node.entries) {
    if (entry.line > 0)
      entry.line += lines;
    shift(entry.value, lines);
  }
}

/// Where a value in braces ends: JSON values may follow each other without a mark between them.
class Braces
{
public:
  /// Whether a value that began has ended.
  bool closed() const { return began_ && depth_ == 0; }
  void add(std::string_view row)
  {
    for (const char c : row) {
      if (in_text_) {
        in_text_ = escaped_ || c != '"';
        escaped_ = !escaped_ && c == '\\';
      } else if (c == '"') {
        in_text_ = true;
      } else if (c == '{') {
        ++depth_;
        began_ = true;
      } else if (c == '}') {
        --depth_;
      }
    }
  }

private:
  int depth_ = 0;
  bool began_ = false, in_text_ = false, escaped_ = false;
};

} // namespace

std::vector<Document> read_yaml_documents(const std::string& text, const std::string& file, ImportReport& report)
{
  std::vector<Document> documents;
  std::string part;
  int first = 0; // lines before the part
  int line = 0;
  bool content = false;
  bool is_json = false; // the part is a value in braces
  Braces braces;
  const auto finish = [&] {
    if (content) {
      Diagnostics faults;
      Document document = parse_document(part, file, faults);
      for (Diagnostic fault : faults.sorted()) {
        if (fault.where.line > 0)
          fault.where.line += first;
        report.faults.add(std::move(fault));
      }
      shift(document.root, first);
      document.lines.reset(); // their numbers would be those of the part
      if (document.root.kind != DocumentNode::Kind::null && !(faults.has_errors() && document.root.entries.empty()))
        documents.push_back(std::move(document));
    }
    part.clear();
    braces = {};
    content = is_json = false;
    first = line;
  };
  std::istringstream stream{text};
  for (std::string row; std::getline(stream, row);) {
    ++line;
    const bool marker = (row.starts_with("---") || row.starts_with("...")) &&
                        (row.size() == 3 || row[3] == ' ' || row[3] == '\r' || row[3] == '\t');
    if (marker) {
      finish();
      if (const std::size_t rest = row.find_first_not_of(" \t\r", 3); rest != std::string::npos && row[rest] != '#') {
        part = std::string(rest, ' ') + row.substr(rest) + "\n"; // "--- {kind: Job}"
        content = true;
        first = line - 1;
      }
      continue;
    }
    if (is_json && braces.closed() && row.starts_with('{')) {
      finish();
      first = line - 1;
    }
    is_json = is_json || (!content && row.starts_with('{'));
    if (is_json)
      braces.add(row);
    part += row + "\n";
    const std::size_t start = row.find_first_not_of(" \t\r");
    content = content || (start != std::string::npos && row[start] != '#' && row[start] != '%');
  }
  finish();
  return documents;
}

const DocumentNode* at(const DocumentNode* node, std::initializer_list<std::string_view> keys)
{
  for (const std::string_view key : keys) {
    if (node == nullptr || node->kind != DocumentNode::Kind::map)
      return nullptr;
    node = node->find(key);
  }
  return node;
}

const std::vector<DocumentNode>& items_at(const DocumentNode* node, std::initializer_list<std::string_view> keys)
{
  static const std::vector<DocumentNode> none;
  const DocumentNode* found = at(node, keys);
  return found == nullptr ? none : found->items;
}

const std::vector<DocumentNode::Entry>& entries_at(const DocumentNode* node,
                                                   std::initializer_list<std::string_view> keys)
{
  static const std::vector<DocumentNode::Entry> none;
  const DocumentNode* found = at(node, keys);
  return found == nullptr ? none : found->entries;
}

std::string text_at(const DocumentNode* node, std::initializer_list<std::string_view> keys)
{
  const DocumentNode* found = at(node, keys);
  return found != nullptr && found->kind == DocumentNode::Kind::scalar ? found->text : std::string{};
}

int line_at(const DocumentNode& node, std::initializer_list<std::string_view> keys)
{
  const DocumentNode* found = at(node, keys);
  return found == nullptr ? node.line : found->line;
}

double number_of(std::string_view text, double fallback)
{
  const double number = as_number<double>(text).value_or(fallback);
  return std::isfinite(number) ? number : fallback; // "infinity" and "nan" are none
}

int count_of(std::string_view text, int most, int fallback, std::string_view what, const ImportPlace& place,
             ImportReport& report)
{
  if (const std::size_t usual = text.find('-'); text.starts_with("${") && usual != text.npos && text.ends_with('}'))
    return count_of(text.substr(usual + 1, text.size() - usual - 2), most, fallback, what, place, report);
  if (text.starts_with('$')) {
    report.assumed({"{} {}", fallback, what}, {"the file gives the variable {}", text}, place);
    return fallback;
  }
  const double number = number_of(text, -1);
  if (number >= 0 && number <= most && number == std::floor(number))
    return static_cast<int>(number);
  report.error(place, "'{}' is not a number of {}: write a whole number from 0 to {}", text, what, most);
  return fallback;
}

} // namespace trainyard
