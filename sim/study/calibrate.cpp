// SPDX-License-Identifier: Apache-2.0
#include "sim/study/calibrate.hpp"

#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/program.hpp"
#include "models/hardware/measured_rates.hpp"
#include "models/results/model_error.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/step/answer_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

namespace trainyard {
namespace {

/// Half of the logarithm of an interval that holds 95 % of a normal distribution, over its standard deviation.
constexpr double half_of_95 = 1.96;
constexpr double large = 1e8; // B, where a collective is no start-up

bool more_is_faster(const Measure& measure)
{
  return kind_of(measure).more_is_better;
}

Goal figure_of(const std::string& place, const std::string& measure, const std::string& value)
{
  try {
    Goal goal = parse_goal(measure + " < " + value);
    const std::string& name = goal.measure.name;
    if (name != "step_time" && name != "throughput")
      throw InputError{fmt::format("'{}' says nothing of the speed of a job; step_time and throughput do", name)};
    if (!(goal.limit > 0) || !std::isfinite(goal.limit))
      throw InputError{fmt::format("{} = {}: a measured value is above 0", measure, value)};
    return goal;
  } catch (const InputError& fault) {
    const std::string& why = fault.diagnostics().front().message; // "goal '…': …"
    const std::size_t goal = why.starts_with("goal '") ? why.find("': ") : std::string::npos;
    throw InputError{fmt::format("{}: {}", place, goal == std::string::npos ? why : why.substr(goal + 3))};
  }
}

std::vector<MeasuredRow> rows_of_file(const std::string& name, const PathOf& path_of)
{
  const CsvTable table = read_csv(name);
  std::vector<MeasuredRow> rows;
  for (const CsvTable::Row& row : table.rows) {
    MeasuredRow made{.place = fmt::format("{}:{}", table.file, row.line), .settings = {}, .figure = {}};
    for (const std::string& column : table.columns) {
      const std::string& cell = table.cell(row, column);
      if (cell.empty())
        continue;
      if (const std::string path = path_of(column); path.find('.') != std::string::npos) {
        made.settings.emplace_back(path, cell);
        continue;
      }
      if (!made.figure.text.empty())
        throw InputError{fmt::format("{}: '{}' and '{}' in one row; one measured value counts", made.place,
                                     made.figure.measure.text, column)};
      made.figure = figure_of(made.place, column, cell);
    }
    if (made.figure.text.empty())
      throw InputError{fmt::format("{}: no measured value; a column such as step_time or throughput has it, the others "
                                   "are paths of the scenario such as jobs.0.workers",
                                   made.place)};
    rows.push_back(std::move(made));
  }
  if (rows.empty())
    throw InputError{fmt::format("'{}' has no rows", name)};
  return rows;
}

/// Constants that move together, by one factor.
struct Group {
  std::string name;
  std::vector<AppliedConstant> constants; // value.high: what it cannot be above
  double width = 0;                       // standard deviation of the logarithm of the factor, before the rows
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity(); // of it
  double host = 0; // s per operator, where it is that

  bool is_host() const { return host > 0; }
};

double value_at(const AppliedConstant& constant, double logarithm)
{
  return std::min(constant.value.value * std::exp(logarithm), constant.value.high);
}

/// How far answers of a kind were off: the standard deviation of the logarithm.
double width_of(const std::string& kind, double size = 0)
{
  return model_errors().of({kind, size}).deviation();
}

/// The constants that a checked point leaves to us.
class Groups
{
public:
  explicit Groups(const PointEvaluator& evaluator) : evaluator_{evaluator} {}

  void collect(const SweepPoint& point)
  {
    scenario_ = evaluator_.checked(point).scenario;
    catalogue_ = calibrated(evaluator_.catalogue(), scenario_);
    const Scenario& scenario = scenario_;
    std::set<std::string> gpus;
    for (const auto& [name, type] : scenario.cluster.node_types)
      if (type.gpus > 0)
        gpus.insert(type.gpu);
    for (const std::string& name : gpus)
      if (const auto found = catalogue_.gpus.find(name); found != catalogue_.gpus.end())
        kernels(found->second);
    std::set<std::string> used;
    for (const JobSpec& job : scenario.jobs) {
      used.insert(job.training.settings.text("transport", job.training.transport));
      used.insert(job.training.settings.text("local_transport", "nccl"));
    }
    for (const std::string& name : used) {
      transport(name, "efficiency", width_of("collective", large), 1);
      transport(name, "latency", width_of("collective"), 0);
      transport(name, "stream_limit", width_of("servers"), 0);
      transport(name, "endpoint_limit", width_of("servers"), 0);
    }
    for (std::size_t i = 0; i < scenario.jobs.size(); ++i)
      if (const JobSpec& job = scenario.jobs[i];
          job.host_per_operator > Seconds{} && !job.single_gpu_step &&
          scenario.defaults.find(fmt::format("jobs.{}.host_per_operator", i)) != nullptr)
        host(job);
  }

  std::vector<Group> list;

private:
  void add(Group group)
  {
    double room = 0; // of the constant that has most of it
    for (const AppliedConstant& constant : group.constants)
      room = std::max(room, std::log(constant.value.high / constant.value.value));
    group.most = std::min(group.most, room);
    if (!group.constants.empty() && std::ranges::find(list, group.name, &Group::name) == list.end())
      list.push_back(std::move(group));
  }

  /// Within the bars of a calibration, where it has this constant.
  void bound(Group& group, const AppliedConstant& constant, double value) const
  {
    if (scenario_.calibration)
      for (const AppliedConstant& known : scenario_.calibration->applied)
        if (known.of == constant.of && known.owner == constant.owner && known.field == constant.field &&
            known.value.low > 0) {
          group.width = std::max(std::log(known.value.high / known.value.low) / 2 / half_of_95, 1e-3);
          group.least = std::max(group.least, std::log(known.value.low / value));
          group.most = std::min(group.most, std::log(known.value.high / value));
        }
  }

  /// @p ceiling: what the constant cannot be above, 0: nothing is known.
  void take(Group& group, AppliedConstant::Of of, const std::string& owner, const std::string& field,
            double ceiling) const
  {
    AppliedConstant constant{of, owner, field, {}, Provenance::fitted};
    const double value = current_value(constant, scenario_.transports, catalogue_.gpus);
    if (!(value > 0) || !std::isfinite(value))
      return;
    constant.value = {value, value, ceiling > 0 ? std::max(ceiling, value) : std::numeric_limits<double>::infinity()};
    bound(group, constant, value);
    group.constants.push_back(std::move(constant));
  }

  void kernels(Gpu& gpu)
  {
    using Of = AppliedConstant::Of;
    if (gpu.measured == nullptr)
      gpu.measured = std::make_shared<const MeasuredRates>(measured_rates(gpu.name));
    const ModelError& error = model_errors().of({"all_reduce names", 0});
    Group group{
        gpu.name + ": kernels", {}, width_of("all_reduce names"), -std::log(error.high_95), -std::log(error.low_95)};
    for (const auto& [precision, peak] : gpu.peak)
      take(group, Of::gpu, gpu.name, "rate." + precision, peak.value());
    take(group, Of::gpu, gpu.name, "memory_bandwidth", gpu.memory_bandwidth.value());
    Group inside{gpu.name + ": all-reduce in a machine", {}, width_of("collective all_reduce machine", large)};
    for (const std::string& field : measured_fields(gpu))
      take(field == "measured.all_reduce" ? inside : group, Of::gpu, gpu.name, field, 0);
    add(std::move(group));
    add(std::move(inside));
  }

  void transport(const std::string& name, const std::string& field, double width, double ceiling)
  {
    Group group{fmt::format("{}: {}", name, field), {}, width, -3 * width, 3 * width};
    std::ranges::replace(group.name, '_', ' ');
    take(group, AppliedConstant::Of::transport, name, field, ceiling);
    add(std::move(group));
  }

  /// Operators of one framework cost 7 us on one machine and 54 us on another (docs/assumed.md), which is taken for the
  /// range of 95 %.
  void host(const JobSpec& job)
  {
    constexpr double fastest = 7e-6, slowest = 54e-6;
    const double now = job.host_per_operator.value(), width = std::log(slowest / fastest) / 2 / half_of_95;
    AppliedConstant constant;
    constant.owner = "host";
    constant.field = "per_operator";
    constant.value = {now, now, slowest * 4};
    add({"host: time per operator", {constant}, width, std::log(fastest / 7 / now), std::log(slowest * 4 / now), now});
  }

  const PointEvaluator& evaluator_;
  Scenario scenario_; // of the point that is looked at
  Catalogue catalogue_;
};

/// A normal distribution of the factors' logarithms, narrowed by one linear observation after the other.
class Posterior
{
public:
  explicit Posterior(const std::vector<Group>& groups) : mean(groups.size(), 0), spread_(groups.size())
  {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      spread_[i].assign(groups.size(), 0);
      spread_[i][i] = groups[i].width * groups[i].width;
    }
  }

  /// Slopes times factors are @p value, up to a normal error.
  void observe(const std::vector<double>& slopes, double value, double error)
  {
    std::vector<double> along(mean.size(), 0);
    double variance = error * error;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      for (std::size_t j = 0; j < mean.size(); ++j)
        along[i] += spread_[i][j] * slopes[j];
      variance += along[i] * slopes[i];
      value -= slopes[i] * mean[i];
    }
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += along[i] * value / variance;
      for (std::size_t j = 0; j < mean.size(); ++j)
        spread_[i][j] -= along[i] * along[j] / variance;
    }
  }

  double deviation(std::size_t i) const { return std::sqrt(std::max(spread_[i][i], 0.0)); }

  std::vector<double> mean;

private:
  std::vector<std::vector<double>> spread_; // covariance
};

class Calibrator
{
public:
  Calibrator(const Document& document, std::span<const MeasuredRow> rows, const PointEvaluator& evaluator)
      : rows_{rows}, evaluator_{evaluator}, groups_{evaluator}
  {
    for (const MeasuredRow& row : rows) {
      Document changed = document;
      for (const auto& [path, value] : row.settings)
        set_path(changed, path, value);
      Diagnostics diagnostics;
      const SweepSpace space{changed, diagnostics};
      diagnostics.throw_if_errors();
      if (space.size() > 1)
        throw InputError{fmt::format("{}: the scenario has {} points, and the step was measured at one; a scenario "
                                     "without 'sweep', or --point, says at which",
                                     place(row), space.size())};
      points_.push_back(space.point(0));
      groups_.collect(points_.back());
    }
  }

  CalibrationByRows run()
  {
    std::vector<double> factors(groups_.list.size(), 0);
    const std::vector<double> before = by_names(factors);
    refuse_contradictions(before);
    std::vector<double> now = before;
    std::vector<std::vector<double>> slopes = slopes_at(factors, now);
    drop_idle(slopes, factors);
    if (groups_.list.empty())
      throw InputError{"nothing that is known by names decides these steps: the scenario gives their times itself "
                       "(single_gpu_step, layers with times), so a measured step has nothing to move"};
    Posterior unbounded{groups_.list};
    for (int round = 0; round < 5; ++round) {
      if (round > 0)
        slopes = slopes_at(factors, now);
      Posterior posterior{groups_.list};
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        double value = logarithm(row, rows_[row].figure.limit) - now[row];
        for (std::size_t i = 0; i < factors.size(); ++i)
          value += slopes[row][i] * factors[i];
        posterior.observe(slopes[row], value, row_error(row));
      }
      unbounded = posterior;
      keep_inside(posterior);
      if (!go_towards(posterior.mean, factors, now))
        break;
    }
    return told(factors, unbounded, slopes_at(factors, now), before, now);
  }

private:
  static std::string place(const MeasuredRow& row) { return row.place.empty() ? "--measured" : row.place; }
  /// Answers about one system differ by this much in what is measured over what is predicted.
  static double repeat_error() { return model_errors().of({"all_reduce", 0}).own; }
  /// The same for answers of the row's kind: of a single collective, sizes are off by unlike factors.
  double row_error(std::size_t row) const { return own_errors_[row]; }

  /// Of the step time: what is faster is smaller.
  double logarithm(std::size_t row, double value) const
  {
    return more_is_faster(rows_[row].figure.measure) ? -std::log(value) : std::log(value);
  }

  /// Of the scenario's own fidelity.
  double predicted(std::size_t row, const std::vector<double>& factors) const
  {
    return predicted(row, points_[row], factors);
  }

  double predicted(std::size_t row, const SweepPoint& point, const std::vector<double>& factors) const
  {
    return value_in(row, evaluated(point, factors));
  }

  PointOutcome evaluated(const SweepPoint& point, const std::vector<double>& factors) const
  {
    return evaluator_.evaluate(point, [&](CheckedPoint& checked, Catalogue& catalogue) {
      for (std::size_t i = 0; i < factors.size(); ++i) {
        const Group& group = groups_.list[i];
        for (const AppliedConstant& constant : group.constants)
          if (factors[i] != 0)
            set_constant(constant, value_at(constant, factors[i]), checked.scenario.transports, catalogue.gpus);
        for (JobSpec& job : checked.scenario.jobs)
          if (group.is_host() && job.host_per_operator == Seconds{group.host})
            job.host_per_operator = Seconds{group.host * std::exp(factors[i])};
      }
    });
  }

  double value_in(std::size_t row, const PointOutcome& outcome) const
  {
    const std::optional<double> value = value_of(rows_[row].figure.measure, outcome);
    if (outcome.failed() || !value || !(*value > 0))
      throw InputError{fmt::format("{}: this scenario has no {}{}", place(rows_[row]), rows_[row].figure.measure.text,
                                   outcome.failed() ? ": " + outcome.failure : "")};
    return logarithm(row, *value);
  }

  /// The first prediction of each row, which also says how far answers of its kind differ.
  std::vector<double> by_names(const std::vector<double>& factors)
  {
    std::vector<double> list;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const PointOutcome outcome = evaluated(points_[row], factors);
      own_errors_.push_back(repeat_error());
      for (const Measured& item : outcome.items)
        if (const auto own = item.numbers.find("error_own"); own != item.numbers.end())
          own_errors_[row] = std::max(own_errors_[row], own->second);
      list.push_back(value_in(row, outcome));
    }
    return list;
  }

  /// Rows of equal scenarios are off by the same, whatever they measure.
  void refuse_contradictions(const std::vector<double>& before) const
  {
    const auto off = [&](std::size_t row) { return logarithm(row, rows_[row].figure.limit) - before[row]; };
    const auto said = [&](std::size_t row) { return measure_text(rows_[row].figure.measure, rows_[row].figure.limit); };
    for (std::size_t row = 0; row < rows_.size(); ++row)
      for (std::size_t other = 0; other < row; ++other)
        if (rows_[other].settings == rows_[row].settings &&
            std::abs(off(row) - off(other)) > 2 * std::sqrt(2.0) * repeat_error())
          throw InputError{fmt::format("{}: {} contradicts {} of the same scenario ({}); give the column that was "
                                       "another one, or the right one of the two",
                                       place(rows_[row]), said(row), said(other), place(rows_[other]))};
  }

  std::vector<double> predicted(const std::vector<double>& factors) const
  {
    std::vector<double> list;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      list.push_back(predicted(row, factors));
    return list;
  }

  /// By closed form where it knows a divided transformer: many GPUs take long one by one, and their slopes are alike.
  std::vector<std::vector<double>> slopes_at(const std::vector<double>& factors, const std::vector<double>& now) const
  {
    constexpr double step = 0.05; // of the logarithm: wide enough to see past what is hidden behind other work
    std::vector<std::vector<double>> slopes(rows_.size(), std::vector<double>(factors.size(), 0));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      SweepPoint point = points_[row];
      const bool quick = find_path(point.document.root, "jobs.0.training.parallel") != nullptr;
      if (quick)
        set_path(point.document, "run.fidelity", "closed_form");
      const double base = quick ? predicted(row, point, factors) : now[row];
      for (std::size_t i = 0; i < factors.size(); ++i) {
        std::vector<double> varied = factors;
        const double by = factors[i] + step <= groups_.list[i].most ? step : -step;
        varied[i] += by;
        slopes[row][i] = (predicted(row, point, varied) - base) / by;
      }
    }
    return slopes;
  }

  /// Without what decides less than half a per cent of each row.
  void drop_idle(std::vector<std::vector<double>>& slopes, std::vector<double>& factors)
  {
    for (std::size_t i = groups_.list.size(); i-- > 0;) {
      if (std::ranges::any_of(slopes, [&](const auto& of_row) { return std::abs(of_row[i]) > 5e-3; }))
        continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      groups_.list.erase(groups_.list.begin() + at);
      factors.erase(factors.begin() + at);
      for (auto& of_row : slopes)
        of_row.erase(of_row.begin() + at);
    }
  }

  /// How improbable factors are, beside the rows that they predict so.
  double improbable(const std::vector<double>& factors, const std::vector<double>& predictions) const
  {
    double sum = 0;
    for (std::size_t i = 0; i < factors.size(); ++i)
      sum += std::pow(factors[i] / groups_.list[i].width, 2);
    for (std::size_t row = 0; row < rows_.size(); ++row)
      sum += std::pow((logarithm(row, rows_[row].figure.limit) - predictions[row]) / row_error(row), 2);
    return sum;
  }

  /// As far towards @p aim as it becomes more probable: the model is linear for a part of the way only. False: it is
  /// where it can be.
  bool go_towards(const std::vector<double>& aim, std::vector<double>& factors, std::vector<double>& now) const
  {
    for (const double part : {1.0, 0.5, 0.25, 0.125}) {
      std::vector<double> trial = factors;
      for (std::size_t i = 0; i < factors.size(); ++i)
        trial[i] += part * (aim[i] - factors[i]);
      const std::vector<double> predictions = predicted(trial);
      const double gained = improbable(factors, now) - improbable(trial, predictions);
      if (gained <= 0)
        continue;
      factors = trial;
      now = predictions;
      return gained > 0.01;
    }
    return false;
  }

  void keep_inside(Posterior& posterior) const
  {
    for (std::size_t times = 0; times < groups_.list.size(); ++times)
      for (std::size_t i = 0; i < groups_.list.size(); ++i) {
        const double inside = std::clamp(posterior.mean[i], groups_.list[i].least, groups_.list[i].most);
        if (inside == posterior.mean[i])
          continue;
        std::vector<double> alone(groups_.list.size(), 0);
        alone[i] = 1;
        posterior.observe(alone, inside, 1e-6);
        posterior.mean[i] = inside;
      }
  }

  CalibrationByRows told(const std::vector<double>& factors, const Posterior& posterior,
                         const std::vector<std::vector<double>>& slopes, const std::vector<double>& before,
                         const std::vector<double>& now) const
  {
    CalibrationByRows result;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Goal& figure = rows_[row].figure;
      const auto value = [&](double logarithm) {
        return std::exp(more_is_faster(figure.measure) ? -logarithm : logarithm);
      };
      std::string name = rows_[row].place;
      for (const auto& [path, set] : rows_[row].settings)
        name += fmt::format("{}{}={}", name.empty() ? "" : " ", path, set);
      result.rows.push_back({name.empty() ? "the scenario" : name, figure.limit, value(before[row]), value(now[row]),
                             figure.measure, std::abs(logarithm(row, figure.limit) - now[row]) <= 2 * row_error(row)});
      FittedRow fitted{what_decides(points_[row].document),
                       figure.measure.item,
                       network_of(evaluator_.checked(points_[row]).scenario),
                       std::exp(logarithm(row, figure.limit) - now[row]),
                       {}};
      for (std::size_t i = 0; i < factors.size(); ++i)
        fitted.decides.emplace_back(groups_.list[i].name, slopes[row][i]);
      result.profile.rows.push_back(std::move(fitted));
      if (const CalibrationByRows::Row& told = result.rows.back(); !told.explained)
        result.profile.warnings.push_back(fmt::format("no setting explains {} of {}", figure.measure.text, told.name));
    }
    result.profile.created = utc_now();
    result.profile.program = "simrun " + program_version();
    result.profile.provenance = Provenance::fitted;
    for (std::size_t i = 0; i < factors.size(); ++i)
      tell(groups_.list[i], factors[i], posterior.deviation(i), slopes.front()[i], result);
    std::ranges::sort(result.moved, {}, [](const MovedConstant& moved) { return -std::abs(moved.share); });
    return result;
  }

  static void tell(const Group& group, double factor, double deviation, double slope, CalibrationByRows& result)
  {
    const double low = std::clamp(factor - half_of_95 * deviation, group.least, std::max(factor, group.least)),
                 high = std::clamp(factor + half_of_95 * deviation, std::min(factor, group.most), group.most);
    const MovedConstant moved{group.name,
                              std::exp(factor),
                              std::exp(low),
                              std::exp(high),
                              slope,
                              factor <= group.least || factor >= group.most ||
                                  (factor > 0 && std::abs(slope) < 5e-3)}; // all that count are at their ceilings
    const auto add = [&](const std::string& name, const std::string& unit, const AppliedConstant& at) {
      CalibratedConstant constant;
      constant.name = name;
      constant.unit = unit;
      constant.value = {value_at(at, factor), value_at(at, low), value_at(at, high)};
      constant.provenance = Provenance::fitted;
      constant.note = fmt::format("{:.3g} times what is known by names", moved.factor);
      constant.samples = static_cast<int>(result.rows.size());
      result.profile.constants.push_back(std::move(constant));
    };
    for (const AppliedConstant& constant : group.constants) {
      const std::string unit = constant.field == "latency" || group.is_host() ? "s"
                               : constant.field == "efficiency"               ? "1"
                               : constant.field.starts_with("rate.") ||
                                       constant.field.starts_with("measured.products") ||
                                       constant.field.starts_with("measured.attention")
                                   ? "flop/s"
                                   : "B/s";
      add(fmt::format("{}{}.{}",
                      group.is_host()                           ? ""
                      : constant.of == AppliedConstant::Of::gpu ? "gpu."
                                                                : "transport.",
                      constant.owner, constant.field),
          unit, constant);
    }
    result.moved.push_back(moved);
  }

  std::span<const MeasuredRow> rows_;
  const PointEvaluator& evaluator_;
  std::vector<SweepPoint> points_;
  std::vector<double> own_errors_; // of the rows: how far two answers of its kind about one system differ
  Groups groups_;
};

} // namespace

std::vector<MeasuredRow> measured_rows_of(const std::string& text, const PathOf& path_of)
{
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text)) {
    if (!std::filesystem::exists(text))
      throw InputError{fmt::format(
          "--measured needs a measure and its value, such as 'step_time=412 ms', or a CSV file; there is no file '{}'",
          text)};
    return rows_of_file(text, path_of);
  }
  return {{.place = {},
           .settings = {},
           .figure = figure_of("--measured", text.substr(0, equals), text.substr(equals + 1))}};
}

CalibrationByRows calibrate_by_rows(const Document& document, std::span<const MeasuredRow> rows,
                                    const PointEvaluator& evaluator)
{
  return Calibrator{document, rows, evaluator}.run();
}

Telling calibration_told(const CalibrationByRows& result)
{
  static constexpr Sentence<std::string, std::string, std::string> unexplained{
      "calibrate.unexplained",
      "No setting within the ranges explains {measured} ({row}); the nearest is {nearest}. Something that the scenario "
      "does not say may be in it: the input, another job on the machines, other software."};
  static constexpr Sentence<> not_explained{"calibrate.not_explained", "not explained"};
  static constexpr Sentence<> at_end_of_range{"calibrate.at_end", "at the end of its range"};
  static constexpr Sentence<> what_columns_are{
      "calibrate.columns",
      "times: what is known by names; decides: how much of the first step goes with it. Constants that these rows do "
      "not tell apart moved as far as each of them is uncertain (results/error_model.csv)."};
  TableRows rows, moved;
  Messages doubts;
  for (const CalibrationByRows::Row& row : result.rows) {
    const auto text = [&](double value) { return measure_text(row.measure, value); };
    rows.push_back({row.name, text(row.measured), text(row.before), text(row.after),
                    row.explained ? TableCell{""} : TableCell{not_explained()}});
    if (!row.explained)
      doubts.push_back(unexplained(text(row.measured), row.name, text(row.after)));
  }
  for (const MovedConstant& one : result.moved)
    moved.push_back({one.name, fmt::format("{:.2f}", one.factor), fmt::format("{:.2f} to {:.2f}", one.low, one.high),
                     fmt::format("{:.0f} %", 100 * std::abs(one.share)),
                     one.at_end ? TableCell{at_end_of_range()} : TableCell{""}});
  Telling told;
  told.table({{result.rows.front().measure.text}, {"measured"}, {"by names"}, {"with it"}, {""}}, std::move(rows));
  told.gap();
  told.table({{"constant"}, {"times"}, {"19 of 20"}, {"decides"}, {""}}, std::move(moved));
  told.say(what_columns_are());
  for (const Message& doubt : doubts)
    told.say(doubt);
  return told;
}

} // namespace trainyard
