// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"

#include "models/core/statistics.hpp"
#include "models/core/text.hpp"
#include "models/cost/fit.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/other_names.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/step/answer_kind.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace trainyard {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// The first job, packed on the empty cluster. @p fits: whatever our estimate of its memory is.
std::unique_ptr<PlacedJob> placed_first(const PreparedScenario& prepared, const Catalogue& catalogue,
                                        Diagnostics& diagnostics, bool fits)
{
  diagnostics.throw_if_errors();
  FreeSlots slots = all_free(prepared.cluster);
  Placement placement = place_packed(prepared.cluster, prepared.jobs.front().spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  auto placed = place(prepared, prepared.jobs.front(), std::move(placement), catalogue, diagnostics, fits);
  diagnostics.throw_if_errors();
  return placed;
}

class Scorer
{
public:
  Scorer(const CsvTable& table, const CsvTable& references, const ScoreMapping& mapping, const Catalogue& catalogue,
         const ScoreOptions& options, bool same_table)
      : table_{table}, references_{references}, same_table_{same_table}, mapping_{mapping},
        catalogue_{catalogue}, options_{options}, parts_{registered_parts()}
  {
  }

  ScoreResult run()
  {
    result_.table = mapping_.table;
    if (!options_.fidelity.empty() && Registry<Executor>::instance().find(options_.fidelity) == nullptr)
      throw InputError{"unknown fidelity '" + options_.fidelity + "'" +
                       did_you_mean(options_.fidelity, Registry<Executor>::instance().names())};
    for (const auto& [name, factor] : options_.factors)
      if (std::ranges::find(mapping_.fits, name, &ScoreFit::name) == mapping_.fits.end())
        throw InputError{"--factor: the mapping has no fit '" + name + "'"};
    for (const ScoreFit& one : mapping_.fits)
      fit(one);
    const std::size_t total = table_.rows.size();
    for (std::size_t i = 0; i < total; ++i) {
      if (options_.progress)
        options_.progress(i, total);
      score_row(i);
    }
    if (options_.progress)
      options_.progress(total, total);
    for (const auto& [message, lines] : warned_)
      result_.warnings.push_back(fmt::format("{} (rows: {}, line {} first)", message, lines.size(), lines.front()));
    summarise_units();
    result_.decisions = decisions(table_, mapping_.decisions, result_.rows);
    result_.parameters.assign(fits_.begin(), fits_.end());
    if (options_.transfer) {
      const std::map<std::string, double> in_table = fits_;
      for (const ScoreFit& one : mapping_.fits)
        fits_[one.name] = one.otherwise.value_or(nothing);
      summarise(&UnitScore::names_only,
                errors_now([](const CsvTable::Row&) { return true; }, &ScoredRow::names_only_error_pct));
      transferring_ = true;
      leave_out(in_table);
      fits_ = in_table;
    }
    return std::move(result_);
  }

private:
  const ScoreUnit* unit_of(const CsvTable& table, const CsvTable::Row& row) const
  {
    const auto found =
        std::ranges::find_if(mapping_.units, [&](const ScoreUnit& unit) { return unit.where.matches(table, row); });
    return found == mapping_.units.end() ? nullptr : &*found;
  }

  /// Mean single-GPU step of the reference rows that agree with the row.
  /// @p gpus: those of the reference with the fewest, on which `measured_on_gpus` counts.
  std::optional<double> reference_step(const CsvTable& table, const CsvTable::Row& row, double* sync = nullptr,
                                       double* gpus = nullptr)
  {
    if (mapping_.reference.columns.empty())
      return 0;
    double fewest = std::numeric_limits<double>::infinity();
    double sum = 0, sync_sum = 0;
    int count = 0;
    for (const CsvTable::Row& candidate : references_.rows) {
      if (!mapping_.reference.matches(references_, candidate))
        continue;
      if (!std::ranges::all_of(mapping_.reference_match, [&](const std::string& name) {
            return references_.cell(candidate, name) == table.cell(row, name);
          }))
        continue;
      if (std::optional<double> step = measured_step(references_, candidate)) {
        const double own = column(table, row, "batch_per_gpu", 0),
                     other = column(references_, candidate, "batch_per_gpu", 0);
        if (own > 0 && other > 0 && own != other) // where `match` lets them in
          *step *= batch_ratio(table, row, own, other);
        sum += *step;
        sync_sum += column(references_, candidate, "sync_time_s", 0);
        fewest = std::min(fewest, std::max(1.0, column(references_, candidate, "total_gpus", 1)));
        ++count;
      }
    }
    if (count == 0)
      return std::nullopt;
    if (sync != nullptr)
      *sync = sync_sum / count;
    if (gpus != nullptr)
      *gpus = fewest;
    return sum / count;
  }

  /// Whether `names` maps a model to one of another kind: "ResNet-50" is resnet50 and "GPT-2" gpt2_small, but where
  /// "NMT" is bert_base, that one's steps at other batches say nothing.
  bool stands_in(const std::string& cell) const
  {
    const auto letters = [](const std::string& text) {
      std::string kept;
      for (const char c : lower_case(text))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
          kept += c;
      return kept;
    };
    const auto words = mapping_.names.find("model");
    if (words == mapping_.names.end())
      return false;
    const std::string own = letters(cell);
    return std::ranges::any_of(words->second, [&](const auto& mapped) {
      const std::string ours = letters(mapped.second);
      return cell_matches(cell, mapped.first) && !mapped.second.ends_with(".csv") && !ours.starts_with(own) &&
             !own.starts_with(ours);
    });
  }

  /// A step of one batch over one of another, by the data sheet of the row's GPU; where it says nothing, by samples.
  double batch_ratio(const CsvTable& table, const CsvTable::Row& row, double own, double other)
  {
    const ScoreUnit* unit = unit_of(table, row);
    if (unit == nullptr || stands_in(table.cell(row, "model")))
      return own / other;
    try {
      return data_sheet_step(*unit, table, row, own) / data_sheet_step(*unit, table, row, other);
    } catch (const std::exception&) { // a single tensor, or a transformer that is divided among GPUs
      return own / other;
    }
  }

  /// Computing of the row's worker with another batch, as if nobody had measured its step.
  double data_sheet_step(const ScoreUnit& unit, const CsvTable& table, const CsvTable::Row& row, double batch)
  {
    ScoreNames names = names_of(table, row, 0, 0);
    for (const ScoreFit& one : mapping_.fits) // those that are not known yet: they stretch both steps alike
      names.try_emplace(one.name, fmt::format("{:.12g}", one.low));
    for (const char* name : {"batch_per_gpu", "row.batch_per_gpu"})
      names[name] = fmt::format("{:.12g}", batch);
    Document document = scenario_of_row(mapping_, unit, table, row, names);
    forget_measured_step(document);
    const std::string key = to_flow_yaml(document.root);
    if (const auto known = computing_.find(key); known != computing_.end())
      return known->second;
    Diagnostics diagnostics;
    const Scenario scenario = read_scenario(document, parts_, catalogue_, diagnostics);
    diagnostics.throw_if_errors();
    const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue_, diagnostics);
    const std::unique_ptr<PlacedJob> placed = placed_first(*prepared, catalogue_, diagnostics, true);
    if (placed->context == nullptr || !(placed->context->workers.front().total() > Seconds{}))
      throw std::invalid_argument{"the data sheet gives no step"};
    return computing_.emplace(key, placed->context->workers.front().total().value()).first->second;
  }

  static void forget_measured_step(Document& document)
  {
    if (DocumentNode* jobs = document.root.find("jobs"); jobs != nullptr && !jobs->items.empty())
      std::erase_if(jobs->items.front().entries, [](const DocumentNode::Entry& entry) {
        return entry.key == "single_gpu_step" || entry.key.starts_with("measured_");
      });
  }

  ScoreNames names_of(const CsvTable& table, const CsvTable::Row& row, double t1, double sync1) const
  {
    ScoreNames names;
    for (const std::string& column_name : table.columns) {
      const std::string& cell = table.cell(row, column_name);
      names[column_name] = names["row." + column_name] = cell;
      if (const auto words = mapping_.names.find(column_name); words != mapping_.names.end())
        for (const auto& [word, ours] : words->second)
          if (cell_matches(cell, word))
            names[column_name] = ours;
    }
    names["t1"] = fmt::format("{:.12g}", t1);
    names["sync1"] = fmt::format("{:.12g}", sync1);
    names["t1_gpus"] = "1";
    names["placement_nodes"] = placement_nodes(table, row);
    for (const auto& [name, value] : fits_)
      names[name] = std::isnan(value) ? "nan" : fmt::format("{:.12g}", value);
    return names;
  }

  Document document_of(const ScoreUnit& unit, const CsvTable& table, const CsvTable::Row& row)
  {
    double sync1 = 0, gpus = 1;
    const std::optional<double> t1 = reference_step(table, row, &sync1, &gpus);
    ScoreNames names = names_of(table, row, t1.value_or(0), sync1);
    names["t1_gpus"] = fmt::format("{}", gpus);
    Document document = scenario_of_row(mapping_, unit, table, row, names);
    if (!t1 && to_flow_yaml(document.root).find("one_tensor") != std::string::npos)
      throw std::invalid_argument{
          "no reference row gives the single-GPU step, and a single tensor has no compute time to estimate"};
    if (!t1) // the data sheet of the GPU has to do
      forget_measured_step(document);
    check_model(document, table.cell(row, "model"));
    return document;
  }

  struct Predicted {
    double step = 0; // s
    AnswerKind kind;
  };

  Predicted predicted(const ScoreUnit& unit, const CsvTable& table, const CsvTable::Row& row)
  {
    const Document document = document_of(unit, table, row);
    const std::string key = to_flow_yaml(document.root);
    if (const auto known = memory_.find(key); known != memory_.end())
      return known->second;
    return memory_.emplace(key, step_time(document)).first->second;
  }

  double predict(const ScoreUnit& unit, const CsvTable& table, const CsvTable::Row& row)
  {
    return predicted(unit, table, row).step;
  }

  /// What a row's scenario contradicts, such as the data sheet of its hardware.
  void keep_warnings(const Diagnostics& diagnostics)
  {
    for (const Diagnostic& one : diagnostics.sorted())
      if (line_ > 0 && one.severity == Severity::warning)
        warned_[one.message].push_back(line_);
  }

  Predicted step_time(Document document)
  {
    if (!options_.calibration.empty())
      set_path(document, "calibration", options_.calibration);
    Diagnostics diagnostics;
    Scenario scenario = read_scenario(document, parts_, catalogue_, diagnostics);
    diagnostics.throw_if_errors();
    Catalogue catalogue = catalogue_;
    measured_gpu_ = false;
    if (scenario.calibration) {
      result_.calibration = scenario.calibration->name;
      std::map<std::string, Transport> of_the_scenario; // which has them already
      for (const AppliedConstant& constant : scenario.calibration->applied) {
        set_constant(constant, constant.value.value, of_the_scenario, catalogue.gpus);
        measured_gpu_ = measured_gpu_ || constant.of == AppliedConstant::Of::gpu;
      }
    }
    if (!options_.fidelity.empty())
      scenario.run.fidelity = options_.fidelity;
    result_.fidelity = scenario.run.fidelity;
    if (const JobSpec& job = scenario.jobs.front(); job.training.parallel != nullptr) {
      const ParallelJob divided = parallel_job(scenario, job, catalogue, diagnostics);
      diagnostics.throw_if_errors();
      keep_warnings(diagnostics);
      result_.fidelity = "closed_form";
      const ParallelStep step = parallel_step(divided);
      return {step.step.value(), answer_kind(divided, step)};
    }
    const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, diagnostics);
    // What ran on one GPU fits there, even if our estimate of its memory differs.
    const bool ran = scenario.jobs.front().single_gpu_step.has_value();
    const std::unique_ptr<PlacedJob> placed = placed_first(*prepared, catalogue, diagnostics, ran);
    keep_warnings(diagnostics);
    if (placed->context == nullptr)
      throw std::invalid_argument{"the job does not fit on this cluster"};
    const SteppedJob stepped = stepped_job(*prepared->jobs.front().mode, *placed->context);
    const auto executor = Registry<Executor>::instance().create(scenario.run.fidelity);
    const Seconds step = steady_state(prepared->cluster, {&stepped, 1}, *executor,
                                      options_of_a_run({&stepped, 1}, scenario.run.warm_up_steps))
                             .front()
                             .step_time;
    return {step.value(), answer_kind(*prepared, prepared->jobs.front(), *placed, step)};
  }

  using Errors = std::map<std::string, std::vector<double>>; // by unit

  /// Errors of the scored rows for which @p counts, with the constants as they are now. @p keep: where the rows keep
  /// theirs, signed.
  template <class Counts>
  Errors errors_now(const Counts& counts, double ScoredRow::*keep = nullptr)
  {
    Errors errors;
    for (ScoredRow& row : result_.rows) {
      const CsvTable::Row& cells = table_.rows[row.row];
      if (!row.use.starts_with("scored") || !std::isfinite(row.error_pct) || !counts(cells))
        continue;
      try {
        const double step = predict(*unit_of(table_, cells), table_, cells);
        if (keep != nullptr)
          row.*keep = 100 * (step / row.measured_step - 1);
        errors[row.unit].push_back(error_pct(step, row.measured_step));
      } catch (const std::exception&) { // a row that needs the constant
        continue;
      }
    }
    return errors;
  }

  void summarise(ErrorSummary UnitScore::*column, const Errors& errors)
  {
    for (UnitScore& unit : result_.units)
      if (const auto found = errors.find(unit.unit); found != errors.end())
        unit.*column = trainyard::summarise(found->second);
  }

  /// A value of a column that is left out of the fits; of total_gpus: more than eight.
  struct LeftOut {
    std::string column;
    std::string value;
    bool contains(const CsvTable& table, const CsvTable::Row& row) const
    {
      return column == "total_gpus" ? trainyard::column(table, row, column, 0) > 8 : table.cell(row, column) == value;
    }
  };

  /// Each row with constants from rows that differ from it in a column, one column after the other.
  void leave_out(const std::map<std::string, double>& in_table)
  {
    Errors errors;
    for (const std::string& name : mapping_.transfer) {
      if (!table_.column(name) || !references_.column(name))
        continue;
      std::set<std::string> values;
      for (const ScoredRow& row : result_.rows)
        if (row.use.starts_with("scored"))
          values.insert(name == "total_gpus" ? "" : table_.cell(table_.rows[row.row], name));
      if (name != "total_gpus" && values.size() < 2)
        continue; // nothing would be left
      for (const std::string& value : values) {
        const LeftOut left_out{name, value};
        fits_.clear();
        for (const ScoreFit& one : mapping_.fits)
          fits_[one.name] = without(one, left_out, in_table);
        for (auto& [unit, more] :
             errors_now([&](const CsvTable::Row& row) { return left_out.contains(table_, row); })) {
          std::vector<double>& all = errors[unit];
          all.insert(all.end(), more.begin(), more.end());
        }
      }
    }
    summarise(&UnitScore::transfer, errors);
  }

  /// A constant from other rows than those left out: from its own, from the equal constants of others (a constant per
  /// model: the median over the other models), or from the row of the unit that is most like its own. nan: from none.
  double without(const ScoreFit& one, const LeftOut& left_out, const std::map<std::string, double>& in_table)
  {
    const CsvTable::Row& own = row_at(one.line, one);
    const ScoreUnit* unit = unit_of(references_, own);
    const auto fitted_on = [&](const CsvTable::Row& row) {
      try {
        return fitted(one, row);
      } catch (const std::exception&) {
        return nothing;
      }
    };
    if (!left_out.contains(references_, own))
      return fitted_on(own);
    std::vector<double> siblings;
    for (const ScoreFit& other : mapping_.fits)
      if (const CsvTable::Row& row = row_at(other.line, other);
          other.low == one.low && other.high == one.high && other.compute == one.compute && other.name != one.name &&
          unit_of(references_, row) == unit && !left_out.contains(references_, row))
        siblings.push_back(in_table.at(other.name));
    if (!siblings.empty())
      return quantile(siblings, 0.5);
    std::vector<std::pair<int, const CsvTable::Row*>> like; // fewest different cells first, then the order of the table
    for (const CsvTable::Row& row : references_.rows) {
      if (left_out.contains(references_, row) || unit_of(references_, row) != unit ||
          !measured_step(references_, row) ||
          (!mapping_.reference.columns.empty() && mapping_.reference.matches(references_, row)))
        continue;
      int different = 0;
      for (std::size_t cell = 0; cell < row.cells.size(); ++cell)
        different += row.cells[cell] != own.cells[cell];
      like.emplace_back(different, &row);
    }
    std::ranges::stable_sort(like, {}, &std::pair<int, const CsvTable::Row*>::first);
    constexpr std::size_t tried = 8;
    for (std::size_t i = 0; i < std::min(tried, like.size()); ++i)
      if (const double value = fitted_on(*like[i].second); std::isfinite(value))
        return value;
    return one.otherwise.value_or(nothing);
  }

  const CsvTable::Row& row_at(int line, const ScoreFit& fit) const
  {
    for (const CsvTable::Row& row : references_.rows)
      if (row.line == line)
        return row;
    throw InputError{{Diagnostic{
        Severity::error, fit.where, fmt::format("fit '{}': the table has no row in line {}", fit.name, line), {}}}};
  }

  void fit(const ScoreFit& one)
  {
    const CsvTable::Row& row = row_at(one.line, one);
    calibration_lines_.push_back(one.line);
    const auto fail = [&](const std::string& why) {
      throw InputError{{Diagnostic{Severity::error,
                                   one.where,
                                   fmt::format("fit '{}' (line {} of the table): {}", one.name, one.line, why),
                                   {}}}};
    };
    if (!measured_step(references_, row))
      fail("the row has no step time");
    if (one.compute.empty() && unit_of(references_, row) == nullptr)
      fail("no unit of the mapping covers the row");
    try {
      fits_[one.name] = fitted(one, row);
    } catch (const std::invalid_argument& fault) {
      fail(fault.what());
    }
    for (const std::string& doubt : doubts(one, fits_[one.name]))
      result_.warnings.push_back(doubt);
    if (const auto factor = options_.factors.find(one.name); factor != options_.factors.end())
      fits_[one.name] *= factor->second;
  }

  /// What a constant is for one row; nan where the row does not depend on it.
  double fitted(const ScoreFit& one, const CsvTable::Row& row)
  {
    const double target = measured_step(references_, row).value();
    if (one.compute.empty())
      return search(one, *unit_of(references_, row), row, target);
    double sync1 = 0;
    const std::optional<double> t1 = reference_step(references_, row, &sync1);
    ScoreNames names = names_of(references_, row, t1.value_or(nothing), sync1);
    names["step"] = fmt::format("{:.12g}", target);
    return leading_number(fill_in("${=" + one.compute + "}", names)).value_or(nothing);
  }

  /// Bisection for predicted = measured; where the range does not contain it, the nearest end.
  double search(const ScoreFit& one, const ScoreUnit& unit, const CsvTable::Row& row, double target)
  {
    const auto at = [&](double value) {
      fits_[one.name] = value;
      return predict(unit, references_, row);
    };
    double low = one.low, high = one.high;
    const double at_low = at(low) - target, at_high = at(high) - target;
    if (at_low == at_high && transferring_)
      return nothing; // another constant decides this row
    if ((at_low > 0) == (at_high > 0))
      return std::abs(at_low) < std::abs(at_high) ? low : high;
    const bool logarithmic = low > 0 && high / low > 3;
    for (int i = 0; i < 40 && high - low > 1e-5 * std::abs(high); ++i) {
      const double middle = logarithmic ? std::sqrt(low * high) : (low + high) / 2;
      ((at(middle) - target > 0) == (at_low > 0) ? low : high) = middle;
    }
    return logarithmic ? std::sqrt(low * high) : (low + high) / 2;
  }

  double payload_bytes(const CsvTable& table, const CsvTable::Row& row)
  {
    if (const std::optional<double> bytes = leading_number(table.cell(row, "size_bytes")))
      return *bytes;
    const ScoreNames names = names_of(table, row, 0, 0);
    if (!names.contains("model"))
      return nothing;
    const std::string& model = names.at("model");
    if (!parameters_.contains(model)) {
      Diagnostics ignored;
      const Document word = parse_document(model, "", ignored); // a name, or {name: …, elements: …}
      const auto text = [&](const char* key) {
        const DocumentNode* value = word.root.find(key);
        return value == nullptr ? std::string{} : value->text;
      };
      const std::string name = model_meant(word.root.kind == DocumentNode::Kind::map ? text("name") : model).name;
      DnnOptions options;
      options.elements = leading_number(text("elements")).value_or(0);
      options.sequence_length = static_cast<int>(leading_number(text("sequence_length")).value_or(0));
      parameters_[model] = name.empty() ? nothing : build_dnn(name, options).parameter_elements();
    }
    const std::string& precision = table.cell(row, "precision");
    return parameters_[model] * (cell_matches(precision, "*amp*|*fp16*") ? 2 : 4);
  }

  /// Bytes per second of the one-rate baseline: by name, or what is left of a row's step.
  double one_rate_bandwidth(const ScoreUnit& unit, const CsvTable::Row& row)
  {
    if (!unit.one_rate_GBps.empty())
      return 1e9 * formula(unit.one_rate_GBps, table_, row);
    const auto anchor = std::ranges::find_if(references_.rows, [&](const CsvTable::Row& candidate) {
      return std::ranges::find(unit.one_rate_lines, candidate.line) != unit.one_rate_lines.end() &&
             (unit.one_rate_match.empty() ||
              references_.cell(candidate, unit.one_rate_match) == table_.cell(row, unit.one_rate_match));
    });
    if (anchor == references_.rows.end())
      return nothing;
    const double anchor_t1 = reference_step(references_, *anchor).value_or(nothing);
    const double exposed = measured_step(references_, *anchor).value_or(nothing) - anchor_t1;
    return formula(unit.one_rate_factor, references_, *anchor) * payload_bytes(references_, *anchor) / exposed;
  }

  double one_rate(const ScoreUnit& unit, const CsvTable::Row& row, double t1)
  {
    if (unit.one_rate_factor.empty())
      return nothing;
    const double sent = formula(unit.one_rate_factor, table_, row) * payload_bytes(table_, row);
    const double cost = sent / one_rate_bandwidth(unit, row);
    if (!unit.overlapped.columns.empty() && unit.overlapped.matches(table_, row))
      return t1 / 3 + std::max(2 * t1 / 3, cost);
    return t1 + cost;
  }

  void score_row(std::size_t index)
  {
    const CsvTable::Row& row = table_.rows[index];
    const auto matches = [&](const RowPattern& pattern) { return pattern.matches(table_, row); };
    const std::optional<double> measured = measured_step(table_, row);
    ScoredRow scored{.row = index};
    scored.measured_step = measured.value_or(nothing);
    scored.linear_step = scored.one_rate_step = scored.predicted = scored.predicted_step = scored.error_pct = nothing;
    scored.names_only_error_pct = nothing;
    const bool reference = !mapping_.reference.columns.empty() && matches(mapping_.reference) && measured;
    if (reference || std::ranges::any_of(mapping_.skip, matches)) {
      scored.use = reference ? "reference" : "skipped";
      result_.rows.push_back(std::move(scored));
      return;
    }
    const ScoreUnit* unit = unit_of(table_, row);
    scored.calibration = same_table_ && std::ranges::find(calibration_lines_, row.line) != calibration_lines_.end();
    scored.use = scored.calibration ? "calibration" : measured ? "scored" : "predicted";
    try {
      if (unit == nullptr)
        throw std::invalid_argument{
            fmt::format("no unit of the mapping covers strategy '{}'; add one whose 'where' matches, or 'skip' it",
                        table_.cell(row, "strategy"))};
      scored.unit = unit->name;
      const double t1 = reference_step(table_, row).value_or(nothing);
      if (options_.scenario)
        options_.scenario(row.line, document_of(*unit, table_, row));
      line_ = row.line;
      const Predicted found = predicted(*unit, table_, row);
      scored.predicted_step = found.step;
      scored.kind = found.kind;
      line_ = 0;
      if (!std::isfinite(t1))
        scored.use += measured_gpu_ ? "; no single-GPU row, compute from the calibration"
                                    : "; no single-GPU row, compute from the data sheet";
      scored.predicted = in_metric(table_, row, scored.predicted_step);
      scored.linear_step = mapping_.reference.columns.empty() ? nothing : t1;
      scored.one_rate_step = one_rate(*unit, row, t1);
      if (measured)
        scored.error_pct = 100 * (scored.predicted_step / *measured - 1);
    } catch (const std::invalid_argument& fault) {
      scored.fault = fault.what();
    } catch (const InputError& fault) {
      scored.fault = fault.diagnostics().empty() ? fault.what() : fault.diagnostics().front().message;
    }
    if (!scored.fault.empty())
      scored.use = fmt::format("not predicted: line {}: {}", row.line, scored.fault);
    result_.rows.push_back(std::move(scored));
  }

  void summarise_units()
  {
    for (const ScoreUnit& unit : mapping_.units) {
      std::vector<double> model, linear, one_rate;
      for (const ScoredRow& row : result_.rows) {
        if (row.unit != unit.name || row.calibration || !std::isfinite(row.measured_step) ||
            !row.use.starts_with("scored"))
          continue;
        model.push_back(std::abs(row.error_pct));
        linear.push_back(error_pct(row.linear_step, row.measured_step));
        one_rate.push_back(error_pct(row.one_rate_step, row.measured_step));
      }
      result_.units.push_back(
          {unit.name, trainyard::summarise(model), trainyard::summarise(linear), trainyard::summarise(one_rate)});
      result_.units.back().constants = static_cast<int>(std::ranges::count_if(
          mapping_.fits, [&](const ScoreFit& one) { return unit_of(references_, row_at(one.line, one)) == &unit; }));
    }
  }

  const CsvTable& table_;
  const CsvTable& references_;
  bool same_table_;
  const ScoreMapping& mapping_;
  const Catalogue& catalogue_;
  const ScoreOptions& options_;
  Parts parts_;
  std::map<std::string, double> fits_;
  std::map<std::string, Predicted> memory_;
  std::map<std::string, double> computing_; // by scenario: data_sheet_step()
  std::map<std::string, double> parameters_;
  std::vector<int> calibration_lines_;
  int line_ = 0;                                   // of the row that is predicted; 0: a fit
  std::map<std::string, std::vector<int>> warned_; // lines by message
  bool transferring_ = false;                      // fits on rows that the mapping does not name
  bool measured_gpu_ = false;                      // the calibration has rates of the GPU of the last row
  ScoreResult result_;
};

} // namespace

ScoreResult score(const CsvTable& table, const CsvTable& references, const ScoreMapping& mapping,
                  const Catalogue& catalogue, const ScoreOptions& options)
{
  const CsvTable filled = with_defaults(table, mapping);
  if (&table == &references)
    return Scorer{filled, filled, mapping, catalogue, options, true}.run();
  return Scorer{filled, with_defaults(references, mapping), mapping, catalogue, options, false}.run();
}

ErrorSummary summarise(std::vector<double> errors_pct)
{
  std::erase_if(errors_pct, [](double error) { return !std::isfinite(error); });
  if (errors_pct.empty())
    return {};
  std::ranges::sort(errors_pct);
  return {static_cast<int>(errors_pct.size()), quantile(errors_pct, 0.5), quantile(errors_pct, 0.9),
          std::accumulate(errors_pct.begin(), errors_pct.end(), 0.0) / static_cast<double>(errors_pct.size())};
}

double error_pct(double predicted_step, double measured_step)
{
  return 100 * std::abs(predicted_step / measured_step - 1);
}

DecisionScore decisions(const CsvTable& table, const ScoreDecisions& rule, const std::vector<ScoredRow>& rows)
{
  DecisionScore score;
  constexpr double tie = 1.05;
  for (const auto& [a, b] : rule.pairs)
    for (const ScoredRow& first : rows)
      for (const ScoredRow& second : rows) {
        const CsvTable::Row &x = table.rows[first.row], &y = table.rows[second.row];
        if (!cell_matches(table.cell(x, "strategy"), a) || !cell_matches(table.cell(y, "strategy"), b) ||
            !std::isfinite(first.measured_step) || !std::isfinite(second.measured_step) ||
            !std::ranges::all_of(rule.match,
                                 [&](const std::string& name) { return table.cell(x, name) == table.cell(y, name); }))
          continue;
        ++score.pairs;
        const double ratio = first.measured_step / second.measured_step;
        if (std::max(ratio, 1 / ratio) <= tie)
          continue;
        ++score.decided;
        score.first_wins += ratio < 1;
        score.one_rate_right += (first.one_rate_step < second.one_rate_step) == (ratio < 1);
        if ((first.predicted_step < second.predicted_step) == (ratio < 1)) {
          ++score.right;
          continue;
        }
        std::string keys;
        for (const std::string& name : rule.match)
          keys += table.cell(x, name) + ", ";
        score.wrong.push_back(fmt::format("{}{} / {}: measured {:.3f}, predicted {:.3f}", keys,
                                          table.cell(x, "strategy"), table.cell(y, "strategy"), ratio,
                                          first.predicted_step / second.predicted_step));
      }
  return score;
}

} // namespace trainyard
