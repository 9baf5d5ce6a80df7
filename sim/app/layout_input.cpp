// SPDX-License-Identifier: Apache-2.0
#include "sim/app/layout_input.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/parallel/parallel_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace trainyard::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double gib = 1U << 30U;

constexpr Sentence<std::string, Message, std::int64_t, std::string> asked_for{
    "layouts.asked_for", "{model}, {wanted}: {designs|design|designs}, {layouts} layouts"};
constexpr Sentence<> the_fastest{"layouts.the_fastest", "the fastest layout"};
constexpr Sentence<std::string, std::string> gpus_tried{
    "layouts.gpus_tried", "batch {batch}; GPUs tried: {gpus} (--gpus A..B doubles, A,B,C tries these)"};
constexpr Sentence<> what_front_is{"layouts.front",
                                   "front: no other design has more tokens/s, costs less and needs less memory."};
constexpr Sentence<Figure> does_not_fit_into{"layouts.does_not_fit", "does not fit into {memory}"};
constexpr Sentence<> less_memory{"layouts.less_memory", "less memory costs time (no layout is faster with less):"};
constexpr Sentence<std::int64_t> fits_from{"layouts.fits_from", "It fits on {gpus} GPUs."};
constexpr Sentence<Messages> none_meets{"layouts.none_meets", "No design meets the goals. The nearest:{more}"};
constexpr Sentence<Figure, Figure> none_surely{
    "layouts.none_surely", "No design meets the goals as surely as {wanted}. The nearest is predicted to, and is "
                           "{sure} sure, by the errors of the model (--sure 0 takes it)."};
constexpr Sentence<Figure> met_surely{"layouts.met_surely",
                                      "The goals on speed are met with {sure}, by the errors of the model."};
constexpr Sentence<std::string, std::string, std::string> more_gpus{
    "layouts.more_gpus", " a GPU does {rate} tokens/s, so {goal} takes {gpus} of them at least."};
constexpr Sentence<std::string, std::string, std::string, std::int64_t> more_gpus_asked{
    "layouts.more_gpus_asked",
    " a GPU does {rate} tokens/s, so {goal} takes {gpus} of them at least (--gpus {number})."};
constexpr Sentence<std::string, std::string> others_lose{
    "layouts.others_lose", "{design}, {layout}; what other layouts on these GPUs lose by:"};
constexpr Sentence<std::string, std::string, std::string, std::string, Figure> layouts_of{
    "layouts.layouts_of", "{model} on {gpus}: {layouts} layouts, {large} of them need more than the GPU's {memory}"};
constexpr Sentence<> is_fastest{"layouts.is_fastest", "fastest"};
constexpr Sentence<> closed_form_basis{"layouts.closed_form",
                                       "Closed form: collectives meet no other traffic. Percent of the fastest step."};
constexpr Sentence<std::string, std::string, std::int64_t, std::int64_t> part_of_cluster{
    "layouts.part_of_cluster", "{cluster}: {machines}; {used} of its {gpus} GPUs (--gpus {gpus} takes all)"};
constexpr Sentence<std::string> usual_machines{"layouts.usual_machines",
                                               "assumed: {machines} (--cluster or a scenario names others)"};

Figure memory_of(double bytes)
{
  return {bytes, fmt::format("{:.0f} GiB", bytes / gib)};
}

/// How many GPUs a goal on tokens/s takes that no design meets, if each does as much as those of @p design.
Messages more_gpus_for(const LayoutDesign& design, const std::vector<LayoutDesign>& all,
                       const std::vector<LayoutGoal>& goals)
{
  Messages told;
  for (const LayoutGoal& goal : goals) {
    const double of_a_gpu = design.found->step.tokens_per_second / design.gpus;
    const auto meets = [&](const LayoutDesign& one) {
      return one.found && goal.met(one.found->step.tokens_per_second);
    };
    if (goal.measure != "tokens_per_s" || goal.upper || std::ranges::any_of(all, meets))
      continue;
    const double needed = std::ceil(goal.limit / of_a_gpu);
    int from = design.gpus;
    while (from < needed && from <= most_gpus_asked)
      from *= 2;
    const std::string rate = rate_text(of_a_gpu), gpus = count_text(static_cast<std::uint64_t>(needed));
    told.push_back(from <= most_gpus_asked ? more_gpus_asked(rate, goal.text, gpus, from)
                                           : more_gpus(rate, goal.text, gpus));
  }
  return told;
}

/// What a plan of layouts was asked, and found.
struct LayoutAnswer {
  LayoutQuestion asked;
  std::vector<LayoutGoal> goals;
  double sure = 0; // with which they are to be met
  std::string objective, price_list;
  std::vector<LayoutCandidate> candidates;
  LayoutPlan plan;
};

std::string price_notes(const LayoutAnswer& made)
{
  std::string notes;
  for (const LayoutCandidate& candidate : made.candidates)
    add_notes(notes, candidate.price_note);
  return notes;
}

/// The designs, best first: what each is, reaches and costs.
void tell_designs(const LayoutAnswer& made, Telling& told)
{
  const auto any = [&](auto&& has) { return std::ranges::any_of(made.plan.designs, has); };
  const auto on = [&](const LayoutDesign& design) -> const LayoutCandidate& {
    return made.candidates[design.candidate];
  };
  const bool listed = any([&](const LayoutDesign& design) { return !on(design).combination.empty(); });
  const bool prices = !listed || any([](const LayoutDesign& design) { return design.dollars_per_hour.has_value(); });
  std::vector<std::pair<Column, std::function<std::string(const LayoutDesign&)>>> columns;
  const auto measured = [&](const char* title, const char* measure, auto&& text) {
    columns.emplace_back(Column{title}, [=](const LayoutDesign& design) {
      const auto value = design.found ? value_of(design, *design.found, measure) : std::nullopt;
      return value ? text(*value) : std::string{"-"};
    });
  };
  const auto shown = [](const char* measure) {
    return [=](double value) { return layout_value_text(measure, value); };
  };
  if (any([&](const LayoutDesign& design) { return !on(design).cluster.empty(); }))
    columns.emplace_back(Column{"cluster", false}, [&](const LayoutDesign& design) { return on(design).cluster; });
  columns.emplace_back(Column{"GPUs", false},
                       [](const LayoutDesign& design) { return fmt::format("{} {}", design.gpus, design.gpu); });
  if (listed)
    columns.emplace_back(Column{"combination", false},
                         [&](const LayoutDesign& design) { return on(design).combination; });
  measured("tokens/s", "tokens_per_s", shown("tokens_per_s"));
  if (listed) {
    measured("step", "step", shown("step"));
    measured("MFU", "mfu", shown("mfu"));
  }
  measured("memory", "memory", shown("memory"));
  if (prices) {
    measured("cost", "cost", shown("cost"));
    measured("per M tokens", "cost_per_token", [](double value) { return fmt::format("{:.3g} $", value); });
  }
  columns.emplace_back(Column{"layout", false}, [](const LayoutDesign& design) {
    return design.found ? to_text(design.found->layout) : std::string{"-"};
  });
  if (prices)
    columns.emplace_back(Column{"front", false},
                         [](const LayoutDesign& design) { return std::string{design.on_front ? "*" : ""}; });
  columns.emplace_back(Column{"verdict", false}, [](const LayoutDesign& design) { return design.verdict; });
  std::vector<Column> titles;
  TableRows rows(made.plan.designs.size());
  for (const auto& [title, cell] : columns) {
    titles.push_back(title);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].emplace_back(cell(made.plan.designs[i]));
  }
  told.table(std::move(titles), std::move(rows));
  if (prices)
    told.say(what_front_is());
}

/// What other layouts on the design's GPUs lose by, and what less memory costs.
void tell_others(const LayoutDesign& design, Telling& told)
{
  const FoundLayout& found = *design.found;
  TableRows others, front;
  const auto row = [](const FoundLayout& other, TableCell why) -> std::vector<TableCell> {
    return {to_text(other.layout), time_text(other.step.step),
            layout_value_text("memory", other.step.memory.total().value()), std::move(why)};
  };
  for (const FoundLayout& other : design.search.best)
    if (others.size() < 5 && to_text(other.layout) != to_text(found.layout))
      others.push_back(row(other, why_slower(other.step, found.step)));
  if (design.search.fastest_too_large && design.search.fastest_too_large->step.step < found.step.step)
    others.push_back(row(*design.search.fastest_too_large, does_not_fit_into(memory_of(design.memory.value()))));
  told.table({{"layout", false}, {"step"}, {"memory"}, {"why", false}}, std::move(others));
  if (design.search.front.size() < 2)
    return;
  told.heading(less_memory(), "\n");
  for (const FoundLayout& one : design.search.front)
    if (front.size() < 6)
      front.push_back({layout_value_text("memory", one.step.memory.total().value()), time_text(one.step.step),
                       to_text(one.layout)});
  told.table({{"memory"}, {"step"}, {"layout", false}}, std::move(front));
}

/// What the figures rest on: the formula, and the machines of each cluster.
void tell_basis(const LayoutAnswer& made, Telling& told)
{
  told.say(closed_form_basis());
  std::string usual;
  std::set<std::string> known;
  for (const LayoutCandidate& one : made.candidates)
    if (!known.insert(one.cluster.empty() ? one.machines : one.cluster).second)
      continue;
    else if (one.cluster.empty())
      usual += (usual.empty() ? "" : "; ") + one.machines;
    else
      told.say(one.gpus < one.installed ? part_of_cluster(one.cluster, one.machines, one.gpus, one.installed)
                                        : plain(MessageKind::part, one.cluster + ": " + one.machines));
  if (!usual.empty())
    told.say(usual_machines(usual));
}

Telling plan_of_layouts(const LayoutAnswer& made)
{
  Telling told;
  const LayoutPlan& plan = made.plan;
  std::string wanted;
  for (const LayoutGoal& goal : made.goals)
    wanted += (wanted.empty() ? "" : " and ") + goal.text;
  told.say(asked_for(made.asked.name(), wanted.empty() ? the_fastest() : plain(MessageKind::part, wanted),
                     std::ssize(plan.designs), count_text(plan.examined)));
  told.gap();
  std::set<int> counts, batches;
  for (const LayoutDesign& design : plan.designs) {
    counts.insert(design.gpus);
    if (design.found)
      batches.insert(design.found->layout.global_batch);
  }
  if (plan.designs.size() > 1 && !batches.empty()) {
    told.say(gpus_tried(fmt::format("{}", fmt::join(batches, ", ")), fmt::format("{}", fmt::join(counts, ", "))));
    told.gap();
  }
  tell_designs(made, told);
  tell_basis(made, told);
  told.lines(price_notes(made));
  for (const LayoutDesign& design : plan.designs) {
    const LayoutCandidate& on = made.candidates[design.candidate];
    ParallelJob divided = on.job;
    if (design.found)
      divided.layout = design.found->layout;
    if (const Message across = design.found ? tensor_across_machines(divided) : plain(MessageKind::part, design.fault);
        !across.empty())
      told.line(across, fmt::format("\n{}: ", design_name(on)));
  }
  if (!plan.nearest && plan.needed_gpus > 0)
    told.answer(fits_from(plan.needed_gpus), "\n");
  if (!plan.nearest)
    return told;
  const LayoutDesign& answer = plan.designs[*plan.nearest];
  if (!answer.found)
    return told;
  const LayoutCandidate& on = made.candidates[answer.candidate];
  const auto share = [](double sure) { return Figure{sure, percent_text(sure)}; };
  if (!plan.winner && answer.unsure)
    told.line(none_surely(share(made.sure), share(answer.sure.value_or(0))), "\n");
  else if (!plan.winner)
    told.line(none_meets(more_gpus_for(answer, plan.designs, made.goals)), "\n");
  else if (answer.sure)
    told.line(met_surely(share(*answer.sure)), "\n");
  const std::string price = answer.dollars_per_hour ? layout_value_text("cost", *answer.dollars_per_hour) : "";
  told.answer(plain(MessageKind::part, design_name(on) + (price.empty() ? "" : ", " + price)), "\n");
  told.answer(expected_told(answer.search, on.job, *answer.found));
  if (Message doubt = fit_told(answer.search, on.job, *answer.found); !doubt.empty())
    told.answer(std::move(doubt));
  told.heading(others_lose(design_name(on), to_text(answer.found->layout)), "\n");
  tell_others(answer, told);
  return told;
}

/// One design, asked for without goals: its best layouts.
Telling best_layouts(const LayoutAnswer& made)
{
  Telling told;
  const LayoutCandidate& on = made.candidates.front();
  const LayoutSearch& search = made.plan.designs.front().search;
  const FoundLayout chosen = made.plan.designs.front().found.value_or(search.best.front());
  TableRows rows;
  for (const FoundLayout& found : search.best)
    rows.push_back({to_text(found.layout), time_text(found.step.step), rate_text(found.step.tokens_per_second),
                    percent_text(found.step.model_flop_utilisation), memory_of(found.step.memory.total().value()).text,
                    found.why_slower.empty() ? TableCell{is_fastest()} : TableCell{found.why_slower}});
  told.say(layouts_of(made.asked.name(), training_words(on), count_text(search.examined), count_text(search.too_large),
                      memory_of(on.job.gpu.memory.value())));
  told.gap();
  told.table({{"layout", false}, {"step"}, {"tokens/s"}, {"MFU"}, {"memory"}, {"why it is slower", false}},
             std::move(rows));
  told.answer(expected_told(search, on.job, chosen));
  if (Message doubt = fit_told(search, on.job, chosen); !doubt.empty())
    told.answer(std::move(doubt));
  tell_basis(made, told);
  return told;
}

Json json_of(const FoundLayout& found)
{
  const ParallelLayout& l = found.layout;
  const ParallelStep& s = found.step;
  return {{"layout", to_text(l)},
          {"parallel", layout_flow(l)},
          {"tp", l.tp},
          {"pp", l.pp},
          {"vp", l.vp},
          {"dp", l.dp},
          {"cp", l.cp},
          {"ep", l.ep},
          {"sequence_parallel", l.sequence_parallel},
          {"zero", l.zero},
          {"micro_batch", l.micro_batch},
          {"recomputation", to_text(l.recomputation)},
          {"recompute_modules", l.recomputed},
          {"layers_per_stage", l.layers_per_stage},
          {"step_s", s.step.value()},
          {"tokens_per_second", s.tokens_per_second},
          {"model_flop_utilisation", s.model_flop_utilisation},
          {"gpu_memory_B", s.memory.total().value()},
          {"bottleneck", s.bottleneck.text},
          {"why_slower", found.why_slower}};
}

} // namespace

std::string training_words(const LayoutCandidate& candidate)
{
  const ParallelJob& job = candidate.job;
  return fmt::format("{} {}, {} sequences of {} tokens a step", candidate.gpus, job.gpu.name, job.layout.global_batch,
                     job.layout.sequence > 0 ? job.layout.sequence : job.transformer.sequence);
}

Option precision_option()
{
  return {"--precision",
          "",
          "NAME",
          "precision of matrix products, of layouts (default: that of the scenario, else bf16)",
          "",
          false,
          false,
          {"bf16", "fp16", "fp8", "mxfp8", "nvfp4"}};
}

namespace {

/// Every candidate with each combination that --parallel lists.
std::vector<LayoutCandidate> with_combinations(const std::vector<LayoutCandidate>& candidates, const std::string& lists)
{
  std::vector<LayoutCandidate> all;
  for (const LayoutCandidate& candidate : candidates)
    for (auto& [name, limits] : layout_choices(lists)) {
      all.push_back(candidate);
      all.back().combination = name;
      all.back().limits = std::move(limits);
    }
  return all;
}

/// Throws InputError where no layout divides the GPUs of the only design.
void check_divides(const Arguments& arguments, const LayoutAnswer& made)
{
  const LayoutCandidate& on = made.candidates.front();
  if (made.candidates.size() > 1 || made.plan.designs.front().fault.empty())
    return;
  const std::string lists = arguments.value("--parallel");
  throw InputError{fmt::format(
      "no layout of {} divides {} GPUs and {} sequences{}; give another --gpus or --global-batch{}", made.asked.name(),
      on.gpus, on.job.layout.global_batch, lists.empty() ? "" : " with --parallel " + lists,
      lists.empty() ? "" : ", or other values of --parallel\n  " + made.plan.designs.front().fault)};
}

LayoutAnswer layout_answer(const Arguments& arguments, const std::string& objective, bool maximise, bool combinations)
{
  const Prices prices = prices_of(arguments, load_catalogue(data_folder()));
  const PointEvaluator evaluator{prices};
  LayoutAnswer made{.asked = layout_question(arguments, evaluator.catalogue()), .price_list = prices.name};
  for (const std::string& text : arguments.all("--goal"))
    made.goals.push_back(parse_layout_goal(text));
  made.sure = sureness_of(arguments);
  made.objective = layout_measure(objective).name;
  made.candidates = layout_candidates(arguments, made.asked, evaluator);
  if (combinations)
    made.candidates = with_combinations(made.candidates, arguments.value("--parallel"));
  Progress progress{arguments};
  made.plan = plan_layouts(made.candidates, made.goals, made.objective, maximise, arguments.whole_number("--top", 8, 1),
                           progress.reporter(), made.sure);
  progress.clear();
  check_divides(arguments, made);
  return made;
}

Json json_of(const LayoutAnswer& made)
{
  const LayoutPlan& plan = made.plan;
  std::vector<std::string> goals;
  for (const LayoutGoal& goal : made.goals)
    goals.push_back(goal.text);
  Json json = document_head("trainyard layout plan");
  json.update({{"title", "Training of " + made.asked.name()},
               {"question", fmt::format("Which GPUs, how many, and which layout train {} best in {}{}?",
                                        made.asked.name(), made.objective,
                                        goals.empty() ? "" : fmt::format(" and meet {}", fmt::join(goals, " and ")))},
               {"model", made.asked.name()},
               {"objective", made.objective},
               {"price_list", made.price_list},
               {"met", plan.winner.has_value()},
               {"goals", goals},
               {"price_note", price_notes(made)}});
  if (plan.needed_gpus > 0)
    json["fits_from_gpus"] = plan.needed_gpus;
  for (const LayoutDesign& design : plan.designs) {
    const LayoutCandidate& on = made.candidates[design.candidate];
    Json one = {{"gpu", design.gpu},
                {"gpus", design.gpus},
                {"met", design.met},
                {"sure", design.sure ? Json(*design.sure) : Json()},
                {"on_front", design.on_front},
                {"verdict", design.verdict},
                {"answer", plan.winner && &design == &plan.designs[*plan.winner]},
                {"examined", design.search.examined},
                {"too_large", design.search.too_large}};
    if (!on.cluster.empty())
      one.update({{"cluster", on.cluster}, {"gpus_of_cluster", on.installed}});
    if (!on.combination.empty())
      one["combination"] = on.combination;
    if (!design.fault.empty())
      one["fault"] = design.fault;
    if (design.dollars_per_hour)
      one["cost_usd_per_hour"] = *design.dollars_per_hour;
    if (design.found) {
      one["best"] = json_of(*design.found);
      const ExpectedLayout expected = expected_layout(design.search, on.job, *design.found);
      one["expected"] = {{"tokens_per_second", expected.tokens_per_second},
                         {"tokens_per_second_low_80", expected.low_80},
                         {"tokens_per_second_high_80", expected.high_80},
                         {"may_be_as_fast", expected.others}};
      if (const Message doubt = fit_told(design.search, on.job, *design.found); !doubt.empty())
        one["may_not_fit"] = doubt.text;
    }
    json["designs"].push_back(std::move(one));
  }
  return json;
}

/// Writes the study's folder, prints, and says how it ended.
int tell(const Arguments& arguments, const LayoutAnswer& made, Json json, const std::string& kind,
         const std::string& folder_name, const std::string& file, Telling told)
{
  const LayoutPlan& plan = made.plan;
  json["told"] = told.json();
  tell_study(
      arguments, {kind, folder_name, file, std::move(told), document_text(json)},
      [&](const std::filesystem::path& to) {
        if (!plan.winner)
          return;
        const LayoutDesign& answer = plan.designs[*plan.winner];
        write_file(to / "answer.yaml",
                   layout_scenario(made.asked, made.candidates[answer.candidate], answer.found->layout));
      },
      [&](const std::filesystem::path& to) {
        return plan.winner ? fmt::format("simrun {}", (to / "answer.yaml").string()) : file;
      });
  if (plan.winner)
    return done;
  const bool divides = std::ranges::any_of(plan.designs, [](const auto& design) { return design.fault.empty(); });
  return divides ? goal_not_met : bad_input;
}

std::string folder_name_of(const Arguments& arguments, const std::string& otherwise)
{
  const std::string name = arguments.value("--model", otherwise);
  const std::filesystem::path file{name};
  return file.has_parent_path() || is_dnn_file(name) ? file.stem().string() : name;
}

} // namespace

int compare_layouts(const Arguments& arguments)
{
  for (const char* other : {"--vary", "--policies", "--sync", "--async", "--arch"})
    if (arguments.has(other))
      throw InputError{
          fmt::format("--parallel compares layouts of one model; '{}' belongs to another comparison", other)};
  if (!arguments.has("--parallel"))
    throw InputError{"--gpus is for layouts: give --parallel 'tp=2,4,8 pp=1,2,4' as well, or ask simrun layouts"};
  const std::string name = folder_name_of(arguments, arguments.value("SCENARIOS", "layouts"));
  check_study_folder(arguments, "comparisons", name);
  const LayoutAnswer made = layout_answer(arguments, "tokens_per_s", true, true);
  return tell(arguments, made, json_of(made), "comparisons", name, "compare.txt", plan_of_layouts(made));
}

int find_layouts(Arguments arguments)
{
  if (!arguments.has("--output"))
    arguments.add("--no-files", "");
  check_study_folder(arguments, "layouts", "layouts");
  const LayoutAnswer made = layout_answer(arguments, "tokens_per_s", true, false);
  const LayoutCandidate& on = made.candidates.front();
  const LayoutDesign& design = made.plan.designs.front();
  const bool one = made.candidates.size() == 1 && design.found;
  Json json = json_of(made);
  if (one) {
    json.update({{"gpus", on.gpus},
                 {"gpu", on.job.gpu.name},
                 {"precision", on.job.layout.precision},
                 {"examined", design.search.examined},
                 {"too_large", design.search.too_large},
                 {"expected", json["designs"][0]["expected"]}});
    for (const FoundLayout& found : design.search.best)
      json["layouts"].push_back(json_of(found));
  }
  const int ended = tell(arguments, made, json, "layouts", "layouts", "layouts.txt",
                         one ? best_layouts(made) : plan_of_layouts(made));
  ParallelJob fastest = on.job;
  if (one)
    fastest.layout = design.found->layout;
  if (const Message price = one ? tensor_across_machines(fastest) : Message{}; !price.empty())
    print_note("warning: " + price.text, arguments);
  return ended;
}

int plan_for_model(const Arguments& arguments)
{
  for (const char* other : {"--trace", "--node", "--knob", "--policies"})
    if (arguments.has(other))
      throw InputError{fmt::format("--gpus and --model plan layouts; '{}' belongs to a plan of a scenario", other)};
  if (arguments.has("--minimise") && arguments.has("--maximise"))
    throw InputError{"give only one of --minimise and --maximise"};
  const std::string name = folder_name_of(arguments, arguments.value("SCENARIO", "layouts"));
  check_study_folder(arguments, "plans", name);
  const LayoutAnswer made =
      layout_answer(arguments, arguments.value("--maximise", arguments.value("--minimise", "cost")),
                    arguments.has("--maximise"), false);
  return tell(arguments, made, json_of(made), "plans", name, "plan.txt", plan_of_layouts(made));
}

} // namespace trainyard::app
