// SPDX-License-Identifier: Apache-2.0
#include "models/import/training_command.hpp"

#include "models/core/closest.hpp"
#include "models/core/pieces.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "models/dnn/transformer.hpp"
#include "models/import/launch_script.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/scenario/other_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace trainyard {
namespace {

constexpr std::string_view batch_flags[]{"batch-size", "train-batch-size", "per-device-train-batch-size"};
constexpr std::string_view step_flags[]{"train-steps", "max-steps", "num-batches", "steps"};
constexpr std::string_view fsdp_words[]{"full_shard", "shard_grad_op",      "no_shard", "hybrid_shard",
                                        "offload",    "hybrid_shard_zero2", "auto_wrap"};
constexpr std::string_view model_flags[]{
    "model", "model-name", "model-name-or-path", "pretrained-model-name-or-path", "model-path", "base-model", "arch"};

/// Arguments of trainings that nothing is made of. Sources: transformers, training_args.py; accelerate,
/// commands/launch.py; torch/distributed/run.py; deepspeed/launcher/runner.py.
constexpr std::array trainer_fates{
    KeyFate{
        "cluster-spec worker-hosts ps-hosts job-name role task-type job type task-id task-index index sync-replicas "
        "issync sync",
        used_key}, // compose_parts.cpp
    KeyFate{"num-processes world-size np", used_key},
    KeyFate{"num-train-epochs epochs num-epochs max-epochs",
            "the size of the data is not in the file, so that epochs give no number of steps"},
    KeyFate{"fsdp-offload-params offload-optimizer* offload-param* cpu-offload",
            "not modelled here: what would lie on the host is kept on the GPU, so the job needs more GPU memory here"},
    KeyFate{"fsdp-config fsdp-*", "not modelled: weights are gathered layer by layer, and the next one ahead"},
    KeyFate{"deepspeed deepspeed-config deepspeed-config-file deepspeed-* config-file",
            "its settings stand in a file of its own: simrun import reads it when it is given too"},
    KeyFate{"lora* use-lora peft* use-peft qlora load-in-*",
            "all weights are trained; 'lora' of a job is for adapters"},
    KeyFate{"torch-compile* compile dynamo-* jit-mode-eval use-ipex use-liger-kernel use-flash* attn-implementation "
            "use-cuda-graph* dropout attention-dropout hidden-dropout",
            "not modelled: kernels are those of the framework"},
    KeyFate{"ddp-* find-unused-parameters gradient-as-bucket-view static-graph split-batches dispatch-batches "
            "average-tokens-across-devices",
            "not modelled: gradients are sent as DistributedDataParallel does it by default"},
    KeyFate{"packing group-by-length length-column-name pad-to-max-length auto-find-batch-size neftune* "
            "torch-empty-cache-steps lomo",
            "not modelled: all sequences and steps are equal"},
    KeyFate{"dataloader-* num-workers workers num-data-workers preprocessing-num-workers prefetch-factor pin-memory",
            "reading of samples takes no time unless the job has an 'input'"},
    KeyFate{"output-dir overwrite-output-dir out-dir do-* eval* evaluation-* per-device-eval-batch-size "
            "fp16-full-eval bf16-full-eval fp16-opt-level fp16-backend half-precision-backend prediction-loss-only "
            "learning-rate lr* base-lr weight-decay adam-* momentum beta* max-grad-norm gradient-clipping clip* "
            "label-smoothing* warmup* log* report-to save* seed data-seed full-determinism dataset* data data-dir "
            "data-path data-root data-file "
            "train-file train-data validation* test-file max-train-samples max-eval-samples cache-dir use-cache "
            "preprocessing* overwrite-cache tokenizer* use-fast-tokenizer config-name config-overrides model-revision "
            "trust-remote-code token use-auth-token low-cpu-mem-usage streaming run-name project* wandb* tensorboard* "
            "push-to-hub* hub-* resume* load-best* metric* greater-is-better ignore-data-skip remove-unused-columns "
            "label-names disable-tqdm past-index debug skip-memory-metrics include-* use-cpu no-cuda verbose v "
            "print-freq checkpoint checkpoint-dir checkpoint-path checkpointing-steps checkpoint-every ckpt* "
            "experiment* exp-name name tags gpus-to-use text-column* summary-column* "
            "source-prefix block-size-tokenizer",
            harmless_key},
    launcher_fate,
    hostfile_fate,
    excluded_fate,
    binding_fate,
    variables_fate};

bool is_of_training(const CommandFlag& flag) // "-np 2" and "ps -De" are of shells and launchers
{
  return flag.written.starts_with("--") || flag.name.size() > 3 || flag.written == "-np" || flag.name.starts_with("-");
}

/// Whether the program of Python begins here that the ranks run: what stands behind are its own arguments.
bool begins_program(const std::string& before, const std::string& word)
{
  const bool launcher = word.starts_with("torch.distributed.") || word.starts_with("accelerate.");
  return word.ends_with(".py") || (before == "-m" && !launcher);
}

/// A short flag of a program, "-b 256" or "-b256", by the long name that PyTorch's ImageNet example has for it
/// (pytorch/examples, imagenet/main.py) and many follow. Others keep their dash.
CommandFlag short_flag(const std::string& word, const std::string& next)
{
  static const std::map<char, const char*> names{
      {'a', "arch"}, {'b', "batch-size"}, {'j', "workers"}, {'p', "print-freq"}, {'v', "verbose"}};
  CommandFlag flag{.written = word.substr(0, 2), .name = word.substr(0, 2), .value = word.substr(2)};
  if (flag.value.empty() && !next.starts_with("-"))
    flag.value = next;
  const bool counts = word[1] != 'b' || as_number<int>(flag.value).has_value();
  if (const auto found = names.find(word[1]); found != names.end() && counts)
    flag.name = found->second;
  return flag;
}

bool is_short(const std::string& word)
{
  return word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0 &&
         word.find_first_not_of("0123456789", 2) == std::string::npos;
}

/// The short flags of the programs in a script.
void put_short_flags(const std::string& text, LaunchScript& script, LaunchKeys& keys)
{
  const std::vector<ScriptWord> words = script_words(text);
  int program = -1; // the command that has one
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool first = i == 0 || words[i - 1].command != words[i].command;
    const bool last = i + 1 == words.size() || words[i + 1].command != words[i].command;
    program = begins_program(first ? "" : words[i - 1].text, words[i].text) ? words[i].command : program;
    if (program != words[i].command || !is_short(words[i].text))
      continue;
    const CommandFlag flag = short_flag(words[i].text, last ? "" : script.expanded(words[i + 1].text));
    keys.add(flag.name, {flag.written, flag.value, words[i].line});
  }
}

/// The number format that words of trainers mean: "bf16-mixed", "no", "torch.float16"; empty: none that is known.
std::string format_named(const std::string& text)
{
  const std::string word = lower_case(text);
  for (const auto& [part, format] : {std::pair{"bf16", "bf16"},
                                     {"bfloat16", "bf16"},
                                     {"fp16", "fp16"},
                                     {"float16", "fp16"},
                                     {"half", "fp16"},
                                     {"16-", "fp16"},
                                     {"fp8", "fp8"},
                                     {"tf32", "tf32"},
                                     {"32", "fp32"},
                                     {"no", "fp32"}})
    if (word.find(part) != std::string::npos)
      return format;
  return word == "16" ? "fp16" : "";
}

/// The optimiser that words of trainers mean: "adamw_torch_fused", "paged_adamw_8bit"; empty: none that is known.
std::string optimizer_named(const std::string& text)
{
  const std::string word = lower_case(text);
  const auto has = [&](const char* part) { return word.find(part) != std::string::npos; };
  for (const char* name : {"adafactor", "lion", "lamb", "lars", "adagrad", "rmsprop", "sgd"})
    if (has(name) && !has("8bit"))
      return name;
  if (!has("adam"))
    return "";
  return std::string{has("paged") ? "paged_adam" : has("8bit") ? "adam" : "adamw"} + (has("8bit") ? "_8bit" : "");
}

/// Which states the replicas divide (0: none, 2: gradients too, 3: weights too), by the words of PyTorch's FSDP, their
/// numbers in accelerate, and Lightning's strategies; nothing: none of them.
std::optional<int> zero_named(const std::string& text)
{
  const std::string word = lower_case(text);
  const auto has = [&](const char* part) { return word.find(part) != std::string::npos; };
  if (word == "3" || has("no_shard") || word == "none" || word == "false" || word == "no" || has("ddp"))
    return 0;
  if (has("deepspeed"))
    return has("1") ? 1 : has("3") ? 3 : 2;
  if (word == "2" || word == "5" || has("grad") || has("zero2"))
    return 2;
  const bool all = word.empty() || word == "1" || word == "4" || word == "true" || has("shard") || has("fsdp");
  return all ? std::optional{3} : std::nullopt;
}

bool is_read(const std::string& flag) // by flag_value
{
  return std::ranges::any_of(std::array<std::span<const std::string_view>, 3>{batch_flags, step_flags, model_flags},
                             [&](const auto& names) { return std::ranges::find(names, flag) != names.end(); });
}

/// What was read of a training becomes settings of its job: a transformer whose states are divided has a layout.
void take_layout(ParallelDraft d, ImportContext& context, DraftJob& job)
{
  ImportReport& report = context.report;
  const std::string& model = context.options.model.empty() ? job.model : context.options.model;
  const bool divisible = is_divisible(model);
  if (d.zero > 0 && (job.on_cpu || job.servers > 0 || !divisible))
    report.ignored("division of states among the GPUs",
                   job.on_cpu || job.servers > 0
                       ? "the job has parameter servers or no GPU"
                       : "states of transformers can be divided, and the file names none; --model NAME gives it",
                   d.place);
  if (d.zero > 0 && !job.on_cpu && job.servers == 0 && divisible) {
    set_divided_precision(d, report);
    d.gpus = job.workers;
    d.micro_batch = std::max(1, job.batch_per_gpu);
    if (job.batch_per_gpu == 0 && context.options.batch_per_gpu == 0)
      report.assumed("micro-batch 1", "the command names no batch; --batch N chooses another", d.place);
    job.accumulation = d.accumulation; // should it not be divided in the end
    job.recomputation = d.recomputation;
    const DraftJob made = parallel_job(std::move(d), context);
    job.model = made.model;
    job.precision = made.precision;
    job.optimizer = made.optimizer;
    job.parallel = made.parallel;
    return;
  }
  const bool narrow = d.precision == "bf16" || d.precision == "fp16" || d.precision == "fp8";
  job.precision = narrow ? "amp" : d.precision; // weights stay in fp32
  if (d.precision == "fp8")
    report.assumed("products in 16 bit", "those in fp8 are computed of divided transformers alone", d.place);
  job.accumulation = d.accumulation;
  job.recomputation = d.recomputation;
  job.optimizer = d.optimizer;
  if (d.sequence > 0 && !model.empty() && !model.ends_with(".json"))
    job.model = with_sequence(model, d.sequence);
  else if (d.sequence > 0)
    report.ignored({"sequences of {}", d.sequence}, "the file names no model that reads sequences", d.place);
}

/// The transformer whose dimensions stand among the arguments; nothing where one is missing. Models with a gate have a
/// narrower feed-forward network, 8 / 3 of the width (arXiv:2002.05202); the names of Llama's kin say so too.
std::optional<Transformer> dimensions_of(LaunchKeys& keys, ImportReport& report)
{
  const auto size = [&](const LaunchKeys::Names& names) {
    return keys.find(names) == nullptr ? 0 : keys.number(names, 0);
  };
  Transformer t;
  t.layers = size({"num-layers", "num-hidden-layers", "n-layers", "n-layer", "depth"});
  t.hidden = size({"hidden-size", "hidden-width", "hidden-dim", "d-model", "n-embd", "dim"});
  t.heads = size({"num-heads", "num-attention-heads", "n-heads", "n-head"});
  if (t.layers == 0 || t.hidden == 0 || t.heads == 0)
    return std::nullopt;
  const int given = size({"intermediate-size", "ffn-hidden-size", "ffn-dim", "n-inner"});
  const int groups = size({"num-key-value-heads", "num-query-groups", "num-kv-heads", "n-kv-heads"});
  const int words = size({"vocab-size"});
  const std::string type = lower_case(keys.word({"model-type"}));
  const bool kin = std::ranges::any_of(std::array{"llama", "mistral", "qwen", "gemma"},
                                       [&](const char* name) { return type.find(name) != std::string::npos; });
  t.gated = kin || (given > 0 && given < 3.5 * t.hidden);
  t.biases = t.tied = t.learnt_positions = !t.gated;
  t.ffn = given > 0 ? given : 4 * t.hidden;
  t.kv_heads = groups > 0 ? groups : t.heads;
  t.vocabulary = words > 0 ? words : t.gated ? 32000 : 50257;
  if (words == 0)
    report.assumed({"a vocabulary of {} words", t.vocabulary}, "the command does not give it (--vocab-size)",
                   keys.place());
  return t;
}

/// Processes and machines of the launcher, beside the containers of the file, which count.
void compare_ranks(LaunchKeys& keys, const CommandRanks& ranks, ImportReport& report)
{
  const auto compare = [&](const LaunchKeys::Names& names, int there, const char* what) {
    const LaunchKeys::Key* key = keys.find(names);
    if (key == nullptr)
      return;
    const std::string text = clean_text(key->text).substr(0, 60);
    if (const std::optional<int> said = as_number<int>(key->text); said && *said == there)
      report.understood(keys.place(), "{} {}", key->shown, text);
    else
      report.assumed({"{} {}", there, what},
                     {"the containers of the file count, whatever {} says ({})", key->shown, text}, keys.place());
  };
  const int each = std::max(1, ranks.gpus);
  compare({"nproc-per-node", "num-gpus", "devices"}, each, "ranks in a container, one for each GPU");
  compare({"nnodes", "num-nodes", "num-machines"}, ranks.containers, "containers with ranks");
  compare({"num-processes", "world-size", "np"}, ranks.containers * each, "ranks");
}

/// Optimiser states that divided replicas keep on the host; a device of "none" is as without it.
void read_offload(LaunchKeys& keys, ParallelDraft& d)
{
  for (const std::string name :
       {"offload-optimizer-device", "offload-param-device", "fsdp-offload-params", "cpu-offload"}) {
    const std::string device = lower_case(keys.value_of(name).value_or(""));
    const bool host = name.starts_with("offload-optimizer") && device == "cpu" && d.zero > 0;
    d.offload_optimizer = d.offload_optimizer || host;
    if (host || device == "none" || device == "false" || device == "no")
      keys.word(name);
  }
}

/// What a script writes into a file by "cat > FILE <<EOF", at the same lines; empty where it does not.
std::string written_by_script(const std::string& text, const std::string& file, LaunchScript& script)
{
  const std::vector<std::string> lines = split(text, '\n');
  const std::string name = file.substr(file.find_last_of('/') + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t mark = lines[i].find("<<");
    const std::vector<std::string> words = words_of(std::string_view{lines[i]}.substr(std::min(mark, lines[i].size())));
    if (mark == std::string::npos || words.empty() || lines[i].find(name) == std::string::npos)
      continue;
    std::string end = words.front() == "<<" || words.front() == "<<-" ? (words.size() > 1 ? words[1] : "") : words[0];
    const bool quoted = end.find_first_of("'\"") != std::string::npos;
    std::erase_if(end, [](char c) { return std::string_view{"<-'\"\\"}.find(c) != std::string_view::npos; });
    std::string body, above(i + 1, '\n');
    for (++i; i < lines.size() && trimmed(lines[i]) != end; ++i)
      body += lines[i] + "\n";
    return above + (quoted ? body : script.expanded(body));
  }
  return {};
}

/// What torchrun, deepspeed or accelerate is told of the machines and ranks that it starts.
void find_started(const LaunchKeys& keys, ScriptTraining& made)
{
  const auto says = [&](const char* name) { return keys.value_of(name).has_value(); };
  if (says("nnodes") || says("num-nodes") || says("num-machines") || says("num-processes"))
    made.start_machines = made.machines;
  else if (says("standalone"))
    made.start_machines = made.machines = 1;
  if (says("nproc-per-node") || says("num-gpus") || says("num-processes"))
    made.start_each = made.each;
}

/// The file of DeepSpeed that the arguments name, and its text where the script itself writes it.
void find_settings(LaunchKeys& keys, const std::string& text, LaunchScript& script, ScriptTraining& made)
{
  for (const char* name : {"deepspeed-config-file", "deepspeed-config", "deepspeed"})
    if (const auto found = keys.value_of(name); found && found->ends_with(".json")) {
      made.settings = *keys.find(name);
      made.settings_text = written_by_script(text, *found, script);
      return;
    }
}

} // namespace

std::span<const KeyFate> trainer_key_fates()
{
  return trainer_fates;
}

void set_divided_precision(ParallelDraft& d, ImportReport& report)
{
  if (d.precision == "bf16" || d.precision == "fp16" || d.precision == "fp8")
    return;
  report.assumed("products in bf16",
                 d.precision.empty() ? "the command names no precision"
                                     : "those in fp32 of a divided transformer are not modelled",
                 d.place);
  d.precision = "bf16";
}

void read_trainer(LaunchKeys& keys, ParallelDraft& d, int of_machine, ImportReport& report)
{
  d.accumulation = keys.number({"gradient-accumulation-steps", "accumulation-steps", "accumulate-grad-batches",
                                "grad-accum-steps", "gradient-accumulation", "accumulation"},
                               1);
  d.sequence = keys.number({"max-context-width", "context-length", "max-seq-length", "max-seq-len", "max-length",
                            "seq-length", "seq-len", "block-size", "model-max-length", "cutoff-len"},
                           0);
  if (keys.flag({"gradient-checkpointing", "activation-checkpointing", "checkpoint-activations",
                 "fsdp-activation-checkpointing"}))
    d.recomputation = "full";
  if (const std::string stage = keys.word({"zero-stage"}); !stage.empty())
    d.zero = std::clamp(as_index(stage).value_or(0), 0, 3);
  for (const char* name : {"fsdp", "use-fsdp", "strategy", "fsdp-sharding-strategy", "sharding-strategy"})
    if (const LaunchKeys::Key* key = keys.find(name); key != nullptr) {
      const std::string text = clean_text(key->text).substr(0, 60);
      const bool is_flag = std::string_view{name} == "use-fsdp"; // what stands behind it may be the program
      const std::optional<int> zero = is_flag && !zero_named(key->text) ? std::optional{3} : zero_named(key->text);
      if (!zero) {
        report.ignored({"{} {}", key->shown, text}, "is not known", keys.place());
        continue;
      }
      d.zero = *zero;
      report.understood(keys.place(), "{}{}: {}", key->shown, text.empty() ? "" : " " + text,
                        d.zero == 0   ? "every GPU holds the whole model"
                        : d.zero == 1 ? "replicas divide the optimiser's states"
                        : d.zero == 2 ? "replicas divide gradients and the optimiser's states"
                                      : "replicas divide weights, gradients and the optimiser's states");
      const std::string word = lower_case(key->text);
      const bool by_fsdp = word.find("deepspeed") == std::string::npos;
      d.sharding = d.zero == 2 && by_fsdp ? "fsdp" : "";
      d.shard_within = word.find("hybrid") != std::string::npos || word == "4" || word == "5" ? of_machine : 0;
      if (word.find("offload") != std::string::npos)
        report.ignored({"offload of {}", key->shown}, fate_of("fsdp-offload-params", trainer_fates), keys.place());
    }
  const auto meant = [&](const LaunchKeys::Names& names, const auto& meaning) {
    const LaunchKeys::Key* key = keys.find(names);
    std::string made = key == nullptr ? "" : meaning(key->text);
    if (const std::string text = key == nullptr ? "" : clean_text(key->text).substr(0, 60); !made.empty())
      report.understood(keys.place(), "{} {}", key->shown, text);
    else if (key != nullptr)
      report.ignored({"{} {}", key->shown, text}, "is not known", keys.place());
    return made;
  };
  d.optimizer = meant({"optim", "optimizer", "optimizer-name"}, optimizer_named);
  d.precision = meant({"mixed-precision", "precision", "dtype", "torch-dtype"}, format_named);
  const bool bf16 = keys.flag("bf16"), fp16 = keys.flag({"fp16", "amp", "use-amp", "use-fp16"}),
             tf32 = keys.flag("tf32");
  if (bf16 || fp16)
    d.precision = bf16 ? "bf16" : "fp16";
  else if (tf32 && (d.precision.empty() || d.precision == "fp32"))
    d.precision = "tf32";
  read_offload(keys, d);
}

std::vector<std::string> command_words(const std::string& text)
{
  std::vector<std::string> list;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      any = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (any || (!word.empty() && word != "\\")) // which ends a line
        list.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty())
    list.push_back(std::move(word));
  return list;
}

std::vector<CommandFlag> flags_of(std::span<const std::string> command, int line,
                                  const std::map<std::string, std::string>& variables)
{
  LaunchScript environment{"", variables, {}};
  std::vector<CommandFlag> flags;
  bool program = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    program = program || begins_program(i > 0 ? command[i - 1] : "", command[i]);
    if (program && is_short(command[i])) {
      flags.push_back(short_flag(command[i], i + 1 < command.size() ? command[i + 1] : ""));
      flags.back().line = line;
      flags.back().value = environment.expanded(flags.back().value);
      continue;
    }
    const std::size_t begin = command[i].find_first_not_of('-');
    if (!command[i].starts_with("-") || begin == std::string::npos)
      continue;
    const std::size_t equals = std::min(command[i].find('='), command[i].size());
    CommandFlag flag{.written = command[i].substr(0, equals),
                     .name = command[i].substr(begin, equals - begin),
                     .value = {},
                     .line = line};
    std::ranges::replace(flag.name, '_', '-');
    if (equals < command[i].size())
      flag.value = command[i].substr(equals + 1);
    else if (i + 1 < command.size() && !command[i + 1].starts_with("-"))
      flag.value = command[i + 1];
    for (std::size_t more = i + 2; flag.name == "fsdp" && more < command.size(); ++more) { // a list of words
      if (std::ranges::find(fsdp_words, command[more]) == std::end(fsdp_words))
        break;
      flag.value += " " + command[more];
    }
    flag.value = environment.expanded(flag.value);
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::map<std::string, std::string> variables_in(const std::string& text,
                                                const std::map<std::string, std::pair<std::string, int>>& variables,
                                                const std::string& file, ImportReport& report)
{
  std::map<std::string, std::string> known;
  for (const auto& [name, value] : variables)
    if (const bool read = std::ranges::any_of(std::array{"$" + name, "${" + name, "$(" + name},
                                              [&](const auto& one) { return text.find(one) != std::string::npos; });
        read && !value.first.empty()) {
      known[name] = value.first;
      report.understood({file, value.second}, "variable {} of the command", name);
    } else {
      report.ignored("environment variable " + name,
                     read ? "its value is not in the file" : "the command does not name it, and programs are not run",
                     {file, value.second});
    }
  return known;
}

std::string flag_value(std::span<const CommandFlag> flags, std::span<const std::string_view> names)
{
  for (const CommandFlag& flag : flags)
    if (!flag.value.empty() && std::ranges::find(names, flag.name) != names.end())
      return flag.value;
  return {};
}

std::vector<std::string> words_of_name(const std::string& name)
{
  std::vector<std::string> list(1);
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      list.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!list.back().empty())
      list.emplace_back();
  if (list.size() > 1 && list.back().empty())
    list.pop_back();
  return list;
}

std::string role_named(const std::string& name)
{
  if (name == "master-addr" || name == "master-port") // of torchrun
    return {};
  for (const std::string& word : words_of_name(name)) {
    if (word.starts_with("worker") || word == "chief" || word == "master")
      return "worker";
    if (word == "ps" || word == "pserver" || word.starts_with("parameter") || word == "server")
      return "ps";
  }
  return {};
}

void note_framework(const std::string& image, const ImportPlace& place, ImportContext& context)
{
  const std::size_t slash = image.rfind('/'), begin = slash == std::string::npos ? 0 : slash + 1;
  const std::size_t colon = std::min(image.find(':', begin), image.size());
  const std::string name = image.substr(begin, colon - begin);
  // tf_grpc_server and tf_grpc_test_server are of TensorFlow itself (tensorflow/tools/dist_test)
  const std::string framework = name.starts_with("tf_grpc_") ? "tensorflow" : name.substr(0, name.find('-'));
  const std::string kind = name.starts_with("tf_grpc_") ? "" : name.substr(framework.size());
  const bool whole = kind.empty() || kind == "-gpu" || kind == "-cpu" || kind == "-devel" || kind == "-notebook";
  if ((framework != "tensorflow" && framework != "pytorch") || !whole)
    return;
  std::string version;
  for (std::size_t i = colon + 1; i < image.size() && (std::isdigit(static_cast<unsigned char>(image[i])) != 0 ||
                                                       (image[i] == '.' && version.find('.') == std::string::npos));
       ++i)
    version += image[i]; // major and minor
  if (version.find('.') == std::string::npos || version.back() == '.' || image.starts_with("nvcr.io/"))
    version.clear(); // NVIDIA's tags are months
  set_framework(framework, version, version.empty() ? "name of the image" : "tag of the image", place, context);
}

void set_framework(const std::string& name, const std::string& version, const std::string& by, const ImportPlace& place,
                   ImportContext& context)
{
  const std::string flow =
      version.empty() ? fmt::format("{{name: {}}}", name) : fmt::format("{{name: {}, version: \"{}\"}}", name, version);
  const std::string words = version.empty() ? name : name + " " + version;
  std::string& known = context.draft.framework;
  if (known.empty() || known == fmt::format("{{name: {}}}", name)) // a version says more
    known = flow;
  if (known == flow)
    context.report.understood(place, "{}, by the {}", words, by);
  else if (!version.empty() || !known.starts_with("{name: " + name))
    context.report.ignored({"{} of the {}", words, by}, "the jobs of a scenario have one framework", place);
}

std::string model_named_in(const std::string& text)
{
  std::string lower;
  for (const char c : text)
    lower += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string best;
  for (const std::string& name : Registry<DnnSource>::instance().names()) {
    std::string flat;
    for (const char c : name)
      if (c != '_')
        flat += c;
    if ((lower.find(name) != std::string::npos || (flat.size() > 4 && lower.find(flat) != std::string::npos)) &&
        name.size() > best.size() && name.size() > 3)
      best = name;
  }
  for (std::size_t begin = 0; best.empty() && begin < text.size();) { // "meta-llama/Meta-Llama-3-8B"
    const std::size_t end = std::min(text.find_first_of(" \t\n/=:,\"'", begin), text.size());
    if (end - begin > 3)
      best = model_meant(text.substr(begin, end - begin)).name;
    begin = end + 1;
  }
  return best;
}

void read_training_command(std::span<const CommandFlag> flags, const std::string& text, const CommandRanks& ranks,
                           const ImportPlace& place, ImportContext& context, DraftJob& job)
{
  ImportReport& report = context.report;
  LaunchKeys keys{place.file, context, LaunchKeys::Kind::arguments};
  const std::string named = model_named_in(flag_value(flags, model_flags));
  for (const CommandFlag& flag : flags)
    if (is_of_training(flag))
      keys.add(flag.name, {clean_text(flag.written).substr(0, 60), flag.value, flag.line > 0 ? flag.line : place.line});
  const std::optional<Transformer> own =
      context.options.model.empty() && named.empty() ? dimensions_of(keys, report) : std::nullopt;
  if (const std::string model = named.empty() ? model_named_in(text) : named; !context.options.model.empty()) {
    // it counts
  } else if (own) {
    job.model = own_model(*own, place, report);
  } else if (!model.empty()) {
    job.model = model;
    report.assumed({"job {} trains {}", job.name, model}, "the image or command line names it", place);
  } else if (const std::string other = flag_value(flags, model_flags); !other.empty()) {
    report.error(place,
                 "job {} trains '{}', which is not in the catalogue: --model NAME chooses a network like it (--partial "
                 "takes resnet50){}",
                 job.name, other, did_you_mean(other, Registry<DnnSource>::instance().names()));
    job.model = "resnet50";
  }
  if (const double batch = number_of(flag_value(flags, batch_flags), 0); batch >= 1 && batch <= 1e6) {
    job.batch_per_gpu = static_cast<int>(batch);
    report.assumed({"job {} has a batch of {} per {}", job.name, job.batch_per_gpu, job.on_cpu ? "worker" : "GPU"},
                   "the command line names it", place);
  }
  if (const double steps = number_of(flag_value(flags, step_flags), 0); steps >= 1 && steps <= 1e12)
    job.steps = steps;
  ParallelDraft layout{.name = job.name, .model = job.model, .place = place};
  compare_ranks(keys, ranks, report);
  read_trainer(keys, layout, ranks.gpus, report);
  take_layout(std::move(layout), context, job);
  for (const CommandFlag& flag : flags) {
    const bool has_role = !role_named(flag.name).empty();
    if (const std::string_view why = fate_of(flag.name, trainer_fates);
        is_of_training(flag) && !has_role && !keys.is_used(flag.name) && !is_read(flag.name) && why != used_key)
      report.ignored("flag " + flag.written, why, {place.file, flag.line > 0 ? flag.line : place.line});
  }
}

std::string processes_of_containers(int gpus)
{
  return gpus <= 1 ? "worker_processes: gpu" : fmt::format("gpus_per_process: {}", gpus);
}

bool starts_training(const std::string& text)
{
  constexpr std::array of_python{"torchrun ", "torch.distributed.", "accelerate launch ", "deepspeed "};
  constexpr std::array of_any{"horovodrun ", "mpirun ", "mpiexec ", "srun ", "jsrun "};
  constexpr std::array others{"vllm",     "sglang",     "serve", "server",   "serving",    "infer",  "inference",
                              "generate", "generation", "eval",  "evaluate", "evaluation", "predict"};
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (std::ranges::none_of(of_python, has) && !(std::ranges::any_of(of_any, has) && (has("python") || has(".py"))))
    return false;
  const std::vector<ScriptWord> words = script_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i].text.substr(words[i].text.find_last_of('/') + 1);
    if (!name.ends_with(".py") && !(i > 0 && words[i - 1].text == "-m"))
      continue;
    const std::vector<std::string> parts = words_of_name(name);
    const bool trains =
        std::ranges::any_of(parts, [](const std::string& part) { return part.find("train") != std::string::npos; });
    if (!trains &&
        std::ranges::any_of(others, [&](const char* other) { return std::ranges::find(parts, other) != parts.end(); }))
      return false;
  }
  return true;
}

std::string model_of_script(const std::string& text, std::map<std::string, std::string> variables,
                            const ImportPlace& place, ImportContext& context)
{
  LaunchKeys keys{place.file, context, LaunchKeys::Kind::arguments};
  LaunchScript arguments{text, std::move(variables), {}};
  arguments.put_into(keys);
  put_short_flags(text, arguments, keys);
  for (const std::string_view flag : model_flags)
    if (const LaunchKeys::Key* key = keys.find(std::string{flag}); key != nullptr)
      if (std::string model = model_named_in(key->text); !model.empty())
        return model;
  return {};
}

ScriptTraining read_script_training(const std::string& text, std::map<std::string, std::string> variables,
                                    int of_machine, const ImportPlace& place, ImportContext& context)
{
  LaunchScript arguments{text, std::move(variables), {"fsdp"}};
  LaunchKeys keys{place.file, context, LaunchKeys::Kind::arguments};
  arguments.put_into(keys);
  put_short_flags(text, arguments, keys);
  const auto first_number = [&](const LaunchKeys::Names& names) {
    const std::string said = keys.word(names);
    const int least = as_index(said.substr(0, said.find(':'))).value_or(0);
    if (least > 0 && said.find(':') != std::string::npos)
      context.report.assumed(counted(least, "machine"), "the fewest of the range", keys.place());
    return least;
  };
  ScriptTraining made;
  made.machines = first_number({"nnodes", "num-nodes", "num-machines", "nodes"});
  made.each = first_number({"nproc-per-node", "num-gpus", "gpus-per-node", "ntasks-per-node", "gpus", "devices"});
  const int ranks = first_number({"num-processes", "ntasks", "np", "world-size"});
  const NamedHosts hosts = named_hosts(keys, ranks, context.report);
  made.machines = made.machines > 0 ? made.machines : hosts.machines;
  made.each = made.each > 0 ? made.each : hosts.each;
  if (ranks > 0 && made.each == 0) {
    made.machines = std::max(1, made.machines);
    made.each = std::max(1, ranks / made.machines);
  }
  if (made.each == 0)
    made.each = arguments.visible_gpus(place, context.report);
  find_started(keys, made);
  if (of_machine == 0 || (made.start_each > 0 && made.start_each < of_machine))
    of_machine = made.each;
  ParallelDraft& d = made.layout;
  d.place = place;
  for (const std::string_view flag : model_flags)
    if (const LaunchKeys::Key* key = keys.find(std::string{flag}); key != nullptr && d.model.empty()) {
      const std::string written = clean_text(key->text).substr(0, 60);
      d.model = model_named_in(key->text);
      if (d.model.empty())
        context.report.ignored({"network '{}'", written}, "the catalogue has none of this name", keys.place());
      else if (context.options.model.empty())
        context.report.understood(keys.place(), "{} {}: {}", key->shown, written, d.model);
    }
  if (d.model.empty())
    d.own = dimensions_of(keys, context.report);
  d.micro_batch = keys.number({"per-device-train-batch-size", "micro-batch-size", "train-batch-size", "batch-size"}, 0);
  if (d.micro_batch == 0) {
    d.micro_batch = 1;
    if (context.options.batch_per_gpu == 0)
      context.report.assumed("micro-batch 1", "the command names no batch; --batch N chooses another", place);
  }
  if (keys.flag("multiprocessing-distributed")) { // PyTorch's ImageNet example
    d.micro_batch = std::max(1, d.micro_batch / std::max(1, of_machine));
    context.report.assumed({"a batch of {} per GPU", d.micro_batch},
                           "with --multiprocessing-distributed the GPUs of a machine share its batch", keys.place());
  }
  if (const LaunchKeys::Key* steps = keys.find({"train-steps", "max-steps", "num-batches", "steps"}); steps != nullptr)
    d.steps = as_number<double>(steps->text).value_or(0) >= 1 ? keys.size_at(*steps, 0) : 0;
  read_trainer(keys, d, of_machine, context.report);
  find_settings(keys, text, arguments, made);
  if (std::ranges::find(context.report.files, "accelerate", &ImportedFile::format) != context.report.files.end())
    keys.word("config-file");
  keys.tell_rest(trainer_fates);
  arguments.tell(place.file, context.report);
  return made;
}

bool read_settings_of(const ScriptTraining& training, bool given, ImportContext& context)
{
  if (!training.settings)
    return given;
  const ImportPlace place{training.layout.place.file, training.settings->line};
  const std::string shown = training.settings->shown + " " + clean_text(training.settings->text).substr(0, 60);
  if (!given && !training.settings_text.empty())
    try {
      Registry<Importer>::instance().create("deepspeed")->read({place.file, training.settings_text}, context);
      given = true;
    } catch (const InputError& error) {
      context.report.ignored("what the script writes for " + shown, error.diagnostics().front().message, place);
    }
  if (given)
    context.report.understood(place, "{}: its settings are those of the job", shown);
  else
    context.report.ignored(shown, fate_of("deepspeed", trainer_fates), place);
  return given;
}

void note_launched(const ParallelDraft& training, DraftLaunch& launched)
{
  launched.model = training.model;
  launched.recomputation = training.recomputation;
  launched.precision = training.precision;
  launched.steps = training.steps;
  launched.micro_batch = training.micro_batch;
  launched.accumulation = training.accumulation;
  launched.sequence = training.sequence;
}

void add_trained(ParallelDraft d, ImportContext& context)
{
  if (is_divisible(context.options.model.empty() ? d.model : context.options.model)) {
    set_divided_precision(d, context.report);
    if (d.zero == 0)
      context.report.assumed("every GPU holds the whole model",
                             "the command names no division (--fsdp, a file of DeepSpeed)", d.place);
  }
  add_parallel_job(std::move(d), context);
}

} // namespace trainyard
