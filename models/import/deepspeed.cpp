// SPDX-License-Identifier: Apache-2.0
// The configuration file of DeepSpeed. Keys and defaults: its documentation, "DeepSpeed Configuration JSON".
#include "models/core/json.hpp"
#include "models/import/parallel_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

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
    d.micro_batch = std::max(1, micro);
    d.accumulation = std::max(1, accumulation);
    if (const Json* tensor = part("tensor_parallel"); tensor != nullptr)
      d.tp = std::max({1, number(*tensor, "autotp_size"), number(*tensor, "tp_size")});
    if (const Json* pipeline = part("pipeline"); pipeline != nullptr)
      d.pp = std::max(1, number(*pipeline, "stages"));
    zero(d);
    precision(d);
    if (const Json* recompute = part("activation_checkpointing"); recompute != nullptr) {
      d.recomputation = "full";
      context_.report.assumed("whole layers are computed again",
                              "activation_checkpointing only says how; the model's code says where",
                              {file_, recompute->line});
    }
    if (context_.options.nodes == 0 && batch > 0 && micro > 0 && batch % (1LL * d.micro_batch * d.accumulation) == 0)
      d.dp = static_cast<int>(batch / (1LL * d.micro_batch * d.accumulation)); // else it follows from the machines
    if (batch > 0)
      d.global_batch = batch;
    for (const auto& [key, member] : json_.members)
      if (!used_.contains(key))
        context_.report.ignored(clean_text(key).substr(0, 60), "does not decide how long a step takes here",
                                {file_, member.line});
    add_parallel_job(std::move(d), context_);
  }

private:
  /// An object of the file.
  const Json* part(const char* name)
  {
    used_.insert(name);
    const Json* found = json_.find(name);
    return found != nullptr && found->kind == Json::Kind::object ? found : nullptr;
  }

  /// 0 where it is not there, or left to the framework around DeepSpeed ("auto").
  int number(const Json& object, const char* name)
  {
    used_.insert(name);
    const Json* found = object.find(name);
    if (found == nullptr)
      return 0;
    const ImportPlace place{file_, found->line};
    if (found->kind == Json::Kind::text && found->string == "auto") {
      context_.report.ignored(name, "\"auto\": the framework around DeepSpeed fills it in", place);
      return 0;
    }
    const int value = size_of(found->kind == Json::Kind::number ? found->value : -1, name, place, context_);
    if (value > 0)
      context_.report.understood(fmt::format("{} {}", name, value), place);
    return value;
  }

  void zero(ParallelDraft& d)
  {
    const Json* zero = part("zero_optimization");
    if (zero == nullptr)
      return;
    if (const Json* stage = zero->find("stage"); stage != nullptr) {
      const bool known = stage->kind == Json::Kind::number &&
                         (stage->value == 0 || stage->value == 1 || stage->value == 2 || stage->value == 3);
      if (known) {
        d.zero = static_cast<int>(stage->value);
        context_.report.understood(fmt::format("ZeRO stage {}", d.zero), {file_, stage->line});
      } else {
        context_.report.error({file_, stage->line}, "the stage of ZeRO is 0, 1, 2 or 3");
      }
    }
    if (const Json* overlap = zero->find("overlap_comm"); overlap != nullptr && overlap->kind == Json::Kind::boolean) {
      d.overlap_gradients = overlap->flag;
      context_.report.understood(fmt::format("overlap_comm {}", overlap->flag), {file_, overlap->line});
    } else {
      d.overlap_gradients = d.zero == 3; // its default
    }
    offload(*zero, d);
    for (const auto& [key, member] : zero->members)
      if (key != "stage" && key != "overlap_comm" && !key.starts_with("offload_"))
        context_.report.ignored("zero_optimization." + clean_text(key).substr(0, 60),
                                "sizes of messages are not modelled", {file_, member.line});
  }

  void offload(const Json& zero, ParallelDraft& d)
  {
    for (const char* name : {"offload_optimizer", "offload_param"}) {
      const Json* part = zero.find(name);
      if (part == nullptr || part->kind != Json::Kind::object)
        continue;
      const Json* device = part->find("device");
      const std::string to =
          device != nullptr && device->kind == Json::Kind::text ? device->string : "a device without name";
      const ImportPlace place{file_, part->line};
      if (to == "none") {
        context_.report.understood(fmt::format("{} to none: nothing leaves the GPU", name), place);
      } else if (to == "cpu" && d.zero > 0 && std::string_view{name} == "offload_optimizer") {
        d.offload_optimizer = true;
        context_.report.understood("optimiser states in the memory of the host", place);
      } else {
        context_.report.ignored(
            name,
            fmt::format("what would lie on {} is kept on the GPU here: the job needs more GPU memory "
                        "here than there{}",
                        clean_text(to).substr(0, 30), d.zero == 0 ? "; DeepSpeed offloads from stage 1 on" : ""),
            place);
      }
    }
  }

  void precision(ParallelDraft& d)
  {
    const auto enabled = [&](const char* name) {
      const Json* found = part(name);
      const Json* flag = found == nullptr ? nullptr : found->find("enabled");
      return flag != nullptr && (flag->flag || flag->string == "auto");
    };
    const bool bf16 = enabled("bf16") || enabled("bfloat16");
    const bool fp16 = enabled("fp16");
    d.precision = fp16 && !bf16 ? "fp16" : "bf16";
    d.gradient_bytes = bf16 || fp16 ? 2 : 4; // gradients are sent as they are computed
    if (!bf16 && !fp16)
      context_.report.assumed("products in bf16", "the file turns on neither bf16 nor fp16; fp32 is not modelled",
                              {file_, json_.line});
    else
      context_.report.understood(d.precision, {file_, json_.line});
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
    return head.find("\"zero_optimization\"") != std::string_view::npos ||
           head.find("\"train_micro_batch_size_per_gpu\"") != std::string_view::npos ||
           head.find("\"train_batch_size\"") != std::string_view::npos;
  }
  std::string description() const override { return "configuration of DeepSpeed"; }
  void read(const InputFile& file, ImportContext& context) const override { DeepSpeedReader{file, context}.read(); }
};

TY_REGISTER(Importer, DeepSpeed, "deepspeed", "DeepSpeed's JSON: ZeRO stage, batch, precision; with --model");

} // namespace
} // namespace trainyard
