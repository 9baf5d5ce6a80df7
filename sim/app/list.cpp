// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"
#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/hardware/provenance_text.hpp"
#include "models/import/importer.hpp"
#include "models/import/kubernetes/kind.hpp"
#include "models/job/generator.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/parallel/schedule.hpp"
#include "models/results/column.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "models/scenario/section.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/export/exporter.hpp"
#include "sim/report/table.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/queue/queue_metrics.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/retraining/duplicate_policy.hpp"
#include "sim/sources/retraining/environment_report.hpp"
#include "sim/sources/retraining/job_planner.hpp"
#include "sim/sources/retraining/need_trigger.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/together/together.hpp"
#include "sim/step/collectives/collective.hpp"
#include "sim/step/congestion/congestion_control.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/training/fusion.hpp"
#include "sim/step/training/training_mode.hpp"
#include "sim/step/training/update_rule.hpp"
#include "sim/step/training/variable_placement.hpp"
#include "sim/study/point_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace trainyard::app {
namespace {

/// What `simrun list TOPIC` shows: a table, and under each row what can be set.
struct Listing {
  std::vector<Column> columns;
  std::vector<std::vector<TableCell>> rows;
  std::vector<std::string> below = {}; // one text per row, may be empty
  std::string foot = {};               // for people, behind all of it
};

template <class Interface>
Listing registry_listing()
{
  Listing listing{{{"name", false}, {"what it is", false}}, {}};
  for (const auto& [name, entry] : Registry<Interface>::instance().entries()) {
    listing.rows.push_back({name, entry.description});
    std::string settings;
    for (const Parameter& parameter : entry.parameters) {
      settings += fmt::format("    {}: {}", parameter.name, parameter.meaning);
      if (!parameter.default_value.empty())
        settings += fmt::format(" (default {})", parameter.default_value);
      if (!parameter.source.empty())
        settings += fmt::format(" [{}]", parameter.source);
      settings += '\n';
    }
    listing.below.push_back(settings);
  }
  return listing;
}

std::string bandwidth_text(BytesPerSecond value)
{
  return to_text(value.value(), QuantityKind::bandwidth, 4);
}

Listing models()
{
  Listing listing{{{"name", false}, {"parameters"}, {"forward flop"}, {"sample", false}, {"what it is, source", false}},
                  {}};
  for (const std::string& name : Registry<DnnSource>::instance().names()) {
    const Dnn dnn = build_dnn(name);
    listing.rows.push_back({name, fmt::format("{:.2f} M", dnn.parameter_elements() / 1e6),
                            fmt::format("{:.2f} G", dnn.forward_flop().value() / 1e9), dnn.sample,
                            dnn.description + "; " + dnn.source});
  }
  return listing;
}

Listing gpus()
{
  Listing listing{
      {{"name", false}, {"fp32"}, {"half"}, {"memory"}, {"bandwidth"}, {"power"}, {"trust", false}, {"source", false}},
      {}};
  const auto tera = [](const Gpu& gpu, const std::string& precision) {
    const auto found = gpu.peak.find(precision);
    return found == gpu.peak.end() ? std::string{"-"} : fmt::format("{:.4g} TFLOP/s", found->second.value() / 1e12);
  };
  for (const auto& [name, gpu] : load_catalogue(data_folder()).gpus)
    listing.rows.push_back({name, tera(gpu, "fp32"), tera(gpu, "fp16"), to_text(gpu.memory),
                            bandwidth_text(gpu.memory_bandwidth), fmt::format("{:.0f} W", gpu.power.value()),
                            to_text(gpu.provenance), gpu.source});
  return listing;
}

Listing orchestrators()
{
  Listing listing{{{"name", false}, {"what it is", false}, {"source", false}}, {}};
  for (const auto& [name, entry] : load_orchestrators(data_folder())) {
    listing.rows.push_back({name, entry.description, entry.like.empty() ? std::string{} : "values of " + entry.like});
    std::string values;
    for (const auto& [parameter, value] : entry.sources)
      values += fmt::format("    {}: {} [{}]\n", parameter, value.text, value.source);
    listing.below.push_back(values);
  }
  return listing;
}

Listing links()
{
  Listing listing{{{"name", false}, {"kind", false}, {"bandwidth"}, {"latency"}, {"source", false}}, {}};
  for (const auto& [name, link] : load_catalogue(data_folder()).links)
    listing.rows.push_back({name, link.kind, bandwidth_text(link.bandwidth), to_text(link.latency), link.source});
  return listing;
}

Listing transports()
{
  Listing listing{{{"name", false}, {"latency"}, {"GPU memory", false}, {"what it is, source", false}}, {}};
  for (const auto& [name, transport] : load_catalogue(data_folder()).transports)
    listing.rows.push_back({name, to_text(transport.latency), transport.gpu_direct ? "direct" : "through the host",
                            transport.description + "; " + transport.source});
  return listing;
}

Listing scenarios()
{
  Listing listing{{{"name", false}, {"what it shows", false}}, {}};
  for (const auto& [name, file] : shipped_scenarios()) {
    Diagnostics ignored;
    const Document document = read_document(file, ignored);
    const DocumentNode* question = document.root.find("question");
    listing.rows.push_back({name, question == nullptr ? "" : question->text});
  }
  return listing;
}

Listing measures()
{
  Listing listing{{{"name", false}, {"unit", false}, {"of", false}, {"better", false}, {"what it is", false}}, {}};
  for (const MeasureKind& kind : measure_kinds())
    listing.rows.push_back({kind.name, kind.unit, kind.of, kind.more_is_better ? "more" : "less", kind.meaning});
  return listing;
}

Listing result_columns()
{
  Listing listing{{{"name", false}, {"of", false}, {"unit", false}, {"what it is", false}}, {}};
  const auto add = [&](const auto& columns, const char* of) {
    for (const auto& column : columns)
      listing.rows.push_back({column.name, of, column.unit, column.meaning});
  };
  add(job_columns(), "training");
  add(queue_columns(), "queue");
  add(orchestration::service_columns(), "service");
  add(retraining_columns(), "retraining");
  const auto add_files = [&](const std::vector<FileColumns>& files, const char* of) {
    for (const FileColumns& file : files)
      for (const ColumnFacts& column : file.columns)
        listing.rows.push_back({column.name, fmt::format("{}, {}", of, file.file), column.unit, column.meaning});
  };
  add_files(queue_file_columns(), "queue");
  add_files(together::together_file_columns(), "all parts");
  return listing;
}

Listing prices()
{
  Listing listing{{{"of", false}, {"$/h"}, {"list", false}, {"of the year", false}}, {}};
  const Catalogue catalogue = load_catalogue(data_folder());
  for (const std::filesystem::path& file : price_lists()) {
    const Prices list = read_prices(file, catalogue);
    const auto row = [&](const std::string& of, DollarsPerHour price) {
      listing.rows.push_back({of, fmt::format("{:.4g}", price.value()), file.stem().string(), list.date});
    };
    for (const auto& [gpu, price] : list.per_gpu)
      row(gpu, price);
    if (list.per_cpu_core > DollarsPerHour{})
      row("core of a machine without GPUs", list.per_cpu_core);
    for (const auto& [link, price] : list.per_link)
      row(link + " port with its share of the switch", price);
    listing.below.resize(listing.rows.size());
    listing.below.back() =
        fmt::format("    {}: not in it: {} [{}]\n", file.stem().string(), fmt::join(list.missing(), ", "), list.source);
  }
  listing.foot =
      fmt::format("\nA list of your own (--prices FILE) has these keys, all but the source may be left out:\n\n{}",
                  price_list_format);
  return listing;
}

Listing runtimes()
{
  Listing listing{{{"name", false}, {"computing"}, {"start"}, {"what it is, source", false}}, {}};
  for (const auto& [name, one] : load_runtimes(data_folder()))
    listing.rows.push_back(
        {name, fmt::format("x {:g}", one.compute_factor), to_text(one.start), one.description + "; " + one.source});
  return listing;
}

Listing frameworks()
{
  Listing listing{{{"name", false},
                   {"from version", false},
                   {"host per operator"},
                   {"precision", false},
                   {"what it is, source", false}},
                  {}};
  for (const auto& [name, framework] : load_catalogue(data_folder()).frameworks)
    listing.rows.push_back({name, framework.product + " " + framework.from, to_text(framework.host_per_operator),
                            framework.precision, framework.description + "; " + framework.source});
  return listing;
}

Listing eras()
{
  Listing listing{{{"name", false}, {"what it is, source", false}}, {}};
  for (const auto& [name, era] : load_catalogue(data_folder()).eras)
    listing.rows.push_back({name, era.description.empty() ? era.source : era.description + "; " + era.source});
  return listing;
}

/// docs/metrics.md has the whole table of queue runs.
Listing metrics()
{
  return {
      {{"name", false}, {"of", false}, {"what it is", false}},
      {
          {"samples_per_second", "training",
           "samples per second of all workers of a job; mean, low and high end of its interval"},
          {"step_s", "training", "time between two updates of the variables"},
          {"scaling_efficiency", "training", "samples/s over workers x samples/s of one GPU alone"},
          {"compute_s", "training", "forward and backward pass of the critical worker, per step"},
          {"host_s", "training",
           "part of a step in which the GPU of the critical worker waits for the host to start operators"},
          {"exposed_communication_s", "training",
           "part of a step in which the critical worker waits for the network and does not compute"},
          {"wait_s", "training", "part of a step that waits for slower workers"},
          {"staleness_mean", "training", "updates that others applied between a worker's pull and push (asynchronous)"},
          {"bytes_per_step_B", "training", "payload that a step moves"},
          {"gpu_memory_B", "training", "parameters, gradients, optimiser state and activations of one GPU"},
          {"price_per_million_samples_usd", "training", "price of the machines for a million samples"},
          {"jct_s", "queue", "job completion time: end - submission"},
          {"queueing_delay_s", "queue", "first start - submission"},
          {"slowdown", "queue", "completion time divided by the run time alone"},
          {"makespan_s", "queue", "end of the last job since the first submission"},
          {"utilisation", "queue", "busy GPU-hours divided by available GPU-hours"},
          {"fragmented_wait_hours", "queue",
           "hours in which a job waited although enough GPUs were free, but not in one place"},
          {"finish_time_fairness", "queue", "worst ratio of a job's time to its time on an equal share of the cluster"},
          {"jain", "queue", "Jain's fairness index over the teams: 1 is equal"},
          {"energy_kWh", "queue", "energy of the GPUs, busy and idle"},
          {"cost_usd", "queue", "price of the machines over the makespan"},
          {"availability", "services", "share of the time in which all desired replicas ran"},
          {"time_to_recover_s", "services", "from a failure until every task that it hit runs again"},
          {"useful_s, lost_s, stalled_s", "services",
           "work that counts; work repeated after a failure; time without progress"},
      }};
}

Listing codes()
{
  Listing listing{{{"code"}, {"meaning", false}}, {}};
  for (const auto& [code, meaning] : exit_codes())
    listing.rows.push_back({std::to_string(code), meaning});
  return listing;
}

const std::map<std::string, std::pair<std::string, std::function<Listing()>>>& topics()
{
  static const std::map<std::string, std::pair<std::string, std::function<Listing()>>> table = {
      {"models", {"networks to train", models}},
      {"gpus", {"GPUs of the catalogue", gpus}},
      {"links", {"types of links", links}},
      {"transports", {"communication libraries", transports}},
      {"training", {"training modes and their settings", registry_listing<TrainingMode>}},
      {"schedules", {"orders of work in a pipeline of stages", registry_listing<PipelineSchedule>}},
      {"updates", {"update rules of parameter servers", registry_listing<UpdateRule>}},
      {"variables", {"placements of variables on servers", registry_listing<VariablePlacement>}},
      {"queues", {"queue policies of a shared cluster", registry_listing<QueuePolicy>}},
      {"orchestrators", {"systems that start services on machines: every value with its source", orchestrators}},
      {"placements",
       {"placements of jobs, and some of tasks of services, on machines", registry_listing<PlacementPolicy>}},
      {"duplicates",
       {"what happens to a retraining that is needed while the last one is not finished",
        registry_listing<DuplicatePolicy>}},
      {"planners", {"which retraining starts next", registry_listing<JobPlanner>}},
      {"triggers", {"when a model needs retraining", registry_listing<NeedTrigger>}},
      {"traces", {"formats of job traces", registry_listing<TraceImporter>}},
      {"exports", {"formats that simrun export writes", registry_listing<Exporter>}},
      {"manifests", {"kinds of Kubernetes objects that simrun import reads", registry_listing<KubernetesKind>}},
      {"formats", {"files of other tools that simrun import reads", registry_listing<Importer>}},
      {"metrics", {"what a run measures, by column of its CSV files", metrics}},
      {"runtimes", {"runtimes that run a process: bare machine, container, virtual machine", runtimes}},
      {"eras", {"what communication libraries supported in which year", eras}},
      {"frameworks", {"training frameworks: what they cost the host, and how their users compute", frameworks}},
      {"sections",
       {"parts of a scenario file besides cluster, jobs, run and sweep", registry_listing<ScenarioSection>}},
      {"arrivals", {"how generated jobs arrive", registry_listing<ArrivalProcess>}},
      {"fusion", {"how gradients are fused into buckets", registry_listing<Fusion>}},
      {"collectives", {"collective algorithms", registry_listing<Collective>}},
      {"congestion-controls", {"how windows of TCP grow and shrink", registry_listing<CongestionControl>}},
      {"topologies", {"networks between nodes", registry_listing<NetworkLayout>}},
      {"nodes", {"wiring inside a node", registry_listing<NodeLayout>}},
      {"fidelities", {"how the network is simulated", registry_listing<Executor>}},
      {"scenarios", {"example scenarios that are included", scenarios}},
      {"measures", {"figures that goals, assertions and comparisons can name", measures}},
      {"columns",
       {"columns of jobs.csv (training), metrics.csv (queue, retraining) and services.csv, and keys of summary.json; "
        "of the other files of queues and of runs with several parts",
        result_columns}},
      {"prices", {"price lists of machines and networks (--prices)", prices}},
      {"exit-codes", {"meaning of the exit codes", codes}},
  };
  return table;
}

std::vector<std::string> topic_names()
{
  std::vector<std::string> names = keys_of(topics());
  names.insert(names.end(), {"executors", "policies"});
  return names;
}

void show(const std::string& title, const Listing& listing, bool colour)
{
  std::string text = title.empty() ? "" : title + "\n";
  bool any_below = false;
  for (const std::string& below : listing.below)
    any_below = any_below || !below.empty();
  if (!any_below)
    return print(text + table_text(listing.columns, listing.rows, colour));
  const std::string table = table_text(listing.columns, listing.rows, colour);
  std::size_t line = table.find('\n') + 1;
  text += table.substr(0, line);
  for (std::size_t i = 0; i < listing.rows.size(); ++i) {
    const std::size_t next = table.find('\n', line) + 1;
    text += table.substr(line, next - line) + listing.below[i];
    line = next;
  }
  print(text + listing.foot);
}

/// A list of maps, one for each row, by the headings of the table; what can be set is the text `settings`.
std::string json_of(const Listing& listing)
{
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < listing.rows.size(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    for (std::size_t j = 0; j < listing.rows[i].size(); ++j)
      row[listing.columns[j].title] = listing.rows[i][j].said.text;
    if (i < listing.below.size() && !listing.below[i].empty())
      row["settings"] = listing.below[i];
    rows.push_back(std::move(row));
  }
  return rows.dump(1) + "\n";
}

std::string markdown_cell(std::string text)
{
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("|", "\\|");
  replace("<", "&lt;");
  replace("\n    ", "<br>");
  replace("\n", "");
  return text;
}

/// Every topic as a table; what can be set is a column of its own.
std::string names_page()
{
  std::string text = "# Every name, with its settings and sources\n\nWritten by `simrun list --markdown`; do not "
                     "edit.\n\n| Topic | What is listed |\n|---|---|\n";
  for (const auto& [name, topic] : topics())
    text += fmt::format("| [{0}](#{0}) | {1} |\n", name, topic.first);
  for (const auto& [name, topic] : topics()) {
    const Listing listing = topic.second();
    const bool settings = std::ranges::any_of(listing.below, [](const std::string& below) { return !below.empty(); });
    text += fmt::format("\n## {}\n\n{}: `simrun list {}`.\n\n|", name, topic.first, name);
    for (const Column& column : listing.columns)
      text += fmt::format(" {} |", column.title);
    text += settings ? " settings |\n|" : "\n|";
    for (std::size_t i = 0; i < listing.columns.size() + (settings ? 1 : 0); ++i)
      text += "---|";
    for (std::size_t i = 0; i < listing.rows.size(); ++i) {
      text += "\n|";
      for (std::size_t j = 0; j < listing.rows[i].size(); ++j)
        text += (j == 0 ? " `" : " ") + markdown_cell(listing.rows[i][j].said.text) + (j == 0 ? "` |" : " |");
      if (settings)
        text += fmt::format(" {} |", markdown_cell(listing.below[i].empty() ? "" : listing.below[i].substr(4)));
    }
    text += "\n";
  }
  return text;
}

int list(const Arguments& arguments)
{
  if (arguments.has("--markdown")) {
    print(names_page());
    return done;
  }
  const bool colour = wants_colour(arguments, stdout);
  const std::string chosen = arguments.value("TOPIC");
  if (arguments.has("--json") && !topics().contains(chosen))
    throw InputError{"--json prints one topic: simrun list columns --json"};
  if (chosen.empty()) {
    Listing overview{{{"topic", false}, {"what it lists", false}}, {}};
    for (const auto& [name, topic] : topics())
      overview.rows.push_back({name, topic.first});
    show("", overview, colour);
    print("\nsimrun list TOPIC shows the names, what they are and the sources of the numbers.\n");
    return done;
  }
  if (chosen == "policies") {
    for (const char* name : {"queues", "placements", "updates", "variables", "fusion"})
      show(fmt::format("{}: {}", name, topics().at(name).first), topics().at(name).second(), colour);
    return done;
  }
  const Listing listing = topics().at(chosen == "executors" ? "fidelities" : chosen).second();
  if (arguments.has("--json")) {
    print_data(json_of(listing));
  } else if (arguments.has("--names")) {
    print(fmt::format("{}\n", fmt::join(listed_names(chosen), "\n")));
  } else {
    show("", listing, colour);
  }
  return done;
}

[[maybe_unused]] const bool list_registered =
    register_command({"list",
                      "list what is available: models, GPUs, links, training modes, examples, exit codes…",
                      {},
                      {{"TOPIC", "", "TOPIC", "what to list; by default the topics", "", false, false, topic_names()},
                       {"--names", "", "", "print only the names, one per line"},
                       {"--json", "", "", "print the topic as JSON: a list of rows"},
                       {"--markdown", "", "", "print all topics as a page of the documentation"}},
                      {{"simrun list gpus", "show the GPUs of the catalogue with memory, peak rates and sources"},
                       {"simrun list training", "show the training modes with every setting and its default"}},
                      list});

} // namespace

std::vector<std::string> listed_names(const std::string& topic)
{
  std::vector<std::string> names;
  for (const auto& row : topics().at(topic == "executors" ? "fidelities" : topic).second().rows)
    names.push_back(row.front().said.text);
  return names;
}

} // namespace trainyard::app
