// SPDX-License-Identifier: Apache-2.0
/// Runs scenarios whose jobs divide a transformer among GPUs (`training: {parallel: …}`): by closed form, or on the
/// links of the cluster.
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/parallel/layout.hpp"
#include "models/parallel/rank_memory.hpp"
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "models/scenario/calibrated.hpp"
#include "sim/parallel/search.hpp"
#include "sim/parallel/step.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/files.hpp"
#include "sim/report/table.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/sources/parallel/parallel_row.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/answer_kind.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Memory of a rank from a time on, until the next of its changes.
struct MemoryChange {
  Seconds at;
  int chunks = 0; // micro-batches x chunks whose activations it holds
  RankMemory memory;
};

/// Memory of pipeline rank @p rank over @p run: activations come with a forward pass and go with the pass that ends the
/// gradients of its weights; the rest stays, logits and recomputed layers too.
std::vector<MemoryChange> memory_over_step(const ParallelJob& job, const PipelineRun& run, int rank)
{
  const std::vector<PipelineSpan>& spans = run.ranks[static_cast<std::size_t>(rank)];
  const bool parted =
      std::ranges::any_of(spans, [](const PipelineSpan& span) { return span.task.pass == Pass::weights; });
  std::vector<std::pair<double, int>> events; // at one time what goes is first
  for (const PipelineSpan& span : spans) {
    if (span.task.pass == Pass::forward)
      events.emplace_back(span.begin, 1);
    else if (span.task.pass != Pass::backward || !parted)
      events.emplace_back(span.end, -1);
  }
  std::ranges::sort(events);
  std::vector<MemoryChange> changes{{Seconds{}, 0, rank_memory(job.layout, job.transformer, rank, 0)}};
  for (const auto& [time, change] : events) {
    const int chunks = changes.back().chunks + change;
    if (Seconds{time} > changes.back().at)
      changes.push_back({Seconds{time}, chunks, {}});
    changes.back().chunks = chunks;
    changes.back().memory = rank_memory(job.layout, job.transformer, rank, chunks);
  }
  return changes;
}

using Json = nlohmann::ordered_json;

constexpr const char* runs_kind = "trainyard parallel";

std::string gib(Bytes bytes)
{
  return fmt::format("{:.1f} GiB", bytes.value() / (1U << 30U));
}

/// "needs 91.2 GiB of 79.6 GiB on stage 0: weights 10.1, …"
std::string memory_text(const RankMemory& memory, Bytes installed)
{
  const auto number = [](Bytes bytes) { return fmt::format("{:.1f}", bytes.value() / (1U << 30U)); };
  return fmt::format("{} of {} GiB (stage {}: weights {}, gradients {}, optimiser {}, activations {}, logits and "
                     "recomputed layers {}, buffers and driver {})",
                     number(memory.total()), number(installed), memory.stage, number(memory.weights),
                     number(memory.gradients), number(memory.optimizer), number(memory.activations),
                     number(memory.transient), number(memory.buffers + memory.context));
}

/// Whether messages between machines are simulated on the links.
bool on_links(const Scenario& scenario)
{
  return scenario.run.fidelity != "closed_form" && scenario.run.fidelity != "auto";
}

/// What is taken for granted: without and with what the condition asks for.
constexpr Sentence<> closed_form_inside{"taken.closed_form_inside",
                                        "messages inside machines take the time of their closed form"};
constexpr Sentence<> no_other_traffic{"taken.no_other_traffic",
                                      "collectives meet no other traffic, and switches carry all at once"};
constexpr Sentence<std::int64_t> product_share{
    "taken.products", "products reach {percent} % of the GPU's measured ceiling (product_efficiency)"};
constexpr Sentence<> adam{"taken.adam", "Adam with fp32 states"};
constexpr Sentence<> elementwise[]{
    {"taken.elementwise_alone", "RMSNorm, rotary embedding and SwiGLU run operator by operator, as in eager PyTorch "
                                "(fused_elementwise: true for torch.compile)"},
    {"taken.elementwise_fused", "RMSNorm, rotary embedding and SwiGLU are fused kernels (fused_elementwise)"}};
constexpr Sentence<> drops_values{"taken.dropout",
                                  "values are dropped at random, as the model was published (dropout)"};
constexpr Sentence<> inputs_kept[]{
    {"taken.inputs_in_16_bit", "inputs of linear layers are kept in 16 bit (low_precision_storage)"},
    {"taken.inputs_rounded", "inputs of linear layers are kept as they were rounded (low_precision_storage)"}};
constexpr Sentence<> keys_and_values[]{
    {"taken.keys_gathered", "keys and values are gathered, as torchtitan does (context_exchange)"},
    {"taken.keys_in_ring", "keys and values go round a ring (context_exchange)"}};
constexpr Sentence<> tensor_messages[]{
    {"taken.tensor_pytorch", "tensor-parallel messages are those of PyTorch's DTensor, as with its FSDP "
                             "(tensor_messages: megatron for DeepSpeed around a model of Megatron-LM)"},
    {"taken.tensor_megatron", "tensor-parallel messages are Megatron-LM's (tensor_messages)"}};
constexpr Sentence<> tensor_waits[]{
    {"taken.tensor_beside",
     "tensor-parallel messages of the backward pass travel beside products of weight gradients (overlap_tensor)"},
    {"taken.tensor_waits", "tensor-parallel messages are waited for (overlap_tensor)"}};
constexpr Sentence<std::string> way_of_sharding{"taken.sharding", "zero: 2 works as with {software} (sharding)"};
constexpr Sentence<> one_replica{"taken.one_replica", "one replica (dp or workers give more)"};
constexpr Sentence<> even_experts{"taken.even_experts", "tokens are spread evenly over the experts (expert_imbalance)"};
constexpr Sentence<> expert_kernels[]{
    {"taken.experts_megatron", "tokens reach their experts by Megatron-Core's kernels (expert_kernels)"},
    {"taken.experts_pytorch", "tokens reach their experts by PyTorch's operators, as in torchtitan (expert_kernels)"}};
constexpr Sentence<> gradients_last{"taken.gradients_last", "gradients travel after the last backward pass"};
constexpr Sentence<> memory_of_machines{"taken.memory_of_machines",
                                        "machines have memory for the optimiser states of their GPUs"};

constexpr Sentence<> states_paged{"taken.states_paged",
                                  "optimiser states that the GPU has no room for lie on the host, "
                                  "and cross PCIe to the GPU and back in each step"};

constexpr Sentence<std::string, Messages> assumed_by{"parallel.assumed_by", "assumed by {what}: {list}"};
constexpr Sentence<> shares{"parallel.shares", "Shares of the step: compute, pipeline bubble, exposed messages of "
                                               "tensor (TP), data (DP) and pipeline parallelism (PP)."};
constexpr Sentence<Message> held_back{"parallel.held_back", "bottleneck: {part}"};
constexpr Sentence<Message, Message> held_back_then{"parallel.held_back_then", "bottleneck: {part}; then {next}"};

Messages taken(const Scenario& scenario, const ParallelJob& job, const std::optional<JobFailures>& failures)
{
  const ParallelLayout& l = job.layout;
  Messages list;
  const auto add = [&](bool taken, const Sentence<>& sentence) {
    if (taken)
      list.push_back(sentence());
  };
  add(l.dp_assumed, one_replica);
  list.push_back((on_links(scenario) ? closed_form_inside : no_other_traffic)());
  list.push_back(product_share(std::lround(100 * l.product_efficiency)));
  add(l.moment_bytes == 8 && l.master_weights, adam);
  if (l.zero == 2 && l.pp == 1 && !l.gradient_sync)
    list.push_back(way_of_sharding(l.sharded_by()));
  add(job.transformer.gated && !l.fused_elementwise, elementwise[l.fuses().norm]);
  add(job.transformer.biases && !l.dropout, drops_values);
  add(l.low_precision() && !l.low_precision_storage, inputs_kept[l.stores("linear_inputs")]);
  add(l.cp > 1 && !l.context_exchange, keys_and_values[l.exchange() == KeyValueExchange::p2p]);
  add(l.tp > 1 && l.sequence_parallel && !l.tensor_messages, tensor_messages[l.messages_by() == "megatron"]);
  add(l.tp > 1 && !l.overlap_tensor, tensor_waits[l.overlap() == "none"]);
  add(job.transformer.experts > 1 && l.expert_imbalance == 1, even_experts);
  add(job.transformer.experts > 1 && !l.expert_kernels, expert_kernels[l.experts_by() == "grouped"]);
  add(!l.overlap_gradients && l.replicas() > 1, gradients_last);
  add(l.offload_optimizer && job.host_memory <= Bytes{}, memory_of_machines);
  add(l.kept.paged, states_paged);
  if (failures && !failures->storage_assumed.empty())
    list.push_back(failures->storage_assumed);
  if (failures && failures->restart_assumed)
    list.push_back(run_again({failures->restart_assumed->value(), time_text(*failures->restart_assumed)}));
  return list;
}

std::optional<Dollars> price_per_million_samples(const ClusterSpec& cluster, const ParallelJob& job,
                                                 const ParallelStep& step, double goodput)
{
  const std::optional<DollarsPerHour> price = price_of(cluster, job);
  if (!price || step.samples_per_second * goodput <= 0)
    return std::nullopt;
  return Dollars{price->value() / 3600 / (step.samples_per_second * goodput) * 1e6};
}

class ParallelRunner final : public ScenarioRunner
{
public:
  std::string kind() const override { return runs_kind; }

  ReadParts parts() const override
  {
    ReadParts parts{
        "jobs",
        {{"framework"}, {"transports"}, {"era"}, {"calibration"}, {"measured_rates"}, {"faults"}, {"checkpoints"}}};
    parts.condition = "with training.parallel";
    return parts;
  }

  /// A file with such jobs only, and whatever else it has, so that what cannot be combined is refused and not ignored.
  /// Jobs of other kinds beside them, or several that arrive at different times, are training steps; a queue runs them
  /// itself.
  int claims(const Scenario& scenario) const override
  {
    constexpr int more_than_all_sections = 1000;
    const auto divided = [](const JobSpec& job) {
      return job.training.parallel != nullptr && job.arrival <= Seconds{};
    };
    return !scenario.jobs.empty() && std::ranges::all_of(scenario.jobs, divided) &&
                   !scenario.sections.contains("workload")
               ? more_than_all_sections
               : 0;
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    const Catalogue measured = calibrated(catalogue, scenario);
    long long gpus = 0;
    for (const JobSpec& job : scenario.jobs)
      gpus += job.training.parallel != nullptr ? job.training.parallel->gpus() : 0;
    const long long installed = gpus_of(scenario.cluster);
    if (scenario.jobs.size() > 1 && gpus > installed)
      diagnostics.error({.path = "jobs"}, fmt::format("the jobs need {} GPUs at the same time, and the cluster has {}: "
                                                      "divide them among fewer, or leave one out",
                                                      gpus, installed));
    check_job_failures(scenario, measured, diagnostics);
    for (const JobSpec& job : scenario.jobs) {
      const int errors = diagnostics.errors();
      const ParallelJob made = parallel_job(scenario, job, measured, diagnostics);
      if (diagnostics.errors() > errors)
        break; // those behind it have no place either
      if (const Message price = tensor_across_machines(made); !price.empty())
        diagnostics.warning({.path = job.path + ".training.parallel.tp"}, price);
      if (const double above = on_links(scenario) ? 1 : oversubscription(scenario, made, measured); above > 1.01)
        diagnostics.warning({.path = "cluster.network"}, narrow_switches(made, above));
      if (const std::string why = elastic_in_vain(scenario, made); !why.empty())
        diagnostics.warning({.path = "checkpoints.elastic"}, why);
      const ParallelStep step = parallel_step(made);
      const Location where{.path = job.path + ".training.parallel"};
      const double share = needed_share(made, step);
      if (lacks_host_memory(made))
        diagnostics.error(where, fmt::format("out of host memory: optimiser states take {} in each machine, which has "
                                             "{} (memory of its node type): divide them among more machines (zero), "
                                             "or leave out offload_optimizer",
                                             to_text(host_states(made)), to_text(made.host_memory)));
      if (memory_refused(share))
        diagnostics.error(where, "out of GPU memory: " + does_not_fit(made, step));
      else if (step.memory.total() > made.gpu.memory)
        diagnostics.warning(
            where, fmt::format("GPU memory may not suffice ({}): {}", how_right_memory_is, does_not_fit(made, step)));
      else if (memory_open(share))
        diagnostics.warning(where, fmt::format("GPU memory may not suffice: {} takes {:.0f} % of the {} ({})",
                                               to_text(made.layout), 100 * share, made.gpu.name, how_right_memory_is));
    }
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    std::vector<ParallelRow> rows;
    std::string memory = "point,job,rank,time_s,chunks,activations_B,memory_B\n";
    std::string tasks = "point,job,rank,pass,chunk,micro_batch,begin_s,end_s\n";
    Messages assumptions, found;
    const Catalogue catalogue = options.catalogue != nullptr ? *options.catalogue : load_catalogue(data_folder());
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (options.progress)
        options.progress(i, points.size(), points[i].label);
      const Scenario& scenario = points[i].scenario;
      const Catalogue measured = calibrated(catalogue, scenario);
      const std::vector<ParallelStep> steps =
          on_links(scenario) ? steps_on_links(scenario, measured) : std::vector<ParallelStep>{};
      for (const JobSpec& job : scenario.jobs) {
        Diagnostics faults;
        const ParallelJob made = parallel_job(scenario, job, measured, faults);
        faults.throw_if_errors();
        const auto index = static_cast<std::size_t>(&job - scenario.jobs.data());
        const ParallelStep step = on_links(scenario) ? steps.at(index) : parallel_step(made);
        ParallelRow row{points[i].label,
                        points[i].variant,
                        job.name,
                        job.model,
                        made.gpu.name,
                        to_text(made.layout),
                        made.layout.gpus(),
                        made.gpu.memory,
                        on_links(scenario) ? scenario.run.fidelity : "closed_form",
                        step,
                        job_failures(scenario, measured, made),
                        {},
                        model_errors().of(answer_kind(made, step, scenario, job))};
        row.price_per_million_samples =
            price_per_million_samples(scenario.cluster, made, step, row.failures ? row.failures->goodput.share() : 1);
        if (i + 1 == points.size() && made.layout.pp > 1) { // the picture shows the last point
          const PipelineRun run = pipeline_of(made);
          tasks += task_rows(row, run);
          memory += memory_rows(row, made, run);
        }
        for (Message& words : taken(scenario, made, row.failures))
          add_once(assumptions, std::move(words));
        add_once(found, row.step.bottleneck);
        rows.push_back(row);
      }
    }
    RunReport report;
    const Scenario& first = points.front().scenario;
    Telling& told = report.told;
    told.heading(heading(first.name, first.description));
    told.gap();
    tell_rows(rows, told);
    tell_last(rows.back(), points.back().scenario, told);
    Json& summary = report.summary = document_head(kind(), first);
    found.insert(found.begin(), answer_of(rows));
    std::vector<ModelError> errors;
    std::ranges::transform(rows, std::back_inserter(errors), &ParallelRow::error);
    for (Message& message : errors_told(errors)) {
      told.say(message);
      found.push_back(std::move(message));
    }
    report.conclude(found);
    Json jobs = Json::array();
    const std::string csv =
        csv_of(parallel_columns(), rows, {[](double value) { return fmt::format("{:.9g}", value); }});
    for (const ParallelRow& row : rows)
      jobs.push_back(json_of(row));
    summary["jobs"] = std::move(jobs);
    Messages defaults = assumed(points);
    report.files = {text_file("parallel.csv", csv)};
    for (const auto& [name, text] : {std::pair{"pipeline.csv", tasks}, std::pair{"memory.csv", memory}})
      if (std::ranges::count(text, '\n') > 1)
        report.files.push_back(text_file(name, text));
    told.line(assumed_by(on_links(first) ? "fidelity " + first.run.fidelity : "the closed form", listed(assumptions)),
              "\n");
    if (!defaults.empty())
      told.say(assumed_told(defaults));
    std::ranges::move(assumptions, std::back_inserter(defaults));
    summary["assumed"] = texts_of(defaults, MessageKind::part);
    report.add(defaults);
    return report;
  }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override
  {
    static constexpr Sentence<std::string, Figure> step_of{"parallel.step_of", "{job}, step {step}"};
    Telling told;
    for (const Json& job : folder.summary.value("jobs", Json::array())) {
      if (!what.empty() && job.value("job", "") != name)
        continue;
      const double step = job.value("step_s", 1.0);
      told.heading(step_of(fmt::format("{}{}{}: {}", job.value("point", ""), job.value("point", "").empty() ? "" : ", ",
                                       job.value("job", ""), job.value("layout", "")),
                           {step, time_text(Seconds{step})}));
      TableRows rows;
      for (const ResultColumn<ParallelRow>& column : parallel_columns()) {
        if (column.unit == "s" && column.name != "step_s" && job.value(column.name, 0.0) > 0)
          rows.push_back({time_text(Seconds{job.value(column.name, 0.0)}),
                          percent_text(job.value(column.name, 0.0) / step), column.meaning});
        if (column.name == "optimizer_s") // the last part of a step; later times are those of checkpoints
          break;
      }
      told.table({{""}, {""}, {"", false}}, std::move(rows), 2);
    }
    if (told.empty())
      throw InputError{fmt::format("there is no job '{}' in this run", name)};
    return told;
  }

private:
  static Json json_of(const ParallelRow& row)
  {
    Json json;
    for (const ResultColumn<ParallelRow>& column : parallel_columns())
      if ((column.places & in_json) != 0)
        for (const auto& [name, value] : values_of(column, row)) {
          if (const double* figure = std::get_if<double>(&value))
            json[name] = *figure;
          else if (const std::string* word = std::get_if<std::string>(&value))
            json[name] = *word;
        }
    return json;
  }

  static std::string task_rows(const ParallelRow& row, const PipelineRun& run)
  {
    std::string text;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
      for (const PipelineSpan& span : run.ranks[rank])
        text += fmt::format("{},{},{},{},{},{},{:.9g},{:.9g}\n", csv_text(row.point), csv_text(row.job), rank,
                            span.task.pass == Pass::forward   ? "forward"
                            : span.task.pass != Pass::weights ? "backward"
                                                              : "weights",
                            span.task.chunk, span.task.micro_batch, span.begin, span.end);
    return text;
  }

  static std::string memory_rows(const ParallelRow& row, const ParallelJob& job, const PipelineRun& run)
  {
    std::string text;
    for (int rank = 0; rank < job.layout.pp; ++rank)
      for (const MemoryChange& change : memory_over_step(job, run, rank))
        text += fmt::format("{},{},{},{:.9g},{},{:.9g},{:.9g}\n", csv_text(row.point), csv_text(row.job), rank,
                            change.at.value(), change.chunks, change.memory.activations.value(),
                            change.memory.total().value());
    return text;
  }

  static Message narrow_switches(const ParallelJob& job, double above)
  {
    static constexpr Sentence<Figure, Figure, Figure> narrow{
        "parallel.narrow_switches",
        "the cards of the machines send {times} times what the switches carry, and fidelity closed_form does not count "
        "that (fluid does): the step takes {alone} with nobody else on the way, and {together} where all send at once"};
    ParallelJob slow = job;
    slow.network.between /= above;
    const Seconds alone = parallel_step(job).step, together = parallel_step(slow).step;
    return narrow({above, fmt::format("{:.3g}", above)}, {alone.value(), time_text(alone)},
                  {together.value(), time_text(together)});
  }

  static std::string does_not_fit(const ParallelJob& job, const ParallelStep& step)
  {
    std::string text = fmt::format("{} needs {}", to_text(job.layout), memory_text(step.memory, job.gpu.memory));
    const std::vector<FittingChange> changes = fitting_changes(job);
    for (const FittingChange& change : changes)
      text += fmt::format("{}{} ({}, step {:+.0f} %)", &change == &changes.front() ? "; it fits with " : ", or ",
                          change.change, gib(change.step.memory.total()), 100 * (change.step.step / step.step - 1));
    if (!changes.empty())
      return text;
    // Another way of dividing the model may still fit.
    constexpr int most_gpus = 65536;
    const int gpus = job.layout.gpus(), fewest = fewest_gpus(job, most_gpus);
    return text + (fewest == 0
                       ? fmt::format("; no small change makes it fit, and no layout on up to {} GPUs", most_gpus)
                   : fewest <= gpus
                       ? "; no small change makes it fit, but another layout does (simrun layouts)"
                       : fmt::format("; no layout fits on {} GPUs: some do on {} (simrun layouts)", gpus, fewest));
  }

  /// A row per job and point.
  static void tell_rows(const std::vector<ParallelRow>& rows, Telling& told)
  {
    using Row = ParallelRow;
    const bool labels = std::ranges::any_of(rows, [](const Row& row) { return !row.point.empty(); });
    const auto share = [](auto part) {
      return [part](const Row& row) { return percent_text(part(row.step) / row.step.step); };
    };
    using Step = ParallelStep;
    tell_table<Row>(rows,
                    {{{labels ? "point" : "job", false}, labels ? &Row::point : &Row::job},
                     {{"GPUs"}, [](const Row& row) { return std::to_string(row.gpus); }},
                     {{"layout", false}, &Row::layout},
                     {{"step"}, [](const Row& row) { return time_text(row.step.step); }},
                     {{"tokens/s"}, [](const Row& row) { return rate_text(row.step.tokens_per_second); }},
                     {{"80 % sure"}, [](const Row& row) { return sure_text(row.step.tokens_per_second, row.error); }},
                     {{"MFU"}, [](const Row& row) { return percent_text(row.step.model_flop_utilisation); }},
                     {{"memory"}, [](const Row& row) { return gib(row.step.memory.total()); }},
                     {{"compute"}, share([](const Step& s) { return s.compute; })},
                     {{"bubble"}, share([](const Step& s) { return s.bubble; })},
                     {{"TP"}, share([](const Step& s) { return s.tensor; })},
                     {{"DP"}, share([](const Step& s) { return s.data; })},
                     {{"PP"}, share([](const Step& s) { return s.pipeline; })},
                     {{"other"}, share([](const Step& s) { return s.host + s.context + s.expert + s.optimizer; })}},
                    told);
    told.say(shares());
  }

  static void tell_last(const ParallelRow& last, const Scenario& scenario, Telling& told)
  {
    const ParallelStep& s = last.step;
    told.lines(fmt::format("\n{}: {}, {} on {} {}\n  memory {}\n", last.job, last.model, last.layout, last.gpus,
                           last.gpu, memory_text(s.memory, last.installed)));
    std::string other;
    for (const auto& [part, words] : {std::pair{s.host, "launching kernels"}, std::pair{s.context, "keys and values"},
                                      std::pair{s.expert, "experts"}, std::pair{s.optimizer, "optimiser"}})
      if (part >= s.step * 0.005) // below it is "0 %"
        other += fmt::format("{}{} {}", other.empty() ? "" : ", ", words, percent_text(part / s.step));
    if (!other.empty())
      told.lines(other, "  other: ");
    told.line(s.besides.empty() || s.besides.text == s.bottleneck.text ? held_back(s.bottleneck)
                                                                       : held_back_then(s.bottleneck, s.besides));
    if (const std::string idle = idle_gpus(scenario); !idle.empty() && !last.failures) // else they are spares
      told.lines(idle, "  of the cluster: ");
    if (last.failures)
      told.lines(to_text(*last.failures, s.tokens_per_second));
  }
};

TY_REGISTER(ScenarioRunner, ParallelRunner, "parallel", "transformers that are divided among GPUs");

} // namespace
} // namespace trainyard
