// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/parallel/parallel_row.hpp"

namespace trainyard {

const std::vector<ResultColumn<ParallelRow>>& parallel_columns()
{
  using Row = ParallelRow;
  constexpr unsigned files = in_csv | in_json;
  static const std::vector<ResultColumn<Row>> columns = {
      {"point", &Row::point, "", "point of the scenario's sweep", files},
      {"variant", &Row::variant, "", "the curve it belongs to", files},
      {"job", &Row::job, "", "name of the job", files},
      {"model", &Row::model, "", "model that is trained", files},
      {"gpu", &Row::gpu, "", "kind of GPU", files},
      {"layout", &Row::layout, "", "how the model is divided", files},
      {"gpus", &Row::gpus, "", "GPUs that train"},
      {"step_s", [](const Row& r) { return r.step.step.value(); }, "s", "time of an optimiser step"},
      {"tokens_per_second", [](const Row& r) { return r.step.tokens_per_second; }, "/s", "tokens of all GPUs"},
      {"samples_per_second", [](const Row& r) { return r.step.samples_per_second; }, "/s", "sequences of all GPUs"},
      {"model_flop_utilisation", [](const Row& r) { return r.step.model_flop_utilisation; }, "",
       "model flop over the data sheet's peak in the precision of the job"},
      {"compute_s", [](const Row& r) { return r.step.compute.value(); }, "s",
       "kernels of forward and backward passes on the busiest rank"},
      {"host_s", [](const Row& r) { return r.step.host.value(); }, "s", "waiting for kernels to be launched"},
      {"exposed_tensor_s", [](const Row& r) { return r.step.tensor.value(); }, "s",
       "tensor-parallel collectives that nothing hides"},
      {"exposed_context_s", [](const Row& r) { return r.step.context.value(); }, "s",
       "exchange of keys and values that nothing hides"},
      {"exposed_expert_s", [](const Row& r) { return r.step.expert.value(); }, "s", "all-to-all of experts"},
      {"exposed_data_s", [](const Row& r) { return r.step.data.value(); }, "s",
       "gradients and weights between replicas that nothing hides"},
      {"bubble_s", [](const Row& r) { return r.step.bubble.value(); }, "s",
       "waiting for other stages, were messages instant"},
      {"exposed_pipeline_s", [](const Row& r) { return r.step.pipeline.value(); }, "s",
       "more of it because messages between stages take time"},
      {"optimizer_s", [](const Row& r) { return r.step.optimizer.value(); }, "s", "update of the parameters"},
      {"gpu_memory_B", [](const Row& r) { return r.step.memory.total().value(); }, "B",
       "peak memory of the rank that needs most"},
      {"weights_B", [](const Row& r) { return r.step.memory.weights.value(); }, "B", "of them weights in 16 bit"},
      {"gradients_B", [](const Row& r) { return r.step.memory.gradients.value(); }, "B", "of them gradients"},
      {"optimizer_B", [](const Row& r) { return r.step.memory.optimizer.value(); }, "B",
       "of them optimiser states and master weights"},
      {"activations_B", [](const Row& r) { return r.step.memory.activations.value(); }, "B",
       "of them activations of all micro-batches in flight"},
      {"other_B",
       [](const Row& r) { return (r.step.memory.transient + r.step.memory.buffers + r.step.memory.context).value(); },
       "B", "of them logits, recomputed layers, buffers, driver"},
      {"installed_B", [](const Row& r) { return r.installed.value(); }, "B", "memory of a GPU", files},
      {"goodput", [](const Row& r) { return r.failures ? r.failures->goodput.share() : 1.0; }, "",
       "share of the time that is kept training, with failures and checkpoints"},
      {"useful_tokens_per_second",
       [](const Row& r) { return r.step.tokens_per_second * (r.failures ? r.failures->goodput.share() : 1.0); }, "/s",
       "goodput x tokens_per_second"},
      {"failures", [](const Row& r) { return r.failures ? 1.0 * r.failures->goodput.failures : 0.0; }, "",
       "that stopped the job"},
      {"checkpoint_interval_s",
       [](const Row& r) {
         return r.failures && r.failures->interval.value() < 1e17 ? r.failures->interval.value() : 0.0;
       },
       "s", "training between two checkpoints; 0: none are written"},
      {"checkpoint_s", [](const Row& r) { return r.failures ? r.failures->save.value() : 0.0; }, "s",
       "training stands still for a checkpoint"},
      {"price_per_million_samples_usd", &Row::price_per_million_samples, "$", "price of the job's machines"},
      {"fidelity", &Row::fidelity, "", "closed_form, or who ran the messages on the links", files},
      {"bottleneck", [](const Row& r) { return r.step.bottleneck; }, "", "the largest part besides compute", files},
  };
  return columns;
}

} // namespace trainyard
