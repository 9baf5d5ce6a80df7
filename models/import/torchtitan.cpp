// SPDX-License-Identifier: Apache-2.0
// The TOML file of a training with torchtitan. Keys and defaults: torchtitan/config/job_config.py.
#include "models/core/text.hpp"
#include "models/import/launch_keys.hpp"
#include "models/import/parallel_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#if TRAINYARD_TOML
namespace {

/// What toml++ takes for granted about a text. toml++ 3.3 ends the program on some broken names of tables.
constexpr void toml_expects(bool holds)
{
  if (!holds)
    throw std::invalid_argument{"a key or the name of a table is broken"};
}

} // namespace

#undef NDEBUG // toml++ drops its checks with it
#define TOML_ASSERT(condition) toml_expects(static_cast<bool>(condition))
#include <toml++/toml.h>
#endif

namespace trainyard {
namespace {

/// Keys that this reader does not use.
constexpr std::array torchtitan_fates{
    KeyFate{"training.enable_cpu_offload training.activation_offload*",
            "not modelled with torchtitan's FSDP: weights, gradients and states lie on the GPU here"},
    KeyFate{"parallelism.pipeline_parallel_split_points parallelism.module_fqns_per_model_part "
            "parallelism.pipeline_parallel_first_stage_less_layers "
            "parallelism.pipeline_parallel_last_stage_less_layers parallelism.pipeline_parallel_schedule_csv "
            "experimental.pipeline_parallel_*",
            "not modelled: stages have about as many layers each"},
    KeyFate{"parallelism.context_parallel_rotate_method parallelism.pipeline_parallel_schedule "
            "parallelism.pipeline_parallel_layers_per_stage parallelism.pipeline_parallel_microbatch_size",
            "has no effect: the degree that it belongs to is 1"},
    KeyFate{"parallelism.expert_tensor_parallel_degree parallelism.expert_parallel_comm_backend "
            "parallelism.enable_compiled_autograd compile.* parallelism.enable_sequence_parallel "
            "parallelism.context_parallel_load_balancer training.deterministic debug.deterministic "
            "debug.moe_force_load_balance parallelism.hybridep* parallelism.pipeline_parallel_expert_*",
            "not modelled: kernels and messages are those of PyTorch's FSDP2 and DTensor"},
    KeyFate{"activation_checkpoint.* memory_estimation.*", "not modelled: what the mode above keeps counts"},
    KeyFate{"optimizer.name optimizer.implementation optimizer.early_step_in_backward",
            "not modelled: the step of the optimiser is a fused one of Adam behind the backward pass"},
    KeyFate{"fault_tolerance.*", "not modelled: replicas add up their gradients in each step"},
    KeyFate{"lora.* model.lora*", "not modelled: all weights are trained"},
    KeyFate{"job.* profiling.* metrics.* model.tokenizer_path model.hf_assets_path model.print_after_conversion "
            "model.norm_type optimizer.* lr_scheduler.* training.dataset* training.max_norm training.steps "
            "training.gc_freq training.gc_debug training.seed training.data_parallel_type checkpoint.* comm.* debug.* "
            "validation.* eval.* experimental.custom_* experimental.custom_import experimental.enable_*",
            harmless_key},
};

bool is_torchtitan(std::string_view head)
{
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  return has("[training]") && has("[model]") && (has("flavor") || has("[parallelism]") || has("_parallel_degree"));
}

#if TRAINYARD_TOML

constexpr int most_parts = 100; // of a key: each is a table inside the one before, which toml++ frees by recursion

/// The first line with a key of more parts; 0: none. Texts and comments are no keys.
int line_of_long_key(std::string_view text)
{
  int line = 1, parts = 1;
  char quote = 0;     // of the text that is open
  bool lines = false; // it may have several lines
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool three = (c == '"' || c == '\'') && text.substr(i, 3) == std::string(3, c);
    if (c == '\n') {
      ++line;
      quote = lines ? quote : '\0';
      parts = 1;
    } else if (quote != 0) {
      i += quote == '"' && c == '\\' && text.substr(i + 1, 1) != "\n" ? 1U : 0U;
      if (c == quote && (three || !lines)) {
        i += lines ? 2U : 0U;
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      lines = three;
      i += three ? 2U : 0U;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '.') {
      if (++parts > most_parts)
        return line;
    } else if (c == '=' || c == ',' || c == '[' || c == '{') {
      parts = 1;
    }
  }
  return 0;
}

class TorchTitanReader
{
public:
  TorchTitanReader(const InputFile& file, const toml::table& table, ImportContext& context)
      : file_{file.name()}, context_{context}, keys_{file_, context, LaunchKeys::Kind::toml}
  {
    add(table, "");
  }

  void read(const std::string& text)
  {
    ParallelDraft d;
    d.place = {file_, 0};
    d.name = "torchtitan";
    d.model = model();
    layout(d);
    d.sequence = keys_.number("training.seq_len", 2048);
    const int local = keys_.number({"training.local_batch_size", "training.batch_size"}, 8);
    d.micro_batch = d.pp > 1 ? keys_.number("parallelism.pipeline_parallel_microbatch_size", 1) : local;
    preset(d, text);
    if (d.dp == 0 && d.gpus > 0)
      d.dp = std::max(1, d.gpus / std::max(1, d.tp * d.pp * d.cp));
    const int global = keys_.number("training.global_batch_size", 0);
    d.accumulation = std::max(1, local / d.micro_batch);
    d.global_batch = global;
    const std::string mode = keys_.word("activation_checkpoint.mode", "selective");
    d.recomputation = mode == "full" ? "full" : mode == "selective" ? "every_second" : "";
    if (mode == "memory_budget")
      context_.report.assumed("nothing is computed again",
                              "what a memory budget leaves out is chosen by the compiler, and not modelled",
                              keys_.place());
    if (mode == "selective")
      if (const std::string option = keys_.word("activation_checkpoint.selective_ac_option", "2"); option != "op")
        context_.report.assumed(
            "every second product is computed again",
            {"selective_ac_option {} computes some layers again, at about this price", option.substr(0, 20)},
            keys_.place());
    d.early_stop = true;    // PyTorch's checkpoints
    d.attention = "flash2"; // of PyTorch
    d.scaling = "current";  // torchao's dynamic scaling
    d.fused_elementwise = compiled() ? "true" : "false";
    precision(d);
    keys_.tell_rest_by([&](const std::string& path) { return why_ignored(path, d.precision); });
    add_parallel_job(std::move(d), context_);
  }

private:
  /// The keys of the tables as "table.key", those outside of any as "key".
  void add(const toml::table& table, const std::string& path)
  {
    for (const auto& [key, value] : table) {
      const std::string name = path + std::string{key.str()};
      if (const toml::table* inner = value.as_table(); inner != nullptr && path.empty())
        add(*inner, name + ".");
      else
        keys_.add(name, {clean_text(name).substr(0, 80), text_of(value), static_cast<int>(value.source().begin.line)});
    }
  }

  static std::string text_of(const toml::node& value)
  {
    std::string text;
    if (const toml::array* list = value.as_array(); list != nullptr)
      for (const toml::node& one : *list)
        text += (text.empty() ? "" : " ") + text_of(one);
    else if (value.is_boolean())
      text = value.value_or(false) ? "true" : "false";
    else if (value.is_number())
      text = fmt::format("{:.15g}", value.value_or(0.0));
    else
      text = clean_text(value.value_or(std::string{}));
    return text;
  }

  std::string model()
  {
    static const std::map<std::pair<std::string, std::string>, std::string> known{
        {{"llama2", "7B"}, "llama2_7b"},
        {{"llama2", "13B"}, "llama2_13b"},
        {{"llama2", "70B"}, "llama2_70b"},
        {{"llama3", "8B"}, "llama3_8b"},
        {{"llama3", "70B"}, "llama3_70b"},
        {{"llama3", "405B"}, "llama3.1_405b"},
        {{"deepseek_v3", "16B"}, "deepseek_v2_lite"},
        {{"deepseek_v3", "236B"}, "deepseek_v2"},
        {{"deepseek_v3", "671B"}, "deepseek_v3"},
        {{"qwen3", "8B"}, "qwen3_8b"},
        {{"qwen3", "14B"}, "qwen3_14b"},
        {{"qwen3", "32B"}, "qwen3_32b"},
        {{"qwen3", "30B-A3B"}, "qwen3_30b_a3b"},
        {{"qwen3", "235B-A22B"}, "qwen3_235b_a22b"}};
    const std::string name = keys_.word("model.name", ""), flavor = keys_.word("model.flavor", "");
    const auto found = known.find({name, flavor});
    if (found != known.end())
      return found->second;
    if (!name.empty() && context_.options.model.empty())
      context_.report.warning(keys_.place(), "the catalogue has no {} {}", name.substr(0, 60), flavor.substr(0, 60));
    return "";
  }

  void layout(ParallelDraft& d)
  {
    d.tp = keys_.number({"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"}, 1);
    d.pp = keys_.number({"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"}, 1);
    d.cp = keys_.number({"parallelism.context_parallel_degree", "experimental.context_parallel_degree"}, 1);
    if (d.cp > 1) {
      d.ring_merge = compiled() ? "compiled" : "eager";
      if (keys_.word({"parallelism.context_parallel_rotate_method", "experimental.context_parallel_rotate_method"}) ==
          "alltoall")
        d.context_exchange = "p2p";
    }
    d.ep = keys_.number("parallelism.expert_parallel_degree", 1);
    const int replicate =
        keys_.number({"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"}, 1);
    const int shard =
        keys_.number({"parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree"}, -1);
    if (shard > 0)
      d.dp = static_cast<int>(std::min(1e6, 1.0 * replicate * shard));
    d.sequence_parallel = d.tp > 1; // its tensor parallelism always divides the norms as well
    const std::string reshard = keys_.word("parallelism.fsdp_reshard_after_forward", "default");
    d.zero = shard == 1 ? 0 : reshard == "never" || (reshard == "default" && d.pp > 1) ? 2 : 3;
    if (d.zero == 2 && d.pp == 1)
      d.sharding = "fsdp";
    if (replicate > 1 && d.zero > 0 && shard > 1)
      d.shard_within = static_cast<int>(std::min(1e6, 1.0 * shard * d.cp));
    else if (replicate > 1 && d.zero > 0)
      d.replicate = replicate; // the shards are the rest of the GPUs
    number_formats(d);
    if (keys_.flag("parallelism.disable_loss_parallel"))
      d.loss_parallel = false;
    if (d.pp > 1) {
      static const std::map<std::string, std::string> schedules{
          {"1F1B", "1f1b"},         {"GPipe", "gpipe"}, {"Interleaved1F1B", "interleaved"},
          {"ZBVZeroBubble", "zbv"}, {"DualPipeV", ""},  {"InterleavedZeroBubble", ""},
          {"LoopedBFS", ""}};
      const std::string name = keys_.word("parallelism.pipeline_parallel_schedule", "1F1B");
      const auto known = schedules.find(name);
      d.schedule = known == schedules.end() ? "" : known->second;
      if (d.schedule.empty()) {
        d.schedule = "interleaved";
        context_.report.assumed("the schedule interleaved", {"'{}' is not modelled", name.substr(0, 60)},
                                keys_.place());
      }
      if (d.schedule == "interleaved" || d.schedule == "zbv") {
        d.vp = 2;
        if (keys_.number("parallelism.pipeline_parallel_layers_per_stage", 0) > 0 || d.schedule == "interleaved")
          context_.report.assumed("two chunks on each GPU", "what the framework takes for such schedules",
                                  keys_.place());
      }
    }
    d.tensor_messages = "dtensor"; // which are waited for
    if (const bool async = keys_.flag("parallelism.enable_async_tensor_parallel"); d.tp > 1)
      d.overlap_tensor = async ? "all" : "none";
  }

  /// Gradients are added up among the ranks of FSDP in mixed_precision_reduce, fp32 unless the file says otherwise; in
  /// training.dtype are weights, gradients and states, so that bfloat16 leaves no weights in fp32 (job_config.py).
  void number_formats(ParallelDraft& d)
  {
    if (keys_.word("training.mixed_precision_param", "bfloat16") == "float32")
      context_.report.assumed("products are in 16 bit or fewer", "those of fp32 are not modelled", keys_.place());
    const bool reduced = keys_.word("training.mixed_precision_reduce", "float32") == "bfloat16";
    const bool all = keys_.word("training.dtype", "float32") == "bfloat16";
    const bool by_fsdp = d.zero > 0 || d.shard_within > 0; // without it gradients have the weights' format
    d.gradient_bytes = (by_fsdp && reduced) || (!by_fsdp && all) ? 2 : 4;
    if (!all)
      return;
    d.moment_bytes = 4;
    d.master_weights = false;
  }

  /// Settings of 8-bit products count only with the converter, and then which products it leaves out and what it
  /// gathers in 8 bit.
  static std::string why_ignored(const std::string& path, const std::string& precision)
  {
    const bool float8 = path.starts_with("float8."), microscaling = path.starts_with("mx.");
    if (!float8 && !microscaling && !path.starts_with("quantize."))
      return std::string{fate_of(path, torchtitan_fates)};
    if (float8 ? precision == "fp8" : microscaling ? precision == "mxfp8" : precision != "bf16")
      return fmt::format("not modelled: all products of layers are in {}, and weights are gathered in 16 bit",
                         precision);
    return "has no effect without a converter: model.converters names none for it";
  }

  bool compiled() { return keys_.flag({"compile.enable", "training.compile"}); }

  void precision(ParallelDraft& d)
  {
    d.precision = "bf16";
    const LaunchKeys::Key* converters = keys_.find("model.converters");
    for (const std::string& name : words_of(converters == nullptr ? "" : converters->text))
      if (name == "mx" || name.ends_with(".mx"))
        d.precision = "mxfp8";
      else if (name.find("float8") != std::string::npos)
        d.precision = "fp8";
    if (d.precision != "bf16")
      context_.report.understood(keys_.place(), "products in {} (model.converters)", d.precision);
    else if (keys_.flag("float8.enable_float8_linear")) // before there were converters
      d.precision = "fp8";
  }

  /// The comment at the top of the shipped files: "preset for 128 H100 GPUs".
  void preset(ParallelDraft& d, const std::string& text)
  {
    const std::size_t start = text.find("preset for ");
    if (start == std::string::npos || context_.options.nodes > 0)
      return;
    const std::string line = text.substr(start + 11, text.find('\n', start) - start - 11);
    const std::size_t space = line.find(' ');
    const int count = as_index(line.substr(0, std::min(space, line.size()))).value_or(0);
    const std::size_t end = line.find(" GPU");
    if (space == std::string::npos || end == std::string::npos || end <= space || count < 1 || count > 1'000'000)
      return;
    const ImportPlace place{file_, static_cast<int>(std::ranges::count(text.substr(0, start), '\n')) + 1};
    d.gpus = count;
    if (context_.options.gpu.empty())
      d.gpu = context_.gpu(clean_text(line.substr(space + 1, end - space - 1)), place);
    context_.report.assumed({"{} GPUs", d.gpus}, "a comment of the file says that it is made for so many", place);
  }

  std::string file_;
  ImportContext& context_;
  LaunchKeys keys_;
};

#endif

class TorchTitan final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return is_torchtitan(file.head()); }
  std::string description() const override { return "torchtitan configuration"; }
#if TRAINYARD_TOML
  std::vector<KeyTable> keys() const override
  {
    return {{ "\"KEY\" = 7\n[model]\nflavor = \"8B\"\n[training]\n", torchtitan_fates }};
  }
#endif

  void read(const InputFile& file, ImportContext& context) const override
  {
#if TRAINYARD_TOML
    const std::string text = file.text();
    if (const int line = line_of_long_key(text); line > 0) {
      context.report.error({file.name(), line}, "a key has more than {} parts; torchtitan knows none of more than 2",
                           most_parts);
      return;
    }
    try {
      TorchTitanReader{file, toml::parse(text), context}.read(text);
    } catch (const toml::parse_error& error) {
      context.report.error_at_column({file.name(), static_cast<int>(error.source().begin.line)},
                                     static_cast<int>(error.source().begin.column),
                                     "no TOML: " + clean_text(std::string{error.description()}));
    } catch (const std::invalid_argument& error) {
      context.report.error({file.name(), 0}, "no TOML: {}", error.what());
    }
#else
    context.report.error({file.name(), 0}, "this program was built without libtomlplusplus-dev, which TOML files need");
#endif
  }
};

TY_REGISTER(Importer, TorchTitan, "torchtitan", "torchtitan's TOML: model, layout, batch, recomputation");

} // namespace
} // namespace trainyard
