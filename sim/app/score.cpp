// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/profile.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/study/measured_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace trainyard::app {
namespace {

std::string cell(double value, const char* format = "{:.6g}")
{
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : std::string{};
}

/// The same rows with predicted, error_pct and fidelity behind them. @p transfer: and the prediction with nothing
/// fitted.
std::string predictions_csv(const CsvTable& table, const ScoreResult& result, bool transfer)
{
  std::string text;
  for (const std::string& name : table.columns)
    text += csv_text(name) + ",";
  text += fmt::format("predicted,error_pct,{}fidelity,unit,use\n", transfer ? "names_only_error_pct," : "");
  for (const ScoredRow& row : result.rows) {
    for (const std::string& value : table.rows[row.row].cells)
      text += csv_text(value) + ",";
    text += fmt::format("{},{},{}{},{},{}\n", cell(row.predicted), cell(row.error_pct, "{:.2f}"),
                        transfer ? cell(row.names_only_error_pct, "{:.2f}") + "," : "", result.fidelity,
                        csv_text(row.unit), csv_text(row.use));
  }
  return text;
}

std::string summary(const CsvTable& table, const ScoreResult& result)
{
  std::vector<std::vector<TableCell>> rows;
  const auto triple = [](const ErrorSummary& errors) {
    return errors.n == 0 ? std::string{"-"}
                         : fmt::format("{:.1f} / {:.1f} / {:.1f}", errors.median, errors.p90, errors.mean);
  };
  for (const UnitScore& unit : result.units)
    rows.push_back({{unit.unit},
                    {std::to_string(unit.model.n)},
                    {triple(unit.model)},
                    {triple(unit.one_rate)},
                    {triple(unit.linear)}});
  const bool transfer =
      std::ranges::any_of(result.units, [](const UnitScore& unit) { return unit.names_only.n + unit.transfer.n > 0; });
  std::string text = fmt::format("{}: error of the step time in %, median / p90 / mean{}\n", result.table,
                                 result.calibration.empty() ? "" : "; with calibration '" + result.calibration + "'");
  if (transfer) {
    rows.clear();
    for (const UnitScore& unit : result.units)
      rows.push_back({{unit.unit},
                      {std::to_string(unit.model.n)},
                      {unit.constants == 0 ? "-" : fmt::format("{:.0f}", double(unit.model.n) / unit.constants)},
                      {triple(unit.names_only)},
                      {triple(unit.transfer)},
                      {triple(unit.model)},
                      {triple(unit.one_rate)}});
    text += table_text(
        {{"unit", false}, {"rows"}, {"rows per constant"}, {"names only"}, {"transfer"}, {"in table"}, {"one rate"}},
        rows, false);
    text += "names only: nothing fitted. transfer: each constant from rows of other models, or of at most 8 GPUs for "
            "rows of more.\n";
  } else {
    text += table_text({{"unit", false}, {"rows"}, {"Trainyard"}, {"one rate"}, {"linear"}}, rows, false);
  }
  for (const UnitScore& unit : result.units)
    if (unit.one_rate.n > 0 && (unit.model.median > unit.one_rate.median || unit.model.p90 > unit.one_rate.p90 ||
                                unit.model.mean > unit.one_rate.mean))
      text += fmt::format("{}: worse than the one-rate formula in{}{}{}\n", unit.unit,
                          unit.model.median > unit.one_rate.median ? " median" : "",
                          unit.model.p90 > unit.one_rate.p90 ? " p90" : "",
                          unit.model.mean > unit.one_rate.mean ? " mean" : "");
  for (const std::string& warning : result.warnings)
    text += "warning: " + warning + "\n";
  std::map<std::string, std::pair<int, int>> faults; // how many, first line
  for (const ScoredRow& row : result.rows)
    if (!row.fault.empty() && faults[row.fault].first++ == 0)
      faults[row.fault].second = table.rows[row.row].line;
  for (const auto& [fault, where] : faults)
    text += fmt::format("{} {} not predicted (line {} first): {}\n", where.first, where.first == 1 ? "row" : "rows",
                        where.second, fault);
  if (const DecisionScore& decisions = result.decisions; decisions.decided > 0) {
    const auto share = [&](int count) { return 100.0 * count / decisions.decided; };
    text += fmt::format("decisions: {} pairs, {} decided (more than 5 % apart; the first strategy wins {}): correct in "
                        "{} = {:.0f} %, one rate {:.0f} %\n",
                        decisions.pairs, decisions.decided, decisions.first_wins, decisions.right,
                        share(decisions.right), share(decisions.one_rate_right));
    for (const std::string& wrong : decisions.wrong)
      text += "  wrong: " + wrong + "\n";
  }
  if (!result.parameters.empty()) {
    text += "set by calibration rows:";
    for (const auto& [name, value] : result.parameters)
      text += fmt::format(" {} = {:.4g};", name, value);
    text += "\n";
  }
  return text;
}

std::string units_csv(const ScoreResult& result)
{
  std::string text = "table,unit,rows,median_pct,p90_pct,mean_pct,one_rate_median_pct,one_rate_mean_pct,linear_median_"
                     "pct,linear_mean_pct,constants,names_only_median_pct,names_only_mean_pct,transfer_median_pct,"
                     "transfer_mean_pct,one_rate_p90_pct,transfer_p90_pct\n";
  const auto high = [](const ErrorSummary& errors) {
    return errors.n == 0 ? std::string{} : fmt::format("{:.1f}", errors.p90);
  };
  const auto pair = [](const ErrorSummary& errors) {
    return errors.n == 0 ? std::string{","} : fmt::format("{:.1f},{:.1f}", errors.median, errors.mean);
  };
  for (const UnitScore& unit : result.units)
    text += fmt::format("{},{},{},{:.1f},{:.1f},{:.1f},{},{},{},{},{},{},{}\n", csv_text(result.table),
                        csv_text(unit.unit), unit.model.n, unit.model.median, unit.model.p90, unit.model.mean,
                        pair(unit.one_rate), pair(unit.linear), unit.constants, pair(unit.names_only),
                        pair(unit.transfer), high(unit.one_rate), high(unit.transfer));
  return text;
}

int run(const Arguments& arguments)
{
  Diagnostics diagnostics;
  const CsvTable table = read_csv(arguments.value("TABLE"));
  const Document map = read_document(arguments.value("--map"), diagnostics);
  diagnostics.throw_if_errors();
  const ScoreMapping mapping = read_score_mapping(map, diagnostics);
  diagnostics.throw_if_errors();
  print_diagnostics(diagnostics.sorted(), arguments);
  std::vector<CsvTable> references;
  for (const std::string& file : arguments.all("--reference"))
    references.push_back(read_csv(file));
  const CsvTable other = one_below_the_other(references);
  const Catalogue catalogue = load_catalogue(data_folder());
  ScoreOptions options;
  options.fidelity = arguments.value("--fidelity");
  options.transfer = arguments.has("--transfer");
  if (arguments.has("--calibration")) {
    const std::filesystem::path file = std::filesystem::absolute(arguments.value("--calibration"));
    const Profile profile = read_profile(file);
    for (const std::string& doubt : doubts(profile, utc_now()))
      print_note(fmt::format("warning: calibration '{}': {}", profile.name, doubt), arguments);
    options.calibration = file.string();
  }
  for (const std::string& factor : arguments.all("--factor")) {
    const std::size_t equals = std::min(factor.find('='), factor.size());
    const std::string text = factor.substr(std::min(equals + 1, factor.size()));
    const double value = as_number<double>(text).value_or(0);
    if (!(value > 0))
      throw InputError{"--factor is written NAME=FACTOR with a positive number, for example --factor rate=1.1"};
    options.factors[factor.substr(0, equals)] = value;
  }
  if (arguments.has("--scenarios")) {
    const std::filesystem::path folder = arguments.value("--scenarios");
    std::filesystem::create_directories(folder);
    options.scenario = [folder](int line, const Document& scenario) {
      write_file(folder / fmt::format("line_{}.yaml", line), to_flow_yaml(scenario.root) + "\n");
    };
  }
  ScoreResult result;
  {
    Progress progress{arguments};
    options.progress = [&](std::size_t ready, std::size_t total) { progress.report(ready, total, mapping.table); };
    result = score(table, references.empty() ? table : other, mapping, catalogue, options);
  }
  check_interrupt();
  if (arguments.has("--output")) {
    OutputFile file{arguments.value("--output")};
    file.write(predictions_csv(table, result, options.transfer));
    file.close();
  }
  if (arguments.has("--units")) {
    OutputFile file{arguments.value("--units")};
    file.write(units_csv(result));
    file.close();
  }
  print(summary(table, result));
  return std::ranges::any_of(result.rows, [](const ScoredRow& row) { return std::isfinite(row.predicted_step); })
             ? done
             : in_part;
}

[[maybe_unused]] const bool score_registered = register_command(
    {"score",
     "predict the rows of a table of measurements and compare the predictions with them",
     "The mapping file turns every row into a scenario: cluster, network, transport, framework, the row with the "
     "single-GPU step "
     "time,\nand the one row that calibrates the network. Rows without a measured value are predicted too.",
     {{"TABLE", "", "", "CSV file with the columns of results/published", "file", true},
      {"--map", "", "FILE", "mapping file (YAML)", "file", true},
      {"--reference", "", "FILE", "another table, with rows for references and calibrations", "file", false, true},
      {"--output", "-o", "FILE", "write the rows with predicted, error_pct and fidelity to this file", "file"},
      {"--scenarios", "", "FOLDER", "write the scenario that each row becomes to FOLDER/line_N.yaml", "file"},
      {"--units", "", "FILE", "write the errors of each unit as CSV to this file", "file"},
      {"--fidelity", "", "NAME", "closed_form, fluid, flow, step or tcp, instead of the mapping's fidelity",
       "list fidelities"},
      {"--transfer", "", "",
       "also score with nothing fitted, and with each constant fitted without the model, or the GPU counts, it "
       "predicts"},
      {"--calibration", "", "FILE", "calibration file written by simcal; its constants replace those of the catalogue",
       "file"},
      {"--factor", "", "NAME=X", "multiply a calibrated parameter by X, to see how much the score depends on it", "",
       false, true}},
     {{"simrun score results/published/horovod_readme_2017.csv --map results/published/horovod_readme_2017.map.yaml",
       "one table"}},
     run});

} // namespace
} // namespace trainyard::app
