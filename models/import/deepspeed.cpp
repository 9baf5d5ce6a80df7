// SPDX-License-Identifier: Apache-2.0
// The configuration file of DeepSpeed. Keys and defaults: its documentation, "DeepSpeed Configuration JSON".
#include "models/core/json.hpp"
#include "models/core/key_fates.hpp"
#include "models/import/parallel_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace trainyard {
namespace {

/// Numbers with more divisors than any smaller one, as far as DeepSpeed knows them.
constexpr std::array<long long, 38> many_divisors{
    1,     2,     4,     6,      12,     24,     36,     48,     60,     120,    180,    240,   360,
    720,   840,   1260,  1680,   2520,   5040,   7560,   10080,  15120,  20160,  25200,  27720, 45360,
    50400, 55440, 83160, 110880, 166320, 221760, 277200, 332640, 498960, 554400, 665280, 720720};

/// Keys that this reader does not use; those of a part stand behind its name.
constexpr std::array deepspeed_fates{
    KeyFate{"zero_optimization.contiguous_gradients zero_optimization.reduce_bucket_size "
            "zero_optimization.allgather_bucket_size zero_optimization.allgather_partitions "
            "zero_optimization.reduce_scatter zero_optimization.sub_group_size zero_optimization.stage3_prefetch* "
            "zero_optimization.stage3_max_* zero_optimization.stage3_param_persistence_threshold "
            "zero_optimization.stage3_model_persistence_threshold zero_optimization.prefetch_bucket_size "
            "zero_optimization.param_persistence_threshold zero_optimization.model_persistence_threshold "
            "zero_optimization.max_* zero_optimization.round_robin_gradients zero_optimization.module_granularity* "
            "zero_optimization.use_multi_rank_bucket_allreduce zero_optimization.fast_sharding_for_leaf_module "
            "zero_optimization.use_all_reduce_for_fetch_params zero_optimization.mics_hierarchical*",
            "sizes of messages are not modelled: gradients and weights travel in pieces of a layer"},
    KeyFate{"zero_optimization.zero_quantized_* zero_optimization.zero_hpz_partition_size "
            "zero_optimization.zeropp_* zero_optimization.pipeline_loading_checkpoint",
            "not modelled: weights are gathered from all ranks, in 16 bit, and gradients are sent as below"},
    KeyFate{"zero_optimization.zenflow* zero_optimization.memory_efficient_linear zero_optimization.super_offload* "
            "zero_optimization.cpu_offload_use_pin_memory",
            "not modelled: the step of the optimiser is a plain one"},
    KeyFate{"zero_optimization.offload_optimizer.ratio", "not modelled: all states lie on the host"},
    KeyFate{"zero_optimization.*", harmless_key},
    KeyFate{"pipeline.* tensor_parallel.*", "not modelled: stages and matrices are divided evenly"},
    KeyFate{"elasticity.*", "not modelled: the batch is chosen as above"},
    KeyFate{"optimizer.* fp16.* bf16.* bfloat16.*", harmless_key},
    KeyFate{"activation_checkpointing.partition_activations activation_checkpointing.cpu_checkpointing "
            "activation_checkpointing.contiguous_memory_optimization activation_checkpointing.synchronize*",
            "not modelled: what the forward pass keeps lies whole on each GPU"},
    KeyFate{"activation_checkpointing.*", harmless_key},
    KeyFate{"sparse_gradients sparse_attention progressive_layer_drop curriculum_learning data_efficiency "
            "compression_training quantize_training random_ltd eigenvalue",
            "not modelled: all layers train on whole sequences, and send whole gradients"},
    KeyFate{"compile communication comms_config use_node_local_storage hybrid_engine torch_autocast amp",
            "not modelled: kernels and messages are those of plain DeepSpeed"},
    KeyFate{"gradient_clipping prescale_gradients gradient_predivide_factor steps_per_print wall_clock_breakdown "
            "scheduler flops_profiler tensorboard wandb csv_monitor comet comms_logger dump_state memory_breakdown "
            "monitor_config zero_allow_untested_optimizer zero_force_ds_cpu_optimizer checkpoint aio nebula "
            "data_types autotuning dataloader_drop_last disable_allgather seed inference* load_universal_checkpoint "
            "timers max_grad_norm seq_parallel_communication_data_type graph_harvesting _comment* comment* version",
            harmless_key},
};

/// What DeepSpeed's `elasticity` asks for.
struct Elasticity {
  std::set<int> micro_batches;
  int most_sequences = 0;
  int fewest = 1; // replicas
  int most = 10'000;
  bool prefer_larger = true;
};

/// The global batch, and the numbers of replicas that divide it.
struct ElasticBatch {
  long long batch = 0;
  std::set<int> replicas;
};

std::set<int> divisors(long long number, int fewest, int most)
{
  std::set<int> found;
  for (long long one = 1; one * one <= number; ++one)
    if (number % one == 0)
      for (const long long divisor : {one, number / one})
        if (divisor >= fewest && divisor <= most)
          found.insert(static_cast<int>(divisor));
  return found;
}

/// Of each micro-batch and of their least common multiple, the largest product with one of `many_divisors` that is no
/// larger than allowed; of these the batch that the most numbers of replicas divide (DeepSpeed,
/// deepspeed/elasticity/elasticity.py, _get_compatible_gpus_v01).
ElasticBatch elastic_batch(const Elasticity& asked)
{
  std::set<long long> bases{asked.micro_batches.begin(), asked.micro_batches.end()};
  long long common = 1;
  for (const int micro : asked.micro_batches)
    if (common <= asked.most_sequences)
      common = std::lcm(common, micro);
  bases.insert(common);
  ElasticBatch best;
  for (const long long base : bases) {
    long long batch = 0; // a base that is larger than allowed gives none
    for (const long long factor : many_divisors)
      if (factor <= asked.most_sequences / base)
        batch = base * factor;
    std::set<int> replicas;
    for (const int micro : asked.micro_batches)
      if (batch % micro == 0)
        replicas.merge(divisors(batch / micro, asked.fewest, asked.most));
    const bool preferred = asked.prefer_larger ? batch > best.batch : batch < best.batch;
    if (replicas.size() > best.replicas.size() || (replicas.size() == best.replicas.size() && preferred))
      best = {batch, std::move(replicas)};
  }
  return best;
}

class DeepSpeedReader
{
public:
  DeepSpeedReader(const InputFile& file, ImportContext& context)
      : file_{file.name()}, json_{parse_json(file.text(), file.name())}, context_{context}
  {
  }

  void read()
  {
    if (json_.kind != Json::Kind::object) {
      context_.report.error({file_, 1}, "a configuration of DeepSpeed is a JSON object");
      return;
    }
    ParallelDraft d;
    d.name = "deepspeed";
    d.place = {file_, json_.line};
    const int micro = number(json_, "train_micro_batch_size_per_gpu");
    const int accumulation = number(json_, "gradient_accumulation_steps");
    const int batch = number(json_, "train_batch_size");
    const DraftLaunch& launched = context_.draft.launched; // "auto" is what the arguments say
    d.micro_batch = std::max(1, is_auto(json_, "train_micro_batch_size_per_gpu") ? launched.micro_batch : micro);
    d.accumulation = std::max(1, is_auto(json_, "gradient_accumulation_steps") ? launched.accumulation : accumulation);
    d.recomputation = launched.recomputation;
    if (const Json* tensor = part("tensor_parallel"); tensor != nullptr) {
      d.tp = std::max({1, number(*tensor, "autotp_size"), number(*tensor, "tp_size")});
      tell_rest("tensor_parallel", *tensor, {"autotp_size", "tp_size"});
    }
    if (const Json* pipeline = part("pipeline"); pipeline != nullptr) {
      d.pp = std::max(1, number(*pipeline, "stages"));
      tell_rest("pipeline", *pipeline, {"stages"});
    }
    if (const int ranks = number(json_, "sequence_parallel_size"); ranks > 1) { // Ulysses
      d.cp = ranks;
      d.context_exchange = "a2a";
    }
    zero(d);
    precision(d);
    optimizer(d);
    if (const Json* recompute = part("activation_checkpointing"); recompute != nullptr) {
      tell_rest("activation_checkpointing", *recompute, {});
      d.recomputation = "full";
      context_.report.assumed("whole layers are computed again",
                              "activation_checkpointing only says how; the model's code says where",
                              {file_, recompute->line});
    }
    if (context_.options.nodes == 0 && launched.gpus == 0 && batch > 0 && micro > 0 &&
        batch % (1LL * d.micro_batch * d.accumulation) == 0)
      d.dp = static_cast<int>(batch / (1LL * d.micro_batch * d.accumulation)); // else it follows from the machines
    if (batch > 0)
      d.global_batch = batch;
    elastic(d);
    for (const auto& [key, member] : json_.members)
      if (!used_.contains(key))
        context_.report.ignored(clean_text(key).substr(0, 60), fate_of(key, deepspeed_fates), {file_, member.line});
    add_parallel_job(std::move(d), context_);
  }

private:
  /// An object of the file.
  const Json* part(const char* name)
  {
    const Json* found = json_.find(name);
    const bool is_part = found != nullptr && found->kind == Json::Kind::object;
    if (found != nullptr && !is_part && !used_.contains(name))
      context_.report.ignored(name, "an object is expected", {file_, found->line});
    used_.insert(name);
    return is_part ? found : nullptr;
  }

  static bool is_auto(const Json& object, const char* name)
  {
    const Json* found = object.find(name);
    return found != nullptr && found->kind == Json::Kind::text && found->string == "auto";
  }

  /// 0 where it is not there, or left to the framework around DeepSpeed ("auto").
  int number(const Json& object, const char* name)
  {
    used_.insert(name);
    const Json* found = object.find(name);
    if (found == nullptr)
      return 0;
    const ImportPlace place{file_, found->line};
    if (is_auto(object, name)) {
      const DraftLaunch& launched = context_.draft.launched;
      const std::string_view key = name;
      if ((key == "train_micro_batch_size_per_gpu" && launched.micro_batch > 0) ||
          (key == "gradient_accumulation_steps" && launched.accumulation > 0))
        context_.report.understood(place, "{} \"auto\": what the script says", name);
      else
        context_.report.ignored(name, "\"auto\": the framework around DeepSpeed fills it in", place);
      return 0;
    }
    const int value = size_of(found->kind == Json::Kind::number ? found->value : -1, name, place, context_);
    if (value > 0)
      context_.report.understood(place, "{} {}", name, value);
    return value;
  }

  /// The keys of a part that are not among @p read.
  void tell_rest(const std::string& name, const Json& object, const std::set<std::string, std::less<>>& read)
  {
    for (const auto& [key, member] : object.members)
      if (const std::string path = name + "." + key; !read.contains(key))
        context_.report.ignored(clean_text(path).substr(0, 80), fate_of(path, deepspeed_fates), {file_, member.line});
  }

  void zero(ParallelDraft& d)
  {
    if (const Json* old = json_.find("zero_optimization"); old != nullptr && old->kind == Json::Kind::boolean) {
      used_.insert("zero_optimization");
      d.zero = old->flag ? 1 : 0; // deepspeed/runtime/zero/config.py, read_zero_config_deprecated
      context_.report.understood({file_, old->line}, "ZeRO stage {}", d.zero);
      d.overlap_gradients = false;
    }
    const Json* zero = part("zero_optimization");
    if (zero == nullptr)
      return;
    if (const Json* stage = zero->find("stage"); stage != nullptr) {
      const bool known = stage->kind == Json::Kind::number &&
                         (stage->value == 0 || stage->value == 1 || stage->value == 2 || stage->value == 3);
      if (known) {
        d.zero = static_cast<int>(stage->value);
        context_.report.understood({file_, stage->line}, "ZeRO stage {}", d.zero);
      } else {
        context_.report.error({file_, stage->line}, "the stage of ZeRO is 0, 1, 2 or 3");
      }
    }
    if (const int within = zero->find("mics_shard_size") != nullptr ? number(*zero, "mics_shard_size") : 0;
        within > 1 && d.zero == 3)
      d.shard_within = within;
    if (const Json* overlap = zero->find("overlap_comm"); overlap != nullptr && overlap->kind == Json::Kind::boolean) {
      d.overlap_gradients = overlap->flag;
      context_.report.understood({file_, overlap->line}, "overlap_comm {}", overlap->flag);
    } else {
      d.overlap_gradients = d.zero == 3; // its default
    }
    offload(*zero, d);
    tell_rest("zero_optimization", *zero,
              {"stage", "overlap_comm", "offload_optimizer", "offload_param", "cpu_offload", "cpu_offload_params",
               "cpu_offload_param", "mics_shard_size"});
  }

  void offload(const Json& zero, ParallelDraft& d)
  {
    // The second of each is the old name: true is a device of "cpu".
    for (const auto& [name, is_optimizer] : {std::pair{"offload_optimizer", true},
                                             {"cpu_offload", true},
                                             {"offload_param", false},
                                             {"cpu_offload_params", false},
                                             {"cpu_offload_param", false}}) {
      const Json* part = zero.find(name);
      if (part == nullptr || (part->kind != Json::Kind::object && part->kind != Json::Kind::boolean))
        continue;
      const Json* device = part->find("device");
      const std::string to = part->kind == Json::Kind::boolean                       ? (part->flag ? "cpu" : "none")
                             : device != nullptr && device->kind == Json::Kind::text ? device->string
                                                                                     : "a device without name";
      const ImportPlace place{file_, part->line};
      tell_rest(std::string{"zero_optimization."} + name, *part, {"device"});
      if (to == "none") {
        context_.report.understood(place, "{} to none: nothing leaves the GPU", name);
      } else if (to == "cpu" && d.zero > 0 && is_optimizer) {
        d.offload_optimizer = true;
        context_.report.understood("optimiser states in the memory of the host", place);
      } else {
        context_.report.ignored(name,
                                {"what would lie on {} is kept on the GPU here: the job needs more GPU memory "
                                 "here than there{}",
                                 clean_text(to).substr(0, 30),
                                 d.zero == 0 ? "; DeepSpeed offloads from stage 1 on" : ""},
                                place);
      }
    }
  }

  /// The global batch of `elasticity` counts instead of the file's own. From version 0.2 on it counts machines.
  void elastic(ParallelDraft& d)
  {
    const Json* found = part("elasticity");
    if (found == nullptr)
      return;
    const ImportPlace place{file_, found->line};
    tell_rest("elasticity", *found,
              {"enabled", "num_gpus_per_node", "model_parallel_size", "max_train_batch_size", "min_gpus", "max_gpus",
               "micro_batch_sizes", "prefer_larger_batch"});
    const Json* enabled = found->find("enabled");
    if (enabled == nullptr || !enabled->flag) {
      context_.report.understood("elasticity is not enabled", place);
      return;
    }
    const auto read = [&](const char* name, int otherwise) {
      return found->find(name) != nullptr ? std::max(1, number(*found, name)) : otherwise;
    };
    const int of_machine = read("num_gpus_per_node", 1), of_replica = read("model_parallel_size", 1);
    Elasticity asked;
    asked.most_sequences = read("max_train_batch_size", 0);
    asked.fewest = read("min_gpus", asked.fewest);
    asked.most = read("max_gpus", asked.most);
    if (const Json* list = found->find("micro_batch_sizes"); list != nullptr)
      for (const Json& micro : list->items)
        asked.micro_batches.insert(size_of(micro.kind == Json::Kind::number ? micro.value : -1, "micro_batch_sizes",
                                           {file_, list->line}, context_));
    asked.micro_batches.erase(0); // no size
    if (const Json* larger = found->find("prefer_larger_batch"); larger != nullptr)
      asked.prefer_larger = larger->flag;
    constexpr std::size_t most_sizes = 30;
    const int in_machine = of_machine / of_replica; // replicas
    if (asked.most_sequences == 0 || asked.micro_batches.empty() || asked.micro_batches.size() > most_sizes)
      context_.report.error(place, "elasticity needs max_train_batch_size, and from 1 to {} micro_batch_sizes",
                            most_sizes);
    else if (of_machine % of_replica != 0)
      context_.report.error(place, "model_parallel_size must divide num_gpus_per_node");
    else
      elastic(d, asked, of_machine, in_machine, place);
  }

  void elastic(ParallelDraft& d, Elasticity asked, int of_machine, int in_machine, const ImportPlace& place)
  {
    asked.most_sequences /= in_machine;
    asked.fewest = std::max(1, asked.fewest / of_machine);
    asked.most /= of_machine;
    const ElasticBatch made = elastic_batch(asked);
    if (made.replicas.empty()) {
      context_.report.error(place, "elasticity: no number of GPUs from min_gpus to max_gpus divides a global batch of "
                                   "these micro-batches; allow more GPUs or a larger batch");
      return;
    }
    if (d.tp * d.pp == 1 && of_machine > in_machine) {
      d.tp = of_machine / in_machine;
      context_.report.assumed({"tp {}", d.tp}, "model_parallel_size of elasticity", place);
    }
    for (const int machines : made.replicas)
      d.replicas.push_back(machines * in_machine);
    d.global_batch = static_cast<int>(made.batch * in_machine);
    d.keep_batch = true;
    d.micro_batches = {asked.micro_batches.begin(), asked.micro_batches.end()};
    d.dp = context_.options.nodes == 0 && context_.draft.launched.gpus == 0 && context_.draft.machines.empty()
               ? d.replicas.front()
               : 0;
    context_.report.understood(place, "elasticity: global batch {}, which {} from {} to {} divide", d.global_batch,
                               counted(static_cast<int>(d.replicas.size()), "number") + " of replicas",
                               d.replicas.front(), d.replicas.back());
    if (d.dp > 0)
      context_.report.assumed({"{} replicas", d.dp}, "the fewest of elasticity; --nodes N gives the number of machines",
                              place);
    context_.report.assumed("the micro-batch stays when replicas come and go",
                            "DeepSpeed takes the largest that divides; checkpoints: {elastic: true} lets the job go on "
                            "with fewer replicas after a failure",
                            place);
  }

  void precision(ParallelDraft& d)
  {
    const std::string& said = context_.draft.launched.precision;
    enum { off, open, on }; // open: left to the framework around DeepSpeed
    const auto enabled = [&](const char* name) {
      if (const Json* flag = json_.find(name); flag != nullptr && flag->kind == Json::Kind::boolean) {
        used_.insert(name);
        return flag->flag ? on : off;
      }
      const Json* found = part(name);
      if (found != nullptr)
        tell_rest(
            name, *found,
            {"enabled", "bf16_master_weights_and_grads", "fp16_master_weights_and_grads", "bf16_optimizer_states"});
      const Json* flag = found == nullptr ? nullptr : found->find("enabled");
      const bool left = flag != nullptr && flag->string == "auto"; // to the arguments
      if (left && said.empty())
        return open;
      return flag != nullptr && (flag->flag || (left && said == (name[0] == 'b' ? "bf16" : "fp16"))) ? on : off;
    };
    const auto bf16 = std::max(enabled("bf16"), enabled("bfloat16")), fp16 = enabled("fp16");
    d.precision = fp16 > bf16 ? "fp16" : "bf16";
    d.gradient_bytes = bf16 + fp16 > 0 ? 2 : 4; // gradients are sent as they are computed
    const auto says = [&](const Json* object, const char* name) -> const Json* {
      return object == nullptr ? nullptr : object->find(name);
    };
    used_.insert("communication_data_type");
    used_.insert("fp32_allreduce");
    const Json *type = json_.find("communication_data_type"), *wide = json_.find("fp32_allreduce");
    if ((type != nullptr && type->string == "fp32") || (wide != nullptr && wide->flag))
      d.gradient_bytes = 4;
    else if (type != nullptr && (type->string == "fp16" || type->string == "bf16" || type->string == "bfp16"))
      d.gradient_bytes = 2;
    if (type != nullptr || wide != nullptr)
      context_.report.understood({file_, (type != nullptr ? type : wide)->line}, "gradients of {:g} bytes in messages",
                                 d.gradient_bytes);
    const Json* half = fp16 > bf16 ? json_.find("fp16") : json_.find("bf16");
    for (const char* name : {"bf16_master_weights_and_grads", "fp16_master_weights_and_grads"})
      if (const Json* found = says(half, name); found != nullptr && found->flag) {
        d.master_weights = false;
        d.moment_bytes = 4;
        context_.report.understood(name, {file_, found->line});
      }
    if (const Json* found = says(half, "bf16_optimizer_states"); found != nullptr && found->flag) {
      d.moment_bytes = 4;
      context_.report.understood("bf16_optimizer_states", {file_, found->line});
    }
    if (bf16 + fp16 == 0)
      context_.report.assumed("products in bf16", "the file turns on neither bf16 nor fp16; fp32 is not modelled",
                              {file_, json_.line});
    else if (std::max(bf16, fp16) == open)
      context_.report.assumed("products in " + d.precision, "\"auto\": the framework around DeepSpeed fills it in",
                              {file_, json_.line});
    else
      context_.report.understood(d.precision, {file_, json_.line});
  }

  /// Adam has a mean and a variance of each parameter; others have one, or send less.
  void optimizer(ParallelDraft& d)
  {
    const Json* found = part("optimizer");
    if (found != nullptr)
      tell_rest("optimizer", *found, {"type"});
    const Json* type = found == nullptr ? nullptr : found->find("type");
    if (type == nullptr || type->kind != Json::Kind::text)
      return;
    const std::string name = lower_case(type->string);
    const ImportPlace place{file_, type->line};
    if (name.find("onebit") != std::string::npos || name.find("zeroone") != std::string::npos)
      context_.report.assumed("gradients are sent whole, as before the optimiser begins to compress them",
                              clean_text(type->string).substr(0, 40) + " sends one bit a gradient later", place);
    if (name == "sgd" || name == "lion" || name == "adagrad" || name == "muon")
      d.moment_bytes = 4;
    context_.report.understood("optimizer " + clean_text(type->string).substr(0, 40), place);
  }

  std::string file_;
  Json json_;
  ImportContext& context_;
  std::set<std::string> used_;
};

class DeepSpeed final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    const std::size_t start = head.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || head[start] != '{')
      return false;
    return file.has("\"zero_optimization\"") || file.has("\"train_micro_batch_size_per_gpu\"") ||
           file.has("\"train_batch_size\"");
  }
  std::string description() const override { return "configuration of DeepSpeed"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"{\"train_micro_batch_size_per_gpu\": 1, \"KEY\": 7}", deepspeed_fates}};
  }
  void read(const InputFile& file, ImportContext& context) const override { DeepSpeedReader{file, context}.read(); }
};

TY_REGISTER(Importer, DeepSpeed, "deepspeed", "DeepSpeed's JSON: ZeRO stage, batch, precision; with --model");

} // namespace
} // namespace trainyard
