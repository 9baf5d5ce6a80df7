// SPDX-License-Identifier: Apache-2.0
#include "models/import/parallel_draft.hpp"

#include "models/dnn/builder.hpp"
#include "models/dnn/hugging_face.hpp"
#include "models/import/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// "{tp: 8, pp: 4, …}"
std::string layout_flow(const ParallelDraft& d)
{
  const bool by_sequence = d.sequence_parallel && d.tp > 1;
  Flow flow;
  flow.number("tp", d.tp, 1).number("pp", d.pp, 1).number("vp", d.vp, 1).number("dp", d.dp);
  flow.number("cp", d.cp, 1).number("ep", d.ep, 1).flag("sequence_parallel", by_sequence);
  flow.number("zero", d.zero).number("shard_within", d.shard_within);
  flow.number("micro_batch", d.micro_batch).number("global_batch", d.global_batch);
  flow.flag("keep_batch", d.keep_batch || d.decrease_batch).flag("decrease_batch", d.decrease_batch);
  flow.add("recomputation", d.recomputation).names("recompute_modules", d.recomputed);
  flow.flag("early_stop", d.early_stop && d.recomputation == "full").number("mtp_layers", d.mtp_layers);
  flow.add("schedule", d.schedule).add("layers_per_stage", d.layers_per_stage).add("attention", d.attention);
  flow.add("ring_merge", d.ring_merge).add("context_exchange", d.context_exchange).add("sharding", d.sharding);
  flow.add("tensor_messages", by_sequence ? d.tensor_messages : "").add("overlap_tensor", d.overlap_tensor);
  flow.add("fused_elementwise", d.fused_elementwise).add("scaling", d.precision == "fp8" ? d.scaling : "");
  flow.names("low_precision_storage", d.stored);
  if (d.dropout)
    flow.add("dropout", *d.dropout ? "true" : "false");
  flow.flag("offload_optimizer", d.offload_optimizer).number("expert_tp", d.expert_tp == d.tp ? 0 : d.expert_tp);
  flow.flag("overlap_experts", d.overlap_experts && d.ep > 1).flag("overlap_gradients", d.overlap_gradients, true);
  flow.flag("flat_parameters", d.flat_parameters && d.zero == 3);
  flow.flag("loss_parallel", d.loss_parallel || d.tp == 1, true).number("gradient_bytes", d.gradient_bytes);
  return flow.number("moment_bytes", d.moment_bytes, 8).flag("master_weights", d.master_weights, true).str();
}

/// Machines for the GPUs, and how many GPUs there are.
void machines_for(ParallelDraft& d, ImportContext& context)
{
  if (!context.draft.machines.empty()) { // of other files, or of another job
    if (const int all = context.draft.gpus(), some = context.draft.launched.gpus; d.gpus == 0)
      d.gpus = some > 0 ? std::min(some, all) : all;
    return;
  }
  const DraftLaunch& launched = context.draft.launched;
  if (d.gpus == 0 && d.per_node == 0) {
    d.gpus = launched.gpus;
    d.per_node = launched.per_node;
    d.gpu = d.gpu.empty() && context.options.gpu.empty() ? launched.gpu : d.gpu;
  }
  const long long of_replica = 1LL * d.tp * d.pp * d.cp;
  DraftMachines machines{.name = "node", .gpu = d.gpu, .note = to_text(d.place)};
  if (machines.gpu.empty())
    machines.gpu = gpu_of_divided(context, d.place);
  const auto known = context.catalogue.gpus.find(machines.gpu);
  const int sold = known == context.catalogue.gpus.end() ? 8 : std::max(1, known->second.board.gpus);
  if (d.gpus == 0 && context.options.nodes > 0)
    d.gpus = static_cast<int>(std::min(1e6, 1.0 * context.options.nodes * (d.per_node > 0 ? d.per_node : sold)));
  if (d.gpus == 0) {
    d.gpus = static_cast<int>(std::min(1e6, 1.0 * static_cast<double>(of_replica) * std::max(1, d.dp)));
    if (d.dp == 0)
      context.report.assumed({"{} GPUs, one replica", d.gpus},
                             "the file does not say how many there are; --nodes N gives the number of machines",
                             d.place);
  }
  if (d.per_node == 0) {
    machines.gpus = std::min(sold, d.gpus);
    context.report.assumed({"{} in a machine", counted(machines.gpus, "GPU")},
                           "the file does not say where its ranks run", d.place);
  } else {
    machines.gpus = std::clamp(d.per_node, 1, 1024);
  }
  machines.count = std::clamp((d.gpus + machines.gpus - 1) / machines.gpus, 1, 100'000);
  if (context.options.link.empty() && known != context.catalogue.gpus.end() && !known->second.board.nic.empty() &&
      context.draft.network.link.empty()) {
    context.draft.network.link = known->second.board.nic;
    context.report.assumed("links are " + known->second.board.nic,
                           "machines with this GPU are sold so; --link NAME chooses another", d.place);
  }
  context.draft.machines.push_back(std::move(machines));
}

/// The micro-batch for this number of replicas, which must be one with which the job can run.
void choose_micro_batch(ParallelDraft& d, ImportContext& context)
{
  if (!d.replicas.empty() && !std::ranges::binary_search(d.replicas, d.dp)) {
    const auto next = std::ranges::upper_bound(d.replicas, d.dp);
    std::string near;
    if (next != d.replicas.begin())
      near = std::to_string(*(next - 1));
    if (next != d.replicas.end())
      near += fmt::format("{}{}", near.empty() ? "" : " or ", *next);
    context.report.error(d.place,
                         "{} replicas do not divide the global batch {} by any micro-batch; with {} "
                         "they do (--nodes N)",
                         d.dp, d.global_batch, near);
    return;
  }
  int largest = 0;
  for (const int micro : d.micro_batches)
    if (d.global_batch / d.dp % micro == 0)
      largest = std::max(largest, micro);
  if (largest > 0)
    d.micro_batch = largest;
}

std::string size_text(const Transformer& t)
{
  const double all = t.parameters(), active = t.active_parameters();
  return fmt::format("a model of {:.4g} billion parameters{}", all / 1e9,
                     active < all ? fmt::format(", of which a token passes {:.4g}", active / 1e9) : "");
}

/// How large the model of a config.json is, and what is left out of it.
void tell_model_file(const std::string& name, ImportReport& report)
{
  try {
    const TransformerFile file = read_hugging_face_file(name);
    report.understood(size_text(file.transformer), {name, 0});
    for (const std::string& ignored : file.ignored)
      report.ignored(ignored.substr(0, ignored.find(": ")),
                     ignored.substr(std::min(ignored.size(), ignored.find(": ") + 2)), {name, 0});
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.diagnostics())
      report.faults.add(fault);
  }
}

/// Sizes within bounds, and the model: of the file, or of --model.
void name_model(ParallelDraft& d, ImportContext& context)
{
  constexpr int most = 100'000; // of ranks in one direction
  for (int* size : {&d.tp, &d.pp, &d.vp, &d.cp, &d.ep, &d.micro_batch, &d.accumulation, &d.dp}) {
    if (*size > most)
      context.report.error(d.place, "{} is more than a layout can have in one direction ({})", *size, most);
    *size = std::clamp(*size, size == &d.dp ? 0 : 1, most);
  }
  const DraftLaunch& launched = context.draft.launched;
  if (d.model.empty() && !d.own)
    d.model = launched.model;
  if (d.sequence == 0)
    d.sequence = launched.sequence;
  if (d.steps == 0)
    d.steps = launched.steps;
  if (d.own && context.options.model.empty())
    d.model = own_model(*d.own, d.place, context.report);
  if (!context.options.model.empty()) {
    d.model = context.options.model;
    context.report.assumed("the job trains " + d.model, "given by --model", d.place);
    if (d.model.ends_with(".json"))
      tell_model_file(d.model, context.report);
  }
  if (d.model.empty()) {
    context.report.error(d.place, "the file does not name the model: give --model NAME (simrun list models), or the "
                                  "config.json of the model");
    d.model = "llama3_8b";
  }
  if (context.options.batch_per_gpu > 0)
    d.micro_batch = context.options.batch_per_gpu;
}

/// Of a network that is not divided every GPU holds all.
DraftJob on_every_gpu(const ParallelDraft& d)
{
  const bool narrow = d.precision == "bf16" || d.precision == "fp16";
  return {.name = d.name.empty() ? "train" : d.name,
          .model = d.model,
          .batch_per_gpu = d.micro_batch,
          .precision = narrow ? "amp" : d.precision, // weights stay in fp32
          .optimizer = d.optimizer,
          .accumulation = d.accumulation,
          .recomputation = d.recomputation,
          .workers = std::max(1, d.gpus),
          .steps = d.steps,
          .note = to_text(d.place)};
}

DraftJob on_its_gpus(ParallelDraft d, ImportContext& context)
{
  const long long of_replica = 1LL * d.tp * d.pp * d.cp;
  if (d.dp == 0)
    d.dp = static_cast<int>(std::max(1LL, d.gpus / of_replica));
  if (d.replicate > 1 && d.zero > 0 && d.dp % d.replicate == 0)
    d.shard_within = d.dp / d.replicate * d.cp;
  choose_micro_batch(d, context);
  if (d.global_batch == 0) {
    d.global_batch = static_cast<int>(std::min(1e8, 1.0 * d.dp * d.micro_batch * d.accumulation));
    context.report.assumed({"global batch {}", d.global_batch},
                           {"{} replicas x micro-batch {} x {} of them", d.dp, d.micro_batch, d.accumulation}, d.place);
  }
  d.model = with_sequence(std::move(d.model), d.sequence);
  DraftJob job{.name = d.name.empty() ? "train" : d.name,
               .model = d.model,
               .precision = d.precision,
               .optimizer = d.optimizer,
               .workers = static_cast<int>(std::min(1e6, 1.0 * d.dp * static_cast<double>(of_replica))),
               .parallel = layout_flow(d),
               .steps = d.steps,
               .note = to_text(d.place)};
  context.report.understood(d.place, "layout {}", job.parallel);
  return job;
}

} // namespace

std::string with_sequence(std::string model, int sequence)
{
  if (sequence == 0 || model.find("sequence_length") != std::string::npos)
    return model;
  if (!model.starts_with('{'))
    return fmt::format("{{name: {}, sequence_length: {}}}", model, sequence);
  model.insert(model.size() - 1, fmt::format(", sequence_length: {}", sequence));
  return model;
}

std::string own_model(const Transformer& t, const ImportPlace& place, ImportReport& report)
{
  const std::vector<std::string> faults = transformer_faults(t);
  for (const std::string& fault : faults)
    report.error(place, "the model of the file: " + fault);
  if (faults.empty())
    report.understood(size_text(t), place);
  return transformer_flow(t);
}

bool is_divisible(const std::string& model)
{
  return model.starts_with('{') || model.ends_with(".json") || find_transformer(model) != nullptr;
}

std::string gpu_of_divided(ImportContext& context, const ImportPlace& place)
{
  if (!context.options.gpu.empty())
    return context.unknown_gpu(place, "the file does not name a GPU");
  context.report.assumed("GPUs are H100-SXM5", "the file names none; --gpu NAME chooses another", place);
  return "H100-SXM5";
}

std::string transformer_flow(const Transformer& t)
{
  Flow flow;
  flow.add("name", "transformer").number("layers", t.layers).number("hidden", t.hidden).number("heads", t.heads);
  flow.number("kv_heads", t.kv_heads, t.heads).number("ffn", t.ffn).number("head_width", t.head_width);
  flow.number("vocabulary", t.vocabulary).number("experts", t.experts, 1);
  flow.number("active_experts", t.active_experts, 1).number("expert_groups", t.expert_groups, 1);
  flow.number("active_groups", t.active_groups, t.expert_groups).number("shared_ffn", t.shared_ffn);
  flow.number("dense_layers", t.dense_layers).number("dense_ffn", t.dense_ffn).number("expert_step", t.expert_step, 1);
  flow.number("kv_rank", t.kv_rank).number("query_rank", t.query_rank).number("rope_width", t.rope_width);
  flow.number("value_width", t.value_width);
  for (const auto& [key, value] :
       {std::pair{"gated", t.gated}, {"biases", t.biases}, {"tied", t.tied}, {"learnt_positions", t.learnt_positions}})
    flow.add(key, value ? "true" : "false");
  return flow.flag("qkv_biases", t.qkv_biases).flag("head_norms", t.head_norms).str();
}

int size_of(double value, const std::string& what, const ImportPlace& place, ImportContext& context)
{
  if (value >= 1 && value <= 1e9 && value == std::floor(value))
    return static_cast<int>(value);
  context.report.error(place, "{} must be a whole number of at least 1", what);
  return 0;
}

void add_parallel_job(ParallelDraft d, ImportContext& context)
{
  name_model(d, context);
  machines_for(d, context);
  const bool divided = is_divisible(d.model);
  context.draft.jobs.push_back(divided ? on_its_gpus(std::move(d), context) : on_every_gpu(d));
  context.draft.ask(divided ? "how fast does this layout train, and what holds it back?"
                            : "how fast does this job train?");
}

DraftJob parallel_job(ParallelDraft d, ImportContext& context)
{
  name_model(d, context);
  return on_its_gpus(std::move(d), context);
}

} // namespace trainyard
