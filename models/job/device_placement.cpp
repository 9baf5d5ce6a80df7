// SPDX-License-Identifier: Apache-2.0
#include "models/job/device_placement.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// What a device text does not give stays empty.
struct Asked {
  std::optional<std::string> job;
  std::optional<int> task;
  std::optional<std::string> kind;
  std::optional<int> index;
  std::string wrong; // the part that cannot be read
};

/// "/job:worker/replica:0/task:1/device:GPU:0", "/gpu:1", "/cpu:0"…
Asked parse(const std::string& text)
{
  Asked asked;
  std::size_t begin = 0;
  while (begin < text.size()) {
    if (text[begin] == '/')
      ++begin;
    const std::size_t end = std::min(text.find('/', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    begin = end;
    if (lower_case(part).starts_with("device:"))
      part = part.substr(7);
    const std::size_t colon = part.find(':');
    const std::string key = lower_case(part.substr(0, colon));
    const std::string value = colon == std::string::npos ? "" : part.substr(colon + 1);
    if (key == "job" && !value.empty())
      asked.job = value;
    else if (key == "task" && as_index(value))
      asked.task = as_index(value);
    else if (key == "replica" && as_index(value))
      continue;
    else if ((key == "gpu" || key == "cpu") && (value.empty() || value == "*" || as_index(value))) {
      asked.kind = key;
      asked.index = as_index(value);
    } else {
      asked.wrong = part;
    }
  }
  return asked;
}

class Placer
{
public:
  Placer(const std::vector<GraphOperation>& operations, const std::vector<TaskDevice>& devices,
         const KernelTable& kernels, std::string job, int task, bool soft)
      : operations_{operations}, devices_{devices}, kernels_{kernels}, job_{std::move(job)}, task_{task}, soft_{soft}
  {
  }

  std::vector<PlacedOperation> run()
  {
    std::vector<PlacedOperation> placed(operations_.size());
    for (std::size_t i = 0; i < operations_.size(); ++i)
      if (operations_[i].colocate.empty())
        placed[i] = place(operations_[i]);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].colocate.empty())
        continue;
      const auto with = std::ranges::find(operations_, operations_[i].colocate, &GraphOperation::name);
      if (with == operations_.end()) {
        placed[i].reason = fmt::format("there is no operation '{}' to colocate with", operations_[i].colocate);
        continue;
      }
      placed[i] = placed[static_cast<std::size_t>(with - operations_.begin())];
      placed[i].reason = fmt::format("beside '{}'", operations_[i].colocate);
    }
    return placed;
  }

private:
  PlacedOperation place(const GraphOperation& operation) const
  {
    const Asked asked = parse(operation.device);
    if (!asked.wrong.empty())
      return refuse(fmt::format("'{}' in device '{}' is not a job, task, cpu or gpu", asked.wrong, operation.device));
    const auto kernels = kernels_.kernels.find(operation.type);
    if (kernels == kernels_.kernels.end()) {
      return refuse(fmt::format("operation type '{}' is not in the table {}{}", operation.type, kernels_.name,
                                did_you_mean(operation.type, keys_of(kernels_.kernels))));
    }
    const std::string job = asked.job.value_or(job_);
    const int task = asked.task.value_or(asked.job && *asked.job != job_ ? 0 : task_);
    if (std::ranges::none_of(devices_,
                             [&](const TaskDevice& device) { return device.job == job && device.task == task; }))
      return refuse(fmt::format("there is no task /job:{}/task:{}", job, task));
    const bool gpu_kernel = std::ranges::count(kernels->second, "gpu") > 0;
    const bool cpu_kernel = std::ranges::count(kernels->second, "cpu") > 0;
    if (asked.kind) {
      const bool kernel = *asked.kind == "gpu" ? gpu_kernel : cpu_kernel;
      const auto found = find(job, task, *asked.kind, asked.index.value_or(0));
      if (found && kernel)
        return choose(*found, "pinned by the user");
      const std::string why =
          !kernel ? fmt::format("{} has no {} kernel", operation.type, *asked.kind == "gpu" ? "GPU" : "CPU")
                  : fmt::format("/job:{}/task:{} has no {}:{}", job, task, *asked.kind, asked.index.value_or(0));
      if (!soft_)
        return refuse(fmt::format("{}; allow_soft_placement would place it elsewhere", why));
      PlacedOperation other = by_priority(operation, job, task, gpu_kernel, cpu_kernel);
      other.reason = fmt::format("soft placement: {}, {}", why, other.reason);
      return other;
    }
    return by_priority(operation, job, task, gpu_kernel, cpu_kernel);
  }

  PlacedOperation by_priority(const GraphOperation& operation, const std::string& job, int task, bool gpu_kernel,
                              bool cpu_kernel) const
  {
    const auto gpu = find(job, task, "gpu", 0);
    const auto cpu = find(job, task, "cpu", 0);
    if (gpu_kernel && gpu)
      return choose(*gpu, cpu_kernel ? "kernels for both: the GPU has priority" : "kernel only for the GPU");
    if (cpu_kernel && cpu)
      return choose(*cpu, gpu_kernel ? "the task has no GPU" : "kernel only for the CPU");
    return refuse(fmt::format("{} needs a GPU, /job:{}/task:{} has none", operation.type, job, task));
  }

  std::optional<std::size_t> find(const std::string& job, int task, const std::string& kind, int index) const
  {
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (devices_[i].job == job && devices_[i].task == task && devices_[i].kind == kind && devices_[i].index == index)
        return i;
    return std::nullopt;
  }

  PlacedOperation choose(std::size_t device, std::string reason) const
  {
    return {device, full_name(devices_[device]), std::move(reason)};
  }
  static PlacedOperation refuse(std::string reason) { return {std::nullopt, {}, std::move(reason)}; }

  const std::vector<GraphOperation>& operations_;
  const std::vector<TaskDevice>& devices_;
  const KernelTable& kernels_;
  std::string job_;
  int task_ = 0;
  bool soft_ = false;
};

} // namespace

std::string full_name(const TaskDevice& device)
{
  return fmt::format("/job:{}/task:{}/device:{}:{}", device.job, device.task, device.kind == "gpu" ? "GPU" : "CPU",
                     device.index);
}

std::vector<PlacedOperation> place_operations(const std::vector<GraphOperation>& operations,
                                              const std::vector<TaskDevice>& devices, const KernelTable& kernels,
                                              const std::string& job, int task, bool soft)
{
  return Placer{operations, devices, kernels, job, task, soft}.run();
}

} // namespace trainyard
