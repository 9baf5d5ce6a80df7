// SPDX-License-Identifier: Apache-2.0
#include "sim/study/layout_plan.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/kept_state.hpp"
#include "sim/step/answer_kind.hpp"
#include "sim/study/measures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace trainyard {
namespace {

constexpr double gib = 1U << 30U;

constexpr Sentence<std::string, std::int64_t, Figure, Figure, Figure, Figure> one_of{
    "layouts.one_of",
    "{layout}, or one of {others} more that may be as fast. Of many the fastest is also the one whose error is "
    "luckiest: expect {tokens} tokens/s, {share} less than predicted (80 % sure: {low} to {high})."};

constexpr Sentence<std::string, Figure, std::string, std::string, Messages> may_not_fit{
    "layouts.may_not_fit", "{layout} takes {share} of the {gpu} and may not fit: {how}.{other}"};
constexpr Sentence<std::string, std::string, std::string> leaner{
    "layouts.leaner", " The fastest that takes at most 80 % of it: {layout}, {step}, {memory}."};
constexpr Sentence<> none_leaner{"layouts.none_leaner", " None of the layouts takes at most 80 % of it."};

/// A limit in the base unit of its measure.
double layout_limit_of(const std::string& measure, const std::string& text, const std::string& goal)
{
  const auto wrong = [&](const std::string& example) {
    return InputError{
        fmt::format("--goal '{}': '{}' is no limit; write for example '{} < {}'", goal, text, measure, example)};
  };
  if (measure == "step" || measure == "memory") {
    const QuantityText value = parse_quantity(text, measure == "step" ? QuantityKind::duration : QuantityKind::bytes);
    if (!value)
      throw wrong(measure == "step" ? "10 s" : "70 GiB");
    return value.value;
  }
  const bool share = measure == "mfu" && text.ends_with('%');
  if (const std::optional<double> monthly = scaled_number(text, "$/month"); measure == "cost" && monthly)
    return *monthly * parse_quantity("1 $/month", QuantityKind::money_rate).value;
  const std::string unit = measure == "cost" ? "$/h" : measure == "cost_per_token" ? "$" : share ? "%" : "";
  const std::optional<double> value = scaled_number(text, unit);
  if (!value)
    throw wrong(measure == "cost"             ? "5000 $/h"
                : measure == "mfu"            ? "45 %"
                : measure == "cost_per_token" ? "2 $"
                                              : "2M");
  return share ? *value / 100 : *value;
}

/// How far a design is from a goal, in words: "misses tokens_per_s > 2M: 1.4 M/s (-30 %)".
std::string miss_text(const LayoutGoal& goal, double value)
{
  return fmt::format("misses {}: {} ({:+.0f} %)", goal.text, layout_value_text(goal.measure, value),
                     100 * (value / goal.limit - 1));
}

/// The largest part of the step that computes nothing.
std::string held_back(const ParallelStep& step)
{
  return step.besides.empty() ? "" : "; " + step.besides.text;
}

} // namespace

const std::vector<LayoutMeasure>& layout_measures()
{
  static const std::vector<LayoutMeasure> measures{
      {"tokens_per_s", "/s", "tokens of all GPUs", true, WithStep::as_rate},
      {"step", "s", "time of an optimiser step", false, WithStep::as_step},
      {"mfu", "share", "model flop over the peak of the GPUs", true, WithStep::as_rate},
      {"memory", "B", "what the GPU that needs most needs", false},
      {"gpus", "", "number of GPUs", false},
      {"cost", "$/h", "price of the machines", false},
      {"cost_per_token", "$", "price of a million tokens", false, WithStep::as_step}};
  return measures;
}

const LayoutMeasure& layout_measure(const std::string& name)
{
  std::vector<std::string> names;
  for (const LayoutMeasure& measure : layout_measures()) {
    if (full_measure_name(measure.name) == full_measure_name(name))
      return measure;
    names.push_back(measure.name);
  }
  throw InputError{fmt::format("unknown measure '{}'{}; of layouts there are {}", name, did_you_mean(name, names),
                               fmt::join(names, ", "))};
}

bool LayoutGoal::met(double value) const
{
  if (value == limit)
    return !strict;
  return (value < limit) == upper;
}

LayoutGoal parse_layout_goal(const std::string& text)
{
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string::npos)
    throw InputError{fmt::format("--goal '{}': write a measure, < or >, and a limit: 'tokens_per_s > 2M'", text)};
  LayoutGoal goal;
  goal.text = text;
  goal.upper = text[at] == '<';
  goal.strict = at + 1 >= text.size() || text[at + 1] != '=';
  goal.measure = layout_measure(std::string{trimmed(std::string_view{text}.substr(0, at))}).name;
  goal.limit = layout_limit_of(goal.measure,
                               std::string{trimmed(std::string_view{text}.substr(at + (goal.strict ? 1 : 2)))}, text);
  return goal;
}

std::optional<double> value_of(const LayoutDesign& design, const FoundLayout& found, const std::string& measure)
{
  const ParallelStep& step = found.step;
  if (measure == "tokens_per_s")
    return step.tokens_per_second;
  if (measure == "step")
    return step.step.value();
  if (measure == "mfu")
    return step.model_flop_utilisation;
  if (measure == "memory")
    return step.memory.total().value();
  if (measure == "gpus")
    return design.gpus;
  if (!design.dollars_per_hour)
    return std::nullopt;
  return measure == "cost" ? *design.dollars_per_hour : *design.dollars_per_hour / 3600 / step.tokens_per_second * 1e6;
}

std::string layout_value_text(const std::string& measure, double value)
{
  if (measure == "step")
    return time_text(Seconds{value});
  if (measure == "mfu")
    return percent_text(value);
  if (measure == "memory")
    return fmt::format("{:.1f} GiB", value / gib);
  if (measure == "cost")
    return fmt::format("{:.0f} $/h", value);
  if (measure == "cost_per_token")
    return fmt::format("{:.3g} $ per million tokens", value);
  return rate_text(value) + (measure == "tokens_per_s" ? "/s" : "");
}

namespace {

constexpr double no_value = std::numeric_limits<double>::infinity();

ModelError error_of(const ParallelJob& job, const FoundLayout& chosen)
{
  ParallelJob made = job;
  made.layout = chosen.layout;
  return model_errors().of(answer_kind(made, chosen.step));
}

/// Whether it more likely fails than fits: the middle of published peaks beside the estimate.
bool likely_too_large(const FoundLayout& found, Bytes memory)
{
  return found.step.memory.total() / memory * std::sqrt(lowest_peak * highest_peak) > 1;
}

/// How sure the goals are that errors of the model may miss: of what the layout is expected to reach.
std::optional<double> sure_of(const LayoutDesign& design, const FoundLayout& found, const ParallelJob& job,
                              const std::vector<LayoutGoal>& goals)
{
  const ModelError error = error_of(job, found);
  const double predicted = found.step.step.value();
  const double longer = expected_of(design.search.steps, predicted, error.own).step / predicted;
  std::optional<double> sure;
  for (const LayoutGoal& goal : goals) {
    const WithStep with = layout_measure(goal.measure).with_step;
    const std::optional<double> value = value_of(design, found, goal.measure);
    if (with == WithStep::no || error.units == 0 || !value || !(*value > 0) || !(goal.limit > 0))
      continue;
    const bool rate = with == WithStep::as_rate;
    const double below = error.share_below((rate ? *value / goal.limit : goal.limit / *value) / longer);
    sure = std::min(sure.value_or(1), goal.upper == rate ? 1 - below : below);
  }
  return sure;
}

/// The layout that misses the fewest goals, surely enough and with room in memory, and of those the best by the
/// objective; of equally good ones the fastest.
void choose_layout(LayoutDesign& design, const ParallelJob& job, const std::vector<LayoutGoal>& goals, double sure,
                   const std::function<double(const LayoutDesign&, const FoundLayout&)>& rank)
{
  std::vector<FoundLayout> all = design.search.front;
  if (!design.search.best.empty())
    all.insert(all.begin(), design.search.best.front());
  const auto missed = [&](const FoundLayout& found) {
    return std::ranges::count_if(goals, [&](const LayoutGoal& goal) {
      const std::optional<double> value = value_of(design, found, goal.measure);
      return !value || !goal.met(*value);
    });
  };
  const auto place = [&](const FoundLayout& found) {
    return std::tuple{missed(found), sure_of(design, found, job, goals).value_or(1) < sure,
                      likely_too_large(found, design.memory), rank(design, found), found.step.step.value()};
  };
  const auto chosen = std::ranges::min_element(all, {}, place);
  if (chosen == all.end())
    return;
  design.found = *chosen;
  design.sure = sure_of(design, *chosen, job, goals);
  design.unsure = missed(*chosen) == 0 && design.sure.value_or(1) < sure;
  design.met = missed(*chosen) == 0 && !design.unsure;
}

/// Designs that meet the goals first, the best by the objective first; equally good ones by their speed.
void sort_designs(std::vector<LayoutDesign>& designs,
                  const std::function<double(const LayoutDesign&, const FoundLayout&)>& rank_of)
{
  const auto rank = [&](const LayoutDesign& design) {
    return std::pair{design.found && likely_too_large(*design.found, design.memory),
                     design.found ? rank_of(design, *design.found) : no_value};
  };
  std::ranges::stable_sort(designs, [&](const LayoutDesign& a, const LayoutDesign& b) {
    if (a.met != b.met || a.found.has_value() != b.found.has_value())
      return std::pair{!a.met, !a.found.has_value()} < std::pair{!b.met, !b.found.has_value()};
    if (rank(a) != rank(b))
      return rank(a) < rank(b);
    return a.found && b.found && a.found->step.tokens_per_second > b.found->step.tokens_per_second;
  });
}

/// The front: no other design is at least as fast, as cheap and as lean, and better in one of them.
void mark_front(std::vector<LayoutDesign>& designs)
{
  for (LayoutDesign& design : designs) {
    if (!design.found)
      continue;
    design.on_front = std::ranges::none_of(designs, [&](const LayoutDesign& other) {
      if (!other.found || &other == &design)
        return false;
      const auto better = [&](const char* measure, bool more) {
        const double mine = value_of(design, *design.found, measure).value_or(0);
        const double its = value_of(other, *other.found, measure).value_or(0);
        return more ? std::pair{its >= mine, its > mine} : std::pair{its <= mine, its < mine};
      };
      const auto [speed, faster] = better("tokens_per_s", true);
      const auto [price, cheaper] = better("cost", false);
      const auto [memory, uses_less] = better("memory", false);
      return speed && price && memory && (faster || cheaper || uses_less);
    });
  }
}

/// The layout that a combination says, the rest as plain as can be.
ParallelLayout plain_layout(const LayoutLimits& limits, ParallelLayout layout, int gpus)
{
  const auto first = [](const std::vector<int>& values, int otherwise) {
    return values.empty() ? otherwise : values.front();
  };
  layout.tp = first(limits.tp, 1);
  layout.pp = first(limits.pp, 1);
  layout.vp = first(limits.vp, 1);
  layout.cp = first(limits.cp, 1);
  layout.ep = first(limits.ep, 1);
  layout.zero = first(limits.zero, 0);
  layout.micro_batch = first(limits.micro_batch, 1);
  layout.sequence_parallel = layout.tp > 1;
  layout.low_precision_dispatch = layout.low_precision_dispatch && layout.ep > 1;
  if (layout.cp == 1)
    layout.context_exchange.reset();
  const long long of_replica = 1LL * layout.tp * layout.pp * layout.cp;
  layout.dp = first(limits.dp, static_cast<int>(std::max(1LL, gpus / of_replica)));
  return layout;
}

/// The first design where it meets the goals; else the one that misses them by the least.
void choose_design(LayoutPlan& plan, const std::vector<LayoutGoal>& goals)
{
  if (!plan.designs.empty() && plan.designs.front().met)
    plan.winner = plan.nearest = 0;
  double least = no_value;
  for (std::size_t i = 0; i < plan.designs.size() && !plan.winner; ++i) {
    double missed = 0;
    for (const LayoutGoal& goal : goals)
      if (const LayoutDesign& design = plan.designs[i]; design.found)
        if (const auto value = value_of(design, *design.found, goal.measure); !value || !goal.met(*value))
          missed += !value ? no_value : goal.upper ? *value / goal.limit : goal.limit / *value;
    if (plan.designs[i].found && missed < least) {
      least = missed;
      plan.nearest = i;
    }
  }
}

/// Why a design is the answer, or is not.
std::string verdict_on(const LayoutDesign& design, const LayoutPlan& plan, const std::vector<LayoutGoal>& goals,
                       const std::string& objective)
{
  if (!design.found)
    return design.search.examined == 0
               ? "no layout divides the GPUs"
               : fmt::format("does not fit: the leanest layout needs {:.1f} of {:.1f} GiB",
                             design.search.least_memory.value() / gib, design.memory.value() / gib);
  std::string misses;
  for (const LayoutGoal& goal : goals)
    if (const auto value = value_of(design, *design.found, goal.measure); !value || !goal.met(*value))
      misses += (misses.empty() ? "" : "; ") + miss_text(goal, value.value_or(no_value));
  if (!misses.empty())
    return misses + held_back(design.found->step);
  if (design.unsure)
    return fmt::format("meets the goals with only {}", percent_text(design.sure.value_or(0)));
  if (likely_too_large(*design.found, design.memory) && (!plan.winner || &design != &plan.designs[*plan.winner]))
    return fmt::format("may not fit: {} of the memory",
                       percent_text(design.found->step.memory.total() / design.memory));
  const LayoutDesign& best = plan.designs.front();
  if ((plan.winner && &design == &best) || !best.found)
    return "the answer";
  const double mine = value_of(design, *design.found, objective).value_or(no_value);
  const double its = value_of(best, *best.found, objective).value_or(no_value);
  if (objective == "tokens_per_s" && design.gpus == best.gpus && design.gpu == best.gpu &&
      design.found->layout.global_batch == best.found->layout.global_batch)
    return why_slower(design.found->step, best.found->step);
  return fmt::format("{} {:+.0f} %{}", objective, 100 * (mine / its - 1), held_back(design.found->step));
}

} // namespace

Message fit_told(const LayoutSearch& search, const ParallelJob& job, const FoundLayout& chosen)
{
  const auto share_of = [&](const FoundLayout& one) { return one.step.memory.total() / job.gpu.memory; };
  const double share = share_of(chosen);
  if (!memory_open(share))
    return {};
  const FoundLayout* lean = nullptr;
  for (const FoundLayout& one : search.front)
    if (!memory_open(share_of(one)) && (lean == nullptr || one.step.step < lean->step.step))
      lean = &one;
  return may_not_fit(to_text(chosen.layout), Figure{share, percent_text(share)}, job.gpu.name, how_right_memory_is,
                     {lean == nullptr ? none_leaner()
                                      : leaner(to_text(lean->layout), time_text(lean->step.step),
                                               layout_value_text("memory", lean->step.memory.total().value()))});
}

std::string why_no_layout(const ParallelJob& job, const LayoutLimits& limits, int gpus)
{
  const ParallelLayout wanted = plain_layout(limits, job.layout, gpus);
  std::string text;
  for (const LayoutFault& fault : layout_faults(wanted, job.transformer, gpus))
    text += (text.empty() ? "" : "; ") + fault.message;
  if (text.empty())
    text = "no values of the other settings go with it";
  std::string nearest;
  for (const ParallelLayout& other : nearest_layouts(wanted, job.transformer, gpus))
    nearest += (nearest.empty() ? "" : "; ") + to_text(other);
  return nearest.empty() ? text : text + "\n  layouts that work, nearest first: " + nearest;
}

std::string design_name(const LayoutCandidate& candidate)
{
  std::string name = fmt::format("{} {}", candidate.gpus, candidate.job.gpu.name);
  if (!candidate.cluster.empty())
    name = candidate.cluster + ": " + name;
  return candidate.combination.empty() ? name : fmt::format("{}: {}", name, candidate.combination);
}

ExpectedLayout expected_layout(const LayoutSearch& search, const ParallelJob& job, const FoundLayout& chosen)
{
  const ModelError error = error_of(job, chosen);
  const Expected expected = expected_of(search.steps, chosen.step.step.value(), error.own);
  const double tokens = chosen.step.tokens_per_second * chosen.step.step.value() / expected.step;
  return {tokens, tokens / error.high_80, tokens / error.low_80, expected.others};
}

Message expected_told(const LayoutSearch& search, const ParallelJob& job, const FoundLayout& chosen)
{
  const ExpectedLayout expected = expected_layout(search, job, chosen);
  const auto rate = [](double value) { return Figure{value, rate_text(value)}; };
  const double less = 1 - expected.tokens_per_second / chosen.step.tokens_per_second;
  return one_of(to_text(chosen.layout), static_cast<std::int64_t>(expected.others), rate(expected.tokens_per_second),
                {less, fmt::format("{:.1f} %", 100 * less)}, rate(expected.low_80), rate(expected.high_80));
}

LayoutPlan plan_layouts(const std::vector<LayoutCandidate>& candidates, const std::vector<LayoutGoal>& goals,
                        const std::string& objective, bool maximise, std::size_t keep, const DesignProgress& progress,
                        double sure)
{
  constexpr int most_searched = 16; // for the smallest number of GPUs
  LayoutPlan plan;
  const auto rank = [&](const LayoutDesign& design, const FoundLayout& found) {
    const std::optional<double> value = value_of(design, found, objective);
    return !value ? no_value : maximise ? -*value : *value;
  };
  const auto money = [](const std::string& measure) { return measure.starts_with("cost"); };
  const bool needs_prices = money(objective) || std::ranges::any_of(goals, money, &LayoutGoal::measure);
  plan.designs.reserve(candidates.size());
  for (const LayoutCandidate& candidate : candidates) {
    if (needs_prices && !candidate.dollars_per_hour)
      throw InputError{candidate.price_note.substr(0, candidate.price_note.find('\n')) +
                       "; or leave money out: --minimise step"};
    LayoutDesign design{.candidate = plan.designs.size(),
                        .gpu = candidate.job.gpu.name,
                        .gpus = candidate.gpus,
                        .dollars_per_hour = candidate.dollars_per_hour,
                        .memory = candidate.job.gpu.memory};
    const auto tell = [&](std::size_t done, std::size_t total) {
      if (progress && candidates.size() == 1)
        progress(done, total, "layouts");
      else if (progress)
        progress(plan.designs.size(), candidates.size(),
                 fmt::format("{}: {} of {} layouts", design_name(candidate), done, total));
    };
    design.search = search_layouts(candidate.job, candidate.gpus, keep, tell, candidate.limits);
    plan.examined += design.search.examined;
    if (design.search.examined == 0)
      design.fault = why_no_layout(candidate.job, candidate.limits, candidate.gpus);
    choose_layout(design, candidate.job, goals, sure, rank);
    plan.designs.push_back(std::move(design));
  }
  sort_designs(plan.designs, rank);
  mark_front(plan.designs);
  choose_design(plan, goals);
  for (LayoutDesign& design : plan.designs)
    design.verdict = verdict_on(design, plan, goals, objective);
  if (std::ranges::none_of(plan.designs, [](const LayoutDesign& design) { return design.found.has_value(); }))
    for (const LayoutCandidate& candidate : candidates) {
      if (&candidate - candidates.data() >= most_searched)
        break;
      const int needed = fewest_gpus(candidate.job, 65536, candidate.limits, [&](std::size_t, std::size_t) {
        if (progress)
          progress(candidates.size(), candidates.size(), "the smallest number of GPUs");
      });
      if (needed > 0 && (plan.needed_gpus == 0 || needed < plan.needed_gpus))
        plan.needed_gpus = needed;
    }
  return plan;
}

} // namespace trainyard
