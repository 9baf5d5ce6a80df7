// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/profile.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/results/telling.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  text += fmt::format("predicted,error_pct,{}kind,size,fidelity,unit,use\n", transfer ? "names_only_error_pct," : "");
  for (const ScoredRow& row : result.rows) {
    for (const std::string& value : table.rows[row.row].cells)
      text += csv_text(value) + ",";
    text += fmt::format("{},{},{}{},{},{},{},{}\n", cell(row.predicted), cell(row.error_pct, "{:.2f}"),
                        transfer ? cell(row.names_only_error_pct, "{:.2f}") + "," : "", row.kind.name,
                        row.kind.name.empty() ? std::string{} : cell(row.kind.size, "{:.4g}"), result.fidelity,
                        csv_text(row.unit), csv_text(row.use));
  }
  return text;
}

constexpr Sentence<std::string, Messages> errors_of{"score.errors",
                                                    "{table}: error of the step time in %, median / p90 / mean{more}"};
constexpr Sentence<std::string> with_calibration{"score.with_calibration", "; with calibration '{calibration}'"};
constexpr Sentence<> what_they_are{"score.transfer", "names only: nothing fitted. transfer: each constant from rows of "
                                                     "other models, or of at most 8 GPUs for rows of more."};
constexpr Sentence<std::string, std::string> worse{"score.worse", "{unit}: worse than the one-rate formula in {which}"};
constexpr Sentence<std::int64_t, std::int64_t, std::string> not_predicted{
    "score.not_predicted", "{rows|row|rows} not predicted (line {line} first): {fault}"};
constexpr Sentence<std::int64_t, std::int64_t, std::int64_t, std::int64_t, Figure, Figure> decisions_of{
    "score.decisions", "decisions: {pairs} pairs, {decided} decided (more than 5 % apart; the first strategy wins "
                       "{first}): correct in {right} = {share}, one rate {one_rate}"};
constexpr Sentence<std::string> wrong_decision{"score.wrong", "wrong: {decision}"};
constexpr Sentence<std::string> set_by_rows{"score.set_by_rows", "set by calibration rows: {constants}"};

Telling summary(const CsvTable& table, const ScoreResult& result)
{
  Telling told;
  const auto triple = [](const ErrorSummary& errors) {
    return errors.n == 0 ? std::string{"-"}
                         : fmt::format("{:.1f} / {:.1f} / {:.1f}", errors.median, errors.p90, errors.mean);
  };
  const bool transfer =
      std::ranges::any_of(result.units, [](const UnitScore& unit) { return unit.names_only.n + unit.transfer.n > 0; });
  told.heading(errors_of(result.table,
                         result.calibration.empty() ? Messages{} : Messages{with_calibration(result.calibration)}));
  TableRows rows;
  for (const UnitScore& unit : result.units) {
    rows.push_back({unit.unit, std::to_string(unit.model.n)});
    if (transfer)
      rows.back().emplace_back(unit.constants == 0 ? "-"
                                                   : fmt::format("{:.0f}", double(unit.model.n) / unit.constants));
    for (const ErrorSummary* errors : transfer
                                          ? std::vector{&unit.names_only, &unit.transfer, &unit.model, &unit.one_rate}
                                          : std::vector{&unit.model, &unit.one_rate, &unit.linear})
      rows.back().emplace_back(triple(*errors));
  }
  told.table(transfer ? std::vector<Column>{{"unit", false},
                                            {"rows"},
                                            {"rows per constant"},
                                            {"names only"},
                                            {"transfer"},
                                            {"in table"},
                                            {"one rate"}}
                      : std::vector<Column>{{"unit", false}, {"rows"}, {"Trainyard"}, {"one rate"}, {"linear"}},
             std::move(rows));
  if (transfer)
    told.say(what_they_are());
  for (const UnitScore& unit : result.units) {
    std::vector<std::string> which;
    for (const auto& [name, part] :
         {std::pair{"median", &ErrorSummary::median}, {"p90", &ErrorSummary::p90}, {"mean", &ErrorSummary::mean}})
      if (unit.one_rate.n > 0 && unit.model.*part > unit.one_rate.*part)
        which.emplace_back(name);
    if (!which.empty())
      told.say(worse(unit.unit, fmt::format("{}", fmt::join(which, " "))));
  }
  for (const std::string& warning : result.warnings)
    told.say(plain(MessageKind::warning, "warning: " + warning));
  std::map<std::string, std::pair<int, int>> faults; // how many, first line
  for (const ScoredRow& row : result.rows)
    if (!row.fault.empty() && faults[row.fault].first++ == 0)
      faults[row.fault].second = table.rows[row.row].line;
  for (const auto& [fault, where] : faults)
    told.say(not_predicted(where.first, where.second, fault));
  if (const DecisionScore& decisions = result.decisions; decisions.decided > 0) {
    const auto share = [&](int count) {
      const double of_all = static_cast<double>(count) / decisions.decided;
      return Figure{of_all, fmt::format("{:.0f} %", 100 * of_all)};
    };
    told.say(decisions_of(decisions.pairs, decisions.decided, decisions.first_wins, decisions.right,
                          share(decisions.right), share(decisions.one_rate_right)));
    for (const std::string& wrong : decisions.wrong)
      told.line(wrong_decision(wrong));
  }
  std::string constants;
  for (const auto& [name, value] : result.parameters)
    constants += fmt::format("{}{} = {:.4g};", constants.empty() ? "" : " ", name, value);
  if (!constants.empty())
    told.say(set_by_rows(constants));
  return told;
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

int run_score(const Arguments& arguments)
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
    for (const Message& doubt : doubts(profile, utc_now()))
      print_note(fmt::format("warning: calibration '{}': {}", profile.name, doubt.text), arguments);
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
  std::vector<std::pair<int, std::string>> scenarios;
  if (arguments.has("--scenarios")) {
    const std::filesystem::path folder = arguments.value("--scenarios");
    check_folder(folder, replacing(arguments));
    options.scenario = [&](int line, const Document& scenario) {
      scenarios.emplace_back(line, to_flow_yaml(scenario.root) + "\n");
    };
  }
  const auto tell = [&](const std::string& replaced) {
    if (!replaced.empty())
      print_note(replaced, arguments);
  };
  ScoreResult result;
  {
    Progress progress{arguments};
    options.progress = [&](std::size_t ready, std::size_t total) { progress.report(ready, total, mapping.table); };
    result = score(table, references.empty() ? table : other, mapping, catalogue, options);
  }
  check_interrupt();
  if (arguments.has("--scenarios"))
    tell(write_folder(
        arguments.value("--scenarios"),
        [&](const std::filesystem::path& to) {
          for (const auto& [line, text] : scenarios)
            write_file(to / fmt::format("line_{}.yaml", line), text);
        },
        replacing(arguments)));
  const auto write_table = [&](const char* option, const std::string& text) { // the head says whose table it is
    if (arguments.has(option))
      tell(replace_file(arguments.value(option), text, replacing(arguments, text.substr(0, text.find('\n') + 1))));
  };
  write_table("--output", predictions_csv(table, result, options.transfer));
  write_table("--units", units_csv(result));
  const Telling told = summary(table, result);
  if (arguments.has("--json")) {
    nlohmann::ordered_json json = document_head("trainyard score");
    json["told"] = told.json();
    print_data(document_text(json));
  } else
    print(told.text());
  return std::ranges::any_of(result.rows, [](const ScoredRow& row) { return std::isfinite(row.predicted_step); })
             ? done
             : in_part;
}

[[maybe_unused]] const bool score_registered = register_command(
    {"score",
     "predict the rows of a table of measurements and compare the predictions with them",
     "The mapping file turns every row into a scenario: cluster, network, transport, framework, the row with the "
     "single-GPU step time,\nand the one row that calibrates the network. Rows without a measured value are predicted "
     "too.",
     {{"TABLE", "", "", "CSV file with the columns of results/published", "file", true},
      {"--map", "", "FILE", "mapping file (YAML)", "file", true},
      {"--reference", "", "FILE", "another table, with rows for references and calibrations", "file", false, true},
      {"--output", "-o", "FILE", "write the rows with predicted, error_pct and fidelity to this file", "file"},
      {"--scenarios", "", "FOLDER", "write the scenario that each row becomes to FOLDER/line_N.yaml", "file"},
      {"--json", "", "", "print what it tells as JSON, piece by piece"},
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
     run_score});

} // namespace
} // namespace trainyard::app
