// SPDX-License-Identifier: Apache-2.0
#include "sim/study/compare.hpp"

#include "models/core/closest.hpp"
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/expression.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/random.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/report/files.hpp"
#include "sim/report/written_run.hpp"
#include "sim/sources/queue/queue_inspection.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/study/assertions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_default_measures = 12;
constexpr std::size_t largest_summary_bytes = 512ULL << 20U;

/// Outcomes of one candidate at one point, by replica.
using Replicas = std::vector<PointOutcome>;

/// A difference caused only by the rounding of sums does not count.
double without_noise(double difference, double of)
{
  return std::abs(difference) <= 1e-9 * std::abs(of) ? 0 : difference;
}

void draw_stragglers(Document& document, const RandomStragglers& stragglers)
{
  const DocumentNode* jobs = document.root.find("jobs");
  if (jobs == nullptr)
    return;
  for (std::size_t j = 0; j < jobs->items.size(); ++j) {
    const DocumentNode* count = jobs->items[j].find("workers");
    const double workers = count == nullptr ? 1 : any_quantity(count->text).value_or(1);
    RandomStream stream = Random{run_seed(document)}.stream(fmt::format("stragglers.{}", j));
    std::string list;
    for (int worker = 0; worker < static_cast<int>(workers); ++worker)
      if (stream.uniform() < stragglers.probability)
        list += fmt::format("{}{{worker: {}, slow_down: {}}}", list.empty() ? "" : ", ", worker, stragglers.slow_down);
    set_path(document, fmt::format("jobs.{}.stragglers", j), "[" + list + "]");
  }
}

/// The items of an outcome that are compared, without the machines.
std::vector<std::string> items_of(const Replicas& replicas)
{
  std::vector<std::string> items;
  for (const PointOutcome& outcome : replicas)
    for (const Measured& measured : outcome.items)
      if (measured.item != "cluster" && std::ranges::find(items, measured.item) == items.end())
        items.push_back(measured.item);
  return items;
}

/// A figure of one item, or of the machines.
std::optional<double> figure(const Measure& measure, const PointOutcome& outcome, const std::string& item)
{
  return value_of(measure, outcome, kind_of(measure).of == "cluster" ? std::string{} : item);
}

std::string note_of(const PointOutcome& outcome, const std::string& item)
{
  for (const Measured& measured : outcome.items)
    if (measured.item == item || (item.empty() && !measured.note.empty()))
      return measured.note;
  return {};
}

/// The cells of a comparison before their figures are taken out: [group][candidate].
struct Cells {
  struct Cell {
    const Replicas* replicas = nullptr;
    std::string item;
  };
  std::vector<std::string> candidates;
  std::vector<std::string> groups;
  std::vector<std::vector<Cell>> cells;
};

/// Of a kind of scenario that the table of measures does not know: more utilisation is a gain only where it brings more
/// work to its end, and what is known to be better the less there is decides.
void judge_by_main_figures(std::vector<Measure>& own, std::vector<Measure>& of_table)
{
  for (Measure& measure : own)
    if (measure.other->column.starts_with("need_to_deployed_p") || measure.other->column == "stale_share") {
      measure.other->of = "retraining";
      measure.other->more_is_better = false;
    }
  for (Measure& measure : of_table)
    if (const MeasureKind kind = kind_of(measure); kind.of == "queue" && !kind.distribution) {
      measure.other = kind;
      measure.other->of = "run";
      measure.other->more_is_better = false;
    }
}

std::vector<Measure> default_measures(const Cells& cells)
{
  std::vector<std::string> wanted = {"throughput",
                                     "step_time",
                                     "scaling_efficiency",
                                     "compute",
                                     "exposed_communication",
                                     "wait",
                                     "staleness",
                                     "price_per_million_samples",
                                     "cost",
                                     "goodput",
                                     "finish",
                                     "jct",
                                     "p95(jct)",
                                     "queueing_delay",
                                     "p95(queueing_delay)",
                                     "waiting",
                                     "p95(waiting)",
                                     "p99(waiting)",
                                     "slowdown",
                                     "utilisation",
                                     "makespan",
                                     "lost_gpu_hours",
                                     "fragmented_wait",
                                     "fairness",
                                     "jain"};
  std::vector<Measure> list;
  bool of_table = false;
  const PointOutcome* first = nullptr;
  for (const auto& row : cells.cells)
    for (const Cells::Cell& cell : row)
      if (first == nullptr && cell.replicas != nullptr && !cell.replicas->empty() && !cell.replicas->front().failed())
        first = &cell.replicas->front();
  if (first != nullptr) { // large jobs wait longest: the largest size that there is
    std::string largest;
    int most = 1;
    for (const Measured& measured : first->items)
      if (const int gpus = std::atoi(measured.group.c_str()); gpus > most && measured.group.ends_with(" GPUs")) {
        most = gpus;
        largest = measured.group;
      }
    if (!largest.empty())
      wanted.insert(std::ranges::find(wanted, "slowdown"), fmt::format("p95(waiting, {})", largest));
  }
  for (const std::string& text : wanted) {
    const Measure measure = parse_measure(text);
    bool any = false;
    for (const auto& row : cells.cells)
      for (const Cells::Cell& cell : row)
        if (cell.replicas != nullptr && !cell.replicas->empty())
          if (const auto value = figure(measure, cell.replicas->front(), cell.item);
              value && (*value != 0 || list.empty()))
            any = true;
    if (any) {
      list.push_back(measure);
      of_table = of_table || text == "throughput" || text == "jct";
    }
  }
  if (!of_table && first != nullptr) { // a kind of scenario that the table does not know: its own figures
    std::vector<Measure> others = other_measures(*first);
    const auto rank = [](const Measure& measure) { // the main measures of such scenarios come first
      const std::string& column = measure.other->column;
      int place = 0;
      for (const char* word : {"answered_share", "mean_response", "jct", "start_delay", "_p95", "_p50", "wasted",
                               "lost", "availability", "completions", "recover", "stale", "restarts", "gpu_hours"}) {
        if (column.find(word) != std::string::npos && column.find("segments") == std::string::npos)
          return place;
        ++place;
      }
      return place;
    };
    std::ranges::stable_sort(others, {}, rank);
    judge_by_main_figures(others, list);
    list.insert(list.begin(), others.begin(), others.end());
  }
  return list;
}

/// Of one measure: the figures of all groups and candidates.
struct MeasuredColumn {
  std::vector<std::vector<ComparedValue>> values; ///< [group][candidate]
  std::optional<double> first;                    ///< of all figures; none where nothing was measured
  bool differs = false;                           ///< some figure is not the first
};

/// The mean of a candidate's figures with its interval; that of one figure is the figure.
MeanInterval interval_of(const std::vector<double>& figures, double confidence)
{
  MeanInterval interval = mean_interval(figures, confidence);
  if (figures.size() == 1)
    interval.low = interval.high = figures.front();
  return interval;
}

/// How each candidate of a group differs from the baseline, with Holm's correction for the number of candidates; only
/// what did all of its work is compared.
void test_against_baseline(std::vector<ComparedValue>& values, const ComparedGroup& group, const Comparison& comparison)
{
  std::vector<double> p_values;
  std::vector<std::size_t> tested;
  const ComparedValue& base = values[comparison.baseline];
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!group.differ_truly(c, comparison.baseline) || values[c].missing() ||
        values[c].values.size() != base.values.size())
      continue;
    std::vector<double> differences;
    for (std::size_t r = 0; r < base.values.size(); ++r)
      differences.push_back(without_noise(values[c].values[r] - base.values[r], base.values[r]));
    values[c].difference = interval_of(differences, comparison.confidence);
    tested.push_back(c);
    p_values.push_back(paired_p_value(differences));
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    ComparedValue& value = values[tested[i]];
    value.p_value = adjusted[i];
    value.significant = comparison.random ? adjusted[i] < 1 - comparison.confidence : value.difference.mean != 0;
  }
}

MeasuredColumn measured_column(const Measure& measure, const Cells& cells, const Comparison& comparison)
{
  MeasuredColumn column;
  for (const auto& row : cells.cells) {
    std::vector<ComparedValue>& values = column.values.emplace_back(cells.candidates.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (row[c].replicas == nullptr)
        continue;
      for (const PointOutcome& outcome : *row[c].replicas)
        if (const std::optional<double> value = figure(measure, outcome, row[c].item)) {
          values[c].values.push_back(*value);
          column.differs =
              column.differs || (column.first && without_noise(*value - *column.first, *column.first) != 0);
          column.first = column.first.value_or(*value);
        }
      values[c].value = interval_of(values[c].values, comparison.confidence);
      if (is_share(measure))
        values[c].value.high = std::min(values[c].value.high, 1.0);
    }
    test_against_baseline(values, comparison.groups[column.values.size() - 1], comparison);
  }
  return column;
}

/// Whether all candidates that ran have a figure: the price of a machine may not be known.
bool all_known(const MeasuredColumn& column, const Cells& cells)
{
  for (std::size_t g = 0; g < column.values.size(); ++g)
    for (std::size_t c = 0; c < column.values[g].size(); ++c)
      if (cells.cells[g][c].replicas != nullptr && column.values[g][c].missing())
        return false;
  return true;
}

/// Names of the groups, and what is said of each candidate in them.
void describe_groups(Comparison& comparison, const Cells& cells)
{
  for (std::size_t g = 0; g < cells.cells.size(); ++g) {
    ComparedGroup& group = comparison.groups[g];
    group.name = cells.groups[g];
    for (const Cells::Cell& cell : cells.cells[g]) {
      const bool ran = cell.replicas != nullptr && !cell.replicas->empty();
      Verdict& verdict = group.verdicts.emplace_back();
      if (!ran)
        verdict = {.ruling = Ruling::cannot_run, .why = "is not part of it"};
      else
        for (const PointOutcome& outcome : *cell.replicas)
          verdict = verdict.answers() ? outcome.verdict(cell.item) : verdict;
      group.notes.push_back(ran ? note_of(cell.replicas->front(), cell.item) : std::string{});
      ModelError& error = group.errors.emplace_back();
      std::string& system = group.systems.emplace_back();
      double& step = group.steps.emplace_back();
      if (ran)
        for (const Measured& measured : cell.replicas->front().items)
          if (const auto own = measured.numbers.find("error_own");
              own != measured.numbers.end() && (cell.item.empty() || measured.item == cell.item) && error.own == 0) {
            error.own = own->second;
            error.shared = measured.numbers.at("error_shared");
            system = measured.system;
            const auto its = measured.numbers.find("step_s");
            step = its == measured.numbers.end() ? 0 : its->second;
          }
    }
  }
}

/// The first candidate that did all of its work in every group; the first where none did.
std::size_t first_that_runs(const Comparison& comparison)
{
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c)
    if (std::ranges::all_of(comparison.groups, [&](const ComparedGroup& group) { return group.verdicts[c].answers(); }))
      return c;
  return 0;
}

/// Figures, intervals and tests of all cells; measures that are equal for all are listed in one line unless they were
/// asked for.
void fill(Comparison& comparison, const Cells& cells, const CompareRequest& request, const PointOutcome* probe)
{
  comparison.candidates = cells.candidates;
  comparison.confidence = request.confidence;
  if (!request.baseline.empty()) {
    const auto found = std::ranges::find(cells.candidates, request.baseline);
    if (found == cells.candidates.end())
      throw InputError{fmt::format("--baseline: there is no '{}'{}", request.baseline,
                                   did_you_mean(request.baseline, cells.candidates))};
    comparison.baseline = static_cast<std::size_t>(found - cells.candidates.begin());
  }
  comparison.groups.resize(cells.cells.size());
  for (ComparedGroup& group : comparison.groups)
    group.values.resize(cells.candidates.size());
  describe_groups(comparison, cells);
  if (request.baseline.empty())
    comparison.baseline = first_that_runs(comparison);
  std::vector<Measure> measures;
  for (const std::string& text : request.measures)
    measures.push_back(parse_measure(text, probe));
  const bool chosen = !measures.empty();
  if (!chosen)
    measures = default_measures(cells);

  for (const Measure& measure : measures) {
    const bool keeps_all =
        std::ranges::find(comparison.measures, "goodput", &Measure::name) == comparison.measures.end();
    if (!chosen && measure.name == "finish" && keeps_all)
      continue; // it says no more than the throughput
    MeasuredColumn column = measured_column(measure, cells, comparison);
    if (!column.first) {
      const std::string why = probe == nullptr ? fmt::format("'{}' cannot be measured here", measure.text)
                                               : why_not_measured(measure, *probe);
      if (chosen && !why.empty())
        throw InputError{why};
      if (!chosen)
        continue;
    }
    if (!chosen && all_known(column, cells) && !column.differs && !comparison.measures.empty()) {
      comparison.equal.push_back(fmt::format("{} {}", measure.text, measure_text(measure, *column.first)));
      comparison.equal_money = comparison.equal_money || is_money(measure);
      continue;
    }
    if (!chosen && comparison.measures.size() >= most_default_measures)
      continue;
    comparison.measures.push_back(measure);
    for (std::size_t g = 0; g < column.values.size(); ++g)
      for (std::size_t c = 0; c < column.values[g].size(); ++c)
        comparison.groups[g].values[c].push_back(std::move(column.values[g][c]));
  }
}

/// Candidates and their points as rows and columns: several candidates side by side, point by point and item by item;
/// one alone by its points, or by its items.
Cells arranged(const std::vector<std::string>& names,
               const std::vector<std::vector<std::pair<std::string, Replicas>>>& outcomes)
{
  Cells cells;
  if (names.size() == 1 && outcomes.front().size() == 1) {
    const auto& [label, replicas] = outcomes.front().front();
    cells.candidates = items_of(replicas);
    cells.groups = {""};
    cells.cells.resize(1);
    for (const std::string& item : cells.candidates)
      cells.cells.front().push_back({&replicas, item});
    return cells;
  }
  std::vector<std::string> labels; // of points
  for (const auto& points : outcomes)
    for (const auto& [label, replicas] : points)
      if (std::ranges::find(labels, label) == labels.end())
        labels.push_back(label);
  const bool by_point = names.size() == 1;
  cells.candidates = by_point ? labels : names;
  const auto at = [&](std::size_t candidate, const std::string& label) -> const Replicas* {
    for (const auto& [name, replicas] : outcomes[candidate])
      if (name == label)
        return &replicas;
    return nullptr;
  };
  for (const std::string& label : by_point ? std::vector<std::string>{""} : labels) {
    std::vector<const Replicas*> row;
    std::vector<std::string> items;
    bool single = true;
    for (std::size_t c = 0; c < cells.candidates.size(); ++c) {
      row.push_back(by_point ? at(0, cells.candidates[c]) : at(c, label));
      if (row.back() == nullptr || row.back()->front().failed())
        continue;
      const std::vector<std::string> own = items_of(*row.back());
      single = single && own.size() <= 1;
      for (const std::string& item : own)
        if (std::ranges::find(items, item) == items.end())
          items.push_back(item);
    }
    if (single || items.empty())
      items = {""}; // whatever it is called
    for (const std::string& item : items) {
      cells.groups.push_back(label.empty() || item.empty() ? label + item : label + ", " + item);
      auto& line = cells.cells.emplace_back();
      for (const Replicas* replicas : row) {
        const std::vector<std::string> own = replicas == nullptr ? std::vector<std::string>{} : items_of(*replicas);
        line.push_back({replicas, item.empty() && own.size() == 1 ? own.front() : item});
      }
    }
  }
  return cells;
}

} // namespace

namespace {

/// Precisions and assumptions of the candidates, as far as they train.
void say_settings(Comparison& comparison, const std::vector<SweepPoint>& points, const std::vector<std::string>& names,
                  const PointEvaluator& evaluator)
{
  const std::size_t candidates = names.size();
  const auto note_unlike = [&](const Scenario& scenario, const SchedulingSection& scheduling, std::size_t candidate) {
    const std::string unread = unread_rules(scenario, scheduling);
    if (unread.empty())
      return;
    comparison.fewer_rules.insert(candidate);
    if (comparison.unlike.find(unread) == std::string::npos)
      comparison.unlike += unread;
  };
  for (const SweepPoint& point : points) {
    Diagnostics ignored;
    const Scenario scenario = read_scenario(point.document, evaluator.parts(), evaluator.catalogue(), ignored);
    std::string precisions;
    for (const JobSpec& job : scenario.jobs)
      if (precisions.find(job.precision) == std::string::npos)
        precisions += (precisions.empty() ? "" : ", ") + job.precision;
    comparison.precisions.push_back(precisions);
    SchedulingSection scheduling = scheduling_of(scenario);
    if (points.size() == candidates) {
      note_unlike(scenario, scheduling, static_cast<std::size_t>(&point - points.data()));
    } else {
      for (const NamedPart& policy : scheduling_of(scenario).policies)
        if (const auto at = std::ranges::find(names, policy.label); at != names.end()) {
          scheduling.policies = {policy};
          note_unlike(scenario, scheduling, static_cast<std::size_t>(at - names.begin()));
        }
    }
    for (Message& words : assumed(scenario))
      add_once(comparison.assumed, std::move(words));
  }
  if (comparison.fewer_rules.size() == candidates) { // all are alike
    comparison.fewer_rules.clear();
    comparison.unlike.clear();
  }
  if (comparison.precisions.size() != candidates) // policies or jobs of one scenario: only what all have in common
    comparison.precisions.assign(candidates, std::ranges::count(comparison.precisions, comparison.precisions.front()) ==
                                                     static_cast<std::ptrdiff_t>(comparison.precisions.size())
                                                 ? comparison.precisions.front()
                                                 : std::string{});
}

/// Throws InputError where no candidate can have a measure, before anything runs. Those that the table does not have
/// are known after a run only.
void check_measures(const std::vector<std::string>& texts, const std::vector<Scenario>& scenarios,
                    const Catalogue& catalogue)
{
  for (const std::string& text : texts) {
    if (needs_probe(text))
      continue;
    std::optional<InputError> refused;
    for (const Scenario& scenario : scenarios) {
      try {
        check_measurable({parse_measure(text)}, scenario, catalogue, queue_policies(scenario).size() > 1);
        refused.reset();
        break;
      } catch (const InputError& error) {
        refused = refused.value_or(error);
      }
    }
    if (refused)
      throw *refused;
  }
}

} // namespace

Comparison compare(const std::vector<Candidate>& candidates, const PointEvaluator& evaluator,
                   const CompareRequest& request,
                   const std::function<void(std::size_t, std::size_t, const std::string&)>& progress)
{
  struct Run {
    std::size_t candidate = 0;
    std::string label;
    SweepPoint point;
  };
  std::vector<Run> runs;
  Diagnostics faults;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    Document document = candidates[c].document;
    if (DocumentNode* sweep = document.root.find("sweep"); sweep != nullptr)
      std::erase_if(sweep->entries, [](const DocumentNode::Entry& entry) { return entry.key == "replicas"; });
    const SweepSpace space{document, faults};
    faults.throw_if_errors();
    if (runs.size() + space.size() > request.most_points)
      throw InputError{fmt::format(
          "the comparison has more than {} points; reduce the sweep, use simrun sweep, or start it with --yes",
          request.most_points)};
    for (std::size_t i = 0; i < space.size(); ++i) {
      SweepPoint point = space.point(i);
      std::string label = point.label();
      runs.push_back({c, std::move(label), std::move(point)});
    }
    names.push_back(candidates[c].name);
  }
  std::vector<Scenario> scenarios; // the first point of each candidate
  for (const Run& run : runs)
    if (run.candidate >= scenarios.size()) {
      Diagnostics ignored;
      scenarios.push_back(read_scenario(run.point.document, evaluator.parts(), evaluator.catalogue(), ignored));
    }
  check_measures(request.measures, scenarios, evaluator.catalogue());
  Comparison comparison;
  if (candidates.size() > 1)
    std::ranges::transform(candidates, std::back_inserter(comparison.servers), &Candidate::servers);
  std::vector<Replicas> outcomes(runs.size());
  const auto simulate = [&](int from, int to) {
    const auto count = static_cast<std::size_t>(to - from);
    std::vector<PointOutcome> fresh = evaluate_batch(
        runs.size() * count,
        [&](std::size_t i) {
          SweepPoint point = runs[i / count].point;
          const auto replica = static_cast<std::uint64_t>(from) + i % count;
          make_replica(point.document, replica);
          if (request.stragglers)
            draw_stragglers(point.document, *request.stragglers);
          return evaluator.evaluate(point);
        },
        request.workers,
        [&](std::size_t done) {
          if (progress)
            progress(done, runs.size() * count, fmt::format("seed {}", from + 1));
        },
        true);
    for (std::size_t i = 0; i < fresh.size(); ++i)
      outcomes[i / count].push_back(std::move(fresh[i]));
  };
  simulate(0, 2); // two tell whether chance has a part
  for (const Replicas& replicas : outcomes)
    comparison.random =
        comparison.random || (replicas.size() > 1 && replicas[0].failure != interrupted_point &&
                              replicas[1].failure != interrupted_point && !same_figures(replicas[0], replicas[1]));
  if (comparison.random && request.replicas > 2 && interrupt::kept == 0)
    simulate(2, request.replicas);
  comparison.one_seed = comparison.random && request.replicas == 1;
  std::size_t seeds = comparison.random && !comparison.one_seed ? outcomes.front().size() : 1;
  for (const Replicas& replicas : outcomes) // interrupted: those that all have which have one
    for (std::size_t i = 1; i < seeds; ++i)
      if (replicas.front().failure != interrupted_point && replicas[i].failure == interrupted_point)
        seeds = i;
  for (Replicas& replicas : outcomes)
    replicas.resize(seeds);
  comparison.random = comparison.random && seeds > 1;
  comparison.replicas = static_cast<int>(seeds);

  std::vector<std::vector<std::pair<std::string, Replicas>>> by_candidate(candidates.size());
  const PointOutcome* probe = nullptr;
  for (std::size_t i = 0; i < runs.size(); ++i)
    by_candidate[runs[i].candidate].emplace_back(runs[i].label, std::move(outcomes[i]));
  for (const auto& points : by_candidate)
    for (const auto& [label, replicas] : points)
      if (probe == nullptr && !replicas.front().failed())
        probe = &replicas.front();
  if (probe == nullptr)
    throw InputError{fmt::format("nothing can be compared, because no candidate can run: {}",
                                 by_candidate.front().front().second.front().failure)};
  const Cells cells = arranged(names, by_candidate);
  std::vector<SweepPoint> firsts; // of every candidate; of the only one that is taken apart, all
  for (std::size_t c = 0; c < candidates.size(); ++c)
    for (const Run& run : runs)
      if (run.candidate == c && (firsts.size() <= c || candidates.size() == 1))
        firsts.push_back(run.point);
  say_settings(comparison, firsts, cells.candidates, evaluator);
  if (cells.candidates.size() < 2)
    throw InputError{"there is nothing to compare with; give another scenario, or vary something: --vary "
                     "jobs.0.workers=4,8, --policies fifo,las, --sync --async"};
  fill(comparison, cells, request, probe);
  return comparison;
}

std::vector<InputDifference> input_differences(const std::vector<Candidate>& candidates, std::size_t baseline)
{
  std::vector<InputDifference> list;
  const auto bare = [](const Document& document) {
    DocumentNode root = document.root;
    std::erase_if(root.entries, [](const DocumentNode::Entry& entry) {
      return entry.key == "name" || entry.key == "question" || entry.key == "answer";
    });
    return root;
  };
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (c != baseline)
      list.push_back(
          {candidates[c].name, difference(bare(candidates[baseline].document), bare(candidates[c].document))});
  return list;
}

Comparison compare_folders(const std::vector<fs::path>& folders, const CompareRequest& request)
{
  std::vector<std::string> names;
  std::vector<std::vector<std::pair<std::string, Replicas>>> outcomes;
  std::vector<Candidate> scenarios;
  for (const fs::path& folder : folders) {
    std::string name =
        folder.filename().empty() ? folder.parent_path().filename().string() : folder.filename().string();
    if (std::ranges::find(names, name) != names.end())
      name = folder.string();
    names.push_back(name);
    PointOutcome outcome;
    outcome.items = measured_of_summary(WrittenRun{folder}.summary);
    if (outcome.items.empty())
      throw InputError{fmt::format("'{}' has no figures of jobs or policies", (folder / "summary.json").string())};
    outcomes.push_back({{"", {std::move(outcome)}}});
    const RunInfo run = read_manifest(read_text_file(folder / "manifest.json", largest_summary_bytes),
                                      (folder / "manifest.json").string());
    Diagnostics faults;
    Document document = parse_document(run.scenario_text, scenario_path(run), faults);
    for (const std::string& text : run.overrides)
      if (const std::size_t equals = text.find('='); equals != std::string::npos)
        set_path(document, text.substr(0, equals), text.substr(equals + 1));
    scenarios.push_back({name, std::move(document)});
  }
  Comparison comparison;
  comparison.pairs = "";
  const Cells cells = arranged(names, outcomes);
  fill(comparison, cells, request, &outcomes.front().front().second.front());
  comparison.inputs = input_differences(scenarios, comparison.baseline);

  // A queue's jobs are pairs: the same job under both policies.
  static const std::vector<std::string> paired = {"jct", "queueing_delay", "waiting"}; // each in a column of jobs.csv
  std::vector<std::map<std::string, std::map<std::string, std::vector<double>>>> jobs(
      folders.size()); // policy -> job -> figures of `paired`
  for (std::size_t f = 0; f < folders.size(); ++f) {
    std::error_code error;
    if (!fs::exists(folders[f] / "jobs.csv", error))
      return comparison;
    const CsvTable table = read_csv(folders[f] / "jobs.csv");
    if (!table.column("jct_s") || !table.column("queueing_delay_s") || !table.column("policy"))
      return comparison;
    for (const CsvTable::Row& row : table.rows) {
      const std::string& point = table.cell(row, "point");
      std::vector<double>& figures =
          jobs[f][table.cell(row, "policy") + (point.empty() ? "" : " at " + point)][table.cell(row, "job")];
      figures.assign(paired.size(), std::nan(""));
      for (std::size_t i = 0; i < paired.size(); ++i)
        if (table.column(paired[i] + "_s")) {
          const std::string& text = table.cell(row, paired[i] + "_s");
          std::from_chars(text.data(), text.data() + text.size(), figures[i]);
        }
    }
  }
  for (std::size_t g = 0; g < comparison.groups.size(); ++g)
    for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
      const Measure& measure = comparison.measures[m];
      const auto figure = std::ranges::find(paired, measure.name);
      if (figure == paired.end() || (!measure.statistic.empty() && measure.statistic != "mean"))
        continue;
      const auto of = [at = static_cast<std::size_t>(figure - paired.begin())](const std::vector<double>& figures) {
        return figures[at];
      };
      std::vector<double> p_values;
      std::vector<std::size_t> tested;
      for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
        if (c == comparison.baseline)
          continue;
        const auto& base = jobs[comparison.baseline][cells.cells[g][comparison.baseline].item];
        std::vector<double> differences;
        for (const auto& [job, figures] : jobs[c][cells.cells[g][c].item])
          if (const auto found = base.find(job);
              found != base.end() && std::isfinite(of(figures)) && std::isfinite(of(found->second)))
            differences.push_back(of(figures) - of(found->second));
        if (differences.size() < 2)
          continue;
        ComparedValue& value = comparison.groups[g].values[c][m];
        value.difference = mean_interval(differences, request.confidence);
        tested.push_back(c);
        p_values.push_back(paired_p_value(differences));
        comparison.pairs = "job";
        comparison.random = true;
      }
      const std::vector<double> adjusted = holm_adjusted(p_values);
      for (std::size_t i = 0; i < tested.size(); ++i) {
        comparison.groups[g].values[tested[i]][m].p_value = adjusted[i];
        comparison.groups[g].values[tested[i]][m].significant = adjusted[i] < 1 - request.confidence;
      }
    }
  return comparison;
}

} // namespace trainyard
