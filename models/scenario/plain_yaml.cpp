// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/plain_yaml.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace trainyard {
namespace {

constexpr int deepest = 50;
constexpr std::size_t longest_key = 500; // YAML allows 1,024 characters
constexpr std::size_t most_values = 1'000'000;

/// Every function gives false where the text is not plain; then nothing counts that was read.
class PlainYaml
{
public:
  explicit PlainYaml(const std::vector<std::string>& lines) : lines_{lines} {}

  bool read(DocumentNode& root) { return next_line() && !is_item(column_) && block(root) && line_ == lines_.size(); }

private:
  std::string_view text() const { return lines_[line_]; }

  /// Bytes that a plain key may have.
  static constexpr std::array<bool, 256> in_key = [] {
    std::array<bool, 256> allowed{};
    for (std::size_t byte = 0x20; byte < allowed.size(); ++byte)
      allowed[byte] = byte != 0x7f &&
                      std::string_view{":\"'{}[],&*!|>%@`#?"}.find(static_cast<char>(byte)) == std::string_view::npos;
    return allowed;
  }();

  static constexpr bool is_plain_byte(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

  /// Whether the line holds nothing more from @p at on but a comment.
  bool ends(std::size_t at) const
  {
    const std::size_t first = text().find_first_not_of(' ', at);
    return first == std::string_view::npos || (text()[first] == '#' && (first == 0 || text()[first - 1] == ' '));
  }

  bool is_item(std::size_t at) const { return text().substr(at).starts_with("- "); }

  /// Goes to the next line that holds something, from line_ on.
  bool next_line()
  {
    for (; line_ < lines_.size(); ++line_)
      if (!ends(0)) {
        column_ = text().find_first_not_of(' ');
        return true;
      }
    return false;
  }

  bool place(DocumentNode& node, std::size_t column)
  {
    node.line = static_cast<int>(line_) + 1;
    node.column = static_cast<int>(column) + 1;
    return ++values_ <= most_values;
  }

  /// A map or list in block style that begins at column_; ends at a line further left.
  bool block(DocumentNode& node)
  {
    if (++depth_ > deepest || !place(node, column_))
      return false;
    const bool read = is_item(column_) ? items(node) : entries(node);
    --depth_;
    return read;
  }

  bool items(DocumentNode& node)
  {
    node.kind = DocumentNode::Kind::list;
    const std::size_t indent = column_;
    while (line_ < lines_.size() && column_ == indent && is_item(column_)) {
      column_ = text().find_first_not_of(' ', indent + 1);
      if (column_ == std::string_view::npos || is_item(column_))
        return false;
      DocumentNode& item = node.items.emplace_back();
      const bool map = key_end(column_, false) != std::string_view::npos;
      if (!(map ? block(item) : line_value(item, indent)))
        return false;
    }
    return line_ == lines_.size() || column_ <= indent;
  }

  bool entries(DocumentNode& node)
  {
    node.kind = DocumentNode::Kind::map;
    const std::size_t indent = column_;
    do {
      const std::size_t colon = key_end(column_, false);
      DocumentNode::Entry entry;
      if (colon == std::string_view::npos || !key(entry, colon, node))
        return false;
      column_ = text().find_first_not_of(' ', colon + 1);
      if (column_ == std::string_view::npos || ends(column_)) {
        ++line_;
        if (!next_line() || column_ < indent || (column_ == indent && !is_item(column_)))
          return false;
        const bool in_brackets = column_ > indent && (text()[column_] == '{' || text()[column_] == '[');
        if (!(in_brackets ? line_value(entry.value, indent) : block(entry.value)))
          return false;
      } else if (!line_value(entry.value, indent)) {
        return false;
      }
      node.entries.push_back(std::move(entry));
    } while (line_ < lines_.size() && column_ == indent && !is_item(column_));
    return line_ == lines_.size() || column_ <= indent;
  }

  bool key(DocumentNode::Entry& entry, std::size_t colon, const DocumentNode& map)
  {
    entry.key = text().substr(column_, colon - column_);
    entry.line = static_cast<int>(line_) + 1;
    entry.column = static_cast<int>(column_) + 1;
    return entry.key != "<<" && !is_null(entry.key) && map.find(entry.key) == nullptr;
  }

  static bool is_null(std::string_view text)
  {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
  }

  /// The colon behind a plain key at @p at, or npos where there is none.
  std::size_t key_end(std::size_t at, bool in_flow) const
  {
    for (std::size_t i = at; i < text().size() && i - at < longest_key; ++i) {
      const char c = text()[i];
      if (c == ':' && (i + 1 == text().size() ? !in_flow : text()[i + 1] == ' '))
        return i > at && text()[i - 1] != ' ' && text()[at] != '-' ? i : std::string_view::npos;
      if (!in_key[static_cast<unsigned char>(c)])
        break;
    }
    return std::string_view::npos;
  }

  /// A value that begins at column_ in the line of its key or dash. Then nothing may follow that is more to the right
  /// than these: it would go on with the value.
  bool line_value(DocumentNode& node, std::size_t indent)
  {
    if (!value(node, false) || !ends(column_))
      return false;
    ++line_;
    return !next_line() || column_ <= indent;
  }

  bool value(DocumentNode& node, bool in_flow)
  {
    if (!place(node, column_))
      return false;
    const char first = text()[column_];
    if (first == '{' || first == '[') {
      if (++depth_ > deepest)
        return false;
      const bool read = flow(node, first == '{');
      --depth_;
      return read;
    }
    node.kind = DocumentNode::Kind::scalar;
    if (first == '"' || first == '\'')
      return quoted(node, first);
    return plain(node, in_flow);
  }

  bool quoted(DocumentNode& node, char mark)
  {
    const std::size_t end = text().find(mark, column_ + 1);
    if (end == std::string_view::npos)
      return false;
    node.text = text().substr(column_ + 1, end - column_ - 1);
    node.quoted = true;
    column_ = end + 1;
    for (const char c : node.text)
      if (c == '\\' || !is_plain_byte(c))
        return false;
    return column_ == text().size() || (text()[column_] != mark && text()[column_] != ':');
  }

  bool plain(DocumentNode& node, bool in_flow)
  {
    static constexpr std::string_view not_first = "-?:,[]{}#&*!|>'\"%@`";
    const char first = text()[column_];
    const bool negative =
        first == '-' && column_ + 1 < text().size() && text()[column_ + 1] >= '0' && text()[column_ + 1] <= '9';
    if (!negative && not_first.find(first) != std::string_view::npos)
      return false;
    std::size_t end = column_;
    for (std::size_t i = column_; i < text().size(); ++i) {
      const char c = text()[i];
      if (!is_plain_byte(c))
        return false;
      if (c == '#' && text()[i - 1] == ' ')
        break;
      if (c == ':' && (i + 1 == text().size() || text()[i + 1] == ' '))
        return false;
      if (in_flow) {
        if (c == ',' || c == '}' || c == ']')
          break;
        if (c == ':' || c == '{' || c == '[' || c == '?')
          return false;
      }
      if (c != ' ')
        end = i + 1;
    }
    node.text = text().substr(column_, end - column_);
    column_ = end;
    return !is_null(node.text);
  }

  /// To the next thing inside brackets, over ends of lines.
  bool next_in_flow()
  {
    for (;;) {
      if (!ends(column_)) {
        column_ = text().find_first_not_of(' ', column_);
        return true;
      }
      if (++line_ == lines_.size())
        return false;
      column_ = 0;
      if (!text().empty() && text().front() != ' ') // yaml-cpp looks there for the end of a document
        return false;
    }
  }

  bool flow(DocumentNode& node, bool map)
  {
    node.kind = map ? DocumentNode::Kind::map : DocumentNode::Kind::list;
    const char close = map ? '}' : ']';
    ++column_;
    if (!next_in_flow())
      return false;
    if (text()[column_] == close) {
      ++column_;
      return true;
    }
    for (;;) {
      if (map) {
        DocumentNode::Entry entry;
        const std::size_t colon = key_end(column_, true);
        if (colon == std::string_view::npos || !key(entry, colon, node))
          return false;
        column_ = colon + 1;
        if (ends(column_))
          return false;
        column_ = text().find_first_not_of(' ', column_);
        if (!value(entry.value, true))
          return false;
        node.entries.push_back(std::move(entry));
      } else if (!value(node.items.emplace_back(), true)) {
        return false;
      }
      if (!next_in_flow())
        return false;
      const char c = text()[column_++];
      if (c == close)
        return true;
      if (c != ',' || !next_in_flow() || text()[column_] == close)
        return false;
    }
  }

  const std::vector<std::string>& lines_;
  std::size_t line_ = 0;
  std::size_t column_ = 0;
  std::size_t values_ = 0;
  int depth_ = 0;
};

} // namespace

std::optional<DocumentNode> parse_plain_yaml(const std::vector<std::string>& lines)
{
  DocumentNode root;
  if (!PlainYaml{lines}.read(root))
    return std::nullopt;
  return root;
}

} // namespace trainyard
