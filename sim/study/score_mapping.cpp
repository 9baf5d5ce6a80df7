// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score_mapping.hpp"

#include "models/core/closest.hpp"
#include "models/core/expression.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/other_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace trainyard {
namespace {

class Reader
{
public:
  Reader(const Document& document, Diagnostics& diagnostics) : document_{document}, diagnostics_{diagnostics} {}

  ScoreMapping read()
  {
    ScoreMapping mapping;
    MapReader top = map(&document_.root, "the mapping");
    mapping.table = top.required_text("table");
    mapping.step = top.text("step", "");
    for (const DocumentNode* item : top.list("skip"))
      mapping.skip.push_back(pattern(item, "'skip'"));
    MapReader reference = map(top.node("reference"), "'reference'");
    mapping.reference = pattern(reference.node("where"), "'where'");
    mapping.reference_match = reference.texts("match");
    reference.finish();
    MapReader names = map(top.node("names"), "'names'");
    for (const DocumentNode::Entry& column : names.entries()) {
      MapReader words = map(names.node(column.key), "'" + column.key + "'");
      for (const DocumentNode::Entry& word : words.entries())
        mapping.names[column.key][word.key] = words.text(word.key, "");
    }
    mapping.scenario.file = document_.file;
    if (const DocumentNode* scenario = top.node("scenario"); scenario != nullptr)
      mapping.scenario.root = *scenario;
    else
      top.error("scenario", "the mapping needs 'scenario', the template that the rows fill in");
    mapping.rules = rules(top);
    for (const DocumentNode* item : top.list("units"))
      mapping.units.push_back(unit(item));
    if (mapping.units.empty())
      top.error("units", "the mapping needs 'units', the groups of rows that are scored together");
    for (const DocumentNode* item : top.list("fits"))
      mapping.fits.push_back(fit(item));
    MapReader defaults = map(top.node("defaults"), "'defaults'");
    for (const DocumentNode::Entry& entry : defaults.entries())
      mapping.defaults[entry.key] = defaults.text(entry.key, "");
    MapReader decisions = map(top.node("decisions"), "'decisions'");
    mapping.decisions.match = decisions.texts("match");
    for (const DocumentNode* item : decisions.list("pairs")) {
      MapReader pair = map(item, "a pair");
      mapping.decisions.pairs.emplace_back(pair.required_text("a"), pair.required_text("b"));
      pair.finish();
    }
    decisions.finish();
    if (top.node("transfer") != nullptr)
      mapping.transfer = top.texts("transfer");
    top.text("include", ""); // was merged before
    top.finish();
    return mapping;
  }

private:
  MapReader map(const DocumentNode* node, const std::string& what) { return {document_, node, what, diagnostics_}; }

  RowPattern pattern(const DocumentNode* node, const std::string& what)
  {
    RowPattern result;
    MapReader reader = map(node, what);
    for (const DocumentNode::Entry& entry : reader.entries())
      result.columns[entry.key] =
          entry.value.kind == DocumentNode::Kind::null ? std::string{} : reader.text(entry.key, "");
    return result;
  }

  std::vector<ScoreRule> rules(MapReader& reader)
  {
    std::vector<ScoreRule> result;
    for (const DocumentNode* item : reader.list("rules")) {
      MapReader rule = map(item, "a rule");
      result.push_back({pattern(rule.node("where"), "'where'"), overrides(rule)});
      rule.finish();
    }
    return result;
  }

  std::vector<std::pair<std::string, DocumentNode>> overrides(MapReader& reader)
  {
    std::vector<std::pair<std::string, DocumentNode>> result;
    MapReader set = map(reader.node("set"), "'set'");
    for (const DocumentNode::Entry& entry : set.entries())
      result.emplace_back(entry.key, entry.value);
    return result;
  }

  ScoreUnit unit(const DocumentNode* node)
  {
    MapReader reader = map(node, "a unit");
    ScoreUnit result;
    result.name = reader.required_text("name");
    result.where = pattern(reader.node("where"), "'where'");
    MapReader rate = map(reader.node("one_rate"), "'one_rate'");
    result.one_rate_factor = rate.text("factor", "");
    if (rate.node("line") != nullptr)
      result.one_rate_lines.push_back(rate.integer("line", 0, 2));
    for (const std::string& line : rate.texts("lines"))
      result.one_rate_lines.push_back(static_cast<int>(as_number<double>(line).value_or(0)));
    result.one_rate_match = rate.text("match", "");
    result.one_rate_GBps = rate.text("rate", "");
    result.overlapped = pattern(rate.node("overlapped"), "'overlapped'");
    rate.finish();
    result.rules.push_back({{}, overrides(reader)});
    for (ScoreRule& rule : rules(reader))
      result.rules.push_back(std::move(rule));
    reader.finish();
    return result;
  }

  ScoreFit fit(const DocumentNode* node)
  {
    MapReader reader = map(node, "a fit");
    ScoreFit result;
    result.where = document_.at(*node);
    result.name = reader.required_text("name");
    result.line = reader.required_integer("line", 2);
    result.compute = reader.text("compute", "");
    result.mechanism = reader.text("mechanism", "");
    result.unit = reader.text("unit", "");
    result.source = reader.text("source", "");
    if (reader.node("otherwise") != nullptr)
      result.otherwise = reader.number("otherwise", 0);
    if (reader.node("data_sheet") != nullptr)
      result.data_sheet = reader.number("data_sheet", 0);
    if (result.mechanism.empty() || result.unit.empty())
      diagnostics_.warning(document_.at(*node),
                           "the fit '" + result.name + "' does not say what it is: write 'mechanism' and 'unit'");
    if (result.compute.empty()) {
      result.low = reader.number("low", 0);
      result.high = reader.number("high", 0);
      if (!(result.low < result.high))
        reader.error("high", "a fit needs 'low' and 'high' with low < high, or 'compute'");
    }
    reader.finish();
    return result;
  }

  const Document& document_;
  Diagnostics& diagnostics_;
};

/// A scalar that was filled with a number that is not known.
bool names_no_number(const DocumentNode& node)
{
  if (node.kind != DocumentNode::Kind::scalar)
    return false;
  const std::string& text = node.text;
  return text == "nan" || text == "-nan" || text.starts_with("nan ") || text.starts_with("-nan ");
}

void leave_out_unknown(DocumentNode& node)
{
  std::erase_if(node.items, names_no_number);
  std::erase_if(node.entries, [](const DocumentNode::Entry& entry) { return names_no_number(entry.value); });
  for (DocumentNode& item : node.items)
    leave_out_unknown(item);
  for (DocumentNode::Entry& entry : node.entries)
    leave_out_unknown(entry.value);
}

void fill(DocumentNode& node, const ScoreNames& names)
{
  if (node.kind == DocumentNode::Kind::scalar && node.text.find("${") != std::string::npos) {
    const std::string filled = fill_in(node.text, names);
    Diagnostics ignored;
    // A value that fills in to a list or a map becomes one.
    if (filled.starts_with('[') || filled.starts_with('{'))
      node = parse_document(filled, "", ignored).root;
    else {
      node.text = filled;
      node.quoted = false;
    }
  }
  for (DocumentNode& item : node.items)
    fill(item, names);
  for (DocumentNode::Entry& entry : node.entries)
    fill(entry.value, names);
}

char lower(char c)
{
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// `*` stands for any text; recursion is bounded by the number of stars.
bool glob(std::string_view text, std::string_view pattern)
{
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] != '*' && lower(pattern[p]) == lower(text[t])) {
      ++t;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

std::string_view cell_text(std::string_view text)
{
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text)
{
  return as_number<double>(cell_text(text));
}

} // namespace

namespace {

const std::string* name_of(const DocumentNode& node)
{
  const DocumentNode* name = node.find("name");
  return name == nullptr ? nullptr : &name->text;
}

/// What @p ours says, over what @p theirs says.
DocumentNode merged(const DocumentNode& theirs, const DocumentNode& ours)
{
  DocumentNode result = ours;
  if (theirs.kind == DocumentNode::Kind::map && ours.kind == DocumentNode::Kind::map) {
    result.entries = theirs.entries;
    for (const DocumentNode::Entry& entry : ours.entries) {
      const auto same = std::ranges::find(result.entries, entry.key, &DocumentNode::Entry::key);
      if (same == result.entries.end())
        result.entries.push_back(entry);
      else
        same->value = merged(same->value, entry.value);
    }
  } else if (theirs.kind == DocumentNode::Kind::list && ours.kind == DocumentNode::Kind::list) {
    result.items = theirs.items;
    for (const DocumentNode& item : ours.items) {
      const std::string* name = name_of(item);
      const auto same = std::ranges::find_if(result.items, [&](const DocumentNode& other) {
        return name != nullptr && name_of(other) != nullptr && *name_of(other) == *name;
      });
      if (same == result.items.end())
        result.items.push_back(item);
      else
        *same = item;
    }
  }
  return result;
}

Document with_included(const Document& document, Diagnostics& diagnostics, int depth)
{
  const DocumentNode* include = document.root.find("include");
  if (include == nullptr || include->kind != DocumentNode::Kind::scalar)
    return document;
  const std::filesystem::path file = std::filesystem::path{document.file}.parent_path() / include->text;
  constexpr int deepest = 8;
  if (depth > deepest) {
    document.error(diagnostics, *include, "mappings include each other: '" + file.string() + "'");
    return document;
  }
  const Document other = with_included(read_document(file.string(), diagnostics), diagnostics, depth + 1);
  Document result = document;
  result.root = merged(other.root, document.root);
  return result;
}

} // namespace

ScoreMapping read_score_mapping(const Document& document, Diagnostics& diagnostics)
{
  const Document whole = with_included(document, diagnostics, 0);
  return Reader{whole, diagnostics}.read();
}

CsvTable with_defaults(CsvTable table, const ScoreMapping& mapping)
{
  const auto place = [&](const std::string& name) {
    if (const auto found = table.column(name))
      return *found;
    table.columns.push_back(name);
    for (CsvTable::Row& row : table.rows)
      row.cells.emplace_back();
    return table.columns.size() - 1;
  };
  for (const auto& [name, value] : mapping.defaults) {
    const std::size_t column = place(name);
    for (CsvTable::Row& row : table.rows)
      if (row.cells[column].empty())
        row.cells[column] = value;
  }
  if (!mapping.step.empty()) {
    const std::size_t metric = place("metric"), value = place("value");
    for (CsvTable::Row& row : table.rows) {
      ScoreNames names;
      for (const std::string& name : table.columns)
        names[name] = table.cell(row, name);
      row.cells[metric] = "step_time_s";
      row.cells[value] = fill_in(mapping.step, names);
    }
  }
  const std::size_t total = place("total_gpus"), per_node = place("gpus_per_node"), nodes = place("nodes");
  const std::size_t first = place("notes_first"), last = place("notes_last"), file = place("source_file");
  const auto trimmed = [](std::string text) {
    while (!text.empty() && text.back() == ' ')
      text.pop_back();
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
  };
  for (CsvTable::Row& row : table.rows) {
    std::optional<double> g = as_number<double>(row.cells[total]), k = as_number<double>(row.cells[per_node]),
                          n = as_number<double>(row.cells[nodes]);
    if (g && *g <= 0) // rows of CPU workers count their nodes
      g = n ? std::optional{*n * k.value_or(1)} : std::nullopt;
    if (!g && n)
      g = *n * k.value_or(1);
    if (!g)
      g = k.value_or(1);
    if (!n)
      n = k && *k > 0 ? std::ceil(*g / *k) : 1;
    if (!k)
      k = std::ceil(*g / std::max(*n, 1.0));
    row.cells[total] = fmt::format("{:g}", *g);
    row.cells[per_node] = fmt::format("{:g}", *k);
    row.cells[nodes] = fmt::format("{:g}", *n);
    const std::string notes = table.cell(row, "notes"), source = table.cell(row, "source");
    row.cells[first] = trimmed(notes.substr(0, notes.find(';')));
    row.cells[last] = trimmed(notes.substr(notes.rfind(';') + 1));
    row.cells[file] = source.substr(0, source.rfind(':'));
  }
  return table;
}

std::string fill_in(const std::string& text, const ScoreNames& names)
{
  std::string result = text;
  for (int guard = 0; guard < 100; ++guard) {
    const std::size_t begin = result.rfind("${"); // the innermost or last one
    if (begin == std::string::npos)
      return result;
    const std::size_t end = result.find('}', begin);
    if (end == std::string::npos)
      throw std::invalid_argument{"'${' without '}' in '" + text + "'"};
    const std::string inside = result.substr(begin + 2, end - begin - 2);
    std::string value;
    if (inside.starts_with('=')) {
      value = fmt::format("{:.12g}", evaluate(inside.substr(1), [&](const std::string& name) -> std::optional<double> {
                            const auto found = names.find(name);
                            return found == names.end() ? std::nullopt : as_number<double>(found->second);
                          }));
    } else if (const auto found = names.find(inside); found != names.end()) {
      value = found->second;
    } else {
      throw std::invalid_argument{"unknown name '" + inside + "'" + did_you_mean(inside, keys_of(names))};
    }
    result.replace(begin, end - begin + 1, value);
  }
  throw std::invalid_argument{"names in '" + text + "' refer to each other"};
}

Document scenario_of_row(const ScoreMapping& mapping, const ScoreUnit& unit, const CsvTable& table,
                         const CsvTable::Row& row, const ScoreNames& names)
{
  Document document = mapping.scenario;
  for (const std::vector<ScoreRule>* rules : {&mapping.rules, &unit.rules})
    for (const ScoreRule& rule : *rules)
      if (rule.where.matches(table, row))
        for (const auto& [path, value] : rule.set) {
          DocumentNode filled = value;
          fill(filled, names);
          if (!names_no_number(filled))
            set_path(document, path, filled);
        }
  fill(document.root, names);
  leave_out_unknown(document.root);
  return document;
}

std::vector<std::string> doubts(const ScoreFit& fit, double value)
{
  std::vector<std::string> found;
  if (fit.compute.empty() && (value == fit.low || value == fit.high) && fit.low != 0)
    found.push_back(fmt::format(
        "'{}' ended at an end of its range ({:g} to {:g}): its row does not fix it, or something else decides there",
        fit.name, fit.low, fit.high));
  if (fit.data_sheet && value > *fit.data_sheet)
    found.push_back(fmt::format("'{}' is {:.4g}, more than the data sheet allows ({:g} {}): the row, or what the "
                                "mapping says of the machine, is another's",
                                fit.name, value, *fit.data_sheet, fit.unit));
  return found;
}

void check_model(const Document& document, const std::string& cell)
{
  const DocumentNode* model = find_path(document.root, "jobs.0.model");
  if (model != nullptr && model->kind == DocumentNode::Kind::map) {
    if (const DocumentNode* layers = model->find("layers");
        layers != nullptr && layers->kind == DocumentNode::Kind::list)
      return; // a network of its own, whatever its name
    model = model->find("name");
  }
  if (model == nullptr || model->kind != DocumentNode::Kind::scalar || !model_meant(model->text).name.empty() ||
      model->text.find('.') != std::string::npos)
    return; // a file says itself what is wrong with it
  throw std::invalid_argument{
      fmt::format("unknown model '{}'{}; map it to a network: names: {{model: {{\"{}\": resnet50}}}}", model->text,
                  did_you_mean(model->text, Registry<DnnSource>::instance().names()), cell)};
}

bool cell_matches(std::string_view cell, std::string_view pattern)
{
  const std::string_view wanted = cell_text(pattern);
  for (const std::string_view sign : {">=", "<=", "!=", ">", "<"}) {
    if (!wanted.starts_with(sign))
      continue;
    const std::string_view operand = cell_text(wanted.substr(sign.size()));
    if (sign == "!=")
      return !cell_matches(cell, operand);
    const std::optional<double> left = number(cell);
    const std::optional<double> right = number(operand);
    if (!left || !right)
      return false;
    return sign == ">="   ? *left >= *right
           : sign == "<=" ? *left <= *right
           : sign == ">"  ? *left > *right
                          : *left < *right;
  }
  std::size_t begin = 0;
  for (;;) {
    const std::size_t bar = wanted.find('|', begin);
    if (glob(cell, cell_text(wanted.substr(begin, bar - begin))))
      return true;
    if (bar == std::string_view::npos)
      return false;
    begin = bar + 1;
  }
}

bool RowPattern::matches(const CsvTable& table, const CsvTable::Row& row) const
{
  return std::ranges::all_of(
      columns, [&](const auto& condition) { return cell_matches(table.cell(row, condition.first), condition.second); });
}

} // namespace trainyard
