// SPDX-License-Identifier: Apache-2.0
#include "sim/study/compare.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/app/effort.hpp"
#include "sim/app/layout_input.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/output_file.hpp"
#include "sim/sources/queue/queue_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

std::vector<Option> compare_options()
{
  std::vector<Option> list = scenario_options();
  list.front() = {"SCENARIOS", "",    "SCENARIOS", "scenarios, shipped examples, or results folders",
                  "scenario",  false, true};
  list.insert(
      list.end(),
      {{"--vary", "", "PATH=VALUES",
        "run the scenario with each of these values: --vary placement=pack,spread --vary jobs.0.workers=4,8", "", false,
        true},
       {"--policies", "", "NAMES", "run the queue under each of these policies: fifo,las,easy_backfill",
        "list queues,"},
       {"--sync", "", "", "use parameter servers with synchronous updates"},
       {"--async", "", "", "use parameter servers with asynchronous updates; together with --sync, compare both"},
       {"--arch", "", "NAMES",
        "architectures to compare: ps:1..16 (parameter servers), ring, tree, hier-ring, torus, halving_doubling, auto",
        "list collectives,"},
       {"--model", "", "NAME", "network to train, if no scenario is given (simrun list models)", "list models"},
       cluster_option(),
       {"--gpu-batch", "", "N", "samples per GPU and step, with --model (default 32)"},
       {"--precision", "", "NAME", "precision, with --model: fp32, tf32, amp, fp16, bf16 (default: by the GPU)"},
       {"--gpus", "", "N", "number of GPUs, with --model and --parallel"},
       {"--straggler", "", "P",
        "random stragglers: 'p=0.05,slow=3x' makes each worker one in 20 seeds three times slower"},
       {"--measure", "-m", "MEASURE",
        "measures to compare (simrun list measures; default: those that the scenarios have and that differ)",
        "list measures", false, true},
       {"--replicas", "", "K",
        "number of seeds, if the seed matters (default 10); with results folders: simulate them again"},
       confidence_option("confidence level of intervals and tests"),
       {"--baseline", "", "NAME", "candidate that the others are compared with (default: the first)"},
       prices_option(),
       jobs_option()});
  for (Option& option : layout_input_options())
    list.push_back(std::move(option));
  for (Option& option : study_output_options("comparison", "comparisons"))
    list.push_back(std::move(option));
  return list;
}

/// "p=0.05,slow=3x"
RandomStragglers stragglers_of(const std::string& text)
{
  RandomStragglers stragglers;
  const auto refuse = [&] {
    return InputError{fmt::format("--straggler needs p=SHARE,slow=FACTOR, for example p=0.05,slow=3x, not '{}'", text)};
  };
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    std::string part = text.substr(start, end - start);
    start = end + 1;
    if (part.ends_with('x'))
      part.pop_back();
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw refuse();
    const std::optional<double> value = as_number<double>(std::string_view{part}.substr(equals + 1));
    if (!value)
      throw refuse();
    (part.starts_with("p=")      ? stragglers.probability
     : part.starts_with("slow=") ? stragglers.slow_down
                                 : throw refuse()) = *value;
  }
  if (!(stragglers.probability > 0 && stragglers.probability <= 1) || !(stragglers.slow_down >= 1))
    throw refuse();
  return stragglers;
}

/// Asks before there are very many candidates: each holds a document. @p apply makes the first of them.
void agree_on_candidates(const Arguments& arguments, const std::vector<Candidate>& candidates, std::size_t choices,
                         const std::function<std::string(Candidate&, std::size_t)>& apply)
{
  const double count = static_cast<double>(candidates.size()) * static_cast<double>(choices);
  if (count <= small_study)
    return;
  const PointEvaluator evaluator;
  agree(arguments,
        {.count = count,
         .what = "candidates",
         .runs = 2 * count, // two seeds show whether chance matters
         .workers = jobs_of(arguments),
         .bytes_each = bytes_of(candidates.front().document.root),
         .fewer = "compare fewer"},
        evaluator, [&] {
          Candidate first = candidates.front();
          apply(first, 0);
          std::erase_if(first.document.root.entries,
                        [](const DocumentNode::Entry& entry) { return entry.key == "sweep"; });
          Diagnostics faults;
          return SweepSpace{first.document, faults}.point(0);
        });
}

/// Every candidate once for each choice; the choice is appended to its name.
void multiply(const Arguments& arguments, std::vector<Candidate>& candidates, std::size_t choices,
              const std::function<std::string(Candidate&, std::size_t)>& apply)
{
  agree_on_candidates(arguments, candidates, choices, apply);
  std::vector<Candidate> made;
  const bool alone = candidates.size() == 1;
  for (const Candidate& candidate : candidates)
    for (std::size_t i = 0; i < choices; ++i) {
      Candidate next = candidate;
      const std::string label = apply(next, i);
      next.name = alone && candidate.name.find('=') == std::string::npos ? label : candidate.name + " " + label;
      made.push_back(std::move(next));
    }
  candidates = std::move(made);
}

/// Leaves out the paths of a sweep's grid, zips and samples that are @p named (path, the part that it stands in).
void leave_out_of_sweep(DocumentNode& sweep, const std::function<bool(const std::string&, const std::string&)>& named)
{
  const auto leave_out = [&](DocumentNode& values, const std::string& part) {
    std::erase_if(values.entries, [&](const DocumentNode::Entry& entry) { return named(entry.key, part); });
    return values.entries.empty() && values.items.empty();
  };
  std::erase_if(sweep.entries, [&](DocumentNode::Entry& part) {
    if (part.key == "zip")
      std::erase_if(part.value.items, [&](DocumentNode& zip) { return leave_out(zip, "zip"); });
    if (part.key == "grid" || part.key == "zip")
      return leave_out(part.value, part.key);
    DocumentNode* over = part.value.find("over"); // of samples
    return over != nullptr && leave_out(*over, part.key);
  });
}

/// Throws where a part of the sweep sets @p path or a map with it: its values would win over those of --vary.
void check_room(const std::string& set, const std::string& part, const std::string& path)
{
  if (path == set || path.starts_with(set + "."))
    throw InputError{
        fmt::format("'{}' is set by sweep.{}, which would win; remove it there or leave out --vary", set, part)};
}

/// Removes what would conflict with a varied path: the list of policies, the sweep over the same path.
void make_room(Document& document, const std::string& path)
{
  DocumentNode* scheduling = document.root.find("scheduling");
  const std::string several = path == "scheduling.policy"      ? "policies"
                              : path == "scheduling.placement" ? "placements"
                                                               : "";
  if (scheduling != nullptr && !several.empty())
    std::erase_if(scheduling->entries, [&](const DocumentNode::Entry& entry) { return entry.key == several; });
  DocumentNode* sweep = document.root.find("sweep");
  if (sweep == nullptr)
    return;
  leave_out_of_sweep(*sweep, [&](const std::string& swept, const std::string& part) {
    if (swept != path)
      check_room(swept, part, path);
    return swept == path;
  });
  if (const DocumentNode* variants = sweep->find("variants"); variants != nullptr)
    for (const DocumentNode& variant : variants->items)
      if (const DocumentNode* set = variant.find("set"); set != nullptr)
        for (const DocumentNode::Entry& entry : set->entries) {
          check_room(entry.key, "variants", path);
          if (!several.empty())
            check_room(entry.key, "variants", "scheduling." + several);
        }
}

/// "concurrency.policy" for what the section of task environments calls duplicates.
std::string path_in(const Document& document, const std::string& path)
{
  if (document.root.find("task_environment") != nullptr && (path.starts_with("concurrency") || path == "duplicates"))
    return "task_environment.duplicates";
  return path;
}

/// Jobs that train with parameter servers. Throws where there are none.
std::vector<std::size_t> jobs_with_servers(const Document& document)
{
  std::vector<std::size_t> list;
  if (const DocumentNode* jobs = document.root.find("jobs"); jobs != nullptr)
    for (std::size_t j = 0; j < jobs->items.size(); ++j)
      if (const DocumentNode* mode = find_path(jobs->items[j], "training.mode");
          mode != nullptr && mode->text == "parameter_server")
        list.push_back(j);
  if (list.empty())
    throw InputError{"--sync and --async need jobs with training mode parameter_server; the scenario has none"};
  return list;
}

/// What the scenario's own sweep says of the update rule would win over --sync and --async; what it says of the first
/// job's collective or servers, over --arch, which sets how that job trains and no other.
void forget_sweep_of_training(Document& document, bool architectures, const Arguments& arguments)
{
  DocumentNode* sweep = document.root.find("sweep");
  if (sweep == nullptr)
    return;
  const auto says_how = [&](const std::string& key) {
    if (architectures && !key.starts_with("jobs.0."))
      return false;
    return key.ends_with(".training") || key.ends_with(".training.mode") || key.ends_with(".training.update_rule") ||
           (architectures && (key.ends_with(".training.collective") || key.ends_with(".training.servers")));
  };
  const auto leave_out = [&](const std::string& what) {
    print_note(fmt::format("{} is left out: it says how the job trains", what), arguments);
    return true;
  };
  if (DocumentNode* variants = sweep->find("variants"); variants != nullptr)
    std::erase_if(variants->items, [&](const DocumentNode& variant) {
      const DocumentNode* set = variant.find("set");
      const DocumentNode* name = variant.find("name");
      return set != nullptr && std::ranges::any_of(set->entries, says_how, &DocumentNode::Entry::key) &&
             leave_out(fmt::format("variant '{}'", name == nullptr ? "" : name->text));
    });
  leave_out_of_sweep(*sweep, [&](const std::string& path, const std::string& part) {
    return says_how(path) && leave_out(fmt::format("'{}' of sweep.{}", path, part));
  });
  std::erase_if(sweep->entries,
                [](const DocumentNode::Entry& entry) { return entry.key == "variants" && entry.value.items.empty(); });
  if (sweep->entries.empty())
    std::erase_if(document.root.entries, [](const DocumentNode::Entry& entry) { return entry.key == "sweep"; });
}

/// The scenario that --model, --cluster and --gpu-batch describe.
Candidate described(const Arguments& arguments, const ClusterShorthand& cluster, const std::string& name, int servers)
{
  const std::string text = fmt::format(
      "{}jobs:\n  - {{name: train, model: {}, batch_per_gpu: {}, workers: {}{}, training: {{mode: all_reduce}}}}\n"
      "run: {{fidelity: fluid}}\n",
      cluster_yaml(cluster, servers), arguments.value("--model"), arguments.whole_number("--gpu-batch", 32, 1),
      1LL * cluster.gpus * cluster.nodes,
      arguments.has("--precision") ? ", precision: " + arguments.value("--precision") : "");
  Diagnostics faults;
  Candidate candidate{name, parse_document(text, "the scenario of --model and --cluster", faults)};
  faults.throw_if_errors();
  return candidate;
}

std::vector<Candidate> candidates_of(const Arguments& arguments, const Catalogue& catalogue, std::string& title)
{
  const bool sync = arguments.has("--sync"), async = arguments.has("--async");
  std::vector<Architecture> archs;
  if (arguments.has("--arch")) {
    std::set<std::string> seen;
    const std::vector<std::string> updates = sync && async ? std::vector<std::string>{"sync", "async"}
                                                           : std::vector<std::string>{sync    ? "sync"
                                                                                      : async ? "async"
                                                                                              : ""};
    for (const std::string& update : updates)
      for (Architecture& arch : architectures(arguments.value("--arch"), update))
        if (seen.insert(arch.name).second)
          archs.push_back(std::move(arch));
  }
  int servers = 0;
  for (const Architecture& arch : archs)
    servers = std::max(servers, arch.servers);
  const std::vector<std::string> names = arguments.all("SCENARIOS");
  const bool alone = names.size() + arguments.all("--cluster").size() == 1; // else machines differ, too
  const auto apply_arch = [&](Candidate& candidate, std::size_t i) {
    set_path(candidate.document, "jobs.0.training", archs[i].yaml);
    candidate.servers = alone ? archs[i].servers : 0;
    return archs[i].name;
  };

  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    ScenarioInput input =
        study_scenario(name, arguments, {"--set", "--fail", "--mtbf", "--fidelity", "--seed", "--yes"});
    std::string called = fs::is_directory(name) ? fs::path{name}.filename().string() : input.name;
    if (called.empty() || std::ranges::any_of(candidates, [&](const Candidate& other) { return other.name == called; }))
      called = name;
    candidates.push_back({called, std::move(input.document)});
  }
  if (candidates.empty()) {
    const std::string model = arguments.value("--model");
    const std::vector<std::string> clusters = arguments.all("--cluster");
    if (model.empty() || clusters.empty())
      throw InputError{"give scenarios or results folders, or describe a scenario with --model and --cluster"};
    for (const std::string& text : clusters) {
      const ClusterShorthand cluster = cluster_shorthand(text, catalogue);
      const std::string name = clusters.size() > 1 ? text : model;
      if (!archs.empty()) // before a cluster with a machine for every server is made
        agree_on_candidates(arguments, {described(arguments, cluster, name, archs.front().servers)}, archs.size(),
                            apply_arch);
      ScenarioInput input;
      Candidate candidate = described(arguments, cluster, name, servers);
      if (!cluster.assumed.empty())
        print_note("assumed: " + cluster.assumed, arguments);
      input.document = std::move(candidate.document);
      set_options(arguments, input.document);
      apply_failures(arguments, input);
      candidate.document = std::move(input.document);
      candidates.push_back(std::move(candidate));
    }
    title = model;
  } else if (arguments.has("--model") || arguments.has("--cluster") || arguments.has("--gpu-batch") ||
             arguments.has("--precision")) {
    throw InputError{"--model, --cluster, --gpu-batch and --precision describe a new scenario; use --set or --vary to "
                     "change a file"};
  }
  if (!names.empty())
    title = candidates.front().name;

  if (!archs.empty() || sync || async)
    for (Candidate& candidate : candidates)
      forget_sweep_of_training(candidate.document, !archs.empty(), arguments);
  if (!archs.empty())
    multiply(arguments, candidates, archs.size(), apply_arch);
  else if (sync || async)
    multiply(arguments, candidates, sync && async ? 2 : 1, [&](Candidate& candidate, std::size_t i) {
      const std::string rule = sync && i == 0 ? "sync" : "async";
      for (const std::size_t j : jobs_with_servers(candidate.document))
        set_path(candidate.document, fmt::format("jobs.{}.training.update_rule", j), rule);
      return rule;
    });
  std::vector<std::string> varied = arguments.all("--vary");
  if (arguments.has("--policies"))
    varied.push_back("scheduling.policy=" + arguments.value("--policies"));
  for (const std::string& text : varied) {
    const auto [written, values] = key_and_values("--vary", text);
    const std::string path = path_in(candidates.front().document, written);
    if (path == "scheduling.policy") {
      DocumentNode policies = values;
      for (DocumentNode& policy : policies.items)
        policy = with_its_settings(candidates.front().document, policy);
      check_policies(policies);
    }
    const std::string key = text.substr(0, text.find('=')).substr(text.substr(0, text.find('=')).rfind('.') + 1);
    multiply(arguments, candidates, values.items.size(), [&, &list = values](Candidate& candidate, std::size_t i) {
      const DocumentNode& value = list.items[i];
      DocumentNode set = path == "scheduling.policy" ? with_its_settings(candidate.document, value) : value;
      make_room(candidate.document, path);
      set_path(candidate.document, path, std::move(set));
      const std::string shown = value.kind == DocumentNode::Kind::scalar ? value.text : to_flow_yaml(value);
      return arguments.has("--policies") && varied.size() == 1 ? shown : key + "=" + shown;
    });
  }
  return candidates;
}

int compare_command(const Arguments& arguments)
{
  if (arguments.has("--parallel") || arguments.has("--gpus"))
    return compare_layouts(arguments);
  for (const char* option : {"--gpu", "--global-batch", "--sequence"})
    if (arguments.has(option))
      throw InputError{
          fmt::format("{} is for layouts: give --parallel 'tp=2,4,8 pp=1,2,4' and --gpus N as well", option)};
  CompareRequest request;
  request.measures = measures_asked(arguments);
  request.replicas = static_cast<int>(arguments.whole_number("--replicas", 10, 1, 10'000));
  if (arguments.has("--yes"))
    request.most_points = std::numeric_limits<std::size_t>::max();
  request.confidence = confidence_of(arguments);
  request.baseline = arguments.value("--baseline");
  request.workers = jobs_of(arguments);
  if (arguments.has("--straggler"))
    request.stragglers = stragglers_of(arguments.value("--straggler"));

  const std::vector<std::string> names = arguments.all("SCENARIOS");
  bool stored = names.size() > 1;
  for (const std::string& name : names)
    stored = stored && fs::is_directory(name) && fs::exists(fs::path{name} / "summary.json");
  for (const char* option : {"--vary", "--policies", "--sync", "--async", "--arch", "--straggler", "--replicas",
                             "--set", "--fail", "--mtbf", "--seed", "--fidelity"})
    stored = stored && !arguments.has(option);

  Comparison comparison;
  std::string title = names.empty() ? "comparison" : fs::path{names.front()}.stem().string();
  for (std::size_t i = 1; i < names.size() && title.size() < 80; ++i) // two comparisons, two folders
    title += "_" + fs::path{names[i]}.stem().string();
  for (const char* option : {"--vary", "--policies", "--arch", "--measure"})
    for (const std::string& text : arguments.all(option))
      if (title.size() < 80)
        title += "_" + as_folder(text);
  if (stored) {
    check_study_folder(arguments, "comparisons", title);
    comparison = compare_folders({names.begin(), names.end()}, request);
  } else {
    const Catalogue catalogue = PointEvaluator{}.catalogue();
    const std::vector<Candidate> candidates = candidates_of(arguments, catalogue, title);
    check_study_folder(arguments, "comparisons", title);
    PointEvaluator evaluator{prices_of(arguments, catalogue)};
    evaluator.take_groups();
    Progress progress{arguments};
    comparison = compare(candidates, evaluator, request, progress.reporter());
    progress.clear();
    check_interrupt();
    std::vector<SweepPoint> all;
    for (const Candidate& candidate : candidates) {
      Diagnostics ignored;
      for (const SweepPoint& point : expand_sweep(candidate.document, ignored)) {
        all.push_back(point);
        add_notes(comparison.price_note, evaluator.price_note(point));
        comparison.seed_note =
            note_on_trace(read_scenario(point.document, evaluator.parts(), evaluator.catalogue(), ignored));
      }
    }
    comparison.unpriced = evaluator.unpriced(all);
    if (names.size() > 1 && candidates.size() == names.size())
      comparison.inputs = input_differences(candidates, comparison.baseline);
  }
  tell_study(
      arguments, {"comparisons", title, "compare.txt", compare_told(comparison), compare_json(comparison)},
      [&](const fs::path& to) {
        write_file(to / "compare.csv", compare_csv(comparison));
        plot_comparison(comparison, to / "compare");
      },
      [](const fs::path&) { return "compare.png, compare.csv"; });
  if (const std::string kept = kept_parts(); !kept.empty()) {
    print_note("warning: " + kept, arguments);
    return interrupted;
  }
  for (const ComparedGroup& group : comparison.groups)
    for (const std::vector<ComparedValue>& values : group.values)
      if (std::ranges::all_of(values, &ComparedValue::missing))
        return in_part;
  return done;
}

[[maybe_unused]] const bool compare_registered = register_command(
    {"compare",
     "compare scenarios, policies or results, under the same seeds",
     "Runs everything with the same seeds and says which differences are statistically significant (paired t test, "
     "Holm-corrected).\nAlso draws a plot and lists the differences of the inputs. Results folders are compared "
     "without a new run; the jobs of a queue are\ncompared in pairs.",
     compare_options(),
     {{"simrun compare --model vgg16 --cluster 'v100x8@4,eth=25Gbit/s' --arch ps:1..16,ring,hier-ring --sync "
       "--gpu-batch 32",
       "parameter server or ring?"},
      {"simrun compare shared_cluster_policies --policies fifo,easy_backfill,las", "which queue policy?"},
      {"simrun compare before.yaml after.yaml", "differences of the inputs and of the results"},
      {"simrun compare --model mixtral_8x7b --gpus 256 --parallel 'tp=2,4,8 pp=1,2,4 ep=8'",
       "layouts of a large model"},
      {"simrun compare ps_sync_async --sync --async --straggler 'p=0.05,slow=3x'", "with stragglers"}},
     compare_command});

} // namespace
} // namespace trainyard::app
