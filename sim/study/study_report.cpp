// SPDX-License-Identifier: Apache-2.0
// The content of the folders of plan, compare and sensitivity, for readers who decide.
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/json_values.hpp"
#include "sim/report/report_document.hpp"
#include "sim/study/measures.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = 256U << 20U;
constexpr std::size_t rows_shown = 24;

const Json& list_in(const Json& json, const char* key)
{
  static const Json none = Json::array();
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : none;
}

/// A measure by its name; one that only this scenario has goes by the unit that the file says.
Measure measure_of(const std::string& name, const std::string& unit)
{
  try {
    return parse_measure(name);
  } catch (const InputError&) {
    return {.text = name,
            .name = name,
            .statistic = "",
            .item = "",
            .other = MeasureKind{.name = name, .of = "run", .column = name, .unit = unit, .meaning = ""}};
  }
}

/// The measure of a goal as it was written: "p95(queueing_delay) < 1 h".
Measure measure_of_goal(const std::string& goal)
{
  try {
    return parse_goal(goal).measure;
  } catch (const InputError&) {
    return measure_of(goal.substr(0, goal.find_first_of("<>")), "");
  }
}

std::string value_text(const Measure& measure, double value)
{
  return std::isfinite(value) ? measure_text(measure, value) : "-";
}

/// "31.0 min (351 s to 56.2 min)"; no figure is below 0, so an interval that reaches below ends there.
std::string with_interval(const Measure& measure, double value, double low, double high)
{
  std::string text = value_text(measure, value);
  if (std::isfinite(low) && std::isfinite(high) && low != high)
    text += fmt::format(" ({} to {})", measure_text(measure, std::max(low, 0.0)), measure_text(measure, high));
  return text;
}

std::string settings_text(const Json& design)
{
  std::string text;
  const Json settings = design.value("settings", Json::object());
  for (const auto& [path, value] : settings.items()) {
    const bool nodes = path.starts_with("cluster.nodes.") && path.ends_with(".count");
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", nodes ? "nodes" : path.substr(path.rfind('.') + 1),
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string signed_percent(double share)
{
  if (share >= 9)
    return fmt::format("{:.3g} times as much", 1 + share);
  return std::isfinite(share) ? fmt::format("{:+.1f} %", 100 * share) : "-";
}

// --- plan
// -------------------------------------------------------------------------------------------------------------------------------

std::string verdict_words(const std::string& verdict)
{
  if (verdict == "met")
    return "meets all goals";
  if (verdict == "missed" || verdict == "pruned")
    return "misses a goal";
  if (verdict == "undecided")
    return "undecided: too few seeds";
  return verdict.empty() ? "not considered" : verdict;
}

void design_row(const Json& design, const char* what, const Json& manifest, std::vector<std::vector<std::string>>& rows)
{
  const Measure objective = measure_of(text_of(manifest, "objective"), "");
  std::vector<std::string> row = {what, settings_text(design), value_text(objective, number_in(design, "objective"))};
  for (const Json& goal : list_in(design, "goals"))
    row.push_back(with_interval(measure_of_goal(text_of(goal, "goal")), number_in(goal, "value"),
                                number_in(goal, "low"), number_in(goal, "high")));
  row.resize(3 + list_in(manifest, "goals").size());
  row.push_back(verdict_words(text_of(design, "verdict")));
  rows.push_back(std::move(row));
}

std::string plan_answer(const Json& manifest, const Measure& objective)
{
  const bool met = manifest.value("met", false);
  const Json best = manifest.value(met ? "answer" : "nearest_miss", Json::object());
  std::string answer = met ? fmt::format("{}: {} {}.", settings_text(best), objective.text,
                                         value_text(objective, number_in(best, "objective")))
                           : fmt::format("None of the {} designs meets every goal. The nearest miss is {}: {} {}.",
                                         manifest.value("designs", 0), settings_text(best), objective.text,
                                         value_text(objective, number_in(best, "objective")));
  for (const Json& goal : list_in(best, "goals")) {
    const Measure measure = measure_of_goal(text_of(goal, "goal"));
    const double margin = number_in(goal, "margin");
    answer += fmt::format(" The goal {} {}: {}, {:.0f} % {} the limit.", text_of(goal, "goal"),
                          margin >= 0 ? "is met" : "is not met", value_text(measure, number_in(goal, "value")),
                          std::abs(100 * margin), margin >= 0 ? "better than" : "worse than");
  }
  if (manifest.contains("nearest_for_less"))
    answer +=
        fmt::format(" Closest of the cheaper designs that fail: {}.", settings_text(manifest["nearest_for_less"]));
  return answer;
}

/// The answer, what else was near, and one node more or less.
void add_neighbours(ReportDocument& document, const Json& manifest, const Measure& objective,
                    const std::vector<std::string>& goals)
{
  document.heading("The answer and its neighbours");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, what] : {std::pair{"answer", "the answer"},
                                  {"nearest_miss", "nearest miss"},
                                  {"runner_up", "runner-up"},
                                  {"nearest_for_less", "next cheaper"}})
    if (manifest.contains(key))
      design_row(manifest[key], what, manifest, rows);
  for (const Json& change : list_in(manifest, "nodes_changed")) {
    std::vector<std::string> row = {number_in(change, "change") > 0 ? "more nodes" : "fewer nodes",
                                    text_of(change, "label"), value_text(objective, number_in(change, "objective"))};
    for (const Json& goal : list_in(change, "goals"))
      row.push_back(value_text(measure_of_goal(text_of(goal, "goal")), number_in(goal, "value")));
    row.resize(3 + goals.size());
    row.push_back(!text_of(change, "message").empty() ? text_of(change, "message")
                  : change.value("met", false)        ? "meets all goals"
                                                      : "not shown to meet all goals");
    rows.push_back(std::move(row));
  }
  std::vector<std::string> columns = {"", "design", objective.text};
  columns.insert(columns.end(), goals.begin(), goals.end());
  columns.emplace_back("verdict");
  document.table(columns, rows);
}

/// For each goal the designs that no other beats in both the goal and the objective.
void add_fronts(ReportDocument& document, const Json& manifest, const Measure& objective)
{
  for (const Json& front : list_in(manifest, "fronts")) {
    const Measure measure = measure_of_goal(text_of(front, "goal"));
    std::vector<std::vector<std::string>> rows;
    for (const Json& design : list_in(front, "designs"))
      if (rows.size() < rows_shown)
        for (const Json& goal : list_in(design, "goals"))
          if (text_of(goal, "goal") == text_of(front, "goal"))
            rows.push_back(
                {value_text(objective, number_in(design, "objective")),
                 with_interval(measure, number_in(goal, "value"), number_in(goal, "low"), number_in(goal, "high")),
                 settings_text(design), verdict_words(text_of(design, "verdict"))});
    if (rows.empty())
      continue;
    document.heading(fmt::format("{} against {}", objective.text, measure.text), 3);
    document.table({objective.text, measure.text, "design", "verdict"}, rows);
  }
}

void add_uncertainty(ReportDocument& document, const Json& manifest)
{
  document.heading("Uncertainty");
  if (manifest.value("random", false)) {
    std::string sure = fmt::format(
        "The jobs differ with the seed. {} simulations of {} designs were run, until the {:.0f} % interval of "
        "every goal of the answer was on one side of its limit.",
        manifest.value("runs", 0), manifest.value("designs", 0), 100 * manifest.value("confidence", 0.95));
    if (const Json& range = list_in(manifest, "nodes_range"); range.size() == 2)
      sure += fmt::format(" Single seeds need {:g} to {:g} nodes.", range[0].get<double>(), range[1].get<double>());
    document.paragraph(sure);
  } else {
    document.paragraph(
        fmt::format("The seed has no effect. {} simulations of {} designs were run; every comparison is exact.",
                    manifest.value("runs", 0), manifest.value("designs", 0)));
  }
  if (const Json& open = list_in(manifest, "undecided_for_less"); !open.empty())
    document.paragraph(fmt::format("{} may also meet the goals; there are too few seeds to decide: {}{}.",
                                   counted(open.size(), "cheaper design"), settings_text(open.front()),
                                   open.size() > 1 ? ", …" : ""));
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : list_in(manifest, "monotonicity"))
    if (row.value("up", 0) > 0 && row.value("down", 0) > 0)
      rows.push_back({text_of(row, "knob"), text_of(row, "measure"), fmt::format("{}", row.value("up", 0)),
                      fmt::format("{}", row.value("down", 0)), text_of(row, "exception")});
  if (rows.empty())
    return document.paragraph(
        "A higher value of a knob always changed the goals in the same direction. This was checked, not assumed.");
  document.paragraph("A higher value of a knob does not always help (checked for all pairs of neighbouring designs):");
  document.table({"knob", "figure", "rises", "falls", "most surprising"}, rows);
}

void add_plan(ReportDocument& document, const Json& manifest)
{
  const Measure objective = measure_of(text_of(manifest, "objective"), "");
  std::vector<std::string> goals;
  for (const Json& goal : list_in(manifest, "goals"))
    goals.push_back(goal.is_string() ? goal.get<std::string>() : goal.dump());
  const bool most = text_of(manifest, "direction") == "maximise";
  document.question = fmt::format("Which design has the {} {} and meets {}?", most ? "highest" : "lowest",
                                  objective.text, fmt::join(goals, " and "));
  document.heading("The answer");
  document.answer(plan_answer(manifest, objective));
  add_neighbours(document, manifest, objective, goals);
  add_fronts(document, manifest, objective);
  add_uncertainty(document, manifest);
}

// --- compare
// ----------------------------------------------------------------------------------------------------------------------------

void add_comparison(ReportDocument& document, const Json& manifest)
{
  std::vector<std::string> names;
  for (const Json& name : list_in(manifest, "candidates"))
    names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
  const std::string baseline = text_of(manifest, "baseline");
  document.title = fmt::format("Comparison of {}", fmt::join(names, ", "));
  if (document.title.size() > 90)
    document.title = fmt::format("Comparison of {} candidates", names.size());
  document.question = fmt::format("Which candidate is best, and is the difference from {} significant?", baseline);
  document.heading("The answer");
  std::string advice = text_of(manifest, "advice");
  if (advice.empty())
    advice = "No candidate is better than the others in any compared figure.";
  document.answer(advice);

  std::vector<Measure> measures;
  std::vector<std::string> columns = {"group", "candidate"};
  for (const Json& measure : list_in(manifest, "measures")) {
    measures.push_back(measure_of(text_of(measure, "name"), text_of(measure, "unit")));
    columns.push_back(measures.back().text + (measure.value("more_is_better", false) ? " (more is better)" : ""));
  }
  const auto position = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(measures, name, &Measure::text) - measures.begin());
  };
  std::vector<std::vector<std::string>> rows, differences;
  for (const Json& group : list_in(manifest, "groups")) {
    std::vector<double> base(measures.size(), std::nan(""));
    for (const Json& candidate : list_in(group, "candidates"))
      if (text_of(candidate, "name") == baseline)
        for (const Json& figure : list_in(candidate, "figures"))
          if (const std::size_t m = position(text_of(figure, "measure")); m < measures.size())
            base[m] = number_in(figure, "mean");
    for (const Json& candidate : list_in(group, "candidates")) {
      std::vector<std::string> row(2 + measures.size());
      row[0] = text_of(group, "name");
      row[1] = text_of(candidate, "name");
      for (const Json& figure : list_in(candidate, "figures")) {
        const std::size_t m = position(text_of(figure, "measure"));
        if (m >= measures.size())
          continue;
        row[2 + m] = value_text(measures[m], number_in(figure, "mean"));
        const double difference = number_in(figure, "difference");
        if (!std::isfinite(difference))
          continue;
        if (base[m] != 0)
          row[2 + m] += fmt::format(" ({})", signed_percent(difference / base[m]));
        if (std::isfinite(number_in(figure, "difference_low")) && differences.size() < 2 * rows_shown)
          differences.push_back({row[0], row[1], measures[m].text, value_text(measures[m], difference),
                                 value_text(measures[m], number_in(figure, "difference_low")),
                                 value_text(measures[m], number_in(figure, "difference_high")),
                                 figure.value("significant", false) ? "yes" : "no"});
      }
      row.push_back(!text_of(candidate, "message").empty() ? "cannot run: " + text_of(candidate, "message")
                                                           : text_of(candidate, "bottleneck"));
      if (rows.size() < 4 * rows_shown)
        rows.push_back(std::move(row));
    }
  }
  columns.emplace_back("bottleneck");
  document.heading("Results");
  document.table(columns, rows);
  document.paragraph(fmt::format("In brackets: compared with {}.", baseline));

  document.heading("Uncertainty");
  const std::string pairs = text_of(manifest, "pairs");
  if (!manifest.value("random", false) && pairs == "seed")
    document.paragraph("Nothing depends on chance: the seed changes no figure, so every difference is exact. The only "
                       "errors are those of "
                       "the model and of its inputs.");
  else if (pairs.empty())
    document.paragraph("There is one run of each candidate, so there are no intervals.");
  else
    document.paragraph(fmt::format(
        "All candidates ran with the same {}, so the differences are paired. The intervals contain the true "
        "difference with {:.0f} % confidence, corrected for several comparisons (Holm).",
        pairs == "job" ? "jobs" : fmt::format("{} seeds", manifest.value("replicas", 0)),
        100 * manifest.value("confidence", 0.95)));
  if (!differences.empty())
    document.table({"group", "candidate", "figure", "difference", "at least", "at most", "significant"}, differences);
  for (const Json& inputs : list_in(manifest, "inputs")) {
    rows.clear();
    for (const Json& difference : list_in(inputs, "differences"))
      if (rows.size() < rows_shown)
        rows.push_back(
            {text_of(difference, "path"), text_of(difference, "baseline"), text_of(difference, "candidate")});
    if (rows.empty())
      continue;
    document.heading(fmt::format("Differences in the inputs of {}", text_of(inputs, "candidate")), 3);
    document.table({"setting", baseline, text_of(inputs, "candidate")}, rows);
  }
}

// --- sensitivity
// ------------------------------------------------------------------------------------------------------------------------

void add_sensitivity(ReportDocument& document, const Json& manifest)
{
  document.question = "Which input decides the answer, and how uncertain is the answer?";
  if (const std::string point = text_of(manifest, "point"); !point.empty())
    document.question += fmt::format(" ({})", point);
  document.heading("The answer");
  std::string answer;
  for (const Json& one : list_in(manifest, "measures")) {
    const Measure measure = measure_of(text_of(one, "measure"), text_of(one, "unit"));
    const double value = number_in(one, "value");
    answer += fmt::format("{}{} is {}", answer.empty() ? "" : " ", measure.text, value_text(measure, value));
    if (const auto together = one.find("together"); together != one.end())
      answer += fmt::format("; with all uncertainties together 90 % of the answers are between {} and {}",
                            value_text(measure, number_in(*together, "p5")),
                            value_text(measure, number_in(*together, "p95")));
    if (const Json& inputs = list_in(one, "inputs"); !inputs.empty()) {
      const Json& first = inputs.front();
      const double at_low = number_in(first, "at_low"), at_high = number_in(first, "at_high");
      const std::string low = text_of(first, "low"), high = text_of(first, "high");
      answer += fmt::format(". The most important input is {}: ", text_of(first, "input"));
      answer +=
          std::isnan(at_low)
              ? fmt::format("at {} it cannot run, and at {} the answer is {}", low, high, value_text(measure, at_high))
          : std::isnan(at_high)
              ? fmt::format("at {} the answer is {}, and at {} it cannot run", low, value_text(measure, at_low), high)
              : fmt::format("from {} to {} it changes the answer from {} to {}", low, high, value_text(measure, at_low),
                            value_text(measure, at_high));
    }
    answer += ".";
  }
  document.answer(answer);
  document.heading("Effect of each input");
  for (const Json& one : list_in(manifest, "measures")) {
    const Measure measure = measure_of(text_of(one, "measure"), text_of(one, "unit"));
    const double value = number_in(one, "value");
    std::vector<std::vector<std::string>> rows;
    for (const Json& input : list_in(one, "inputs")) {
      if (rows.size() >= rows_shown)
        break;
      const auto answer_at = [&](const char* end) {
        const double at = number_in(input, end);
        return std::isnan(at) ? std::string{"cannot run"}
                              : fmt::format("{} ({})", value_text(measure, at), signed_percent(at / value - 1));
      };
      rows.push_back({text_of(input, "input"), text_of(input, "value"), text_of(input, "low"), text_of(input, "high"),
                      answer_at("at_low"), answer_at("at_high"), text_of(input, "from")});
    }
    if (list_in(manifest, "measures").size() > 1)
      document.heading(measure.text, 3);
    document.table({"input", "taken as", "at least", "at most", measure.text + " at the low end",
                    measure.text + " at the high end", "range from"},
                   rows);
  }
  document.heading("Uncertainty");
  document.paragraph("Each input goes to both ends of its range while the others keep their values. The range says how "
                     "well the input is known: it is the "
                     "95 % interval of a measurement if there is one, else an assumption. To make the answer more "
                     "certain, measure the inputs at the top "
                     "(simcal, docs/calibration.md). Choices such as the number of workers are shown too, but they are "
                     "not uncertain.");
  if (const Json& without = list_in(manifest, "without_effect"); !without.empty()) {
    std::vector<std::string> names;
    for (const Json& name : without)
      if (names.size() < 12 && name.is_string())
        names.push_back(name.get<std::string>());
    document.paragraph(fmt::format("No effect here ({}): {}{}.", without.size(), fmt::join(names, ", "),
                                   without.size() > names.size() ? ", …" : ""));
  }
}

} // namespace

bool is_study_folder(const fs::path& folder)
{
  std::error_code error;
  if (!fs::is_regular_file(folder / "manifest.json", error))
    return false;
  const Json manifest = Json::parse(read_text_file(folder / "manifest.json", largest_file), nullptr, false);
  const std::string kind = manifest.is_object() ? text_of(manifest, "kind") : "";
  return kind == "trainyard plan" || kind == "trainyard comparison" || kind == "trainyard sensitivity";
}

ReportDocument study_report(const fs::path& folder)
{
  const Json manifest = Json::parse(read_text_file(folder / "manifest.json", largest_file), nullptr, false);
  ReportDocument document;
  document.title = text_of(manifest, "scenario");
  if (document.title.empty())
    document.title = folder.filename().string();
  const std::string kind = text_of(manifest, "kind");
  if (kind == "trainyard plan")
    add_plan(document, manifest);
  else if (kind == "trainyard comparison")
    add_comparison(document, manifest);
  else
    add_sensitivity(document, manifest);
  document.heading("Basis of the results");
  document.badge("simulated", "all figures come from simulated runs; the project's results/scoreboard.md lists the "
                              "errors against published measurements");
  add_pictures(document, folder);
  document.heading("Appendix");
  document.paragraph(fmt::format("Written by Trainyard {}.", text_of(manifest, "trainyard_version")));
  std::error_code error;
  if (fs::exists(folder / "answer.yaml", error)) {
    document.heading("The design as a scenario", 3);
    document.code(read_text_file(folder / "answer.yaml", largest_file));
  }
  for (const char* file : {"designs.csv", "compare.csv", "sensitivity.csv"})
    if (fs::exists(folder / file, error))
      add_csv(document, folder / file);
  return document;
}

} // namespace trainyard
