// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan.hpp"
#include "models/core/diagnostics.hpp"
#include "models/scenario/assumptions.hpp"
#include "sim/app/effort.hpp"
#include "sim/app/layout_input.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/output_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/queue/queue_inspection.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/study/assertions.hpp"
#include "sim/study/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

std::vector<Option> plan_options()
{
  std::vector<Option> list = scenario_options();
  list.front().required = false;
  std::erase_if(list, [](const Option& option) { return option.name == "--fidelity"; });
  list.insert(list.end(),
              {{"--goal", "-g", "GOAL",
                "condition that the design must meet: 'p95(queueing_delay) < 1 h', 'throughput(vgg) > 5000/s' (simrun "
                "list measures)",
                "list measures", true, true},
               {"--minimise", "", "MEASURE", "measure to minimise (default cost)", "list measures"},
               {"--maximise", "", "MEASURE", "measure to maximise", "list measures"},
               {"--knob", "-k", "PATH=VALUES",
                "value that the plan may choose: --knob cluster.nodes.0.count=1..64 --knob scheduling.policy=fifo,las",
                "", false, true}});
  for (Option option : space_options())
    if (option.name != "--grid" && option.name != "--replicas")
      list.push_back(std::move(option));
  list.insert(
      list.end(),
      {{"--policies", "", "NAMES", "queue policies to choose from: fifo,easy_backfill,las", "list queues,"},
       {"--trace", "", "FILE", "trace with the jobs of a queue, if no scenario is given (simrun list traces)", "file"},
       {"--node", "", "MACHINE",
        "machine to buy, if no scenario is given, with its price and memory: 'a100x8:32.8$/h:1TB'"},
       {"--model", "", "NAME", "transformer to train, with --gpus (simrun list models, or a config.json)",
        "list models"},
       {"--gpus", "", "COUNTS",
        "plan the layout of --model, or of the scenario's transformer: numbers of GPUs, 1024 or 256,512 or 64..1024; "
        "goals on tokens_per_s, step, mfu, memory, gpus, cost, cost_per_token"},
       precision_option(),
       cluster_option(),
       {"--most-nodes", "", "N", "with --node: consider 1 to N machines (default 64)"},
       {"--replicas", "", "N", "most seeds per design, if the seed matters (default 20)"},
       confidence_option("confidence level of the intervals that decide"),
       sureness_option(),
       {"--screen", "", "FIDELITY", "fidelity of the first, fast simulation of every design (default closed_form)",
        "list fidelities"},
       {"--fidelity", "", "FIDELITY", "fidelity of the deciding simulations (default: the scenario's)",
        "list fidelities"},
       {"--no-front", "", "", "do not print the Pareto front"},
       prices_option(),
       jobs_option()});
  for (Option& option : layout_input_options())
    list.push_back(std::move(option));
  for (Option& option : study_output_options("plan", "plans"))
    list.push_back(std::move(option));
  return list;
}

/// The scenario of the file, or one made of --trace and --node.
ScenarioInput plan_scenario(const Arguments& arguments, const Catalogue& catalogue)
{
  if (arguments.has("SCENARIO")) {
    if (arguments.has("--trace") || arguments.has("--node"))
      throw InputError{"--trace and --node describe a new scenario; give either these options or a scenario"};
    return study_scenario(arguments);
  }
  if (!arguments.has("--trace") || !arguments.has("--node"))
    throw InputError{"give a scenario, or --trace FILE and --node MACHINE"};
  const ClusterShorthand machine = cluster_shorthand(arguments.value("--node"), catalogue);
  const fs::path trace = fs::absolute(arguments.value("--trace"));
  if (!fs::exists(trace))
    throw InputError{fmt::format("there is no file '{}'", arguments.value("--trace"))};
  if (!machine.assumed.empty())
    print_note("assumed: " + machine.assumed, arguments);
  ScenarioInput input;
  input.name = trace.stem().string();
  input.run.scenario_text = fmt::format("name: {}\n{}workload: {{trace: {{file: '{}'}}}}\n", input.name,
                                        cluster_yaml(machine, 0), trace.string());
  Diagnostics diagnostics;
  input.document = parse_document(input.run.scenario_text, "the scenario of --trace and --node", diagnostics);
  diagnostics.throw_if_errors();
  Arguments changes; // --fidelity sets the deciding fidelity
  for (const char* option : {"--seed", "--set"})
    for (const std::string& value : arguments.all(option))
      changes.add(option, value);
  set_options(changes, input.document);
  apply_failures(arguments, input);
  DocumentNode counts;
  counts.kind = DocumentNode::Kind::scalar;
  counts.text = fmt::format("1..{}", arguments.whole_number("--most-nodes", 64, 1));
  add_to_sweep(input.document, "grid", "cluster.nodes.0.count", counts);
  return input;
}

/// What a machine of --node is taken to have, and the --node with which jobs fit that do not.
std::string node_note(const Arguments& arguments, const PointEvaluator& evaluator, const SweepPoint& point)
{
  const CheckedPoint checked = evaluator.checked(point);
  const NodeTypeSpec& type = checked.scenario.cluster.node_types.at("worker");
  const std::string node = arguments.value("--node");
  const auto mib = [](Bytes memory) { return static_cast<std::int64_t>(memory.value() / (1U << 20U)); };
  const ClusterShorthand machine = cluster_shorthand(node, evaluator.catalogue());
  std::string text = fmt::format(
      "machine of --node: {}{}\n", needs_text(type.gpus, std::int64_t{1000} * type.cpu_cores, mib(type.memory), true),
      machine.memory.empty() ? " (as it is sold; 'a100x4:16$/h:512GiB,cores=96' says otherwise)" : "");
  Remedy remedy = outlook_of(checked, evaluator.catalogue()).remedy;
  remedy.machines = 0;
  if (remedy.text().empty())
    return text;
  return text + fmt::format("all jobs fit into --node '{}{}{}{}'\n",
                            remedy.gpus > machine.gpus ? fmt::format("{}x{}", machine.gpu, remedy.gpus)
                                                       : node.substr(0, node.find_first_of(":,")),
                            machine.price.empty() ? "" : ":" + machine.price,
                            remedy.memory_mib > 0     ? fmt::format(":{}GiB", (remedy.memory_mib + 1023) / 1024)
                            : !machine.memory.empty() ? ":" + machine.memory
                                                      : "",
                            remedy.cpu_milli > 0 ? fmt::format(",cores={}", (remedy.cpu_milli + 999) / 1000) : "");
}

/// Files of the scenario by their whole names: where they are found now, beside the scenario or in the working folder.
void name_files(DocumentNode& node, const fs::path& folder)
{
  std::error_code error;
  for (DocumentNode::Entry& entry : node.entries)
    name_files(entry.value, folder);
  for (DocumentNode& item : node.items)
    name_files(item, folder);
  if (node.kind != DocumentNode::Kind::scalar || node.text.find_first_of("./") == std::string::npos)
    return;
  for (const fs::path& beside : {folder, fs::path{}})
    if (fs::is_regular_file(beside / node.text, error)) {
      node.text = fs::absolute(beside / node.text).lexically_normal().string();
      return;
    }
}

/// The scenario of a design, which runs from anywhere. Its machines have the prices that the plan took from a list, so
/// that it costs the same when it is run.
Document to_be_run(const SweepPoint& point, const PointEvaluator& evaluator)
{
  Document document = point.document;
  for (const auto& [name, type] : evaluator.priced(evaluator.checked(point).scenario.cluster).node_types) {
    const std::string path = "cluster.node_types." + name;
    if (const DocumentNode* written = find_path(document.root, path);
        type.price && written != nullptr && written->find("price") == nullptr)
      set_path(document, path + ".price", fmt::format("{} $/h", type.price->value()));
  }
  name_files(document.root, fs::path{document.file}.parent_path());
  return document;
}

int plan(const Arguments& arguments)
{
  if (arguments.has("--gpus") || arguments.has("--model"))
    return plan_for_model(arguments);
  for (const char* option : {"--gpu", "--cluster", "--global-batch", "--sequence", "--parallel", "--precision"})
    if (arguments.has(option))
      throw InputError{fmt::format("{} is for plans of one model: give --model NAME and --gpus N as well", option)};
  const Catalogue catalogue = PointEvaluator{}.catalogue();
  PointEvaluator evaluator{prices_of(arguments, catalogue)};
  ScenarioInput input = plan_scenario(arguments, catalogue);
  if (const DocumentNode* replicas = find_path(input.document.root, "sweep.replicas"); replicas != nullptr)
    throw InputError{"the scenario's sweep has replicas; a plan chooses the number of seeds itself (--replicas N sets "
                     "the largest number)"};
  apply_knobs(arguments, input.document);
  if (arguments.has("--policies"))
    add_policies(input.document, arguments.value("--policies"));

  Diagnostics diagnostics;
  const SweepSpace space{input.document, diagnostics};
  diagnostics.throw_if_errors();
  if (space.axes() == 0)
    throw InputError{"there is nothing to choose; give knobs such as --knob cluster.nodes.0.count=1..64"};
  agree(arguments,
        {.count = static_cast<double>(space.size()),
         .what = "designs",
         .runs = static_cast<double>(space.size()),
         .workers = jobs_of(arguments),
         .bytes_each = 500 + 200.0 * static_cast<double>(space.axes()),
         .fewer = arguments.has("--most-nodes") ? "give a smaller --most-nodes" : "give fewer values to the knobs"},
        evaluator, [&] { return space.point(0); }); // the smallest of them, as a rule
  axis_faults(space, evaluator).throw_if_errors();

  const std::string asked = fmt::format("{} {} {}", fmt::join(arguments.all("--goal"), " "),
                                        arguments.value("--minimise"), arguments.value("--maximise"));
  if (asked.find("fragmented_wait") == std::string::npos)
    evaluator.leave_out_waits();
  check_study_folder(arguments, "plans", input.name);
  PlanRequest request;
  PointOutcome probe;
  const bool probed = std::ranges::any_of(arguments.all("--goal"), needs_probe) ||
                      needs_probe(arguments.value("--minimise", arguments.value("--maximise", "cost")));
  if (probed)
    probe = evaluator.evaluate(space.point(space.size() / 2));
  const PointOutcome* figures = probed && !probe.failed() ? &probe : nullptr;
  for (const std::string& text : arguments.all("--goal"))
    request.goals.push_back(parse_goal(text, figures));
  check_goals(request.goals);
  std::vector<Measure> measures;
  measures.reserve(request.goals.size());
  for (const Goal& goal : request.goals)
    measures.push_back(goal.measure);
  Diagnostics unread; // designs that cannot be read are refused one by one
  const Scenario first = read_scenario(space.point(0).document, evaluator.parts(), catalogue, unread);
  check_measurable(measures, first, catalogue, false);
  if (std::ranges::any_of(measures, [](const Measure& measure) { return !measure.item.empty(); }))
    evaluator.take_groups();
  if (arguments.has("--minimise") && arguments.has("--maximise"))
    throw InputError{"give only one of --minimise and --maximise"};
  request.maximise = arguments.has("--maximise");
  request.objective = parse_measure(arguments.value("--maximise", arguments.value("--minimise", "cost")), figures);
  request.most_replicas = static_cast<int>(arguments.whole_number("--replicas", 20, 1, 10'000));
  request.confidence = confidence_of(arguments);
  request.sure = sureness_of(arguments);
  request.screen = arguments.value("--screen", "closed_form");
  request.decide = arguments.value("--fidelity", first.run.fidelity);
  request.workers = jobs_of(arguments);
  request.front = !arguments.has("--no-front");

  Plan made;
  {
    Progress progress{arguments};
    made = make_plan(space, evaluator, request, progress.reporter());
  }
  check_interrupt();
  if (const auto best = made.winner ? made.winner : made.nearest_miss) {
    const bool money = is_money(request.objective) || std::ranges::any_of(measures, is_money);
    made.unpriced = money ? evaluator.unpriced(some_points(space)) : std::string{};
    made.price_note = evaluator.price_note(space.point(*best));
    const Scenario chosen = evaluator.checked(space.point(*best)).scenario;
    made.seed_note = note_on_trace(chosen);
    if (const Messages words = assumed(chosen); !words.empty())
      made.assumed = fmt::format("assumed: {}\n", fmt::join(texts_of(words, MessageKind::part), "; "));
  }
  if (arguments.has("--node"))
    made.assumed += node_note(arguments, evaluator, space.point(made.winner.value_or(space.size() - 1)));
  tell_study(
      arguments,
      {"plans", input.name, "plan.txt", plan_told(made, request, input.name), plan_json(made, request, input.name)},
      [&](const fs::path& to) {
        write_file(to / "designs.csv", plan_csv(made, request));
        plot_plan(made, request, input.name, to / "front");
        if (const auto best = made.winner ? made.winner : made.nearest_miss)
          write_file(to / "answer.yaml",
                     fmt::format("# {} of simrun plan: {}\n", made.winner ? "The answer" : "The nearest miss",
                                 design_text(made.designs[*best])) +
                         scenario_text(to_be_run(space.point(*best), evaluator)));
      },
      [](const fs::path& to) {
        return fmt::format("front.png, designs.csv; simrun {}", (to / "answer.yaml").string());
      });
  return made.winner ? done : goal_not_met;
}

[[maybe_unused]] const bool plan_registered = register_command(
    {"plan",
     "find the cheapest design that meets goals",
     "Considers every combination of the knobs (and of the scenario's sweep). Simulates the promising designs in the "
     "order of the objective,\nwith as many seeds as needed. Shows the best design, the goal that limits it, the "
     "second best, the Pareto front, and one node more or\nless. If no design meets the goals, it shows the nearest "
     "miss and ends with exit code 3.",
     plan_options(),
     {{"simrun plan shared_cluster_policies --goal 'p95(queueing_delay) < 1 h' --knob cluster.nodes.0.count=8..40 "
       "--policies fifo,las,srtf",
       "choose the number of nodes and the policy"},
      {"simrun plan --trace sacct.psv --node 'a100x8:32.8$/h' --goal 'p95(queue)<2h' --policies fifo,easy_backfill",
       "choose the number of these machines"},
      {"simrun plan my.yaml --goal 'throughput(train) > 5000/s' --knob cluster.network.link=10GbE,25GbE,100GbE "
       "--prices on_premises",
       "which network"},
      {"simrun plan --model llama3.1_405b --gpus 512..2048 --gpu H100-SXM5 --goal 'tokens_per_s > 200k' --minimise "
       "cost",
       "how many GPUs, and how to divide the model"},
      {"simrun plan --model llama3_70b --gpus 256,512 --cluster h100x8,eth=100Gbit/s,nics=4 --cluster "
       "h100x8,ib=400Gbit/s,nics=8 --goal 'tokens_per_s > 200k'",
       "which network, with how many GPUs"}},
     plan});

} // namespace
} // namespace trainyard::app
