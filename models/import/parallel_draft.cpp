// SPDX-License-Identifier: Apache-2.0
#include "models/import/parallel_draft.hpp"

#include "models/dnn/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

void put(std::string& flow, const char* key, const std::string& value)
{
  flow += fmt::format("{}{}: {}", flow.empty() ? "" : ", ", key, value);
}

/// "{tp: 8, pp: 4, …}"
std::string layout_flow(const ParallelDraft& d)
{
  std::string flow;
  const auto number = [&](const char* key, int value, int unless) {
    if (value != unless)
      put(flow, key, std::to_string(value));
  };
  const auto word = [&](const char* key, const std::string& value) {
    if (!value.empty())
      put(flow, key, value);
  };
  number("tp", d.tp, 1);
  number("pp", d.pp, 1);
  number("vp", d.vp, 1);
  number("dp", d.dp, 0);
  number("cp", d.cp, 1);
  number("ep", d.ep, 1);
  if (d.sequence_parallel && d.tp > 1)
    put(flow, "sequence_parallel", "true");
  number("zero", d.zero, 0);
  number("shard_within", d.shard_within, 0);
  number("micro_batch", d.micro_batch, 0);
  number("global_batch", d.global_batch, 0);
  if (d.keep_batch || d.decrease_batch)
    put(flow, "keep_batch", "true");
  if (d.decrease_batch)
    put(flow, "decrease_batch", "true");
  word("recomputation", d.recomputation);
  if (!d.recomputed.empty())
    put(flow, "recompute_modules", fmt::format("[{}]", fmt::join(d.recomputed, ", ")));
  if (d.early_stop && d.recomputation == "full")
    put(flow, "early_stop", "true");
  number("mtp_layers", d.mtp_layers, 0);
  word("schedule", d.schedule);
  word("layers_per_stage", d.layers_per_stage);
  word("attention", d.attention);
  word("ring_merge", d.ring_merge);
  word("context_exchange", d.context_exchange);
  if (d.sequence_parallel && d.tp > 1)
    word("tensor_messages", d.tensor_messages);
  word("overlap_tensor", d.overlap_tensor);
  word("fused_elementwise", d.fused_elementwise);
  if (d.precision == "fp8")
    word("scaling", d.scaling);
  if (!d.stored.empty())
    put(flow, "low_precision_storage", fmt::format("[{}]", fmt::join(d.stored, ", ")));
  if (d.dropout)
    put(flow, "dropout", *d.dropout ? "true" : "false");
  if (d.offload_optimizer)
    put(flow, "offload_optimizer", "true");
  if (d.expert_tp > 0 && d.expert_tp != d.tp)
    put(flow, "expert_tp", std::to_string(d.expert_tp));
  if (d.overlap_experts && d.ep > 1)
    put(flow, "overlap_experts", "true");
  if (!d.overlap_gradients)
    put(flow, "overlap_gradients", "false");
  if (d.flat_parameters && d.zero == 3)
    put(flow, "flat_parameters", "true");
  if (d.gradient_bytes > 0)
    put(flow, "gradient_bytes", fmt::format("{:g}", d.gradient_bytes));
  return "{" + flow + "}";
}

/// Machines for the GPUs, and how many GPUs there are.
void machines_for(ParallelDraft& d, ImportContext& context)
{
  if (!context.draft.machines.empty()) { // of other files, or of another job
    if (d.gpus == 0)
      d.gpus = context.draft.gpus();
    return;
  }
  const long long of_replica = 1LL * d.tp * d.pp * d.cp;
  DraftMachines machines{.name = "node", .gpu = d.gpu, .note = to_text(d.place)};
  if (machines.gpu.empty() && !context.options.gpu.empty())
    machines.gpu = context.unknown_gpu(d.place, "the file does not name a GPU");
  if (machines.gpu.empty()) {
    machines.gpu = "H100-SXM5";
    context.report.assumed("GPUs are H100-SXM5", "the file names none; --gpu NAME chooses another", d.place);
  }
  const auto known = context.catalogue.gpus.find(machines.gpu);
  const int sold = known == context.catalogue.gpus.end() ? 8 : std::max(1, known->second.board.gpus);
  if (d.gpus == 0 && context.options.nodes > 0)
    d.gpus = static_cast<int>(std::min(1e6, 1.0 * context.options.nodes * (d.per_node > 0 ? d.per_node : sold)));
  if (d.gpus == 0) {
    d.gpus = static_cast<int>(std::min(1e6, 1.0 * static_cast<double>(of_replica) * std::max(1, d.dp)));
    if (d.dp == 0)
      context.report.assumed(fmt::format("{} GPUs, one replica", d.gpus),
                             "the file does not say how many there are; --nodes N gives the number of machines",
                             d.place);
  }
  if (d.per_node == 0) {
    machines.gpus = std::min(sold, d.gpus);
    context.report.assumed(fmt::format("{} in a machine", counted(machines.gpus, "GPU")),
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
                         fmt::format("{} replicas do not divide the global batch {} by any micro-batch; with {} "
                                     "they do (--nodes N)",
                                     d.dp, d.global_batch, near));
    return;
  }
  int largest = 0;
  for (const int micro : d.micro_batches)
    if (d.global_batch / d.dp % micro == 0)
      largest = std::max(largest, micro);
  if (largest > 0)
    d.micro_batch = largest;
}

} // namespace

int size_of(double value, const std::string& what, const ImportPlace& place, ImportContext& context)
{
  if (value >= 1 && value <= 1e9 && value == std::floor(value))
    return static_cast<int>(value);
  context.report.error(place, fmt::format("{} must be a whole number of at least 1", what));
  return 0;
}

void add_parallel_job(ParallelDraft d, ImportContext& context)
{
  constexpr int most = 100'000; // of ranks in one direction
  for (int* size : {&d.tp, &d.pp, &d.vp, &d.cp, &d.ep, &d.micro_batch, &d.accumulation, &d.dp}) {
    if (*size > most)
      context.report.error(d.place,
                           fmt::format("{} is more than a layout can have in one direction ({})", *size, most));
    *size = std::clamp(*size, size == &d.dp ? 0 : 1, most);
  }
  if (!context.options.model.empty()) {
    d.model = context.options.model;
    context.report.assumed("the job trains " + d.model, "given by --model", d.place);
  }
  if (d.model.empty()) {
    context.report.error(d.place, "the file does not name the model: give --model NAME (simrun list models), or the "
                                  "config.json of the model");
    d.model = "llama3_8b";
  }
  if (context.options.batch_per_gpu > 0)
    d.micro_batch = context.options.batch_per_gpu;
  machines_for(d, context);
  const long long of_replica = 1LL * d.tp * d.pp * d.cp;
  if (d.dp == 0)
    d.dp = static_cast<int>(std::max(1LL, d.gpus / of_replica));
  choose_micro_batch(d, context);
  if (d.global_batch == 0) {
    d.global_batch = static_cast<int>(std::min(1e8, 1.0 * d.dp * d.micro_batch * d.accumulation));
    context.report.assumed(
        fmt::format("global batch {}", d.global_batch),
        fmt::format("{} replicas x micro-batch {} x {} of them", d.dp, d.micro_batch, d.accumulation), d.place);
  }
  if (d.sequence > 0 && d.model.find("sequence_length") == std::string::npos) {
    if (d.model.front() == '{')
      d.model.insert(d.model.size() - 1, fmt::format(", sequence_length: {}", d.sequence));
    else
      d.model = fmt::format("{{name: {}, sequence_length: {}}}", d.model, d.sequence);
  }
  DraftJob job{.name = d.name.empty() ? "train" : d.name,
               .model = d.model,
               .precision = d.precision,
               .workers = static_cast<int>(std::min(1e6, 1.0 * d.dp * static_cast<double>(of_replica))),
               .parallel = layout_flow(d),
               .note = to_text(d.place)};
  context.report.understood(fmt::format("layout {}", job.parallel), d.place);
  context.draft.jobs.push_back(std::move(job));
  context.draft.fidelity = "closed_form";
  if (context.draft.question.empty())
    context.draft.question = "how fast does this layout train, and what holds it back?";
}

} // namespace trainyard
