// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A condition on the cells of a row: column -> pattern; all must hold. A pattern is a text with `*` wildcards,
/// alternatives separated by
/// `|`, or a comparison `> 1`, `>= 2`, `< 3`, `<= 4`, `!= text`; "" matches an empty cell. Letters compare without
/// case.
struct RowPattern {
  std::map<std::string, std::string> columns;

  bool matches(const CsvTable& table, const CsvTable::Row& row) const;
};

/// Whether a cell matches one pattern of a RowPattern.
bool cell_matches(std::string_view cell, std::string_view pattern);

/// Overrides for the rows that a pattern matches.
struct ScoreRule {
  RowPattern where;
  std::vector<std::pair<std::string, DocumentNode>> set; // path of the scenario -> value with ${names}
};

/// A number that one row fixes: found so that the prediction of that row meets its value, or computed from its columns.
struct ScoreFit {
  std::string name;
  int line = 0; // of the table, the header is line 1
  double low = 0;
  double high = 0;
  std::string compute;                 // instead of a search
  std::string mechanism, unit, source; // what it is, in what unit, and what says so besides the row
  std::optional<double> otherwise;     // what it is without the row, from elsewhere; none: the simulator's default
  std::optional<double> data_sheet;    // the most that the data sheet allows
  Location where;
};

/// Rows that are scored together: table x strategy family x network.
struct ScoreUnit {
  std::string name;
  RowPattern where;
  std::string
      one_rate_factor; // k of the one-rate baseline as an expression over the row's columns; empty = no such baseline
  std::vector<int>
      one_rate_lines; // the row that gives its rate; of several, the first that agrees in the column `one_rate_match`
  std::string one_rate_match;
  std::string one_rate_GBps; // instead of such a row: the rate by name, as an expression over the row's columns
  RowPattern overlapped;     // rows whose one-rate prediction overlaps with the backward pass; no columns = none
  std::vector<ScoreRule> rules;
};

/// Which of two ways of training is faster: rows that agree in `match` and whose strategies are one of `pairs`.
struct ScoreDecisions {
  std::vector<std::pair<std::string, std::string>> pairs; // patterns of the column `strategy`
  std::vector<std::string> match;
};

/// How the rows of a table become scenarios (`--map`).
struct ScoreMapping {
  std::string table;
  std::vector<RowPattern> skip;                                    // not scored: derived metrics, references
  RowPattern reference;                                            // rows that give the single-GPU step
  std::vector<std::string> reference_match;                        // columns that must agree with the row
  std::map<std::string, std::map<std::string, std::string>> names; // column -> word of the table -> our word
  Document scenario;            // template; scalars may hold ${column}, ${name of a fit}, ${= expression}
  std::vector<ScoreRule> rules; // for all units
  std::vector<ScoreUnit> units;
  std::vector<ScoreFit> fits;                  // in order: later ones may use earlier ones
  std::map<std::string, std::string> defaults; // column -> what a blank or missing cell means; stated assumptions
  ScoreDecisions decisions;
  std::string step; // the measured step in s, where the table has no columns `metric` and `value`: "${step_time_s}"
  std::vector<std::string> transfer{"model", "total_gpus"}; // columns of which one value at a time is left out of fits
};

/// The table with blank cells filled by the mapping's defaults and derived columns appended: total_gpus, gpus_per_node
/// and nodes from each other, `notes_first` and `notes_last` (fields of `notes` between semicolons), `source_file`
/// (`source` without its line).
CsvTable with_defaults(CsvTable table, const ScoreMapping& mapping);

/// Reads a mapping file; faults go to @p diagnostics. `include: other.map.yaml`: what the other says counts where this
/// one is silent; units and fits of the same name replace each other, rules and `skip` add up.
ScoreMapping read_score_mapping(const Document& document, Diagnostics& diagnostics);

/// Names that a template may use, for one row.
using ScoreNames = std::map<std::string, std::string>;

/// The scenario of a row: the template with the rules of mapping and unit, names filled in. What names an unknown
/// number (nan) is left out, so that the simulator's default counts. Throws std::invalid_argument for an unknown name.
Document scenario_of_row(const ScoreMapping& mapping, const ScoreUnit& unit, const CsvTable& table,
                         const CsvTable::Row& row, const ScoreNames& names);

/// Fills ${…} in a text: names, nested names, and "= expression" over names. Throws std::invalid_argument for an
/// unknown name.
std::string fill_in(const std::string& text, const ScoreNames& names);

/// What speaks against a fitted value: an end of its range, the data sheet.
std::vector<std::string> doubts(const ScoreFit& fit, double value);

/// Throws std::invalid_argument where the model of a row's scenario is none; @p cell: what the row calls it.
void check_model(const Document& document, const std::string& cell);

} // namespace trainyard
