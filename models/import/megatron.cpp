// SPDX-License-Identifier: Apache-2.0
// Launch arguments of Megatron-LM, in a text file or in the shell script that starts it. Names and defaults:
// megatron/training/arguments.py; of older versions and of Megatron-DeepSpeed: their megatron/arguments.py.
#include "models/core/text.hpp"
#include "models/import/launch_keys.hpp"
#include "models/import/launch_script.hpp"
#include "models/import/parallel_draft.hpp"
#include "models/parallel/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

namespace trainyard {
namespace {

/// Arguments that this reader does not use.
constexpr std::array megatron_fates{
    KeyFate{"rampup-batch-size", "the batch at the end of the ramp counts"},
    KeyFate{"window-size window-attn-skip-freq sliding-window*", "attention is counted over the whole sequence"},
    KeyFate{"moe-expert-capacity-factor moe-pad-expert-input-to-capacity moe-token-drop-policy moe-aux-loss-coeff "
            "moe-router-load-balancing-type moe-router-force-load-balancing moe-train-capacity-factor "
            "moe-eval-capacity-factor moe-min-capacity",
            "not modelled: every expert gets the mean number of tokens, and none is dropped"},
    KeyFate{
        "moe-grouped-gemm moe-token-dispatcher-type moe-permute-fusion moe-enable-deepep moe-flex-dispatcher-backend "
        "moe-use-legacy-grouped-gemm moe-router-padding-for-* moe-router-fusion moe-deepep-num-sms "
        "moe-hybridep-num-sms moe-shared-expert-overlap moe-extended-tp moe-use-upcycling "
        "moe-latent-size moe-tp-expert-parallel use-tutel moe-expert-parallel-size-*",
        "not modelled: tokens reach their experts by fused kernels and one all-to-all each way"},
    KeyFate{
        "distribute-saved-activations distribute-checkpointed-activations checkpoint-in-cpu contigious-checkpointing "
        "partition-activations synchronize-each-layer profile-backward cpu-offloading* "
        "fine-grained-activation-offloading offload-modules activation-offload* min-offloaded-tensor-size",
        "not modelled: what the forward pass keeps lies whole on each GPU"},
    KeyFate{"checkpoint-num-layers activations-checkpoint-num-layers",
            "has no effect here: no layer is computed again, or all are"},
    KeyFate{"optimizer-offload-fraction overlap-cpu-optimizer-d2h-h2d use-torch-optimizer-for-cpu-offload "
            "no-pin-cpu-* remote-device",
            "not modelled: optimiser states lie on the host whole, or not at all"},
    KeyFate{"main-params-dtype use-precision-aware-optimizer store-param-remainders",
            "not modelled: the optimiser's own weights are in fp32"},
    KeyFate{"fp8-param-gather fp4-param-gather fp8-param* keep-fp8-transpose-cache* fp8-wgrad no-fp8-wgrad "
            "first-last-layers-bf16 num-layers-at-start-in-bf16 num-layers-at-end-in-bf16 fp8-dot-product-attention "
            "fp8-multi-head-attention fp8-output-proj reuse-grad-buf-for-mxfp8-param-ag fp4-recipe fp8-interval "
            "fp8-margin fp8-amax* fp8-quantizer* transformer-engine-precision* te-precision-config-file "
            "kitchen-*",
            "not modelled: all products of layers are in the precision above, weights are gathered in 16 bit"},
    KeyFate{"ddp-bucket-size ddp-num-buckets ddp-average-in-collective ddp-pad-buckets-for-high-nccl-busbw "
            "ddp-reduce-scatter-with-fp32-accumulation suggested-communication-unit-size fsdp-double-buffer "
            "overlap-param-gather-with-optimizer-step delay-grad-reduce no-align-grad-reduce no-align-param-gather "
            "align-grad-reduce align-param-gather check-weight-hash* fsdp-manual-registration",
            "not modelled: gradients and weights are sent in pieces of a layer"},
    KeyFate{"nccl-ub use-nccl-ub use-sharp sharp-* nccl-communicator-config-path use-tp-pp-dp-mapping high-priority-* "
            "tp-comm-overlap-* tp-comm-bulk-* tp-comm-split-* disable-tp-comm-* disable-symmetric-registration "
            "tp-comm-bootstrap-backend create-all-gather-group hierarchical-context-parallel-sizes "
            "max-seqlen-per-dp-cp-rank hybrid-context-parallel "
            "no-scatter-gather-tensors-in-pipeline scatter-gather-tensors-in-pipeline",
            "not modelled: messages go as NCCL sends them, tensor-parallel ranks beside each other"},
    KeyFate{"overlap-p2p-communication no-overlap-p2p-communication overlap-p2p-communication-warmup-flush "
            "batch-p2p-communication delay-wgrad-compute defer-embedding-wgrad-compute wgrad-deferral-limit "
            "microbatch-group-size-per-virtual-pipeline-stage pipeline-model-parallel-split-rank "
            "pipeline-model-parallel-comm-backend pipeline-model-parallel-layout "
            "deallocate-pipeline-outputs variable-seq-lengths ep-overlap-early-attn-memory-release "
            "mpmd-* hybrid-*-schedule enable-zbh1-* allow-zero-bubble enable-zero-bubble zero-bubble-* enable-vocab-*",
            "not modelled: the schedule above counts, messages between stages travel beside other work"},
    KeyFate{"no-gradient-accumulation-fusion no-masked-softmax-fusion no-persist-layer-norm cross-entropy-loss-fusion "
            "cross-entropy-fusion-impl no-rope-fusion* enable-cuda-graph cuda-graph-* external-cuda-graph "
            "transformer-impl use-legacy-models use-mcore-models spec disable-jit-fuser use-te-activation-func "
            "use-transformer-engine-op-fuser apply-rope-fusion bias-* use-fused-* deterministic-mode use-kitchen "
            "batch-invariant-mode jit-* torch-compile inprocess-restart* use-fused-rmsnorm use-rotary-v2 "
            "use-flash-attn-*",
            "not modelled: kernels are those of Megatron-Core with Transformer Engine"},
    KeyFate{"attention-softmax-in-fp32 apply-query-key-layer-scaling no-query-key-layer-scaling "
            "fp32-residual-connection fp16-lm-cross-entropy calculate-per-token-loss "
            "qk-clip* log-max-attention-logit",
            "not modelled: values between layers are in 16 bit, losses and gradients as above"},
    KeyFate{"mamba-* is-hybrid-model hybrid-* linear-attention-* experimental-attention-variant dsa-* "
            "heterogeneous-layers-config-* attention-output-gate gated-linear-unit* mup* "
            "hyper-connection* num-residual-streams enable-hyper-connections use-mhc*",
            "not modelled: all layers have attention and a feed-forward network of the same size"},
    KeyFate{"cross-attention* retro-* encoder-num-layers decoder-num-layers vision-* img-* patch-dim image-* "
            "dino-* biencoder-* bert-* titles-data-path ict-* query-in-block-prob use-one-sent-docs evidence-data-path "
            "retriever-* indexer-* swin-* block-data-path embedding-path language-model-type "
            "num-channels num-classes mask-* iter-per-epoch classes-fraction data-per-class-fraction no-data-sharding "
            "head-lr-mult",
            "not modelled: the model is a decoder for text"},
    KeyFate{"inference-* enable-chunked-prefill flash-decode max-tokens-to-oom output-bert-embeddings "
            "perform-rl-step rl-* grpo-* langrl-* sft* use-dist-ckpt-deprecated",
            "not modelled: the step is one of pre-training"},
    KeyFate{"lr lr-* min-lr warmup* adam-* sgd-momentum muon-* weight-decay* start-weight-decay end-weight-decay "
            "clip-grad override-opt* use-checkpoint-opt* decoupled-* loss-scale* initial-loss-scale min-loss-scale "
            "hysteresis seed data-parallel-random-init init-method-* embedding-init-method-* use-cpu-initialization "
            "no-initialization te-rng-tracker inference-rng-tracker apply-residual-connection-post-layernorm "
            "norm-epsilon layernorm-epsilon apply-layernorm-1p normalization rotary-* no-rope-freq use-rope-scaling "
            "rope-* mscale* mrope-section original-max-position-embeddings beta-fast beta-slow "
            "openai-gelu onnx-safe squared-relu glu-linear-offset "
            "activation-func-clamp-value add-bias-linear "
            "qk-l2-norm softmax-type scale-embedding* use-embedding-scaling",
            harmless_key},
    KeyFate{
        "train-* eval-* exit-* skip-train start-* iterations-* full-validation multiple-validation-sets log-* "
        "no-log-* tensorboard-* wandb-* one-logger-* enable-one-logger app-tag-run-* barrier-with-L1-time profile* "
        "pytorch-profiler* use-pytorch-profiler record-memory-history memory-snapshot-path timing-* save* no-save-* "
        "load* no-load-* pretrained-checkpoint finetune ckpt-* async-* auto-detect-ckpt-format dist-ckpt-* "
        "use-dist-ckpt* use-checkpoint-args exit-on-missing-checkpoint non-persistent-* replication* "
        "verify-integrity strict-* use-persistent-ckpt-worker no-use-tokenizer-* tokenizer-* tiktoken-* vocab-file "
        "merge-file "
        "vocab-extra-ids trim-* null-tokenizer* data-* split train-data-path valid-data-path test-data-path "
        "per-split-data-args-path mmap-* no-mmap-* mock-data mid-level-* reset-* eod-mask-loss short-seq-prob "
        "num-workers dataloader-type no-create-attention-mask-in-dataloader create-attention-mask-in-dataloader "
        "num-dataset-builder-threads object-storage-cache-path s3-cache-path defer-npy-index-mmap "
        "retro-cyclic* disable-* adlr-autoresume* check-for-* no-check-for-* rerun-* error-injection-* "
        "distributed-* local-rank lazy-mpu-init account-* manual-gc* empty-unused-memory-level "
        "use-ring-exchange-p2p use-gloo-process-groups disable-gloo-process-groups standalone-* "
        "config-logger-dir yaml-cfg enable-msc enable-ft-package ft-* calc-ft-timeouts run-workload-inspector-* "
        "straggler-* enable-straggler* result-rejected* stable-* moe-per-layer-logging "
        "moe-router-* moe-z-loss-coeff moe-input-jitter-eps moe-upcycling* moe-apply-probs-on-input "
        "mtp-loss-scaling-factor exp-* overlap-grad-reduce-* use-precision-* fake-* "
        "DDP-impl use-contiguous-buffers-in-local-ddp no-contiguous-buffers-in-local-ddp dump-* "
        "high-* trust-remote-code legacy-tokenizer metadata-path sync-tp-* tee-output result-* verbose",
        harmless_key},
    KeyFate{"expert-tensor-parallel-size", "has no effect without experts"},
    KeyFate{"vocab-size", "--padded-vocab-size says how large it is in the end"},
    KeyFate{"inprocess-* no-one-logger no-barrier-with-level-1-timing logging-level use-mp-args-from-checkpoint-args "
            "no-ckpt-fully-parallel-save no-strict-* distrib-optim-* no-manual-gc-eval init-model-with-meta-device "
            "sample-rate allow-ambiguous-pad-tokens test-mode decoder-seq-length",
            harmless_key},
    KeyFate{"abort-on-* codecarbon-dir skip-train-iteration-range kill-switch-path "
            "eval-only data-impl",
            harmless_key},
    KeyFate{"pp-partition-method partition-method embed-layernorm data-efficiency* random-ltd* curriculum-learning* "
            "create-moe-param-group mlp-type teacher-* kd* mos use-one-* no-gradient-reduce-div-fusion "
            "enable-full-sharding-in-hsdp no-clone-scatter-output-in-embedding",
            "not modelled: it is taken as without the flag"},
    launcher_fate,
    hostfile_fate,
    excluded_fate,
    binding_fate,
    variables_fate,
};

class MegatronReader
{
public:
  MegatronReader(const InputFile& file, ImportContext& context)
      : file_{file.name()}, text_{file.text()}, options_{options_of_ranks(text_, file_, context.report)},
        batch_{sbatch_request(options_, file_, context.report, read_options_)},
        arguments_{text_,
                   options_.empty() ? std::map<std::string, std::string>{} : batch_.variables(),
                   {"recompute-modules", "cp-comm-type", "num-experts"}},
        keys_{file_, context, LaunchKeys::Kind::arguments}, context_{context}
  {
    arguments_.put_into(keys_);
  }

  void read()
  {
    ParallelDraft d;
    d.place = {file_, 0};
    d.name = "megatron";
    gpus(d);
    layout(d);
    batch(d);
    precision(d);
    recomputation(d);
    d.own = model(d);
    for (const char* other : {"pretrain_bert", "pretrain_t5", "pretrain_ict", "pretrain_vision", "pretrain_retro"})
      if (text_.find(other) != std::string::npos)
        context_.report.assumed(
            "the model is a decoder of these dimensions, as GPT is",
            {"{} trains another, whose attention sees all tokens, or which has further parts", other}, d.place);
    keys_.tell_rest(megatron_fates);
    for (const SbatchOption& option : options_)
      if (!read_options_.contains(option.name))
        context_.report.ignored("#SBATCH --" + clean_text(option.name).substr(0, 60),
                                "the machines are this job's own; nothing waits for them", {file_, option.line});
    arguments_.tell(file_, context_.report);
    const long long places = 1LL * d.tp * d.pp * copies_;
    if (copies_ > 1 && d.gpus > 0 && d.gpus % places == 0)
      d.shard_within = static_cast<int>(d.gpus / places);
    add_parallel_job(std::move(d), context_);
  }

private:
  /// Options of sbatch; of a heterogeneous job those of the first component with GPUs.
  static std::vector<SbatchOption> options_of_ranks(const std::string& text, const std::string& file,
                                                    ImportReport& report)
  {
    const std::vector<std::vector<SbatchOption>> all = sbatch_components(text, file, report);
    const auto found = std::ranges::find_if(all, [](const std::vector<SbatchOption>& options) {
      return std::ranges::any_of(options, [](const SbatchOption& option) {
        return option.name.starts_with("gpus") || (option.name == "gres" && option.value.starts_with("gpu"));
      });
    });
    if (all.size() > 1)
      report.ignored("other components of the heterogeneous job",
                     "the ranks are on the machines of the first one with GPUs", {file, 0});
    return found == all.end() ? all.front() : *found;
  }

  /// What its flags leave of Megatron-LM's own kernels, whoever divides the weights (megatron/training/arguments.py:
  /// all are fused unless a flag says otherwise). Empty: all, which goes without saying but with @p fsdp.
  std::string fused(bool fsdp)
  {
    std::string kinds = "norm";
    std::vector<std::string_view> left{"rotary", "activation", "dropout"};
    bool all = true;
    for (const auto& [no, kind] : {std::pair{"no-rope-fusion", "rotary"},
                                   {"no-bias-swiglu-fusion", "activation"},
                                   {"no-bias-gelu-fusion", "activation"},
                                   {"no-bias-dropout-fusion", "dropout"}}) {
      const bool apart = keys_.flag(no);
      all = all && !apart;
      if (apart)
        std::erase(left, kind);
    }
    for (const std::string_view kind : left)
      kinds += fmt::format(", {}", kind);
    return all ? (fsdp ? "true" : "") : "[" + kinds + "]";
  }

  void gpus(ParallelDraft& d)
  {
    const auto variable = [&](std::initializer_list<const char*> names) {
      for (const char* name : names)
        if (const std::optional<std::string> text = arguments_.variable(name))
          if (const std::optional<int> value = as_index(*text); value && *value > 0 && *value < 1'000'000)
            return *value;
      return 0;
    };
    d.per_node = keys_.number({"nproc-per-node", "num-gpus"}, 0);
    const bool starts_ranks = d.per_node > 0 || keys_.find("nproc-per-node") !=
                                                    nullptr; // each task of Slurm does, which is then no rank itself
    if (const int per_node = keys_.number({"gpus-per-node", "ntasks-per-node"}, 0); d.per_node == 0)
      d.per_node = per_node;
    const int tasks = keys_.number("ntasks", 0);
    if (d.per_node == 0)
      d.per_node = batch_.gpus_of_node();
    if (d.per_node == 0)
      d.per_node = variable({"GPUS_PER_NODE", "NPROC_PER_NODE", "GPU_PER_NODE"});
    const NamedHosts hosts = named_hosts(keys_, tasks, context_.report);
    if (d.per_node == 0)
      d.per_node = hosts.each;
    if (d.per_node == 0 && tasks == 0)
      d.per_node = arguments_.visible_gpus({file_, 0}, context_.report);
    int machines = hosts.machines > 0 ? hosts.machines : context_.options.nodes; // where the file has no number
    if (const LaunchKeys::Key* said = keys_.find({"nnodes", "num-nodes", "nodes"});
        said != nullptr && (machines == 0 || as_number<double>(said->text).has_value()))
      machines = keys_.size_at(*said, machines);
    if (machines == 0)
      machines = options_.empty() ? variable({"NNODES", "NUM_NODES", "NODES"}) : batch_.nodes_or_one();
    d.gpus = keys_.number("world-size", machines == 0 || d.per_node == 0 ? variable({"WORLD_SIZE"}) : 0);
    if (d.gpus == 0 && !starts_ranks)
      d.gpus = tasks;
    if (d.gpus == 0 && machines == 0 && starts_ranks) { // torch/distributed/run.py: --nnodes is 1
      machines = 1;
      context_.report.assumed("1 machine", "the command names no number; --nodes N chooses another", d.place);
    }
    if (d.gpus == 0 && machines > 0 && d.per_node > 0)
      d.gpus = static_cast<int>(std::min(1e6, 1.0 * machines * d.per_node));
    if (!batch_.gpu.empty() && context_.options.gpu.empty())
      d.gpu = context_.gpu(clean_text(batch_.gpu).substr(0, 60), {file_, 0});
  }

  void layout(ParallelDraft& d)
  {
    d.tp = keys_.number({"tensor-model-parallel-size", "model-parallel-size"}, 1);
    d.pp = keys_.number("pipeline-model-parallel-size", 1);
    if (keys_.flag("no-pipeline-parallel")) // Megatron-DeepSpeed
      d.pp = 1;
    d.cp = keys_.number("context-parallel-size", 1);
    if (const int ulysses = keys_.number("ds-sequence-parallel-size", 1); ulysses > 1) {
      d.cp = ulysses;
      d.context_exchange = "a2a";
    }
    context_exchange(d);
    d.ep = keys_.number({"expert-model-parallel-size", "moe-expert-parallel-size"}, 1);
    layers_ = keys_.number("num-layers", 0);
    const int per_chunk = keys_.number("num-layers-per-virtual-pipeline-stage", 0);
    d.vp =
        keys_.number("num-virtual-stages-per-pipeline-rank", keys_.number("virtual-pipeline-model-parallel-size", 1));
    if (per_chunk > 0 && layers_ > 0)
      d.vp = std::max(1, layers_ / std::max(1, d.pp) / per_chunk);
    if (d.vp == 1 && d.pp > 1)
      d.schedule = "1f1b";
    const int first = keys_.number("decoder-first-pipeline-num-layers", 0);
    const int last = keys_.number("decoder-last-pipeline-num-layers", 0);
    uneven_ends(d, first, last);
    whole_ends(d);
    d.sequence_parallel = keys_.flag("sequence-parallel");
    if (keys_.flag("use-distributed-optimizer"))
      d.zero = 1;
    if (const std::string stage = keys_.word("zero-stage"); !stage.empty()) // Megatron-DeepSpeed
      d.zero = std::clamp(as_index(stage).value_or(0), 0, 3);
    d.flat_parameters = keys_.flag("use-megatron-fsdp") || keys_.flag("use-custom-fsdp");
    const bool fsdp = keys_.flag("use-torch-fsdp2") || d.flat_parameters;
    if (fsdp)
      d.zero = keys_.flag("torch-fsdp2-no-reshard-after-forward") ? 2 : 3;
    if (const std::string sharding = keys_.word("data-parallel-sharding-strategy"); !sharding.empty())
      d.zero = sharding == "optim_grads_params" ? 3 : sharding == "optim_grads" ? 2 : sharding == "optim" ? 1 : 0;
    if (const int copies = keys_.number("num-distributed-optimizer-instances", 1); copies > 1 && d.zero > 0)
      copies_ = copies;
    d.offload_optimizer = keys_.flag({"optimizer-cpu-offload", "cpu-optimizer"}) && d.zero > 0;
    d.fused_elementwise = fused(d.zero == 3);
    d.overlap_gradients = keys_.flag("overlap-grad-reduce") || fsdp;
    keys_.flag("overlap-param-gather");
    // Sequence parallelism has messages beside products of its own (megatron/mpu/layers.py).
    const bool waits = keys_.flag("no-async-tensor-model-parallel-allreduce") && !d.sequence_parallel;
    d.overlap_tensor = keys_.flag("tp-comm-overlap") ? "all" : waits ? "none" : "";
    if (d.zero == 3 && !d.flat_parameters && d.tp > 1) { // PyTorch divides the weights, the messages stay Megatron-LM's
      d.tensor_messages = "megatron";
      if (d.overlap_tensor.empty())
        d.overlap_tensor = "backward";
    }
    d.expert_tp = keys_.number("num-experts", 1) > 1 ? keys_.number("expert-tensor-parallel-size", 0) : 0;
    d.overlap_experts = keys_.flag("overlap-moe-expert-parallel-comm");
  }

  /// Layers of the first and of the last stage where they are said (0: they are not); the others share the rest evenly,
  /// and the chunks of a stage its layers.
  void uneven_ends(ParallelDraft& d, int first, int last)
  {
    if ((first == 0 && last == 0) || d.pp < 2 || 1LL * d.pp * d.vp > 1000)
      return;
    const int inner = d.pp - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0), rest = layers_ - first - last;
    const bool even = inner == 0 ? rest == 0 : rest > 0 && rest % inner == 0;
    std::string list;
    bool whole = even;
    for (int chunk = 0; chunk < d.pp * d.vp && whole; ++chunk) {
      const int stage = chunk % d.pp;
      const int layers = stage == 0 && first > 0 ? first : stage + 1 == d.pp && last > 0 ? last : rest / inner;
      whole = layers % d.vp == 0;
      list += fmt::format("{}{}", chunk == 0 ? "[" : ", ", layers / d.vp);
    }
    if (whole)
      d.layers_per_stage = list + "]";
    else
      context_.report.error(d.place,
                            "--decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers leave {} "
                            "layers for {} stages, which must be as many for each chunk of a stage",
                            rest, inner);
  }

  /// Embedding and output count as a layer each: the first and the last chunk have one layer fewer.
  void whole_ends(ParallelDraft& d)
  {
    const bool first = keys_.flag("account-for-embedding-in-pipeline-split"),
               last = keys_.flag("account-for-loss-in-pipeline-split");
    const long long chunks = 1LL * std::max(1, d.pp) * std::max(1, d.vp),
                    all = layers_ + (first ? 1 : 0) + (last ? 1 : 0);
    if ((!first && !last) || !d.layers_per_stage.empty() || chunks < 2 || chunks > 1000 || all % chunks != 0)
      return;
    for (long long chunk = 0; chunk < chunks; ++chunk)
      d.layers_per_stage +=
          fmt::format("{}{}", chunk == 0 ? "[" : ", ",
                      all / chunks - (first && chunk == 0 ? 1 : 0) - (last && chunk + 1 == chunks ? 1 : 0));
    d.layers_per_stage += "]";
  }

  /// How the ranks of a sequence exchange keys and values: one word for all layers, or one for each.
  void context_exchange(ParallelDraft& d)
  {
    const std::vector<ScriptWord> kinds = script_words(keys_.word("cp-comm-type"));
    if (d.cp == 1 || kinds.empty())
      return;
    const std::string& how = kinds.front().text;
    const std::string shown = clean_text(how).substr(0, 60);
    if (how == "a2a")
      d.context_exchange = "a2a";
    else if (how == "allgather" || how == "all_gather")
      d.context_exchange = "all_gather";
    else if (how == "a2a+p2p")
      context_.report.assumed("keys and values go round one ring over all ranks of a sequence",
                              "'a2a+p2p', an exchange of heads within rings, is not modelled", {file_, 0});
    else if (how != "p2p")
      context_.report.ignored("--cp-comm-type " + shown, "is not known; p2p is taken", {file_, 0});
    if (std::ranges::any_of(kinds,
                            [&](const ScriptWord& kind) { return kind.text != how && !kind.text.starts_with('$'); }))
      context_.report.assumed("all layers exchange keys and values as the first one does, by " + shown,
                              "--cp-comm-type names a kind for each layer", {file_, 0});
  }

  void batch(ParallelDraft& d)
  {
    d.micro_batch = keys_.number({"micro-batch-size", "batch-size"}, 1);
    d.global_batch = keys_.number("global-batch-size", 0);
    d.decrease_batch = keys_.flag("decrease-batch-size-if-needed");
    d.mtp_layers = keys_.number("mtp-num-layers", 0);
    d.sequence = keys_.number("seq-length", keys_.number("encoder-seq-length", 0));
  }

  void precision(ParallelDraft& d)
  {
    const bool bf16 = keys_.flag("bf16"), fp16 = keys_.flag("fp16");
    const std::string fp8 = keys_.word("fp8-format");
    d.precision = !keys_.word("fp4-format").empty()                               ? "nvfp4"
                  : !fp8.empty() || keys_.flag({"fp8-hybrid", "fp8-e4m3", "fp8"}) ? "fp8"
                  : fp16 && !bf16                                                 ? "fp16"
                                                                                  : "bf16";
    if (const std::string recipe = keys_.word("fp8-recipe"); recipe == "mxfp8" && d.precision == "fp8")
      d.precision = "mxfp8";
    else if (recipe == "tensorwise" || recipe == "blockwise")
      d.scaling = "current";
    states(d, bf16, fp16);
    if (keys_.flag("activation-func-fp8-input-store") && d.precision == "fp8")
      d.stored = {"linear_inputs", "activation_inputs"};
    else if (d.precision == "fp8" && d.zero == 3)
      d.stored = {"linear_inputs"}; // Transformer Engine's kernels, whoever divides the weights
    dropout(d);
    if (!bf16 && !fp16)
      context_.report.assumed("products in bf16", "the file has neither --bf16 nor --fp16", {file_, 0});
    const std::string backend = keys_.word("attention-backend");
    d.attention = keys_.flag("use-flash-attn") || backend == "flash" || backend == "fused" || backend == "auto"
                      ? "flash"
                  : backend == "unfused" ? "unfused"
                                         : "";
    if (d.attention.empty())
      context_.report.assumed("attention is fused", "the file names no kernel (--attention-backend)", {file_, 0});
  }

  /// Bytes of gradients and of the optimiser's states. Gradients of bf16 are added up in fp32 unless a flag says
  /// otherwise, those of fp16 only where one does (arguments.py, accumulate_allreduce_grads_in_fp32).
  void states(ParallelDraft& d, bool bf16, bool fp16)
  {
    const auto narrow = [&](const char* name) { // bytes of a number, if the file says so
      const std::string type = keys_.word(name);
      return type == "fp8" ? 1.0 : type == "fp16" || type == "bf16" ? 2.0 : 4.0;
    };
    const bool in_fp32 = keys_.flag("accumulate-allreduce-grads-in-fp32");
    const double main = narrow("main-grads-dtype");
    if (keys_.flag("grad-reduce-in-bf16") || main < 4 || (fp16 && !bf16 && !in_fp32))
      d.gradient_bytes = 2;
    d.moment_bytes = narrow("exp-avg-dtype") + narrow("exp-avg-sq-dtype");
    if (const std::string optimizer = keys_.word("optimizer"); optimizer == "sgd" || optimizer.ends_with("muon")) {
      d.moment_bytes = 4; // its momentum
      if (optimizer != "sgd")
        context_.report.assumed("the optimiser's step takes as long as Adam's", "the products of muon are not modelled",
                                {file_, 0});
    }
  }

  /// Either share is 0.1 where the file does not say it.
  void dropout(ParallelDraft& d)
  {
    const std::string attention = keys_.word("attention-dropout"), hidden = keys_.word("hidden-dropout");
    if (attention.empty() && hidden.empty())
      return;
    const auto drops = [](const std::string& share) {
      return share.empty() || share.find_first_not_of("0.") != std::string::npos;
    };
    d.dropout = drops(attention) || drops(hidden);
    if (drops(attention) != drops(hidden))
      context_.report.assumed("values are left out in attention and before each sum with the identity path",
                              {"only --{}-dropout is 0", drops(attention) ? "hidden" : "attention"}, {file_, 0});
  }

  void recomputation(ParallelDraft& d)
  {
    const std::string granularity = keys_.word("recompute-granularity");
    const bool activations = keys_.flag("recompute-activations");
    // The names before "recompute": whole layers (arguments.py of 2021 to 2022; deepspeed's is its own checkpointing).
    const bool whole = keys_.flag({"checkpoint-activations", "deepspeed-activation-checkpointing"});
    const std::string old_method = keys_.word({"activations-checkpoint-method", "checkpoint-method"});
    if (granularity == "full" && activations)
      context_.report.ignored("--recompute-granularity full", "--recompute-activations makes it selective", {file_, 0});
    if (granularity == "selective" || activations) // Megatron's arguments.py: this flag decides before the other
      d.recomputation = "selective";
    else if (granularity == "full" || whole || !old_method.empty())
      d.recomputation = "full";
    if (keys_.flag("moe-layer-recompute") && d.recomputation != "full")
      d.recomputed.emplace_back("moe");
    if (const std::string parts = keys_.word("recompute-modules"); !parts.empty() && d.recomputation == "selective") {
      d.recomputation = ""; // "core_attn" is what is computed again where nothing else is said
      for (const ScriptWord& part : script_words(parts))
        if (part.text == "core_attn")
          d.recomputation = "selective";
        else if (const std::string name = part.text == "moe_act" ? "activation" : part.text;
                 std::ranges::find(recompute_modules, name) != recompute_modules.end())
          d.recomputed.push_back(name);
        else
          context_.report.ignored("--recompute-modules " + clean_text(part.text).substr(0, 60), "is not known",
                                  {file_, 0});
    }
    const int layers = keys_.number("recompute-num-layers", 0);
    const std::string method = keys_.word("recompute-method");
    if (granularity == "full" && method == "block" && layers > 0)
      context_.report.assumed("all layers are computed again",
                              {"--recompute-method block does so for {} of a stage only", layers}, {file_, 0});
  }

  /// Which layers have experts: "2" (each second, the first of them), "([0]*3+[1]*58)".
  void expert_layers(Transformer& t)
  {
    std::string pattern = keys_.word("moe-layer-freq");
    if (pattern.empty())
      pattern = keys_.word("expert-interval"); // Megatron-DeepSpeed
    if (pattern.empty() || pattern == "1" || t.experts == 1)
      return;
    const int step = as_index(pattern).value_or(0);
    if (step > 1 && step <= t.layers && t.layers % step == 0) {
      t.expert_step = step;
      return;
    }
    const std::vector<int> listed = step > 0 ? std::vector<int>{} : layer_pattern(pattern);
    const bool whole = static_cast<int>(listed.size()) == t.layers;
    const auto first = static_cast<int>(std::ranges::find(listed, 1) - listed.begin());
    for (const int dense : {first, 0}) // behind some without experts, or each n-th
      for (int each = 1; whole && each <= t.layers; ++each) {
        t.dense_layers = dense;
        t.expert_step = each;
        bool same = true;
        for (int layer = 0; layer < t.layers && same; ++layer)
          same = t.is_dense(layer) == (listed[static_cast<std::size_t>(layer)] == 0);
        if (same)
          return;
      }
    t.dense_layers = 0;
    t.expert_step = 1;
    context_.report.assumed("all layers have experts",
                            {"'{}' is neither each n-th of {} layers nor all behind the first of them",
                             clean_text(pattern).substr(0, 60), t.layers},
                            {file_, 0});
  }

  /// A list of Python with sums and multiples: "([0]*1+[1]*2)*3"; empty where it is none.
  static std::vector<int> layer_pattern(std::string_view text)
  {
    std::size_t at = 0;
    const std::vector<int> made = sum_of_lists(text, at, 0);
    return at == text.size() ? made : std::vector<int>{};
  }

  static std::vector<int> sum_of_lists(std::string_view text, std::size_t& at, int depth)
  {
    std::vector<int> made;
    do {
      std::vector<int> one;
      const bool inside = at < text.size() && text[at] == '(' && depth < 20;
      if (inside) {
        one = sum_of_lists(text, ++at, depth + 1);
      } else if (at < text.size() && text[at] == '[') {
        for (++at; at < text.size() && text[at] != ']'; ++at)
          if (text[at] == '0' || text[at] == '1')
            one.push_back(text[at] - '0');
      }
      at += at < text.size() && text[at] == (inside ? ')' : ']') ? 1 : 0;
      int times = 1;
      while (at < text.size() && text[at] == '*') {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
        times = std::min(times, 10'000) *
                std::min(as_index(std::string{text.substr(at + 1, end - at - 1)}).value_or(0), 10'000);
        at = end;
      }
      for (int i = 0; i < times && !one.empty() && made.size() + one.size() <= 100'000; ++i)
        made.insert(made.end(), one.begin(), one.end());
    } while (at < text.size() && text[at] == '+' && ++at < text.size());
    return made;
  }

  /// Dimensions of the model, where the file has them.
  std::optional<Transformer> model(const ParallelDraft& d)
  {
    Transformer t;
    t.layers = layers_;
    t.hidden = keys_.number("hidden-size", 0);
    t.heads = keys_.number("num-attention-heads", 0);
    const std::string unit = keys_.word("glu-activation"); // of BigScience's Megatron-DeepSpeed
    t.gated = keys_.flag({"swiglu", "quick-geglu"}) || !unit.empty();
    const int given = keys_.number("ffn-hidden-size", 0);
    const int groups = keys_.number({"num-query-groups", "num-key-value-heads"}, 0);
    const bool grouped = keys_.flag("group-query-attention") || groups > 0;
    t.kv_heads = grouped && groups > 0 ? groups : t.heads;
    t.head_width = keys_.number("kv-channels", 0);
    VocabularySays words;
    words.whole = keys_.number({"padded-vocab-size", "pad-vocab-size-to"}, 0); // the second of BigScience
    words.words = words.whole > 0 ? 0 : keys_.number("vocab-size", 0);
    words.multiple = keys_.number("make-vocab-size-divisible-by", 128);
    t.experts = keys_.number("num-experts", 1);
    t.active_experts = t.experts > 1 ? std::min(t.experts, keys_.number({"moe-router-topk", "topk"}, 2)) : 1;
    t.expert_groups = keys_.number("moe-router-num-groups", 1);
    t.active_groups = keys_.number("moe-router-group-topk", t.expert_groups);
    const int of_expert = keys_.number("moe-ffn-hidden-size", 0);
    t.shared_ffn = keys_.number("moe-shared-expert-intermediate-size", 0);
    t.tied = !keys_.flag("untie-embeddings-and-output-weights");
    const std::string positions = keys_.word("position-embedding-type");
    const bool rotary = keys_.flag({"use-rotary-position-embeddings", "no-position-embedding"});
    t.learnt_positions = (positions.empty() || positions == "learned_absolute" || positions == "absolute") && !rotary;
    t.biases = !keys_.flag("disable-bias-linear");
    t.qkv_biases = keys_.flag("add-qkv-bias");
    const bool head_norms = keys_.flag("qk-layernorm");
    if (keys_.flag({"multi-latent-attention", "multi-head-latent-attention"})) {
      t.query_rank = keys_.number("q-lora-rank", 0);
      t.kv_rank = keys_.number("kv-lora-rank", 32);
      t.rope_width = keys_.number({"qk-pos-emb-head-dim", "qk-rope-head-dim"}, 64);
      t.head_width = keys_.number({"qk-head-dim", "qk-nope-head-dim"}, 128) + t.rope_width;
      t.value_width = keys_.number("v-head-dim", 128);
      t.kv_heads = t.heads;
    } else {
      t.head_norms = head_norms;
    }
    const int longest = keys_.number("max-position-embeddings", 0);
    if (layers_ == 0 || t.hidden == 0 || t.heads == 0)
      return std::nullopt;
    t.sequence = d.sequence > 0 ? d.sequence : longest > 0 ? longest : t.sequence;
    // Defaults of the framework: four times the width, with three matrices two thirds of it in steps of 64.
    const int dense = given > 0 ? given
                      : t.gated ? static_cast<int>(8LL * t.hidden / 3 / 64 * 64)
                                : 4 * std::min(t.hidden, 100'000'000);
    t.ffn = t.experts > 1 && of_expert > 0 ? of_expert : dense;
    expert_layers(t);
    t.dense_ffn = t.has_dense_layers() ? dense : 0;
    if (words.whole == 0 && words.words == 0)
      for (const char* name : {"tokenizer-type", "tokenizer-model", "tokenizer-name-or-path"})
        if (const std::string said = keys_.word(name); !said.empty())
          words.tokenizers.push_back(said);
    t.vocabulary = padded_vocabulary(words, d.tp, {file_, 0}, context_.report);
    return t;
  }

  std::string file_, text_;
  std::vector<SbatchOption> options_;
  std::set<std::string> read_options_;
  SbatchRequest batch_;
  LaunchScript arguments_;
  LaunchKeys keys_;
  ImportContext& context_;
  int layers_ = 0;
  int copies_ = 1; // groups of replicas that divide the states
};

class Megatron final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.has("--tensor-model-parallel-size") || file.has("--pipeline-model-parallel-size") ||
           (file.has("--num-layers") && file.has("--hidden-size") && file.has("--num-attention-heads"));
  }
  std::string description() const override { return "launch arguments of Megatron-LM"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"pretrain.py --num-layers 2 --hidden-size 256 --num-attention-heads 2 --seq-length 64 --padded-vocab-size "
             "512 --KEY",
             megatron_fates}};
  }
  void read(const InputFile& file, ImportContext& context) const override { MegatronReader{file, context}.read(); }
};

TY_REGISTER(Importer, Megatron, "megatron", "launch arguments of Megatron-LM: model, layout, batch");

} // namespace
} // namespace trainyard
