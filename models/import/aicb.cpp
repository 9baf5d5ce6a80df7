// SPDX-License-Identifier: Apache-2.0
// Workloads that AICB writes for SimAI: a line with the layout, a number of rows, and a row per operation: its name, a
// place holder, then time, collective and bytes of the forward pass, of the backward pass and of the gradients.
// Source: AICB, workload_generator/SimAI_training_workload_generator.py (dump_file).
#include "models/core/text.hpp"
#include "models/dnn/transformer.hpp"
#include "models/import/parallel_draft.hpp"
#include "models/import/work_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

namespace trainyard {
namespace {

constexpr std::string_view aicb_mark = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";

class AicbReader
{
public:
  AicbReader(const InputFile& file, ImportContext& context) : file_{file.name()}, text_{file.text()}, context_{context}
  {
  }

  void read()
  {
    std::istringstream lines{text_};
    std::string line;
    int number = 0;
    long long expected = -1;
    while (std::getline(lines, line)) {
      ++number;
      if (trimmed(line).empty())
        continue;
      if (header_.empty())
        header(line, number);
      else if (expected < 0)
        expected = as_index(trimmed(line)).value_or(0);
      else
        row(line, number);
    }
    const ImportPlace place{file_, 1};
    if (expected != rows_)
      context_.report.error({file_, 2}, "the second line says how many rows there are; it is not {}", rows_);
    const int gpus = value("all_gpus", 1), tp = value("model_parallel_NPU_group", 1), pp = value("pp", 1);
    const bool replicas = gpus > 1LL * tp * pp;
    for (const auto& [name, bytes] : bytes_)
      if (const std::string text = fmt::format("{}: {:.4g} MB", name, bytes / 1e6);
          !context_.options.model.empty() ||
          (is_sum(name.substr(name.find(' ') + 1)) && name.starts_with("gradients") && replicas))
        context_.report.understood(text, place);
      else
        context_.report.ignored(text,
                                name.starts_with("gradients") && !replicas
                                    ? "there is one replica, which adds up nothing"
                                    : "without the model only sums of gradients become part of the job; --model NAME "
                                      "computes these messages too",
                                place);
    if (compute_ns_ > 0)
      context_.report.understood(place, "computing {:.4g} ms for a micro-batch", compute_ns_ / 1e6);
    if (context_.options.model.empty()) {
      context_.report.assumed("a job of one pass with these times and gradients",
                              "the file does not name the model; --model NAME makes a divided transformer of it",
                              place);
      WorkSummary work{.name = "aicb", .ranks = gpus, .compute_s = compute_ns_ * 1e-9, .place = place};
      work.all_reduce_bytes = replicas ? gradients_ : 0;
      work.element_bytes = 2;
      add_work(work, context_);
      return;
    }
    ParallelDraft d;
    d.place = place;
    d.name = "aicb";
    d.gpus = gpus;
    d.tp = tp;
    d.pp = pp;
    d.ep = value("ep", 1);
    d.accumulation = value("ga", 1);
    d.dp = static_cast<int>(std::max(1LL, gpus / std::max(1LL, 1LL * tp * pp)));
    d.sequence_parallel = scatters_ && tp > 1;
    d.zero = gathers_ ? 1 : 0;
    d.micro_batch = micro_batch(d);
    context_.report.ignored("times of the rows", "the closed form computes them from the model", place);
    if (pp > 1)
      context_.report.ignored("vpp", "AICB writes the number of layers there", place);
    add_parallel_job(std::move(d), context_);
  }

private:
  /// Also a reduce-scatter, behind which an all-gather sends what each rank has updated.
  static bool is_sum(const std::string& kind)
  {
    return kind.starts_with("ALLREDUCE") || kind.starts_with("REDUCESCATTER");
  }

  /// "NAME key: value key: value…"; `pp_comm` may have no colon.
  void header(const std::string& line, int number)
  {
    std::istringstream words{line};
    std::string word, key;
    while (words >> word) {
      if (word == aicb_mark) {
        header_["form"] = 1;
      } else if (const std::optional<double> value = as_number<double>(word); value && !key.empty()) {
        header_.try_emplace(key, *value);
        if (*value > 0)
          context_.report.understood({file_, number}, "{} {:.10g}", clean_text(key), *value);
      } else {
        key = word.ends_with(':') ? word.substr(0, word.size() - 1) : word;
        if (key.size() > 40)
          key.resize(40);
      }
    }
    if (!header_.contains("form"))
      context_.report.error({file_, number}, "the first line does not begin with {}", aicb_mark);
    header_["form"] = 1;
  }

  int value(const char* key, int otherwise)
  {
    const auto found = header_.find(key);
    if (found == header_.end() || found->second == 0)
      return otherwise;
    return std::max(1, size_of(found->second, key, {file_, 1}, context_));
  }

  void row(const std::string& line, int number)
  {
    std::istringstream words{line};
    std::vector<std::string> cells;
    for (std::string word; words >> word && cells.size() < 16;)
      cells.push_back(word);
    ++rows_;
    if (cells.size() < 11) {
      context_.report.error({file_, number}, "a row has 12 cells; here are {}", cells.size());
      return;
    }
    // Time, collective, bytes: of the forward pass, the backward pass, the gradients of weights.
    const char* passes[] = {"forward", "backward", "gradients"};
    for (std::size_t pass = 0; pass < 3; ++pass) {
      const std::optional<double> time = as_number<double>(cells[2 + 3 * pass]);
      const std::optional<double> bytes = as_number<double>(cells[4 + 3 * pass]);
      if (!time || !bytes || !(*time >= 0 && *time <= 1e18) || !(*bytes >= 0 && *bytes <= 1e18)) {
        context_.report.error({file_, number}, "time or bytes of the {} are no number", passes[pass]);
        return;
      }
      compute_ns_ += *time;
      std::string kind = clean_text(cells[3 + 3 * pass]).substr(0, 40);
      if (kind == "NONE" || kind == "0")
        continue;
      bytes_[fmt::format("{} {}", passes[pass], kind)] += *bytes;
      scatters_ = scatters_ || (pass == 0 && kind.starts_with("REDUCESCATTER"));
      if (pass == 2 && is_sum(kind))
        gradients_ += *bytes;
      gathers_ = gathers_ || (cells[0].starts_with("grad_param") && kind.starts_with("ALLGATHER"));
    }
  }

  /// From the bytes between stages: 2 x micro-batch x sequence x width, divided over tp with sequence parallelism.
  int micro_batch(const ParallelDraft& d)
  {
    const Transformer* model = find_transformer(context_.options.model);
    const auto bytes = header_.find("pp_comm");
    if (model == nullptr || bytes == header_.end() || bytes->second <= 0) {
      context_.report.assumed("micro-batch 1", "the file does not give it", d.place);
      return 1;
    }
    const double one = 2.0 * model->sequence * model->hidden;
    const double sequences = bytes->second * (d.sequence_parallel ? d.tp : 1) / one;
    if (sequences < 1 || sequences > 1e6 || std::abs(sequences - std::round(sequences)) > 0.01) {
      context_.report.assumed("micro-batch 1",
                              {"the {:.0f} bytes between stages are no whole number of sequences of {} tokens",
                               bytes->second, model->sequence},
                              d.place);
      return 1;
    }
    context_.report.understood(d.place, "micro-batch {:.0f} (from the bytes between stages)", sequences);
    return static_cast<int>(std::round(sequences));
  }

  std::string file_, text_;
  ImportContext& context_;
  std::map<std::string, double> header_;
  std::map<std::string, double> bytes_;
  double compute_ns_ = 0, gradients_ = 0;
  long long rows_ = 0;
  bool scatters_ = false, gathers_ = false;
};

class Aicb final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.head().starts_with(aicb_mark) && file.has("all_gpus");
  }
  std::string description() const override { return "workload of AICB for SimAI"; }
  void read(const InputFile& file, ImportContext& context) const override { AicbReader{file, context}.read(); }
};

TY_REGISTER(Importer, Aicb, "aicb", "workloads of AICB for SimAI: layout, times, bytes of collectives");

} // namespace
} // namespace trainyard
