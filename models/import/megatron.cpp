// SPDX-License-Identifier: Apache-2.0
// Launch arguments of Megatron-LM, in a text file or in the shell script that starts it. Names and defaults:
// megatron/training/arguments.py.
#include "models/core/text.hpp"
#include "models/import/parallel_draft.hpp"
#include "models/parallel/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

namespace trainyard {
namespace {

struct ShellWord {
  std::string text;
  int line = 0;
};

/// Words of a script, without comments; quotes and the parentheses of lists part words, so that the arguments in
/// ARGS="--a 1 --b 2" are words too. `$((…))` and `${…}` stay whole.
std::vector<ShellWord> shell_words(const std::string& text)
{
  std::vector<ShellWord> words;
  std::string word;
  int line = 1, depth = 0;
  const auto end = [&] {
    if (!word.empty())
      words.push_back({word, line});
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (depth > 0 && c != '\n') {
      depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
      word += c;
    } else if (c == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{')) {
      word += {c, text[++i]};
      depth = 1;
    } else if (c == '#' && word.empty()) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (blank || c == '"' || c == '\'' || c == '(' || c == ')' || c == ';' || c == '\\' || c == ',') {
      end();
      depth = 0;
    } else {
      word += c;
    }
    line += c == '\n' ? 1 : 0;
  }
  end();
  return words;
}

/// Arguments of the launch, and the variables of the script that they name.
class LaunchArguments
{
public:
  explicit LaunchArguments(const std::string& text)
  {
    const std::vector<ShellWord> words = shell_words(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].text;
      const std::size_t equals = word.find('=');
      const auto next_value = [&]() -> std::string {
        if (i + 1 < words.size() && words[i + 1].line == words[i].line && !words[i + 1].text.starts_with("--"))
          return resolved(words[++i].text);
        return "";
      };
      if (word.starts_with("--") && word.size() > 2) {
        std::string name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
        std::ranges::replace(name, '_', '-');
        const int line = words[i].line;
        std::string value = equals == std::string::npos ? next_value() : resolved(word.substr(equals + 1));
        if (name == "recompute-modules" || name == "cp-comm-type") // take several words
          for (std::string more = next_value(); !more.empty(); more = next_value())
            value += " " + more;
        arguments_[name] = {value, line};
      } else if (equals != std::string::npos && equals > 0 && is_name(word.substr(0, equals))) {
        const bool open = equals + 1 == word.size();
        variables_[word.substr(0, equals)] = open ? next_value() : resolved(word.substr(equals + 1));
      }
    }
  }

  const ShellWord* find(const std::string& name)
  {
    const auto found = arguments_.find(name);
    if (found == arguments_.end())
      return nullptr;
    used_.insert(name);
    return &found->second;
  }
  std::optional<std::string> variable(const std::string& name) const
  {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional{found->second};
  }
  /// Those that nobody asked for.
  std::vector<std::pair<std::string, int>> rest() const
  {
    std::vector<std::pair<std::string, int>> list;
    for (const auto& [name, word] : arguments_)
      if (!used_.contains(name))
        list.emplace_back(name, word.line);
    return list;
  }
  bool empty() const { return arguments_.empty(); }

private:
  static bool is_name(const std::string& text)
  {
    return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  }

  /// "$TP", "${TP}", "${TP:-8}" by the variables so far; anything else stays.
  std::string resolved(const std::string& text) const
  {
    if (!text.starts_with('$'))
      return text;
    std::string name = text.substr(1), otherwise = text;
    if (name.starts_with('{') && name.ends_with('}')) {
      name = name.substr(1, name.size() - 2);
      if (const std::size_t dash = name.find(":-"); dash != std::string::npos) {
        otherwise = name.substr(dash + 2);
        name.resize(dash);
      }
    }
    const auto found = variables_.find(name);
    return found == variables_.end() || found->second.empty() ? otherwise : found->second;
  }

  std::map<std::string, ShellWord> arguments_;
  std::map<std::string, std::string> variables_;
  std::set<std::string> used_;
};

class MegatronReader
{
public:
  MegatronReader(const InputFile& file, ImportContext& context)
      : file_{file.name()}, arguments_{file.text()}, context_{context}
  {
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
    d.model = model(d);
    for (const auto& [name, line] : arguments_.rest())
      context_.report.ignored("--" + clean_text(name).substr(0, 60), "does not decide how long a step takes here",
                              {file_, line});
    add_parallel_job(std::move(d), context_);
  }

private:
  /// The number of an argument; @p otherwise where it is not there or cannot be evaluated.
  int number(const std::string& name, int otherwise)
  {
    const ShellWord* word = arguments_.find(name);
    if (word == nullptr)
      return otherwise;
    const ImportPlace place{file_, word->line};
    const std::optional<double> value = as_number<double>(word->text);
    if (!value) {
      context_.report.error(place, fmt::format("--{} {}: no number, and this file does not say what it stands for",
                                               name, clean_text(word->text).substr(0, 60)));
      return otherwise;
    }
    const int size = size_of(*value, "--" + name, place, context_);
    if (size == 0)
      return otherwise;
    context_.report.understood(fmt::format("--{} {}", name, size), place);
    return size;
  }

  bool flag(const std::string& name)
  {
    const ShellWord* word = arguments_.find(name);
    if (word != nullptr)
      context_.report.understood("--" + name, {file_, word->line});
    return word != nullptr;
  }

  /// What its flags leave of Megatron-LM's own kernels, whoever divides the weights (megatron/training/arguments.py:
  /// all are fused unless a flag says otherwise). Empty: all, which goes without saying but with @p fsdp.
  std::string fused(bool fsdp)
  {
    std::string kinds = "norm";
    bool all = true;
    for (const auto& [no, kind] : {std::pair{"no-rope-fusion", "rotary"},
                                   {"no-bias-swiglu-fusion", "activation"},
                                   {"no-bias-dropout-fusion", "dropout"}}) {
      const bool apart = flag(no);
      all = all && !apart;
      if (!apart)
        kinds += fmt::format(", {}", kind);
    }
    return all ? (fsdp ? "true" : "") : "[" + kinds + "]";
  }

  std::string word(const std::string& name)
  {
    const ShellWord* found = arguments_.find(name);
    if (found == nullptr)
      return "";
    context_.report.understood(fmt::format("--{} {}", name, clean_text(found->text).substr(0, 60)),
                               {file_, found->line});
    return found->text;
  }

  void gpus(ParallelDraft& d)
  {
    d.per_node = number("nproc-per-node", 0);
    const int nodes = number("nnodes", 0);
    const auto variable = [&](std::initializer_list<const char*> names) {
      for (const char* name : names)
        if (const std::optional<std::string> text = arguments_.variable(name))
          if (const std::optional<int> value = as_index(*text); value && *value > 0 && *value < 1'000'000)
            return *value;
      return 0;
    };
    if (d.per_node == 0)
      d.per_node = variable({"GPUS_PER_NODE", "NPROC_PER_NODE", "GPU_PER_NODE"});
    const int machines = nodes > 0 ? nodes : variable({"NNODES", "NUM_NODES", "NODES"});
    d.gpus = number("world-size", variable({"WORLD_SIZE"}));
    if (d.gpus == 0 && machines > 0 && d.per_node > 0)
      d.gpus = static_cast<int>(std::min(1e6, 1.0 * machines * d.per_node));
  }

  void layout(ParallelDraft& d)
  {
    d.tp = number("tensor-model-parallel-size", 1);
    d.pp = number("pipeline-model-parallel-size", 1);
    d.cp = number("context-parallel-size", 1);
    context_exchange(d);
    d.ep = number("expert-model-parallel-size", 1);
    layers_ = number("num-layers", 0);
    const int per_chunk = number("num-layers-per-virtual-pipeline-stage", 0);
    d.vp = number("num-virtual-stages-per-pipeline-rank", number("virtual-pipeline-model-parallel-size", 1));
    if (per_chunk > 0 && layers_ > 0)
      d.vp = std::max(1, layers_ / std::max(1, d.pp) / per_chunk);
    if (d.vp == 1 && d.pp > 1)
      d.schedule = "1f1b";
    const int first = number("decoder-first-pipeline-num-layers", 0);
    const int last = number("decoder-last-pipeline-num-layers", 0);
    if ((first > 0 || last > 0) && d.pp > 2 && d.pp < 1000 && d.vp == 1) {
      const int inner = d.pp - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
      const int each = std::max(1, (layers_ - first - last) / inner);
      for (int stage = 0; stage < d.pp; ++stage)
        d.layers_per_stage += fmt::format("{}{}", stage == 0 ? "[" : ", ",
                                          stage == 0 && first > 0         ? first
                                          : stage + 1 == d.pp && last > 0 ? last
                                                                          : each);
      d.layers_per_stage += "]";
    }
    d.sequence_parallel = flag("sequence-parallel");
    if (flag("use-distributed-optimizer"))
      d.zero = 1;
    d.flat_parameters = flag("use-megatron-fsdp") || flag("use-custom-fsdp");
    const bool fsdp = flag("use-torch-fsdp2") || d.flat_parameters;
    if (fsdp)
      d.zero = 3;
    if (const std::string sharding = word("data-parallel-sharding-strategy"); !sharding.empty())
      d.zero = sharding == "optim_grads_params" ? 3 : sharding == "optim_grads" ? 2 : sharding == "optim" ? 1 : 0;
    d.fused_elementwise = fused(d.zero == 3);
    d.overlap_gradients = flag("overlap-grad-reduce") || fsdp;
    flag("overlap-param-gather");
    // Sequence parallelism has messages beside products of its own (megatron/mpu/layers.py).
    const bool waits = flag("no-async-tensor-model-parallel-allreduce") && !d.sequence_parallel;
    d.overlap_tensor = flag("tp-comm-overlap") ? "all" : waits ? "none" : "";
    if (d.zero == 3 && !d.flat_parameters && d.tp > 1) { // PyTorch divides the weights, the messages stay Megatron-LM's
      d.tensor_messages = "megatron";
      if (d.overlap_tensor.empty())
        d.overlap_tensor = "backward";
    }
    d.expert_tp = number("num-experts", 1) > 1 ? number("expert-tensor-parallel-size", 0) : 0;
    d.overlap_experts = flag("overlap-moe-expert-parallel-comm");
  }

  /// How the ranks of a sequence exchange keys and values: one word for all layers, or one for each.
  void context_exchange(ParallelDraft& d)
  {
    const std::vector<ShellWord> kinds = shell_words(word("cp-comm-type"));
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
                            [&](const ShellWord& kind) { return kind.text != how && !kind.text.starts_with('$'); }))
      context_.report.assumed("all layers exchange keys and values as the first one does, by " + shown,
                              "--cp-comm-type names a kind for each layer", {file_, 0});
  }

  void batch(ParallelDraft& d)
  {
    d.micro_batch = number("micro-batch-size", 1);
    d.global_batch = number("global-batch-size", 0);
    d.decrease_batch = flag("decrease-batch-size-if-needed");
    d.mtp_layers = number("mtp-num-layers", 0);
    d.sequence = number("seq-length", number("encoder-seq-length", 0));
  }

  void precision(ParallelDraft& d)
  {
    const bool bf16 = flag("bf16"), fp16 = flag("fp16");
    const std::string fp8 = word("fp8-format");
    d.precision = !fp8.empty() || flag("fp8-hybrid") ? "fp8" : fp16 && !bf16 ? "fp16" : "bf16";
    if (flag("activation-func-fp8-input-store") && d.precision == "fp8")
      d.stored = {"linear_inputs", "activation_inputs"};
    else if (d.precision == "fp8" && d.zero == 3)
      d.stored = {"linear_inputs"}; // Transformer Engine's kernels, whoever divides the weights
    dropout(d);
    if (!bf16 && !fp16)
      context_.report.assumed("products in bf16", "the file has neither --bf16 nor --fp16", {file_, 0});
    const std::string backend = word("attention-backend");
    d.attention = flag("use-flash-attn") || backend == "flash" || backend == "fused" || backend == "auto" ? "flash"
                  : backend == "unfused"                                                                  ? "unfused"
                                                                                                          : "";
    if (d.attention.empty())
      context_.report.assumed("attention is fused", "the file names no kernel (--attention-backend)", {file_, 0});
  }

  /// Either share is 0.1 where the file does not say it.
  void dropout(ParallelDraft& d)
  {
    const std::string attention = word("attention-dropout"), hidden = word("hidden-dropout");
    if (attention.empty() && hidden.empty())
      return;
    const auto drops = [](const std::string& share) {
      return share.empty() || share.find_first_not_of("0.") != std::string::npos;
    };
    d.dropout = drops(attention) || drops(hidden);
    if (drops(attention) != drops(hidden))
      context_.report.assumed("values are left out in attention and before each sum with the identity path",
                              fmt::format("only --{}-dropout is 0", drops(attention) ? "hidden" : "attention"),
                              {file_, 0});
  }

  void recomputation(ParallelDraft& d)
  {
    const std::string granularity = word("recompute-granularity");
    const bool activations = flag("recompute-activations");
    if (granularity == "full")
      d.recomputation = "full";
    else if (granularity == "selective" || activations)
      d.recomputation = "selective";
    if (const std::string parts = word("recompute-modules"); !parts.empty() && d.recomputation == "selective") {
      d.recomputation = ""; // "core_attn" is what is computed again where nothing else is said
      for (const ShellWord& part : shell_words(parts))
        if (part.text == "core_attn")
          d.recomputation = "selective";
        else if (const std::string name = part.text == "moe_act" ? "activation" : part.text;
                 std::ranges::find(recompute_modules, name) != recompute_modules.end())
          d.recomputed.push_back(name);
        else
          context_.report.ignored("--recompute-modules " + clean_text(part.text).substr(0, 60), "is not known",
                                  {file_, 0});
    }
    const int layers = number("recompute-num-layers", 0);
    const std::string method = word("recompute-method");
    if (granularity == "full" && method == "block" && layers > 0)
      context_.report.assumed("all layers are computed again",
                              fmt::format("--recompute-method block does so for {} of a stage only", layers),
                              {file_, 0});
  }

  /// Dimensions of the model, where the file has them.
  std::string model(const ParallelDraft& d)
  {
    const int hidden = number("hidden-size", 0);
    const int heads = number("num-attention-heads", 0);
    const bool gated = flag("swiglu");
    const int given = number("ffn-hidden-size", 0);
    const int groups = number("num-query-groups", 0);
    const bool grouped = flag("group-query-attention") || groups > 0;
    const int width = number("kv-channels", 0);
    int vocabulary = number("padded-vocab-size", number("vocab-size", 0));
    const int multiple = number("make-vocab-size-divisible-by", 128);
    const int experts = number("num-experts", 1);
    const int active = number("moe-router-topk", 2);
    const int of_expert = number("moe-ffn-hidden-size", 0);
    const int shared = number("moe-shared-expert-intermediate-size", 0);
    const bool untied = flag("untie-embeddings-and-output-weights");
    const bool rotary = word("position-embedding-type") == "rope" || flag("use-rotary-position-embeddings");
    const bool biases = !flag("disable-bias-linear");
    const bool qkv_biases = flag("add-qkv-bias");
    const bool head_norms = flag("qk-layernorm");
    number("max-position-embeddings", 0);
    if (layers_ == 0 || hidden == 0 || heads == 0)
      return "";
    // Defaults of the framework: four times the width, with three matrices two thirds of it in steps of 64.
    const int dense = given > 0 ? given
                      : gated   ? static_cast<int>(8LL * hidden / 3 / 64 * 64)
                                : 4 * std::min(hidden, 100'000'000);
    const int ffn = experts > 1 && of_expert > 0 ? of_expert : dense;
    if (vocabulary == 0) {
      vocabulary = 50257;
      context_.report.assumed("a vocabulary of 50,257 words", "the file does not give it (--vocab-size)", {file_, 0});
    }
    const long long step = 1LL * std::min(multiple, 1'000'000) * std::clamp(d.tp, 1, 10'000);
    const long long padded = (vocabulary + step - 1) / step * step;
    if (padded != vocabulary)
      context_.report.understood(fmt::format("vocabulary {} padded to {}, a multiple of {}", vocabulary, padded, step),
                                 {file_, 0});
    return fmt::format(
        "{{name: transformer, layers: {}, hidden: {}, heads: {}{}, ffn: {}{}, vocabulary: {}{}{}, "
        "gated: {}, biases: {}, tied: {}, learnt_positions: {}{}{}}}",
        layers_, hidden, heads, grouped && groups > 0 ? fmt::format(", kv_heads: {}", groups) : "", ffn,
        width > 0 ? fmt::format(", head_width: {}", width) : "", std::min(padded, 10'000'000LL),
        experts > 1 ? fmt::format(", experts: {}, active_experts: {}", experts, std::min(active, experts)) : "",
        shared > 0 ? fmt::format(", shared_ffn: {}", shared) : "", gated, biases, !untied, !rotary,
        qkv_biases ? ", qkv_biases: true" : "", head_norms ? ", head_norms: true" : "");
  }

  std::string file_;
  LaunchArguments arguments_;
  ImportContext& context_;
  int layers_ = 0;
};

class Megatron final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return has("--tensor-model-parallel-size") || has("--pipeline-model-parallel-size") ||
           (has("--num-layers") && has("--hidden-size") && has("--num-attention-heads"));
  }
  std::string description() const override { return "launch arguments of Megatron-LM"; }
  void read(const InputFile& file, ImportContext& context) const override { MegatronReader{file, context}.read(); }
};

TY_REGISTER(Importer, Megatron, "megatron", "launch arguments of Megatron-LM: model, layout, batch");

} // namespace
} // namespace trainyard
