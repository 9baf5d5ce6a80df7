// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/import/work_summary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace trainyard {
namespace {

using Json = nlohmann::json;

/// What is kept of an event until it ends; nothing grows with the file.
struct Event {
  std::string phase, category, name, collective, type;
  double duration_us = 0;
  double elements = 0;
  double group = 0;
};

struct Totals {
  long long events = 0;
  long long kernels = 0;
  double compute_us = 0;
  double nccl_us = 0;
  double copies_us = 0;
  std::map<std::string, double> bytes; // by collective
  std::set<std::string> steps;
  double steps_us = 0;
  std::string device;
  std::string backend;
  int devices = 0;
  int world = 0;
  int rank = -1;
  double group = 0;
  std::string schema;
};

int bytes_of(const std::string& type)
{
  return type == "Half" || type == "BFloat16" || type == "c10::Half" || type == "c10::BFloat16" ? 2
         : type == "Double" || type == "Long" || type == "double"                               ? 8
         : type == "Byte" || type == "Char" || type == "Bool"                                   ? 1
                                                                                                : 4;
}

/// Reads the file as it streams by: traces have hundreds of megabytes.
class Reader final : public nlohmann::json_sax<Json>
{
public:
  Totals totals;
  std::string fault;
  std::size_t fault_byte = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override
  {
    if (depth() == event_depth && path_[1] == "traceEvents") {
      if (key_ == "ph")
        event_.phase = text;
      else if (key_ == "cat")
        event_.category = text;
      else if (key_ == "name")
        event_.name = text.substr(0, 200);
    } else if (in_args()) {
      if (key_ == "Collective name")
        event_.collective = text;
      else if (key_ == "dtype")
        event_.type = text;
    } else if (path_.size() == 2 && path_[1] == "distributedInfo" && key_ == "backend") {
      totals.backend = text.substr(0, 60);
    } else if (path_.size() == 3 && path_[1] == "deviceProperties" && key_ == "name" && totals.device.empty()) {
      totals.device = text.substr(0, 100);
    }
    return true;
  }
  bool key(string_t& name) override
  {
    key_ = name.size() > 100 ? name.substr(0, 100) : name;
    return true;
  }
  bool start_object(std::size_t) override
  {
    enter();
    if (depth() == event_depth && path_[1] == "traceEvents")
      event_ = {};
    if (path_.size() == 3 && path_[1] == "deviceProperties")
      ++totals.devices;
    return depth() < 200;
  }
  bool end_object() override
  {
    if (depth() == event_depth && path_[1] == "traceEvents")
      take();
    path_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override
  {
    enter();
    return depth() < 200;
  }
  bool end_array() override
  {
    path_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override
  {
    fault = error.what();
    fault_byte = position;
    return false;
  }

private:
  // path_ holds the keys of the open values: "", traceEvents, (item), args
  static constexpr std::size_t event_depth = 3;
  std::size_t depth() const { return path_.size(); }
  void enter() { path_.push_back(path_.empty() ? std::string{} : key_); }
  bool in_args() const { return depth() == event_depth + 1 && path_[1] == "traceEvents" && path_[3] == "args"; }

  bool number(double value)
  {
    if (depth() == event_depth && path_[1] == "traceEvents" && key_ == "dur")
      event_.duration_us = value;
    else if (in_args() && key_ == "In msg nelems")
      event_.elements = value;
    else if (in_args() && key_ == "Group size")
      event_.group = value;
    else if (depth() == 2 && path_[1] == "distributedInfo" && key_ == "world_size")
      totals.world = static_cast<int>(std::clamp(value, 0.0, 1e6));
    else if (depth() == 2 && path_[1] == "distributedInfo" && key_ == "rank")
      totals.rank = static_cast<int>(std::clamp(value, -1.0, 1e6));
    else if (depth() == 1 && key_ == "schemaVersion")
      totals.schema = fmt::format("{:g}", value);
    return true;
  }

  void take()
  {
    ++totals.events;
    if (event_.phase != "X" || !(event_.duration_us >= 0) || event_.duration_us > 1e12)
      return;
    if (event_.category == "kernel" || event_.category == "Kernel") {
      ++totals.kernels;
      if (event_.name.starts_with("nccl")) {
        totals.nccl_us += event_.duration_us;
        std::string collective = event_.collective;
        if (collective.empty())
          collective = event_.name.find("AllReduce") != std::string::npos ? "allreduce" : event_.name;
        if (event_.elements > 0 && event_.elements < 1e15)
          totals.bytes[collective.substr(0, 60)] += event_.elements * bytes_of(event_.type);
        totals.group = std::max(totals.group, event_.group);
      } else {
        totals.compute_us += event_.duration_us;
      }
    } else if (event_.category == "gpu_memcpy" || event_.category == "gpu_memset" || event_.category == "Memcpy") {
      totals.copies_us += event_.duration_us;
    } else if (event_.name.starts_with("ProfilerStep#") && event_.category != "gpu_user_annotation" &&
               totals.steps.size() < 100'000 && totals.steps.insert(event_.name).second) {
      totals.steps_us += event_.duration_us;
    }
  }

  std::vector<std::string> path_;
  std::string key_;
  Event event_;
};

/// PyTorch profiler traces (Kineto, Chrome trace events), plain or gzip. Source: pytorch/kineto,
/// libkineto/src/output_json.cpp.
class Kineto final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.has("\"traceEvents\"") || (file.has("\"schemaVersion\"") && file.has("\"deviceProperties\""));
  }
  std::string description() const override { return "PyTorch profiler trace (Kineto)"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    Reader reader;
    const std::unique_ptr<std::istream> stream = file.stream();
    static_cast<void>(Json::sax_parse(*stream, &reader));
    const Totals& totals = reader.totals;
    const ImportPlace place{file.name(), 0};
    if (!reader.fault.empty())
      context.report.error(place, "the JSON is cut off at byte {}: {}", reader.fault_byte, reader.fault.substr(0, 200));
    context.report.understood(place, "{} events, {} GPU kernels, {}", totals.events, totals.kernels,
                              counted(totals.steps.size(), "profiler step"));
    if (totals.kernels == 0) {
      context.report.error(place, "the trace has no GPU kernel; profile with ProfilerActivity.CUDA");
      return;
    }
    const double steps = std::max<double>(1, static_cast<double>(totals.steps.size()));
    if (totals.steps.empty())
      context.report.assumed("the trace is one step", "it has no ProfilerStep annotation", place);
    WorkSummary work{.name = "profiled", .compute_s = totals.compute_us * 1e-6 / steps, .place = place};
    work.ranks = std::max(totals.world, static_cast<int>(std::min(totals.group, 1e6)));
    if (totals.world > 0)
      context.report.understood(place, "{}, backend {}", counted(totals.world, "rank"),
                                totals.backend.empty() ? "not named" : totals.backend);
    for (const auto& [name, bytes] : totals.bytes) {
      std::string lower;
      for (const char c : name)
        if (c != '_')
          lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (lower.find("allreduce") != std::string::npos) {
        work.all_reduce_bytes += bytes / steps;
        context.report.understood(place, "{:.4g} MB of {} per step", bytes / steps / 1e6, name);
      } else {
        context.report.ignored({"{:.4g} MB of {} per step", bytes / steps / 1e6, name},
                               "only all-reduce becomes part of the job", place);
      }
    }
    if (totals.nccl_us > 0)
      context.report.understood(place,
                                "NCCL kernels take {:.4g} ms per step (not used: the simulation computes its own)",
                                totals.nccl_us / 1000 / steps);
    if (const std::string remark = fmt::format("measured: {:.4g} ms per step", totals.steps_us / 1000 / steps);
        totals.steps_us > 0 && std::ranges::find(context.draft.remarks, remark) == context.draft.remarks.end())
      context.draft.remarks.push_back(remark);
    if (totals.copies_us > 0)
      context.report.ignored({"{:.4g} ms of copies per step", totals.copies_us / 1000 / steps},
                             "copies to and from the host overlap with computing here", place);
    if (!totals.device.empty())
      work.gpu = context.gpu(totals.device, place);
    work.per_node = totals.devices > 0 && work.ranks >= totals.devices ? totals.devices : 0;
    if (work.per_node > 0)
      context.report.understood(place, "machines with {} ({})", counted(totals.devices, "GPU"), totals.device);
    keep(std::move(work), totals.rank);
  }

  void finish(ImportContext& context) const override
  {
    for (const Job& job : jobs_) {
      if (job.ranks.size() > 1)
        context.report.understood(job.work.place, "{} of one job; the step is that of the slowest",
                                  counted(job.ranks.size(), "rank"));
      if (!job.ranks.empty() && static_cast<int>(job.ranks.size()) < job.work.ranks)
        context.report.assumed("ranks without a trace are like those with one",
                               {"{} of {} have one", job.ranks.size(), job.work.ranks}, job.work.place);
      add_work(job.work, context);
    }
  }

private:
  struct Job {
    WorkSummary work;
    std::set<int> ranks; // with a trace
  };

  /// Traces of different ranks of as many are one job, whose step ends when its slowest rank's does.
  void keep(WorkSummary work, int rank) const
  {
    const auto same = std::ranges::find_if(jobs_, [&](const Job& job) {
      return rank >= 0 && job.work.ranks > 1 && job.work.ranks == work.ranks && job.work.gpu == work.gpu &&
             !job.ranks.empty() && !job.ranks.contains(rank);
    });
    if (same == jobs_.end()) {
      jobs_.push_back({std::move(work), rank >= 0 ? std::set{rank} : std::set<int>{}});
      return;
    }
    same->ranks.insert(rank);
    same->work.compute_s = std::max(same->work.compute_s, work.compute_s);
    same->work.all_reduce_bytes = std::max(same->work.all_reduce_bytes, work.all_reduce_bytes);
  }

  mutable std::vector<Job> jobs_;
};

TY_REGISTER(Importer, Kineto, "pytorch-profiler",
            "PyTorch profiler traces (Kineto), also gzip: computing and collectives of a step");

} // namespace
} // namespace trainyard
