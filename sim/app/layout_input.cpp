// SPDX-License-Identifier: Apache-2.0
#include "sim/app/layout_input.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "models/import/draft.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/app/shorthand.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/parallel/parallel_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

namespace trainyard::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double gib = 1U << 30U;
constexpr std::uint64_t most_sequences = 100'000'000; // of a step, and tokens of a sequence

/// Where nobody says it: a multiple of the GPUs, because every number of replicas that they allow divides it.
int batch_of(const Arguments& arguments, const std::vector<int>& counts)
{
  long long common = 1;
  for (const int gpus : counts)
    common = std::min<long long>(std::lcm(common, gpus), most_gpus_asked + 1LL);
  if (common > most_gpus_asked) // of counts that have little in common
    common = std::ranges::max(counts);
  const long long usual = (std::max(common, 256LL) + common - 1) / common * common;
  return static_cast<int>(
      arguments.whole_number("--global-batch", static_cast<std::uint64_t>(usual), 1, most_sequences));
}

int sequence_of(const Arguments& arguments)
{
  return static_cast<int>(arguments.whole_number("--sequence", 0, 1, most_sequences));
}

/// "tp: 8, pp: 4, …"
std::string layout_flow(const ParallelLayout& l)
{
  std::string text =
      fmt::format("tp: {}, pp: {}, vp: {}, dp: {}, cp: {}, ep: {}, zero: {}, micro_batch: {}, "
                  "global_batch: {}, recomputation: {}",
                  l.tp, l.pp, l.vp, l.dp, l.cp, l.ep, l.zero, l.micro_batch, l.global_batch, to_text(l.recomputation));
  if (!l.layers_per_stage.empty())
    text += fmt::format(", layers_per_stage: [{}]", fmt::join(l.layers_per_stage, ", "));
  if (!l.recomputed.empty())
    text += fmt::format(", recompute_modules: [{}]", fmt::join(l.recomputed, ", "));
  return text + (l.sequence_parallel ? ", sequence_parallel: true" : "");
}

/// The machines that a search takes for granted, because only the GPU is named.
struct UsualMachines {
  int gpus = 1; // of one
  std::string network;
};

UsualMachines usual_machines(const Gpu& gpu)
{
  return {std::max(1, gpu.board.gpus), gpu.board.nic.empty() ? "100GbE" : gpu.board.nic};
}

/// "machines of 8 H100-SXM5, network IB-NDR"
std::string machine_words(const Gpu& gpu)
{
  const UsualMachines usual = usual_machines(gpu);
  return fmt::format("machines of {} {}, network {}", usual.gpus, gpu.name, usual.network);
}

/// @p layout: the flow map of training.parallel without braces.
std::string scenario_text(const Arguments& arguments, const std::string& model, const Gpu& gpu, int gpus,
                          const std::string& layout)
{
  const UsualMachines usual = usual_machines(gpu);
  const int per_node = std::min(gpus, usual.gpus);
  const int sequence = sequence_of(arguments);
  const std::string file = is_dnn_file(model) ? std::filesystem::absolute(model).string() : model;
  return fmt::format("trainyard: 1\nname: layouts\ncluster:\n  node_types: {{machine: {{gpu: {}, gpus: {}}}}}\n"
                     "  nodes: [{{name: machine, type: machine, count: {}}}]\n  network: {{topology: star, link: {}}}\n"
                     "jobs:\n  - name: job\n    precision: {}\n    model: {{name: {}{}}}\n    training: {{parallel: "
                     "{{{}, fused_elementwise: true}}}}\n",
                     gpu.name, per_node, (gpus + per_node - 1) / per_node, usual.network,
                     arguments.value("--precision", "bf16"), yaml_text(file),
                     sequence > 0 ? fmt::format(", sequence_length: {}", sequence) : std::string{}, layout);
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

struct ComparedLayout {
  std::string name;
  LayoutSearch search;
  std::string fault; // why there is none
};

std::string compared_text(const std::vector<ComparedLayout>& rows, const ParallelJob& job, const std::string& model,
                          int gpus, bool colour)
{
  const FoundLayout* best = nullptr;
  for (const ComparedLayout& row : rows)
    if (!row.search.best.empty() && (best == nullptr || row.search.best.front().step.step < best->step.step))
      best = &row.search.best.front();
  std::string text = fmt::format(
      "{} on {} {}, {} sequences of {} tokens a step: the best layout of each combination\n\n", model, gpus,
      job.gpu.name, job.layout.global_batch, job.layout.sequence > 0 ? job.layout.sequence : job.transformer.sequence);
  std::vector<std::vector<TableCell>> cells;
  std::string faults, prices;
  for (const ComparedLayout& row : rows) {
    if (row.search.best.empty()) {
      cells.push_back(
          {{row.name}, {"-"}, {"-"}, {"-"}, {"-"}, {"-"}, {row.search.examined > 0 ? row.fault : "does not divide"}});
      if (row.search.examined == 0)
        faults += fmt::format("\n{}: {}\n", row.name, row.fault);
      continue;
    }
    const FoundLayout& found = row.search.best.front();
    cells.push_back({{row.name},
                     {to_text(found.layout)},
                     {time_text(found.step.step)},
                     {rate_text(found.step.tokens_per_second)},
                     {percent_text(found.step.model_flop_utilisation)},
                     {fmt::format("{:.0f} GiB", found.step.memory.total().value() / gib)},
                     {&found == best ? "fastest" : why_slower(found.step, best->step)}});
    ParallelJob one = job;
    one.layout = found.layout;
    if (const std::string price = tensor_across_machines(one); !price.empty())
      prices += fmt::format("{}: {}\n", row.name, price);
  }
  text += table_text({{"combination", false},
                      {"best layout", false},
                      {"step"},
                      {"tokens/s"},
                      {"MFU"},
                      {"memory"},
                      {"why it is slower", false}},
                     cells, colour);
  return text + layout_basis(job.gpu) + prices + faults;
}

/// How many GPUs a goal on tokens/s takes, if each does as much as those of a design that misses it; empty: none does.
std::string more_gpus_text(const LayoutDesign& design, const std::vector<LayoutGoal>& goals)
{
  std::string text;
  for (const LayoutGoal& goal : goals) {
    const double of_a_gpu = design.found->step.tokens_per_second / design.gpus;
    if (goal.measure != "tokens_per_s" || goal.upper || goal.met(of_a_gpu * design.gpus))
      continue;
    const double needed = std::ceil(goal.limit / of_a_gpu);
    int from = design.gpus;
    while (from < needed && from <= most_gpus_asked)
      from *= 2;
    text += fmt::format(" a GPU does {} tokens/s, so {} takes {} of them at least{}.", rate_text(of_a_gpu), goal.text,
                        count_text(static_cast<std::uint64_t>(needed)),
                        from <= most_gpus_asked ? fmt::format(" (--gpus {})", from) : std::string{});
  }
  return text;
}

std::string plan_layouts_text(const LayoutPlan& plan, const std::string& model, const std::vector<LayoutGoal>& goals,
                              const std::string& machines, bool colour)
{
  std::string wanted;
  for (const LayoutGoal& goal : goals)
    wanted += (wanted.empty() ? "" : " and ") + goal.text;
  std::string text = fmt::format("{}, {}: {}, {} layouts\n\n", model, wanted.empty() ? "no goal" : wanted,
                                 counted(plan.designs.size(), "design"), count_text(plan.examined));
  std::vector<std::vector<TableCell>> cells;
  cells.reserve(plan.designs.size());
  for (const LayoutDesign& design : plan.designs) {
    std::vector<TableCell> row{{fmt::format("{} {}", design.gpus, design.gpu)}};
    if (design.found) {
      for (const char* measure : {"tokens_per_s", "memory", "cost", "cost_per_token"}) {
        const std::optional<double> value = value_of(design, *design.found, measure);
        row.push_back({value ? std::string{measure} == "cost_per_token" ? fmt::format("{:.3g} $", *value)
                                                                        : layout_value_text(measure, *value)
                             : "-"});
      }
      row.push_back({to_text(design.found->layout)});
    } else {
      row.insert(row.end(), 4, {"-"});
      row.push_back({"-"});
    }
    row.push_back({design.on_front ? "*" : ""});
    row.push_back({design.verdict});
    cells.push_back(std::move(row));
  }
  text += table_text({{"GPUs", false},
                      {"tokens/s"},
                      {"memory"},
                      {"cost"},
                      {"per M tokens"},
                      {"layout", false},
                      {"front", false},
                      {"verdict", false}},
                     cells, colour);
  text += "front: no other design has more tokens/s, costs less and needs less memory.\nassumed: " + machines + "\n";
  if (!plan.nearest)
    return text + (plan.needed_gpus > 0 ? fmt::format("\nIt fits from {} GPUs on.\n", plan.needed_gpus) : "");
  const LayoutDesign& answer = plan.designs[*plan.nearest];
  if (!plan.winner)
    text += "\nNo design meets the goals. The nearest:" + more_gpus_text(answer, goals);
  const FoundLayout& found = *answer.found;
  text += fmt::format("\n{} {}, {}; what other layouts on these GPUs lose by:\n", answer.gpus, answer.gpu,
                      to_text(found.layout));
  std::vector<std::vector<TableCell>> others;
  for (const FoundLayout& other : answer.search.best)
    if (others.size() < 5 && to_text(other.layout) != to_text(found.layout))
      others.push_back({{to_text(other.layout)},
                        {time_text(other.step.step)},
                        {layout_value_text("memory", other.step.memory.total().value())},
                        {why_slower(other.step, found.step)}});
  if (answer.search.fastest_too_large && answer.search.fastest_too_large->step.step < found.step.step) {
    const FoundLayout& large = *answer.search.fastest_too_large;
    others.push_back({{to_text(large.layout)},
                      {time_text(large.step.step)},
                      {layout_value_text("memory", large.step.memory.total().value())},
                      {fmt::format("does not fit into {:.0f} GiB", answer.memory.value() / gib)}});
  }
  text += table_text({{"layout", false}, {"step"}, {"memory"}, {"why", false}}, others, colour);
  if (answer.search.front.size() > 1) {
    text += "\nless memory costs time (no layout is faster with less):\n";
    std::vector<std::vector<TableCell>> front;
    for (const FoundLayout& one : answer.search.front)
      if (front.size() < 6)
        front.push_back({{layout_value_text("memory", one.step.memory.total().value())},
                         {time_text(one.step.step)},
                         {to_text(one.layout)}});
    text += table_text({{"memory"}, {"step"}, {"layout", false}}, front, colour);
  }
  return text + "Closed form: collectives meet no other traffic.\n";
}

Json json_of_found(const FoundLayout& found)
{
  return {{"layout", to_text(found.layout)},
          {"parallel", layout_flow(found.layout)},
          {"step_s", found.step.step.value()},
          {"tokens_per_second", found.step.tokens_per_second},
          {"model_flop_utilisation", found.step.model_flop_utilisation},
          {"gpu_memory_B", found.step.memory.total().value()},
          {"bottleneck", found.step.bottleneck}};
}

} // namespace

std::vector<Option> layout_input_options()
{
  return {
      {"--gpu", "", "NAMES",
       "kind of GPU (default H100-SXM5), in the machine that it is usually sold in; plan takes several: "
       "H100-SXM5,A100-SXM4-80GB",
       "list gpus,"},
      {"--global-batch", "", "N",
       "sequences of one optimiser step (default: the smallest multiple of the GPUs from 256 on)"},
      {"--sequence", "", "TOKENS", "tokens of a sequence (default: the published length)"},
      {"--parallel", "", "LISTS",
       "values that a layout may have: 'tp=2,4,8 pp=1,2,4 ep=8' (also vp, dp, cp, zero, micro_batch, recomputation)"}};
}

std::string layout_basis(const Gpu& gpu)
{
  return fmt::format("Closed form: collectives meet no other traffic. Percent of the fastest step.\n"
                     "assumed: {} (a scenario with training.parallel describes others)\n",
                     machine_words(gpu));
}

ParallelJob layout_job(const Arguments& arguments, const Catalogue& catalogue, const std::string& model,
                       const std::string& gpu, int gpus, int batch)
{
  Diagnostics diagnostics;
  // Nobody has seen this scenario: of its faults only the words count.
  const auto throw_if_errors = [&] {
    if (diagnostics.has_errors())
      throw InputError{diagnostics.sorted().front().message};
  };
  const Gpu& type = catalogue.gpus.at(gpu_by_short_name(gpu, catalogue));
  if (const std::string precision = arguments.value("--precision", "bf16"); !type.peak.contains(precision))
    throw InputError{fmt::format("the {} does not compute in {}; give --precision {}", type.name, precision,
                                 type.peak.contains("bf16") ? "bf16" : "fp16")};
  const int two_machines = std::min(gpus, 2 * usual_machines(type).gpus); // on one switch: they show what all have
  const std::string text = scenario_text(
      arguments, model, type, two_machines,
      fmt::format("dp: 1, micro_batch: 1, global_batch: {}", batch > 0 ? batch : batch_of(arguments, {gpus})));
  const Document document = parse_document(text, "the scenario of these options", diagnostics);
  throw_if_errors();
  const Scenario scenario = read_scenario(document, registered_parts(), catalogue, diagnostics);
  throw_if_errors();
  ParallelJob job = parallel_job(scenario, scenario.jobs.front(), catalogue, diagnostics);
  throw_if_errors();
  return job;
}

std::string layout_scenario(const Arguments& arguments, const Catalogue&, const std::string& model,
                            const ParallelJob& job, int gpus)
{
  return scenario_text(arguments, model, job.gpu, gpus, layout_flow(job.layout));
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

int compare_layouts(const Arguments& arguments)
{
  for (const char* other : {"SCENARIOS", "--cluster", "--vary", "--policies", "--sync", "--async", "--arch"})
    if (arguments.has(other))
      throw InputError{
          fmt::format("--parallel compares layouts of one model; '{}' belongs to another comparison", other)};
  if (!arguments.has("--model") || !arguments.has("--gpus"))
    throw InputError{"--parallel needs --model NAME and --gpus N"};
  const Catalogue catalogue = load_catalogue(data_folder());
  const std::string model = arguments.value("--model");
  const std::vector<std::string> types = gpu_types(arguments, catalogue);
  const std::vector<int> counts = gpu_counts(arguments.value("--gpus"));
  if (types.size() != 1 || counts.size() != 1)
    throw InputError{"compare --parallel takes one --gpu and one --gpus; simrun plan looks at several"};
  const int gpus = counts.front();
  const ParallelJob job = layout_job(arguments, catalogue, model, types.front(), gpus);
  std::vector<ComparedLayout> rows;
  Progress progress{arguments};
  const auto choices = layout_choices(arguments.value("--parallel"));
  for (const auto& [name, limits] : choices) {
    check_interrupt();
    ComparedLayout row{name,
                       search_layouts(
                           job, gpus, 1,
                           [&](std::size_t done, std::size_t total) {
                             progress.report(rows.size(), choices.size(),
                                             fmt::format("{}: {} of {} layouts", name, done, total));
                           },
                           limits),
                       ""};
    if (row.search.examined == 0)
      row.fault = why_no_layout(job, limits, gpus);
    else if (row.search.best.empty())
      row.fault = fmt::format("does not fit: needs {:.1f} of {:.1f} GiB at least",
                              row.search.least_memory.value() / gib, job.gpu.memory.value() / gib);
    rows.push_back(std::move(row));
  }
  progress.clear();
  if (arguments.has("--json")) {
    Json json = {{"model", model}, {"gpus", gpus}, {"gpu", job.gpu.name}, {"combinations", Json::array()}};
    for (const ComparedLayout& row : rows) {
      Json one = {{"combination", row.name}, {"examined", row.search.examined}, {"too_large", row.search.too_large}};
      if (row.search.best.empty())
        one["fault"] = row.fault;
      else
        one["best"] = json_of_found(row.search.best.front());
      json["combinations"].push_back(std::move(one));
    }
    print(json.dump(2) + "\n");
  } else {
    print(compared_text(rows, job, model, gpus, wants_colour(arguments, stdout)));
  }
  if (std::ranges::any_of(rows, [](const ComparedLayout& row) { return !row.search.best.empty(); }))
    return done;
  if (std::ranges::all_of(rows, [](const ComparedLayout& row) { return row.search.examined == 0; }))
    return bad_input;
  const int needed = fewest_gpus(job, 65536, layout_limits(arguments.value("--parallel")));
  print_note(needed > 0 ? fmt::format("none of them fits; with these values the model fits from {} {} on", needed,
                                      job.gpu.name)
                        : std::string{"none of them fits, on no number of GPUs up to 65,536: allow other values"},
             arguments);
  return goal_not_met;
}

int plan_for_model(const Arguments& arguments)
{
  for (const char* other : {"SCENARIO", "--trace", "--node", "--knob", "--policies"})
    if (arguments.has(other))
      throw InputError{fmt::format("--gpus plans for one model; '{}' belongs to a plan of a scenario", other)};
  if (!arguments.has("--model"))
    throw InputError{"--gpus needs --model NAME (simrun list models, or a config.json)"};
  if (arguments.has("--minimise") && arguments.has("--maximise"))
    throw InputError{"give only one of --minimise and --maximise"};
  const Catalogue catalogue = load_catalogue(data_folder());
  const Prices prices = prices_of(arguments, catalogue);
  const std::string model = arguments.value("--model");
  std::vector<LayoutGoal> goals;
  for (const std::string& text : arguments.all("--goal"))
    goals.push_back(parse_layout_goal(text));
  const std::string objective =
      layout_measure(arguments.value("--maximise", arguments.value("--minimise", "cost"))).name;
  const std::vector<int> counts = gpu_counts(arguments.value("--gpus"));
  const int batch = batch_of(arguments, counts); // the same training on all of them
  std::vector<LayoutCandidate> candidates;
  std::string machines;
  for (const std::string& type : gpu_types(arguments, catalogue)) {
    machines += (machines.empty() ? "" : "; ") + machine_words(catalogue.gpus.at(type));
    for (const int gpus : counts) {
      LayoutCandidate candidate{layout_job(arguments, catalogue, model, type, gpus, batch), gpus, {}};
      if (const auto price = prices.per_gpu.find(type); price != prices.per_gpu.end())
        candidate.dollars_per_hour = price->second.value() * gpus;
      candidates.push_back(std::move(candidate));
    }
  }
  Progress progress{arguments};
  const LayoutPlan plan = plan_layouts(
      candidates, goals, objective, arguments.has("--maximise"), layout_limits(arguments.value("--parallel")),
      [&](std::size_t designs, std::size_t of, const std::string& what) { progress.report(designs, of, what); });
  progress.clear();
  Json json = {{"kind", "trainyard layout plan"}, {"schema_version", 1},       {"model", model},
               {"objective", objective},          {"price_list", prices.name}, {"met", plan.winner.has_value()}};
  if (plan.needed_gpus > 0)
    json["fits_from_gpus"] = plan.needed_gpus;
  for (const LayoutDesign& design : plan.designs) {
    Json one = {{"gpu", design.gpu},
                {"gpus", design.gpus},
                {"met", design.met},
                {"on_front", design.on_front},
                {"verdict", design.verdict}};
    if (design.dollars_per_hour)
      one["cost_usd_per_hour"] = *design.dollars_per_hour;
    if (design.found)
      one["best"] = json_of_found(*design.found);
    json["designs"].push_back(std::move(one));
  }
  const std::filesystem::path folder =
      write_study(arguments, "plans", is_dnn_file(model) ? std::filesystem::path{model}.stem().string() : model,
                  [&](const std::filesystem::path& to) {
                    write_file(to / "plan.txt", plan_layouts_text(plan, model, goals, machines, false));
                    write_file(to / "manifest.json", json.dump(2) + "\n");
                    if (plan.winner) {
                      const LayoutDesign& answer = plan.designs[*plan.winner];
                      ParallelJob job = layout_job(arguments, catalogue, model, answer.gpu, answer.gpus, batch);
                      job.layout = answer.found->layout;
                      write_file(to / "answer.yaml", layout_scenario(arguments, catalogue, model, job, answer.gpus));
                    }
                  });
  print_study(
      arguments, json.dump(2) + "\n",
      [&](bool colour) { return plan_layouts_text(plan, model, goals, machines, colour); }, folder,
      plan.winner ? fmt::format("simrun {}", (folder / "answer.yaml").string()) : std::string{"plan.txt"});
  return plan.winner ? done : goal_not_met;
}

} // namespace trainyard::app
