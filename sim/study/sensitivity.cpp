// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sensitivity.hpp"

#include "models/cluster/nodes/parts.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/expression.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/random.hpp"
#include "models/core/statistics.hpp"
#include "models/hardware/measured_rates.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/schema.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "models/scenario/sweep_space.hpp"
#include "models/scenario/value_range.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

namespace trainyard {
namespace {

/// The rates that were measured of a GPU, where the scenario has none of its own.
void take_measured(std::map<std::string, Gpu>& gpus, const std::string& name)
{
  if (const auto gpu = gpus.find(name); gpu != gpus.end() && gpu->second.measured == nullptr)
    gpu->second.measured = std::make_shared<const MeasuredRates>(measured_rates(name));
}

/// A number with its unit: "25 Gbit/s".
struct WrittenNumber {
  double number = 0;
  std::string unit;
  bool whole = false;
};

std::optional<WrittenNumber> written_number(const DocumentNode& node)
{
  if (node.kind != DocumentNode::Kind::scalar || node.quoted)
    return std::nullopt;
  WrittenNumber written;
  const char* begin = node.text.data();
  const char* end = begin + node.text.size();
  const auto [stop, status] = std::from_chars(begin, end, written.number);
  if (status != std::errc{} || !std::isfinite(written.number))
    return std::nullopt;
  written.unit = std::string{stop, end};
  while (!written.unit.empty() && written.unit.front() == ' ')
    written.unit.erase(0, 1);
  const std::string digits{begin, stop};
  written.whole = written.unit.empty() && digits.find_first_of(".eE") == std::string::npos;
  if (!written.unit.empty() && !any_quantity(node.text)) // "10GbE", "2x": names that begin with digits
    return std::nullopt;
  return written;
}

UncertainInput input_of(const std::string& path, const WrittenNumber& written, double by)
{
  UncertainInput input;
  input.name = input.path = path;
  input.unit = written.unit;
  input.whole = written.whole;
  input.value = written.number;
  input.low = written.number * (1 - by);
  input.high = written.number * (1 + by);
  if (input.whole) {
    const double step = std::max(1.0, std::round(written.number * by));
    input.low = std::max(written.number >= 1 ? 1.0 : 0.0, written.number - step);
    input.high = written.number + step;
  }
  input.from = input.whole ? "a choice, not uncertain" : fmt::format("+-{:.3g} %", 100 * by);
  return input;
}

/// Every number of the scenario that may be uncertain: not what identifies, counts replicas or says how to simulate.
const std::set<std::string> structural = {
    "trainyard", "run",   "sweep",  "seed", "steps", "per_rack",  "worker", "replicas", "name",   "question",
    "answer",    "nodes", "copies", "gpus", "price", "cpu_cores", "memory", "links",    "policy", "priority"};

void collect_paths(const DocumentNode& node, const std::string& path, double by, std::vector<UncertainInput>& inputs)
{
  for (const DocumentNode::Entry& entry : node.entries) {
    if (structural.contains(entry.key) || entry.key.find('.') != std::string::npos)
      continue;
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    if (const std::optional<WrittenNumber> written = written_number(entry.value); written && written->number != 0)
      inputs.push_back(input_of(inner, *written, by));
    collect_paths(entry.value, inner, by, inputs);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    collect_paths(node.items[i], fmt::format("{}.{}", path, i), by, inputs);
}

/// What data reach over an NVLink of a kind of machine that says its generation only: as link_bandwidth would say it.
std::string nvlink_of(const std::string& type, const Scenario& scenario)
{
  Settings settings = scenario.cluster.node_types.at(type).intra_settings;
  if (const std::string* generation = scenario.defaults.find("cluster.node_types." + type + ".generation"))
    settings.set("generation", any_quantity(*generation).value_or(4));
  return to_text((nvlink_rate(settings, 4) * nvlink_data_share(settings, 4)).value(), QuantityKind::bandwidth);
}

/// Every quantity and share that the scenario does not say, with its default. Whole numbers are choices.
void collect_assumed(const Document& document, const Scenario& scenario, const PointEvaluator& evaluator, double by,
                     std::vector<UncertainInput>& inputs)
{
  const auto add = [&](const FilledDefault& filled) {
    DocumentNode value;
    value.kind = DocumentNode::Kind::scalar;
    value.text = filled.value;
    if (constexpr std::string_view types = "cluster.node_types."; filled.value == "by generation")
      value.text = nvlink_of(filled.path.substr(types.size(), filled.path.rfind('.') - types.size()), scenario);
    const std::optional<WrittenNumber> written = written_number(value);
    if (!written || written->whole || written->number == 0 || filled.path.starts_with("run.") ||
        structural.contains(std::string{FilledDefaults::last_key(filled.path)}) ||
        std::ranges::find(inputs, filled.path, &UncertainInput::path) != inputs.end())
      return;
    UncertainInput input = input_of(filled.path, *written, by);
    input.assumed = true;
    input.from = "assumed, " + input.from;
    inputs.push_back(std::move(input));
  };
  scenario.defaults.each(add);
  for (const FilledDefault& filled :
       absent_defaults(document, scenario_schema_json(evaluator.parts(), evaluator.catalogue())))
    add(filled);
}

UncertainInput scaled(UncertainInput::Of of, std::string name, double value, double by, const std::string& unit)
{
  UncertainInput input;
  input.of = of;
  input.name = std::move(name);
  input.unit = unit;
  input.value = value;
  input.low = value * (1 - by);
  input.high = value * (1 + by);
  input.from = fmt::format("+-{:.3g} %", 100 * by);
  return input;
}

/// Constants of the hardware: the calibration's with their bars, the catalogue's with the general range.
void collect_constants(const Scenario& scenario, const Catalogue& catalogue, double by,
                       std::vector<UncertainInput>& inputs)
{
  const auto divided = [](const JobSpec& job) { return job.training.parallel != nullptr; };
  const bool any_divided = std::ranges::any_of(scenario.jobs, divided);
  const bool all_divided = any_divided && std::ranges::all_of(scenario.jobs, divided);
  std::set<std::string> gpus;
  for (const auto& [name, type] : scenario.cluster.node_types)
    if (type.gpus > 0)
      gpus.insert(type.gpu);
  const auto add = [&](AppliedConstant constant) {
    UncertainInput input;
    input.of = UncertainInput::Of::constant;
    input.name = constant.owner + ": " + constant.field;
    std::ranges::replace(input.name, '_', ' ');
    input.unit = constant.field == "latency" || constant.field == "kernel_launch" ? "s"
                 : constant.field == "efficiency"                                 ? ""
                 : constant.field.starts_with("rate.") || constant.field.starts_with("measured.products") ||
                         constant.field.starts_with("measured.attention")
                     ? "flop/s"
                     : "B/s";
    input.value = constant.value.value;
    input.low = constant.value.low;
    input.high = constant.value.high;
    input.constant = std::move(constant);
    return input;
  };
  const auto calibrated = [&](AppliedConstant::Of of, const std::string& owner,
                              const std::string& field) -> const AppliedConstant* {
    if (scenario.calibration)
      for (const AppliedConstant& constant : scenario.calibration->applied)
        if (constant.of == of && constant.owner == owner && constant.field == field)
          return &constant;
    return nullptr;
  };
  std::map<std::string, Gpu> known_gpus = catalogue.gpus;
  for (const std::string& name : gpus)
    take_measured(known_gpus, name);
  const auto both = [&](AppliedConstant::Of of, const std::string& owner, const std::string& field) {
    if (const AppliedConstant* known = calibrated(of, owner, field); known != nullptr) {
      UncertainInput input = add(*known);
      input.from = fmt::format("calibration {}, 95 % bar", scenario.calibration->name);
      inputs.push_back(std::move(input));
      return;
    }
    AppliedConstant constant{of, owner, field, {}, Provenance::data_sheet};
    const double value = current_value(constant, scenario.transports, known_gpus);
    if (!(value > 0) || !std::isfinite(value))
      return;
    constant.value = {value, value * (1 - by), value * (1 + by)};
    if (field == "efficiency")
      constant.value.high = std::min(constant.value.high, 1.0);
    UncertainInput input = add(constant);
    input.from = fmt::format("{}, +-{:.3g} %", field.starts_with("measured.") ? "measured" : "catalogue", 100 * by);
    inputs.push_back(std::move(input));
  };
  for (const std::string& name : gpus) {
    if (const auto gpu = known_gpus.find(name); gpu != known_gpus.end()) {
      // Divided transformers count with what was measured, where it was, all others with the data sheet.
      const std::vector<std::string> measured = any_divided ? measured_fields(gpu->second) : std::vector<std::string>{};
      for (const auto& [precision, rate] : gpu->second.peak)
        if (!all_divided || std::ranges::find(measured, "measured.products." + precision) == measured.end())
          both(AppliedConstant::Of::gpu, name, "rate." + precision);
      for (const std::string& field : measured)
        both(AppliedConstant::Of::gpu, name, field);
    }
    both(AppliedConstant::Of::gpu, name, "memory_bandwidth");
    both(AppliedConstant::Of::gpu, name, "kernel_launch");
  }
  for (const auto& [name, transport] : scenario.transports)
    for (const char* field : {"latency", "efficiency", "stream_limit", "endpoint_limit"})
      both(AppliedConstant::Of::transport, name, field);
  const NetworkSpec& network = scenario.cluster.network;
  const auto link = catalogue.links.find(network.link);
  const double bandwidth = network.bandwidth.value() > 0   ? network.bandwidth.value()
                           : link == catalogue.links.end() ? 0
                                                           : link->second.bandwidth.value();
  const double latency = network.latency                 ? network.latency->value()
                         : link == catalogue.links.end() ? 0
                                                         : link->second.latency.value();
  if (bandwidth > 0)
    inputs.push_back(scaled(UncertainInput::Of::network_bandwidth, "network: bandwidth", bandwidth, by, "B/s"));
  if (latency > 0)
    inputs.push_back(scaled(UncertainInput::Of::network_latency, "network: latency", latency, by, "s"));
  for (const auto& [name, kind] : catalogue.links)
    if (kind.kind == "pcie" || kind.kind == "nvlink") {
      UncertainInput input = scaled(UncertainInput::Of::link, name + ": bandwidth", kind.bandwidth.value(), by, "B/s");
      input.path = name;
      inputs.push_back(std::move(input));
    }
}

/// "path=low..high" or "path=20%".
UncertainInput given_input(const std::string& text, const Document& document)
{
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError{fmt::format("--input needs PATH=LOW..HIGH or PATH=20%, not '{}'", text)};
  const std::string path = text.substr(0, equals), range = text.substr(equals + 1);
  const DocumentNode* node = find_path(document.root, path);
  const std::optional<WrittenNumber> written = node == nullptr ? std::nullopt : written_number(*node);
  if (!written) {
    if (node != nullptr)
      throw InputError{fmt::format("--input {}: '{}' is not a number", path, node->text)};
    Document trial{document.file, {}, document.root};
    set_path(trial, path, "1"); // a path through something else says so, with a suggestion
    throw InputError{
        fmt::format("--input {}: the scenario does not give this value; set it first: --set {}=VALUE", path, path)};
  }
  if (range.ends_with('%')) {
    const std::optional<double> share = any_quantity(range);
    if (!share || !(*share > 0) || !(*share < 1))
      throw InputError{fmt::format("--input {}: '{}' is not a share between 0 and 100 %", path, range)};
    UncertainInput input = input_of(path, *written, *share);
    input.from = "given";
    return input;
  }
  DocumentNode scalar;
  scalar.kind = DocumentNode::Kind::scalar;
  scalar.text = range;
  try {
    const SampledRange sampled = sampled_range(scalar);
    UncertainInput input = input_of(path, *written, 0.1);
    const std::optional<double> mine = any_quantity("1 " + written->unit), its = any_quantity("1 " + sampled.unit);
    const double factor = sampled.unit.empty() || sampled.unit == written->unit || !mine || !its ? 1 : *its / *mine;
    input.low = sampled.from * factor;
    input.high = sampled.to * factor;
    input.from = "given";
    return input;
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("--input {}: {}", text, fault.what())};
  }
}

/// Inputs set to values: [input] = value.
using Setting = std::vector<std::pair<std::size_t, double>>;

class Varied
{
public:
  Varied(const SweepPoint& point, const PointEvaluator& evaluator, const std::vector<UncertainInput>& inputs)
      : point_{point}, evaluator_{evaluator}, inputs_{inputs}
  {
  }

  PointOutcome evaluate(const Setting& setting, int replica, const std::string& fidelity = {}) const
  {
    SweepPoint made = point_;
    if (!fidelity.empty())
      set_path(made.document, "run.fidelity", fidelity);
    make_replica(made.document, static_cast<std::uint64_t>(replica));
    for (const auto& [i, value] : setting)
      if (inputs_[i].of == UncertainInput::Of::path)
        set_path(made.document, inputs_[i].path, inputs_[i].text(value));
    return evaluator_.evaluate(std::move(made), [&](CheckedPoint& checked, Catalogue& catalogue) {
      for (const auto& [i, value] : setting) {
        const UncertainInput& input = inputs_[i];
        switch (input.of) {
        case UncertainInput::Of::constant:
          set_constant(input.constant, value, checked.scenario.transports, catalogue.gpus);
          break;
        case UncertainInput::Of::network_bandwidth:
          checked.scenario.cluster.network.bandwidth = BytesPerSecond{value};
          break;
        case UncertainInput::Of::network_latency:
          checked.scenario.cluster.network.latency = Seconds{value};
          break;
        case UncertainInput::Of::link:
          if (const auto link = catalogue.links.find(input.path); link != catalogue.links.end())
            link->second.bandwidth = BytesPerSecond{value};
          break;
        case UncertainInput::Of::path:
          break;
        }
      }
    });
  }

private:
  const SweepPoint& point_;
  const PointEvaluator& evaluator_;
  const std::vector<UncertainInput>& inputs_;
};

/// Mean of each measure over the replicas; nothing where a replica failed or left work undone.
std::optional<std::vector<double>> means(std::span<const PointOutcome> replicas, const std::vector<Measure>& measures)
{
  std::vector<double> list(measures.size(), 0);
  for (const PointOutcome& outcome : replicas) {
    if (!outcome.verdict().answers())
      return std::nullopt;
    for (std::size_t m = 0; m < measures.size(); ++m)
      list[m] += value_of(measures[m], outcome).value_or(0) / static_cast<double>(replicas.size());
  }
  return list;
}

} // namespace

std::string UncertainInput::text(double at) const
{
  if (whole)
    return fmt::format("{:.0f}", std::round(at));
  if (of == Of::path)
    return unit.empty() ? fmt::format("{:.9g}", at) : fmt::format("{:.9g} {}", at, unit);
  const QuantityKind kind = unit == "s"     ? QuantityKind::duration
                            : unit == "B/s" ? QuantityKind::bandwidth
                                            : QuantityKind::flops_rate;
  return unit.empty() ? fmt::format("{:.4g}", at) : to_text(at, kind, 4);
}

namespace {

/// One sensitivity study, step by step.
class SensitivityStudy
{
public:
  using Progress = std::function<void(std::size_t, std::size_t, const std::string&)>;

  SensitivityStudy(const SweepPoint& point, const PointEvaluator& evaluator, const SensitivityRequest& request,
                   const Progress& progress)
      : point_{point}, evaluator_{evaluator}, request_{request}, progress_{progress},
        scenario_{evaluator.checked(point).scenario}, runner_{runner_of(scenario_)}
  {
    const auto* scheduling = scenario_.section<SchedulingSection>("scheduling");
    trace_speeds_ = runner_ != nullptr && runner_->kind() == "trainyard queue" &&
                    (scheduling == nullptr || !scheduling->step_speed);
  }

  Sensitivity run()
  {
    result_.point = point_.label();
    result_.price_note = evaluator_.price_note(scenario_);
    collect_inputs();
    expect(result_.inputs.size());
    total_ += 2; // the answer itself
    choose_measures();
    expect(result_.inputs.size());
    std::set<std::size_t> idle = idle_inputs();
    expect(result_.inputs.size() - idle.size());
    const std::vector<std::size_t> acting = vary_each(idle);
    result_.without_effect.assign(idle.begin(), idle.end());
    if (request_.samples > 0 && !acting.empty())
      vary_together(acting);
    return std::move(result_);
  }

private:
  using Run = std::pair<Setting, int>; // and the replica

  std::vector<PointOutcome> batch(const std::vector<Run>& runs, const std::string& what,
                                  const std::string& fidelity = {})
  {
    const Varied varied{point_, evaluator_, result_.inputs};
    const bool quick = !fidelity.empty(); // a look, which takes nothing beside a simulation
    std::vector<PointOutcome> outcomes = evaluate_batch(
        runs.size(), [&](std::size_t i) { return varied.evaluate(runs[i].first, runs[i].second, fidelity); },
        request_.workers,
        [&](std::size_t done) {
          if (progress_)
            progress_(done_ + (quick ? 0 : done), std::max(total_, done_ + runs.size()), what);
        });
    done_ += quick ? 0 : runs.size();
    return outcomes;
  }

  /// What is to be simulated if @p inputs are varied; before anything is known of them, no more than that.
  void expect(std::size_t inputs)
  {
    const auto replicas = static_cast<std::size_t>(result_.replicas);
    total_ = done_ + replicas * (1 + 2 * inputs) + static_cast<std::size_t>(request_.samples);
  }

  void collect_inputs()
  {
    if (request_.inputs.empty()) {
      if (!trace_speeds_)
        collect_constants(scenario_, calibrated(evaluator_.catalogue(), scenario_), request_.by, result_.inputs);
      collect_paths(point_.document.root, "", request_.by, result_.inputs);
      if (runner_ == nullptr || runner_->kind() == "trainyard parallel") // of others each costs a whole simulation
        collect_assumed(point_.document, scenario_, evaluator_, request_.by, result_.inputs);
      // the network's speed is varied as such
      std::erase_if(result_.inputs, [](const UncertainInput& input) {
        return input.path == "cluster.network.bandwidth" || input.path == "cluster.network.latency";
      });
    }
    for (const std::string& text : request_.inputs)
      result_.inputs.push_back(given_input(text, point_.document));
    if (result_.inputs.empty())
      throw InputError{"there is nothing to vary; give inputs with --input PATH=LOW..HIGH"};
  }

  /// The answer itself, what of it is measured, and whether the seed matters.
  void choose_measures()
  {
    const std::vector<PointOutcome> base = batch({{{}, 0}, {{}, 1}}, "the answer");
    if (const Verdict verdict = base[0].verdict(); !verdict.answers())
      throw InputError{verdict.text()};
    std::vector<std::string> texts = request_.measures;
    if (texts.empty()) {
      constexpr std::size_t most_jobs = 4;
      for (const Measured& job : base[0].items) // each on its own: of several the slowest would be taken
        if (base[0].items.size() > 1 && job.group.empty() && texts.size() < most_jobs &&
            value_of(parse_measure("throughput"), base[0], job.item))
          texts.push_back(fmt::format("throughput({})", job.item));
      for (const char* name : {"throughput", "jct"})
        if (texts.empty() && value_of(parse_measure(name), base[0]))
          texts.emplace_back(name);
      if (texts.empty())
        if (const std::vector<Measure> others = other_measures(base[0]); !others.empty())
          texts.push_back(others.front().text);
    }
    for (const std::string& text : texts) {
      const Measure& measure = result_.measures.emplace_back(parse_measure(text, &base[0]));
      if (const std::string why = why_not_measured(measure, base[0]); !why.empty())
        throw InputError{why};
    }
    result_.random = !same_figures(base[0], base[1]);
    result_.replicas = result_.random ? std::max(request_.replicas, 1) : 1;
  }

  /// Most constants of the catalogue do not matter for this scenario: where neither end changes the closed_form result,
  /// nor the fluid result, the long simulation is skipped.
  std::set<std::size_t> idle_inputs()
  {
    std::set<std::size_t> idle;
    if (trace_speeds_ || runner_ != nullptr || scenario_.run.fidelity == "closed_form")
      return idle;
    std::vector<Run> looks = {{{}, 0}};
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < result_.inputs.size(); ++i)
      if (result_.inputs[i].of != UncertainInput::Of::path || result_.inputs[i].assumed)
        for (const double end : {result_.inputs[i].low, result_.inputs[i].high}) {
          looks.push_back({{{i, end}}, 0});
          of.push_back(i);
        }
    const std::vector<PointOutcome> seen = batch(looks, "which inputs have an effect", "closed_form");
    if (seen[0].failed())
      return idle;
    idle.insert(of.begin(), of.end());
    for (std::size_t k = 0; k < of.size(); ++k)
      for (const Measure& measure : result_.measures)
        if (seen[k + 1].failed() || value_of(measure, seen[k + 1]) != value_of(measure, seen[0]))
          idle.erase(of[k]);
    return idle;
  }

  /// Every input that is not @p idle at both ends of its range. Returns those that are uncertain and act; the others
  /// become idle.
  std::vector<std::size_t> vary_each(std::set<std::size_t>& idle)
  {
    const auto replicas = static_cast<std::size_t>(result_.replicas);
    std::vector<Run> runs;
    for (std::size_t r = 0; r < replicas; ++r)
      runs.push_back({{}, static_cast<int>(r)});
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < result_.inputs.size(); ++i) {
      if (idle.contains(i))
        continue;
      of.push_back(i);
      for (const double end : {result_.inputs[i].low, result_.inputs[i].high})
        for (std::size_t r = 0; r < replicas; ++r)
          runs.push_back({{{i, end}}, static_cast<int>(r)});
    }
    const std::vector<PointOutcome> outcomes = batch(runs, "each input separately");
    const std::span<const PointOutcome> all{outcomes};
    result_.base =
        means(all.subspan(0, replicas), result_.measures).value_or(std::vector<double>(result_.measures.size(), 0));
    result_.effects.resize(result_.measures.size());
    std::vector<std::size_t> acting;
    for (std::size_t k = 0; k < of.size(); ++k) {
      const UncertainInput& input = result_.inputs[of[k]];
      const std::optional<bool> moves = add_effects(of[k], all.subspan(replicas * (1 + 2 * k), replicas),
                                                    all.subspan(replicas * (2 + 2 * k), replicas));
      if (moves && !*moves)
        idle.insert(of[k]);
      else if (moves && (!input.whole || input.from == "given")) // workers and batch sizes are choices, not uncertain
        acting.push_back(of[k]);
    }
    for (std::vector<InputEffect>& effects : result_.effects)
      std::ranges::stable_sort(effects, std::greater{}, &InputEffect::swing);
    return acting;
  }

  /// Whether an input changes a figure between its ends; nothing where it cannot be varied, or only to an end that
  /// changes nothing.
  std::optional<bool> add_effects(std::size_t input, std::span<const PointOutcome> low,
                                  std::span<const PointOutcome> high)
  {
    const auto at_low = means(low, result_.measures), at_high = means(high, result_.measures);
    if (!at_low && !at_high) {
      if (result_.inputs[input].assumed) // only where the scenario says more does it count
        return false;
      result_.failed.emplace_back(input, low.front().failed() ? low.front().failure : high.front().failure);
      return std::nullopt;
    }
    const bool both_run = at_low && at_high;
    bool moves = false;
    for (std::size_t m = 0; m < result_.measures.size(); ++m) {
      const double base = result_.base[m];
      const InputEffect effect{
          .input = input,
          .base = base,
          .at_low = at_low ? (*at_low)[m] : base,
          .at_high = at_high ? (*at_high)[m] : base,
          .runs_at_low = at_low.has_value(),
          .runs_at_high = at_high.has_value(),
      };
      const bool here =
          std::max(std::abs(effect.at_low - base), std::abs(effect.at_high - base)) > 1e-9 * std::abs(base);
      moves = moves || here;
      if (here || !both_run) // that it cannot run there is an answer, too
        result_.effects[m].push_back(effect);
    }
    return moves || both_run ? std::optional{moves} : std::nullopt;
  }

  /// One value of the input in each of @p count equal parts of its range, in random order.
  std::vector<double> draw(std::size_t number, std::size_t count) const
  {
    const UncertainInput& input = result_.inputs[number];
    RandomStream stream = Random{1}.stream(fmt::format("sensitivity.{}", number));
    std::vector<std::size_t> stratum(count);
    std::iota(stratum.begin(), stratum.end(), 0U);
    for (std::size_t i = count; i > 1; --i)
      std::swap(stratum[i - 1], stratum[stream.below(i)]);
    std::vector<double> drawn;
    for (const std::size_t part : stratum) {
      const double u = (static_cast<double>(part) + stream.uniform()) / static_cast<double>(count);
      drawn.push_back(input.low + u * (input.high - input.low));
    }
    return drawn;
  }

  /// All inputs that act at once: a Latin hypercube.
  void vary_together(const std::vector<std::size_t>& acting)
  {
    result_.varied_together = acting.size();
    const auto n = static_cast<std::size_t>(request_.samples);
    std::vector<Run> samples(n);
    std::vector<std::vector<double>> drawn;
    for (const std::size_t input : acting) {
      drawn.push_back(draw(input, n));
      for (std::size_t i = 0; i < n; ++i)
        samples[i].first.emplace_back(input, drawn.back()[i]);
    }
    for (std::size_t i = 0; i < n; ++i)
      samples[i].second = static_cast<int>(i % static_cast<std::size_t>(result_.replicas));
    const std::vector<PointOutcome> answers = batch(samples, "all inputs together");
    for (std::size_t m = 0; m < result_.measures.size(); ++m) {
      std::vector<double> values;
      std::vector<std::size_t> good;
      for (std::size_t i = 0; i < n; ++i)
        if (const auto value =
                answers[i].verdict().answers() ? value_of(result_.measures[m], answers[i]) : std::nullopt) {
          values.push_back(*value);
          good.push_back(i);
        }
      result_.together.emplace_back(quantile(values, 0.05), quantile(values, 0.95));
      for (InputEffect& effect : result_.effects[m]) {
        const auto a = static_cast<std::size_t>(std::ranges::find(acting, effect.input) - acting.begin());
        if (a == acting.size())
          continue;
        std::vector<double> x;
        for (const std::size_t i : good)
          x.push_back(drawn[a][i]);
        effect.rank = rank_correlation(x, values);
      }
      result_.samples = static_cast<int>(values.size());
      result_.left_out = static_cast<int>(n - values.size());
    }
  }

  const SweepPoint& point_;
  const PointEvaluator& evaluator_;
  const SensitivityRequest& request_;
  const Progress& progress_;
  Scenario scenario_;
  const ScenarioRunner* runner_;
  bool trace_speeds_ = false;
  std::size_t done_ = 0;  // simulations
  std::size_t total_ = 0; // that are expected, with those
  Sensitivity result_;
};

} // namespace

Sensitivity sensitivity(const SweepPoint& point, const PointEvaluator& evaluator, const SensitivityRequest& request,
                        const std::function<void(std::size_t, std::size_t, const std::string&)>& progress)
{
  return SensitivityStudy{point, evaluator, request, progress}.run();
}

} // namespace trainyard
