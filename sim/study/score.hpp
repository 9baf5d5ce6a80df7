// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/csv.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/results/model_error.hpp"
#include "sim/study/score_mapping.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Errors of one unit (table x strategy family x network), in percent of the measured step time.
struct ErrorSummary {
  int n = 0;
  double median = 0;
  double p90 = 0; // linear interpolation between order statistics (type 7, as numpy)
  double mean = 0;
};

/// NaN entries are left out.
ErrorSummary summarise(std::vector<double> errors_pct);

/// |predicted / measured - 1| in % of step time.
double error_pct(double predicted_step, double measured_step);

/// Prediction of one row of the table.
struct ScoredRow {
  std::size_t row = 0; // of the table
  std::string unit;
  double measured_step = 0; // s; NaN where the value is blank
  double predicted_step = 0;
  double predicted = 0;                      // in the row's metric
  double error_pct = 0;                      // signed, of the step time; NaN where there is no value
  double names_only_error_pct = 0;           // signed, with nothing fitted (ScoreOptions::transfer); else NaN
  double linear_step = 0, one_rate_step = 0; // baselines; NaN where not defined
  AnswerKind kind;
  bool calibration = false;
  std::string fault; // why there is no prediction
  std::string use;   // scored, predicted, calibration, reference, skipped, not predicted
};

struct UnitScore {
  std::string unit;
  ErrorSummary model, linear, one_rate;
  int constants = 0; // fitted on a row of the unit
  /// With ScoreOptions::transfer: nothing fitted; and each row with constants that were fitted without its own model,
  /// without more than 8 GPUs, … (ScoreMapping::transfer), one column at a time.
  ErrorSummary names_only, transfer;
};

/// Pairs of rows whose faster one is decided (more than 5 % apart), and how often it is named correctly.
struct DecisionScore {
  int pairs = 0, decided = 0, first_wins = 0; // of `decided`, the measured winner is `a`
  int right = 0, one_rate_right = 0;
  std::vector<std::string> wrong; // one line each
};

struct ScoreResult {
  std::string table;
  std::vector<ScoredRow> rows;
  std::vector<UnitScore> units;
  std::vector<std::pair<std::string, double>> parameters; // what the calibration rows fixed
  std::string fidelity;
  std::string calibration; // name of the profile, empty = none
  DecisionScore decisions;
  std::vector<std::string> warnings; // fits that ended at an end of their range, and what scenarios of rows contradict
};

struct ScoreOptions {
  bool transfer = false; // also what the constants are worth on what they were not fitted on
  std::string fidelity;  // overrides the mapping's
  /// A calibration file (absolute path) for every row: its constants take the place of the catalogue's, as
  /// `calibration:` of a scenario does. What the table's reference rows and the mapping itself say still wins. Rows
  /// whose nodes have other GPUs than it measured are not predicted.
  std::string calibration;
  /// Gets the scenario that a row becomes, with the line of the row, before it is predicted.
  std::function<void(int line, const Document& scenario)> scenario;
  /// (done, total); may throw to stop.
  std::function<void(std::size_t, std::size_t)> progress;
  /// Multiplies fitted parameters, by name, after the fit: to see what the score depends on.
  std::map<std::string, double> factors;
};

/// How often the predictions of @p rows name the faster of two strategies that @p rule compares, for the same network
/// and size.
DecisionScore decisions(const CsvTable& table, const ScoreDecisions& rule, const std::vector<ScoredRow>& rows);

/// Predicts every row of @p table that the mapping covers. Rows of @p references (or of the table itself) give the
/// single-GPU steps and calibrations.
///
/// Columns as in the published tables: batch_per_gpu, total_gpus, metric, value…; a row with a blank value is predicted
/// all the same. Never reads the value of a row but for its error, the reference rows and the rows that `fits` name.
/// Throws InputError for faults of mapping and table.
ScoreResult score(const CsvTable& table, const CsvTable& references, const ScoreMapping& mapping,
                  const Catalogue& catalogue, const ScoreOptions& options);

/// The finite number that a text begins with: "8 x" is 8; empty where there is none.
std::optional<double> leading_number(const std::string& text);

/// The number in a column of a measured row; @p fallback where the cell has none or there is no such column.
double column(const CsvTable& table, const CsvTable::Row& row, std::string_view name, double fallback);

/// The value of a formula over the columns of a measured row, such as 2*(total_gpus-1)/total_gpus; NaN where it has
/// none.
double formula(const std::string& expression, const CsvTable& table, const CsvTable::Row& row);

/// "[worker-0, worker-0, worker-1]": as often as each digit says for a placement such as 21, or `gpus_per_node` on each
/// machine.
std::string placement_nodes(const CsvTable& table, const CsvTable::Row& row);

/// Step time in s of a measured row: batch x GPUs / throughput, or the time as printed; empty where the value is blank
/// or the metric is none of a step.
std::optional<double> measured_step(const CsvTable& table, const CsvTable::Row& row);

/// A step time in s as the metric of the row has it: throughput, bus bandwidth or time. The way back of
/// measured_step().
double in_metric(const CsvTable& table, const CsvTable::Row& row, double step);

/// The rows of all @p tables, with the columns of all; a cell that a table lacks is empty. Lines go on from file to
/// file: the header of the second is the line after the last of the first.
CsvTable one_below_the_other(const std::vector<CsvTable>& tables);

} // namespace trainyard
