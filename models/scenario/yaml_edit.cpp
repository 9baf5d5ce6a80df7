// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/yaml_edit.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace trainyard {
namespace {

[[noreturn]] void refuse(const std::string& why)
{
  throw InputError{why + "; edit the text instead"};
}

DocumentNode parsed(const std::string& text)
{
  Diagnostics diagnostics;
  Document document = parse_document(text, "scenario", diagnostics);
  diagnostics.throw_if_errors();
  return std::move(document.root);
}

std::vector<std::string> keys_of(const std::string& path)
{
  std::vector<std::string> keys;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    if (dot > begin)
      keys.push_back(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return keys;
}

bool is_index(const std::string& key)
{
  return !key.empty() && std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
}

/// One step down the tree, with what is needed to find the ends of texts.
struct Place {
  const DocumentNode* node = nullptr;
  const DocumentNode::Entry* entry = nullptr; // of a map
  const DocumentNode* parent = nullptr;
  bool in_flow = false; // inside { } or [ ]
};

class Finder
{
public:
  Finder(const std::string& text, const DocumentNode& root) : text_{text}, root_{root}
  {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        lines_.push_back(i + 1);
  }

  std::size_t offset(int line, int column) const
  {
    if (line < 1 || static_cast<std::size_t>(line) > lines_.size())
      return text_.size();
    return std::min(text_.size(),
                    lines_[static_cast<std::size_t>(line - 1)] + static_cast<std::size_t>(std::max(column, 1) - 1));
  }
  std::size_t line_begin(std::size_t at) const { return *std::prev(std::ranges::upper_bound(lines_, at)); }
  std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

  /// How far down the path the tree goes: the deepest existing place, and how many keys were used.
  std::pair<Place, std::size_t> deepest(const std::vector<std::string>& keys) const
  {
    Place place{&root_, nullptr, nullptr, opens_flow(root_)};
    std::size_t used = 0;
    for (const std::string& key : keys) {
      Place next{nullptr, nullptr, place.node, place.in_flow || opens_flow(*place.node)};
      if (place.node->kind == DocumentNode::Kind::list && is_index(key)) {
        const std::size_t index = std::stoul(key);
        if (index < place.node->items.size())
          next.node = &place.node->items[index];
      } else if (place.node->kind == DocumentNode::Kind::map) {
        for (const DocumentNode::Entry& entry : place.node->entries)
          if (entry.key == key) {
            next.node = &entry.value;
            next.entry = &entry;
          }
      }
      if (next.node == nullptr)
        break;
      place = next;
      ++used;
    }
    return {place, used};
  }

  bool opens_flow(const DocumentNode& node) const
  {
    if (node.kind != DocumentNode::Kind::map && node.kind != DocumentNode::Kind::list)
      return false;
    const std::size_t begin = offset(node.line, node.column);
    return begin < text_.size() && (text_[begin] == '{' || text_[begin] == '[');
  }

  TextRange range(const Place& place) const
  {
    const DocumentNode& node = *place.node;
    if (node.kind == DocumentNode::Kind::null && node.text.empty() && place.entry != nullptr) {
      const std::size_t colon = after_key(*place.entry);
      return {colon, colon};
    }
    const std::size_t begin = offset(node.line, node.column);
    if (begin >= text_.size())
      return {text_.size(), text_.size()};
    const char first = text_[begin];
    if (first == '&' || first == '*' || first == '!')
      refuse("this value has an anchor, an alias or a tag");
    if (node.kind == DocumentNode::Kind::map || node.kind == DocumentNode::Kind::list)
      return {begin, first == '{' || first == '[' ? flow_end(begin) : block_end(begin, node)};
    if (first == '"' || first == '\'')
      return {begin, quote_end(begin)};
    if (first == '|' || first == '>')
      return {begin, literal_end(begin, place)};
    return {begin, plain_end(begin, place.in_flow)};
  }

  /// Just behind the colon of a key.
  std::size_t after_key(const DocumentNode::Entry& entry) const
  {
    std::size_t at = offset(entry.line, entry.column);
    if (at < text_.size() && (text_[at] == '"' || text_[at] == '\''))
      at = quote_end(at);
    const std::size_t colon = text_.find(':', at);
    return colon == std::string::npos ? text_.size() : colon + 1;
  }

  std::size_t quote_end(std::size_t begin) const
  {
    const char quote = text_[begin];
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\')
        ++i;
      else if (text_[i] == quote) {
        if (quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote)
          ++i;
        else
          return i + 1;
      }
    }
    return text_.size();
  }

  /// Behind the bracket that closes the one at @p begin.
  std::size_t flow_end(std::size_t begin) const
  {
    int depth = 0;
    for (std::size_t i = begin; i < text_.size(); ++i) {
      const char c = text_[i];
      const bool fresh = i == begin || std::string_view{" \t\n,:[{"}.find(text_[i - 1]) != std::string_view::npos;
      if ((c == '"' || c == '\'') && fresh)
        i = quote_end(i) - 1;
      else if (c == '#' && i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t' || text_[i - 1] == '\n'))
        i = line_end(i);
      else if (c == '{' || c == '[')
        ++depth;
      else if ((c == '}' || c == ']') && --depth == 0)
        return i + 1;
    }
    return text_.size();
  }

  std::size_t plain_end(std::size_t begin, bool in_flow) const
  {
    std::size_t end = begin;
    for (std::size_t i = begin; i < text_.size() && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == '#' && i > begin && (text_[i - 1] == ' ' || text_[i - 1] == '\t'))
        break;
      if (in_flow && (c == ',' || c == '}' || c == ']'))
        break;
      if (c != ' ' && c != '\t' && c != '\r')
        end = i + 1;
    }
    return end;
  }

  std::size_t literal_end(std::size_t begin, const Place& place) const
  {
    const auto parent_column = static_cast<std::size_t>(place.entry != nullptr ? place.entry->column - 1 : 0);
    std::size_t end = line_end(begin);
    for (std::size_t next = end; next < text_.size();) {
      const std::size_t start = next + 1;
      const std::size_t stop = line_end(start);
      const std::size_t word = text_.find_first_not_of(" \t\r", start);
      if (word < stop && word - start <= parent_column)
        break;
      if (word < stop)
        end = stop;
      next = stop;
    }
    return end;
  }

  /// End of the last line that belongs to a block map or list which begins at @p begin.
  std::size_t block_end(std::size_t begin, const DocumentNode& node) const
  {
    const auto indent = static_cast<std::size_t>(node.column - 1);
    const bool list = node.kind == DocumentNode::Kind::list;
    std::size_t end = code_end(begin);
    for (std::size_t next = line_end(begin); next < text_.size();) {
      const std::size_t start = next + 1;
      const std::size_t stop = line_end(start);
      const std::size_t word = text_.find_first_not_of(" \t\r", start);
      next = stop;
      if (word >= stop || text_[word] == '#')
        continue;
      if (word - start < indent || (list && word - start == indent && text_[word] != '-'))
        break;
      end = code_end(start);
    }
    return end;
  }

  /// End of the line's text with its comment, without blanks at the end.
  std::size_t code_end(std::size_t at) const
  {
    std::size_t end = line_end(at);
    while (end > at && (text_[end - 1] == ' ' || text_[end - 1] == '\r' || text_[end - 1] == '\t'))
      --end;
    return end;
  }

private:
  const std::string& text_;
  const DocumentNode& root_;
  std::vector<std::size_t> lines_;
};

/// The edit, once its result has been shown to differ from the text in the wanted way only.
TextEdit verified(const std::string& text, TextEdit edit, const DocumentNode& wanted)
{
  DocumentNode result;
  try {
    result = parsed(applied(text, edit));
  } catch (const InputError&) {
    refuse("this value is written in a form that cannot be changed safely");
  }
  if (!difference(wanted, result).empty())
    refuse("this value is shared with another place or written in an unusual form");
  return edit;
}

/// `{a: {b: value}}` for the keys that are missing.
std::string nested(const std::vector<std::string>& keys, std::size_t from, const std::string& value)
{
  std::string result = value;
  for (std::size_t i = keys.size(); i-- > from;)
    result = fmt::format("{{{}: {}}}", yaml_scalar(keys[i]), result);
  return result;
}

DocumentNode* mutable_at(DocumentNode& root, const std::vector<std::string>& keys, std::size_t count)
{
  DocumentNode* node = &root;
  for (std::size_t i = 0; i < count && node != nullptr; ++i)
    node = node->kind == DocumentNode::Kind::list ? &node->items.at(std::stoul(keys[i])) : node->find(keys[i]);
  return node;
}

DocumentNode value_node(const std::string& value)
{
  DocumentNode holder = parsed("value: " + value + "\n");
  DocumentNode* node = holder.find("value");
  return node == nullptr ? DocumentNode{} : *node;
}

} // namespace

std::string applied(const std::string& text, const TextEdit& edit)
{
  return text.substr(0, edit.range.begin) + edit.text + text.substr(edit.range.end);
}

TextEdit set_value_edit(const std::string& text, const std::string& path, const std::string& value)
{
  const DocumentNode root = parsed(text);
  const auto keys = keys_of(path);
  if (keys.empty())
    throw InputError{"the path is empty"};
  const Finder finder{text, root};
  const auto [place, used] = finder.deepest(keys);

  DocumentNode wanted = root;
  if (used == keys.size()) {
    *mutable_at(wanted, keys, used) = value_node(value);
    TextRange range = finder.range(place);
    const bool nothing = range.begin == range.end;
    const bool block = !nothing &&
                       (place.node->kind == DocumentNode::Kind::map || place.node->kind == DocumentNode::Kind::list) &&
                       !finder.opens_flow(*place.node);
    if (block && place.entry != nullptr) // "key:\n  a: 1" becomes "key: {…}"
      range.begin = finder.after_key(*place.entry);
    return verified(text, {range, (nothing || block ? " " : "") + value}, wanted);
  }

  // The rest of the path is missing: it becomes one new entry of the deepest map.
  for (std::size_t i = used; i < keys.size(); ++i)
    if (is_index(keys[i]))
      throw InputError{fmt::format(
          "'{}' has no item {}", fmt::join(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), "."), keys[i])};
  if (place.node->kind != DocumentNode::Kind::map && place.node->kind != DocumentNode::Kind::null)
    throw InputError{fmt::format("'{}' is not a map, so it has no '{}'",
                                 fmt::join(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(used), "."),
                                 keys[used])};
  const std::string rest = nested(keys, used + 1, value);
  DocumentNode* parent = mutable_at(wanted, keys, used);
  if (parent->kind == DocumentNode::Kind::null)
    parent->kind = DocumentNode::Kind::map;
  parent->text.clear();
  parent->entries.push_back({keys[used], 0, 0, value_node(rest)});
  const std::string entry = fmt::format("{}: {}", yaml_scalar(keys[used]), rest);

  if (place.node->kind == DocumentNode::Kind::null) {
    if (used == 0)
      return verified(
          text, {{text.size(), text.size()}, (text.empty() || text.back() == '\n' ? "" : "\n") + entry + "\n"}, wanted);
    const TextRange range = finder.range(place);
    return verified(text, {range, fmt::format("{}{{{}}}", range.begin == range.end ? " " : "", entry)}, wanted);
  }
  const TextRange range = finder.range(place);
  if (finder.opens_flow(*place.node)) {
    std::size_t at = range.end - 1;
    while (at > range.begin + 1 && (text[at - 1] == ' ' || text[at - 1] == '\n'))
      --at;
    return verified(text, {{at, at}, (place.node->entries.empty() || text[at - 1] == ',' ? "" : ", ") + entry}, wanted);
  }
  const auto indent = static_cast<std::size_t>(place.node->entries.front().column - 1);
  return verified(text, {{range.end, range.end}, "\n" + std::string(indent, ' ') + entry}, wanted);
}

TextEdit append_item_edit(const std::string& text, const std::string& path, const std::string& value)
{
  const DocumentNode root = parsed(text);
  const Finder finder{text, root};
  const auto keys = keys_of(path);
  const auto [place, used] = finder.deepest(keys);
  if (used != keys.size() || place.node->kind == DocumentNode::Kind::null ||
      (place.node->kind == DocumentNode::Kind::list && place.node->items.empty()))
    return set_value_edit(text, path, "[" + value + "]");
  if (place.node->kind != DocumentNode::Kind::list)
    throw InputError{fmt::format("'{}' is not a list", path)};
  DocumentNode wanted = root;
  mutable_at(wanted, keys, used)->items.push_back(value_node(value));
  const TextRange range = finder.range(place);
  if (finder.opens_flow(*place.node)) {
    std::size_t at = range.end - 1;
    while (at > range.begin + 1 && (text[at - 1] == ' ' || text[at - 1] == '\n'))
      --at;
    return verified(text, {{at, at}, (text[at - 1] == ',' ? " " : ", ") + value}, wanted);
  }
  return verified(text,
                  {{range.end, range.end},
                   "\n" + std::string(static_cast<std::size_t>(place.node->column - 1), ' ') + "- " + value},
                  wanted);
}

TextEdit remove_edit(const std::string& text, const std::string& path)
{
  const DocumentNode root = parsed(text);
  const Finder finder{text, root};
  const auto keys = keys_of(path);
  const auto [place, used] = finder.deepest(keys);
  if (keys.empty() || used != keys.size())
    throw InputError{fmt::format("'{}' does not exist", path)};

  DocumentNode wanted = root;
  DocumentNode* parent = mutable_at(wanted, keys, used - 1);
  const std::size_t count = parent->kind == DocumentNode::Kind::list ? parent->items.size() : parent->entries.size();
  if (parent->kind == DocumentNode::Kind::list)
    parent->items.erase(parent->items.begin() + std::stol(keys.back()));
  else
    std::erase_if(parent->entries, [&](const DocumentNode::Entry& entry) { return entry.key == keys.back(); });

  const std::string above = fmt::format("{}", fmt::join(keys.begin(), std::prev(keys.end()), "."));
  if (count == 1 && !above.empty())
    return set_value_edit(text, above, parent->kind == DocumentNode::Kind::list ? "[]" : "{}");

  TextRange range = finder.range(place);
  if (place.entry != nullptr)
    range.begin = finder.offset(place.entry->line, place.entry->column);
  if (place.in_flow) {
    std::size_t after = text.find_first_not_of(" \t", range.end);
    if (after != std::string::npos && text[after] == ',') {
      range.end = text.find_first_not_of(" \t", after + 1);
    } else {
      std::size_t comma = text.find_last_not_of(" \t\n", range.begin - 1);
      if (comma != std::string::npos && text[comma] == ',')
        range.begin = comma;
    }
    return verified(text, {range, ""}, wanted);
  }
  if (place.entry == nullptr) { // the dash before the item
    const std::size_t dash = text.rfind('-', range.begin);
    range.begin = dash == std::string::npos ? range.begin : dash;
  }
  const std::size_t begin = finder.line_begin(range.begin);
  const bool alone = text.find_first_not_of(" \t", begin) == range.begin;
  if (alone) {
    range.begin = begin;
    range.end = std::min(finder.line_end(range.end) + 1, text.size());
    return verified(text, {range, ""}, wanted);
  }
  // First entry of a map that stands behind a dash: the next entry takes its place.
  const std::size_t next = text.find_first_not_of(" \t\r\n", finder.line_end(range.end));
  range.end = next == std::string::npos ? text.size() : next;
  return verified(text, {range, ""}, wanted);
}

std::string yaml_scalar(std::string_view text)
{
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"_-./+ %$"}.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
  };
  static const std::vector<std::string_view> words{"", "~", "null", "true", "false", "yes", "no", "on", "off"};
  const bool safe = std::ranges::all_of(text, plain) && !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                    text.front() != '-' && text.front() != '%' && std::ranges::find(words, text) == words.end();
  if (safe)
    return std::string{text};
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else if (c == '\t')
      quoted += "\\t";
    else
      quoted += c;
  }
  return quoted + "\"";
}

} // namespace trainyard
