// SPDX-License-Identifier: Apache-2.0
// What `accelerate config` writes: machines, processes, precision and the division by FSDP or DeepSpeed. Source:
// huggingface/accelerate, src/accelerate/commands/config/config_args.py and src/accelerate/commands/launch.py.
#include "models/core/text.hpp"
#include "models/import/training_command.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr std::array accelerate_fates{
    KeyFate{"debug main-training-function machine-rank gpu-ids rdzv-backend commands command-file "
            "tpu-* downcast-bf16 fsdp-state-dict-type fsdp-sync-module-states fsdp-cpu-ram-efficient-loading "
            "zero3-save-16bit-model zero3-init-flag mpirun-* enable-cpu-affinity num-cpu-threads-per-process",
            "starts the processes: where they run is above"},
    KeyFate{"dynamo-* ipex* fp8-* mpca-* parallelism-config*", "not modelled: kernels are those of plain PyTorch"},
    KeyFate{"megatron-lm-*", "not modelled: only the degrees of tensors and the pipeline count"},
};

/// All settings, whatever section holds them, by the names that arguments have.
void add_settings(LaunchKeys& keys, const DocumentNode& node)
{
  for (const DocumentNode::Entry& entry : node.entries) {
    if (entry.value.kind == DocumentNode::Kind::map) {
      add_settings(keys, entry.value);
      continue;
    }
    std::string name = entry.key;
    std::ranges::replace(name, '_', '-');
    keys.add(name, {clean_text(entry.key).substr(0, 80), clean_text(entry.value.text).substr(0, 60), entry.line});
  }
}

class Accelerate final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.has("compute_environment:") && file.has("distributed_type:");
  }
  int rank() const override { return -2; } // a file of DeepSpeed runs on its machines; a script says what it trains
  std::string description() const override { return "configuration of accelerate"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 8\nKEY: 7\n",
             accelerate_fates}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      LaunchKeys keys{file.name(), context, LaunchKeys::Kind::arguments};
      add_settings(keys, document.root);
      trainings_.push_back(read_one(keys, file, context));
      context.draft.launched = {.gpus = trainings_.back().gpus, .per_node = trainings_.back().per_node};
    }
  }

  /// A script beside it has been read: what its arguments say counts before the file.
  void finish(ImportContext& context) const override
  {
    const DraftLaunch& launched = context.draft.launched;
    if (!context.draft.jobs.empty()) {
      context.report.ignored("the division of accelerate's configuration", "another file says it");
      return;
    }
    for (ParallelDraft& d : trainings_) {
      if (launched.gpus > 0) {
        d.gpus = launched.gpus;
        d.per_node = launched.per_node;
      }
      d.micro_batch = std::max(1, launched.micro_batch);
      d.accumulation = std::max({1, d.accumulation, launched.accumulation});
      if (!launched.recomputation.empty())
        d.recomputation = launched.recomputation;
      if (launched.micro_batch == 0 && context.options.batch_per_gpu == 0)
        context.report.assumed("micro-batch 1", "the file names no batch; --batch N chooses another", d.place);
      add_trained(std::move(d), context);
    }
  }

private:
  static ParallelDraft read_one(LaunchKeys& keys, const InputFile& file, ImportContext& context)
  {
    ParallelDraft d{.name = "accelerate", .place = {file.name(), 0}};
    const int machines = keys.number("num-machines", 1);
    d.gpus = std::min(keys.number("num-processes", 1), 1'000'000);
    d.per_node = (d.gpus + machines - 1) / std::max(1, machines);
    keys.word("compute-environment");
    const std::string type = lower_case(keys.word("distributed-type"));
    read_trainer(keys, d, d.per_node, context.report);
    d.tp = keys.number("megatron-lm-tp-degree", 1);
    d.pp = keys.number("megatron-lm-pp-degree", 1);
    if (keys.word("fsdp-version") == "2")
      d.zero = keys.flag("fsdp-reshard-after-forward", true) ? 3 : 2;
    else if (type == "fsdp" && keys.find("fsdp-sharding-strategy") == nullptr)
      d.zero = 3;
    if (const LaunchKeys::Key* other = keys.find("deepspeed-config-file"); other != nullptr)
      context.report.ignored({"{} {}", other->shown, other->text}, "give this file together with it", keys.place());
    if (keys.flag("use-cpu") || type.find("cpu") != std::string::npos)
      context.report.assumed("its processes are on GPUs", "a training on CPUs alone is not read from this file",
                             d.place);
    keys.tell_rest_by([](const std::string& name) {
      const std::string_view why = fate_of(name, accelerate_fates, "");
      return why.empty() ? fate_of(name, trainer_key_fates()) : why;
    });
    return d;
  }

  mutable std::vector<ParallelDraft> trainings_;
};

TY_REGISTER(Importer, Accelerate, "accelerate",
            "configuration of accelerate: machines, processes, precision, FSDP or DeepSpeed");

} // namespace
} // namespace trainyard
