// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/document.hpp"

#include "models/core/closest.hpp"
#include "models/core/regular_file.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/yaml_faults.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace trainyard {
namespace {

std::vector<std::string> split_lines(const std::string& text)
{
  std::vector<std::string> lines;
  lines.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const bool carriage_return = end > begin && text[end - 1] == '\r';
    lines.emplace_back(text, begin, end - begin - (carriage_return ? 1 : 0));
    begin = end + 1;
  }
  return lines;
}

/// Notes where documents begin, and forgets what they say.
class DocumentStarts final : public YAML::EventHandler
{
public:
  void OnDocumentStart(const YAML::Mark& mark) override { start = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  YAML::Mark start;
};

/// Where a second document begins, if there is one. YAML::LoadAll would not end for a text such as ",", which yaml-cpp
/// takes for documents without content, one after the other at the same place.
std::optional<YAML::Mark> second_document(const std::string& text)
{
  std::istringstream stream{text};
  YAML::Parser parser{stream};
  DocumentStarts documents;
  if (parser.HandleNextDocument(documents) && parser.HandleNextDocument(documents))
    return documents.start;
  return std::nullopt;
}

/// Copies yaml-cpp's tree into ours.
class Converter
{
public:
  Converter(Document& document, Diagnostics& diagnostics) : document_{document}, diagnostics_{diagnostics} {}

  DocumentNode convert(const YAML::Node& node)
  {
    DocumentNode result;
    result.line = node.Mark().line + 1;
    result.column = node.Mark().column + 1;
    if (++nodes_ > largest_document_nodes) {
      if (nodes_ == largest_document_nodes + 1)
        document_.error(diagnostics_, result,
                        fmt::format("the file expands to more than {} values; its aliases repeat each other",
                                    largest_document_nodes));
      return result;
    }
    const Depth inside{depth_};
    if (depth_ > deepest) {
      if (!too_deep_)
        document_.error(
            diagnostics_, result,
            fmt::format("values are nested more than {} levels deep; perhaps an alias contains itself", deepest));
      too_deep_ = true;
      return result;
    }
    if (too_deep_)
      return result;
    switch (node.Type()) {
    case YAML::NodeType::Scalar:
      result.kind = DocumentNode::Kind::scalar;
      result.text = node.Scalar();
      result.quoted = node.Tag() == "!";
      if (quote_stays_open(*document_.lines, result.line, result.column))
        document_.error(diagnostics_, result, "this quote is never closed; end the text with the same quote");
      if (!result.quoted && (result.text.empty() || result.text == "~" || result.text == "null"))
        result.kind = DocumentNode::Kind::null;
      break;
    case YAML::NodeType::Sequence:
      result.kind = DocumentNode::Kind::list;
      for (const YAML::Node& item : node)
        result.items.push_back(convert(item));
      break;
    case YAML::NodeType::Map:
      result.kind = DocumentNode::Kind::map;
      add_entries(node, result);
      break;
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      break;
    }
    return result;
  }

private:
  static constexpr int deepest = 100; // scenarios need about eight levels
  using LinesOfKeys = std::unordered_map<std::string, int>;

  struct Depth {
    explicit Depth(int& count) : depth{count} { ++depth; }
    ~Depth() { --depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth;
  };

  /// The keys of the map that `<<` names, or of a list of maps, where the map does not give them itself.
  /// Source: https://yaml.org/type/merge.html
  void merge(const DocumentNode& other, const DocumentNode::Entry& place, LinesOfKeys& keys, DocumentNode& result)
  {
    if (other.kind == DocumentNode::Kind::list) {
      for (const DocumentNode& map : other.items)
        merge(map, place, keys, result);
    } else if (other.kind == DocumentNode::Kind::map) {
      for (const DocumentNode::Entry& entry : other.entries)
        if (keys.emplace(entry.key, entry.line).second)
          result.entries.push_back(entry);
    } else {
      document_.error(diagnostics_, place,
                      "'<<' merges maps: write '<<: *name', where '&name' marks a map, or a list of such names");
    }
  }

  void add_entries(const YAML::Node& node, DocumentNode& result)
  {
    DocumentNode::Entry merged;
    LinesOfKeys keys;
    for (const auto& pair : node) {
      DocumentNode::Entry entry;
      entry.line = pair.first.Mark().line + 1;
      entry.column = pair.first.Mark().column + 1;
      if (!pair.first.IsScalar()) {
        document_.error(diagnostics_, entry, "a key must be a plain word");
        continue;
      }
      entry.key = pair.first.Scalar();
      if (entry.key == "<<" && pair.first.Tag() != "!") {
        if (!merged.key.empty()) {
          document_.error(diagnostics_, entry, "'<<' is given twice; write one list: '<<: [*a, *b]'");
          continue;
        }
        entry.value = convert(pair.second);
        merged = std::move(entry);
        continue;
      }
      const auto [first, fresh] = keys.emplace(entry.key, 0);
      if (!fresh) {
        document_.error(diagnostics_, entry,
                        fmt::format("duplicate key '{}'; it is already given in line {}", entry.key, first->second));
        continue;
      }
      entry.value = convert(pair.second);
      if (entry.value.kind == DocumentNode::Kind::null && entry.value.line != entry.line) {
        // No value: yaml-cpp gives no place, or that of what comes next.
        entry.value.line = entry.line;
        entry.value.column = entry.column;
      }
      first->second = entry.value.line;
      result.entries.push_back(std::move(entry));
    }
    if (!merged.key.empty() && !too_deep_)
      merge(merged.value, merged, keys, result);
  }

  Document& document_;
  Diagnostics& diagnostics_;
  std::size_t nodes_ = 0;
  int depth_ = 0;
  bool too_deep_ = false;
};

std::vector<std::string> split_path(std::string_view path)
{
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t dot = path.find('.', begin);
    parts.emplace_back(path.substr(begin, dot - begin));
    if (dot == std::string_view::npos)
      return parts;
    begin = dot + 1;
  }
}

std::string json_string(std::string_view text)
{
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + '"';
}

/// A plain JSON number, or nothing: `010`, `1_000`, `.5`, `inf` stay texts.
bool is_json_number(std::string_view text)
{
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const std::size_t digits = i;
  while (i < text.size() && text[i] >= '0' && text[i] <= '9')
    ++i;
  if (i == digits || (text[digits] == '0' && i > digits + 1))
    return false;
  if (i < text.size() && text[i] == '.') {
    const std::size_t fraction = ++i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9')
      ++i;
    if (i == fraction)
      return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-'))
      ++i;
    const std::size_t exponent = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9')
      ++i;
    if (i == exponent)
      return false;
  }
  const std::optional<double> value = as_number<double>(text);
  return i == text.size() && value && std::isfinite(*value);
}

void collect(const std::string& path, const DocumentNode* a, const DocumentNode* b,
             std::vector<DocumentDifference>& result)
{
  using Kind = DocumentNode::Kind;
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (a != nullptr && b != nullptr && a->kind == b->kind && a->kind == Kind::map) {
    for (const DocumentNode::Entry& entry : a->entries)
      collect(below(entry.key), &entry.value, b->find(entry.key), result);
    for (const DocumentNode::Entry& entry : b->entries)
      if (a->find(entry.key) == nullptr)
        collect(below(entry.key), nullptr, &entry.value, result);
    return;
  }
  if (a != nullptr && b != nullptr && a->kind == b->kind && a->kind == Kind::list) {
    for (std::size_t i = 0; i < std::max(a->items.size(), b->items.size()); ++i)
      collect(below(std::to_string(i)), i < a->items.size() ? &a->items[i] : nullptr,
              i < b->items.size() ? &b->items[i] : nullptr, result);
    return;
  }
  const std::string before = a == nullptr ? "" : to_flow_yaml(*a);
  const std::string after = b == nullptr ? "" : to_flow_yaml(*b);
  if (before != after)
    result.push_back({path, before, after});
}

} // namespace

const DocumentNode* DocumentNode::find(std::string_view key) const
{
  for (const Entry& entry : entries)
    if (entry.key == key)
      return &entry.value;
  return nullptr;
}

DocumentNode* DocumentNode::find(std::string_view key)
{
  return const_cast<DocumentNode*>(
      std::as_const(*this).find(key)); // NOLINT(cppcoreguidelines-pro-type-const-cast): same object, not const here
}

std::string_view Document::line_text(int line) const
{
  return lines != nullptr && line >= 1 && static_cast<std::size_t>(line) <= lines->size()
             ? std::string_view{(*lines)[static_cast<std::size_t>(line) - 1]}
             : std::string_view{};
}

void Document::error(Diagnostics& diagnostics, const DocumentNode& node, std::string message) const
{
  diagnostics.error(at(node), std::move(message), line_text(node.line));
}

void Document::error(Diagnostics& diagnostics, const DocumentNode::Entry& entry, std::string message) const
{
  diagnostics.error({file, entry.line, entry.column}, std::move(message), line_text(entry.line));
}

void Document::warning(Diagnostics& diagnostics, const DocumentNode::Entry& entry, Message message) const
{
  diagnostics.warning({file, entry.line, entry.column}, std::move(message), line_text(entry.line));
}

Document parse_document(const std::string& whole, const std::string& file, Diagnostics& diagnostics)
{
  const bool marked = whole.starts_with("\xEF\xBB\xBF"); // byte-order mark of some editors: no part of the text
  const std::string unmarked = marked ? whole.substr(3) : std::string{};
  const std::string& text = marked ? unmarked : whole;
  Document document;
  document.file = file;
  if (text.size() > largest_document_bytes) {
    diagnostics.error(
        {file, 0, 0},
        fmt::format("the file has {} MB; a scenario may have at most {} MB. Put long job lists into a trace file",
                    text.size() / 1'000'000, largest_document_bytes / 1'000'000));
    return document;
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    diagnostics.error({file, 0, 0}, "the file is UTF-16 text; save it as UTF-8");
    return document;
  }
  if (text.find('\0') != std::string::npos) {
    diagnostics.error({file, 0, 0}, "this is a binary file, not YAML text");
    return document;
  }
  document.lines = std::make_shared<const std::vector<std::string>>(split_lines(text));
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    const int line =
        static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n')) + 1;
    diagnostics.error({file, line, 0}, "this line is not UTF-8 text; save the file as UTF-8");
    return document;
  }
  try {
    const YAML::Node root = YAML::Load(text);
    // A map in block style ends with the text or at a marker of documents. Everything else is read again: a second pass
    // takes time.
    const bool one = root.IsMap() && root.Style() == YAML::EmitterStyle::Block &&
                     text.find("---") == std::string::npos && text.find("...") == std::string::npos;
    if (const auto second = one ? std::nullopt : second_document(text); second && second->pos == 0)
      diagnostics.error({file, 1, 1}, "a YAML document cannot begin with this character", document.line_text(1));
    else if (second)
      diagnostics.error({file, second->line + 1, 0}, "a second YAML document begins here; a scenario is one document");
    document.root = Converter{document, diagnostics}.convert(root);
  } catch (const YAML::ParserException& fault) {
    const YamlFault cause = likely_cause({fault.mark.line + 1, fault.mark.column + 1, fault.msg}, *document.lines);
    diagnostics.error({file, cause.line, cause.column}, cause.message, document.line_text(cause.line));
  } catch (const YAML::Exception& fault) {
    diagnostics.error({file, fault.mark.line + 1, fault.mark.column + 1}, fault.msg,
                      document.line_text(fault.mark.line + 1));
  }
  return document;
}

std::string read_text_file(const std::filesystem::path& file, std::size_t limit)
{
  check_regular_file(file);
  errno = 0;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> stream{std::fopen(file.c_str(), "rb"), std::fclose};
  if (stream == nullptr)
    throw InputError{"cannot read '" + file.string() + "': " + std::strerror(errno)};
  std::setvbuf(stream.get(), nullptr, _IONBF, 0);
  constexpr std::size_t first_piece = 1U << 12U, largest_piece = 1U << 20U; // most files are small
  std::string text;
  for (std::size_t piece = first_piece;; piece = std::min(2 * piece, largest_piece)) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    const std::size_t read = std::fread(text.data() + before, 1, piece, stream.get());
    text.resize(before + read);
    if (text.size() > limit)
      throw InputError{fmt::format("'{}' is larger than {} MB, the largest file that is read here", file.string(),
                                   limit / 1'000'000)};
    if (read < piece)
      return text;
  }
}

Document read_document(const std::filesystem::path& file, Diagnostics& diagnostics)
{
  try {
    return parse_document(read_text_file(file, largest_document_bytes), file.string(), diagnostics);
  } catch (const InputError& fault) {
    for (const Diagnostic& diagnostic : fault.diagnostics())
      diagnostics.add(diagnostic);
  }
  Document empty;
  empty.file = file.string();
  return empty;
}

const DocumentNode* find_path(const DocumentNode& root, std::string_view path)
{
  const DocumentNode* node = &root;
  for (;;) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    if (node->kind == DocumentNode::Kind::list) {
      const std::optional<std::size_t> index = as_number<std::size_t>(part);
      node = index && *index < node->items.size() ? &node->items[*index] : nullptr;
    } else {
      node = node->find(part);
    }
    if (node == nullptr || dot == std::string_view::npos)
      return node;
    path.remove_prefix(dot + 1);
  }
}

namespace {

/// For somebody who named an item of a list by its name.
std::string number_of_name(const DocumentNode& list, const std::string& name)
{
  for (std::size_t i = 0; i < list.items.size(); ++i)
    if (const DocumentNode* own = list.items[i].find("name"); own != nullptr && own->text == name)
      return fmt::format("; '{}' is item {}", name, i);
  return {};
}

} // namespace

void set_path(Document& document, const std::string& path, const DocumentNode& value)
{
  DocumentNode* node = &document.root;
  std::string walked;
  for (const std::string& part : split_path(path)) {
    if (part.empty())
      throw InputError{"the path '" + path + "' has an empty part; write it like jobs.0.training.servers"};
    if (node->kind == DocumentNode::Kind::list) {
      const std::optional<std::size_t> index = as_number<std::size_t>(part);
      if (!index || *index >= node->items.size())
        throw InputError{fmt::format("'{}' in the path '{}': {} has the items 0 to {}{}", part, path,
                                     walked.empty() ? "the file" : walked, static_cast<long>(node->items.size()) - 1,
                                     number_of_name(*node, part))};
      node = &node->items[*index];
    } else {
      if (node->kind == DocumentNode::Kind::null)
        node->kind = DocumentNode::Kind::map;
      if (node->kind != DocumentNode::Kind::map)
        throw InputError{
            fmt::format("the path '{}' goes through '{}', which is the value {}", path, walked, to_flow_yaml(*node))};
      DocumentNode* next = node->find(part);
      if (next == nullptr) {
        node->entries.push_back({part, value.line, value.column, {}});
        next = &node->entries.back().value;
      }
      node = next;
    }
    walked += (walked.empty() ? "" : ".") + part;
  }
  const int line = node->line;
  const int column = node->column;
  *node = value;
  if (node->line == 0) {
    node->line = line;
    node->column = column;
  }
}

void set_path(Document& document, const std::string& path, const std::string& value)
{
  Diagnostics diagnostics;
  Document parsed = parse_document(value, "--set " + path, diagnostics);
  diagnostics.throw_if_errors();
  const auto forget = [](auto&& self, DocumentNode& node) -> void {
    node.line = node.column = 0;
    for (DocumentNode& item : node.items)
      self(self, item);
    for (DocumentNode::Entry& entry : node.entries) {
      entry.line = entry.column = 0;
      self(self, entry.value);
    }
  };
  forget(forget, parsed.root);
  set_path(document, path, parsed.root);
}

std::string to_json(const DocumentNode& node)
{
  std::string result;
  switch (node.kind) {
  case DocumentNode::Kind::null:
    return "null";
  case DocumentNode::Kind::scalar:
    if (!node.quoted && (node.text == "true" || node.text == "false" || is_json_number(node.text)))
      return node.text;
    return json_string(node.text);
  case DocumentNode::Kind::list:
    for (const DocumentNode& item : node.items)
      result += (result.empty() ? "" : ",") + to_json(item);
    return "[" + result + "]";
  case DocumentNode::Kind::map:
    for (const DocumentNode::Entry& entry : node.entries)
      result += (result.empty() ? "" : ",") + json_string(entry.key) + ":" + to_json(entry.value);
    return "{" + result + "}";
  }
  return result;
}

std::string to_flow_yaml(const DocumentNode& node)
{
  std::string result;
  switch (node.kind) {
  case DocumentNode::Kind::null:
    return "null";
  case DocumentNode::Kind::scalar: {
    const bool plain = !node.quoted && !node.text.empty() &&
                       node.text.find_first_of(":#?,[]{}&*!|>'\"%@`\n\t\\") == std::string::npos &&
                       node.text.front() != '-' && node.text.front() != ' ' && node.text.back() != ' ';
    return plain || (!node.quoted && is_json_number(node.text)) ? node.text : json_string(node.text);
  }
  case DocumentNode::Kind::list:
    for (const DocumentNode& item : node.items)
      result += (result.empty() ? "" : ", ") + to_flow_yaml(item);
    return "[" + result + "]";
  case DocumentNode::Kind::map:
    for (const DocumentNode::Entry& entry : node.entries)
      result += (result.empty() ? "" : ", ") +
                (entry.key.find_first_of(":#,[]{}'\" ") == std::string::npos ? entry.key : json_string(entry.key)) +
                ": " + to_flow_yaml(entry.value);
    return "{" + result + "}";
  }
  return result;
}

std::vector<DocumentDifference> difference(const DocumentNode& a, const DocumentNode& b)
{
  std::vector<DocumentDifference> result;
  collect("", &a, &b, result);
  return result;
}

} // namespace trainyard
