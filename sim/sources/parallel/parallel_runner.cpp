// SPDX-License-Identifier: Apache-2.0
/// Runs scenarios whose jobs divide a transformer among GPUs (`training: {parallel: …}`): by closed form, or on the
/// links of the cluster.
#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/parallel/layout.hpp"
#include "models/parallel/rank_memory.hpp"
#include "models/scenario/calibrated.hpp"
#include "sim/parallel/search.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/parallel/memory_over_step.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/sources/parallel/parallel_row.hpp"
#include "sim/sources/parallel/steps_on_links.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainyard {
namespace {

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

/// What is taken for granted.
std::vector<std::string> taken(const Scenario& scenario, const ParallelJob& job,
                               const std::optional<JobFailures>& failures)
{
  std::vector<std::string> list{
      on_links(scenario) ? "messages inside machines take the time of their closed form"
                         : "collectives meet no other traffic, and switches carry all at once",
      fmt::format("products reach {:.0f} % of the GPU's measured ceiling (product_efficiency)",
                  100 * job.layout.product_efficiency),
      "Adam with fp32 states"};
  if (job.transformer.gated && !job.layout.fused_elementwise)
    list.emplace_back(job.layout.fuses().norm
                          ? "RMSNorm, rotary embedding and SwiGLU are fused kernels (fused_elementwise)"
                          : "RMSNorm, rotary embedding and SwiGLU run operator by operator, as in eager "
                            "PyTorch (fused_elementwise: true for torch.compile)");
  if (job.transformer.biases && !job.layout.dropout)
    list.emplace_back("values are dropped at random, as the model was published (dropout)");
  if (job.layout.low_precision() && !job.layout.low_precision_storage)
    list.emplace_back(job.layout.stores("linear_inputs")
                          ? "inputs of linear layers are kept as they were rounded (low_precision_storage)"
                          : "inputs of linear layers are kept in 16 bit (low_precision_storage)");
  if (job.layout.cp > 1 && !job.layout.context_exchange)
    list.emplace_back(job.layout.exchange() == KeyValueExchange::p2p
                          ? "keys and values go round a ring (context_exchange)"
                          : "keys and values are gathered, as torchtitan does (context_exchange)");
  if (job.layout.tp > 1 && job.layout.sequence_parallel && !job.layout.tensor_messages)
    list.emplace_back(job.layout.messages_by() == "megatron"
                          ? "tensor-parallel messages are Megatron-LM's (tensor_messages)"
                          : "tensor-parallel messages are those of PyTorch's DTensor, as with its FSDP "
                            "(tensor_messages: megatron for DeepSpeed around a model of Megatron-LM)");
  if (job.layout.tp > 1 && !job.layout.overlap_tensor)
    list.emplace_back(job.layout.overlap() == "none"
                          ? "tensor-parallel messages are waited for (overlap_tensor)"
                          : "tensor-parallel messages of the backward pass travel beside products of weight gradients "
                            "(overlap_tensor)");
  if (job.layout.dp_assumed)
    list.insert(list.begin(), "one replica (dp or workers give more)");
  if (job.transformer.experts > 1 && job.layout.expert_imbalance == 1)
    list.emplace_back("tokens are spread evenly over the experts (expert_imbalance)");
  if (job.transformer.experts > 1 && !job.layout.expert_kernels)
    list.emplace_back(job.layout.experts_by() == "grouped"
                          ? "tokens reach their experts by PyTorch's operators, as in torchtitan (expert_kernels)"
                          : "tokens reach their experts by Megatron-Core's kernels (expert_kernels)");
  if (!job.layout.overlap_gradients && job.layout.replicas() > 1)
    list.emplace_back("gradients travel after the last backward pass");
  if (job.layout.offload_optimizer)
    list.emplace_back("machines have memory for the optimiser states of their GPUs");
  if (failures && failures->storage_assumed)
    list.emplace_back("storage takes checkpoints as fast as the network cards send them (checkpoints: {storage: RATE} "
                      "names another)");
  if (failures && failures->restart_assumed)
    list.push_back(fmt::format("processes run again {} after a failure (checkpoints.restart names another)",
                               time_text(*failures->restart_assumed)));
  return list;
}

/// What the machines of a job cost; nothing where one has no price.
std::optional<DollarsPerHour> price_of(const ClusterSpec& cluster, const ParallelJob& job)
{
  DollarsPerHour price;
  int left = job.layout.gpus(), machine = 0;
  for (const NodeGroupSpec& group : cluster.nodes) {
    const NodeTypeSpec& type = cluster.node_types.at(group.type);
    const bool may = std::ranges::find(job.groups, group.name) != job.groups.end();
    for (int i = 0; i < group.count; ++i, ++machine) {
      if (job.machines.empty() ? !may || left <= 0 : !job.machines.contains(machine))
        continue;
      if (!type.price)
        return std::nullopt;
      price += *type.price;
      left -= type.gpus;
    }
  }
  return price;
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
    long long gpus = 0, installed = 0;
    for (const JobSpec& job : scenario.jobs)
      gpus += job.training.parallel != nullptr ? job.training.parallel->gpus() : 0;
    for (const NodeGroupSpec& group : scenario.cluster.nodes)
      if (const auto type = scenario.cluster.node_types.find(group.type); type != scenario.cluster.node_types.end())
        installed += static_cast<long long>(group.count) * type->second.gpus;
    if (scenario.jobs.size() > 1 && gpus > installed)
      diagnostics.error({.path = "jobs"},
                        fmt::format("the jobs need {} GPUs at the same time, and the cluster has {}: divide them among "
                                    "fewer, or leave one out",
                                    gpus, installed));
    check_job_failures(scenario, measured, diagnostics);
    for (const JobSpec& job : scenario.jobs) {
      const int errors = diagnostics.errors();
      const ParallelJob made = parallel_job(scenario, job, measured, diagnostics);
      if (diagnostics.errors() > errors)
        break; // those behind it have no place either
      if (const std::string price = tensor_across_machines(made); !price.empty())
        diagnostics.warning({.path = job.path + ".training.parallel.tp"}, price);
      if (const double above = on_links(scenario) ? 1 : oversubscription(scenario, made, measured); above > 1.01)
        diagnostics.warning({.path = "cluster.network"}, narrow_switches(made, above));
      if (const std::string why = elastic_in_vain(scenario, made); !why.empty())
        diagnostics.warning({.path = "checkpoints.elastic"}, why);
      const ParallelStep step = parallel_step(made);
      const Location where{.path = job.path + ".training.parallel"};
      if (step.memory.total() > made.gpu.memory * (1 + memory_error))
        diagnostics.error(where, "out of GPU memory: " + does_not_fit(made, step));
      else if (!fits(made, step))
        diagnostics.warning(where, fmt::format("GPU memory may not suffice (estimates are right to {:.0f} %): {}",
                                               100 * memory_error, does_not_fit(made, step)));
    }
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options, bool colour) const override
  {
    std::vector<ParallelRow> rows;
    std::string memory = "point,job,rank,time_s,chunks,activations_B,memory_B\n";
    std::string tasks = "point,job,rank,pass,chunk,micro_batch,begin_s,end_s\n";
    std::vector<std::string> assumptions;
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
                        {}};
        row.price_per_million_samples =
            price_per_million_samples(scenario.cluster, made, step, row.failures ? row.failures->goodput.share() : 1);
        if (i + 1 == points.size() && made.layout.pp > 1) { // the picture shows the last point
          const PipelineRun run = pipeline_of(made);
          tasks += task_rows(row, run);
          memory += memory_rows(row, made, run);
        }
        for (const std::string& words : taken(scenario, made, row.failures))
          if (std::ranges::find(assumptions, words) == assumptions.end())
            assumptions.push_back(words);
        rows.push_back(row);
      }
    }
    RunReport report;
    const Scenario& first = points.front().scenario;
    report.text = fmt::format("{}\n\n{}", heading(first.name, first.description), answer(rows, colour));
    Json summary = document_head(kind());
    Json jobs = Json::array();
    std::string csv = csv_heading(parallel_columns()) + "\n";
    for (const ParallelRow& row : rows) {
      csv += csv_row(parallel_columns(), row, [](double value) { return fmt::format("{:.9g}", value); }) + "\n";
      jobs.push_back(json_of(row));
    }
    summary["jobs"] = std::move(jobs);
    const std::vector<std::string> defaults = assumed(points);
    std::vector<std::string> all = defaults;
    all.insert(all.end(), assumptions.begin(), assumptions.end());
    summary["assumed"] = all;
    report.summary = summary.dump(2) + "\n";
    report.files = {{"parallel.csv", [csv](const std::filesystem::path& file) { write_file(file, csv); }}};
    for (const auto& [name, text] : {std::pair{"pipeline.csv", tasks}, std::pair{"memory.csv", memory}})
      if (std::ranges::count(text, '\n') > 1)
        report.files.push_back({name, [text](const std::filesystem::path& file) { write_file(file, text); }});
    report.text +=
        fmt::format("\nassumed by {}: {}\n", on_links(first) ? "fidelity " + first.run.fidelity : "the closed form",
                    fmt::join(assumptions, "; "));
    if (!defaults.empty())
      report.text += assumed_text(defaults);
    return report;
  }

  std::string explain(const std::filesystem::path& folder, const std::string& what,
                      const std::string& name) const override
  {
    const Json summary = Json::parse(read_text_file(folder / "summary.json", 64U << 20U), nullptr, false);
    std::string text;
    for (const Json& job : summary.value("jobs", Json::array())) {
      if (!what.empty() && job.value("job", "") != name)
        continue;
      const double step = job.value("step_s", 1.0);
      text += fmt::format("{}{}{}: {}, step {}\n", job.value("point", ""), job.value("point", "").empty() ? "" : ", ",
                          job.value("job", ""), job.value("layout", ""), time_text(Seconds{step}));
      for (const ResultColumn<ParallelRow>& column : parallel_columns()) {
        if (column.unit == "s" && column.name != "step_s" && job.value(column.name, 0.0) > 0)
          text += fmt::format("  {:>9}  {:>4}  {}\n", time_text(Seconds{job.value(column.name, 0.0)}),
                              percent_text(job.value(column.name, 0.0) / step), column.meaning);
        if (column.name == "optimizer_s") // the last part of a step; later times are those of checkpoints
          break;
      }
    }
    if (text.empty())
      throw InputError{fmt::format("there is no job '{}' in this run", name)};
    return text;
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

  static std::string narrow_switches(const ParallelJob& job, double above)
  {
    ParallelJob slow = job;
    slow.network.between /= above;
    return fmt::format("the cards of the machines send {:.3g} times what the switches carry, and fidelity "
                       "closed_form does not count that (fluid does): the step takes {} with nobody else on the way, "
                       "and {} where all send at once",
                       above, time_text(parallel_step(job).step), time_text(parallel_step(slow).step));
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
    return text +
           (fewest == 0 ? fmt::format("; no small change makes it fit, and no layout on up to {} GPUs", most_gpus)
            : fewest <= gpus
                ? "; no small change makes it fit, but another layout does (simrun layouts)"
                : fmt::format("; no layout fits on {} GPUs: some do from {} GPUs on (simrun layouts)", gpus, fewest));
  }

  /// A table with one row per job and point, then a paragraph on the last.
  static std::string answer(const std::vector<ParallelRow>& rows, bool colour)
  {
    const bool labels = std::ranges::any_of(rows, [](const ParallelRow& row) { return !row.point.empty(); });
    std::vector<Column> columns{{labels ? "point" : "job", false},
                                {"GPUs"},
                                {"layout", false},
                                {"step"},
                                {"tokens/s"},
                                {"MFU"},
                                {"memory"},
                                {"compute"},
                                {"bubble"},
                                {"TP"},
                                {"DP"},
                                {"PP"},
                                {"other"}};
    std::vector<std::vector<TableCell>> cells;
    cells.reserve(rows.size());
    for (const ParallelRow& row : rows) {
      const ParallelStep& s = row.step;
      const auto share = [&](Seconds part) { return TableCell{percent_text(part / s.step)}; };
      cells.push_back({{labels ? row.point : row.job},
                       {std::to_string(row.gpus)},
                       {row.layout},
                       {time_text(s.step)},
                       {rate_text(s.tokens_per_second)},
                       {percent_text(s.model_flop_utilisation)},
                       {gib(s.memory.total())},
                       share(s.compute),
                       share(s.bubble),
                       share(s.tensor),
                       share(s.data),
                       share(s.pipeline),
                       share(s.host + s.context + s.expert + s.optimizer)});
    }
    std::string text = table_text(columns, cells, colour);
    text += "Shares of the step: compute, pipeline bubble, exposed messages of tensor (TP), data (DP) and pipeline "
            "parallelism (PP).\n";
    const ParallelRow& last = rows.back();
    const ParallelStep& s = last.step;
    text += fmt::format("\n{}: {}, {} on {} {}\n  memory {}\n", last.job, last.model, last.layout, last.gpus, last.gpu,
                        memory_text(s.memory, last.installed));
    std::string other;
    for (const auto& [part, words] : {std::pair{s.host, "launching kernels"}, std::pair{s.context, "keys and values"},
                                      std::pair{s.expert, "experts"}, std::pair{s.optimizer, "optimiser"}})
      if (part >= s.step * 0.005) // below it is "0 %"
        other += fmt::format("{}{} {}", other.empty() ? "" : ", ", words, percent_text(part / s.step));
    if (!other.empty())
      text += fmt::format("  other: {}\n", other);
    text += fmt::format("  bottleneck: {}\n", s.bottleneck);
    return last.failures ? text + to_text(*last.failures, s.tokens_per_second) : text;
  }
};

TY_REGISTER(ScenarioRunner, ParallelRunner, "parallel", "transformers that are divided among GPUs");

} // namespace
} // namespace trainyard
