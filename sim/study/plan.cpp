// SPDX-License-Identifier: Apache-2.0
/// Goal-seeking over the designs of a space.
///
/// 1. Every design is first simulated with the cheap fidelity. Without shared links its figures are at best too good,
/// so a design that misses
///    a goal there by more than a tolerance is discarded. Some of those are decided anyway, the nearest first; if one
///    turns out better than its first look said, the tolerance grows and the search starts over.
/// 2. The others are decided in the order of the objective, with replicas until the interval of every goal lies on one
/// side of its limit.
///    The search ends with the first that meets the goals (and the next one, the runner-up): everything better was
///    looked at, so no knob is assumed to be monotone.
/// 3. Around the answer: one node more or less, the front, what binds.
#include "sim/study/plan.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/expression.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/plan_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace trainyard {
namespace {

constexpr std::size_t chunk = 4096;           // designs whose figures are held at once
constexpr std::size_t decided_at_once = 8;    // the same whatever the number of workers, so that the answer is too
constexpr std::size_t most_after_answer = 64; // batches that look for a runner-up
constexpr std::size_t audited_designs = 8;
constexpr int first_replicas = 4, further_replicas = 4;
constexpr double screen_tolerance = 0.02;
constexpr double gross_miss = 3; // with random seeds one simulation proves little: the limit must be missed fourfold

bool optimistic(const Goal& goal)
{
  return kind_of(goal.measure).more_is_better != goal.upper;
}

/// Cost of the machines, numbers of nodes: the same at every fidelity.
bool fixed_by_design(const Measure& measure)
{
  return kind_of(measure).of == "cluster";
}

} // namespace

std::string ruling_of(Ruling ruling)
{
  return ruling == Ruling::runs ? "not decided" : to_text(ruling);
}

std::string Design::ruling_text() const
{
  return pruned && !out() && !decided() ? "pruned" : unsure() ? "unsure" : ruling_of(verdict.ruling);
}

Ruling ruling_on(const Goal& goal, const MeanInterval& value)
{
  if (value.values == 0)
    return Ruling::misses;
  const bool low = goal.met(value.low), high = goal.met(value.high);
  return low && high ? Ruling::meets : !low && !high ? Ruling::misses : Ruling::too_close;
}

bool Design::unsure() const
{
  return verdict.ruling == Ruling::too_close &&
         std::ranges::all_of(goals, [](const GoalFinding& goal) { return goal.ruling == Ruling::meets; });
}

Ruling sure_ruling(const PlanRequest& request, Ruling ruling, std::span<const std::optional<double>> sure)
{
  const bool unsure = std::ranges::any_of(sure, [&](const auto& one) { return one && *one < request.sure; });
  return ruling == Ruling::meets && unsure ? Ruling::too_close : ruling;
}

double Design::margin(const std::vector<Goal>& wanted) const
{
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < wanted.size(); ++g) {
    if (goals[g].value.values == 0)
      return -std::numeric_limits<double>::infinity();
    smallest = std::min(smallest, wanted[g].margin(goals[g].value.mean));
  }
  return smallest;
}

PlanSearch::PlanSearch(const SweepSpace& space, const PointEvaluator& evaluator, const PlanRequest& request,
                       PlanProgress progress)
    : space_{space}, evaluator_{evaluator}, request_{request}, progress_{std::move(progress)}
{
}

SweepPoint PlanSearch::point(std::size_t design, int replica, const std::string& fidelity) const
{
  SweepPoint made = space_.point(design);
  set_path(made.document, "run.fidelity", fidelity);
  make_replica(made.document, static_cast<std::uint64_t>(replica));
  return made;
}

std::vector<PointOutcome> PlanSearch::evaluate(const std::vector<SweepPoint>& points, const std::string& what)
{
  plan_.runs += points.size();
  return evaluate_batch(
      points.size(), [&](std::size_t i) { return evaluator_.evaluate(points[i]); }, request_.workers,
      [&](std::size_t done) {
        if (progress_)
          progress_(done, points.size(), what);
      });
}

/// Simulates a few designs: can the goals be measured, does the first simulation decide, does the seed matter?
void PlanSearch::probe()
{
  const std::size_t n = space_.size();
  std::vector<SweepPoint> points;
  std::vector<std::size_t> at;
  for (const std::size_t i : {n - 1, n / 2, n / 3, std::size_t{0}, 2 * n / 3})
    if (std::ranges::find(at, i) == at.end())
      at.push_back(i);
  for (const std::size_t i : at)
    for (const int replica : {0, 1})
      points.push_back(point(i, replica, request_.decide));
  const std::vector<PointOutcome> outcomes = evaluate(points, "a first probe");
  bool any = false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const PointOutcome &one = outcomes[2 * i], &other = outcomes[2 * i + 1];
    if (one.failed())
      continue;
    any = true;
    for (const Goal& goal : request_.goals) {
      if (const std::string why = why_not_measured(goal.measure, one); !why.empty())
        throw InputError{why};
    }
    if (const std::string why = why_not_measured(request_.objective, one); !why.empty()) {
      const std::string prices = evaluator_.price_note(points[2 * i]); // which machine has none
      throw InputError{prices.empty() ? why : why + "\n" + prices.substr(0, prices.size() - 1)};
    }
    plan_.random = plan_.random || !same_figures(one, other);
  }
  plan_.screen_decides = request_.screen == request_.decide;
  if (std::ranges::all_of(outcomes, &PointOutcome::refused)) // no design makes it right
    throw InputError{outcomes.front().failure};
  if (!any)
    return;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (!outcomes[2 * i].failed()) {
      const Scenario scenario = evaluator_.checked(points[2 * i]).scenario;
      const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
      const ScenarioRunner* runner = runner_of(scenario);
      // a queue whose jobs run as their trace says has no network to simulate
      if (runner != nullptr && runner->kind() == "trainyard queue" &&
          (scheduling == nullptr || !scheduling->step_speed))
        plan_.screen_decides = true;
      break;
    }
}

/// Cannot run where work was not done, unless the goals are on that work itself: never_ran < 3.
Verdict PlanSearch::verdict_on(const PointOutcome& outcome) const
{
  const auto of_service = [&](const Goal& goal) {
    return !goal.measure.item.empty() && std::ranges::any_of(outcome.items, [&](const Measured& one) {
      return one.run && one.is(goal.measure.item);
    });
  };
  const bool single = !request_.goals.empty() && std::ranges::all_of(request_.goals, of_service);
  Verdict verdict = single ? outcome.verdict(request_.goals.front().measure.item, true) : outcome.verdict();
  const auto of_work = [](const Goal& goal) { return kind_of(goal.measure).of == "queue"; };
  if (!outcome.failed() && std::ranges::any_of(request_.goals, of_work) &&
      std::ranges::all_of(request_.goals, [](const Goal& goal) { return holds_unfinished(goal.measure); }))
    verdict.ruling = Ruling::runs;
  return verdict;
}

void PlanSearch::screen()
{
  const std::size_t n = space_.size();
  plan_.designs.resize(n);
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t count = std::min(chunk, n - begin);
    const std::vector<PointOutcome> outcomes = evaluate_batch(
        count, [&](std::size_t i) { return evaluator_.evaluate(point(begin + i, 0, request_.screen)); },
        request_.workers,
        [&](std::size_t done) {
          if (progress_)
            progress_(begin + done, n, "first simulation of every design (" + request_.screen + ")");
        });
    plan_.runs += count;
    for (std::size_t i = 0; i < count; ++i) {
      Design& design = plan_.designs[begin + i];
      design.index = begin + i;
      design.settings = space_.settings(begin + i);
      design.goals.resize(request_.goals.size());
      design.screened_objective = value_of(request_.objective, outcomes[i]);
      const Verdict verdict = verdict_on(outcomes[i]);
      design.verdict.over = verdict.over;
      if (!verdict.answers() && (outcomes[i].failed() || plan_.screen_decides || !design.screened_objective)) {
        design.verdict = verdict;
        continue;
      }
      for (std::size_t g = 0; g < request_.goals.size(); ++g) {
        design.goals[g].screened = value_of(request_.goals[g].measure, outcomes[i]);
        design.goals[g].sure = probability_of(request_.goals[g], outcomes[i]);
        if (design.goals[g].screened)
          design.goals[g].value = {*design.goals[g].screened, *design.goals[g].screened, *design.goals[g].screened, 1};
      }
      if (!design.screened_objective) {
        design.verdict.ruling = Ruling::cannot_run;
        design.verdict.why = why_not_measured(request_.objective, outcomes[i]);
        continue;
      }
      design.objective = *design.screened_objective;
      if (plan_.screen_decides && !plan_.random) {
        for (std::size_t g = 0; g < request_.goals.size(); ++g)
          if (design.goals[g].screened)
            design.goals[g].replicas = {*design.goals[g].screened};
        judge(design, true);
      }
    }
  }
}

/// The verdict of a design from its replicas. With @p last no further replicas will come.
void PlanSearch::judge(Design& design, bool last)
{
  // Every look at the growing sample may err: the level is shared between the looks.
  const double looks =
      1 + std::ceil(std::max(0, request_.most_replicas - first_replicas) / static_cast<double>(further_replicas));
  const double confidence = plan_.random ? 1 - (1 - request_.confidence) / looks : request_.confidence;
  Ruling worst = Ruling::meets;
  std::vector<std::optional<double>> sure;
  for (std::size_t g = 0; g < design.goals.size(); ++g) {
    GoalFinding& finding = design.goals[g];
    if (!finding.replicas.empty()) // else this design does not have the figure
      finding.value = mean_interval(finding.replicas, confidence);
    if (!plan_.random || finding.value.values == 1)
      finding.value.low = finding.value.high = finding.value.mean;
    finding.ruling = finding.replicas.empty() ? Ruling::misses : ruling_on(request_.goals[g], finding.value);
    worst = std::min(worst, finding.ruling);
    sure.push_back(finding.sure);
  }
  design.verdict.ruling = worst == Ruling::too_close && !last ? Ruling::runs : sure_ruling(request_, worst, sure);
  design.pruned = false;
  design.verdict.margin = design.margin(request_.goals);
}

void PlanSearch::decide(const std::vector<std::size_t>& designs, const std::string& what)
{
  std::vector<std::size_t> open;
  for (const std::size_t i : designs)
    if (!plan_.designs[i].decided() && !plan_.designs[i].out())
      open.push_back(i);
  std::map<std::size_t, std::vector<double>> objectives;
  int from = 0;
  while (!open.empty()) {
    const int to =
        !plan_.random ? 1 : std::min(request_.most_replicas, from == 0 ? first_replicas : from + further_replicas);
    std::vector<SweepPoint> points;
    for (const std::size_t i : open)
      for (int replica = from; replica < to; ++replica)
        points.push_back(point(i, replica, request_.decide));
    const std::vector<PointOutcome> outcomes = evaluate(points, what);
    std::size_t at = 0;
    std::vector<std::size_t> still;
    for (const std::size_t i : open) {
      Design& design = plan_.designs[i];
      for (int replica = from; replica < to; ++replica, ++at) {
        const PointOutcome& outcome = outcomes[at];
        const Verdict verdict = verdict_on(outcome);
        if (!verdict.answers()) {
          design.verdict = verdict;
          continue;
        }
        design.verdict.over = std::max(design.verdict.over, verdict.over);
        if (replica == 0) {
          design.outcome = outcome;
          for (std::size_t g = 0; g < design.goals.size(); ++g)
            design.goals[g].sure = probability_of(request_.goals[g], outcome);
        }
        if (const std::optional<double> value = value_of(request_.objective, outcome))
          objectives[i].push_back(*value);
        for (std::size_t g = 0; g < design.goals.size(); ++g)
          if (const std::optional<double> value = value_of(request_.goals[g].measure, outcome))
            design.goals[g].replicas.push_back(*value);
      }
      if (design.out())
        continue;
      judge(design, to >= request_.most_replicas || !plan_.random);
      design.objective = std::accumulate(objectives[i].begin(), objectives[i].end(), 0.0) /
                         static_cast<double>(std::max<std::size_t>(objectives[i].size(), 1));
      plan_.replicas = std::max(plan_.replicas, to);
      for (std::size_t g = 0; g < design.goals.size() && !plan_.random; ++g)
        if (const GoalFinding& finding = design.goals[g];
            finding.screened && optimistic(request_.goals[g]) && *finding.screened != 0) {
          const double better = (request_.goals[g].upper ? *finding.screened - finding.value.mean
                                                         : finding.value.mean - *finding.screened) /
                                std::abs(*finding.screened);
          plan_.worst_optimism = std::max(plan_.worst_optimism, better);
        }
      if (!design.decided())
        still.push_back(i);
    }
    open = std::move(still);
    from = to;
  }
}

/// Discards designs that the first simulation shows to be hopeless.
void PlanSearch::prune()
{
  for (Design& design : plan_.designs) {
    if (design.out() || design.decided())
      continue;
    design.pruned = false;
    for (std::size_t g = 0; g < design.goals.size(); ++g) {
      const Goal& goal = request_.goals[g];
      const std::optional<double> screened = design.goals[g].screened;
      if (!screened)
        continue;
      const double margin = goal.margin(*screened);
      // with seeds: the limit missed several times over; a share or rate that must be large: below its (1 + gross)-th
      // part
      const bool gross =
          goal.upper ? margin < -plan_.prune_tolerance : *screened * (1 + plan_.prune_tolerance) < goal.limit;
      const bool hopeless = fixed_by_design(goal.measure) ? !goal.met(*screened)
                            : plan_.random                ? gross
                                                          : optimistic(goal) && margin < -plan_.prune_tolerance;
      design.pruned = design.pruned || hopeless;
    }
  }
}

bool PlanSearch::better(double a, double b) const
{
  return request_.maximise ? a > b : a < b;
}

std::vector<std::size_t> PlanSearch::by_objective() const
{
  std::vector<std::size_t> order;
  for (const Design& design : plan_.designs)
    if (!design.out())
      order.push_back(design.index);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return better(*plan_.designs[a].screened_objective, *plan_.designs[b].screened_objective);
  });
  return order;
}

/// The best two designs that are known to meet the goals.
void PlanSearch::choose()
{
  std::vector<std::size_t> met;
  for (const Design& design : plan_.designs)
    if (design.verdict.ruling == Ruling::meets)
      met.push_back(design.index);
  std::ranges::stable_sort(met, [&](std::size_t a, std::size_t b) {
    const Design &x = plan_.designs[a], &y = plan_.designs[b];
    if (std::abs(x.objective - y.objective) > 1e-9 * std::max(std::abs(x.objective), std::abs(y.objective)))
      return better(x.objective, y.objective);
    return x.margin(request_.goals) > y.margin(request_.goals);
  });
  plan_.winner = met.empty() ? std::nullopt : std::optional{met[0]};
  plan_.runner_up = met.size() < 2 ? std::nullopt : std::optional{met[1]};
}

/// Decides designs in the order of the objective until nothing better than the answer is left.
void PlanSearch::search()
{
  const std::vector<std::size_t> order = by_objective();
  const bool fixed = fixed_by_design(request_.objective);
  // the first simulation of a figure that the fidelity or the seed changes is only an approximation
  const double slack = fixed                                   ? 1e-9
                       : plan_.screen_decides && !plan_.random ? 1e-9
                       : plan_.random                          ? 0.25
                                                               : screen_tolerance;
  std::size_t at = 0, after_answer = 0;
  while (at < order.size()) {
    std::vector<std::size_t> batch;
    double last = 0;
    for (; at < order.size(); ++at) {
      const Design& design = plan_.designs[order[at]];
      const bool tie = !batch.empty() && std::abs(design.objective - last) <= 1e-9 * std::abs(last);
      if (batch.size() >= decided_at_once && !tie)
        break;
      if (design.pruned || design.out() || design.decided())
        continue;
      batch.push_back(order[at]);
      last = *design.screened_objective;
    }
    choose();
    if (plan_.runner_up && !batch.empty()) {
      const double reach = *plan_.designs[batch.front()].screened_objective;
      const double known = plan_.designs[*plan_.runner_up].objective;
      const double limit = known + (request_.maximise ? -1 : 1) * slack * std::abs(known);
      if (better(limit, reach))
        break;
    }
    if (plan_.winner && !plan_.runner_up && ++after_answer > most_after_answer)
      break;
    if (batch.empty())
      break;
    decide(batch, fmt::format("designs in the order of {} ({})", request_.objective.text, request_.decide));
  }
  choose();
}

/// Decides some of the designs that were put aside, the nearest to their goals first. False where one of them turned
/// out to be better than its first look allows.
bool PlanSearch::audit()
{
  std::vector<std::size_t> pruned;
  for (const Design& design : plan_.designs)
    if (design.pruned && !design.decided() && !design.out() &&
        std::ranges::none_of(request_.goals, [&](const Goal& goal) {
          const auto g = static_cast<std::size_t>(&goal - request_.goals.data());
          return fixed_by_design(goal.measure) && design.goals[g].screened && !goal.met(*design.goals[g].screened);
        }))
      pruned.push_back(design.index);
  std::ranges::stable_sort(pruned, std::greater{},
                           [&](std::size_t i) { return plan_.designs[i].margin(request_.goals); });
  pruned.resize(std::min(pruned.size(), audited_designs));
  for (const std::size_t i : pruned)
    plan_.designs[i].pruned = false;
  decide(pruned, "checks of the pruning");
  plan_.audited += pruned.size();
  return plan_.worst_optimism <= plan_.prune_tolerance &&
         std::ranges::none_of(pruned, [&](std::size_t i) { return plan_.designs[i].verdict.ruling == Ruling::meets; });
}

/// The design that comes nearest to meeting everything; decided before it is named.
void PlanSearch::find_nearest_miss()
{
  for (int round = 0; round < 20; ++round) {
    std::optional<std::size_t> best;
    for (const Design& design : plan_.designs)
      if (!design.out() &&
          (!best || design.margin(request_.goals) > plan_.designs[*best].margin(request_.goals) + 1e-12))
        best = design.index;
    plan_.nearest_miss = best;
    if (!best || plan_.designs[*best].decided())
      return;
    plan_.designs[*best].pruned = false;
    decide({*best}, "the nearest miss");
  }
}

/// The last design that is better by the objective and misses: why there is no cheaper answer.
void PlanSearch::find_cheaper()
{
  const Design& winner = plan_.designs[*plan_.winner];
  for (const Design& design : plan_.designs) {
    if (design.out() || !better(design.objective, winner.objective))
      continue;
    if (design.verdict.ruling == Ruling::too_close) {
      (design.unsure() ? plan_.cheaper_unsure : plan_.cheaper_undecided).push_back(design.index);
      continue;
    }
    if (!plan_.nearest_cheaper ||
        design.margin(request_.goals) > plan_.designs[*plan_.nearest_cheaper].margin(request_.goals))
      plan_.nearest_cheaper = design.index;
  }
}

Plan PlanSearch::result()
{
  if (space_.size() == 0)
    throw InputError{"there is no design to consider"};
  probe();
  screen();
  plan_.prune_tolerance = plan_.random ? gross_miss : screen_tolerance;
  if (!plan_.screen_decides || plan_.random) {
    for (int round = 0; round < 4; ++round) {
      prune();
      search();
      if (audit())
        break;
      plan_.prune_tolerance = std::max(2 * plan_.prune_tolerance, 2 * plan_.worst_optimism);
    }
  }
  choose();
  if (plan_.winner)
    find_cheaper();
  else
    find_nearest_miss();
  if (request_.front)
    find_fronts();
  check_monotonicity();
  if (const std::optional<std::size_t> centre = plan_.winner ? plan_.winner : plan_.nearest_miss) {
    if (plan_.designs[*centre].outcome.items.empty()) { // only screened, because that is enough: find its bottleneck
      const std::vector<PointOutcome> outcomes = evaluate({point(*centre, 0, request_.decide)}, "the answer");
      plan_.designs[*centre].outcome = outcomes.front();
    }
    change_nodes(*centre);
  }
  return std::move(plan_);
}

Plan make_plan(const SweepSpace& space, const PointEvaluator& evaluator, const PlanRequest& request,
               const std::function<void(std::size_t, std::size_t, const std::string&)>& progress)
{
  return PlanSearch{space, evaluator, request, progress}.result();
}

} // namespace trainyard
