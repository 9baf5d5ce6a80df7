// SPDX-License-Identifier: Apache-2.0
#include "sim/study/measures.hpp"
#include "models/results/model_error.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/results/column.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/parallel/parallel_row.hpp"
#include "sim/sources/queue/queue_metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

const std::vector<std::string> statistics = {"mean", "p50", "p95", "p99", "max"};

std::string stripped(std::string_view text)
{
  return std::string{trimmed(text)};
}

const std::map<std::string, std::string>& short_names()
{
  static const std::map<std::string, std::string> names = {{"queue", "queueing_delay"},
                                                           {"delay", "queueing_delay"},
                                                           {"util", "utilisation"},
                                                           {"step", "step_time"},
                                                           {"samples_per_second", "throughput"},
                                                           {"utilization", "utilisation"},
                                                           {"bounded_slowdown", "slowdown"},
                                                           {"memory", "gpu_memory"},
                                                           {"tokens_per_s", "tokens_per_second"},
                                                           {"mfu", "model_flop_utilisation"}};
  return names;
}

const MeasureKind* find_kind(const std::string& name)
{
  const auto found = std::ranges::find(measure_kinds(), full_measure_name(name), &MeasureKind::name);
  return found == measure_kinds().end() ? nullptr : &*found;
}

std::vector<std::string> kind_names()
{
  std::vector<std::string> names;
  for (const MeasureKind& kind : measure_kinds())
    names.push_back(kind.name);
  return names;
}

/// A column such as "deployed_p95_s" or "jct_s_p95" taken apart.
struct ColumnParts {
  std::string base; // without unit and statistic
  std::string unit;
  std::string statistic;
};

ColumnParts parts_of_column(const std::string& column)
{
  ColumnParts parts{column, {}, {}};
  const auto cut = [&](const std::string& suffix) {
    if (parts.base.size() <= suffix.size() || !parts.base.ends_with(suffix))
      return false;
    parts.base.resize(parts.base.size() - suffix.size());
    return true;
  };
  const auto cut_unit = [&] {
    for (const auto& [suffix, unit] :
         {std::pair{"_usd_per_hour", "$/h"}, std::pair{"_usd", "$"}, std::pair{"_s", "s"}, std::pair{"_B", "B"}})
      if (parts.unit.empty() && cut(suffix))
        parts.unit = unit;
  };
  cut_unit();
  for (const std::string& statistic : statistics)
    if (parts.statistic.empty() && cut("_" + statistic))
      parts.statistic = statistic;
  cut_unit();
  return parts;
}

bool probably_better_when_larger(const std::string& name)
{
  for (const char* word : {"throughput", "per_second", "utilisation", "availability", "finished", "completed",
                           "completions", "efficiency", "jain", "running"})
    if (name.find(word) != std::string::npos)
      return true;
  return false;
}

/// Places of a figure's errors, with the probability that what is measured lies below.
constexpr std::pair<const char*, double> error_places[] = {
    {"_low_95", 0.025}, {"_low_80", 0.1}, {"_middle", 0.5}, {"_high_80", 0.9}, {"_high_95", 0.975}};

bool in_table(const std::string& column)
{
  for (const auto& [place, share] : error_places)
    if (column.ends_with(place))
      return true;
  return std::ranges::any_of(measure_kinds(), [&](const MeasureKind& kind) {
    return column == kind.column || (kind.distribution && column.starts_with(kind.column + "_"));
  });
}

Measure measure_of_column(const std::string& column, const std::string& text, const std::string& item)
{
  const ColumnParts parts = parts_of_column(column);
  Measure measure{text, parts.base, parts.statistic, item, {}};
  measure.other = MeasureKind{
      parts.base, "run", column, parts.unit, false, probably_better_when_larger(column), "a figure of the summary"};
  return measure;
}

/// The figures of its items, also those that are absent.
std::set<std::string> columns_of(const PointOutcome& outcome)
{
  std::set<std::string> columns;
  for (const Measured& measured : outcome.items) {
    columns.insert(measured.absent.begin(), measured.absent.end());
    for (const auto& [column, value] : measured.numbers)
      columns.insert(column);
  }
  return columns;
}

/// The column of a probe that a name and a statistic mean: the column itself, its name without the unit, the mean of
/// several statistics.
std::optional<std::string> column_in(const PointOutcome& probe, const std::string& name, const std::string& statistic)
{
  std::optional<std::string> found;
  int rank = 4;
  for (const std::string& column : columns_of(probe)) {
    const ColumnParts parts = parts_of_column(column);
    int fits = 4;
    if (statistic.empty())
      fits = column == name              ? 0
             : parts.base != name        ? 4
             : parts.statistic.empty()   ? 1
             : parts.statistic == "mean" ? 2
                                         : 3;
    else if (parts.base == name && parts.statistic == statistic)
      fits = 0;
    if (fits < rank) {
      rank = fits;
      found = column;
    }
  }
  return found;
}

std::vector<std::string> names_in(const PointOutcome* probe)
{
  std::vector<std::string> names = kind_names();
  if (probe != nullptr)
    for (const Measure& measure : other_measures(*probe))
      if (std::ranges::find(names, measure.name) == names.end())
        names.push_back(measure.name);
  return names;
}

std::string column_of(const Measure& measure)
{
  if (measure.other)
    return measure.other->column;
  const MeasureKind& kind = kind_of(measure);
  return kind.distribution ? kind.column + "_" + (measure.statistic.empty() ? "mean" : measure.statistic) : kind.column;
}

/// A limit in the unit of its measure.
double limit_of(const MeasureKind& kind, const std::string& text, const std::string& goal)
{
  const auto refuse = [&](const std::string& why) { throw InputError{fmt::format("goal '{}': {}", goal, why)}; };
  std::string number = text;
  if (kind.unit == "/s" && number.ends_with("/s"))
    number = stripped(std::string_view{number}.substr(0, number.size() - 2));
  const std::map<std::string, QuantityKind> kinds = {{"s", QuantityKind::duration},
                                                     {"B", QuantityKind::bytes},
                                                     {"$/h", QuantityKind::money_rate},
                                                     {"$", QuantityKind::money}};
  if (const auto found = kinds.find(kind.unit); found != kinds.end()) {
    const QuantityText read = parse_quantity(number, found->second);
    if (!read)
      refuse(read.error);
    return read.value;
  }
  if (const std::optional<double> scaled = scaled_number(number, {})) // "500k"
    return *scaled;
  const QuantityText read = parse_quantity(number, QuantityKind::ratio);
  if (!read)
    refuse(read.error);
  return read.value;
}

} // namespace

std::optional<double> scaled_number(std::string text, const std::string& unit)
{
  for (const std::string& end : {unit, std::string{"/s"}})
    if (!end.empty() && text.ends_with(end))
      text = std::string{trimmed(std::string_view{text}.substr(0, text.size() - end.size()))};
  double factor = 1;
  if (!text.empty())
    switch (text.back()) {
    case 'k':
      factor = 1e3;
      break;
    case 'M':
      factor = 1e6;
      break;
    case 'G':
      factor = 1e9;
      break;
    default:
      break;
    }
  if (factor > 1)
    text.pop_back();
  const std::optional<double> value = as_number<double>(trimmed(text));
  return value && std::isfinite(*value) ? std::optional{*value * factor} : std::nullopt;
}

const std::vector<MeasureKind>& measure_kinds()
{
  static const std::vector<MeasureKind> kinds = [] {
    std::vector<MeasureKind> all;
    const auto add = [&](const auto& columns, const char* of) {
      for (const auto& column : columns)
        if (!column.measure.empty())
          all.push_back({column.measure, of, column.name, column.unit, has_percentiles(column), column.more_is_better,
                         column.measure_meaning.empty() ? column.meaning : column.measure_meaning});
    };
    add(job_columns(), "training");
    add(queue_columns(), "queue");
    all.push_back(
        {"cost", "cluster", "price_usd_per_hour", "$/h", false, false, "price of all machines of the cluster"});
    all.push_back({"gpus", "cluster", "gpus", "", false, false, "number of GPUs of the cluster"});
    all.push_back({"nodes", "cluster", "nodes", "", false, false, "number of machines of the cluster"});
    return all;
  }();
  return kinds;
}

void Measured::judge(const std::string& unfinished, const std::string& change)
{
  const auto count = [&](const char* name) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? 0 : static_cast<std::int64_t>(found->second);
  };
  verdict = {.ruling = unfinished.empty() ? Ruling::runs : Ruling::cannot_run,
             .over = count("jobs"),
             .left_out = unfinished.empty() ? 0 : count("jobs") - count("finished") + count("killed"),
             .margin = {},
             .why = unfinished,
             .change = change};
}

bool same_figures(const PointOutcome& a, const PointOutcome& b)
{
  return to_json_line(a) == to_json_line(b);
}

std::string to_json_line(const PointOutcome& outcome)
{
  nlohmann::ordered_json json;
  if (outcome.failed())
    json["failure"] = outcome.failure;
  if (outcome.refused)
    json["refused"] = true;
  json["items"] = nlohmann::ordered_json::object();
  for (const Measured& measured : outcome.items) {
    nlohmann::ordered_json& one = json["items"][measured.item + (measured.group.empty() ? "" : ": " + measured.group)];
    one = nlohmann::ordered_json::object();
    if (!measured.group.empty())
      one.update({{"policy", measured.item}, {"group", measured.group}});
    if (!measured.note.empty())
      one["note"] = measured.note;
    if (!measured.system.empty())
      one["system"] = measured.system;
    if (measured.run)
      one["run"] = *measured.run;
    if (!measured.verdict.answers()) {
      one["unfinished"] = measured.verdict.why;
      if (!measured.verdict.change.empty())
        one["smallest_change"] = measured.verdict.change;
    }
    for (const auto& [name, value] : measured.numbers)
      if (std::isfinite(value))
        one[name] = value;
    for (const std::string& name : measured.absent)
      one[name] = nullptr;
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

PointOutcome outcome_of_json(std::string_view text)
{
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("items") || !json["items"].is_object())
    throw std::runtime_error{"a result cannot be read"};
  PointOutcome outcome;
  outcome.failure = json.value("failure", "");
  outcome.refused = json.value("refused", false);
  for (const auto& [item, one] : json["items"].items()) {
    Measured measured;
    measured.group = one.value("group", "");
    measured.item = one.value("policy", item);
    measured.note = one.value("note", "");
    measured.system = one.value("system", "");
    if (one.contains("run") && one["run"].is_string())
      measured.run = one["run"].get<std::string>();
    for (const auto& [name, value] : one.items())
      if (value.is_number())
        measured.numbers[name] = value.get<double>();
      else if (value.is_null())
        measured.absent.insert(name);
    measured.judge(one.value("unfinished", ""), one.value("smallest_change", ""));
    outcome.items.push_back(std::move(measured));
  }
  return outcome;
}

std::string full_measure_name(const std::string& name)
{
  const auto found = short_names().find(name);
  return found == short_names().end() ? name : found->second;
}

std::vector<Measure> other_measures(const PointOutcome& outcome)
{
  std::vector<Measure> list;
  for (const Measured& measured : outcome.items)
    for (const auto& [column, value] : measured.numbers) {
      if (in_table(column) ||
          std::ranges::any_of(list, [&](const Measure& known) { return known.other->column == column; }))
        continue;
      const ColumnParts parts = parts_of_column(column);
      list.push_back(measure_of_column(
          column, parts.statistic.empty() ? parts.base : parts.statistic + "(" + parts.base + ")", {}));
    }
  return list;
}

// No formula of models/core/expression: the name in parentheses is a label that may be "las(quantum=1 h)", the unit of
// the limit follows from the measure, and who asks wants measure, limit and margin, not only whether the goal is met.
Measure parse_measure(const std::string& written, const PointOutcome* probe)
{
  const std::string text = stripped(written);
  Measure measure{text, {}, {}, {}, {}};
  const auto unknown = [&](const std::string& name) -> InputError {
    return InputError{fmt::format("'{}': there is no measure '{}'{}; simrun list measures shows {}", text, name,
                                  did_you_mean(name, names_in(probe)), fmt::join(names_in(probe), ", "))};
  };
  const auto found_in_probe = [&](const std::string& name, const std::string& statistic) {
    return probe == nullptr ? std::nullopt : column_in(*probe, full_measure_name(name), statistic);
  };
  const std::size_t open = text.find('(');
  if (open == std::string::npos) {
    const MeasureKind* kind = find_kind(text);
    if (kind == nullptr) {
      if (const auto column = found_in_probe(text, {}))
        return measure_of_column(*column, text, {});
      throw unknown(text);
    }
    measure.name = kind->name;
    return measure;
  }
  if (text.back() != ')')
    throw InputError{fmt::format("'{}': the parenthesis is not closed", text)};
  const std::string outer = stripped(std::string_view{text}.substr(0, open));
  const std::string inner = stripped(std::string_view{text}.substr(open + 1, text.size() - open - 2));
  if (const MeasureKind* kind = find_kind(outer); kind != nullptr) { // throughput(vgg)
    measure.name = kind->name;
    measure.item = inner;
    return measure;
  }
  const std::size_t comma = inner.find(',');
  const MeasureKind* kind = find_kind(stripped(std::string_view{inner}.substr(0, comma)));
  if (std::ranges::find(statistics, outer) == statistics.end()) {
    if (const auto column = kind == nullptr ? found_in_probe(outer, {}) : std::nullopt)
      return measure_of_column(*column, text, inner);
    if (kind != nullptr)
      throw InputError{fmt::format("'{}': there is no statistic '{}'{}; choose from {}", text, outer,
                                   did_you_mean(outer, statistics), fmt::join(statistics, ", "))};
    throw unknown(outer);
  }
  if (kind == nullptr) {
    const std::string name = stripped(std::string_view{inner}.substr(0, comma));
    if (const auto column = found_in_probe(name, outer))
      return measure_of_column(*column, text,
                               comma == std::string::npos ? "" : stripped(std::string_view{inner}.substr(comma + 1)));
    throw unknown(name);
  }
  if (!kind->distribution && outer != "mean")
    throw InputError{
        fmt::format("'{}': {} has one value per run and no {}; write {}", text, kind->name, outer, kind->name)};
  measure.name = kind->name;
  measure.statistic = outer;
  if (comma != std::string::npos)
    measure.item = stripped(std::string_view{inner}.substr(comma + 1));
  return measure;
}

const MeasureKind& kind_of(const Measure& measure)
{
  if (measure.other)
    return *measure.other;
  const MeasureKind* kind = find_kind(measure.name);
  if (kind == nullptr)
    throw std::logic_error{"unknown measure " + measure.name};
  return *kind;
}

bool is_money(const Measure& measure)
{
  return kind_of(measure).unit.starts_with('$');
}

bool is_share(const Measure& measure)
{
  constexpr std::array shares{"utilisation", "availability", "goodput", "model_flop_utilisation"};
  return std::ranges::find(shares, measure.name) != shares.end() || measure.name.ends_with("_share");
}

bool rests_on_steps(const MeasureKind& kind)
{
  return kind.name == "throughput" || kind.name == "step_time" || kind.name == "price_per_million_samples" ||
         kind.column == "tokens_per_second";
}

std::optional<double> value_of(const Measure& measure, const PointOutcome& outcome, const std::string& of)
{
  const std::string column = column_of(measure);
  const bool more = kind_of(measure).more_is_better;
  std::optional<double> worst;
  for (const Measured& measured : outcome.items) {
    if (!measured.is(measure.item) || (!of.empty() && measured.item != of))
      continue;
    const auto found = measured.numbers.find(column);
    if (found != measured.numbers.end() && std::isfinite(found->second))
      worst = !worst ? found->second : more ? std::min(*worst, found->second) : std::max(*worst, found->second);
  }
  return worst;
}

Verdict PointOutcome::verdict(const std::string& item, bool in_a_goal) const
{
  if (failed())
    return {.ruling = Ruling::cannot_run, .margin = {}, .why = failure};
  if (!item.empty() && std::ranges::any_of(items, [&](const Measured& one) { return one.group == item; }))
    return verdict(); // a team goes well only where all jobs of the queue do
  const auto service = item.empty()
                           ? items.end()
                           : std::ranges::find_if(items, [&](const Measured& one) { return one.run && one.is(item); });
  const auto counts = [&](const Measured& one) {
    const bool whole_run = service != items.end() && one.run == service->run;
    const auto cut_off = one.numbers.find("cut_off");
    const bool still_works = whole_run && cut_off != one.numbers.end() && cut_off->second > 0;
    return (one.is(item) || whole_run) && !(still_works && (in_a_goal || !one.is(item)));
  };
  Verdict worst;
  for (const Measured& measured : items)
    if (counts(measured)) {
      const std::int64_t over = std::max(worst.over, measured.verdict.over);
      if (worst.answers()) {
        worst = measured.verdict;
        if (!worst.answers() && (item.empty() || service != items.end()) &&
            std::ranges::count_if(items, [](const Measured& one) { return one.group.empty(); }) > 2)
          worst.why = measured.item + ": " + worst.why;
      }
      worst.over = over;
    }
  return worst;
}

std::optional<std::int64_t> population_of(const Measure& measure, const PointOutcome& outcome)
{
  if (measure.other || kind_of(measure).of != "queue" || !kind_of(measure).distribution)
    return std::nullopt;
  const bool ended = measure.name == "jct" || measure.name == "slowdown";
  std::optional<double> fewest;
  for (const Measured& one : outcome.items)
    if (const auto jobs = one.numbers.find("jobs"), finished = one.numbers.find("finished"),
        never = one.numbers.find("never_ran");
        one.is(measure.item) && jobs != one.numbers.end() && finished != one.numbers.end() &&
        never != one.numbers.end()) {
      const double over = ended ? finished->second : jobs->second - never->second;
      fewest = std::min(fewest.value_or(over), over);
    }
  return fewest ? std::optional{static_cast<std::int64_t>(*fewest)} : std::nullopt;
}

std::string population_text(const Measure& measure, const PointOutcome& outcome)
{
  const std::optional<std::int64_t> over = population_of(measure, outcome);
  return over ? fmt::format(" over {} job{}", count_text(static_cast<std::uint64_t>(*over)), *over == 1 ? "" : "s")
              : std::string{};
}

bool holds_unfinished(const Measure& measure)
{
  const std::string column = column_of(measure);
  return kind_of(measure).of == "cluster" || std::ranges::any_of(std::array{"jobs", "finished", "never_ran", "killed"},
                                                                 [&](const char* name) { return column == name; });
}

std::string why_not_measured(const Measure& measure, const PointOutcome& outcome)
{
  if (value_of(measure, outcome))
    return {};
  const auto has = [&](const char* column) {
    return std::ranges::any_of(outcome.items,
                               [&](const Measured& measured) { return measured.numbers.contains(column); });
  };
  if (measure.name == "cost" || (measure.name == "price_per_million_samples" && has("samples_per_second")) ||
      (measure.name == "total_cost" && has("makespan_s")))
    return fmt::format("'{}' cannot be measured: a machine of the scenario has no price; give every node type one "
                       "(price: 3 $/h), or a price list with --prices",
                       measure.text);
  const MeasureKind& kind = kind_of(measure);
  const std::string column = column_of(measure);
  const bool there = measure.item.empty() ||
                     std::ranges::any_of(outcome.items, [&](const Measured& one) { return one.is(measure.item); });
  if ((kind.of == "queue" && has("never_ran") && there) || (measure.name == "finish" && has("step_s")) ||
      std::ranges::any_of(outcome.items, [&](const Measured& one) { return one.absent.contains(column); }))
    return {}; // nothing has ended
  std::vector<std::string> items;
  for (const Measured& measured : outcome.items)
    if (measured.numbers.contains(column))
      items.push_back(measured.group.empty() ? measured.item : measured.group);
  if (!items.empty())
    return fmt::format("'{}' cannot be measured: there is no '{}'{}; the scenario has {}", measure.text, measure.item,
                       did_you_mean(measure.item, items), fmt::join(items, ", "));
  if (kind.of == "queue")
    return fmt::format(
        "'{}' cannot be measured: the scenario has no queue; add workload: with a trace or generated jobs",
        measure.text);
  if (kind.of == "training" && has("never_ran"))
    return fmt::format("'{}' cannot be measured: the scenario simulates a queue, not training steps", measure.text);
  constexpr std::size_t most_named = 12;
  std::vector<std::string> others;
  for (const Measure& other : other_measures(outcome))
    if (others.size() < most_named)
      others.push_back(other.text);
  return fmt::format("'{}' cannot be measured in this scenario{}", measure.text,
                     others.empty() ? std::string{} : fmt::format("; it has {}", fmt::join(others, ", ")));
}

std::string waiting_note(const Measure& measure, const PointOutcome& outcome)
{
  if (measure.other || measure.name != "queueing_delay")
    return {};
  Measure all = measure;
  all.name = "waiting";
  const std::optional<double> first = value_of(measure, outcome), whole = value_of(all, outcome);
  // Half a second in a thousand: what rounding and the share of jobs that have not ended can make of equal figures.
  if (!first || !whole || *whole <= *first * 1.0005 + 0.5)
    return {};
  const std::string named = fmt::format("{}(waiting{})", measure.statistic.empty() ? "mean" : measure.statistic,
                                        measure.item.empty() ? "" : ", " + measure.item);
  return fmt::format(
      "queueing_delay ends with the first start; with the waits of jobs that were stopped again, {} is {}", named,
      measure_text(all, *whole));
}

std::string measure_text(const Measure& measure, double value, std::optional<double> largest)
{
  const std::string& unit = kind_of(measure).unit;
  if (unit == "s")
    return time_text(Seconds{value}, Seconds{largest.value_or(value)});
  if (unit == "B")
    return to_text(value, QuantityKind::bytes, 4);
  if (unit == "/s")
    return rate_text(value) + " /s";
  if (unit == "$/h" || unit == "$")
    return fmt::format("{:.2f} {}", value, unit);
  if (is_share(measure) || measure.name == "scaling_efficiency")
    return fmt::format("{:.1f} %", 100 * value);
  return value == std::floor(value) && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value) : rate_text(value);
}

bool Goal::met(double value) const
{
  if (upper)
    return strict ? value < limit : value <= limit;
  return strict ? value > limit : value >= limit;
}

double Goal::margin(double value) const
{
  const double distance = upper ? limit - value : value - limit;
  const double scale = std::max(std::abs(limit), 1e-12);
  return distance / scale;
}

bool needs_probe(const std::string& text)
{
  try {
    parse_measure(std::string_view{text}.find_first_of("<>") == std::string::npos
                      ? text
                      : text.substr(0, text.find_first_of("<>")));
    return false;
  } catch (const InputError&) {
    return true;
  }
}

namespace {

/// Between the places of its errors, which the run itself gives; beyond them that of the last.
std::optional<double> probability_below(const Measured& measured, const std::string& column, double limit)
{
  std::optional<double> before;
  double share_before = error_places[0].second;
  for (const auto& [place, share] : error_places) {
    const auto found = measured.numbers.find(column + place);
    if (found == measured.numbers.end())
      return std::nullopt;
    if (limit < found->second)
      return before ? share_before + (share - share_before) * (limit - *before) / (found->second - *before)
                    : share_before;
    before = found->second;
    share_before = share;
  }
  return share_before;
}

} // namespace

std::optional<double> probability_of(const Goal& goal, const PointOutcome& outcome)
{
  const std::string column = kind_of(goal.measure).column;
  const auto in = [&](const auto& columns) {
    const auto found = std::ranges::find_if(columns, [&](const auto& one) { return one.name == column; });
    return found == columns.end() ? WithStep::no : found->with_step;
  };
  const bool fails =
      std::ranges::any_of(outcome.items, [](const Measured& one) { return one.numbers.contains("goodput"); });
  const bool ends = goal.measure.name == "finish" && !goal.measure.other && !fails; // steps x step, after the start
  const WithStep with_step = ends ? WithStep::as_step : std::max(in(job_columns()), in(parallel_columns()));
  if (with_step == WithStep::no) {
    std::optional<double> least;
    for (const Measured& measured : outcome.items)
      if (measured.is(goal.measure.item))
        if (const auto below = probability_below(measured, column_of(goal.measure), goal.limit))
          least = std::min(least.value_or(1), goal.upper ? *below : 1 - *below);
    return least;
  }
  if (!(goal.limit > 0))
    return std::nullopt;
  const bool rate = with_step == WithStep::as_rate;
  std::optional<double> least;
  for (const Measured& measured : outcome.items) {
    const auto number = [&](const char* name) {
      const auto found = measured.numbers.find(name);
      return found == measured.numbers.end() ? std::nan("") : found->second;
    };
    const double step = number("step_s"), value = number(column.c_str());
    const ModelError error{number("step_low_95_s") / step, number("step_low_80_s") / step,
                           number("step_middle_s") / step, number("step_high_80_s") / step,
                           number("step_high_95_s") / step};
    if (!std::isfinite(error.middle) || !(value > 0) || (!goal.measure.item.empty() && !measured.is(goal.measure.item)))
      continue;
    const double below = error.share_below(rate ? value / goal.limit : goal.limit / value);
    const double met = goal.upper == rate ? 1 - below : below;
    least = std::min(least.value_or(met), met);
  }
  return least;
}

std::string judged_without_error(const Goal& goal, const PointOutcome& outcome)
{
  constexpr std::array times{"scaling_efficiency",    "finish", "compute", "host",
                             "exposed_communication", "input",  "wait"};
  const bool uncertain = std::ranges::any_of(outcome.items, [](const Measured& one) {
    const auto own = one.numbers.find("error_own");
    return own != one.numbers.end() && own->second > 0;
  });
  return uncertain && kind_of(goal.measure).of == "training" && !probability_of(goal, outcome) &&
                 std::ranges::find(times, goal.measure.name) != times.end()
             ? "judged as predicted, without the error of the model"
             : "";
}

Goal parse_goal(const std::string& text, const PointOutcome* probe)
{
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string::npos)
    throw InputError{
        fmt::format("goal '{}': a comparison is missing; write for example 'p95(queueing_delay) < 1 h'", text)};
  Goal goal;
  goal.text = stripped(text);
  goal.measure = parse_measure(text.substr(0, at), probe);
  goal.upper = text[at] == '<';
  goal.strict = at + 1 >= text.size() || text[at + 1] != '=';
  const std::string limit = stripped(std::string_view{text}.substr(at + (goal.strict ? 1 : 2)));
  if (limit.empty())
    throw InputError{fmt::format("goal '{}': the limit is missing", text)};
  goal.limit = limit_of(kind_of(goal.measure), limit, goal.text);
  return goal;
}

void check_goals(const std::vector<Goal>& goals)
{
  for (const Goal& goal : goals) {
    const std::string& name = goal.measure.name;
    const bool share = !goal.measure.other && (name == "utilisation" || name == "jain");
    if (share && !goal.upper && (goal.limit > 1 || (goal.limit == 1 && goal.strict)))
      throw InputError{fmt::format("goal '{}': {} can never be above 100 %", goal.text, name)};
    if (goal.upper && (goal.limit < 0 || (goal.limit == 0 && goal.strict)) && !goal.measure.other)
      throw InputError{fmt::format("goal '{}': {} can never be below 0", goal.text, name)};
  }
  for (const Goal& a : goals)
    for (const Goal& b : goals)
      if (a.measure.name == b.measure.name && a.measure.statistic == b.measure.statistic &&
          a.measure.item == b.measure.item && a.upper && !b.upper &&
          (b.limit > a.limit || (b.limit == a.limit && (a.strict || b.strict))))
        throw InputError{fmt::format("the goals '{}' and '{}' cannot both be met", a.text, b.text)};
}

std::vector<AxisTick> axis_ticks(const PlotAxis& axis, const Measure& measure)
{
  std::vector<AxisTick> list;
  if (kind_of(measure).unit != "s") {
    for (const double value : axis.ticks())
      list.push_back({value, measure_text(measure, value)});
    return list;
  }
  struct Unit {
    double seconds;
    const char* name;
  };
  const Unit unit = axis.high < 1e-3      ? Unit{1e-6, "us"}
                    : axis.high < 1       ? Unit{1e-3, "ms"}
                    : axis.high <= 300    ? Unit{1, "s"}
                    : axis.high <= 7200   ? Unit{60, "min"}
                    : axis.high <= 432000 ? Unit{3600, "h"}
                                          : Unit{86400, "d"};
  const PlotAxis scaled{axis.low / unit.seconds, axis.high / unit.seconds, axis.logarithmic};
  for (const double value : scaled.ticks())
    list.push_back({value * unit.seconds, fmt::format("{:.6g} {}", value, unit.name)});
  return list;
}

} // namespace trainyard
