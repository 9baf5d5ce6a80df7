// SPDX-License-Identifier: Apache-2.0
// The TOML file of a training with torchtitan. Keys and defaults: torchtitan/config/job_config.py.
#include "models/core/text.hpp"
#include "models/import/parallel_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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

bool is_torchtitan(std::string_view head)
{
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  return has("[training]") && has("[model]") && (has("flavor") || has("[parallelism]") || has("_parallel_degree"));
}

#if TRAINYARD_TOML

class TorchTitanReader
{
public:
  TorchTitanReader(const InputFile& file, toml::table table, ImportContext& context)
      : file_{file.name()}, table_{std::move(table)}, context_{context}
  {
  }

  void read(const std::string& text)
  {
    ParallelDraft d;
    d.place = {file_, 0};
    d.name = "torchtitan";
    d.model = model();
    layout(d);
    d.sequence = number("training", "seq_len", 2048);
    const int local = number("training", "local_batch_size", number("training", "batch_size", 8));
    d.micro_batch = d.pp > 1 ? number("parallelism", "pipeline_parallel_microbatch_size", 1) : local;
    preset(d, text);
    if (d.dp == 0 && d.gpus > 0)
      d.dp = std::max(1, d.gpus / std::max(1, d.tp * d.pp * d.cp));
    const int global = number("training", "global_batch_size", 0);
    d.accumulation = std::max(1, local / d.micro_batch);
    d.global_batch = global;
    const std::string mode = word("activation_checkpoint", "mode", "selective");
    d.recomputation = mode == "full" ? "full" : mode == "selective" ? "every_second" : "";
    if (mode == "selective")
      if (const std::string option = word("activation_checkpoint", "selective_ac_option", "2"); option != "op")
        context_.report.assumed(
            "every second product is computed again",
            fmt::format("selective_ac_option {} computes some layers again, at about this price", option.substr(0, 20)),
            place_);
    d.early_stop = true;    // PyTorch's checkpoints
    d.attention = "flash2"; // of PyTorch
    d.scaling = "current";  // torchao's dynamic scaling
    d.fused_elementwise = compiled() ? "true" : "false";
    precision(d);
    for (const auto& [section, entries] : table_) {
      const std::string name{section.str()};
      if (const toml::table* inner = entries.as_table(); inner != nullptr) {
        for (const auto& [key, value] : *inner)
          if (const std::string path = name + "." + std::string{key.str()}; !used_.contains(path))
            context_.report.ignored(clean_text(path).substr(0, 80), why_ignored(path, d.precision), at(value));
      } else if (!used_.contains(name)) {
        context_.report.ignored(clean_text(name).substr(0, 80), "does not decide how long a step takes here",
                                at(entries));
      }
    }
    add_parallel_job(std::move(d), context_);
  }

private:
  ImportPlace at(const toml::node& node) const { return {file_, static_cast<int>(node.source().begin.line)}; }

  const toml::node* find(const char* section, const char* key)
  {
    used_.insert(std::string{section} + "." + key);
    const toml::table* inner = table_[section].as_table();
    const toml::node* found = inner == nullptr ? nullptr : inner->get(key);
    if (found != nullptr)
      place_ = at(*found);
    return found;
  }

  /// -1: "as many as are left".
  int number(const char* section, const char* key, int otherwise)
  {
    const toml::node* found = find(section, key);
    if (found == nullptr)
      return otherwise;
    const std::string what = fmt::format("{}.{}", section, key);
    const double value = found->is_number() ? found->value<double>().value_or(0) : 0;
    if (value == -1) {
      context_.report.understood(what + " -1", place_);
      return otherwise;
    }
    const int size = size_of(value, what, place_, context_);
    if (size == 0)
      return otherwise;
    context_.report.understood(fmt::format("{} {}", what, size), place_);
    return size;
  }

  std::string word(const char* section, const char* key, const std::string& otherwise)
  {
    const toml::node* found = find(section, key);
    std::string value = found == nullptr ? "" : clean_text(found->value<std::string>().value_or(""));
    if (value.empty())
      return otherwise;
    context_.report.understood(fmt::format("{}.{} {}", section, key, value.substr(0, 60)), place_);
    return value;
  }

  bool flag(const char* section, const char* key)
  {
    const toml::node* found = find(section, key);
    const bool set = found != nullptr && found->value<bool>().value_or(false);
    if (set)
      context_.report.understood(fmt::format("{}.{}", section, key), place_);
    return set;
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
    const std::string name = word("model", "name", ""), flavor = word("model", "flavor", "");
    const auto found = known.find({name, flavor});
    if (found != known.end())
      return found->second;
    if (!name.empty() && context_.options.model.empty())
      context_.report.warning(place_,
                              fmt::format("the catalogue has no {} {}", name.substr(0, 60), flavor.substr(0, 60)));
    return "";
  }

  void layout(ParallelDraft& d)
  {
    d.tp = number("parallelism", "tensor_parallel_degree", number("training", "tensor_parallel_degree", 1));
    d.pp = number("parallelism", "pipeline_parallel_degree", number("experimental", "pipeline_parallel_degree", 1));
    d.cp = number("parallelism", "context_parallel_degree", number("experimental", "context_parallel_degree", 1));
    if (d.cp > 1) {
      d.ring_merge = compiled() ? "compiled" : "eager";
      const char* key = "context_parallel_rotate_method";
      if (word("parallelism", key, word("experimental", key, "allgather")) == "alltoall")
        d.context_exchange = "p2p";
    }
    d.ep = number("parallelism", "expert_parallel_degree", 1);
    const int replicate = number("parallelism", "data_parallel_replicate_degree",
                                 number("training", "data_parallel_replicate_degree", 1));
    const int shard =
        number("parallelism", "data_parallel_shard_degree", number("training", "data_parallel_shard_degree", 0));
    if (shard > 0)
      d.dp = static_cast<int>(std::min(1e6, 1.0 * replicate * shard));
    d.sequence_parallel = d.tp > 1; // its tensor parallelism always divides the norms as well
    const std::string reshard = word("parallelism", "fsdp_reshard_after_forward", "default");
    d.zero = shard == 1 ? 0 : reshard == "never" || (reshard == "default" && d.pp > 1) ? 2 : 3;
    if (replicate > 1 && d.zero > 0 && shard > 1)
      d.shard_within = static_cast<int>(std::min(1e6, 1.0 * shard * d.cp));
    else if (replicate > 1 && d.zero > 0)
      context_.report.assumed("states are divided over all replicas",
                              "the file does not say over how many (data_parallel_shard_degree)", place_);
    d.gradient_bytes = 4;
    if (d.pp > 1) {
      static const std::map<std::string, std::string> schedules{
          {"1F1B", "1f1b"},         {"GPipe", "gpipe"}, {"Interleaved1F1B", "interleaved"},
          {"ZBVZeroBubble", "zbv"}, {"DualPipeV", ""},  {"InterleavedZeroBubble", ""},
          {"LoopedBFS", ""}};
      const std::string name = word("parallelism", "pipeline_parallel_schedule", "1F1B");
      const auto known = schedules.find(name);
      d.schedule = known == schedules.end() ? "" : known->second;
      if (d.schedule.empty()) {
        d.schedule = "interleaved";
        context_.report.assumed("the schedule interleaved", fmt::format("'{}' is not modelled", name.substr(0, 60)),
                                place_);
      }
      if (d.schedule == "interleaved" || d.schedule == "zbv") {
        d.vp = 2;
        if (number("parallelism", "pipeline_parallel_layers_per_stage", 0) > 0 || d.schedule == "interleaved")
          context_.report.assumed("two chunks on each GPU", "what the framework takes for such schedules", place_);
      }
    }
    d.tensor_messages = "dtensor"; // which are waited for
    if (const bool async = flag("parallelism", "enable_async_tensor_parallel"); d.tp > 1)
      d.overlap_tensor = async ? "all" : "none";
  }

  /// Settings of 8-bit products count only with the converter, and then which products it leaves out and what it
  /// gathers in 8 bit.
  static std::string why_ignored(const std::string& path, const std::string& precision)
  {
    const bool float8 = path.starts_with("float8."), microscaling = path.starts_with("mx.");
    if (!float8 && !microscaling && !path.starts_with("quantize."))
      return "does not decide how long a step takes here";
    if (float8 ? precision == "fp8" : microscaling ? precision == "mxfp8" : precision != "bf16")
      return fmt::format("not modelled: all products of layers are in {}, and weights are gathered in 16 bit",
                         precision);
    return "has no effect without a converter: model.converters names none for it";
  }

  bool compiled() { return flag("compile", "enable") || flag("training", "compile"); }

  void precision(ParallelDraft& d)
  {
    d.precision = "bf16";
    const auto read = [&](const toml::node& one) {
      const std::string name = one.value<std::string>().value_or("");
      if (name == "mx" || name.ends_with(".mx"))
        d.precision = "mxfp8";
      else if (name.find("float8") != std::string::npos)
        d.precision = "fp8";
    };
    const toml::node* converters = find("model", "converters");
    if (converters != nullptr && converters->is_array())
      for (const toml::node& one : *converters->as_array())
        read(one);
    else if (converters != nullptr)
      read(*converters);
    if (d.precision != "bf16")
      context_.report.understood(fmt::format("products in {} (model.converters)", d.precision), place_);
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
    context_.report.assumed(fmt::format("{} GPUs", d.gpus), "a comment of the file says that it is made for so many",
                            place);
  }

  std::string file_;
  toml::table table_;
  ImportContext& context_;
  std::set<std::string> used_;
  ImportPlace place_;
};

#endif

class TorchTitan final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return is_torchtitan(file.head()); }
  std::string description() const override { return "torchtitan configuration"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
#if TRAINYARD_TOML
    const std::string text = file.text();
    try {
      TorchTitanReader{file, toml::parse(text), context}.read(text);
    } catch (const toml::parse_error& error) {
      context.report.error({file.name(), static_cast<int>(error.source().begin.line)},
                           fmt::format("no TOML: {}", clean_text(std::string{error.description()})),
                           static_cast<int>(error.source().begin.column));
    } catch (const std::invalid_argument& error) {
      context.report.error({file.name(), 0}, fmt::format("no TOML: {}", error.what()));
    }
#else
    context.report.error({file.name(), 0}, "this program was built without libtomlplusplus-dev, which TOML files need");
#endif
  }
};

TY_REGISTER(Importer, TorchTitan, "torchtitan", "torchtitan's TOML: model, layout, batch, recomputation");

} // namespace
} // namespace trainyard
